//! The sorted endpoints of the boxes of all items along one axis.

use super::super::boxes::LatticeBox;

/// The bit that marks an upper endpoint.
const UPPER: u64 = 1 << 31;
/// The bits of the item of an endpoint.
const ITEM: u64 = UPPER - 1;

/// The endpoints along one axis. An endpoint has the coordinate in its upper half, then the bit
/// [`UPPER`], then the item. So a lower endpoint precedes an upper one of the same coordinate, and
/// boxes that touch overlap.
#[derive(Debug, Default)]
pub(super) struct EndpointList {
    ends: Vec<u64>,
}

/// Effect of an exchange of a lower and an upper endpoint on the intervals of their items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EndpointSwap {
    /// The intervals begin to overlap: a lower endpoint moves before an upper one.
    Begin,
    /// The intervals cease to overlap: an upper endpoint moves before a lower one.
    End,
}

impl EndpointList {
    /// Returns the endpoints of `items` items, in an arbitrary order.
    pub(super) fn new(items: usize) -> Self {
        assert!(items as u64 <= ITEM, "items are numbered by 31 bits: more do not fit into memory");
        Self { ends: (0..items as u64).flat_map(|item| [item, item | UPPER]).collect() }
    }

    /// Updates the coordinates along axis `k` of the endpoints without reordering them.
    pub(super) fn update(&mut self, boxes: &[LatticeBox], k: usize) {
        for end in &mut self.ends {
            let b = &boxes[(*end & ITEM) as usize];
            let at = if *end & UPPER == 0 { b.min[k] } else { b.max[k] };
            *end = *end & u64::from(u32::MAX) | u64::from(at) << 32;
        }
    }

    /// Sorts the endpoints from scratch.
    pub(super) fn sort(&mut self) {
        self.ends.sort_unstable();
    }

    /// Sorts by insertion and calls `swapped` for each exchange of a lower and an upper endpoint of
    /// two items. Returns the number of all exchanges. Stops, with the list not sorted, once it
    /// exceeds `limit`.
    pub(super) fn insertion_sort(&mut self, limit: u64, mut swapped: impl FnMut(EndpointSwap, u32, u32)) -> u64 {
        let mut swaps = 0;
        for i in 1..self.ends.len() {
            let end = self.ends[i];
            let mut at = i;
            while at > 0 && self.ends[at - 1] >> 31 > end >> 31 {
                let other = self.ends[at - 1];
                if (other ^ end) & UPPER != 0 && (other ^ end) & ITEM != 0 {
                    let kind = if end & UPPER == 0 { EndpointSwap::Begin } else { EndpointSwap::End };
                    swapped(kind, (end & ITEM) as u32, (other & ITEM) as u32);
                }
                self.ends[at] = other;
                at -= 1;
            }
            self.ends[at] = end;
            swaps += (i - at) as u64;
            if swaps > limit {
                break;
            }
        }
        swaps
    }

    /// The number of pairs of items whose intervals overlap. The endpoints must be sorted.
    pub(super) fn overlaps(&self) -> u64 {
        debug_assert!(self.ends.is_sorted_by_key(|end| end >> 31));
        let (mut open, mut pairs) = (0_u64, 0);
        for end in self.ends.iter().filter(|end| !is_of_empty_box(**end)) {
            if end & UPPER == 0 {
                pairs += open;
                open += 1;
            } else {
                open -= 1;
            }
        }
        pairs
    }

    /// The items whose boxes are not empty, by their lower endpoints. The endpoints must be sorted.
    pub(super) fn by_lower_end(&self) -> impl Iterator<Item = u32> + '_ {
        self.ends.iter().filter(|end| *end & UPPER == 0 && !is_of_empty_box(**end)).map(|end| (end & ITEM) as u32)
    }
}

/// Whether an endpoint belongs to an empty box, whose lower end lies above all others and its upper
/// end below.
#[inline]
fn is_of_empty_box(end: u64) -> bool {
    end >> 32 == if end & UPPER == 0 { u64::from(u32::MAX) } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exchanges_report_beginning_and_ending_overlaps() {
        let mut state = 3_u64;
        let mut next = |n: u32| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) % u64::from(n)) as u32
        };
        const N: usize = 30;
        let mut axis = EndpointList::new(N);
        let mut boxes = vec![LatticeBox::EMPTY; N];
        let mut overlap = vec![false; N * N];
        axis.update(&boxes, 0);
        axis.sort();
        let (mut begun, mut ended) = (0, 0);
        for _ in 0..300 {
            for b in &mut boxes {
                if next(3) == 0 {
                    let low = 1 + next(40);
                    *b = LatticeBox { min: [low; 3], max: [low + next(4); 3] };
                } else if next(8) == 0 {
                    *b = LatticeBox::EMPTY;
                }
            }
            axis.update(&boxes, 0);
            let mut events = Vec::new();
            axis.insertion_sort(u64::MAX, |swap, i, j| events.push((swap, i as usize, j as usize)));
            assert!(axis.ends.is_sorted_by_key(|end| end >> 31));
            let mut pairs = 0;
            for i in 0..N {
                for j in i + 1..N {
                    let now = boxes[i].overlaps(&boxes[j]);
                    let has = |kind: EndpointSwap| events.iter().any(|&e| e == (kind, i, j) || e == (kind, j, i));
                    assert!(!now || overlap[i * N + j] || has(EndpointSwap::Begin));
                    assert!(now || !overlap[i * N + j] || has(EndpointSwap::End));
                    assert!(
                        !(now && overlap[i * N + j]) || !has(EndpointSwap::Begin) && !has(EndpointSwap::End),
                        "a pair that overlaps throughout has no event"
                    );
                    begun += usize::from(now && !overlap[i * N + j]);
                    ended += usize::from(!now && overlap[i * N + j]);
                    overlap[i * N + j] = now;
                    pairs += u64::from(now);
                }
            }
            assert_eq!(axis.overlaps(), pairs);
            let order: Vec<u32> = axis.by_lower_end().collect();
            assert!(order.is_sorted_by_key(|&i| boxes[i as usize].min[0]));
            assert_eq!(order.len(), boxes.iter().filter(|b| !b.is_empty()).count());
        }
        assert!(begun > 1000 && ended > 1000, "{begun} {ended}");
    }

    #[test]
    fn sorting_by_insertion_gives_up_at_its_limit() {
        let n = 100_u32;
        let mut axis = EndpointList::new(n as usize);
        let at = |v: u32| LatticeBox { min: [10 * v + 1; 3], max: [10 * v + 5; 3] };
        axis.update(&(0..n).map(at).collect::<Vec<_>>(), 0);
        axis.sort();
        let reversed: Vec<_> = (0..n).map(|i| at(n - 1 - i)).collect();
        axis.update(&reversed, 0);
        let swaps = axis.insertion_sort(500, |_, _, _| {});
        assert!((500..800).contains(&swaps), "{swaps}");
        axis.sort();
        assert_eq!(axis.insertion_sort(0, |_, _, _| panic!("the list is sorted")), 0);
    }
}
