//! The part of an input that one shard of a job takes.

use std::ops::Range;

/// Runs, or frames of one run, by their keys.
///
/// A range that ends at `i64::MAX` has no end. Parts that lie end to end take every sample once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadPart {
    /// The runs.
    pub runs: Range<i64>,
    /// The frames of its one run; `None`: all frames of its runs.
    pub frames: Option<Range<i64>>,
    /// Most frames from the end of `frames` to the next sample. That sample ends the last interval:
    /// it is read here, and belongs to the next part.
    pub follow: i64,
}

impl ReadPart {
    /// A part without a sample.
    pub const NOTHING: Self = Self { runs: i64::MIN..i64::MIN, frames: None, follow: 0 };

    /// Whether a sample belongs to the part.
    pub(super) fn has(&self, run: i64, frame: i64) -> bool {
        contains(Some(&self.runs), run) && contains(self.frames.as_ref(), frame)
    }

    /// Whether a sample is behind the part, and may end its last interval.
    pub(super) fn is_followed_by(&self, run: i64, frame: i64) -> bool {
        self.follow > 0
            && contains(Some(&self.runs), run)
            && self.frames.as_ref().is_some_and(|frames| is_beyond(frames, frame) && frame < self.end_of(frames))
    }

    /// The end of the frames in which the sample is that may follow.
    fn end_of(&self, frames: &Range<i64>) -> i64 {
        frames.end.saturating_add(self.follow)
    }

    /// The frames that are read.
    pub(super) fn frames_read(&self) -> Option<Range<i64>> {
        self.frames.as_ref().map(|frames| frames.start..self.end_of(frames))
    }

    /// All frames of the runs.
    #[must_use]
    pub fn of_whole_runs(&self) -> Self {
        Self { frames: None, ..self.clone() }
    }

    /// Whether it takes no sample.
    pub fn is_nothing(&self) -> bool {
        *self == Self::NOTHING
    }

    /// Whether `next` begins where this part ends.
    pub fn meets(&self, next: &Self) -> bool {
        let ends_in_run = |part: &Self| part.frames.as_ref().map(|frames| frames.end).filter(|&end| end != i64::MAX);
        let begins_in_run =
            |part: &Self| part.frames.as_ref().map(|frames| frames.start).filter(|&start| start != i64::MIN);
        match (ends_in_run(self), begins_in_run(next)) {
            (Some(end), Some(start)) => end == start && self.runs == next.runs,
            (None, None) => self.runs.end == next.runs.start,
            _ => false,
        }
    }

    /// Whether no sample is before it.
    pub fn is_first(&self) -> bool {
        self.runs.start == i64::MIN && self.frames.as_ref().is_none_or(|frames| frames.start == i64::MIN)
    }

    /// Whether no sample is behind it.
    pub fn is_last(&self) -> bool {
        self.runs.end == i64::MAX && self.frames.as_ref().is_none_or(|frames| frames.end == i64::MAX)
    }

    /// Whether its run goes on in the next part.
    pub fn is_cut(&self) -> bool {
        self.frames.as_ref().is_some_and(|frames| frames.end != i64::MAX)
    }
}

/// Whether `range` (all values, if there is none) holds `value`.
pub(super) fn contains(range: Option<&Range<i64>>, value: i64) -> bool {
    range.is_none_or(|range| range.start <= value && !is_beyond(range, value))
}

/// Whether a value lies at the end of a range or after it. The greatest of all values is no end:
/// nothing lies after it.
pub(super) fn is_beyond(range: &Range<i64>, value: i64) -> bool {
    value >= range.end && range.end != i64::MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_greatest_key_is_no_end() {
        let chosen = |range: Range<i64>, value: i64| contains(Some(&range), value);
        assert!(chosen(5..7, 5) && chosen(5..7, 6) && !chosen(5..7, 7) && !chosen(5..7, 4));
        assert!(chosen(5..i64::MAX, i64::MAX) && !chosen(5..i64::MAX, 4) && chosen(i64::MAX..i64::MAX, i64::MAX));
        assert!(!is_beyond(&(5..i64::MAX), i64::MAX) && is_beyond(&(5..7), 7));
    }
}
