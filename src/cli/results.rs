//! Several results together: a joint verdict, and the exit code of it.

use super::color::{Tone, paint};
use super::exit::ProgramEnd;
use super::text::{columns, count, counted};
use super::{merge, summary};
use clearsweep::{Error, Result};
use clearsweep_engine::{FetchedResults, fetch_results};
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
    pub(super) manifest: Value,
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

/// The results that are meant: a directory that holds results, such as the shards of a job, stands for all of them. Those in object stores are copied
/// to this machine. `with_rows`: tables of several files are needed.
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
    let read = |place: ResultPlace| Ok(OneResult { manifest: summary::read(&place.dir)?, place });
    places.into_iter().map(read).collect()
}

/// The verdict of all results together: the one that needs people most. Nothing is required only where no result requires anything.
pub(super) fn verdict(results: &[OneResult]) -> &'static str {
    let rank = |one: &OneResult| {
        let word = one.manifest["summary"]["verdict"].as_str().unwrap_or_default();
        VERDICTS.iter().position(|known| *known == word).unwrap_or(0)
    };
    VERDICTS[results.iter().map(rank).min().unwrap_or(VERDICTS.len() - 1)]
}

/// The end of a program that prints the joint verdict.
pub(super) fn end(results: &[OneResult]) -> ProgramEnd {
    merge::end(&json!({ "verdict": verdict(results) }))
}

fn total(results: &[OneResult], key: &str) -> u64 {
    results.iter().filter_map(|one| one.manifest["summary"][key].as_u64()).sum()
}

/// Results as an object: the joint verdict, sums, and of each its directory with its summary.
pub(super) fn as_json(results: &[OneResult]) -> Value {
    let sums = ["runs", "frames", "rows", "violated", "open"].map(|key| (key, total(results, key)));
    let mut object = json!({ "verdict": verdict(results) });
    for (key, sum) in sums {
        object[key] = json!(sum);
    }
    let one =
        |one: &OneResult| json!({ "dir": one.place.name.display().to_string(), "summary": one.manifest["summary"] });
    object["results"] = results.iter().map(one).collect();
    object
}

/// Results as text: a line each, then the joint verdict.
pub(super) fn text(results: &[OneResult]) -> String {
    let line = |one: &OneResult| {
        let summary = &one.manifest["summary"];
        let number = |key: &str| count(summary[key].as_u64().unwrap_or(0));
        let words = [
            summary["verdict"].as_str().unwrap_or("?").to_owned(),
            number("runs"),
            number("frames"),
            number("rows"),
            number("open"),
        ];
        std::iter::once(one.place.name.display().to_string()).chain(words).collect::<Vec<_>>()
    };
    let titles = ["result", "verdict", "runs", "frames", "rows", "open"];
    let table =
        columns(&titles, &[false, false, true, true, true, true], &results.iter().map(line).collect::<Vec<_>>());
    let word = verdict(results);
    let tone = match word {
        "violated" | "uncertified" | "nothing-checked" => Tone::Bad,
        _ => Tone::Good,
    };
    let sums =
        [("run", "runs"), ("frame", "frames"), ("row", "rows")].map(|(noun, key)| counted(total(results, key), noun));
    format!("{table}\n{}: {} of {}\n", paint(tone, word), sums.join(", "), counted(results.len() as u64, "result"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(words: &[&str]) -> &'static str {
        let one = |word: &&str| OneResult {
            place: ResultPlace::here(PathBuf::new()),
            manifest: json!({ "summary": { "verdict": word } }),
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
