//! The same bytes however a job is cut: for each motion between frames, bodies of all kinds, and
//! any threads, memory, search, shards, chosen frames, and ends before time.
//!
//! `CLEARSWEEP_EXECUTIONS`: how many of the ways of execution are taken, over and over (once each).

#![allow(clippy::print_stderr, reason = "the counts are for whoever runs the tests")]

use super::resume_jobs::{Ending, EndingTables, PARTS, run};
use super::shards::{assert_same_tables, merge, shards};
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{BooleanArray, RecordBatch};
use clearsweep_engine::{Job, JobOptions, MergeOptions};
use clearsweep_scene::{Scene, SceneOverrides};
use clearsweep_tables::{BatchCollector, ParquetTables, TableLayout};
use clearsweep_testing::folder::tables;
use clearsweep_testing::random::Random;
use clearsweep_trajectory::ReadOptions;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::ops::Range;
use std::path::Path;

/// Frames of each of two runs. An interval in joint space takes ten times as long as another one;
/// as many blocks need fewer frames.
const FRAMES: usize = 90;
const JOINT_FRAMES: usize = 66;

/// Samples of a block of the job.
const BLOCK: usize = 64;

/// Threads, bytes of memory and search of candidates.
const WAYS: [(usize, u64, &str); 4] = [
    (1, 2 << 30, "brute"),
    (8, 2 << 30, "hash"),
    (2, 300_000, "auto"), // blocks of some hundred rows at a time
    (3, 1000, "brute"),   // slices of single samples
];

/// A job.
#[derive(Debug, Clone, Copy)]
struct Case {
    /// Motion between frames; `sweep`: that of joints which are swept one by one.
    between: &'static str,
    answer: &'static str,
    contacts: &'static str,
}

const NONE: Case = Case { between: "none", answer: "depth", contacts: "all" };
const LINEAR: Case = Case { between: "linear", answer: "depth", contacts: "none" };
const SCREW: Case = Case { between: "screw", answer: "distance", contacts: "none" };
const HOLD: Case = Case { between: "hold", answer: "distance", contacts: "none" };
const JOINT: Case = Case { between: "joint", answer: "distance", contacts: "none" };
const SWEEP: Case = Case { between: "sweep", answer: "distance", contacts: "none" };

impl Case {
    /// Frames of a run.
    fn frames(self) -> usize {
        if self.between == "joint" { JOINT_FRAMES } else { FRAMES }
    }

    /// Blocks of the job.
    fn blocks(self) -> u64 {
        // A sweep moves each of the joints alone, in nine samples.
        let samples = if self.between == "sweep" { 9 * (2 * KINDS.len() + 1) } else { 2 * self.frames() };
        samples.div_ceil(BLOCK) as u64
    }
}

/// Kinds of bodies, and their keys; there are two bodies of each.
const KINDS: [(&str, &str); 10] = [
    ("mesh", "geometry = \"bracket.obj\"\nmodel = \"mesh\""),
    ("mesh-box", "geometry = \"plate.obj\"\nmodel = \"mesh\""),
    ("open-mesh", "geometry = \"open.obj\"\nmodel = \"mesh\""),
    ("rounded-mesh", "geometry = \"bracket.obj\"\nmodel = \"mesh\"\noffset = 0.03125"),
    ("hull", "geometry = \"plate.obj\"\nmodel = \"hull\""),
    ("rounded-hull", "geometry = \"cube.obj\"\nmodel = \"hull\"\noffset = 0.03125"),
    ("pieces", "geometry = \"bracket.obj\"\nmodel = \"pieces\""),
    ("decomposition", "geometry = \"cube.obj\"\nmodel = \"decomposition\""),
    ("sphere", "shape = { sphere = 0.25 }"),
    ("flat", "shape = { points = [[0, 0, 0], [0.5, 0, 0], [0, 0.5, 0]] }"),
];

/// Boxes as one file of objects; `faces`: how many of each, from the first.
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

/// A body's name, as the tables have it: `KIND.NUMBER`.
fn name_of(body: usize) -> String {
    format!("{}.{}", KINDS[body / 2].0, body % 2)
}

/// A place on a lattice of eighths of a metre, so narrow that every two bodies meet.
fn lattice(random: &mut Random) -> [f64; 3] {
    [0; 3].map(|_| random.below(12) as f64 / 8.0)
}

/// Places of all bodies: the second of a kind beside the first.
fn starts(random: &mut Random) -> Vec<[f64; 3]> {
    let both = |at: [f64; 3]| [at, [at[0] + 0.25, at[1] + 0.125, at[2]]];
    KINDS.iter().flat_map(|_| both(lattice(random))).collect()
}

/// A scene of bodies on a lattice.
fn scene(dir: &Path, case: Case) -> Scene {
    let Case { between, answer, contacts } = case;
    let bracket = [([0.0; 3], [0.5, 0.25, 0.125]), ([0.0, 0.0, 0.125], [0.125, 0.25, 0.5])];
    obj(&dir.join("bracket.obj"), &bracket, 6);
    obj(&dir.join("cube.obj"), &[([-0.25; 3], [0.25; 3])], 6);
    obj(&dir.join("plate.obj"), &[([-0.5, -0.25, -0.0625], [0.5, 0.25, 0.0625])], 6);
    obj(&dir.join("open.obj"), &[([-0.25; 3], [0.25; 3])], 5);
    let ((bodies, csv), input, motion) = match between {
        "sweep" => (carried(), "", "joint"),
        "joint" => (carried(), "joints = \"t.csv\"\n", between),
        _ => (placed(), "trajectories = \"t.csv\"\n", between),
    };
    // What joints carry spreads more.
    let within = if motion == "joint" { 0.5 } else { 0.1 };
    let sweep = if between == "sweep" { "[[sweep]]\npath = \"one-by-one\"\nsteps = 8\n" } else { "" };
    let text = format!(
        "[scene]\nlength_unit = \"m\"\n{input}[query]\nwithin = {within}\nrequire = 0.0625\nanswer = \"{answer}\"\n\
         contacts = \"{contacts}\"\n[motion]\nbetween = \"{motion}\"\n{bodies}{sweep}"
    );
    fs::write(dir.join("t.csv"), csv).expect("written");
    fs::write(dir.join("scene.toml"), text).expect("written");
    let scene = clearsweep_scene::load_scene(&dir.join("scene.toml"), &SceneOverrides::default());
    scene.unwrap_or_else(|error| panic!("{error}: {}", error.remedy))
}

/// Bodies that slide along the axes; the second of each kind also turns, in the second run.
fn placed() -> (String, String) {
    let (mut bodies, mut random) = (String::new(), Random(17));
    let mut csv = String::from("run,frame,time,body,x,y,z,qw,qx,qy,qz\n");
    for body in 0..2 * KINDS.len() {
        writeln!(bodies, "[[body]]\nname = \"{}\"\n{}", name_of(body), KINDS[body / 2].1).expect("text");
    }
    for run in 0..2 {
        let mut places: Vec<([f64; 3], f64)> = starts(&mut random).into_iter().map(|at| (at, 0.0)).collect();
        for frame in 0..FRAMES {
            for (body, (at, heading)) in places.iter_mut().enumerate() {
                if random.below(3) > 0 {
                    let axis = random.below(3);
                    at[axis] += [-0.0625, 0.0625, 0.125][random.below(3)];
                    at[axis] = at[axis].clamp(0.0, 1.5);
                }
                if run == 1 && body % 2 == 1 {
                    *heading += 0.05 * random.unit();
                }
                let ([x, y, z], (sine, cosine)) = (*at, (*heading / 2.0).sin_cos());
                let (name, time) = (name_of(body), frame as f64 / 8.0);
                writeln!(csv, "{run},{frame},{time},{name},{x},{y},{z},{cosine},0,0,{sine}").expect("text");
            }
        }
    }
    (bodies, csv)
}

/// Bodies that joints slide or turn, of the world, a cart that slides, or the body before.
fn carried() -> (String, String) {
    let mut random = Random(23);
    let mut bodies = String::from(
        "[[body]]\nname = \"cart.0\"\nshape = { box = [0.25, 0.25, 0.25] }\nposition = [0.5, 0.5, 0.5]\n\
         [[joint]]\nname = \"cart\"\ntype = \"prismatic\"\nchild = \"cart.0\"\naxis = [0, 0, 1]\n\
         range = [-0.5, 0.5]\n",
    );
    let joints = 2 * KINDS.len();
    for (body, [x, y, z]) in starts(&mut random).into_iter().enumerate() {
        let (name, keys) = (name_of(body), KINDS[body / 2].1);
        let parent = match random.below(3) {
            0 => String::new(),
            1 if body > 0 => format!("parent = \"{}\"\n", name_of(body - 1)),
            _ => "parent = \"cart.0\"\n".to_owned(),
        };
        let (kind, range) = [("prismatic", "[-1, 1]"), ("revolute", "[\"-60deg\", \"60deg\"]")][body % 2];
        let axis = [[1, 0, 0], [0, 1, 0], [0, 0, 1]][random.below(3)];
        write!(
            bodies,
            "[[body]]\nname = \"{name}\"\n{keys}\nposition = [{x}, {y}, {z}]\n\
             [[joint]]\nname = \"j{body}\"\ntype = \"{kind}\"\n{parent}child = \"{name}\"\norigin = [0.125, 0, 0.25]\n\
             axis = {axis:?}\nrange = {range}\n"
        )
        .expect("text");
    }
    let names: Vec<String> = (0..joints).map(|body| format!(",j{body}")).collect();
    let mut csv = format!("run,frame,time_s,cart{}\n", names.concat());
    for run in 0..2 {
        let mut values = vec![0.0_f64; joints + 1];
        for frame in 0..JOINT_FRAMES {
            write!(csv, "{run},{frame},{}", frame as f64 / 8.0).expect("text");
            for (at, value) in values.iter_mut().enumerate() {
                let is_turn = at > 0 && at % 2 == 0;
                let step = if is_turn { 0.1 * random.signed() } else { [-0.0625, 0.0, 0.0625][random.below(3)] };
                *value = (*value + step).clamp(-0.5, 0.5);
                write!(csv, ",{value}").expect("text");
            }
            csv.push('\n');
        }
    }
    (bodies, csv)
}

fn executions() -> usize {
    std::env::var("CLEARSWEEP_EXECUTIONS").map_or(WAYS.len(), |count| count.parse().expect("a count"))
}

/// Tables of a job that is cut into samples, blocks and batches by threads and memory.
fn check_ways(dir: &Path, scene: &Scene, whole: &Path, case: Case) {
    for execution in 0..executions().max(WAYS.len()) {
        let (threads, memory, broad) = WAYS[execution % WAYS.len()];
        let out = dir.join("way");
        let options = JobOptions { threads: Some(threads), memory, broad: broad.into(), ..JobOptions::default() };
        Job::new(scene).options(options).run(&mut ParquetTables::new(&out)).expect("a job that runs");
        assert_same_tables(whole, &out, &(case, execution, WAYS[execution % WAYS.len()]));
        fs::remove_dir_all(&out).expect("removed");
    }
}

/// Tables of a job that shards divide, as many as samples, and fewer.
fn check_shards(dir: &Path, scene: &Scene, whole: &Path, case: Case) {
    let mut random = Random(5);
    for count in [3, 40] {
        let (into, merged) = (dir.join(format!("s{count}")), dir.join(format!("m{count}")));
        shards(scene, count, &into, &mut random);
        merge(&into, None, &MergeOptions::new(&merged)).unwrap_or_else(|error| panic!("{case:?}, {count}: {error}"));
        assert_same_tables(whole, &merged, &(case, count));
    }
}

/// Parts that a block fills, so that there is a checkpoint before each.
const SMALL_PARTS: TableLayout = TableLayout { groups_per_part: 1, ..PARTS };

/// Tables of a job that is killed after each of its blocks, and gone on with in another way.
fn check_resumes(dir: &Path, scene: &Scene, case: Case) {
    let whole = dir.join("parts");
    run(scene, 0, &mut ParquetTables::new(&whole).with_layout(SMALL_PARTS)).expect("done");
    let mut gone_on = Vec::new();
    for killed_at in 1..case.blocks() {
        let out = dir.join(format!("killed-{killed_at}"));
        let tables = ParquetTables::new(&out).with_layout(SMALL_PARTS);
        let mut sink = EndingTables { tables, ending: Ending::Killed, blocks: killed_at, first: None };
        run(scene, killed_at, &mut sink).expect_err("it is killed");
        let mut sink = ParquetTables::new(&out).with_layout(SMALL_PARTS).resume(true);
        let resumed = run(scene, killed_at + 7, &mut sink).expect("done");
        gone_on.push(resumed);
        assert_same_tables(&whole, &out, &(case, "killed", killed_at));
    }
    // A checkpoint needs the part that was in progress.
    eprintln!("{case:?}: gone on with after {gone_on:?} samples");
    assert!(gone_on.iter().any(|&samples| samples > 0), "{case:?}: {gone_on:?}");
}

/// Rows of a job about some of the frames, or all.
fn rows(scene: &Scene, frames: Option<Range<i64>>) -> BatchCollector {
    let options = JobOptions { read: ReadOptions { frames, ..ReadOptions::default() }, ..JobOptions::default() };
    let mut rows = BatchCollector::default();
    Job::new(scene).options(options).run(&mut rows).expect("a job that runs");
    rows
}

/// Those of chosen frames.
fn rows_of(batches: &[RecordBatch], frames: &Range<i64>) -> Vec<RecordBatch> {
    let chosen = |batch: &RecordBatch| {
        let frame = batch.column_by_name("frame").expect("a frame").as_primitive::<Int64Type>();
        let mask: BooleanArray = frame.values().iter().map(|frame| Some(frames.contains(frame))).collect();
        arrow_select::filter::filter_record_batch(batch, &mask).expect("rows")
    };
    let rows: Vec<RecordBatch> = batches.iter().map(chosen).collect();
    rows.first()
        .map(|first| arrow_select::concat::concat_batches(&first.schema(), &rows).expect("rows"))
        .into_iter()
        .collect()
}

/// Rows of jobs about some of the frames: the first one decides where blocks end, so each cut puts
/// the ends of blocks elsewhere.
fn check_frames(scene: &Scene, case: Case) {
    let all = rows(scene, None);
    for first in [1, 30, BLOCK as i64 - 1] {
        let frames = first..(first + 40).min(case.frames() as i64);
        let part = rows(scene, Some(frames.clone()));
        // The interval after the last chosen frame is not among them.
        let of_intervals = frames.start..frames.end - 1;
        for (table, all, part, frames) in [
            ("distances", &all.distances, &part.distances, &frames),
            ("penetrations", &all.penetrations, &part.penetrations, &frames),
            ("contacts", &all.contacts, &part.contacts, &frames),
            ("intervals", &all.intervals, &part.intervals, &of_intervals),
        ] {
            let [all, part] = [all, part].map(|batches| rows_of(batches, frames));
            assert!(all == part, "{case:?}: {table} of frames {frames:?} differ");
            let is_empty = all.iter().all(|batch| batch.num_rows() == 0);
            let is_asked = match table {
                "distances" => true,
                "penetrations" => case.answer != "overlap",
                "contacts" => case.contacts == "all",
                _ => case.between != "none",
            };
            assert!(is_empty != is_asked, "{case:?}: {table} of {frames:?}");
        }
    }
    check_cells(&all, case);
}

/// Every pair of kinds has rows.
fn check_cells(rows: &BatchCollector, case: Case) {
    let tables = [("distances", &rows.distances), ("intervals", &rows.intervals)];
    for (table, batches) in tables.into_iter().take(1 + usize::from(case.between != "none")) {
        let mut cells = BTreeMap::<[String; 2], usize>::new();
        for batch in batches {
            let kinds = ["body_a", "body_b"].map(|column| {
                let names = batch.column_by_name(column).expect("names");
                let names = arrow_cast::cast(names, &arrow_schema::DataType::Utf8).expect("texts");
                let kind =
                    |name: Option<&str>| name.and_then(|name| name.split_once('.')).expect("a kind").0.to_owned();
                names.as_string::<i32>().iter().map(kind).collect::<Vec<_>>()
            });
            for row in 0..batch.num_rows() {
                let mut cell = [kinds[0][row].clone(), kinds[1][row].clone()];
                cell.sort();
                *cells.entry(cell).or_default() += 1;
            }
        }
        let rows: usize = cells.values().sum();
        eprintln!("{case:?}, {table}: {rows} rows of {} pairs of kinds", cells.len());
        for (at, (a, _)) in KINDS.iter().enumerate() {
            let cell = |b: &str| {
                let mut cell = [(*a).to_owned(), b.to_owned()];
                cell.sort();
                cell
            };
            if ["joint", "sweep"].contains(&case.between) {
                // What joints carry spreads: each kind meets most others.
                let met = KINDS.iter().filter(|(b, _)| cells.contains_key(&cell(b))).count();
                assert!(met > KINDS.len() / 2, "{case:?}: in {table} {a} meets {met} kinds");
                continue;
            }
            for (b, _) in &KINDS[at..] {
                assert!(cells.contains_key(&cell(b)), "{case:?}: {table} has no rows of {a} and {b}");
            }
        }
    }
}

/// Tables of a job, in every way and each time.
fn check(case: Case) {
    let dir = tempfile::tempdir().expect("scratch");
    let scene = scene(dir.path(), case);
    let whole = dir.path().join("whole");
    Job::new(&scene).run(&mut ParquetTables::new(&whole)).expect("a job that runs");
    assert!(tables(&whole).len() > 5, "{case:?}");
    check_ways(dir.path(), &scene, &whole, case);
    check_shards(dir.path(), &scene, &whole, case);
    check_resumes(dir.path(), &scene, case);
    if case.between == "sweep" {
        // Each joint has a run of nine frames of its own.
        check_cells(&rows(&scene, None), case);
    } else {
        check_frames(&scene, case);
    }
}

#[test]
fn without_motion() {
    check(NONE);
}

#[test]
fn with_linear_motion() {
    check(LINEAR);
}

#[test]
fn with_screws() {
    check(SCREW);
}

#[test]
fn with_poses_that_hold() {
    check(HOLD);
}

#[test]
fn with_joints() {
    check(JOINT);
}

#[test]
fn with_sweeps() {
    check(SWEEP);
}
