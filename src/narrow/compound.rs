//! Bodies of several convex pieces: the nearest pair of pieces, and a bracket of the depth where some overlap.
//!
//! The signed distance of the unions is not a function of one pair of pieces once they overlap: the depth is at least
//! that of the deepest pair, and at most the length of any translation that is *checked* to separate all pairs.

use super::answer::{Answer, status};
use super::cache::{PairCache, PieceCache};
use super::ladder::{Ladder, Parts, solve};
use super::proximity::{Method, Proximity};
use super::routes::Routes;
use super::rung_outcome::RungOutcome;
use crate::geometry::pose::rotation;
use crate::geometry::{Pose, RelativePose, Vec3};
use crate::scene::{Piece, QueryOptions, Shape};

/// Lengthenings of one translation before the hulls' own depth is taken.
const LENGTHENINGS: usize = 48;

/// Directions tried: those of the deepest pairs.
const DIRECTIONS: usize = 8;

/// Two bodies at their poses.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bodies<'a> {
    /// Body A.
    pub a: &'a Shape,
    /// Body B.
    pub b: &'a Shape,
    /// Pose of A.
    pub pose_a: Pose,
    /// Pose of B.
    pub pose_b: Pose,
    /// B's frame in A's.
    pub relative: RelativePose<f64>,
}

/// A pair of pieces with its answer.
struct PieceAnswer {
    at: [usize; 2],
    answer: Answer,
    row: Proximity,
}

impl<'a> Bodies<'a> {
    fn parts(&self, a: &'a Piece, b: &'a Piece) -> Parts<'_> {
        Parts { a, b, pose_a: &self.pose_a, pose_b: &self.pose_b, relative: &self.relative }
    }

    /// The size of the pair of bodies, metres.
    pub(crate) fn size(&self) -> f64 {
        self.a.radius + self.b.radius + self.relative.t.length()
    }

    /// The same bodies with B moved by `shift` (A's frame, metres).
    fn shifted(&self, shift: Vec3<f64>) -> Self {
        let r = rotation(self.pose_a.q);
        let world = Vec3::new(r[0].dot(shift), r[1].dot(shift), r[2].dot(shift));
        // Into the rest, so that a position far from the origin does not swallow it.
        let pose_b = Pose { rest: self.pose_b.rest + world, ..self.pose_b };
        Self { pose_b, relative: RelativePose::between(&self.pose_a, &pose_b), ..*self }
    }
}

/// The row of two bodies, or the proof that they are farther apart than `options.within`.
pub(crate) fn query(
    bodies: &Bodies<'_>,
    options: &QueryOptions,
    cache: &mut PairCache,
    ladder: &mut Ladder<'_>,
    routes: &mut Routes,
) -> RungOutcome<Proximity> {
    if let (Some(a), Some(b)) = (bodies.a.only_piece(), bodies.b.only_piece()) {
        return match solve(&bodies.parts(a, b), options.within, &mut cache.hulls, ladder, routes) {
            RungOutcome::Settled(answer) => {
                RungOutcome::Settled(answer.grown((&a.core, a.radius), (&b.core, b.radius), bodies.size(), options))
            }
            RungOutcome::Beyond { gap, normal } => RungOutcome::Beyond { gap, normal },
            RungOutcome::Open => RungOutcome::Open,
        };
    }
    let hulls = bodies.parts(bodies.a.hull(), bodies.b.hull());
    if let RungOutcome::Beyond { gap, normal } = solve(&hulls, options.within, &mut cache.hulls, ladder, routes) {
        return RungOutcome::Beyond { gap, normal };
    }
    match nearest_row(bodies, options, cache, ladder, routes) {
        Ok(row) => RungOutcome::Settled(row),
        // The hulls are near, no pair of pieces is.
        Err(gap) => RungOutcome::Beyond { gap, normal: None },
    }
}

/// The row of the nearest pair of pieces if one is near, else how far apart all are at least (metres).
fn nearest_row(
    bodies: &Bodies<'_>,
    options: &QueryOptions,
    cache: &mut PairCache,
    ladder: &mut Ladder<'_>,
    routes: &mut Routes,
) -> Result<Proximity, f64> {
    let (found, gap) = nearest_parts(bodies, options, cache, ladder, routes);
    if let Some(open) = found.iter().find(|p| p.row.lower.is_nan()) {
        return Ok(open.row);
    }
    // The least distance; of equals the lowest pieces, which come first.
    let least = found.iter().reduce(|x, y| if y.row.distance < x.row.distance { y } else { x }).ok_or(gap)?;
    let mut row = least.row;
    row.lower = found.iter().fold(row.lower, |l, p| l.min(p.row.lower));
    row.upper = found.iter().fold(row.upper, |u, p| u.min(p.row.upper));
    row.status = status(row.lower, row.upper, options);
    if row.distance < 0.0 {
        bound_depth(bodies, options, &found, &mut row, ladder, routes);
    }
    Ok(row)
}

/// All pairs of pieces that may be the nearest, and all that overlap, in order of pieces; and the least gap that was proven
/// of the others, metres.
fn nearest_parts(
    bodies: &Bodies<'_>,
    options: &QueryOptions,
    cache: &mut PairCache,
    ladder: &mut Ladder<'_>,
    routes: &mut Routes,
) -> (Vec<PieceAnswer>, f64) {
    let width = bodies.b.pieces.len();
    cache.pieces.resize_with(bodies.a.pieces.len() * width, PieceCache::default);
    let mut found: Vec<PieceAnswer> = Vec::new();
    let (mut cutoff, mut apart) = (options.within, f64::INFINITY);
    for (i, a) in bodies.a.pieces.iter().enumerate() {
        for (j, b) in bodies.b.pieces.iter().enumerate() {
            let part = &mut cache.pieces[i * width + j];
            let answer = match solve(&bodies.parts(a, b), cutoff, part, ladder, routes) {
                RungOutcome::Settled(answer) => answer,
                RungOutcome::Beyond { gap, .. } => {
                    apart = apart.min(gap);
                    continue;
                }
                RungOutcome::Open => continue,
            };
            let mut row = answer.grown((&a.core, a.radius), (&b.core, b.radius), bodies.size(), options);
            row.part = [i as i32, j as i32];
            if row.upper < cutoff {
                cutoff = row.upper.max(0.0);
            }
            found.push(PieceAnswer { at: [i, j], answer, row });
        }
    }
    (found, apart)
}

/// Where pieces overlap: `distance` becomes minus the length of the shortest translation that was checked, `lower`
/// its bound, and `upper` stays that of the deepest pair.
fn bound_depth(
    bodies: &Bodies<'_>,
    options: &QueryOptions,
    found: &[PieceAnswer],
    row: &mut Proximity,
    ladder: &mut Ladder<'_>,
    routes: &mut Routes,
) {
    let mut overlapping: Vec<&PieceAnswer> = found.iter().filter(|p| p.row.distance < 0.0).collect();
    overlapping.sort_by(|x, y| x.row.distance.total_cmp(&y.row.distance).then(x.at.cmp(&y.at)));
    let mut directions: Vec<(Vec3<f64>, f64)> =
        overlapping.iter().take(DIRECTIONS).map(|p| (p.answer.normal, -p.row.lower)).collect();
    let all = QueryOptions { within: f64::INFINITY, ..*options };
    let (ha, hb) = (bodies.a.hull(), bodies.b.hull());
    let hulls = solve(&bodies.parts(ha, hb), f64::INFINITY, &mut PieceCache::default(), ladder, routes)
        .settled()
        .map(|h| h.grown((&ha.core, ha.radius), (&hb.core, hb.radius), bodies.size(), &all));
    let mut best: Option<(f64, Vec3<f64>)> = hulls.filter(|h| h.lower < 0.0).map(|h| (-h.lower, h.normal));
    directions.sort_by(|x, y| x.1.total_cmp(&y.1));
    for (n, start) in directions {
        let limit = best.map_or(f64::INFINITY, |b| b.0);
        if let Some(length) = separating_length(bodies, n, start, limit, ladder, routes) {
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
    start: f64,
    limit: f64,
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
        let deepest = deepest_part(&moved, ladder, routes)?;
        if deepest >= 0.0 {
            return Some(length + slack);
        }
        // No pair comes free by less than its depth.
        length += slack - deepest;
    }
    None
}

/// The least proven signed distance over all pairs of pieces, 0 if all are apart; `None` if one is not proven.
fn deepest_part(bodies: &Bodies<'_>, ladder: &mut Ladder<'_>, routes: &mut Routes) -> Option<f64> {
    let mut least = 0.0_f64;
    for a in &bodies.a.pieces {
        for b in &bodies.b.pieces {
            let solved = solve(&bodies.parts(a, b), 0.0, &mut PieceCache::default(), ladder, routes);
            if let RungOutcome::Settled(answer) = solved {
                let lower = answer.lower - (a.radius + b.radius);
                if lower.is_nan() {
                    return None;
                }
                least = least.min(lower);
            }
        }
    }
    Some(least)
}
