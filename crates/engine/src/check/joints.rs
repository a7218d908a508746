//! How values of joints go on: what gives away angles that were wrapped, and ranges of one value.

use super::super::warning::Warning;
use clearsweep_model::{BetweenFrames, FrameBlock, Scene, SceneJoints};
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

/// The largest step of a joint that turns, of all joints.
#[derive(Debug, Clone, PartialEq)]
pub struct LargestJointStep {
    /// Name of the joint.
    pub joint: String,
    /// Its values before and after the step, radians.
    pub values: [f64; 2],
    /// The run.
    pub run: i64,
    /// The frames before and after it.
    pub frames: [i64; 2],
}

/// The steps of all joints, by column.
#[derive(Debug)]
pub(super) struct JointSteps<'a> {
    joints: Option<&'a SceneJoints>,
    /// Whether a long step may be a short one the other way round: not of a spline, which says the
    /// way.
    may_wrap: bool,
    /// The values before, with their run and frame.
    last: Vec<Option<(f64, i64)>>,
    largest: Vec<Option<Step>>,
}

impl<'a> JointSteps<'a> {
    pub(super) fn new(scene: &'a Scene) -> Self {
        let joints = scene.joints.as_deref();
        let columns = joints.map_or(0, |joints| joints.tree.columns().len());
        let may_wrap = scene.motion.between != BetweenFrames::Spline;
        Self { joints, may_wrap, last: vec![None; columns], largest: vec![None; columns] }
    }

    /// Takes the next block.
    pub(super) fn look(&mut self, block: &FrameBlock) {
        let Some(joints) = self.joints else { return };
        let columns = block.joints.iter().zip(joints.tree.columns());
        for (((column, joint), last), largest) in columns.zip(&mut self.last).zip(&mut self.largest) {
            for (at, sample) in block.samples.iter().enumerate() {
                let value = column.0[at];
                let before = last.replace((value, sample.frame)).filter(|_| block.starts_run >> at & 1 == 0);
                let Some((from, frame)) = before else { continue };
                let step = Step {
                    values: [from, joint.step_end(from, value)],
                    run: sample.run,
                    frames: [frame, sample.frame],
                };
                if largest.is_none_or(|largest| step.angle() > largest.angle()) {
                    *largest = Some(step);
                }
            }
        }
    }

    /// Steps beyond half a turn, and sweeps over ranges of one value.
    pub(super) fn warnings(&self) -> Vec<Warning> {
        self.joints
            .map_or(Vec::new(), |joints| still(joints).into_iter().chain(self.beyond_half_a_turn(joints)).collect())
    }

    /// The largest step of a joint that turns; `None`: there is none, or none that moves.
    pub(super) fn largest(&self) -> Option<LargestJointStep> {
        let steps = self.joints?.tree.columns().zip(&self.largest);
        let turns = steps.filter(|(joint, _)| joint.kind.turns()).filter_map(|(joint, step)| Some((joint, (*step)?)));
        let (joint, step) = turns.max_by(|(_, a), (_, b)| a.angle().total_cmp(&b.angle()))?;
        let Step { values, run, frames } = step;
        (step.angle() > 0.0).then(|| LargestJointStep { joint: joint.name.clone(), values, run, frames })
    }

    /// The joint of the longest step beyond half a turn, and how many others have one.
    fn beyond_half_a_turn(&self, joints: &SceneJoints) -> Option<Warning> {
        let steps = joints.tree.columns().zip(&self.largest);
        let turns = steps.filter(|(joint, _)| joint.kind.turns()).filter_map(|(joint, step)| Some((joint, (*step)?)));
        let mut long: Vec<_> = turns.filter(|(_, step)| self.may_wrap && step.angle() > PI).collect();
        long.sort_by(|(_, a), (_, b)| b.angle().total_cmp(&a.angle()));
        let (joint, step) = long.first()?;
        let Step { values: [from, to], run, frames: [before, after] } = step;
        let more = others(long.len());
        let problem = format!(
            "the joint `{}` turns by {:.0} degrees, from {from} to {to} rad, between the frames {before} and {after} of run {run}{more}",
            joint.name,
            step.angle().to_degrees()
        );
        let remedy = "the way that is looked at is that long; if a joint without limits went the other way round, write \
            `wrap = \"shortest\"` in [motion], or values that go on beyond half a turn; if it is swept, give more `steps`";
        Some(Warning::new("joint", [], problem, remedy))
    }
}

/// How many joints there are beside the one that is named.
fn others(count: usize) -> String {
    if count == 1 { String::new() } else { format!(" (and {} more)", count - 1) }
}

/// Joints that are swept over ranges of one value.
fn still(joints: &SceneJoints) -> Option<Warning> {
    let swept = joints.sweeps.iter().flat_map(|runs| runs.sweeps()).flat_map(|sweep| &sweep.joints);
    let names: Vec<&str> = joints.tree.columns().map(|joint| &*joint.name).collect();
    let mut still: Vec<&str> =
        swept.filter(|joint| joint.range[0] == joint.range[1]).map(|joint| names[joint.column as usize]).collect();
    still.sort_unstable();
    still.dedup();
    let (first, more) = (still.first()?, others(still.len()));
    let problem = format!("the joint `{first}`{more} is swept over a range of one value: it does not move");
    Some(Warning::new("joint", [], problem, "correct its limits, or give the sweep `ranges`"))
}
