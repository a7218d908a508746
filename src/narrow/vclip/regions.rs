//! The two bodies of a search, each with its Voronoi planes and a way to see the other one from its frame.
//!
//! The planes are those stored with the polyhedron (`geometry::planes`), and rounded: `side(x)` is off by a few dozen
//! units of 2^-53 of the sizes of the body and of `x`. Every test of a state is a sign of such a number, of a slope, or
//! of a height. It may come out wrong only for a point that near to the plane; there the features on both sides of it
//! are equally near but for such a length. So an argument that holds for exact planes (what is gone on to is nearer
//! than what is left) holds up to that length: a wrong sign is a detour, or ends at a feature pair that near to the
//! best, which the proof afterwards accepts or not; and where detours lead in circles that is recognised. The same
//! rounded numbers on both sides of a plane keep two neighbours from contradicting each other.

use super::super::feature::Feature;
use super::super::pair::Pair;
use crate::geometry::planes::{EdgePlanes, Plane, Planes, Rows};
use crate::geometry::{Polyhedron, Vec3};

/// One body of the search.
#[derive(Debug, Clone, Copy)]
pub(super) struct Body<'a> {
    pub(super) polyhedron: &'a Polyhedron,
    pub(super) planes: &'a Planes,
    /// This frame from the other body's: the rows of the rotation, and the translation.
    rows: [Vec3<f64>; 3],
    origin: Vec3<f64>,
}

/// A directed edge of the other body, in the frame of the body at home.
#[derive(Debug, Clone, Copy)]
pub(super) struct Segment {
    pub(super) tail: Vec3<f64>,
    pub(super) head: Vec3<f64>,
}

impl Segment {
    /// The point at `lambda`, from 0 at the tail to 1 at the head.
    #[inline(always)]
    pub(super) fn at(&self, lambda: f64) -> Vec3<f64> {
        self.tail.scale(1.0 - lambda) + self.head.scale(lambda)
    }
}

/// Both bodies of a pair, A first.
#[inline(always)] // as everything below: into code for wider registers
pub(super) fn bodies<'a>(pair: &Pair<'a, f64>) -> [Body<'a>; 2] {
    let pose = &pair.pose;
    let [x, y, z] = pose.r;
    let back = [Vec3 { x: x.x, y: y.x, z: z.x }, Vec3 { x: x.y, y: y.y, z: z.y }, Vec3 { x: x.z, y: y.z, z: z.z }];
    let origin = -(x.scale(pose.t.x) + y.scale(pose.t.y) + z.scale(pose.t.z));
    [
        Body { polyhedron: pair.a, planes: pair.a.planes(), rows: pose.r, origin: pose.t },
        Body { polyhedron: pair.b, planes: pair.b.planes(), rows: back, origin },
    ]
}

impl<'a> Body<'a> {
    /// A direction of the other body, in this frame.
    #[inline(always)]
    pub(super) fn direction(&self, v: Vec3<f64>) -> Vec3<f64> {
        Vec3 { x: self.rows[0].dot(v), y: self.rows[1].dot(v), z: self.rows[2].dot(v) }
    }

    /// A vertex of the other body, in this frame.
    #[inline(always)]
    pub(super) fn vertex_of(&self, other: &Body<'_>, v: u32) -> Vec3<f64> {
        let turned = self.direction(other.polyhedron.vertex(v));
        Vec3 { x: turned.x + self.origin.x, y: turned.y + self.origin.y, z: turned.z + self.origin.z }
    }

    /// An edge of the other body, in this frame.
    #[inline(always)]
    pub(super) fn edge_of(&self, other: &Body<'_>, e: u32) -> Segment {
        let [tail, head] = other.polyhedron.edges[e as usize].v;
        Segment { tail: self.vertex_of(other, tail), head: self.vertex_of(other, head) }
    }

    /// The planes of vertex `v`, in the order of [`Self::spokes`].
    #[inline(always)]
    pub(super) fn star(&self, v: u32) -> Rows<'a> {
        self.planes.star(self.polyhedron, v)
    }

    /// The planes around edge `e`.
    #[inline(always)]
    pub(super) fn around(&self, e: u32) -> &'a EdgePlanes {
        self.planes.edge(e)
    }

    /// The planes along the edges of face `f`, in the order of [`Self::perimeter`].
    #[inline(always)]
    pub(super) fn walls(&self, f: u32) -> Rows<'a> {
        self.planes.sides(self.polyhedron, f)
    }

    /// The plane of face `f`, positive outside.
    #[inline(always)]
    pub(super) fn support(&self, f: u32) -> &'a Plane {
        self.planes.support(f)
    }

    /// The edges at vertex `v`.
    #[inline(always)]
    pub(super) fn spokes(&self, v: u32) -> &'a [u32] {
        let (p, v) = (self.polyhedron, v as usize);
        &p.neighbour_edges[p.neighbour_start[v] as usize..p.neighbour_start[v + 1] as usize]
    }

    /// One of the edges at vertex `v`.
    #[inline(always)]
    pub(super) fn spoke(&self, v: u32, at: u32) -> Feature {
        Feature::edge(self.spokes(v)[at as usize])
    }

    /// The edges around face `f`, in its order.
    #[inline(always)]
    pub(super) fn perimeter(&self, f: u32) -> &'a [u32] {
        let (p, f) = (self.polyhedron, f as usize);
        &p.face_edges[p.face_start[f] as usize..p.face_start[f + 1] as usize]
    }

    /// The ends of edge `e`.
    #[inline(always)]
    pub(super) fn ends(&self, e: u32) -> [u32; 2] {
        self.polyhedron.edges[e as usize].v
    }

    /// The faces beside edge `e`, in the order of its lanes.
    #[inline(always)]
    pub(super) fn faces(&self, e: u32) -> [u32; 2] {
        self.polyhedron.edges[e as usize].f
    }
}
