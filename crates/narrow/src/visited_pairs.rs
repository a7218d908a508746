//! Memories of those pairs of two trees that a query visits, by their indices. A pair that is not
//! visited for some samples is dropped. So the memory is that of the pairs near each other,
//! whatever the number of all pairs.

use rustc_hash::FxHashMap;

/// Samples after which the memory is looked through.
const SWEEP: u32 = 16;

/// Samples that a memory outlives its last visit, at least.
const KEEP: u32 = 16;

/// Pairs that are remembered, at most.
const MOST: usize = 1 << 13;

/// Memories of visited pairs.
#[derive(Debug, Clone, Default)]
pub(super) struct VisitedPairs<T> {
    visits: FxHashMap<[u32; 2], Visit<T>>,
    /// Counts samples.
    now: u32,
    /// Lent where no more are remembered.
    spare: T,
}

/// A memory, and when it was last asked for.
#[derive(Debug, Clone)]
struct Visit<T> {
    memory: T,
    last: u32,
}

impl<T: Default> VisitedPairs<T> {
    /// A sample begins.
    pub(super) fn begin(&mut self) {
        self.now = self.now.wrapping_add(1);
        if self.now.is_multiple_of(SWEEP) && !self.visits.is_empty() {
            let now = self.now;
            self.visits.retain(|_, visit| now.wrapping_sub(visit.last) <= KEEP);
            if self.visits.capacity() > 8 * self.visits.len().max(8) {
                self.visits.shrink_to(2 * self.visits.len());
            }
        }
    }

    /// The memory of a pair: empty if it was not visited lately.
    pub(super) fn at(&mut self, pair: [u32; 2]) -> &mut T {
        if self.visits.len() >= MOST && !self.visits.contains_key(&pair) {
            self.spare = T::default();
            return &mut self.spare;
        }
        let visit = self.visits.entry(pair).or_insert_with(|| Visit { memory: T::default(), last: 0 });
        visit.last = self.now;
        &mut visit.memory
    }

    /// Bytes that it points to; `more`: those that a memory points to.
    pub(super) fn bytes(&self, more: impl Fn(&T) -> usize) -> usize {
        let each = size_of::<([u32; 2], Visit<T>)>() + 1;
        self.visits.capacity() * each * 8 / 7 + self.visits.values().map(|visit| more(&visit.memory)).sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memories_are_found_again_until_they_are_old() {
        let mut visited = VisitedPairs::<u64>::default();
        for sample in 0..200_u64 {
            visited.begin();
            let expected = if sample == 0 { 0 } else { sample };
            assert_eq!(std::mem::replace(visited.at([1, 2]), sample + 1), expected);
            assert_eq!(*visited.at([2, 1]), 0);
            if sample == 20 {
                *visited.at([7, 7]) = 5;
            }
            if sample == 30 {
                assert_eq!(*visited.at([7, 7]), 5, "visited ten samples ago");
            }
        }
        assert_eq!(visited.visits.len(), 2);
        assert_eq!(*visited.at([7, 7]), 0, "forgotten");
    }

    #[test]
    fn memory_is_bounded_and_given_back() {
        let mut visited = VisitedPairs::<u64>::default();
        assert_eq!(visited.bytes(|_| 0), 0);
        visited.begin();
        for i in 0..50_000 {
            *visited.at([i, 3]) = 1;
        }
        assert_eq!(visited.visits.len(), MOST);
        assert_eq!((*visited.at([1, 3]), *visited.at([40_000, 3])), (1, 0));
        let most = visited.bytes(|_| 100);
        assert!(most >= MOST * (size_of::<u64>() + 108), "{most}");
        for _ in 0..3 * SWEEP {
            visited.begin();
        }
        assert!(visited.visits.is_empty() && visited.bytes(|_| 100) < 1000, "{}", visited.bytes(|_| 100));
    }
}
