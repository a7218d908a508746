//! Bounds of the motion of two bodies relative to each other (docs/reference/numerics.md, "Between
//! the frames").

use super::path::PathTerms;
use clearsweep_base::simd::{Lane, Simd, V};
use clearsweep_geometry::{Scalar, Vec3};
use clearsweep_kinematics::Derivatives;

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

/// Bound on the error of differences of nearly equal velocities, relative to the velocities.
const CANCELLATION: f64 = 64.0 * f64::EPSILON;

/// The motion of two bodies over an interval; times are shares of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct RelativeMotion<T = f64> {
    omega: [Vec3<T>; 2],
    reach: [T; 2],
    /// Bounds of the second derivative of any point of one body in the frame of the other: in that
    /// of A, in that of B.
    in_frame: [T; 2],
    /// No two points of the bodies move faster relative to each other, metres an interval.
    pub(super) speed: T,
    /// Bound on the error of both bodies' places together in interpolated poses, metres.
    pub(super) error: T,
    /// Bound of the second derivative of the vector between any two points in the world that comes
    /// on top of that of single rotations.
    in_world: T,
}

impl RelativeMotion {
    /// The motion of two bodies that joints carry; `bounds`: of each, in the world and in the frame
    /// of the other. `error`: of their places, metres.
    pub(super) fn of_joints([a, b]: [[Derivatives; 2]; 2], error: f64) -> Self {
        let apart = (a[0].speed + b[0].speed) * MARGIN;
        Self {
            omega: [Vec3::ZERO; 2],
            reach: [0.0; 2],
            in_frame: [b[1].bend, a[1].bend],
            speed: apart.min(a[1].speed).min(b[1].speed),
            error,
            in_world: (a[0].bend + b[0].bend) * MARGIN,
        }
    }
}

/// Bounds on the errors of the [`PathTerms`] of bodies that joints carry.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Slack {
    /// Error of any vector between two points of the bodies, metres.
    pub(super) place: f64,
    /// Error of any direction, and of lengths relative to themselves.
    pub(super) tilt: f64,
}

impl RelativeMotion {
    /// The motion of two bodies of which one joint each moves. `between`: as of [`Self::new`];
    /// `error`: of their places, metres.
    pub(super) fn of_twists(terms: [&PathTerms<f64>; 2], between: Vec3<f64>, slack: Slack, error: f64) -> Self {
        let motion = Self::new(terms, between, Vec3::ZERO);
        let turning = motion.omega[0].length() + motion.omega[1].length();
        let ways = terms[0].velocity.length() + terms[1].velocity.length();
        let off = slack.place + slack.tilt * (motion.reach[0] + motion.reach[1] + between.length() + ways);
        let bend = off * turning * turning;
        Self {
            in_frame: motion.in_frame.map(|of| of + bend),
            speed: motion.speed + off * turning + slack.tilt * ways,
            error,
            in_world: bend,
            ..motion
        }
    }
}

impl<T: Scalar> RelativeMotion<T> {
    /// Computes the motion of two bodies whose recentred origins are `between` apart (from A to B,
    /// world, metres) at the start, and whose pivots part with the acceleration `parting` (metres
    /// over the square of the interval).
    #[inline(always)] // as everything generic below: into code for wider registers
    pub(super) fn new([a, b]: [&PathTerms<T>; 2], between: Vec3<T>, parting: Vec3<T>) -> Self {
        let (margin, cancellation) = (T::from_f64(MARGIN), T::from_f64(CANCELLATION));
        let carried = Carried {
            pivots: between + (b.arm - a.arm),
            velocity: b.velocity - a.velocity,
            turn: b.omega - a.omega,
            rates: [a.omega.length(), b.omega.length()],
            parting: parting.length(),
        };
        let (turning, fastest) = (carried.rates[0] + carried.rates[1], carried.velocity.length());
        let lever = a.reach + b.reach + carried.pivots.length() + fastest;
        let noise = cancellation * turning * (turning * lever + (fastest + fastest));
        let in_a = carried.acceleration(a.omega, b.reach) * margin + noise;
        let in_b = carried.acceleration(b.omega, a.reach) * margin + noise;
        let half = T::from_f64(0.5);
        let apart = fastest + half * carried.parting + carried.rates[0] * a.reach + carried.rates[1] * b.reach;
        let speed = carried.speed(a.omega, b.reach).smaller(carried.speed(b.omega, a.reach)).smaller(apart);
        let noise = cancellation * (turning * lever + a.velocity.length() + b.velocity.length());
        Self {
            omega: [a.omega, b.omega],
            reach: [a.reach, b.reach],
            in_frame: [in_a, in_b],
            speed: speed * margin + noise,
            error: a.error + b.error,
            in_world: carried.parting * margin,
        }
    }

    /// A bound of the second derivative of the gap of the supporting planes along a direction that
    /// stands still in a frame; `normal`: the direction in the world, at some time. A point within
    /// `r` of its pivot has the acceleration `omega^2 r` across the axis.
    #[inline(always)]
    pub(super) fn bend(&self, fixed: FixedIn, normal: Vec3<T>) -> T {
        match fixed {
            FixedIn::World => (self.across(0, normal) + self.across(1, normal)) * T::from_f64(MARGIN) + self.in_world,
            FixedIn::A => self.in_frame[0],
            FixedIn::B => self.in_frame[1],
        }
    }

    /// The frame of the bend that comes at this place in order (0 to 2), the first of equal ones
    /// first: where it is B's, where A's, and the bend.
    #[inline(always)]
    pub(super) fn bend_of_rank(&self, rank: usize, normal: Vec3<T>) -> (T::Mask, T::Mask, T) {
        let world = self.bend(FixedIn::World, normal);
        let [a, b] = self.in_frame;
        let (a_first, b_first, b_before_a) = (a.lt(world), b.lt(world), b.lt(a));
        let (in_b, in_a) = match rank {
            0 => (b_first & b_before_a, a_first & !b_before_a),
            1 => {
                let in_world = (a_first & !b_first) | (!a_first & b_first);
                let in_a = (a_first & b_before_a) | (!a_first & !b_before_a);
                (!in_world & !in_a, in_a & !in_world)
            }
            _ => (!b_first & !b_before_a, !a_first & b_before_a),
        };
        (in_b, in_a, T::select(in_b, b, T::select(in_a, a, world)))
    }

    /// A bound of the least bend of any direction.
    #[inline(always)]
    pub(super) fn most_bend(&self) -> T {
        let of_a = self.omega[0].length2() * self.reach[0];
        let of_b = self.omega[1].length2() * self.reach[1];
        let world = (of_a + of_b) * T::from_f64(MARGIN) + self.in_world;
        Scalar::smaller(Scalar::smaller(self.in_frame[0], self.in_frame[1]), world)
    }

    /// A bound of the acceleration of a body's points along a direction of the world.
    #[inline(always)]
    fn across(&self, body: usize, normal: Vec3<T>) -> T {
        let omega = self.omega[body];
        let rate = omega.length();
        rate * self.reach[body] * (omega.cross(normal).length() + T::from_f64(CANCELLATION) * rate)
    }
}

impl<T: Scalar> RelativeMotion<T> {
    /// All numbers of it, in the order in which [`Self::load`] takes them.
    #[inline(always)]
    pub(super) fn numbers(&self) -> [T; 13] {
        let ([a, b], [r, s], [i, j]) = (self.omega, self.reach, self.in_frame);
        [a.x, a.y, a.z, b.x, b.y, b.z, r, s, i, j, self.speed, self.error, self.in_world]
    }
}

impl<S: Simd> RelativeMotion<V<S>> {
    /// Stores the motion in memory.
    #[inline(always)]
    pub(super) fn store(&self, to: &mut [Lane; 13]) {
        for (lane, value) in to.iter_mut().zip(self.numbers()) {
            value.store(lane);
        }
    }

    /// Loads the motion from memory.
    #[inline(always)]
    pub(super) fn load(from: &[Lane; 13]) -> Self {
        let [a, b, c, d, e, f, r, s, i, j, speed, error, in_world] = from;
        let at = V::load;
        Self {
            omega: [Vec3::new(at(a), at(b), at(c)), Vec3::new(at(d), at(e), at(f))],
            reach: [at(r), at(s)],
            in_frame: [at(i), at(j)],
            speed: at(speed),
            error: at(error),
            in_world: at(in_world),
        }
    }
}

/// Motion of two bodies' pivots relative to each other.
#[derive(Clone, Copy)]
struct Carried<T> {
    /// Vector from A's pivot to B's at the start.
    pivots: Vec3<T>,
    /// The velocity of that.
    velocity: Vec3<T>,
    /// The difference of the angular velocities.
    turn: Vec3<T>,
    /// The sizes of the angular velocities.
    rates: [T; 2],
    /// The size of the pivots' acceleration away from each other: it takes them an eighth of it off
    /// their line, and adds half of it to their velocity.
    parting: T,
}

impl<T: Scalar> Carried<T> {
    /// A bound of the acceleration of the other body's points, within `reach` of its pivot, in the
    /// frame of the body that turns by `own`: `(turn x own) x r + turn x (turn x r) + own x (own x
    /// p - 2 v) + parting`.
    #[inline(always)]
    fn acceleration(&self, own: Vec3<T>, reach: T) -> T {
        let twice = self.velocity + self.velocity;
        let first = own.cross(own.cross(self.pivots) - twice).length();
        let last = own.cross(own.cross(self.pivots + self.velocity) - twice).length();
        let rate = own.length();
        let parted = self.parting * (T::one() + rate + T::from_f64(0.125) * rate * rate);
        (self.turn.cross(own).length() + self.turn.length2()) * reach + first.larger(last) + parted
    }

    /// A bound of the velocity of these points there: `v - own x p + turn x r`.
    #[inline(always)]
    fn speed(&self, own: Vec3<T>, reach: T) -> T {
        let first = (self.velocity - own.cross(self.pivots)).length();
        let last = (self.velocity - own.cross(self.pivots + self.velocity)).length();
        let parted = self.parting * (T::from_f64(0.5) + T::from_f64(0.125) * own.length());
        first.larger(last) + self.turn.length() * reach + parted
    }
}

/// A lower bound of a function over [0, 1] that is `first` and `last` at the ends and whose second
/// derivative is at most `bend`: `(1 - t) first + t last - bend t (1 - t) / 2`, a convex parabola.
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

    /// The share of [0, 1] at which it is least.
    pub(super) fn least_share(&self) -> f64 {
        let Self { first, last, bend } = *self;
        let slope = last - first;
        if slope.abs() < 0.5 * bend { 0.5 - slope / bend } else { f64::from(u8::from(slope < 0.0)) }
    }

    /// The shares of [0, 1] outside of which the bound is above a level: the roots of `a t^2 + b t
    /// + c`, rounded outward.
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
        // An end of the interval that is below the level is an end of the answer. A root that is
        // not defined leaves all of the interval.
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
            assert!(value(bound.least_share()) <= grid + 1e-9, "{bound:?}");
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
