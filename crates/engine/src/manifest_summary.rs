//! The summary of a manifest: the figures that a person or a script asks for first.

use super::check::{open_bodies, pairs_by_rule, rule_terms};
use super::coverage::{NothingChecked, RunVerdict};
use super::manifest_intervals;
use super::manifest_pairs::{finite, listed, named, undecided};
use clearsweep_base::share::share_with_interval;
use clearsweep_model::{BetweenFrames, Body, DeviationSource, EventState, Scene};
use clearsweep_narrow::{IntervalMethod, IntervalStatus, Method, Status};
use clearsweep_records::manifest::{self, Counts, Named, OpenMeshes, RuleFindings, RuleTerms, StalePair};
use clearsweep_tables::{Totals, Worst};

/// The facts that the summary of a job depends on.
pub(super) struct Summary<'a> {
    pub(super) scene: &'a Scene,
    pub(super) totals: &'a Totals,
    /// Why nothing was looked at; `None` where something was.
    pub(super) nothing_checked: Option<NothingChecked>,
    /// Whether a requirement is kept where nothing was looked at.
    pub(super) allow_empty: bool,
    /// Neighbouring frames of a run that are farther apart than `max_gap`: the intervals between
    /// them were not looked at.
    pub(super) intervals_skipped: u64,
    /// Time of the whole job.
    pub(super) seconds: f64,
}

impl Summary<'_> {
    /// The verdict. A requirement that nothing was held against is kept only where the caller
    /// allows that.
    pub(super) fn verdict(&self) -> RunVerdict {
        let checked = self.nothing_checked.is_none() || self.allow_empty;
        verdict(self.totals, self.scene.requirements().is_something(), checked)
    }

    /// Returns the figures that a person or a script asks for first; the program prints them too.
    pub(super) fn entry(&self) -> manifest::Summary {
        let Self { scene, totals, seconds, .. } = *self;
        let (query, requirements) = (&scene.query, scene.requirements());
        let required = requirements.is_something() && totals.runs > 0;
        let (share, interval) = required.then(|| share_with_interval(totals.runs_violated, totals.runs)).unzip();
        let rate = |count: u64| if seconds > 0.0 { count as f64 / seconds } else { 0.0 };
        let by_state = |counts: [u64; 7]| EventState::NAMES.into_iter().zip(counts).collect();
        manifest::Summary {
            verdict: Some(self.verdict().name().to_owned()),
            nothing_checked: self.nothing_checked.map(|why| why.name().to_owned()),
            sampled_frames_only: scene.motion.between == BetweenFrames::None,
            between: Some(scene.motion.between.name().to_owned()),
            answer: Some(query.answer.name().to_owned()),
            bodies: scene.bodies.len() as u64,
            bodies_dynamic: Some(scene.dynamic.len() as u64),
            runs: totals.runs,
            frames: totals.samples,
            pairs_possible: totals.pairs_possible,
            pairs_ignored: totals.pairs_ignored,
            deviation: pairs_by_deviation_source(scene),
            pairs_within: totals.pairs,
            within_m: Some(query.within),
            require_m: query.require,
            require_unit: requirements.is_something().then(|| scene.require_unit.word.to_owned()),
            rules: self.rules(),
            rows: totals.rows,
            penetrations: totals.penetrations,
            contacts: query.contacts.then_some(totals.contacts),
            rows_by_status: Status::NAMES.into_iter().zip(totals.by_status).collect(),
            violated: totals.violated,
            pairs_violated: Some(totals.pairs_violated),
            violating_pairs: totals.violating_pairs.iter().map(|pair| listed(scene, pair)).collect(),
            runs_violated: Some(totals.runs_violated),
            runs_violated_share: share,
            runs_violated_interval: interval,
            open: totals.open,
            events: totals.issues.as_ref().map(|counts| by_state(counts.events)),
            issues: totals.issues.as_ref().map(|counts| by_state(counts.issues)),
            dispositions: self.dispositions(),
            undecided: totals.undecided,
            undecided_row: totals.undecided_row.0.as_ref().map(|row| undecided(scene, row)),
            uncertified: totals.by_status[Status::Uncertified as usize],
            open_meshes: self.open_meshes(),
            worst: totals.worst.as_ref().map(|worst| worst_entry(scene, worst)),
            intervals: manifest_intervals::summary(scene, totals, self.intervals_skipped),
            hulls: hulls(scene),
            bytes: totals.bytes,
            seconds,
            frames_per_s: rate(totals.samples),
            rows_per_s: rate(totals.rows),
        }
    }

    /// The file of accepted pairs, and what of it belongs to nothing any more; `None` without one.
    fn dispositions(&self) -> Option<manifest::Dispositions> {
        let of = &self.scene.dispositions;
        let told = self.totals.issues.iter().flat_map(|counts| counts.stale.iter().cloned());
        let stale = told.map(|[rule, body_a, body_b, problem]| StalePair { rule, body_a, body_b, problem });
        (!of.day.is_empty()).then(|| manifest::Dispositions {
            day: of.day.clone(),
            pairs: of.by_pair.len() as u64,
            stale: of.stale.len() as u64,
            stale_pairs: stale.collect(),
        })
    }

    /// Returns the requirement of each rule, and what violates it; `None` without rules.
    fn rules(&self) -> Option<Vec<RuleFindings>> {
        let (looks_between, requirements) =
            (self.scene.motion.between != BetweenFrames::None, self.scene.requirements());
        let mut compared = vec![0_u64; requirements.count()];
        self.scene.baselines.pairs().for_each(|pair| compared[requirements.rule(pair.a, pair.b)] += 1);
        let findings = |(rule, terms): (usize, RuleTerms)| {
            let totals = self.totals.by_rule.get(rule).copied().unwrap_or_default();
            RuleFindings {
                rows: totals.rows,
                nearer_at_baseline: terms.baseline.is_some().then(|| compared[rule]),
                violated: totals.violated,
                undecided: totals.undecided,
                pairs_violated: totals.pairs_violated,
                intervals: looks_between.then_some(totals.intervals),
                intervals_violated: looks_between.then_some(totals.intervals_violated),
                intervals_undecided: looks_between.then_some(totals.intervals_undecided),
                pairs_violated_between: looks_between.then_some(totals.pairs_violated_between),
                terms,
            }
        };
        let terms = rule_terms(self.scene, &pairs_by_rule(self.scene))?;
        Some(terms.into_iter().enumerate().map(findings).collect())
    }

    /// Returns the bodies whose inside the winding number decides, and the pairs for which it did;
    /// `None` if there are none.
    fn open_meshes(&self) -> Option<OpenMeshes> {
        let (bodies, totals) = (open_bodies(self.scene), self.totals);
        (!bodies.is_empty()).then(|| OpenMeshes {
            bodies: bodies.len() as u64,
            rows: totals.by_method[Method::Winding as usize],
            pairs: totals.pairs_winding,
            winding_pairs: totals.winding_pairs.iter().map(|pair| listed(self.scene, pair)).collect(),
        })
    }
}

fn worst_entry(scene: &Scene, worst: &Worst) -> manifest::Worst {
    manifest::Worst {
        distance_m: Some(worst.distance_m),
        lower_m: finite(worst.bracket_m[0]),
        upper_m: finite(worst.bracket_m[1]),
        run: worst.run,
        frame: worst.frame,
        pair: named(scene, &worst.body_a, &worst.body_b),
    }
}

/// Violations outrank what is not proven (as the exit code does): uncertified rows and undecided
/// intervals. These outrank brackets that hold the limit.
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

/// The pairs that are not ignored, by the weaker source of both bodies' deviations.
pub fn pairs_by_deviation_source(scene: &Scene) -> Named<u64> {
    DeviationSource::ALL.map(DeviationSource::name).into_iter().zip(scene.pairs_by_deviation_source()).collect()
}

/// Returns the number of bodies that stand for meshes that are not convex, and the body whose hull
/// reaches farthest beyond its mesh; `None` if there are none.
fn hulls(scene: &Scene) -> Option<manifest::Hulls> {
    let excess = |body: &Body| body.shape.fit.map_or(0.0, |fit| fit.excess);
    let filled = || scene.bodies.iter().filter(|body| body.shape.is_filled());
    let farthest = filled().max_by(|a, b| excess(a).total_cmp(&excess(b)))?;
    let (bodies, hull_excess_m) = (filled().count() as u64, Some(excess(farthest)));
    Some(manifest::Hulls { bodies, hull_excess_m, body: farthest.name.clone() })
}

/// Candidates, and rows and intervals by method.
pub(super) fn counts(scene: &Scene, totals: &Totals, [candidates, candidate_samples]: [u64; 2]) -> Counts {
    let intervals = IntervalMethod::NAMES.into_iter().zip(totals.by_interval_method);
    Counts {
        candidates,
        candidate_samples,
        by_method: Method::NAMES.into_iter().zip(totals.by_method).collect(),
        intervals_by_method: (scene.motion.between != BetweenFrames::None).then(|| intervals.collect()),
    }
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
}
