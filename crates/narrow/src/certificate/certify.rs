//! The certificate of strict optimality, written once for one sample and for eight.

use super::claim::Claim;
use super::features::{Features, OneFeature};
use super::margins::{BAND, apart, bracket, deep, margin};
use super::scan::SupportPlane;
use super::unique_support::unique_support;
use crate::closest_points::{Closest, edges_are_parallel, of_kind};
use crate::feature::FeaturePair;
use crate::float::Float;
use crate::kind::{FormulaKind, PairKind, ParallelKind};
use crate::pair::{Pair, bound_of};
use crate::parallel_features;
use clearsweep_geometry::{Polyhedron, RelativePose, Vec3};

/// A feature pair that is optimal, with its proof in `f64`.
#[derive(Debug, Clone, Copy)]
pub struct Certificate {
    /// The features.
    pub features: FeaturePair,
    /// Whether they are unique, or parallel.
    pub(crate) kind: PairKind,
    /// Their closest points.
    pub closest: Closest<f64>,
    /// The gap of the supporting planes over all vertices: the signed distance of the cores less
    /// rounding.
    pub gap: f64,
    /// Least clearance of other vertices from the planes, metres: the rounding of the direction.
    pub margin: f64,
    /// The pair's rounding bound E.
    pub bound: f64,
}

/// Returns the claim that a surface around the origin must prove for the depth of a strict answer,
/// metres. The vertices of parallel features may be off their planes by the residual, but their
/// direction is that of a face.
#[inline(always)]
pub(crate) fn claim_of(kind: PairKind, distance: f64, bound: f64, [amplification, residual]: [f64; 2]) -> Claim {
    let (slack, amplification) = if kind.is_parallel() { (residual, 1.0) } else { (0.0, amplification) };
    Claim { facet: -distance - slack - 0.25 * bound, others: -distance + margin(bound, amplification) }
}

/// Returns the claim that a surface around the origin must prove: the depth of a locally strict
/// answer, and that it is the only one.
pub fn claim(answer: &Certificate) -> Claim {
    let Closest { distance, amplification, residual, .. } = answer.closest;
    claim_of(answer.kind, distance, answer.bound, [amplification, residual])
}

impl Certificate {
    /// Whether the cores do not overlap by more than a few rounding bounds: of what [`local`]
    /// accepts, whether they are apart.
    #[inline(always)]
    pub fn in_contact_band(&self) -> bool {
        self.closest.distance >= -BAND * self.bound
    }

    /// Whether it is about parallel features, and more than one pair of points is as near.
    pub fn is_parallel(&self) -> bool {
        self.kind.is_parallel()
    }

    /// Proven bounds of the signed distance of the cores, metres.
    #[inline(always)]
    pub fn bracket(&self) -> (f64, f64) {
        bracket(self.closest.distance, self.closest.residual, self.gap, self.bound)
    }
}

/// Feature pairs of one kind with their certificates: one, or one in each lane.
pub(crate) struct Certified<T: Float> {
    /// The closest points; `interior` may be a lower bound.
    pub(crate) closest: Closest<T>,
    /// The gap of the supporting planes over all vertices, metres; means nothing where not strict.
    pub(crate) gap: T,
    /// Lanes in which the features are strictly optimal; if the cores overlap, locally.
    pub(crate) strict: T::Mask,
}

/// Certifies features of a kind at relative poses, in the lanes `wanted`; where cores are not apart
/// by more than rounding only if `overlaps`. `size`: of the pairs of cores, metres.
#[inline(always)]
pub(crate) fn certify<T: Float, F: Features<T>>(
    kind: PairKind,
    [a, b]: [&F; 2],
    pose: &RelativePose<T>,
    size: T,
    wanted: T::Mask,
    overlaps: bool,
) -> Certified<T> {
    let closest = closest_of(kind, [a, b], pose, size, wanted);
    certify_points(closest, [a, b], pose, size, wanted, overlaps)
}

/// Certifies closest points of features: what comes after the formulas of a kind, and is the same
/// for all of them.
#[inline(always)]
pub(crate) fn certify_points<T: Float, F: Features<T>>(
    closest: Closest<T>,
    [a, b]: [&F; 2],
    pose: &RelativePose<T>,
    size: T,
    wanted: T::Mask,
    overlaps: bool,
) -> Certified<T> {
    let bound = bound_of::<T>(size);
    let margin = margin(bound, closest.amplification);
    let finite = closest.distance.abs().lt(T::from_f64(f64::INFINITY));
    let mut holds = wanted & finite & closest.interior.gt(margin) & closest.residual.le(bound);
    if !overlaps {
        holds = holds & apart(closest.distance, bound);
    }
    if T::bits(holds) == 0 {
        return Certified { closest, gap: T::zero(), strict: holds };
    }
    let out_of_b: Vec3<T> = -pose.inverse_vector(closest.normal);
    let (max_a, holds) = unique_support(a, &SupportPlane { normal: closest.normal, margin, bound }, holds);
    let (max_b, holds) = unique_support(b, &SupportPlane { normal: out_of_b, margin, bound }, holds);
    let gap = closest.normal.dot(pose.t) - max_b - max_a;
    let agrees = (gap - closest.distance).abs().le(bound);
    Certified { closest, gap, strict: holds & agrees }
}

/// Returns the closest points of features of a kind.
#[inline(always)]
pub(crate) fn closest_of<T: Float, F: Features<T>>(
    kind: PairKind,
    [a, b]: [&F; 2],
    pose: &RelativePose<T>,
    size: T,
    wanted: T::Mask,
) -> Closest<T> {
    match kind {
        PairKind::Unique(kind) => {
            let (mut closest, foot) = of_kind(kind, size, pose, &a.operand(), &b.operand());
            match kind {
                FormulaKind::FaceVertex => closest.interior = a.inside(foot, size, wanted),
                FormulaKind::VertexFace => closest.interior = b.inside(foot, size, wanted),
                _ => {}
            }
            closest
        }
        PairKind::Parallel(kind) => {
            let ((p, f), (q, g)) = (a.lane(0), b.lane(0));
            parallel_features::closest(kind, [(p, f.index), (q, g.index)], pose, size)
        }
    }
}

/// Returns the lanes in which rounding leaves nothing open about locally strict cores at this
/// distance. The cores are apart or overlap by more than a few bounds. In contact the sign of the
/// distance is open, and a second facet behind bodies too thin to tell may be as near: only
/// parallel features of which one is a solid's rule that out, since no other vertex is near their
/// planes.
#[inline(always)]
pub(crate) fn is_decided<T: Float>(kind: PairKind, cores: [&Polyhedron; 2], distance: T, bound: T) -> T::Mask {
    let unique = apart(distance, bound) | deep(distance, bound);
    match kind {
        PairKind::Unique(_) => unique,
        PairKind::Parallel(ParallelKind::EdgeEdge) => apart(distance, bound),
        PairKind::Parallel(_) if cores.iter().all(|core| core.dimension < 3) => unique,
        PairKind::Parallel(_) => distance.ge(distance),
    }
}

/// The answer of a feature pair if it is strictly optimal *locally*: enough where the cores are
/// apart or in contact; where they overlap, the depth is still to be proven ([`claim`]).
#[inline]
pub fn local(pair: &Pair<'_, f64>, features: &FeaturePair) -> Option<Certificate> {
    let kind = PairKind::of(features, edges_are_parallel(pair, features))?;
    let (a, b) = (OneFeature::new(pair.a, features.a), OneFeature::new(pair.b, features.b));
    let Certified { closest, gap, strict } = certify(kind, [&a, &b], &pair.pose, pair.size, true, true);
    let bound = pair.bound();
    let decided = is_decided(kind, [pair.a, pair.b], closest.distance, bound);
    let margin = margin(bound, closest.amplification);
    (strict && decided).then_some(Certificate { features: *features, kind, closest, gap, margin, bound })
}

#[cfg(test)]
#[path = "tests/certify.rs"]
mod tests;
