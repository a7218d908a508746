//! `clearsweep summary`: what an execution found, from its manifest. A run ends with the same text.

use super::args::SummaryArgs;
use super::body_lines::OF_HULLS;
use super::color::{Tone, paint};
use super::exit::{self, ProgramEnd};
use super::text::{Lengths, ONCE, bytes, columns, count, counted, rate, seconds, table, visible};
use super::violations::is_static;
use super::wrap::{width, wrapped};
use super::{intervals, results, stdout, summary_lines, violations};
use clearsweep::{Error, Result};
use clearsweep_base::text::sql_text;
use clearsweep_engine::NothingChecked;
use clearsweep_input_guard::regular_file;
use clearsweep_records::{Text, WorstPair, WorstRun, bodies_of_hulls};
use clearsweep_tables::{nearest_between, worst_pairs, worst_runs};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::path::Path;

/// Prints the summary of the execution in a directory.
pub(crate) fn summary(args: &SummaryArgs) -> Result<ProgramEnd> {
    let places = results::places(&args.dirs, false)?;
    let [results::ResultPlace { name, dir, .. }] = places.as_slice() else { return several(args, places) };
    let mut manifest = read(dir)?;
    let (pairs, runs) = (worst_pairs(dir, LISTED)?, worst_runs(dir, LISTED)?);
    let filled = bodies_of_hulls(dir)?;
    let looks_between = manifest["summary"]["intervals"].is_object();
    let nearest = if looks_between { nearest_between(dir, LISTED)? } else { Vec::new() };
    if args.json {
        let summary = &mut manifest["summary"];
        if looks_between {
            summary["nearest_between"] = nearest.iter().map(intervals::pair_json).collect();
        }
        summary["worst_pairs"] = pairs.iter().map(|pair| pair_json(pair, &filled)).collect();
        summary["worst_runs"] = runs.iter().map(|run| run_json(run, &filled)).collect();
        stdout::print_json(summary)?;
    } else {
        let number = |key: &str| manifest["summary"][key].as_u64().unwrap_or(0);
        let mut text = text(&manifest, Some(name));
        let lengths = lengths(&manifest);
        let moves = !is_static(&manifest["summary"]);
        text.push_str(&pairs_text(&pairs, &filled, (["pairs_within", "runs"].map(number), moves), lengths));
        text.push_str(&intervals::pairs_text(&nearest, lengths));
        let required = violations::is_something_required(&manifest["summary"]);
        text.push_str(&runs_text(&runs, &filled, number("runs"), [required, looks_between], lengths));
        stdout::print(&text)?;
    }
    Ok(ProgramEnd::Clear)
}

/// Prints the joint verdict of several executions, which decides the exit code.
fn several(args: &SummaryArgs, places: Vec<results::ResultPlace>) -> Result<ProgramEnd> {
    let all = results::read(places)?;
    let printed = match args.json {
        true => stdout::print_json(&results::as_json(&all)),
        false => stdout::print(&results::text(&all)),
    };
    exit::printed(printed, results::end(&all))
}

/// Largest manifest, bytes: that of a million inputs.
const MAX_MANIFEST: u64 = 256 << 20;

/// Pairs and runs that a summary lists.
const LISTED: usize = 10;

/// The pairs that came nearest of `all`, over all runs; without frames and runs if nothing `moves`.
fn pairs_text(
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
            let distance = of_hulls(lengths.fixed(pair.min_distance_m.unwrap_or(f64::NAN)), filled, body_a, body_b);
            let named = [visible(body_a).into_owned(), visible(body_b).into_owned(), distance].into_iter();
            named.chain(numbers.into_iter().take(if moves { 4 } else { 0 })).collect()
        })
        .collect();
    let titles = ["a", "b", "distance", "run", "frame", "frames within", "penetrating"];
    let shown = if moves { titles.len() } else { 3 };
    let table = columns(&titles[..shown], &[false, false, true, true, true, true, true][..shown], &rows);
    let noun = if runs > 1 { "run-pair" } else { "pair" };
    let title = match (pairs.len(), all) {
        (1, _) => format!("The nearest {noun}"),
        (n, all) if all > n as u64 => format!("The {n} nearest of {}", counted(all, noun)),
        (n, _) => format!("The {n} nearest {noun}s"),
    };
    format!("\n{}\n{table}", paint(Tone::Title, &title))
}

/// A distance, with what it is of where a body of the pair stands for a mesh that is not convex.
fn of_hulls(distance: String, filled: &HashSet<Text>, a: &Text, b: &Text) -> String {
    if filled.contains(a) || filled.contains(b) { format!("{distance} {OF_HULLS}") } else { distance }
}

/// The worst runs, if there are several; what violates is counted where something is `required`, of intervals where the execution
/// `looks_between` frames.
fn runs_text(
    runs: &[WorstRun],
    filled: &HashSet<Text>,
    all: u64,
    [required, looks_between]: [bool; 2],
    lengths: Lengths,
) -> String {
    if runs.len() < 2 {
        return String::new();
    }
    let rows: Vec<Vec<String>> = runs
        .iter()
        .map(|line| {
            let (distance, pair, frame) = match nearest(line) {
                Some((distance, a, b, frame)) => {
                    let distance = of_hulls(lengths.fixed(distance), filled, a, b);
                    (distance, format!("{} and {}", visible(a), visible(b)), frame.to_string())
                }
                None => ("-".to_owned(), "-".to_owned(), "-".to_owned()),
            };
            let count = |n: i64| count(n.unsigned_abs());
            let [frames, rows] = [line.frames, line.rows].map(count);
            let violated = [line.violated, line.intervals_violated.unwrap_or(0)];
            let violated = violated.map(|n| if required { count(n) } else { "-".to_owned() });
            let mut cells = vec![line.run.to_string(), frames, rows];
            cells.extend(violated.into_iter().take(if looks_between { 2 } else { 1 }));
            cells.extend([distance, frame, pair]);
            cells
        })
        .collect();
    let mut titles = vec!["run", "frames", "rows", "rows violated", "distance", "frame", "nearest pair"];
    if looks_between {
        titles.insert(4, "intervals violated");
    }
    let is_right: Vec<bool> = titles.iter().map(|title| *title != "nearest pair").collect();
    let table = columns(&titles, &is_right, &rows);
    let title = match all > runs.len() as u64 {
        true => format!("The {} worst of {} runs", runs.len(), count(all)),
        false => format!("The {} runs, worst first", runs.len()),
    };
    format!("\n{}\n{table}", paint(Tone::Title, &title))
}

fn pair_json(pair: &WorstPair, filled: &HashSet<Text>) -> Value {
    json!({
        "body_a": &*pair.body_a,
        "body_b": &*pair.body_b,
        "min_distance_m": pair.min_distance_m,
        "run": pair.run,
        "frame": pair.frame_of_min,
        "frames_within": pair.frames_within,
        "frames_penetrating": pair.frames_penetrating,
        "of_hulls": filled.contains(&pair.body_a) || filled.contains(&pair.body_b),
    })
}

/// The worst row of a run: distance (metres), bodies and frame; `None` without rows.
fn nearest(line: &WorstRun) -> Option<(f64, &Text, &Text, i64)> {
    Some((line.min_distance_m?, line.body_a.as_ref()?, line.body_b.as_ref()?, line.frame_of_min?))
}

fn run_json(line: &WorstRun, filled: &HashSet<Text>) -> Value {
    let worst = nearest(line);
    json!({
        "run": line.run,
        "frames": line.frames,
        "rows": line.rows,
        "violated": line.violated,
        "intervals_violated": line.intervals_violated.unwrap_or(0),
        "min_distance_m": worst.map(|worst| worst.0),
        "body_a": worst.map(|worst| &**worst.1),
        "body_b": worst.map(|worst| &**worst.2),
        "frame_of_min": worst.map(|worst| worst.3),
        "of_hulls": worst.map(|worst| filled.contains(worst.1) || filled.contains(worst.2)),
    })
}

/// The manifest of an execution.
pub(crate) fn read(dir: &Path) -> Result<Value> {
    let path = dir.join("manifest.json");
    let bytes = regular_file::read(&path, MAX_MANIFEST).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => Error::input(
            path.display(),
            "is not there: this is not the output of a finished execution",
            "give the directory that was named by `clearsweep run --out`; the manifest is written last",
        ),
        _ => Error::input(
            path.display(),
            format!("cannot be read ({error})"),
            "give the output directory of `clearsweep run`",
        ),
    })?;
    let foreign =
        |problem: String| Error::input(path.display(), problem, "give the output directory of `clearsweep run`");
    let manifest: Value = serde_json::from_slice(&bytes).map_err(|error| foreign(format!("is not JSON ({error})")))?;
    if !manifest["summary"].is_object() {
        return Err(foreign("is not a manifest of clearsweep: it has no `summary`".to_owned()));
    }
    Ok(manifest)
}

/// Lengths in the unit that the requirement is written in, else in that of the scene.
fn lengths(manifest: &Value) -> Lengths {
    let word = manifest["summary"]["require_unit"].as_str().or(manifest["scene"]["length_unit"].as_str());
    Lengths::of_word(word.unwrap_or("m"))
}

/// The summary of a manifest, for a person: what is required and found first, numbers of rows last.
pub(crate) fn text(manifest: &Value, dir: Option<&Path>) -> String {
    let (summary, lengths) = (&manifest["summary"], lengths(manifest));
    let n = |key: &str| summary[key].as_u64().unwrap_or(0);
    let mut rows = vec![("scene", scene(manifest)), ("input", input(summary)), ("pairs", pairs(summary, lengths))];
    rows.extend(summary_lines::hulls(summary, lengths).map(|line| ("hulls", line)));
    rows.push(("required", requirement(summary, lengths)));
    rows.extend(violations::worst_pairs(summary, lengths).into_iter().map(|line| ("", line)));
    rows.extend(violations::issues(summary).map(|line| ("issues", line)));
    rows.extend(violations::stale(summary).into_iter().map(|line| ("", line)));
    rows.extend(violations::runs(summary).map(|line| ("runs", line)));
    rows.push(("worst", worst(summary, lengths)));
    rows.extend(summary_lines::depth(summary).map(|line| ("depth", line)));
    rows.extend(summary_lines::inside(summary).map(|line| ("inside", line)));
    rows.extend(std::iter::once("between").chain(std::iter::repeat("")).zip(intervals::lines(summary, lengths)));
    if n("uncertified") > 0 {
        rows.push((
            "uncertified",
            paint(Tone::Doubtful, &format!("{} without a proven bracket", counted(n("uncertified"), "row")))
                + " (status = 'uncertified')",
        ));
    }
    rows.push(("rows", rows_by_status(summary)));
    rows.push(("time", time(manifest)));
    match dir {
        Some(dir) => {
            rows.push(("written", format!("{} to {}", bytes(n("bytes")), dir.display())));
            rows.push(("next", next(summary, lengths, dir)));
            rows.extend(needs_duckdb(summary).then(|| ("", DUCKDB.to_owned())));
        }
        None => rows.push(("written", "`distances` to stdout, as an Arrow IPC stream".to_owned())),
    }
    let mut text = table(&rows);
    if let Some(holds) = intervals::holds(summary) {
        text.push_str(&wrapped(&holds, width(), 0));
        text.push('\n');
    }
    text
}

fn input(summary: &Value) -> String {
    let n = |key: &str| summary[key].as_u64().unwrap_or(0);
    if is_static(summary) && n("frames") > 0 {
        return ONCE.to_owned();
    }
    format!("{}, {}", counted(n("frames"), "frame"), counted(n("runs"), "run"))
}

fn scene(manifest: &Value) -> String {
    let summary = &manifest["summary"];
    let name = manifest["scene"]["name"].as_str().unwrap_or("");
    let dynamic = summary["bodies_dynamic"].as_u64().unwrap_or(0);
    let bodies = match summary["bodies"].as_u64().unwrap_or(0) {
        1 => "1 body".to_owned(),
        n => format!("{} bodies", count(n)),
    };
    format!("{name}{}{bodies}, {} of them moving", if name.is_empty() { "" } else { ": " }, count(dynamic))
}

fn pairs(summary: &Value, lengths: Lengths) -> String {
    let n = |key: &str| summary[key].as_u64().unwrap_or(0);
    let within = lengths.text(summary["within_m"].as_f64().unwrap_or(0.0));
    let ignored = match n("pairs_ignored") {
        0 => String::new(),
        ignored => format!(", {} of them ignored", count(ignored)),
    };
    let (possible, near) = (count(n("pairs_possible")), n("pairs_within"));
    if n("runs") > 1 {
        let near = counted(near, "run-pair");
        return format!("{possible} possible in a run{ignored}; {near} (a pair in one run) came within {within}");
    }
    format!("{possible} possible{ignored}; {} came within {within}", count(near))
}

fn rows_by_status(summary: &Value) -> String {
    let by_status = summary["rows_by_status"].as_object();
    let parts: Vec<String> = by_status
        .into_iter()
        .flatten()
        .filter_map(|(status, n)| n.as_u64().filter(|&n| n > 0).map(|n| format!("{} {status}", count(n))))
        .collect();
    match summary["rows"].as_u64().unwrap_or(0) {
        0 if nothing_checked(summary).is_some() => "none: there was nothing to look at".to_owned(),
        0 => "none: nothing came that near".to_owned(),
        n => {
            let judged = ["violated", "undecided"].map(|key| (key, summary[key].as_u64().unwrap_or(0)));
            let judged = judged.into_iter().filter(|(_, rows)| *rows > 0);
            let judged: String = judged.map(|(key, rows)| format!("; {} {key}", count(rows))).collect();
            format!("{}: {}{judged}{}", count(n), parts.join(", "), summary_lines::contacts(summary))
        }
    }
}

fn worst(summary: &Value, lengths: Lengths) -> String {
    let worst = &summary["worst"];
    let Some(distance) = worst["distance_m"].as_f64() else { return "-".to_owned() };
    let text = |key: &str| worst[key].as_str().unwrap_or("?").to_owned();
    let number = |key: &str| worst[key].as_i64().unwrap_or(0);
    let what = summary_lines::distance(summary, distance, lengths);
    let (a, b) = (text("body_a"), text("body_b"));
    let what = if worst["of_hulls"] == true { format!("{what}, {OF_HULLS}") } else { what };
    let what =
        if summary_lines::is_undecided(summary, worst) { format!("{what}, or apart: not decided") } else { what };
    let when = match is_static(summary) {
        true => String::new(),
        false => format!(", run {}, frame {}", number("run"), number("frame")),
    };
    format!("{what}: {} and {}{when}", visible(&a), visible(&b))
}

/// Why nothing was looked at, if so.
fn nothing_checked(summary: &Value) -> Option<NothingChecked> {
    summary["nothing_checked"].as_str().and_then(NothingChecked::of_name)
}

fn requirement(summary: &Value, lengths: Lengths) -> String {
    let required = match (summary["rules"].as_array(), summary["require_m"].as_f64()) {
        (Some(rules), _) => {
            format!("by {}", counted(rules.iter().filter(|rule| rule["require_m"].is_number()).count() as u64, "rule"))
        }
        (None, Some(require)) => lengths.text(require),
        (None, None) => {
            return "nothing: set `require` (or --require) and the exit code tells whether it is kept".to_owned();
        }
    };
    let n = |key: &str| summary[key].as_u64().unwrap_or(0);
    let verdict = if summary["verdict"] == "accepted" {
        paint(Tone::Good, "all violations are accepted")
    } else if let Some(violated) = violations::verdict(summary) {
        violated
    } else if let Some(nothing) = nothing_checked(summary) {
        match summary["verdict"].as_str() {
            Some("clear") => format!("nothing was checked, as --allow-empty permits: {}", nothing.reason()),
            _ => paint(Tone::Bad, "NOTHING CHECKED") + ": " + nothing.reason(),
        }
    } else {
        paint(Tone::Good, "no pair violates it")
    };
    let undecided = match n("undecided") {
        0 => String::new(),
        undecided => {
            format!(
                "; {} (the bracket holds the limit)",
                paint(Tone::Doubtful, &format!("{} undecided", counted(undecided, "row")))
            )
        }
    };
    format!("{required}: {verdict}{undecided}")
}

fn time(manifest: &Value) -> String {
    let summary = &manifest["summary"];
    let x = |key: &str| summary[key].as_f64().unwrap_or(0.0);
    let threads = manifest["device"]["threads"].as_u64().unwrap_or(1);
    let peak = match manifest["device"]["peak_memory_bytes"].as_u64() {
        Some(peak) => format!("; {} of memory at the peak", bytes(peak)),
        None => String::new(),
    };
    let frames = match is_static(summary) {
        true => String::new(),
        false => rate(x("frames_per_s"), "frames") + ", ",
    };
    format!(
        "{} on {}: {frames}{}{peak}",
        seconds(x("seconds")),
        counted(threads, "thread"),
        rate(x("rows_per_s"), "rows"),
    )
}

/// How to get what the next command needs.
const DUCKDB: &str =
    "(the command-line shell of DuckDB: https://duckdb.org; without it: `clearsweep export DIR --csv`)";

/// Whether the next command is one of DuckDB.
fn needs_duckdb(summary: &Value) -> bool {
    nothing_checked(summary).is_none() && summary["rows"].as_u64().unwrap_or(0) > 0
}

/// A command that a person may want to run now.
fn next(summary: &Value, lengths: Lengths, dir: &Path) -> String {
    match nothing_checked(summary) {
        Some(NothingChecked::NoFrame) => {
            return "check what wrote the trajectories; `clearsweep check` says what they hold".to_owned();
        }
        Some(NothingChecked::NoPair) => return "add a body".to_owned(),
        Some(NothingChecked::AllIgnored) => {
            return "narrow the rules of [[ignore]]; `static_pairs = true` in [query] asks for bodies that one joint \
                    carries; `clearsweep check` says what each covers"
                .to_owned();
        }
        Some(NothingChecked::NeverTogether) => {
            return "choose other --runs or --frames; `clearsweep check` names the bodies that are absent".to_owned();
        }
        None => {}
    }
    if !needs_duckdb(summary) {
        return summary_lines::to_more_rows(summary).to_owned();
    }
    let (factor, digits, name) = lengths.sql();
    let run = if summary["runs"].as_u64().unwrap_or(1) > 1 { "run, " } else { "" };
    format!(
        "duckdb -c \"SELECT {run}body_a, body_b, round({factor}min_distance_m, {digits}) AS {name} FROM {} ORDER BY \
         upper_m LIMIT 10\"",
        sql_text(&dir.join("pairs.parquet").display().to_string())
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    fn manifest() -> Value {
        json!({
            "scene": { "name": "plant", "length_unit": "mm" },
            "device": { "threads": 2, "peak_memory_bytes": null },
            "summary": {
                "bodies": 3, "bodies_dynamic": 2, "runs": 1, "frames": 1200,
                "pairs_possible": 3, "pairs_ignored": 1, "pairs_within": 2,
                "within_m": 0.2, "require_m": 0.05, "rows": 1500, "bytes": 4096,
                "rows_by_status": { "separated": 1400, "touching": 0, "penetrating": 100, "uncertified": 0 },
                "violated": 7, "undecided": 1, "uncertified": 0, "pairs_violated": 1, "runs_violated": 1,
                "violating_pairs": [{
                    "body_a": "duct", "body_b": "payload", "min_distance_m": -0.01, "run": 0, "frame": 17, "rows": 7,
                    "runs": 1, "spans": 1, "from_frame": 15, "to_frame": 21, "from_time_s": 1.5, "to_time_s": 2.1,
                }],
                "worst": { "distance_m": -0.01, "run": 0, "frame": 17, "body_a": "duct", "body_b": "payload" },
                "seconds": 0.5, "frames_per_s": 2400.0, "rows_per_s": 3000.0,
            },
        })
    }

    #[test]
    fn a_person_reads_what_matters() {
        let text = plain(&text(&manifest(), Some(Path::new("out"))));
        for part in [
            "plant: 3 bodies, 2 of them moving",
            "1,200 frames, 1 run",
            "3 possible, 1 of them ignored; 2 came within 200 mm",
            "1,500: 1,400 separated, 100 penetrating; 7 violated; 1 undecided",
            "10 mm deep: duct and payload, run 0, frame 17",
            "50 mm: VIOLATED by 1 pair; 1 row undecided",
            "10 mm deep: duct and payload, 1.5 s to 2.1 s (7 frames)",
            "SELECT body_a, body_b, round(1e3 * min_distance_m, 3) AS mm FROM",
            "sampled frames only",
        ] {
            assert!(text.contains(part), "`{part}` is missing in:\n{text}");
        }
        assert!(!text.contains("touching"), "counts of zero are left out");
        assert!(text.find("VIOLATED") < text.find("1,400 separated"), "rows come last: {text}");
    }

    #[test]
    fn what_does_not_apply_is_not_said() {
        let mut manifest = manifest();
        manifest["summary"]["require_m"] = Value::Null;
        manifest["summary"]["bodies_dynamic"] = 0.into();
        let text = plain(&text(&manifest, Some(Path::new("out"))));
        assert!(text.contains("set `require`") && !text.contains("VIOLATED"), "{text}");
        for word in ["sampled frames only", "run 0", "frame 17", "1 run", "frames/s"] {
            assert!(!text.contains(word), "nothing moves, so nothing is said of `{word}`: {text}");
        }
        assert!(text.contains("every pair is looked at once"), "{text}");
    }

    #[test]
    fn no_frames_are_no_clearance() {
        let mut manifest = manifest();
        for key in ["frames", "rows", "violated", "undecided"] {
            manifest["summary"][key] = 0.into();
        }
        manifest["summary"]["verdict"] = "nothing-checked".into();
        manifest["summary"]["nothing_checked"] = "no-frame".into();
        let shown = plain(&text(&manifest, Some(Path::new("out"))));
        assert!(shown.contains("NOTHING CHECKED: there was no frame to look at"), "{shown}");
        assert!(!shown.contains("no pair violates it") && !shown.contains("nearest pairs"), "{shown}");
        manifest["summary"]["verdict"] = "clear".into();
        let allowed = plain(&text(&manifest, Some(Path::new("out"))));
        assert!(allowed.contains("as --allow-empty permits") && !allowed.contains("NOTHING CHECKED"), "{allowed}");
    }

    #[test]
    fn a_summary_never_fails_on_what_is_missing() {
        let text = plain(&text(&json!({ "summary": {} }), Some(Path::new("o"))));
        assert!(text.contains("none: nothing came that near"), "{text}");
    }

    #[test]
    fn a_directory_without_manifest_is_explained() {
        let dir = tempfile::tempdir().expect("scratch");
        let error = read(dir.path()).expect_err("refused");
        assert!(error.problem.contains("not the output"), "{error}");
        std::fs::write(dir.path().join("manifest.json"), "[1]").expect("written");
        assert!(read(dir.path()).expect_err("refused").problem.contains("summary"));
    }
}
