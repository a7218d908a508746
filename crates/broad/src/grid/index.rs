//! The boxes of a set in a grid, by size class.

use super::super::box_set::BoxSet;
use super::size_class::SizeClass;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::OnceLock;

/// The number of octaves (factors of two in the longest side) that a class spans.
const OCTAVES: u32 = 2;
/// The number of boxes that a task classifies.
const PART: usize = 8192;
/// The most classes.
const CLASSES: usize = (u32::BITS / OCTAVES) as usize + 1;

/// Boxes in a grid.
#[derive(Debug, Default)]
pub(in super::super) struct GridIndex {
    /// The size classes that have boxes, small boxes first.
    pub(super) classes: Vec<SizeClass>,
}

/// The grid of a job's fixed boxes, built when it is first needed.
///
/// It is built on one thread. With rayon, the building thread could steal a task that asks for the
/// grid, and wait for itself.
#[derive(Debug, Default)]
pub(in super::super) struct FixedGrid(OnceLock<GridIndex>);

impl FixedGrid {
    /// The grid of `set`, which must be the same set in every call.
    pub(in super::super) fn get(&self, set: &BoxSet) -> &GridIndex {
        self.0.get_or_init(|| GridIndex::build(set, false))
    }
}

impl GridIndex {
    /// Builds the grid of a set, on rayon's current pool if `parallel`.
    pub(super) fn build(set: &BoxSet, parallel: bool) -> Self {
        let [x, y, z, to_x, to_y, to_z] = set.columns();
        let longest_side = |i: usize| {
            let side = |from: &[u32], to: &[u32]| to[i].saturating_sub(from[i]);
            side(x, to_x).max(side(y, to_y)).max(side(z, to_z))
        };
        let digits = |side: u32| u32::BITS - side.leading_zeros();
        let largest = digits(set.size_range().1);
        let classify = |range: Range<usize>| {
            let mut places: [Vec<u32>; CLASSES] = std::array::from_fn(|_| Vec::new());
            for i in range {
                places[((largest - digits(longest_side(i))) / OCTAVES) as usize].push(i as u32);
            }
            places
        };
        let places = if parallel {
            let part = |p: usize| classify(p * PART..((p + 1) * PART).min(set.len()));
            let parts: Vec<[Vec<u32>; CLASSES]> = (0..set.len().div_ceil(PART)).into_par_iter().map(part).collect();
            std::array::from_fn(|class| parts.iter().flat_map(|places| &places[class]).copied().collect())
        } else {
            classify(0..set.len())
        };
        let used = places.iter().rev().filter(|places| !places.is_empty());
        Self { classes: used.map(|places| SizeClass::build(set, places, parallel)).collect() }
    }
}
