//! `clearsweep summary`: what an execution found, from its manifest. A run ends with the same text.

use super::args::SummaryArgs;
use super::body_lines::OF_HULLS;
use super::color::{Tone, paint};
use super::exit::{self, ProgramEnd};
use super::text::{Lengths, ONCE, bytes, count, counted, rate, resting_on, seconds, table, visible};
use super::wrap::{width, wrapped};
use super::{intervals, results, stdout, summary_lines, summary_tables, undecided, violations};
use clearsweep::Result;
use clearsweep_base::text::{shell_word, sql_text};
use clearsweep_engine::NothingChecked;
use clearsweep_model::EventState;
use clearsweep_records::bodies_of_hulls;
use clearsweep_records::manifest::{Manifest, NamedPair, Summary};
use clearsweep_tables::{nearest_between, worst_pairs, worst_runs};
use std::path::Path;

/// Prints the summary of the execution in a directory.
pub(crate) fn summary(args: &SummaryArgs) -> Result<ProgramEnd> {
    let places = results::places(&args.dirs, false)?;
    let [results::ResultPlace { name, dir, .. }] = places.as_slice() else { return several(args, places) };
    let (manifest, mut json) = Manifest::read_with_summary(dir)?;
    let summary = &manifest.summary;
    let runs = worst_runs(dir, LISTED, summary.events.is_some())?;
    let pairs = worst_pairs(dir, LISTED)?;
    let filled = bodies_of_hulls(dir)?;
    let looks_between = summary.intervals.is_some();
    let nearest = if looks_between { nearest_between(dir, LISTED)? } else { Vec::new() };
    if args.json {
        if looks_between {
            json["nearest_between"] = nearest.iter().map(intervals::pair_json).collect();
        }
        json["worst_pairs"] = pairs.iter().map(|pair| summary_tables::pair_json(pair, &filled)).collect();
        json["worst_runs"] = runs.iter().map(|run| summary_tables::run_json(run, &filled)).collect();
        stdout::print_json(&json)?;
    } else {
        let mut text = text(&manifest, Some(name));
        let lengths = Lengths::of(manifest.length_unit());
        let counts = [summary.pairs_within, summary.runs];
        text.push_str(&summary_tables::pairs_text(&pairs, &filled, (counts, summary.moves()), lengths));
        text.push_str(&intervals::pairs_text(&nearest, lengths));
        let required = summary.is_something_required();
        text.push_str(&summary_tables::runs_text(&runs, &filled, summary.runs, [required, looks_between], lengths));
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

/// Pairs and runs that a summary lists.
const LISTED: usize = 10;

/// The summary of a manifest, for a person: what is required and found first, numbers of rows last.
pub(crate) fn text(manifest: &Manifest, dir: Option<&Path>) -> String {
    let (summary, lengths) = (&manifest.summary, Lengths::of(manifest.length_unit()));
    let mut rows = vec![
        ("scene", scene(manifest)),
        ("input", input(summary)),
        ("pairs", pairs(summary, manifest.options.within_from_require, lengths)),
    ];
    rows.extend(summary_lines::hulls(summary, lengths).map(|line| ("hulls", line)));
    rows.push(("required", requirement(summary, lengths)));
    rows.extend(violations::worst_pairs(summary, lengths).into_iter().map(|line| ("", line)));
    rows.extend(std::iter::once("undecided").chain(std::iter::repeat("")).zip(undecided::lines(summary, lengths)));
    rows.extend(violations::issues(summary).map(|line| ("issues", line)));
    rows.extend(violations::stale(summary).into_iter().map(|line| ("", line)));
    rows.extend(violations::runs(manifest).map(|line| ("runs", line)));
    rows.push(("worst", worst(summary, lengths)));
    rows.extend(resting_on(&summary.deviation).map(|line| ("basis", line)));
    rows.extend(summary_lines::depth(summary).map(|line| ("depth", line)));
    rows.extend(summary_lines::inside(summary).map(|line| ("inside", line)));
    rows.extend(std::iter::once("between").chain(std::iter::repeat("")).zip(intervals::lines(summary, lengths)));
    if summary.uncertified > 0 {
        let rows_without = format!("{} without a proven bracket", counted(summary.uncertified, "row"));
        rows.push(("uncertified", paint(Tone::Doubtful, &rows_without) + " (status = 'uncertified')"));
    }
    rows.push(("rows", rows_by_status(summary)));
    rows.push(("time", time(manifest)));
    match dir {
        Some(dir) => {
            rows.push(("written", format!("{} to {}", bytes(summary.bytes), dir.display())));
            let report = || format!("clearsweep report {} --html report.html", shell_word(dir));
            let commands = needs_duckdb(summary).then(report).into_iter().chain([next(summary, lengths, dir)]);
            rows.extend(["next", ""].into_iter().zip(commands));
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

fn input(summary: &Summary) -> String {
    if !summary.moves() && summary.frames > 0 {
        return ONCE.to_owned();
    }
    format!("{}, {}", counted(summary.frames, "frame"), counted(summary.runs, "run"))
}

fn scene(Manifest { scene, summary, .. }: &Manifest) -> String {
    let name = if scene.name.is_empty() { String::new() } else { format!("{}: ", scene.name) };
    let bodies = match summary.bodies {
        1 => "1 body".to_owned(),
        n => format!("{} bodies", count(n)),
    };
    format!("{name}{bodies}, {} of them moving", count(summary.bodies_dynamic.unwrap_or(0)))
}

/// The words behind `within` that follows from what is required.
pub(super) const FROM_REQUIRE: &str = " (follows from what is required)";

fn pairs(summary: &Summary, within_from_require: bool, lengths: Lengths) -> String {
    let of_require = if within_from_require { FROM_REQUIRE } else { "" };
    let within = format!("{}{of_require}", lengths.text(summary.within_m.unwrap_or(0.0)));
    let ignored = match summary.pairs_ignored {
        0 => String::new(),
        ignored => format!(", {} of them ignored", count(ignored)),
    };
    let (possible, near) = (count(summary.pairs_possible), summary.pairs_within);
    if summary.runs > 1 {
        let near = counted(near, "run-pair");
        return format!("{possible} possible in a run{ignored}; {near} (a pair in one run) came within {within}");
    }
    format!("{possible} possible{ignored}; {} came within {within}", count(near))
}

fn rows_by_status(summary: &Summary) -> String {
    let by_status = summary.rows_by_status.into_iter().filter(|(_, n)| *n > 0);
    let parts: Vec<String> = by_status.map(|(status, n)| format!("{} {status}", count(*n))).collect();
    match summary.rows {
        0 if nothing_checked(summary).is_some() => "none: there was nothing to look at".to_owned(),
        0 => "none: nothing came that near".to_owned(),
        n => {
            let judged = [("violated", summary.violated), ("undecided", summary.undecided)];
            let judged = judged.into_iter().filter(|(_, rows)| *rows > 0);
            let judged: String = judged.map(|(word, rows)| format!("; {} {word}", count(rows))).collect();
            format!("{}: {}{judged}{}", count(n), parts.join(", "), summary_lines::contacts(summary))
        }
    }
}

/// The violation that is worst; if there is none, what comes nearest, at a frame or between two.
fn worst(summary: &Summary, lengths: Lengths) -> String {
    if let Some(worst) = violations::worst(summary, lengths) {
        return worst;
    }
    // Rules may allow what comes nearest.
    let kept = if summary.rules.is_some() { "no violation; nearest: " } else { "" };
    let worst = summary.worst.as_ref().filter(|worst| worst.distance_m.is_some());
    let least = summary.intervals.as_ref().and_then(|intervals| intervals.least.as_ref());
    let upper = worst.map_or(f64::INFINITY, |worst| worst.upper_m.or(worst.distance_m).unwrap_or(f64::INFINITY));
    let (pair, what, moment) = match (worst, least) {
        (_, Some(least)) if least.upper_m.is_some_and(|least| least < upper) => {
            let what = summary_lines::bracket([least.lower_m, least.upper_m], lengths);
            (&least.pair, what, format!("run {}, between frames {} and {}", least.run, least.frame, least.frame_next))
        }
        (Some(worst), _) => {
            let what = summary_lines::distance(summary, worst, lengths);
            (&worst.pair, what, format!("run {}, frame {}", worst.run, worst.frame))
        }
        (None, _) => return "-".to_owned(),
    };
    let NamedPair { body_a, body_b, of_hulls } = pair;
    let hulls = if *of_hulls { format!(", {OF_HULLS}") } else { String::new() };
    let moment = if summary.moves() { format!(", {moment}") } else { String::new() };
    format!("{kept}{what}{hulls}: {} and {}{moment}", visible(body_a), visible(body_b))
}

/// Why nothing was looked at, if so.
fn nothing_checked(summary: &Summary) -> Option<NothingChecked> {
    summary.nothing_checked.as_deref().and_then(NothingChecked::of_name)
}

fn requirement(summary: &Summary, lengths: Lengths) -> String {
    let required = match (&summary.rules, summary.require_m) {
        (Some(rules), _) => {
            let requiring = rules.iter().filter(|rule| rule.terms.require_m.is_some());
            format!("by {}", counted(requiring.count() as u64, "rule"))
        }
        (None, Some(require)) => lengths.requirement(require),
        (None, None) => {
            return "nothing: set `require` (or --require) and the exit code tells whether it is kept".to_owned();
        }
    };
    let word = summary.verdict.as_deref();
    let verdict = if word == Some("accepted") {
        paint(Tone::Good, "all violations are accepted")
    } else if let Some(violated) = violations::verdict(summary) {
        violated
    } else if let Some(nothing) = nothing_checked(summary) {
        match word {
            Some("clear") => format!("nothing was checked, as --allow-empty permits: {}", nothing.reason()),
            _ => paint(Tone::Bad, "NOTHING CHECKED") + ": " + nothing.reason(),
        }
    } else {
        paint(Tone::Good, "no pair violates it")
    };
    let undecided = match summary.undecided {
        0 => String::new(),
        undecided => format!("; {}", paint(Tone::Doubtful, &format!("{} undecided", counted(undecided, "row")))),
    };
    format!("{required}: {verdict}{undecided}")
}

fn time(Manifest { summary, device, .. }: &Manifest) -> String {
    let peak = match device.peak_memory_bytes {
        Some(peak) => format!("; {} of memory at the peak", bytes(peak)),
        None => String::new(),
    };
    let frames = match summary.moves() {
        false => String::new(),
        true => rate(summary.frames_per_s, "frames") + ", ",
    };
    format!(
        "{} on {}: {frames}{}{peak}",
        seconds(summary.seconds),
        counted(device.threads.unwrap_or(1), "thread"),
        rate(summary.rows_per_s, "rows"),
    )
}

/// How to get what the next command needs.
const DUCKDB: &str =
    "(the command-line shell of DuckDB: https://duckdb.org; without it: `clearsweep export DIR --csv`)";

/// Whether the next command is one of DuckDB.
fn needs_duckdb(summary: &Summary) -> bool {
    nothing_checked(summary).is_none() && summary.rows > 0
}

/// A command that a person may want to run now.
fn next(summary: &Summary, lengths: Lengths, dir: &Path) -> String {
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
    let ends = lengths.sql_outward("lower_m", "upper_m");
    let file = |name: &str| sql_text(&dir.join(name).display().to_string());
    let run = if summary.runs > 1 { "run, " } else { "" };
    if summary.events.is_some() && violations::is_open(summary) {
        let rule = if summary.rules.is_some() { "rule, " } else { "" };
        let states = EventState::ALL.into_iter().filter(|state| state.is_open());
        let states: Vec<String> = states.map(|state| sql_text(state.name())).collect();
        let open = match &summary.dispositions {
            Some(_) => format!("WHERE state IN ({}) ", states.join(", ")),
            None => String::new(),
        };
        return format!(
            "duckdb -c \"SELECT {run}{rule}body_a, body_b, {ends} FROM {} {open}ORDER BY upper_m LIMIT 10\"",
            file("events.parquet")
        );
    }
    format!("duckdb -c \"SELECT {run}body_a, body_b, {ends} FROM {} ORDER BY upper_m LIMIT 10\"", file("pairs.parquet"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    fn of_json(json: Value) -> Manifest {
        serde_json::from_value(json).expect("a manifest")
    }

    fn manifest() -> Manifest {
        of_json(json!({
            "scene": { "name": "plant", "length_unit": "mm" },
            "device": { "threads": 2, "peak_memory_bytes": null },
            "summary": {
                "bodies": 3, "bodies_dynamic": 2, "runs": 1, "frames": 1200,
                "pairs_possible": 3, "pairs_ignored": 1, "pairs_within": 2,
                "within_m": 0.2, "require_m": 0.05, "rows": 1500, "bytes": 4096,
                "rows_by_status": { "separated": 1400, "touching": 0, "penetrating": 100, "uncertified": 0 },
                "violated": 7, "open": 7, "events": { "new": 1 }, "undecided": 1, "uncertified": 0, "pairs_violated": 1, "runs_violated": 1,
                "violating_pairs": [{
                    "body_a": "duct", "body_b": "payload", "min_distance_m": -0.01, "run": 0, "frame": 17, "rows": 7,
                    "lower_m": -0.010000001, "upper_m": -0.009999999,
                    "runs": 1, "spans": 1, "from_frame": 15, "to_frame": 21, "from_time_s": 1.5, "to_time_s": 2.1,
                }],
                "worst": { "distance_m": -0.01, "run": 0, "frame": 17, "body_a": "duct", "body_b": "payload" },
                "seconds": 0.5, "frames_per_s": 2400.0, "rows_per_s": 3000.0,
            },
        }))
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
            "SELECT body_a, body_b, floor(1e6 * lower_m) / 1e3 AS at_least_mm, ceil(1e6 * upper_m) / 1e3 AS at_most_mm FROM 'out/events.parquet' ORDER",
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
        (manifest.summary.require_m, manifest.summary.bodies_dynamic) = (None, Some(0));
        let text = plain(&text(&manifest, Some(Path::new("out"))));
        assert!(text.contains("set `require`") && !text.contains("VIOLATED"), "{text}");
        for word in ["sampled frames only", "run 0", "frame 17", "1 run", "frames/s"] {
            assert!(!text.contains(word), "nothing moves, so nothing is said of `{word}`: {text}");
        }
        assert!(text.contains("each pair is checked once"), "{text}");
    }

    #[test]
    fn no_frames_are_no_clearance() {
        let mut manifest = manifest();
        let summary = &mut manifest.summary;
        (summary.frames, summary.rows, summary.violated, summary.undecided) = (0, 0, 0, 0);
        summary.verdict = Some("nothing-checked".to_owned());
        summary.nothing_checked = Some("no-frame".to_owned());
        let shown = plain(&text(&manifest, Some(Path::new("out"))));
        assert!(shown.contains("NOTHING CHECKED: there was no frame to look at"), "{shown}");
        assert!(!shown.contains("no pair violates it") && !shown.contains("nearest pairs"), "{shown}");
        manifest.summary.verdict = Some("clear".to_owned());
        let allowed = plain(&text(&manifest, Some(Path::new("out"))));
        assert!(allowed.contains("as --allow-empty permits") && !allowed.contains("NOTHING CHECKED"), "{allowed}");
    }

    #[test]
    fn a_summary_never_fails_on_what_is_missing() {
        let text = plain(&text(&of_json(json!({ "summary": {} })), Some(Path::new("o"))));
        assert!(text.contains("none: nothing came that near"), "{text}");
    }
}
