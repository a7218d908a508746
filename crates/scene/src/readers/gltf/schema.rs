//! The parts of the glTF 2.0 schema that say where triangles lie. JSON numbers are read as `f64`;
//! all else is passed over.

use serde::Deserialize;
use std::collections::BTreeMap;

/// The JSON of a file (glTF 2.0, section 5.17).
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct GltfRoot {
    pub(super) asset: Option<GltfAsset>,
    pub(super) extensions_used: Vec<String>,
    pub(super) extensions_required: Vec<String>,
    pub(super) scene: Option<usize>,
    pub(super) scenes: Vec<GltfScene>,
    pub(super) nodes: Vec<GltfNode>,
    pub(super) meshes: Vec<GltfMesh>,
    pub(super) materials: Vec<GltfMaterial>,
    pub(super) skins: Vec<GltfSkin>,
    pub(super) accessors: Vec<GltfAccessor>,
    pub(super) buffer_views: Vec<GltfView>,
    pub(super) buffers: Vec<GltfBuffer>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct GltfAsset {
    pub(super) version: String,
    pub(super) min_version: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct GltfScene {
    pub(super) name: Option<String>,
    #[serde(default)]
    pub(super) nodes: Vec<usize>,
}

/// A node (section 5.25).
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct GltfNode {
    pub(super) name: Option<String>,
    pub(super) children: Vec<usize>,
    /// By columns.
    pub(super) matrix: Option<[f64; 16]>,
    pub(super) translation: Option<[f64; 3]>,
    /// x, y, z, w.
    pub(super) rotation: Option<[f64; 4]>,
    pub(super) scale: Option<[f64; 3]>,
    pub(super) mesh: Option<usize>,
    pub(super) skin: Option<usize>,
    /// Weights of the morph targets of its mesh, instead of the mesh's own.
    pub(super) weights: Option<Vec<f64>>,
    pub(super) extensions: NodeExtensions,
}

impl GltfNode {
    /// x, y, z, w.
    pub(super) fn rotation(&self) -> [f64; 4] {
        self.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0])
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct NodeExtensions {
    #[serde(rename = "KHR_node_visibility")]
    pub(super) visibility: Option<NodeVisibility>,
    #[serde(rename = "EXT_mesh_gpu_instancing")]
    pub(super) instancing: Option<ExtensionPresent>,
    #[serde(rename = "MSFT_lod")]
    pub(super) lod: Option<CoarserNodes>,
}

#[derive(Debug, Deserialize)]
pub(super) struct NodeVisibility {
    #[serde(default = "visible")]
    pub(super) visible: bool,
}

fn visible() -> bool {
    true
}

/// Nodes of lower detail that may stand for a node.
#[derive(Debug, Deserialize)]
pub(super) struct CoarserNodes {
    #[serde(default)]
    pub(super) ids: Vec<usize>,
}

/// An extension object whose content does not matter.
#[derive(Debug, Deserialize)]
pub(super) struct ExtensionPresent {}

#[derive(Debug, Deserialize)]
pub(super) struct GltfMesh {
    pub(super) name: Option<String>,
    pub(super) primitives: Vec<GltfPrimitive>,
    /// Weights of the morph targets of its primitives.
    pub(super) weights: Option<Vec<f64>>,
}

/// Triangles of a mesh (section 5.24).
#[derive(Debug, Deserialize)]
pub(super) struct GltfPrimitive {
    /// Accessors, by what they hold.
    pub(super) attributes: BTreeMap<String, usize>,
    pub(super) indices: Option<usize>,
    pub(super) material: Option<usize>,
    #[serde(default = "triangles")]
    pub(super) mode: u64,
    /// Morph targets: accessors of what is added to the attributes.
    #[serde(default)]
    pub(super) targets: Vec<BTreeMap<String, usize>>,
    #[serde(default)]
    pub(super) extensions: PrimitiveExtensions,
}

/// Modes of a primitive.
pub(super) const TRIANGLES: u64 = 4;
pub(super) const TRIANGLE_STRIP: u64 = 5;
pub(super) const TRIANGLE_FAN: u64 = 6;

fn triangles() -> u64 {
    TRIANGLES
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct PrimitiveExtensions {
    #[serde(rename = "KHR_draco_mesh_compression")]
    pub(super) draco: Option<ExtensionPresent>,
}

#[derive(Debug, Deserialize)]
pub(super) struct GltfMaterial {
    pub(super) name: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct GltfSkin {
    /// Nodes.
    pub(super) joints: Vec<usize>,
    /// An accessor: for each joint, the matrix from the mesh to the joint's frame. Left out: the
    /// identity.
    pub(super) inverse_bind_matrices: Option<usize>,
}

/// A typed list in a buffer view (section 5.1).
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct GltfAccessor {
    pub(super) buffer_view: Option<usize>,
    #[serde(default)]
    pub(super) byte_offset: u64,
    pub(super) component_type: u64,
    #[serde(default)]
    pub(super) normalized: bool,
    pub(super) count: u64,
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) sparse: Option<SparseElements>,
}

/// Elements of an accessor that are given one by one.
#[derive(Debug, Deserialize)]
pub(super) struct SparseElements {
    pub(super) count: u64,
    pub(super) indices: SparseIndices,
    pub(super) values: SparseValues,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseIndices {
    pub(super) buffer_view: usize,
    #[serde(default)]
    pub(super) byte_offset: u64,
    pub(super) component_type: u64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseValues {
    pub(super) buffer_view: usize,
    #[serde(default)]
    pub(super) byte_offset: u64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct GltfView {
    pub(super) buffer: usize,
    #[serde(default)]
    pub(super) byte_offset: u64,
    pub(super) byte_length: u64,
    pub(super) byte_stride: Option<usize>,
    #[serde(default)]
    pub(super) extensions: ViewExtensions,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ViewExtensions {
    #[serde(rename = "EXT_meshopt_compression")]
    pub(super) meshopt: Option<ExtensionPresent>,
    #[serde(rename = "KHR_meshopt_compression")]
    pub(super) meshopt_khr: Option<ExtensionPresent>,
}

impl ViewExtensions {
    /// The extension that compresses the view.
    pub(super) fn compression(&self) -> Option<&'static str> {
        match (&self.meshopt, &self.meshopt_khr) {
            (Some(_), _) => Some("EXT_meshopt_compression"),
            (None, Some(_)) => Some("KHR_meshopt_compression"),
            (None, None) => None,
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct GltfBuffer {
    pub(super) uri: Option<String>,
    pub(super) byte_length: u64,
}
