//! The descent of a simplex toward the origin: Montanari, Petrinic, Barbieri 2017, Algorithm 1.

use super::GjkOptions;
use super::simplex::{GjkResult, Simplex};
use super::simplex_point::{DistanceSubAlgorithm, SimplexPoint};
use crate::pair::{Pair, SupportSearch, Supporting, VertexPair};
use crate::search::SearchEnd;
use clearsweep_geometry::Vec3;

/// Iterations after which a search is given up and handed down the pair solver. Searches of
/// polygonal spheres take 13 at most on average (docs/papers/gjk.md).
const LIMIT: usize = 200;

/// A step of a search, told to an observer.
#[derive(Debug)]
pub enum GjkStep<'a, T> {
    /// The sub-algorithm is asked.
    Simplex {
        /// The vertices of the simplex, metres; the newest is the last.
        points: &'a [Vec3<T>],
        /// Result of the sub-algorithm.
        found: Option<SimplexPoint<T>>,
    },
    /// A support is searched.
    Support {
        /// The direction, in A's frame; not normalised.
        direction: Vec3<T>,
        /// Vertices at which a climb begins.
        start: VertexPair,
    },
}

/// A search: its pair and its options.
pub(super) struct Descent<'p, T> {
    pub(super) pair: &'p Pair<'p, T>,
    /// See [`super::search`].
    pub(super) cutoff: f64,
    /// See [`super::search_while_apart`].
    pub(super) near: f64,
    pub(super) supports: SupportSearch,
    /// See [`GjkOptions::tolerance`].
    pub(super) tolerance: Option<f64>,
}

impl<'p, T: Supporting> Descent<'p, T> {
    /// A search to the end, by these options.
    pub(super) fn by_options(pair: &'p Pair<'p, T>, cutoff: f64, options: &GjkOptions) -> Self {
        Self { pair, cutoff, near: 0.0, supports: options.supports, tolerance: options.tolerance }
    }

    /// The first simplex of a search without memory: a function of the geometry and the pose alone.
    fn initial_simplex(&self) -> Simplex {
        let t = self.pair.pose.t;
        let toward = if t.length2() > T::ZERO { t } else { Vec3::new(T::ONE, T::ZERO, T::ZERO) };
        Simplex::of_vertices(self.pair.support_by(self.supports, toward, [0, 0]).0)
    }

    /// Returns the vertices at which a climb begins: enhanced GJK goes on from the last support.
    #[inline(always)]
    fn start_of_climb(&self, simplex: &Simplex) -> VertexPair {
        match self.supports {
            SupportSearch::Climb => simplex.pairs[usize::from(simplex.count) - 1],
            SupportSearch::BySize | SupportSearch::Scan => simplex.pairs[0],
        }
    }

    /// The square of the distance that counts as contact where no tolerance is given.
    #[inline(always)]
    fn touching(&self) -> T {
        let touching = T::from_f64((self.pair.bound() * 0.0625).max(self.near));
        touching * touching
    }

    /// Equation 9: whether a point of this squared length is in contact; `carriers`: the vertices
    /// that carry it.
    #[inline(always)]
    fn in_contact(&self, v2: T, carriers: &[Vec3<T>], touching: T) -> bool {
        match self.tolerance {
            None => v2 <= touching,
            Some(tolerance) => {
                let farthest = carriers.iter().map(|y| y.length2().to_f64()).fold(0.0, f64::max);
                v2.to_f64() <= tolerance * tolerance * farthest
            }
        }
    }

    /// Equation 10: whether nothing lies nearer than `v`, of length `length`; `rest`: `|v|^2 - v .
    /// w`. Without a tolerance, rounding is the tolerance.
    #[inline(always)]
    fn has_converged(&self, rest: f64, length: f64, v2: T) -> bool {
        match self.tolerance {
            None => rest <= T::UNIT * 8.0 * length * self.pair.size,
            Some(tolerance) => rest <= tolerance * tolerance * v2.to_f64(),
        }
    }
}

/// The search, from the vertices of `start` at the pose of the pair.
#[inline(always)]
pub(super) fn descend<T: Supporting, D: DistanceSubAlgorithm>(
    descent: &Descent<'_, T>,
    start: &Simplex,
    mut observe: impl FnMut(&GjkStep<'_, T>),
) -> GjkResult<T> {
    let pair = descent.pair;
    let (bound, touching) = (pair.bound(), descent.touching());
    let mut simplex = if start.count == 0 { descent.initial_simplex() } else { *start };
    let mut points = simplex.points(pair);
    let (mut v, mut last) = (Vec3::ZERO, T::from_f64(f64::INFINITY));
    for iterations in 1..=LIMIT as u32 {
        let count = usize::from(simplex.count);
        let near = D::nearest(&points, count);
        observe(&GjkStep::Simplex { points: &points[..count], found: near });
        let Some(near) = near else {
            if iterations > 1 {
                // Back to the simplex before, whose point is `v`.
                simplex.count -= 1;
                return GjkResult { end: SearchEnd::Stalled, simplex, point: v, gap: 0.0, iterations };
            }
            // A start that is not decided is forgotten.
            simplex = descent.initial_simplex();
            points = simplex.points(pair);
            continue;
        };
        simplex.keep(&mut points, &near.kept[..near.count]);
        v = near.point;
        let found = |end, gap| GjkResult { end, simplex, point: v, gap, iterations };
        let v2 = v.length2();
        if near.count == 4 || descent.in_contact(v2, &points[..near.count], touching) {
            return found(SearchEnd::Overlap, 0.0);
        }
        let length = v2.to_f64().sqrt();
        // Compared in `T`: in double-double, progress goes on far below the resolution of an `f64`.
        if v2 >= last {
            return found(SearchEnd::Stalled, 0.0);
        }
        last = v2;
        // A support of -v below this leaves a gap above the cut-off.
        let least = T::from_f64(-(descent.cutoff + bound) * length);
        let from = descent.start_of_climb(&simplex);
        observe(&GjkStep::Support { direction: -v, start: from });
        let (w, reach) = pair.support_by(descent.supports, -v, from);
        if reach < least {
            return found(SearchEnd::Beyond, -reach.to_f64() / length);
        }
        let along = -reach;
        let point = pair.difference(w);
        if simplex.as_slice().contains(&w) || descent.has_converged((v2 - along).to_f64(), length, v2) {
            return found(SearchEnd::Converged, 0.0);
        }
        simplex.push(&mut points, w, point);
    }
    let point = D::nearest(&points, usize::from(simplex.count)).map_or(v, |near| near.point);
    GjkResult { end: SearchEnd::Stalled, simplex, point, gap: 0.0, iterations: LIMIT as u32 }
}
