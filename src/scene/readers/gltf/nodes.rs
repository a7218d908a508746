//! The nodes of a glTF file with their places, and one mesh for all nodes of the same mesh and scale.

use super::limits::fault;
use super::rigid::Rigid;
use super::{Affine, Buffers, GltfReader, check_size, parse};
use crate::scene::digest::InputReader;
use crate::scene::readers::components::without_unused;
use crate::scene::readers::mesh::{Fault, Mesh};
use crate::scene::readers::parts::{FileParts, MAX_PATHS, PartNode, too_deep};
use gltf_json::Node;
use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

/// Reads the tree of a glTF file from memory, names not yet unique; its buffers are read by `read`.
///
/// # Errors
/// As for [`super::read`].
pub(in crate::scene::readers) fn read_nodes(
    path: &Path,
    bytes: &[u8],
    read: &mut InputReader,
) -> Result<FileParts, Fault> {
    let (root, binary) = parse(bytes)?;
    let reader = GltfReader { root: &root, buffers: Buffers::new(&root, path, binary, read), mesh: Mesh::default() };
    let mut tree = GltfTree {
        reader,
        parts: FileParts::default(),
        known: HashMap::new(),
        materials: root
            .materials
            .iter()
            .map(|material| Some(format!("material:{}", material.name.as_ref()?).into()))
            .collect(),
        groups: HashMap::new(),
        size: (0, 0),
        name_bytes: 0,
    };
    tree.walk()?;
    Ok(tree.parts)
}

struct GltfTree<'a> {
    reader: GltfReader<'a>,
    parts: FileParts,
    /// By mesh and stretch (its bits): the geometry; `None`: there is no triangle.
    known: HashMap<(usize, [u64; 9]), Option<u32>>,
    /// The group of each material that has a name.
    materials: Vec<Option<Arc<str>>>,
    /// By mesh: the groups of its nodes. These are shared, since a short file may name a mesh of many materials many
    /// times.
    groups: HashMap<usize, Arc<[Arc<str>]>>,
    /// Vertices and triangles of all geometries.
    size: (usize, usize),
    /// Bytes of all names: nodes without one repeat that of their mesh.
    name_bytes: usize,
}

impl GltfTree<'_> {
    /// The nodes of the scene, depth first. A node has one parent, so none is visited twice.
    fn walk(&mut self) -> Result<(), Fault> {
        let root = self.reader.root;
        let mut seen = vec![false; root.nodes.len()];
        let roots = self.reader.roots()?;
        let mut open: Vec<(usize, Option<u32>, Rigid)> =
            roots.into_iter().rev().map(|root| (root, None, Rigid::IDENTITY)).collect();
        while let Some((index, parent, above)) = open.pop() {
            let Some(node) = root.nodes.get(index) else {
                return Err(fault(format!("node {index} is named, but there are {}", root.nodes.len())));
            };
            if std::mem::replace(&mut seen[index], true) {
                return Err(fault(format!("node {index} has two parents, or is its own ancestor")));
            }
            let own = Rigid::of(node).map_err(|problem| fault(format!("node {index} {problem}")))?;
            let placed = above.after(&own);
            let numbers =
                placed.place.position.to_array().into_iter().chain(placed.stretch.as_flattened().iter().copied());
            if !numbers.into_iter().chain(placed.place.q).all(f64::is_finite) {
                return Err(fault(format!("node {index} lies at a place that is not finite")));
            }
            let at = self.parts.nodes.len() as u32; // each node once
            self.node(index, node, parent, &placed)?;
            let children = node.children.iter().flatten().rev();
            open.extend(children.map(|child| (child.value(), Some(at), placed)));
        }
        Ok(())
    }

    fn node(&mut self, index: usize, node: &Node, parent: Option<u32>, placed: &Rigid) -> Result<(), Fault> {
        let root = self.reader.root;
        let (mut geometry, mut groups, mut mesh_name) = (None, Arc::default(), None);
        if let Some(mesh) = node.mesh.map(|mesh| mesh.value()) {
            geometry = self.geometry(mesh, index, placed).map_err(|mut fault| {
                fault.problem = format!("node {index}: {}", fault.problem);
                fault
            })?;
            self.parts.empty += u64::from(geometry.is_none());
            mesh_name = root.meshes.get(mesh).and_then(|mesh| mesh.name.as_ref());
            groups = self.groups(mesh);
        }
        // Tables and CSV cannot name blanks at the ends.
        let word = |name: Option<&'_ String>| name.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
        let name = word(node.name.as_ref()).or_else(|| word(mesh_name)).unwrap_or_else(|| format!("node-{index}"));
        self.name_bytes += name.len();
        if self.name_bytes > MAX_PATHS {
            return Err(too_deep());
        }
        self.parts.nodes.push(PartNode { name, parent, geometry, place: placed.place, groups });
        Ok(())
    }

    /// The groups of the nodes of a mesh: its materials, each once.
    fn groups(&mut self, mesh: usize) -> Arc<[Arc<str>]> {
        let (root, materials) = (self.reader.root, &self.materials);
        let named = || {
            let primitives = root.meshes.get(mesh).into_iter().flat_map(|mesh| &mesh.primitives);
            let used = primitives.filter_map(|primitive| materials.get(primitive.material?.value())?.as_ref());
            used.collect::<BTreeSet<_>>().into_iter().cloned().collect()
        };
        Arc::clone(self.groups.entry(mesh).or_insert_with(named))
    }

    /// The geometry of a mesh under a stretch, made when it is first asked for, by the node of this index.
    fn geometry(&mut self, mesh: usize, index: usize, placed: &Rigid) -> Result<Option<u32>, Fault> {
        let mut bits = [0; 9];
        for (bits, number) in bits.iter_mut().zip(placed.stretch.as_flattened()) {
            *bits = (number + 0.0).to_bits(); // -0 is 0
        }
        if let Some(&known) = self.known.get(&(mesh, bits)) {
            return Ok(known);
        }
        self.reader.mesh = Mesh::default();
        self.reader.node(mesh, &Affine { columns: placed.stretch, translation: [0.0; 3] }, index)?;
        let made = std::mem::take(&mut self.reader.mesh);
        self.size = (self.size.0 + made.vertices.len(), self.size.1 + made.triangles.len());
        check_size(self.size.0.max(self.size.1))?;
        let geometry = (!made.triangles.is_empty()).then(|| {
            // Meshes often share one list of positions and use a part of it each.
            self.parts.geometries.push(Arc::new(without_unused(made)));
            self.parts.geometries.len() as u32 - 1
        });
        self.known.insert((mesh, bits), geometry);
        Ok(geometry)
    }
}
