//! Candidates in their final order.

use super::parallel::{bucket_count, bucket_table, concat, keys_of, partition};
use clearsweep_model::Candidate;
use rayon::prelude::*;
use std::ops::Range;

/// With no more candidates than this, sorting runs on one thread.
const PARALLEL_THRESHOLD: usize = 1 << 14;
/// With no more candidates than this, a comparison sort is faster than counting.
const COUNTING_THRESHOLD: usize = 256;

/// A candidate that fills memory which is overwritten.
const FILLER: Candidate = Candidate { a: 0, b: 0, samples: 0 };

/// The candidates of all batches in one list.
pub(super) fn join_batches(mut batches: Vec<Vec<Candidate>>) -> Vec<Candidate> {
    match batches.len() {
        0 => Vec::new(),
        1 => batches.swap_remove(0),
        _ if rayon::current_num_threads() > 1 => concat(&batches, FILLER),
        _ => batches.concat(),
    }
}

/// Sorts the candidates of all batches by (a, b) and joins the masks of equal pairs. `bodies` is
/// the number of bodies of the scene.
pub(super) fn sort_and_merge(batches: Vec<Vec<Candidate>>, bodies: usize) -> Vec<Candidate> {
    let total: usize = batches.iter().map(Vec::len).sum();
    let sorted = if total > PARALLEL_THRESHOLD && rayon::current_num_threads() > 1 {
        sort_parallel(batches, total, bodies)
    } else if total > bodies / 2 && total > COUNTING_THRESHOLD {
        let mut sorted = count_by_first(&batches, total, 0..bodies);
        sort_and_merge_pairs(&mut sorted);
        sorted
    } else {
        let mut sorted = join_batches(batches);
        sorted.sort_unstable();
        merge_pairs(&mut sorted);
        sorted
    };
    debug_assert!(sorted.is_sorted_by(|x, y| (x.a, x.b) < (y.a, y.b)), "each pair is listed once, in order");
    sorted
}

/// [`sort_and_merge`] by a bucket sort: each bucket holds the candidates of a range of first
/// bodies.
fn sort_parallel(batches: Vec<Vec<Candidate>>, total: usize, bodies: usize) -> Vec<Candidate> {
    let buckets = bucket_count();
    let limits: Vec<usize> =
        batches.iter().scan(0, |end, batch| Some(std::mem::replace(end, *end + batch.len()))).collect();
    let first_body = |i: usize| {
        let batch = limits.partition_point(|&start| start <= i) - 1;
        batches[batch][i - limits[batch]].a
    };
    let table = bucket_table(bodies, buckets, total, first_body);
    let parts = partition(&batches, buckets, |c: &Candidate| (usize::from(table[c.a as usize]), *c));
    drop(batches);
    let sorted: Vec<Vec<Candidate>> = (0..buckets)
        .into_par_iter()
        .with_max_len(1)
        .map(|bucket| {
            let lists: Vec<&[Candidate]> = parts.iter().map(|lists| lists[bucket].as_slice()).collect();
            let total = lists.iter().map(|list| list.len()).sum();
            let mut sorted = count_by_first(&lists, total, keys_of(&table, bucket));
            sort_and_merge_pairs(&mut sorted);
            sorted
        })
        .collect();
    drop(parts);
    concat(&sorted, FILLER)
}

/// A counting sort by the first body, which lies in `bodies`. `total` is the number of candidates
/// in the lists.
fn count_by_first(lists: &[impl AsRef<[Candidate]>], total: usize, bodies: Range<usize>) -> Vec<Candidate> {
    let mut ends = vec![0_usize; bodies.len() + 1];
    for list in lists {
        for c in list.as_ref() {
            ends[c.a as usize - bodies.start + 1] += 1;
        }
    }
    for body in 0..bodies.len() {
        ends[body + 1] += ends[body];
    }
    let mut sorted = vec![FILLER; total];
    for list in lists {
        for c in list.as_ref() {
            let at = &mut ends[c.a as usize - bodies.start];
            sorted[*at] = *c;
            *at += 1;
        }
    }
    sorted
}

/// Sorts the candidates of each first body by the second, and joins the masks of equal pairs.
fn sort_and_merge_pairs(candidates: &mut Vec<Candidate>) {
    for same in candidates.chunk_by_mut(|x, y| x.a == y.a) {
        same.sort_unstable_by_key(|c| (c.b, c.samples));
    }
    merge_pairs(candidates);
}

/// Joins the masks of equal pairs, which must be consecutive.
fn merge_pairs(candidates: &mut Vec<Candidate>) {
    candidates.dedup_by(|next, kept| {
        let same = (next.a, next.b) == (kept.a, kept.b);
        if same {
            kept.samples |= next.samples;
        }
        same
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_are_equal_for_any_number_of_threads_and_batches() {
        let mut state = 9_u64;
        let mut next = |n: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) % n) as u32
        };
        for (count, bodies) in [(0, 3), (100, 50), (1000, 100_000), (40_000, 300), (40_000, 60_000)] {
            let all: Vec<Candidate> = (0..count)
                .map(|_| {
                    let a = next(bodies - 1);
                    Candidate { a, b: a + 1 + next(u64::from(bodies as u32 - a - 1)), samples: 1 << next(64) }
                })
                .collect();
            let mut expected = all.clone();
            expected.sort_unstable();
            merge_pairs(&mut expected);
            for threads in [1, 2, 5] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
                for size in [70, 9000, 100_000] {
                    let batches: Vec<Vec<Candidate>> = all.chunks(size).map(<[Candidate]>::to_vec).collect();
                    let sorted = pool.install(|| sort_and_merge(batches, bodies as usize));
                    assert!(sorted == expected, "{count} candidates, {threads} threads, batches of {size}");
                }
            }
        }
    }
}
