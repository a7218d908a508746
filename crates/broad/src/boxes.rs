//! Boxes on the lattice: one, the 64 of a body over a block, and their bounds over a range of
//! samples.
//!
//! `box_builder` makes boxes from poses; nothing else does. Every search, on every device, compares
//! these integers.

use bytemuck::{Pod, Zeroable};
use clearsweep_base::simd::{Level, dispatch};
use clearsweep_model::SAMPLES;
use std::ops::Range;

/// An axis-aligned box on the lattice. Both ends belong to it. It is empty where `min > max` along
/// some axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LatticeBox {
    /// Lowest coordinates, in `1..u32::MAX` unless the box is empty.
    pub min: [u32; 3],
    /// Highest coordinates, in `1..u32::MAX` unless the box is empty.
    pub max: [u32; 3],
}

impl LatticeBox {
    /// The empty box. It overlaps no box, not even the largest, since no coordinate of a box is 0
    /// or `u32::MAX`.
    pub const EMPTY: Self = Self { min: [u32::MAX; 3], max: [0; 3] };

    /// Whether two boxes share a lattice point.
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        (0..3).all(|k| self.min[k] <= other.max[k] && other.min[k] <= self.max[k])
    }

    /// Whether the box contains no lattice point.
    #[inline]
    pub fn is_empty(&self) -> bool {
        (0..3).any(|k| self.min[k] > self.max[k])
    }
}

/// The columns of 64 boxes, borrowed: min x, y, z, max x, y, z.
pub(super) type BoxColumns<'a> = [&'a [u32; 64]; 6];

/// 64 boxes as a structure of arrays: the boxes of one body in the samples of a block, or the boxes
/// of 64 static bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(64))]
pub struct Boxes64 {
    /// Coordinates `[min x, y, z, max x, y, z][sample]`.
    pub columns: [[u32; SAMPLES]; 6],
}

impl Boxes64 {
    /// 64 empty boxes.
    pub const EMPTY: Self =
        Self { columns: [[u32::MAX; 64], [u32::MAX; 64], [u32::MAX; 64], [0; 64], [0; 64], [0; 64]] };

    /// The box in a sample.
    #[inline]
    pub fn get(&self, sample: usize) -> LatticeBox {
        let at = |k: usize| self.columns[k][sample];
        LatticeBox { min: [at(0), at(1), at(2)], max: [at(3), at(4), at(5)] }
    }

    /// Makes the box in a sample empty.
    #[inline(always)]
    pub(super) fn clear(&mut self, sample: usize) {
        for k in 0..3 {
            (self.columns[k][sample], self.columns[k + 3][sample]) = (u32::MAX, 0);
        }
    }

    /// The columns, as the overlap kernels take them.
    #[inline]
    pub(super) fn view(&self) -> BoxColumns<'_> {
        self.columns.each_ref()
    }

    /// [`Self::sweep`] with the instructions of a level.
    #[inline]
    pub(super) fn sweep_with(&self, simd: Level, range: Range<usize>) -> SweptBounds {
        sweep_at(simd, self, range)
    }

    /// The bounds of the boxes over a range of samples.
    #[inline(always)]
    pub fn sweep(&self, range: Range<usize>) -> SweptBounds {
        let mut sweep =
            SweptBounds { union: LatticeBox::EMPTY, intersection: LatticeBox { min: [0; 3], max: [u32::MAX; 3] } };
        for k in 0..3 {
            for &v in &self.columns[k][range.clone()] {
                sweep.union.min[k] = sweep.union.min[k].min(v);
                sweep.intersection.min[k] = sweep.intersection.min[k].max(v);
            }
            for &v in &self.columns[k + 3][range.clone()] {
                sweep.union.max[k] = sweep.union.max[k].max(v);
                sweep.intersection.max[k] = sweep.intersection.max[k].min(v);
            }
        }
        sweep
    }
}

#[inline(always)]
fn sweep_body(boxes: &Boxes64, range: Range<usize>) -> SweptBounds {
    boxes.sweep(range)
}

dispatch!(loops at sweep_at, sweep_body, (boxes: &Boxes64, range: Range<usize>) -> SweptBounds);

/// The bounds of a body's boxes over a range of samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SweptBounds {
    /// The smallest box that contains every box of the range. Two bodies whose unions are disjoint
    /// overlap in no sample.
    pub union: LatticeBox,
    /// The latest beginning and the earliest end along each axis (`min > max` is possible). Two
    /// bodies whose intersections pass the overlap test overlap in *every* sample. It is empty if
    /// the body is absent in some sample.
    pub intersection: LatticeBox,
}

impl SweptBounds {
    /// The bounds of a body that is absent throughout.
    pub(super) const EMPTY: Self = Self { union: LatticeBox::EMPTY, intersection: LatticeBox::EMPTY };
}
