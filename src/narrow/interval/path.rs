//! The path of one body over an interval (docs/numerics.md, "Between the frames").
//!
//! Both motions turn the body at a constant angular velocity about a *pivot* that moves on a line at constant speed: under `linear` a
//! point of the body, under `screw` a point of the screw axis. All times are shares of the interval, so that velocities are lengths
//! and angles over the whole interval.

use super::options::BodyMotion;
use crate::geometry::pose::rotation;
use crate::geometry::{Dd, Pose, Real, Scalar, Vec3};
use crate::scene::BetweenFrames;

/// Half an angle whose cosine is below this has no shortest way: single precision, in which trajectories may be stored, does not tell
/// on which side of 180 degrees it lies.
const LEAST_COSINE: f64 = 5e-7;

/// How far a point of the body may be off its place in an interpolated pose, in lengths of the lever and of the displacement.
const POSE_UNITS: f64 = 256.0 * f64::EPSILON;

/// Three numbers of a matrix product.
fn turned(rows: &[Vec3<f64>; 3], v: Vec3<f64>) -> Vec3<f64> {
    Vec3::new(rows[0].dot(v), rows[1].dot(v), rows[2].dot(v))
}

/// The path of one body.
#[derive(Debug, Clone, Copy)]
pub(super) struct BodyPath {
    between: BetweenFrames,
    ends: [Pose; 2],
    /// The first rotation, scaled to the norm 1.
    q: [f64; 4],
    /// Unit axis of the rotation in the body's frame; zero without a rotation.
    axis_in_body: Vec3<f64>,
    /// Half the angle of the rotation, radians, from 0 to below a right angle.
    half_angle: f64,
    /// Displacement of the recentred origin over the interval, world, metres.
    shift: Vec3<f64>,
    /// The pivot in the recentred frame, metres; `linear` only.
    pivot: Vec3<f64>,
    /// Angular velocity, world, radians an interval.
    pub(super) omega: Vec3<f64>,
    /// From the recentred origin to the pivot at the start, world, metres.
    pub(super) arm: Vec3<f64>,
    /// Velocity of the pivot, world, metres an interval.
    pub(super) velocity: Vec3<f64>,
    /// No point of the core is farther from the pivot, metres.
    pub(super) reach: f64,
    /// How far any point of the core may be off its place in an interpolated pose, metres.
    pub(super) error: f64,
}

impl BodyPath {
    /// The path; `None` where the rotation has no shortest way.
    pub(super) fn new(motion: &BodyMotion<'_>, between: BetweenFrames) -> Option<Self> {
        let [start, end] = motion.ends;
        let (q, last) = (normalized(start.q), normalized(end.q));
        let (axis_in_body, half_angle) = shortest_turn(q, last)?;
        let rows = [q, last].map(rotation);
        let difference = |k: usize| {
            let at = |pose: &Pose| Dd::from_parts(pose.position[k], pose.rest[k]);
            (at(&end) - at(&start)).hi
        };
        let shift = Vec3::new(difference(0), difference(1), difference(2));
        let axis = turned(&rows[0], axis_in_body);
        let (arm, velocity) = match between {
            BetweenFrames::Screw if half_angle > 0.0 => screw(axis, half_angle, shift),
            BetweenFrames::Screw => (Vec3::ZERO, shift),
            _ => {
                let [first, second] = rows.map(|rows| turned(&rows, motion.pivot));
                (first, shift + (second - first))
            }
        };
        let core = motion.shape.hull().core.radius;
        let reach = (core + arm.length()) * (1.0 + 8.0 * f64::EPSILON);
        let lever = core + motion.pivot.length() + shift.length();
        Some(Self {
            between,
            ends: motion.ends,
            q,
            axis_in_body,
            half_angle,
            shift,
            pivot: motion.pivot,
            omega: axis.scale(2.0 * half_angle),
            arm,
            velocity,
            reach,
            error: POSE_UNITS * lever,
        })
    }

    /// The pose at a share of the interval, within [`Self::error`] of the path; those of the ends exactly.
    pub(super) fn pose(&self, share: f64) -> Pose {
        if share <= 0.0 {
            return self.ends[0];
        }
        if share >= 1.0 {
            return self.ends[1];
        }
        let (sine, cosine) = libm::sincos(share * self.half_angle);
        let q = product(
            self.q,
            [cosine, self.axis_in_body.x * sine, self.axis_in_body.y * sine, self.axis_in_body.z * sine],
        );
        let moved = match self.between {
            BetweenFrames::Screw => self.screwed(share),
            _ => self.velocity.scale(share) + (self.arm - turned(&rotation(q), self.pivot)),
        };
        let [x, y, z] =
            [0, 1, 2].map(|k| Dd::from_parts(self.ends[0].position[k], self.ends[0].rest[k]) + Dd::from_f64(moved[k]));
        Pose { position: Vec3::new(x.hi, y.hi, z.hi), rest: Vec3::new(x.lo, y.lo, z.lo), q }
    }

    /// The displacement of the recentred origin by a share of the screw. With the half angle `a`, the axis `u` and the displacement
    /// `d` across the axis it is `sin(s a) / sin(a) (cos((1-s) a) d - sin((1-s) a) u x d)`, which holds for small angles too.
    fn screwed(&self, share: f64) -> Vec3<f64> {
        if self.half_angle == 0.0 {
            return self.shift.scale(share);
        }
        let axis = self.omega.scale(0.5 / self.half_angle);
        let along = axis.scale(axis.dot(self.shift));
        let across = self.shift - along;
        let (sine, cosine) = libm::sincos((1.0 - share) * self.half_angle);
        let ratio = libm::sin(share * self.half_angle) / libm::sin(self.half_angle);
        along.scale(share) + (across.scale(cosine) - axis.cross(across).scale(sine)).scale(ratio)
    }
}

/// From the origin to the screw axis, and the velocity along it.
fn screw(axis: Vec3<f64>, half_angle: f64, shift: Vec3<f64>) -> (Vec3<f64>, Vec3<f64>) {
    let along = axis.scale(axis.dot(shift));
    let across = shift - along;
    let (sine, cosine) = libm::sincos(half_angle);
    let arm = across.scale(0.5) + axis.cross(across).scale(0.5 * cosine / sine);
    (arm, along)
}

/// Unit axis in the frame of the first rotation, and half the angle, of the shortest rotation from one quaternion of norm 1 to
/// another; `None` if there is none.
fn shortest_turn(from: [f64; 4], to: [f64; 4]) -> Option<(Vec3<f64>, f64)> {
    let [w, x, y, z] = product([from[0], -from[1], -from[2], -from[3]], to);
    if from == to || from == to.map(|c| -c) {
        return Some((Vec3::ZERO, 0.0));
    }
    let v = if w < 0.0 { Vec3::new(-x, -y, -z) } else { Vec3::new(x, y, z) };
    let sine = v.length();
    if sine == 0.0 {
        return Some((Vec3::ZERO, 0.0));
    }
    (w.abs() >= LEAST_COSINE).then(|| (v.scale(1.0 / sine), libm::atan2(sine, w.abs())))
}

fn normalized(q: [f64; 4]) -> [f64; 4] {
    let norm = q.iter().map(|c| c * c).sum::<f64>().sqrt();
    q.map(|c| c / norm)
}

/// The product of two quaternions.
fn product(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    [
        a[0] * b[0] - (a[1] * b[1] + a[2] * b[2] + a[3] * b[3]),
        a[0] * b[1] + a[1] * b[0] + (a[2] * b[3] - a[3] * b[2]),
        a[0] * b[2] + a[2] * b[0] + (a[3] * b[1] - a[1] * b[3]),
        a[0] * b[3] + a[3] * b[0] + (a[1] * b[2] - a[2] * b[1]),
    ]
}
