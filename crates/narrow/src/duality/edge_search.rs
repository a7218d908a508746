//! SEARCH-EE: the faces that edge pairs span (Choi et al., section 3.3.3).
//!
//! On the Gauss map of the difference a face that two edges span lies where their arcs cross. Its
//! neighbours lie along both arcs: the next crossing, with the arc of an edge that shares a vertex
//! with the present one (Lemma 4), or the end of the arc, which is a face of one body. A face of A
//! with a vertex of B has its neighbours along the arcs of its edges: a crossing with the arc of an
//! edge at that vertex (Lemma 3), or again the end of the arc.

use super::arcs::GaussArc;
use super::difference::{DifferenceFace, FaceOwner};
use super::face_search::own_indices;
use super::walk::{OverlapTest, Phase};
use crate::feature::FeatureKind::{Edge, Face};
use clearsweep_base::simd::Simd;
use clearsweep_geometry::{Polyhedron, Vec3};
use smallvec::SmallVec;

/// Edges around a face or at a vertex: few of them, as a rule.
type EdgeIndices = SmallVec<[u32; 16]>;

/// Height, in rounding bounds E of the pair, by which vertices may lie below a support and still
/// support the difference, too.
const TIED: f64 = 1.0;

impl<'a> OverlapTest<'a> {
    /// Goes from face to face of the difference until no neighbour is better, from the better end
    /// of the searches of faces.
    #[inline(always)]
    pub(super) fn search_edges<S: Simd>(&mut self, start: DifferenceFace) -> DifferenceFace {
        let mut best = start;
        while !self.is_decided(&best) {
            let mut next = self.edge_pairs_around::<S>(&best);
            if next.signed_distance <= best.signed_distance && best.features.a.kind == Edge {
                next = self.arc_ends::<S>(&best);
                self.returns += u32::from(next.signed_distance > best.signed_distance);
            }
            if next.signed_distance <= best.signed_distance {
                break;
            }
            best = next;
        }
        best
    }

    /// The best of the edge pairs that may be neighbours of a face, or the face itself.
    #[inline(always)]
    fn edge_pairs_around<S: Simd>(&mut self, face: &DifferenceFace) -> DifferenceFace {
        let (a, b) = (self.difference.pair.a, self.difference.pair.b);
        let [of_a, of_b] = [face.features.a, face.features.b];
        match (of_a.kind, of_b.kind) {
            (Edge, _) => {
                let around = |p: &Polyhedron, edge: u32| {
                    let mut found = EdgeIndices::new();
                    let [tail, head] = p.edges[edge as usize].v;
                    found.extend(edges_at(p, tail).iter().chain(edges_at(p, head)).copied().filter(|&e| e != edge));
                    found
                };
                let best = self.best_pair::<S>(*face, &[of_a.index], &around(b, of_b.index));
                self.best_pair::<S>(best, &around(a, of_a.index), &[of_b.index])
            }
            (Face, _) => {
                let [face_a, vertex] = own_indices(FaceOwner::A, face);
                let at_vertex = self.edges_at_supports(FaceOwner::B, vertex, face.normal);
                self.best_pair::<S>(*face, edges_of_face(a, face_a), &at_vertex)
            }
            _ => {
                let [face_b, vertex] = own_indices(FaceOwner::B, face);
                let at_vertex = self.edges_at_supports(FaceOwner::A, vertex, face.normal);
                self.best_pair::<S>(*face, &at_vertex, edges_of_face(b, face_b))
            }
        }
    }

    /// The best face that an edge of A and one of B span, or `best` if none is better.
    #[inline(always)]
    fn best_pair<S: Simd>(&mut self, mut best: DifferenceFace, of_a: &[u32], of_b: &[u32]) -> DifferenceFace {
        let (pair, difference) = (self.difference.pair, self.difference);
        // The shorter list is turned into the frame of the longer one.
        if of_a.len() <= of_b.len() {
            for &i in of_a {
                let arc_a = GaussArc::of(pair.a, i).turned(|v| pair.pose.inverse_vector(v));
                for &j in of_b {
                    self.counts[Phase::EdgeEdge as usize] += 1;
                    let arc_b = GaussArc::of(pair.b, j).mirrored();
                    let found = difference.of_edges::<S>([i, j], [&arc_a, &arc_b], FaceOwner::B);
                    best = found.filter(|f| f.signed_distance > best.signed_distance).unwrap_or(best);
                }
            }
            return best;
        }
        for &j in of_b {
            let arc_b = GaussArc::of(pair.b, j).mirrored().turned(|v| pair.pose.vector(v));
            for &i in of_a {
                self.counts[Phase::EdgeEdge as usize] += 1;
                let found = difference.of_edges::<S>([i, j], [&GaussArc::of(pair.a, i), &arc_b], FaceOwner::A);
                best = found.filter(|f| f.signed_distance > best.signed_distance).unwrap_or(best);
            }
        }
        best
    }

    /// The best of the faces at the ends of the arcs of two edges: faces of one body with a vertex
    /// of the other one.
    #[inline(always)]
    fn arc_ends<S: Simd>(&mut self, face: &DifferenceFace) -> DifferenceFace {
        let mut best = *face;
        let edges = [
            (FaceOwner::A, face.features.a.index, face.features.b.index),
            (FaceOwner::B, face.features.b.index, face.features.a.index),
        ];
        for (home, own_edge, other_edge) in edges {
            let [own, other] = self.difference.bodies(home);
            let near = other.edges[other_edge as usize].v[0];
            for end in own.edges[own_edge as usize].f {
                self.counts[if home == FaceOwner::A { Phase::FaceVertex } else { Phase::VertexFace } as usize] += 1;
                let found = self.difference.of_face::<S>(home, end, near);
                if found.signed_distance > best.signed_distance {
                    best = found;
                }
            }
        }
        best
    }

    /// The edges at a supporting vertex of a body, and at the other vertices that support the
    /// difference along the normal to within rounding: where an edge or a face of the body is
    /// parallel to the face, the neighbours lie around all of them.
    #[inline(always)]
    fn edges_at_supports(&self, home: FaceOwner, vertex: u32, normal: Vec3<f64>) -> EdgeIndices {
        let [p, _] = self.difference.bodies(home);
        let along = self.difference.in_frame(home, normal);
        let least = p.vertex(vertex).dot(along) - TIED * self.difference.pair.bound() * along.length();
        let mut supports: SmallVec<[u32; 8]> = SmallVec::new();
        supports.push(vertex);
        let mut found = EdgeIndices::new();
        let mut next = 0;
        while let Some(&v) = supports.get(next) {
            next += 1;
            for (&neighbour, &edge) in p.neighbours_of(v).iter().zip(edges_at(p, v)) {
                let is_tied = p.vertex(neighbour).dot(along) >= least;
                if is_tied && !supports.contains(&neighbour) {
                    supports.push(neighbour);
                }
                if next == 1 || !found.contains(&edge) {
                    found.push(edge);
                }
            }
        }
        found
    }
}

/// The edges at a vertex.
#[inline(always)]
fn edges_at(p: &Polyhedron, v: u32) -> &[u32] {
    let v = v as usize;
    &p.neighbour_edges[p.neighbour_start[v] as usize..p.neighbour_start[v + 1] as usize]
}

/// The edges of a face.
#[inline(always)]
fn edges_of_face(p: &Polyhedron, face: u32) -> &[u32] {
    let face = face as usize;
    &p.face_edges[p.face_start[face] as usize..p.face_start[face + 1] as usize]
}
