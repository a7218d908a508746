//! Ties that `f64` can decide: parallel faces and edges, equal depths, faces that are coplanar up to rounding.
//!
//! Feature pairs are tried in the order of the published rule. Each is either accepted (its closest points lie inside
//! their features by more than rounding, and its bracket is as narrow as promised) or certainly rejected. If one is
//! neither, extended precision decides.

use super::directions::{DirectionOrigin, PARALLEL};
use super::prefilter::Prefilter;
use super::support_planes::SupportPlanes;
use crate::geometry::Vec3;
use crate::narrow::answer::Answer;
use crate::narrow::certificate::{self, Claim};
use crate::narrow::closest_points::{Closest, closest_points};
use crate::narrow::epa::{self, Polytope};
use crate::narrow::feature::{Feature, FeaturePair};
use crate::narrow::gjk::GjkResult;
use crate::narrow::pair::{Pair, VertexPair};
use crate::narrow::proximity::FeatureKind::{Edge, Face};
use crate::narrow::rung_outcome::PROMISE;

/// Most feature pairs that are tried; more are left to extended precision.
const CANDIDATES: usize = 4096;

/// Distances and depths below this many bounds E are left to extended precision: their sign is undecided.
const CONTACT: f64 = 64.0;

/// Whether the closest points of a feature pair lie inside their features.
enum Inside {
    Yes,
    No,
    /// Within rounding of the boundary.
    Undecided,
}

fn inside(closest: &Closest<f64>, bound: f64) -> Inside {
    let margin = 4.0 * bound * closest.amplification;
    if closest.interior > margin {
        Inside::Yes
    } else if closest.interior < -margin {
        Inside::No
    } else {
        Inside::Undecided
    }
}

fn answer(features: &FeaturePair, closest: &Closest<f64>, lower: f64, upper: f64) -> Answer {
    Answer {
        features: *features,
        normal: closest.normal,
        distance: closest.distance,
        point_a: closest.point_a,
        lower,
        upper,
        method: crate::narrow::proximity::Method::Tie,
    }
}

/// The answer for cores that GJK found apart; `None` leaves it to extended precision.
pub(super) fn separated(pair: &Pair<'_, f64>, found: &GjkResult<f64>) -> Option<Answer> {
    let bound = pair.bound();
    let length = found.point.length();
    if length.partial_cmp(&(CONTACT * bound)) != Some(std::cmp::Ordering::Greater) {
        return None;
    }
    let n = -found.point.normalized();
    // The duality gap bounds the error of the direction: |v - v*|^2 <= |v|^2 - v.w.
    let duality = (length - pair.gap(n) - 0.125 * bound).max(0.0);
    let tolerance = pair.size * (1e-12 + 2.0 * (duality / length).sqrt());
    let planes = SupportPlanes::new(pair, n, tolerance);
    if planes.pair_count() > CANDIDATES {
        return None;
    }
    let prefilter = Prefilter::new(pair, &planes, length);
    first_accepted(pair, (0..6).flat_map(|kinds| prefilter.candidates(&planes, kinds)).filter(|f| f.1).map(|f| f.0))
}

/// The answer of the first accepted feature pair; `None` if a pair is in contact or undecided by rounding.
fn first_accepted(pair: &Pair<'_, f64>, candidates: impl Iterator<Item = FeaturePair>) -> Option<Answer> {
    let bound = pair.bound();
    let mut tie = None;
    for features in candidates {
        let Some(closest) = closest_points(pair, &features) else { continue };
        let inside = inside(&closest, bound);
        if matches!(inside, Inside::No) || closest.distance < -CONTACT * bound {
            continue;
        }
        if closest.distance <= CONTACT * bound {
            return None;
        }
        let lower = pair.gap(closest.normal) - bound;
        let upper = closest.distance + closest.residual + bound;
        if upper - lower > PROMISE * pair.size {
            continue;
        }
        // A unique optimum that the search missed is answered as on every other route.
        if let Some(strict) = certificate::local(pair, &features) {
            return Some(Answer::certified(&strict));
        }
        let holds = matches!(inside, Inside::Yes) && closest.residual <= bound;
        tie.get_or_insert_with(|| holds.then(|| answer(&features, &closest, lower, upper)));
    }
    tie.flatten()
}

/// A facet of the Minkowski difference.
struct TiedFacet {
    origin: DirectionOrigin,
    normal: Vec3<f64>,
    gap: f64,
}

/// The answer for cores that overlap, from a polytope around the origin. Expanded until every triangle that may be
/// nearest is a facet of the difference, it proves the depth, and these facets are the ties. `None` leaves it to
/// extended precision.
pub(super) fn overlapping(pair: &Pair<'_, f64>, polytope: &mut Polytope) -> Option<Answer> {
    let bound = pair.bound();
    let mut facets = Vec::new();
    for triangle in epa::nearest_facets(pair, polytope, 4.0 * bound)? {
        let facet = facet_of(pair, &triangle)?;
        if facets.iter().all(|f: &TiedFacet| f.origin != facet.origin) {
            facets.push(facet);
        }
    }
    let best = facets.iter().map(|f| f.gap).reduce(f64::max)?;
    let depth = -best - 0.5 * bound;
    if depth < CONTACT * bound || !polytope.proves(&Claim { facet: depth, others: depth }, |_| true) {
        return None;
    }
    facets.retain(|f| f.gap >= best - 2.0 * bound);
    facets.sort_by_key(|f| f.origin);
    let planes: Vec<SupportPlanes> = facets.iter().map(|f| SupportPlanes::new(pair, f.normal, 4.0 * bound)).collect();
    let mut tie = None;
    for kinds in 0..3 {
        for (facet, plane) in facets.iter().zip(&planes) {
            for features in plane.candidates(kinds) {
                // A pair that may be strict on another route is left to the complete list of directions.
                if certificate::local(pair, &features).is_some() {
                    return None;
                }
                if tie.is_none() {
                    tie = accept(pair, &features, facet, best);
                }
            }
        }
    }
    tie.flatten()
}

/// Whether a feature pair carries witness points of a facet: `None` if it does not, `Some(None)` if rounding leaves it
/// undecided, else its answer. `best`: the gap of the nearest facet.
fn accept(pair: &Pair<'_, f64>, features: &FeaturePair, facet: &TiedFacet, best: f64) -> Option<Option<Answer>> {
    let bound = pair.bound();
    let closest = closest_points(pair, features).filter(|c| c.normal.dot(facet.normal) > 0.5)?;
    let gap = pair.gap(closest.normal);
    // Rejects features that do not reach both supporting planes, and those of another facet.
    if closest.distance - gap > bound || (gap - facet.gap).abs() > 4.0 * bound {
        return None;
    }
    match inside(&closest, bound) {
        Inside::No => return None,
        Inside::Undecided => return Some(None),
        Inside::Yes => {}
    }
    let lower = gap - bound;
    let upper = best.max(closest.distance) + closest.residual + 1.5 * bound;
    let proven = closest.residual <= bound && upper - lower <= PROMISE * pair.size;
    Some(proven.then(|| answer(features, &closest, lower, upper)))
}

/// The facet that a triangle of the Minkowski difference lies in, with the direction of its features.
fn facet_of(pair: &Pair<'_, f64>, triangle: &[VertexPair; 3]) -> Option<TiedFacet> {
    let [a, b] = FeaturePair::sides_of_simplex(pair.a, pair.b, triangle)?;
    let (origin, features) = if a.kind == Face {
        (DirectionOrigin::FaceA(a.index), FeaturePair { a, b: Feature::vertex(triangle[0][1]) })
    } else if b.kind == Face {
        (DirectionOrigin::FaceB(b.index), FeaturePair { a: Feature::vertex(triangle[0][0]), b })
    } else if a.kind == Edge && b.kind == Edge {
        (DirectionOrigin::Edges(a.index, b.index, false), FeaturePair { a, b })
    } else {
        return None;
    };
    let closest = closest_points(pair, &features)?;
    // Edges this close to parallel determine no direction; extended precision leaves their facet out, and bounds what
    // that costs.
    (closest.amplification * PARALLEL < 1e-6).then(|| TiedFacet {
        origin,
        normal: closest.normal,
        gap: pair.gap(closest.normal),
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::narrow::gjk::{self, Simplex};

    /// The distance that GJK finds, metres.
    pub(in super::super) fn distance(pair: &Pair<'_, f64>) -> f64 {
        gjk::search(pair, &Simplex::default(), f64::INFINITY).point.length()
    }

    /// Whether [`first_accepted`] would do anything but skip a feature pair.
    pub(in super::super) fn may_count(pair: &Pair<'_, f64>, features: &FeaturePair) -> bool {
        let bound = pair.bound();
        let Some(closest) = closest_points(pair, features) else { return false };
        if matches!(inside(&closest, bound), Inside::No) || closest.distance < -CONTACT * bound {
            return false;
        }
        let width = closest.distance + closest.residual + bound - (pair.gap(closest.normal) - bound);
        closest.distance <= CONTACT * bound || width <= PROMISE * pair.size
    }
}
