//! Sentences about what was checked and what was not.

use crate::data::{Contact, Fact, Moment, Tone, Verdict};
use crate::words::{Clock, Lengths, count, counted, longest_step, resting_on};
use clearsweep_records::Body;
use clearsweep_records::manifest::{IgnoreRule, Intervals, Manifest, RuleFindings, Span, StalePair, Summary};
use std::collections::BTreeMap;

/// Names and lines that a fact lists; the rest is counted.
const LISTED: usize = 20;

/// Ignore rules of one reason from which on they share a line.
const ALIKE: usize = 4;

/// The verdict of a manifest's summary as a sentence.
///
/// The share of runs is told if they are draws.
pub(super) fn verdict(summary: &Summary, are_draws: bool) -> Verdict {
    let word = summary.verdict.clone().unwrap_or_else(|| "unknown".to_owned());
    let between = summary.intervals.as_ref().and_then(|intervals| intervals.pairs_violated);
    let pairs = summary.pairs_violated.max(between).unwrap_or(0);
    let where_ = extent(summary);
    let accepted = if summary.violated > summary.open { "; other violations are accepted" } else { "" };
    let (tone, sentence) = match word.as_str() {
        "violated" if summary.runs > 1 => {
            let violated = count(summary.runs_violated.unwrap_or(0));
            let share = summary.runs_violated_share.filter(|_| are_draws);
            let share = share.map_or_else(String::new, |share| format!(" ({:.1} %)", 100.0 * share));
            let runs = format!("{violated} of {} runs{share}", count(summary.runs));
            let come = if pairs == 1 { "comes" } else { "come" };
            (Tone::Bad, format!("{} {come} nearer than required, in {runs}{accepted}.", counted(pairs, "pair")))
        }
        "violated" => {
            let come = if pairs == 1 { "comes" } else { "come" };
            (Tone::Bad, format!("{} {come} nearer than required{accepted}.", counted(pairs, "pair")))
        }
        "clear" if summary.nothing_checked.is_some() => {
            (Tone::Doubtful, "Nothing was there to check, which was allowed.".to_owned())
        }
        "clear" => (Tone::Good, format!("No pair comes nearer than required{where_}.")),
        "accepted" => {
            (Tone::Good, format!("All violations are accepted; no other pair comes nearer than required{where_}."))
        }
        "undecided" => (
            Tone::Doubtful,
            "No violation is proven, but some brackets hold the limit: it is not proven that it is kept.".to_owned(),
        ),
        "uncertified" => (
            Tone::Doubtful,
            "No violation is proven, but some answers are not: it is not proven that the clearance is kept.".to_owned(),
        ),
        "nothing required" => {
            (Tone::Doubtful, "Nothing is required, so that nothing can violate: distances were measured.".to_owned())
        }
        "nothing-checked" => (Tone::Doubtful, "Nothing was checked.".to_owned()),
        other => (Tone::Doubtful, format!("The verdict is `{other}`.")),
    };
    Verdict { word, tone, sentence }
}

/// For what a verdict holds.
fn extent(summary: &Summary) -> &'static str {
    match summary.intervals {
        _ if !summary.moves() => "",
        Some(_) => ", at the frames and between them",
        None => ", at the frames",
    }
}

/// Returns the facts that were checked, and those that were not.
pub(super) fn all(bodies: &[Body], manifest: &Manifest, clock: &Clock) -> (Vec<Fact>, Vec<Fact>) {
    let lengths = Lengths::to_five_digits(manifest.length_unit());
    let facts = Facts { manifest, summary: &manifest.summary, lengths, clock, bodies };
    (facts.checked(), facts.unchecked())
}

/// The sources of facts.
struct Facts<'a> {
    manifest: &'a Manifest,
    summary: &'a Summary,
    lengths: Lengths,
    clock: &'a Clock,
    bodies: &'a [Body],
}

fn fact(name: &str, text: String, details: Vec<String>) -> Fact {
    Fact { name: name.to_owned(), text, details }
}

/// The first lines, and how many more there are.
fn listed(lines: impl ExactSizeIterator<Item = String>) -> Vec<String> {
    let more = lines.len().saturating_sub(LISTED);
    let mut listed: Vec<String> = lines.take(LISTED).collect();
    listed.extend((more > 0).then(|| format!("and {} more", count(more as u64))));
    listed
}

impl Facts<'_> {
    /// Bodies that move.
    fn moving(&self) -> u64 {
        self.summary.bodies_dynamic.unwrap_or(0)
    }

    fn length(&self, metres: Option<f64>) -> Option<String> {
        metres.map(|metres| self.lengths.text(metres))
    }

    fn checked(&self) -> Vec<Fact> {
        let mut facts = vec![self.bodies_checked(), self.pairs_checked()];
        if self.moving() > 0 {
            let Summary { frames, runs, .. } = *self.summary;
            let frames = counted(frames, "frame");
            let runs = if runs > 1 { format!(" in {} runs", count(runs)) } else { String::new() };
            facts.push(fact("frames", frames + &runs, Vec::new()));
        }
        facts.extend(self.swept());
        facts.extend(self.motion_checked());
        facts.extend(self.first_contact());
        facts.push(self.requirement());
        facts
    }

    fn bodies_checked(&self) -> Fact {
        let moving = match self.moving() {
            0 => "none of them moves".to_owned(),
            moving => format!("{} of them moving", count(moving)),
        };
        let word = if self.summary.bodies == 1 { "body" } else { "bodies" };
        fact("bodies", format!("{} {word}, {moving}", count(self.summary.bodies)), Vec::new())
    }

    fn pairs_checked(&self) -> Fact {
        let summary = self.summary;
        let checked = summary.pairs_possible.saturating_sub(summary.pairs_ignored);
        let near = counted(summary.pairs_within, if summary.runs > 1 { "run-pair" } else { "pair" });
        let within = self.length(summary.within_m).unwrap_or_default();
        fact("pairs", format!("{} checked; {near} came within {within}", counted(checked, "pair")), Vec::new())
    }

    fn swept(&self) -> Option<Fact> {
        let mut sweeps = self.clock.sweeps();
        match sweeps.len() {
            0 => None,
            1 => Some(fact("sweep", sweeps.remove(0), Vec::new())),
            n => Some(fact("sweeps", counted(n as u64, "sweep"), listed(sweeps.into_iter()))),
        }
    }

    /// The first proven contact of the first run that has one.
    fn first_contact(&self) -> Option<Fact> {
        let first = self.summary.intervals.as_ref()?.first_contact.as_ref()?;
        let moment = |frame, share: Option<f64>, time_s: Option<f64>| (Moment { frame, time_s }, share);
        let (from, lo) = moment(first.frame, first.contact_lo, None);
        let (to, hi) = moment(first.frame_next, first.contact_hi, None);
        let times = first.time_lo_s.zip(first.time_hi_s);
        let contact = match times.filter(|_| self.clock.sweeps().is_empty()) {
            // The times are those of both shares.
            Some((lo, hi)) => Contact {
                ends: [Moment { time_s: Some(lo), ..from }, Moment { time_s: Some(hi), ..to }],
                shares: [0.0, 1.0],
                is_first: true,
            },
            None => Contact { ends: [from, to], shares: [lo?, hi?], is_first: true },
        };
        let run = self.clock.run_of_several(first.run).map_or_else(String::new, |run| format!("{run}: "));
        let pair = format!("{} and {}", first.pair.body_a, first.pair.body_b);
        Some(fact("first contact", format!("{run}{pair}: {}", self.clock.contact(first.run, &contact)), Vec::new()))
    }

    fn motion_checked(&self) -> Option<Fact> {
        let rows = self.summary.intervals.as_ref()?.rows;
        let between = self.summary.between.as_deref().unwrap_or_default();
        let text = format!(
            "proven between frames, if bodies move as stated ({between}): {} within reach",
            counted(rows, "interval")
        );
        Some(fact("motion", text, Vec::new()))
    }

    fn requirement(&self) -> Fact {
        let Some(rules) = &self.summary.rules else {
            let required = self.summary.require_m.map(|require| self.lengths.requirement(require));
            let text = required.unwrap_or_else(|| "nothing is required".to_owned());
            return fact("required", text, Vec::new());
        };
        let required: Vec<&RuleFindings> = rules.iter().filter(|rule| rule.terms.require_m.is_some()).collect();
        let line = |RuleFindings { terms, .. }: &&RuleFindings| {
            let what = if terms.direction.is_some() { " free length" } else { "" };
            let require = terms.require_m.map(|require| self.lengths.requirement(require)).unwrap_or_default();
            format!("{} ({}): {require}{what} for {}", terms.rule, terms.severity, counted(terms.pairs, "pair"))
        };
        fact("rules", counted(required.len() as u64, "rule"), listed(required.iter().map(line)))
    }

    fn unchecked(&self) -> Vec<Fact> {
        let facts = [
            self.nothing_checked(),
            self.undecided(),
            self.motion_unchecked(),
            self.depths(),
            self.ignored(),
            self.still_pairs(),
            self.chosen(),
            self.inside(
                "winding",
                "open meshes",
                "do not close up: the winding number decides what lies inside, which is no proof",
            ),
            self.inside("surface", "sheets", "are declared as sheets: nothing lies inside of them"),
            self.hulls(),
            self.deviations(),
            self.stale(),
        ];
        facts.into_iter().flatten().chain(self.warnings()).collect()
    }

    fn nothing_checked(&self) -> Option<Fact> {
        let why = match self.summary.nothing_checked.as_deref()? {
            "no-frame" => "there was no frame",
            "no-pair" => "there was no pair of bodies of which one moves",
            "all-ignored" => "all pairs are ignored",
            "never-together" => "no two bodies were there in the same frame",
            other => other,
        };
        Some(fact("nothing", format!("nothing was checked: {why}"), Vec::new()))
    }

    fn undecided(&self) -> Option<Fact> {
        let intervals = self.summary.intervals.as_ref();
        let counts = [
            (self.summary.undecided, "row", "the bracket holds the limit"),
            (self.summary.uncertified, "row", "no bracket is proven"),
            (intervals.map_or(0, |of| of.undecided), "interval", "the bracket holds the limit"),
            (intervals.map_or(0, Intervals::unproven), "interval", "neither clear nor in contact is proven"),
        ];
        let lines: Vec<String> = counts
            .iter()
            .filter(|(n, ..)| *n > 0)
            .map(|(n, noun, why)| format!("{}: {why}", counted(*n, noun)))
            .collect();
        let winding = self.summary.open_meshes.as_ref().map_or(0, |of| of.pairs);
        let all: Vec<String> = lines
            .into_iter()
            .chain((winding > 0).then(|| format!("{}: one body lies inside of an open mesh", counted(winding, "pair"))))
            .collect();
        (!all.is_empty()).then(|| fact("undecided", "some answers are not decided".to_owned(), all))
    }

    fn motion_unchecked(&self) -> Option<Fact> {
        if self.moving() == 0 {
            return None;
        }
        let Some(intervals) = &self.summary.intervals else {
            let text = "motion between the frames was not checked: no motion is stated".to_owned();
            return Some(fact("motion", text, Vec::new()));
        };
        let text = || format!("{} longer than {}", counted(intervals.skipped, "gap"), longest_step(intervals));
        (intervals.skipped > 0).then(|| fact("gaps", text(), Vec::new()))
    }

    fn depths(&self) -> Option<Fact> {
        let answer = self.summary.answer.as_deref().filter(|&answer| answer != "depth")?;
        let text = format!("depths were not computed (answer = {answer}): lengths of overlaps are upper bounds");
        Some(fact("depths", text, Vec::new()))
    }

    fn ignored(&self) -> Option<Fact> {
        let ignored = self.summary.pairs_ignored;
        let rules = &self.manifest.scene.ignore;
        let line = |rule: &IgnoreRule| {
            let IgnoreRule { a, b, same, reason, pairs } = rule;
            let who = match (a.as_deref(), b.as_deref(), same.as_deref()) {
                (a, b, None) => format!("{} against {}", a.unwrap_or("all"), b.unwrap_or("all")),
                (None, _, Some(same)) => format!("same {same}"),
                (Some(a), b, Some(same)) => format!("{a} against {}, same {same}", b.unwrap_or("all")),
            };
            let reason = reason.as_deref().unwrap_or("no reason is given");
            format!("{who}: {reason} ({})", counted(*pairs, "pair"))
        };
        // A robot has a rule for each pair of neighbours: what all rules of one reason leave out is
        // one line.
        let mut of_reason: BTreeMap<&str, Vec<&IgnoreRule>> = BTreeMap::new();
        for rule in rules {
            of_reason.entry(rule.reason.as_deref().unwrap_or_default()).or_default().push(rule);
        }
        let shared = of_reason.iter().filter(|(reason, rules)| !reason.is_empty() && rules.len() >= ALIKE);
        let mut lines: Vec<String> = shared
            .map(|(reason, rules)| {
                let pairs = rules.iter().map(|rule| rule.pairs).sum();
                format!("{reason}: {} by {} rules", counted(pairs, "pair"), count(rules.len() as u64))
            })
            .collect();
        let alone = |rule: &&IgnoreRule| {
            let reason = rule.reason.as_deref().unwrap_or_default();
            reason.is_empty() || of_reason[reason].len() < ALIKE
        };
        lines.extend(rules.iter().filter(alone).map(line));
        let of_all = counted(self.summary.pairs_possible, "pair");
        (ignored > 0)
            .then(|| fact("ignored", format!("{} of {of_all} are ignored", count(ignored)), listed(lines.into_iter())))
    }

    fn still_pairs(&self) -> Option<Fact> {
        let still = self.summary.bodies.saturating_sub(self.moving());
        let is_checked = self.manifest.options.static_pairs;
        (still > 1 && !is_checked).then(|| {
            fact(
                "still",
                format!("the {} bodies that stand still were not checked against each other", count(still)),
                Vec::new(),
            )
        })
    }

    /// The part of the input that was left out.
    fn chosen(&self) -> Option<Fact> {
        let options = &self.manifest.options;
        let line = |(key, span): (&str, Option<Span>)| {
            let [from, to] = span?.0.map(|end| end.map_or(String::new(), |end| end.to_string()));
            Some(format!("only {key} {from}..{to} were taken"))
        };
        let lines: Vec<String> =
            [("runs", options.runs), ("frames", options.frames)].into_iter().filter_map(line).collect();
        (!lines.is_empty()).then(|| fact("part", lines.join("; "), Vec::new()))
    }

    fn inside(&self, word: &str, name: &str, what: &str) -> Option<Fact> {
        let of: Vec<&Body> = self.bodies.iter().filter(|body| body.inside.as_deref() == Some(word)).collect();
        let names = listed(of.iter().map(|body| body.body.to_string()));
        (!of.is_empty()).then(|| {
            fact(
                name,
                format!("{} of {} bodies {what}", count(of.len() as u64), count(self.bodies.len() as u64)),
                names,
            )
        })
    }

    fn hulls(&self) -> Option<Fact> {
        let of: Vec<&Body> = self.bodies.iter().filter(|body| body.convex == Some(false)).collect();
        let excess = self.summary.hulls.as_ref().and_then(|hulls| hulls.hull_excess_m);
        let excess = excess.map(|excess| self.lengths.at_most(excess)).unwrap_or_default();
        let text = format!(
            "{} of {} bodies stand for meshes that are not convex: hulls reach up to {excess} beyond them",
            count(of.len() as u64),
            count(self.bodies.len() as u64)
        );
        let names = listed(of.iter().map(|body| body.body.to_string()));
        (!of.is_empty()).then(|| fact("hulls", text, names))
    }

    fn deviations(&self) -> Option<Fact> {
        let most = self.bodies.iter().filter_map(|body| body.deviation_m).fold(0.0, f64::max);
        let of = self.bodies.iter().filter(|body| body.deviation_m.is_some_and(|deviation| deviation > 0.0)).count();
        let text = || {
            format!(
                "{} of {} bodies are known up to a deviation of at most {}: brackets are wider by it",
                count(of as u64),
                count(self.bodies.len() as u64),
                self.lengths.at_most(most)
            )
        };
        let of_bodies = (most > 0.0).then(text);
        match resting_on(&self.summary.deviation) {
            Some(of_pairs) => Some(fact("deviation", of_pairs, of_bodies.into_iter().collect())),
            None => of_bodies.map(|text| fact("deviation", text, Vec::new())),
        }
    }

    fn stale(&self) -> Option<Fact> {
        let dispositions = self.summary.dispositions.as_ref().filter(|of| of.stale > 0)?;
        let line = |StalePair { rule, body_a, body_b, problem }: &StalePair| {
            format!("{rule}: {body_a} and {body_b}: {problem}")
        };
        Some(fact(
            "decisions",
            format!("{} belong to nothing any more", counted(dispositions.stale, "decision")),
            listed(dispositions.stale_pairs.iter().map(line)),
        ))
    }

    /// Warnings of the execution.
    fn warnings(&self) -> impl Iterator<Item = Fact> + '_ {
        // Meshes that do not close up have a line of their own.
        let warnings = self.manifest.warnings.iter().filter(|warning| warning.kind != "open");
        warnings.map(|of| fact(&of.kind, of.problem.clone(), listed(of.bodies.iter().cloned())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearsweep_model::LengthUnit;
    use serde_json::json;

    #[test]
    fn every_verdict_has_a_sentence() {
        let words =
            ["clear", "nothing required", "nothing-checked", "undecided", "uncertified", "accepted", "violated"];
        for word in words {
            let summary = json!({ "verdict": word, "pairs_violated": 1, "runs": 1 });
            let of = verdict(&serde_json::from_value(summary).expect("a summary"), true);
            assert!(of.sentence.ends_with('.') && !of.sentence.contains('`'), "{word}: {}", of.sentence);
            assert_eq!(of.tone == Tone::Good, ["clear", "accepted"].contains(&word), "{word}");
            assert_eq!(of.tone == Tone::Bad, word == "violated", "{word}");
        }
    }

    #[test]
    fn nothing_unchecked_is_kept_quiet() {
        let manifest: Manifest = serde_json::from_value(json!({
            "options": { "static_pairs": false, "runs": [0, null], "frames": null },
            "scene": { "ignore": [{ "a": "group:x", "b": null, "same": null, "reason": "one system", "pairs": 3 }] },
            "warnings": [{ "kind": "coarse", "bodies": ["far"], "bodies_count": 1, "problem": "coordinates are coarse", "help": "" }],
            "summary": {
                "bodies": 5, "bodies_dynamic": 1, "pairs_possible": 4, "pairs_ignored": 3, "undecided": 2, "uncertified": 0,
                "open_meshes": { "pairs": 1 }, "intervals": null, "answer": "distance", "hulls": { "hull_excess_m": 0.01 },
                "dispositions": { "stale": 1, "stale_pairs": [] },
            },
        }))
        .expect("a manifest");
        let body = |name: &str, inside: &str, convex| Body {
            body: name.into(),
            convex,
            deviation_m: Some(1e-4),
            inside: Some(inside.into()),
            model: None,
            groups: Vec::new(),
        };
        let bodies =
            [body("open", "winding", None), body("sheet", "surface", None), body("hull", "solid", Some(false))];
        let lengths = Lengths::to_five_digits(LengthUnit::ALL[1]);
        let clock = &Clock::plain(lengths);
        let facts = Facts { manifest: &manifest, summary: &manifest.summary, lengths, clock, bodies: &bodies };
        let names: Vec<String> = facts.unchecked().into_iter().map(|fact| fact.name).collect();
        let expected = [
            "undecided",
            "motion",
            "depths",
            "ignored",
            "still",
            "part",
            "open meshes",
            "sheets",
            "hulls",
            "deviation",
            "decisions",
            "coarse",
        ];
        assert_eq!(names, expected);
    }
}
