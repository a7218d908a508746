//! The worst findings, and all of them as CSV.

use super::finding::{AuditFinding, FindingKind, KindSummary};
use clearsweep_base::error::{Error, Result};
use clearsweep_base::text::marked;
use clearsweep_model::Scene;
use rustc_hash::FxHashSet;
use std::io::Write;

/// The worst findings of each kind, with the numbers of all.
pub(super) struct WorstFindings {
    top: usize,
    counts: [u64; 2],
    pairs: [FxHashSet<[u32; 2]>; 2],
    worst: [Vec<AuditFinding>; 2],
}

impl WorstFindings {
    /// Keeps `top` findings of each kind.
    pub(super) fn new(top: usize) -> Self {
        Self { top, counts: [0; 2], pairs: Default::default(), worst: Default::default() }
    }

    /// Takes a finding: deeper ones come first, and equal ones in the order in which they are
    /// added.
    pub(super) fn add(&mut self, finding: &AuditFinding) {
        let kind = finding.kind as usize;
        self.counts[kind] += 1;
        self.pairs[kind].insert(finding.bodies);
        let worst = &mut self.worst[kind];
        let at = worst.partition_point(|other| other.depth_m.0 >= finding.depth_m.0);
        if at < self.top {
            worst.insert(at, *finding);
            worst.truncate(self.top);
        }
    }

    /// The summary of each kind; `accepted`: what is no finding, as people decided.
    pub(super) fn finish(self, accepted: [u64; 2]) -> [KindSummary; 2] {
        let Self { counts, pairs, worst, .. } = self;
        let mut kinds = pairs.into_iter().zip(worst);
        FindingKind::ALL.map(|kind| {
            let (pairs, worst) = kinds.next().unwrap_or_default();
            let (count, accepted) = (counts[kind as usize], accepted[kind as usize]);
            KindSummary { count, pairs: pairs.len() as u64, accepted, worst }
        })
    }
}

/// Names of the columns of the list.
const COLUMNS: [&str; 13] = [
    "run",
    "kind",
    "body_a",
    "body_b",
    "frame",
    "frame_last",
    "time_s",
    "depth_lower_m",
    "depth_upper_m",
    "contact_lo",
    "contact_hi",
    "frame_of_depth",
    "time_of_depth_s",
];

/// Writes findings as CSV (RFC 4180): numbers as the shortest text that reads back as the same
/// number, nulls as empty cells.
pub struct AuditCsv<'s, W: Write> {
    writer: csv::Writer<W>,
    scene: &'s Scene,
}

impl<'s, W: Write> AuditCsv<'s, W> {
    /// Writes the names of the columns. `scene`: what the bodies are named after.
    ///
    /// # Errors
    /// The output cannot be written.
    pub fn new(out: W, scene: &'s Scene) -> Result<Self> {
        let writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(out);
        let mut list = Self { writer, scene };
        list.record(&COLUMNS)?;
        Ok(list)
    }

    /// Writes a finding.
    ///
    /// # Errors
    /// The output cannot be written.
    pub fn add(&mut self, finding: &AuditFinding) -> Result<()> {
        let AuditFinding { kind, run, bodies, frames, times_s, deepest, depth_m, contact } = finding;
        let number = |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:?}"));
        let name = |body: u32| marked(&self.scene.bodies[body as usize].name).into_owned();
        let cells = [
            run.to_string(),
            kind.name().to_owned(),
            name(bodies[0]),
            name(bodies[1]),
            frames[0].to_string(),
            frames[1].to_string(),
            number(times_s[0]),
            number(Some(depth_m.0)),
            number(depth_m.1),
            number(contact.map(|contact| contact[0])),
            number(contact.map(|contact| contact[1])),
            deepest.map_or_else(String::new, |(frame, _)| frame.to_string()),
            number(deepest.and_then(|(_, time)| time)),
        ];
        self.record(&cells)
    }

    /// Writes what is buffered.
    ///
    /// # Errors
    /// The output cannot be written.
    pub fn finish(mut self) -> Result<()> {
        self.writer.flush().map_err(|error| unwritable(&error))
    }

    fn record<T: AsRef<[u8]>>(&mut self, cells: &[T]) -> Result<()> {
        self.writer.write_record(cells).map_err(|error| match error.into_kind() {
            csv::ErrorKind::Io(error) => unwritable(&error),
            kind => Error::internal("CSV", format!("{kind:?}")),
        })
    }
}

fn unwritable(error: &std::io::Error) -> Error {
    Error::output("the list", format!("cannot be written ({error})"), "check the disk and where the list goes")
}
