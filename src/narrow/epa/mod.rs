//! Penetration depth: the facet of the Minkowski difference nearest to the origin inside it, found by expanding a
//! polytope (van den Bergen 2001) and proven by the same polytope.

mod facets;
mod horizon;
pub mod lanes;
pub mod polytope;
mod start;
pub mod surface;
#[cfg(test)]
mod tests;

use super::certificate::{self, Strict};
use super::feature::FeaturePair;
use super::gjk::Simplex;
use super::pair::{Pair, VertexPair};
use super::support::support;
use crate::geometry::Vec3;
use crate::simd::{Simd, dispatch};
pub use polytope::Polytope;
use polytope::{Verdict, Work};
pub use surface::Surface;

/// Expansions after which a search is given up and handed down the ladder.
const LIMIT: usize = 400;

/// Grows `polytope` until its nearest triangle lies on the boundary of the Minkowski difference and nothing else is
/// as near. `None` where the optimum is not strict, or the surface broke.
pub fn deepest(pair: &Pair<'_, f64>, polytope: &mut Polytope) -> Option<Strict> {
    match grow(pair, polytope.work()) {
        Grown::Deepest(strict) => Some(strict),
        Grown::Apart(_) | Grown::Open => None,
    }
}

/// As [`deepest`], of bodies of which nothing is known but that they are likely to overlap, and if so by least about along
/// `axis` (from A to B). `None` also where they are apart: then the search for their distance may start from `simplex`.
pub fn deepest_around(
    pair: &Pair<'_, f64>,
    axis: Vec3<f64>,
    polytope: &mut Polytope,
    simplex: &mut Simplex,
) -> Option<Strict> {
    match start_and_grow(pair, axis, polytope.work()) {
        Grown::Deepest(strict) => Some(strict),
        Grown::Apart([p, q, r]) => {
            *simplex = Simplex { pairs: [p, q, r, p], count: 3 };
            None
        }
        Grown::Open => None,
    }
}

/// What a surface grew to.
enum Grown {
    Deepest(Strict),
    /// The origin is outside of the Minkowski difference: beyond this triangle there is none of it.
    Apart([VertexPair; 3]),
    Open,
}

dispatch!(grow, grow_body, (pair: &Pair<'_, f64>, work: &mut Work) -> Grown);

dispatch!(start_and_grow, start_and_grow_body, (pair: &Pair<'_, f64>, axis: Vec3<f64>, work: &mut Work) -> Grown);

#[inline(always)]
fn start_and_grow_body<S: Simd>(pair: &Pair<'_, f64>, axis: Vec3<f64>, work: &mut Work) -> Grown {
    work.around::<S>(pair, axis);
    grow_body::<S>(pair, work)
}

#[inline(always)]
fn grow_body<S: Simd>(pair: &Pair<'_, f64>, work: &mut Work) -> Grown {
    for _ in 0..LIMIT {
        let Some(triangle) = work.nearest::<S>() else { return Grown::Open };
        let beyond = Beyond::of::<S>(pair, work, triangle);
        if beyond.is_apart {
            return Grown::Apart(beyond.corners);
        }
        if beyond.is_beyond && !beyond.corners.contains(&beyond.vertex) {
            if !work.expand::<S>(triangle, beyond.vertex, beyond.point) {
                return Grown::Open;
            }
            continue;
        }
        let answer = FeaturePair::of_simplex(pair.a, pair.b, &beyond.corners)
            .and_then(|features| certificate::local(pair, &features));
        return match answer {
            Some(answer) if answer.in_contact_band() || clear_rivals::<S>(pair, work, triangle, &answer) => {
                Grown::Deepest(answer)
            }
            _ => Grown::Open,
        };
    }
    Grown::Open
}

/// The support beyond a triangle.
struct Beyond {
    /// Of the triangle.
    corners: [VertexPair; 3],
    vertex: VertexPair,
    point: Vec3<f64>,
    /// Whether it reaches farther than the triangle, beyond what rounding may pretend.
    is_beyond: bool,
    /// Whether the origin is farther out, by more than what contact is.
    is_apart: bool,
}

impl Beyond {
    #[inline(always)]
    fn of<S: Simd>(pair: &Pair<'_, f64>, work: &Work, triangle: usize) -> Self {
        let ((normal, reach), corners) = (work.plane(triangle), work.vertex_pairs(triangle));
        let m = -pair.pose.inverse_vector(normal);
        // The last corner is the newest.
        let [i, j] = corners[2];
        let vertex = [support::<S>(pair.a, normal, i).0, support::<S>(pair.b, m, j).0];
        let point = pair.difference(vertex);
        let (height, doubt) = (normal.dot(point), pair.bound() * normal.length());
        Self { corners, vertex, point, is_beyond: height - reach > 0.25 * doubt, is_apart: height < -16.0 * doubt }
    }
}

/// Expands every other triangle that is as near as the answer's facet, of which `own` is one, until none is left, or one turns out to be a
/// facet of the difference itself: a tie, and false.
#[inline(always)]
fn clear_rivals<S: Simd>(pair: &Pair<'_, f64>, work: &mut Work, own: usize, answer: &Strict) -> bool {
    let claim = certificate::claim(answer);
    for _ in 0..LIMIT {
        match work.verdict::<S>(&claim, Some(own), |t| is_of_facet(pair, &answer.features, &t.map(|v| work.pair(v)))) {
            Verdict::Proven => return true,
            Verdict::Open => return false,
            Verdict::Rival(triangle) => {
                let beyond = Beyond::of::<S>(pair, work, triangle);
                if !beyond.is_beyond || !work.expand::<S>(triangle, beyond.vertex, beyond.point) {
                    return false;
                }
            }
        }
    }
    false
}

/// Grows `polytope` until every triangle within `margin` (metres) of the nearest lies on the boundary of the
/// Minkowski difference, and returns those: all its facets that are as near, ties included. `None` where the surface
/// broke.
pub fn nearest_facets(pair: &Pair<'_, f64>, polytope: &mut Polytope, margin: f64) -> Option<Vec<[VertexPair; 3]>> {
    let mut facets: Vec<[VertexPair; 3]> = Vec::new();
    let mut least = f64::INFINITY;
    for _ in 0..LIMIT {
        let open = polytope.nearest(|t| facets.contains(t)).filter(|&(_, d)| d <= least + margin);
        let Some((triangle, distance)) = open else { return Some(facets) };
        let vertices = polytope.vertex_pairs(triangle);
        let (vertex, _) = pair.support(polytope.normal(triangle), vertices[2]);
        let reach = polytope.normal(triangle).dot(pair.difference(vertex));
        if reach - distance > 0.25 * pair.bound() && !vertices.contains(&vertex) {
            if !polytope.expand(pair, triangle, vertex) {
                return None;
            }
        } else {
            least = least.min(distance);
            facets.push(vertices);
        }
    }
    None
}

/// Whether all three vertices of a triangle of the difference belong to the facet of a feature pair.
pub fn is_of_facet(pair: &Pair<'_, f64>, features: &FeaturePair, triangle: &[VertexPair; 3]) -> bool {
    triangle.iter().all(|&[i, j]| features.a.has_vertex(pair.a, i) && features.b.has_vertex(pair.b, j))
}

/// A tetrahedron of the Minkowski difference around, or at least near, the origin, from the end of a search: missing
/// vertices are supports off the simplex. `None` where the difference is flat.
pub fn tetrahedron(pair: &Pair<'_, f64>, simplex: &Simplex) -> Option<[VertexPair; 4]> {
    let mut pairs = simplex.pairs;
    let mut count = usize::from(simplex.count);
    while (1..4).contains(&count) {
        let p = |i: usize| pair.difference(pairs[i]);
        let directions = match count {
            1 => axes().to_vec(),
            2 => {
                let along = p(1) - p(0);
                axes().iter().map(|&x| along.cross(x)).flat_map(|d| [d, -d]).collect()
            }
            _ => {
                let n = (p(1) - p(0)).cross(p(2) - p(0));
                vec![n, -n]
            }
        };
        // The farthest from the simplex spans the most volume; the first of equals.
        let mut best: Option<(f64, VertexPair)> = None;
        for d in directions {
            let (vertex, _) = pair.support(d, pairs[0]);
            let off = match count {
                1 => (pair.difference(vertex) - p(0)).length(),
                2 => (pair.difference(vertex) - p(0)).cross(p(1) - p(0)).length(),
                _ => (pair.difference(vertex) - p(0)).dot((p(1) - p(0)).cross(p(2) - p(0))).abs(),
            };
            if off > 0.0 && best.is_none_or(|(b, _)| off > b) {
                best = Some((off, vertex));
            }
        }
        pairs[count] = best?.1;
        count += 1;
    }
    (count == 4).then_some(pairs)
}

fn axes() -> [Vec3<f64>; 6] {
    let e = [Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.0, 0.0, 1.0)];
    [e[0], -e[0], e[1], -e[1], e[2], -e[2]]
}
