//! Hulls of few points by enumeration in integers, which shares nothing with the code under test.

use super::{Point, Random, checked_hull, distinct_normals, p};
use crate::polyhedron::Polyhedron;
use std::collections::{BTreeMap, BTreeSet};

type Int3 = [i128; 3];

fn minus(a: Int3, b: Int3) -> Int3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}
fn cross(a: Int3, b: Int3) -> Int3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
fn dot(a: Int3, b: Int3) -> i128 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// A hull as sets of input indices (the first of equal points).
#[derive(Debug, Default, PartialEq, Eq)]
struct Features {
    dimension: u8,
    vertices: BTreeSet<u32>,
    edges: BTreeSet<[u32; 2]>,
    /// The vertices of each face, sorted; a polygon's face once.
    faces: BTreeSet<Vec<u32>>,
}

/// By definition: a face is where a plane through three of the points has none on one of its sides.
fn enumerate(points: &[Int3]) -> Features {
    let mut firsts = BTreeMap::new();
    for (i, q) in points.iter().enumerate() {
        firsts.entry(*q).or_insert(i as u32);
    }
    let distinct: Vec<(Int3, u32)> = firsts.into_iter().collect(); // in lexicographic order
    let mut found = Features::default();
    let mut solid = false;
    for (i, a) in distinct.iter().enumerate() {
        for (j, b) in distinct.iter().enumerate().skip(i + 1) {
            for c in &distinct[j + 1..] {
                let n = cross(minus(b.0, a.0), minus(c.0, a.0));
                let heights: Vec<i128> = distinct.iter().map(|q| dot(n, minus(q.0, a.0))).collect();
                solid |= heights.iter().any(|h| *h != 0);
                if n != [0; 3] && (heights.iter().all(|h| *h <= 0) || heights.iter().all(|h| *h >= 0)) {
                    let on: Vec<_> = distinct.iter().zip(&heights).filter(|(_, h)| **h == 0).map(|(q, _)| *q).collect();
                    add_face(&mut found, &on, n);
                }
            }
        }
    }
    found.dimension = if solid { 3 } else { 2 };
    if found.faces.is_empty() {
        let ends = [distinct[0].1, distinct[distinct.len() - 1].1];
        found.vertices.extend(ends);
        found.dimension = found.vertices.len() as u8 - 1;
        if found.dimension == 1 {
            found.edges.insert([ends[0].min(ends[1]), ends[0].max(ends[1])]);
        }
    }
    found
}

/// The face of the points `on` a plane of normal `n`: its edges are where a line through two has
/// none to its right.
fn add_face(found: &mut Features, on: &[(Int3, u32)], n: Int3) {
    let mut corners = BTreeSet::new();
    for a in on {
        for b in on.iter().filter(|b| b.0 != a.0) {
            let along = minus(b.0, a.0);
            let left = |q: &(Int3, u32)| dot(n, cross(along, minus(q.0, a.0)));
            // a and b are the ends of what lies on the line
            let ends = |q: &(Int3, u32)| (0..=dot(along, along)).contains(&dot(along, minus(q.0, a.0)));
            if on.iter().all(|q| left(q) > 0 || left(q) == 0 && ends(q)) {
                corners.extend([a.1, b.1]);
                found.edges.insert([a.1.min(b.1), a.1.max(b.1)]);
            }
        }
    }
    found.vertices.extend(corners.iter());
    found.faces.insert(corners.into_iter().collect());
}

fn features(hull: &Polyhedron) -> Features {
    let source = |v: &u32| hull.source[*v as usize];
    let sorted = |ring: &[u32]| {
        let mut face: Vec<u32> = ring.iter().map(source).collect();
        face.sort_unstable();
        face
    };
    Features {
        dimension: hull.dimension,
        vertices: hull.source.iter().copied().collect(),
        edges: hull.edges.iter().map(|e| e.v.map(|v| source(&v))).collect(),
        faces: (0..hull.face_count() as u32).map(|f| sorted(hull.face(f))).collect(),
    }
}

/// Numbers of directions among these vectors that differ by more than sign and length.
fn directions(vectors: impl Iterator<Item = Int3>) -> usize {
    let mut distinct: Vec<Int3> = Vec::new();
    for v in vectors {
        if distinct.iter().all(|w| cross(v, *w) != [0; 3]) {
            distinct.push(v);
        }
    }
    distinct.len()
}

fn compare(points: &[Int3], scale: f64) -> Polyhedron {
    let scaled: Vec<Point> =
        points.iter().map(|q| p(q[0] as f64 * scale, q[1] as f64 * scale, q[2] as f64 * scale)).collect();
    let hull = checked_hull(&scaled);
    let expected = enumerate(points);
    assert_eq!(features(&hull), expected, "{points:?}");
    let expected_faces = if expected.dimension == 2 { 2 } else { expected.faces.len() };
    assert_eq!(hull.face_count(), expected_faces);
    let at = |v: u32| points[hull.source[v as usize] as usize];
    let along = hull.edges.iter().map(|e| minus(at(e.v[1]), at(e.v[0])));
    let directions_along = if hull.dimension < 3 { directions(along) } else { 0 };
    assert_eq!(hull.distinct_edges.len(), directions_along, "{points:?}");
    let normals = (0..hull.face_count() as u32).map(|f| {
        let ring = hull.face(f);
        cross(minus(at(ring[1]), at(ring[0])), minus(at(ring[2]), at(ring[0])))
    });
    assert_eq!(distinct_normals(&hull), directions(normals), "{points:?}");
    hull
}

#[test]
fn random_integer_points_match_enumeration() {
    let mut random = Random(1);
    let (mut dimensions, mut polygons, mut dropped, mut equal) = ([0; 4], 0, 0, 0);
    for case in 0..6_000 {
        let count = 1 + random.below(12) as usize;
        let side = [2, 3, 4, 5, 9, 1 << 20][case % 6];
        // Some cases lie in a plane, a line or a point: two, one or no coordinates are free.
        let rank = [3, 3, 3, 3, 2, 1][random.below(6) as usize];
        let basis: Vec<Int3> = (0..rank).map(|_| [0; 3].map(|_| random.below(7) as i128 - 3)).collect();
        let points: Vec<Int3> = (0..count)
            .map(|_| match rank {
                3 => [0; 3].map(|_| random.below(side) as i128),
                _ => basis.iter().fold([5, -7, 11], |sum, b| {
                    let t = random.below(side) as i128;
                    [sum[0] + t * b[0], sum[1] + t * b[1], sum[2] + t * b[2]]
                }),
            })
            .collect();
        let hull = compare(&points, [1.0, 0.0078125, 1048576.0][case % 3]);
        dimensions[hull.dimension as usize] += 1;
        polygons += usize::from(hull.dimension == 3 && (0..hull.face_count() as u32).any(|f| hull.face(f).len() > 3));
        dropped += usize::from(hull.count < count);
        equal += usize::from(points.iter().collect::<BTreeSet<_>>().len() < count);
    }
    // The cases are of every kind, often.
    assert!(dimensions.iter().all(|d| *d > 200), "{dimensions:?}");
    assert!(
        dimensions[3] > 2_000 && polygons > 1_000 && dropped > 2_000 && equal > 1_000,
        "{polygons} {dropped} {equal}"
    );
}

#[test]
fn random_points_of_more_coordinates_match_enumeration() {
    let mut random = Random(2);
    let mut faces = 0;
    for case in 0..300 {
        let count = 13 + random.below(16) as usize;
        let side = [3, 4, 6, 1 << 29][case % 4];
        let mut points: Vec<Int3> = (0..count).map(|_| [0; 3].map(|_| random.below(side) as i128)).collect();
        for _ in 0..3 {
            points.insert(random.below(count as u64) as usize, points[random.below(count as u64) as usize]);
        }
        faces = faces.max(compare(&points, 1.0).face_count());
    }
    assert!(faces > 25, "{faces}");
}

#[test]
fn the_order_of_points_does_not_matter() {
    let mut random = Random(3);
    for _ in 0..200 {
        let count = 8 + random.below(30) as usize;
        let points: Vec<Point> =
            (0..count).map(|_| p(random.below(5) as f64, random.below(5) as f64, random.below(5) as f64)).collect();
        let mut shuffled = points.clone();
        for i in (1..count).rev() {
            shuffled.swap(i, random.below(i as u64 + 1) as usize);
        }
        let coordinates = |hull: &Polyhedron| {
            let mut c: Vec<[u64; 3]> =
                (0..hull.count as u32).map(|v| hull.vertex(v).to_array().map(f64::to_bits)).collect();
            c.sort_unstable();
            c
        };
        let (a, b) = (checked_hull(&points), checked_hull(&shuffled));
        assert_eq!(coordinates(&a), coordinates(&b));
        assert_eq!((a.edges.len(), a.face_count(), a.radius), (b.edges.len(), b.face_count(), b.radius));
    }
}
