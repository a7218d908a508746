//! Ties that `f64` can decide: parallel faces and edges, equal depths, faces that are coplanar but for rounding.
//!
//! Feature pairs are tried in the order of the published rule; each either holds (its closest points lie inside their
//! features by more than rounding, and its bracket is as narrow as promised), or is out for certain. Where one is
//! neither, extended precision decides.

use super::directions::{Origin, PARALLEL};
use super::planes::Plane;
use super::prefilter::Prefilter;
use crate::geometry::Vec3;
use crate::narrow::answer::Answer;
use crate::narrow::certificate;
use crate::narrow::certificate::Claim;
use crate::narrow::closest_points::{Closest, finish};
use crate::narrow::epa::{self, Polytope};
use crate::narrow::feature::{Feature, FeaturePair};
use crate::narrow::gjk::Found;
use crate::narrow::outcome::PROMISE;
use crate::narrow::pair::{Pair, VertexPair};
use crate::narrow::proximity::FeatureKind::{Edge, Face};

/// Feature pairs tried at most; more are left to extended precision.
const CANDIDATES: usize = 4096;

/// Distances and depths below so many bounds E are left to extended precision: the sign is open.
const CONTACT: f64 = 64.0;

/// Whether the closest points of a feature pair lie inside their features.
enum Inside {
    Yes,
    No,
    /// To within rounding.
    Open,
}

fn inside(closest: &Closest<f64>, bound: f64) -> Inside {
    let margin = 4.0 * bound * closest.amplification;
    if closest.interior > margin {
        Inside::Yes
    } else if closest.interior < -margin {
        Inside::No
    } else {
        Inside::Open
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

/// The answer about cores that a search found apart.
pub(super) fn separated(pair: &Pair<'_, f64>, found: &Found<f64>) -> Option<Answer> {
    let bound = pair.bound();
    let length = found.point.length();
    if length.partial_cmp(&(CONTACT * bound)) != Some(std::cmp::Ordering::Greater) {
        return None;
    }
    let n = -found.point.normalized();
    // The duality gap bounds how far the direction is off: |v - v*|^2 <= |v|^2 - v.w.
    let duality = (length - pair.gap(n) - 0.125 * bound).max(0.0);
    let tolerance = pair.size * (1e-12 + 2.0 * (duality / length).sqrt());
    let plane = Plane::new(pair, n, tolerance);
    if plane.count() > CANDIDATES {
        return None;
    }
    let prefilter = Prefilter::new(pair, &plane, length);
    first_that_holds(pair, (0..6).flat_map(|kinds| plane.sieved(&prefilter, kinds)).filter(|f| f.1).map(|f| f.0))
}

/// The answer of the first feature pair that holds, unless one is in contact or rounding leaves it open.
fn first_that_holds(pair: &Pair<'_, f64>, candidates: impl Iterator<Item = FeaturePair>) -> Option<Answer> {
    let bound = pair.bound();
    let mut tie = None;
    for features in candidates {
        let Some(closest) = finish(pair, &features) else { continue };
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
        // A unique optimum that the search missed is answered as on every other way.
        if let Some(strict) = certificate::local(pair, &features) {
            return Some(Answer::strict(&strict));
        }
        let holds = matches!(inside, Inside::Yes) && closest.residual <= bound;
        tie.get_or_insert_with(|| holds.then(|| answer(&features, &closest, lower, upper)));
    }
    tie.flatten()
}

/// A facet of the Minkowski difference.
struct Facet {
    origin: Origin,
    normal: Vec3<f64>,
    gap: f64,
}

/// The answer about cores that overlap, from a polytope around the origin: grown until every triangle that may be
/// nearest is one of the difference's own facets, it proves the depth, and its facets are the ties.
pub(super) fn overlapping(pair: &Pair<'_, f64>, polytope: &mut Polytope) -> Option<Answer> {
    let bound = pair.bound();
    let mut facets = Vec::new();
    for triangle in epa::nearest_facets(pair, polytope, 4.0 * bound)? {
        let facet = facet_of(pair, &triangle)?;
        if facets.iter().all(|f: &Facet| f.origin != facet.origin) {
            facets.push(facet);
        }
    }
    let best = facets.iter().map(|f| f.gap).reduce(f64::max)?;
    let reach = -best - 0.5 * bound;
    if reach < CONTACT * bound || !polytope.proves(&Claim { facet: reach, others: reach }, |_| true) {
        return None;
    }
    facets.retain(|f| f.gap >= best - 2.0 * bound);
    facets.sort_by_key(|f| f.origin);
    let planes: Vec<Plane> = facets.iter().map(|f| Plane::new(pair, f.normal, 4.0 * bound)).collect();
    let mut tie = None;
    for kinds in 0..3 {
        for (facet, plane) in facets.iter().zip(&planes) {
            for features in plane.candidates(kinds) {
                // What may be strict on some other way is for the complete list to decide.
                if certificate::local(pair, &features).is_some() {
                    return None;
                }
                if tie.is_none() {
                    tie = holds(pair, &features, facet, best);
                }
            }
        }
    }
    tie.flatten()
}

/// Whether a feature pair carries witness points of a facet: `None` if it is out, `Some(None)` if rounding leaves it
/// open, else its answer. `best`: the gap of the nearest facet.
fn holds(pair: &Pair<'_, f64>, features: &FeaturePair, facet: &Facet, best: f64) -> Option<Option<Answer>> {
    let bound = pair.bound();
    let closest = finish(pair, features).filter(|c| c.normal.dot(facet.normal) > 0.5)?;
    let gap = pair.gap(closest.normal);
    // Features that do not reach both supporting planes are out, and so are those of another facet.
    if closest.distance - gap > bound || (gap - facet.gap).abs() > 4.0 * bound {
        return None;
    }
    match inside(&closest, bound) {
        Inside::No => return None,
        Inside::Open => return Some(None),
        Inside::Yes => {}
    }
    let lower = gap - bound;
    let upper = best.max(closest.distance) + closest.residual + 1.5 * bound;
    let proven = closest.residual <= bound && upper - lower <= PROMISE * pair.size;
    Some(proven.then(|| answer(features, &closest, lower, upper)))
}

/// The facet in which a triangle of the Minkowski difference lies, with the direction of its features.
fn facet_of(pair: &Pair<'_, f64>, triangle: &[VertexPair; 3]) -> Option<Facet> {
    let [a, b] = FeaturePair::sides_of_simplex(pair.a, pair.b, triangle)?;
    let any = |feature: Feature, kind| feature.kind == kind;
    let (origin, features) = if any(a, Face) {
        (Origin::FaceA(a.index), FeaturePair { a, b: Feature::vertex(triangle[0][1]) })
    } else if any(b, Face) {
        (Origin::FaceB(b.index), FeaturePair { a: Feature::vertex(triangle[0][0]), b })
    } else if any(a, Edge) && any(b, Edge) {
        (Origin::Edges(a.index, b.index, false), FeaturePair { a, b })
    } else {
        return None;
    };
    let closest = finish(pair, &features)?;
    // Edges so close to parallel fix no direction; extended precision leaves their facet out, with its slack.
    (closest.amplification * PARALLEL < 1e-6).then(|| Facet {
        origin,
        normal: closest.normal,
        gap: pair.gap(closest.normal),
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::narrow::gjk::{self, Simplex};

    /// The length of the nearest point that a search finds, metres.
    pub(in super::super) fn distance(pair: &Pair<'_, f64>) -> f64 {
        gjk::search(pair, &Simplex::default(), f64::INFINITY).point.length()
    }

    /// Whether [`first_that_holds`] would do anything but pass a feature pair by.
    pub(in super::super) fn may_count(pair: &Pair<'_, f64>, features: &FeaturePair) -> bool {
        let bound = pair.bound();
        let Some(closest) = finish(pair, features) else { return false };
        if matches!(inside(&closest, bound), Inside::No) || closest.distance < -CONTACT * bound {
            return false;
        }
        let width = closest.distance + closest.residual + bound - (pair.gap(closest.normal) - bound);
        closest.distance <= CONTACT * bound || width <= PROMISE * pair.size
    }
}
