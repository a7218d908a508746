//! Many boxes with identifiers, as a structure of arrays.

use super::boxes::{BoxColumns, LatticeBox};
use super::overlap::one_against;
use clearsweep_base::simd::Level;
use rayon::prelude::*;

/// The number of boxes that a task copies.
const PART: usize = 4096;

/// Boxes with identifiers, in columns that the overlap kernels can read 64 at a time from any
/// position.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct BoxSet {
    /// The identifier of each box: a slot, or a position in a list of bodies.
    pub(super) ids: Vec<u32>,
    /// min x, y, z, max x, y, z. 64 empty boxes follow the last one, so that a chunk of 64 may
    /// begin at any box.
    columns: [Vec<u32>; 6],
}

impl BoxSet {
    /// A set of boxes.
    pub(super) fn new(boxes: impl Iterator<Item = (u32, LatticeBox)>) -> Self {
        let mut set = Self::default();
        set.fill(boxes);
        set
    }

    /// Replaces the boxes and keeps the allocations.
    pub(super) fn fill(&mut self, boxes: impl Iterator<Item = (u32, LatticeBox)>) {
        self.ids.clear();
        self.columns.iter_mut().for_each(Vec::clear);
        for (id, b) in boxes {
            self.ids.push(id);
            for k in 0..3 {
                self.columns[k].push(b.min[k]);
                self.columns[k + 3].push(b.max[k]);
            }
        }
        let length = self.ids.len() + 64;
        for (k, column) in self.columns.iter_mut().enumerate() {
            column.resize(length, if k < 3 { u32::MAX } else { 0 });
        }
    }

    /// Replaces the boxes by `count` boxes `get(i)` on rayon's current pool, and keeps the
    /// allocations.
    pub(super) fn par_fill(&mut self, count: usize, get: impl Fn(usize) -> (u32, LatticeBox) + Sync) {
        self.ids.resize(count, 0);
        for (k, column) in self.columns.iter_mut().enumerate() {
            column.resize(count + 64, 0);
            column[count..].fill(if k < 3 { u32::MAX } else { 0 });
        }
        let [x, y, z, to_x, to_y, to_z] = self.columns.each_mut().map(|column| column[..count].par_chunks_mut(PART));
        let parts = (self.ids.par_chunks_mut(PART), x, y, z, to_x, to_y, to_z).into_par_iter().enumerate();
        parts.for_each(|(part, (ids, x, y, z, to_x, to_y, to_z))| {
            for i in 0..ids.len() {
                let (id, b) = get(part * PART + i);
                ids[i] = id;
                [x[i], y[i], z[i]] = b.min;
                [to_x[i], to_y[i], to_z[i]] = b.max;
            }
        });
    }

    /// The number of boxes.
    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are no boxes.
    pub(super) fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Box `i`.
    #[inline]
    pub(super) fn get(&self, i: usize) -> LatticeBox {
        let at = |k: usize| self.columns[k][i];
        LatticeBox { min: [at(0), at(1), at(2)], max: [at(3), at(4), at(5)] }
    }

    /// The columns min x, y, z, max x, y, z without the empty boxes at the end.
    pub(super) fn columns(&self) -> [&[u32]; 6] {
        self.columns.each_ref().map(|column| &column[..self.len()])
    }

    /// The least and the greatest longest side of the boxes, lattice spacings; `(u32::MAX, 0)`
    /// without boxes.
    pub(super) fn size_range(&self) -> (u32, u32) {
        let [x, y, z, to_x, to_y, to_z] = self.columns();
        (0..self.len()).fold((u32::MAX, 0), |(shortest, longest), i| {
            let side = |from: &[u32], to: &[u32]| to[i].saturating_sub(from[i]);
            let side = side(x, to_x).max(side(y, to_y)).max(side(z, to_z));
            (shortest.min(side), longest.max(side))
        })
    }

    /// Calls `hit` with the index of every box in `from..to` that overlaps `one`, in ascending
    /// order.
    #[inline]
    pub(super) fn overlapping(
        &self,
        simd: Level,
        one: &LatticeBox,
        from: usize,
        to: usize,
        mut hit: impl FnMut(usize),
    ) {
        let mut at = from;
        while at < to {
            let count = (to - at).min(64);
            let mut bits = one_against(simd, one, self.chunk(at), count);
            while bits != 0 {
                hit(at + bits.trailing_zeros() as usize);
                bits &= bits - 1;
            }
            at += count;
        }
    }

    /// The 64 boxes from index `at < len`; those past the end are empty.
    #[inline]
    fn chunk(&self, at: usize) -> BoxColumns<'_> {
        self.columns.each_ref().map(|c| c[at..].first_chunk().expect("columns end with 64 empty boxes"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_range_spans_the_longest_sides() {
        assert_eq!(BoxSet::default().size_range(), (u32::MAX, 0));
        let boxes = [[5, 1, 2], [3, 4, 3], [0, 0, 9]].map(|side| LatticeBox { min: [7; 3], max: side.map(|s| 7 + s) });
        assert_eq!(BoxSet::new((0..).zip(boxes)).size_range(), (4, 9));
    }
}
