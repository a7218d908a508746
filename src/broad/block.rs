//! What every method does with a block: boxes of its slots, the pairs of static bodies, candidates in order.

use super::boxes::{Boxes64, Sweep};
use super::overlap::{lane_by_lane, one_against};
use super::set::{Found, PairSearch, Visit};
use super::simd::Simd;
use super::{BroadScene, FixedBoxes};
use crate::scene::{Candidate, FrameBlock, Scene};
use rayon::prelude::*;
use std::ops::Range;

/// Below so many bodies boxes are made on one thread.
const WORTH_THREADS: usize = 128;
/// Up to so many candidates are sorted on one thread.
const WORTH_SORTING_APART: usize = 1 << 14;

/// The boxes of the slots over a block.
#[derive(Debug)]
pub(super) struct BlockBoxes {
    pub(super) simd: Simd,
    /// Of each slot: its boxes, and those swept over the block or a part of it.
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
        self.sweeps.resize(slots, Sweep::EMPTY);
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

    /// Sweeps the boxes over a part of the block.
    pub(super) fn sweep(&mut self, range: Range<usize>) {
        let simd = self.simd;
        self.sweeps.resize(self.boxes.len(), Sweep::EMPTY);
        if self.boxes.len() < WORTH_THREADS || rayon::current_num_threads() == 1 {
            self.boxes.iter().zip(&mut self.sweeps).for_each(|(b, s)| *s = b.sweep_with(simd, range.clone()));
        } else {
            let each = self.boxes.par_iter().zip(&mut self.sweeps).with_min_len(64);
            each.for_each(|(b, s)| *s = b.sweep_with(simd, range.clone()));
        }
    }

    /// In which samples of the block two items overlap; not both are fixed. Items are the slots, then the fixed boxes.
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

/// The pairs of static bodies, if the query asks for them or no body is dynamic: once, in the first sample of all; in no
/// order.
pub(super) fn static_pairs(
    search: &impl PairSearch,
    simd: Simd,
    job: &BroadScene,
    scene: &Scene,
    block: &FrameBlock,
) -> Vec<Candidate> {
    if block.index != 0 || block.samples.is_empty() || !(scene.query.static_pairs || scene.dynamic.is_empty()) {
        return Vec::new();
    }
    search.within(simd, &job.fixed.set, &StaticPairs { job, scene }).candidates
}

/// Pairs of fixed boxes.
struct StaticPairs<'a> {
    job: &'a BroadScene,
    scene: &'a Scene,
}

impl Visit for StaticPairs<'_> {
    #[inline]
    fn pair(&self, first: u32, second: u32, found: &mut Found) {
        let bodies = &self.job.fixed.bodies;
        let (a, b) = (bodies[first as usize], bodies[second as usize]);
        let (a, b) = (a.min(b), a.max(b));
        if !self.scene.ignored.contains(a, b) {
            found.candidates.push(Candidate { a, b, samples: 1 });
        }
    }
}

/// Sorted by (a, b), the masks of one pair joined; `bodies`: how many there are.
pub(super) fn in_order(mut candidates: Vec<Candidate>, bodies: usize) -> Vec<Candidate> {
    if candidates.len() > bodies / 2 && candidates.len() > 256 {
        candidates = by_first(&candidates, bodies);
    } else {
        candidates.sort_unstable();
    }
    candidates.dedup_by(|next, kept| {
        let same = (next.a, next.b) == (kept.a, kept.b);
        if same {
            kept.samples |= next.samples;
        }
        same
    });
    candidates
}

/// Sorted: counted by the first body, then each body's few by the second.
fn by_first(candidates: &[Candidate], bodies: usize) -> Vec<Candidate> {
    let mut ends = vec![0_usize; bodies + 1];
    for c in candidates {
        ends[c.a as usize + 1] += 1;
    }
    for body in 0..bodies {
        ends[body + 1] += ends[body];
    }
    let mut sorted = vec![Candidate { a: 0, b: 0, samples: 0 }; candidates.len()];
    for c in candidates {
        let at = &mut ends[c.a as usize];
        sorted[*at] = *c;
        *at += 1;
    }
    if candidates.len() > WORTH_SORTING_APART && rayon::current_num_threads() > 1 {
        // Cut where bodies change: such stretches are sorted on their own.
        let mut stretches = Vec::new();
        let mut rest = sorted.as_mut_slice();
        while rest.len() > WORTH_SORTING_APART / 4 {
            let mut at = WORTH_SORTING_APART / 4;
            while at < rest.len() && rest[at - 1].a == rest[at].a {
                at += 1;
            }
            let (head, tail) = rest.split_at_mut(at);
            stretches.push(head);
            rest = tail;
        }
        stretches.push(rest);
        stretches.into_par_iter().for_each(sort_bodies);
    } else {
        sort_bodies(&mut sorted);
    }
    sorted
}

/// Sorts the candidates of each first body by the second.
fn sort_bodies(candidates: &mut [Candidate]) {
    for same in candidates.chunk_by_mut(|x, y| x.a == y.a) {
        same.sort_unstable_by_key(|c| (c.b, c.samples));
    }
}
