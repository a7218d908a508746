//! The boxes of all slots over a block, and the samples in which two of them overlap.

use super::boxes::{Boxes64, SweptBounds};
use super::broad_scene::BroadScene;
use super::fixed_boxes::FixedBoxes;
use super::overlap::{lane_by_lane, one_against};
use clearsweep_base::simd::{Level, level};
use clearsweep_model::FrameBlock;
use rayon::prelude::*;
use std::ops::Range;

/// With fewer bodies than this, boxes are made on one thread.
const PARALLEL_THRESHOLD: usize = 128;

/// The boxes of the slots over a block.
#[derive(Debug)]
pub(super) struct BlockBoxes {
    pub(super) simd: Level,
    /// The boxes of each slot.
    pub(super) boxes: Vec<Boxes64>,
    /// The bounds of each slot over the block or a part of it.
    pub(super) sweeps: Vec<SweptBounds>,
}

impl BlockBoxes {
    pub(super) fn new() -> Self {
        Self { simd: level(), boxes: Vec::new(), sweeps: Vec::new() }
    }

    /// Makes the boxes of all slots of the job and their bounds over the block. `note(slot, boxes)`
    /// is called for each slot; its values go into `notes`.
    pub(super) fn make<N: Default + Clone + Send>(
        &mut self,
        job: &BroadScene,
        block: &FrameBlock,
        notes: &mut Vec<N>,
        note: impl Fn(usize, &Boxes64) -> N + Sync,
    ) {
        let slots = job.slots();
        let all = block.all_samples();
        let samples = block.samples.len();
        let simd = self.simd;
        self.boxes.resize(slots, Boxes64::EMPTY);
        self.sweeps.resize(slots, SweptBounds::EMPTY);
        notes.resize(slots, N::default());
        let make = |slot: usize, boxes: &mut Boxes64, sweep: &mut SweptBounds, out: &mut N| {
            let present = block.present.get(slot).map_or(0, |bits| bits & all);
            let lanes = if present == 0 { &[][..] } else { block.slot(slot) };
            *sweep = job.box_builder(slot).make(simd, lanes, present, samples, boxes);
            *out = note(slot, boxes);
        };
        if slots < PARALLEL_THRESHOLD || rayon::current_num_threads() == 1 {
            let each = self.boxes.iter_mut().zip(&mut self.sweeps).zip(notes).enumerate();
            each.for_each(|(slot, ((boxes, sweep), out))| make(slot, boxes, sweep, out));
        } else {
            let each = self
                .boxes
                .par_iter_mut()
                .zip(&mut self.sweeps)
                .zip(notes)
                .enumerate()
                .with_min_len(64)
                .with_max_len(1024);
            each.for_each(|(slot, ((boxes, sweep), out))| make(slot, boxes, sweep, out));
        }
    }

    /// Replaces the boxes of all slots, which are those of the samples of `block`, by the boxes of
    /// its intervals, and makes their bounds over the block.
    pub(super) fn make_intervals(&mut self, job: &BroadScene, block: &FrameBlock) {
        let Some(rule) = &job.intervals else { return };
        let (of_samples, after) = (rule.of_samples(block), job.boxes_after(block));
        let (simd, lattice) = (self.simd, job.lattice());
        let make = |slot: usize, boxes: &mut Boxes64, sweep: &mut SweptBounds| {
            let intervals = rule.intervals(block, of_samples, slot);
            *sweep = rule.make((simd, lattice), block, (slot, intervals), &after[slot], boxes);
        };
        if self.boxes.len() < PARALLEL_THRESHOLD || rayon::current_num_threads() == 1 {
            let each = self.boxes.iter_mut().zip(&mut self.sweeps).enumerate();
            each.for_each(|(slot, (boxes, sweep))| make(slot, boxes, sweep));
        } else {
            let each = self.boxes.par_iter_mut().zip(&mut self.sweeps).enumerate().with_min_len(64).with_max_len(1024);
            each.for_each(|(slot, (boxes, sweep))| make(slot, boxes, sweep));
        }
    }

    /// Computes the bounds of all slots over a part of the block.
    pub(super) fn sweep(&mut self, range: Range<usize>) {
        let simd = self.simd;
        self.sweeps.resize(self.boxes.len(), SweptBounds::EMPTY);
        if self.boxes.len() < PARALLEL_THRESHOLD || rayon::current_num_threads() == 1 {
            self.boxes.iter().zip(&mut self.sweeps).for_each(|(b, s)| *s = b.sweep_with(simd, range.clone()));
        } else {
            let each = self.boxes.par_iter().zip(&mut self.sweeps).with_min_len(64).with_max_len(1024);
            each.for_each(|(b, s)| *s = b.sweep_with(simd, range.clone()));
        }
    }

    /// The samples of the mask `all` in which two items overlap. `i` is a slot; `j` is a slot, or
    /// the number of slots plus the position of a fixed box.
    #[inline]
    pub(super) fn mask(&self, fixed: &FixedBoxes, all: u64, i: u32, j: u32) -> u64 {
        let (i, j) = (i as usize, j as usize);
        let slots = self.boxes.len();
        debug_assert!(i < slots, "the first item is a slot");
        let (one, own) = (&self.sweeps[i], &self.boxes[i]);
        if j < slots {
            let other = &self.sweeps[j];
            if !one.union.overlaps(&other.union) {
                0
            } else if one.intersection.overlaps(&other.intersection) {
                all
            } else {
                lane_by_lane(self.simd, own.view(), self.boxes[j].view()) & all
            }
        } else {
            let other = fixed.set.get(j - slots);
            if !one.union.overlaps(&other) {
                0
            } else if one.intersection.overlaps(&other) {
                all
            } else {
                one_against(self.simd, &other, own.view(), 64) & all
            }
        }
    }
}
