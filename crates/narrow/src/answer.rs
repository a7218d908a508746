//! The answer about two cores, before their growth: with its proof, or without.

use super::certificate::Certificate;
use super::closest_points::Closest;
use super::feature::{Feature, FeaturePair, Published};
use super::pair::Pair;
use clearsweep_geometry::{Dd, Polyhedron, Real, Scalar, Vec3};
use clearsweep_model::QueryOptions;
use clearsweep_model::{Method, Proximity, Status};

/// The signed distance of two cores, in A's frame, metres.
#[derive(Debug, Clone, Copy)]
pub struct Answer {
    /// The features.
    pub features: FeaturePair,
    /// Unit, from A to B.
    pub normal: Vec3<f64>,
    /// Signed distance.
    pub distance: f64,
    /// Point on A's core.
    pub point_a: Vec3<f64>,
    /// Proven lower end; NaN where there is none.
    pub lower: f64,
    /// Proven upper end; NaN where there is none.
    pub upper: f64,
    /// Class of proof.
    pub method: Method,
}

impl Answer {
    /// The answer of a certificate.
    #[inline(always)]
    pub fn certified(s: &Certificate) -> Self {
        let (lower, upper) = s.bracket();
        Self {
            features: s.features,
            normal: s.closest.normal,
            distance: s.closest.distance,
            point_a: s.closest.point_a,
            lower,
            upper,
            method: s.kind.method(),
        }
    }

    /// An answer in double-double, its bracket rounded outward.
    pub fn wide(features: &FeaturePair, closest: &Closest<Dd>, lower: Dd, upper: Dd) -> Self {
        Self {
            features: *features,
            normal: closest.normal.to_f64(),
            distance: closest.distance.to_f64(),
            point_a: closest.point_a.to_f64(),
            lower: lower.to_f64().next_down(),
            upper: upper.to_f64().next_up(),
            method: Method::Exact,
        }
    }

    /// Returns the answer with a bracket wider by `by` metres at each end, rounded outward.
    pub fn opened(self, by: f64) -> Self {
        if by == 0.0 {
            return self;
        }
        Self { lower: (self.lower - by).next_down(), upper: (self.upper + by).next_up(), ..self }
    }

    /// No proof: what a search found last (`nearest`: from B's point to A's), marked as such.
    pub fn uncertified(pair: &Pair<'_, f64>, nearest: Vec3<f64>) -> Self {
        let n = -nearest.normalized();
        let normal = if n.is_finite() { n } else { Vec3::new(f64::NAN, f64::NAN, f64::NAN) };
        Self {
            features: FeaturePair { a: Feature::vertex(0), b: Feature::vertex(0) },
            normal,
            distance: if normal.is_finite() { nearest.length() } else { f64::NAN },
            point_a: pair.a.vertex(0),
            lower: f64::NAN,
            upper: f64::NAN,
            method: Method::None,
        }
    }

    /// Returns the numbers that growth changes.
    #[inline(always)]
    pub fn numbers(&self) -> Numbers<f64> {
        let Self { normal, distance, point_a, lower, upper, .. } = *self;
        Numbers { normal, distance, point_a, lower, upper }
    }

    /// The answer about the inflated bodies, with published feature numbers.
    #[inline(always)]
    pub fn inflated(
        &self,
        (a, ra): (&Polyhedron, f64),
        (b, rb): (&Polyhedron, f64),
        size: f64,
        options: &QueryOptions,
    ) -> Proximity {
        self.numbers().inflated([ra, rb], size).row(&self.features.published([a, b]), self.method, options)
    }
}

/// The numbers of an answer about cores.
#[derive(Debug, Clone, Copy)]
pub struct Numbers<T> {
    /// Unit, from A to B.
    pub normal: Vec3<T>,
    /// Signed distance, metres.
    pub distance: T,
    /// Point on A's core.
    pub point_a: Vec3<T>,
    /// Proven lower end, metres.
    pub lower: T,
    /// Proven upper end, metres.
    pub upper: T,
}

/// The numbers of an answer about inflated bodies.
#[derive(Debug, Clone, Copy)]
pub struct Inflated<T> {
    /// Unit, from A to B.
    pub normal: Vec3<T>,
    /// Signed distance, metres.
    pub distance: T,
    /// Point on A.
    pub point_a: Vec3<T>,
    /// `point_a + distance * normal`: on B.
    pub point_b: Vec3<T>,
    /// Proven lower end, metres.
    pub lower: T,
    /// Proven upper end, metres.
    pub upper: T,
}

impl<T: Scalar> Numbers<T> {
    /// Returns the numbers of the cores inflated by these radii (metres). `size`: of the pair of
    /// bodies, metres.
    #[inline(always)]
    pub fn inflated(&self, [ra, rb]: [f64; 2], size: T) -> Inflated<T> {
        let radii = T::from_f64(ra + rb);
        let n = self.normal;
        let distance = self.distance - radii;
        let point_a = self.point_a + n.scale(T::from_f64(ra));
        // The subtraction rounds: the bracket opens by as much.
        let slack = if ra + rb == 0.0 { T::zero() } else { T::from_f64(f64::EPSILON) * size };
        let (lower, upper) = (self.lower - radii - slack, self.upper - radii + slack);
        Inflated { normal: n, distance, point_a, point_b: point_a + n.scale(distance), lower, upper }
    }
}

impl Inflated<f64> {
    /// The row, of sample 0.
    #[inline(always)]
    pub fn row(&self, features: &Published, method: Method, options: &QueryOptions) -> Proximity {
        Proximity {
            sample: 0,
            status: status(self.lower, self.upper, options),
            method,
            feature_kind: features.kind,
            feature: features.number,
            part: [0, 0],
            distance: self.distance,
            lower: self.lower,
            upper: self.upper,
            point_a: self.point_a,
            point_b: self.point_b,
            normal: self.normal,
            protrusion: f64::NAN,
        }
    }
}

/// A row with this bracket, and its status: a winding number that says inside stands whatever the
/// bracket.
pub(super) fn with_bracket(row: Proximity, [lower, upper]: [f64; 2], options: &QueryOptions) -> Proximity {
    let status = if row.method == Method::Winding { row.status } else { status(lower, upper, options) };
    Proximity { lower, upper, status, ..row }
}

/// The status of a bracket: FORMATS.md, `[query] touch`.
#[inline(always)]
pub fn status(lower: f64, upper: f64, options: &QueryOptions) -> Status {
    if lower.is_nan() || upper.is_nan() {
        Status::Uncertified
    } else if lower > options.touch {
        Status::Separated
    } else if upper < -options.touch {
        Status::Penetrating
    } else {
        Status::Touching
    }
}
