//! GJK by supports of round bodies: the point of the difference nearest to the origin.
//!
//! Every iteration adds the point of the difference farthest towards the origin. Near to a smooth
//! side the simplex shrinks about the nearest point, and its distance from the side by the square.

use super::newton::{NearestPoints, from_axes, from_simplex};
use super::parallel::any_across;
use super::sides::{ConvexPair, Difference};
use crate::gjk::nearest_of_simplex;
use clearsweep_geometry::Vec3;

/// Iterations, at most.
const MOST: usize = 128;

/// Iterations after which Newton's method is tried.
const TRIED: [usize; 4] = [3, 6, 12, 24];

/// Result of the search.
#[derive(Debug, Clone, Copy)]
pub(super) struct Nearest {
    simplex: [Difference; 4],
    count: usize,
    holds_origin: bool,
    /// The nearest points by Newton's method, once it has ended.
    pub(super) by_newton: Option<NearestPoints>,
    /// The unit vector from A to B along which the gap is largest of those seen.
    pub(super) normal: Vec3<f64>,
    /// The gap of the supporting planes along it, metres.
    pub(super) gap: f64,
    /// Iterations made.
    #[cfg_attr(not(test), allow(dead_code, reason = "read by the tests alone"))]
    pub(super) iterations: usize,
}

impl Nearest {
    /// A search that has one point of the difference.
    fn new(first: Difference, normal: Vec3<f64>, gap: f64) -> Self {
        Self { simplex: [first; 4], count: 1, holds_origin: false, by_newton: None, normal, gap, iterations: 0 }
    }

    /// With the points of Newton's method.
    fn ended_by(self, found: NearestPoints) -> Self {
        Self { by_newton: Some(found), normal: found.normal, gap: found.gap, ..self }
    }

    /// The points of the difference that carry the nearest one.
    pub(super) fn simplex(&self) -> &[Difference] {
        &self.simplex[..self.count]
    }

    /// Whether the origin lies inside of the simplex, or so near to it that no direction is known
    /// in which the bodies are apart.
    pub(super) fn overlaps(&self) -> bool {
        self.holds_origin
    }

    /// Weights of the points that carry the nearest one; they sum to 1.
    pub(super) fn weights(&self) -> [f64; 4] {
        weights(self.simplex().iter().map(|point| point.point))
    }

    /// The distance of the nearest points, metres.
    fn length(&self) -> f64 {
        let [a, b] = self.points();
        (b - a).length()
    }

    /// The nearest points of A and of B, in A's frame.
    pub(super) fn points(&self) -> [Vec3<f64>; 2] {
        if let Some(found) = self.by_newton {
            return found.points;
        }
        let weights = self.weights();
        [0, 1].map(|side| {
            let sum = |sum: Vec3<f64>, (point, weight): (&Difference, f64)| sum + point.sides[side].point.scale(weight);
            self.simplex().iter().zip(weights).fold(Vec3::ZERO, sum)
        })
    }
}

/// Weights of up to three points whose mean is the point of their hull nearest to the origin, given
/// that it is inside of the hull; none is negative, and they sum to 1.
pub(super) fn weights(points: impl Iterator<Item = Vec3<f64>>) -> [f64; 4] {
    let mut list = [Vec3::ZERO; 4];
    let mut count = 0;
    for point in points.take(4) {
        list[count] = point;
        count += 1;
    }
    let raw = match count {
        2 => {
            let along = list[1] - list[0];
            let share = -list[0].dot(along) / along.length2();
            [1.0 - share, share, 0.0, 0.0]
        }
        3 => {
            let (u, v) = (list[1] - list[0], list[2] - list[0]);
            let [uu, uv, vv, pu, pv] = [u.dot(u), u.dot(v), v.dot(v), -list[0].dot(u), -list[0].dot(v)];
            let whole = uu * vv - uv * uv;
            let (s, t) = ((pu * vv - pv * uv) / whole, (pv * uu - pu * uv) / whole);
            [1.0 - s - t, s, t, 0.0]
        }
        _ => [1.0, 0.0, 0.0, 0.0],
    };
    let raw = raw.map(|weight| if weight > 0.0 { weight } else { 0.0 });
    let sum: f64 = raw.iter().sum();
    if sum > 0.0 && sum.is_finite() { raw.map(|weight| weight / sum) } else { [1.0, 0.0, 0.0, 0.0] }
}

/// Searches for the nearest point of the difference, until a gap is beyond `beyond` (metres), or
/// the gap and the distance agree to within rounding.
///
/// Newton's method is tried first, and after a few iterations. A simplex that has shrunk to little
/// more than rounding leads nowhere. Then a search from the best direction so far begins with other
/// points.
pub(super) fn nearest(pair: &ConvexPair<'_>, beyond: f64) -> Nearest {
    if let Some(found) = from_axes(pair, beyond) {
        return Nearest::new(found.support, found.normal, found.gap).ended_by(found);
    }
    let start = Some(pair.pose.t.normalized()).filter(|d| d.is_finite()).unwrap_or(Vec3::new(1.0, 0.0, 0.0));
    let mut best = nearest_from(pair, start, beyond);
    for again in 0..RESTARTS {
        let length = best.length();
        if best.overlaps() || best.gap > beyond || length - best.gap <= AGREED * pair.size {
            break;
        }
        let [a, b] = best.points();
        let start = match again % 3 {
            0 => best.normal,
            1 => (b - a).scale(1.0 / length),
            _ => (best.normal + any_across(best.normal).scale(1e-2 / f64::from(again))).normalized(),
        };
        let next = nearest_from(pair, start, beyond);
        if next.overlaps() {
            break;
        }
        let (gap, normal) = if next.gap > best.gap { (next.gap, next.normal) } else { (best.gap, best.normal) };
        let nearer = if next.length() < length { next } else { best };
        best = Nearest { gap, normal, ..nearer };
    }
    best
}

/// Further searches, at most, and the share of the size up to which the gap and the distance agree.
const RESTARTS: u32 = 12;
const AGREED: f64 = 1e-11;

/// A search that begins along a direction.
fn nearest_from(pair: &ConvexPair<'_>, start: Vec3<f64>, beyond: f64) -> Nearest {
    let first = pair.support(start);
    let gap = -first.point.dot(start);
    let mut found = Nearest::new(first, start, gap);
    let mut point = first.point;
    for iteration in 1..=MOST {
        found.iterations = iteration;
        let length = point.length();
        if length <= 0.25 * pair.bound {
            found.holds_origin = true;
            break;
        }
        let normal = point.scale(-1.0 / length);
        let next = pair.support(normal);
        let gap = -next.point.dot(normal);
        if gap > found.gap {
            (found.gap, found.normal) = (gap, normal);
        }
        if found.gap > beyond || length - found.gap <= 0.25 * pair.bound {
            break;
        }
        let mut points = [Vec3::ZERO; 4];
        let mut simplex = found.simplex;
        simplex[found.count] = next;
        for (to, from) in points.iter_mut().zip(&simplex) {
            *to = from.point;
        }
        let nearer = nearest_of_simplex(&points, found.count + 1);
        if nearer.count == 4 {
            (found.simplex, found.count, found.holds_origin) = (simplex, 4, true);
            break;
        }
        // Rounding: nothing comes nearer.
        if nearer.point.length2() >= point.length2() {
            break;
        }
        for (to, &from) in found.simplex.iter_mut().zip(&nearer.kept[..nearer.count]) {
            *to = simplex[from];
        }
        found.count = nearer.count;
        point = nearer.point;
        if TRIED.contains(&iteration)
            && let Some(nearest) = from_simplex(pair, found.simplex(), found.normal, beyond)
        {
            return found.ended_by(nearest);
        }
    }
    // Nearest to the origin the direction is rounding alone, and the gap along it may be any.
    found.holds_origin |= point.length() <= 64.0 * pair.bound && point.length() - found.gap > 16.0 * pair.bound;
    found
}
