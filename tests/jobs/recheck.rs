//! `recheck` and `explain` from outside: results of all shapes are proven again, a wrong row is
//! named with all that brings it back, and a file that was exchanged is an error.

use super::program::expect;
use clearsweep_testing::data::repository;
use clearsweep_testing::falsify;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::Value;
use std::fs::{self, File};
use std::path::Path;

const SCENE: &str = "datasets/separation/scene.toml";

/// Runs the program in the root of the repository; `{}` in the words stands for a scratch folder.
fn run(dir: &Path, words: &str, code: i32) -> (String, String) {
    expect(repository(), &words.replace("{}", &dir.display().to_string()), code)
}

fn json(dir: &Path, words: &str, code: i32) -> Value {
    serde_json::from_str(&run(dir, words, code).0).expect("an object")
}

#[test]
fn results_of_one_machine_shards_and_merges_are_proven_again() {
    let scratch = tempfile::tempdir().expect("scratch");
    let dir = scratch.path();
    run(dir, &format!("run {SCENE} --require 50mm --out {{}}/one"), 3);
    for index in 0..2 {
        run(dir, &format!("run {SCENE} --require 50mm --shard {index}/2 --out {{}}/s"), 0);
    }
    run(dir, "merge {}/s --out {}/merged", 3);
    let all = |name: &str| json(dir, &format!("recheck {{}}/{name} --all --json --progress none"), 0);
    let [one, merged] = ["one", "merged"].map(all);
    for key in ["frames", "rows", "pairs_without_row", "counts", "wrong_count", "outcome"] {
        assert_eq!(one[key], merged[key], "{key}");
    }
    assert_eq!(one["outcome"], "proven_again");
    assert_eq!(one["rows"]["looked_at"], one["rows"]["all"]);
    let parts: Vec<u64> = (0..2)
        .map(|index| all(&format!("s/shard-0000{index}-of-00002"))["rows"]["looked_at"].as_u64().expect("a number"))
        .collect();
    assert_eq!(Some(parts.iter().sum()), one["rows"]["looked_at"].as_u64());
    // A table beside the result, and no second time without --force.
    run(dir, "recheck {}/one --all --out {}/proof --progress none", 0);
    let proof = File::open(dir.join("proof/recheck.parquet")).expect("a table");
    let rows: usize = ParquetRecordBatchReaderBuilder::try_new(proof)
        .and_then(|reader| reader.build())
        .expect("Parquet")
        .map(|batch| batch.expect("rows").num_rows())
        .sum();
    let counted: u64 = one["counts"]
        .as_array()
        .expect("a list")
        .iter()
        .flat_map(|of| of.as_object().expect("counts").values())
        .filter_map(Value::as_u64)
        .sum();
    assert_eq!(rows as u64, counted, "a row for each statement");
    assert!(!dir.join("proof/recheck.state").exists());
    let (_, error) = run(dir, "recheck {}/one --all --out {}/proof --progress none", 1);
    assert!(error.contains("exists already"), "{error}");
}

#[test]
fn a_wrong_row_is_named() {
    let scratch = tempfile::tempdir().expect("scratch");
    let dir = scratch.path();
    run(dir, "run datasets/coherence/scene.toml --out {}/o", 0);
    falsify::number(&dir.join("o/distances/part-00000.parquet"), "lower_m", 100, |lower| lower + 1e-9);
    let found = json(dir, "recheck {}/o --all --json --progress none", 3);
    assert_eq!((&found["outcome"], &found["rows"]["looked_at"]), (&"wrong".into(), &270.into()));
    let wrong = found["wrong"].as_array().expect("a list");
    assert!(wrong.iter().all(|wrong| (&wrong["run"], &wrong["frame"]) == (&1.into(), &10.into())), "{wrong:?}");
    assert!(wrong.iter().any(|wrong| wrong["what"] == "bracket" && wrong["body_a"].is_string()), "{wrong:?}");
    let (text, _) = run(dir, "recheck {}/o --all --progress none", 3);
    for part in ["run 1, frame 10", "the row says", "the verifier", "datasets/coherence/scene.toml"] {
        assert!(text.contains(part), "`{part}` is not in\n{text}");
    }
    let (a, b) = (wrong[0]["body_a"].as_str().expect("a name"), wrong[0]["body_b"].as_str().expect("a name"));
    let (text, _) = run(dir, &format!("explain {{}}/o --pair {b} {a} --run 1 --frame 10"), 3);
    assert!(text.contains("bracket: wrong"), "{text}");
    let (text, _) = run(dir, &format!("explain {{}}/o --pair {a} {b} --run 1 --frame 11"), 0);
    assert!(text.contains("bracket: proven") && text.lines().all(|line| line.chars().count() <= 80), "{text}");
    run(dir, &format!("explain {{}}/o --pair {a} {b} --run 7"), 2);
}

#[test]
fn a_row_that_is_explained_has_a_picture() {
    let scratch = tempfile::tempdir().expect("scratch");
    let dir = scratch.path();
    run(dir, "run datasets/contact/scene.toml --out {}/o", 3);
    let words = "explain {}/o --pair table crate --png {}/row.png";
    let (text, _) = run(dir, words, 0);
    assert!(text.contains("picture "), "{text}");
    let picture = fs::read(dir.join("row.png")).expect("a picture");
    let [width, height] = [16, 20].map(|at| u32::from_be_bytes(picture[at..at + 4].try_into().expect("four bytes")));
    assert!(picture.starts_with(b"\x89PNG") && [width, height] == [720, 480] && picture.len() > 3_000);
    let (_, error) = run(dir, words, 1);
    assert!(error.contains("row.png") && error.contains("--force"), "{error}");
    run(dir, &format!("{words} --force"), 0);
    assert_eq!(fs::read(dir.join("row.png")).expect("a picture"), picture);
    // An interval: both bodies at the time of least distance.
    run(dir, "run datasets/coherence/scene.toml --out {}/i --between linear", 0);
    let words = "explain {}/i --pair fixed moving --run 0 --interval 69 --png {}/interval.png";
    let (text, _) = run(dir, words, 0);
    assert!(text.contains("picture "), "{text}");
    let picture = fs::read(dir.join("interval.png")).expect("a picture");
    assert!(picture.starts_with(b"\x89PNG") && picture.len() > 3_000);
    let (_, error) = run(dir, "explain {}/o --pair table crate --png {}/o/row.png", 2);
    assert!(error.contains("row.png"), "{error}");
}

#[test]
fn an_exchanged_file_is_named() {
    let scratch = tempfile::tempdir().expect("scratch");
    let dir = scratch.path();
    for file in ["scene.toml", "object.obj", "trajectories.parquet"] {
        fs::copy(repository().join("datasets/coherence").join(file), dir.join(file)).expect("copied");
    }
    run(dir, "run {}/scene.toml --out {}/o", 0);
    run(dir, "recheck {}/o --rows 3 --seconds 1 --progress none", 0);
    let text = fs::read_to_string(dir.join("object.obj")).expect("text");
    fs::write(dir.join("object.obj"), text.replace("v ", "v  ")).expect("written");
    for words in ["recheck {}/o", "explain {}/o --pair satellite earth"] {
        let (_, error) = run(dir, words, 1);
        assert!(error.contains("object.obj") && error.contains("has changed"), "{error}");
    }
}
