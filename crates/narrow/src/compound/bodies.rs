//! Two bodies at their poses, and the pairs of their pieces.

use crate::answer::Answer;
use crate::pair_solver::Parts;
use clearsweep_geometry::pose::rotation;
use clearsweep_geometry::{Pose, RelativePose, Vec3};
use clearsweep_model::Proximity;
use clearsweep_model::{Piece, Shape};

/// Two bodies at their poses.
#[derive(Debug, Clone, Copy)]
pub struct Bodies<'a> {
    /// Body A.
    pub a: &'a Shape,
    /// Body B.
    pub b: &'a Shape,
    /// Pose of A.
    pub pose_a: Pose,
    /// Pose of B.
    pub pose_b: Pose,
    /// B's frame in A's.
    pub relative: RelativePose<f64>,
}

/// A pair of pieces with its answer.
#[derive(Debug)]
pub(super) struct PieceAnswer {
    /// Their indices.
    pub(super) at: [u32; 2],
    /// About the cores.
    pub(super) answer: Answer,
    /// About the grown pieces.
    pub(super) row: Proximity,
}

impl<'a> Bodies<'a> {
    pub(super) fn parts(&self, a: &'a Piece, b: &'a Piece) -> Parts<'_> {
        Parts { a, b, pose_a: &self.pose_a, pose_b: &self.pose_b, relative: &self.relative }
    }

    /// The pieces of these indices.
    pub(super) fn pieces(&self, [i, j]: [u32; 2]) -> [&'a Piece; 2] {
        [&self.a.pieces[i as usize], &self.b.pieces[j as usize]]
    }

    /// Whether the pose is a finite one, and so are distances.
    pub(super) fn is_finite(&self) -> bool {
        self.size().is_finite() && self.relative.r.iter().chain([&self.relative.t]).all(|r| r.is_finite())
    }

    /// The size of the pair of bodies, metres.
    pub fn size(&self) -> f64 {
        self.a.radius + self.b.radius + self.relative.t.length()
    }

    /// Returns the bodies with B moved by `shift` (A's frame, metres).
    pub(super) fn shifted(&self, shift: Vec3<f64>) -> Self {
        let r = rotation(self.pose_a.q);
        let world = Vec3::new(r[0].dot(shift), r[1].dot(shift), r[2].dot(shift));
        // Into the rest, so that a position far from the origin does not swallow it.
        let pose_b = Pose { rest: self.pose_b.rest + world, ..self.pose_b };
        Self { pose_b, relative: RelativePose::between(&self.pose_a, &pose_b), ..*self }
    }
}
