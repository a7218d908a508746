//! How rows are divided into pages, row groups and files.

use std::time::Duration;

/// Rows that are copied into columns together. A tile of this size stays in the first-level cache
/// while every column reads its field.
pub(super) const TILE_ROWS: usize = 256;

/// Sizes that the file format contract fixes. Tests use smaller ones.
#[derive(Debug, Clone, Copy)]
pub struct TableLayout {
    /// Rows of a page.
    pub page: usize,
    /// Rows of a row group: a multiple of `page`.
    pub row_group: usize,
    /// Row groups of a part file.
    pub groups_per_part: usize,
    /// Pairs of a run that are kept in memory even if the memory limit is smaller.
    pub least_pairs: usize,
    /// Time after which a checkpoint is taken, if the part of `distances` is filled slowly. No byte
    /// of a table depends on it.
    pub checkpoint_after: Duration,
    /// Time of a page of `distances` in a job that is not slow.
    pub fast_page: Duration,
}

impl TableLayout {
    /// The sizes of the contract.
    pub(super) const CONTRACT: Self = Self {
        page: 16_384,
        row_group: 1 << 20,
        groups_per_part: 16,
        least_pairs: 65_536,
        checkpoint_after: Duration::from_secs(60),
        // 100,000 rows a second: a part is whole in less than three minutes.
        fast_page: Duration::from_millis(164),
    };
}
