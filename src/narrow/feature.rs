//! Features and feature pairs.

use super::pair::VertexPair;
use super::proximity::FeatureKind;
use crate::geometry::Polyhedron;

/// A vertex, edge or face of a polyhedron, by its index in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Feature {
    /// What it is.
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

    /// How many vertices it has.
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

    /// Its vertices; those of a vertex or an edge are put into `few`.
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

    /// The number that tables publish: vertices by their index in the file, edges and faces by their order.
    #[inline(always)]
    pub fn published(self, p: &Polyhedron) -> i32 {
        // Without a branch: from row to row the kinds are like the toss of a coin. A body has a vertex 0.
        let is_vertex = self.kind == FeatureKind::Vertex;
        let source = p.source[if is_vertex { self.index as usize } else { 0 }];
        let number = if is_vertex { source } else { self.index };
        number.min(i32::MAX as u32) as i32
    }

    /// The smallest feature with all the given vertices.
    fn spanning(p: &Polyhedron, vertices: &[u32]) -> Option<Self> {
        match *vertices {
            [v] => Some(Self::vertex(v)),
            [v, w] => p.edge_between(v, w).map(Self::edge).or_else(|| p.face_containing(vertices).map(Self::face)),
            _ => p.face_containing(vertices).map(Self::face),
        }
    }
}

/// A feature of A and one of B, of kinds whose closest points are one formula: vertex-vertex, vertex-edge, edge-edge,
/// vertex-face (each way).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FeaturePair {
    /// Feature of A.
    pub a: Feature,
    /// Feature of B.
    pub b: Feature,
}

/// A feature pair as tables have it.
#[derive(Debug, Clone, Copy)]
pub struct Published {
    /// Kinds of the features of A and of B.
    pub kind: [FeatureKind; 2],
    /// Their numbers.
    pub number: [i32; 2],
}

impl FeaturePair {
    /// A vertex of each body.
    pub fn of_vertices([a, b]: VertexPair) -> Self {
        Self { a: Feature::vertex(a), b: Feature::vertex(b) }
    }

    /// As tables have it.
    #[inline(always)]
    pub fn published(&self, [a, b]: [&Polyhedron; 2]) -> Published {
        Published { kind: [self.a.kind, self.b.kind], number: [self.a.published(a), self.b.published(b)] }
    }

    /// The feature pair that a simplex of the Minkowski difference lies in, if its kinds have a formula.
    pub fn of_simplex(a: &Polyhedron, b: &Polyhedron, simplex: &[VertexPair]) -> Option<Self> {
        let [a, b] = Self::sides_of_simplex(a, b, simplex)?;
        Some(Self { a, b }).filter(Self::has_formula)
    }

    /// The smallest feature of each body that a simplex of the Minkowski difference lies in, whatever their kinds.
    pub fn sides_of_simplex(a: &Polyhedron, b: &Polyhedron, simplex: &[VertexPair]) -> Option<[Feature; 2]> {
        let (va, na) = distinct(simplex, 0);
        let (vb, nb) = distinct(simplex, 1);
        Some([Feature::spanning(a, &va[..na])?, Feature::spanning(b, &vb[..nb])?])
    }

    /// Whether it is not this, without a branch: where pairs change at every other turn, none can be foretold.
    #[inline(always)]
    pub fn differs(&self, other: &Self) -> bool {
        let indices = (self.a.index ^ other.a.index) | (self.b.index ^ other.b.index);
        let kinds = (self.a.kind as u32 ^ other.a.kind as u32) | (self.b.kind as u32 ^ other.b.kind as u32);
        indices | kinds != 0
    }

    /// Whether the kinds have a formula (not edge-face, not face-face).
    pub fn has_formula(&self) -> bool {
        use FeatureKind::{Edge, Vertex};
        matches!((self.a.kind, self.b.kind), (Vertex, _) | (_, Vertex) | (Edge, Edge))
    }
}

/// The distinct vertices of one side of a simplex of at most four vertices.
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
