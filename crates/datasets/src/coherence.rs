//! The coherence test of Mirtich 1997, "V-Clip: fast and robust polyhedral collision detection",
//! Algorithm 9.
//!
//! Two identical bodies of circumradius 1: one rests at the origin, the other one revolves around
//! it on a Lissajous curve while it turns about a fixed axis, both by omega a frame.

use super::dataset::{Dataset, SCENE, TRAJECTORIES};
use super::random::Random;
use super::solids::{self, Solid};
use clearsweep_base::error::{Error, Result};
use clearsweep_tables::trajectory_file::{TrajectoryFile, TrajectoryRow};
use std::f64::consts::PI;
use std::path::{Path, PathBuf};

/// Amplitude of the revolution, metres.
const AMPLITUDE: f64 = 3.2;
/// The centres never come nearer than this (metres): with circumradii of 1, the bodies stay clear.
const NEAREST: f64 = 2.1;
/// Frames a second of the time column.
const FRAME_RATE: f64 = 60.0;

/// The body of the test, of circumradius 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Object {
    /// A cube.
    #[default]
    Cube,
    /// A regular icosahedron.
    Icosahedron,
    /// A prism of 60 sides whose radius is ten times its thickness.
    Disk,
    /// A tessellated sphere of 642 vertices.
    Sphere642,
}

impl Object {
    /// The word of the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cube => "cube",
            Self::Icosahedron => "icosahedron",
            Self::Disk => "disk",
            Self::Sphere642 => "sphere642",
        }
    }

    /// All of them.
    pub const ALL: [Self; 4] = [Self::Cube, Self::Icosahedron, Self::Disk, Self::Sphere642];

    /// Vertices, metres.
    pub fn vertices(self) -> Vec<[f64; 3]> {
        self.solid().vertices
    }

    fn solid(self) -> Solid {
        match self {
            Self::Cube => solids::cube(),
            Self::Icosahedron => solids::icosahedron(),
            Self::Disk => solids::disk(),
            Self::Sphere642 => solids::sphere642(),
        }
    }
}

/// A coherence test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coherence {
    /// The body.
    pub object: Object,
    /// Draws of the phases and the axis, a run each.
    pub runs: u32,
    /// Frames of a run; frame `k` is the paper's step `i = k + 1`.
    pub frames: u32,
    /// Degrees a frame.
    pub omega: f64,
    /// The seed of all draws.
    pub seed: u64,
}

impl Default for Coherence {
    fn default() -> Self {
        Self { object: Object::Cube, runs: 10, frames: 1000, omega: 1.0, seed: 1 }
    }
}

/// Values drawn for a run.
struct CoherenceStart {
    phases: [f64; 3],
    axis: [f64; 3],
}

impl CoherenceStart {
    /// Draws until the bodies stay clear of each other.
    fn new(random: &mut Random) -> Self {
        loop {
            let phases = [(); 3].map(|()| random.between(0.0, 2.0 * PI));
            if nearest(phases) >= NEAREST {
                return Self { phases, axis: random.direction() };
            }
        }
    }

    /// Position and orientation at the angle `theta`, radians.
    fn pose(&self, theta: f64) -> ([f64; 3], [f64; 4]) {
        let position = self.phases.map(|phase| AMPLITUDE * libm::cos(theta + phase));
        let (sin, cos) = (libm::sin(theta / 2.0), libm::cos(theta / 2.0));
        let [x, y, z] = self.axis;
        (position, [cos, x * sin, y * sin, z * sin])
    }
}

/// The smallest distance of the centres over all theta. The sum of the squares of
/// `cos(theta + phase)` is `3/2 + |S| cos(2 theta + arg S) / 2` with S the sum of `exp(2 i phase)`;
/// its minimum is `(3 - |S|) / 2`.
fn nearest(phases: [f64; 3]) -> f64 {
    let re: f64 = phases.iter().map(|phase| libm::cos(2.0 * phase)).sum();
    let im: f64 = phases.iter().map(|phase| libm::sin(2.0 * phase)).sum();
    AMPLITUDE * ((3.0 - (re * re + im * im).sqrt()).max(0.0) / 2.0).sqrt()
}

impl Coherence {
    /// The poses of the moving body in a run, frame by frame: position, metres, and quaternion w,
    /// x, y, z.
    pub fn poses(&self, run: u32) -> impl Iterator<Item = ([f64; 3], [f64; 4])> {
        let draw = CoherenceStart::new(&mut Random::new(self.seed, u64::from(run)));
        let omega = self.omega;
        (1..=self.frames).map(move |frame| draw.pose(omega * f64::from(frame) * (PI / 180.0)))
    }

    /// Writes the data set into `out`, which must not exist or be empty; returns the files, the
    /// scene last.
    ///
    /// # Errors
    /// `omega` is not a number, or the directory cannot be written.
    pub fn write(&self, out: &Path) -> Result<Vec<PathBuf>> {
        if !self.omega.is_finite() || self.omega.abs() > 1e6 {
            return Err(Error::usage(
                "--omega",
                format!("{} is no angle a frame", self.omega),
                "give degrees, for example 1",
            ));
        }
        if self.frames == 0 || self.runs == 0 {
            return Err(Error::usage("--frames, --runs", "there is nothing to write", "ask for one or more of each"));
        }
        let mut set = Dataset::create(out)?;
        set.write("object.obj", self.object.solid().to_obj(self.object.name()))?;
        let path = set.path(TRAJECTORIES)?;
        let mut file = TrajectoryFile::create(&path, &["moving".to_owned()])?;
        file = file.expecting(u64::from(self.runs) * u64::from(self.frames));
        for run in 0..self.runs {
            for (frame, (position, q)) in (0..self.frames).zip(self.poses(run)) {
                let time_s = f64::from(frame) / FRAME_RATE;
                file.push(&TrajectoryRow { run: run.into(), frame: frame.into(), time_s, body: 0, position, q })?;
            }
        }
        file.finish()?;
        set.write(SCENE, self.scene())?;
        set.finish()
    }

    fn scene(&self) -> String {
        let Self { object, runs, frames, omega, seed } = self;
        format!(
            r#"# Coherence test after Mirtich 1997 (V-Clip), Algorithm 9: two bodies "{object}" of circumradius 1 m.
# {runs} runs of {frames} frames, {omega} degrees a frame, seed {seed}.
[scene]
name = "coherence-{object}"
length_unit = "m"
trajectories = "{TRAJECTORIES}"

[query]
within = 10.0    # metres: far enough that every frame gives a row

[[body]]         # rests at the origin
name = "fixed"
geometry = "object.obj"
model = "hull"
static = true

[[body]]         # revolves and turns around it
name = "moving"
geometry = "object.obj"
model = "hull"
"#,
            object = object.name(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_distance_is_that_of_the_curve() {
        let mut random = Random::new(11, 0);
        let mut redrawn = 0;
        for _ in 0..50 {
            let phases = [(); 3].map(|()| random.between(0.0, 2.0 * PI));
            let draw = CoherenceStart { phases, axis: [0.0, 0.0, 1.0] };
            let sampled = (0..3600)
                .map(|k| draw.pose(f64::from(k) * PI / 1800.0).0.iter().map(|x| x * x).sum::<f64>().sqrt())
                .fold(f64::INFINITY, f64::min);
            let exact = nearest(phases);
            assert!(sampled >= exact - 1e-12 && sampled < exact + 0.02, "{sampled} {exact}");
            redrawn += usize::from(exact < NEAREST);
        }
        assert!((5..45).contains(&redrawn), "both outcomes are to occur: {redrawn} of 50");
        for run in 0..20 {
            assert!(nearest(CoherenceStart::new(&mut Random::new(3, run)).phases) >= NEAREST);
        }
    }
}
