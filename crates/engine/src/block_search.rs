//! Search and queries of a batch of blocks: its candidates, then their rows in portions that fit
//! into memory.
//!
//! If many bodies move, a batch is one block, and its pairs are shared among the threads. If few
//! move, one block is too little work to share: a batch has many blocks, and each thread takes a
//! stretch of them. A device searches as many blocks at a time as fit into memory.

use super::block_candidates::BlockCandidates;
use super::caches::Caches;
use super::cancel::CancelToken;
use super::coverage::Coverage;
use super::device_trial::{DeviceTrial, SearchedBatch};
use super::narrowing::{SliceResult, narrow, narrow_alone};
use super::slice_rows::SliceRows;
use super::slices::{Portions, WorkUnit};
use super::static_stage::StaticStage;
use super::timings::{Timings, timed};
use clearsweep_broad::{BroadPhase, BroadScene};
use clearsweep_model::{BetweenFrames, Candidate, FrameBlock, SampleColumn, Scene, block::COMPONENTS};
use clearsweep_narrow::{NarrowPhase, SolverStats};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;

/// Most dynamic bodies of a scene whose blocks are batched. With more, the pairs of one block keep
/// the threads busy.
const FEW_BODIES: usize = 64;
/// Most bytes of the blocks of a batch.
const BATCH_BYTES: u64 = 8 << 20;
/// Most blocks of a batch.
const BATCH_BLOCKS: u64 = 128;

/// Division of a batch into stretches of blocks, each with a memory of its own. The first block of
/// a stretch finds no pairs remembered.
#[derive(Debug, Clone, Copy)]
pub(super) struct BatchDivision {
    /// Fewest blocks of a stretch.
    least_blocks: usize,
    /// Stretches for each thread, so that a slow stretch does not hold up the other threads.
    per_thread: usize,
}

impl BatchDivision {
    /// A row of meshes costs a thousand times what an empty memory costs.
    const OF_MESHES: Self = Self { least_blocks: 1, per_thread: 8 };
    const OF_CONVEX_BODIES: Self = Self { least_blocks: 4, per_thread: 2 };

    /// Returns the division that suits the bodies of a scene.
    pub(super) fn of(scene: &Scene) -> Self {
        let has_meshes = scene.bodies.iter().any(|body| body.shape.mesh.is_some());
        if has_meshes { Self::OF_MESHES } else { Self::OF_CONVEX_BODIES }
    }

    /// Returns the number of memories for batches of `batch` blocks.
    pub(super) fn memories(self, scene: &Scene, batch: usize, threads: usize) -> usize {
        let is_shared = batch == 1 || threads == 1 || scene.dynamic.len() > FEW_BODIES;
        if is_shared { 1 } else { self.per_thread * threads }
    }

    /// Returns the blocks of a stretch, when `blocks` are divided among `memories`.
    fn stretch(self, blocks: usize, memories: usize) -> usize {
        blocks.div_ceil(memories.max(1)).max(self.least_blocks)
    }
}

/// Returns the blocks of a batch. A device takes as many as fit into memory, however many bodies
/// there are: it takes as long for a small search as for a larger one.
pub(super) fn batch_blocks(bodies: usize, memory: u64, on_device: bool) -> usize {
    if bodies > FEW_BODIES && !on_device {
        return 1;
    }
    let bytes = (bodies.max(1) * COMPONENTS * size_of::<SampleColumn>()) as u64;
    ((memory / 16).min(BATCH_BYTES) / bytes).clamp(1, BATCH_BLOCKS) as usize
}

/// State of a stretch that is kept from block to block: that of the broad phase, and the caches of
/// the pairs.
pub(super) struct SearchMemory {
    pub(super) broad: Box<dyn BroadPhase>,
    pub(super) caches: Caches,
}

/// Counts that no table holds.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SearchCounts {
    /// Candidates of all blocks.
    pub(super) candidates: u64,
    /// Samples of all candidates.
    pub(super) candidate_samples: u64,
    /// Intervals of samples, not of pairs, that are skipped: their frames are too far apart.
    pub(super) intervals_skipped: u64,
    /// Samples whose rows an earlier execution wrote that was killed.
    pub(super) resumed_samples: u64,
}

/// Broad and narrow phase of a job, with all state that goes from block to block.
pub(super) struct BlockSearch<'a> {
    pub(super) scene: &'a Scene,
    pub(super) boxes: BroadScene,
    pub(super) narrow: Box<dyn NarrowPhase>,
    /// One for each stretch of a batch; at least one.
    pub(super) memories: Vec<SearchMemory>,
    pub(super) division: BatchDivision,
    /// Whether the narrow phase has seen the shapes of a first batch.
    pub(super) is_prepared: bool,
    /// Blocks of a batch.
    pub(super) batch: usize,
    /// Index of the first block that is searched.
    pub(super) from: u64,
    /// Most rows of a portion.
    pub(super) rows_limit: usize,
    pub(super) stats: SolverStats,
    pub(super) timings: Timings,
    pub(super) counts: SearchCounts,
    /// Asked before each block. Once it is set, results are incomplete, and none is written.
    pub(super) cancel: &'a CancelToken,
    pub(super) coverage: Coverage,
    /// The choice of the device, if it is left to the engine.
    pub(super) trial: DeviceTrial,
}

/// Rows of a slice, which are written while the next ones are computed.
pub(super) struct PendingSlice {
    pub(super) block: Arc<FrameBlock>,
    pub(super) candidates: Vec<Candidate>,
    pub(super) rows: SliceRows,
}

/// Candidates of the samples of a block, and candidates of its intervals.
type FoundCandidates = (Vec<Candidate>, Vec<Candidate>);

/// The pairs of a batch that are still to be queried.
pub(super) struct BatchPairs {
    /// Pairs of static bodies, if they are too many to be listed at once, with the candidates whose
    /// rows belong between theirs.
    fixed: Option<StaticStage>,
    /// All other pairs.
    portions: Portions<Arc<FrameBlock>>,
}

impl BatchPairs {
    /// Whether there is no further portion.
    pub(super) fn is_done(&self) -> bool {
        self.fixed.is_none() && self.portions.is_done()
    }
}

/// Shows the shapes of candidates to the narrow phase, on all threads. Shapes of later batches are
/// prepared when they are queried.
fn prepare(scene: &Scene, narrow: &dyn NarrowPhase, candidates: &[BlockCandidates]) {
    let mut is_near = vec![false; scene.bodies.len()];
    for candidate in candidates.iter().flat_map(|pairs| &pairs.candidates) {
        for body in [candidate.a, candidate.b] {
            is_near[body as usize] = true;
        }
    }
    scene
        .bodies
        .par_iter()
        .zip(is_near)
        .filter(|(_, is_near)| *is_near)
        .for_each(|(body, _)| narrow.prepare(&body.shape));
}

impl BlockSearch<'_> {
    /// Notes a batch that was read: what it covers, and the intervals that are skipped.
    pub(super) fn note(&mut self, batch: &[Arc<FrameBlock>]) {
        batch.iter().for_each(|block| self.coverage.look(self.scene, block));
        let motion = &self.scene.motion;
        if motion.between != BetweenFrames::None {
            let skipped = batch.iter().map(|block| u64::from(block.intervals(motion.max_gap)[1].count_ones()));
            self.counts.intervals_skipped += skipped.sum::<u64>();
        }
    }

    /// Begins to search a batch, if the broad phase can do that beside other work.
    pub(super) fn begin(&mut self, batch: &[Arc<FrameBlock>]) {
        let Self { scene, boxes, memories, timings, .. } = self;
        let blocks: Vec<&FrameBlock> = batch.iter().map(Arc::as_ref).collect();
        timed(&mut timings.broad, || memories[0].broad.begin(boxes, scene, &blocks));
    }

    /// Shows a batch that was searched to the trial of a device, and takes the device if it is
    /// faster. `read`: share of the input that has been read.
    pub(super) fn try_device(&mut self, blocks: &[Arc<FrameBlock>], read: f64) {
        let searched = SearchedBatch { blocks, spent: self.timings.broad, read };
        if let Some(broad) = self.trial.after(searched, &self.boxes, self.scene) {
            self.memories[0].broad = broad;
            self.batch = self.trial.batch();
        }
    }

    /// Finds the candidates of a batch, in portions that fit into memory.
    pub(super) fn candidates(&mut self, batch: &[Arc<FrameBlock>]) -> BatchPairs {
        let candidates = self.search(batch);
        self.trial.keep(candidates.iter().map(|(samples, _)| samples));
        self.count(candidates.iter().flat_map(|(samples, _)| samples));
        let join = |(samples, intervals): FoundCandidates| BlockCandidates::new(samples, &intervals);
        let mut candidates: Vec<BlockCandidates> = candidates.into_iter().map(join).collect();
        let fixed = self.static_pairs(batch, &mut candidates);
        if !self.is_prepared && candidates.iter().any(|pairs| !pairs.is_empty()) {
            prepare(self.scene, self.narrow.as_ref(), &candidates);
            self.is_prepared = true;
        }
        BatchPairs { fixed, portions: Portions::new(batch.iter().cloned().zip(candidates), self.rows_limit) }
    }

    /// Searches the blocks of a batch, each thread a stretch of them.
    fn search(&mut self, batch: &[Arc<FrameBlock>]) -> Vec<FoundCandidates> {
        let Self { scene, boxes, memories, division, timings, cancel, .. } = self;
        let looks_between = scene.motion.between != BetweenFrames::None;
        let intervals = |memory: &mut SearchMemory, block: &FrameBlock| match looks_between && !cancel.is_cancelled() {
            true => memory.broad.interval_candidates(boxes, scene, block),
            false => Vec::new(),
        };
        let search = |memory: &mut SearchMemory, block: &FrameBlock| match cancel.is_cancelled() {
            true => FoundCandidates::default(),
            false => (memory.broad.candidates(boxes, scene, block), intervals(memory, block)),
        };
        timed(&mut timings.broad, || match batch {
            _ if memories[0].broad.works_beside() => {
                let blocks: Vec<&FrameBlock> = batch.iter().map(Arc::as_ref).collect();
                let samples = memories[0].broad.finish(boxes, scene, &blocks);
                samples.into_iter().zip(blocks).map(|(own, block)| (own, intervals(&mut memories[0], block))).collect()
            }
            [one] => vec![search(&mut memories[0], one)],
            _ => {
                let stretches = batch.par_chunks(division.stretch(batch.len(), memories.len()));
                let candidates = memories.par_iter_mut().zip(stretches).flat_map_iter(|(memory, blocks)| {
                    blocks.iter().map(|block| search(memory, block)).collect::<Vec<_>>()
                });
                candidates.collect()
            }
        })
    }

    /// Adds the pairs of static bodies to the first sample of the job, if this batch holds it. If
    /// they are too many to be listed at once, returns them as a stage of their own, with the other
    /// candidates of that sample.
    fn static_pairs(&mut self, batch: &[Arc<FrameBlock>], candidates: &mut [BlockCandidates]) -> Option<StaticStage> {
        let ([block, ..], [first, ..]) = (batch, candidates) else { return None };
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

    /// Finds the pairs of static bodies whose first body is in `bodies`, sorted by (a, b).
    fn static_candidates(&mut self, bodies: Range<usize>) -> Vec<Candidate> {
        let Self { scene, boxes, memories, timings, .. } = self;
        let candidates = timed(&mut timings.broad, || memories[0].broad.static_candidates(boxes, scene, bodies));
        self.count(candidates.iter());
        candidates
    }

    /// Counts candidates.
    fn count<'c>(&mut self, candidates: impl Iterator<Item = &'c Candidate>) {
        for candidate in candidates {
            self.counts.candidates += 1;
            self.counts.candidate_samples += u64::from(candidate.samples.count_ones());
        }
    }

    /// Takes the next portion of a batch.
    pub(super) fn portion(&mut self, pairs: &mut BatchPairs) -> Option<WorkUnit<Arc<FrameBlock>>> {
        if let Some(stage) = &mut pairs.fixed {
            let slice = stage.slice(|bodies| self.static_candidates(bodies));
            let portion = slice.map(|slice| vec![(Arc::clone(&stage.block), slice)]);
            if stage.is_done() {
                pairs.fixed = None;
            }
            return portion;
        }
        pairs.portions.next()
    }

    /// Computes the rows of a portion.
    pub(super) fn rows(&mut self, portion: WorkUnit<Arc<FrameBlock>>) -> Vec<PendingSlice> {
        let Self { scene, narrow: method, memories, division, timings, stats, cancel, .. } = self;
        let method = method.as_ref();
        let results: Vec<SliceResult> = timed(&mut timings.narrow, || match portion.as_slice() {
            slices if slices.len() == 1 || scene.dynamic.len() > FEW_BODIES => {
                let caches = &mut memories[0].caches;
                slices.iter().map(|(block, slice)| narrow(scene, block, method, caches, slice)).collect()
            }
            _ => {
                let stretches = portion.par_chunks(division.stretch(portion.len(), memories.len()));
                let results = memories.par_iter_mut().zip(stretches).flat_map_iter(|(memory, slices)| {
                    let caches = &mut memory.caches;
                    let slices = slices.iter().take_while(|_| !cancel.is_cancelled());
                    slices.map(|(block, slice)| narrow_alone(scene, block, method, caches, slice)).collect::<Vec<_>>()
                });
                results.collect()
            }
        });
        let pending = portion.into_iter().zip(results).map(|((block, slice), result)| {
            stats.add(&result.stats);
            timings.narrow_busy += result.busy;
            let mut candidates = slice.pairs.candidates;
            if !slice.pairs.intervals.is_empty() {
                candidates.retain(|candidate| candidate.samples != 0);
            }
            PendingSlice { block, candidates, rows: result.rows }
        });
        pending.collect()
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
        for division in [BatchDivision::OF_MESHES, BatchDivision::OF_CONVEX_BODIES] {
            for memories in 1..20 {
                for blocks in 1..200_usize {
                    let stretch = division.stretch(blocks, memories);
                    assert!(blocks.div_ceil(stretch) <= memories && stretch >= division.least_blocks);
                }
            }
        }
    }
}
