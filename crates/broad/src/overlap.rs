//! The innermost loop of the searches: 64 box comparisons into a mask.

use super::box_kernel::BoxKernel;
use super::box16::{Box16Columns, WIDTH};
use super::boxes::{BoxColumns, LatticeBox};
use clearsweep_base::simd::{Level, dispatch};

/// The mask of the boxes of `many` that overlap `one`: bit `i` stands for box `i`. Only the first
/// `count` (at most 64) boxes are compared.
#[inline]
pub(super) fn one_against(simd: Level, one: &LatticeBox, many: BoxColumns<'_>, count: usize) -> u64 {
    one_against_at(simd, one, many, count)
}

/// The mask of the lanes in which two columns of boxes overlap: bit `i` stands for box `i` of `a`
/// and box `i` of `b`.
#[inline]
pub(super) fn lane_by_lane(simd: Level, a: BoxColumns<'_>, b: BoxColumns<'_>) -> u64 {
    lane_by_lane_at(simd, a, b)
}

/// Sixteen of 64 boxes, from box `at` on.
#[inline(always)]
fn sixteen(of: BoxColumns<'_>, at: usize) -> Box16Columns<'_> {
    debug_assert!(at.is_multiple_of(WIDTH));
    of.map(|column| &column.as_chunks::<WIDTH>().0[at / WIDTH % 4])
}

#[inline(always)]
fn one_against_body<K: BoxKernel>(one: &LatticeBox, many: BoxColumns<'_>, count: usize) -> u64 {
    let one = K::broadcast(one);
    let mut bits = 0;
    for at in (0..count.min(64)).step_by(WIDTH) {
        bits |= u64::from(K::overlap_mask(&one, sixteen(many, at))) << at;
    }
    bits & (u64::MAX >> (64 - count.clamp(1, 64)))
}

#[inline(always)]
fn lane_by_lane_body<K: BoxKernel>(a: BoxColumns<'_>, b: BoxColumns<'_>) -> u64 {
    let mut bits = 0;
    for at in (0..64).step_by(WIDTH) {
        bits |= u64::from(K::lanes_overlap_mask(sixteen(a, at), sixteen(b, at))) << at;
    }
    bits
}

dispatch!(at one_against_at, one_against_body, (one: &LatticeBox, many: BoxColumns<'_>, count: usize) -> u64);
dispatch!(at lane_by_lane_at, lane_by_lane_body, (a: BoxColumns<'_>, b: BoxColumns<'_>) -> u64);

#[cfg(test)]
mod tests {
    use super::*;

    /// Columns of boxes in a small space, so that overlaps, shared ends and misses all occur. A few
    /// boxes are empty.
    fn columns(seed: u64) -> [[u32; 64]; 6] {
        let mut state = seed;
        let mut next = |n: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) % n) as u32
        };
        let mut c = [[0; 64]; 6];
        for i in 0..64 {
            let empty = next(10) == 0;
            let base = if next(2) == 0 { 0 } else { u32::MAX - 40 }; // signed comparison would fail
            for k in 0..3 {
                let low = next(8) + 1;
                (c[k][i], c[k + 3][i]) =
                    if empty { (u32::MAX, 0) } else { (base / 4 * 3 + low, base / 4 * 3 + low + next(6)) };
            }
        }
        c
    }

    #[test]
    fn all_instruction_sets_agree_with_the_definition() {
        let (mut hits, mut all) = (0, 0);
        for seed in 0..200 {
            let (a, b) = (columns(seed), columns(seed + 1000));
            let (a_ref, b_ref) = (a.each_ref(), b.each_ref());
            let overlap = |i: usize, j: usize| (0..3).all(|k| a[k][i] <= b[k + 3][j] && b[k][j] <= a[k + 3][i]);
            let lanes = (0..64).fold(0_u64, |m, i| m | u64::from(overlap(i, i)) << i);
            let one = LatticeBox { min: [a[0][5], a[1][5], a[2][5]], max: [a[3][5], a[4][5], a[5][5]] };
            for simd in Level::available() {
                assert_eq!(lane_by_lane(simd, a_ref, b_ref), lanes, "{simd:?}");
                for count in [1, 7, 8, 9, 16, 17, 63, 64] {
                    let against = (0..count).fold(0_u64, |m, j| m | u64::from(overlap(5, j)) << j);
                    assert_eq!(one_against(simd, &one, b_ref, count), against, "{simd:?} {count}");
                }
            }
            hits += lanes.count_ones();
            all += 64;
        }
        assert!(hits > all / 20 && hits < all / 2, "{hits} of {all} overlap: not representative");
    }
}
