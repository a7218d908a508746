//! Names of rows in messages.

use super::csv_file;
use super::input_bytes::InputBytes;
use std::path::Path;
use std::sync::Arc;

/// The rows of an array: `row = (run * frames + frame) * bodies + body`, or `run * frames + frame`
/// of joint values, which name no bodies.
#[derive(Debug, Clone)]
pub(super) struct ArrayRows {
    pub(super) bodies: Arc<[String]>,
    /// Frames of a run; `None`: the array has no axis of runs.
    pub(super) frames: Option<u64>,
}

/// The name of a file, a batch or an array in messages, and of its rows.
#[derive(Debug, Clone)]
pub(super) struct RowLabel {
    /// The path of the file, or the name of what is in memory.
    pub(super) path: Arc<Path>,
    /// Set if the rows are those of an array.
    pub(super) array: Option<ArrayRows>,
    /// The bytes of a CSV file, whose rows are known by their lines.
    pub(super) csv: Option<InputBytes>,
}

impl RowLabel {
    /// The place of a row, counted from 0: in CSV its line, as an editor numbers it.
    pub(super) fn row(&self, row: u64) -> String {
        if let Some(line) = self.csv.as_ref().and_then(|bytes| csv_file::line_of(bytes, row)) {
            return format!("{}:{line}", self.path.display());
        }
        match &self.array {
            Some(ArrayRows { bodies, frames }) => {
                let (sample, body) = (row / bodies.len().max(1) as u64, row % bodies.len().max(1) as u64);
                let place = match frames {
                    Some(frames) => format!("run {}, frame {}", sample / frames, sample % frames),
                    None => format!("sample {sample}"),
                };
                let body = bodies.get(body as usize).map_or(String::new(), |body| format!(", body `{body}`"));
                format!("{}, {place} (from 0){body}", self.path.display())
            }
            None => format!("{}, row {row} (from 0)", self.path.display()),
        }
    }
}
