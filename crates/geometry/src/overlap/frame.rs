//! The frames that a query computes in, and its unit of rounding.

use super::Solid;
use super::aabb::Aabb;
use crate::hull::SMALLEST_COORDINATE;
use crate::pose::{RelativePose, rotation};
use crate::{Polyhedron, Pose, Vec3};

/// The frames of a pair of bodies.
///
/// The *near frame* has the axes of the world and its origin at the leading part of A's position,
/// which is exact; coordinates in it are as small as the bodies, if they overlap.
pub(super) struct Frames {
    /// Origin of the near frame in the world, metres.
    pub(super) origin: Vec3<f64>,
    /// Poses of the frames of A and of B in the near frame.
    pub(super) near_from: [RelativePose<f64>; 2],
    /// A's frame from B's, and B's from A's.
    pub(super) relative: [RelativePose<f64>; 2],
    /// 2^-53 of the size `S` of the pair, metres. `S` is the sum of both radii and of the sizes of
    /// the coordinates of the translation and of the rests.
    pub(super) unit: f64,
    /// Whether products of three lengths neither overflow nor lose digits to underflow.
    pub(super) has_range: bool,
}

/// Bound on the displacement of a transformed vertex, in units. The rotation of a quaternion has
/// entries that are off by less than 10 u; a row of them times `v` by less than 10 sqrt 3 + 3 < 21
/// u |v|; the translation by less than 4 u S; the sum rounds once more. All three coordinates
/// together: less than 44. Recentring adds less than 48 (docs/reference/numerics.md, "Recentring"),
/// to a mesh if its radius is at least 2^-49 of the distance of its recentred origin from its own.
pub(super) const MOVED: f64 = 128.0;

/// Bound on the error of a computed height over the plane of a face, in units, for points within
/// `S` of a vertex of the face. The normal is off by 4 u as stored and by less than 110 u when
/// turned by a relative pose (entries to 32 u); the vertex by less than 117 u S; the difference and
/// the product by less than 10 u S; recentring of both bodies adds less than 96 u S. A plane of the
/// same body, up to `2 S` away, is off by less than 30.
pub(super) const HEIGHT: f64 = 384.0;

impl Frames {
    /// The frames of two bodies; `None` if a number is not finite or the quaternion 0.
    pub(super) fn new(bodies: [&Solid<'_>; 2], poses: [&Pose; 2]) -> Option<Self> {
        let [a, b] = poses.map(|pose| Pose { q: scaled(pose.q), ..*pose });
        let apart = b.position - a.position;
        let lengths = [apart, a.rest, b.rest].map(|v| v.x.abs() + v.y.abs() + v.z.abs());
        let size = bodies.iter().map(|body| body.radius()).sum::<f64>() + lengths.iter().sum::<f64>();
        let near = |q: [f64; 4], t: Vec3<f64>| RelativePose { r: rotation(q), t };
        let near_from = [near(a.q, a.rest), near(b.q, apart + b.rest)];
        let relative = [RelativePose::between(&a, &b), RelativePose::between(&b, &a)];
        let is_finite = |pose: &RelativePose<f64>| pose.t.is_finite() && pose.r.iter().all(|row| row.is_finite());
        if !(size.is_finite() && near_from.iter().chain(&relative).all(is_finite) && a.position.is_finite()) {
            return None;
        }
        let least = 2.0_f64.powi(-240);
        let unit = 0.5 * f64::EPSILON * size + f64::MIN_POSITIVE;
        Some(Self { origin: a.position, near_from, relative, unit, has_range: (least..1.0 / least).contains(&size) })
    }

    /// The pose of the frame of body `of` in that of body `to`.
    pub(super) fn between(&self, to: usize, of: usize) -> RelativePose<f64> {
        const SAME: RelativePose<f64> = RelativePose {
            r: [Vec3 { x: 1.0, y: 0.0, z: 0.0 }, Vec3 { x: 0.0, y: 1.0, z: 0.0 }, Vec3 { x: 0.0, y: 0.0, z: 1.0 }],
            t: Vec3::ZERO,
        };
        if to == of { SAME } else { self.relative[to] }
    }

    /// The box of a grown polyhedron of body `body` in the near frame, rounding included.
    pub(super) fn bounds(&self, body: usize, core: &Polyhedron, growth: f64) -> Aabb {
        let points = (0..core.count as u32).map(|v| self.near_from[body].point(core.vertex(v)));
        Aabb::around(points, growth + MOVED * self.unit)
    }
}

/// The half-space below a plane.
#[derive(Debug, Clone, Copy)]
pub(super) struct HalfSpace {
    /// Outward unit normal.
    normal: Vec3<f64>,
    /// A point of the plane, metres.
    at: Vec3<f64>,
}

impl HalfSpace {
    /// The half-spaces of the faces of a polyhedron, in the frame that `pose` leads to.
    pub(super) fn of_faces<'a>(core: &'a Polyhedron, pose: &'a RelativePose<f64>) -> impl Iterator<Item = Self> + 'a {
        core.normals
            .iter()
            .zip(0..)
            .map(|(&normal, f)| Self { normal: pose.vector(normal), at: pose.point(core.vertex(core.face(f)[0])) })
    }

    /// The outward normal.
    pub(super) fn normal(&self) -> Vec3<f64> {
        self.normal
    }

    /// Height of a point over the plane, metres; negative inside.
    #[inline]
    pub(super) fn height(&self, p: Vec3<f64>) -> f64 {
        self.normal.dot(p - self.at)
    }
}

/// A quaternion times a power of two, so that its squares neither overflow nor vanish.
fn scaled(mut q: [f64; 4]) -> [f64; 4] {
    let step = 2.0_f64.powi(200);
    let most = |q: &[f64; 4]| q.iter().fold(0.0_f64, |most, c| most.max(c.abs()));
    while most(&q) > step && most(&q).is_finite() {
        q = q.map(|c| c / step);
    }
    while most(&q) < 1.0 / step && most(&q) > 0.0 {
        q = q.map(|c| c * step);
    }
    q
}

/// Coordinates below the range of exact predicates become zero: far less than rounding.
pub(super) fn flushed(p: Vec3<f64>) -> Vec3<f64> {
    Vec3::from(p.to_array().map(|c| if c.abs() < SMALLEST_COORDINATE { 0.0 } else { c }))
}
