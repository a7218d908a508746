//! Numbers of possible and of ignored pairs per run.

use clearsweep_model::{PairCounts, Scene};

/// Numbers of pairs by run. Static pairs have rows at the first sample of an execution only, so
/// later runs have none.
#[derive(Debug, Clone, Copy)]
pub(super) struct PairCountsByRun {
    /// The first run.
    pub(super) first: PairCounts,
    /// Every other run.
    pub(super) later: PairCounts,
}

impl PairCountsByRun {
    /// Counts the pairs of a scene. Without dynamic bodies, static pairs are always queried.
    pub(super) fn of(scene: &Scene) -> Self {
        let static_pairs = scene.query.static_pairs || scene.dynamic.is_empty();
        Self { first: scene.pair_counts_with(static_pairs), later: scene.pair_counts_with(false) }
    }
}
