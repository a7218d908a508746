//! The simulations of the paper as blocks of poses.

use clearsweep_datasets::{Simulated, SimulatedMotion, SimulatedShape};
use clearsweep_geometry::Pose;
use clearsweep_scene::{FrameBlock, Geometry};
use clearsweep_testing::scenes::{Setup, block};
use clearsweep_trajectory::Bounds;

/// A scene whose dynamic bodies move by functions of time.
pub(crate) struct Simulation {
    pub(crate) name: String,
    pub(crate) setup: Setup,
    pub(crate) seconds: f64,
    motions: Vec<SimulatedMotion>,
}

impl Simulation {
    pub(crate) fn of(name: &str, simulated: Simulated) -> Self {
        let reach = simulated.reach();
        let mut setup = Setup::new(1e-3);
        setup.bounds = Some(Bounds { min: [-reach; 3], max: [reach; 3] });
        let mut motions = Vec::new();
        for body in simulated.bodies(1) {
            let geometry = match body.shape {
                SimulatedShape::Box(sides) => Geometry::Box(sides),
                SimulatedShape::Sphere(radius) => Geometry::Sphere(radius),
                SimulatedShape::Prism { sides, radius, height } => Geometry::Cylinder { radius, height, sides },
                SimulatedShape::Points(points) => Geometry::Points(points),
            };
            let shape = geometry.shape(0.0).expect("a shape");
            match body.motion {
                Ok(motion) => {
                    setup.add(shape, None);
                    motions.push(motion);
                }
                Err((at, q)) => setup.add(shape, Some(Pose::new(at, q))),
            }
        }
        Self { name: name.to_owned(), setup, seconds: simulated.seconds(), motions }
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
                    if let Some((at, q)) = motion((start + s) as f64 / f64::from(rate)) {
                        b.set(slot, s, &Pose::new(at, q));
                    }
                }
            }
            blocks.push(b);
        }
        blocks
    }
}
