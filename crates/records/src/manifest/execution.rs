//! The execution: scene, options, inputs, machine, shards and warnings.

#![expect(missing_docs, reason = "docs/reference/manifest.md says what each key holds")]

use super::named::{Named, Span};
use super::summary::MaxGap;
use serde::{Deserialize, Serialize};

/// A warning.
#[derive(Serialize, Deserialize, Default, Clone, Debug, PartialEq)]
#[serde(default)]
pub struct Warning {
    pub kind: String,
    pub bodies: Vec<String>,
    /// All of them; `bodies` lists a hundred at most.
    pub bodies_count: u64,
    pub problem: String,
    pub help: String,
}

/// The scene of an execution.
#[derive(Serialize, Deserialize, Default, Clone, Debug, PartialEq)]
#[serde(default)]
pub struct SceneEntry {
    pub path: String,
    pub name: String,
    pub length_unit: String,
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
    pub same: Option<String>,
    pub reason: Option<String>,
    pub pairs: u64,
}

/// Options of a run, with those of the scene that they replaced.
#[derive(Serialize, Deserialize, Default, Clone, Debug, PartialEq)]
#[serde(default)]
pub struct Options {
    pub sweep: bool,
    /// The sweeps, in the order of their runs; those of a manifest without the key are not known.
    pub sweeps: Vec<Sweep>,
    /// Date from which times count; `None`: they are no dates, or it is not known.
    pub time_origin: Option<String>,
    pub within_m: Option<f64>,
    /// Whether `within_m` follows from what is required; left out unless it does.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub within_from_require: bool,
    pub require_m: Option<f64>,
    pub touch_m: Option<f64>,
    pub static_pairs: bool,
    pub answer: String,
    pub contacts: String,
    pub direction: Option<[f64; 3]>,
    pub between: String,
    pub between_tolerance_m: Option<f64>,
    /// Distances that are computed for an interval, at most; an older version wrote none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub between_work: Option<u32>,
    pub max_gap: Option<i64>,
    pub max_gap_s: Option<MaxGap>,
    pub wrap: Option<String>,
    /// Acceleration of the pivots, m/s^2; left out unless bodies fall.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gravity_m_s2: Option<[f64; 3]>,
    /// Times of the frames along splines: `knots`, `step_s = S` or `samples = N`; left out of other
    /// motions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frames_along_splines: Option<String>,
    pub missing: String,
    pub rest: String,
    /// File or folder of the trajectories; `None`: they came from memory or a stream.
    pub trajectories: Option<String>,
    /// Runs that were taken; `None`: all.
    pub runs: Option<Span>,
    /// Frames that were taken; `None`: all.
    pub frames: Option<Span>,
    pub broad: String,
    pub narrow: String,
    /// Left out unless the scene says how searches go about their work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search: Option<Search>,
    pub device: String,
    pub adapter: Option<String>,
    pub device_memory_bytes: Option<u64>,
    pub threads: u64,
    pub memory_bytes: u64,
    pub columns: String,
    pub allow_empty: bool,
    /// Directory of the earlier result whose issues keep their ids; `None`: there is none.
    pub previous: Option<String>,
}

/// `gjk` and `hash` of `[query]`.
#[derive(Serialize, Deserialize, Default, Clone, Debug, PartialEq)]
#[serde(default)]
pub struct Search {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gjk: Option<GjkSearch>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash: Option<HashCells>,
}

/// How GJK searched.
#[derive(Serialize, Deserialize, Default, Clone, Debug, PartialEq)]
#[serde(default)]
pub struct GjkSearch {
    pub sub_algorithm: String,
    pub support: String,
    pub start: String,
    /// `None`: the bound of rounding.
    pub tolerance: Option<f64>,
}

/// The sizes of cells of the hash tables.
#[derive(Serialize, Deserialize, Default, Clone, Debug, PartialEq)]
#[serde(default)]
pub struct HashCells {
    pub alpha: f64,
    pub beta: f64,
}

impl Options {
    /// Whether runs are draws, so that a share of them estimates a probability: runs of
    /// trajectories or of random sweeps.
    pub fn runs_are_draws(&self) -> bool {
        !self.sweep || (!self.sweeps.is_empty() && self.sweeps.iter().all(Sweep::is_random))
    }
}

/// A `[[sweep]]`: its runs follow those of the sweep before it.
#[derive(Serialize, Deserialize, Default, Clone, Debug, PartialEq)]
#[serde(default)]
pub struct Sweep {
    pub path: String,
    pub steps: u32,
    pub runs: u64,
    pub joints: Vec<SweepJoint>,
}

impl Sweep {
    /// Whether its runs are draws from the ranges.
    pub fn is_random(&self) -> bool {
        self.path == "random"
    }
}

/// A joint of a sweep, and its range.
#[derive(Serialize, Deserialize, Default, Clone, Debug, PartialEq)]
#[serde(default)]
pub struct SweepJoint {
    pub name: String,
    /// `rad` or `m`.
    pub unit: String,
    pub from: f64,
    pub to: f64,
    /// Value in runs in which it does not move.
    pub rest: f64,
}

/// The part of a result that an interrupted execution had written.
#[derive(Serialize, Deserialize, Default, Clone, Debug, PartialEq)]
#[serde(default)]
pub struct Resumed {
    pub samples: u64,
}

/// An input file.
#[derive(Serialize, Deserialize, Default, Clone, Debug, PartialEq)]
#[serde(default)]
pub struct Input {
    pub path: String,
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
    pub candidates: u64,
    pub candidate_samples: u64,
    pub by_method: Named<u64>,
    /// Intervals by method; `None` without motion.
    pub intervals_by_method: Option<Named<u64>>,
}

/// Digests of the rows of a table.
#[derive(Serialize, Deserialize, Default, Clone, Debug, PartialEq)]
#[serde(default)]
pub struct RowsDigest {
    pub rows: u64,
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
    pub of: u32,
    /// Digest of the job, hexadecimal.
    pub job: String,
    /// Runs that it takes; `None`: none.
    pub runs: Option<Span>,
    /// Frames that it takes; `None`: all.
    pub frames: Option<Span>,
    pub overrides: Overrides,
}

/// Options that replaced those of the scene, as written.
#[derive(Serialize, Deserialize, Default, Clone, Debug, PartialEq)]
#[serde(default)]
pub struct Overrides {
    pub trajectories: Option<String>,
    pub within: Option<String>,
    pub require: Option<String>,
    pub direction: Option<String>,
    pub between: Option<String>,
    pub answer: Option<String>,
    pub contacts: Option<String>,
    pub accepted: Option<String>,
    pub max_input: Option<u64>,
}

/// The shards of a merged result.
#[derive(Serialize, Deserialize, Default, Clone, Debug, PartialEq)]
#[serde(default)]
pub struct Shards {
    pub count: u64,
    /// Whether parts of tables were linked or copied as they are.
    pub fast: bool,
    pub frames: Vec<u64>,
    pub rows: Vec<u64>,
    pub seconds: Vec<f64>,
}

/// The machine, and the device that searched.
#[derive(Serialize, Deserialize, Default, Clone, Debug, PartialEq)]
#[serde(default)]
pub struct Device {
    pub asked: String,
    pub kind: String,
    pub reason: String,
    pub auto: Option<TrialTimes>,
    pub adapter: Option<Adapter>,
    pub gpu: Option<GpuReport>,
    pub threads: Option<u64>,
    pub architecture: String,
    pub system: String,
    pub simd: Vec<String>,
    pub simd_level: Option<String>,
    pub peak_memory_bytes: Option<u64>,
}

/// Times of both devices for the same blocks.
#[derive(Serialize, Deserialize, Default, Clone, Copy, Debug, PartialEq)]
#[serde(default)]
pub struct TrialTimes {
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
    pub name: String,
    pub kind: String,
    pub backend: String,
    pub driver: String,
}

/// An adapter of this machine, which `doctor` lists.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct OfferedAdapter {
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
    pub memory_bytes: u64,
    pub memory_limit_bytes: u64,
    pub written_bytes: u64,
    pub fetched_bytes: u64,
    pub fetches: u64,
    /// How often it was out of memory, and was asked for half as much.
    pub out_of_memory: u64,
    pub kernels_s: Option<Named<f64>>,
    pub fallback: Option<Fallback>,
}

/// The failure of a device.
#[derive(Serialize, Deserialize, Default, Clone, Debug, PartialEq)]
#[serde(default)]
pub struct Fallback {
    pub blocks: u64,
    pub kind: Option<String>,
    pub reason: String,
}
