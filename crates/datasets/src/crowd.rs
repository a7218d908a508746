//! A crowd of tumbling convex bodies in a box: a scene of any size, as dense as wanted.

use super::dataset::{Dataset, SCENE, TRAJECTORIES};
use super::random::Random;
use super::space::product;
use clearsweep_base::error::{Error, Result};
use clearsweep_tables::trajectory_file::{TrajectoryFile, TrajectoryRow};
use std::f64::consts::PI;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Frames a second.
const FRAME_RATE: f64 = 60.0;
/// Waves in the motion of a body along an axis.
const WAVES: usize = 2;
/// Stream of the random numbers for the shapes; motions take theirs from a stream for each run and
/// body.
const SHAPES: u64 = u64::MAX;

/// A crowd.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Crowd {
    /// Bodies, at least 1.
    pub bodies: u32,
    /// Frames of a run.
    pub frames: u32,
    /// Runs.
    pub runs: u32,
    /// Share of the box that the bodies' bounding spheres would fill.
    pub density: f64,
    /// The seed of all draws.
    pub seed: u64,
}

impl Default for Crowd {
    fn default() -> Self {
        Self { bodies: 100, frames: 600, runs: 1, density: 0.1, seed: 1 }
    }
}

/// A body's shape, as the scene file says it.
struct CrowdShape {
    /// The value of `shape`.
    toml: String,
    /// Growth, metres; often none.
    offset: f64,
    /// Radius of a sphere around the body's origin that holds the body, metres.
    radius: f64,
}

/// The motion of a body in a run.
struct CrowdMotion {
    start: [f64; 3],
    velocity: [f64; 3],
    /// Amplitude (metres), frequency (radians a second) and phase, for each axis.
    waves: [[[f64; 3]; WAVES]; 3],
    /// Half the room in which the body's centre moves, metres.
    room: f64,
    q: [f64; 4],
    axis: [f64; 3],
    /// Radians a second.
    spin: f64,
}

impl Crowd {
    /// Writes the data set into `out`, which must not exist or be empty; returns the files, the
    /// scene last.
    ///
    /// # Errors
    /// A number that makes no crowd, or the directory cannot be written.
    pub fn write(&self, out: &Path) -> Result<Vec<PathBuf>> {
        self.check()?;
        let mut random = Random::new(self.seed, SHAPES);
        let shapes: Vec<CrowdShape> = (0..self.bodies).map(|_| CrowdShape::draw(&mut random)).collect();
        let half_side = self.half_side(&shapes);
        let mut set = Dataset::create(out)?;
        let path = set.path(TRAJECTORIES)?;
        let names: Vec<String> = (0..self.bodies).map(name).collect();
        let mut file = TrajectoryFile::create(&path, &names)?;
        file = file.expecting(u64::from(self.runs) * u64::from(self.frames) * u64::from(self.bodies));
        for run in 0..self.runs {
            self.write_run(run, &shapes, half_side, &mut file)?;
        }
        file.finish()?;
        set.write(SCENE, self.scene(&shapes, half_side))?;
        set.finish()
    }

    fn check(&self) -> Result<()> {
        if self.bodies == 0 || self.frames == 0 || self.runs == 0 {
            return Err(Error::usage(
                "--bodies, --frames, --runs",
                "there is nothing to write",
                "ask for one or more of each",
            ));
        }
        if !(self.density > 0.0 && self.density <= 10.0) {
            return Err(Error::usage(
                "--density",
                format!("{} is no share of the box", self.density),
                "give a number above 0 and up to 10; 0.1 is a loose crowd, 1 a crush",
            ));
        }
        Ok(())
    }

    /// Half the side of the box: from the density, and at least as large as the largest body.
    fn half_side(&self, shapes: &[CrowdShape]) -> f64 {
        let filled: f64 = shapes.iter().map(|shape| 4.0 / 3.0 * PI * shape.radius * shape.radius * shape.radius).sum();
        let largest = shapes.iter().map(|shape| shape.radius).fold(0.0, f64::max);
        (libm::cbrt(filled / self.density) / 2.0).max(1.5 * largest)
    }

    fn write_run(&self, run: u32, shapes: &[CrowdShape], half_side: f64, file: &mut TrajectoryFile) -> Result<()> {
        let stream = |body: usize| u64::from(run) << 32 | body as u64;
        let motions: Vec<CrowdMotion> = shapes
            .iter()
            .enumerate()
            .map(|(body, shape)| CrowdMotion::draw(&mut Random::new(self.seed, stream(body)), half_side - shape.radius))
            .collect();
        for frame in 0..self.frames {
            let time_s = f64::from(frame) / FRAME_RATE;
            for (body, motion) in (0..).zip(&motions) {
                let (position, q) = motion.at(time_s);
                file.push(&TrajectoryRow { run: run.into(), frame: frame.into(), time_s, body, position, q })?;
            }
        }
        Ok(())
    }

    fn scene(&self, shapes: &[CrowdShape], half_side: f64) -> String {
        let Self { bodies, frames, runs, density, seed } = self;
        let mut text = format!(
            r#"# A crowd: {bodies} tumbling convex bodies in a cube of {side:.3} m ({density} of it filled by their bounding spheres).
# {runs} runs of {frames} frames at {FRAME_RATE} Hz, seed {seed}.
[scene]
name = "crowd-{bodies}"
length_unit = "m"
trajectories = "{TRAJECTORIES}"

[query]
within = 0.05      # metres: a row for every pair that comes this near
# require = 0.01   # uncomment to count pairs below this clearance as violations (exit code 3)
"#,
            side = 2.0 * half_side,
        );
        for (body, shape) in (0..).zip(shapes) {
            let _ = write!(text, "\n[[body]]\nname = \"{}\"\nshape = {}\n", name(body), shape.toml); // cannot fail
            if shape.offset > 0.0 {
                let _ = writeln!(text, "offset = {:?}", shape.offset);
            }
        }
        text
    }
}

/// The name of a body.
fn name(body: u32) -> String {
    format!("body-{body:05}")
}

impl CrowdShape {
    /// One of five kinds, 0.1 to 0.5 m in radius; every fourth, on average, inflated by an offset.
    fn draw(random: &mut Random) -> Self {
        let size = random.between(0.1, 0.5);
        let (toml, radius) = match random.below(5) {
            0 => cuboid(random, size),
            1 => points(random, size),
            2 => {
                let (r, height, sides) = (size * 0.6, size * random.between(0.5, 1.6), 6 + random.below(19));
                // Circumscribed: its corners lie outside the circle.
                let corner = r / libm::cos(PI / f64::from(sides));
                let radius = (corner * corner + height * height / 4.0).sqrt();
                (format!("{{ cylinder = [{r:?}, {height:?}, {sides}] }}"), radius)
            }
            3 => {
                let (r, core) = (size * random.between(0.3, 0.6), size);
                (format!("{{ capsule = [{r:?}, {core:?}] }}"), r + core / 2.0)
            }
            _ => (format!("{{ sphere = {size:?} }}"), size),
        };
        let offset = if random.below(4) == 0 { random.between(0.005, 0.03) } else { 0.0 };
        Self { toml, offset, radius: radius + offset }
    }
}

fn cuboid(random: &mut Random, size: f64) -> (String, f64) {
    let sides = [(); 3].map(|()| size * random.between(0.4, 1.6));
    let radius = sides.iter().map(|s| s * s / 4.0).sum::<f64>().sqrt();
    (format!("{{ box = {sides:?} }}"), radius)
}

/// A few points near a sphere, and four of a tetrahedron, so that they are never flat.
fn points(random: &mut Random, size: f64) -> (String, f64) {
    let corner = size / 3.0_f64.sqrt();
    let mut points = vec![
        [corner, corner, corner],
        [corner, -corner, -corner],
        [-corner, corner, -corner],
        [-corner, -corner, corner],
    ];
    for _ in 0..4 + random.below(29) {
        let r = size * random.between(0.7, 1.0);
        points.push(random.direction().map(|x| x * r));
    }
    (format!("{{ points = {points:?} }}"), size)
}

impl CrowdMotion {
    /// A motion of the centre within `room` of the middle, along every axis.
    fn draw(random: &mut Random, room: f64) -> Self {
        Self {
            start: [(); 3].map(|()| random.between(-room, room)),
            velocity: [(); 3].map(|()| random.between(-0.5, 0.5)),
            waves: [(); 3].map(|()| {
                [(); WAVES]
                    .map(|()| [random.between(0.02, 0.2), random.between(0.5, 4.0), random.between(0.0, 2.0 * PI)])
            }),
            room,
            q: random.rotation(),
            axis: random.direction(),
            spin: random.between(-3.0, 3.0),
        }
    }

    /// Position and orientation at a time, seconds.
    fn at(&self, t: f64) -> ([f64; 3], [f64; 4]) {
        let position = std::array::from_fn(|axis| {
            let waves =
                self.waves[axis].map(|[amplitude, frequency, phase]| amplitude * libm::sin(frequency * t + phase));
            reflected(self.start[axis] + self.velocity[axis] * t + waves.iter().sum::<f64>(), self.room)
        });
        let (sin, cos) = (libm::sin(self.spin * t / 2.0), libm::cos(self.spin * t / 2.0));
        let [x, y, z] = self.axis.map(|x| x * sin);
        (position, product([cos, x, y, z], self.q))
    }
}

/// `x` reflected at the walls `-room` and `room` as often as needed: a continuous motion stays one.
fn reflected(x: f64, room: f64) -> f64 {
    let u = (x + room).rem_euclid(4.0 * room);
    let folded = if u > 2.0 * room { 4.0 * room - u } else { u };
    (folded - room).clamp(-room, room)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn motions_are_continuous_and_stay_inside() {
        let mut turned = 0;
        for stream in 0..20 {
            let motion = CrowdMotion::draw(&mut Random::new(9, stream), 0.75);
            let mut before = motion.at(0.0);
            for frame in 1..1200 {
                let now = motion.at(f64::from(frame) / FRAME_RATE);
                for axis in 0..3 {
                    assert!(now.0[axis].abs() <= 0.75);
                    let step = (now.0[axis] - before.0[axis]).abs();
                    assert!(step < 0.05, "a step of {step} m");
                    turned += usize::from(0.75 - now.0[axis].abs() < 0.01);
                }
                let norm: f64 = now.1.iter().map(|x| x * x).sum();
                assert!((norm - 1.0).abs() < 1e-14);
                let angle: f64 = now.1.iter().zip(before.1).map(|(a, b)| a * b).sum();
                assert!(angle > 0.999, "a jump of the orientation");
                before = now;
            }
        }
        assert!(turned > 20, "walls are to be met: {turned}");
    }

    #[test]
    fn every_kind_of_shape_occurs() {
        let mut random = Random::new(1, SHAPES);
        let shapes: Vec<CrowdShape> = (0..200).map(|_| CrowdShape::draw(&mut random)).collect();
        for kind in ["box", "points", "cylinder", "capsule", "sphere"] {
            assert!(shapes.iter().filter(|shape| shape.toml.contains(kind)).count() > 10, "{kind}");
        }
        assert!(shapes.iter().filter(|shape| shape.offset > 0.0).count() > 10);
        assert!(shapes.iter().all(|shape| shape.radius > 0.0 && shape.radius < 1.0));
    }

    #[test]
    fn scene_files_are_toml() {
        let crowd = Crowd { bodies: 30, ..Crowd::default() };
        let mut random = Random::new(crowd.seed, SHAPES);
        let shapes: Vec<CrowdShape> = (0..30).map(|_| CrowdShape::draw(&mut random)).collect();
        let table: toml::Table = crowd.scene(&shapes, 1.0).parse().expect("TOML");
        assert_eq!(table["body"].as_array().map(Vec::len), Some(30));
        assert_eq!(table["query"]["within"].as_float(), Some(0.05));
    }

    #[test]
    fn values_are_the_same_on_every_platform() {
        let mut random = Random::new(1, SHAPES);
        let shapes: Vec<CrowdShape> = (0..50).map(|_| CrowdShape::draw(&mut random)).collect();
        // FNV-1a over what is written: text as it is, numbers by their bits.
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut add = |bytes: &[u8]| {
            for &byte in bytes {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        };
        for shape in &shapes {
            add(shape.toml.as_bytes());
        }
        for stream in 0..50 {
            let (position, q) = CrowdMotion::draw(&mut Random::new(1, stream), 2.0).at(12.5);
            position.iter().chain(&q).for_each(|x| add(&x.to_bits().to_le_bytes()));
        }
        assert_eq!(hash, 0xbb02_55da_0a0b_95e5, "{hash:#018x}");
    }
}
