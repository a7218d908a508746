//! Morph targets: what is added to the positions of a mesh, by weights (glTF 2.0, section 3.7.2.2).

use super::accessor::{POSITIONS, Vectors};
use super::buffers::Buffers;
use super::limits::fault;
use super::schema::{GltfMesh, GltfNode, GltfPrimitive};
use crate::readers::mesh::Fault;

/// The weights of the morph targets of a node's mesh at rest; none if there are no targets, or all
/// weights are zero.
pub(super) fn weights<'a>(node: &'a GltfNode, mesh: &'a GltfMesh) -> Result<&'a [f64], Fault> {
    let counts = || mesh.primitives.iter().map(|primitive| primitive.targets.len());
    let count = counts().next().unwrap_or(0);
    if let Some(other) = counts().find(|&other| other != count) {
        return Err(fault(format!("its primitives have {count} and {other} morph targets")));
    }
    let weights = node.weights.as_ref().or(mesh.weights.as_ref()).map_or(&[][..], Vec::as_slice);
    if count == 0 || weights.iter().all(|&weight| weight == 0.0) {
        return Ok(&[]);
    }
    if weights.len() != count {
        return Err(fault(format!("its mesh has {count} morph targets, and {} weights", weights.len())));
    }
    Ok(weights)
}

/// The positions of a primitive, moved by its morph targets.
pub(super) struct MorphedPositions<'b> {
    base: Vectors<'b, 3>,
    /// Weights other than zero, and what they are of.
    targets: Vec<(f64, Vectors<'b, 3>)>,
    /// Largest coordinates seen, of the base and of each target.
    sizes: Vec<f64>,
}

impl<'b> MorphedPositions<'b> {
    pub(super) fn of(
        buffers: &'b Buffers<'_>,
        (primitive, positions): (&GltfPrimitive, usize),
        weights: &[f64],
    ) -> Result<Self, Fault> {
        let base = Vectors::of(buffers, positions, &POSITIONS)?;
        let mut targets = Vec::new();
        for (number, (&weight, target)) in weights.iter().zip(&primitive.targets).enumerate() {
            let Some(&moves) = target.get("POSITION").filter(|_| weight != 0.0) else { continue };
            let moves = Vectors::of(buffers, moves, &POSITIONS)?;
            if moves.count != base.count {
                let (moved, all) = (moves.count, base.count);
                return Err(fault(format!("morph target {number} moves {moved} positions, but there are {all}")));
            }
            targets.push((weight, moves));
        }
        let sizes = vec![0.0; 1 + targets.len()];
        Ok(Self { base, targets, sizes })
    }

    /// Number of positions.
    pub(super) fn count(&self) -> usize {
        self.base.count
    }

    /// Morph targets that move them.
    pub(super) fn targets(&self) -> usize {
        self.targets.len()
    }

    /// A position by its number, which is less than the count.
    pub(super) fn get(&mut self, index: usize) -> [f64; 3] {
        let size = |of: [f64; 3], before: f64| of.iter().fold(before, |size, c| size.max(c.abs()));
        let mut position = self.base.get(index);
        self.sizes[0] = size(position, self.sizes[0]);
        for ((weight, target), largest) in self.targets.iter().zip(&mut self.sizes[1..]) {
            let moved = target.get(index);
            *largest = size(moved, *largest);
            position = [0, 1, 2].map(|axis| position[axis] + weight * moved[axis]);
        }
        position
    }

    /// The rounding step of the positions that were asked for.
    pub(super) fn step(&self) -> f64 {
        let of_targets = self.targets.iter().zip(&self.sizes[1..]);
        let of_targets = of_targets.map(|((weight, target), &size)| weight.abs() * target.step(size));
        self.base.step(self.sizes[0]) + of_targets.sum::<f64>()
    }
}
