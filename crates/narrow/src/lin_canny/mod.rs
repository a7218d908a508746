//! Lin-Canny: the closest features of two convex polyhedra by their closest points, tracked from
//! pose to pose.
//!
//! Source: Mirtich 1997, "Efficient algorithms for two-phase collision detection", MERL TR97-23,
//! section 3.1, which gives the algorithm of Lin and Canny 1991; for the interior Lin's survey
//! "Fast and accurate collision detection for virtual environments", section 5.1.
//!
//! A step computes the closest points of two features. If each lies in the Voronoi region of the
//! other feature, no two points of the polyhedra are nearer (Theorem 5). If one does not, the plane
//! that it violates names the neighbouring feature to go on to.
//!
//! ```text
//! regions.rs   each body with its stored Voronoi planes; a point against the region of a vertex, an edge, a face
//! interior.rs  the pseudo-Voronoi regions of the interior: a cone for each face
//! closest.rs   closest points of two edges, of an edge and a face
//! states.rs    a step in each of the six states
//! ```
//!
//! *Tolerance.* The closest points are computed and so rounded, and two tests on either side of a plane may contradict
//! each other: with exact signs the search comes back to a state where edges or faces are nearly
//! parallel. So a point counts as inside of a region up to [`TOLERANCE`]. The same length is the
//! collision epsilon of section 3.1: nearer closest points count as contact. A tolerance ends the
//! search at features that are only nearly the closest, the more so the nearer the bodies are.
//! `docs/papers/features.md` measures both. V-Clip (`vclip/`) compares signs of stored planes only
//! and needs none.
//!
//! Departures from the sources, each with its reason:
//!
//! - Of several violated planes, the one violated most is followed. The paper leaves the choice
//!   open.
//! - A search never ends at an edge and a face, or at two faces. Both states step to features of
//!   fewer dimensions that hold their closest points, also where the features are parallel: what
//!   has no closed formula cannot be certified. Parallel features are found by the certificate.
//! - A vertex behind a face walks from cone to cone until it is in front of a face, or behind the
//!   face of the cone that holds it: then it lies inside of the body, and the bodies overlap. The
//!   survey names the regions and gives no walk.
//! - An edge that meets a face is an overlap at once.
//!
//! *Termination.* In exact numbers, without tolerance and for bodies apart, the distance of the features falls at each
//! step, or stays and the features lose a dimension. The walk inside raises the gauge of the vertex
//! instead (`interior.rs`); where it leaves the body, the vertex is nearer to the body than it was
//! to the face behind which it was found, since the line from it to that face passes through the
//! body. In floating point a state may come back. The cycle is detected, and the pair is handed
//! down the pair solver. The search proves nothing: it hands a feature pair to the certificate.

mod closest;
mod interior;
mod regions;
mod states;
#[cfg(test)]
mod tests;

use super::feature::FeaturePair;
use super::pair::Pair;
use super::search::SearchEnd;
use crate::feature::FeatureKind::{Edge, Face, Vertex};
use clearsweep_geometry::planes::Planes;
use clearsweep_geometry::{Polyhedron, RelativePose};
use regions::VoronoiBody;
use states::FeatureStep;

/// The tolerance of the search, in shares of the size of the pair.
pub const TOLERANCE: f64 = 1e-13;

/// Steps after which a search is given up.
const LIMIT: u32 = 10_000;

/// The result of a search.
#[derive(Debug, Clone, Copy)]
pub struct LinCannyResult {
    /// End of the search: never [`SearchEnd::Beyond`].
    pub end: SearchEnd,
    /// The features at the end. If it converged, their kinds have a formula
    /// ([`FeaturePair::has_formula`]).
    pub features: FeaturePair,
    /// Pairs of features visited.
    pub iterations: u32,
    /// The distance of the closest points that the search computed, metres; no number unless it
    /// converged.
    pub distance: f64,
}

/// Searches for the closest features from `start`, whose indices must be those of features of the
/// pair's cores.
pub fn search(pair: &Pair<'_, f64>, start: FeaturePair) -> LinCannyResult {
    search_observed(pair, start, TOLERANCE, |_| {})
}

/// [`search`] of cores with their planes at a relative pose.
pub(super) fn search_at(
    cores: [&Polyhedron; 2],
    planes: [&Planes; 2],
    pose: &RelativePose<f64>,
    start: FeaturePair,
) -> LinCannyResult {
    let size = cores[0].radius + cores[1].radius + pose.t.length();
    search_body(&regions::bodies(cores, planes, pose, TOLERANCE * size), start, |_| {})
}

/// [`search`] with another tolerance, in shares of the size of the pair; `observe` is called with
/// each state before it is tested.
pub fn search_observed(
    pair: &Pair<'_, f64>,
    start: FeaturePair,
    tolerance: f64,
    observe: impl FnMut(&FeaturePair),
) -> LinCannyResult {
    let planes = [pair.a.planes(), pair.b.planes()];
    search_body(&regions::bodies([pair.a, pair.b], planes, &pair.pose, tolerance * pair.size), start, observe)
}

fn search_body(
    bodies: &[VoronoiBody<'_>; 2],
    start: FeaturePair,
    mut observe: impl FnMut(&FeaturePair),
) -> LinCannyResult {
    let mut features = start;
    // Brent's cycle detection: a state is kept for 1, 2, 4, 8, ... steps; in a cycle it comes back.
    let (mut kept, mut keep_next) = (start, 1);
    for iterations in 1..=LIMIT {
        observe(&features);
        match advance(bodies, &features) {
            Ok(next) => features = next,
            Err((end, distance)) => return LinCannyResult { end, features, iterations, distance },
        }
        if features == kept {
            return LinCannyResult { end: SearchEnd::Cycle, features, iterations, distance: f64::NAN };
        }
        if iterations == keep_next {
            (kept, keep_next) = (features, 2 * keep_next);
        }
    }
    LinCannyResult { end: SearchEnd::Stalled, features, iterations: LIMIT, distance: f64::NAN }
}

/// The next state, or the end and the distance of the closest points, if it has one.
fn advance([a, b]: &[VoronoiBody<'_>; 2], features: &FeaturePair) -> Result<FeaturePair, (SearchEnd, f64)> {
    // The feature of more dimensions is at home, so that each state is one piece of code.
    let home_is_b = features.a.kind < features.b.kind;
    let (home, other, f, g) = if home_is_b { (b, a, features.b, features.a) } else { (a, b, features.a, features.b) };
    let step = match (f.kind, g.kind) {
        (Vertex, _) => states::vertex_vertex(home, other, f.index, g.index),
        (Edge, Vertex) => states::edge_vertex(home, other, f.index, g.index),
        (Edge, _) => states::edge_edge(home, other, f.index, g.index),
        (Face, Vertex) => states::face_vertex(home, other, f.index, g.index),
        (Face, Edge) => states::face_edge(home, other, f.index, g.index),
        (Face, Face) => states::face_face(home, other, f.index, g.index),
    };
    match step {
        FeatureStep::Converged(distance) => Err((SearchEnd::Converged, distance)),
        FeatureStep::Overlap => Err((SearchEnd::Overlap, f64::NAN)),
        FeatureStep::Home(feature) if home_is_b => Ok(FeaturePair { b: feature, ..*features }),
        FeatureStep::Other(feature) if !home_is_b => Ok(FeaturePair { b: feature, ..*features }),
        FeatureStep::Home(feature) | FeatureStep::Other(feature) => Ok(FeaturePair { a: feature, ..*features }),
    }
}
