//! The plan of the shards of a job as a Parquet table.

use super::writer_properties;
use arrow_array::{ArrayRef, Float64Array, Int32Array, Int64Array, RecordBatch};
use clearsweep_base::error::{Error, Result};
use parquet::arrow::ArrowWriter;
use std::fs::File;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// A shard in the table. Ends that are open are null.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShardRow {
    /// First run, and the run behind the last one.
    pub runs: [Option<i64>; 2],
    /// First frame, and the frame behind the last one, of the one run that is cut.
    pub frames: [Option<i64>; 2],
    /// Poses in it, about.
    pub poses: u64,
}

impl ShardRow {
    /// A shard of `runs`, and of `frames` if it is a part of one run. A range that begins at
    /// `i64::MIN`, or ends at `i64::MAX`, is open there.
    pub fn new(runs: &Range<i64>, frames: Option<&Range<i64>>, poses: u64) -> Self {
        let end = |value: i64, open: i64| (value != open).then_some(value);
        let ends = |range: &Range<i64>| [end(range.start, i64::MIN), end(range.end, i64::MAX)];
        Self { runs: ends(runs), frames: frames.map_or([None; 2], ends), poses }
    }
}

/// Writes a row for each shard, in order: `shard`, `shards`, `runs_from`, `runs_to`, `frames_from`,
/// `frames_to`, `poses`, `share`.
///
/// # Errors
/// The file cannot be written.
pub fn write(path: &Path, shards: &[ShardRow]) -> Result<()> {
    let total: u64 = shards.iter().map(|shard| shard.poses).sum();
    let share = |shard: &ShardRow| shard.poses as f64 / total.max(1) as f64;
    let end =
        |of: &dyn Fn(&ShardRow) -> Option<i64>| Arc::new(shards.iter().map(of).collect::<Int64Array>()) as ArrayRef;
    let columns: [(&str, ArrayRef); 8] = [
        ("shard", Arc::new(Int32Array::from_iter_values(0..shards.len() as i32))),
        ("shards", Arc::new(Int32Array::from(vec![shards.len() as i32; shards.len()]))),
        ("runs_from", end(&|shard| shard.runs[0])),
        ("runs_to", end(&|shard| shard.runs[1])),
        ("frames_from", end(&|shard| shard.frames[0])),
        ("frames_to", end(&|shard| shard.frames[1])),
        ("poses", Arc::new(Int64Array::from_iter_values(shards.iter().map(|shard| shard.poses as i64)))),
        ("share", Arc::new(Float64Array::from_iter_values(shards.iter().map(share)))),
    ];
    let failed = |error: &dyn std::fmt::Display| Error::unwritable(path, error);
    let batch = RecordBatch::try_from_iter(columns).map_err(|error| Error::internal(path.display(), error))?;
    let file = File::create(path).map_err(|error| failed(&error))?;
    let properties = Some(writer_properties::common().build());
    let mut writer = ArrowWriter::try_new(file, batch.schema(), properties).map_err(|error| failed(&error))?;
    writer.write(&batch).map_err(|error| failed(&error))?;
    writer.close().map_err(|error| failed(&error))?;
    Ok(())
}
