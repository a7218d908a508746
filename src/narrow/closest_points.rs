//! The finisher: one formula per kind of feature pair. Every method ends here, so that a row depends on the feature
//! pair and the pose alone, never on the way to them.
//!
//! All of it runs in `f64` and in double-double. Points are in A's frame.

use super::feature::FeaturePair;
use super::pair::{Pair, Supporting};
use super::proximity::FeatureKind::{Edge, Face, Vertex};
use crate::geometry::{Polyhedron, Real, RelativePose, Scalar, Vec3};

/// Where two features' supporting planes and closest points are.
#[derive(Debug, Clone, Copy)]
pub struct Closest<T> {
    /// Unit direction from A to B along which the features support their bodies.
    pub normal: Vec3<T>,
    /// `normal . (b - a)`: positive where the features are apart, negative where they overlap.
    pub distance: T,
    /// Point of A's feature.
    pub point_a: Vec3<T>,
    /// `point_a + distance * normal`: lies on B's feature to within `residual`.
    pub point_b: Vec3<T>,
    /// How far `point_b` (or `point_a`) may be off its feature's line, metres.
    pub residual: T,
    /// How far the closest points lie inside their features, metres: negative outside, infinite for vertices; minus
    /// infinite where the formula has no direction (coincident points, parallel edges).
    pub interior: T,
    /// How many times the pair's rounding bound the direction may be off, times 1 m of lever: 1 where the direction
    /// is a face's, 1 / sin of the edges' angle, size / distance where it is a difference of points.
    pub amplification: f64,
}

/// A start and a direction.
#[derive(Clone, Copy)]
pub(super) struct Line<T> {
    pub(super) origin: Vec3<T>,
    pub(super) along: Vec3<T>,
}

impl<T: Supporting> Pair<'_, T> {
    fn edge_a(&self, e: u32) -> Line<T> {
        let [v, w] = self.a.edges[e as usize].v;
        let origin = self.vertex_a(v);
        Line { origin, along: self.vertex_a(w) - origin }
    }

    fn edge_b(&self, e: u32) -> Line<T> {
        let [v, w] = self.b.edges[e as usize].v;
        let along = Vec3::<T>::from_f64(self.b.vertex(w)) - Vec3::from_f64(self.b.vertex(v));
        Line { origin: self.vertex_b(v), along: self.pose.vector(along) }
    }
}

/// The closest points of a feature pair; `None` where the formula has no direction (coincident points, parallel
/// edges) or the kinds have no formula.
pub fn finish<T: Supporting>(pair: &Pair<'_, T>, features: &FeaturePair) -> Option<Closest<T>> {
    let (i, j) = (features.a.index, features.b.index);
    let closest = match (features.a.kind, features.b.kind) {
        (Vertex, Vertex) => vertex_vertex(pair.size, pair.vertex_a(i), pair.vertex_b(j)),
        (Edge, Vertex) => vertex_edge(pair.size, pair.vertex_b(j), pair.edge_a(i)).seen_from_edge(),
        (Vertex, Edge) => vertex_edge(pair.size, pair.vertex_a(i), pair.edge_b(j)),
        (Edge, Edge) => {
            let (a, b) = (pair.edge_a(i), pair.edge_b(j));
            edge_edge(a, b, |n| outward(pair, n, a.origin, b.origin))
        }
        (Face, Vertex) => on_face_of_a(pair, i, pair.vertex_b(j)),
        (Vertex, Face) => on_face_of_b(pair, pair.vertex_a(i), j),
        _ => return None,
    };
    let n = closest.normal.to_f64();
    (n.is_finite() && closest.distance.to_f64().is_finite() && closest.interior.to_f64() > f64::NEG_INFINITY)
        .then_some(closest)
}

fn on_face_of_a<T: Supporting>(pair: &Pair<'_, T>, face: u32, b: Vec3<T>) -> Closest<T> {
    let normal = face_normal::<T>(pair.a, face);
    let on_face = Vec3::from_f64(pair.a.vertex(pair.a.face(face)[0]));
    let closest = face_vertex(normal, on_face, b);
    Closest { interior: inside_face(pair.a, face, normal, closest.point_a), ..closest }
}

fn on_face_of_b<T: Supporting>(pair: &Pair<'_, T>, a: Vec3<T>, face: u32) -> Closest<T> {
    let outward = face_normal::<T>(pair.b, face);
    let on_face = Vec3::from_f64(pair.b.vertex(pair.b.face(face)[0]));
    let (closest, foot) = vertex_face(&pair.pose, outward, on_face, a);
    Closest { interior: inside_face(pair.b, face, outward, foot), ..closest }
}

/// Two points.
#[inline(always)] // into loops over samples, so that they vectorise; as are the formulas below
pub(super) fn vertex_vertex<T: Real>(size: f64, a: Vec3<T>, b: Vec3<T>) -> Closest<T> {
    let difference = b - a;
    let distance = difference.length();
    let apart = distance > T::ZERO;
    Closest {
        normal: difference.scale(T::ONE / distance),
        distance,
        point_a: a,
        point_b: b,
        residual: T::ZERO,
        interior: T::from_f64(if apart { f64::INFINITY } else { f64::NEG_INFINITY }),
        amplification: 1.0 + size / distance.to_f64(),
    }
}

/// A vertex of A and an edge of B.
#[inline(always)]
pub(super) fn vertex_edge<T: Real>(size: f64, a: Vec3<T>, edge: Line<T>) -> Closest<T> {
    let (e, e2) = (edge.along, edge.along.length2());
    let s = (a - edge.origin).dot(e) / e2;
    let on_line = edge.origin + e.scale(s);
    // Near contact the difference of the points is rounding; what counts is that the direction is orthogonal to the
    // edge, so the part along it is taken out once more after normalising.
    let unit = orthogonal(orthogonal(on_line - a, e, e2).normalized(), e, e2).normalized();
    let distance = unit.dot(edge.origin - a);
    let point_b = a + unit.scale(distance);
    let length = e2.sqrt();
    Closest {
        normal: unit,
        distance,
        point_a: a,
        point_b,
        residual: (on_line - point_b).length(),
        interior: where_defined(e2 > T::ZERO, (s * length).smaller((T::ONE - s) * length)),
        amplification: 1.0 + size / distance.to_f64().abs(),
    }
}

/// Two edges; `outward(n)` is positive where `n`, orthogonal to both, points from A to B.
#[inline(always)]
pub(super) fn edge_edge<T: Real>(a: Line<T>, b: Line<T>, outward: impl FnOnce(Vec3<T>) -> T) -> Closest<T> {
    let (ea, eb) = (a.along, b.along);
    let cross = ea.cross(eb);
    let (c2, a2, b2) = (cross.length2(), ea.length2(), eb.length2());
    let sine2 = c2 / (a2 * b2);
    // Edges closer to parallel than rounding can tell have no direction in common.
    let crossing = sine2 > T::from_f64(65_536.0 * T::UNIT * T::UNIT);
    let unit = orthogonal(orthogonal(cross.normalized(), ea, a2), eb, b2).normalized();
    let w = b.origin - a.origin;
    let unit = if outward(unit) < T::ZERO { -unit } else { unit };
    let distance = unit.dot(w);
    let s = w.cross(eb).dot(cross) / c2;
    let t = w.cross(ea).dot(cross) / c2;
    let point_a = a.origin + ea.scale(s);
    let point_b = point_a + unit.scale(distance);
    let (la, lb) = (a2.sqrt(), b2.sqrt());
    let inside_a = (s * la).smaller((T::ONE - s) * la);
    let inside_b = (t * lb).smaller((T::ONE - t) * lb);
    Closest {
        normal: unit,
        distance,
        point_a,
        point_b,
        residual: (b.origin + eb.scale(t) - point_b).length(),
        interior: where_defined(crossing, inside_a.smaller(inside_b)),
        amplification: 1.0 / sine2.to_f64().sqrt(),
    }
}

/// How far inside, where the formula has a direction at all.
#[inline(always)]
fn where_defined<T: Real>(defined: bool, interior: T) -> T {
    if defined { interior } else { T::from_f64(f64::NEG_INFINITY) }
}

/// Positive where the unit vector `n` points out of A at `pa` and into B at `pb`: decided where it is beyond the
/// pair's bound.
#[inline(always)]
pub(super) fn out_and_in<T: Real>(n: Vec3<T>, pa: Vec3<T>, pb: Vec3<T>, mean_a: Vec3<T>, mean_b: Vec3<T>) -> T {
    n.dot(pa - mean_a) + n.dot(mean_b - pb)
}

/// Positive where `n` points out of A at `pa` and into B at `pb`; where both bodies are too flat to tell, where it
/// points from A's edge to B's, and at last where its first component that is not 0 is positive.
fn outward<T: Supporting>(pair: &Pair<'_, T>, n: Vec3<T>, pa: Vec3<T>, pb: Vec3<T>) -> T {
    let (mean_a, mean_b) = (Vec3::from_f64(pair.a.mean), pair.pose.point(Vec3::from_f64(pair.b.mean)));
    let sum = out_and_in(n, pa, pb, mean_a, mean_b);
    if sum.abs().to_f64() > pair.bound() {
        return sum;
    }
    let across = n.dot(pb - pa);
    if across.abs().to_f64() > pair.bound() {
        return across;
    }
    n.to_array().into_iter().find(|c| c.abs().to_f64() > T::UNIT * 1024.0).unwrap_or(T::ONE)
}

/// A vertex `b` of B and A's face through `on_face`; how far inside is still to be found.
#[inline(always)]
pub(super) fn face_vertex<T: Real>(normal: Vec3<T>, on_face: Vec3<T>, b: Vec3<T>) -> Closest<T> {
    let distance = normal.dot(b - on_face);
    Closest {
        normal,
        distance,
        point_a: b - normal.scale(distance),
        point_b: b,
        residual: T::ZERO,
        interior: T::from_f64(f64::INFINITY),
        amplification: 1.0,
    }
}

/// A vertex `a` of A and B's face through `on_face` with the normal `outward`, both in B's frame, where the foot of
/// the vertex is returned too.
#[inline(always)]
pub(super) fn vertex_face<T: Real>(
    pose: &RelativePose<T>,
    outward: Vec3<T>,
    on_face: Vec3<T>,
    a: Vec3<T>,
) -> (Closest<T>, Vec3<T>) {
    let seen_from_b = pose.inverse_vector(a - pose.t);
    let distance = outward.dot(seen_from_b - on_face);
    let normal = -pose.vector(outward);
    let closest = Closest {
        normal,
        distance,
        point_a: a,
        point_b: a + normal.scale(distance),
        residual: T::ZERO,
        interior: T::from_f64(f64::INFINITY),
        amplification: 1.0,
    };
    (closest, seen_from_b - outward.scale(distance))
}

/// How far a point of the face's plane lies inside the face (negative: outside the nearest side).
fn inside_face<T: Supporting>(p: &Polyhedron, face: u32, normal: Vec3<T>, point: Vec3<T>) -> T {
    let loop_ = p.face(face);
    let mut inside = T::from_f64(f64::INFINITY);
    let mut from = Vec3::<T>::from_f64(p.vertex(loop_[loop_.len() - 1]));
    for &v in loop_ {
        let to = Vec3::from_f64(p.vertex(v));
        inside = inside.smaller(Side::new(normal, from, to).depth(point));
        from = to;
    }
    inside
}

/// A side of a face.
#[derive(Clone, Copy)]
pub(super) struct Side<T> {
    from: Vec3<T>,
    /// Points into the face, as long as the side.
    inward: Vec3<T>,
    length: T,
}

impl<T: Real> Side<T> {
    #[inline(always)]
    pub(super) fn new(normal: Vec3<T>, from: Vec3<T>, to: Vec3<T>) -> Self {
        let side = to - from;
        Self { from, inward: normal.cross(side), length: side.length() }
    }

    /// How far a point of the face's plane lies inside of this side.
    #[inline(always)]
    pub(super) fn depth(&self, point: Vec3<T>) -> T {
        self.inward.dot(point - self.from) / self.length
    }
}

/// The outward unit normal of a face: the stored one in `f64`, computed afresh in wider numbers.
fn face_normal<T: Supporting>(p: &Polyhedron, face: u32) -> Vec3<T> {
    let stored = p.normals[face as usize];
    if T::UNIT >= f64::UNIT {
        return Vec3::from_f64(stored);
    }
    // A wide triangle: the vertex farthest from the first, then the one farthest from their line.
    let loop_ = p.face(face);
    let first = Vec3::<T>::from_f64(p.vertex(loop_[0]));
    let side = |v: u32| Vec3::<T>::from_f64(p.vertex(v)) - first;
    let mut far = (1, side(loop_[1]));
    for (i, &v) in loop_.iter().enumerate().skip(2) {
        let s = side(v);
        if s.length2() > far.1.length2() {
            far = (i, s);
        }
    }
    let mut best = Vec3::ZERO;
    for (i, &v) in loop_.iter().enumerate().skip(1) {
        let cross = if i < far.0 { side(v).cross(far.1) } else { far.1.cross(side(v)) };
        if cross.length2() > best.length2() {
            best = cross;
        }
    }
    best.normalized()
}

/// `v` without its part along `e`.
#[inline(always)]
fn orthogonal<T: Real>(v: Vec3<T>, e: Vec3<T>, e2: T) -> Vec3<T> {
    v - e.scale(v.dot(e) / e2)
}

impl<T: Real> Closest<T> {
    /// The answer for (vertex of A, edge of B) as that for (edge of A, vertex of B): the vertex was handed in as A's.
    #[inline(always)]
    pub(super) fn seen_from_edge(self) -> Self {
        Self { normal: -self.normal, point_a: self.point_b, point_b: self.point_a, ..self }
    }
}
