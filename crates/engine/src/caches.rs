//! Caches of pairs, kept from slice to slice and from block to block, within a limit.
//!
//! A cache makes a query faster and never changes its answer (path independence), so which caches
//! are kept is free. The cached data of each pair is counted against a limit; nothing is cached for
//! pairs that no longer fit.

use super::workspaces::Workspaces;
use clearsweep_model::Candidate;
use clearsweep_narrow::PairCache;
use std::sync::atomic::{AtomicU64, Ordering};

/// Blocks that a cache outlives the last one in which its pair was a candidate.
const KEEP_BLOCKS: u64 = 1;

/// Share of the memory of a job that may go to what pairs remember: a quarter.
const SHARE: u64 = 4;

/// Bytes that a box takes beside its contents.
const BOX_BYTES: usize = 16;

/// The bytes that caches of a job may take, where so much memory may be taken.
pub(super) fn bytes_within(memory: u64) -> u64 {
    memory / SHARE
}

/// A pair, at rest between slices, with its cache; without one while a task has it, and when there
/// is no room.
#[derive(Debug)]
pub(super) struct CacheEntry {
    a: u32,
    b: u32,
    cache: Option<Box<PairCache>>,
    /// The last block that used it.
    block: u64,
    /// Bytes that were counted for it.
    bytes: u64,
}

impl CacheEntry {
    /// The pair as a key.
    fn key(&self) -> (u32, u32) {
        (self.a, self.b)
    }
}

/// How many bytes are taken, of how many. Shared by the tasks of a slice.
#[derive(Debug, Default)]
pub(super) struct MemoryBudget {
    taken: AtomicU64,
    limit: u64,
}

impl MemoryBudget {
    /// Takes bytes if there are so many.
    fn take(&self, bytes: u64) -> bool {
        let fits = self.taken.fetch_add(bytes, Ordering::Relaxed) + bytes <= self.limit;
        if !fits {
            self.give(bytes);
        }
        fits
    }

    fn give(&self, bytes: u64) {
        self.taken.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// The caches of all recent pairs, sorted by (a, b). A slice takes its own by one pass over its
/// pairs, whatever else is kept; pairs that are new to a slice wait in a list of their own until
/// one begins that may ask for them.
#[derive(Debug, Default)]
pub(super) struct Caches {
    /// Working memory, lent to tasks.
    pub(super) workspaces: Workspaces,
    kept: Vec<CacheEntry>,
    /// Pairs of the last slices that are not among `kept`, sorted likewise.
    fresh: Vec<CacheEntry>,
    /// The block of the last slice.
    block: u64,
    budget: MemoryBudget,
}

/// The cached pairs that one task of a slice owns: a contiguous range of the sorted cache. It holds
/// those of the task's candidates, and perhaps others between them.
pub(super) struct CacheSlice<'a> {
    kept: &'a mut [CacheEntry],
    budget: &'a MemoryBudget,
    block: u64,
}

impl Caches {
    /// Caches of at most so many bytes.
    pub(super) fn new(limit: u64) -> Self {
        Self { budget: MemoryBudget { taken: AtomicU64::new(0), limit }, ..Self::default() }
    }

    /// Gets ready for a slice of block number `block`, of these candidates.
    fn begin(&mut self, block: u64, candidates: &[Candidate]) {
        let Some(first) = candidates.first() else { return };
        if block == self.block && fresh_are_before(&self.fresh, first) {
            return;
        }
        let Self { kept, fresh, budget, .. } = self;
        self.block = block;
        let is_sorted = kept.last().zip(fresh.first()).is_none_or(|(last, first)| last.key() < first.key());
        kept.append(fresh);
        if !is_sorted {
            // Two sorted runs: the sort merges them.
            kept.sort_by_key(CacheEntry::key);
        }
        kept.retain(|kept| {
            let is_recent = kept.cache.is_some() && kept.block + KEEP_BLOCKS >= block;
            if !is_recent {
                budget.give(kept.bytes);
            }
            is_recent
        });
    }

    /// Returns a slice of the caches for each `grain` of the candidates (sorted by (a, b)) of a
    /// slice of block number `block`. The tasks also get working memory to borrow.
    pub(super) fn cache_slices(
        &mut self,
        block: u64,
        candidates: &[Candidate],
        grain: usize,
    ) -> (Vec<CacheSlice<'_>>, &Workspaces) {
        self.begin(block, candidates);
        let Self { workspaces, kept, budget, .. } = self;
        let budget = &*budget;
        let first = candidates.first().map_or((0, 0), |first| (first.a, first.b));
        let before = leading(kept, |key| key < first);
        let mut rest = &mut kept[before..];
        let mut cache_slices = Vec::with_capacity(candidates.len().div_ceil(grain.max(1)));
        for chunk in candidates.chunks(grain.max(1)) {
            let end = chunk.last().map_or((0, 0), |last| (last.a, last.b));
            let count = leading(rest, |key| key <= end);
            let (kept, later) = std::mem::take(&mut rest).split_at_mut(count);
            rest = later;
            cache_slices.push(CacheSlice { kept, budget, block });
        }
        (cache_slices, workspaces)
    }

    /// Takes the new pairs of a slice, in order.
    pub(super) fn add(&mut self, fresh: &mut Vec<CacheEntry>) {
        self.fresh.append(fresh);
    }

    /// Bytes that are taken at present.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> u64 {
        self.budget.taken.load(Ordering::Relaxed)
    }
}

impl CacheSlice<'_> {
    /// Takes the caches of `candidates` out, one for each; of pairs of which none is kept it is
    /// empty. `places` becomes where each is to be put back.
    pub(super) fn take(
        &mut self,
        candidates: &[Candidate],
        caches: &mut Vec<PairCache>,
        places: &mut Vec<Option<u32>>,
    ) {
        caches.clear();
        places.clear();
        let mut at = 0;
        for key in candidates.iter().map(|candidate| (candidate.a, candidate.b)) {
            at += leading(&self.kept[at..], |other| other < key);
            let found = self.kept.get_mut(at).filter(|kept| kept.key() == key);
            places.push(found.is_some().then_some(at as u32));
            let cache = found.and_then(|kept| kept.cache.as_deref_mut());
            caches.push(cache.map(std::mem::take).unwrap_or_default());
        }
    }

    /// Puts back those caches of `candidates` that `is_wanted` names, as far as there is room;
    /// pairs that were not among the kept go to `fresh`.
    pub(super) fn put(
        &mut self,
        candidates: &[Candidate],
        caches: &mut Vec<PairCache>,
        places: &[Option<u32>],
        is_wanted: impl Fn(&Candidate) -> bool,
        fresh: &mut Vec<CacheEntry>,
    ) {
        let Self { kept, budget, block } = self;
        for ((candidate, cache), place) in candidates.iter().zip(caches.drain(..)).zip(places) {
            let kept = place.and_then(|place| kept.get_mut(place as usize));
            let bytes = (size_of::<CacheEntry>() + BOX_BYTES + cache.bytes()) as u64;
            budget.give(kept.as_ref().map_or(0, |kept| kept.bytes));
            let fits = is_wanted(candidate) && budget.take(bytes);
            match kept {
                Some(kept) if fits => {
                    (kept.bytes, kept.block) = (bytes, *block);
                    match &mut kept.cache {
                        Some(place) => **place = cache,
                        None => kept.cache = Some(Box::new(cache)),
                    }
                }
                Some(kept) => (kept.bytes, kept.cache) = (0, None),
                None if fits => {
                    fresh.push(CacheEntry {
                        a: candidate.a,
                        b: candidate.b,
                        cache: Some(Box::new(cache)),
                        block: *block,
                        bytes,
                    });
                }
                None => {}
            }
        }
    }
}

/// Whether the new pairs of the last slices all come before `first`, the first candidate of a
/// slice.
fn fresh_are_before(fresh: &[CacheEntry], first: &Candidate) -> bool {
    fresh.last().is_none_or(|last| last.key() < (first.a, first.b))
}

/// How many at the front have keys that are `before` something: found by steps that double, so that
/// few are looked at where few are passed.
fn leading(kept: &[CacheEntry], before: impl Fn((u32, u32)) -> bool) -> usize {
    let is_before = |kept: &CacheEntry| before(kept.key());
    let mut step = 1;
    while kept.get(step - 1).is_some_and(is_before) {
        step *= 2;
    }
    let (from, to) = (step / 2, (step - 1).min(kept.len()));
    from + kept[from..to].partition_point(is_before)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(list: &[(u32, u32)]) -> Vec<Candidate> {
        list.iter().map(|&(a, b)| Candidate { a, b, samples: 1 }).collect()
    }

    /// A slice, in tasks of `grain` candidates; returns how many of its caches were kept before.
    fn slice(caches: &mut Caches, block: u64, candidates: &[Candidate], grain: usize) -> usize {
        let (mut fresh, mut held, mut found) = (Vec::new(), Vec::new(), 0);
        let mut places = Vec::new();
        let (mut cache_slices, _) = caches.cache_slices(block, candidates, grain);
        for (cache_slice, candidates) in cache_slices.iter_mut().zip(candidates.chunks(grain)) {
            cache_slice.take(candidates, &mut held, &mut places);
            found += places.iter().flatten().count();
            cache_slice.put(candidates, &mut held, &places, |_| true, &mut fresh);
        }
        drop(cache_slices);
        caches.add(&mut fresh);
        found
    }

    fn keys(caches: &Caches) -> Vec<(u32, u32)> {
        let mut keys: Vec<_> = caches.kept.iter().chain(&caches.fresh).map(CacheEntry::key).collect();
        keys.sort_unstable();
        keys
    }

    #[test]
    fn caches_come_and_go_in_order() {
        for grain in [1, 2, 8] {
            let mut caches = Caches::new(1 << 20);
            assert_eq!(slice(&mut caches, 0, &pairs(&[(0, 1), (0, 3), (2, 5)]), grain), 0);
            assert_eq!(keys(&caches), [(0, 1), (0, 3), (2, 5)]);
            assert_eq!(slice(&mut caches, 1, &pairs(&[(0, 2), (0, 3), (7, 8)]), grain), 1);
            assert_eq!(keys(&caches), [(0, 1), (0, 2), (0, 3), (2, 5), (7, 8)]);
            assert_eq!(slice(&mut caches, 2, &pairs(&[(0, 2)]), grain), 1);
            assert_eq!(keys(&caches), [(0, 2), (0, 3), (7, 8)], "pairs not seen since block 0 are dropped");
            assert_eq!(slice(&mut caches, 5, &pairs(&[(0, 2)]), grain), 0);
            assert_eq!(keys(&caches), [(0, 2)]);
        }
    }

    #[test]
    fn slices_of_a_block_find_what_earlier_ones_remember() {
        let mut state = 3_u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let mut caches = Caches::new(1 << 30);
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..20 {
            // Samples, one after the other, each in ranges of its pairs.
            let sample: Vec<Candidate> = (0..2000_u32)
                .filter(|_| random(3) > 0)
                .map(|k| Candidate { a: k / 40, b: 50 + k, samples: 1 })
                .collect();
            for part in sample.chunks(1 + random(700) as usize) {
                let before = part.iter().filter(|c| seen.contains(&(c.a, c.b))).count();
                assert_eq!(slice(&mut caches, 0, part, 8), before);
            }
            seen.extend(sample.iter().map(|c| (c.a, c.b)));
        }
        assert_eq!(keys(&caches), seen.into_iter().collect::<Vec<_>>());
    }

    #[test]
    fn no_more_is_kept_than_fits() {
        let each = (size_of::<CacheEntry>() + BOX_BYTES + PairCache::default().bytes()) as u64;
        let mut caches = Caches::new(10 * each + 1);
        let all = pairs(&(1..100).map(|b| (0, b)).collect::<Vec<_>>());
        for block in 0..4 {
            slice(&mut caches, block, &all, 8);
            assert_eq!((caches.bytes(), keys(&caches).len()), (10 * each, 10), "block {block}");
        }
        for block in 4..8 {
            slice(&mut caches, block, &pairs(&[(5, 6)]), 8);
        }
        assert_eq!((caches.bytes(), keys(&caches)), (each, vec![(5, 6)]), "room is given back");
        let mut none = Caches::new(0);
        slice(&mut none, 0, &all, 8);
        assert_eq!((none.bytes(), keys(&none).len()), (0, 0));
    }

    #[test]
    fn the_front_is_counted_as_a_search_of_all_would() {
        let kept = |b: u32| CacheEntry { a: 0, b, cache: None, block: 0, bytes: 0 };
        for count in 0..40 {
            let all: Vec<CacheEntry> = (0..count).map(|b| kept(2 * b)).collect();
            for b in 0..2 * count + 2 {
                assert_eq!(leading(&all, |key| key < (0, b)), all.partition_point(|kept| kept.b < b));
            }
        }
    }
}
