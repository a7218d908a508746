//! Splines of joints from files: what a job proves along them, and which pieces are refused.

use super::joints::manifest;
use super::program::expect;
use clearsweep_testing::folder::tables;
use std::fs;
use std::path::Path;

/// A ball on an arm of 2 m beside a wall whose face is the plane y = 0.5, and a stop that slides.
const SCENE: &str = r#"
[[body]]
name = "ball"
shape = { sphere = 0.1 }
position = [2.0, 0.0, 0.0]
[[body]]
name = "wall"
shape = { box = [20, 1, 20] }
static = true
position = [0, 1.0, 0]
[[body]]
name = "stop"
shape = { sphere = 0.05 }
position = [0.0, 0.0, 3.0]
[[joint]]
name = "arm"
type = "revolute"
child = "ball"
axis = [0, 0, 1]
range = ["-90deg", "90deg"]
[[joint]]
name = "rail"
type = "prismatic"
child = "stop"
axis = [1, 0, 0]
"#;

fn write(dir: &Path, name: &str, motion: &str) {
    let head = format!("[scene]\nlength_unit = \"m\"\njoints = \"{name}\"\n[query]\nwithin = 0.5\ntouch = 1e-9\n");
    fs::write(dir.join("scene.toml"), format!("{head}[motion]\nbetween = \"spline\"\n{motion}{SCENE}"))
        .expect("written");
}

/// A sixth of a turn and back in two seconds, once as polynomials, once as a B-spline.
const POLYNOMIALS: &str = "run,piece,joint,t0_s,t1_s,c0,c1,c2\n\
    0,0,arm,0,2,0,1.2,-0.6\n0,0,rail,0,1,0,0.1,0\n0,1,rail,1,2,0.1,-0.1,0\n";

/// The same. The parabola has the control values 0, 1.2, 0.
const CONTROL: &str = r#"[
    {"joint": "arm", "t0_s": 0, "t1_s": 2, "control": [0, 1.2, 0]},
    {"joint": "rail", "degree": 1, "knots": [0, 0, 1, 2, 2], "control": [0, 0.1, 0]}
]"#;

#[test]
fn a_contact_between_the_frames_is_found_at_its_time() {
    let scratch = tempfile::tempdir().expect("scratch");
    let dir = scratch.path();
    fs::write(dir.join("pieces.csv"), POLYNOMIALS).expect("written");
    fs::write(dir.join("pieces.json"), CONTROL).expect("written");
    // The ball touches the wall where 2 sin q = 0.4: q = asin 0.2 = 1.2 t - 0.6 t^2.
    let turn = 0.2_f64.asin();
    let time = 1.0 - (1.0 - turn / 0.6).sqrt();
    for (file, motion, frames) in [
        ("pieces.csv", "", vec![0.0, 1.0, 2.0]),
        ("pieces.json", "", vec![0.0, 1.0, 2.0]),
        ("pieces.csv", "step_s = 0.3\n", vec![0.0, 0.3, 0.6, 0.9, 1.0, 1.2, 1.5, 1.8, 2.0]),
        ("pieces.json", "samples = 4\n", vec![0.0, 0.5, 1.0, 1.5, 2.0]),
    ] {
        write(dir, file, motion);
        expect(dir, "run scene.toml --out out --force", 0);
        let summary = &manifest(&dir.join("out"))["summary"];
        assert_eq!(summary["frames"].as_u64(), Some(frames.len() as u64), "{file} {motion}");
        let found = &summary["intervals"]["first_contact"];
        let at = |key: &str| {
            let frame = found["frame"].as_u64().expect("a frame") as usize;
            frames[frame] + found[key].as_f64().expect("a share") * (frames[frame + 1] - frames[frame])
        };
        let [lo, hi] = [at("contact_lo"), at("contact_hi")];
        assert!(lo <= time + 1e-9 && time - 1e-9 <= hi && hi - lo < 3e-6, "{file} {motion}: {lo} to {hi}, and {time}");
    }
    let digests = manifest(&dir.join("out"))["inputs"].to_string();
    assert!(digests.contains("pieces.json"), "{digests}");
    let (text, _) = expect(dir, "check scene.toml", 0);
    assert!(text.contains("2 pieces in 1 file"), "{text}");
}

#[test]
fn shards_threads_and_chosen_frames_give_the_same_rows() {
    let scratch = tempfile::tempdir().expect("scratch");
    let dir = scratch.path();
    let mut text = "run,joint,t0_s,t1_s,c0,c1,c2,c3\n".to_owned();
    for run in [3, 7] {
        let rate = 0.1 * f64::from(run);
        text += &format!("{run},arm,0,2,0,{rate},0.1,-0.06\n{run},rail,0,2,0,0,0,0.1\n");
    }
    fs::write(dir.join("pieces.csv"), text).expect("written");
    write(dir, "pieces.csv", "samples = 150\n");
    expect(dir, "run scene.toml --out one --threads 1", 0);
    expect(dir, "run scene.toml --out many --threads 3 --memory 1MB", 0);
    for shard in [1, 0, 2] {
        expect(dir, &format!("run scene.toml --shard {shard}/3 --out shards"), 0);
    }
    expect(dir, "merge shards --out merged", 0);
    let of = |name: &str| tables(&dir.join(name));
    assert!(of("one") == of("many") && of("one") == of("merged"));
    let (text, _) = expect(dir, "check scene.toml", 0);
    assert!(text.contains("frames 0 to 150, runs 3 to 7"), "{text}");
}

#[test]
fn pieces_that_do_not_fit_are_named() {
    let scratch = tempfile::tempdir().expect("scratch");
    let dir = scratch.path();
    let head = "joint,t0_s,t1_s,c0,c1\n";
    let rail = "rail,0,2,0,0\n";
    for (text, parts) in [
        (
            format!("{head}{rail}arm,0,1,0,1\narm,1.5,2,1,0\n"),
            ["pieces.csv:4: a gap of joint `arm`", "t0_s of each is"],
        ),
        (format!("{head}{rail}arm,0,1,0,1\narm,0.5,2,1,0\n"), ["pieces.csv:4: an overlap of joint `arm`", "help:"]),
        (format!("{head}{rail}arm,0,1,0,1\narm,0,1,0,1\narm,1,2,1,0\n"), ["pieces.csv:4: an overlap", "help:"]),
        (
            format!("{head}{rail}arm,0,1,0,1\narm,1,2,1.00001,0\n"),
            ["jumps from 1 to 1.00001 at 1 s", "double precision"],
        ),
        (format!("{head}{rail}arm,0,2,0,1\n"), ["joint `arm` is 2 rad at 2 s, outside of its range", "`range`"]),
        (format!("{head}{rail}arm,2,2,0,1\n"), ["pieces.csv:3: t1_s is 2, and t0_s is 2", "t1_s > t0_s"]),
        (
            format!("{head}{rail}arm,0,1,0,1\n"),
            ["run 0: joint `rail` moves from 0 to 2 s, and `arm` from 0 to 1 s", "over the same time"],
        ),
        (format!("{head}{rail}"), ["the joint `arm` has no pieces in run 0", "[posture]"]),
        (format!("{head}{rail}arm,0,2,0,nan\n"), ["pieces.csv:3: holds the number NaN", "finite"]),
        (format!("{head}{rail}arm,0,2,0,\n"), ["pieces.csv:3: column `c1` is null", "write 0"]),
        (format!("{head}{rail}arn,0,2,0,0\n"), ["pieces.csv:3: `arn` is no joint", "did you mean `arm`?"]),
        ("joint,t0_s,t1_s,c0,c2\n".to_owned(), ["has a column `c2`, and no column `c1`", "add `c1`"]),
        ("joint,t0_s,t1_s,c11\n".to_owned(), ["of a polynomial of degree 11", "degree 10 or less"]),
        ("joint,t1_s,c0\n".to_owned(), ["has no column `t0_s`", "pieces have the columns"]),
        ("frame,time_s,arm,rail\n0,0,0,0\n".to_owned(), ["has no column `joint`", "another `between`"]),
        (head.to_owned(), ["holds no pieces", "write a row"]),
        (
            "joint,degree,knots,control\nrail,1,0 0 2 2,0 1\narm,2,0 0 2 2,0 1\n".to_owned(),
            ["has 2 control values and 4 knots of a spline of degree 2", "degree + 1 knots more"],
        ),
        (
            "joint,degree,knots,control\nrail,1,0 0 2 2,0 1\narm,1,0 2 0 2,0 1\n".to_owned(),
            ["the knot 0 comes after 2", "sort the knots"],
        ),
        (
            "joint,degree,knots,control\nrail,1,0 0 2 2,0 1\narm,11,0 0 2 2,0 1\n".to_owned(),
            ["has the degree 11", "of degree 10 or less"],
        ),
        (
            "joint,degree,knots,control\nrail,1,0 0 2 2,0 1\narm,1,0 0 2 x,0 1\n".to_owned(),
            ["`x` in a list is no number", "help:"],
        ),
    ] {
        fs::write(dir.join("pieces.csv"), &text).expect("written");
        write(dir, "pieces.csv", "");
        let (_, error) = expect(dir, "run scene.toml --out no", 1);
        assert!(parts.iter().all(|part| error.contains(part)) && !dir.join("no").exists(), "{text}: {error}");
    }
    for (text, parts) in [
        ("{", ["is no JSON", "write a list of pieces"]),
        ("{}", ["holds no list of pieces", "help:"]),
        (r#"[{"joint": "arm", "t0_s": 0, "t1_s": 1, "c0": 0, "c2": 1}]"#, ["row 0 (from 0): has no `c1`", "write 0"]),
        (r#"[{"joint": "arm", "t0_s": 0, "t1": 1, "c0": 0}]"#, ["has the unknown key `t1`", "help:"]),
        (r#"[{"joint": "arm", "t0_s": 0, "t1_s": 1}]"#, ["has neither coefficients nor control values", "help:"]),
        (
            r#"[{"joint": "arm", "t0_s": 0, "t1_s": 1, "c0": 0, "control": [0]}]"#,
            ["has coefficients and control values", "help:"],
        ),
    ] {
        fs::write(dir.join("pieces.json"), text).expect("written");
        write(dir, "pieces.json", "");
        let (_, error) = expect(dir, "run scene.toml --out no", 1);
        assert!(parts.iter().all(|part| error.contains(part)), "{text}: {error}");
    }
}

#[test]
fn keys_of_splines_that_do_not_fit_are_named() {
    let scratch = tempfile::tempdir().expect("scratch");
    let dir = scratch.path();
    fs::write(dir.join("pieces.csv"), POLYNOMIALS).expect("written");
    for (motion, parts) in [
        ("step_s = 0\n", ["0 is no time between frames", "more than 0"]),
        ("samples = 2.5\n", ["2.5 is no number of equal parts", "whole number"]),
        ("step_s = 1\nsamples = 2\n", ["stands beside `step_s`", "keep one"]),
        ("max_gap = 2\n", ["is about rows that are missing", "no interval along one is a gap"]),
        ("wrap = \"shortest\"\n", ["only joints wrap", "help:"]),
        ("step_s = 1e-9\n", ["more than 1,000,000,000 frames", "longer `step_s`"]),
    ] {
        write(dir, "pieces.csv", motion);
        let (_, error) = expect(dir, "run scene.toml --out no", 1);
        assert!(parts.iter().all(|part| error.contains(part)), "{motion}: {error}");
    }
    write(dir, "pieces.csv", "");
    let (_, error) = expect(dir, "run scene.toml --out no --between joint", 1);
    assert!(error.contains("joint") && error.contains("help:"), "{error}");
    let text = fs::read_to_string(dir.join("scene.toml")).expect("read").replace("\"spline\"", "\"joint\"\nstep_s = 1");
    fs::write(dir.join("scene.toml"), text).expect("written");
    let (_, error) = expect(dir, "run scene.toml --out no", 1);
    assert!(error.contains("places frames along splines"), "{error}");
}
