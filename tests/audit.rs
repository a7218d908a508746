//! `clearsweep audit`: contacts that no frame shows, and overlaps that are too deep.
#![cfg(feature = "cli")]

#[path = "support/program.rs"]
mod program;

use clearsweep_testing::clone::clone;
use program::expect;
use serde_json::Value;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// A plate, 10 mm thick, at z = 0, and a ball of 50 mm; lengths in millimetres, and nothing said of
/// `within` or of the motion.
const SCENE: &str = "[scene]\nname = \"bench\"\nlength_unit = \"mm\"\ntrajectories = \"t.csv\"\n\
    [[body]]\nname = \"plate\"\nstatic = true\nshape = { box = [4000, 4000, 10] }\n\
    [[body]]\nname = \"ball\"\nshape = { sphere = 50 }\n";

/// The height at which the ball rests on the plate.
const REST: f64 = 55.0;

/// A folder with the scene, and a ball at these heights in frames from 0 on.
fn bench(more: &str, heights: &[f64]) -> TempDir {
    let dir = tempfile::tempdir().expect("scratch");
    fs::write(dir.path().join("s.toml"), format!("{SCENE}{more}")).expect("written");
    let rows = heights.iter().enumerate().map(|(frame, z)| (frame as i64, *z));
    log(dir.path(), rows);
    dir
}

/// Writes rows of the ball: frames and heights; 100 frames a second.
fn log(dir: &Path, rows: impl IntoIterator<Item = (i64, f64)>) {
    let lines =
        rows.into_iter().map(|(frame, z)| format!("{frame},{},ball,{frame},0,{z},1,0,0,0\n", frame as f64 / 100.0));
    fs::write(dir.join("t.csv"), format!("frame,time_s,body,x,y,z,qw,qx,qy,qz\n{}", lines.collect::<String>()))
        .expect("rows");
}

fn json(dir: &Path, args: &str, code: i32) -> Value {
    let (out, _) = expect(dir, &format!("audit s.toml --json --progress none {args}"), code);
    serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}"))
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn a_ball_that_tunnels_through_a_plate_is_found() {
    let dir = bench("", &[900.0, 300.0, -300.0, -900.0]);
    for motion in ["", "--between linear", "--between screw"] {
        let found = json(dir.path(), motion, 3);
        assert_eq!(
            (&found["verdict"], &found["tunnels"]["count"], &found["overlaps"]["count"]),
            (&"found".into(), &1.into(), &0.into())
        );
        assert_eq!(found["between"], if motion.contains("linear") { "linear" } else { "screw" });
        let tunnel = &found["tunnels"]["worst"][0];
        assert_eq!([&tunnel["body_a"], &tunnel["body_b"]], ["plate", "ball"]);
        assert_eq!([&tunnel["frame"], &tunnel["frame_last"]], [1, 2]);
        assert_eq!([number(&tunnel["time_s"]), number(&tunnel["time_last_s"])], [0.01, 0.02]);
        // The centre in the middle of the plate: the radius and half the thickness.
        let [lower, upper] = ["depth_lower_m", "depth_upper_m"].map(|key| number(&tunnel[key]));
        assert!(lower <= 0.055 && 0.055 <= upper && upper - lower <= 2e-4, "{tunnel}");
        let [from, to] = ["contact_lo", "contact_hi"].map(|key| number(&tunnel[key]));
        let exact = (300.0 - REST) / 600.0;
        assert!(from <= exact && exact <= to + 1e-5 && to - from < 1e-2, "{tunnel}");
    }
    // A body that holds its pose until the next frame never meets the plate.
    assert_eq!(json(dir.path(), "--between hold", 0)["verdict"], "clear");
}

#[test]
fn contacts_that_a_frame_shows_are_no_tunnels() {
    // Rolling on the plate, and a bounce that a frame catches.
    for heights in [vec![REST; 6], vec![300.0, REST, 300.0]] {
        let dir = bench("", &heights);
        let (out, _) = expect(dir.path(), "audit s.toml", 0);
        assert!(
            out.contains("no contact between frames that both show the bodies apart") && !out.contains("undecided"),
            "{out}"
        );
    }
    // Apart by less than `touch` at one end alone.
    let dir = bench("", &[300.0, REST + 0.0005, -300.0]);
    assert_eq!(json(dir.path(), "", 0)["tunnels"]["count"], 0);
}

#[test]
fn overlaps_count_beyond_what_is_allowed() {
    // 3 mm deep at most, twice.
    let dir = bench("", &[60.0, 53.0, 52.0, 54.5, 60.0, 53.5, 60.0]);
    assert_eq!(json(dir.path(), "--allow 5mm", 0)["verdict"], "clear");
    let found = json(dir.path(), "--allow 1mm", 3);
    assert_eq!([number(&found["limit_m"]), number(&found["touch_m"])], [1e-3, 1e-6]);
    let overlaps = &found["overlaps"];
    assert_eq!([&overlaps["count"], &overlaps["pairs"]], [2, 1]);
    let worst = |index: usize, key: &str| overlaps["worst"][index][key].clone();
    assert_eq!([worst(0, "frame"), worst(0, "frame_last"), worst(0, "frame_of_depth")], [1, 2, 2]);
    assert_eq!([worst(1, "frame"), worst(1, "frame_last")], [5, 5]);
    let lower = number(&worst(0, "depth_lower_m"));
    assert!(lower <= 3e-3 && 3e-3 - lower < 1e-9 && number(&worst(0, "depth_upper_m")) >= lower, "{overlaps}");
    // Every proven overlap; a length without a unit is in that of the scene.
    assert_eq!(json(dir.path(), "", 3)["overlaps"]["worst"][0]["frame_last"], 3);
    assert_eq!(json(dir.path(), "--allow 2 --top 0", 3)["overlaps"]["worst"], serde_json::json!([]));
    // One frame less ends a stretch.
    log(dir.path(), [(0, 52.0), (1, 52.0), (3, 52.0), (4, 52.0)]);
    let found = json(dir.path(), "", 3);
    assert_eq!([&found["overlaps"]["count"], &found["undecided"]["gaps"]], [2, 1]);
}

#[test]
fn what_is_not_decided_is_said() {
    let dir = bench("[[body]]\nname = \"bar\"\nshape = { box = [20, 20, 1000] }\n", &[]);
    let row = |frame: i64, bar: &str| format!("{frame},ball,9000,0,0,1,0,0,0\n{frame},bar,0,0,510,{bar}\n");
    let rows = [row(0, "1,0,0,0"), row(1, "0,1,0,0"), row(5, "0,1,0,0")].concat();
    fs::write(dir.path().join("t.csv"), format!("frame,body,x,y,z,qw,qx,qy,qz\n{rows}")).expect("rows");
    let found = json(dir.path(), "", 4);
    let undecided = ["intervals", "intervals_limited", "gaps"].map(|key| &found["undecided"][key]);
    assert_eq!((&found["verdict"], undecided), (&"undecided".into(), [&1.into(), &1.into(), &1.into()]));
    let (out, _) = expect(dir.path(), "audit s.toml", 4);
    let said = ["1 interval undecided", "1 turn by half a turn", "1 gap between frames not looked at"];
    assert!(said.iter().all(|part| out.contains(part)), "{out}");
    // Nothing is there to be checked.
    fs::write(dir.path().join("t.csv"), "frame,body,x,y,z,qw,qx,qy,qz\n").expect("rows");
    let found = json(dir.path(), "", 2);
    assert_eq!([&found["verdict"], &found["nothing_checked"]], ["nothing-checked", "no-frame"]);
}

#[test]
fn the_list_has_every_finding_and_the_text_fits() {
    let heights: Vec<f64> = (0..60).map(|frame| if frame % 2 == 0 { 300.0 } else { -300.0 }).chain([52.0]).collect();
    let dir = bench("", &heights);
    let (out, _) = expect(dir.path(), "audit s.toml --csv list.csv --top 2 --out tables", 3);
    let list = fs::read_to_string(dir.path().join("list.csv")).expect("a list");
    let lines: Vec<&str> = list.split("\r\n").collect();
    assert_eq!(
        lines[0],
        "run,kind,body_a,body_b,frame,frame_last,time_s,depth_lower_m,depth_upper_m,contact_lo,contact_hi,frame_of_depth,time_of_depth_s"
    );
    assert_eq!((lines.len(), lines[61]), (62, ""), "59 tunnels and an overlap");
    assert!(
        lines[1].starts_with("0,tunnel,plate,ball,0,1,0.0,0.05")
            && lines[60].starts_with("0,overlap,plate,ball,60,60,0.6,0.00"),
        "{list}"
    );
    assert!(lines[60].ends_with(",,,60,0.6"), "{list}");
    assert!(
        out.contains("The 2 worst of 59 tunnels") && out.contains("59 (1 pair)") && out.contains("The overlap"),
        "{out}"
    );
    assert!(dir.path().join("tables/manifest.json").is_file());
    let wide = std::process::Command::new(env!("CARGO_BIN_EXE_clearsweep"))
        .args(["audit", "s.toml"])
        .env("COLUMNS", "80")
        .current_dir(dir.path())
        .output()
        .expect("the program starts");
    let text = String::from_utf8_lossy(&wide.stdout).into_owned();
    assert!(text.lines().count() > 20 && text.lines().all(|line| line.chars().count() <= 80), "{text}");
    // Neither file is replaced without being asked.
    expect(dir.path(), "audit s.toml --csv list.csv", 1);
    expect(dir.path(), "audit s.toml --csv list.csv --out tables --force", 3);
    // Rows come in the same order, and tables are the same, for any number of threads.
    expect(dir.path(), "audit s.toml --csv other.csv --threads 1", 3);
    assert_eq!(fs::read_to_string(dir.path().join("other.csv")).expect("a list"), list);
}

#[test]
fn ignored_and_accepted_pairs_are_no_findings() {
    let dir = bench("[[ignore]]\na = \"ball\"\nb = \"plate\"\n", &[300.0, -300.0, 52.0]);
    assert_eq!(json(dir.path(), "", 2)["nothing_checked"], "all-ignored");
    let dir = bench("[dispositions]\nfile = \"accepted.csv\"\n", &[52.0, 52.0, 300.0, -300.0]);
    let accept = |depth: &str| {
        fs::write(dir.path().join("accepted.csv"), format!("rule,a,b,accepted\ndefault,ball,plate,{depth}\n"))
            .expect("a file");
    };
    accept("-3.5mm");
    let found = json(dir.path(), "", 3);
    assert_eq!([&found["overlaps"]["count"], &found["overlaps"]["accepted"], &found["tunnels"]["count"]], [0, 2, 1]);
    accept("-60mm");
    let found = json(dir.path(), "", 0);
    assert_eq!([&found["tunnels"]["accepted"], &found["tunnels"]["count"]], [1, 0]);
    let (out, _) = expect(dir.path(), "audit s.toml", 0);
    assert!(out.contains("1 interval and 2 samples, as people decided"), "{out}");
}

#[test]
fn the_scene_says_how_near_and_how_bodies_move() {
    let dir = bench(
        "[query]\nwithin = 500\nrequire = 100\nanswer = \"distance\"\n[motion]\nbetween = \"linear\"\n",
        &[300.0, 52.0],
    );
    let found = json(dir.path(), "", 3);
    assert_eq!([&found["between"], &found["rows"]], [&"linear".into(), &Value::from(2)]);
    assert!(number(&found["overlaps"]["worst"][0]["depth_upper_m"]) < 3.1e-3, "the depth is computed: {found}");
}

#[test]
fn wrong_input_has_one_clear_error() {
    let dir = bench("", &[300.0]);
    let (_, err) = expect(dir.path(), "audit none.toml", 1);
    assert!(err.contains("none.toml") && err.contains("help:"), "{err}");
    let (_, err) = expect(dir.path(), "audit s.toml --trajectories none.parquet", 1);
    assert!(err.contains("none.parquet"), "{err}");
    for (args, part) in [
        ("--allow -1mm", "negative"),
        ("--allow 3parsec", "--allow"),
        ("--between none", "none"),
        ("--csv t/x.csv --out t", "output directory"),
    ] {
        fs::create_dir_all(dir.path().join("t")).expect("a folder");
        let (_, err) = expect(dir.path(), &format!("audit s.toml {args}"), 2);
        assert!(err.contains(part), "{args}: {err}");
    }
}

#[test]
fn the_examples_of_the_help_find_the_balls_that_tunnel() {
    let dir = clone();
    let (help, _) = expect(dir.path(), "audit --help", 0);
    let examples: Vec<&str> = help.lines().filter_map(|line| line.strip_prefix("  clearsweep ")).collect();
    assert_eq!(examples.len(), 3, "{help}");
    for example in examples {
        let (out, _) = expect(dir.path(), example, 3);
        assert!(["ball-3", "ball-4", "box-0"].iter().all(|name| out.contains(name)), "{out}");
    }
    let (out, _) = expect(dir.path(), "audit datasets/simulator-log/scene.toml --allow 1mm --json", 3);
    let found: Value = serde_json::from_str(&out).expect("an object");
    let tunnels = found["tunnels"]["worst"].as_array().expect("a list");
    let mut balls: Vec<&str> = tunnels.iter().filter_map(|one| one["body_b"].as_str()).collect();
    balls.sort_unstable();
    assert_eq!(balls, ["ball-3", "ball-4"]);
    assert_eq!([&found["overlaps"]["count"], &found["undecided"]["intervals"]], [6, 0]);
}

#[test]
fn the_object_has_its_keys() {
    let dir = bench("", &[300.0, -300.0]);
    let found = json(dir.path(), "--csv list.csv", 3);
    let keys = |value: &Value| {
        let mut keys: Vec<String> = value.as_object().expect("an object").keys().cloned().collect();
        keys.sort();
        keys.join(" ")
    };
    assert_eq!(
        keys(&found),
        "between csv frames intervals limit_m nothing_checked out overlaps rows runs scene touch_m tunnels undecided verdict"
    );
    assert_eq!(keys(&found["tunnels"]), "accepted count pairs worst");
    assert_eq!(keys(&found["undecided"]), "gaps intervals intervals_limited rows rows_uncertified");
    assert_eq!(
        keys(&found["tunnels"]["worst"][0]),
        "body_a body_b contact_hi contact_lo depth_lower_m depth_upper_m frame frame_last frame_of_depth kind run time_last_s \
         time_of_depth_s time_s"
    );
    assert_eq!([&found["csv"], &found["frames"], &found["out"]], [&"list.csv".into(), &Value::from(2), &Value::Null]);
}
