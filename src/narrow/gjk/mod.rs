//! The Gilbert-Johnson-Keerthi search for the point of the Minkowski difference nearest to the origin.
//!
//! Source: Montanari, Petrinic, Barbieri 2017, Algorithm 1, with their signed-volumes sub-algorithm. It is only a
//! search: what it finds is handed to the finisher and proven there, so its tolerances decide nothing.

pub mod signed_volumes;

use super::pair::{Pair, Supporting, VertexPair};
use crate::geometry::Vec3;
use signed_volumes::nearest;

/// Iterations after which a search is given up and handed down the ladder. Montanari et al. see fewer than 20.
const LIMIT: usize = 200;

/// Up to four vertices of the Minkowski difference, by index: what a pair remembers of a search.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Simplex {
    /// The vertex pairs; the first `count` are valid.
    pub pairs: [VertexPair; 4],
    /// 0 to 4.
    pub count: u8,
}

impl Simplex {
    /// A single vertex pair.
    pub fn of_vertices(pair: VertexPair) -> Self {
        Self { pairs: [pair, [0; 2], [0; 2], [0; 2]], count: 1 }
    }

    /// The valid vertex pairs.
    pub fn as_slice(&self) -> &[VertexPair] {
        &self.pairs[..usize::from(self.count)]
    }
}

/// How a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// A direction shows a gap of the cores above the cut-off.
    Beyond,
    /// No vertex lies nearer: the simplex carries the nearest point.
    Converged,
    /// The origin is inside the simplex, or on it to within rounding.
    Overlap,
    /// The limit was reached or progress ended in rounding.
    Stalled,
}

/// What a search found.
#[derive(Debug, Clone, Copy)]
pub struct Found<T> {
    /// How it ended.
    pub end: End,
    /// The simplex at the end.
    pub simplex: Simplex,
    /// Its point nearest to the origin: from B's closest point to A's.
    pub point: Vec3<T>,
    /// Where the search ended beyond the cut-off: the gap of the supports found, metres.
    pub gap: f64,
    /// Iterations.
    pub iterations: u32,
}

/// Searches from `start` (its vertices are looked up at the new pose), or from the support along `t` if it is empty.
///
/// `cutoff`: metres; the search ends with [`End::Beyond`] once the cores are proven farther apart than that.
pub fn search<T: Supporting>(pair: &Pair<'_, T>, start: &Simplex, cutoff: f64) -> Found<T> {
    let bound = pair.bound();
    let touching = T::from_f64(bound * 0.0625) * T::from_f64(bound * 0.0625);
    let mut simplex = if start.count == 0 { cold(pair) } else { *start };
    let mut points = [Vec3::ZERO; 4];
    for (p, &v) in points.iter_mut().zip(simplex.as_slice()) {
        *p = pair.difference(v);
    }
    let mut last = T::from_f64(f64::INFINITY);
    for iterations in 1..=LIMIT as u32 {
        let near = nearest(&points, usize::from(simplex.count));
        keep(&mut simplex, &mut points, &near.kept, near.count);
        let v = near.point;
        let found = |end, gap| Found { end, simplex, point: v, gap, iterations };
        let v2 = v.length2();
        if near.count == 4 || v2 <= touching {
            return found(End::Overlap, 0.0);
        }
        let length = v2.to_f64().sqrt();
        // In these numbers: in double-double, progress goes on far below what an f64 can tell.
        if v2 >= last {
            return found(End::Stalled, 0.0);
        }
        last = v2;
        // Below this along -v, the planes leave a gap above the cut-off.
        let least = T::from_f64(-(cutoff + bound) * length);
        let (w, reach) = pair.support(-v, simplex.pairs[0]);
        if reach < least {
            return found(End::Beyond, -reach.to_f64() / length);
        }
        let along = -reach;
        let point = pair.difference(w);
        // Equation 10 of the paper with the tolerance of rounding: nothing lies nearer.
        if simplex.as_slice().contains(&w) || (v2 - along).to_f64() <= T::UNIT * 8.0 * length * pair.size {
            return found(End::Converged, 0.0);
        }
        let at = usize::from(simplex.count);
        simplex.pairs[at] = w;
        points[at] = point;
        simplex.count += 1;
    }
    Found {
        end: End::Stalled,
        simplex,
        point: nearest(&points, usize::from(simplex.count)).point,
        gap: 0.0,
        iterations: LIMIT as u32,
    }
}

/// The first simplex of a search without memory: a function of the geometry and the pose alone.
fn cold<T: Supporting>(pair: &Pair<'_, T>) -> Simplex {
    let t = pair.pose.t;
    let toward = if t.length2() > T::ZERO { t } else { Vec3::new(T::ONE, T::ZERO, T::ZERO) };
    let mut simplex = Simplex::default();
    simplex.pairs[0] = pair.support(toward, [0, 0]).0;
    simplex.count = 1;
    simplex
}

/// Drops the vertices that do not carry the nearest point.
#[inline]
fn keep<T: Copy>(simplex: &mut Simplex, points: &mut [Vec3<T>; 4], kept: &[usize; 4], count: usize) {
    // Ascending positions, so that moving down never overwrites what is still needed.
    for (to, &from) in kept[..count].iter().enumerate() {
        simplex.pairs[to] = simplex.pairs[from];
        points[to] = points[from];
    }
    simplex.count = count as u8;
}
