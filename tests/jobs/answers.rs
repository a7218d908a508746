//! `answer` and `contacts` from outside: what is written, what is told, and what is refused.

use super::program::expect;
use clearsweep_testing::folder::tables;
use serde_json::Value;
use std::fs;
use std::path::Path;

const QUERY: &str = "within = 0.5\n";

/// Three boxes that slide along x over four frames: `a` and `b` overlap from frame 1 on, `c` stays
/// away.
fn scene(dir: &Path, query: &str) {
    let mut text = format!("[scene]\nlength_unit = \"m\"\ntrajectories = \"t.csv\"\n[query]\n{query}");
    for name in ["a", "b", "c"] {
        text += &format!("[[body]]\nname = \"{name}\"\nshape = {{ box = [1, 1, 1] }}\n");
    }
    let mut csv = String::from("run,frame,body,x,y,z,qw,qx,qy,qz\n");
    for run in 0..2 {
        for frame in 0..4 {
            let x = 1.25 - 0.375 * f64::from(frame);
            csv += &format!(
                "{run},{frame},a,0,0,0,1,0,0,0\n{run},{frame},b,{x},0.25,0.125,1,0,0,0\n{run},{frame},c,0,0,1.25,1,0,0,0\n"
            );
        }
    }
    fs::write(dir.join("scene.toml"), text).expect("written");
    fs::write(dir.join("t.csv"), csv).expect("written");
}

fn manifest(dir: &Path) -> Value {
    serde_json::from_slice(&fs::read(dir.join("manifest.json")).expect("read")).expect("an object")
}

#[test]
fn overlaps_alone_are_written_and_told() {
    let scratch = tempfile::tempdir().expect("scratch");
    let dir = scratch.path();
    scene(dir, "answer = \"overlap\"\ncontacts = \"all\"\nrequire = 0\n");
    let (text, _) = expect(dir, "run scene.toml --out o --threads 1", 3);
    assert!(text.contains("not computed (answer = overlap)") && text.contains("6 penetrating"), "{text}");
    assert!(text.contains("; 6 contacts") && text.contains("worst     0.000001 to 1.326807 m deep: a and b"), "{text}");
    let told = manifest(&dir.join("o"));
    assert_eq!((&told["options"]["answer"], &told["options"]["contacts"]), (&"overlap".into(), &"all".into()));
    assert_eq!((&told["summary"]["contacts"], &told["summary"]["rows"]), (&6.into(), &6.into()));
    expect(dir, "verify o", 0);
    let (csv, _) = expect(dir, "export o --csv --table contacts --to -", 0);
    assert!(csv.lines().count() == 7 && csv.lines().skip(1).all(|line| line.contains("crossing")), "{csv}");
    expect(dir, "report o --html o.html", 0);
    // Divided, and on more threads: the same bytes.
    for shard in 0..2 {
        expect(dir, &format!("run scene.toml --shard {shard}/2 --out s --threads 2"), 0);
    }
    expect(dir, "merge s --out merged", 3);
    assert!(tables(&dir.join("o")) == tables(&dir.join("merged")));
    // Linked parts have the same rows.
    expect(dir, "merge s --out fast --fast", 3);
    assert_eq!(manifest(&dir.join("fast"))["summary"]["contacts"], 6);
    expect(dir, "verify o fast", 0);
}

#[test]
fn flags_take_the_place_of_keys_and_contradictions_are_refused() {
    let scratch = tempfile::tempdir().expect("scratch");
    let dir = scratch.path();
    scene(dir, QUERY);
    expect(dir, "run scene.toml --out depth", 0);
    expect(dir, "run scene.toml --out distance --answer distance --contacts all", 0);
    expect(dir, "run scene.toml --out overlap --answer overlap", 0);
    let rows = |name: &str| manifest(&dir.join(name))["summary"]["rows"].as_u64().unwrap_or(0);
    assert_eq!([rows("depth"), rows("distance"), rows("overlap")], [24, 24, 6]);
    assert!(!dir.join("depth/contacts").exists() && dir.join("distance/contacts/part-00000.parquet").exists());
    for (args, part) in [
        ("--answer overlap --within 1", "only bodies that touch or overlap have rows"),
        ("--answer overlap --require 0.1", "computes none beyond `touch`"),
        ("--answer overlaps", "possible values"),
        ("--contacts some", "possible values"),
    ] {
        let (_, error) = expect(dir, &format!("run scene.toml --out no {args}"), 2);
        assert!(error.contains(part) && !dir.join("no").exists(), "{args}: {error}");
    }
    for (query, part) in [
        ("within = 0.5\nanswer = \"overlap\"\n", "leave `within` out"),
        ("answer = \"overlap\"\nrequire = 0.1\n", "require 0"),
        ("within = 0.5\nanswer = \"maybe\"\n", "answer"),
        ("within = 0.5\ncontacts = true\n", "contacts"),
    ] {
        scene(dir, query);
        let (_, error) = expect(dir, "run scene.toml --out no", 1);
        assert!(error.contains(part) && error.contains("help:") && !dir.join("no").exists(), "{query}: {error}");
    }
}
