//! Robots on the move: planar and floating joints, free bodies, random postures, and the SRDF that
//! `check` proposes.

use super::program::expect;
use clearsweep_model::Scene;
use clearsweep_scene::SceneOverrides;
use clearsweep_testing::folder::tables;
use clearsweep_testing::random::Random;
use serde_json::Value;
use std::fs;
use std::path::Path;

type Matrix = [[f64; 3]; 3];

fn product(a: Matrix, b: Matrix) -> Matrix {
    let cell = |i: usize, j: usize| (0..3).map(|k| a[i][k] * b[k][j]).sum();
    [0, 1, 2].map(|i| [0, 1, 2].map(|j| cell(i, j)))
}

fn applied(m: Matrix, v: [f64; 3]) -> [f64; 3] {
    m.map(|row| row[0] * v[0] + row[1] * v[1] + row[2] * v[2])
}

fn sum(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt()
}

/// Rodrigues' formula.
fn about([x, y, z]: [f64; 3], angle: f64) -> Matrix {
    let (s, c) = angle.sin_cos();
    let v = 1.0 - c;
    [
        [c + x * x * v, x * y * v - z * s, x * z * v + y * s],
        [y * x * v + z * s, c + y * y * v, y * z * v - x * s],
        [z * x * v - y * s, z * y * v + x * s, c + z * z * v],
    ]
}

/// The matrix of roll, pitch and yaw about fixed axes.
fn rpy([roll, pitch, yaw]: [f64; 3]) -> Matrix {
    let turns = [([0.0, 0.0, 1.0], yaw), ([0.0, 1.0, 0.0], pitch), ([1.0, 0.0, 0.0], roll)];
    turns.into_iter().map(|(axis, angle)| about(axis, angle)).reduce(product).expect("three")
}

/// World position, metres, of a point of a slot's body at values of joints by name; others are 0.
fn place(scene: &Scene, slot: usize, values: &[(&str, f64)], point: [f64; 3]) -> [f64; 3] {
    let tree = &scene.joints.as_ref().expect("joints").tree;
    let named: Vec<&str> = tree.columns().map(|joint| &*joint.name).collect();
    assert!(values.iter().all(|(name, _)| named.contains(name)), "{values:?} of {named:?}");
    let value = |name: &&str| values.iter().find(|(known, _)| known == name).map_or(0.0, |(_, value)| *value);
    let mut links = Vec::new();
    tree.links(&named.iter().map(value).collect::<Vec<_>>(), &mut links);
    tree.body(slot, &links).apply(point.into()).to_array()
}

fn loaded(dir: &Path, text: &str) -> Scene {
    let text = format!("[scene]\nlength_unit = \"m\"\n[query]\nwithin = 1\n{text}");
    fs::write(dir.join("scene.toml"), &text).expect("written");
    clearsweep_scene::load_scene(&dir.join("scene.toml"), &SceneOverrides { poses_follow: true, ..Default::default() })
        .expect("a scene")
}

/// A ground, and a cart on it whose joint has the origin (0.3, -0.2, 0.1), turned by roll, pitch
/// and yaw.
fn cart(kind: &str, axis: &str) -> String {
    let box_of = |name: &str| {
        format!("<link name='{name}'><collision><geometry><box size='1 1 1'/></geometry></collision></link>")
    };
    let origin = "<origin xyz='0.3 -0.2 0.1' rpy='0.4 -0.5 0.6'/><parent link='ground'/><child link='cart'/>";
    format!(
        "<robot name='r'>{}{}<joint name='base' type='{kind}'>{origin}{axis}</joint></robot>",
        box_of("ground"),
        box_of("cart")
    )
}

const POINT: [f64; 3] = [0.7, -0.4, 0.9];

fn assert_near(a: [f64; 3], b: [f64; 3], what: &str) {
    assert!(distance(a, b) < 1e-13, "{what}: {a:?} and {b:?}");
}

#[test]
fn a_floating_joint_is_a_translation_and_roll_pitch_and_yaw() {
    let scratch = tempfile::tempdir().expect("scratch");
    fs::write(scratch.path().join("r.urdf"), cart("floating", "")).expect("written");
    let robot = "[[robot]]\nurdf = \"r.urdf\"\nname = \"r\"\n";
    let scene = loaded(scratch.path(), robot);
    assert_eq!((scene.bodies.len(), scene.dynamic.len()), (2, 1));
    // Nothing holds the cart on the ground, so the two are a pair.
    assert!(scene.ignore_rules.is_empty(), "{:?}", scene.ignore_rules);
    // The same by a joint of the scene, whose origin has no turn: the cart keeps its own.
    let text = "[[body]]\nname = \"cart\"\nshape = { box = [1, 1, 1] }\nposition = [0.5, 0.25, -1]\n\
                orientation = { rpy = [10, 20, 30] }\n[[joint]]\nname = \"free\"\ntype = \"floating\"\n\
                child = \"cart\"\norigin = [0.3, -0.2, 0.1]\n";
    let own = loaded(scratch.path(), text);
    let mut random = Random(11);
    for _ in 0..200 {
        let [x, y, z] = [0; 3].map(|_| random.between(-3.0, 3.0));
        let [roll, pitch, yaw] = [0; 3].map(|_| random.between(-4.0, 4.0));
        let named = |joint: &str| {
            [("x", x), ("y", y), ("z", z), ("roll", roll), ("pitch", pitch), ("yaw", yaw)]
                .map(|(value, number)| (format!("{joint}/{value}"), number))
        };
        let (names, own_names) = (named("r/base"), named("free"));
        let values = names.each_ref().map(|(name, value)| (name.as_str(), *value));
        let turned = sum([x, y, z], applied(rpy([roll, pitch, yaw]), POINT));
        let expected = sum([0.3, -0.2, 0.1], applied(rpy([0.4, -0.5, 0.6]), turned));
        assert_near(place(&scene, 0, &values, POINT), expected, "URDF");
        let values = own_names.each_ref().map(|(name, value)| (name.as_str(), *value));
        let at_rest = sum([0.2, 0.45, -1.1], applied(rpy([10_f64, 20.0, 30.0].map(f64::to_radians)), POINT));
        let expected = sum(sum([0.3, -0.2, 0.1], [x, y, z]), applied(rpy([roll, pitch, yaw]), at_rest));
        assert_near(place(&own, 0, &values, POINT), expected, "[[joint]]");
    }
}

#[test]
fn a_planar_joint_slides_across_its_axis_and_turns_about_it() {
    let scratch = tempfile::tempdir().expect("scratch");
    let mut random = Random(12);
    for axis in [[0.0_f64, 0.0, 1.0], [1.0, 0.0, 0.0], [0.48, -0.6, 0.64], [0.0, 0.6, -0.8], [0.0, 0.0, -1.0]] {
        let [nx, ny, nz] = axis;
        let text = cart("planar", &format!("<axis xyz='{nx} {ny} {nz}'/>"));
        fs::write(scratch.path().join("r.urdf"), text).expect("written");
        let scene = loaded(scratch.path(), "[[robot]]\nurdf = \"r.urdf\"\nname = \"r\"\n");
        let told = scene.notes.iter().any(|(_, note)| note.problem.contains("MoveIt moves it across z"));
        assert_eq!(told, axis != [0.0, 0.0, 1.0], "{:?}", scene.notes);
        // The least rotation that takes z to the axis; about x if that is -z.
        let angle = (nx * nx + ny * ny).sqrt().atan2(nz);
        let beside = (nx * nx + ny * ny).sqrt();
        let hinge = if beside == 0.0 { [1.0, 0.0, 0.0] } else { [-ny / beside, nx / beside, 0.0] };
        let lean = about(hinge, angle);
        for _ in 0..50 {
            let [x, y, theta] = [0; 3].map(|_| random.between(-3.0, 3.0));
            let values = [("r/base/x", x), ("r/base/y", y), ("r/base/theta", theta)];
            let moved = sum(applied(lean, [x, y, 0.0]), applied(about(axis, theta), POINT));
            let expected = sum([0.3, -0.2, 0.1], applied(rpy([0.4, -0.5, 0.6]), moved));
            assert_near(place(&scene, 0, &values, POINT), expected, &format!("{axis:?}"));
        }
    }
}

#[test]
fn a_free_body_of_mjcf_has_its_pose_in_the_world_and_stands_where_the_file_puts_it() {
    let scratch = tempfile::tempdir().expect("scratch");
    let quat = "quat='0.2 0.4 -0.4 0.8'";
    let file = format!(
        "<mujoco model='m'><worldbody><geom type='box' size='9 9 0.1'/>\
         <body name='part' pos='0.5 -1 2' {quat}><freejoint/><geom type='box' size='0.1 0.2 0.3'/>\
         <body name='tip' pos='1 0 0'><geom type='box' size='0.1 0.1 0.1'/></body></body>\
         <body name='hand' mocap='true' pos='3 0 0'><geom type='box' size='0.1 0.1 0.1'/></body></worldbody></mujoco>"
    );
    fs::write(scratch.path().join("m.xml"), file).expect("written");
    let robot = "[[robot]]\nmjcf = \"m.xml\"\nname = \"m\"\n";
    let held = loaded(scratch.path(), robot);
    assert!(held.dynamic.is_empty() && held.notes.iter().any(|(_, note)| note.problem.contains("`free = true`")));
    let scene = loaded(scratch.path(), &format!("{robot}free = true\n"));
    assert!(!scene.notes.iter().any(|(_, note)| note.problem.contains("moves freely")), "{:?}", scene.notes);
    let slot =
        |name: &str| scene.dynamic.iter().position(|&body| scene.bodies[body as usize].name == name).expect(name);
    let values: [(&str, f64); 6] = [
        ("m/part/x", 1.0),
        ("m/part/y", 2.0),
        ("m/part/z", 3.0),
        ("m/part/roll", 0.3),
        ("m/part/pitch", -1.2),
        ("m/part/yaw", 2.5),
    ];
    for (name, at) in [("m/part", [0.0; 3]), ("m/tip", [1.0, 0.0, 0.0])] {
        let expected = sum([1.0, 2.0, 3.0], applied(rpy([0.3, -1.2, 2.5]), sum(at, POINT)));
        assert_near(place(&scene, slot(name), &values, POINT), expected, name);
    }
    // Without values: the pose of the file, by the matrix of its quaternion.
    let joints = scene.joints.as_ref().expect("joints");
    let names: Vec<&str> = joints.tree.columns().map(|joint| &*joint.name).collect();
    let home: Vec<(&str, f64)> =
        names.into_iter().zip(&joints.posture).map(|(name, home)| (name, home.expect("a value"))).collect();
    let [w, x, y, z] = [0.2, 0.4, -0.4, 0.8];
    let matrix = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ];
    assert_near(place(&scene, slot("m/part"), &home, POINT), sum([0.5, -1.0, 2.0], applied(matrix, POINT)), "at home");
    assert_near(place(&scene, slot("m/hand"), &home, POINT), sum([3.0, 0.0, 0.0], POINT), "mocap");
}

/// Rows of a table as CSV, without the heading, and the place of a column.
fn csv(dir: &Path, table: &str) -> (Vec<Vec<String>>, impl Fn(&str) -> usize + use<>) {
    let (text, _) = expect(dir, &format!("export o --csv --table {table} --to -"), 0);
    let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<String>>());
    let names = lines.next().expect("a heading");
    (lines.collect(), move |name: &str| names.iter().position(|known| known == name).expect("a column"))
}

#[test]
fn distances_between_frames_are_those_of_the_values_on_their_way() {
    let scratch = tempfile::tempdir().expect("scratch");
    let dir = scratch.path();
    let ball = |name: &str, at: [f64; 3]| {
        let [x, y, z] = at;
        format!(
            "<link name='{name}'><collision><origin xyz='{x} {y} {z}'/><geometry><sphere radius='0.1'/></geometry></collision></link>"
        )
    };
    let (anchor, held) = ([0.4, 1.1, -0.3], [1.5, 0.2, -0.4]);
    let urdf = format!(
        "<robot name='r'>{}{}<joint name='base' type='floating'><parent link='anchor'/><child link='held'/></joint></robot>",
        ball("anchor", anchor),
        ball("held", held)
    );
    fs::write(dir.join("r.urdf"), urdf).expect("written");
    let mut random = Random(13);
    let rows: Vec<[f64; 6]> = (0..40)
        .map(|_| {
            let [x, y, z] = [0; 3].map(|_| random.between(-1.0, 1.0));
            let [roll, pitch, yaw] = [0; 3].map(|_| random.between(-2.0, 2.0));
            [x, y, z, roll, pitch, yaw]
        })
        .collect();
    let lines =
        rows.iter().enumerate().map(|(frame, row)| format!("{frame},{}\n", row.map(|v| v.to_string()).join(",")));
    let heading = ["x", "y", "z", "roll", "pitch", "yaw"].map(|value| format!("base/{value}")).join(",");
    fs::write(dir.join("v.csv"), format!("frame,{heading}\n{}", lines.collect::<String>())).expect("written");
    let scene = "[scene]\nlength_unit = \"m\"\njoints = \"v.csv\"\n[query]\nwithin = 9\n[motion]\nbetween = \"joint\"\n\
                 [[robot]]\nurdf = \"r.urdf\"\nname = \"r\"\n";
    fs::write(dir.join("scene.toml"), scene).expect("written");
    expect(dir, "run scene.toml --out o", 0);
    let at = |[x, y, z, roll, pitch, yaw]: [f64; 6]| {
        distance(anchor, sum([x, y, z], applied(rpy([roll, pitch, yaw]), held))) - 0.2
    };
    let (found, column) = csv(dir, "distances");
    assert_eq!(found.len(), rows.len());
    for (line, row) in found.iter().zip(&rows) {
        let distance: f64 = line[column("distance_m")].parse().expect("a number");
        assert!((distance - at(*row)).abs() < 1e-12, "{line:?}: {}", at(*row));
    }
    // No point is faster than its way and its turns; between two times it errs by less than half of
    // that.
    let (found, column) = csv(dir, "intervals");
    assert_eq!(found.len(), rows.len() - 1);
    let steps = 2000;
    let mut within = 0;
    for (line, ends) in found.iter().zip(rows.windows(2)) {
        let between = |share: f64| [0, 1, 2, 3, 4, 5].map(|k| ends[0][k] + share * (ends[1][k] - ends[0][k]));
        let least = (0..=steps).map(|k| at(between(f64::from(k) / f64::from(steps)))).fold(f64::INFINITY, f64::min);
        let change = [0, 1, 2, 3, 4, 5].map(|k| (ends[1][k] - ends[0][k]).abs());
        let speed = change[..3].iter().sum::<f64>() + 1.6 * change[3..].iter().sum::<f64>();
        let [lower, upper] = ["lower_m", "upper_m"].map(|name| line[column(name)].parse::<f64>().expect("a number"));
        assert!(lower <= least + 1e-12 && upper >= least - speed / f64::from(steps), "{line:?}: {least}");
        within += u32::from(least < at(ends[0]).min(at(ends[1])) - 1e-3);
    }
    assert!(within > 10, "{within} intervals are nearest within");
}

/// The draws in the words of the reference: SplitMix64, whose numbers go through the runs and, in
/// each, the joints.
#[test]
fn random_postures_are_the_published_numbers_on_any_number_of_threads() {
    let scratch = tempfile::tempdir().expect("scratch");
    let dir = scratch.path();
    fs::write(dir.join("r.urdf"), cart("planar", "<axis xyz='0 0 1'/>")).expect("written");
    let arm = "[[body]]\nname = \"arm\"\nshape = { box = [1, 0.1, 0.1] }\nposition = [0, 0, 2]\n[[joint]]\nname = \"turn\"\n\
               type = \"continuous\"\nparent = \"r/cart\"\nchild = \"arm\"\naxis = [0, 0, 1]\n";
    let sweep = "[[sweep]]\npath = \"random\"\nsamples = 300\nseed = 42\nranges = { \"r/base/x\" = [-2, \"400mm\"], \
                 theta = [\"-90deg\", \"45deg\"] }\n";
    let text = |sweep: &str| {
        format!(
            "[scene]\nlength_unit = \"m\"\n[query]\nwithin = 0.5\nrequire = 0.01\n[[robot]]\nurdf = \"r.urdf\"\nname = \"r\"\n{arm}{sweep}"
        )
    };
    fs::write(dir.join("scene.toml"), text(sweep)).expect("written");
    let (told, _) = expect(dir, "run scene.toml --out o --threads 1", 3);
    assert!(told.contains("300 frames, 300 runs") && told.contains("95 %"), "{told}");
    let (rows, column) = csv(dir, "samples");
    let mut random = Random(42);
    for (run, row) in rows.iter().enumerate() {
        let number = |name: &str| row[column(name)].parse::<f64>().expect("a number");
        assert_eq!([number("run"), number("frame")], [run as f64, 0.0]);
        assert_eq!(number("r/base/y"), 0.0, "it has no range");
        let x = random.between(-2.0, 0.4);
        let theta = random.between(-90_f64.to_radians(), 45_f64.to_radians());
        let turn = random.between(-std::f64::consts::PI, std::f64::consts::PI);
        for (name, value) in [("r/base/x", x), ("r/base/theta", theta), ("turn", turn)] {
            assert!((number(name) - value).abs() < 1e-15 * 4.0, "run {run}, {name}: {row:?}, {value}");
        }
    }
    let one = tables(&dir.join("o"));
    expect(dir, "run scene.toml --out o --threads 3 --force", 3);
    assert!(one == tables(&dir.join("o")), "tables depend on the threads");
    for shard in [1, 0] {
        expect(dir, &format!("run scene.toml --shard {shard}/2 --out s"), 0);
    }
    expect(dir, "merge s --out merged", 3);
    assert!(one == tables(&dir.join("merged")), "tables depend on the shards");
    // Draws are no path: nothing is stated between them.
    let manifest: Value =
        serde_json::from_slice(&fs::read(dir.join("o/manifest.json")).expect("read")).expect("an object");
    assert!(manifest["summary"]["intervals"].is_null(), "{}", manifest["summary"]);
    let wrong = [
        ("samples = 300\n", "", "give the number of draws"),
        ("samples = 300", "samples = 0.5", "0.5 is no number of draws"),
        ("samples = 300", "samples = 300\nsteps = 3", "a random sweep draws values: it has no `steps`"),
        ("\"random\"", "\"grid\"", "a sweep that is not random has no `samples`"),
        ("seed = 42", "seed = -1", "-1 is no seed"),
        ("\"45deg\"", "\"-95deg\"", "the range ends before it begins"),
        ("[\"-90deg\", \"45deg\"]", "[\"1m\", \"2m\"]", "the joint turns, and the value is a length"),
        ("theta =", "\"r/base/thta\" =", "did you mean `\"r/base/theta\"`?"),
        ("\"r/base/x\" = [-2, \"400mm\"]", "\"r/base/theta\" = [\"0deg\", \"1deg\"]", "the joint is named twice"),
        ("[-2, \"400mm\"]", "[\"1deg\", \"2deg\"]", "the joint slides, and the value is an angle"),
        ("samples", "joints = [\"turn\"]\nsamples", "which is not swept"),
        ("[-2, \"400mm\"]", "[-2]", "a list of 2 values [least, greatest]"),
    ];
    for (right, slip, says) in wrong {
        let wrong = sweep.replacen(right, slip, 1);
        assert_ne!(wrong, sweep);
        fs::write(dir.join("wrong.toml"), text(&wrong)).expect("written");
        let (_, error) = expect(dir, "check wrong.toml", 1);
        assert!(error.contains(says), "{slip}: {error}");
    }
    let named = text("[[sweep]]\njoints = [\"r/base/x\"]\n");
    fs::write(dir.join("wrong.toml"), named).expect("written");
    let (_, error) = expect(dir, "check wrong.toml", 1);
    assert!(error.contains("no range to be swept") && error.contains("`ranges` of the sweep"), "{error}");
}

#[test]
fn what_a_joint_of_several_values_has_not_is_refused() {
    let scratch = tempfile::tempdir().expect("scratch");
    let dir = scratch.path();
    let body = "[scene]\nlength_unit = \"m\"\n[query]\nwithin = 1\n[[body]]\nname = \"b\"\nshape = { sphere = 1 }\n[posture]\nx = 0\n";
    let joint = |rest: &str| format!("{body}[[joint]]\nname = \"j\"\nchild = \"b\"\n{rest}\n");
    let wrong = [
        (joint("type = \"floating\"\naxis = [0, 0, 1]"), "a floating joint has no `axis`"),
        (joint("type = \"planar\"\naxis = [0, 0, 1]\nrange = [0, 1]"), "a planar joint has no `range`"),
        (joint("type = \"planar\""), "give the direction of the axis"),
        (joint("type = \"floating\"").replace("child = \"b\"", "child = \"c\""), "key `child` of [[joint]] `j`"),
        (
            joint("type = \"floating\"").replace("child = \"b\"", "child = \"b\"\nparent = \"b\""),
            "the joint `j` are both `b`",
        ),
        (
            joint("type = \"planar\"\naxis = [0, 0, 1]").replace("[posture]", "static = true\n[posture]"),
            "so the joint `j` cannot move it",
        ),
    ];
    for (text, says) in wrong {
        fs::write(dir.join("scene.toml"), text).expect("written");
        let (_, error) = expect(dir, "check scene.toml", 1);
        assert!(error.contains(says), "{says}: {error}");
    }
    // Two that carry the same body.
    let twice = joint("type = \"floating\"") + "[[joint]]\nname = \"k\"\nchild = \"b\"\ntype = \"floating\"\n";
    fs::write(dir.join("scene.toml"), twice).expect("written");
    let (_, error) = expect(dir, "check scene.toml", 1);
    assert!(error.contains("the joints `j` and `k` both carry `b`"), "{error}");
    // A table has all values, or the posture has.
    fs::write(dir.join("v.csv"), "frame,j/x,j/y,j/theta\n0,0,1,2\n").expect("written");
    let table = joint("type = \"floating\"")
        .replace("[posture]\nx = 0\n", "")
        .replace("[query]", "joints = \"v.csv\"\n[query]");
    fs::write(dir.join("scene.toml"), table).expect("written");
    let (_, error) = expect(dir, "check scene.toml", 1);
    assert!(error.contains("for the joint `j/z`"), "{error}");
}

/// A turret whose antenna passes a post of the base in a tenth of a degree, and a mast above all
/// that.
const TURRET: &str = "<robot name='tur&amp;ret'>
<link name='base'><collision><geometry><box size='1 1 0.2'/></geometry></collision>
  <collision><origin xyz='-2 0 1'/><geometry><box size='0.001 0.001 2'/></geometry></collision></link>
<link name='turret'><collision><geometry><box size='0.4 0.4 0.2'/></geometry></collision></link>
<link name='antenna'><collision><origin xyz='1.5 0 0'/><geometry><box size='2 0.001 0.1'/></geometry></collision></link>
<link name='mast'><collision><geometry><box size='0.1 0.1 1'/></geometry></collision></link>
<link name='flag'><collision><origin xyz='0 0 0.2'/><geometry><box size='0.1 0.1 0.1'/></geometry></collision></link>
<joint name='j' type='continuous'><origin xyz='0 0 0.5'/><parent link='base'/><child link='turret'/><axis xyz='0 0 1'/></joint>
<joint name='weld' type='fixed'><origin xyz='0 0 0.3'/><parent link='turret'/><child link='antenna'/></joint>
<joint name='up' type='fixed'><origin xyz='0 0 2'/><parent link='antenna'/><child link='mast'/></joint>
<joint name='k' type='revolute'><origin xyz='0 0 1'/><parent link='mast'/><child link='flag'/><axis xyz='1 0 0'/><limit lower='-1' upper='1'/></joint>
</robot>";

#[test]
fn the_srdf_says_what_is_proven_and_what_was_only_drawn() {
    let scratch = tempfile::tempdir().expect("scratch");
    let dir = scratch.path();
    fs::write(dir.join("r.urdf"), TURRET).expect("written");
    let scene = |srdf: &str| {
        format!(
            "[scene]\nlength_unit = \"m\"\n[query]\nwithin = 0.01\n[[body]]\nname = \"wall\"\nshape = {{ box = [9, 9, 9] }}\nstatic = true\n\
             [[robot]]\nurdf = \"r.urdf\"\nname = \"r\"\n{srdf}[[sweep]]\nsteps = 1\n"
        )
    };
    fs::write(dir.join("scene.toml"), scene("")).expect("written");
    let (text, _) = expect(dir, "check scene.toml --srdf r.srdf --srdf-samples 50 --srdf-seed 3 --json", 0);
    let found: Value = serde_json::from_str(&text).expect("an object");
    let said: Vec<(String, Value, Value)> = found["srdf"]["pairs"]
        .as_array()
        .expect("pairs")
        .iter()
        .map(|pair| {
            let name = |key: &str| pair[key].as_str().expect("a name");
            (format!("{} {}", name("link1"), name("link2")), pair["reason"].clone(), pair["proven"].clone())
        })
        .collect();
    let expected = [
        ("base turret", Some("Adjacent"), None),
        // No draw of 50 meets a tenth of a degree; the sweep of the joint does.
        ("base antenna", None, None),
        ("base mast", Some("Never"), Some(true)),
        ("base flag", Some("Never"), Some(false)),
        ("turret antenna", Some("Adjacent"), None),
        ("turret mast", Some("Never"), Some(true)),
        ("turret flag", Some("Never"), Some(true)),
        ("antenna mast", Some("Adjacent"), None),
        ("antenna flag", Some("Never"), Some(true)),
        ("mast flag", Some("Adjacent"), None),
    ];
    let expected: Vec<(String, Value, Value)> =
        expected.map(|(pair, reason, proven)| (pair.to_owned(), reason.into(), proven.into())).into();
    assert_eq!(said, expected);
    let srdf = fs::read_to_string(dir.join("r.srdf")).expect("written");
    assert!(
        srdf.contains("from 50 draws") && srdf.contains("This is no proof") && srdf.contains("tur&amp;ret"),
        "{srdf}"
    );
    // It is read again, and leaves one pair beside those with the wall.
    let (_, error) = expect(dir, "check scene.toml --srdf r.srdf", 1);
    assert!(error.contains("exists already"), "{error}");
    let (printed, _) = expect(dir, "check scene.toml --srdf - --srdf-samples 50 --srdf-seed 3", 0);
    assert_eq!(printed, srdf);
    fs::write(dir.join("scene.toml"), scene("srdf = \"r.srdf\"\nadjacent = false\n")).expect("written");
    let (text, _) = expect(dir, "check scene.toml --json", 0);
    let checked: Value = serde_json::from_str(&text).expect("an object");
    let by_reason = checked["pairs_ignored_by_reason"].as_object().expect("reasons");
    let count = |reason: &str| by_reason[&format!("disabled by r.srdf: {reason}")].as_u64();
    assert_eq!((count("Adjacent"), count("Never")), (Some(4), Some(5)), "{by_reason:?}");
    let sources = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (arm, _) = expect(sources, "check datasets/joints/arm.toml --srdf - --srdf-samples 50", 0);
    assert!(arm.contains("link2=\"finger-2\" reason=\"Default\"/> <!-- in 0 of 50 draws -->"), "{arm}");
    // The rules of the scene do not change what is found.
    let (text, _) = expect(dir, "check scene.toml --srdf r.srdf --force --srdf-samples 50 --srdf-seed 3", 0);
    assert!(text.contains("base and antenna: in 0 draws"), "{text}");
    assert_eq!(fs::read_to_string(dir.join("r.srdf")).expect("written"), srdf);
    for (text, says) in [
        (scene("[[robot]]\nurdf = \"r.urdf\"\nname = \"s\"\n"), "this one has 2"),
        ("[scene]\nlength_unit = \"m\"\n[query]\nwithin = 0\n[[body]]\nname = \"b\"\nstatic = true\nshape = { sphere = 1 }\n".to_owned(), "this one has 0"),
    ] {
        fs::write(dir.join("scene.toml"), text).expect("written");
        let (_, error) = expect(dir, "check scene.toml --srdf -", 2);
        assert!(error.contains(says), "{error}");
    }
}
