//! The oracle of round bodies: the signed distance as a proven bracket, by branch and bound over
//! directions, and over angles of tori.
//!
//! It shares no code and no search with the engine. A set is known by the parametrization that its
//! meaning gives, mapped into the frame of A. A local search answers first: its ends are proven, too,
//! and mostly meet. Where they do not, branch and bound decides, a thousand times as long.
//!
//! ```text
//! sets.rs      convex sets: points, ellipses, ellipsoids, dishes, and their farthest points
//! local.rs     the signed distance of two convex sets: steps over directions, to the second order
//! search.rs    the same by branch and bound over directions
//! decided.rs   the one, and where it leaves a doubt the other
//! sweep.rs     tori: a section that is turned about an axis
//! symmetry.rs  bodies that a turn about an axis leaves as they are
//! union.rs     bodies of several pieces
//! ```

pub mod decided;
pub mod local;
pub mod search;
pub mod sets;
pub mod sweep;
pub mod symmetry;
pub mod union;

use std::cmp::Ordering;

/// Both ends of a length, metres.
#[derive(Clone, Copy, Debug)]
pub struct Bracket {
    pub lower: f64,
    pub upper: f64,
}

/// An entry of a heap: that of the largest key comes first.
struct Keyed<T> {
    key: f64,
    value: T,
}

impl<T> PartialEq for Keyed<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl<T> Eq for Keyed<T> {}
impl<T> PartialOrd for Keyed<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl<T> Ord for Keyed<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key.total_cmp(&other.key)
    }
}
