//! The free length of convex polyhedra by brute force, in plain `f64`.
//!
//! The differences `b - a` of the vertices are points `(x, y, t)`, `t` along the direction. A moved
//! by `t` touches B where the hull of these points meets the disk's cylinder: the free length is
//! the least `t` of the hull above the disk. Facets are all triples of points that have all others
//! on one side.

use clearsweep_geometry::Vec3;

type Point = [f64; 3];

/// The lengths at which the grown body meets B: the first and the last; `None`: never.
pub(super) fn meeting(a: &[Vec3<f64>], b: &[Vec3<f64>], direction: Vec3<f64>, footprint: f64) -> Option<[f64; 2]> {
    let along = direction.scale(1.0 / direction.dot(direction).sqrt());
    let helper = if along.x.abs() < 0.6 { Vec3::new(1.0, 0.0, 0.0) } else { Vec3::new(0.0, 1.0, 0.0) };
    let side = helper - along.scale(helper.dot(along));
    let side = side.scale(1.0 / side.dot(side).sqrt());
    let other = along.cross(side);
    let differences = b.iter().flat_map(|&q| a.iter().map(move |&p| q - p));
    let points: Vec<Point> = differences.map(|d| [d.dot(side), d.dot(other), d.dot(along)]).collect();
    let below = least(&points, footprint)?;
    let turned: Vec<Point> = points.iter().map(|p| [p[0], p[1], -p[2]]).collect();
    Some([below, -least(&turned, footprint)?])
}

/// The least third coordinate of the hull above the disk around the origin; `None`: the hull is not
/// above it.
fn least(points: &[Point], radius: f64) -> Option<f64> {
    let mut found = f64::INFINITY;
    for i in 0..points.len() {
        for j in 0..i {
            for k in 0..j {
                let corners = [points[i], points[j], points[k]];
                if let Some(slope) = supporting(corners, points) {
                    found = found.min(least_of_triangle(corners, slope, radius));
                }
            }
        }
    }
    (found < f64::INFINITY).then_some(found)
}

/// Slopes along x and y of the plane through three points if no point is below it.
fn supporting([p, q, r]: [Point; 3], points: &[Point]) -> Option<[f64; 2]> {
    let (u, v) = ([0, 1, 2].map(|k| q[k] - p[k]), [0, 1, 2].map(|k| r[k] - p[k]));
    let area = u[0] * v[1] - u[1] * v[0];
    if area.abs() < 1e-12 {
        return None;
    }
    let slope = [(u[2] * v[1] - v[2] * u[1]) / area, (u[0] * v[2] - v[0] * u[2]) / area];
    let is_above = |x: &Point| x[2] - p[2] - slope[0] * (x[0] - p[0]) - slope[1] * (x[1] - p[1]) > -1e-11;
    points.iter().all(is_above).then_some(slope)
}

/// The least height of a triangle above the disk; infinite if none of it is above it.
fn least_of_triangle(corners: [Point; 3], slope: [f64; 2], radius: f64) -> f64 {
    let height = |x: [f64; 2]| corners[0][2] + slope[0] * (x[0] - corners[0][0]) + slope[1] * (x[1] - corners[0][1]);
    let mut candidates: Vec<[f64; 2]> =
        corners.iter().map(|c| [c[0], c[1]]).filter(|c| c[0].hypot(c[1]) <= radius).collect();
    for k in 0..3 {
        candidates.extend(on_circle(corners[k], corners[(k + 1) % 3], radius));
    }
    let steepness = slope[0].hypot(slope[1]);
    if steepness > 0.0 {
        let lowest = [-radius * slope[0] / steepness, -radius * slope[1] / steepness];
        if is_inside(lowest, corners) {
            candidates.push(lowest);
        }
    }
    if is_inside([0.0; 2], corners) {
        candidates.push([0.0; 2]);
    }
    candidates.into_iter().map(height).fold(f64::INFINITY, f64::min)
}

/// Points at which a side crosses the circle around the origin.
fn on_circle(p: Point, q: Point, radius: f64) -> impl Iterator<Item = [f64; 2]> {
    let (x, y) = (q[0] - p[0], q[1] - p[1]);
    let (square, half, rest) = (x * x + y * y, p[0] * x + p[1] * y, p[0] * p[0] + p[1] * p[1] - radius * radius);
    let root = (half * half - square * rest).sqrt();
    let shares = [(-half - root) / square, (-half + root) / square];
    shares
        .into_iter()
        .filter(|share| (0.0..=1.0).contains(share))
        .map(move |share| [p[0] + share * x, p[1] + share * y])
}

fn is_inside(x: [f64; 2], corners: [Point; 3]) -> bool {
    let turn = |k: usize| {
        let (p, q) = (corners[k], corners[(k + 1) % 3]);
        (q[0] - p[0]) * (x[1] - p[1]) - (q[1] - p[1]) * (x[0] - p[0])
    };
    let turns = [0, 1, 2].map(turn);
    turns.iter().all(|&t| t >= 0.0) || turns.iter().all(|&t| t <= 0.0)
}
