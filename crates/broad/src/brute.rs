//! Brute force: compares each box with all others, sixteen at a time. It is the fastest search for
//! few bodies.

use super::box_set::BoxSet;
use super::cost;
use super::fixed_boxes::FixedBoxes;
use super::pair_search::{PairSearch, PairVisitor, SearchResult, search_chunks};
use clearsweep_base::simd::Level;

/// With fewer box comparisons than this, a search runs on one thread.
const PARALLEL_THRESHOLD: usize = 1 << 20;
/// The number of boxes per task.
const CHUNK: usize = 64;

/// Brute force.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct BruteForce;

impl PairSearch for BruteForce {
    fn name(&self) -> &'static str {
        "brute"
    }

    fn cost(&self, moving: usize, fixed: usize) -> f64 {
        cost::brute(moving, fixed)
    }

    fn within(&self, simd: Level, set: &BoxSet, visitor: &impl PairVisitor) -> SearchResult {
        let n = set.len();
        search_chunks(n * n / 2 > PARALLEL_THRESHOLD, n, CHUNK, |range, found| {
            for i in range {
                set.overlapping(simd, &set.get(i), i + 1, n, |j| visitor.visit(set.ids[i], set.ids[j], found));
                if found.stopped {
                    return;
                }
            }
        })
    }

    fn against_fixed(
        &self,
        simd: Level,
        moving: &BoxSet,
        fixed: &FixedBoxes,
        visitor: &impl PairVisitor,
    ) -> SearchResult {
        let set = &fixed.set;
        search_chunks(moving.len() * set.len() > PARALLEL_THRESHOLD, moving.len(), CHUNK, |range, found| {
            for i in range {
                let one = moving.get(i);
                set.overlapping(simd, &one, 0, set.len(), |k| visitor.visit(moving.ids[i], set.ids[k], found));
                if found.stopped {
                    return;
                }
            }
        })
    }
}
