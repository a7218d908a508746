//! PLY and glTF: files written here from known meshes, in every encoding and layout, against what
//! is read.

use clearsweep_scene::readers::{Fault, Mesh, read_mesh};
use clearsweep_scene::{Motion, Scene, SceneOverrides};
use clearsweep_testing::random::Random;
use std::fmt::Write;
use std::fs;
use std::path::Path;

mod gltf;
mod ply;
mod polygons;
mod rest_pose;
mod threemf;

/// A number in -1 to 1, of single precision.
fn single(random: &mut Random) -> f32 {
    random.below(1 << 24) as f32 / (1 << 23) as f32 - 1.0
}

/// Cuts the bytes off, overwrites some, drops or repeats a stretch, or swaps a digit.
fn mutated(random: &mut Random, bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=random.below(3) {
        let at = random.below(bytes.len().max(1)).min(bytes.len());
        let end = (at + random.below(12)).min(bytes.len());
        match random.below(7) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..end)),
            2 => bytes = [&bytes[..end], &bytes[at..]].concat(),
            3 => bytes[at..end].iter_mut().for_each(|b| *b ^= 1 << random.below(8)),
            4 => bytes[at..end].iter_mut().for_each(|b| *b = b"0123456789.-enaifv /#\\\n\"[]{}="[random.below(29)]),
            5 => bytes[at..end].iter_mut().filter(|b| b.is_ascii_digit()).for_each(|b| *b = b"0192"[random.below(4)]),
            _ => bytes[at..end].iter_mut().for_each(|b| *b = [0, 0xff, 0x7f, 0x80][random.below(4)]),
        }
    }
    bytes
}

/// Six times the volume that the triangles enclose; positive if they are counter-clockwise from
/// outside.
fn six_volumes(mesh: &Mesh) -> f64 {
    let corner = |t: &[u32; 3], k: usize| mesh.vertices[t[k] as usize];
    let det = |[a, b, c]: [[f64; 3]; 3]| {
        a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0])
    };
    mesh.triangles.iter().map(|t| det([0, 1, 2].map(|k| corner(t, k)))).sum()
}

/// Lowest and highest coordinates.
fn bounds(mesh: &Mesh) -> [[f64; 3]; 2] {
    let fold = |pick: fn(f64, f64) -> f64| {
        let mut found = mesh.vertices[0];
        for v in &mesh.vertices {
            (0..3).for_each(|axis| found[axis] = pick(found[axis], v[axis]));
        }
        found
    };
    [fold(f64::min), fold(f64::max)]
}

/// Asserts everything that must hold of a mesh, whatever the bytes were.
fn assert_sound(mesh: &Mesh) {
    assert!(!mesh.vertices.is_empty() && mesh.vertices.iter().flatten().all(|c| c.is_finite()));
    assert!(mesh.triangles.iter().flatten().all(|&v| (v as usize) < mesh.vertices.len()));
    assert_eq!(mesh.piece.len(), mesh.triangles.len());
    assert!(mesh.piece.iter().all(|&piece| (piece as usize) < mesh.pieces) && mesh.piece.is_sorted());
}

/// Reads thousands of damaged copies of files: a sound mesh or a fault with a remedy, never a
/// panic.
fn damage(name: &str, originals: &[Vec<u8>], seed: u64) {
    let mut random = Random(seed);
    let (mut good, mut bad) = (0, 0);
    for round in 0..6000 {
        let bytes = mutated(&mut random, &originals[round % originals.len()]);
        match read_mesh(Path::new(name), bytes) {
            Ok(mesh) => {
                assert_sound(&mesh);
                good += 1;
            }
            Err(Fault { problem, remedy, .. }) => {
                assert!(!problem.is_empty() && !remedy.is_empty());
                bad += 1;
            }
        }
    }
    assert!(good > 200 && bad > 2000, "the cases are not representative: {good} good, {bad} bad");
    // Every cut of every file, from its first byte to its last but one.
    for bytes in originals {
        for end in (0..bytes.len()).step_by(1 + bytes.len() / 3000) {
            if let Ok(mesh) = read_mesh(Path::new(name), bytes[..end].to_vec()) {
                assert_sound(&mesh);
            }
        }
    }
}

const HEAD: &str = "[scene]\nlength_unit = \"mm\"\n[query]\nwithin = 1\n";

fn load(folder: &Path, bodies: &str) -> Result<Scene, clearsweep::Error> {
    let path = folder.join("scene.toml");
    fs::write(&path, format!("{HEAD}{bodies}")).expect("a scene");
    clearsweep_scene::load_scene(&path, &SceneOverrides::default())
}

fn static_body(name: &str, lines: &str) -> String {
    let mut text = String::new();
    let _ = write!(text, "[[body]]\nname = \"{name}\"\nstatic = true\n{lines}\n");
    text
}

/// A tetrahedron with its right angle at the origin: six times its volume is 1.
const TETRAHEDRON: ([[f32; 3]; 4], [[u32; 3]; 4]) = (
    [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]],
);

#[test]
fn a_scene_takes_every_kind_of_file_and_its_unit() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("t.ply"), ply::tetrahedron()).expect("written");
    let (text, buffer) = gltf::tetrahedron("my%20data.bin");
    fs::write(folder.path().join("t.gltf"), text).expect("written");
    fs::write(folder.path().join("my data.bin"), &buffer).expect("written");
    let bodies = static_body("a", "geometry = \"t.ply\"")
        + &static_body("b", "geometry = \"t.gltf\"")
        + &static_body("c", "geometry = \"t.gltf\"\nunit = \"in\"\nup = \"y\"\nposition = [1000, 0, 0]");
    let scene = load(folder.path(), &bodies).unwrap_or_else(|error| panic!("{error}"));
    let high = |body: usize| {
        let core = &scene.bodies[body].shape.hull().core;
        (0..core.count as u32).fold([0.0_f64; 3], |high, v| {
            let p = core.vertex(v).to_array();
            [0, 1, 2].map(|axis| high[axis].max(p[axis]))
        })
    };
    // The scene's millimetres for PLY, metres for glTF unless it says otherwise; turned by `up`
    // only.
    assert_eq!(high(0), [1e-3; 3]);
    assert_eq!(high(1), [1.0; 3]);
    assert_eq!(high(2), [0.0254, 0.0, 0.0254]);
    assert!(matches!(scene.bodies[2].motion, Motion::Static(pose) if pose.position.x == 1.0));
    assert_eq!(scene.bodies[1].shape.watertight, Some(true));
    let names: Vec<_> = scene.inputs.iter().map(|input| input.path.file_name().expect("a name").to_owned()).collect();
    assert_eq!(names, ["scene.toml", "t.ply", "t.gltf", "my data.bin"]);
    assert_eq!(scene.inputs[3].bytes, buffer.len() as u64);
}
