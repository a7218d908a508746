//! Johnson's distance sub-algorithm, by cofactors.
//!
//! Source: Gilbert, Johnson, Keerthi 1988, section IV, as Montanari, Petrinic, Barbieri 2017 state
//! it in section 3.2, equations 16-19.
//!
//! The cofactor of vertex `j` in the set of vertices `W` is `D_j(W) = l_j G(W)`. Here `l_j` are the
//! barycentric coordinates of the foot of the origin on the affine hull of `W`, and `G(W)` is the
//! Gram determinant of the edges of `W`, which is positive. So the cofactors of a set sum to `G(W)`
//! and have the signs of the coordinates.
//!
//! Let `U = W - {j}`, `u` the foot on its affine hull, and `h` the component of `s_j` perpendicular
//! to that hull. The foot on the hull of `W` is a point of the hull of `U` plus `l_j h`, and it is
//! shortest where `l_j |h|^2 = -u . h`. All points of the hull of `U` have the same product with
//! `u`, so `-u . h = u . (s_l - s_j)` for each `l` of `U`. With `G(W) = G(U) |h|^2` this gives
//!
//! `D_j(W) = sum over k in U of D_k(U) (s_k . s_l - s_k . s_j)`, and `D_j({j}) = 1`.
//!
//! It is positive just where `s_j` lies nearer to the origin along `u` than `U` does. So `W`
//! carries the nearest point of the simplex if `D_j(W) > 0` for each `j` of `W`, and `D_i(W + {i})
//! <= 0` for each `i` outside. Sets are tried by size, the vertices first.
//!
//! Departure: the cofactors are formed anew for each simplex. The original keeps them from one
//! iteration to the next and tries only the sets that contain the newest vertex. A remembered
//! simplex has no newest vertex.

use super::simplex_point::{DistanceSubAlgorithm, SimplexPoint};
use clearsweep_geometry::{Real, Vec3};

/// The sets of up to four vertices as bit masks, by size.
const SETS: [&[usize]; 4] = [&[1, 2, 4, 8], &[3, 5, 6, 9, 10, 12], &[7, 11, 13, 14], &[15]];

/// Johnson's sub-algorithm without the Backup procedure.
pub(super) struct Johnson;

impl DistanceSubAlgorithm for Johnson {
    #[inline]
    fn nearest<T: Real>(s: &[Vec3<T>; 4], count: usize) -> Option<SimplexPoint<T>> {
        Cofactors::of_vertices(s, count).search(s)
    }
}

/// The cofactors of the sets of vertices of a simplex, formed size by size.
#[derive(Debug, Clone, Copy)]
pub struct Cofactors<T> {
    /// The number of vertices of the simplex.
    count: usize,
    /// The products `s_i . s_j`.
    products: [[T; 4]; 4],
    /// For each set, as a bit mask: the cofactors of its vertices, and zero for the others.
    of: [[T; 4]; 16],
}

impl<T: Real> Cofactors<T> {
    /// Forms the cofactors of all sets of the first `count` (1 to 4) points of `s`.
    pub fn new(s: &[Vec3<T>; 4], count: usize) -> Self {
        let mut cofactors = Self::of_vertices(s, count);
        for size in 2..=count {
            cofactors.form(size);
        }
        cofactors
    }

    /// Forms the cofactors of the single vertices (equation 18).
    pub(super) fn of_vertices(s: &[Vec3<T>; 4], count: usize) -> Self {
        let mut products = [[T::ZERO; 4]; 4];
        for i in 0..count {
            for j in 0..=i {
                products[i][j] = s[i].dot(s[j]);
                products[j][i] = products[i][j];
            }
        }
        let mut of = [[T::ZERO; 4]; 16];
        for j in 0..count {
            of[1 << j][j] = T::ONE;
        }
        Self { count, products, of }
    }

    /// The sets of `size` vertices of the simplex.
    fn sets(&self, size: usize) -> impl Iterator<Item = usize> + use<T> {
        let end = 1 << self.count;
        SETS[size - 1].iter().copied().filter(move |&set| set < end)
    }

    /// Forms those of the sets of `size` vertices from those of the sets with one vertex less
    /// (equation 19).
    fn form(&mut self, size: usize) {
        for set in self.sets(size) {
            for j in (0..self.count).filter(|j| set >> j & 1 == 1) {
                let rest = set & !(1 << j);
                let l = rest.trailing_zeros() as usize;
                let mut sum = T::ZERO;
                // The cofactors of vertices that are not in the set are zero.
                for k in 0..self.count {
                    sum += self.of[rest][k] * (self.products[k][l] - self.products[k][j]);
                }
                self.of[set][j] = sum;
            }
        }
    }

    /// The cofactor of vertex `j` in `set`, a bit mask; zero if it is not in the set.
    pub fn of(&self, set: usize, j: usize) -> T {
        self.of[set][j]
    }

    /// Whether the foot of the origin lies inside the simplex of the set.
    pub(super) fn is_inside(&self, set: usize) -> bool {
        (0..self.count).all(|j| set >> j & 1 == 0 || self.of[set][j] > T::ZERO)
    }

    /// Whether no other vertex lies nearer to the origin along the foot.
    fn is_nearest(&self, set: usize) -> bool {
        (0..self.count).all(|i| set >> i & 1 == 1 || self.of[set | 1 << i][i] <= T::ZERO)
    }

    /// The search by size. It forms the cofactors of a size when it first needs them.
    pub(super) fn search(&mut self, s: &[Vec3<T>; 4]) -> Option<SimplexPoint<T>> {
        for size in 1..=self.count {
            if size < self.count {
                self.form(size + 1);
            }
            if let Some(set) = self.sets(size).find(|&set| self.is_inside(set) && self.is_nearest(set)) {
                return Some(self.foot(s, set));
            }
        }
        None
    }

    /// The sets of vertices of the simplex, smaller ones first.
    pub(super) fn all_sets(&self) -> impl Iterator<Item = usize> + use<'_, T> {
        (1..=self.count).flat_map(|size| self.sets(size))
    }

    /// The foot of the origin on the affine hull of a set (equation 16).
    pub(super) fn foot(&self, s: &[Vec3<T>; 4], set: usize) -> SimplexPoint<T> {
        let mut whole = T::ZERO;
        let mut found = SimplexPoint { point: Vec3::ZERO, kept: [0; 4], count: 0 };
        for j in (0..self.count).filter(|j| set >> j & 1 == 1) {
            whole += self.of[set][j];
            found.kept[found.count] = j;
            found.count += 1;
        }
        for &j in &found.kept[..found.count] {
            found.point = found.point + s[j].scale(self.of[set][j] / whole);
        }
        found
    }
}
