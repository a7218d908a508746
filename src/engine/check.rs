//! Validating everything without running.

use super::methods;
use super::options::JobOptions;
use crate::error::Result;
use crate::scene::{PairCounts, Scene};
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
    let PairCounts { possible, ignored } = scene.pair_counts();
    let mut checked = Checked {
        runs: 0,
        samples: 0,
        rows: trajectory.rows,
        files: trajectory.inputs.files().count(),
        frames: None,
        bounds: trajectory.bounds,
        pairs_possible: possible,
        pairs_ignored: ignored,
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
