//! Kinds of feature pairs whose closest points have a formula.

use super::feature::FeaturePair;
use crate::feature::FeatureKind::{self, Edge, Face, Vertex};
use clearsweep_model::Method;

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

/// The kinds of parallel features whose sets of closest points are more than a point: a centroid
/// stands for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ParallelKind {
    /// A face of each.
    FaceFace,
    /// A face of A and an edge of B.
    FaceEdge,
    /// An edge of A and a face of B.
    EdgeFace,
    /// An edge of each.
    EdgeEdge,
}

impl ParallelKind {
    /// The kind of a feature pair, should its features be parallel.
    #[inline(always)]
    pub(super) fn of(f: &FeaturePair) -> Option<Self> {
        Some(match (f.a.kind, f.b.kind) {
            (Face, Face) => Self::FaceFace,
            (Face, Edge) => Self::FaceEdge,
            (Edge, Face) => Self::EdgeFace,
            (Edge, Edge) => Self::EdgeEdge,
            _ => return None,
        })
    }

    /// The kinds of the features of A and of B.
    #[inline(always)]
    pub(super) fn sides(self) -> [FeatureKind; 2] {
        match self {
            Self::FaceFace => [Face, Face],
            Self::FaceEdge => [Face, Edge],
            Self::EdgeFace => [Edge, Face],
            Self::EdgeEdge => [Edge, Edge],
        }
    }
}

/// Method by which the closest points of a feature pair are found at a pose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PairKind {
    /// The closest points are unique.
    Unique(FormulaKind),
    /// The features are parallel.
    Parallel(ParallelKind),
}

impl PairKind {
    /// The kind of a feature pair; of two edges it depends on whether they are parallel.
    #[inline(always)]
    pub(super) fn of(f: &FeaturePair, edges_are_parallel: bool) -> Option<Self> {
        match FormulaKind::of(f) {
            Some(FormulaKind::EdgeEdge) if edges_are_parallel => Some(Self::Parallel(ParallelKind::EdgeEdge)),
            Some(kind) => Some(Self::Unique(kind)),
            None => ParallelKind::of(f).map(Self::Parallel),
        }
    }

    /// The kinds of the features of A and of B.
    #[inline(always)]
    pub(super) fn sides(self) -> [FeatureKind; 2] {
        match self {
            Self::Unique(kind) => kind.sides(),
            Self::Parallel(kind) => kind.sides(),
        }
    }

    /// Whether the features are parallel.
    #[inline(always)]
    pub(super) fn is_parallel(self) -> bool {
        matches!(self, Self::Parallel(_))
    }

    /// The class of proof of an answer of this kind.
    #[inline(always)]
    pub(super) fn method(self) -> Method {
        match self {
            Self::Unique(_) => Method::Strict,
            Self::Parallel(_) => Method::Tie,
        }
    }
}
