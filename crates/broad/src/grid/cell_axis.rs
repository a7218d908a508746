//! One axis of a grid, divided into cells.

use std::ops::Range;

/// One axis divided into cells of equal width.
#[derive(Debug, Default)]
pub(super) struct CellAxis {
    low: u32,
    /// The number of cells in 2^32 coordinates. Multiplying by it is faster than dividing by the
    /// width.
    factor: u64,
    /// The number of cells.
    pub(super) count: u64,
    /// The lowest coordinate of each cell, and the end of the last one.
    edges: Vec<u32>,
}

impl CellAxis {
    /// Cells at least `width` coordinates wide from `low` to the one that contains `high`, without
    /// edges.
    pub(super) fn new([low, high]: [u32; 2], width: f64) -> Self {
        let mut cells = Self { low, factor: (1 << 32) / (width.ceil() as u64).max(1), count: 0, edges: Vec::new() };
        cells.count = u64::from(cells.of(high)) + 1;
        cells
    }

    /// Adds the edges of the cells.
    pub(super) fn with_edges(mut self) -> Self {
        let edge = |cell: u64| {
            let from = (cell << 32).div_ceil(self.factor.max(1)).min(u64::from(u32::MAX));
            self.low.saturating_add(from as u32)
        };
        self.edges = (0..self.count).map(edge).chain([u32::MAX]).collect();
        self
    }

    /// The cell of a coordinate. It is monotone, and coordinates no farther apart than the width
    /// lie in the same cell or in neighbouring ones.
    #[inline(always)]
    pub(super) fn of(&self, v: u32) -> u32 {
        ((u64::from(v.saturating_sub(self.low)) * self.factor) >> 32) as u32
    }

    /// The cells in which a box no longer than `side` can begin and overlap the interval from `min`
    /// to `max`.
    #[inline(always)]
    pub(super) fn near(&self, min: u32, max: u32, side: u32) -> Range<usize> {
        if max < self.low {
            return 0..0;
        }
        let count = self.count as usize;
        (self.of(min.saturating_sub(side)) as usize).min(count)..(self.of(max) as usize + 1).min(count)
    }

    /// The bounds of the boxes no longer than `side` that begin in a cell.
    #[inline(always)]
    pub(super) fn span(&self, cell: usize, side: u32) -> [u32; 2] {
        [self.edges[cell], self.edges[cell + 1].saturating_add(side)]
    }
}
