//! Scenes from glTF files: places of many digits, scenes, hidden nodes and skins, and how coarse
//! numbers are.

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_schema::DataType;
use clearsweep::{BatchCollector, Error, Job, ParquetTables};
use clearsweep_scene::{Scene, SceneOverrides};
use clearsweep_testing::glb::{GlbMesh, cuboid, glb};
use clearsweep_testing::trajectories::{Row, Shaping, write};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::Value;
use std::fs;
use std::path::Path;

const HEAD: &str = "[scene]\nlength_unit = \"m\"\n[query]\nwithin = 100\n";
const SECTION: &str = "[[bodies]]\ngeometry = \"a.glb\"\neach = \"node\"\n";

fn load(folder: &Path, text: &str) -> Result<Scene, Error> {
    let path = folder.join("scene.toml");
    fs::write(&path, text).expect("a scene");
    clearsweep_scene::load_scene(&path, &SceneOverrides::default())
}

fn good(folder: &Path, text: &str) -> Scene {
    load(folder, text).unwrap_or_else(|error| panic!("{error}: {}\n{text}", error.remedy))
}

/// A file of unit cubes, with what is replaced in its JSON. Lengths of chunks stay true, as the
/// text is padded.
fn cubes(folder: &Path, nodes: &[&str], roots: &[usize], replaced: &[(&str, &str)]) {
    let nodes: Vec<String> = nodes.iter().map(|node| (*node).to_owned()).collect();
    let bytes = glb(&nodes, roots, &[cuboid("box", [1.0; 3], None)], &[]);
    let length = u32::from_le_bytes(bytes[12..16].try_into().expect("four")) as usize;
    let mut json = String::from_utf8(bytes[20..20 + length].to_vec()).expect("text");
    for (old, new) in replaced {
        assert!(json.contains(old), "{old} is not in {json}");
        json = json.replacen(old, new, 1);
    }
    let mut json = json.into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let rest = &bytes[20 + length..];
    let word = |value: usize| (value as u32).to_le_bytes();
    let bytes =
        [b"glTF", &word(2)[..], &word(20 + json.len() + rest.len()), &word(json.len()), b"JSON", &json, rest].concat();
    fs::write(folder.join("a.glb"), bytes).expect("a file");
}

fn names(scene: &Scene) -> Vec<&str> {
    scene.bodies.iter().map(|body| body.name.as_str()).collect()
}

/// Kinds and texts of what was left out.
fn notes(scene: &Scene) -> Vec<(&str, &str)> {
    scene.notes.iter().map(|(_, note)| (note.kind, note.problem.as_str())).collect()
}

/// The distances of all pairs.
fn distances(scene: &Scene) -> Vec<f64> {
    let mut collected = BatchCollector::default();
    Job::new(scene).run(&mut collected).expect("a run");
    let column = |batch: &arrow_array::RecordBatch| {
        let column = batch.column_by_name("distance_m").expect("a column");
        column.as_primitive::<Float64Type>().values().to_vec()
    };
    collected.distances.iter().flat_map(column).collect()
}

#[test]
fn places_keep_all_their_digits() {
    let dir = tempfile::tempdir().expect("scratch");
    for (a, b) in [
        (r#""translation": [4600000.0, 7, 0]"#, r#""translation": [4600001.1, 7, 0]"#),
        (
            r#""matrix": [1,0,0,0,0,1,0,0,0,0,1,0,4600000,7,0,1]"#,
            r#""matrix": [1,0,0,0,0,1,0,0,0,0,1,0,4600001.1,7,0,1]"#,
        ),
        (r#""translation": [4600000.123456789, 7, 0]"#, r#""translation": [4600001.223456789, 7, 0]"#),
    ] {
        let nodes = [format!(r#"{{"name": "a", "mesh": 0, {a}}}"#), format!(r#"{{"name": "b", "mesh": 0, {b}}}"#)];
        cubes(dir.path(), &[nodes[0].as_str(), nodes[1].as_str()], &[0, 1], &[]);
        let [distance] = distances(&good(dir.path(), &format!("{HEAD}{SECTION}")))[..] else { panic!("one pair") };
        // One unit in the last place of 4.6e6.
        assert!((distance - 0.1).abs() < 2e-9, "{a}: {distance}");
    }
}

#[test]
fn the_scene_is_chosen_by_name_or_number_and_told() {
    let dir = tempfile::tempdir().expect("scratch");
    let nodes = [
        r#"{"name": "hall", "mesh": 0}"#,
        r#"{"name": "yard", "mesh": 0, "translation": [9, 0, 0]}"#,
        r#"{"name": "lost", "mesh": 0}"#,
        r#"{"name": "coarse", "mesh": 0}"#,
    ];
    let scenes = r#""scenes": [{"name": "inside", "nodes": [0]}, {"nodes": [1]}]"#;
    let lod = r#"{"name": "hall", "mesh": 0, "extensions": {"MSFT_lod": {"ids": [3]}}}"#;
    cubes(dir.path(), &nodes, &[0], &[(r#""scene": 0, "scenes": [{"nodes": [0]}]"#, scenes), (nodes[0], lod)]);
    let each = |keys: &str| good(dir.path(), &format!("{HEAD}{SECTION}{keys}"));
    let scene = each("");
    assert_eq!(names(&scene), ["hall"]);
    let told = "scene 0 (`inside`) of its 2 scenes is taken (the first one, as the file names no default); \
                2 nodes with meshes are no part of it: `yard`, `lost`";
    assert_eq!(notes(&scene), [("scene", told)]);
    for (key, name) in [("scene = 1", "yard"), ("scene = 0", "hall"), ("scene = \"inside\"", "hall")] {
        let scene = each(&format!("{key}\n"));
        assert_eq!((names(&scene), notes(&scene)), (vec![name], vec![]), "{key}");
        let body = format!("[[body]]\nname = \"b\"\ngeometry = \"a.glb\"\nstatic = true\n{key}\n");
        let scene = good(dir.path(), &format!("{HEAD}{body}"));
        let place = if name == "yard" { 9.0 } else { 0.0 };
        assert_eq!((scene.bodies[0].shape.center.x, notes(&scene)), (place, vec![]), "{key}");
    }
    // Two scenes of one file are two geometries.
    let two = "[[body]]\nname = \"b\"\ngeometry = \"a.glb\"\nstatic = true\nscene = 0\n[[body]]\nname = \"c\"\n\
               geometry = \"a.glb\"\nstatic = true\nscene = 1\n";
    assert_eq!(distances(&good(dir.path(), &format!("{HEAD}{two}"))), [8.0]);
    for (key, part) in [
        ("scene = 2", "scene 2 is chosen, but there are 2"),
        ("scene = \"roof\"", "no scene of the file is called `roof`"),
        ("scene = -1", "-1 is no number of a scene"),
    ] {
        let error = load(dir.path(), &format!("{HEAD}{SECTION}{key}\n")).expect_err(key);
        assert!(error.problem.contains(part) && !error.remedy.is_empty(), "{key}: {error}");
    }
    fs::write(dir.path().join("t.stl"), "solid t\nendsolid\n").expect("a file");
    let error = load(dir.path(), &format!("{HEAD}[[body]]\nname = \"b\"\ngeometry = \"t.stl\"\nscene = 0\n"));
    assert!(error.expect_err("STL").problem.contains("only glTF files have scenes"));
}

#[test]
fn hidden_nodes_are_no_bodies_and_told() {
    let dir = tempfile::tempdir().expect("scratch");
    let hide = r#""extensions": {"KHR_node_visibility": {"visible": false}}"#;
    let shown = r#""extensions": {"KHR_node_visibility": {"visible": true}}"#;
    let nodes = [
        r#"{"name": "tank", "mesh": 0}"#.to_owned(),
        r#"{"name": "point", "mesh": 0, "scale": [0, 0, 0], "children": [4]}"#.to_owned(),
        format!(r#"{{"name": "ghost", "mesh": 0, {hide}, "children": [3]}}"#),
        format!(r#"{{"name": "child", "mesh": 0, {shown}}}"#),
        r#"{"name": "below", "mesh": 0}"#.to_owned(),
        r#"{"name": "flat", "mesh": 0, "scale": [1, 0, 1], "translation": [5, 0, 0]}"#.to_owned(),
    ];
    let nodes: Vec<&str> = nodes.iter().map(String::as_str).collect();
    cubes(dir.path(), &nodes, &[0, 1, 2, 5], &[]);
    let scene = good(dir.path(), &format!("{HEAD}{SECTION}"));
    assert_eq!(names(&scene), ["tank", "flat"]);
    let told =
        "4 nodes with meshes are hidden by the file, and no part of any body: `point`, `below`, `ghost` and 1 more";
    assert_eq!(notes(&scene), [("hidden", told)]);
    let whole = good(dir.path(), &format!("{HEAD}[[body]]\nname = \"b\"\ngeometry = \"a.glb\"\nstatic = true\n"));
    assert_eq!((whole.bodies[0].shape.triangles, notes(&whole)), (24, vec![("hidden", told)]));
    let mut collected = BatchCollector::default();
    let outcome = Job::new(&scene).run(&mut collected).expect("a run");
    let warned = outcome.manifest["warnings"].as_array().expect("warnings").clone();
    assert!(warned.iter().any(|warning| warning["kind"] == "hidden"), "{warned:?}");
    fs::write(dir.path().join("over.csv"), "body,offset\nghost,0.1\n").expect("a table");
    let error = load(dir.path(), &format!("{HEAD}{SECTION}table = \"over.csv\"\n")).expect_err("a hidden node");
    assert!(error.problem.contains("`ghost` is hidden"), "{error}");
    cubes(dir.path(), &nodes[1..2], &[0], &[(r#", "children": [4]"#, "")]);
    let error = load(dir.path(), &format!("{HEAD}{SECTION}")).expect_err("nothing is left");
    assert!(error.problem.contains("no node with triangles that is not hidden (1 are)"), "{error}");
}

#[test]
fn no_trajectory_moves_a_skin() {
    let dir = tempfile::tempdir().expect("scratch");
    let nodes = [
        r#"{"name": "arm", "mesh": 0, "skin": 0, "translation": [50, 0, 0]}"#,
        r#"{"name": "joint", "translation": [0, 5, 0], "children": [2]}"#,
        r#"{"name": "tool", "mesh": 1}"#,
    ];
    let nodes: Vec<String> = nodes.map(str::to_owned).to_vec();
    let bytes = glb(&nodes, &[0, 1], &[cuboid("box", [1.0; 3], None), cuboid("tool", [1.0; 3], None)], &[]);
    // As text with its buffer beside it, so that views can be added. The joints are zeros, as no
    // bytes are given for them.
    let length = u32::from_le_bytes(bytes[12..16].try_into().expect("four")) as usize;
    let mut json: Value = serde_json::from_slice(&bytes[20..20 + length]).expect("JSON");
    let buffer = bytes[28 + length..].to_vec();
    fs::write(
        dir.path().join("a.bin"),
        [buffer.clone(), [1.0_f32, 0.0, 0.0, 0.0].map(f32::to_le_bytes).concat().repeat(8)].concat(),
    )
    .expect("a buffer");
    let accessors = json["accessors"].as_array_mut().expect("accessors");
    let joints = accessors.len();
    accessors.push(serde_json::json!({"componentType": 5121, "count": 8, "type": "VEC4"}));
    let views = json["bufferViews"].as_array_mut().expect("views");
    let view = views.len();
    views.push(serde_json::json!({"buffer": 0, "byteOffset": buffer.len(), "byteLength": 128}));
    let accessors = json["accessors"].as_array_mut().expect("accessors");
    accessors.push(serde_json::json!({"bufferView": view, "componentType": 5126, "count": 8, "type": "VEC4"}));
    json["meshes"][0]["primitives"][0]["attributes"]["JOINTS_0"] = joints.into();
    json["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"] = (joints + 1).into();
    json["skins"] = serde_json::json!([{"joints": [1]}]);
    json["buffers"] = serde_json::json!([{"byteLength": buffer.len() + 128, "uri": "a.bin"}]);
    fs::write(dir.path().join("a.gltf"), json.to_string()).expect("a file");
    let section = SECTION.replace("a.glb", "a.gltf");
    let scene = good(dir.path(), &format!("{HEAD}{section}"));
    assert_eq!(names(&scene), ["arm", "joint/tool"]);
    // Both stand at y = 5: the arm's own node does not count.
    let [distance] = distances(&scene)[..] else { panic!("one pair") };
    assert!(distance < 0.0, "{distance}");
    let head = HEAD.replace("[query]", "trajectories = \"t.parquet\"\n[query]");
    for moving in ["arm", "joint"] {
        let error = load(dir.path(), &format!("{head}{section}moving = \"{moving}\"\n")).expect_err(moving);
        assert!(error.problem.contains("`arm` of") && error.problem.contains("joints of a skin"), "{error}");
        assert!(error.remedy.contains("exclude"), "{error}");
    }
    let scene = good(dir.path(), &format!("{head}{section}moving = \"joint\"\nexclude = \"arm\"\n"));
    assert_eq!((names(&scene), scene.dynamic.len()), (vec!["joint/tool"], 1));
}

/// `coordinate_step_m` of all bodies, and the warning `coarse`.
fn steps(folder: &Path, scene: &Scene) -> (Vec<Option<f64>>, Option<Value>) {
    let out = folder.join("out");
    let outcome = Job::new(scene).run(&mut ParquetTables::new(&out).force(true)).expect("a run");
    let file = fs::File::open(out.join("bodies.parquet")).expect("a table");
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).expect("Parquet").build().expect("a reader");
    let read = |batch: Result<arrow_array::RecordBatch, _>| {
        let batch: arrow_array::RecordBatch = batch.expect("a batch");
        let column = batch.column_by_name("coordinate_step_m").expect("a column").as_primitive::<Float64Type>().clone();
        column.iter().collect::<Vec<_>>()
    };
    let warnings = outcome.manifest["warnings"].as_array().expect("warnings").clone();
    (reader.flat_map(read).collect(), warnings.into_iter().find(|warning| warning["kind"] == "coarse"))
}

#[test]
fn coarse_numbers_are_told_by_body_and_size() {
    let dir = tempfile::tempdir().expect("scratch");
    let far = GlbMesh {
        positions: cuboid("far", [1.0; 3], None).positions.iter().map(|p| [p[0] + 4.6e6, p[1], p[2]]).collect(),
        ..cuboid("far", [1.0; 3], None)
    };
    let nodes = [
        r#"{"name": "far", "mesh": 0}"#,
        r#"{"name": "near", "mesh": 1, "translation": [4600000.25, 7, 0]}"#,
        r#"{"name": "long", "mesh": 1, "translation": [4600000.25, 70, 0], "scale": [1000, 1, 1]}"#,
    ];
    let bytes = glb(&nodes.map(str::to_owned), &[0, 1, 2], &[far, cuboid("near", [1.0; 3], None)], &[]);
    fs::write(dir.path().join("a.glb"), bytes).expect("a file");
    let ball = "[[body]]\nname = \"ball\"\nshape = { sphere = 1 }\nstatic = true\n";
    let scene = good(dir.path(), &format!("{HEAD}{ball}{SECTION}"));
    let half = f64::from(0.5_f32.next_up()) - 0.5;
    let (found, warning) = steps(dir.path(), &scene);
    assert_eq!(found, [Some(0.0), Some(0.5), Some(half), Some(1000.0 * half)]);
    let warning = warning.expect("a warning");
    assert_eq!(warning["bodies"], serde_json::json!(["far", "long"]));
    let problem = warning["problem"].as_str().expect("text");
    assert!(problem.contains("in steps of 6e-5 m to 0.5 m") && problem.contains("`touch`"), "{problem}");
    // A tenth of what is required, where `touch` is large; units and scales count.
    let head = HEAD.replace("within = 100", "within = 100\ntouch = 1\nrequire = 2");
    let (_, warning) = steps(dir.path(), &good(dir.path(), &format!("{head}{ball}{SECTION}")));
    let warning = warning.expect("a warning");
    assert_eq!(warning["bodies"], serde_json::json!(["far"]));
    assert!(warning["problem"].as_str().is_some_and(|text| text.contains("a tenth of `require`")), "{warning}");
    let (found, _) = steps(dir.path(), &good(dir.path(), &format!("{HEAD}{SECTION}unit = \"mm\"\nscale = 2\n")));
    assert_eq!(found[0], Some(0.001));
}

#[test]
fn poses_of_single_precision_are_coarse_too() {
    let dir = tempfile::tempdir().expect("scratch");
    let text = "[scene]\nlength_unit = \"m\"\ntrajectories = \"t.parquet\"\n[query]\nwithin = 10\n\
                [[body]]\nname = \"a\"\nshape = { box = [2, 2, 2] }\n[[body]]\nname = \"b\"\nshape = { sphere = 1 }\n\
                [[bodies]]\ntable = \"walls.csv\"\nstatic = true\nshape = { sphere = 1 }\n";
    fs::write(dir.path().join("walls.csv"), "body,x,y,z\nwall,4600000,0,0\n").expect("a table");
    let scene = good(dir.path(), text);
    let rows: Vec<Row> = ["a", "b"]
        .map(|body| Row {
            run: 0,
            frame: 0,
            time: 0.0,
            body: body.to_owned(),
            pose: [4.6e6, 9.0, 0.0, 1.0, 0.0, 0.0, 0.0],
        })
        .to_vec();
    for (float, step) in [(DataType::Float64, 0.0), (DataType::Float32, 0.5)] {
        write(&dir.path().join("t.parquet"), &rows, &Shaping { float, ..Shaping::default() });
        let (found, warning) = steps(dir.path(), &scene);
        assert_eq!(found, [Some(step), Some(step), Some(0.0)]);
        assert_eq!(warning.is_some(), step > 0.0);
    }
}
