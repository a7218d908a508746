//! The search for overlapping pairs: its interface, its report, and how it is spread over threads.

use super::box_set::BoxSet;
use super::fixed_boxes::FixedBoxes;
use clearsweep_base::simd::Level;
use clearsweep_model::Candidate;
use rayon::prelude::*;
use std::ops::Range;

/// The result of a search, or of a part of one.
#[derive(Debug, Default)]
pub(super) struct SearchResult {
    /// The candidates that visitors add, in no particular order.
    pub(super) candidates: Vec<Candidate>,
    /// The candidates of finished parts of the search.
    batches: Vec<Vec<Candidate>>,
    /// The number of pairs that were tested sample by sample.
    pub(super) tests: u64,
    /// The number of tested pairs that overlap in some sample.
    pub(super) kept: u64,
    /// Whether the search was abandoned. Its result is incomplete and must be discarded.
    pub(super) stopped: bool,
}

impl SearchResult {
    /// Adds the result of another part. Its candidates are not copied.
    pub(super) fn append(&mut self, other: Self) {
        self.batches.extend(other.batches);
        if self.candidates.is_empty() {
            self.candidates = other.candidates;
        } else if !other.candidates.is_empty() {
            self.batches.push(other.candidates);
        }
        self.tests += other.tests;
        self.kept += other.kept;
        self.stopped |= other.stopped;
    }

    /// The candidates as they were found: several lists, none of them empty.
    pub(super) fn into_batches(mut self) -> Vec<Vec<Candidate>> {
        if !self.candidates.is_empty() {
            self.batches.push(self.candidates);
        }
        self.batches
    }
}

/// Receives the pairs of overlapping boxes that a search finds.
pub(super) trait PairVisitor: Sync {
    /// Handles the pair of boxes with these identifiers; may set `found.stopped`.
    fn visit(&self, first: u32, second: u32, found: &mut SearchResult);
}

/// An algorithm that finds all pairs of overlapping boxes.
///
/// It visits every pair at least once. It checks `found.stopped` from time to time and returns
/// early if it is set.
pub(super) trait PairSearch: Send + Sync {
    /// Name on the command line.
    fn name(&self) -> &'static str;

    /// The estimated cost of a search, nanoseconds. It only guides how blocks are split.
    fn cost(&self, moving: usize, fixed: usize) -> f64;

    /// Visits the pairs within a set; the first box of a pair precedes the second in the set.
    fn within(&self, simd: Level, set: &BoxSet, visitor: &impl PairVisitor) -> SearchResult;

    /// Visits the pairs of a box of `moving` (first) and a fixed box (second).
    fn against_fixed(
        &self,
        simd: Level,
        moving: &BoxSet,
        fixed: &FixedBoxes,
        visitor: &impl PairVisitor,
    ) -> SearchResult;

    /// Runs both searches: pairs within `moving` go to `pairs`, those with a fixed box to
    /// `fixed_pairs`. An algorithm overrides this if one index of the moving boxes serves both.
    fn both(
        &self,
        simd: Level,
        moving: &BoxSet,
        fixed: &FixedBoxes,
        pairs: &impl PairVisitor,
        fixed_pairs: &impl PairVisitor,
    ) -> SearchResult {
        let mut found = self.within(simd, moving, pairs);
        if !found.stopped && !fixed.set.is_empty() {
            found.append(self.against_fixed(simd, moving, fixed, fixed_pairs));
        }
        found
    }
}

/// Runs `work` over chunks of `0..count`, on rayon's current pool if `parallel`, and joins the
/// results in order.
pub(super) fn search_chunks(
    parallel: bool,
    count: usize,
    chunk: usize,
    work: impl Fn(Range<usize>, &mut SearchResult) + Sync,
) -> SearchResult {
    debug_assert!(chunk > 0, "a chunk holds something");
    let range_of = |c: usize| c * chunk..((c + 1) * chunk).min(count);
    let chunks = count.div_ceil(chunk);
    let mut all = SearchResult::default();
    if parallel && chunks > 1 && rayon::current_num_threads() > 1 {
        let one = |c: usize| {
            let mut found = SearchResult::default();
            work(range_of(c), &mut found);
            found
        };
        // Chunks differ in work, so each is a task of its own.
        let parts: Vec<SearchResult> = (0..chunks).into_par_iter().with_max_len(1).map(one).collect();
        parts.into_iter().for_each(|part| all.append(part));
        return all;
    }
    for c in 0..chunks {
        work(range_of(c), &mut all);
        if all.stopped {
            break;
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::boxes::LatticeBox;
    use super::super::{grid::GridSearch, tree::TreeSearch};
    use super::*;

    /// Keeps pairs in ascending order of their identifiers.
    struct Unordered;

    impl PairVisitor for Unordered {
        fn visit(&self, first: u32, second: u32, found: &mut SearchResult) {
            let (a, b) = (first.min(second), first.max(second));
            found.candidates.push(Candidate { a, b, samples: 1 });
        }
    }

    /// Keeps pairs as they come: the moving box first.
    struct Ordered;

    impl PairVisitor for Ordered {
        fn visit(&self, a: u32, b: u32, found: &mut SearchResult) {
            found.candidates.push(Candidate { a, b, samples: 1 });
        }
    }

    /// Boxes of very different sizes in a cube of a given edge. Some touch the lower end of the
    /// lattice, some the upper.
    fn boxes(count: u32, edge: u32, seed: u64) -> Vec<LatticeBox> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as u32
        };
        let mut all = Vec::new();
        for i in 0..count {
            let side = 1 << (next() % 14);
            let origin = if i % 50 == 0 { u32::MAX - 1 - edge } else { 1 };
            let min = [0; 3].map(|_| origin + next() % edge);
            all.push(LatticeBox { min, max: min.map(|v| v.saturating_add(side + next() % side).min(u32::MAX - 1)) });
        }
        all
    }

    fn overlapping(some: &[LatticeBox], others: &[LatticeBox], pair: impl Fn(u32, u32) -> bool) -> Vec<Candidate> {
        let mut found = Vec::new();
        for (a, one) in (0..).zip(some) {
            let hits = (0..).zip(others).filter(|&(b, other)| pair(a, b) && one.overlaps(other));
            found.extend(hits.map(|(b, _)| Candidate { a, b, samples: 1 }));
        }
        found
    }

    fn check(search: &impl PairSearch, simd: Level, moving: &[LatticeBox], fixed: &[LatticeBox]) -> usize {
        let set = |boxes: &[LatticeBox]| BoxSet::new((0..).zip(boxes.iter().copied()));
        let what = format!("{} by {simd:?}, {} and {}", search.name(), moving.len(), fixed.len());
        let sorted = |found: SearchResult| {
            let mut candidates = found.into_batches().concat();
            candidates.sort_unstable();
            candidates
        };
        let expected = overlapping(moving, moving, |a, b| a < b);
        assert!(sorted(search.within(simd, &set(moving), &Unordered)) == expected, "{what}");
        let job = FixedBoxes::of_boxes(set(fixed));
        let between = overlapping(moving, fixed, |_, _| true);
        assert!(sorted(search.against_fixed(simd, &set(moving), &job, &Ordered)) == between, "{what}");
        let mut both = [expected, between].concat();
        both.sort_unstable();
        assert!(sorted(search.both(simd, &set(moving), &job, &Unordered, &Ordered)) == both, "{what}");
        both.len()
    }

    #[test]
    fn the_tree_and_the_grid_visit_every_pair_once_with_all_instructions() {
        for simd in Level::available() {
            for count in [0, 1, 2, 15, 16, 17, 256, 257, 4096, 4097] {
                let moving = boxes(count, 20_000, u64::from(count));
                for fixed in [0, count / 2, 9 * count.min(300)] {
                    let fixed = boxes(fixed, 20_000, 77);
                    let found = check(&TreeSearch, simd, &moving, &fixed);
                    assert_eq!(check(&GridSearch, simd, &moving, &fixed), found);
                    assert!(count < 256 || found > count as usize / 8, "{count}: {found} pairs");
                }
            }
            // Crowded, and along a line.
            for (edge, flat) in [(3_000, false), (60_000, true)] {
                let mut moving = boxes(600, edge, 5);
                if flat {
                    moving.iter_mut().for_each(|b| (b.min[0], b.max[0], b.min[2], b.max[2]) = (9, 12, 7, 7));
                }
                assert!(check(&GridSearch, simd, &moving, &boxes(50, edge, 6)) > 600);
            }
        }
    }
}
