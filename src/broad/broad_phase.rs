//! The interface of a broad phase.

use super::boxes::Boxes64;
use super::broad_scene::BroadScene;
use crate::scene::{Candidate, FrameBlock, Scene};
use std::ops::Range;

/// A broad phase. All implementations return equal candidates.
pub trait BroadPhase: Send {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// The candidates of a block, sorted by (a, b).
    ///
    /// Pairs of static bodies are included if the query asks for them or if no body is dynamic, unless `job` leaves them
    /// to [`Self::static_candidates`]; they carry only sample bit 0 of block 0. The search runs on rayon's current pool where that pays, and its result does not depend on the
    /// number of threads. An implementation keeps state from block to block to save work. `job` must be made from `scene`.
    fn candidates(&mut self, job: &BroadScene, scene: &Scene, block: &FrameBlock) -> Vec<Candidate>;

    /// The candidates of two static bodies of which the first is one of `bodies` (indices into `scene.bodies`), sorted by
    /// (a, b): those that [`Self::candidates`] would include in block 0.
    fn static_candidates(&self, job: &BroadScene, scene: &Scene, bodies: Range<usize>) -> Vec<Candidate>;

    /// Whether [`Self::begin`] begins something, and a batch of any size is best searched as a whole.
    fn works_beside(&self) -> bool {
        false
    }

    /// What a device could not do, if there was something.
    fn fallback(&self) -> Option<DeviceFallback> {
        None
    }

    /// Begins the search of the blocks of a batch, if the implementation can do that beside other work. Batches are begun and
    /// finished in the same order.
    fn begin(&mut self, _job: &BroadScene, _scene: &Scene, _blocks: &[&FrameBlock]) {}

    /// The candidates of the blocks of the earliest batch that was begun and is not finished, as [`Self::candidates`] gives
    /// them.
    fn finish(&mut self, job: &BroadScene, scene: &Scene, blocks: &[&FrameBlock]) -> Vec<Vec<Candidate>> {
        blocks.iter().map(|block| self.candidates(job, scene, block)).collect()
    }

    /// The candidates of a block of which the boxes are given, one entry for each slot; `None` if the implementation
    /// cannot start from boxes. For measurements: no poses are read.
    #[doc(hidden)]
    fn candidates_of_boxes(
        &mut self,
        _job: &BroadScene,
        _scene: &Scene,
        _block: &FrameBlock,
        _boxes: &mut Vec<Boxes64>,
    ) -> Option<Vec<Candidate>> {
        None
    }

    /// The operations so far, for experiments.
    #[doc(hidden)]
    fn operations(&self) -> OperationCounts {
        OperationCounts::default()
    }
}

/// What the processor did because a device had failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceFallback {
    /// Number of blocks.
    pub blocks: u64,
    /// How the device failed.
    pub reason: String,
}

/// Counts of the operations of a broad phase since it was made. Each algorithm counts what it is usually judged by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OperationCounts {
    /// Hashing: labels added and removed, and cells looked up.
    pub cells: u64,
    /// Coherent hashing: how often a body entered a cell that another body was in. The published variant also counts how
    /// often a body left such a cell, since either event changes a close counter.
    pub cell_meetings: u64,
    /// Pairs of boxes that were tested.
    pub tests: u64,
    /// Sweep and prune: exchanges of neighbouring endpoints.
    pub swaps: u64,
    /// Sweep and prune: samples in which the endpoints were sorted from scratch.
    pub sorts: u64,
}
