//! Events into issues and their pairs.

use crate::data::{Decision, Finding, Issue, Moment, SolvedPair};
use clearsweep_base::error::Result;
use clearsweep_model::EventState;
use clearsweep_records::{Event, Issue as IssueRecord, KnownPair, StoredRecord, Table, Text, Word, has_table};
use rustc_hash::FxHashMap;
use std::path::Path;

/// A pair under a rule in an issue: the issue, and the bodies.
type FindingKey = (usize, [u32; 2]);

/// Reads all issues of an execution, with all of their pairs.
pub(super) fn gather(dir: &Path) -> Result<Vec<Issue>> {
    let mut issues =
        Table::<IssueRecord>::open(dir)?.rows().map(|row| row.map(issue)).collect::<Result<Vec<Issue>>>()?;
    let numbers: FxHashMap<String, usize> =
        issues.iter().enumerate().map(|(number, issue)| (issue.id.clone(), number)).collect();
    let mut found: FxHashMap<FindingKey, (Finding, i64)> = FxHashMap::default();
    for event in Table::<Event>::open(dir)?.rows() {
        let event = event?;
        let Some(&number) = numbers.get(&*event.issue) else { continue };
        let key = (number, [event.a_index as u32, event.b_index as u32]);
        match found.get_mut(&key) {
            Some((known, last_run)) => {
                known.runs += u64::from(*last_run != event.run);
                *last_run = event.run;
                add(known, &event);
            }
            None => {
                found.insert(key, (finding(&event), event.run));
            }
        }
    }
    for ((number, _), (finding, _)) in found {
        issues[number].findings.push(finding);
    }
    add_known(dir, &mut issues, &numbers)?;
    for issue in &mut issues {
        let open_first = |finding: &Finding| !is_open(&finding.state);
        issue.findings.sort_by(|a, b| {
            let by_distance = rank(a).total_cmp(&rank(b)).then_with(|| a.bodies.cmp(&b.bodies));
            open_first(a).cmp(&open_first(b)).then(by_distance)
        });
        issue.solved.truncate(Issue::MOST_FINDINGS);
    }
    Ok(issues)
}

/// Adds the decisions about pairs, and the pairs that violate nothing any more.
fn add_known(dir: &Path, issues: &mut [Issue], numbers: &FxHashMap<String, usize>) -> Result<()> {
    if !has_table(dir, <KnownPair as StoredRecord>::TABLE) {
        return Ok(());
    }
    let mut decisions: FxHashMap<(usize, [String; 2]), Decision> = FxHashMap::default();
    for row in Table::<KnownPair>::open(dir)?.rows() {
        let row = row?;
        let Some(&number) = numbers.get(&*row.issue) else { continue };
        let names = [&row.body_a, &row.body_b].map(|name| name.to_string());
        let decision = Decision { until: text(row.until), by: text(row.by), reason: text(row.reason) };
        if row.state < EventState::Resolved {
            decisions.insert((number, names), decision);
            continue;
        }
        issues[number].solved.push(SolvedPair {
            names,
            note: text(row.note),
            decision,
            earlier_m: [finite(row.earlier_lower_m), finite(row.earlier_upper_m)],
            earlier: row.earlier_run.zip(row.earlier_frame).map(|(run, frame)| [run, frame]),
            view: None,
        });
    }
    for (number, issue) in issues.iter_mut().enumerate() {
        for finding in &mut issue.findings {
            let mut names = finding.names.clone();
            names.sort();
            finding.decision = decisions.remove(&(number, names)).unwrap_or_default();
        }
    }
    Ok(())
}

/// Whether somebody has to decide about findings in the state of this word.
pub(super) fn is_open(word: &str) -> bool {
    EventState::ALL.into_iter().any(|state| state.is_open() && state.name() == word)
}

/// The text of a cell; `None` if it is empty.
fn text(cell: Option<Text>) -> Option<String> {
    cell.filter(|text| !text.is_empty()).map(|text| text.to_string())
}

/// A point or corner; `None` if a coordinate is missing.
fn point(x: Option<f64>, y: Option<f64>, z: Option<f64>) -> Option<[f64; 3]> {
    Some([finite(x)?, finite(y)?, finite(z)?])
}

pub(super) fn finite(value: Option<f64>) -> Option<f64> {
    value.filter(|value| value.is_finite())
}

fn issue(row: IssueRecord) -> Issue {
    let least = point(row.box_min_x, row.box_min_y, row.box_min_z);
    let greatest = point(row.box_max_x, row.box_max_y, row.box_max_z);
    let volume = finite(row.volume_lower_m3).zip(finite(row.volume_upper_m3));
    Issue {
        is_open: row.state.is_open(),
        id: row.issue.to_string(),
        group: row.group.to_string(),
        rule: row.rule.to_string(),
        severity: row.severity.name().to_owned(),
        state: row.state.name().to_owned(),
        kind: row.kind.map(|kind| kind.name().to_owned()),
        events: row.events.unsigned_abs(),
        pairs: row.pairs.unsigned_abs(),
        runs: row.runs.unsigned_abs(),
        bracket_m: [finite(row.lower_m), finite(row.upper_m)],
        frames: row.first_frame.zip(row.last_frame).map(|(first, last)| [first, last]),
        overlap_m: least.zip(greatest).map(|(least, greatest)| [least, greatest]),
        volume_m3: volume.map(|(lower, upper)| [lower, upper]),
        note: text(row.note),
        between: Vec::new(),
        findings: Vec::new(),
        solved: Vec::new(),
    }
}

/// The upper end of the least distance, by which pairs are ordered.
fn rank(finding: &Finding) -> f64 {
    finding.bracket_m[1].unwrap_or(f64::INFINITY)
}

fn finding(event: &Event) -> Finding {
    let moment = |frame, time_s| Moment { frame, time_s: finite(time_s) };
    Finding {
        bodies: [event.a_index as u32, event.b_index as u32],
        names: [&event.body_a, &event.body_b].map(|name| name.to_string()),
        required_m: event.required_m,
        run: event.run,
        span: [moment(event.begin_frame, event.begin_s), moment(event.end_frame, event.end_s)],
        least: moment(event.frame_of_least, event.time_of_least_s),
        share: (event.samples == 0).then_some(0.5),
        contact: None,
        proof: None,
        bracket_m: [finite(event.lower_m), finite(event.upper_m)],
        place: point(event.place_x, event.place_y, event.place_z),
        kind: event.kind.name().to_owned(),
        state: event.state.name().to_owned(),
        decision: Decision::default(),
        events: 1,
        runs: 1,
        view: None,
        curve: None,
        histogram: None,
    }
}

/// Adds an event of the same pair: the worse one stays, and the bracket is that of the least
/// distance of both.
fn add(known: &mut Finding, event: &Event) {
    let (events, runs) = (known.events + 1, known.runs);
    let lower = known.bracket_m[0].zip(event.lower_m).map(|(known, lower)| known.min(lower));
    if event.upper_m.is_some_and(|upper| upper < rank(known)) {
        *known = Finding { runs, ..finding(event) };
    }
    known.events = events;
    known.bracket_m[0] = lower;
}
