//! BROAD: the pairs whose lattice boxes overlap, and in which samples of a block.
//!
//! The candidate set is defined by its value (equal lattice-box overlaps), not by an algorithm: every method returns
//! it equal, sorted by (a, b).

use crate::scene::{Candidate, FrameBlock, Scene};
use crate::trajectory::Bounds;

/// What every method shares for a job: the lattice, and the static bodies boxed once.
pub struct BroadScene {}

impl BroadScene {
    /// Chooses the lattice and boxes the static bodies. `within`: metres.
    pub fn new(scene: &Scene, bounds: Option<Bounds>, within: f64) -> Self {
        let _ = (scene, bounds, within);
        todo!("broad")
    }
}

/// A broad phase. All methods return equal candidates.
pub trait BroadPhase: Send {
    /// Its name on the command line.
    fn name(&self) -> &'static str;
    /// The candidates of a block, sorted by (a, b). Static pairs (if the query asks for them) carry only the sample
    /// bit 0 of block 0. Uses rayon's current pool where `threads > 1`.
    fn candidates(&mut self, job: &BroadScene, scene: &Scene, block: &FrameBlock) -> Vec<Candidate>;
}
