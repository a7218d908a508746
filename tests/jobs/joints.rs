//! Joints from outside: first contacts against closed forms, tables of values, what they make of a
//! scene, and what is refused.

use super::program::expect;
use clearsweep_testing::folder::tables;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// A ball on an arm beside a wall whose face is the plane y = 0.5, and one above it whose face is z
/// = 0.3.
pub(super) const ARM: &str = r#"
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
name = "roof"
shape = { box = [20, 20, 1] }
static = true
position = [0, 0, 0.8]
"#;

fn write(dir: &Path, text: &str) {
    let head = "[scene]\nlength_unit = \"m\"\n[query]\nwithin = 0.05\ntouch = 1e-9\n";
    fs::write(dir.join("scene.toml"), format!("{head}{text}")).expect("written");
}

pub(super) fn manifest(dir: &Path) -> Value {
    serde_json::from_slice(&fs::read(dir.join("manifest.json")).expect("read")).expect("an object")
}

/// The first contact of a job: the joint's values, or, where several move, shares of all steps.
fn first(dir: &Path, steps: f64) -> [f64; 2] {
    let found = &manifest(dir)["summary"]["intervals"]["first_contact"];
    let of = |key: &str| found["joint"][key].as_f64();
    let share = |key: &str| (found["frame"].as_f64().expect("a frame") + found[key].as_f64().expect("a share")) / steps;
    [of("lo").unwrap_or_else(|| share("contact_lo")), of("hi").unwrap_or_else(|| share("contact_hi"))]
}

/// Holds a first contact against a value, to a millionth of a range.
fn assert_contact([lo, hi]: [f64; 2], value: f64, range: f64, what: &str) {
    assert!(
        lo <= value + 1e-8 && value - 1e-8 <= hi + 1e-9 && hi - lo <= 1e-6 * range,
        "{what}: {lo} to {hi}, and {value}"
    );
}

#[test]
fn first_contacts_are_those_of_closed_forms() {
    let scratch = tempfile::tempdir().expect("scratch");
    let dir = scratch.path();
    let ball = "child = \"ball\"\n";
    let joint = |kind: &str, rest: &str| {
        format!("{ARM}[[joint]]\nname = \"j\"\ntype = \"{kind}\"\n{ball}{rest}[[sweep]]\nsteps = 12\n")
    };
    // The ball's middle is at 2 sin(q).
    write(dir, &joint("revolute", "axis = [0, 0, 1]\nrange = [\"0deg\", \"40deg\"]\n"));
    let (text, _) = expect(dir, "run scene.toml --out lid", 0);
    let angle = (0.4_f64 / 2.0).asin();
    assert_contact(first(&dir.join("lid"), 12.0), angle, 40_f64.to_radians(), "lid");
    assert!(
        text.contains("first contact: ball and wall")
            && text.contains("j from 11.53695")
            && text.contains("between = joint"),
        "{text}"
    );
    write(dir, &joint("prismatic", "axis = [0, 2, 0]\nrange = [0, \"900mm\"]\n"));
    let (listed, _) = expect(dir, "check scene.toml", 0);
    assert!(listed.contains("j: slides, 0 m to 0.9 m\n"), "{listed}");
    expect(dir, "run scene.toml --out drawer", 0);
    assert_contact(first(&dir.join("drawer"), 12.0), 0.4, 0.9, "drawer");
    // Down is away from the roof, and the ball turns about its own middle.
    write(
        dir,
        &joint("screw", "axis = [0, 0, 1]\norigin = [2, 0, 0]\npitch = \"100mm\"\nrange = [\"0deg\", \"1080deg\"]\n"),
    );
    expect(dir, "run scene.toml --out screw", 0);
    assert_contact(first(&dir.join("screw"), 12.0), 0.2 / 0.1 * std::f64::consts::TAU, 1080_f64.to_radians(), "screw");
    // Four links of half a metre, all turned alike: y = sum of sin(k q) / 2.
    let mut text = String::from(ARM);
    for k in 0..4 {
        let parent = if k == 0 { String::new() } else { format!("parent = \"link-{k}\"\n") };
        let child = if k == 3 { "ball".to_owned() } else { format!("link-{}", k + 1) };
        if k < 3 {
            text += &format!(
                "[[body]]\nname = \"{child}\"\nshape = {{ sphere = 0.01 }}\nposition = [{}, 0, -5]\n",
                0.5 * (k + 1) as f64
            );
        }
        let origin = if k == 0 { "origin = [0, 0, 0]\n" } else { "" };
        text += &format!(
            "[[joint]]\nname = \"j{k}\"\ntype = \"revolute\"\n{parent}child = \"{child}\"\n{origin}axis = [0, 0, 1]\nrange = [\"0deg\", \"20deg\"]\n"
        );
    }
    write(dir, &format!("{text}[[sweep]]\nsteps = 10\n"));
    expect(dir, "run scene.toml --out arm", 0);
    let at = |q: f64| (1..=4).map(|k| 0.5 * (f64::from(k) * q).sin()).sum::<f64>();
    let (mut low, mut high) = (0.0, 20_f64.to_radians());
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        if at(middle) < 0.4 { low = middle } else { high = middle }
    }
    let share = high / 20_f64.to_radians();
    assert_contact(first(&dir.join("arm"), 10.0), share, 1.0, "arm");
}

/// A gantry: a carriage on a rail, a turning hook on it, and a finger that follows the hook.
pub(super) const GANTRY: &str = r#"
[[body]]
name = "carriage"
shape = { box = [0.4, 0.4, 0.2] }
position = [0, 0, 1]
[[body]]
name = "hook"
parts = [{ box = [0.1, 0.1, 0.6] }, { sphere = 0.15, position = [0.3, 0, -0.3] }]
position = [0, 0, 0.6]
[[body]]
name = "bolt"
shape = { sphere = 0.05 }
position = [0, 0, 0.9]
[[body]]
name = "finger"
shape = { capsule = [0.03, 0.2] }
position = [0.3, 0, 0.3]
[[body]]
name = "post"
shape = { cylinder = [0.1, 1, 24] }
static = true
position = [1.2, 0.2, 0]
[[joint]]
name = "rail"
type = "prismatic"
child = "carriage"
axis = [1, 0, 0]
range = [0, 2]
[[joint]]
name = "turn"
type = "revolute"
parent = "carriage"
child = "hook"
axis = [0, 0, 1]
range = ["-90deg", "180deg"]
[[joint]]
name = "bolted"
type = "fixed"
parent = "hook"
child = "bolt"
[[joint]]
name = "grip"
type = "revolute"
parent = "hook"
child = "finger"
axis = [0, 1, 0]
mimic = { joint = "turn", ratio = 0.5, offset = "10deg" }
"#;

#[test]
fn a_sweep_is_the_table_of_its_values_in_any_form() {
    let scratch = tempfile::tempdir().expect("scratch");
    let dir = scratch.path();
    let query = "[query]\nwithin = 0.3\nrequire = 0.05\n";
    let scene = |head: &str, rest: &str| {
        format!(
            "[scene]\nname = \"gantry\"\nlength_unit = \"m\"\n{head}{query}[motion]\nbetween = \"joint\"\n{GANTRY}{rest}"
        )
    };
    let write = |name: &str, text: String| fs::write(dir.join(name), text).expect("written");
    write(
        "sweep.toml",
        scene("", "[[sweep]]\nsteps = 20\n[[sweep]]\njoints = [\"turn\"]\nsteps = 70\n[posture]\nrail = \"400mm\"\n"),
    );
    expect(dir, "run sweep.toml --out o --threads 1", 3);
    // The samples are the table of another scene.
    let rows = expect(dir, "export o --csv --table samples --to -", 0).0;
    let lines: Vec<Vec<&str>> = rows.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(lines[0], ["run", "frame", "time_s", "rail", "turn", "grip"]);
    assert_eq!(lines.len(), 1 + 21 + 71);
    let number = |text: &str| text.parse::<f64>().expect("a number");
    for line in &lines[1..] {
        assert!((number(line[5]) - 0.5 * number(line[4]) - 10_f64.to_radians()).abs() < 1e-15, "{line:?}");
    }
    let wide: String =
        lines[1..].iter().map(|line| format!("{},{},{},{}\n", line[0], line[1], line[3], line[4])).collect();
    write("wide.csv", format!("run,frame,rail,turn\n{wide}"));
    write("wide.toml", scene("joints = \"wide.csv\"\n", ""));
    expect(dir, "run wide.toml --out wide --threads 2", 3);
    let long: String = lines[1..]
        .iter()
        .flat_map(|line| {
            [("turn", line[4]), ("rail", line[3])]
                .map(|(joint, value)| format!("{},{},{joint},{value}\n", line[0], line[1]))
        })
        .collect();
    write("long.csv", format!("run,frame,joint,value\n{long}"));
    write("long.toml", scene("joints = \"long.csv\"\n", ""));
    expect(dir, "run long.toml --out long", 3);
    // But for the columns of the swept joint the tables are the same.
    let same = |one: &str, other: &str, skip: &[&str]| {
        let which = [one, other];
        let [one, other] = [one, other].map(|name| {
            let mut all = tables(&dir.join(name));
            all.retain(|name, _| !skip.iter().any(|skip| name.starts_with(skip)));
            all
        });
        let differ: Vec<_> =
            one.iter().filter(|(name, bytes)| other.get(*name) != Some(*bytes)).map(|(name, _)| name).collect();
        assert!(one == other, "{which:?}: {differ:?}");
    };
    same("o", "wide", &["intervals", "events.parquet"]);
    // The greatest value of the long form is that of all joints, and poses are rounded by it.
    same("wide", "long", &["bodies.parquet"]);
    // Shards, and a job that goes on.
    for shard in [1, 0, 2] {
        expect(dir, &format!("run sweep.toml --shard {shard}/3 --out s"), 0);
    }
    expect(dir, "merge s --out merged", 3);
    same("o", "merged", &[]);
    expect(dir, "verify o merged", 0);
    // Degrees and millimetres.
    let scaled: String = lines[1..]
        .iter()
        .map(|line| format!("{},{},{},{}\n", line[0], line[1], 1000.0 * number(line[3]), number(line[4]).to_degrees()))
        .collect();
    write("scaled.csv", format!("run,frame,x,q_turn\n{scaled}"));
    let columns = "[columns]\nangles = \"deg\"\nrail = { name = \"x\", unit = \"mm\" }\nturn = \"q_turn\"\n";
    write("scaled.toml", scene("joints = \"scaled.csv\"\n", columns));
    expect(dir, "run scaled.toml --out scaled", 3);
    assert_eq!(manifest(&dir.join("scaled"))["summary"]["rows"], manifest(&dir.join("o"))["summary"]["rows"]);
}

#[test]
fn bodies_that_one_joint_moves_are_no_pair_and_fixed_ones_stand() {
    let scratch = tempfile::tempdir().expect("scratch");
    let dir = scratch.path();
    write(dir, &format!("{GANTRY}[[sweep]]\npath = \"grid\"\nsteps = 6\n"));
    let (text, _) = expect(dir, "run scene.toml --out o", 0);
    // Six bodies; hook and bolt move together.
    assert!(
        text.contains("input     49 frames, 7 runs") && text.contains("10 possible in a run, 1 of them ignored"),
        "{text}"
    );
    let rules = &manifest(&dir.join("o"))["ignored"];
    let told = serde_json::to_string(&manifest(&dir.join("o"))).expect("text");
    assert!(told.contains("no joint moves them relative to each other"), "{rules}");
    write(dir, &format!("{GANTRY}[[sweep]]\npath = \"one-by-one\"\nsteps = 9\n"));
    let (text, _) = expect(dir, "run scene.toml --out each", 0);
    assert!(text.contains("input     20 frames, 2 runs"), "{text}");
}

#[test]
fn what_does_not_fit_is_told_at_its_place() {
    let scratch = tempfile::tempdir().expect("scratch");
    let dir = scratch.path();
    let lid = "[[joint]]\nname = \"j\"\ntype = \"revolute\"\nchild = \"ball\"\naxis = [0, 0, 1]\nrange = [\"0deg\", \"40deg\"]\n";
    let sweep = "[[sweep]]\n";
    let free = "[[body]]\nname = \"free\"\nshape = { sphere = 1 }\n";
    let back = "[[joint]]\nname = \"k\"\ntype = \"fixed\"\nchild = \"free\"\nparent = \"ball\"\n";
    for (text, part) in [
        (format!("{ARM}{sweep}"), "the scene has none"),
        (format!("{ARM}{lid}"), "nothing says their values"),
        (format!("{ARM}{sweep}{}", lid.replace("\"0deg\"", "0")), "names no unit"),
        (format!("{ARM}{sweep}{}", lid.replace("40deg", "-4deg")), "ends before it begins"),
        (format!("{ARM}{sweep}{}", lid.replace("[0, 0, 1]", "[0, 0, 0]")), "no direction"),
        (format!("{ARM}{sweep}{}", lid.replace("\"ball\"", "\"bal\"")), "did you mean `ball`"),
        (format!("{ARM}{sweep}{}", lid.replace("\"ball\"", "\"wall\"")), "is static"),
        (format!("{ARM}{sweep}{lid}parent = \"ball\"\n"), "are both `ball`"),
        (format!("{ARM}{free}{sweep}{lid}parent = \"free\"\n{back}"), "close a loop"),
        (format!("{ARM}{sweep}{lid}{}", lid.replace("\"j\"", "\"k\"")), "both carry `ball`"),
        (format!("{ARM}{sweep}{lid}{lid}"), "was used before"),
        (format!("{ARM}{sweep}{lid}pitch = 1\n"), "only a screw has a pitch"),
        (format!("{ARM}{sweep}{lid}mimic = {{ joint = \"j\" }}\n"), "follows itself"),
        (format!("{ARM}{sweep}joints = [\"i\"]\n{lid}"), "`i` is no joint"),
        (format!("{ARM}{sweep}joints = [\"j\", \"j\"]\n{lid}"), "swept twice"),
        (format!("{ARM}{sweep}steps = 0.5\n{lid}"), "no number of steps"),
        (format!("{ARM}{sweep}{lid}[posture]\nj = \"1m\"\n"), "the joint turns"),
        (format!("{ARM}{sweep}{lid}[posture]\nj = \"90deg\"\n"), "outside of the joint's range"),
        (format!("{ARM}{free}{sweep}{lid}"), "no joint carries it"),
        (format!("{ARM}[motion]\nbetween = \"joint\"\n"), "has no `position`"),
        (format!("{ARM}[[robot]]\nurdf = \"none.urdf\"\n"), "none.urdf"),
    ] {
        write(dir, &text);
        let (_, error) = expect(dir, "run scene.toml --out no", 1);
        assert!(error.contains(part) && error.contains("help:") && !dir.join("no").exists(), "{part}: {error}");
    }
    let table = format!("[scene]\nlength_unit = \"m\"\njoints = \"t.csv\"\n[query]\nwithin = 0.05\n{ARM}{lid}");
    for (csv, part) in [
        ("frame,j\n0,0.1\n0,0.2\n", "t.csv:3: run 0, frame 0 has a second row"),
        ("frame,j\n0,0.1\n1,0.9\n", "outside of the range of the joint `j`"),
        ("frame,j\n1,0.1\n0,0.2\n", "comes after run 0, frame 1"),
        ("frame,j\n0,nan\n", "finite"),
        ("frame,k\n0,0.1\n", "has no column `j` for the joint `j`"),
        ("frame,joint,value\n0,jj,0.1\n", "`jj` is no joint"),
        ("frame,joint,value\n0,j,0.1\n0,j,0.2\n", "has a second row"),
    ] {
        fs::write(dir.join("scene.toml"), &table).expect("written");
        fs::write(dir.join("t.csv"), csv).expect("written");
        let (_, error) = expect(dir, "run scene.toml --out no", 1);
        assert!(error.contains(part) && error.contains("help:") && !dir.join("no").exists(), "{part}: {error}");
    }
}

const URDF: &str = r#"<robot name="crane">
  <link name="base"><collision><geometry><box size="0.4 0.4 0.2"/></geometry></collision></link>
  <link name="arm">
    <collision><origin xyz="0.5 0 0" rpy="0 1.5707963267948966 0"/><geometry><cylinder radius="0.05" length="1"/></geometry></collision>
    <collision><origin xyz="1 0 0"/><geometry><sphere radius="0.1"/></geometry></collision>
  </link>
  <link name="tip"><collision><geometry><sphere radius="0.05"/></geometry></collision></link>
  <joint name="slew" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="0 0 0.3"/><axis xyz="0 0 1"/><limit lower="-1" upper="2" effort="1" velocity="1"/></joint>
  <joint name="wrist" type="revolute"><parent link="arm"/><child link="tip"/><origin xyz="1.2 0 0"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
</robot>"#;

#[test]
fn robots_become_bodies_joints_and_rules() {
    let scratch = tempfile::tempdir().expect("scratch");
    let dir = scratch.path();
    fs::write(dir.join("crane.urdf"), URDF).expect("written");
    let srdf = r#"<robot name="crane"><disable_collisions link1="base" link2="tip" reason="Never"/></robot>"#;
    fs::write(dir.join("crane.srdf"), srdf).expect("written");
    let scene = r#"
[[robot]]
urdf = "crane.urdf"
srdf = "crane.srdf"
name = "a"
[[robot]]
urdf = "crane.urdf"
name = "b"
position = [2.8, 0, 0]
orientation = { axis = [0, 0, 1], angle = 180 }
[[body]]
name = "load"
shape = { box = [0.1, 0.1, 0.1] }
position = [1.3, 0, 0.3]
[[joint]]
name = "held"
type = "fixed"
parent = "a/tip"
child = "load"
[[sweep]]
joints = ["a/slew"]
"#;
    write(dir, scene);
    let (text, _) = expect(dir, "run scene.toml --out o", 0);
    // Both bases stand; arm, tip and load of a, arm and tip of b move.
    assert!(text.contains("7 bodies, 5 of them moving") && text.contains("input     59 frames"), "{text}");
    let told = serde_json::to_string(&manifest(&dir.join("o"))).expect("text");
    for part in ["disabled by crane.srdf: Never", "neighbours at a joint", "no joint moves them relative"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let (bodies, _) = expect(dir, "export o --csv --table bodies --to -", 0);
    assert!(bodies.contains("a/arm,") && bodies.contains("b/base,") && bodies.contains("pieces"), "{bodies}");
    // A table may leave out the robot's name where one joint has the last part.
    let table = scene.replace("[[sweep]]\njoints = [\"a/slew\"]\n", "");
    let head =
        "[scene]\nlength_unit = \"m\"\njoints = \"t.csv\"\n[query]\nwithin = 0.05\n[motion]\nbetween = \"joint\"\n";
    fs::write(
        dir.join("scene.toml"),
        format!("{head}{table}[posture]\n\"b/slew\" = \"5deg\"\n\"b/wrist\" = \"0deg\"\n"),
    )
    .expect("written");
    fs::write(dir.join("t.csv"), "frame,slew,wrist\n0,0,0\n1,0.1,0.2\n").expect("written");
    let (_, error) = expect(dir, "run scene.toml --out no", 1);
    assert!(error.contains("for the joint `a/slew`"), "{error}");
    fs::write(dir.join("t.csv"), "frame,a/slew,a/wrist\n0,0,0\n1,0.1,0.2\n").expect("written");
    expect(dir, "run scene.toml --out t", 0);
}

#[cfg(feature = "ndarray")]
#[test]
fn an_array_is_the_table_of_its_values_and_what_does_not_fit_is_refused() {
    use clearsweep::{Job, JointArray, ParquetTables, PoseSource, Scene};
    use ndarray::Array2;
    let scratch = tempfile::tempdir().expect("scratch");
    let dir = scratch.path();
    let head = "[scene]\nname = \"gantry\"\nlength_unit = \"m\"\njoints = \"t.csv\"\n[columns]\nangles = \"deg\"\nframe = \"tick\"\n";
    let text = format!("{head}[query]\nwithin = 0.3\n[motion]\nbetween = \"joint\"\n{GANTRY}");
    fs::write(dir.join("scene.toml"), text).expect("written");
    // The order of columns is not that of the scene.
    let values = Array2::from_shape_fn((40, 2), |(k, joint)| if joint == 0 { 3.0 * k as f64 } else { 0.05 * k as f64 });
    let rows: String = values.outer_iter().zip(0..).map(|(row, k)| format!("{k},{},{}\n", row[0], row[1])).collect();
    fs::write(dir.join("t.csv"), format!("tick,turn,rail\n{rows}")).expect("written");
    let scene = clearsweep::SceneBuilder::load(&dir.join("scene.toml"), &clearsweep::SceneOverrides::default())
        .expect("a scene");
    fn run<'a>(scene: &'a Scene, source: PoseSource<'a>, to: &Path) -> clearsweep::Result<()> {
        Job::new(scene).poses(source).run(&mut ParquetTables::new(to)).map(drop)
    }
    run(&scene, PoseSource::files(), &dir.join("file")).expect("a job");
    let names = ["turn", "rail"];
    let turned = values.t().to_owned();
    let file = tables(&dir.join("file"));
    assert!(file.contains_key(Path::new("samples.parquet")) && file.len() > 4, "{:?}", file.keys());
    for (view, name) in [(values.view(), "rows"), (turned.view().reversed_axes(), "columns")] {
        run(&scene, PoseSource::joint_array(JointArray::new(view, names)), &dir.join(name)).expect("a job");
        let found = tables(&dir.join(name));
        let names: Vec<_> = found.keys().collect();
        assert!(names.iter().eq(&file.keys().collect::<Vec<_>>()), "{names:?}");
        let differ: Vec<_> =
            file.iter().filter(|(path, bytes)| found.get(*path) != Some(bytes)).map(|(path, _)| path).collect();
        // Rounding steps are those of files.
        assert_eq!(differ, [Path::new("bodies.parquet")], "{name}");
    }
    let mut bad = values.clone();
    bad[[7, 1]] = f64::NAN;
    fn refused<'a>(scene: &'a Scene, array: JointArray<'a>, words: &[&str]) {
        let scratch = tempfile::tempdir().expect("scratch");
        let error = run(scene, PoseSource::joint_array(array), &scratch.path().join("no")).expect_err("refused");
        let text = format!("{error} / {}", error.remedy);
        assert!(words.iter().all(|word| text.contains(word)), "{text} should say {words:?}");
        assert!(!scratch.path().join("no").exists(), "{text}");
    }
    refused(&scene, JointArray::new(bad.view(), names), &["array of joint values, sample 7 (from 0)", "`rail` is NaN"]);
    bad[[7, 1]] = 2.5;
    refused(&scene, JointArray::new(bad.view(), names), &["sample 7", "outside of the range of the joint `rail`"]);
    refused(&scene, JointArray::new(values.view(), ["turn"]), &["(40, 2)", "1 joints are named"]);
    refused(&scene, JointArray::new(values.view(), ["turn", "turn"]), &["`turn` is named twice"]);
    refused(&scene, JointArray::new(values.view(), ["turn", "frame"]), &["`frame` is named twice"]);
    refused(&scene, JointArray::new(values.view(), ["turn", "rial"]), &["has no column `rail`"]);
    refused(&scene, JointArray::new(values.view(), names).times([0.0]), &["1 times are given"]);
    let three = Array2::zeros((3, 3));
    refused(
        &scene,
        JointArray::new(three.view(), ["turn", "rail", "tunr"]),
        &["`tunr` is no joint", "did you mean `turn`"],
    );
    let poses = ndarray::Array3::zeros((1, 1, 7));
    let source = PoseSource::array(clearsweep::PoseArray::new(poses.view(), ["hook"]));
    assert!(run(&scene, source, &dir.join("no")).expect_err("refused").problem.contains("joints carry the bodies"));
}

/// A cube of 20 cm about the origin, in centimetres.
const COLLADA: &str = r##"<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="centimeter" meter="0.01"/><up_axis>Z_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="s"><float_array id="f" count="24">-10 -10 -10 10 -10 -10 10 10 -10 -10 10 -10 -10 -10 10 10 -10 10 10 10 10 -10 10 10</float_array>
<technique_common><accessor source="#f" count="8" stride="3"><param name="X"/><param name="Y"/><param name="Z"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
<polylist count="6"><input semantic="VERTEX" source="#v" offset="0"/><vcount>4 4 4 4 4 4</vcount>
<p>0 3 2 1 4 5 6 7 0 1 5 4 1 2 6 5 2 3 7 6 3 0 4 7</p></polylist>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="w"><node><instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#w"/></scene></COLLADA>
"##;

#[test]
fn meshes_of_collada_are_solids_in_metres() {
    let scratch = tempfile::tempdir().expect("scratch");
    let dir = scratch.path();
    fs::write(dir.join("cube.dae"), COLLADA).expect("written");
    // The gaps are 0.3 m, of links twice as large as well: the file's unit holds whatever the
    // scene's is.
    let robot = r#"<robot name="r"><link name="base"><collision><geometry><mesh filename="cube.dae" scale="2 2 2"/></geometry></collision></link></robot>"#;
    fs::write(dir.join("r.urdf"), robot).expect("written");
    let text = r#"
[scene]
length_unit = "mm"
[query]
within = 1000
[[body]]
name = "cube"
geometry = "cube.dae"
static = true
[[body]]
name = "exact"
geometry = "cube.dae"
model = "mesh"
static = true
position = [500, 0, 0]
[[robot]]
urdf = "r.urdf"
position = [0, 600, 0]
"#;
    fs::write(dir.join("scene.toml"), text).expect("written");
    expect(dir, "run scene.toml --out o", 0);
    let rows = expect(dir, "export o --csv --table distances --to -", 0).0;
    let lines: Vec<Vec<&str>> = rows.lines().map(|line| line.split(',').collect()).collect();
    let at = |name: &str| lines[0].iter().position(|column| *column == name).expect(name);
    let of = |a: &str, b: &str| {
        let is_pair = |line: &&Vec<&str>| line[at("body_a")] == a && line[at("body_b")] == b;
        lines.iter().find(is_pair).unwrap_or_else(|| panic!("{rows}"))[at("distance_m")]
            .parse::<f64>()
            .expect("a number")
    };
    for (a, b) in [("cube", "exact"), ("cube", "r/base")] {
        assert!((of(a, b) - 0.3).abs() < 1e-12, "{a}, {b}: {rows}");
    }
    fs::write(dir.join("cube.dae"), COLLADA.replace("<p>0 3", "<p>0 9")).expect("written");
    let (_, error) = expect(dir, "run scene.toml --out no", 1);
    assert!(error.contains("cube.dae:8") && error.contains("help:") && !dir.join("no").exists(), "{error}");
}

#[test]
fn check_lists_the_joints_and_whom_they_follow() {
    let scratch = tempfile::tempdir().expect("scratch");
    let dir = scratch.path();
    let joint = |name: &str, more: &str| {
        format!("[[joint]]\nname = \"{name}\"\ntype = \"revolute\"\naxis = [0, 0, 1]\n{more}\n")
    };
    let bodies = "[[body]]\nname = \"a\"\nshape = { sphere = 0.1 }\n[[body]]\nname = \"b\"\nshape = { sphere = 0.1 }\nposition = [0, 0, 0.15]\n";
    let drive = joint("drive", "child = \"a\"\nrange = [\"0deg\", \"90deg\"]");
    let geared = joint("geared", "child = \"b\"\nmimic = { joint = \"drive\" }");
    write(dir, &format!("{bodies}{geared}{drive}[[sweep]]\n"));
    let (text, _) = expect(dir, "check scene.toml", 0);
    assert!(text.contains("drive: turns, 0 deg to 90 deg\n"), "{text}");
    assert!(text.contains("geared: turns, 1 times drive and 0 deg"), "{text}");
    // Ways are in the unit of the scene.
    let drawer =
        "[[joint]]\nname = \"drawer\"\ntype = \"prismatic\"\nchild = \"a\"\naxis = [0, 1, 0]\nrange = [0, 400]\n";
    let tray = "[[body]]\nname = \"a\"\nshape = { box = [400, 400, 100] }\n";
    let scene = format!("[scene]\nlength_unit = \"mm\"\n[query]\nwithin = 50\n{tray}{drawer}[[sweep]]\n");
    fs::write(dir.join("scene.toml"), scene).expect("written");
    let (text, _) = expect(dir, "check scene.toml", 0);
    assert!(text.contains("drawer: slides, 0 mm to 400 mm\n"), "{text}");
    write(dir, &format!("{bodies}{geared}{drive}[[sweep]]\n"));
    // The column has the name of the joint that is followed, though it comes later.
    expect(dir, "run scene.toml --out o", 0);
    let (samples, _) = expect(dir, "export o --csv --table samples --to -", 0);
    let head = samples.lines().next().expect("a header");
    assert!(head.contains("drive") && head.contains("geared"), "{head}");
    fs::write(dir.join("t.csv"), "frame,drive\n0,0.1\n1,0.2\n").expect("written");
    expect(dir, "run scene.toml --trajectories t.csv --out t", 0);
    assert!(tables(&dir.join("t")).contains_key(Path::new("samples.parquet")));
    fs::write(dir.join("t.csv"), "frame,geared\n0,0.1\n1,0.2\n").expect("written");
    let (_, error) = expect(dir, "run scene.toml --trajectories t.csv --out no", 1);
    assert!(error.contains("has no column `drive`"), "{error}");
}
