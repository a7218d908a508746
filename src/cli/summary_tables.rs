//! The tables of a summary: the nearest pairs, and the worst runs.

use super::body_lines::OF_HULLS;
use super::color::{Tone, paint};
use super::text::{Lengths, columns, count, visible};
use clearsweep_records::{Text, WorstPair};
use clearsweep_tables::{LeastOfRun, RankedRun};
use serde_json::{Value, json};
use std::collections::HashSet;

/// The pairs that came nearest of `all`, each in its worst run; without frames and runs if nothing
/// `moves`.
pub(super) fn pairs_text(
    pairs: &[WorstPair],
    filled: &HashSet<Text>,
    ([all, runs], moves): ([u64; 2], bool),
    lengths: Lengths,
) -> String {
    if pairs.is_empty() {
        return String::new();
    }
    let rows: Vec<Vec<String>> = pairs
        .iter()
        .map(|pair| {
            let WorstPair { body_a, body_b, run, frames_within, frames_penetrating, .. } = pair;
            let frame = pair.frame_of_min.unwrap_or_default();
            let numbers = [*run, frame, *frames_within, *frames_penetrating].map(|number| number.to_string());
            let [lower, upper] = lengths.fixed_ends([pair.lower_m, pair.upper_m]);
            let upper = of_hulls(upper, filled, body_a, body_b);
            let named = [visible(body_a).into_owned(), visible(body_b).into_owned(), lower, upper].into_iter();
            named.chain(numbers.into_iter().take(if moves { 4 } else { 0 })).collect()
        })
        .collect();
    let titles = ["a", "b", "at least", "at most", "run", "frame", "frames within", "penetrating"];
    let shown = if moves { titles.len() } else { 4 };
    let is_right = [false, false, true, true, true, true, true, true];
    let table = columns(&titles[..shown], &is_right[..shown], &rows);
    let title = match (pairs.len() as u64, all) {
        (1, _) => "The nearest pair".to_owned(),
        // Pairs of bodies are listed, run-pairs are counted.
        (n, _) if runs > 1 => format!("The {n} nearest pairs, each in its worst run, least `at most` first"),
        (n, all) if all > n => format!("The {n} nearest of {} pairs, least `at most` first", count(all)),
        (n, _) => format!("The {n} nearest pairs, least `at most` first"),
    };
    format!("\n{}\n{table}", paint(Tone::Title, &title))
}

/// A distance, with what it is of where a body of the pair stands for a mesh that is not convex.
fn of_hulls(distance: String, filled: &HashSet<Text>, a: &Text, b: &Text) -> String {
    if filled.contains(a) || filled.contains(b) { format!("{distance} {OF_HULLS}") } else { distance }
}

/// The worst runs, if there are several; rows that violate are counted where something is
/// `required`, intervals where the execution `looks_between` frames.
pub(super) fn runs_text(
    runs: &[RankedRun],
    filled: &HashSet<Text>,
    all: u64,
    [required, looks_between]: [bool; 2],
    lengths: Lengths,
) -> String {
    if runs.len() < 2 {
        return String::new();
    }
    let row = |RankedRun { run, least }: &RankedRun| {
        let [lower, upper, frame, pair] = match least {
            Some(LeastOfRun { body_a, body_b, bracket_m, frame, .. }) => {
                let [lower, upper] = lengths.fixed_ends(*bracket_m);
                let upper = of_hulls(upper, filled, body_a, body_b);
                [lower, upper, frame.to_string(), format!("{} and {}", visible(body_a), visible(body_b))]
            }
            None => std::array::from_fn(|_| "-".to_owned()),
        };
        let count = |n: i64| count(n.unsigned_abs());
        let [frames, rows] = [run.frames, run.rows].map(count);
        let violated = [run.violated, run.intervals_violated.unwrap_or(0)];
        let violated = violated.map(|n| if required { count(n) } else { "-".to_owned() });
        let mut cells = vec![run.run.to_string(), frames, rows];
        cells.extend(violated.into_iter().take(if looks_between { 2 } else { 1 }));
        cells.extend([lower, upper, frame, pair]);
        cells
    };
    let mut titles = vec!["run", "frames", "rows", "rows violated", "at least", "at most", "frame", "pair"];
    if looks_between {
        titles.insert(4, "intervals violated");
    }
    let is_right: Vec<bool> = titles.iter().map(|title| *title != "pair").collect();
    let table = columns(&titles, &is_right, &runs.iter().map(row).collect::<Vec<_>>());
    let is_violating = |of: &RankedRun| of.least.as_ref().is_some_and(|least| least.violates);
    let order = match runs.iter().filter(|run| is_violating(run)).count() {
        0 => "least distance first",
        n if n == runs.len() => "least violating distance first",
        _ => "violating runs first, each by least distance",
    };
    let title = match all > runs.len() as u64 {
        true => format!("The {} worst of {} runs, {order}", runs.len(), count(all)),
        false => format!("The {} runs, {order}", runs.len()),
    };
    format!("\n{}\n{table}", paint(Tone::Title, &title))
}

pub(super) fn pair_json(pair: &WorstPair, filled: &HashSet<Text>) -> Value {
    json!({
        "body_a": &*pair.body_a,
        "body_b": &*pair.body_b,
        "min_distance_m": pair.min_distance_m,
        "lower_m": pair.lower_m,
        "upper_m": pair.upper_m,
        "run": pair.run,
        "frame": pair.frame_of_min,
        "frames_within": pair.frames_within,
        "frames_penetrating": pair.frames_penetrating,
        "of_hulls": filled.contains(&pair.body_a) || filled.contains(&pair.body_b),
    })
}

pub(super) fn run_json(RankedRun { run, least }: &RankedRun, filled: &HashSet<Text>) -> Value {
    let is_of_hulls = |bodies: [Option<&Text>; 2]| bodies.into_iter().flatten().any(|body| filled.contains(body));
    let least = least.as_ref().map(|least| {
        json!({
            "body_a": &*least.body_a,
            "body_b": &*least.body_b,
            "lower_m": least.bracket_m[0],
            "upper_m": least.bracket_m[1],
            "frame": least.frame,
            "violates": least.violates,
            "of_hulls": is_of_hulls([Some(&least.body_a), Some(&least.body_b)]),
        })
    });
    json!({
        "run": run.run,
        "frames": run.frames,
        "rows": run.rows,
        "violated": run.violated,
        "intervals_violated": run.intervals_violated.unwrap_or(0),
        "min_distance_m": run.min_distance_m,
        "body_a": run.body_a.as_deref(),
        "body_b": run.body_b.as_deref(),
        "frame_of_min": run.frame_of_min,
        "of_hulls": is_of_hulls([run.body_a.as_ref(), run.body_b.as_ref()]),
        "least": least,
    })
}
