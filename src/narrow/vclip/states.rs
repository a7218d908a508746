//! The states of Figure 2 (Mirtich 1997) but the edge-face one: vertex-vertex, vertex-edge, vertex-face, edge-edge.

use super::super::feature::Feature;
use super::Step;
use super::clip::{
    self, Clip, Cut, NONE, Out, Slope, between, falls_beyond, farthest_beyond, farthest_incident_edge, slope_to_vertex,
};
use super::lanes;
use super::regions::{Body, Segment};
use crate::geometry::Vec3;
use crate::geometry::polyhedron::LANES;
use crate::simd::{Lane, Simd, V};

/// Edges passed in one step, at most.
const HOPS: usize = 64;

/// Vertex `v` at home, vertex `w` of the other body: is each in the other one's region (Algorithm 4)? Edges come last,
/// when no vertex is passed by any more: far off, what is fine at home is not worth its while.
#[inline(always)]
pub(super) fn vertex_vertex<S: Simd>(home: &Body<'_, S>, other: &Body<'_, S>, v: u32, w: u32) -> Step {
    let (reached, incident_edge) = leave_vertex::<S>(home, v, home.vertex_of(other, w));
    if reached != v {
        return Step::Home(Feature::vertex(reached));
    }
    let (reached, back) = leave_vertex::<S>(other, w, other.vertex_of(home, v));
    if reached != w {
        return Step::Other(Feature::vertex(reached));
    }
    if incident_edge != NONE {
        return Step::Home(Feature::edge(incident_edge));
    }
    if back == NONE { Step::Done } else { Step::Other(Feature::edge(back)) }
}

/// Where to go on to from vertex `v`, if `x` lies outside of its region: to the edge beyond whose plane it lies
/// farthest; to that edge's far end if it lies beyond that, too, where the state between would go; and on from there. The
/// distance falls with each vertex, as it does from state to state.
/// The vertex that is reached, and, if it is `v`, the edge, or [`NONE`].
#[inline(always)]
fn leave_vertex<S: Simd>(home: &Body<'_, S>, v: u32, x: V<S>) -> (u32, u32) {
    let mut reached = v;
    for _ in 0..HOPS {
        match farthest_incident_edge::<S>(home.vertex_planes(reached), x) {
            Some((at, true)) => reached = home.polyhedron.neighbours_of(reached)[at as usize],
            Some((at, false)) => return (reached, home.incident_edges(reached)[at as usize]),
            None => break,
        }
    }
    (reached, NONE)
}

/// Edge `e` at home, vertex `v` of the other body (Algorithm 5).
#[inline(always)]
pub(super) fn edge_vertex<S: Simd>(home: &Body<'_, S>, other: &Body<'_, S>, e: u32, v: u32) -> Step {
    let sides = Ends::of(home, e, &Segment(home.vertex_of(other, v)));
    if sides.beyond != 0 {
        return Step::Home(leave_edge(home, e, &sides));
    }
    match star_around_foot(home, other, e, v, sides.of_lane(0).0) {
        Foot::Inside => return Step::Done,
        Foot::Beyond(edge) => return Step::Other(edge),
        Foot::Open => {}
    }
    match clip_against_vertex::<S>(other, v, &other.edge_of(home, e)) {
        Out::To(edge) => Step::Other(edge),
        Out::Touching => Step::Pierced,
        Out::No => Step::Done,
    }
}

/// The neighbour of edge `e` beyond whose plane a point lies. The planes of the vertices come first: beyond those of the
/// faces, what is nearer is known only between the vertices (section 3.3).
#[inline(always)]
fn leave_edge<S: Simd>(home: &Body<'_, S>, e: u32, sides: &Ends) -> Feature {
    for lane in 0..2 {
        if sides.both_beyond(lane) {
            return Feature::vertex(home.ends(e)[lane]);
        }
    }
    let face = usize::from(sides.of_lane(RIGHT).0 < sides.of_lane(LEFT).0);
    Feature::face(home.faces(e)[face])
}

/// Where a nearest point lies.
enum Foot {
    /// Strictly inside of the region: where both do, the search is at its end (Theorem 1), and no edge need be clipped.
    Inside,
    /// Beyond the plane of this neighbour, by more than rounding: the neighbour is nearer to it.
    Beyond(Feature),
    /// Too near to a plane to tell, or not told by one point.
    Open,
}

/// Where the point of edge `e` that is `along` (metres) from its tail, the nearest of the edge to `v`, lies of the region of
/// vertex `v` of the other body.
#[inline(always)]
fn star_around_foot<S: Simd>(home: &Body<'_, S>, other: &Body<'_, S>, e: u32, v: u32, along: f64) -> Foot {
    let foot = home.tail(e) + home.along(e).scale(along);
    let foot = other.turned(Vec3::from_f64(foot)).spread();
    let (mut inside, mut most, mut first) = (true, (-other.clear, NONE), 0);
    for eight in other.vertex_planes(v) {
        let sides = lanes::of_vertex(eight, foot).1;
        if sides.gt(V::splat(0.0)).bits() != 0xff {
            inside = false;
            let least = sides.min_lane();
            if least < most.0 {
                most = (least, first + lanes::place(sides, least));
            }
        }
        first += LANES as u32;
    }
    match most.1 {
        NONE if inside => Foot::Inside,
        NONE => Foot::Open,
        at => Foot::Beyond(other.incident_edge(v, at)),
    }
}

/// The edge at vertex `v` that is nearer to `edge` than `v` is, if the nearest point of `edge` lies outside of the
/// region of `v` (section 3.3.1).
#[inline(always)]
fn clip_against_vertex<S: Simd>(home: &Body<'_, S>, v: u32, edge: &Segment<S>) -> Out<Feature> {
    let clip = match clip::clip_by_vertex(home.vertex_planes(v), edge) {
        Cut::Simple(at) => return Out::To(home.incident_edge(v, at)),
        Cut::Part(clip) => clip,
    };
    let x = home.polyhedron.vertex(v);
    if clip.entry != NONE {
        let slope = slope_to_vertex(x, edge, clip.low);
        if slope == Slope::Touching {
            return Out::Touching;
        }
        if falls_beyond(slope, true) {
            return Out::To(home.incident_edge(v, clip.entry));
        }
        // Compound exclusion: the latest entry comes after the earliest exit, so that every point lies beyond one of
        // the two planes, and there that edge is nearer. The distance grows at the entry, so that the nearest point
        // comes before it; or it falls, and the nearest point comes after the exit, too.
        if clip.is_empty() {
            return Out::To(home.incident_edge(v, clip.exit));
        }
    }
    if clip.exit != NONE {
        let slope = slope_to_vertex(x, edge, clip.high);
        if slope == Slope::Touching {
            return Out::Touching;
        }
        if falls_beyond(slope, false) {
            return Out::To(home.incident_edge(v, clip.exit));
        }
    }
    Out::No
}

/// Face `f` at home, vertex `v` of the other body (Algorithm 6).
#[inline(always)]
pub(super) fn face_vertex<S: Simd>(home: &Body<'_, S>, other: &Body<'_, S>, f: u32, v: u32) -> Step {
    let x = home.vertex_of(other, v);
    // The edge whose plane `x` lies farthest beyond holds the point of the face nearest to it. (The normals of the two
    // edges at a vertex are nearer in angle to a direction between them than that of any other edge, and the lines of
    // all other edges lie farther back. So, too, where all planes are off by their rounding, up to that much.)
    if let Some(at) = farthest_beyond(home.side_planes(f), x) {
        return Step::Home(Feature::edge(home.perimeter(f)[at as usize]));
    }
    let plane = home.support(f);
    let height = (Vec3::from_f64(plane.normal).dot(x.spread()) - V::splat(plane.offset)).first();
    // Towards the plane: the printed test, |D(V)| > |D(V')|, misses an edge that pierces the plane and ends beyond it
    // farther away than it began.
    if height != 0.0 {
        let e = towards_plane::<S>(home, other, f, v, height > 0.0);
        if e != NONE {
            return Step::Other(Feature::edge(e));
        }
    }
    if height > 0.0 { Step::Done } else { leave_local_minimum(home, Segment(x).ends()[0]) }
}

/// The edge at vertex `v` of the other body that leads to its neighbour nearest to the plane of face `f`, `v` being
/// above it or below; [`NONE`] if none is nearer than `v`.
#[inline(always)]
fn towards_plane<S: Simd>(home: &Body<'_, S>, other: &Body<'_, S>, f: u32, v: u32, above: bool) -> u32 {
    let heights = Heights::above(home, other, f);
    let sign = V::<S>::splat(if above { 1.0 } else { -1.0 });
    let own = heights.of(v) * sign;
    let mut nearest = (f64::INFINITY, NONE);
    let mut first = 0;
    // Eight neighbours at once. What fills the last eight up is the vertex itself: never nearer.
    for eight in other.polyhedron.neighbour_blocks_of(v) {
        let rise = Vec3::load(eight).dot(heights.normal) * sign;
        if rise.lt(own).bits() != 0 {
            let least = rise.min_lane();
            if least < nearest.0 {
                nearest = (least, first + lanes::place(rise, least));
            }
        }
        first += LANES as u32;
    }
    if other.polyhedron.neighbour_blocks_of(v).is_empty() {
        for (at, &w) in (0..).zip(other.polyhedron.neighbours_of(v)) {
            let height = (heights.of(w) * sign).first();
            if height < own.first() && height < nearest.0 {
                nearest = (height, at);
            }
        }
    }
    other.incident_edges(v).get(nearest.1 as usize).copied().unwrap_or(NONE)
}

/// How high the vertices of the other body are above a face, from its own origin on.
///
/// Which end of an edge is nearer to a face is asked in three states. All ask here: by one number a vertex, so that
/// along a face parallel to the plane, where all is rounding, the answers lead to a lowest vertex and never in circles.
#[derive(Clone, Copy)]
pub(super) struct Heights<'b, 'a, S: Simd> {
    body: &'b Body<'a, S>,
    normal: Vec3<V<S>>,
}

impl<'b, 'a, S: Simd> Heights<'b, 'a, S> {
    #[inline(always)]
    pub(super) fn above(home: &Body<'_, S>, other: &'b Body<'a, S>, f: u32) -> Self {
        Self { body: other, normal: other.direction(home.support(f).normal).spread() }
    }

    /// The height of a vertex, in all lanes.
    #[inline(always)]
    fn of(&self, v: u32) -> V<S> {
        V::twice(self.body.planes.point(v)).spread().dot(self.normal)
    }

    /// How much higher edge `e` is at its head than at its tail.
    #[inline(always)]
    pub(super) fn rise(&self, e: u32) -> f64 {
        let [tail, head] = self.body.ends(e);
        self.of(head).first() - self.of(tail).first()
    }
}

/// A vertex below a face whose edges all lead away from it: inside all planes, or nearer to another face
/// (Algorithm 3).
#[inline(always)]
fn leave_local_minimum<S: Simd>(home: &Body<'_, S>, x: Vec3<f64>) -> Step {
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
pub(super) fn edge_edge<S: Simd>(home: &Body<'_, S>, other: &Body<'_, S>, e: u32, g: u32) -> Step {
    match feet::<S>(home, other, e, g) {
        Feet::Inside => return Step::Done,
        Feet::Home(neighbour) => return Step::Home(neighbour),
        Feet::Other(neighbour) => return Step::Other(neighbour),
        Feet::Open => {}
    }
    match clip_against_edge::<S>(home, other, e, g) {
        Out::To(neighbour) => return Step::Home(neighbour),
        Out::Touching => return Step::Pierced,
        Out::No => {}
    }
    match clip_against_edge::<S>(other, home, g, e) {
        Out::To(neighbour) => Step::Other(neighbour),
        Out::Touching => Step::Pierced,
        Out::No => Step::Done,
    }
}

/// Where the nearest points of the lines of two edges lie.
enum Feet {
    /// Each strictly inside of the region of the other one's edge.
    Inside,
    /// That of the other body's edge lies beyond the plane of this neighbour of the edge at home, by more than rounding, and
    /// on its own edge.
    Home(Feature),
    /// The same the other way round.
    Other(Feature),
    /// Not told by these points.
    Open,
}

/// Where the nearest points of the lines of two edges lie. Never told of edges near to parallel, whose nearest points rounding
/// moves; and outside only of edges well across each other.
///
/// Of a point of one edge the distance to the other's line has its least value there and grows towards both sides. So if it
/// lies on its own edge and beyond a plane, clipping finds the derivative at that plane to lead there, too.
#[inline(always)]
fn feet<S: Simd>(home: &Body<'_, S>, other: &Body<'_, S>, e: u32, g: u32) -> Feet {
    const PARALLEL: f64 = 1e-10;
    // Below, rounding moves the points by more than `Body::clear`.
    const SLANTED: f64 = 1e-3;
    let (tail_e, along_e) = (Vec3::<V<S>>::from_f64(home.tail(e)), Vec3::from_f64(home.along(e)));
    let tail_g = home.vertex_of(other, other.ends(g)[0]).spread();
    let along_g = home.direction(other.along(g)).spread();
    let between = tail_g - tail_e;
    let (cosine, on_e, on_g) = (along_e.dot(along_g), along_e.dot(between), along_g.dot(between));
    let sine2 = V::splat(1.0) - cosine * cosine;
    let s = (on_e - cosine * on_g) / sine2;
    let t = (cosine * on_e - on_g) / sine2;
    let foot_e = other.turned(tail_e + along_e.scale(s)).spread();
    let foot_g = tail_g + along_g.scale(t);
    let zero = V::splat(0.0);
    let (sides_e, sides_g) = (lanes::of_four(home.around(e), foot_g), lanes::of_four(other.around(g), foot_e));
    let apart = sine2.gt(V::splat(PARALLEL)).bits();
    let (inside_e, inside_g) = (sides_e.gt(zero).bits() & apart, sides_g.gt(zero).bits() & apart);
    match (inside_e == 0xff, inside_g == 0xff) {
        (true, true) => Feet::Inside,
        _ if sine2.lt(V::splat(SLANTED)).bits() != 0 => Feet::Open,
        (false, true) => beyond_plane(home, e, sides_e, inside_e).map_or(Feet::Open, Feet::Home),
        (true, false) => beyond_plane(other, g, sides_g, inside_g).map_or(Feet::Open, Feet::Other),
        (false, false) => Feet::Open,
    }
}

/// The neighbour of edge `e` beyond whose plane a point lies, by more than rounding: a vertex first. `inside`, bit by bit: of
/// which planes it lies strictly inside.
#[inline(always)]
fn beyond_plane<S: Simd>(home: &Body<'_, S>, e: u32, sides: V<S>, inside: u8) -> Option<Feature> {
    let beyond = sides.lt(V::splat(-home.clear)).bits();
    if beyond & 0x03 != 0 {
        return Some(Feature::vertex(home.ends(e)[usize::from(beyond & 0x01 == 0)]));
    }
    // Between the vertices for certain; beyond both faces' planes lies nothing that is outside of the body.
    let face = match beyond & 0x0c {
        0x04 => 0,
        0x08 => 1,
        _ => return None,
    };
    (inside & 0x03 == 0x03).then(|| Feature::face(home.faces(e)[face]))
}

/// The signed distances of both ends of an edge from the planes around an edge at home.
#[derive(Clone, Copy)]
pub(super) struct Ends {
    /// Of the tail from the four planes, of the head from them.
    sides: Lane,
    /// Bit by bit: which of them are negative.
    beyond: u8,
}

impl Ends {
    #[inline(always)]
    pub(super) fn of<S: Simd>(home: &Body<'_, S>, e: u32, edge: &Segment<S>) -> Self {
        let sides = lanes::of_ends(home.around(e), edge);
        Self { sides: sides.lanes(), beyond: sides.lt(V::splat(0.0)).bits() }
    }

    /// Those of the tail and of the head from the plane of a lane.
    #[inline(always)]
    pub(super) fn of_lane(&self, lane: usize) -> (f64, f64) {
        (self.sides[lane], self.sides[lane + 4])
    }

    /// Whether both lie beyond the plane of a lane.
    #[inline(always)]
    fn both_beyond(&self, lane: usize) -> bool {
        let both = 0x11 << lane;
        self.beyond & both == both
    }
}

/// The lanes of the planes along an edge's faces.
pub(super) const LEFT: usize = 2;
pub(super) const RIGHT: usize = 3;

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
pub(super) fn slab<S: Simd>(home: &Body<'_, S>, e: u32, edge: &Segment<S>, sides: &Ends) -> Slab {
    let vertices = home.ends(e);
    let mut clip = Clip::WHOLE;
    for lane in 0..2 {
        if sides.both_beyond(lane) {
            return Slab::Vertex(vertices[lane]);
        }
        clip.cut(sides.of_lane(lane), lane as u32);
    }
    for (entry, lane, at) in [(true, clip.entry, clip.low), (false, clip.exit, clip.high)] {
        if lane != NONE {
            let v = vertices[lane as usize];
            let slope = slope_to_vertex(home.polyhedron.vertex(v), edge, at);
            if slope == Slope::Touching {
                return Slab::Touching;
            }
            if falls_beyond(slope, entry) {
                return Slab::Vertex(v);
            }
        }
    }
    Slab::Within(clip)
}

/// The neighbour of edge `e` at home to go on to, if the nearest point of edge `g` of the other body lies outside of the
/// region of `e` (section 3.3.2).
#[inline(always)]
fn clip_against_edge<S: Simd>(home: &Body<'_, S>, other: &Body<'_, S>, e: u32, g: u32) -> Out<Feature> {
    let edge = home.edge_of(other, g);
    let sides = Ends::of::<S>(home, e, &edge);
    if sides.beyond == 0 {
        return Out::No;
    }
    let slab = match slab(home, e, &edge, &sides) {
        Slab::Vertex(v) => return Out::To(Feature::vertex(v)),
        Slab::Touching => return Out::Touching,
        Slab::Within(clip) => clip,
    };
    let faces = home.faces(e);
    let (left, right) = (Out::To(Feature::face(faces[0])), Out::To(Feature::face(faces[1])));
    if sides.both_beyond(LEFT) {
        return left;
    }
    let mut before = slab;
    before.cut(sides.of_lane(LEFT), LEFT as u32);
    // Compound exclusion with a vertex: its check was passed, so the nearest point lies on the face's side.
    if before.is_empty() {
        return left;
    }
    if sides.both_beyond(RIGHT) {
        return right;
    }
    let mut clip = before;
    clip.cut(sides.of_lane(RIGHT), RIGHT as u32);
    let beneath = clip.is_empty();
    if beneath && (clip.entry < LEFT as u32 || clip.exit < LEFT as u32) {
        return right;
    }
    // Compound exclusion between two faces, beneath the edge: the check holds where the first plane is crossed, within
    // the slab; the second may be crossed outside of it. So the first face if the nearest point lies on its side.
    let clip = if beneath { before } else { clip };
    for (entry, lane, at) in [(true, clip.entry, clip.low), (false, clip.exit, clip.high)] {
        // The vertices were checked with the slab.
        if lane >= LEFT as u32 && lane != NONE {
            let slope = slope_to_face(home, other, faces[lane as usize - LEFT], g, &edge, at);
            if slope == Slope::Touching {
                return Out::Touching;
            }
            if falls_beyond(slope, entry) {
                return if lane == LEFT as u32 { left } else { right };
            }
        }
    }
    if beneath { right } else { Out::No }
}

/// A number with the sign of the derivative of the distance from face `f` at home to edge `g` of the other body, within
/// the face's prism (Equation 3).
#[inline(always)]
fn slope_to_face<S: Simd>(
    home: &Body<'_, S>,
    other: &Body<'_, S>,
    f: u32,
    g: u32,
    edge: &Segment<S>,
    lambda: f64,
) -> Slope {
    let plane = home.support(f);
    let [tail, head] = edge.ends();
    let at = between(plane.side(tail), plane.side(head), lambda);
    if at == 0.0 {
        return Slope::Touching;
    }
    let rise = Heights::above(home, other, f).rise(g);
    Slope::Of(if at > 0.0 { rise } else { -rise })
}
