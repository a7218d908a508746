//! What pairs remember from block to block.
//!
//! A cache makes a query faster and never changes its answer (path independence), so which caches are kept is free.

use super::workspaces::Workspaces;
use crate::narrow::PairCache;
use crate::scene::Candidate;

/// Blocks that a cache outlives the last one in which its pair was a candidate.
const KEEP_BLOCKS: u64 = 1;

/// The cache of a pair, at rest between blocks.
#[derive(Debug)]
struct Kept {
    a: u32,
    b: u32,
    /// The last block that used it.
    block: u64,
    cache: PairCache,
}

/// The caches of all recent pairs, sorted by (a, b). Both directions are one merge of two sorted lists: no hashing,
/// and every cache is moved, never shared.
#[derive(Debug, Default)]
pub(super) struct Caches {
    /// Working memory, lent to tasks.
    pub(super) workspaces: Workspaces,
    kept: Vec<Kept>,
}

impl Caches {
    /// Takes the caches of `candidates` (sorted by (a, b)) out, one for each; new pairs get an empty one.
    pub(super) fn take(&mut self, candidates: &[Candidate]) -> Vec<PairCache> {
        let mut rest = Vec::with_capacity(self.kept.len());
        let mut kept = std::mem::take(&mut self.kept).into_iter().peekable();
        let mut taken = Vec::with_capacity(candidates.len());
        for candidate in candidates {
            let key = (candidate.a, candidate.b);
            while let Some(other) = kept.next_if(|kept| (kept.a, kept.b) < key) {
                rest.push(other);
            }
            let found = kept.next_if(|kept| (kept.a, kept.b) == key);
            taken.push(found.map_or_else(PairCache::default, |kept| kept.cache));
        }
        rest.extend(kept);
        self.kept = rest;
        taken
    }

    /// Puts the caches of `candidates` back after a query in block number `block`, and drops those not used lately.
    pub(super) fn put(&mut self, block: u64, candidates: &[Candidate], caches: Vec<PairCache>) {
        let mut merged = Vec::with_capacity(self.kept.len() + caches.len());
        let recent = |kept: &Kept| kept.block + KEEP_BLOCKS >= block;
        let mut kept = std::mem::take(&mut self.kept).into_iter().filter(recent).peekable();
        for (candidate, cache) in candidates.iter().zip(caches) {
            let (a, b) = (candidate.a, candidate.b);
            while let Some(other) = kept.next_if(|kept| (kept.a, kept.b) < (a, b)) {
                merged.push(other);
            }
            merged.push(Kept { a, b, block, cache });
        }
        merged.extend(kept);
        self.kept = merged;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(list: &[(u32, u32)]) -> Vec<Candidate> {
        list.iter().map(|&(a, b)| Candidate { a, b, samples: 1 }).collect()
    }

    fn keys(caches: &Caches) -> Vec<(u32, u32)> {
        caches.kept.iter().map(|kept| (kept.a, kept.b)).collect()
    }

    #[test]
    fn caches_come_and_go_in_order() {
        let mut caches = Caches::default();
        let first = pairs(&[(0, 1), (0, 3), (2, 5)]);
        let taken = caches.take(&first);
        assert_eq!(taken.len(), 3);
        caches.put(0, &first, taken);
        assert_eq!(keys(&caches), [(0, 1), (0, 3), (2, 5)]);

        let second = pairs(&[(0, 2), (0, 3), (7, 8)]);
        let taken = caches.take(&second);
        assert_eq!((taken.len(), keys(&caches)), (3, vec![(0, 1), (2, 5)]), "the cache of (0, 3) was moved out");
        caches.put(1, &second, taken);
        assert_eq!(keys(&caches), [(0, 1), (0, 2), (0, 3), (2, 5), (7, 8)]);

        let third = pairs(&[(0, 2)]);
        let taken = caches.take(&third);
        caches.put(2, &third, taken);
        assert_eq!(keys(&caches), [(0, 2), (0, 3), (7, 8)], "pairs not seen since block 0 are dropped");
    }

    #[test]
    fn a_block_without_candidates_keeps_the_recent_ones() {
        let mut caches = Caches::default();
        let first = pairs(&[(1, 2)]);
        let taken = caches.take(&first);
        caches.put(4, &first, taken);
        let taken = caches.take(&[]);
        caches.put(5, &[], taken);
        assert_eq!(keys(&caches), [(1, 2)]);
        caches.put(6, &[], Vec::new());
        assert!(keys(&caches).is_empty());
    }
}
