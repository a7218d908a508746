//! The broad phase: which pairs of bodies come near each other, and in which samples of a block.
//!
//! A candidate is a pair whose lattice boxes overlap in some sample. This defines the candidate set
//! by its value, not by an algorithm: every method returns the same set, sorted by (a, b).
//!
//! Most methods search a block in two steps. A pair search (`brute`, `hash`, `tree`, `grid`) finds
//! the pairs whose boxes *swept over* a range of samples overlap. Each of these pairs is then
//! tested in all samples at once with SIMD, which gives its mask, unless its swept bounds prove
//! that it overlaps throughout. Swept boxes contain every box of the range, so no candidate is
//! lost. `block_split` decides into how many ranges a block is split.
//!
//! Incremental methods (`coherent-hash`, `sweep`) advance sample by sample and keep their
//! structures from one sample to the next: see `incremental`.
//!
//! `interval_boxes` makes the boxes of intervals from the boxes of samples and from the motion
//! assumed between samples. A pair search over these boxes finds the candidates of intervals,
//! whichever method is asked. The incremental methods and the device keep their structures for the
//! samples alone.
//!
//! On a device (`gpu`) compute kernels search a batch of blocks: `kernel` says which and in which
//! order, `gpu` executes them through wgpu, and `cpu_reference` has each of them as plain loops
//! over the same buffers, to be compared with.
//!
//! *Architecture invariant*: integers decide. `box_builder` makes the integer boxes, nothing else
//! does, and methods compare only those.

mod auto;
mod block_boxes;
mod block_split;
mod blockwise;
mod box16;
mod box_builder;
mod box_kernel;
mod box_set;
pub mod boxes;
mod broad_phase;
mod broad_scene;
mod brute;
mod cost;
#[cfg(feature = "gpu")]
mod cpu_reference;
mod fixed_boxes;
#[cfg(feature = "gpu")]
pub mod gpu;
mod grid;
mod hash;
mod incremental;
#[doc(hidden)]
pub mod internals;
mod interval_boxes;
#[cfg(feature = "gpu")]
mod kernel;
pub mod lattice;
mod merge;
mod overlap;
mod pair_buffer;
mod pair_search;
mod parallel;
mod range_join;
mod static_pairs;
mod sweep;
mod tree;

pub use broad_phase::{BroadPhase, DeviceReport};
pub use broad_scene::BroadScene;

use auto::AutoSearch;
use blockwise::Blockwise;
use brute::BruteForce;
use clearsweep_model::CellSizes;
use grid::GridSearch;
use hash::{CoherentHash, SpatialHash};
use sweep::SweepAndPrune;
use tree::TreeSearch;

/// Why a name gives no broad phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unavailable {
    /// No broad phase has this name.
    Unknown,
    /// It searches on a device, which has to be opened.
    NeedsDevice,
}

/// The names of the broad phases of this version; the first is the default.
pub const NAMES: [&str; 7] = ["auto", "brute", "hash", "tree", "grid", "coherent-hash", "sweep"];
/// The name of the broad phase that searches on a device.
pub const ON_DEVICE: &str = "gpu";

/// The broad phase of a name (see [`NAMES`]).
///
/// # Errors [`Unavailable`] if the name is unknown, or names a broad phase on a device.
pub fn by_name(name: &str) -> Result<Box<dyn BroadPhase>, Unavailable> {
    by_name_with(name, None)
}

/// The broad phase of a name. `cells`: sizes of cells for `hash` and `coherent-hash`; `None`:
/// their own.
///
/// # Errors
/// [`Unavailable`] if the name is unknown, or names a broad phase on a device.
pub fn by_name_with(name: &str, cells: Option<CellSizes>) -> Result<Box<dyn BroadPhase>, Unavailable> {
    let hash = cells.map_or(SpatialHash::DEFAULT, |cells| SpatialHash { cells });
    match name {
        "auto" => Ok(Box::new(Blockwise::new(AutoSearch))),
        "brute" => Ok(Box::new(Blockwise::new(BruteForce))),
        "hash" => Ok(Box::new(Blockwise::new(hash))),
        "tree" => Ok(Box::new(Blockwise::new(TreeSearch))),
        "grid" => Ok(Box::new(Blockwise::new(GridSearch))),
        "coherent-hash" => Ok(Box::new(CoherentHash::new(cells))),
        "sweep" => Ok(Box::new(SweepAndPrune::new())),
        ON_DEVICE => Err(Unavailable::NeedsDevice),
        _ => Err(Unavailable::Unknown),
    }
}
