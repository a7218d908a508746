//! The pair search with the least estimated cost, chosen for each search: see
//! docs/reference/broad-phase.md.

use super::box_set::BoxSet;
use super::brute::BruteForce;
use super::fixed_boxes::FixedBoxes;
use super::grid::GridSearch;
use super::pair_search::{PairSearch, PairVisitor, SearchResult};
use super::tree::TreeSearch;
use clearsweep_base::simd::Level;

/// Chooses between brute force, the grid and the tree.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct AutoSearch;

/// The search that is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SearchChoice {
    Brute,
    Grid,
    Tree,
}

/// With fewer moving boxes than this, the grid is not considered.
const GRID_MIN_MOVING: usize = 64;
/// Boxes are of similar size if the longest side of any is at most this many times the longest side
/// of any other box.
const SIMILAR_RATIO: u32 = 4;
/// With more fixed boxes per moving box than this, the tree is faster than the grid.
const TREE_FIXED_PER_MOVING: usize = 20;
/// The tree's cost for boxes of mixed sizes, as a multiple of its cost model, which is fitted to
/// all cases.
const MIXED_SIZES_FACTOR: f64 = 1.15;

/// Whether all boxes are of similar size. Then one size class of the grid holds them, and the grid
/// is faster than the tree.
fn are_similar(moving: &BoxSet, fixed: &FixedBoxes) -> bool {
    let ((short, long), (fixed_short, fixed_long)) = (moving.size_range(), fixed.size_range());
    long.max(fixed_long) <= short.min(fixed_short).saturating_mul(SIMILAR_RATIO)
}

impl SearchChoice {
    fn new(moving: &BoxSet, fixed: &FixedBoxes) -> Self {
        let (n, m) = (moving.len(), fixed.set.len());
        let (brute, tree) = (BruteForce.cost(n, m), TreeSearch.cost(n, m));
        let cheaper = |tree: f64| if brute <= tree { Self::Brute } else { Self::Tree };
        if n < GRID_MIN_MOVING {
            return cheaper(tree);
        }
        match are_similar(moving, fixed) {
            true if m > TREE_FIXED_PER_MOVING * n => cheaper(tree),
            true if brute <= GridSearch.cost(n, m) => Self::Brute,
            true => Self::Grid,
            false => cheaper(MIXED_SIZES_FACTOR * tree),
        }
    }
}

impl AutoSearch {
    /// The name of the search that is chosen for these boxes.
    pub(super) fn chosen(moving: &BoxSet, fixed: &FixedBoxes) -> &'static str {
        match SearchChoice::new(moving, fixed) {
            SearchChoice::Brute => BruteForce.name(),
            SearchChoice::Grid => GridSearch.name(),
            SearchChoice::Tree => TreeSearch.name(),
        }
    }
}

impl PairSearch for AutoSearch {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn cost(&self, moving: usize, fixed: usize) -> f64 {
        BruteForce.cost(moving, fixed).min(TreeSearch.cost(moving, fixed))
    }

    fn within(&self, simd: Level, set: &BoxSet, visitor: &impl PairVisitor) -> SearchResult {
        match SearchChoice::new(set, &FixedBoxes::default()) {
            SearchChoice::Brute => BruteForce.within(simd, set, visitor),
            SearchChoice::Grid => GridSearch.within(simd, set, visitor),
            SearchChoice::Tree => TreeSearch.within(simd, set, visitor),
        }
    }

    fn against_fixed(
        &self,
        simd: Level,
        moving: &BoxSet,
        fixed: &FixedBoxes,
        visitor: &impl PairVisitor,
    ) -> SearchResult {
        match SearchChoice::new(moving, fixed) {
            SearchChoice::Brute => BruteForce.against_fixed(simd, moving, fixed, visitor),
            SearchChoice::Grid => GridSearch.against_fixed(simd, moving, fixed, visitor),
            SearchChoice::Tree => TreeSearch.against_fixed(simd, moving, fixed, visitor),
        }
    }

    fn both(
        &self,
        simd: Level,
        moving: &BoxSet,
        fixed: &FixedBoxes,
        pairs: &impl PairVisitor,
        fixed_pairs: &impl PairVisitor,
    ) -> SearchResult {
        match SearchChoice::new(moving, fixed) {
            SearchChoice::Brute => BruteForce.both(simd, moving, fixed, pairs, fixed_pairs),
            SearchChoice::Grid => GridSearch.both(simd, moving, fixed, pairs, fixed_pairs),
            SearchChoice::Tree => TreeSearch.both(simd, moving, fixed, pairs, fixed_pairs),
        }
    }
}
