//! Convex hulls of points by exact predicates, as polyhedra with merged faces.

use super::polyhedron::Polyhedron;
use super::vec3::Vec3;

/// Why points have no hull.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HullError {
    /// There are no points.
    Empty,
    /// Point `index` is not finite.
    NotFinite {
        /// Its index in the input.
        index: usize,
    },
    /// Coordinates are so large or so small that predicates could over- or underflow.
    OutOfRange {
        /// Index of an offending point.
        index: usize,
    },
}

/// The hull of points (metres); `source` of its vertices are indices into `points`.
///
/// # Errors
/// See [`HullError`]; flat, collinear and single points are no error but polyhedra of lower dimension.
pub fn convex_hull(points: &[Vec3<f64>]) -> Result<Polyhedron, HullError> {
    let _ = points;
    todo!("hull")
}
