//! Counts over a whole execution.

use super::violations::{ViolatingPair, Violations};
use crate::error::Result;
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
    pub by_method: [u64; 6],
    /// Rows of `pairs`.
    pub pairs: u64,
    /// Pairs of bodies that could be near in the first run (the only run with static pairs), ignored pairs included.
    pub pairs_possible: u64,
    /// The part of `pairs_possible` that the rules of the scene ignore.
    pub pairs_ignored: u64,
    /// Rows with `upper_m < require`.
    pub violated: u64,
    /// Runs with at least one such row.
    pub runs_violated: u64,
    /// Pairs of bodies with at least one such row, over all runs.
    pub pairs_violated: u64,
    /// The worst of these pairs, smallest distance first; at most ten.
    pub(crate) violating_pairs: Vec<ViolatingPair>,
    /// Rows with `lower_m < require <= upper_m`.
    pub undecided: u64,
    /// The row of smallest distance; `None` without rows.
    pub worst: Option<Worst>,
    /// Bytes of all tables, the manifest excluded.
    pub bytes: u64,
}

/// What is counted row by row, as it is stored: the rest is known at the end.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct CountedRows {
    runs: u64,
    samples: u64,
    pub(super) rows: u64,
    by_status: [u64; 4],
    by_method: [u64; 6],
    violated: u64,
    undecided: u64,
}

impl Totals {
    /// What is to be stored.
    pub(super) fn counted(&self) -> CountedRows {
        let Self { runs, samples, rows, by_status, by_method, violated, undecided, .. } = *self;
        CountedRows { runs, samples, rows, by_status, by_method, violated, undecided }
    }

    /// Takes over what was stored.
    pub(super) fn restore(&mut self, counted: &CountedRows) {
        let CountedRows { runs, samples, rows, by_status, by_method, violated, undecided } = *counted;
        (self.runs, self.samples, self.rows) = (runs, samples, rows);
        (self.by_status, self.by_method) = (by_status, by_method);
        (self.violated, self.undecided) = (violated, undecided);
    }

    /// Takes what was collected of violating rows. `names`: of the bodies.
    ///
    /// # Errors
    /// What was spilled cannot be read.
    pub(super) fn add_violations(&mut self, violations: Violations, names: &[String]) -> Result<()> {
        (self.runs_violated, self.pairs_violated, self.violating_pairs) = violations.finish(names)?;
        Ok(())
    }
}

/// The row of smallest distance of an execution.
#[derive(Debug, Clone, PartialEq)]
pub struct Worst {
    /// Distance, metres.
    pub distance_m: f64,
    /// Its run.
    pub run: i64,
    /// Its frame.
    pub frame: i64,
    /// Name of body A.
    pub body_a: String,
    /// Name of body B.
    pub body_b: String,
}
