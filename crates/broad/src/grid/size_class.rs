//! The boxes of one size class in rows.

use super::super::box_set::BoxSet;
use super::super::box16::{Box16Columns, WIDTH};
use super::super::boxes::LatticeBox;
use super::super::parallel::{bucket_count, bucket_table, keys_of, partition};
use super::cell_axis::CellAxis;
use rayon::prelude::*;
use std::ops::Range;

/// The most rows per box.
const ROWS_PER_BOX: u64 = 2;
/// With fewer boxes than this, a class is built on one thread.
const PARALLEL_THRESHOLD: usize = 2048;
/// The number of boxes that a task reads.
const PART: usize = 4096;

/// The mean number of boxes of a neighbouring row with which a box is compared. It is less than
/// sixteen, since boxes are not distributed evenly.
const STRETCH: f64 = 12.0;
/// The least and the greatest width of a cell, as a multiple of the longest side.
const WIDTH_RANGE: [f64; 2] = [1.5, 4.0];

/// The width of the cells along y and z, as a multiple of the longest sides. It is chosen so that a
/// stretch of a row that is as long as two boxes has [`STRETCH`] of `count` boxes that fill a space
/// of these extents.
fn relative_width(extents: [f64; 3], sides: [f64; 3], count: usize) -> f64 {
    let volume: f64 = (0..3).map(|k| extents[k] / sides[k]).product();
    let area = STRETCH * volume / (2.0 * count as f64);
    let thickness = (extents[1] / sides[1]).min(extents[2] / sides[2]);
    // A cell is no wider than the space. In a thin space, its width along the other axis makes up
    // for that.
    area.sqrt().max(area / thickness).clamp(WIDTH_RANGE[0], WIDTH_RANGE[1])
}

/// The ranges of the lowest corners of some boxes, and their longest sides.
#[derive(Debug, Clone, Copy)]
struct ClassExtent {
    /// The lowest and the highest coordinate of a lowest corner along each axis.
    ends: [[u32; 2]; 3],
    /// The longest side along each axis.
    sides: [u32; 3],
}

impl ClassExtent {
    const EMPTY: Self = Self { ends: [[u32::MAX, 0]; 3], sides: [0; 3] };

    fn of(columns: &[&[u32]; 6], places: &[u32]) -> Self {
        let mut all = Self::EMPTY;
        for k in 0..3 {
            for &i in places {
                let (from, to) = (columns[k][i as usize], columns[k + 3][i as usize]);
                let [low, high] = all.ends[k];
                all.ends[k] = [low.min(from), high.max(from)];
                all.sides[k] = all.sides[k].max(to.saturating_sub(from));
            }
        }
        all
    }

    fn join(self, other: Self) -> Self {
        let ends = |k: usize| [self.ends[k][0].min(other.ends[k][0]), self.ends[k][1].max(other.ends[k][1])];
        Self { ends: [0, 1, 2].map(ends), sides: [0, 1, 2].map(|k| self.sides[k].max(other.sides[k])) }
    }

    /// Returns the cells along y and z for `count` boxes.
    fn cells(&self, count: usize) -> [CellAxis; 2] {
        let sides = self.sides.map(|side| f64::from(side.max(1)));
        let extents = [0, 1, 2].map(|k| f64::from(self.ends[k][1]) - f64::from(self.ends[k][0]) + sides[k]);
        let mut width = relative_width(extents, sides, count);
        let cells = |width: f64| [1, 2].map(|k| CellAxis::new(self.ends[k], width * sides[k]));
        let [mut y, mut z] = cells(width);
        while y.count * z.count > (ROWS_PER_BOX * count as u64).max(1) {
            width *= 1.5;
            [y, z] = cells(width);
        }
        [y.with_edges(), z.with_edges()]
    }
}

/// Boxes of similar size. A row holds those whose lowest corners lie in one cell of the y-z plane,
/// sorted by their lowest x.
#[derive(Debug, Default)]
pub(super) struct SizeClass {
    /// The longest side along each axis.
    sides: [u32; 3],
    y: CellAxis,
    z: CellAxis,
    /// The index of the first box of each row, row by row along y and then z, and the end of the
    /// last row.
    starts: Vec<u32>,
    /// The boxes as columns min x, y, z, max x, y, z. Sixteen empty boxes follow the last one.
    columns: [Vec<u32>; 6],
    /// The identifiers of the boxes; sixteen zeros follow.
    ids: Vec<u32>,
}

/// A box in a row: its lowest x in the high half, its position in its set in the low one.
type RowEntry = u64;

impl SizeClass {
    /// Builds the class of the boxes of a set at `places` (at least one). `parallel`: on rayon's
    /// current pool.
    pub(super) fn build(set: &BoxSet, places: &[u32], parallel: bool) -> Self {
        debug_assert!(!places.is_empty(), "a class has boxes");
        let parallel = parallel && places.len() > PARALLEL_THRESHOLD;
        let columns = set.columns();
        let extent = if parallel {
            let parts = places.par_chunks(PART).map(|part| ClassExtent::of(&columns, part));
            parts.reduce(|| ClassExtent::EMPTY, ClassExtent::join)
        } else {
            ClassExtent::of(&columns, places)
        };
        let [y, z] = extent.cells(places.len());
        let entry = |&i: &u32| {
            let [x, at_y, at_z] = [0, 1, 2].map(|k| columns[k][i as usize]);
            let row = z.of(at_z) * y.count as u32 + y.of(at_y);
            (row, RowEntry::from(x) << 32 | RowEntry::from(i))
        };
        let rows = (y.count * z.count) as usize;
        let sorted = if parallel {
            let table = bucket_table(rows, bucket_count(), places.len(), |i| entry(&places[i]).0);
            let place = |i: &u32| {
                let (row, entry) = entry(i);
                (usize::from(table[row as usize]), (row, entry))
            };
            let parts: Vec<&[u32]> = places.chunks(PART).collect();
            let lists = partition(&parts, bucket_count(), place);
            let bucket = |bucket: usize| {
                let lists: Vec<&[_]> = lists.iter().map(|lists| lists[bucket].as_slice()).collect();
                sort_into_rows(&lists, keys_of(&table, bucket))
            };
            (0..bucket_count()).into_par_iter().with_max_len(1).map(bucket).collect()
        } else {
            let all: Vec<(u32, RowEntry)> = places.iter().map(entry).collect();
            vec![sort_into_rows(&[&all], 0..rows)]
        };
        let (columns, ids) = gather(set, places.len(), &sorted);
        let mut starts = Vec::with_capacity(rows + 1);
        let mut base = 0;
        for (counts, entries) in sorted {
            starts.extend(counts.iter().map(|start| base + start));
            base += entries.len() as u32;
        }
        starts.push(base);
        debug_assert!(starts.len() == rows + 1 && base as usize == places.len());
        Self { sides: extent.sides, y, z, starts, columns, ids }
    }

    /// The number of rows.
    pub(super) fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of boxes.
    pub(super) fn len(&self) -> usize {
        self.ids.len() - WIDTH
    }

    /// The range of the boxes of a row.
    #[inline(always)]
    pub(super) fn row(&self, row: usize) -> Range<usize> {
        self.starts[row] as usize..self.starts[row + 1] as usize
    }

    /// The bounds of the boxes that a row can hold.
    #[inline(always)]
    pub(super) fn bounds(&self, row: usize) -> LatticeBox {
        let across = self.y.count as usize;
        let [from_y, to_y] = self.y.span(row % across, self.sides[1]);
        let [from_z, to_z] = self.z.span(row / across, self.sides[2]);
        LatticeBox { min: [0, from_y, from_z], max: [u32::MAX, to_y, to_z] }
    }

    /// The rows whose boxes can overlap `one`, ascending.
    #[inline(always)]
    pub(super) fn near(&self, one: &LatticeBox) -> impl Iterator<Item = usize> + use<> {
        let across = self.y.count as usize;
        let y = self.y.near(one.min[1], one.max[1], self.sides[1]);
        self.z.near(one.min[2], one.max[2], self.sides[2]).flat_map(move |z| y.clone().map(move |y| z * across + y))
    }

    /// The rows after `row` whose boxes can overlap boxes of `row`.
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

    /// The longest side of a box along x.
    #[inline(always)]
    pub(super) fn longest_x(&self) -> u32 {
        self.sides[0]
    }

    /// The lowest and the highest x of a box.
    #[inline(always)]
    pub(super) fn ends_x(&self, at: usize) -> [u32; 2] {
        [self.columns[0][at], self.columns[3][at]]
    }

    /// The lowest x of the boxes, ascending within each row.
    #[inline(always)]
    pub(super) fn lowest_x(&self) -> &[u32] {
        &self.columns[0]
    }

    /// The sixteen boxes from index `at` on.
    #[inline(always)]
    pub(super) fn sixteen(&self, at: usize) -> Box16Columns<'_> {
        self.columns.each_ref().map(|c| c[at..].first_chunk().expect("sixteen boxes follow the last one"))
    }

    /// The identifiers of the sixteen boxes from index `at` on.
    #[inline(always)]
    pub(super) fn ids(&self, at: usize) -> &[u32; WIDTH] {
        self.ids[at..].first_chunk().expect("there is an identifier for each box")
    }
}

/// Sorts entries (row, entry) into the rows of a range, and each row by its entries. Returns the
/// index of the first entry of each row, and the entries.
fn sort_into_rows(lists: &[&[(u32, RowEntry)]], rows: Range<usize>) -> (Vec<u32>, Vec<RowEntry>) {
    let mut ends = vec![0_u32; rows.len()];
    for list in lists {
        list.iter().for_each(|&(row, _)| ends[row as usize - rows.start] += 1);
    }
    let mut total = 0;
    for end in &mut ends {
        total += std::mem::replace(end, total);
    }
    let starts = ends.clone();
    let mut sorted = vec![0; total as usize];
    for list in lists {
        for &(row, entry) in *list {
            let at = &mut ends[row as usize - rows.start];
            sorted[*at as usize] = entry;
            *at += 1;
        }
    }
    for (&start, &end) in starts.iter().zip(&ends) {
        sorted[start as usize..end as usize].sort_unstable();
    }
    (starts, sorted)
}

/// The columns and the identifiers of `count` boxes of a set in the order of their entries, with
/// sixteen empty boxes at the end. The parts of the list are copied on rayon's current pool if
/// there are several.
fn gather(set: &BoxSet, count: usize, sorted: &[(Vec<u32>, Vec<RowEntry>)]) -> ([Vec<u32>; 6], Vec<u32>) {
    let [x, y, z, to_x, to_y, to_z] = set.columns();
    let sources = [x, y, z, to_x, to_y, to_z, &set.ids];
    let mut targets: [Vec<u32>; 7] = std::array::from_fn(|_| vec![0; count + WIDTH]);
    targets.iter_mut().take(3).for_each(|column| column[count..].fill(u32::MAX));
    let mut rest = targets.each_mut().map(Vec::as_mut_slice);
    let mut tasks = Vec::with_capacity(sorted.len());
    for (_, entries) in sorted {
        let parts = rest.map(|column| column.split_at_mut(entries.len()));
        let mut heads = Vec::with_capacity(parts.len());
        rest = parts.map(|(head, tail)| {
            heads.push(head);
            tail
        });
        tasks.push((heads, entries));
    }
    let copy = |(heads, entries): (Vec<&mut [u32]>, &Vec<RowEntry>)| {
        for (to, from) in heads.into_iter().zip(sources) {
            to.iter_mut().zip(entries).for_each(|(to, &entry)| *to = from[entry as u32 as usize]);
        }
    };
    if tasks.len() > 1 {
        tasks.into_par_iter().for_each(copy);
    } else {
        tasks.into_iter().for_each(copy);
    }
    let [a, b, c, d, e, f, ids] = targets;
    ([a, b, c, d, e, f], ids)
}
