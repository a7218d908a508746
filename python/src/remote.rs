//! Object stores: copies of results, and the marks of jobs whose shards lie there.

use crate::background::{AtInterrupt, call};
use clearsweep::{Error, Result};
use clearsweep_store::{RemoteFolder, copy_result};
use pyo3::prelude::*;
use std::path::{Path, PathBuf};

fn folder(path: &Path) -> Result<RemoteFolder> {
    RemoteFolder::at(path)?.ok_or_else(|| Error::usage(path.display(), "is no address", "give s3://BUCKET/KEY"))
}

/// Calls what waits for a store, without the interpreter.
fn wait<T: Send + 'static>(py: Python<'_>, work: impl FnOnce() -> Result<T> + Send + 'static) -> PyResult<T> {
    call(py, &AtInterrupt::Abandon, &mut |_| Ok(()), work)
}

/// Copies the result at an address to a folder of this machine.
#[pyfunction]
pub(crate) fn fetch_result(py: Python<'_>, path: PathBuf, to: PathBuf) -> PyResult<()> {
    let work = move || match copy_result(&folder(&path)?, &to, &|_| true)? {
        true => Ok(()),
        false => {
            let remedy = "give the address of a result; the manifest is written last";
            Err(Error::input(path.display(), "holds no finished result", remedy))
        }
    };
    wait(py, work)
}

/// The names of the objects below an address, relative to it.
#[pyfunction]
pub(crate) fn object_names(py: Python<'_>, path: PathBuf) -> PyResult<Vec<String>> {
    wait(py, move || Ok(folder(&path)?.list()?.into_iter().map(|(name, _)| name).collect()))
}

/// Creates an empty object below an address, unless it is there.
#[pyfunction]
pub(crate) fn create_object(py: Python<'_>, path: PathBuf, name: String) -> PyResult<bool> {
    wait(py, move || folder(&path)?.create(&name, Vec::new()))
}

/// Removes objects below an address.
#[pyfunction]
pub(crate) fn remove_objects(py: Python<'_>, path: PathBuf, names: Vec<String>) -> PyResult<()> {
    wait(py, move || {
        let folder = folder(&path)?;
        let mut found = folder.list()?;
        found.retain(|(name, _)| names.contains(name));
        folder.remove(&found)
    })
}
