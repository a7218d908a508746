//! RVM files of plants with attributes: a public sample, and files written here for what no public
//! file has.

use clearsweep::Error;
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_scene::{Body, Motion, Scene, SceneOverrides};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

mod damage;
mod light;
mod made;
mod sample;
mod shapes;

const HEAD: &str = "[scene]\nlength_unit = \"mm\"\n[query]\nwithin = 50\n";

fn load(folder: &Path, text: &str) -> Result<Scene, Error> {
    let path = folder.join("scene.toml");
    fs::write(&path, format!("{HEAD}{text}")).expect("a scene");
    clearsweep_scene::load_scene(&path, &SceneOverrides::default())
}

/// The bodies of a plant file of these bytes; `keys`: more lines of the section.
fn plant(folder: &TempDir, bytes: &[u8], keys: &str) -> Result<Scene, Error> {
    fs::write(folder.path().join("plant.rvm"), bytes).expect("a plant");
    load(folder.path(), &format!("[[bodies]]\ngeometry = \"plant.rvm\"\n{keys}"))
}

fn good(folder: &TempDir, bytes: &[u8], keys: &str) -> Scene {
    plant(folder, bytes, keys).unwrap_or_else(|error| panic!("{error}: {}", error.remedy))
}

fn names(scene: &Scene) -> Vec<&str> {
    scene.bodies.iter().map(|body| body.name.as_str()).collect()
}

fn body<'s>(scene: &'s Scene, name: &str) -> &'s Body {
    scene.bodies.iter().find(|body| body.name == name).unwrap_or_else(|| panic!("no {name} in {:?}", names(scene)))
}

/// The problems of the notes, a line each.
fn notes(scene: &Scene) -> String {
    assert!(scene.notes.iter().all(|(_, note)| note.kind == "rvm" && !note.remedy.is_empty()));
    scene.notes.iter().map(|(_, note)| format!("{}\n", note.problem)).collect()
}

/// The place of a static body.
fn place(body: &Body) -> Pose {
    match body.motion {
        Motion::Static(pose) => pose,
        Motion::Dynamic { .. } => panic!("{} moves", body.name),
    }
}

/// How far a body reaches along a direction in the world, metres: exact shapes and meshes.
fn height(body: &Body, direction: Vec3<f64>) -> f64 {
    let pose = place(body);
    assert_eq!(pose.q, [1.0, 0.0, 0.0, 0.0], "the axes of the file");
    let own = body.shape.pieces.iter().map(|piece| {
        let core = &piece.core;
        let vertices =
            || (0..core.count as u32).map(|v| core.vertex(v).dot(direction)).fold(f64::NEG_INFINITY, f64::max);
        piece.radius + core.round.as_ref().map_or_else(vertices, |round| round.body.height(direction))
    });
    own.fold(f64::NEG_INFINITY, f64::max) + pose.position.dot(direction)
}
