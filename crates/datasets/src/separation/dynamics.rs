//! Two rigid bodies pushed apart by springs, in free fall: SI units.
//!
//! The springs sit on the stage and push along its axis, each with a force that falls linearly to
//! nothing over its stroke. Both bodies feel the same force at the same point, with opposite signs,
//! so that the system keeps its momentum and its angular momentum. Attitudes follow Euler's
//! equations; everything is integrated together by the Runge-Kutta method of order 4.

use crate::space::{
    Point3, Quaternion, add, conjugate, cross, dot, normalised, product, rotate, runge_kutta, scale, sub,
};

/// Numbers in the state of a body: position and velocity of its centre of mass, attitude, rates in
/// its own frame.
const STATE: usize = 13;
/// Longest step while a spring pushes, and afterwards, seconds.
const STEPS: [f64; 2] = [0.0005, 0.005];

/// Mass properties of a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Mass {
    /// Kilograms.
    pub(super) mass: f64,
    /// Principal moments of inertia about the axes of the body's frame, kg m^2.
    pub(super) inertia: Point3,
    /// Centre of mass in the body's frame, metres.
    pub(super) center: Point3,
}

/// A force that pushes or pulls at a point of the separation plane, along the stage's axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Push {
    /// In the plane z = 0 of both bodies before they part.
    pub(super) at: [f64; 2],
    /// Force at release, newtons; negative: it holds back.
    pub(super) force: f64,
    /// Way over which it acts, metres.
    pub(super) stroke: f64,
    /// Whether the force falls linearly to nothing over the stroke (a spring), or stays (friction
    /// of a connector).
    pub(super) falls: bool,
}

impl Push {
    /// Force at a gap.
    fn force(&self, gap: f64) -> f64 {
        if gap >= self.stroke {
            0.0
        } else if self.falls {
            self.force * (1.0 - gap / self.stroke)
        } else {
            self.force
        }
    }
}

/// The payload (first) and the stage (second), whose frames coincide at release.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SeparatingPair {
    pub(super) mass: [Mass; 2],
    pub(super) pushes: Vec<Push>,
    state: [f64; 2 * STATE],
}

/// A body's state, taken apart.
#[derive(Debug, Clone, Copy)]
struct RigidBody {
    position: Point3,
    velocity: Point3,
    q: Quaternion,
    rate: Point3,
}

impl RigidBody {
    fn of(state: &[f64; 2 * STATE], which: usize) -> Self {
        let s = &state[which * STATE..];
        Self {
            position: [s[0], s[1], s[2]],
            velocity: [s[3], s[4], s[5]],
            q: [s[6], s[7], s[8], s[9]],
            rate: [s[10], s[11], s[12]],
        }
    }

    /// A point of the body's frame in the world.
    fn point(&self, mass: &Mass, point: Point3) -> Point3 {
        add(self.position, rotate(self.q, sub(point, mass.center)))
    }
}

impl SeparatingPair {
    /// At release: the velocity of the payload's centre of mass (the stage recoils), the rates of
    /// both.
    pub(super) fn new(mass: [Mass; 2], pushes: Vec<Push>, velocity: Point3, rates: [Point3; 2]) -> Self {
        let recoil = scale(velocity, -mass[0].mass / mass[1].mass);
        let mut state = [0.0; 2 * STATE];
        for (which, velocity) in [velocity, recoil].into_iter().enumerate() {
            // The stage's rates turn the payload with it, until it is free.
            let s = &mut state[which * STATE..][..STATE];
            let carried = cross(rates[1], sub(mass[which].center, mass[1].center));
            s[..3].copy_from_slice(&mass[which].center);
            s[3..6].copy_from_slice(&add(velocity, carried));
            s[6] = 1.0;
            s[10..].copy_from_slice(&if which == 0 { add(rates[0], rates[1]) } else { rates[1] });
        }
        Self { mass, pushes, state }
    }

    /// Goes on by a time.
    pub(super) fn advance(&mut self, seconds: f64) {
        let mut left = seconds;
        while left > 0.0 {
            let active = self.pushes.iter().any(|push| self.gap(&self.state, push) < push.stroke);
            let step = left.min(STEPS[usize::from(!active)]);
            let next = runge_kutta(self.state, 0.0, step, |_, state| self.derivative(state));
            self.state = unit_attitudes(next);
            left -= step;
        }
    }

    /// The pose of the payload's frame in the stage's.
    pub(super) fn relative(&self) -> (Point3, Quaternion) {
        let [payload, stage] = [0, 1].map(|which| RigidBody::of(&self.state, which));
        let [from, to] = [payload.point(&self.mass[0], [0.0; 3]), stage.point(&self.mass[1], [0.0; 3])];
        let back = conjugate(stage.q);
        (rotate(back, sub(from, to)), product(back, payload.q))
    }

    /// Distance that the payload has moved away at a push, along the stage's axis.
    fn gap(&self, state: &[f64; 2 * STATE], push: &Push) -> f64 {
        let [payload, stage] = [0, 1].map(|which| RigidBody::of(state, which));
        let at = [push.at[0], push.at[1], 0.0];
        let apart = sub(payload.point(&self.mass[0], at), stage.point(&self.mass[1], at));
        dot(apart, rotate(stage.q, [0.0, 0.0, 1.0]))
    }

    fn derivative(&self, state: &[f64; 2 * STATE]) -> [f64; 2 * STATE] {
        let bodies = [0, 1].map(|which| RigidBody::of(state, which));
        let axis = rotate(bodies[1].q, [0.0, 0.0, 1.0]);
        let (mut force, mut torque) = ([[0.0; 3]; 2], [[0.0; 3]; 2]);
        for push in &self.pushes {
            let f = scale(axis, push.force(self.gap(state, push)));
            let at = bodies[0].point(&self.mass[0], [push.at[0], push.at[1], 0.0]);
            for (which, sign) in [(0, 1.0), (1, -1.0)] {
                let f = scale(f, sign);
                force[which] = add(force[which], f);
                torque[which] = add(torque[which], cross(sub(at, bodies[which].position), f));
            }
        }
        let mut derivative = [0.0; 2 * STATE];
        for which in 0..2 {
            let (body, mass) = (bodies[which], &self.mass[which]);
            let d = &mut derivative[which * STATE..][..STATE];
            d[..3].copy_from_slice(&body.velocity);
            d[3..6].copy_from_slice(&scale(force[which], 1.0 / mass.mass));
            let [x, y, z] = body.rate;
            d[6..10].copy_from_slice(&product(body.q, [0.0, x, y, z]).map(|c| c / 2.0));
            let own = rotate(conjugate(body.q), torque[which]);
            let momentum = [0, 1, 2].map(|k| mass.inertia[k] * body.rate[k]);
            let spin = cross(body.rate, momentum);
            d[10..].copy_from_slice(&[0, 1, 2].map(|k| (own[k] - spin[k]) / mass.inertia[k]));
        }
        derivative
    }
}

fn unit_attitudes(mut state: [f64; 2 * STATE]) -> [f64; 2 * STATE] {
    for which in 0..2 {
        let q = &mut state[which * STATE + 6..][..4];
        let unit = normalised([q[0], q[1], q[2], q[3]]);
        q.copy_from_slice(&unit);
    }
    state
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::length;

    fn springs(imbalance: f64) -> Vec<Push> {
        let spring = |x: f64, y: f64, force: f64| Push { at: [x, y], force, stroke: 0.06, falls: true };
        vec![
            spring(0.3, 0.3, 500.0 + imbalance),
            spring(-0.3, 0.3, 500.0),
            spring(-0.3, -0.3, 500.0 - imbalance),
            spring(0.3, -0.3, 500.0),
        ]
    }

    fn pair(imbalance: f64, center: Point3, rates: [Point3; 2]) -> SeparatingPair {
        let payload = Mass { mass: 310.0, inertia: [110.0, 95.0, 60.0], center };
        let stage = Mass { mass: 1450.0, inertia: [2600.0, 2500.0, 1500.0], center: [0.0, 0.0, -1.6] };
        SeparatingPair::new([payload, stage], springs(imbalance), [0.004, -0.003, 0.0], rates)
    }

    /// Momentum, angular momentum about the origin, energy with what the springs hold.
    fn balance(pair: &SeparatingPair) -> (Point3, Point3, f64) {
        let (mut momentum, mut angular, mut energy) = ([0.0; 3], [0.0; 3], 0.0);
        for which in 0..2 {
            let (body, mass) = (RigidBody::of(&pair.state, which), pair.mass[which]);
            let p = scale(body.velocity, mass.mass);
            let spin = [0, 1, 2].map(|k| mass.inertia[k] * body.rate[k]);
            momentum = add(momentum, p);
            angular = add(angular, add(cross(body.position, p), rotate(body.q, spin)));
            energy += (dot(p, body.velocity) + dot(spin, body.rate)) / 2.0;
        }
        for push in &pair.pushes {
            let left = (push.stroke - pair.gap(&pair.state, push)).max(0.0);
            energy += push.force / push.stroke * left * left / 2.0;
        }
        (momentum, angular, energy)
    }

    #[test]
    fn momentum_angular_momentum_and_energy_are_kept() {
        let mut pair = pair(40.0, [0.01, -0.005, 0.95], [[0.01, -0.02, 0.03], [0.002, 0.001, -0.003]]);
        let before = balance(&pair);
        for _ in 0..50 {
            pair.advance(0.1);
            let now = balance(&pair);
            assert!(length(sub(now.0, before.0)) < 1e-9, "momentum {:?}", now.0);
            assert!(length(sub(now.1, before.1)) < 1e-6 * length(before.1), "angular momentum {:?}", now.1);
            // The force acts along the stage's axis where the payload is, so a tilted spring does a
            // little work aside.
            assert!((now.2 - before.2).abs() < 2e-4 * before.2, "energy {} {}", now.2, before.2);
        }
    }

    #[test]
    fn equal_springs_part_the_bodies_along_the_axis() {
        let mut pair = pair(0.0, [0.0, 0.0, 0.95], [[0.0; 3]; 2]);
        pair.state[3..6].copy_from_slice(&[0.0; 3]);
        pair.state[STATE + 3..STATE + 6].copy_from_slice(&[0.0; 3]);
        pair.advance(2.0);
        let start = pair.relative().0[2];
        pair.advance(1.0);
        let (position, q) = pair.relative();
        // All of the springs' energy, shared by the reduced mass.
        let reduced: f64 = 310.0 * 1450.0 / (310.0 + 1450.0);
        let expected = (2.0 * (4.0 * 500.0 * 0.06 / 2.0) / reduced).sqrt();
        assert!((position[2] - start - expected).abs() < 1e-5, "{} {expected}", position[2] - start);
        assert!(position[0].abs() < 1e-12 && position[1].abs() < 1e-12 && (q[0] - 1.0).abs() < 1e-12);
    }

    #[test]
    fn an_offset_centre_of_mass_tips_the_payload() {
        let mut pair = pair(0.0, [0.01, 0.0, 0.95], [[0.0; 3]; 2]);
        pair.advance(3.0);
        let (position, q) = pair.relative();
        // The springs push at x = 0, the centre of mass lies at +x: the payload turns about +y by
        // moving its -x side up.
        let rate = RigidBody::of(&pair.state, 0).rate;
        assert!(rate[1] > 0.005 && rate[1] < 0.05, "{rate:?}");
        assert!(q[2] > 0.0 && position[2] > 1.5, "{q:?} {position:?}");
    }
}
