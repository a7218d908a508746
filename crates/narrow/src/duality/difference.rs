//! The Minkowski difference A - B, face by face: it is never formed.
//!
//! Everything is in A's frame. A face is one of three kinds (Choi et al., section 2.1): a face of A
//! and the vertex of B that supports the difference along its normal; a vertex of A and a face of
//! B; an edge of each whose arcs cross on the Gauss map.

use super::arcs::{ArcCrossing, GaussArc, crossing};
use super::guide::Guide;
use crate::feature::{Feature, FeaturePair};
use crate::pair::{Pair, VertexPair};
use crate::support;
use clearsweep_base::simd::Simd;
use clearsweep_geometry::{Polyhedron, Vec3};
use smallvec::SmallVec;

/// Vertices up to which a scan finds a support sooner than a climb from a vertex nearby.
const SCANNED: usize = 24;

/// A face of the Minkowski difference.
#[derive(Debug, Clone, Copy)]
pub struct DifferenceFace {
    /// Features that span it: a face and a vertex, or two edges.
    pub features: FeaturePair,
    /// Outward normal in A's frame, of any length.
    pub normal: Vec3<f64>,
    /// `normal . (a - b)` on the face: no point of the difference reaches farther along the normal,
    /// but for rounding.
    pub height: f64,
    /// The signed distance by which the search goes (`guide.rs`): the larger the better.
    pub signed_distance: f64,
}

impl DifferenceFace {
    /// The gap of the cores across the plane of the face, metres: negative where the origin lies
    /// beneath it.
    pub fn gap(&self) -> f64 {
        -self.height / self.normal.length()
    }

    /// Its corners in the order around it, in A's frame: those of the face of one body less the
    /// vertex of the other, or of the parallelogram of two edges.
    pub(crate) fn corners(&self, pair: &Pair<'_, f64>) -> SmallVec<[Vec3<f64>; 8]> {
        let (mut few_a, mut few_b) = ([0; 2], [0; 2]);
        let of_a = self.features.a.vertices(pair.a, &mut few_a);
        let of_b = self.features.b.vertices(pair.b, &mut few_b);
        let around = |&j: &u32| of_a.iter().map(move |&i| [i, j]);
        let mut corners: SmallVec<[VertexPair; 8]> = of_b.iter().flat_map(around).collect();
        if of_a.len() == 2 && of_b.len() == 2 {
            corners.swap(2, 3);
        }
        corners.into_iter().map(|vertices| pair.difference(vertices)).collect()
    }
}

/// A pair of cores, each a solid or a point, and what guides the search.
#[derive(Debug, Clone, Copy)]
pub(super) struct Difference<'a> {
    pub(super) pair: &'a Pair<'a, f64>,
    pub(super) guide: Guide,
}

/// Body that a face belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FaceOwner {
    A,
    B,
}

impl<'a> Difference<'a> {
    /// The body whose faces are meant, and the other one.
    #[inline(always)]
    pub(super) fn bodies(&self, home: FaceOwner) -> [&'a Polyhedron; 2] {
        match home {
            FaceOwner::A => [self.pair.a, self.pair.b],
            FaceOwner::B => [self.pair.b, self.pair.a],
        }
    }

    /// The direction that faces of a body are to be turned to, in the frame of that body.
    #[inline(always)]
    pub(super) fn along(&self, home: FaceOwner) -> Vec3<f64> {
        self.in_frame(home, self.guide.along())
    }

    /// A normal of the difference as a direction of a body (of B mirrored), in its frame.
    #[inline(always)]
    pub(super) fn in_frame(&self, home: FaceOwner, normal: Vec3<f64>) -> Vec3<f64> {
        match home {
            FaceOwner::A => normal,
            FaceOwner::B => -self.pair.pose.inverse_vector(normal),
        }
    }

    /// The face that a face of a body spans with the vertex of the other one that supports the
    /// difference; `near`: a vertex of the other body from which to look for it
    /// (SIGNEDDISTANCE-FV).
    #[inline(always)]
    pub(super) fn of_face<S: Simd>(&self, home: FaceOwner, face: u32, near: u32) -> DifferenceFace {
        let pose = &self.pair.pose;
        let [own, other] = self.bodies(home);
        let outward = own.normals[face as usize];
        let own_height = outward.dot(own.vertex(own.face(face)[0]));
        let (normal, down) = match home {
            FaceOwner::A => (outward, -pose.inverse_vector(outward)),
            FaceOwner::B => {
                let down = -pose.vector(outward);
                (down, down)
            }
        };
        let (vertex, other_height) = support_near::<S>(other, down, near);
        let height = own_height + other_height - normal.dot(pose.t);
        let [face, vertex] = [Feature::face(face), Feature::vertex(vertex)];
        let features = match home {
            FaceOwner::A => FeaturePair { a: face, b: vertex },
            FaceOwner::B => FeaturePair { a: vertex, b: face },
        };
        self.rated(features, normal, height)
    }

    /// The face that two edges span, if their arcs cross. Where rounding leaves that open, the
    /// supports along their normal say how far the difference reaches. `arcs`: that of A's edge,
    /// and that of B's mirrored, both in the frame of `frame`.
    #[inline(always)]
    pub(super) fn of_edges<S: Simd>(
        &self,
        edges: [u32; 2],
        arcs: [&GaussArc; 2],
        frame: FaceOwner,
    ) -> Option<DifferenceFace> {
        let turned = |normal: Vec3<f64>| match frame {
            FaceOwner::A => normal,
            FaceOwner::B => self.pair.pose.vector(normal),
        };
        let features = FeaturePair { a: Feature::edge(edges[0]), b: Feature::edge(edges[1]) };
        let ends = [self.pair.a.edges[edges[0] as usize].v[0], self.pair.b.edges[edges[1] as usize].v[0]];
        match crossing(arcs[0], arcs[1]) {
            ArcCrossing::None => None,
            ArcCrossing::At(normal) => {
                let normal = turned(normal);
                Some(self.rated(features, normal, normal.dot(self.pair.difference(ends))))
            }
            ArcCrossing::Near(normal) => Some(self.supported::<S>(features, turned(normal), ends)),
        }
    }

    /// A face along a normal that may not be one: the supports say how far the difference reaches,
    /// which holds for any direction.
    #[inline(always)]
    pub(super) fn supported<S: Simd>(
        &self,
        features: FeaturePair,
        normal: Vec3<f64>,
        near: [u32; 2],
    ) -> DifferenceFace {
        let [a, b] = [FaceOwner::A, FaceOwner::B].map(|home| self.in_frame(home, normal));
        let heights = support_near::<S>(self.pair.a, a, near[0]).1 + support_near::<S>(self.pair.b, b, near[1]).1;
        self.rated(features, normal, heights - normal.dot(self.pair.pose.t))
    }

    #[inline(always)]
    fn rated(&self, features: FeaturePair, normal: Vec3<f64>, height: f64) -> DifferenceFace {
        let signed_distance = self.guide.signed_distance(normal, height);
        DifferenceFace { features, normal, height, signed_distance }
    }
}

/// A vertex farthest along a direction, from a vertex that is likely near to it, and how far that
/// is.
#[inline(always)]
pub(super) fn support_near<S: Simd>(p: &Polyhedron, d: Vec3<f64>, near: u32) -> (u32, f64) {
    if p.count <= SCANNED || p.neighbour_block_start.is_empty() {
        support::support::<S>(p, d, near)
    } else {
        support::climb::<S>(p, d, near, true)
    }
}
