//! Folders that are tables with a log, and levels that are columns: read right, or refused with the
//! way to read them.

use super::program::expect;
use std::fs;
use std::path::Path;
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

#[test]
fn a_level_that_is_named_as_a_column_is_told() {
    let rows = "frame,x,y,z\n0,2,0,0\n1,3,0,0\n";
    let dir = scene("tbl", &[("tbl/body=a/p.csv", rows), ("tbl/body=b/p.csv", rows)]);
    let (_, told) = expect(dir.path(), "run scene.toml --out o", 1);
    assert!(told.contains("the directory level `body=a` is not read") && told.contains("hive_partitioning"), "{told}");
    // A column of that name in the file counts, as before.
    let dir = scene("tbl", &[("tbl/body=a/p.csv", ROWS)]);
    expect(dir.path(), "run scene.toml --out o", 0);
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
