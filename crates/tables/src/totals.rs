//! Counts over a whole execution.

use super::rows_digest::TableDigest;
use super::violations::ViolatingPair;
use serde::{Deserialize, Serialize};

/// Counts over a whole execution, for the summary on the terminal, the manifest and the exit code.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Totals {
    /// Runs.
    pub runs: u64,
    /// Existing (run, frame) samples.
    pub samples: u64,
    /// Rows of `distances`.
    pub rows: u64,
    /// Rows of `penetrations`.
    pub penetrations: u64,
    /// Rows by status: separated, touching, penetrating, uncertified.
    pub by_status: [u64; 4],
    /// Rows by method, in the order of `Method::NAMES`.
    pub by_method: [u64; 7],
    /// Rows of `pairs`.
    pub pairs: u64,
    /// Pairs of bodies that could be near in the first run (the only run with static pairs),
    /// ignored pairs included.
    pub pairs_possible: u64,
    /// The part of `pairs_possible` that the rules of the scene ignore.
    pub pairs_ignored: u64,
    /// Rows with `upper_m < require`.
    pub violated: u64,
    /// Those of them that somebody has to work on: nobody has accepted them.
    pub open: u64,
    /// Runs with at least one such row, or such an interval.
    pub runs_violated: u64,
    /// Pairs of bodies with at least one such row, over all runs.
    pub pairs_violated: u64,
    /// The worst of these pairs, smallest distance first; at most ten.
    #[doc(hidden)]
    pub violating_pairs: Vec<ViolatingPair>,
    /// Rows with `lower_m < require <= upper_m`.
    pub undecided: u64,
    /// Pairs of bodies with a row of method `winding`, over all runs: one lies inside of the other,
    /// which is open.
    #[doc(hidden)]
    pub pairs_winding: u64,
    /// The worst of these pairs, smallest distance first; at most ten.
    #[doc(hidden)]
    pub winding_pairs: Vec<ViolatingPair>,
    /// The row of smallest distance; `None` without rows.
    pub worst: Option<Worst>,
    /// Rows of `contacts`.
    pub contacts: u64,
    /// Rows of `intervals`.
    pub intervals: u64,
    /// Intervals by status: clear, contact, undecided.
    pub by_interval_status: [u64; 3],
    /// Intervals by method, in the order of `IntervalMethod::NAMES`.
    pub by_interval_method: [u64; 5],
    /// Intervals with `upper_m < require`.
    pub intervals_violated: u64,
    /// Those of them that nobody has accepted.
    pub intervals_open: u64,
    /// Other intervals that are undecided, or with `lower_m < require <= upper_m`.
    pub intervals_undecided: u64,
    /// Other findings in intervals.
    #[doc(hidden)]
    pub between: BetweenTotals,
    /// Counts of each rule, the default last; empty where the scene has no rules.
    #[doc(hidden)]
    pub by_rule: Vec<RuleTotals>,
    /// Events and issues, where something is required and the rows are written to tables.
    #[doc(hidden)]
    pub issues: Option<IssueCounts>,
    /// The row that is undecided and may be nearest.
    #[doc(hidden)]
    pub undecided_row: LeastUndecided,
    /// The interval that is undecided and may be nearest.
    #[doc(hidden)]
    pub undecided_interval: LeastUndecided,
    /// Bytes of all tables, the manifest excluded.
    pub bytes: u64,
    /// Digests of the rows of each table, if they are written to tables.
    #[doc(hidden)]
    pub digests: Vec<(String, TableDigest)>,
}

/// A row or an interval of which it is not proven whether it violates what is required.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct UndecidedRow {
    /// Its run.
    pub run: i64,
    /// Its frame, twice; of an interval, the frame before it and the one behind it.
    pub frames: [i64; 2],
    /// Indices of both bodies.
    pub bodies: [u32; 2],
    /// The bracket that holds what is required, metres.
    pub bracket_m: [f64; 2],
    /// The required distance, metres; NaN if nothing is required.
    pub required_m: f64,
}

/// The undecided row of the least lower end; of equal ones the earliest.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub struct LeastUndecided(pub Option<UndecidedRow>);

impl LeastUndecided {
    /// Adds a later row.
    pub(super) fn add(&mut self, row: UndecidedRow) {
        if self.0.is_none_or(|least| row.bracket_m[0] < least.bracket_m[0]) {
            self.0 = Some(row);
        }
    }
}

/// Equality in which NaN equals NaN.
impl PartialEq for LeastUndecided {
    fn eq(&self, other: &Self) -> bool {
        let parts = |row: UndecidedRow| {
            let [lower, upper] = row.bracket_m.map(f64::to_bits);
            (row.run, row.frames, row.bodies, [lower, upper, row.required_m.to_bits()])
        };
        self.0.map(parts) == other.0.map(parts)
    }
}

/// Numbers of events and of issues by state, in the order of `EventState::NAMES`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IssueCounts {
    /// Events.
    pub events: [u64; 7],
    /// Issues, those of decisions without an event included.
    pub issues: [u64; 7],
    /// The first stale decisions, at most twenty: rule, both bodies, note.
    #[doc(hidden)]
    pub stale: Vec<[String; 4]>,
}

/// Counts of the pairs under a rule.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleTotals {
    /// Rows of `distances`.
    pub rows: u64,
    /// Rows with `upper_m < required_m`.
    pub violated: u64,
    /// Rows with `lower_m < required_m <= upper_m`.
    pub undecided: u64,
    /// Pairs of bodies with a row that violates the rule, over all runs.
    pub pairs_violated: u64,
    /// Rows of `intervals`.
    pub intervals: u64,
    /// Intervals with `upper_m < required_m`.
    pub intervals_violated: u64,
    /// Other intervals that are undecided, or with `lower_m < required_m <= upper_m`.
    pub intervals_undecided: u64,
    /// Pairs of bodies with an interval that violates the rule, over all runs.
    pub pairs_violated_between: u64,
}

impl RuleTotals {
    fn join(&mut self, later: &Self) {
        self.rows += later.rows;
        self.violated += later.violated;
        self.undecided += later.undecided;
        self.pairs_violated += later.pairs_violated;
        self.intervals += later.intervals;
        self.intervals_violated += later.intervals_violated;
        self.intervals_undecided += later.intervals_undecided;
        self.pairs_violated_between += later.pairs_violated_between;
    }

    /// Counts an interval: whether it violates the rule, and else whether it is undecided.
    pub(super) fn add_interval(&mut self, (violated, undecided): (bool, bool)) {
        self.intervals += 1;
        self.intervals_violated += u64::from(violated);
        self.intervals_undecided += u64::from(undecided);
    }
}

/// The findings in intervals between samples.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BetweenTotals {
    /// Rows of `pairs` with a proven contact in an interval.
    pub pairs_contact: u64,
    /// Pairs of these that are separated in the row of smallest distance, or have no row: they
    /// touch between frames only.
    pub pairs_contact_only: u64,
    /// Pairs of bodies with an interval that violates the requirement, over all runs.
    pub pairs_violated: u64,
    /// The worst of these pairs, least upper end first; at most ten.
    pub violating_pairs: Vec<ViolatingPair>,
    /// The pair that is proven to come nearest; `None` without intervals.
    pub least: Option<LeastBetween>,
    /// The first contact of the first run that has one.
    pub first_contact: Option<FirstContact>,
}

/// The pair of the least upper end in a run: the bracket of its least distance over the intervals
/// of that run, and the interval of that end.
#[derive(Debug, Clone, PartialEq)]
pub struct LeastBetween {
    /// Least lower end of the pair, metres; negative infinity where nothing is proven.
    pub lower_m: f64,
    /// Least upper end, metres.
    pub upper_m: f64,
    /// Its run.
    pub run: i64,
    /// The frame before its interval, and the one behind it.
    pub frames: [i64; 2],
    /// Name of body A.
    pub body_a: String,
    /// Name of body B.
    pub body_b: String,
}

/// The first proven contact within an interval.
#[derive(Debug, Clone, PartialEq)]
pub struct FirstContact {
    /// Its run.
    pub run: i64,
    /// The frame before the interval, and the one behind it.
    pub frames: [i64; 2],
    /// Proven clear before the first share of the interval, in contact at the second.
    pub shares: [f64; 2],
    /// Times of the two shares, seconds; `None` if the input has none.
    pub times_s: Option<[f64; 2]>,
    /// Name of body A.
    pub body_a: String,
    /// Name of body B.
    pub body_b: String,
}

/// Counts made row by row, as they are stored: the rest is known at the end.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct CountedRows {
    runs: u64,
    pub(super) samples: u64,
    pub(super) rows: u64,
    by_status: [u64; 4],
    by_method: [u64; 7],
    violated: u64,
    open: u64,
    intervals_open: u64,
    undecided: u64,
    intervals: u64,
    by_interval_status: [u64; 3],
    by_interval_method: [u64; 5],
    intervals_violated: u64,
    intervals_undecided: u64,
    runs_violated: u64,
    pairs_contact: u64,
    pairs_contact_only: u64,
    by_rule: Vec<RuleTotals>,
    undecided_row: LeastUndecided,
    undecided_interval: LeastUndecided,
}

impl Totals {
    /// The counts of a rule.
    pub(super) fn rule(&mut self, rule: usize) -> &mut RuleTotals {
        if self.by_rule.len() <= rule {
            self.by_rule.resize(rule + 1, RuleTotals::default());
        }
        &mut self.by_rule[rule]
    }

    /// Returns the counts to be stored.
    pub(super) fn counted(&self) -> CountedRows {
        let Self { runs, samples, rows, by_status, by_method, violated, undecided, .. } = *self;
        let Self { intervals, by_interval_status, by_interval_method, .. } = *self;
        let Self { intervals_violated, intervals_undecided, runs_violated, .. } = *self;
        let BetweenTotals { pairs_contact, pairs_contact_only, .. } = self.between;
        CountedRows {
            open: self.open,
            intervals_open: self.intervals_open,
            runs,
            samples,
            rows,
            by_status,
            by_method,
            violated,
            undecided,
            intervals,
            by_interval_status,
            by_interval_method,
            intervals_violated,
            intervals_undecided,
            runs_violated,
            pairs_contact,
            pairs_contact_only,
            by_rule: self.by_rule.clone(),
            undecided_row: self.undecided_row,
            undecided_interval: self.undecided_interval,
        }
    }

    /// Adds what a later part of the job counted.
    pub(super) fn join(&mut self, later: &CountedRows) {
        let add = |own: &mut [u64], later: &[u64]| own.iter_mut().zip(later).for_each(|(own, later)| *own += later);
        self.runs += later.runs;
        self.samples += later.samples;
        self.rows += later.rows;
        add(&mut self.by_status, &later.by_status);
        add(&mut self.by_method, &later.by_method);
        self.violated += later.violated;
        self.open += later.open;
        self.undecided += later.undecided;
        self.intervals += later.intervals;
        add(&mut self.by_interval_status, &later.by_interval_status);
        add(&mut self.by_interval_method, &later.by_interval_method);
        self.intervals_violated += later.intervals_violated;
        self.intervals_open += later.intervals_open;
        self.intervals_undecided += later.intervals_undecided;
        self.runs_violated += later.runs_violated;
        self.between.pairs_contact += later.pairs_contact;
        self.between.pairs_contact_only += later.pairs_contact_only;
        later.undecided_row.0.into_iter().for_each(|row| self.undecided_row.add(row));
        later.undecided_interval.0.into_iter().for_each(|row| self.undecided_interval.add(row));
        for (rule, of) in later.by_rule.iter().enumerate() {
            self.rule(rule).join(of);
        }
    }

    /// Takes over what was stored.
    pub(super) fn restore(&mut self, counted: &CountedRows) {
        let CountedRows { runs, samples, rows, by_status, by_method, violated, undecided, .. } = *counted;
        (self.runs, self.samples, self.rows) = (runs, samples, rows);
        (self.by_status, self.by_method) = (by_status, by_method);
        (self.violated, self.undecided) = (violated, undecided);
        (self.by_interval_status, self.by_interval_method) = (counted.by_interval_status, counted.by_interval_method);
        (self.open, self.intervals_open) = (counted.open, counted.intervals_open);
        (self.intervals, self.runs_violated) = (counted.intervals, counted.runs_violated);
        (self.intervals_violated, self.intervals_undecided) = (counted.intervals_violated, counted.intervals_undecided);
        self.between.pairs_contact = counted.pairs_contact;
        self.between.pairs_contact_only = counted.pairs_contact_only;
        self.by_rule.clone_from(&counted.by_rule);
        (self.undecided_row, self.undecided_interval) = (counted.undecided_row, counted.undecided_interval);
    }
}

/// The row of smallest distance of an execution.
#[derive(Debug, Clone, PartialEq)]
pub struct Worst {
    /// Value that it is ranked by, metres: the distance, or the proven upper end of a depth that is
    /// a bracket.
    #[doc(hidden)]
    pub rank: f64,
    /// Distance, metres.
    pub distance_m: f64,
    /// Its proven bracket, metres; an end is NaN if it is not proven.
    #[doc(hidden)]
    pub bracket_m: [f64; 2],
    /// Its run.
    pub run: i64,
    /// Its frame.
    pub frame: i64,
    /// Name of body A.
    pub body_a: String,
    /// Name of body B.
    pub body_b: String,
}
