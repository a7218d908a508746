//! Lines of a summary about violations: how many pairs and runs, the worst pairs by name, and when.

use super::body_lines::OF_HULLS;
use super::color::{Tone, paint};
use super::text::{Lengths, count, counted, visible};
use clearsweep_model::EventState;
use serde_json::Value;

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

/// Whether nothing moves: such a job has no frames and runs to be named.
pub(super) fn is_static(summary: &Value) -> bool {
    summary["bodies_dynamic"].as_u64() == Some(0)
}

/// Whether something is required of all pairs, or by a rule.
pub(super) fn is_something_required(summary: &Value) -> bool {
    summary["require_m"].is_number() || summary["rules"].is_array()
}

/// `VIOLATED by 3 pairs`, or between frames; `None` where nothing is.
pub(super) fn verdict(summary: &Value) -> Option<String> {
    let pairs = |of: &Value| if is_violated(of) { of["pairs_violated"].as_u64() } else { None };
    let text = match (pairs(summary), pairs(&summary["intervals"])) {
        (Some(rows), Some(between)) => {
            format!("VIOLATED by {}, between frames by {}", counted(rows, "pair"), counted(between, "pair"))
        }
        (Some(rows), None) => format!("VIOLATED by {}", counted(rows, "pair")),
        (None, Some(between)) => format!("VIOLATED between frames by {}", counted(between, "pair")),
        (None, None) => return None,
    };
    Some(paint(Tone::Bad, &text))
}

/// Whether rows, or intervals, violate the requirement.
fn is_violated(of: &Value) -> bool {
    of["violated"].as_u64().is_some_and(|violated| violated > 0)
}

/// A line for each of the worst pairs, nearest first: of those at frames, then of those between frames only.
pub(super) fn worst_pairs(summary: &Value, lengths: Lengths) -> Vec<String> {
    let when = match summary["runs"].as_u64().unwrap_or(0) {
        _ if is_static(summary) => SpanWords::Never,
        runs if runs > 1 => SpanWords::InRuns,
        _ => SpanWords::InFrames,
    };
    let listed = |of: &Value| of["violating_pairs"].as_array().filter(|_| is_violated(of)).cloned().unwrap_or_default();
    let (rows, mut between) = (listed(summary), listed(&summary["intervals"]));
    let bodies = |pair: &Value| (pair["body_a"].clone(), pair["body_b"].clone());
    between.retain(|pair| !rows.iter().any(|row| bodies(row) == bodies(pair)));
    let number = |of: &Value| of["pairs_violated"].as_u64().unwrap_or(0);
    let (of_rows, of_intervals) =
        if rows.is_empty() { (0, number(&summary["intervals"])) } else { (number(summary), 0) };
    let mut lines = lines(&rows, of_rows, when, lengths);
    lines.extend(self::lines(&between, of_intervals, when, lengths));
    lines
}

/// A line for each of the first pairs, and one for the rest of `all`.
fn lines(pairs: &[Value], all: u64, when: SpanWords, lengths: Lengths) -> Vec<String> {
    let shown = &pairs[..pairs.len().min(LISTED)];
    let mut lines: Vec<String> = shown.iter().map(|pair| line(pair, when, lengths)).collect();
    let more = all.saturating_sub(shown.len() as u64);
    if more > 0 {
        lines.push(format!("and {} more; pairs.parquet has all of them", counted(more, "pair")));
    }
    lines
}

fn line(pair: &Value, when: SpanWords, lengths: Lengths) -> String {
    let text = |key: &str| visible(pair[key].as_str().unwrap_or("?")).into_owned();
    let number = |key: &str| pair[key].as_u64().unwrap_or(0);
    let between = pair["min_upper_m"].as_f64();
    let distance = between.or(pair["min_distance_m"].as_f64()).unwrap_or(f64::NAN);
    let how = if distance < 0.0 { lengths.text(-distance) + " deep" } else { lengths.text(distance) };
    let (how, rows, noun) = match between {
        Some(_) => (format!("between frames {how}"), number("intervals"), "interval"),
        None => (how, number("rows"), "frame"),
    };
    let how = if pair["of_hulls"] == true { format!("{how}, {OF_HULLS}") } else { how };
    let span = match number("spans") {
        0 | 1 => span(pair),
        spans => format!("{}, in {} spans", span(pair), count(spans)),
    };
    let when = match when {
        SpanWords::InRuns => format!(", in {}; in run {} {span}", counted(number("runs"), "run"), pair["run"]),
        SpanWords::InFrames => format!(", {span} ({})", counted(rows, noun)),
        SpanWords::Never => String::new(),
    };
    let rule = match pair["rule"].as_str() {
        Some(rule) => {
            format!(" ({}: {})", visible(rule), lengths.text(pair["required_m"].as_f64().unwrap_or(f64::NAN)))
        }
        None => String::new(),
    };
    format!("{how}: {} and {}{rule}{when}", text("body_a"), text("body_b"))
}

/// `44 s to 44.25 s`, `at 44 s`, or frames where there are no times.
fn span(pair: &Value) -> String {
    // 39 * 0.05 is not quite 1.95.
    let time = |x: f64| format!("{x:.6}").trim_end_matches('0').trim_end_matches('.').to_owned() + " s";
    let single = pair["from_frame"] == pair["to_frame"];
    match (pair["from_time_s"].as_f64(), pair["to_time_s"].as_f64()) {
        (Some(from), Some(_)) if single => format!("at {}", time(from)),
        (Some(from), Some(to)) => format!("{} to {}", time(from), time(to)),
        _ if single => format!("in frame {}", pair["from_frame"]),
        _ => format!("in frames {} to {}", pair["from_frame"], pair["to_frame"]),
    }
}

/// `12 open (2 worse, 10 new), 3 approved, 1 resolved`; `None` where nothing is required, or there is no table of them.
pub(super) fn issues(summary: &Value) -> Option<String> {
    let n = |state: EventState| summary["issues"][state.name()].as_u64().unwrap_or(0);
    summary["issues"].as_object()?;
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
pub(super) fn stale(summary: &Value) -> Vec<String> {
    let of = &summary["dispositions"];
    let pairs = of["stale_pairs"].as_array().cloned().unwrap_or_default();
    let text = |pair: &Value, key: &str| visible(pair[key].as_str().unwrap_or("?")).into_owned();
    let line = |pair: &Value| {
        let [rule, a, b, problem] = ["rule", "body_a", "body_b", "problem"].map(|key| text(pair, key));
        format!("stale: {a} and {b} ({rule}): {problem}")
    };
    let mut lines: Vec<String> = pairs.iter().take(LISTED).map(line).collect();
    let more = of["stale"].as_u64().unwrap_or(0).saturating_sub(lines.len() as u64);
    if more > 0 {
        lines.push(format!("and {} more that are stale; issues.parquet has all of them", count(more)));
    }
    lines
}

/// `violated in 1,450 of 2,000 runs (72.5 %, 95 % interval 70.5 to 74.4)`, where something is required of several runs.
pub(super) fn runs(summary: &Value) -> Option<String> {
    let all = summary["runs"].as_u64().filter(|&runs| runs > 1)?;
    let violated = summary["runs_violated"].as_u64()?;
    let share = summary["runs_violated_share"].as_f64()?;
    let end = |index: usize| summary["runs_violated_interval"][index].as_f64();
    let [low, high] = [end(0)?, end(1)?].map(|share| 100.0 * share);
    Some(format!(
        "violated in {} of {} runs ({:.1} %, 95 % interval {low:.1} to {high:.1})",
        count(violated),
        count(all),
        100.0 * share
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn pairs_are_listed_with_their_times() {
        let pair = |spans: u64, to_frame: i64, time: Option<f64>| {
            json!({
                "body_a": "crane", "body_b": "tray", "min_distance_m": 0.0379, "run": 3, "rows": 5, "runs": 2,
                "spans": spans, "from_frame": 7, "to_frame": to_frame, "from_time_s": time, "to_time_s": time.map(|t| t + 0.25),
            })
        };
        let line = |pair: &Value, when| line(pair, when, Lengths::of_word("mm"));
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
        let lines = worst_pairs(&many, Lengths::of_word("mm"));
        assert!(lines.len() == 6 && lines[5].starts_with("and 7 pairs more;"), "{lines:?}");
    }

    #[test]
    fn pairs_that_violate_between_frames_only_are_listed_too() {
        let row = |a: &str| {
            json!({ "body_a": a, "body_b": "x", "min_distance_m": 0.01, "rows": 2, "spans": 1,
            "from_frame": 3, "to_frame": 4, "run": 0, "runs": 1 })
        };
        let between = |a: &str| {
            json!({ "body_a": a, "body_b": "x", "min_upper_m": -0.002, "intervals": 1, "spans": 1,
            "from_frame": 3, "to_frame": 4, "run": 0, "runs": 1 })
        };
        let intervals = json!({ "violated": 2, "pairs_violated": 2, "violating_pairs": [between("a"), between("b")] });
        let mut summary = json!({ "violated": 2, "pairs_violated": 1, "runs": 1, "violating_pairs": [row("a")],
            "intervals": intervals });
        let plain = |text: Option<String>| anstream::adapter::strip_str(&text.unwrap_or_default()).to_string();
        assert_eq!(plain(verdict(&summary)), "VIOLATED by 1 pair, between frames by 2 pairs");
        let lines = worst_pairs(&summary, Lengths::of_word("mm"));
        assert_eq!(
            lines,
            [
                "10 mm: a and x, in frames 3 to 4 (2 frames)",
                "between frames 2 mm deep: b and x, in frames 3 to 4 (1 interval)",
            ]
        );
        (summary["violated"], summary["violating_pairs"]) = (0.into(), json!([]));
        assert_eq!(plain(verdict(&summary)), "VIOLATED between frames by 2 pairs");
        assert_eq!(worst_pairs(&summary, Lengths::of_word("mm")).len(), 2);
        summary["intervals"] = Value::Null;
        assert_eq!(verdict(&summary), None);
    }

    #[test]
    fn runs_are_counted_with_their_interval() {
        let summary = json!({
            "runs": 2000, "runs_violated": 1450, "runs_violated_share": 0.725,
            "runs_violated_interval": [0.70501, 0.74412],
        });
        assert_eq!(
            runs(&summary).as_deref(),
            Some("violated in 1,450 of 2,000 runs (72.5 %, 95 % interval 70.5 to 74.4)")
        );
        assert_eq!(runs(&json!({ "runs": 1, "runs_violated": 1 })), None);
        assert_eq!(runs(&json!({ "runs": 2, "runs_violated": 0, "runs_violated_share": null })), None);
    }
}
