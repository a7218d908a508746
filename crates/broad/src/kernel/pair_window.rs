//! A window of pairs: as many as fit into the buffers. Their masks are found, and the pairs that
//! overlap are kept.

use super::Kernel;
use super::failure::DeviceFailure;
use super::machine::{KernelMachine, Region};
use super::prefix_sum::PrefixSum;
use super::records::{FoundPair, ItemPair, ItemParams, LANES, MaskParams};

/// Workgroups that go through the pairs of a window.
const MASK_GROUPS: u32 = 4096;
/// Pairs that are fetched with their number at least, and what they are a multiple of; as many
/// bytes as a fetch takes anyway.
const LEAST_AHEAD: u32 = 4096;
/// Pairs that are fetched with their number at most: 16 MB.
const MOST_AHEAD: u32 = 1 << 20;

/// Number of pairs that are fetched together with their count, in the hope that these are all. Then
/// one answer of the device is waited for; it comes before the answers to all commands that were
/// begun later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FetchAhead(u32);

impl Default for FetchAhead {
    fn default() -> Self {
        Self(LEAST_AHEAD)
    }
}

impl FetchAhead {
    /// No pair: they stay on the device.
    pub(super) const NOTHING: Self = Self(0);

    /// Learns that a window kept `kept` pairs: the next may keep an eighth more. It forgets slowly,
    /// as the last window of a search keeps few.
    pub(super) fn learn(&mut self, kept: u32) {
        let wanted = kept.saturating_add(kept / 8).min(MOST_AHEAD).next_multiple_of(LEAST_AHEAD);
        let remembered = (self.0 - self.0 / 8) / LEAST_AHEAD * LEAST_AHEAD;
        self.0 = wanted.max(remembered).max(LEAST_AHEAD);
    }
}

/// The buffers of a window.
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
    /// Creates the buffers of a window of `capacity` pairs.
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

    /// Finds the masks of the pairs, which were filled in. `buffers`: boxes, worlds, fixed boxes,
    /// counts, rules.
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
    pub(super) fn ahead(&self, ahead: FetchAhead) -> [Region<'_, B>; 2] {
        let bytes = u64::from(self.capacity.min(ahead.0)) * size_of::<FoundPair>() as u64;
        let number = Region { buffer: &self.places, from: 4 * u64::from(self.capacity), bytes: 4 };
        [number, Region { buffer: &self.found, from: 0, bytes }]
    }

    /// Returns the region of the `kept` pairs that were not fetched ahead.
    pub(super) fn rest(&self, kept: u32, ahead: FetchAhead) -> Option<Region<'_, B>> {
        let size = size_of::<FoundPair>() as u64;
        let left =
            kept.checked_sub(self.capacity.min(ahead.0)).filter(|&left| left > 0 && ahead != FetchAhead::NOTHING)?;
        let from = u64::from(kept - left) * size;
        Some(Region { buffer: &self.found, from, bytes: u64::from(left) * size })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_window_is_fetched_whole_if_it_is_like_the_last() {
        let mut ahead = FetchAhead::default();
        for (kept, expected) in [(0, 4096), (4096, 8192), (100_000, 114_688), (u32::MAX, MOST_AHEAD), (0, 917_504)] {
            ahead.learn(kept);
            assert_eq!(ahead, FetchAhead(expected), "{kept}");
        }
        (0..100).for_each(|_| ahead.learn(10));
        assert_eq!(ahead, FetchAhead::default(), "it forgets");
    }
}
