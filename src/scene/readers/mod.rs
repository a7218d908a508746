//! Geometry files to triangle meshes: bytes in memory go in, vertices in the order of the file come out.
//!
//! Readers trust nothing: whatever the bytes are, they return a mesh with finite coordinates and valid indices, or a
//! [`Fault`]; they never panic, and never allocate more than the file's own size warrants (glTF may copy a mesh many
//! times: there, more than a fixed bound).

mod components;
mod gltf;
mod mesh;
mod obj;
mod parts;
mod ply;
mod polygons;
mod stl;

use super::digest::{DEFAULT_MAX_INPUT, InputReader};
use super::model::LengthUnit;
use mesh::MAX_ELEMENTS;
pub use mesh::{Fault, Mesh};
use parts::NamedMesh;
pub(super) use parts::{Each, FileParts, MAX_PATHS, PartNode};
use std::path::Path;

/// Reads a geometry file from memory, by the extension of its path (case does not matter).
///
/// # Errors
/// An unknown extension, or bytes that are not what the extension says.
pub fn read_mesh(path: &Path, bytes: Vec<u8>) -> Result<Mesh, Fault> {
    read_with_companions(path, bytes, &mut InputReader::new(DEFAULT_MAX_INPUT))
}

/// As [`read_mesh`]; the files beside it that were read too (the buffers of `.gltf`) are read by `companions`.
pub(super) fn read_with_companions(path: &Path, bytes: Vec<u8>, companions: &mut InputReader) -> Result<Mesh, Fault> {
    let mesh = match extension(path).as_str() {
        "glb" | "gltf" => gltf::read(path, &bytes, companions)?,
        "obj" => obj::read(&bytes)?,
        "ply" => ply::read(&bytes)?,
        "stl" => stl::read(&bytes)?,
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

/// Reads the parts of a geometry file from memory; the files beside it that were read too are read by `companions`.
///
/// # Errors
/// Bytes that are not what the extension says, a format that has no such parts, or no part with a triangle.
pub(super) fn read_parts(
    path: &Path,
    bytes: Vec<u8>,
    each: Each,
    companions: &mut InputReader,
) -> Result<FileParts, Fault> {
    let kind = extension(path);
    parts::check_kind(&kind, each)?;
    let found = match kind.as_str() {
        "glb" | "gltf" => gltf::read_nodes(path, &bytes, companions)?,
        "obj" => parts::flat(obj::read_objects(&bytes)?),
        "stl" => parts::flat(stl::read_solids(&bytes)?),
        "ply" => {
            let mesh = ply::read(&bytes)?;
            parts::flat(vec![NamedMesh { name: String::new(), groups: Vec::new(), mesh }])
        }
        other => return Err(unsupported(other)),
    };
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    parts::finish(found, each, &stem)
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
