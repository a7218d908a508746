//! Every pair of ends in every table is in order: bodies of all kinds tumble through each other.

#![allow(clippy::type_complexity, reason = "tables of cases, with a function each")]

use arrow_array::Array;
use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use clearsweep_engine::{Job, JobOptions};
use clearsweep_scene::{Scene, SceneOverrides};
use clearsweep_tables::ParquetTables;
use clearsweep_testing::random::Random;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// Columns of the lower and the upper ends of a table.
const ENDS: [(&str, [&str; 2]); 11] = [
    ("distances", ["lower_m", "upper_m"]),
    ("distances", ["directional_lower_m", "directional_upper_m"]),
    ("penetrations", ["depth_lower_m", "depth_upper_m"]),
    ("intervals", ["lower_m", "upper_m"]),
    ("intervals", ["closest_lo", "closest_hi"]),
    ("intervals", ["contact_lo", "contact_hi"]),
    ("pairs", ["lower_m", "upper_m"]),
    ("pairs", ["min_between_lower_m", "min_between_upper_m"]),
    ("pairs", ["contact_lo", "contact_hi"]),
    ("pairs", ["contact_time_lo_s", "contact_time_hi_s"]),
    ("runs", ["min_between_lower_m", "min_between_upper_m"]),
];

/// Vertices and quadrilaterals of a box.
fn block(low: [f64; 3], high: [f64; 3], faces: usize) -> (Vec<[f64; 3]>, Vec<[usize; 4]>) {
    let all = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let corner = |k: usize| [0, 1, 2].map(|axis: usize| if k >> axis & 1 == 1 { high[axis] } else { low[axis] });
    ((0..8).map(corner).collect(), all[..faces].to_vec())
}

fn obj(file: &Path, blocks: &[(Vec<[f64; 3]>, Vec<[usize; 4]>)]) {
    let (mut text, mut from) = (String::new(), 1);
    for (number, (vertices, faces)) in blocks.iter().enumerate() {
        writeln!(text, "o part-{number}").expect("text");
        vertices.iter().for_each(|[x, y, z]| writeln!(text, "v {x} {y} {z}").expect("text"));
        for [a, b, c, d] in faces.iter().map(|face| face.map(|v| v + from)) {
            writeln!(text, "f {a} {b} {c}\nf {a} {c} {d}").expect("text");
        }
        from += vertices.len();
    }
    fs::write(file, text).expect("written");
}

/// A scene of bodies of all kinds, and their motions.
fn scene(dir: &Path, seed: u64, between: &str) -> Scene {
    let bracket = [
        block([0.0, 0.0, 0.0], [1.0, 0.6, 0.1], 6),
        block([0.0, 0.0, 0.101], [0.1, 0.6, 0.8], 6),
        block([0.101, 0.0, 0.7], [0.7, 0.6, 0.8], 6),
    ];
    obj(&dir.join("bracket.obj"), &bracket);
    obj(&dir.join("cube.obj"), &[block([-0.4; 3], [0.4; 3], 6)]);
    obj(&dir.join("open.obj"), &[block([-0.4, -0.3, -0.5], [0.4, 0.3, 0.5], 5)]);
    let kinds = [
        ("hull", "geometry = \"cube.obj\"\nmodel = \"hull\""),
        ("rounded-hull", "geometry = \"cube.obj\"\nmodel = \"hull\"\noffset = 0.05"),
        ("pieces", "geometry = \"bracket.obj\"\nmodel = \"pieces\""),
        ("decomposition", "geometry = \"cube.obj\"\nmodel = \"decomposition\""),
        ("mesh", "geometry = \"bracket.obj\"\nmodel = \"mesh\""),
        ("mesh-cube", "geometry = \"cube.obj\"\nmodel = \"mesh\"\npivot = \"centre\""),
        ("rounded-mesh", "geometry = \"bracket.obj\"\nmodel = \"mesh\"\noffset = 0.05"),
        ("open", "geometry = \"open.obj\"\nmodel = \"mesh\""),
        ("sphere", "shape = { sphere = 0.3 }"),
        ("capsule", "shape = { capsule = [0.1, 0.8] }"),
        ("flat", "shape = { points = [[0, 0, 0], [1, 0, 0], [0, 1, 0]] }"),
        ("known", "shape = { box = [0.5, 0.6, 0.7] }\ndeviation = 0.01"),
    ];
    let mut text = format!(
        "[scene]\nlength_unit = \"m\"\ntrajectories = \"t.csv\"\n[query]\nwithin = 0.4\nrequire = 0.05\ndirection = [0.6, 0, 0.8]\n\
         [motion]\nbetween = \"{between}\"\n"
    );
    let (mut csv, mut random) = (String::from("run,frame,time,body,x,y,z,qw,qx,qy,qz\n"), Random(seed));
    for (name, keys) in kinds {
        writeln!(text, "[[body]]\nname = \"{name}\"\n{keys}").expect("text");
    }
    for run in 0..2 {
        for frame in 0..12 {
            for (name, _) in kinds {
                let at = random.in_cube(1.3);
                // Some do not turn: their sides stay parallel.
                let angle = if random.below(3) == 0 { 0.0 } else { 1.4 * random.unit() };
                let pose: Vec<String> = at.iter().chain(&random.turn_by(angle)).map(f64::to_string).collect();
                writeln!(csv, "{run},{frame},{},{name},{}", f64::from(frame) / 8.0, pose.join(",")).expect("text");
            }
        }
    }
    fs::write(dir.join("t.csv"), csv).expect("written");
    fs::write(dir.join("scene.toml"), text).expect("written");
    let scene = clearsweep_scene::load_scene(&dir.join("scene.toml"), &SceneOverrides::default());
    scene.unwrap_or_else(|error| panic!("{error}: {}", error.remedy))
}

fn files(out: &Path, table: &str) -> Vec<PathBuf> {
    match fs::read_dir(out.join(table)) {
        Ok(entries) => entries.map(|entry| entry.expect("an entry").path()).collect(),
        Err(_) => vec![out.join(format!("{table}.parquet"))],
    }
}

fn batches(out: &Path, table: &str) -> Vec<RecordBatch> {
    let read = |file: PathBuf| {
        let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(file).expect("a file")).expect("Parquet");
        reader.build().expect("a reader").map(|batch| batch.expect("a batch")).collect::<Vec<_>>()
    };
    files(out, table).into_iter().flat_map(read).collect()
}

#[test]
fn ends_of_all_tables_are_in_order() {
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for (seed, between) in [(1, "linear"), (2, "screw"), (3, "hold")] {
        let dir = tempfile::tempdir().expect("scratch");
        let scene = scene(dir.path(), seed, between);
        let out = dir.path().join("out");
        let options = JobOptions { threads: Some(2), ..JobOptions::default() };
        Job::new(&scene).options(options).run(&mut ParquetTables::new(&out)).expect("a job that runs");
        for (table, [lower, upper]) in ENDS {
            for batch in batches(&out, table) {
                let column = |name: &str| batch.column_by_name(name).expect(name).as_primitive::<Float64Type>().clone();
                let (low, high) = (column(lower), column(upper));
                for row in (0..batch.num_rows()).filter(|&row| low.is_valid(row) && high.is_valid(row)) {
                    let (low, high) = (low.value(row), high.value(row));
                    assert!(low <= high, "{between}: {table}, row {row}: {lower} = {low}, {upper} = {high}");
                    *counts.entry((table, lower)).or_default() += 1;
                }
            }
        }
    }
    for (table, [lower, _]) in ENDS {
        let found = counts.get(&(table, lower)).copied().unwrap_or(0);
        let least = if table == "runs" { 6 } else { 100 };
        assert!(found >= least, "not representative: {found} of {lower} in {table}");
    }
}
