//! `[[bodies]]` with `each`: a body of every node, object or component of a file equals the same
//! part given by itself, and what does not fit has its message.

use clearsweep::{BatchCollector, Error, Job};
use clearsweep_scene::{Body, Motion, Scene, SceneOverrides, Shape};
use clearsweep_testing::glb::{BOX, GlbMesh, cuboid, glb};
use clearsweep_testing::random::Random;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use tempfile::TempDir;

const HEAD: &str = "[scene]\nlength_unit = \"mm\"\n[query]\nwithin = 2000\n";

fn scratch() -> TempDir {
    tempfile::tempdir().expect("scratch")
}

fn load(folder: &Path, text: &str) -> Result<Scene, Error> {
    let path = folder.join("scene.toml");
    fs::write(&path, text).expect("a scene");
    clearsweep_scene::load_scene(&path, &SceneOverrides::default())
}

fn good(folder: &Path, text: &str) -> Scene {
    load(folder, text).unwrap_or_else(|error| panic!("{error}: {}\n{text}", error.remedy))
}

fn wrong(folder: &Path, text: &str) -> Error {
    load(folder, text).expect_err(text)
}

fn names(scene: &Scene) -> Vec<&str> {
    scene.bodies.iter().map(|body| body.name.as_str()).collect()
}

fn body<'s>(scene: &'s Scene, name: &str) -> &'s Body {
    scene.bodies.iter().find(|body| body.name == name).unwrap_or_else(|| panic!("no {name} in {:?}", names(scene)))
}

/// A body but for the rounding step of its coordinates: glTF stores single precision, OBJ decimals.
fn without_step(body: &Body) -> Body {
    let shape = Shape { coordinate_step: 0.0, ..Shape::clone(&body.shape) };
    Body { shape: Arc::new(shape), ..body.clone() }
}

/// All rows of a static scene, as text.
fn rows(scene: &Scene) -> String {
    let mut collected = BatchCollector::default();
    Job::new(scene).run(&mut collected).expect("a run");
    format!("{:?}", collected.distances)
}

/// A rack of two levels, in metres: pipes share a mesh, one of them stretched, one mirrored; a
/// valve hangs below a pipe.
const NODES: [&str; 9] = [
    r#"{"name": "rack", "translation": [1, 0, 0], "children": [1, 5]}"#,
    r#"{"name": "level-1", "children": [2, 3, 4]}"#,
    r#"{"name": "pipe", "mesh": 0, "translation": [0, 0.5, 0], "children": [8]}"#,
    r#"{"name": "pipe", "mesh": 0, "translation": [0, 1.5, 0], "rotation": [0, 0, 0.6, 0.8]}"#,
    r#"{"name": "wide", "mesh": 0, "translation": [0, 3, 0], "scale": [1, 2, 1]}"#,
    r#"{"name": "level-2", "translation": [0, 0, 3], "rotation": [0.6, 0, 0, 0.8], "children": [6, 7]}"#,
    r#"{"mesh": 1, "translation": [0.25, 0, 0]}"#,
    r#"{"name": "mirrored", "mesh": 0, "scale": [-1, 1, 1], "translation": [0, 0, 2]}"#,
    r#"{"name": "valve", "mesh": 1, "translation": [0, 0, 0.75]}"#,
];

fn rack(folder: &Path) {
    let nodes: Vec<String> = NODES.map(str::to_owned).to_vec();
    let meshes = [cuboid("pipe", [2.0, 0.25, 0.25], Some(0)), cuboid("valve", [0.5, 0.5, 0.5], Some(1))];
    fs::write(folder.join("rack.glb"), glb(&nodes, &[0], &meshes, &["steel", "paint"])).expect("a file");
}

/// Writes the OBJ file of a box, side lengths in metres.
fn box_file(path: &Path, sides: [f64; 3]) {
    let mut text = String::new();
    for i in 0..8 {
        let [x, y, z] = [0, 1, 2].map(|axis| if i >> axis & 1 == 1 { sides[axis] / 2.0 } else { -sides[axis] / 2.0 });
        writeln!(text, "v {x:?} {y:?} {z:?}").expect("text");
    }
    for [a, b, c] in BOX {
        writeln!(text, "f {} {} {}", a + 1, b + 1, c + 1).expect("text");
    }
    fs::write(path, text).expect("a file");
}

const SECTION: &str = "[[bodies]]\ngeometry = \"rack.glb\"\neach = \"node\"\n";

#[test]
fn nodes_are_named_by_their_path_and_stand_where_the_file_has_them() {
    let dir = scratch();
    rack(dir.path());
    let scene = good(dir.path(), &format!("{HEAD}{SECTION}"));
    let expected = [
        "rack/level-1/pipe",
        "rack/level-1/pipe/valve",
        "rack/level-1/pipe#2",
        "rack/level-1/wide",
        "rack/level-2/valve",
        "rack/level-2/mirrored",
    ];
    assert_eq!(names(&scene), expected);
    assert!(scene.dynamic.is_empty() && scene.query.static_pairs, "without trajectories: a static clash check");
    let valve = body(&scene, "rack/level-1/pipe/valve");
    assert_eq!(valve.groups[..], ["material:paint", "rack", "rack/level-1", "rack/level-1/pipe"]);
    let shape = |name: &str| &body(&scene, name).shape;
    assert!(Arc::ptr_eq(shape(expected[0]), shape(expected[2])), "instances share their geometry");
    assert!(Arc::ptr_eq(shape(expected[1]), shape(expected[4])), "in other branches, too");
    assert!(!Arc::ptr_eq(shape(expected[0]), shape(expected[3])), "not with another scale");
    assert_eq!(scene.trees[0].renamed, ["rack/level-1/pipe#2"]);
    assert_eq!((scene.trees[0].geometries, scene.trees[0].empty), (4, 0));
    // The same parts one by one.
    for (file, sides) in [("pipe.obj", [2.0, 0.25, 0.25]), ("wide.obj", [2.0, 0.5, 0.25]), ("valve.obj", [0.5; 3])] {
        box_file(&dir.path().join(file), sides);
    }
    let turned = |qx: f64, qz: f64| format!("orientation = {{ qw = 0.8, qx = {qx:?}, qy = 0, qz = {qz:?} }}");
    let mut text = HEAD.to_owned();
    let still = String::new();
    // Level 2 is turned about x: (0.25, 0, 0) stays, (0, 0, 2) turns to (0, -2 sin, 2 cos).
    let (sin, cos) = (2.0 * 0.6_f64 * 0.8, 0.8_f64 * 0.8 - 0.6 * 0.6);
    for (name, file, [x, y, z], turn) in [
        (expected[0], "pipe.obj", [1000.0, 500.0, 0.0], &still),
        (expected[1], "valve.obj", [1000.0, 500.0, 750.0], &still),
        (expected[2], "pipe.obj", [1000.0, 1500.0, 0.0], &turned(0.0, 0.6)),
        (expected[3], "wide.obj", [1000.0, 3000.0, 0.0], &still),
        (expected[4], "valve.obj", [1250.0, 0.0, 3000.0], &turned(0.6, 0.0)),
        (expected[5], "pipe.obj", [1000.0, -2000.0 * sin, 3000.0 + 2000.0 * cos], &turned(0.6, 0.0)),
    ] {
        writeln!(
            text,
            "[[body]]\nname = \"{name}\"\ngeometry = \"{file}\"\nunit = \"m\"\nstatic = true\nposition = [{x:?}, {y:?}, {z:?}]\n{turn}"
        )
        .expect("text");
    }
    let alone = good(dir.path(), &text);
    for (made, alone) in scene.bodies.iter().zip(&alone.bodies).take(5) {
        assert_eq!(without_step(made).shape, without_step(alone).shape, "{}", made.name);
    }
    for (index, (made, alone)) in scene.bodies.iter().zip(&alone.bodies).enumerate() {
        let (Motion::Static(placed), Motion::Static(expected)) = (made.motion, alone.motion) else {
            panic!("{} is static", made.name);
        };
        // What is turned twice is rounded.
        let off = (placed.position - expected.position).length();
        assert!(placed.q == expected.q && if index < 4 { off == 0.0 } else { off < 1e-6 }, "{}: {off}", made.name);
    }
}

#[test]
fn rows_equal_those_of_the_same_parts_one_by_one() {
    let dir = scratch();
    let mut random = Random(7);
    let mut number = || random.unit() as f32;
    let (mut nodes, mut table) = (Vec::new(), "body,geometry,x,y,z,qw,qx,qy,qz\n".to_owned());
    for index in 0..60 {
        let [x, y, z] = [0, 1, 2].map(|_| 4.0 * number());
        let q = [0, 1, 2, 3].map(|_| f64::from(number()) - 0.5);
        let norm = q.iter().map(|c| c * c).sum::<f64>().sqrt();
        let [qx, qy, qz, qw] = q.map(|c| (c / norm) as f32);
        nodes.push(format!(
            r#"{{"name": "p{index}", "mesh": {}, "translation": [{x:?}, {y:?}, {z:?}], "rotation": [{qx:?}, {qy:?}, {qz:?}, {qw:?}]}}"#,
            index % 2
        ));
        writeln!(table, "p{index},{}.obj,{x:?},{y:?},{z:?},{qw:?},{qx:?},{qy:?},{qz:?}", index % 2).expect("text");
    }
    box_file(&dir.path().join("0.obj"), [2.0, 0.25, 0.25]);
    box_file(&dir.path().join("1.obj"), [0.5, 0.75, 1.0]);
    let meshes = [cuboid("a", [2.0, 0.25, 0.25], None), cuboid("b", [0.5, 0.75, 1.0], None)];
    fs::write(dir.path().join("plant.glb"), glb(&nodes, &(0..60).collect::<Vec<_>>(), &meshes, &[])).expect("a file");
    fs::write(dir.path().join("parts.csv"), table).expect("a table");
    let head = "[scene]\nlength_unit = \"m\"\n[query]\nwithin = 0.5\n";
    let made = good(dir.path(), &format!("{head}[[bodies]]\ngeometry = \"plant.glb\"\neach = \"node\"\n"));
    let alone = good(dir.path(), &format!("{head}[[bodies]]\ntable = \"parts.csv\"\nstatic = true\n"));
    let all = |scene: &Scene| scene.bodies.iter().map(without_step).collect::<Vec<_>>();
    assert_eq!(all(&made), all(&alone));
    let (made, alone) = (rows(&made), rows(&alone));
    assert!(made.len() > 10_000, "many rows");
    assert_eq!(made, alone);
}

#[test]
fn objects_and_components_equal_files_of_their_own() {
    let dir = scratch();
    // Every object has vertices of its own; the last holds two solids.
    let solid = |at: f64, first: usize| {
        let mut text = String::new();
        for i in 0..8 {
            writeln!(text, "v {:?} {:?} {:?}", at + f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2))
                .expect("text");
        }
        for [a, b, c] in BOX {
            writeln!(text, "f {} {} {}", a as usize + first, b as usize + first, c as usize + first).expect("text");
        }
        text
    };
    let text = format!(
        "o duct\nusemtl zinc\n{}o duct\n{}o two\ng left\n{}g right\n{}o empty\n",
        solid(0.0, 1),
        solid(1.5, 9),
        solid(3.0, 17),
        solid(5.0, 25)
    );
    fs::write(dir.path().join("ducts.obj"), text).expect("a file");
    for (k, at) in [0.0, 1.5, 3.0, 5.0].into_iter().enumerate() {
        fs::write(dir.path().join(format!("{k}.obj")), solid(at, 1)).expect("a file");
    }
    let section = "[[bodies]]\ngeometry = \"ducts.obj\"\nunit = \"m\"\neach = ";
    let objects = good(dir.path(), &format!("{HEAD}{section}\"object\"\n"));
    let models: Vec<_> = objects.bodies.iter().map(|body| (body.name.as_str(), body.shape.model.name())).collect();
    assert_eq!(models, [("duct", "hull"), ("duct#2", "hull"), ("two", "mesh")], "only `two` is not convex");
    assert_eq!(
        body(&objects, "two").shape.condition.map(|found| (found.components, found.is_solid())),
        Some((2, true))
    );
    let pieces = good(dir.path(), &format!("{HEAD}{section}\"object\"\nmodel = \"pieces\"\n"));
    assert_eq!(names(&pieces), ["duct", "duct#2", "two"]);
    assert_eq!(body(&pieces, "two").shape.pieces.len(), 2, "groups of an object are its pieces");
    assert_eq!(body(&pieces, "duct").groups[..], ["material:zinc"]);
    assert_eq!(body(&pieces, "two").groups[..], ["left", "material:zinc", "right"]);
    let made = good(dir.path(), &format!("{HEAD}{section}\"component\"\n"));
    assert_eq!(names(&made), ["duct", "duct#2", "two/0", "two/1"]);
    let mut alone = HEAD.to_owned();
    for (k, name) in names(&made).into_iter().enumerate() {
        writeln!(alone, "[[body]]\nname = \"{name}\"\ngeometry = \"{k}.obj\"\nunit = \"m\"\nstatic = true")
            .expect("text");
    }
    let alone = good(dir.path(), &alone);
    assert_eq!(made.bodies.len(), 4);
    for (made, alone) in made.bodies.iter().zip(&alone.bodies) {
        assert_eq!((&made.shape, made.motion), (&alone.shape, alone.motion), "{}", made.name);
    }
    assert_eq!(rows(&made), rows(&alone));
}

#[test]
fn solids_of_stl_are_bodies_by_their_names() {
    let dir = scratch();
    let mut text = String::new();
    for (name, at) in [("Left Door", 0.0), ("", 3.0)] {
        writeln!(text, "solid {name}").expect("text");
        for triangle in BOX {
            writeln!(text, "facet normal 0 0 0\nouter loop").expect("text");
            for i in triangle {
                writeln!(text, "vertex {} {} {}", at + f64::from(i & 1), i >> 1 & 1, i >> 2).expect("text");
            }
            writeln!(text, "endloop\nendfacet").expect("text");
        }
        writeln!(text, "endsolid {name}").expect("text");
    }
    fs::write(dir.path().join("doors.stl"), &text).expect("a file");
    let section = "[[bodies]]\ngeometry = \"doors.stl\"\neach = ";
    assert_eq!(names(&good(dir.path(), &format!("{HEAD}{section}\"object\"\n"))), ["Left Door", "doors"]);
    // As one solid, the components tell them apart.
    let one = text.replace("endsolid Left Door\nsolid \n", "");
    fs::write(dir.path().join("doors.stl"), one).expect("a file");
    let scene = good(dir.path(), &format!("{HEAD}{section}\"component\"\n"));
    assert_eq!(names(&scene), ["Left Door/0", "Left Door/1"]);
}

#[test]
fn keys_of_the_section_are_defaults_and_a_table_says_what_differs() {
    let dir = scratch();
    rack(dir.path());
    let table = "body,offset,group,static,x,y,z,shape\n\
        rack/level-1/pipe,5,hot,,,,,\n\
        rack/level-1/wide,,,true,1,2,3,\n\
        rack/level-2/valve,,,,,,,{ sphere = 100 }\n\
        rack/level-2/mirrored,,,,,,,\n";
    fs::write(dir.path().join("over.csv"), table).expect("a table");
    let keys = "offset = 2\ngroup = \"plant\"\nup = \"y\"\nposition = [0, 0, 10]\ntable = \"over.csv\"\n\
        exclude = [\"*/mirrored\"]\nname = \"hall\"\n";
    let error = wrong(dir.path(), &format!("{HEAD}{SECTION}{keys}"));
    assert!(error.place.contains("over.csv:2") && error.remedy.contains("`hall/rack/level-1/pipe`"), "{error:?}");
    fs::write(dir.path().join("over.csv"), table.replace("rack/l", "hall/rack/l")).expect("a table");
    let scene = good(dir.path(), &format!("{HEAD}{SECTION}{keys}"));
    assert_eq!(scene.bodies.len(), 5, "a row of what is left out is no mistake: {:?}", names(&scene));
    let facts = |name: &str| {
        let body = body(&scene, name);
        let Motion::Static(pose) = body.motion else { panic!("{name} moves") };
        (body.shape.pieces[0].radius, pose.position.to_array(), body.groups[0].clone())
    };
    // Turned with y up: x stays, y becomes z, z becomes -y.
    assert_eq!(facts("hall/rack/level-1/pipe"), (0.005, [1.0, 0.0, 0.51], "hall/rack".to_owned()));
    assert_eq!(facts("hall/rack/level-1/pipe#2"), (0.002, [1.0, 0.0, 1.51], "hall/rack".to_owned()));
    assert_eq!(facts("hall/rack/level-1/wide"), (0.002, [0.001, 0.002, 0.003], "hall/rack".to_owned()));
    assert!((facts("hall/rack/level-2/valve").0 - 0.102).abs() < 1e-15);
    assert!(body(&scene, "hall/rack/level-1/pipe").groups.contains(&"hot".to_owned()));
    assert!(!body(&scene, "hall/rack/level-1/pipe").groups.contains(&"plant".to_owned()), "the row's own group holds");
    assert!(body(&scene, "hall/rack/level-1/wide").groups.contains(&"plant".to_owned()));
    let only = good(dir.path(), &format!("{HEAD}{SECTION}include = [\"rack/level-1/pipe\", \"*mirror*\"]\n"));
    assert_eq!(names(&only), ["rack/level-1/pipe", "rack/level-1/pipe/valve", "rack/level-2/mirrored"]);
    assert_eq!(only.trees[0].left_out, 3);
}

#[test]
fn what_does_not_fit_has_its_message() {
    let dir = scratch();
    rack(dir.path());
    fs::write(dir.path().join("a.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\no x\n").expect("a file");
    let section = |keys: &str| format!("{HEAD}[[bodies]]\n{keys}\n");
    let table = |number: u32, rows: &str| {
        fs::write(dir.path().join(format!("t{number}.csv")), format!("body,static,x,y,z\n{rows}")).expect("a table");
        format!("{HEAD}{SECTION}table = \"t{number}.csv\"\n")
    };
    let long = "geometry = \"rack.glb\"\neach = \"node\"\n";
    for (text, place, problem, remedy) in [
        (section("geometry = \"rack.glb\""), "scene.toml:5", "`table` is missing", "each = \"node\""),
        (
            section("table = \"t.csv\"\ninclude = \"x\""),
            "key `include`",
            "section with `each`",
            "add a `geometry` and `each`",
        ),
        (section("geometry = \"rack.glb\"\neach = \"nod\""), "key `each`", "`nod`", "`node`"),
        (section("geometry = \"rack.glb\"\neach = \"object\""), "rack.glb", "no parts of the kind", "each = \"node\""),
        (section("geometry = \"a.obj\"\neach = \"node\""), "a.obj", "no parts of the kind", "each = \"object\""),
        (section("geometry = \"a.obj\"\neach = \"object\""), "a.obj", "no object with triangles", "export"),
        (section("geometry = \"b.glb\"\neach = \"node\""), "key `geometry`", "b.glb", "check the path"),
        (section("each = \"node\""), "scene.toml:5", "`geometry` is missing", "geometry file"),
        (section(&format!("{long}include = \"rack/levle-1\"")), "key `include`", "matches no node", "`rack/level-1`"),
        (section(&format!("{long}include = \"level-1\"")), "key `include`", "matches no node", "mean `rack/level-1`?"),
        (section(&format!("{long}exclude = \"rack\"")), "scene.toml:5", "no part of", "clearsweep check"),
        (section(&format!("{long}moving = \"crane\"")), "key `moving`", "matches no node", "clearsweep check"),
        (section(&format!("{long}shape = {{ sphere = 1 }}")), "key `shape`", "`geometry` file", "remove `shape`"),
        (section(&format!("{long}model = \"hul\"")), "key `model`", "`hul`", "`hull`"),
        (section(&format!("{long}[[bodies]]\n{long}")), "scene.toml:8", "was used before", "`name = "),
        (table(1, "rack/level-1/pip,,,,\n"), "t1.csv:2", "no part of", "did you mean `rack/level-1/pipe`?"),
        // Another number is another part, and no slip.
        (table(4, "rack/level-3/pipe,,,,\n"), "t4.csv:2", "no part of", "`clearsweep check` lists the parts"),
        (table(2, "rack/level-1,,,,\n"), "t2.csv:2", "no body", "below it"),
        (table(3, "rack/level-1/wide,,,,\nrack/level-1/wide,,,,\n"), "scene.toml:8", "two rows", "one row"),
    ] {
        let error = wrong(dir.path(), &text);
        assert!(error.place.contains(place), "{place}: {error}\n{text}");
        assert!(error.problem.contains(problem), "{problem}: {error}\n{text}");
        assert!(error.remedy.contains(remedy), "{remedy}: {error:?}\n{text}");
    }
    let moving = HEAD.replace("[query]", "trajectories = \"t.parquet\"\n[query]");
    fs::write(dir.path().join("t.csv"), "body,static,x,y,z\nrack/level-1/wide,false,1,2,3\n").expect("a table");
    let error = wrong(dir.path(), &format!("{moving}{SECTION}table = \"t.csv\"\n"));
    assert!(error.place.contains("t.csv:2"), "{error}");
    let error = wrong(dir.path(), &format!("{moving}{SECTION}"));
    assert!(error.problem.contains("nothing moves") && error.remedy.contains("`moving`"), "{error:?}");
}

#[test]
fn paths_that_would_fill_the_memory_are_refused() {
    let dir = scratch();
    // A chain of nodes: paths grow as the square of the file.
    let chain = |count: usize, mesh: &str| {
        let node = |k: usize| {
            let children = if k + 1 < count { format!(", \"children\": [{}]", k + 1) } else { String::new() };
            format!(r#"{{"name": "a node of a deep chain"{mesh}{children}}}"#)
        };
        glb(&(0..count).map(node).collect::<Vec<_>>(), &[0], &[cuboid("a", [1.0; 3], None)], &[])
    };
    for (count, mesh, what) in
        [(100_000, "", "no node"), (10_000, ", \"mesh\": 0", "paths"), (1_500, ", \"mesh\": 0", "groups")]
    {
        fs::write(dir.path().join("rack.glb"), chain(count, mesh)).expect("a file");
        let error = wrong(dir.path(), &format!("{HEAD}{SECTION}"));
        assert!(error.problem.contains(what), "{count} nodes: {error}");
    }
    fs::write(dir.path().join("rack.glb"), chain(100, ", \"mesh\": 0")).expect("a file");
    assert_eq!(good(dir.path(), &format!("{HEAD}{SECTION}")).bodies[99].groups.len(), 99);
}

#[test]
fn vertices_that_a_node_does_not_use_are_no_part_of_it() {
    let dir = scratch();
    // Two boxes whose meshes share one list of positions.
    let (left, right) = (cuboid("left", [1.0; 3], None), cuboid("right", [2.0; 3], None));
    let positions = [&left.positions[..], &right.positions].concat();
    let upper = right.triangles.iter().map(|t| t.map(|v| v + 8)).collect();
    let shared = [
        GlbMesh { positions: positions.clone(), ..left },
        GlbMesh { positions: positions.iter().map(|p| p.map(|c| c + 10.0)).collect(), triangles: upper, ..right },
    ];
    let nodes = [r#"{"mesh": 0}"#, r#"{"mesh": 1}"#].map(str::to_owned);
    fs::write(dir.path().join("rack.glb"), glb(&nodes, &[0, 1], &shared, &[])).expect("a file");
    let scene = good(dir.path(), &format!("{HEAD}{SECTION}"));
    let facts: Vec<_> =
        scene.bodies.iter().map(|body| (body.name.as_str(), body.shape.vertices, body.shape.size())).collect();
    assert_eq!(facts, [("left", 8, 1.0), ("right", 8, 2.0)]);
}

#[test]
fn a_node_scaled_to_a_line_or_a_plane_is_convex() {
    let dir = scratch();
    let nodes =
        [r#"{"name": "line", "mesh": 0, "scale": [0, 0, 1]}"#, r#"{"name": "plane", "mesh": 0, "scale": [1, 0, 1]}"#];
    let bytes = glb(&nodes.map(str::to_owned), &[0, 1], &[cuboid("a", [1.0; 3], None)], &[]);
    fs::write(dir.path().join("rack.glb"), bytes).expect("a file");
    let scene = good(dir.path(), &format!("{HEAD}{SECTION}"));
    let sizes: Vec<_> = scene.bodies.iter().map(|body| (body.shape.size(), body.shape.is_filled())).collect();
    assert_eq!(sizes, [(1.0, false), (1.0, false)]);
}

#[test]
fn blanks_around_names_of_nodes_are_left_out() {
    let dir = scratch();
    let nodes =
        [r#"{"name": " rack ", "children": [1, 2]}"#, r#"{"name": "pipe ", "mesh": 0}"#, r#"{"name": " ", "mesh": 0}"#];
    let bytes = glb(&nodes.map(str::to_owned), &[0], &[cuboid(" box ", [1.0; 3], None)], &[]);
    fs::write(dir.path().join("rack.glb"), bytes).expect("a file");
    fs::write(dir.path().join("over.csv"), "body,offset\n rack/pipe ,5\n").expect("a table");
    let scene = good(dir.path(), &format!("{HEAD}{SECTION}table = \"over.csv\"\n"));
    assert_eq!(names(&scene), ["rack/pipe", "rack/box"]);
    assert_eq!(body(&scene, "rack/pipe").shape.pieces[0].radius, 0.005);
}

/// Boxes in rows of 100 nodes below a node each.
fn large(count: usize) -> Vec<u8> {
    let (mut nodes, mut roots) = (Vec::with_capacity(count + count / 100), Vec::new());
    for row in 0..count / 100 {
        let first = nodes.len() + 1;
        roots.push(nodes.len());
        let children: Vec<usize> = (first..first + 100).collect();
        nodes.push(format!(r#"{{"name": "row-{row}", "translation": [0, {row}, 0], "children": {children:?}}}"#));
        nodes.extend((0..100).map(|k| format!(r#"{{"name": "pipe", "mesh": {}, "translation": [{k}, 0, 0]}}"#, k % 2)));
    }
    let meshes = [cuboid("a", [0.5, 0.5, 0.5], None), cuboid("b", [0.25, 0.5, 1.0], None)];
    glb(&nodes, &roots, &meshes, &[])
}

#[test]
fn a_hundred_thousand_nodes_load_in_seconds() {
    let dir = scratch();
    fs::write(dir.path().join("rack.glb"), large(100_000)).expect("a file");
    let begun = Instant::now();
    let scene = good(dir.path(), &format!("{HEAD}{SECTION}"));
    let seconds = begun.elapsed().as_secs_f64();
    assert_eq!(scene.bodies.len(), 100_000);
    assert_eq!((scene.bodies[0].name.as_str(), scene.bodies[99_999].name.as_str()), ("row-0/pipe", "row-999/pipe#100"));
    assert_eq!(scene.trees[0].geometries, 2);
    assert!(seconds < 60.0, "it took {seconds} s, and should take two or so");
}

/// The ancestor of a body in the tree, by its path; names of nodes here have no slash.
fn ancestor<'n>(same: &str, name: &'n str) -> Option<&'n str> {
    let level = same.strip_prefix("level:").map(|level| level.parse::<usize>().expect("a number"));
    match level {
        None => name.rfind('/').map(|at| &name[..at]),
        Some(level) => {
            let end = name.match_indices('/').map(|(at, _)| at).chain([name.len()]).nth(level - 1)?;
            Some(&name[..end])
        }
    }
}

#[test]
fn bodies_below_one_ancestor_are_ignored_together() {
    let folder = scratch();
    let folder = folder.path();
    rack(folder);
    let loose = "[[body]]\nname = \"loose\"\nshape = { sphere = 10 }\nstatic = true\n";
    for (same, selectors) in [
        ("parent", ["*", "*"]),
        ("level:1", ["*", "*"]),
        ("level:2", ["*", "*"]),
        ("level:3", ["*", "*"]),
        ("level:9", ["*", "*"]),
        ("parent", ["*pipe*", "*"]),
        ("level:2", ["*pipe*", "*wide"]),
        ("level:1", ["*level-1*", "*level-2*"]),
    ] {
        for written in [true, false] {
            let [a, b] = selectors.map(|selector| if written || selector != "*" { Some(selector) } else { None });
            let key =
                |key: &str, text: Option<&str>| text.map_or_else(String::new, |text| format!("{key} = \"{text}\"\n"));
            let rule = format!("[[ignore]]\nsame = \"{same}\"\n{}{}reason = \"welded\"\n", key("a", a), key("b", b));
            let scene = good(folder, &format!("{HEAD}{loose}{SECTION}{rule}"));
            let bodies = names(&scene);
            let fits = |selector: &str, name: &str| name.contains(selector.trim_matches('*'));
            let mut pairs = 0;
            for (i, one) in bodies.iter().enumerate() {
                for (j, other) in bodies.iter().enumerate().filter(|(j, _)| i != *j) {
                    let related = ancestor(same, one).is_some_and(|above| {
                        ancestor(same, other) == Some(above) && ![*one, *other].contains(&"loose")
                    });
                    let [a, b] = selectors;
                    let chosen = (fits(a, one) && fits(b, other)) || (fits(b, one) && fits(a, other));
                    assert_eq!(scene.ignored.contains(i as u32, j as u32), related && chosen, "{rule}: {one}, {other}");
                    pairs += u64::from(related && chosen);
                }
            }
            let [described] = &scene.ignore_rules[..] else { panic!("one rule") };
            assert_eq!((described.pairs, described.examples.len() as u64), (pairs / 2, (pairs / 2).min(3)), "{rule}");
            assert!(described.examples.iter().all(|&[a, b]| scene.ignored.contains(a, b)), "{described:?}");
            assert_eq!(pairs == 0, same == "level:9", "{rule}: {bodies:?}");
        }
    }
    for (word, says) in [("mother", "`mother` is no ancestor"), ("level:0", "`level:0`"), ("level:x", "level:1")] {
        let error = wrong(folder, &format!("{HEAD}{SECTION}[[ignore]]\nsame = \"{word}\"\n"));
        assert!(format!("{error}; {}", error.remedy).contains(says), "{error}; {}", error.remedy);
    }
}

#[test]
fn components_of_one_object_are_ignored_together() {
    let folder = scratch();
    let folder = folder.path();
    let mut text = String::new();
    for object in 0..3 {
        writeln!(text, "o part-{object}").expect("text");
        // Two tetrahedra an object, and one in the last.
        for component in 0..if object == 2 { 1 } else { 2 } {
            let (x, first) = (3.0 * f64::from(object) + 1.5 * f64::from(component), 8 * object + 4 * component + 1);
            for [dx, dy, dz] in [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] {
                writeln!(text, "v {:?} {dy:?} {dz:?}", x + dx).expect("text");
            }
            for face in [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]] {
                writeln!(text, "f {} {} {}", first + face[0], first + face[1], first + face[2]).expect("text");
            }
        }
    }
    fs::write(folder.join("parts.obj"), text).expect("a file");
    for (each, expected) in [("component", 2), ("object", 0)] {
        let section = format!("[[bodies]]\ngeometry = \"parts.obj\"\neach = \"{each}\"\n");
        let scene = good(folder, &format!("{HEAD}{section}[[ignore]]\nsame = \"component\"\n"));
        assert_eq!(scene.ignore_rules[0].pairs, expected, "{:?}", names(&scene));
        for &[a, b] in &scene.ignore_rules[0].examples {
            let [a, b] = [a, b].map(|body| ancestor("parent", names(&scene)[body as usize]));
            assert!(a.is_some() && a == b);
        }
    }
}
