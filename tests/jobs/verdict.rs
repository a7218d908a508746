//! Report of a run on its requirement: verdict, exit code, manifest and text alike; what counts as
//! touching; and the numbers of a summary.

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use clearsweep_testing::trajectories::{Row, Shaping, write};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// Runs the program, checks its exit code, and returns stdout and stderr.
fn expect(dir: &Path, args: &str, code: i32) -> (String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_clearsweep"));
    command.env_remove("COLUMNS").current_dir(dir).args(args.split_whitespace());
    let done = command.output().expect("the program starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&done.stdout), text(&done.stderr));
    assert_eq!(done.status.code(), Some(code), "clearsweep {args}\nstdout: {out}\nstderr: {err}");
    (out, err)
}

fn json(dir: &Path, args: &str, code: i32) -> Value {
    let (out, _) = expect(dir, args, code);
    serde_json::from_str(&out).unwrap_or_else(|error| panic!("clearsweep {args}: {error}\n{out}"))
}

/// A body of a scene: a sphere of radius 1 m.
fn sphere(name: &str, keys: &str) -> String {
    format!("[[body]]\nname = \"{name}\"\nshape = {{ sphere = 1 }}\n{keys}\n")
}

/// A pose at rest on the x axis.
fn at(x: f64) -> [f64; 7] {
    [x, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
}

/// A scene in metres with these keys of `[scene]` and `[query]`, and the rest of its text; `rows`
/// are the poses by run, frame and body. Without rows the trajectories are an empty table, or none
/// where nothing moves.
fn scene(keys: [&str; 2], rest: &str, rows: &[(i64, i64, &str, [f64; 7])]) -> TempDir {
    let dir = tempfile::tempdir().expect("scratch");
    let moves = rest.matches("[[body]]").count() > rest.matches("static = true").count();
    let trajectories = if moves { "trajectories = \"t.parquet\"\n" } else { "" };
    let [head, query] = keys;
    let text = format!("[scene]\nlength_unit = \"m\"\n{trajectories}{head}\n[query]\n{query}\n{rest}");
    fs::write(dir.path().join("scene.toml"), text).expect("written");
    if moves {
        let row = |&(run, frame, body, pose): &(i64, i64, &str, [f64; 7])| Row {
            run,
            frame,
            time: frame as f64 * 0.25,
            body: body.to_owned(),
            pose,
        };
        write(&dir.path().join("t.parquet"), &rows.iter().map(row).collect::<Vec<_>>(), &Shaping::default());
    }
    dir
}

#[test]
fn nothing_looked_at_is_not_clear() {
    let required = "within = 1\nrequire = 0.5";
    let two = sphere("a", "") + &sphere("b", "");
    let poses = [(0, 0, "a", at(0.0)), (0, 0, "b", at(9.0))];
    let apart = [(0, 0, "a", at(0.0)), (0, 1, "b", at(9.0))];
    let ignore = "[[ignore]]\na = \"*\"\n";
    let cases: [(&str, &str, String, &[_]); 6] = [
        ("no-frame", "", two.clone(), &[]),
        ("no-pair", "", sphere("a", ""), &poses[..1]),
        ("no-pair", "", sphere("a", "static = true"), &[]),
        ("all-ignored", "", two.clone() + ignore, &poses),
        ("never-together", "missing = \"absent\"", two.clone(), &apart),
        ("all-ignored", "", sphere("a", "static = true") + &sphere("b", "static = true") + ignore, &[]),
    ];
    for (reason, head, rest, rows) in cases {
        let dir = scene([head, required], &rest, rows);
        let dir = dir.path();
        let summary = json(dir, "run scene.toml --out j --json", 2);
        assert_eq!((&summary["verdict"], &summary["nothing_checked"]), (&"nothing-checked".into(), &reason.into()));
        let manifest: Value =
            serde_json::from_slice(&fs::read(dir.join("j/manifest.json")).expect("read")).expect("JSON");
        assert_eq!(manifest["summary"], summary);
        let (text, _) = expect(dir, "run scene.toml --out o", 2);
        assert!(text.contains("NOTHING CHECKED") && !text.contains("no pair violates"), "{reason}: {text}");
        assert!(expect(dir, "summary o", 0).0.starts_with(&text), "{reason}");
        let warned = json(dir, "check scene.toml --json", 0);
        let kinds: Vec<_> = warned["warnings"].as_array().expect("a list").iter().map(|w| &w["kind"]).collect();
        assert!(kinds.contains(&&"unchecked".into()), "{reason}: {warned}");

        let allowed = json(dir, "run scene.toml --out a --json --allow-empty", 0);
        assert_eq!((&allowed["verdict"], &allowed["nothing_checked"]), (&"clear".into(), &reason.into()));
        let (text, _) = expect(dir, "run scene.toml --out o --force --allow-empty", 0);
        assert!(text.contains("--allow-empty") && !text.contains("NOTHING CHECKED"), "{reason}: {text}");
    }
}

#[test]
fn a_requirement_that_was_looked_at_is_clear() {
    let two = sphere("a", "") + &sphere("b", "");
    let poses = [(0, 0, "a", at(0.0)), (0, 0, "b", at(9.0))];
    let dir = scene(["", "within = 1\nrequire = 0.5"], &two, &poses);
    let summary = json(dir.path(), "run scene.toml --out o --json", 0);
    assert_eq!((&summary["verdict"], &summary["nothing_checked"]), (&"clear".into(), &Value::Null));
    assert_eq!(json(dir.path(), "check scene.toml --json", 0)["warnings"][0]["kind"], "far");
    // Without a requirement there is none to be kept.
    let dir = scene(["", "within = 1"], &sphere("a", ""), &poses[..1]);
    let summary = json(dir.path(), "run scene.toml --out o --json", 0);
    assert_eq!(summary["verdict"], "nothing required");
    assert_eq!(summary["nothing_checked"], "no-pair");
}

/// A Parquet file as one batch.
fn read(path: &Path) -> RecordBatch {
    let builder = ParquetRecordBatchReaderBuilder::try_new(fs::File::open(path).expect("a file")).expect("Parquet");
    let schema = builder.schema().clone();
    let batches: Vec<RecordBatch> = builder.build().expect("a reader").map(|batch| batch.expect("a batch")).collect();
    arrow_select::concat::concat_batches(&schema, &batches).expect("one batch")
}

#[test]
fn bodies_that_rest_on_each_other_touch() {
    let two = sphere("a", "") + &sphere("b", "");
    // Rounding, a nanometre apart, a nanometre deep, and two micrometres deep.
    let gaps = [-2.8e-16, 1e-9, -1e-9, -2e-6];
    let poses: Vec<_> =
        (0..).zip(gaps).flat_map(|(frame, gap)| [(0, frame, "a", at(0.0)), (0, frame, "b", at(2.0 + gap))]).collect();
    let statuses = |query: &str| {
        let dir = scene(["", query], &two, &poses);
        let summary = json(dir.path(), "run scene.toml --out o --json", 0);
        let rows = read(&dir.path().join("o/penetrations/part-00000.parquet")).num_rows();
        assert_eq!(summary["penetrations"], rows);
        let by_status = &summary["rows_by_status"];
        ["separated", "touching", "penetrating"].map(|status| by_status[status].as_u64().expect("a count"))
    };
    assert_eq!(statuses("within = 1"), [0, 3, 1], "a micrometre is the default");
    assert_eq!(statuses("within = 1\ntouch = 1e-5"), [0, 4, 0]);
    let [separated, touching, penetrating] = statuses("within = 1\ntouch = 0");
    assert!(separated == 1 && penetrating >= 2 && touching + penetrating == 3, "touch = 0 is still there");
    // In another unit the default stays a micrometre.
    let text = "[scene]\nlength_unit = \"mm\"\n[query]\nwithin = 1000\n".to_owned()
        + &sphere("a", "static = true")
        + &sphere("b", "static = true\nposition = [1.9995, 0, 0]")
        + &sphere("c", "static = true\nposition = [-1.995, 0, 0]");
    let dir = tempfile::tempdir().expect("scratch");
    fs::write(dir.path().join("scene.toml"), text).expect("written");
    let by_status = json(dir.path(), "run scene.toml --out o --json", 0)["rows_by_status"].clone();
    assert_eq!((&by_status["touching"], &by_status["penetrating"]), (&1.into(), &1.into()));
    let query = "query sphere:1 sphere:1 --json --pose";
    assert_eq!(json(dir.path(), &format!("{query} 1.9999999,0,0,1,0,0,0"), 0)["status"], "touching");
    assert_eq!(json(dir.path(), &format!("{query} 1.99999,0,0,1,0,0,0"), 0)["status"], "penetrating");
}

#[test]
fn pairs_that_always_touch_are_named_with_the_rule_that_fits() {
    let bodies = sphere("gripper", "") + &sphere("pay \\\"load\\\"", "") + &sphere("visitor", "");
    let bodies = bodies + &sphere("floor", "static = true\nposition = [0, 0, -50]");
    let poses: Vec<_> = (0..150)
        .flat_map(|frame| {
            let x = 0.1 * frame as f64;
            // The visitor is there for a third of the time; the payload is let go of in one frame.
            let visitor = if frame < 50 { x - 1.5 } else { x - 9.0 };
            let payload = if frame == 7 { 4.0 } else { 1.9 };
            [("gripper", x), ("pay \"load\"", x + payload), ("visitor", visitor)]
                .map(|(body, x)| (0, frame, body, at(x)))
        })
        .collect();
    let dir = scene(["", "within = 1"], &bodies, &poses);
    let found = json(dir.path(), "check scene.toml --json", 0);
    let contacts = found["lasting_contacts"].as_array().expect("a list");
    assert_eq!(contacts.len(), 1, "{found}");
    assert_eq!((&contacts[0]["body_a"], &contacts[0]["body_b"]), (&"gripper".into(), &"pay \"load\"".into()));
    let (frames, of) = (contacts[0]["frames"].as_u64(), contacts[0]["of"].as_u64());
    assert!(of >= Some(16) && of <= Some(32) && frames >= of.map(|of| of - 1), "{found}");
    let (text, _) = expect(dir.path(), "check scene.toml", 0);
    let rule = "[[ignore]]\na = \"gripper\"\n";
    assert!(text.contains("touch or overlap in nearly all frames") && text.contains(rule), "{text}");

    // The rules, put into the scene as they are, cover these pairs.
    let path = dir.path().join("scene.toml");
    let rules = found["ignore_rules"].as_str().expect("rules");
    assert!(rules.contains(rule), "{rules}");
    fs::write(&path, fs::read_to_string(&path).expect("read") + "\n" + rules).expect("written");
    let found = json(dir.path(), "check scene.toml --json", 0);
    assert_eq!((&found["lasting_contacts"], &found["pairs_ignored"]), (&Value::Array(vec![]), &1.into()), "{found}");

    // One frame says nothing about all.
    let dir = scene(["", "within = 1"], &bodies, &poses[..3]);
    assert_eq!(json(dir.path(), "check scene.toml --json", 0)["lasting_contacts"], Value::Array(vec![]));
}

/// Three runs of ten frames in millimetres: `a` comes near `b` in runs 0 and 2, near `c` in run 2.
fn three_runs(query: &str) -> TempDir {
    let mut poses = Vec::new();
    for run in 0..3 {
        for frame in 0..10 {
            let near = match (run, frame) {
                (0, 4) => 2010.0,
                (2, 2 | 3 | 7) => 2001.0 + frame as f64,
                _ => 2060.0,
            };
            let c = if (run, frame) == (2, 5) { -2000.5 } else { -2050.0 };
            poses.extend([("a", 0.0), ("b", near), ("c", c)].map(|(body, x)| (run, frame, body, at(x))));
        }
    }
    let ball = |name: &str| format!("[[body]]\nname = \"{name}\"\nshape = {{ sphere = 1000 }}\n");
    let dir = scene(["", query], &["a", "b", "c"].map(ball).concat(), &poses);
    let path = dir.path().join("scene.toml");
    let text = fs::read_to_string(&path).expect("read").replace("unit = \"m\"", "unit = \"mm\"");
    fs::write(&path, text + "[[ignore]]\na = \"b\"\nb = \"c\"\n").expect("written");
    dir
}

#[test]
fn a_pair_has_one_bracket_in_all_texts() {
    let dir = three_runs("within = 100");
    let dir = dir.path();
    expect(dir, "run scene.toml --out old --require 0.1mm", 0);
    expect(dir, "run scene.toml --out new --require 20mm", 3);
    let (diff, _) = expect(dir, "diff old new", 0);
    assert!(diff.contains("a and c (default): kept before, 0.5 mm now"), "{diff}");
    let (text, _) = expect(dir, "summary new", 0);
    for line in ["a  c  0.499 mm   0.501 mm    2      5", "  2      10    20              4  0.499 mm   0.501 mm"] {
        let found = text.lines().any(|known| {
            known
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
                .starts_with(&line.split_whitespace().collect::<Vec<_>>().join(" "))
        });
        assert!(found, "{line}:\n{text}");
    }
    let summary = json(dir, "summary new --json", 0);
    let pair = &summary["violating_pairs"][0];
    let compared = &json(dir, "diff old new --json", 0)["pairs"][0]["new"];
    let least = &summary["worst_runs"][0]["least"];
    for end in ["lower_m", "upper_m"] {
        let of = &pair[end];
        assert!(of.is_f64(), "{pair}");
        for (place, other) in
            [("diff", compared), ("worst", &summary["worst"]), ("pairs", &summary["worst_pairs"][0]), ("runs", least)]
        {
            assert_eq!(&other[end], of, "{end} of {place}");
        }
    }
}

#[test]
fn worst_and_next_show_what_violates_and_not_what_rules_allow() {
    let body = |name: &str, x: f64| sphere(name, &format!("static = true\nposition = [{x:?}, 0, 0]"));
    let bodies = body("a", 0.0) + &body("b", 1.9) + &body("c", 9.0) + &body("d", 11.01);
    let rule = "[[rule]]\nname = \"welded\"\na = \"a\"\nb = \"b\"\nrequire = -0.2\n";
    let dir = scene(["", "within = 0.5\nrequire = 0.02"], &(bodies.clone() + rule), &[]);
    let text = fs::read_to_string(dir.path().join("scene.toml")).expect("written").replace(rule, "");
    fs::write(dir.path().join("welded.toml"), text).expect("written");
    let (text, _) = expect(dir.path(), "run scene.toml --out o", 3);
    assert!(text.contains("worst     0.01 m apart: c and d\n"), "{text}");
    assert!(text.contains("\"SELECT rule, body_a, body_b, floor(1e6 * lower_m) / 1e6 AS at_least_m, "), "{text}");
    assert!(text.contains("/events.parquet' ORDER BY") || text.contains("o/events.parquet"), "{text}");
    let (text, _) = expect(dir.path(), "run scene.toml --out p --require 0.001", 0);
    assert!(text.contains("worst     no violation; nearest: 0.1 m deep: a and b\n"), "{text}");
    assert!(text.contains("p/pairs.parquet"), "{text}");
    // An overlap may be allowed of all pairs.
    let (text, _) = expect(dir.path(), "run welded.toml --out r --require -0.2", 0);
    assert!(text.contains("required  0.2 m of overlap allowed: no pair violates it"), "{text}");
    let (text, _) = expect(dir.path(), "run welded.toml --out s --require -50mm", 3);
    assert!(text.contains("50 mm of overlap allowed: VIOLATED by 1 pair"), "{text}");
    // What is accepted is not worst either.
    expect(dir.path(), "accept o --to a.csv --reason r --pair c d", 0);
    let (text, _) = expect(dir.path(), "run scene.toml --out q --accepted a.csv", 0);
    assert!(text.contains("all violations are accepted") && text.contains("q/pairs.parquet"), "{text}");
}

#[test]
fn an_undecided_row_is_named_with_a_way_to_decide_it() {
    let cube = |name: &str, x: f64| {
        format!("[[body]]\nname = \"{name}\"\nshape = {{ box = [1, 1, 1] }}\nstatic = true\nposition = [{x:?}, 0, 0]\n")
    };
    let dir = scene(["", "within = 0.5\nrequire = 0.25"], &(cube("a", 0.0) + &cube("b", 1.25)), &[]);
    let dir = dir.path();
    let (text, _) = expect(dir, "run scene.toml --out o", 0);
    for part in [
        "no pair violates it; 1 row undecided",
        "undecided  1 row: a and b: 0.249999 to 0.250001 m, required 0.25 m",
        "to decide it: --require 0.249999m, which it keeps; it is at the limit, to within rounding",
    ] {
        assert!(text.contains(part), "`{part}` is missing in:\n{text}");
    }
    let named = &json(dir, "summary o --json", 0)["undecided_row"];
    assert_eq!((&named["body_a"], &named["body_b"], &named["required_m"]), (&"a".into(), &"b".into(), &0.25.into()));
    let (text, _) = expect(dir, "run scene.toml --out p --require 0.249999m", 0);
    assert!(!text.contains("undecided"), "the proposal decides it: {text}");
    // For a rule, the proposal names its key.
    let path = dir.join("scene.toml");
    let rule = "[[rule]]\nname = \"near\"\na = \"a\"\nb = \"b\"\nrequire = 0.25\n";
    fs::write(&path, fs::read_to_string(&path).expect("read").replace("require = 0.25\n", "") + rule).expect("written");
    let (text, _) = expect(dir, "run scene.toml --out r", 0);
    assert!(text.contains("near requires 0.25 m") && text.contains("require = '0.249999m' of rule near"), "{text}");
    // An overlap that is not measured: the depth decides.
    let rule = "[[rule]]\nname = \"pressed\"\na = \"a\"\nb = \"b\"\nrequire = -0.2\n";
    let tilted = cube("b", 0.75).replace(
        "position",
        "orientation = { qw = 0.9238795325112867, qx = 0, qy = 0, qz = 0.3826834323650898 }\nposition",
    );
    let query = "[scene]\nlength_unit = \"m\"\n[query]\nwithin = 0.5\nanswer = \"distance\"\n";
    fs::write(&path, query.to_owned() + &cube("a", 0.0) + &tilted + rule).expect("written");
    let (text, _) = expect(dir, "run scene.toml --out d", 0);
    assert!(text.contains("undecided") && text.contains("to decide it: --answer depth"), "{text}");
    let (text, _) = expect(dir, "run scene.toml --out e --answer depth", 3);
    assert!(!text.contains("undecided"), "{text}");
}

#[test]
fn violating_pairs_come_with_their_times_and_runs_with_their_interval() {
    let dir = three_runs("within = 100\nrequire = 20");
    let (text, _) = expect(dir.path(), "run scene.toml --out o", 3);
    for part in [
        "3 possible in a run, 1 of them ignored",
        "20 mm: VIOLATED by 2 pairs",
        "20 mm: VIOLATED by 2 pairs, nearest first",
        "0.5 mm: a and c, in 1 run; in run 2 at 1.25 s",
        "3 mm: a and b, in 2 runs; in run 2 0.5 s to 1.75 s, in 2 spans",
        "worst     0.5 mm apart: a and c, run 2, frame 5",
        "violated in 2 of 3 runs (66.7 %, 95 % interval 20.8 to 93.9)",
        "60: 60 separated; 5 violated",
        "SELECT run, body_a, body_b, floor(1e6 * lower_m) / 1e3 AS at_least_mm, ceil(1e6 * upper_m) / 1e3 AS at_most_mm FROM",
        "o/events.parquet' ORDER BY upper_m LIMIT 10",
    ] {
        assert!(text.contains(part), "`{part}` is missing in:\n{text}");
    }
    assert!(text.find("VIOLATED") < text.find("runs  ") && text.find("runs  ") < text.find("60 separated"), "{text}");
    let summary = json(dir.path(), "run scene.toml --out j --json", 3);
    assert_eq!((&summary["pairs_violated"], &summary["runs_violated"]), (&2.into(), &2.into()));
    let pair = &summary["violating_pairs"][1];
    assert_eq!((&pair["rows"], &pair["runs"], &pair["spans"]), (&4.into(), &2.into(), &2.into()), "{pair}");
    assert_eq!((&pair["from_frame"], &pair["to_frame"], &pair["frame"]), (&2.into(), &7.into(), &2.into()));
    let checked = json(dir.path(), "check scene.toml --json", 0);
    for key in ["pairs_possible", "pairs_ignored"] {
        assert_eq!(summary[key], checked[key], "{key}");
    }
    let (text, _) = expect(dir.path(), "check scene.toml", 0);
    assert!(
        text.contains("3 possible, 1 of them ignored") && text.contains("rows within 100 mm, 20 mm required"),
        "{text}"
    );
}

#[test]
fn the_mean_of_violates_is_the_probability() {
    let violates = |query: &str, code: i32| {
        let dir = three_runs(query);
        expect(dir.path(), "run scene.toml --out o", code);
        let runs = read(&dir.path().join("o/runs.parquet"));
        let names: Vec<String> = runs.schema().fields().iter().map(|field| field.name().clone()).collect();
        let at = names.iter().position(|name| name == "violates").expect("a column");
        assert_eq!(names[at - 1], "violated");
        runs.column(at).as_boolean().iter().collect::<Vec<Option<bool>>>()
    };
    assert_eq!(violates("within = 100\nrequire = 20", 3), [Some(true), Some(false), Some(true)]);
    assert_eq!(violates("within = 100\nrequire = 0.1", 0), [Some(false); 3]);
    assert_eq!(violates("within = 100", 0), [None; 3], "where nothing is required, nothing is kept or violated");
}

/// An OBJ file of the box between two corners.
fn write_box(path: &Path, low: [f64; 3], high: [f64; 3]) {
    let corner = |i: usize| [0, 1, 2].map(|k: usize| if i >> k & 1 == 0 { low[k] } else { high[k] });
    let corners: String = (0..8).map(corner).map(|[x, y, z]| format!("v {x:?} {y:?} {z:?}\n")).collect();
    let faces = "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
    fs::write(path, corners + faces).expect("written");
}

/// The rows by status of two moving bodies with these keys, always at one pose, under `require =
/// 0`.
fn at_one_pose(keys: [&str; 2], code: i32) -> [u64; 3] {
    let turned = [0.8, 0.36, 0.0, 0.48];
    let poses = [(0.0, [1.0, 0.0, 0.0, 0.0]), (0.3, turned), (-7.1e3, turned)];
    let names = ["a", "b"];
    let row = |(frame, (x, [w, i, j, k])): (i64, (f64, [f64; 4]))| {
        names.map(|name| (0, frame, name, [x, 0.7, 1e3, w, i, j, k]))
    };
    let rows: Vec<_> = (0..).zip(poses).flat_map(row).collect();
    let bodies: String =
        names.iter().zip(keys).map(|(name, keys)| format!("[[body]]\nname = \"{name}\"\n{keys}\n")).collect();
    let dir = scene(["", "within = 1\nrequire = 0\ntouch = 0"], &bodies, &rows);
    write_box(&dir.path().join("a.obj"), [5e5, -0.5, 1.3], [5e5 + 0.7, 0.1, 2.3]);
    write_box(&dir.path().join("b.obj"), [5e5, 0.1, 1.3], [5e5 + 0.9, 0.9, 2.1]);
    let summary = json(dir.path(), "run scene.toml --out o --json", code);
    let by_status = &summary["rows_by_status"];
    ["separated", "touching", "penetrating"].map(|status| by_status[status].as_u64().expect("a count"))
}

#[test]
fn far_bodies_that_touch_bit_for_bit_keep_a_requirement_of_zero() {
    // A common face at y = 0.1, which is no multiple of any grid.
    assert_eq!(at_one_pose(["geometry = \"a.obj\"", "geometry = \"b.obj\""], 0), [0, 3, 0]);
    // A common corner.
    let upward =
        "shape = { points = [[9480, -0.2, 0], [9480.8, -1.2, -0.5], [9480.4, -1.0, 0.7], [9479.9, -0.7, -0.8]] }";
    let downward = |y: f64| {
        format!("shape = {{ points = [[9480, {y:?}, 0], [9479.6, 0.5, 0.1], [9480, 0.6, -0.5], [9479.3, 0.6, 0.2]] }}")
    };
    assert_eq!(at_one_pose([upward, &downward(-0.2)], 0), [0, 3, 0]);
    // The last place of a coordinate is told from zero.
    assert_eq!(at_one_pose([upward, &downward((-0.2_f64).next_down())], 3), [0, 0, 3]);
    assert_eq!(at_one_pose([upward, &downward((-0.2_f64).next_up())], 0), [3, 0, 0]);
}

#[test]
fn lines_fit_the_terminal() {
    let dir = three_runs("within = 100\nrequire = 20");
    for args in ["run scene.toml --out o", "check scene.toml"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_clearsweep"));
        command.current_dir(dir.path()).args(args.split_whitespace()).env("COLUMNS", "60");
        let done = command.output().expect("the program starts");
        let text = String::from_utf8_lossy(&done.stdout).into_owned();
        assert!(text.lines().all(|line| line.chars().count() <= 60), "{text}");
        let (whole, _) = expect(
            dir.path(),
            &(args.to_owned() + if args.starts_with("run") { " --force" } else { "" }),
            if args.starts_with("run") { 3 } else { 0 },
        );
        // The time that a run took differs from run to run.
        let words = |text: &str| {
            let lines: Vec<&str> = text.lines().collect();
            let text = lines.join(" ");
            let text = text.split("time  ").next().unwrap_or_default().to_owned();
            text.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(words(&text), words(&whole), "the same words");
        assert!(whole.lines().any(|line| line.chars().count() > 60), "{whole}");
    }
    // So are errors, which name a file and a remedy.
    let scene = fs::read_to_string(dir.path().join("scene.toml")).expect("a scene");
    fs::write(dir.path().join("scene.toml"), scene.replace("within", "wthin")).expect("written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_clearsweep"));
    let done = command.current_dir(dir.path()).args(["check", "scene.toml"]).env("COLUMNS", "40").output();
    let text = String::from_utf8_lossy(&done.expect("the program starts").stderr).into_owned();
    assert!(text.lines().count() > 2 && text.lines().all(|line| line.chars().count() <= 40), "{text}");
    let whole = expect(dir.path(), "check scene.toml", 1).1;
    assert_eq!(text.split_whitespace().collect::<Vec<_>>(), whole.split_whitespace().collect::<Vec<_>>());
}

#[test]
fn what_is_to_be_copied_is_not_broken() {
    let names = ["a spool of the second level in hall two", "its support on the second level in hall two"];
    let bodies = names.map(|name| sphere(name, "")).concat();
    let poses: Vec<_> =
        (0..9).flat_map(|frame| [(0, frame, names[0], at(0.0)), (0, frame, names[1], at(1.5))]).collect();
    let dir = scene(["", "within = 1"], &bodies, &poses);
    let text = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_clearsweep"));
        let done =
            command.current_dir(dir.path()).args(args).env("COLUMNS", "40").output().expect("the program starts");
        assert_eq!(done.status.code(), Some(0), "{done:?}");
        String::from_utf8_lossy(&done.stdout).into_owned()
    };
    let checked = text(&["check", "scene.toml"]);
    let rules = &checked[checked.find("[[ignore]]").expect("a rule")..checked.find("largest step").expect("an end")];
    let rules: toml::Table = toml::from_str(rules).unwrap_or_else(|error| panic!("{error}\n{checked}"));
    assert_eq!(rules["ignore"][0]["a"].as_str(), Some(names[0]));
    let ran = text(&["run", "scene.toml", "--out", "an output whose name has blanks"]);
    assert!(ran.contains("'an output whose name has blanks/pairs.parquet'"), "{ran}");
}

#[test]
fn commands_of_commands_have_pages() {
    let dir = tempfile::tempdir().expect("scratch");
    let (page, _) = expect(dir.path(), "man generate crowd", 0);
    assert!(page.contains("clearsweep\\-generate\\-crowd") && page.contains("density"), "{page}");
    let (_, err) = expect(dir.path(), "man generate fly", 2);
    assert!(err.contains("`fly`") && err.contains("pipe-rack"), "{err}");
    let (_, err) = expect(dir.path(), "man run fly", 2);
    assert!(err.contains("no commands of its own"), "{err}");
}
