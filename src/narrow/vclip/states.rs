//! The states of Figure 2 (Mirtich 1997) but the edge-face one: vertex-vertex, vertex-edge, vertex-face, edge-edge.

use super::super::feature::Feature;
use super::Step;
use super::clip::{self, Clip, Cut, Slope, between, farthest_beyond, slope_to_vertex};
use super::regions::{Body, Segment};
use crate::geometry::Vec3;

/// Vertex `v` at home, vertex `w` of the other body: is each in the other one's region (Algorithm 4)?
#[inline(always)]
pub(super) fn vertex_vertex(home: &Body<'_>, other: &Body<'_>, v: u32, w: u32) -> Step {
    if let Some(next) = leave_vertex(home, v, home.vertex_of(other, w)) {
        return Step::Home(next);
    }
    match leave_vertex(other, w, other.vertex_of(home, v)) {
        Some(next) => Step::Other(next),
        None => Step::Done,
    }
}

/// Where to go on to from vertex `v`, if `x` lies outside of its region: to the edge beyond whose plane it lies
/// farthest, or at once to that edge's far end if it lies beyond that, too, where the state between would go.
#[inline(always)]
fn leave_vertex(home: &Body<'_>, v: u32, x: Vec3<f64>) -> Option<Feature> {
    let at = farthest_beyond(&home.star(v), x)?;
    let e = home.spokes(v)[at as usize];
    let far = usize::from(home.ends(e)[0] == v);
    if home.around(e).plane(far).side(x) < 0.0 {
        return Some(Feature::vertex(home.ends(e)[far]));
    }
    Some(Feature::edge(e))
}

/// Edge `e` at home, vertex `v` of the other body (Algorithm 5).
#[inline(always)]
pub(super) fn edge_vertex(home: &Body<'_>, other: &Body<'_>, e: u32, v: u32) -> Step {
    if let Some(neighbour) = leave_edge(home, e, home.vertex_of(other, v)) {
        return Step::Home(neighbour);
    }
    match clip_against_vertex(other, v, &other.edge_of(home, e)) {
        Slope::Of(edge) => Step::Other(edge),
        Slope::Touching => Step::Pierced,
        Slope::None => Step::Done,
    }
}

/// The neighbour of edge `e` beyond whose plane `x` lies. The planes of the vertices come first: beyond those of the
/// faces, what is nearer is known only between the vertices (section 3.3).
#[inline(always)]
fn leave_edge(home: &Body<'_>, e: u32, x: Vec3<f64>) -> Option<Feature> {
    let [tail, head, left, right] = home.around(e).sides(x);
    if tail < 0.0 {
        return Some(Feature::vertex(home.ends(e)[0]));
    }
    if head < 0.0 {
        return Some(Feature::vertex(home.ends(e)[1]));
    }
    let (least, face) = if right < left { (right, 1) } else { (left, 0) };
    (least < 0.0).then(|| Feature::face(home.faces(e)[face]))
}

/// The edge at vertex `v` that is nearer to `edge` than `v` is, if the nearest point of `edge` lies outside of the
/// region of `v` (section 3.3.1).
#[inline(always)]
fn clip_against_vertex(home: &Body<'_>, v: u32, edge: &Segment) -> Slope<Feature> {
    let spoke = |at: u32| Slope::Of(Feature::edge(home.spokes(v)[at as usize]));
    let clip = match clip::clip(&home.star(v), edge) {
        Cut::Simple(at) => return spoke(at),
        Cut::Part(clip) => clip,
    };
    let x = home.polyhedron.vertex(v);
    let crossed = if clip.is_empty() {
        // Compound exclusion: both planes were crossed the wrong way round, so that on at least one side of any point
        // the edge is nearer. The distance grows at the entry, or falls at the exit that comes before.
        match slope_to_vertex(x, edge, clip.low) {
            Slope::Of(slope) if slope > 0.0 => Slope::Of(clip.entry),
            Slope::Of(_) | Slope::None => Slope::Of(clip.exit),
            Slope::Touching => Slope::Touching,
        }
    } else {
        clip.check(|_, at| slope_to_vertex(x, edge, at))
    };
    match crossed {
        Slope::Of(at) => spoke(at),
        Slope::Touching => Slope::Touching,
        Slope::None => Slope::None,
    }
}

/// Face `f` at home, vertex `v` of the other body (Algorithm 6).
#[inline(always)]
pub(super) fn face_vertex(home: &Body<'_>, other: &Body<'_>, f: u32, v: u32) -> Step {
    let x = home.vertex_of(other, v);
    // The edge whose plane `x` lies farthest beyond holds the point of the face nearest to it.
    if let Some(at) = farthest_beyond(&home.walls(f), x) {
        return Step::Home(Feature::edge(home.perimeter(f)[at as usize]));
    }
    let height = home.support(f).side(x);
    // Towards the plane: the printed test, |D(V)| > |D(V')|, misses an edge that pierces the plane and ends beyond it
    // farther away than it began.
    if height != 0.0
        && let Some(e) = towards_plane(home, other, f, v, height > 0.0)
    {
        return Step::Other(Feature::edge(e));
    }
    if height > 0.0 { Step::Done } else { leave_local_minimum(home, x) }
}

/// The edge at vertex `v` of the other body that leads to its neighbour nearest to the plane of face `f`, `v` being
/// above it or below, if one is nearer than `v`.
#[inline(always)]
fn towards_plane(home: &Body<'_>, other: &Body<'_>, f: u32, v: u32, above: bool) -> Option<u32> {
    let heights = Heights::above(home, other, f);
    let least = |v: u32| if above { heights.of(v) } else { -heights.of(v) };
    let mut nearest = (least(v), None);
    for (&w, &e) in other.polyhedron.neighbours_of(v).iter().zip(other.spokes(v)) {
        let height = least(w);
        if height < nearest.0 {
            nearest = (height, Some(e));
        }
    }
    nearest.1
}

/// How high the vertices of the other body are above a face, from its own origin on.
///
/// Which end of an edge is nearer to a face is asked in three states. All ask here: by one number a vertex, so that
/// along a face parallel to the plane, where all is rounding, the answers lead to a lowest vertex and never in circles.
#[derive(Clone, Copy)]
pub(super) struct Heights<'b, 'a> {
    body: &'b Body<'a>,
    normal: Vec3<f64>,
}

impl<'b, 'a> Heights<'b, 'a> {
    #[inline(always)]
    pub(super) fn above(home: &Body<'_>, other: &'b Body<'a>, f: u32) -> Self {
        Self { body: other, normal: other.direction(home.support(f).normal) }
    }

    /// The height of a vertex.
    #[inline(always)]
    fn of(&self, v: u32) -> f64 {
        self.normal.dot(self.body.polyhedron.vertex(v))
    }

    /// How much higher edge `e` is at its head than at its tail.
    #[inline(always)]
    pub(super) fn rise(&self, e: u32) -> f64 {
        let [tail, head] = self.body.ends(e);
        self.of(head) - self.of(tail)
    }
}

/// A vertex below a face whose edges all lead away from it: inside all planes, or nearer to another face
/// (Algorithm 3).
#[inline(always)]
fn leave_local_minimum(home: &Body<'_>, x: Vec3<f64>) -> Step {
    let mut highest = (f64::NEG_INFINITY, 0);
    for f in 0..home.polyhedron.face_count() as u32 {
        let height = home.support(f).side(x);
        if height > highest.0 {
            highest = (height, f);
        }
    }
    if highest.0 <= 0.0 { Step::Pierced } else { Step::Home(Feature::face(highest.1)) }
}

/// Two edges, `e` at home (Algorithm 7).
#[inline(always)]
pub(super) fn edge_edge(home: &Body<'_>, other: &Body<'_>, e: u32, g: u32) -> Step {
    match clip_against_edge(home, other, e, g) {
        Slope::Of(neighbour) => return Step::Home(neighbour),
        Slope::Touching => return Step::Pierced,
        Slope::None => {}
    }
    match clip_against_edge(other, home, g, e) {
        Slope::Of(neighbour) => Step::Other(neighbour),
        Slope::Touching => Step::Pierced,
        Slope::None => Step::Done,
    }
}

/// The signed distances of both ends of an edge from the planes around an edge at home, by lane.
#[derive(Clone, Copy)]
pub(super) struct Ends {
    pub(super) tail: [f64; 4],
    pub(super) head: [f64; 4],
}

impl Ends {
    #[inline(always)]
    pub(super) fn of(home: &Body<'_>, e: u32, edge: &Segment) -> Self {
        let planes = home.around(e);
        Self { tail: planes.sides(edge.tail), head: planes.sides(edge.head) }
    }

    /// Whether both lie beyond the plane of a lane.
    #[inline(always)]
    fn both_beyond(&self, lane: usize) -> bool {
        self.tail[lane] < 0.0 && self.head[lane] < 0.0
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
#[inline(always)]
pub(super) fn slab(home: &Body<'_>, e: u32, edge: &Segment, sides: &Ends) -> Slab {
    let vertices = home.ends(e);
    let mut clip = Clip::WHOLE;
    for lane in 0..2 {
        if sides.both_beyond(lane) {
            return Slab::Vertex(vertices[lane]);
        }
        clip.cut(sides.tail[lane], sides.head[lane], lane as u32);
    }
    match clip.check(|lane, at| slope_to_vertex(home.polyhedron.vertex(vertices[lane as usize]), edge, at)) {
        Slope::Of(lane) => Slab::Vertex(vertices[lane as usize]),
        Slope::Touching => Slab::Touching,
        Slope::None => Slab::Within(clip),
    }
}

/// The neighbour of edge `e` at home to go on to, if the nearest point of edge `g` of the other body lies outside of the
/// region of `e` (section 3.3.2).
#[inline(always)]
fn clip_against_edge(home: &Body<'_>, other: &Body<'_>, e: u32, g: u32) -> Slope<Feature> {
    let edge = home.edge_of(other, g);
    let sides = Ends::of(home, e, &edge);
    let mut clip = match slab(home, e, &edge, &sides) {
        Slab::Vertex(v) => return Slope::Of(Feature::vertex(v)),
        Slab::Touching => return Slope::Touching,
        Slab::Within(clip) => clip,
    };
    let faces = home.faces(e);
    let face = |lane: usize| Feature::face(faces[lane - 2]);
    let slope = |lane: u32, at: f64| match lane {
        0 | 1 => Slope::None, // checked within the slab
        _ => slope_to_face(home, other, faces[lane as usize - 2], g, &edge, at),
    };
    let mut first = clip;
    for lane in 2..4 {
        if sides.both_beyond(lane) {
            return Slope::Of(face(lane));
        }
        clip.cut(sides.tail[lane], sides.head[lane], lane as u32);
        if clip.is_empty() {
            let beneath = clip.entry >= 2 && clip.exit >= 2;
            if !beneath {
                // With a vertex: its check was passed, so the nearest point lies on the face's side.
                return Slope::Of(face(lane));
            }
            // Beneath the edge, between two faces: the check holds where the first plane is crossed, within the slab;
            // the second may be crossed outside of it. So the first face if the nearest point lies on its side.
            let enters = first.entry == 2;
            return match slope(2, if enters { first.low } else { first.high }) {
                Slope::Touching => Slope::Touching,
                Slope::Of(slope) if (enters && slope > 0.0) || (!enters && slope < 0.0) => Slope::Of(face(2)),
                _ => Slope::Of(face(3)),
            };
        }
        if lane == 2 {
            first = clip;
        }
    }
    match clip.check(slope) {
        Slope::Of(lane) => Slope::Of(face(lane as usize)),
        Slope::Touching => Slope::Touching,
        Slope::None => Slope::None,
    }
}

/// A number with the sign of the derivative of the distance from face `f` at home to edge `g` of the other body, within
/// the face's prism (Equation 3).
#[inline(always)]
fn slope_to_face(home: &Body<'_>, other: &Body<'_>, f: u32, g: u32, edge: &Segment, lambda: f64) -> Slope<f64> {
    let plane = home.support(f);
    let at = between(plane.side(edge.tail), plane.side(edge.head), lambda);
    if at == 0.0 {
        return Slope::Touching;
    }
    let rise = Heights::above(home, other, f).rise(g);
    Slope::Of(if at > 0.0 { rise } else { -rise })
}
