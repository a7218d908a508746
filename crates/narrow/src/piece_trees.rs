//! Pairs of nodes of the trees over the convex pieces of two bodies.

use clearsweep_geometry::piece_tree::{PieceNode, PieceParts, PieceTree};
use clearsweep_model::Shape;

/// The trees of A and of B. A pair of nodes is named by both indices; the roots are `[0, 0]`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PieceTrees<'a>(pub(crate) [&'a PieceTree; 2]);

impl<'a> PieceTrees<'a> {
    pub(crate) fn new(bodies: [&'a Shape; 2]) -> Self {
        Self(bodies.map(Shape::piece_tree))
    }

    pub(crate) fn nodes(&self, [a, b]: [u32; 2]) -> [&'a PieceNode; 2] {
        [self.0[0].node(a), self.0[1].node(b)]
    }

    /// The pieces of two leaves.
    pub(crate) fn pieces(&self, nodes: [u32; 2]) -> Option<[u32; 2]> {
        let [a, b] = self.nodes(nodes);
        Some([a.piece()?, b.piece()?])
    }

    /// The pairs that replace two nodes of which one is no leaf: the larger node is divided.
    pub(crate) fn children(&self, nodes: [u32; 2]) -> Option<[[u32; 2]; 2]> {
        let [a, b] = self.nodes(nodes);
        match (a.parts, b.parts) {
            (PieceParts::Nodes(parts), other) if other.is_piece() || a.radius >= b.radius => {
                Some(parts.map(|part| [part, nodes[1]]))
            }
            (_, PieceParts::Nodes(parts)) => Some(parts.map(|part| [nodes[0], part])),
            _ => None,
        }
    }
}
