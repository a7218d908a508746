//! Kinds of feature pairs that have a formula: what can be proven side by side.

use crate::narrow::feature::FeaturePair;
use crate::narrow::proximity::FeatureKind::{self, Edge, Face, Vertex};

/// The kinds that have a formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
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

impl Kind {
    /// Of the features of A and of B.
    #[inline(always)]
    pub fn sides(self) -> [FeatureKind; 2] {
        match self {
            Self::VertexVertex => [Vertex, Vertex],
            Self::EdgeVertex => [Edge, Vertex],
            Self::VertexEdge => [Vertex, Edge],
            Self::EdgeEdge => [Edge, Edge],
            Self::FaceVertex => [Face, Vertex],
            Self::VertexFace => [Vertex, Face],
        }
    }
}

/// All of them, in order of their values.
pub(super) const KINDS: [Kind; 6] =
    [Kind::VertexVertex, Kind::EdgeVertex, Kind::VertexEdge, Kind::EdgeEdge, Kind::FaceVertex, Kind::VertexFace];

/// Of a feature pair, if it has a formula.
#[inline(always)]
pub(super) fn kind_of(f: &FeaturePair) -> Option<Kind> {
    Some(match (f.a.kind, f.b.kind) {
        (Vertex, Vertex) => Kind::VertexVertex,
        (Edge, Vertex) => Kind::EdgeVertex,
        (Vertex, Edge) => Kind::VertexEdge,
        (Edge, Edge) => Kind::EdgeEdge,
        (Face, Vertex) => Kind::FaceVertex,
        (Vertex, Face) => Kind::VertexFace,
        _ => return None,
    })
}
