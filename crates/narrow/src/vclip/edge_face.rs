//! The edge-face state (Mirtich 1997, Algorithm 8), and the descent along the boundary of a face
//! (section 3.3.3).

use super::clip::{self, Clip, ClipResult, NONE, between, most_violated_side};
use super::regions::{BodyView, Segment, point};
use super::states::{EndDistances, Heights, LEFT, RIGHT, Slab, slab};
use super::transition::Transition;
use crate::feature::Feature;
use clearsweep_base::simd::Simd;
use clearsweep_geometry::Vec3;

/// The state of face `f` at home and edge `e` of the other body. It ends the search only if the
/// edge pierces the face.
#[inline(always)]
pub(super) fn face_edge<S: Simd>(home: &BodyView<'_, S>, other: &BodyView<'_, S>, f: u32, e: u32) -> Transition {
    let edge = home.edge_of(other, e);
    let clip = match clip::clip_by_side_planes::<S>(home.side_planes(f), &edge) {
        ClipResult::Excluded(start) => return descend_boundary::<S>(home, f, &edge, start),
        ClipResult::Part(clip) if clip.is_empty() => return descend_boundary::<S>(home, f, &edge, clip.entry),
        ClipResult::Part(clip) => clip,
    };
    let plane = home.support(f);
    let [tail, head] = edge.ends().map(|end| plane.side(end));
    let (low, high) = (between(tail, head, clip.low), between(tail, head, clip.high));
    let above = low > 0.0 && high > 0.0;
    if !(above || low < 0.0 && high < 0.0) {
        return Transition::Overlap;
    }
    let [v, w] = other.ends(e);
    // If the distance does not fall at the entry, the nearest point lies there or before. The
    // printed algorithm goes on to the boundary edge that is crossed. The part before the entry may
    // be nearer to another boundary edge, and then the distance would grow. All of that part lies
    // beyond the crossed edge's plane, which makes that edge a start for the descent.
    let rise = Heights::above(home, other, f).rise(e);
    let rises = if above { rise >= 0.0 } else { rise <= 0.0 };
    match (rises, clip.entry, clip.exit) {
        (true, NONE, _) => Transition::Other(Feature::vertex(v)),
        (false, _, NONE) => Transition::Other(Feature::vertex(w)),
        (true, entry, _) => descend_boundary::<S>(home, f, &edge.before(clip.low), entry),
        (false, _, exit) => descend_boundary::<S>(home, f, &edge.behind(clip.high), exit),
    }
}

/// The edge or vertex of face `f` nearest to `edge`, which lies outside of the face's prism;
/// descends from the edge at place `start` of the boundary.
///
/// The distance from `edge` is convex on the face, and its minimum lies on the boundary. The
/// descent along the boundary ends at a vertex, which is then the minimum of the face, or inside a
/// boundary edge. That edge holds the minimum if the nearest point of `edge` lies outside of its
/// side plane. It does if all of `edge` lies beyond the side plane of the first boundary edge: let
/// x run along that edge and y into the face. At a vertex, the nearest point `(a, b)` has `b < 0`,
/// and `a >= 0` because the descent led there. So the descent goes on only to an edge that turns by
/// less than a right angle; the point is outside of that edge, too, and so is each point on the
/// way.
///
/// From another start it may not be outside, nor where `edge` comes as near to the first plane as
/// that plane is rounded. Then the boundary edge that holds the face's point nearest to that point
/// of `edge` is strictly nearer, and the descent goes on there.
#[inline(always)]
fn descend_boundary<S: Simd>(home: &BodyView<'_, S>, f: u32, edge: &Segment<S>, start: u32) -> Transition {
    let boundary = home.boundary(f);
    let vertices = home.polyhedron.face(f);
    let n = boundary.len();
    let mut at = start as usize;
    // The vertex towards which the descent went last.
    let mut last = NONE;
    for _ in 0..4 * n {
        let e = boundary[at];
        let sides = EndDistances::of::<S>(home, e, edge);
        match slab(home, e, edge, &sides) {
            Slab::Touching => return Transition::Overlap,
            Slab::Vertex(v) if last == v => return Transition::Home(Feature::vertex(v)),
            Slab::Vertex(v) => {
                last = v;
                // Edge `at` leads from vertex `at` to the next one.
                at = if v == vertices[at] { at.checked_sub(1).unwrap_or(n - 1) } else { (at + 1) % n };
            }
            Slab::Within(clip) => match nearer_boundary_edge::<S>(home, f, e, edge, &sides, &clip) {
                Some(better) if better as usize != at => {
                    last = NONE;
                    at = better as usize;
                }
                _ => return Transition::Home(Feature::edge(e)),
            },
        }
    }
    Transition::Home(Feature::edge(boundary[at])) // by rounding only: the states go on from there
}

/// For boundary edge `e` of face `f`: where the point of `edge` nearest to `e` lies on the inner
/// side of `e`, the place of the boundary edge that holds the face's point nearest to that point.
#[inline(always)]
fn nearer_boundary_edge<S: Simd>(
    home: &BodyView<'_, S>,
    f: u32,
    e: u32,
    edge: &Segment<S>,
    sides: &EndDistances,
    clip: &Clip,
) -> Option<u32> {
    let lane = if home.faces(e)[0] == f { LEFT } else { RIGHT };
    let (tail, head) = sides.of_lane(lane);
    if between(tail, head, clip.low) >= 0.0 || between(tail, head, clip.high) >= 0.0 {
        return None; // outside, or, by rounding, on both sides
    }
    let [v, w] = home.ends(e);
    let (v, w) = (home.polyhedron.vertex(v), home.polyhedron.vertex(w));
    most_violated_side::<S>(home.side_planes(f), point(nearest_to_line(v, w - v, edge, clip)))
}

/// The point of the part `clip` of `edge` nearest to the line through `v` along `d`.
#[inline(always)]
fn nearest_to_line<S: Simd>(v: Vec3<f64>, d: Vec3<f64>, edge: &Segment<S>, clip: &Clip) -> Vec3<f64> {
    let [tail, head] = edge.ends();
    let u = head - tail;
    let (across, from) = (d.cross(u), d.cross(tail - v));
    let at = -across.dot(from) / across.length2();
    let at = if at.is_nan() { clip.low } else { at.clamp(clip.low, clip.high) };
    tail + u.scale(at)
}
