//! Ties that `f64` can decide: parallel faces and edges, equal depths, faces that are coplanar up
//! to rounding.
//!
//! Feature pairs are tried in the order of the published rule. Each is either accepted (its closest
//! points lie inside their features by more than rounding, and its bracket is as narrow as
//! promised) or certainly rejected. If one is neither, extended precision decides.

use super::closest_sets::{self, ClosestSets};
use super::directions::{DirectionOrigin, PARALLEL};
use super::overlap::EQUAL;
use super::prefilter::Prefilter;
use crate::answer::Answer;
use crate::certificate::{self, Certificate, Claim};
use crate::closest_points::{Closest, closest_points};
use crate::epa::{self, Polytope};
use crate::feature::FeatureKind::{Edge, Face};
use crate::feature::{Feature, FeaturePair};
use crate::gjk::GjkResult;
use crate::pair::{Pair, VertexPair};
use crate::parallel_features;
use crate::parallel_features::equal_depths::EqualDepths;
use crate::solve_outcome::PROMISE;
use crate::support_planes::SupportPlanes;
use clearsweep_geometry::{Polyhedron, Vec3};

/// Most feature pairs that are tried; more are left to extended precision.
const CANDIDATES: usize = 4096;

/// Distances and depths below this many bounds E are left to extended precision: their sign is
/// undecided.
const CONTACT: f64 = 64.0;

/// Distance from the plane of a nearest triangle, in bounds E, up to which features and facets are
/// tried.
const NEAR_FACET: f64 = 16.0;

/// Most pairs of edges that are tried for the facet of a triangle.
const EDGES: usize = 64;

/// Gap of supporting planes, in bounds E, up to which a face may be the one that cores in contact
/// touch along.
const CONTACT_GAP: f64 = 2.0 * CONTACT;

/// Whether the closest points of a feature pair lie inside their features.
enum Interior {
    Yes,
    No,
    /// Within rounding of the boundary.
    Undecided,
}

fn inside(closest: &Closest<f64>, bound: f64) -> Interior {
    let margin = 4.0 * bound * closest.amplification;
    if closest.interior > margin {
        Interior::Yes
    } else if closest.interior < -margin {
        Interior::No
    } else {
        Interior::Undecided
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
        method: clearsweep_model::Method::Tie,
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
    // If there are many closest points, the direction is known only as well as the rounding of the
    // distance allows.
    let wide = pair.size * (1e-12 + 2.0 * ((duality + 2.0 * bound) / length).sqrt());
    let near = SupportPlanes::new(pair, n, wide);
    if let Some(answer) = parallel_features::directions(pair, &near).find_map(|n| closest_sets::strict(pair, n)) {
        return Some(answer);
    }
    let planes = SupportPlanes::new(pair, n, tolerance);
    // The search may be wrong about nearly parallel features: cores that overlap are left to a
    // proof of their depth.
    let sets = |n: Vec3<f64>| ClosestSets::new(pair, n).filter(|sets| sets.needs_no_depth(pair));
    let met = parallel_features::directions(pair, &near).find_map(|n| sets(n)?.answer(pair, None));
    let planes = if met.is_some() { near } else { planes };
    if planes.pair_count() > CANDIDATES {
        return None;
    }
    let prefilter = Prefilter::new(pair, &planes, length);
    let candidates = (0..6).flat_map(|kinds| prefilter.candidates(&planes, kinds)).filter(|f| f.1).map(|f| f.0);
    match met {
        Some(answer) => unique(pair, candidates).or(Some(answer)),
        None => first_accepted(pair, candidates),
    }
}

/// The answer of a unique feature pair, if there is one among these: it is the answer on every
/// other route.
fn unique(pair: &Pair<'_, f64>, mut candidates: impl Iterator<Item = FeaturePair>) -> Option<Answer> {
    let strict = candidates.find_map(|f| certificate::local(pair, &f).filter(Certificate::in_contact_band))?;
    Some(Answer::certified(&strict))
}

/// The answer about cores in contact, of which `simplex` spans a point of the Minkowski difference
/// that is the origin up to rounding, by the faces around: of those that alone touch the other
/// core, or else of the one that the rule prefers.
pub(super) fn contact(pair: &Pair<'_, f64>, simplex: &[VertexPair]) -> Option<Answer> {
    let around = |p: &Polyhedron, side: usize| {
        let mut faces: Vec<u32> = simplex.iter().flat_map(|pair| p.faces_of(pair[side])).collect();
        faces.sort_unstable();
        faces.dedup();
        faces
    };
    let directions = parallel_features::face_directions(pair, [&around(pair.a, 0), &around(pair.b, 1)]);
    let band = CONTACT_GAP * pair.bound();
    let gaps = directions.into_iter().map(|n| (n, pair.gap(n).abs()));
    let touching: Vec<(Vec3<f64>, f64)> = gaps.filter(|&(_, gap)| gap <= band).collect();
    let faces = touching.iter().filter(|(n, _)| !is_across_contact(pair, *n, &touching));
    if let Some(answer) = faces.filter_map(|&(n, _)| closest_sets::strict(pair, n)).next() {
        return Some(answer);
    }
    let mut touching: Vec<Vec3<f64>> = touching.into_iter().map(|(n, _)| n).collect();
    // If cores overlap by more, a proof of the depth decides.
    let is_proven = |sets: &ClosestSets| sets.needs_no_depth(pair) && sets.answer(pair, None).is_some();
    let sets = loop {
        let preferred = touching.remove(closest_sets::preferred(pair, touching.iter().copied())?);
        if let Some(sets) = ClosestSets::new(pair, preferred).filter(is_proven) {
            break sets;
        }
    };
    if sets.is_contact(pair) {
        return sets.answer(pair, None);
    }
    let planes = SupportPlanes::new(pair, sets.normal, CONTACT * pair.bound());
    unique(pair, (0..6).flat_map(|kinds| planes.candidates(kinds))).or_else(|| sets.answer(pair, None))
}

/// Whether cores that touch along the unit vector `n` touch along another one, too, so that no
/// certificate along `n` holds.
///
/// Both bodies then lie on either side of a plane that is tilted against the one along `n` by at
/// least 30 degrees. A point that both have in common is no deeper in a face on the plane along `n`
/// than twice the other gap, and rounding. Less than 32 bounds E for the sum of both depths make
/// the margin of a certificate larger than the bodies (`TILT` in `parallel_features/closest.rs`).
fn is_across_contact(pair: &Pair<'_, f64>, n: Vec3<f64>, touching: &[(Vec3<f64>, f64)]) -> bool {
    const COSINE: f64 = 0.866;
    const GAP: f64 = 4.0;
    touching.iter().any(|&(other, gap)| gap <= GAP * pair.bound() && n.dot(other).abs() <= COSINE)
}

/// The answer of the first accepted feature pair; `None` if a pair is in contact or undecided by
/// rounding.
fn first_accepted(pair: &Pair<'_, f64>, candidates: impl Iterator<Item = FeaturePair>) -> Option<Answer> {
    let bound = pair.bound();
    let mut tie = None;
    for features in candidates {
        let Some(closest) = closest_points(pair, &features) else { continue };
        let inside = inside(&closest, bound);
        if matches!(inside, Interior::No) || closest.distance < -CONTACT * bound {
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
        let holds = matches!(inside, Interior::Yes) && closest.residual <= bound;
        tie.get_or_insert_with(|| holds.then(|| answer(&features, &closest, lower, upper)));
    }
    tie.flatten()
}

/// Bounds of the nearest facet that a polytope proves.
struct Nearest {
    /// Its gap, metres: minus the depth up to rounding.
    gap: f64,
    /// The depth is less than minus the gap by that at most, rounding included, metres.
    slack: f64,
}

/// By how much, in bounds E, the triangles of a polytope may be nearer than the facets that they
/// lie in: as a rule, and where triangles are slivers.
const SLACKS: [f64; 2] = [0.5, 8.0];

/// Cosine of the angle of two directions below which they are not the same up to rounding.
const SAME: f64 = 1.0 - 1e-9;

/// Whether a facet of another direction is as near, to within a `bound` E (metres). The ray from
/// the origin along that direction leaves the difference too near for a certificate, and not
/// through the plane of the facet, which it would meet farther out.
fn has_rival(facets: &[TiedFacet], facet: &TiedFacet, bound: f64) -> bool {
    let depth = -facet.gap;
    let cosine = SAME.min(depth / (depth + 8.0 * bound));
    facets.iter().any(|other| other.normal.dot(facet.normal) < cosine && other.gap >= facet.gap - bound)
}

/// A facet of the Minkowski difference.
struct TiedFacet {
    triangle: [VertexPair; 3],
    origin: DirectionOrigin,
    normal: Vec3<f64>,
    gap: f64,
}

/// The answer for cores that overlap, from a polytope around the origin. Expanded until every
/// triangle that may be nearest is a facet of the difference, it proves the depth, and these facets
/// are the ties. `None` leaves it to extended precision.
pub(super) fn overlapping(pair: &Pair<'_, f64>, polytope: &mut Polytope) -> Option<Answer> {
    let bound = pair.bound();
    let mut facets = Vec::new();
    let triangles = epa::nearest_facets(pair, polytope, 4.0 * bound)?;
    for triangle in &triangles {
        let found = facets_of(pair, triangle);
        if found.is_empty() {
            return None;
        }
        for facet in found {
            if facets.iter().all(|f: &TiedFacet| f.origin != facet.origin) {
                facets.push(facet);
            }
        }
    }
    let best = facets.iter().map(|f| f.gap).reduce(f64::max)?;
    if -best < CONTACT * bound {
        let spanned: Vec<VertexPair> = triangles.into_iter().flatten().collect();
        return contact(pair, &spanned);
    }
    let proves = |slack: f64| {
        let depth = -best - slack * bound;
        polytope.proves(&Claim { facet: depth, others: depth }, |_| true)
    };
    let slack = SLACKS.into_iter().find(|&slack| proves(slack))?;
    let nearest = Nearest { gap: best, slack: (slack + 1.0) * bound };
    facets.retain(|f| f.gap >= best - EQUAL * bound);
    facets.sort_by_key(|f| f.origin);
    if let Some(depths) = EqualDepths::along(pair, facets.iter().map(|facet| facet.normal)) {
        let answer = Answer::certified(&depths.preferred);
        let upper = best.max(answer.distance) + nearest.slack;
        // Else the surface of another route may prove it.
        return (upper <= answer.upper).then_some(answer);
    }
    // The rule prefers one of other equal depths. No certificate holds for any of them.
    let are_rivals = facets.iter().all(|facet| has_rival(&facets, facet, bound));
    if are_rivals && let Some(answer) = preferred_sets(pair, &facets, &nearest, ClosestSets::new) {
        return Some(answer);
    }
    if let Some(tie) = facets.iter().find_map(|facet| parallel_features::near(pair, facet.normal)) {
        if epa::proves_depth(pair, polytope, &tie) {
            return Some(Answer::certified(&tie));
        }
        // Without another facet as near, the surface of another route may prove it.
        if facets.iter().all(|facet| epa::is_of_facet([pair.a, pair.b], &tie.features, &facet.triangle)) {
            return None;
        }
    }
    let planes: Vec<SupportPlanes> = facets.iter().map(|f| SupportPlanes::new(pair, f.normal, 4.0 * bound)).collect();
    let mut tie = None;
    for kinds in 0..3 {
        for (facet, plane) in facets.iter().zip(&planes) {
            for features in plane.candidates(kinds) {
                // A pair that may be strict on another route is left to the complete list of
                // directions. No surface proves it where another direction is as good.
                if !has_rival(&facets, facet, bound) && certificate::local(pair, &features).is_some() {
                    return None;
                }
                if tie.is_none() {
                    tie = accept(pair, &features, facet, &nearest);
                }
            }
        }
    }
    let parallel = preferred_sets(pair, &facets, &nearest, ClosestSets::new);
    parallel.or(tie.flatten()).or_else(|| preferred_sets(pair, &facets, &nearest, ClosestSets::of_any))
}

/// The answer of overlapping cores by the facet that the rule prefers, if its sets of closest
/// points are such as `sets` takes.
fn preferred_sets<'a>(
    pair: &Pair<'a, f64>,
    facets: &[TiedFacet],
    nearest: &Nearest,
    sets: fn(&Pair<'a, f64>, Vec3<f64>) -> Option<ClosestSets>,
) -> Option<Answer> {
    let preferred = &facets[closest_sets::preferred(pair, facets.iter().map(|f| f.normal))?];
    let sets = sets(pair, preferred.normal)?;
    let upper = nearest.gap.max(sets.gap) + sets.residual + nearest.slack;
    sets.answer(pair, Some(upper))
}

/// Whether a feature pair carries witness points of a facet: `None` if it does not, `Some(None)` if
/// rounding leaves it undecided, else its answer.
fn accept(
    pair: &Pair<'_, f64>,
    features: &FeaturePair,
    facet: &TiedFacet,
    nearest: &Nearest,
) -> Option<Option<Answer>> {
    let bound = pair.bound();
    let closest = closest_points(pair, features).filter(|c| c.normal.dot(facet.normal) > 0.5)?;
    let gap = pair.gap(closest.normal);
    // Rejects features that do not reach both supporting planes, and those of another facet.
    if closest.distance - gap > bound || (gap - facet.gap).abs() > 4.0 * bound {
        return None;
    }
    match inside(&closest, bound) {
        Interior::No => return None,
        Interior::Undecided => return Some(None),
        Interior::Yes => {}
    }
    let lower = gap - bound;
    let upper = nearest.gap.max(closest.distance) + closest.residual + nearest.slack;
    let proven = closest.residual <= bound && upper - lower <= PROMISE * pair.size;
    Some(proven.then(|| answer(features, &closest, lower, upper)))
}

/// The facets that a triangle of the Minkowski difference may lie in: that of its vertices, or
/// where these are of several features that are coplanar or collinear but for rounding, those near
/// its plane.
fn facets_of(pair: &Pair<'_, f64>, triangle: &[VertexPair; 3]) -> Vec<TiedFacet> {
    let [p, q, r] = triangle.map(|vertex| pair.difference(vertex));
    let across = (q - p).cross(r - p).normalized();
    let normal = if across.dot(p) < 0.0 { -across } else { across };
    let level = NEAR_FACET * pair.bound();
    let is_near = |facet: &TiedFacet| (facet.gap + normal.dot(p)).abs() <= level;
    if let Some(facet) = facet_of(pair, triangle).filter(is_near) {
        return vec![facet];
    }
    let planes = SupportPlanes::new(pair, normal, level);
    let facet = |origin: DirectionOrigin, normal: Vec3<f64>| TiedFacet {
        triangle: *triangle,
        origin,
        normal,
        gap: pair.gap(normal),
    };
    let [of_a, of_b] = planes.faces();
    let of_a = of_a.iter().map(|&f| facet(DirectionOrigin::FaceA(f), pair.a.normals[f as usize]));
    let of_b = of_b.iter().map(|&f| facet(DirectionOrigin::FaceB(f), -pair.pose.vector(pair.b.normals[f as usize])));
    let of_edges = planes.candidates(2).take(EDGES).filter_map(|features| {
        let closest = closest_points(pair, &features)?;
        Some(facet(DirectionOrigin::Edges(features.a.index, features.b.index, false), closest.normal))
    });
    of_a.chain(of_b).chain(of_edges).filter(is_near).collect()
}

/// The facet that a triangle of the Minkowski difference lies in, with the direction of its
/// features.
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
    // Edges this close to parallel determine no direction; extended precision leaves their facet
    // out, and bounds what that costs.
    (closest.amplification * PARALLEL < 1e-6).then(|| TiedFacet {
        triangle: *triangle,
        origin,
        normal: closest.normal,
        gap: pair.gap(closest.normal),
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::gjk::{self, Simplex};

    /// The distance that GJK finds, metres.
    pub(in super::super) fn distance(pair: &Pair<'_, f64>) -> f64 {
        gjk::search(pair, &Simplex::default(), f64::INFINITY).point.length()
    }

    /// Whether [`first_accepted`] would do anything but skip a feature pair.
    pub(in super::super) fn may_count(pair: &Pair<'_, f64>, features: &FeaturePair) -> bool {
        let bound = pair.bound();
        let Some(closest) = closest_points(pair, features) else { return false };
        if matches!(inside(&closest, bound), Interior::No) || closest.distance < -CONTACT * bound {
            return false;
        }
        let width = closest.distance + closest.residual + bound - (pair.gap(closest.normal) - bound);
        closest.distance <= CONTACT * bound || width <= PROMISE * pair.size
    }
}
