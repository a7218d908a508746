//! Facts that the readers see in geometry files, as JSON, for comparison with another program's
//! readers.
//!
//! `cargo xtask mesh-facts PATH...` reads every geometry file of the paths (files, or directories
//! and all below them) and prints one object a line: `file`, and either `error`, or vertices,
//! triangles and pieces as read, the box of the vertices, the volume and area of the triangles,
//! whether they close up, and vertices and volume of the hull. `--up-y` turns the files from y-up
//! to z-up. `tests/readers/compare.py` holds the lines against trimesh.

use crate::support::Outcome;
use clearsweep_geometry::Polyhedron;
use clearsweep_scene::SceneOverrides;
use clearsweep_scene::readers::{Mesh, check_extension, read_mesh};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub(crate) fn main(arguments: &[String]) -> Outcome<ExitCode> {
    let (mut files, mut up_y) = (Vec::new(), false);
    for argument in arguments {
        if argument == "--up-y" {
            up_y = true;
        } else {
            collect(&fs::canonicalize(PathBuf::from(argument))?, &mut files)?;
        }
    }
    files.sort();
    let scenes = tempfile::tempdir()?;
    for file in files {
        let mut line = facts(&file, &scenes.path().join("scene.toml"), up_y).unwrap_or_else(|e| json!({"error": e}));
        line["file"] = json!(file.to_string_lossy());
        println!("{line}");
    }
    Ok(ExitCode::SUCCESS)
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if path.is_dir() {
        fs::read_dir(path)?.try_for_each(|entry| collect(&entry?.path(), files))?;
    } else if check_extension(path).is_ok() {
        files.push(path.to_path_buf());
    }
    Ok(())
}

fn facts(file: &Path, scene: &Path, up_y: bool) -> Result<Value, String> {
    let bytes = fs::read(file).map_err(|error| error.to_string())?;
    let mesh = read_mesh(file, bytes).map_err(|fault| fault.problem)?;
    let up = if up_y { "up = \"y\"\n" } else { "" };
    let text = format!(
        "[scene]\nlength_unit = \"m\"\n[query]\nwithin = 1\n[[body]]\nname = \"b\"\ngeometry = {}\nmodel = \"hull\"\n\
         unit = \"m\"\nstatic = true\n{up}",
        json!(file.to_string_lossy())
    );
    fs::write(scene, text).map_err(|error| error.to_string())?;
    let loaded = clearsweep_scene::load_scene(scene, &SceneOverrides::default()).map_err(|error| error.to_string())?;
    let shape = &loaded.bodies[0].shape;
    let hull = &shape.hull().core;
    let [low, high] = bounds((0..hull.count as u32).map(|v| (hull.vertex(v) + shape.center).to_array()));
    let [volume, area] = measures(&mesh);
    Ok(json!({
        "vertices": mesh.vertices.len(),
        "triangles": mesh.triangles.len(),
        "pieces": mesh.pieces,
        "box": bounds(mesh.vertices.iter().copied()),
        "hull_box": [low, high],
        "volume": volume,
        "area": area,
        "watertight": shape.watertight,
        "hull_vertices": hull.count,
        "hull_volume": hull_volume(hull),
        "dimension": hull.dimension,
    }))
}

/// Lowest and highest coordinates.
fn bounds(points: impl Iterator<Item = [f64; 3]>) -> [[f64; 3]; 2] {
    points.fold([[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]], |[low, high], p| {
        [[0, 1, 2].map(|i| low[i].min(p[i])), [0, 1, 2].map(|i| high[i].max(p[i]))]
    })
}

/// Signed volume (of the tetrahedra towards the first vertex) and area.
fn measures(mesh: &Mesh) -> [f64; 2] {
    let origin = mesh.vertices[0];
    let (mut six_volumes, mut double_area) = (0.0, 0.0);
    for triangle in &mesh.triangles {
        let [a, b, c] = triangle.map(|v| sub(mesh.vertices[v as usize], origin));
        let normal = cross(sub(b, a), sub(c, a));
        double_area += dot(normal, normal).sqrt();
        six_volumes += dot(a, cross(b, c));
    }
    [six_volumes / 6.0, double_area / 2.0]
}

fn hull_volume(hull: &Polyhedron) -> f64 {
    let inside = hull.mean.to_array();
    let fan = |face: &[u32]| -> f64 {
        let corner = |v: u32| sub(hull.vertex(v).to_array(), inside);
        face[1..].windows(2).map(|pair| dot(corner(face[0]), cross(corner(pair[0]), corner(pair[1])))).sum()
    };
    (0..hull.face_count()).map(|f| fan(hull.face(f as u32))).sum::<f64>() / 6.0
}

fn sub(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|i| a[i] - b[i])
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
