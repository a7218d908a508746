//! One pair of convex cores at one relative pose: what every method and every proof works on.

pub use super::support::VertexPair;
use super::support::{self, CLIMB_ABOVE};
use clearsweep_geometry::{Dd, Polyhedron, Real, RelativePose, Scalar, Vec3};
pub use clearsweep_model::SupportSearch;

/// Two cores, and `a_from_b` in the numbers `T`.
#[derive(Debug, Clone, Copy)]
pub struct Pair<'a, T> {
    /// Core of A, in A's frame.
    pub a: &'a Polyhedron,
    /// Core of B, in B's frame.
    pub b: &'a Polyhedron,
    /// B's frame in A's.
    pub pose: RelativePose<T>,
    /// The size of the pair, metres: both circumradii about the recentred origins, growth included,
    /// + |t|.
    pub size: f64,
}

/// The rounding bound E of pairs of a size (metres) in the numbers `T`
/// (docs/reference/numerics.md): 256 units of the size.
#[inline(always)]
pub fn bound_of<T: Scalar>(size: T::Bound) -> T::Bound {
    T::Bound::from_f64(256.0 * T::UNIT) * size
}

/// The size of a pair whose translation has this length, metres: both circumradii about the
/// recentred origins, growth included, and the translation.
#[inline(always)]
pub fn size_of<T: Scalar>(a: &Polyhedron, b: &Polyhedron, growth: f64, translation: T) -> T {
    // The floor keeps the bound above where squares of lengths underflow.
    let (size, floor) = (T::from_f64(a.radius + b.radius + growth) + translation, T::from_f64(1e-120));
    T::select(size.gt(floor), size, floor)
}

/// Numbers in which supports are computed.
pub trait Supporting: Real {
    /// Vertices with the largest `d . v` of A and `m . v` of B, and these values, found as `search`
    /// says. `start`: where climbs begin.
    fn supports(
        search: SupportSearch,
        of_a: (&Polyhedron, Vec3<Self>),
        of_b: (&Polyhedron, Vec3<Self>),
        start: VertexPair,
    ) -> [(u32, Self); 2];
    /// The largest `d . v` over all vertices: a proof, so it scans all of them.
    fn max_dot(p: &Polyhedron, d: Vec3<Self>) -> Self;
}

impl Supporting for f64 {
    #[inline(always)]
    fn supports(
        search: SupportSearch,
        of_a: (&Polyhedron, Vec3<f64>),
        of_b: (&Polyhedron, Vec3<f64>),
        start: VertexPair,
    ) -> [(u32, f64); 2] {
        match search {
            SupportSearch::BySize => support::supports(of_a, of_b, start),
            SupportSearch::Scan => support::scanned(of_a, of_b),
            SupportSearch::Climb => support::climbed(of_a, of_b, start),
        }
    }
    #[inline]
    fn max_dot(p: &Polyhedron, d: Vec3<f64>) -> f64 {
        support::max_dot(p, d)
    }
}

impl Supporting for Dd {
    fn supports(
        search: SupportSearch,
        (a, d): (&Polyhedron, Vec3<Self>),
        (b, m): (&Polyhedron, Vec3<Self>),
        start: VertexPair,
    ) -> [(u32, Self); 2] {
        if search == SupportSearch::Climb {
            return [(a, d, start[0]), (b, m, start[1])].map(|(p, d, start)| {
                let climbed = support::climb_edges(p, d, start, false);
                (climbed.vertex, climbed.height)
            });
        }
        [scan(a, d), scan(b, m)]
    }
    fn max_dot(p: &Polyhedron, d: Vec3<Self>) -> Self {
        scan(p, d).1
    }
}

/// The lowest vertex with the largest `d . v`, and that value.
fn scan(p: &Polyhedron, d: Vec3<Dd>) -> (u32, Dd) {
    let mut best = (0, d.dot(Vec3::from_f64(p.vertex(0))));
    for v in 1..p.count as u32 {
        let value = d.dot(Vec3::from_f64(p.vertex(v)));
        if value > best.1 {
            best = (v, value);
        }
    }
    best
}

impl<'a, T: Supporting> Pair<'a, T> {
    /// A pair at a relative pose; `growth` is the sum of both radii, metres.
    #[inline]
    pub fn new(a: &'a Polyhedron, b: &'a Polyhedron, pose: RelativePose<T>, growth: f64) -> Self {
        let size = size_of(a, b, growth, pose.t.to_f64().length());
        Self { a, b, pose, size }
    }

    /// The rounding bound E of this pair in these numbers (docs/reference/numerics.md): 256 units
    /// of the size.
    #[inline]
    pub fn bound(&self) -> f64 {
        bound_of::<T>(self.size)
    }

    /// Whether supports of this pair are found by climbing, not by scans over all vertices.
    #[inline]
    pub fn climbs(&self) -> bool {
        self.a.count.max(self.b.count) > CLIMB_ABOVE
    }

    /// Vertex `i` of A, in A's frame.
    #[inline]
    pub fn vertex_a(&self, i: u32) -> Vec3<T> {
        Vec3::from_f64(self.a.vertex(i))
    }

    /// Vertex `i` of B, in A's frame.
    #[inline]
    pub fn vertex_b(&self, i: u32) -> Vec3<T> {
        self.pose.point(Vec3::from_f64(self.b.vertex(i)))
    }

    /// The point `a - b` of the Minkowski difference.
    #[inline]
    pub fn difference(&self, [i, j]: VertexPair) -> Vec3<T> {
        self.vertex_a(i) - self.vertex_b(j)
    }

    /// The vertex of the Minkowski difference farthest along `d` (A's frame), and how far that is:
    /// `d . (a - b)` to within rounding.
    #[inline]
    pub fn support(&self, d: Vec3<T>, start: VertexPair) -> (VertexPair, T) {
        self.support_by(SupportSearch::BySize, d, start)
    }

    /// [`Self::support`], found as `search` says.
    #[inline(always)]
    pub fn support_by(&self, search: SupportSearch, d: Vec3<T>, start: VertexPair) -> (VertexPair, T) {
        let m = -self.pose.inverse_vector(d);
        let [(i, max_a), (j, max_b)] = T::supports(search, (self.a, d), (self.b, m), start);
        ([i, j], max_a + max_b - d.dot(self.pose.t))
    }

    /// The dot products of vertices with directions that [`Self::support_by`] forms.
    pub fn dot_products(&self, search: SupportSearch, d: Vec3<T>, start: VertexPair) -> u32 {
        let (d, m) = (d.to_f64(), -self.pose.inverse_vector(d).to_f64());
        support::dot_products(search, self.a, d, start[0]) + support::dot_products(search, self.b, m, start[1])
    }

    /// The gap of the supporting planes along the unit vector `n`: `min over B of n.x - max over A
    /// of n.x`, over all vertices. The signed distance of the cores is at least this.
    #[inline]
    pub fn gap(&self, n: Vec3<T>) -> T {
        let max_a = T::max_dot(self.a, n);
        let max_b = T::max_dot(self.b, -self.pose.inverse_vector(n));
        n.dot(self.pose.t) - max_b - max_a
    }
}
