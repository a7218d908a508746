//! The path of one body over an interval (docs/reference/numerics.md, "Between the frames").
//!
//! Both motions turn the body at a constant angular velocity about a *pivot* that moves on a line
//! at constant speed: under `linear` a point of the body, under `screw` a point of the screw axis.
//! Under `ballistic` the pivot of `linear` falls as well: its constant acceleration takes it off
//! the line between the ends, and only the difference of both bodies' accelerations counts. All
//! times are shares of the interval, so that velocities are lengths and angles over the whole
//! interval.

use super::options::{BodyMotion, Lever};
use clearsweep_base::simd::{Lane, Simd, V, WIDTH};
use clearsweep_geometry::pose::{conjugate_product, rotation};
use clearsweep_geometry::{Dd, Pose, Real, Scalar, Vec3};
use clearsweep_kinematics::Twist;
use clearsweep_model::BetweenFrames;
use clearsweep_model::block::COMPONENTS;

/// Half an angle whose cosine is below this has no shortest way: single precision, in which
/// trajectories may be stored, does not tell on which side of 180 degrees it lies.
const LEAST_COSINE: f64 = 5e-7;

/// Bound on the error of a point's place in an interpolated pose, in lengths of the lever and of
/// the displacement.
const POSE_UNITS: f64 = 256.0 * f64::EPSILON;

/// The product of a matrix, by rows, and a vector.
#[inline(always)] // as everything generic below: into code for wider registers
pub(super) fn turned<T: Scalar>(rows: &[Vec3<T>; 3], v: Vec3<T>) -> Vec3<T> {
    Vec3::new(rows[0].dot(v), rows[1].dot(v), rows[2].dot(v))
}

/// A pose in the numbers `T`.
#[derive(Debug, Clone, Copy)]
pub(super) struct PoseOf<T> {
    pub(super) position: Vec3<T>,
    pub(super) rest: Vec3<T>,
    pub(super) q: [T; 4],
}

impl<S: Simd> PoseOf<V<S>> {
    /// The poses of eight lanes: ten components, as of `FrameBlock::slot`.
    #[inline(always)]
    pub(super) fn load(c: &[Lane; COMPONENTS]) -> Self {
        let at = V::load;
        Self {
            position: Vec3::new(at(&c[0]), at(&c[1]), at(&c[2])),
            q: [at(&c[3]), at(&c[4]), at(&c[5]), at(&c[6])],
            rest: Vec3::new(at(&c[7]), at(&c[8]), at(&c[9])),
        }
    }
}

impl From<&Pose> for PoseOf<f64> {
    fn from(pose: &Pose) -> Self {
        Self { position: pose.position, rest: pose.rest, q: pose.q }
    }
}

/// Returns the vector from one point of the world to another: recentred origins of poses, metres.
#[inline(always)]
pub(super) fn displacement<T: Scalar>(from: &PoseOf<T>, to: &PoseOf<T>) -> Vec3<T> {
    (to.position - from.position) + (to.rest - from.rest)
}

/// The shortest rotation from one orientation to another.
#[derive(Debug, Clone, Copy)]
pub(super) struct ShortestTurn<T> {
    /// The rows of both orientations.
    pub(super) rows: [[Vec3<T>; 3]; 2],
    /// Unit axis in the body's frame; zero without a rotation.
    axis_in_body: Vec3<T>,
    /// Sine and cosine of half the angle; neither is negative.
    pub(super) sine: T,
    pub(super) cosine: T,
}

impl<T: Scalar> ShortestTurn<T> {
    /// Finds the shortest rotation between two quaternions of any norm.
    #[inline(always)]
    pub(super) fn new(from: [T; 4], to: [T; 4]) -> Self {
        let [w, x, y, z] = conjugate_product(from, to);
        let v = Vec3::select(w.lt(T::zero()), -Vec3::new(x, y, z), Vec3::new(x, y, z));
        let (w, length) = (w.abs(), v.length());
        let scale = T::one() / (w * w + length * length).sqrt();
        let none = length.le(T::zero());
        let axis_in_body = Vec3::select(none, Vec3::from_f64(Vec3::ZERO), v.scale(T::one() / length));
        Self { rows: [rotation(from), rotation(to)], axis_in_body, sine: length * scale, cosine: w * scale }
    }

    /// Whether it exists: not for half a turn.
    #[inline(always)]
    pub(super) fn is_defined(&self) -> T::Mask {
        T::from_f64(LEAST_COSINE).le(self.cosine)
    }
}

impl<S: Simd> ShortestTurn<V<S>> {
    /// Half the angle, radians.
    #[inline(always)]
    pub(super) fn half_angles(&self) -> V<S> {
        let (sine, cosine, mut angle) = (self.sine.lanes(), self.cosine.lanes(), [0.0; WIDTH]);
        for k in 0..WIDTH {
            if sine[k] > 0.0 {
                angle[k] = libm::atan2(sine[k], cosine[k]);
            }
        }
        V::load(&angle)
    }
}

/// Terms of the bounds of a body's motion. Lengths in metres, angles in radians, times as shares of
/// the interval.
#[derive(Debug, Clone, Copy)]
pub(super) struct PathTerms<T> {
    /// Angular velocity, world.
    pub(super) omega: Vec3<T>,
    /// Vector from the recentred origin to the pivot at the start, world.
    pub(super) arm: Vec3<T>,
    /// Velocity of the pivot, world.
    pub(super) velocity: Vec3<T>,
    /// No point of the core is farther from the pivot.
    pub(super) reach: T,
    /// Bound on the error of any point's place in an interpolated pose.
    pub(super) error: T,
}

impl<T: Scalar> PathTerms<T> {
    /// Computes the terms of a body that makes `turn`, by twice `half_angle` (radians), while its
    /// recentred origin is displaced by `shift` (world, metres); `fall`: as of
    /// [`BodyMotion::fall`], which is no term but for its rounding.
    #[inline(always)]
    pub(super) fn new(turn: &ShortestTurn<T>, half_angle: T, shift: Vec3<T>, fall: Vec3<T>, lever: &Lever) -> Self {
        let axis = turned(&turn.rows[0], turn.axis_in_body);
        let (arm, velocity) = match lever.between {
            BetweenFrames::Screw => screw(axis, turn, shift),
            _ => {
                let pivot = Vec3::from_f64(lever.pivot);
                let (first, second) = (turned(&turn.rows[0], pivot), turned(&turn.rows[1], pivot));
                (first, shift + (second - first))
            }
        };
        let reach = (T::from_f64(lever.core) + arm.length()) * T::from_f64(1.0 + 8.0 * f64::EPSILON);
        let lengths = T::from_f64(lever.core + lever.pivot.length()) + shift.length() + fall.length();
        let error = T::from_f64(POSE_UNITS) * lengths;
        Self { omega: axis.scale(half_angle + half_angle), arm, velocity, reach, error }
    }
}

impl PathTerms<f64> {
    /// The terms of a body that one joint moves; `core`: as of [`Lever`].
    pub(super) fn of_twist(twist: &Twist, core: f64) -> Self {
        let Twist { omega, arm, velocity } = *twist;
        Self { omega, arm, velocity, reach: (core + arm.length()) * (1.0 + 8.0 * f64::EPSILON), error: 0.0 }
    }

    /// Computes the terms of a body that may turn either way: its pivot moves on the same line.
    pub(super) fn of_either_way(motion: &BodyMotion<'_>, between: BetweenFrames) -> Self {
        let [start, end] = &motion.ends;
        let turn = ShortestTurn::new(start.q, end.q);
        let half_angle = libm::atan2(turn.sine, turn.cosine);
        let shift = displacement(&start.into(), &end.into());
        Self::new(&turn, half_angle, shift, motion.fall, &motion.lever(between))
    }
}

/// Returns the vector from the origin to the screw axis, and the velocity along it. Without a
/// rotation the whole displacement is along it.
#[inline(always)]
fn screw<T: Scalar>(axis: Vec3<T>, turn: &ShortestTurn<T>, shift: Vec3<T>) -> (Vec3<T>, Vec3<T>) {
    let (none, half) = (turn.sine.le(T::zero()), T::from_f64(0.5));
    let along = axis.scale(axis.dot(shift));
    let across = shift - along;
    let arm = across.scale(half) + axis.cross(across).scale(half * turn.cosine / turn.sine);
    (Vec3::select(none, Vec3::from_f64(Vec3::ZERO), arm), Vec3::select(none, shift, along))
}

/// The path of one body.
#[derive(Debug, Clone, Copy)]
pub(super) struct BodyPath {
    between: BetweenFrames,
    ends: [Pose; 2],
    /// Unit axis of the rotation in the body's frame; zero without a rotation.
    axis_in_body: Vec3<f64>,
    /// Half the angle of the rotation, radians, from 0 to below a right angle.
    half_angle: f64,
    /// Displacement of the recentred origin over the interval, world, metres.
    shift: Vec3<f64>,
    /// The pivot in the recentred frame, metres; not for a screw.
    pivot: Vec3<f64>,
    /// See [`BodyMotion::fall`].
    fall: Vec3<f64>,
    /// See [`PathTerms`].
    pub(super) omega: Vec3<f64>,
    /// See [`PathTerms`].
    pub(super) arm: Vec3<f64>,
    /// See [`PathTerms`].
    pub(super) velocity: Vec3<f64>,
    /// See [`PathTerms`].
    pub(super) reach: f64,
    /// See [`PathTerms`].
    pub(super) error: f64,
}

impl BodyPath {
    /// The path; `None` where the rotation has no shortest way.
    pub(super) fn new(motion: &BodyMotion<'_>, between: BetweenFrames) -> Option<Self> {
        let [start, end] = &motion.ends;
        let turn = ShortestTurn::new(start.q, end.q);
        if !turn.is_defined() {
            return None;
        }
        let half_angle = libm::atan2(turn.sine, turn.cosine);
        let shift = displacement(&start.into(), &end.into());
        let terms = PathTerms::new(&turn, half_angle, shift, motion.fall, &motion.lever(between));
        let PathTerms { omega, arm, velocity, reach, error } = terms;
        let (axis_in_body, BodyMotion { pivot, fall, .. }) = (turn.axis_in_body, *motion);
        Some(Self {
            between,
            ends: motion.ends,
            axis_in_body,
            half_angle,
            shift,
            pivot,
            fall,
            omega,
            arm,
            velocity,
            reach,
            error,
        })
    }

    /// The acceleration with which B's pivot departs from A's, metres over the square of the
    /// interval: 0 of two bodies that fall alike.
    pub(super) fn parting([a, b]: [&Self; 2]) -> Vec3<f64> {
        b.fall - a.fall
    }

    /// Returns the terms of the bounds of the motion.
    pub(super) fn terms(&self) -> PathTerms<f64> {
        let Self { omega, arm, velocity, reach, error, .. } = *self;
        PathTerms { omega, arm, velocity, reach, error }
    }

    /// The pose at a share of the interval, within [`Self::error`] of the path; those of the ends
    /// exactly.
    pub(super) fn pose(&self, share: f64) -> Pose {
        if share <= 0.0 {
            return self.ends[0];
        }
        if share >= 1.0 {
            return self.ends[1];
        }
        let (sine, cosine) = libm::sincos(share * self.half_angle);
        let q = product(
            normalized(self.ends[0].q),
            [cosine, self.axis_in_body.x * sine, self.axis_in_body.y * sine, self.axis_in_body.z * sine],
        );
        let moved = match self.between {
            BetweenFrames::Screw => self.screwed(share),
            _ => {
                let sag = self.fall.scale(0.5 * share * (share - 1.0));
                self.velocity.scale(share) + (self.arm - turned(&rotation(q), self.pivot)) + sag
            }
        };
        let [x, y, z] =
            [0, 1, 2].map(|k| Dd::from_parts(self.ends[0].position[k], self.ends[0].rest[k]) + Dd::from_f64(moved[k]));
        Pose { position: Vec3::new(x.hi, y.hi, z.hi), rest: Vec3::new(x.lo, y.lo, z.lo), q }
    }

    /// The displacement of the recentred origin by a share of the screw. With the half angle `a`,
    /// the axis `u` and the displacement `d` across the axis it is `sin(s a) / sin(a) (cos((1-s) a)
    /// d - sin((1-s) a) u x d)`, which holds for small angles too.
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
