//! The claim that a surface around the origin must prove for the depth of overlapping cores.

/// The least distances of a closed surface's triangles from the origin, metres, that prove a depth.
#[derive(Debug, Clone, Copy)]
pub struct Claim {
    /// Triangles of the facet are at least so far from the origin.
    pub facet: f64,
    /// All others at least so far.
    pub others: f64,
}
