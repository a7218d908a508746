//! Sixteen boxes side by side, and the comparison of one box with them.

use super::super::boxes::LatticeBox;
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

/// Boxes in a node.
pub(super) const WIDTH: usize = 16;

/// Sixteen boxes in columns, six cache lines one after the other: min x, y, z, max x, y, z. Free lanes are empty.
#[derive(Debug, Clone, PartialEq, Eq)]
#[repr(align(64))]
pub(super) struct Node {
    pub(super) columns: [[u32; WIDTH]; 6],
}

impl Node {
    /// No box at all.
    pub(super) const EMPTY: Self =
        Self { columns: [[u32::MAX; WIDTH], [u32::MAX; WIDTH], [u32::MAX; WIDTH], [0; WIDTH], [0; WIDTH], [0; WIDTH]] };

    #[inline(always)]
    pub(super) fn get(&self, lane: usize) -> LatticeBox {
        let at = |k: usize| self.columns[k][lane % WIDTH];
        LatticeBox { min: [at(0), at(1), at(2)], max: [at(3), at(4), at(5)] }
    }

    #[inline(always)]
    pub(super) fn set(&mut self, lane: usize, b: &LatticeBox) {
        for k in 0..3 {
            self.columns[k][lane % WIDTH] = b.min[k];
            self.columns[k + 3][lane % WIDTH] = b.max[k];
        }
    }

    /// The box of all its boxes; empty if it has none.
    pub(super) fn bounds(&self) -> LatticeBox {
        let lowest = |k: usize| self.columns[k].iter().fold(u32::MAX, |m, &v| m.min(v));
        let highest = |k: usize| self.columns[k].iter().fold(0, |m, &v| m.max(v));
        LatticeBox { min: [lowest(0), lowest(1), lowest(2)], max: [highest(3), highest(4), highest(5)] }
    }
}

/// Compares one box with a node. Its implementations differ in the width of the instructions only.
pub(super) trait Kernel: Copy {
    /// Bit `i`: box `i` of the node overlaps `one`.
    fn hits(self, one: &LatticeBox, node: &Node) -> u32;
}

/// Portable.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plain;

impl Kernel for Plain {
    #[inline(always)]
    fn hits(self, one: &LatticeBox, node: &Node) -> u32 {
        let c = &node.columns;
        let mut bits = 0;
        for i in 0..WIDTH {
            let mut hit = true;
            for k in 0..3 {
                hit &= (c[k][i] <= one.max[k]) & (one.min[k] <= c[k + 3][i]);
            }
            bits |= u32::from(hit) << i;
        }
        bits
    }
}

/// Made only inside functions that enable AVX2, which `Simd::detect` found.
#[cfg(target_arch = "x86_64")]
#[derive(Debug, Clone, Copy)]
pub(super) struct Avx2(pub(super) ());

#[cfg(target_arch = "x86_64")]
impl Kernel for Avx2 {
    #[inline(always)]
    #[allow(unsafe_code, reason = "the kernel is made only where the instructions were found")]
    fn hits(self, one: &LatticeBox, node: &Node) -> u32 {
        unsafe { hits_avx2(one, node) }
    }
}

/// Made only inside functions that enable AVX-512, which `Simd::detect` found.
#[cfg(target_arch = "x86_64")]
#[derive(Debug, Clone, Copy)]
pub(super) struct Avx512(pub(super) ());

#[cfg(target_arch = "x86_64")]
impl Kernel for Avx512 {
    #[inline(always)]
    #[allow(unsafe_code, reason = "the kernel is made only where the instructions were found")]
    fn hits(self, one: &LatticeBox, node: &Node) -> u32 {
        unsafe { hits_avx512(one, node) }
    }
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f")]
fn hits_avx512(one: &LatticeBox, node: &Node) -> u32 {
    let load = |k: usize| {
        #[allow(unsafe_code, reason = "a column is sixteen aligned values")]
        unsafe {
            _mm512_load_si512(node.columns[k].as_ptr().cast())
        }
    };
    let mut hit = u16::MAX;
    for k in 0..3 {
        hit = _mm512_mask_cmple_epu32_mask(hit, load(k), _mm512_set1_epi32(one.max[k] as i32));
        hit = _mm512_mask_cmpge_epu32_mask(hit, load(k + 3), _mm512_set1_epi32(one.min[k] as i32));
    }
    u32::from(hit)
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2")]
fn hits_avx2(one: &LatticeBox, node: &Node) -> u32 {
    let load = |k: usize, half: usize| {
        #[allow(unsafe_code, reason = "half a column is eight values of sixteen")]
        unsafe {
            _mm256_loadu_si256(node.columns[k][8 * half..].as_ptr().cast())
        }
    };
    // All ones where `a <= b`, unsigned: where the larger of the two is `b`.
    let not_above = |a: __m256i, b: __m256i| _mm256_cmpeq_epi32(_mm256_max_epu32(a, b), b);
    let mut bits = 0;
    for half in 0..2 {
        let mut hit = _mm256_set1_epi32(-1);
        for k in 0..3 {
            hit = _mm256_and_si256(hit, not_above(load(k, half), _mm256_set1_epi32(one.max[k] as i32)));
            hit = _mm256_and_si256(hit, not_above(_mm256_set1_epi32(one.min[k] as i32), load(k + 3, half)));
        }
        bits |= (_mm256_movemask_ps(_mm256_castsi256_ps(hit)) as u32) << (8 * half);
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_agree_with_the_definition() {
        let mut state = 3_u64;
        let mut next = |n: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) % n) as u32
        };
        let mut hits = 0;
        for round in 0..500 {
            let base = if round % 2 == 0 { 1 } else { u32::MAX - 40 }; // signed comparison would fail
            let mut random = || {
                let min = [0; 3].map(|_| base + next(12));
                LatticeBox { min, max: min.map(|v| v + next(8)) }
            };
            let mut node = Node::EMPTY;
            let boxes: Vec<LatticeBox> = (0..round % 17).map(|_| random()).collect();
            boxes.iter().enumerate().for_each(|(i, b)| node.set(i, b));
            let one = random();
            let expected = boxes.iter().enumerate().fold(0, |m, (i, b)| m | u32::from(b.overlaps(&one)) << i);
            assert_eq!(Plain.hits(&one, &node), expected);
            #[cfg(target_arch = "x86_64")]
            {
                if is_x86_feature_detected!("avx2") {
                    assert_eq!(Avx2(()).hits(&one, &node), expected);
                }
                if is_x86_feature_detected!("avx512f") {
                    assert_eq!(Avx512(()).hits(&one, &node), expected);
                }
            }
            assert!(boxes.iter().all(|b| node.bounds().overlaps(b)) && node.bounds().is_empty() == boxes.is_empty());
            hits += expected.count_ones();
        }
        assert!(hits > 200, "{hits} hits: not representative");
    }
}
