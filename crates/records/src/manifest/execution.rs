//! What was executed: the scene, the options, the inputs, the machine, shards and warnings.

use super::named::{Named, Span};
use super::summary::MaxGap;
use serde::{Deserialize, Serialize};

/// A warning.
#[derive(Serialize, Deserialize, Default, Clone, Debug, PartialEq)]
#[serde(default)]
pub struct Warning {
    /// Subject, in a word that does not change.
    pub kind: String,
    /// Names of the bodies that it is about, at most a hundred.
    pub bodies: Vec<String>,
    /// Number of all these bodies.
    pub bodies_count: u64,
    /// The problem that was seen.
    pub problem: String,
    /// The action that the user can take.
    pub help: String,
}

/// The scene of an execution.
#[derive(Serialize, Deserialize, Default, Clone, Debug, PartialEq)]
#[serde(default)]
pub struct SceneEntry {
    /// Path of the scene file, relative to the working directory.
    pub path: String,
    /// Name of the scene.
    pub name: String,
    /// Unit of its lengths.
    pub length_unit: String,
    /// Rules that take pairs out.
    pub ignore: Vec<IgnoreRule>,
}

/// A rule that takes pairs out.
#[derive(Serialize, Deserialize, Default, Clone, Debug, PartialEq)]
#[serde(default)]
pub struct IgnoreRule {
    /// The selector `a`; `None`: everything.
    pub a: Option<String>,
    /// The selector `b`; `None`: everything.
    pub b: Option<String>,
    /// Common ancestor of the bodies of a pair.
    pub same: Option<String>,
    /// The reason of the user.
    pub reason: Option<String>,
    /// Pairs that it takes out.
    pub pairs: u64,
}

/// Options of a run, with those of the scene that they replaced.
#[derive(Serialize, Deserialize, Default, Clone, Debug, PartialEq)]
#[serde(default)]
pub struct Options {
    /// Whether sweeps of the scene give the poses.
    pub sweep: bool,
    /// Cut-off of rows.
    pub within_m: Option<f64>,
    /// Required distance.
    pub require_m: Option<f64>,
    /// Distance up to which bodies touch.
    pub touch_m: Option<f64>,
    /// Whether two static bodies are paired too.
    pub static_pairs: bool,
    /// `overlap`, `distance` or `depth`.
    pub answer: String,
    /// `none` or `all`.
    pub contacts: String,
    /// Direction of free lengths, world frame.
    pub direction: Option<[f64; 3]>,
    /// How bodies move between frames.
    pub between: String,
    /// Width of the bracket of an interval; with motion only, as the next two.
    pub between_tolerance_m: Option<f64>,
    /// Frames of an interval.
    pub max_gap: Option<i64>,
    /// Longest time of an interval.
    pub max_gap_s: Option<MaxGap>,
    /// `shortest` or `as-given`; on joints only.
    pub wrap: Option<String>,
    /// What a missing pose means: `error`, `absent` or `hold`.
    pub missing: String,
    /// What orientations count from.
    pub rest: String,
    /// File or folder of the trajectories; `None`: they came from memory or a stream.
    pub trajectories: Option<String>,
    /// Runs that were taken; `None`: all.
    pub runs: Option<Span>,
    /// Frames that were taken; `None`: all.
    pub frames: Option<Span>,
    /// Broad phase that was used.
    pub broad: String,
    /// Narrow phase that was used.
    pub narrow: String,
    /// Device that was asked for.
    pub device: String,
    /// Adapter that was asked for.
    pub adapter: Option<String>,
    /// Limit of the device's memory.
    pub device_memory_bytes: Option<u64>,
    /// Threads of the pool.
    pub threads: u64,
    /// Limit of the memory for frames in flight.
    pub memory_bytes: u64,
    /// Columns of `distances`: `all` or `distance`.
    pub columns: String,
    /// Whether a requirement is kept where nothing was checked.
    pub allow_empty: bool,
}

/// The part of a result that an interrupted execution had written.
#[derive(Serialize, Deserialize, Default, Clone, Debug, PartialEq)]
#[serde(default)]
pub struct Resumed {
    /// Samples with written rows.
    pub samples: u64,
}

/// An input file.
#[derive(Serialize, Deserialize, Default, Clone, Debug, PartialEq)]
#[serde(default)]
pub struct Input {
    /// The path as found; of a stream, `stdin` or the name of the pipe.
    pub path: String,
    /// Size.
    pub bytes: u64,
    /// SHA-256, hexadecimal; `None` for trajectories of shards.
    pub sha256: Option<String>,
    /// Mark of trajectories of shards: BLAKE3 of the footer (Parquet) or of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mark: Option<String>,
}

/// Candidates, and rows by method.
#[derive(Serialize, Deserialize, Default, Clone, Debug, PartialEq)]
#[serde(default)]
pub struct Counts {
    /// Pairs that the broad phase found, by block.
    pub candidates: u64,
    /// Samples of these.
    pub candidate_samples: u64,
    /// Rows by method of the narrow phase.
    pub by_method: Named<u64>,
    /// Intervals by method; `None` without motion.
    pub intervals_by_method: Option<Named<u64>>,
}

/// Digests of the rows of a table.
#[derive(Serialize, Deserialize, Default, Clone, Debug, PartialEq)]
#[serde(default)]
pub struct RowsDigest {
    /// Number of rows.
    pub rows: u64,
    /// Sum of all digests, hexadecimal.
    pub blake3_sum: String,
    /// `FIRST LAST RUNS ROWS DIGEST` of groups of runs.
    pub runs: Option<Vec<String>>,
}

/// A shard of a job.
#[derive(Serialize, Deserialize, Default, Clone, Debug, PartialEq)]
#[serde(default)]
pub struct Shard {
    /// Its number, from 0.
    pub index: u32,
    /// Number of shards.
    pub of: u32,
    /// Digest of the job, hexadecimal.
    pub job: String,
    /// Runs that it takes; `None`: none.
    pub runs: Option<Span>,
    /// Frames that it takes; `None`: all.
    pub frames: Option<Span>,
    /// Options that replaced those of the scene.
    pub overrides: Overrides,
}

/// Options that replaced those of the scene, as written.
#[derive(Serialize, Deserialize, Default, Clone, Debug, PartialEq)]
#[serde(default)]
pub struct Overrides {
    /// File or folder of the trajectories.
    pub trajectories: Option<String>,
    /// `within`.
    pub within: Option<String>,
    /// `require`.
    pub require: Option<String>,
    /// `direction`.
    pub direction: Option<String>,
    /// `between`.
    pub between: Option<String>,
    /// `answer`.
    pub answer: Option<String>,
    /// `contacts`.
    pub contacts: Option<String>,
    /// File of accepted pairs.
    pub accepted: Option<String>,
    /// Limit of an input file, bytes.
    pub max_input: Option<u64>,
}

/// The shards of a merged result.
#[derive(Serialize, Deserialize, Default, Clone, Debug, PartialEq)]
#[serde(default)]
pub struct Shards {
    /// Number of shards.
    pub count: u64,
    /// Whether parts of tables were linked or copied as they are.
    pub fast: bool,
    /// Frames of each shard.
    pub frames: Vec<u64>,
    /// Rows of each shard.
    pub rows: Vec<u64>,
    /// Seconds of each shard.
    pub seconds: Vec<f64>,
}

/// The machine, and the device that searched.
#[derive(Serialize, Deserialize, Default, Clone, Debug, PartialEq)]
#[serde(default)]
pub struct Device {
    /// Device that was asked for.
    pub asked: String,
    /// `cpu` or `gpu`.
    pub kind: String,
    /// Why this device searched.
    pub reason: String,
    /// The measurement that chose the device.
    pub auto: Option<TrialTimes>,
    /// The adapter that searched.
    pub adapter: Option<Adapter>,
    /// Work of the device.
    pub gpu: Option<GpuReport>,
    /// Threads of the pool.
    pub threads: Option<u64>,
    /// Architecture of the processor.
    pub architecture: String,
    /// Operating system.
    pub system: String,
    /// Vector instruction sets that matter.
    pub simd: Vec<String>,
    /// Most memory of the process.
    pub peak_memory_bytes: Option<u64>,
}

/// Times of both devices for the same blocks.
#[derive(Serialize, Deserialize, Default, Clone, Copy, Debug, PartialEq)]
#[serde(default)]
pub struct TrialTimes {
    /// Blocks that both searched.
    pub blocks: u64,
    /// Seconds of the processor, on all threads.
    pub cpu_s: f64,
    /// Seconds of the device, from poses to candidates.
    pub gpu_s: f64,
}

/// A graphics adapter.
#[derive(Serialize, Deserialize, Default, Clone, Debug, PartialEq)]
#[serde(default)]
pub struct Adapter {
    /// Name that its driver gives.
    pub name: String,
    /// `discrete`, `integrated`, `virtual`, `software` or `other`.
    pub kind: String,
    /// `vulkan`, `metal` or `dx12`.
    pub backend: String,
    /// The driver and its version.
    pub driver: String,
}

/// An adapter of this machine, which `doctor` lists.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct OfferedAdapter {
    /// The adapter.
    #[serde(flatten)]
    pub adapter: Adapter,
    /// Most bytes of a buffer that a kernel binds.
    pub binding_bytes: u64,
    /// Most workgroups along an axis.
    pub workgroups: u32,
    /// Whether it is used if none is named.
    pub is_used: bool,
}

/// Work of a device.
#[derive(Serialize, Deserialize, Default, Clone, Debug, PartialEq)]
#[serde(default)]
pub struct GpuReport {
    /// Most bytes of its memory that were taken.
    pub memory_bytes: u64,
    /// Most bytes that could be taken at the end.
    pub memory_limit_bytes: u64,
    /// Bytes that were written to it.
    pub written_bytes: u64,
    /// Bytes that were fetched from it.
    pub fetched_bytes: u64,
    /// Number of fetches.
    pub fetches: u64,
    /// How often it was out of memory, and was asked for half as much.
    pub out_of_memory: u64,
    /// Seconds of each kernel, if the device has a clock.
    pub kernels_s: Option<Named<f64>>,
    /// How the device failed.
    pub fallback: Option<Fallback>,
}

/// The failure of a device.
#[derive(Serialize, Deserialize, Default, Clone, Debug, PartialEq)]
#[serde(default)]
pub struct Fallback {
    /// Blocks that the processor searched in its place.
    pub blocks: u64,
    /// Kind of the failure.
    pub kind: Option<String>,
    /// The failure in words.
    pub reason: String,
}
