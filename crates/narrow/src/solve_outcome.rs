//! The outcome of a rung of the pair solver for a pair in one sample, and the gap above which a
//! candidate ends without a distance.

use clearsweep_geometry::{Scalar, Vec3};
use clearsweep_model::Proximity;
use clearsweep_model::QueryOptions;

/// Outcome of a pair in one sample, handed from rung to rung. `T`: the answer of the rung.
#[derive(Debug, Clone, Copy)]
pub enum SolveOutcome<T> {
    /// Nothing yet: the next step decides.
    Undecided,
    /// The pair is proven to be beyond the cut-off on every way, so that there is no row.
    Beyond {
        /// The bodies are at least this far apart, metres.
        gap: f64,
        /// The direction along which they are, in A's frame, where one is known.
        normal: Option<Vec3<f64>>,
    },
    /// The answer.
    Answered(T),
}

impl<T> SolveOutcome<T> {
    /// Turns the answer, if there is one, into another.
    #[inline(always)]
    pub(super) fn map<U>(self, f: impl FnOnce(T) -> U) -> SolveOutcome<U> {
        match self {
            Self::Undecided => SolveOutcome::Undecided,
            Self::Beyond { gap, normal } => SolveOutcome::Beyond { gap, normal },
            Self::Answered(answer) => SolveOutcome::Answered(f(answer)),
        }
    }

    /// The answer, if there is one.
    pub fn answered(self) -> Option<T> {
        match self {
            Self::Answered(answer) => Some(answer),
            Self::Undecided | Self::Beyond { .. } => None,
        }
    }
}

impl SolveOutcome<Proximity> {
    /// The row of a sample, if it is within the cut-off or not proven.
    #[inline]
    pub(super) fn reported(self, sample: usize, options: &QueryOptions) -> SolveOutcome<Option<Proximity>> {
        self.map(|row| {
            let is_reported = row.lower.is_nan() || row.lower <= options.within;
            is_reported.then_some(Proximity { sample: sample as u8, ..row })
        })
    }
}

/// The promised width of a bracket, in sizes of the pair.
pub const PROMISE: f64 = 1e-12;

/// The gap, metres between the inflated bodies, above which a candidate ends without a distance:
/// the cut-off, and the promised width of a bracket, so that no method finds a row. `size`: of the
/// pair, metres.
#[inline(always)]
pub fn beyond<T: Scalar>(cutoff: f64, size: T) -> T {
    T::from_f64(cutoff) + T::from_f64(PROMISE) * size
}
