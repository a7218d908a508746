//! Events into issues and their pairs.

use crate::data::{Finding, Issue, Moment};
use clearsweep_base::error::Result;
use clearsweep_model::EventState;
use clearsweep_tables::{EventLine, IssueLine, read_events, read_issues};
use rustc_hash::FxHashMap;
use std::path::Path;

/// A pair under a rule in an issue: the issue, and the bodies.
type FindingKey = (usize, [u32; 2]);

/// Reads all issues of an execution, with their pairs.
pub(super) fn gather(dir: &Path) -> Result<Vec<Issue>> {
    let mut issues: Vec<Issue> = read_issues(dir)?.into_iter().map(issue).collect();
    let numbers: FxHashMap<String, usize> =
        issues.iter().enumerate().map(|(number, issue)| (issue.id.clone(), number)).collect();
    let mut found: FxHashMap<FindingKey, (Finding, i64)> = FxHashMap::default();
    read_events(dir, |event| {
        if let Some(&number) = numbers.get(&event.issue) {
            match found.get_mut(&(number, event.indices)) {
                Some((known, last_run)) => {
                    known.runs += u64::from(*last_run != event.run);
                    *last_run = event.run;
                    add(known, event);
                }
                None => {
                    let (key, run) = ((number, event.indices), event.run);
                    found.insert(key, (finding(event), run));
                }
            }
        }
        Ok(())
    })?;
    for ((number, _), (finding, _)) in found {
        issues[number].findings.push(finding);
    }
    for issue in &mut issues {
        let open_first = |finding: &Finding| !is_open(&finding.state);
        issue.findings.sort_by(|a, b| {
            let by_distance = rank(a).total_cmp(&rank(b)).then_with(|| a.bodies.cmp(&b.bodies));
            open_first(a).cmp(&open_first(b)).then(by_distance)
        });
        issue.findings.truncate(Issue::MOST_FINDINGS);
    }
    Ok(issues)
}

/// Whether somebody has to decide about what is in the state of this word.
fn is_open(word: &str) -> bool {
    EventState::ALL.into_iter().any(|state| state.is_open() && state.name() == word)
}

fn issue(line: IssueLine) -> Issue {
    Issue {
        is_open: is_open(&line.state),
        id: line.issue,
        group: line.group,
        rule: line.rule,
        severity: line.severity,
        state: line.state,
        kind: line.kind,
        events: line.events,
        pairs: line.pairs,
        runs: line.runs,
        bracket_m: line.bracket_m,
        frames: line.frames,
        overlap_m: line.overlap_m,
        volume_m3: line.volume_m3,
        note: line.note,
        findings: Vec::new(),
    }
}

/// The upper end of the least distance, by which pairs are ordered.
fn rank(finding: &Finding) -> f64 {
    finding.bracket_m[1].unwrap_or(f64::INFINITY)
}

fn finding(event: EventLine) -> Finding {
    let moment = |(frame, time_s)| Moment { frame, time_s };
    Finding {
        bodies: event.indices,
        names: event.bodies,
        required_m: event.required_m,
        run: event.run,
        span: event.span.map(moment),
        least: moment(event.least),
        share: (event.samples == 0).then_some(0.5),
        bracket_m: [event.lower_m, Some(event.upper_m).filter(|upper| upper.is_finite())],
        place: event.place_m,
        kind: event.kind,
        state: event.state,
        events: 1,
        runs: 1,
        view: None,
        curve: None,
        histogram: None,
    }
}

/// Adds an event of the same pair: the worse one stays, and the bracket is that of the least distance of both.
fn add(known: &mut Finding, event: EventLine) {
    let (events, runs) = (known.events + 1, known.runs);
    let lower = known.bracket_m[0].zip(event.lower_m).map(|(known, other)| known.min(other));
    if event.upper_m < rank(known) {
        *known = Finding { runs, ..finding(event) };
    }
    known.events = events;
    known.bracket_m[0] = lower;
}
