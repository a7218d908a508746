//! Bounds of the motion of two bodies relative to each other (docs/numerics.md, "Between the frames").

use super::path::BodyPath;
use crate::geometry::{Dd, Pose, Real, Vec3};

/// The frame in which a direction stands still.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FixedIn {
    /// The world.
    World,
    /// Body A.
    A,
    /// Body B.
    B,
}

impl FixedIn {
    pub(super) const ALL: [Self; 3] = [Self::World, Self::A, Self::B];
}

/// Relative margin of what is computed here.
const MARGIN: f64 = 1.0 + 1e-9;

/// What differences of nearly equal velocities may be off, in the velocities.
const CANCELLATION: f64 = 64.0 * f64::EPSILON;

/// The motion of two bodies over an interval; times are shares of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct RelativeMotion {
    omega: [Vec3<f64>; 2],
    reach: [f64; 2],
    /// Bounds of the second derivative of any point of one body in the frame of the other: in that of A, in that of B.
    in_frame: [f64; 2],
    /// No two points of the bodies move faster relative to each other, metres an interval.
    pub(super) speed: f64,
    /// How far the bodies may be off their places together in interpolated poses, metres.
    pub(super) error: f64,
}

impl RelativeMotion {
    /// Of two bodies whose recentred origins are `between` apart (from A to B, world, metres) at the start.
    pub(super) fn new(a: &BodyPath, b: &BodyPath, start: [&Pose; 2]) -> Self {
        let between = from_a_to_b(start);
        let omega = [a.omega, b.omega];
        let reach = [a.reach, b.reach];
        let pivots = between + (b.arm - a.arm);
        let velocity = b.velocity - a.velocity;
        let turn = b.omega - a.omega;
        let (turning, fastest) = (a.omega.length() + b.omega.length(), velocity.length());
        let lever = reach[0] + reach[1] + pivots.length() + fastest;
        let ends = [pivots, pivots + velocity];
        // The acceleration in the frame of a body is (turn x omega) x r + turn x (turn x r) + omega x (omega x p - 2 v).
        let in_frame = [0, 1].map(|body| {
            let [own, other_reach] = [omega[body], Vec3::new(reach[1 - body], 0.0, 0.0)];
            let carried = ends.map(|p| own.cross(own.cross(p) - velocity.scale(2.0)).length());
            let turned = (turn.cross(own).length() + turn.length2()) * other_reach.x;
            let noise = CANCELLATION * turning * (turning * lever + 2.0 * fastest);
            (turned + carried[0].max(carried[1])) * MARGIN + noise
        });
        let speeds = [0, 1].map(|body| {
            let carried = ends.map(|p| (velocity - omega[body].cross(p)).length());
            carried[0].max(carried[1]) + turn.length() * reach[1 - body]
        });
        let apart = fastest + omega[0].length() * reach[0] + omega[1].length() * reach[1];
        let noise = CANCELLATION * (turning * lever + a.velocity.length() + b.velocity.length());
        let speed = speeds[0].min(speeds[1]).min(apart) * MARGIN + noise;
        Self { omega, reach, in_frame, speed, error: a.error + b.error }
    }

    /// A bound of the second derivative of the gap of the supporting planes along a direction that stands still in a frame; `normal`:
    /// the direction in the world, at some time. A point within `r` of its pivot has the acceleration `omega^2 r` across the axis.
    pub(super) fn bend(&self, fixed: FixedIn, normal: Vec3<f64>) -> f64 {
        match fixed {
            FixedIn::World => {
                let of = |body: usize| {
                    let omega = self.omega[body];
                    let rate = omega.length();
                    rate * self.reach[body] * (omega.cross(normal).length() + CANCELLATION * rate)
                };
                (of(0) + of(1)) * MARGIN
            }
            FixedIn::A => self.in_frame[0],
            FixedIn::B => self.in_frame[1],
        }
    }
}

/// From A's recentred origin to B's, world, metres.
pub(super) fn from_a_to_b([a, b]: [&Pose; 2]) -> Vec3<f64> {
    let along = |k: usize| (Dd::from_parts(b.position[k], b.rest[k]) - Dd::from_parts(a.position[k], a.rest[k])).hi;
    Vec3::new(along(0), along(1), along(2))
}

/// A lower bound of a function over [0, 1] that is `first` and `last` at the ends and whose second derivative is at least `-bend`:
/// `(1 - t) first + t last - bend t (1 - t) / 2`, a convex parabola.
#[derive(Debug, Clone, Copy)]
pub(super) struct GapBound {
    pub(super) first: f64,
    pub(super) last: f64,
    pub(super) bend: f64,
}

impl GapBound {
    /// No bound.
    pub(super) const NONE: Self = Self { first: f64::NEG_INFINITY, last: f64::NEG_INFINITY, bend: 0.0 };

    /// The same, read from the other end.
    pub(super) fn reversed(self) -> Self {
        Self { first: self.last, last: self.first, bend: self.bend }
    }

    /// The least value.
    pub(super) fn least(&self) -> f64 {
        let Self { first, last, bend } = *self;
        let half = 0.5 * bend;
        let slope = last - first;
        if slope.abs() >= half || first.is_infinite() {
            return first.min(last);
        }
        // At t = (half - slope) / (2 half).
        let drop = half - slope;
        first.min(last).min(first - drop * (drop / (4.0 * half)))
    }

    /// The shares of [0, 1] outside of which the bound is above a level: the roots of `a t^2 + b t + c`, rounded outward.
    pub(super) fn where_below(&self, level: f64) -> [f64; 2] {
        let Self { first, last, bend } = *self;
        let rounding = 16.0 * f64::EPSILON * (first.abs() + last.abs() + bend + level.abs());
        let a = 0.5 * bend;
        let (b, c) = (last - first - a, first - level - rounding);
        let discriminant = b * b - 4.0 * a * c;
        if !discriminant.is_finite() {
            return [0.0, 1.0];
        }
        // No difference of nearly equal numbers.
        let q = -0.5 * (b + discriminant.max(0.0).sqrt().copysign(b));
        let (one, other) = if a == 0.0 { (-c / b, -c / b) } else { (q / a, c / q) };
        let (low, high) = (one.min(other), one.max(other));
        // Where an end is below the level it is an end of the answer; a root that is not defined leaves all.
        let low = if c > 0.0 && low > 0.0 { (low * (1.0 - 1e-9) - 1e-12).clamp(0.0, 1.0) } else { 0.0 };
        let high = if a + b + c > 0.0 && high < 1.0 { (high * (1.0 + 1e-9) + 1e-12).clamp(0.0, 1.0) } else { 1.0 };
        [low.min(high), high]
    }
}

#[cfg(test)]
mod tests {
    use super::GapBound;

    #[test]
    fn the_least_value_is_that_of_the_parabola() {
        for (first, last, bend) in [
            (1.0, 1.0, 8.0),
            (1.0, 2.0, 8.0),
            (3.0, -1.0, 2.0),
            (0.0, 0.1, 0.3),
            (2.0, 5.0, 0.0),
            (5.0, 2.0, 0.0),
            (1.0, 1.0, 0.0),
        ] {
            let value = |t: f64| (1.0 - t) * first + t * last - bend * t * (1.0 - t) / 2.0;
            let grid = (0..=10_000).map(|i| value(f64::from(i) / 1e4)).fold(f64::INFINITY, f64::min);
            let bound = GapBound { first, last, bend };
            let found = bound.least();
            assert!(found <= grid + 1e-12 && found >= grid - 1e-7 * (1.0 + bend), "{found} {grid}");
            let level = grid + 0.05;
            let [low, high] = bound.where_below(level);
            for i in 0..=10_000 {
                let t = f64::from(i) / 1e4;
                assert!(value(t) > level - 1e-9 || (low..=high).contains(&t), "{t} is outside of {low} .. {high}");
            }
            assert!(
                low <= high
                    && (low == 0.0 || value(low) >= level - 1e-9)
                    && (high == 1.0 || value(high) >= level - 1e-9)
            );
        }
    }
}
