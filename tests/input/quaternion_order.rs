//! Poses whose quaternions are in another order than the columns say: what is warned of, and what
//! is not.

use crate::program::expect;
use clearsweep_testing::random::Random;
use clearsweep_testing::trajectories::{Row, Shaping, random_pose, write};
use serde_json::Value;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// The warnings of the kind `quaternions` that a check of a scene has.
fn found(dir: &Path, scene: &str) -> Vec<String> {
    let (out, _) = expect(dir, &format!("check {scene} --json"), 0);
    let found: Value = serde_json::from_str(&out).expect("one JSON object");
    let all = found["warnings"].as_array().expect("a list").iter();
    all.filter(|warning| warning["kind"] == "quaternions").map(|warning| warning["problem"].to_string()).collect()
}

type Quaternion = [f64; 4];

fn product(a: Quaternion, b: Quaternion) -> Quaternion {
    let ([aw, ax, ay, az], [bw, bx, by, bz]) = (a, b);
    [
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    ]
}

fn turned(q: Quaternion, v: [f64; 3]) -> [f64; 3] {
    let conjugate = [q[0], -q[1], -q[2], -q[3]];
    let [_, x, y, z] = product(product(q, [0.0, v[0], v[1], v[2]]), conjugate);
    [x, y, z]
}

fn about(axis: usize, angle: f64) -> Quaternion {
    let mut q = [(angle / 2.0).cos(), 0.0, 0.0, 0.0];
    q[axis + 1] = (angle / 2.0).sin();
    q
}

/// How the components w, x, y, z come into the columns qw, qx, qy, qz.
type Order = fn(Quaternion) -> Quaternion;

const NAMED: Order = |q| q;
const SCALAR_LAST: Order = |[w, x, y, z]| [x, y, z, w];
const SCALAR_FIRST: Order = |[w, x, y, z]| [z, w, x, y];

/// The poses of bodies in a frame, as (name, position, orientation).
type Poses = Vec<(String, [f64; 3], Quaternion)>;

/// Writes a scene `NAME.toml` of such bodies, with keys for each, and their trajectories.
fn scene(dir: &Path, name: &str, frames: i64, order: Order, keys: &str, poses: impl Fn(i64) -> Poses) {
    let mut rows = Vec::new();
    let mut text = format!(
        "[scene]\nlength_unit = \"m\"\ntrajectories = \"{name}.parquet\"\n[query]\nwithin = 0.05\n\
         [[body]]\nname = \"floor\"\nstatic = true\nshape = {{ box = [3, 3, 0.2] }}\nposition = [0, 0, -0.1]\n"
    );
    for (body, ..) in poses(0) {
        text += &format!("[[body]]\nname = \"{body}\"\n{keys}\n");
    }
    for frame in 0..frames {
        for (body, [x, y, z], q) in poses(frame) {
            let [a, b, c, d] = order(q);
            rows.push(Row { run: 0, frame, time: 0.02 * frame as f64, body, pose: [x, y, z, a, b, c, d] });
        }
    }
    write(&dir.join(format!("{name}.parquet")), &rows, &Shaping::default());
    fs::write(dir.join(format!("{name}.toml")), text).expect("written");
}

/// A robot arm of six joints on a base that rests, as a controller logs it.
fn arm(frame: i64) -> Poses {
    let t = 0.02 * frame as f64;
    let (mut position, mut q) = ([0.5, -1.0, 0.0], about(2, 0.0));
    let mut poses = vec![("base".to_owned(), position, q)];
    let links = [[0.0, 0.0, 0.4], [0.1, 0.0, 0.3], [0.0, 0.0, 0.6], [0.2, 0.0, 0.1], [0.4, 0.0, 0.0], [0.1, 0.0, 0.0]];
    for (k, (axis, link)) in [2, 1, 1, 0, 1, 0].into_iter().zip(links).enumerate() {
        let step = turned(q, link);
        position = std::array::from_fn(|axis| position[axis] + step[axis]);
        q = product(q, about(axis, 0.6 * (0.7 * t + k as f64).sin() + 0.3 * k as f64));
        poses.push((format!("link-{}", k + 1), position, q));
    }
    poses
}

const LINK: &str = "shape = { capsule = [0.05, 0.3] }";

#[test]
fn a_robot_arm_tells_the_order() {
    let dir = tempfile::tempdir().expect("scratch");
    let dir = dir.path();
    let orders = [
        ("named", NAMED, None),
        ("last", SCALAR_LAST, Some("x, y, z, w")),
        ("first", SCALAR_FIRST, Some("w, x, y, z under")),
    ];
    // Links in their own frame, and links drawn where they stand in the plant, far from the origin
    // of their frame.
    let far = "shape = { points = [[80, 0, 0], [80.1, 0, 0], [80, 0.1, 0], [80, 0, 0.3]] }";
    for (place, keys, frames) in [("near", LINK, 400), ("far", far, 400), ("short", LINK, 130)] {
        for (name, order, words) in orders {
            let name = format!("{place}-{name}");
            scene(dir, &name, frames, order, keys, arm);
            let warnings = found(dir, &format!("{name}.toml"));
            match words {
                None => assert!(warnings.is_empty(), "{name}: {warnings:?}"),
                Some(words) => {
                    assert!(warnings.len() == 1 && warnings[0].contains(words), "{name}: {warnings:?}");
                    let told = &warnings[0];
                    assert!(
                        told.contains("hang together to 0 m in") || told.contains("hang together to 0.00"),
                        "{name}: {told}"
                    );
                    assert!(told.contains(" m in that of the columns") && !told.contains(" mm"), "{name}: {told}");
                }
            }
        }
    }
}

#[test]
fn a_run_says_it_once_on_stderr_and_in_the_manifest() {
    let dir = tempfile::tempdir().expect("scratch");
    let dir = dir.path();
    scene(dir, "good", 200, NAMED, LINK, arm);
    let (_, err) = expect(dir, "run good.toml --out good --progress none", 0);
    assert!(!err.contains("warning"), "{err}");
    scene(dir, "wrong", 200, SCALAR_LAST, LINK, arm);
    let text = fs::read_to_string(dir.join("wrong.toml")).expect("a scene");
    let huge = "[[body]]\nname = \"imported\"\nstatic = true\nshape = { sphere = 300 }\nposition = [0, 0, 900]\n";
    fs::write(dir.join("wrong.toml"), text + huge).expect("written");
    for json in ["", " --json"] {
        let (out, err) = expect(dir, &format!("run wrong.toml --out wrong --force --progress none{json}"), 0);
        assert_eq!(err.matches("warning:").count(), 2, "{err}");
        assert_eq!(err.matches("hang together").count(), 1, "{err}");
        assert!(err.contains("`imported`: ") && err.contains("  help: were the quaternions"), "{err}");
        assert!(!out.contains("hang together"), "{out}");
    }
    let manifest = fs::read_to_string(dir.join("wrong/manifest.json")).expect("a manifest");
    let manifest: Value = serde_json::from_str(&manifest).expect("JSON");
    let kinds: Vec<&str> = manifest["warnings"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|warning| warning["kind"].as_str())
        .collect();
    assert_eq!(kinds, ["size", "quaternions"]);
    assert_eq!(manifest["warnings"][0]["bodies"], serde_json::json!(["imported"]));
}

#[test]
fn vehicles_and_pendulums_tell_the_order() {
    let dir = tempfile::tempdir().expect("scratch");
    let dir = dir.path();
    let vehicles = |frame: i64| -> Poses {
        let vehicle = |k: usize| {
            let turn = 0.03 * frame as f64 + 1.3 * k as f64;
            let at = [2.0 * k as f64 + 0.5 * turn.cos() + 0.01 * frame as f64, 0.7 * (0.8 * turn).sin(), 0.3];
            (format!("truck-{k}"), at, about(2, 1.5 * turn.sin() + 0.4))
        };
        (0..3).map(vehicle).collect()
    };
    // A load that swings below a hook, beside a stand that rests.
    let pendulum = |frame: i64| -> Poses {
        let q = product(about(0, 0.5 * (0.05 * frame as f64).sin()), about(1, 0.6 * (0.07 * frame as f64).cos()));
        let [x, y, z] = turned(q, [0.0, 0.0, -2.0]);
        vec![("load".to_owned(), [x, y, 3.0 + z], q), ("stand".to_owned(), [2.0, 0.0, 0.4], [1.0, 0.0, 0.0, 0.0])]
    };
    let block = "shape = { box = [0.8, 0.4, 0.4] }";
    for (name, part) in [("vehicles", "180 degrees"), ("pendulum", "the world hang together")] {
        let poses = |frame: i64| if name == "vehicles" { vehicles(frame) } else { pendulum(frame) };
        for (order, wrong) in [(NAMED, false), (SCALAR_LAST, true)] {
            scene(dir, name, 300, order, block, poses);
            let warnings = found(dir, &format!("{name}.toml"));
            assert_eq!(warnings.len(), usize::from(wrong), "{name}: {warnings:?}");
            assert!(warnings.iter().all(|warning| warning.contains(part)), "{name}: {warnings:?}");
        }
    }
}

#[test]
fn bodies_at_rest_tell_the_order_unless_another_is_level() {
    type Case = (&'static str, Quaternion, fn(i64) -> Quaternion, Order, bool);
    let dir = tempfile::tempdir().expect("scratch");
    let dir = dir.path();
    let backwards = about(2, std::f64::consts::PI);
    let upright = [1.0, 0.0, 0.0, 0.0];
    let yawed = |frame: i64| about(2, 0.3 + 0.002 * frame as f64);
    let cases: [Case; 4] = [
        // The cart pitches, so that it is level in neither order.
        ("wrong", upright, |frame| about(1, 0.3 + 0.002 * frame as f64), SCALAR_LAST, true),
        ("right", upright, |frame| about(1, 0.3 + 0.002 * frame as f64), NAMED, false),
        ("cart-upright", backwards, |_| [1.0, 0.0, 0.0, 0.0], NAMED, false),
        ("cart-yawed", backwards, yawed, NAMED, false),
    ];
    for (name, machine, cart, order, wrong) in cases {
        let poses = |frame: i64| -> Poses {
            let machines = (0..3).map(|k| (format!("machine-{k}"), [3.0 * k as f64, 0.0, 0.5], machine));
            machines.chain([("cart".to_owned(), [0.05 * frame as f64, 9.0, 0.5], cart(frame))]).collect()
        };
        scene(dir, name, 100, order, "shape = { box = [1, 1, 1] }", poses);
        let warnings = found(dir, &format!("{name}.toml"));
        assert_eq!(warnings.len(), usize::from(wrong), "{name}: {warnings:?}");
        assert!(warnings.iter().all(|warning| warning.contains("bodies at rest are turned")), "{name}: {warnings:?}");
    }
}

#[test]
fn bodies_without_joints_are_not_suspected() {
    let dir = tempfile::tempdir().expect("scratch");
    let dir = dir.path();
    for seed in 0..20 {
        // Free flight: straight lines, and turns about axes of their own.
        let mut random = Random(seed);
        let draws: Vec<[f64; 7]> = (0..4).map(|_| random_pose(&mut random)).collect();
        let flight = |frame: i64| -> Poses {
            let t = 0.02 * frame as f64;
            let body = |(k, draw): (usize, &[f64; 7])| {
                let at = std::array::from_fn(|axis| 0.02 * draw[axis] + t * draw[(axis + k) % 3] * 0.05);
                let start = [draw[3], draw[4], draw[5], draw[6]];
                (format!("body-{k}"), at, product(start, about(k % 3, t * (1.0 + draw[0].abs() / 50.0))))
            };
            draws.iter().enumerate().map(body).collect()
        };
        scene(dir, "flight", 200, NAMED, "shape = { sphere = 0.2 }", flight);
        assert_eq!(found(dir, "flight.toml"), [""; 0], "seed {seed}");
    }
}

#[test]
fn generated_data_sets_are_not_suspected() {
    let dir = TempDir::new().expect("scratch");
    let dir = dir.path();
    for (name, options) in [
        ("crowd", "--bodies 60 --frames 200"),
        ("coherence", "--frames 300 --runs 5"),
        ("coherence", "--frames 300 --runs 5 --omega 10"),
        ("pipe-rack", "--frames 300"),
        ("separation", "--runs 20"),
        ("shop-floor", "--frames 3000 --poses aligned"),
        ("shop-floor", "--frames 3000 --poses headings"),
        ("shop-floor", "--frames 3000 --poses noisy"),
        ("box-grid", "--bodies 60 --frames 40"),
    ] {
        let _ = fs::remove_dir_all(dir.join("set"));
        expect(dir, &format!("generate {name} --out set {options}"), 0);
        assert_eq!(found(dir, "set/scene.toml"), [""; 0], "{name} {options}");
    }
}
