//! Lines of a summary about violations: how many pairs and runs, the worst pairs by name, and when.

use super::body_lines::OF_HULLS;
use super::color::{Tone, paint};
use super::summary_lines;
use super::text::{Lengths, count, counted, visible};
use clearsweep_model::EventState;
use clearsweep_records::manifest::{Intervals, ListedPair, Manifest, NamedPair, StalePair, Summary};

/// The form in which a line states the time.
#[derive(Debug, Clone, Copy)]
enum SpanWords {
    /// Nothing: nothing moves.
    Never,
    /// The frames of the only run.
    InFrames,
    /// The number of runs, and the frames of one of them.
    InRuns,
}

/// Pairs that the text lists; the manifest has more.
const LISTED: usize = 5;

/// `VIOLATED by 3 pairs`, or between frames; `None` where nothing is.
pub(super) fn verdict(summary: &Summary) -> Option<String> {
    let rows = summary.pairs_violated.filter(|_| summary.violated > 0);
    let between = violated_between(summary).and_then(|intervals| intervals.pairs_violated);
    let text = match (rows, between) {
        (Some(rows), Some(between)) => {
            format!("VIOLATED by {}, between frames by {}", counted(rows, "pair"), counted(between, "pair"))
        }
        (Some(rows), None) => format!("VIOLATED by {}", counted(rows, "pair")),
        (None, Some(between)) => format!("VIOLATED between frames by {}", counted(between, "pair")),
        (None, None) => return None,
    };
    let order = if listed(summary).len() > 1 { ", nearest first" } else { "" };
    Some(paint(Tone::Bad, &text) + order)
}

/// The findings between frames, if intervals violate the requirement.
fn violated_between(summary: &Summary) -> Option<&Intervals> {
    summary.intervals.as_ref().filter(|intervals| intervals.violated > 0)
}

/// Whether something violates that nobody has accepted.
pub(super) fn is_open(summary: &Summary) -> bool {
    !listed(summary).is_empty()
}

/// A violating pair with the bracket of its least distance, at frames and between them.
struct Listed<'a> {
    pair: &'a ListedPair,
    ends: [Option<f64>; 2],
}

impl<'a> Listed<'a> {
    fn of(pair: &'a ListedPair) -> Self {
        Self { pair, ends: [pair.lower_m, pair.upper_m] }
    }

    /// The value that the pair is ordered by. Older versions did not write the bracket.
    fn rank(&self) -> f64 {
        self.ends[1].or(self.pair.min_upper_m).or(self.pair.min_distance_m).unwrap_or(f64::NAN)
    }

    /// Takes what is found of the same pair elsewhere, if it is nearer there.
    fn join(&mut self, other: Self) {
        let nearer = if other.rank() < self.rank() { other.pair } else { self.pair };
        let least = |k: usize| Some(self.ends[k]?.min(other.ends[k]?));
        // A bracket with an end that is not proven in one of both places has no such end.
        self.ends = [least(0), least(1).or(self.ends[1]).or(other.ends[1])];
        self.pair = nearer;
    }
}

/// The worst violating pairs, each once, nearest first.
fn listed(summary: &Summary) -> Vec<Listed<'_>> {
    let rows = if summary.violated > 0 { summary.violating_pairs.as_slice() } else { &[] };
    let between = violated_between(summary).map_or(&[][..], |intervals| &intervals.violating_pairs);
    let mut listed: Vec<Listed<'_>> = rows.iter().map(Listed::of).collect();
    for pair in between.iter().map(Listed::of) {
        match listed.iter_mut().find(|known| known.pair.pair == pair.pair.pair) {
            Some(known) => known.join(pair),
            None => listed.push(pair),
        }
    }
    listed.sort_by(|one, next| one.rank().total_cmp(&next.rank()));
    listed
}

/// The worst violation with its moment; `None` if nothing violates.
pub(super) fn worst(summary: &Summary, lengths: Lengths) -> Option<String> {
    let listed = listed(summary);
    let Listed { pair: of, ends } = listed.first()?;
    let NamedPair { body_a, body_b, of_hulls } = &of.pair;
    let what = how(of, *ends, lengths);
    let apart = if ends[0].is_some_and(|lower| lower >= 0.0) { " apart" } else { "" };
    let hulls = if *of_hulls { format!(", {OF_HULLS}") } else { String::new() };
    let undecided = summary_lines::is_undecided(summary, &of.pair, of.run, of.frame);
    let undecided = if undecided { ": not decided" } else { "" };
    let moment = match of.min_upper_m {
        _ if !summary.moves() => String::new(),
        Some(_) => format!(", run {}, after frame {}", of.run, of.frame),
        None => format!(", run {}, frame {}", of.run, of.frame),
    };
    Some(format!("{what}{apart}{hulls}{undecided}: {} and {}{moment}", visible(body_a), visible(body_b)))
}

/// A line for each of the worst pairs, at frames and between them, nearest first, and one for the
/// rest.
pub(super) fn worst_pairs(summary: &Summary, lengths: Lengths) -> Vec<String> {
    let when = match summary.runs {
        _ if !summary.moves() => SpanWords::Never,
        runs if runs > 1 => SpanWords::InRuns,
        _ => SpanWords::InFrames,
    };
    let pairs = listed(summary);
    let shown = &pairs[..pairs.len().min(LISTED)];
    let mut lines: Vec<String> = shown.iter().map(|pair| line(pair, when, lengths)).collect();
    let of_rows = summary.pairs_violated.filter(|_| summary.violated > 0).unwrap_or(0);
    let between = violated_between(summary).and_then(|intervals| intervals.pairs_violated).unwrap_or(0);
    // A pair may violate at frames and between them: how many do is known only if both lists are
    // whole.
    let least = of_rows.max(between).max(pairs.len() as u64);
    let is_exact = of_rows == 0 || between == 0 || least == pairs.len() as u64;
    let more = counted(least - shown.len() as u64, "pair");
    match (least > shown.len() as u64, is_exact) {
        (false, _) => {}
        (true, true) => lines.push(format!("and {more} more; pairs.parquet has all of them")),
        (true, false) => lines.push(format!("and at least {more} more; pairs.parquet has all of them")),
    }
    lines
}

/// A bracket in words; of an older version, a distance.
fn how(of: &ListedPair, ends: [Option<f64>; 2], lengths: Lengths) -> String {
    match (ends, of.min_upper_m.or(of.min_distance_m)) {
        ([None, None], Some(distance)) if distance < 0.0 => lengths.text(-distance) + " deep",
        ([None, None], Some(distance)) => lengths.text(distance),
        ([lower, upper], _) => lengths.proven(lower, upper),
    }
}

fn line(Listed { pair: of, ends }: &Listed<'_>, when: SpanWords, lengths: Lengths) -> String {
    let NamedPair { body_a, body_b, of_hulls } = &of.pair;
    let how = how(of, *ends, lengths);
    let (how, rows, noun) = match of.min_upper_m {
        Some(_) => (format!("between frames {how}"), of.intervals, "interval"),
        None => (how, of.rows, "frame"),
    };
    let how = if *of_hulls { format!("{how}, {OF_HULLS}") } else { how };
    let span = match of.spans {
        0 | 1 => span(of),
        spans => format!("{}, in {} spans", span(of), count(spans)),
    };
    let when = match when {
        SpanWords::InRuns => format!(", in {}; in run {} {span}", counted(of.runs, "run"), of.run),
        SpanWords::InFrames => format!(", {span} ({})", counted(rows.unwrap_or(0), noun)),
        SpanWords::Never => String::new(),
    };
    let rule = match &of.rule {
        Some(rule) => format!(" ({}: {})", visible(rule), lengths.text(of.required_m.unwrap_or(f64::NAN))),
        None => String::new(),
    };
    format!("{how}: {} and {}{rule}{when}", visible(body_a), visible(body_b))
}

/// `44 s to 44.25 s`, `at 44 s`, or frames where there are no times.
fn span(of: &ListedPair) -> String {
    // 39 * 0.05 is not quite 1.95.
    let time = |x: f64| format!("{x:.6}").trim_end_matches('0').trim_end_matches('.').to_owned() + " s";
    let ListedPair { from_frame, to_frame, .. } = of;
    let single = from_frame == to_frame;
    match (of.from_time_s, of.to_time_s) {
        (Some(from), Some(_)) if single => format!("at {}", time(from)),
        (Some(from), Some(to)) => format!("{} to {}", time(from), time(to)),
        _ if single => format!("in frame {from_frame}"),
        _ => format!("in frames {from_frame} to {to_frame}"),
    }
}

/// `12 open (2 worse, 10 new), 3 approved, 1 resolved`; `None` where nothing is required, or there
/// is no table of them.
pub(super) fn issues(summary: &Summary) -> Option<String> {
    let issues = summary.issues.as_ref()?;
    let n = |state: EventState| issues.get(state.name()).copied().unwrap_or(0);
    let some = |states: &[EventState]| -> Vec<String> {
        let there = states.iter().filter(|&&state| n(state) > 0);
        there.map(|&state| format!("{} {}", count(n(state)), state.name())).collect()
    };
    let [open, closed] =
        [true, false].map(|is_open| EventState::ALL.into_iter().filter(move |of| of.is_open() == is_open));
    let (open, closed): (Vec<_>, Vec<_>) = (open.collect(), closed.collect());
    let all: u64 = open.iter().map(|&state| n(state)).sum();
    let (open, closed) = (some(&open), some(&closed));
    if open.is_empty() && closed.is_empty() {
        return None;
    }
    let states = if open.is_empty() { String::new() } else { format!(" ({})", open.join(", ")) };
    let parts = std::iter::once(format!("{} open{states}", count(all))).chain(closed);
    Some(parts.collect::<Vec<_>>().join(", "))
}

/// Decisions about what is no more: a line for each of the first.
pub(super) fn stale(summary: &Summary) -> Vec<String> {
    let Some(of) = &summary.dispositions else { return Vec::new() };
    let line = |StalePair { rule, body_a, body_b, problem }: &StalePair| {
        let [rule, a, b, problem] = [rule, body_a, body_b, problem].map(|text| visible(text));
        format!("stale: {a} and {b} ({rule}): {problem}")
    };
    let mut lines: Vec<String> = of.stale_pairs.iter().take(LISTED).map(line).collect();
    let more = of.stale.saturating_sub(lines.len() as u64);
    if more > 0 {
        lines.push(format!("and {} more that are stale; issues.parquet has all of them", count(more)));
    }
    lines
}

/// `violated in 1,450 of 2,000 runs (72.5 %, 95 % interval 70.5 to 74.4)` if something is required
/// of several runs. Runs of a sweep are no draws: their share is no probability, and is not told.
pub(super) fn runs(Manifest { summary, options, .. }: &Manifest) -> Option<String> {
    let (share, [low, high]) = (summary.runs_violated_share?, summary.runs_violated_interval?);
    let [share, low, high] = [share, low, high].map(|share| 100.0 * share);
    let (violated, all) = (count(summary.runs_violated?), count(summary.runs));
    let share = match options.runs_are_draws() {
        true => format!(" ({share:.1} %, 95 % interval {low:.1} to {high:.1})"),
        false => String::new(),
    };
    (summary.runs > 1).then(|| format!("violated in {violated} of {all} runs{share}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn of_json(json: Value) -> Summary {
        serde_json::from_value(json).expect("a summary")
    }

    #[test]
    fn pairs_are_listed_with_their_times() {
        let pair = |spans: u64, to_frame: i64, time: Option<f64>| {
            json!({
                "body_a": "crane", "body_b": "tray", "min_distance_m": 0.0379, "run": 3, "rows": 5, "runs": 2,
                "spans": spans, "from_frame": 7, "to_frame": to_frame, "from_time_s": time, "to_time_s": time.map(|t| t + 0.25),
            })
        };
        let line = |pair: &Value, when| {
            let pair: ListedPair = serde_json::from_value(pair.clone()).expect("a pair");
            line(&Listed::of(&pair), when, Lengths::of_word("mm"))
        };
        assert_eq!(
            line(&pair(1, 8, Some(44.0)), SpanWords::InFrames),
            "37.9 mm: crane and tray, 44 s to 44.25 s (5 frames)"
        );
        assert_eq!(line(&pair(1, 7, Some(44.0)), SpanWords::InFrames), "37.9 mm: crane and tray, at 44 s (5 frames)");
        assert_eq!(
            line(&pair(2, 9, None), SpanWords::InFrames),
            "37.9 mm: crane and tray, in frames 7 to 9, in 2 spans (5 frames)"
        );
        assert_eq!(
            line(&pair(1, 7, None), SpanWords::InRuns),
            "37.9 mm: crane and tray, in 2 runs; in run 3 in frame 7"
        );
        assert_eq!(line(&pair(1, 7, None), SpanWords::Never), "37.9 mm: crane and tray");
        let many =
            json!({ "violated": 99, "pairs_violated": 12, "runs": 1, "violating_pairs": vec![pair(1, 8, None); 10] });
        let lines = worst_pairs(&of_json(many), Lengths::of_word("mm"));
        assert!(lines.len() == 6 && lines[5].starts_with("and 7 pairs more;"), "{lines:?}");
    }

    #[test]
    fn pairs_are_listed_once_where_they_come_nearest() {
        let row = |a: &str| {
            json!({ "body_a": a, "body_b": "x", "min_distance_m": 0.01, "rows": 2, "spans": 1,
            "from_frame": 3, "to_frame": 4, "run": 0, "runs": 1 })
        };
        let between = |a: &str| {
            json!({ "body_a": a, "body_b": "x", "min_upper_m": -0.002, "intervals": 1, "spans": 1,
            "from_frame": 3, "to_frame": 4, "run": 0, "runs": 1 })
        };
        let intervals = json!({ "violated": 2, "pairs_violated": 2, "violating_pairs": [between("a"), between("b")] });
        let mut summary =
            of_json(json!({ "violated": 2, "pairs_violated": 1, "runs": 1, "violating_pairs": [row("a")],
            "intervals": intervals }));
        let plain = |text: Option<String>| anstream::adapter::strip_str(&text.unwrap_or_default()).to_string();
        assert_eq!(plain(verdict(&summary)), "VIOLATED by 1 pair, between frames by 2 pairs, nearest first");
        let lines = worst_pairs(&summary, Lengths::of_word("mm"));
        assert_eq!(
            lines,
            [
                "between frames 2 mm deep: a and x, in frames 3 to 4 (1 interval)",
                "between frames 2 mm deep: b and x, in frames 3 to 4 (1 interval)",
            ]
        );
        (summary.violated, summary.violating_pairs) = (0, Vec::new());
        assert_eq!(plain(verdict(&summary)), "VIOLATED between frames by 2 pairs, nearest first");
        assert_eq!(worst_pairs(&summary, Lengths::of_word("mm")).len(), 2);
        summary.intervals = None;
        assert_eq!(verdict(&summary), None);
    }

    #[test]
    fn runs_are_counted_with_their_interval() {
        let runs = |json| runs(&Manifest { summary: of_json(json), ..Manifest::default() });
        let summary = json!({
            "runs": 2000, "runs_violated": 1450, "runs_violated_share": 0.725,
            "runs_violated_interval": [0.70501, 0.74412],
        });
        assert_eq!(
            runs(summary).as_deref(),
            Some("violated in 1,450 of 2,000 runs (72.5 %, 95 % interval 70.5 to 74.4)")
        );
        assert_eq!(runs(json!({ "runs": 1, "runs_violated": 1 })), None);
        assert_eq!(runs(json!({ "runs": 2, "runs_violated": 0, "runs_violated_share": null })), None);
    }
}
