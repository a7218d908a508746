//! Eight lanes in AVX2 (two registers) and AVX-512 (one).
#![allow(unsafe_code, reason = "the instructions of a level: reached only from code that the level was asked for")]

use super::registers::{Lane, Simd, TABLE, WIDTH};
use std::arch::x86_64::*;

/// Registers of four lanes, two of them.
#[derive(Debug, Clone, Copy)]
pub struct Avx2;

/// Registers of eight lanes.
#[derive(Debug, Clone, Copy)]
pub struct Avx512;

// SAFETY of every block below: the types are used only inside functions compiled for their level,
// which `dispatch` enters only where the processor has it; loads and stores are of whole arrays,
// unaligned.

macro_rules! twice {
    ($name:ident, $call:ident) => {
        #[inline(always)]
        fn $name(a: Self::F, b: Self::F) -> Self::F {
            unsafe { [$call(a[0], b[0]), $call(a[1], b[1])] }
        }
    };
}

macro_rules! compare_twice {
    ($name:ident, $how:ident) => {
        #[inline(always)]
        fn $name(a: Self::F, b: Self::F) -> Self::M {
            unsafe { [_mm256_cmp_pd::<$how>(a[0], b[0]), _mm256_cmp_pd::<$how>(a[1], b[1])] }
        }
    };
}

/// The columns of four rows.
///
/// # Safety
/// The processor must have AVX2.
#[inline(always)]
unsafe fn four_columns(rows: [&[f64; 4]; 4]) -> [__m256d; 4] {
    unsafe { transposed(rows.map(|row| _mm256_loadu_pd(row.as_ptr()))) }
}

/// Rows as columns.
///
/// # Safety
/// The processor must have AVX2.
#[inline(always)]
unsafe fn transposed([a, b, c, d]: [__m256d; 4]) -> [__m256d; 4] {
    unsafe {
        let [ab, cd] = [_mm256_unpacklo_pd(a, b), _mm256_unpacklo_pd(c, d)];
        let [ab_odd, cd_odd] = [_mm256_unpackhi_pd(a, b), _mm256_unpackhi_pd(c, d)];
        [
            _mm256_permute2f128_pd::<0x20>(ab, cd),
            _mm256_permute2f128_pd::<0x20>(ab_odd, cd_odd),
            _mm256_permute2f128_pd::<0x31>(ab, cd),
            _mm256_permute2f128_pd::<0x31>(ab_odd, cd_odd),
        ]
    }
}

impl Simd for Avx2 {
    type F = [__m256d; 2];
    type M = [__m256d; 2];
    #[inline(always)]
    fn splat(x: f64) -> Self::F {
        unsafe { [_mm256_set1_pd(x); 2] }
    }
    #[inline(always)]
    fn load(from: &Lane) -> Self::F {
        unsafe { [_mm256_loadu_pd(from.as_ptr()), _mm256_loadu_pd(from.as_ptr().add(4))] }
    }
    #[inline(always)]
    fn store(a: Self::F, to: &mut Lane) {
        unsafe {
            _mm256_storeu_pd(to.as_mut_ptr(), a[0]);
            _mm256_storeu_pd(to.as_mut_ptr().add(4), a[1]);
        }
    }
    #[inline(always)]
    fn gather(from: &[f64], at: Self::F) -> Self::F {
        let mut index = [0.0; 8];
        Self::store(at, &mut index);
        let last = from.len() - 1;
        for at in &mut index {
            *at = from[(*at as usize).min(last)];
        }
        Self::load(&index)
    }
    #[inline(always)]
    fn look_up(table: &[f64; TABLE], at: &[u8; WIDTH]) -> Self::F {
        Self::load(&at.map(|at| table[usize::from(at) % TABLE]))
    }
    twice!(add, _mm256_add_pd);
    twice!(sub, _mm256_sub_pd);
    twice!(mul, _mm256_mul_pd);
    twice!(div, _mm256_div_pd);
    twice!(max, _mm256_max_pd);
    twice!(min, _mm256_min_pd);
    #[inline(always)]
    fn twice(from: &[f64; 4]) -> Self::F {
        unsafe { [_mm256_loadu_pd(from.as_ptr()); 2] }
    }
    #[inline(always)]
    fn join(low: &[f64; 4], high: &[f64; 4]) -> Self::F {
        unsafe { [_mm256_loadu_pd(low.as_ptr()), _mm256_loadu_pd(high.as_ptr())] }
    }
    #[inline(always)]
    fn columns(rows: [&[f64; 4]; WIDTH]) -> [Self::F; 4] {
        let [a, b, c, d, e, f, g, h] = rows;
        unsafe {
            let [low, high] = [four_columns([a, b, c, d]), four_columns([e, f, g, h])];
            [[low[0], high[0]], [low[1], high[1]], [low[2], high[2]], [low[3], high[3]]]
        }
    }
    #[inline(always)]
    fn rows(columns: [Self::F; 4], to: &mut [[f64; 4]; WIDTH]) {
        unsafe {
            let [low, high] = [transposed(columns.map(|c| c[0])), transposed(columns.map(|c| c[1]))];
            for k in 0..4 {
                _mm256_storeu_pd(to[k].as_mut_ptr(), low[k]);
                _mm256_storeu_pd(to[k + 4].as_mut_ptr(), high[k]);
            }
        }
    }
    #[inline(always)]
    fn quad(x: f64, y: f64, z: f64, w: f64) -> Self::F {
        unsafe { [_mm256_setr_pd(x, y, z, w); 2] }
    }
    #[inline(always)]
    fn spread<const I: usize>(a: Self::F) -> Self::F {
        // The immediate cannot be computed from a parameter.
        unsafe {
            match I {
                0 => [_mm256_permute4x64_pd::<0x00>(a[0]), _mm256_permute4x64_pd::<0x00>(a[1])],
                1 => [_mm256_permute4x64_pd::<0x55>(a[0]), _mm256_permute4x64_pd::<0x55>(a[1])],
                2 => [_mm256_permute4x64_pd::<0xaa>(a[0]), _mm256_permute4x64_pd::<0xaa>(a[1])],
                _ => [_mm256_permute4x64_pd::<0xff>(a[0]), _mm256_permute4x64_pd::<0xff>(a[1])],
            }
        }
    }
    #[inline(always)]
    fn low(a: Self::F) -> Self::F {
        [a[0]; 2]
    }
    #[inline(always)]
    fn high(a: Self::F) -> Self::F {
        [a[1]; 2]
    }
    #[inline(always)]
    fn first(a: Self::F) -> f64 {
        unsafe { _mm256_cvtsd_f64(a[0]) }
    }
    #[inline(always)]
    fn neg(a: Self::F) -> Self::F {
        unsafe {
            let sign = _mm256_set1_pd(-0.0);
            [_mm256_xor_pd(a[0], sign), _mm256_xor_pd(a[1], sign)]
        }
    }
    #[inline(always)]
    fn sqrt(a: Self::F) -> Self::F {
        unsafe { [_mm256_sqrt_pd(a[0]), _mm256_sqrt_pd(a[1])] }
    }
    compare_twice!(lt, _CMP_LT_OQ);
    compare_twice!(le, _CMP_LE_OQ);
    compare_twice!(eq, _CMP_EQ_OQ);
    #[inline(always)]
    fn pick(m: Self::M, a: Self::F, b: Self::F) -> Self::F {
        unsafe { [_mm256_blendv_pd(b[0], a[0], m[0]), _mm256_blendv_pd(b[1], a[1], m[1])] }
    }
    twice!(and, _mm256_and_pd);
    twice!(or, _mm256_or_pd);
    #[inline(always)]
    fn bits(m: Self::M) -> u8 {
        unsafe { (_mm256_movemask_pd(m[0]) | _mm256_movemask_pd(m[1]) << 4) as u8 }
    }
    #[inline(always)]
    fn mask(bits: u8) -> Self::M {
        unsafe {
            let (all, low) = (_mm256_set1_epi64x(i64::from(bits)), _mm256_set_epi64x(8, 4, 2, 1));
            let high = _mm256_slli_epi64::<4>(low);
            let low = _mm256_cmpeq_epi64(_mm256_and_si256(all, low), low);
            let high = _mm256_cmpeq_epi64(_mm256_and_si256(all, high), high);
            [_mm256_castsi256_pd(low), _mm256_castsi256_pd(high)]
        }
    }
    #[inline(always)]
    fn max_lane(a: Self::F) -> f64 {
        unsafe {
            let four = _mm256_max_pd(a[0], a[1]);
            let two = _mm_max_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd::<1>(four));
            _mm_cvtsd_f64(_mm_max_sd(two, _mm_unpackhi_pd(two, two)))
        }
    }
    #[inline(always)]
    fn min_lane(a: Self::F) -> f64 {
        unsafe {
            let four = _mm256_min_pd(a[0], a[1]);
            let two = _mm_min_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd::<1>(four));
            _mm_cvtsd_f64(_mm_min_sd(two, _mm_unpackhi_pd(two, two)))
        }
    }
}

macro_rules! once {
    ($name:ident, $call:ident) => {
        #[inline(always)]
        fn $name(a: Self::F, b: Self::F) -> Self::F {
            unsafe { $call(a, b) }
        }
    };
}

macro_rules! compare_once {
    ($name:ident, $how:ident) => {
        #[inline(always)]
        fn $name(a: Self::F, b: Self::F) -> Self::M {
            unsafe { _mm512_cmp_pd_mask::<$how>(a, b) }
        }
    };
}

/// Four rows as columns, in each half.
///
/// # Safety
/// The processor must have AVX-512.
#[inline(always)]
unsafe fn transposed_halves([a, b, c, d]: [__m512d; 4]) -> [__m512d; 4] {
    unsafe {
        let [ab, cd] = [_mm512_unpacklo_pd(a, b), _mm512_unpacklo_pd(c, d)];
        let [ab_odd, cd_odd] = [_mm512_unpackhi_pd(a, b), _mm512_unpackhi_pd(c, d)];
        let first = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
        let third = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
        [
            _mm512_permutex2var_pd(ab, first, cd),
            _mm512_permutex2var_pd(ab_odd, first, cd_odd),
            _mm512_permutex2var_pd(ab, third, cd),
            _mm512_permutex2var_pd(ab_odd, third, cd_odd),
        ]
    }
}

impl Simd for Avx512 {
    type F = __m512d;
    type M = __mmask8;
    #[inline(always)]
    fn splat(x: f64) -> Self::F {
        unsafe { _mm512_set1_pd(x) }
    }
    #[inline(always)]
    fn load(from: &Lane) -> Self::F {
        unsafe { _mm512_loadu_pd(from.as_ptr()) }
    }
    #[inline(always)]
    fn store(a: Self::F, to: &mut Lane) {
        unsafe { _mm512_storeu_pd(to.as_mut_ptr(), a) }
    }
    #[inline(always)]
    fn gather(from: &[f64], at: Self::F) -> Self::F {
        assert!(!from.is_empty() && from.len() <= i32::MAX as usize);
        unsafe {
            // Into the slice, whatever the number (a maximum with NaN in its first place is its
            // second, 0).
            let last = _mm512_set1_pd((from.len() - 1) as f64);
            let inside = _mm512_min_pd(_mm512_max_pd(at, _mm512_setzero_pd()), last);
            _mm512_i32gather_pd::<8>(_mm512_cvttpd_epi32(inside), from.as_ptr())
        }
    }
    #[inline(always)]
    fn look_up(table: &[f64; TABLE], at: &[u8; WIDTH]) -> Self::F {
        // The table is four registers; a permutation reads as many bits of an index as it needs.
        unsafe {
            let table = table.as_ptr();
            let at = _mm512_cvtepu8_epi64(_mm_set_epi64x(0, i64::from_le_bytes(*at)));
            let low = _mm512_permutex2var_pd(_mm512_loadu_pd(table), at, _mm512_loadu_pd(table.add(8)));
            let high = _mm512_permutex2var_pd(_mm512_loadu_pd(table.add(16)), at, _mm512_loadu_pd(table.add(24)));
            let upper = _mm512_test_epi64_mask(at, _mm512_set1_epi64(16));
            _mm512_mask_blend_pd(upper, low, high)
        }
    }
    once!(add, _mm512_add_pd);
    once!(sub, _mm512_sub_pd);
    once!(mul, _mm512_mul_pd);
    once!(div, _mm512_div_pd);
    once!(max, _mm512_max_pd);
    once!(min, _mm512_min_pd);
    #[inline(always)]
    fn twice(from: &[f64; 4]) -> Self::F {
        unsafe { _mm512_broadcast_f64x4(_mm256_loadu_pd(from.as_ptr())) }
    }
    #[inline(always)]
    fn join(low: &[f64; 4], high: &[f64; 4]) -> Self::F {
        unsafe {
            let low = _mm512_castpd256_pd512(_mm256_loadu_pd(low.as_ptr()));
            _mm512_insertf64x4::<1>(low, _mm256_loadu_pd(high.as_ptr()))
        }
    }
    #[inline(always)]
    fn columns(rows: [&[f64; 4]; WIDTH]) -> [Self::F; 4] {
        let [a, b, c, d, e, f, g, h] = rows;
        // As the four columns of four rows, in both halves.
        unsafe { transposed_halves([Self::join(a, e), Self::join(b, f), Self::join(c, g), Self::join(d, h)]) }
    }
    #[inline(always)]
    fn rows(columns: [Self::F; 4], to: &mut [[f64; 4]; WIDTH]) {
        unsafe {
            for (k, rows) in transposed_halves(columns).into_iter().enumerate() {
                _mm256_storeu_pd(to[k].as_mut_ptr(), _mm512_castpd512_pd256(rows));
                _mm256_storeu_pd(to[k + 4].as_mut_ptr(), _mm512_extractf64x4_pd::<1>(rows));
            }
        }
    }
    #[inline(always)]
    fn quad(x: f64, y: f64, z: f64, w: f64) -> Self::F {
        unsafe { _mm512_broadcast_f64x4(_mm256_setr_pd(x, y, z, w)) }
    }
    #[inline(always)]
    fn spread<const I: usize>(a: Self::F) -> Self::F {
        // The immediate cannot be computed from a parameter.
        unsafe {
            match I {
                0 => _mm512_permutex_pd::<0x00>(a),
                1 => _mm512_permutex_pd::<0x55>(a),
                2 => _mm512_permutex_pd::<0xaa>(a),
                _ => _mm512_permutex_pd::<0xff>(a),
            }
        }
    }
    #[inline(always)]
    fn low(a: Self::F) -> Self::F {
        unsafe { _mm512_shuffle_f64x2::<0b01_00_01_00>(a, a) }
    }
    #[inline(always)]
    fn high(a: Self::F) -> Self::F {
        unsafe { _mm512_shuffle_f64x2::<0b11_10_11_10>(a, a) }
    }
    #[inline(always)]
    fn first(a: Self::F) -> f64 {
        unsafe { _mm512_cvtsd_f64(a) }
    }
    #[inline(always)]
    fn neg(a: Self::F) -> Self::F {
        unsafe { _mm512_xor_pd(a, _mm512_set1_pd(-0.0)) }
    }
    #[inline(always)]
    fn sqrt(a: Self::F) -> Self::F {
        unsafe { _mm512_sqrt_pd(a) }
    }
    compare_once!(lt, _CMP_LT_OQ);
    compare_once!(le, _CMP_LE_OQ);
    compare_once!(eq, _CMP_EQ_OQ);
    #[inline(always)]
    fn pick(m: Self::M, a: Self::F, b: Self::F) -> Self::F {
        unsafe { _mm512_mask_blend_pd(m, b, a) }
    }
    #[inline(always)]
    fn and(a: Self::M, b: Self::M) -> Self::M {
        a & b
    }
    #[inline(always)]
    fn or(a: Self::M, b: Self::M) -> Self::M {
        a | b
    }
    #[inline(always)]
    fn bits(m: Self::M) -> u8 {
        m
    }
    #[inline(always)]
    fn mask(bits: u8) -> Self::M {
        bits
    }
    #[inline(always)]
    fn max_lane(a: Self::F) -> f64 {
        unsafe { _mm512_reduce_max_pd(a) }
    }
    #[inline(always)]
    fn min_lane(a: Self::F) -> f64 {
        unsafe { _mm512_reduce_min_pd(a) }
    }
}
