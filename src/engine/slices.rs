//! Memory: a block whose rows might not fit is processed in slices.
//!
//! The popcounts of the masks bound the number of rows before any query is asked. Slices follow each other in the
//! order of the rows, so that the tables do not depend on where a block is cut. Small blocks are joined likewise.

use crate::scene::{Candidate, SAMPLES};

/// Bytes that a row takes while in flight, rounded up: as a query's answer, sorted, waiting beside the next slice's,
/// and encoded (columns, then compressed pages).
const BYTES_PER_ROW: u64 = 1024;

/// The most rows of a slice.
pub(super) fn rows_within(memory: u64) -> usize {
    usize::try_from(memory / BYTES_PER_ROW).unwrap_or(usize::MAX).max(SAMPLES)
}

/// Cuts the candidates of a block (sorted by (a, b)) into slices of at most `limit` possible rows: consecutive
/// ranges of samples, and a sample that alone is too large in consecutive ranges of pairs. At least one slice.
pub(super) fn cut(candidates: Vec<Candidate>, limit: usize) -> Vec<Vec<Candidate>> {
    let total: usize = candidates.iter().map(|c| c.samples.count_ones() as usize).sum();
    if total <= limit {
        return vec![candidates];
    }
    let mut slices = Vec::new();
    for mask in sample_ranges(&rows_per_sample(&candidates), limit) {
        let part: Vec<Candidate> = candidates
            .iter()
            .filter(|c| c.samples & mask != 0)
            .map(|c| Candidate { samples: c.samples & mask, ..*c })
            .collect();
        if mask.count_ones() == 1 {
            slices.extend(part.chunks(limit).map(<[Candidate]>::to_vec));
        } else {
            slices.push(part);
        }
    }
    slices
}

/// What is queried at once: one slice of a block, or several whole blocks.
pub(super) type Portion<B> = Vec<(B, Vec<Candidate>)>;

/// Portions of at most `limit` possible rows, of consecutive blocks with their candidates.
pub(super) fn portions<B: Clone>(blocks: impl Iterator<Item = (B, Vec<Candidate>)>, limit: usize) -> Vec<Portion<B>> {
    let mut portions = Vec::new();
    let (mut open, mut sum): (Portion<B>, usize) = (Vec::new(), 0);
    for (block, candidates) in blocks {
        let rows: usize = candidates.iter().map(|c| c.samples.count_ones() as usize).sum();
        if sum + rows > limit && !open.is_empty() {
            portions.push(std::mem::take(&mut open));
            sum = 0;
        }
        if rows > limit {
            portions.extend(cut(candidates, limit).into_iter().map(|slice| vec![(block.clone(), slice)]));
        } else {
            sum += rows;
            open.push((block, candidates));
        }
    }
    if !open.is_empty() {
        portions.push(open);
    }
    portions
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

/// Masks of consecutive samples, each of at most `limit` rows or of a single sample.
fn sample_ranges(rows: &[usize; SAMPLES], limit: usize) -> Vec<u64> {
    let mut ranges = Vec::new();
    let (mut mask, mut sum) = (0_u64, 0);
    for (sample, &count) in rows.iter().enumerate() {
        if mask != 0 && sum + count > limit {
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
            let slices = cut(candidates.clone(), limit);
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
            let portions = portions(blocks(), limit);
            let rows = |portion: &Portion<usize>| -> u32 {
                portion.iter().flat_map(|(_, list)| list).map(|c| c.samples.count_ones()).sum()
            };
            assert!(portions.iter().all(|portion| rows(portion) as usize <= limit), "limit {limit}");
            let order: Vec<usize> = portions.iter().flatten().map(|(block, _)| *block).collect();
            assert!(order.is_sorted() && (0..sizes.len()).all(|block| order.contains(&block)), "limit {limit}");
            for (block, whole) in blocks() {
                let slices: Vec<Vec<Candidate>> =
                    portions.iter().flatten().filter(|(of, _)| *of == block).map(|(_, list)| list.clone()).collect();
                assert_eq!(flatten(&slices), flatten(&[whole]), "limit {limit}, block {block}");
            }
            assert_eq!(portions.len() == 1, limit == 1000);
        }
        assert!(portions(std::iter::empty::<(u8, _)>(), 5).is_empty());
    }

    #[test]
    fn a_block_without_candidates_is_one_slice() {
        assert_eq!(cut(Vec::new(), 10), vec![Vec::new()]);
    }
}
