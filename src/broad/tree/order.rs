//! The order of the leaves: boxes of like size that lie near each other come one after the other.
//!
//! Boxes are sorted by the Morton number of their centre (Morton 1966; as the order of a tree: Lauterbach et al. 2009,
//! "Fast BVH construction on GPUs"), within classes of size. A large box among small ones would make every node above
//! it large; in a class of its own it does not.

use super::super::boxes::LatticeBox;
use super::super::set::BoxSet;
use rayon::prelude::*;

/// Bits of a coarse Morton number along each axis: what the radix sort sees.
const COARSE: u32 = 10;
/// Bits of a fine one, by which boxes are sorted whose coarse numbers are equal.
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
        let longest = |from: &[u32], to: &[u32]| {
            from.iter().zip(to).fold(0, |m, (&from, &to)| m.max(to.saturating_sub(from)))
        };
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

    /// The class of the size: 0 for the largest boxes.
    #[inline]
    fn class(&self, b: &LatticeBox) -> u32 {
        let side = (0..3).fold(0, |m, k| m.max(b.max[k].saturating_sub(b.min[k])));
        ((self.largest - (u32::BITS - side.leading_zeros()).min(self.largest)) / OCTAVES).min(CLASSES)
    }

    /// The centre, relative to the low corner.
    #[inline]
    fn centre(&self, b: &LatticeBox) -> [u32; 3] {
        std::array::from_fn(|k| b.min[k].midpoint(b.max[k]).saturating_sub(self.low[k]))
    }

    /// Class, then coarse Morton number: small boxes first, so that few tasks end up with large ones.
    #[inline]
    fn key(&self, b: &LatticeBox) -> u64 {
        let [x, y, z] = self.centre(b).map(|v| u64::from(v >> self.shift));
        u64::from(CLASSES - self.class(b)) << (3 * COARSE) | morton(x, y, z)
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

/// The places of the boxes of a set (at most [`MOST`]) in the order of the leaves.
pub(super) fn order(set: &BoxSet, parallel: bool) -> Vec<u32> {
    assert!(set.len() <= MOST, "{} boxes in one tree", set.len());
    let frame = Frame::of(set);
    let entry = |i: usize| frame.key(&set.get(i)) << PLACE | i as u64;
    let tasks = if parallel { rayon::current_num_threads() } else { 1 };
    let mut entries: Vec<u64> = if tasks > 1 {
        (0..set.len()).into_par_iter().with_min_len(4096).map(entry).collect()
    } else {
        (0..set.len()).map(entry).collect()
    };
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
            let min = [0; 3].map(|_| 1 + next() % if seed % 2 == 0 { 2_000_000_000 } else { 3000 });
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
    fn the_order_is_a_permutation_sorted_by_key_whatever_the_threads() {
        for (count, seed) in [(0, 1), (1, 1), (511, 2), (512, 2), (5000, 3), (5000, 4), (30_000, 6)] {
            let set = random_set(count, seed);
            let one = order(&set, false);
            let frame = Frame::of(&set);
            let keys: Vec<u64> = one.iter().map(|&i| frame.key(&set.get(i as usize))).collect();
            assert!(keys.is_sorted());
            let mut seen = one.clone();
            seen.sort_unstable();
            assert!(seen.iter().zip(0..).all(|(&i, n)| i == n) && seen.len() == count);
            for threads in [2, 3, 7] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
                assert_eq!(pool.install(|| order(&set, true)), one, "{threads} threads");
            }
        }
    }
}
