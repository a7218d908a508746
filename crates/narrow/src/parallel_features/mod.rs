//! Ties of parallel features: a face over a face, an edge over a face, an edge beside an edge. The
//! closest points are two sets, and a row publishes their centroids.
//!
//! ```text
//! closest.rs     the closest points: one formula a kind
//! frame.rs       coordinates in the plane of a face
//! outline.rs     convex polygons: clipping, and the centroid of an intersection (all sides against all)
//! chains.rs      the same for polygons of many sides (a sweep)
//! candidates.rs  the parallel features along a direction
//! equal_depths.rs  two facets at equal depths
//! ```
//!
//! When such an answer may be accepted: `certificate/certify.rs`, with the proof in
//! docs/reference/numerics.md.

mod candidates;
mod chains;
mod closest;
pub(super) mod equal_depths;
mod frame;
mod outline;
#[cfg(test)]
#[path = "tests/intersections.rs"]
mod tests;

pub(super) use candidates::{along, directions, face_directions, near};
pub(super) use closest::closest;
pub(super) use outline::PlanePoint;
