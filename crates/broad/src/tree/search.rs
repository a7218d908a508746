//! Searches for pairs by a tree.
//!
//! A search takes one leaf at a time. It traverses the tree once with the bounds of the leaf. In
//! every leaf that it reaches, it compares those of its own boxes that overlap the bounds of that
//! leaf, each with sixteen boxes at once.

use super::super::box_kernel::BoxKernel;
use super::super::box_set::BoxSet;
use super::super::box16::{Box16Columns, WIDTH};
use super::super::brute::BruteForce;
use super::super::cost::{self, few_moving, is_leaf};
use super::super::fixed_boxes::FixedBoxes;
use super::super::pair_buffer::PairBuffer;
use super::super::pair_search::{PairSearch, PairVisitor, SearchResult, search_chunks};
use super::super::range_join::{RangeJoin, run_join};
use super::packed::PackedTree;
use clearsweep_base::simd::Level;
use std::ops::Range;

/// With fewer boxes than this, a search runs on one thread.
const PARALLEL_THRESHOLD: usize = 2048;
/// The number of leaves per task.
const CHUNK: usize = 16;

/// The search by a tree.
#[derive(Debug, Clone, Copy, Default)]
pub(in super::super) struct TreeSearch;

impl PackedTree {
    /// Visits the pairs of the boxes in a range of leaves with the boxes that follow them.
    #[inline(always)]
    fn join_within<K: BoxKernel>(&self, leaves: Range<usize>, visitor: &impl PairVisitor, found: &mut SearchResult) {
        let (mut near, mut pairs) = (Vec::with_capacity(64), PairBuffer::new());
        for g in leaves {
            let (own, ids) = (self.leaf(g), self.ids(g));
            for lane in 0..WIDTH {
                let hits = K::overlap_mask(&K::broadcast_lane(own, lane), own) & (u32::MAX << 1) << lane;
                pairs.append::<K>(ids[lane], ids, hits);
                if pairs.is_full() {
                    pairs.drain(|first, second| visitor.visit(first, second, found));
                }
            }
            self.overlapping_leaves::<K>(&self.bounds::<K>(g), g + 1, &mut near);
            self.leaf_pairs::<K>((own, ids), &near, &mut pairs, visitor, found);
            if found.stopped {
                return;
            }
        }
        pairs.drain(|first, second| visitor.visit(first, second, found));
    }

    /// Visits the pairs of the boxes in a range of leaves of `moving` with the boxes of this tree.
    #[inline(always)]
    fn join_other<K: BoxKernel>(
        &self,
        moving: &Self,
        leaves: Range<usize>,
        visitor: &impl PairVisitor,
        found: &mut SearchResult,
    ) {
        let (mut near, mut pairs) = (Vec::with_capacity(64), PairBuffer::new());
        for g in leaves {
            self.overlapping_leaves::<K>(&moving.bounds::<K>(g), 0, &mut near);
            self.leaf_pairs::<K>((moving.leaf(g), moving.ids(g)), &near, &mut pairs, visitor, found);
            if found.stopped {
                return;
            }
        }
        pairs.drain(|first, second| visitor.visit(first, second, found));
    }

    /// Visits the pairs of a range of boxes of `moving` with the boxes of this tree, which is
    /// traversed for each of them.
    #[inline(always)]
    fn join_boxes<K: BoxKernel>(
        &self,
        moving: &BoxSet,
        boxes: Range<usize>,
        visitor: &impl PairVisitor,
        found: &mut SearchResult,
    ) {
        let (mut near, mut pairs) = (Vec::with_capacity(64), PairBuffer::new());
        for i in boxes {
            let one = K::broadcast(&moving.get(i));
            self.overlapping_leaves::<K>(&one, 0, &mut near);
            for &h in &near {
                let h = h as usize;
                pairs.append::<K>(moving.ids[i], self.ids(h), K::overlap_mask(&one, self.leaf(h)));
                if pairs.is_full() {
                    pairs.drain(|first, second| visitor.visit(first, second, found));
                }
            }
            if found.stopped {
                return;
            }
        }
        pairs.drain(|first, second| visitor.visit(first, second, found));
    }

    /// Visits the pairs of the boxes of a leaf (`own`, with their identifiers) and the boxes of the
    /// leaves `near` of this tree.
    #[inline(always)]
    fn leaf_pairs<K: BoxKernel>(
        &self,
        (own, own_ids): (Box16Columns<'_>, &[u32; WIDTH]),
        near: &[u32],
        pairs: &mut PairBuffer,
        visitor: &impl PairVisitor,
        found: &mut SearchResult,
    ) {
        for &h in near {
            let h = h as usize;
            let (other, ids) = (self.leaf(h), self.ids(h));
            let mut lanes = K::overlap_mask(&self.bounds::<K>(h), own);
            while lanes != 0 {
                let lane = lanes.trailing_zeros() as usize % WIDTH;
                lanes &= lanes - 1;
                pairs.append::<K>(own_ids[lane], ids, K::overlap_mask(&K::broadcast_lane(own, lane), other));
                if pairs.is_full() {
                    pairs.drain(|first, second| visitor.visit(first, second, found));
                }
            }
        }
    }
}

/// The join of a tree with itself, over a range of its leaves.
struct SelfJoin<'a, V>(&'a PackedTree, &'a V);

impl<V: PairVisitor> RangeJoin for SelfJoin<'_, V> {
    #[inline(always)]
    fn run<K: BoxKernel>(&self, leaves: Range<usize>, found: &mut SearchResult) {
        self.0.join_within::<K>(leaves, self.1, found);
    }
}

/// The join of the moving tree with the fixed one, over a range of the moving leaves.
struct CrossJoin<'a, V> {
    moving: &'a PackedTree,
    fixed: &'a PackedTree,
    visitor: &'a V,
}

impl<V: PairVisitor> RangeJoin for CrossJoin<'_, V> {
    #[inline(always)]
    fn run<K: BoxKernel>(&self, leaves: Range<usize>, found: &mut SearchResult) {
        self.fixed.join_other::<K>(self.moving, leaves, self.visitor, found);
    }
}

/// The join of a set of moving boxes with the fixed tree, over a range of the moving boxes.
struct TreeLookupJoin<'a, V> {
    moving: &'a BoxSet,
    fixed: &'a PackedTree,
    visitor: &'a V,
}

impl<V: PairVisitor> RangeJoin for TreeLookupJoin<'_, V> {
    #[inline(always)]
    fn run<K: BoxKernel>(&self, range: Range<usize>, found: &mut SearchResult) {
        self.fixed.join_boxes::<K>(self.moving, range, self.visitor, found);
    }
}

/// Runs a join over all leaves.
fn over_leaves(simd: Level, join: &(impl RangeJoin + Sync), leaves: usize) -> SearchResult {
    search_chunks(leaves * WIDTH > PARALLEL_THRESHOLD, leaves, CHUNK, |range, found| run_join(simd, join, range, found))
}

impl TreeSearch {
    /// The tree of the moving boxes.
    fn packed(simd: Level, set: &BoxSet) -> PackedTree {
        PackedTree::build(simd, set, set.len() > PARALLEL_THRESHOLD)
    }

    /// Visits the pairs of a moving and a fixed box by looking up each moving box. There must be
    /// fixed boxes.
    fn look_up(simd: Level, moving: &BoxSet, fixed: &FixedBoxes, visitor: &impl PairVisitor) -> SearchResult {
        let fixed = fixed.tree.get(simd, &fixed.set);
        let join = TreeLookupJoin { moving, fixed, visitor };
        let parallel = moving.len() > PARALLEL_THRESHOLD;
        search_chunks(parallel, moving.len(), CHUNK * WIDTH, |range, found| run_join(simd, &join, range, found))
    }
}

impl PairSearch for TreeSearch {
    fn name(&self) -> &'static str {
        "tree"
    }

    fn cost(&self, moving: usize, fixed: usize) -> f64 {
        cost::tree(moving, fixed)
    }

    fn within(&self, simd: Level, set: &BoxSet, visitor: &impl PairVisitor) -> SearchResult {
        if is_leaf(set.len()) {
            return BruteForce.within(simd, set, visitor);
        }
        let tree = Self::packed(simd, set);
        over_leaves(simd, &SelfJoin(&tree, visitor), tree.leaves())
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
            return Self::look_up(simd, moving, fixed, visitor);
        }
        let moving = Self::packed(simd, moving);
        let fixed = fixed.tree.get(simd, &fixed.set);
        over_leaves(simd, &CrossJoin { moving: &moving, fixed, visitor }, moving.leaves())
    }

    fn both(
        &self,
        simd: Level,
        moving: &BoxSet,
        fixed: &FixedBoxes,
        pairs: &impl PairVisitor,
        fixed_pairs: &impl PairVisitor,
    ) -> SearchResult {
        if is_leaf(moving.len()) || fixed.set.is_empty() || few_moving(moving.len(), fixed.set.len()) {
            let mut found = self.within(simd, moving, pairs);
            if !found.stopped {
                found.append(self.against_fixed(simd, moving, fixed, fixed_pairs));
            }
            return found;
        }
        let tree = Self::packed(simd, moving);
        let mut found = over_leaves(simd, &SelfJoin(&tree, pairs), tree.leaves());
        if !found.stopped {
            let fixed = fixed.tree.get(simd, &fixed.set);
            found.append(over_leaves(simd, &CrossJoin { moving: &tree, fixed, visitor: fixed_pairs }, tree.leaves()));
        }
        found
    }
}
