//! The exact rung: the signed distance of two cores in integer arithmetic, for the pairs that no
//! other rung decides.
//!
//! Poses and vertices are rational numbers. So the closest features, equal depths and the sign of
//! the distance are decided by signs of integers, and the distance is the square root of a
//! fraction, rounded outward at the end. There is no tolerance: every valid input has an answer. It
//! takes milliseconds where `f64` takes a microsecond.
//!
//! ```text
//! integer_vec3.rs  vectors of integers, and their conversion to f64
//! integer_pair.rs  vertices and poses as integers
//! nearest.rs       GJK with Johnson's determinants (Gilbert, Johnson, Keerthi 1988)
//! depth.rs         the expanding polytope (van den Bergen 2001)
//! witness.rs       the first feature pair by the published rule
//! ```

mod depth;
mod integer_pair;
mod integer_vec3;
mod nearest;
mod witness;

use super::answer::Answer;
use super::feature::FeaturePair;
use clearsweep_geometry::{Polyhedron, Pose, Vec3};
use clearsweep_model::Method;
use depth::{ExactFacets, exact_facets};
use integer_pair::IntegerPair;
use integer_vec3::{IntegerVec3, ScaledFloat};
use nearest::{ClosestSimplex, OriginLocation, locate_origin};
use num_bigint::BigInt;
use witness::{RationalPoint, SupportedDirection, rule_order};

/// The signed distance of two cores at their poses in the world, in A's frame. `None` only for
/// defective input (numbers that are not finite, a zero quaternion) and beyond iteration limits
/// that no body of a scene comes near.
pub fn resolve(a: &Polyhedron, b: &Polyhedron, poses: (&Pose, &Pose)) -> Option<Answer> {
    let sound = |p: &Pose| {
        let finite = p.position.is_finite() && p.rest.is_finite() && p.q.iter().all(|c| c.is_finite());
        finite && p.q.iter().any(|&c| c != 0.0)
    };
    if !sound(poses.0) || !sound(poses.1) {
        return None;
    }
    let pair = IntegerPair::new(a, b, poses);
    let directions = match locate_origin(&pair)? {
        OriginLocation::Outside(found) => vec![found.point.negated()],
        OriginLocation::Inside(simplex) => match exact_facets(&pair, &simplex)? {
            ExactFacets::Facets(directions) => directions,
            ExactFacets::Flat(direction) => vec![direction.negated(), direction],
        },
    };
    let mut supported: Vec<SupportedDirection<'_>> =
        directions.into_iter().map(|d| SupportedDirection::new(a, b, &pair, d)).collect();
    supported.sort_by_key(|s| rule_order(&s.planes));
    choose(&supported)
}

/// The closest points of the convex hulls of two sets of points, rounded, in A's frame.
#[derive(Debug, Clone)]
pub struct ClosestHullPoints {
    /// Metres; 0 where the hulls meet, and only there.
    pub distance: f64,
    /// Unit, from A to B; not finite where they meet.
    pub normal: Vec3<f64>,
    /// Points on A and on B.
    pub points: [Vec3<f64>; 2],
    /// The points whose hulls hold them: of A and of B, ascending.
    pub carriers: [Vec<u32>; 2],
}

/// The distance of the convex hulls of points of two frames, at poses in the world: finite numbers,
/// no zero quaternion. `None` only at a limit that no pair of triangles comes near.
pub fn closest_hull_points([a, b]: [&[Vec3<f64>]; 2], poses: (&Pose, &Pose)) -> Option<ClosestHullPoints> {
    let pair = IntegerPair::of_points(a, b, poses);
    let ClosestSimplex { vertices, factors, point, weight } = match locate_origin(&pair)? {
        OriginLocation::Outside(found) => found,
        OriginLocation::Inside(_) => {
            let none = Vec3::new(f64::NAN, f64::NAN, f64::NAN);
            let carriers = [Vec::new(), Vec::new()];
            return Some(ClosestHullPoints { distance: 0.0, normal: none, points: [none; 2], carriers });
        }
    };
    let denominator = &weight * &pair.scale;
    let distance = ScaledFloat::root(point.dot(&point).magnitude(), (&denominator * &denominator).magnitude());
    let place = |side: usize| {
        let of = [&pair.a, &pair.b][side];
        let sum = |sum: IntegerVec3, (v, factor): (&[u32; 2], &BigInt)| sum.plus(&of[v[side] as usize].scale(factor));
        let numerator = vertices.iter().zip(&factors).fold(IntegerVec3::zero(), sum);
        in_metres(&RationalPoint { numerator, denominator: weight.clone() }, &pair)
    };
    let carriers = [0, 1].map(|side: usize| {
        let mut carriers: Vec<u32> = vertices.iter().map(|v| v[side]).collect();
        carriers.sort_unstable();
        carriers.dedup();
        carriers
    });
    Some(ClosestHullPoints {
        distance: distance.times(pair.exponent).max(f64::MIN_POSITIVE),
        normal: point.negated().direction(),
        points: [place(0), place(1)],
        carriers,
    })
}

/// The answer of the first witness in the order of the rule; several witnesses are a tie.
fn choose(supported: &[SupportedDirection<'_>]) -> Option<Answer> {
    let mut all = (0..6).flat_map(|kinds| {
        supported.iter().flat_map(move |s| {
            s.planes.candidates(kinds).filter_map(move |features| Some((s, features, s.witness(&features)?)))
        })
    });
    let (s, features, point) = all.next()?;
    let method = if all.next().is_some() { Method::Tie } else { Method::Exact };
    Some(answer(s, features, &point, method))
}

fn answer(s: &SupportedDirection<'_>, features: FeaturePair, point: &RationalPoint, method: Method) -> Answer {
    let pair = s.pair;
    let gap = s.gap();
    let n2 = s.direction.dot(&s.direction);
    let size = ScaledFloat::root((&gap * &gap).magnitude(), (n2 * &pair.scale * &pair.scale).magnitude());
    let size = size.times(pair.exponent);
    let distance = if gap < BigInt::ZERO { -size } else { size };
    // Truncated and rounded: two units in the last place enclose the exact value.
    let (lower, upper) = match gap == BigInt::ZERO {
        true => (0.0, 0.0),
        false => (distance.next_down().next_down(), distance.next_up().next_up()),
    };
    Answer {
        features,
        normal: s.direction.direction(),
        distance,
        point_a: in_metres(point, pair),
        lower,
        upper,
        method,
    }
}

/// A point of A in A's frame, metres.
fn in_metres(point: &RationalPoint, pair: &IntegerPair) -> Vec3<f64> {
    let denominator = &point.denominator * &pair.scale;
    let IntegerVec3(numerator) = &point.numerator;
    let [x, y, z] = numerator.each_ref().map(|c| ScaledFloat::ratio(c, &denominator).times(pair.exponent));
    Vec3::new(x, y, z)
}
