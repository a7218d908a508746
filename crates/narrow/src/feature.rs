//! Features of a polyhedron, and pairs of them.

use super::pair::VertexPair;
use clearsweep_geometry::Polyhedron;
use clearsweep_model::FeatureKind as PublishedKind;

/// The kind of a feature of a polyhedron. Tables publish more: see [`FeaturePair::published`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FeatureKind {
    /// A vertex.
    Vertex,
    /// An edge.
    Edge,
    /// A face.
    Face,
}

impl From<FeatureKind> for PublishedKind {
    #[inline(always)]
    fn from(kind: FeatureKind) -> Self {
        match kind {
            FeatureKind::Vertex => Self::Vertex,
            FeatureKind::Edge => Self::Edge,
            FeatureKind::Face => Self::Face,
        }
    }
}

/// A vertex, edge or face of a polyhedron, by index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Feature {
    /// Its kind.
    pub kind: FeatureKind,
    /// Index among the vertices, edges or faces.
    pub index: u32,
}

impl Feature {
    /// A vertex.
    pub fn vertex(index: u32) -> Self {
        Self { kind: FeatureKind::Vertex, index }
    }
    /// An edge.
    pub fn edge(index: u32) -> Self {
        Self { kind: FeatureKind::Edge, index }
    }
    /// A face.
    pub fn face(index: u32) -> Self {
        Self { kind: FeatureKind::Face, index }
    }

    /// The number of its vertices.
    #[inline]
    pub fn vertex_count(self, p: &Polyhedron) -> usize {
        match self.kind {
            FeatureKind::Vertex => 1,
            FeatureKind::Edge => 2,
            FeatureKind::Face => p.face(self.index).len(),
        }
    }

    /// Whether the vertex belongs to it.
    #[inline]
    pub fn has_vertex(self, p: &Polyhedron, v: u32) -> bool {
        match self.kind {
            FeatureKind::Vertex => self.index == v,
            FeatureKind::Edge => p.edges[self.index as usize].v.contains(&v),
            FeatureKind::Face => p.face(self.index).contains(&v),
        }
    }

    /// Its vertices; `few` is the memory for those of a vertex or an edge.
    #[inline]
    pub fn vertices<'a>(self, p: &'a Polyhedron, few: &'a mut [u32; 2]) -> &'a [u32] {
        match self.kind {
            FeatureKind::Vertex => {
                few[0] = self.index;
                &few[..1]
            }
            FeatureKind::Edge => {
                *few = p.edges[self.index as usize].v;
                few
            }
            FeatureKind::Face => p.face(self.index),
        }
    }

    /// One of its vertices.
    #[inline]
    pub fn first_vertex(self, p: &Polyhedron) -> u32 {
        match self.kind {
            FeatureKind::Vertex => self.index,
            FeatureKind::Edge => p.edges[self.index as usize].v[0],
            FeatureKind::Face => p.face(self.index)[0],
        }
    }

    /// The kind and the number that tables publish: of a vertex its index in the file, of an edge
    /// or a face its index here. A round body has flat ends and a curved side, which a vertex
    /// stands for.
    #[inline(always)]
    fn published(self, p: &Polyhedron) -> (PublishedKind, i32) {
        if p.round.is_some() {
            let is_side = self.kind == FeatureKind::Vertex;
            return if is_side { (PublishedKind::Round, 0) } else { (self.kind.into(), self.index as i32) };
        }
        // Branch-free: the kinds of successive rows are unpredictable. Every polyhedron has a
        // vertex 0.
        let is_vertex = self.kind == FeatureKind::Vertex;
        let source = p.source[if is_vertex { self.index as usize } else { 0 }];
        let number = if is_vertex { source } else { self.index };
        (self.kind.into(), number.min(i32::MAX as u32) as i32)
    }

    /// The smallest feature with all the given vertices.
    pub(super) fn spanning(p: &Polyhedron, vertices: &[u32]) -> Option<Self> {
        match *vertices {
            [v] => Some(Self::vertex(v)),
            [v, w] => p.edge_between(v, w).map(Self::edge).or_else(|| p.face_containing(vertices).map(Self::face)),
            _ => p.face_containing(vertices).map(Self::face),
        }
    }
}

/// A feature of A and one of B. The closest points of the kinds vertex-vertex, vertex-edge,
/// edge-edge and vertex-face (either way round) have a closed formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FeaturePair {
    /// Feature of A.
    pub a: Feature,
    /// Feature of B.
    pub b: Feature,
}

/// A feature pair as tables publish it.
#[derive(Debug, Clone, Copy)]
pub struct Published {
    /// Kinds of the features of A and of B.
    pub kind: [PublishedKind; 2],
    /// Their numbers.
    pub number: [i32; 2],
}

impl FeaturePair {
    /// A vertex of each body.
    pub fn of_vertices([a, b]: VertexPair) -> Self {
        Self { a: Feature::vertex(a), b: Feature::vertex(b) }
    }

    /// The pair as tables publish it.
    #[inline(always)]
    pub fn published(&self, [a, b]: [&Polyhedron; 2]) -> Published {
        let ((kind_a, a), (kind_b, b)) = (self.a.published(a), self.b.published(b));
        Published { kind: [kind_a, kind_b], number: [a, b] }
    }

    /// The smallest feature pair that contains a simplex of the Minkowski difference, if its kinds
    /// have a formula.
    pub fn of_simplex(a: &Polyhedron, b: &Polyhedron, simplex: &[VertexPair]) -> Option<Self> {
        let [a, b] = Self::sides_of_simplex(a, b, simplex)?;
        Some(Self { a, b }).filter(Self::has_formula)
    }

    /// The smallest feature of each body that contains its side of a simplex of the Minkowski
    /// difference, of any kinds.
    pub fn sides_of_simplex(a: &Polyhedron, b: &Polyhedron, simplex: &[VertexPair]) -> Option<[Feature; 2]> {
        let (va, na) = distinct(simplex, 0);
        let (vb, nb) = distinct(simplex, 1);
        Some([Feature::spanning(a, &va[..na])?, Feature::spanning(b, &vb[..nb])?])
    }

    /// Whether the two pairs differ; branch-free, for loops in which that is unpredictable.
    #[inline(always)]
    pub fn differs(&self, other: &Self) -> bool {
        let indices = (self.a.index ^ other.a.index) | (self.b.index ^ other.b.index);
        let kinds = (self.a.kind as u32 ^ other.a.kind as u32) | (self.b.kind as u32 ^ other.b.kind as u32);
        indices | kinds != 0
    }

    /// Whether the kinds have a closed formula: all but edge-face and face-face.
    pub fn has_formula(&self) -> bool {
        use FeatureKind::{Edge, Vertex};
        matches!((self.a.kind, self.b.kind), (Vertex, _) | (_, Vertex) | (Edge, Edge))
    }
}

/// The distinct vertices of one body (`side`: 0 for A, 1 for B) in a simplex of at most four
/// vertices, and their number.
fn distinct(simplex: &[VertexPair], side: usize) -> ([u32; 4], usize) {
    let mut out = [0; 4];
    let mut n = 0;
    for pair in simplex.iter().take(4) {
        if !out[..n].contains(&pair[side]) {
            out[n] = pair[side];
            n += 1;
        }
    }
    (out, n)
}
