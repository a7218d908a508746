//! The program, and its subcommands as functions.

use crate::background::{AtInterrupt, call};
use crate::job::of_files;
use crate::scene::LoadedScene;
use clearsweep::cli::embed::{self, StopHandle};
use clearsweep_engine::check as check_scene;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ffi::OsString;
use std::sync::Arc;

/// Runs the program with the words of a command line, the first of which is its name. Returns the
/// exit code.
#[pyfunction]
pub(crate) fn main(py: Python<'_>, words: Vec<OsString>) -> u8 {
    py.detach(|| clearsweep::cli::main(words))
}

/// Runs a subcommand, and returns the object of `--json`.
#[pyfunction]
pub(crate) fn command(py: Python<'_>, words: Vec<OsString>) -> PyResult<String> {
    let stop = StopHandle::default();
    let stopped = stop.clone();
    let work = move || embed::call(words, &stopped).map(|object| object.to_string());
    call(py, &AtInterrupt::Stop(&|| stop.stop()), &mut |_| Ok(()), work)
}

/// Checks a scene and its trajectories, and returns the object of `check --json`.
#[pyfunction]
pub(crate) fn check(
    py: Python<'_>,
    scene: &LoadedScene,
    poses: &Bound<'_, PyAny>,
    about: &Bound<'_, PyDict>,
    words: Vec<String>,
) -> PyResult<String> {
    let job = of_files(py, poses, about, words, "poses in memory cannot be checked without running")?;
    let scene = Arc::clone(&scene.scene);
    let work = move || {
        let checked = check_scene(&scene, &job)?;
        Ok(embed::checked_json(&scene, &checked).to_string())
    };
    call(py, &AtInterrupt::Abandon, &mut |_| Ok(()), work)
}
