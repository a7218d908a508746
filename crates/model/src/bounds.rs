//! Bounds of positions.

/// Bounds of the positions of the whole input (whatever runs and frames are chosen), metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// Lowest x, y, z.
    pub min: [f64; 3],
    /// Highest x, y, z.
    pub max: [f64; 3],
}
