//! The bodies: teeth of involute gears, and polygonal spheres.

use clearsweep_geometry::hull::convex_hull;
use clearsweep_geometry::{Polyhedron, Pose, RelativePose, Vec3};
use clearsweep_narrow::pair::Pair;
use clearsweep_narrow::{Proximity, query_one};
use clearsweep_scene::{Geometry, QueryOptions, Shape};
use std::f64::consts::{PI, TAU};

/// The hull of points, as a shape whose origin is that of the points.
pub(crate) fn shape(points: &[Vec3<f64>]) -> Shape {
    let mut shape = (*Geometry::Box([1.0; 3]).shape(0.0).unwrap()).clone();
    shape.pieces[0].core = convex_hull(points).unwrap();
    (shape.center, shape.radius) = (Vec3::ZERO, shape.pieces[0].core.radius);
    shape
}

/// The convex core of a shape of one piece.
pub(crate) fn core(shape: &Shape) -> &Polyhedron {
    &shape.pieces[0].core
}

/// Two shapes, A at rest in the origin and B at a pose.
pub(crate) fn pair<'a>(a: &'a Shape, b: &'a Shape, at: &Pose) -> Pair<'a, f64> {
    Pair::new(core(a), core(b), RelativePose::between(&Pose::IDENTITY, at), 0.0)
}

/// The certified signed distance.
pub(crate) fn row(a: &Shape, b: &Shape, at: &Pose) -> Proximity {
    let options = QueryOptions::EVERYTHING;
    query_one(a, b, &Pose::IDENTITY, at, &options)
}

/// The pose of B moved along the normal until the certified distance is `distance`, to rounding.
pub(crate) fn at_distance(a: &Shape, b: &Shape, at: &Pose, distance: f64) -> Pose {
    let mut at = *at;
    // The second step mends the rounding of the first, the third a normal that changed on the way.
    for _ in 0..3 {
        let row = row(a, b, &at);
        at.position = at.position + row.normal.scale(distance - row.distance);
    }
    at
}

/// About `count` points of the unit sphere, on a spiral.
pub(crate) fn sphere(count: usize) -> Shape {
    let golden = PI * (3.0 - 5.0_f64.sqrt());
    let point = |k: usize| {
        let z = 1.0 - (2 * k + 1) as f64 / count as f64;
        let (s, c) = (golden * k as f64).sin_cos();
        let r = (1.0 - z * z).sqrt();
        Vec3::new(r * c, r * s, z)
    };
    shape(&(0..count).map(point).collect::<Vec<_>>())
}

/// Teeth of the gear.
const TEETH: f64 = 20.0;
/// Pressure angle, radians.
const PRESSURE: f64 = 20.0 * TAU / 360.0;
/// Radius of the pitch circle for a module of 1.
pub(crate) const PITCH: f64 = TEETH / 2.0;

/// A tooth of an involute gear of module 1 and 20 teeth, 2 thick: a prism, `samples` points a
/// flank. The origin is the pitch point of its upper flank, and the centre of the gear lies at
/// (-PITCH, 0, 0).
pub(crate) fn tooth(samples: usize) -> Shape {
    let base = PITCH * PRESSURE.cos();
    let end = (((PITCH + 1.0) / base).powi(2) - 1.0).sqrt();
    let involute = |t: f64| t - t.atan();
    // The angle of the flank at the base circle, seen from the middle of the tooth.
    let half = PI / (2.0 * TEETH) + involute(PRESSURE.tan());
    let mut points = Vec::new();
    for k in 0..samples {
        let t = end * k as f64 / (samples - 1) as f64;
        let (radius, angle) = (base * (1.0 + t * t).sqrt(), half - involute(t));
        for (side, z) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
            // The middle of the tooth is turned back, so that the upper flank passes through the
            // pitch point.
            let (s, c) = (side * angle - PI / (2.0 * TEETH)).sin_cos();
            points.push(Vec3::new(radius * c - PITCH, radius * s, z));
        }
    }
    shape(&points)
}
