//! Rows of bodies of one piece each, from proven answers about their cores: one at a time, or eight side by side.

use super::PairQuery;
use super::answer::{Answer, Grown, Numbers};
use super::feature::Published;
use super::pair::bound_of;
use super::proximity::{FeatureKind, Method, Proximity, Status};
use super::strict::bracket;
use super::strict::columns::{Columns, THREE, at, set};
use super::walk;
use crate::geometry::{Polyhedron, Vec3};
use crate::scene::{Piece, QueryOptions};
use crate::simd::{Lane, P3, Simd, V, WIDTH};

/// What all rows of a pair of bodies have in common.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a> {
    /// Both cores.
    pub cores: [&'a Polyhedron; 2],
    /// By how much each grows, metres.
    pub radii: [f64; 2],
    /// The circumradii of both bodies together, metres.
    pub extent: f64,
    /// What is asked for.
    pub options: &'a QueryOptions,
}

/// Rows of up to `N` samples in turn, from sample `first` on. Sets of them: bit `i` for sample `first + i`.
#[derive(Debug, Clone, Copy)]
pub struct Ready<const N: usize> {
    /// The first sample.
    pub first: usize,
    /// Whose answers are proven: the rest of a sample means nothing without it.
    pub proven: u64,
    /// Those beyond the cut-off by more than the promised width of a bracket: they have no row.
    beyond: u64,
    /// Those whose lower ends are not above the cut-off.
    near: u64,
    /// Those whose cores overlap.
    pub deep: u64,
    /// As published.
    rows: [Proximity; N],
    /// The grown bodies are proven to be at least this far apart, metres.
    gap: [f64; N],
}

/// What a proven answer comes to.
#[derive(Debug, Clone, Copy)]
pub enum Outcome {
    /// A row.
    Row(Proximity),
    /// Nothing: beyond the cut-off by less than what would prove that on every way.
    Nothing,
    /// Nothing: beyond the cut-off on every way.
    Beyond {
        /// The grown bodies are proven to be at least this far apart, metres.
        gap: f64,
        /// The direction along which they are, in A's frame.
        normal: Vec3<f64>,
    },
}

/// Sizes of a pair in one sample.
#[derive(Debug, Clone, Copy)]
pub struct Extents<T> {
    /// Of the pair of cores, metres.
    pub size: T,
    /// The length of the translation, metres.
    pub reach: T,
}

/// Eight answers that are proven, side by side.
pub(super) struct Proven<'a> {
    /// The closest points.
    pub(super) closest: &'a Columns,
    /// The gaps of the supporting planes, metres.
    pub(super) gap: &'a Lane,
    /// By lane.
    pub(super) extents: Extents<&'a Lane>,
    /// By lane.
    pub(super) features: &'a [Published; WIDTH],
}

impl<'a> Rows<'a> {
    /// Of two pieces that are all of their bodies.
    pub fn new(query: &PairQuery<'a>, a: &'a Piece, b: &'a Piece, options: &'a QueryOptions) -> Self {
        let extent = query.a.radius + query.b.radius;
        Self { cores: [&a.core, &b.core], radii: [a.radius, b.radius], extent, options }
    }

    /// By how much the cores grow together, metres.
    #[inline(always)]
    pub fn growth(&self) -> f64 {
        self.radii[0] + self.radii[1]
    }

    /// The row of an answer.
    #[inline(always)]
    pub fn row(&self, answer: &Answer, sample: usize, of: &Extents<f64>) -> Outcome {
        if self.is_beyond(answer.distance, answer.lower, of.size) {
            return Outcome::Beyond { gap: answer.lower - self.growth(), normal: answer.normal };
        }
        let [(a, ra), (b, rb)] = [(self.cores[0], self.radii[0]), (self.cores[1], self.radii[1])];
        let row = answer.grown((a, ra), (b, rb), self.extent + of.reach, self.options);
        if row.lower <= self.options.within {
            return Outcome::Row(Proximity { sample: sample as u8, ..row });
        }
        Outcome::Nothing
    }

    #[inline(always)]
    fn is_beyond(&self, distance: f64, lower: f64, size: f64) -> bool {
        (distance > 0.0) & (lower > walk::beyond(self.options.within, size) + self.growth())
    }

    /// [`Rows::row`] of strict answers, those of the lanes `good` (bit by bit), whose samples are `place`.
    #[inline(always)] // into code for wider registers
    pub(super) fn ready<S: Simd, const N: usize>(
        &self,
        proven: &Proven<'_>,
        good: u8,
        place: &[usize; WIDTH],
        out: &mut Ready<N>,
    ) {
        let (growth, c) = (self.growth(), proven.closest);
        let (mut lower, mut upper, mut distance, mut gap) = ([0.0; WIDTH], [0.0; WIDTH], [0.0; WIDTH], [0.0; WIDTH]);
        let (mut point_a, mut point_b, mut beyond) = (THREE, THREE, [0_u64; WIDTH]);
        for k in 0..WIDTH {
            let size = proven.extents.size[k];
            let (least, most) = bracket(c.distance[k], c.residual[k], proven.gap[k], bound_of::<f64>(size));
            let (normal, point) = (at(&c.normal, k), at(&c.point_a, k));
            let cores = Numbers { normal, distance: c.distance[k], point_a: point, lower: least, upper: most };
            let grown = cores.grown(self.radii, self.extent + proven.extents.reach[k]);
            (lower[k], upper[k], distance[k], gap[k]) = (grown.lower, grown.upper, grown.distance, least - growth);
            set(&mut point_a, k, grown.point_a);
            set(&mut point_b, k, grown.point_b);
            beyond[k] = u64::from(self.is_beyond(c.distance[k], least, size));
        }
        // By lane, as a row has them one after the other.
        let mut rows = [[[0.0; 4]; WIDTH]; 3];
        let load = V::<S>::load;
        let [a, b] = [P3::<S>::load(&point_a), P3::load(&point_b)];
        V::rows([load(&distance), load(&lower), load(&upper), a.x], &mut rows[0]);
        V::rows([a.y, a.z, b.x, b.y], &mut rows[1]);
        V::rows([b.z, load(&c.normal[0]), load(&c.normal[1]), load(&c.normal[2])], &mut rows[2]);
        for k in 0..WIDTH {
            if good >> k & 1 == 1 {
                let ([distance, lower, upper, x], [y, z, u, v], [w, i, j, l]) = (rows[0][k], rows[1][k], rows[2][k]);
                let (point_a, point_b) = (Vec3 { x, y, z }, Vec3 { x: u, y: v, z: w });
                let grown = Grown { normal: Vec3 { x: i, y: j, z: l }, distance, point_a, point_b, lower, upper };
                let row = grown.row(&proven.features[k], Method::Strict, self.options);
                let i = place[k] - out.first;
                out.rows[i] = Proximity { sample: place[k] as u8, ..row };
                out.gap[i] = gap[k];
                out.proven |= 1 << i;
                out.beyond |= beyond[k] << i;
                out.near |= u64::from(lower <= self.options.within) << i;
                out.deep |= u64::from(c.distance[k] < 0.0) << i;
            }
        }
    }
}

impl<const N: usize> Ready<N> {
    /// Nothing is known of the samples from `first` on.
    #[inline(always)]
    pub fn clear(&mut self, first: usize) {
        (self.first, self.proven, self.beyond, self.near, self.deep) = (first, 0, 0, 0, 0);
    }

    /// Takes note of what a proven answer about cores apart comes to.
    pub fn put(&mut self, sample: usize, outcome: Outcome) {
        let i = (sample - self.first) % N;
        self.proven |= 1 << i;
        match outcome {
            Outcome::Row(row) => {
                self.rows[i] = row;
                self.near |= 1 << i;
            }
            Outcome::Nothing => {}
            Outcome::Beyond { gap, normal } => {
                (self.gap[i], self.rows[i].normal) = (gap, normal);
                self.beyond |= 1 << i;
            }
        }
    }

    /// The samples that are settled, with a row or without: those not proven to be beyond. Bit `s` for sample `s`.
    #[inline(always)]
    pub fn settled(&self) -> u64 {
        (self.proven & !self.beyond) << self.first
    }

    /// Appends the rows of these samples (bit `s` for sample `s`), which are settled.
    #[inline(always)]
    pub fn append(&self, samples: u64, out: &mut Vec<Proximity>) {
        let mut left = samples >> self.first & self.near;
        while left != 0 {
            // Not `push`: that copies twice.
            out.extend_from_slice(std::slice::from_ref(&self.rows[left.trailing_zeros() as usize % N]));
            left &= left - 1;
        }
    }

    /// What is known of a sample.
    #[inline(always)]
    pub fn outcome(&self, sample: usize) -> Option<Outcome> {
        let i = (sample - self.first) % N;
        let is = |set: u64| set >> i & 1 == 1;
        match () {
            () if !is(self.proven) => None,
            () if is(self.beyond) => Some(Outcome::Beyond { gap: self.gap[i], normal: self.rows[i].normal }),
            () if is(self.near) => Some(Outcome::Row(self.rows[i])),
            () => Some(Outcome::Nothing),
        }
    }
}

impl<const N: usize> Default for Ready<N> {
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
        };
        Self { first: 0, proven: 0, beyond: 0, near: 0, deep: 0, rows: [none; N], gap: [0.0; N] }
    }
}
