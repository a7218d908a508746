//! Inputs, threads and outputs beyond what they may be: sizes are bounded before memory is taken,
//! footers do not hide rows, and the exit code says what was found.
#![allow(clippy::print_stderr)] // says which checks were skipped, and why

use crate::program::expect;
use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, DictionaryArray, Float64Array, Int32Array, Int64Array, ListArray, RecordBatch, StringArray,
};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType, Field};
use clearsweep_testing::trajectories::{Row, Shaping, write, write_batch};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader, ParquetMetaDataWriter};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder, WriterVersion};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use tempfile::TempDir;

/// A table of static spheres 3 m apart.
fn bodies_table(path: &Path, names: &[String]) {
    let names: ArrayRef = Arc::new(StringArray::from_iter_values(names));
    let column = |value: &dyn Fn(usize) -> f64| -> ArrayRef {
        Arc::new(Float64Array::from_iter_values((0..names.len()).map(value)))
    };
    let columns = [
        ("x", column(&|row| 3.0 * row as f64)),
        ("y", column(&|_| 0.0)),
        ("z", column(&|_| 0.0)),
        ("qw", column(&|_| 1.0)),
        ("qx", column(&|_| 0.0)),
        ("qy", column(&|_| 0.0)),
        ("qz", column(&|_| 0.0)),
    ];
    let batch = RecordBatch::try_from_iter([("body", names.clone())].into_iter().chain(columns)).expect("a batch");
    let zstd = Compression::ZSTD(ZstdLevel::try_new(3).expect("a level"));
    let properties = WriterProperties::builder().set_compression(zstd).set_statistics_enabled(
        EnabledStatistics::None, // a long name would lie in the footer too
    );
    let file = fs::File::create(path).expect("created");
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties.build())).expect("a writer");
    writer.write(&batch).expect("written");
    writer.close().expect("closed");
}

/// A scene of the bodies in `b.parquet`.
fn scene_of_table(names: &[String]) -> TempDir {
    let dir = tempfile::tempdir().expect("scratch");
    bodies_table(&dir.path().join("b.parquet"), names);
    let text = "[scene]\nlength_unit = \"m\"\n[query]\nwithin = 2\n[[bodies]]\ntable = \"b.parquet\"\n\
                shape = { sphere = 1 }\nstatic = true\n";
    fs::write(dir.path().join("scene.toml"), text).expect("written");
    dir
}

/// Two spheres that move, 3 m apart, in so many frames.
fn moving(frames: i64, query: &str) -> TempDir {
    let dir = tempfile::tempdir().expect("scratch");
    let body = |name: &str| format!("[[body]]\nname = \"{name}\"\nshape = {{ sphere = 1 }}\n");
    let text = format!(
        "[scene]\nlength_unit = \"m\"\ntrajectories = \"t.parquet\"\n[query]\n{query}\n{}{}",
        body("a"),
        body("b")
    );
    fs::write(dir.path().join("scene.toml"), text).expect("written");
    let row = |frame: i64, body: &str, x: f64| Row {
        run: 0,
        frame,
        time: frame as f64 * 0.25,
        body: body.to_owned(),
        pose: [x, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
    };
    let rows: Vec<Row> = (0..frames).flat_map(|frame| [row(frame, "a", 0.0), row(frame, "b", 3.0)]).collect();
    write(&dir.path().join("t.parquet"), &rows, &Shaping::default());
    dir
}

/// Writes a file's footer anew: it claims to hold so many rows, and so does its first row group if
/// that is not `None`.
fn lie(path: &Path, rows: i64, first_group: Option<i64>) {
    let bytes = fs::read(path).expect("a file");
    let metadata = ParquetMetaDataReader::new().parse_and_finish(&fs::File::open(path).expect("a file"));
    let metadata: ParquetMetaData = metadata.expect("a footer");
    let about = metadata.file_metadata();
    let mut groups = metadata.row_groups().to_vec();
    if let Some(rows) = first_group {
        groups[0] = groups[0].clone().into_builder().set_num_rows(rows).build().expect("a row group");
    }
    let counted: i64 = groups.iter().map(|group| group.num_rows()).sum();
    let mut footer = Vec::new();
    let lying = ParquetMetaData::new(about.clone(), groups);
    ParquetMetaDataWriter::new(&mut footer, &lying).finish().expect("written");
    // The writer counts the rows itself: field 3, a number, before field 4, a list.
    let field = |rows: i64| [&[0x16][..], &varint(2 * rows as u64), &[0x19]].concat();
    let at = footer.windows(field(counted).len()).position(|bytes| bytes == field(counted)).expect("the rows");
    footer.splice(at..at + field(counted).len(), field(rows));
    let length = footer.len() - 8;
    footer[length..length + 4].copy_from_slice(&(length as u32).to_le_bytes());
    let tail = bytes.len() - 8;
    let old = u32::from_le_bytes(bytes[tail..tail + 4].try_into().expect("four bytes")) as usize;
    fs::write(path, [&bytes[..tail - old], &footer].concat()).expect("written");
}

/// A number as Thrift's compact protocol writes it.
fn varint(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number > 0x7f {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

#[test]
fn a_footer_that_hides_rows_is_refused() {
    let names: Vec<String> = (0..202).map(|n| format!("b{n}")).collect();
    let dir = scene_of_table(&names);
    expect(dir.path(), "run scene.toml --out o", 0);
    let table = dir.path().join("b.parquet");
    // The file as a whole, its row group, or both, claim fewer rows; then more.
    for (rows, group) in [(0, None), (0, Some(0)), (202, Some(0)), (101, Some(101)), (404, Some(404))] {
        bodies_table(&table, &names);
        lie(&table, rows, group);
        let (_, err) = expect(dir.path(), "run scene.toml --out p", 1);
        assert!(err.contains("b.parquet") && err.contains("claims to hold"), "{rows} {group:?}: {err}");
    }
    let dir = moving(10, "within = 2");
    expect(dir.path(), "run scene.toml --out o", 0);
    for (rows, group) in [(0, None), (0, Some(0)), (10, Some(10))] {
        let dir = moving(10, "within = 2");
        lie(&dir.path().join("t.parquet"), rows, group);
        let (_, err) = expect(dir.path(), "run scene.toml --out p", 1);
        assert!(err.contains("t.parquet") && err.contains("claims to hold"), "{rows} {group:?}: {err}");
    }
}

/// Peak of resident memory of a child that ended with this code, KiB, as GNU time measures it;
/// `None` without it.
#[cfg(target_os = "linux")]
fn peak_kib(dir: &Path, args: &str, code: i32) -> Option<u64> {
    let mut command = Command::new("/usr/bin/time");
    command.args(["-f", "%M", env!("CARGO_BIN_EXE_clearsweep")]).args(args.split_whitespace());
    let done = command.current_dir(dir).output().ok()?;
    assert_eq!(done.status.code(), Some(code), "{args}");
    String::from_utf8_lossy(&done.stderr).lines().last()?.trim().parse().ok()
}

#[test]
fn a_long_name_costs_no_more_than_its_cap() {
    let dir = scene_of_table(&["x".repeat(300 << 20), "y".to_owned()]);
    let table = dir.path().join("b.parquet");
    assert!(fs::metadata(&table).expect("a file").len() < 64 << 10, "a small file claims much");
    let (_, err) = expect(dir.path(), "run scene.toml --out o", 1);
    assert!(
        err.contains("column `body` has a page of 314572804 bytes of text (values: 1)") && err.len() < 1000,
        "{err}"
    );
    #[cfg(target_os = "linux")]
    if let Some(peak) = peak_kib(dir.path(), "run scene.toml --out o", 1) {
        assert!(peak < 100 << 10, "{peak} KiB");
    }
    let dir = scene_of_table(&["x".repeat(65_537), "y".to_owned()]);
    let (_, err) = expect(dir.path(), "run scene.toml --out o", 1);
    assert!(err.contains("the text has 65537 bytes") && err.contains("row 0") && err.len() < 1000, "{err}");
    let dir = scene_of_table(&["x".repeat(65_536), "y".to_owned()]);
    expect(dir.path(), "run scene.toml --out o", 0);
    // In the scene file, in CSV, in a trajectory.
    let dir = moving(1, "within = 2");
    let text = fs::read_to_string(dir.path().join("scene.toml")).expect("a scene");
    fs::write(dir.path().join("long.toml"), text.replace("\"b\"", &format!("\"{}\"", "b".repeat(70_000))))
        .expect("written");
    let (_, err) = expect(dir.path(), "check long.toml", 1);
    assert!(err.contains("70000 bytes") && err.len() < 1000, "{err}");
    let csv = format!("frame,body,x,y,z,qw,qx,qy,qz\n0,a,0,0,0,1,0,0,0\n0,{},3,0,0,1,0,0,0\n", "b".repeat(1 << 20));
    fs::write(dir.path().join("t.csv"), csv).expect("written");
    let (_, err) = expect(dir.path(), "check scene.toml --trajectories t.csv", 1);
    assert!(err.contains("t.csv:3") && err.contains("at most 65,536 bytes") && err.len() < 1000, "{err}");
}

/// A table of one column of texts, by the writer's own encodings: few bytes for texts that repeat.
fn texts_table(path: &Path, column: &str, texts: ArrayRef, properties: WriterPropertiesBuilder) {
    let batch = RecordBatch::try_from_iter([(column, texts)]).expect("a batch");
    let zstd = Compression::ZSTD(ZstdLevel::try_new(3).expect("a level"));
    let properties = properties.set_compression(zstd).set_statistics_enabled(EnabledStatistics::None);
    let file = fs::File::create(path).expect("created");
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties.build())).expect("a writer");
    writer.write(&batch).expect("written");
    writer.close().expect("closed");
    assert!(fs::metadata(path).expect("a file").len() < 256 << 10, "a small file claims much");
}

/// A text for so many rows, which are one in memory.
fn repeated(text: &str, rows: usize) -> ArrayRef {
    let text: ArrayRef = Arc::new(StringArray::from(vec![text]));
    Arc::new(DictionaryArray::<Int32Type>::try_new(Int32Array::from(vec![0; rows]), text).expect("keys"))
}

/// The error of a check, which takes at most so much memory beside what it says.
fn refused(dir: &Path, args: &str, most_mib: u64) -> String {
    let (_, err) = expect(dir, args, 1);
    assert!(err.len() < 1000, "{err}");
    #[cfg(target_os = "linux")]
    if let Some(peak) = peak_kib(dir, args, 1) {
        assert!(peak < most_mib << 10, "{args}: {peak} KiB");
    }
    err
}

#[test]
fn a_text_that_rows_share_costs_no_more_than_once() {
    let dictionary = || WriterProperties::builder().set_dictionary_page_size_limit(64 << 20);
    // 500 rows of 8 MB each, from a dictionary.
    let dir = scene_of_table(&["a".to_owned()]);
    let table = dir.path().join("b.parquet");
    texts_table(&table, "body", repeated(&"x".repeat(8 << 20), 500), dictionary());
    assert!(refused(dir.path(), "check scene.toml", 150).contains("the text has 8388608 bytes"));
    // The same where every text repeats the beginning of the one before it.
    let plain =
        WriterProperties::builder().set_dictionary_enabled(false).set_writer_version(WriterVersion::PARQUET_2_0);
    let texts: ArrayRef = Arc::new(StringArray::from_iter_values(vec!["x".repeat(8 << 20); 100]));
    texts_table(&table, "body", texts, plain);
    assert!(refused(dir.path(), "check scene.toml", 700).contains("the text has 8388608 bytes"));
    // Each text is short enough, but all of them are not.
    let names = StringArray::from_iter_values((0..2000).map(|row| format!("b{row}")));
    let geometry = repeated(&"x".repeat(60_000), 2000);
    let batch = RecordBatch::try_from_iter([("body", Arc::new(names) as ArrayRef), ("geometry", geometry)]);
    write_batch(&table, &batch.expect("a batch"), &Shaping { dictionary: true, ..Shaping::default() });
    let text = "[scene]\nlength_unit = \"m\"\n[query]\nwithin = 2\n[[bodies]]\ntable = \"b.parquet\"\n";
    fs::write(dir.path().join("scene.toml"), text).expect("written");
    let err = refused(dir.path(), "check scene.toml --max-input 10MB", 150);
    assert!(err.contains("b.parquet") && err.contains("the limit is 10000000"), "{err}");
    // A trajectory: every frame names the body by the same long text.
    let dir = moving(1, "within = 2");
    let rows = 500;
    let column = |value: f64| -> ArrayRef { Arc::new(Float64Array::from(vec![value; rows])) };
    let names = |kind: &DataType| arrow_cast::cast(&repeated(&"x".repeat(8 << 20), rows), kind).expect("other keys");
    for keys in [DataType::Int32, DataType::Int16] {
        let names = names(&DataType::Dictionary(Box::new(keys), Box::new(DataType::Utf8)));
        let frames: ArrayRef = Arc::new(Int64Array::from_iter_values(0..rows as i64));
        let pose = ["x", "y", "z", "qw", "qx", "qy", "qz"].map(|name| (name, column(f64::from(name == "qw"))));
        let batch = RecordBatch::try_from_iter([("frame", frames), ("body", names)].into_iter().chain(pose));
        let batch = batch.expect("a batch");
        let file = fs::File::create(dir.path().join("t.parquet")).expect("created");
        let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(dictionary().build())).expect("a writer");
        writer.write(&batch).expect("written");
        writer.close().expect("closed");
        assert!(refused(dir.path(), "check scene.toml", 200).contains("has 8388608 bytes"));
        let file = fs::File::create(dir.path().join("t.arrow")).expect("created");
        let mut writer = arrow_ipc::writer::FileWriter::try_new(file, &batch.schema()).expect("a writer");
        writer.write(&batch).expect("written");
        writer.finish().expect("closed");
        let args = "check scene.toml --trajectories t.arrow";
        assert!(refused(dir.path(), args, 200).contains("has 8388608 bytes"));
    }
}

#[test]
fn lists_are_bounded() {
    let dir = scene_of_table(&["a".to_owned()]);
    let texts = StringArray::from_iter_values(vec!["x".repeat(60_000); 40]);
    let field = Arc::new(Field::new("item", DataType::Utf8, true));
    let list = ListArray::new(field, OffsetBuffer::from_lengths([40]), Arc::new(texts), None);
    let name: ArrayRef = Arc::new(StringArray::from(vec!["a"]));
    let batch = RecordBatch::try_from_iter([("body", name), ("group", Arc::new(list) as ArrayRef)]);
    write_batch(&dir.path().join("b.parquet"), &batch.expect("a batch"), &Shaping::default());
    let err = refused(dir.path(), "check scene.toml", 150);
    assert!(err.contains("row 0") && err.contains("a list with texts of more than 1048576 bytes"), "{err}");
}

/// Peak memory of a check of a scene with so many rows in a table, for which `section` says the
/// same; every other row has an offset, so that the rows differ in more than their places.
#[cfg(target_os = "linux")]
fn peak_mib_of_rows(rows: usize, section: &str, code: i32) -> Option<u64> {
    let dir = tempfile::tempdir().expect("scratch");
    let lines: Vec<String> = (0..rows).map(|row| format!("b{row},{},0,0,1,0,0,0,{}", 9000 * row, row % 2)).collect();
    let table = format!("body,x,y,z,qw,qx,qy,qz,offset\n{}\n", lines.join("\n"));
    fs::write(dir.path().join("b.csv"), table).expect("written");
    let text = format!(
        "[scene]\nlength_unit = \"m\"\n[query]\nwithin = 0\n[[bodies]]\ntable = \"b.csv\"\nstatic = true\n{section}\n"
    );
    fs::write(dir.path().join("scene.toml"), text).expect("written");
    Some(peak_kib(dir.path(), "check scene.toml", code)? >> 10)
}

#[test]
#[cfg(target_os = "linux")]
fn what_a_section_says_costs_its_rows_no_more_than_once() {
    let points: Vec<String> = (0..4000).map(|at| format!("[{at}, {}, {}]", at % 7, at % 11)).collect();
    let shape = format!("shape = {{ points = [{}] }}", points.join(", "));
    // 290 MB, if each of 3,000 rows had points of its own.
    if let Some(peak) = peak_mib_of_rows(3000, &shape, 0) {
        assert!(peak < 80, "{peak} MiB");
    }
    // More than a gigabyte of groups is refused, and not copied before.
    let groups = format!("shape = {{ sphere = 0.1 }}\ngroup = [\"{}\"]", "x".repeat(60_000));
    if let Some(peak) = peak_mib_of_rows(18_000, &groups, 1) {
        assert!(peak < 80, "{peak} MiB");
    }
}

#[test]
fn names_of_parts_are_bounded() {
    let dir = tempfile::tempdir().expect("scratch");
    let faces = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
    fs::write(dir.path().join("a.obj"), format!("o {}\n{faces}", "n".repeat(70_000))).expect("written");
    let text =
        "[scene]\nlength_unit = \"m\"\n[query]\nwithin = 2\n[[bodies]]\neach = \"object\"\ngeometry = \"a.obj\"\n";
    fs::write(dir.path().join("scene.toml"), text).expect("written");
    let (_, err) = expect(dir.path(), "check scene.toml", 1);
    assert!(err.contains("a.obj") && err.contains("70000 bytes, more than 65536") && err.len() < 1000, "{err}");
}

#[test]
fn files_beyond_the_limit_are_refused() {
    let dir = scene_of_table(&(0..5000).map(|n| format!("b{n}")).collect::<Vec<_>>());
    let size = fs::metadata(dir.path().join("b.parquet")).expect("a file").len();
    // By its real size, and by what its pages claim to hold.
    let (_, err) = expect(dir.path(), &format!("check scene.toml --max-input {}", size - 1), 1);
    assert!(err.contains("b.parquet") && err.contains("--max-input"), "{err}");
    let (_, err) = expect(dir.path(), &format!("check scene.toml --max-input {size}"), 1);
    assert!(err.contains("b.parquet") && err.contains("claims to hold") && err.contains("--max-input"), "{err}");
    expect(dir.path(), "check scene.toml --max-input 1MiB", 0);
    let (_, err) = expect(dir.path(), "check scene.toml --max-input 10", 1);
    assert!(err.contains("scene.toml"), "{err}");
    // A sparse file claims what it has not.
    let large = fs::File::create(dir.path().join("large.stl")).expect("created");
    large.set_len(1 << 40).expect("sparse");
    let (_, err) = expect(dir.path(), "query large.stl sphere:1", 1);
    assert!(err.contains("large.stl") && err.contains("the limit is 17179869184"), "{err}");
    let (_, err) = expect(dir.path(), "query large.stl sphere:1 --max-input 1kB", 1);
    assert!(err.contains("the limit is 1000"), "{err}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_manifest_that_is_no_file_is_refused_at_once() {
    let dir = moving(2, "within = 2");
    expect(dir.path(), "run scene.toml --out o", 0);
    let manifest = dir.path().join("o/manifest.json");
    for table in ["manifest.json", "pairs.parquet"] {
        let path = dir.path().join("o").join(table);
        fs::rename(&path, dir.path().join("kept")).expect("moved");
        std::os::unix::fs::symlink("/dev/zero", &path).expect("a link");
        let (_, err) = expect(dir.path(), "summary o", 1);
        assert!(err.contains(table) && err.contains("regular file"), "{err}");
        fs::remove_file(&path).expect("removed");
        assert!(Command::new("mkfifo").arg(&path).status().expect("mkfifo").success());
        let (_, err) = expect(dir.path(), "summary o", 1);
        assert!(err.contains(table) && err.contains("regular file"), "{err}");
        expect(dir.path(), "export o --csv --to c", 1);
        fs::remove_file(&path).expect("removed");
        fs::rename(dir.path().join("kept"), &path).expect("moved back");
    }
    let large = fs::File::create(&manifest).expect("created");
    large.set_len(1 << 40).expect("sparse");
    let (_, err) = expect(dir.path(), "summary o", 1);
    assert!(err.contains("the limit is 268435456"), "{err}");
}

#[test]
fn too_many_threads_are_cut_with_a_word() {
    let dir = moving(2, "within = 2");
    let (out, err) = expect(dir.path(), "run scene.toml --out o --threads 4096 --json", 0);
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let most = (4 * cores).max(64);
    let problem = format!("4096 threads were asked for, and {most} did the work");
    assert!(err.contains(&problem), "{err}{out}");
    let manifest = fs::read(dir.path().join("o/manifest.json")).expect("a manifest");
    let manifest: serde_json::Value = serde_json::from_slice(&manifest).expect("JSON");
    assert_eq!(manifest["options"]["threads"], most);
    assert_eq!(manifest["warnings"][0]["kind"], "threads");
    assert_eq!(manifest["warnings"][0]["problem"], problem.as_str());
    let (_, err) = expect(dir.path(), "run scene.toml --out p --threads 3", 0);
    assert!(!err.contains("threads"), "{err}");
}

/// Every command on a system that gives no thread: an error or an answer, never a panic.
#[cfg(target_os = "linux")]
#[test]
fn a_system_without_threads_gives_an_error() {
    let dir = moving(2, "within = 2");
    let path = dir.path();
    expect(path, "run scene.toml --out o", 0);
    std::os::unix::fs::chown(path, Some(65_534), Some(65_534)).unwrap_or_default();
    let program = path.join("clearsweep");
    fs::copy(env!("CARGO_BIN_EXE_clearsweep"), &program).expect("copied");
    let limited = |args: &str| {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--clear-groups", "prlimit", "--nproc=1"]).arg(&program);
        command.args(args.split_whitespace()).current_dir(path).stdin(Stdio::null()).output().expect("setpriv starts")
    };
    let probe =
        Command::new("setpriv").args(["--reuid=65534", "--clear-groups", "prlimit", "--nproc=1", "true"]).status();
    if !probe.is_ok_and(|status| status.success()) {
        // The limit would be that of all processes of this user.
        eprintln!("skipped: setpriv and prlimit cannot start a program as another user here");
        return;
    }
    let commands = [
        ("run scene.toml --out p", vec![1]),
        ("check scene.toml", vec![1]),
        ("query box:1,1,1 sphere:1", vec![0]),
        ("sort t.parquet s.parquet", vec![0, 1]),
        ("generate crowd --out g --bodies 10 --frames 3", vec![0, 1]),
        ("summary o", vec![0]),
    ];
    for (args, codes) in commands {
        let done = limited(args);
        let err = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(done.status.code().is_some_and(|code| codes.contains(&code)), "{args}: {:?} {err}", done.status);
        assert!(!err.contains("panicked"), "{args}: {err}");
        if done.status.code() == Some(1) {
            assert!(err.contains("gives no further thread") && err.contains("help:"), "{args}: {err}");
        }
    }
}

#[test]
fn ranges_that_choose_nothing_are_a_usage_error() {
    let (some, none) = (moving(4, "within = 2\nrequire = 1"), moving(0, "within = 2\nrequire = 1"));
    for (dir, range) in [(&some, "--frames 7..9"), (&none, "--frames 7..9"), (&none, "--runs 1")] {
        for rest in ["", " --allow-empty"] {
            let (_, err) = expect(dir.path(), &format!("run scene.toml --out o {range}{rest}"), 2);
            assert!(err.contains("holds no frame"), "{err}");
            assert!(!dir.path().join("o/manifest.json").exists());
        }
        let (_, err) = expect(dir.path(), &format!("check scene.toml {range}"), 2);
        assert!(err.contains("holds no frame"), "{err}");
    }
    // Without a range, an input without rows is no error, but nothing was checked.
    let (out, _) = expect(none.path(), "run scene.toml --out o --json", 2);
    let summary: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((&summary["verdict"], &summary["nothing_checked"]), (&"nothing-checked".into(), &"no-frame".into()));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_stdout_does_not_hide_the_verdict() {
    let full = |dir: &Path, args: &str| {
        let out = fs::OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
        let mut command = Command::new(env!("CARGO_BIN_EXE_clearsweep"));
        let done = command.current_dir(dir).args(args.split_whitespace()).stdout(out).output().expect("starts");
        let err = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(err.contains("stdout: cannot be written"), "{err}");
        done.status.code()
    };
    let violated = moving(2, "within = 2\nrequire = 1.5");
    let clear = moving(2, "within = 2\nrequire = 0.5");
    let empty = moving(0, "within = 2\nrequire = 0.5");
    for (number, rest) in ["", " --json"].into_iter().enumerate() {
        assert_eq!(full(violated.path(), &format!("run scene.toml --out {number}{rest}")), Some(3));
        assert_eq!(full(clear.path(), &format!("run scene.toml --out {number}{rest}")), Some(1));
        assert_eq!(full(empty.path(), &format!("run scene.toml --out {number}{rest}")), Some(2));
    }
}
