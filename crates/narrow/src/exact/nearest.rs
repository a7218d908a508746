//! The point of the Minkowski difference that is closest to the origin, exactly.
//!
//! GJK in integers with Johnson's distance sub-algorithm (Gilbert, Johnson, Keerthi 1988, section
//! III). Its determinants are exact here, so exactly one sub-simplex passes the test, every
//! iteration comes strictly closer, and the search terminates.

use super::integer_pair::IntegerPair;
use super::integer_vec3::IntegerVec3;
use crate::pair::VertexPair;
use num_bigint::{BigInt, Sign};

/// Iterations after which the search is given up: a limit for degenerate input.
const LIMIT: usize = 20_000;

/// The location of the origin relative to the Minkowski difference.
#[derive(Debug)]
pub(super) enum OriginLocation {
    /// Outside: the closest points.
    Outside(ClosestSimplex),
    /// Inside or on the boundary: a simplex that contains the origin.
    Inside(Vec<VertexPair>),
}

/// The simplex that carries the point closest to the origin.
#[derive(Debug)]
pub(super) struct ClosestSimplex {
    pub(super) vertices: Vec<VertexPair>,
    /// The barycentric coordinates of the point, times `weight`: positive.
    pub(super) factors: Vec<BigInt>,
    /// The point, times `weight`: the vector from B's closest point to A's.
    pub(super) point: IntegerVec3,
    /// Positive.
    pub(super) weight: BigInt,
}

/// Locates the origin; `None` at the limit.
pub(super) fn locate_origin(pair: &IntegerPair) -> Option<OriginLocation> {
    let mut simplex = vec![[0, 0]];
    for _ in 0..LIMIT {
        let points: Vec<IntegerVec3> = simplex.iter().map(|&p| pair.difference(p)).collect();
        let found = johnson(&simplex, &points)?;
        if found.point.is_zero() {
            return Some(OriginLocation::Inside(found.vertices));
        }
        let vertex = pair.support(&found.point.negated());
        // With v = point / weight: no point is closer if v . w >= v . v.
        if found.point.dot(&pair.difference(vertex)) * &found.weight >= found.point.dot(&found.point) {
            return Some(OriginLocation::Outside(found));
        }
        simplex = found.vertices;
        simplex.push(vertex);
    }
    None
}

/// The sub-simplex that carries the point closest to the origin. `points`: of the vertices, one to
/// four, affinely independent.
fn johnson(vertices: &[VertexPair], points: &[IntegerVec3]) -> Option<ClosestSimplex> {
    let n = points.len();
    let dots: Vec<Vec<BigInt>> = points.iter().map(|p| points.iter().map(|q| p.dot(q)).collect()).collect();
    let members = |set: usize| (0..n).filter(move |i| set >> i & 1 == 1);
    // delta[set][i]: the cofactor of vertex i in the set; from smaller sets to larger ones.
    let mut delta = vec![vec![BigInt::ZERO; n]; 1 << n];
    for set in 1_usize..1 << n {
        for j in members(set) {
            let rest = set & !(1 << j);
            let Some(k) = members(rest).next() else {
                delta[set][j] = BigInt::from(1);
                continue;
            };
            delta[set][j] = members(rest).map(|i| &delta[rest][i] * (&dots[i][k] - &dots[i][j])).sum();
        }
    }
    let positive = |d: &BigInt| d.sign() == Sign::Plus;
    let carries = |&set: &usize| {
        members(set).all(|i| positive(&delta[set][i]))
            && (0..n).filter(|j| set >> j & 1 == 0).all(|j| !positive(&delta[set | 1 << j][j]))
    };
    let set = (1_usize..1 << n).find(carries)?;
    let point = members(set).fold(IntegerVec3::zero(), |sum, i| sum.plus(&points[i].scale(&delta[set][i])));
    let factors: Vec<BigInt> = members(set).map(|i| delta[set][i].clone()).collect();
    let weight = factors.iter().sum();
    Some(ClosestSimplex { vertices: members(set).map(|i| vertices[i]).collect(), factors, point, weight })
}
