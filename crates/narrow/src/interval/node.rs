//! A pair at one time of an interval: its relative pose, and the bracket of its distance.

use super::pair_path::PairPath;
use super::path::turned;
use super::relative_motion::FixedIn;
use clearsweep_geometry::pose::rotation;
use clearsweep_geometry::{Pose, RelativePose, Scalar, Vec3};
use clearsweep_model::{Method, Proximity};
use smallvec::SmallVec;

/// A pair at one time.
#[derive(Debug, Clone)]
pub(super) struct Node {
    /// The time, as a share of the interval.
    pub(super) share: f64,
    pub(super) poses: [Pose; 2],
    /// Bound on the error of the poses as those of the path, metres.
    pub(super) error: f64,
    pub(super) relative: RelativePose<f64>,
    /// The rows of `world_from_a`.
    rows: [Vec3<f64>; 3],
    /// Proven bracket of the signed distance at that time, metres; infinite without a proof.
    pub(super) lower: f64,
    /// See `lower`.
    pub(super) upper: f64,
    /// One body lies inside of the other, which is open, by its winding number.
    pub(super) by_winding: bool,
    /// The pieces that are nearest, as far as it is known.
    pub(super) pieces: Option<[u32; 2]>,
    /// Directions along which the bodies may be apart, unit, in A's frame.
    normals: SmallVec<[Vec3<f64>; 2]>,
}

impl Node {
    /// Creates a node at a share of the path; nothing is known of the distance.
    pub(super) fn at(share: f64, path: &PairPath<'_>) -> Self {
        Self::of_poses(share, path.poses(share))
    }

    /// Creates a node at known poses.
    pub(super) fn of_poses(share: f64, poses: [Pose; 2]) -> Self {
        Self {
            share,
            relative: RelativePose::between(&poses[0], &poses[1]),
            rows: rotation(poses[0].q),
            poses,
            error: 0.0,
            lower: f64::NEG_INFINITY,
            upper: f64::INFINITY,
            by_winding: false,
            pieces: None,
            normals: SmallVec::new(),
        }
    }

    /// Takes the bracket of a row, unless it is unproven, widened by the error of the poses; its
    /// direction, and whether it tells of an inside by the winding number.
    pub(super) fn take_row(&mut self, row: &Proximity) {
        if !(row.lower.is_nan() || row.upper.is_nan()) {
            (self.lower, self.upper) = match self.error {
                0.0 => (row.lower, row.upper),
                error => ((row.lower - error).next_down(), (row.upper + error).next_up()),
            };
        }
        self.add_normal(row.normal);
        self.by_winding = row.method == Method::Winding;
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
        turned(&self.rows, v)
    }

    /// The orientations of both bodies.
    pub(super) fn orientation(&self) -> Orientation<'_, f64> {
        Orientation { rows: &self.rows, relative: &self.relative }
    }
}

/// The orientations of two bodies in the numbers `T`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Orientation<'a, T> {
    /// The rows of `world_from_a`.
    pub(super) rows: &'a [Vec3<T>; 3],
    pub(super) relative: &'a RelativePose<T>,
}

impl<T: Scalar> Orientation<'_, T> {
    /// A direction of A's frame now in A's frame at another time, if it stands still in `fixed`.
    #[inline(always)] // into code for wider registers
    pub(super) fn carried_to(&self, other: &Orientation<'_, T>, direction: Vec3<T>, fixed: FixedIn) -> Vec3<T> {
        match fixed {
            FixedIn::A => direction,
            FixedIn::B => other.relative.vector(self.relative.inverse_vector(direction)),
            FixedIn::World => other.in_a(turned(self.rows, direction)),
        }
    }

    /// A direction of the world in A's frame.
    #[inline(always)]
    pub(super) fn in_a(&self, v: Vec3<T>) -> Vec3<T> {
        self.rows[0].scale(v.x) + self.rows[1].scale(v.y) + self.rows[2].scale(v.z)
    }
}
