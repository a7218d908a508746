//! Sixteen boxes side by side.

use super::boxes::LatticeBox;

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
