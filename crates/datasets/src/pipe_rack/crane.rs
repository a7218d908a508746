//! A tower crane that slews while its trolley runs, and the load that swings under it. Metres and
//! seconds.
//!
//! The load is a spherical pendulum of constant length under a pivot that moves: with `u` the unit
//! vector from the pivot to the load, `L u'' = (g - a) - ((g - a).u) u - L |u'|^2 u - c L u'`, `a`
//! the acceleration of the pivot, `c` a light damping. It is integrated by the Runge-Kutta method
//! of order 4 and put back onto the sphere after every step.

use crate::models::{Loft, SolidModel};
use crate::random::Random;
use crate::space::{
    Ease, Point3, Quaternion, about, add, dot, product, rotate, runge_kutta, scale, sub, tilt_to, unit,
};
use std::f64::consts::PI;

/// Axis of the tower on the ground.
pub(super) const TOWER: [f64; 2] = [12.0, -8.0];
/// Height of the jib's lower side, where the trolley runs.
pub(super) const JIB: f64 = 16.0;
/// From the trolley to the middle of the load.
pub(super) const PENDULUM: f64 = 9.9;
/// Length of the rope between trolley and hook.
pub(super) const ROPE: f64 = 7.5;
const GRAVITY: Point3 = [0.0, 0.0, -9.81];
/// Damping of the swing, 1/s.
const DAMPING: f64 = 0.012;
/// Longest step of the integration, seconds.
const STEP: f64 = 0.005;

/// The way of the crane: slewing angle (radians) and radius of the trolley.
struct Way {
    slew: Ease,
    inward: Ease,
    outward: Ease,
}

impl Way {
    fn new() -> Self {
        Self {
            slew: Ease { time: [4.0, 96.0], value: [-20.0 * PI / 180.0, 200.0 * PI / 180.0] },
            inward: Ease { time: [8.0, 36.0], value: [8.6, 5.835] },
            outward: Ease { time: [64.0, 92.0], value: [0.0, 2.0] },
        }
    }

    /// Slewing angle; place and acceleration of the pivot.
    fn at(&self, t: f64) -> (f64, Point3, Point3) {
        let [angle, speed, gain] = self.slew.at(t);
        let (near, far) = (self.inward.at(t), self.outward.at(t));
        let [r, dr, ddr] = [0, 1, 2].map(|k| near[k] + far[k]);
        let (cos, sin) = (libm::cos(angle), libm::sin(angle));
        let (radial, tangential) = (ddr - r * speed * speed, r * gain + 2.0 * dr * speed);
        let place = [TOWER[0] + r * cos, TOWER[1] + r * sin, JIB];
        (angle, place, [radial * cos - tangential * sin, radial * sin + tangential * cos, 0.0])
    }
}

/// Places of the crane's parts.
#[derive(Debug, Clone, Copy)]
pub(super) struct CranePose {
    pub(super) slew: Quaternion,
    pub(super) pivot: Point3,
    /// Orientation of the hanging parts: the z axis is the rope, upwards.
    pub(super) hanging: Quaternion,
    /// The middle of the load.
    pub(super) load: Point3,
}

/// The crane while it works.
pub(super) struct Crane {
    way: Way,
    t: f64,
    /// `u`, then `u'`.
    state: [f64; 6],
}

impl Crane {
    /// At the start of its work, the load swinging a little.
    pub(super) fn new(random: &mut Random) -> Self {
        let (swing, direction) = (random.between(0.0115, 0.0125), random.between(0.9, 1.1));
        let aside = scale([libm::cos(direction), libm::sin(direction), 0.0], swing);
        let u = unit(add([0.0, 0.0, -1.0], aside));
        Self { way: Way::new(), t: 0.0, state: [u[0], u[1], u[2], 0.0, 0.0, 0.0] }
    }

    /// Goes on to a time, which must not lie before the last one.
    pub(super) fn advance(&mut self, t: f64) -> CranePose {
        let steps = ((t - self.t) / STEP).ceil().max(1.0);
        let (start, step) = (self.t, (t - self.t) / steps);
        for k in 0..steps as u32 {
            let at = start + f64::from(k) * step;
            let next = runge_kutta(self.state, at, step, |t, state| swing(state, self.way.at(t).2, DAMPING));
            self.state = onto_sphere(next);
        }
        self.t = t;
        self.pose()
    }

    fn pose(&self) -> CranePose {
        let (angle, pivot, _) = self.way.at(self.t);
        let u = [self.state[0], self.state[1], self.state[2]];
        let slew = about([0.0, 0.0, 1.0], angle);
        let hanging = product(tilt_to(scale(u, -1.0)), slew);
        CranePose { slew, pivot, hanging, load: add(pivot, rotate(hanging, [0.0, 0.0, -PENDULUM])) }
    }
}

/// The derivative of the pendulum's state under a pivot with an acceleration.
fn swing(state: &[f64; 6], acceleration: Point3, damping: f64) -> [f64; 6] {
    let (u, v) = ([state[0], state[1], state[2]], [state[3], state[4], state[5]]);
    let pull = scale(sub(GRAVITY, acceleration), 1.0 / PENDULUM);
    let aside = sub(pull, scale(u, dot(pull, u)));
    let a = sub(sub(aside, scale(u, dot(v, v))), scale(v, damping));
    [v[0], v[1], v[2], a[0], a[1], a[2]]
}

/// The direction scaled to length 1, and its rate made orthogonal to it.
fn onto_sphere(state: [f64; 6]) -> [f64; 6] {
    let u = unit([state[0], state[1], state[2]]);
    let v = [state[3], state[4], state[5]];
    let v = sub(v, scale(u, dot(u, v)));
    [u[0], u[1], u[2], v[0], v[1], v[2]]
}

/// The jib with counterweight and cab, its origin on the axis at the height of the trolley, along
/// +x.
pub(super) fn jib() -> SolidModel {
    let mm = |center: Point3, sides: Point3| Loft::cuboid(scale(center, 1e3), scale(sides, 1e3));
    SolidModel::default()
        .with("jib", mm([4.5, 0.0, 0.9], [23.0, 1.2, 1.2]))
        .with("counterweight", mm([-6.0, 0.0, 0.3], [1.6, 1.4, 2.4]))
        .with("cab", mm([0.4, 1.5, 0.2], [1.6, 1.4, 2.0]))
        .with("turntable", Loft::cylinder([0.0, 0.0, 0.0], [0.0, 0.0, 500.0], 1100.0, 24))
}

/// Hook block, slings and spreader beam: the origin at the middle of the load, z along the rope,
/// the beam along y.
pub(super) fn rigging() -> SolidModel {
    let high = (PENDULUM - ROPE) * 1e3;
    let sling = |y: f64| Loft::cylinder([0.0, 0.0, high - 300.0], [0.0, y, 1150.0], 15.0, 8);
    let strap = |y: f64| Loft::cylinder([0.0, y, 1100.0], [0.0, y, 500.0], 15.0, 8);
    SolidModel::default()
        .with("hook-block", Loft::cuboid([0.0, 0.0, high - 200.0], [300.0, 500.0, 500.0]))
        .with("sling-1", sling(-1500.0))
        .with("sling-2", sling(1500.0))
        .with("beam", Loft::cuboid([0.0, 0.0, 1100.0], [160.0, 3400.0, 160.0]))
        .with("strap-1", strap(-1500.0))
        .with("strap-2", strap(1500.0))
}

/// The load, a bundle of exchanger tubes with its tube sheets, along y; metres, as glTF is.
pub(super) fn bundle() -> SolidModel {
    let along = |from: f64, to: f64, radius: f64| Loft::cylinder([0.0, from, 0.0], [0.0, to, 0.0], radius, 24);
    SolidModel::default()
        .with("tubes", along(-2.4, 2.4, 0.42))
        .with("sheet-fixed", along(2.4, 2.5, 0.5))
        .with("sheet-floating", along(-2.46, -2.4, 0.44))
        .with("skid-bar-1", Loft::cuboid([-0.2, 0.0, -0.42], [0.06, 4.6, 0.08]))
        .with("skid-bar-2", Loft::cuboid([0.2, 0.0, -0.42], [0.06, 4.6, 0.08]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::length;

    /// Energy per mass of the pendulum under a resting pivot, J/kg.
    fn energy(state: &[f64; 6]) -> f64 {
        let v = [state[3], state[4], state[5]];
        PENDULUM * PENDULUM * dot(v, v) / 2.0 + 9.81 * PENDULUM * (1.0 + state[2])
    }

    #[test]
    fn the_rope_keeps_its_length() {
        let mut crane = Crane::new(&mut Random::new(1, 0));
        let mut widest = 0.0_f64;
        for frame in 0..1000 {
            let pose = crane.advance(f64::from(frame) * 0.1);
            let rope = sub(pose.load, pose.pivot);
            assert!((length(rope) - PENDULUM).abs() < 1e-12);
            widest = widest.max((rope[0] * rope[0] + rope[1] * rope[1]).sqrt());
        }
        assert!((0.08..0.5).contains(&widest), "the load swings by centimetres: {widest} m");
    }

    #[test]
    fn a_resting_pivot_keeps_energy_and_angular_momentum() {
        let u = unit([0.1, 0.05, -1.0]);
        let mut state = onto_sphere([u[0], u[1], u[2], -0.03, 0.08, 0.0]);
        let momentum = |s: &[f64; 6]| s[0] * s[4] - s[1] * s[3];
        let (before, spin) = (energy(&state), momentum(&state));
        for k in 0..20_000 {
            let next = runge_kutta(state, f64::from(k) * STEP, STEP, |_, s| swing(s, [0.0; 3], 0.0));
            state = onto_sphere(next);
        }
        assert!((energy(&state) - before).abs() < 1e-8 * before, "{} {before}", energy(&state));
        assert!((momentum(&state) - spin).abs() < 1e-8 * spin.abs());
    }

    #[test]
    fn small_swings_have_the_period_of_a_pendulum() {
        let u = unit([0.01, 0.0, -1.0]);
        let mut state = [u[0], u[1], u[2], 0.0, 0.0, 0.0];
        let mut crossings = Vec::new();
        for k in 0..8000 {
            let next = onto_sphere(runge_kutta(state, 0.0, STEP, |_, s| swing(s, [0.0; 3], 0.0)));
            if state[0] < 0.0 && next[0] >= 0.0 {
                crossings.push((f64::from(k) + state[0] / (state[0] - next[0])) * STEP);
            }
            state = next;
        }
        let period = (crossings[crossings.len() - 1] - crossings[0]) / (crossings.len() - 1) as f64;
        assert!((period - 2.0 * PI * (PENDULUM / 9.81).sqrt()).abs() < 1e-3, "{period}");
    }

    #[test]
    fn the_pivot_accelerates_as_it_moves() {
        let way = Way::new();
        for k in 0..99 {
            let (t, h) = (0.5 + f64::from(k), 1e-3);
            let [before, now, after] = [way.at(t - h).1, way.at(t).1, way.at(t + h).1];
            let numeric = scale(sub(add(before, after), scale(now, 2.0)), 1.0 / (h * h));
            assert!(length(sub(numeric, way.at(t).2)) < 1e-4, "at {t} s: {numeric:?} {:?}", way.at(t).2);
        }
    }
}
