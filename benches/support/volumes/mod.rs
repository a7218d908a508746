//! Trees of bounding volumes that are compared with each other: the same triangles in the same
//! leaves under the same nodes, the same search, and volumes of several kinds.
//!
//! ```text
//! tree.rs       the nodes, and what a kind of volume has to offer
//! search.rs     the distance of two trees, nearest volumes first
//! triangles.rs  the distance of two triangles
//! boxes.rs      boxes along principal axes or those of the body, by their projections to three axes
//! separating.rs the same boxes, by the fifteen axes of two boxes
//! swept.rs      rectangles grown by a radius
//! spheres.rs    spheres
//! dops.rs       slabs along 7, 9 or 13 directions
//! ```

pub(crate) mod boxes;
pub(crate) mod dops;
pub(crate) mod search;
pub(crate) mod separating;
pub(crate) mod spheres;
pub(crate) mod swept;
pub(crate) mod tree;
pub(crate) mod triangles;
