//! Searches for pairs by a grid.
//!
//! A row is compared with itself and with the four neighbouring rows that follow it. Of a
//! neighbour, each box is compared with one stretch, sixteen boxes at once. Boxes of different
//! classes meet in the rows of the larger ones.

use super::super::box_kernel::BoxKernel;
use super::super::box_set::BoxSet;
use super::super::box16::{Box16Columns, WIDTH};
use super::super::cost::{self, few_moving};
use super::super::fixed_boxes::FixedBoxes;
use super::super::pair_buffer::PairBuffer;
use super::super::pair_search::{PairSearch, PairVisitor, SearchResult, search_chunks};
use super::super::range_join::{RangeJoin, run_join};
use super::index::GridIndex;
use super::size_class::SizeClass;
use clearsweep_base::simd::Level;
use std::ops::Range;

/// With fewer boxes than this, a search runs on one thread.
const PARALLEL_THRESHOLD: usize = 2048;
/// About the number of boxes per task.
const CHUNK: usize = 256;

/// The search by a grid.
#[derive(Debug, Clone, Copy, Default)]
pub(in super::super) struct GridSearch;

/// A buffer of pairs in front of their visitor.
struct PairSink<'a, V> {
    pairs: PairBuffer,
    visitor: &'a V,
}

impl<V: PairVisitor> PairSink<'_, V> {
    #[inline(always)]
    fn append<K: BoxKernel>(&mut self, first: u32, ids: &[u32; WIDTH], hits: u32, found: &mut SearchResult) {
        self.pairs.append::<K>(first, ids, hits);
        if self.pairs.is_full() {
            self.flush(found);
        }
    }

    #[inline(always)]
    fn flush(&mut self, found: &mut SearchResult) {
        self.pairs.drain(|first, second| self.visitor.visit(first, second, found));
    }
}

/// The mask of the first `left` lanes, or of all sixteen.
#[inline(always)]
fn lanes(left: usize) -> u32 {
    (1 << left.min(WIDTH)) - 1
}

impl SizeClass {
    /// Visits the pairs within a row.
    #[inline(always)]
    fn join_row<K: BoxKernel, V: PairVisitor>(
        &self,
        row: Range<usize>,
        out: &mut PairSink<'_, V>,
        found: &mut SearchResult,
    ) {
        for i in row.clone() {
            let one = K::broadcast_lane(self.sixteen(i), 0);
            self.stretch::<K, V>(&one, (self.ids(i)[0], self.ends_x(i)[1]), i + 1..row.end, out, found);
        }
    }

    /// Visits the pairs of one box (its identifier, its highest x) with the boxes of a part of a
    /// row that do not begin beyond it.
    #[inline(always)]
    fn stretch<K: BoxKernel, V: PairVisitor>(
        &self,
        one: &K::Broadcast,
        (id, highest): (u32, u32),
        part: Range<usize>,
        out: &mut PairSink<'_, V>,
        found: &mut SearchResult,
    ) {
        let mut at = part.start;
        while at < part.end {
            let hits = K::overlap_mask(one, self.sixteen(at)) & lanes(part.end - at);
            out.append::<K>(id, self.ids(at), hits, found);
            at += WIDTH;
            if self.lowest_x()[at.min(part.end - 1)] > highest {
                break;
            }
        }
    }

    /// Visits the pairs of up to sixteen boxes, sorted by their lowest x, with the boxes of a row
    /// of this class. `mask` tells which of the sixteen count; `ids` are their identifiers. `row`
    /// begins no later than the first box that can overlap any of them, and `bounds` are its
    /// bounds. Returns where the row begins for boxes with a greater lowest x.
    #[inline(always)]
    fn join_sixteen<K: BoxKernel, V: PairVisitor>(
        &self,
        (boxes, ids, mask): (Box16Columns<'_>, &[u32; WIDTH], u32),
        (row, bounds): (Range<usize>, &K::Broadcast),
        out: &mut PairSink<'_, V>,
        found: &mut SearchResult,
    ) -> usize {
        let mut from = row.start;
        let mut near = K::overlap_mask(bounds, boxes) & mask;
        while near != 0 {
            let lane = near.trailing_zeros() as usize % WIDTH;
            near &= near - 1;
            from = self.skip::<K>(boxes[0][lane].saturating_sub(self.longest_x()), from..row.end);
            if from == row.end {
                break;
            }
            self.stretch::<K, V>(
                &K::broadcast_lane(boxes, lane),
                (ids[lane], boxes[3][lane]),
                from..row.end,
                out,
                found,
            );
        }
        from
    }

    /// The index of the first box of a part of a row that begins at `x` or beyond.
    #[inline(always)]
    fn skip<K: BoxKernel>(&self, x: u32, part: Range<usize>) -> usize {
        let below = K::less_than_mask(self.sixteen(part.start)[0], x) & lanes(part.len());
        let at = part.start + below.count_ones() as usize;
        if at < part.start + WIDTH {
            return at;
        }
        at + self.lowest_x()[at..part.end].partition_point(|&v| v < x)
    }

    /// Visits the pairs of a box of a row of `other` and a box of a row of this class.
    #[inline(always)]
    fn join_rows<K: BoxKernel, V: PairVisitor>(
        &self,
        (other, boxes): (&Self, Range<usize>),
        row: usize,
        out: &mut PairSink<'_, V>,
        found: &mut SearchResult,
    ) {
        let mut own = self.row(row);
        if own.is_empty() {
            return;
        }
        let bounds = K::broadcast(&self.bounds(row));
        for at in boxes.clone().step_by(WIDTH) {
            let some = (other.sixteen(at), other.ids(at), lanes(boxes.end - at));
            own.start = self.join_sixteen::<K, V>(some, (own.clone(), &bounds), out, found);
            if own.is_empty() {
                break;
            }
        }
    }
}

/// The join of a class with itself, over a range of its rows.
struct ClassSelfJoin<'a, V>(&'a SizeClass, &'a V);

impl<V: PairVisitor> RangeJoin for ClassSelfJoin<'_, V> {
    #[inline(always)]
    fn run<K: BoxKernel>(&self, rows: Range<usize>, found: &mut SearchResult) {
        let class = self.0;
        let mut out = PairSink { pairs: PairBuffer::new(), visitor: self.1 };
        for row in rows {
            let boxes = class.row(row);
            if boxes.is_empty() {
                continue;
            }
            class.join_row::<K, V>(boxes.clone(), &mut out, found);
            for after in class.after(row) {
                class.join_rows::<K, V>((class, boxes.clone()), after, &mut out, found);
            }
            if found.stopped {
                return;
            }
        }
        out.flush(found);
    }
}

/// The join of two classes, over a range of the rows of the first.
struct ClassJoin<'a, V>(&'a SizeClass, &'a SizeClass, &'a V);

impl<V: PairVisitor> RangeJoin for ClassJoin<'_, V> {
    #[inline(always)]
    fn run<K: BoxKernel>(&self, rows: Range<usize>, found: &mut SearchResult) {
        let (class, other) = (self.0, self.1);
        let mut out = PairSink { pairs: PairBuffer::new(), visitor: self.2 };
        for row in rows {
            let boxes = class.row(row);
            if boxes.is_empty() {
                continue;
            }
            for near in other.near(&class.bounds(row)) {
                other.join_rows::<K, V>((class, boxes.clone()), near, &mut out, found);
            }
            if found.stopped {
                return;
            }
        }
        out.flush(found);
    }
}

/// The join of a set with a grid, over a range of boxes of the set; each box is looked up alone.
struct GridLookupJoin<'a, V>(&'a BoxSet, &'a GridIndex, &'a V);

impl<V: PairVisitor> RangeJoin for GridLookupJoin<'_, V> {
    #[inline(always)]
    fn run<K: BoxKernel>(&self, range: Range<usize>, found: &mut SearchResult) {
        let mut out = PairSink { pairs: PairBuffer::new(), visitor: self.2 };
        for i in range {
            let own = self.0.get(i);
            let one = K::broadcast(&own);
            for class in &self.1.classes {
                for row in class.near(&own) {
                    let row = class.row(row);
                    if !row.is_empty() {
                        let from = class.skip::<K>(own.min[0].saturating_sub(class.longest_x()), row.clone());
                        class.stretch::<K, V>(&one, (self.0.ids[i], own.max[0]), from..row.end, &mut out, found);
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

/// Runs a join over the rows of a class.
fn over_rows(simd: Level, class: &SizeClass, join: &(impl RangeJoin + Sync), found: &mut SearchResult) {
    if found.stopped {
        return;
    }
    let chunk = (CHUNK * class.rows() / class.len().max(1)).max(1);
    let parallel = class.len() > PARALLEL_THRESHOLD;
    found.append(search_chunks(parallel, class.rows(), chunk, |range, found| run_join(simd, join, range, found)));
}

impl GridSearch {
    /// The grid of the moving boxes.
    fn index(set: &BoxSet) -> GridIndex {
        GridIndex::build(set, set.len() > PARALLEL_THRESHOLD && rayon::current_num_threads() > 1)
    }

    fn search_within(simd: Level, index: &GridIndex, visitor: &impl PairVisitor) -> SearchResult {
        let mut found = SearchResult::default();
        for (i, class) in index.classes.iter().enumerate() {
            over_rows(simd, class, &ClassSelfJoin(class, visitor), &mut found);
            for larger in &index.classes[i + 1..] {
                over_rows(simd, class, &ClassJoin(class, larger, visitor), &mut found);
            }
        }
        found
    }

    fn search_fixed(simd: Level, moving: &GridIndex, fixed: &FixedBoxes, visitor: &impl PairVisitor) -> SearchResult {
        let fixed = fixed.grid.get(&fixed.set);
        let mut found = SearchResult::default();
        for class in &moving.classes {
            for other in &fixed.classes {
                over_rows(simd, class, &ClassJoin(class, other, visitor), &mut found);
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
        cost::grid(moving, fixed)
    }

    fn within(&self, simd: Level, set: &BoxSet, visitor: &impl PairVisitor) -> SearchResult {
        Self::search_within(simd, &Self::index(set), visitor)
    }

    fn against_fixed(
        &self,
        simd: Level,
        moving: &BoxSet,
        fixed: &FixedBoxes,
        visitor: &impl PairVisitor,
    ) -> SearchResult {
        if moving.is_empty() || fixed.set.is_empty() {
            return SearchResult::default();
        }
        if few_moving(moving.len(), fixed.set.len()) {
            let join = GridLookupJoin(moving, fixed.grid.get(&fixed.set), visitor);
            let parallel = moving.len() > PARALLEL_THRESHOLD;
            return search_chunks(parallel, moving.len(), CHUNK, |range, found| run_join(simd, &join, range, found));
        }
        Self::search_fixed(simd, &Self::index(moving), fixed, visitor)
    }

    fn both(
        &self,
        simd: Level,
        moving: &BoxSet,
        fixed: &FixedBoxes,
        pairs: &impl PairVisitor,
        fixed_pairs: &impl PairVisitor,
    ) -> SearchResult {
        let index = Self::index(moving);
        let mut found = Self::search_within(simd, &index, pairs);
        if found.stopped || fixed.set.is_empty() {
            return found;
        }
        if few_moving(moving.len(), fixed.set.len()) {
            found.append(self.against_fixed(simd, moving, fixed, fixed_pairs));
        } else {
            found.append(Self::search_fixed(simd, &index, fixed, fixed_pairs));
        }
        found
    }
}
