//! Intervals between frames: the tables are the same however a job is cut, and a collision between
//! two clear frames is found.

use clearsweep::{BatchCollector, RecordBatch};
use clearsweep_datasets::Crowd;
use clearsweep_engine::{Job, JobOptions, Outcome};
use clearsweep_scene::{BetweenFrames, Scene, SceneOverrides};
use clearsweep_tables::ParquetTables;
use clearsweep_trajectory::ReadOptions;
use std::ops::Range;
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

/// A crowd whose bodies move in this way between frames.
fn load(crowd: &Crowd, dir: &Path, between: BetweenFrames) -> Scene {
    let files = crowd.write(&dir.join("c")).expect("a data set");
    let mut scene =
        clearsweep_scene::load_scene(files.last().expect("the scene"), &SceneOverrides::default()).expect("a scene");
    scene.motion.between = between;
    scene.frame_rate.get_or_insert(8.0);
    scene
}

/// Runs the scene in every way; returns the rows of samples and of intervals.
fn check(crowd: &Crowd, between: BetweenFrames, static_pairs: bool) -> [u64; 2] {
    let dir = tempfile::tempdir().expect("scratch");
    let mut scene = load(crowd, dir.path(), between);
    scene.query.static_pairs = static_pairs;
    let whole = dir.path().join("whole");
    let first = execute(&scene, &whole, &Way { threads: 1, memory: 2 << 30, broad: "brute" });
    let whole = tables(&whole);
    assert!(whole.keys().any(|name| name.starts_with("intervals")), "a table of intervals");
    let ways = [
        (1, 1 << 20, "auto"),
        (2, 2 << 30, "sweep"),
        (3, 2 << 30, "coherent-hash"),
        (2, 10_000_000, "tree"), // batches of a few blocks
        (2, 300_000, "auto"),    // blocks of some hundred rows at a time
        (3, 1000, "grid"),       // slices of single samples
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
    [first.totals.rows, first.totals.intervals]
}

#[test]
fn few_bodies_in_many_runs() {
    for between in [BetweenFrames::Linear, BetweenFrames::Hold, BetweenFrames::Ballistic] {
        let [rows, intervals] = check(&Crowd { bodies: 6, frames: 7, runs: 60, density: 0.4, seed: 3 }, between, false);
        assert!(rows > 200 && intervals > 200, "{between:?}: {rows} rows, {intervals} intervals");
    }
}

#[test]
fn a_run_of_several_blocks_and_many_bodies() {
    let crowd = Crowd { bodies: 70, frames: 70, runs: 1, density: 0.1, seed: 4 };
    let [rows, intervals] = check(&crowd, BetweenFrames::Screw, true);
    assert!(rows > 1000 && intervals > 1000, "{rows} rows, {intervals} intervals");
}

/// All rows of the intervals of these frames, as text: a row a line.
fn intervals(scene: &Scene, frames: Option<Range<i64>>) -> Vec<String> {
    let options = JobOptions { read: ReadOptions { frames, ..ReadOptions::default() }, ..JobOptions::default() };
    let mut found = BatchCollector::default();
    Job::new(scene).options(options).run(&mut found).expect("a job that runs");
    let line = |batch: &RecordBatch, row: usize| {
        // Keys of dictionaries, which may differ from batch to batch, follow from the indices of
        // the bodies.
        let numbers = batch.columns().iter().zip(batch.schema_ref().fields());
        let numbers = numbers.filter(|(_, field)| !field.name().starts_with("body_"));
        let numbers: Vec<String> = numbers.map(|(column, _)| format!("{:?}", column.slice(row, 1))).collect();
        numbers.join(";")
    };
    let batches = found.intervals.iter();
    batches.flat_map(|batch| (0..batch.num_rows()).map(|row| line(batch, row)).collect::<Vec<_>>()).collect()
}

#[test]
fn a_run_that_is_split_with_a_frame_of_overlap_has_the_same_intervals() {
    let dir = tempfile::tempdir().expect("scratch");
    let crowd = Crowd { bodies: 10, frames: 150, runs: 1, density: 0.3, seed: 8 };
    let scene = load(&crowd, dir.path(), BetweenFrames::Linear);
    let whole = intervals(&scene, None);
    assert!(whole.len() > 300, "{} intervals", whole.len());
    for cut in [1, 63, 64, 65, 100, 149] {
        let parts = [intervals(&scene, Some(0..cut + 1)), intervals(&scene, Some(cut..150))].concat();
        assert!(parts == whole, "cut at frame {cut}: {} and {} intervals", parts.len(), whole.len());
    }
}

#[test]
fn frames_that_are_too_far_apart_have_no_interval_and_are_counted() {
    let dir = tempfile::tempdir().expect("scratch");
    let crowd = Crowd { bodies: 6, frames: 100, runs: 2, density: 0.3, seed: 9 };
    let mut scene = load(&crowd, dir.path(), BetweenFrames::Linear);
    scene.motion.max_gap = 1;
    let mut found = BatchCollector::default();
    let outcome = Job::new(&scene).run(&mut found).expect("a job that runs");
    assert_eq!(outcome.manifest["summary"]["intervals"]["skipped"], 0);
    assert!(outcome.totals.intervals > 100);
    scene.motion.max_gap = 0;
    let outcome = Job::new(&scene).run(&mut BatchCollector::default()).expect("a job that runs");
    assert_eq!(outcome.manifest["summary"]["intervals"]["skipped"], 2 * 99);
    assert_eq!(outcome.totals.intervals, 0);
}
