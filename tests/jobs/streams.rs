//! Streams: poses on stdin, distances on stdout, pipes in place of files; and trajectories whose
//! columns have other names.

use arrow_array::RecordBatch;
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_ipc::CompressionType;
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::{IpcWriteOptions, StreamWriter};
use arrow_schema::{Field, Schema};
use clearsweep_testing::folder::{files, tables};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::Value;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;

fn program(dir: &Path, args: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_clearsweep"));
    command.current_dir(dir).args(args.split_whitespace()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs the program with bytes on stdin.
fn fed(dir: &Path, args: &str, bytes: &[u8]) -> Output {
    let mut child = program(dir, args).stdin(Stdio::piped()).spawn().expect("it starts");
    let (mut stdin, bytes) = (child.stdin.take().expect("a pipe"), bytes.to_owned());
    // A program that refuses its input closes the pipe.
    let feeder = std::thread::spawn(move || drop(stdin.write_all(&bytes)));
    let done = child.wait_with_output().expect("it ends");
    feeder.join().expect("fed");
    done
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs the program with bytes on stdin, checks its exit code, and returns stdout and what it said.
fn expect(dir: &Path, args: &str, bytes: &[u8], code: i32) -> (Vec<u8>, String) {
    let done = fed(dir, args, bytes);
    let said = text(&done.stderr);
    assert_eq!(done.status.code(), Some(code), "clearsweep {args}\n{said}");
    (done.stdout, said)
}

/// A scene of two bodies that are far from each other.
const FAR: &str = "[scene]\nlength_unit = \"m\"\ntrajectories = \"far.csv\"\n[query]\nwithin = 0.1\n[[body]]\nname = \"a\"\n\
    shape = { sphere = 1.0 }\n[[body]]\nname = \"b\"\nstatic = true\nshape = { sphere = 1.0 }\nposition = [0.0, 0.0, 5.0]\n";

/// A crowd of 40 bodies, 2 runs of 90 frames, in `c/`.
fn crowd() -> TempDir {
    let dir = tempfile::tempdir().expect("scratch");
    expect(dir.path(), "generate crowd --out c --bodies 40 --frames 90 --runs 2 --density 0.4 --seed 7", b"", 0);
    dir
}

fn parquet(path: &Path) -> Vec<RecordBatch> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(path).expect("a file")).expect("Parquet");
    builder.build().expect("a reader").collect::<Result<_, _>>().expect("decoded")
}

/// The trajectories of the crowd as a stream, in batches of so many rows.
fn stream(dir: &Path, rows: usize, compression: Option<CompressionType>) -> Vec<u8> {
    let batches = parquet(&dir.join("c/trajectories.parquet"));
    let options = IpcWriteOptions::default().try_with_compression(compression).expect("an option");
    let mut writer = StreamWriter::try_new_with_options(Vec::new(), &batches[0].schema(), options).expect("a writer");
    for batch in batches {
        for start in (0..batch.num_rows()).step_by(rows) {
            writer.write(&batch.slice(start, rows.min(batch.num_rows() - start))).expect("written");
        }
    }
    writer.into_inner().expect("finished")
}

/// The rows of batches, each as text; floats are written so that no two differ alike.
fn rows(batches: &[RecordBatch]) -> Vec<String> {
    let options = FormatOptions::new().with_null("null");
    let mut rows = Vec::new();
    for batch in batches {
        let cells: Vec<ArrayFormatter<'_>> = batch
            .columns()
            .iter()
            .map(|column| ArrayFormatter::try_new(column.as_ref(), &options).expect("a column"))
            .collect();
        rows.extend((0..batch.num_rows()).map(|row| {
            let row: Vec<String> = cells.iter().map(|cell| cell.value(row).to_string()).collect();
            row.join(" ")
        }));
    }
    rows
}

/// The rows of `distances` of a directory.
fn distances(out: &Path) -> Vec<String> {
    let parts = files(&out.join("distances"));
    parts.keys().flat_map(|part| rows(&parquet(&out.join("distances").join(part)))).collect()
}

fn received(bytes: &[u8]) -> Vec<RecordBatch> {
    StreamReader::try_new(bytes, None).expect("a stream").collect::<Result<_, _>>().expect("decoded")
}

#[test]
fn a_stream_in_and_a_stream_out_are_the_files() {
    let dir = crowd();
    let dir = dir.path();
    expect(dir, "run c/scene.toml --out files", b"", 0);
    let expected = distances(&dir.join("files"));
    assert!(expected.len() > 1000, "the test is to have rows");
    fs::create_dir(dir.join("temp")).expect("a folder");
    for (size, compression) in
        [(1 << 20, None), (100, Some(CompressionType::LZ4_FRAME)), (999, Some(CompressionType::ZSTD))]
    {
        let poses = stream(dir, size, compression);
        let args = "run c/scene.toml --trajectories - --out - --temp temp --progress none --require 1mm --within 0.5";
        let (out, said) = expect(dir, args, &poses, 3);
        let batches = received(&out);
        assert_eq!(batches[0].schema().metadata().len(), 0);
        assert!(said.contains("note: a stream of") && said.contains("VIOLATED"), "{said}");
        assert!(said.contains("`distances` to stdout, as an Arrow IPC stream") && !said.contains("duckdb"), "{said}");
        let args = format!("run c/scene.toml --trajectories - --out tables{size} --json --require 1mm --within 0.5");
        let (out, _) = expect(dir, &args, &poses, 3);
        let summary: Value = serde_json::from_slice(&out).expect("an object");
        assert_eq!(summary["rows"], rows(&batches).len());
        assert_eq!(rows(&batches), distances(&dir.join(format!("tables{size}"))));
        assert_eq!(
            batches[0].schema(),
            received(&fed(dir, "run c/scene.toml --out - --frames 3", b"").stdout)[0].schema()
        );

        let args = format!("run c/scene.toml --trajectories - --out plain{size}");
        expect(dir, &args, &poses, 0);
        let [streamed, of_files] = [format!("plain{size}"), "files".to_owned()].map(|out| tables(&dir.join(out)));
        assert!(streamed == of_files, "the tables differ");
        let manifest = fs::read(dir.join(format!("plain{size}/manifest.json"))).expect("a manifest");
        let manifest: Value = serde_json::from_slice(&manifest).expect("JSON");
        assert_eq!(manifest["spooled_bytes"], poses.len());
        let input = manifest["inputs"].as_array().expect("inputs").last().expect("the stream");
        assert_eq!((&input["path"], &input["bytes"]), (&Value::from("stdin"), &Value::from(poses.len())));
        assert!(files(&dir.join("temp")).is_empty());
    }
    let manifest: Value =
        serde_json::from_slice(&fs::read(dir.join("files/manifest.json")).expect("a file")).expect("JSON");
    assert_eq!(manifest["spooled_bytes"], 0);
    let (out, said) = expect(dir, "check c/scene.toml --trajectories -", &stream(dir, 500, None), 0);
    assert!(text(&out).contains("copied") && said.is_empty(), "{}", text(&out));
}

#[test]
fn what_needs_a_directory_or_a_file_is_refused() {
    let dir = crowd();
    for (args, says) in [
        ("run c/scene.toml --out - --force", "--force: is of no use with `--out -`"),
        ("run c/scene.toml --out - --resume", "--resume: is of no use with `--out -`"),
        ("run c/scene.toml --trajectories - --out o --resume", "--resume: is of no use with `--trajectories -`"),
    ] {
        let (out, said) = expect(dir.path(), args, b"", 2);
        assert!(out.is_empty() && said.contains(says) && said.contains("help:"), "{args}: {said}");
    }
    assert_eq!(fs::read_dir(dir.path()).expect("a folder").count(), 1, "nothing is written");
}

#[test]
fn a_stream_of_no_row_is_a_table_of_no_row() {
    let dir = crowd();
    let dir = dir.path();
    fs::write(dir.join("far.csv"), "frame,body,x,y,z,qw,qx,qy,qz\n0,a,0,0,0,1,0,0,0\n").expect("written");
    fs::write(dir.join("far.toml"), FAR).expect("written");
    let (out, said) = expect(dir, "run far.toml --out -", b"", 0);
    assert!(received(&out).is_empty() && out.ends_with(&[0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]), "{said}");
    let batch = parquet(&dir.join("c/trajectories.parquet"))[0].slice(0, 0);
    let mut writer = StreamWriter::try_new(Vec::new(), &batch.schema()).expect("a writer");
    writer.finish().expect("finished");
    let none = writer.into_inner().expect("bytes");
    let (out, said) = expect(dir, "run c/scene.toml --trajectories - --out -", &none, 0);
    assert!(received(&out).is_empty() && said.contains("hold no row"), "{said}");
    expect(dir, "run c/scene.toml --trajectories - --out - --require 1mm --within 0.5", &none, 2);
}

#[test]
fn a_broken_stream_names_its_batch_and_leaves_nothing() {
    let dir = crowd();
    let dir = dir.path();
    let whole = stream(dir, 1000, None);
    let renamed = {
        let batch = &parquet(&dir.join("c/trajectories.parquet"))[0];
        let fields = batch
            .schema()
            .fields()
            .iter()
            .map(|field| field.as_ref().clone().with_name(format!("{}_", field.name())))
            .collect::<Vec<_>>();
        let schema = Arc::new(Schema::new(fields));
        let mut writer = StreamWriter::try_new(Vec::new(), &schema).expect("a writer");
        writer.write(&RecordBatch::try_new(schema, batch.columns().to_vec()).expect("a batch")).expect("written");
        writer.into_inner().expect("finished")
    };
    let unended = &whole[..whole.len() - 8];
    let after = format!("(after {} whole batches of rows)", received(&whole).len());
    for (bytes, says) in [
        (whole[..whole.len() / 2].to_vec(), ["stdin, message", "whole batches of rows)", "truncated"]),
        (unended.to_vec(), [&after, "ends without its end marker", "stopped early"]),
        ([&whole[..], &whole[..]].concat(), [&after, "bytes follow the end of the stream", "give one stream"]),
        // A schema in the middle.
        ([unended, &renamed[..]].concat(), [&after, "neither a batch of rows nor a dictionary", "help:"]),
        (b"".to_vec(), ["stdin", "is empty (0 bytes)", "help:"]),
        (b"frame,body,x,y,z\n".to_vec(), ["stdin", "is not a Parquet file", "help:"]),
        (renamed.clone(), ["stdin: has no column", "its columns: ", "[columns] of the scene"]),
    ] {
        for out in ["-", "tables"] {
            let (printed, said) = expect(dir, &format!("run c/scene.toml --trajectories - --out {out}"), &bytes, 1);
            assert!(says.iter().all(|part| said.contains(part)), "{says:?}: {said}");
            assert!(printed.is_empty(), "nothing is on stdout before the input is read");
        }
    }
    assert_eq!(fs::read_dir(dir).expect("a folder").count(), 1, "nothing is left");
    // Whatever is cut off, it is never taken for the whole.
    for end in (0..whole.len()).step_by(whole.len() / 23) {
        let done = fed(dir, "check c/scene.toml --trajectories -", &whole[..end]);
        assert_eq!(done.status.code(), Some(1), "cut at {end}");
    }
    // A file may leave the marker out, and holds one stream, too.
    fs::write(dir.join("t.arrows"), unended).expect("written");
    expect(dir, "check c/scene.toml --trajectories t.arrows", b"", 0);
    fs::write(dir.join("t.arrows"), [&whole[..], &whole[..]].concat()).expect("written");
    let (_, said) = expect(dir, "check c/scene.toml --trajectories t.arrows", b"", 1);
    assert!(said.contains("bytes follow the end of the stream"), "{said}");
}

#[test]
fn an_error_in_the_rows_of_a_stream_names_the_row() {
    let dir = crowd();
    let dir = dir.path();
    let batch = &parquet(&dir.join("c/trajectories.parquet"))[0];
    let mut writer = StreamWriter::try_new(Vec::new(), &batch.schema()).expect("a writer");
    writer.write(&batch.slice(400, 200)).expect("written");
    writer.write(&batch.slice(0, 200)).expect("written");
    let (out, said) = expect(dir, "run c/scene.toml --trajectories - --out -", &writer.into_inner().expect("bytes"), 1);
    for part in
        ["stdin, row 200 (from 0)", "comes after", "write the stream to a file, `clearsweep sort FILE sorted.parquet`"]
    {
        assert!(said.contains(part), "`{part}` is missing in {said}");
    }
    assert!(!out.ends_with(&[0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]), "the stream has no end marker");
}

#[cfg(unix)]
#[test]
fn a_pipe_may_stand_for_a_file() {
    let dir = crowd();
    let dir = dir.path();
    expect(dir, "run c/scene.toml --out files", b"", 0);
    let poses = stream(dir, 700, None);
    expect(dir, "run c/scene.toml --trajectories /dev/stdin --out stdin", &poses, 0);
    assert!(tables(&dir.join("stdin")) == tables(&dir.join("files")));
    // As it may be a file after all.
    fs::write(dir.join("t.arrows"), &poses).expect("written");
    let file = File::open(dir.join("t.arrows")).expect("a file");
    let done = program(dir, "run c/scene.toml --trajectories - --out -").stdin(file).output().expect("it runs");
    assert_eq!(rows(&received(&done.stdout)), distances(&dir.join("files")));
    // Parquet is read through a pipe, too, and `sort` reads pipes.
    let made = Command::new("mkfifo").arg(dir.join("pipe")).status().expect("mkfifo");
    assert!(made.success());
    let written = fs::read(dir.join("c/trajectories.parquet")).expect("a file");
    for args in [
        "run c/scene.toml --trajectories pipe --out piped",
        "sort pipe sorted.parquet",
        "check c/scene.toml --trajectories pipe",
    ] {
        let (path, bytes) = (dir.join("pipe"), written.clone());
        let feeder = std::thread::spawn(move || fs::write(path, bytes).expect("fed"));
        expect(dir, args, b"", 0);
        feeder.join().expect("fed");
    }
    assert!(tables(&dir.join("piped")) == tables(&dir.join("files")));
    assert_eq!(rows(&parquet(&dir.join("sorted.parquet"))), rows(&parquet(&dir.join("c/trajectories.parquet"))));
    let said = expect(dir, "check c/scene.toml --trajectories /dev/zero", b"", 1).1;
    assert!(said.contains("is a pipe or a device"), "{said}");
}

/// A program that has begun, with stdin open.
fn begun(dir: &Path, args: &str) -> Child {
    program(dir, args).stdin(Stdio::piped()).spawn().expect("it starts")
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_while_a_stream_comes_ends_at_once() {
    let dir = crowd();
    let dir = dir.path();
    fs::create_dir(dir.join("temp")).expect("a folder");
    let poses = stream(dir, 700, None);
    for (args, signal, sent) in [
        ("run c/scene.toml --trajectories - --out tables --temp temp", "-INT", poses.len() / 2),
        ("run c/scene.toml --trajectories - --out - --temp temp", "-TERM", 0),
        ("sort /dev/stdin sorted.parquet --temp temp", "-INT", 1000),
    ] {
        let mut child = begun(dir, args);
        let mut stdin = child.stdin.take().expect("a pipe");
        stdin.write_all(&poses[..sent]).expect("taken");
        std::thread::sleep(Duration::from_millis(400)); // the scene is loaded
        assert!(child.try_wait().expect("asked").is_none(), "it waits for the rest");
        let asked = Instant::now();
        let killed = Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill");
        assert!(killed.success());
        let done = child.wait_with_output().expect("it ends");
        assert_eq!(done.status.code(), Some(130), "{args}: {done:?}");
        assert!(asked.elapsed() < Duration::from_secs(5), "{args}: it waited");
        assert!(text(&done.stderr).contains("interrupted"), "{done:?}");
        assert!(files(&dir.join("temp")).is_empty() && !dir.join("sorted.parquet").exists(), "{args}");
        assert!(files(&dir.join("tables")).is_empty(), "{args}");
        drop(stdin);
    }
}

#[test]
fn a_reader_that_stops_ends_the_program_quietly() {
    let dir = tempfile::tempdir().expect("scratch");
    let dir = dir.path();
    expect(dir, "generate crowd --out c --bodies 60 --frames 600 --density 0.5", b"", 0);
    let mut child = begun(dir, "run c/scene.toml --out - --within 5 --progress none --threads 2");
    let mut stdout = child.stdout.take().expect("a pipe");
    let mut head = [0; 100];
    stdout.read_exact(&mut head).expect("the schema");
    drop(stdout);
    let done = child.wait_with_output().expect("it ends");
    assert_eq!(done.status.code(), Some(141), "{done:?}");
    assert!(done.stderr.is_empty(), "{}", text(&done.stderr));
}

#[test]
fn other_names_give_the_same_bytes() {
    let dir = crowd();
    let dir = dir.path();
    expect(dir, "run c/scene.toml --out ours", b"", 0);
    let batches = parquet(&dir.join("c/trajectories.parquet"));
    let names = [
        ("run", "mission"),
        ("frame", "tick"),
        ("time_s", "t0"),
        ("body", "who"),
        ("x", "pos_x"),
        ("y", "pos_y"),
        ("z", "pos_z"),
    ];
    let names = names.into_iter().chain([("qw", "rot_w"), ("qx", "rot_x"), ("qy", "rot_y"), ("qz", "rot_z")]);
    let names: Vec<(&str, &str)> =
        names.filter(|(name, _)| batches[0].schema().column_with_name(name).is_some()).collect();
    let renamed = |field: &Arc<Field>| {
        let name =
            names.iter().find(|(name, _)| name == field.name()).map_or(field.name().as_str(), |(_, other)| other);
        field.as_ref().clone().with_name(name)
    };
    let schema = Arc::new(Schema::new(batches[0].schema().fields().iter().map(renamed).collect::<Vec<_>>()));
    // In no order of rows, so that `sort` has work to do.
    let mut writer =
        StreamWriter::try_new(File::create(dir.join("c/theirs.arrows")).expect("created"), &schema).expect("a writer");
    for batch in batches.iter().rev() {
        let half = batch.num_rows() / 2;
        for slice in [batch.slice(half, batch.num_rows() - half), batch.slice(0, half)] {
            writer
                .write(&RecordBatch::try_new(Arc::clone(&schema), slice.columns().to_vec()).expect("a batch"))
                .expect("written");
        }
    }
    writer.finish().expect("finished");
    let scene = fs::read_to_string(dir.join("c/scene.toml")).expect("a scene");
    let section: String = names.iter().map(|(name, other)| format!("{name} = \"{other}\"\n")).collect();
    fs::write(dir.join("c/theirs.toml"), format!("{scene}\n[columns]\n{section}")).expect("written");
    let (_, said) = expect(dir, "run c/theirs.toml --trajectories c/theirs.arrows --out theirs", b"", 1);
    let command = "sort c/theirs.arrows sorted.parquet --scene c/theirs.toml";
    assert!(said.contains(command), "{said}");
    expect(dir, command, b"", 0);
    assert!(parquet(&dir.join("sorted.parquet"))[0].column_by_name("who").is_some(), "the names are kept");
    expect(dir, "run c/theirs.toml --trajectories sorted.parquet --out theirs", b"", 0);
    assert!(tables(&dir.join("theirs")) == tables(&dir.join("ours")), "the tables differ");
    let (_, said) = expect(dir, "sort c/theirs.arrows again.parquet", b"", 1);
    assert!(said.contains("has no column"), "{said}");
}

#[test]
fn bodies_that_do_not_turn_are_said_by_check_and_run() {
    let dir = tempfile::tempdir().expect("scratch");
    let dir = dir.path();
    let scene = "[scene]\nlength_unit = \"m\"\ntrajectories = \"t.csv\"\n[query]\nwithin = 9.0\n[[body]]\nname = \"a\"\nshape = { box = [1.0, 1.0, 1.0] }\n\
                 [[body]]\nname = \"b\"\nstatic = true\nshape = { sphere = 1.0 }\nposition = [0.0, 0.0, 5.0]\n";
    fs::write(dir.join("scene.toml"), scene).expect("written");
    fs::write(dir.join("stated.toml"), format!("{scene}[columns]\norientation = \"none\"\n")).expect("written");
    fs::write(dir.join("t.csv"), "frame,body,x,y,z\n0,a,0,0,0\n1,a,1,0,0\n").expect("written");
    for (scene, says) in [("scene.toml", true), ("stated.toml", false)] {
        let (out, _) = expect(dir, &format!("check {scene} --json"), b"", 0);
        let checked: Value = serde_json::from_slice(&out).expect("an object");
        let kinds: Vec<&str> =
            checked["warnings"].as_array().expect("a list").iter().filter_map(|w| w["kind"].as_str()).collect();
        assert_eq!(kinds.contains(&"unturned"), says, "{kinds:?}");
        let (_, said) = expect(dir, &format!("run {scene} --out {scene}.out"), b"", 0);
        assert_eq!(said.contains("no moving body turns"), says, "{said}");
    }
}
