//! The interface of a broad phase.

use super::boxes::Boxes64;
use super::broad_scene::BroadScene;
use clearsweep_model::{Candidate, FrameBlock, Scene};
use std::ops::Range;
use std::time::Duration;

/// A broad phase. All implementations return equal candidates.
pub trait BroadPhase: Send {
    /// Name on the command line.
    fn name(&self) -> &'static str;

    /// The candidates of a block, sorted by (a, b).
    ///
    /// Pairs of static bodies are included if the query asks for them or if no body is dynamic,
    /// unless `job` leaves them to [`Self::static_candidates`]; they carry only sample bit 0 of
    /// block 0. The search runs on rayon's current pool where that pays, and its result does not
    /// depend on the number of threads. An implementation keeps state from block to block to save
    /// work. `job` must be made from `scene`.
    fn candidates(&mut self, job: &BroadScene, scene: &Scene, block: &FrameBlock) -> Vec<Candidate>;

    /// The candidates of two static bodies whose first body is one of `bodies` (indices into
    /// `scene.bodies`), sorted by (a, b): the ones that [`Self::candidates`] would include in block
    /// 0.
    fn static_candidates(&self, job: &BroadScene, scene: &Scene, bodies: Range<usize>) -> Vec<Candidate>;

    /// The candidates of the intervals after the samples of a block, sorted by (a, b): bit `s` of
    /// `samples` stands for the closed interval between sample `s` and the next one of its run, if
    /// at most `max_gap` frames lie between them and both bodies have a pose at both ends. None
    /// where nothing is assumed of the motion, and none of two static bodies.
    ///
    /// Two bodies are candidates of an interval if the boxes of that interval overlap: no pair that
    /// comes near in between is missing. The candidates of both samples are among them. `block` is
    /// the last one that [`Self::candidates`] was asked about, or it was never asked about one of
    /// this index.
    fn interval_candidates(&mut self, job: &BroadScene, scene: &Scene, block: &FrameBlock) -> Vec<Candidate>;

    /// Whether [`Self::begin`] begins something, and a batch of any size is best searched as a
    /// whole.
    fn works_beside(&self) -> bool {
        false
    }

    /// Returns the report of what a device did and could not do; `None` without a device.
    fn device_report(&self) -> Option<DeviceReport> {
        None
    }

    /// Begins the search of the blocks of a batch, if the implementation can do that beside other
    /// work. Batches are begun and finished in the same order.
    fn begin(&mut self, _job: &BroadScene, _scene: &Scene, _blocks: &[&FrameBlock]) {}

    /// The candidates of the blocks of the earliest batch that was begun and is not finished, as
    /// [`Self::candidates`] gives them.
    fn finish(&mut self, job: &BroadScene, scene: &Scene, blocks: &[&FrameBlock]) -> Vec<Vec<Candidate>> {
        blocks.iter().map(|block| self.candidates(job, scene, block)).collect()
    }

    /// The candidates of a block whose boxes are given, one entry for each slot; `None` if the
    /// implementation cannot start from boxes. For measurements: no poses are read.
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

    /// Seconds for one search of blocks whose boxes lie on the device, the mean of `rounds`
    /// searches; `None` without a device. For measurements: the pairs stay on the device, too.
    #[doc(hidden)]
    fn resident_seconds(
        &mut self,
        _job: &BroadScene,
        _scene: &Scene,
        _blocks: &[&FrameBlock],
        _rounds: usize,
    ) -> Option<f64> {
        None
    }

    /// Seconds to write `bytes` bytes to the device, and to fetch them; `None` if there is no
    /// device, or if it has too little memory. For measurements.
    #[doc(hidden)]
    fn bus_seconds(&mut self, _bytes: u64) -> Option<[f64; 2]> {
        None
    }

    /// The operations so far, for experiments.
    #[doc(hidden)]
    fn operations(&self) -> OperationCounts {
        OperationCounts::default()
    }
}

/// The report of a device: what it did, and what it could not do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeviceReport {
    /// The most bytes of its memory that were taken at a time.
    pub memory_bytes: u64,
    /// The most bytes that may be taken now.
    pub memory_limit_bytes: u64,
    /// Bytes that were written to it.
    pub written_bytes: u64,
    /// Bytes that were fetched from it.
    pub fetched_bytes: u64,
    /// Number of fetches: each time the processor waited.
    pub fetches: u64,
    /// Times that the device was out of memory, and was asked again for half as much.
    pub halvings: u64,
    /// The time of each kernel, where the device has a clock.
    pub kernels: Option<Vec<(&'static str, Duration)>>,
    /// Failure of the device; `None` if it did not fail.
    pub failure: Option<String>,
    /// Kind of the failure: `lost`, `refused`, `out-of-memory` or `too-small`.
    pub failure_kind: Option<&'static str>,
    /// Blocks that the processor searched, because it had failed.
    pub fallback_blocks: u64,
}

/// Counts of the operations of a broad phase since it was made. Each algorithm counts what it is
/// usually judged by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OperationCounts {
    /// Hashing: labels added and removed, and cells looked up.
    pub cells: u64,
    /// Coherent hashing: how often a body entered a cell that another body was in. The published
    /// variant also counts how often a body left such a cell, since either event changes a close
    /// counter.
    pub cell_meetings: u64,
    /// Pairs of boxes that were tested.
    pub tests: u64,
    /// Sweep and prune: exchanges of neighbouring endpoints.
    pub swaps: u64,
    /// Sweep and prune: samples in which the endpoints were sorted from scratch.
    pub sorts: u64,
}
