//! Results in object stores: written on this machine first, and copied there as a whole; or copied
//! here to be read.

use super::cancel::CancelToken;
use clearsweep_base::error::{Error, ErrorKind, Result};
use clearsweep_store::{MANIFEST, Publication, RemoteFolder, copy_result};
use clearsweep_tables::{is_part_table, is_result_file};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The directory on this machine of a result that is meant for an object store.
#[derive(Debug)]
pub struct RemoteResult {
    target: PathBuf,
    publication: Publication,
    temporary: TempDir,
}

impl RemoteResult {
    /// Looks whether a result can be written to `out`, if that is an address; `None`: it is a
    /// directory. `temp`: the directory in which the result is written first; `None`: that of the
    /// system.
    ///
    /// # Errors
    /// Something is there, and `force` does not replace it; the store cannot be reached, or
    /// refuses.
    pub fn prepare(out: &Path, temp: Option<&Path>, force: bool) -> Result<Option<Self>> {
        let Some(folder) = RemoteFolder::at(out)? else { return Ok(None) };
        let publication = Publication::prepare(folder, force, &is_result_file)?;
        Ok(Some(Self { target: out.to_owned(), publication, temporary: temporary(temp)? }))
    }

    /// The directory for the tables, new.
    pub fn dir(&self) -> PathBuf {
        self.temporary.path().join("tables")
    }

    /// Copies the result to its address, the manifest last.
    ///
    /// # Errors
    /// The store cannot be reached, or refuses; somebody else writes there; it is cancelled. The
    /// result on this machine is kept then, and the error says where.
    pub fn publish(self, token: &CancelToken) -> Result<()> {
        let dir = self.dir();
        self.publication.publish(&dir, &is_result_file, &|| token.check()).map_err(|error| {
            let _ = self.temporary.keep();
            let kept = format!("the result is whole in {}: copy it, manifest.json last", dir.display());
            match error.kind {
                ErrorKind::Cancelled => {
                    Error::output(self.target.display(), "was not written: it was interrupted", kept)
                }
                _ => Error { remedy: format!("{}; {kept}", error.remedy), ..error },
            }
        })
    }
}

/// Copies of results on this machine, which go with it.
#[derive(Debug)]
pub struct FetchedResults {
    /// The address of each, and the directory of its copy.
    pub results: Vec<(PathBuf, PathBuf)>,
    _temporary: TempDir,
}

/// Copies the result at an address, or those in it, such as shards, to this machine; `None`: the
/// path is a directory. `with_rows`: tables of several files are copied too.
///
/// # Errors
/// There is no whole result; the store cannot be reached, or refuses; a copy cannot be written.
pub fn fetch_results(path: &Path, with_rows: bool) -> Result<Option<FetchedResults>> {
    let Some(folder) = RemoteFolder::at(path)? else { return Ok(None) };
    let temporary = temporary(None)?;
    let wanted = |name: &str| with_rows || !name.split('/').next().is_some_and(is_part_table);
    let listed = folder.list()?;
    let whole = listed.iter().filter_map(|(name, _)| match name.split_once('/') {
        None if name == MANIFEST => Some(""),
        Some((inner, MANIFEST)) if !inner.starts_with('.') => Some(inner),
        _ => None,
    });
    let mut whole: Vec<&str> = whole.collect();
    if whole.contains(&"") {
        whole = vec![""];
    }
    let mut results = Vec::new();
    for name in whole {
        let place = if name.is_empty() { folder.clone() } else { folder.folder(name) };
        let dir = temporary.path().join(if name.is_empty() { "result" } else { name });
        fs::create_dir_all(&dir).map_err(|error| Error::unwritable(&dir, &error))?;
        if copy_result(&place, &dir, &wanted)? {
            results.push((place.address().to_path(), dir));
        }
    }
    if results.is_empty() {
        let remedy = "give the address that was named by `clearsweep run --out`; the manifest is written last";
        return Err(Error::input(path.display(), "holds no finished result", remedy));
    }
    Ok(Some(FetchedResults { results, _temporary: temporary }))
}

/// A new directory for what goes to, or comes from, a store.
pub(super) fn temporary(temp: Option<&Path>) -> Result<TempDir> {
    let new = || tempfile::Builder::new();
    let made = match temp {
        None => new().prefix("clearsweep-").tempdir(),
        Some(temp) => new().prefix(".clearsweep-").tempdir_in(temp),
    };
    made.map_err(|error| {
        let place = temp
            .map_or_else(|| "the system's directory of temporary files".to_owned(), |temp| temp.display().to_string());
        let remedy = "free space on that disk, or choose another with --temp DIR";
        Error::output(place, format!("cannot be written ({error})"), remedy)
    })
}
