//! READ: trajectories as a stream of blocks.
//!
//! *Architecture invariant*: with `table`, the only stage that names arrow or parquet.

use crate::error::Result;
use crate::scene::model::InputDigest;
use crate::scene::{FrameBlock, Scene};
use std::ops::Range;
use std::path::PathBuf;

/// What to read.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// Overrides the trajectories of the scene.
    pub path: Option<PathBuf>,
    /// Only these runs (key values).
    pub runs: Option<Range<i64>>,
    /// Only these frames (key values).
    pub frames: Option<Range<i64>>,
}

/// Bounds of the positions of the whole input (whatever runs and frames are chosen), metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// Lowest x, y, z.
    pub min: [f64; 3],
    /// Highest x, y, z.
    pub max: [f64; 3],
}

/// An opened and checked input.
pub struct Trajectory {
    /// Bounds of body origins as read (not recentred) over the whole input; `None` where there is no row at all.
    pub bounds: Option<Bounds>,
    /// The files with their digests, in reading order.
    pub inputs: Vec<InputDigest>,
    /// Rows in all files.
    pub rows: u64,
}

impl Trajectory {
    /// Opens the input of `scene`, checks its schema, and finds its bounds.
    ///
    /// A scene without dynamic bodies and without trajectories gives one sample (0, 0) without time.
    ///
    /// # Errors
    /// Any file that is missing, unreadable or does not fit the contract.
    pub fn open(scene: &Scene, options: &ReadOptions) -> Result<Self> {
        let _ = (scene, options);
        todo!("trajectory")
    }

    /// The blocks, in order of (run, frame), decoded ahead on a thread of its own.
    pub fn blocks(self) -> Box<dyn Iterator<Item = Result<FrameBlock>> + Send> {
        todo!("trajectory")
    }

    /// Share of the chosen input read so far, 0 to 1, for progress.
    pub fn progress(&self) -> std::sync::Arc<std::sync::atomic::AtomicU64> {
        todo!("trajectory: thousandths")
    }
}
