//! Lines of a summary about the motion between frames.

use super::body_lines::OF_HULLS;
use super::color::{Tone, paint};
use super::text::{Lengths, columns, count, counted, visible};
use clearsweep_records::PairBetween;
use clearsweep_records::manifest::{FirstContact, Intervals, Least, NamedPair, Summary, SweptJoint};
use clearsweep_report::{longest_step, outward};
use serde_json::{Value, json};

/// Lines about the intervals of a summary; none where the scene does not say how bodies move
/// between frames.
pub(super) fn lines(summary: &Summary, lengths: Lengths) -> Vec<String> {
    let Some(intervals) = &summary.intervals else { return Vec::new() };
    let mut lines = vec![counts(summary, intervals, lengths)];
    lines.extend(intervals.least.as_ref().and_then(|least| nearest(least, lengths)));
    lines.extend(intervals.first_contact.as_ref().map(|first| first_contact(first, lengths)));
    let only = intervals.pairs_contact_only;
    if only > 0 {
        let (pairs, touch) = (counted(only, "pair"), if only == 1 { "touches" } else { "touch" });
        lines.push(paint(Tone::Doubtful, &format!("{pairs} {touch} between frames only")));
    }
    let undecided = intervals.unproven();
    if undecided > 0 {
        let text = format!("{} undecided", counted(undecided, "interval"));
        lines.push(paint(Tone::Doubtful, &text) + ": neither clear nor in contact is proven (status = 'undecided')");
    }
    if intervals.skipped > 0 {
        let text = format!("{} not looked at", counted(intervals.skipped, "gap"));
        lines.push(paint(Tone::Doubtful, &text) + &format!(": longer than {}", longest_step(intervals)));
    }
    lines
}

/// Returns the last line of the text, which says what the summary holds for; `None` if nothing
/// moves.
pub(super) fn holds(summary: &Summary) -> Option<String> {
    summary.bodies_dynamic.filter(|&moving| moving > 0)?;
    let Some(intervals) = &summary.intervals else {
        let text = "Holds at sampled frames only: motion between frames is not covered (pairs.max_step_m bounds it).";
        return Some(text.to_owned());
    };
    let open = intervals.unproven() + intervals.skipped;
    let except = if open > 0 { ", but for what is undecided or was not looked at" } else { "" };
    Some(format!("Holds between frames too, if bodies move as stated (between = {}){except}.", word(summary)))
}

/// `linear: 1,200 intervals within 200 mm: 1,190 clear, 10 contact; 3 violated`.
fn counts(summary: &Summary, intervals: &Intervals, lengths: Lengths) -> String {
    let within = lengths.text(summary.within_m.unwrap_or(0.0));
    let Intervals { rows, by_status, violated, undecided, .. } = intervals;
    if *rows == 0 {
        return format!("{}: nothing came within {within}", word(summary));
    }
    let parts = by_status.into_iter().filter(|(_, n)| *n > 0);
    let parts: Vec<String> = parts.map(|(status, n)| format!("{} {status}", count(*n))).collect();
    let judged = [("violated", *violated), ("undecided", *undecided)];
    let judged = judged.into_iter().filter(|(_, n)| summary.is_something_required() && *n > 0);
    let judged: String = judged.map(|(word, n)| format!("; {} {word}", count(n))).collect();
    format!("{}: {} within {within}: {}{judged}", word(summary), counted(*rows, "interval"), parts.join(", "))
}

fn nearest(least: &Least, lengths: Lengths) -> Option<String> {
    let bracket = lengths.proven(least.lower_m, Some(least.upper_m?));
    Some(format!("least distance {bracket}: {}", place(&least.pair, least.run, [least.frame, least.frame_next])))
}

fn first_contact(first: &FirstContact, lengths: Lengths) -> String {
    let when = match (first.time_lo_s, first.time_hi_s) {
        (Some(from), Some(to)) => {
            format!(", {} s to {} s", outward(from, DECIMALS, false), outward(to, DECIMALS, true))
        }
        _ => String::new(),
    };
    let place = place(&first.pair, first.run, [first.frame, first.frame_next]);
    let joint = first.joint.as_ref().and_then(|joint| swept(joint, lengths));
    format!("first contact: {place}{when}{}", joint.unwrap_or_default())
}

/// Decimals of seconds and degrees.
const DECIMALS: i32 = 6;

/// The values of the joint that is swept between which its first contact lies, rounded outward.
fn swept(joint: &SweptJoint, lengths: Lengths) -> Option<String> {
    let ends = [joint.lo?, joint.hi?];
    let is_rising = ends[1] >= ends[0];
    let degrees = |value: f64, up: bool| format!("{} deg", outward(value.to_degrees(), DECIMALS, up));
    let [from, to] = match joint.unit.as_str() {
        "rad" => [degrees(ends[0], !is_rising), degrees(ends[1], is_rising)],
        _ => lengths.fine_ends(ends),
    };
    Some(format!(", {} from {from} to {to}", visible(&joint.name)))
}

/// The bodies, the run and the frames of an interval.
fn place(NamedPair { body_a, body_b, of_hulls }: &NamedPair, run: i64, [frame, next]: [i64; 2]) -> String {
    let hulls = if *of_hulls { format!(" ({OF_HULLS})") } else { String::new() };
    format!("{} and {}{hulls}, run {run}, frames {frame} to {next}", visible(body_a), visible(body_b))
}

/// The pairs that came nearest between frames, over all runs.
pub(super) fn pairs_text(pairs: &[PairBetween], lengths: Lengths) -> String {
    if pairs.is_empty() {
        return String::new();
    }
    let row = |pair: &PairBetween| {
        let names = [&pair.body_a, &pair.body_b].map(|name| visible(name).into_owned());
        let ends = lengths.fixed_ends([pair.min_between_lower_m, pair.min_between_upper_m]);
        let contact = pair.contact_frame.map_or_else(|| "-".to_owned(), |frame| frame.to_string());
        let [run, frame] = [pair.run, pair.frame_of_min_between.unwrap_or_default()].map(|key| key.to_string());
        names.into_iter().chain(ends).chain([run, frame, contact]).collect::<Vec<_>>()
    };
    let titles = ["a", "b", "at least", "at most", "run", "after frame", "contact after"];
    let rows: Vec<Vec<String>> = pairs.iter().map(row).collect();
    let table = columns(&titles, &[false, false, true, true, true, true, true], &rows);
    format!("\n{}\n{table}", paint(Tone::Title, "The nearest pairs between frames, least `at most` first"))
}

/// Returns a pair as an object; a bound of which nothing is proven is null.
pub(super) fn pair_json(pair: &PairBetween) -> Value {
    json!({
        "body_a": &*pair.body_a,
        "body_b": &*pair.body_b,
        "min_between_lower_m": pair.min_between_lower_m,
        "min_between_upper_m": pair.min_between_upper_m,
        "run": pair.run,
        "frame": pair.frame_of_min_between,
        "contact_frame": pair.contact_frame,
    })
}

fn word(summary: &Summary) -> &str {
    summary.between.as_deref().unwrap_or("?")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_json(json: Value) -> Summary {
        serde_json::from_value(json).expect("a summary")
    }

    fn summary() -> Summary {
        of_json(json!({
            "bodies_dynamic": 2, "between": "linear", "within_m": 0.2, "require_m": 0.05,
            "intervals": {
                "rows": 1200, "skipped": 2, "max_gap": 1, "max_gap_s": null, "tolerance_m": 1e-4,
                "by_status": { "clear": 1189, "contact": 10, "undecided": 1 },
                "violated": 3, "undecided": 2, "pairs_contact_only": 1,
                "least": { "lower_m": -0.01, "upper_m": -0.009, "run": 0, "frame": 17, "frame_next": 18, "body_a": "a\n", "body_b": "b" },
                "first_contact": { "run": 0, "frame": 16, "frame_next": 17, "time_lo_s": 1.6, "time_hi_s": 1.625, "body_a": "a", "body_b": "b" },
            },
        }))
    }

    fn plain(lines: &[String]) -> Vec<String> {
        lines.iter().map(|line| anstream::adapter::strip_str(line).to_string()).collect()
    }

    #[test]
    fn what_was_proven_between_frames_is_said() {
        let lengths = Lengths::of_word("mm");
        let said = plain(&lines(&summary(), lengths));
        let expected = [
            "linear: 1,200 intervals within 200 mm: 1,189 clear, 10 contact, 1 undecided; 3 violated; 2 undecided",
            "least distance 9 to 10 mm deep: a\\n and b, run 0, frames 17 to 18",
            "first contact: a and b, run 0, frames 16 to 17, 1.6 s to 1.625 s",
            "1 pair touches between frames only",
            "1 interval undecided: neither clear nor in contact is proven (status = 'undecided')",
            "2 gaps not looked at: longer than max_gap = 1, or 100 times longer than the steps beside",
        ];
        assert_eq!(said, expected);
        let text = holds(&summary()).expect("bodies move");
        assert!(text.contains("between = linear") && text.contains("but for"), "{text}");
    }

    #[test]
    fn the_way_of_a_joint_is_in_the_unit_of_the_scene() {
        let joint = |unit: &str, ends: [f64; 2]| SweptJoint {
            name: "z".into(),
            unit: unit.into(),
            lo: Some(ends[0]),
            hi: Some(ends[1]),
        };
        let slide = joint("m", [0.019_999, 0.019_999_002]);
        let said = |joint, unit| swept(joint, Lengths::of_word(unit)).expect("both ends");
        assert_eq!(said(&slide, "mm"), ", z from 19.999 mm to 19.999002 mm");
        assert_eq!(said(&slide, "m"), ", z from 0.019999 m to 0.019999002 m");
        let narrow = joint("m", [0.019_999_002_4, 0.019_999_001_6]);
        assert_eq!(said(&narrow, "mm"), ", z from 19.999003 mm to 19.999001 mm");
        let turn = joint("rad", [0.0, std::f64::consts::FRAC_PI_2]);
        assert_eq!(said(&turn, "mm"), ", z from 0 deg to 90 deg");
    }

    #[test]
    fn without_motion_nothing_is_said_of_it() {
        let summary = of_json(json!({ "bodies_dynamic": 1, "intervals": null, "between": "none" }));
        assert!(lines(&summary, Lengths::of_word("m")).is_empty());
        assert!(holds(&summary).is_some_and(|text| text.contains("sampled frames only")));
        assert_eq!(holds(&of_json(json!({ "bodies_dynamic": 0 }))), None);
    }
}
