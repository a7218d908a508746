//! The manifest: what was executed, on what, and what came of it.
//!
//! It is the only file of an execution that may differ between two executions of the same job.

use super::check::{Warning, open_bodies, pairs_by_rule, rules_json};
use super::coverage::{NothingChecked, RunVerdict};
use super::device::OpenDevice;
use super::manifest_intervals;
use super::options::JobOptions;
use super::timings::Timings;
use clearsweep_base::share::share_with_interval;
use clearsweep_broad::DeviceReport;
use clearsweep_geometry::Vec3;
use clearsweep_model::EventState;
use clearsweep_narrow::{IntervalMethod, IntervalStatus, Method, SolverStats, Status};
use clearsweep_scene::model::InputDigest;
use clearsweep_scene::{BetweenFrames, Body, IgnoreRule, Missing, SameAncestor, Scene};
use clearsweep_tables::{DistanceColumns, Totals, ViolatingPair, Worst};
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
    /// Bytes of streams that were copied to a temporary file.
    pub(super) spooled_bytes: u64,
    pub(super) totals: &'a Totals,
    /// Why nothing was looked at; `None` where something was.
    pub(super) nothing_checked: Option<NothingChecked>,
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
    /// Neighbouring frames of a run that are farther apart than `max_gap`: the intervals between them were not looked at.
    pub(super) intervals_skipped: u64,
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
                "ignore": self.scene.ignore_rules.iter().map(ignored).collect::<Vec<_>>(),
            },
            "options": self.options_json(),
            "resumed": (self.resumed_samples > 0).then(|| json!({ "samples": self.resumed_samples })),
            "inputs": self.inputs.iter().map(input).collect::<Vec<_>>(),
            "spooled_bytes": self.spooled_bytes,
            "counts": {
                "candidates": self.candidates,
                "candidate_samples": self.candidate_samples,
                "by_method": counts(&Method::NAMES, &self.totals.by_method),
                "intervals_by_method": self.looks_between()
                    .then(|| counts(&IntervalMethod::NAMES, &self.totals.by_interval_method)),
            },
            "routes": Value::Object(self.stats.entries().into_iter().map(|(k, v)| (k.to_owned(), json!(v))).collect()),
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

    /// The verdict. A requirement that nothing was held against is kept only where the caller allows that.
    pub(super) fn verdict(&self) -> RunVerdict {
        let checked = self.nothing_checked.is_none() || self.options.allow_empty;
        verdict(self.totals, self.scene.requirements().is_something(), checked)
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

    /// Returns the figures that a person or a script asks for first; the program prints them too.
    fn summary(&self) -> Value {
        let totals = self.totals;
        let seconds = self.timings.total.as_secs_f64();
        let required = self.scene.requirements().is_something() && totals.runs > 0;
        let share = required.then(|| share_with_interval(totals.runs_violated, totals.runs));
        let rate = |count: u64| if seconds > 0.0 { count as f64 / seconds } else { 0.0 };
        json!({
            "verdict": self.verdict().name(),
            "nothing_checked": self.nothing_checked.map(NothingChecked::name),
            "sampled_frames_only": !self.looks_between(),
            "between": self.scene.motion.between.name(),
            "bodies": self.scene.bodies.len(),
            "bodies_dynamic": self.scene.dynamic.len(),
            "runs": totals.runs,
            "frames": totals.samples,
            "pairs_possible": totals.pairs_possible,
            "pairs_ignored": totals.pairs_ignored,
            "pairs_within": totals.pairs,
            "within_m": self.scene.query.within,
            "require_m": self.scene.query.require,
            "require_unit": self.scene.requirements().is_something().then_some(self.scene.require_unit.word),
            "rules": self.rules(),
            "rows": totals.rows,
            "penetrations": totals.penetrations,
            "rows_by_status": counts(&Status::NAMES, &totals.by_status),
            "violated": totals.violated,
            "pairs_violated": totals.pairs_violated,
            "violating_pairs": totals.violating_pairs.iter().map(|pair| self.violating_pair(pair)).collect::<Vec<_>>(),
            "runs_violated": totals.runs_violated,
            "runs_violated_share": share.map(|(share, _)| share),
            "runs_violated_interval": share.map(|(_, interval)| interval),
            "open": totals.open,
            "events": totals.issues.as_ref().map(|counts| counts_by_state(&counts.events)),
            "issues": totals.issues.as_ref().map(|counts| counts_by_state(&counts.issues)),
            "dispositions": self.dispositions(),
            "undecided": totals.undecided,
            "uncertified": totals.by_status[Status::Uncertified as usize],
            "open_meshes": self.open_meshes(),
            "worst": totals.worst.as_ref().map(|worst| self.worst(worst)),
            "intervals": self.intervals(),
            "hulls": hulls(self.scene),
            "bytes": totals.bytes,
            "seconds": seconds,
            "frames_per_s": rate(totals.samples),
            "rows_per_s": rate(totals.rows),
        })
    }

    /// The file of accepted pairs, and what of it belongs to nothing any more; null without one.
    fn dispositions(&self) -> Value {
        let of = &self.scene.dispositions;
        let told = self.totals.issues.iter().flat_map(|counts| &counts.stale);
        let stale =
            told.map(|[rule, a, b, problem]| json!({ "rule": rule, "body_a": a, "body_b": b, "problem": problem }));
        match of.day.is_empty() {
            true => Value::Null,
            false => json!({
                "day": of.day,
                "pairs": of.by_pair.len(),
                "stale": of.stale.len(),
                "stale_pairs": stale.collect::<Vec<_>>(),
            }),
        }
    }

    /// What each rule requires, and what violates it; null without rules.
    fn rules(&self) -> Value {
        let mut rules = rules_json(self.scene, &pairs_by_rule(self.scene));
        let (looks_between, requirements) = (self.looks_between(), self.scene.requirements());
        let mut compared = vec![0_u64; requirements.count()];
        self.scene.baselines.pairs().for_each(|pair| compared[requirements.rule(pair.a, pair.b)] += 1);
        for (rule, of) in rules.as_array_mut().into_iter().flatten().enumerate() {
            let totals = self.totals.by_rule.get(rule).copied().unwrap_or_default();
            of["rows"] = json!(totals.rows);
            of["nearer_at_baseline"] = json!((!of["baseline"].is_null()).then_some(compared[rule]));
            of["violated"] = json!(totals.violated);
            of["undecided"] = json!(totals.undecided);
            of["pairs_violated"] = json!(totals.pairs_violated);
            of["intervals"] = json!(looks_between.then_some(totals.intervals));
            of["intervals_violated"] = json!(looks_between.then_some(totals.intervals_violated));
            of["intervals_undecided"] = json!(looks_between.then_some(totals.intervals_undecided));
            of["pairs_violated_between"] = json!(looks_between.then_some(totals.pairs_violated_between));
        }
        rules
    }

    /// The bodies of which the winding number decides the inside, and the pairs for which it did; null where there are none.
    fn open_meshes(&self) -> Value {
        let (bodies, totals) = (open_bodies(self.scene), self.totals);
        if bodies.is_empty() {
            return Value::Null;
        }
        json!({
            "bodies": bodies.len(),
            "rows": totals.by_method[Method::Winding as usize],
            "pairs": totals.pairs_winding,
            "winding_pairs": totals.winding_pairs.iter().map(|pair| self.violating_pair(pair)).collect::<Vec<_>>(),
        })
    }

    /// Returns the findings between frames.
    fn intervals(&self) -> Value {
        let of_hulls = |names: [&String; 2]| self.is_of_hulls(names);
        manifest_intervals::summary(self.scene, self.totals, self.intervals_skipped, &of_hulls)
    }

    /// Whether one of two bodies, by name, stands for a mesh that is not convex.
    fn is_of_hulls(&self, names: [&String; 2]) -> bool {
        self.scene.bodies.iter().any(|body| body.shape.is_filled() && names.contains(&&body.name))
    }

    fn worst(&self, worst: &Worst) -> Value {
        json!({
            "distance_m": worst.distance_m,
            "run": worst.run,
            "frame": worst.frame,
            "body_a": worst.body_a,
            "body_b": worst.body_b,
            "of_hulls": self.is_of_hulls([&worst.body_a, &worst.body_b]),
        })
    }

    fn violating_pair(&self, pair: &ViolatingPair) -> Value {
        json!({
            "body_a": pair.body_a,
            "body_b": pair.body_b,
            "of_hulls": self.is_of_hulls([&pair.body_a, &pair.body_b]),
            "rule": rule_of(self.scene, pair),
            "required_m": required_of(self.scene, pair),
            "min_distance_m": pair.min_distance_m,
            "run": pair.run,
            "frame": pair.frame,
            "rows": pair.rows,
            "runs": pair.runs,
            "spans": pair.spans,
            "from_frame": pair.from_frame,
            "to_frame": pair.to_frame,
            "from_time_s": pair.from_time_s,
            "to_time_s": pair.to_time_s,
        })
    }

    fn options_json(&self) -> Value {
        let (query, motion) = (&self.scene.query, &self.scene.motion);
        let trajectories =
            self.options.read.path.as_ref().or(self.scene.trajectories.as_ref()).filter(|_| self.from_files);
        json!({
            "within_m": query.within,
            "require_m": query.require,
            "touch_m": query.touch,
            "static_pairs": query.static_pairs,
            "direction": self.scene.direction.map(Vec3::to_array),
            "between": motion.between.name(),
            "between_tolerance_m": self.looks_between().then_some(motion.tolerance),
            "max_gap": self.looks_between().then_some(motion.max_gap),
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

/// Violations outrank what is not proven (as the exit code does): uncertified rows and undecided intervals. These outrank
/// brackets that hold the limit.
fn verdict(totals: &Totals, required: bool, checked: bool) -> RunVerdict {
    let unproven =
        totals.by_status[Status::Uncertified as usize] + totals.by_interval_status[IntervalStatus::Undecided as usize];
    if totals.open + totals.intervals_open > 0 {
        RunVerdict::Violated
    } else if unproven > 0 {
        RunVerdict::Uncertified
    } else if totals.undecided + totals.intervals_undecided > 0 {
        RunVerdict::Undecided
    } else if totals.violated + totals.intervals_violated > 0 {
        RunVerdict::Accepted
    } else if !required {
        RunVerdict::NothingRequired
    } else if checked {
        RunVerdict::Clear
    } else {
        RunVerdict::NothingChecked
    }
}

/// The name of the rule that a pair is under; null without rules.
pub(super) fn rule_of(scene: &Scene, ViolatingPair { bodies: [a, b], .. }: &ViolatingPair) -> Value {
    let requirements = scene.requirements();
    json!(requirements.uniform().is_none().then(|| requirements.name(requirements.rule(*a, *b))))
}

/// What is required of a pair, metres; null where nothing is, and without rules.
pub(super) fn required_of(scene: &Scene, ViolatingPair { bodies: [a, b], run, .. }: &ViolatingPair) -> Value {
    let requirements = scene.requirements();
    json!(Some(requirements.of(*run, *a, *b)).filter(|required| requirements.uniform().is_none() && !required.is_nan()))
}

/// How many bodies stand for meshes that are not convex, and the one whose hull reaches farthest beyond its mesh; null
/// where there are none.
fn hulls(scene: &Scene) -> Value {
    let excess = |body: &Body| body.shape.fit.map_or(0.0, |fit| fit.excess);
    let filled = || scene.bodies.iter().filter(|body| body.shape.is_filled());
    let farthest = filled().max_by(|a, b| excess(a).total_cmp(&excess(b)));
    farthest.map_or(
        Value::Null,
        |body| json!({ "bodies": filled().count(), "hull_excess_m": excess(body), "body": body.name }),
    )
}

/// A rule that takes pairs out, and why.
fn ignored(rule: &IgnoreRule) -> Value {
    let same = rule.same.map(SameAncestor::word);
    json!({ "a": rule.a, "b": rule.b, "same": same, "reason": rule.reason, "pairs": rule.pairs })
}

fn input(digest: &InputDigest) -> Value {
    json!({ "path": digest.path.display().to_string(), "bytes": digest.bytes, "sha256": digest.sha256 })
}

/// Ends left out are null.
fn range(range: &Range<i64>) -> Value {
    json!([(range.start != i64::MIN).then_some(range.start), (range.end != i64::MAX).then_some(range.end)])
}

fn counts_by_state(counts: &[u64; 7]) -> Value {
    self::counts(&EventState::NAMES, counts)
}

fn counts(names: &[&str], values: &[u64]) -> Value {
    Value::Object(
        names.iter().zip(values).map(|(name, value)| ((*name).to_owned(), json!(value))).collect::<Map<_, _>>(),
    )
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn violations_outrank_uncertified_rows() {
        let mut totals = Totals::default();
        assert_eq!(verdict(&totals, true, true), RunVerdict::Clear);
        assert_eq!(verdict(&totals, true, false), RunVerdict::NothingChecked);
        assert_eq!(verdict(&totals, false, false), RunVerdict::NothingRequired);
        totals.undecided = 1;
        assert_eq!(verdict(&totals, true, true), RunVerdict::Undecided);
        totals.by_status[3] = 1;
        assert_eq!(verdict(&totals, true, true), RunVerdict::Uncertified);
        totals.violated = 1;
        assert_eq!(verdict(&totals, true, true), RunVerdict::Uncertified, "it is accepted");
        totals.open = 1;
        assert_eq!(verdict(&totals, true, true), RunVerdict::Violated);
    }

    #[test]
    fn intervals_count_as_rows_do() {
        let mut totals = Totals { by_interval_status: [7, 3, 0], ..Totals::default() };
        assert_eq!(verdict(&totals, true, true), RunVerdict::Clear, "a contact violates only what is required");
        totals.intervals_undecided = 1;
        assert_eq!(verdict(&totals, true, true), RunVerdict::Undecided);
        totals.by_interval_status[IntervalStatus::Undecided as usize] = 1;
        assert_eq!(verdict(&totals, true, true), RunVerdict::Uncertified);
        assert_eq!(verdict(&totals, false, true), RunVerdict::Uncertified, "also where nothing is required");
        (totals.intervals_violated, totals.intervals_open) = (1, 1);
        assert_eq!(verdict(&totals, true, true), RunVerdict::Violated);
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
