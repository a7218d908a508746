//! The triangles of a mesh body: how they meet, which side of them is outside, and what is left out of them.
//!
//! `clean` makes the mesh of a body of the triangles of a file and tells what was done to them; `edges` says how triangles
//! meet at their edges, `outside` turns them outward where they close up, with `nesting` for shells inside of others;
//! `weld` closes cracks of rounding first; `convex_components` finds the convex solids of a mesh, `convex_cells` cuts a mesh of few planes into some; `sets` are the disjoint sets of all of
//! them.

mod clean;
mod convex_cells;
mod convex_components;
pub(super) mod edges;
mod nesting;
mod outside;
mod sets;
mod weld;

pub(super) use clean::{MeshMade, clean};
pub(super) use convex_cells::convex_cells;
pub(super) use convex_components::convex_components;
pub(super) use edges::Closure;
pub(super) use outside::EnclosedVolume;
