//! The exact rung: the signed distance of two cores in integer arithmetic, for what nothing above it decides.
//!
//! Poses and vertices are rational numbers, so the nearest feature pair, equal depths and the sign are decided by signs
//! of integers, and the distance is the root of a fraction, rounded outward at the very end. There is no tolerance
//! anywhere: every valid input has an answer. It takes milliseconds where `f64` takes a microsecond.
//!
//! ```text
//! lift.rs      vertices and poses to integers          vector.rs   their algebra, and the way back to f64
//! nearest.rs   GJK with Johnson's determinants         depth.rs    the expanding polytope
//! witness.rs   the first feature pair by the published rule
//! ```

mod depth;
mod lift;
mod nearest;
mod vector;
mod witness;

use super::answer::Answer;
use super::feature::FeaturePair;
use super::proximity::Method;
use crate::geometry::{Polyhedron, Pose, Vec3};
use depth::{Deepest, deepest};
use lift::Lifted;
use nearest::{Nearest, nearest};
use num_bigint::BigInt;
use vector::{Scaled, Vector};
use witness::{Point, Shown, rank};

/// The signed distance of two cores at their poses in the world, in A's frame. `None` only for defective input (numbers
/// that are not finite, a zero quaternion) and beyond limits that no body of a scene comes near.
pub fn resolve(a: &Polyhedron, b: &Polyhedron, poses: (&Pose, &Pose)) -> Option<Answer> {
    let sound = |p: &Pose| {
        let finite = p.position.is_finite() && p.rest.is_finite() && p.q.iter().all(|c| c.is_finite());
        finite && p.q.iter().any(|&c| c != 0.0)
    };
    if !sound(poses.0) || !sound(poses.1) {
        return None;
    }
    let lifted = Lifted::new(a, b, poses);
    let directions = match nearest(&lifted)? {
        Nearest::Apart(point) => vec![point.negated()],
        Nearest::Inside(simplex) => match deepest(&lifted, &simplex)? {
            Deepest::Facets(directions) => directions,
            Deepest::Flat(direction) => vec![direction.negated(), direction],
        },
    };
    let mut shown: Vec<Shown<'_>> = directions.into_iter().map(|d| Shown::new(a, b, &lifted, d)).collect();
    shown.sort_by_key(|s| rank(&s.plane));
    choose(&shown)
}

/// The first witness in the order of the rule.
fn choose(shown: &[Shown<'_>]) -> Option<Answer> {
    let mut all = (0..6).flat_map(|kinds| {
        shown.iter().flat_map(move |s| {
            s.plane.candidates(kinds).filter_map(move |features| Some((s, features, s.witness(&features)?)))
        })
    });
    let (s, features, point) = all.next()?;
    let method = if all.next().is_some() { Method::Tie } else { Method::Exact };
    Some(answer(s, features, &point, method))
}

fn answer(s: &Shown<'_>, features: FeaturePair, point: &Point, method: Method) -> Answer {
    let lifted = s.lifted;
    let gap = s.gap();
    let n2 = s.direction.dot(&s.direction);
    let size = Scaled::root((&gap * &gap).magnitude(), (n2 * &lifted.scale * &lifted.scale).magnitude());
    let size = size.times(lifted.exponent);
    let distance = if gap < BigInt::ZERO { -size } else { size };
    // Cut off and rounded: two units in the last place hold both.
    let (lower, upper) = match gap == BigInt::ZERO {
        true => (0.0, 0.0),
        false => (distance.next_down().next_down(), distance.next_up().next_up()),
    };
    Answer { features, normal: s.direction.direction(), distance, point_a: place(point, lifted), lower, upper, method }
}

/// A point of A in metres.
fn place(point: &Point, lifted: &Lifted) -> Vec3<f64> {
    let denominator = &point.denominator * &lifted.scale;
    let Vector(numerator) = &point.numerator;
    let [x, y, z] = numerator.each_ref().map(|c| Scaled::ratio(c, &denominator).times(lifted.exponent));
    Vec3::new(x, y, z)
}
