//! The states of Figure 2 (Mirtich 1997) but the edge-face one: vertex-vertex, vertex-edge, vertex-face, edge-edge.

use super::super::feature::Feature;
use super::super::proximity::FeatureKind;
use super::Step;
use super::clip::{Clip, Cut, Slope, slope_to_neighbour, slope_to_vertex};
use super::regions::{Segment, View, edges_at, edges_of, face_edge_plane, faces_beside, support_plane, vertex_plane};
use crate::geometry::{Polyhedron, Vec3};

/// Vertex `v` at home, vertex `w` of the other body: is each in the other one's region (Algorithm 4)?
pub(super) fn vertex_vertex(view: View<'_, '_>, v: u32, w: u32) -> Step {
    if let Some(edge) = edge_towards(view.home(), v, view.other_vertex(w)) {
        return Step::Home(edge);
    }
    match edge_towards(view.other(), w, view.flipped().other_vertex(v)) {
        Some(edge) => Step::Other(edge),
        None => Step::Done,
    }
}

/// An edge at vertex `v` beyond whose Voronoi plane `x` lies.
fn edge_towards(home: &Polyhedron, v: u32, x: Vec3<f64>) -> Option<Feature> {
    edges_at(home, v).find(|&(w, _)| vertex_plane(home, v, w).side(x) > 0.0).map(|(_, e)| Feature::edge(e))
}

/// Edge `e` at home, vertex `v` of the other body (Algorithm 5).
pub(super) fn edge_vertex(view: View<'_, '_>, e: u32, v: u32) -> Step {
    if let Some(neighbour) = beyond_edge(view.home(), e, view.other_vertex(v)) {
        return Step::Home(neighbour);
    }
    let back = view.flipped();
    match clip_against_vertex(back.home(), v, &back.other_edge(e)) {
        Slope::Of(edge) => Step::Other(edge),
        Slope::Touching => Step::Pierced,
        Slope::None => Step::Done,
    }
}

/// The neighbour of edge `e` beyond whose plane `x` lies. The planes of the vertices come first: beyond those of the
/// faces, what is nearer is known only between the vertices (section 3.3).
fn beyond_edge(home: &Polyhedron, e: u32, x: Vec3<f64>) -> Option<Feature> {
    let [tail, head] = home.edges[e as usize].v;
    if vertex_plane(home, tail, head).side(x) < 0.0 {
        return Some(Feature::vertex(tail));
    }
    if vertex_plane(home, head, tail).side(x) < 0.0 {
        return Some(Feature::vertex(head));
    }
    faces_beside(home, e).find(|&f| face_edge_plane(home, f, e).side(x) > 0.0).map(Feature::face)
}

/// The edge at vertex `v` that is nearer to `edge` than `v` is, if the nearest point of `edge` lies outside of the
/// region of `v` (section 3.3.1).
fn clip_against_vertex(home: &Polyhedron, v: u32, edge: &Segment) -> Slope<Feature> {
    let mut clip = Clip::WHOLE;
    for (w, e) in edges_at(home, v) {
        let plane = vertex_plane(home, v, w);
        match clip.cut(-plane.side(edge.tail), -plane.side(edge.head), Feature::edge(e)) {
            Cut::Kept => {}
            Cut::Simple => return Slope::Of(Feature::edge(e)),
            // Both planes were crossed the wrong way round: on at least one side of any point the edge is nearer.
            Cut::Compound => return beyond_either(home, v, edge, &clip),
        }
    }
    clip.check(|_, at| slope_to_vertex(home, v, edge, at))
}

/// Compound exclusion by two edges at `v`: the distance grows at the entry, or falls at the exit that comes before.
fn beyond_either(home: &Polyhedron, v: u32, edge: &Segment, clip: &Clip) -> Slope<Feature> {
    match slope_to_vertex(home, v, edge, clip.low) {
        Slope::Touching => Slope::Touching,
        Slope::Of(slope) if slope > 0.0 => clip.entry.map_or(Slope::None, Slope::Of),
        _ => clip.exit.map_or(Slope::None, Slope::Of),
    }
}

/// Face `f` at home, vertex `v` of the other body (Algorithm 6).
pub(super) fn face_vertex(view: View<'_, '_>, f: u32, v: u32) -> Step {
    let home = view.home();
    let x = view.other_vertex(v);
    if let Some(e) = edge_most_violated(home, f, x) {
        return Step::Home(Feature::edge(e));
    }
    let plane = support_plane(home, f);
    let height = plane.side(x);
    // Towards the plane: the printed test, |D(V)| > |D(V')|, misses an edge that pierces the plane and ends beyond it
    // farther away than it began.
    let nearer = |w: u32| {
        let at = plane.side(view.other_vertex(w));
        if height > 0.0 { at < height } else { height < 0.0 && at > height }
    };
    if let Some((_, e)) = edges_at(view.other(), v).find(|&(w, _)| nearer(w)) {
        return Step::Other(Feature::edge(e));
    }
    if height > 0.0 { Step::Done } else { leave_local_minimum(home, x) }
}

/// The edge of face `f` whose plane `x` lies farthest beyond: it holds the point of the face nearest to `x`. (The
/// normals of the two edges at a vertex are nearer in angle to a direction between them than that of any other edge,
/// and the lines of all other edges lie farther back.)
pub(super) fn edge_most_violated(home: &Polyhedron, f: u32, x: Vec3<f64>) -> Option<u32> {
    let mut most = (0.0, None);
    for &e in edges_of(home, f) {
        let plane = face_edge_plane(home, f, e);
        let side = plane.side(x);
        if side < 0.0 {
            let beyond = -side / plane.along.length();
            if beyond > most.0 {
                most = (beyond, Some(e));
            }
        }
    }
    most.1
}

/// A vertex below a face whose edges all lead away from it: inside all planes, or nearer to another face
/// (Algorithm 3).
fn leave_local_minimum(home: &Polyhedron, x: Vec3<f64>) -> Step {
    let mut highest = (f64::NEG_INFINITY, 0);
    for f in 0..home.face_count() as u32 {
        let height = support_plane(home, f).side(x);
        if height > highest.0 {
            highest = (height, f);
        }
    }
    if highest.0 <= 0.0 { Step::Pierced } else { Step::Home(Feature::face(highest.1)) }
}

/// Two edges, `e` at home (Algorithm 7).
pub(super) fn edge_edge(view: View<'_, '_>, e: u32, g: u32) -> Step {
    match clip_against_edge(view.home(), e, &view.other_edge(g)) {
        Slope::Of(neighbour) => return Step::Home(neighbour),
        Slope::Touching => return Step::Pierced,
        Slope::None => {}
    }
    let back = view.flipped();
    match clip_against_edge(back.home(), g, &back.other_edge(e)) {
        Slope::Of(neighbour) => Step::Other(neighbour),
        Slope::Touching => Step::Pierced,
        Slope::None => Step::Done,
    }
}

/// What lies between the planes of both ends of an edge.
pub(super) enum Slab {
    /// The nearest point lies beyond the plane of this vertex.
    Vertex(u32),
    /// It lies in this part of the edge.
    Within(Clip),
    /// The edge meets an end.
    Touching,
}

/// Clips `edge` against the planes of the two vertices of `e`, and checks the derivatives there.
pub(super) fn slab(home: &Polyhedron, e: u32, edge: &Segment) -> Slab {
    let [tail, head] = home.edges[e as usize].v;
    let mut clip = Clip::WHOLE;
    for (v, w) in [(tail, head), (head, tail)] {
        let plane = vertex_plane(home, v, w);
        if clip.cut(plane.side(edge.tail), plane.side(edge.head), Feature::vertex(v)) == Cut::Simple {
            return Slab::Vertex(v);
        }
    }
    match clip.check(|neighbour, at| slope_to_neighbour(home, neighbour, edge, at)) {
        Slope::Of(vertex) => Slab::Vertex(vertex.index),
        Slope::Touching => Slab::Touching,
        Slope::None => Slab::Within(clip),
    }
}

/// The neighbour of `e` to go on to, if the nearest point of `edge` lies outside of the region of `e`
/// (section 3.3.2).
fn clip_against_edge(home: &Polyhedron, e: u32, edge: &Segment) -> Slope<Feature> {
    let mut clip = match slab(home, e, edge) {
        Slab::Vertex(v) => return Slope::Of(Feature::vertex(v)),
        Slab::Touching => return Slope::Touching,
        Slab::Within(clip) => clip,
    };
    let mut crossed: Option<(Feature, Clip)> = None;
    for f in faces_beside(home, e) {
        let face = Feature::face(f);
        let plane = face_edge_plane(home, f, e);
        match clip.cut(-plane.side(edge.tail), -plane.side(edge.head), face) {
            Cut::Kept => crossed = crossed.or(Some((face, clip))),
            Cut::Simple => return Slope::Of(face),
            Cut::Compound => {
                // With a vertex: its check was passed, so the nearest point lies on the face's side. Beneath the edge,
                // between two faces: the check holds where the first plane is crossed, within the slab; the second
                // may be crossed outside of it.
                let kind = |n: Option<Feature>| n.map(|n| n.kind);
                let both = kind(clip.entry) == Some(FeatureKind::Face) && kind(clip.exit) == Some(FeatureKind::Face);
                return match crossed {
                    Some((first, before)) if both => beneath(home, first, face, edge, &before),
                    _ => Slope::Of(face),
                };
            }
        }
    }
    clip.check(|neighbour, at| slope_to_neighbour(home, neighbour, edge, at))
}

/// An edge that passes beneath another one: the first face if the nearest point lies on its side, else the second.
fn beneath(home: &Polyhedron, first: Feature, second: Feature, edge: &Segment, before: &Clip) -> Slope<Feature> {
    let enters = before.entry == Some(first);
    match slope_to_neighbour(home, first, edge, if enters { before.low } else { before.high }) {
        Slope::Touching => Slope::Touching,
        Slope::Of(slope) if (enters && slope > 0.0) || (!enters && slope < 0.0) => Slope::Of(first),
        _ => Slope::Of(second),
    }
}
