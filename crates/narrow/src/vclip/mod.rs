//! V-Clip: the closest features of two convex polyhedra, tracked from pose to pose.
//!
//! Source: Mirtich 1997, "V-Clip: fast and robust polyhedral collision detection", MERL TR97-05.
//! Two features hold the closest points if each closest point lies in the Voronoi region of the
//! other feature (Theorem 1). Where one does not, the plane that it violates names the neighbouring
//! feature to go on to. There is no tolerance.
//!
//! ```text
//! transition.rs       what a state decides
//! regions.rs          each body with its stored Voronoi planes, and the transform of the other body into its frame
//! plane_distances.rs  signed distances from four or eight planes at once
//! clip.rs             Algorithm 1: clip an edge against planes
//! states.rs           vertex-vertex, vertex-edge, vertex-face, edge-edge (Algorithms 4-7); Algorithm 2: the check of
//!                     derivatives; Algorithm 3: the escape from a local minimum
//! edge_face.rs        edge-face (Algorithm 8), and the descent along the boundary of a face
//! first_states.rs         the first states of many searches, interleaved
//! ```
//!
//! Departures from the paper; the reason for each stands beside the code:
//!
//! - Of several violated planes, the one violated most is followed.
//! - A walk from vertex to vertex passes over the edge states between them.
//! - The vertex planes of an edge are tested before its side planes.
//! - In the face-vertex state, an edge that leads towards the plane and pierces it counts as
//!   nearer.
//! - An edge beneath another edge goes on to the face on whose side its nearest point lies.
//! - An edge that crosses a face's prism goes on by a descent along the face's boundary.
//! - Where the closest points of two edges' lines, or of an edge and a vertex, violate a plane by
//!   far more than rounding, they alone decide the transition and no edge is clipped. The
//!   derivatives would decide the same, so this is no tolerance.
//!
//! Every argument is about exact planes; `regions.rs` says what the rounding of the stored planes
//! does to them.
//!
//! The search proves nothing: it hands a feature pair to the certificate. In exact numbers no state
//! comes back. In floating point one may; the cycle is detected, and the pair is handed down the
//! pair solver.

mod clip;
mod edge_face;
pub(super) mod first_states;
mod plane_distances;
mod regions;
mod states;
#[cfg(test)]
mod tests;
mod transition;

use super::feature::{Feature, FeaturePair};
use super::pair::Pair;
use super::search::SearchEnd;
use super::support;
use crate::feature::FeatureKind::{Edge, Face, Vertex};
use clearsweep_base::simd::{Portable, Simd, dispatch};
use clearsweep_geometry::planes::Planes;
use clearsweep_geometry::{Polyhedron, RelativePose, Vec3};
use regions::BodyView;
use transition::Transition;

/// States after which a search is given up. The most seen is 64 for disks of 120 vertices turning
/// by 25 degrees, and 139 from features on the far side of such a disk.
const LIMIT: u32 = 10_000;

/// The result of a search.
#[derive(Debug, Clone, Copy)]
pub struct VClipResult {
    /// End of the search: never [`SearchEnd::Beyond`].
    pub end: SearchEnd,
    /// The features at the end. If it converged, their kinds have a formula
    /// ([`FeaturePair::has_formula`]); if the cores overlap, they are witnesses of contact or
    /// overlap.
    pub features: FeaturePair,
    /// States visited. Vertices that a walk passes are not counted.
    pub iterations: u32,
}

/// The start of a search without memory: the vertex of each body farthest towards the other body's
/// origin.
pub fn cold_start(pair: &Pair<'_, f64>) -> FeaturePair {
    let t = pair.pose.t;
    let toward = if t == Vec3::ZERO { Vec3::new(1.0, 0.0, 0.0) } else { t };
    let ([a, b], _) = pair.support(toward, [0, 0]);
    FeaturePair { a: Feature::vertex(a), b: Feature::vertex(b) }
}

dispatch!(search_wide, search_in, (pair: &Pair<'_, f64>, start: FeaturePair) -> VClipResult);

/// Searches for the closest features from `start`, whose indices must be those of features of the
/// pair's cores.
pub fn search(pair: &Pair<'_, f64>, start: FeaturePair) -> VClipResult {
    search_wide(pair, start)
}

/// [`search`], inlined into code that was compiled for a level.
#[inline(always)]
fn search_in<S: Simd>(pair: &Pair<'_, f64>, start: FeaturePair) -> VClipResult {
    search_body::<S>(&regions::bodies(pair), start, unobserved)
}

/// [`search`], inlined into code that was compiled for a level; of cores with their planes at a
/// relative pose.
#[inline(always)]
pub(super) fn search_at<S: Simd>(
    [a, b]: [&Polyhedron; 2],
    planes: [&Planes; 2],
    pose: &RelativePose<f64>,
    start: FeaturePair,
) -> VClipResult {
    search_body::<S>(&regions::bodies_at(a, b, planes, pose), start, unobserved)
}

/// A cheaper start than [`cold_start`]: a vertex of each body far towards the other body's origin,
/// from the polyhedron's table of start vertices where it has one. The first state walks on from
/// there.
#[inline(always)]
pub(super) fn approximate_start<S: Simd>([a, b]: [&Polyhedron; 2], pose: &RelativePose<f64>) -> FeaturePair {
    let back = -pose.inverse_vector(pose.t);
    FeaturePair {
        a: Feature::vertex(approximate_support::<S>(a, pose.t)),
        b: Feature::vertex(approximate_support::<S>(b, back)),
    }
}

#[inline(always)]
fn approximate_support<S: Simd>(p: &Polyhedron, d: Vec3<f64>) -> u32 {
    match p.near(d) {
        Some(v) => v,
        None => support::support::<S>(p, d, 0).0,
    }
}

/// A function and not a closure: a closure would not be compiled for the level.
#[inline(always)]
fn unobserved(_: &FeaturePair) {}

/// [`search`] with the same steps; `observe` is called with each state before it is tested.
pub fn search_observed(pair: &Pair<'_, f64>, start: FeaturePair, observe: impl FnMut(&FeaturePair)) -> VClipResult {
    search_body::<Portable>(&regions::bodies(pair), start, observe)
}

#[inline(always)]
fn search_body<S: Simd>(
    bodies: &[BodyView<'_, S>; 2],
    start: FeaturePair,
    mut observe: impl FnMut(&FeaturePair),
) -> VClipResult {
    let mut features = start;
    // Brent's cycle detection: a state is kept for 1, 2, 4, 8, ... steps; in a cycle it comes back.
    let (mut kept, mut keep_next) = (start, 1);
    for iterations in 1..=LIMIT {
        observe(&features);
        match advance::<S>(bodies, &features) {
            Ok(next) => features = next,
            Err(end) => {
                debug_assert!(end != SearchEnd::Converged || features.has_formula(), "{features:?}");
                return VClipResult { end, features, iterations };
            }
        }
        if features == kept {
            return VClipResult { end: SearchEnd::Cycle, features, iterations };
        }
        if iterations == keep_next {
            (kept, keep_next) = (features, 2 * keep_next);
        }
    }
    VClipResult { end: SearchEnd::Stalled, features, iterations: LIMIT }
}

/// The next state, or the end.
#[inline(always)]
fn advance<S: Simd>([a, b]: &[BodyView<'_, S>; 2], features: &FeaturePair) -> Result<FeaturePair, SearchEnd> {
    // The feature of more dimensions is at home, so that each state is one piece of code.
    let home_is_b = features.a.kind < features.b.kind;
    let (home, other, f, g) = if home_is_b { (b, a, features.b, features.a) } else { (a, b, features.a, features.b) };
    let transition = match (f.kind, g.kind) {
        (Vertex, _) => states::vertex_vertex::<S>(home, other, f.index, g.index),
        (Edge, Vertex) => states::edge_vertex::<S>(home, other, f.index, g.index),
        (Edge, _) => states::edge_edge::<S>(home, other, f.index, g.index),
        (Face, Vertex) => states::face_vertex::<S>(home, other, f.index, g.index),
        (Face, Edge) => edge_face::face_edge::<S>(home, other, f.index, g.index),
        // No state of the algorithm, only a start: go on from a vertex of A's face.
        (Face, Face) => Transition::Home(Feature::vertex(home.polyhedron.face(f.index)[0])),
    };
    match transition {
        Transition::Converged => Err(SearchEnd::Converged),
        Transition::Overlap => Err(SearchEnd::Overlap),
        Transition::Home(feature) if home_is_b => Ok(FeaturePair { b: feature, ..*features }),
        Transition::Other(feature) if !home_is_b => Ok(FeaturePair { b: feature, ..*features }),
        Transition::Home(feature) | Transition::Other(feature) => Ok(FeaturePair { a: feature, ..*features }),
    }
}
