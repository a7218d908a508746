//! Geometry that knows no files, no time and no pairs: numbers, poses, boxes and convex polyhedra.
//!
//! *Architecture invariant*: imports nothing of the crate but `error` and `simd`.

pub mod hull;
mod lanes;
pub mod planes;
pub mod polyhedron;
pub mod pose;
pub mod real;
pub mod vec3;

pub use polyhedron::{Edge, Polyhedron};
pub use pose::{Pose, RelativePose};
pub use real::{Dd, Real, Scalar};
pub use vec3::Vec3;
