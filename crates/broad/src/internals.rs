//! For benchmarks and experiments: searches over given boxes, counts of operations, and variants
//! that no user needs.

use super::auto::AutoSearch;
use super::block_boxes::BlockBoxes;
use super::box_set::BoxSet;
use super::boxes::LatticeBox;
use super::broad_phase::BroadPhase;
use super::broad_scene::BroadScene;
use super::brute::BruteForce;
use super::fixed_boxes::FixedBoxes;
use super::grid::GridSearch;
use super::hash::SpatialHash;
use super::merge::join_batches;
use super::pair_search::{PairSearch, PairVisitor, SearchResult};
use super::sweep::SweepAndPrune;
use super::tree::TreeSearch;
use clearsweep_base::simd::level;
use clearsweep_model::{Candidate, FrameBlock};

pub use super::broad_phase::OperationCounts;
#[cfg(feature = "gpu")]
pub use super::gpu::{AdapterDescription, NoDevice, adapters, open, open_with};
pub use super::hash::PerSampleHash;
#[cfg(feature = "gpu")]
pub use super::kernel::{DeviceFaults, DeviceLimits};

/// The broad phase `gpu`, by the CPU reference of its kernels, with faults.
#[cfg(feature = "gpu")]
pub fn cpu_reference(limits: DeviceLimits, faults: &DeviceFaults) -> Box<dyn BroadPhase> {
    let machine = super::cpu_reference::CpuReferenceMachine::with_faults(faults);
    Box::new(super::kernel::DeviceBroadPhase::new(machine, limits))
}

/// Makes the boxes of blocks, which the processor does whatever searches.
#[derive(Debug)]
pub struct BoxMaker(BlockBoxes);

impl Default for BoxMaker {
    fn default() -> Self {
        Self(BlockBoxes::new())
    }
}

impl BoxMaker {
    /// Makes the boxes of all bodies of a block.
    pub fn make(&mut self, job: &BroadScene, block: &FrameBlock) {
        self.0.make(job, block, &mut Vec::<()>::new(), |_, _| ());
    }
}

/// The broad phase `sweep` with another limit: it sorts from scratch once insertion sort has made
/// `most_swaps` exchanges per item and binary digit of the number of items.
pub fn sweep_with_limit(most_swaps: f64) -> Box<dyn BroadPhase> {
    Box::new(SweepAndPrune::with_limit(most_swaps))
}

/// Boxes in the layout of the searches. The identifier of a box is its index in its list.
#[derive(Debug)]
pub struct SearchInput {
    moving: BoxSet,
    fixed: FixedBoxes,
}

impl SearchInput {
    /// Copies the boxes into the layout of the searches.
    pub fn new(moving: impl Iterator<Item = LatticeBox>, fixed: impl Iterator<Item = LatticeBox>) -> Self {
        let fixed = FixedBoxes::of_boxes(BoxSet::new((0..).zip(fixed)));
        Self { moving: BoxSet::new((0..).zip(moving)), fixed }
    }

    /// The overlapping pairs within the moving boxes and of a moving and a fixed box, in sample 0
    /// and in no particular order, by a search that keeps nothing of the moving boxes. `None` if
    /// `method` names no pair search. Runs on rayon's current pool where that pays.
    pub fn pairs(&self, method: &str) -> Option<Vec<Candidate>> {
        match method {
            "auto" => Some(self.search_with(&AutoSearch)),
            "brute" => Some(self.search_with(&BruteForce)),
            "hash" => Some(self.search_with(&SpatialHash::DEFAULT)),
            "tree" => Some(self.search_with(&TreeSearch)),
            "grid" => Some(self.search_with(&GridSearch)),
            _ => None,
        }
    }

    /// The name of the search that `auto` chooses for these boxes.
    pub fn chosen(&self) -> &'static str {
        AutoSearch::chosen(&self.moving, &self.fixed)
    }

    fn search_with(&self, search: &impl PairSearch) -> Vec<Candidate> {
        join_batches(search.both(level(), &self.moving, &self.fixed, &PairCollector, &PairCollector).into_batches())
    }
}

/// Keeps every pair.
struct PairCollector;

impl PairVisitor for PairCollector {
    #[inline(always)]
    fn visit(&self, first: u32, second: u32, found: &mut SearchResult) {
        found.candidates.push(Candidate { a: first.min(second), b: first.max(second), samples: 1 });
    }
}
