//! A search under way, and what it counts.

use super::difference::{Difference, DifferenceFace};

/// The three searches, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// SEARCH-FV: faces of A.
    FaceVertex,
    /// SEARCH-VF: faces of B.
    VertexFace,
    /// SEARCH-EE: edge pairs.
    EdgeEdge,
}

/// A search under way.
pub(super) struct OverlapTest<'a> {
    /// The pair.
    pub(super) difference: Difference<'a>,
    /// Whether a face that separates the cores ends the search.
    pub(super) is_overlap_test: bool,
    /// Faces rated and pairs tested, by phase.
    pub(super) counts: [u32; 3],
    /// Number of times that SEARCH-EE went on to a face of one body.
    pub(super) returns: u32,
}

impl OverlapTest<'_> {
    /// Whether a face ends the search: it separates the cores by more than the rounding bound.
    #[inline(always)]
    pub(super) fn is_decided(&self, face: &DifferenceFace) -> bool {
        let bound = self.difference.pair.bound();
        self.is_overlap_test && face.height < 0.0 && face.height * face.height > bound * bound * face.normal.length2()
    }
}
