//! A tree over the convex pieces of a body (V-Clip paper, section 1.4; two-phase paper, section
//! 3.4): an inner node is a hull of its two parts, a leaf is a piece.
//!
//! A node is a hull of few vertices, and a length by which it grows: the growth of the pieces, and
//! where the hull of the parts has many vertices, how far they reach from a simpler hull. So it
//! contains its parts, and the memory is linear in the number of pieces.

mod build;
mod node;
mod outer;
#[cfg(test)]
mod tests;

pub use node::{PieceNode, PieceParts};

use super::lazy::Lazy;
use super::polyhedron::Polyhedron;

/// The tree over convex pieces, once it is asked for.
pub type LazyPieceTree = Lazy<PieceTree>;

/// The tree over the pieces of a body, in its recentred frame.
#[derive(Debug)]
pub struct PieceTree {
    /// The root is the first; a subtree is in turn, the first part before the second.
    nodes: Vec<PieceNode>,
    /// The leaf of each piece.
    leaves: Vec<u32>,
}

impl PieceTree {
    /// Over pieces: cores in one frame, and by how much each grows, metres. At least one, fewer
    /// than 2^31. The same for the same pieces, always.
    pub fn new(pieces: &[(&Polyhedron, f64)]) -> Self {
        let nodes = build::build(pieces);
        let mut leaves = vec![0; pieces.len()];
        for (node, index) in nodes.iter().zip(0..) {
            if let Some(piece) = node.piece() {
                leaves[piece as usize] = index;
            }
        }
        Self { nodes, leaves }
    }

    /// The leaf of a piece.
    pub fn leaf(&self, piece: u32) -> Option<u32> {
        self.leaves.get(piece as usize).copied()
    }

    /// Returns the one of a node's two parts that contains a leaf below it.
    pub fn part_towards([first, second]: [u32; 2], leaf: u32) -> u32 {
        if leaf < second { first } else { second }
    }

    /// A node; the root is node 0.
    #[inline(always)]
    pub fn node(&self, index: u32) -> &PieceNode {
        &self.nodes[index as usize]
    }
}
