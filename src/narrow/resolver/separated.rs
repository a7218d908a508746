//! Cores apart: the nearest point of the Minkowski difference is unique, but several feature pairs may carry it.

use super::directions::{features_on_plane, near_plane};
use crate::geometry::{Dd, Real};
use crate::narrow::answer::Answer;
use crate::narrow::feature::{Feature, FeaturePair};
use crate::narrow::finisher::finish;
use crate::narrow::gjk::Found;
use crate::narrow::pair::Pair;
use crate::narrow::proximity::Method;
use crate::narrow::strict::{self, Strict};

/// Brackets as wide as this share of the size are accepted in the first and in the second attempt: optimal to the
/// accuracy of double-double, and what is promised (half of it).
const WIDTHS: [f64; 2] = [8e-25, 5e-13];

/// Candidates tried at most: a limit on everything.
const CANDIDATES: usize = 200_000;

/// The answer by the tie rule; `None` where no feature pair is apart and proven.
pub(super) fn resolve(pair: &Pair<'_, f64>, wide: &Pair<'_, Dd>, found: &Found<Dd>) -> Option<Answer> {
    let length = found.point.length().to_f64();
    let n = -found.point.to_f64().normalized();
    if !n.is_finite() {
        return None;
    }
    // The search fixes the direction to about the square root of its own rounding.
    let tolerance = pair.size * (1e-13 + 4e-15 * (pair.size / length).sqrt().min(1e6));
    let on_a = near_plane(pair.a, n, tolerance);
    let on_b = near_plane(pair.b, -pair.pose.inverse_vector(n), tolerance);
    let candidates = in_tie_order(pair, &on_a, &on_b);
    for width in WIDTHS {
        let mut proven = candidates.iter().filter_map(|f| prove(wide, f, width * pair.size));
        let Some(mut answer) = proven.next() else { continue };
        // What f64 can prove by itself is answered in f64 on every way.
        if let Some(strict) = strict::local(pair, &answer.features).filter(Strict::in_contact_band) {
            return Some(Answer::strict(&strict));
        }
        if on_a.len() + on_b.len() > 2 && proven.next().is_some() {
            answer.method = Method::Tie;
        }
        return Some(answer);
    }
    None
}

/// Feature pairs among the features near the supporting planes: FV, VF, EE, EV, VE, VV, lowest indices first.
fn in_tie_order(pair: &Pair<'_, f64>, on_a: &[u32], on_b: &[u32]) -> Vec<FeaturePair> {
    let (edges_a, faces_a) = features_on_plane(pair.a, on_a);
    let (edges_b, faces_b) = features_on_plane(pair.b, on_b);
    let mut out = Vec::new();
    let mut cross = |of_a: &[u32], kind_a: fn(u32) -> Feature, of_b: &[u32], kind_b: fn(u32) -> Feature| {
        for &i in of_a {
            for &j in of_b {
                if out.len() < CANDIDATES {
                    out.push(FeaturePair { a: kind_a(i), b: kind_b(j) });
                }
            }
        }
    };
    cross(&faces_a, Feature::face, on_b, Feature::vertex);
    cross(on_a, Feature::vertex, &faces_b, Feature::face);
    cross(&edges_a, Feature::edge, &edges_b, Feature::edge);
    cross(&edges_a, Feature::edge, on_b, Feature::vertex);
    cross(on_a, Feature::vertex, &edges_b, Feature::edge);
    cross(on_a, Feature::vertex, on_b, Feature::vertex);
    out
}

/// The answer of a feature pair in double-double, if its bracket is narrow enough.
fn prove(wide: &Pair<'_, Dd>, features: &FeaturePair, width: f64) -> Option<Answer> {
    let closest = finish(wide, features)?;
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
