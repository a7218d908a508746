//! Extensions of glTF: those that move vertices are applied or refused by name
//! (docs/reference/geometry.md lists them).

use super::limits::fault;
use super::schema::{GltfPrimitive, GltfRoot};
use crate::readers::mesh::Fault;
use crate::readers::notes::listed;
use clearsweep_model::GeometryNote;

/// Extensions that are applied.
const APPLIED: [&str; 2] = ["KHR_mesh_quantization", "KHR_node_visibility"];

/// Beginnings of the names of extensions that leave the shape at rest as it is.
const HARMLESS: [&str; 23] = [
    "ADOBE_materials_",
    "AGI_",
    "EXT_instance_features",
    "EXT_lights_",
    "EXT_mesh_features",
    "EXT_mesh_manifold",
    "EXT_structural_metadata",
    "EXT_texture_",
    "FB_ngon_encoding",
    "KHR_animation_pointer",
    "KHR_audio",
    "KHR_implicit_shapes",
    "KHR_interactivity",
    "KHR_lights_",
    "KHR_materials_",
    "KHR_node_hoverability",
    "KHR_node_selectability",
    "KHR_physics_",
    "KHR_texture_",
    "KHR_xmp",
    "MSFT_lod", // the node itself is the finest level
    "MSFT_packing_",
    "MSFT_texture_",
];

/// Extensions that are ignored if the file has the same triangles uncompressed; `primitive` and the
/// buffer views say if it has not.
const WITH_FALLBACK: [&str; 3] = ["EXT_meshopt_compression", DRACO, "KHR_meshopt_compression"];

const DRACO: &str = "KHR_draco_mesh_compression";
const INSTANCING: &str = "EXT_mesh_gpu_instancing";

/// Extensions that move vertices even where a file does not require them.
const REFUSED: [&str; 3] = ["CESIUM_RTC", INSTANCING, "WEB3D_quantized_attributes"];

fn is_harmless(name: &str) -> bool {
    HARMLESS.iter().any(|prefix| name.starts_with(prefix))
}

fn refused(name: &str) -> Fault {
    Fault::new(
        format!("the file uses the extension {name}, which is not supported"),
        "export it without that extension (uncompressed, instances as nodes)",
    )
}

/// Refuses a file that cannot be read without what is not read here.
pub(super) fn check(root: &GltfRoot) -> Result<(), Fault> {
    let unread = |name: &&String| !APPLIED.contains(&name.as_str()) && !is_harmless(name);
    let instanced = root.nodes.iter().any(|node| node.extensions.instancing.is_some()).then_some(INSTANCING);
    let moving = root.extensions_used.iter().map(String::as_str).filter(|name| REFUSED.contains(name));
    let required = root.extensions_required.iter().filter(unread).map(String::as_str);
    required.chain(moving).chain(instanced).next().map_or(Ok(()), |name| Err(refused(name)))
}

/// Names the extensions that are not known here; the file says that it can be shown without them.
pub(super) fn unknown(root: &GltfRoot) -> Option<GeometryNote> {
    let is_known = |name: &str| APPLIED.contains(&name) || WITH_FALLBACK.contains(&name) || is_harmless(name);
    let names: Vec<&str> = root.extensions_used.iter().map(String::as_str).filter(|name| !is_known(name)).collect();
    (!names.is_empty()).then(|| GeometryNote {
        kind: "extension",
        problem: format!("it uses extensions that are not read: {}", listed(names.into_iter())),
        remedy: "if they change shapes, export the file without them",
    })
}

/// Refuses a primitive whose triangles are compressed only. `accessor`: where its positions would
/// be.
pub(super) fn check_primitive(root: &GltfRoot, primitive: &GltfPrimitive, accessor: usize) -> Result<(), Fault> {
    let is_empty = root.accessors.get(accessor).is_some_and(|it| it.buffer_view.is_none() && it.sparse.is_none());
    match (&primitive.extensions.draco, is_empty) {
        (Some(_), true) => Err(fault(format!("it is compressed by {DRACO}, which is not supported"))),
        _ => Ok(()),
    }
}
