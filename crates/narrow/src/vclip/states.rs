//! The states of Mirtich 1997, Figure 2, except edge-face: vertex-vertex, vertex-edge, vertex-face,
//! edge-edge.

use super::clip::{
    self, Clip, ClipResult, NONE, RegionExit, Slope, between, falls_beyond, most_violated_incident_edge,
    most_violated_side, slope_to_vertex,
};
use super::plane_distances::{ends_to_four, lane_of_least, to_four, to_vertex_planes};
use super::regions::{BodyView, Segment};
use super::transition::Transition;
use crate::feature::Feature;
use clearsweep_base::simd::{Lane, Simd, V};
use clearsweep_geometry::Vec3;
use clearsweep_geometry::polyhedron::LANES;

/// Most edges that one walk from vertex to vertex passes.
const MAX_HOPS: usize = 64;

/// The state of vertex `v` at home and vertex `w` of the other body: whether each lies in the
/// other's region (Algorithm 4). Transitions to edges come last, when neither vertex walk moves any
/// more: far from the closest features, an edge state costs more than it gains.
#[inline(always)]
pub(super) fn vertex_vertex<S: Simd>(home: &BodyView<'_, S>, other: &BodyView<'_, S>, v: u32, w: u32) -> Transition {
    let (reached, incident_edge) = walk_vertices::<S>(home, v, home.vertex_of(other, w));
    if reached != v {
        return Transition::Home(Feature::vertex(reached));
    }
    let (reached, back) = walk_vertices::<S>(other, w, other.vertex_of(home, v));
    if reached != w {
        return Transition::Other(Feature::vertex(reached));
    }
    if incident_edge != NONE {
        return Transition::Home(Feature::edge(incident_edge));
    }
    if back == NONE { Transition::Converged } else { Transition::Other(Feature::edge(back)) }
}

/// Walks from vertex `v` while `x` lies outside of the vertex's region: along the incident edge
/// whose plane `x` violates most, as long as `x` also violates the plane at that edge's far end,
/// where the edge state between would go. The distance falls with each vertex, as it does from
/// state to state.
///
/// Returns the vertex that is reached, and the incident edge whose plane `x` violates there, or
/// [`NONE`].
#[inline(always)]
fn walk_vertices<S: Simd>(home: &BodyView<'_, S>, v: u32, x: V<S>) -> (u32, u32) {
    let mut reached = v;
    for _ in 0..MAX_HOPS {
        match most_violated_incident_edge::<S>(home.vertex_planes(reached), x) {
            Some((at, true)) => reached = home.polyhedron.neighbours_of(reached)[at as usize],
            Some((at, false)) => return (reached, home.incident_edges(reached)[at as usize]),
            None => break,
        }
    }
    (reached, NONE)
}

/// The state of edge `e` at home and vertex `v` of the other body (Algorithm 5).
#[inline(always)]
pub(super) fn edge_vertex<S: Simd>(home: &BodyView<'_, S>, other: &BodyView<'_, S>, e: u32, v: u32) -> Transition {
    let sides = EndDistances::of(home, e, &Segment(home.vertex_of(other, v)));
    if sides.beyond != 0 {
        return Transition::Home(leave_edge(home, e, &sides));
    }
    match locate_foot(home, other, e, v, sides.of_lane(0).0) {
        FootLocation::Inside => return Transition::Converged,
        FootLocation::Beyond(edge) => return Transition::Other(edge),
        FootLocation::Undecided => {}
    }
    match clip_against_vertex::<S>(other, v, &other.edge_of(home, e)) {
        RegionExit::To(edge) => Transition::Other(edge),
        RegionExit::Touching => Transition::Overlap,
        RegionExit::Inside => Transition::Converged,
    }
}

/// The neighbour of edge `e` whose plane a point violates. Vertex planes come first: beyond a side
/// plane, the face is known to be nearer only between the vertices (section 3.3).
#[inline(always)]
fn leave_edge<S: Simd>(home: &BodyView<'_, S>, e: u32, sides: &EndDistances) -> Feature {
    for lane in 0..2 {
        if sides.both_beyond(lane) {
            return Feature::vertex(home.ends(e)[lane]);
        }
    }
    let face = usize::from(sides.of_lane(RIGHT).0 < sides.of_lane(LEFT).0);
    Feature::face(home.faces(e)[face])
}

/// The location of a closest point (the foot of a perpendicular) relative to a region.
enum FootLocation {
    /// Strictly inside: where both closest points are, the search has converged (Theorem 1), and no
    /// edge need be clipped.
    Inside,
    /// Beyond the plane of this neighbour by more than rounding: the neighbour is nearer.
    Beyond(Feature),
    /// Too near to a plane, or not decided by one point.
    Undecided,
}

/// Locates the point of edge `e` nearest to vertex `v` of the other body, `along` metres from its
/// tail, relative to the region of `v`.
#[inline(always)]
fn locate_foot<S: Simd>(home: &BodyView<'_, S>, other: &BodyView<'_, S>, e: u32, v: u32, along: f64) -> FootLocation {
    let foot = home.tail(e) + home.along(e).scale(along);
    let foot = Vec3::spread(other.transformed(Vec3::from_f64(foot)));
    let (mut inside, mut most, mut first) = (true, (-other.clear, NONE), 0);
    for eight in other.vertex_planes(v) {
        let sides = to_vertex_planes(eight, foot).1;
        if sides.gt(V::splat(0.0)).bits() != 0xff {
            inside = false;
            let least = sides.min_lane();
            if least < most.0 {
                most = (least, first + lane_of_least(sides, least));
            }
        }
        first += LANES as u32;
    }
    match most.1 {
        NONE if inside => FootLocation::Inside,
        NONE => FootLocation::Undecided,
        at => FootLocation::Beyond(other.incident_edge(v, at)),
    }
}

/// The incident edge of vertex `v` that is nearer to `edge` than `v` is, if the nearest point of
/// `edge` lies outside of the region of `v` (section 3.3.1).
#[inline(always)]
fn clip_against_vertex<S: Simd>(home: &BodyView<'_, S>, v: u32, edge: &Segment<S>) -> RegionExit<Feature> {
    let clip = match clip::clip_by_vertex(home.vertex_planes(v), edge) {
        ClipResult::Excluded(at) => return RegionExit::To(home.incident_edge(v, at)),
        ClipResult::Part(clip) => clip,
    };
    let x = home.polyhedron.vertex(v);
    if clip.entry != NONE {
        let slope = slope_to_vertex(x, edge, clip.low);
        if slope == Slope::Touching {
            return RegionExit::Touching;
        }
        if falls_beyond(slope, true) {
            return RegionExit::To(home.incident_edge(v, clip.entry));
        }
        // Compound exclusion: the last entry comes after the first exit, so every point of `edge`
        // lies beyond one of the two planes, and the incident edge of that plane is nearer to it.
        // The distance grows at the entry, so the nearest point comes before it; if the distance
        // falls there, the nearest point comes after the exit, too.
        if clip.is_empty() {
            return RegionExit::To(home.incident_edge(v, clip.exit));
        }
    }
    if clip.exit != NONE {
        let slope = slope_to_vertex(x, edge, clip.high);
        if slope == Slope::Touching {
            return RegionExit::Touching;
        }
        if falls_beyond(slope, false) {
            return RegionExit::To(home.incident_edge(v, clip.exit));
        }
    }
    RegionExit::Inside
}

/// The state of face `f` at home and vertex `v` of the other body (Algorithm 6).
#[inline(always)]
pub(super) fn face_vertex<S: Simd>(home: &BodyView<'_, S>, other: &BodyView<'_, S>, f: u32, v: u32) -> Transition {
    let x = home.vertex_of(other, v);
    // The boundary edge whose plane `x` violates most holds the face's point nearest to `x`: the
    // normals of the two edges at a vertex are nearer in angle to a direction between them than the
    // normal of any other edge, and the lines of all other edges lie farther back. With rounded
    // planes this holds up to their rounding.
    if let Some(at) = most_violated_side(home.side_planes(f), x) {
        return Transition::Home(Feature::edge(home.boundary(f)[at as usize]));
    }
    let plane = home.support(f);
    let height = (Vec3::from_f64(plane.normal).dot(Vec3::spread(x)) - V::splat(plane.offset)).first();
    // The printed test, |D(V)| > |D(V')|, misses an edge that pierces the plane and ends farther
    // from it than it began. Here any edge that leads towards the plane counts.
    if height != 0.0 {
        let e = towards_plane::<S>(home, other, f, v, height > 0.0);
        if e != NONE {
            return Transition::Other(Feature::edge(e));
        }
    }
    if height > 0.0 { Transition::Converged } else { escape_local_minimum(home, Segment(x).ends()[0]) }
}

/// The incident edge of vertex `v` of the other body that leads farthest towards the plane of face
/// `f`, with `v` above or below it; [`NONE`] if no neighbour lies in that direction.
#[inline(always)]
fn towards_plane<S: Simd>(home: &BodyView<'_, S>, other: &BodyView<'_, S>, f: u32, v: u32, above: bool) -> u32 {
    let heights = Heights::above(home, other, f);
    let sign = V::<S>::splat(if above { 1.0 } else { -1.0 });
    let own = heights.of(v) * sign;
    let mut nearest = (f64::INFINITY, NONE);
    let mut first = 0;
    // Eight neighbours at once. The padding of the last eight is the vertex itself, which is never
    // nearer.
    for eight in other.polyhedron.neighbour_blocks_of(v) {
        let rise = Vec3::load(eight).dot(heights.normal) * sign;
        if rise.lt(own).bits() != 0 {
            let least = rise.min_lane();
            if least < nearest.0 {
                nearest = (least, first + lane_of_least(rise, least));
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

/// Heights of the other body's vertices above a face, from the other body's origin on.
///
/// Three states ask which end of an edge is nearer to a face. All use these heights: one number per
/// vertex defines a total order, so on a face parallel to the plane, where heights differ by
/// rounding only, the transitions lead to a lowest vertex and never in a cycle.
#[derive(Clone, Copy)]
pub(super) struct Heights<'b, 'a, S: Simd> {
    body: &'b BodyView<'a, S>,
    normal: Vec3<V<S>>,
}

impl<'b, 'a, S: Simd> Heights<'b, 'a, S> {
    #[inline(always)]
    pub(super) fn above(home: &BodyView<'_, S>, other: &'b BodyView<'a, S>, f: u32) -> Self {
        Self { body: other, normal: Vec3::spread(other.direction(home.support(f).normal)) }
    }

    /// The height of a vertex, in all lanes.
    #[inline(always)]
    fn of(&self, v: u32) -> V<S> {
        Vec3::spread(V::twice(self.body.planes.point(v))).dot(self.normal)
    }

    /// The height of the head of edge `e` less the height of its tail.
    #[inline(always)]
    pub(super) fn rise(&self, e: u32) -> f64 {
        let [tail, head] = self.body.ends(e);
        self.of(head).first() - self.of(tail).first()
    }
}

/// The escape from a local minimum (Algorithm 3): the vertex `x` lies below a face and its edges
/// all lead away. Either it is inside all face planes, or another face is nearer.
#[inline(always)]
fn escape_local_minimum<S: Simd>(home: &BodyView<'_, S>, x: Vec3<f64>) -> Transition {
    let mut highest = (f64::NEG_INFINITY, 0);
    for f in 0..home.polyhedron.face_count() as u32 {
        let height = home.support(f).side(x);
        if height > highest.0 {
            highest = (height, f);
        }
    }
    if highest.0 <= 0.0 { Transition::Overlap } else { Transition::Home(Feature::face(highest.1)) }
}

/// The state of edge `e` at home and edge `g` of the other body (Algorithm 7).
#[inline(always)]
pub(super) fn edge_edge<S: Simd>(home: &BodyView<'_, S>, other: &BodyView<'_, S>, e: u32, g: u32) -> Transition {
    match locate_feet::<S>(home, other, e, g) {
        FeetLocation::Inside => return Transition::Converged,
        FeetLocation::Home(neighbour) => return Transition::Home(neighbour),
        FeetLocation::Other(neighbour) => return Transition::Other(neighbour),
        FeetLocation::Undecided => {}
    }
    match clip_against_edge::<S>(home, other, e, g) {
        RegionExit::To(neighbour) => return Transition::Home(neighbour),
        RegionExit::Touching => return Transition::Overlap,
        RegionExit::Inside => {}
    }
    match clip_against_edge::<S>(other, home, g, e) {
        RegionExit::To(neighbour) => Transition::Other(neighbour),
        RegionExit::Touching => Transition::Overlap,
        RegionExit::Inside => Transition::Converged,
    }
}

/// The locations of the closest points of two edges' lines, each relative to the region of the
/// other edge.
enum FeetLocation {
    /// Both strictly inside.
    Inside,
    /// The point on the other body's edge lies on that edge, and beyond the plane of this neighbour
    /// of the edge at home by more than rounding.
    Home(Feature),
    /// The same with the roles of the two edges exchanged.
    Other(Feature),
    /// Not decided by these points.
    Undecided,
}

/// Locates the closest points of the lines of two edges. Undecided for edges near to parallel,
/// whose closest points rounding moves; `Home` and `Other` only for edges at a larger angle.
///
/// The distance of a point on one edge to the other edge's line has its minimum at the closest
/// point and grows to both sides. So if that point lies on its own edge and beyond a plane,
/// clipping would find that the derivative at the plane leads there, too.
#[inline(always)]
fn locate_feet<S: Simd>(home: &BodyView<'_, S>, other: &BodyView<'_, S>, e: u32, g: u32) -> FeetLocation {
    // Squared sine below which the edges count as parallel.
    const PARALLEL: f64 = 1e-10;
    // Squared sine below which rounding may move the points by more than `BodyView::clear`.
    const SLANTED: f64 = 1e-3;
    let (tail_e, along_e) = (Vec3::<V<S>>::from_f64(home.tail(e)), Vec3::from_f64(home.along(e)));
    let tail_g = Vec3::spread(home.vertex_of(other, other.ends(g)[0]));
    let along_g = Vec3::spread(home.direction(other.along(g)));
    let between = tail_g - tail_e;
    let (cosine, on_e, on_g) = (along_e.dot(along_g), along_e.dot(between), along_g.dot(between));
    let sine2 = V::splat(1.0) - cosine * cosine;
    let s = (on_e - cosine * on_g) / sine2;
    let t = (cosine * on_e - on_g) / sine2;
    let foot_e = Vec3::spread(other.transformed(tail_e + along_e.scale(s)));
    let foot_g = tail_g + along_g.scale(t);
    let zero = V::splat(0.0);
    let (sides_e, sides_g) = (to_four(home.edge_planes(e), foot_g), to_four(other.edge_planes(g), foot_e));
    let apart = sine2.gt(V::splat(PARALLEL)).bits();
    let (inside_e, inside_g) = (sides_e.gt(zero).bits() & apart, sides_g.gt(zero).bits() & apart);
    match (inside_e == 0xff, inside_g == 0xff) {
        (true, true) => FeetLocation::Inside,
        _ if sine2.lt(V::splat(SLANTED)).bits() != 0 => FeetLocation::Undecided,
        (false, true) => beyond_plane(home, e, sides_e, inside_e).map_or(FeetLocation::Undecided, FeetLocation::Home),
        (true, false) => beyond_plane(other, g, sides_g, inside_g).map_or(FeetLocation::Undecided, FeetLocation::Other),
        (false, false) => FeetLocation::Undecided,
    }
}

/// The neighbour of edge `e` whose plane a point violates by more than rounding, a vertex first.
/// `inside`: bit `i` is set if the point lies strictly inside of plane `i`.
#[inline(always)]
fn beyond_plane<S: Simd>(home: &BodyView<'_, S>, e: u32, sides: V<S>, inside: u8) -> Option<Feature> {
    let beyond = sides.lt(V::splat(-home.clear)).bits();
    if beyond & 0x03 != 0 {
        return Some(Feature::vertex(home.ends(e)[usize::from(beyond & 0x01 == 0)]));
    }
    // A face counts only if the point is strictly between the vertex planes. A point beyond both
    // side planes lies inside the body.
    let face = match beyond & 0x0c {
        0x04 => 0,
        0x08 => 1,
        _ => return None,
    };
    (inside & 0x03 == 0x03).then(|| Feature::face(home.faces(e)[face]))
}

/// The signed distances of both ends of an edge from the planes around an edge at home.
#[derive(Clone, Copy)]
pub(super) struct EndDistances {
    /// Distances of the tail from the four planes in lanes 0 to 3, of the head in lanes 4 to 7.
    sides: Lane,
    /// Bit `i`: distance `i` is negative.
    beyond: u8,
}

impl EndDistances {
    #[inline(always)]
    pub(super) fn of<S: Simd>(home: &BodyView<'_, S>, e: u32, edge: &Segment<S>) -> Self {
        let sides = ends_to_four(home.edge_planes(e), edge);
        Self { sides: sides.lanes(), beyond: sides.lt(V::splat(0.0)).bits() }
    }

    /// The distances of the tail and of the head from the plane in a lane.
    #[inline(always)]
    pub(super) fn of_lane(&self, lane: usize) -> (f64, f64) {
        (self.sides[lane], self.sides[lane + 4])
    }

    /// Whether both ends lie beyond the plane in a lane.
    #[inline(always)]
    fn both_beyond(&self, lane: usize) -> bool {
        let both = 0x11 << lane;
        self.beyond & both == both
    }
}

/// The lane of the plane along an edge's left face, `f[0]`.
pub(super) const LEFT: usize = 2;
/// The lane of the plane along its right face, `f[1]`.
pub(super) const RIGHT: usize = 3;

/// The test of an edge against the slab between the vertex planes of another edge.
pub(super) enum Slab {
    /// Its nearest point lies beyond the plane of this vertex.
    Vertex(u32),
    /// Its nearest point lies in this part.
    Within(Clip),
    /// It meets a vertex.
    Touching,
}

/// Clips `edge` against the vertex planes of `e`, and checks the derivatives at the crossings.
#[inline(always)]
pub(super) fn slab<S: Simd>(home: &BodyView<'_, S>, e: u32, edge: &Segment<S>, sides: &EndDistances) -> Slab {
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

/// The neighbour of edge `e` at home to go on to, if the nearest point of edge `g` of the other
/// body lies outside of the region of `e` (section 3.3.2).
#[inline(always)]
fn clip_against_edge<S: Simd>(home: &BodyView<'_, S>, other: &BodyView<'_, S>, e: u32, g: u32) -> RegionExit<Feature> {
    let edge = home.edge_of(other, g);
    let sides = EndDistances::of::<S>(home, e, &edge);
    if sides.beyond == 0 {
        return RegionExit::Inside;
    }
    let slab = match slab(home, e, &edge, &sides) {
        Slab::Vertex(v) => return RegionExit::To(Feature::vertex(v)),
        Slab::Touching => return RegionExit::Touching,
        Slab::Within(clip) => clip,
    };
    let faces = home.faces(e);
    let (left, right) = (RegionExit::To(Feature::face(faces[0])), RegionExit::To(Feature::face(faces[1])));
    if sides.both_beyond(LEFT) {
        return left;
    }
    let mut before = slab;
    before.cut(sides.of_lane(LEFT), LEFT as u32);
    // Compound exclusion with a vertex plane: the check at the vertex passed, so the nearest point
    // lies beyond the face's plane.
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
    // Compound exclusion by both side planes: `g` passes beneath the edge. The derivative is valid
    // where the first plane is crossed, within the slab; the second plane may be crossed outside of
    // it. So only the first crossing is checked: the first face if the distance falls towards it,
    // else the second.
    let clip = if beneath { before } else { clip };
    for (entry, lane, at) in [(true, clip.entry, clip.low), (false, clip.exit, clip.high)] {
        // The crossings of the vertex planes were checked with the slab.
        if lane >= LEFT as u32 && lane != NONE {
            let slope = slope_to_face(home, other, faces[lane as usize - LEFT], g, &edge, at);
            if slope == Slope::Touching {
                return RegionExit::Touching;
            }
            if falls_beyond(slope, entry) {
                return if lane == LEFT as u32 { left } else { right };
            }
        }
    }
    if beneath { right } else { RegionExit::Inside }
}

/// The derivative of the distance from face `f` at home to edge `g` of the other body, within the
/// face's prism (Equation 3).
#[inline(always)]
fn slope_to_face<S: Simd>(
    home: &BodyView<'_, S>,
    other: &BodyView<'_, S>,
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
