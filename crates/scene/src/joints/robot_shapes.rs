//! Collision shapes of robots: their lengths, and the shapes of a scene that stand for them.

use crate::round_shape::RoundShape;
use crate::shapes::ShapeSpec;
use clearsweep_robot::{Collision, CollisionShape};

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

/// A primitive of a link.
pub(super) fn primitive(shape: &CollisionShape) -> ShapeSpec {
    match *shape {
        CollisionShape::Box { sides } => ShapeSpec::Box(sides),
        CollisionShape::Sphere { radius } => ShapeSpec::Sphere(radius),
        CollisionShape::Capsule { radius, length } => ShapeSpec::Capsule { radius, length },
        CollisionShape::Cylinder { radius, length } => {
            ShapeSpec::Round(RoundShape::Cylinder { radius, height: length })
        }
        CollisionShape::Ellipsoid { half_axes } => ShapeSpec::Round(RoundShape::Ellipsoid(half_axes)),
        // Meshes are bodies of their own.
        CollisionShape::Mesh { .. } => ShapeSpec::Points(vec![[0.0; 3]]),
    }
}
