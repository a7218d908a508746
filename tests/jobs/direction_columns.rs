//! Distances along a direction, from the scene file and the command line to the tables.

use crate::program::expect;
use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::Value;
use std::fs::{self, File};
use std::path::Path;

/// A floor, a ball above it, a ball beside it, a ball in it.
const SCENE: &str = "[scene]\nlength_unit = \"m\"\n[query]\nwithin = 10\n+\
    [[body]]\nname = \"floor\"\nshape = { box = [4.0, 4.0, 2.0] }\nstatic = true\n\
    [[body]]\nname = \"above\"\nshape = { sphere = 0.5 }\nstatic = true\nposition = [1.0, 0.0, 4.0]\n\
    [[body]]\nname = \"beside\"\nshape = { sphere = 0.5 }\nstatic = true\nposition = [5.0, 0.0, 4.0]\n\
    [[body]]\nname = \"in\"\nshape = { box = [0.5, 0.5, 0.5] }\nstatic = true\nposition = [0.0, 0.0, 0.5]\n";

/// Only pairs with the floor.
const IGNORES: &str = "[[ignore]]\na = \"above\"\nb = \"beside\"\n[[ignore]]\na = \"above\"\nb = \"in\"\n\
    [[ignore]]\na = \"beside\"\nb = \"in\"\n";

fn scene(dir: &Path, query: &str) {
    let head = SCENE.replace('+', query);
    fs::write(dir.join("scene.toml"), head + IGNORES).expect("written");
}

fn distances(out: &Path) -> RecordBatch {
    let file = File::open(out.join("distances/part-00000.parquet")).expect("a table");
    let mut reader = ParquetRecordBatchReaderBuilder::try_new(file).expect("Parquet").build().expect("a reader");
    reader.next().expect("a batch").expect("rows")
}

fn numbers(batch: &RecordBatch, name: &str) -> Vec<Option<f64>> {
    batch.column_by_name(name).expect(name).as_primitive::<Float64Type>().iter().collect()
}

fn words(batch: &RecordBatch, name: &str) -> Vec<String> {
    let column = batch.column_by_name(name).expect(name).as_dictionary::<Int32Type>();
    let words = column.values().as_string::<i32>();
    column.keys().iter().map(|key| words.value(key.expect("a word") as usize).to_owned()).collect()
}

#[test]
fn a_direction_of_the_scene_adds_its_columns() {
    let dir = tempfile::tempdir().expect("scratch");
    scene(dir.path(), "direction = [0.0, 0.0, -2.0]\n");
    expect(dir.path(), "run scene.toml --out out", 0);
    let rows = distances(&dir.path().join("out"));
    assert_eq!(rows.num_rows(), 3);
    // Above by 2.5 m; beside by 1 m and a sphere's radius more; in by 1.75 m to the floor's lower
    // side.
    let [value, lower, upper] =
        ["directional_m", "directional_lower_m", "directional_upper_m"].map(|name| numbers(&rows, name));
    assert_eq!(words(&rows, "directional_relation"), ["touches", "misses", "leaves"]);
    assert_eq!(value.iter().map(Option::is_some).collect::<Vec<_>>(), [true, false, true]);
    for (row, truth) in [(0, 2.5), (2, 1.75)] {
        let [value, lower, upper] = [&value, &lower, &upper].map(|column| column[row].expect("a number"));
        assert!(lower <= truth && truth <= upper && upper - lower < 1e-11, "{lower} {truth} {upper}");
        assert!((value - truth).abs() < 1e-11);
    }
    assert_eq!((lower[1], upper[1]), (None, None));
    let manifest: Value =
        serde_json::from_str(&fs::read_to_string(dir.path().join("out/manifest.json")).expect("read")).expect("JSON");
    assert_eq!(manifest["options"]["direction"], serde_json::json!([0.0, 0.0, -1.0]));
    let (csv, _) = expect(dir.path(), "export out --csv --table distances --to -", 0);
    assert!(
        csv.lines()
            .next()
            .expect("a line")
            .ends_with("directional_m,directional_lower_m,directional_upper_m,directional_relation")
    );
    assert!(csv.lines().nth(2).expect("a line").ends_with(",,,misses"));
}

#[test]
fn the_command_line_replaces_the_direction_and_the_short_form_has_it_too() {
    let dir = tempfile::tempdir().expect("scratch");
    scene(dir.path(), "direction = [0.0, 0.0, -2.0]\n");
    expect(dir.path(), "run scene.toml --out up --direction 0,0,1 --columns distance", 0);
    let rows = distances(&dir.path().join("up"));
    assert_eq!(words(&rows, "directional_relation"), ["misses", "misses", "leaves"]);
    assert!((numbers(&rows, "directional_m")[2].expect("a number") - 0.75).abs() < 1e-11);
    assert!(rows.column_by_name("a_x").is_none() && rows.column_by_name("status").is_some());
    scene(dir.path(), "");
    expect(dir.path(), "run scene.toml --out plain", 0);
    let plain = distances(&dir.path().join("plain"));
    assert!(plain.schema().fields().iter().all(|field| !field.name().starts_with("directional")));
    // All other columns are the same.
    expect(dir.path(), "run scene.toml --out with --direction 1,2,3", 0);
    let with = distances(&dir.path().join("with"));
    for (at, field) in plain.schema().fields().iter().enumerate() {
        assert_eq!(plain.column(at), with.column_by_name(field.name()).expect("the same column"), "{}", field.name());
    }
}

#[test]
fn tables_do_not_depend_on_the_method_or_the_threads() {
    let dir = tempfile::tempdir().expect("scratch");
    expect(dir.path(), "generate crowd --out crowd --bodies 12 --frames 80 --density 0.4", 0);
    let run = |out: &str, more: &str| {
        expect(dir.path(), &format!("run crowd/scene.toml --out {out} --direction 1,0.5,-0.25 {more}"), 0);
        fs::read(dir.path().join(out).join("distances/part-00000.parquet")).expect("a table")
    };
    let first = run("one", "--threads 1");
    assert_eq!(first, run("two", "--threads 2 --narrow gjk"));
    assert_eq!(first, run("few", "--threads 2 --narrow vclip --memory 1MB"));
    let relations = words(&distances(&dir.path().join("one")), "directional_relation");
    for relation in ["touches", "leaves", "misses"] {
        let count = relations.iter().filter(|word| *word == relation).count();
        assert!(count * 40 > relations.len(), "not representative: {count} of {} {relation}", relations.len());
    }
}

#[test]
fn what_is_no_direction_is_refused_before_anything_is_written() {
    let dir = tempfile::tempdir().expect("scratch");
    for (query, words) in [
        ("direction = [0, 0, 0]\n", ["scene.toml:5", "no direction"]),
        ("direction = [1, 2]\n", ["scene.toml:5", "2 values instead of 3"]),
        ("direction = [nan, 0, 1]\n", ["scene.toml:5", "finite"]),
        ("direction = \"down\"\n", ["scene.toml:5", "`direction`"]),
    ] {
        scene(dir.path(), query);
        let (_, err) = expect(dir.path(), "run scene.toml --out out", 1);
        assert!(words.iter().all(|word| err.contains(word)), "{query}: {err}");
    }
    scene(dir.path(), "");
    for wrong in ["0,0,0", "1,2", "a,b,c", "inf,0,0", "nan,0,1"] {
        let (_, err) = expect(dir.path(), &format!("run scene.toml --out out --direction {wrong}"), 2);
        assert!(err.contains("--direction") && err.contains(wrong), "{err}");
        expect(dir.path(), &format!("query sphere:1 sphere:1 --direction {wrong}"), 2);
    }
    assert!(!dir.path().join("out").exists());
}

#[test]
fn one_pair_is_asked_along_a_direction() {
    let dir = tempfile::tempdir().expect("scratch");
    let ask = |args: &str| -> Value {
        let (text, _) = expect(dir.path(), &format!("query {args} --json"), 0);
        serde_json::from_str(&text).expect("JSON")
    };
    let found = ask("box:1,1,1 sphere:0.5 --pose 0,0,4,1,0,0,0 --direction 0,0,-3");
    assert_eq!(found["directional_relation"], "touches");
    assert!((found["directional_m"].as_f64().expect("a number") - 3.0).abs() < 1e-12, "{found}");
    assert_eq!(ask("box:1,1,1 sphere:0.5 --pose 0,0,4,1,0,0,0 --direction 0,0,1")["directional_m"], Value::Null);
    assert!(ask("box:1,1,1 sphere:0.5").get("directional_m").is_none());
    let (text, _) = expect(
        dir.path(),
        "query box:1000,1000,1000 sphere:500 --unit mm --pose 0,0,4000,1,0,0,0 --direction 0,0,-1",
        0,
    );
    assert!(text.contains("B touches A after") && text.contains("mm"), "{text}");
    let (text, _) = expect(dir.path(), "query box:1,1,1 box:1,1,1 --pose 0.25,0,0,1,0,0,0 --direction 1,0,0", 0);
    assert!(text.contains("B is free of A after 0.7"), "{text}");
}
