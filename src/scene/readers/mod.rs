//! Geometry files to triangle meshes: bytes in memory go in, vertices in the order of the file come out.
//!
//! Readers trust nothing: whatever the bytes are, they return a mesh with finite coordinates and valid indices, or a
//! [`Fault`]; they never panic, and never allocate more than the file's own size warrants.

mod obj;
mod stl;

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
    /// For each triangle: the object, group or solid that it belongs to, numbered from 0 in order of first use.
    pub piece: Vec<u32>,
    /// Number of pieces.
    pub pieces: usize,
}

/// Most vertices and triangles of a file: the published feature numbers are 32-bit signed.
const MAX_ELEMENTS: usize = i32::MAX as usize;

/// Reads a geometry file from memory, by the extension of its path (case does not matter).
///
/// # Errors
/// An unknown or not yet supported extension, or bytes that are not what the extension says.
pub fn read_mesh(path: &Path, bytes: Vec<u8>) -> Result<Mesh, Fault> {
    let mesh = match extension(path).as_str() {
        "obj" => obj::read(&bytes)?,
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
        "obj" | "stl" => Ok(()),
        other => Err(unsupported(other)),
    }
}

fn extension(path: &Path) -> String {
    path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
}

fn unsupported(extension: &str) -> Fault {
    match extension {
        "ply" | "glb" | "gltf" => Fault::new(
            format!("geometry files of type .{extension} are not supported in this version yet"),
            "convert the file to .obj or .stl",
        ),
        "" => Fault::new("the geometry file has no extension", "name a .obj or .stl file"),
        _ => Fault::new(format!("`.{extension}` is no known geometry type"), "convert the file to .obj or .stl"),
    }
}

/// The first coordinate that is not finite, as a fault naming its vertex.
fn check_finite(vertex: usize, position: [f64; 3]) -> Result<(), String> {
    match position.iter().position(|c| !c.is_finite()) {
        None => Ok(()),
        Some(axis) => Err(format!("vertex {vertex} has the {} coordinate {}", ["x", "y", "z"][axis], position[axis])),
    }
}
