//! The order of the leaves: boxes of like size that lie near each other come one after the other.
//!
//! Boxes are sorted by the Hilbert number of their centre, within classes of size. Unlike Morton's, Hilbert's curve
//! never jumps: sixteen boxes in a row fill about half the volume, and half as many leaves meet. A large box among
//! small ones would make every node above it large; in a class of its own it does not.

use super::super::boxes::LatticeBox;
use super::super::set::BoxSet;
use super::super::simd::Simd;
use rayon::prelude::*;

/// Bits of a coarse Hilbert number along each axis: what the radix sort sees.
const COARSE: u32 = 10;
/// Bits of a fine number, Morton's, by which boxes are sorted whose coarse numbers are equal.
const FINE: u32 = 20;
/// Bits of the place of a box in its set.
const PLACE: u32 = 28;
/// The most boxes of a set that is sorted.
pub(super) const MOST: usize = 1 << PLACE;
/// A class spans this many halvings of the size.
const OCTAVES: u32 = 2;
/// The last class; with it the key has 6 + 30 bits.
const CLASSES: u32 = 63;
/// Bits of a digit of the radix sort, and how many there are.
const DIGIT: u32 = 12;
const DIGITS: u32 = 3;
/// Boxes of one coarse key that need no finer order: they share few nodes anyway.
const SAME: usize = 16;

/// What the boxes of a set span.
#[derive(Debug, Clone, Copy)]
struct Frame {
    low: [u32; 3],
    /// Coarse cells are `2^shift` coordinates wide.
    shift: u32,
    /// Halvings of the longest side of the largest box.
    largest: u32,
}

impl Frame {
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
            shift: (u32::BITS - extent.leading_zeros()).saturating_sub(COARSE),
            largest: u32::BITS - side.leading_zeros(),
        }
    }

    /// The class of a longest side: 0 for the largest boxes.
    #[inline(always)]
    fn class(&self, side: u32) -> u32 {
        (self.largest.saturating_sub(u32::BITS - side.leading_zeros()) / OCTAVES).min(CLASSES)
    }

    /// The centre, relative to the low corner.
    #[inline]
    fn centre(&self, b: &LatticeBox) -> [u32; 3] {
        std::array::from_fn(|k| b.min[k].midpoint(b.max[k]).saturating_sub(self.low[k]))
    }

    /// Class, then Hilbert number, of up to sixteen boxes from box `at` on: small boxes first, so that few tasks end up
    /// with large ones.
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
            classes[lane] = u64::from(CLASSES - self.class(longest[lane]));
        }
        hilbert_axes(&mut cells);
        // The first axis has the highest bit.
        let [z, y, x] = cells;
        for (lane, key) in out.iter_mut().enumerate().take(LANES) {
            let number = morton(u64::from(x[lane]), u64::from(y[lane]), u64::from(z[lane]));
            *key = classes[lane] << (3 * COARSE) | number;
        }
    }

    /// The finer Morton number.
    fn fine(&self, b: &LatticeBox) -> u64 {
        let shift = self.shift.saturating_sub(FINE - COARSE);
        let [x, y, z] = self.centre(b).map(|v| u64::from(v >> shift));
        morton(x, y, z)
    }
}

/// The bits of three numbers of at most 20 bits, interleaved.
#[inline]
fn morton(x: u64, y: u64, z: u64) -> u64 {
    spread(x) | spread(y) << 1 | spread(z) << 2
}

/// Bit `i` to bit `3 i`.
#[inline]
fn spread(v: u64) -> u64 {
    let v = (v | v << 32) & 0x001f_0000_0000_ffff;
    let v = (v | v << 16) & 0x001f_0000_ff00_00ff;
    let v = (v | v << 8) & 0x100f_00f0_0f00_f00f;
    let v = (v | v << 4) & 0x10c3_0c30_c30c_30c3;
    (v | v << 2) & 0x1249_2492_4924_9249
}

/// Boxes whose numbers are made side by side.
const LANES: usize = 16;

/// Coordinates of [`COARSE`] bits become those whose interleaved bits, the first axis highest, are the Hilbert number
/// (Skilling 2004, "Programming the Hilbert curve": inverse undo, then Gray encode).
#[inline(always)]
fn hilbert_axes(cells: &mut [[u32; LANES]; 3]) {
    // Lanes innermost, so that they run side by side.
    for bit in (1..COARSE).rev() {
        let low = (1_u32 << bit) - 1;
        let [x, y, z] = &mut *cells;
        for lane in 0..LANES {
            x[lane] ^= low & all_ones(x[lane], bit);
        }
        // Where the bit is set, the low bits of the first axis are inverted, else exchanged.
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
    for bit in (1..COARSE).rev() {
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

/// All ones where the bit is set.
#[inline(always)]
fn all_ones(v: u32, bit: u32) -> u32 {
    (v >> bit & 1).wrapping_neg()
}

#[inline(always)]
fn entries(frame: &Frame, set: &BoxSet, first: usize, out: &mut [u64]) {
    for (part, at) in out.chunks_mut(LANES).zip((first..).step_by(LANES)) {
        frame.keys(set, at, part);
        part.iter_mut().zip(at as u64..).for_each(|(entry, place)| *entry = *entry << PLACE | place);
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn entries_avx512(frame: &Frame, set: &BoxSet, first: usize, out: &mut [u64]) {
    entries(frame, set, first, out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn entries_avx2(frame: &Frame, set: &BoxSet, first: usize, out: &mut [u64]) {
    entries(frame, set, first, out);
}

/// Keys with the places of their boxes, from box `first` on.
fn make_entries(simd: Simd, frame: &Frame, set: &BoxSet, first: usize, out: &mut [u64]) {
    match simd {
        Simd::Plain => entries(frame, set, first, out),
        #[cfg(target_arch = "x86_64")]
        #[allow(unsafe_code, reason = "Simd::detect found the instructions on this machine")]
        Simd::Avx2 => unsafe { entries_avx2(frame, set, first, out) },
        #[cfg(target_arch = "x86_64")]
        #[allow(unsafe_code, reason = "Simd::detect found the instructions on this machine")]
        Simd::Avx512 => unsafe { entries_avx512(frame, set, first, out) },
    }
}

/// The places of the boxes of a set (at most [`MOST`]) in the order of the leaves.
pub(super) fn order(simd: Simd, set: &BoxSet, parallel: bool) -> Vec<u32> {
    const PART: usize = 4096;
    assert!(set.len() <= MOST, "{} boxes in one tree", set.len());
    let frame = Frame::of(set);
    let tasks = if parallel { rayon::current_num_threads() } else { 1 };
    let mut entries = vec![0; set.len()];
    if tasks > 1 {
        let parts = entries.par_chunks_mut(PART).enumerate();
        parts.for_each(|(i, part)| make_entries(simd, &frame, set, i * PART, part));
    } else {
        make_entries(simd, &frame, set, 0, &mut entries);
    }
    let place = |entry: u64| (entry & (MOST as u64 - 1)) as u32;
    let finish = |part: &mut Vec<u64>| {
        radix_sort(part);
        refine(part, |entry| frame.fine(&set.get(place(entry) as usize)));
        part.iter().map(|&entry| place(entry)).collect::<Vec<u32>>()
    };
    if tasks == 1 {
        return finish(&mut entries);
    }
    // Each task sorts a range of keys, which it picks out of all entries.
    let limits = splitters(&entries, tasks);
    let parts: Vec<Vec<u32>> = limits
        .par_windows(2)
        .map(|limit| {
            let mut part = Vec::with_capacity(entries.len() / (tasks - 1).max(1));
            part.extend(entries.iter().filter(|&&entry| limit[0] <= entry && entry < limit[1]));
            finish(&mut part)
        })
        .collect();
    parts.concat()
}

/// Ends of ranges of keys with about equal shares of the entries, from a sample of them; first 0 and last the end.
fn splitters(entries: &[u64], parts: usize) -> Vec<u64> {
    let stride = (entries.len() / 1024).max(1);
    let mut sample: Vec<u64> = entries.iter().step_by(stride).copied().collect();
    sample.sort_unstable();
    let key = |entry: u64| entry >> PLACE << PLACE;
    let inner = (1..parts).map(|p| sample.get(p * sample.len() / parts).map_or(u64::MAX, |&entry| key(entry)));
    std::iter::once(0).chain(inner).chain(std::iter::once(u64::MAX)).collect()
}

/// Sorts by the keys (the bits above the place), least significant digit first. Stable.
fn radix_sort(entries: &mut Vec<u64>) {
    if entries.len() < 512 {
        entries.sort_unstable();
        return;
    }
    let digit = |entry: u64, d: u32| (entry >> (PLACE + d * DIGIT)) as usize & ((1 << DIGIT) - 1);
    let mut counts = vec![[0_u32; 1 << DIGIT]; DIGITS as usize];
    for &entry in entries.iter() {
        for d in 0..DIGITS {
            counts[d as usize][digit(entry, d)] += 1;
        }
    }
    let mut other = vec![0; entries.len()];
    for (d, counts) in (0..).zip(&mut counts) {
        if counts.iter().any(|&count| count as usize == entries.len()) {
            continue; // the digit is the same everywhere
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

/// Sorts long runs of equal keys by a finer one: where many boxes crowd into one coarse cell.
fn refine(entries: &mut [u64], fine: impl Fn(u64) -> u64) {
    for run in entries.chunk_by_mut(|a, b| a >> PLACE == b >> PLACE).filter(|run| run.len() > SAME) {
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
    fn numbers_interleave() {
        assert_eq!(morton(0b101, 0b011, 0b110), 0b101_110_011);
        assert_eq!(spread((1 << 20) - 1).count_ones(), 20);
        assert_eq!(morton((1 << 20) - 1, (1 << 20) - 1, (1 << 20) - 1), (1 << 60) - 1);
    }

    #[test]
    fn neighbours_on_the_curve_are_neighbours_in_space() {
        // All cells of the corner of edge 16: the curve enters it once and fills it before it goes on.
        let mut cells = Vec::new();
        for at in 0..16 * 16 * 16_u32 {
            let point = [at % 16, at / 16 % 16, at / 256];
            let mut lanes = point.map(|v| [v; LANES]);
            hilbert_axes(&mut lanes);
            let [z, y, x] = lanes.map(|axis| u64::from(axis[7]));
            cells.push((morton(x, y, z), point));
        }
        cells.sort_unstable();
        assert!(cells.iter().zip(0..).all(|(cell, n)| cell.0 == n), "the numbers from 0 on, each once");
        for pair in cells.windows(2) {
            let steps: u32 = (0..3).map(|k| pair[0].1[k].abs_diff(pair[1].1[k])).sum();
            assert_eq!(steps, 1, "{pair:?}");
        }
    }

    #[test]
    fn the_order_is_a_permutation_sorted_by_key_whatever_the_threads() {
        for (count, seed) in [(0, 1), (1, 1), (511, 2), (512, 2), (5000, 3), (5000, 4), (30_000, 6)] {
            let set = random_set(count, seed);
            let one = order(Simd::Plain, &set, false);
            let frame = Frame::of(&set);
            let key = |&i: &u32| {
                let mut key = [0];
                frame.keys(&set, i as usize, &mut key);
                key[0]
            };
            let keys: Vec<u64> = one.iter().map(key).collect();
            assert!(keys.is_sorted());
            let mut seen = one.clone();
            seen.sort_unstable();
            assert!(seen.iter().zip(0..).all(|(&i, n)| i == n) && seen.len() == count);
            for threads in [2, 3, 7] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
                assert_eq!(pool.install(|| order(Simd::detect(), &set, true)), one, "{threads} threads");
            }
        }
    }
}
