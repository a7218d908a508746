//! The closest points of a feature pair: one formula per kind. Every method ends here, so that a
//! row depends on the feature pair and the pose alone, never on the way to them.
//!
//! Every formula is generic over the numbers ([`Scalar`]): `f64`, double-double, and eight `f64` in
//! a register.

use super::feature::{Feature, FeaturePair};
use super::kind::FormulaKind;
use super::pair::{Pair, Supporting, bound_of};
use crate::feature::FeatureKind::{Edge, Face, Vertex};
use clearsweep_geometry::{Polyhedron, Real, RelativePose, Scalar, Vec3};

/// The supporting planes and the closest points of two features, in A's frame.
#[derive(Debug, Clone, Copy)]
pub struct Closest<T: Scalar> {
    /// Unit direction from A to B along which the features support their bodies.
    pub normal: Vec3<T>,
    /// `normal . (b - a)`, metres: positive where the features are apart, negative where they
    /// overlap.
    pub distance: T,
    /// Point of A's feature.
    pub point_a: Vec3<T>,
    /// `point_a + distance * normal`: lies on B's feature to within `residual`.
    pub point_b: Vec3<T>,
    /// Bound on the distance of `point_b` (or `point_a`) from its feature's line, metres.
    pub residual: T,
    /// Depth of the closest points inside their features, metres: negative outside, infinite for
    /// vertices; minus infinite where the formula has no direction (coincident points, parallel
    /// edges).
    pub interior: T,
    /// How many times the pair's rounding bound the direction may be off, times 1 m of lever: 1
    /// where the direction is a face's, 1 / sin of the edges' angle, size / distance where it is a
    /// difference of points.
    pub amplification: T::Bound,
}

/// The numbers that a formula reads of a feature, in the frame of its body.
#[derive(Clone, Copy)]
pub(super) struct Operand<T> {
    /// A vertex of the feature: of an edge its tail.
    pub(super) point: Vec3<T>,
    /// An edge's vector from tail to head; a face's outward unit normal; of a vertex nothing.
    pub(super) direction: Vec3<T>,
    /// The mean of the body's vertices.
    pub(super) mean: Vec3<T>,
}

/// A line: a point and a direction.
#[derive(Clone, Copy)]
struct FeatureLine<T> {
    origin: Vec3<T>,
    along: Vec3<T>,
}

impl<T: Scalar> Operand<T> {
    #[inline(always)] // into loops over samples and into code for wider registers; as are the formulas below
    fn line(&self) -> FeatureLine<T> {
        FeatureLine { origin: self.point, along: self.direction }
    }

    /// The edge of B in A's frame.
    #[inline(always)]
    fn line_in(&self, pose: &RelativePose<T>) -> FeatureLine<T> {
        FeatureLine { origin: pose.point(self.point), along: pose.vector(self.direction) }
    }
}

/// The closest points of features of a kind; of a face and a vertex also the foot of the vertex in
/// the face's frame, and how far it lies inside of the face is still to be found. `size`: of the
/// pair, metres.
#[inline(always)]
pub(super) fn of_kind<T: Scalar>(
    kind: FormulaKind,
    size: T::Bound,
    pose: &RelativePose<T>,
    a: &Operand<T>,
    b: &Operand<T>,
) -> (Closest<T>, Vec3<T>) {
    let closest = match kind {
        FormulaKind::VertexVertex => vertex_vertex(size, a.point, pose.point(b.point)),
        FormulaKind::EdgeVertex => vertex_edge(size, pose.point(b.point), a.line()).seen_from_edge(),
        FormulaKind::VertexEdge => vertex_edge(size, a.point, b.line_in(pose)),
        FormulaKind::EdgeEdge => {
            let (edge_a, edge_b) = (a.line(), b.line_in(pose));
            let normal = CommonNormal::new(edge_a, edge_b);
            let out = outward(size, normal.unit, [edge_a.origin, edge_b.origin], [a.mean, pose.point(b.mean)]);
            normal.closest_points(edge_a, edge_b, out)
        }
        FormulaKind::FaceVertex => {
            let closest = face_vertex(a.direction, a.point, pose.point(b.point));
            return (closest, closest.point_a);
        }
        FormulaKind::VertexFace => return vertex_face(pose, b.direction, b.point, a.point),
    };
    (closest, closest.point_a)
}

/// The closest points of a feature pair; `None` where the formula has no direction (coincident
/// points, parallel edges) or the kinds have no formula.
pub fn closest_points<T: Supporting>(pair: &Pair<'_, T>, features: &FeaturePair) -> Option<Closest<T>> {
    let kind = FormulaKind::of(features)?;
    let (a, b) = (operand(pair.a, features.a), operand(pair.b, features.b));
    let (mut closest, foot) = of_kind(kind, pair.size, &pair.pose, &a, &b);
    match kind {
        FormulaKind::FaceVertex => closest.interior = inside_face(pair.a, features.a.index, a.direction, foot),
        FormulaKind::VertexFace => closest.interior = inside_face(pair.b, features.b.index, b.direction, foot),
        _ => {}
    }
    let n = closest.normal.to_f64();
    (n.is_finite() && closest.distance.to_f64().is_finite() && closest.interior.to_f64() > f64::NEG_INFINITY)
        .then_some(closest)
}

fn operand<T: Supporting>(p: &Polyhedron, feature: Feature) -> Operand<T> {
    let point = Vec3::from_f64(p.vertex(feature.first_vertex(p)));
    let direction = match feature.kind {
        Vertex => Vec3::ZERO,
        Edge => Vec3::from_f64(p.vertex(p.edges[feature.index as usize].v[1])) - point,
        Face => face_normal(p, feature.index),
    };
    Operand { point, direction, mean: Vec3::from_f64(p.mean) }
}

/// Whether two features are edges too close to parallel for rounding to tell: their formula has no
/// direction.
#[inline(always)]
pub(super) fn edges_are_parallel(pair: &Pair<'_, f64>, features: &FeaturePair) -> bool {
    if (features.a.kind, features.b.kind) != (Edge, Edge) {
        return false;
    }
    let [a, b] = [(pair.a, features.a), (pair.b, features.b)].map(|(p, edge)| {
        let [tail, head] = p.edges[edge.index as usize].v;
        p.vertex(head) - p.vertex(tail)
    });
    let b = pair.pose.vector(b);
    !is_crossing(a.cross(b).length2() / (a.length2() * b.length2()))
}

/// Whether the squared sine of the angle of two edges is more than rounding.
#[inline(always)]
fn is_crossing<T: Scalar>(sine2: T) -> T::Mask {
    sine2.gt(T::from_f64(65_536.0 * T::UNIT * T::UNIT))
}

/// Two points.
#[inline(always)]
fn vertex_vertex<T: Scalar>(size: T::Bound, a: Vec3<T>, b: Vec3<T>) -> Closest<T> {
    let difference = b - a;
    let distance = difference.length();
    Closest {
        normal: difference.scale(T::one() / distance),
        distance,
        point_a: a,
        point_b: b,
        residual: T::zero(),
        interior: where_defined(distance.gt(T::zero()), T::from_f64(f64::INFINITY)),
        amplification: T::Bound::one() + size / distance.bound(),
    }
}

/// A vertex of A and an edge of B.
#[inline(always)]
fn vertex_edge<T: Scalar>(size: T::Bound, a: Vec3<T>, edge: FeatureLine<T>) -> Closest<T> {
    let (e, e2) = (edge.along, edge.along.length2());
    let s = (a - edge.origin).dot(e) / e2;
    let on_line = edge.origin + e.scale(s);
    // Near contact the difference of the points is rounding; what counts is that the direction is
    // orthogonal to the edge, so the part along it is taken out once more after normalising.
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
        interior: where_defined(e2.gt(T::zero()), (s * length).smaller((T::one() - s) * length)),
        amplification: T::Bound::one() + size / distance.bound().abs(),
    }
}

/// The common normal of two edges' lines.
struct CommonNormal<T> {
    /// The vector product of the edges.
    cross: Vec3<T>,
    /// Unit, orthogonal to both edges.
    unit: Vec3<T>,
}

impl<T: Scalar> CommonNormal<T> {
    #[inline(always)]
    fn new(a: FeatureLine<T>, b: FeatureLine<T>) -> Self {
        let (ea, eb) = (a.along, b.along);
        let cross = ea.cross(eb);
        let unit = orthogonal(orthogonal(cross.normalized(), ea, ea.length2()), eb, eb.length2()).normalized();
        Self { cross, unit }
    }

    /// The closest points of the edges; `outward` is positive where the normal points from A to B.
    #[inline(always)]
    fn closest_points(&self, a: FeatureLine<T>, b: FeatureLine<T>, outward: T) -> Closest<T> {
        let (ea, eb, cross) = (a.along, b.along, self.cross);
        let (c2, a2, b2) = (cross.length2(), ea.length2(), eb.length2());
        let sine2 = c2 / (a2 * b2);
        // Edges closer to parallel than rounding can tell have no direction in common.
        let crossing = is_crossing(sine2);
        let w = b.origin - a.origin;
        let unit = Vec3::select(outward.lt(T::zero()), -self.unit, self.unit);
        let distance = unit.dot(w);
        let s = w.cross(eb).dot(cross) / c2;
        let t = w.cross(ea).dot(cross) / c2;
        let point_a = a.origin + ea.scale(s);
        let point_b = point_a + unit.scale(distance);
        let (la, lb) = (a2.sqrt(), b2.sqrt());
        let inside_a = (s * la).smaller((T::one() - s) * la);
        let inside_b = (t * lb).smaller((T::one() - t) * lb);
        Closest {
            normal: unit,
            distance,
            point_a,
            point_b,
            residual: (b.origin + eb.scale(t) - point_b).length(),
            interior: where_defined(crossing, inside_a.smaller(inside_b)),
            amplification: T::Bound::one() / sine2.bound().sqrt(),
        }
    }
}

/// How far inside, where the formula has a direction at all.
#[inline(always)]
fn where_defined<T: Scalar>(defined: T::Mask, interior: T) -> T {
    T::select(defined, interior, T::from_f64(f64::NEG_INFINITY))
}

/// Positive where the unit vector `n` points out of A at `pa` and into B at `pb`; where both bodies
/// are too flat to tell, where it points from A's edge to B's, and at last where its first
/// component that is not 0 is positive.
#[inline(always)]
fn outward<T: Scalar>(size: T::Bound, n: Vec3<T>, [pa, pb]: [Vec3<T>; 2], [mean_a, mean_b]: [Vec3<T>; 2]) -> T {
    let bound = bound_of::<T>(size);
    let sum = n.dot(pa - mean_a) + n.dot(mean_b - pb);
    let across = n.dot(pb - pa);
    let rounding = T::Bound::from_f64(T::UNIT * 1024.0);
    let first = T::one();
    let first = where_beyond(rounding, n.z, first);
    let first = where_beyond(rounding, n.y, first);
    let first = where_beyond(rounding, n.x, first);
    where_beyond(bound, sum, where_beyond(bound, across, first))
}

/// `value` where it is larger than `bound` without its sign, else `other`. (No closure: it is
/// compiled without wider registers.)
#[inline(always)]
fn where_beyond<T: Scalar>(bound: T::Bound, value: T, other: T) -> T {
    T::select(value.bound().abs().gt(bound), value, other)
}

/// A vertex `b` of B and A's face through `on_face`; how far inside is still to be found.
#[inline(always)]
fn face_vertex<T: Scalar>(normal: Vec3<T>, on_face: Vec3<T>, b: Vec3<T>) -> Closest<T> {
    let distance = normal.dot(b - on_face);
    Closest {
        normal,
        distance,
        point_a: b - normal.scale(distance),
        point_b: b,
        residual: T::zero(),
        interior: T::from_f64(f64::INFINITY),
        amplification: T::Bound::one(),
    }
}

/// A vertex `a` of A and B's face through `on_face` with the normal `outward`, both in B's frame,
/// where the foot of the vertex is returned too.
#[inline(always)]
fn vertex_face<T: Scalar>(
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
        residual: T::zero(),
        interior: T::from_f64(f64::INFINITY),
        amplification: T::Bound::one(),
    };
    (closest, seen_from_b - outward.scale(distance))
}

/// Returns the depth of a point of the face's plane inside the face (negative: outside the nearest
/// side), metres. Point and `normal` are in the face's frame.
#[inline(always)]
pub(super) fn inside_face<T: Scalar>(p: &Polyhedron, face: u32, normal: Vec3<T>, point: Vec3<T>) -> T {
    let ring = p.face(face);
    let mut inside = T::from_f64(f64::INFINITY);
    let mut from = Vec3::<T>::from_f64(p.vertex(ring[ring.len() - 1]));
    for &v in ring {
        let to = Vec3::from_f64(p.vertex(v));
        inside = inside.smaller(depth_inside_side(normal, from, to, point));
        from = to;
    }
    inside
}

/// Returns the depth of a point of the face's plane inside of the side from `from` to `to`, metres.
#[inline(always)]
pub(super) fn depth_inside_side<T: Scalar>(normal: Vec3<T>, from: Vec3<T>, to: Vec3<T>, point: Vec3<T>) -> T {
    let side = to - from;
    normal.cross(side).dot(point - from) / side.length()
}

/// The distance of a point from an edge with these ends, metres.
pub(super) fn distance_to_edge<T: Real>(p: Vec3<T>, [from, to]: [Vec3<T>; 2]) -> T {
    let along = to - from;
    let l2 = along.length2();
    if l2 <= T::ZERO {
        return (p - from).length();
    }
    let s = ((p - from).dot(along) / l2).larger(T::ZERO).smaller(T::ONE);
    (p - (from + along.scale(s))).length()
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
pub(super) fn orthogonal<T: Scalar>(v: Vec3<T>, e: Vec3<T>, e2: T) -> Vec3<T> {
    v - e.scale(v.dot(e) / e2)
}

impl<T: Scalar> Closest<T> {
    /// The answer for (vertex of A, edge of B) as that for (edge of A, vertex of B): the vertex was
    /// handed in as A's.
    #[inline(always)]
    fn seen_from_edge(self) -> Self {
        Self { normal: -self.normal, point_a: self.point_b, point_b: self.point_a, ..self }
    }
}
