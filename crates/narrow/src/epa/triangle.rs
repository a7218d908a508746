//! The contribution of one triangle of a closed surface to the proof of a depth.

use clearsweep_geometry::{Scalar, Vec3};

/// The filter of the sign of a volume: rounding stays below 10 units of 2^-53 of the product of
/// three lengths; the sums of the absolute components, used here, are larger than the lengths.
const VOLUME_FILTER: f64 = 4e-15;

#[inline(always)]
fn component_sum<T: Scalar>(p: Vec3<T>) -> T {
    p.x.abs() + p.y.abs() + p.z.abs()
}

/// Above this, the rounded volume of three edge vectors has the sign of the exact one.
#[inline(always)]
fn volume_doubt<T: Scalar>(u: Vec3<T>, v: Vec3<T>, w: Vec3<T>) -> T {
    T::from_f64(VOLUME_FILTER) * (component_sum(u) * component_sum(v) * component_sum(w))
}

/// The sign of the volume of (a, b, c, d): positive where `d` lies on the side that `(b - a) x (c -
/// a)` points to. Exact for the coordinates given: a static filter first, then Shewchuk's adaptive
/// predicate.
#[inline]
pub(super) fn side(a: Vec3<f64>, b: Vec3<f64>, c: Vec3<f64>, d: Vec3<f64>) -> f64 {
    let (u, v, w) = (b - a, c - a, d - a);
    let volume = u.cross(v).dot(w);
    if volume.abs() > volume_doubt(u, v, w) {
        return volume;
    }
    let coord = |p: Vec3<f64>| robust::Coord3D { x: p.x, y: p.y, z: p.z };
    // `robust` is positive where d lies below the plane of a, b, c seen counter-clockwise from
    // above.
    -robust::orient3d(coord(a), coord(b), coord(c), coord(d))
}

/// The plane of a triangle and the position of the origin relative to it: one formula for `f64` and
/// for a triangle in each lane of a register.
#[derive(Clone, Copy)]
pub(super) struct TrianglePlane<T: Scalar> {
    /// The length of the normal `(b - a) x (c - a)`: twice the area.
    length: T,
    /// The least product of the normal with a corner.
    reach: T,
    /// Whether the area is exactly zero.
    pub(super) is_degenerate: T::Mask,
    /// Whether the origin lies strictly below the plane, by the filter alone: sufficient, not
    /// necessary.
    pub(super) is_above_origin: T::Mask,
}

impl<T: Scalar> TrianglePlane<T> {
    #[inline(always)]
    pub(super) fn new(a: Vec3<T>, b: Vec3<T>, c: Vec3<T>) -> Self {
        let (u, v, w) = (b - a, c - a, Vec3::from_f64(Vec3::ZERO) - a);
        let normal = u.cross(v);
        let n2 = normal.length2();
        Self {
            length: n2.sqrt(),
            reach: normal.dot(a).smaller(normal.dot(b)).smaller(normal.dot(c)),
            is_degenerate: n2.le(T::zero()),
            is_above_origin: normal.dot(w).lt(-volume_doubt(u, v, w)),
        }
    }

    /// Whether all corners lie at least `least` (metres) along the normal from the origin, and
    /// beyond it.
    #[inline(always)]
    pub(super) fn reaches(&self, least: T) -> T::Mask {
        self.reach.gt(T::zero()) & self.reach.ge(least * self.length)
    }
}

/// Whether a triangle of a closed surface does its part in proving that the Minkowski difference
/// contains the ball of radius `facet` about the origin, and that all triangles but the facet's
/// stay beyond `others` (metres; the two numbers of a `Claim`). `in_facet`: whether the triangle
/// belongs to the facet; asked only if it matters.
///
/// The argument: every side is shared by two triangles, so the surface is closed. If the origin
/// lies strictly inside each triangle's plane (an exact sign), the radial projection of the surface
/// covers the sphere of directions. So in every direction the difference, which is convex, reaches
/// at least as far as the surface does. The projection of a triangle without area has no measure.
#[cold]
pub(super) fn holds([a, b, c]: [Vec3<f64>; 3], [facet, others]: [f64; 2], in_facet: impl FnOnce() -> bool) -> bool {
    let plane = TrianglePlane::new(a, b, c);
    plane.is_degenerate
        || (plane.reaches(others) || plane.reaches(facet) && in_facet())
            && (plane.is_above_origin || side(a, b, c, Vec3::ZERO) < 0.0)
}
