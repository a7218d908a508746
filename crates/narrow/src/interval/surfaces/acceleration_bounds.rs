//! Bounds of the acceleration of a volume's points (docs/reference/numerics.md, "Between the frames"): those of
//! [`RelativeMotion`](crate::interval::relative_motion::RelativeMotion), for a part of a body instead of the whole.

use super::body_poses::PairMoment;
use super::volume::ConvexVolume;
use crate::interval::path::BodyPath;
use crate::interval::relative_motion::FixedIn;
use clearsweep_geometry::Vec3;

/// Relative margin of what is computed here.
const MARGIN: f64 = 1.0 + 1e-9;

/// Bound on the error of differences of nearly equal numbers, relative to these numbers.
const CANCELLATION: f64 = 64.0 * f64::EPSILON;

/// Largest distances of a volume's points from the axis through the pivot, and from the pivot, metres.
#[derive(Debug, Clone, Copy)]
pub(super) struct TurningReach {
    /// Distance of the middle from the axis.
    middle: f64,
    /// Largest distance of a point from the axis.
    axis: f64,
    /// Largest distance of a point from the pivot.
    pivot: f64,
}

/// Rotations of two bodies; times are shares of the interval.
#[derive(Debug, Clone, Copy)]
pub(super) struct PairBends {
    /// Angular velocities, radians an interval.
    rates: [f64; 2],
    /// Unit axes in the world; zero without a rotation.
    axes: [Vec3<f64>; 2],
    /// The unit axes in the bodies' frames.
    axes_in_body: [Vec3<f64>; 2],
    /// The pivots in the recentred frames, metres.
    pivots: [Vec3<f64>; 2],
    /// In the frame of a body, a point of the other at a distance r from its pivot has at most the acceleration `carried + turned r`.
    carried: [f64; 2],
    turned: [f64; 2],
    /// The third derivative of its place likewise.
    carried_jerk: [f64; 2],
    turned_jerk: [f64; 2],
    /// In the frame of a body, such a point has at most the speed `drift + turn r`; in the world the pivots part at most by `apart`.
    drift: [f64; 2],
    turn: f64,
    apart: f64,
    /// Angular velocities of both bodies, the velocity of B's pivot from A's, and the vector between these at the start, in the world.
    omega: [Vec3<f64>; 2],
    velocity: Vec3<f64>,
    between: Vec3<f64>,
    /// Bound on the error of a speed, metres an interval.
    noise: f64,
}

impl PairBends {
    pub(super) fn new(paths: &[BodyPath; 2], start: &PairMoment) -> Self {
        let [a, b] = paths;
        let omega = [a.omega, b.omega];
        let rates = omega.map(Vec3::length);
        let axes = [0, 1].map(|body| if rates[body] > 0.0 { omega[body].scale(1.0 / rates[body]) } else { Vec3::ZERO });
        let (pivots, velocity) = (start.between + (b.arm - a.arm), b.velocity - a.velocity);
        let ends = [pivots, pivots + velocity];
        let (turn, turning) = (b.omega - a.omega, rates[0] + rates[1]);
        let lever = pivots.length() + velocity.length();
        let noise = CANCELLATION * turning * (turning * lever + 2.0 * velocity.length());
        let carried = omega.map(|own| {
            let [first, last] = ends.map(|p| own.cross(own.cross(p) - velocity.scale(2.0)).length());
            first.max(last) * MARGIN + noise
        });
        let turned =
            omega.map(|own| (turn.cross(own).length() + turn.length2()) * MARGIN + CANCELLATION * turning * turning);
        let noise = CANCELLATION * turning * turning * (turning * lever + 3.0 * velocity.length());
        let carried_jerk = omega.map(|own| {
            let jerk = |p: &Vec3<f64>| own.cross(own.cross(velocity.scale(3.0) - own.cross(*p))).length();
            jerk(&ends[0]).max(jerk(&ends[1])) * MARGIN + noise
        });
        let turned_jerk = omega.map(|own| {
            let (tilt, rate) = (turn.cross(own), turn.length());
            let jerk = own.cross(tilt).length() + 3.0 * tilt.length() * rate + rate * rate * rate;
            jerk * MARGIN + CANCELLATION * turning * turning * turning
        });
        let noise = CANCELLATION * (turning * lever + a.velocity.length() + b.velocity.length());
        let drift = omega.map(|own| {
            let [first, last] = ends.map(|p| (velocity - own.cross(p)).length());
            first.max(last) * MARGIN + noise
        });
        Self {
            drift,
            turn: turn.length() * MARGIN + CANCELLATION * turning,
            apart: velocity.length() * MARGIN + noise,
            omega,
            velocity,
            between: pivots,
            noise,
            rates,
            axes,
            axes_in_body: [0, 1].map(|body| start.to_body(body, axes[body])),
            pivots: [0, 1].map(|body| start.to_body(body, paths[body].arm)),
            carried,
            turned,
            carried_jerk,
            turned_jerk,
        }
    }

    /// Whether neither body turns, so that all frames are the same.
    pub(super) fn is_still(&self) -> bool {
        self.rates == [0.0; 2]
    }

    /// The reach of a volume of a body.
    pub(super) fn reach(&self, body: usize, volume: &ConvexVolume) -> TurningReach {
        self.reach_of_ball(body, volume.middle, volume.radius)
    }

    /// The reach of a ball of a body: its middle in the body's frame, and its radius, metres.
    pub(super) fn reach_of_ball(&self, body: usize, middle: Vec3<f64>, radius: f64) -> TurningReach {
        let (pivot, from) = (self.pivots[body], middle - self.pivots[body]);
        let noise = CANCELLATION * (pivot.length() + middle.length());
        let middle = from.cross(self.axes_in_body[body]).length() + noise;
        TurningReach { middle, axis: middle + radius, pivot: from.length() + radius + noise }
    }

    /// Bounds the speed of any two points of two volumes relative to each other, metres an interval.
    pub(super) fn speed(&self, reaches: [&TurningReach; 2]) -> f64 {
        let [a, b] = reaches;
        let in_world = self.apart + (self.rates[0] * a.axis + self.rates[1] * b.axis) * MARGIN;
        let (in_a, in_b) = (self.drift[0] + self.turn * b.pivot, self.drift[1] + self.turn * a.pivot);
        in_world.min(in_a * MARGIN).min(in_b * MARGIN)
    }

    /// No two points of two balls come nearer to each other, or part, by more than this within a time `half` (a share of the interval) of a moment,
    /// metres: in the frame of a body the middle of the other's ball moves by its velocity at that moment and its greatest acceleration. Of wheels that mesh
    /// what faces each other hardly moves, though both turn.
    pub(super) fn way(&self, balls: [(Vec3<f64>, f64); 2], at: &PairMoment, half: f64) -> f64 {
        let reaches = [0, 1].map(|body: usize| self.reach_of_ball(body, balls[body].0, balls[body].1));
        let between = self.between + self.velocity.scale(at.share);
        let turn = self.omega[1] - self.omega[0];
        let in_frame = |body: usize| {
            let (other, towards) = (1 - body, if body == 0 { between } else { -between });
            let (velocity, turn) = if body == 0 { (self.velocity, turn) } else { (-self.velocity, -turn) };
            let point = at.to_world(other, balls[other].0 - self.pivots[other]);
            let speed = (velocity - self.omega[body].cross(towards) + turn.cross(point)).length();
            let noise = self.noise + CANCELLATION * (self.rates[0] + self.rates[1]) * reaches[other].pivot;
            let bend = 0.5 * half * self.in_frame(body, &reaches[other]);
            half * (speed + self.turn * balls[other].1 + noise + bend) * MARGIN
        };
        let [a, b] = &reaches;
        (half * self.speed([a, b])).min(in_frame(0)).min(in_frame(1))
    }

    /// A bound of the second derivative of the vector between the middles of two volumes, in the world.
    pub(super) fn of_middles(&self, reaches: [&TurningReach; 2]) -> f64 {
        let of = |body: usize| self.rates[body] * self.rates[body] * reaches[body].middle;
        (of(0) + of(1)) * MARGIN
    }

    /// Bounds the second derivative of the vector between any two points of two volumes, in the world.
    pub(super) fn of_points(&self, reaches: [&TurningReach; 2]) -> f64 {
        let of = |body: usize| self.rates[body] * self.rates[body] * reaches[body].axis;
        (of(0) + of(1)) * MARGIN
    }

    /// A bound of the second derivative of the gap of the supporting planes of two volumes along a direction that stands still in a frame.
    /// `world`: the direction in the world, at some time.
    pub(super) fn along(&self, fixed: FixedIn, world: Vec3<f64>, reaches: [&TurningReach; 2]) -> f64 {
        match fixed {
            FixedIn::World => {
                let of = |body: usize| {
                    let (rate, across) = (self.rates[body], self.axes[body].cross(world).length());
                    rate * rate * reaches[body].axis * (across + CANCELLATION)
                };
                (of(0) + of(1)) * MARGIN
            }
            FixedIn::A => self.in_frame(0, reaches[1]),
            FixedIn::B => self.in_frame(1, reaches[0]),
        }
    }

    /// Bounds the acceleration of the points of a volume in the frame of the other body.
    #[inline]
    pub(super) fn in_frame(&self, body: usize, other: &TurningReach) -> f64 {
        self.carried[body] + self.turned[body] * other.pivot * MARGIN
    }

    /// A bound of the third derivative of the height of any point of two volumes along a direction that stands still in a frame.
    pub(super) fn jerk(&self, fixed: FixedIn, reaches: [&TurningReach; 2]) -> f64 {
        let in_frame =
            |body: usize, other: &TurningReach| self.carried_jerk[body] + self.turned_jerk[body] * other.pivot * MARGIN;
        let in_world = |body: usize| self.rates[body] * self.rates[body] * self.rates[body] * reaches[body].axis;
        match fixed {
            FixedIn::World => (in_world(0) + in_world(1)) * MARGIN,
            FixedIn::A => in_frame(0, reaches[1]),
            FixedIn::B => in_frame(1, reaches[0]),
        }
    }

    /// The frame in which the bound along a direction is least; of equal ones the world.
    pub(super) fn least(&self, world: Vec3<f64>, reaches: [&TurningReach; 2]) -> FixedIn {
        let mut best = (f64::INFINITY, FixedIn::World);
        for fixed in FixedIn::ALL {
            let bend = self.along(fixed, world, reaches);
            if bend < best.0 {
                best = (bend, fixed);
            }
            if bend == 0.0 {
                break;
            }
        }
        best.1
    }
}
