//! The manifest of a result that was merged from shards.

use super::coverage::NothingChecked;
use super::manifest::rows_digest;
use super::manifest_summary::{Summary, counts};
use clearsweep_model::{BetweenFrames, Scene};
use clearsweep_narrow::{IntervalMethod, Method};
use clearsweep_tables::Totals;
use serde_json::{Map, Value, json};

/// Different warnings that are listed.
const MOST_WARNINGS: usize = 200;

/// The facts that the manifests of shards add up to.
#[derive(Default)]
pub(super) struct ShardFacts {
    /// The manifest of the first shard.
    pub(super) first: Value,
    warnings: Vec<Value>,
    /// Shards with a warning that is not listed.
    unlisted: u64,
    nothing: Vec<Option<NothingChecked>>,
    candidates: [u64; 2],
    skipped: u64,
    routes: Map<String, Value>,
    timings: Map<String, Value>,
    frames: Vec<u64>,
    rows: Vec<u64>,
    seconds: Vec<f64>,
}

impl ShardFacts {
    /// Adds the manifest of the next shard.
    pub(super) fn add(&mut self, manifest: Value) {
        let (summary, of_counts) = (&manifest["summary"], &manifest["counts"]);
        let mut is_unlisted = false;
        for warning in manifest["warnings"].as_array().into_iter().flatten() {
            let is_known =
                self.warnings.iter().any(|known| ["kind", "problem"].iter().all(|key| known[*key] == warning[*key]));
            match self.warnings.len() {
                _ if is_known => {}
                MOST_WARNINGS => is_unlisted = true,
                _ => self.warnings.push(warning.clone()),
            }
        }
        self.unlisted += u64::from(is_unlisted);
        self.nothing.push(summary["nothing_checked"].as_str().and_then(NothingChecked::of_name));
        for (sum, key) in self.candidates.iter_mut().zip(["candidates", "candidate_samples"]) {
            *sum += of_counts[key].as_u64().unwrap_or(0);
        }
        self.skipped += summary["intervals"]["skipped"].as_u64().unwrap_or(0);
        add_up(&mut self.routes, &manifest["routes"]);
        add_up(&mut self.timings, &manifest["timings"]);
        self.frames.push(summary["frames"].as_u64().unwrap_or(0));
        self.rows.push(summary["rows"].as_u64().unwrap_or(0));
        self.seconds.push(summary["seconds"].as_f64().unwrap_or(0.0));
        if self.first.is_null() {
            self.first = manifest;
        }
    }

    /// Frames and rows of a shard.
    pub(super) fn counts(&self, shard: usize) -> [u64; 2] {
        [&self.frames, &self.rows].map(|counts| counts.get(shard).copied().unwrap_or(0))
    }

    /// Counts an interval between two shards that was not looked at, as its frames are too far apart.
    pub(super) fn skip(&mut self) {
        self.skipped += 1;
    }

    /// Why nothing was looked at, in all shards; `None` where something was in one of them.
    fn nothing_checked(&self) -> Option<NothingChecked> {
        let reasons = self.nothing.iter().copied().collect::<Option<Vec<_>>>()?;
        // A shard without a frame says nothing of the pairs.
        let of_pairs = reasons.iter().find(|reason| **reason != NothingChecked::NoFrame);
        of_pairs.or(reasons.first()).copied()
    }

    /// The manifest of the merged result. `fast`: whether parts were linked or copied.
    pub(super) fn to_json(&self, scene: &Scene, totals: &Totals, allow_empty: bool, fast: bool) -> Value {
        let summary = Summary {
            scene,
            totals,
            nothing_checked: self.nothing_checked(),
            allow_empty,
            intervals_skipped: self.skipped,
            seconds: self.seconds.iter().sum(),
        };
        let mut warnings = self.warnings.clone();
        if self.unlisted > 0 {
            let problem = format!("{} shards have further warnings, which are in their manifests", self.unlisted);
            warnings.push(json!({
                "kind": "shards", "bodies": [], "bodies_count": 0, "problem": problem,
                "help": "look at `warnings` in the manifest of each shard",
            }));
        }
        let looks_between = scene.motion.between != BetweenFrames::None;
        let mut manifest = self.first.clone();
        for (key, value) in [
            ("summary", summary.to_json()),
            ("warnings", Value::Array(warnings)),
            (
                "counts",
                json!({
                    "candidates": self.candidates[0],
                    "candidate_samples": self.candidates[1],
                    "by_method": counts(&Method::NAMES, &totals.by_method),
                    "intervals_by_method": looks_between.then(|| counts(&IntervalMethod::NAMES, &totals.by_interval_method)),
                }),
            ),
            ("routes", Value::Object(self.routes.clone())),
            ("rows_digest", rows_digest(totals)),
            ("shard", Value::Null),
            (
                "shards",
                json!({
                    "count": self.frames.len(),
                    "fast": fast,
                    "frames": self.frames,
                    "rows": self.rows,
                    "seconds": self.seconds,
                }),
            ),
            ("timings", Value::Object(self.timings.clone())),
        ] {
            manifest[key] = value;
        }
        manifest
    }
}

/// Adds the numbers of an object to those of the same keys.
fn add_up(sums: &mut Map<String, Value>, more: &Value) {
    for (key, value) in more.as_object().into_iter().flatten() {
        let sum = match (sums.get(key), value.as_u64()) {
            (None, _) => value.clone(),
            (Some(known), Some(count)) if known.is_u64() => json!(known.as_u64().unwrap_or(0) + count),
            (Some(known), _) => json!(known.as_f64().unwrap_or(0.0) + value.as_f64().unwrap_or(0.0)),
        };
        sums.insert(key.clone(), sum);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(reasons: &[Option<&str>]) -> ShardFacts {
        let mut facts = ShardFacts::default();
        for reason in reasons {
            facts.add(json!({ "summary": { "nothing_checked": reason }, "routes": { "gjk": 2 }, "timings": { "read_s": 0.5 } }));
        }
        facts
    }

    #[test]
    fn nothing_was_looked_at_only_if_no_shard_did() {
        assert_eq!(facts(&[Some("no-frame"), None]).nothing_checked(), None);
        let never = facts(&[Some("no-frame"), Some("never-together")]);
        assert_eq!(never.nothing_checked(), Some(NothingChecked::NeverTogether));
        assert_eq!(facts(&[Some("no-frame"); 3]).nothing_checked(), Some(NothingChecked::NoFrame));
        assert_eq!((&never.routes["gjk"], &never.timings["read_s"]), (&json!(4), &json!(1.0)));
    }

    #[test]
    fn warnings_are_told_once_and_not_without_end() {
        let mut all = ShardFacts::default();
        for shard in 0..300 {
            let warning = |text: String| json!({ "kind": "jump", "problem": text });
            all.add(json!({ "warnings": [warning("the same".to_owned()), warning(format!("own {shard}"))] }));
        }
        assert_eq!((all.warnings.len(), all.unlisted), (MOST_WARNINGS, 300 - (MOST_WARNINGS as u64 - 1)));
    }
}
