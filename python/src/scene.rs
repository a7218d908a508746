//! Scenes: loaded from a file, or from a dict with the keys of a scene file.

use crate::background::call_plain;
use crate::error::{Raise, raised};
use clearsweep::cli::embed::{self, RunOptions};
use clearsweep::{Error, Scene};
use clearsweep_scene::Motion;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyString};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use toml::Value;

/// A scene that is checked and built.
#[pyclass(frozen)]
pub(crate) struct LoadedScene {
    pub(crate) scene: Arc<Scene>,
}

#[pymethods]
impl LoadedScene {
    #[getter]
    fn name(&self) -> &str {
        &self.scene.name
    }

    #[getter]
    fn unit(&self) -> &str {
        self.scene.unit.word
    }

    #[getter]
    fn bodies(&self) -> Vec<&str> {
        self.scene.bodies.iter().map(|body| body.name.as_str()).collect()
    }

    #[getter]
    fn moving(&self) -> Vec<&str> {
        let moves = |body: &&clearsweep::Body| matches!(body.motion, Motion::Dynamic { .. });
        self.scene.bodies.iter().filter(moves).map(|body| body.name.as_str()).collect()
    }

    #[getter]
    fn within_m(&self) -> f64 {
        self.scene.query.within
    }

    #[getter]
    fn touch_m(&self) -> f64 {
        self.scene.query.touch
    }
}

/// Lowers options of `run`.
pub(crate) fn options(py: Python<'_>, words: Vec<String>) -> PyResult<RunOptions> {
    embed::run_options(words.into_iter().map(OsString::from)).raise(py)
}

/// Loads a scene file; `words` are options of `run` on the command line. With `poses_follow` it
/// need not name trajectories.
#[pyfunction]
pub(crate) fn load_scene(
    py: Python<'_>,
    path: PathBuf,
    words: Vec<String>,
    poses_follow: bool,
) -> PyResult<LoadedScene> {
    let RunOptions { mut overrides, job, .. } = options(py, words)?;
    (overrides.threads, overrides.poses_follow) = (job.threads, poses_follow);
    let scene = call_plain(py, move || clearsweep::SceneBuilder::load(&path, &overrides))?;
    Ok(LoadedScene { scene: Arc::new(scene) })
}

/// Builds the scene of a document; `words` are options of `run` on the command line.
#[pyfunction]
pub(crate) fn build_scene(py: Python<'_>, document: &Bound<'_, PyDict>, words: Vec<String>) -> PyResult<LoadedScene> {
    let RunOptions { mut overrides, job, .. } = options(py, words)?;
    overrides.threads = job.threads;
    let text = document_text(document)?;
    let scene = call_plain(py, move || clearsweep_scene::scene_of_text(&text, &overrides))?;
    Ok(LoadedScene { scene: Arc::new(scene) })
}

/// Returns the text of a scene file with the keys of a document.
#[pyfunction]
pub(crate) fn document_text(document: &Bound<'_, PyDict>) -> PyResult<String> {
    let py = document.py();
    let table = value(document, "scene in code")?;
    toml::to_string(&table).map_err(|error| raised(py, Error::internal("scene in code", error)))
}

/// A value of Python as one of TOML; `place`: what messages call it.
fn value(object: &Bound<'_, PyAny>, place: &str) -> PyResult<Value> {
    let py = object.py();
    // A truth value is an integer of Python too, so it comes first.
    if object.is_instance_of::<PyBool>() {
        return Ok(Value::Boolean(object.extract()?));
    }
    if object.is_instance_of::<PyString>() {
        return Ok(Value::String(object.extract()?));
    }
    if object.is_instance_of::<PyInt>() {
        let number = object.extract::<i64>();
        return number
            .map(Value::Integer)
            .map_err(|_| wrong(py, place, "the number is too large", "give a smaller number"));
    }
    if object.is_instance_of::<PyFloat>() {
        return Ok(Value::Float(object.extract()?));
    }
    if let Ok(dict) = object.cast::<PyDict>() {
        let mut table = toml::Table::new();
        for (key, item) in dict.iter().filter(|(_, item)| !item.is_none()) {
            let key: String = key.extract().map_err(|_| wrong(py, place, "a key is no text", "give keys as texts"))?;
            let inner = value(&item, &format!("{place}, key `{key}`"))?;
            table.insert(key, inner);
        }
        return Ok(Value::Table(table));
    }
    // Arrays of numpy and the like, and numbers of it, know their plain form.
    if let Ok(plain) = object.call_method0("tolist") {
        return value(&plain, place);
    }
    if let Ok(path) = object.call_method0("__fspath__") {
        return value(&path, place);
    }
    match object.try_iter() {
        Ok(items) => Ok(Value::Array(items.map(|item| value(&item?, place)).collect::<PyResult<_>>()?)),
        Err(_) => {
            let problem = format!("a value of type {}", object.get_type().name()?);
            Err(wrong(py, place, &problem, "give a number, a text, True or False, a list or a dict"))
        }
    }
}

fn wrong(py: Python<'_>, place: &str, problem: &str, help: &str) -> PyErr {
    raised(py, Error::input(place, problem, help))
}
