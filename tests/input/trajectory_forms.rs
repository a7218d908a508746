//! Trajectories as other programs write them: CSV, timestamps, codecs that are not read, frames in
//! several places, and names that are nearly right.

use arrow_array::{
    ArrayRef, DurationMillisecondArray, RecordBatch, TimestampMicrosecondArray, TimestampNanosecondArray,
};
use arrow_schema::{Field, Schema};
use clearsweep_scene::{FrameBlock, Missing, Scene};
use clearsweep_testing::random::Random;
use clearsweep_testing::trajectories::*;
use clearsweep_trajectory::{ReadOptions, SortOptions, Trajectory, sort};
use parquet::basic::{BrotliLevel, Compression};
use parquet::file::metadata::{ParquetMetaDataReader, ParquetMetaDataWriter};
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

fn read(scene: &Scene, path: &Path) -> Result<Vec<FrameBlock>, clearsweep::Error> {
    let options = ReadOptions { path: Some(path.to_path_buf()), ..ReadOptions::default() };
    Trajectory::open(scene, &options)?.blocks().collect()
}

/// The error of reading, with its remedy.
fn failure(scene: &Scene, path: &Path) -> String {
    let error = read(scene, path).err().unwrap_or_else(|| panic!("{} is read", path.display()));
    format!("{error} ({})", error.remedy)
}

/// Run, frame, time and the poses of the bodies that are there, bit by bit.
type SampleBits = (i64, i64, Option<u64>, Vec<[u64; 7]>);

fn content(blocks: &[FrameBlock]) -> Vec<SampleBits> {
    let sample = |block: &FrameBlock, at: usize| {
        let pose = |slot: usize| {
            let pose = block.pose(slot, at);
            let [x, y, z] = pose.position.to_array();
            let [a, b, c, d] = pose.q;
            [x, y, z, a, b, c, d].map(|c| (c + 0.0).to_bits())
        };
        let present = (0..block.present.len()).filter(|&slot| block.present[slot] >> at & 1 == 1);
        let sample = &block.samples[at];
        (sample.run, sample.frame, sample.time_s.map(f64::to_bits), present.map(pose).collect())
    };
    blocks.iter().flat_map(|block| (0..block.samples.len()).map(move |at| sample(block, at))).collect()
}

/// Rows of runs 0 and 3, frames from -2 on, of so many bodies.
fn rows(frames: i64, bodies: usize) -> Vec<Row> {
    let mut random = Random(5);
    let mut rows = Vec::new();
    for run in [0, 3] {
        for frame in -2..frames - 2 {
            for body in names(bodies) {
                rows.push(Row { run, frame, time: 0.1 * frame as f64, body, pose: random_pose(&mut random) });
            }
        }
    }
    rows
}

fn csv(rows: &[Row]) -> String {
    let mut text = "run,frame,time_s,body,x,y,z,qw,qx,qy,qz,note\n".to_owned();
    for Row { run, frame, time, body, pose } in rows {
        let pose: Vec<String> = pose.iter().map(|c| format!("{c:?}")).collect();
        writeln!(text, "{run},{frame},{time:?},{body},{},\"a, b\"", pose.join(",")).expect("written");
    }
    text
}

#[test]
fn csv_is_read_as_parquet_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let scene = scene(&["b000", "b001", "b002"]);
    // More than a batch of rows.
    let rows = rows(3000, 3);
    write(&folder.path().join("t.parquet"), &rows, &Shaping::default());
    std::fs::write(folder.path().join("t.csv"), csv(&rows)).expect("written");
    let of = |name: &str| content(&read(&scene, &folder.path().join(name)).expect("good"));
    let parquet = of("t.parquet");
    assert_eq!(parquet.len(), 6000);
    assert!(of("t.csv") == parquet, "CSV and Parquet differ");

    // A byte order mark, blanks, CRLF, other names, integers with a point, no run and no time.
    let mut text = "\u{feff}frame_index, body_id ,tx,ty,tz,qw,qx,qy,qz\r\n".to_owned();
    for Row { frame, body, pose, .. } in rows.iter().take(9) {
        let pose: Vec<String> = pose.iter().map(|c| format!(" {c:?}")).collect();
        write!(text, "{frame}.0,\"{body}\",{}\r\n", pose.join(",")).expect("written");
    }
    std::fs::write(folder.path().join("o.CSV"), text).expect("written");
    let found = of("o.CSV");
    assert_eq!(found.len(), 3);
    for (found, whole) in found.iter().zip(&parquet) {
        assert_eq!((found.0, found.1, found.2, &found.3), (0, whole.1, None, &whole.3));
    }
}

#[test]
fn directories_and_sort_take_csv_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let scene = scene(&["b000", "b001"]);
    let rows = rows(40, 2);
    let [low, high] = [0, 3].map(|run| rows.iter().filter(|row| row.run == run).cloned().collect::<Vec<_>>());
    let all = folder.path().join("all");
    for (part, run) in [(&high, 3), (&low, 0)] {
        let level = all.join(format!("run={run}"));
        std::fs::create_dir_all(&level).expect("a folder");
        std::fs::write(level.join("t.csv"), csv(part)).expect("written");
    }
    write(&folder.path().join("t.parquet"), &rows, &Shaping::default());
    let expected = content(&read(&scene, &folder.path().join("t.parquet")).expect("good"));
    assert!(content(&read(&scene, &all).expect("good")) == expected);

    let mut mixed = rows.clone();
    mixed.reverse();
    let (unsorted, sorted) = (folder.path().join("u.csv"), folder.path().join("s.parquet"));
    std::fs::write(&unsorted, csv(&mixed)).expect("written");
    let error = failure(&scene, &unsorted);
    assert!(error.contains("comes after") && error.contains("clearsweep sort"), "{error}");
    let options = SortOptions { memory: 1 << 28, temp: None, force: false, columns: Default::default() };
    let done = sort(&unsorted, &sorted, &options, &mut |_| true).expect("sorted");
    assert_eq!(done.rows, 160);
    assert!(content(&read(&scene, &sorted).expect("good")) == expected);
}

#[test]
fn csv_that_does_not_fit_is_refused_with_its_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("t.csv");
    let scene = scene(&["b000", "b001"]);
    let head = "frame,time_s,body,x,y,z,qw,qx,qy,qz\n";
    let fine = "0,0,b000,0,0,0,1,0,0,0\n0,0,b001,0,0,0,1,0,0,0\n";
    let cases: [(String, &[&str]); 14] = [
        (String::new(), &["is empty (0 bytes)"]),
        (head.replace(',', ";"), &["separated by semicolons, not by commas"]),
        (head.replace(',', "\t"), &["separated by tabs"]),
        ("frame,body\n".to_owned(), &["no column `x`", "its columns: frame, body"]),
        (head.replace("frame", "Frame"), &["no column `frame`", "rename the column `Frame` to `frame`"]),
        (head.replace("qw", "q_w"), &["no column `qw`", "rename the column `q_w` to `qw`"]),
        (format!("{head}{fine}1,0.1,b000,0,0\n"), &["t.csv:4", "not valid CSV"]),
        (format!("{head}{fine}1,0.1,b000,\"0,5\",0,0,1,0,0,0\n"), &["t.csv:4", "column `x` holds `0,5`", "a number"]),
        (format!("{head}{fine}1.5,0.1,b000,0,0,0,1,0,0,0\n"), &["t.csv:4", "`frame` holds `1.5`", "a whole number"]),
        (
            format!("{head}{fine}1,0.1,{},0,0,0,1,0,0,0\n", "b".repeat(65_537)),
            &["t.csv:4", "column `body`", "65,536 bytes"],
        ),
        (format!("{head}{fine}1,soon,b000,0,0,0,1,0,0,0\n"), &["t.csv:4", "`time_s` holds `soon`", "a timestamp"]),
        (format!("{head}{fine}1,0.1,b000,,0,0,1,0,0,0\n"), &["t.csv:4: ", "column `x` is null"]),
        (format!("{head}{fine}1,0.1,B001,0,0,0,1,0,0,0\n"), &["`B001` is not in the scene", "did you mean `b001`"]),
        (format!("{head}{fine}1,0.1,b000,nan,0,0,1,0,0,0\n"), &["t.csv:4: ", "column `x` is NaN"]),
    ];
    for (text, parts) in cases {
        std::fs::write(&path, &text).expect("written");
        let error = failure(&scene, &path);
        for part in parts {
            assert!(error.contains(part), "`{part}` is missing in {error}\n{text}");
        }
        // Lines are those of an editor, however they end.
        std::fs::write(&path, text.replace('\n', "\r\n")).expect("written");
        assert_eq!(failure(&scene, &path), error, "with CRLF");
    }
    let book = folder.path().join("t.xlsx");
    std::fs::write(&book, b"PK\x03\x04").expect("written");
    assert!(failure(&scene, &book).contains("workbook"), "{}", failure(&scene, &book));
    std::fs::write(&path, [head.as_bytes(), b"0,0,b\xff,0,0,0,1,0,0,0\n"].concat()).expect("written");
    let error = failure(&scene, &path);
    assert!(error.contains("t.csv:2") && error.contains("UTF-8"), "{error}");
    let text = folder.path().join("t.txt");
    std::fs::write(&text, format!("{head}{fine}")).expect("written");
    assert!(failure(&scene, &text).contains("nor named as a .csv or .csv.gz file"));
}

/// A batch whose times are these.
fn with_times(rows: &[Row], times: ArrayRef) -> RecordBatch {
    let batch = batch(rows, &Shaping::default());
    let schema = batch.schema();
    let (mut fields, mut columns) = (Vec::new(), Vec::new());
    for (field, column) in schema.fields().iter().zip(batch.columns()) {
        let is_time = field.name() == "time_s";
        let kind = times.data_type().clone();
        fields.push(if is_time { Arc::new(Field::new("timestamp", kind, true)) } else { Arc::clone(field) });
        columns.push(if is_time { Arc::clone(&times) } else { Arc::clone(column) });
    }
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).expect("columns")
}

#[test]
fn timestamps_and_durations_are_times() {
    let folder = tempfile::tempdir().expect("a folder");
    let scene = scene(&["b000"]);
    let rows: Vec<Row> = rows(3, 1).into_iter().filter(|row| row.run == 0).collect();
    // 2026-03-01 12:00 UTC, and steps of 0.25 s.
    let start = 1_772_366_400_i64;
    let ticks = |per_second: i64| (0..3).map(move |k| start * per_second + k * per_second / 4);
    let cases: [(ArrayRef, f64); 4] = [
        (Arc::new(TimestampMicrosecondArray::from_iter_values(ticks(1_000_000))), start as f64),
        (Arc::new(TimestampNanosecondArray::from_iter_values(ticks(1_000_000_000)).with_timezone("UTC")), start as f64),
        (Arc::new(DurationMillisecondArray::from_iter_values([-250, 0, 250])), -0.25),
        (Arc::new(TimestampMicrosecondArray::from_iter_values([-1, 0, 1])), -1e-6),
    ];
    for (times, first) in cases {
        let path = folder.path().join("t.parquet");
        let step = if first == -1e-6 { 1e-6 } else { 0.25 };
        write_batch(&path, &with_times(&rows, times), &Shaping::default());
        let found = content(&read(&scene, &path).expect("good"));
        let times: Vec<f64> = found.iter().filter_map(|sample| sample.2.map(f64::from_bits)).collect();
        assert_eq!(times.len(), 3);
        for (k, time) in times.iter().enumerate() {
            assert!((time - (first + k as f64 * step)).abs() < 1e-15, "{times:?}");
        }
    }
    let times: ArrayRef = Arc::new(TimestampMicrosecondArray::from(vec![Some(0), None, Some(2)]));
    let path = folder.path().join("t.parquet");
    write_batch(&path, &with_times(&rows, times), &Shaping::default());
    assert!(failure(&scene, &path).contains("column `timestamp` is null"));

    let mut text = "frame,timestamp,body,x,y,z,qw,qx,qy,qz\n".to_owned();
    for (k, time) in
        ["2026-03-01T12:00:00Z", "2026-03-01 12:00:00.25", "2026-03-01T13:00:00.5+01:00"].iter().enumerate()
    {
        text += &format!("{k},{time},b000,0,0,0,1,0,0,0\n");
    }
    let path = folder.path().join("t.csv");
    std::fs::write(&path, text).expect("written");
    let found = content(&read(&scene, &path).expect("good"));
    let times: Vec<f64> = found.iter().filter_map(|sample| sample.2.map(f64::from_bits)).collect();
    assert_eq!(times, [start as f64, start as f64 + 0.25, start as f64 + 0.5]);
}

#[test]
fn a_codec_that_is_not_read_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("t.parquet");
    write(&path, &rows(3, 2), &Shaping::default());
    // The footer of a file that brotli compressed: the pages are never looked at.
    let bytes = std::fs::read(&path).expect("readable");
    let metadata =
        ParquetMetaDataReader::new().parse_and_finish(&std::fs::File::open(&path).expect("a file")).expect("sound");
    let footer = u32::from_le_bytes(bytes[bytes.len() - 8..bytes.len() - 4].try_into().expect("four bytes")) as usize;
    for (codec, word) in [(Compression::BROTLI(BrotliLevel::default()), "brotli"), (Compression::LZO, "lzo")] {
        let groups = metadata.row_groups().iter().map(|group| {
            let columns = group
                .columns()
                .iter()
                .map(|column| column.clone().into_builder().set_compression(codec).build().expect("a column"));
            group.clone().into_builder().set_column_metadata(columns.collect()).build().expect("a group")
        });
        let changed = metadata.clone().into_builder().set_row_groups(groups.collect()).build();
        let mut out = bytes[..bytes.len() - 8 - footer].to_vec();
        ParquetMetaDataWriter::new(&mut out, &changed).finish().expect("written");
        std::fs::write(&path, out).expect("written");
        let error = failure(&scene(&["b000", "b001"]), &path);
        for part in ["t.parquet: column `run` is compressed with", word, "is not supported", "zstd"] {
            assert!(error.contains(part) && !error.contains("damaged"), "`{part}`: {error}");
        }
    }
}

#[test]
fn frames_that_come_back_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let scene = scene(&["b000", "b001"]);
    let all: Vec<Row> = rows(60, 2).into_iter().filter(|row| row.run == 0).collect();
    // Parts by body: each file is in order, but frame -2 is in both.
    for (part, body) in ["b000", "b001"].iter().enumerate() {
        let of: Vec<Row> = all.iter().filter(|row| row.body == *body).cloned().collect();
        let shaping = Shaping { groups: vec![20], ..Shaping::default() };
        write(&folder.path().join(format!("by-body/part-{part}/t.parquet")), &of, &shaping);
    }
    let error = failure(&scene, &folder.path().join("by-body"));
    for part in
        ["part-1/t.parquet, row 0 (from 0)", "frame -2 of run 0 comes back later", "`clearsweep sort ", "by-body"]
    {
        assert!(error.contains(part), "`{part}` is missing in {error}");
    }
    // Two writers that took turns: frame 45 is cut.
    let cut = all.iter().position(|row| row.frame == 45).expect("frame 45") + 1;
    let (mut first, mut second): (Vec<Row>, Vec<Row>) = (all[..cut].to_vec(), all[cut..].to_vec());
    first.extend(second.split_off(second.len() - 4));
    write(&folder.path().join("cut/a.parquet"), &first, &Shaping::default());
    write(&folder.path().join("cut/b.parquet"), &second, &Shaping::default());
    let error = failure(&scene, &folder.path().join("cut"));
    for part in ["b.parquet, row 0 (from 0)", "frame 45 of run 0 comes back later", "sorted.parquet"] {
        assert!(error.contains(part), "`{part}` is missing in {error}");
    }
    // A row that is nowhere is missing, as before; so is one that is held from nowhere.
    let lacking: Vec<Row> = all.iter().filter(|row| row.frame != 7 || row.body != "b001").cloned().collect();
    write(&folder.path().join("lacking.parquet"), &lacking, &Shaping::default());
    let error = failure(&scene, &folder.path().join("lacking.parquet"));
    assert!(error.contains("frame 7: body `b001` has no row") && !error.contains("comes back"), "{error}");
    let absent = Scene { missing: Missing::Absent, ..scene };
    assert_eq!(read(&absent, &folder.path().join("lacking.parquet")).expect("good")[0].samples.len(), 60);
}

#[test]
fn times_that_no_clock_shows_in_seconds_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let scene = scene(&["a"]);
    let now = 1_700_000_000_f64;
    // Units that make it a time of our days or of an experiment; which of them is not guessed.
    for (name, per_second, units) in
        [("ms", 1e3, "UNIT is ms or us or ns"), ("us", 1e6, "UNIT is us or ns"), ("ns", 1e9, "UNIT is ns")]
    {
        for column in ["timestamp", "time", "t", "time_s"] {
            let mut text = format!("frame,{column},body,x,y,z,qw,qx,qy,qz\n");
            for frame in 0..3 {
                // The second row is the first bad one.
                let time = if frame == 0 { 0.0 } else { now * per_second };
                writeln!(text, "{frame},{time:.0},a,0,0,0,1,0,0,0").expect("text");
            }
            let path = folder.path().join(format!("{name}.csv"));
            std::fs::write(&path, text).expect("written");
            let error = failure(&scene, &path);
            for part in [
                &format!("{name}.csv"),
                ".csv:3: ",
                &format!("`{column}`"),
                "no plausible time",
                "unit = \"UNIT\"",
                units,
            ] {
                assert!(error.contains(part), "{name} {column}: `{part}` is missing in {error}");
            }
        }
        let row = |frame: i64, time: f64| Row {
            run: 0,
            frame,
            time,
            body: "a".to_owned(),
            pose: [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
        };
        let path = folder.path().join("t.parquet");
        write(&path, &[row(0, 0.0), row(1, -now * per_second)], &Shaping::default());
        let error = failure(&scene, &path);
        assert!(error.contains("row 1") && error.contains(units), "{error}");
    }
    // What seconds can be is read: since 1970, until the year 5138.
    for time in ["1700000000", "1700000000.25", "-1e11", "100000000000", "2026-03-01T12:00:00Z"] {
        let path = folder.path().join("good.csv");
        std::fs::write(&path, format!("frame,t,body,x,y,z,qw,qx,qy,qz\n0,{time},a,0,0,0,1,0,0,0\n")).expect("written");
        read(&scene, &path).unwrap_or_else(|error| panic!("{time}: {error}"));
    }
}

#[test]
fn quoted_names_of_csv_keep_their_blanks() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let names = [" a ", "b", "c\t", " d\" "];
    std::fs::write(at("parts.csv"), "body,shape,offset\n\" a \",{ sphere = 1 },\" 0.5\"\n b  , { sphere = 1 } ,0\n\"c\t\" ,{ sphere = 1 },\n\" d\"\" \",{ sphere = 1 },1mm\n")
        .expect("written");
    std::fs::write(
        at("t.csv"),
        "frame,body,x,y,z,qw,qx,qy,qz\n0,\" a \",0,0,0,1,0,0,0\n0,  b, 1 ,\" 0\",0,1,0,0,0\r\n0,\"c\t\"  ,2,0,0,1,0,0,0\n0,\" d\"\" \",3,0,0,1,0,0,0\n",
    )
    .expect("written");
    std::fs::write(
        at("s.toml"),
        "[scene]\nlength_unit = \"m\"\ntrajectories = \"t.csv\"\n[query]\nwithin = 1\n[[bodies]]\ntable = \"parts.csv\"\n",
    )
    .expect("written");
    let scene =
        clearsweep_scene::load_scene(&at("s.toml"), &Default::default()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(scene.bodies.iter().map(|body| body.name.as_str()).collect::<Vec<_>>(), names);
    let blocks = read(&scene, &at("t.csv")).unwrap_or_else(|error| panic!("{error}"));
    let places: Vec<f64> = (0..4).map(|slot| blocks[0].pose(slot, 0).position.x).collect();
    assert_eq!(places, [0.0, 1.0, 2.0, 3.0]);
    // Without quotes the blanks are none of the name.
    std::fs::write(at("t.csv"), "frame,body,x,y,z,qw,qx,qy,qz\n0, a ,0,0,0,1,0,0,0\n").expect("written");
    let error = failure(&scene, &at("t.csv"));
    assert!(error.contains("body `a` is not in the scene"), "{error}");
}

#[cfg(unix)]
#[test]
fn a_glob_over_links_to_folders_above_ends() {
    let folder = tempfile::tempdir().expect("a folder");
    let scene = scene(&["b000"]);
    let rows = rows(5, 1);
    let below = folder.path().join("run=0/deep");
    std::fs::create_dir_all(&below).expect("made");
    let run: Vec<Row> = rows.iter().filter(|row| row.run == 0).cloned().collect();
    std::fs::write(below.join("t.csv"), csv(&run)).expect("written");
    for link in ["one", "two", "run=0/three"] {
        std::os::unix::fs::symlink(if link.contains('/') { ".." } else { "." }, folder.path().join(link))
            .expect("linked");
    }
    let expected = content(&read(&scene, &below.join("t.csv")).expect("good"));
    assert_eq!(expected.len(), 5);
    for path in [folder.path().join("**/t.csv"), folder.path().join("**/deep/*.csv"), folder.path().to_owned()] {
        assert_eq!(content(&read(&scene, &path).expect("good")), expected, "{}", path.display());
    }
}

/// A number as Thrift's compact protocol writes it.
fn zigzag(number: i64) -> Vec<u8> {
    let mut left = ((number << 1) ^ (number >> 63)).cast_unsigned();
    let mut bytes = Vec::new();
    while left >= 0x80 {
        bytes.push(left as u8 | 0x80);
        left >>= 7;
    }
    bytes.push(left as u8);
    bytes
}

/// A Parquet file of which the chunks of a column say that they are encrypted, as below a plain
/// footer.
fn encrypted(bytes: &[u8], column: &str) -> Vec<u8> {
    let mut reader = ParquetMetaDataReader::new();
    reader.try_parse(&bytes::Bytes::copy_from_slice(bytes)).expect("Parquet");
    let metadata = reader.finish().expect("metadata");
    let tail = bytes.len() - 8;
    let length = u32::from_le_bytes(bytes[tail..tail + 4].try_into().expect("four bytes")) as usize;
    let (pages, mut footer) = (&bytes[..tail - length], bytes[tail - length..tail].to_vec());
    for chunk in metadata.row_groups().iter().flat_map(|group| group.columns()) {
        if chunk.column_path().string() != column {
            continue;
        }
        // Fields 4 to 7 of the chunk, and its end.
        let mut end = Vec::new();
        for (kind, number) in [
            (0x16, chunk.offset_index_offset()),
            (0x15, chunk.offset_index_length().map(i64::from)),
            (0x16, chunk.column_index_offset()),
            (0x15, chunk.column_index_length().map(i64::from)),
        ] {
            end.push(kind);
            end.extend(zigzag(number.expect("the writer has a page index")));
        }
        end.push(0);
        let at = footer.windows(end.len()).position(|window| *window == end).expect("the end of the chunk");
        // Field 8: a union whose first field is an empty structure.
        footer.splice(at + end.len() - 1..at + end.len(), [0x1c, 0x1c, 0x00, 0x00, 0x00]);
    }
    let length = (footer.len() as u32).to_le_bytes();
    [pages, &footer, &length, b"PAR1"].concat()
}

#[test]
fn encrypted_columns_below_a_plain_footer_are_called_that() {
    let folder = tempfile::tempdir().expect("a folder");
    let scene = scene(&["b000"]);
    let rows = rows(5, 1);
    let plain = folder.path().join("t.parquet");
    let batch = batch(&rows, &Shaping::default());
    let extra: ArrayRef = Arc::new(arrow_array::Int64Array::from_iter_values(0..batch.num_rows() as i64));
    let mut columns: Vec<(String, ArrayRef)> =
        batch.schema().fields().iter().map(|field| field.name().clone()).zip(batch.columns().iter().cloned()).collect();
    columns.push(("secret".to_owned(), extra));
    write_batch(&plain, &RecordBatch::try_from_iter(columns).expect("columns"), &Shaping::default());
    let bytes = std::fs::read(&plain).expect("read");
    let path = folder.path().join("e.parquet");
    for column in ["x", "body", "frame"] {
        std::fs::write(&path, encrypted(&bytes, column)).expect("written");
        let error = failure(&scene, &path);
        let parts = ["e.parquet", &format!("column `{column}` is encrypted"), "without encryption"];
        assert!(parts.iter().all(|part| error.contains(part)) && !error.contains("damaged"), "{error}");
    }
    // What is not needed may be encrypted.
    std::fs::write(&path, encrypted(&bytes, "secret")).expect("written");
    let of = |path: &Path| content(&read(&scene, path).expect("good"));
    assert_eq!(of(&path), of(&plain));
}
