//! `--memory` is a promise: the tables are the same at every limit, and what is remembered of pairs
//! stays within it.

use clearsweep_datasets::Crowd;
use clearsweep_engine::{Job, JobOptions, Outcome};
use clearsweep_scene::{Scene, SceneOverrides};
use clearsweep_tables::ParquetTables;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use clearsweep_testing::folder::tables;

const LIMITS: [u64; 4] = [1 << 20, 16_000_000, 64_000_000, 1_000_000_000];

fn load(scene: &Path) -> Scene {
    clearsweep_scene::load_scene(scene, &SceneOverrides::default()).expect("a scene")
}

/// Runs a scene at every limit; the tables and totals have to be the same.
fn at_every_limit(scene: &Scene, dir: &Path) -> Outcome {
    let run = |memory: u64| {
        let out = dir.join(format!("out-{memory}"));
        let options = JobOptions { threads: Some(2), memory, ..JobOptions::default() };
        let done = Job::new(scene).options(options).run(&mut ParquetTables::new(&out)).expect("a job that runs");
        (done, tables(&out))
    };
    let (expected, whole) = run(2 << 30);
    for memory in LIMITS {
        let (done, tables) = run(memory);
        assert_eq!(done.totals, expected.totals, "{memory} bytes");
        assert!(whole.keys().eq(tables.keys()), "{memory} bytes: other files");
        for (name, bytes) in &whole {
            assert!(*bytes == tables[name], "{memory} bytes: {} differs", name.display());
        }
    }
    expected
}

/// Boxes in a lattice, 5 cm apart, of which the requirement holds for none; `moving`: so many of
/// them move, in two frames.
fn lattice(dir: &Path, side: usize, moving: usize) -> PathBuf {
    let mut parts = "body,x,y,z,static\n".to_owned();
    let mut poses = "frame,body,x,y,z,qw,qx,qy,qz\n".to_owned();
    for k in 0..side.pow(3) {
        let [x, y, z] = [k / side / side, k / side % side, k % side].map(|at| at as f64 * 1.05);
        // Moving bodies are strewn among the others.
        let moves = k % 7 == 3 && k / 7 < moving;
        if moves {
            writeln!(parts, "part-{k},,,,false").expect("text");
            (0..2).for_each(|frame| writeln!(poses, "{frame},part-{k},{x},{y},{z},1,0,0,0").expect("text"));
        } else {
            writeln!(parts, "part-{k},{x},{y},{z},true").expect("text");
        }
    }
    let mut lines: Vec<&str> = poses.lines().skip(1).collect();
    lines.sort_by_key(|line| line.split(',').next().map(str::to_owned));
    let poses = format!("frame,body,x,y,z,qw,qx,qy,qz\n{}\n", lines.join("\n"));
    let trajectories = if moving > 0 { "trajectories = \"poses.csv\"\n" } else { "" };
    let scene = format!(
        "[scene]\nlength_unit = \"m\"\n{trajectories}[query]\nwithin = 0.06\nrequire = 0.055\nstatic_pairs = true\n\
         [[bodies]]\ntable = \"parts.csv\"\nshape = {{ box = [1.0, 1.0, 1.0] }}\n"
    );
    fs::write(dir.join("parts.csv"), parts).expect("written");
    fs::write(dir.join("poses.csv"), poses).expect("written");
    fs::write(dir.join("scene.toml"), scene).expect("written");
    dir.join("scene.toml")
}

/// Rows of a lattice of so many boxes a side.
fn pairs(side: u64) -> u64 {
    3 * side * side * (side - 1)
}

#[test]
fn a_static_scene_is_the_same_at_every_limit() {
    let dir = tempfile::tempdir().expect("scratch");
    let done = at_every_limit(&load(&lattice(dir.path(), 24, 0)), dir.path());
    assert_eq!((done.totals.rows, done.totals.violated), (pairs(24), pairs(24)));
    assert_eq!(done.totals.pairs_violated, pairs(24), "counted exactly, in memory or on disk");
}

#[test]
fn static_pairs_beside_moving_bodies_are_the_same_at_every_limit() {
    let dir = tempfile::tempdir().expect("scratch");
    let done = at_every_limit(&load(&lattice(dir.path(), 16, 500)), dir.path());
    assert_eq!(done.totals.samples, 2);
    assert!(done.totals.rows > pairs(16) + 1000, "{} rows", done.totals.rows);
    assert_eq!(done.totals.pairs_violated, pairs(16));
}

#[test]
fn a_crowd_in_many_blocks_and_runs_is_the_same_at_every_limit() {
    let dir = tempfile::tempdir().expect("scratch");
    let crowd = Crowd { bodies: 150, frames: 100, runs: 2, density: 0.6, seed: 8 };
    let files = crowd.write(&dir.path().join("crowd")).expect("a data set");
    let scene = files.last().expect("the scene");
    let text = fs::read_to_string(scene).expect("text").replace("within = 0.05 ", "within = 0.2\nrequire = 0.15\n");
    fs::write(scene, text).expect("written");
    let done = at_every_limit(&load(scene), dir.path());
    assert_eq!(done.totals.samples, 200);
    assert!(done.totals.pairs_violated > 1500, "{} pairs", done.totals.pairs_violated);
}
