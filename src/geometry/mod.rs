//! Geometry that knows no files, no time and no pairs: numbers, poses, boxes, convex polyhedra and triangle
//! meshes.
//!
//! *Architecture invariant*: imports nothing of the crate but `error`, `simd` and `workers`.

pub(crate) mod hausdorff;
pub mod hull;
mod lanes;
pub(crate) mod lazy;
pub(crate) mod mesh;
pub(crate) mod piece_tree;
pub(crate) mod planes;
pub(crate) mod polyhedron;
pub(crate) mod pose;
pub(crate) mod ray;
pub mod real;
pub(crate) mod solid_reach;
pub(crate) mod triangle_contact;
pub(crate) mod triangle_tree;
pub(crate) mod turn;
pub(crate) mod vec3;

pub use mesh::{Inside, LazySurface, TriangleMesh};
pub use piece_tree::{LazyPieceTree, PieceTree};
pub use polyhedron::Polyhedron;
pub use pose::{Pose, RelativePose};
pub(crate) use real::{Dd, Real, Scalar};
pub use vec3::Vec3;
