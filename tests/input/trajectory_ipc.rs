//! Trajectories as Arrow IPC files and streams: the same rows as in Parquet, by the same oracle;
//! and hostile bytes.
#![allow(clippy::print_stderr)]

use arrow_array::RecordBatch;
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use arrow_schema::DataType;
use clearsweep_base::error::{Error, ErrorKind};
use clearsweep_scene::model::LengthUnit;
use clearsweep_scene::{FrameBlock, Missing, Scene};
use clearsweep_testing::random::Random;
use clearsweep_testing::trajectories::oracle::{check, naive_bounds, oracle};
use clearsweep_testing::trajectories::*;
use clearsweep_trajectory::{ReadOptions, Trajectory};
use std::fs::File;
use std::path::Path;

/// How a file is written: as a stream, compressed, in batches of so many rows.
#[derive(Clone, Copy)]
struct Layout {
    stream: bool,
    compression: Option<CompressionType>,
    rows: usize,
}

const PLAIN: Layout = Layout { stream: false, compression: None, rows: 1 << 20 };

fn options(path: &Path) -> ReadOptions {
    ReadOptions { path: Some(path.to_path_buf()), ..ReadOptions::default() }
}

fn write_ipc(path: &Path, batch: &RecordBatch, layout: Layout) {
    std::fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
    let options = IpcWriteOptions::default().try_with_compression(layout.compression).expect("an option");
    let file = File::create(path).expect("a new file");
    let slices = (0..batch.num_rows())
        .step_by(layout.rows)
        .map(|start| batch.slice(start, layout.rows.min(batch.num_rows() - start)));
    if layout.stream {
        let mut writer = StreamWriter::try_new_with_options(file, &batch.schema(), options).expect("a writer");
        slices.for_each(|slice| writer.write(&slice).expect("written"));
        writer.finish().expect("finished");
    } else {
        let mut writer = FileWriter::try_new_with_options(file, &batch.schema(), options).expect("a writer");
        slices.for_each(|slice| writer.write(&slice).expect("written"));
        writer.finish().expect("finished");
    }
}

fn scene_of(count: usize) -> Scene {
    let names = names(count);
    scene(&names.iter().map(String::as_str).collect::<Vec<_>>())
}

fn read(scene: &Scene, options: &ReadOptions) -> Vec<FrameBlock> {
    let trajectory = Trajectory::open(scene, options).unwrap_or_else(|error| panic!("{error}"));
    trajectory.blocks().collect::<Result<Vec<_>, _>>().unwrap_or_else(|error| panic!("{error}"))
}

/// Opens and reads all; the error, if there is any.
fn failure(scene: &Scene, options: &ReadOptions) -> Option<Error> {
    match Trajectory::open(scene, options) {
        Err(error) => Some(error),
        Ok(trajectory) => trajectory.blocks().find_map(Result::err),
    }
}

/// Rows of runs from 0, frames from 0, all bodies in each, in an order of their own.
fn rows(random: &mut Random, runs: i64, frames: i64, bodies: usize) -> Vec<Row> {
    let names = names(bodies);
    let mut rows = Vec::new();
    for run in 0..runs {
        for frame in 0..frames {
            let shift = random.below(bodies);
            for body in 0..bodies {
                let body = names[(body + shift) % bodies].clone();
                rows.push(Row { run, frame, time: frame as f64 * 0.5, body, pose: random_pose(random) });
            }
        }
    }
    rows
}

fn dictionary(key: DataType, value: DataType) -> DataType {
    DataType::Dictionary(Box::new(key), Box::new(value))
}

#[test]
fn every_layout_and_type_equals_the_oracle() {
    let directory = tempfile::tempdir().expect("a directory");
    let scene = scene_of(5);
    let rows = rows(&mut Random(1), 2, 70, 5);
    let expected = oracle(&scene, &rows, None, None, &|v| v, true);
    let bodies = [
        DataType::Utf8,
        DataType::LargeUtf8,
        DataType::Utf8View,
        dictionary(DataType::Int32, DataType::Utf8),
        dictionary(DataType::Int8, DataType::Utf8),
        dictionary(DataType::UInt16, DataType::LargeUtf8),
    ];
    let mut number = 0;
    for stream in [false, true] {
        for compression in [None, Some(CompressionType::LZ4_FRAME), Some(CompressionType::ZSTD)] {
            for (index, body) in bodies.iter().enumerate() {
                let frame = [DataType::Int64, DataType::UInt8, DataType::Int16][number % 3].clone();
                let shaping = Shaping { body: body.clone(), frame, extra: index % 2 == 0, ..Shaping::default() };
                let path =
                    directory.path().join(format!("{number}.{}", ["arrow", "feather", "ipc", "arrows"][number % 4]));
                write_ipc(
                    &path,
                    &batch(&rows, &shaping),
                    Layout { stream, compression, rows: [1, 7, 100, 10_000][number % 4] },
                );
                let trajectory = Trajectory::open(&scene, &options(&path)).unwrap_or_else(|error| panic!("{error}"));
                assert_eq!((trajectory.rows, trajectory.bounds), (700, Some(naive_bounds(&rows, |v| v))));
                let (progress, inputs) = (trajectory.progress(), trajectory.inputs.clone());
                check(&trajectory.blocks().collect::<Result<Vec<_>, _>>().expect("good"), &expected);
                assert_eq!(progress.load(std::sync::atomic::Ordering::Relaxed), 1000);
                let digest = inputs.digests().expect("digests").remove(0);
                assert_eq!(digest.bytes, std::fs::metadata(&path).expect("a file").len());
                number += 1;
            }
        }
    }
    assert_eq!(number, 36);
}

#[test]
fn units_aliases_floats_and_ranges() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("t.arrow");
    let mut scene = scene_of(3);
    scene.unit = LengthUnit::parse("ft").expect("a unit");
    let mut rows = rows(&mut Random(2), 3, 40, 3);
    rows.iter_mut().flat_map(|row| &mut row.pose).for_each(|value| *value = f64::from(*value as f32));
    let mm = LengthUnit::parse("mm").expect("a unit");
    let shaping = Shaping {
        float: DataType::Float32,
        renamed: vec![("run", "run_id"), ("frame", "frame_index"), ("time_s", "t"), ("body", "body_id"), ("x", "tx")],
        units: vec![("x", "mm"), ("y", "mm"), ("z", "mm"), ("time_s", "s")],
        ..Shaping::default()
    };
    write_ipc(&path, &batch(&rows, &shaping), Layout { rows: 50, ..PLAIN });
    let chosen = ReadOptions { runs: Some(1..3), frames: Some(5..31), ..options(&path) };
    let (runs, frames) = (chosen.runs.as_ref(), chosen.frames.as_ref());
    check(&read(&scene, &chosen), &oracle(&scene, &rows, runs, frames, &|v| mm.metres(v), true));
}

/// Record batches far larger than what is decoded at a time.
#[test]
fn one_large_batch() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("t.feather");
    let scene = scene_of(300);
    let rows = rows(&mut Random(3), 1, 150, 300);
    write_ipc(&path, &batch(&rows, &Shaping::default()), PLAIN);
    check(&read(&scene, &options(&path)), &oracle(&scene, &rows, None, None, &|v| v, true));
}

/// Parquet, files and streams in one directory follow each other by their first key, whatever they
/// are called.
#[test]
fn kinds_mix_in_directories_and_globs() {
    let directory = tempfile::tempdir().expect("a directory");
    let scene = scene_of(4);
    let rows = rows(&mut Random(4), 4, 20, 4);
    let part = |number: usize| &rows[number * 80..(number + 1) * 80];
    let shaping = Shaping::default();
    let no_run = Shaping { run: None, ..Shaping::default() };
    write_ipc(&directory.path().join("z.arrow"), &batch(part(0), &shaping), Layout { rows: 9, ..PLAIN });
    write(&directory.path().join("y.parquet"), part(1), &shaping);
    write_ipc(&directory.path().join("x.arrows"), &batch(part(2), &shaping), Layout { stream: true, ..PLAIN });
    write_ipc(&directory.path().join("run=3/a.feather"), &batch(part(3), &no_run), PLAIN);
    write_ipc(&directory.path().join("none.arrow"), &batch(&[], &shaping), PLAIN);
    write_ipc(&directory.path().join("none.arrows"), &batch(&[], &shaping), Layout { stream: true, ..PLAIN });
    let expected = oracle(&scene, &rows, None, None, &|v| v, true);
    check(&read(&scene, &options(directory.path())), &expected);
    check(&read(&scene, &options(&directory.path().join("**/*.*"))), &expected);
    let trajectory = Trajectory::open(&scene, &options(directory.path())).expect("good");
    let order: Vec<String> = trajectory
        .inputs
        .files()
        .map(|(path, _)| path.file_name().expect("a name").to_string_lossy().into_owned())
        .collect();
    assert_eq!(order, ["z.arrow", "y.parquet", "x.arrows", "a.feather", "none.arrow", "none.arrows"]);
}

/// A stream may end without its end marker; a cut anywhere else is an error.
#[test]
fn cuts_are_errors_but_for_the_end_of_a_stream() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("t.arrows");
    let scene = scene_of(2);
    let rows = rows(&mut Random(5), 1, 8, 2);
    write_ipc(&path, &batch(&rows, &Shaping::default()), Layout { stream: true, rows: 4, compression: None });
    let bytes = std::fs::read(&path).expect("readable");
    std::fs::write(&path, &bytes[..bytes.len() - 8]).expect("written");
    check(&read(&scene, &options(&path)), &oracle(&scene, &rows, None, None, &|v| v, true));
    let mut whole = 0;
    for end in (1..bytes.len() - 8).step_by(3) {
        std::fs::write(&path, &bytes[..end]).expect("written");
        match failure(&scene, &options(&path)) {
            Some(error) => assert!(!error.remedy.is_empty()),
            None => whole += 1, // between two messages
        }
    }
    assert!(whole <= 4, "{whole} cuts went unnoticed");
    let file = directory.path().join("t.arrow");
    write_ipc(&file, &batch(&rows, &Shaping::default()), PLAIN);
    let bytes = std::fs::read(&file).expect("readable");
    for end in 0..bytes.len() {
        let _ = std::fs::remove_file(&file);
        std::fs::write(&file, &bytes[..end]).expect("written");
        assert!(failure(&scene, &options(&file)).is_some(), "a file cut at {end}");
    }
}

#[test]
fn a_stream_of_bytes_is_the_file_and_is_read_once() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("t.arrows");
    let scene = scene_of(2);
    let rows = rows(&mut Random(8), 2, 90, 2);
    write_ipc(&path, &batch(&rows, &Shaping::default()), Layout { stream: true, rows: 50, compression: None });
    let bytes = std::fs::read(&path).expect("readable");
    let temp = Some(directory.path().to_owned());
    let streamed =
        ReadOptions { temp, ..ReadOptions::default().with_stream("poses", std::io::Cursor::new(bytes.clone())) };
    let trajectory = Trajectory::open(&scene, &streamed).expect("good");
    assert_eq!((trajectory.spooled_bytes, trajectory.rows), (bytes.len() as u64, 360));
    let inputs = trajectory.inputs.clone();
    check(
        &trajectory.blocks().collect::<Result<Vec<_>, _>>().expect("good"),
        &oracle(&scene, &rows, None, None, &|v| v, true),
    );
    let of_file = Trajectory::open(&scene, &options(&path)).expect("good").inputs.digests().expect("digests").remove(0);
    let digest = inputs.digests().expect("digests").remove(0);
    assert_eq!((digest.path.to_str(), digest.sha256), (Some("poses"), of_file.sha256));
    let error = failure(&scene, &streamed).expect("an error");
    assert!(error.place == "poses" && error.problem.contains("was read already"), "{error}");
    assert_eq!(std::fs::read_dir(directory.path()).expect("a directory").count(), 1, "the copy has no name");
    // A reader that fails or panics is no end of the stream.
    struct Failing(bool);
    impl std::io::Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            if self.0 { panic!("a reader that panics") } else { Err(std::io::Error::other("no more")) }
        }
    }
    for (panics, says) in [(false, "cannot be read (no more)"), (true, "its reader panicked")] {
        use std::io::Read;
        let reader = std::io::Cursor::new(bytes.clone()).chain(Failing(panics));
        let error = failure(&scene, &ReadOptions::default().with_stream("poses", reader)).expect("an error");
        assert!(error.problem.contains(says), "{error}");
    }
}

#[test]
fn bad_rows_and_bad_files_have_their_messages() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut scene = scene_of(2);
    scene.missing = Missing::Error;
    let good = rows(&mut Random(6), 1, 3, 2);
    type Edit = fn(&mut Vec<Row>);
    let cases: [(Edit, &[&str]); 5] = [
        (|rows| rows[3].pose[1] = f64::NAN, &["row 3 (from 0)", "`y` is NaN"]),
        (|rows| rows[4].pose[3..].fill(0.75), &["row 4", "norm is 1.5"]),
        (|rows| rows[5].body = "nobody".to_owned(), &["row 5", "`nobody` is not in the scene"]),
        (|rows| rows[2..].rotate_left(2), &["row 4", "comes after", "clearsweep sort"]),
        (|rows| drop(rows.pop()), &["run 0, frame 2", "has no row"]),
    ];
    for (number, (edit, says)) in cases.into_iter().enumerate() {
        let mut rows = good.clone();
        edit(&mut rows);
        let path = directory.path().join(format!("{number}.arrow"));
        write_ipc(&path, &batch(&rows, &Shaping::default()), Layout { stream: number % 2 == 0, rows: 2, ..PLAIN });
        let error = failure(&scene, &options(&path)).expect("an error");
        let text = format!("{}: {} ({})", error.place, error.problem, error.remedy);
        assert!(says.iter().all(|part| text.contains(part)), "{text}");
    }
    let path = directory.path().join("t.arrow");
    let renamed = Shaping { renamed: vec![("qw", "w")], ..Shaping::default() };
    write_ipc(&path, &batch(&good, &renamed), PLAIN);
    let error = failure(&scene, &options(&path)).expect("an error");
    assert!(error.problem.contains("has no column `qw`") && error.place.ends_with("t.arrow"), "{error}");
    let bytes: [(&[u8], &str); 4] = [
        (b"FEA1....", "Feather file of version 1"),
        (b"ARROW1\0\0", "truncated"),
        (b"\xff\xff\xff\xff\x00\x00\x00\x00", "no schema"),
        (b"\xff\xff\xff\xff\xff\xff\xff\x7f1234", "truncated"),
    ];
    for (bytes, says) in bytes {
        std::fs::write(&path, bytes).expect("written");
        let error = failure(&scene, &options(&path)).unwrap_or_else(|| panic!("{says}"));
        assert!(error.problem.contains(says) && error.kind == ErrorKind::Input, "{error}");
    }
}

/// Bytes changed, cut, doubled and overwritten at random: an error or other data, never a panic,
/// never a huge allocation.
#[test]
fn damaged_files_never_panic() {
    let directory = tempfile::tempdir().expect("a directory");
    let scene = scene_of(2);
    let rows = rows(&mut Random(7), 1, 20, 2);
    let path = directory.path().join("damaged.arrow");
    let mut originals = Vec::new();
    for (stream, compression) in
        [(false, None), (true, None), (false, Some(CompressionType::LZ4_FRAME)), (true, Some(CompressionType::ZSTD))]
    {
        for body in [DataType::Utf8, DataType::Utf8View, dictionary(DataType::Int32, DataType::Utf8)] {
            let shaping = Shaping { body, extra: true, ..Shaping::default() };
            write_ipc(&path, &batch(&rows, &shaping), Layout { stream, compression, rows: 15 });
            originals.push(std::fs::read(&path).expect("readable"));
        }
    }
    let (mut failed, mut fine, mut panics) = (0, 0, 0);
    for seed in 0..5000_u64 {
        let mut random = Random(seed);
        let mut bytes = originals[seed as usize % originals.len()].clone();
        for _ in 0..1 + random.below(3) {
            if bytes.is_empty() {
                break;
            }
            let at = random.below(bytes.len());
            match random.below(8) {
                0 => bytes.truncate(at),
                1 => bytes[at] = 0xff,
                2 => bytes[at] ^= 1 << random.below(8),
                3 => drop(bytes.remove(at)),
                4 => bytes.insert(at, random.bits() as u8),
                5 => bytes[at] = bytes[at].wrapping_add(1),
                6 => {
                    // A length or an offset that is out of all bounds.
                    let at = at & !7;
                    let end = (at + 8).min(bytes.len());
                    bytes[at..end].fill([0x7f, 0xff, 0x80][random.below(3)]);
                }
                _ => {
                    let end = (at + random.below(16)).min(bytes.len());
                    bytes[at..end].iter_mut().for_each(|byte| *byte = random.bits() as u8);
                }
            }
        }
        let _ = std::fs::remove_file(&path); // overwriting may flush, which takes milliseconds
        std::fs::write(&path, &bytes).expect("written");
        match failure(&scene, &options(&path)) {
            None => fine += 1,
            Some(error) => {
                failed += 1;
                assert!(error.kind == ErrorKind::Input && !error.remedy.is_empty(), "seed {seed}: {error}");
                panics += usize::from(error.problem.contains("gave up"));
            }
        }
    }
    eprintln!("{failed} failed (the decoder panicked in {panics}), {fine} read");
    assert!(failed > 1500 && fine > 300, "{failed} {fine}");
}

#[test]
fn a_file_of_two_versions_of_metadata_is_called_that() {
    let folder = tempfile::tempdir().expect("a folder");
    let scene = scene_of(1);
    let batch = batch(&rows(&mut Random(3), 1, 4, 1), &Shaping::default());
    let path = folder.path().join("t.arrow");
    // Version 4 throughout is read; writers that keep version 5 in the footer make files that are
    // not.
    let options = IpcWriteOptions::try_new(8, false, arrow_ipc::MetadataVersion::V4).expect("options");
    let mut writer = FileWriter::try_new_with_options(File::create(&path).expect("created"), &batch.schema(), options)
        .expect("a writer");
    writer.write(&batch).expect("written");
    writer.finish().expect("finished");
    drop(writer);
    assert_eq!(read(&scene, &self::options(&path)).iter().map(|block| block.samples.len()).sum::<usize>(), 4);

    let mut bytes = std::fs::read(&path).expect("read");
    let end = bytes.len() - 10;
    let length = i32::from_le_bytes(bytes[end..end + 4].try_into().expect("four bytes")) as usize;
    let footer = end - length;
    let root = u32::from_le_bytes(bytes[footer..footer + 4].try_into().expect("four bytes")) as usize;
    let table = footer + root;
    let to_vtable = i32::from_le_bytes(bytes[table..table + 4].try_into().expect("four bytes"));
    let vtable = (table as i64 - i64::from(to_vtable)) as usize;
    // The first field of the footer is its version.
    let field = u16::from_le_bytes(bytes[vtable + 4..vtable + 6].try_into().expect("two bytes")) as usize;
    assert!(field > 0 && bytes[table + field] == 3, "version 4 is the number 3");
    bytes[table + field] = 4;
    std::fs::write(&path, bytes).expect("written");
    let error = failure(&scene, &self::options(&path)).expect("refused");
    let text = format!("{error} ({})", error.remedy);
    for part in ["t.arrow", "metadata of version 4", "footer 5", "write the file with metadata of version 5"] {
        assert!(text.contains(part), "`{part}` is missing in {text}");
    }
    assert!(!text.contains("damaged"), "{text}");
}
