//! The loop: broad and narrow phase of a batch of blocks, beside the encoding of the batch before.
//! The reader decodes the next blocks on a thread of its own.

use super::block_search::{BatchPairs, BlockSearch, PendingSlice};
use super::check::TrajectoryWatch;
use super::progress::{Advance, Progress};
use super::timings::timed;
use clearsweep_base::error::Result;
use clearsweep_model::FrameBlock;
use clearsweep_tables::{BatchMaker, RowBlock, RowCounter, RowSink, SortedRows};
use clearsweep_trajectory::{BlockPool, Trajectory};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Destination of rows.
pub(super) struct RowOutput<'a> {
    pub(super) sink: &'a mut dyn RowSink,
    /// Counts the rows, unless the sink does.
    pub(super) counter: Option<RowCounter>,
    pub(super) maker: &'a BatchMaker,
}

/// Blocks as they come from the thread that reads.
pub(super) struct PipelineInput {
    blocks: Box<dyn Iterator<Item = Result<FrameBlock>> + Send>,
    read: Arc<AtomicU64>,
    block_pool: BlockPool,
}

impl PipelineInput {
    /// Begins to read. `followed`: each block also holds the sample that follows it.
    pub(super) fn start(trajectory: Trajectory, followed: bool) -> Self {
        let (read, block_pool) = (trajectory.progress(), trajectory.block_pool());
        let blocks = if followed { trajectory.followed_blocks() } else { trajectory.blocks() };
        Self { blocks, read, block_pool }
    }
}

/// Drives all blocks through the stages, inside the current pool.
///
/// # Errors
/// The first error of reading or writing, or that the job is cancelled.
pub(super) fn drive(
    search: &mut BlockSearch<'_>,
    input: &mut PipelineInput,
    output: &mut RowOutput<'_>,
    watch: &mut TrajectoryWatch<'_>,
    progress: &dyn Progress,
) -> Result<()> {
    let block_pool = &input.block_pool;
    let mut waiting = Waiting { output, block_pool, pending: Vec::new(), spent: Duration::ZERO };
    let mut batches =
        ReadBatches { blocks: &mut input.blocks, read: &input.read, block_pool, advance: Advance::default() };
    let mut next = batches.next(search, watch, progress, &mut *waiting.output.sink)?;
    while let Some(batch) = next.take() {
        // A device searches the next batch beside the narrow phase of this one.
        let is_beside = search.memories[0].broad.works_beside();
        if is_beside {
            next = batches.next(search, watch, progress, &mut *waiting.output.sink)?;
        }
        // The warnings of a check are collected beside the work.
        let look = || batch.iter().for_each(|block| watch.look(block));
        let (rows, ()) = rayon::join(|| one_batch(search, &batch, &mut waiting), look);
        batches.advance.rows += rows?;
        progress.advance(&batches.advance);
        search.try_device(&batch, batches.advance.read);
        drop(batch);
        if !is_beside {
            next = batches.next(search, watch, progress, &mut *waiting.output.sink)?;
        }
    }
    search.cancel.check()?;
    waiting.write()?;
    search.timings.write += waiting.spent;
    Ok(())
}

/// The blocks as they are read, in batches.
struct ReadBatches<'a> {
    blocks: &'a mut (dyn Iterator<Item = Result<FrameBlock>> + Send),
    read: &'a AtomicU64,
    block_pool: &'a BlockPool,
    advance: Advance,
}

impl ReadBatches<'_> {
    /// Returns the next batch to search, whose search begins if it can beside other work; `None`
    /// after the last one.
    fn next(
        &mut self,
        search: &mut BlockSearch<'_>,
        watch: &mut TrajectoryWatch<'_>,
        progress: &dyn Progress,
        sink: &mut dyn RowSink,
    ) -> Result<Option<Vec<Arc<FrameBlock>>>> {
        loop {
            search.cancel.check()?;
            let blocks = &mut *self.blocks;
            let next = timed(&mut search.timings.read, || blocks.take(search.batch).collect::<Result<Vec<_>>>());
            let mut batch: Vec<Arc<FrameBlock>> = next?.into_iter().map(Arc::new).collect();
            if batch.is_empty() {
                return Ok(None);
            }
            search.note(&batch);
            if search.scene.joints.is_some() {
                batch.iter().try_for_each(|block| sink.samples(block))?;
            }
            self.advance.samples += batch.iter().map(|block| block.samples.len() as u64).sum::<u64>();
            self.advance.read = self.read.load(Ordering::Relaxed) as f64 / 1000.0;
            // The tables may hold the rows of the first blocks, from an execution that was killed.
            let has_rows = batch.iter().take_while(|block| block.index < search.from).count();
            for block in batch.drain(..has_rows) {
                watch.look(&block);
                search.counts.resumed_samples += block.samples.len() as u64;
                Arc::into_inner(block).into_iter().for_each(|block| self.block_pool.give(block));
            }
            if !batch.is_empty() {
                search.begin(&batch);
                return Ok(Some(batch));
            }
            progress.advance(&self.advance);
        }
    }
}

/// Computes a batch: its first portion, with the search for candidates, then the further ones, each
/// beside the encoding of the portion before. Returns the number of rows.
fn one_batch(search: &mut BlockSearch<'_>, batch: &[Arc<FrameBlock>], waiting: &mut Waiting<'_, '_>) -> Result<u64> {
    let mut pairs = None;
    let mut rows = 0;
    loop {
        let compute = || {
            let pairs = pairs.get_or_insert_with(|| search.candidates(batch));
            search.portion(pairs).map(|portion| search.rows(portion))
        };
        let (computed, written) = rayon::join(compute, || waiting.write());
        written?;
        search.cancel.check()?;
        let Some(pending) = computed else { return Ok(rows) };
        rows += pending.iter().map(|slice| slice.rows.len() as u64).sum::<u64>();
        waiting.pending = pending;
        if pairs.as_ref().is_none_or(BatchPairs::is_done) {
            return Ok(rows); // it is written beside the next batch
        }
    }
}

/// The sink, and the slices that wait for it.
struct Waiting<'a, 'o> {
    output: &'a mut RowOutput<'o>,
    block_pool: &'a BlockPool,
    pending: Vec<PendingSlice>,
    spent: Duration,
}

impl Waiting<'_, '_> {
    /// Hands the slices that wait to the sink.
    fn write(&mut self) -> Result<()> {
        let pending = std::mem::take(&mut self.pending);
        timed(&mut self.spent, || {
            let write = |PendingSlice { block, candidates, rows }: PendingSlice| {
                let RowOutput { sink, counter, maker } = &mut *self.output;
                let sorted = rows.sorted();
                let intervals = rows.sorted_intervals();
                let contacts = rows.sorted_contacts();
                let sorted = SortedRows { rows: &sorted, intervals: &intervals, contacts: &contacts };
                let rows = RowBlock::new(&block, &candidates, sorted, maker);
                if let Some(counter) = counter {
                    counter.add(&rows)?;
                }
                sink.rows(&rows)?;
                if let Some(block) = Arc::into_inner(block) {
                    self.block_pool.give(block);
                }
                Ok(())
            };
            pending.into_iter().try_for_each(write)
        })
    }
}
