//! Memory: a block whose rows might not fit is processed in slices.
//!
//! The popcounts of the masks bound the number of rows before any query is asked. Slices follow each other in the
//! order of the rows, so that the tables do not depend on where a block is cut. Small blocks are joined likewise.

use crate::scene::{Candidate, SAMPLES};
use std::collections::VecDeque;

/// Bytes that a row takes while in flight, rounded up: as a query's answer, sorted, waiting beside the next slice's,
/// and encoded (columns, then compressed pages).
const BYTES_PER_ROW: u64 = 1024;

/// The most rows of a slice.
pub(super) fn rows_within(memory: u64) -> usize {
    usize::try_from(memory / BYTES_PER_ROW).unwrap_or(usize::MAX).max(SAMPLES)
}

/// Candidates of a block (sorted by (a, b)) that are queried together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Slice {
    pub(super) candidates: Vec<Candidate>,
    /// Whether no later sample of the block is still to be queried.
    pub(super) ends_block: bool,
}

/// The candidates of a block (sorted by (a, b)) in slices of at most `limit` possible rows: consecutive ranges of samples,
/// and a sample that alone is too large in consecutive ranges of pairs. At least one slice. Each is copied when it is due.
#[derive(Debug)]
pub(super) struct Slices {
    candidates: Vec<Candidate>,
    limit: usize,
    ranges: std::vec::IntoIter<u64>,
    /// The sample that is cut into ranges of pairs, as a mask, and the first candidate of the next range.
    open: Option<(u64, usize)>,
}

impl Slices {
    pub(super) fn new(candidates: Vec<Candidate>, limit: usize) -> Self {
        let ranges = match rows_of(&candidates) <= limit {
            true => vec![u64::MAX],
            false => sample_ranges(&rows_per_sample(&candidates), limit),
        };
        Self { candidates, limit, ranges: ranges.into_iter(), open: None }
    }

    /// Whether there is no further slice.
    pub(super) fn is_done(&self) -> bool {
        self.open.is_none() && self.ranges.len() == 0
    }

    /// The candidates from `from` on that have samples of `mask`, as many as the limit; and the first that is left.
    fn part(&self, mask: u64, from: usize) -> (Vec<Candidate>, Option<usize>) {
        let mut left = (from..).zip(&self.candidates[from..]).filter(|(_, c)| c.samples & mask != 0);
        let part = left.by_ref().take(self.limit).map(|(_, c)| Candidate { samples: c.samples & mask, ..*c }).collect();
        (part, left.next().map(|(at, _)| at))
    }
}

impl Iterator for Slices {
    type Item = Slice;

    fn next(&mut self) -> Option<Slice> {
        let (mask, from) = match self.open.take() {
            Some(open) => open,
            None => (self.ranges.next()?, 0),
        };
        let ends_block = mask >> (SAMPLES - 1) == 1;
        if mask == u64::MAX && self.candidates.len() <= self.limit {
            return Some(Slice { candidates: std::mem::take(&mut self.candidates), ends_block });
        }
        // Of a range of several samples with rows there are no more candidates than the limit.
        let (candidates, left) = self.part(mask, from);
        self.open = left.map(|at| (mask, at));
        Some(Slice { candidates, ends_block })
    }
}

/// How many rows candidates might have.
pub(super) fn rows_of(candidates: &[Candidate]) -> usize {
    candidates.iter().map(|c| c.samples.count_ones() as usize).sum()
}

/// What is queried at once: one slice of a block, or several whole blocks.
pub(super) type Portion<B> = Vec<(B, Slice)>;

/// Portions of at most `limit` possible rows, of consecutive blocks with their candidates.
#[derive(Debug)]
pub(super) struct Portions<B>(VecDeque<Planned<B>>);

/// One portion, or several.
#[derive(Debug)]
enum Planned<B> {
    Whole(Portion<B>),
    Cut(B, Slices),
}

impl<B: Clone> Portions<B> {
    pub(super) fn new(blocks: impl Iterator<Item = (B, Vec<Candidate>)>, limit: usize) -> Self {
        let mut planned = VecDeque::new();
        let (mut open, mut sum): (Portion<B>, usize) = (Vec::new(), 0);
        for (block, candidates) in blocks {
            let rows = rows_of(&candidates);
            if sum + rows > limit && !open.is_empty() {
                planned.push_back(Planned::Whole(std::mem::take(&mut open)));
                sum = 0;
            }
            if rows > limit {
                planned.push_back(Planned::Cut(block, Slices::new(candidates, limit)));
            } else {
                sum += rows;
                open.push((block, Slice { candidates, ends_block: true }));
            }
        }
        if !open.is_empty() {
            planned.push_back(Planned::Whole(open));
        }
        Self(planned)
    }

    /// Whether there is no further portion.
    pub(super) fn is_done(&self) -> bool {
        self.0.is_empty()
    }
}

impl<B: Clone> Iterator for Portions<B> {
    type Item = Portion<B>;

    fn next(&mut self) -> Option<Portion<B>> {
        let (portion, rest) = match self.0.pop_front()? {
            Planned::Whole(portion) => (portion, None),
            Planned::Cut(block, mut slices) => {
                let portion = slices.next().map(|slice| (block.clone(), slice)).into_iter().collect();
                (portion, (!slices.is_done()).then_some(Planned::Cut(block, slices)))
            }
        };
        if let Some(rest) = rest {
            self.0.push_front(rest);
        }
        Some(portion)
    }
}

/// How many rows each sample might have.
fn rows_per_sample(candidates: &[Candidate]) -> [usize; SAMPLES] {
    let mut rows = [0; SAMPLES];
    for candidate in candidates {
        let mut rest = candidate.samples;
        while rest != 0 {
            rows[rest.trailing_zeros() as usize] += 1;
            rest &= rest - 1;
        }
    }
    rows
}

/// Masks of consecutive samples, each of at most `limit` rows or with rows in a single sample.
fn sample_ranges(rows: &[usize; SAMPLES], limit: usize) -> Vec<u64> {
    let mut ranges = Vec::new();
    let (mut mask, mut sum) = (0_u64, 0);
    for (sample, &count) in rows.iter().enumerate() {
        if sum != 0 && count != 0 && sum + count > limit {
            ranges.push(mask);
            (mask, sum) = (0, 0);
        }
        mask |= 1 << sample;
        sum += count;
    }
    ranges.push(mask);
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flatten(slices: &[Vec<Candidate>]) -> Vec<(u32, u32, u32)> {
        let mut all = Vec::new();
        for slice in slices {
            for sample in 0..64 {
                let here = slice.iter().filter(|c| c.samples >> sample & 1 == 1);
                all.extend(here.map(|c| (sample, c.a, c.b)));
            }
        }
        all
    }

    #[test]
    fn slices_cover_everything_once_in_the_order_of_the_rows() {
        let mut state = 7_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state ^ state >> 29
        };
        let candidates: Vec<Candidate> =
            (0..97).map(|b| Candidate { a: b / 10, b: b + 10, samples: random() & random() | 1 << (b % 64) }).collect();
        let whole = flatten(std::slice::from_ref(&candidates));
        for limit in [1, 5, 40, 64, 300, 100_000] {
            let slices: Vec<Slice> = Slices::new(candidates.clone(), limit).collect();
            assert!(slices.iter().all(|slice| !slice.candidates.is_empty() || slice.ends_block), "limit {limit}");
            let ends = slices.iter().filter(|slice| slice.ends_block).map(|slice| slice.candidates.clone());
            let ends = flatten(&ends.collect::<Vec<_>>());
            let tail = &whole[whole.len() - ends.len()..];
            assert!(
                ends == tail && tail.iter().all(|row| whole[..whole.len() - tail.len()].iter().all(|w| w.0 < row.0))
            );
            let slices: Vec<Vec<Candidate>> = slices.into_iter().map(|slice| slice.candidates).collect();
            assert_eq!(flatten(&slices), whole, "limit {limit}");
            let most = slices.iter().map(|s| s.iter().map(|c| c.samples.count_ones() as usize).sum()).max();
            assert!(most <= Some(limit), "limit {limit}: a slice of {most:?} rows");
            assert_eq!(slices.len() == 1, limit == 100_000, "the test is to cut where it can");
        }
    }

    #[test]
    fn portions_follow_the_blocks_and_fit() {
        let of = |count: u32| -> Vec<Candidate> {
            (0..count).map(|b| Candidate { a: 0, b: b + 1, samples: 0b111 }).collect()
        };
        let sizes = [3, 0, 20, 1, 1, 1, 0, 5, 2, 30];
        for limit in [1, 6, 10, 64, 1000] {
            let blocks = || sizes.iter().enumerate().map(|(block, &count)| (block, of(count)));
            let portions: Vec<Portion<usize>> = Portions::new(blocks(), limit).collect();
            let rows = |portion: &Portion<usize>| -> u32 {
                portion.iter().flat_map(|(_, slice)| &slice.candidates).map(|c| c.samples.count_ones()).sum()
            };
            assert!(portions.iter().all(|portion| rows(portion) as usize <= limit), "limit {limit}");
            let order: Vec<usize> = portions.iter().flatten().map(|(block, _)| *block).collect();
            assert!(order.is_sorted() && (0..sizes.len()).all(|block| order.contains(&block)), "limit {limit}");
            for (block, whole) in blocks() {
                let slices: Vec<Vec<Candidate>> = portions
                    .iter()
                    .flatten()
                    .filter(|(of, _)| *of == block)
                    .map(|(_, slice)| slice.candidates.clone())
                    .collect();
                assert_eq!(flatten(&slices), flatten(&[whole]), "limit {limit}, block {block}");
            }
            assert_eq!(portions.len() == 1, limit == 1000);
        }
        assert!(Portions::new(std::iter::empty::<(u8, _)>(), 5).is_done());
    }

    #[test]
    fn a_block_without_candidates_is_one_slice() {
        let slices: Vec<Slice> = Slices::new(Vec::new(), 10).collect();
        assert_eq!(slices, [Slice { candidates: Vec::new(), ends_block: true }]);
    }
}
