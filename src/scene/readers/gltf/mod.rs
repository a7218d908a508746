//! glTF 2.0, as text (`.gltf`) and as one binary file (`.glb`): the triangles of its scene.
//!
//! The nodes of the scene are walked depth first; every node with a mesh is a piece, and adds the vertices of its
//! primitives, in order, turned into the scene's frame. Nodes that share a mesh each add it. Only positions and
//! indices of triangles, strips and fans are read (`accessor`, `buffers`); materials, images, skins and animations are
//! not. `gltf-json` gives the schema as types; every index, offset and count in it is checked here.

mod accessor;
mod buffers;
mod limits;
mod nodes;
mod rigid;

use super::mesh::{Fault, Mesh, check_finite};
use crate::scene::digest::InputReader;
use accessor::{Indices, Positions};
use buffers::Buffers;
use gltf_json::mesh::{Mode, Primitive, Semantic};
use gltf_json::validation::Checked;
use gltf_json::{Asset, Index, Node, Root};
use limits::{MAX_INSTANCED, REMEDY, fault};
pub(super) use nodes::read_nodes;
use std::path::Path;

/// Extensions that a file may require although they are not read here: they change how it looks, not its shape.
const HARMLESS: [&str; 8] = [
    "KHR_materials_",
    "KHR_texture_",
    "EXT_texture_",
    "MSFT_texture_",
    "KHR_lights_",
    "EXT_lights_",
    "KHR_xmp",
    "KHR_mesh_quantization", // this one is read
];

/// Reads a glTF file from memory, with the buffers that lie in files beside it, which `read` reads.
///
/// # Errors
/// It is malformed, needs an extension that changes its shape, or names a buffer that cannot be read.
pub(super) fn read(path: &Path, bytes: &[u8], read: &mut InputReader) -> Result<Mesh, Fault> {
    let (root, binary) = parse(bytes)?;
    let mut reader =
        GltfReader { root: &root, buffers: Buffers::new(&root, path, binary, read), mesh: Mesh::default() };
    reader.walk()?;
    Ok(reader.mesh)
}

/// The schema of a file, and its binary chunk.
fn parse(bytes: &[u8]) -> Result<(Root, Option<&[u8]>), Fault> {
    let (json, binary) = buffers::split(bytes)?;
    let root = Root::from_slice(json).map_err(|error| {
        let line = (!buffers::is_binary(bytes)).then_some(error.line()).filter(|&line| line > 0);
        Fault { line, problem: format!("is not valid glTF: {error}"), remedy: REMEDY.to_owned() }
    })?;
    check_version(&root.asset)?;
    check_extensions(&root)?;
    Ok((root, binary))
}

/// Refuses a file of another major version, and one that asks for more than 2.0 (glTF 2.0, section 3.2).
fn check_version(asset: &Asset) -> Result<(), Fault> {
    let needed = asset.min_version.as_ref();
    let fits = asset.version.starts_with("2.") && needed.is_none_or(|needed| needed == "2.0");
    if fits {
        return Ok(());
    }
    let version = needed.unwrap_or(&asset.version);
    Err(Fault::new(format!("is glTF of version `{version}`"), "export it as glTF 2.0"))
}

fn check_extensions(root: &Root) -> Result<(), Fault> {
    let harmless = |name: &str| HARMLESS.iter().any(|prefix| name.starts_with(prefix));
    let instancing = root.extensions_used.iter().filter(|name| *name == "EXT_mesh_gpu_instancing");
    match root.extensions_required.iter().filter(|name| !harmless(name)).chain(instancing).next() {
        None => Ok(()),
        Some(name) => Err(Fault::new(
            format!("the file uses the extension {name}, which is not supported"),
            "export it without that extension (uncompressed, instances as nodes)",
        )),
    }
}

/// A linear map, by columns, and what is added to its result.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Affine {
    columns: [[f64; 3]; 3],
    translation: [f64; 3],
}

impl Affine {
    const IDENTITY: Self = Self { columns: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], translation: [0.0; 3] };

    fn linear(&self, v: [f64; 3]) -> [f64; 3] {
        let [a, b, c] = self.columns;
        [0, 1, 2].map(|i| a[i] * v[0] + b[i] * v[1] + c[i] * v[2])
    }

    fn apply(&self, v: [f64; 3]) -> [f64; 3] {
        // The identity must not touch a bit.
        if *self == Self::IDENTITY {
            return v;
        }
        let turned = self.linear(v);
        [0, 1, 2].map(|i| turned[i] + self.translation[i])
    }

    /// First `child`, then `self`.
    fn after(&self, child: &Self) -> Self {
        Self { columns: child.columns.map(|c| self.linear(c)), translation: self.apply(child.translation) }
    }

    /// Whether it turns the inside out.
    fn mirrors(&self) -> bool {
        let [a, b, c] = self.columns;
        let cross = [b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]];
        a[0] * cross[0] + a[1] * cross[1] + a[2] * cross[2] < 0.0
    }

    /// The matrix of a node, or its translation, rotation and scale.
    fn of(node: &Node) -> Result<Self, &'static str> {
        if let Some(m) = node.matrix {
            if [m[3], m[7], m[11], m[15]] != [0.0, 0.0, 0.0, 1.0] {
                return Err("has a matrix whose last row is not 0 0 0 1");
            }
            let column = |c: usize| [0, 1, 2].map(|r| f64::from(m[4 * c + r]));
            return Ok(Self { columns: [0, 1, 2].map(column), translation: column(3) });
        }
        let q = node.rotation.unwrap_or_default().0.map(f64::from);
        let scale = node.scale.unwrap_or([1.0; 3]).map(f64::from);
        let rotation = rotation(q).ok_or("has a rotation that is no unit quaternion")?;
        let columns = [0, 1, 2].map(|c| rotation[c].map(|r: f64| r * scale[c]));
        Ok(Self { columns, translation: node.translation.unwrap_or_default().map(f64::from) })
    }
}

/// The columns of the rotation of a quaternion x, y, z, w of single precision: its norm is divided out.
fn rotation([x, y, z, w]: [f64; 4]) -> Option<[[f64; 3]; 3]> {
    let n = x * x + y * y + z * z + w * w;
    if !(0.99..=1.01).contains(&n) {
        return None;
    }
    let s = 2.0 / n;
    Some([
        [1.0 - s * (y * y + z * z), s * (x * y + z * w), s * (x * z - y * w)],
        [s * (x * y - z * w), 1.0 - s * (x * x + z * z), s * (y * z + x * w)],
        [s * (x * z + y * w), s * (y * z - x * w), 1.0 - s * (x * x + y * y)],
    ])
}

struct GltfReader<'a> {
    root: &'a Root,
    buffers: Buffers<'a>,
    mesh: Mesh,
}

impl<'a> GltfReader<'a> {
    /// The nodes of the scene, depth first. A node has one parent, so none is visited twice.
    fn walk(&mut self) -> Result<(), Fault> {
        let mut seen = vec![false; self.root.nodes.len()];
        let mut open: Vec<(usize, Affine)> =
            self.roots()?.into_iter().rev().map(|root| (root, Affine::IDENTITY)).collect();
        while let Some((index, parent)) = open.pop() {
            let Some(node) = self.root.nodes.get(index) else {
                return Err(fault(format!("node {index} is named, but there are {}", self.root.nodes.len())));
            };
            if std::mem::replace(&mut seen[index], true) {
                return Err(fault(format!("node {index} has two parents, or is its own ancestor")));
            }
            let own = Affine::of(node).map_err(|problem| fault(format!("node {index} {problem}")))?;
            let placed = parent.after(&own);
            if let Some(mesh) = node.mesh {
                self.node(mesh.value(), &placed, index).map_err(|mut fault| {
                    fault.problem = format!("node {index}: {}", fault.problem);
                    fault
                })?;
            }
            let children = node.children.iter().flatten().rev();
            open.extend(children.map(|child| (child.value(), placed)));
        }
        Ok(())
    }

    /// The roots of the scene to show, else of the first; without scenes, the nodes that are no other's children.
    fn roots(&self) -> Result<Vec<usize>, Fault> {
        let index = self.root.scene.map_or(0, |scene| scene.value());
        if let Some(scene) = self.root.scenes.get(index) {
            return Ok(scene.nodes.iter().map(Index::value).collect());
        }
        if self.root.scene.is_some() {
            return Err(fault(format!("scene {index} is to be shown, but there are {}", self.root.scenes.len())));
        }
        let mut is_child = vec![false; self.root.nodes.len()];
        for child in self.root.nodes.iter().flat_map(|node| node.children.iter().flatten()) {
            if let Some(flag) = is_child.get_mut(child.value()) {
                *flag = true;
            }
        }
        Ok((0..is_child.len()).filter(|&node| !is_child[node]).collect())
    }

    /// Adds the mesh of a node: a piece, if it has a triangle.
    fn node(&mut self, mesh: usize, placed: &Affine, index: usize) -> Result<(), Fault> {
        let Some(mesh) = self.root.meshes.get(mesh) else {
            return Err(fault(format!("mesh {mesh} is named, but there are {}", self.root.meshes.len())));
        };
        let before = self.mesh.triangles.len();
        for (number, primitive) in mesh.primitives.iter().enumerate() {
            self.primitive(primitive, placed).map_err(|mut fault| {
                fault.problem = format!("primitive {number}: {}", fault.problem);
                fault
            })?;
        }
        if self.mesh.triangles.len() > before {
            self.mesh.piece.resize(self.mesh.triangles.len(), self.mesh.pieces as u32); // at most one for each triangle
            self.mesh.pieces += 1;
            self.mesh.names.push(format!("node {index}"));
        }
        Ok(())
    }

    fn primitive(&mut self, primitive: &Primitive, placed: &Affine) -> Result<(), Fault> {
        let Checked::Valid(mode) = primitive.mode else { return Err(fault("has an unknown mode")) };
        if !matches!(mode, Mode::Triangles | Mode::TriangleStrip | Mode::TriangleFan) {
            return Ok(());
        }
        // Without positions there is nothing to show.
        let Some(positions) = primitive.attributes.get(&Checked::Valid(Semantic::Positions)) else { return Ok(()) };
        let first = self.mesh.vertices.len();
        let positions = Positions::of(self.root, &mut self.buffers, positions.value())?;
        let count = positions.count;
        check_size(first.saturating_add(count))?;
        self.mesh.vertices.reserve(count);
        positions.each(|position| {
            let placed = placed.apply(position);
            check_finite(self.mesh.vertices.len(), placed).map_err(fault)?;
            self.mesh.vertices.push(placed);
            Ok(())
        })?;
        let corners = match primitive.indices {
            None => (0..count as u32).collect(), // no more than MAX_INSTANCED
            Some(indices) => Indices::read(self.root, &mut self.buffers, indices.value())?,
        };
        if let Some(corner) = corners.iter().find(|&&corner| corner as usize >= count) {
            return Err(fault(format!("an index names vertex {corner}, but there are {count}")));
        }
        check_size(self.mesh.triangles.len().saturating_add(corners.len()))?;
        self.triangles(mode, &corners, first as u32, placed.mirrors());
        Ok(())
    }

    /// Adds triangles, counter-clockwise from outside.
    fn triangles(&mut self, mode: Mode, corners: &[u32], first: u32, mirrored: bool) {
        let mut add = |[a, b, c]: [u32; 3]| {
            let triangle = if mirrored { [a, c, b] } else { [a, b, c] };
            self.mesh.triangles.push(triangle.map(|corner| corner + first));
        };
        match mode {
            Mode::TriangleStrip => corners.windows(3).enumerate().for_each(|(number, w)| {
                add(if number % 2 == 0 { [w[0], w[1], w[2]] } else { [w[0], w[2], w[1]] });
            }),
            Mode::TriangleFan => {
                corners.get(1..).unwrap_or_default().windows(2).for_each(|w| add([w[0], w[1], corners[0]]))
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transformations_compose_and_mirror() {
        let node = |text: &str| gltf_json::deserialize::from_str::<Node>(text).expect("a node");
        let half = std::f32::consts::FRAC_1_SQRT_2;
        let turned =
            format!("{{\"rotation\": [0, 0, {half}, {half}], \"translation\": [1, 2, 3], \"scale\": [2, 1, -1]}}");
        let affine = Affine::of(&node(&turned)).expect("fits");
        let close = |a: [f64; 3], b: [f64; 3]| (0..3).all(|i| (a[i] - b[i]).abs() < 1e-15);
        assert!(close(affine.apply([1.0, 0.0, 0.0]), [1.0, 4.0, 3.0]), "{affine:?}");
        assert!(close(affine.apply([0.0, 1.0, 1.0]), [0.0, 2.0, 2.0]), "{affine:?}");
        assert!(affine.mirrors() && !affine.after(&affine).mirrors());
        let matrix = node("{\"matrix\": [0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1]}");
        let both = Affine::of(&matrix).expect("fits").after(&affine);
        assert!(close(both.apply([1.0, 0.0, 0.0]), [1.0, 7.0, 10.0]), "{both:?}");
        assert!(Affine::of(&node("{\"rotation\": [0, 0, 0, 0]}")).is_err());
        assert!(Affine::of(&node("{\"matrix\": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 5, 6, 7, 1]}")).is_err());
    }
}
