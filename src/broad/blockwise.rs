//! From a search for pairs to the candidates of a block: boxes, searches over swept boxes, tests into masks.

use super::boxes::{Boxes64, Sweep};
use super::cut::{CutRule, Work, cut};
use super::overlap::{lane_by_lane, one_against};
use super::set::{BoxSet, Found, PairSearch, Visit};
use super::simd::Simd;
use super::{BroadPhase, BroadScene};
use crate::scene::{Candidate, FrameBlock, Scene};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Below so many bodies boxes are made on one thread.
const WORTH_THREADS: usize = 128;
/// Up to so many candidates are sorted on one thread.
const WORTH_SORTING_APART: usize = 1 << 14;
/// Tests between two looks at the tally.
const TALLY: u64 = 256;

/// A broad phase made of a pair search.
#[derive(Debug)]
pub(super) struct Blockwise<S> {
    search: S,
    simd: Simd,
    cuts: CutRule,
    /// Of each slot: its boxes, and those swept over the samples in question. Kept for their storage.
    boxes: Vec<Boxes64>,
    sweeps: Vec<Sweep>,
    moving: BoxSet,
}

impl<S: PairSearch> Blockwise<S> {
    pub(super) fn new(search: S) -> Self {
        Self {
            search,
            simd: Simd::detect(),
            cuts: CutRule::default(),
            boxes: Vec::new(),
            sweeps: Vec::new(),
            moving: BoxSet::default(),
        }
    }

    /// Boxes of all slots, and their sweeps over the block.
    fn make_boxes(&mut self, job: &BroadScene, block: &FrameBlock) {
        let slots = block.present.len().min(job.slots());
        let samples = block.samples.len();
        let all = block.all_samples();
        self.boxes.resize(slots, Boxes64::EMPTY);
        self.sweeps.resize(slots, Sweep::EMPTY);
        let simd = self.simd;
        let make = |slot: usize, boxes: &mut Boxes64, sweep: &mut Sweep| {
            *sweep = job.maker(slot).make(simd, block.slot(slot), block.present[slot] & all, samples, boxes);
        };
        if slots < WORTH_THREADS || rayon::current_num_threads() == 1 {
            for (slot, (boxes, sweep)) in self.boxes.iter_mut().zip(&mut self.sweeps).enumerate() {
                make(slot, boxes, sweep);
            }
        } else {
            let each = self.boxes.par_iter_mut().zip(&mut self.sweeps).enumerate().with_min_len(64);
            each.for_each(|(slot, (boxes, sweep))| make(slot, boxes, sweep));
        }
    }

    /// The candidates with a dynamic body, cut to `depth` before the first search and deeper where that is cheaper.
    fn search_block(&mut self, job: &BroadScene, scene: &Scene, block: &FrameBlock, out: &mut Vec<Candidate>) {
        let samples = block.samples.len();
        let depth = self.cuts.depth();
        let mut work = Work::default();
        let mut swept = 0..samples;
        let mut open = vec![(0..samples, depth)];
        while let Some((range, depth)) = open.pop() {
            if depth == 0 || range.len() == 1 {
                if swept != range {
                    swept = range.clone();
                    self.sweep(range.clone());
                }
                let found = self.search_range(job, scene, range.clone(), &mut work);
                if !found.stopped {
                    out.extend(found.candidates);
                    continue;
                }
            }
            let at = cut(block, range.clone());
            let depth = depth.saturating_sub(1);
            open.push((at..range.end, depth));
            open.push((range.start..at, depth));
        }
        self.cuts.record(depth, samples, work);
    }

    /// Sweeps the boxes over a part of the block.
    fn sweep(&mut self, range: Range<usize>) {
        let simd = self.simd;
        if self.boxes.len() < WORTH_THREADS || rayon::current_num_threads() == 1 {
            self.boxes.iter().zip(&mut self.sweeps).for_each(|(b, s)| *s = b.sweep_with(simd, range.clone()));
        } else {
            let each = self.boxes.par_iter().zip(&mut self.sweeps).with_min_len(64);
            each.for_each(|(b, s)| *s = b.sweep_with(simd, range.clone()));
        }
    }

    /// One search over the current sweeps, which are those of `range`.
    fn search_range(&mut self, job: &BroadScene, scene: &Scene, range: Range<usize>, work: &mut Work) -> Found {
        let hulls = self.sweeps.iter().zip(0_u32..).map(|(sweep, slot)| (slot, sweep.hull));
        self.moving.fill(hulls.filter(|(_, hull)| !hull.is_empty()));
        let fixed = &job.fixed;
        let tally = Tally::new(4096 + 16 * self.moving.len() as u64);
        let pairs = SamplePairs {
            simd: self.simd,
            job,
            scene,
            boxes: &self.boxes,
            sweeps: &self.sweeps,
            samples: (u64::MAX >> (64 - range.len())) << range.start,
            tally: &tally,
        };
        let (moving, with_fixed) = (MovingPairs(&pairs), FixedPairs(&pairs));
        let found = self.search.both(self.simd, &self.moving, fixed, &moving, &with_fixed);
        work.search += self.search.cost(self.moving.len(), fixed.set.len());
        work.tests += found.tests;
        found
    }
}

impl<S: PairSearch> BroadPhase for Blockwise<S> {
    fn name(&self) -> &'static str {
        self.search.name()
    }

    fn candidates(&mut self, job: &BroadScene, scene: &Scene, block: &FrameBlock) -> Vec<Candidate> {
        let mut out = Vec::new();
        if block.samples.is_empty() {
            return out;
        }
        if block.index == 0 && (scene.query.static_pairs || scene.dynamic.is_empty()) {
            out = self.search.within(self.simd, &job.fixed.set, &StaticPairs { job, scene }).candidates;
        }
        if !block.present.is_empty() {
            self.make_boxes(job, block);
            self.search_block(job, scene, block, &mut out);
        }
        in_order(out, scene.bodies.len())
    }

    fn candidates_of_boxes(
        &mut self,
        job: &BroadScene,
        scene: &Scene,
        block: &FrameBlock,
        boxes: &mut Vec<Boxes64>,
    ) -> Option<Vec<Candidate>> {
        let mut out = Vec::new();
        std::mem::swap(&mut self.boxes, boxes);
        self.sweeps.resize(self.boxes.len(), Sweep::EMPTY);
        self.sweep(0..block.samples.len());
        self.search_block(job, scene, block, &mut out);
        std::mem::swap(&mut self.boxes, boxes);
        Some(in_order(out, scene.bodies.len()))
    }
}

/// Sorted by (a, b), the masks of one pair joined; `bodies`: how many there are.
fn in_order(mut candidates: Vec<Candidate>, bodies: usize) -> Vec<Candidate> {
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

/// Counts the tests of all tasks of a search and ends one that is not worth going on.
#[derive(Debug)]
struct Tally {
    tests: AtomicU64,
    limit: u64,
    stop: AtomicBool,
}

impl Tally {
    fn new(limit: u64) -> Self {
        Self { tests: AtomicU64::new(0), limit, stop: AtomicBool::new(false) }
    }

    /// To be called once in [`TALLY`] tests. A search stops when it has tested many pairs for each body, most of them
    /// in vain: a smaller range would have kept them apart.
    fn note(&self, found: &mut Found) {
        let tests = self.tests.fetch_add(TALLY, Ordering::Relaxed) + TALLY;
        if tests > self.limit && found.tests > 4 * found.kept {
            self.stop.store(true, Ordering::Relaxed);
        }
        found.stopped |= self.stop.load(Ordering::Relaxed);
    }
}

/// What it takes to decide in which samples a pair comes near.
struct SamplePairs<'a> {
    simd: Simd,
    job: &'a BroadScene,
    scene: &'a Scene,
    boxes: &'a [Boxes64],
    sweeps: &'a [Sweep],
    /// The samples being searched.
    samples: u64,
    tally: &'a Tally,
}

impl SamplePairs<'_> {
    /// Records the pair in the samples where `test` says so; in all of them, untested, where `always`.
    #[inline]
    fn decide(&self, (a, b): (u32, u32), always: bool, found: &mut Found, test: impl Fn() -> u64) {
        let (a, b) = (a.min(b), a.max(b));
        if self.scene.ignored.contains(a, b) {
            return;
        }
        if always {
            found.candidates.push(Candidate { a, b, samples: self.samples });
            return;
        }
        let samples = test() & self.samples;
        found.tests += 1;
        if samples != 0 {
            found.kept += 1;
            found.candidates.push(Candidate { a, b, samples });
        }
        if found.tests.is_multiple_of(TALLY) {
            self.tally.note(found);
        }
    }
}

/// Pairs of slots.
struct MovingPairs<'a>(&'a SamplePairs<'a>);

impl Visit for MovingPairs<'_> {
    #[inline]
    fn pair(&self, first: u32, second: u32, found: &mut Found) {
        let p = self.0;
        let (i, j) = (first as usize, second as usize);
        let always = p.sweeps[i].core.overlaps(&p.sweeps[j].core);
        let bodies = (p.scene.dynamic[i], p.scene.dynamic[j]);
        p.decide(bodies, always, found, || lane_by_lane(p.simd, p.boxes[i].view(), p.boxes[j].view()));
    }
}

/// Pairs of a slot and a fixed box.
struct FixedPairs<'a>(&'a SamplePairs<'a>);

impl Visit for FixedPairs<'_> {
    #[inline]
    fn pair(&self, first: u32, second: u32, found: &mut Found) {
        let p = self.0;
        let (i, k) = (first as usize, second as usize);
        let fixed = p.job.fixed.set.get(k);
        let always = p.sweeps[i].core.overlaps(&fixed);
        let bodies = (p.scene.dynamic[i], p.job.fixed.bodies[k]);
        p.decide(bodies, always, found, || one_against(p.simd, &fixed, p.boxes[i].view(), 64));
    }
}

/// Pairs of fixed boxes: once, in the first sample of all.
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
