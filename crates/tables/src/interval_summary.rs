//! Summaries of intervals: statistics per pair of the run in progress, and the findings.

use super::interval_findings::{FindingsState, IntervalFindings};
use super::interval_stats::IntervalStat;
use super::output_dir::OutputDir;
use super::pair_stats::PairAccumulator;
use super::resume::checkpoint::FoundLists;
use super::resume::entries::StoredEntries;
use super::row::IntervalRow;
use super::sources::RunRow;
use super::totals::Totals;
use super::violations::Violations;
use clearsweep_base::error::Result;
use clearsweep_model::{BetweenFrames, FrameBlock, Scene};
use std::ops::Range;
use std::sync::Arc;

/// Counts the intervals of a job.
pub(super) struct IntervalSummary {
    /// Statistics per pair of the run in progress.
    pub(super) stats: PairAccumulator<IntervalStat>,
    pub(super) findings: IntervalFindings,
    /// Intervals of the call that are counted.
    counted: usize,
    /// Kept for its memory.
    entries: Vec<IntervalStat>,
}

impl IntervalSummary {
    /// Returns the summary of a job on this scene; `None` if the scene says nothing about
    /// intervals. `memory`: the bytes that statistics and violations may take each. `least_pairs`:
    /// pairs that stay in memory in any case.
    pub(super) fn new(scene: &Scene, memory: [u64; 2], least_pairs: usize, out: &Arc<OutputDir>) -> Option<Self> {
        let limit = usize::try_from(memory[0] / size_of::<IntervalStat>() as u64).unwrap_or(usize::MAX);
        (scene.motion.between != BetweenFrames::None).then(|| Self {
            stats: PairAccumulator::new(limit.max(least_pairs), Arc::clone(out)),
            findings: IntervalFindings::new(scene, Violations::within(memory[1], out)),
            counted: 0,
            entries: Vec::new(),
        })
    }

    /// Begins a call.
    pub(super) fn begin(&mut self) {
        self.counted = 0;
    }

    /// Whether an interval of the call that is not counted begins in one of these samples.
    pub(super) fn has_interval(&self, intervals: &[&IntervalRow], samples: Range<usize>) -> bool {
        let rest = &intervals[self.counted..];
        let at = rest.partition_point(|row| usize::from(row.interval.sample) < samples.start);
        rest.get(at).is_some_and(|row| usize::from(row.interval.sample) < samples.end)
    }

    /// Counts those intervals of the call that begin before sample `end` and are not counted yet,
    /// all of one run, and returns them.
    ///
    /// # Errors
    /// A spill file cannot be written; an interval ends in no sample of the run.
    pub(super) fn count<'r>(
        &mut self,
        intervals: &'r [&'r IntervalRow],
        end: usize,
        block: &FrameBlock,
        run: &mut RunRow,
        totals: &mut Totals,
    ) -> Result<&'r [&'r IntervalRow]> {
        let Self { stats, findings, counted, entries } = self;
        let rest = &intervals[*counted..];
        let here = &rest[..rest.partition_point(|row| usize::from(row.interval.sample) < end)];
        *counted += here.len();
        // The entries of one sample are sorted by pair.
        for of_sample in here.chunk_by(|one, next| one.interval.sample == next.interval.sample) {
            findings.count(&mut run.between, totals, of_sample, block, |entry| entries.push(entry))?;
            stats.extend(entries)?;
            entries.clear();
        }
        Ok(here)
    }

    /// The lists that belong to [`Self::state`], in their order.
    pub(super) fn lists(&mut self) -> [&mut dyn StoredEntries; 2] {
        [&mut self.stats, self.findings.list()]
    }

    /// Returns the state to be stored, without lists.
    pub(super) fn state(&self) -> FindingsState {
        self.findings.state()
    }

    /// Goes on from a state and the lists that belong to it.
    ///
    /// # Errors
    /// The disk failed.
    pub(super) fn restore(&mut self, state: FindingsState, lists: &mut FoundLists, out: &OutputDir) -> Result<()> {
        lists.read(out, &mut |entries| self.stats.extend(entries))?;
        self.findings.restore(state, lists, out)
    }

    /// Adds the state and the lists of a later part of the job, likewise. The entries belong to its
    /// last run.
    ///
    /// # Errors
    /// The disk failed.
    pub(super) fn append(
        &mut self,
        state: FindingsState,
        lists: &mut FoundLists,
        out: &OutputDir,
        offset: u64,
    ) -> Result<()> {
        lists.read(out, &mut |entries| self.stats.extend(entries))?;
        self.findings.append(state, lists, out, offset)
    }
}
