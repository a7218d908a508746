//! The manifest: what was executed, on what, and what came of it.
//!
//! It is the only file of an execution that may differ between two executions of the same job.

use super::check::Warning;
use super::options::JobOptions;
use super::timings::Timings;
use crate::narrow::{Method, Routes, Status};
use crate::scene::model::InputDigest;
use crate::scene::{Missing, Scene};
use crate::table::{DistanceColumns, Totals, Worst};
use serde_json::{Map, Value, json};
use std::ops::Range;

/// Version of the tables' schema and of the manifest.
pub(super) const SCHEMA_VERSION: u32 = 1;

/// Everything that a manifest reports, collected.
pub(super) struct Report<'a> {
    pub(super) scene: &'a Scene,
    pub(super) options: &'a JobOptions,
    /// Whether the poses were read from files.
    pub(super) from_files: bool,
    /// Scene, geometry and trajectory files.
    pub(super) inputs: &'a [InputDigest],
    pub(super) totals: &'a Totals,
    /// What looks wrong in the trajectories and in sizes.
    pub(super) warnings: &'a [Warning],
    pub(super) routes: &'a Routes,
    pub(super) timings: &'a Timings,
    /// The methods and the device that were used.
    pub(super) broad: &'a str,
    pub(super) narrow: &'a str,
    pub(super) device: &'a str,
    pub(super) threads: usize,
    pub(super) candidates: u64,
    pub(super) candidate_samples: u64,
}

impl Report<'_> {
    /// The manifest as a JSON object; keys in a fixed order.
    pub(super) fn to_json(&self) -> Value {
        json!({
            "program": "clearsweep",
            "version": env!("CARGO_PKG_VERSION"),
            "schema_version": SCHEMA_VERSION,
            "summary": self.summary(),
            "warnings": self.warnings.iter().map(|warning| self.warning(warning)).collect::<Vec<_>>(),
            "scene": {
                "path": self.scene.path.display().to_string(),
                "name": self.scene.name,
                "length_unit": self.scene.unit.word,
            },
            "options": self.options_json(),
            "inputs": self.inputs.iter().map(input).collect::<Vec<_>>(),
            "counts": {
                "candidates": self.candidates,
                "candidate_samples": self.candidate_samples,
                "by_method": counts(&Method::NAMES, &self.totals.by_method),
            },
            "routes": Value::Object(self.routes.entries().into_iter().map(|(k, v)| (k.to_owned(), json!(v))).collect()),
            "timings": self.timings.to_json(),
            "device": {
                "kind": self.device,
                "threads": self.threads,
                "architecture": std::env::consts::ARCH,
                "system": std::env::consts::OS,
                "simd": simd_features(),
                "peak_memory_bytes": self.options.peak_memory.and_then(|measure| measure()),
            },
        })
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

    /// What a person or a script asks first; also what the program prints.
    fn summary(&self) -> Value {
        let totals = self.totals;
        let seconds = self.timings.total.as_secs_f64();
        let rate = |count: u64| if seconds > 0.0 { count as f64 / seconds } else { 0.0 };
        json!({
            "verdict": verdict(totals, self.scene.query.require.is_some()),
            "sampled_frames_only": true,
            "bodies": self.scene.bodies.len(),
            "bodies_dynamic": self.scene.dynamic.len(),
            "runs": totals.runs,
            "frames": totals.samples,
            "pairs_possible": totals.pairs_possible,
            "pairs_ignored": totals.pairs_ignored,
            "pairs_within": totals.pairs,
            "within_m": self.scene.query.within,
            "require_m": self.scene.query.require,
            "rows": totals.rows,
            "penetrations": totals.penetrations,
            "rows_by_status": counts(&Status::NAMES, &totals.by_status),
            "violated": totals.violated,
            "undecided": totals.undecided,
            "uncertified": totals.by_status[Status::Uncertified as usize],
            "worst": totals.worst.as_ref().map(worst),
            "bytes": totals.bytes,
            "seconds": seconds,
            "frames_per_s": rate(totals.samples),
            "rows_per_s": rate(totals.rows),
        })
    }

    fn options_json(&self) -> Value {
        let query = &self.scene.query;
        let trajectories =
            self.options.read.path.as_ref().or(self.scene.trajectories.as_ref()).filter(|_| self.from_files);
        json!({
            "within_m": query.within,
            "require_m": query.require,
            "touch_m": query.touch,
            "static_pairs": query.static_pairs,
            "missing": match self.scene.missing {
                Missing::Error => "error",
                Missing::Absent => "absent",
                Missing::Hold => "hold",
            },
            "trajectories": trajectories.map(|path| path.display().to_string()),
            "runs": self.options.read.runs.as_ref().map(range),
            "frames": self.options.read.frames.as_ref().map(range),
            "broad": self.broad,
            "narrow": self.narrow,
            "device": self.options.device.name(),
            "threads": self.threads,
            "memory_bytes": self.options.memory,
            "columns": match self.options.columns {
                DistanceColumns::All => "all",
                DistanceColumns::Distance => "distance",
            },
        })
    }
}

/// One word for the outcome: violations outrank uncertified rows (as the exit code does), these outrank undecided ones.
fn verdict(totals: &Totals, required: bool) -> &'static str {
    if totals.violated > 0 {
        "violated"
    } else if totals.by_status[Status::Uncertified as usize] > 0 {
        "uncertified"
    } else if totals.undecided > 0 {
        "undecided"
    } else if required {
        "clear"
    } else {
        "nothing required"
    }
}

fn worst(worst: &Worst) -> Value {
    json!({
        "distance_m": worst.distance_m,
        "run": worst.run,
        "frame": worst.frame,
        "body_a": worst.body_a,
        "body_b": worst.body_b,
    })
}

fn input(digest: &InputDigest) -> Value {
    json!({ "path": digest.path.display().to_string(), "bytes": digest.bytes, "sha256": digest.sha256 })
}

/// Ends left out are null.
fn range(range: &Range<i64>) -> Value {
    json!([(range.start != i64::MIN).then_some(range.start), (range.end != i64::MAX).then_some(range.end)])
}

fn counts(names: &[&str], values: &[u64]) -> Value {
    Value::Object(
        names.iter().zip(values).map(|(name, value)| ((*name).to_owned(), json!(value))).collect::<Map<_, _>>(),
    )
}

/// The vector instruction sets of this machine that matter here.
pub fn simd_features() -> Vec<&'static str> {
    crate::simd::features()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn violations_outrank_uncertified_rows() {
        let mut totals = Totals::default();
        assert_eq!(verdict(&totals, true), "clear");
        assert_eq!(verdict(&totals, false), "nothing required");
        totals.undecided = 1;
        assert_eq!(verdict(&totals, true), "undecided");
        totals.by_status[3] = 1;
        assert_eq!(verdict(&totals, true), "uncertified");
        totals.violated = 1;
        assert_eq!(verdict(&totals, true), "violated");
    }

    #[test]
    fn open_ends_of_a_range_are_null() {
        assert_eq!(range(&(i64::MIN..7)), json!([null, 7]));
        assert_eq!(range(&(-3..i64::MAX)), json!([-3, null]));
    }

    #[test]
    fn counts_keep_the_order_of_their_names() {
        let text = counts(&["z", "a"], &[1, 2]).to_string();
        assert_eq!(text, r#"{"z":1,"a":2}"#);
    }
}
