//! Numbers of possible and of ignored pairs per run.

use crate::scene::{Motion, PairCounts, Scene};

/// Numbers of pairs by run. Static pairs have rows at the first sample of an execution only, so later runs have none.
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
        Self { first: count(scene, static_pairs), later: count(scene, false) }
    }
}

/// The pairs of a scene, with or without the pairs of two static bodies.
fn count(scene: &Scene, static_pairs: bool) -> PairCounts {
    let pairs = |n: usize| (n as u64) * (n as u64).saturating_sub(1) / 2;
    let fixed = scene.bodies.iter().filter(|body| matches!(body.motion, Motion::Static(_))).count();
    let possible = pairs(scene.bodies.len()) - if static_pairs { 0 } else { pairs(fixed) };
    let ignored = scene.ignored.count_ignored(&scene.bodies, static_pairs);
    debug_assert!(ignored <= possible);
    PairCounts { possible, ignored }
}
