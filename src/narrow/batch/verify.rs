//! Verification of one remembered feature pair in eight samples of a pair: [`certify`] with one relative pose in each lane.
//!
//! What the lanes accept, the certificate of one sample accepts with the same bits; what they leave open goes to the ladder.

use super::pair_block::PairBlock;
use crate::geometry::RelativePose;
use crate::narrow::certificate::{Certified, OneFeature, apart, certify, claim_of, deep};
use crate::narrow::epa::lanes::ClaimLanes;
use crate::narrow::epa::{self, Surface};
use crate::narrow::feature::{Feature, FeaturePair};
use crate::narrow::kind::FormulaKind;
use crate::narrow::pair::{VertexPair, bound_of, size_of};
use crate::narrow::rows::{Extents, ProvenLanes, ReadyRows};
use crate::simd::{Lane, Simd, V, WIDTH, dispatch};

/// A feature pair and what it comes to in eight samples.
#[derive(Debug, Clone, Copy)]
pub(in crate::narrow) struct Verified {
    /// The feature pair.
    features: FeaturePair,
    /// Of the samples in which it is strictly optimal, and apart, or the depth proven by the remembered surface.
    pub(in crate::narrow) ready: ReadyRows<WIDTH>,
}

impl Default for Verified {
    fn default() -> Self {
        let none = Feature::vertex(0);
        Self { features: FeaturePair { a: none, b: none }, ready: ReadyRows::default() }
    }
}

impl Verified {
    /// The feature pair.
    pub(in crate::narrow) fn features(&self) -> FeaturePair {
        self.features
    }

    /// Whether it speaks about this sample.
    #[inline(always)]
    pub(in crate::narrow) fn covers(&self, sample: usize) -> bool {
        (self.ready.first..self.ready.first + WIDTH).contains(&sample)
    }

    /// Verifies a feature pair in the samples from `start`, of which there are [`WIDTH`] in the block. `surface`: a closed one
    /// around an overlap, remembered from a polytope.
    pub(in crate::narrow) fn verify(
        &mut self,
        of: &PairBlock<'_>,
        features: &FeaturePair,
        surface: Option<&Surface>,
        start: usize,
    ) {
        debug_assert!(start + WIDTH <= crate::scene::SAMPLES, "eight samples from {start} on");
        self.features = *features;
        self.ready.clear(start);
        if let Some(kind) = FormulaKind::of(features) {
            verify(kind, &Remembered { of, features: *features, surface, start }, &mut self.ready);
        }
    }
}

/// What is verified.
struct Remembered<'a> {
    of: &'a PairBlock<'a>,
    features: FeaturePair,
    surface: Option<&'a Surface>,
    start: usize,
}

#[inline(always)]
fn verify_body<S: Simd>(kind: FormulaKind, q: &Remembered<'_>, out: &mut ReadyRows<WIDTH>) {
    // Each kind has code of its own, so that its closest points stay in registers.
    match kind {
        FormulaKind::VertexVertex => verify_kind::<S>(FormulaKind::VertexVertex, q, out),
        FormulaKind::EdgeVertex => verify_kind::<S>(FormulaKind::EdgeVertex, q, out),
        FormulaKind::VertexEdge => verify_kind::<S>(FormulaKind::VertexEdge, q, out),
        FormulaKind::EdgeEdge => verify_kind::<S>(FormulaKind::EdgeEdge, q, out),
        FormulaKind::FaceVertex => verify_kind::<S>(FormulaKind::FaceVertex, q, out),
        FormulaKind::VertexFace => verify_kind::<S>(FormulaKind::VertexFace, q, out),
    }
}

#[inline(always)]
fn verify_kind<S: Simd>(kind: FormulaKind, q: &Remembered<'_>, out: &mut ReadyRows<WIDTH>) {
    let ([a, b], [kind_a, kind_b]) = (q.of.rows.cores, kind.sides());
    let (of_a, of_b) = (Feature { kind: kind_a, ..q.features.a }, Feature { kind: kind_b, ..q.features.b });
    let (r, t) = q.of.poses.eight(q.start);
    let pose = RelativePose::<V<S>>::load(&r, &t);
    let reach = V::load(&q.of.poses.reaches(q.start));
    let size = size_of(a, b, q.of.rows.growth(), reach);
    let sides = [&OneFeature::new(a, of_a), &OneFeature::new(b, of_b)];
    let found = certify(kind, sides, &pose, size, crate::simd::Mask::all(true), q.surface.is_some());
    let bound = bound_of::<V<S>>(size);
    let mut good = (found.strict & apart(found.closest.distance, bound)).bits();
    if let Some(surface) = q.surface {
        good |= verify_depth(q, surface, &pose, &found, bound);
    }
    let features = [q.features.published(q.of.rows.cores); WIDTH];
    let samples = std::array::from_fn(|k| q.start + k);
    let extents = Extents { size, reach };
    let proven =
        ProvenLanes { closest: found.closest, gap: found.gap, extents, features: &features, good, samples: &samples };
    q.of.rows.ready(&proven, out);
}

/// In which samples the cores overlap and the surface proves the depth.
#[inline(always)]
fn verify_depth<S: Simd>(
    q: &Remembered<'_>,
    surface: &Surface,
    pose: &RelativePose<V<S>>,
    found: &Certified<V<S>>,
    bound: V<S>,
) -> u8 {
    let overlap = (found.strict & deep(found.closest.distance, bound)).bits();
    if overlap == 0 {
        return 0;
    }
    let distance = found.closest.distance.lanes();
    let (bound, amplification) = (bound.lanes(), found.closest.amplification.lanes());
    let never: Lane = [f64::INFINITY; WIDTH];
    let mut claims = ClaimLanes { facet: never, others: never };
    for k in 0..WIDTH {
        if overlap >> k & 1 == 1 {
            let claim = claim_of(distance[k], bound[k], amplification[k]);
            (claims.facet[k], claims.others[k]) = (claim.facet, claim.others);
        }
    }
    let [a, b] = q.of.rows.cores;
    let in_facet =
        |t: &[VertexPair; 3]| t.iter().all(|&[i, j]| q.features.a.has_vertex(a, i) && q.features.b.has_vertex(b, j));
    let vertices = |[i, j]: VertexPair| (a.vertex(i), b.vertex(j));
    epa::lanes::proves(surface, vertices, pose, &claims, in_facet) & overlap
}

dispatch!(verify, verify_body, (kind: FormulaKind, q: &Remembered<'_>, out: &mut ReadyRows<WIDTH>) -> ());

#[cfg(test)]
mod tests;
