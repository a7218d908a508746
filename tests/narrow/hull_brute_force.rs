//! The hull of the engine against the facets that the oracle finds by trying all triples of points.

use std::collections::BTreeSet;

use clearsweep_geometry::hull::convex_hull;
use clearsweep_geometry::{Polyhedron, Vec3};
use clearsweep_testing::oracle::families::{self, Random, Recipe};
use clearsweep_testing::oracle::number::{Vector, cross, dot, norm, sub, values};
use clearsweep_testing::oracle::{self, Body};

/// Facets as sets of points, by their bits: merged, extreme vertices only.
type Facets = BTreeSet<BTreeSet<[u64; 3]>>;

type Make = fn(&mut Random, usize) -> Recipe;

/// `-0.0` and `0.0` are one place.
fn key(p: Vector<f64>) -> [u64; 3] {
    p.map(|x| (x + 0.0).to_bits())
}

fn oracle_facets(body: &Body) -> Facets {
    // Strictly inside a side: the sides of the oracle include parts of sides, where points are
    // collinear.
    let inside = |k: usize, [i, j]: [usize; 2]| {
        let (u, v) = (sub(body.vertices[i], body.vertices[k]), sub(body.vertices[j], body.vertices[k]));
        k != i && k != j && dot(u, v) < 0.0 && norm(cross(u, v)) <= 1e-14 * norm(u) * norm(v)
    };
    let corners = |facet: &oracle::body::Facet| {
        let ends: BTreeSet<usize> = facet.sides.iter().flatten().copied().collect();
        let corner = |&k: &usize| !facet.sides.iter().any(|&side| inside(k, side));
        ends.into_iter().filter(corner).map(|k| key(body.vertices[k])).collect()
    };
    body.facets.iter().map(corners).collect()
}

fn engine_facets(hull: &Polyhedron) -> Facets {
    let face = |f: u32| hull.face(f).iter().map(|&v| key(hull.vertex(v).to_array())).collect();
    (0..hull.face_count() as u32).map(face).collect()
}

fn check(family: &str, number: usize, recipe: &Recipe) {
    let body = Body::new(&recipe.points, 0.0);
    let points: Vec<Vec3<f64>> = recipe.points.iter().map(|&p| p.into()).collect();
    let hull = convex_hull(&points).expect("the points are finite");
    let place = format!("{family} {number}: {:?}", recipe.points);
    assert_eq!(engine_facets(&hull), oracle_facets(&body), "{place}");
    assert_eq!(hull.face_count(), body.facets.len(), "{place}");
    for v in 0..hull.count {
        let first = recipe.points.iter().position(|&p| key(p) == key(hull.vertex(v as u32).to_array()));
        assert_eq!(first, Some(hull.source[v] as usize), "source of vertex {v}, {place}");
    }
    if hull.dimension == 3 {
        let (v, e, f) = (hull.count as i64, hull.edges.len() as i64, hull.face_count() as i64);
        assert_eq!(v - e + f, 2, "Euler, {place}");
        for f in 0..hull.face_count() {
            let face = hull.face(f as u32);
            let same = |facet: &&oracle::body::Facet| {
                face.iter()
                    .all(|&v| facet.vertices.iter().any(|&w| key(body.vertices[w]) == key(hull.vertex(v).to_array())))
            };
            let facet = body.facets.iter().find(same).expect("the sets of facets are equal");
            let off = norm(sub(hull.normals[f].to_array(), values(facet.normal)));
            assert!(off <= 4.0 * f64::EPSILON, "normal of face {f} off by {off:e}, {place}");
        }
    }
}

#[test]
fn facets_vertices_and_normals_are_those_of_brute_force() {
    let makers: [(&str, Make, usize); 7] = [
        ("compact", families::compact, 300),
        ("medium", families::medium, 40),
        ("large", families::large, 6),
        ("sliver", families::sliver, 300),
        ("tied", families::tied, 400),
        ("disks", families::disks, 100),
        ("flat", families::flat, 300),
    ];
    for (seed, (family, make, count)) in makers.into_iter().enumerate() {
        let mut random = Random(1000 + seed as u64);
        for number in 0..count {
            check(family, number, &make(&mut random, number));
        }
    }
}
