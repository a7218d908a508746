//! Start of the search of a pair of which nothing is remembered, and the choice of V-Clip or the
//! expansion of a polytope.

use super::float::Float;
use super::pair::{Pair, VertexPair};
use clearsweep_geometry::{Scalar, Vec3};

/// How far, in shares of the way from the line between the origins towards the difference of the
/// vertices that support the planes across it, the second direction lies in which a cold pair is
/// looked at. It saves V-Clip a seventh of its steps on hulls of 8 points of ellipsoids (the peers'
/// cases N2), a fifth of 32, a quarter of 128; less or more saves less.
const TOWARD: f64 = 0.6;

/// By how much planes across the second direction may overlap where cores are still searched as if
/// they were apart, in shares of its length, times the root of the number of vertices of both:
/// touching bodies overlap there by less the finer they are. V-Clip in vain costs about 170 ns, a
/// polytope in vain 500. Of the same hulls (N2) 1.3 takes touching ones in 0.95 of the time that 1
/// takes, overlapping ones in 1.02.
const OVERLAP: f64 = 1.3;

/// The second direction in which a cold pair is looked at: from the translation `t` and the
/// difference of the vertices that support A less B along it.
#[inline(always)] // into code for wider registers, as below
pub(super) fn second_direction<T: Scalar>(t: Vec3<T>, difference: Vec3<T>) -> Vec3<T> {
    t - difference.scale(T::from_f64(TOWARD))
}

/// Whether cores are more likely apart than not, so that V-Clip is the faster search: A less B
/// reaches `reach` along a direction whose length has the square `length2`; `vertices`: of both
/// cores.
#[inline(always)]
pub(super) fn likely_apart<T: Float>(reach: T, length2: T, vertices: T) -> T::Mask {
    (reach * vertices.sqrt()).lt(length2 * T::from_f64(OVERLAP))
}

/// Vertices to start from.
pub(super) struct ColdStart {
    /// The vertices farthest towards each other along the line between the origins.
    pub(super) first: VertexPair,
    /// The vertices to start V-Clip from, if the cores are likely apart.
    pub(super) apart: Option<VertexPair>,
}

/// Looks at one cold pair.
pub(super) fn cold_start(pair: &Pair<'_, f64>) -> ColdStart {
    let t = pair.pose.t;
    let (first, _) = pair.support(t, [0, 0]);
    if t.length2() == 0.0 {
        return ColdStart { first, apart: None };
    }
    let d = second_direction(t, pair.difference(first));
    let (start, reach) = pair.support(d, first);
    let apart = likely_apart(reach, d.length2(), (pair.a.count + pair.b.count) as f64);
    ColdStart { first, apart: apart.then_some(start) }
}
