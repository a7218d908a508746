//! Names of rows in messages.

use super::csv_file;
use super::input_bytes::InputBytes;
use std::path::Path;
use std::sync::Arc;

/// The name of a file, a batch or an array in messages, and of its rows.
#[derive(Debug, Clone)]
pub(super) struct RowLabel {
    /// The path of the file, or the name of what is in memory.
    pub(super) path: Arc<Path>,
    /// The bodies of an array: `row = sample * bodies + body`.
    pub(super) bodies: Option<Arc<[String]>>,
    /// The bytes of a CSV file, whose rows are known by their lines.
    pub(super) csv: Option<InputBytes>,
}

impl RowLabel {
    /// The place of a row, counted from 0: in CSV its line, as an editor numbers it.
    pub(super) fn row(&self, row: u64) -> String {
        if let Some(line) = self.csv.as_ref().and_then(|bytes| csv_file::line_of(bytes, row)) {
            return format!("{}:{line}", self.path.display());
        }
        match self.bodies.as_deref() {
            Some(bodies) if !bodies.is_empty() => {
                let (sample, body) = (row / bodies.len() as u64, row % bodies.len() as u64);
                format!("{}, sample {sample} (from 0), body `{}`", self.path.display(), bodies[body as usize])
            }
            _ => format!("{}, row {row} (from 0)", self.path.display()),
        }
    }
}
