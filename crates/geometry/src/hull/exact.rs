//! Exact signs and exact sums: Shewchuk 1997, "Adaptive precision floating-point arithmetic and
//! fast robust geometric predicates" (the predicates themselves are those of the crate `robust`).
//!
//! Everything here is exact for coordinates in the range of [`super::convex_hull`].

use crate::real::{Dd, Real, Scalar, two_prod, two_sum};
use crate::vec3::Vec3;
use robust::{Coord, Coord3D};

type Point = Vec3<f64>;

/// Positive iff `d` lies above the plane through `a`, `b`, `c`, that is on the side from which they
/// are seen counter-clockwise; zero iff the four are coplanar.
#[inline]
pub fn side(a: Point, b: Point, c: Point, d: Point) -> f64 {
    let p = |p: Point| Coord3D { x: p.x, y: p.y, z: p.z };
    -robust::orient3d(p(a), p(b), p(c), p(d))
}

/// The sign of component `axis` of `(b - a) x (c - a)`: positive iff `a`, `b`, `c` are
/// counter-clockwise seen from the far end of that axis.
#[inline]
pub fn turn(a: Point, b: Point, c: Point, axis: usize) -> f64 {
    let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
    let p = |p: Point| Coord { x: p[j], y: p[k] };
    robust::orient2d(p(a), p(b), p(c))
}

/// Whether three points lie on a line (or coincide).
pub fn collinear(a: Point, b: Point, c: Point) -> bool {
    (0..3).all(|axis| turn(a, b, c, axis) == 0.0)
}

/// A sum of `f64`s that is exact: nonoverlapping terms of increasing magnitude, none of them zero;
/// at most `N`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Expansion<const N: usize> {
    terms: [f64; N],
    len: usize,
}

impl<const N: usize> Expansion<N> {
    /// The empty sum.
    pub(super) const ZERO: Self = Self { terms: [0.0; N], len: 0 };

    /// The terms.
    pub(super) fn terms(&self) -> &[f64] {
        &self.terms[..self.len]
    }

    /// Adds a number; at most `N` may be added in all.
    pub(super) fn add(&mut self, x: f64) {
        let (mut sum, mut kept) = (x, 0);
        for i in 0..self.len {
            let (s, error) = two_sum(sum, self.terms[i]);
            sum = s;
            if error != 0.0 {
                self.terms[kept] = error;
                kept += 1;
            }
        }
        if sum != 0.0 {
            self.terms[kept] = sum;
            kept += 1;
        }
        self.len = kept;
    }

    /// Adds a product: two numbers of the `N`.
    pub(super) fn add_product(&mut self, a: f64, b: f64) {
        if a != 0.0 && b != 0.0 {
            let (p, error) = two_prod(a, b);
            self.add(error);
            self.add(p);
        }
    }

    /// A number of the sum's sign; zero iff the sum is.
    pub(super) fn sign(&self) -> f64 {
        self.terms().last().copied().unwrap_or(0.0)
    }

    /// The sum, to a relative error of a few 2^-104.
    pub(super) fn to_dd(self) -> Dd {
        self.terms().iter().fold(Dd::ZERO, |sum, t| sum + Dd::from_f64(*t))
    }
}

/// `b - a`, exactly.
pub(super) fn difference(a: Point, b: Point) -> Vec3<Dd> {
    Vec3 { x: Dd::sum(b.x, -a.x), y: Dd::sum(b.y, -a.y), z: Dd::sum(b.z, -a.z) }
}

/// Component `axis` of `u x v`, exactly.
pub(super) fn cross_component(u: Vec3<Dd>, v: Vec3<Dd>, axis: usize) -> Expansion<16> {
    let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
    let mut sum = Expansion::ZERO;
    for (s, a, b) in [(1.0, u[j], v[k]), (-1.0, u[k], v[j])] {
        for a in [a.lo, a.hi] {
            sum.add_product(s * a, b.lo);
            sum.add_product(s * a, b.hi);
        }
    }
    sum
}

/// `u x v`, exactly.
pub(super) fn cross(u: Vec3<Dd>, v: Vec3<Dd>) -> [Expansion<16>; 3] {
    [0, 1, 2].map(|axis| cross_component(u, v, axis))
}

/// Whether two exact differences are parallel (or one of them is zero).
pub(super) fn parallel(u: Vec3<Dd>, v: Vec3<Dd>) -> bool {
    (0..3).all(|axis| cross_component(u, v, axis).sign() == 0.0)
}

/// The smallest `f64` that is at least the distance of a point from the origin.
pub(crate) fn length_rounded_up(p: Point) -> f64 {
    let mut length2 = Expansion::<8>::ZERO;
    for c in p.to_array() {
        length2.add_product(c, c);
    }
    let length = length2.to_dd().sqrt().to_f64(); // the nearest, or next to it
    let mut deficit = length2;
    deficit.add_product(-length, length);
    if deficit.sign() > 0.0 { length.next_up() } else { length }
}

/// The largest distance of points from the origin, rounded up as by [`length_rounded_up`].
pub(crate) fn largest_length(points: &[Point]) -> f64 {
    // Only points that are about as far as the farthest are measured exactly: a square is within
    // four roundings of its value, and no coordinate is so small that it underflows.
    let most = points.iter().fold(0.0, |most: f64, point| most.max(point.length2()));
    let far = points.iter().filter(|point| point.length2() >= most * (1.0 - 16.0 * f64::EPSILON));
    far.fold(0.0, |most: f64, &point| length_rounded_up(point).max(most))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_follow_the_right_hand_rule() {
        let p = |x, y, z| Vec3::new(x, y, z);
        let (a, b, c) = (p(0.0, 0.0, 0.0), p(1.0, 0.0, 0.0), p(0.0, 1.0, 0.0));
        assert!(side(a, b, c, p(0.0, 0.0, 1.0)) > 0.0);
        assert!(side(a, b, c, p(0.0, 0.0, -1.0)) < 0.0);
        assert!(side(a, b, c, p(7.0, 5.0, 0.0)) == 0.0);
        assert!(turn(a, b, c, 2) > 0.0 && turn(a, b, c, 0) == 0.0 && turn(a, b, c, 1) == 0.0);
        assert!(turn(a, c, p(0.0, 0.0, 1.0), 0) > 0.0);
        assert!(turn(a, p(0.0, 0.0, 1.0), b, 1) > 0.0);
    }

    #[test]
    fn an_expansion_keeps_what_a_sum_loses() {
        let mut e = Expansion::<8>::ZERO;
        for x in [1e30, 1.0, -1e30, 1e-30, -1.0] {
            e.add(x);
        }
        assert_eq!(e.sign(), 1e-30);
        e.add(-1e-30);
        assert_eq!(e.terms().len(), 0);
    }

    #[test]
    fn a_length_is_rounded_up_and_exact_where_it_can_be() {
        assert_eq!(length_rounded_up(Vec3::new(3.0, 4.0, 0.0)), 5.0);
        assert_eq!(length_rounded_up(Vec3::ZERO), 0.0);
        let up = length_rounded_up(Vec3::new(1.0, 1.0, 0.0));
        assert!(up == 2.0_f64.sqrt() || up == 2.0_f64.sqrt().next_up());
        assert!(up * up >= 2.0);
        // Just beyond 1, by less than an ulp.
        assert_eq!(length_rounded_up(Vec3::new(1.0, 1e-20, 0.0)), 1.0_f64.next_up());
    }
}
