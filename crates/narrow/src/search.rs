//! Ends of an iterative search: one vocabulary for GJK (`gjk`), V-Clip (`vclip`) and Lin-Canny
//! (`lin_canny`).
//!
//! Their results differ (a simplex with its nearest point, a pair of features), so each has a
//! result type of its own: `gjk::GjkResult`, `vclip::VClipResult`, `lin_canny::LinCannyResult`.

/// End of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchEnd {
    /// A direction shows a gap of the cores above the cut-off. GJK only.
    Beyond,
    /// The simplex carries the nearest point, or the features hold the closest points, up to
    /// rounding.
    Converged,
    /// The cores touch or overlap. GJK: the origin lies inside the simplex, or on it up to
    /// rounding. V-Clip and Lin-Canny: an edge pierces a face, a vertex lies inside, or the
    /// features meet.
    Overlap,
    /// A state came back: its tests contradict each other by rounding. V-Clip and Lin-Canny only.
    Cycle,
    /// The iteration limit was reached, or progress ended in rounding.
    Stalled,
}
