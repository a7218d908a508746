//! The triangles of a mesh body: how they meet, which side of them is outside, and what is left out
//! of them.
//!
//! `clean` makes the mesh of a body of the triangles of a file and tells what was done to them;
//! `outside` turns them outward where they close up, with `nesting` for shells inside of others;
//! `weld` closes cracks of rounding first.

mod clean;
#[cfg(test)]
mod convex_cells_tests;
#[cfg(test)]
mod convex_components_tests;
mod nesting;
mod outside;
mod weld;

pub(super) use clean::{MeshMade, clean};
pub(super) use clearsweep_geometry::convex_split::edges::{self, Closure};
pub(super) use outside::EnclosedVolume;
