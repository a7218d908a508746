//! A hierarchical hash table of boxes.
//!
//! Space is tiled at 33 levels (`level.rs`) into cells of `2^level` lattice coordinates. A box lies
//! in at most two cells along each axis at its own level and at coarser ones. Entries (cell, box)
//! are sorted by the hash of the cell, so that the boxes of a cell are consecutive for the overlap
//! kernel. A directory with open addressing finds the run of a cell.
//!
//! A cell is identified by a 64-bit hash only. If two cells share a hash, their runs are one run.
//! Pairs may then be visited twice, but every pair is tested by its boxes, and none is lost.

use super::super::box_set::BoxSet;
use super::super::boxes::LatticeBox;
use super::level::{level_of, longest_side};
use clearsweep_base::simd::Level;
use clearsweep_model::CellSizes;
use rayon::prelude::*;

/// The hash of the cell that contains a lattice point at a level.
#[inline]
pub(super) fn hash_of(level: u32, point: [u32; 3]) -> u64 {
    let cell = point.map(|v| u64::from(v) >> level);
    hash_cell(level, cell)
}

#[inline]
fn hash_cell(level: u32, [x, y, z]: [u64; 3]) -> u64 {
    // Odd multipliers spread the coordinates over the word. The finalizer is that of splitmix64
    // (Steele, Lea and Flood 2014).
    let mut h = x.wrapping_mul(0x9E37_79B9_7F4A_7C15)
        ^ y.wrapping_mul(0xC2B2_AE3D_27D4_EB4F).rotate_left(21)
        ^ z.wrapping_mul(0x1656_67B1_9E37_79F9).rotate_left(42)
        ^ u64::from(level) << 58;
    h = (h ^ (h >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    h = (h ^ (h >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    h ^ (h >> 31)
}

/// Calls `visit` with the hash of every cell that a box touches at a level not below its own: at
/// most eight.
#[inline]
pub(super) fn cells_of(b: &LatticeBox, level: u32, mut visit: impl FnMut(u64)) {
    let from = b.min.map(|v| u64::from(v) >> level);
    let to = b.max.map(|v| u64::from(v) >> level);
    for z in from[2]..=to[2] {
        for y in from[1]..=to[1] {
            for x in from[0]..=to[0] {
                visit(hash_cell(level, [x, y, z]));
            }
        }
    }
}

/// The lowest point that two overlapping boxes share. A pair is reported only in the cell that
/// contains this point, one of the cells that both boxes touch.
#[inline]
fn lowest_common_point(a: &LatticeBox, b: &LatticeBox) -> [u32; 3] {
    std::array::from_fn(|k| a.min[k].max(b.min[k]))
}

/// The run of a cell: the boxes `start..end` of the table.
#[derive(Debug, Clone, Copy)]
pub(super) struct CellRun {
    pub(super) hash: u64,
    pub(super) start: u32,
    pub(super) end: u32,
}

/// Boxes by cell.
#[derive(Debug)]
pub(super) struct CellTable {
    /// The boxes cell by cell, once for each cell that they are stored in. Their identifiers are
    /// those of the set.
    pub(super) boxes: BoxSet,
    /// The sizes of boxes at each level.
    pub(super) cells: CellSizes,
    /// The runs of the cells, sorted by hash.
    pub(super) runs: Vec<CellRun>,
    /// Bit `l` is set if some box is stored at level `l`.
    pub(super) levels: u64,
    /// A hash table with open addressing and linear probing. An entry is 1 + an index into `runs`,
    /// or 0 if it is free. The length is a power of two.
    directory: Vec<u32>,
}

impl CellTable {
    /// Stores each box of a set at its level.
    pub(super) fn new(set: &BoxSet, parallel: bool, cells: CellSizes) -> Self {
        Self::build(set, parallel, cells, |b| Some(level_of(b, cells)))
    }

    /// Stores the boxes of a set for which `level(box)` is some level, which must not be below the
    /// box's own. Sorts on rayon's current pool if `parallel`.
    pub(super) fn build(
        set: &BoxSet,
        parallel: bool,
        cells: CellSizes,
        level: impl Fn(&LatticeBox) -> Option<u32>,
    ) -> Self {
        let mut levels = 0;
        let mut entries: Vec<(u64, u32)> = Vec::with_capacity(3 * set.len());
        for i in 0..set.len() {
            let b = set.get(i);
            if let Some(level) = level(&b) {
                debug_assert!(u64::from(longest_side(&b)) < 1 << level, "a box is not stored below its own level");
                levels |= 1 << level;
                cells_of(&b, level, |hash| entries.push((hash, i as u32)));
            }
        }
        if parallel && rayon::current_num_threads() > 1 {
            entries.par_sort_unstable();
        } else {
            entries.sort_unstable();
        }
        entries.dedup(); // a box may be in two cells of one hash
        let boxes = BoxSet::new(entries.iter().map(|&(_, i)| (set.ids[i as usize], set.get(i as usize))));
        let mut runs = Vec::with_capacity(entries.len() / 2);
        let mut start = 0;
        for same in entries.chunk_by(|a, b| a.0 == b.0) {
            let end = start + same.len() as u32;
            runs.push(CellRun { hash: same[0].0, start, end });
            start = end;
        }
        let mut table = Self { boxes, cells, runs, levels, directory: Vec::new() };
        if levels.count_ones() > 0 {
            table.index();
        }
        table
    }

    /// Fills the directory, which is at most half full.
    fn index(&mut self) {
        self.directory = vec![0; (2 * self.runs.len()).next_power_of_two()];
        let mask = self.directory.len() - 1;
        for (i, run) in self.runs.iter().enumerate() {
            let mut at = run.hash as usize & mask;
            while self.directory[at] != 0 {
                at = (at + 1) & mask;
            }
            self.directory[at] = i as u32 + 1;
        }
    }

    /// The run of a cell, if any box is stored there.
    #[inline]
    fn run(&self, hash: u64) -> Option<CellRun> {
        let mask = self.directory.len().checked_sub(1)?;
        let mut at = hash as usize & mask;
        loop {
            let run = self.runs[self.directory[at].checked_sub(1)? as usize];
            if run.hash == hash {
                return Some(run);
            }
            at = (at + 1) & mask;
        }
    }

    /// Calls `hit` with the identifier of every box stored at `level` that overlaps `one`, whose
    /// own level is not above `level`.
    #[inline]
    pub(super) fn lookup(&self, simd: Level, one: &LatticeBox, level: u32, mut hit: impl FnMut(u32)) {
        if self.levels >> level & 1 == 0 {
            return;
        }
        cells_of(one, level, |hash| {
            let Some(run) = self.run(hash) else { return };
            self.boxes.overlapping(simd, one, run.start as usize, run.end as usize, |i| {
                if hash_of(level, lowest_common_point(one, &self.boxes.get(i))) == hash {
                    hit(self.boxes.ids[i]);
                }
            });
        });
    }

    /// Calls `hit` with the identifiers of every two overlapping boxes of one level that are stored
    /// in `run`. The first precedes the second in the set.
    #[inline]
    pub(super) fn pairs_of_run(&self, simd: Level, run: CellRun, mut hit: impl FnMut(u32, u32)) {
        for i in run.start as usize..run.end as usize {
            let one = self.boxes.get(i);
            self.boxes.overlapping(simd, &one, i + 1, run.end as usize, |j| {
                let other = self.boxes.get(j);
                let level = level_of(&one, self.cells);
                if level == level_of(&other, self.cells)
                    && hash_of(level, lowest_common_point(&one, &other)) == run.hash
                {
                    hit(self.boxes.ids[i], self.boxes.ids[j]);
                }
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_touches_at_most_eight_cells_at_its_level_and_is_found_in_each() {
        for longest in [0_u32, 1, 2, 3, 1000, (1 << 20) - 1, 1 << 20, u32::MAX - 3] {
            for low in [1_u32, 2, 1023, (1 << 31) - 1, u32::MAX - 2 - longest] {
                let Some(high) = low.checked_add(longest).filter(|&h| h < u32::MAX) else { continue };
                let b = LatticeBox { min: [low, 1, low], max: [high, 1, high] };
                let level = level_of(&b, CellSizes::WIDE);
                let mut cells = Vec::new();
                cells_of(&b, level, |h| cells.push(h));
                assert!((1..=4).contains(&cells.len()), "{b:?} at {level}: {}", cells.len());
                let table = CellTable::new(&BoxSet::new([(7, b)].into_iter()), false, CellSizes::WIDE);
                assert_eq!(table.boxes.len(), cells.len());
                let mut found = Vec::new();
                let point = LatticeBox { min: b.max, max: b.max };
                table.lookup(clearsweep_base::simd::level(), &point, level, |id| found.push(id));
                assert_eq!(found, [7]);
            }
        }
    }

    #[test]
    fn cells_that_share_a_hash_lose_no_pair() {
        // All boxes of the table are taken as one run, although their cells differ.
        let a = LatticeBox { min: [1, 1, 1], max: [9, 9, 9] };
        let set = BoxSet::new([(0, a), (1, a), (2, LatticeBox { min: [8; 3], max: [4000; 3] })].into_iter());
        let table = CellTable::new(&set, false, CellSizes::WIDE);
        let run =
            CellRun { hash: hash_of(level_of(&a, CellSizes::WIDE), a.min), start: 0, end: table.boxes.len() as u32 };
        let mut pairs = Vec::new();
        table.pairs_of_run(clearsweep_base::simd::level(), run, |i, j| pairs.push((i.min(j), i.max(j))));
        assert!(pairs.contains(&(0, 1)) && !pairs.contains(&(0, 2)), "{pairs:?}");
    }
}
