//! Extended precision for cores apart: the nearest point of the Minkowski difference is unique, but
//! several feature pairs may carry it.

use super::prefilter::Prefilter;
use crate::answer::Answer;
use crate::certificate::{self, Certificate};
use crate::closest_points::closest_points;
use crate::feature::FeaturePair;
use crate::gjk::GjkResult;
use crate::pair::Pair;
use crate::support_planes::SupportPlanes;
use clearsweep_geometry::{Dd, Real, Scalar};
use clearsweep_model::Method;

/// The widest bracket that the first and the second attempt accept, in sizes of the pair: the
/// accuracy of double-double, and half of the promised width.
const WIDTHS: [f64; 2] = [8e-25, 5e-13];

/// Most candidates that are tried: a limit for degenerate input.
const CANDIDATES: usize = 200_000;

/// The answer by the tie rule, if a feature pair is proven apart. `off`: pose error, metres.
pub(super) fn resolve(pair: &Pair<'_, f64>, wide: &Pair<'_, Dd>, found: &GjkResult<Dd>, off: f64) -> Option<Answer> {
    let length = found.point.length().to_f64();
    let n = -found.point.to_f64().normalized();
    if !n.is_finite() {
        return None;
    }
    // The direction of the search is accurate to about the square root of its rounding.
    let tolerance = pair.size * (1e-13 + 4e-15 * (pair.size / length).sqrt().min(1e6));
    let planes = SupportPlanes::new(pair, n, tolerance);
    let prefilter = Prefilter::new(pair, &planes, length);
    for width in WIDTHS {
        let candidates = (0..6).flat_map(|kinds| prefilter.candidates(&planes, kinds)).take(CANDIDATES);
        let mut proven = candidates.filter_map(|(f, kept)| kept.then(|| prove(wide, &f, width * pair.size)).flatten());
        let Some(mut answer) = proven.next() else { continue };
        // What `f64` can prove by itself is answered in `f64` on every route.
        if let Some(strict) = certificate::local(pair, &answer.features).filter(Certificate::in_contact_band) {
            return Some(Answer::certified(&strict));
        }
        if !planes.is_single() && proven.next().is_some() {
            answer.method = Method::Tie;
        }
        return Some(answer.opened(off));
    }
    None
}

/// The answer of a feature pair in double-double, if its bracket is narrow enough.
fn prove(wide: &Pair<'_, Dd>, features: &FeaturePair, width: f64) -> Option<Answer> {
    let closest = closest_points(wide, features)?;
    let bound = wide.bound();
    if closest.distance <= Dd::ZERO || closest.interior.to_f64() < -16.0 * bound {
        return None;
    }
    if closest.residual.to_f64() > width {
        return None;
    }
    let gap = wide.gap(closest.normal);
    let upper = closest.distance + closest.residual + Dd::from_f64(32.0 * bound);
    let lower = gap - Dd::from_f64(bound);
    ((upper - lower).to_f64() <= width).then(|| Answer::wide(features, &closest, lower, upper))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Whether a feature pair would be proven in either attempt.
    pub(in super::super) fn may_count(wide: &Pair<'_, Dd>, features: &FeaturePair) -> bool {
        WIDTHS.iter().any(|width| prove(wide, features, width * wide.size).is_some())
    }
}
