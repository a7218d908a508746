//! The decision of one state of V-Clip.

use crate::feature::Feature;

/// The transition out of a state. The body at *home* is the one whose feature has more dimensions
/// (A if both have as many); the other feature belongs to the *other* body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Transition {
    /// The features hold the closest points.
    Converged,
    /// The bodies overlap or touch.
    Overlap,
    /// The feature of the body at home becomes this.
    Home(Feature),
    /// The feature of the other body becomes this.
    Other(Feature),
}
