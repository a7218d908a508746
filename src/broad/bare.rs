//! Searches over boxes that are given, without poses: what measurements against other programs need.

use super::boxes::LatticeBox;
use super::brute::Brute;
use super::hash::Hash;
use super::set::{BoxSet, Found, PairSearch, Visit};
use super::simd::Simd;
use super::tree::Tree;
use crate::scene::Candidate;

/// Boxes in the layout of the searches; each is named by its index.
#[derive(Debug)]
pub struct Bare(BoxSet);

impl Bare {
    /// Lays the boxes out.
    pub fn new(boxes: impl Iterator<Item = LatticeBox>) -> Self {
        Self(BoxSet::new((0..).zip(boxes)))
    }

    /// All overlapping pairs (in sample 0), in no order, by one search that keeps nothing; `None` for a name that is
    /// no plain search. Uses rayon's current pool where that pays.
    pub fn pairs(&self, method: &str) -> Option<Vec<Candidate>> {
        let simd = Simd::detect();
        let found = match method {
            "brute" => Brute.within(simd, &self.0, &Every),
            "hash" => Hash.within(simd, &self.0, &Every),
            "tree" => Tree.within(simd, &self.0, &Every),
            "auto" => super::Auto.within(simd, &self.0, &Every),
            _ => return None,
        };
        Some(found.candidates)
    }
}

/// Keeps every pair.
struct Every;

impl Visit for Every {
    #[inline]
    fn pair(&self, first: u32, second: u32, found: &mut Found) {
        found.candidates.push(Candidate { a: first.min(second), b: first.max(second), samples: 1 });
    }
}
