//! V-Clip: the closest features of two convex polyhedra, tracked from pose to pose.
//!
//! Source: Mirtich 1997, "V-Clip: fast and robust polyhedral collision detection", MERL TR97-05. Two features hold the
//! closest points if each closest point lies in the Voronoi region of the other feature (Theorem 1). Where it does
//! not, the plane that it lies beyond names the neighbouring feature to go on to. There is no tolerance.
//!
//! ```text
//! regions.rs    each body with its stored Voronoi planes, and the other one as seen from its frame
//! lanes.rs      the signed distances from four or eight planes at once
//! clip.rs       Algorithm 1: what planes leave of an edge
//! states.rs     vertex-vertex, vertex-edge, vertex-face, edge-edge; Algorithm 2: where an edge's nearest point is;
//!               Algorithm 3: out of a local minimum
//! edge_face.rs  edge-face, and the walk around a face
//! approach.rs   the first states of many searches, side by side
//! ```
//!
//! Where it departs from the paper, the reason stands beside it: of several planes that are violated it takes the
//! farthest, it passes vertices by where the next state would, it asks vertices before edges, an edge that leads to a
//! plane from beyond it counts as nearer, an edge beneath another one goes on to the right face, and one that crosses
//! a face's prism goes on by a walk around the face. Where the nearest points of two edges' lines, or of an edge and a
//! vertex, lie beyond a plane by far more than rounding, they alone say where to go on to, and no edge is clipped: the
//! derivatives would say the same, so this is a short cut and no tolerance. All arguments are about exact planes; what the rounding of the
//! stored ones does to them is said in `regions.rs`.
//!
//! It is only a search: what it finds is handed to the finisher and proven there. In exact numbers no state comes
//! back; in floating point one may, which is recognised, and the pair is handed down the ladder.

pub(super) mod approach;
mod clip;
mod edge_face;
mod lanes;
mod regions;
mod states;
#[cfg(test)]
mod tests;

use super::feature::{Feature, FeaturePair};
use super::pair::Pair;
use super::proximity::FeatureKind::{Edge, Face, Vertex};
use super::support;
use crate::geometry::planes::Planes;
use crate::geometry::{Polyhedron, RelativePose, Vec3};
use crate::simd::{Portable, Simd, dispatch};
use regions::Body;

/// States after which a search is given up. The most seen is 64 for disks of 120 vertices turning by 25 degrees, and 139
/// from features on the far side of such a disk.
const LIMIT: u32 = 10_000;

/// How a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The features hold the closest points, up to rounding.
    Converged,
    /// An edge pierces a face, a vertex lies inside, or the features meet: they are witnesses of contact or overlap.
    Penetration,
    /// A state came back: its tests contradict each other by rounding.
    Cycle,
    /// The limit was reached.
    Stalled,
}

/// What a search found.
#[derive(Debug, Clone, Copy)]
pub struct Found {
    /// How it ended.
    pub end: End,
    /// The features at the end: of kinds that have a formula if it converged.
    pub features: FeaturePair,
    /// States visited; vertices that were passed by are none.
    pub iterations: u32,
}

/// What a state decides.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Step {
    /// The closest points are found.
    Done,
    /// The bodies overlap or touch.
    Pierced,
    /// The feature of the body at home becomes this.
    Home(Feature),
    /// The feature of the other body becomes this.
    Other(Feature),
}

/// A feature pair to start from without memory: the vertices of both bodies farthest towards each other's origin.
pub fn cold_start(pair: &Pair<'_, f64>) -> FeaturePair {
    let t = pair.pose.t;
    let toward = if t == Vec3::ZERO { Vec3::new(1.0, 0.0, 0.0) } else { t };
    let ([a, b], _) = pair.support(toward, [0, 0]);
    FeaturePair { a: Feature::vertex(a), b: Feature::vertex(b) }
}

dispatch!(search_wide, search_in, (pair: &Pair<'_, f64>, start: FeaturePair) -> Found);

/// Searches from `start`, whose indices must be features of the pair's cores.
pub fn search(pair: &Pair<'_, f64>, start: FeaturePair) -> Found {
    search_wide(pair, start)
}

/// [`search`] in code that was compiled for a level.
#[inline(always)]
fn search_in<S: Simd>(pair: &Pair<'_, f64>, start: FeaturePair) -> Found {
    search_body::<S>(&regions::bodies(pair), start, unobserved)
}

/// [`search`] in code that was compiled for a level, of cores with their planes at a relative pose.
#[inline(always)]
pub(super) fn search_at<S: Simd>(
    [a, b]: [&Polyhedron; 2],
    planes: [&Planes; 2],
    pose: &RelativePose<f64>,
    start: FeaturePair,
) -> Found {
    search_body::<S>(&regions::bodies_at(a, b, planes, pose), start, unobserved)
}

/// A feature pair to start from without memory: a vertex of each body, far towards the other one's origin. Where a table of
/// starts says which, it is that one: the first state goes on from there.
#[inline(always)]
pub(super) fn on_the_line<S: Simd>([a, b]: [&Polyhedron; 2], pose: &RelativePose<f64>) -> FeaturePair {
    let back = -pose.inverse_vector(pose.t);
    FeaturePair { a: Feature::vertex(towards::<S>(a, pose.t)), b: Feature::vertex(towards::<S>(b, back)) }
}

#[inline(always)]
fn towards<S: Simd>(p: &Polyhedron, d: Vec3<f64>) -> u32 {
    match p.near(d) {
        Some(v) => v,
        None => support::support::<S>(p, d, 0).0,
    }
}

/// No closure: it would not be compiled for the level.
#[inline(always)]
fn unobserved(_: &FeaturePair) {}

/// As [`search`], step by step the same; `observe` is told each state before it is tested.
pub fn search_observed(pair: &Pair<'_, f64>, start: FeaturePair, observe: impl FnMut(&FeaturePair)) -> Found {
    search_body::<Portable>(&regions::bodies(pair), start, observe)
}

#[inline(always)]
fn search_body<S: Simd>(bodies: &[Body<'_, S>; 2], start: FeaturePair, mut observe: impl FnMut(&FeaturePair)) -> Found {
    let mut features = start;
    // Brent's search for cycles: a state is kept for 1, 2, 4, 8, ... steps; in a cycle it comes back.
    let (mut kept, mut keep_next) = (start, 1);
    for iterations in 1..=LIMIT {
        observe(&features);
        match advance::<S>(bodies, &features) {
            Ok(next) => features = next,
            Err(end) => return Found { end, features, iterations },
        }
        if features == kept {
            return Found { end: End::Cycle, features, iterations };
        }
        if iterations == keep_next {
            (kept, keep_next) = (features, 2 * keep_next);
        }
    }
    Found { end: End::Stalled, features, iterations: LIMIT }
}

/// The next state, or the end.
#[inline(always)]
fn advance<S: Simd>([a, b]: &[Body<'_, S>; 2], features: &FeaturePair) -> Result<FeaturePair, End> {
    // At home is the feature of more dimensions, so that each state is one piece of code.
    let of_b = features.a.kind < features.b.kind;
    let (home, other, f, g) = if of_b { (b, a, features.b, features.a) } else { (a, b, features.a, features.b) };
    let step = match (f.kind, g.kind) {
        (Vertex, _) => states::vertex_vertex::<S>(home, other, f.index, g.index),
        (Edge, Vertex) => states::edge_vertex::<S>(home, other, f.index, g.index),
        (Edge, _) => states::edge_edge::<S>(home, other, f.index, g.index),
        (Face, Vertex) => states::face_vertex::<S>(home, other, f.index, g.index),
        (Face, Edge) => edge_face::face_edge::<S>(home, other, f.index, g.index),
        // No state of the algorithm, only a start: from a vertex of A's face.
        (Face, Face) => Step::Home(Feature::vertex(home.polyhedron.face(f.index)[0])),
    };
    match step {
        Step::Done => Err(End::Converged),
        Step::Pierced => Err(End::Penetration),
        Step::Home(feature) if of_b => Ok(FeaturePair { b: feature, ..*features }),
        Step::Other(feature) if !of_b => Ok(FeaturePair { b: feature, ..*features }),
        Step::Home(feature) | Step::Other(feature) => Ok(FeaturePair { a: feature, ..*features }),
    }
}
