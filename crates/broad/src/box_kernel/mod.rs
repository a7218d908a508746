//! The comparison of boxes, sixteen at a time, by the vector instructions of each level.
//!
//! Two boxes overlap when, along each axis, neither begins after the other has ended; both ends
//! belong to a box. A pair takes six unsigned comparisons of integers. AVX-512 compares sixteen
//! integers at once, AVX2 eight.

#[cfg(target_arch = "x86_64")]
mod x86;

use super::box16::{Box16Columns, WIDTH};
use super::boxes::LatticeBox;
use clearsweep_base::simd::Portable;
#[cfg(target_arch = "x86_64")]
use clearsweep_base::simd::{Avx2, Avx512};

/// The integer operations of a level on sixteen lanes. Bit `i` of a mask stands for lane `i`.
///
/// The implementations for x86-64 may be used only in code that `dispatch!` has entered, as all of
/// [`clearsweep_base::simd`].
pub(super) trait BoxKernel: Copy {
    /// A box prepared for comparisons: each coordinate in all lanes of a vector.
    type Broadcast: Copy;

    /// Prepares a box.
    fn broadcast(one: &LatticeBox) -> Self::Broadcast;

    /// Prepares the box in a lane of `of`.
    #[inline(always)]
    fn broadcast_lane(of: Box16Columns<'_>, lane: usize) -> Self::Broadcast {
        let at = |k: usize| of[k][lane % WIDTH];
        Self::broadcast(&LatticeBox { min: [at(0), at(1), at(2)], max: [at(3), at(4), at(5)] })
    }

    /// The mask of the boxes of `many` that overlap the box.
    fn overlap_mask(one: &Self::Broadcast, many: Box16Columns<'_>) -> u32;

    /// The mask of the lanes in which the boxes of `a` and `b` overlap.
    fn lanes_overlap_mask(a: Box16Columns<'_>, b: Box16Columns<'_>) -> u32;

    /// The mask of the numbers below `limit`.
    fn less_than_mask(numbers: &[u32; WIDTH], limit: u32) -> u32;

    /// Writes the numbers whose bit is set in `mask` to the beginning of `to`. The rest of `to` is
    /// unspecified.
    #[inline(always)]
    fn compress(numbers: &[u32; WIDTH], mut mask: u32, to: &mut [u32; WIDTH]) {
        let mut count = 0;
        while mask != 0 {
            to[count % WIDTH] = numbers[mask.trailing_zeros() as usize % WIDTH];
            count += 1;
            mask &= mask - 1;
        }
    }
}

/// Packs bytes that are 0 or 1 into bits. The product moves byte `i` of a word to bit 56 + i.
#[inline(always)]
fn pack(hit: &[u8; WIDTH]) -> u32 {
    let (words, _) = hit.as_chunks::<8>();
    let bits = |word: &[u8; 8]| u64::from_le_bytes(*word).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    words.iter().zip(0..).fold(0, |mask, (word, i)| mask | (bits(word) as u32) << (8 * i))
}

impl BoxKernel for Portable {
    type Broadcast = LatticeBox;

    #[inline(always)]
    fn broadcast(one: &LatticeBox) -> LatticeBox {
        *one
    }

    #[inline(always)]
    fn overlap_mask(one: &LatticeBox, many: Box16Columns<'_>) -> u32 {
        let mut hit = [1_u8; WIDTH];
        for k in 0..3 {
            for i in 0..WIDTH {
                hit[i] &= u8::from(many[k][i] <= one.max[k]) & u8::from(one.min[k] <= many[k + 3][i]);
            }
        }
        pack(&hit)
    }

    #[inline(always)]
    fn lanes_overlap_mask(a: Box16Columns<'_>, b: Box16Columns<'_>) -> u32 {
        let mut hit = [1_u8; WIDTH];
        for k in 0..3 {
            for i in 0..WIDTH {
                hit[i] &= u8::from(a[k][i] <= b[k + 3][i]) & u8::from(b[k][i] <= a[k + 3][i]);
            }
        }
        pack(&hit)
    }

    #[inline(always)]
    fn less_than_mask(numbers: &[u32; WIDTH], limit: u32) -> u32 {
        numbers.iter().zip(0..).fold(0, |bits, (&v, i)| bits | u32::from(v < limit) << i)
    }
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "the kernel is used only in code for its level, which `dispatch!` enters")]
impl BoxKernel for Avx2 {
    type Broadcast = [std::arch::x86_64::__m256i; 6];

    #[inline(always)]
    fn broadcast(one: &LatticeBox) -> Self::Broadcast {
        unsafe { x86::broadcast_avx2(one) }
    }

    #[inline(always)]
    fn overlap_mask(one: &Self::Broadcast, many: Box16Columns<'_>) -> u32 {
        unsafe { x86::overlap_mask_avx2(one, many) }
    }

    #[inline(always)]
    fn lanes_overlap_mask(a: Box16Columns<'_>, b: Box16Columns<'_>) -> u32 {
        unsafe { x86::lanes_overlap_mask_avx2(a, b) }
    }

    #[inline(always)]
    fn less_than_mask(numbers: &[u32; WIDTH], limit: u32) -> u32 {
        Portable::less_than_mask(numbers, limit)
    }
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "the kernel is used only in code for its level, which `dispatch!` enters")]
impl BoxKernel for Avx512 {
    type Broadcast = [std::arch::x86_64::__m512i; 6];

    #[inline(always)]
    fn broadcast(one: &LatticeBox) -> Self::Broadcast {
        unsafe { x86::broadcast_avx512(one) }
    }

    #[inline(always)]
    fn overlap_mask(one: &Self::Broadcast, many: Box16Columns<'_>) -> u32 {
        unsafe { x86::overlap_mask_avx512(one, many) }
    }

    #[inline(always)]
    fn lanes_overlap_mask(a: Box16Columns<'_>, b: Box16Columns<'_>) -> u32 {
        unsafe { x86::lanes_overlap_mask_avx512(a, b) }
    }

    #[inline(always)]
    fn less_than_mask(numbers: &[u32; WIDTH], limit: u32) -> u32 {
        unsafe { x86::less_than_mask_avx512(numbers, limit) }
    }

    #[inline(always)]
    fn compress(numbers: &[u32; WIDTH], mask: u32, to: &mut [u32; WIDTH]) {
        unsafe { x86::compress_avx512(numbers, mask, to) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::box16::Box16;
    use super::super::pair_buffer::PairBuffer;
    use super::*;
    use clearsweep_base::simd::{Level, dispatch};

    /// Compares a box with the boxes of `many`, and checks the masks and the pairs that are
    /// appended.
    #[inline(always)]
    fn check<K: BoxKernel>(one: &LatticeBox, many: &Box16, expected: u32) {
        let mut single = Box16::EMPTY;
        single.set(5, one);
        let hits = K::overlap_mask(&K::broadcast_lane(single.view(), 5), many.view());
        assert_eq!(hits, expected);
        let mut copies = Box16::EMPTY;
        (0..WIDTH).for_each(|lane| copies.set(lane, one));
        assert_eq!(K::lanes_overlap_mask(copies.view(), many.view()), expected);
        for numbers in many.view() {
            for limit in [0, 5, numbers[3], u32::MAX] {
                let bits = K::less_than_mask(numbers, limit);
                assert!(
                    numbers.iter().zip(0..).all(|(&v, i)| (bits >> i & 1 == 1) == (v < limit)) && bits >> WIDTH == 0
                );
            }
        }
        let ids = std::array::from_fn(|i| 100 + i as u32);
        let mut pairs = PairBuffer::new();
        for round in 0..3 {
            pairs.append::<K>(round, &ids, hits);
        }
        let mut found = Vec::new();
        pairs.drain(|first, second| found.push((first, second)));
        let named = (0..3).flat_map(|r| (0..16).filter(|i| expected >> i & 1 == 1).map(move |i| (r, 100 + i)));
        assert_eq!(found, named.collect::<Vec<_>>());
        pairs.drain(|_, _| panic!("the buffer is empty"));
    }

    dispatch!(at check_at, check, (one: &LatticeBox, many: &Box16, expected: u32) -> ());

    #[test]
    fn kernels_agree_with_the_definition() {
        let mut state = 3_u64;
        let mut next = |n: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) % n) as u32
        };
        let mut hits = 0;
        for round in 0..500 {
            let base = if round % 2 == 0 { 1 } else { u32::MAX - 40 }; // a signed comparison would fail here
            let mut random = || {
                let min = [0; 3].map(|_| base + next(12));
                LatticeBox { min, max: min.map(|v| v + next(8)) }
            };
            let mut many = Box16::EMPTY;
            let boxes: Vec<LatticeBox> = (0..round % 17).map(|_| random()).collect();
            boxes.iter().enumerate().for_each(|(i, b)| many.set(i, b));
            let one = random();
            let expected = boxes.iter().enumerate().fold(0, |m, (i, b)| m | u32::from(b.overlaps(&one)) << i);
            for level in Level::available() {
                check_at(level, &one, &many, expected);
            }
            assert!(boxes.iter().all(|b| many.bounds().overlaps(b)) && many.bounds().is_empty() == boxes.is_empty());
            hits += expected.count_ones();
        }
        assert!(hits > 200, "{hits} hits: not representative");
    }
}
