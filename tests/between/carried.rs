//! A moved node of a file carries what is below it, unless that has a row of its own.

use clearsweep::{BatchCollector, Error, Job};
use clearsweep_geometry::Pose;
use clearsweep_scene::{FrameBlock, Scene, SceneOverrides};
use clearsweep_testing::glb::{cuboid, glb};
use clearsweep_testing::random::Random;
use clearsweep_testing::trajectories::{Row, Shaping, random_pose, write};
use clearsweep_trajectory::{ReadOptions, Trajectory};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// A crane without a mesh carries a trolley, which carries a hook and a lamp without a mesh that
/// carries a bulb.
const NODES: [&str; 6] = [
    r#"{"name": "wall", "mesh": 0, "translation": [0, 50, 0]}"#,
    r#"{"name": "crane", "translation": [10, 0, 5], "rotation": [0, 0, 0.6, 0.8], "children": [2]}"#,
    r#"{"name": "trolley", "mesh": 0, "translation": [2, 0, -1], "rotation": [0.6, 0, 0, 0.8], "children": [3, 4]}"#,
    r#"{"name": "hook", "mesh": 0, "translation": [0, 0.5, -3], "scale": [1, 2, 1]}"#,
    r#"{"name": "lamp", "translation": [0, 1, 0], "children": [5]}"#,
    r#"{"name": "bulb", "mesh": 0, "translation": [0.25, 0, 0]}"#,
];

const CRANE: &str = "crane";
const TROLLEY: &str = "crane/trolley";
const HOOK: &str = "crane/trolley/hook";
const LAMP: &str = "crane/trolley/lamp";
const BULB: &str = "crane/trolley/lamp/bulb";

fn scene(keys: &str, missing: &str) -> (TempDir, Scene) {
    let dir = tempfile::tempdir().expect("scratch");
    let nodes: Vec<String> = NODES.map(str::to_owned).to_vec();
    fs::write(dir.path().join("plant.glb"), glb(&nodes, &[0, 1], &[cuboid("box", [1.0; 3], None)], &[]))
        .expect("a file");
    let text = format!(
        "[scene]\nlength_unit = \"m\"\ntrajectories = \"t.parquet\"\nmissing = \"{missing}\"\n[query]\nwithin = 5\n\
         [[bodies]]\ngeometry = \"plant.glb\"\neach = \"node\"\n{keys}\n"
    );
    fs::write(dir.path().join("scene.toml"), text).expect("a scene");
    let scene = clearsweep_scene::load_scene(&dir.path().join("scene.toml"), &SceneOverrides::default());
    (dir, scene.unwrap_or_else(|error| panic!("{error}: {}", error.remedy)))
}

fn row(frame: i64, body: &str, pose: [f64; 7]) -> Row {
    Row { run: 0, frame, time: frame as f64, body: body.to_owned(), pose }
}

fn read(dir: &Path, scene: &Scene, rows: &[Row], options: &ReadOptions) -> Result<Vec<FrameBlock>, Error> {
    write(&dir.join("t.parquet"), rows, &Shaping::default());
    Trajectory::open(scene, options)?.blocks().collect()
}

/// The pose of a body in a sample, if it is there.
fn found(scene: &Scene, blocks: &[FrameBlock], body: &str, sample: usize) -> Option<Pose> {
    let slot = scene.dynamic.iter().position(|&index| scene.bodies[index as usize].name == body).expect(body);
    let (block, at) = (&blocks[sample / 64], sample % 64);
    (block.present[slot] >> at & 1 == 1).then(|| block.pose(slot, at))
}

/// A rotation by its rows, and a translation: 4 x 4 matrices are the oracle.
type Matrix = [[f64; 4]; 4];

fn matrix([x, y, z, w, i, j, k]: [f64; 7]) -> Matrix {
    let n = w * w + i * i + j * j + k * k;
    let s = 2.0 / n;
    [
        [1.0 - s * (j * j + k * k), s * (i * j - k * w), s * (i * k + j * w), x],
        [s * (i * j + k * w), 1.0 - s * (i * i + k * k), s * (j * k - i * w), y],
        [s * (i * k - j * w), s * (j * k + i * w), 1.0 - s * (i * i + j * j), z],
        [0.0, 0.0, 0.0, 1.0],
    ]
}

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    std::array::from_fn(|r| std::array::from_fn(|c| (0..4).map(|k| a[r][k] * b[k][c]).sum()))
}

/// The place of each node in the one above it.
fn local(body: &str) -> Matrix {
    let (turn, rest) = (0.6, 0.8);
    match body {
        TROLLEY => matrix([2.0, 0.0, -1.0, rest, turn, 0.0, 0.0]),
        HOOK => matrix([0.0, 0.5, -3.0, 1.0, 0.0, 0.0, 0.0]),
        LAMP => matrix([0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0]),
        BULB => matrix([0.25, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]),
        _ => panic!("{body}"),
    }
}

/// The pose of a node below others: the nearest one with a row, and the places from it on.
fn expected(rows: &[Row], frame: i64, body: &str) -> Option<Matrix> {
    if let Some(row) = rows.iter().find(|row| row.frame == frame && row.body == body) {
        return Some(matrix(row.pose));
    }
    let (above, _) = body.rsplit_once('/')?;
    Some(product(&expected(rows, frame, above)?, &local(body)))
}

fn agrees(pose: &Pose, matrix: &Matrix) {
    for point in [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, -3.0]] {
        let moved = pose.apply(point.into()).to_array();
        for axis in 0..3 {
            let place = (0..3).map(|k| matrix[axis][k] * point[k]).sum::<f64>() + matrix[axis][3];
            assert!((moved[axis] - place).abs() < 1e-12, "{pose:?} {matrix:?}");
        }
    }
}

#[test]
fn children_follow_unless_they_have_rows_of_their_own() {
    let (dir, scene) = scene("moving = [\"crane\"]", "absent");
    assert_eq!(scene.dynamic.len(), 3, "trolley, hook and bulb; the wall stands");
    assert_eq!(scene.hierarchy.frames, [CRANE, LAMP]);
    let mut random = Random(11);
    let mut rows = Vec::new();
    for frame in 0..150 {
        let mut bodies = vec![HOOK, CRANE, LAMP, TROLLEY, BULB];
        (1..5).for_each(|i| bodies.swap(i, random.below(i + 1)));
        bodies.retain(|_| random.below(3) == 0);
        if bodies.is_empty() {
            bodies.push(LAMP);
        }
        rows.extend(bodies.iter().map(|body| row(frame, body, random_pose(&mut random))));
    }
    let blocks = read(dir.path(), &scene, &rows, &ReadOptions::default()).expect("good rows");
    let (mut carried, mut own, mut absent) = (0, 0, 0);
    for frame in 0..150 {
        for body in [TROLLEY, HOOK, BULB] {
            match (found(&scene, &blocks, body, frame as usize), expected(&rows, frame, body)) {
                (Some(pose), Some(matrix)) => agrees(&pose, &matrix),
                (None, None) => absent += 1,
                both => panic!("frame {frame}, {body}: {both:?}"),
            }
            let has_row = rows.iter().any(|row| row.frame == frame && row.body == body);
            own += usize::from(has_row);
            carried += usize::from(!has_row && expected(&rows, frame, body).is_some());
        }
    }
    assert!(carried > 50 && own > 50 && absent > 20, "{carried} {own} {absent}");
}

#[test]
fn rows_of_a_run_equal_those_of_explicit_poses() {
    let (dir, scene_of_nodes) = scene("moving = [\"crane\"]", "error");
    let mut random = Random(5);
    let carriers: Vec<Row> = (0..70).map(|frame| row(frame, CRANE, random_pose(&mut random))).collect();
    // The poses that the reader made, as rows of every body.
    let blocks = read(dir.path(), &scene_of_nodes, &carriers, &ReadOptions::default()).expect("good rows");
    let mut explicit = Vec::new();
    for frame in 0..70 {
        for body in [TROLLEY, HOOK, BULB] {
            let pose = found(&scene_of_nodes, &blocks, body, frame as usize).expect("carried");
            let [x, y, z] = pose.position.to_array();
            let [w, i, j, k] = pose.q;
            explicit.push(row(frame, body, [x, y, z, w, i, j, k]));
        }
    }
    let rows = |scene: &Scene| {
        let mut collected = BatchCollector::default();
        Job::new(scene).run(&mut collected).expect("a run");
        format!("{:?}", collected.distances)
    };
    let carried = rows(&scene_of_nodes);
    let (dir, other) = scene("moving = [\"crane\"]", "error");
    write(&dir.path().join("t.parquet"), &explicit, &Shaping::default());
    assert!(carried.len() > 5_000, "many rows");
    assert_eq!(carried, rows(&other));
}

#[test]
fn hold_holds_what_was_carried_also_before_the_frames_chosen() {
    let (dir, scene) = scene("static = false", "hold");
    assert_eq!(scene.dynamic.len(), 4, "the wall moves, too");
    let mut random = Random(3);
    let mut rows = vec![row(0, CRANE, random_pose(&mut random)), row(0, "wall", random_pose(&mut random))];
    rows.push(row(1, HOOK, random_pose(&mut random)));
    rows.push(row(2, "wall", random_pose(&mut random)));
    rows.push(row(3, "wall", random_pose(&mut random)));
    let options = ReadOptions { frames: Some(2..4), ..ReadOptions::default() };
    let blocks = read(dir.path(), &scene, &rows, &options).expect("good rows");
    for sample in 0..2 {
        for (body, frame) in [(TROLLEY, 0), (BULB, 0), (HOOK, 1)] {
            let pose = found(&scene, &blocks, body, sample).expect("held");
            agrees(&pose, &expected(&rows, frame, body).expect("a pose"));
        }
    }
}

#[test]
fn what_has_no_pose_and_what_stands_still_is_said() {
    let (dir, moving) = scene("moving = [\"crane/trolley\"]", "error");
    let pose = random_pose(&mut Random(1));
    let fails = |rows: &[Row]| read(dir.path(), &moving, rows, &ReadOptions::default()).expect_err("wrong rows");
    let error = fails(&[row(0, TROLLEY, pose), row(1, LAMP, pose)]);
    assert!(error.problem.contains("`crane/trolley` has no row"), "{error}");
    let error = fails(&[row(0, HOOK, pose), row(0, LAMP, pose)]);
    assert!(error.problem.contains("`crane/trolley` has no row"), "{error}");
    for still in ["wall", CRANE] {
        let error = fails(&[row(0, TROLLEY, pose), row(0, still, pose)]);
        assert!(error.problem.contains(&format!("`{still}` is static")), "{error}");
        assert!(error.remedy.contains("`moving`"), "{error:?}");
    }
    let error = fails(&[row(0, TROLLEY, pose), row(0, "crane/trolly", pose)]);
    assert!(error.remedy.contains("`crane/trolley`"), "{error:?}");
    // A row of the table takes a body out of what moves; what is below it is carried by what is
    // above it.
    fs::write(dir.path().join("over.csv"), "body,static\ncrane/trolley,true\n").expect("a table");
    let text = fs::read_to_string(dir.path().join("scene.toml")).expect("text");
    fs::write(dir.path().join("scene.toml"), text.replace("moving = [", "table = \"over.csv\"\nmoving = [\"crane\", "))
        .expect("a scene");
    let scene =
        clearsweep_scene::load_scene(&dir.path().join("scene.toml"), &SceneOverrides::default()).expect("a scene");
    assert_eq!(scene.dynamic.len(), 2);
    let rows = [row(0, CRANE, pose)];
    let blocks = read(dir.path(), &scene, &rows, &ReadOptions::default()).expect("good rows");
    agrees(&found(&scene, &blocks, HOOK, 0).expect("carried"), &expected(&rows, 0, HOOK).expect("a pose"));
}

#[test]
fn a_row_of_a_name_that_two_files_have_is_refused() {
    let dir = tempfile::tempdir().expect("scratch");
    let mut sections = String::new();
    for (file, arm) in [("a.glb", "left"), ("b.glb", "right")] {
        let arm = format!(r#"{{"name": "{arm}", "mesh": 0}}"#);
        let nodes = [r#"{"name": "world", "children": [1]}"#.to_owned(), arm];
        let bytes = glb(&nodes, &[0], &[cuboid("box", [1.0; 3], None)], &[]);
        fs::write(dir.path().join(file), bytes).expect("a file");
        sections += &format!("[[bodies]]\ngeometry = \"{file}\"\neach = \"node\"\nmoving = [\"world\"]\n");
    }
    let scene = |sections: &str| {
        let head =
            "[scene]\nlength_unit = \"m\"\ntrajectories = \"t.parquet\"\nmissing = \"absent\"\n[query]\nwithin = 5\n";
        fs::write(dir.path().join("scene.toml"), format!("{head}{sections}")).expect("a scene");
        let scene = clearsweep_scene::load_scene(&dir.path().join("scene.toml"), &SceneOverrides::default());
        scene.unwrap_or_else(|error| panic!("{error}: {}", error.remedy))
    };
    let pose = random_pose(&mut Random(1));
    let two = scene(&sections);
    let bodies = [row(0, "world/left", pose), row(0, "world/right", pose)];
    read(dir.path(), &two, &bodies, &ReadOptions::default()).expect("rows of the bodies say which they mean");
    for first in ["world/left", "world/right"] {
        let rows = [row(0, first, pose), row(0, "world", pose)];
        let error = read(dir.path(), &two, &rows, &ReadOptions::default()).expect_err("which of them?");
        assert!(error.problem.contains("`world` names several nodes that move"), "{error}");
        assert!(error.place.contains("row 1") && error.remedy.contains("`name = "), "{error:?}");
    }
    let named = sections.replacen("each", "name = \"cell\"\neach", 1).replacen("[\"world", "[\"cell/world", 1);
    let named = scene(&named);
    let rows = [row(0, "world", pose), row(0, "cell/world", pose)];
    let blocks = read(dir.path(), &named, &rows, &ReadOptions::default()).expect("good rows");
    agrees(&found(&named, &blocks, "cell/world/left", 0).expect("carried"), &matrix(pose));
}
