//! The point of the Minkowski difference nearest to the origin, exactly.
//!
//! GJK in integers: the distance sub-algorithm is Johnson's (Gilbert, Johnson, Keerthi 1988, section III), whose
//! determinants are exact here, so that one sub-simplex passes its test and every iteration comes strictly nearer:
//! the search ends by itself.

use super::lift::Lifted;
use super::vector::Vector;
use crate::narrow::pair::VertexPair;
use num_bigint::{BigInt, Sign};

/// Iterations after which the search is given up: a limit on everything.
const LIMIT: usize = 20_000;

/// The nearest point.
#[derive(Debug)]
pub(super) enum Nearest {
    /// From B to A, times a positive number; not zero.
    Apart(Vector),
    /// The origin belongs to the difference; a simplex that holds it.
    Inside(Vec<VertexPair>),
}

/// The nearest point of the difference; `None` at the limit.
pub(super) fn nearest(lifted: &Lifted) -> Option<Nearest> {
    let mut simplex = vec![[0, 0]];
    for _ in 0..LIMIT {
        let points: Vec<Vector> = simplex.iter().map(|&p| lifted.difference(p)).collect();
        let (kept, point, weight) = johnson(&points)?;
        simplex = kept.into_iter().map(|i| simplex[i]).collect();
        if point.is_zero() {
            return Some(Nearest::Inside(simplex));
        }
        let vertex = lifted.support(&point.negated());
        // With v = point / weight: nothing lies nearer if v . w >= v . v.
        if point.dot(&lifted.difference(vertex)) * weight >= point.dot(&point) {
            return Some(Nearest::Apart(point));
        }
        simplex.push(vertex);
    }
    None
}

/// The sub-simplex that carries the point nearest to the origin, and that point as (numerator, positive denominator).
/// `points`: one to four, affinely independent.
fn johnson(points: &[Vector]) -> Option<(Vec<usize>, Vector, BigInt)> {
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
    let point = members(set).fold(Vector::zero(), |sum, i| sum.plus(&points[i].scale(&delta[set][i])));
    let weight = members(set).map(|i| &delta[set][i]).sum();
    Some((members(set).collect(), point, weight))
}
