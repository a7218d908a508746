//! Audit of a recorded motion: contacts between frames that no frame shows, and overlaps deeper
//! than is allowed.
//!
//! Both tables, `distances` and `intervals`, are read once, side by side, frame by frame. Memory
//! holds the rows of one frame, the stretches that are open, and the worst findings.

mod finding;
mod frames;
mod list;

use self::frames::{Decisions, FrameJoin, FrameRows, Seen};
use self::list::WorstFindings;
use clearsweep_base::error::Result;
use clearsweep_model::Scene;
use clearsweep_records::{DistanceBracket, IntervalContact, Table};
use std::path::Path;

pub use finding::{AuditFinding, FindingKind, KindSummary};
pub use list::AuditCsv;

/// Terms of an audit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AuditTerms {
    /// Depth that an overlap may have, metres; `touch` of the scene if that is more.
    pub allow: f64,
    /// Findings of each kind that are kept, worst first.
    pub top: usize,
}

/// Outcome of an audit.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditSummary {
    /// Tunnels and overlaps.
    pub kinds: [KindSummary; 2],
    /// Depth beyond which an overlap is a finding, metres.
    pub limit_m: f64,
    /// Rows of `distances`.
    pub rows: u64,
    /// Rows of `intervals`.
    pub intervals: u64,
    /// Intervals between two frames that show the bodies apart, of which neither contact nor
    /// clearance is proven.
    pub intervals_undecided: u64,
    /// Those of them whose motion is not defined (half turns), or that reached the work limit.
    pub intervals_limited: u64,
    /// Samples without a proven bracket.
    pub rows_uncertified: u64,
    /// Samples whose bracket holds the depth that is allowed.
    pub rows_undecided: u64,
}

impl AuditSummary {
    /// Whether there is a finding.
    pub fn is_found(&self) -> bool {
        self.kinds.iter().any(|kind| kind.count > 0)
    }

    /// Whether an interval or a sample has no answer.
    pub fn is_undecided(&self) -> bool {
        self.intervals_undecided + self.rows_uncertified > 0
    }
}

/// Audits the tables of a finished execution of `scene` in `dir`, and hands each finding to `each`:
/// ordered by run, then by the frame at which it is known, then by bodies.
///
/// # Errors
/// A table is missing (`intervals`: the execution says nothing about the motion between frames),
/// clearsweep did not write it, or `each` fails.
pub fn audit(
    dir: &Path,
    scene: &Scene,
    terms: &AuditTerms,
    each: &mut dyn FnMut(&AuditFinding) -> Result<()>,
) -> Result<AuditSummary> {
    let mut distances = FrameRows::new(Table::<DistanceBracket>::open(dir)?);
    let mut intervals = FrameRows::new(Table::<IntervalContact>::open(dir)?);
    let mut join = FrameJoin::new(scene.query.touch, terms.allow, Decisions::of(scene));
    let mut worst = WorstFindings::new(terms.top);
    let mut tell = |finding: &AuditFinding| {
        worst.add(finding);
        each(finding)
    };
    let (mut of_frame, mut between) = (Vec::new(), Vec::new());
    loop {
        let next = [distances.key()?, intervals.key()?].into_iter().flatten().min();
        let Some(key) = next else { break };
        distances.take(key, &mut of_frame)?;
        intervals.take(key, &mut between)?;
        join.frame(key, &of_frame, &between, &mut tell)?;
    }
    join.end(&mut tell)?;
    let Seen { rows, intervals, accepted, intervals_undecided, intervals_limited, rows_uncertified, rows_undecided } =
        join.seen();
    Ok(AuditSummary {
        kinds: worst.finish(accepted),
        limit_m: join.limit(),
        rows,
        intervals,
        intervals_undecided,
        intervals_limited,
        rows_uncertified,
        rows_undecided,
    })
}
