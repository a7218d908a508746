//! Sixteen boxes side by side, the comparison of one box with all of them, and the dispatch of whole searches to the
//! widest instructions. The tree and the grid are built on these.

use super::boxes::LatticeBox;
use super::pair_search::SearchResult;
use super::simd::Simd;
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;
use std::ops::Range;

/// The number of boxes that are compared at once.
pub(super) const WIDTH: usize = 16;

/// The columns of sixteen boxes, borrowed: min x, y, z, max x, y, z.
pub(super) type Box16Columns<'a> = [&'a [u32; WIDTH]; 6];

/// Sixteen boxes in six consecutive cache lines. Unused lanes hold the empty box.
#[derive(Debug, Clone, PartialEq, Eq)]
#[repr(align(64))]
pub(super) struct Box16 {
    /// min x, y, z, max x, y, z.
    columns: [[u32; WIDTH]; 6],
}

impl Box16 {
    /// Sixteen empty boxes.
    pub(super) const EMPTY: Self =
        Self { columns: [[u32::MAX; WIDTH], [u32::MAX; WIDTH], [u32::MAX; WIDTH], [0; WIDTH], [0; WIDTH], [0; WIDTH]] };

    /// The columns, as kernels take them.
    #[inline(always)]
    pub(super) fn view(&self) -> Box16Columns<'_> {
        self.columns.each_ref()
    }

    /// Stores a box in a lane.
    #[inline(always)]
    pub(super) fn set(&mut self, lane: usize, b: &LatticeBox) {
        debug_assert!(lane < WIDTH);
        for k in 0..3 {
            self.columns[k][lane % WIDTH] = b.min[k];
            self.columns[k + 3][lane % WIDTH] = b.max[k];
        }
    }

    /// The smallest box that contains all boxes; empty if all are.
    pub(super) fn bounds(&self) -> LatticeBox {
        let lowest = |k: usize| self.columns[k].iter().fold(u32::MAX, |m, &v| m.min(v));
        let highest = |k: usize| self.columns[k].iter().fold(0, |m, &v| m.max(v));
        LatticeBox { min: [lowest(0), lowest(1), lowest(2)], max: [highest(3), highest(4), highest(5)] }
    }
}

/// Collects pairs before they are visited. A comparison finds up to sixteen pairs, mostly zero to three: a loop over the
/// hits of each comparison would be mispredicted nearly every time. Hits are appended here without a branch and visited in
/// one long loop.
#[derive(Debug)]
pub(super) struct PairBuffer {
    first: [u32; CAPACITY],
    second: [u32; CAPACITY],
    count: usize,
}

/// The number of pairs that fit into a buffer.
const CAPACITY: usize = 512;

impl PairBuffer {
    pub(super) fn new() -> Self {
        Self { first: [0; CAPACITY], second: [0; CAPACITY], count: 0 }
    }

    /// Whether the pairs of another comparison might not fit.
    #[inline(always)]
    pub(super) fn is_full(&self) -> bool {
        self.count > CAPACITY - WIDTH
    }

    /// Calls `pair` for all pairs and empties the buffer.
    #[inline(always)]
    pub(super) fn drain(&mut self, mut pair: impl FnMut(u32, u32)) {
        for (&first, &second) in self.first.iter().zip(&self.second).take(self.count) {
            pair(first, second);
        }
        self.count = 0;
    }

    /// Appends the pairs of `first` with each of `ids` whose bit is set in `hits`. The buffer must not be full.
    #[inline(always)]
    fn append(&mut self, first: u32, ids: &[u32; WIDTH], mut hits: u32) {
        debug_assert!(!self.is_full(), "the buffer is drained in time");
        while hits != 0 {
            self.first[self.count] = first;
            self.second[self.count] = ids[hits.trailing_zeros() as usize % WIDTH];
            self.count += 1;
            hits &= hits - 1;
        }
    }
}

/// Compares one box with sixteen. The implementations differ only in their instructions.
pub(super) trait Box16Kernel: Copy {
    /// A box prepared for comparisons: each coordinate in all lanes of a vector.
    type Broadcast: Copy;

    /// Prepares the box in a lane of `of`.
    fn broadcast(self, of: Box16Columns<'_>, lane: usize) -> Self::Broadcast;

    /// The mask of the boxes of `many` that overlap the box.
    fn overlap_mask(self, one: &Self::Broadcast, many: Box16Columns<'_>) -> u32;

    /// The mask of the numbers below `limit`.
    fn less_than_mask(self, numbers: &[u32; WIDTH], limit: u32) -> u32;

    /// Appends the pairs of `first` with each of `ids` whose bit is set in `hits`. The buffer must not be full.
    fn append(self, pairs: &mut PairBuffer, first: u32, ids: &[u32; WIDTH], hits: u32);
}

/// The kernel of any processor.
#[derive(Debug, Clone, Copy)]
pub(super) struct Portable;

impl Box16Kernel for Portable {
    type Broadcast = LatticeBox;

    #[inline(always)]
    fn broadcast(self, of: Box16Columns<'_>, lane: usize) -> LatticeBox {
        let at = |k: usize| of[k][lane % WIDTH];
        LatticeBox { min: [at(0), at(1), at(2)], max: [at(3), at(4), at(5)] }
    }

    #[inline(always)]
    fn less_than_mask(self, numbers: &[u32; WIDTH], limit: u32) -> u32 {
        numbers.iter().zip(0..).fold(0, |bits, (&v, i)| bits | u32::from(v < limit) << i)
    }

    #[inline(always)]
    fn overlap_mask(self, one: &LatticeBox, c: Box16Columns<'_>) -> u32 {
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

    #[inline(always)]
    fn append(self, pairs: &mut PairBuffer, first: u32, ids: &[u32; WIDTH], hits: u32) {
        pairs.append(first, ids, hits);
    }
}

/// Made only inside functions that enable AVX2, which `Simd::detect` found.
#[cfg(target_arch = "x86_64")]
#[derive(Debug, Clone, Copy)]
pub(super) struct Avx2(());

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "the kernel is made only where the instructions were found")]
impl Box16Kernel for Avx2 {
    type Broadcast = [__m256i; 6];

    #[inline(always)]
    fn broadcast(self, of: Box16Columns<'_>, lane: usize) -> [__m256i; 6] {
        unsafe { x86::broadcast_avx2(of, lane) }
    }

    #[inline(always)]
    fn overlap_mask(self, one: &[__m256i; 6], many: Box16Columns<'_>) -> u32 {
        unsafe { x86::overlap_mask_avx2(one, many) }
    }

    #[inline(always)]
    fn less_than_mask(self, numbers: &[u32; WIDTH], limit: u32) -> u32 {
        unsafe { x86::less_than_mask_avx2(numbers, limit) }
    }

    #[inline(always)]
    fn append(self, pairs: &mut PairBuffer, first: u32, ids: &[u32; WIDTH], hits: u32) {
        pairs.append(first, ids, hits);
    }
}

/// Made only inside functions that enable AVX-512, which `Simd::detect` found.
#[cfg(target_arch = "x86_64")]
#[derive(Debug, Clone, Copy)]
pub(super) struct Avx512(());

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "the kernel is made only where the instructions were found")]
impl Box16Kernel for Avx512 {
    type Broadcast = [__m512i; 6];

    #[inline(always)]
    fn broadcast(self, of: Box16Columns<'_>, lane: usize) -> [__m512i; 6] {
        unsafe { x86::broadcast_avx512(of, lane) }
    }

    #[inline(always)]
    fn overlap_mask(self, one: &[__m512i; 6], many: Box16Columns<'_>) -> u32 {
        unsafe { x86::overlap_mask_avx512(one, many) }
    }

    #[inline(always)]
    fn less_than_mask(self, numbers: &[u32; WIDTH], limit: u32) -> u32 {
        unsafe { x86::less_than_mask_avx512(numbers, limit) }
    }

    #[inline(always)]
    fn append(self, pairs: &mut PairBuffer, first: u32, ids: &[u32; WIDTH], hits: u32) {
        unsafe { x86::append_avx512(pairs, first, ids, hits) }
    }
}

/// A spatial join over a range of leaves, rows or boxes, compiled once for each instruction set.
pub(super) trait RangeJoin {
    /// Runs the join over a range.
    fn run<K: Box16Kernel>(&self, k: K, range: Range<usize>, found: &mut SearchResult);
}

/// Runs a join with the instructions of a level.
pub(super) fn run_join(simd: Simd, join: &impl RangeJoin, range: Range<usize>, found: &mut SearchResult) {
    match simd {
        Simd::Plain => join.run(Portable, range, found),
        #[cfg(target_arch = "x86_64")]
        #[allow(unsafe_code, reason = "Simd::detect found the instructions on this machine")]
        Simd::Avx2 => unsafe { run_avx2(join, range, found) },
        #[cfg(target_arch = "x86_64")]
        #[allow(unsafe_code, reason = "Simd::detect found the instructions on this machine")]
        Simd::Avx512 => unsafe { run_avx512(join, range, found) },
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn run_avx2(join: &impl RangeJoin, range: Range<usize>, found: &mut SearchResult) {
    join.run(Avx2(()), range, found);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn run_avx512(join: &impl RangeJoin, range: Range<usize>, found: &mut SearchResult) {
    join.run(Avx512(()), range, found);
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{PairBuffer, Box16Columns, WIDTH};
    use std::arch::x86_64::*;

    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn broadcast_avx512(of: Box16Columns<'_>, lane: usize) -> [__m512i; 6] {
        let at = |k: usize| _mm512_set1_epi32(of[k][lane % WIDTH] as i32);
        [at(0), at(1), at(2), at(3), at(4), at(5)]
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn overlap_mask_avx512(one: &[__m512i; 6], many: Box16Columns<'_>) -> u32 {
        let load = |k: usize| {
            #[allow(unsafe_code, reason = "a column is sixteen values")]
            unsafe {
                _mm512_loadu_si512(many[k].as_ptr().cast())
            }
        };
        let mut hit = u16::MAX;
        for k in 0..3 {
            hit = _mm512_mask_cmple_epu32_mask(hit, load(k), one[k + 3]);
            hit = _mm512_mask_cmpge_epu32_mask(hit, load(k + 3), one[k]);
        }
        u32::from(hit)
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn less_than_mask_avx512(numbers: &[u32; WIDTH], limit: u32) -> u32 {
        #[allow(unsafe_code, reason = "sixteen values are read")]
        let numbers = unsafe { _mm512_loadu_si512(numbers.as_ptr().cast()) };
        u32::from(_mm512_cmplt_epu32_mask(numbers, _mm512_set1_epi32(limit as i32)))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn less_than_mask_avx2(numbers: &[u32; WIDTH], limit: u32) -> u32 {
        numbers.iter().zip(0..).fold(0, |bits, (&v, i)| bits | u32::from(v < limit) << i)
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn append_avx512(pairs: &mut PairBuffer, first: u32, ids: &[u32; WIDTH], hits: u32) {
        let at = pairs.count;
        let to_first = &mut pairs.first[at..at + WIDTH];
        let to_second = &mut pairs.second[at..at + WIDTH];
        #[allow(unsafe_code, reason = "sixteen values are read and written; the slices have as many")]
        unsafe {
            let hit = _mm512_maskz_compress_epi32(hits as u16, _mm512_loadu_si512(ids.as_ptr().cast()));
            _mm512_storeu_si512(to_second.as_mut_ptr().cast(), hit);
            _mm512_storeu_si512(to_first.as_mut_ptr().cast(), _mm512_set1_epi32(first as i32));
        }
        pairs.count = at + hits.count_ones() as usize;
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn broadcast_avx2(of: Box16Columns<'_>, lane: usize) -> [__m256i; 6] {
        let at = |k: usize| _mm256_set1_epi32(of[k][lane % WIDTH] as i32);
        [at(0), at(1), at(2), at(3), at(4), at(5)]
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn overlap_mask_avx2(one: &[__m256i; 6], many: Box16Columns<'_>) -> u32 {
        let load = |k: usize, half: usize| {
            #[allow(unsafe_code, reason = "half a column is eight values of sixteen")]
            unsafe {
                _mm256_loadu_si256(many[k][8 * half..].as_ptr().cast())
            }
        };
        // All ones in the lanes where `a <= b`, unsigned: AVX2 has no such comparison, but `max(a, b) == b` says the same.
        let not_above = |a: __m256i, b: __m256i| _mm256_cmpeq_epi32(_mm256_max_epu32(a, b), b);
        let mut bits = 0;
        for half in 0..2 {
            let mut hit = _mm256_set1_epi32(-1);
            for k in 0..3 {
                hit = _mm256_and_si256(hit, not_above(load(k, half), one[k + 3]));
                hit = _mm256_and_si256(hit, not_above(one[k], load(k + 3, half)));
            }
            bits |= (_mm256_movemask_ps(_mm256_castsi256_ps(hit)) as u32) << (8 * half);
        }
        bits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares box 5 of `single` with the boxes of `node`, and checks the mask and the pairs that are appended.
    fn check<K: Box16Kernel>(k: K, single: &Box16, node: &Box16, expected: u32) {
        let hits = k.overlap_mask(&k.broadcast(single.view(), 5), node.view());
        assert_eq!(hits, expected);
        for numbers in node.view() {
            for limit in [0, 5, numbers[3], u32::MAX] {
                let bits = k.less_than_mask(numbers, limit);
                assert!(
                    numbers.iter().zip(0..).all(|(&v, i)| (bits >> i & 1 == 1) == (v < limit)) && bits >> WIDTH == 0
                );
            }
        }
        let ids = std::array::from_fn(|i| 100 + i as u32);
        let mut pairs = PairBuffer::new();
        for round in 0..3 {
            k.append(&mut pairs, round, &ids, hits);
        }
        let mut found = Vec::new();
        pairs.drain(|first, second| found.push((first, second)));
        let named = (0..3).flat_map(|r| (0..16).filter(|i| expected >> i & 1 == 1).map(move |i| (r, 100 + i)));
        assert_eq!(found, named.collect::<Vec<_>>());
        pairs.drain(|_, _| panic!("nothing is left"));
    }

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
            let mut node = Box16::EMPTY;
            let boxes: Vec<LatticeBox> = (0..round % 17).map(|_| random()).collect();
            boxes.iter().enumerate().for_each(|(i, b)| node.set(i, b));
            let one = random();
            let mut single = Box16::EMPTY;
            single.set(5, &one);
            let expected = boxes.iter().enumerate().fold(0, |m, (i, b)| m | u32::from(b.overlaps(&one)) << i);
            check(Portable, &single, &node, expected);
            #[cfg(target_arch = "x86_64")]
            {
                if is_x86_feature_detected!("avx2") {
                    check(Avx2(()), &single, &node, expected);
                }
                if is_x86_feature_detected!("avx512f") {
                    check(Avx512(()), &single, &node, expected);
                }
            }
            assert!(boxes.iter().all(|b| node.bounds().overlaps(b)) && node.bounds().is_empty() == boxes.is_empty());
            hits += expected.count_ones();
        }
        assert!(hits > 200, "{hits} hits: not representative");
    }
}
