//! GJK (Gilbert, Johnson, Keerthi): the point of the Minkowski difference nearest to the origin.
//!
//! Source: Montanari, Petrinic, Barbieri 2017, Algorithm 1, with their signed-volumes sub-algorithm.
//!
//! ```text
//! simplex.rs         the simplex, and the result of a search
//! signed_volumes.rs  the distance sub-algorithm
//! ```
//!
//! The search proves nothing: it hands a simplex to the certificate, or to EPA where the cores overlap. So its
//! tolerances decide no row.

mod signed_volumes;
mod simplex;

pub use simplex::{GjkResult, Simplex};

use super::pair::{Pair, Supporting};
use super::search::SearchEnd;
use crate::geometry::Vec3;
use signed_volumes::nearest;

/// Iterations after which a search is given up and handed down the ladder. Montanari et al. see fewer than 20.
const LIMIT: usize = 200;

/// Searches from `start` (its vertices are looked up at the new pose), or from the support along `t` if it is empty.
///
/// `cutoff`: metres; the search ends with [`SearchEnd::Beyond`] once a direction shows that the cores are farther
/// apart.
pub fn search<T: Supporting>(pair: &Pair<'_, T>, start: &Simplex, cutoff: f64) -> GjkResult<T> {
    search_while_apart(pair, start, cutoff, 0.0)
}

/// As [`search`]; it ends with [`SearchEnd::Overlap`], too, once points of the cores are found within `near` (metres) of each other.
pub(in crate::narrow) fn search_while_apart<T: Supporting>(
    pair: &Pair<'_, T>,
    start: &Simplex,
    cutoff: f64,
    near: f64,
) -> GjkResult<T> {
    let bound = pair.bound();
    let touching = T::from_f64((bound * 0.0625).max(near));
    let touching = touching * touching;
    let mut simplex = if start.count == 0 { initial_simplex(pair) } else { *start };
    let mut points = [Vec3::ZERO; 4];
    for (p, &v) in points.iter_mut().zip(simplex.as_slice()) {
        *p = pair.difference(v);
    }
    let mut last = T::from_f64(f64::INFINITY);
    for iterations in 1..=LIMIT as u32 {
        let near = nearest(&points, usize::from(simplex.count));
        simplex.keep(&mut points, &near.kept[..near.count]);
        let v = near.point;
        let found = |end, gap| GjkResult { end, simplex, point: v, gap, iterations };
        let v2 = v.length2();
        if near.count == 4 || v2 <= touching {
            return found(SearchEnd::Overlap, 0.0);
        }
        let length = v2.to_f64().sqrt();
        // Compared in `T`: in double-double, progress goes on far below the resolution of an `f64`.
        if v2 >= last {
            return found(SearchEnd::Stalled, 0.0);
        }
        last = v2;
        // A support of -v below this leaves a gap above the cut-off.
        let least = T::from_f64(-(cutoff + bound) * length);
        let (w, reach) = pair.support(-v, simplex.pairs[0]);
        if reach < least {
            return found(SearchEnd::Beyond, -reach.to_f64() / length);
        }
        let along = -reach;
        let point = pair.difference(w);
        // Equation 10 of the paper, with rounding as the tolerance: nothing lies nearer.
        if simplex.as_slice().contains(&w) || (v2 - along).to_f64() <= T::UNIT * 8.0 * length * pair.size {
            return found(SearchEnd::Converged, 0.0);
        }
        simplex.push(&mut points, w, point);
    }
    GjkResult {
        end: SearchEnd::Stalled,
        simplex,
        point: nearest(&points, usize::from(simplex.count)).point,
        gap: 0.0,
        iterations: LIMIT as u32,
    }
}

/// The first simplex of a search without memory: a function of the geometry and the pose alone.
fn initial_simplex<T: Supporting>(pair: &Pair<'_, T>) -> Simplex {
    let t = pair.pose.t;
    let toward = if t.length2() > T::ZERO { t } else { Vec3::new(T::ONE, T::ZERO, T::ZERO) };
    let mut simplex = Simplex::default();
    simplex.pairs[0] = pair.support(toward, [0, 0]).0;
    simplex.count = 1;
    simplex
}
