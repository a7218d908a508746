//! Proofs of answers that searches have found, each with features of its own: gathered by the kind
//! of their features, and certified eight of a kind at a time.
//!
//! They may be of one pair in several samples or each of a pair of its own ([`ProofSource`]). What
//! is accepted, the certificate of one sample accepts with the same bits.

use super::pair_block::PairBlock;
use crate::answer::Answer;
use crate::certificate::{FeaturePerBody, FeaturePerLane, bracket, certify};
use crate::feature::{Feature, FeaturePair};
use crate::kind::{FormulaKind, PairKind};
use crate::pair::{Pair, bound_of};
use crate::rows::{Extents, ProvenLanes, ReadyRows};
use clearsweep_base::simd::{Lane, Mask, Simd, V, WIDTH, dispatch};
use clearsweep_geometry::{Polyhedron, RelativePose, Vec3};
use clearsweep_model::Method;
use clearsweep_model::SAMPLES;

/// Pairs whose answers are proven.
pub(crate) trait ProofSource: Copy {
    /// Destination of proven answers.
    type Out: ?Sized;
    /// Puts the pose and the size of the answer that comes to be at `place` into a lane.
    fn put(&self, place: usize, k: usize, unproven: &mut Unproven);
    /// Proves what was put.
    fn prove(&self, kind: FormulaKind, unproven: &Unproven, out: &mut Self::Out);
}

/// One pair; the places are the samples of the block.
impl ProofSource for PairBlock<'_> {
    type Out = ReadyRows<SAMPLES>;

    #[inline(always)]
    fn put(&self, place: usize, k: usize, unproven: &mut Unproven) {
        self.poses.copy(place, k, &mut unproven.r, &mut unproven.t);
        unproven.size[k] = self.extents(place).size;
    }

    #[inline(always)]
    fn prove(&self, kind: FormulaKind, unproven: &Unproven, out: &mut ReadyRows<SAMPLES>) {
        prove_one_pair(kind, self, unproven, out);
    }
}

/// A pair for each place.
impl ProofSource for &[Pair<'_, f64>] {
    type Out = [Option<Answer>];

    #[inline(always)]
    fn put(&self, place: usize, k: usize, unproven: &mut Unproven) {
        let pair = &self[place];
        for (row, r) in pair.pose.r.iter().enumerate() {
            (unproven.r[3 * row][k], unproven.r[3 * row + 1][k], unproven.r[3 * row + 2][k]) = (r.x, r.y, r.z);
        }
        let t = pair.pose.t;
        (unproven.t[0][k], unproven.t[1][k], unproven.t[2][k]) = (t.x, t.y, t.z);
        unproven.size[k] = pair.size;
    }

    #[inline(always)]
    fn prove(&self, kind: FormulaKind, unproven: &Unproven, out: &mut [Option<Answer>]) {
        let pair = |k: usize| &self[unproven.place[if k < unproven.count { k } else { 0 }]];
        let bodies = [std::array::from_fn(|k| pair(k).a), std::array::from_fn(|k| pair(k).b)];
        prove_many_pairs(kind, &bodies, unproven, out);
    }
}

/// Up to eight answers of one kind that are to be proven.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unproven {
    /// `a_from_b`: the rotation by rows.
    r: [Lane; 9],
    t: [Lane; 3],
    /// Sizes of the pairs of cores, metres.
    size: Lane,
    /// Features of A and of B; those of the first lane where there is no answer.
    features: [[Feature; WIDTH]; 2],
    place: [usize; WIDTH],
    /// Lanes in use.
    count: usize,
}

impl Unproven {
    fn new() -> Self {
        let (zero, features) = ([0.0; WIDTH], [[Feature::vertex(0); WIDTH]; 2]);
        Self { r: [zero; 9], t: [zero; 3], size: zero, features, place: [0; WIDTH], count: 0 }
    }

    /// The features in a lane.
    #[inline(always)]
    fn features(&self, k: usize) -> FeaturePair {
        FeaturePair { a: self.features[0][k], b: self.features[1][k] }
    }

    /// The lanes in use.
    #[inline(always)]
    fn used<S: Simd>(&self) -> Mask<S> {
        Mask::from_bits(((1_u32 << self.count) - 1) as u8)
    }
}

/// Answers on their way to a proof, by the kind of their features.
#[derive(Debug, Clone)]
pub(crate) struct Prover {
    of: [Unproven; FormulaKind::ALL.len()],
}

impl Default for Prover {
    fn default() -> Self {
        Self { of: [Unproven::new(); FormulaKind::ALL.len()] }
    }
}

impl Prover {
    /// Takes the features found for a `place`. The answers that hold, the cores apart by more than
    /// rounding, come to be in `out`, each at its place, at the latest with [`Prover::finish`].
    #[inline(always)]
    pub(crate) fn push<C: ProofSource>(&mut self, of: C, place: usize, features: FeaturePair, out: &mut C::Out) {
        let Some(kind) = FormulaKind::of(&features) else { return };
        let unproven = &mut self.of[kind as usize];
        let k = unproven.count % WIDTH;
        of.put(place, k, unproven);
        (unproven.features[0][k], unproven.features[1][k], unproven.place[k]) = (features.a, features.b, place);
        unproven.count = k + 1;
        if unproven.count == WIDTH {
            of.prove(kind, unproven, out);
            unproven.count = 0;
        }
    }

    /// Proves what is left of these pairs.
    pub(crate) fn finish<C: ProofSource>(&mut self, of: C, out: &mut C::Out) {
        for (kind, unproven) in FormulaKind::ALL.into_iter().zip(&mut self.of) {
            if unproven.count > 0 {
                for features in &mut unproven.features {
                    let first = features[0];
                    features[unproven.count..].fill(first);
                }
                of.prove(kind, unproven, out);
                unproven.count = 0;
            }
        }
    }
}

#[inline(always)]
fn prove_one_pair_body<S: Simd>(kind: FormulaKind, of: &PairBlock<'_>, q: &Unproven, out: &mut ReadyRows<SAMPLES>) {
    // Each kind has code of its own: which of them comes next cannot be predicted, and so is asked
    // once.
    match kind {
        FormulaKind::VertexVertex => prove_kind::<S>(FormulaKind::VertexVertex, of, q, out),
        FormulaKind::EdgeVertex => prove_kind::<S>(FormulaKind::EdgeVertex, of, q, out),
        FormulaKind::VertexEdge => prove_kind::<S>(FormulaKind::VertexEdge, of, q, out),
        FormulaKind::EdgeEdge => prove_kind::<S>(FormulaKind::EdgeEdge, of, q, out),
        FormulaKind::FaceVertex => prove_kind::<S>(FormulaKind::FaceVertex, of, q, out),
        FormulaKind::VertexFace => prove_kind::<S>(FormulaKind::VertexFace, of, q, out),
    }
}

/// Proves answers about one pair whose features are of this kind.
#[inline(always)]
fn prove_kind<S: Simd>(kind: FormulaKind, of: &PairBlock<'_>, q: &Unproven, out: &mut ReadyRows<SAMPLES>) {
    let ([a, b], [kind_a, kind_b], [at_a, at_b]) = (of.rows.cores, kind.sides(), &q.features);
    let (Some(planes_a), Some(planes_b)) = (a.formed_planes(), b.formed_planes()) else {
        return prove_without_planes(kind, of, q, out);
    };
    let a = FeaturePerLane::<S>::new(a, planes_a, kind_a, at_a);
    let b = FeaturePerLane::<S>::new(b, planes_b, kind_b, at_b);
    let size = V::load(&q.size);
    let found = certify(PairKind::Unique(kind), [&a, &b], &RelativePose::load(&q.r, &q.t), size, q.used(), false);
    let (mut reach, mut features) = ([0.0; WIDTH], [q.features(0).published(of.rows.cores); WIDTH]);
    for k in 0..q.count {
        (reach[k], features[k]) = (of.poses.reach(q.place[k]), q.features(k).published(of.rows.cores));
    }
    let extents = Extents { size, reach: V::load(&reach) };
    let (good, features) = (found.strict.bits(), &features);
    let method = Method::Strict;
    let (closest, gap, samples) = (found.closest, found.gap, &q.place);
    let proven = ProvenLanes { closest, gap, extents, features, method, good, samples };
    of.rows.ready(&proven, out);
}

/// Proves answers about one pair whose planes were not formed.
#[cold]
fn prove_without_planes(kind: FormulaKind, of: &PairBlock<'_>, q: &Unproven, out: &mut ReadyRows<SAMPLES>) {
    let ([a, b], mut answers) = (of.rows.cores, [None; SAMPLES]);
    prove_many_pairs(kind, &[[a; WIDTH], [b; WIDTH]], q, &mut answers);
    for &place in &q.place[..q.count] {
        if let Some(answer) = &answers[place] {
            out.put(place, of.rows.row(answer, place, &of.extents(place)));
        }
    }
}

/// Proves answers about pairs that differ, whose features are of this kind.
#[inline(always)]
fn prove_many_pairs_body<S: Simd>(
    kind: FormulaKind,
    [bodies_a, bodies_b]: &[[&Polyhedron; WIDTH]; 2],
    q: &Unproven,
    out: &mut [Option<Answer>],
) {
    let [kind_a, kind_b] = kind.sides();
    let a = FeaturePerBody::new(*bodies_a, kind_a, &q.features[0], q.count);
    let b = FeaturePerBody::new(*bodies_b, kind_b, &q.features[1], q.count);
    let size = V::<S>::load(&q.size);
    let found = certify(PairKind::Unique(kind), [&a, &b], &RelativePose::load(&q.r, &q.t), size, q.used(), false);
    let c = &found.closest;
    let (lower, upper) = bracket(c.distance, c.residual, found.gap, bound_of::<V<S>>(size));
    let (mut normal, mut point_a) = ([[0.0; WIDTH]; 3], [[0.0; WIDTH]; 3]);
    c.normal.store(&mut normal);
    c.point_a.store(&mut point_a);
    let (distance, lower, upper, good) = (c.distance.lanes(), lower.lanes(), upper.lanes(), found.strict.bits());
    for k in 0..q.count {
        let vector = |v: &[Lane; 3]| Vec3 { x: v[0][k], y: v[1][k], z: v[2][k] };
        out[q.place[k]] = (good >> k & 1 == 1).then(|| Answer {
            features: q.features(k),
            normal: vector(&normal),
            distance: distance[k],
            point_a: vector(&point_a),
            lower: lower[k],
            upper: upper[k],
            method: Method::Strict,
        });
    }
}

dispatch!(prove_one_pair, prove_one_pair_body, (kind: FormulaKind, of: &PairBlock<'_>, q: &Unproven, out: &mut ReadyRows<SAMPLES>) -> ());
dispatch!(prove_many_pairs, prove_many_pairs_body, (kind: FormulaKind, bodies: &[[&Polyhedron; WIDTH]; 2], q: &Unproven, out: &mut [Option<Answer>]) -> ());

#[cfg(test)]
mod tests;
