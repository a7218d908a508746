//! The least distance of a pair between two neighbouring samples, with a proven bracket.
//!
//! ```text
//! answer.rs   what is proven of an interval
//! ```

mod answer;

pub use answer::{IntervalMethod, IntervalProximity, IntervalStatus};

use super::proximity::Proximity;
use super::routes::Routes;
use super::workspace::Workspace;
use crate::geometry::{Pose, Vec3};
use crate::scene::{BetweenFrames, Shape};

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

/// What is proven of a pair over an interval; `None` if the bodies are proven to be farther apart than `within` throughout.
/// The answer is a function of the arguments but `work` and `routes`. `rows`: the rows of the pair at both ends, in A's recentred
/// frame, where they are known (a row whose distance is beyond `within` need not be known).
pub fn interval_proximity(
    a: &BodyMotion<'_>,
    b: &BodyMotion<'_>,
    rows: [Option<&Proximity>; 2],
    options: &IntervalOptions,
    work: &mut Workspace,
    routes: &mut Routes,
) -> Option<IntervalProximity> {
    let _ = (a, b, rows, options, work, routes);
    todo!()
}
