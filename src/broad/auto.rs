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

impl Choice {
    fn new(moving: &BoxSet, fixed: usize) -> Self {
        if Brute.cost(moving.len(), fixed) <= Tree.cost(moving.len(), fixed) {
            Self::Brute
        } else if fixed == 0 && moving.is_sheet() {
            Self::Grid
        } else {
            Self::Tree
        }
    }
}

impl Auto {
    /// The name of the search that it takes.
    pub(super) fn chosen(moving: &BoxSet, fixed: usize) -> &'static str {
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
        match Choice::new(set, 0) {
            Choice::Brute => Brute.within(simd, set, visit),
            Choice::Grid => Grid.within(simd, set, visit),
            Choice::Tree => Tree.within(simd, set, visit),
        }
    }

    fn against_fixed(&self, simd: Simd, moving: &BoxSet, fixed: &FixedBoxes, visit: &impl Visit) -> Found {
        match Choice::new(moving, fixed.set.len()) {
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
        match Choice::new(moving, fixed.set.len()) {
            Choice::Brute => Brute.both(simd, moving, fixed, pairs, fixed_pairs),
            Choice::Grid => Grid.both(simd, moving, fixed, pairs, fixed_pairs),
            Choice::Tree => Tree.both(simd, moving, fixed, pairs, fixed_pairs),
        }
    }
}
