//! How many pairs a scene has, and how many of them its rules ignore: counted by class, not pair by pair.

use crate::scene::{Motion, Scene};

/// Numbers of pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Count {
    /// Pairs of bodies that could be near.
    pub(super) all: u64,
    /// Of those, ignored by rules.
    pub(super) ignored: u64,
}

/// Numbers of pairs in the first run, and in later runs, which have no static pairs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Possible {
    /// The first run.
    pub(super) first: Count,
    /// Every other run.
    pub(super) later: Count,
}

impl Possible {
    /// Of a scene.
    pub(super) fn of(scene: &Scene) -> Self {
        let (all, fixed) = (count(scene, |_| true), count(scene, |m| matches!(m, Motion::Static(_))));
        let later = Count { all: all.all - fixed.all, ignored: all.ignored - fixed.ignored };
        let with_static = scene.query.static_pairs || scene.dynamic.is_empty();
        Self { first: if with_static { all } else { later }, later }
    }
}

/// The pairs among the bodies whose motion is `chosen`.
fn count(scene: &Scene, chosen: impl Fn(&Motion) -> bool) -> Count {
    let pairs = |n: u64| n * n.saturating_sub(1) / 2;
    let all = pairs(scene.bodies.iter().filter(|b| chosen(&b.motion)).count() as u64);
    let rules = &scene.ignored;
    let mut sizes = vec![0_u64; rules.classes];
    // Any body of a class stands for all of them.
    let mut example = vec![0_u32; rules.classes];
    for (i, (body, &class)) in scene.bodies.iter().zip(&rules.class).enumerate() {
        if chosen(&body.motion) {
            sizes[class as usize] += 1;
            example[class as usize] = i as u32;
        }
    }
    let mut ignored = 0;
    for c in (0..rules.classes).filter(|&c| sizes[c] > 0) {
        for d in (c..rules.classes).filter(|&d| sizes[d] > 0) {
            if rules.contains(example[c], example[d]) {
                ignored += if c == d { pairs(sizes[c]) } else { sizes[c] * sizes[d] };
            }
        }
    }
    Count { all, ignored }
}
