//! Coherent hashing: labels and close pairs are kept from sample to sample.
//!
//! Source: Mirtich 1997, section 2.2. A body that stays in its cells costs nothing; one that enters
//! or leaves cells touches only those cells. Two bodies are *close* (Definition 1) while they share
//! a cell at the level of the coarser one. Only the boxes of close pairs may overlap.
//!
//! This implementation differs from the paper:
//! - A whole block is known. The samples in which a body changes cells are found for 64 samples at
//!   once. Pairs are not compared sample by sample: each pair that is close in *some* sample is
//!   tested once, for all samples, at the end.
//! - Close counters are not stored. A counter only tells when it leaves zero and when it returns to
//!   zero, and both follow from the cells of the two bodies. The first cell that two bodies come to
//!   share adds their pair, and at the end of a block the pairs that share no cell any more are
//!   dropped. So leaving a cell touches no other body, and the close pairs are a sorted list
//!   instead of a map. (`per_sample` has the published form, with counters in a map.)
//! - Labels are numbered with 32 bits. A job of more than 16 million bodies may have more labels,
//!   and is searched block by block as `standard` does.
//! - The level of a moving body follows from its radius (as section 2.2 proposes), so it does not
//!   change as the body turns. If a box nevertheless outgrows it (a pose that is NaN), its body
//!   moves to a coarser level for the rest of the job.

use super::super::blockwise::Blockwise;
use super::super::boxes::LatticeBox;
use super::super::broad_phase::{BroadPhase, OperationCounts};
use super::super::broad_scene::BroadScene;
use super::super::incremental::{candidate, is_ignored, items_of, pair_key};
use super::super::merge::sort_and_merge;
use super::super::pair_search::search_chunks;
use super::super::static_pairs::{static_pairs, static_pairs_of};
use super::labels::{CellEntry, CellObserver, Labels};
use super::level::cell_range;
use super::standard::SpatialHash;
use super::tracker::LabelTracker;
use clearsweep_model::{Candidate, CellSizes, FrameBlock, Scene};
use std::ops::Range;

/// With fewer close pairs than this, they are tested on one thread.
const PARALLEL_THRESHOLD: usize = 8192;
/// The number of close pairs per task.
const CHUNK: usize = 2048;

/// Coherent hierarchical hashing.
#[derive(Debug)]
pub(in super::super) struct CoherentHash {
    tracker: LabelTracker,
    /// The keys of the close pairs, ascending, without the pairs that the scene tells to ignore.
    pairs: Vec<u64>,
    /// The keys of pairs that have become close in this block, in any order. Some may be in `pairs`
    /// already.
    fresh: Vec<u64>,
    /// The target of merging `fresh` into `pairs`.
    merged: Vec<u64>,
    operations: OperationCounts,
    /// Most items for which labels are kept.
    most_items: usize,
    /// Search for a job of more items: each block alone.
    standard: Blockwise<SpatialHash>,
}

impl CoherentHash {
    /// As in Mirtich's Figure 2. Cells are smaller than those of the standard variant, because
    /// bodies rarely change cells, but every close pair is tested.
    pub(super) const CELLS: CellSizes = CellSizes::CLOSE;

    /// With cells of these sizes; `None`: those of each variant.
    pub(in super::super) fn new(cells: Option<CellSizes>) -> Self {
        let hash = cells.map_or(SpatialHash::DEFAULT, |cells| SpatialHash { cells });
        let tracker = LabelTracker::new(cells.unwrap_or(Self::CELLS));
        Self { tracker, standard: Blockwise::new(hash), ..Self::with_most_items(Labels::MOST_ITEMS) }
    }

    fn with_most_items(most_items: usize) -> Self {
        Self {
            tracker: LabelTracker::new(Self::CELLS),
            pairs: Vec::new(),
            fresh: Vec::new(),
            merged: Vec::new(),
            operations: OperationCounts::default(),
            most_items,
            standard: Blockwise::new(SpatialHash::DEFAULT),
        }
    }

    /// Merges the new close pairs into the sorted list.
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
        debug_assert!(self.pairs.is_sorted_by(|a, b| a < b), "each close pair is listed once");
    }

    /// Tests the pairs that were close in some sample, and drops those that are close no longer.
    fn collect(&mut self, job: &BroadScene, scene: &Scene, block: &FrameBlock, out: &mut Vec<Vec<Candidate>>) {
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
        out.extend(found.into_batches());
        let has_changed = |item: u32| tracker.changes.get(item as usize).is_some_and(|&changes| changes != 0);
        pairs.retain(|&key| {
            let (i, j) = items_of(key);
            !(has_changed(i) || has_changed(j)) || tracker.is_close(job, i, j)
        });
    }
}

/// Lists the pairs that become close.
struct ClosePairFinder<'a> {
    job: &'a BroadScene,
    scene: &'a Scene,
    fresh: &'a mut Vec<u64>,
    operations: &'a mut OperationCounts,
}

impl CellObserver for ClosePairFinder<'_> {
    #[inline]
    fn on_meet(&mut self, entry: &CellEntry, other: u32, held: &[LatticeBox]) {
        self.operations.cell_meetings += 1;
        let other_box = match (other as usize).checked_sub(held.len()) {
            None => held[other as usize],
            Some(k) => self.job.fixed.set.get(k),
        };
        let [low, high] = cell_range(&other_box, entry.level);
        let were_close = entry.old.is_some_and(|[from, to]| (0..3).all(|k| from[k] <= high[k] && low[k] <= to[k]));
        // The lowest cell that two bodies share reports the pair.
        let reports = (0..3).all(|k| entry.cell[k] == low[k].max(entry.new[0][k]));
        if reports && !were_close && !is_ignored(self.job, self.scene, entry.item, other) {
            self.fresh.push(pair_key(entry.item, other));
        }
    }

    #[inline]
    fn on_part(&mut self, _: u32, _: u32) {}

    /// Close pairs are reported again. The list drops none before the end of the block, so nothing
    /// is lost.
    fn on_rebuild(&mut self) {}
}

impl BroadPhase for CoherentHash {
    fn name(&self) -> &'static str {
        "coherent-hash"
    }

    fn candidates(&mut self, job: &BroadScene, scene: &Scene, block: &FrameBlock) -> Vec<Candidate> {
        if block.samples.is_empty() {
            return Vec::new();
        }
        if job.slots() + job.fixed.set.len() > self.most_items {
            return self.standard.candidates(job, scene, block);
        }
        if self.tracker.prepare(job, scene, block) {
            self.pairs.clear();
        }
        let mut finder = ClosePairFinder { job, scene, fresh: &mut self.fresh, operations: &mut self.operations };
        for sample in 0..block.samples.len() {
            self.tracker.advance(job, sample, &mut finder);
        }
        self.merge();
        let mut out = static_pairs(&SpatialHash::DEFAULT, self.tracker.boxes.simd, job, scene, block);
        self.collect(job, scene, block, &mut out);
        sort_and_merge(out, scene.bodies.len())
    }

    /// Searches each block alone: labels are kept for the boxes of samples only.
    fn interval_candidates(&mut self, job: &BroadScene, scene: &Scene, block: &FrameBlock) -> Vec<Candidate> {
        self.standard.interval_candidates(job, scene, block)
    }

    fn static_candidates(&self, job: &BroadScene, scene: &Scene, bodies: Range<usize>) -> Vec<Candidate> {
        static_pairs_of(&SpatialHash::DEFAULT, self.tracker.boxes.simd, job, scene, bodies)
    }

    fn operations(&self) -> OperationCounts {
        OperationCounts { cells: self.tracker.labels_touched(), ..self.operations }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearsweep_model::Bounds;
    use clearsweep_model::Sample;
    use clearsweep_model::block::COMPONENTS;
    use clearsweep_scene::{BodyBuilder, Geometry, SceneBuilder};

    #[test]
    fn with_more_items_than_labels_are_kept_of_blocks_are_searched_by_themselves() {
        let still = [1.0, 0.0, 0.0, 0.0];
        let (moving, fixed) = (9_usize, 4_usize);
        let mut scene = SceneBuilder::new(0.5);
        for body in 0..moving {
            scene = scene.body(BodyBuilder::new(format!("ball-{body}"), Geometry::Sphere(0.3)));
        }
        for body in 0..fixed {
            let place = [2.0 * body as f64, 0.0, 0.0];
            scene = scene.body(BodyBuilder::new(format!("box-{body}"), Geometry::Box([1.0; 3])).fixed(place, still));
        }
        let scene = scene.build().expect("a scene");
        let job = BroadScene::new(&scene, Some(Bounds { min: [-1.0; 3], max: [9.0; 3] }), scene.query.within);
        let items = moving + fixed;
        let mut searches = [items - 1, items].map(CoherentHash::with_most_items);
        let mut found = 0;
        for index in 0..4 {
            let mut block = FrameBlock::new(index, moving);
            for sample in 0..50 {
                block.samples.push(Sample { run: 0, frame: sample, time_s: None });
                for slot in 0..moving {
                    let time = (50 * index as i64 + sample) as f64 / 30.0;
                    block.lanes[slot * COMPONENTS].0[sample as usize] = 4.0 + 4.0 * (time + slot as f64).sin();
                    block.present[slot] |= 1 << sample;
                }
            }
            let [standard, coherent] = searches.each_mut().map(|search| search.candidates(&job, &scene, &block));
            assert_eq!(standard, coherent);
            found += standard.len();
        }
        assert!(found > 50, "{found}");
        let [standard, coherent] = searches.map(|search| search.operations().cells);
        assert!(standard == 0 && coherent > 0, "only one keeps labels: {standard} and {coherent}");
    }
}
