//! Boxes of like size in rows.

use super::super::box_set::BoxSet;
use super::super::box16::{Box16Columns, WIDTH};
use super::super::boxes::LatticeBox;
use std::ops::Range;

/// There are at most so many rows for each box.
const ROWS: u64 = 2;
/// From so many boxes on they are sorted on several threads, in parts of at least so many.
const PARALLEL_THRESHOLD: usize = 2048;

/// Boxes of a neighbouring row that one is compared with, as intended: less than sixteen, since space is not filled evenly.
const STRETCH: f64 = 12.0;
/// Cells are so many times as wide as the longest sides: at least and at most.
const WIDE: [f64; 2] = [1.5, 4.0];

/// One axis cut into cells, from `low` on.
#[derive(Debug, Default)]
struct CellAxis {
    low: u32,
    /// Cells in 2^32 coordinates: multiplying is quicker than dividing.
    factor: u64,
    count: u64,
    /// Where each cell begins; one more for the end of the last.
    edges: Vec<u32>,
}

impl CellAxis {
    /// Cells at least `width` coordinates wide, to the one that holds `high`; without edges.
    fn new([low, high]: [u32; 2], width: f64) -> Self {
        let mut cells = Self { low, factor: (1 << 32) / (width.ceil() as u64).max(1), count: 0, edges: Vec::new() };
        cells.count = u64::from(cells.of(high)) + 1;
        cells
    }

    /// Lists where cells begin.
    fn with_edges(mut self) -> Self {
        let edge = |cell: u64| {
            let from = (cell << 32).div_ceil(self.factor.max(1)).min(u64::from(u32::MAX));
            self.low.saturating_add(from as u32)
        };
        self.edges = (0..self.count).map(edge).chain([u32::MAX]).collect();
        self
    }

    /// The cell of a coordinate. Monotone; coordinates no farther apart than the width are in one cell or in neighbours.
    #[inline(always)]
    fn of(&self, v: u32) -> u32 {
        ((u64::from(v.saturating_sub(self.low)) * self.factor) >> 32) as u32
    }

    /// The cells with boxes that begin there and may overlap one from `min` to `max`, if none is longer than `side`.
    #[inline(always)]
    fn near(&self, min: u32, max: u32, side: u32) -> Range<usize> {
        if max < self.low {
            return 0..0;
        }
        let count = self.count as usize;
        (self.of(min.saturating_sub(side)) as usize).min(count)..(self.of(max) as usize + 1).min(count)
    }

    /// What the boxes that begin in a cell cover at most.
    #[inline(always)]
    fn span(&self, cell: usize, side: u32) -> [u32; 2] {
        [self.edges[cell], self.edges[cell + 1].saturating_add(side)]
    }
}

/// How many times as wide as the longest sides the cells along y and z should be: so that a stretch as long as two
/// boxes, over one cell of y and z, holds [`STRETCH`] boxes of `count` that fill a space of these extents.
fn wide(extents: [f64; 3], sides: [f64; 3], count: usize) -> f64 {
    let room: f64 = (0..3).map(|k| extents[k] / sides[k]).product();
    let both = STRETCH * room / (2.0 * count as f64);
    let thin = (extents[1] / sides[1]).min(extents[2] / sides[2]);
    // A cell is no wider than the space: the other axis makes up for it.
    both.sqrt().max(both / thin).clamp(WIDE[0], WIDE[1])
}

/// Boxes of like size. A row holds those whose lowest corner lies in one cell of the plane y, z; in it they are sorted
/// by their lowest x.
#[derive(Debug, Default)]
pub(super) struct SizeClass {
    /// The longest sides along each axis.
    sides: [u32; 3],
    y: CellAxis,
    z: CellAxis,
    /// Where each row begins, by z and then y; one more for the end.
    starts: Vec<u32>,
    /// The boxes and their names; sixteen empty boxes follow.
    columns: [Vec<u32>; 6],
    ids: Vec<u32>,
}

impl SizeClass {
    /// Of the boxes of a set at `places`, of which there is at least one.
    pub(super) fn build(set: &BoxSet, places: &[u32], parallel: bool) -> Self {
        let columns = set.columns();
        let ends = |k: usize| {
            let values = || places.iter().map(|&i| columns[k][i as usize]);
            values().fold([u32::MAX, 0], |[low, high], v| [low.min(v), high.max(v)])
        };
        let side = |k: usize| {
            let sides = places.iter().map(|&i| columns[k + 3][i as usize].saturating_sub(columns[k][i as usize]));
            sides.fold(0, u32::max)
        };
        let sides = [side(0), side(1), side(2)];
        let (ends_y, ends_z) = (ends(1), ends(2));
        let room = |[low, high]: [u32; 2], side: u32| f64::from(high) - f64::from(low) + f64::from(side.max(1));
        let extents = [room(ends(0), sides[0]), room(ends_y, sides[1]), room(ends_z, sides[2])];
        let long = sides.map(|side| f64::from(side.max(1)));
        let mut times = wide(extents, long, places.len());
        let cells = |times: f64| (CellAxis::new(ends_y, times * long[1]), CellAxis::new(ends_z, times * long[2]));
        let (mut y, mut z) = cells(times);
        while y.count * z.count > (ROWS * places.len() as u64).max(1) {
            times *= 1.5;
            (y, z) = cells(times);
        }
        let (y, z) = (y.with_edges(), z.with_edges());
        let row =
            |i: u32| z.of(columns[2][i as usize]) as usize * y.count as usize + y.of(columns[1][i as usize]) as usize;
        let rows: Vec<u32> = places.iter().map(|&i| row(i) as u32).collect();
        let mut starts = vec![0_u32; (y.count * z.count) as usize + 1];
        rows.iter().for_each(|&row| starts[row as usize] += 1);
        let mut total = 0;
        for start in &mut starts {
            total += *start;
            *start = total;
        }
        let mut entries = vec![0_u64; places.len()];
        for (&i, &row) in places.iter().zip(&rows).rev() {
            let at = &mut starts[row as usize];
            *at -= 1;
            entries[*at as usize] = u64::from(columns[0][i as usize]) << 32 | u64::from(i);
        }
        sort_rows(&mut entries, &starts, parallel);
        let gather = |from: &[u32], rest: u32| {
            let boxes = entries.iter().map(|&entry| from[entry as u32 as usize]);
            boxes.chain(std::iter::repeat_n(rest, WIDTH)).collect::<Vec<u32>>()
        };
        let columns = std::array::from_fn(|k| gather(columns[k], if k < 3 { u32::MAX } else { 0 }));
        Self { sides, y, z, starts, columns, ids: gather(&set.ids, 0) }
    }

    pub(super) fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    pub(super) fn len(&self) -> usize {
        self.ids.len() - WIDTH
    }

    /// The boxes of a row.
    #[inline(always)]
    pub(super) fn row(&self, row: usize) -> Range<usize> {
        self.starts[row] as usize..self.starts[row + 1] as usize
    }

    /// The box of all that a row may hold.
    #[inline(always)]
    pub(super) fn bounds(&self, row: usize) -> LatticeBox {
        let across = self.y.count as usize;
        let [from_y, to_y] = self.y.span(row % across, self.sides[1]);
        let [from_z, to_z] = self.z.span(row / across, self.sides[2]);
        LatticeBox { min: [0, from_y, from_z], max: [u32::MAX, to_y, to_z] }
    }

    /// The rows that may hold boxes which overlap `one`, ascending.
    #[inline(always)]
    pub(super) fn near(&self, one: &LatticeBox) -> impl Iterator<Item = usize> + use<> {
        let across = self.y.count as usize;
        let y = self.y.near(one.min[1], one.max[1], self.sides[1]);
        self.z.near(one.min[2], one.max[2], self.sides[2]).flat_map(move |z| y.clone().map(move |y| z * across + y))
    }

    /// The rows after `row` that may hold boxes which overlap one of its own.
    #[inline(always)]
    pub(super) fn after(&self, row: usize) -> impl Iterator<Item = usize> + use<> {
        let across = self.y.count as usize;
        let y = row % across;
        let next = (y + 1 < across).then_some(row + 1);
        let above = row + across < self.rows();
        let first = if y > 0 { row + across - 1 } else { row + across };
        let last = if y + 1 < across { row + across + 1 } else { row + across };
        let above = if above { first..last + 1 } else { 0..0 };
        next.into_iter().chain(above)
    }

    /// The longest side along x.
    #[inline(always)]
    pub(super) fn longest_x(&self) -> u32 {
        self.sides[0]
    }

    /// Lowest and highest x of a box.
    #[inline(always)]
    pub(super) fn ends_x(&self, at: usize) -> [u32; 2] {
        [self.columns[0][at], self.columns[3][at]]
    }

    /// The lowest x of the boxes, in order within each row.
    #[inline(always)]
    pub(super) fn lowest_x(&self) -> &[u32] {
        &self.columns[0]
    }

    /// The sixteen boxes from `at` on.
    #[inline(always)]
    pub(super) fn sixteen(&self, at: usize) -> Box16Columns<'_> {
        self.columns.each_ref().map(|c| c[at..].first_chunk().expect("sixteen boxes follow the last one"))
    }

    /// Their names.
    #[inline(always)]
    pub(super) fn ids(&self, at: usize) -> &[u32; WIDTH] {
        self.ids[at..].first_chunk().expect("as many names as boxes")
    }
}

/// Sorts each row.
fn sort_rows(entries: &mut [u64], starts: &[u32], parallel: bool) {
    let rows = starts.len() - 1;
    if !parallel || entries.len() < PARALLEL_THRESHOLD || rows < 2 {
        let mut rest = entries;
        for ends in starts.windows(2) {
            let (row, others) = rest.split_at_mut((ends[1] - ends[0]) as usize);
            row.sort_unstable();
            rest = others;
        }
        return;
    }
    let middle = rows / 2;
    let (left, right) = entries.split_at_mut((starts[middle] - starts[0]) as usize);
    rayon::join(|| sort_rows(left, &starts[..=middle], true), || sort_rows(right, &starts[middle..], true));
}
