//! Watches the trajectories and sizes of a run beside its work.

use super::super::warning::Warning;
use super::bodies;
use super::files;
use super::motion::{Clock, Motions};
use clearsweep_model::{FrameBlock, PoseSteps, Scene};

/// Looks at the blocks of a run as they pass.
pub(crate) struct TrajectoryWatch<'a> {
    scene: &'a Scene,
    pub(super) samples: u64,
    pub(super) clock: Clock,
    pub(super) motions: Motions<'a>,
}

impl<'a> TrajectoryWatch<'a> {
    /// Before the first block.
    pub(crate) fn new(scene: &'a Scene) -> Self {
        Self { scene, samples: 0, clock: Clock::default(), motions: Motions::new(scene) }
    }

    /// Takes the next block.
    pub(crate) fn look(&mut self, block: &FrameBlock) {
        self.samples += block.samples.len() as u64;
        for (index, sample) in block.samples.iter().enumerate() {
            self.clock.tick(sample, block.starts_run >> index & 1 == 1);
        }
        if !self.scene.dynamic.is_empty() {
            self.motions.look(block);
        }
    }

    /// The warnings that a check has of the trajectories and of sizes, but for what is only slow.
    /// `pose_steps`: of moving bodies, if they are known.
    pub(crate) fn warnings(&self, pose_steps: Option<PoseSteps>) -> Vec<Warning> {
        let mut warnings = files::warnings(self.scene, pose_steps);
        warnings.extend(bodies::warnings(self.scene));
        warnings.extend(self.motions.warnings(self.samples).into_iter().filter(|warning| warning.kind != "motionless"));
        warnings.extend(self.clock.warnings());
        warnings.extend(Warning::of_empty(self.samples));
        warnings
    }
}
