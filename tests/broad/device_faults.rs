//! Devices that fail in the middle of a job: the tables are those of the CPU, byte for byte, and
//! the manifest counts what happened.
#![allow(clippy::print_stderr)] // says which tests were skipped, and why

use clearsweep_broad::BroadPhase;
use clearsweep_broad::internals::{DeviceFaults, DeviceLimits, adapters, cpu_reference, open_with};
use clearsweep_datasets::Crowd;
use clearsweep_engine::{Job, JobOptions};
use clearsweep_scene::{Scene, SceneOverrides};
use clearsweep_tables::ParquetTables;
use serde_json::Value;
use std::path::Path;

use clearsweep_testing::folder::tables;

/// Fate of the device that the manifest is to report.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Fate {
    /// The device searched everything.
    Whole,
    /// It ran out of memory, was asked for less at a time, and searched everything.
    Halved,
    /// The processor searched the rest, or all, because of this kind of failure.
    GivenUp(&'static str),
}

/// Devices, each with its fate.
type Fated = (String, Box<dyn BroadPhase>, Fate);

/// The faults of a device, and what they come to, if a whole one takes so many bytes of its memory.
fn faults(taken: u64) -> [(DeviceFaults, Fate); 6] {
    let whole = DeviceFaults::default();
    [
        (whole.clone(), Fate::Whole),
        (DeviceFaults { lost_after: Some(0), ..whole.clone() }, Fate::GivenUp("lost")),
        (DeviceFaults { lost_after: Some(1), ..whole.clone() }, Fate::GivenUp("lost")),
        (DeviceFaults { stalls_after: Some(1), ..whole.clone() }, Fate::GivenUp("lost")),
        (DeviceFaults { memory_bytes: Some(taken / 3 * 2), ..whole.clone() }, Fate::Halved),
        (DeviceFaults { memory_bytes: Some(2000), ..whole }, Fate::GivenUp("out-of-memory")),
    ]
}

/// Windows of so many pairs, so that a job takes several fetches.
fn limits(window: u32) -> DeviceLimits {
    DeviceLimits { window, ..DeviceLimits::default() }
}

/// The CPU reference and, where there is an adapter, a GPU with each of the faults.
fn devices(taken: u64, window: u32) -> Vec<Fated> {
    let mut all: Vec<Fated> = Vec::new();
    for (faults, fate) in faults(taken) {
        all.push((format!("CPU reference, {faults:?}"), cpu_reference(limits(window), &faults), fate));
    }
    let first = adapters().into_iter().next();
    let required = std::env::var_os("CLEARSWEEP_REQUIRE_GPU").is_some();
    assert!(first.is_some() || !required, "CLEARSWEEP_REQUIRE_GPU is set, and there is no adapter");
    let Some(first) = first else {
        eprintln!("skipped: the GPU, as this machine has no graphics adapter");
        return all;
    };
    for (faults, fate) in faults(taken) {
        let device = open_with(Some(&first.name), limits(window), &faults).expect("it opens").0;
        all.push((format!("GPU, {faults:?}"), device, fate));
    }
    all
}

/// Runs a scene on a device, or on the processor; the manifest.
fn execute(scene: &Scene, out: &Path, device: Option<Box<dyn BroadPhase>>) -> Value {
    // Little memory, so that a job has several batches.
    let options = JobOptions { threads: Some(2), memory: 8 << 20, ..JobOptions::default() };
    let job = Job::new(scene).options(options);
    let job = match device {
        Some(device) => job.search_with(device),
        None => job,
    };
    job.run(&mut ParquetTables::new(out)).expect("a job that runs").manifest
}

/// Compares the tables of all devices with those of the processor; the rows.
fn check(scene: &Path, window: u32) -> u64 {
    let dir = tempfile::tempdir().expect("scratch");
    let scene = clearsweep_scene::load_scene(scene, &SceneOverrides::default()).expect("a scene");
    let on_cpu = execute(&scene, &dir.path().join("cpu"), None);
    let expected = tables(&dir.path().join("cpu"));
    let probe =
        execute(&scene, &dir.path().join("probe"), Some(cpu_reference(limits(window), &DeviceFaults::default())));
    let taken = probe["device"]["gpu"]["memory_bytes"].as_u64().expect("a number");
    for (at, (what, device, fate)) in devices(taken, window).into_iter().enumerate() {
        let out = dir.path().join(at.to_string());
        let manifest = execute(&scene, &out, Some(device));
        assert!(tables(&out) == expected, "{what}: other tables");
        assert_eq!(manifest["counts"], on_cpu["counts"], "{what}");
        let gpu = &manifest["device"]["gpu"];
        let (halvings, blocks) = (gpu["out_of_memory"].as_u64(), gpu["fallback"]["blocks"].as_u64());
        match fate {
            Fate::Whole => assert_eq!((halvings, blocks), (Some(0), None), "{what}: {gpu}"),
            Fate::Halved => assert!(halvings > Some(0) && blocks.is_none(), "{what}: {gpu}"),
            Fate::GivenUp(kind) => {
                let fallback = &gpu["fallback"];
                assert!(blocks > Some(0) && fallback["reason"].is_string(), "{what}: {gpu}");
                assert_eq!(fallback["kind"], kind, "{what}: {gpu}");
            }
        }
        let (taken, limit) = (gpu["memory_bytes"].as_u64(), gpu["memory_limit_bytes"].as_u64());
        assert!(taken.is_some() && limit > Some(0), "{what}: {gpu}");
    }
    on_cpu["summary"]["rows"].as_u64().expect("a number")
}

/// The rows of a crowd.
fn crowd(crowd: &Crowd) -> u64 {
    let dir = tempfile::tempdir().expect("scratch");
    let files = crowd.write(&dir.path().join("c")).expect("a data set");
    check(files.last().expect("the scene"), 500)
}

#[test]
fn a_crowd_in_long_runs() {
    let rows = crowd(&Crowd { bodies: 150, frames: 500, runs: 2, density: 0.3, seed: 5 });
    assert!(rows > 10_000, "{rows} rows");
}

#[test]
fn many_runs_of_one_frame() {
    let rows = crowd(&Crowd { bodies: 12, frames: 1, runs: 2000, density: 0.4, seed: 6 });
    assert!(rows > 500, "{rows} rows");
}

#[test]
fn fixed_bodies_and_ignore_rules() {
    let rows = check(&Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets/pipe-rack/scene.toml"), 20);
    assert!(rows > 100, "{rows} rows");
}
