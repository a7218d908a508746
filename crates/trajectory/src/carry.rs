//! Nodes that have no row are carried by the nearest node above them that has one.

use super::stage::{READ, Stage};
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_model::NodeLink;

/// Poses of inputs in one sample.
pub(super) trait InputPoses {
    /// A component of all inputs.
    fn component(&mut self, component: usize) -> &mut [f64];
}

/// The poses of a sample of the tile.
pub(super) struct StagedSample<'a> {
    pub(super) stage: &'a mut Stage,
    pub(super) sample: usize,
}

impl InputPoses for StagedSample<'_> {
    fn component(&mut self, component: usize) -> &mut [f64] {
        self.stage.row_mut(self.sample, component)
    }
}

/// Which inputs have a pose in the current sample: those with a row, and those that are carried.
pub(super) struct Posed {
    /// Whether anything can be carried; else nothing is kept here.
    pub(super) is_used: bool,
    flags: Vec<bool>,
}

impl Posed {
    pub(super) fn new(inputs: usize, links: &[NodeLink]) -> Self {
        Self { is_used: !links.is_empty(), flags: if links.is_empty() { Vec::new() } else { vec![false; inputs] } }
    }

    /// Notes the inputs of rows.
    pub(super) fn note(&mut self, inputs: &[u32]) {
        if self.is_used {
            inputs.iter().for_each(|&input| self.flags[input as usize] = true);
        }
    }

    /// Carries what has no row, begins the next sample, and calls `each` with all inputs that had a
    /// pose in this one.
    pub(super) fn carry(&mut self, links: &[NodeLink], poses: &mut dyn InputPoses, mut each: impl FnMut(usize)) {
        for link in links {
            let (input, carrier) = (link.input as usize, link.carrier as usize);
            if self.flags[carrier] && !self.flags[input] {
                self.flags[input] = true;
                let mut value = [0.0; READ];
                for (component, value) in value.iter_mut().enumerate() {
                    *value = poses.component(component)[carrier];
                }
                let [x, y, z, qw, qx, qy, qz] = value;
                let carried = Pose::new([x, y, z], [qw, qx, qy, qz]).after(&link.carrier_from_input);
                let Vec3 { x, y, z } = carried.position;
                for (component, value) in [x, y, z].into_iter().chain(carried.q).enumerate() {
                    poses.component(component)[input] = value;
                }
            }
        }
        for (input, flag) in self.flags.iter_mut().enumerate() {
            if std::mem::take(flag) {
                each(input);
            }
        }
    }
}
