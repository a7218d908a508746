//! V-Clip: the closest features of two convex polyhedra, tracked from pose to pose.
//!
//! Source: Mirtich 1997, "V-Clip: fast and robust polyhedral collision detection", MERL TR97-05. Two features hold the
//! closest points if each closest point lies in the Voronoi region of the other feature (Theorem 1). Where it does
//! not, the plane that it lies beyond names the neighbouring feature to go on to. There is no tolerance.
//!
//! ```text
//! regions.rs    the planes between features, and each body seen from the other one's frame
//! clip.rs       Algorithm 1: what planes leave of an edge; Algorithm 2: where its nearest point is then
//! states.rs     vertex-vertex, vertex-edge, vertex-face, edge-edge; Algorithm 3: out of a local minimum
//! edge_face.rs  edge-face, and the walk around a face
//! ```
//!
//! It is only a search: what it finds is handed to the finisher and proven there. In exact numbers no state comes
//! back; in floating point one may, which is recognised, and the pair is handed down the ladder.

mod clip;
mod edge_face;
mod regions;
mod states;
#[cfg(test)]
mod tests;

use super::feature::{Feature, FeaturePair};
use super::pair::Pair;
use super::proximity::FeatureKind::{Edge, Face, Vertex};
use crate::geometry::Vec3;
use regions::View;

/// States after which a search is given up. The most seen is 87, for disks of 120 vertices turning by 25 degrees.
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
    /// States visited.
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

/// Searches from `start`, whose indices must be features of the pair's cores.
pub fn search(pair: &Pair<'_, f64>, start: FeaturePair) -> Found {
    search_observed(pair, start, |_| {})
}

/// As [`search`]; `observe` is told each state before it is tested.
pub fn search_observed(pair: &Pair<'_, f64>, start: FeaturePair, mut observe: impl FnMut(&FeaturePair)) -> Found {
    let mut features = start;
    // Brent's search for cycles: a state is kept for 1, 2, 4, 8, ... steps; in a cycle it comes back.
    let (mut kept, mut keep_next) = (start, 1);
    for iterations in 1..=LIMIT {
        observe(&features);
        let found = |end| Found { end, features, iterations };
        match advance(pair, &features) {
            Ok(next) => features = next,
            Err(end) => return found(end),
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
fn advance(pair: &Pair<'_, f64>, features: &FeaturePair) -> Result<FeaturePair, End> {
    let (i, j) = (features.a.index, features.b.index);
    let at_a = View::new(pair, true);
    let at_b = View::new(pair, false);
    let (view, step) = match (features.a.kind, features.b.kind) {
        (Vertex, Vertex) => (at_a, states::vertex_vertex(at_a, i, j)),
        (Edge, Vertex) => (at_a, states::edge_vertex(at_a, i, j)),
        (Vertex, Edge) => (at_b, states::edge_vertex(at_b, j, i)),
        (Face, Vertex) => (at_a, states::face_vertex(at_a, i, j)),
        (Vertex, Face) => (at_b, states::face_vertex(at_b, j, i)),
        (Edge, Edge) => (at_a, states::edge_edge(at_a, i, j)),
        (Face, Edge) => (at_a, edge_face::face_edge(at_a, i, j)),
        (Edge, Face) => (at_b, edge_face::face_edge(at_b, j, i)),
        // No state of the algorithm, only a start: from a vertex of A's face.
        (Face, Face) => (at_a, Step::Home(Feature::vertex(pair.a.face(i)[0]))),
    };
    match step {
        Step::Done => Err(End::Converged),
        Step::Pierced => Err(End::Penetration),
        Step::Home(feature) if view.of_a => Ok(FeaturePair { a: feature, ..*features }),
        Step::Other(feature) if !view.of_a => Ok(FeaturePair { a: feature, ..*features }),
        Step::Home(feature) | Step::Other(feature) => Ok(FeaturePair { b: feature, ..*features }),
    }
}
