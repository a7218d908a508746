//! Both hashing schemes as published, which find the pairs of one sample at a time: the yardstick of the experiments,
//! not methods for users.

use super::super::block::{BlockBoxes, sort_and_merge, static_pairs};
use super::super::boxes::LatticeBox;
use super::super::incremental::{OperationCounts, PairMap, SampleRows, candidate, is_ignored, items_of, pair_key};
use super::super::box_set::{BoxSet, SearchResult, PairSearch, PairVisitor};
use super::super::simd::Simd;
use super::super::{BroadPhase, BroadScene};
use super::SpatialHash;
use super::labels::{CellObserver, CellEntry};
use super::table::{cells_of, level_of};
use super::tracker::LabelTracker;
use crate::scene::{Candidate, FrameBlock, Scene};

/// Which of the two.
#[derive(Debug)]
enum Scheme {
    /// Section 2.1: all boxes are stored afresh, static ones too.
    Standard { boxes: BlockBoxes, items: BoxSet, count_cells: bool },
    /// Section 2.2: labels, and a close counter for each pair that shares a cell.
    CoherentHash { tracker: LabelTracker, pairs: PairMap<u32> },
}

/// Hierarchical hashing, one search a sample.
#[derive(Debug)]
pub struct PerSampleHash {
    scheme: Scheme,
    /// The job of the rows.
    job: Option<u64>,
    rows: SampleRows,
    operations: OperationCounts,
}

impl PerSampleHash {
    fn new(scheme: Scheme) -> Self {
        Self { scheme, job: None, rows: SampleRows::default(), operations: OperationCounts::default() }
    }

    /// Standard hashing. `count_cells`: also counts the cells that each search touches, which takes time of its own.
    pub fn standard(count_cells: bool) -> Self {
        Self::new(Scheme::Standard { boxes: BlockBoxes::new(), items: BoxSet::default(), count_cells })
    }

    /// Coherent hashing.
    pub fn coherent() -> Self {
        Self::new(Scheme::CoherentHash { tracker: LabelTracker::new(), pairs: PairMap::default() })
    }

    /// The overlapping pairs of each sample with a dynamic body, in no order, a candidate for each sample.
    pub fn search(&mut self, job: &BroadScene, scene: &Scene, block: &FrameBlock) -> Vec<Candidate> {
        let Self { scheme, rows, operations, .. } = self;
        if self.job != Some(job.serial) {
            (self.job, *rows) = (Some(job.serial), SampleRows::new(job));
        }
        let samples = 0..block.samples.len();
        let mut all = Vec::new();
        match scheme {
            Scheme::Standard { boxes, items, count_cells } => {
                boxes.make(job, block, &mut Vec::<()>::new(), |_, _| ());
                for sample in samples {
                    let row = rows.at(&boxes.boxes, sample);
                    items.fill((0..).zip(row.iter().copied()).filter(|(_, b)| !b.is_empty()));
                    let mut found = SpatialHash.within(boxes.simd, items, &Overlaps { job, scene, sample });
                    all.append(&mut found.candidates);
                    if *count_cells {
                        operations.cells += cells_touched(items);
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

/// The close counters of pairs; none of them is zero.
struct CloseCounters<'a> {
    job: &'a BroadScene,
    scene: &'a Scene,
    pairs: &'a mut PairMap<u32>,
    operations: &'a mut OperationCounts,
}

impl CellObserver for CloseCounters<'_> {
    fn meet(&mut self, step: &CellEntry, other: u32, _: &[LatticeBox]) {
        self.operations.observer += 1;
        if !is_ignored(self.job, self.scene, step.item, other) {
            *self.pairs.entry(pair_key(step.item, other)).or_insert(0) += 1;
        }
    }

    fn part(&mut self, item: u32, other: u32) {
        self.operations.observer += 1;
        let key = pair_key(item, other);
        if let Some(count) = self.pairs.get_mut(&key) {
            *count -= 1;
            if *count == 0 {
                self.pairs.swap_remove(&key);
            }
        }
    }

    fn restart(&mut self) {
        self.pairs.clear();
    }
}

/// The cells in which a search stores or looks up the boxes of a set: at their own level, and at coarser ones in use.
fn cells_touched(set: &BoxSet) -> u64 {
    let in_use = (0..set.len()).fold(0_u64, |levels, i| levels | 1 << level_of(&set.get(i)));
    let mut cells = 0;
    for i in 0..set.len() {
        let b = set.get(i);
        let own = level_of(&b);
        cells_of(&b, own, |_| cells += 1);
        super::coarser(in_use, own, |level| cells_of(&b, level, |_| cells += 1));
    }
    cells
}

/// Takes down pairs as they are: their boxes are those of the sample.
struct Overlaps<'a> {
    job: &'a BroadScene,
    scene: &'a Scene,
    sample: usize,
}

impl PairVisitor for Overlaps<'_> {
    #[inline]
    fn pair(&self, first: u32, second: u32, found: &mut SearchResult) {
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
        let mut all = static_pairs(&SpatialHash, Simd::detect(), job, scene, block);
        all.append(&mut self.search(job, scene, block));
        sort_and_merge(all, scene.bodies.len())
    }

    fn operations(&self) -> OperationCounts {
        self.operations
    }
}
