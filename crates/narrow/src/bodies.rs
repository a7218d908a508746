//! Two bodies at their poses.

use clearsweep_geometry::pose::rotation;
use clearsweep_geometry::{Pose, RelativePose, Vec3};
use clearsweep_model::Shape;

/// Two bodies at their poses.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bodies<'a> {
    /// Body A.
    pub(crate) a: &'a Shape,
    /// Body B.
    pub(crate) b: &'a Shape,
    /// Pose of A.
    pub(crate) pose_a: Pose,
    /// Pose of B.
    pub(crate) pose_b: Pose,
    /// B's frame in A's.
    pub(crate) relative: RelativePose<f64>,
}

impl Bodies<'_> {
    /// Whether the pose is a finite one, and so are distances.
    pub(crate) fn is_finite(&self) -> bool {
        self.size().is_finite() && self.relative.r.iter().chain([&self.relative.t]).all(|r| r.is_finite())
    }

    /// The size of the pair of bodies, metres.
    pub(crate) fn size(&self) -> f64 {
        self.a.radius + self.b.radius + self.relative.t.length()
    }

    /// Returns the bodies with B moved by `shift` (A's frame, metres).
    pub(crate) fn shifted(&self, shift: Vec3<f64>) -> Self {
        let r = rotation(self.pose_a.q);
        let world = Vec3::new(r[0].dot(shift), r[1].dot(shift), r[2].dot(shift));
        // Into the rest, so that a position far from the origin does not swallow it.
        let pose_b = Pose { rest: self.pose_b.rest + world, ..self.pose_b };
        Self { pose_b, relative: RelativePose::between(&self.pose_a, &pose_b), ..*self }
    }
}
