//! Coherent hashing: labels and close pairs live on from sample to sample.
//!
//! Source: Mirtich 1997, section 2.2. Bodies that stay in their cells cost nothing; one that enters or leaves cells
//! touches those cells only. Pairs are *close* (Definition 1) while they share a cell at the level of the coarser one;
//! only their boxes may overlap.
//!
//! What is done differently here:
//! - A whole block is known. In which samples a body changes cells is found for 64 samples at once, and pairs are not
//!   compared sample by sample: each that was close in *some* sample is tested once, for all samples, at the end.
//! - Close counters are not stored. A counter only serves to tell when it leaves zero and when it is back there, and
//!   both can be read off the cells that the two bodies are in: the first cell in which a pair meets adds it, and at the
//!   end of a block the pairs that share no cell any more are dropped. So leaving a cell concerns nobody else, and the
//!   close pairs are a sorted list instead of a map. (The published form, with counters, is in `per_sample.rs`; in a
//!   crowd it spends most of its time in that map.)
//! - The level of a moving body follows from its radius (as section 2.2 proposes), so it does not change as it turns.
//!   A box that outgrows it all the same (a pose that is not a number) moves its body to a coarser level for good.

use super::super::block::{sort_and_merge, static_pairs};
use super::super::boxes::LatticeBox;
use super::super::incremental::{OperationCounts, candidate, is_ignored, items_of, pair_key};
use super::super::box_set::search_chunks;
use super::super::{BroadPhase, BroadScene};
use super::SpatialHash;
use super::labels::{CellObserver, CellEntry};
use super::level::cell_range;
use super::tracker::LabelTracker;
use crate::scene::{Candidate, FrameBlock, Scene};

/// Above so many close pairs they are tested on several threads, by so many a task.
const PARALLEL_THRESHOLD: usize = 8192;
const CHUNK: usize = 2048;

/// Coherent hierarchical hashing.
#[derive(Debug)]
pub(in super::super) struct CoherentHash {
    tracker: LabelTracker,
    /// The close pairs by their keys, ascending, those that are to be ignored left out.
    pairs: Vec<u64>,
    /// Those that have become close in this block, in any order; some may be known already.
    fresh: Vec<u64>,
    /// For merging.
    merged: Vec<u64>,
    operations: OperationCounts,
}

impl CoherentHash {
    pub(in super::super) fn new() -> Self {
        let (pairs, fresh, merged) = (Vec::new(), Vec::new(), Vec::new());
        Self { tracker: LabelTracker::new(), pairs, fresh, merged, operations: OperationCounts::default() }
    }

    /// Joins the new close pairs to the others.
    fn merge(&mut self) {
        if self.fresh.is_empty() {
            return;
        }
        self.fresh.sort_unstable();
        self.fresh.dedup();
        self.merged.clear();
        let mut old = self.pairs.iter().copied().peekable();
        for key in self.fresh.drain(..) {
            while let Some(before) = old.next_if(|&k| k <= key) {
                if before != key {
                    self.merged.push(before);
                }
            }
            self.merged.push(key);
        }
        self.merged.extend(old);
        std::mem::swap(&mut self.pairs, &mut self.merged);
    }

    /// Tests the pairs that were close in some sample, and drops those that are no more.
    fn collect(&mut self, job: &BroadScene, scene: &Scene, block: &FrameBlock, out: &mut Vec<Candidate>) {
        let all = block.all_samples();
        let (pairs, tracker) = (&mut self.pairs, &self.tracker);
        self.operations.tests += pairs.len() as u64;
        let found = search_chunks(pairs.len() > PARALLEL_THRESHOLD, pairs.len(), CHUNK, |range, found| {
            for &key in &pairs[range] {
                let (i, j) = items_of(key);
                let samples = tracker.boxes.mask(&job.fixed, all, i, j);
                if samples != 0 {
                    found.candidates.push(candidate(job, scene, (i, j), samples));
                }
            }
        });
        out.extend(found.candidates);
        let has_changed = |item: u32| tracker.changes.get(item as usize).is_some_and(|&changes| changes != 0);
        pairs.retain(|&key| {
            let (i, j) = items_of(key);
            !(has_changed(i) || has_changed(j)) || tracker.is_close(job, i, j)
        });
    }
}

/// Notes who becomes close.
struct ClosePairFinder<'a> {
    job: &'a BroadScene,
    scene: &'a Scene,
    fresh: &'a mut Vec<u64>,
    operations: &'a mut OperationCounts,
}

impl CellObserver for ClosePairFinder<'_> {
    #[inline]
    fn meet(&mut self, step: &CellEntry, other: u32, held: &[LatticeBox]) {
        self.operations.observer += 1;
        let its = match (other as usize).checked_sub(held.len()) {
            None => held[other as usize],
            Some(k) => self.job.fixed.set.get(k),
        };
        let [low, high] = cell_range(&its, step.level);
        let were_close = step.old.is_some_and(|[from, to]| (0..3).all(|k| from[k] <= high[k] && low[k] <= to[k]));
        // Of all cells that they come to share, the lowest one speaks.
        let speaks = (0..3).all(|k| step.cell[k] == low[k].max(step.new[0][k]));
        if speaks && !were_close && !is_ignored(self.job, self.scene, step.item, other) {
            self.fresh.push(pair_key(step.item, other));
        }
    }

    #[inline]
    fn part(&mut self, _: u32, _: u32) {}

    /// Those who are close will be met again; they are joined to the list, which forgets none before the end.
    fn restart(&mut self) {}
}

impl BroadPhase for CoherentHash {
    fn name(&self) -> &'static str {
        "coherent-hash"
    }

    fn candidates(&mut self, job: &BroadScene, scene: &Scene, block: &FrameBlock) -> Vec<Candidate> {
        if block.samples.is_empty() {
            return Vec::new();
        }
        if self.tracker.prepare(job, scene, block) {
            self.pairs.clear();
        }
        let mut finder = ClosePairFinder { job, scene, fresh: &mut self.fresh, operations: &mut self.operations };
        for sample in 0..block.samples.len() {
            self.tracker.advance(job, sample, &mut finder);
        }
        self.merge();
        let mut out = static_pairs(&SpatialHash, self.tracker.boxes.simd, job, scene, block);
        self.collect(job, scene, block, &mut out);
        sort_and_merge(out, scene.bodies.len())
    }

    fn operations(&self) -> OperationCounts {
        OperationCounts { cells: self.tracker.labels_touched(), ..self.operations }
    }
}
