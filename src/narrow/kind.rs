//! Kinds of feature pairs whose closest points have a formula.

use super::feature::FeaturePair;
use super::proximity::FeatureKind::{self, Edge, Face, Vertex};

/// The kinds that have a formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FormulaKind {
    /// A vertex of each.
    VertexVertex,
    /// An edge of A and a vertex of B.
    EdgeVertex,
    /// A vertex of A and an edge of B.
    VertexEdge,
    /// An edge of each.
    EdgeEdge,
    /// A face of A and a vertex of B.
    FaceVertex,
    /// A vertex of A and a face of B.
    VertexFace,
}

impl FormulaKind {
    /// All of them, in order of their values.
    pub(super) const ALL: [Self; 6] =
        [Self::VertexVertex, Self::EdgeVertex, Self::VertexEdge, Self::EdgeEdge, Self::FaceVertex, Self::VertexFace];

    /// The kinds of the features of A and of B.
    #[inline(always)]
    pub(super) fn sides(self) -> [FeatureKind; 2] {
        match self {
            Self::VertexVertex => [Vertex, Vertex],
            Self::EdgeVertex => [Edge, Vertex],
            Self::VertexEdge => [Vertex, Edge],
            Self::EdgeEdge => [Edge, Edge],
            Self::FaceVertex => [Face, Vertex],
            Self::VertexFace => [Vertex, Face],
        }
    }

    /// The kind of a feature pair, if it has a formula.
    #[inline(always)]
    pub(super) fn of(f: &FeaturePair) -> Option<Self> {
        Some(match (f.a.kind, f.b.kind) {
            (Vertex, Vertex) => Self::VertexVertex,
            (Edge, Vertex) => Self::EdgeVertex,
            (Vertex, Edge) => Self::VertexEdge,
            (Edge, Edge) => Self::EdgeEdge,
            (Face, Vertex) => Self::FaceVertex,
            (Vertex, Face) => Self::VertexFace,
            _ => return None,
        })
    }
}
