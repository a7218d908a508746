//! Coherent hashing: labels and close counters live on from sample to sample.
//!
//! Source: Mirtich 1997, section 2.2. Bodies that stay in their cells cost nothing; one that enters or leaves cells
//! touches those cells only. Each pair counts the cells that make it *close* (Definition 1: cells both touch at the
//! level of the coarser one); while the counter is above zero its boxes may overlap.
//!
//! What is done differently here:
//! - A whole block is known. In which samples a body changes cells is found for 64 samples at once, and pairs are not
//!   compared sample by sample: each that was close in *some* sample is tested once, for all samples, at the end.
//! - Counters live in a hash map of the pairs that are close, not in an n by n array, and ignored pairs have none.
//! - The level of a moving body follows from its radius (as section 2.2 proposes), so it does not change as it turns.
//!   A box that outgrows it all the same (a pose that is not a number) moves its body to a coarser level for good.

use super::super::boxes::{Boxes64, LatticeBox};
use super::super::incremental::{
    BlockBoxes, Operations, Pairs, candidate, in_order, is_ignored, items_of, pair_key, static_pairs,
};
use super::super::set::over_chunks;
use super::super::{BroadPhase, BroadScene};
use super::labels::{Change, Labels};
use super::level::{LEVELS, cell_range, level_for, longest_side};
use crate::scene::{Candidate, FrameBlock, Motion, SAMPLES, Scene};

/// Cells are up to `2^(1 + SPARE)` times as long as the longest side of their boxes: alpha is 1/2 and beta 1, as in
/// Mirtich's Figure 2. Smaller cells than those of the standard variant: changing cells is rare, testing pairs is not.
const SPARE: u32 = 0;
/// Above so many close pairs they are tested on several threads, by so many a task.
const WORTH_THREADS: usize = 8192;
const CHUNK: usize = 2048;

/// Coherent hierarchical hashing.
#[derive(Debug)]
pub(in super::super) struct Coherent {
    /// The job whose bodies are stored.
    job: Option<u64>,
    boxes: BlockBoxes,
    /// Of each slot, bit `s`: its cells in sample `s` are others than in the sample before.
    changes: Vec<u64>,
    /// Of each slot: the box by which its labels stand.
    held: Vec<LatticeBox>,
    labels: Labels,
    /// Number of cells in which a pair meets; 0 only until the end of a block.
    pairs: Pairs<u32>,
    /// The slots that change cells in each sample.
    due: Vec<Vec<u32>>,
    operations: Operations,
}

impl Coherent {
    pub(in super::super) fn new() -> Self {
        Self {
            job: None,
            boxes: BlockBoxes::new(),
            changes: Vec::new(),
            held: Vec::new(),
            labels: Labels::default(),
            pairs: Pairs::default(),
            due: vec![Vec::new(); SAMPLES],
            operations: Operations::default(),
        }
    }

    /// Stores the static bodies of a job; no other body is anywhere yet.
    fn start(&mut self, job: &BroadScene, scene: &Scene) {
        let mut levels = vec![0; job.slots()];
        for body in &scene.bodies {
            if let Motion::Dynamic { slot } = body.motion {
                // Growth and rounding of the box are a few lattice spacings more; saturation only makes it smaller.
                let side = (2.0 * body.shape.radius + scene.query.within) / job.lattice.spacing + 6.0;
                levels[slot as usize] = level_for(side as u32, SPARE);
            }
        }
        self.pairs.clear();
        self.held.clear();
        self.held.resize(job.slots(), LatticeBox::EMPTY);
        self.labels = with_fixed(job, levels);
        self.job = Some(job.serial);
    }

    /// Moves a body to the level of a box that its own level does not fit, and writes all labels afresh.
    fn outgrow(&mut self, job: &BroadScene, scene: &Scene, slot: u32, b: &LatticeBox) {
        let mut levels = std::mem::take(&mut self.labels).into_levels();
        levels[slot as usize] = level_for(longest_side(b), SPARE);
        self.labels = with_fixed(job, levels);
        self.held[slot as usize] = LatticeBox::EMPTY;
        self.pairs.values_mut().for_each(|count| *count = 0);
        for other in 0..self.held.len() as u32 {
            let held = self.held[other as usize];
            if !held.is_empty() {
                self.relabel(job, scene, other, &LatticeBox::EMPTY, &held);
            }
        }
    }

    fn relabel(&mut self, job: &BroadScene, scene: &Scene, slot: u32, from: &LatticeBox, to: &LatticeBox) {
        let Self { labels, pairs, operations, .. } = self;
        labels.update(slot, from, to, |other, change| {
            operations.counters += 1;
            match change {
                Change::Meet if is_ignored(job, scene, slot, other) => {}
                Change::Meet => *pairs.entry(pair_key(slot, other)).or_insert(0) += 1,
                Change::Part => {
                    if let Some(count) = pairs.get_mut(&pair_key(slot, other)) {
                        *count -= 1;
                    }
                }
            }
        });
    }

    /// Goes through the samples and keeps labels and counters up to date.
    fn follow(&mut self, job: &BroadScene, scene: &Scene, block: &FrameBlock) {
        let all = block.all_samples();
        let mut due = std::mem::take(&mut self.due);
        for (&changes, slot) in self.changes.iter().zip(0_u32..) {
            let mut changes = changes & all;
            while changes != 0 {
                due[changes.trailing_zeros() as usize].push(slot);
                changes &= changes - 1;
            }
        }
        for (sample, slots) in due.iter_mut().enumerate() {
            for slot in slots.drain(..) {
                let to = self.boxes.boxes[slot as usize].get(sample);
                let [low, high] = cell_range(&to, self.labels.level(slot));
                if !to.is_empty() && (0..3).any(|k| high[k] - low[k] > 1) {
                    self.outgrow(job, scene, slot, &to);
                }
                let from = std::mem::replace(&mut self.held[slot as usize], to);
                self.relabel(job, scene, slot, &from, &to);
            }
        }
        self.due = due;
    }

    /// Tests the pairs that were close in some sample, and forgets those that are close no more.
    fn collect(&mut self, job: &BroadScene, scene: &Scene, block: &FrameBlock, out: &mut Vec<Candidate>) {
        let all = block.all_samples();
        let (pairs, boxes) = (&mut self.pairs, &self.boxes);
        self.operations.tests += pairs.len() as u64;
        let found = over_chunks(pairs.len() > WORTH_THREADS, pairs.len(), CHUNK, |range, found| {
            for (&key, _) in pairs.get_range(range).into_iter().flatten() {
                let (i, j) = items_of(key);
                let samples = boxes.mask(&job.fixed, all, i, j);
                if samples != 0 {
                    found.candidates.push(candidate(job, scene, (i, j), samples));
                }
            }
        });
        out.extend(found.candidates);
        for index in (0..pairs.len()).rev() {
            if pairs[index] == 0 {
                pairs.swap_remove_index(index);
            }
        }
    }
}

/// Labels of the static bodies of a job, and of no moving one.
fn with_fixed(job: &BroadScene, levels: Vec<u32>) -> Labels {
    let set = &job.fixed.set;
    let fixed: Vec<_> = (0..set.len())
        .map(|k| {
            let b = set.get(k);
            ((job.slots() + k) as u32, b, level_for(longest_side(&b), SPARE))
        })
        .collect();
    Labels::new(levels, &fixed)
}

/// Bit `s`: the cells of a body at a level differ from those in the sample before; `held` comes before the first. A
/// body that is absent is in no cell.
fn changes(boxes: &Boxes64, held: &LatticeBox, level: u32) -> u64 {
    let ends = [held.min[0], held.min[1], held.min[2], held.max[0], held.max[1], held.max[2]];
    let mut differ = [0_u32; SAMPLES];
    for (column, end) in boxes.columns.iter().zip(ends) {
        differ[0] |= column[0] ^ end;
        for s in 1..SAMPLES {
            differ[s] |= column[s] ^ column[s - 1];
        }
    }
    if level as usize == LEVELS - 1 {
        // One cell holds all: only coming and going matters. No other box begins at u32::MAX.
        let (mut bits, mut before) = (0, ends[0] == u32::MAX);
        for s in 0..SAMPLES {
            let absent = boxes.columns[0][s] == u32::MAX;
            bits |= u64::from(absent != before) << s;
            before = absent;
        }
        return bits;
    }
    (0..SAMPLES).fold(0, |bits, s| bits | u64::from(differ[s] >> level != 0) << s)
}

impl BroadPhase for Coherent {
    fn name(&self) -> &'static str {
        "coherent-hash"
    }

    fn candidates(&mut self, job: &BroadScene, scene: &Scene, block: &FrameBlock) -> Vec<Candidate> {
        if block.samples.is_empty() {
            return Vec::new();
        }
        if self.job != Some(job.serial) {
            self.start(job, scene);
        }
        let (held, labels) = (&self.held, &self.labels);
        self.boxes
            .make(job, block, &mut self.changes, |slot, boxes| changes(boxes, &held[slot], labels.level(slot as u32)));
        self.follow(job, scene, block);
        let mut out = static_pairs(self.boxes.simd, job, scene, block);
        self.collect(job, scene, block, &mut out);
        in_order(scene.bodies.len(), out)
    }

    fn operations(&self) -> Operations {
        Operations { cells: self.labels.touched, ..self.operations }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_of_cells_are_found_for_all_samples_at_once() {
        let mut state = 11_u64;
        let mut next = |n: u32| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) % u64::from(n)) as u32
        };
        let (mut changed, mut all) = (0, 0);
        for level in [0, 1, 5, 20, 31, 32] {
            for _ in 0..40 {
                let scale = 1_u32 << level.min(28);
                let mut boxes = Boxes64::EMPTY;
                let mut at = [5 * scale + 1; 3];
                let mut list = vec![LatticeBox::EMPTY; 1];
                for s in 0..SAMPLES {
                    at = at.map(|v| v + next(scale / 2 + 2) - scale / 4);
                    let b = LatticeBox { min: at, max: at.map(|v| v + scale) };
                    if next(10) > 0 {
                        for k in 0..3 {
                            (boxes.columns[k][s], boxes.columns[k + 3][s]) = (b.min[k], b.max[k]);
                        }
                    }
                    list.push(boxes.get(s));
                }
                let cells = |b: &LatticeBox| (!b.is_empty()).then(|| cell_range(b, level));
                let found = changes(&boxes, &list[0], level);
                for s in 0..SAMPLES {
                    assert_eq!(
                        found >> s & 1 == 1,
                        cells(&list[s]) != cells(&list[s + 1]),
                        "level {level}, sample {s}"
                    );
                }
                changed += found.count_ones();
                all += 64;
            }
        }
        assert!(changed > all / 5 && changed < all * 4 / 5, "{changed} of {all}");
    }
}
