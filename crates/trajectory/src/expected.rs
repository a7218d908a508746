//! The counts that a scene expects of its trajectories, compared with the keys of the whole input.

use super::reading::{each_key, groups, keys};
use super::source::Source;
use clearsweep_base::error::{Error, Result};
use clearsweep_model::{Expected, Scene};
use std::collections::BTreeMap;

/// Runs that a message names before the rest is counted.
const NAMED: usize = 5;

/// Fails if the input has other counts than the scene expects. Keys are read only where statistics
/// do not tell the runs, or if frames are counted.
///
/// # Errors
/// The counts differ; keys cannot be read.
pub(super) fn check(scene: &Scene, sources: &[Source]) -> Result<()> {
    let Expected { runs, frames, .. } = scene.expected;
    if runs.is_none() && frames.is_none() {
        return Ok(());
    }
    let found = frames_of_runs(sources, frames.is_some())?;
    let input = scene.trajectories.as_deref().or(sources.first().map(|source| &*source.path));
    let place = input.unwrap_or(&scene.path).display();
    if let Some(expected) = runs.filter(|&runs| runs != found.len() as u64) {
        let problem = format!(
            "holds {}, and the scene expects {expected} (`runs` of [expect]){}",
            counted(found.len() as u64, "run"),
            missing(&found, expected)
        );
        return Err(Error::input(place, problem, "complete the input, or correct `runs` of [expect] in the scene"));
    }
    let Some(expected) = frames else { return Ok(()) };
    let mut others = found.iter().filter(|(_, count)| **count != expected);
    let Some((run, count)) = others.next() else { return Ok(()) };
    let more = match others.count() {
        0 => String::new(),
        1 => ", and 1 other run differs too".to_owned(),
        more => format!(", and {more} other runs differ too"),
    };
    let problem = format!(
        "run {run} has {}, and the scene expects {expected} of each run (`frames` of [expect]){more}",
        counted(*count, "frame")
    );
    Err(Error::input(place, problem, "complete the input, or correct `frames` of [expect] in the scene"))
}

/// The runs of the input, each with its number of frames: 0 if frames are not counted.
fn frames_of_runs(sources: &[Source], counts_frames: bool) -> Result<BTreeMap<i64, u64>> {
    let (mut found, mut last) = (BTreeMap::new(), None);
    for (source, group) in groups(sources) {
        match keys(source, group) {
            [Some((low, high)), _] if low == high && !counts_frames => {
                found.insert(low, 0);
            }
            _ => each_key(source, group, |run, frame| {
                if last.replace((run, frame)) != Some((run, frame)) {
                    *found.entry(run).or_default() += 1;
                }
            })?,
        }
    }
    Ok(found)
}

/// Names runs that are missing, if the others are numbered without gaps from 0 or from the first.
fn missing(found: &BTreeMap<i64, u64>, expected: u64) -> String {
    let numbered = |first: i64| {
        let end = first.checked_add_unsigned(expected)?;
        found.keys().all(|run| (first..end).contains(run)).then_some(first..end)
    };
    let Some(first) = found.keys().next() else { return String::new() };
    let Some(range) = numbered(0).or_else(|| numbered(*first)) else { return String::new() };
    let mut absent = range.filter(|run| !found.contains_key(run));
    let named: Vec<String> = absent.by_ref().take(NAMED).map(|run| run.to_string()).collect();
    let more = match expected - found.len() as u64 - named.len() as u64 {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("; missing: {}{more}", named.join(", "))
}

fn counted(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
