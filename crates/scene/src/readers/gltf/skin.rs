//! Skins: joints place the vertices of a mesh, its own node does not (glTF 2.0, section 3.7.3).

use super::accessor::{JOINTS, MATRICES, Vectors, WEIGHTS};
use super::affine::Affine;
use super::buffers::Buffers;
use super::limits::fault;
use super::scenes::SceneNode;
use super::schema::GltfPrimitive;
use crate::readers::mesh::Fault;
use clearsweep_model::single_step;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// Weights of a vertex add up to 1 within this: rounding of single precision.
const WEIGHT_NOISE: f64 = 1e-6;

/// Matrices of the joints of a skin, at the rest pose of the file.
pub(super) struct JointMatrices {
    /// From the mesh to the file's frame.
    matrices: Vec<Affine>,
    /// The joints, by their places among the nodes of the scene.
    pub(super) joints: Arc<[u32]>,
    /// The rounding step of the translations of the matrices.
    step: f64,
    /// The largest of their scales.
    scale: f64,
    /// Whether triangles turn: all joints mirror.
    pub(super) mirrors: bool,
    /// Whether every joint takes the mesh to one point.
    pub(super) hides: bool,
}

impl JointMatrices {
    /// The rounding step of vertices whose coordinates have a step.
    pub(super) fn step(&self, of_vertices: f64) -> f64 {
        self.scale * of_vertices + self.step
    }
}

/// The skins of a file, each read when it is first asked for.
pub(super) struct Skins<'a> {
    buffers: &'a Buffers<'a>,
    /// The transformation of each node of the scene into the file's frame.
    worlds: &'a [Affine],
    /// For each node of the file, its place in the scene.
    places: Vec<Option<u32>>,
    known: HashMap<usize, Rc<JointMatrices>>,
}

impl<'a> Skins<'a> {
    /// The skins of a scene of these nodes.
    pub(super) fn new(buffers: &'a Buffers<'a>, nodes: &[SceneNode], worlds: &'a [Affine]) -> Self {
        let mut places = vec![None; buffers.root.nodes.len()];
        nodes.iter().zip(0..).for_each(|(node, at)| places[node.index] = Some(at));
        Self { buffers, worlds, places, known: HashMap::new() }
    }

    /// The matrices of a skin.
    pub(super) fn get(&mut self, skin: usize) -> Result<Rc<JointMatrices>, Fault> {
        if let Some(known) = self.known.get(&skin) {
            return Ok(Rc::clone(known));
        }
        let made = Rc::new(self.read(skin)?);
        self.known.insert(skin, Rc::clone(&made));
        Ok(made)
    }

    fn read(&self, skin: usize) -> Result<JointMatrices, Fault> {
        let skins = &self.buffers.root.skins;
        let Some(about) = skins.get(skin) else {
            return Err(fault(format!("skin {skin} is named, but there are {}", skins.len())));
        };
        if about.joints.is_empty() {
            return Err(fault(format!("skin {skin} has no joints")));
        }
        let place = |&joint: &usize| {
            let place = self.places.get(joint).copied().flatten();
            place.ok_or_else(|| fault(format!("skin {skin}: its joint, node {joint}, is not in the scene")))
        };
        let joints: Arc<[u32]> = about.joints.iter().map(place).collect::<Result<_, Fault>>()?;
        let inverse = about.inverse_bind_matrices.map(|index| Vectors::<16>::of(self.buffers, index, &MATRICES));
        let inverse = inverse.transpose()?;
        if let Some(inverse) = inverse.as_ref().filter(|inverse| inverse.count < joints.len()) {
            let (joints, matrices) = (joints.len(), inverse.count);
            return Err(fault(format!("skin {skin} has {joints} joints, and {matrices} inverse bind matrices")));
        }
        let (mut matrices, mut step) = (Vec::with_capacity(joints.len()), 0.0_f64);
        for (number, &joint) in joints.iter().enumerate() {
            let world = self.worlds[joint as usize];
            let Some(inverse) = &inverse else {
                matrices.push(world);
                continue;
            };
            let bind = Affine::of_matrix(&inverse.get(number)).ok_or_else(|| {
                fault(format!("skin {skin}: the last row of inverse bind matrix {number} is not 0 0 0 1"))
            })?;
            let size = bind.translation.iter().fold(0.0_f64, |size, c| size.max(c.abs()));
            if size > 0.0 {
                step = step.max(world.scale() * single_step(size));
            }
            matrices.push(world.after(&bind));
        }
        Ok(JointMatrices {
            joints,
            step,
            scale: matrices.iter().map(Affine::scale).fold(0.0, f64::max),
            mirrors: matrices.iter().all(Affine::mirrors),
            hides: matrices.iter().all(Affine::hides),
            matrices,
        })
    }
}

/// The joints and weights of the vertices of a primitive.
pub(super) struct Influences<'b> {
    /// Joints and weights, four of each.
    sets: Vec<(Vectors<'b, 4>, Vectors<'b, 4>)>,
}

impl<'b> Influences<'b> {
    /// Returns the influences of a primitive of `count` vertices.
    pub(super) fn of(buffers: &'b Buffers<'_>, primitive: &GltfPrimitive, count: usize) -> Result<Self, Fault> {
        let mut sets = Vec::new();
        loop {
            let named = |what: &str| primitive.attributes.get(&format!("{what}_{}", sets.len())).copied();
            let (joints, weights) = match (named("JOINTS"), named("WEIGHTS")) {
                (None, None) => break,
                (Some(joints), Some(weights)) => (joints, weights),
                _ => return Err(fault(format!("it has only one of JOINTS_{0} and WEIGHTS_{0}", sets.len()))),
            };
            let set = (Vectors::of(buffers, joints, &JOINTS)?, Vectors::of(buffers, weights, &WEIGHTS)?);
            if set.0.count != count || set.1.count != count {
                let (joints, weights) = (set.0.count, set.1.count);
                return Err(fault(format!("it has {count} positions, {joints} joints and {weights} weights")));
            }
            sets.push(set);
        }
        if sets.is_empty() {
            return Err(fault("its node has a skin, but it has no JOINTS_0 and WEIGHTS_0"));
        }
        Ok(Self { sets })
    }

    /// Joints of a vertex.
    pub(super) fn per_vertex(&self) -> usize {
        4 * self.sets.len()
    }

    /// Returns the position to which the joints take a vertex.
    pub(super) fn place(&self, joints: &JointMatrices, vertex: usize, position: [f64; 3]) -> Result<[f64; 3], Fault> {
        let (mut placed, mut sum) = ([0.0; 3], 0.0);
        for (numbers, weights) in &self.sets {
            for (joint, weight) in numbers.get(vertex).into_iter().zip(weights.get(vertex)) {
                let Some(matrix) = joints.matrices.get(joint as usize) else {
                    let count = joints.matrices.len();
                    return Err(fault(format!("vertex {vertex} names joint {joint}, but there are {count}")));
                };
                if !(0.0..=1.0 + WEIGHT_NOISE).contains(&weight) {
                    return Err(fault(format!("vertex {vertex} has the weight {weight}, which is not in 0 to 1")));
                }
                if weight > 0.0 {
                    let moved = matrix.apply(position);
                    placed = [0, 1, 2].map(|axis| placed[axis] + weight * moved[axis]);
                    sum += weight;
                }
            }
        }
        if (sum - 1.0).abs() > WEIGHT_NOISE {
            let problem = format!("the weights of vertex {vertex} add up to {sum}, not to 1");
            return Err(Fault::new(problem, "normalise the weights of the skin, or apply it where the file is made"));
        }
        Ok(placed.map(|c| c / sum))
    }
}
