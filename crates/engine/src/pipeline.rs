//! The loop: broad and narrow phase of a batch of blocks beside the encoding of the one before; the reader decodes
//! the next ones on a thread of its own.
//!
//! If many bodies move, a batch is one block and its pairs are shared among the threads. If few do, a block is too little work to share: a
//! batch is many blocks, and each thread goes through a stretch of them on its own. A device searches as many blocks at a time as fit.

use super::block_candidates::BlockCandidates;
use super::caches::Caches;
use super::cancel::CancelToken;
use super::check::TrajectoryWatch;
use super::coverage::Coverage;
use super::device_trial::{DeviceTrial, FoundDevice, SearchedBatch};
use super::narrowing::{SliceResult, narrow, narrow_alone};
use super::progress::{Advance, Progress};
use super::slice_rows::SliceRows;
use super::slices::{Portions, WorkUnit};
use super::static_stage::StaticStage;
use super::timings::{Timings, timed};
use clearsweep_base::error::Result;
use clearsweep_broad::{BroadPhase, BroadScene};
use clearsweep_model::{BetweenFrames, Candidate, FrameBlock, SampleColumn, Scene, block::COMPONENTS};
use clearsweep_narrow::{NarrowPhase, SolverStats};
use clearsweep_records::manifest::Adapter;
use clearsweep_tables::{BatchMaker, RowBlock, RowCounter, RowSink, SortedRows};
use clearsweep_trajectory::{BlockPool, Inputs, Trajectory};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Up to so many dynamic bodies blocks are batched. Beyond, the pairs of one block keep the threads busy.
pub(super) const FEW_BODIES: usize = 64;
/// Bytes of the blocks of a batch, unless a fraction of the memory that may be taken is less.
const BATCH_BYTES: u64 = 8 << 20;
/// Most blocks of a batch.
const BATCH_BLOCKS: u64 = 128;
/// Division of a batch among threads: at the start of a stretch nothing is remembered of the pairs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stretches {
    /// Fewest blocks of a stretch.
    least: usize,
    /// Stretches for each thread, so that one which takes longer does not hold up the rest.
    a_thread: usize,
}

impl Stretches {
    /// A row of meshes costs a thousand times what is lost without a memory.
    const OF_MESHES: Self = Self { least: 1, a_thread: 8 };
    const OF_OTHERS: Self = Self { least: 4, a_thread: 2 };

    /// Those of a scene.
    pub(super) fn of(scene: &Scene) -> Self {
        let has_meshes = scene.bodies.iter().any(|body| body.shape.mesh.is_some());
        if has_meshes { Self::OF_MESHES } else { Self::OF_OTHERS }
    }

    /// Their number, at most.
    pub(super) fn count(self, threads: usize) -> usize {
        self.a_thread * threads
    }

    /// Blocks of a stretch, where so many are left to so many memories.
    fn size(self, blocks: usize, memories: usize) -> usize {
        blocks.div_ceil(memories.max(1)).max(self.least)
    }
}

/// Blocks that are searched and queried at once, for so many dynamic bodies, in so much memory. A device is given as many as
/// fit, however many bodies there are: it takes as long for a small search as for a larger one.
pub(super) fn batch_blocks(bodies: usize, memory: u64, on_device: bool) -> usize {
    if bodies > FEW_BODIES && !on_device {
        return 1;
    }
    let bytes = (bodies.max(1) * COMPONENTS * size_of::<SampleColumn>()) as u64;
    ((memory / 16).min(BATCH_BYTES) / bytes).clamp(1, BATCH_BLOCKS) as usize
}

/// State kept from block to block: that of the broad phase, and that of the pairs.
pub(super) struct SearchMemory {
    pub(super) broad: Box<dyn BroadPhase>,
    pub(super) caches: Caches,
}

/// Searching and querying: all that one block after the other goes through, in order.
pub(super) struct BlockSearch<'a> {
    pub(super) scene: &'a Scene,
    pub(super) boxes: BroadScene,
    pub(super) narrow: Box<dyn NarrowPhase>,
    /// One for each stretch of a batch; at least one.
    pub(super) memories: Vec<SearchMemory>,
    pub(super) stretches: Stretches,
    /// Whether the narrow phase has seen the shapes of a first batch.
    pub(super) prepared: bool,
    /// Blocks of a batch.
    pub(super) batch: usize,
    /// Index of the first block that is searched.
    pub(super) from: u64,
    /// Samples before it.
    pub(super) resumed_samples: u64,
    /// Most rows of a portion.
    pub(super) rows_limit: usize,
    pub(super) stats: SolverStats,
    pub(super) timings: Timings,
    /// Set bits of all candidates.
    pub(super) candidate_samples: u64,
    /// Candidates of all blocks.
    pub(super) candidates: u64,
    /// Set bits of all candidates of intervals.
    pub(super) candidate_intervals: u64,
    /// Intervals between neighbouring samples of a run that are not looked at, as their frames are too far apart; of samples, not
    /// of pairs.
    pub(super) intervals_skipped: u64,
    /// Asked before each block. Once it is set, what was found is no longer whole, and nothing of it is written.
    pub(super) cancel: &'a CancelToken,
    pub(super) coverage: Coverage,
    /// The choice of the device, if it is left to the engine.
    pub(super) trial: DeviceTrial,
    /// Candidates of the batch that was searched last, if the trial compares them.
    pub(super) compared: Vec<Vec<Candidate>>,
    /// Time of all searches before it.
    pub(super) searched: Duration,
    /// The adapter of the device that was faster in the trial.
    pub(super) chosen: Option<Adapter>,
}

/// Destination of rows.
pub(super) struct RowOutput<'a> {
    pub(super) sink: &'a mut dyn RowSink,
    /// Counts the rows, unless the sink does.
    pub(super) counter: Option<RowCounter>,
    pub(super) maker: &'a BatchMaker,
}

/// A slice that waits to be written while the next ones are computed.
struct Pending {
    block: Arc<FrameBlock>,
    candidates: Vec<Candidate>,
    rows: SliceRows,
}

/// The input, as it comes from its thread.
pub(super) struct PipelineInput {
    blocks: Box<dyn Iterator<Item = Result<FrameBlock>> + Send>,
    read: Arc<AtomicU64>,
    block_pool: BlockPool,
    pub(super) files: Inputs,
}

impl PipelineInput {
    /// Begins to read. `followed`: blocks are to know the sample that follows them.
    pub(super) fn start(trajectory: Trajectory, followed: bool) -> Self {
        let (read, block_pool, files) = (trajectory.progress(), trajectory.block_pool(), trajectory.inputs.clone());
        let blocks = if followed { trajectory.followed_blocks() } else { trajectory.blocks() };
        Self { blocks, read, block_pool, files }
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
    let mut waiting = Waiting { output, block_pool, pending: Vec::new(), spent: std::time::Duration::ZERO };
    let mut batches =
        ReadBatches { blocks: &mut input.blocks, read: &input.read, block_pool, advance: Advance::default() };
    let mut next = batches.next(search, watch, progress, &mut *waiting.output.sink)?;
    while let Some(batch) = next.take() {
        // A device searches the next batch beside the narrow phase of this one.
        let is_beside = search.memories[0].broad.works_beside();
        if is_beside {
            next = batches.next(search, watch, progress, &mut *waiting.output.sink)?;
        }
        // What looks wrong is noticed beside the work.
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
    /// The next batch that is to be searched, whose search begins if it can beside other work; `None` after the last one.
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
            batch.iter().for_each(|block| search.coverage.look(search.scene, block));
            if search.scene.joints.is_some() {
                batch.iter().try_for_each(|block| sink.samples(block))?;
            }
            search.count_skipped(&batch);
            self.advance.samples += batch.iter().map(|block| block.samples.len() as u64).sum::<u64>();
            self.advance.read = self.read.load(Ordering::Relaxed) as f64 / 1000.0;
            // The rows of the first blocks may be there from an execution that was killed.
            let has_rows = batch.iter().take_while(|block| block.index < search.from).count();
            for block in batch.drain(..has_rows) {
                watch.look(&block);
                search.resumed_samples += block.samples.len() as u64;
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

/// One batch: its first portion (with the search for candidates) and then each further one, always beside the encoding
/// of the portion before. Returns its rows.
fn one_batch(search: &mut BlockSearch<'_>, batch: &[Arc<FrameBlock>], waiting: &mut Waiting<'_, '_>) -> Result<u64> {
    let mut found = None;
    let mut rows = 0;
    loop {
        let compute = || {
            let found = found.get_or_insert_with(|| search.candidates(batch));
            search.portion(found).map(|portion| search.rows(portion))
        };
        let (computed, written) = rayon::join(compute, || waiting.write());
        written?;
        search.cancel.check()?;
        let Some(pending) = computed else { return Ok(rows) };
        rows += pending.iter().map(|slice| slice.rows.len() as u64).sum::<u64>();
        waiting.pending = pending;
        if found.as_ref().is_none_or(FoundPairs::is_done) {
            return Ok(rows); // it is written beside the next batch
        }
    }
}

/// The candidates of the samples of a block, and those of its intervals.
type FoundCandidates = (Vec<Candidate>, Vec<Candidate>);

/// The pairs that a batch is to be asked about.
struct FoundPairs {
    /// Pairs of static bodies that are too many to be listed together, with whatever else belongs between their rows.
    fixed: Option<StaticStage>,
    /// All others.
    portions: Portions<Arc<FrameBlock>>,
}

impl FoundPairs {
    /// Whether there is no further portion.
    fn is_done(&self) -> bool {
        self.fixed.is_none() && self.portions.is_done()
    }
}

/// Shows the shapes of candidates to the narrow phase, on all threads. Later ones are seen when they are asked.
fn prepare(scene: &Scene, narrow: &dyn NarrowPhase, found: &[BlockCandidates]) {
    let mut asked = vec![false; scene.bodies.len()];
    for candidate in found.iter().flat_map(|pairs| &pairs.candidates) {
        for body in [candidate.a, candidate.b] {
            asked[body as usize] = true;
        }
    }
    scene.bodies.par_iter().zip(asked).filter(|(_, asked)| *asked).for_each(|(body, _)| narrow.prepare(&body.shape));
}

impl BlockSearch<'_> {
    /// Begins to search a batch, if the broad phase can do that beside other work.
    fn begin(&mut self, batch: &[Arc<FrameBlock>]) {
        let Self { scene, boxes, memories, timings, .. } = self;
        let blocks: Vec<&FrameBlock> = batch.iter().map(Arc::as_ref).collect();
        timed(&mut timings.broad, || memories[0].broad.begin(boxes, scene, &blocks));
    }

    /// Lets the device that is in its trial see a batch that was searched, and takes it if it is faster.
    fn try_device(&mut self, blocks: &[Arc<FrameBlock>], read: f64) {
        let (candidates, spent) = (std::mem::take(&mut self.compared), self.timings.broad);
        let searched = SearchedBatch { blocks, candidates, spent: [spent - self.searched, spent], read };
        self.searched = spent;
        if let Some(FoundDevice { broad, adapter }) = self.trial.after(searched, &self.boxes, self.scene) {
            self.memories[0].broad = broad;
            self.batch = self.trial.batch();
            self.chosen = Some(adapter);
        }
    }

    /// The candidates of the blocks of a batch, in portions that fit into memory.
    fn candidates(&mut self, batch: &[Arc<FrameBlock>]) -> FoundPairs {
        let Self { scene, boxes, memories, stretches: of, timings, cancel, .. } = self;
        let is_asked = scene.motion.between != BetweenFrames::None;
        let intervals = |memory: &mut SearchMemory, block: &FrameBlock| match is_asked && !cancel.is_cancelled() {
            true => memory.broad.interval_candidates(boxes, scene, block),
            false => Vec::new(),
        };
        let search = |memory: &mut SearchMemory, block: &FrameBlock| match cancel.is_cancelled() {
            true => FoundCandidates::default(),
            false => (memory.broad.candidates(boxes, scene, block), intervals(memory, block)),
        };
        let found: Vec<FoundCandidates> = timed(&mut timings.broad, || match batch {
            _ if memories[0].broad.works_beside() => {
                let blocks: Vec<&FrameBlock> = batch.iter().map(Arc::as_ref).collect();
                let samples = memories[0].broad.finish(boxes, scene, &blocks);
                samples.into_iter().zip(blocks).map(|(own, block)| (own, intervals(&mut memories[0], block))).collect()
            }
            [one] => vec![search(&mut memories[0], one)],
            _ => {
                let stretches = batch.par_chunks(of.size(batch.len(), memories.len()));
                let found = memories.par_iter_mut().zip(stretches).flat_map_iter(|(memory, blocks)| {
                    blocks.iter().map(|block| search(memory, block)).collect::<Vec<_>>()
                });
                found.collect()
            }
        });
        if self.trial.wants_candidates() {
            self.compared = found.iter().map(|(samples, _)| samples.clone()).collect();
        }
        self.count(found.iter().flat_map(|(samples, _)| samples));
        let bits = found.iter().flat_map(|(_, intervals)| intervals).map(|c| u64::from(c.samples.count_ones()));
        self.candidate_intervals += bits.sum::<u64>();
        let join = |(samples, intervals): FoundCandidates| BlockCandidates::new(samples, &intervals);
        let mut found: Vec<BlockCandidates> = found.into_iter().map(join).collect();
        let fixed = self.static_pairs(batch, &mut found);
        if !self.prepared && found.iter().any(|pairs| !pairs.is_empty()) {
            prepare(self.scene, self.narrow.as_ref(), &found);
            self.prepared = true;
        }
        FoundPairs { fixed, portions: Portions::new(batch.iter().cloned().zip(found), self.rows_limit) }
    }

    /// Adds the pairs of static bodies to what was found of a batch: they belong to its first sample, if it is the first
    /// of the job. Where they are too many, they are a stage of their own, and what was found of that sample goes there.
    fn static_pairs(&mut self, batch: &[Arc<FrameBlock>], found: &mut [BlockCandidates]) -> Option<StaticStage> {
        let ([block, ..], [first, ..]) = (batch, found) else { return None };
        if block.index != 0 || block.samples.is_empty() || !self.boxes.pairs_static_bodies() {
            return None;
        }
        let mut stage = StaticStage::new(block, self.scene.bodies.len(), self.rows_limit);
        let fixed = stage.search(|bodies| self.static_candidates(bodies));
        if stage.is_searched() {
            let fixed = BlockCandidates::from(fixed);
            first.add(&fixed, 0..fixed.candidates.len());
            return None;
        }
        stage.begin(fixed, first);
        Some(stage)
    }

    /// The pairs of static bodies of which the first is one of `bodies`, sorted by (a, b).
    fn static_candidates(&mut self, bodies: Range<usize>) -> Vec<Candidate> {
        let Self { scene, boxes, memories, timings, .. } = self;
        let found = timed(&mut timings.broad, || memories[0].broad.static_candidates(boxes, scene, bodies));
        self.count(found.iter());
        found
    }

    /// Counts the intervals of samples that are not looked at.
    fn count_skipped(&mut self, batch: &[Arc<FrameBlock>]) {
        let motion = &self.scene.motion;
        if motion.between != BetweenFrames::None {
            let skipped = batch.iter().map(|block| u64::from(block.intervals(motion.max_gap)[1].count_ones()));
            self.intervals_skipped += skipped.sum::<u64>();
        }
    }

    /// Counts candidates.
    fn count<'c>(&mut self, candidates: impl Iterator<Item = &'c Candidate>) {
        for candidate in candidates {
            self.candidates += 1;
            self.candidate_samples += u64::from(candidate.samples.count_ones());
        }
    }

    /// The next portion of a batch.
    fn portion(&mut self, found: &mut FoundPairs) -> Option<WorkUnit<Arc<FrameBlock>>> {
        if let Some(stage) = &mut found.fixed {
            let slice = stage.slice(|bodies| self.static_candidates(bodies));
            let portion = slice.map(|slice| vec![(Arc::clone(&stage.block), slice)]);
            if stage.is_done() {
                found.fixed = None;
            }
            return portion;
        }
        found.portions.next()
    }

    /// The rows of a portion.
    fn rows(&mut self, portion: WorkUnit<Arc<FrameBlock>>) -> Vec<Pending> {
        let Self { scene, narrow: method, memories, stretches: of, timings, stats, cancel, .. } = self;
        let method = method.as_ref();
        let found: Vec<SliceResult> = timed(&mut timings.narrow, || match portion.as_slice() {
            slices if slices.len() == 1 || scene.dynamic.len() > FEW_BODIES => {
                let caches = &mut memories[0].caches;
                slices.iter().map(|(block, slice)| narrow(scene, block, method, caches, slice)).collect()
            }
            _ => {
                let stretches = portion.par_chunks(of.size(portion.len(), memories.len()));
                let found = memories.par_iter_mut().zip(stretches).flat_map_iter(|(memory, slices)| {
                    let caches = &mut memory.caches;
                    let slices = slices.iter().take_while(|_| !cancel.is_cancelled());
                    slices.map(|(block, slice)| narrow_alone(scene, block, method, caches, slice)).collect::<Vec<_>>()
                });
                found.collect()
            }
        });
        let pending = portion.into_iter().zip(found).map(|((block, slice), found)| {
            stats.add(&found.stats);
            timings.narrow_busy += found.busy;
            let mut candidates = slice.pairs.candidates;
            if !slice.pairs.intervals.is_empty() {
                candidates.retain(|candidate| candidate.samples != 0);
            }
            Pending { block, candidates, rows: found.rows }
        });
        pending.collect()
    }
}

/// The sink, and the slices that wait for it.
struct Waiting<'a, 'o> {
    output: &'a mut RowOutput<'o>,
    block_pool: &'a BlockPool,
    pending: Vec<Pending>,
    spent: std::time::Duration,
}

impl Waiting<'_, '_> {
    /// Hands the slices that wait to the sink.
    fn write(&mut self) -> Result<()> {
        let pending = std::mem::take(&mut self.pending);
        timed(&mut self.spent, || {
            let write = |Pending { block, candidates, rows }: Pending| {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_are_for_few_bodies_and_fit_into_memory() {
        let blocks = |bodies, memory| batch_blocks(bodies, memory, false);
        assert_eq!(blocks(12, 2 << 30), 128);
        assert_eq!(blocks(0, 2 << 30), 128);
        assert_eq!(blocks(64, 2 << 30), 25);
        assert_eq!(blocks(65, 2 << 30), 1);
        assert_eq!((blocks(12, 1000), blocks(12, 0), blocks(12, 4 << 20)), (1, 1, 4));
        assert_eq!([12, 200, 100_000].map(|bodies| batch_blocks(bodies, 2 << 30, true)), [128, 8, 1]);
    }

    #[test]
    fn every_stretch_has_a_memory() {
        for of in [Stretches::OF_MESHES, Stretches::OF_OTHERS] {
            for memories in 1..20 {
                for blocks in 1..200_usize {
                    let size = of.size(blocks, memories);
                    assert!(blocks.div_ceil(size) <= memories && size >= of.least);
                }
            }
        }
    }
}
