//! Meshes with sides parallel to the axes, among bodies of all kinds: the same bytes for any threads, memory, search and start, each time.
//!
//! `CLEARSWEEP_EXECUTIONS`: how often each job is executed (3).

#![allow(clippy::print_stderr, reason = "the counts are for whoever runs the tests")]

use clearsweep_engine::{Job, JobOptions};
use clearsweep_scene::{Scene, SceneOverrides};
use clearsweep_tables::ParquetTables;
use clearsweep_testing::folder::tables;
use clearsweep_testing::late::check_late_starts;
use clearsweep_testing::random::Random;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// Frames of each of two runs.
const FRAMES: usize = 160;

/// Threads, bytes of memory and search of candidates.
const WAYS: [(usize, u64, &str); 7] = [
    (1, 2 << 30, "brute"),
    (2, 2 << 30, "auto"),
    (3, 2 << 30, "tree"),
    (8, 2 << 30, "hash"),
    (8, 10_000_000, "auto"), // batches of a few blocks
    (2, 300_000, "auto"),    // blocks of some hundred rows at a time
    (3, 1000, "brute"),      // slices of single samples
];

/// Boxes as one file of objects; `faces`: of each, the first so many.
fn obj(file: &Path, boxes: &[([f64; 3], [f64; 3])], faces: usize) {
    let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let mut text = String::new();
    for (number, (low, high)) in boxes.iter().enumerate() {
        writeln!(text, "o part-{number}").expect("text");
        for k in 0..8 {
            let [x, y, z] = [0, 1, 2].map(|axis: usize| if k >> axis & 1 == 1 { high[axis] } else { low[axis] });
            writeln!(text, "v {x} {y} {z}").expect("text");
        }
        for [a, b, c, d] in sides[..faces].iter().map(|side| side.map(|v| v + 1 + 8 * number)) {
            writeln!(text, "f {a} {b} {c}\nf {a} {c} {d}").expect("text");
        }
    }
    fs::write(file, text).expect("written");
}

/// A scene of bodies on a lattice, which slide along the axes, turn by headings, or stand.
fn scene(dir: &Path, between: &str, answer: &str) -> Scene {
    let bracket = [([0.0; 3], [0.5, 0.25, 0.125]), ([0.0, 0.0, 0.125], [0.125, 0.25, 0.5])];
    obj(&dir.join("bracket.obj"), &bracket, 6);
    obj(&dir.join("cube.obj"), &[([-0.25; 3], [0.25; 3])], 6);
    obj(&dir.join("plate.obj"), &[([-0.5, -0.25, -0.0625], [0.5, 0.25, 0.0625])], 6);
    obj(&dir.join("open.obj"), &[([-0.25; 3], [0.25; 3])], 5);
    let kinds = [
        ("mesh-cube", "geometry = \"cube.obj\"\nmodel = \"mesh\""),
        ("mesh-plate", "geometry = \"plate.obj\"\nmodel = \"mesh\""),
        ("mesh-bracket", "geometry = \"bracket.obj\"\nmodel = \"mesh\""),
        ("mesh-open", "geometry = \"open.obj\"\nmodel = \"mesh\""),
        ("rounded-mesh", "geometry = \"bracket.obj\"\nmodel = \"mesh\"\noffset = 0.03125"),
        ("hull", "geometry = \"plate.obj\"\nmodel = \"hull\""),
        ("rounded-hull", "geometry = \"cube.obj\"\nmodel = \"hull\"\noffset = 0.03125"),
        ("pieces", "geometry = \"bracket.obj\"\nmodel = \"pieces\""),
        ("decomposition", "geometry = \"cube.obj\"\nmodel = \"decomposition\""),
        ("sphere", "shape = { sphere = 0.25 }"),
        ("flat", "shape = { points = [[0, 0, 0], [0.5, 0, 0], [0, 0.5, 0]] }"),
    ];
    let mut text = format!(
        "[scene]\nlength_unit = \"m\"\ntrajectories = \"t.csv\"\n[query]\nwithin = 0.3\nrequire = 0.0625\n\
         answer = \"{answer}\"\ncontacts = \"all\"\n[motion]\nbetween = \"{between}\"\n"
    );
    let (mut csv, mut random) = (String::from("run,frame,time,body,x,y,z,qw,qx,qy,qz\n"), Random(17));
    for (name, keys) in kinds {
        (0..2).for_each(|k| writeln!(text, "[[body]]\nname = \"{name}-{k}\"\n{keys}").expect("text"));
    }
    for run in 0..2 {
        let mut places: Vec<([f64; 3], f64)> =
            (0..2 * kinds.len()).map(|_| ([0; 3].map(|_| random.below(24) as f64 / 8.0), 0.0)).collect();
        for frame in 0..FRAMES {
            for (body, (at, heading)) in places.iter_mut().enumerate() {
                let name = format!("{}-{}", kinds[body / 2].0, body % 2);
                // Most slide on the lattice; the second of each kind also turns, in the second run.
                if random.below(3) > 0 {
                    let axis = random.below(3);
                    at[axis] += [-0.0625, 0.0625, 0.125][random.below(3)];
                    at[axis] = at[axis].clamp(0.0, 3.0);
                }
                if run == 1 && body % 2 == 1 {
                    *heading += 0.05 * random.unit();
                }
                let ([x, y, z], (sine, cosine)) = (*at, (*heading / 2.0).sin_cos());
                writeln!(csv, "{run},{frame},{},{name},{x},{y},{z},{cosine},0,0,{sine}", frame as f64 / 8.0)
                    .expect("text");
            }
        }
    }
    fs::write(dir.join("t.csv"), csv).expect("written");
    fs::write(dir.join("scene.toml"), text).expect("written");
    let scene = Scene::load(&dir.join("scene.toml"), &SceneOverrides::default());
    scene.unwrap_or_else(|error| panic!("{error}: {}", error.remedy))
}

fn executions() -> usize {
    std::env::var("CLEARSWEEP_EXECUTIONS").map_or(3, |count| count.parse().expect("a count"))
}

#[test]
fn tables_are_the_same_in_every_way_each_time() {
    for (between, answer) in [("none", "distance"), ("linear", "depth")] {
        let dir = tempfile::tempdir().expect("scratch");
        let scene = scene(dir.path(), between, answer);
        let mut first = None;
        for execution in 0..executions().max(WAYS.len()) {
            let (threads, memory, broad) = WAYS[execution % WAYS.len()];
            let out = dir.path().join("out");
            let options = JobOptions { threads: Some(threads), memory, broad: broad.into(), ..JobOptions::default() };
            let done = Job::new(&scene).options(options).run(&mut ParquetTables::new(&out)).expect("a job that runs");
            let found = (done.totals, tables(&out));
            fs::remove_dir_all(&out).expect("removed");
            let whole = first.get_or_insert_with(|| found.clone());
            let say = format!("{between}, {answer}, execution {execution}: {threads} threads, {memory} bytes, {broad}");
            assert_eq!(whole.0, found.0, "{say}");
            assert!(whole.1.keys().eq(found.1.keys()), "{say}: other files");
            let other = whole.1.iter().find(|(name, bytes)| **bytes != found.1[*name]);
            assert!(other.is_none(), "{say}: {:?} differs", other.map(|(name, _)| name));
        }
        let totals = first.expect("executed").0;
        let (rows, contacts) = (totals.rows, totals.contacts);
        eprintln!("{between}, {answer}: {rows} rows, {contacts} contacts");
        assert!(rows > 4_000 && contacts > 1_000, "not representative: {rows} rows, {contacts} contacts");
    }
}

#[test]
fn a_job_that_goes_on_from_any_block_gives_the_same_rows() {
    let dir = tempfile::tempdir().expect("scratch");
    let scene = scene(dir.path(), "none", "depth");
    check_late_starts(&scene, 1..(2 * FRAMES).div_ceil(64) as u64, 1000);
}
