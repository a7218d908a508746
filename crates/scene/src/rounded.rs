//! Polyhedra around rounded parts, for bodies whose parts have different radii.

use clearsweep_geometry::hull::convex_hull;
use clearsweep_geometry::{Polyhedron, Vec3};
use clearsweep_model::UnevenGrowth;
use std::sync::OnceLock;

/// Divisions of each edge of the icosahedron.
const DIVISIONS: u32 = 8;

/// The vertices of a polyhedron that contains the unit ball, and their largest distance from its
/// middle.
fn around_the_unit_ball() -> &'static (Vec<Vec3<f64>>, f64) {
    static FOUND: OnceLock<(Vec<Vec3<f64>>, f64)> = OnceLock::new();
    FOUND.get_or_init(|| {
        let golden = 0.5 * (1.0 + 5.0_f64.sqrt());
        let corner = |k: usize| {
            let (sign, other) = ([1.0, -1.0][k & 1], golden * [1.0, -1.0][k >> 1 & 1]);
            let [x, y, z] = [[0.0, sign, other], [sign, other, 0.0], [other, 0.0, sign]][k >> 2];
            Vec3::new(x, y, z)
        };
        let corners: Vec<Vec3<f64>> = (0..12).map(corner).collect();
        // The faces of an icosahedron are the triples of corners that are an edge apart; its edges
        // have the length 2.
        let is_edge = |a: usize, b: usize| ((corners[a] - corners[b]).length() - 2.0).abs() < 1e-9;
        let mut points: Vec<Vec3<f64>> = Vec::new();
        for a in 0..12 {
            for b in a + 1..12 {
                for c in b + 1..12 {
                    if is_edge(a, b) && is_edge(b, c) && is_edge(a, c) {
                        divide([corners[a], corners[b], corners[c]], &mut points);
                    }
                }
            }
        }
        let points: Vec<Vec3<f64>> = points.into_iter().map(Vec3::normalized).collect();
        let nearest = convex_hull(&points).map_or(0.5, |hull| nearest_face(&hull));
        // A few units in the last place outwards.
        let scale = (1.0 + 64.0 * f64::EPSILON) / nearest;
        (points.into_iter().map(|point| point.scale(scale)).collect(), scale * (1.0 + 8.0 * f64::EPSILON))
    })
}

/// Adds the points that divide a triangle.
fn divide([a, b, c]: [Vec3<f64>; 3], points: &mut Vec<Vec3<f64>>) {
    let share = |k: u32| f64::from(k) / f64::from(DIVISIONS);
    for i in 0..=DIVISIONS {
        for j in 0..=DIVISIONS - i {
            points.push(a.scale(share(DIVISIONS - i - j)) + b.scale(share(i)) + c.scale(share(j)));
        }
    }
}

/// The distance of the origin from the nearest plane of a face.
fn nearest_face(hull: &Polyhedron) -> f64 {
    let of_face = |f: usize| {
        let [a, b, c] = [0, 1, 2].map(|k| hull.vertex(hull.face(f as u32)[k]));
        (b - a).cross(c - a).normalized().dot(a)
    };
    (0..hull.face_count()).map(of_face).fold(f64::INFINITY, f64::min)
}

/// The surface of several cores of these radii, grown by `offset`, metres, whose frame has its
/// origin at `center` of the body's own; `None` if all radii are equal. `hull`: of all cores.
pub(super) fn uneven_growth(
    cores: &[Polyhedron],
    radii: &[f64],
    hull: Option<&Polyhedron>,
    (center, offset): (Vec3<f64>, f64),
) -> Option<UnevenGrowth> {
    let least = radii.iter().copied().fold(f64::INFINITY, f64::min);
    let most = radii.iter().copied().fold(0.0, f64::max);
    let hull = hull.filter(|_| most > least)?;
    let spheres = around_the_unit_ball();
    let found = outer(cores, radii, least, &spheres.0);
    let (outer, hull, growth, excess) = match found {
        Some((outer, hull)) => {
            let reach = (0..hull.count as u32).map(|v| hull.vertex(v).length()).fold(0.0, f64::max);
            let excess = (most - least) * (spheres.1 - 1.0) + 16.0 * f64::EPSILON * reach;
            (outer, hull, least + offset, excess)
        }
        // Coordinates too large or too small for other hulls: all parts grow as the largest does.
        None => (cores.to_vec(), hull.clone(), most + offset, most - least),
    };
    let outer = outer.into_iter().map(|core| core.recentred(center, growth)).collect();
    Some(UnevenGrowth { growth, outer, hull: hull.recentred(center, growth), excess: excess.next_up() })
}

/// Polyhedra around cores of these radii, less the least of them, and the hull of all; `None`:
/// their coordinates are out of the range of hulls.
fn outer(cores: &[Polyhedron], radii: &[f64], least: f64, ball: &[Vec3<f64>]) -> Option<(Vec<Polyhedron>, Polyhedron)> {
    let around = |core: &Polyhedron, radius: f64| {
        if radius <= least {
            return Some(core.clone());
        }
        let by = (radius - least).next_up();
        let vertices = (0..core.count as u32).map(|v| core.vertex(v));
        let sums = vertices.flat_map(|vertex| ball.iter().map(move |&corner| vertex + corner.scale(by)));
        convex_hull(&sums.collect::<Vec<_>>()).ok()
    };
    let outer: Vec<Polyhedron> =
        cores.iter().zip(radii).map(|(core, &radius)| around(core, radius)).collect::<Option<_>>()?;
    let all = outer.iter().flat_map(|core| (0..core.count as u32).map(|v| core.vertex(v)));
    let hull = convex_hull(&all.collect::<Vec<_>>()).ok()?;
    Some((outer, hull))
}
