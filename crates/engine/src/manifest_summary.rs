//! The summary of a manifest: the figures that a person or a script asks for first.

use super::check::{open_bodies, pairs_by_rule, rules_json};
use super::coverage::{NothingChecked, RunVerdict};
use super::manifest_intervals;
use clearsweep_base::share::share_with_interval;
use clearsweep_model::{BetweenFrames, Body, EventState, Scene};
use clearsweep_narrow::{IntervalStatus, Method, Status};
use clearsweep_tables::{Totals, ViolatingPair, Worst};
use serde_json::{Map, Value, json};

/// The facts that the summary of a job depends on.
pub(super) struct Summary<'a> {
    pub(super) scene: &'a Scene,
    pub(super) totals: &'a Totals,
    /// Why nothing was looked at; `None` where something was.
    pub(super) nothing_checked: Option<NothingChecked>,
    /// Whether a requirement is kept where nothing was looked at.
    pub(super) allow_empty: bool,
    /// Neighbouring frames of a run that are farther apart than `max_gap`: the intervals between them were not looked at.
    pub(super) intervals_skipped: u64,
    /// Time of the whole job.
    pub(super) seconds: f64,
}

impl Summary<'_> {
    /// The verdict. A requirement that nothing was held against is kept only where the caller allows that.
    pub(super) fn verdict(&self) -> RunVerdict {
        let checked = self.nothing_checked.is_none() || self.allow_empty;
        verdict(self.totals, self.scene.requirements().is_something(), checked)
    }

    /// Whether the scene says how bodies move between frames.
    fn looks_between(&self) -> bool {
        self.scene.motion.between != BetweenFrames::None
    }

    /// Returns the figures that a person or a script asks for first; the program prints them too.
    pub(super) fn to_json(&self) -> Value {
        let totals = self.totals;
        let seconds = self.seconds;
        let required = self.scene.requirements().is_something() && totals.runs > 0;
        let share = required.then(|| share_with_interval(totals.runs_violated, totals.runs));
        let rate = |count: u64| if seconds > 0.0 { count as f64 / seconds } else { 0.0 };
        json!({
            "verdict": self.verdict().name(),
            "nothing_checked": self.nothing_checked.map(NothingChecked::name),
            "sampled_frames_only": !self.looks_between(),
            "between": self.scene.motion.between.name(),
            "answer": self.scene.query.answer.name(),
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
            "contacts": self.scene.query.contacts.then_some(totals.contacts),
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

    /// Returns the requirement of each rule, and what violates it; null without rules.
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

/// Returns the requirement of a pair, metres; null where there is none, and without rules.
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

fn counts_by_state(counts: &[u64; 7]) -> Value {
    self::counts(&EventState::NAMES, counts)
}

pub(super) fn counts(names: &[&str], values: &[u64]) -> Value {
    Value::Object(
        names.iter().zip(values).map(|(name, value)| ((*name).to_owned(), json!(value))).collect::<Map<_, _>>(),
    )
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
    fn counts_keep_the_order_of_their_names() {
        let text = counts(&["z", "a"], &[1, 2]).to_string();
        assert_eq!(text, r#"{"z":1,"a":2}"#);
    }
}
