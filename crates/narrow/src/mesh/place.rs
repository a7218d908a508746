//! Two meshes at their poses, and what rounding may do to them.

use super::triangle_pair::TriangleCorners;
use clearsweep_geometry::mesh::TriangleMesh;
use clearsweep_geometry::pose::rotation;
use clearsweep_geometry::{Dd, Inside, Pose, RelativePose, Scalar, Vec3};

/// Half a unit in the last place of 1.
const UNIT: f64 = f64::EPSILON / 2.0;

/// Bound on the error of a corner of B in A's frame, and of a distance or a height computed from
/// it. Unit: the rounding of the size of the pair (docs/reference/numerics.md, "Triangle meshes").
const ROUNDING: f64 = 256.0;

/// The width of a bracket up to which the distance of two triangles in `f64` counts, in sizes of
/// the pair.
const SHARP: f64 = 1e-13;

/// Two meshes at their poses.
#[derive(Debug, Clone, Copy)]
pub(super) struct MeshPlace<'a> {
    /// Mesh of body A.
    pub a: &'a TriangleMesh,
    /// Mesh of body B.
    pub b: &'a TriangleMesh,
    /// Poses of A and of B.
    pub poses: [Pose; 2],
    /// B's frame in A's.
    pub pose: RelativePose<f64>,
    /// Growth of the meshes together, metres.
    pub growth: f64,
    /// The radii of both meshes and the length of the translation, metres.
    pub size: f64,
}

impl<'a> MeshPlace<'a> {
    /// Places two meshes at their poses. `growth`: of both meshes together, metres.
    pub(super) fn new([a, b]: [&'a TriangleMesh; 2], poses: [Pose; 2], pose: RelativePose<f64>, growth: f64) -> Self {
        let size = a.radius() + b.radius() + pose.t.length();
        Self { a, b, poses, pose, growth, size }
    }

    /// Returns a bound on the error of a computed distance, metres.
    #[inline(always)]
    pub(super) fn error(&self) -> f64 {
        ROUNDING * UNIT * self.size
    }

    /// Returns how much farther, as computed, a pair must be than the best one to be left out,
    /// metres.
    #[inline(always)]
    pub(super) fn slack(&self) -> f64 {
        2.0 * self.error()
    }

    /// The width up to which the bracket of a pair of triangles counts as sharp, metres.
    #[inline(always)]
    pub(super) fn sharp(&self) -> f64 {
        SHARP * self.size
    }

    /// Triangles that are no farther apart touch, within rounding, metres: beyond it the lower end
    /// of a sharp bracket is above 0.
    #[inline(always)]
    pub(super) fn contact(&self) -> f64 {
        self.sharp() + self.slack()
    }

    /// Error bound of a distance computed in double-double, metres.
    pub(super) fn error_wide(&self) -> f64 {
        ROUNDING * Dd::UNIT * self.size
    }

    /// The corners of a triangle of B in A's frame.
    #[inline(always)]
    pub(super) fn corners_b(&self, t: u32) -> TriangleCorners<f64> {
        self.b.corners(t).map(|p| self.pose.point(p))
    }

    /// Both triangles in A's frame, in double-double.
    pub(super) fn wide(&self, a: u32, b: u32) -> [TriangleCorners<Dd>; 2] {
        let pose = RelativePose::<Dd>::between(&self.poses[0], &self.poses[1]);
        let wide = |t: TriangleCorners<f64>| t.map(Vec3::<Dd>::from_f64);
        [wide(self.a.corners(a)), wide(self.b.corners(b)).map(|p| pose.point(p))]
    }

    /// Whether a part of one body may lie inside of the other: one of them is no sheet, and the
    /// boxes of both meet.
    pub(super) fn may_contain(&self) -> bool {
        let (own, other) = (self.a.extent(), self.b.extent());
        let between = self.pose.point(self.b.middle()) - self.a.middle();
        let reach = |rows: [Vec3<f64>; 3], half: Vec3<f64>| {
            rows.map(|row| row.x.abs() * half.x + row.y.abs() * half.y + row.z.abs() * half.z)
        };
        let turned = reach(self.pose.r, other);
        let meet = |k: usize| between[k].abs() <= own[k] + turned[k] + self.slack();
        [self.a, self.b].iter().any(|mesh| mesh.inside() != Inside::Surface) && (0..3).all(meet)
    }

    /// Whether the winding number decides what is inside of one of them.
    pub(super) fn has_open(&self) -> bool {
        [self.a, self.b].iter().any(|mesh| mesh.inside() == Inside::Winding)
    }

    /// A point of A's frame in B's.
    pub(super) fn in_b(&self, p: Vec3<f64>) -> Vec3<f64> {
        self.pose.inverse_vector(p - self.pose.t)
    }

    /// Returns the meshes with B moved by `shift` (A's frame, metres).
    pub(super) fn shifted(&self, shift: Vec3<f64>) -> Self {
        let r = rotation(self.poses[0].q);
        let world = Vec3::new(r[0].dot(shift), r[1].dot(shift), r[2].dot(shift));
        // Into the rest, so that a position far from the origin does not swallow it.
        let b = Pose { rest: self.poses[1].rest + world, ..self.poses[1] };
        let poses = [self.poses[0], b];
        Self::new([self.a, self.b], poses, RelativePose::between(&poses[0], &poses[1]), self.growth)
    }

    /// A unit direction between the middles of the meshes.
    pub(super) fn line(&self) -> Vec3<f64> {
        let line = self.pose.point(self.b.middle()) - self.a.middle();
        let n = line.normalized();
        if n.is_finite() { n } else { Vec3::new(1.0, 0.0, 0.0) }
    }
}
