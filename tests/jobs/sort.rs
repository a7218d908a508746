//! Sorting trajectories: held against the stable sort of the standard library, for any memory,
//! types and layout.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, Int64Array, PrimitiveArray, RecordBatch, RunArray, StringArray, UInt64Array};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::{DataType, Field, Schema};
use clearsweep::Error;
use clearsweep_scene::TrajectoryColumns;
use clearsweep_testing::random::Random;
use clearsweep_testing::trajectories::*;
use clearsweep_trajectory::{ReadOptions, SortOptions, SortPhase, Sorted, Trajectory, sort};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::reader::{FileReader, SerializedFileReader};
use std::fs::{self, File};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

fn options(memory: u64) -> SortOptions {
    SortOptions { memory, temp: None, force: false, columns: TrajectoryColumns::default() }
}

fn sorted(input: &Path, out: &Path, options: &SortOptions) -> Sorted {
    sort(input, out, options, &mut |_| true).unwrap_or_else(|error| panic!("{error}"))
}

fn refused(input: &Path, out: &Path, options: &SortOptions) -> Error {
    sort(input, out, options, &mut |_| true).expect_err("refused")
}

/// Rows in no order; equal keys are told apart by their poses.
fn shuffled(runs: i64, frames: i64, bodies: usize, seed: u64) -> Vec<Row> {
    let mut random = Random(seed);
    let mut rows = Vec::new();
    for run in -1..runs - 1 {
        for frame in 0..frames {
            for body in names(bodies) {
                rows.push(Row {
                    run,
                    frame: frame * 3 - 7,
                    time: frame as f64 / 60.0,
                    body,
                    pose: random_pose(&mut random),
                });
            }
        }
    }
    for at in (1..rows.len()).rev() {
        rows.swap(at, random.below(at + 1));
    }
    rows
}

fn in_order(rows: &[Row]) -> Vec<Row> {
    let mut rows = rows.to_vec();
    rows.sort_by_key(|row| (row.run, row.frame));
    rows
}

fn batches(path: &Path) -> RecordBatch {
    let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(path).expect("a file")).expect("Parquet");
    let schema = Arc::clone(builder.schema());
    let batches: Vec<RecordBatch> = builder.build().expect("a reader").collect::<Result<_, _>>().expect("decoded");
    arrow_select::concat::concat_batches(&schema, &batches).expect("one batch")
}

fn column(batch: &RecordBatch, name: &str, kind: &DataType) -> ArrayRef {
    arrow_cast::cast(batch.column_by_name(name).unwrap_or_else(|| panic!("no column {name}")), kind).expect("a cast")
}

/// The rows of a file that was written.
fn read(path: &Path) -> Vec<Row> {
    let batch = batches(path);
    let integers = |name: &str| column(&batch, name, &DataType::Int64).as_primitive::<Int64Type>().clone();
    let floats = |name: &str| column(&batch, name, &DataType::Float64).as_primitive::<Float64Type>().clone();
    let (run, frame, time) = (integers("run"), integers("frame"), floats("time_s"));
    let body = column(&batch, "body", &DataType::Utf8);
    let pose = ["x", "y", "z", "qw", "qx", "qy", "qz"].map(floats);
    (0..batch.num_rows())
        .map(|row| Row {
            run: run.value(row),
            frame: frame.value(row),
            time: time.value(row),
            body: body.as_string::<i32>().value(row).to_owned(),
            pose: std::array::from_fn(|k| pose[k].value(row)),
        })
        .collect()
}

/// Names in a folder.
fn listing(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn any_order_becomes_that_of_a_run_for_any_memory() {
    let dir = tempfile::tempdir().expect("scratch");
    let (input, rows) = (dir.path().join("in.parquet"), shuffled(3, 400, 100, 5));
    write(&input, &rows, &Shaping { groups: vec![7000, 20_000], ..Shaping::default() });
    let expected = in_order(&rows);
    let mut bytes = Vec::new();
    for (memory, least, most) in [(1_000_000, 17, 1000), (4_000_000, 2, 16), (1 << 30, 0, 0)] {
        let out = dir.path().join(format!("{memory}.parquet"));
        let done = sorted(&input, &out, &options(memory));
        assert!((least..=most).contains(&done.stretches), "{memory}: {done:?}");
        assert_eq!((done.rows, done.runs, done.samples, done.was_sorted), (120_000, 3, 1200, false));
        assert_eq!(done.spilled_bytes > 0, done.stretches > 0);
        assert_eq!(done.bytes, fs::metadata(&out).expect("written").len());
        assert!(read(&out) == expected, "{memory}: the rows differ from those of a stable sort");
        bytes.push(done.spilled_bytes);
    }
    assert!(bytes[0] > bytes[1] * 3 / 2, "the least memory is to take a second pass: {bytes:?}");
    assert_eq!(listing(dir.path()).len(), 4, "no temporary file is left");
    // What was written is what `run` reads, and it is sorted by what it says.
    let out = dir.path().join("4000000.parquet");
    let names = names(100);
    let scene = scene(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let read = ReadOptions { path: Some(out.clone()), ..ReadOptions::default() };
    let samples: usize =
        Trajectory::open(&scene, &read).expect("good").blocks().map(|block| block.expect("good").samples.len()).sum();
    assert_eq!(samples, 1200);
    let file = SerializedFileReader::new(File::open(&out).expect("a file")).expect("Parquet");
    for group in file.metadata().row_groups() {
        let sorting: Vec<i32> = group.sorting_columns().expect("said").iter().map(|column| column.column_idx).collect();
        assert_eq!(sorting, [0, 1]);
    }
}

#[test]
fn rows_in_order_are_copied() {
    let dir = tempfile::tempdir().expect("scratch");
    let (input, out) = (dir.path().join("in.parquet"), dir.path().join("out.parquet"));
    let rows = in_order(&shuffled(2, 300, 20, 6));
    let shaping = Shaping { extra: true, units: vec![("x", "mm"), ("y", "mm"), ("z", "mm")], ..Shaping::default() };
    write(&input, &rows, &shaping);
    let done = sorted(&input, &out, &options(1_000_000));
    assert!(done.was_sorted && done.stretches == 0 && done.rows == 12_000, "{done:?}");
    assert!(read(&out) == rows);
    let batch = batches(&out);
    let schema = batch.schema();
    assert_eq!(schema.field_with_name("x").expect("x").metadata().get("unit").map(String::as_str), Some("mm"));
    let note = column(&batch, "note", &DataType::Utf8);
    assert!(note.as_string::<i32>().iter().all(|note| note == Some("?")), "foreign columns are kept");
}

#[test]
fn files_of_different_types_and_names_become_one() {
    let dir = tempfile::tempdir().expect("scratch");
    let data = dir.path().join("data");
    let rows = shuffled(4, 50, 10, 7);
    let of = |run: i64| rows.iter().filter(|row| row.run == run).cloned().collect::<Vec<_>>();
    let keyed = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    // A level of the directory instead of a column.
    write(&data.join("run=-1/a.parquet"), &of(-1), &Shaping { run: None, extra: true, ..Shaping::default() });
    let aliases = vec![("run", "run_id"), ("frame", "frame_index"), ("time_s", "t"), ("body", "body_id"), ("x", "tx")];
    let unlike = Shaping {
        run: Some(DataType::UInt16),
        frame: DataType::Int32,
        body: keyed,
        float: DataType::Float32,
        renamed: aliases,
        ..Shaping::default()
    };
    write(&data.join("b.parquet"), &of(0), &unlike);
    let (file, stream) = (
        batch(&of(1), &Shaping { body: DataType::LargeUtf8, ..Shaping::default() }),
        batch(&of(2), &Shaping::default()),
    );
    let mut writer =
        FileWriter::try_new(File::create(data.join("c.arrow")).expect("new"), &file.schema()).expect("IPC");
    writer.write(&file).and_then(|()| writer.finish()).expect("written");
    let mut writer =
        StreamWriter::try_new(File::create(data.join("d.arrows")).expect("new"), &stream.schema()).expect("IPC");
    writer.write(&stream).and_then(|()| writer.finish()).expect("written");

    let out = dir.path().join("out.parquet");
    let done = sorted(&data, &out, &options(64_000_000));
    assert_eq!((done.files, done.rows, done.runs), (4, 2000, 4));
    let mut expected = in_order(&rows);
    let narrow = |row: &mut Row| row.pose = row.pose.map(|value| f64::from(value as f32));
    expected.iter_mut().filter(|row| row.run == 0).for_each(narrow);
    assert!(read(&out) == expected);
    let batch = batches(&out);
    let kinds: Vec<(String, DataType)> =
        batch.schema().fields().iter().map(|field| (field.name().clone(), field.data_type().clone())).collect();
    for (name, kind) in [("run", DataType::Int64), ("frame", DataType::Int64), ("x", DataType::Float64)] {
        assert!(kinds.contains(&(name.to_owned(), kind)), "{kinds:?}");
    }
    assert_eq!(column(&batch, "note", &DataType::Utf8).null_count(), 1500, "null where a file has no such column");
    // The same through a glob.
    let glob = dir.path().join("data/**/*.parquet");
    assert_eq!(sorted(&glob, &dir.path().join("glob.parquet"), &options(64_000_000)).rows, 1000);
}

#[test]
fn files_that_do_not_fit_each_other_are_named() {
    let dir = tempfile::tempdir().expect("scratch");
    let rows = shuffled(1, 5, 2, 8);
    let plain = Shaping::default();
    let unit = |word| Shaping { units: vec![("y", word)], ..Shaping::default() };
    let cases: [(&str, Shaping, Shaping, &[&str]); 4] = [
        ("unit", unit("mm"), unit("m"), &["column `y` has the unit `m`", "`mm`", "a.parquet"]),
        ("none", unit("mm"), plain.clone(), &["column `y` has no unit"]),
        ("time", plain.clone(), Shaping { time: false, ..plain.clone() }, &["has no column `time_s`", "a.parquet"]),
        ("float", plain.clone(), Shaping { float: DataType::Float32, ..plain.clone() }, &[]),
    ];
    for (name, first, second, parts) in cases {
        let folder = dir.path().join(name);
        write(&folder.join("a.parquet"), &rows, &first);
        write(&folder.join("b.parquet"), &rows, &second);
        let out = dir.path().join(format!("{name}.parquet"));
        if parts.is_empty() {
            assert_eq!(sorted(&folder, &out, &options(64_000_000)).rows, 20);
            continue;
        }
        let error = refused(&folder, &out, &options(64_000_000));
        for part in parts.iter().chain(&["b.parquet"]) {
            assert!(error.to_string().contains(part), "{name}: `{part}` is missing in {error}");
        }
        assert!(!error.remedy.is_empty() && !out.exists());
    }
    // Types that a file of rows cannot have.
    let folder = dir.path().join("encoded");
    let rows_again = batch(&rows, &plain);
    let ends = PrimitiveArray::<Int32Type>::from_iter_values([rows.len() as i32]);
    let encoded = RunArray::try_new(&ends, &StringArray::from(vec!["same"])).expect("one run");
    let schema = Schema::new(vec![Field::new("note", encoded.data_type().clone(), true)]);
    let fields = Schema::try_merge([rows_again.schema().as_ref().clone(), schema]).expect("one schema");
    let columns = rows_again.columns().iter().cloned().chain([Arc::new(encoded) as ArrayRef]).collect();
    let encoded = RecordBatch::try_new(Arc::new(fields), columns).expect("columns of equal length");
    fs::create_dir(&folder).expect("a folder");
    let mut writer =
        FileWriter::try_new(File::create(folder.join("e.arrow")).expect("new"), &encoded.schema()).expect("IPC");
    writer.write(&encoded).and_then(|()| writer.finish()).expect("written");
    let error = refused(&folder, &dir.path().join("encoded.parquet"), &options(64_000_000));
    assert!(error.to_string().contains("column `note` has the type RunEndEncoded"), "{error}");
    // A foreign column that has no value in one file, and that is text here and a number there.
    let folder = dir.path().join("kind");
    let with_note = batch(&rows, &Shaping { extra: true, ..Shaping::default() });
    write_batch(&folder.join("a.parquet"), &with_note, &plain);
    let nothing = arrow_array::new_null_array(&DataType::Null, rows.len());
    write_batch(&folder.join("b.parquet"), &replaced(&with_note, "note", nothing), &plain);
    let out = dir.path().join("null.parquet");
    assert_eq!(sorted(&folder, &out, &options(64_000_000)).rows, 20);
    assert_eq!(column(&batches(&out), "note", &DataType::Utf8).null_count(), 10);
    let number: ArrayRef = Arc::new(Int64Array::from(vec![1; rows.len()]));
    write_batch(&folder.join("b.parquet"), &replaced(&with_note, "note", number), &plain);
    let error = refused(&folder, &dir.path().join("kind.parquet"), &options(64_000_000));
    assert!(error.to_string().contains("column `note` has the type Int64, but Utf8 in"), "{error}");
}

/// A batch with one column replaced.
fn replaced(batch: &RecordBatch, name: &str, array: ArrayRef) -> RecordBatch {
    let schema = batch.schema();
    let at = schema.index_of(name).expect("a column");
    let mut fields: Vec<Field> = schema.fields().iter().map(|field| field.as_ref().clone()).collect();
    fields[at] = Field::new(name, array.data_type().clone(), true);
    let mut columns = batch.columns().to_vec();
    columns[at] = array;
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).expect("columns of equal length")
}

#[test]
fn what_is_wrong_is_said_and_nothing_is_left() {
    let dir = tempfile::tempdir().expect("scratch");
    let (folder, input) = (dir.path().join("f"), dir.path().join("f/in.parquet"));
    let rows = shuffled(1, 20, 2, 9);
    let (plain, good) = (Shaping::default(), batch(&rows, &Shaping::default()));
    write_batch(&input, &good, &plain);
    let out = folder.join("out.parquet");
    let enough = options(64_000_000);
    let refuse = |input: &Path, out: &Path, options: &SortOptions, part: &str| {
        let before = listing(&folder);
        let error = refused(input, out, options);
        assert!(
            format!("{error}, {}", error.remedy).contains(part),
            "`{part}` is missing in {error}, {}",
            error.remedy
        );
        assert_eq!(listing(&folder), before, "{part}");
    };
    refuse(&folder.join("nowhere.parquet"), &out, &enough, "cannot be read");
    refuse(&input, &folder, &enough, "is a directory");
    refuse(&input, &folder.join("none/out.parquet"), &enough, "create the folder");
    let force = SortOptions { force: true, ..enough.clone() };
    refuse(&input, &input, &force, "one of the files to be sorted");
    refuse(&input, &folder.join("../f/in.parquet"), &force, "one of the files to be sorted");
    refuse(&folder, &out, &enough, "lies in the directory");
    refuse(&input, &out, &options(1000), "--memory");
    fs::write(&out, "precious").expect("written");
    refuse(&input, &out, &enough, "--force");
    assert_eq!(fs::read(&out).expect("there"), b"precious");
    assert_eq!(sorted(&input, &out, &force).rows, 40);
    assert!(read(&out) == in_order(&rows));
    fs::remove_file(&out).expect("removed");

    let mut keys: Vec<Option<i64>> = rows.iter().map(|row| Some(row.frame)).collect();
    keys[17] = None;
    write_batch(&input, &replaced(&good, "frame", Arc::new(Int64Array::from(keys))), &plain);
    refuse(&input, &out, &enough, "row 17 (from 0): column `frame` is null");
    let mut keys: Vec<u64> = vec![5; rows.len()];
    keys[11] = u64::MAX;
    write_batch(&input, &replaced(&good, "run", Arc::new(UInt64Array::from(keys))), &plain);
    refuse(&input, &out, &enough, "row 11 (from 0): column `run` is beyond the range of int64");

    write_batch(&input, &good, &plain);
    let bytes = fs::read(&input).expect("read");
    fs::write(&input, &bytes[..bytes.len() - 300]).expect("written");
    refuse(&input, &out, &enough, "in.parquet");
    fs::write(&input, "x,y,z\n").expect("written");
    refuse(&input, &out, &enough, "is not a Parquet file");
}

#[test]
fn an_end_at_any_time_leaves_nothing() {
    let dir = tempfile::tempdir().expect("scratch");
    let (input, out) = (dir.path().join("in.parquet"), dir.path().join("out.parquet"));
    write(&input, &shuffled(2, 300, 100, 10), &Shaping { groups: vec![5000], ..Shaping::default() });
    let nowhere = SortOptions { temp: Some(dir.path().join("none")), ..options(1_000_000) };
    assert!(refused(&input, &out, &nowhere).remedy.contains("--temp"));
    let before = listing(dir.path());
    let mut steps = Vec::new();
    sort(&input, &out, &options(1_000_000), &mut |step| {
        assert!(step.rows <= step.total, "{step:?}");
        steps.push(step.phase);
        true
    })
    .expect("sorted");
    fs::remove_file(&out).expect("removed");
    for phase in [SortPhase::Checking, SortPhase::Sorting, SortPhase::Writing] {
        let first = steps.iter().position(|step| *step == phase).unwrap_or_else(|| panic!("no {phase:?}"));
        let count = steps.iter().filter(|step| **step == phase).count();
        for end in [first, first + count / 2, first + count - 1] {
            let mut left = end;
            let error = sort(&input, &out, &options(1_000_000), &mut |_| {
                let go_on = left > 0;
                left = left.saturating_sub(1);
                go_on
            })
            .expect_err("interrupted");
            assert!(error.problem.contains("interrupted"), "{error}");
            assert_eq!(listing(dir.path()), before, "{phase:?}, step {end}");
        }
    }
}

fn program(dir: &Path, args: &[&str]) -> (Option<i32>, String, String) {
    let done = Command::new(env!("CARGO_BIN_EXE_clearsweep")).current_dir(dir).args(args).output().expect("it starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (done.status.code(), text(&done.stdout), text(&done.stderr))
}

#[test]
fn the_remedy_of_a_run_works_as_printed() {
    let dir = tempfile::tempdir().expect("scratch");
    let dir = dir.path();
    assert_eq!(
        program(dir, &["generate", "crowd", "--out", "my crowd", "--bodies", "12", "--frames", "40"]).0,
        Some(0)
    );
    let input = dir.join("my crowd/trajectories.parquet");
    let mut rows = batches(&input);
    let order: arrow_array::UInt32Array = (0..rows.num_rows() as u32).rev().collect();
    rows = arrow_select::take::take_record_batch(&rows, &order).expect("reversed");
    write_batch(&input, &rows, &Shaping::default());
    let (code, _, err) = program(dir, &["run", "my crowd/scene.toml", "--out", "o"]);
    assert_eq!(code, Some(1));
    assert!(err.contains("`clearsweep sort 'my crowd/trajectories.parquet' sorted.parquet`"), "{err}");
    let (code, out, err) = program(dir, &["sort", "my crowd/trajectories.parquet", "sorted.parquet", "--json"]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let done: serde_json::Value = serde_json::from_str(&out).expect("one JSON object");
    assert_eq!((&done["rows"], &done["frames"], &done["was_sorted"]), (&480.into(), &40.into(), &false.into()));
    let run = ["run", "my crowd/scene.toml", "--out", "o", "--trajectories", "sorted.parquet"];
    assert_eq!(program(dir, &run).0, Some(0));
    let (code, out, _) = program(dir, &["sort", "sorted.parquet", "again.parquet"]);
    assert!(code == Some(0) && out.contains("480 rows in 1 file") && out.contains("in order already"), "{out}");
    let (code, out, err) = program(dir, &["sort", "sorted.parquet", "again.parquet"]);
    assert!(code == Some(1) && out.is_empty() && err.contains("--force"), "{err}");
}

/// The memory asked for bounds what is taken: a file of several times as much is sorted.
#[test]
fn memory_is_kept_to() {
    let dir = tempfile::tempdir().expect("scratch");
    let input = dir.path().join("in.parquet");
    let rows = shuffled(1, 5000, 200, 11);
    write(&input, &rows, &Shaping::default());
    drop(rows);
    // A slow machine would print progress.
    let sort = ["sort", "in.parquet", "out.parquet", "--memory", "16MB", "--progress", "none", "--json"];
    let (code, out, err) = program(dir.path(), &sort);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let done: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    assert!(done["rows"] == 1_000_000 && done["stretches"].as_u64() > Some(5), "{done}");
    // Linux tells; the program itself, its decoders and what the allocator keeps take some 30 MB.
    if let Some(peak) = done["peak_memory_bytes"].as_u64() {
        assert!(peak < 56_000_000, "{peak} bytes for 76 MB of rows in 16 MB");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_leaves_nothing() {
    use std::os::unix::process::ExitStatusExt;
    let dir = tempfile::tempdir().expect("scratch");
    write(&dir.path().join("in.parquet"), &shuffled(1, 3000, 200, 12), &Shaping::default());
    let mut child = Command::new(env!("CARGO_BIN_EXE_clearsweep"))
        .current_dir(dir.path())
        .args(["sort", "in.parquet", "out.parquet", "--memory", "2MB", "--progress", "none"])
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("it starts");
    // Once the file to be written is there under its temporary name, the handler is too.
    while child.try_wait().expect("asked").is_none() && listing(dir.path()).len() < 2 {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    let done = child.wait_with_output().expect("it ends");
    assert!(killed.success() && done.status.signal().is_none(), "the interrupt came while it worked: {done:?}");
    assert_eq!(done.status.code(), Some(130));
    assert!(String::from_utf8_lossy(&done.stderr).contains("nothing was left behind"));
    assert_eq!(listing(dir.path()), ["in.parquet"]);
}
