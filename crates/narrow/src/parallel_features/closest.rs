//! The closest points of parallel features: the centroids of the sets of closest points. One
//! formula a kind, as for unique closest points (`closest_points.rs`).

use super::chains::intersection_of_chains;
use super::frame::{FacePlane, Home, SeenFromOther};
use super::outline::{Intersection, PlaneOutline, intersection};
use crate::closest_points::{Closest, orthogonal};
use crate::float::Float;
use crate::kind::ParallelKind;
use crate::pair::bound_of;
use clearsweep_base::simd::WIDTH;
use clearsweep_geometry::{Polyhedron, RelativePose, Vec3};

/// Vertices of a face up to which all its sides are clipped against all of another: the product for
/// two faces.
const PAIRS: usize = 1024;

/// Vertices of one such face, at most.
const SIDES: usize = 32;

/// Vertices of two faces of any size.
const MANY: usize = 512;

/// Least depth of the centroid in the features, in bounds E.
const LEAST_DEPTH: f64 = 8.0;

/// Amplification of the error of a direction, in sizes of the pair over the depth of the centroid
/// (docs/reference/numerics.md).
const TILT: f64 = 16.0;

/// The features of one body, by index among its edges or faces.
pub(crate) type Of<'a> = (&'a Polyhedron, u32);

/// The closest points of features of a kind that are parallel; `size`: of the pair, metres. The
/// direction is amplified as said in docs/reference/numerics.md; `residual` bounds how far the
/// features are from parallel over the size; `interior` is infinite where the features overlap by
/// more than rounding, and minus infinite elsewhere.
#[inline(always)] // into loops over samples and into code for wider registers; as are the formulas below
pub(crate) fn closest<T: Float>(
    kind: ParallelKind,
    [a, b]: [Of<'_>; 2],
    pose: &RelativePose<T>,
    size: T,
) -> Closest<T> {
    match kind {
        ParallelKind::FaceFace => face_face(a, b, pose, size),
        ParallelKind::FaceEdge => face_edge(a, b, pose, size),
        ParallelKind::EdgeFace => edge_face(a, b, pose, size),
        ParallelKind::EdgeEdge => edge_edge(a, b, pose, size),
    }
}

/// Infinite where `depth` is more than rounding.
#[inline(always)]
fn interior<T: Float>(depth: T, size: T) -> T {
    let deep = depth.gt(T::from_f64(LEAST_DEPTH) * bound_of::<T>(size));
    T::select(deep, T::from_f64(f64::INFINITY), T::from_f64(f64::NEG_INFINITY))
}

/// Two faces: the centroid of their intersection, seen along the normal of A's face.
#[inline(always)]
fn face_face<T: Float>((a, f): Of<'_>, (b, g): Of<'_>, pose: &RelativePose<T>, size: T) -> Closest<T> {
    let plane = FacePlane::new(a, f);
    let seen = plane.seen_from_other(Home::A, pose);
    let tilt = seen.axes[2] + Vec3::from_f64(b.normals[g as usize]);
    let residual = (tilt.x.abs() + tilt.y.abs() + tilt.z.abs()) * size;
    let (n, m) = (plane.count(), b.face(g).len());
    let Intersection { centroid: [x, y], depths } = if !T::any(residual.le(bound_of::<T>(size))) {
        nothing()
    } else if n.max(m) <= 4 {
        intersection(&plane.outline::<T, 4>(), &seen.outline::<4>(b, g), size)
    } else if n.max(m) <= SIDES && n * m <= PAIRS {
        intersection(&plane.outline::<T, SIDES>(), &seen.outline::<SIDES>(b, g), size)
    } else {
        many_sides(&plane, (b, g), pose)
    };
    let [u, v, normal] = plane.axes;
    let (u, v, normal) = (Vec3::<T>::from_f64(u), Vec3::<T>::from_f64(v), Vec3::<T>::from_f64(normal));
    let distance = seen.height(b.vertex(b.face(g)[0]));
    let point_a = Vec3::from_f64(plane.origin) + u.scale(x) + v.scale(y);
    Closest {
        normal,
        distance,
        point_a,
        point_b: point_a + normal.scale(distance),
        residual,
        interior: interior(depths[0].smaller(depths[1]), size),
        amplification: T::from_f64(TILT) * size / (depths[0] + depths[1]),
    }
}

/// No intersection.
#[inline(always)]
fn nothing<T: Float>() -> Intersection<T> {
    let none = T::from_f64(f64::NAN);
    Intersection { centroid: [none; 2], depths: [none; 2] }
}

/// The intersection of faces of many sides, number by number.
#[inline(never)]
fn many_sides<T: Float>(plane: &FacePlane<'_>, (b, g): Of<'_>, pose: &RelativePose<T>) -> Intersection<T> {
    if plane.count().max(b.face(g).len()) > MANY {
        return nothing();
    }
    let mut numbers = [[0.0; WIDTH]; 4];
    let outline = plane.outline::<f64, MANY>();
    for k in 0..T::LANES {
        let pose = lane_pose(pose, k);
        let seen = plane.seen_from_other(Home::A, &pose).outline::<MANY>(b, g);
        let found = intersection_of_chains(&outline, &seen);
        for (to, from) in numbers.iter_mut().zip(found.centroid.into_iter().chain(found.depths)) {
            to[k] = from;
        }
    }
    let [x, y, p, q] = [0, 1, 2, 3].map(|i| T::from_lanes(&numbers[i]));
    Intersection { centroid: [x, y], depths: [p, q] }
}

/// The pose of one lane.
fn lane_pose<T: Float>(pose: &RelativePose<T>, k: usize) -> RelativePose<f64> {
    let vector = |v: Vec3<T>| Vec3 { x: v.x.to_lanes()[k], y: v.y.to_lanes()[k], z: v.z.to_lanes()[k] };
    RelativePose { r: pose.r.map(vector), t: vector(pose.t) }
}

/// The ends of an edge.
#[inline(always)]
fn ends((p, e): Of<'_>) -> [Vec3<f64>; 2] {
    let [from, to] = p.edges[e as usize].v;
    [p.vertex(from), p.vertex(to)]
}

/// An edge over a face of the other body, in the face's plane.
struct EdgeOverFace<T> {
    /// The middle of what lies over the face, as a parameter on the edge.
    middle: T,
    /// The middle as a point of the plane.
    at: [T; 2],
    /// Lower bound of its depth in the face, metres.
    depth: T,
    /// The height of the edge's tail over the plane, metres.
    height: T,
    /// The slope of the edge over the plane.
    slope: T,
    /// The outward normal of the face in the frame of the edge's body.
    normal: Vec3<T>,
}

#[inline(always)]
fn edge_over_face<T: Float>(
    plane: &FacePlane<'_>,
    edge: [Vec3<f64>; 2],
    home: Home,
    pose: &RelativePose<T>,
) -> EdgeOverFace<T> {
    let seen = plane.seen_from_other(home, pose);
    let segment = seen.segment(edge);
    if plane.count() <= 4 {
        return middle_over::<T, 4>(&plane.outline(), &segment, &seen, edge);
    }
    if plane.count() <= SIDES {
        return middle_over::<T, SIDES>(&plane.outline(), &segment, &seen, edge);
    }
    middle_over_many(plane, &segment, &seen, edge)
}

/// Over a face of many sides. Out of line: its outline is large.
#[inline(never)]
fn middle_over_many<T: Float>(
    plane: &FacePlane<'_>,
    segment: &PlaneOutline<T, 2>,
    seen: &SeenFromOther<T>,
    edge: [Vec3<f64>; 2],
) -> EdgeOverFace<T> {
    if plane.count() <= MANY {
        return middle_over::<T, MANY>(&plane.outline(), segment, seen, edge);
    }
    let none = T::from_f64(f64::NAN);
    EdgeOverFace { middle: none, at: [none; 2], depth: none, height: none, slope: none, normal: seen.axes[2] }
}

#[inline(always)]
fn middle_over<T: Float, const N: usize>(
    face: &PlaneOutline<T, N>,
    segment: &PlaneOutline<T, 2>,
    seen: &SeenFromOther<T>,
    [from, to]: [Vec3<f64>; 2],
) -> EdgeOverFace<T> {
    let clipped = segment.clipped(face, T::zero());
    let middle = T::from_f64(0.5) * (clipped.from[0] + clipped.to[0]);
    let at = segment.point(0, middle);
    let none = T::from_f64(f64::NEG_INFINITY);
    let depth = T::select(clipped.from[0].lt(clipped.to[0]), face.depth(at), none);
    let along = to - from;
    let slope = Vec3::<T>::from_f64(along).dot(seen.axes[2]).abs() * T::from_f64(1.0 / along.length());
    EdgeOverFace { middle, at, depth, height: seen.height(from), slope, normal: seen.axes[2] }
}

/// A face of A and an edge of B.
#[inline(always)]
fn face_edge<T: Float>((a, f): Of<'_>, b: Of<'_>, pose: &RelativePose<T>, size: T) -> Closest<T> {
    let plane = FacePlane::new(a, f);
    let found = edge_over_face(&plane, ends(b), Home::A, pose);
    let [u, v, normal] = plane.axes;
    let (u, v, normal) = (Vec3::<T>::from_f64(u), Vec3::<T>::from_f64(v), Vec3::<T>::from_f64(normal));
    let point_a = Vec3::from_f64(plane.origin) + u.scale(found.at[0]) + v.scale(found.at[1]);
    over_face(&found, normal, point_a, size)
}

/// An edge of A and a face of B.
#[inline(always)]
fn edge_face<T: Float>(a: Of<'_>, (b, g): Of<'_>, pose: &RelativePose<T>, size: T) -> Closest<T> {
    let plane = FacePlane::new(b, g);
    let [from, to] = ends(a);
    let found = edge_over_face(&plane, [from, to], Home::B, pose);
    let point_a = Vec3::<T>::from_f64(from) + Vec3::<T>::from_f64(to - from).scale(found.middle);
    over_face(&found, -found.normal, point_a, size)
}

/// Forms the closest points of an edge over a face. `normal`: from A to B.
#[inline(always)]
fn over_face<T: Float>(found: &EdgeOverFace<T>, normal: Vec3<T>, point_a: Vec3<T>, size: T) -> Closest<T> {
    Closest {
        normal,
        distance: found.height,
        point_a,
        point_b: point_a + normal.scale(found.height),
        residual: found.slope * size,
        interior: interior(found.depth, size),
        amplification: T::from_f64(TILT) * size / found.depth,
    }
}

/// Two edges: the middle of what lies side by side.
#[inline(always)]
fn edge_edge<T: Float>(a: Of<'_>, b: Of<'_>, pose: &RelativePose<T>, size: T) -> Closest<T> {
    let [from_a, to_a] = ends(a);
    let [from_b, to_b] = ends(b);
    let (length_a, length_b) = ((to_a - from_a).length(), (to_b - from_b).length());
    let unit = (to_a - from_a).scale(1.0 / length_a);
    let (e, start) = (Vec3::<T>::from_f64(unit), Vec3::<T>::from_f64(from_a));
    let (tail, along) = (pose.point(Vec3::from_f64(from_b)), pose.vector(Vec3::from_f64(to_b - from_b)));
    let w = tail - start;
    let (s, length) = (w.dot(e), T::from_f64(length_a));
    let t = s + along.dot(e);
    let (zero, half) = (T::zero(), T::from_f64(0.5));
    let (low, high) = (zero.larger(s.smaller(t)), length.smaller(s.larger(t)));
    let depth = half * (high - low);
    let normal = orthogonal(orthogonal(w, e, T::one()).normalized(), e, T::one()).normalized();
    let distance = normal.dot(w);
    let point_a = start + e.scale(half * (low + high));
    let sine = along.cross(e);
    let sine = (sine.x.abs() + sine.y.abs() + sine.z.abs()) * T::from_f64(1.0 / length_b);
    Closest {
        normal,
        distance,
        point_a,
        point_b: point_a + normal.scale(distance),
        residual: sine * size,
        interior: interior(depth, size),
        amplification: T::from_f64(TILT) * (size / depth + size / distance),
    }
}
