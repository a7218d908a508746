//! A geometry file as a tree of named parts: nodes with their places, and the meshes that they
//! share.

use super::components;
use super::equal::DifferentMeshes;
use super::extension;
use super::mesh::{Fault, Mesh};
use crate::shapes::ShapeSpec;
use clearsweep_geometry::Pose;
use clearsweep_input_guard::MAX_NAME;
use clearsweep_model::GeometryNote;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

/// Most bytes of all paths: a short file may nest nodes so deeply that its paths would fill any
/// memory.
pub(crate) const MAX_PATHS: usize = 1 << 28;

/// Most nodes once components are nodes: a short file may name a mesh of many components many
/// times.
const MAX_PARTS: usize = 1 << 23;

/// The part of a file that becomes a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Each {
    /// A node of glTF with a mesh, an item or a component of 3MF.
    Node,
    /// An object of OBJ (a group, if there are no objects), a solid of STL.
    Object,
    /// A connected component of either, or of a file that has neither.
    Component,
    /// A group of RVM with primitives of its own.
    Group,
    /// A primitive of RVM.
    Primitive,
}

impl Each {
    /// The words of the scene file.
    pub(crate) const WORDS: [(&str, Self); 5] = [
        ("node", Self::Node),
        ("object", Self::Object),
        ("component", Self::Component),
        ("group", Self::Group),
        ("primitive", Self::Primitive),
    ];

    /// Word.
    pub(crate) fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(_, each)| *each == self).map_or("", |(word, _)| word)
    }

    /// The largest parts that a file of this extension has; `None`: it has no parts.
    pub(crate) fn of_file(path: &Path) -> Option<Self> {
        match extension(path).as_str() {
            "glb" | "gltf" | "3mf" => Some(Self::Node),
            "obj" | "stl" => Some(Self::Object),
            "ply" => Some(Self::Component),
            "rvm" => Some(Self::Group),
            _ => None,
        }
    }
}

/// A node, an object or a component.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PartNode {
    /// As the file names it; once [`finish`] is done, its path with the names of its ancestors,
    /// which is unique.
    pub(crate) name: String,
    /// The node above it; always before it in the list.
    pub(crate) parent: Option<u32>,
    /// The index of its geometry, if it has triangles or a shape.
    pub(crate) geometry: Option<u32>,
    /// Pose of its frame in the file's frame, in the file's unit and axes.
    pub(crate) place: Pose,
    /// Groups that the file names: materials, and groups of OBJ. Nodes of the same mesh share them.
    pub(crate) groups: Arc<[Arc<str>]>,
    /// The nodes that place its mesh instead of its own: the joints of a skin.
    pub(crate) joints: Arc<[u32]>,
    /// The file hides it.
    pub(crate) hidden: bool,
}

/// The geometry of a part.
#[derive(Debug, Clone)]
pub(crate) enum PartGeometry {
    /// Triangles.
    Mesh(Arc<Mesh>),
    /// An exact shape, metres.
    Shape {
        shape: Arc<ShapeSpec>,
        /// Rounding step of the coordinates of its origin as the file stores them, metres.
        step: f64,
    },
}

/// The parts made of a file.
#[derive(Debug, Default)]
pub(crate) struct FileParts {
    /// Depth first, in the order of the file.
    pub(crate) nodes: Vec<PartNode>,
    /// The different geometries, each in the frame of its nodes; scales are applied.
    pub(crate) geometries: Vec<PartGeometry>,
    /// The nodes whose names had to be made unique.
    pub(crate) renamed: Vec<u32>,
    /// Objects and nodes that should have triangles and have none.
    pub(crate) empty: u64,
    /// Notes on the parts left out of the file, to be reported.
    pub(crate) notes: Vec<GeometryNote>,
}

/// Names the parts of a file by their paths, components first if these are asked for; `unnamed`:
/// what a part is called that has no name.
///
/// # Errors
/// No part has a triangle, or the parts or their paths would take too much memory.
pub(super) fn finish(mut parts: FileParts, each: Each, unnamed: &str) -> Result<FileParts, Fault> {
    if each == Each::Component {
        parts = into_components(parts, unnamed)?;
    }
    share_equal(&mut parts);
    if parts.nodes.iter().all(|node| node.geometry.is_none()) {
        let hidden = match parts.nodes.iter().filter(|node| node.hidden).count() {
            0 => String::new(),
            count => format!(" that is not hidden ({count} are)"),
        };
        let problem = format!("the file has no {} with triangles{hidden}", each.word());
        return Err(Fault::new(problem, "export the geometry again, as triangles or polygons"));
    }
    name(&mut parts, unnamed)?;
    check_names(&parts.nodes)?;
    Ok(parts)
}

/// Refuses names of parts and of their groups that are longer than any name may be.
fn check_names(nodes: &[PartNode]) -> Result<(), Fault> {
    let mut names = nodes.iter().flat_map(|node| node.groups.iter().map(AsRef::as_ref).chain([node.name.as_str()]));
    match names.find(|name| name.len() > MAX_NAME) {
        None => Ok(()),
        Some(name) => {
            let problem = format!("a name or a path of names has {} bytes, more than {MAX_NAME}: `{name}`", name.len());
            Err(Fault::new(problem, "give its nodes, objects and materials shorter names"))
        }
    }
}

/// Paths that take too much memory.
pub(super) fn too_deep() -> Fault {
    let problem = format!("the paths of its nodes take more than {} MiB", MAX_PATHS >> 20);
    Fault::new(problem, "nest its nodes less deeply, or give them shorter names")
}

/// A part of a format without a tree.
pub(super) struct NamedMesh {
    pub(super) name: String,
    pub(super) groups: Vec<Arc<str>>,
    pub(super) mesh: Mesh,
}

/// Refuses parts that a format does not have.
pub(super) fn check_kind(kind: &str, each: Each) -> Result<(), Fault> {
    let wanted = match (kind, each) {
        ("glb" | "gltf" | "3mf", Each::Object | Each::Group | Each::Primitive) => {
            "glTF and 3MF have nodes: write `each = \"node\"`"
        }
        ("obj" | "stl", Each::Node | Each::Group | Each::Primitive) => {
            "OBJ and STL have objects: write `each = \"object\"`"
        }
        ("ply", Each::Node | Each::Object | Each::Group | Each::Primitive) => {
            "PLY names no parts: write `each = \"component\"`"
        }
        ("rvm", Each::Node | Each::Object | Each::Component) => {
            "RVM has groups and primitives: write `each = \"group\"`"
        }
        _ => return Ok(()),
    };
    Err(Fault::new(format!("`.{kind}` files have no parts of the kind \"{}\"", each.word()), wanted))
}

/// The parts of a format without a tree.
pub(super) fn flat(parts: Vec<NamedMesh>) -> FileParts {
    let mut found = FileParts::default();
    for NamedMesh { name, groups, mesh } in parts {
        if mesh.triangles.is_empty() {
            found.empty += 1;
            continue;
        }
        let geometry = Some(found.geometries.len() as u32);
        found.geometries.push(PartGeometry::Mesh(Arc::new(mesh)));
        let groups = groups.into();
        let (place, joints) = (Pose::IDENTITY, Arc::default());
        found.nodes.push(PartNode { name, parent: None, geometry, place, groups, joints, hidden: false });
    }
    found
}

/// Gives a node whose mesh has several components a child for each, numbered from 0.
///
/// # Errors
/// There would be too many nodes.
fn into_components(parts: FileParts, unnamed: &str) -> Result<FileParts, Fault> {
    let mut geometries: Vec<PartGeometry> = Vec::new();
    let mut of_geometry: Vec<Vec<u32>> = Vec::with_capacity(parts.geometries.len());
    for geometry in &parts.geometries {
        let first = geometries.len() as u32;
        match geometry {
            PartGeometry::Mesh(mesh) => {
                geometries.extend(components::split(mesh).into_iter().map(|mesh| PartGeometry::Mesh(Arc::new(mesh))));
            }
            PartGeometry::Shape { .. } => geometries.push(geometry.clone()),
        }
        of_geometry.push((first..geometries.len() as u32).collect());
    }
    let below = |node: &PartNode| node.geometry.map_or(0, |geometry| of_geometry[geometry as usize].len());
    let count = parts.nodes.iter().fold(0_usize, |count, node| count.saturating_add(1 + below(node)));
    if count > MAX_PARTS {
        let problem =
            format!("its nodes have more than {MAX_PARTS} components, those of shared meshes counted each time");
        return Err(Fault::new(problem, "split the file, or write `each = \"node\"`"));
    }
    let mut nodes: Vec<PartNode> = Vec::with_capacity(count);
    let mut moved: Vec<u32> = Vec::with_capacity(parts.nodes.len());
    for mut node in parts.nodes {
        let at = nodes.len() as u32;
        moved.push(at);
        node.parent = node.parent.map(|parent| moved[parent as usize]);
        let own = node.geometry.map_or(&[][..], |geometry| of_geometry[geometry as usize].as_slice());
        if let [only] = own {
            node.geometry = Some(*only);
            nodes.push(node);
            continue;
        }
        node.geometry = None;
        if node.name.is_empty() {
            node.name = unnamed.to_owned();
        }
        let (place, groups, joints) = (node.place, Arc::clone(&node.groups), Arc::clone(&node.joints));
        nodes.push(node);
        nodes.extend(own.iter().enumerate().map(|(number, &geometry)| PartNode {
            name: number.to_string(),
            parent: Some(at),
            geometry: Some(geometry),
            place,
            groups: Arc::clone(&groups),
            joints: Arc::clone(&joints),
            hidden: false,
        }));
    }
    // Nodes of one skin share the list of its joints.
    let mut renumbered: HashMap<*const u32, Arc<[u32]>> = HashMap::new();
    for node in nodes.iter_mut().filter(|node| !node.joints.is_empty()) {
        let now = || node.joints.iter().map(|&joint| moved[joint as usize]).collect();
        node.joints = Arc::clone(renumbered.entry(node.joints.as_ptr()).or_insert_with(now));
    }
    Ok(FileParts { nodes, geometries, ..parts })
}

/// Gives nodes whose meshes have equal contents one of them.
fn share_equal(parts: &mut FileParts) {
    let mut different = DifferentMeshes::default();
    let mut kept: Vec<PartGeometry> = Vec::new();
    let mut number_of: HashMap<*const Mesh, u32> = HashMap::new();
    let mut number = |geometry: PartGeometry| {
        let mut keep = |geometry| {
            kept.push(geometry);
            kept.len() as u32 - 1
        };
        match geometry {
            PartGeometry::Mesh(mesh) => {
                let first = different.first(&mesh);
                *number_of.entry(Arc::as_ptr(&first)).or_insert_with(|| keep(PartGeometry::Mesh(first)))
            }
            // Equal shapes are shared where bodies are made of them.
            shape @ PartGeometry::Shape { .. } => keep(shape),
        }
    };
    let renumbered: Vec<u32> = std::mem::take(&mut parts.geometries).into_iter().map(&mut number).collect();
    for geometry in parts.nodes.iter_mut().filter_map(|node| node.geometry.as_mut()) {
        *geometry = renumbered[*geometry as usize];
    }
    parts.geometries = kept;
}

/// Turns names into unique paths: of several that are the same, the second is followed by `#2`, and
/// so on.
fn name(parts: &mut FileParts, unnamed: &str) -> Result<(), Fault> {
    let mut bytes = 0_usize;
    let mut taken: HashSet<String> = HashSet::with_capacity(parts.nodes.len());
    let mut next: HashMap<String, u64> = HashMap::new();
    for index in 0..parts.nodes.len() {
        let node = &parts.nodes[index];
        let own = if node.name.is_empty() { unnamed } else { &node.name };
        let wanted = match node.parent {
            Some(parent) => format!("{}/{own}", parts.nodes[parent as usize].name),
            None => own.to_owned(),
        };
        bytes += wanted.len();
        if bytes > MAX_PATHS {
            return Err(too_deep());
        }
        let mut path = wanted.clone();
        if taken.contains(&path) {
            let number = next.entry(wanted.clone()).or_insert(2);
            while taken.contains(&path) {
                path = format!("{wanted}#{number}");
                *number += 1;
            }
            parts.renamed.push(index as u32);
        }
        taken.insert(path.clone());
        parts.nodes[index].name = path;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_paths_and_unique() {
        let node = |name: &str, parent: Option<u32>| PartNode {
            name: name.to_owned(),
            parent,
            geometry: None,
            place: Pose::IDENTITY,
            groups: Arc::default(),
            joints: Arc::default(),
            hidden: false,
        };
        let nodes = vec![
            node("rack", None),
            node("pipe", Some(0)),
            node("pipe#2", Some(0)),
            node("pipe", Some(0)),
            node("pipe", Some(0)),
            node("rack", None),
            node("pipe", Some(5)),
            node("", None),
        ];
        let mut parts = FileParts { nodes, ..FileParts::default() };
        name(&mut parts, "plant").expect("short names");
        let names: Vec<&str> = parts.nodes.iter().map(|node| node.name.as_str()).collect();
        let expected =
            ["rack", "rack/pipe", "rack/pipe#2", "rack/pipe#3", "rack/pipe#4", "rack#2", "rack#2/pipe", "plant"];
        assert_eq!(names, expected);
        assert_eq!(parts.renamed, [3, 4, 5]);
    }

    #[test]
    fn components_of_a_mesh_that_many_nodes_share_are_counted_for_each() {
        let count = 3000;
        let mesh = Mesh {
            vertices: (0..3 * count).map(|i| [f64::from(i), f64::from(i % 3), 0.0]).collect(),
            triangles: (0..count).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect(),
            piece: vec![0; count as usize],
            pieces: 1,
            names: vec![String::new()],
            ..Mesh::default()
        };
        let node = PartNode {
            name: "n".to_owned(),
            parent: None,
            geometry: Some(0),
            place: Pose::IDENTITY,
            groups: Arc::default(),
            joints: Arc::default(),
            hidden: false,
        };
        let parts = |nodes: usize| FileParts {
            nodes: vec![node.clone(); nodes],
            geometries: vec![PartGeometry::Mesh(Arc::new(mesh.clone()))],
            ..FileParts::default()
        };
        assert_eq!(finish(parts(2), Each::Component, "f").expect("few").nodes.len(), 2 * 3001);
        let fault = finish(parts(3000), Each::Component, "f").expect_err("many");
        assert!(fault.problem.contains("more than 8388608 components"), "{fault:?}");
    }
}
