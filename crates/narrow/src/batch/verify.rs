//! Verification of one remembered feature pair in eight samples of a pair: [`certify`] with one
//! relative pose in each lane.
//!
//! If the lanes accept a sample, its certificate accepts it with the same bits. If they leave it
//! open, it goes to the pair solver.

use super::pair_block::PairBlock;
use crate::certificate::{
    Certified, OneFeature, certify, certify_points, claim_of, closest_of, deep, is_decided, is_near_contact_or_apart,
};
use crate::closest_points::{Closest, edges_are_parallel};
use crate::epa::lanes::ClaimLanes;
use crate::epa::{self, Surface};
use crate::feature::{Feature, FeaturePair};
use crate::kind::PairKind::{self, Parallel, Unique};
use crate::kind::{FormulaKind, ParallelKind};
use crate::pair::{Pair, VertexPair, bound_of, size_of};
use crate::parallel_features::equal_depths;
use crate::rows::{Extents, ProvenLanes, ReadyRows};
use clearsweep_base::simd::{Lane, Mask, Simd, V, WIDTH, dispatch};
use clearsweep_geometry::{Polyhedron, RelativePose, Scalar};
use clearsweep_model::SAMPLES;

/// A feature pair and its outcome in eight samples.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Verified {
    /// The feature pair.
    features: FeaturePair,
    /// Rows of the samples in which the pair is strictly optimal: the cores apart, or the depth
    /// proven by the remembered surface.
    pub(crate) ready: ReadyRows<WIDTH>,
}

impl Default for Verified {
    fn default() -> Self {
        let none = Feature::vertex(0);
        Self { features: FeaturePair { a: none, b: none }, ready: ReadyRows::default() }
    }
}

impl Verified {
    /// The feature pair.
    pub(crate) fn features(&self) -> FeaturePair {
        self.features
    }

    /// Whether it speaks about this sample.
    #[inline(always)]
    pub(crate) fn covers(&self, sample: usize) -> bool {
        (self.ready.first..self.ready.first + WIDTH).contains(&sample)
    }

    /// Verifies a feature pair in eight samples from `sample` on, or in the last of the block.
    /// `surface`: a closed one around an overlap, remembered from a polytope, and the features of a
    /// second facet at an equal depth.
    pub(crate) fn verify(
        &mut self,
        of: &PairBlock<'_>,
        features: &FeaturePair,
        (surface, rival): (Option<&Surface>, Option<FeaturePair>),
        sample: usize,
    ) {
        let start = sample.min(SAMPLES - WIDTH);
        self.features = *features;
        self.ready.clear(start);
        let [a, b] = of.rows.cores;
        let pair = Pair::new(a, b, of.poses.at(sample), of.rows.growth());
        if let Some(kind) = PairKind::of(features, edges_are_parallel(&pair, features)) {
            verify(kind, &Remembered { of, features: *features, surface, rival, start }, &mut self.ready);
        }
    }
}

/// Remembered features and surface that are to be verified.
struct Remembered<'a> {
    of: &'a PairBlock<'a>,
    features: FeaturePair,
    surface: Option<&'a Surface>,
    rival: Option<FeaturePair>,
    start: usize,
}

#[inline(always)]
fn verify_body<S: Simd>(kind: PairKind, q: &Remembered<'_>, out: &mut ReadyRows<WIDTH>) {
    let [a, b] = q.of.rows.cores;
    let (r, t) = q.of.poses.eight(q.start);
    let pose = RelativePose::<V<S>>::load(&r, &t);
    let reach = V::load(&q.of.poses.reaches(q.start));
    let size = size_of(a, b, q.of.rows.growth(), reach);
    let sides = [&OneFeature::new(a, q.features.a), &OneFeature::new(b, q.features.b)];
    let overlaps = q.surface.is_some() || kind.is_parallel();
    // The formulas of each kind are code of their own; all that follows exists once, not ten times
    // for each level of registers.
    let closest = match kind {
        Unique(FormulaKind::VertexVertex) => closest_of_kind(Unique(FormulaKind::VertexVertex), q, &pose, size),
        Unique(FormulaKind::EdgeVertex) => closest_of_kind(Unique(FormulaKind::EdgeVertex), q, &pose, size),
        Unique(FormulaKind::VertexEdge) => closest_of_kind(Unique(FormulaKind::VertexEdge), q, &pose, size),
        Unique(FormulaKind::EdgeEdge) => closest_of_kind(Unique(FormulaKind::EdgeEdge), q, &pose, size),
        Unique(FormulaKind::FaceVertex) => closest_of_kind(Unique(FormulaKind::FaceVertex), q, &pose, size),
        Unique(FormulaKind::VertexFace) => closest_of_kind(Unique(FormulaKind::VertexFace), q, &pose, size),
        Parallel(ParallelKind::FaceFace) => closest_of_kind(Parallel(ParallelKind::FaceFace), q, &pose, size),
        Parallel(ParallelKind::FaceEdge) => closest_of_kind(Parallel(ParallelKind::FaceEdge), q, &pose, size),
        Parallel(ParallelKind::EdgeFace) => closest_of_kind(Parallel(ParallelKind::EdgeFace), q, &pose, size),
        Parallel(ParallelKind::EdgeEdge) => closest_of_kind(Parallel(ParallelKind::EdgeEdge), q, &pose, size),
    };
    let mut found = certify_points(closest, sides, &pose, size, Mask::all(true), overlaps);
    let bound = bound_of::<V<S>>(size);
    let distance = found.closest.distance;
    let decided = is_decided(kind, [a, b], distance, bound);
    let mut good = (found.strict & decided & is_near_contact_or_apart(distance, bound)).bits();
    if let Some(surface) = q.surface {
        good |= verify_depth(kind, q, surface, &pose, &found, bound);
        if let Some(rival) = &q.rival
            && kind == FACES
        {
            good |= verify_equal_depths(q, (surface, rival), &pose, size, &mut found);
        }
    }
    let features = [q.features.published(q.of.rows.cores); WIDTH];
    let samples = std::array::from_fn(|k| q.start + k);
    let (extents, method) = (Extents { size, reach }, kind.method());
    let proven = ProvenLanes {
        closest: found.closest,
        gap: found.gap,
        extents,
        features: &features,
        method,
        good,
        samples: &samples,
    };
    q.of.rows.ready(&proven, out);
}

/// Returns the closest points of the remembered features, by the formulas of their kind.
#[inline(always)]
fn closest_of_kind<S: Simd>(
    kind: PairKind,
    q: &Remembered<'_>,
    pose: &RelativePose<V<S>>,
    size: V<S>,
) -> Closest<V<S>> {
    let ([a, b], [kind_a, kind_b]) = (q.of.rows.cores, kind.sides());
    let (of_a, of_b) = (Feature { kind: kind_a, ..q.features.a }, Feature { kind: kind_b, ..q.features.b });
    closest_of(kind, [&OneFeature::new(a, of_a), &OneFeature::new(b, of_b)], pose, size, Mask::all(true))
}

/// Two parallel faces.
const FACES: PairKind = Parallel(ParallelKind::FaceFace);

/// Returns the samples (bits) in which the cores overlap and the surface proves the depth.
#[inline(always)]
fn verify_depth<S: Simd>(
    kind: PairKind,
    q: &Remembered<'_>,
    surface: &Surface,
    pose: &RelativePose<V<S>>,
    found: &Certified<V<S>>,
    bound: V<S>,
) -> u8 {
    let overlap = (found.strict & deep(found.closest.distance, bound)).bits();
    let in_facet = |t: &[VertexPair; 3]| epa::is_of_facet(q.of.rows.cores, &q.features, t);
    proves_depth(kind, q.of.rows.cores, (surface, in_facet), pose, (&found.closest, bound), overlap)
}

/// Returns the samples (bits) in which two facets have equal depths, the remembered features are
/// preferred, and the surface proves both. There the residual becomes that of
/// [`EqualDepths`](crate::parallel_features::equal_depths::EqualDepths).
#[inline(always)]
fn verify_equal_depths<S: Simd>(
    q: &Remembered<'_>,
    (surface, rival): (&Surface, &FeaturePair),
    pose: &RelativePose<V<S>>,
    size: V<S>,
    found: &mut Certified<V<S>>,
) -> u8 {
    let cores = q.of.rows.cores;
    let sides = [&OneFeature::new(cores[0], rival.a), &OneFeature::new(cores[1], rival.b)];
    let other = certify(FACES, sides, pose, size, found.strict, true);
    let both = [&found.closest, &other.closest];
    let preferred = equal_depths::is_preferred([&q.features, rival], cores, both, pose, size);
    let tied = other.strict & equal_depths::are_equal(both, size) & preferred;
    if tied.bits() == 0 {
        return 0;
    }
    let residual = equal_depths::residual(both);
    found.closest.residual = V::select(tied, residual, found.closest.residual);
    let in_facet = |t: &[VertexPair; 3]| epa::is_of_facet(cores, &q.features, t) || epa::is_of_facet(cores, rival, t);
    let bound = bound_of::<V<S>>(size);
    proves_depth(FACES, cores, (surface, in_facet), pose, (&found.closest, bound), tied.bits())
}

/// Returns those of `samples` (bits) in which a surface proves the claim of an answer.
#[inline(always)]
fn proves_depth<S: Simd>(
    kind: PairKind,
    [a, b]: [&Polyhedron; 2],
    (surface, in_facet): (&Surface, impl Fn(&[VertexPair; 3]) -> bool),
    pose: &RelativePose<V<S>>,
    (closest, bound): (&Closest<V<S>>, V<S>),
    samples: u8,
) -> u8 {
    if samples == 0 {
        return 0;
    }
    let (distance, residual) = (closest.distance.lanes(), closest.residual.lanes());
    let (bound, amplification) = (bound.lanes(), closest.amplification.lanes());
    let never: Lane = [f64::INFINITY; WIDTH];
    let mut claims = ClaimLanes { facet: never, others: never };
    for k in (0..WIDTH).filter(|k| samples >> k & 1 == 1) {
        let claim = claim_of(kind, distance[k], bound[k], [amplification[k], residual[k]]);
        (claims.facet[k], claims.others[k]) = (claim.facet, claim.others);
    }
    let vertices = |[i, j]: VertexPair| (a.vertex(i), b.vertex(j));
    epa::lanes::proves(surface, vertices, pose, &claims, in_facet) & samples
}

dispatch!(verify, verify_body, (kind: PairKind, q: &Remembered<'_>, out: &mut ReadyRows<WIDTH>) -> ());

#[cfg(test)]
mod tests;
