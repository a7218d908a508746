//! Numbers of possible and of ignored pairs of a scene, counted by class of body rather than pair by pair.

use crate::scene::{Motion, Scene};

/// Numbers of pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PairCount {
    /// Pairs of bodies that could be near.
    pub(super) possible: u64,
    /// The part of `possible` that the rules of the scene ignore.
    pub(super) ignored: u64,
}

/// Numbers of pairs by run. Static pairs have rows at the first sample of an execution only, so later runs have none.
#[derive(Debug, Clone, Copy)]
pub(super) struct PairCounts {
    /// The first run.
    pub(super) first: PairCount,
    /// Every other run.
    pub(super) later: PairCount,
}

impl PairCounts {
    /// Counts the pairs of a scene.
    pub(super) fn of(scene: &Scene) -> Self {
        let all = count(scene, |_| true);
        let fixed = count(scene, |motion| matches!(motion, Motion::Static(_)));
        debug_assert!(fixed.possible <= all.possible && fixed.ignored <= all.ignored);
        let later = PairCount { possible: all.possible - fixed.possible, ignored: all.ignored - fixed.ignored };
        let with_static = scene.query.static_pairs || scene.dynamic.is_empty();
        Self { first: if with_static { all } else { later }, later }
    }
}

/// Counts the pairs among the bodies whose motion satisfies `selected`.
fn count(scene: &Scene, selected: impl Fn(&Motion) -> bool) -> PairCount {
    let pairs = |n: u64| n * n.saturating_sub(1) / 2;
    let possible = pairs(scene.bodies.iter().filter(|body| selected(&body.motion)).count() as u64);
    let rules = &scene.ignored;
    let mut sizes = vec![0_u64; rules.classes];
    // The rules treat all bodies of a class alike, so any body represents its class.
    let mut representative = vec![0_u32; rules.classes];
    for (i, (body, &class)) in scene.bodies.iter().zip(&rules.class).enumerate() {
        if selected(&body.motion) {
            sizes[class as usize] += 1;
            representative[class as usize] = i as u32;
        }
    }
    let mut ignored = 0;
    for c in (0..rules.classes).filter(|&c| sizes[c] > 0) {
        for d in (c..rules.classes).filter(|&d| sizes[d] > 0) {
            if rules.contains(representative[c], representative[d]) {
                ignored += if c == d { pairs(sizes[c]) } else { sizes[c] * sizes[d] };
            }
        }
    }
    debug_assert!(ignored <= possible);
    PairCount { possible, ignored }
}
