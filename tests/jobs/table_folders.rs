//! Folders that are tables with a log, and levels that are columns: read right, or refused with the
//! way to read them.

use super::program::expect;
use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray};
use arrow_ipc::writer::FileWriter;
use parquet::arrow::ArrowWriter;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

const ROWS: &str = "frame,body,x,y,z\n0,a,2,0,0\n1,a,3,0,0\n";

/// A scene of a moving ball, with these files below its folder.
fn scene(trajectories: &str, files: &[(&str, &str)]) -> TempDir {
    let dir = tempfile::tempdir().expect("scratch");
    let body = "[[body]]\nname = \"a\"\nshape = { sphere = 0.1 }\n[[body]]\nname = \"b\"\nshape = { sphere = 0.1 }\nstatic = true\n";
    let head = format!("[scene]\nlength_unit = \"m\"\ntrajectories = \"{trajectories}\"\n[query]\nwithin = 9\n");
    write(dir.path(), "scene.toml", &format!("{head}{body}"));
    files.iter().for_each(|(name, text)| write(dir.path(), name, text));
    dir
}

fn write(dir: &Path, name: &str, text: &str) {
    let path = dir.join(name);
    fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    fs::write(path, text).expect("written");
}

#[test]
fn tables_with_a_log_are_refused_with_the_way_to_read_them() {
    for (mark, says, helps) in [
        ("_delta_log/00000.json", "a table of Delta Lake", "delta_scan('tbl"),
        ("metadata/v1.metadata.json", "a table of Iceberg", "iceberg_scan('tbl"),
        (".hoodie/hoodie.properties", "a table of Hudi", "Spark"),
        ("_temporary/0/part.csv", "holds `_temporary`", "_SUCCESS"),
    ] {
        for (at, trajectories) in [("tbl", "tbl"), ("tbl", "tbl/*.csv"), ("tbl", "t*/**/*.csv"), ("tbl/inner", "tbl")] {
            let files = [(format!("{at}/{mark}"), "{}"), (format!("{at}/part-0.csv"), ROWS)];
            let files = files.each_ref().map(|(name, text)| (name.as_str(), *text));
            let dir = scene(trajectories, &files);
            for command in ["run scene.toml --out o", "check scene.toml"] {
                let (_, told) = expect(dir.path(), command, 1);
                assert!(told.contains(says) && told.contains(helps), "{trajectories}, {mark}: {told}");
            }
            assert!(!dir.path().join("o").exists());
        }
        // One file that is named is read; so is a table beside the folder.
        let dir = scene("tbl/part-0.csv", &[(&format!("tbl/{mark}"), "{}"), ("tbl/part-0.csv", ROWS)]);
        expect(dir.path(), "run scene.toml --out o", 0);
        let dir = scene("plain", &[(&format!("tbl/{mark}"), "{}"), ("plain/part-0.csv", ROWS)]);
        expect(dir.path(), "run scene.toml --out o", 0);
    }
}

#[test]
fn marks_of_finished_jobs_and_like_names_are_passed() {
    for mark in ["_SUCCESS", "._SUCCESS.crc", "_committed_1"] {
        let dir = scene("tbl", &[(&format!("tbl/{mark}"), ""), ("tbl/part-0.csv", ROWS)]);
        let (text, _) = expect(dir.path(), "run scene.toml --out o", 0);
        assert!(text.contains("2 frames"), "{mark}: {text}");
    }
}

/// The distances of a result: frame, body, and the distance in tenths of a metre.
fn distances(dir: &Path, out: &str) -> Vec<String> {
    let (text, _) = expect(dir, &format!("export {out} --csv --table distances --to -"), 0);
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let names = lines.next().expect("names");
    let at = |name: &str| names.iter().position(|&column| column == name).expect("a column");
    let [frame, body, distance] = ["frame", "body_a", "distance_m"].map(at);
    let tenths = |cell: &str| (cell.parse::<f64>().expect("a number") * 10.0).round();
    lines.map(|cells| format!("{} {} {}", cells[frame], cells[body], tenths(cells[distance]))).collect()
}

#[test]
fn levels_of_frames_and_bodies_are_columns() {
    // The ball stands 2 m from the other one, then 3 m: 1.8 m and 2.8 m apart.
    let expected = ["0 a 18", "1 a 28"];
    let frames = [("tbl/frame=0/p.csv", "body,x,y,z\na,2,0,0\n"), ("tbl/frame=1/p.csv", "body,x,y,z\na,3,0,0\n")];
    let dir = scene("tbl", &frames);
    expect(dir.path(), "run scene.toml --out o", 0);
    assert_eq!(distances(dir.path(), "o"), expected);
    // Parquet and Arrow IPC, of which no column is left where the keys are read.
    for format in ["parquet", "arrow"] {
        let dir = scene("tbl", &[]);
        for (frame, x) in [(1, 3.0), (0, 2.0)] {
            let path = dir.path().join(format!("tbl/frame={frame}/p.{format}"));
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            let number = |value: f64| Arc::new(Float64Array::from(vec![value])) as ArrayRef;
            let body = Arc::new(StringArray::from(vec!["a"])) as ArrayRef;
            let columns = [("body", body), ("x", number(x)), ("y", number(0.0)), ("z", number(0.0))];
            let batch = RecordBatch::try_from_iter(columns).expect("a batch");
            let file = fs::File::create(path).expect("created");
            if format == "parquet" {
                let mut writer = ArrowWriter::try_new(file, batch.schema(), None).expect("a writer");
                writer.write(&batch).and_then(|()| writer.close()).expect("written");
            } else {
                let mut writer = FileWriter::try_new(file, &batch.schema()).expect("a writer");
                writer.write(&batch).and_then(|()| writer.finish()).expect("written");
            }
        }
        expect(dir.path(), "run scene.toml --out o", 0);
        assert_eq!(distances(dir.path(), "o"), expected, "{format}");
    }
    // With a run, in any order of levels; `--frames` chooses among them.
    let dir = scene(
        "tbl",
        &[("tbl/frame=1/run=4/p.csv", "body,x,y,z\na,3,0,0\n"), ("tbl/frame=0/run=4/p.csv", "body,x,y,z\na,2,0,0\n")],
    );
    expect(dir.path(), "run scene.toml --out o --frames 1", 0);
    assert_eq!(distances(dir.path(), "o"), expected[1..]);
    // One body: its file is in order. A column of that name in the file counts. Escaped names are
    // read.
    for (name, rows) in [
        ("tbl/body=a/p.csv", "frame,x,y,z\n0,2,0,0\n1,3,0,0\n"),
        ("tbl/body=%61/p.csv", "frame,x,y,z\n0,2,0,0\n1,3,0,0\n"),
        ("tbl/body=b/p.csv", ROWS),
    ] {
        let dir = scene("tbl", &[(name, rows)]);
        expect(dir.path(), "run scene.toml --out o", 0);
        assert_eq!(distances(dir.path(), "o"), expected, "{name}");
    }
    // Two bodies: the files interleave, and the remedy is to sort them.
    let rows = [
        ("tbl/body=a/p.csv", "frame,x,y,z\n0,2,0,0\n1,3,0,0\n"),
        ("tbl/body=c/p.csv", "frame,x,y,z\n0,0,4,0\n1,0,5,0\n"),
    ];
    let dir = scene("tbl", &rows);
    let text = fs::read_to_string(dir.path().join("scene.toml")).expect("read");
    write(dir.path(), "scene.toml", &format!("{text}[[body]]\nname = \"c\"\nshape = {{ sphere = 0.1 }}\n"));
    let (_, told) = expect(dir.path(), "run scene.toml --out o", 1);
    assert!(told.contains("clearsweep sort"), "{told}");
    expect(dir.path(), "sort tbl sorted.parquet", 0);
    expect(dir.path(), "run scene.toml --trajectories sorted.parquet --out o --within 2m", 0);
    assert_eq!(distances(dir.path(), "o"), ["0 a 18"]);
}

#[test]
fn levels_that_are_no_values_are_named() {
    for (name, rows, says) in [
        ("tbl/frame=x/p.csv", "body,x,y,z\na,2,0,0\n", "`frame=x` is not an integer frame"),
        ("tbl/body=__HIVE_DEFAULT_PARTITION__/p.csv", "frame,x,y,z\n0,2,0,0\n", "is no name of a body"),
        ("tbl/body=a/body=b/p.csv", "frame,x,y,z\n0,2,0,0\n", "`body=a` and `body=b`"),
    ] {
        let dir = scene("tbl", &[(name, rows)]);
        let (_, told) = expect(dir.path(), "run scene.toml --out o", 1);
        assert!(told.contains(says), "{name}: {told}");
    }
}

#[test]
fn the_names_that_a_remedy_gives_lead_to_the_right_columns() {
    let quaternion = "frame,body,x,y,z,quat_x,quat_y,quat_z,quat_w\n0,a,2,0,0,0,0,0.6,0.8\n";
    let dir = scene("p.csv", &[("p.csv", quaternion)]);
    let (_, told) = expect(dir.path(), "run scene.toml --out o", 1);
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    let names: Vec<&str> = told.split('`').filter(|part| part.starts_with('q') && part.contains(" = \"")).collect();
    let expected = ["qw = \"quat_w\"", "qx = \"quat_x\"", "qy = \"quat_y\"", "qz = \"quat_z\""];
    assert_eq!(names, expected, "{told}");
    let path = dir.path().join("scene.toml");
    let text = fs::read_to_string(&path).expect("read") + "[columns]\n" + &expected.join("\n") + "\n";
    fs::write(&path, text).expect("written");
    expect(dir.path(), "run scene.toml --out o", 0);
    // Numbers have no order that a name tells.
    let numbered = quaternion.replace("quat_x,quat_y,quat_z,quat_w", "quat0,quat1,quat2,quat3");
    let dir = scene("p.csv", &[("p.csv", &numbered)]);
    let (_, told) = expect(dir.path(), "run scene.toml --out o", 1);
    assert!(told.contains("scalar part") && !told.contains("\"quat0\""), "{told}");
    // A column that is another one already is not proposed.
    let taken = "frame,body,pos_n,pos_e,down\n0,a,2,0,0\n";
    let dir = scene("p.csv", &[("p.csv", taken)]);
    let text = fs::read_to_string(dir.path().join("scene.toml")).expect("read");
    let columns = "[columns]\nx = \"pos_e\"\ny = \"pos_n\"\nz = \"pos_d\"\n";
    fs::write(dir.path().join("scene.toml"), text + columns).expect("written");
    let (_, told) = expect(dir.path(), "run scene.toml --out o", 1);
    assert!(told.contains("no column `pos_d`") && !told.contains("\"pos_e\"") && !told.contains("\"pos_n\""), "{told}");
}
