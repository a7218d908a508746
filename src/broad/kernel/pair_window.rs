//! A window of pairs: as many as fit into the buffers, of which the masks are found and those that overlap are kept.

use super::Kernel;
use super::failure::DeviceFailure;
use super::machine::{KernelMachine, Region};
use super::prefix_sum::PrefixSum;
use super::records::{FoundPair, ItemPair, ItemParams, LANES, MaskParams};

/// Workgroups that go through the pairs of a window.
const MASK_GROUPS: u32 = 4096;
/// Pairs that are fetched with their number, in the hope that these are all.
const FETCHED_AHEAD: u32 = 4096;

/// Room for a window.
#[derive(Debug)]
pub(super) struct PairWindow<B> {
    /// Most pairs.
    pub(super) capacity: u32,
    pub(super) pairs: B,
    masks: B,
    /// 1 for each pair that is kept, then where it goes.
    places: B,
    sum: PrefixSum<B>,
    found: B,
}

impl<B> PairWindow<B> {
    /// Room for so many pairs.
    pub(super) fn new(machine: &mut impl KernelMachine<Buffer = B>, capacity: u32) -> Result<Self, DeviceFailure> {
        let pairs = u64::from(capacity);
        Ok(Self {
            capacity,
            pairs: machine.buffer(pairs * size_of::<ItemPair>() as u64)?,
            masks: machine.buffer(pairs * 8)?,
            places: machine.buffer((pairs + 1) * 4)?,
            sum: PrefixSum::new(machine, capacity + 1)?,
            found: machine.buffer(pairs * size_of::<FoundPair>() as u64)?,
        })
    }

    /// Finds the masks of the pairs, which were filled in. `buffers`: boxes, worlds, fixed boxes, counts, rules.
    pub(super) fn run(&self, machine: &mut impl KernelMachine<Buffer = B>, params: &MaskParams, buffers: [&B; 5]) {
        let [boxes, worlds, fixed, counts, rules] = buffers;
        let Self { capacity, pairs, masks, places, sum, found } = self;
        machine.clear(places, 4 * (u64::from(*capacity) + 1));
        let bound = [boxes, worlds, fixed, counts, pairs, rules, masks, places];
        let groups = MASK_GROUPS.min(capacity.div_ceil(params.pairs_per_group()));
        machine.run(Kernel::MaskPairs, params, &bound, groups);
        sum.run(machine, places, capacity + 1);
        let items = ItemParams { items: *capacity };
        machine.run(Kernel::CompactPairs, &items, &[pairs, masks, places, found], capacity.div_ceil(LANES));
    }

    /// The regions of the number of kept pairs, and of the first of them.
    pub(super) fn ahead(&self) -> [Region<'_, B>; 2] {
        let bytes = u64::from(self.capacity.min(FETCHED_AHEAD)) * size_of::<FoundPair>() as u64;
        let number = Region { buffer: &self.places, from: 4 * u64::from(self.capacity), bytes: 4 };
        [number, Region { buffer: &self.found, from: 0, bytes }]
    }

    /// Where the kept pairs are that were not fetched ahead, of so many.
    pub(super) fn rest(&self, kept: u32) -> Option<Region<'_, B>> {
        let size = size_of::<FoundPair>() as u64;
        let left = kept.checked_sub(self.capacity.min(FETCHED_AHEAD)).filter(|&left| left > 0)?;
        let from = u64::from(kept - left) * size;
        Some(Region { buffer: &self.found, from, bytes: u64::from(left) * size })
    }
}
