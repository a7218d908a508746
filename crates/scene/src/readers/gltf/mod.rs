//! glTF 2.0, as text (`.gltf`) and as one binary file (`.glb`): the triangles of a scene, at the
//! rest pose of the file.
//!
//! The nodes of the scene (`scenes`) are walked depth first; every node with a mesh is a piece, and
//! adds the vertices of its primitives, in order, turned into the scene's frame. Nodes that share a
//! mesh each add it. Only positions and indices of triangles, strips and fans are read (`accessor`,
//! `buffers`), moved by morph targets (`morph`) and skins (`skin`). Materials, images and
//! animations are not. `schema` has what is read of the JSON; every index, offset and count in it
//! is checked here.

mod accessor;
mod affine;
mod buffers;
mod extensions;
mod limits;
mod morph;
mod nodes;
mod rigid;
mod scenes;
mod schema;
mod skin;

use super::mesh::{Fault, Mesh, check_finite};
use super::scene_choice::SceneChoice;
use crate::digest::InputReader;
pub(super) use affine::Affine;
use buffers::Buffers;
use clearsweep_model::GeometryNote;
use limits::{MAX_INSTANCED, MAX_MOVES, REMEDY, fault};
use morph::MorphedPositions;
pub(super) use nodes::read_nodes;
pub(super) use rigid::Rigid;
use scenes::SceneNode;
use schema::{GltfAsset, GltfNode, GltfPrimitive, GltfRoot, TRIANGLE_FAN, TRIANGLE_STRIP, TRIANGLES};
use skin::{Influences, JointMatrices, Skins};
use std::path::Path;

/// Reads a glTF file from memory, with the buffers that lie in files beside it, which `read` reads;
/// and what is left out.
///
/// # Errors
/// It is malformed, needs an extension that changes its shape, or names a buffer that cannot be
/// read.
pub(super) fn read(
    path: &Path,
    bytes: &[u8],
    choice: Option<&SceneChoice>,
    read: &mut InputReader,
) -> Result<(Mesh, Vec<GeometryNote>), Fault> {
    let (root, binary) = parse(bytes)?;
    let buffers = Buffers::new(&root, path, binary, read);
    let nodes = scenes::walk(&root, choice)?;
    let worlds = worlds(&root, &nodes)?;
    let mut skins = Skins::new(&buffers, &nodes, &worlds);
    let mut made = MeshInTheMaking { buffers: &buffers, mesh: Mesh::default(), moves: 0 };
    let mut hidden = Vec::new();
    for (node, world) in nodes.iter().zip(&worlds) {
        let about = &root.nodes[node.index];
        let Some(mesh) = about.mesh else { continue };
        let joints = about.skin.map(|skin| skins.get(skin)).transpose();
        let joints = joints.map_err(|fault| in_node(node.index, fault))?;
        let placing = joints.as_deref().map_or(Placing::Node(world), Placing::Joints);
        if node.hidden || placing.hides() {
            hidden.push(node.index);
            continue;
        }
        made.add(about, mesh, &placing, node.index).map_err(|fault| in_node(node.index, fault))?;
    }
    let notes = [scenes::left_out(&root, choice, &nodes)?, scenes::hidden(&root, &hidden), extensions::unknown(&root)];
    if made.mesh.vertices.is_empty() && !hidden.is_empty() {
        let problem = format!("all {} nodes with meshes are hidden by the file", hidden.len());
        return Err(Fault::new(problem, "show them (KHR_node_visibility), or give them a scale other than 0"));
    }
    let mesh = made.mesh;
    Ok((mesh, notes.into_iter().flatten().collect()))
}

/// The schema of a file, and its binary chunk.
fn parse(bytes: &[u8]) -> Result<(GltfRoot, Option<&[u8]>), Fault> {
    let (json, binary) = buffers::split(bytes)?;
    let root: GltfRoot = serde_json::from_slice(json).map_err(|error| {
        let line = (!buffers::is_binary(bytes)).then_some(error.line()).filter(|&line| line > 0);
        Fault { line, problem: format!("is not valid glTF: {error}"), remedy: REMEDY.to_owned() }
    })?;
    check_version(root.asset.as_ref())?;
    extensions::check(&root)?;
    Ok((root, binary))
}

/// Refuses a file of another major version, and one that asks for more than 2.0 (glTF 2.0, section
/// 3.2).
fn check_version(asset: Option<&GltfAsset>) -> Result<(), Fault> {
    let asset = asset.ok_or_else(|| fault("is not valid glTF: it has no `asset` with a version"))?;
    let needed = asset.min_version.as_ref();
    let fits = asset.version.starts_with("2.") && needed.is_none_or(|needed| needed == "2.0");
    if fits {
        return Ok(());
    }
    let version = needed.unwrap_or(&asset.version);
    Err(Fault::new(format!("is glTF of version `{version}`"), "export it as glTF 2.0"))
}

/// A fault of a node.
fn in_node(index: usize, fault: Fault) -> Fault {
    Fault { problem: format!("node {index}: {}", fault.problem), ..fault }
}

/// The transformation of each node into the file's frame.
fn worlds(root: &GltfRoot, nodes: &[SceneNode]) -> Result<Vec<Affine>, Fault> {
    let mut worlds: Vec<Affine> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let own = Affine::of(&root.nodes[node.index]);
        let own = own.map_err(|problem| fault(format!("node {} {problem}", node.index)))?;
        worlds.push(node.parent.map_or(own, |parent| worlds[parent as usize].after(&own)));
    }
    Ok(worlds)
}

/// The transforms that place the vertices of a mesh.
enum Placing<'p> {
    /// Node.
    Node(&'p Affine),
    /// The joints of its node's skin.
    Joints(&'p JointMatrices),
}

impl Placing<'_> {
    fn hides(&self) -> bool {
        match self {
            Self::Node(node) => node.hides(),
            Self::Joints(joints) => joints.hides,
        }
    }

    fn mirrors(&self) -> bool {
        match self {
            Self::Node(node) => node.mirrors(),
            Self::Joints(joints) => joints.mirrors,
        }
    }

    /// The rounding step of vertices whose coordinates have a step.
    fn step(&self, of_vertices: f64) -> f64 {
        match self {
            Self::Node(node) => node.scale() * of_vertices,
            Self::Joints(joints) => joints.step(of_vertices),
        }
    }
}

struct MeshInTheMaking<'a> {
    buffers: &'a Buffers<'a>,
    mesh: Mesh,
    /// Times that vertices were moved by morph targets and joints.
    moves: usize,
}

impl MeshInTheMaking<'_> {
    /// Adds the mesh of a node: a piece, if it has a triangle.
    fn add(&mut self, node: &GltfNode, mesh: usize, placing: &Placing<'_>, index: usize) -> Result<(), Fault> {
        let meshes = &self.buffers.root.meshes;
        let Some(mesh) = meshes.get(mesh) else {
            return Err(fault(format!("mesh {mesh} is named, but there are {}", meshes.len())));
        };
        let weights = morph::weights(node, mesh)?;
        let before = self.mesh.triangles.len();
        for (number, primitive) in mesh.primitives.iter().enumerate() {
            self.primitive(primitive, weights, placing)
                .map_err(|fault| Fault { problem: format!("primitive {number}: {}", fault.problem), ..fault })?;
        }
        if self.mesh.triangles.len() > before {
            self.mesh.piece.resize(self.mesh.triangles.len(), self.mesh.pieces as u32); // at most one for each triangle
            self.mesh.pieces += 1;
            self.mesh.names.push(format!("node {index}"));
        }
        Ok(())
    }

    fn primitive(&mut self, primitive: &GltfPrimitive, weights: &[f64], placing: &Placing<'_>) -> Result<(), Fault> {
        match primitive.mode {
            TRIANGLES | TRIANGLE_STRIP | TRIANGLE_FAN => {}
            0..TRIANGLES => return Ok(()), // points and lines
            _ => return Err(fault("has an unknown mode")),
        }
        // Without positions there is nothing to show.
        let Some(&positions) = primitive.attributes.get("POSITION") else { return Ok(()) };
        extensions::check_primitive(self.buffers.root, primitive, positions)?;
        let first = self.mesh.vertices.len();
        let mut positions = MorphedPositions::of(self.buffers, (primitive, positions), weights)?;
        let count = positions.count();
        check_size(first.saturating_add(count))?;
        let influences = match placing {
            Placing::Node(_) => None,
            Placing::Joints(_) => Some(Influences::of(self.buffers, primitive, count)?),
        };
        let moves = positions.targets() + influences.as_ref().map_or(0, Influences::per_vertex);
        self.moves = self.moves.saturating_add(count.saturating_mul(moves));
        if self.moves > MAX_MOVES {
            let problem = format!("its morph targets and joints move vertices more than {MAX_MOVES} times");
            return Err(Fault::new(problem, "apply them where the file is made, or split it"));
        }
        self.mesh.vertices.reserve(count);
        for vertex in 0..count {
            let position = positions.get(vertex);
            let placed = match (placing, &influences) {
                (Placing::Joints(joints), Some(influences)) => influences.place(joints, vertex, position)?,
                (Placing::Node(node), _) => node.apply(position),
                (Placing::Joints(_), None) => return Err(fault("its joints were lost")),
            };
            check_finite(self.mesh.vertices.len(), placed).map_err(fault)?;
            self.mesh.vertices.push(placed);
        }
        self.mesh.coordinate_step = self.mesh.coordinate_step.max(placing.step(positions.step()));
        let corners = match primitive.indices {
            None => (0..count as u32).collect(), // no more than MAX_INSTANCED
            Some(indices) => accessor::read_indices(self.buffers, indices)?,
        };
        if let Some(corner) = corners.iter().find(|&&corner| corner as usize >= count) {
            return Err(fault(format!("an index names vertex {corner}, but there are {count}")));
        }
        check_size(self.mesh.triangles.len().saturating_add(corners.len()))?;
        self.triangles(primitive.mode, &corners, first as u32, placing.mirrors());
        Ok(())
    }

    /// Adds triangles, counter-clockwise from outside.
    fn triangles(&mut self, mode: u64, corners: &[u32], first: u32, mirrored: bool) {
        let mut add = |[a, b, c]: [u32; 3]| {
            let triangle = if mirrored { [a, c, b] } else { [a, b, c] };
            self.mesh.triangles.push(triangle.map(|corner| corner + first));
        };
        match mode {
            TRIANGLE_STRIP => corners.windows(3).enumerate().for_each(|(number, w)| {
                add(if number % 2 == 0 { [w[0], w[1], w[2]] } else { [w[0], w[2], w[1]] });
            }),
            TRIANGLE_FAN => corners.get(1..).unwrap_or_default().windows(2).for_each(|w| add([w[0], w[1], corners[0]])),
            _ => corners.chunks_exact(3).for_each(|c| add([c[0], c[1], c[2]])),
        }
    }
}

fn check_size(count: usize) -> Result<(), Fault> {
    if count <= MAX_INSTANCED {
        return Ok(());
    }
    let problem =
        format!("the scene has more than {MAX_INSTANCED} vertices or triangles, copies of shared meshes included");
    Err(Fault::new(problem, "split it into several bodies"))
}
