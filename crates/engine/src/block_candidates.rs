//! Questions about pairs: in which samples, and in which intervals after them.

use clearsweep_model::{Candidate, SAMPLES};
use std::ops::Range;

/// Pairs of a block, sorted by (a, b), with the samples and the intervals in which they are asked
/// about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct BlockCandidates {
    /// The pairs with their samples. A pair that comes near between samples alone has none.
    pub(super) candidates: Vec<Candidate>,
    /// The intervals of each pair: bit `s` stands for the one after sample `s`. Empty where no pair
    /// has one.
    pub(super) intervals: Vec<u64>,
}

impl BlockCandidates {
    /// Merges the candidates of samples with those of intervals, both sorted by (a, b).
    pub(super) fn new(samples: Vec<Candidate>, intervals: &[Candidate]) -> Self {
        let mut pairs = Self { candidates: samples, intervals: Vec::new() };
        if intervals.is_empty() {
            return pairs;
        }
        let mut joined = Self::default();
        let mut rest = intervals.iter().copied().peekable();
        for own in pairs.candidates.drain(..) {
            let key = (own.a, own.b);
            while let Some(before) = rest.next_if(|next| (next.a, next.b) < key) {
                joined.push((Candidate { samples: 0, ..before }, before.samples));
            }
            let same = rest.next_if(|next| (next.a, next.b) == key);
            joined.push((own, same.map_or(0, |same| same.samples)));
        }
        rest.for_each(|after| joined.push((Candidate { samples: 0, ..after }, after.samples)));
        joined
    }

    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.candidates.is_empty()
    }

    /// How many rows they might have, those of intervals included.
    pub(super) fn rows(&self) -> usize {
        let intervals: usize = self.intervals.iter().map(|mask| mask.count_ones() as usize).sum();
        intervals + self.candidates.iter().map(|c| c.samples.count_ones() as usize).sum::<usize>()
    }

    /// How many rows each sample might have; an interval belongs to the sample before it.
    pub(super) fn rows_per_sample(&self) -> [usize; SAMPLES] {
        let mut rows = [0; SAMPLES];
        let samples = self.candidates.iter().map(|c| c.samples);
        for mut rest in samples.chain(self.intervals.iter().copied()) {
            while rest != 0 {
                rows[rest.trailing_zeros() as usize] += 1;
                rest &= rest - 1;
            }
        }
        rows
    }

    /// The pairs from `from` on with what they are asked in the samples of `mask`, as long as they
    /// have no more than `limit` rows, but at least one pair; and the first one that is left.
    pub(super) fn part(&self, mask: u64, from: usize, limit: usize) -> (Self, Option<usize>) {
        let (mut part, mut rows) = (Self::default(), 0);
        for at in from..self.candidates.len() {
            let (candidate, intervals) = self.masked(at, mask);
            let more = (candidate.samples.count_ones() + intervals.count_ones()) as usize;
            if more == 0 {
                continue;
            }
            if rows + more > limit && rows > 0 {
                return (part, Some(at));
            }
            rows += more;
            part.push((candidate, intervals));
        }
        (part, None)
    }

    /// Takes out what is asked in the samples of `mask`.
    pub(super) fn take(&mut self, mask: u64) -> Self {
        let (taken, _) = self.part(mask, 0, usize::MAX);
        (*self, _) = self.part(!mask, 0, usize::MAX);
        taken
    }

    /// Adds some of the pairs of another list, none of which is in this one.
    pub(super) fn add(&mut self, other: &Self, range: Range<usize>) {
        if range.is_empty() {
            return;
        }
        if self.intervals.is_empty() && other.intervals.is_empty() {
            self.candidates.extend_from_slice(&other.candidates[range]);
            self.candidates.sort_unstable();
            return;
        }
        let own = (0..self.candidates.len()).map(|at| self.masked(at, u64::MAX));
        let mut all: Vec<_> = own.chain(range.map(|at| other.masked(at, u64::MAX))).collect();
        all.sort_unstable();
        *self = Self::default();
        all.into_iter().for_each(|pair| self.push(pair));
    }

    /// A pair with what it is asked in the samples of `mask`.
    fn masked(&self, at: usize, mask: u64) -> (Candidate, u64) {
        let Candidate { a, b, samples } = self.candidates[at];
        let intervals = self.intervals.get(at).map_or(0, |intervals| intervals & mask);
        (Candidate { a, b, samples: samples & mask }, intervals)
    }

    /// Adds a pair after all others.
    fn push(&mut self, (candidate, intervals): (Candidate, u64)) {
        if intervals != 0 && self.intervals.is_empty() {
            self.intervals.resize(self.candidates.len(), 0);
        }
        self.candidates.push(candidate);
        if intervals != 0 || !self.intervals.is_empty() {
            self.intervals.push(intervals);
        }
    }
}

impl From<Vec<Candidate>> for BlockCandidates {
    fn from(candidates: Vec<Candidate>) -> Self {
        Self { candidates, intervals: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(a: u32, b: u32, samples: u64) -> Candidate {
        Candidate { a, b, samples }
    }

    #[test]
    fn lists_are_joined_by_pair() {
        let samples = vec![pair(0, 1, 3), pair(1, 2, 5), pair(4, 5, 1)];
        let intervals = [pair(0, 2, 8), pair(1, 2, 4), pair(4, 6, 2)];
        let joined = BlockCandidates::new(samples.clone(), &intervals);
        let expected = [pair(0, 1, 3), pair(0, 2, 0), pair(1, 2, 5), pair(4, 5, 1), pair(4, 6, 0)];
        assert_eq!((&joined.candidates[..], &joined.intervals[..]), (&expected[..], &[0, 8, 4, 0, 2][..]));
        assert_eq!(joined.rows(), 8);
        assert_eq!(joined.rows_per_sample()[..4], [3, 2, 2, 1]);
        assert_eq!(BlockCandidates::new(samples.clone(), &[]), samples.clone().into());
        let alone = BlockCandidates::new(Vec::new(), &intervals);
        assert_eq!((alone.candidates.len(), &alone.intervals[..]), (3, &[8, 4, 2][..]));
        let mut rest = joined.clone();
        let mut taken = rest.take(0b100);
        assert_eq!((&taken.candidates[..], &taken.intervals[..]), (&[pair(1, 2, 4)][..], &[4][..]));
        assert_eq!(rest.rows(), 6);
        rest = rest.take(!0b1001);
        assert_eq!(rest.candidates, [pair(0, 1, 2), pair(4, 6, 0)]);
        taken.add(&rest, 0..2);
        assert_eq!(taken.candidates, [pair(0, 1, 2), pair(1, 2, 4), pair(4, 6, 0)]);
        assert_eq!(taken.intervals, [0, 4, 2]);
        let mut plain = BlockCandidates::from(vec![pair(3, 4, 1)]);
        plain.add(&BlockCandidates::from(samples), 1..2);
        assert_eq!(plain, BlockCandidates::from(vec![pair(1, 2, 5), pair(3, 4, 1)]));
    }
}
