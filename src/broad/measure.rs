//! For experiments: what methods count, and variants that no user needs.

pub use super::hash::EachSample;
pub use super::incremental::Operations;

/// Sweep and prune that sorts afresh after `most_swaps` exchanges for each item and binary digit of their number.
pub fn sweep_with_limit(most_swaps: f64) -> Box<dyn super::BroadPhase> {
    Box::new(super::sweep::SweepAndPrune::with_limit(most_swaps))
}
