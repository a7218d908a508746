//! What the incremental methods share: the boxes of a block, pairs with a memory, candidates in order.
//!
//! An incremental method follows the samples one by one and keeps its structures from sample to sample and from block
//! to block. It knows bodies as *items*: the slots first, then the job's fixed boxes.

use super::boxes::{Boxes64, LatticeBox, Sweep};
use super::hash::Hash;
use super::overlap::{lane_by_lane, one_against};
use super::set::{Found, PairSearch, Visit};
use super::simd::Simd;
use super::{BroadScene, FixedBoxes};
use crate::scene::{Candidate, FrameBlock, Scene};
use indexmap::IndexMap;
use rayon::prelude::*;
use rustc_hash::FxBuildHasher;

/// Below so many bodies boxes are made on one thread.
const WORTH_THREADS: usize = 128;

/// What is remembered of pairs of items, by [`pair_key`]. Iteration goes by insertion and removal, not by hash.
pub(super) type Pairs<T> = IndexMap<u64, T, FxBuildHasher>;

/// A pair of items in either order as one number.
#[inline]
pub(super) fn pair_key(i: u32, j: u32) -> u64 {
    u64::from(i.min(j)) << 32 | u64::from(i.max(j))
}

/// The items of a key, the lower one first.
#[inline]
pub(super) fn items_of(key: u64) -> (u32, u32) {
    ((key >> 32) as u32, key as u32)
}

/// The boxes of the slots over a block.
#[derive(Debug)]
pub(super) struct BlockBoxes {
    pub(super) simd: Simd,
    /// Of each slot: its boxes, and those swept over the block.
    pub(super) boxes: Vec<Boxes64>,
    pub(super) sweeps: Vec<Sweep>,
}

impl BlockBoxes {
    pub(super) fn new() -> Self {
        Self { simd: Simd::detect(), boxes: Vec::new(), sweeps: Vec::new() }
    }

    /// Makes the boxes of all slots of the job, and calls `note(slot, boxes)` for each, whose value goes into `notes`.
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
        self.sweeps.resize(slots, Sweep { hull: LatticeBox::EMPTY, core: LatticeBox::EMPTY });
        notes.resize(slots, N::default());
        let make = |slot: usize, boxes: &mut Boxes64, sweep: &mut Sweep, out: &mut N| {
            let present = block.present.get(slot).map_or(0, |bits| bits & all);
            let lanes = if present == 0 { &[][..] } else { block.slot(slot) };
            *sweep = job.maker(slot).make(simd, lanes, present, samples, boxes);
            *out = note(slot, boxes);
        };
        if slots < WORTH_THREADS || rayon::current_num_threads() == 1 {
            let each = self.boxes.iter_mut().zip(&mut self.sweeps).zip(notes).enumerate();
            each.for_each(|(slot, ((boxes, sweep), out))| make(slot, boxes, sweep, out));
        } else {
            let each = self.boxes.par_iter_mut().zip(&mut self.sweeps).zip(notes).enumerate().with_min_len(64);
            each.for_each(|(slot, ((boxes, sweep), out))| make(slot, boxes, sweep, out));
        }
    }

    /// In which samples of the block two items overlap; not both are fixed.
    #[inline]
    pub(super) fn mask(&self, fixed: &FixedBoxes, all: u64, i: u32, j: u32) -> u64 {
        let (i, j) = (i as usize, j as usize);
        let slots = self.boxes.len();
        let (one, own) = (&self.sweeps[i], &self.boxes[i]);
        if j < slots {
            let other = &self.sweeps[j];
            if !one.hull.overlaps(&other.hull) {
                0
            } else if one.core.overlaps(&other.core) {
                all
            } else {
                lane_by_lane(self.simd, own.view(), self.boxes[j].view()) & all
            }
        } else {
            let other = fixed.set.get(j - slots);
            if !one.hull.overlaps(&other) {
                0
            } else if one.core.overlaps(&other) {
                all
            } else {
                one_against(self.simd, &other, own.view(), 64) & all
            }
        }
    }
}

/// The body (index into `scene.bodies`) of an item.
#[inline]
pub(super) fn body_of(job: &BroadScene, scene: &Scene, item: u32) -> u32 {
    let slots = job.slots();
    match (item as usize).checked_sub(slots) {
        None => scene.dynamic[item as usize],
        Some(k) => job.fixed.bodies[k],
    }
}

/// Whether the pair of two items is ignored.
#[inline]
pub(super) fn is_ignored(job: &BroadScene, scene: &Scene, i: u32, j: u32) -> bool {
    !scene.ignored.class.is_empty() && scene.ignored.contains(body_of(job, scene, i), body_of(job, scene, j))
}

/// The candidate of two items.
#[inline]
pub(super) fn candidate(job: &BroadScene, scene: &Scene, (i, j): (u32, u32), samples: u64) -> Candidate {
    let (a, b) = (body_of(job, scene, i), body_of(job, scene, j));
    Candidate { a: a.min(b), b: a.max(b), samples }
}

/// Sorts candidates by (a, b): counted into the rows of `a` first, since rows are short. No pair may come twice.
pub(super) fn in_order(bodies: usize, candidates: Vec<Candidate>) -> Vec<Candidate> {
    if candidates.len() < bodies / 4 {
        let mut candidates = candidates;
        candidates.sort_unstable();
        return candidates;
    }
    let mut ends = vec![0_usize; bodies + 1];
    for c in &candidates {
        ends[c.a as usize + 1] += 1;
    }
    for k in 1..ends.len() {
        ends[k] += ends[k - 1];
    }
    let mut sorted = vec![Candidate { a: 0, b: 0, samples: 0 }; candidates.len()];
    for c in candidates {
        let at = &mut ends[c.a as usize];
        sorted[*at] = c;
        *at += 1;
    }
    sorted.chunk_by_mut(|x, y| x.a == y.a).for_each(|row| row.sort_unstable_by_key(|c| c.b));
    sorted
}

/// The pairs of static bodies, if the query asks for them or no body is dynamic: once, in the first sample of all.
pub(super) fn static_pairs(simd: Simd, job: &BroadScene, scene: &Scene, block: &FrameBlock) -> Vec<Candidate> {
    struct Statics<'a>(&'a BroadScene, &'a Scene);
    impl Visit for Statics<'_> {
        #[inline]
        fn pair(&self, first: u32, second: u32, found: &mut Found) {
            let slots = self.0.slots() as u32;
            let items = (slots + first, slots + second);
            if !is_ignored(self.0, self.1, items.0, items.1) {
                found.candidates.push(candidate(self.0, self.1, items, 1));
            }
        }
    }
    if block.index != 0 || block.samples.is_empty() || !(scene.query.static_pairs || scene.dynamic.is_empty()) {
        return Vec::new();
    }
    let mut found = Hash.within(simd, &job.fixed.set, &Statics(job, scene)).candidates;
    found.sort_unstable();
    found.dedup();
    found
}

/// The boxes of all items sample by sample: what a method wants that looks at one sample at a time.
///
/// A slot's boxes lie side by side by sample. They are turned round sixteen samples at once, which is what a cache line
/// of a column holds.
#[derive(Debug, Default)]
pub(super) struct Rows {
    /// `[sample % ROWS][item]`.
    rows: Vec<Vec<LatticeBox>>,
}

/// Samples that are turned round at once.
const ROWS: usize = 16;

impl Rows {
    /// Rows for a job: the fixed boxes stand in each for good.
    pub(super) fn new(job: &BroadScene) -> Self {
        let set = &job.fixed.set;
        let row: Vec<_> =
            std::iter::repeat_n(LatticeBox::EMPTY, job.slots()).chain((0..set.len()).map(|k| set.get(k))).collect();
        Self { rows: vec![row; ROWS] }
    }

    /// The boxes of all items in a sample; samples are asked for in ascending order from 0.
    pub(super) fn at(&mut self, boxes: &[Boxes64], sample: usize) -> &[LatticeBox] {
        if sample.is_multiple_of(ROWS) {
            for (slot, boxes) in boxes.iter().enumerate() {
                for (s, row) in self.rows.iter_mut().enumerate() {
                    row[slot] = boxes.get(sample + s);
                }
            }
        }
        &self.rows[sample % ROWS]
    }
}

/// What a method has done since it was made: for experiments. Each counts what its algorithm is usually judged by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Operations {
    /// Hashing: labels written and taken off, and cells looked up.
    pub cells: u64,
    /// Coherent hashing: how often a body found another one in a cell that it entered; as published, also how often it
    /// left one behind (the changes of close counters).
    pub meetings: u64,
    /// Pairs of boxes that were tested.
    pub tests: u64,
    /// Sweep and prune: exchanges of neighbouring end points.
    pub swaps: u64,
    /// Sweep and prune: samples that were sorted afresh.
    pub sorts: u64,
}
