//! The depth of overlapping bodies of pieces: at most the length of a translation that is checked to separate all pairs, with the margin
//! by which the true bodies may reach farther.

use super::bodies::{Bodies, PieceAnswer};
use super::tree_search::{OpenNodes, PieceSearch};
use crate::geometry::Vec3;
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

/// What a search for a translation works with.
pub(super) struct DepthWork<'w, 'l> {
    pub(super) hulls: &'w mut PieceCache,
    pub(super) memory: &'w mut CompoundMemory,
    pub(super) open: &'w mut Vec<OpenNodes>,
    pub(super) ladder: &'w mut Ladder<'l>,
    pub(super) routes: &'w mut Routes,
}

/// Where pieces overlap: `distance` becomes minus the length of the shortest translation that was checked, `lower`
/// its bound, and `upper` stays that of the deepest pair.
pub(super) fn bound_depth(
    bodies: &Bodies<'_>,
    options: &QueryOptions,
    found: &[PieceAnswer],
    row: &mut Proximity,
    work: &mut DepthWork<'_, '_>,
) {
    let Some((length, n)) = shortest_separation(bodies, options, found, 0.0, work) else {
        (row.lower, row.upper, row.method) = (f64::NAN, f64::NAN, Method::None);
        return;
    };
    row.distance = -length;
    row.lower = lower_end(bodies, length);
    row.normal = n;
    row.point_b = row.point_a + n.scale(row.distance);
    row.method = Method::Bound;
}

/// The lower end for bodies whose pieces may reach farther by `margin` together (metres), where grown by it they may overlap: NaN if
/// there is no proof. What separates the stored bodies may press the grown ones together elsewhere, so the translation is checked with
/// the margin.
pub(super) fn lower_end_within(
    bodies: &Bodies<'_>,
    options: &QueryOptions,
    found: &[PieceAnswer],
    margin: f64,
    work: &mut DepthWork<'_, '_>,
) -> f64 {
    shortest_separation(bodies, options, found, margin, work).map_or(f64::NAN, |(length, _)| lower_end(bodies, length))
}

fn lower_end(bodies: &Bodies<'_>, length: f64) -> f64 {
    -length - f64::EPSILON * bodies.size()
}

/// The shortest translation of B found that is proven to leave at least `margin` (metres) between all pairs of pieces: its length,
/// metres, and its direction.
fn shortest_separation(
    bodies: &Bodies<'_>,
    options: &QueryOptions,
    found: &[PieceAnswer],
    margin: f64,
    work: &mut DepthWork<'_, '_>,
) -> Option<(f64, Vec3<f64>)> {
    let mut near: Vec<&PieceAnswer> = found.iter().filter(|p| p.row.distance < margin).collect();
    near.sort_by(|x, y| x.row.distance.total_cmp(&y.row.distance).then(x.at.cmp(&y.at)));
    let mut directions: Vec<(Vec3<f64>, f64)> =
        near.iter().take(DIRECTIONS).map(|p| (p.answer.normal, margin - p.row.lower)).collect();
    let all = QueryOptions { within: f64::INFINITY, ..*options };
    let (ha, hb) = (bodies.a.hull(), bodies.b.hull());
    let hulls = solve(&bodies.parts(ha, hb), f64::INFINITY, work.hulls, work.ladder, work.routes)
        .settled()
        .map(|h| h.grown((&ha.core, ha.radius), (&hb.core, hb.radius), bodies.size(), &all));
    // Convex bodies come apart by their depth and the margin along the one direction.
    let mut best: Option<(f64, Vec3<f64>)> =
        hulls.filter(|h| h.lower < margin).map(|h| ((margin - h.lower).next_up(), h.normal));
    directions.sort_by(|x, y| x.1.total_cmp(&y.1));
    for (n, start) in directions {
        let limit = best.map_or(f64::INFINITY, |b| b.0);
        if let Some(length) = separating_length(bodies, n, [start, limit], margin, work) {
            best = Some((length, n));
        }
    }
    best
}

/// A length below `limit` by which moving B along `n` leaves at least `margin` between all pairs of pieces, proven at the moved pose;
/// metres.
fn separating_length(
    bodies: &Bodies<'_>,
    n: Vec3<f64>,
    [start, limit]: [f64; 2],
    margin: f64,
    work: &mut DepthWork<'_, '_>,
) -> Option<f64> {
    let slack = 1e-12 * bodies.size();
    let mut length = start + slack;
    for _ in 0..LENGTHENINGS {
        if length >= limit {
            return None;
        }
        let moved = bodies.shifted(n.scale(length));
        let lacking = margin - least_gap(&moved, margin, work)?;
        if lacking <= 0.0 {
            return Some(length + slack);
        }
        // No pair comes free by less than it lacks.
        length += slack + lacking;
    }
    None
}

/// The least proven signed distance over all pairs of pieces, `margin` if all are farther apart, metres; `None` if one is not proven.
fn least_gap(bodies: &Bodies<'_>, margin: f64, work: &mut DepthWork<'_, '_>) -> Option<f64> {
    let mut least = margin;
    let mut search = PieceSearch::new(bodies, margin, &mut work.memory.moved, work.open);
    while let Some(at) = search.next(work.routes) {
        let [a, b] = bodies.pieces(at);
        let solved = solve(&bodies.parts(a, b), margin, search.memory.pieces.at(at), work.ladder, work.routes);
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
