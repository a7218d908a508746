//! A sorted grid: each box is in exactly one cell, that of its lowest corner.
//!
//! Boxes are split into classes of size. The cells of a class are at least as wide as its longest sides, so two boxes of
//! it that overlap lie in the same cell or in neighbouring ones (Bentley, Stanat and Williams 1977, "The complexity of
//! finding fixed-radius near neighbors"). Here cells cut y and z only: a *row* is one cell there, and its boxes are sorted
//! by x. A row is compared with itself and with the four neighbours that come after it; each box with one stretch of each,
//! sixteen boxes at once. Boxes of different classes meet in the rows of the larger ones. Nothing is hashed.

mod class;

use super::FixedBoxes;
use super::boxes::LatticeBox;
use super::box_set::{BoxSet, SearchResult, PairSearch, PairVisitor, search_chunks};
use super::simd::Simd;
use super::box16::{RangeJoin, Box16Kernel, Box16, PairBuffer, Box16Columns, WIDTH, run};
use super::tree::are_few;
use class::SizeClass;
use std::ops::Range;
use std::sync::OnceLock;

/// Below so many boxes a search stays on its thread.
const PARALLEL_THRESHOLD: usize = 2048;
/// Boxes that a task takes on, about.
const CHUNK: usize = 256;
/// A class spans this many halvings of the longest side.
const OCTAVES: u32 = 2;
/// Classes at most.
const CLASSES: usize = (u32::BITS / OCTAVES) as usize + 1;

/// The grid.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct GridSearch;

/// Boxes in a grid, small ones first.
#[derive(Debug, Default)]
pub(super) struct GridIndex(Vec<SizeClass>);

/// The grid of a job's fixed boxes, built when first needed and kept for the job; without rayon, because a task stolen
/// while it is being built could ask for it.
#[derive(Debug, Default)]
pub(super) struct FixedGrid(OnceLock<GridIndex>);

impl FixedGrid {
    fn get(&self, set: &BoxSet) -> &GridIndex {
        self.0.get_or_init(|| GridIndex::build(set, false))
    }
}

impl GridIndex {
    fn build(set: &BoxSet, parallel: bool) -> Self {
        let [x, y, z, to_x, to_y, to_z] = set.columns();
        let longest = |i: usize| {
            let side = |from: &[u32], to: &[u32]| to[i].saturating_sub(from[i]);
            side(x, to_x).max(side(y, to_y)).max(side(z, to_z))
        };
        let halvings = |side: u32| u32::BITS - side.leading_zeros();
        let sizes: Vec<u32> = (0..set.len()).map(longest).collect();
        let largest = halvings(sizes.iter().fold(0, |m, &v| m.max(v)));
        let mut places: [Vec<u32>; CLASSES] = std::array::from_fn(|_| Vec::new());
        places[0].reserve(set.len());
        for (i, &size) in (0..).zip(&sizes) {
            places[((largest - halvings(size)) / OCTAVES) as usize].push(i);
        }
        let used = places.iter().rev().filter(|places| !places.is_empty());
        Self(used.map(|places| SizeClass::build(set, places, parallel)).collect())
    }
}

/// Pairs that are found, on their way to who looks at them.
struct PairSink<'a, V> {
    pairs: PairBuffer,
    visit: &'a V,
}

impl<V: PairVisitor> PairSink<'_, V> {
    #[inline(always)]
    fn push<K: Box16Kernel>(&mut self, k: K, first: u32, ids: &[u32; WIDTH], hits: u32, found: &mut SearchResult) {
        k.append(&mut self.pairs, first, ids, hits);
        if self.pairs.is_full() {
            self.flush(found);
        }
    }

    #[inline(always)]
    fn flush(&mut self, found: &mut SearchResult) {
        self.pairs.drain(|first, second| self.visit.pair(first, second, found));
    }
}

/// Bits of the lanes before the end: all that are left, or sixteen.
#[inline(always)]
fn lanes(left: usize) -> u32 {
    (1 << left.min(WIDTH)) - 1
}

impl SizeClass {
    /// Pairs within a row.
    #[inline(always)]
    fn join_row<K: Box16Kernel, V: PairVisitor>(&self, k: K, row: Range<usize>, out: &mut PairSink<'_, V>, found: &mut SearchResult) {
        for i in row.clone() {
            let one = k.broadcast(self.sixteen(i), 0);
            self.stretch(k, &one, (self.ids(i)[0], self.ends_x(i)[1]), i + 1..row.end, out, found);
        }
    }

    /// Pairs of one box (its name, its highest x) with those boxes of a part of a row that do not begin beyond it.
    #[inline(always)]
    fn stretch<K: Box16Kernel, V: PairVisitor>(
        &self,
        k: K,
        one: &K::Broadcast,
        (id, highest): (u32, u32),
        part: Range<usize>,
        out: &mut PairSink<'_, V>,
        found: &mut SearchResult,
    ) {
        let mut at = part.start;
        while at < part.end {
            let hits = k.overlap_mask(one, self.sixteen(at)) & lanes(part.end - at);
            out.push(k, id, self.ids(at), hits, found);
            at += WIDTH;
            if self.lowest_x()[at.min(part.end - 1)] > highest {
                break;
            }
        }
    }

    /// Pairs of some boxes, sorted by their lowest x, with those of a row of this class, whose bounds are given.
    /// `boxes` are sixteen (`mask` tells which count), with their names; `from` is where the row may begin for the first
    /// of them. Returns where it begins for those that follow.
    #[inline(always)]
    fn join_sixteen<K: Box16Kernel, V: PairVisitor>(
        &self,
        k: K,
        (boxes, ids, mask): (Box16Columns<'_>, &[u32; WIDTH], u32),
        (row, bounds): (Range<usize>, &K::Broadcast),
        out: &mut PairSink<'_, V>,
        found: &mut SearchResult,
    ) -> usize {
        let mut from = row.start;
        let mut near = k.overlap_mask(bounds, boxes) & mask;
        while near != 0 {
            let lane = near.trailing_zeros() as usize % WIDTH;
            near &= near - 1;
            from = self.skip(k, boxes[0][lane].saturating_sub(self.longest_x()), from..row.end);
            if from == row.end {
                break;
            }
            self.stretch(k, &k.broadcast(boxes, lane), (ids[lane], boxes[3][lane]), from..row.end, out, found);
        }
        from
    }

    /// The first box of a part of a row that begins at `x` or beyond.
    #[inline(always)]
    fn skip<K: Box16Kernel>(&self, k: K, x: u32, part: Range<usize>) -> usize {
        let below = k.less_than_mask(self.sixteen(part.start)[0], x) & lanes(part.len());
        let at = part.start + below.count_ones() as usize;
        if at < part.start + WIDTH {
            return at;
        }
        at + self.lowest_x()[at..part.end].partition_point(|&v| v < x)
    }

    /// Pairs of a row of `other`, whose bounds overlap those of a row of this class, with that row.
    #[inline(always)]
    fn join_rows<K: Box16Kernel, V: PairVisitor>(
        &self,
        k: K,
        (other, boxes): (&Self, Range<usize>),
        row: usize,
        out: &mut PairSink<'_, V>,
        found: &mut SearchResult,
    ) {
        let mut own = self.row(row);
        if own.is_empty() {
            return;
        }
        let bounds = one_of(k, &self.bounds(row));
        for at in boxes.clone().step_by(WIDTH) {
            let some = (other.sixteen(at), other.ids(at), lanes(boxes.end - at));
            own.start = self.join_sixteen(k, some, (own.clone(), &bounds), out, found);
            if own.is_empty() {
                break;
            }
        }
    }
}

/// A box made ready for comparisons.
#[inline(always)]
fn one_of<K: Box16Kernel>(k: K, one: &LatticeBox) -> K::Broadcast {
    let mut single = Box16::EMPTY;
    single.set(0, one);
    k.broadcast(single.view(), 0)
}

/// Pairs within a class, over a range of its rows.
struct ClassSelfJoin<'a, V>(&'a SizeClass, &'a V);

impl<V: PairVisitor> RangeJoin for ClassSelfJoin<'_, V> {
    #[inline(always)]
    fn run<K: Box16Kernel>(&self, k: K, rows: Range<usize>, found: &mut SearchResult) {
        let class = self.0;
        let mut out = PairSink { pairs: PairBuffer::new(), visit: self.1 };
        for row in rows {
            let boxes = class.row(row);
            if boxes.is_empty() {
                continue;
            }
            class.join_row(k, boxes.clone(), &mut out, found);
            for after in class.after(row) {
                class.join_rows(k, (class, boxes.clone()), after, &mut out, found);
            }
            if found.stopped {
                return;
            }
        }
        out.flush(found);
    }
}

/// Pairs of a box of one class and one of another, over a range of the rows of the first.
struct ClassJoin<'a, V>(&'a SizeClass, &'a SizeClass, &'a V);

impl<V: PairVisitor> RangeJoin for ClassJoin<'_, V> {
    #[inline(always)]
    fn run<K: Box16Kernel>(&self, k: K, rows: Range<usize>, found: &mut SearchResult) {
        let (class, other) = (self.0, self.1);
        let mut out = PairSink { pairs: PairBuffer::new(), visit: self.2 };
        for row in rows {
            let boxes = class.row(row);
            if boxes.is_empty() {
                continue;
            }
            for near in other.near(&class.bounds(row)) {
                other.join_rows(k, (class, boxes.clone()), near, &mut out, found);
            }
            if found.stopped {
                return;
            }
        }
        out.flush(found);
    }
}

/// Pairs of some boxes of a set and the boxes of a grid: each is looked up on its own.
struct LookupJoin<'a, V>(&'a BoxSet, &'a GridIndex, &'a V);

impl<V: PairVisitor> RangeJoin for LookupJoin<'_, V> {
    #[inline(always)]
    fn run<K: Box16Kernel>(&self, k: K, range: Range<usize>, found: &mut SearchResult) {
        let mut out = PairSink { pairs: PairBuffer::new(), visit: self.2 };
        let mut single = Box16::EMPTY;
        for i in range {
            let own = self.0.get(i);
            single.set(0, &own);
            let one = k.broadcast(single.view(), 0);
            for class in &self.1.0 {
                for row in class.near(&own) {
                    let row = class.row(row);
                    if !row.is_empty() {
                        let from = class.skip(k, own.min[0].saturating_sub(class.longest_x()), row.clone());
                        class.stretch(k, &one, (self.0.ids[i], own.max[0]), from..row.end, &mut out, found);
                    }
                }
            }
            if found.stopped {
                return;
            }
        }
        out.flush(found);
    }
}

/// Over the rows of a class.
fn over_rows(simd: Simd, class: &SizeClass, join: &(impl RangeJoin + Sync), found: &mut SearchResult) {
    if found.stopped {
        return;
    }
    let chunk = (CHUNK * class.rows() / class.len().max(1)).max(1);
    let parallel = class.len() > PARALLEL_THRESHOLD;
    found.append(search_chunks(parallel, class.rows(), chunk, |range, found| run(simd, join, range, found)));
}

impl GridSearch {
    fn classes(set: &BoxSet) -> GridIndex {
        GridIndex::build(set, set.len() > PARALLEL_THRESHOLD && rayon::current_num_threads() > 1)
    }

    fn join_within(simd: Simd, classes: &GridIndex, visit: &impl PairVisitor) -> SearchResult {
        let mut found = SearchResult::default();
        for (i, class) in classes.0.iter().enumerate() {
            over_rows(simd, class, &ClassSelfJoin(class, visit), &mut found);
            for larger in &classes.0[i + 1..] {
                over_rows(simd, class, &ClassJoin(class, larger, visit), &mut found);
            }
        }
        found
    }

    fn join_fixed(simd: Simd, moving: &GridIndex, fixed: &FixedBoxes, visit: &impl PairVisitor) -> SearchResult {
        let fixed = fixed.grid.get(&fixed.set);
        let mut found = SearchResult::default();
        for class in &moving.0 {
            for other in &fixed.0 {
                over_rows(simd, class, &ClassJoin(class, other, visit), &mut found);
            }
        }
        found
    }
}

impl PairSearch for GridSearch {
    fn name(&self) -> &'static str {
        "grid"
    }

    fn cost(&self, moving: usize, fixed: usize) -> f64 {
        super::cost::grid(moving, fixed)
    }

    fn within(&self, simd: Simd, set: &BoxSet, visit: &impl PairVisitor) -> SearchResult {
        Self::join_within(simd, &Self::classes(set), visit)
    }

    fn against_fixed(&self, simd: Simd, moving: &BoxSet, fixed: &FixedBoxes, visit: &impl PairVisitor) -> SearchResult {
        if moving.is_empty() || fixed.set.is_empty() {
            return SearchResult::default();
        }
        if are_few(moving.len(), fixed.set.len()) {
            let join = LookupJoin(moving, fixed.grid.get(&fixed.set), visit);
            let parallel = moving.len() > PARALLEL_THRESHOLD;
            return search_chunks(parallel, moving.len(), CHUNK, |range, found| run(simd, &join, range, found));
        }
        Self::join_fixed(simd, &Self::classes(moving), fixed, visit)
    }

    fn both(
        &self,
        simd: Simd,
        moving: &BoxSet,
        fixed: &FixedBoxes,
        pairs: &impl PairVisitor,
        fixed_pairs: &impl PairVisitor,
    ) -> SearchResult {
        let classes = Self::classes(moving);
        let mut found = Self::join_within(simd, &classes, pairs);
        if found.stopped || fixed.set.is_empty() {
            return found;
        }
        if are_few(moving.len(), fixed.set.len()) {
            found.append(self.against_fixed(simd, moving, fixed, fixed_pairs));
        } else {
            found.append(Self::join_fixed(simd, &classes, fixed, fixed_pairs));
        }
        found
    }
}
