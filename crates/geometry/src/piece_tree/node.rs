//! The nodes of the tree: hulls of few vertices, and balls.

use crate::polyhedron::Polyhedron;
use crate::vec3::Vec3;

/// Most vertices of the hull of a node. A scan over them costs some ten instructions.
pub(super) const NODE_VERTICES: usize = 64;

/// Contents of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PieceParts {
    /// The piece of this index.
    Piece(u32),
    /// Two nodes.
    Nodes([u32; 2]),
}

impl PieceParts {
    /// Whether it is a single piece.
    pub fn is_piece(self) -> bool {
        matches!(self, Self::Piece(_))
    }
}

/// A node of the tree.
#[derive(Debug)]
pub struct PieceNode {
    /// Contents of the node.
    pub parts: PieceParts,
    /// Vertices alone, metres; `None` of a leaf whose piece has few: it is the hull.
    pub(super) hull: Option<Box<Polyhedron>>,
    /// Inflated by this, metres, the hull contains the inflated parts.
    pub growth: f64,
    /// The ball of this middle and `radius` contains the inflated parts, metres.
    pub middle: Vec3<f64>,
    /// See `middle`.
    pub radius: f64,
}

impl PieceNode {
    /// The hull that grows by `growth`; `piece` gives the core of a piece.
    #[inline(always)]
    pub fn hull<'a>(&'a self, piece: impl Fn(u32) -> &'a Polyhedron) -> Option<&'a Polyhedron> {
        match (&self.hull, self.parts) {
            (Some(hull), _) => Some(hull),
            (None, PieceParts::Piece(index)) => Some(piece(index)),
            (None, PieceParts::Nodes(_)) => None,
        }
    }

    /// Whether it is a piece.
    #[inline(always)]
    pub fn piece(&self) -> Option<u32> {
        match self.parts {
            PieceParts::Piece(index) => Some(index),
            PieceParts::Nodes(_) => None,
        }
    }
}
