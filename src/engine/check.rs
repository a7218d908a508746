//! Validating everything without running.

use super::methods;
use super::options::JobOptions;
use crate::error::Result;
use crate::scene::{Motion, Scene};
use crate::trajectory::{Bounds, Trajectory};

/// What a check found.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    /// Runs chosen.
    pub runs: u64,
    /// Existing (run, frame) samples chosen.
    pub samples: u64,
    /// Rows in all trajectory files, chosen or not.
    pub rows: u64,
    /// Trajectory files.
    pub files: usize,
    /// First and last frame (key values) of the samples chosen, over all runs; `None` where there are none.
    pub frames: Option<(i64, i64)>,
    /// Bounds of the whole input, metres.
    pub bounds: Option<Bounds>,
    /// Pairs of bodies that a run asks about, ignored ones included.
    pub pairs_possible: u64,
    /// Of those, ignored by the scene's rules.
    pub pairs_ignored: u64,
}

/// Reads the whole input once and counts; writes nothing.
///
/// # Errors
/// The first thing in the input or the options that a run would refuse.
pub fn check(scene: &Scene, options: &JobOptions) -> Result<Checked> {
    options.device.resolve()?;
    methods::broad(&options.broad)?;
    methods::narrow(&options.narrow)?;
    let trajectory = Trajectory::open(scene, &options.read)?;
    let (pairs_possible, pairs_ignored) = count_pairs(scene);
    let mut checked = Checked {
        runs: 0,
        samples: 0,
        rows: trajectory.rows,
        files: trajectory.inputs.len(),
        frames: None,
        bounds: trajectory.bounds,
        pairs_possible,
        pairs_ignored,
    };
    let mut run = None;
    for block in trajectory.blocks() {
        for sample in &block?.samples {
            checked.runs += u64::from(run != Some(sample.run));
            run = Some(sample.run);
            checked.samples += 1;
            let (low, high) = checked.frames.unwrap_or((sample.frame, sample.frame));
            checked.frames = Some((low.min(sample.frame), high.max(sample.frame)));
        }
    }
    Ok(checked)
}

/// Pairs that a run asks about, and how many of them are ignored. Counted by class, not pair by pair, so that
/// scenes of many thousand bodies do not wait.
fn count_pairs(scene: &Scene) -> (u64, u64) {
    let statics_paired = scene.query.static_pairs || (scene.dynamic.is_empty() && scene.trajectories.is_none());
    let classes = scene.ignored.classes.max(1);
    // For each class: how many bodies, and how many of them are static.
    let mut all = vec![0_u64; classes];
    let mut still = vec![0_u64; classes];
    let mut member = vec![0_u32; classes];
    for (index, body) in scene.bodies.iter().enumerate() {
        let class = scene.ignored.class.get(index).map_or(0, |&class| class as usize);
        all[class] += 1;
        still[class] += u64::from(matches!(body.motion, Motion::Static(_)));
        member[class] = index as u32;
    }
    let (mut possible, mut ignored) = (0, 0);
    for c in 0..classes {
        for d in c..classes {
            let pairs = |count: &[u64]| match c == d {
                true => count[c] * count[c].saturating_sub(1) / 2,
                false => count[c] * count[d],
            };
            let here = if statics_paired { pairs(&all) } else { pairs(&all) - pairs(&still) };
            possible += here;
            if here > 0 && scene.ignored.contains(member[c], member[d]) {
                ignored += here;
            }
        }
    }
    (possible, ignored)
}
