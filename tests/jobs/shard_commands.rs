//! The commands of jobs on many machines, from outside: output, exit codes, and what they refuse.

use super::program::expect;
use clearsweep_testing::data::repository;
use clearsweep_testing::folder::tables;
use serde_json::Value;
use std::fs;
use std::path::Path;

const SCENE: &str = "datasets/separation/scene.toml";

/// Runs the program in the root of the repository; `{}` in the words stands for a scratch folder.
fn run(dir: &Path, words: &str, code: i32) -> (String, String) {
    expect(repository(), &words.replace("{}", &dir.display().to_string()), code)
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("an object")
}

#[test]
fn a_job_is_planned_computed_and_merged() {
    let scratch = tempfile::tempdir().expect("scratch");
    let dir = scratch.path();
    let (text, _) = run(dir, &format!("plan {SCENE} --shards 3 --out {{}}/tasks.parquet"), 0);
    assert!(text.contains("0/3") && text.contains("2/3") && text.contains("66..") || text.contains("67.."), "{text}");
    assert!(fs::metadata(dir.join("tasks.parquet")).is_ok_and(|about| about.len() > 500));
    run(dir, &format!("plan {SCENE} --shards 3 --out {{}}/tasks.parquet"), 1);
    let plan = json(&run(dir, &format!("plan {SCENE} --shards 300 --json"), 0).0);
    let shards = plan["shards"].as_array().expect("a list");
    assert_eq!(shards.len(), 300);
    assert_eq!(shards.iter().filter(|shard| shard["is_empty"] == true).count(), 100, "there are 200 runs");
    run(dir, &format!("run {SCENE} --require 50mm --out {{}}/one"), 3);
    for index in [2, 0, 1] {
        let (text, _) = run(dir, &format!("run {SCENE} --require 50mm --shard {index}/3 --out {{}}/s"), 0);
        assert!(text.contains(&format!("shard-0000{index}-of-00003")) && text.contains("frames"), "{text}");
    }
    let (text, _) = run(dir, &format!("run {SCENE} --require 50mm --shard 1/3 --out {{}}/s"), 0);
    assert!(text.contains("stands already"), "{text}");
    let stood = json(&run(dir, &format!("run {SCENE} --require 50mm --shard 1/3 --out {{}}/s --json"), 0).0);
    assert!(
        stood["stood"] == true && stood["shard"] == 1 && stood["shards"] == 3 && stood["rows"].as_u64() > Some(10),
        "{stood}"
    );
    let (text, _) = run(dir, "merge {}/s --out {}/merged", 3);
    assert!(text.contains("violated"), "{text}");
    assert!(tables(&dir.join("one")) == tables(&dir.join("merged")));
    let (text, _) = run(dir, "verify {}/one {}/merged", 0);
    assert_eq!(text, "both manifests tell the same rows in all tables\n");
    run(dir, "verify {}/merged", 0);
    run(dir, "report {}/merged --html {}/merged.html", 0);
    let summary = json(&run(dir, "merge {}/s --out {}/fast --fast --json", 3).0);
    assert_eq!(summary["verdict"], "violated");
    let part = dir.join("merged/distances/part-00000.parquet");
    let mut bytes = fs::read(&part).expect("read");
    bytes.truncate(bytes.len() / 2);
    fs::write(&part, bytes).expect("written");
    let (_, error) = run(dir, "verify {}/merged", 1);
    assert!(error.contains("part-00000.parquet") && error.contains("help:"), "{error}");
}

#[test]
fn several_results_have_a_joint_verdict() {
    let scratch = tempfile::tempdir().expect("scratch");
    let dir = scratch.path();
    for index in 0..2 {
        run(dir, &format!("run {SCENE} --require 50mm --shard {index}/2 --out {{}}/s"), 0);
        run(dir, &format!("run {SCENE} --require 1mm --shard {index}/2 --out {{}}/t"), 0);
    }
    let (text, _) = run(dir, "summary {}/s", 3);
    assert!(text.contains("violated: 200 runs") && text.contains("of 2 results"), "{text}");
    let (text, _) = run(dir, "summary {}/t", 0);
    assert!(text.contains("clear: 200 runs"), "{text}");
    let both = json(&run(dir, "summary {}/t {}/s --json", 3).0);
    assert!(both["verdict"] == "violated" && both["results"].as_array().map(Vec::len) == Some(4), "{both}");
    let one = json(&run(dir, "summary {}/s/shard-00000-of-00002 --json", 0).0);
    assert!(one["worst_pairs"].is_array(), "one result is told as before");
    let diff = json(&run(dir, "diff {}/t {}/s --json", 0).0);
    assert!(diff["counts"]["new"].as_u64() > Some(0) && diff["counts"]["resolved"] == 0, "{diff}");
    let (text, _) = run(dir, "report {}/s {}/t --html {}/joint.html --no-views", 3);
    assert!(text.contains("leads to 4 pages"), "{text}");
    let page = fs::read_to_string(dir.join("joint.html")).expect("read");
    assert!((1..=4).all(|number| page.contains(&format!("href=\"joint-{number}.html\""))
        && dir.join(format!("joint-{number}.html")).exists()));
    assert!(page.contains("2 of 4 results violate what is required"), "{page}");
    let (_, error) = run(dir, "report {}/s --csv {}/x.csv", 2);
    assert!(error.contains("--html"), "{error}");
}

#[test]
fn what_does_not_fit_is_refused_before_anything_is_written() {
    let scratch = tempfile::tempdir().expect("scratch");
    let dir = scratch.path();
    for (words, code, said) in [
        (format!("run {SCENE} --shard 3/3 --out {{}}/s"), 2, "numbered from 0"),
        (format!("run {SCENE} --shard slurm --out {{}}/s"), 2, "SLURM_ARRAY_TASK_ID"),
        (format!("run {SCENE} --shard 0/3 --out {{}}/s --force"), 2, "--force"),
        (format!("run {SCENE} --shard 0/3 --out {{}}/s --resume"), 2, "--resume"),
        (format!("run {SCENE} --shard 0/3 --out -"), 2, "--shard"),
        (format!("plan {SCENE} --shards 0"), 2, "no number of shards"),
        (format!("plan {SCENE} --shards 4000000"), 2, "no number of shards"),
        ("merge {}/nothing --out {}/merged".to_owned(), 1, "nothing"),
        ("merge {} --out {}/merged".to_owned(), 1, "holds no shard"),
        ("verify {}/nothing".to_owned(), 1, "nothing"),
        ("summary {}/nothing {}/more".to_owned(), 1, "nothing"),
    ] {
        let (_, error) = run(dir, &words, code);
        assert!(error.contains(said), "{words}: {error}");
    }
    assert_eq!(fs::read_dir(dir).expect("a folder").count(), 0, "nothing is written");
    // A shard's place is taken by something else.
    fs::create_dir_all(dir.join("s/shard-00000-of-00003")).expect("made");
    let (_, error) = run(dir, &format!("run {SCENE} --shard 0/3 --out {{}}/s"), 1);
    assert!(error.contains("without a manifest") && dir.join("s/shard-00000-of-00003").exists(), "{error}");
}

#[test]
fn addresses_of_files_are_paths_and_others_are_refused_by_name() {
    let scratch = tempfile::tempdir().expect("scratch");
    let dir = scratch.path();
    let poses = fs::canonicalize("datasets/separation/trajectories.parquet").expect("a file");
    run(dir, &format!("run {SCENE} --require 50mm --out {{}}/one"), 3);
    for index in 0..2 {
        run(
            dir,
            &format!(
                "run {SCENE} --trajectories file://{} --require 50mm --shard {index}/2 --out file://{{}}/s",
                poses.display()
            ),
            0,
        );
    }
    let (text, _) = run(dir, "merge file://{}/s --out file://{}/merged", 3);
    assert!(text.contains("VIOLATED"), "{text}");
    run(dir, "verify {}/one file://{}/merged", 0);
    assert_eq!(tables(&dir.join("one")), tables(&dir.join("merged")));
    let before = fs::read_dir(dir).expect("a folder").count();
    let without = "was built without clients of them";
    for (words, said) in [
        (format!("run {SCENE} --out s3://bucket/out"), without),
        (format!("run {SCENE} --trajectories s3://bucket/t.parquet --out {{}}/out"), without),
        (format!("run {SCENE} --shard 0/2 --out gs://bucket/out"), without),
        ("merge az://bucket/s --out {}/out".to_owned(), without),
        ("summary s3://bucket/out".to_owned(), without),
        ("verify s3://bucket/out".to_owned(), without),
        (
            format!("run {SCENE} --trajectories http://host/t.parquet --out {{}}/out"),
            "a kind that is not known (http://)",
        ),
        ("summary hdfs://host/out".to_owned(), "a kind that is not known (hdfs://)"),
        ("verify s3:///out".to_owned(), "names no bucket"),
        ("verify file://host/out".to_owned(), "no address of a file of this machine"),
    ] {
        // With the feature the programs would look for these buckets.
        if said == without && cfg!(feature = "object-store") {
            continue;
        }
        let (_, error) = run(dir, &words, 2);
        assert!(error.contains(said), "{words}: {error}");
    }
    assert_eq!(fs::read_dir(dir).expect("a folder").count(), before, "nothing is written");
}
