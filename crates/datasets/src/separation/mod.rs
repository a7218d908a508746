//! A Monte Carlo sweep: a payload leaves its adapter between two neighbours, with dispersed
//! springs, mass properties and rates; the halves of its clamp band fly open. Poses are in the
//! frame of the stage, which recoils.

mod dynamics;
mod hardware;

use super::dataset::{Dataset, SCENE, TRAJECTORIES};
use super::random::Random;
use super::space::{Point3, Quaternion, about, runge_kutta};
use clearsweep_base::error::{Error, Result};
use clearsweep_tables::number_table::NumberTable;
use clearsweep_tables::trajectory_file::{TrajectoryFile, TrajectoryRow};
use dynamics::{Mass, Push, SeparatingPair};
use std::f64::consts::PI;
use std::path::{Path, PathBuf};

/// Duration of a run, seconds, for any number of frames.
const DURATION: f64 = 5.0;
/// Name of the table of drawn parameters.
const INPUTS: &str = "runs_input.parquet";
/// Moving bodies, in the order of the trajectories.
const MOVING: [&str; 3] = ["payload-1", "band-half-a", "band-half-b"];
/// Stroke of the separation springs, and their distance from both axes.
const SPRING: [f64; 2] = [0.06, 0.32];
/// Place of the connector, and the way over which it holds back.
const CONNECTOR: ([f64; 2], f64) = ([0.5, 0.0], 0.012);
/// Height of the payload's centre of mass.
const PAYLOAD_CENTER: f64 = 0.78;

/// Parameters drawn for a run: column, unit, mean, standard deviation.
const PARAMETERS: [(&str, &str, f64, f64); 17] = [
    ("mass_kg", "kg", 310.0, 3.0),
    ("ixx_kg_m2", "kg m^2", 92.0, 2.0),
    ("iyy_kg_m2", "kg m^2", 96.0, 2.0),
    ("izz_kg_m2", "kg m^2", 58.0, 1.2),
    ("cg_x_m", "m", 0.0, 0.006),
    ("cg_y_m", "m", 0.0, 0.006),
    ("spring_1_n", "N", 500.0, 18.0),
    ("spring_2_n", "N", 500.0, 18.0),
    ("spring_3_n", "N", 500.0, 18.0),
    ("spring_4_n", "N", 500.0, 18.0),
    ("connector_n", "N", 60.0, 15.0),
    ("lateral_x_m_s", "m/s", 0.0, 0.012),
    ("lateral_y_m_s", "m/s", 0.0, 0.012),
    ("stage_rate_x_rad_s", "rad/s", 0.0, 0.0025),
    ("stage_rate_y_rad_s", "rad/s", 0.0, 0.0025),
    ("band_a_m_s", "m/s", 1.0, 0.15),
    ("band_b_m_s", "m/s", 1.0, 0.15),
];

/// A sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Separation {
    /// Runs, each with draws of its own.
    pub runs: u32,
    /// Frames of a run, evenly over 5 seconds from the release on.
    pub frames: u32,
    /// The seed of all draws; a run's draws do not depend on the number of runs.
    pub seed: u64,
}

impl Default for Separation {
    fn default() -> Self {
        Self { runs: 500, frames: 200, seed: 1 }
    }
}

impl Separation {
    /// Writes the data set into `out`, which must not exist or be empty; returns the files, the
    /// scene last. Runs are computed and written one by one: memory does not grow with their
    /// number.
    ///
    /// # Errors
    /// There is nothing to write, or the directory cannot be written.
    pub fn write(&self, out: &Path) -> Result<Vec<PathBuf>> {
        if self.runs == 0 || self.frames == 0 {
            return Err(Error::usage("--runs, --frames", "there is nothing to write", "ask for one or more of each"));
        }
        let mut set = Dataset::create(out)?;
        for (name, bytes) in hardware::geometry() {
            set.write(&format!("geometry/{name}"), bytes)?;
        }
        let columns = PARAMETERS.map(|(name, unit, ..)| (name, unit));
        let mut inputs = NumberTable::create(&set.path(INPUTS)?, "run", &columns)?;
        let mut file = TrajectoryFile::create(&set.path(TRAJECTORIES)?, &MOVING.map(str::to_owned))?;
        file = file.expecting(u64::from(self.runs) * u64::from(self.frames) * MOVING.len() as u64);
        for run in 0..self.runs {
            let draw = SeparationParameters::new(&mut Random::new(self.seed, run.into()));
            inputs.push(run.into(), &draw.0)?;
            self.write_run(run, &draw, &mut file)?;
        }
        inputs.finish()?;
        file.finish()?;
        set.write(SCENE, self.scene())?;
        set.finish()
    }

    fn write_run(&self, run: u32, draw: &SeparationParameters, file: &mut TrajectoryFile) -> Result<()> {
        let mut pair = draw.pair();
        let mut bands = [draw.get("band_a_m_s"), draw.get("band_b_m_s")].map(Band::new);
        let step = DURATION / f64::from(self.frames);
        for frame in 0..self.frames {
            if frame > 0 {
                pair.advance(step);
                bands.iter_mut().for_each(|band| band.advance(step));
            }
            let poses = [pair.relative(), bands[0].pose(1.0), bands[1].pose(-1.0)];
            let time_s = f64::from(frame) * step;
            for (body, (position, q)) in (0..).zip(poses) {
                file.push(&TrajectoryRow { run: run.into(), frame: frame.into(), time_s, body, position, q })?;
            }
        }
        Ok(())
    }

    fn scene(&self) -> String {
        let Self { runs, frames, seed } = self;
        let rate = f64::from(*frames) / DURATION;
        format!(
            r#"# Monte Carlo sweep of a separation: payload-1 leaves its adapter between payload-2 and payload-3.
# {runs} runs of {frames} frames ({DURATION} s, {rate} Hz), seed {seed}; what was drawn for each run is in {INPUTS}.
[scene]
name = "separation"
length_unit = "m"     # in the frame of the stage: z along the axis of separation, z = 0 the separation plane
trajectories = "{TRAJECTORIES}"

[query]
within = 0.08     # m: a row for every pair this near
# require = 0.05  # uncomment, or give --require 50mm, to count what is nearer as violations (exit code 3)
{bodies}"#,
            bodies = hardware::SCENE_BODIES,
        )
    }
}

/// The parameters of a run, in the order of [`PARAMETERS`].
struct SeparationParameters([f64; PARAMETERS.len()]);

impl SeparationParameters {
    fn new(random: &mut Random) -> Self {
        Self(PARAMETERS.map(|(_, _, mean, deviation)| random.normal(mean, deviation)))
    }

    fn get(&self, name: &str) -> f64 {
        PARAMETERS.iter().zip(self.0).find(|((column, ..), _)| *column == name).map_or(f64::NAN, |(_, value)| value)
    }

    fn pair(&self) -> SeparatingPair {
        let g = |name| self.get(name);
        let payload = Mass {
            mass: g("mass_kg"),
            inertia: [g("ixx_kg_m2"), g("iyy_kg_m2"), g("izz_kg_m2")],
            center: [g("cg_x_m"), g("cg_y_m"), PAYLOAD_CENTER],
        };
        let stage = Mass { mass: 1450.0, inertia: [2600.0, 2500.0, 1500.0], center: [0.0, 0.0, -1.6] };
        let [stroke, arm] = SPRING;
        let corners = [[arm, arm], [-arm, arm], [-arm, -arm], [arm, -arm]];
        let names = ["spring_1_n", "spring_2_n", "spring_3_n", "spring_4_n"];
        let mut pushes: Vec<Push> =
            corners.iter().zip(names).map(|(&at, name)| Push { at, force: g(name), stroke, falls: true }).collect();
        let (at, stroke) = CONNECTOR;
        pushes.push(Push { at, force: -g("connector_n").max(0.0), stroke, falls: false });
        let rates = [g("stage_rate_x_rad_s"), g("stage_rate_y_rad_s"), 0.0];
        SeparatingPair::new([payload, stage], pushes, [g("lateral_x_m_s"), g("lateral_y_m_s"), 0.0], [[0.0; 3], rates])
    }
}

/// Half of the clamp band: released with a speed, drawn to its catcher by springs with damping.
struct Band {
    /// Way outwards, metres, and speed.
    state: [f64; 2],
}

/// Catcher: where it holds the band, metres outwards; natural frequency (1/s) and damping ratio;
/// tilt per way (rad/m).
const CATCHER: (f64, f64, f64, f64) = (0.06, 14.0, 0.35, 1.6);

impl Band {
    fn new(speed: f64) -> Self {
        Self { state: [0.0, speed] }
    }

    fn advance(&mut self, seconds: f64) {
        let (park, frequency, damping, _) = CATCHER;
        let steps = (seconds / 0.002).ceil().max(1.0);
        for _ in 0..steps as u32 {
            self.state = runge_kutta(self.state, 0.0, seconds / steps, |_, [x, v]| {
                [*v, -2.0 * damping * frequency * v - frequency * frequency * (x - park)]
            });
        }
    }

    /// Returns the pose of the half at +y (`side` 1) or -y (-1): the same body, turned about z. The
    /// half tilts outwards as it opens.
    fn pose(&self, side: f64) -> (Point3, Quaternion) {
        let way = self.state[0];
        let tilt = about([1.0, 0.0, 0.0], -CATCHER.3 * way);
        let q = if side > 0.0 { tilt } else { super::space::product(about([0.0, 0.0, 1.0], PI), tilt) };
        ([0.0, side * way, -0.5 * way], q)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_band_half_opens_and_comes_to_rest_in_its_catcher() {
        let mut band = Band::new(1.0);
        let mut widest = 0.0_f64;
        for _ in 0..1000 {
            band.advance(0.005);
            widest = widest.max(band.state[0]);
            assert!(band.state[0] >= -1e-9);
        }
        assert!((0.08..0.15).contains(&widest), "{widest}");
        assert!((band.state[0] - CATCHER.0).abs() < 1e-6 && band.state[1].abs() < 1e-6);
    }

    #[test]
    fn draws_have_the_dispersions_they_say() {
        let draws: Vec<SeparationParameters> =
            (0..2000).map(|run| SeparationParameters::new(&mut Random::new(1, run))).collect();
        for (number, (name, _, mean, deviation)) in PARAMETERS.into_iter().enumerate() {
            let n = draws.len() as f64;
            let average = draws.iter().map(|draw| draw.0[number]).sum::<f64>() / n;
            let spread = (draws.iter().map(|draw| (draw.0[number] - average).powi(2)).sum::<f64>() / n).sqrt();
            assert!((average - mean).abs() < 0.08 * deviation, "{name}: {average}");
            assert!((spread / deviation - 1.0).abs() < 0.06, "{name}: {spread}");
            assert!(draws[0].get(name) == draws[0].0[number]);
        }
    }

    #[test]
    fn the_payload_leaves_at_the_speed_of_its_springs() {
        for run in 0..10 {
            let draw = SeparationParameters::new(&mut Random::new(2, run));
            let mut pair = draw.pair();
            pair.advance(1.0);
            let before = pair.relative().0[2];
            pair.advance(1.0);
            let speed = pair.relative().0[2] - before;
            assert!((0.62..0.72).contains(&speed), "{speed} m/s");
        }
    }
}
