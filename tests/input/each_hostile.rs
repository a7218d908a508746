//! Geometry files that say much in few bytes: names, materials and meshes that many nodes repeat.

use clearsweep::Error;
use clearsweep_scene::{Scene, SceneOverrides};
use clearsweep_testing::glb::{cuboid, glb};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::sync::Arc;

const HEAD: &str = "[scene]\nlength_unit = \"m\"\n[query]\nwithin = 2\n";

fn load(folder: &Path, file: &str, keys: &str) -> Result<Scene, Error> {
    let path = folder.join("scene.toml");
    fs::write(&path, format!("{HEAD}[[bodies]]\ngeometry = \"{file}\"\n{keys}\n")).expect("a scene");
    clearsweep_scene::load_scene(&path, &SceneOverrides::default())
}

/// So many nodes of one mesh.
fn nodes(count: usize) -> Vec<String> {
    vec![r#"{"mesh": 0}"#.to_owned(); count]
}

fn roots(count: usize) -> Vec<usize> {
    (0..count).collect()
}

#[test]
fn names_that_many_nodes_repeat_are_refused() {
    let folder = tempfile::tempdir().expect("scratch");
    let long = "n".repeat(60_000);
    let named = |name: &'static str, material: &str| {
        let mesh = cuboid(name, [1.0; 3], Some(0));
        glb(&nodes(5000), &roots(5000), &[mesh], &[material])
    };
    // Neighbours of one material share the list of their groups.
    fs::write(folder.path().join("a.glb"), named("", &long)).expect("a file");
    let scene = load(folder.path(), "a.glb", "each = \"node\"").unwrap_or_else(|error| panic!("{error}"));
    assert!(scene.bodies.iter().all(|body| Arc::ptr_eq(&body.groups, &scene.bodies[0].groups)));
    let of_two = || {
        let materials = [format!("a{long}"), format!("b{long}")];
        let meshes = [0, 1].map(|material| cuboid("", [1.0; 3], Some(material)));
        let nodes: Vec<String> = (0..5000).map(|node| format!("{{\"mesh\": {}}}", node % 2)).collect();
        glb(&nodes, &roots(5000), &meshes, &materials.each_ref().map(String::as_str))
    };
    let section = format!("each = \"node\"\nname = \"{long}\"");
    for (bytes, keys, problem) in [
        (named("", "m"), section.as_str(), "names of the nodes"),
        (of_two(), "each = \"node\"", "groups of its parts"),
        (named(String::leak(long.clone()), "m"), "each = \"node\"", "paths of its nodes"),
    ] {
        fs::write(folder.path().join("a.glb"), bytes).expect("a file");
        let Err(error) = load(folder.path(), "a.glb", keys) else { panic!("{problem}") };
        assert!(error.problem.contains(problem), "{problem}: {}", error.problem);
        assert!(error.remedy.contains("shorter"), "{}", error.remedy);
    }
}

#[test]
fn names_of_obj_are_kept_once() {
    let folder = tempfile::tempdir().expect("scratch");
    let long = "n".repeat(60_000);
    // Thirty gigabytes, were the long name kept for each group.
    let mut text = format!("v 0 0 0\nv 1 0 0\nv 0 1 0\no {long}\n");
    for group in 0..500_000 {
        write!(text, "g {group}\nf 1 2 3\n").expect("text");
    }
    fs::write(folder.path().join("a.obj"), text).expect("a file");
    let scene = load(folder.path(), "a.obj", "each = \"object\"\nmodel = \"hull\"").expect("one object");
    assert_eq!((scene.bodies.len(), scene.bodies[0].groups.len()), (1, 500_000));
    assert_eq!(scene.bodies[0].name, long);
    // The same group in many objects is many groups in the end.
    let mut text = format!("v 0 0 0\nv 1 0 0\nv 0 1 0\ng {long}\n");
    for object in 0..5000 {
        write!(text, "o {object}\nf 1 2 3\n").expect("text");
    }
    fs::write(folder.path().join("a.obj"), text).expect("a file");
    let error = load(folder.path(), "a.obj", "each = \"object\"").expect_err("too many");
    assert!(error.problem.contains("groups of its parts"), "{}", error.problem);
}
