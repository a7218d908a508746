//! Geometry files to triangle meshes: bytes in memory go in, vertices in the order of the file come out.
//!
//! Readers trust nothing: whatever the bytes are, they return a mesh with finite coordinates and valid indices, or a
//! [`Fault`]; they never panic, and never allocate more than the file's own size warrants (glTF may copy a mesh many
//! times: there, more than a fixed bound).

mod gltf;
mod obj;
mod ply;
mod stl;

use super::model::{InputDigest, LengthUnit};
use std::path::Path;

/// What is wrong with a geometry file or a shape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Line of the file, from 1, where it is known.
    pub line: Option<usize>,
    /// What is wrong.
    pub problem: String,
    /// What to do about it.
    pub remedy: String,
}

impl Fault {
    /// A fault of the file as a whole.
    pub fn new(problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { line: None, problem: problem.into(), remedy: remedy.into() }
    }

    /// A fault of a line, counted from 1.
    pub fn at(line: usize, problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { line: Some(line), problem: problem.into(), remedy: remedy.into() }
    }
}

/// A triangle mesh as read: coordinates in the file's own unit and axes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mesh {
    /// Positions; the index of a vertex is its order in the file (STL: 3 * triangle + corner). All finite.
    pub vertices: Vec<[f64; 3]>,
    /// Vertex indices of each triangle; polygons are cut into fans from their first vertex.
    pub triangles: Vec<[u32; 3]>,
    /// For each triangle: the object, group, solid or node that it belongs to, numbered from 0 in order of first use.
    pub piece: Vec<u32>,
    /// Number of pieces.
    pub pieces: usize,
}

/// Most vertices and triangles of a file: the published feature numbers are 32-bit signed.
const MAX_ELEMENTS: usize = i32::MAX as usize;

/// Reads a geometry file from memory, by the extension of its path (case does not matter).
///
/// # Errors
/// An unknown extension, or bytes that are not what the extension says.
pub fn read_mesh(path: &Path, bytes: Vec<u8>) -> Result<Mesh, Fault> {
    read_with_companions(path, bytes, &mut Vec::new())
}

/// As [`read_mesh`]; the files beside it that were read too (the buffers of `.gltf`) are added to `companions`.
pub(super) fn read_with_companions(
    path: &Path,
    bytes: Vec<u8>,
    companions: &mut Vec<InputDigest>,
) -> Result<Mesh, Fault> {
    let mesh = match extension(path).as_str() {
        "glb" | "gltf" => gltf::read(path, &bytes, companions)?,
        "obj" => obj::read(&bytes)?,
        "ply" => ply::read(&bytes)?,
        "stl" => stl::read(bytes)?,
        other => return Err(unsupported(other)),
    };
    if mesh.vertices.is_empty() {
        return Err(Fault::new("the file has no vertices", "export the geometry again"));
    }
    if mesh.vertices.len() > MAX_ELEMENTS || mesh.triangles.len() > MAX_ELEMENTS {
        return Err(Fault::new(
            "the file has more than 2^31 - 1 vertices or triangles",
            "split it into several bodies",
        ));
    }
    Ok(mesh)
}

/// Refuses a path whose extension no reader knows, before the file is opened.
///
/// # Errors
/// As [`read_mesh`] for the extension.
pub fn check_extension(path: &Path) -> Result<(), Fault> {
    match extension(path).as_str() {
        "glb" | "gltf" | "obj" | "ply" | "stl" => Ok(()),
        other => Err(unsupported(other)),
    }
}

/// The unit that a format prescribes: glTF is in metres.
pub(super) fn own_unit(path: &Path) -> Option<LengthUnit> {
    matches!(extension(path).as_str(), "glb" | "gltf").then_some(LengthUnit::ALL[0])
}

fn extension(path: &Path) -> String {
    path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
}

fn unsupported(extension: &str) -> Fault {
    match extension {
        "" => Fault::new("the geometry file has no extension", "name a .obj, .stl, .ply, .glb or .gltf file"),
        _ => Fault::new(
            format!("`.{extension}` is no known geometry type"),
            "convert the file to .obj, .stl, .ply or .glb",
        ),
    }
}

/// The first coordinate that is not finite, as a fault naming its vertex.
fn check_finite(vertex: usize, position: [f64; 3]) -> Result<(), String> {
    match position.iter().position(|c| !c.is_finite()) {
        None => Ok(()),
        Some(axis) => Err(format!("vertex {vertex} has the {} coordinate {}", ["x", "y", "z"][axis], position[axis])),
    }
}
