//! What is asked of a pair over an interval.

use clearsweep_geometry::{Pose, Vec3};
use clearsweep_scene::{BetweenFrames, Shape};

/// One body over an interval.
#[derive(Debug, Clone, Copy)]
pub struct BodyMotion<'a> {
    /// Its shape.
    pub shape: &'a Shape,
    /// Its poses at both ends, of the recentred frame.
    pub ends: [Pose; 2],
    /// What moves on a line, in the recentred frame, metres.
    pub pivot: Vec3<f64>,
}

/// What is known of a body before it moves.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lever {
    /// The circumradius of its core about the recentred origin, metres.
    pub(super) core: f64,
    /// Its pivot, in the recentred frame, metres.
    pub(super) pivot: Vec3<f64>,
    pub(super) between: BetweenFrames,
}

impl BodyMotion<'_> {
    /// What is known of the body before it moves.
    pub(super) fn lever(&self, between: BetweenFrames) -> Lever {
        Lever { core: self.shape.hull().core.radius, pivot: self.pivot, between }
    }
}

/// What is asked of an interval, lengths in metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IntervalOptions {
    /// How bodies move; not [`BetweenFrames::None`].
    pub between: BetweenFrames,
    /// An answer iff `lower <= within`.
    pub within: f64,
    /// The bracket is made to decide `upper < require` and `lower >= require`.
    pub require: Option<f64>,
    /// Contact is a distance of at most this.
    pub touch: f64,
    /// How wide the bracket may be.
    pub tolerance: f64,
}

/// Where a search for the least distance divides a part of an interval. The answer of each is proven.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PartDivision {
    /// In the middle.
    Middle,
    /// Where the bound of the part, from its start on, is no longer above what is sought: conservative advancement.
    Advancement,
    /// Where the larger of the bounds of both ends is least; in the middle where that is an end.
    #[default]
    Least,
}

impl IntervalOptions {
    /// Whether a bracket decides what is asked.
    pub(super) fn is_decided(&self, lower: f64, upper: f64) -> bool {
        let required = self.require.is_none_or(|require| lower >= require || upper < require);
        let touching = lower > self.touch || upper <= self.touch;
        upper - lower <= self.tolerance && upper <= self.within && touching && required
    }
}
