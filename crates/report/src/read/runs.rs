//! The worst runs: by the nearest of what violates, or by the nearest pair if nothing is required.

use super::findings::finite;
use crate::data::{Moment, RunRow};
use clearsweep_base::error::Result;
use clearsweep_records::manifest::Summary;
use clearsweep_records::{Event, Run, Table};
use std::path::Path;

/// Runs that are listed.
const MOST_RUNS: usize = 10;

/// Reads the worst runs of an execution of several; empty if no run violates what is required.
pub(super) fn worst(dir: &Path, summary: &Summary) -> Result<Vec<RunRow>> {
    match summary.runs {
        0 | 1 => Ok(Vec::new()),
        _ if summary.issues.is_some() => violating(dir),
        _ => nearest(dir),
    }
}

/// The upper end by which runs are ordered: what is proven of the depth or the distance.
fn rank(row: &RunRow) -> f64 {
    row.bracket_m[1].unwrap_or(f64::INFINITY)
}

/// Keeps the runs of least rank, in order; of equal ones the earlier.
fn keep(rows: &mut Vec<RunRow>, row: RunRow) {
    let at = rows.partition_point(|known| rank(known) <= rank(&row));
    if at < MOST_RUNS {
        rows.insert(at, row);
        rows.truncate(MOST_RUNS);
    }
}

fn violating(dir: &Path) -> Result<Vec<RunRow>> {
    let mut rows = Vec::new();
    let mut open: Option<RunRow> = None;
    // Events stand in the order of their runs.
    for event in Table::<Event>::open(dir)?.rows() {
        let event = event?;
        if !event.state.is_open() {
            continue;
        }
        let row = of_event(&event);
        open = Some(match open.take() {
            Some(known) if known.run == row.run => {
                let events = known.events + 1;
                RunRow { events, ..if rank(&row) < rank(&known) { row } else { known } }
            }
            known => {
                known.into_iter().for_each(|known| keep(&mut rows, known));
                row
            }
        });
    }
    open.into_iter().for_each(|known| keep(&mut rows, known));
    Ok(rows)
}

fn of_event(event: &Event) -> RunRow {
    RunRow {
        run: event.run,
        names: [&event.body_a, &event.body_b].map(|name| name.to_string()),
        bracket_m: [finite(event.lower_m), finite(event.upper_m)],
        required_m: Some(event.required_m),
        least: Moment { frame: event.frame_of_least, time_s: finite(event.time_of_least_s) },
        is_between: event.samples == 0,
        rule: Some(event.rule.to_string()),
        issue: Some(event.issue.to_string()),
        events: 1,
    }
}

fn nearest(dir: &Path) -> Result<Vec<RunRow>> {
    let mut rows = Vec::new();
    for run in Table::<Run>::open(dir)?.rows() {
        let run = run?;
        let Some((distance, frame)) = finite(run.min_distance_m).zip(run.frame_of_min) else { continue };
        let (Some(a), Some(b)) = (&run.body_a, &run.body_b) else { continue };
        keep(
            &mut rows,
            RunRow {
                run: run.run,
                names: [a, b].map(|name| name.to_string()),
                bracket_m: [None, Some(distance)],
                required_m: None,
                least: Moment { frame, time_s: None },
                is_between: false,
                rule: None,
                issue: None,
                events: 0,
            },
        );
    }
    Ok(rows)
}
