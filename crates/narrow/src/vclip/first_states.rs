//! The first states of many searches, interleaved.
//!
//! A state of V-Clip is a chain of latencies: points transformed into the other frame, planes
//! loaded, the least signed distance, and last a branch that no predictor knows. From the vertices
//! that face each other most searches end in the vertex-vertex or the edge-vertex state. Here each
//! of these states is computed for all pairs before any of them is decided, so that the latencies
//! of one pair are filled with the work of the others. A pair that comes to another state is left
//! to a search of its own.
//!
//! Vertex-vertex is decided as in `states.rs`. In edge-vertex only the point of the edge nearest to
//! the vertex is tested, and no edge is clipped: the certificate proves what ends here, like every
//! result of a search.

use super::clip::NONE;
use super::plane_distances::{lane_of_least, to_four, to_vertex_planes};
use crate::feature::{Feature, FeaturePair};
use crate::pair::Pair;
use clearsweep_base::simd::{Simd, V, dispatch};
use clearsweep_geometry::planes::VertexPlanes;
use clearsweep_geometry::polyhedron::LANES;
use clearsweep_geometry::{Polyhedron, Vec3};

/// Most pairs of one call: as many as a set has bits.
pub(crate) const MAX_PAIRS: usize = 64;

/// Rounds over all pairs; each visits the vertex-vertex and the edge-vertex states once.
const ROUNDS: usize = 3;

/// Flag beside a plane's place: the point also violates the parallel plane at the neighbour.
const BEYOND_NEIGHBOUR: u32 = 1 << 31;

/// The tests of one edge-vertex state.
#[derive(Clone, Copy)]
struct EdgeVertex {
    /// Bits 0 to 3: which planes of the edge the vertex violates; bit 4: it violates the second
    /// face's more than the first's.
    violated: u8,
    /// The plane of the vertex that the nearest point of the edge violates most: see
    /// [`most_violated`].
    incident_edge: u32,
}

/// Advances the pairs of a set (bit `k`: pair `k`) from a vertex of each body towards their closest
/// features.
///
/// Returns the set of those that did not get there, with `features` to go on from, and the number
/// of states visited.
pub(crate) fn first_states(pairs: &[Pair<'_, f64>], features: &mut [FeaturePair; MAX_PAIRS], set: u64) -> (u64, u32) {
    approach_wide(pairs, features, set)
}

dispatch!(approach_wide, approach_body, (pairs: &[Pair<'_, f64>], features: &mut [FeaturePair; MAX_PAIRS], set: u64) -> (u64, u32));

/// The states that the pairs are in: bit `k` stands for pair `k`. A pair in no set has converged.
#[derive(Default)]
struct StateSets {
    /// A vertex of each body.
    vertex_vertex: u64,
    /// An edge of A and a vertex of B.
    edge_vertex: u64,
    /// A vertex of A and an edge of B.
    vertex_edge: u64,
    /// Any other state.
    other: u64,
}

/// Removes the lowest bit of a set and returns its number.
#[inline(always)]
fn pop(set: &mut u64) -> Option<usize> {
    let k = set.trailing_zeros() as usize;
    *set &= set.wrapping_sub(1);
    (k < MAX_PAIRS).then_some(k)
}

#[inline(always)]
fn approach_body<S: Simd>(pairs: &[Pair<'_, f64>], features: &mut [FeaturePair; MAX_PAIRS], set: u64) -> (u64, u32) {
    let (mut sets, mut states) = (StateSets { vertex_vertex: set, ..StateSets::default() }, 0);
    let mut vertices = [[NONE; 2]; MAX_PAIRS];
    let mut edges = [EdgeVertex { violated: 0, incident_edge: NONE }; MAX_PAIRS];
    for _ in 0..ROUNDS {
        let here = std::mem::take(&mut sets.vertex_vertex);
        states += here.count_ones();
        let mut left = here;
        while let Some(k) = pop(&mut left) {
            vertices[k] = vertex_vertex::<S>(&pairs[k], &features[k]);
        }
        left = here;
        while let Some(k) = pop(&mut left) {
            leave_vertices(&pairs[k], &mut features[k], vertices[k], 1 << k, &mut sets);
        }
        let [of_a, of_b] = [std::mem::take(&mut sets.edge_vertex), std::mem::take(&mut sets.vertex_edge)];
        states += of_a.count_ones() + of_b.count_ones();
        left = of_a;
        while let Some(k) = pop(&mut left) {
            edges[k] = edge_vertex::<S, true>(&pairs[k], &features[k]);
        }
        left = of_b;
        while let Some(k) = pop(&mut left) {
            edges[k] = edge_vertex::<S, false>(&pairs[k], &features[k]);
        }
        left = of_a;
        while let Some(k) = pop(&mut left) {
            leave_edge::<true>(&pairs[k], &mut features[k], &edges[k], 1 << k, &mut sets);
        }
        left = of_b;
        while let Some(k) = pop(&mut left) {
            leave_edge::<false>(&pairs[k], &mut features[k], &edges[k], 1 << k, &mut sets);
        }
        if sets.vertex_vertex == 0 {
            break;
        }
    }
    (sets.other | sets.vertex_vertex, states)
}

/// The plane of vertex `v` that `x` violates most, by its place among the incident edges, with the
/// flag [`BEYOND_NEIGHBOUR`]; [`NONE`] if `x` lies in the region of `v`.
#[inline(always)]
fn most_violated<S: Simd>(p: &Polyhedron, v: u32, x: Vec3<f64>) -> u32 {
    let x = Vec3::<V<S>>::from_f64(x);
    let [first, rest @ ..] = p.planes().vertex_planes(v) else { return NONE };
    let (mut least, mut at) = most_violated_of_eight(first, x);
    // Few vertices have more than eight neighbours.
    for (i, eight) in rest.iter().enumerate() {
        let (other, there) = most_violated_of_eight(eight, x);
        if there != NONE && (at == NONE || other < least) {
            (least, at) = (other, there + ((i + 1) * LANES) as u32);
        }
    }
    at
}

/// [`most_violated`] of eight planes, and the signed distance from that plane. Branch-free: no
/// predictor knows the outcome.
#[inline(always)]
fn most_violated_of_eight<S: Simd>(eight: &VertexPlanes, x: Vec3<V<S>>) -> (f64, u32) {
    let (height, distance) = to_vertex_planes(eight, x);
    let least = distance.min_lane();
    let lane = lane_of_least(distance, least);
    let past = u32::from(height.lt(V::load(&eight.neighbour_offsets)).bits()) >> lane & 1;
    let within = u32::from(distance.lt(V::splat(0.0)).bits() == 0);
    (least, lane | past << 31 | within.wrapping_neg())
}

#[inline(always)]
fn to_frame_of_a(pair: &Pair<'_, f64>, of_b: Vec3<f64>) -> Vec3<f64> {
    pair.pose.point(of_b)
}

#[inline(always)]
fn to_frame_of_b(pair: &Pair<'_, f64>, of_a: Vec3<f64>) -> Vec3<f64> {
    pair.pose.inverse_vector(of_a - pair.pose.t)
}

#[inline(always)]
fn vertex_vertex<S: Simd>(pair: &Pair<'_, f64>, features: &FeaturePair) -> [u32; 2] {
    let (v, w) = (features.a.index, features.b.index);
    let (x, y) = (to_frame_of_a(pair, pair.b.vertex(w)), to_frame_of_b(pair, pair.a.vertex(v)));
    [most_violated::<S>(pair.a, v, x), most_violated::<S>(pair.b, w, y)]
}

/// The transition of `states::vertex_vertex`, one vertex at a time.
#[inline(always)]
fn leave_vertices(pair: &Pair<'_, f64>, features: &mut FeaturePair, [a, b]: [u32; 2], bit: u64, sets: &mut StateSets) {
    if a != NONE && a & BEYOND_NEIGHBOUR != 0 {
        features.a = Feature::vertex(pair.a.neighbours_of(features.a.index)[(a & !BEYOND_NEIGHBOUR) as usize]);
        sets.vertex_vertex |= bit;
    } else if b != NONE && b & BEYOND_NEIGHBOUR != 0 {
        features.b = Feature::vertex(pair.b.neighbours_of(features.b.index)[(b & !BEYOND_NEIGHBOUR) as usize]);
        sets.vertex_vertex |= bit;
    } else if a != NONE {
        features.a = incident_edge(pair.a, features.a.index, a);
        sets.edge_vertex |= bit;
    } else if b != NONE {
        features.b = incident_edge(pair.b, features.b.index, b);
        sets.vertex_edge |= bit;
    }
}

/// The incident edge of vertex `v` at a place.
#[inline(always)]
fn incident_edge(p: &Polyhedron, v: u32, at: u32) -> Feature {
    Feature::edge(p.neighbour_edges[(p.neighbour_start[v as usize] + (at & !BEYOND_NEIGHBOUR)) as usize])
}

/// The tests of an edge of A and a vertex of B, or (`OF_A` false) of an edge of B and a vertex of
/// A.
#[inline(always)]
fn edge_vertex<S: Simd, const OF_A: bool>(pair: &Pair<'_, f64>, features: &FeaturePair) -> EdgeVertex {
    let (home, other, e, v) = home_and_other::<OF_A>(pair, features);
    debug_assert_eq!(if OF_A { features.b.kind } else { features.a.kind }, crate::feature::FeatureKind::Vertex);
    let x = if OF_A { to_frame_of_a(pair, other.vertex(v)) } else { to_frame_of_b(pair, other.vertex(v)) };
    let distance = to_four::<S>(home.planes().edge(e), Vec3::from_f64(x));
    let mut violated = distance.lt(V::splat(0.0)).bits() & 0x0f;
    let [tail, head, left, right, ..] = distance.lanes();
    violated |= u8::from(right < left) << 4;
    let [from, to] = home.edges[e as usize].v.map(|v| home.vertex(v));
    let nearest = from + (to - from).scale(tail / (tail + head));
    let nearest = if OF_A { to_frame_of_b(pair, nearest) } else { to_frame_of_a(pair, nearest) };
    EdgeVertex { violated, incident_edge: most_violated::<S>(other, v, nearest) }
}

/// The body of the edge, the body of the vertex, the edge and the vertex.
#[inline(always)]
fn home_and_other<'a, const OF_A: bool>(
    pair: &Pair<'a, f64>,
    features: &FeaturePair,
) -> (&'a Polyhedron, &'a Polyhedron, u32, u32) {
    if OF_A {
        (pair.a, pair.b, features.a.index, features.b.index)
    } else {
        (pair.b, pair.a, features.b.index, features.a.index)
    }
}

/// The transition of `states::edge_vertex`, but for the clipping.
#[inline(always)]
fn leave_edge<const OF_A: bool>(
    pair: &Pair<'_, f64>,
    features: &mut FeaturePair,
    found: &EdgeVertex,
    bit: u64,
    sets: &mut StateSets,
) {
    let (home, other, e, v) = home_and_other::<OF_A>(pair, features);
    let (mine, others) = if OF_A { (&mut features.a, &mut features.b) } else { (&mut features.b, &mut features.a) };
    if found.violated & 0x03 != 0 {
        *mine = Feature::vertex(home.edges[e as usize].v[usize::from(found.violated & 0x01 == 0)]);
        sets.vertex_vertex |= bit;
    } else if found.violated & 0x0c != 0 {
        *mine = Feature::face(home.edges[e as usize].f[usize::from(found.violated >> 4)]);
        sets.other |= bit;
    } else if found.incident_edge != NONE {
        *others = incident_edge(other, v, found.incident_edge);
        sets.other |= bit;
    }
}
