//! The issues of an earlier result, read from its tables.

use super::remote::fetch_results;
use clearsweep_base::error::{Error, Result};
use clearsweep_model::{EarlierIssue, EarlierIssues, EarlierPair, Scene};
use clearsweep_records::manifest::Manifest;
use clearsweep_records::{Event, Issue, KnownPair, StoredRecord, Table, has_table};
use clearsweep_store::local;
use rustc_hash::FxHashMap;
use std::path::Path;
use std::sync::Arc;

/// Returns the scene with the issues of the finished result in `previous`, a directory or its
/// address in an object store: issues of the next job then keep their ids.
///
/// # Errors There is not one finished result, or it requires nothing; the scene requires nothing; a
/// table is damaged.
pub(super) fn following(scene: &Scene, previous: &Path) -> Result<Scene> {
    if !scene.requirements().is_something() {
        let problem = "nothing is required, so that there are no issues to compare";
        return Err(Error::usage("--previous", problem, "set `require` in [query] or rules, or leave it out"));
    }
    let fetched = fetch_results(previous, false)?;
    let dir = match fetched.as_ref().map(|fetched| fetched.results.as_slice()) {
        None => local(previous)?,
        Some([(_, dir)]) => dir.clone(),
        Some(several) => {
            let problem = format!("holds {} results", several.len());
            return Err(Error::usage(previous.display(), problem, "give the address of one of them"));
        }
    };
    Manifest::read(&dir)?; // only a finished execution has one
    let earlier = EarlierIssues { path: previous.display().to_string(), issues: read(&dir)? };
    Ok(Scene { earlier_issues: Some(Arc::new(earlier)), ..scene.clone() })
}

fn read(dir: &Path) -> Result<Vec<EarlierIssue>> {
    let mut issues = Vec::new();
    for row in Table::<Issue>::open(dir)?.rows() {
        let Issue { issue, group, rule, severity, .. } = row?;
        let [id, group, rule] = [issue, group, rule].map(|text| text.to_string());
        issues.push(EarlierIssue { id, group, rule, severity, pairs: Vec::new() });
    }
    let numbers: FxHashMap<String, usize> =
        issues.iter().enumerate().map(|(number, issue)| (issue.id.clone(), number)).collect();
    let mut places: FxHashMap<(usize, [String; 2]), usize> = FxHashMap::default();
    for event in Table::<Event>::open(dir)?.rows() {
        let event = event?;
        let Some(&number) = numbers.get(&*event.issue) else { continue };
        let mut bodies = [&event.body_a, &event.body_b].map(|name| name.to_string());
        bodies.sort();
        let pair = EarlierPair {
            bracket_m: [event.lower_m, event.upper_m],
            least: Some((event.run, event.frame_of_least)),
            bodies,
        };
        let pairs = &mut issues[number].pairs;
        match places.get(&(number, pair.bodies.clone())) {
            Some(&at) => nearer(&mut pairs[at], pair),
            None => {
                places.insert((number, pair.bodies.clone()), pairs.len());
                pairs.push(pair);
            }
        }
    }
    if has_table(dir, <KnownPair as StoredRecord>::TABLE) {
        for row in Table::<KnownPair>::open(dir)?.rows() {
            let row = row?;
            let Some(&number) = numbers.get(&*row.issue) else { continue };
            let bodies = [&row.body_a, &row.body_b].map(|name| name.to_string());
            let bracket_m = [row.earlier_lower_m, row.earlier_upper_m];
            if places.insert((number, bodies.clone()), usize::MAX).is_none() {
                let least = row.earlier_run.zip(row.earlier_frame);
                issues[number].pairs.push(EarlierPair { bodies, bracket_m, least });
            }
        }
    }
    Ok(issues)
}

/// Adds an event of the same pair.
fn nearer(known: &mut EarlierPair, event: EarlierPair) {
    let upper = |pair: &EarlierPair| pair.bracket_m[1].unwrap_or(f64::INFINITY);
    let lower = known.bracket_m[0].zip(event.bracket_m[0]).map(|(known, lower)| known.min(lower));
    if upper(&event) < upper(known) {
        *known = event;
    }
    known.bracket_m[0] = lower;
}
