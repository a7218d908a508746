//! Motion between frames on the command line: one pair between two poses, and what a scene may say
//! of it.

use crate::program::expect;
use serde_json::Value;
use std::fs;
use std::path::Path;

fn ask(dir: &Path, args: &str, code: i32) -> Value {
    let (text, _) = expect(dir, &format!("query {args} --json"), code);
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn a_pair_is_asked_between_two_poses() {
    let dir = tempfile::tempdir().expect("scratch");
    // A ball passes above a box: 0.5 m at the nearest, in the middle.
    let found = ask(dir.path(), "box:2,2,2 sphere:0.5 --between -5,0,2,1,0,0,0 5,0,2,1,0,0,0 ", 0);
    assert_eq!(found["status"], "clear");
    let [lower, upper] = ["lower_m", "upper_m"].map(|key| found[key].as_f64().expect("a number"));
    assert!(lower <= 0.5 && 0.5 <= upper + 1e-12 && upper - lower <= 1e-4, "{found}");
    let [from, to] = ["closest_lo", "closest_hi"].map(|key| found[key].as_f64().expect("a share"));
    // It is above the box, and nearest, from 0.4 to 0.6 of the way.
    assert!(from <= 0.4 && 0.6 <= to, "{found}");
    // Coming down on it, it is nearest at the end.
    let down = ask(dir.path(), "box:2,2,2 sphere:0.5 --between 0,0,9,1,0,0,0 0,0,2,1,0,0,0", 0);
    assert!(down["closest_lo"].as_f64() > Some(0.999) && down["closest_hi"] == 1.0, "{down}");
    assert_eq!(found["contact_lo"], Value::Null);
    // Through the box, in millimetres: contact at 4.5 / 12 of the way.
    let found =
        ask(dir.path(), "box:2000,2000,2000 sphere:500 --unit mm --between -6000,0,0,1,0,0,0 6000,0,0,1,0,0,0", 0);
    assert_eq!(found["status"], "contact");
    let [clear, touching] = ["contact_lo", "contact_hi"].map(|key| found[key].as_f64().expect("a share"));
    assert!(clear <= 4.5 / 12.0 && 4.5 / 12.0 <= touching + 1e-6 && touching - clear < 1e-5, "{found}");
    // Half a turn is not guessed.
    let half = "box:4,0.1,0.1 sphere:0.5 --between 0,1.5,0,1,0,0,0 0,1.5,0,0,0,0,1";
    assert_eq!(ask(dir.path(), half, 4)["status"], "undecided");
    let (text, _) =
        expect(dir.path(), "query sphere:1 sphere:1 --between 3,0,0,1,0,0,0 4,0,0,1,0,0,0 --motion screw", 0);
    assert!(text.contains("clear") && text.contains("screw") && text.contains("of the way"), "{text}");
    for wrong in ["1,2,3,4 5,6", "0,0,0,2,0,0,0 0,0,0,1,0,0,0", "nan,0,0,1,0,0,0 0,0,0,1,0,0,0"] {
        let (_, err) = expect(dir.path(), &format!("query sphere:1 sphere:1 --between {wrong}"), 2);
        assert!(err.contains("--between"), "{err}");
    }
}

#[test]
fn a_wrong_motion_is_refused_with_its_key() {
    let dir = tempfile::tempdir().expect("scratch");
    let scene = |motion: &str, body: &str| {
        let text = format!(
            "[scene]\nlength_unit = \"m\"\n[query]\nwithin = 1\n{motion}\n[[body]]\nname = \"a\"\nshape = {{ sphere = 1 }}\nstatic = true\n{body}\n"
        );
        fs::write(dir.path().join("scene.toml"), text).expect("written");
    };
    for (motion, words) in [
        ("[motion]\n", ["`between`", "linear"]),
        ("[motion]\nbetween = \"fast\"\n", ["`fast`", "between"]),
        ("[motion]\nbetween = \"linear\"\ntolerance = 0\n", ["tolerance", "1e-9"]),
        ("[motion]\nbetween = \"linear\"\ntolerance = -1\n", ["tolerance", "negative"]),
        ("[motion]\nbetween = \"linear\"\nwork = 0\n", ["work", "1 to 100000"]),
        ("[motion]\nbetween = \"linear\"\nwork = 2.5\n", ["work", "whole number"]),
        ("[motion]\nbetween = \"linear\"\nwork = 1e9\n", ["work", "no number of distances"]),
        ("[motion]\nbetween = \"linear\"\ngravity = [0, 0, -9.81]\n", ["gravity", "ballistic"]),
        ("[motion]\nbetween = \"ballistic\"\ngravity = [0, -9.81]\n", ["gravity", "3 numbers"]),
        ("[motion]\nbetween = \"ballistic\"\ngravity = [0, 0, 1e200]\n", ["gravity", "m/s^2"]),
        ("[motion]\nbetween = \"ballistic\"\ngravity = [0, nan, 1]\n", ["gravity", "NaN"]),
        ("[motion]\nbetween = \"ballistic\"\ngravity = \"down\"\n", ["gravity", "list"]),
        ("[motion]\nbetween = \"ballistic\"\nwrap = \"shortest\"\n", ["wrap", "joints"]),
        ("[motion]\nbetween = \"linear\"\nmax_gap = 0\n", ["max_gap", "whole number"]),
        ("[motion]\nbetween = \"linear\"\nmax_gap = 1.5\n", ["max_gap", "whole number"]),
        ("[motion]\nbetween = \"linear\"\npivot = \"middle\"\n", ["pivot", "centre"]),
        ("[motion]\nbetween = \"linear\"\nspeed = 1\n", ["`speed`", "[motion]"]),
    ] {
        scene(motion, "");
        let (_, err) = expect(dir.path(), "check scene.toml", 1);
        assert!(err.contains("scene.toml:") && words.iter().all(|word| err.contains(word)), "{motion}: {err}");
    }
    scene("", "pivot = \"top\"");
    let (_, err) = expect(dir.path(), "check scene.toml", 1);
    assert!(err.contains("pivot") && err.contains("origin"), "{err}");
    scene(
        "[motion]\nbetween = \"linear\"\npivot = \"centre\"\ntolerance = \"1mm\"\nwork = 100000\nmax_gap = 5\n",
        "pivot = \"origin\"",
    );
    expect(dir.path(), "check scene.toml", 0);
    let (_, err) = expect(dir.path(), "run scene.toml --out out --between fast", 2);
    assert!(err.contains("--between"), "{err}");
}

/// A ball that is thrown from hand to hand below a ceiling; `csv`: where the hands are.
fn thrown(dir: &Path, head: &str, motion: &str, csv: &str) {
    let text = format!(
        "[scene]\nlength_unit = \"mm\"\ntrajectories = \"t.csv\"\n{head}\n[query]\nwithin = 500\nrequire = 10\n\
         [motion]\nbetween = \"ballistic\"\n{motion}\n\
         [[body]]\nname = \"ball\"\nshape = {{ sphere = 125 }}\n\
         [[body]]\nname = \"ceiling\"\nshape = {{ box = [8000, 8000, 500] }}\nstatic = true\nposition = [0, 0, 1650]\n"
    );
    fs::write(dir.join("scene.toml"), text).expect("written");
    fs::write(dir.join("t.csv"), csv).expect("written");
}

const HANDS: &str = "frame,time_s,body,x,y,z,qw,qx,qy,qz\n0,0,ball,-1000,0,0,1,0,0,0\n1,1,ball,1000,0,0,1,0,0,0\n";

#[test]
fn a_thrown_ball_is_found_between_two_clear_frames() {
    let dir = tempfile::tempdir().expect("scratch");
    let dir = dir.path();
    let manifest = |out: &str| -> Value {
        let text = fs::read_to_string(dir.join(out).join("manifest.json")).expect("a manifest");
        serde_json::from_str(&text).expect("JSON")
    };
    // The apex is 9.81 / 8 m above the hands, and the ball 48.75 mm below the ceiling there.
    thrown(dir, "", "", HANDS);
    expect(dir, "run scene.toml --out earth", 0);
    let found = manifest("earth");
    assert_eq!(found["options"]["gravity_m_s2"], serde_json::json!([0.0, 0.0, -9.81]));
    assert_eq!(found["summary"]["between"], "ballistic");
    assert_eq!(found["summary"]["rows"], 0, "the hands are far below");
    let least = &found["summary"]["intervals"]["least"];
    let ends = ["lower_m", "upper_m"].map(|key| least[key].as_f64().expect("a length"));
    assert!(ends[0] <= 0.04875 + 1e-12 && ends[1] >= 0.04875 - 1e-12 && ends[1] - ends[0] < 1.1e-4, "{least}");
    expect(dir, "recheck earth --all --progress none", 0);
    // Where gravity is stronger it is thrown higher.
    for (gravity, require, code) in [(-9.9, "10mm", 0), (-10.0, "60mm", 3), (-11.0, "10mm", 3)] {
        thrown(dir, "", &format!("gravity = [0, 0, {gravity:?}]"), HANDS);
        expect(dir, &format!("run scene.toml --out stronger --require {require} --force"), code);
        expect(dir, "recheck stronger --all --progress none", 0);
    }
    assert_eq!(manifest("stronger")["summary"]["intervals"]["by_status"]["contact"], 1);
    // On a line it never comes near.
    expect(dir, "run scene.toml --out line --between linear", 0);
    assert!(manifest("line")["options"]["gravity_m_s2"].is_null());
}

#[test]
fn bodies_that_fall_need_times() {
    let dir = tempfile::tempdir().expect("scratch");
    let dir = dir.path();
    let without = "frame,body,x,y,z,qw,qx,qy,qz\n0,ball,-1000,0,0,1,0,0,0\n1,ball,1000,0,0,1,0,0,0\n";
    thrown(dir, "", "gravity = [0, 0, -11]", without);
    for command in ["run scene.toml --out out", "check scene.toml"] {
        let (_, err) = expect(dir, command, 1);
        assert!(err.contains("t.csv") && err.contains("time_s") && err.contains("frame_rate"), "{command}: {err}");
    }
    assert!(!dir.join("out").exists());
    thrown(dir, "frame_rate = 1", "gravity = [0, 0, -11]", without);
    expect(dir, "run scene.toml --out out", 3);
    // Joints carry bodies, and let none fall.
    let joints = "[[joint]]\nname = \"j\"\ntype = \"prismatic\"\nchild = \"ball\"\naxis = [0, 0, 1]\nrange = [0, 1]\n";
    let text = fs::read_to_string(dir.join("scene.toml")).expect("text").replace("trajectories", "joints");
    fs::write(dir.join("scene.toml"), format!("{text}{joints}")).expect("written");
    let (_, err) = expect(dir, "check scene.toml", 1);
    assert!(err.contains("ballistic") && err.contains("joints"), "{err}");
}

/// A forklift that drives past a post; `bounds`: keys of its body.
fn driven(dir: &Path, bounds: &str, motion: &str, csv: &str) {
    let text = format!(
        "[scene]\nlength_unit = \"m\"\ntrajectories = \"t.csv\"\n[query]\nwithin = 3\nrequire = 0.5\n{motion}\n\
         [[body]]\nname = \"forklift\"\nshape = {{ box = [2, 1, 2] }}\n{bounds}\n\
         [[body]]\nname = \"post\"\nshape = {{ box = [0.2, 0.2, 3] }}\nstatic = true\nposition = [2, 2.6, 0]\n"
    );
    fs::write(dir.join("scene.toml"), text).expect("written");
    fs::write(dir.join("t.csv"), csv).expect("written");
}

const DRIVE: &str = "frame,time_s,body,x,y,z,qw,qx,qy,qz\n0,0,forklift,0,0,0,1,0,0,0\n1,2,forklift,4,0,0,1,0,0,0\n";
const BOUNDED: &str = "[motion]\nbetween = \"bounded\"";

#[test]
fn what_is_within_its_bounds_is_clear_however_it_moves() {
    let dir = tempfile::tempdir().expect("scratch");
    let dir = dir.path();
    let summary = || -> Value {
        let text = fs::read_to_string(dir.join("out/manifest.json")).expect("a manifest");
        serde_json::from_str::<Value>(&text).expect("JSON")["summary"].take()
    };
    let verdict = || summary()["verdict"].as_str().expect("a word").to_owned();
    let asked = |bounds: &str, code: i32| {
        driven(dir, bounds, BOUNDED, DRIVE);
        expect(dir, "run scene.toml --out out --force", code);
        expect(dir, "recheck out --all --progress none", 0);
        ["lower_m", "upper_m"].map(|key| summary()["intervals"]["least"][key].as_f64().expect("a length"))
    };
    // On the chord it passes at 2 m. At 2.5 m/s it may be 1.5 m off half way: sqrt(5^2 - 4^2) / 2.
    let [lower, upper] = asked("max_speed = \"2.5m/s\"\nmax_turn = \"0deg/s\"", 0);
    assert_eq!(verdict(), "undecided");
    assert!((lower - 0.5).abs() < 1e-3 && lower <= 0.5, "{lower}");
    // At the frames it is beside the post by one in x and two in y.
    assert!((upper - 0.9_f64.hypot(2.0)).abs() < 1e-9, "{upper}");
    // A little slower: clear, whatever it does.
    let [lower, _] = asked("max_speed = 2.49\nmax_turn = \"0rad/s\"", 0);
    assert!(lower > 0.5 && verdict() == "clear", "{lower} {}", verdict());
    // By its acceleration: 0.5 m/s^2 over two seconds is 0.25 m.
    let [lower, _] = asked("max_acceleration = \"500mm/s^2\"\nmax_turn = \"0deg/s\"", 0);
    assert!((1.749..=1.75).contains(&lower), "{lower}");
    // What may turn as it likes reaches as far as its corners, twice.
    let [lower, _] = asked("max_speed = 2.01", 4);
    assert!(lower < 0.0 && verdict() == "uncertified", "{lower} {}", verdict());
    let (text, _) = expect(dir, "run scene.toml --out out --force", 4);
    assert!(text.contains("smaller bounds"), "{text}");
}

#[test]
fn bounds_that_are_broken_missing_or_unasked_are_refused() {
    let dir = tempfile::tempdir().expect("scratch");
    let dir = dir.path();
    for (bounds, motion, words) in [
        ("max_speed = \"1.9m/s\"\nmax_turn = \"0deg/s\"", BOUNDED, ["t.csv", "faster than its `max_speed`"]),
        ("", BOUNDED, ["forklift", "max_speed"]),
        ("max_turn = \"10deg/s\"", BOUNDED, ["forklift", "max_speed"]),
        ("max_speed = 3", "", ["max_speed", "bounded"]),
        ("max_speed = 3", "[motion]\nbetween = \"linear\"", ["max_speed", "bounded"]),
        ("max_speed = \"3m\"", BOUNDED, ["max_speed", "/s"]),
        ("max_speed = -3", BOUNDED, ["max_speed", "0 or more"]),
        ("max_speed = \"3deg/s\"", BOUNDED, ["max_speed", "2m/s"]),
        ("max_speed = 3\nmax_turn = 10", BOUNDED, ["max_turn", "30deg/s"]),
        ("max_speed = 3\nmax_turn = \"10m/s\"", BOUNDED, ["max_turn", "angles"]),
        ("max_acceleration = \"3m/s\"", BOUNDED, ["max_acceleration", "/s^2"]),
    ] {
        driven(dir, bounds, motion, DRIVE);
        let (_, err) = expect(dir, "run scene.toml --out out", 1);
        assert!(words.iter().all(|word| err.contains(word)), "{bounds}, {motion}: {err}");
        assert!(!dir.join("out").exists(), "{bounds}");
    }
    driven(
        dir,
        "max_speed = 3",
        BOUNDED,
        &DRIVE.replace("1,2,forklift,4,0,0,1,0,0,0", "1,2,forklift,4,0,0,0.8,0,0,0.6"),
    );
    expect(dir, "run scene.toml --out out", 4);
    driven(
        dir,
        "max_speed = 3\nmax_turn = \"30deg/s\"",
        BOUNDED,
        &DRIVE.replace("1,2,forklift,4,0,0,1,0,0,0", "1,2,forklift,4,0,0,0.8,0,0,0.6"),
    );
    let (_, err) = expect(dir, "run scene.toml --out turned", 1);
    assert!(err.contains("turns by") && err.contains("max_turn"), "{err}");
    driven(
        dir,
        "max_speed = 3",
        BOUNDED,
        &DRIVE.replace(",time_s", "").replace("0,0,forklift", "0,forklift").replace("1,2,forklift", "1,forklift"),
    );
    let (_, err) = expect(dir, "check scene.toml", 1);
    assert!(err.contains("time_s"), "{err}");
    // Another motion may be asked about the same scene.
    driven(dir, "max_speed = 3", BOUNDED, DRIVE);
    expect(dir, "run scene.toml --out linear --between linear", 0);
}
