//! The first states of many searches, side by side.
//!
//! A state of V-Clip waits: for the points in the other frame, for the planes, for the least of the distances, and last for
//! the branch that nobody can foretell. From the vertices that face each other most searches end among vertices and
//! between an edge and a vertex. So here those states are computed for all pairs before any of them is decided, and
//! the waits of one are filled by the work of the others. What comes to another state is left to a search of its own.
//!
//! Vertex-vertex is decided as by V-Clip. Of an edge and a vertex only the point of the edge nearest to the vertex is
//! asked, not the whole edge: what ends here is proven elsewhere, as all that is found.

use super::super::feature::Feature;
use super::super::pair::Pair;
use super::clip::NONE;
use super::{FeaturePair, lanes};
use crate::geometry::planes::VertexPlanes;
use crate::geometry::polyhedron::LANES;
use crate::geometry::{Polyhedron, Vec3};
use crate::simd::{Simd, V, dispatch};

/// Pairs that go side by side, at most: as many as a set has bits.
pub(in crate::narrow) const MOST: usize = 64;

/// Times that all pairs are gone through.
const ROUNDS: usize = 3;

/// Beyond the plane at the neighbour, too.
const PAST: u32 = 1 << 31;

/// What was computed of an edge and a vertex.
#[derive(Clone, Copy)]
struct EdgeVertex {
    /// Bit `i`: beyond plane `i` of the edge; bit 4: farther beyond the second face's than the first's.
    beyond: u8,
    /// See [`beyond`].
    incident_edge: u32,
}

/// Takes the pairs of a set (bit `k`: pair `k`) from a vertex of each body towards their closest features. Returns those that
/// did not get there, with features to go on from; and how many states were visited.
pub(in crate::narrow) fn approach(pairs: &[Pair<'_, f64>], features: &mut [FeaturePair; MOST], set: u64) -> (u64, u32) {
    approach_wide(pairs, features, set)
}

dispatch!(approach_wide, approach_body, (pairs: &[Pair<'_, f64>], features: &mut [FeaturePair; MOST], set: u64) -> (u64, u32));

/// Where the pairs are: bit by bit.
#[derive(Default)]
struct Sets {
    /// A vertex of each body.
    vertices: u64,
    /// An edge of A and a vertex of B.
    edge_a: u64,
    /// An edge of B and a vertex of A.
    edge_b: u64,
    /// Anything else.
    open: u64,
}

/// The bits that are set, in order.
#[inline(always)]
fn pop(set: &mut u64) -> Option<usize> {
    let k = set.trailing_zeros() as usize;
    *set &= set.wrapping_sub(1);
    (k < MOST).then_some(k)
}

#[inline(always)]
fn approach_body<S: Simd>(pairs: &[Pair<'_, f64>], features: &mut [FeaturePair; MOST], set: u64) -> (u64, u32) {
    let (mut sets, mut states) = (Sets { vertices: set, ..Sets::default() }, 0);
    let mut vertices = [[NONE; 2]; MOST];
    let mut edges = [EdgeVertex { beyond: 0, incident_edge: NONE }; MOST];
    for _ in 0..ROUNDS {
        let here = std::mem::take(&mut sets.vertices);
        states += here.count_ones();
        let mut left = here;
        while let Some(k) = pop(&mut left) {
            vertices[k] = vertex_vertex::<S>(&pairs[k], &features[k]);
        }
        left = here;
        while let Some(k) = pop(&mut left) {
            leave_vertices(&pairs[k], &mut features[k], vertices[k], 1 << k, &mut sets);
        }
        let [of_a, of_b] = [std::mem::take(&mut sets.edge_a), std::mem::take(&mut sets.edge_b)];
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
        if sets.vertices == 0 {
            break;
        }
    }
    (sets.open | sets.vertices, states)
}

/// The plane of vertex `v` that `x` lies farthest beyond, by its place, with [`PAST`]; [`NONE`] if it lies within all.
#[inline(always)]
fn beyond<S: Simd>(p: &Polyhedron, v: u32, x: Vec3<f64>) -> u32 {
    let x = Vec3::<V<S>>::from_f64(x);
    let [first, rest @ ..] = p.planes().vertex_planes(v) else { return NONE };
    let (mut least, mut at) = beyond_eight(first, x);
    // Few vertices have more neighbours.
    for (i, eight) in rest.iter().enumerate() {
        let (other, there) = beyond_eight(eight, x);
        if there != NONE && (at == NONE || other < least) {
            (least, at) = (other, there + ((i + 1) * LANES) as u32);
        }
    }
    at
}

/// The same of eight planes, and how far beyond. Without a branch, which would be foretold wrongly every other time.
#[inline(always)]
fn beyond_eight<S: Simd>(eight: &VertexPlanes, x: Vec3<V<S>>) -> (f64, u32) {
    let (along, sides) = lanes::of_vertex(eight, x);
    let least = sides.min_lane();
    let lane = lanes::place(sides, least);
    let past = u32::from(along.lt(V::load(&eight.far)).bits()) >> lane & 1;
    let within = u32::from(sides.lt(V::splat(0.0)).bits() == 0);
    (least, lane | past << 31 | within.wrapping_neg())
}

#[inline(always)]
fn seen_from_a(pair: &Pair<'_, f64>, of_b: Vec3<f64>) -> Vec3<f64> {
    pair.pose.point(of_b)
}

#[inline(always)]
fn seen_from_b(pair: &Pair<'_, f64>, of_a: Vec3<f64>) -> Vec3<f64> {
    pair.pose.inverse_vector(of_a - pair.pose.t)
}

#[inline(always)]
fn vertex_vertex<S: Simd>(pair: &Pair<'_, f64>, features: &FeaturePair) -> [u32; 2] {
    let (v, w) = (features.a.index, features.b.index);
    let (x, y) = (seen_from_a(pair, pair.b.vertex(w)), seen_from_b(pair, pair.a.vertex(v)));
    [beyond::<S>(pair.a, v, x), beyond::<S>(pair.b, w, y)]
}

/// As [`super::states::vertex_vertex`] goes on, one vertex at a time.
#[inline(always)]
fn leave_vertices(pair: &Pair<'_, f64>, features: &mut FeaturePair, [a, b]: [u32; 2], bit: u64, sets: &mut Sets) {
    if a != NONE && a & PAST != 0 {
        features.a = Feature::vertex(pair.a.neighbours_of(features.a.index)[(a & !PAST) as usize]);
        sets.vertices |= bit;
    } else if b != NONE && b & PAST != 0 {
        features.b = Feature::vertex(pair.b.neighbours_of(features.b.index)[(b & !PAST) as usize]);
        sets.vertices |= bit;
    } else if a != NONE {
        features.a = incident_edge(pair.a, features.a.index, a);
        sets.edge_a |= bit;
    } else if b != NONE {
        features.b = incident_edge(pair.b, features.b.index, b);
        sets.edge_b |= bit;
    }
}

/// One of the edges at vertex `v`.
#[inline(always)]
fn incident_edge(p: &Polyhedron, v: u32, at: u32) -> Feature {
    Feature::edge(p.neighbour_edges[(p.neighbour_start[v as usize] + (at & !PAST)) as usize])
}

/// An edge of A and a vertex of B, or (`OF_A` false) an edge of B and a vertex of A.
#[inline(always)]
fn edge_vertex<S: Simd, const OF_A: bool>(pair: &Pair<'_, f64>, features: &FeaturePair) -> EdgeVertex {
    let (home, other, e, v) = sides_of::<OF_A>(pair, features);
    let x = if OF_A { seen_from_a(pair, other.vertex(v)) } else { seen_from_b(pair, other.vertex(v)) };
    let four = home.planes().edge(e);
    let sides = Vec3::<V<S>>::twice(&four.normals).dot(Vec3::from_f64(x)) - V::twice(&four.offsets);
    let mut beyond_edge = sides.lt(V::splat(0.0)).bits() & 0x0f;
    let [tail, head, left, right, ..] = sides.lanes();
    beyond_edge |= u8::from(right < left) << 4;
    let [from, to] = home.edges[e as usize].v.map(|v| home.vertex(v));
    let nearest = from + (to - from).scale(tail / (tail + head));
    let nearest = if OF_A { seen_from_b(pair, nearest) } else { seen_from_a(pair, nearest) };
    EdgeVertex { beyond: beyond_edge, incident_edge: beyond::<S>(other, v, nearest) }
}

#[inline(always)]
fn sides_of<'a, const OF_A: bool>(
    pair: &Pair<'a, f64>,
    features: &FeaturePair,
) -> (&'a Polyhedron, &'a Polyhedron, u32, u32) {
    if OF_A {
        (pair.a, pair.b, features.a.index, features.b.index)
    } else {
        (pair.b, pair.a, features.b.index, features.a.index)
    }
}

/// As [`super::states::edge_vertex`] goes on, but for what is said above.
#[inline(always)]
fn leave_edge<const OF_A: bool>(
    pair: &Pair<'_, f64>,
    features: &mut FeaturePair,
    found: &EdgeVertex,
    bit: u64,
    sets: &mut Sets,
) {
    let (home, other, e, v) = sides_of::<OF_A>(pair, features);
    let (mine, others) = if OF_A { (&mut features.a, &mut features.b) } else { (&mut features.b, &mut features.a) };
    if found.beyond & 0x03 != 0 {
        *mine = Feature::vertex(home.edges[e as usize].v[usize::from(found.beyond & 0x01 == 0)]);
        sets.vertices |= bit;
    } else if found.beyond & 0x0c != 0 {
        *mine = Feature::face(home.edges[e as usize].f[usize::from(found.beyond >> 4)]);
        sets.open |= bit;
    } else if found.incident_edge != NONE {
        *others = incident_edge(other, v, found.incident_edge);
        sets.open |= bit;
    }
}
