//! The proof of a depth by a remembered surface, in eight samples at once: [`Surface::proves`] in each lane of a
//! register, in the same order of operations. What rounding leaves open there is left open here.

use super::surface::{Surface, VERTICES};
use crate::geometry::{RelativePose, Vec3};
use crate::narrow::pair::VertexPair;
use crate::narrow::strict::lanes::WIDTH;

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
    // A triangle is of the facet where its corners are: asked once a vertex.
    let in_facet = (0_u64..).zip(surface.pairs()).fold(0, |all, (i, &pair)| all | u64::from(in_facet(&[pair; 3])) << i);
    let (mut good, mut solid) = ([u64::from(surface.was_closed()); WIDTH], [0_u64; WIDTH]);
    for v in (0..surface.count()).map(|t| surface.triangle(t)) {
        let [a, b, c] = v.map(|i| &points[usize::from(i)]);
        let of_facet = v.iter().all(|i| in_facet >> i & 1 == 1);
        for k in 0..WIDTH {
            let (a, b, c) = (a.at(k), b.at(k), c.at(k));
            let least = if of_facet { claims.facet[k] } else { claims.others[k] };
            let (holds, area) = triangle(a, b, c, least);
            good[k] &= u64::from(holds);
            solid[k] |= u64::from(area);
        }
    }
    for k in 0..WIDTH {
        good[k] &= solid[k];
    }
    good
}

/// Whether a triangle lies at least `least` from the origin, the origin beneath it beyond the doubt of rounding, or has no
/// area; and whether it has any.
#[inline(always)]
fn triangle(a: Vec3<f64>, b: Vec3<f64>, c: Vec3<f64>, least: f64) -> (bool, bool) {
    let (u, v, w) = (b - a, c - a, Vec3::ZERO - a);
    let normal = u.cross(v);
    let n2 = normal.length2();
    let (na, nb, nc) = (normal.dot(a), normal.dot(b), normal.dot(c));
    let low = if nb < na { nb } else { na };
    let reach = if nc < low { nc } else { low };
    let far = (reach > 0.0) & (reach >= least * n2.sqrt());
    let sum = |p: Vec3<f64>| p.x.abs() + p.y.abs() + p.z.abs();
    // The static filter of the exact sign.
    let beneath = normal.dot(w) < -4e-15 * (sum(u) * sum(v) * sum(w));
    ((n2 == 0.0) | (far & beneath), n2 != 0.0)
}
