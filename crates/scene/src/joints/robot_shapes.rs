//! Collision shapes of robots: their lengths, and the shapes of a scene that stand for them.

use crate::shapes::ShapeSpec;
use clearsweep_robot::{Collision, CollisionShape};
use std::f64::consts::PI;

/// Sides of the prism that stands for a round cylinder.
const SIDES: u32 = 64;

/// The largest magnitude among some numbers.
pub(super) fn largest(numbers: &[f64]) -> f64 {
    numbers.iter().fold(0.0, |most, number| most.max(number.abs()))
}

/// The largest length of a collision geometry, metres; factors of a mesh are not lengths.
pub(super) fn largest_length(collision: &Collision) -> f64 {
    largest(&collision.place.position).max(match &collision.shape {
        CollisionShape::Box { sides } => largest(sides),
        CollisionShape::Sphere { radius } => *radius,
        CollisionShape::Cylinder { radius, length } | CollisionShape::Capsule { radius, length } => radius.max(*length),
        CollisionShape::Ellipsoid { half_axes } => largest(half_axes),
        CollisionShape::Mesh { .. } => 0.0,
    })
}

/// A primitive of a link, and how far it may lie outside of the described one, metres.
pub(super) fn primitive(shape: &CollisionShape) -> (ShapeSpec, f64) {
    match *shape {
        CollisionShape::Box { sides } => (ShapeSpec::Box(sides), 0.0),
        CollisionShape::Sphere { radius } => (ShapeSpec::Sphere(radius), 0.0),
        CollisionShape::Capsule { radius, length } => (ShapeSpec::Capsule { radius, length }, 0.0),
        CollisionShape::Cylinder { radius, length } => {
            let outer = 1.0 / libm::cos(PI / f64::from(SIDES)) - 1.0;
            (ShapeSpec::Cylinder { radius, height: length, sides: SIDES }, radius * outer * (1.0 + 1e-9))
        }
        CollisionShape::Ellipsoid { half_axes } => {
            let (points, excess) = crate::rounded::around_an_ellipsoid(half_axes);
            (ShapeSpec::Points(points), excess)
        }
        // Meshes are bodies of their own.
        CollisionShape::Mesh { .. } => (ShapeSpec::Points(vec![[0.0; 3]]), 0.0),
    }
}
