//! Sweep and prune: the end points of all boxes, sorted along each axis, kept from sample to sample.
//!
//! Source: Lin's survey, section 4.3 (I-COLLIDE: Cohen, Lin, Manocha, Ponamgi 1995). Two boxes overlap when their
//! intervals do along all three axes. Between samples little changes place, so sorting by insertion takes few
//! exchanges, and only an exchange of a lower end with an upper one changes how two intervals stand. The status of a
//! pair is not kept for each axis, which would take every pair near along *one*; instead the exchange that makes the
//! intervals of a pair overlap looks at its boxes, and one that parts them takes the pair off. A pair whose boxes come
//! to overlap has such an exchange along at least one axis, and one that overlaps throughout has none.
//!
//! Where motion is not small (the first sample, the start of a run) or end points cluster (Mirtich 1997, Figure 6), the
//! exchanges are quadratic: then the lists are sorted afresh and swept along the axis on which fewest intervals
//! overlap, so that a sample costs O(n log n) and that sweep.

mod endpoints;

use super::block::{BlockBoxes, sort_and_merge, static_pairs};
use super::boxes::LatticeBox;
use super::incremental::{OperationCounts, PairMap, SampleRows, candidate, is_ignored, items_of, pair_key};
use super::box_set::BoxSet;
use super::simd::Simd;
use super::{BroadPhase, BroadScene};
use crate::scene::{Candidate, FrameBlock, Scene};
use endpoints::{EndpointList, EndpointSwap};

/// Exchanges for each item and binary digit of their number, over all axes, that a sample may take by insertion. So many
/// cost about as much as sorting afresh does (six ends of an item, a few steps for each digit) with the sweep: a sample
/// that is given up takes no more than twice what it must.
const SWAPS: f64 = 8.0;
/// After samples that were given up, insertion is not tried for 1, 2, 4, ... samples, but for no more than this.
const LONGEST_PAUSE: u32 = 16;
/// No sample.
const NEVER: u8 = u8::MAX;

/// What is known of a pair that overlaps, or did in this block.
#[derive(Debug, Clone, Copy)]
struct PairStatus {
    /// The samples of the block that are settled.
    samples: u64,
    /// The first sample since when it overlaps; [`NEVER`] if it does not.
    since: u8,
}

impl PairStatus {
    /// Writes down the samples up to `end`, exclusive.
    fn settle(&mut self, end: usize) {
        if self.since != NEVER && usize::from(self.since) < end {
            self.samples |= u64::MAX >> (64 - (end - usize::from(self.since))) << self.since;
        }
    }
}

/// Sweep and prune.
#[derive(Debug)]
pub(super) struct SweepAndPrune {
    /// The job whose bodies are stored.
    job: Option<u64>,
    boxes: BlockBoxes,
    rows: SampleRows,
    axes: [EndpointList; 3],
    /// The boxes of all items in the sample before.
    before: Vec<LatticeBox>,
    pairs: PairMap<PairStatus>,
    sweeper: FullSweep,
    /// See [`SWAPS`].
    most_swaps: f64,
    /// How long insertion was not tried when it last failed, and for how many samples more it will not be.
    pause: u32,
    paused: u32,
    operations: OperationCounts,
}

/// The boxes of a sample, and what decides about pairs of them.
#[derive(Clone, Copy)]
struct CurrentSample<'a> {
    job: &'a BroadScene,
    scene: &'a Scene,
    boxes: &'a [LatticeBox],
    sample: usize,
}

impl SweepAndPrune {
    pub(super) fn new() -> Self {
        Self::with_limit(SWAPS)
    }

    /// Gives up sorting by insertion after `most_swaps` exchanges for each item and digit: see [`SWAPS`].
    pub(super) fn with_limit(most_swaps: f64) -> Self {
        Self {
            job: None,
            boxes: BlockBoxes::new(),
            rows: SampleRows::default(),
            axes: Default::default(),
            before: Vec::new(),
            pairs: PairMap::default(),
            sweeper: FullSweep::default(),
            most_swaps,
            pause: 0,
            paused: 0,
            operations: OperationCounts::default(),
        }
    }

    /// Lists for the items of a job, whose moving ones are nowhere yet.
    fn start(&mut self, job: &BroadScene) {
        let items = job.slots() + job.fixed.set.len();
        self.axes = std::array::from_fn(|_| EndpointList::new(items));
        self.rows = SampleRows::new(job);
        self.before.clear();
        self.before.resize(items, LatticeBox::EMPTY);
        self.pairs.clear();
        self.job = Some(job.serial);
    }

    /// Goes on to the next sample by insertion if that is likely to stay within the limit; tells whether it did.
    fn try_advance(&mut self, now: CurrentSample<'_>) -> bool {
        if self.paused > 0 {
            self.paused -= 1;
            return false;
        }
        let done = self.advance(now);
        self.pause = if done { 0 } else { (2 * self.pause).clamp(1, LONGEST_PAUSE) };
        self.paused = self.pause;
        done
    }

    /// Goes on to the next sample by insertion; tells whether that stayed within the limit.
    fn advance(&mut self, now: CurrentSample<'_>) -> bool {
        let Self { axes, pairs, before, operations, .. } = self;
        let items = now.boxes.len() as f64;
        let mut limit = (self.most_swaps * items * (items + 2.0).log2()) as u64;
        for (k, axis) in axes.iter_mut().enumerate() {
            axis.take(now.boxes, k);
            let swaps = axis.settle(limit, |pass, i, j| {
                let at = |boxes: &[LatticeBox]| boxes[i as usize].overlaps(&boxes[j as usize]);
                operations.tests += 1;
                match pass {
                    EndpointSwap::Begin if at(now.boxes) => now.begin(pairs, i, j),
                    EndpointSwap::End if at(before) => now.end(pairs, i, j),
                    _ => {}
                }
            });
            operations.swaps += swaps;
            if swaps > limit {
                return false;
            }
            limit -= swaps;
        }
        true
    }

    /// Finds the pairs of a sample without regard to the one before.
    fn afresh(&mut self, now: CurrentSample<'_>) {
        let Self { axes, pairs, operations, sweeper, .. } = self;
        operations.sorts += 1;
        for (k, axis) in axes.iter_mut().enumerate() {
            axis.take(now.boxes, k);
            axis.sort();
        }
        for index in 0..pairs.len() {
            let (&key, overlap) = pairs.get_index_mut(index).expect("an index below the length");
            let (i, j) = items_of(key);
            if !now.boxes[i as usize].overlaps(&now.boxes[j as usize]) {
                overlap.settle(now.sample);
                overlap.since = NEVER;
            }
        }
        let best = (0..3).min_by_key(|&k| axes[k].overlaps()).unwrap_or(0);
        operations.tests += sweeper
            .sweep(self.boxes.simd, now.job.slots(), &axes[best], best, now.boxes, |i, j| now.begin(pairs, i, j));
    }

    /// The candidates of the block; pairs that overlap in its last sample are kept for the next.
    fn collect(&mut self, job: &BroadScene, scene: &Scene, samples: usize, out: &mut Vec<Candidate>) {
        let pairs = &mut self.pairs;
        for index in (0..pairs.len()).rev() {
            let (&key, overlap) = pairs.get_index_mut(index).expect("an index below the length");
            overlap.settle(samples);
            let mask = std::mem::take(&mut overlap.samples);
            if mask != 0 {
                out.push(candidate(job, scene, items_of(key), mask));
            }
            if overlap.since == NEVER {
                pairs.swap_remove_index(index);
            } else {
                overlap.since = 0;
            }
        }
    }
}

impl CurrentSample<'_> {
    /// The boxes of two items overlap: from now on, if they did not already.
    #[inline]
    fn begin(&self, pairs: &mut PairMap<PairStatus>, i: u32, j: u32) {
        let slots = self.job.slots() as u32;
        if i >= slots && j >= slots || is_ignored(self.job, self.scene, i, j) {
            return;
        }
        let overlap = pairs.entry(pair_key(i, j)).or_insert(PairStatus { samples: 0, since: NEVER });
        if overlap.since == NEVER {
            overlap.since = self.sample as u8;
        }
    }

    /// The boxes of two items overlap no more.
    #[inline]
    fn end(&self, pairs: &mut PairMap<PairStatus>, i: u32, j: u32) {
        if let Some(overlap) = pairs.get_mut(&pair_key(i, j)) {
            overlap.settle(self.sample);
            overlap.since = NEVER;
        }
    }
}

impl BroadPhase for SweepAndPrune {
    fn name(&self) -> &'static str {
        "sweep"
    }

    fn candidates(&mut self, job: &BroadScene, scene: &Scene, block: &FrameBlock) -> Vec<Candidate> {
        if block.samples.is_empty() {
            return Vec::new();
        }
        let mut jumps = block.starts_run;
        if self.job != Some(job.serial) {
            self.start(job);
            jumps |= 1;
        }
        self.boxes.make(job, block, &mut Vec::<()>::new(), |_, _| ());
        let mut rows = std::mem::take(&mut self.rows);
        for sample in 0..block.samples.len() {
            let boxes = rows.at(&self.boxes.boxes, sample);
            let now = CurrentSample { job, scene, boxes, sample };
            if jumps >> sample & 1 == 1 || !self.try_advance(now) {
                self.afresh(now);
            }
            self.before.copy_from_slice(boxes);
        }
        self.rows = rows;
        let mut out = static_pairs(&super::hash::SpatialHash, self.boxes.simd, job, scene, block);
        self.collect(job, scene, block.samples.len(), &mut out);
        sort_and_merge(out, scene.bodies.len())
    }

    fn operations(&self) -> OperationCounts {
        self.operations
    }
}

/// Finds all overlapping pairs of a sample by a sweep along one axis. Kept for its storage.
#[derive(Debug, Default)]
struct FullSweep {
    moving: SortedBoxes,
    fixed: SortedBoxes,
}

/// Boxes by their lower end along an axis.
#[derive(Debug, Default)]
struct SortedBoxes {
    set: BoxSet,
    lower: Vec<u32>,
}

impl SortedBoxes {
    fn fill(&mut self, boxes: &[LatticeBox], k: usize, items: impl Iterator<Item = u32>) {
        let lower = &mut self.lower;
        lower.clear();
        self.set.fill(items.map(|item| (item, boxes[item as usize])).inspect(|(_, b)| lower.push(b.min[k])));
    }

    /// Calls `hit` with the items that overlap `one` and whose lower end is in `from..=to`; counts the looks.
    fn within(
        &self,
        simd: Simd,
        one: &LatticeBox,
        [from, to]: [u32; 2],
        after: usize,
        mut hit: impl FnMut(u32),
    ) -> u64 {
        let first = after.max(self.lower.partition_point(|&v| v < from));
        let last = self.lower.partition_point(|&v| v <= to);
        self.set.overlapping(simd, one, first, last, |index| hit(self.set.ids[index]));
        last.saturating_sub(first) as u64
    }
}

impl FullSweep {
    /// Calls `hit` with every overlapping pair, not both fixed: of two boxes, the one whose lower end comes second has
    /// it within the interval of the first. Returns the number of pairs that were compared.
    fn sweep(
        &mut self,
        simd: Simd,
        slots: usize,
        axis: &EndpointList,
        k: usize,
        boxes: &[LatticeBox],
        mut hit: impl FnMut(u32, u32),
    ) -> u64 {
        let Self { moving, fixed } = self;
        moving.fill(boxes, k, axis.by_lower_end().filter(|&item| (item as usize) < slots));
        fixed.fill(boxes, k, axis.by_lower_end().filter(|&item| item as usize >= slots));
        let mut tests = 0;
        for index in 0..moving.lower.len() {
            let (item, one) = (moving.set.ids[index], moving.set.get(index));
            let reach = [one.min[k], one.max[k]];
            tests += moving.within(simd, &one, reach, index + 1, |other| hit(item, other));
            tests += fixed.within(simd, &one, reach, 0, |other| hit(item, other));
        }
        for index in 0..fixed.lower.len() {
            let (item, one) = (fixed.set.ids[index], fixed.set.get(index));
            // Equal lower ends were met above.
            let reach = [one.min[k] + 1, one.max[k]];
            tests += moving.within(simd, &one, reach, 0, |other| hit(item, other));
        }
        tests
    }
}
