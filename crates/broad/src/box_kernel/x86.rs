//! The comparisons of boxes in AVX2 and AVX-512.

use super::super::box16::{Box16Columns, WIDTH};
use super::super::boxes::LatticeBox;
use std::arch::x86_64::*;

#[inline]
#[target_feature(enable = "avx512f")]
fn load16(numbers: &[u32; WIDTH]) -> __m512i {
    #[allow(unsafe_code, reason = "reads the sixteen numbers of the array")]
    unsafe {
        _mm512_loadu_si512(numbers.as_ptr().cast())
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn broadcast_avx512(one: &LatticeBox) -> [__m512i; 6] {
    let ([a, b, c], [d, e, f]) = (one.min, one.max);
    [a, b, c, d, e, f].map(|v| _mm512_set1_epi32(v as i32))
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn overlap_mask_avx512(one: &[__m512i; 6], many: Box16Columns<'_>) -> u32 {
    let mut hit = u16::MAX;
    for k in 0..3 {
        hit = _mm512_mask_cmple_epu32_mask(hit, load16(many[k]), one[k + 3]);
        hit = _mm512_mask_cmpge_epu32_mask(hit, load16(many[k + 3]), one[k]);
    }
    u32::from(hit)
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn lanes_overlap_mask_avx512(a: Box16Columns<'_>, b: Box16Columns<'_>) -> u32 {
    let mut hit = u16::MAX;
    for k in 0..3 {
        hit = _mm512_mask_cmple_epu32_mask(hit, load16(a[k]), load16(b[k + 3]));
        hit = _mm512_mask_cmple_epu32_mask(hit, load16(b[k]), load16(a[k + 3]));
    }
    u32::from(hit)
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn less_than_mask_avx512(numbers: &[u32; WIDTH], limit: u32) -> u32 {
    u32::from(_mm512_cmplt_epu32_mask(load16(numbers), _mm512_set1_epi32(limit as i32)))
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn compress_avx512(numbers: &[u32; WIDTH], mask: u32, to: &mut [u32; WIDTH]) {
    let compressed = _mm512_maskz_compress_epi32(mask as u16, load16(numbers));
    #[allow(unsafe_code, reason = "writes the sixteen numbers of the array")]
    unsafe {
        _mm512_storeu_si512(to.as_mut_ptr().cast(), compressed);
    }
}

/// Half of the sixteen numbers.
#[inline]
#[target_feature(enable = "avx2")]
fn load8(numbers: &[u32; WIDTH], half: usize) -> __m256i {
    #[allow(unsafe_code, reason = "reads eight of the sixteen numbers of the array, from the first or the ninth on")]
    unsafe {
        _mm256_loadu_si256(numbers[8 * (half & 1)..].as_ptr().cast())
    }
}

/// All ones in the lanes where `a <= b`, unsigned: AVX2 has no such comparison, but
/// `max(a, b) == b` says the same.
#[inline]
#[target_feature(enable = "avx2")]
fn less_or_equal(a: __m256i, b: __m256i) -> __m256i {
    _mm256_cmpeq_epi32(_mm256_max_epu32(a, b), b)
}

#[inline]
#[target_feature(enable = "avx2")]
fn mask_of(lanes: __m256i) -> u32 {
    _mm256_movemask_ps(_mm256_castsi256_ps(lanes)) as u32
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn broadcast_avx2(one: &LatticeBox) -> [__m256i; 6] {
    let ([a, b, c], [d, e, f]) = (one.min, one.max);
    [a, b, c, d, e, f].map(|v| _mm256_set1_epi32(v as i32))
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn overlap_mask_avx2(one: &[__m256i; 6], many: Box16Columns<'_>) -> u32 {
    let mut bits = 0;
    for half in 0..2 {
        let mut hit = _mm256_set1_epi32(-1);
        for k in 0..3 {
            hit = _mm256_and_si256(hit, less_or_equal(load8(many[k], half), one[k + 3]));
            hit = _mm256_and_si256(hit, less_or_equal(one[k], load8(many[k + 3], half)));
        }
        bits |= mask_of(hit) << (8 * half);
    }
    bits
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn lanes_overlap_mask_avx2(a: Box16Columns<'_>, b: Box16Columns<'_>) -> u32 {
    let mut bits = 0;
    for half in 0..2 {
        let mut hit = _mm256_set1_epi32(-1);
        for k in 0..3 {
            hit = _mm256_and_si256(hit, less_or_equal(load8(a[k], half), load8(b[k + 3], half)));
            hit = _mm256_and_si256(hit, less_or_equal(load8(b[k], half), load8(a[k + 3], half)));
        }
        bits |= mask_of(hit) << (8 * half);
    }
    bits
}
