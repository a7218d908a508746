//! Groups of rows of a file.

/// A group of rows that is decoded as one.
#[derive(Debug, Clone)]
pub(super) struct Group {
    /// Its number in the file.
    pub(super) index: usize,
    /// The row of the file it begins with.
    pub(super) first_row: u64,
    /// Its rows; never 0.
    pub(super) rows: u64,
    /// Least and greatest run, where the file says so.
    pub(super) runs: Option<(i64, i64)>,
    /// Least and greatest frame, where the file says so.
    pub(super) frames: Option<(i64, i64)>,
}
