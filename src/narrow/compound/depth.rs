//! The depth of overlapping bodies of pieces: at most the length of a translation that is checked to separate all pairs.

use super::bodies::{Bodies, PieceAnswer};
use super::tree_search::{OpenNodes, PieceSearch};
use crate::geometry::Vec3;
use crate::narrow::answer::status;
use crate::narrow::cache::{CompoundMemory, PieceCache};
use crate::narrow::ladder::{Ladder, solve};
use crate::narrow::proximity::{Method, Proximity};
use crate::narrow::routes::Routes;
use crate::narrow::rung_outcome::RungOutcome;
use crate::scene::QueryOptions;

/// Lengthenings of one translation before the hulls' own depth is taken.
const LENGTHENINGS: usize = 48;

/// Directions tried: those of the deepest pairs.
const DIRECTIONS: usize = 8;

/// Where pieces overlap: `distance` becomes minus the length of the shortest translation that was checked, `lower`
/// its bound, and `upper` stays that of the deepest pair.
pub(super) fn bound_depth(
    bodies: &Bodies<'_>,
    options: &QueryOptions,
    found: &[PieceAnswer],
    row: &mut Proximity,
    (hulls, memory, open): (&mut PieceCache, &mut CompoundMemory, &mut Vec<OpenNodes>),
    ladder: &mut Ladder<'_>,
    routes: &mut Routes,
) {
    let mut overlapping: Vec<&PieceAnswer> = found.iter().filter(|p| p.row.distance < 0.0).collect();
    overlapping.sort_by(|x, y| x.row.distance.total_cmp(&y.row.distance).then(x.at.cmp(&y.at)));
    let mut directions: Vec<(Vec3<f64>, f64)> =
        overlapping.iter().take(DIRECTIONS).map(|p| (p.answer.normal, -p.row.lower)).collect();
    let all = QueryOptions { within: f64::INFINITY, ..*options };
    let (ha, hb) = (bodies.a.hull(), bodies.b.hull());
    let hulls = solve(&bodies.parts(ha, hb), f64::INFINITY, hulls, ladder, routes)
        .settled()
        .map(|h| h.grown((&ha.core, ha.radius), (&hb.core, hb.radius), bodies.size(), &all));
    let mut best: Option<(f64, Vec3<f64>)> = hulls.filter(|h| h.lower < 0.0).map(|h| (-h.lower, h.normal));
    directions.sort_by(|x, y| x.1.total_cmp(&y.1));
    for (n, start) in directions {
        let limit = best.map_or(f64::INFINITY, |b| b.0);
        if let Some(length) = separating_length(bodies, n, [start, limit], (memory, open), ladder, routes) {
            best = Some((length, n));
        }
    }
    let Some((length, n)) = best else {
        (row.lower, row.upper, row.method) = (f64::NAN, f64::NAN, Method::None);
        row.status = status(f64::NAN, f64::NAN, options);
        return;
    };
    row.distance = -length;
    row.lower = -length - f64::EPSILON * bodies.size();
    row.normal = n;
    row.point_b = row.point_a + n.scale(row.distance);
    row.method = Method::Bound;
    row.status = status(row.lower, row.upper, options);
}

/// A length below `limit` by which moving B along `n` separates all pairs of pieces, proven at the moved pose.
fn separating_length(
    bodies: &Bodies<'_>,
    n: Vec3<f64>,
    [start, limit]: [f64; 2],
    (memory, open): (&mut CompoundMemory, &mut Vec<OpenNodes>),
    ladder: &mut Ladder<'_>,
    routes: &mut Routes,
) -> Option<f64> {
    let slack = 1e-12 * bodies.size();
    let mut length = start + slack;
    for _ in 0..LENGTHENINGS {
        if length >= limit {
            return None;
        }
        let moved = bodies.shifted(n.scale(length));
        let deepest = deepest_part(&moved, memory, open, ladder, routes)?;
        if deepest >= 0.0 {
            return Some(length + slack);
        }
        // No pair comes free by less than its depth.
        length += slack - deepest;
    }
    None
}

/// The least proven signed distance over all pairs of pieces, 0 if all are apart; `None` if one is not proven.
fn deepest_part(
    bodies: &Bodies<'_>,
    memory: &mut CompoundMemory,
    open: &mut Vec<OpenNodes>,
    ladder: &mut Ladder<'_>,
    routes: &mut Routes,
) -> Option<f64> {
    let mut least = 0.0_f64;
    let mut search = PieceSearch::new(bodies, 0.0, &mut memory.moved, open);
    while let Some(at) = search.next(routes) {
        let [a, b] = bodies.pieces(at);
        let solved = solve(&bodies.parts(a, b), 0.0, search.memory.pieces.at(at), ladder, routes);
        if let RungOutcome::Settled(answer) = solved {
            let lower = answer.lower - (a.radius + b.radius);
            if lower.is_nan() {
                return None;
            }
            least = least.min(lower);
        }
    }
    Some(least)
}
