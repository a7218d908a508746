//! Six boxes that drive about on a floor, beside and past each other, with parallel faces: where
//! shortest distances are ties, and features hardly change from frame to frame.
//!
//! A box's place and heading are sums of slow sines. Two of the boxes stop again and again, and
//! keep every bit of their pose as long as they stand.

use super::dataset::{Dataset, SCENE, TRAJECTORIES};
use super::random::Random;
use super::space::{Ease, Point3, Quaternion, about, add, normalised, product};
use clearsweep_base::error::{Error, Result};
use clearsweep_tables::trajectory_file::{TrajectoryFile, TrajectoryRow};
use std::f64::consts::PI;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Sides of a box, metres.
const SIZE: Point3 = [1.2, 0.8, 0.5];
/// Boxes on the floor.
const BOXES: u32 = 6;
/// Boxes that never stop.
const RESTLESS: usize = 4;
/// Seconds for which each of the other boxes drives; then it stands as long.
const STINTS: [f64; 2] = [7.0, 9.0];
/// Seconds that a stint adds to the clock of a path, for each second of the stint. A stint starts
/// and ends at rest. In its middle the clock runs 1.875 times as fast as on average, about as fast
/// as that of a box that never stops.
const PACE: f64 = 0.6;
/// Frames a second.
const FRAME_RATE: f64 = 100.0;
/// Waves in a coordinate of a path.
const WAVES: usize = 3;
/// Amplitudes of a coordinate (metres) and of the heading (radians), frequencies (radians a
/// second).
const REACH: [f64; 2] = [1.2, 2.6];
const TURN: [f64; 2] = [0.5, 1.2];
const FREQUENCY: [f64; 2] = [0.1, 0.5];
/// Standard deviation of the noise, metres and radians.
const NOISE: f64 = 1e-3;
/// Streams of the random numbers for noise; paths take theirs from the streams 0, 1, ...
const NOISES: u64 = 1 << 32;

/// How boxes are turned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FloorPoses {
    /// Not at all: faces are parallel in x, y and z.
    #[default]
    Aligned,
    /// About z, along the path: faces are parallel in z.
    Headings,
    /// About z, with noise in all six degrees of freedom while a box drives: faces are nearly
    /// parallel in z.
    Noisy,
}

impl FloorPoses {
    /// The word of the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Aligned => "aligned",
            Self::Headings => "headings",
            Self::Noisy => "noisy",
        }
    }
}

/// A shop floor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShopFloor {
    /// Orientation of the boxes. Their places do not depend on it, but for the noise.
    pub poses: FloorPoses,
    /// Frames, 100 a second.
    pub frames: u32,
    /// The seed of all draws.
    pub seed: u64,
}

impl Default for ShopFloor {
    fn default() -> Self {
        Self { poses: FloorPoses::Aligned, frames: 40_000, seed: 1 }
    }
}

/// The path of a box.
struct FloorPath {
    /// Amplitude, frequency and phase of the waves in x, in y and in the heading.
    waves: [[[f64; 3]; WAVES]; 3],
    /// Time for which the box drives, and stands, seconds; `None`: it never stands.
    stint: Option<f64>,
}

impl ShopFloor {
    /// Writes the data set into `out`, which must not exist or be empty; returns the files, the
    /// scene last.
    ///
    /// # Errors
    /// There is nothing to write, or the directory cannot be written.
    pub fn write(&self, out: &Path) -> Result<Vec<PathBuf>> {
        if self.frames == 0 {
            return Err(Error::usage("--frames", "there is nothing to write", "ask for one or more"));
        }
        let paths = self.paths();
        let mut noises: Vec<Random> = (0..).take(paths.len()).map(|b| Random::new(self.seed, NOISES + b)).collect();
        let mut set = Dataset::create(out)?;
        let path = set.path(TRAJECTORIES)?;
        let mut file = TrajectoryFile::create(&path, &(0..BOXES).map(name).collect::<Vec<_>>())?;
        file = file.expecting(u64::from(self.frames) * paths.len() as u64);
        for frame in 0..self.frames {
            let time_s = f64::from(frame) / FRAME_RATE;
            for (body, (path, noise)) in (0..).zip(paths.iter().zip(&mut noises)) {
                let (position, q) = self.pose(path, time_s, noise);
                file.push(&TrajectoryRow { run: 0, frame: frame.into(), time_s, body, position, q })?;
            }
        }
        file.finish()?;
        set.write(SCENE, self.scene())?;
        set.finish()
    }

    fn paths(&self) -> Vec<FloorPath> {
        let stints = [None; RESTLESS].into_iter().chain(STINTS.map(Some));
        (0..).zip(stints).map(|(body, stint)| FloorPath::draw(&mut Random::new(self.seed, body), stint)).collect()
    }

    /// Position and orientation of a box at a time, seconds. `noise` is drawn from only where there
    /// is noise.
    fn pose(&self, path: &FloorPath, t: f64, noise: &mut Random) -> (Point3, Quaternion) {
        let (position, heading) = path.at(t);
        let turned = about([0.0, 0.0, 1.0], heading);
        match self.poses {
            FloorPoses::Aligned => (position, [1.0, 0.0, 0.0, 0.0]),
            FloorPoses::Noisy if path.drives(t) => {
                let [shift, [x, y, z]] = [(); 2].map(|()| [(); 3].map(|()| noise.normal(0.0, NOISE)));
                let tilt = normalised([1.0, x / 2.0, y / 2.0, z / 2.0]);
                (add(position, shift), product(tilt, turned))
            }
            FloorPoses::Headings | FloorPoses::Noisy => (position, turned),
        }
    }

    fn scene(&self) -> String {
        let Self { poses, frames, seed } = self;
        let mut text = format!(
            r#"# A shop floor: {BOXES} equal boxes drive beside, past and towards each other; poses are "{poses}".
# {frames} frames at {FRAME_RATE} Hz, seed {seed}.
[scene]
name = "shop-floor-{poses}"
length_unit = "m"
trajectories = "{TRAJECTORIES}"

[query]
within = 100.0    # metres: far enough that every pair gives a row in every frame
"#,
            poses = poses.name(),
        );
        for body in 0..BOXES {
            let _ = write!(text, "\n[[body]]\nname = \"{}\"\nshape = {{ box = {SIZE:?} }}\n", name(body)); // cannot fail
        }
        text
    }
}

/// The name of a box.
fn name(body: u32) -> String {
    format!("box-{}", body + 1)
}

impl FloorPath {
    fn draw(random: &mut Random, stint: Option<f64>) -> Self {
        let waves = [REACH, REACH, TURN].map(|[least, most]| {
            [(); WAVES].map(|()| {
                [random.between(least, most), random.between(FREQUENCY[0], FREQUENCY[1]), random.between(0.0, 2.0 * PI)]
            })
        });
        Self { waves, stint }
    }

    /// Position and heading at a time, seconds.
    fn at(&self, t: f64) -> (Point3, f64) {
        let clock = self.clock(t);
        let [x, y, heading] = self.waves.map(|waves| {
            waves.iter().map(|[amplitude, frequency, phase]| amplitude * libm::sin(frequency * clock + phase)).sum()
        });
        ([x, y, SIZE[2] / 2.0], heading)
    }

    /// Returns the clock of the path, seconds: constant to the bit while the box stands.
    fn clock(&self, t: f64) -> f64 {
        let Some(stint) = self.stint else { return t };
        let round = (t / (2.0 * stint)).floor();
        let (start, way) = (2.0 * stint * round, PACE * stint);
        Ease { time: [start, start + stint], value: [round * way, (round + 1.0) * way] }.at(t)[0]
    }

    /// Whether the box drives: in the first half of every round.
    fn drives(&self, t: f64) -> bool {
        self.stint.is_none_or(|stint| t % (2.0 * stint) < stint)
    }
}

#[cfg(test)]
mod tests {
    use super::super::space::{length, sub};
    use super::*;

    #[test]
    fn boxes_drive_smoothly_and_stand_still() {
        for seed in 0..10 {
            let floor = ShopFloor { seed, ..ShopFloor::default() };
            let mut way = 0.0;
            for path in floor.paths() {
                let mut stood = 0;
                for frame in 1..40_000 {
                    let [before, now] = [frame - 1, frame].map(|frame| f64::from(frame) / FRAME_RATE);
                    let step = length(sub(path.at(now).0, path.at(before).0));
                    assert!(step < 0.04, "a step of {step} m");
                    way += step;
                    let stands = !path.drives(before) && !path.drives(now);
                    assert!(!stands || path.at(now) == path.at(before), "frame {frame}");
                    stood += u32::from(stands);
                }
                let half = 18_000..21_000;
                assert!(if path.stint.is_some() { half.contains(&stood) } else { stood == 0 }, "{stood} frames");
            }
            let speed = way / (5.0 * 400.0);
            assert!((0.7..1.3).contains(&speed), "{speed} m/s while boxes drive");
        }
    }

    #[test]
    fn noise_is_of_the_size_it_says() {
        let floor = ShopFloor { poses: FloorPoses::Noisy, ..ShopFloor::default() };
        let path = &floor.paths()[0];
        let mut noise = Random::new(1, NOISES);
        let (mut shift2, mut tilt2) = (0.0, 0.0);
        for frame in 0..4000 {
            let t = f64::from(frame) / FRAME_RATE;
            let (position, q) = floor.pose(path, t, &mut noise);
            let (exact, heading) = path.at(t);
            let back = product(q, about([0.0, 0.0, 1.0], -heading));
            for axis in 0..3 {
                shift2 += (position[axis] - exact[axis]).powi(2) / 12_000.0;
                tilt2 += (2.0 * back[axis + 1]).powi(2) / 12_000.0;
            }
        }
        for deviation in [shift2.sqrt(), tilt2.sqrt()] {
            assert!((deviation / NOISE - 1.0).abs() < 0.03, "{deviation}");
        }
    }

    #[test]
    fn values_are_the_same_on_every_platform() {
        // FNV-1a over the bits of the poses.
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for poses in [FloorPoses::Aligned, FloorPoses::Headings, FloorPoses::Noisy] {
            let floor = ShopFloor { poses, ..ShopFloor::default() };
            let mut noise = Random::new(1, NOISES);
            for path in floor.paths() {
                let (position, q) = floor.pose(&path, 12.5, &mut noise);
                for byte in position.iter().chain(&q).flat_map(|x| x.to_bits().to_le_bytes()) {
                    hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
                }
            }
        }
        assert_eq!(hash, 0x24bd_9d1e_40c4_1fe2, "{hash:#018x}");
    }
}
