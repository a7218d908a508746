//! Places of rows of `[[bodies]]` tables, for messages.

use std::path::Path;
use std::sync::Arc;

/// Place of a row.
#[derive(Debug, Clone)]
pub(super) struct RowPlace {
    pub(super) table: Arc<Path>,
    /// From 0.
    pub(super) row: u64,
    /// Line in the file, from 1; `None` in a file without lines.
    pub(super) line: Option<u64>,
}

impl std::fmt::Display for RowPlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.table.display())?;
        match self.line {
            Some(line) => write!(f, ":{line}"),
            None => write!(f, ", row {} (from 0)", self.row),
        }
    }
}
