//! `--device auto` in the middle of a job: a faster device goes on, a slower one or one that finds
//! other pairs does not, and the tables are those of the CPU, byte for byte.

use clearsweep_broad::{BroadPhase, BroadScene, by_name};
use clearsweep_datasets::Crowd;
use clearsweep_engine::{Job, JobOptions};
use clearsweep_scene::{BetweenFrames, Candidate, FrameBlock, MotionRule, Scene, SceneOverrides};
use clearsweep_tables::ParquetTables;
use clearsweep_testing::folder::tables;
use serde_json::Value;
use std::ops::Range;
use std::path::Path;

/// A device that searches as the processor does.
struct Device {
    /// Leaves out one pair of every third block.
    forgets: bool,
    search: Box<dyn BroadPhase>,
}

impl Device {
    fn boxed(forgets: bool) -> Box<dyn BroadPhase> {
        Box::new(Self { forgets, search: by_name("hash").expect("a method") })
    }
}

impl BroadPhase for Device {
    fn name(&self) -> &'static str {
        "gpu"
    }

    fn candidates(&mut self, job: &BroadScene, scene: &Scene, block: &FrameBlock) -> Vec<Candidate> {
        let mut found = self.search.candidates(job, scene, block);
        if self.forgets && block.index.is_multiple_of(3) {
            found.pop();
        }
        found
    }

    fn static_candidates(&self, job: &BroadScene, scene: &Scene, bodies: Range<usize>) -> Vec<Candidate> {
        self.search.static_candidates(job, scene, bodies)
    }

    fn interval_candidates(&mut self, job: &BroadScene, scene: &Scene, block: &FrameBlock) -> Vec<Candidate> {
        self.search.interval_candidates(job, scene, block)
    }

    fn works_beside(&self) -> bool {
        true
    }
}

/// Runs a scene, with a device that is tried from the first batch on; the manifest.
fn run(scene: &Scene, out: &Path, threads: usize, device: Option<(Box<dyn BroadPhase>, f64)>) -> Value {
    // Little memory, so that a job has many batches.
    let options = JobOptions { threads: Some(threads), memory: 8 << 20, ..JobOptions::default() };
    let job = Job::new(scene).options(options);
    let job = match device {
        Some((device, handicap)) => job.try_device(device, handicap),
        None => job,
    };
    job.run(&mut ParquetTables::new(out)).expect("a job that runs").manifest
}

fn check(crowd: &Crowd, between: BetweenFrames, threads: usize) {
    let dir = tempfile::tempdir().expect("scratch");
    crowd.write(&dir.path().join("crowd")).expect("written");
    let file = dir.path().join("crowd/scene.toml");
    let mut scene = clearsweep_scene::load_scene(&file, &SceneOverrides::default()).expect("a scene");
    scene.motion = MotionRule { between, ..scene.motion };
    let out = |name: &str| dir.path().join(name);
    let on_cpu = run(&scene, &out("cpu"), threads, None);
    let expected = tables(&out("cpu"));
    assert_eq!((&on_cpu["device"]["kind"], &on_cpu["device"]["auto"]), (&"cpu".into(), &Value::Null));
    let devices = [
        ("fast", (Device::boxed(false), 0.0), ("gpu", "the GPU goes on")),
        ("slow", (Device::boxed(false), 1e12), ("cpu", "the CPU goes on")),
        ("forgets", (Device::boxed(true), 0.0), ("cpu", "other candidates")),
    ];
    for (name, device, (kind, reason)) in devices {
        let manifest = run(&scene, &out(name), threads, Some(device));
        assert!(tables(&out(name)) == expected, "{name}: other tables");
        assert_eq!(manifest["counts"], on_cpu["counts"], "{name}");
        let device = &manifest["device"];
        assert!(
            device["kind"] == kind && device["reason"].as_str().is_some_and(|r| r.contains(reason)),
            "{name}: {device}"
        );
        let times = &device["auto"];
        assert_eq!(times.is_null(), name == "forgets", "{device}");
        if !times.is_null() {
            let [cpu, gpu] = ["cpu_s", "gpu_s"].map(|key| times[key].as_f64().expect("seconds"));
            assert!(times["blocks"].as_u64() > Some(0) && (gpu < cpu) == (kind == "gpu"), "{device}");
        }
        assert_eq!(device["adapter"].is_null(), kind == "cpu", "{device}");
    }
}

#[test]
fn the_faster_device_goes_on_with_many_bodies() {
    let crowd = Crowd { bodies: 300, frames: 64 * 20, runs: 1, density: 0.2, seed: 3 };
    check(&crowd, BetweenFrames::None, 2);
}

#[test]
fn the_faster_device_goes_on_with_few_bodies_in_batches_of_blocks() {
    let crowd = Crowd { bodies: 60, frames: 64 * 80, runs: 2, density: 0.3, seed: 4 };
    check(&crowd, BetweenFrames::None, 2);
    check(&crowd, BetweenFrames::None, 1);
}

#[test]
fn intervals_are_searched_too() {
    let crowd = Crowd { bodies: 100, frames: 64 * 20, runs: 1, density: 0.2, seed: 5 };
    check(&crowd, BetweenFrames::Linear, 2);
}
