//! The order of boxes in the leaves of the tree: boxes of similar size that are near each other are
//! consecutive.
//!
//! Boxes are sorted by size class, then by the Hilbert index of their centre. Unlike Morton's
//! curve, Hilbert's never jumps: sixteen consecutive boxes fill about half the volume, and half as
//! many leaves overlap. A large box among small ones would make every node above it large; in a
//! class of its own it does not.

use super::super::box_set::BoxSet;
use super::super::boxes::LatticeBox;
use super::super::parallel::{bucket_count, concat, partition};
use clearsweep_base::simd::{Level, dispatch};
use rayon::prelude::*;

/// The bits per axis of the Hilbert index by which the radix sort orders boxes.
const HILBERT_BITS: u32 = 10;
/// The bits per axis of the Morton code by which boxes of equal Hilbert index are ordered.
const MORTON_BITS: u32 = 20;
/// The bits of the index of a box in its set.
const INDEX_BITS: u32 = 28;
/// The most boxes that a tree can hold.
const MAX_BOXES: usize = 1 << INDEX_BITS;
/// The number of octaves (factors of two in size) that a class spans.
const OCTAVES: u32 = 2;
/// The highest class. It takes six bits, so a key has 6 + 30 bits.
const LAST_CLASS: u32 = 63;
/// The bits of a digit of the radix sort.
const DIGIT_BITS: u32 = 12;
/// The number of digits of a key.
const DIGITS: u32 = 3;
/// Number of boxes of one key up to which they need no finer order, since they share few nodes in
/// any order.
const UNREFINED: usize = 16;

/// The bounds and the largest size of the boxes of a set, from which their keys are computed.
#[derive(Debug, Clone, Copy)]
struct SetExtent {
    /// The lowest coordinates of the boxes.
    low: [u32; 3],
    /// The cells of the Hilbert index are `2^shift` coordinates wide.
    shift: u32,
    /// The number of binary digits of the longest side of the largest box.
    largest: u32,
}

impl SetExtent {
    fn of(set: &BoxSet) -> Self {
        let [x, y, z, to_x, to_y, to_z] = set.columns();
        let lowest = |c: &[u32]| c.iter().fold(u32::MAX, |m, &v| m.min(v));
        let highest = |c: &[u32]| c.iter().fold(0, |m, &v| m.max(v));
        let longest =
            |from: &[u32], to: &[u32]| from.iter().zip(to).fold(0, |m, (&from, &to)| m.max(to.saturating_sub(from)));
        let low = [lowest(x), lowest(y), lowest(z)];
        let high = [highest(to_x), highest(to_y), highest(to_z)];
        let extent = (0..3).fold(0, |m, k| m.max(high[k].saturating_sub(low[k])));
        let side = longest(x, to_x).max(longest(y, to_y)).max(longest(z, to_z));
        Self {
            low,
            shift: (u32::BITS - extent.leading_zeros()).saturating_sub(HILBERT_BITS),
            largest: u32::BITS - side.leading_zeros(),
        }
    }

    /// The class of a box by its longest side; 0 for the largest boxes.
    #[inline(always)]
    fn class(&self, side: u32) -> u32 {
        (self.largest.saturating_sub(u32::BITS - side.leading_zeros()) / OCTAVES).min(LAST_CLASS)
    }

    /// The centre of a box relative to the lowest coordinates.
    #[inline]
    fn centre(&self, b: &LatticeBox) -> [u32; 3] {
        std::array::from_fn(|k| b.min[k].midpoint(b.max[k]).saturating_sub(self.low[k]))
    }

    /// The keys of up to sixteen boxes from box `at` on: the class in the high bits, then the
    /// Hilbert index. Small boxes come first. A leaf is joined with the leaves after it, so the
    /// pairs of a small and a large box belong to the task of the small one, and the pairs of large
    /// boxes are spread over many tasks.
    #[inline(always)]
    fn keys(&self, set: &BoxSet, at: usize, out: &mut [u64]) {
        let mut cells = [[0_u32; LANES]; 3];
        let mut classes = [0_u64; LANES];
        let count = out.len().min(LANES);
        let columns = set.columns();
        let mut longest = [0_u32; LANES];
        for k in 0..3 {
            let (from, to) = (&columns[k][at..at + count], &columns[k + 3][at..at + count]);
            for lane in 0..count {
                cells[k][lane] = from[lane].midpoint(to[lane]).saturating_sub(self.low[k]) >> self.shift;
                longest[lane] = longest[lane].max(to[lane].saturating_sub(from[lane]));
            }
        }
        for lane in 0..LANES {
            classes[lane] = u64::from(LAST_CLASS - self.class(longest[lane]));
        }
        hilbert_axes(&mut cells);
        // The first axis supplies the highest bit of each triple.
        let [z, y, x] = cells;
        for (lane, key) in out.iter_mut().enumerate().take(LANES) {
            let number = morton(u64::from(x[lane]), u64::from(y[lane]), u64::from(z[lane]));
            *key = classes[lane] << (3 * HILBERT_BITS) | number;
        }
    }

    /// The Morton code of the centre of a box in finer cells.
    fn fine(&self, b: &LatticeBox) -> u64 {
        let shift = self.shift.saturating_sub(MORTON_BITS - HILBERT_BITS);
        let [x, y, z] = self.centre(b).map(|v| u64::from(v >> shift));
        morton(x, y, z)
    }
}

/// Interleaves the bits of three numbers of at most 20 bits.
#[inline]
fn morton(x: u64, y: u64, z: u64) -> u64 {
    spread(x) | spread(y) << 1 | spread(z) << 2
}

/// Moves bit `i` to bit `3 i`.
#[inline]
fn spread(v: u64) -> u64 {
    let v = (v | v << 32) & 0x001f_0000_0000_ffff;
    let v = (v | v << 16) & 0x001f_0000_ff00_00ff;
    let v = (v | v << 8) & 0x100f_00f0_0f00_f00f;
    let v = (v | v << 4) & 0x10c3_0c30_c30c_30c3;
    (v | v << 2) & 0x1249_2492_4924_9249
}

/// The number of boxes whose keys are computed side by side.
const LANES: usize = 16;

/// Transforms coordinates of [`HILBERT_BITS`] bits into those whose interleaved bits, the first
/// axis highest, are the Hilbert index (Skilling 2004, "Programming the Hilbert curve": inverse
/// undo, then Gray encode).
#[inline(always)]
fn hilbert_axes(cells: &mut [[u32; LANES]; 3]) {
    // The loops over the lanes are innermost, so that they compile to vector instructions.
    for bit in (1..HILBERT_BITS).rev() {
        let low = (1_u32 << bit) - 1;
        let [x, y, z] = &mut *cells;
        for lane in 0..LANES {
            x[lane] ^= low & all_ones(x[lane], bit);
        }
        // If the bit is set, the low bits of the first axis are inverted; else they are exchanged
        // with the low bits of the other axis.
        for other in [y, z] {
            for lane in 0..LANES {
                let set = all_ones(other[lane], bit);
                let exchanged = (x[lane] ^ other[lane]) & low & !set;
                x[lane] ^= (low & set) | exchanged;
                other[lane] ^= exchanged;
            }
        }
    }
    let [x, y, z] = cells;
    let mut flip = [0; LANES];
    for lane in 0..LANES {
        y[lane] ^= x[lane];
        z[lane] ^= y[lane];
    }
    for bit in (1..HILBERT_BITS).rev() {
        for lane in 0..LANES {
            flip[lane] ^= all_ones(z[lane], bit) & ((1 << bit) - 1);
        }
    }
    for axis in [x, y, z] {
        for lane in 0..LANES {
            axis[lane] ^= flip[lane];
        }
    }
}

/// All ones if the bit of `v` is set, else 0.
#[inline(always)]
fn all_ones(v: u32, bit: u32) -> u32 {
    (v >> bit & 1).wrapping_neg()
}

/// Writes the entries (key, then index of the box) of the boxes from `first` on.
#[inline(always)]
fn write_entries(extent: &SetExtent, set: &BoxSet, first: usize, out: &mut [u64]) {
    for (part, at) in out.chunks_mut(LANES).zip((first..).step_by(LANES)) {
        extent.keys(set, at, part);
        part.iter_mut().zip(at as u64..).for_each(|(entry, index)| *entry = *entry << INDEX_BITS | index);
    }
}

dispatch!(loops at write_entries_at, write_entries, (extent: &SetExtent, set: &BoxSet, first: usize, out: &mut [u64]) -> ());

/// The indices of the boxes of a set (at most [`MAX_BOXES`]) in the order of the leaves.
pub(super) fn hilbert_order(simd: Level, set: &BoxSet, parallel: bool) -> Vec<u32> {
    const PART: usize = 4096;
    assert!(set.len() <= MAX_BOXES, "{} boxes do not fit into one tree", set.len());
    let parallel = parallel && rayon::current_num_threads() > 1;
    let extent = SetExtent::of(set);
    let mut entries = vec![0; set.len()];
    if parallel {
        let parts = entries.par_chunks_mut(PART).enumerate();
        parts.for_each(|(i, part)| write_entries_at(simd, &extent, set, i * PART, part));
    } else {
        write_entries_at(simd, &extent, set, 0, &mut entries);
    }
    let index = |entry: u64| (entry & (MAX_BOXES as u64 - 1)) as u32;
    let finish = |part: &mut Vec<u64>| {
        radix_sort(part);
        refine(part, |entry| extent.fine(&set.get(index(entry) as usize)));
        part.iter().map(|&entry| index(entry)).collect::<Vec<u32>>()
    };
    if !parallel {
        return finish(&mut entries);
    }
    let splitters = splitters(&entries, bucket_count());
    let bucket_of = |entry: u64| splitters.iter().filter(|&&splitter| splitter <= entry).count();
    let parts: Vec<&[u64]> = entries.chunks(PART).collect();
    let lists = partition(&parts, splitters.len() + 1, |&entry| (bucket_of(entry), entry));
    let sort_bucket = |bucket: usize| {
        let lists: Vec<&[u64]> = lists.iter().map(|lists| lists[bucket].as_slice()).collect();
        finish(&mut lists.concat())
    };
    let sorted: Vec<Vec<u32>> = (0..splitters.len() + 1).into_par_iter().with_max_len(1).map(sort_bucket).collect();
    concat(&sorted, 0)
}

/// Splitters of a sample sort: the least keys, without indices, of all buckets but the first. The
/// buckets hold about equally many entries.
fn splitters(entries: &[u64], buckets: usize) -> Vec<u64> {
    const SAMPLE: usize = 1024;
    let mut sample: Vec<u64> = entries.iter().step_by((entries.len() / SAMPLE).max(1)).copied().collect();
    sample.sort_unstable();
    let key = |entry: u64| entry >> INDEX_BITS << INDEX_BITS;
    (1..buckets).map(|b| sample.get(b * sample.len() / buckets).map_or(u64::MAX, |&entry| key(entry))).collect()
}

/// Sorts by the keys (the bits above the index), least significant digit first. The sort is stable.
fn radix_sort(entries: &mut Vec<u64>) {
    if entries.len() < 512 {
        entries.sort_unstable();
        return;
    }
    let digit = |entry: u64, d: u32| (entry >> (INDEX_BITS + d * DIGIT_BITS)) as usize & ((1 << DIGIT_BITS) - 1);
    let mut counts = vec![[0_u32; 1 << DIGIT_BITS]; DIGITS as usize];
    for &entry in entries.iter() {
        for d in 0..DIGITS {
            counts[d as usize][digit(entry, d)] += 1;
        }
    }
    let mut other = vec![0; entries.len()];
    for (d, counts) in (0..).zip(&mut counts) {
        if counts.iter().any(|&count| count as usize == entries.len()) {
            continue; // all entries have the same digit
        }
        let mut start = 0;
        for count in counts.iter_mut() {
            start += std::mem::replace(count, start);
        }
        for &entry in entries.iter() {
            let at = &mut counts[digit(entry, d)];
            other[*at as usize] = entry;
            *at += 1;
        }
        std::mem::swap(entries, &mut other);
    }
}

/// Sorts long runs of equal keys by a finer key, where many boxes have their centres in one cell.
fn refine(entries: &mut [u64], fine: impl Fn(u64) -> u64) {
    for run in entries.chunk_by_mut(|a, b| a >> INDEX_BITS == b >> INDEX_BITS).filter(|run| run.len() > UNREFINED) {
        run.sort_by_cached_key(|&entry| (fine(entry), entry));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random_set(count: usize, seed: u64) -> BoxSet {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as u32
        };
        BoxSet::new((0..count as u32).map(|id| {
            let side = 1 << (next() % 24);
            let min = [0; 3].map(|_| 1 + next() % if seed.is_multiple_of(2) { 2_000_000_000 } else { 3000 });
            (id, LatticeBox { min, max: min.map(|v| v + side + next() % side) })
        }))
    }

    #[test]
    fn bits_interleave() {
        assert_eq!(morton(0b101, 0b011, 0b110), 0b101_110_011);
        assert_eq!(spread((1 << 20) - 1).count_ones(), 20);
        assert_eq!(morton((1 << 20) - 1, (1 << 20) - 1, (1 << 20) - 1), (1 << 60) - 1);
    }

    #[test]
    fn neighbours_on_the_curve_are_neighbours_in_space() {
        // The curve fills the corner cube of edge 16 before it leaves it.
        let mut cells = Vec::new();
        for at in 0..16 * 16 * 16_u32 {
            let point = [at % 16, at / 16 % 16, at / 256];
            let mut lanes = point.map(|v| [v; LANES]);
            hilbert_axes(&mut lanes);
            let [z, y, x] = lanes.map(|axis| u64::from(axis[7]));
            cells.push((morton(x, y, z), point));
        }
        cells.sort_unstable();
        assert!(cells.iter().zip(0..).all(|(cell, n)| cell.0 == n), "each index from 0 on occurs once");
        for pair in cells.windows(2) {
            let steps: u32 = (0..3).map(|k| pair[0].1[k].abs_diff(pair[1].1[k])).sum();
            assert_eq!(steps, 1, "{pair:?}");
        }
    }

    #[test]
    fn the_order_is_a_permutation_sorted_by_key_whatever_the_threads() {
        for (count, seed) in [(0, 1), (1, 1), (511, 2), (512, 2), (5000, 3), (5000, 4), (30_000, 6)] {
            let set = random_set(count, seed);
            let one = hilbert_order(Level::available()[0], &set, false);
            let extent = SetExtent::of(&set);
            let key = |&i: &u32| {
                let mut key = [0];
                extent.keys(&set, i as usize, &mut key);
                key[0]
            };
            let keys: Vec<u64> = one.iter().map(key).collect();
            assert!(keys.is_sorted());
            let mut seen = one.clone();
            seen.sort_unstable();
            assert!(seen.iter().zip(0..).all(|(&i, n)| i == n) && seen.len() == count);
            for threads in [2, 3, 7] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
                assert_eq!(
                    pool.install(|| hilbert_order(clearsweep_base::simd::level(), &set, true)),
                    one,
                    "{threads} threads"
                );
            }
        }
    }
}
