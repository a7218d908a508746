//! The hash tables of the fixed boxes.

use super::super::box_set::BoxSet;
use super::super::boxes::LatticeBox;
use super::level::{LEVELS, level_of};
use super::table::CellTable;
use clearsweep_model::CellSizes;
use std::sync::OnceLock;

/// The hash tables of a job's fixed boxes, each built when it is first needed.
///
/// They are built on one thread. With rayon, the building thread could steal a task that asks for
/// the same table, and wait for itself.
#[derive(Debug)]
pub(in super::super) struct FixedTables {
    /// Each box at its own level, where smaller boxes find it.
    own: OnceLock<CellTable>,
    /// For each level: the boxes of that level and of finer ones in its cells, where larger boxes
    /// find them. A large box would touch too many cells of the finer levels.
    gathered: [OnceLock<CellTable>; LEVELS],
}

impl Default for FixedTables {
    fn default() -> Self {
        Self { own: OnceLock::new(), gathered: std::array::from_fn(|_| OnceLock::new()) }
    }
}

impl FixedTables {
    /// The table in which each box of `set` is stored at its own level. Its sizes of cells are those
    /// of the first search that asks, and hold for all of them.
    pub(super) fn own(&self, set: &BoxSet, cells: CellSizes) -> &CellTable {
        self.own.get_or_init(|| CellTable::new(set, false, cells))
    }

    /// The table of a level that also holds the boxes of finer levels.
    pub(super) fn gathered(&self, set: &BoxSet, level: u32, cells: CellSizes) -> &CellTable {
        let at = |b: &LatticeBox| (level_of(b, cells) <= level).then_some(level);
        self.gathered[level as usize].get_or_init(|| CellTable::build(set, false, cells, at))
    }
}
