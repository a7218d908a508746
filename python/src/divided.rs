//! Jobs that are divided among machines: the plan, one shard, the merge.

use crate::background::{AtInterrupt, call};
use crate::job::{SharedProgress, of_files};
use crate::scene::{LoadedScene, options};
use clearsweep::cli::embed::{self, RunOptions};
use clearsweep::{CancelToken, JobOptions};
use clearsweep_engine::{MergeOptions, ShardPosition, run_shard as run_one};
use clearsweep_trajectory::plan_shards;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;
use std::sync::Arc;

/// The problem of poses that are not in files.
const IN_MEMORY: &str = "poses in memory cannot be read by several shards";

/// Divides a job, and returns the object of `plan --json`.
#[pyfunction]
pub(crate) fn plan(
    py: Python<'_>,
    scene: &LoadedScene,
    poses: &Bound<'_, PyAny>,
    about: &Bound<'_, PyDict>,
    words: Vec<String>,
    shards: u32,
) -> PyResult<String> {
    let job = of_files(py, poses, about, words, IN_MEMORY)?;
    let scene = Arc::clone(&scene.scene);
    let work = move || Ok(embed::plan_json(&plan_shards(&scene, &job.read, shards)?.shards).to_string());
    call(py, &AtInterrupt::Abandon, &mut |_| Ok(()), work)
}

/// Computes a shard into its directory in `into`, and returns the object of `run --shard --json`.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "those of `run_tables`, and the shard")]
pub(crate) fn run_shard(
    py: Python<'_>,
    scene: &LoadedScene,
    poses: &Bound<'_, PyAny>,
    about: &Bound<'_, PyDict>,
    words: Vec<String>,
    shard: (u32, u32),
    into: PathBuf,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<String> {
    let job = of_files(py, poses, about, words, IN_MEMORY)?;
    let (scene, token, shared) = (Arc::clone(&scene.scene), CancelToken::new(), SharedProgress::default());
    let show = || shared.show(progress.as_ref());
    let (cancelled, told) = (token.clone(), shared.clone());
    let work = move || {
        let (index, count) = shard;
        let position = ShardPosition { index, count };
        let done = run_one(&scene, job, position, &into, &told, &cancelled)?;
        Ok(embed::shard_json(&done, position, &into)?.to_string())
    };
    let done = call(py, &AtInterrupt::Stop(&|| token.cancel()), &mut |_| show(), work)?;
    show()?;
    Ok(done)
}

/// Merges shards, and returns the manifest as JSON. `scene`: one that was built in code; `words`:
/// options of `run`.
#[pyfunction]
pub(crate) fn merge_shards(
    py: Python<'_>,
    shards: PathBuf,
    scene: Option<&LoadedScene>,
    words: Vec<String>,
    out: PathBuf,
    fast: bool,
    scene_path: Option<PathBuf>,
) -> PyResult<String> {
    let RunOptions { job, force, .. } = options(py, words)?;
    let scene = scene.map(|scene| Arc::clone(&scene.scene));
    let JobOptions { memory, threads, previous, .. } = job;
    let temp = job.read.temp;
    let options = MergeOptions { out, force, fast, scene: scene_path, previous, temp, memory, threads };
    let (token, unseen) = (CancelToken::new(), SharedProgress::default());
    let cancelled = token.clone();
    let work = move || {
        let merged = clearsweep_engine::merge(&shards, scene.as_deref(), &options, &unseen, &cancelled)?;
        Ok(merged.manifest.to_string())
    };
    call(py, &AtInterrupt::Stop(&|| token.cancel()), &mut |_| Ok(()), work)
}
