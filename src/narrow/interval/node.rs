//! A pair at one time of an interval: its relative pose, and the bracket of its distance.

use super::path::BodyPath;
use crate::geometry::pose::rotation;
use crate::geometry::{Pose, RelativePose, Vec3};
use smallvec::SmallVec;

/// A pair at one time.
#[derive(Debug, Clone)]
pub(super) struct Node {
    /// The time, as a share of the interval.
    pub(super) share: f64,
    pub(super) poses: [Pose; 2],
    pub(super) relative: RelativePose<f64>,
    /// The rows of `world_from_a`.
    rows: [Vec3<f64>; 3],
    /// Proven bracket of the signed distance at that time on the path, metres; infinite where nothing is proven.
    pub(super) lower: f64,
    /// See `lower`.
    pub(super) upper: f64,
    /// Directions along which the bodies may be apart, unit, in A's frame.
    normals: SmallVec<[Vec3<f64>; 2]>,
}

impl Node {
    /// At a share of the paths; nothing is known of the distance.
    pub(super) fn at(share: f64, paths: &[BodyPath; 2]) -> Self {
        Self::of_poses(share, [paths[0].pose(share), paths[1].pose(share)])
    }

    /// At known poses.
    pub(super) fn of_poses(share: f64, poses: [Pose; 2]) -> Self {
        Self {
            share,
            relative: RelativePose::between(&poses[0], &poses[1]),
            rows: rotation(poses[0].q),
            poses,
            lower: f64::NEG_INFINITY,
            upper: f64::INFINITY,
            normals: SmallVec::new(),
        }
    }

    /// Takes a bracket (metres; NaN where it is not proven) that is off by `error` metres at most.
    pub(super) fn set_bracket(&mut self, lower: f64, upper: f64, error: f64) {
        if !(lower.is_nan() || upper.is_nan()) {
            (self.lower, self.upper) = match error {
                0.0 => (lower, upper),
                _ => ((lower - error).next_down(), (upper + error).next_up()),
            };
        }
    }

    /// Adds a direction, if it is one.
    pub(super) fn add_normal(&mut self, normal: Vec3<f64>) {
        if normal.is_finite() && normal != Vec3::ZERO {
            self.normals.push(normal);
        }
    }

    pub(super) fn normals(&self) -> &[Vec3<f64>] {
        &self.normals
    }

    /// A direction of A's frame in the world.
    pub(super) fn to_world(&self, v: Vec3<f64>) -> Vec3<f64> {
        Vec3::new(self.rows[0].dot(v), self.rows[1].dot(v), self.rows[2].dot(v))
    }

    /// A direction of the world in A's frame.
    pub(super) fn in_a(&self, v: Vec3<f64>) -> Vec3<f64> {
        self.rows[0].scale(v.x) + self.rows[1].scale(v.y) + self.rows[2].scale(v.z)
    }
}
