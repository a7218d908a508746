//! Trajectories that do not fit the contract: every one is an error that says where, what, and what
//! to do.
#![allow(clippy::print_stderr)]

use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray, UInt64Array};
use arrow_schema::{DataType, Field, Schema};
use clearsweep_base::error::{Error, ErrorKind};
use clearsweep_scene::{Missing, Scene};
use clearsweep_testing::random::Random;
use clearsweep_testing::trajectories::*;
use clearsweep_trajectory::{ReadOptions, Trajectory};
use parquet::basic::Compression;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Opens and reads all; the error, if there is any.
fn failure(scene: &Scene, options: &ReadOptions) -> Option<Error> {
    match Trajectory::open(scene, options) {
        Err(error) => Some(error),
        Ok(trajectory) => trajectory.blocks().find_map(Result::err),
    }
}

fn at(path: &Path) -> ReadOptions {
    ReadOptions { path: Some(path.to_path_buf()), ..ReadOptions::default() }
}

/// Two bodies over so many frames of run 0; row `2 * frame + body`.
fn good(frames: i64) -> Vec<Row> {
    let mut random = Random(42);
    let mut rows = Vec::new();
    for frame in 0..frames {
        for body in names(2) {
            rows.push(Row { run: 0, frame, time: frame as f64, body, pose: random_pose(&mut random) });
        }
    }
    rows
}

/// A column of a batch replaced, or (`None`) left out; new columns go last.
fn with(batch: &RecordBatch, name: &str, array: Option<ArrayRef>) -> RecordBatch {
    let (mut fields, mut columns) = (Vec::new(), Vec::new());
    for (field, column) in batch.schema().fields().iter().zip(batch.columns()) {
        if field.name() != name {
            fields.push(field.as_ref().clone());
            columns.push(Arc::clone(column));
        }
    }
    if let Some(array) = array {
        fields.push(Field::new(name, array.data_type().clone(), true));
        columns.push(array);
    }
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).expect("columns of equal length")
}

/// Writes good rows with one column changed.
fn changed(path: &Path, name: &str, array: Option<ArrayRef>) {
    let shaping = Shaping::default();
    write_batch(path, &with(&batch(&good(3), &shaping), name, array), &shaping);
}

/// Writes good rows with one of them changed.
fn edited(path: &Path, edit: impl FnOnce(&mut Vec<Row>)) {
    let mut rows = good(3);
    edit(&mut rows);
    write(path, &rows, &Shaping::default());
}

/// Good rows as `column`, with nothing in row 4.
fn floats_with_null() -> ArrayRef {
    Arc::new(Float64Array::from(vec![Some(0.0), Some(0.0), Some(0.0), Some(0.0), None, Some(0.0)]))
}

/// A case: its name, how to write it, and what the message must say (place, problem and remedy in
/// one).
type Case = (&'static str, Box<dyn Fn(&Path)>, &'static [&'static str]);

fn case(name: &'static str, write: impl Fn(&Path) + 'static, says: &'static [&'static str]) -> Case {
    (name, Box::new(write), says)
}

fn bytes_cases() -> Vec<Case> {
    vec![
        case("missing", |_| {}, &["t.parquet", "cannot be read", "check the path"]),
        case("empty", |p| std::fs::write(p, "").expect("written"), &["t.parquet", "is empty"]),
        case("text", |p| std::fs::write(p, "frame,body,x").expect("written"), &["is not a Parquet file"]),
        case("ipc", |p| std::fs::write(p, "ARROW1\0\0....").expect("written"), &["truncated", "ARROW1"]),
        case("magic", |p| std::fs::write(p, "PAR1").expect("written"), &["truncated"]),
        case("magics", |p| std::fs::write(p, "PAR1\0\0\0\0PAR1").expect("written"), &["damaged"]),
        case(
            "long footer",
            |p| std::fs::write(p, b"PAR1\0\0\0\0\xff\0\0\0PAR1").expect("written"),
            &["footer is longer"],
        ),
        case("encrypted", |p| std::fs::write(p, "PAR1\0\0\0\0\0\0\0\0PARE").expect("written"), &["encrypted"]),
        case(
            "half",
            |p| {
                edited(p, |_| ());
                let bytes = std::fs::read(p).expect("readable");
                std::fs::write(p, &bytes[..bytes.len() / 2]).expect("written");
            },
            &["t.parquet", "truncated", "write or copy it again"],
        ),
        case(
            "page overwritten",
            |p| {
                edited(p, |_| ());
                let mut bytes = std::fs::read(p).expect("readable");
                bytes[4..40].fill(0xee);
                std::fs::write(p, &bytes).expect("written");
            },
            &["row group 0", "column `run`", "makes no sense"],
        ),
        case("directory", |p| std::fs::create_dir(p).expect("made"), &["holds no Parquet, Arrow IPC or CSV file"]),
        case(
            "foreign file",
            |p| {
                edited(&p.join("a.parquet"), |_| ());
                std::fs::write(p.join("readme.txt"), "poses of the robots").expect("written");
            },
            &["readme.txt", "is not a Parquet file", "glob"],
        ),
        case(
            "hive word",
            |p| edited(&p.join("run=first/a.parquet"), |_| ()),
            &["a.parquet", "`run=first` is not an integer", "run=0"],
        ),
        case("two levels", |p| edited(&p.join("run=1/run=2/a.parquet"), |_| ()), &["two directory levels"]),
        case(
            "level and column",
            |p| edited(&p.join("run=7/a.parquet"), |rows| rows[2].run = 7),
            &["a.parquet, row 0", "column `run` is 0", "level says 7"],
        ),
    ]
}

fn schema_cases() -> Vec<Case> {
    let strings = || -> ArrayRef { Arc::new(StringArray::from(vec!["1"; 6])) };
    let zeros = || -> ArrayRef { Arc::new(Float64Array::from(vec![0.0; 6])) };
    let mut cases = vec![
        case("no frame", |p| changed(p, "frame", None), &["no column `frame`", "body, x, y", "an integer type"]),
        case("no body", |p| changed(p, "body", None), &["no column `body`", "string"]),
        case("no qz", |p| changed(p, "qz", None), &["no column `qz`", "float64"]),
        case("x string", move |p| changed(p, "x", Some(strings())), &["column `x` has the type Utf8", "float64"]),
        case("frame float", move |p| changed(p, "frame", Some(zeros())), &["`frame` has the type Float64"]),
        case("run float", move |p| changed(p, "run", Some(zeros())), &["`run` has the type Float64", "integer"]),
        case("body float", move |p| changed(p, "body", Some(zeros())), &["`body` has the type Float64", "string"]),
        case("time string", move |p| changed(p, "time_s", Some(strings())), &["`time_s` has the type Utf8"]),
    ];
    let aliases = [
        ("tx", &["columns `x` and `tx` both are `x`", "keep one"] as &'static [&'static str]),
        ("tz", &["columns `z` and `tz` both are `z`"]),
        ("t", &["columns `time_s` and `t` both are `time_s`"]),
        ("time", &["columns `time_s` and `time` both"]),
        ("timestamp", &["columns `time_s` and `timestamp` both"]),
        ("body_id", &["columns `body` and `body_id` both"]),
        ("run_id", &["columns `run` and `run_id` both"]),
        ("frame_index", &["columns `frame` and `frame_index` both"]),
    ];
    for (alias, says) in aliases {
        cases.push(case(alias, move |p| changed(p, alias, Some(zeros())), says));
    }
    for (column, unit, says) in [
        (
            "x",
            "yard",
            &["column `x` is in the unknown unit `yard`", "m, mm, cm, km, in, ft"] as &'static [&'static str],
        ),
        ("time_s", "h", &["column `time_s` is in the unknown unit `h`", "s, ms, us, ns"]),
    ] {
        let shaping = move || Shaping { units: vec![(column, unit)], ..Shaping::default() };
        cases.push(case(unit, move |p| write(p, &good(2), &shaping()), says));
    }
    cases
}

fn row_cases() -> Vec<Case> {
    let huge = || -> ArrayRef { Arc::new(UInt64Array::from(vec![0, 0, 1, 1, u64::MAX, 2])) };
    let null_frames =
        || -> ArrayRef { Arc::new(Int64Array::from(vec![Some(0), Some(0), Some(1), None, Some(2), Some(2)])) };
    let null_names = || -> ArrayRef {
        Arc::new(StringArray::from(vec![Some("b000"), Some("b001"), Some("b000"), None, None, Some("b001")]))
    };
    vec![
        case("u64", move |p| changed(p, "frame", Some(huge())), &["row 4", "`frame` is beyond the range of int64"]),
        case("u64 run", move |p| changed(p, "run", Some(huge())), &["row 4", "`run` is beyond"]),
        case("null frame", move |p| changed(p, "frame", Some(null_frames())), &["row 3", "`frame` is null"]),
        case("null body", move |p| changed(p, "body", Some(null_names())), &["row 3", "`body` is null", "leave out"]),
        case("null x", |p| changed(p, "x", Some(floats_with_null())), &["row 4", "`x` is null"]),
        case("null time", |p| changed(p, "time_s", Some(floats_with_null())), &["row 4", "`time_s` is null"]),
        case("nan", |p| edited(p, |r| r[3].pose[1] = f64::NAN), &["row 3", "`y` is NaN", "finite"]),
        case("inf", |p| edited(p, |r| r[5].pose[2] = f64::INFINITY), &["row 5", "`z` is inf"]),
        case("nan q", |p| edited(p, |r| r[1].pose[4] = f64::NAN), &["row 1", "`qx` is NaN"]),
        case("-inf time", |p| edited(p, |r| r[2].time = f64::NEG_INFINITY), &["row 2", "`time_s` is -inf"]),
        case("norm", |p| edited(p, |r| r[4].pose[3..].fill(0.75)), &["row 4", "norm is 1.5", "unit quaternions"]),
        case(
            "norm barely",
            |p| edited(p, |r| r[4].pose[3..].copy_from_slice(&[1.0011, 0.0, 0.0, 0.0])),
            &["row 4", "norm is 1.0011"],
        ),
        case("zero q", |p| edited(p, |r| r[0].pose[3..].fill(0.0)), &["row 0", "norm is 0"]),
        case("huge q", |p| edited(p, |r| r[0].pose[3..].fill(1e200)), &["row 0", "norm is inf"]),
        case(
            "unknown",
            |p| edited(p, |r| r[3].body = "bb001".to_owned()),
            &["row 3", "`bb001` is not in the scene", "did you mean `b001`?"],
        ),
        // Another number is another body, and no slip.
        case(
            "another number",
            |p| edited(p, |r| r[3].body = "b0001".to_owned()),
            &["row 3", "`b0001` is not in the scene", "names must be those of the scene"],
        ),
        case(
            "unknown, nothing near",
            |p| edited(p, |r| r[3].body = "zzz".to_owned()),
            &["row 3", "`zzz` is not in the scene", "names must be those of the scene"],
        ),
        case("static", |p| edited(p, |r| r[3].body = "wall".to_owned()), &["row 3", "`wall` is static", "leave out"]),
        case(
            "twice",
            |p| edited(p, |r| r[3].body = "b000".to_owned()),
            &["row 3", "body `b000` has a second row in run 0, frame 1"],
        ),
        case("thrice", |p| edited(p, |r| r.insert(4, r[2].clone())), &["row 4", "second row in run 0, frame 1"]),
        case(
            "absent",
            |p| edited(p, |r| drop(r.remove(2))),
            &["run 0, frame 1", "body `b000` has no row", "missing = \"absent\"", "\"hold\"", "clearsweep sort"],
        ),
        case("absent last", |p| edited(p, |r| drop(r.pop())), &["run 0, frame 2", "body `b001` has no row"]),
        case(
            "backwards",
            |p| edited(p, |r| r[2..].rotate_left(2)),
            &["row 4", "run 0, frame 1 comes after run 0, frame 2", "clearsweep sort"],
        ),
        case(
            "runs backwards",
            |p| edited(p, |r| r[..2].iter_mut().for_each(|r| r.run = 1)),
            &["row 2", "run 0, frame 1 comes after run 1, frame 0"],
        ),
        case("times differ", |p| edited(p, |r| r[3].time = 9.5), &["row 3", "the times 1 and 9.5", "same time"]),
        case(
            "files interleave",
            |p| {
                let rows = good(6);
                write(&p.join("a.parquet"), &[&rows[..4], &rows[8..]].concat(), &Shaping::default());
                write(&p.join("b.parquet"), &rows[4..8], &Shaping::default());
            },
            &["b.parquet, row 0", "frame 2 comes after run 0, frame 5", "interleave"],
        ),
        case(
            "times in one file only",
            |p| {
                let rows = good(2);
                write(&p.join("a.parquet"), &rows[..3], &Shaping::default());
                write(&p.join("b.parquet"), &rows[3..], &Shaping { time: false, ..Shaping::default() });
            },
            &["b.parquet, row 0", "the times 1 and null"],
        ),
    ]
}

#[test]
fn every_bad_input_is_a_clear_error() {
    let scene = scene(&["wall", "b000", "b001"]);
    let cases: Vec<Case> = bytes_cases().into_iter().chain(schema_cases()).chain(row_cases()).collect();
    assert!(cases.len() >= 50, "{}", cases.len());
    for (name, write, says) in cases {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("t.parquet");
        write(&path);
        let error = failure(&scene, &at(&path)).unwrap_or_else(|| panic!("{name}: no error"));
        let text = format!("{}: {} ({})", error.place, error.problem, error.remedy);
        assert_eq!(error.kind, ErrorKind::Input, "{name}: {text}");
        for part in says {
            assert!(text.contains(part), "{name}: `{part}` is not in: {text}");
        }
    }
}

#[test]
fn errors_of_the_options() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut scene = scene(&["b000", "b001"]);
    let text = |error: Option<Error>| error.map(|e| format!("{e} ({})", e.remedy)).unwrap_or_default();
    let none = text(failure(&scene, &ReadOptions::default()));
    assert!(none.contains("scene.toml: has dynamic bodies but names no trajectories"), "{none}");
    let glob = text(failure(&scene, &at(&directory.path().join("*.parquet"))));
    assert!(glob.contains("matches no file"), "{glob}");
    let glob = text(failure(&scene, &at(&directory.path().join("a***b"))));
    assert!(glob.contains("is not a valid glob"), "{glob}");
    // `hold` has nothing to hold before a body's first row of the run.
    scene.missing = Missing::Hold;
    let path = directory.path().join("t.parquet");
    edited(&path, |rows| rows[4..].iter_mut().for_each(|row| row.run = 1));
    assert!(failure(&scene, &at(&path)).is_none());
    edited(&path, |rows| {
        rows[4..].iter_mut().for_each(|row| row.run = 1);
        rows.remove(5);
    });
    let hold = text(failure(&scene, &at(&path)));
    assert!(hold.contains("run 1, frame 2: body `b001` has no row yet") && hold.contains("absent"), "{hold}");
    // Before the frames asked for, that is none.
    edited(&path, |rows| drop(rows.remove(0)));
    let chosen = ReadOptions { frames: Some(1..9), ..at(&path) };
    assert!(failure(&scene, &chosen).is_none());
}

/// The samples before a bad row are still delivered, then the error, then nothing; wherever batches
/// are cut.
#[test]
fn the_error_comes_in_order_and_last() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("t.parquet");
    let mut rows = good(200);
    rows[2 * 130].pose[0] = f64::NAN;
    rows[2 * 140].body = "nobody".to_owned();
    write(&path, &rows, &Shaping::default());
    let items: Vec<_> = Trajectory::open(&scene(&["b000", "b001"]), &at(&path)).expect("good").blocks().collect();
    assert_eq!(items.len(), 3);
    assert!(items[..2].iter().all(|item| item.as_ref().is_ok_and(|block| block.samples.len() == 64)));
    assert!(items[2].as_ref().is_err_and(|error| error.place.ends_with("row 260 (from 0)")));
}

/// Bytes changed, cut, doubled and overwritten at random: an error or other data, never a panic or
/// an endless loop.
#[test]
fn damaged_files_never_panic() {
    let directory = tempfile::tempdir().expect("a directory");
    let scene = scene(&["b000", "b001"]);
    let originals: Vec<Vec<u8>> = originals(directory.path());
    let path = directory.path().join("damaged.parquet");
    let (mut failed, mut fine, mut remedies) = (0, 0, 0);
    let mut panics = 0;
    for seed in 0..4000_u64 {
        let mut random = Random(seed);
        let mut bytes = originals[seed as usize % originals.len()].clone();
        damage(&mut bytes, &mut random);
        std::fs::write(&path, &bytes).expect("written");
        match failure(&scene, &at(&path)) {
            None => fine += 1,
            Some(error) => {
                failed += 1;
                remedies += usize::from(!error.remedy.is_empty());
                assert_eq!(error.kind, ErrorKind::Input, "seed {seed}: {error}");
                panics += usize::from(error.problem.contains("gave up"));
            }
        }
    }
    eprintln!("{failed} failed (the decoder panicked in {panics}), {fine} read");
    assert!(failed > 1000 && fine > 50, "{failed} {fine}");
    assert_eq!(failed, remedies);
}

fn originals(directory: &Path) -> Vec<Vec<u8>> {
    let path: PathBuf = directory.join("original.parquet");
    let shapes = [
        Shaping::default(),
        Shaping { dictionary: false, compression: Compression::SNAPPY, groups: vec![5, 9], ..Shaping::default() },
        Shaping {
            body: DataType::Dictionary(Box::new(DataType::Int16), Box::new(DataType::Utf8)),
            frame: DataType::UInt32,
            float: DataType::Float32,
            compression: Compression::ZSTD(Default::default()),
            ..Shaping::default()
        },
    ];
    shapes
        .iter()
        .map(|shaping| {
            write(&path, &good(20), shaping);
            std::fs::read(&path).expect("readable")
        })
        .collect()
}

fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    let length = bytes.len();
    let footer = u32::from_le_bytes(bytes[length - 8..length - 4].try_into().expect("four bytes")) as usize;
    for _ in 0..1 + random.below(4) {
        // Half of the hits go to the footer: most of the file's structure is there.
        let range = if random.below(2) == 0 { length - 8 - footer..length } else { 0..length };
        let at = (range.start + random.below(range.len())).min(bytes.len().saturating_sub(1));
        if bytes.is_empty() {
            return;
        }
        match random.below(8) {
            0 => bytes.truncate(at),
            1 => bytes[at] = 0xff,
            2 => bytes[at] ^= 1 << random.below(8),
            3 => bytes[at] = random.bits() as u8,
            4 => drop(bytes.remove(at)),
            5 => bytes.insert(at, random.bits() as u8),
            6 => bytes[at] = bytes[at].wrapping_add(1),
            _ => {
                let end = (at + random.below(16)).min(bytes.len());
                bytes[at..end].iter_mut().for_each(|byte| *byte = random.bits() as u8);
            }
        }
    }
}
