//! The first polytope of an expansion after GJK: a tetrahedron.

use crate::gjk::Simplex;
use crate::pair::{Pair, VertexPair};
use clearsweep_geometry::Vec3;

/// A tetrahedron of vertices of the Minkowski difference around the origin, or at least near it,
/// from the simplex of a search. Missing vertices are supports off the simplex. `None` if the
/// difference is flat.
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
        // The support farthest from the simplex spans the most volume; of equals the first.
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
