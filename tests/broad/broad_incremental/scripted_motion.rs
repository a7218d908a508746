//! Scripted motion over many blocks, for tests of the incremental methods.

use clearsweep_geometry::Pose;
use clearsweep_scene::FrameBlock;
use clearsweep_scene::block::Sample;
use clearsweep_testing::random::Random;
use clearsweep_testing::scenes::{Setup, cuboid};
use clearsweep_trajectory::Bounds;

/// The arrangement of the bodies at the start of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Arranged {
    /// Uniform in the space.
    Uniform,
    /// So many tight clusters.
    Clusters(usize),
    /// All bodies at one place, with nearly the same motion.
    Together,
    /// Bodies on the points of a grid, so that neighbouring boxes share exactly one lattice plane
    /// or miss each other by one.
    Touching,
}

/// The parameters of a scene and its motion.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Script {
    pub(crate) name: &'static str,
    pub(crate) bodies: usize,
    /// The share of static bodies.
    pub(crate) fixed: f64,
    /// The edges of the space along each axis, metres.
    pub(crate) space: [f64; 3],
    pub(crate) arranged: Arranged,
    /// The ratio of the largest to the smallest size, which is 1; sizes are distributed
    /// log-uniformly.
    pub(crate) ratio: f64,
    /// The size of the first body, which then is static.
    pub(crate) huge: Option<f64>,
    /// The motion between samples, in sizes.
    pub(crate) step: f64,
    pub(crate) run_length: usize,
    /// The share of bodies that appear or disappear from sample to sample.
    pub(crate) change: f64,
    pub(crate) offset: f64,
    /// The bounds announced for the input, as a multiple of the space.
    pub(crate) bounds: f64,
    /// The number of classes of bodies, some of which ignore each other; 0 for none.
    pub(crate) classes: usize,
    pub(crate) frames: usize,
}

pub(crate) const SCRIPT: Script = Script {
    name: "uniform",
    bodies: 150,
    fixed: 0.2,
    space: [8.0; 3],
    arranged: Arranged::Uniform,
    ratio: 1.0,
    huge: None,
    step: 0.02,
    run_length: usize::MAX,
    change: 0.0,
    offset: 0.0,
    bounds: 1.0,
    classes: 0,
    frames: 1000,
};

struct Mover {
    at: [f64; 3],
    velocity: [f64; 3],
    q: [f64; 4],
    size: f64,
    present: bool,
}

/// Plays a script block by block.
pub(crate) struct ScriptedMotion {
    pub(crate) setup: Setup,
    script: Script,
    random: Random,
    movers: Vec<Mover>,
    /// Number of samples so far.
    frame: usize,
    blocks: u64,
    /// The number of times that a body appeared or disappeared, and of samples that begin a run.
    pub(crate) changes: usize,
    pub(crate) jumps: usize,
    /// The distance of grid points.
    pitch: f64,
}

impl ScriptedMotion {
    pub(crate) fn new(script: Script, seed: u64) -> Self {
        let mut motion = Self {
            setup: Setup::new(if script.arranged == Arranged::Touching { 0.0 } else { 0.1 }),
            script,
            random: Random(seed),
            movers: Vec::new(),
            frame: 0,
            blocks: 0,
            changes: 0,
            jumps: 0,
            pitch: 1.0,
        };
        let reach = script.space.map(|edge| 0.5 * edge * script.bounds);
        motion.setup.bounds =
            Some(Bounds { min: reach.map(|r| script.offset - r), max: reach.map(|r| script.offset + r) });
        let grid = script.arranged == Arranged::Touching;
        let mut fixed = Vec::new();
        for body in 0..script.bodies {
            let r = &mut motion.random;
            let mut size = script.ratio.powf(r.unit());
            let mut still = r.unit() < script.fixed;
            if let (0, Some(huge)) = (body, script.huge) {
                (size, still) = (huge, true);
            }
            let sides = if grid { [1.0; 3] } else { std::array::from_fn(|_| size * r.between(0.5, 1.0)) };
            let q = if grid { [1.0, 0.0, 0.0, 0.0] } else { r.turn() };
            motion.setup.add(cuboid(sides), still.then_some(Pose::new([script.offset; 3], q)));
            if still {
                fixed.push(body);
            } else {
                let (at, velocity, present) = ([0.0; 3], r.in_cube(script.step * size), true);
                motion.movers.push(Mover { at, velocity, q, size, present });
            }
        }
        if grid {
            // A gap of two lattice spacings: boxes end a spacing beyond the body, so neighbours
            // share one plane.
            motion.pitch = 1.0 + 2.0 * motion.setup.job().lattice().spacing;
        }
        for body in fixed {
            let at = motion.place();
            if let clearsweep_scene::Motion::Static(pose) = &mut motion.setup.scene.bodies[body].motion {
                pose.position = at.into();
            }
        }
        if script.classes > 0 {
            motion.setup.ignore(script.classes);
        }
        motion
    }

    /// A position at the start of a run.
    fn place(&mut self) -> [f64; 3] {
        let (script, r) = (&self.script, &mut self.random);
        let unit: [f64; 3] = match script.arranged {
            Arranged::Uniform => r.in_cube(0.5),
            Arranged::Together => r.in_cube(1e-3),
            Arranged::Clusters(count) => {
                let mut own = Random(r.below(count) as u64 + 77);
                let centre = own.in_cube(0.45);
                let near = r.in_cube(0.02);
                std::array::from_fn(|k| centre[k] + near[k])
            }
            Arranged::Touching => {
                let cells = script.space.map(|edge| (edge / 2.0).floor());
                let at: [f64; 3] = std::array::from_fn(|k| r.between(-cells[k], cells[k] + 1.0).floor());
                return at.map(|v| v * self.pitch);
            }
        };
        std::array::from_fn(|k| script.offset + script.space[k] * unit[k])
    }

    fn step(&mut self, jump: bool) {
        for index in 0..self.movers.len() {
            let place = if jump { Some(self.place()) } else { None };
            let (script, r, m) = (&self.script, &mut self.random, &mut self.movers[index]);
            if let Some(at) = place {
                m.at = at;
            } else if script.arranged == Arranged::Touching {
                if r.unit() < 0.1 {
                    // By a whole step, or by a lattice spacing more or less: touching, one apart,
                    // or one inside the other.
                    let spacing = 0.5 * (self.pitch - 1.0);
                    let step = [-self.pitch, self.pitch, spacing, -spacing][r.below(4)];
                    m.at[r.below(3)] += step;
                }
            } else {
                for k in 0..3 {
                    m.at[k] += m.velocity[k];
                    let (low, high) = (script.offset - 0.5 * script.space[k], script.offset + 0.5 * script.space[k]);
                    if m.at[k] < low && m.velocity[k] < 0.0 || m.at[k] > high && m.velocity[k] > 0.0 {
                        m.velocity[k] = -m.velocity[k];
                    }
                }
                let turn = (0.2 * script.step).min(0.3);
                m.q = std::array::from_fn(|k| m.q[k] + r.between(-turn, turn));
                let norm = m.q.iter().map(|c| c * c).sum::<f64>().sqrt();
                m.q = m.q.map(|c| c / norm);
                debug_assert!(m.size > 0.0);
            }
            if r.unit() < script.change {
                m.present = !m.present;
                self.changes += 1;
            }
        }
    }

    /// The next block of at most `samples` samples; none after the last frame.
    pub(crate) fn next(&mut self, samples: usize) -> Option<FrameBlock> {
        let samples = samples.min(self.script.frames - self.frame);
        if samples == 0 {
            return None;
        }
        let mut block = FrameBlock::new(self.blocks, self.movers.len());
        self.blocks += 1;
        for s in 0..samples {
            let in_run = self.frame % self.script.run_length;
            self.step(in_run == 0);
            self.jumps += usize::from(in_run == 0);
            block.samples.push(Sample {
                run: (self.frame / self.script.run_length) as i64,
                frame: in_run as i64,
                time_s: None,
            });
            block.starts_run |= u64::from(in_run == 0) << s;
            for (slot, m) in self.movers.iter().enumerate().filter(|(_, m)| m.present) {
                block.set(slot, s, &Pose::new(m.at, m.q));
            }
            self.frame += 1;
        }
        Some(block)
    }
}
