//! Many boxes in columns, and what a search reports about them.

use super::boxes::LatticeBox;
use super::overlap::{Columns, one_against};
use super::simd::Simd;
use crate::scene::Candidate;

/// Boxes with names, in columns that the overlap kernels can read 64 at a time from any place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct BoxSet {
    /// Name of each box: a slot, or a position in a list of bodies.
    pub(super) ids: Vec<u32>,
    /// min x, y, z, max x, y, z; empty boxes follow the last one.
    columns: [Vec<u32>; 6],
}

impl BoxSet {
    /// A set of boxes.
    pub(super) fn new(boxes: impl Iterator<Item = (u32, LatticeBox)>) -> Self {
        let mut set = Self::default();
        set.fill(boxes);
        set
    }

    /// Replaces the boxes; the storage stays.
    pub(super) fn fill(&mut self, boxes: impl Iterator<Item = (u32, LatticeBox)>) {
        self.ids.clear();
        self.columns.iter_mut().for_each(Vec::clear);
        for (id, b) in boxes {
            self.ids.push(id);
            for k in 0..3 {
                self.columns[k].push(b.min[k]);
                self.columns[k + 3].push(b.max[k]);
            }
        }
        let length = self.ids.len() + 64;
        for (k, column) in self.columns.iter_mut().enumerate() {
            column.resize(length, if k < 3 { u32::MAX } else { 0 });
        }
    }

    /// Number of boxes.
    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Box `i`.
    #[inline]
    pub(super) fn get(&self, i: usize) -> LatticeBox {
        let at = |k: usize| self.columns[k][i];
        LatticeBox { min: [at(0), at(1), at(2)], max: [at(3), at(4), at(5)] }
    }

    /// The columns without the empty boxes after them: min x, y, z, max x, y, z.
    pub(super) fn columns(&self) -> [&[u32]; 6] {
        self.columns.each_ref().map(|column| &column[..self.len()])
    }

    /// The shortest and the longest of the boxes' longest sides; `(u32::MAX, 0)` without boxes.
    pub(super) fn sides(&self) -> (u32, u32) {
        let [x, y, z, to_x, to_y, to_z] = self.columns();
        (0..self.len()).fold((u32::MAX, 0), |(shortest, longest), i| {
            let side = |from: &[u32], to: &[u32]| to[i].saturating_sub(from[i]);
            let side = side(x, to_x).max(side(y, to_y)).max(side(z, to_z));
            (shortest.min(side), longest.max(side))
        })
    }

    /// Calls `hit` with the index of every box in `from..to` that overlaps `one`, ascending.
    #[inline]
    pub(super) fn overlapping(&self, simd: Simd, one: &LatticeBox, from: usize, to: usize, mut hit: impl FnMut(usize)) {
        let mut at = from;
        while at < to {
            let count = (to - at).min(64);
            let mut bits = one_against(simd, one, self.chunk(at), count);
            while bits != 0 {
                hit(at + bits.trailing_zeros() as usize);
                bits &= bits - 1;
            }
            at += count;
        }
    }

    /// The 64 boxes from `at < len`; those past the end are empty.
    #[inline]
    fn chunk(&self, at: usize) -> Columns<'_> {
        self.columns.each_ref().map(|c| c[at..].first_chunk().expect("columns end with 64 empty boxes"))
    }
}

/// What a part of a search has found.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The candidates, in no order.
    pub(super) candidates: Vec<Candidate>,
    /// Pairs that had to be tested sample by sample.
    pub(super) tests: u64,
    /// How many of those overlapped in some sample.
    pub(super) kept: u64,
    /// The search is not worth going on: its result is thrown away.
    pub(super) stopped: bool,
}

impl Found {
    /// Adds what another part found.
    pub(super) fn append(&mut self, mut other: Self) {
        if self.candidates.is_empty() {
            std::mem::swap(&mut self.candidates, &mut other.candidates);
        }
        self.candidates.append(&mut other.candidates);
        self.tests += other.tests;
        self.kept += other.kept;
        self.stopped |= other.stopped;
    }
}

/// What is done with a pair whose boxes overlap.
pub(super) trait Visit: Sync {
    /// Looks at the pair with the given names; may set `found.stopped`.
    fn pair(&self, first: u32, second: u32, found: &mut Found);
}

/// A way of finding all overlapping pairs. Every pair is visited at least once; searches look at `found.stopped` now
/// and then and return early.
pub(super) trait PairSearch: Send + Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// The cost of a search, in nanoseconds or so: it only guides how blocks are cut.
    fn cost(&self, moving: usize, fixed: usize) -> f64;

    /// Pairs within a set; `first` comes before `second` in it.
    fn within(&self, simd: Simd, set: &BoxSet, visit: &impl Visit) -> Found;

    /// Pairs of a box of `moving` (first) and one of the job's fixed boxes (second).
    fn against_fixed(&self, simd: Simd, moving: &BoxSet, fixed: &super::FixedBoxes, visit: &impl Visit) -> Found;

    /// Both: pairs within `moving` to `pairs`, those with a fixed box to `fixed_pairs`. What a search builds of the
    /// moving boxes can serve both.
    fn both(
        &self,
        simd: Simd,
        moving: &BoxSet,
        fixed: &super::FixedBoxes,
        pairs: &impl Visit,
        fixed_pairs: &impl Visit,
    ) -> Found {
        let mut found = self.within(simd, moving, pairs);
        if !found.stopped && !fixed.set.is_empty() {
            found.append(self.against_fixed(simd, moving, fixed, fixed_pairs));
        }
        found
    }
}

/// Runs `work` over chunks of `0..count`, on rayon's current pool where `parallel`, and joins what they found in order.
pub(super) fn over_chunks(
    parallel: bool,
    count: usize,
    chunk: usize,
    work: impl Fn(std::ops::Range<usize>, &mut Found) + Sync,
) -> Found {
    use rayon::prelude::*;
    let one = |c: usize| {
        let mut found = Found::default();
        work(c * chunk..((c + 1) * chunk).min(count), &mut found);
        found
    };
    let chunks = count.div_ceil(chunk);
    let mut all = Found::default();
    if parallel && chunks > 1 && rayon::current_num_threads() > 1 {
        let parts: Vec<Found> = (0..chunks).into_par_iter().map(one).collect();
        all.candidates.reserve(parts.iter().map(|p| p.candidates.len()).sum());
        parts.into_iter().for_each(|part| all.append(part));
        return all;
    }
    for c in 0..chunks {
        work(c * chunk..((c + 1) * chunk).min(count), &mut all);
        if all.stopped {
            break;
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::{FixedBoxes, grid::Grid, tree::Tree};
    use super::*;

    struct All;

    impl Visit for All {
        fn pair(&self, first: u32, second: u32, found: &mut Found) {
            let (a, b) = (first.min(second), first.max(second));
            found.candidates.push(Candidate { a, b, samples: 1 });
        }
    }

    /// As they come: the first is a moving box.
    struct Ordered;

    impl Visit for Ordered {
        fn pair(&self, a: u32, b: u32, found: &mut Found) {
            found.candidates.push(Candidate { a, b, samples: 1 });
        }
    }

    /// Boxes of very different sizes in a space of a given edge, some beginning and some ending where the lattice does.
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

    fn check(search: &impl PairSearch, simd: Simd, moving: &[LatticeBox], fixed: &[LatticeBox]) -> usize {
        let set = |boxes: &[LatticeBox]| BoxSet::new((0..).zip(boxes.iter().copied()));
        let what = format!("{} by {simd:?}, {} and {}", search.name(), moving.len(), fixed.len());
        let sorted = |mut found: Found| {
            found.candidates.sort_unstable();
            found.candidates
        };
        let expected = overlapping(moving, moving, |a, b| a < b);
        assert!(sorted(search.within(simd, &set(moving), &All)) == expected, "{what}");
        let job = FixedBoxes { set: set(fixed), ..FixedBoxes::default() };
        let between = overlapping(moving, fixed, |_, _| true);
        assert!(sorted(search.against_fixed(simd, &set(moving), &job, &Ordered)) == between, "{what}");
        let mut both = [expected, between].concat();
        both.sort_unstable();
        assert!(sorted(search.both(simd, &set(moving), &job, &All, &Ordered)) == both, "{what}");
        both.len()
    }

    #[test]
    fn the_tree_and_the_grid_visit_every_pair_once_with_all_instructions() {
        for simd in Simd::all() {
            for count in [0, 1, 2, 15, 16, 17, 256, 257, 4096, 4097] {
                let moving = boxes(count, 20_000, u64::from(count));
                for fixed in [0, count / 2, 9 * count.min(300)] {
                    let fixed = boxes(fixed, 20_000, 77);
                    let found = check(&Tree, simd, &moving, &fixed);
                    assert_eq!(check(&Grid, simd, &moving, &fixed), found);
                    assert!(count < 256 || found > count as usize / 8, "{count}: {found} pairs");
                }
            }
            // Crowded, and along a line.
            for (edge, flat) in [(3_000, false), (60_000, true)] {
                let mut moving = boxes(600, edge, 5);
                if flat {
                    moving.iter_mut().for_each(|b| (b.min[0], b.max[0], b.min[2], b.max[2]) = (9, 12, 7, 7));
                }
                assert!(check(&Grid, simd, &moving, &boxes(50, edge, 6)) > 600);
            }
        }
    }

    #[test]
    fn sides_are_the_longest_of_each_box() {
        assert_eq!(BoxSet::default().sides(), (u32::MAX, 0));
        let boxes = [[5, 1, 2], [3, 4, 3], [0, 0, 9]].map(|side| LatticeBox { min: [7; 3], max: side.map(|s| 7 + s) });
        assert_eq!(BoxSet::new((0..).zip(boxes)).sides(), (4, 9));
    }
}
