//! Several results together: a joint verdict, and the exit code of it.

use super::color::{Tone, paint};
use super::exit::ProgramEnd;
use super::merge;
use super::text::{columns, count, counted};
use clearsweep::{Error, Result};
use clearsweep_engine::{FetchedResults, fetch_results};
use clearsweep_records::manifest::{Manifest, Summary};
use clearsweep_store::local;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Verdicts, what needs people most first.
const VERDICTS: [&str; 7] =
    ["violated", "uncertified", "nothing-checked", "undecided", "accepted", "clear", "nothing required"];

/// A result with its manifest.
pub(super) struct OneResult {
    pub(super) place: ResultPlace,
    pub(super) manifest: Manifest,
    /// `summary` as it stands in the file.
    summary: Value,
}

/// The directory of a result.
#[derive(Clone)]
pub(super) struct ResultPlace {
    /// The path or the address that the user knows.
    pub(super) name: PathBuf,
    /// The directory on this machine.
    pub(super) dir: PathBuf,
    /// Holds the directory if it is the copy of a result in an object store.
    _copy: Option<Arc<FetchedResults>>,
}

impl ResultPlace {
    fn here(dir: PathBuf) -> Self {
        Self { name: dir.clone(), dir, _copy: None }
    }
}

/// The results that are meant: a directory that holds results, such as the shards of a job, stands
/// for all of them. Those in object stores are copied to this machine. `with_rows`: tables of
/// several files are needed.
///
/// # Errors
/// A directory cannot be read.
pub(super) fn places(given: &[PathBuf], with_rows: bool) -> Result<Vec<ResultPlace>> {
    let mut found = Vec::new();
    for given in given {
        if let Some(fetched) = fetch_results(given, with_rows)? {
            let fetched = Arc::new(fetched);
            let place = |(name, dir): &(PathBuf, PathBuf)| ResultPlace {
                name: name.clone(),
                dir: dir.clone(),
                _copy: Some(Arc::clone(&fetched)),
            };
            found.extend(fetched.results.iter().map(place));
            continue;
        }
        let dir = &local(given)?;
        let is_result = |dir: &Path| dir.join("manifest.json").is_file();
        if is_result(dir) || !dir.is_dir() {
            found.push(ResultPlace::here(dir.clone()));
            continue;
        }
        let entries = std::fs::read_dir(dir).map_err(|error| Error::unreadable(dir, &error))?;
        let mut inner: Vec<PathBuf> =
            entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| is_result(path)).collect();
        // A name that begins with a dot is that of a result that is not whole.
        inner.retain(|path| path.file_name().is_some_and(|name| !name.to_string_lossy().starts_with('.')));
        inner.sort();
        if inner.is_empty() {
            inner.push(dir.clone());
        }
        found.extend(inner.into_iter().map(ResultPlace::here));
    }
    Ok(found)
}

/// The one result that is meant; see [`places`].
///
/// # Errors
/// There are several, or a directory cannot be read.
pub(super) fn one(given: &Path, with_rows: bool) -> Result<ResultPlace> {
    let mut found = places(&[given.to_owned()], with_rows)?;
    match found.len() {
        1 => Ok(found.remove(0)),
        count => {
            let problem = format!("holds {count} results");
            Err(Error::usage(given.display(), problem, "give one of them, or merge them: `clearsweep merge`"))
        }
    }
}

/// Reads the manifests of results.
///
/// # Errors
/// A result is not finished.
pub(super) fn read(places: Vec<ResultPlace>) -> Result<Vec<OneResult>> {
    let read = |place: ResultPlace| {
        let (manifest, summary) = Manifest::read_with_summary(&place.dir)?;
        Ok(OneResult { place, manifest, summary })
    };
    places.into_iter().map(read).collect()
}

/// The verdict of all results together: the one that needs people most. Nothing is required only
/// where no result requires anything.
pub(super) fn verdict(results: &[OneResult]) -> &'static str {
    let rank = |one: &OneResult| {
        let word = one.manifest.summary.verdict.as_deref();
        VERDICTS.iter().position(|known| Some(*known) == word).unwrap_or(0)
    };
    VERDICTS[results.iter().map(rank).min().unwrap_or(VERDICTS.len() - 1)]
}

/// The end of a program that prints the joint verdict.
pub(super) fn end(results: &[OneResult]) -> ProgramEnd {
    merge::end(Some(verdict(results)))
}

/// The sum of a number over all results.
fn total(results: &[OneResult], number: fn(&Summary) -> u64) -> u64 {
    results.iter().map(|one| number(&one.manifest.summary)).sum()
}

/// Results as an object: the joint verdict, sums, and of each its directory with its summary.
pub(super) fn as_json(results: &[OneResult]) -> Value {
    let one = |one: &OneResult| json!({ "dir": one.place.name.display().to_string(), "summary": one.summary });
    json!({
        "verdict": verdict(results),
        "runs": total(results, |summary| summary.runs),
        "frames": total(results, |summary| summary.frames),
        "rows": total(results, |summary| summary.rows),
        "violated": total(results, |summary| summary.violated),
        "open": total(results, |summary| summary.open),
        "results": results.iter().map(one).collect::<Vec<_>>(),
    })
}

/// Results as text: a line each, then the joint verdict.
pub(super) fn text(results: &[OneResult]) -> String {
    let line = |one: &OneResult| {
        let Summary { verdict, runs, frames, rows, open, .. } = &one.manifest.summary;
        let words = [one.place.name.display().to_string(), verdict.clone().unwrap_or_else(|| "?".to_owned())];
        words.into_iter().chain([runs, frames, rows, open].map(|&number| count(number))).collect::<Vec<_>>()
    };
    let titles = ["result", "verdict", "runs", "frames", "rows", "open"];
    let table =
        columns(&titles, &[false, false, true, true, true, true], &results.iter().map(line).collect::<Vec<_>>());
    let word = verdict(results);
    let tone = match word {
        "violated" | "uncertified" | "nothing-checked" => Tone::Bad,
        _ => Tone::Good,
    };
    let runs = counted(total(results, |summary| summary.runs), "run");
    let frames = counted(total(results, |summary| summary.frames), "frame");
    let rows = counted(total(results, |summary| summary.rows), "row");
    format!("{table}\n{}: {runs}, {frames}, {rows} of {}\n", paint(tone, word), counted(results.len() as u64, "result"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(words: &[&str]) -> &'static str {
        let one = |word: &&str| OneResult {
            place: ResultPlace::here(PathBuf::new()),
            manifest: Manifest {
                summary: Summary { verdict: Some((*word).to_owned()), ..Summary::default() },
                ..Manifest::default()
            },
            summary: Value::Null,
        };
        verdict(&words.iter().map(one).collect::<Vec<_>>())
    }

    #[test]
    fn the_verdict_that_needs_people_most_counts() {
        assert_eq!(of(&["clear", "violated", "uncertified"]), "violated");
        assert_eq!(of(&["clear", "uncertified", "nothing-checked"]), "uncertified");
        assert_eq!(of(&["clear", "nothing-checked", "undecided"]), "nothing-checked");
        assert_eq!(of(&["nothing required", "clear"]), "clear");
        assert_eq!(of(&["nothing required", "accepted", "clear"]), "accepted");
        assert_eq!(of(&["nothing required"; 3]), "nothing required");
    }
}
