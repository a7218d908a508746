//! The states of the search: the closest points of two features, each tested against the Voronoi
//! region of the other feature (Mirtich 1997, two-phase, section 3.1, steps 1 to 3).

use super::closest::{self, NearestOnFace};
use super::interior::beyond_cone;
use super::regions::VoronoiBody;
use crate::feature::Feature;
use clearsweep_geometry::Vec3;

/// Decision of a state. The body at *home* is the one whose feature has more dimensions (A if both
/// have as many); the other feature belongs to the *other* body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum FeatureStep {
    /// Both closest points lie in the region of the other feature (Theorem 5); their distance,
    /// metres.
    Converged(f64),
    /// The bodies overlap, or touch to within the tolerance.
    Overlap,
    /// The feature of the body at home becomes this.
    Home(Feature),
    /// The feature of the other body becomes this.
    Other(Feature),
}

/// Vertex `v` at home and vertex `w` of the other body.
pub(super) fn vertex_vertex(home: &VoronoiBody<'_>, other: &VoronoiBody<'_>, v: u32, w: u32) -> FeatureStep {
    let (here, there) = (home.polyhedron.vertex(v), home.vertex_of(other, w));
    if let Some(edge) = home.beyond_vertex(v, there) {
        return FeatureStep::Home(edge);
    }
    if let Some(edge) = other.beyond_vertex(w, other.vertex_of(home, v)) {
        return FeatureStep::Other(edge);
    }
    at_distance(home, here, there)
}

/// Edge `e` at home and vertex `v` of the other body.
pub(super) fn edge_vertex(home: &VoronoiBody<'_>, other: &VoronoiBody<'_>, e: u32, v: u32) -> FeatureStep {
    let there = home.vertex_of(other, v);
    if let Some(neighbour) = home.beyond_edge(e, there) {
        return FeatureStep::Home(neighbour);
    }
    let here = closest::on_edge(there, home.ends(e));
    if let Some(edge) = other.beyond_vertex(v, other.other.point(here)) {
        return FeatureStep::Other(edge);
    }
    at_distance(home, here, there)
}

/// Edge `e` at home and edge `g` of the other body.
pub(super) fn edge_edge(home: &VoronoiBody<'_>, other: &VoronoiBody<'_>, e: u32, g: u32) -> FeatureStep {
    let [here, there] = closest::of_edges(home.ends(e), home.edge_of(other, g));
    if let Some(neighbour) = home.beyond_edge(e, there) {
        return FeatureStep::Home(neighbour);
    }
    if let Some(neighbour) = other.beyond_edge(g, other.other.point(here)) {
        return FeatureStep::Other(neighbour);
    }
    at_distance(home, here, there)
}

/// Face `f` at home and vertex `v` of the other body. Behind the face, the search walks through the
/// interior.
pub(super) fn face_vertex(home: &VoronoiBody<'_>, other: &VoronoiBody<'_>, f: u32, v: u32) -> FeatureStep {
    let (there, plane) = (home.vertex_of(other, v), home.planes.support(f));
    let height = plane.side(there);
    if height < 0.0 {
        return match beyond_cone(home.polyhedron, f, there) {
            Some(face) => FeatureStep::Home(Feature::face(face)),
            None => FeatureStep::Overlap,
        };
    }
    if let Some(edge) = home.beyond_sides(f, there) {
        return FeatureStep::Home(edge);
    }
    let foot = there - plane.normal.scale(height);
    match other.beyond_vertex(v, other.other.point(foot)) {
        _ if height <= home.tolerance => FeatureStep::Overlap,
        Some(edge) => FeatureStep::Other(edge),
        None => FeatureStep::Converged(height),
    }
}

/// Face `f` at home and edge `e` of the other body: on to the features that hold their closest
/// points. The distance stays the same and a feature loses a dimension.
pub(super) fn face_edge(home: &VoronoiBody<'_>, other: &VoronoiBody<'_>, f: u32, e: u32) -> FeatureStep {
    match closest::of_face_and_edge(home, f, home.edge_of(other, e)).0 {
        NearestOnFace::Meets => FeatureStep::Overlap,
        NearestOnFace::End(end) => FeatureStep::Other(Feature::vertex(other.polyhedron.edges[e as usize].v[end])),
        NearestOnFace::Boundary(edge) => FeatureStep::Home(Feature::edge(edge)),
    }
}

/// Face `f` at home and face `g` of the other body: on to the boundary edge of either that is
/// nearest to the other face. Two faces that do not meet are nearest to each other at a boundary
/// edge of one of them, and two that meet do so there, too.
pub(super) fn face_face(home: &VoronoiBody<'_>, other: &VoronoiBody<'_>, f: u32, g: u32) -> FeatureStep {
    let mut best = (f64::INFINITY, FeatureStep::Overlap);
    for &e in other.boundary(g) {
        let distance = closest::of_face_and_edge(home, f, home.edge_of(other, e)).1;
        if distance < best.0 {
            best = (distance, FeatureStep::Other(Feature::edge(e)));
        }
    }
    for &e in home.boundary(f) {
        let distance = closest::of_face_and_edge(other, g, other.edge_of(home, e)).1;
        if distance < best.0 {
            best = (distance, FeatureStep::Home(Feature::edge(e)));
        }
    }
    best.1
}

/// The end of a search whose closest points lie in both regions.
fn at_distance(home: &VoronoiBody<'_>, here: Vec3<f64>, there: Vec3<f64>) -> FeatureStep {
    let distance = (there - here).length();
    if distance <= home.tolerance { FeatureStep::Overlap } else { FeatureStep::Converged(distance) }
}
