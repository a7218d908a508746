//! From a search for pairs to the candidates of a block: searches over swept boxes, tests into masks.

use super::block::{BlockBoxes, in_order, static_pairs};
use super::boxes::Boxes64;
use super::cut::{CutRule, Work, cut};
use super::overlap::{lane_by_lane, one_against};
use super::set::{BoxSet, Found, PairSearch, Visit};
use super::{BroadPhase, BroadScene};
use crate::scene::{Candidate, FrameBlock, Scene};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Tests between two looks at the tally.
const TALLY: u64 = 256;

/// A broad phase made of a pair search.
#[derive(Debug)]
pub(super) struct Blockwise<S> {
    search: S,
    cuts: CutRule,
    /// Swept over the samples in question.
    block: BlockBoxes,
    moving: BoxSet,
}

impl<S: PairSearch> Blockwise<S> {
    pub(super) fn new(search: S) -> Self {
        Self { search, cuts: CutRule::default(), block: BlockBoxes::new(), moving: BoxSet::default() }
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
                    self.block.sweep(range.clone());
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

    /// One search over the current sweeps, which are those of `range`.
    fn search_range(&mut self, job: &BroadScene, scene: &Scene, range: Range<usize>, work: &mut Work) -> Found {
        let hulls = self.block.sweeps.iter().zip(0_u32..).map(|(sweep, slot)| (slot, sweep.hull));
        self.moving.fill(hulls.filter(|(_, hull)| !hull.is_empty()));
        let fixed = &job.fixed;
        let tally = Tally::new(4096 + 16 * self.moving.len() as u64);
        let pairs = SamplePairs {
            job,
            scene,
            block: &self.block,
            samples: (u64::MAX >> (64 - range.len())) << range.start,
            tally: &tally,
        };
        let (moving, with_fixed) = (MovingPairs(&pairs), FixedPairs(&pairs));
        let found = self.search.both(self.block.simd, &self.moving, fixed, &moving, &with_fixed);
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
        if block.samples.is_empty() {
            return Vec::new();
        }
        let mut out = static_pairs(&self.search, self.block.simd, job, scene, block);
        if !block.present.is_empty() {
            self.block.make(job, block, &mut Vec::<()>::new(), |_, _| ());
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
        std::mem::swap(&mut self.block.boxes, boxes);
        self.block.sweep(0..block.samples.len());
        self.search_block(job, scene, block, &mut out);
        std::mem::swap(&mut self.block.boxes, boxes);
        Some(in_order(out, scene.bodies.len()))
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
    job: &'a BroadScene,
    scene: &'a Scene,
    block: &'a BlockBoxes,
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
        let (p, block) = (self.0, self.0.block);
        let (i, j) = (first as usize, second as usize);
        let always = block.sweeps[i].core.overlaps(&block.sweeps[j].core);
        let bodies = (p.scene.dynamic[i], p.scene.dynamic[j]);
        p.decide(bodies, always, found, || lane_by_lane(block.simd, block.boxes[i].view(), block.boxes[j].view()));
    }
}

/// Pairs of a slot and a fixed box.
struct FixedPairs<'a>(&'a SamplePairs<'a>);

impl Visit for FixedPairs<'_> {
    #[inline]
    fn pair(&self, first: u32, second: u32, found: &mut Found) {
        let (p, block) = (self.0, self.0.block);
        let (i, k) = (first as usize, second as usize);
        let fixed = p.job.fixed.set.get(k);
        let always = block.sweeps[i].core.overlaps(&fixed);
        let bodies = (p.scene.dynamic[i], p.job.fixed.bodies[k]);
        p.decide(bodies, always, found, || one_against(block.simd, &fixed, block.boxes[i].view(), 64));
    }
}
