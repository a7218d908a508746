//! Spatial joins that are compiled for each level of vector instructions.

use super::box_kernel::BoxKernel;
use super::pair_search::SearchResult;
use clearsweep_base::simd::{Level, dispatch};
use std::ops::Range;

/// A spatial join over a range of leaves, rows or boxes.
pub(super) trait RangeJoin {
    /// Runs the join over a range.
    fn run<K: BoxKernel>(&self, range: Range<usize>, found: &mut SearchResult);
}

/// Runs a join over a range with the instructions of a level.
#[inline]
pub(super) fn run_join<J: RangeJoin>(simd: Level, join: &J, range: Range<usize>, found: &mut SearchResult) {
    run_at(simd, join, range, found);
}

#[inline(always)]
fn run_body<K: BoxKernel, J: RangeJoin>(join: &J, range: Range<usize>, found: &mut SearchResult) {
    join.run::<K>(range, found);
}

dispatch!(at run_at[J: RangeJoin], run_body, (join: &J, range: Range<usize>, found: &mut SearchResult) -> ());
