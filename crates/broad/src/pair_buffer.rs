//! A buffer between the comparison of boxes and the visit of the pairs that it finds.

use super::box_kernel::BoxKernel;
use super::box16::WIDTH;

/// Collects pairs before they are visited. A comparison finds up to sixteen pairs, mostly zero to
/// three: a loop over the hits of each comparison would be mispredicted nearly every time. Hits are
/// appended here without a branch and visited in one long loop.
#[derive(Debug)]
pub(super) struct PairBuffer {
    first: [u32; CAPACITY],
    second: [u32; CAPACITY],
    count: usize,
}

/// The number of pairs that fit into a buffer.
const CAPACITY: usize = 512;

impl PairBuffer {
    pub(super) fn new() -> Self {
        Self { first: [0; CAPACITY], second: [0; CAPACITY], count: 0 }
    }

    /// Whether the pairs of another comparison might not fit.
    #[inline(always)]
    pub(super) fn is_full(&self) -> bool {
        self.count > CAPACITY - WIDTH
    }

    /// Calls `pair` for all pairs and empties the buffer.
    #[inline(always)]
    pub(super) fn drain(&mut self, mut pair: impl FnMut(u32, u32)) {
        for (&first, &second) in self.first.iter().zip(&self.second).take(self.count) {
            pair(first, second);
        }
        self.count = 0;
    }

    /// Appends the pairs of `first` with each of `ids` whose bit is set in `hits`. The buffer must
    /// not be full.
    #[inline(always)]
    pub(super) fn append<K: BoxKernel>(&mut self, first: u32, ids: &[u32; WIDTH], hits: u32) {
        debug_assert!(!self.is_full(), "the buffer is drained in time");
        let (Some(to_first), Some(to_second)) =
            (self.first[self.count..].first_chunk_mut(), self.second[self.count..].first_chunk_mut())
        else {
            return; // a full buffer
        };
        // All sixteen lanes are written, so that there is no branch; only the hits are counted.
        *to_first = [first; WIDTH];
        K::compress(ids, hits, to_second);
        self.count += hits.count_ones() as usize;
    }
}
