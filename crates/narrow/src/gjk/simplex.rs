//! The simplex of a GJK search.

use crate::pair::{Pair, Supporting, VertexPair};
use crate::search::SearchEnd;
use clearsweep_geometry::Vec3;

/// Up to four vertices of the Minkowski difference, by index: what a pair remembers of a search.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Simplex {
    /// The vertex pairs; the first `count` are valid.
    pub pairs: [VertexPair; 4],
    /// The number of vertices, 0 to 4.
    pub count: u8,
}

impl Simplex {
    /// A single vertex.
    pub fn of_vertices(pair: VertexPair) -> Self {
        Self { pairs: [pair, [0; 2], [0; 2], [0; 2]], count: 1 }
    }

    /// The valid vertex pairs.
    pub fn as_slice(&self) -> &[VertexPair] {
        &self.pairs[..usize::from(self.count)]
    }

    /// The valid vertices at the pose of the pair, metres; zero beyond them.
    #[inline]
    pub(crate) fn points<T: Supporting>(&self, pair: &Pair<'_, T>) -> [Vec3<T>; 4] {
        let mut points = [Vec3::ZERO; 4];
        for (p, &v) in points.iter_mut().zip(self.as_slice()) {
            *p = pair.difference(v);
        }
        points
    }

    /// Drops the vertices that do not carry the nearest point, and their points; `kept`: positions,
    /// ascending.
    #[inline]
    pub(super) fn keep<T: Copy>(&mut self, points: &mut [Vec3<T>; 4], kept: &[usize]) {
        debug_assert!(kept.is_sorted_by(|a, b| a < b), "moving down must not overwrite what is still needed");
        for (to, &from) in kept.iter().enumerate() {
            self.pairs[to] = self.pairs[from];
            points[to] = points[from];
        }
        self.count = kept.len() as u8;
    }

    /// Adds a vertex and its point.
    #[inline]
    pub(super) fn push<T>(&mut self, points: &mut [Vec3<T>; 4], vertex: VertexPair, point: Vec3<T>) {
        let at = usize::from(self.count);
        self.pairs[at] = vertex;
        points[at] = point;
        self.count += 1;
    }
}

/// The result of a search.
#[derive(Debug, Clone, Copy)]
pub struct GjkResult<T> {
    /// End of the search: never [`SearchEnd::Cycle`].
    pub end: SearchEnd,
    /// The simplex at the end.
    pub simplex: Simplex,
    /// Its point nearest to the origin: the vector from B's closest point to A's, metres.
    pub point: Vec3<T>,
    /// Gap along the last direction, metres, if it ended with [`SearchEnd::Beyond`]; else 0.
    pub gap: f64,
    /// Iterations.
    pub iterations: u32,
}
