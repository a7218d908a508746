//! From a pair search to the candidates of a block: searches over swept boxes, then masks of the
//! pairs found.

use super::block_boxes::BlockBoxes;
use super::block_split::{BlockWork, SplitDepthRule, split_point};
use super::box_set::BoxSet;
use super::boxes::Boxes64;
use super::broad_phase::BroadPhase;
use super::broad_scene::BroadScene;
use super::merge::sort_and_merge;
use super::overlap::{lane_by_lane, one_against};
use super::pair_search::{PairSearch, PairVisitor, SearchResult};
use super::static_pairs::{static_pairs, static_pairs_of};
use clearsweep_model::{Candidate, FrameBlock, Scene};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// With fewer bodies than this, their bounds are copied on one thread.
const PARALLEL_THRESHOLD: usize = 8192;
/// The number of tests after which a task updates the shared count.
const COUNT_INTERVAL: u64 = 256;

/// The broad phase that applies a pair search to the swept boxes of a block.
#[derive(Debug)]
pub(super) struct Blockwise<S> {
    search: S,
    depth_rule: SplitDepthRule,
    /// Depth rule for the searches for candidates of intervals, whose boxes are larger.
    interval_depth_rule: SplitDepthRule,
    block: BlockBoxes,
    /// The index of the block whose samples the boxes are of, until they are replaced.
    made: Option<u64>,
    /// The union boxes of the slots over the range being searched.
    moving: BoxSet,
}

impl<S: PairSearch> Blockwise<S> {
    pub(super) fn new(search: S) -> Self {
        Self {
            search,
            depth_rule: SplitDepthRule::default(),
            interval_depth_rule: SplitDepthRule::default(),
            block: BlockBoxes::new(),
            made: None,
            moving: BoxSet::default(),
        }
    }

    /// Appends the candidates with a dynamic body to `out`. The block is split to the depth of the
    /// rule, and a range deeper if its search is abandoned.
    fn search_block(&mut self, job: &BroadScene, scene: &Scene, block: &FrameBlock, out: &mut Vec<Vec<Candidate>>) {
        let samples = block.samples.len();
        let depth = self.depth_rule.depth();
        let mut work = BlockWork::default();
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
                    out.extend(found.into_batches());
                    continue;
                }
            }
            let at = split_point(block, range.clone());
            let depth = depth.saturating_sub(1);
            open.push((at..range.end, depth));
            open.push((range.start..at, depth));
        }
        self.depth_rule.record(depth, samples, work);
    }

    /// Searches one range of samples, for which `self.block.sweeps` are the bounds.
    fn search_range(
        &mut self,
        job: &BroadScene,
        scene: &Scene,
        range: Range<usize>,
        work: &mut BlockWork,
    ) -> SearchResult {
        let sweeps = &self.block.sweeps;
        let present = sweeps.iter().zip(0_u32..).filter(|(sweep, _)| !sweep.union.is_empty());
        if sweeps.len() > PARALLEL_THRESHOLD && rayon::current_num_threads() > 1 {
            let slots: Vec<u32> = present.map(|(_, slot)| slot).collect();
            self.moving.par_fill(slots.len(), |i| (slots[i], sweeps[slots[i] as usize].union));
        } else {
            self.moving.fill(present.map(|(sweep, slot)| (slot, sweep.union)));
        }
        let fixed = &job.fixed;
        let budget = TestBudget::new(4096 + 16 * self.moving.len() as u64);
        let pairs = SampleTest {
            job,
            scene,
            block: &self.block,
            samples: (u64::MAX >> (64 - range.len())) << range.start,
            budget: &budget,
        };
        let (moving, with_fixed) = (MovingPairVisitor(&pairs), FixedPairVisitor(&pairs));
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
            self.made = Some(block.index);
            self.search_block(job, scene, block, &mut out);
        }
        sort_and_merge(out, scene.bodies.len())
    }

    fn static_candidates(&self, job: &BroadScene, scene: &Scene, bodies: Range<usize>) -> Vec<Candidate> {
        static_pairs_of(&self.search, self.block.simd, job, scene, bodies)
    }

    fn interval_candidates(&mut self, job: &BroadScene, scene: &Scene, block: &FrameBlock) -> Vec<Candidate> {
        if job.intervals.is_none() || block.samples.is_empty() || block.present.is_empty() {
            return Vec::new();
        }
        let mut out = Vec::new();
        // If the samples of the block were searched just before, its boxes are there.
        if self.made.take() != Some(block.index) {
            self.block.make(job, block, &mut Vec::<()>::new(), |_, _| ());
        }
        self.block.make_intervals(job, block);
        std::mem::swap(&mut self.depth_rule, &mut self.interval_depth_rule);
        self.search_block(job, scene, block, &mut out);
        std::mem::swap(&mut self.depth_rule, &mut self.interval_depth_rule);
        sort_and_merge(out, scene.bodies.len())
    }

    fn candidates_of_boxes(
        &mut self,
        job: &BroadScene,
        scene: &Scene,
        block: &FrameBlock,
        boxes: &mut Vec<Boxes64>,
    ) -> Option<Vec<Candidate>> {
        let mut out = Vec::new();
        self.made = None;
        std::mem::swap(&mut self.block.boxes, boxes);
        self.block.sweep(0..block.samples.len());
        self.search_block(job, scene, block, &mut out);
        std::mem::swap(&mut self.block.boxes, boxes);
        Some(sort_and_merge(out, scene.bodies.len()))
    }
}

/// Counts the tests of all tasks of a search and abandons the search when a smaller range of
/// samples would be cheaper.
#[derive(Debug)]
struct TestBudget {
    tests: AtomicU64,
    limit: u64,
    stop: AtomicBool,
}

impl TestBudget {
    fn new(limit: u64) -> Self {
        Self { tests: AtomicU64::new(0), limit, stop: AtomicBool::new(false) }
    }

    /// Counts [`COUNT_INTERVAL`] tests. A search is abandoned when it has tested many pairs per
    /// body and most of them overlap in no sample: over a smaller range, their swept boxes would be
    /// disjoint.
    fn count(&self, found: &mut SearchResult) {
        let tests = self.tests.fetch_add(COUNT_INTERVAL, Ordering::Relaxed) + COUNT_INTERVAL;
        if tests > self.limit && found.tests > 4 * found.kept {
            self.stop.store(true, Ordering::Relaxed);
        }
        found.stopped |= self.stop.load(Ordering::Relaxed);
    }
}

/// The test that decides in which samples a pair overlaps.
struct SampleTest<'a> {
    job: &'a BroadScene,
    scene: &'a Scene,
    block: &'a BlockBoxes,
    /// The mask of the samples being searched.
    samples: u64,
    budget: &'a TestBudget,
}

impl SampleTest<'_> {
    /// Records the pair with the samples that `test` returns, or with all of them, untested, if
    /// `always`.
    #[inline]
    fn decide(&self, (a, b): (u32, u32), always: bool, found: &mut SearchResult, test: impl Fn() -> u64) {
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
        if found.tests.is_multiple_of(COUNT_INTERVAL) {
            self.budget.count(found);
        }
    }
}

/// Receives pairs of slots.
struct MovingPairVisitor<'a>(&'a SampleTest<'a>);

impl PairVisitor for MovingPairVisitor<'_> {
    #[inline]
    fn visit(&self, first: u32, second: u32, found: &mut SearchResult) {
        let (p, block) = (self.0, self.0.block);
        let (i, j) = (first as usize, second as usize);
        let always = block.sweeps[i].intersection.overlaps(&block.sweeps[j].intersection);
        let bodies = (p.scene.dynamic[i], p.scene.dynamic[j]);
        p.decide(bodies, always, found, || lane_by_lane(block.simd, block.boxes[i].view(), block.boxes[j].view()));
    }
}

/// Receives pairs of a slot and a fixed box.
struct FixedPairVisitor<'a>(&'a SampleTest<'a>);

impl PairVisitor for FixedPairVisitor<'_> {
    #[inline]
    fn visit(&self, first: u32, second: u32, found: &mut SearchResult) {
        let (p, block) = (self.0, self.0.block);
        let (i, k) = (first as usize, second as usize);
        let fixed = p.job.fixed.set.get(k);
        let always = block.sweeps[i].intersection.overlaps(&fixed);
        let bodies = (p.scene.dynamic[i], p.job.fixed.bodies[k]);
        p.decide(bodies, always, found, || one_against(block.simd, &fixed, block.boxes[i].view(), 64));
    }
}
