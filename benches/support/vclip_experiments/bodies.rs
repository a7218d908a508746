//! The bodies of the experiments as the engine's shapes, not recentred.

use clearsweep_geometry::hull::convex_hull;
use clearsweep_geometry::{Polyhedron, Vec3};
use clearsweep_scene::{Geometry, Shape};

/// The hull of points as a body of one piece.
pub fn body(points: &[[f64; 3]]) -> Shape {
    let points: Vec<Vec3<f64>> = points.iter().map(|&p| p.into()).collect();
    let mut shape = (*Geometry::Box([1.0; 3]).shape(0.0).unwrap()).clone();
    shape.pieces[0].core = convex_hull(&points).unwrap();
    (shape.center, shape.radius) = (Vec3::ZERO, shape.pieces[0].core.radius);
    shape
}

pub fn core(shape: &Shape) -> &Polyhedron {
    &shape.pieces[0].core
}

/// A cube of this half side, metres.
pub fn cube(half: f64) -> Shape {
    let sign = |bit: usize| if bit == 1 { half } else { -half };
    let corners: Vec<_> = (0..8_usize).map(|i| [sign(i & 1), sign(i >> 1 & 1), sign(i >> 2)]).collect();
    body(&corners)
}

/// A sphere of radius 1 m: an icosahedron whose edges are halved some times. 20 faces, and four
/// times as many for each time.
pub fn sphere(halvings: u32) -> Shape {
    let phi = (1.0 + 5.0_f64.sqrt()) / 2.0;
    let mut corners: Vec<Vec3<f64>> = Vec::new();
    for axis in 0..3 {
        for (one, golden) in [(1.0, phi), (-1.0, phi), (1.0, -phi), (-1.0, -phi)] {
            let mut v = [0.0; 3];
            (v[(axis + 1) % 3], v[(axis + 2) % 3]) = (one, golden);
            corners.push(Vec3::from(v).normalized());
        }
    }
    for _ in 0..halvings {
        let hull = convex_hull(&corners).unwrap();
        let middle = |e: usize| {
            let [a, b] = hull.edges[e].v.map(|v| hull.vertex(v));
            (a + b).normalized()
        };
        corners = (0..hull.count as u32).map(|v| hull.vertex(v)).chain((0..hull.edges.len()).map(middle)).collect();
    }
    body(&corners.iter().map(|v| v.to_array()).collect::<Vec<_>>())
}
