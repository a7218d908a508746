//! The oracle of round bodies: the signed distance as a proven bracket, by branch and bound over
//! directions, and over angles of tori.
//!
//! It shares no code and no search with the engine. A set is known by the parametrization that its
//! meaning gives, mapped into the frame of A.
//!
//! ```text
//! sets.rs    convex sets: points, ellipses, ellipsoids, dishes, and their farthest points
//! search.rs  the signed distance of two convex sets: branch and bound over directions
//! sweep.rs   tori: a section that is turned about an axis
//! union.rs   bodies of several pieces
//! ```

pub mod search;
pub mod sets;
pub mod sweep;
pub mod union;

/// Both ends of a length, metres.
#[derive(Clone, Copy, Debug)]
pub struct Bracket {
    pub lower: f64,
    pub upper: f64,
}
