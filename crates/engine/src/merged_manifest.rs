//! The manifest of a result that was merged from shards.

use super::coverage::NothingChecked;
use super::manifest::rows_digest;
use super::manifest_summary::{Summary, counts};
use clearsweep_model::Scene;
use clearsweep_records::manifest::{Manifest, Named, Options, Shards, Warning};
use clearsweep_tables::Totals;
use std::ops::AddAssign;

/// Different warnings that are listed.
const MOST_WARNINGS: usize = 200;

/// The facts that the manifests of shards add up to.
#[derive(Default)]
pub(super) struct ShardFacts {
    /// The manifest of the first shard.
    pub(super) first: Manifest,
    warnings: Vec<Warning>,
    /// Shards with a warning that is not listed.
    unlisted: u64,
    nothing: Vec<Option<NothingChecked>>,
    candidates: [u64; 2],
    skipped: u64,
    routes: Named<u64>,
    timings: Named<f64>,
    frames: Vec<u64>,
    rows: Vec<u64>,
    seconds: Vec<f64>,
}

impl ShardFacts {
    /// Adds the manifest of the next shard.
    pub(super) fn add(&mut self, manifest: Manifest) {
        let Manifest { summary, counts, .. } = &manifest;
        let mut is_unlisted = false;
        for warning in &manifest.warnings {
            let is_same = |known: &Warning| known.kind == warning.kind && known.problem == warning.problem;
            match self.warnings.len() {
                _ if self.warnings.iter().any(is_same) => {}
                MOST_WARNINGS => is_unlisted = true,
                _ => self.warnings.push(warning.clone()),
            }
        }
        self.unlisted += u64::from(is_unlisted);
        self.nothing.push(summary.nothing_checked.as_deref().and_then(NothingChecked::of_name));
        self.candidates[0] += counts.candidates;
        self.candidates[1] += counts.candidate_samples;
        self.skipped += summary.intervals.as_ref().map_or(0, |intervals| intervals.skipped);
        add_up(&mut self.routes, &manifest.routes);
        add_up(&mut self.timings, &manifest.timings);
        self.frames.push(summary.frames);
        self.rows.push(summary.rows);
        self.seconds.push(summary.seconds);
        if self.frames.len() == 1 {
            self.first = manifest;
        }
    }

    /// Frames and rows of a shard.
    pub(super) fn counts(&self, shard: usize) -> [u64; 2] {
        [&self.frames, &self.rows].map(|counts| counts.get(shard).copied().unwrap_or(0))
    }

    /// Counts an interval between two shards that was not looked at, as its frames are too far
    /// apart.
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
    pub(super) fn manifest(self, scene: &Scene, totals: &Totals, fast: bool) -> Manifest {
        let summary = Summary {
            scene,
            totals,
            nothing_checked: self.nothing_checked(),
            allow_empty: self.first.options.allow_empty,
            intervals_skipped: self.skipped,
            seconds: self.seconds.iter().sum(),
        };
        let mut warnings = self.warnings;
        if self.unlisted > 0 {
            warnings.push(Warning {
                kind: "shards".to_owned(),
                problem: format!("{} shards have further warnings, which are in their manifests", self.unlisted),
                help: "look at `warnings` in the manifest of each shard".to_owned(),
                ..Warning::default()
            });
        }
        let previous = scene.earlier_issues.as_ref().map(|earlier| earlier.path.clone());
        Manifest {
            summary: summary.entry(),
            options: Options { previous, ..self.first.options },
            warnings,
            counts: counts(scene, totals, self.candidates),
            routes: self.routes,
            rows_digest: rows_digest(totals),
            shard: None,
            shards: Some(Shards {
                count: self.frames.len() as u64,
                fast,
                frames: self.frames,
                rows: self.rows,
                seconds: self.seconds,
            }),
            timings: self.timings,
            ..self.first
        }
    }
}

/// Adds numbers to those of the same names.
fn add_up<T: AddAssign + Copy>(sums: &mut Named<T>, more: &Named<T>) {
    for (name, number) in more {
        match sums.0.iter_mut().find(|(known, _)| known == name) {
            Some((_, sum)) => *sum += *number,
            None => sums.0.push((name.clone(), *number)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn manifest(json: Value) -> Manifest {
        serde_json::from_value(json).expect("a manifest")
    }

    fn facts(reasons: &[Option<&str>]) -> ShardFacts {
        let mut facts = ShardFacts::default();
        for reason in reasons {
            let summary = json!({ "nothing_checked": reason });
            facts.add(manifest(json!({ "summary": summary, "routes": { "gjk": 2 }, "timings": { "read_s": 0.5 } })));
        }
        facts
    }

    #[test]
    fn nothing_was_looked_at_only_if_no_shard_did() {
        assert_eq!(facts(&[Some("no-frame"), None]).nothing_checked(), None);
        let never = facts(&[Some("no-frame"), Some("never-together")]);
        assert_eq!(never.nothing_checked(), Some(NothingChecked::NeverTogether));
        assert_eq!(facts(&[Some("no-frame"); 3]).nothing_checked(), Some(NothingChecked::NoFrame));
        assert_eq!((never.routes.get("gjk"), never.timings.get("read_s")), (Some(&4), Some(&1.0)));
    }

    #[test]
    fn warnings_are_told_once_and_not_without_end() {
        let mut all = ShardFacts::default();
        for shard in 0..300 {
            let warning = |text: String| json!({ "kind": "jump", "problem": text });
            let warnings = [warning("the same".to_owned()), warning(format!("own {shard}"))];
            all.add(manifest(json!({ "warnings": warnings })));
        }
        assert_eq!((all.warnings.len(), all.unlisted), (MOST_WARNINGS, 300 - (MOST_WARNINGS as u64 - 1)));
    }
}
