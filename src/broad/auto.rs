//! The cheapest search by its estimated cost, for each search anew: see docs/broad-phase.md.

use super::FixedBoxes;
use super::brute::Brute;
use super::grid::Grid;
use super::set::{BoxSet, Found, PairSearch, Visit};
use super::simd::Simd;
use super::tree::Tree;

/// Takes brute force, the grid or the tree.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Auto;

/// What is taken for a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Choice {
    Brute,
    Grid,
    Tree,
}

/// Below so many moving boxes the grid is not considered.
const FEW: usize = 64;
/// Boxes are alike if the longest side of any is at most so many times that of any other.
const ALIKE: u32 = 4;
/// With more fixed boxes for each moving one the tree looks boxes up faster.
const MANY_FIXED: usize = 20;
/// The tree's cost where sizes differ, as a multiple of the model, which is fitted to all cases.
const MIXED: f64 = 1.15;

/// Whether all boxes are of like size: then one class of cells fits them, and the grid is ahead of the tree.
fn are_alike(moving: &BoxSet, fixed: &FixedBoxes) -> bool {
    let ((short, long), (fixed_short, fixed_long)) = (moving.sides(), *fixed.sides.get_or_init(|| fixed.set.sides()));
    long.max(fixed_long) <= short.min(fixed_short).saturating_mul(ALIKE)
}

impl Choice {
    fn new(moving: &BoxSet, fixed: &FixedBoxes) -> Self {
        let (n, m) = (moving.len(), fixed.set.len());
        let (brute, tree) = (Brute.cost(n, m), Tree.cost(n, m));
        let cheaper = |tree: f64| if brute <= tree { Self::Brute } else { Self::Tree };
        if n < FEW {
            return cheaper(tree);
        }
        match are_alike(moving, fixed) {
            true if m > MANY_FIXED * n => cheaper(tree),
            true if brute <= Grid.cost(n, m) => Self::Brute,
            true => Self::Grid,
            false => cheaper(MIXED * tree),
        }
    }
}

impl Auto {
    /// The name of the search that it takes.
    pub(super) fn chosen(moving: &BoxSet, fixed: &FixedBoxes) -> &'static str {
        match Choice::new(moving, fixed) {
            Choice::Brute => Brute.name(),
            Choice::Grid => Grid.name(),
            Choice::Tree => Tree.name(),
        }
    }
}

impl PairSearch for Auto {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn cost(&self, moving: usize, fixed: usize) -> f64 {
        Brute.cost(moving, fixed).min(Tree.cost(moving, fixed))
    }

    fn within(&self, simd: Simd, set: &BoxSet, visit: &impl Visit) -> Found {
        match Choice::new(set, &FixedBoxes::default()) {
            Choice::Brute => Brute.within(simd, set, visit),
            Choice::Grid => Grid.within(simd, set, visit),
            Choice::Tree => Tree.within(simd, set, visit),
        }
    }

    fn against_fixed(&self, simd: Simd, moving: &BoxSet, fixed: &FixedBoxes, visit: &impl Visit) -> Found {
        match Choice::new(moving, fixed) {
            Choice::Brute => Brute.against_fixed(simd, moving, fixed, visit),
            Choice::Grid => Grid.against_fixed(simd, moving, fixed, visit),
            Choice::Tree => Tree.against_fixed(simd, moving, fixed, visit),
        }
    }

    fn both(
        &self,
        simd: Simd,
        moving: &BoxSet,
        fixed: &FixedBoxes,
        pairs: &impl Visit,
        fixed_pairs: &impl Visit,
    ) -> Found {
        match Choice::new(moving, fixed) {
            Choice::Brute => Brute.both(simd, moving, fixed, pairs, fixed_pairs),
            Choice::Grid => Grid.both(simd, moving, fixed, pairs, fixed_pairs),
            Choice::Tree => Tree.both(simd, moving, fixed, pairs, fixed_pairs),
        }
    }
}
