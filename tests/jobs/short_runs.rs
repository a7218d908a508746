//! Many short runs of few bodies: blocks are batched, and the tables stay the same, byte for byte.

use clearsweep_datasets::Crowd;
use clearsweep_engine::{Job, JobOptions, Outcome};
use clearsweep_scene::{Scene, SceneOverrides};
use clearsweep_tables::ParquetTables;
use std::path::Path;

use clearsweep_testing::folder::tables;

struct Way {
    threads: usize,
    memory: u64,
    broad: &'static str,
}

fn execute(scene: &Scene, out: &Path, way: &Way) -> Outcome {
    let Way { threads, memory, broad } = *way;
    let options = JobOptions { threads: Some(threads), memory, broad: broad.to_owned(), ..JobOptions::default() };
    Job::new(scene).options(options).run(&mut ParquetTables::new(out)).expect("a job that runs")
}

/// Runs the scene in every way; returns samples and rows.
fn check(crowd: &Crowd) -> (u64, u64) {
    let dir = tempfile::tempdir().expect("scratch");
    let files = crowd.write(&dir.path().join("c")).expect("a data set");
    let scene =
        clearsweep_scene::load_scene(files.last().expect("the scene"), &SceneOverrides::default()).expect("a scene");
    let whole = dir.path().join("whole");
    let first = execute(&scene, &whole, &Way { threads: 1, memory: 2 << 30, broad: "brute" });
    let whole = tables(&whole);
    let ways = [
        (1, 1 << 20, "auto"),
        (2, 2 << 30, "auto"),
        (3, 2 << 30, "tree"),
        (8, 2 << 30, "hash"),
        (8, 10_000_000, "auto"), // batches of a few blocks
        (2, 300_000, "auto"),    // blocks of some hundred rows at a time
        (3, 1000, "brute"),      // slices of single samples
    ];
    for (threads, memory, broad) in ways {
        let out = dir.path().join(format!("{threads}-{memory}-{broad}"));
        let other = execute(&scene, &out, &Way { threads, memory, broad });
        assert_eq!(other.totals, first.totals, "{threads} threads, {memory} bytes, {broad}");
        let other = tables(&out);
        assert!(whole.keys().eq(other.keys()), "other files");
        for (name, bytes) in &whole {
            let same = *bytes == other[name];
            assert!(same, "{threads} threads, {memory} bytes, {broad}: {} differs", name.display());
        }
    }
    (first.totals.samples, first.totals.rows)
}

#[test]
fn runs_that_fill_blocks_of_their_own() {
    let (samples, rows) = check(&Crowd { bodies: 12, frames: 64, runs: 300, density: 0.2, seed: 3 });
    assert_eq!(samples, 300 * 64);
    assert!(rows > 20_000, "{rows} rows");
}

#[test]
fn runs_that_share_blocks_or_span_two() {
    let (samples, rows) = check(&Crowd { bodies: 12, frames: 7, runs: 1001, density: 0.2, seed: 4 });
    assert_eq!(samples, 7007);
    assert!(rows > 7_000, "{rows} rows");
    let (samples, rows) = check(&Crowd { bodies: 5, frames: 100, runs: 97, density: 0.5, seed: 5 });
    assert_eq!(samples, 9700);
    assert!(rows > 5_000, "{rows} rows");
}

#[test]
fn one_long_run_in_many_stretches() {
    let (samples, rows) = check(&Crowd { bodies: 3, frames: 20_011, runs: 1, density: 0.3, seed: 6 });
    assert_eq!(samples, 20_011);
    assert!(rows > 10_000, "{rows} rows");
}
