//! The innermost loop of the searches: 64 box comparisons into a mask.
//!
//! Two boxes overlap when, along each axis, neither begins after the other has ended; both ends belong to a box. A pair
//! takes six unsigned comparisons; one instruction compares sixteen pairs (AVX-512) or eight (AVX2).

use super::boxes::{BoxColumns, LatticeBox};
use super::simd::Simd;

/// The mask of the boxes of `many` that overlap `one`: bit `i` stands for box `i`. Only the first `count` (at most 64)
/// boxes are compared.
#[inline]
pub(super) fn one_against(simd: Simd, one: &LatticeBox, many: BoxColumns<'_>, count: usize) -> u64 {
    let found = match simd {
        Simd::Plain => plain_one(one, many),
        #[cfg(target_arch = "x86_64")]
        #[allow(unsafe_code, reason = "Simd::detect found the instructions on this machine")]
        Simd::Avx2 => unsafe { x86::one_avx2(one, many, count) },
        #[cfg(target_arch = "x86_64")]
        #[allow(unsafe_code, reason = "Simd::detect found the instructions on this machine")]
        Simd::Avx512 => unsafe { x86::one_avx512(one, many, count) },
    };
    found & (u64::MAX >> (64 - count.clamp(1, 64)))
}

/// The mask of the lanes in which two columns of boxes overlap: bit `i` stands for box `i` of `a` and box `i` of `b`.
#[inline]
pub(super) fn lane_by_lane(simd: Simd, a: BoxColumns<'_>, b: BoxColumns<'_>) -> u64 {
    match simd {
        Simd::Plain => plain_lanes(a, b),
        #[cfg(target_arch = "x86_64")]
        #[allow(unsafe_code, reason = "Simd::detect found the instructions on this machine")]
        Simd::Avx2 => unsafe { x86::lanes_avx2(a, b) },
        #[cfg(target_arch = "x86_64")]
        #[allow(unsafe_code, reason = "Simd::detect found the instructions on this machine")]
        Simd::Avx512 => unsafe { x86::lanes_avx512(a, b) },
    }
}

fn plain_one(one: &LatticeBox, many: BoxColumns<'_>) -> u64 {
    let mut hit = [1_u8; 64];
    for k in 0..3 {
        for i in 0..64 {
            hit[i] &= u8::from(many[k][i] <= one.max[k]) & u8::from(one.min[k] <= many[k + 3][i]);
        }
    }
    pack(&hit)
}

fn plain_lanes(a: BoxColumns<'_>, b: BoxColumns<'_>) -> u64 {
    let mut hit = [1_u8; 64];
    for k in 0..3 {
        for i in 0..64 {
            hit[i] &= u8::from(a[k][i] <= b[k + 3][i]) & u8::from(b[k][i] <= a[k + 3][i]);
        }
    }
    pack(&hit)
}

/// Packs bytes that are 0 or 1 into bits. The product moves byte `i` of a word to bit 56 + i.
fn pack(hit: &[u8; 64]) -> u64 {
    let (words, _) = hit.as_chunks::<8>();
    let mut bits = 0;
    for (i, word) in words.iter().enumerate() {
        bits |= (u64::from_le_bytes(*word).wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * i);
    }
    bits
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{BoxColumns, LatticeBox};
    use std::arch::x86_64::*;

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn load16(column: &[u32; 64], at: usize) -> __m512i {
        debug_assert!(at <= 48);
        #[allow(unsafe_code, reason = "reads 16 of the 64 values: callers pass multiples of 16 below 64")]
        unsafe {
            _mm512_loadu_si512(column.as_ptr().add(at & 48).cast())
        }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn load8(column: &[u32; 64], at: usize) -> __m256i {
        debug_assert!(at <= 56);
        #[allow(unsafe_code, reason = "reads 8 of the 64 values: callers pass multiples of 8 below 64")]
        unsafe {
            _mm256_loadu_si256(column.as_ptr().add(at & 56).cast())
        }
    }

    #[target_feature(enable = "avx512f")]
    pub(super) fn one_avx512(one: &LatticeBox, many: BoxColumns<'_>, count: usize) -> u64 {
        let min = one.min.map(|v| _mm512_set1_epi32(v as i32));
        let max = one.max.map(|v| _mm512_set1_epi32(v as i32));
        let mut bits = 0;
        for at in (0..count.min(64)).step_by(16) {
            let mut hit = u16::MAX;
            for k in 0..3 {
                hit = _mm512_mask_cmple_epu32_mask(hit, load16(many[k], at), max[k]);
                hit = _mm512_mask_cmple_epu32_mask(hit, min[k], load16(many[k + 3], at));
            }
            bits |= u64::from(hit) << at;
        }
        bits
    }

    #[target_feature(enable = "avx512f")]
    pub(super) fn lanes_avx512(a: BoxColumns<'_>, b: BoxColumns<'_>) -> u64 {
        let mut bits = 0;
        for at in (0..64).step_by(16) {
            let mut hit = u16::MAX;
            for k in 0..3 {
                hit = _mm512_mask_cmple_epu32_mask(hit, load16(a[k], at), load16(b[k + 3], at));
                hit = _mm512_mask_cmple_epu32_mask(hit, load16(b[k], at), load16(a[k + 3], at));
            }
            bits |= u64::from(hit) << at;
        }
        bits
    }

    /// All ones in the lanes where `a <= b`, unsigned: AVX2 has no such comparison, but `max(a, b) == b` says the same.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn not_above(a: __m256i, b: __m256i) -> __m256i {
        _mm256_cmpeq_epi32(_mm256_max_epu32(a, b), b)
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn one_avx2(one: &LatticeBox, many: BoxColumns<'_>, count: usize) -> u64 {
        let min = one.min.map(|v| _mm256_set1_epi32(v as i32));
        let max = one.max.map(|v| _mm256_set1_epi32(v as i32));
        let mut bits = 0;
        for at in (0..count.min(64)).step_by(8) {
            let mut hit = _mm256_set1_epi32(-1);
            for k in 0..3 {
                hit = _mm256_and_si256(hit, not_above(load8(many[k], at), max[k]));
                hit = _mm256_and_si256(hit, not_above(min[k], load8(many[k + 3], at)));
            }
            bits |= u64::from(_mm256_movemask_ps(_mm256_castsi256_ps(hit)) as u32) << at;
        }
        bits
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn lanes_avx2(a: BoxColumns<'_>, b: BoxColumns<'_>) -> u64 {
        let mut bits = 0;
        for at in (0..64).step_by(8) {
            let mut hit = _mm256_set1_epi32(-1);
            for k in 0..3 {
                hit = _mm256_and_si256(hit, not_above(load8(a[k], at), load8(b[k + 3], at)));
                hit = _mm256_and_si256(hit, not_above(load8(b[k], at), load8(a[k + 3], at)));
            }
            bits |= u64::from(_mm256_movemask_ps(_mm256_castsi256_ps(hit)) as u32) << at;
        }
        bits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Columns of boxes in a small space, so that overlaps, shared ends and misses all occur. A few boxes are empty.
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
            for simd in Simd::all() {
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
