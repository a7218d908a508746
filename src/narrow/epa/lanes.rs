//! The proof of a depth by a remembered surface, in eight samples at once: [`Surface::proves`] in each lane of a
//! register, in the same order of operations. What rounding leaves open there is left open here.

use super::surface::{Surface, VERTICES};
use crate::geometry::{RelativePose, Vec3};
use crate::narrow::pair::VertexPair;
use crate::simd::WIDTH;

/// One number in each sample.
type Lane = [f64; WIDTH];

/// What a surface is to prove in each sample, metres: see `Claim`.
#[derive(Debug, Clone, Copy)]
pub struct Claims {
    /// Triangles of the facet are at least so far from the origin.
    pub facet: Lane,
    /// All others at least so far.
    pub others: Lane,
}

/// A point in each sample.
#[derive(Clone, Copy)]
struct Point([Lane; 3]);

impl Point {
    #[inline(always)]
    fn at(&self, k: usize) -> Vec3<f64> {
        Vec3 { x: self.0[0][k], y: self.0[1][k], z: self.0[2][k] }
    }
}

/// In which samples (lanes) the surface proves its claim. `vertices`: of A and of B, each in its own frame;
/// `in_facet`: whether a triangle belongs to the facet claimed.
#[inline(always)]
pub fn proves(
    surface: &Surface,
    vertices: impl Fn(VertexPair) -> (Vec3<f64>, Vec3<f64>),
    pose: impl Fn(usize) -> RelativePose<f64>,
    claims: &Claims,
    in_facet: impl Fn(&[VertexPair; 3]) -> bool,
) -> [u64; WIDTH] {
    let mut points = [Point([[0.0; WIDTH]; 3]); VERTICES];
    for (point, &pair) in points.iter_mut().zip(surface.pairs()) {
        let (a, b) = vertices(pair);
        for k in 0..WIDTH {
            let d = a - pose(k).point(b);
            (point.0[0][k], point.0[1][k], point.0[2][k]) = (d.x, d.y, d.z);
        }
    }
    let (mut good, mut solid) = ([u64::from(surface.was_closed()); WIDTH], [0_u64; WIDTH]);
    for v in (0..surface.count()).map(|t| surface.triangle(t)) {
        let [a, b, c] = v.map(|i| &points[usize::from(i)]);
        let (mut of_facet, mut of_others, mut open) = ([0_u64; WIDTH], [0_u64; WIDTH], 0);
        for k in 0..WIDTH {
            let (a, b, c) = (a.at(k), b.at(k), c.at(k));
            let ([facet, others], area) = triangle(a, b, c, [claims.facet[k], claims.others[k]]);
            (of_facet[k], of_others[k]) = (u64::from(facet), u64::from(others));
            solid[k] |= u64::from(area);
            open |= u64::from(facet) & !u64::from(others);
        }
        // Asked of the few triangles for which it matters.
        let held =
            if open != 0 && in_facet(&v.map(|i| surface.pairs()[usize::from(i)])) { of_facet } else { of_others };
        for k in 0..WIDTH {
            good[k] &= held[k];
        }
    }
    for k in 0..WIDTH {
        good[k] &= solid[k];
    }
    good
}

/// Whether a triangle lies at least so far from the origin, for two distances, the origin beneath it beyond the doubt of
/// rounding, or has no area; and whether it has any.
#[inline(always)]
fn triangle(a: Vec3<f64>, b: Vec3<f64>, c: Vec3<f64>, least: [f64; 2]) -> ([bool; 2], bool) {
    let (u, v, w) = (b - a, c - a, Vec3::ZERO - a);
    let normal = u.cross(v);
    let n2 = normal.length2();
    let (na, nb, nc) = (normal.dot(a), normal.dot(b), normal.dot(c));
    let low = if nb < na { nb } else { na };
    let reach = if nc < low { nc } else { low };
    let length = n2.sqrt();
    let sum = |p: Vec3<f64>| p.x.abs() + p.y.abs() + p.z.abs();
    // The static filter of the exact sign.
    let beneath = normal.dot(w) < -4e-15 * (sum(u) * sum(v) * sum(w));
    let holds = |least: f64| (n2 == 0.0) | ((reach > 0.0) & (reach >= least * length) & beneath);
    ([holds(least[0]), holds(least[1])], n2 != 0.0)
}
