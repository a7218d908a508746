//! Strictness: when an answer reached by any way may be accepted, because the optimum is unique.
//!
//! Every optimality test must hold by more than twice its rounding bound: the closest points lie inside their
//! features, and of all vertices of both bodies only those of the features reach the supporting planes. Then no other
//! feature pair is optimal, every correct method ends here, and the row is a function of the pose alone.

use super::epa::Claim;
use super::feature::FeaturePair;
use super::finisher::{Closest, finish};
use super::pair::Pair;
use super::scan;

/// A feature pair that is optimal, with its proof in `f64`.
#[derive(Debug, Clone, Copy)]
pub struct Strict {
    /// The features.
    pub features: FeaturePair,
    /// Their closest points.
    pub closest: Closest<f64>,
    /// The gap of the supporting planes over all vertices: the signed distance of the cores less rounding.
    pub gap: f64,
    /// By how much other vertices stay off the planes, at least (metres): the rounding of the direction.
    pub margin: f64,
    /// The pair's rounding bound E.
    pub bound: f64,
}

/// Contact band, in bounds E: cores that overlap by less are no case for a proof of depth. The sign of their distance is
/// open in `f64`, and [`local`] leaves them to extended precision.
const BAND: f64 = 8.0;

impl Strict {
    /// Whether the cores do not overlap by more than a few rounding bounds: of what [`local`] accepts, whether they are
    /// apart.
    #[inline]
    pub fn in_contact_band(&self) -> bool {
        self.closest.distance >= -BAND * self.bound
    }

    /// Proven bounds of the signed distance of the cores, metres.
    #[inline]
    pub fn bracket(&self) -> (f64, f64) {
        let d = self.closest.distance;
        let upper = if self.in_contact_band() { d.abs() } else { d };
        (self.gap - self.bound, upper + self.closest.residual + self.bound)
    }
}

/// The answer of a feature pair if it is strictly optimal *locally*: enough where the cores are apart or in contact;
/// where they overlap, the depth is still to be proven ([`claim`]).
#[inline]
pub fn local(pair: &Pair<'_, f64>, features: &FeaturePair) -> Option<Strict> {
    let closest = finish(pair, features)?;
    let bound = pair.bound();
    let margin = 4.0 * bound * closest.amplification;
    if !(closest.interior > margin && closest.residual <= bound) {
        return None;
    }
    let n = closest.normal;
    let m = -pair.pose.inverse_vector(n);
    // The features' own vertices lie on the supporting planes, and no other vertex comes near them.
    let at_a = n.dot(pair.a.vertex(features.a.first_vertex(pair.a)));
    let (max_a, near_a) = scan::max_and_count(pair.a, n, at_a - margin);
    if near_a != features.a.vertex_count(pair.a) || max_a - at_a > bound {
        return None;
    }
    let at_b = m.dot(pair.b.vertex(features.b.first_vertex(pair.b)));
    let (max_b, near_b) = scan::max_and_count(pair.b, m, at_b - margin);
    let gap = n.dot(pair.pose.t) - max_b - max_a;
    if near_b != features.b.vertex_count(pair.b) || max_b - at_b > bound || (gap - closest.distance).abs() > bound {
        return None;
    }
    let answer = Strict { features: *features, closest, gap, margin, bound };
    // In contact the sign of the distance is open, and a second facet behind a body too thin to tell may be as near.
    if answer.in_contact_band() && closest.distance <= 4.0 * bound {
        return None;
    }
    Some(answer)
}

/// What a surface around the origin must prove for the depth of a locally strict answer, and that it is the only one.
pub fn claim(answer: &Strict) -> Claim {
    let depth = -answer.closest.distance;
    Claim { facet: depth - 0.25 * answer.bound, others: depth + answer.margin }
}
