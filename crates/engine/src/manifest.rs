//! The manifest: what was executed, on what, and what came of it.
//!
//! It is the only file of an execution that may differ between two executions of the same job.

use super::device::OpenDevice;
use super::identity::SCHEMA_VERSION;
use super::manifest_intervals::max_gap_s;
use super::manifest_summary::{Summary, counts};
use super::options::JobOptions;
use super::shard_note::{ShardNote, range};
use super::timings::Timings;
use super::warning::Warning;
use clearsweep_broad::DeviceReport;
use clearsweep_geometry::Vec3;
use clearsweep_model::{BetweenFrames, IgnoreRule, InputDigest, Missing, SameAncestor, Scene};
use clearsweep_narrow::{IntervalMethod, Method, SolverStats};
use clearsweep_tables::{DistanceColumns, RunsDigest, TableDigest, Totals};
use serde_json::{Value, json};

/// Everything that a manifest reports, collected.
pub(super) struct Report<'a> {
    pub(super) scene: &'a Scene,
    pub(super) options: &'a JobOptions,
    /// Whether the poses were read from files.
    pub(super) from_files: bool,
    /// Scene, geometry and trajectory files.
    pub(super) inputs: &'a [InputDigest],
    /// Bytes of streams that were copied to a temporary file.
    pub(super) spooled_bytes: u64,
    pub(super) summary: Summary<'a>,
    /// Warnings about the trajectories and about sizes.
    pub(super) warnings: &'a [Warning],
    pub(super) stats: &'a SolverStats,
    pub(super) timings: &'a Timings,
    /// The methods and the device that were used.
    pub(super) broad: &'a str,
    pub(super) narrow: &'a str,
    pub(super) device: &'a OpenDevice,
    /// The report of the device.
    pub(super) device_report: Option<&'a DeviceReport>,
    pub(super) threads: usize,
    pub(super) candidates: u64,
    pub(super) candidate_samples: u64,
    /// Samples whose rows an execution wrote that was killed.
    pub(super) resumed_samples: u64,
    /// The shard of a job that this one is.
    pub(super) shard: Option<&'a ShardNote>,
}

impl Report<'_> {
    /// The manifest as a JSON object; keys in a fixed order.
    pub(super) fn to_json(&self) -> Value {
        json!({
            "program": "clearsweep",
            "version": env!("CARGO_PKG_VERSION"),
            "schema_version": SCHEMA_VERSION,
            "summary": self.summary.to_json(),
            "warnings": self.warnings.iter().map(|warning| self.warning(warning)).collect::<Vec<_>>(),
            "scene": {
                "path": self.scene.path.display().to_string(),
                "name": self.scene.name,
                "length_unit": self.scene.unit.word,
                "ignore": self.scene.ignore_rules.iter().map(ignored).collect::<Vec<_>>(),
            },
            "options": self.options_json(),
            "resumed": (self.resumed_samples > 0).then(|| json!({ "samples": self.resumed_samples })),
            "inputs": self.inputs.iter().map(input).chain(self.shard.into_iter().flat_map(ShardNote::inputs)).collect::<Vec<_>>(),
            "spooled_bytes": self.spooled_bytes,
            "counts": {
                "candidates": self.candidates,
                "candidate_samples": self.candidate_samples,
                "by_method": counts(&Method::NAMES, &self.summary.totals.by_method),
                "intervals_by_method": self.looks_between()
                    .then(|| counts(&IntervalMethod::NAMES, &self.summary.totals.by_interval_method)),
            },
            "routes": Value::Object(self.stats.entries().into_iter().map(|(k, v)| (k.to_owned(), json!(v))).collect()),
            "rows_digest": rows_digest(self.summary.totals),
            "shard": self.shard.map(ShardNote::to_json),
            "timings": self.timings.to_json(),
            "device": {
                "asked": self.options.device.name(),
                "kind": self.device.kind(),
                "reason": self.device.reason,
                "auto": self.device.times.map(|t| json!({ "blocks": t.blocks, "cpu_s": t.cpu_s, "gpu_s": t.gpu_s })),
                "adapter": self.device.adapter,
                "gpu": self.device_report.map(device_report),
                "threads": self.threads,
                "architecture": std::env::consts::ARCH,
                "system": std::env::consts::OS,
                "simd": simd_features(),
                "peak_memory_bytes": self.options.peak_memory.and_then(|measure| measure()),
            },
        })
    }

    /// Whether the scene says how bodies move between frames.
    fn looks_between(&self) -> bool {
        self.scene.motion.between != BetweenFrames::None
    }

    fn warning(&self, warning: &Warning) -> Value {
        /// More bodies than these are counted, by `bodies_count`.
        const LISTED: usize = 100;
        let name = |body: &u32| self.scene.bodies[*body as usize].name.as_str();
        json!({
            "kind": warning.kind,
            "bodies": warning.bodies.iter().take(LISTED).map(name).collect::<Vec<_>>(),
            "bodies_count": warning.bodies.len(),
            "problem": warning.problem,
            "help": warning.remedy,
        })
    }

    fn options_json(&self) -> Value {
        let (query, motion) = (&self.scene.query, &self.scene.motion);
        let trajectories =
            self.options.read.path.as_ref().or(self.scene.trajectories.as_ref()).filter(|_| self.from_files);
        let is_of_scene = self.from_files && self.options.read.path.is_none() && self.options.read.stream.is_none();
        let wrap = if motion.wraps { "shortest" } else { "as-given" };
        let swept = self.scene.joints.as_ref().is_some_and(|joints| joints.sweeps.is_some());
        json!({
            "sweep": swept && is_of_scene,
            "within_m": query.within,
            "require_m": query.require,
            "touch_m": query.touch,
            "static_pairs": query.static_pairs,
            "answer": query.answer.name(),
            "contacts": if query.contacts { "all" } else { "none" },
            "direction": self.scene.direction.map(Vec3::to_array),
            "between": motion.between.name(),
            "between_tolerance_m": self.looks_between().then_some(motion.tolerance),
            "max_gap": self.looks_between().then_some(motion.max_gap),
            "max_gap_s": if self.looks_between() { max_gap_s(motion) } else { Value::Null },
            "wrap": (motion.between == BetweenFrames::Joint).then_some(wrap),
            "missing": match self.scene.missing {
                Missing::Error => "error",
                Missing::Absent => "absent",
                Missing::Hold => "hold",
            },
            "rest": self.scene.hierarchy.rest_orientation.name(),
            "trajectories": trajectories.map(|path| path.display().to_string()),
            "runs": self.options.read.runs.as_ref().map(range),
            "frames": self.options.read.frames.as_ref().map(range),
            "broad": self.broad,
            "narrow": self.narrow,
            "device": self.options.device.name(),
            "adapter": self.options.adapter,
            "device_memory_bytes": self.options.device_memory,
            "threads": self.threads,
            "memory_bytes": self.options.memory,
            "columns": match self.options.columns {
                DistanceColumns::All => "all",
                DistanceColumns::Distance => "distance",
            },
            "allow_empty": self.options.allow_empty,
        })
    }
}

/// The digests of the rows of each table; null where the rows are not written to tables.
pub(super) fn rows_digest(totals: &Totals) -> Value {
    if totals.digests.is_empty() {
        return Value::Null;
    }
    let of = |(table, digest): &(String, TableDigest)| {
        let groups: Vec<String> = digest.groups.iter().map(RunsDigest::to_string).collect();
        let value = json!({ "rows": digest.rows(), "blake3_sum": digest.sum().to_string(), "runs": groups });
        (table.clone(), value)
    };
    Value::Object(totals.digests.iter().map(of).collect())
}

/// A rule that takes pairs out, and why.
fn ignored(rule: &IgnoreRule) -> Value {
    let same = rule.same.map(SameAncestor::word);
    json!({ "a": rule.a, "b": rule.b, "same": same, "reason": rule.reason, "pairs": rule.pairs })
}

fn input(digest: &InputDigest) -> Value {
    json!({ "path": digest.path.display().to_string(), "bytes": digest.bytes, "sha256": digest.sha256 })
}

/// The vector instruction sets of this machine that matter here.
pub fn simd_features() -> Vec<&'static str> {
    clearsweep_base::simd::features()
}

/// Returns the report of a device as JSON.
fn device_report(report: &DeviceReport) -> Value {
    let kernels = report.kernels.as_ref().map(|kernels| {
        let times = kernels.iter().map(|(name, time)| ((*name).to_owned(), json!(time.as_secs_f64())));
        Value::Object(times.collect())
    });
    let failure = report.failure.as_ref();
    json!({
        "memory_bytes": report.memory_bytes,
        "memory_limit_bytes": report.memory_limit_bytes,
        "written_bytes": report.written_bytes,
        "fetched_bytes": report.fetched_bytes,
        "fetches": report.fetches,
        "out_of_memory": report.halvings,
        "kernels_s": kernels,
        "fallback": failure.map(|reason| {
            json!({ "blocks": report.fallback_blocks, "kind": report.failure_kind, "reason": reason })
        }),
    })
}
