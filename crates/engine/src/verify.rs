//! Whether results hold the rows that were written, and whether two hold the same.

use super::options::pool;
use clearsweep_base::error::{Error, Result};
use clearsweep_records::manifest::{Manifest, RowsDigest};
use clearsweep_tables::{FileChecksums, RunsDigest, TableDigest, altered_files, digest_all};
use std::fs;
use std::path::Path;

/// A table that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Its name.
    pub table: String,
    /// The file whose bytes are not those that were written, although its rows are: another
    /// reader may refuse it.
    pub file: Option<String>,
    /// Rows on either side; `None`: it is not there.
    pub rows: [Option<u64>; 2],
    /// The runs that the difference lies in, at the most; `None` where a side has no such table. 0
    /// to 0 in tables without runs.
    pub runs: Option<[i64; 2]>,
}

/// The digests of the tables that a manifest tells.
pub(super) fn digests(manifest: &Manifest) -> Vec<(String, TableDigest)> {
    let of = |(table, digest): &(String, RowsDigest)| {
        let groups = digest.runs.as_ref()?.iter().map(|group| group.parse::<RunsDigest>().ok());
        Some((table.clone(), TableDigest::of_groups(groups.collect::<Option<Vec<_>>>()?)))
    };
    manifest.rows_digest.iter().flatten().filter_map(of).collect()
}

/// The digests of tables, and the checksums of files, of a result.
fn recorded(dir: &Path) -> Result<(Vec<(String, TableDigest)>, FileChecksums)> {
    let path = dir.join("manifest.json");
    let text = fs::read_to_string(&path).map_err(|error| Error::unreadable(&path, &error))?;
    let manifest: Manifest = serde_json::from_str(&text).map_err(|error| {
        Error::input(path.display(), format!("is damaged ({error})"), "give the output directory of a finished run")
    })?;
    let found = digests(&manifest);
    if found.is_empty() {
        let problem = "tells no digests of rows: an older version wrote it, or it is no manifest of tables";
        return Err(Error::input(path.display(), problem, "run the job again"));
    }
    Ok((found, manifest.checksums()))
}

/// Reads all files of the output directory `dir`, and compares their rows, and then their bytes,
/// with those written, as the manifest tells them. Returns the tables that differ: first the rows
/// written, then those there.
///
/// # Errors
/// The manifest tells no digests, or a table is so damaged that it cannot be read.
pub fn verify(dir: &Path, threads: Option<usize>) -> Result<Vec<Difference>> {
    let (written, files) = recorded(dir)?;
    let (found, altered) =
        pool(threads)?.install(|| digest_all(dir).and_then(|found| Ok((found, altered_files(dir, &files)?))))?;
    let mut differing = differences(&written, &found);
    for file in altered {
        let table = file.split(['/', '.']).next().unwrap_or_default().to_owned();
        if differing.iter().all(|one| one.table != table || one.file.is_some()) {
            let rows = found.iter().find(|(name, _)| *name == table).map(|(_, digest)| digest.rows());
            differing.push(Difference { table, file: Some(file), rows: [rows; 2], runs: None });
        }
    }
    Ok(differing)
}

/// Compares the rows of two results by what their manifests tell; no table is read.
///
/// # Errors
/// A manifest tells no digests.
pub fn compare(one: &Path, other: &Path) -> Result<Vec<Difference>> {
    Ok(differences(&recorded(one)?.0, &recorded(other)?.0))
}

fn differences(one: &[(String, TableDigest)], other: &[(String, TableDigest)]) -> Vec<Difference> {
    let of = |tables: &[(String, TableDigest)], name: &str| {
        tables.iter().find(|(table, _)| table == name).map(|(_, digest)| digest.clone())
    };
    let mut names: Vec<&String> = one.iter().chain(other).map(|(table, _)| table).collect();
    names.sort();
    names.dedup();
    let compared = names.into_iter().filter_map(|name| {
        let sides = [of(one, name), of(other, name)];
        let rows = sides.each_ref().map(|side| side.as_ref().map(TableDigest::rows));
        let runs = match &sides {
            [Some(a), Some(b)] => Some(a.difference(b)?),
            _ => None,
        };
        Some(Difference { table: name.clone(), file: None, rows, runs })
    });
    compared.collect()
}
