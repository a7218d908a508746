//! Scenes of any size: bodies that drift in a cube, and bodies at rest on a table.

use clearsweep_geometry::Pose;
use clearsweep_scene::FrameBlock;
use clearsweep_testing::random::Random;
use clearsweep_testing::scenes::{Setup, block, cuboid};
use clearsweep_trajectory::Bounds;

/// Boxes that drift and turn slowly in a cube.
pub(crate) struct Crowd {
    pub(crate) bodies: usize,
    pub(crate) edge: f64,
    /// Least side of a box; the largest is 1.
    pub(crate) least: f64,
    /// Largest motion between two frames along an axis.
    pub(crate) step: f64,
    pub(crate) seed: u64,
}

impl Crowd {
    /// The scene and `count` blocks of its motion.
    pub(crate) fn blocks(&self, count: usize) -> (Setup, Vec<FrameBlock>) {
        let r = &mut Random(self.seed);
        let mut setup = Setup::new(0.1);
        let reach = 0.5 * self.edge;
        setup.bounds = Some(Bounds { min: [-reach; 3], max: [reach; 3] });
        let mut bodies = Vec::new();
        for _ in 0..self.bodies {
            setup.add(cuboid(std::array::from_fn(|_| r.between(self.least, 1.0))), None);
            bodies.push((r.in_cube(reach), r.in_cube(self.step), r.turn(), r.in_cube(0.01)));
        }
        let mut blocks = Vec::new();
        for index in 0..count {
            let mut b = block(index as u64, self.bodies, 64, usize::MAX);
            b.starts_run = u64::from(index == 0);
            for (slot, (at, velocity, q, turn)) in bodies.iter_mut().enumerate() {
                for s in 0..64 {
                    for k in 0..3 {
                        at[k] += velocity[k];
                        if at[k].abs() > reach {
                            velocity[k] = -velocity[k].abs() * at[k].signum();
                        }
                        q[k + 1] += turn[k];
                    }
                    let norm = q.iter().map(|c| c * c).sum::<f64>().sqrt();
                    *q = q.map(|c| c / norm);
                    b.set(slot, s, &Pose::new(*at, *q));
                }
            }
            blocks.push(b);
        }
        (setup, blocks)
    }
}

/// Flat boxes in rows on a table, no two of which overlap. They oscillate vertically by a tenth of
/// their height, each at its own frequency, with a period of about a hundred frames.
pub(crate) fn table_top(bodies: usize, count: usize) -> (Setup, Vec<FrameBlock>) {
    let r = &mut Random(bodies as u64);
    let mut setup = Setup::new(0.0);
    let row = (bodies as f64).sqrt().ceil() as usize;
    let reach = row as f64;
    setup.bounds = Some(Bounds { min: [-1.0; 3], max: [reach; 3] });
    let mut paces = Vec::new();
    for _ in 0..bodies {
        setup.add(cuboid([0.6, 0.6, 0.2]), None);
        paces.push((r.between(0.05, 0.08), r.between(0.0, std::f64::consts::TAU)));
    }
    let mut blocks = Vec::new();
    for index in 0..count {
        let mut b = block(index as u64, bodies, 64, usize::MAX);
        b.starts_run = u64::from(index == 0);
        for (slot, (pace, phase)) in paces.iter().enumerate() {
            for s in 0..64 {
                let z = 0.02 * (phase + pace * (64 * index + s) as f64).sin();
                let at = [(slot % row) as f64, (slot / row) as f64, z];
                b.set(slot, s, &Pose::new(at, [1.0, 0.0, 0.0, 0.0]));
            }
        }
        blocks.push(b);
    }
    (setup, blocks)
}
