//! Readers of robot descriptions: URDF, SRDF, MJCF and COLLADA meshes become plain data.
//!
//! - [`read_urdf`], [`read_mjcf`]: links with their collision geometry, and the joints between
//!   them.
//! - [`read_srdf`]: the pairs of links that are not checked.
//! - [`read_dae`]: triangles of a COLLADA file.
//! - [`Robot::neighbours`]: the pairs of links that touch by construction.
//! - [`resolve`]: the file that a URDF file names.
//!
//! The crate opens no file: the caller reads the text, guards its size, and hands it over with its
//! path. [`resolve`] alone looks whether files exist. All lengths are metres, all angles radians,
//! and quaternions are `(w, x, y, z)` of length 1.
//!
//! A reader never drops an element in silence: an element that matters for proximity and that it
//! does not read is an error or a [`Note`]. Every error names the file, the line and a remedy.
//!
//! *Architecture invariant*: imports no crate of clearsweep but `clearsweep-base`.

mod collada;
mod mjcf;
mod model;
mod neighbours;
mod notes;
mod resolve;
mod rotation;
mod srdf;
mod tree;
mod urdf;
mod xml;

pub use collada::{DaeMesh, DaePolygon, UpAxis, read_dae};
pub use mjcf::read_mjcf;
pub use model::{Collision, CollisionShape, Joint, JointKind, Line, Link, LinkPair, Mimic, Note, Place, Robot};
pub use neighbours::Neighbours;
pub use resolve::{PackageFolder, package_name, resolve};
pub use srdf::{Srdf, read_srdf};
pub use urdf::read_urdf;

#[cfg(test)]
mod tests;
