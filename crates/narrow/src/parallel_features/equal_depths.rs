//! Equal depths along two directions, each of a face of either body: boxes of one height that
//! overlap deeper than their height.
//!
//! Neither facet of the Minkowski difference is the only nearest one, and so no certificate of one
//! facet proves the depth. But if both are certified locally, their depths are equal to within E,
//! and a surface proves that no third facet is as near, then the choice between the two is a
//! function of the pose: the direction nearest to the line between the means of the vertices, else
//! the lowest faces. The proof is in docs/reference/numerics.md.

use crate::certificate::{self, Certificate, deep};
use crate::closest_points::Closest;
use crate::feature::FeaturePair;
use crate::float::Float;
use crate::kind::{PairKind, ParallelKind};
use crate::pair::{Pair, bound_of};
use clearsweep_geometry::{Polyhedron, RelativePose, Scalar, Vec3};

/// Cosine of the angle between two directions above which they are not told apart.
const SAME: f64 = 0.9;

/// Components of directions along the line between the means that differ by less, in sizes of the
/// pair, are equal.
pub(crate) const ROUNDING: f64 = 1e-9;

/// Two facets of parallel faces at equal depths.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EqualDepths {
    /// The certificate of the facet that the rule prefers; its residual covers the difference of
    /// the depths.
    pub(crate) preferred: Certificate,
    /// The features of the other facet.
    pub(crate) rival: FeaturePair,
}

impl EqualDepths {
    /// Pairs two facets that are certified locally; `None` if the depths are not equal, or the
    /// features are no parallel faces.
    pub(crate) fn new(pair: &Pair<'_, f64>, first: &Certificate, second: &Certificate) -> Option<Self> {
        let kind = PairKind::Parallel(ParallelKind::FaceFace);
        if first.kind != kind || second.kind != kind {
            return None;
        }
        let closest = [&first.closest, &second.closest];
        if !are_equal(closest, pair.size) {
            return None;
        }
        let order = [&first.features, &second.features];
        let is_first = is_preferred(order, [pair.a, pair.b], closest, &pair.pose, pair.size);
        let (preferred, rival) = if is_first { (first, second) } else { (second, first) };
        let mut answer = *preferred;
        answer.closest.residual = residual([&preferred.closest, &rival.closest]);
        Some(Self { preferred: answer, rival: rival.features })
    }

    /// Pairs a facet with remembered features, if these are still certified locally.
    pub(crate) fn remembered(pair: &Pair<'_, f64>, first: &Certificate, rival: &FeaturePair) -> Option<Self> {
        Self::new(pair, first, &certificate::local(pair, rival)?)
    }

    /// Pairs the facets along some directions, if these are two.
    pub(crate) fn along(pair: &Pair<'_, f64>, directions: impl Iterator<Item = Vec3<f64>>) -> Option<Self> {
        let mut facets: Vec<Certificate> = Vec::with_capacity(2);
        for n in directions {
            let facet = super::near(pair, n)?;
            if facets.iter().all(|known| known.features != facet.features) {
                facets.push(facet);
            }
        }
        let [first, second] = facets.as_slice() else { return None };
        Self::new(pair, first, second)
    }
}

/// Returns the lanes in which two facets have depths that are equal to within E. `size`: of the
/// pairs of cores, metres.
#[inline(always)]
pub(crate) fn are_equal<T: Float>([first, second]: [&Closest<T>; 2], size: T) -> T::Mask {
    let bound = bound_of::<T>(size);
    let is_equal = (first.distance - second.distance).abs().le(bound);
    let is_deep = deep(first.distance, bound) & deep(second.distance, bound);
    is_equal & is_deep & first.normal.dot(second.normal).lt(T::from_f64(SAME))
}

/// Returns the lanes in which the rule prefers the first of two facets of equal depth.
#[inline(always)]
pub(crate) fn is_preferred<T: Float>(
    [first, second]: [&FeaturePair; 2],
    cores: [&Polyhedron; 2],
    [of_first, of_second]: [&Closest<T>; 2],
    pose: &RelativePose<T>,
    size: T,
) -> T::Mask {
    let between = between_means(cores, pose);
    let (along_first, along_second) = (of_first.normal.dot(between), of_second.normal.dot(between));
    let doubt = T::from_f64(ROUNDING) * size;
    let faces = |f: &FeaturePair| (f.a.index, f.b.index);
    if faces(first) < faces(second) {
        (along_second - along_first).le(doubt)
    } else {
        (along_first - along_second).gt(doubt)
    }
}

/// Returns the residual of the first of two facets of equal depth with which the bracket covers
/// both depths, metres.
#[inline(always)]
pub(crate) fn residual<T: Float>([of_preferred, of_rival]: [&Closest<T>; 2]) -> T {
    let nearer = (of_rival.distance - of_preferred.distance).larger(T::zero());
    of_preferred.residual.larger(of_rival.residual) + nearer
}

/// Returns the vector from the mean of A's vertices to that of B's, in A's frame, metres.
#[inline(always)]
pub(crate) fn between_means<T: Scalar>([a, b]: [&Polyhedron; 2], pose: &RelativePose<T>) -> Vec3<T> {
    pose.point(Vec3::from_f64(b.mean)) - Vec3::from_f64(a.mean)
}
