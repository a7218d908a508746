//! Voronoi regions of features, by the planes that bound them (Mirtich 1997, section 2.1).
//!
//! The planes are formed where they are needed, from the stored normals and vertices: an edge's direction or one
//! vector product each. None is of unit length, since only signs and ratios along one edge count. Both features beside
//! a plane form it from the same numbers, so that what one side calls outside the other one never does too.

use super::super::pair::Pair;
use crate::geometry::polyhedron::NO_FACE;
use crate::geometry::{Polyhedron, Vec3};

/// One body, and the other one as seen from its frame.
#[derive(Debug, Clone, Copy)]
pub(super) struct View<'p, 'a> {
    pair: &'p Pair<'a, f64>,
    /// Whether the body that is at home is A.
    pub(super) of_a: bool,
}

/// A directed edge of the other body, in the frame of the body at home.
#[derive(Debug, Clone, Copy)]
pub(super) struct Segment {
    pub(super) tail: Vec3<f64>,
    pub(super) head: Vec3<f64>,
}

/// A plane: `along . (x - through)` is a multiple of the signed distance.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plane {
    through: Vec3<f64>,
    pub(super) along: Vec3<f64>,
}

impl Plane {
    #[inline]
    pub(super) fn side(&self, x: Vec3<f64>) -> f64 {
        self.along.dot(x - self.through)
    }
}

impl<'p, 'a> View<'p, 'a> {
    pub(super) fn new(pair: &'p Pair<'a, f64>, of_a: bool) -> Self {
        Self { pair, of_a }
    }

    /// The other body at home.
    pub(super) fn flipped(self) -> Self {
        Self { of_a: !self.of_a, ..self }
    }

    /// The body at home.
    #[inline]
    pub(super) fn home(&self) -> &'a Polyhedron {
        if self.of_a { self.pair.a } else { self.pair.b }
    }

    /// The other body.
    #[inline]
    pub(super) fn other(&self) -> &'a Polyhedron {
        if self.of_a { self.pair.b } else { self.pair.a }
    }

    /// A vertex of the other body in the frame at home.
    #[inline]
    pub(super) fn other_vertex(&self, v: u32) -> Vec3<f64> {
        let pose = &self.pair.pose;
        if self.of_a { self.pair.vertex_b(v) } else { pose.inverse_vector(self.pair.vertex_a(v) - pose.t) }
    }

    /// An edge of the other body in the frame at home.
    #[inline]
    pub(super) fn other_edge(&self, e: u32) -> Segment {
        let [tail, head] = self.other().edges[e as usize].v;
        Segment { tail: self.other_vertex(tail), head: self.other_vertex(head) }
    }
}

/// The plane through vertex `v`, orthogonal to the edge from it to its neighbour `w`, positive towards `w`.
#[inline]
pub(super) fn vertex_plane(p: &Polyhedron, v: u32, w: u32) -> Plane {
    let through = p.vertex(v);
    Plane { through, along: p.vertex(w) - through }
}

/// The plane through edge `e`, orthogonal to its face `f`, positive towards the inside of the face.
#[inline]
pub(super) fn face_edge_plane(p: &Polyhedron, f: u32, e: u32) -> Plane {
    let edge = &p.edges[e as usize];
    let through = p.vertex(edge.v[0]);
    let left = p.normals[f as usize].cross(p.vertex(edge.v[1]) - through);
    Plane { through, along: if edge.f[0] == f { left } else { -left } }
}

/// The plane of a face, its normal of unit length.
#[inline]
pub(super) fn support_plane(p: &Polyhedron, f: u32) -> Plane {
    Plane { through: p.vertex(p.face(f)[0]), along: p.normals[f as usize] }
}

/// The faces beside an edge: none for that of a segment.
#[inline]
pub(super) fn faces_beside(p: &Polyhedron, e: u32) -> impl Iterator<Item = u32> {
    p.edges[e as usize].f.into_iter().filter(|&f| f != NO_FACE)
}

/// The edges around a face, in its order.
#[inline]
pub(super) fn edges_of(p: &Polyhedron, f: u32) -> &[u32] {
    let f = f as usize;
    &p.face_edges[p.face_start[f] as usize..p.face_start[f + 1] as usize]
}

/// The neighbours of a vertex, each with the edge to it.
#[inline]
pub(super) fn edges_at(p: &Polyhedron, v: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
    let start = p.neighbour_start[v as usize] as usize;
    let neighbours = p.neighbours_of(v);
    neighbours.iter().copied().zip(p.neighbour_edges[start..start + neighbours.len()].iter().copied())
}
