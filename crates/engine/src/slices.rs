//! Memory: a block whose rows might not fit is processed in slices.
//!
//! The popcounts of the masks bound the number of rows before any query is asked; an interval
//! counts as a row of the sample before it. Slices follow each other in the order of the rows, so
//! that the tables do not depend on where a block is cut. Small blocks are joined likewise.

use super::block_candidates::BlockCandidates;
use clearsweep_model::SAMPLES;
use std::collections::VecDeque;

/// Bytes that a row takes while in flight, rounded up: as a query's answer, sorted, waiting beside
/// the next slice's, and encoded (columns, then compressed pages).
const BYTES_PER_ROW: u64 = 1024;

/// The most rows of a slice.
pub(super) fn rows_within(memory: u64) -> usize {
    usize::try_from(memory / BYTES_PER_ROW).unwrap_or(usize::MAX).max(SAMPLES)
}

/// Pairs of a block that are queried together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Slice {
    pub(super) pairs: BlockCandidates,
    /// Whether no later sample of the block is still to be queried.
    pub(super) ends_block: bool,
}

/// The pairs of a block in slices of at most `limit` possible rows: consecutive ranges of samples,
/// and a sample that alone is too large in consecutive ranges of pairs. At least one slice. Each is
/// copied when it is due.
#[derive(Debug)]
pub(super) struct Slices {
    pairs: BlockCandidates,
    limit: usize,
    ranges: std::vec::IntoIter<u64>,
    /// The sample that is cut into ranges of pairs, as a mask, and the first pair of the next
    /// range.
    open: Option<(u64, usize)>,
}

impl Slices {
    pub(super) fn new(pairs: BlockCandidates, limit: usize) -> Self {
        let ranges = match pairs.rows() <= limit {
            true => vec![u64::MAX],
            false => sample_ranges(&pairs.rows_per_sample(), limit),
        };
        Self { pairs, limit, ranges: ranges.into_iter(), open: None }
    }

    /// Whether there is no further slice.
    pub(super) fn is_done(&self) -> bool {
        self.open.is_none() && self.ranges.len() == 0
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
        if mask == u64::MAX && from == 0 && self.pairs.rows() <= self.limit {
            return Some(Slice { pairs: std::mem::take(&mut self.pairs), ends_block });
        }
        // A range of several samples has no more rows than the limit.
        let (pairs, left) = self.pairs.part(mask, from, self.limit);
        self.open = left.map(|at| (mask, at));
        Some(Slice { pairs, ends_block })
    }
}

/// Pairs that are queried at once: one slice of a block, or several whole blocks.
pub(super) type WorkUnit<B> = Vec<(B, Slice)>;

/// Portions of at most `limit` possible rows, of consecutive blocks with their pairs.
#[derive(Debug)]
pub(super) struct Portions<B>(VecDeque<PlannedWork<B>>);

/// One portion, or several.
#[derive(Debug)]
enum PlannedWork<B> {
    Whole(WorkUnit<B>),
    Cut(B, Slices),
}

impl<B: Clone> Portions<B> {
    pub(super) fn new(blocks: impl Iterator<Item = (B, BlockCandidates)>, limit: usize) -> Self {
        let mut planned = VecDeque::new();
        let (mut open, mut sum): (WorkUnit<B>, usize) = (Vec::new(), 0);
        for (block, pairs) in blocks {
            let rows = pairs.rows();
            if sum + rows > limit && !open.is_empty() {
                planned.push_back(PlannedWork::Whole(std::mem::take(&mut open)));
                sum = 0;
            }
            if rows > limit {
                planned.push_back(PlannedWork::Cut(block, Slices::new(pairs, limit)));
            } else {
                sum += rows;
                open.push((block, Slice { pairs, ends_block: true }));
            }
        }
        if !open.is_empty() {
            planned.push_back(PlannedWork::Whole(open));
        }
        Self(planned)
    }

    /// Whether there is no further portion.
    pub(super) fn is_done(&self) -> bool {
        self.0.is_empty()
    }
}

impl<B: Clone> Iterator for Portions<B> {
    type Item = WorkUnit<B>;

    fn next(&mut self) -> Option<WorkUnit<B>> {
        let (portion, rest) = match self.0.pop_front()? {
            PlannedWork::Whole(portion) => (portion, None),
            PlannedWork::Cut(block, mut slices) => {
                let portion = slices.next().map(|slice| (block.clone(), slice)).into_iter().collect();
                (portion, (!slices.is_done()).then_some(PlannedWork::Cut(block, slices)))
            }
        };
        if let Some(rest) = rest {
            self.0.push_front(rest);
        }
        Some(portion)
    }
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
    use clearsweep_model::Candidate;

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
            let slices: Vec<Slice> = Slices::new(candidates.clone().into(), limit).collect();
            assert!(slices.iter().all(|slice| !slice.pairs.is_empty() || slice.ends_block), "limit {limit}");
            let ends = slices.iter().filter(|slice| slice.ends_block).map(|slice| slice.pairs.candidates.clone());
            let ends = flatten(&ends.collect::<Vec<_>>());
            let tail = &whole[whole.len() - ends.len()..];
            assert!(
                ends == tail && tail.iter().all(|row| whole[..whole.len() - tail.len()].iter().all(|w| w.0 < row.0))
            );
            let slices: Vec<Vec<Candidate>> = slices.into_iter().map(|slice| slice.pairs.candidates).collect();
            assert_eq!(flatten(&slices), whole, "limit {limit}");
            let most = slices.iter().map(|s| s.iter().map(|c| c.samples.count_ones() as usize).sum()).max();
            assert!(most <= Some(limit), "limit {limit}: a slice of {most:?} rows");
            assert_eq!(slices.len() == 1, limit == 100_000, "the test is to cut where it can");
        }
    }

    #[test]
    fn an_interval_is_in_the_slice_of_its_first_sample() {
        let mut state = 11_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state ^ state >> 29
        };
        let mut list = |odd: u32| -> Vec<Candidate> {
            (0..90)
                .filter(|b| b % 3 != odd)
                .map(|b| Candidate { a: b / 10, b: b + 10, samples: random() & random() | 1 })
                .collect()
        };
        let pairs = BlockCandidates::new(list(1), &list(2));
        let intervals_of = |pairs: &BlockCandidates| -> Vec<Candidate> {
            let of = pairs.candidates.iter().zip(&pairs.intervals).map(|(c, &samples)| Candidate { samples, ..*c });
            of.filter(|c| c.samples != 0).collect()
        };
        let whole = [flatten(std::slice::from_ref(&pairs.candidates)), flatten(&[intervals_of(&pairs)])];
        assert!(whole.iter().all(|rows| rows.len() > 800), "the test is to have both");
        for limit in [1, 7, 50, 400, 100_000] {
            let slices: Vec<BlockCandidates> = Slices::new(pairs.clone(), limit).map(|slice| slice.pairs).collect();
            let most = slices.iter().map(BlockCandidates::rows).max().expect("a slice");
            // A pair that is asked about both in a sample and after it stays together.
            assert!(most <= limit.max(2), "limit {limit}: a slice of {most} rows");
            let samples: Vec<_> = slices.iter().map(|slice| slice.candidates.clone()).collect();
            let intervals: Vec<_> = slices.iter().map(intervals_of).collect();
            assert!([flatten(&samples), flatten(&intervals)] == whole, "limit {limit}");
        }
    }

    #[test]
    fn portions_follow_the_blocks_and_fit() {
        let of = |count: u32| -> BlockCandidates {
            (0..count).map(|b| Candidate { a: 0, b: b + 1, samples: 0b111 }).collect::<Vec<_>>().into()
        };
        let sizes = [3, 0, 20, 1, 1, 1, 0, 5, 2, 30];
        for limit in [1, 6, 10, 64, 1000] {
            let blocks = || sizes.iter().enumerate().map(|(block, &count)| (block, of(count)));
            let portions: Vec<WorkUnit<usize>> = Portions::new(blocks(), limit).collect();
            let rows = |portion: &WorkUnit<usize>| -> u32 {
                portion.iter().flat_map(|(_, slice)| &slice.pairs.candidates).map(|c| c.samples.count_ones()).sum()
            };
            assert!(portions.iter().all(|portion| rows(portion) as usize <= limit), "limit {limit}");
            let order: Vec<usize> = portions.iter().flatten().map(|(block, _)| *block).collect();
            assert!(order.is_sorted() && (0..sizes.len()).all(|block| order.contains(&block)), "limit {limit}");
            for (block, whole) in blocks() {
                let slices: Vec<Vec<Candidate>> = portions
                    .iter()
                    .flatten()
                    .filter(|(of, _)| *of == block)
                    .map(|(_, slice)| slice.pairs.candidates.clone())
                    .collect();
                assert_eq!(flatten(&slices), flatten(&[whole.candidates]), "limit {limit}, block {block}");
            }
            assert_eq!(portions.len() == 1, limit == 1000);
        }
        assert!(Portions::new(std::iter::empty::<(u8, _)>(), 5).is_done());
    }

    #[test]
    fn a_block_without_candidates_is_one_slice() {
        let slices: Vec<Slice> = Slices::new(BlockCandidates::default(), 10).collect();
        assert_eq!(slices, [Slice { pairs: BlockCandidates::default(), ends_block: true }]);
    }
}
