//! Trajectories from other hands: names, units and ids of columns, and angles in place of a
//! quaternion.

use arrow_array::{
    ArrayRef, DictionaryArray, Float32Array, Float64Array, Int8Array, Int64Array, RecordBatch, StringArray, UInt64Array,
};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::{DataType, Field, Schema};
use clearsweep_base::error::Error;
use clearsweep_scene::{FrameBlock, PoseSteps, Scene, SceneOverrides, TrajectoryColumns};
use clearsweep_testing::random::Random;
use clearsweep_testing::trajectories::oracle::{check, oracle};
use clearsweep_testing::trajectories::*;
use clearsweep_trajectory::{ReadOptions, Trajectory};
use std::collections::HashMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Names of columns, each with the name of the format, and a unit.
fn columns(given: &[(&str, &str, Option<&str>)]) -> TrajectoryColumns {
    given.iter().fold(TrajectoryColumns::default(), |columns, (role, name, unit)| {
        columns.with(role, name, *unit).unwrap_or_else(|error| panic!("{error}"))
    })
}

fn scene_of(count: usize, columns: TrajectoryColumns) -> Scene {
    let names = names(count);
    let scene = scene(&names.iter().map(String::as_str).collect::<Vec<_>>());
    Scene { columns, ..scene }
}

fn options(path: &Path) -> ReadOptions {
    ReadOptions { path: Some(path.to_path_buf()), ..ReadOptions::default() }
}

fn read(scene: &Scene, path: &Path) -> Result<Vec<FrameBlock>, Error> {
    Trajectory::open(scene, &options(path))?.blocks().collect()
}

fn good(scene: &Scene, path: &Path) -> Vec<FrameBlock> {
    read(scene, path).unwrap_or_else(|error| panic!("{error} ({})", error.remedy))
}

/// The error of an input, with its remedy.
fn wrong(scene: &Scene, path: &Path) -> String {
    let error = read(scene, path).err().unwrap_or_else(|| panic!("no error"));
    format!("{error} ({})", error.remedy)
}

/// Rows of two runs.
fn rows(frames: i64, bodies: usize) -> Vec<Row> {
    let mut random = Random(11);
    let mut rows = Vec::new();
    for run in 0..2 {
        for frame in 0..frames {
            for body in names(bodies) {
                rows.push(Row { run, frame, time: frame as f64 * 0.25, body, pose: random_pose(&mut random) });
            }
        }
    }
    rows
}

/// Writes a batch as Parquet, as an Arrow IPC file, and as a stream of batches.
fn every_format(folder: &Path, batch: &RecordBatch) -> [PathBuf; 3] {
    let [parquet, file, stream] = ["t.parquet", "t.arrow", "t.arrows"].map(|name| folder.join(name));
    write_batch(&parquet, batch, &Shaping { groups: vec![50], ..Shaping::default() });
    let mut writer = FileWriter::try_new(File::create(&file).expect("created"), &batch.schema()).expect("a writer");
    writer.write(batch).expect("written");
    writer.finish().expect("finished");
    let mut writer = StreamWriter::try_new(File::create(&stream).expect("created"), &batch.schema()).expect("a writer");
    for start in (0..batch.num_rows()).step_by(70) {
        writer.write(&batch.slice(start, 70.min(batch.num_rows() - start))).expect("written");
    }
    writer.finish().expect("finished");
    [parquet, file, stream]
}

/// A batch of named columns.
fn table(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    let fields: Vec<Field> =
        columns.iter().map(|(name, array)| Field::new(*name, array.data_type().clone(), true)).collect();
    let arrays = columns.into_iter().map(|(_, array)| array).collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).expect("columns of equal length")
}

/// One row a frame of one body, `b000` unless `body` says another, at the origin; with more
/// columns.
fn track(frames: usize, body: Option<ArrayRef>, more: Vec<(&'static str, ArrayRef)>) -> RecordBatch {
    let zeros = || -> ArrayRef { Arc::new(Float64Array::from(vec![0.0; frames])) };
    let body = body.unwrap_or_else(|| Arc::new(StringArray::from(vec!["b000"; frames])));
    let frame: ArrayRef = Arc::new(Int64Array::from_iter_values(0..frames as i64));
    let own = vec![("frame", frame), ("body", body), ("x", zeros()), ("y", zeros()), ("z", zeros())];
    table(own.into_iter().chain(more).collect())
}

/// The columns of a quaternion that does not turn.
fn still(frames: usize) -> Vec<(&'static str, ArrayRef)> {
    let all = |value: f64| -> ArrayRef { Arc::new(Float64Array::from(vec![value; frames])) };
    vec![("qw", all(1.0)), ("qx", all(0.0)), ("qy", all(0.0)), ("qz", all(0.0))]
}

#[test]
fn every_role_may_have_another_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let names = [
        ("run", "mission"),
        ("frame", "tick"),
        ("time_s", "clock"),
        ("body", "entity"),
        ("x", "pos_x"),
        ("y", "y pos"),
        ("z", "Zed"),
        ("qw", "rot_w"),
        ("qx", "rot_x"),
        ("qy", "rot_y"),
        ("qz", "rot_z"),
    ];
    let rows = rows(80, 3);
    let plain = scene_of(3, TrajectoryColumns::default());
    let expected = oracle(&plain, &rows, None, None, &|v| v, true);
    let all: Vec<_> = names.iter().map(|(role, name)| (*role, *name, None)).collect();
    let shaping = Shaping { renamed: names.to_vec(), extra: true, ..Shaping::default() };
    for path in every_format(folder.path(), &batch(&rows, &shaping)) {
        check(&good(&scene_of(3, columns(&all)), &path), &expected);
        // What is given with the poses holds instead of what the scene says.
        let given = ReadOptions { columns: Some(columns(&all)), ..options(&path) };
        let blocks: Result<Vec<_>, _> = Trajectory::open(&plain, &given).expect("good").blocks().collect();
        check(&blocks.expect("good"), &expected);
        assert!(wrong(&plain, &path).contains("has no column"));
    }
    // One at a time, with the columns of two roles exchanged, and a stranger under the name of the
    // format.
    for (role, name) in names {
        let shaping = Shaping { renamed: vec![(role, name)], ..Shaping::default() };
        let path = every_format(folder.path(), &batch(&rows, &shaping))[1].clone();
        check(&good(&scene_of(3, columns(&[(role, name, None)])), &path), &expected);
    }
    let swapped = Shaping { renamed: vec![("x", "y"), ("y", "x")], ..Shaping::default() };
    let path = every_format(folder.path(), &batch(&rows, &swapped))[0].clone();
    check(&good(&scene_of(3, columns(&[("x", "y", None), ("y", "x", None)])), &path), &expected);
    let stranger = Shaping { renamed: vec![("body", "entity"), ("note", "body")], extra: true, ..Shaping::default() };
    let path = every_format(folder.path(), &batch(&rows, &stranger))[2].clone();
    check(&good(&scene_of(3, columns(&[("body", "entity", None)])), &path), &expected);
}

#[test]
fn names_of_csv_are_given_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("t.csv");
    let text = "stamp,tick,who,px,y,z,a,b,c\n1772366400250000001,0,b000,1500,2,3,90,0,0\n1.5e9,1,b000,1,2,3,0,90,0\n";
    fs::write(&path, text).expect("written");
    let given = columns(&[
        ("time_s", "stamp", Some("ns")),
        ("frame", "tick", None),
        ("body", "who", None),
        ("x", "px", Some("mm")),
        ("yaw", "a", Some("deg")),
        ("pitch", "b", Some("deg")),
        ("roll", "c", Some("deg")),
    ]);
    let blocks = good(&scene_of(1, given), &path);
    let half = 0.5_f64.sqrt();
    let (first, second) = (blocks[0].pose(0, 0), blocks[0].pose(0, 1));
    assert_eq!((first.position.to_array(), second.position.to_array()), ([1.5, 2.0, 3.0], [0.001, 2.0, 3.0]));
    assert_eq!((first.q, second.q), ([half, 0.0, 0.0, half], [half, 0.0, half, 0.0]));
    let times: Vec<Option<f64>> = blocks[0].samples.iter().map(|sample| sample.time_s).collect();
    assert_eq!(times, [Some(1_772_366_400.25), Some(1.5)]);
}

/// The nearest `f64` of a whole number of parts of a second, by the parser of decimals.
fn decimal(ticks: i64, digits: usize) -> f64 {
    let (sign, size) = (if ticks < 0 { "-" } else { "" }, ticks.unsigned_abs().to_string());
    let size = format!("{size:0>width$}", width = digits + 1);
    let (whole, part) = size.split_at(size.len() - digits);
    format!("{sign}{whole}.{part}0").parse().expect("a number")
}

#[test]
fn times_of_every_unit_become_seconds_to_the_last_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut random = Random(3);
    for (unit, digits) in [("s", 0), ("ms", 3), ("us", 6), ("ns", 9)] {
        let most = if digits == 0 { 90_000_000_000 } else { 90_000_000_000 * 10_i64.pow(digits.min(7) as u32) };
        let ticks: Vec<i64> = (0..300).map(|_| (random.bits() >> 1) as i64 % most - most / 3).collect();
        let small: Vec<i64> = ticks.iter().map(|tick| tick % 30_000).collect();
        let cast = |values: &[i64], kind: DataType| -> ArrayRef {
            arrow_cast::cast(&(Arc::new(Int64Array::from(values.to_vec())) as ArrayRef), &kind)
                .expect("a cast that fits")
        };
        let floats: ArrayRef = Arc::new(Float64Array::from_iter_values(small.iter().map(|&tick| tick as f64)));
        for (values, array) in [
            (&ticks, cast(&ticks, DataType::Int64)),
            (&small, cast(&small, DataType::Int32)),
            (&small, cast(&small, DataType::Int16)),
            (&small, floats),
        ] {
            let given = columns(&[("time_s", "stamp", Some(unit))]);
            let batch = track(300, None, [still(300), vec![("stamp", array)]].concat());
            for path in every_format(folder.path(), &batch) {
                let blocks = good(&scene_of(1, given.clone()), &path);
                let found = blocks.iter().flat_map(|block| &block.samples).map(|sample| sample.time_s.expect("a time"));
                for (found, &ticks) in found.zip(values) {
                    let exact = decimal(ticks, digits);
                    let last_place = f64::EPSILON * exact.abs();
                    assert!((found - exact).abs() <= last_place, "{ticks} {unit}: {found} and not {exact}");
                }
            }
        }
        let unsigned: ArrayRef = Arc::new(UInt64Array::from(vec![0, u64::MAX]));
        let batch = track(2, None, [still(2), vec![("stamp", unsigned)]].concat());
        let text =
            wrong(&scene_of(1, columns(&[("time_s", "stamp", Some(unit))])), &every_format(folder.path(), &batch)[0]);
        assert!(text.contains("row 1") && text.contains("beyond the range of int64"), "{text}");
    }
}

#[test]
fn a_unit_may_be_given_or_lie_in_the_metadata_and_not_differ() {
    let folder = tempfile::tempdir().expect("a folder");
    let rows = rows(5, 1);
    let plain = scene_of(1, TrajectoryColumns::default());
    let expected = oracle(&plain, &rows, None, None, &|v| v * 1.0 / 1e3, true);
    let in_mm = columns(&[("x", "x", Some("mm")), ("y", "y", Some("mm")), ("z", "z", Some("mm"))]);
    let metadata = Shaping { units: vec![("x", "mm"), ("y", "mm"), ("z", "mm")], ..Shaping::default() };
    let paths = [("given", &Shaping::default()), ("metadata", &metadata)].map(|(name, shaping)| {
        let path = folder.path().join(format!("{name}.parquet"));
        write(&path, &rows, shaping);
        path
    });
    check(&good(&scene_of(1, in_mm.clone()), &paths[0]), &expected);
    check(&good(&scene_of(1, in_mm), &paths[1]), &expected);
    check(&good(&plain, &paths[1]), &expected);
    let text = wrong(&scene_of(1, columns(&[("x", "x", Some("in"))])), &paths[1]);
    assert!(text.contains("`x` is in the unit `mm`, and in `in` by [columns]"), "{text}");
    // Times in the metadata's unit, integers too.
    let ticks: ArrayRef = Arc::new(Int64Array::from(vec![1500, 3000]));
    let batch = track(2, None, [still(2), vec![("time_s", ticks)]].concat());
    let text = wrong(&plain, &every_format(folder.path(), &batch)[0]);
    assert!(
        text.contains("has the type Int64, and no unit")
            && text.contains("unit = \"UNIT\" }` (UNIT is s, ms, us or ns)"),
        "{text}"
    );
    let untimed = batch.schema();
    let fields = untimed.fields().iter().map(|field| {
        let unit = (field.name() == "time_s").then(|| ("unit".to_owned(), "ms".to_owned()));
        field.as_ref().clone().with_metadata(unit.into_iter().collect::<HashMap<_, _>>())
    });
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let batch = RecordBatch::try_new(schema, batch.columns().to_vec()).expect("a batch");
    let blocks = good(&plain, &every_format(folder.path(), &batch)[2]);
    assert_eq!(blocks[0].samples.iter().map(|sample| sample.time_s).collect::<Vec<_>>(), [Some(1.5), Some(3.0)]);
}

/// A rotation matrix by rows.
type Matrix = [[f64; 3]; 3];

fn product(a: Matrix, b: Matrix) -> Matrix {
    std::array::from_fn(|i| std::array::from_fn(|j| (0..3).map(|k| a[i][k] * b[k][j]).sum()))
}

/// Rz(yaw) Ry(pitch) Rx(roll), by the matrices of the three turns.
fn turned([roll, pitch, yaw]: [f64; 3]) -> Matrix {
    let ((sr, cr), (sp, cp), (sy, cy)) = (roll.sin_cos(), pitch.sin_cos(), yaw.sin_cos());
    let x = [[1.0, 0.0, 0.0], [0.0, cr, -sr], [0.0, sr, cr]];
    let y = [[cp, 0.0, sp], [0.0, 1.0, 0.0], [-sp, 0.0, cp]];
    let z = [[cy, -sy, 0.0], [sy, cy, 0.0], [0.0, 0.0, 1.0]];
    product(z, product(y, x))
}

/// The matrix of a unit quaternion (Shoemake, Animating Rotation with Quaternion Curves, appendix
/// I.1).
fn of_quaternion([w, x, y, z]: [f64; 4]) -> Matrix {
    [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
}

#[test]
fn angles_turn_as_matrices_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut random = Random(9);
    let frames = 500;
    for (unit, full) in [("rad", std::f64::consts::TAU), ("deg", 360.0)] {
        for names in [&["yaw"][..], &["roll", "pitch", "yaw"]] {
            for single in [false, true] {
                let mut angle = |row: usize| match row % 5 {
                    0 => (random.below(17) as f64 - 8.0) * full / 8.0,
                    _ => (random.below(2_000_001) as f64 / 1e6 - 1.0) * full,
                };
                let draws: Vec<Vec<f64>> = names
                    .iter()
                    .map(|_| {
                        (0..frames).map(&mut angle).map(|v| if single { f64::from(v as f32) } else { v }).collect()
                    })
                    .collect();
                let arrays = names.iter().zip(&draws).map(|(name, draws)| {
                    let array: ArrayRef = match single {
                        true => Arc::new(Float32Array::from_iter_values(draws.iter().map(|&v| v as f32))),
                        false => Arc::new(Float64Array::from(draws.clone())),
                    };
                    (*name, array)
                });
                let batch = track(frames, None, arrays.collect());
                let given = columns(&names.iter().map(|name| (*name, *name, Some(unit))).collect::<Vec<_>>());
                for path in every_format(folder.path(), &batch) {
                    let blocks = good(&scene_of(1, given.clone()), &path);
                    for row in 0..frames {
                        let mut angles = [0.0; 3];
                        let from = 3 - names.len();
                        let radians = |v: f64| if unit == "deg" { v.to_radians() } else { v };
                        draws.iter().zip(&mut angles[from..]).for_each(|(draws, angle)| *angle = radians(draws[row]));
                        let (expected, q) = (turned(angles), blocks[row / 64].pose(0, row % 64).q);
                        assert!((q.iter().map(|c| c * c).sum::<f64>() - 1.0).abs() < 4e-15, "{q:?}");
                        for (found, expected) in of_quaternion(q).iter().flatten().zip(expected.iter().flatten()) {
                            assert!((found - expected).abs() < 1e-14, "{angles:?} {unit}: {found} and not {expected}");
                        }
                    }
                }
                // How coarse the turn is: the rounding of the conversion, and of the numbers as
                // stored.
                let path = folder.path().join("t.parquet");
                let steps = Trajectory::open(&scene_of(1, given.clone()), &options(&path)).expect("good").pose_steps;
                let turn = steps.expect("of a file").turn_rad;
                let step = if unit == "deg" { 2_f64.powi(-15).to_radians() } else { 2_f64.powi(-21) };
                let most = if single { names.len() as f64 * step } else { 0.0 } + 2_f64.powi(-48);
                assert!(
                    turn >= 2_f64.powi(-48) && turn <= most * (1.0 + 1e-9) && (!single || turn > step / 2.0),
                    "{turn:e}"
                );
            }
        }
    }
}

#[test]
fn angles_that_are_quarter_turns_are_exact() {
    let folder = tempfile::tempdir().expect("a folder");
    let yaw: ArrayRef = Arc::new(Float64Array::from(vec![0.0, 90.0, -90.0, 180.0, 360.0, 36_000_090.0]));
    let given = columns(&[("yaw", "heading", Some("deg"))]);
    let path = every_format(folder.path(), &track(6, None, vec![("heading", yaw)]))[0].clone();
    let block = &good(&scene_of(1, given), &path)[0];
    let half = 0.5_f64.sqrt();
    let expected = [[1.0, 0.0], [half, half], [half, -half], [0.0, 1.0], [-1.0, 0.0], [half, half]];
    for (row, [w, z]) in expected.into_iter().enumerate() {
        let q = block.pose(0, row).q;
        assert!(q == [w, 0.0, 0.0, z] || q == [-w, 0.0, 0.0, -z], "{row}: {q:?}");
    }
}

#[test]
fn no_orientation_is_no_turn_and_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let plain = scene_of(1, TrajectoryColumns::default());
    let stated = scene_of(1, columns(&[("orientation", "none", None)]));
    for path in every_format(folder.path(), &track(70, None, vec![])) {
        for (scene, says) in [(&plain, true), (&stated, false)] {
            let trajectory = Trajectory::open(scene, &options(&path)).expect("good");
            assert_eq!(trajectory.pose_steps, Some(PoseSteps::default()));
            let unturned = trajectory.unturned();
            let blocks: Vec<FrameBlock> = trajectory.blocks().collect::<Result<_, _>>().expect("good");
            assert_eq!(unturned.load(Ordering::Relaxed), says);
            assert!((0..64).all(|sample| blocks[0].pose(0, sample).q == [1.0, 0.0, 0.0, 0.0]));
        }
    }
    // A column that may be an orientation is not passed over, unless the scene says that there is
    // none.
    for name in ["rot_w", "q0", "quat.x", "heading", "Euler angles", "q_w"] {
        let column: ArrayRef = Arc::new(Float64Array::from(vec![0.5; 3]));
        let path = every_format(folder.path(), &track(3, None, vec![(name, column)]))[1].clone();
        let text = wrong(&plain, &path);
        for part in ["has no column `qw`", &format!("`{name}` may be an orientation"), "orientation = \"none\""] {
            assert!(text.contains(part), "`{part}` is missing in {text}");
        }
        good(&stated, &path);
    }
    // Nor is an input of which one part turns and another does not.
    let parts = folder.path().join("parts");
    write_batch(&parts.join("a.parquet"), &track(2, None, still(2)), &Shaping::default());
    write_batch(&parts.join("b.parquet"), &track(2, None, vec![]), &Shaping::default());
    let text = wrong(&plain, &parts);
    assert!(
        text.contains("b.parquet: has no columns of an orientation, but") && text.contains("a.parquet has"),
        "{text}"
    );
}

#[test]
fn integers_stand_for_names_in_decimal_and_for_ids() {
    let folder = tempfile::tempdir().expect("a folder");
    let csv = "body,id,shape\nhull,7,{ sphere = 1 }\nmast,-12,{ sphere = 1 }\n41,,{ sphere = 1 }\nkeel,18446744073709551615,{ sphere = 1 }\n\
               deck,A-1,{ sphere = 1 }\nrail,9.0,{ sphere = 1 }\n";
    fs::write(folder.path().join("bodies.csv"), csv).expect("written");
    let text = "[scene]\nlength_unit = \"m\"\ntrajectories = \"t.parquet\"\nmissing = \"absent\"\n[columns]\nbody = \"entity\"\n[query]\n\
                within = 1.0\n[[bodies]]\ntable = \"bodies.csv\"\n[[body]]\nname = \"bell\"\nid = 100\nshape = { sphere = 1.0 }\n";
    fs::write(folder.path().join("scene.toml"), text).expect("written");
    let scene =
        clearsweep_scene::load_scene(&folder.path().join("scene.toml"), &SceneOverrides::default()).expect("a scene");
    let ids: Vec<Option<i128>> = scene.bodies.iter().map(|body| body.id).collect();
    assert_eq!(ids, [Some(100), Some(7), Some(-12), None, Some(i128::from(u64::MAX)), None, None]);
    let entities = |array: ArrayRef| {
        let frames = array.len();
        let batch = track(frames, Some(array), still(frames));
        let names = batch
            .schema()
            .fields()
            .iter()
            .map(|f| if f.name() == "body" { f.as_ref().clone().with_name("entity") } else { f.as_ref().clone() })
            .collect::<Vec<_>>();
        RecordBatch::try_new(Arc::new(Schema::new(names)), batch.columns().to_vec()).expect("a batch")
    };
    let slots = |blocks: &[FrameBlock]| -> Vec<usize> {
        let present = &blocks[0].present;
        let slot = |sample: usize| present.iter().position(|mask| mask >> sample & 1 == 1).expect("a body");
        (0..blocks[0].samples.len()).map(slot).collect()
    };
    let signed = [7_i64, -12, 41, 100];
    let keys = Int8Array::from(vec![0, 1, 2, 3, 0]);
    let values: ArrayRef = Arc::new(Int64Array::from(signed.to_vec()));
    let keyed: ArrayRef = Arc::new(DictionaryArray::new(keys, values));
    for (array, expected) in [
        (Arc::new(Int64Array::from(signed.to_vec())) as ArrayRef, vec![1, 2, 3, 0]),
        (Arc::new(Int8Array::from(vec![41, 7, -12])), vec![3, 1, 2]),
        (Arc::new(UInt64Array::from(vec![41, u64::MAX, 7])), vec![3, 4, 1]),
        (keyed, vec![1, 2, 3, 0, 1]),
        (Arc::new(StringArray::from(vec!["mast", "7", "41", "18446744073709551615"])), vec![2, 1, 3, 4]),
    ] {
        for path in every_format(folder.path(), &entities(array)) {
            assert_eq!(slots(&good(&scene, &path)), expected);
        }
    }
    let floats: ArrayRef = Arc::new(Float64Array::from(vec![7.0]));
    let text = wrong(&scene, &every_format(folder.path(), &entities(floats))[0]);
    assert!(text.contains("column `entity` has the type Float64") && text.contains("or an integer"), "{text}");
    for (array, says) in [
        (Int64Array::from(vec![Some(7), None]), ["row 1", "column `entity` is null"]),
        (Int64Array::from(vec![Some(7), Some(8)]), ["row 1", "body `8` is not in the scene"]),
        (Int64Array::from(vec![Some(-7)]), ["row 0", "body `-7` is not in the scene"]),
        (Int64Array::from(vec![Some(i64::MAX)]), ["the `id` of a body", "`9223372036854775807` is not in the scene"]),
        (Int64Array::from(vec![Some(9)]), ["row 0", "body `9` is not in the scene"]),
    ] {
        let text = wrong(&scene, &every_format(folder.path(), &entities(Arc::new(array)))[2]);
        assert!(says.iter().all(|part| text.contains(part)), "{says:?}: {text}");
    }
}

#[test]
fn an_integer_of_two_bodies_is_refused_where_it_is_used() {
    let folder = tempfile::tempdir().expect("a folder");
    for csv in [
        "body,id,shape\na,5,{ sphere = 1 }\nb,5,{ sphere = 1 }\nc,6,{ sphere = 1 }\n",
        "body,id,shape\n5,,{ sphere = 1 }\nb,5,{ sphere = 1 }\nc,6,{ sphere = 1 }\n",
        "body,id,shape\nb,5,{ sphere = 1 }\n5,7,{ sphere = 1 }\nc,6,{ sphere = 1 }\n",
    ] {
        fs::write(folder.path().join("bodies.csv"), csv).expect("written");
        let text = "[scene]\nlength_unit = \"m\"\ntrajectories = \"t.parquet\"\nmissing = \"absent\"\n[query]\nwithin = 1.0\n[[bodies]]\n\
                    table = \"bodies.csv\"\n";
        fs::write(folder.path().join("scene.toml"), text).expect("written");
        let scene = clearsweep_scene::load_scene(&folder.path().join("scene.toml"), &SceneOverrides::default())
            .expect("a scene");
        let of = |id: i64| track(1, Some(Arc::new(Int64Array::from(vec![id]))), still(1));
        good(&scene, &every_format(folder.path(), &of(6))[0]);
        let text = wrong(&scene, &every_format(folder.path(), &of(5))[0]);
        assert!(
            text.contains("row 0") && text.contains("`5` is the name or the `id` of several bodies"),
            "{csv}: {text}"
        );
    }
}

#[test]
fn what_does_not_fit_is_one_clear_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let one = |value: f64| -> ArrayRef { Arc::new(Float64Array::from(vec![value])) };
    /// Roles with their names and units, the columns of a table, and words of the message.
    type Case<'c> = (Vec<(&'c str, &'c str, Option<&'c str>)>, Vec<(&'static str, ArrayRef)>, &'c [&'c str]);
    let cases: Vec<Case<'_>> = vec![
        (
            vec![("x", "pos_x", None)],
            still(1),
            &["t.parquet: has no column `pos_x`, which [columns] gives for `x`", "frame, body, x, y, z"],
        ),
        (vec![("x", "X", None)], still(1), &["has no column `X`", "write `x = \"x\"` in [columns]"]),
        (vec![("x", "X", Some("mm"))], still(1), &["write `x = { name = \"x\", unit = \"mm\" }` in [columns]"]),
        // That column is `z`.
        (vec![("x", "Z", None)], still(1), &["has no column `Z`", "give its name in [columns]"]),
        (vec![("x", "y", None)], still(1), &["has no column `y`: [columns] gives that name to `x`", "too"]),
        (vec![("run", "mission", None)], still(1), &["has no column `mission`, which [columns] gives for `run`"]),
        (
            vec![("yaw", "h", Some("deg"))],
            [still(1), vec![("h", one(0.0))]].concat(),
            &["has columns of a quaternion (`qw`) and of angles (`h`)", "leave out"],
        ),
        (vec![], vec![("yaw", one(0.0))], &["`yaw` is an angle without a unit", "(UNIT is deg or rad)"]),
        (vec![("yaw", "h", None)], vec![("h", one(0.0))], &["`h` is an angle without a unit"]),
        (vec![("roll", "r", Some("deg"))], vec![("r", one(0.0))], &["has no column `pitch`", "[columns] of the scene"]),
        (
            vec![("roll", "r", Some("deg")), ("pitch", "p", Some("deg"))],
            vec![("r", one(0.0)), ("p", one(0.0))],
            &["has no column `yaw`"],
        ),
        (vec![("yaw", "h", Some("deg"))], vec![("h", one(f64::NAN))], &["row 0", "column `h` is NaN"]),
        (vec![("yaw", "h", Some("deg"))], vec![("h", one(f64::INFINITY))], &["row 0", "column `h` is inf"]),
        (
            vec![("yaw", "h", Some("rad"))],
            vec![("h", Arc::new(Float64Array::from(vec![None])))],
            &["row 0", "column `h` is null"],
        ),
        (
            vec![("yaw", "h", Some("rad"))],
            vec![("h", Arc::new(StringArray::from(vec!["north"])))],
            &["column `h` has the type Utf8", "float64"],
        ),
        (
            vec![("x", "twice", None)],
            [still(1), vec![("twice", one(0.0)), ("twice", one(0.0))]].concat(),
            &["columns `twice` and `twice` both are `x`"],
        ),
    ];
    for (given, more, says) in cases {
        let path = folder.path().join("t.parquet");
        write_batch(&path, &track(1, None, more), &Shaping::default());
        let text = wrong(&scene_of(1, columns(&given)), &path);
        assert!(says.iter().all(|part| text.contains(part)), "{says:?}: {text}");
    }
}

#[test]
fn a_hundred_thousand_columns_are_read_past() {
    let folder = tempfile::tempdir().expect("a folder");
    let names: Vec<String> = (0..100_000).map(|column| format!("c{column}")).collect();
    let one: ArrayRef = Arc::new(Float64Array::from(vec![0.5, 1.5]));
    let own = track(2, None, still(2));
    let few = own.schema();
    let fields = few.fields().iter().map(|field| field.as_ref().clone());
    let fields = fields.chain(names.iter().map(|name| Field::new(name, DataType::Float64, true)));
    let arrays = own.columns().iter().cloned().chain(names.iter().map(|_| Arc::clone(&one))).collect();
    let batch = RecordBatch::try_new(Arc::new(Schema::new(fields.collect::<Vec<_>>())), arrays).expect("a batch");
    let path = folder.path().join("t.arrows");
    let mut writer = StreamWriter::try_new(File::create(&path).expect("created"), &batch.schema()).expect("a writer");
    writer.write(&batch).expect("written");
    writer.finish().expect("finished");
    let scene = scene_of(1, columns(&[("x", "c99999", None), ("y", "c7", None)]));
    let blocks = good(&scene, &path);
    assert_eq!(blocks[0].pose(0, 1).position.to_array(), [1.5, 1.5, 0.0]);
    let text = wrong(&scene_of(1, columns(&[("x", "missing", None)])), &path);
    assert!(text.contains("and 99989 more") && text.len() < 2000, "{text}");
}

/// The error of a scene file with this `[columns]`.
fn bad_section(section: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("scene.toml");
    let text = format!(
        "[scene]\nlength_unit = \"m\"\ntrajectories = \"t.parquet\"\n[columns]\n{section}\n[query]\nwithin = 1.0\n[[body]]\nname = \"a\"\n\
         shape = {{ sphere = 1.0 }}\n"
    );
    fs::write(&path, text).expect("written");
    let error = clearsweep_scene::load_scene(&path, &SceneOverrides::default())
        .err()
        .unwrap_or_else(|| panic!("no error: {section}"));
    format!("{error} ({})", error.remedy)
}

#[test]
fn a_wrong_section_names_its_line_and_its_key() {
    for (section, says) in [
        ("boddy = \"b\"", &["scene.toml:5", "unknown key `boddy` in [columns]", "did you mean `body`"] as &[&str]),
        ("x = \"a\"\ny = \"a\"", &["scene.toml:6, key `y` of [columns]", "is `a`, and so is `x`"]),
        ("yaw = \"h\"\nqw = \"w\"", &["key `yaw` of [columns]", "`qw` and `yaw` are given"]),
        ("yaw = \"h\"\norientation = \"none\"", &["`orientation = \"none\"`", "keep one"]),
        ("time_s = { name = \"t\", unit = \"h\" }", &["key `time_s`", "unknown unit `h`", "s, ms, us, ns"]),
        ("x = { name = \"t\", unit = \"ns\" }", &["key `x`", "unknown unit `ns`", "m, mm, cm, km, in, ft"]),
        ("run = { name = \"t\", unit = \"s\" }", &["has the unit `s`", "leave the unit out"]),
        ("x = { unit = \"mm\" }", &["the key `name` is missing in `x` of [columns]"]),
        ("x = { name = \"a\", scale = 2 }", &["unknown key `scale`"]),
        ("x = 3", &["key `x` of [columns]", "instead of a text in quotes"]),
        ("x = \"\"", &["the text is empty"]),
        ("orientation = \"some\"", &["`some` is no orientation"]),
    ] {
        let text = bad_section(section);
        assert!(says.iter().all(|part| text.contains(part)), "{says:?}: {text}");
    }
}
