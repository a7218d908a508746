//! The four simulations of the two-phase paper (Mirtich 1997): coins tossed onto a floor, a ball and
//! ten pins, a rattleback on a plane, parts that slide down a chute.
//!
//! Motions are scripted: bodies fly along parabolas, bounce with loss of energy, slide and come to
//! rest, but do not push each other. A broad phase uses only boxes, for which the number, the sizes,
//! the motion between frames and the arrangement of the bodies matter.

use super::dataset::{Dataset, SCENE, TRAJECTORIES};
use super::random::Random;
use super::space::{Point3, Quaternion, about, product, unit};
use clearsweep_base::error::{Error, Result};
use clearsweep_tables::trajectory_file::{TrajectoryFile, TrajectoryRow};
use std::f64::consts::{PI, TAU};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Acceleration of gravity, m/s^2.
const G: f64 = 9.81;
const NO_TURN: Quaternion = [1.0, 0.0, 0.0, 0.0];

/// A simulation of the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Simulated {
    /// This number of coins, tossed onto a floor; eight in the paper (its Figure 4).
    Coins(u32),
    /// A ball rolls down a lane and scatters ten pins.
    Bowling,
    /// A rattleback: it spins, rattles, stops, and spins in the other direction.
    Rattleback,
    /// This number of parts, which slide down a chute of steps, one after the other, and leave it.
    PartFeeder(u32),
}

/// The shape of a body of a simulation, metres.
#[derive(Debug, Clone, PartialEq)]
pub enum SimulatedShape {
    /// Sides of a box.
    Box(Point3),
    /// Radius of a sphere.
    Sphere(f64),
    /// A prism over a regular polygon, its axis along z.
    Prism {
        /// Corners of the polygon.
        sides: u32,
        /// Of the circle around it.
        radius: f64,
        /// Along z.
        height: f64,
    },
    /// The convex hull of points.
    Points(Vec<Point3>),
}

/// Place and orientation as a function of time in seconds; `None` while the body is absent.
pub type SimulatedMotion = Box<dyn Fn(f64) -> Option<(Point3, Quaternion)>>;

/// A body of a simulation.
pub struct SimulatedBody {
    /// Its name.
    pub name: String,
    /// Its shape.
    pub shape: SimulatedShape,
    /// Its motion; of a fixed body its place and orientation.
    pub motion: std::result::Result<SimulatedMotion, (Point3, Quaternion)>,
}

/// A data set of a simulation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Simulation {
    /// What is simulated.
    pub simulated: Simulated,
    /// Frames.
    pub frames: u32,
    /// Frames a second.
    pub rate: f64,
    /// Seed of all draws.
    pub seed: u64,
}

impl Simulated {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Coins(_) => "coins",
            Self::Bowling => "bowling",
            Self::Rattleback => "rattleback",
            Self::PartFeeder(_) => "part-feeder",
        }
    }

    /// Seconds until it is over.
    pub fn seconds(self) -> f64 {
        match self {
            Self::Coins(_) => 2.0,
            Self::Bowling => 4.0,
            Self::Rattleback => 6.0,
            Self::PartFeeder(_) => 8.0,
        }
    }

    /// No body is farther from the origin along an axis, metres.
    pub fn reach(self) -> f64 {
        match self {
            Self::Coins(count) => 0.1 * f64::from(count).sqrt() * 4.0 + 1.0,
            Self::Bowling => 40.0,
            Self::Rattleback => 1.0,
            Self::PartFeeder(_) => 4.0,
        }
    }

    /// The bodies, the fixed ones first.
    pub fn bodies(self, seed: u64) -> Vec<SimulatedBody> {
        let mut random = Random::new(seed, 0);
        match self {
            Self::Coins(count) => coins(count, &mut random),
            Self::Bowling => bowling(&mut random),
            Self::Rattleback => rattleback(),
            Self::PartFeeder(count) => part_feeder(count, &mut random),
        }
    }
}

impl Simulation {
    /// Writes the data set into `out`, which must not exist or be empty; returns the files, the
    /// scene last.
    ///
    /// # Errors
    /// There is nothing to write, or the directory cannot be written.
    pub fn write(&self, out: &Path) -> Result<Vec<PathBuf>> {
        if self.frames == 0 || !self.rate.is_finite() || self.rate <= 0.0 {
            return Err(Error::usage(
                "--frames, --rate",
                "there is nothing to write",
                "ask for one frame or more, and a rate above 0",
            ));
        }
        if let Simulated::Coins(0) | Simulated::PartFeeder(0) = self.simulated {
            return Err(Error::usage("--bodies", "there is nothing to write", "ask for one or more"));
        }
        let bodies = self.simulated.bodies(self.seed);
        let moving: Vec<(&str, &SimulatedMotion)> =
            bodies.iter().filter_map(|body| Some((body.name.as_str(), body.motion.as_ref().ok()?))).collect();
        let mut set = Dataset::create(out)?;
        let path = set.path(TRAJECTORIES)?;
        let names: Vec<String> = moving.iter().map(|(name, _)| (*name).to_owned()).collect();
        let mut file = TrajectoryFile::create(&path, &names)?;
        file = file.expecting(u64::from(self.frames) * moving.len() as u64);
        for frame in 0..self.frames {
            let time_s = f64::from(frame) / self.rate;
            for (body, (_, motion)) in (0..).zip(&moving) {
                if let Some((position, q)) = motion(time_s) {
                    file.push(&TrajectoryRow { run: 0, frame: frame.into(), time_s, body, position, q })?;
                }
            }
        }
        file.finish()?;
        set.write(SCENE, self.scene(&bodies))?;
        set.finish()
    }

    fn scene(&self, bodies: &[SimulatedBody]) -> String {
        let Self { simulated, frames, rate, seed } = self;
        let name = simulated.name();
        let mut text = format!(
            r#"# A simulation of the two-phase paper (Mirtich 1997), scripted: bodies do not push each other.
# {frames} frames at {rate} Hz, seed {seed}.
[scene]
name = "{name}"
length_unit = "m"
trajectories = "{TRAJECTORIES}"
missing = "absent"    # parts that are not released yet, or have left

[query]
within = 0.001
"#
        );
        for SimulatedBody { name, shape, motion } in bodies {
            let shape = match shape {
                SimulatedShape::Box(sides) => format!("box = {sides:?}"),
                SimulatedShape::Sphere(radius) => format!("sphere = {radius:?}"),
                SimulatedShape::Prism { sides, radius, height } => {
                    format!("cylinder = [{radius:?}, {height:?}, {sides}]")
                }
                SimulatedShape::Points(points) => format!("points = {points:?}"),
            };
            let _ = write!(text, "\n[[body]]\nname = \"{name}\"\nshape = {{ {shape} }}\n"); // cannot fail
            if let Err((position, q)) = motion {
                let _ = writeln!(
                    text,
                    "static = true\nposition = {position:?}\norientation = {{ qw = {:?}, qx = {:?}, qy = {:?}, qz = {:?} }}",
                    q[0], q[1], q[2], q[3]
                );
            }
        }
        text
    }
}

fn moving(
    name: impl Into<String>,
    shape: SimulatedShape,
    motion: impl Fn(f64) -> Option<(Point3, Quaternion)> + 'static,
) -> SimulatedBody {
    SimulatedBody { name: name.into(), shape, motion: Ok(Box::new(motion)) }
}

fn fixed(name: impl Into<String>, sides: Point3, at: Point3, q: Quaternion) -> SimulatedBody {
    SimulatedBody { name: name.into(), shape: SimulatedShape::Box(sides), motion: Err((at, q)) }
}

/// A toss: a body bounces, each time with a part of its speed, until it comes to rest.
#[derive(Clone, Copy)]
struct Toss {
    /// Start (m) and velocity (m/s).
    at: Point3,
    velocity: Point3,
    /// The height of the centre at a bounce and at rest.
    rest: f64,
    /// The axis (unit) and the rate (rad/s) of its rotation; the rate halves with each bounce.
    axis: Point3,
    spin: f64,
}

impl Toss {
    /// The share of the vertical speed that remains after a bounce; the horizontal share is 0.7.
    const BOUNCE: f64 = 0.5;

    fn pose(&self, t: f64) -> (Point3, Quaternion) {
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
                return (at, about(axis, angle));
            }
            at[2] = rest;
            let speed = (velocity[2] - G * fall).abs();
            velocity = [0.7 * velocity[0], 0.7 * velocity[1], Self::BOUNCE * speed];
            spin *= 0.5;
        }
        // The body comes to lie flat: it reaches the next half turn within a tenth of a second.
        let flat = PI * (angle / PI).round();
        let settled = (left / 0.1).min(1.0);
        (at, about(axis, angle + settled * (flat - angle)))
    }
}

fn coins(count: u32, random: &mut Random) -> Vec<SimulatedBody> {
    let side = 0.1 * f64::from(count).sqrt();
    let mut bodies = vec![fixed("floor", [4.0 * side, 4.0 * side, 0.02], [0.0, 0.0, -0.01], NO_TURN)];
    for number in 0..count {
        let toss = Toss {
            at: [random.between(-0.5, 0.5) * side, random.between(-0.5, 0.5) * side, random.between(0.1, 0.5)],
            velocity: [random.between(-0.3, 0.3), random.between(-0.3, 0.3), random.between(0.0, 1.0)],
            rest: 0.001,
            axis: unit([random.between(-1.0, 1.0), random.between(-1.0, 1.0), 0.0]),
            spin: random.between(5.0, 40.0),
        };
        let coin = SimulatedShape::Prism { sides: 24, radius: 0.0121, height: 0.00175 };
        bodies.push(moving(format!("coin-{number}"), coin, move |t| Some(toss.pose(t))));
    }
    bodies
}

fn bowling(random: &mut Random) -> Vec<SimulatedBody> {
    let mut bodies = vec![fixed("lane", [20.0, 1.05, 0.1], [9.0, 0.0, -0.05], NO_TURN)];
    for (name, side) in [("gutter-right", -1.0), ("gutter-left", 1.0)] {
        bodies.push(fixed(name, [20.0, 0.25, 0.1], [9.0, 0.65 * side, -0.1], NO_TURN));
    }
    let (speed, radius, first) = (8.0, 0.108, 18.0);
    let impact = (first - radius) / speed;
    bodies.push(moving("ball", SimulatedShape::Sphere(radius), move |t| {
        // The ball loses some speed to the pins.
        let x = if t < impact { speed * t } else { first - radius + 0.7 * speed * (t - impact) };
        Some(([x, 0.02 * t, radius], about([0.0, 1.0, 0.0], x / radius)))
    }));
    for row in 0..4 {
        for pin in 0..=row {
            let at = [first + 0.264 * f64::from(row), 0.305 * (f64::from(pin) - 0.5 * f64::from(row)), 0.19];
            let hit = impact + 0.03 * f64::from(row) + random.between(0.0, 0.02);
            let toss = Toss {
                at,
                velocity: [random.between(1.0, 4.0), random.between(-2.0, 2.0), random.between(0.2, 1.5)],
                rest: 0.06,
                axis: unit([random.between(-1.0, 1.0), random.between(-1.0, 1.0), 0.1]),
                spin: random.between(3.0, 12.0),
            };
            let shape = SimulatedShape::Prism { sides: 12, radius: 0.06, height: 0.38 };
            bodies.push(moving(format!("pin-{row}-{pin}"), shape, move |t| {
                Some(if t < hit { (at, NO_TURN) } else { toss.pose(t - hit) })
            }));
        }
    }
    bodies
}

fn rattleback() -> Vec<SimulatedBody> {
    let half = [0.1, 0.02, 0.015];
    let mut points = Vec::new();
    for i in 0..=6 {
        for j in 0..12 {
            let (polar, around) = (PI * f64::from(i) / 6.0, TAU * f64::from(j) / 12.0);
            let (sin, cos) = (libm::sin(polar), libm::cos(polar));
            let on_ball = [cos, sin * libm::cos(around), sin * libm::sin(around)];
            points.push(std::array::from_fn(|k| half[k] * on_ball[k]));
        }
    }
    let motion = move |t: f64| {
        let yaw = 4.0 * libm::sin(PI * t / 6.0) * 2.0;
        let rattle = 0.15 * libm::exp(-(t - 3.0) * (t - 3.0)) * libm::sin(TAU * 6.0 * t);
        let q = product(about([0.0, 0.0, 1.0], yaw), about([0.0, 1.0, 0.0], rattle));
        Some(([0.003 * libm::cos(yaw), 0.003 * libm::sin(yaw), half[2] + 0.02 * rattle.abs()], q))
    };
    vec![
        fixed("plane", [0.5, 0.5, 0.02], [0.0, 0.0, -0.01], NO_TURN),
        moving("rattleback", SimulatedShape::Points(points), motion),
    ]
}

/// The lane lies between two walls, with a drop of 4 cm after each plate; parts lie on it side by
/// side in lanes.
fn part_feeder(count: u32, random: &mut Random) -> Vec<SimulatedBody> {
    let (steps, length, slope) = (6, 0.3, 0.5_f64);
    let down = about([0.0, 1.0, 0.0], slope);
    let lanes = count.div_ceil(100);
    let width = 0.06 * f64::from(lanes);
    let (sin, cos) = (libm::sin(slope), libm::cos(slope));
    let top = move |s: f64| [s * cos, 0.0, -s * sin - 0.04 * (s / length).floor()];
    let mut bodies = Vec::new();
    for plate in 0..steps {
        let middle = top(length * (f64::from(plate) + 0.5));
        bodies.push(fixed(
            format!("plate-{plate}"),
            [length, width, 0.005],
            [middle[0], 0.0, middle[2] - 0.0103],
            down,
        ));
        for (name, side) in [("right", -0.5), ("left", 0.5)] {
            let at = [middle[0], side * (width + 0.01), middle[2]];
            bodies.push(fixed(format!("wall-{plate}-{name}"), [length, 0.005, 0.05], at, down));
        }
    }
    let end = length * f64::from(steps) - 0.02;
    for part in 0..count {
        let (start, speed) = (6.0 * f64::from(part) / f64::from(count), random.between(0.5, 1.2));
        let y = f64::from(part % lanes) * 0.06 - 0.5 * width + 0.03 + random.between(-0.005, 0.005);
        let turn = random.between(-0.6, 0.6);
        bodies.push(moving(format!("part-{part}"), SimulatedShape::Box([0.03, 0.02, 0.01]), move |t| {
            let s = speed * (t - start);
            if !(0.0..end).contains(&s) {
                return None; // not yet released, or past the end
            }
            let mut at = top(s);
            at[1] = y;
            // A part drops and turns just behind an edge; elsewhere it slides and vibrates.
            let behind = (s % length) / speed;
            let drop = (0.04 - 0.5 * G * behind * behind).max(0.0) * f64::from(u8::from(s > length));
            at[2] += drop + 2e-4 * libm::sin(200.0 * t).abs();
            let q = product(down, about([0.0, 0.0, 1.0], turn * (s / length).floor() + 0.5 * drop / 0.04));
            Some((at, q))
        }));
    }
    bodies
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_stay_within_reach_and_move() {
        for simulated in [Simulated::Coins(8), Simulated::Bowling, Simulated::Rattleback, Simulated::PartFeeder(20)] {
            let (reach, seconds) = (simulated.reach(), simulated.seconds());
            let bodies = simulated.bodies(1);
            let mut moved = 0;
            for SimulatedBody { name, motion, .. } in &bodies {
                let Ok(motion) = motion else { continue };
                let poses: Vec<_> = (0..=400).filter_map(|k| motion(seconds * f64::from(k) / 400.0)).collect();
                assert!(!poses.is_empty(), "{name} is there at some time");
                for (at, q) in &poses {
                    assert!(at.iter().all(|c| c.abs() < reach), "{name} at {at:?}");
                    assert!((q.iter().map(|c| c * c).sum::<f64>() - 1.0).abs() < 1e-12, "{name} turns by {q:?}");
                }
                moved += usize::from(poses.iter().any(|pose| *pose != poses[0]));
            }
            assert_eq!(moved, bodies.iter().filter(|body| body.motion.is_ok()).count(), "{simulated:?}: all move");
        }
    }
}
