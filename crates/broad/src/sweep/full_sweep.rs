//! The pairs of a sample from scratch, by a sweep along one axis.

use super::super::box_set::BoxSet;
use super::super::boxes::LatticeBox;
use super::endpoints::EndpointList;
use clearsweep_base::simd::Level;

/// The sweep, with storage that is kept for the next one.
#[derive(Debug, Default)]
pub(super) struct FullSweep {
    moving: SortedBoxes,
    fixed: SortedBoxes,
}

/// Boxes sorted by their lower ends along an axis.
#[derive(Debug, Default)]
struct SortedBoxes {
    set: BoxSet,
    /// The lower ends.
    lower: Vec<u32>,
}

impl SortedBoxes {
    /// Replaces the boxes by the boxes of `items`, which must be sorted by their lower ends along
    /// axis `k`.
    fn fill(&mut self, boxes: &[LatticeBox], k: usize, items: impl Iterator<Item = u32>) {
        let lower = &mut self.lower;
        lower.clear();
        self.set.fill(items.map(|item| (item, boxes[item as usize])).inspect(|(_, b)| lower.push(b.min[k])));
    }

    /// Calls `hit` with the items from index `after` on that overlap `one` and whose lower ends are
    /// in `from..=to`. Returns the number of boxes compared.
    fn within(
        &self,
        simd: Level,
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
    /// Calls `hit` with every overlapping pair in which at least one item is not fixed. Of two
    /// overlapping boxes, the second lower end along axis `k` lies in the interval of the other.
    /// Returns the number of pairs compared.
    pub(super) fn sweep(
        &mut self,
        simd: Level,
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
            // Pairs with equal lower ends were found above.
            let reach = [one.min[k] + 1, one.max[k]];
            tests += moving.within(simd, &one, reach, 0, |other| hit(item, other));
        }
        tests
    }
}
