//! Convex polygons in a plane, and the centroid of what two of them have in common.
//!
//! The sides of each polygon are clipped against the other (Cyrus and Beck 1978). What is left of
//! both is the boundary of the intersection, and its centroid is a sum over the boundary (Green's
//! theorem), which needs no order of the pieces. So there is no branch that would part the lanes of
//! a register.

use clearsweep_geometry::{Scalar, Vec3};

/// A point of the plane.
pub(crate) type PlanePoint<T> = [T; 2];

/// A convex polygon, counter-clockwise; of two vertices a segment.
#[derive(Clone, Copy)]
pub(super) struct PlaneOutline<T, const N: usize> {
    /// Vertices; the first `count` are valid.
    pub(super) vertices: [PlanePoint<T>; N],
    /// Upper bounds of the sides' lengths, metres, at most twice as long.
    pub(super) lengths: [f64; N],
    /// The number of vertices, at most `N`.
    pub(super) count: usize,
}

/// Intersection of two polygons.
#[derive(Clone, Copy)]
pub(super) struct Intersection<T> {
    /// Its centroid.
    pub(super) centroid: PlanePoint<T>,
    /// Lower bounds of how deep the centroid lies in each of the two polygons, metres; negative, or
    /// no number, where they have nothing in common.
    pub(super) depths: [T; 2],
}

/// The parts of the sides of a polygon that lie within another: of side `j` from parameter
/// `from[j]` to `to[j]`, nothing where `from` is not less than `to`.
pub(super) struct ClippedSides<T, const N: usize> {
    pub(super) from: [T; N],
    pub(super) to: [T; N],
}

/// Twice the area of the triangle of a side and a point: positive to the left of the side.
#[inline(always)] // as everything below: into code for wider registers
fn left_of<T: Scalar>(start: PlanePoint<T>, along: PlanePoint<T>, x: PlanePoint<T>) -> T {
    along[0] * (x[1] - start[1]) - along[1] * (x[0] - start[0])
}

#[inline(always)]
fn difference<T: Scalar>(to: PlanePoint<T>, from: PlanePoint<T>) -> PlanePoint<T> {
    [to[0] - from[0], to[1] - from[1]]
}

#[inline(always)]
fn along<T: Scalar>(start: PlanePoint<T>, side: PlanePoint<T>, s: T) -> PlanePoint<T> {
    [start[0] + side[0] * s, start[1] + side[1] * s]
}

impl<T: Scalar, const N: usize> PlaneOutline<T, N> {
    /// Creates an outline without vertices.
    #[inline(always)]
    pub(super) fn empty() -> Self {
        Self { vertices: [[T::zero(); 2]; N], lengths: [0.0; N], count: 0 }
    }

    /// Adds a vertex, and the length of the side that begins there.
    #[inline(always)]
    pub(super) fn push(&mut self, vertex: PlanePoint<T>, side: Vec3<f64>) {
        self.vertices[self.count] = vertex;
        self.lengths[self.count] = side.x.abs() + side.y.abs() + side.z.abs();
        self.count += 1;
    }

    /// The vertex at which side `j` ends.
    #[inline(always)]
    fn end(&self, j: usize) -> PlanePoint<T> {
        self.vertices[if j + 1 < self.count { j + 1 } else { 0 }]
    }

    /// Side `j` from its start to its end.
    #[inline(always)]
    pub(super) fn side(&self, j: usize) -> PlanePoint<T> {
        difference(self.end(j), self.vertices[j])
    }

    /// A point of side `j`.
    #[inline(always)]
    pub(super) fn point(&self, j: usize, s: T) -> PlanePoint<T> {
        along(self.vertices[j], self.side(j), s)
    }

    /// A lower bound of how deep a point lies in the polygon, metres; negative outside.
    #[inline(always)]
    pub(super) fn depth(&self, x: PlanePoint<T>) -> T {
        let mut depth = T::from_f64(f64::INFINITY);
        for i in 0..self.count {
            let height = left_of(self.vertices[i], self.side(i), x) * T::from_f64(1.0 / self.lengths[i]);
            depth = height.smaller(depth);
        }
        depth
    }

    /// Clips the sides against another polygon, each of whose sides is moved inward by `inset`,
    /// metres (outward where it is negative; up to twice as far).
    #[inline(always)]
    pub(super) fn clipped<const M: usize>(&self, by: &PlaneOutline<T, M>, inset: T) -> ClippedSides<T, N> {
        let (zero, one) = (T::zero(), T::one());
        let mut clipped = ClippedSides { from: [zero; N], to: [one; N] };
        for i in 0..by.count {
            let (start, side, inset) = (by.vertices[i], by.side(i), inset * T::from_f64(by.lengths[i]));
            let first = left_of(start, side, self.vertices[0]) - inset;
            let mut here = first;
            for j in 0..self.count {
                let next = if j + 1 < self.count { left_of(start, side, self.vertices[j + 1]) - inset } else { first };
                let (out, next_out) = (here.le(zero), next.le(zero));
                if T::any(out | next_out) {
                    let s = here / (here - next);
                    let (from, to) = (clipped.from[j], clipped.to[j]);
                    clipped.to[j] = T::select(next_out & here.gt(zero), s.smaller(to), to);
                    let from = T::select(out & next.gt(zero), s.larger(from), from);
                    clipped.from[j] = T::select(out & next_out, T::from_f64(2.0), from);
                }
                here = next;
            }
        }
        clipped
    }

    /// Adds up the ends of clipped sides: their number, and the sum of their coordinates.
    #[inline(always)]
    fn add_ends(&self, clipped: &ClippedSides<T, N>, sum: &mut [T; 3]) {
        for j in 0..self.count {
            let (from, to) = (clipped.from[j], clipped.to[j]);
            let is_left = from.lt(to);
            if T::any(is_left) {
                let (start, side) = (self.vertices[j], self.side(j));
                let ([x, y], [u, v]) = (along(start, side, from), along(start, side, to));
                let (zero, two) = (T::zero(), T::from_f64(2.0));
                sum[0] = sum[0] + T::select(is_left, two, zero);
                sum[1] = sum[1] + T::select(is_left, x + u, zero);
                sum[2] = sum[2] + T::select(is_left, y + v, zero);
            }
        }
    }

    /// Adds up the moments of the triangles of clipped sides and a point within: six times the
    /// area's moments, and twice the area.
    #[inline(always)]
    fn add_moments(&self, clipped: &ClippedSides<T, N>, within: PlanePoint<T>, sum: &mut [T; 3]) {
        for j in 0..self.count {
            let (from, to) = (clipped.from[j], clipped.to[j]);
            let is_left = from.lt(to);
            if T::any(is_left) {
                let (start, side) = (self.vertices[j], self.side(j));
                let a = difference(along(start, side, from), within);
                let b = difference(along(start, side, to), within);
                let area = T::select(is_left, a[0] * b[1] - a[1] * b[0], T::zero());
                sum[0] = sum[0] + area;
                sum[1] = sum[1] + area * (a[0] + b[0]);
                sum[2] = sum[2] + area * (a[1] + b[1]);
            }
        }
    }
}

/// Length of the coordinates' rounding, in shares of the pair's size: what decides of sides that
/// coincide, which of them counts.
pub(super) const COINCIDENT: f64 = 16.0 * (f64::EPSILON / 2.0);

/// The intersection of two polygons; `size`: of the pair, metres.
///
/// Sides that coincide up to rounding count once: those of `p` are kept where they lie outside of
/// `q` by rounding at most, those of `q` where they lie inside of `p` by more than that.
#[inline(always)]
pub(super) fn intersection<T: Scalar, const N: usize, const M: usize>(
    p: &PlaneOutline<T, N>,
    q: &PlaneOutline<T, M>,
    size: T,
) -> Intersection<T> {
    let rounding = T::from_f64(COINCIDENT) * size;
    let (sides_p, sides_q) = (p.clipped(q, -rounding), q.clipped(p, rounding));
    let mut ends = [T::zero(); 3];
    p.add_ends(&sides_p, &mut ends);
    q.add_ends(&sides_q, &mut ends);
    let share = T::one() / ends[0];
    let within = [ends[1] * share, ends[2] * share];
    let mut moments = [T::zero(); 3];
    p.add_moments(&sides_p, within, &mut moments);
    q.add_moments(&sides_q, within, &mut moments);
    let share = T::one() / (T::from_f64(3.0) * moments[0]);
    let centroid = [within[0] + moments[1] * share, within[1] + moments[2] * share];
    Intersection { centroid, depths: [p.depth(centroid), q.depth(centroid)] }
}
