//! Motions like those of the paper's four simulations. They are scripted: bodies fly along
//! parabolas, bounce with loss of energy, slide and come to rest, but do not push each other. The
//! broad phase uses only boxes, for which the number, the sizes, the motion between frames and the
//! arrangement of the bodies matter.

use clearsweep_geometry::Pose;
use clearsweep_scene::{FrameBlock, Shape};
use clearsweep_testing::random::Random;
use clearsweep_testing::scenes::{Setup, block, cuboid, shape};
use clearsweep_trajectory::Bounds;
use std::f64::consts::{PI, TAU};
use std::sync::Arc;

/// Acceleration of gravity, m/s^2.
const G: f64 = 9.81;

/// The pose of a body as a function of time in seconds; `None` while the body is absent.
type Motion = Box<dyn Fn(f64) -> Option<Pose>>;

/// A scene whose dynamic bodies move by functions of time.
pub(crate) struct Simulation {
    pub(crate) name: String,
    pub(crate) setup: Setup,
    pub(crate) seconds: f64,
    motions: Vec<Motion>,
}

impl Simulation {
    fn new(name: &str, seconds: f64, reach: f64) -> Self {
        let mut setup = Setup::new(1e-3);
        setup.bounds = Some(Bounds { min: [-reach; 3], max: [reach; 3] });
        Self { name: name.to_owned(), setup, seconds, motions: Vec::new() }
    }

    fn body(&mut self, shape: Arc<Shape>, motion: impl Fn(f64) -> Option<Pose> + 'static) {
        self.setup.add(shape, None);
        self.motions.push(Box::new(motion));
    }

    fn fixed(&mut self, sides: [f64; 3], at: [f64; 3], q: [f64; 4]) {
        self.setup.add(cuboid(sides), Some(Pose::new(at, q)));
    }

    /// The first `frames` frames at `rate` frames per second.
    pub(crate) fn blocks(&self, rate: u32, frames: usize) -> Vec<FrameBlock> {
        let mut blocks = Vec::new();
        for start in (0..frames).step_by(64) {
            let samples = (frames - start).min(64);
            let mut b = block((start / 64) as u64, self.motions.len(), samples, usize::MAX);
            b.starts_run = u64::from(start == 0);
            for (slot, motion) in self.motions.iter().enumerate() {
                for s in 0..samples {
                    if let Some(pose) = motion((start + s) as f64 / f64::from(rate)) {
                        b.set(slot, s, &pose);
                    }
                }
            }
            blocks.push(b);
        }
        blocks
    }
}

/// A rotation by an angle (rad) about an axis of any length.
fn turned(axis: [f64; 3], angle: f64) -> [f64; 4] {
    let norm = axis.iter().map(|c| c * c).sum::<f64>().sqrt();
    let (sin, cos) = (0.5 * angle).sin_cos();
    [cos, sin * axis[0] / norm, sin * axis[1] / norm, sin * axis[2] / norm]
}

/// The composition of two rotations: first `b`, then `a`.
fn after(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    [
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    ]
}

/// A prism over a regular polygon, its axis along z.
fn prism(sides: usize, radius: f64, height: f64) -> Arc<Shape> {
    let corner = |i: usize| {
        let angle = TAU * (i / 2) as f64 / sides as f64;
        [radius * angle.cos(), radius * angle.sin(), if i.is_multiple_of(2) { -0.5 } else { 0.5 } * height]
    };
    shape(&(0..2 * sides).map(corner).collect::<Vec<_>>(), 0.0)
}

/// A toss: a body bounces, each time with a part of its speed, until it comes to rest.
#[derive(Clone, Copy)]
struct Toss {
    /// Start (m) and velocity (m/s).
    at: [f64; 3],
    velocity: [f64; 3],
    /// The height of the centre at a bounce and at rest.
    rest: f64,
    /// The axis and the rate (rad/s) of its rotation; the rate halves with each bounce.
    axis: [f64; 3],
    spin: f64,
}

impl Toss {
    /// The share of the vertical speed that remains after a bounce; the horizontal share is 0.7.
    const BOUNCE: f64 = 0.5;

    fn pose(&self, t: f64) -> Pose {
        let Self { mut at, mut velocity, rest, axis, mut spin } = *self;
        let (mut left, mut angle) = (t, 0.0);
        for _ in 0..12 {
            let fall = (velocity[2] + (velocity[2] * velocity[2] + 2.0 * G * (at[2] - rest).max(0.0)).sqrt()) / G;
            let step = left.min(fall);
            at = std::array::from_fn(|k| at[k] + velocity[k] * step);
            at[2] -= 0.5 * G * step * step;
            angle += spin * step;
            left -= step;
            if left <= 0.0 {
                return Pose::new(at, turned(axis, angle));
            }
            at[2] = rest;
            let speed = (velocity[2] - G * fall).abs();
            velocity = [0.7 * velocity[0], 0.7 * velocity[1], Self::BOUNCE * speed];
            spin *= 0.5;
        }
        // The body comes to lie flat: it reaches the next half turn within a tenth of a second.
        let flat = PI * (angle / PI).round();
        let settled = (left / 0.1).min(1.0);
        Pose::new(at, turned(axis, angle + settled * (flat - angle)))
    }
}

/// Coins tossed onto a floor; eight in the paper (its Figure 4).
pub(crate) fn coins(count: usize) -> Simulation {
    let side = 0.1 * (count as f64).sqrt();
    let mut simulation = Simulation::new(&format!("{count} coins"), 2.0, side + 1.0);
    simulation.fixed([4.0 * side, 4.0 * side, 0.02], [0.0, 0.0, -0.01], [1.0, 0.0, 0.0, 0.0]);
    let r = &mut Random(1);
    for _ in 0..count {
        let toss = Toss {
            at: [r.between(-0.5, 0.5) * side, r.between(-0.5, 0.5) * side, r.between(0.1, 0.5)],
            velocity: [r.between(-0.3, 0.3), r.between(-0.3, 0.3), r.between(0.0, 1.0)],
            rest: 0.001,
            axis: [r.between(-1.0, 1.0), r.between(-1.0, 1.0), 0.0],
            spin: r.between(5.0, 40.0),
        };
        simulation.body(prism(24, 0.0121, 0.00175), move |t| Some(toss.pose(t)));
    }
    simulation
}

/// A ball rolls down a lane and scatters ten pins.
pub(crate) fn bowling() -> Simulation {
    let mut simulation = Simulation::new("bowling", 4.0, 20.0);
    simulation.fixed([20.0, 1.05, 0.1], [9.0, 0.0, -0.05], [1.0, 0.0, 0.0, 0.0]);
    for side in [-1.0, 1.0] {
        simulation.fixed([20.0, 0.25, 0.1], [9.0, 0.65 * side, -0.1], [1.0, 0.0, 0.0, 0.0]);
    }
    let (speed, radius, first) = (8.0, 0.108, 18.0);
    let impact = (first - radius) / speed;
    simulation.body(shape(&[[0.0; 3]], radius), move |t| {
        // The ball loses some speed to the pins.
        let x = if t < impact { speed * t } else { first - radius + 0.7 * speed * (t - impact) };
        Some(Pose::new([x, 0.02 * t, radius], turned([0.0, 1.0, 0.0], x / radius)))
    });
    let r = &mut Random(2);
    for row in 0..4 {
        for pin in 0..=row {
            let at = [first + 0.264 * f64::from(row), 0.305 * (f64::from(pin) - 0.5 * f64::from(row)), 0.19];
            let hit = impact + 0.03 * f64::from(row) + r.between(0.0, 0.02);
            let toss = Toss {
                at,
                velocity: [r.between(1.0, 4.0), r.between(-2.0, 2.0), r.between(0.2, 1.5)],
                rest: 0.06,
                axis: [r.between(-1.0, 1.0), r.between(-1.0, 1.0), 0.1],
                spin: r.between(3.0, 12.0),
            };
            simulation.body(prism(12, 0.06, 0.38), move |t| {
                Some(if t < hit { Pose::new(at, [1.0, 0.0, 0.0, 0.0]) } else { toss.pose(t - hit) })
            });
        }
    }
    simulation
}

/// A rattleback on a plane: it spins, rattles, stops, and spins in the other direction.
pub(crate) fn rattleback() -> Simulation {
    let mut simulation = Simulation::new("rattleback", 6.0, 1.0);
    simulation.fixed([0.5, 0.5, 0.02], [0.0, 0.0, -0.01], [1.0, 0.0, 0.0, 0.0]);
    let half = [0.1, 0.02, 0.015];
    let mut points = Vec::new();
    for i in 0..=6 {
        for j in 0..12 {
            let (polar, around) = (PI * f64::from(i) / 6.0, TAU * f64::from(j) / 12.0);
            let unit = [polar.cos(), polar.sin() * around.cos(), polar.sin() * around.sin()];
            points.push(std::array::from_fn(|k| half[k] * unit[k]));
        }
    }
    simulation.body(shape(&points, 0.0), move |t| {
        let yaw = 4.0 * (PI * t / 6.0).sin() * 2.0;
        let rattle = 0.15 * (-(t - 3.0) * (t - 3.0)).exp() * (TAU * 6.0 * t).sin();
        let q = after(turned([0.0, 0.0, 1.0], yaw), turned([0.0, 1.0, 0.0], rattle));
        Some(Pose::new([0.003 * yaw.cos(), 0.003 * yaw.sin(), half[2] + 0.02 * rattle.abs()], q))
    });
    simulation
}

/// Parts slide down a chute of steps, one after the other, and leave it.
pub(crate) fn part_feeder(count: usize) -> Simulation {
    let (steps, length, slope) = (6, 0.3, 0.5_f64);
    let mut simulation = Simulation::new(&format!("feeder of {count} parts"), 8.0, 4.0);
    let down = turned([0.0, 1.0, 0.0], slope);
    // The lane between two walls, with a drop of 4 cm after each plate; parts lie on it side by
    // side in lanes.
    let lanes = count.div_ceil(100);
    let width = 0.06 * lanes as f64;
    let top = move |s: f64| [s * slope.cos(), 0.0, -s * slope.sin() - 0.04 * (s / length).floor()];
    for plate in 0..steps {
        let middle = top(length * (f64::from(plate) + 0.5));
        simulation.fixed([length, width, 0.005], [middle[0], 0.0, middle[2] - 0.0103], down);
        for side in [-0.5, 0.5] {
            simulation.fixed([length, 0.005, 0.05], [middle[0], side * (width + 0.01), middle[2]], down);
        }
    }
    let r = &mut Random(4);
    let end = length * f64::from(steps) - 0.02;
    for part in 0..count {
        let (start, speed) = (6.0 * part as f64 / count as f64, r.between(0.5, 1.2));
        let y = (part % lanes) as f64 * 0.06 - 0.5 * width + 0.03 + r.between(-0.005, 0.005);
        let turn = r.between(-0.6, 0.6);
        simulation.body(cuboid([0.03, 0.02, 0.01]), move |t| {
            let s = speed * (t - start);
            if !(0.0..end).contains(&s) {
                return None; // not yet released, or past the end
            }
            let mut at = top(s);
            at[1] = y;
            // A part drops and turns just behind an edge; elsewhere it slides and vibrates.
            let behind = (s % length) / speed;
            let drop = (0.04 - 0.5 * G * behind * behind).max(0.0) * f64::from(u8::from(s > length));
            at[2] += drop + 2e-4 * (200.0 * t).sin().abs();
            let q = after(down, turned([0.0, 0.0, 1.0], turn * (s / length).floor() + 0.5 * drop / 0.04));
            Some(Pose::new(at, q))
        });
    }
    simulation
}
