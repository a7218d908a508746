//! `rest = "file"`: orientations in trajectories turn nodes from where their file has them.

use clearsweep::{BatchCollector, Job};
use clearsweep_engine::{JobOptions, check, rest_row};
use clearsweep_geometry::Pose;
use clearsweep_geometry::angles::{AngleUnit, from_roll_pitch_yaw};
use clearsweep_scene::{Scene, SceneOverrides};
use clearsweep_testing::glb::{cuboid, glb};
use clearsweep_testing::random::Random;
use clearsweep_testing::trajectories::random_pose;
use clearsweep_trajectory::{ReadOptions, Trajectory};
use std::fs;
use tempfile::TempDir;

/// A file that is y up, as exporters of models with z up write it: a node turns the tall truck
/// upright. A box is on it, and a wall stands by.
const NODES: [&str; 3] = [
    r#"{"name": "truck", "mesh": 0, "translation": [1, 2, -3], "rotation": [-0.7071067811865476, 0, 0, 0.7071067811865476], "children": [1]}"#,
    r#"{"name": "box", "mesh": 1, "translation": [0, 3, 0], "rotation": [0, 0.6, 0, 0.8]}"#,
    r#"{"name": "wall", "mesh": 1, "translation": [4, 2, 0]}"#,
];

/// A scene of that file, and of a ball that no file holds; `keys` of `[scene]`.
fn scene(keys: &str, columns: &str, rows: &str) -> (TempDir, Scene) {
    let dir = tempfile::tempdir().expect("scratch");
    let meshes = [cuboid("tall", [1.0, 1.0, 4.0], None), cuboid("cube", [1.0, 2.0, 3.0], None)];
    let bytes = glb(&NODES.map(str::to_owned), &[0, 2], &meshes, &[]);
    fs::write(dir.path().join("plant.glb"), bytes).expect("a file");
    fs::write(dir.path().join("t.csv"), rows).expect("rows");
    let text = format!(
        "[scene]\nlength_unit = \"m\"\ntrajectories = \"t.csv\"\n{keys}{columns}[query]\nwithin = 9\n[[bodies]]\n\
         geometry = \"plant.glb\"\neach = \"node\"\nup = \"y\"\nmoving = \"truck\"\n[[body]]\nname = \"ball\"\n\
         shape = {{ box = [1, 2, 3] }}\n"
    );
    let path = dir.path().join("scene.toml");
    fs::write(&path, text).expect("a scene");
    let scene = clearsweep_scene::load_scene(&path, &SceneOverrides::default());
    (dir, scene.unwrap_or_else(|error| panic!("{error}: {}", error.remedy)))
}

const FROM_FILE: &str = "rest = \"file\"\nmissing = \"hold\"\n";
const FROM_WORLD: &str = "missing = \"hold\"\n";
const YAW: &str = "[columns]\nyaw = { name = \"heading\", unit = \"deg\" }\n";
const HEADER: &str = "frame,body,x,y,z,qw,qx,qy,qz\n";

/// The tables of a scene.
fn rows(scene: &Scene) -> String {
    let mut collected = BatchCollector::default();
    Job::new(scene).run(&mut collected).expect("a run");
    format!("{:?}", collected.distances)
}

/// The quaternion that a node has in the file, by its name.
fn at_rest(scene: &Scene, name: &str) -> Pose {
    let input = |input: u32| &scene.bodies[scene.dynamic[input as usize] as usize].name;
    let rest = scene.hierarchy.rest.iter().find(|rest| input(rest.input) == name).expect(name);
    Pose::new([0.0; 3], rest.pose.q)
}

fn line(frame: usize, body: &str, position: [f64; 3], q: &[f64]) -> String {
    let numbers: Vec<String> = position.iter().chain(q).map(f64::to_string).collect();
    format!("{frame},{body},{}\n", numbers.join(","))
}

#[test]
fn a_yaw_of_zero_leaves_a_model_that_is_y_up_upright() {
    let csv = "frame,body,x,y,z,heading\n0,truck,1,3,2,0\n0,ball,9,9,9,0\n";
    let upright = |keys: &str| {
        let (_dir, scene) = scene(keys, YAW, csv);
        let blocks: Vec<_> = Trajectory::open(&scene, &ReadOptions::default()).expect("opens").blocks().collect();
        let slot =
            scene.dynamic.iter().position(|&body| scene.bodies[body as usize].name == "truck").expect("it moves");
        let pose = blocks[0].as_ref().expect("a block").pose(slot, 0);
        // z of the file is y of the frame of the node, since the section turns the file.
        (pose.apply([0.0, 1.0, 0.0].into()) - pose.apply([0.0; 3].into())).z.abs()
    };
    assert!((upright(FROM_FILE) - 1.0).abs() < 1e-12);
    assert!(upright(FROM_WORLD) < 1e-12);
    assert!(upright("rest = \"identity\"\nmissing = \"hold\"\n") < 1e-12);
}

#[test]
fn rows_are_those_of_the_motion_written_out() {
    let mut random = Random(17);
    let (dir, plain) = scene(FROM_WORLD, "", HEADER);
    drop(dir);
    for by_yaw in [true, false] {
        let mut given = String::from(if by_yaw { "frame,body,x,y,z,heading\n" } else { HEADER });
        let mut written = String::from(HEADER);
        for frame in 0..150 {
            for body in ["truck", "truck/box", "ball"] {
                // The box is carried in some frames and held in others; every body has a first row.
                if frame > 0 && random.below(3) > 0 {
                    continue;
                }
                let [x, y, z, w, i, j, k] = random_pose(&mut random);
                let [x, y, z] = [x, y, z].map(|c| 0.1 * c);
                let degrees = random.below(360) as f64;
                let yaw =
                    from_roll_pitch_yaw([0.0, 0.0, degrees].map(|angle| AngleUnit::Degrees.cos_sin_of_half(angle)))
                        .map(|c| c + 0.0);
                let q = if by_yaw { yaw } else { [w, i, j, k] };
                let angles: &[f64] = if by_yaw { std::slice::from_ref(&degrees) } else { &q };
                given += &line(frame, body, [x, y, z], angles);
                let turned = match body {
                    "ball" => q,
                    _ => Pose::new([0.0; 3], q).after(&at_rest(&plain, body)).q,
                };
                written += &line(frame, body, [x, y, z], &turned);
            }
        }
        let (_one, from_file) = scene(FROM_FILE, if by_yaw { YAW } else { "" }, &given);
        let (_two, from_world) = scene(FROM_WORLD, "", &written);
        let expected = rows(&from_world);
        assert!(expected.len() > 5_000, "many rows");
        assert_eq!(rows(&from_file), expected, "by yaw: {by_yaw}");
        // Frames before those chosen are held, too.
        let options = ReadOptions { frames: Some(100..120), ..ReadOptions::default() };
        let poses = |scene: &Scene| {
            let blocks: Vec<_> = Trajectory::open(scene, &options).expect("opens").blocks().collect();
            let block = blocks[0].as_ref().expect("a block");
            let all = (0..3).flat_map(|slot| (0..20).map(move |at| (slot, at)));
            all.map(|(slot, at)| format!("{:?}", block.pose(slot, at))).collect::<Vec<_>>()
        };
        assert_eq!(poses(&from_file), poses(&from_world));
    }
}

#[test]
fn rows_without_an_orientation_keep_that_of_the_file() {
    let moved = |keys: &str, csv: &str| {
        let (_dir, scene) = scene(keys, "", csv);
        rows(&scene)
    };
    let unturned = moved(FROM_FILE, "frame,body,x,y,z\n0,truck,1,3,2\n0,ball,4,4,4\n");
    let (_dir, plain) = scene(FROM_WORLD, "", HEADER);
    let mut written = String::from(HEADER);
    written += &line(0, "truck", [1.0, 3.0, 2.0], &at_rest(&plain, "truck").q);
    written += &line(0, "ball", [4.0; 3], &Pose::IDENTITY.q);
    assert_eq!(unturned, moved(FROM_WORLD, &written));
}

#[test]
fn check_prints_rows_as_they_are_to_be_written() {
    let found = |keys: &str, csv: &str| {
        let (_dir, scene) = scene(keys, "", csv);
        let checked = check(&scene, &JobOptions::default()).expect("checked");
        let tipped = checked.warnings.into_iter().find(|warning| warning.kind == "tipped");
        (rest_row(&scene, &scene.hierarchy.rest[0]), tipped.map(|warning| warning.remedy))
    };
    let at = |q: &str| format!("{HEADER}0,truck,1,3,2,{q}\n0,ball,9,9,9,1,0,0,0\n");
    let (row, tipped) = found(FROM_FILE, &at("1,0,0,0"));
    assert_eq!((row.as_str(), tipped), ("truck,1,3,2,1,0,0,0", None));
    let (row, tipped) = found(FROM_WORLD, &at("1,0,0,0"));
    assert!(
        row.starts_with("truck,1,3,2,0.7") && tipped.is_some_and(|remedy| remedy.contains("rest = \"file\"")),
        "{row}"
    );
    let (_, tipped) = found(FROM_FILE, &at("0.7071067811865476,0.7071067811865476,0,0"));
    assert!(tipped.is_some_and(|remedy| remedy.contains("remove `rest`") && remedy.contains("truck,1,3,2,1,0,0,0")));
}
