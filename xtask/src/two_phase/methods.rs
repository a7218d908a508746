//! The methods that are measured.

use clearsweep_broad::internals::{OperationCounts, PerSampleHash, sweep_with_limit};
use clearsweep_broad::{BroadPhase, BroadScene};
use clearsweep_scene::{CellSizes, FrameBlock, Scene};
use std::hint::black_box;
use std::time::Instant;

/// The names of the methods. `standard` and `coherent` are the schemes as published, with a search
/// per frame; the others are those of the command line, which search blocks of 64 frames.
pub(crate) const METHODS: [&str; 6] = ["standard", "coherent", "hash", "coherent-hash", "sweep", "brute"];

enum Method {
    PerSampleHash(Box<PerSampleHash>),
    Blocks(Box<dyn BroadPhase>),
}

/// A method, and the number of pairs that it has found.
pub(crate) struct Meter {
    method: Method,
    pairs: u64,
}

impl Meter {
    /// The method of a name. With `count` it counts all operations, which may take extra time.
    pub(crate) fn new(name: &str, count: bool) -> Self {
        Self::with_cells(name, None, count)
    }

    /// [`Self::new`] with cells of these sizes; `None`: those of the method.
    pub(crate) fn with_cells(name: &str, cells: Option<CellSizes>, count: bool) -> Self {
        let method = match name {
            "standard" => Method::PerSampleHash(Box::new(PerSampleHash::standard(cells, count))),
            "coherent" => Method::PerSampleHash(Box::new(PerSampleHash::coherent(cells))),
            "sweep-insertion-only" => Method::Blocks(sweep_with_limit(1e9)),
            _ => Method::Blocks(clearsweep_broad::by_name_with(name, cells).expect("a method of this version")),
        };
        Self { method, pairs: 0 }
    }

    /// Searches a block; returns the time in seconds.
    pub(crate) fn time(&mut self, job: &BroadScene, scene: &Scene, block: &FrameBlock) -> f64 {
        let start = Instant::now();
        let found = black_box(match &mut self.method {
            Method::PerSampleHash(method) => method.search(job, scene, block),
            Method::Blocks(method) => method.candidates(job, scene, block),
        });
        let seconds = start.elapsed().as_secs_f64();
        self.pairs += found.iter().map(|c| u64::from(c.samples.count_ones())).sum::<u64>();
        seconds
    }

    /// The number of overlapping pairs so far, counted in each frame.
    pub(crate) fn pair_samples(&self) -> u64 {
        self.pairs
    }

    pub(crate) fn operations(&self) -> OperationCounts {
        match &self.method {
            Method::PerSampleHash(method) => method.operations(),
            Method::Blocks(method) => method.operations(),
        }
    }
}

/// The time in seconds to make the bounding boxes of a block, which every method needs.
pub(crate) fn time_of_boxes(job: &BroadScene, block: &FrameBlock) -> f64 {
    let start = Instant::now();
    for slot in 0..block.present.len() {
        black_box(job.boxes(block, slot));
    }
    start.elapsed().as_secs_f64()
}
