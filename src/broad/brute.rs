//! All pairs: one box against sixteen at a time. The oracle of the other methods, and the fastest for few bodies.

use super::FixedBoxes;
use super::set::{BoxSet, Found, PairSearch, Visit, over_chunks};
use super::simd::Simd;

/// Below so many box comparisons a search stays on its thread.
const WORTH_THREADS: usize = 1 << 20;
/// Boxes a task takes on.
const CHUNK: usize = 64;

/// Brute force.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Brute;

impl PairSearch for Brute {
    fn name(&self) -> &'static str {
        "brute"
    }

    fn cost(&self, moving: usize, fixed: usize) -> f64 {
        super::cost::brute(moving, fixed)
    }

    fn within(&self, simd: Simd, set: &BoxSet, visit: &impl Visit) -> Found {
        let n = set.len();
        over_chunks(n * n / 2 > WORTH_THREADS, n, CHUNK, |range, found| {
            for i in range {
                set.overlapping(simd, &set.get(i), i + 1, n, |j| visit.pair(set.ids[i], set.ids[j], found));
                if found.stopped {
                    return;
                }
            }
        })
    }

    fn against_fixed(&self, simd: Simd, moving: &BoxSet, fixed: &FixedBoxes, visit: &impl Visit) -> Found {
        let set = &fixed.set;
        over_chunks(moving.len() * set.len() > WORTH_THREADS, moving.len(), CHUNK, |range, found| {
            for i in range {
                let one = moving.get(i);
                set.overlapping(simd, &one, 0, set.len(), |k| visit.pair(moving.ids[i], set.ids[k], found));
                if found.stopped {
                    return;
                }
            }
        })
    }
}
