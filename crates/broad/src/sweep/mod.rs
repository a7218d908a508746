//! Sweep and prune: the endpoints of all boxes, sorted along each axis, are kept from sample to
//! sample.
//!
//! Source: Lin's survey, section 4.3 (I-COLLIDE: Cohen, Lin, Manocha and Ponamgi 1995). Two boxes
//! overlap when their intervals overlap along all three axes. Between samples few endpoints change
//! places, so insertion sort takes few exchanges, and only an exchange of a lower with an upper
//! endpoint changes whether two intervals overlap. The overlap status is not kept for each axis,
//! since that would take every pair that overlaps along *one*. Instead, an exchange that begins an
//! overlap of intervals compares the two boxes, and one that ends an overlap removes the pair. A
//! pair whose boxes begin to overlap has an exchange that begins it along at least one axis; a pair
//! that overlaps throughout has none.
//!
//! If motion is large (the first sample, the start of a run) or endpoints cluster (Mirtich 1997,
//! Figure 6), the number of exchanges is quadratic. Then the lists are sorted from scratch and
//! swept along the axis with the fewest overlapping intervals. So a sample costs O(n log n) and
//! that sweep.

mod endpoints;
mod full_sweep;

use super::block_boxes::BlockBoxes;
use super::blockwise::Blockwise;
use super::boxes::LatticeBox;
use super::broad_phase::{BroadPhase, OperationCounts};
use super::broad_scene::BroadScene;
use super::hash::SpatialHash;
use super::incremental::{PairMap, SampleRows, candidate, is_ignored, items_of, pair_key};
use super::merge::sort_and_merge;
use super::static_pairs::{static_pairs, static_pairs_of};
use clearsweep_model::{Candidate, FrameBlock, Scene};
use endpoints::{EndpointList, EndpointSwap};
use full_sweep::FullSweep;
use std::ops::Range;

/// The exchanges that insertion sort may take in a sample, over all axes, per item and binary digit
/// of the number of items. That number of exchanges costs about as much as sorting from scratch
/// (six endpoints per item, a few steps for each digit) with the sweep: a sample in which insertion
/// sort is abandoned takes no more than twice the necessary time.
const SWAP_LIMIT: f64 = 8.0;
/// The most samples for which insertion sort is not tried after failures. The pause doubles with
/// each failure: 1, 2, 4, ...
const LONGEST_PAUSE: u32 = 16;
/// The value of [`PairStatus::since`] of a pair that does not overlap.
const NEVER: u8 = u8::MAX;

/// The status of a pair that overlaps now or overlapped in this block.
#[derive(Debug, Clone, Copy)]
struct PairStatus {
    /// The samples of the block in which the pair overlapped until it last ceased to.
    samples: u64,
    /// The first sample of the current overlap; [`NEVER`] if the pair does not overlap.
    since: u8,
}

impl PairStatus {
    /// Records the samples of the current overlap up to `end`, exclusive.
    fn record(&mut self, end: usize) {
        if self.since != NEVER && usize::from(self.since) < end {
            self.samples |= u64::MAX >> (64 - (end - usize::from(self.since))) << self.since;
        }
    }
}

/// Sweep and prune.
#[derive(Debug)]
pub(super) struct SweepAndPrune {
    /// The serial number of the job whose bodies are stored.
    job: Option<u64>,
    boxes: BlockBoxes,
    rows: SampleRows,
    axes: [EndpointList; 3],
    /// The boxes of all items in the previous sample.
    before: Vec<LatticeBox>,
    pairs: PairMap<PairStatus>,
    full_sweep: FullSweep,
    /// See [`SWAP_LIMIT`].
    most_swaps: f64,
    /// The length of the last pause of insertion sort, samples.
    pause: u32,
    /// The samples that are left of the current pause.
    paused: u32,
    operations: OperationCounts,
    /// Searches for the candidates of intervals.
    intervals: Blockwise<SpatialHash>,
}

/// The boxes of all items in the current sample.
#[derive(Clone, Copy)]
struct CurrentSample<'a> {
    job: &'a BroadScene,
    scene: &'a Scene,
    boxes: &'a [LatticeBox],
    sample: usize,
}

impl SweepAndPrune {
    pub(super) fn new() -> Self {
        Self::with_limit(SWAP_LIMIT)
    }

    /// Sweep and prune that abandons insertion sort after `most_swaps` exchanges per item and
    /// digit: see [`SWAP_LIMIT`].
    pub(super) fn with_limit(most_swaps: f64) -> Self {
        Self {
            job: None,
            boxes: BlockBoxes::new(),
            rows: SampleRows::default(),
            axes: Default::default(),
            before: Vec::new(),
            pairs: PairMap::default(),
            full_sweep: FullSweep::default(),
            most_swaps,
            pause: 0,
            paused: 0,
            operations: OperationCounts::default(),
            intervals: Blockwise::new(SpatialHash::DEFAULT),
        }
    }

    /// Starts a job: makes the lists of its items. The boxes of its dynamic bodies are empty yet.
    fn start(&mut self, job: &BroadScene) {
        let items = job.slots() + job.fixed.set.len();
        self.axes = std::array::from_fn(|_| EndpointList::new(items));
        self.rows = SampleRows::new(job);
        self.before.clear();
        self.before.resize(items, LatticeBox::EMPTY);
        self.pairs.clear();
        self.job = Some(job.serial);
    }

    /// Advances to the current sample by insertion sort unless that is paused; returns whether it
    /// succeeded.
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

    /// Advances to the current sample by insertion sort; returns whether that stayed within the
    /// limit.
    fn advance(&mut self, now: CurrentSample<'_>) -> bool {
        let Self { axes, pairs, before, operations, .. } = self;
        let items = now.boxes.len() as f64;
        let mut limit = (self.most_swaps * items * (items + 2.0).log2()) as u64;
        for (k, axis) in axes.iter_mut().enumerate() {
            axis.update(now.boxes, k);
            let swaps = axis.insertion_sort(limit, |swap, i, j| {
                let at = |boxes: &[LatticeBox]| boxes[i as usize].overlaps(&boxes[j as usize]);
                operations.tests += 1;
                match swap {
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

    /// Finds the pairs of the current sample from scratch.
    fn rebuild(&mut self, now: CurrentSample<'_>) {
        let Self { axes, pairs, operations, full_sweep, .. } = self;
        operations.sorts += 1;
        for (k, axis) in axes.iter_mut().enumerate() {
            axis.update(now.boxes, k);
            axis.sort();
        }
        for index in 0..pairs.len() {
            let (&key, overlap) = pairs.get_index_mut(index).expect("an index below the length");
            let (i, j) = items_of(key);
            if !now.boxes[i as usize].overlaps(&now.boxes[j as usize]) {
                overlap.record(now.sample);
                overlap.since = NEVER;
            }
        }
        let best = (0..3).min_by_key(|&k| axes[k].overlaps()).unwrap_or(0);
        operations.tests += full_sweep
            .sweep(self.boxes.simd, now.job.slots(), &axes[best], best, now.boxes, |i, j| now.begin(pairs, i, j));
    }

    /// Appends the candidates of the block to `out`. Pairs that overlap in its last sample are kept
    /// for the next block.
    fn collect(&mut self, job: &BroadScene, scene: &Scene, samples: usize, out: &mut Vec<Candidate>) {
        let pairs = &mut self.pairs;
        for index in (0..pairs.len()).rev() {
            let (&key, overlap) = pairs.get_index_mut(index).expect("an index below the length");
            overlap.record(samples);
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
    /// Records that the boxes of two items overlap in the current sample.
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

    /// Records that the boxes of two items have ceased to overlap.
    #[inline]
    fn end(&self, pairs: &mut PairMap<PairStatus>, i: u32, j: u32) {
        if let Some(overlap) = pairs.get_mut(&pair_key(i, j)) {
            overlap.record(self.sample);
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
        let mut discontinuities = block.starts_run;
        if self.job != Some(job.serial) {
            self.start(job);
            discontinuities |= 1;
        }
        self.boxes.make(job, block, &mut Vec::<()>::new(), |_, _| ());
        let mut rows = std::mem::take(&mut self.rows);
        for sample in 0..block.samples.len() {
            let boxes = rows.at(&self.boxes.boxes, sample);
            let now = CurrentSample { job, scene, boxes, sample };
            if discontinuities >> sample & 1 == 1 || !self.try_advance(now) {
                self.rebuild(now);
            }
            self.before.copy_from_slice(boxes);
        }
        self.rows = rows;
        let mut batches = static_pairs(&SpatialHash::DEFAULT, self.boxes.simd, job, scene, block);
        let mut out = Vec::new();
        self.collect(job, scene, block.samples.len(), &mut out);
        batches.push(out);
        sort_and_merge(batches, scene.bodies.len())
    }

    /// Searches each block alone: endpoints are kept for the boxes of samples only.
    fn interval_candidates(&mut self, job: &BroadScene, scene: &Scene, block: &FrameBlock) -> Vec<Candidate> {
        self.intervals.interval_candidates(job, scene, block)
    }

    fn static_candidates(&self, job: &BroadScene, scene: &Scene, bodies: Range<usize>) -> Vec<Candidate> {
        static_pairs_of(&SpatialHash::DEFAULT, self.boxes.simd, job, scene, bodies)
    }

    fn operations(&self) -> OperationCounts {
        self.operations
    }
}
