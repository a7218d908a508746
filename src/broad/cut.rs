//! Into how many pieces a block is cut before it is searched.
//!
//! A search of a whole block is cheapest while bodies move slowly: one search serves 64 samples. Where they move fast,
//! swept boxes overlap far more pairs than ever come near, and testing those costs more than searching halves,
//! quarters, ... does. The rule below counts the work of past blocks; it changes how long a search takes and never
//! what it finds.

use crate::scene::FrameBlock;
use std::ops::Range;

/// Halvings from a block to single samples.
const DEEPEST: usize = 6;
/// Every so many blocks a neighbouring depth is tried again, since motion changes.
const RETRY: u64 = 16;
/// Nanoseconds of a test of 64 samples.
const TEST: f64 = 40.0;

/// The work spent on a block.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Work {
    /// Estimated cost of the searches themselves, nanoseconds.
    pub(super) search: f64,
    /// Pairs tested sample by sample.
    pub(super) tests: u64,
}

impl Work {
    fn tests_cost(&self) -> f64 {
        TEST * self.tests as f64
    }
}

/// Chooses the depth of cutting (0: the whole block at once) from the cost of the blocks before.
#[derive(Debug, Clone)]
pub(super) struct CutRule {
    /// Cost a sample at each depth when last tried, nanoseconds.
    cost: [Option<f64>; DEEPEST + 1],
    /// Whether tests outweighed searches at each depth when last tried.
    tests_dominate: [bool; DEEPEST + 1],
    blocks: u64,
}

impl Default for CutRule {
    fn default() -> Self {
        Self { cost: [None; DEEPEST + 1], tests_dominate: [true; DEEPEST + 1], blocks: 0 }
    }
}

impl CutRule {
    /// The depth for the next block.
    pub(super) fn depth(&self) -> usize {
        let known = (0..=DEEPEST).filter_map(|d| self.cost[d].map(|c| (c, d)));
        let Some((_, best)) = known.min_by(|a, b| a.0.total_cmp(&b.0)) else { return 0 };
        // Cutting deeper doubles the cost of searching and can save the cost of tests at most.
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

    /// Takes note of what a block of so many samples cost at `depth`.
    pub(super) fn record(&mut self, depth: usize, samples: usize, work: Work) {
        self.blocks += 1;
        self.cost[depth] = Some((work.search + work.tests_cost()) / samples.max(1) as f64);
        self.tests_dominate[depth] = work.tests_cost() > work.search;
    }
}

/// Where to cut a range of at least two samples: at the start of a run, where bodies jump, if there is one in it, else
/// in the middle; always so that both parts have samples.
pub(super) fn cut(block: &FrameBlock, range: Range<usize>) -> usize {
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
    fn ranges_are_cut_at_runs_and_never_into_nothing() {
        let mut block = FrameBlock::new(0, 0);
        block.starts_run = 1 | 1 << 10 | 1 << 60;
        assert_eq!(cut(&block, 0..64), 10);
        assert_eq!(cut(&block, 10..64), 60);
        assert_eq!(cut(&block, 11..60), 35);
        for start in 0..64 {
            for end in start + 2..=64 {
                let at = cut(&block, start..end);
                assert!(start < at && at < end);
            }
        }
    }

    /// Feeds the rule with a model of the cost at each depth; returns the depths that it chose.
    fn play(tests_at: impl Fn(usize) -> u64, blocks: usize) -> Vec<usize> {
        let mut rule = CutRule::default();
        let mut chosen = Vec::new();
        for _ in 0..blocks {
            let depth = rule.depth();
            chosen.push(depth);
            rule.record(depth, 64, Work { search: 1000.0 * (1 << depth) as f64, tests: tests_at(depth) });
        }
        chosen
    }

    #[test]
    fn the_cheapest_depth_is_found_and_kept() {
        assert!(play(|_| 5, 200).iter().all(|&d| d == 0), "slow motion: never cut");
        let fast = play(|d| 1_000_000 >> (2 * d), 200);
        assert_eq!(fast[199], 5, "{fast:?}");
        assert!(fast.iter().filter(|&&d| d == 5).count() > 150, "{fast:?}");
    }
}
