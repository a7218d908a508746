//! Pairs as integers in a sorted list, and the search for the next one.

/// Number of candidates that are compared with a row without a branch. The candidate of a row is
/// most likely among the next ones after that of the row before it.
pub(super) const LOOKAHEAD: usize = 8;

/// A pair as an integer. Integers compare like pairs (a, b).
pub(super) fn pair_key(a: u32, b: u32) -> u64 {
    u64::from(a) << 32 | u64::from(b)
}

/// The position of the first key from `at` on that is not less than `pair`. `pairs` is sorted and
/// ends in [`LOOKAHEAD`] sentinels. The next keys are compared without unpredictable branches;
/// beyond them follows an exponential search (Bentley & Yao, "An almost optimal algorithm for
/// unbounded searching", 1976).
pub(super) fn lower_bound(pairs: &[u64], at: usize, pair: u64) -> usize {
    let Some(next) = pairs.get(at..).and_then(|pairs| pairs.first_chunk::<LOOKAHEAD>()) else { return at };
    let mut low = at + next.iter().map(|&next| usize::from(next < pair)).sum::<usize>();
    let mut step = LOOKAHEAD;
    let below = |at: usize| pairs.get(at).is_some_and(|&next| next < pair);
    if low == at + LOOKAHEAD && below(low) {
        while below(low + step) {
            low += step;
            step *= 2;
        }
        let high = (low + step).min(pairs.len());
        low += 1 + pairs[low + 1..high].partition_point(|&next| next < pair);
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lower_bound_is_found_at_any_distance() {
        for count in [0, 1, 7, 8, 9, 100] {
            let mut pairs: Vec<u64> = (0..count).map(|k| pair_key(k / 7, 10 + 3 * k)).collect();
            pairs.sort_unstable();
            let sorted = pairs.clone();
            pairs.extend([u64::MAX; LOOKAHEAD]);
            for pair in sorted.iter().flat_map(|&pair| [pair - 1, pair, pair + 1]).chain([0, u64::MAX - 1]) {
                let place = sorted.partition_point(|&other| other < pair);
                for from in 0..=place {
                    assert_eq!(lower_bound(&pairs, from, pair), place, "{pair} from {from} of {count}");
                }
            }
        }
    }
}
