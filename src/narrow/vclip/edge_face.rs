//! The edge-face state (Mirtich 1997, Algorithm 8), and the walk around a face of section 3.3.3.

use super::super::feature::Feature;
use super::Step;
use super::clip::{self, Clip, Cut, NONE, between, farthest_beyond};
use super::regions::{Body, Segment, point};
use super::states::{Ends, Heights, LEFT, RIGHT, Slab, slab};
use crate::geometry::Vec3;
use crate::simd::Simd;

/// Face `f` at home, edge `e` of the other body: never an end unless the edge pierces the face.
#[inline(always)]
pub(super) fn face_edge<S: Simd>(home: &Body<'_, S>, other: &Body<'_, S>, f: u32, e: u32) -> Step {
    let edge = home.edge_of(other, e);
    let clip = match clip::clip_by_walls::<S>(home.side_planes(f), &edge) {
        Cut::Simple(start) => return around::<S>(home, f, &edge, start),
        Cut::Part(clip) if clip.is_empty() => return around::<S>(home, f, &edge, clip.entry),
        Cut::Part(clip) => clip,
    };
    let plane = home.support(f);
    let [tail, head] = edge.ends().map(|end| plane.side(end));
    let (low, high) = (between(tail, head, clip.low), between(tail, head, clip.high));
    let above = low > 0.0 && high > 0.0;
    if !(above || low < 0.0 && high < 0.0) {
        return Step::Pierced;
    }
    let [v, w] = other.ends(e);
    // The nearest point is at the entry or before it where the distance does not fall there. The printed algorithm goes
    // on to the edge of the face that is crossed; but what comes before the entry may be nearer to another one, and
    // then the distance would grow. All of that part lies beyond the edge that is crossed: a start for the walk.
    let rise = Heights::above(home, other, f).rise(e);
    let rises = if above { rise >= 0.0 } else { rise <= 0.0 };
    match (rises, clip.entry, clip.exit) {
        (true, NONE, _) => Step::Other(Feature::vertex(v)),
        (false, _, NONE) => Step::Other(Feature::vertex(w)),
        (true, entry, _) => around::<S>(home, f, &edge.before(clip.low), entry),
        (false, _, exit) => around::<S>(home, f, &edge.behind(clip.high), exit),
    }
}

/// The edge or vertex of face `f` nearest to `edge`, which no plane of the face's prism lets in; from the edge `start`
/// of its perimeter.
///
/// The distance from `edge` is convex on the face, and its least value is on the perimeter. Going downhill along the
/// perimeter ends at a vertex, and then it is the least of the face; or inside an edge. There it is the least if the
/// nearest point of `edge` lies outside of that edge. It always does if all of `edge` lay beyond the first edge:
/// let x run along that one and y into the face. At a vertex, the nearest point `(a, b)` has `b < 0`, and `a >= 0`
/// since the way led there; so it goes on only to an edge that turns by less than a right angle, and is outside of it,
/// and so is each point on the way. From another start it may not, nor, by rounding, where `edge` comes as near to the
/// first plane as the plane itself is rounded; then the edge of the face that holds the nearest point to that point of
/// `edge` is strictly nearer, and the walk goes on there.
#[inline(always)]
fn around<S: Simd>(home: &Body<'_, S>, f: u32, edge: &Segment<S>, start: u32) -> Step {
    let perimeter = home.perimeter(f);
    let vertices = home.polyhedron.face(f);
    let n = perimeter.len();
    let mut at = start as usize;
    // Towards which vertex the walk went last.
    let mut last = NONE;
    for _ in 0..4 * n {
        let e = perimeter[at];
        let sides = Ends::of::<S>(home, e, edge);
        match slab(home, e, edge, &sides) {
            Slab::Touching => return Step::Pierced,
            Slab::Vertex(v) if last == v => return Step::Home(Feature::vertex(v)),
            Slab::Vertex(v) => {
                last = v;
                // Edge `at` leads from vertex `at` to the next one.
                at = if v == vertices[at] { at.checked_sub(1).unwrap_or(n - 1) } else { (at + 1) % n };
            }
            Slab::Within(clip) => match seen_from_inside::<S>(home, f, e, edge, &sides, &clip) {
                Some(better) if better as usize != at => {
                    last = NONE;
                    at = better as usize;
                }
                _ => return Step::Home(Feature::edge(e)),
            },
        }
    }
    Step::Home(Feature::edge(perimeter[at])) // rounding only: the states go on from there
}

/// The place in the perimeter of face `f` of the edge that holds its point nearest to the point of `edge` nearest to
/// `e`, if that lies on the inner side of `e`.
#[inline(always)]
fn seen_from_inside<S: Simd>(
    home: &Body<'_, S>,
    f: u32,
    e: u32,
    edge: &Segment<S>,
    sides: &Ends,
    clip: &Clip,
) -> Option<u32> {
    let lane = if home.faces(e)[0] == f { LEFT } else { RIGHT };
    let (tail, head) = sides.of_lane(lane);
    if between(tail, head, clip.low) >= 0.0 || between(tail, head, clip.high) >= 0.0 {
        return None; // outside, or, by rounding, across it
    }
    let [v, w] = home.ends(e);
    let (v, w) = (home.polyhedron.vertex(v), home.polyhedron.vertex(w));
    farthest_beyond::<S>(home.side_planes(f), point(nearest_to_line(v, w - v, edge, clip)))
}

/// The point of a part of `edge` nearest to the line from `v` along `d`.
#[inline(always)]
fn nearest_to_line<S: Simd>(v: Vec3<f64>, d: Vec3<f64>, edge: &Segment<S>, clip: &Clip) -> Vec3<f64> {
    let [tail, head] = edge.ends();
    let u = head - tail;
    let (across, from) = (d.cross(u), d.cross(tail - v));
    let at = -across.dot(from) / across.length2();
    let at = if at.is_nan() { clip.low } else { at.clamp(clip.low, clip.high) };
    tail + u.scale(at)
}
