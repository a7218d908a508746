//! One pair of bodies of one piece each in the samples of a block.

use crate::relative::RelativeLanes;
use crate::rows::{Extents, RowTerms};

/// One pair in the samples of a block.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PairBlock<'a> {
    /// Terms of the pair's rows.
    pub(crate) rows: RowTerms<'a>,
    /// Its relative poses.
    pub(crate) poses: &'a RelativeLanes,
}

impl PairBlock<'_> {
    /// The size of the cores in a sample, and how far they are.
    #[inline(always)]
    pub(crate) fn extents(&self, sample: usize) -> Extents<f64> {
        let [a, b] = self.rows.cores;
        Extents { size: self.poses.size(a, b, self.rows.growth(), sample), reach: self.poses.reach(sample) }
    }
}
