//! Baselines: a pair that is nearer than required by design counts only where it comes nearer than
//! it was.

use super::rules::{crowd, expect, manifest, number, rows};
use clearsweep_testing::folder::tables;
use clearsweep_testing::glb::{cuboid, glb};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

/// A rule about all pairs of the crowd.
const REQUIRED: f64 = 0.03;

/// Adds a rule with these keys to the crowd without rules, as `c/NAME.toml`.
fn add_rule(dir: &Path, name: &str, keys: &str) {
    let text = fs::read_to_string(dir.join("c/scene.toml")).expect("a scene");
    let rule = format!("[[rule]]\nname = \"all\"\na = \"*\"\nrequire = {REQUIRED:?}\n{keys}\n");
    fs::write(dir.join(format!("c/{name}.toml")), text + &rule).expect("written");
}

type Rows = Vec<BTreeMap<String, String>>;

/// The run and the bodies of a row.
fn key(row: &BTreeMap<String, String>) -> [String; 3] {
    ["run", "body_a", "body_b"].map(|column| row[column].clone())
}

/// The required distance, metres, of each pair of each run that was nearer than required in the
/// frame of a baseline, from the rows of a job without rules.
fn relaxed(
    plain: &Rows,
    worse_by: f64,
    is_baseline: impl Fn(&BTreeMap<String, String>) -> bool,
) -> BTreeMap<[String; 3], f64> {
    let near = plain.iter().filter(|row| is_baseline(row) && number(row, "upper_m") < REQUIRED);
    near.map(|row| (key(row), number(row, "upper_m") - worse_by)).collect()
}

/// Checks `required_m` of all rows of a table, and returns how many of them violate it: those under
/// the rule as it is, and those of pairs of the baseline, in `frame`. There nothing is required of
/// those whose bracket is wider than `worse_by`.
fn check_required(rows: &Rows, relaxed: &BTreeMap<[String; 3], f64>, frame: &str) -> [usize; 2] {
    let mut violated = [0; 2];
    for row in rows {
        let known = relaxed.get(&key(row));
        let is_baseline = row.get("frame").is_some_and(|of_row| of_row == frame);
        if is_baseline && known.is_some_and(|&required| number(row, "lower_m") < required) {
            assert_eq!(row["required_m"], "null", "{row:?}");
            continue;
        }
        let required = *known.unwrap_or(&REQUIRED);
        assert_eq!(number(row, "required_m").to_bits(), required.to_bits(), "{row:?}");
        let upper = row.get("upper_m").or(row.get("min_upper_m")).expect("an upper end");
        violated[usize::from(known.is_some())] += usize::from(upper.parse().is_ok_and(|upper: f64| upper < required));
    }
    violated
}

#[test]
fn pairs_of_a_baseline_count_where_they_come_nearer_than_there() {
    let dir = crowd();
    let dir = dir.path();
    expect(dir, "run c/scene.toml --out plain --between linear", 0);
    let plain = rows(&dir.join("plain/distances"));
    for (name, keys, frame, worse_by) in [
        ("first", "baseline = \"first\"\nworse_by = \"1mm\"", "0", 1e-3),
        ("frame", "baseline = \"frame:40\"\nworse_by = 0.0", "40", 0.0),
        ("touch", "baseline = \"first\"", "0", 1e-6),
    ] {
        add_rule(dir, name, keys);
        expect(dir, &format!("run c/{name}.toml --out {name} --between linear"), 3);
        let (out, relaxed) = (dir.join(name), relaxed(&plain, worse_by, |row| row["frame"] == frame));
        let runs: std::collections::BTreeSet<&String> = relaxed.keys().map(|[run, ..]| run).collect();
        assert!(relaxed.len() > 4 && runs.len() == 2, "{name}: pairs in both runs: {relaxed:?}");
        let distances = rows(&out.join("distances"));
        let violated = check_required(&distances, &relaxed, frame);
        assert!(violated[0] > 20 && violated[1] > 5, "{name}: {violated:?}");
        let of_baseline = distances.iter().filter(|row| row["frame"] == frame && relaxed.contains_key(&key(row)));
        assert!(of_baseline.clone().count() > 4, "{name}");
        let nearer = of_baseline.filter(|row| number(row, "upper_m") < number(row, "required_m"));
        assert_eq!(nearer.count(), 0, "{name}: no pair is nearer than it is");
        check_required(&rows(&out.join("intervals")), &relaxed, "none");
        check_required(&rows(&out.join("pairs.parquet")), &relaxed, "none");
        let summary = &manifest(&out)["summary"];
        let rule = &summary["rules"][0];
        assert_eq!(rule["violated"], violated.iter().sum::<usize>() as u64, "{rule}");
        assert_eq!(rule["nearer_at_baseline"], relaxed.len() as u64);
        assert_eq!(
            (&rule["worse_by_m"], &summary["rules"][1]["baseline"]),
            (&worse_by.into(), &serde_json::Value::Null)
        );
        // Events are stretches of just these rows and intervals.
        let events = rows(&out.join("events.parquet"));
        let samples: f64 = events.iter().map(|event| number(event, "samples")).sum();
        assert_eq!(samples as usize, violated.iter().sum::<usize>(), "{name}");
        check_required(&events, &relaxed, "none");
    }
}

#[test]
fn tables_with_a_baseline_are_the_same_for_threads_memory_and_method() {
    let dir = crowd();
    let dir = dir.path();
    add_rule(dir, "first", "baseline = \"first\"\nworse_by = \"0.1mm\"");
    let run = |out: &str, args: &str| {
        expect(dir, &format!("run c/first.toml --out {out} --between linear {args}"), 3);
        tables(&dir.join(out))
    };
    let one = run("one", "--threads 1");
    for (at, args) in ["--threads 2", "--memory 1MB --broad sweep", "--threads 3 --broad brute"].iter().enumerate() {
        assert!(run(&format!("again{at}"), args) == one, "{args}");
    }
    // One run alone has the baseline that it has among others.
    let of_run = |rows: Rows| -> Rows { rows.into_iter().filter(|row| row["run"] == "1").collect() };
    run("alone", "--runs 1..2");
    let alone = rows(&dir.join("alone/distances"));
    assert!(!alone.is_empty() && alone == of_run(rows(&dir.join("one/distances"))));
    // Frames that are left out are read for the baseline all the same.
    run("late", "--frames 30..60");
    let late =
        |rows: Rows| -> Rows { rows.into_iter().filter(|row| (30.0..60.0).contains(&number(row, "frame"))).collect() };
    assert!(rows(&dir.join("late/distances")) == late(rows(&dir.join("one/distances"))));
}

/// A frame with two doors that are hung in it, touching it at rest, and a cabinet; the doors move.
fn doors(dir: &Path, keys: &str) {
    let meshes = [cuboid("frame", [2.0, 0.1, 0.1], None), cuboid("door", [0.8, 0.05, 1.0], None)];
    let node = |name: &str, mesh: usize, at: [f64; 3]| {
        format!(r#"{{"name": "{name}", "mesh": {mesh}, "translation": {at:?}}}"#)
    };
    let nodes = [
        node("frame", 0, [0.0, 0.0, 0.55]),
        node("left", 1, [-0.5, 0.0, 0.005]),
        node("right", 1, [0.5, 0.0, -0.002]),
        node("cabinet", 1, [0.5, 0.5, 0.0]),
        node("beam", 0, [0.0, 0.0, 0.66]),
    ];
    fs::write(dir.join("doors.glb"), glb(&nodes, &[0, 1, 2, 3, 4], &meshes, &[])).expect("written");
    let scene = format!(
        "[scene]\nlength_unit = \"m\"\ntrajectories = \"t.csv\"\n[query]\nwithin = 0.2\nstatic_pairs = true\n\
         [[bodies]]\ngeometry = \"doors.glb\"\neach = \"node\"\nup = \"z\"\nmodel = \"hull\"\nmoving = [\"left\", \"right\"]\n\
         [[rule]]\nname = \"gap\"\na = \"*\"\nrequire = 0.05\n{keys}\n"
    );
    fs::write(dir.join("doors.toml"), scene).expect("written");
    let mut rows = "frame,body,x,y,z,qw,qx,qy,qz\n".to_owned();
    for frame in 0..20 {
        let (slide, lift) = (0.022 * f64::from(frame), 0.001 * f64::from(frame));
        rows += &format!("{frame},left,-0.5,0,{},1,0,0,0\n", -0.01 + lift);
        rows += &format!("{frame},right,0.5,{slide},-0.002,1,0,0,0\n");
    }
    fs::write(dir.join("t.csv"), rows).expect("written");
}

#[test]
fn a_baseline_at_rest_is_that_of_the_file() {
    let dir = tempfile::tempdir().expect("scratch");
    let dir = dir.path();
    doors(dir, "");
    expect(dir, "run doors.toml --out plain", 3);
    let count = |rows: &Rows, b: &str| rows.iter().filter(|row| row["body_b"] == b && row["body_a"] == "frame").count();
    doors(dir, "baseline = \"rest\"\nworse_by = \"2.5mm\"");
    let checked = expect(dir, "check doors.toml", 0);
    assert!(checked.contains("baseline rest"), "{checked}");
    expect(dir, "run doors.toml --out rest", 3);
    let out = dir.join("rest");
    let distances = rows(&out.join("distances"));
    // The doors rest 5 mm in the frame, and 2 mm below it: the left one comes 8 mm and more into it
    // from frame 18 on, the right one slides along it, as near as it was, and then meets the
    // cabinet, which it was far from.
    assert!(count(&distances, "left") == 20 && count(&distances, "right") > 5);
    for row in &distances {
        let pair = [row["body_a"].as_str(), row["body_b"].as_str()];
        let required = number(row, "required_m");
        match pair {
            ["frame", "left"] => assert!((required + 0.005 + 0.0025).abs() < 1e-8, "{row:?}"),
            ["frame", "right"] => assert!((required - 0.002 + 0.0025).abs() < 1e-8, "{row:?}"),
            ["frame", "beam"] => assert_eq!(row["required_m"], "null", "neither moves: {row:?}"),
            _ => assert_eq!(required, 0.05, "{row:?}"),
        }
    }
    let events = rows(&out.join("events.parquet"));
    let found: Vec<_> = events
        .iter()
        .map(|row| (row["body_a"].as_str(), row["body_b"].as_str(), row["begin_frame"].as_str()))
        .collect();
    assert_eq!(found, [("frame", "left", "18"), ("right", "cabinet", "19")], "{events:#?}");
    assert_eq!(manifest(&out)["summary"]["rules"][0]["nearer_at_baseline"], 3);
}

/// A lid on a hinge with play of 5 mm, which a turn lets into its frame; a bolt that stands 20 mm
/// off.
#[test]
fn bodies_on_joints_are_at_rest_where_the_joints_are_at_0() {
    let dir = tempfile::tempdir().expect("scratch");
    let dir = dir.path();
    let scene = |keys: &str| {
        let text = format!(
            "[scene]\nlength_unit = \"mm\"\n[query]\nwithin = 200\n[[rule]]\nname = \"gap\"\na = \"*\"\nrequire = 10\n{keys}\n\
             [[body]]\nname = \"frame\"\nstatic = true\nshape = {{ box = [200, 200, 10] }}\n\
             [[body]]\nname = \"lid\"\nshape = {{ box = [200, 200, 10] }}\nposition = [0, 0, 15]\n\
             [[joint]]\nname = \"hinge\"\ntype = \"revolute\"\nchild = \"lid\"\norigin = [0, 0, 15]\naxis = [0, 1, 0]\n\
             range = [\"-1deg\", \"1deg\"]\n[[sweep]]\nsteps = 4\n"
        );
        fs::write(dir.join("lid.toml"), text).expect("written");
    };
    let violated = |out: &str| {
        let rows = rows(&dir.join(out).join("distances"));
        let is_violated = |row: &&BTreeMap<String, String>| number(row, "upper_m") < number(row, "required_m");
        let frames = rows.iter().filter(is_violated).map(|row| row["frame"].clone());
        (rows.len(), frames.collect::<Vec<_>>())
    };
    scene("");
    expect(dir, "run lid.toml --out plain", 3);
    assert_eq!(violated("plain").1.len(), 5, "5 mm are less than 10");
    // A degree brings the edges 100 * sin(1 degree) = 1.75 mm nearer, half of it 0.87 mm.
    scene("baseline = \"rest\"\nworse_by = 1");
    assert!(expect(dir, "check lid.toml", 0).contains("baseline rest"));
    expect(dir, "run lid.toml --out rest", 3);
    assert_eq!(violated("rest"), (5, vec!["0".to_owned(), "4".to_owned()]));
}

#[test]
fn nothing_is_required_of_a_pair_that_stands_where_it_did() {
    let dir = tempfile::tempdir().expect("scratch");
    let dir = dir.path();
    let scene = "[scene]\nlength_unit = \"m\"\ntrajectories = \"t.csv\"\n[query]\nwithin = 0.2\n\
        [[body]]\nname = \"peg\"\nstatic = true\nshape = { cylinder = [0.1, 1.0, 24] }\n\
        [[body]]\nname = \"arm\"\nshape = { box = [0.3, 0.2, 0.2] }\n\
        [[rule]]\nname = \"all\"\na = \"*\"\nrequire = 0.05\nbaseline = \"first\"\nworse_by = 0.0\n";
    fs::write(dir.join("scene.toml"), scene).expect("written");
    // Into the peg; at rest until frame 4, away until frame 7, back from frame 8 on, in frame 12
    // deeper.
    let x = |frame: i32| match frame {
        5..8 => 0.3,
        12 => 0.2,
        _ => 0.21,
    };
    let mut poses = "frame,body,x,y,z,qw,qx,qy,qz\n".to_owned();
    (0..13)
        .for_each(|frame| poses += &format!("{frame},arm,{},0.013,0.1,0.98,0.0,0.0,0.19899748742132398\n", x(frame)));
    fs::write(dir.join("t.csv"), poses).expect("written");
    expect(dir, "run scene.toml --out out --between linear", 3);
    let out = dir.join("out");
    let free = |rows: &Rows| -> Vec<i32> {
        let free = rows.iter().filter(|row| row["required_m"] == "null");
        free.map(|row| row["frame"].parse().expect("a number")).collect()
    };
    let distances = rows(&out.join("distances"));
    assert!(distances.len() == 13 && number(&distances[0], "lower_m") < number(&distances[0], "upper_m"));
    assert!(number(&distances[0], "upper_m") < 0.0 && number(&distances[6], "lower_m") > 0.0);
    assert_eq!(free(&distances), [0, 1, 2, 3, 4, 8, 9, 10, 11]);
    assert_eq!(free(&rows(&out.join("intervals"))), [0, 1, 2, 3, 8, 9, 10]);
    let events = rows(&out.join("events.parquet"));
    assert_eq!(events.iter().map(|event| event["end_frame"].as_str()).collect::<Vec<_>>(), ["12"], "{events:#?}");
    assert_eq!(manifest(&out)["summary"]["rules"][0]["undecided"], 0);
    assert!(number(&rows(&out.join("pairs.parquet"))[0], "required_m") < 0.0);
    // Other blocks, and no intervals: the same rows.
    expect(dir, "run scene.toml --out late --frames 3..13", 3);
    let late = rows(&dir.join("late/distances"));
    assert!(late == distances[3..], "{late:#?}");
}

#[test]
fn baselines_that_cannot_be_found_are_refused() {
    let dir = crowd();
    let dir = dir.path();
    let told = |name: &str, args: &str, code: i32| {
        let done = Command::new(env!("CARGO_BIN_EXE_clearsweep"))
            .current_dir(dir)
            .args(args.split_whitespace())
            .output()
            .expect("it starts");
        let text = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(done.status.code(), Some(code), "{name}: {text}");
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    for (name, keys, words) in [
        ("word", "baseline = \"last\"", "`last` is no baseline"),
        ("number", "baseline = \"frame:x\"", "`frame:x` is no baseline"),
        ("alone", "worse_by = 0.1", "the rule has none"),
        ("none", "baseline = \"none\"\nworse_by = 0.1", "the rule has none"),
        ("negative", "baseline = \"first\"\nworse_by = -0.1", "worse_by"),
        ("rest", "baseline = \"rest\"", "the body `body-00000` moves, and no file says where it is at rest"),
    ] {
        add_rule(dir, name, keys);
        let text = told(name, &format!("run c/{name}.toml --out {name}"), 1);
        assert!(text.contains(words), "{name}: {text}");
        let checked = told(name, &format!("check c/{name}.toml"), 1);
        assert!(checked.contains(words) && !dir.join(name).exists(), "{name}: {checked}");
    }
    add_rule(dir, "late", "baseline = \"frame:500\"");
    let text = told("late", "run c/late.toml --out late", 2);
    assert!(text.contains("[[rule]] `all`") && text.contains("500") && text.contains("frames 0 to 69"), "{text}");
    assert!(!dir.join("late").exists(), "nothing is written before");
    add_rule(dir, "first", "baseline = \"first\"");
    let piped = Command::new("sh")
        .current_dir(dir)
        .args([
            "-c",
            &format!(
                "cat c/trajectories.parquet | {} run c/first.toml --trajectories - --out piped",
                env!("CARGO_BIN_EXE_clearsweep")
            ),
        ])
        .output()
        .expect("it starts");
    let text = String::from_utf8_lossy(&piped.stderr).into_owned();
    assert!(piped.status.code() == Some(1) && text.contains("twice"), "{text}");
}

#[test]
fn runs_without_the_frame_of_a_baseline_are_told() {
    let dir = tempfile::tempdir().expect("scratch");
    let dir = dir.path();
    doors(dir, "baseline = \"frame:12\"");
    let text = fs::read_to_string(dir.join("t.csv")).expect("rows");
    let mut rows_of_runs = "run,frame,body,x,y,z,qw,qx,qy,qz\n".to_owned();
    for run in 0..3 {
        for line in text.lines().skip(1) {
            let frame: i64 = line.split(',').next().and_then(|frame| frame.parse().ok()).expect("a frame");
            if run != 1 || frame < 12 {
                rows_of_runs += &format!("{run},{line}\n");
            }
        }
    }
    fs::write(dir.join("t.csv"), rows_of_runs).expect("written");
    expect(dir, "run doors.toml --out out", 3);
    let manifest = manifest(&dir.join("out"));
    let warnings = manifest["warnings"].as_array().expect("warnings").clone();
    let told = warnings.iter().find(|warning| warning["kind"] == "baseline").expect("a warning");
    assert!(told["problem"].as_str().is_some_and(|text| text.starts_with("1 of 3 runs")), "{told}");
    let required = |run: &str| {
        let all = rows(&dir.join("out/pairs.parquet"));
        all.iter().find(|row| row["run"] == run && row["body_b"] == "left").map(|row| number(row, "required_m"))
    };
    assert_eq!(required("1"), Some(0.05));
    assert!(required("0").is_some_and(|required| required < 0.0) && required("0") == required("2"));
}
