//! The boxes of the static bodies, made once for a job, and the indexes that searches build of
//! them.

use super::box_set::BoxSet;
use super::grid::index::FixedGrid;
use super::hash::fixed_tables::FixedTables;
use super::tree::packed::FixedTree;
use std::sync::OnceLock;

/// The boxes of the static bodies of a job.
#[derive(Debug, Default)]
pub(super) struct FixedBoxes {
    /// The static bodies (indices into `scene.bodies`), ascending.
    pub(super) bodies: Vec<u32>,
    /// Their boxes; the identifier of a box is its position here.
    pub(super) set: BoxSet,
    /// Hash tables of the boxes, each built when it is first needed.
    pub(super) tables: FixedTables,
    /// A tree of the boxes, built when it is first needed.
    pub(super) tree: FixedTree,
    /// A grid of the boxes, built when it is first needed.
    pub(super) grid: FixedGrid,
    size_range: OnceLock<(u32, u32)>,
}

impl FixedBoxes {
    /// The boxes `set` of the static bodies `bodies` (indices into `scene.bodies`).
    pub(super) fn new(bodies: Vec<u32>, set: BoxSet) -> Self {
        debug_assert_eq!(bodies.len(), set.len());
        debug_assert!(bodies.is_sorted(), "static bodies are listed in ascending order");
        Self { bodies, set, ..Self::default() }
    }

    /// Boxes without bodies, for measurements and tests of searches.
    pub(super) fn of_boxes(set: BoxSet) -> Self {
        Self { set, ..Self::default() }
    }

    /// [`BoxSet::size_range`], computed once.
    pub(super) fn size_range(&self) -> (u32, u32) {
        *self.size_range.get_or_init(|| self.set.size_range())
    }
}
