//! Promises of the contract for every reader, taken literally: every name and unit of a column in
//! every format, thousands of small files, and geometry that thousands of bodies share.
#![allow(clippy::print_stderr)] // says what was skipped

use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::DataType;
use clearsweep_base::error::ErrorKind;
use clearsweep_scene::model::LengthUnit;
use clearsweep_scene::{FrameBlock, Scene, SceneOverrides, Shape};
use clearsweep_testing::random::Random;
use clearsweep_testing::trajectories::oracle::{check, naive_bounds, oracle};
use clearsweep_testing::trajectories::*;
use clearsweep_trajectory::{ReadOptions, Trajectory};
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

fn scene_of(count: usize) -> Scene {
    let names = names(count);
    scene(&names.iter().map(String::as_str).collect::<Vec<_>>())
}

fn options(path: &Path) -> ReadOptions {
    ReadOptions { path: Some(path.to_path_buf()), ..ReadOptions::default() }
}

fn read(scene: &Scene, path: &Path) -> Vec<FrameBlock> {
    let trajectory = Trajectory::open(scene, &options(path)).unwrap_or_else(|error| panic!("{error}"));
    trajectory.blocks().collect::<Result<Vec<_>, _>>().unwrap_or_else(|error| panic!("{error}"))
}

/// Every body in every sample; poses are numbers of single precision, so that both kinds of columns
/// hold them.
fn rows(random: &mut Random, runs: i64, frames: i64, bodies: usize) -> Vec<Row> {
    let names = names(bodies);
    let mut rows = Vec::new();
    for (run, frame) in (0..runs).flat_map(|run| (0..frames).map(move |frame| (run, frame))) {
        for name in &names {
            let pose = random_pose(random).map(|value| f64::from(value as f32));
            rows.push(Row { run, frame, time: frame as f64 * 0.5, body: name.clone(), pose });
        }
    }
    rows
}

/// Writes rows as Parquet, as an Arrow IPC file and as a stream.
fn write_all(folder: &Path, rows: &[Row], shaping: &Shaping) -> [PathBuf; 3] {
    let paths = ["t.parquet", "t.arrow", "t.arrows"].map(|name| folder.join(name));
    let batch = batch(rows, shaping);
    write_batch(&paths[0], &batch, shaping);
    let mut file = FileWriter::try_new(File::create(&paths[1]).expect("a file"), &batch.schema()).expect("a writer");
    file.write(&batch).and_then(|()| file.finish()).expect("written");
    let mut stream =
        StreamWriter::try_new(File::create(&paths[2]).expect("a file"), &batch.schema()).expect("a writer");
    stream.write(&batch).and_then(|()| stream.finish()).expect("written");
    paths
}

/// The names of a column, as docs/reference/trajectories.md lists them.
const NAMES: [(&str, &[&str]); 7] = [
    ("run", &["run_id"]),
    ("frame", &["frame_index"]),
    ("time_s", &["t", "time", "timestamp"]),
    ("body", &["body_id"]),
    ("x", &["tx"]),
    ("y", &["ty"]),
    ("z", &["tz"]),
];

#[test]
fn every_name_of_every_column_in_every_format() {
    let folder = tempfile::tempdir().expect("a folder");
    let scene = scene_of(2);
    let rows = rows(&mut Random(1), 2, 3, 2);
    let expected = oracle(&scene, &rows, None, None, &|v| v, true);
    for (name, aliases) in NAMES {
        for alias in aliases {
            for float in [DataType::Float32, DataType::Float64] {
                let shaping = Shaping { renamed: vec![(name, alias)], float, ..Shaping::default() };
                for path in write_all(folder.path(), &rows, &shaping) {
                    check(&read(&scene, &path), &expected);
                }
            }
            // The column under both names: which of them is meant?
            let both = Shaping { extra: true, renamed: vec![("note", alias)], ..Shaping::default() };
            for path in write_all(folder.path(), &rows, &both) {
                let error = Trajectory::open(&scene, &options(&path)).err().expect("two names of one column");
                assert!(error.kind == ErrorKind::Input && error.problem.contains(alias), "{error}");
            }
        }
    }
}

#[test]
fn every_unit_of_the_scene_and_of_every_axis_in_every_format() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut scene = scene_of(2);
    let rows = rows(&mut Random(2), 1, 3, 2);
    for unit in LengthUnit::ALL {
        scene.unit = unit;
        for path in write_all(folder.path(), &rows, &Shaping::default()) {
            check(&read(&scene, &path), &oracle(&scene, &rows, None, None, &|v| unit.metres(v), true));
            let bounds = Trajectory::open(&scene, &options(&path)).expect("good").bounds;
            assert_eq!(bounds, Some(naive_bounds(&rows, |v| unit.metres(v))));
        }
        for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
            scene.unit = LengthUnit::ALL[(axis + 1) % 6];
            let shaping = Shaping { units: vec![(name, unit.word)], ..Shaping::default() };
            for path in write_all(folder.path(), &rows, &shaping) {
                let block = &read(&scene, &path)[0];
                let found = block.pose(1, 2).position.to_array();
                let own = |k: usize| if k == axis { unit } else { scene.unit };
                // The second body in the third frame.
                assert_eq!(found, [0, 1, 2].map(|k| own(k).metres(rows[5].pose[k])), "{name} in {}", unit.word);
            }
        }
    }
}

/// Five thousand files in hive directories, in an order that is not that of their names.
const FILES: i64 = 5000;
const RUNS: i64 = 40;

fn write_many(folder: &Path) -> Vec<Row> {
    let all = rows(&mut Random(3), RUNS, FILES / RUNS, 2);
    let shaping = Shaping { run: None, ..Shaping::default() };
    for file in 0..FILES {
        let rows = &all[2 * file as usize..][..2];
        let (run, frame) = (rows[0].run, rows[0].frame);
        write(&folder.join(format!("run={run}/{}-part.parquet", (frame * 77) % (FILES / RUNS))), rows, &shaping);
    }
    all
}

#[test]
fn five_thousand_small_files_need_few_handles() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let all = write_many(&data);
    let scene = scene_of(2);
    check(&read(&scene, &data), &oracle(&scene, &all, None, None, &|v| v, true));
    if !cfg!(unix) {
        eprintln!("skipped in part: the limit of open files is set by a shell");
        return;
    }
    let text = "[scene]\nlength_unit = \"m\"\ntrajectories = \"data\"\n[query]\nwithin = 1\n\
                [[body]]\nname = \"b000\"\nshape = { sphere = 1 }\n[[body]]\nname = \"b001\"\nshape = { sphere = 1 }\n";
    fs::write(folder.path().join("scene.toml"), text).expect("a scene");
    let done = Command::new("sh")
        .args(["-c", "ulimit -n 40 && exec \"$0\" run scene.toml --out out --json", env!("CARGO_BIN_EXE_clearsweep")])
        .current_dir(folder.path())
        .output()
        .expect("a shell");
    let (out, err) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success(), "{err}");
    assert!(out.contains(&format!("\"frames\":{FILES}")) || out.contains(&format!("\"frames\": {FILES}")), "{out}");
}

/// A box of the given length as OBJ, as a PLY file, and as STL.
fn boxes(length: usize) -> [(String, String); 3] {
    let corners: Vec<[usize; 3]> = (0..8).map(|i| [(i & 1) * length, i >> 1 & 1, i >> 2]).collect();
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let mut ply = String::from(
        "ply\nformat ascii 1.0\nelement vertex 8\nproperty double x\nproperty double y\nproperty double z\n\
         element face 6\nproperty list uchar int vertex_indices\nend_header\n",
    );
    let (mut obj, mut stl) = (String::new(), String::from("solid box\n"));
    for [x, y, z] in &corners {
        let _ = writeln!(obj, "v {x} {y} {z}");
        let _ = writeln!(ply, "{x} {y} {z}");
    }
    for [a, b, c, d] in faces {
        let _ = writeln!(obj, "f {} {} {} {}", a + 1, b + 1, c + 1, d + 1);
        let _ = writeln!(ply, "4 {a} {b} {c} {d}");
        for triangle in [[a, b, c], [a, c, d]] {
            stl += "facet normal 0 0 0\nouter loop\n";
            triangle.iter().map(|&v| corners[v]).for_each(|[x, y, z]| stl += &format!("vertex {x} {y} {z}\n"));
            stl += "endloop\nendfacet\n";
        }
    }
    stl += "endsolid\n";
    [("obj", obj), ("ply", ply), ("stl", stl)].map(|(extension, text)| (format!("box-{length}.{extension}"), text))
}

#[test]
fn bodies_of_one_file_share_one_shape_whichever_thread_read_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let files: Vec<(String, String)> = (1..=50).flat_map(boxes).collect();
    for (name, text) in &files {
        fs::write(folder.path().join(name), text).expect("a file");
    }
    // 3,000 bodies over 150 files, in an order that mixes them; every other one names its file in
    // another way.
    let mut table = String::from("body,geometry,static\n");
    for body in 0..3000 {
        let name = &files[body * 7 % files.len()].0;
        let _ = writeln!(table, "body-{body},{}{name},true", if body % 2 == 0 { "" } else { "./" });
    }
    fs::write(folder.path().join("bodies.csv"), table).expect("a table");
    let path = folder.path().join("scene.toml");
    fs::write(&path, "[scene]\nlength_unit = \"m\"\n[query]\nwithin = 1\n[[bodies]]\ntable = \"bodies.csv\"\n")
        .expect("a scene");
    let load =
        || clearsweep_scene::load_scene(&path, &SceneOverrides::default()).unwrap_or_else(|error| panic!("{error}"));
    let scene = load();
    let mut of_file: HashMap<usize, &Arc<Shape>> = HashMap::new();
    for (index, body) in scene.bodies.iter().enumerate() {
        let file = index * 7 % files.len();
        let shape = of_file.entry(file).or_insert(&body.shape);
        assert!(Arc::ptr_eq(shape, &body.shape), "{} has a shape of its own", body.name);
        let length = (file / 3 + 1) as f64;
        let core = &body.shape.hull().core;
        let high = (0..core.count as u32).map(|v| core.vertex(v).x + body.shape.center.x).fold(0.0, f64::max);
        assert_eq!((high, core.count, body.shape.watertight), (length, 8, Some(true)), "{}", files[file].0);
    }
    let shapes: HashSet<*const Shape> = scene.bodies.iter().map(|body| Arc::as_ptr(&body.shape)).collect();
    assert_eq!(shapes.len(), files.len(), "a shape for each file");
    assert_eq!(scene.inputs.len(), 2 + files.len(), "every file is read once");
    assert_eq!(scene.bodies, load().bodies, "the same whatever thread did what");
}

/// Overwrites the number wherever the footer of a Parquet file says it: in the statistics of its
/// column.
fn say_instead(path: &Path, number: f64, instead: f64) -> usize {
    let mut bytes = fs::read(path).expect("a file");
    let end = bytes.len() - 8;
    let length = u32::from_le_bytes(bytes[end..end + 4].try_into().expect("four bytes")) as usize;
    let (old, new) = (number.to_le_bytes(), instead.to_le_bytes());
    let found: Vec<usize> = (end - length..end - 8).filter(|&at| bytes[at..at + 8] == old).collect();
    found.iter().for_each(|&at| bytes[at..at + 8].copy_from_slice(&new));
    fs::write(path, bytes).expect("written");
    found.len()
}

#[test]
fn statistics_that_lie_about_positions_change_no_row() {
    let folder = tempfile::tempdir().expect("a folder");
    let names = names(12);
    let mut random = Random(5);
    let mut all = Vec::new();
    for frame in 0..100 {
        for name in &names {
            let mut pose = random_pose(&mut random);
            pose[..3].iter_mut().for_each(|v| *v *= 0.1);
            all.push(Row { run: 0, frame, time: 0.0, body: name.clone(), pose });
        }
    }
    let mut scene = String::from("[scene]\nlength_unit = \"m\"\n[query]\nwithin = 1\n");
    names.iter().for_each(|name| scene += &format!("[[body]]\nname = \"{name}\"\nshape = {{ box = [1, 2, 3] }}\n"));
    fs::write(folder.path().join("scene.toml"), scene).expect("a scene");
    let rows_found = |data: &Path, out: &str| {
        let done = Command::new(env!("CARGO_BIN_EXE_clearsweep"))
            .args(["run", "scene.toml", "--out", out, "--trajectories"])
            .arg(data)
            .current_dir(folder.path())
            .output()
            .expect("the program starts");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        fs::read(folder.path().join(out).join("distances/part-00000.parquet")).expect("rows")
    };
    let honest = folder.path().join("honest.parquet");
    write(&honest, &all, &Shaping::default());
    let expected = rows_found(&honest, "honest");
    assert!(expected.len() > 20_000, "hardly any rows: {} bytes", expected.len());
    let bounds = naive_bounds(&all, |v| v);
    // A box around nothing, somewhere else, and one beyond all measure.
    for (case, (low, high)) in [(0.001, 0.002), (70.0, 80.0), (-1e300, 1e300)].into_iter().enumerate() {
        let lying = folder.path().join(format!("lying-{case}.parquet"));
        fs::copy(&honest, &lying).expect("a copy");
        for axis in 0..3 {
            let changed = say_instead(&lying, bounds.min[axis], low) + say_instead(&lying, bounds.max[axis], high);
            assert!(changed >= 2, "the statistics were not found");
        }
        assert!(rows_found(&lying, &format!("lying-{case}")) == expected, "{low} to {high}: other rows");
    }
}
