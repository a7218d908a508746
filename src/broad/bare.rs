//! Searches over boxes that are given, without poses: what measurements need.

use super::boxes::LatticeBox;
use super::set::{BoxSet, Found, PairSearch, Visit};
use super::simd::Simd;
use super::{FixedBoxes, auto::Auto, brute::Brute, grid::Grid, hash::Hash, tree::Tree};
use crate::scene::Candidate;

/// Boxes in the layout of the searches; each is named by its index in its list.
#[derive(Debug)]
pub struct Bare {
    moving: BoxSet,
    fixed: FixedBoxes,
}

impl Bare {
    /// Lays the boxes out.
    pub fn new(moving: impl Iterator<Item = LatticeBox>, fixed: impl Iterator<Item = LatticeBox>) -> Self {
        let fixed = FixedBoxes { set: BoxSet::new((0..).zip(fixed)), ..FixedBoxes::default() };
        Self { moving: BoxSet::new((0..).zip(moving)), fixed }
    }

    /// All overlapping pairs (in sample 0) within the moving boxes, then of a moving and a fixed one, in no order, by
    /// one search that keeps nothing of the moving boxes; `None` for a name that is no plain search. Uses rayon's
    /// current pool where that pays.
    pub fn pairs(&self, method: &str) -> Option<Vec<Candidate>> {
        match method {
            "auto" => Some(self.by(&Auto)),
            "brute" => Some(self.by(&Brute)),
            "hash" => Some(self.by(&Hash)),
            "tree" => Some(self.by(&Tree)),
            "grid" => Some(self.by(&Grid)),
            _ => None,
        }
    }

    /// The method that `auto` takes for these boxes.
    pub fn chosen(&self) -> &'static str {
        Auto::chosen(&self.moving, &self.fixed)
    }

    fn by(&self, search: &impl PairSearch) -> Vec<Candidate> {
        search.both(Simd::detect(), &self.moving, &self.fixed, &Every, &Every).candidates
    }
}

/// Keeps every pair.
struct Every;

impl Visit for Every {
    #[inline(always)]
    fn pair(&self, first: u32, second: u32, found: &mut Found) {
        found.candidates.push(Candidate { a: first.min(second), b: first.max(second), samples: 1 });
    }
}
