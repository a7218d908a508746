//! Candidates of two static bodies: found together with the candidates of the first block, or range
//! by range, since they may outnumber the bodies by far.

use super::box_set::BoxSet;
use super::broad_scene::{BroadScene, StaticPairs};
use super::merge::sort_and_merge;
use super::pair_search::{PairSearch, PairVisitor, SearchResult};
use clearsweep_base::simd::Level;
use clearsweep_model::{Candidate, FrameBlock, Scene};
use std::ops::Range;

/// The overlapping pairs of static bodies, in batches and in no particular order: in sample 0 of
/// block 0 if the query asks for them or no body is dynamic, else none.
pub(super) fn static_pairs(
    search: &impl PairSearch,
    simd: Level,
    job: &BroadScene,
    scene: &Scene,
    block: &FrameBlock,
) -> Vec<Vec<Candidate>> {
    if block.index != 0 || block.samples.is_empty() || job.static_pairs != StaticPairs::InFirstBlock {
        return Vec::new();
    }
    search.within(simd, &job.fixed.set, &StaticPairVisitor { job, scene }).into_batches()
}

/// Returns the overlapping pairs of static bodies whose first body is one of `bodies`, sorted by
/// (a, b), in sample 0; none if the query does not ask for them and a body is dynamic.
pub(super) fn static_pairs_of(
    search: &impl PairSearch,
    simd: Level,
    job: &BroadScene,
    scene: &Scene,
    bodies: Range<usize>,
) -> Vec<Candidate> {
    let fixed = &job.fixed;
    let from = fixed.bodies.partition_point(|&body| (body as usize) < bodies.start);
    let to = fixed.bodies.partition_point(|&body| (body as usize) < bodies.end);
    if job.static_pairs == StaticPairs::None || from >= to {
        return Vec::new();
    }
    let visitor = StaticPairVisitor { job, scene };
    let found = if to - from == fixed.set.len() {
        search.within(simd, &fixed.set, &visitor)
    } else {
        let part = BoxSet::new((from..to).map(|at| (at as u32, fixed.set.get(at))));
        search.against_fixed(simd, &part, fixed, &FirstOfPairVisitor(visitor))
    };
    sort_and_merge(found.into_batches(), scene.bodies.len())
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

/// Receives a box of a range and a fixed box, in either order of their bodies: a pair is that of
/// its first body.
struct FirstOfPairVisitor<'a>(StaticPairVisitor<'a>);

impl PairVisitor for FirstOfPairVisitor<'_> {
    #[inline]
    fn visit(&self, first: u32, second: u32, found: &mut SearchResult) {
        // Boxes are in the order of the bodies.
        if first < second {
            self.0.visit(first, second, found);
        }
    }
}
