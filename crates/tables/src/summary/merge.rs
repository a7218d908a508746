//! Summaries of a job whose input was divided among shards: what each accumulated, put together.
//!
//! A shard stores what it has at its end, before its last run is finished. The merge goes on with
//! that run, or finishes it, as the writer of the whole job does at its next sample.

use super::{AccumulatedState, RunState, SummaryWriter};
use crate::motion_bound::StoredPoses;
use crate::output_dir::OutputDir;
use crate::resume::checkpoint::FoundLists;
use crate::stored_rows::StoredRows;
use clearsweep_base::error::{Error, Result};
use clearsweep_records::{Pair, Run, StoredRecord};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The summaries of a shard at its end, without lists.
#[derive(Serialize, Deserialize)]
pub(crate) struct ShardSummary {
    /// Rows of `pairs` and of `runs` before its last run.
    pairs: u64,
    runs: u64,
    /// Its first run.
    first_run: Option<i64>,
    /// The first poses in its last run.
    first_poses: StoredPoses,
    accumulated: AccumulatedState,
}

impl ShardSummary {
    /// Samples of the shard.
    pub(crate) fn samples(&self) -> u64 {
        self.accumulated.counted.samples
    }
}

impl SummaryWriter {
    /// Returns the state at the end of a shard, for the merge; its lists are those of
    /// [`Self::lists`].
    ///
    /// # Errors
    /// The disk failed.
    pub(crate) fn of_shard(&mut self, first_run: Option<i64>) -> Result<ShardSummary> {
        self.begin_segments(self.segments.len())?;
        Ok(ShardSummary {
            first_run,
            pairs: self.pairs.rows(),
            runs: self.runs.rows(),
            first_poses: self.motion.first_poses(),
            accumulated: self.accumulated(),
        })
    }

    /// Goes on with a shard. `dir`: its tables; `offset`: samples before it.
    ///
    /// # Errors
    /// The disk failed, or the tables of the shard cannot be read.
    pub(crate) fn append(
        &mut self,
        ShardSummary { pairs, runs, first_run, first_poses, accumulated }: ShardSummary,
        lists: &mut FoundLists,
        (dir, out): (&Path, &OutputDir),
        offset: u64,
    ) -> Result<()> {
        let AccumulatedState { run, last_run, motion, counted, notable, worst, between } = accumulated;
        let Some(later) = run.map(|(row, steps)| RunState { row, steps }) else { return Ok(()) };
        let goes_on = self.run.as_ref().is_some_and(|own| Some(own.row.run) == first_run);
        if goes_on && runs > 0 {
            let problem = "goes on with the run of the shard before it, and has further ones";
            return Err(Error::input(dir.display(), problem, "remove it, and run the shard again"));
        }
        if !goes_on {
            self.finish_run()?;
        }
        self.totals.join(&counted);
        self.totals.runs -= u64::from(goes_on);
        self.pairs.append(StoredRows::open(dir, <Pair>::TABLE)?, pairs)?;
        self.runs.append(StoredRows::open(dir, <Run>::TABLE)?, runs)?;
        self.worst.join(worst);
        match &mut self.run {
            Some(run) if goes_on => {
                let across = self.motion.go_on(&first_poses, &motion);
                run.row.join(&later.row);
                let steps = run.steps.iter_mut().zip(later.steps.iter().zip(&across));
                steps.for_each(|(largest, (later, across))| *largest = largest.max(*later).max(*across));
            }
            own => {
                *own = Some(later);
                self.motion.restore(&motion);
            }
        }
        self.last_run = last_run.or(self.last_run);
        lists.read(out, &mut |entries| self.stats.extend(entries))?;
        self.notable.append(notable, lists, out, offset)?;
        if let (Some(own), Some(state)) = (&mut self.between, between) {
            own.append(state, lists, out, offset)?;
        }
        self.events.as_mut().map_or(Ok(()), |events| events.append(lists, out, offset))
    }
}
