//! The result of a distance sub-algorithm, and the trait of all of them.

use clearsweep_geometry::{Real, Vec3};

/// The point of a simplex nearest to the origin.
#[derive(Debug, Clone, Copy)]
pub struct SimplexPoint<T> {
    /// The point, metres.
    pub point: Vec3<T>,
    /// Positions in the input simplex of the vertices that carry it, ascending; the first `count`
    /// are valid.
    pub kept: [usize; 4],
    /// The number of vertices that carry it; 4: the origin is inside.
    pub count: usize,
}

impl<T: Real> SimplexPoint<T> {
    /// Vertex `i`.
    pub(super) fn vertex(s: &[Vec3<T>; 4], i: usize) -> Self {
        Self { point: s[i], kept: [i, 0, 0, 0], count: 1 }
    }

    /// The nearer of two points; the first if they are equally near.
    pub(super) fn nearer(self, other: Self) -> Self {
        if other.point.length2() < self.point.length2() { other } else { self }
    }
}

/// A way to the point of a simplex nearest to the origin.
pub(super) trait DistanceSubAlgorithm {
    /// The nearest point of the simplex of the first `count` (1 to 4) points of `s`; `None` where
    /// rounding leaves no set of vertices that passes the tests. It always finds the point of a
    /// single vertex.
    fn nearest<T: Real>(s: &[Vec3<T>; 4], count: usize) -> Option<SimplexPoint<T>>;
}
