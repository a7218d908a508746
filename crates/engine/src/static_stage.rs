//! Pairs of static bodies: there may be many times more of them than bodies, so that even their
//! list is made in ranges.
//!
//! They belong to the first sample of a job. Its rows are sorted by (a, b), so a range holds the
//! pairs of which the first body is one of consecutive ones, and with them the candidates of that
//! sample that have a dynamic body.

use super::block_candidates::BlockCandidates;
use super::slices::{Slice, Slices};
use clearsweep_model::{Candidate, FrameBlock};
use std::ops::Range;
use std::sync::Arc;

/// Rows of a slice for each body of the first range, as the number of its pairs is not known.
const CAREFUL: usize = 8;

/// How much longer than the range before a range may be.
const GROWTH: usize = 4;

/// The first sample of a job, in ranges of first bodies.
pub(super) struct StaticStage {
    pub(super) block: Arc<FrameBlock>,
    /// Most rows of a slice, and about as many pairs of a range.
    limit: usize,
    /// Bodies of the scene.
    end: usize,
    /// First bodies of the next range.
    next: Range<usize>,
    /// Pairs of the sample that have a dynamic body, and how many of them belong to earlier ranges.
    moving: BlockCandidates,
    passed: usize,
    /// Slices left of the range before.
    slices: Option<Slices>,
}

impl StaticStage {
    /// Returns the stage for `bodies` bodies, in slices of at most `limit` rows.
    pub(super) fn new(block: &Arc<FrameBlock>, bodies: usize, limit: usize) -> Self {
        let next = 0..(limit / CAREFUL).max(1).min(bodies);
        Self {
            block: Arc::clone(block),
            limit,
            end: bodies,
            next,
            moving: BlockCandidates::default(),
            passed: 0,
            slices: None,
        }
    }

    /// Whether all ranges were searched.
    pub(super) fn is_searched(&self) -> bool {
        self.next.is_empty()
    }

    /// Whether there is no further slice.
    pub(super) fn is_done(&self) -> bool {
        self.is_searched() && self.slices.as_ref().is_none_or(Slices::is_done)
    }

    /// The pairs of the next range, as `search` finds them.
    pub(super) fn search(&mut self, search: impl FnOnce(Range<usize>) -> Vec<Candidate>) -> Vec<Candidate> {
        let range = self.next.clone();
        let found = search(range.clone());
        let fitting = range.len() * self.limit / found.len().max(1);
        let length = fitting.clamp(1, GROWTH * range.len().max(1));
        self.next = range.end..range.end.saturating_add(length).min(self.end);
        found
    }

    /// Takes the pairs of the first range, and the first sample out of what was found of the block.
    pub(super) fn begin(&mut self, fixed: Vec<Candidate>, found: &mut BlockCandidates) {
        self.moving = found.take(1);
        self.add(fixed);
    }

    /// Takes the pairs of the range that was searched last.
    fn add(&mut self, fixed: Vec<Candidate>) {
        // After the last range, `next.start` is the number of bodies.
        let count = self.moving.candidates.partition_point(|c| (c.a as usize) < self.next.start);
        let mut pairs = BlockCandidates::from(fixed);
        pairs.add(&self.moving, self.passed..count);
        self.passed = count;
        self.slices = Some(Slices::new(pairs, self.limit));
    }

    /// The next slice; `search` finds the pairs of a range.
    pub(super) fn slice(&mut self, search: impl FnOnce(Range<usize>) -> Vec<Candidate>) -> Option<Slice> {
        if self.slices.as_ref().is_none_or(Slices::is_done) {
            if self.is_searched() {
                return None;
            }
            let fixed = self.search(search);
            self.add(fixed);
        }
        let slice = self.slices.as_mut().and_then(Slices::next);
        slice.map(|slice| Slice { ends_block: self.block.samples.len() == 1, ..slice })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearsweep_model::Sample;

    /// All slices of a stage, and what is left of the block.
    fn run(fixed: &[Candidate], moving: &[Candidate], bodies: usize, limit: usize) -> (Vec<Slice>, Vec<Candidate>) {
        let mut block = FrameBlock::new(0, 3);
        block.samples = (0..2).map(|frame| Sample { run: 0, frame, time_s: None }).collect();
        let of = |range: Range<usize>| -> Vec<Candidate> {
            fixed.iter().filter(|c| range.contains(&(c.a as usize))).copied().collect()
        };
        let mut stage = StaticStage::new(&Arc::new(block), bodies, limit);
        let (mut slices, mut rest) = (Vec::new(), BlockCandidates::from(moving.to_vec()));
        let first = stage.search(of);
        stage.begin(first, &mut rest);
        while !stage.is_done() {
            slices.push(stage.slice(of).expect("a slice until it is done"));
        }
        assert_eq!(stage.slice(of), None);
        (slices, rest.candidates)
    }

    #[test]
    fn slices_hold_the_first_sample_in_order() {
        let pair = |a: u32, b: u32, samples: u64| Candidate { a, b, samples };
        // Body 7 touches everything; every ninth body moves.
        let is_static = |body: u32| !body.is_multiple_of(9);
        let near = |a: u32, b: u32| b - a < 4 || a == 7;
        let pairs = |fixed: bool| -> Vec<Candidate> {
            let all = (0..300).flat_map(|a| (a + 1..300).map(move |b| (a, b))).filter(|&(a, b)| near(a, b));
            let of = all.filter(|&(a, b)| (is_static(a) && is_static(b)) == fixed);
            of.map(|(a, b)| pair(a, b, if fixed { 1 } else { u64::from(1 + (a + b) % 3) })).collect()
        };
        let (fixed, moving) = (pairs(true), pairs(false));
        let firsts = moving.iter().filter(|c| c.samples & 1 == 1);
        let mut expected: Vec<Candidate> = fixed.iter().chain(firsts).map(|c| pair(c.a, c.b, 1)).collect();
        expected.sort_unstable();
        let later: Vec<Candidate> = moving.iter().filter(|c| c.samples & 2 == 2).map(|c| pair(c.a, c.b, 2)).collect();
        for limit in [1, 8, 50, 200, 10_000] {
            let (slices, rest) = run(&fixed, &moving, 300, limit);
            let all: Vec<Candidate> = slices.iter().flat_map(|slice| slice.pairs.candidates.clone()).collect();
            assert!(all == expected && rest == later, "limit {limit}");
            assert!(slices.iter().all(|slice| slice.pairs.rows() <= limit && !slice.ends_block), "limit {limit}");
            assert!(slices.len() <= 2 + 3 * expected.len() / limit, "{} slices of {limit}", slices.len());
        }
    }

    #[test]
    fn no_pair_is_one_empty_slice() {
        let (slices, rest) = run(&[], &[], 5, 100);
        assert_eq!((slices.len(), slices[0].pairs.rows(), rest.len()), (1, 0, 0));
    }
}
