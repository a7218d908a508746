//! The nodes of a glTF file with their places, and one mesh for all nodes of the same mesh, scale,
//! weights and skin.

use super::affine::Affine;
use super::limits::fault;
use super::rigid::Rigid;
use super::scenes::{self, SceneNode};
use super::schema::{GltfMaterial, GltfNode, GltfRoot};
use super::skin::{JointMatrices, Skins};
use super::{Buffers, MeshInTheMaking, Placing, check_size, extensions, in_node, morph, parse, worlds};
use crate::digest::InputReader;
use crate::readers::components::without_unused;
use crate::readers::mesh::{Fault, Mesh};
use crate::readers::parts::{FileParts, MAX_PATHS, PartGeometry, PartNode, too_deep};
use crate::readers::scene_choice::SceneChoice;
use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

/// Reads the tree of a glTF file from memory, names not yet unique; its buffers are read by `read`.
///
/// # Errors
/// As for [`super::read`].
pub(in crate::readers) fn read_nodes(
    path: &Path,
    bytes: &[u8],
    choice: Option<&SceneChoice>,
    read: &mut InputReader,
) -> Result<FileParts, Fault> {
    let (root, binary) = parse(bytes)?;
    let buffers = Buffers::new(&root, path, binary, read);
    let nodes = scenes::walk(&root, choice)?;
    let has_skins = nodes.iter().any(|node| root.nodes[node.index].skin.is_some());
    let worlds = if has_skins { worlds(&root, &nodes)? } else { Vec::new() };
    let named = |material: &GltfMaterial| Some(format!("material:{}", material.name.as_ref()?).into());
    let mut tree = GltfTree {
        root: &root,
        buffers: &buffers,
        skins: Skins::new(&buffers, &nodes, &worlds),
        nodes: &nodes,
        parts: FileParts::default(),
        hidden: Vec::new(),
        known: HashMap::new(),
        materials: root.materials.iter().map(named).collect(),
        groups: HashMap::new(),
        size: (0, 0),
        moves: 0,
        name_bytes: 0,
    };
    tree.walk()?;
    let hidden = scenes::hidden(&root, &tree.hidden);
    let notes = [scenes::left_out(&root, choice, &nodes)?, hidden, extensions::unknown(&root)];
    Ok(FileParts { notes: notes.into_iter().flatten().collect(), ..tree.parts })
}

/// The key that nodes of the same geometry have in common. Numbers are compared by their bits.
#[derive(PartialEq, Eq, Hash)]
struct GeometryKey {
    mesh: usize,
    stretch: [u64; 9],
    skin: Option<usize>,
    weights: Vec<u64>,
}

struct GltfTree<'a> {
    root: &'a GltfRoot,
    buffers: &'a Buffers<'a>,
    nodes: &'a [SceneNode],
    skins: Skins<'a>,
    parts: FileParts,
    /// Nodes with meshes that the file hides.
    hidden: Vec<usize>,
    /// The geometries; `None`: there is no triangle.
    known: HashMap<GeometryKey, Option<u32>>,
    /// The group of each material that has a name.
    materials: Vec<Option<Arc<str>>>,
    /// By mesh: the groups of its nodes. These are shared, since a short file may name a mesh of
    /// many materials many times.
    groups: HashMap<usize, Arc<[Arc<str>]>>,
    /// Vertices and triangles of all geometries.
    size: (usize, usize),
    /// Times that vertices were moved by morph targets and joints.
    moves: usize,
    /// Bytes of all names: nodes without one repeat that of their mesh.
    name_bytes: usize,
}

impl GltfTree<'_> {
    fn walk(&mut self) -> Result<(), Fault> {
        let mut places: Vec<Rigid> = Vec::with_capacity(self.nodes.len());
        for scene_node in self.nodes {
            let index = scene_node.index;
            let node = &self.root.nodes[index];
            let own = Rigid::of(node).map_err(|problem| fault(format!("node {index} {problem}")))?;
            let placed = scene_node.parent.map_or(own, |parent| places[parent as usize].after(&own));
            let numbers =
                placed.place.position.to_array().into_iter().chain(placed.stretch.as_flattened().iter().copied());
            if !numbers.into_iter().chain(placed.place.q).all(f64::is_finite) {
                return Err(fault(format!("node {index} lies at a place that is not finite")));
            }
            places.push(placed);
            let part = self.node(scene_node, node, &placed).map_err(|fault| in_node(index, fault))?;
            self.parts.nodes.push(part);
        }
        Ok(())
    }

    fn node(&mut self, scene_node: &SceneNode, node: &GltfNode, placed: &Rigid) -> Result<PartNode, Fault> {
        let name = scenes::name(self.root, scene_node.index);
        self.name_bytes += name.len();
        if self.name_bytes > MAX_PATHS {
            return Err(too_deep());
        }
        let (parent, place, geometry) = (scene_node.parent, placed.place, None);
        let (groups, joints, hidden) = (Arc::default(), Arc::default(), false);
        let mut part = PartNode { name, parent, geometry, place, groups, joints, hidden };
        if let Some(mesh) = node.mesh {
            // The joints of a skin place its mesh in the frame of the file.
            let joints = node.skin.map(|skin| self.skins.get(skin)).transpose()?;
            let placed = if joints.is_some() { &Rigid::IDENTITY } else { placed };
            part.place = placed.place;
            part.geometry = self.geometry(mesh, scene_node, placed.stretch, joints.as_deref())?;
            part.joints = joints.map(|joints| Arc::clone(&joints.joints)).unwrap_or_default();
            part.hidden = self.hidden.last() == Some(&scene_node.index);
            self.parts.empty += u64::from(part.geometry.is_none() && !part.hidden);
            part.groups = self.groups(mesh);
        }
        Ok(part)
    }

    /// The groups of the nodes of a mesh: its materials, each once.
    fn groups(&mut self, mesh: usize) -> Arc<[Arc<str>]> {
        let (root, materials) = (self.root, &self.materials);
        let named = || {
            let primitives = root.meshes.get(mesh).into_iter().flat_map(|mesh| &mesh.primitives);
            let used = primitives.filter_map(|primitive| materials.get(primitive.material?)?.as_ref());
            used.collect::<BTreeSet<_>>().into_iter().cloned().collect()
        };
        Arc::clone(self.groups.entry(mesh).or_insert_with(named))
    }

    /// The geometry of a node's mesh under a stretch, made when it is first asked for.
    fn geometry(
        &mut self,
        mesh: usize,
        scene_node: &SceneNode,
        stretch: [[f64; 3]; 3],
        joints: Option<&JointMatrices>,
    ) -> Result<Option<u32>, Fault> {
        let index = scene_node.index;
        let node = &self.root.nodes[index];
        let stretched = Affine { columns: stretch, translation: [0.0; 3] };
        let placing = joints.map_or(Placing::Node(&stretched), Placing::Joints);
        if scene_node.hidden || placing.hides() {
            self.hidden.push(index);
            return Ok(None);
        }
        let bits = |&number: &f64| (number + 0.0).to_bits(); // -0 is 0
        let weights = self.root.meshes.get(mesh).map(|mesh| morph::weights(node, mesh)).transpose()?;
        let key = GeometryKey {
            mesh,
            stretch: std::array::from_fn(|i| bits(&stretch.as_flattened()[i])),
            skin: node.skin,
            weights: weights.unwrap_or_default().iter().map(bits).collect(),
        };
        if let Some(&known) = self.known.get(&key) {
            return Ok(known);
        }
        let mut making = MeshInTheMaking { buffers: self.buffers, mesh: Mesh::default(), moves: self.moves };
        making.add(node, mesh, &placing, index)?;
        let made = making.mesh;
        self.moves = making.moves;
        self.size = (self.size.0 + made.vertices.len(), self.size.1 + made.triangles.len());
        check_size(self.size.0.max(self.size.1))?;
        let geometry = (!made.triangles.is_empty()).then(|| {
            // Meshes often share one list of positions and use a part of it each.
            self.parts.geometries.push(PartGeometry::Mesh(Arc::new(without_unused(made))));
            self.parts.geometries.len() as u32 - 1
        });
        self.known.insert(key, geometry);
        Ok(geometry)
    }
}
