//! Bodies and options of a query of a pair over an interval.

use crate::deviation::deviation_of;
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_model::{AnswerKind, BetweenFrames, MotionRule, QueryOptions, Shape};

/// One body over an interval.
#[derive(Debug, Clone, Copy)]
pub struct BodyMotion<'a> {
    /// Its shape.
    pub shape: &'a Shape,
    /// Its poses at both ends, of the recentred frame.
    pub ends: [Pose; 2],
    /// Point that moves on a line, or falls, in the recentred frame, metres.
    pub pivot: Vec3<f64>,
    /// The pivot's acceleration under [`BetweenFrames::Ballistic`], metres over the square of the
    /// interval; else zero.
    pub fall: Vec3<f64>,
    /// No point of the body is farther from its place under [`BetweenFrames::Linear`], metres: see
    /// [`BetweenFrames::Bounded`], else 0.
    pub departure: f64,
}

/// Properties of a body that bound its motion.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lever {
    /// The circumradius of its core about the recentred origin, metres.
    pub(super) core: f64,
    /// Its pivot, in the recentred frame, metres.
    pub(super) pivot: Vec3<f64>,
    pub(super) between: BetweenFrames,
}

impl BodyMotion<'_> {
    /// Returns the properties of the body that bound its motion.
    pub(super) fn lever(&self, between: BetweenFrames) -> Lever {
        Lever { core: self.shape.hull().core.radius, pivot: self.pivot, between }
    }
}

/// Options of an interval query, lengths in metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IntervalOptions {
    /// Motion of bodies between samples; not [`BetweenFrames::None`].
    pub between: BetweenFrames,
    /// An answer iff `lower <= within`.
    pub within: f64,
    /// The bracket is made to decide `upper < require` and `lower >= require`.
    pub require: Option<f64>,
    /// Contact is a distance of at most this.
    pub touch: f64,
    /// Largest width of the bracket, but for what the deviations of the bodies add at both ends.
    pub tolerance: f64,
    /// Distances that are computed, at most, but for those of a first contact and of the times of
    /// least distance. Of two meshes 64 pairs of boxes or triangles count as one.
    pub work: u32,
    /// Whether the depth of bodies that overlap is asked for, as in
    /// [`QueryOptions::answer`](clearsweep_model::QueryOptions::answer).
    pub answer: AnswerKind,
}

/// Rule by which a search for the least distance divides a part of an interval. The answer of each
/// is proven.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PartDivision {
    /// In the middle.
    Middle,
    /// At the first time at which the bound of the part is no longer above what is sought:
    /// conservative advancement.
    Advancement,
    /// At the time at which the larger of the bounds of both ends is least; in the middle if that
    /// is an end.
    #[default]
    Least,
}

/// On lines and at any distance, contact at 0, with the tolerance and the work of a scene that
/// says nothing of them.
impl Default for IntervalOptions {
    fn default() -> Self {
        let MotionRule { tolerance, work, .. } = MotionRule::default();
        let QueryOptions { touch, answer, .. } = QueryOptions::EVERYTHING;
        Self { between: BetweenFrames::Linear, within: f64::INFINITY, require: None, touch, tolerance, work, answer }
    }
}

impl IntervalOptions {
    /// The same options with the width that the bracket of two bodies may have: no division takes
    /// away what their deviations add.
    pub(super) fn for_bodies(&self, a: &Shape, b: &Shape) -> Self {
        Self { tolerance: self.tolerance + 2.0 * deviation_of(a, b), ..*self }
    }

    /// Whether two brackets decide the same.
    pub(super) fn decide_alike(&self, [lower, upper]: [f64; 2], [other_lower, other_upper]: [f64; 2]) -> bool {
        let require = self.require.unwrap_or(f64::NEG_INFINITY);
        let of_lower = |end: f64| [end > self.touch, end >= require, end > self.within];
        let of_upper = |end: f64| [end <= self.touch, end < require, end <= self.within];
        of_lower(lower) == of_lower(other_lower) && of_upper(upper) == of_upper(other_upper)
    }

    /// Whether a bracket decides what is asked.
    pub(super) fn is_decided(&self, lower: f64, upper: f64) -> bool {
        let required = self.require.is_none_or(|require| lower >= require || upper < require);
        let touching = lower > self.touch || upper <= self.touch;
        upper - lower <= self.tolerance && upper <= self.within && touching && required
    }
}
