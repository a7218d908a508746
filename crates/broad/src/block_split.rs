//! How a block is split into ranges of samples that are searched one by one.
//!
//! While bodies move slowly, one search of the whole block is cheapest, since it serves 64 samples.
//! When they move fast, their swept boxes overlap in many pairs that never come near. Testing those
//! pairs costs more than searching halves, quarters and so on of the block. The rule below measures
//! the work of past blocks. It affects the running time only, never the result.

use clearsweep_model::FrameBlock;
use std::ops::Range;

/// The number of halvings from a block to single samples.
const DEEPEST: usize = 6;
/// The period, in blocks, after which a neighbouring depth is tried again, since motion changes.
const RETRY: u64 = 16;
/// The cost of testing a pair in 64 samples, nanoseconds.
const TEST: f64 = 40.0;

/// The work spent on a block.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct BlockWork {
    /// Estimated cost of the searches themselves, nanoseconds.
    pub(super) search: f64,
    /// The number of pairs tested sample by sample.
    pub(super) tests: u64,
}

impl BlockWork {
    fn tests_cost(&self) -> f64 {
        TEST * self.tests as f64
    }
}

/// Chooses the depth of splitting (0: the whole block at once) from the cost of earlier blocks.
#[derive(Debug, Clone)]
pub(super) struct SplitDepthRule {
    /// The cost per sample at each depth when it was last tried, nanoseconds.
    cost: [Option<f64>; DEEPEST + 1],
    /// Whether tests cost more than searches at each depth when it was last tried.
    tests_dominate: [bool; DEEPEST + 1],
    blocks: u64,
}

impl Default for SplitDepthRule {
    fn default() -> Self {
        Self { cost: [None; DEEPEST + 1], tests_dominate: [true; DEEPEST + 1], blocks: 0 }
    }
}

impl SplitDepthRule {
    /// The depth for the next block.
    pub(super) fn depth(&self) -> usize {
        let known = (0..=DEEPEST).filter_map(|d| self.cost[d].map(|c| (c, d)));
        let Some((_, best)) = known.min_by(|a, b| a.0.total_cmp(&b.0)) else { return 0 };
        // Splitting deeper doubles the cost of searching, and saves no more than the cost of the
        // tests.
        let deeper = (best < DEEPEST && self.tests_dominate[best]).then_some(best + 1);
        if let Some(deeper) = deeper.filter(|&d| self.cost[d].is_none()) {
            return deeper;
        }
        match self.blocks % (2 * RETRY) {
            0 => best.saturating_sub(1),
            RETRY => deeper.unwrap_or(best),
            _ => best,
        }
    }

    /// Records the work that a block of `samples` samples took at `depth`.
    pub(super) fn record(&mut self, depth: usize, samples: usize, work: BlockWork) {
        self.blocks += 1;
        self.cost[depth] = Some((work.search + work.tests_cost()) / samples.max(1) as f64);
        self.tests_dominate[depth] = work.tests_cost() > work.search;
    }
}

/// Returns the sample at which to split a range of at least two: the start of a run inside it,
/// where bodies jump, else the middle. Neither part is empty.
pub(super) fn split_point(block: &FrameBlock, range: Range<usize>) -> usize {
    debug_assert!(range.len() >= 2, "{range:?} cannot be split");
    let middle = range.start + range.len() / 2;
    (range.start + 1..range.end)
        .filter(|&s| block.starts_run >> s & 1 == 1)
        .min_by_key(|&s| s.abs_diff(middle))
        .unwrap_or(middle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_split_at_runs_and_no_part_is_empty() {
        let mut block = FrameBlock::new(0, 0);
        block.starts_run = 1 | 1 << 10 | 1 << 60;
        assert_eq!(split_point(&block, 0..64), 10);
        assert_eq!(split_point(&block, 10..64), 60);
        assert_eq!(split_point(&block, 11..60), 35);
        for start in 0..64 {
            for end in start + 2..=64 {
                let at = split_point(&block, start..end);
                assert!(start < at && at < end);
            }
        }
    }

    /// Runs the rule on a model of the cost at each depth and returns the depths that it chose.
    fn depths_chosen(tests_at: impl Fn(usize) -> u64, blocks: usize) -> Vec<usize> {
        let mut rule = SplitDepthRule::default();
        let mut chosen = Vec::new();
        for _ in 0..blocks {
            let depth = rule.depth();
            chosen.push(depth);
            rule.record(depth, 64, BlockWork { search: 1000.0 * (1 << depth) as f64, tests: tests_at(depth) });
        }
        chosen
    }

    #[test]
    fn the_cheapest_depth_is_found_and_kept() {
        assert!(depths_chosen(|_| 5, 200).iter().all(|&d| d == 0), "slow motion: the block is never split");
        let fast = depths_chosen(|d| 1_000_000 >> (2 * d), 200);
        assert_eq!(fast[199], 5, "{fast:?}");
        assert!(fast.iter().filter(|&&d| d == 5).count() > 150, "{fast:?}");
    }
}
