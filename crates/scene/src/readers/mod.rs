//! Geometry files to triangle meshes: bytes in memory go in, vertices in the order of the file come
//! out.
//!
//! Readers trust nothing: whatever the bytes are, they return a mesh with finite coordinates and
//! valid indices, or a [`Fault`]; they never panic, and never allocate more than the file's own
//! size warrants (glTF may copy a mesh many times: there, more than a fixed bound).

mod components;
mod dae;
mod equal;
mod gltf;
mod mesh;
mod notes;
mod obj;
mod parts;
mod ply;
mod polygons;
pub mod rvm;
mod scene_choice;
mod stl;
mod threemf;

use super::digest::{DEFAULT_MAX_INPUT, InputReader};
use super::foreign;
use clearsweep_model::{GeometryNote, LengthUnit};
pub(super) use equal::DifferentMeshes;
use mesh::MAX_ELEMENTS;
pub use mesh::{Fault, Mesh};
use parts::NamedMesh;
pub(super) use parts::{Each, FileParts, MAX_PATHS, PartGeometry, PartNode};
pub(super) use rvm::{PlantClass, PlantOptions, is_plant};
pub(super) use scene_choice::SceneChoice;
use std::path::Path;

/// Reads a geometry file from memory, by the extension of its path (case does not matter).
///
/// # Errors
/// An unknown extension, or bytes that are not what the extension says.
pub fn read_mesh(path: &Path, bytes: Vec<u8>) -> Result<Mesh, Fault> {
    read_with_companions(path, bytes, None, &mut InputReader::new(DEFAULT_MAX_INPUT)).map(|(mesh, _)| mesh)
}

/// As [`read_mesh`], with what is left out of the file. `scene`: which scene of glTF; the files
/// beside it that were read too (the buffers of `.gltf`) are read by `companions`.
pub(super) fn read_with_companions(
    path: &Path,
    bytes: Vec<u8>,
    scene: Option<&SceneChoice>,
    companions: &mut InputReader,
) -> Result<(Mesh, Vec<GeometryNote>), Fault> {
    let kind = extension(path);
    let read = match kind.as_str() {
        "dae" => dae::read(path, &bytes),
        "glb" | "gltf" => gltf::read(path, &bytes, scene, companions),
        "obj" => obj::read(&bytes).map(|mesh| (mesh, Vec::new())),
        "ply" => ply::read(&bytes).map(|mesh| (mesh, Vec::new())),
        "rvm" => Err(rvm::no_mesh()),
        "stl" => stl::read(&bytes).map(|mesh| (mesh, Vec::new())),
        "3mf" => threemf::read(&bytes, companions.limit),
        other => return Err(unsupported(other)),
    };
    let (mesh, notes) = read.map_err(|fault| called_by_its_format(&bytes, &kind, fault))?;
    if mesh.vertices.is_empty() {
        return Err(Fault::new("the file has no vertices", "export the geometry again"));
    }
    if mesh.vertices.len() > MAX_ELEMENTS || mesh.triangles.len() > MAX_ELEMENTS {
        return Err(Fault::new(
            "the file has more than 2^31 - 1 vertices or triangles",
            "split it into several bodies",
        ));
    }
    Ok((mesh, notes))
}

/// Reads an RVM file from memory as one body.
///
/// # Errors
/// See [`rvm::read_whole`].
pub(super) fn read_whole_plant(
    path: &Path,
    bytes: &[u8],
    companions: &mut InputReader,
) -> Result<rvm::WholePlant, Fault> {
    rvm::read_whole(path, bytes, companions).map_err(|fault| called_by_its_format(bytes, &extension(path), fault))
}

/// Reads the parts of a geometry file from memory. `scene`: which scene of glTF; `plant`: what of
/// RVM; the files beside it that were read too are read by `companions`.
///
/// # Errors
/// Bytes that are not what the extension says, a format that has no such parts, or no part with a
/// triangle.
pub(super) fn read_parts(
    path: &Path,
    bytes: Vec<u8>,
    each: Each,
    (scene, plant): (Option<&SceneChoice>, &PlantOptions),
    companions: &mut InputReader,
) -> Result<FileParts, Fault> {
    let kind = extension(path);
    parts::check_kind(&kind, each)?;
    let read = match kind.as_str() {
        "glb" | "gltf" => gltf::read_nodes(path, &bytes, scene, companions),
        "3mf" => threemf::read_nodes(&bytes, companions.limit),
        "obj" => obj::read_objects(&bytes).map(parts::flat),
        "stl" => stl::read_solids(&bytes).map(parts::flat),
        "ply" => {
            ply::read(&bytes).map(|mesh| parts::flat(vec![NamedMesh { name: String::new(), groups: Vec::new(), mesh }]))
        }
        "rvm" => rvm::read_parts(path, &bytes, each, plant, companions),
        other => return Err(unsupported(other)),
    };
    let found = read.map_err(|fault| called_by_its_format(&bytes, &kind, fault))?;
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    parts::finish(found, each, &stem)
}

/// The fault of a file that a reader did not understand: what its first bytes show, if that is
/// another format.
fn called_by_its_format(bytes: &[u8], extension: &str, fault: Fault) -> Fault {
    match foreign::format(bytes, extension) {
        Some(found) => Fault::new(format!("the file is {}, not `.{extension}`", found.name), found.remedy),
        None => fault,
    }
}

/// The extensions of geometry files that are read, in lower case.
pub const EXTENSIONS: [&str; 8] = ["obj", "stl", "ply", "dae", "glb", "gltf", "3mf", "rvm"];

/// Refuses a path whose extension no reader knows, before the file is opened.
///
/// # Errors
/// As [`read_mesh`] for the extension.
pub fn check_extension(path: &Path) -> Result<(), Fault> {
    match extension(path).as_str() {
        known if EXTENSIONS.contains(&known) => Ok(()),
        other => Err(unsupported(other)),
    }
}

/// The unit that a format prescribes, or that its reader turns lengths into: glTF, COLLADA, 3MF and
/// RVM are in metres.
pub fn own_unit(path: &Path) -> Option<LengthUnit> {
    (has_scenes(path) || matches!(extension(path).as_str(), "dae" | "3mf" | "rvm")).then_some(LengthUnit::ALL[0])
}

/// The word of the largest parts that a file of this extension has (`each` of a scene); `None`: it
/// has no parts.
pub fn parts_of(path: &Path) -> Option<&'static str> {
    Each::of_file(path).map(Each::word)
}

/// Whether a file may have several scenes: glTF.
pub fn has_scenes(path: &Path) -> bool {
    matches!(extension(path).as_str(), "glb" | "gltf")
}

fn extension(path: &Path) -> String {
    path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
}

fn unsupported(extension: &str) -> Fault {
    match extension {
        "" => Fault::new(
            "the geometry file has no extension",
            "name a .obj, .stl, .ply, .dae, .glb, .gltf, .3mf or .rvm file",
        ),
        _ => Fault::new(format!("`.{extension}` is no known geometry type"), "convert the file to .glb, .obj or .stl"),
    }
}
