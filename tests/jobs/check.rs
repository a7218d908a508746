//! `clearsweep check`: what it finds in a scene, and what it warns of.

use super::rules::expect;
use clearsweep_testing::glb;
use clearsweep_testing::trajectories::{Row, Shaping, write};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// Runs `clearsweep check scene.toml`, checks its exit code, and returns stdout and stderr.
fn run(dir: &Path, args: &[&str], code: i32) -> (String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_clearsweep"));
    let done = command.current_dir(dir).args(["check", "scene.toml"]).args(args).output().expect("the program starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&done.stdout), text(&done.stderr));
    assert_eq!(done.status.code(), Some(code), "stdout: {out}\nstderr: {err}");
    (out, err)
}

fn json(dir: &Path) -> Value {
    serde_json::from_str(&run(dir, &["--json"], 0).0).expect("one JSON object")
}

/// The warnings of a kind.
fn warnings<'a>(found: &'a Value, kind: &str) -> Vec<&'a Value> {
    found["warnings"].as_array().expect("a list").iter().filter(|warning| warning["kind"] == kind).collect()
}

const UPRIGHT: [f64; 4] = [1.0, 0.0, 0.0, 0.0];

/// A scene with bodies `name, radius, further keys`; those without `static` move as `pose` says,
/// frame by frame.
fn scene(bodies: &[(&str, f64, &str)], rest: &str, frames: i64, pose: impl Fn(&str, i64) -> [f64; 7]) -> TempDir {
    let dir = tempfile::tempdir().expect("scratch");
    let mut text = "[scene]\nlength_unit = \"m\"\n".to_owned();
    let moving: Vec<&str> = bodies.iter().filter(|(.., keys)| !keys.contains("static")).map(|body| body.0).collect();
    if !moving.is_empty() {
        text.push_str("trajectories = \"t.parquet\"\n");
        let rows = (0..frames).flat_map(|frame| {
            let pose = &pose;
            moving.iter().map(move |body| Row {
                run: 0,
                frame,
                time: frame as f64 * 0.1,
                body: (*body).to_owned(),
                pose: pose(body, frame),
            })
        });
        write(&dir.path().join("t.parquet"), &rows.collect::<Vec<_>>(), &Shaping::default());
    }
    text.push_str("[query]\nwithin = 0.5\n");
    for (name, radius, keys) in bodies {
        text.push_str(&format!("[[body]]\nname = \"{name}\"\nshape = {{ sphere = {radius:?} }}\n{keys}\n"));
    }
    fs::write(dir.path().join("scene.toml"), text + rest).expect("written");
    dir
}

fn at(x: f64, y: f64, q: [f64; 4]) -> [f64; 7] {
    [x, y, 0.0, q[0], q[1], q[2], q[3]]
}

#[test]
fn a_sound_scene_has_no_warning() {
    let bodies = [("a", 1.0, ""), ("b", 1.2, ""), ("c", 0.8, "static = true")];
    let dir = scene(&bodies, "", 30, |body, frame| {
        let turn = 0.02 * frame as f64;
        at(0.05 * frame as f64, if body == "a" { 2.0 } else { -2.0 }, [turn.cos(), 0.0, 0.0, turn.sin()])
    });
    let found = json(dir.path());
    assert_eq!(found["warnings"], Value::Array(vec![]), "{found}");
    assert_eq!((&found["frames"], &found["rows"]), (&30.into(), &60.into()));
    assert_eq!(found["frame_range"], serde_json::json!([0, 29]));
    assert!((found["time_step_range_s"][1].as_f64().expect("a step") - 0.1).abs() < 1e-12);
    let step = &found["largest_steps"][0];
    let expected = 0.05 + 0.04 * step["size_m"].as_f64().expect("a size") / 2.0;
    assert!((step["step_m"].as_f64().expect("a step") - expected).abs() < 1e-6, "shift and turn: {step}");
    let (text, _) = run(dir.path(), &[], 0);
    assert!(text.contains("Everything fits together.") && text.contains("steps of 100 ms"), "{text}");
}

#[test]
fn rules_and_groups_say_what_they_hold() {
    let bodies = [
        ("duct-1", 1.0, "static = true\ngroup = \"hvac\""),
        ("duct-2", 1.0, "static = true\ngroup = [\"hvac\", \"north\"]\nposition = [1, 0, 0]"),
        ("duct-3", 1.0, "static = true\ngroup = \"hvac\"\nposition = [2, 0, 0]"),
        ("payload", 1.0, "static = true\nposition = [3, 0, 0]"),
    ];
    let rules = "[[ignore]]\na = \"group:hvac\"\nb = \"group:hvac\"\nreason = \"one system\"\n\
        [[ignore]]\na = \"group:north\"\nb = \"group:north\"\n[[ignore]]\na = \"pay*\"\n";
    let dir = scene(&bodies, rules, 0, |_, _| [0.0; 7]);
    let found = json(dir.path());
    let pairs: Vec<&Value> = found["ignore"].as_array().expect("rules").iter().map(|rule| &rule["pairs"]).collect();
    assert_eq!(pairs, [&Value::from(3), &0.into(), &3.into()]);
    assert_eq!(found["ignore"][0]["examples"][1], serde_json::json!(["duct-1", "duct-3"]));
    assert_eq!((&found["pairs_possible"], &found["pairs_ignored"]), (&6.into(), &6.into()));
    assert_eq!(
        found["groups"][0],
        serde_json::json!({
            "name": "hvac", "bodies": 3, "examples": ["duct-1", "duct-2", "duct-3"],
        })
    );
    let idle = warnings(&found, "rule");
    assert!(idle.len() == 1 && idle[0]["problem"].as_str().is_some_and(|text| text.contains("number 2")), "{found}");
    let (text, _) = run(dir.path(), &[], 0);
    for part in ["hvac: 3 bodies", "group:hvac against group:hvac: 3 pairs", "warning: ", "1 warning"] {
        assert!(text.contains(part), "`{part}` is missing in:\n{text}");
    }
}

#[test]
fn what_the_pairs_rest_on_is_said_once() {
    let at = |x: i32| format!("static = true\nposition = [{x}, 0, 0]");
    let declared = format!("{}\ndeviation = 0.001", at(1));
    let (first, last) = (at(0), at(3));
    let bodies = [("a", 1.0, first.as_str()), ("b", 1.0, &declared), ("c", 1.0, &last)];
    let dir = scene(&bodies, "[[ignore]]\na = \"a\"\nb = \"b\"\n", 0, |_, _| [0.0; 7]);
    let sources = serde_json::json!({ "exact": 1, "proven": 0, "declared": 1, "unknown": 0 });
    assert_eq!(json(dir.path())["deviation"], sources);
    let said = "1 of 2 pairs rest on a declared tolerance";
    let (text, _) = run(dir.path(), &[], 0);
    assert_eq!(text.matches(said).count(), 1, "{text}");
    let ran = expect(dir.path(), "run scene.toml --out out", 0);
    assert_eq!(ran.matches(said).count(), 1, "{ran}");
    let manifest = fs::read_to_string(dir.path().join("out/manifest.json")).expect("a manifest");
    let manifest: Value = serde_json::from_str(&manifest).expect("JSON");
    assert_eq!(manifest["summary"]["deviation"], sources);
    expect(dir.path(), "report out --html report.html", 0);
    assert!(fs::read_to_string(dir.path().join("report.html")).expect("a page").contains(said));
    // Geometry that is the body needs no line.
    let exact = scene(&[("a", 1.0, first.as_str()), ("c", 1.0, &last)], "", 0, |_, _| [0.0; 7]);
    let (text, _) = run(exact.path(), &[], 0);
    assert!(!text.contains("basis") && !text.contains("rest on"), "{text}");
}

#[test]
fn a_size_that_a_unit_explains_is_named() {
    let place = |k: i64| format!("static = true\nposition = [{k}, 0, 0]");
    let places: Vec<String> = (0..4).map(place).collect();
    let bodies = [
        ("plate", 1.0, places[0].as_str()),
        ("rod", 1.4, places[1].as_str()),
        ("screw", 0.7, places[2].as_str()),
        ("imported", 900.0, places[3].as_str()),
    ];
    let found = json(scene(&bodies, "", 0, |_, _| [0.0; 7]).path());
    let sizes = warnings(&found, "size");
    assert_eq!(sizes.len(), 1, "{found}");
    assert_eq!(sizes[0]["bodies"], serde_json::json!(["imported"]));
    let (problem, help) = (sizes[0]["problem"].as_str().unwrap_or(""), sizes[0]["help"].as_str().unwrap_or(""));
    assert!(problem.contains("times larger") && problem.contains("1800") && help.contains("\"500mm\""), "{found}");
}

#[test]
fn bodies_that_rest_jump_or_never_come_near_are_found() {
    let bodies = [
        ("rest", 1.0, ""),
        ("jumper", 1.0, ""),
        ("spinner", 1.0, ""),
        ("far", 1.0, ""),
        ("wall", 1.0, "static = true"),
    ];
    let dir = scene(&bodies, "", 70, |body, frame| match body {
        "rest" => at(1.0, 0.0, UPRIGHT),
        "jumper" => at(if frame == 65 { 60.0 } else { 0.01 * frame as f64 }, 2.2, UPRIGHT),
        "spinner" => at(-3.0 + 0.01 * frame as f64, 0.0, if frame == 66 { [0.0, 1.0, 0.0, 0.0] } else { UPRIGHT }),
        _ => at(0.01 * frame as f64, 500.0, UPRIGHT),
    });
    let found = json(dir.path());
    for (kind, body) in [("motionless", "rest"), ("jump", "jumper"), ("turn", "spinner")] {
        let named = warnings(&found, kind);
        assert!(named.len() == 1 && named[0]["bodies"] == serde_json::json!([body]), "{kind}: {found}");
    }
    // The body at rest stands in the wall all the time.
    let touching = warnings(&found, "contact");
    assert!(touching.len() == 1 && touching[0]["bodies"] == serde_json::json!(["rest", "wall"]), "{found}");
    assert_eq!(found["never_near"], serde_json::json!(["far"]));
    let step = &found["largest_steps"][0];
    assert_eq!((&step["body"], &step["from_frame"], &step["to_frame"]), (&"jumper".into(), &64.into(), &65.into()));
    let (text, _) = run(dir.path(), &[], 0);
    assert!(
        text.contains("rest: never moves") && text.contains("static = true") && text.contains("4 warnings"),
        "{text}"
    );
}

#[test]
fn a_wrong_order_of_the_quaternion_is_suspected() {
    let bodies = [("a", 1.0, ""), ("b", 1.0, "")];
    let dir = scene(&bodies, "", 20, |body, frame| {
        let turn = 0.01 * frame as f64;
        // x, y, z, w under the names of w, x, y, z.
        at(0.1 * frame as f64, if body == "a" { 0.0 } else { 1.5 }, [0.0, 0.0, turn.sin(), turn.cos()])
    });
    assert_eq!(warnings(&json(dir.path()), "quaternions").len(), 1);
}

#[test]
fn a_scene_in_which_nothing_meets_is_suspected() {
    let bodies = [("a", 0.1, ""), ("b", 0.1, "")];
    let dir =
        scene(&bodies, "", 5, |body, frame| at(0.01 * frame as f64, if body == "a" { 0.0 } else { 1500.0 }, UPRIGHT));
    let found = json(dir.path());
    assert_eq!(warnings(&found, "far").len(), 1, "{found}");
    assert_eq!(found["never_near"], serde_json::json!(["a", "b"]));
}

#[test]
fn trajectories_without_a_row_are_no_clearance() {
    let dir = scene(&[("a", 1.0, ""), ("b", 1.0, "static = true")], "", 0, |_, _| [0.0; 7]);
    let found = json(dir.path());
    assert_eq!(warnings(&found, "empty").len(), 1, "{found}");
    assert!(!run(dir.path(), &[], 0).0.contains("Everything fits together."));
}

#[test]
fn small_positions_are_not_shown_as_nothing() {
    let dir =
        scene(&[("a", 1.0, ""), ("b", 1.0, "static = true")], "", 5, |_, frame| at(0.002 * frame as f64, 0.0, UPRIGHT));
    let (text, _) = run(dir.path(), &[], 0);
    assert!(text.contains("x 0 .. 0.008, y 0 .. 0, z 0 .. 0 m\n"), "{text}");
    // Large numbers of a plant in millimetres stay millimetres.
    let path = dir.path().join("scene.toml");
    let scene = fs::read_to_string(&path).expect("a scene");
    let scene = scene.replace("length_unit = \"m\"", "length_unit = \"mm\"").replace("sphere = 1.0", "sphere = 1e6");
    fs::write(&path, scene.replace("within = 0.5", "within = 5e6")).expect("written");
    let rows: Vec<Row> = (0..5)
        .map(|frame| Row {
            run: 0,
            frame,
            time: 0.1 * frame as f64,
            body: "a".to_owned(),
            pose: at(1600.5 * frame as f64, -4150.0, UPRIGHT),
        })
        .collect();
    write(&dir.path().join("t.parquet"), &rows, &Shaping::default());
    let (text, _) = run(dir.path(), &[], 0);
    assert!(text.contains("x 0 .. 6402, y -4150 .. -4150, z 0 .. 0 mm\n"), "{text}");
}

#[test]
fn what_is_wrong_is_told_all_at_once() {
    let dir = tempfile::tempdir().expect("scratch");
    let body = |name: &str| format!("[[body]]\nname = \"{name}\"\nstatic = true\ngeometry = \"{name}.obj\"\n");
    let text = format!(
        "[scene]\nlength_unit = \"m\"\n[query]\nwithin = 1\n{}{}{}[[ignore]]\na = \"onne\"\n[[ignore]]\na = \"group:none\"\n",
        body("one"),
        body("two"),
        body("three")
    );
    fs::write(dir.path().join("scene.toml"), text).expect("written");
    fs::write(dir.path().join("two.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n")
        .expect("written");
    let (out, err) = run(dir.path(), &[], 1);
    assert!(out.is_empty());
    for part in
        ["4 things are wrong", "one.obj", "three.obj", "`onne` matches no body", "did you mean `one`?", "`none`"]
    {
        assert!(err.contains(part), "`{part}` is missing in:\n{err}");
    }
}

/// Racks of levels of pipes, some of which have the same name.
fn plant(racks: usize, pipes: usize) -> TempDir {
    let dir = tempfile::tempdir().expect("scratch");
    let (mut nodes, mut roots) = (Vec::new(), Vec::new());
    for rack in 0..racks {
        let at = nodes.len();
        roots.push(at);
        nodes.push(format!(
            r#"{{"name": "rack-{rack}", "translation": [0, {rack}, 0], "children": [{}, {}]}}"#,
            at + 1,
            at + 2 + pipes
        ));
        for level in 0..2 {
            let first = nodes.len() + 1;
            let children: Vec<usize> = (first..first + pipes).collect();
            nodes.push(format!(
                r#"{{"name": "level-{level}", "translation": [0, 0, {level}], "children": {children:?}}}"#
            ));
            nodes.extend((0..pipes).map(|k| format!(r#"{{"name": "pipe", "mesh": 0, "translation": [{k}, 0, 0]}}"#)));
        }
    }
    nodes.push(r#"{"name": "camera"}"#.to_owned());
    roots.push(nodes.len() - 1);
    let file = glb::glb(&nodes, &roots, &[glb::cuboid("pipe", [0.5; 3], Some(0))], &["steel"]);
    fs::write(dir.path().join("plant.glb"), file).expect("written");
    let text = "[scene]\nlength_unit = \"m\"\n[query]\nwithin = 0.6\n\
        [[bodies]]\ngeometry = \"plant.glb\"\neach = \"node\"\nexclude = \"*/pipe#2\"\n";
    fs::write(dir.path().join("scene.toml"), text).expect("written");
    dir
}

#[test]
fn what_was_made_of_a_file_is_listed_as_a_tree() {
    let dir = plant(2, 3);
    let (text, _) = run(dir.path(), &[], 0);
    for part in [
        "plant.glb: 8 bodies, one of each node, of 1 different shape",
        "rack-0/\n",
        "  level-1/\n",
        "    pipe\n",
        "    pipe#3\n",
        "1 node without a body",
        "8 names made unique: rack-0/level-0/pipe#2, rack-0/level-0/pipe#3, rack-0/level-1/pipe#2, ...",
        "4 parts left out by `include` and `exclude`",
        "material:steel: 8 bodies",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let made = &json(dir.path())["made_of"][0];
    assert_eq!((&made["bodies"], &made["shapes"], &made["left_out"]), (&8.into(), &1.into(), &4.into()));
    assert_eq!(made["renamed"].as_array().map(Vec::len), Some(8));
    let nodes = made["nodes"].as_array().expect("nodes");
    assert_eq!(nodes.len(), 19);
    let first = serde_json::json!({ "name": "rack-0", "depth": 0, "is_body": false, "moves": false, "bodies": 4 });
    assert_eq!(nodes[0], first);
}

#[test]
fn the_tree_of_a_large_file_is_short() {
    let dir = plant(40, 30);
    let (text, _) = run(dir.path(), &[], 0);
    for part in [
        "2,320 bodies, one of each node",
        "rack-0/\n",
        "    pipe#3\n",
        "    and 27 more (27 bodies)\n",
        "and 38 more (2,204 bodies)",
        "and 101 more groups",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(text.lines().count() < 75, "{text}");
}

/// A skid that its file has turned by -90 degrees about x (it lies in a file that is y up), a pump
/// on it, and a floor that touches the pump wherever it is. `mesh`: whether the skid has a mesh of
/// its own.
fn skid(mesh: bool) -> TempDir {
    let dir = tempfile::tempdir().expect("scratch");
    let mesh = if mesh { r#""mesh": 0, "# } else { "" };
    let nodes = [
        format!(
            r#"{{"name": "skid", {mesh}"translation": [3, 2, -1], "rotation": [-0.7071067811865476, 0, 0, 0.7071067811865476], "children": [1]}}"#
        ),
        r#"{"name": "pump", "mesh": 0, "translation": [0, 0, 0.5]}"#.to_owned(),
        r#"{"name": "floor", "mesh": 1, "translation": [3, 2, -1]}"#.to_owned(),
    ];
    let meshes = [glb::cuboid("part", [1.0; 3], None), glb::cuboid("plate", [8.0; 3], None)];
    fs::write(dir.path().join("plant.glb"), glb::glb(&nodes, &[0, 2], &meshes, &[])).expect("written");
    let text = "[scene]\nlength_unit = \"mm\"\ntrajectories = \"t.csv\"\n[query]\nwithin = 500\n\
        [[bodies]]\ngeometry = \"plant.glb\"\neach = \"node\"\nup = \"y\"\nmoving = \"skid\"\n";
    fs::write(dir.path().join("scene.toml"), text).expect("written");
    dir
}

/// Ten frames of the skid, which begin with a row.
fn skid_moves(dir: &Path, row: &str) {
    let lines: Vec<String> = (0..10).map(|frame| format!("{frame},{row}\n")).collect();
    fs::write(dir.join("t.csv"), format!("frame,body,x,y,z,qw,qx,qy,qz\n{}", lines.concat())).expect("written");
}

#[test]
fn a_first_pose_that_tips_a_node_over_is_told_with_its_rest_pose() {
    for mesh in [true, false] {
        let dir = skid(mesh);
        let at = dir.path();
        skid_moves(at, "skid,3000,1000,2000,1,0,0,0");
        let found = json(at);
        let tipped = warnings(&found, "tipped");
        let bodies = if mesh { vec!["skid", "skid/pump"] } else { vec!["skid/pump"] };
        assert!(tipped.len() == 1 && tipped[0]["bodies"] == serde_json::json!(bodies), "{mesh}: {found}");
        let [problem, help] = ["problem", "help"].map(|key| tipped[0][key].as_str().unwrap_or(""));
        assert!(problem.contains("`skid`") && !problem.contains("pump") && problem.contains("90 degrees"), "{problem}");
        // Contacts that the tipped bodies make are no reason to ignore them.
        let contacts = found["lasting_contacts"].as_array().expect("a list").len();
        assert!(contacts >= bodies.len() && found["ignore_rules"] == "", "{found}");
        assert!(warnings(&found, "contact").is_empty(), "{found}");
        let (text, _) = run(at, &[], 0);
        assert!(text.contains("tips the body over") && !text.contains("[[ignore]]"), "{text}");

        // The row of the text, copied, is the place of the file: y up becomes z up, and metres
        // millimetres.
        let listed: Vec<&str> = text.lines().map(str::trim).filter(|line| line.starts_with("skid,")).collect();
        let row = listed[0];
        assert!(
            text.contains("at rest") && text.contains("body,x,y,z,qw,qx,qy,qz") && help.contains(row),
            "{text}\n{help}"
        );
        let numbers: Vec<f64> = row.split(',').skip(1).map(|cell| cell.parse().expect("a number")).collect();
        let half = 0.5_f64.sqrt();
        for (number, expected) in numbers.iter().zip([3000.0, 1000.0, 2000.0, half, -half, 0.0, 0.0]) {
            assert!((number - expected).abs() < 1e-3, "{row}");
        }
        skid_moves(at, row);
        let found = json(at);
        assert!(warnings(&found, "tipped").is_empty() && warnings(&found, "contact").len() == 1, "{found}");
        assert!(found["ignore_rules"].as_str().is_some_and(|rules| rules.contains("skid/pump")), "{found}");
        let rest = &found["rest_poses"];
        assert_eq!((&rest[0]["body"], &rest[1]["carried_by"]), (&"skid".into(), &"skid".into()), "{rest}");

        // Turned about the vertical from there: a vehicle may begin in any direction. Upside down
        // is told.
        for (turn, told) in [
            ([half, 0.0, 0.0, half], None),
            ([0.0, 0.0, 0.0, 1.0], None),
            ([0.0, 1.0, 0.0, 0.0], Some("180 degrees")),
            ([0.924, 0.383, 0.0, 0.0], None),
        ] {
            let [w, x, y, z] = turn;
            // turn * rest, with rest = (half, -half, 0, 0)
            let q = [half * (w + x), half * (x - w), half * (y - z), half * (z + y)];
            skid_moves(at, &format!("skid,3000,1000,2000,{},{},{},{}", q[0], q[1], q[2], q[3]));
            let found = json(at);
            let tipped = warnings(&found, "tipped");
            assert_eq!(tipped.len(), usize::from(told.is_some()), "{turn:?}: {found}");
            if let Some(told) = told {
                assert!(tipped[0]["problem"].as_str().is_some_and(|problem| problem.contains(told)), "{found}");
            }
        }
    }
}

#[test]
fn times_in_nanoseconds_since_the_start_are_told() {
    let dir = tempfile::tempdir().expect("scratch");
    let text = "[scene]\nlength_unit = \"m\"\ntrajectories = \"t.csv\"\n[query]\nwithin = 1\n[[body]]\nname = \"a\"\nshape = { sphere = 1 }\n";
    fs::write(dir.path().join("scene.toml"), text).expect("written");
    for (step, told) in [(33_333_333_u64, true), (1, false)] {
        let rows: Vec<String> =
            (0..5).map(|frame| format!("{frame},{},a,{frame},0,0,1,0,0,0\n", frame * step)).collect();
        fs::write(dir.path().join("t.csv"), format!("frame,timestamp,body,x,y,z,qw,qx,qy,qz\n{}", rows.concat()))
            .expect("written");
        let found = json(dir.path());
        let times = warnings(&found, "time");
        assert_eq!(times.len(), usize::from(told), "{found}");
        assert!(times.iter().all(|time| time["help"].as_str().is_some_and(|help| help.contains("1e9"))), "{found}");
    }
}
