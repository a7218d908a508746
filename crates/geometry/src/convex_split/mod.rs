//! Meshes as convex solids, exactly: `convex_components` finds the convex solids that a mesh is put
//! together of, `convex_cells` cuts a mesh of few planes into some. `edges` says how triangles meet
//! at their edges; `sets` are disjoint sets.

mod convex_cells;
mod convex_components;
pub mod edges;
pub mod sets;

pub use convex_cells::convex_cells;
pub use convex_components::{MOST_SOLIDS, convex_components};
