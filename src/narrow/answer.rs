//! The answer about two cores, before their growth: with its proof, or without.

use super::feature::{Feature, FeaturePair};
use super::finisher::Closest;
use super::pair::Pair;
use super::proximity::{Method, Proximity, Status};
use super::strict::Strict;
use crate::geometry::{Dd, Polyhedron, Real, Vec3};
use crate::scene::QueryOptions;

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
    /// A strict answer.
    #[inline(always)]
    pub fn strict(s: &Strict) -> Self {
        let (lower, upper) = s.bracket();
        Self {
            features: s.features,
            normal: s.closest.normal,
            distance: s.closest.distance,
            point_a: s.closest.point_a,
            lower,
            upper,
            method: Method::Strict,
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

    /// The answer about the grown bodies, with published feature numbers.
    #[inline(always)]
    pub fn grown(
        &self,
        (a, ra): (&Polyhedron, f64),
        (b, rb): (&Polyhedron, f64),
        size: f64,
        options: &QueryOptions,
    ) -> Proximity {
        let radii = ra + rb;
        let n = self.normal;
        let distance = self.distance - radii;
        let point_a = self.point_a + n.scale(ra);
        // The subtraction rounds: the bracket opens by as much.
        let slack = if radii == 0.0 { 0.0 } else { f64::EPSILON * size };
        let (lower, upper) = (self.lower - radii - slack, self.upper - radii + slack);
        Proximity {
            sample: 0,
            status: status(lower, upper, options),
            method: self.method,
            feature_kind: [self.features.a.kind, self.features.b.kind],
            feature: [self.features.a.published(a), self.features.b.published(b)],
            part: [0, 0],
            distance,
            lower,
            upper,
            point_a,
            point_b: point_a + n.scale(distance),
            normal: n,
        }
    }
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
