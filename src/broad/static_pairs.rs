//! The candidates of which both bodies are static.

use super::broad_scene::BroadScene;
use super::pair_search::{PairSearch, PairVisitor, SearchResult};
use crate::scene::{Candidate, FrameBlock, Scene};
use crate::simd::Level;

/// The overlapping pairs of static bodies, in batches and in no particular order: in sample 0 of block 0 if the query asks
/// for them or no body is dynamic, else none.
pub(super) fn static_pairs(
    search: &impl PairSearch,
    simd: Level,
    job: &BroadScene,
    scene: &Scene,
    block: &FrameBlock,
) -> Vec<Vec<Candidate>> {
    if block.index != 0 || block.samples.is_empty() || !(scene.query.static_pairs || scene.dynamic.is_empty()) {
        return Vec::new();
    }
    search.within(simd, &job.fixed.set, &StaticPairVisitor { job, scene }).into_batches()
}

/// Receives pairs of fixed boxes.
struct StaticPairVisitor<'a> {
    job: &'a BroadScene,
    scene: &'a Scene,
}

impl PairVisitor for StaticPairVisitor<'_> {
    #[inline]
    fn visit(&self, first: u32, second: u32, found: &mut SearchResult) {
        let bodies = &self.job.fixed.bodies;
        let (a, b) = (bodies[first as usize], bodies[second as usize]);
        let (a, b) = (a.min(b), a.max(b));
        if !self.scene.ignored.contains(a, b) {
            found.candidates.push(Candidate { a, b, samples: 1 });
        }
    }
}
