//! Options of the output: what to write, and where.

use super::output_dir::JobInputs;
use clearsweep_model::PoseSteps;
use clearsweep_records::DistanceColumns;
use std::path::PathBuf;

/// Output directory and contents of the tables.
#[derive(Debug, Clone)]
pub struct TableOptions {
    /// The output directory.
    pub out: PathBuf,
    /// Columns of `distances`.
    pub columns: DistanceColumns,
    /// Whether the files of an earlier execution in `out` are replaced.
    pub force: bool,
    /// Bytes that the per-pair summaries may take before they are spilled to disk. A fixed minimum
    /// of a few MB applies.
    pub memory: u64,
    /// Whether an execution of the same job that was killed is gone on with, if one left something
    /// in `out`.
    pub resume: bool,
    /// The job, in words that are equal for equal jobs; `None` where it cannot be gone on with
    /// after a kill.
    pub job: Option<String>,
    /// The job, in words that are equal for all shards of a job, if this is one: its state is
    /// stored for the merge.
    pub shard: Option<String>,
    /// Files that the job reads: none of them is replaced.
    pub inputs: JobInputs,
    /// The rounding steps of the poses of moving bodies; `None`: they are not known.
    #[doc(hidden)]
    pub pose_steps: Option<PoseSteps>,
}
