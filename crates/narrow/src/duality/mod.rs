//! CD-Dual: whether two convex polyhedra overlap, by a walk over the faces of their Minkowski
//! difference.
//!
//! Source: Choi, Li, Wang, Cameron, "Collision detection of convex polyhedra based on duality
//! transformation". The origin lies in the difference M = A - B if and only if the cores overlap. A
//! ray from an inner point `c` of M through the origin leaves M through one face. If that face lies
//! before the origin, it separates the bodies; else the origin is inside. In the dual space that
//! face is the vertex with the largest signed distance from a plane, and a local search finds it.
//!
//! ```text
//! guide.rs        the signed distance of a face: sections 3.2 and 6
//! difference.rs   the faces of M, each from two features: section 2.1
//! face_search.rs  SEARCH-FV and SEARCH-VF, and their first face: sections 3.3.1, 3.3.2, 4.2
//! edge_search.rs  SEARCH-EE: section 3.3.3
//! walk.rs         a search under way
//! arcs.rs         whether the arcs of two edges cross: section 4.3
//! ```
//!
//! Departures from the paper:
//!
//! - Theorem 1 takes the dual points of the faces of A, joined as the faces are, for a convex
//!   polyhedron. They are in convex position, but the edges of their hull may be others, so that
//!   SEARCH-FV may end at a face that is best among its neighbours only. Lemma 3 holds for such a
//!   face, too; Lemma 4 does not. So SEARCH-EE goes on to the ends of the arcs, which are faces of
//!   one body, where these are better than all edge pairs around. Each step goes to a neighbour on
//!   M, and the convexity of M's dual alone makes the end the best.
//! - The pseudo-code of SEARCH-EE pushes the pairs around every pair that spans a face, better or
//!   not, and so visits all of them. Here the search goes to the best pair around, as the text of
//!   the proof does (Theorem 6).
//! - The first face is not the one turned most to the ray of all, which takes time proportional to
//!   their number, but of those at the vertex farthest along the ray.
//! - Where an edge or a face of one body is parallel to the face, the edges at all vertices that
//!   support it are tried; and pairs whose arcs miss each other by no more than rounding, with the
//!   height that the supports give.
//! - A remembered face is tried first: one that still separates the bodies is the answer (the
//!   witness of section 1).
//! - `c` is the difference of the means of the vertices. If it is the origin itself, the origin is
//!   inside.
//!
//! A solid and a point are a pair, too: M has faces of one kind then. *Segments and polygons are
//! handed over* to the other searches: their faces and edges have no arcs with two ends (a
//! polygon's is half a circle, a segment's all of it).
//!
//! The search proves nothing. A face that separates the bodies says where V-Clip starts. Another
//! one spans tetrahedra with `c`, of which one holds the origin, which proves an overlap
//! (`overlap_proof.rs`); where the depth is asked for, EPA starts along its normal.

mod arcs;
mod difference;
mod edge_search;
mod face_search;
mod guide;
#[cfg(test)]
mod tests;
mod walk;

use self::arcs::GaussArc;
pub use self::difference::DifferenceFace;
use self::difference::{Difference, FaceOwner};
use self::face_search::own_indices;
use self::guide::Guide;
use self::walk::OverlapTest;
pub use self::walk::Phase;
use super::feature::FeaturePair;
use super::pair::Pair;
use super::search::SearchEnd;
use crate::feature::FeatureKind::{Edge, Face, Vertex};
use clearsweep_base::simd::{Simd, dispatch};
use clearsweep_geometry::{Polyhedron, Vec3};

/// The result of a search.
#[derive(Debug, Clone, Copy)]
pub struct DualityResult {
    /// [`SearchEnd::Beyond`]: the face separates the cores. [`SearchEnd::Overlap`]: the origin lies
    /// beneath the best face. [`SearchEnd::Converged`]: the best face of a search along a
    /// direction. [`SearchEnd::Stalled`]: the cores are handed over.
    pub end: SearchEnd,
    /// The face at the end; `None` where the cores are handed over, or the means of both lie at one
    /// point.
    pub face: Option<DifferenceFace>,
    /// Faces rated by SEARCH-FV and SEARCH-VF, and pairs of arcs tested by SEARCH-EE.
    pub counts: [u32; 3],
    /// Number of times that SEARCH-EE went on to a face of one body.
    pub returns: u32,
}

dispatch!(search_wide, search_in, (pair: &Pair<'_, f64>, guide: Guide, start: Option<FeaturePair>, last: Phase) -> DualityResult);

/// Whether two cores overlap, from the features of the last pose, if there are any (section 4.4):
/// CD-DUALITY.
pub fn overlap_test(pair: &Pair<'_, f64>, start: Option<FeaturePair>) -> DualityResult {
    overlap_test_until(pair, start, Phase::EdgeEdge)
}

/// [`overlap_test`] without the searches after `last`: what each of them takes is measured so.
pub fn overlap_test_until(pair: &Pair<'_, f64>, start: Option<FeaturePair>, last: Phase) -> DualityResult {
    search_wide(pair, Guide::Point(inner_point(pair)), start, last)
}

/// The point within the difference from which the test looks through the origin (`c`): the
/// difference of the means of the vertices, in A's frame.
pub fn inner_point(pair: &Pair<'_, f64>) -> Vec3<f64> {
    Vec3::<f64>::from_f64(pair.a.mean) - pair.pose.point(pair.b.mean)
}

/// The face of the difference through which the line from the origin along `direction` (A's frame)
/// leaves it, if it meets the difference at all (section 6). Of a line that misses the difference
/// some face is found.
pub fn pierced_face(pair: &Pair<'_, f64>, direction: Vec3<f64>, start: Option<FeaturePair>) -> DualityResult {
    search_wide(pair, Guide::Direction(direction), start, Phase::EdgeEdge)
}

/// Whether a core has faces with arcs between them, or is a point.
fn is_searched(p: &Polyhedron) -> bool {
    p.dimension == 3 || p.dimension == 0
}

#[inline(always)]
fn search_in<S: Simd>(pair: &Pair<'_, f64>, guide: Guide, start: Option<FeaturePair>, last: Phase) -> DualityResult {
    let is_overlap_test = matches!(guide, Guide::Point(_));
    let mut test = OverlapTest { difference: Difference { pair, guide }, is_overlap_test, counts: [0; 3], returns: 0 };
    let is_pair = is_searched(pair.a) && is_searched(pair.b) && pair.a.dimension + pair.b.dimension > 0;
    let along = guide.along();
    if !is_pair || !along.is_finite() {
        return test.ended(SearchEnd::Stalled, None);
    }
    if along.length2() == 0.0 {
        return test.ended(SearchEnd::Overlap, None);
    }
    let face = test.search::<S>(start, last);
    let end = match is_overlap_test {
        true if test.is_decided(&face) => SearchEnd::Beyond,
        true => SearchEnd::Overlap,
        false if face.signed_distance > f64::NEG_INFINITY => SearchEnd::Converged,
        false => SearchEnd::Stalled,
    };
    test.ended(end, Some(face))
}

impl OverlapTest<'_> {
    fn ended(&self, end: SearchEnd, face: Option<DifferenceFace>) -> DualityResult {
        DualityResult { end, face, counts: self.counts, returns: self.returns }
    }

    /// The three searches.
    #[inline(always)]
    fn search<S: Simd>(&mut self, start: Option<FeaturePair>, last: Phase) -> DifferenceFace {
        let (a, b) = (self.difference.pair.a, self.difference.pair.b);
        let remembered = start.and_then(|features| self.remembered::<S>(features));
        if let Some(face) = remembered.filter(|face| self.is_decided(face)) {
            return face;
        }
        let mut best: Option<DifferenceFace> = None;
        if a.dimension == 3 {
            let first = match start {
                Some(features) => self.face_beside::<S>(features),
                None => self.first_face::<S>(FaceOwner::A),
            };
            best = Some(self.search_faces::<S>(FaceOwner::A, first));
        }
        let is_over = |best: &Option<DifferenceFace>, next| {
            best.as_ref().is_some_and(|best| self.is_decided(best) || last < next)
        };
        if b.dimension == 3 && !is_over(&best, Phase::VertexFace) {
            let first = match &best {
                Some(best) => {
                    let [face, vertex] = own_indices(FaceOwner::A, best);
                    let along = self.difference.in_frame(FaceOwner::B, best.normal);
                    self.face_at::<S>(FaceOwner::B, vertex, along, Some(a.face(face)[0]))
                }
                None => self.first_face::<S>(FaceOwner::B),
            };
            let found = self.search_faces::<S>(FaceOwner::B, first);
            best = best.filter(|best| best.signed_distance >= found.signed_distance).or(Some(found));
        }
        let best = best.expect("one of the cores is a solid");
        if a.dimension + b.dimension < 6 || last < Phase::EdgeEdge {
            return best;
        }
        self.search_edges::<S>(best)
    }

    /// The face that remembered features span at this pose; of edges that span none, the plane that
    /// is parallel to both.
    #[inline(always)]
    fn remembered<S: Simd>(&mut self, features: FeaturePair) -> Option<DifferenceFace> {
        let pair = self.difference.pair;
        let FeaturePair { a, b } = features;
        match (a.kind, b.kind) {
            (Face, Vertex) => Some(self.difference.of_face::<S>(FaceOwner::A, a.index, b.index)),
            (Vertex, Face) => Some(self.difference.of_face::<S>(FaceOwner::B, b.index, a.index)),
            (Edge, Edge) => {
                let [of_a, of_b] = [GaussArc::of(pair.a, a.index), GaussArc::of(pair.b, b.index)];
                let across = pair.pose.vector(of_b.edge).cross(of_a.edge);
                let turned = across.dot(of_a.ends[0] + of_a.ends[1]) < 0.0;
                let normal = if turned { -across } else { across };
                let near = [pair.a.edges[a.index as usize].v[0], pair.b.edges[b.index as usize].v[0]];
                (normal.length2() > 0.0).then(|| self.difference.supported::<S>(features, normal, near))
            }
            _ => None,
        }
    }

    /// The face of A nearest to remembered features, with the vertex of B that supports the
    /// difference along its normal.
    #[inline(always)]
    fn face_beside<S: Simd>(&mut self, FeaturePair { a: of_a, b: of_b }: FeaturePair) -> DifferenceFace {
        let (a, b) = (self.difference.pair.a, self.difference.pair.b);
        let near = of_b.first_vertex(b);
        self.counts[Phase::FaceVertex as usize] += 1;
        let of_face = |face: u32| self.difference.of_face::<S>(FaceOwner::A, face, near);
        match of_a.kind {
            Face => of_face(of_a.index),
            Edge => {
                let [left, right] = a.edges[of_a.index as usize].f.map(of_face);
                if right.signed_distance > left.signed_distance { right } else { left }
            }
            Vertex => {
                let along = match of_b.kind {
                    Face => -self.difference.pair.pose.vector(b.normals[of_b.index as usize]),
                    _ => self.difference.guide.along(),
                };
                self.face_at::<S>(FaceOwner::A, of_a.index, along, Some(near))
            }
        }
    }
}
