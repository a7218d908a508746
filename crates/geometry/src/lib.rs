//! Geometry that knows no files, no time and no pairs: numbers, poses, boxes, convex polyhedra and
//! triangle meshes.
//!
//! *Architecture invariant*: imports no crate of clearsweep but `clearsweep-base`.

pub mod angles;
pub mod convex_split;
pub mod hausdorff;
pub mod hausdorff_solids;
pub mod hull;
mod lanes;
pub mod lazy;
pub mod mesh;
pub mod overlap;
pub mod piece_tree;
pub mod planes;
pub mod polyhedron;
pub mod pose;
pub mod ray;
pub mod real;
pub mod round;
pub mod triangle_contact;
pub mod triangle_tree;
pub mod turn;
pub mod vec3;

pub use mesh::{Inside, LazySurface, TriangleMesh};
pub use piece_tree::{LazyPieceTree, PieceTree};
pub use polyhedron::Polyhedron;
pub use pose::{Pose, RelativePose};
pub use real::{Dd, Real, Scalar};
pub use round::{RoundBody, RoundCore};
pub use vec3::Vec3;
