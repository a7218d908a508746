//! How values of joints go on: what gives away angles that were wrapped, and ranges of one value.

use super::warning::Warning;
use clearsweep_scene::{FrameBlock, Scene, SceneJoints};
use std::f64::consts::PI;

/// The largest step of a joint that turns.
#[derive(Debug, Clone, Copy)]
struct Step {
    values: [f64; 2],
    run: i64,
    frames: [i64; 2],
}

impl Step {
    fn angle(&self) -> f64 {
        (self.values[1] - self.values[0]).abs()
    }
}

/// The steps of all joints, by column.
#[derive(Debug)]
pub(super) struct JointSteps<'a> {
    joints: Option<&'a SceneJoints>,
    /// The values before, with their run and frame.
    last: Vec<Option<(f64, i64)>>,
    largest: Vec<Option<Step>>,
}

impl<'a> JointSteps<'a> {
    pub(super) fn new(scene: &'a Scene) -> Self {
        let joints = scene.joints.as_deref();
        let columns = joints.map_or(0, |joints| joints.tree.columns().len());
        Self { joints, last: vec![None; columns], largest: vec![None; columns] }
    }

    /// Takes the next block.
    pub(super) fn look(&mut self, block: &FrameBlock) {
        for ((column, last), largest) in block.joints.iter().zip(&mut self.last).zip(&mut self.largest) {
            for (at, sample) in block.samples.iter().enumerate() {
                let value = column.0[at];
                let before = last.replace((value, sample.frame)).filter(|_| block.starts_run >> at & 1 == 0);
                let Some((from, frame)) = before else { continue };
                let step = Step { values: [from, value], run: sample.run, frames: [frame, sample.frame] };
                if largest.is_none_or(|largest| step.angle() > largest.angle()) {
                    *largest = Some(step);
                }
            }
        }
    }

    /// Steps beyond half a turn, and sweeps over ranges of one value.
    pub(super) fn warnings(&self) -> Vec<Warning> {
        let Some(joints) = self.joints else { return Vec::new() };
        let mut warnings: Vec<Warning> = still(joints).into_iter().collect();
        let steps = joints.tree.columns().zip(&self.largest);
        let long = steps.filter_map(|(joint, step)| Some((joint, step.filter(|_| joint.kind.turns())?)));
        for (joint, step) in long.filter(|(_, step)| step.angle() > PI) {
            let Step { values: [from, to], run, frames: [before, after] } = step;
            let problem = format!(
                "the joint `{}` turns by {:.0} degrees, from {from} to {to} rad, between the frames {before} and {after} of run {run}",
                joint.name,
                step.angle().to_degrees()
            );
            let remedy = "the way that is looked at is that long; if the joint went the other way round, write values that go \
                on beyond half a turn, and if it is swept, more `steps`";
            warnings.push(Warning::new("joint", [], problem, remedy));
        }
        warnings
    }
}

/// Joints that are swept over ranges of one value.
fn still(joints: &SceneJoints) -> Option<Warning> {
    let swept = joints.sweeps.iter().flat_map(|runs| runs.sweeps()).flat_map(|sweep| &sweep.joints);
    let names: Vec<&str> = joints.tree.columns().map(|joint| &*joint.name).collect();
    let mut still: Vec<&str> =
        swept.filter(|joint| joint.range[0] == joint.range[1]).map(|joint| names[joint.column as usize]).collect();
    still.sort_unstable();
    still.dedup();
    let more = match still.len() {
        0 => return None,
        1 => String::new(),
        count => format!(" and {} more", count - 1),
    };
    let problem = format!("the joint `{}`{more} is swept over a range of one value: it does not move", still[0]);
    Some(Warning::new("joint", [], problem, "correct its limits, or give the sweep a `range`"))
}
