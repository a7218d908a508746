//! Sectors of tori. The hull of a sector proves a gap; where it fills the inner side, the sector is
//! divided in its angle, until the nearest points of a hull are those of the sector below it.

use super::nearest::{Nearest, nearest};
use super::polytope::depth;
use super::sides::{ConvexPair, Side, SidePoint};
use super::{Gap, Proven, apart};
use crate::branch_and_bound::{BestFirst, Part};
use clearsweep_geometry::Vec3;
use std::cmp::Ordering;

/// Width of the bracket at which the search ends, in sizes of the pair.
const WIDTH: f64 = 1e-11;

/// Parts that are searched, at most.
const MOST_PARTS: usize = 256;

/// Parts of both bodies.
#[derive(Clone, Copy)]
struct SectorParts<'a> {
    pair: ConvexPair<'a>,
    found: Nearest,
}

impl SectorParts<'_> {
    /// They are at least this far apart, metres; nothing is known of parts whose hulls overlap.
    fn least(&self) -> f64 {
        if self.found.overlaps() { f64::NEG_INFINITY } else { self.found.gap }
    }
}

impl Part for SectorParts<'_> {
    /// Nearer parts come first.
    fn order(&self, other: &Self) -> Ordering {
        other.least().total_cmp(&self.least())
    }
}

/// A pair of points, one of each body.
struct Witnesses {
    length: f64,
    points: [Vec3<f64>; 2],
    proven: Proven,
}

/// The answer about two bodies of which one is a sector, or both are.
pub(super) fn proven(pair: &ConvexPair<'_>, beyond: f64) -> Result<Proven, Gap> {
    let whole = nearest(pair, beyond + pair.bound);
    if whole.gap - pair.bound > beyond {
        return Err(Gap { length: whole.gap - pair.bound, normal: whole.normal });
    }
    if let Some(overlap) = proven_overlap(pair, &whole) {
        return Ok(overlap);
    }
    let (mut open, mut searched) = (BestFirst::default(), 0);
    let mut best: Option<Witnesses> = None;
    let mut least = f64::NEG_INFINITY;
    let mut next = Some(SectorParts { pair: *pair, found: whole });
    while let Some(parts) = next.take().or_else(|| open.next_unless(|_| false)) {
        least = parts.least();
        let witnesses = witnesses(&parts);
        if best.as_ref().is_none_or(|best| witnesses.length < best.length) {
            best = Some(witnesses);
        }
        let nearest_so_far = best.as_ref().map_or(f64::INFINITY, |best| best.length);
        if nearest_so_far - least <= WIDTH * pair.size || searched >= MOST_PARTS {
            break;
        }
        for half in halves(&parts.pair) {
            searched += 1;
            let found = nearest(&half, nearest_so_far);
            if let Some(overlap) = proven_overlap(&half, &found) {
                // A part that overlaps says how deep; the whole says how deep at most.
                return Ok(with_lower_end_of(pair, &whole, overlap));
            }
            let half = SectorParts { pair: half, found };
            if half.least() < nearest_so_far {
                open.push(half);
            }
        }
    }
    let Some(Witnesses { length, points: [a, b], proven }) = best else {
        return Ok(apart(pair, &whole));
    };
    let between = b - a;
    let is_clear = least > pair.bound;
    let normal = if length > 1e6 * pair.bound { between.scale(1.0 / length) } else { proven.normal };
    let answer = Proven {
        normal,
        distance: length,
        point_a: a,
        lower: least - pair.bound,
        upper: length + pair.bound,
        ..proven
    };
    if is_clear {
        return Ok(answer);
    }
    // Parts that are too small to be divided touch: the depth is at most that of the hulls.
    let of_hulls = hull_depth(pair, &whole);
    Ok(Proven { upper: answer.upper, distance: of_hulls.distance.min(answer.upper), ..of_hulls })
}

/// The overlap of convex parts of both bodies, if they overlap; with the depth of the whole hulls
/// as the lower end.
fn proven_overlap(pair: &ConvexPair<'_>, hulls: &Nearest) -> Option<Proven> {
    if !hulls.overlaps() {
        return None;
    }
    let mut inner = *pair;
    for side in &mut inner.sides {
        if let Side::Sector(sector) = side {
            *side = Side::Sector(sector.inscribed()?);
        }
    }
    let found = nearest(&inner, f64::INFINITY);
    if !found.overlaps() {
        return None;
    }
    let of_parts = depth(&inner, &found);
    Some(with_lower_end_of(pair, hulls, of_parts))
}

/// The overlap of hulls, with the upper end of parts of both bodies that overlap. Its witness
/// points are those of the hulls.
fn with_lower_end_of(pair: &ConvexPair<'_>, hulls: &Nearest, of_parts: Proven) -> Proven {
    let of_hulls = hull_depth(pair, hulls);
    Proven { upper: of_parts.upper.max(of_hulls.distance), ..of_hulls }
}

/// The depth of the hulls of both bodies.
fn hull_depth(pair: &ConvexPair<'_>, hulls: &Nearest) -> Proven {
    if hulls.overlaps() { depth(pair, hulls) } else { apart(pair, hulls) }
}

/// The points of both bodies below the nearest points of their hulls.
fn witnesses(parts: &SectorParts<'_>) -> Witnesses {
    let SectorParts { pair, found } = parts;
    let weights = found.weights();
    let hull_points = found.points();
    let points: [Vec3<f64>; 2] = [0, 1].map(|side| {
        let Side::Sector(sector) = pair.sides[side] else { return hull_points[side] };
        let of = |point: SidePoint, weight: f64| point.on.map(|on| (on, weight));
        let carriers = found.simplex().iter().zip(weights).filter_map(|(point, weight)| of(point.sides[side], weight));
        let own = sector.below_mean(carriers).point;
        if side == 0 { own } else { pair.pose.point(own) }
    });
    let proven = apart(pair, found);
    Witnesses { length: (points[1] - points[0]).length(), points, proven }
}

/// The pair with the wider sector divided into halves.
fn halves<'a>(pair: &ConvexPair<'a>) -> [ConvexPair<'a>; 2] {
    let width = |side: &Side<'_>| match side {
        Side::Sector(sector) => sector.chord(),
        _ => -1.0,
    };
    let divided = usize::from(width(&pair.sides[1]) > width(&pair.sides[0]));
    let Side::Sector(sector) = pair.sides[divided] else { return [*pair, *pair] };
    sector.halves().map(|half| {
        let mut sides = pair.sides;
        sides[divided] = Side::Sector(half);
        ConvexPair { sides, ..*pair }
    })
}
