//! Statistics of intervals: of a pair in a run, and of a run.

use super::pair_stats::JoinedEntry;
use super::row::IntervalRow;
use super::spill::{SpillEntry, pair_of, pair_word, put_words, words};
use clearsweep_model::{IntervalStatus, Sample};
use serde::{Deserialize, Serialize};

/// A contact within an interval: proven clear before its first end, proven in contact at its second
/// one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct IntervalContact {
    /// The frame before the interval, and the one behind it.
    pub(super) frames: [i64; 2],
    /// Shares of the interval.
    pub(super) shares: [f64; 2],
    /// Times of the two shares, seconds; NaN if the input has none.
    pub(super) times: [f64; 2],
}

impl IntervalContact {
    /// The contact of a row of `intervals`; `None` where none is proven.
    pub(super) fn of(row: &IntervalRow, ends: [&Sample; 2]) -> Option<Self> {
        let shares = row.interval.contact;
        let there = row.interval.status == IntervalStatus::Contact && !shares[1].is_nan();
        there.then(|| Self { frames: ends.map(|end| end.frame), shares, times: times(ends, shares) })
    }
}

/// The times of two shares of an interval, the first rounded down and the second up; NaN where the
/// input has none.
fn times(ends: [&Sample; 2], shares: [f64; 2]) -> [f64; 2] {
    let [Some(from), Some(to)] = ends.map(|end| end.time_s) else { return [f64::NAN; 2] };
    let length = to - from;
    let [low, high] = shares.map(|share| from + share * length);
    // The length, the product and the sum are rounded once each, by at most half a unit in their
    // last places.
    let slack = |time: f64| f64::EPSILON * (length.abs() + time.abs());
    [(low - slack(low)).max(from.min(to)), (high + slack(high)).min(from.max(to))]
}

/// The statistics of a pair over the intervals of a part of a run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct IntervalStat {
    /// Body A.
    pub(super) a: u32,
    /// Body B.
    pub(super) b: u32,
    /// Lower end of the least distance, metres; negative infinity where nothing is proven of an
    /// interval.
    pub(super) lower: f64,
    /// Upper end of the least distance, metres.
    pub(super) upper: f64,
    /// The frame before the interval of the least upper end, and the one behind it.
    pub(super) frames: [i64; 2],
    /// The first contact.
    pub(super) contact: Option<IntervalContact>,
}

impl IntervalStat {
    /// Returns the statistics of one interval.
    pub(super) fn of(row: &IntervalRow, ends: [&Sample; 2]) -> Self {
        let IntervalRow { a, b, interval, .. } = row;
        let (contact, frames) = (IntervalContact::of(row, ends), ends.map(|end| end.frame));
        Self { a: *a, b: *b, lower: interval.lower, upper: interval.upper, frames, contact }
    }
}

impl JoinedEntry for IntervalStat {
    /// Adds a later part; if the upper ends are equal, the earlier interval is kept.
    fn add(&mut self, later: &Self) {
        debug_assert_eq!(later.pair(), self.pair());
        self.lower = self.lower.min(later.lower);
        if later.upper < self.upper {
            (self.upper, self.frames) = (later.upper, later.frames);
        }
        self.contact = self.contact.or(later.contact);
    }
}

impl SpillEntry for IntervalStat {
    const BYTES: usize = 88;

    fn pair(&self) -> (u32, u32) {
        (self.a, self.b)
    }

    fn write(&self, bytes: &mut Vec<u8>) {
        // NaN: no contact.
        let nowhere = IntervalContact { frames: [0; 2], shares: [f64::NAN; 2], times: [f64::NAN; 2] };
        let IntervalContact { frames, shares, times } = self.contact.unwrap_or(nowhere);
        put_words(&[pair_word(self.pair()), self.lower.to_bits(), self.upper.to_bits()], bytes);
        put_words(&self.frames.map(|frame| frame as u64), bytes);
        put_words(&frames.map(|frame| frame as u64), bytes);
        put_words(&shares.map(f64::to_bits), bytes);
        put_words(&times.map(f64::to_bits), bytes);
    }

    fn read(bytes: &[u8]) -> Self {
        let [pair, lower, upper, least, least_next, before, behind, low, high, from, to] = words(bytes);
        let (a, b) = pair_of(pair);
        let [shares, times] = [[low, high], [from, to]].map(|words| words.map(f64::from_bits));
        let contact = IntervalContact { frames: [before as i64, behind as i64], shares, times };
        let contact = Some(contact).filter(|_| !shares[1].is_nan());
        let [lower, upper] = [lower, upper].map(f64::from_bits);
        Self { a, b, lower, upper, frames: [least as i64, least_next as i64], contact }
    }
}

/// The intervals of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct RunIntervals {
    /// Rows of `intervals`.
    pub(super) rows: u64,
    /// Rows of status contact.
    pub(super) contact: u64,
    /// Rows that do not violate the requirement, and are undecided or have a bracket that holds it.
    pub(super) undecided: u64,
    /// Rows with `upper < require`.
    pub(super) violated: u64,
    /// The bracket of the least distance of all pairs: least lower and least upper end, metres.
    pub(super) least: Option<[f64; 2]>,
    /// The first contact.
    pub(super) first_contact: Option<PairContact>,
}

/// A contact with its bodies.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct PairContact {
    /// Body A.
    pub(super) a: u32,
    /// Body B.
    pub(super) b: u32,
    /// When.
    pub(super) contact: IntervalContact,
}

impl RunIntervals {
    /// Adds the next interval of the run. NaN stands for no requirement: every comparison with it
    /// is false. Returns whether the interval violates the requirement, and else whether it is
    /// undecided.
    pub(super) fn add(&mut self, row: &IntervalRow, ends: [&Sample; 2], require: f64) -> (bool, bool) {
        let IntervalRow { a, b, interval, .. } = *row;
        self.rows += 1;
        self.contact += u64::from(interval.status == IntervalStatus::Contact);
        let (violated, undecided) = judged(row, require);
        self.violated += u64::from(violated);
        self.undecided += u64::from(undecided);
        let [lower, upper] = self.least.unwrap_or([f64::INFINITY; 2]);
        self.least = Some([lower.min(interval.lower), upper.min(interval.upper)]);
        let Some(contact) = IntervalContact::of(row, ends) else { return (violated, undecided) };
        // Intervals of one frame come by pair, not by time.
        let is_first = self.first_contact.is_none_or(|PairContact { contact: first, .. }| {
            contact.frames[0] == first.frames[0] && contact.shares[1] < first.shares[1]
        });
        if is_first {
            self.first_contact = Some(PairContact { a, b, contact });
        }
        (violated, undecided)
    }
}

impl RunIntervals {
    /// Adds what a later part of the same run has.
    pub(super) fn join(&mut self, later: &Self) {
        self.rows += later.rows;
        self.contact += later.contact;
        self.undecided += later.undecided;
        self.violated += later.violated;
        self.least = match (self.least, later.least) {
            (Some([lower, upper]), Some([a, b])) => Some([lower.min(a), upper.min(b)]),
            (least, later) => least.or(later),
        };
        self.first_contact = self.first_contact.or(later.first_contact);
    }
}

/// Whether an interval violates the requirement, and else whether it is undecided.
fn judged(row: &IntervalRow, require: f64) -> (bool, bool) {
    let p = &row.interval;
    let violated = p.upper < require;
    let holds_limit = p.lower < require && require <= p.upper;
    (violated, !violated && (holds_limit || p.status == IntervalStatus::Undecided))
}
