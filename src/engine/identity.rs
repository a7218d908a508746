//! What makes a job: what two executions must have in common, so that one can go on with the tables of the other.

use super::manifest::SCHEMA_VERSION;
use super::options::JobOptions;
use crate::error::{Error, Result};
use crate::scene::{Missing, Scene};
use crate::table::DistanceColumns;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// The job as JSON text, which is equal for equal jobs. Scene and geometry count by their digests, trajectories by size
/// and time of change. `trajectories`: paths and sizes.
///
/// # Errors
/// A file cannot be looked at.
pub(super) fn of_job(scene: &Scene, options: &JobOptions, trajectories: &[(PathBuf, u64)]) -> Result<String> {
    let query = &scene.query;
    let bits = |value: f64| value.to_bits();
    let scene_files: Vec<Value> = scene.inputs.iter().map(|input| json!([input.bytes, input.sha256])).collect();
    let trajectories: Vec<Value> =
        trajectories.iter().map(|(path, bytes)| of_file(path, *bytes)).collect::<Result<_>>()?;
    Ok(json!({
        "program": [env!("CARGO_PKG_VERSION"), SCHEMA_VERSION],
        "scene": scene_files,
        "trajectories": trajectories,
        "runs": options.read.runs.as_ref().map(|range| [range.start, range.end]),
        "frames": options.read.frames.as_ref().map(|range| [range.start, range.end]),
        "within": bits(query.within),
        "require": query.require.map(bits),
        "touch": bits(query.touch),
        "static_pairs": query.static_pairs,
        "missing": match scene.missing {
            Missing::Error => "error",
            Missing::Absent => "absent",
            Missing::Hold => "hold",
        },
        "columns": match options.columns {
            DistanceColumns::All => "all",
            DistanceColumns::Distance => "distance",
        },
    })
    .to_string())
}

/// A file by its size and the time of its last change.
fn of_file(path: &Path, bytes: u64) -> Result<Value> {
    let modified = path.metadata().and_then(|about| about.modified());
    let modified = modified.map_err(|error| Error::unreadable(path, &error))?;
    // A time before 1970 counts as 1970.
    let since = modified.duration_since(UNIX_EPOCH).unwrap_or_default();
    Ok(json!([bytes, since.as_secs(), since.subsec_nanos()]))
}
