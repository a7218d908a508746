//! Rules that require a free length along a direction, from the scene file to tables, verdict and
//! list of issues.

use super::rules::{expect, manifest, number, rows};
use clearsweep_testing::folder::tables;
use clearsweep_testing::oracle::families::Random;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

type Row = BTreeMap<String, String>;

/// Boxes parallel to the axes: middle and half of the sides.
type Block = ([f64; 3], [f64; 3]);

/// A scene of blocks, of which every third is in the group `free`, with these rules; frames in
/// which all of them but the first stand as here.
fn write_blocks(dir: &Path, blocks: &[Block], rules: &str) {
    let mut text = "[scene]\nlength_unit = \"m\"\n[query]\nstatic_pairs = true\n".to_owned();
    for (k, (middle, half)) in blocks.iter().enumerate() {
        let (sides, group) = (half.map(|h| 2.0 * h), if k % 3 == 0 { "free" } else { "other" });
        write!(
            text,
            "[[body]]\nname = \"b{k}\"\ngroup = \"{group}\"\nstatic = true\nshape = {{ box = {sides:?} }}\nposition = {middle:?}\n"
        )
        .expect("written");
    }
    fs::write(dir.join("scene.toml"), text + rules).expect("written");
}

fn random_blocks() -> Vec<Block> {
    let mut random = Random(7);
    let mut next = |low: f64, high: f64| random.between(low, high);
    (0..90).map(|_| ([0; 3].map(|_| next(-2.0, 2.0)), [0; 3].map(|_| next(0.05, 0.3)))).collect()
}

/// How far a block moves upward until it, grown across by a disk, touches another: infinite if
/// never, 0 if it does at once.
fn free_upward([own, other]: [&Block; 2], footprint: f64) -> f64 {
    let gap = |k: usize| (own.0[k] - other.0[k]).abs() - own.1[k] - other.1[k];
    if gap(0).max(0.0).hypot(gap(1).max(0.0)) > footprint {
        return f64::INFINITY;
    }
    let [begin, end] = [-1.0, 1.0].map(|side| other.0[2] - own.0[2] + side * (own.1[2] + other.1[2]));
    if end < 0.0 { f64::INFINITY } else { begin.max(0.0) }
}

/// Whether the radius of the disk is so near to the edge of a block that polygons do not tell.
fn is_at_edge([own, other]: [&Block; 2], footprint: f64) -> bool {
    let gap = |k: usize| ((own.0[k] - other.0[k]).abs() - own.1[k] - other.1[k]).max(0.0);
    (gap(0).hypot(gap(1)) - footprint).abs() < 0.006 * footprint
}

#[test]
fn free_lengths_are_those_of_blocks_by_their_formula() {
    let dir = tempfile::tempdir().expect("scratch");
    let (dir, blocks) = (dir.path(), random_blocks());
    let (require, footprint) = (0.5, 0.25);
    let rule = format!(
        "[[rule]]\nname = \"up\"\na = \"group:free\"\ndirection = [0, 0, 3]\nfootprint = {footprint:?}\nrequire = {require:?}\n"
    );
    write_blocks(dir, &blocks, &rule);
    expect(dir, "run scene.toml --out out", 3);
    let found = rows(&dir.join("out/distances"));
    let (mut seen, mut both, mut expected) = (BTreeMap::<&str, usize>::new(), 0, 0);
    for row in &found {
        let [a, b] = ["a_index", "b_index"].map(|column| row[column].parse::<usize>().expect("an index"));
        let free: Vec<[usize; 2]> = [[a, b], [b, a]].into_iter().filter(|[own, _]| own % 3 == 0).collect();
        if free.is_empty() {
            assert_eq!([&row["rule"], &row["required_m"]], ["default", "null"]);
            let columns = ["directional_m", "directional_lower_m", "directional_upper_m", "directional_relation"];
            assert!(columns.iter().all(|&column| row[column] == "null"), "{row:?}");
            continue;
        }
        let of = |[own, other]: &[usize; 2]| [&blocks[*own], &blocks[*other]];
        let truth = free.iter().map(|pair| free_upward(of(pair), footprint)).fold(f64::INFINITY, f64::min);
        if free.iter().any(|pair| is_at_edge(of(pair), footprint)) {
            continue;
        }
        both += usize::from(free.len() == 2);
        assert_eq!([&row["rule"], &row["required_m"]], ["up", "0.5"]);
        let [value, lower, upper] =
            ["directional_m", "directional_lower_m", "directional_upper_m"].map(|column| number(row, column));
        let relation = row["directional_relation"].as_str();
        match relation {
            "misses" => assert!(truth.is_infinite() && value.is_nan() && lower.is_nan() && upper.is_nan(), "{row:?}"),
            "in-contact" => assert!(truth == 0.0 && value == 0.0 && upper == 0.0, "{row:?}"),
            "touches" => {
                assert!(lower <= truth && truth <= upper && upper - lower < 1e-9 && truth > 0.0, "{truth} {row:?}");
                let kind = if truth < require { "violated" } else { "free" };
                *seen.entry(kind).or_default() += 1;
            }
            other => panic!("{other}: {truth} {row:?}"),
        }
        *seen.entry(if relation == "misses" { "misses" } else { "meets" }).or_default() += 1;
        *seen.entry(if relation == "in-contact" { "in contact" } else { "apart" }).or_default() += 1;
        expected += usize::from(truth < require);
    }
    let kinds = ["violated", "free", "misses", "in contact"];
    assert!(kinds.iter().all(|kind| seen.get(kind).is_some_and(|&n| n > 8)) && both > 20, "{seen:?} {both}");
    // Every pair that violates the rule has a row, though `within` was left out.
    let pairs = (0..blocks.len()).flat_map(|a| (0..a).map(move |b| [a, b]));
    let violates = |pair: &[usize; 2]| {
        let ways = [*pair, [pair[1], pair[0]]].into_iter().filter(|way| way[0] % 3 == 0);
        let mut bodies = ways.map(|way| way.map(|k| &blocks[k]));
        bodies.any(|bodies| !is_at_edge(bodies, footprint) && free_upward(bodies, footprint) < require)
    };
    let all = pairs.filter(violates).count();
    assert!(all >= expected && all - expected < 5, "{all} {expected}: pairs at an edge are left out");
    let summary = &manifest(&dir.join("out"))["summary"]["rules"][0];
    assert_eq!((&summary["direction"], &summary["footprint_m"]), (&json!([0.0, 0.0, 1.0]), &json!(footprint)));
    let upper = |row: &Row| number(row, "directional_upper_m");
    let violated: Vec<&Row> = found.iter().filter(|row| row["rule"] == "up" && upper(row) < require).collect();
    assert_eq!(summary["violated"], json!(violated.len()));
    // Events carry the free length, and the pairs of a table of distances no requirement.
    let events = rows(&dir.join("out/events.parquet"));
    assert_eq!(events.len(), violated.len());
    for event in &events {
        let row = violated.iter().find(|row| row["body_a"] == event["body_a"] && row["body_b"] == event["body_b"]);
        let row = row.expect("a row of the event");
        assert_eq!(number(event, "upper_m"), upper(row), "{event:?}");
        assert_eq!(number(event, "lower_m"), number(row, "directional_lower_m"), "{event:?}");
    }
    let near = rows(&dir.join("out/pairs.parquet"));
    assert!(near.iter().all(|row| row["required_m"] == "null"));
    assert!(near.iter().filter(|row| row["rule"] == "up").count() > 20);
}

/// A table, a lamp above it, a shelf beside it, and a drawer that moves out of a chest toward a
/// wall.
fn room(dir: &Path, head: &str, rules: &str) {
    let body = |name: &str, sides: [f64; 3], position: [f64; 3], tail: &str| {
        format!(
            "[[body]]\nname = \"{name}\"\nshape = {{ box = {sides:?} }}\nstatic = true\nposition = {position:?}\n{tail}"
        )
    };
    let drawer = "[[body]]\nname = \"drawer\"\nshape = { box = [0.5, 0.4, 0.1] }\n";
    let text =
        format!("[scene]\nlength_unit = \"m\"\ntrajectories = \"t.csv\"\n[query]\nstatic_pairs = true\n{head}\n")
            + &body("table", [2.0, 1.0, 0.1], [0.0; 3], "")
            + &body("lamp", [0.3, 0.3, 0.2], [0.2, 0.1, 0.95], "")
            + &body("shelf", [0.4, 0.4, 0.4], [1.3, 0.0, 0.5], "")
            + &body("wall", [0.1, 4.0, 3.0], [4.0, 0.0, 0.0], "")
            + drawer
            + rules;
    fs::write(dir.join("room.toml"), text).expect("written");
    let mut poses = "frame,body,x,y,z,qw,qx,qy,qz\n".to_owned();
    for frame in 0..11 {
        writeln!(poses, "{frame},drawer,{},0.0,0.3,1,0,0,0", 2.5 + 0.1 * f64::from(frame)).expect("written");
    }
    fs::write(dir.join("t.csv"), poses).expect("written");
}

#[test]
fn head_room_and_space_in_front_make_a_list() {
    let dir = tempfile::tempdir().expect("scratch");
    let dir = dir.path();
    let head = "[[rule]]\nname = \"head\"\na = \"table\"\ndirection = [0, 0, 1]\n";
    let front = "[[rule]]\nname = \"front\"\na = \"drawer\"\nb = \"wall\"\ndirection = [1, 0, 0]\nrequire = 0.75\n";
    // The lamp hangs 0.8 m above the table, whose edge the shelf does not hang over by 0.1 m.
    for (keys, front, code, rules) in [
        ("require = 0.7", "", 0, vec![]),
        ("require = 0.9", "", 3, vec!["head"]),
        ("require = 0.7\nfootprint = 0.05", "", 0, vec![]),
        ("require = 0.7\nfootprint = \"0.2m\"", "", 3, vec!["head"]),
        ("require = 0.7", front, 3, vec!["front"]),
    ] {
        room(dir, "", &format!("{head}{keys}\n{front}"));
        expect(dir, "run room.toml --out out --force", code);
        let issues = rows(&dir.join("out/issues.parquet"));
        assert_eq!(issues.iter().map(|issue| issue["rule"].as_str()).collect::<Vec<_>>(), rules, "{keys}");
    }
    // From x = 2.5 + 0.1 f the drawer has 3.95 - 2.75 - 0.1 f metres: less than 0.75 from frame 5
    // on, and nothing in its way but the wall.
    let events = rows(&dir.join("out/events.parquet"));
    let [event] = &events[..] else { panic!("one stretch: {events:?}") };
    assert_eq!([&event["begin_frame"], &event["end_frame"], &event["frame_of_least"]], ["5", "10", "10"]);
    assert_eq!([&event["body_a"], &event["body_b"]], ["wall", "drawer"]);
    assert!((number(event, "upper_m") - 0.2).abs() < 1e-9 && number(event, "lower_m") <= 0.2, "{event:?}");
    let checked = expect(dir, "check room.toml", 0);
    let checked = checked.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        checked.contains("front: 0.75 m free along 1 0 0 within 0 m, drawer against wall, major: 1 pair"),
        "{checked}"
    );
    let summary = &manifest(&dir.join("out"))["summary"]["rules"][1];
    assert_eq!((&summary["direction"], &summary["footprint_m"]), (&json!([1.0, 0.0, 0.0]), &json!(0.0)));
}

#[test]
fn what_is_said_between_the_frames_is_told() {
    let dir = tempfile::tempdir().expect("scratch");
    let dir = dir.path();
    let rule = "[[rule]]\nname = \"front\"\na = \"drawer\"\ndirection = [1, 0, 0]\nrequire = 0.75\n";
    room(dir, "require = 0.01", rule);
    expect(dir, "run room.toml --out out --between linear", 3);
    let warnings = manifest(&dir.join("out"))["warnings"].clone();
    let is_told = |warning: &Value| {
        warning["kind"] == "rule"
            && warning["problem"].as_str().is_some_and(|text| text.contains("`front` requires a free length"))
    };
    assert!(warnings.as_array().expect("a list").iter().any(is_told), "{warnings}");
    let intervals = rows(&dir.join("out/intervals"));
    let required = |row: &Row| row["required_m"].clone();
    assert!(intervals.iter().filter(|row| row["rule"] == "front").all(|row| required(row) == "null"));
    assert!(intervals.iter().filter(|row| row["rule"] == "front").count() > 5);
    expect(dir, "run room.toml --out still", 3);
    assert!(!manifest(&dir.join("still"))["warnings"].as_array().expect("a list").iter().any(is_told));
}

#[test]
fn a_baseline_of_free_lengths_compares_free_lengths() {
    let dir = tempfile::tempdir().expect("scratch");
    let dir = dir.path();
    let rule = |worse_by: &str| {
        format!(
            "[[rule]]\nname = \"front\"\na = \"drawer\"\nb = \"wall\"\ndirection = [1, 0, 0]\nrequire = 0.75\nbaseline = \"frame:6\"\nworse_by = {worse_by}\n"
        )
    };
    // In frame 6 it has 0.6 m.
    room(dir, "", &rule("0.15"));
    expect(dir, "run room.toml --out out", 3);
    let distances = rows(&dir.join("out/distances"));
    let front: Vec<&Row> = distances.iter().filter(|row| row["rule"] == "front").collect();
    assert!(front.len() > 5 && front.iter().all(|row| (number(row, "required_m") - 0.45).abs() < 1e-9), "{front:?}");
    let events = rows(&dir.join("out/events.parquet"));
    assert_eq!([&events[0]["begin_frame"], &events[0]["end_frame"]], ["8", "10"]);
    room(dir, "", &rule("0.45"));
    expect(dir, "run room.toml --out little", 0);
}

#[test]
fn tables_are_the_same_for_threads_memory_and_method() {
    let dir = tempfile::tempdir().expect("scratch");
    let dir = dir.path();
    expect(dir, "generate crowd --out c --bodies 40 --frames 6 --runs 2 --density 0.4 --seed 5", 0);
    let rule = "[[rule]]\nname = \"up\"\na = \"*1\"\ndirection = [0.2, 0, 1]\nfootprint = 0.1\nrequire = 0.3\n";
    let text = fs::read_to_string(dir.join("c/scene.toml")).expect("a scene");
    fs::write(dir.join("c/scene.toml"), text + rule).expect("written");
    let run = |out: &str, args: &str| {
        expect(dir, &format!("run c/scene.toml --out {out} --within 0.5 {args}"), 3);
        tables(&dir.join(out))
    };
    let one = run("one", "--threads 1");
    for (at, args) in ["--threads 2", "--memory 1MB --broad sweep", "--threads 3 --broad brute"].iter().enumerate() {
        assert!(run(&format!("again{at}"), args) == one, "{args}");
    }
    let relations: Vec<String> = rows(&dir.join("one/distances"))
        .into_iter()
        .map(|mut row| row.remove("directional_relation").expect("it"))
        .collect();
    for relation in ["touches", "misses", "in-contact", "null"] {
        assert!(relations.iter().filter(|found| *found == relation).count() > 4, "{relation}");
    }
}

#[test]
fn bad_keys_are_refused_with_a_remedy() {
    for (keys, problem) in [
        ("footprint = 0.1\nrequire = 0.1", "a footprint lies across a direction, and the rule has none"),
        ("direction = [0, 0, 1]\nrequire = -0.1", "a free length is never negative"),
        ("direction = [0, 0, 1]\nrequire = 0.1\nfootprint = -0.1", "footprint"),
        ("direction = [0, 0, 0]\nrequire = 0.1", "direction"),
        ("direction = [0, 0]\nrequire = 0.1", "direction"),
        ("direction = [0, 0, 1]\nrequire = 0.3\nfootprint = 0.5", "within"),
    ] {
        let dir = tempfile::tempdir().expect("scratch");
        room(dir.path(), "within = 0.4", &format!("[[rule]]\nname = \"r\"\na = \"table\"\n{keys}\n"));
        let mut command = Command::new(env!("CARGO_BIN_EXE_clearsweep"));
        let done =
            command.current_dir(dir.path()).args(["run", "room.toml", "--out", "out"]).output().expect("it starts");
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(done.status.code() == Some(1) && words.contains(problem), "{keys}: {said}");
        assert!(!dir.path().join("out").exists(), "{keys}");
    }
}
