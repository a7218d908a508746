//! A tree over the convex pieces of a body (V-Clip paper, section 1.4; two-phase paper, section 3.4): an inner node is a hull of its
//! two parts, a leaf is a piece.
//!
//! A node is a hull of few vertices, and a length by which it grows: the growth of the pieces, and where the hull of the parts has
//! many vertices, how far they reach from a simpler hull. So it contains its parts, and the memory is linear in the number of pieces.

mod build;
mod node;
mod outer;
#[cfg(test)]
mod tests;

pub(crate) use node::{PieceNode, PieceParts};

use super::polyhedron::Polyhedron;

/// The tree over the pieces of a body, in its recentred frame.
#[derive(Debug)]
pub struct PieceTree {
    /// The root is the first.
    nodes: Vec<PieceNode>,
}

impl PieceTree {
    /// Over pieces: cores in one frame, and by how much each grows, metres. At least one, fewer than 2^31. The same for the same pieces,
    /// always.
    pub(crate) fn new(pieces: &[(&Polyhedron, f64)]) -> Self {
        Self { nodes: build::build(pieces) }
    }

    /// A node; the root is node 0.
    #[inline(always)]
    pub(crate) fn node(&self, index: u32) -> &PieceNode {
        &self.nodes[index as usize]
    }
}
