//! Strictness: when an answer reached by any way may be accepted, because the optimum is unique.
//!
//! Every optimality test must hold by more than twice its rounding bound: the closest points lie inside their
//! features, and of all vertices of both bodies only those of the features reach the supporting planes. Then no other
//! feature pair is optimal, every correct method ends here, and the row is a function of the pose alone.

mod clear;
pub(in crate::narrow) mod columns;
#[cfg(test)]
pub(in crate::narrow) mod draw;
mod kinds;
pub mod lanes;
pub mod many;
mod supports;

use super::epa::Claim;
use super::feature::{Feature, FeaturePair};
use super::finisher::{Closest, finish};
use super::pair::Pair;
use super::proximity::FeatureKind;
use super::support;
use crate::geometry::{Polyhedron, Vec3};

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

/// Cores nearer than so many bounds E, apart or overlapping by less than [`BAND`], are left to extended precision.
const CONTACT: f64 = 4.0;

/// How far, metres, other features must stay away: four bounds, times what the direction's error is amplified by.
#[inline(always)]
fn margin(bound: f64, amplification: f64) -> f64 {
    4.0 * bound * amplification
}

impl Strict {
    /// Whether the cores do not overlap by more than a few rounding bounds: of what [`local`] accepts, whether they are
    /// apart.
    #[inline(always)]
    pub fn in_contact_band(&self) -> bool {
        in_contact_band(self.closest.distance, self.bound)
    }

    /// Proven bounds of the signed distance of the cores, metres.
    #[inline(always)]
    pub fn bracket(&self) -> (f64, f64) {
        bracket(self.closest.distance, self.closest.residual, self.gap, self.bound)
    }
}

/// [`Strict::bracket`] from its parts.
#[inline(always)]
pub fn bracket(distance: f64, residual: f64, gap: f64, bound: f64) -> (f64, f64) {
    let upper = if in_contact_band(distance, bound) { distance.abs() } else { distance };
    (gap - bound, upper + residual + bound)
}

#[inline(always)]
fn in_contact_band(distance: f64, bound: f64) -> bool {
    distance >= -BAND * bound
}

/// The answer of a feature pair if it is strictly optimal *locally*: enough where the cores are apart or in contact;
/// where they overlap, the depth is still to be proven ([`claim`]).
#[inline]
pub fn local(pair: &Pair<'_, f64>, features: &FeaturePair) -> Option<Strict> {
    let closest = finish(pair, features)?;
    let bound = pair.bound();
    let margin = margin(bound, closest.amplification);
    if !(closest.interior > margin && closest.residual <= bound) {
        return None;
    }
    let n = closest.normal;
    let m = -pair.pose.inverse_vector(n);
    let max_a = alone(pair.a, features.a, n, margin, bound)?;
    let max_b = alone(pair.b, features.b, m, margin, bound)?;
    let gap = n.dot(pair.pose.t) - max_b - max_a;
    if (gap - closest.distance).abs() > bound {
        return None;
    }
    let answer = Strict { features: *features, closest, gap, margin, bound };
    // In contact the sign of the distance is open, and a second facet behind a body too thin to tell may be as near.
    if answer.in_contact_band() && closest.distance <= CONTACT * bound {
        return None;
    }
    Some(answer)
}

/// Whether all vertices are looked at, eight at a time, and not only those around the feature: where they are few, and
/// for faces of many sides, which would be searched for each neighbour.
#[inline]
fn scans(p: &Polyhedron, feature: Feature) -> bool {
    const FEW: usize = 24;
    p.count <= FEW || feature.kind == FeatureKind::Face && feature.vertex_count(p).pow(2) > p.count
}

/// The largest `d . v` over all vertices, if only the feature's come within `margin` of it: they lie on the supporting
/// plane to within `bound`, and every other vertex stays below it by more than `margin`.
///
/// The vertices around the feature decide for all, because the body is exactly convex (geometry/hull/check.rs): from
/// any other vertex within `margin` of the plane a path along edges climbs to the top, and it would have to pass one
/// of those (docs/numerics.md, "Strictness").
#[inline]
fn alone(p: &Polyhedron, feature: Feature, d: Vec3<f64>, margin: f64, bound: f64) -> Option<f64> {
    let at = d.dot(p.vertex(feature.first_vertex(p)));
    let least = at - margin;
    let mut few = [0; 2];
    let max = if scans(p, feature) {
        let (max, near) = support::max_and_count(p, d, least);
        let own = feature.vertices(p, &mut few);
        (near == own.len() && own.iter().skip(1).all(|&v| d.dot(p.vertex(v)) >= least)).then_some(max)
    } else {
        let mut max = f64::NEG_INFINITY;
        let mut stands_out = |&v: &u32| {
            let height = d.dot(p.vertex(v));
            max = max.max(height);
            height >= least
                && p.neighbours_of(v).iter().all(|&w| d.dot(p.vertex(w)) < least || feature.has_vertex(p, w))
        };
        feature.vertices(p, &mut few).iter().all(&mut stands_out).then_some(max)
    }?;
    (max - at <= bound).then_some(max)
}

/// What a surface around the origin must prove for the depth of a locally strict answer, and that it is the only one.
pub fn claim(answer: &Strict) -> Claim {
    claimed(answer.closest.distance, answer.bound, answer.margin)
}

#[inline(always)]
fn claimed(distance: f64, bound: f64, margin: f64) -> Claim {
    Claim { facet: -distance - 0.25 * bound, others: -distance + margin }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::hull::convex_hull;

    /// A point of the unit sphere, or one of a coarse lattice (faces of many sides, edges in line).
    fn points(next: &mut impl FnMut() -> f64, sphere: bool) -> Vec<Vec3<f64>> {
        let mut point = || Vec3::new(next(), next(), next());
        let coarse = |v: Vec3<f64>| Vec3::new((2.0 * v.x).round(), (2.0 * v.y).round(), (2.0 * v.z).round());
        (0..120).map(|_| if sphere { point().normalized() } else { coarse(point()) }).collect()
    }

    #[test]
    fn the_vertices_around_a_feature_decide_for_all() {
        let mut state = 11_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        let (mut yes, mut no, mut around) = (0, 0, 0);
        for case in 0..400 {
            let p = convex_hull(&points(&mut next, case % 2 == 0)).expect("finite points");
            // Directions out of each feature, and some that tip over it by about the margin.
            let margin = 1e-3;
            let features = (0..p.count as u32).map(Feature::vertex);
            let features = features.chain((0..p.edges.len() as u32).map(Feature::edge));
            for feature in features.chain((0..p.face_count() as u32).map(Feature::face)) {
                let mut few = [0; 2];
                let own = feature.vertices(&p, &mut few);
                let mean = own.iter().fold(Vec3::ZERO, |sum, &v| sum + p.vertex(v));
                let tip = Vec3::new(next(), next(), next()).scale(if case % 3 == 0 { 0.0 } else { 0.05 });
                let normal = match feature.kind {
                    FeatureKind::Face => p.normals[feature.index as usize],
                    _ => (mean - p.mean.scale(own.len() as f64)).normalized(),
                };
                let d = (normal + tip).normalized();
                let at = d.dot(p.vertex(own[0]));
                let near: Vec<u32> = (0..p.count as u32).filter(|&v| d.dot(p.vertex(v)) >= at - margin).collect();
                let mut sorted = own.to_vec();
                sorted.sort_unstable();
                let found = alone(&p, feature, d, margin, margin);
                let top = near.iter().map(|&v| d.dot(p.vertex(v))).fold(f64::NEG_INFINITY, f64::max);
                assert_eq!(found, (near == sorted && top - at <= margin).then_some(top), "case {case}, {feature:?}");
                around += u32::from(!scans(&p, feature));
                if found.is_some() { yes += 1 } else { no += 1 }
            }
        }
        assert!(yes > 10_000 && no > 10_000 && around > 10_000, "{yes} alone, {no} not, {around} by neighbours");
    }
}
