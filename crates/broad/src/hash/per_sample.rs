//! Both hashing schemes as published, which find the pairs of one sample at a time. They are the
//! reference of the experiments, not methods for users.

use super::super::block_boxes::BlockBoxes;
use super::super::blockwise::Blockwise;
use super::super::box_set::BoxSet;
use super::super::boxes::LatticeBox;
use super::super::broad_phase::{BroadPhase, OperationCounts};
use super::super::broad_scene::BroadScene;
use super::super::incremental::{PairMap, SampleRows, candidate, is_ignored, items_of, pair_key};
use super::super::merge::sort_and_merge;
use super::super::pair_search::{PairSearch, PairVisitor, SearchResult};
use super::super::static_pairs::{static_pairs, static_pairs_of};
use super::coherent::CoherentHash;
use super::labels::{CellEntry, CellObserver};
use super::level::{coarser_levels, level_of};
use super::standard::SpatialHash;
use super::table::cells_of;
use super::tracker::LabelTracker;
use clearsweep_base::simd::level;
use clearsweep_model::{Candidate, CellSizes, FrameBlock, Scene};
use std::ops::Range;

/// A published scheme.
#[derive(Debug)]
enum Scheme {
    /// Section 2.1: in each sample all boxes are stored from scratch, static ones too.
    Standard { hash: SpatialHash, boxes: BlockBoxes, items: BoxSet, count_cells: bool },
    /// Section 2.2: labels, and a close counter for each pair that shares a cell.
    CoherentHash { tracker: LabelTracker, pairs: PairMap<u32> },
}

/// Hierarchical hashing with one search per sample.
#[derive(Debug)]
pub struct PerSampleHash {
    scheme: Scheme,
    /// The serial number of the job that `rows` belong to.
    job: Option<u64>,
    rows: SampleRows,
    operations: OperationCounts,
}

impl PerSampleHash {
    fn new(scheme: Scheme) -> Self {
        Self { scheme, job: None, rows: SampleRows::default(), operations: OperationCounts::default() }
    }

    /// Standard hashing; `cells`: unless they are those of the method `hash`. With `count_cells` it
    /// also counts the cells that each search touches, which takes extra time.
    pub fn standard(cells: Option<CellSizes>, count_cells: bool) -> Self {
        let hash = SpatialHash { cells: cells.unwrap_or(SpatialHash::DEFAULT.cells) };
        Self::new(Scheme::Standard { hash, boxes: BlockBoxes::new(), items: BoxSet::default(), count_cells })
    }

    /// Coherent hashing; `cells`: unless they are those of the method `coherent-hash`.
    pub fn coherent(cells: Option<CellSizes>) -> Self {
        let tracker = LabelTracker::new(cells.unwrap_or(CoherentHash::CELLS));
        Self::new(Scheme::CoherentHash { tracker, pairs: PairMap::default() })
    }

    /// The overlapping pairs of each sample that have a dynamic body: a candidate for each sample,
    /// in no particular order.
    pub fn search(&mut self, job: &BroadScene, scene: &Scene, block: &FrameBlock) -> Vec<Candidate> {
        let Self { scheme, rows, operations, .. } = self;
        if self.job != Some(job.serial) {
            (self.job, *rows) = (Some(job.serial), SampleRows::new(job));
        }
        let samples = 0..block.samples.len();
        let mut all = Vec::new();
        match scheme {
            Scheme::Standard { hash, boxes, items, count_cells } => {
                boxes.make(job, block, &mut Vec::<()>::new(), |_, _| ());
                for sample in samples {
                    let row = rows.at(&boxes.boxes, sample);
                    items.fill((0..).zip(row.iter().copied()).filter(|(_, b)| !b.is_empty()));
                    let found = hash.within(boxes.simd, items, &SamplePairVisitor { job, scene, sample });
                    all.extend(found.into_batches().into_iter().flatten());
                    if *count_cells {
                        operations.cells += cells_touched(items, hash.cells);
                    }
                }
            }
            Scheme::CoherentHash { tracker, pairs } => {
                if tracker.prepare(job, scene, block) {
                    pairs.clear();
                }
                for sample in samples {
                    tracker.advance(job, sample, &mut CloseCounters { job, scene, pairs, operations });
                    let row = rows.at(&tracker.boxes.boxes, sample);
                    operations.tests += pairs.len() as u64;
                    for (&key, _) in pairs.iter() {
                        let items = items_of(key);
                        if row[items.0 as usize].overlaps(&row[items.1 as usize]) {
                            all.push(candidate(job, scene, items, 1 << sample));
                        }
                    }
                }
                operations.cells = tracker.labels_touched();
            }
        }
        all
    }
}

/// Keeps the close counters of pairs. None of them is zero.
struct CloseCounters<'a> {
    job: &'a BroadScene,
    scene: &'a Scene,
    pairs: &'a mut PairMap<u32>,
    operations: &'a mut OperationCounts,
}

impl CellObserver for CloseCounters<'_> {
    fn on_meet(&mut self, entry: &CellEntry, other: u32, _: &[LatticeBox]) {
        self.operations.cell_meetings += 1;
        if !is_ignored(self.job, self.scene, entry.item, other) {
            *self.pairs.entry(pair_key(entry.item, other)).or_insert(0) += 1;
        }
    }

    fn on_part(&mut self, item: u32, other: u32) {
        self.operations.cell_meetings += 1;
        let key = pair_key(item, other);
        if let Some(count) = self.pairs.get_mut(&key) {
            debug_assert!(*count > 0, "a pair whose counter is zero is removed");
            *count -= 1;
            if *count == 0 {
                self.pairs.swap_remove(&key);
            }
        }
    }

    fn on_rebuild(&mut self) {
        self.pairs.clear();
    }
}

/// The number of cells in which a search stores or looks up the boxes of a set, at their own levels
/// and at the coarser ones in use.
fn cells_touched(set: &BoxSet, sizes: CellSizes) -> u64 {
    let in_use = (0..set.len()).fold(0_u64, |levels, i| levels | 1 << level_of(&set.get(i), sizes));
    let mut cells = 0;
    for i in 0..set.len() {
        let b = set.get(i);
        let own = level_of(&b, sizes);
        cells_of(&b, own, |_| cells += 1);
        coarser_levels(in_use, own, |level| cells_of(&b, level, |_| cells += 1));
    }
    cells
}

/// Records the pairs of one sample.
struct SamplePairVisitor<'a> {
    job: &'a BroadScene,
    scene: &'a Scene,
    sample: usize,
}

impl PairVisitor for SamplePairVisitor<'_> {
    #[inline]
    fn visit(&self, first: u32, second: u32, found: &mut SearchResult) {
        let slots = self.job.slots() as u32;
        if (first < slots || second < slots) && !is_ignored(self.job, self.scene, first, second) {
            found.candidates.push(candidate(self.job, self.scene, (first, second), 1 << self.sample));
        }
    }
}

impl BroadPhase for PerSampleHash {
    fn name(&self) -> &'static str {
        match self.scheme {
            Scheme::Standard { .. } => "hash-each-sample",
            Scheme::CoherentHash { .. } => "coherent-hash-each-sample",
        }
    }

    fn candidates(&mut self, job: &BroadScene, scene: &Scene, block: &FrameBlock) -> Vec<Candidate> {
        let mut batches = static_pairs(&SpatialHash::DEFAULT, level(), job, scene, block);
        batches.push(self.search(job, scene, block));
        sort_and_merge(batches, scene.bodies.len())
    }

    /// Searches each block alone; its operations are not counted.
    fn interval_candidates(&mut self, job: &BroadScene, scene: &Scene, block: &FrameBlock) -> Vec<Candidate> {
        Blockwise::new(SpatialHash::DEFAULT).interval_candidates(job, scene, block)
    }

    fn static_candidates(&self, job: &BroadScene, scene: &Scene, bodies: Range<usize>) -> Vec<Candidate> {
        static_pairs_of(&SpatialHash::DEFAULT, level(), job, scene, bodies)
    }

    fn operations(&self) -> OperationCounts {
        self.operations
    }
}
