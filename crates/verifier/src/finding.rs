//! What came of looking at a statement again.

use clearsweep_records::{Code, Recheck, RecheckOutcome, RecheckTable, RecheckWhat};
use std::collections::BTreeMap;

/// The rows that a statement is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Place {
    /// Run.
    pub run: Option<i64>,
    /// Frame; of an interval, the frame before it.
    pub frame: Option<i64>,
    /// Indices of the bodies.
    pub pair: Option<[u32; 2]>,
}

/// A statement of a result that was looked at again.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The table that makes it.
    pub table: RecheckTable,
    /// The statement.
    pub what: RecheckWhat,
    /// How far it is proven.
    pub outcome: RecheckOutcome,
    /// The row.
    pub place: Place,
    /// Both ends of the verifier's bracket, metres; NaN where it has none.
    pub proven: [f64; 2],
    /// Both ends of the bracket that the row states, metres; NaN where it has none.
    pub stated: [f64; 2],
    /// What is wrong, or why no more is proven.
    pub why: Option<String>,
}

impl Finding {
    /// A statement without a bracket.
    pub fn new(table: RecheckTable, what: RecheckWhat, outcome: RecheckOutcome, place: Place) -> Self {
        Self { table, what, outcome, place, proven: [f64::NAN; 2], stated: [f64::NAN; 2], why: None }
    }

    /// The same, with a reason.
    pub fn because(self, why: impl Into<String>) -> Self {
        Self { why: Some(why.into()), ..self }
    }

    /// The row of `recheck.parquet`.
    pub fn record(&self) -> Recheck<Code> {
        let body = |k: usize| self.place.pair.map(|pair| Code(pair[k] as i32));
        let end = |k: usize| Some(self.proven[k]).filter(|end| end.is_finite());
        Recheck {
            table: self.table,
            run: self.place.run,
            frame: self.place.frame,
            a: body(0),
            b: body(1),
            what: self.what,
            outcome: self.outcome,
            lower_m: end(0),
            upper_m: end(1),
        }
    }
}

/// Numbers of statements by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// By discriminant of the outcome.
    pub by_outcome: [u64; 4],
}

impl Counts {
    /// Statements that are proven again.
    pub fn of(&self, outcome: RecheckOutcome) -> u64 {
        self.by_outcome[outcome as usize]
    }

    /// Statements that were looked at.
    pub fn looked_at(&self) -> u64 {
        self.by_outcome[..3].iter().sum()
    }
}

/// What came of all statements.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// By table and statement.
    pub counts: BTreeMap<(RecheckTable, RecheckWhat), Counts>,
    /// Wrong statements, the first ones.
    pub wrong: Vec<Finding>,
    /// Reasons why statements are no more than bounded, or were not looked at, with their number.
    pub reasons: BTreeMap<(RecheckTable, RecheckWhat, RecheckOutcome, String), u64>,
}

impl Tally {
    /// Wrong statements that are kept in full.
    pub const MOST_WRONG: usize = 100;

    /// Counts a finding.
    pub fn add(&mut self, finding: &Finding) {
        let counts = self.counts.entry((finding.table, finding.what)).or_default();
        counts.by_outcome[finding.outcome as usize] += 1;
        match finding.outcome {
            RecheckOutcome::Wrong if self.wrong.len() < Self::MOST_WRONG => self.wrong.push(finding.clone()),
            RecheckOutcome::Bounded | RecheckOutcome::NotLookedAt => {
                let why = finding.why.clone().unwrap_or_default();
                *self.reasons.entry((finding.table, finding.what, finding.outcome, why)).or_default() += 1;
            }
            _ => {}
        }
    }

    /// Number of statements with an outcome.
    pub fn all(&self, outcome: RecheckOutcome) -> u64 {
        self.counts.values().map(|counts| counts.of(outcome)).sum()
    }
}
