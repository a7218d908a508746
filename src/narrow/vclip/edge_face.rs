//! The edge-face state (Mirtich 1997, Algorithm 8), and the walk around a face of section 3.3.3.

use super::super::feature::Feature;
use super::Step;
use super::clip::{Clip, Cut, between};
use super::regions::{Segment, View, edges_of, face_edge_plane, support_plane};
use super::states::{Slab, edge_most_violated, slab};
use crate::geometry::{Polyhedron, Vec3};

/// Face `f` at home, edge `e` of the other body: never an end unless the edge pierces the face.
pub(super) fn face_edge(view: View<'_, '_>, f: u32, e: u32) -> Step {
    let home = view.home();
    let edge = view.other_edge(e);
    let clip = match clip_against_face(home, f, &edge) {
        Ok(clip) => clip,
        Err(start) => return around(home, f, &edge, start),
    };
    let plane = support_plane(home, f);
    let (tail, head) = (plane.side(edge.tail), plane.side(edge.head));
    let (low, high) = (between(tail, head, clip.low), between(tail, head, clip.high));
    let above = low > 0.0 && high > 0.0;
    if !(above || low < 0.0 && high < 0.0) {
        return Step::Pierced;
    }
    let [v, w] = view.other().edges[e as usize].v;
    let at = |lambda: f64| edge.tail.scale(1.0 - lambda) + edge.head.scale(lambda);
    // The nearest point is at the entry or before it where the distance does not fall there. The printed algorithm goes
    // on to the edge of the face that is crossed; but what comes before the entry may be nearer to another one, and
    // then the distance would grow. All of that part lies beyond the edge that is crossed: a start for the walk.
    let rises = if above { head >= tail } else { head <= tail };
    match (rises, clip.entry, clip.exit) {
        (true, Some(entry), _) => around(home, f, &Segment { head: at(clip.low), ..edge }, entry.index),
        (false, _, Some(exit)) => around(home, f, &Segment { tail: at(clip.high), ..edge }, exit.index),
        (true, None, _) => Step::Other(Feature::vertex(v)),
        (false, _, None) => Step::Other(Feature::vertex(w)),
    }
}

/// The part of `edge` within the prism above and below face `f`; if there is none, an edge of the face to start
/// from: one beyond which all of `edge` lies, if there is one.
fn clip_against_face(home: &Polyhedron, f: u32, edge: &Segment) -> Result<Clip, u32> {
    let mut clip = Clip::WHOLE;
    let mut compound = None;
    for &e in edges_of(home, f) {
        let plane = face_edge_plane(home, f, e);
        let (tail, head) = (plane.side(edge.tail), plane.side(edge.head));
        if tail < 0.0 && head < 0.0 {
            return Err(e);
        }
        if compound.is_none() && clip.cut(tail, head, Feature::edge(e)) == Cut::Compound {
            compound = Some(e);
        }
    }
    compound.map_or(Ok(clip), Err)
}

/// The edge or vertex of face `f` nearest to `edge`, which no plane of the face's prism lets in.
///
/// The distance from `edge` is convex on the face, and its least value is on the perimeter. Going downhill along the
/// perimeter ends at a vertex, and then it is the least of the face; or inside an edge. There it is the least if the
/// nearest point of `edge` lies outside of that edge. It always does if all of `edge` lay beyond the first edge:
/// let x run along that one and y into the face. At a vertex, the nearest point `(a, b)` has `b < 0`, and `a >= 0`
/// since the way led there; so it goes on only to an edge that turns by less than a right angle, and is outside of it,
/// and so is each point on the way. From another start it may not; then the edge of the face that holds the nearest
/// point to that point of `edge` is strictly nearer, and the walk goes on there.
fn around(home: &Polyhedron, f: u32, edge: &Segment, start: u32) -> Step {
    let perimeter = edges_of(home, f);
    let vertices = home.face(f);
    let n = perimeter.len();
    let mut at = perimeter.iter().position(|&e| e == start).unwrap_or(0);
    // Towards which vertex the walk went last.
    let mut last: Option<u32> = None;
    for _ in 0..4 * n {
        match slab(home, perimeter[at], edge) {
            Slab::Touching => return Step::Pierced,
            Slab::Vertex(v) if last == Some(v) => return Step::Home(Feature::vertex(v)),
            Slab::Vertex(v) => {
                last = Some(v);
                // Edge `at` leads from vertex `at` to the next one.
                at = if v == vertices[at] { (at + n - 1) % n } else { (at + 1) % n };
            }
            Slab::Within(clip) => match seen_from_inside(home, f, perimeter[at], edge, &clip) {
                Some(better) => {
                    last = None;
                    at = perimeter.iter().position(|&e| e == better).unwrap_or(at);
                }
                None => return Step::Home(Feature::edge(perimeter[at])),
            },
        }
    }
    Step::Home(Feature::edge(perimeter[at])) // rounding only: the states go on from there
}

/// The edge that holds the point of face `f` nearest to the point of `edge` nearest to `e`, if that lies on the
/// inner side of `e`.
fn seen_from_inside(home: &Polyhedron, f: u32, e: u32, edge: &Segment, clip: &Clip) -> Option<u32> {
    let plane = face_edge_plane(home, f, e);
    let (tail, head) = (plane.side(edge.tail), plane.side(edge.head));
    if between(tail, head, clip.low) <= 0.0 || between(tail, head, clip.high) <= 0.0 {
        return None; // outside, or, by rounding, across it
    }
    let [v, w] = home.edges[e as usize].v.map(|v| home.vertex(v));
    let x = nearest_to_line(v, w - v, edge, clip);
    edge_most_violated(home, f, x).filter(|&better| better != e)
}

/// The point of a part of `edge` nearest to the line from `v` along `d`.
fn nearest_to_line(v: Vec3<f64>, d: Vec3<f64>, edge: &Segment, clip: &Clip) -> Vec3<f64> {
    let u = edge.head - edge.tail;
    let (across, from) = (d.cross(u), d.cross(edge.tail - v));
    let at = -across.dot(from) / across.length2();
    let at = if at.is_nan() { clip.low } else { at.clamp(clip.low, clip.high) };
    edge.tail + u.scale(at)
}
