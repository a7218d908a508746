//! Meshes of equal contents are one geometry: of nodes, of files, and of neither if a bit differs.

use clearsweep_scene::{Scene, SceneOverrides, Shape};
use clearsweep_testing::glb::{GlbMesh, cuboid, glb};
use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

fn load(folder: &Path, bodies: &str) -> Scene {
    let path = folder.join("scene.toml");
    fs::write(&path, format!("[scene]\nlength_unit = \"m\"\n[query]\nwithin = 2\n{bodies}")).expect("a scene");
    clearsweep_scene::load_scene(&path, &SceneOverrides::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// Number of different shapes.
fn shapes(scene: &Scene) -> usize {
    scene.bodies.iter().map(|body| Arc::as_ptr(&body.shape)).collect::<HashSet<*const Shape>>().len()
}

/// The five parts of an assembly: boxes, one of them with a wall that is missing.
fn part(kind: usize) -> GlbMesh {
    let mut mesh = cuboid("part", [0.25 * (1.0 + kind as f32), 0.5, 0.1], None);
    if kind == 4 {
        mesh.triangles.pop();
    }
    mesh
}

fn node(mesh: usize, name: &str, x: f64) -> String {
    format!(
        "{{\"mesh\": {mesh}, \"name\": \"{name}\", \"translation\": [{x}, 0, 0.1], \"rotation\": [0, 0, 0.6, 0.8]}}"
    )
}

#[test]
fn equal_meshes_of_nodes_are_one_geometry() {
    let folder = tempfile::tempdir().expect("scratch");
    // Eighteen bodies of five shapes, as an exporter writes them that knows no instances.
    let meshes: Vec<GlbMesh> = (0..18).map(|number| part(number % 5)).collect();
    let nodes: Vec<String> = (0..18).map(|number| node(number, &format!("n{number}"), number as f64)).collect();
    let roots: Vec<usize> = (0..18).collect();
    fs::write(folder.path().join("a.glb"), glb(&nodes, &roots, &meshes, &[])).expect("written");
    let section = "[[bodies]]\ngeometry = \"a.glb\"\neach = \"node\"\n";
    let scene = load(folder.path(), section);
    assert_eq!((scene.bodies.len(), shapes(&scene), scene.trees[0].geometries), (18, 5, 5));
    for (number, body) in scene.bodies.iter().enumerate() {
        let alone = glb(&[node(0, "n", number as f64)], &[0], &[part(number % 5)], &[]);
        fs::write(folder.path().join("alone.glb"), alone).expect("written");
        let alone = load(folder.path(), &section.replace("a.glb", "alone.glb"));
        assert_eq!(body.shape, alone.bodies[0].shape, "{number}");
        assert_eq!(body.motion, alone.bodies[0].motion, "{number}");
    }
    // Another growth is another shape of the same triangles.
    fs::write(folder.path().join("rows.csv"), "body,offset\nn4,0.5\n").expect("written");
    let grown = load(folder.path(), &format!("{section}table = \"rows.csv\"\n"));
    assert_eq!((shapes(&grown), grown.trees[0].geometries), (6, 5));
    let [four, nine] = [4, 9].map(|body| grown.bodies[body].shape.mesh.clone().expect("a mesh"));
    assert!(Arc::ptr_eq(&four, &nine), "the triangles are shared");
    // Components are compared likewise.
    let components = load(folder.path(), &section.replace("node", "component"));
    assert_eq!((components.bodies.len(), shapes(&components)), (18, 5));
}

#[test]
fn one_bit_makes_another_geometry() {
    let folder = tempfile::tempdir().expect("scratch");
    let spoilt = |spoil: fn(&mut GlbMesh)| {
        let mut mesh = part(1);
        spoil(&mut mesh);
        mesh
    };
    let meshes = [
        part(1),
        spoilt(|mesh| mesh.positions[3][1] = mesh.positions[3][1].next_up()),
        spoilt(|mesh| mesh.triangles[0].rotate_left(1)),
        spoilt(|mesh| mesh.triangles.swap(0, 1)),
        part(1),
    ];
    let nodes: Vec<String> = (0..5).map(|number| node(number, "n", 0.0)).collect();
    fs::write(folder.path().join("a.glb"), glb(&nodes, &[0, 1, 2, 3, 4], &meshes, &[])).expect("written");
    let scene = load(folder.path(), "[[bodies]]\ngeometry = \"a.glb\"\neach = \"node\"\nmodel = \"mesh\"\n");
    assert_eq!((scene.bodies.len(), shapes(&scene)), (5, 4));
    assert!(Arc::ptr_eq(&scene.bodies[0].shape, &scene.bodies[4].shape));
}

#[test]
fn equal_files_and_equal_parts_of_files_are_one_geometry() {
    let folder = tempfile::tempdir().expect("scratch");
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).expect("written");
    let (one, two) = (node(0, "one", 0.0), node(1, "two", 5.0));
    write("a.glb", &glb(std::slice::from_ref(&one), &[0], &[part(2)], &[]));
    write("b.glb", &glb(&[one, two], &[0, 1], &[part(3), part(2)], &[]));
    let each =
        |file: &str, name: &str| format!("[[bodies]]\ngeometry = \"{file}\"\neach = \"node\"\nname = \"{name}\"\n");
    let parts = load(folder.path(), &(each("a.glb", "a") + &each("b.glb", "b")));
    assert_eq!((parts.bodies.len(), shapes(&parts), parts.inputs.len()), (3, 2, 3));
    assert!(Arc::ptr_eq(&parts.bodies[0].shape, &parts.bodies[2].shape));
    let obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    ["left.obj", "right.obj", "RIGHT.OBJ.obj"].iter().for_each(|name| write(name, obj.as_bytes()));
    write("other.obj", format!("{obj}# other bytes\n").as_bytes());
    let body = |name: &str, keys: &str| {
        format!("[[body]]\nname = \"{name}{keys}\"\ngeometry = \"{name}.obj\"\nstatic = true\n{keys}\n")
    };
    let names = ["left", "right", "RIGHT.OBJ", "other"];
    let files: String = names.iter().map(|name| body(name, "") + &body(name, "offset = 1")).collect();
    let scene = load(folder.path(), &files);
    assert_eq!((scene.bodies.len(), shapes(&scene)), (8, 4), "two uses of equal files, and of one other");
    let read: Vec<_> = scene.inputs.iter().map(|input| input.path.file_name().expect("a name").to_owned()).collect();
    assert_eq!(read, ["scene.toml", "left.obj", "right.obj", "RIGHT.OBJ.obj", "other.obj"], "all are inputs");
    // A file that is wrong is refused by its own name.
    write("left.obj", b"v 0 0 0\n");
    write("right.obj", b"v 0 0 0\n");
    let path = folder.path().join("scene.toml");
    let error = clearsweep_scene::load_scene(&path, &SceneOverrides::default()).expect_err("no triangles");
    let text = format!("{error}");
    assert!(text.contains("left.obj") && text.contains("right.obj"), "{text}");
}
