//! CSV in gzip: trajectories, values of joints and tables of bodies; and files that are not what
//! their names say.

use crate::program::expect;
use clearsweep_testing::clone::clone;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs;
use std::io::Write;
use std::path::Path;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

/// Writes a file compressed, under its name with `.gz`, in place of itself.
fn compress(path: &Path) {
    let bytes = fs::read(path).expect("a table");
    fs::write(format!("{}.gz", path.display()), gzip(&bytes)).expect("written");
    fs::remove_file(path).expect("removed");
}

/// Replaces names in a scene.
fn rename(scene: &Path, names: &[&str]) {
    let text = fs::read_to_string(scene).expect("a scene");
    let text = names.iter().fold(text, |text, name| text.replace(&format!("\"{name}\""), &format!("\"{name}.gz\"")));
    fs::write(scene, text).expect("written");
}

#[test]
fn compressed_tables_give_the_same_rows() {
    let dir = clone();
    let dir = dir.path();
    let jobs = [
        ("simulator-log", "scene", &["log.csv"][..]),
        ("joints", "cell", &["values.csv"]),
        ("pipe-rack", "scene", &["structure.csv", "piping.csv", "equipment.csv"]),
    ];
    for (folder, scene, tables) in jobs {
        let run = format!("run datasets/{folder}/{scene}.toml --within 20mm --frames 0..20 --out");
        expect(dir, &format!("{run} plain-{folder}"), 0);
        tables.iter().for_each(|table| compress(&dir.join("datasets").join(folder).join(table)));
        rename(&dir.join(format!("datasets/{folder}/{scene}.toml")), tables);
        expect(dir, &format!("{run} gzip-{folder}"), 0);
        expect(dir, &format!("verify plain-{folder} gzip-{folder}"), 0);
    }
    let (text, _) = expect(
        dir,
        "sort datasets/simulator-log/log.csv.gz sorted.parquet --scene datasets/simulator-log/scene.toml",
        0,
    );
    assert!(text.contains("rows"), "{text}");
}

#[test]
fn lines_of_compressed_files_are_named() {
    let dir = clone();
    let dir = dir.path();
    let log = dir.join("datasets/simulator-log/log.csv");
    let text = fs::read_to_string(&log).expect("a log").replacen("0,0,ball-1,-0.2", "0,0,ball-1,wide", 1);
    fs::write(&log, text).expect("written");
    compress(&log);
    rename(&dir.join("datasets/simulator-log/scene.toml"), &["log.csv"]);
    let (_, err) = expect(dir, "check datasets/simulator-log/scene.toml", 1);
    assert!(err.contains("log.csv.gz:3: column `pos_x` holds `wide`"), "{err}");
}

#[test]
fn hostile_and_misnamed_files_are_refused() {
    let dir = clone();
    let dir = dir.path();
    let scene = "datasets/simulator-log/scene.toml";
    let text = fs::read_to_string(dir.join("datasets/simulator-log/log.csv")).expect("a log");
    let whole = gzip(text.as_bytes());
    let names = text.lines().next().expect("names");
    let bomb = gzip(&[names.as_bytes(), b"\n", &vec![b'0'; 64 << 20]].concat());
    assert!(bomb.len() < 100 << 10);
    let cases: [(&str, &[u8], &str); 5] = [
        ("bomb.csv.gz", &bomb, "as no table does"),
        ("short.csv.gz", &whole[..whole.len() / 2], "damaged, or ends early"),
        ("plain.csv.gz", text.as_bytes(), "is not compressed with gzip"),
        ("named.csv", &whole, "is compressed with gzip, and not named as a .csv.gz file"),
        ("named.gz", &whole, "is compressed with gzip, and not named as a .csv.gz file"),
    ];
    for (name, bytes, problem) in cases {
        fs::write(dir.join(name), bytes).expect("written");
        let (_, err) = expect(dir, &format!("run {scene} --trajectories {name} --out o"), 1);
        assert!(err.contains(problem) && err.contains(name) && err.contains("help:"), "{name}: {err}");
        assert!(!dir.join("o").exists(), "{name}");
    }
    // A table of bodies has the limit of files.
    let table = dir.join("datasets/pipe-rack/piping.csv");
    compress(&table);
    rename(&dir.join("datasets/pipe-rack/scene.toml"), &["piping.csv"]);
    let (_, err) = expect(dir, "check datasets/pipe-rack/scene.toml --max-input 30000", 1);
    assert!(err.contains("piping.csv.gz: holds more than 30000 bytes when it is unpacked"), "{err}");
}
