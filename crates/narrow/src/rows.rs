//! Rows of bodies of one piece each, from proven answers about their cores: one at a time, or eight
//! side by side.

use super::answer::{Answer, Inflated, Numbers};
use super::certificate::bracket;
use super::closest_points::Closest;
use super::feature::Published;
use super::pair::bound_of;
use super::query::PairQuery;
use super::solve_outcome::{SolveOutcome, beyond};
use clearsweep_base::simd::{Simd, V, WIDTH};
use clearsweep_geometry::{Polyhedron, Scalar, Vec3};
use clearsweep_model::{FeatureKind, Method, Proximity, Status};
use clearsweep_model::{Piece, QueryOptions};

/// Terms common to all rows of a pair of bodies.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowTerms<'a> {
    /// Both cores.
    pub cores: [&'a Polyhedron; 2],
    /// Growth of each core, metres.
    pub radii: [f64; 2],
    /// The circumradii of both bodies together, metres.
    pub extent: f64,
    /// Options of the query.
    pub options: &'a QueryOptions,
}

/// Rows of up to `N` samples in turn, from sample `first` on. Sets of them: bit `i` for sample
/// `first + i`.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReadyRows<const N: usize> {
    /// The first sample.
    pub first: usize,
    /// Samples whose answers are proven: the rest of a sample means nothing without it.
    pub proven: u64,
    /// Samples beyond the cut-off by more than the promised width of a bracket: they have no row.
    beyond: u64,
    /// Samples whose lower ends are not above the cut-off.
    near: u64,
    /// Samples whose cores overlap.
    pub deep: u64,
    /// Rows as published.
    rows: [Proximity; N],
    /// The inflated bodies are proven to be at least this far apart, metres.
    gap: [f64; N],
}

/// Sizes of a pair in one sample.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extents<T> {
    /// Size of the pair of cores, metres.
    pub size: T,
    /// The length of the translation, metres.
    pub reach: T,
}

/// Eight answers that are proven, side by side.
pub(super) struct ProvenLanes<'a, S: Simd> {
    /// The closest points.
    pub(super) closest: Closest<V<S>>,
    /// The gaps of the supporting planes, metres.
    pub(super) gap: V<S>,
    /// The sizes of the pairs of cores, and the lengths of the translations.
    pub(super) extents: Extents<V<S>>,
    /// Published features by lane.
    pub(super) features: &'a [Published; WIDTH],
    /// The class of proof.
    pub(super) method: Method,
    /// Bit `k`: lane `k` is proven.
    pub(super) good: u8,
    /// Samples by lane.
    pub(super) samples: &'a [usize; WIDTH],
}

impl<'a> RowTerms<'a> {
    /// Creates the terms of two pieces that are all of their bodies.
    pub(super) fn new(query: &PairQuery<'a>, a: &'a Piece, b: &'a Piece, options: &'a QueryOptions) -> Self {
        let extent = query.a.radius + query.b.radius;
        Self { cores: [&a.core, &b.core], radii: [a.radius, b.radius], extent, options }
    }

    /// Returns the growth of both cores together, metres.
    #[inline(always)]
    pub(super) fn growth(&self) -> f64 {
        self.radii[0] + self.radii[1]
    }

    /// The row of an answer; none where it is beyond the cut-off by less than what would prove
    /// that.
    #[inline(always)]
    pub(super) fn row(&self, answer: &Answer, sample: usize, of: &Extents<f64>) -> SolveOutcome<Option<Proximity>> {
        if self.is_beyond(answer.distance, answer.lower, of.size) {
            return SolveOutcome::Beyond { gap: answer.lower - self.growth(), normal: Some(answer.normal) };
        }
        let [(a, ra), (b, rb)] = [(self.cores[0], self.radii[0]), (self.cores[1], self.radii[1])];
        let row = answer.inflated((a, ra), (b, rb), self.extent + of.reach, self.options);
        SolveOutcome::Answered((row.lower <= self.options.within).then_some(Proximity { sample: sample as u8, ..row }))
    }

    /// The gap of the cores above which a pair is beyond the cut-off, metres; `size`: of the pair
    /// of cores, metres.
    #[inline(always)]
    pub(super) fn beyond<T: Scalar>(&self, size: T) -> T {
        beyond(self.options.within, size) + T::from_f64(self.growth())
    }

    #[inline(always)]
    fn is_beyond<T: Scalar>(&self, distance: T, lower: T, size: T) -> T::Mask {
        distance.gt(T::zero()) & lower.gt(self.beyond(size))
    }

    /// [`RowTerms::row`] of strict answers.
    #[inline(always)] // into code for wider registers
    pub(super) fn ready<S: Simd, const N: usize>(&self, proven: &ProvenLanes<'_, S>, out: &mut ReadyRows<N>) {
        let (c, Extents { size, reach }) = (&proven.closest, proven.extents);
        let (least, most) = bracket(c.distance, c.residual, proven.gap, bound_of::<V<S>>(size));
        let beyond = self.is_beyond(c.distance, least, size).bits();
        let deep = c.distance.lt(V::splat(0.0)).bits();
        let gap = (least - V::splat(self.growth())).lanes();
        let cores = Numbers { normal: c.normal, distance: c.distance, point_a: c.point_a, lower: least, upper: most };
        let inflated = cores.inflated(self.radii, V::splat(self.extent) + reach);
        let near = inflated.lower.le(V::splat(self.options.within)).bits();
        // By lane, as a row has them one after the other.
        let mut rows = [[[0.0; 4]; WIDTH]; 3];
        let (a, b, n) = (inflated.point_a, inflated.point_b, inflated.normal);
        V::rows([inflated.distance, inflated.lower, inflated.upper, a.x], &mut rows[0]);
        V::rows([a.y, a.z, b.x, b.y], &mut rows[1]);
        V::rows([b.z, n.x, n.y, n.z], &mut rows[2]);
        for k in 0..WIDTH {
            if proven.good >> k & 1 == 1 {
                let ([distance, lower, upper, x], [y, z, u, v], [w, i, j, l]) = (rows[0][k], rows[1][k], rows[2][k]);
                let (point_a, point_b) = (Vec3 { x, y, z }, Vec3 { x: u, y: v, z: w });
                let inflated = Inflated { normal: Vec3 { x: i, y: j, z: l }, distance, point_a, point_b, lower, upper };
                let row = inflated.row(&proven.features[k], proven.method, self.options);
                let (sample, bit) = (proven.samples[k], |set: u8| u64::from(set >> k & 1));
                let i = sample - out.first;
                out.rows[i] = Proximity { sample: sample as u8, ..row };
                out.gap[i] = gap[k];
                out.proven |= 1 << i;
                out.beyond |= bit(beyond) << i;
                out.near |= bit(near) << i;
                out.deep |= bit(deep) << i;
            }
        }
    }
}

impl<const N: usize> ReadyRows<N> {
    /// Nothing is known of the samples from `first` on.
    #[inline(always)]
    pub(super) fn clear(&mut self, first: usize) {
        (self.first, self.proven, self.beyond, self.near, self.deep) = (first, 0, 0, 0, 0);
    }

    /// Records the outcome of a proven answer about cores apart.
    pub(super) fn put(&mut self, sample: usize, outcome: SolveOutcome<Option<Proximity>>) {
        let i = (sample - self.first) % N;
        match outcome {
            SolveOutcome::Undecided => return,
            SolveOutcome::Answered(None) => {}
            SolveOutcome::Answered(Some(row)) => {
                self.rows[i] = row;
                self.near |= 1 << i;
            }
            SolveOutcome::Beyond { gap, normal } => {
                (self.gap[i], self.rows[i].normal) = (gap, normal.unwrap_or(Vec3::ZERO));
                self.beyond |= 1 << i;
            }
        }
        self.proven |= 1 << i;
    }

    /// The samples that are settled, with a row or without: those not proven to be beyond. Bit `s`
    /// for sample `s`.
    #[inline(always)]
    pub(super) fn settled(&self) -> u64 {
        (self.proven & !self.beyond) << self.first
    }

    /// Appends the rows of these samples (bit `s` for sample `s`), which are settled.
    #[inline(always)]
    pub(super) fn append(&self, samples: u64, out: &mut Vec<Proximity>) {
        let mut left = samples >> self.first & self.near;
        while left != 0 {
            // Not `push`: that copies twice.
            out.extend_from_slice(std::slice::from_ref(&self.rows[left.trailing_zeros() as usize % N]));
            left &= left - 1;
        }
    }

    /// Returns the outcome of a sample.
    #[inline(always)]
    pub(super) fn outcome(&self, sample: usize) -> SolveOutcome<Option<Proximity>> {
        let i = (sample - self.first) % N;
        let is = |set: u64| set >> i & 1 == 1;
        match () {
            () if !is(self.proven) => SolveOutcome::Undecided,
            () if is(self.beyond) => SolveOutcome::Beyond { gap: self.gap[i], normal: Some(self.rows[i].normal) },
            () => SolveOutcome::Answered(is(self.near).then(|| self.rows[i])),
        }
    }
}

impl<const N: usize> Default for ReadyRows<N> {
    fn default() -> Self {
        let none = Proximity {
            sample: 0,
            status: Status::Uncertified,
            method: Method::None,
            feature_kind: [FeatureKind::Vertex; 2],
            feature: [0; 2],
            part: [0; 2],
            distance: 0.0,
            lower: 0.0,
            upper: 0.0,
            point_a: Vec3::ZERO,
            point_b: Vec3::ZERO,
            normal: Vec3::ZERO,
            protrusion: f64::NAN,
        };
        Self { first: 0, proven: 0, beyond: 0, near: 0, deep: 0, rows: [none; N], gap: [0.0; N] }
    }
}
