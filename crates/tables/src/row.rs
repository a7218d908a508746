//! Rows of `distances`, of `intervals` and of `contacts`.

use clearsweep_model::{Contact, DirectionalDistance, FrameBlock, IntervalProximity, Proximity, Requirements, Sample};

/// A row of `distances` before it is encoded. Witness points and normal are in the world frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    /// Body of the lower index.
    pub a: u32,
    /// Body of the higher index.
    pub b: u32,
    /// The result of the query, in the world frame.
    pub proximity: Proximity,
    /// The free length if the pair's rule requires one, else the distance along the direction of
    /// the scene, if there is one.
    pub directional: Option<DirectionalDistance>,
    /// Whether both bodies stand at the very poses of the baseline of their rule, where the bracket
    /// is wider than `worse_by`: nothing is required.
    pub stands: bool,
}

impl Row {
    /// Returns what a rule requires of the row in a run, metres; NaN if nothing.
    #[inline]
    #[doc(hidden)]
    pub fn required(&self, requirements: &Requirements, rule: usize, run: i64) -> f64 {
        if self.stands { f64::NAN } else { requirements.under(rule, run, self.a, self.b) }
    }

    /// Returns the bracket that the rule compares with its requirement, metres: that of the
    /// distance or of the free length. An unproven end of a free length is 0 or infinite, of a
    /// distance NaN.
    #[inline]
    #[doc(hidden)]
    pub fn measured(&self, requirements: &Requirements, rule: usize) -> [f64; 2] {
        if !requirements.is_of_free_length(rule) {
            return [self.proximity.lower, self.proximity.upper];
        }
        let free = self.directional.unwrap_or(DirectionalDistance::UNPROVEN);
        let proven = |end: f64, unproven: f64| if end.is_nan() { unproven } else { end };
        [proven(free.lower, 0.0), proven(free.upper, f64::INFINITY)]
    }
}

/// A row of `intervals` before it is encoded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IntervalRow {
    /// Body of the lower index.
    pub a: u32,
    /// Body of the higher index.
    pub b: u32,
    /// The proven result for the interval.
    pub interval: IntervalProximity,
    /// Whether both bodies stand so throughout: see [`Row::stands`].
    pub stands: bool,
}

impl IntervalRow {
    /// Returns what is required of the distance in a run, metres; NaN if nothing.
    pub(super) fn required(&self, requirements: &Requirements, run: i64) -> f64 {
        if self.stands { f64::NAN } else { requirements.of_distance(run, self.a, self.b) }
    }

    /// The samples of `block` between which the interval lies; `None` if the second one is not
    /// there or of another run.
    pub(super) fn ends<'b>(&self, block: &'b FrameBlock) -> Option<[&'b Sample; 2]> {
        let at = usize::from(self.interval.sample);
        let first = block.samples.get(at)?;
        let next = match block.samples.get(at + 1) {
            None if at + 1 == block.samples.len() => block.following.as_ref().map(|following| &following.sample),
            next => next,
        };
        Some([first, next.filter(|next| next.run == first.run)?])
    }
}

/// A row of `contacts` before it is encoded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactRow {
    /// Body of the lower index.
    pub a: u32,
    /// Body of the higher index.
    pub b: u32,
    /// Number among the contacts of the pair in the sample, from 0.
    pub number: u32,
    /// The region.
    pub contact: Contact,
}

/// Rows of one kind after another, each sorted by (sample, a, b), contacts by their number too.
#[derive(Debug, Clone, Copy, Default)]
pub struct SortedRows<'a> {
    /// Rows of samples.
    pub rows: &'a [&'a Row],
    /// Rows of the intervals after the samples.
    pub intervals: &'a [&'a IntervalRow],
    /// Rows of contacts.
    pub contacts: &'a [&'a ContactRow],
}
