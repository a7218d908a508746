//! The depth of overlapping bodies of pieces: at most the length of a translation that is checked
//! to separate all pairs, with the margin by which the true bodies may reach farther.

use super::piece_pairs::PieceAnswer;
use super::tree_search::{OpenNodes, PieceSearch};
use crate::answer::Answer;
use crate::bodies::Bodies;
use crate::branch_and_bound::DepthFirst;
use crate::cache::{CompoundMemory, PieceCache};
use crate::pair_solver::{PairSolver, solve, solve_hulls};
use crate::solver_stats::SolverStats;
use crate::support::max_dot;
use crate::way_out::{NoProof, first_gap, interval_end};
use clearsweep_geometry::Vec3;
use clearsweep_model::{Method, Proximity};
use clearsweep_model::{Piece, QueryOptions};

/// Lengthenings of one translation before the hulls' own depth is taken.
const LENGTHENINGS: usize = 48;

/// Steps towards the end of an interval, at most; any number of them leaves a length beyond it.
const STEPS: usize = 12;

/// Directions tried: those of the deepest pairs.
const DIRECTIONS: usize = 8;

/// Working memory of a search for a translation.
pub(super) struct DepthWork<'w, 'l> {
    pub(super) hulls: &'w mut PieceCache,
    pub(super) memory: &'w mut CompoundMemory,
    pub(super) open: &'w mut DepthFirst<OpenNodes>,
    pub(super) solver: &'w mut PairSolver<'l>,
    pub(super) stats: &'w mut SolverStats,
}

/// A pair of pieces, and the working memory of its queries.
struct PairWork<'w, 'l> {
    /// Their indices.
    at: [u32; 2],
    cache: &'w mut PieceCache,
    solver: &'w mut PairSolver<'l>,
    stats: &'w mut SolverStats,
}

impl PairWork<'_, '_> {
    /// The answer about the hulls of the cores; `None` if they are farther apart, grown, than
    /// `cutoff`, metres.
    fn solve(&mut self, bodies: &Bodies<'_>, cutoff: f64) -> Option<Answer> {
        let [a, b] = bodies.pieces(self.at);
        solve_hulls(&bodies.parts(a, b), cutoff, self.cache, self.solver, self.stats).answered()
    }
}

/// The lower signed distance of two inflated pieces, from the answer about the cores, metres.
fn inflated_lower(bodies: &Bodies<'_>, at: [u32; 2], answer: &Answer) -> f64 {
    let [a, b] = bodies.pieces(at);
    answer.lower - (a.radius + b.radius)
}

/// Bounds the depth of overlapping pieces. `distance` becomes minus the length of the shortest
/// translation that was checked, `lower` its bound, and `upper` stays that of the deepest pair.
pub(super) fn bound_depth(
    bodies: &Bodies<'_>,
    options: &QueryOptions,
    answers: &[PieceAnswer],
    row: &mut Proximity,
    work: &mut DepthWork<'_, '_>,
) {
    let Some((length, n)) = shortest_separation(bodies, options, answers, 0.0, work) else {
        (row.lower, row.upper, row.method) = (f64::NAN, f64::NAN, Method::None);
        return;
    };
    row.distance = -length;
    row.lower = lower_end(bodies, length);
    row.normal = n;
    row.method = Method::Bound;
}

/// The lower end for bodies whose pieces may reach farther by `margin` together (metres), where
/// inflated by it they may overlap, and the direction of its translation: NaN if there is no proof.
/// A translation that separates the stored bodies may press the inflated ones together elsewhere,
/// so it is checked with the margin.
pub(super) fn lower_end_within(
    bodies: &Bodies<'_>,
    options: &QueryOptions,
    answers: &[PieceAnswer],
    margin: f64,
    work: &mut DepthWork<'_, '_>,
) -> (f64, Vec3<f64>) {
    let shortest = shortest_separation(bodies, options, answers, margin, work);
    shortest.map_or((f64::NAN, Vec3::ZERO), |(length, n)| (lower_end(bodies, length), n))
}

fn lower_end(bodies: &Bodies<'_>, length: f64) -> f64 {
    -length - f64::EPSILON * bodies.size()
}

/// The shortest translation of B found that is proven to leave at least `margin` (metres) between
/// all pairs of pieces: its length, metres, and its direction.
fn shortest_separation(
    bodies: &Bodies<'_>,
    options: &QueryOptions,
    answers: &[PieceAnswer],
    margin: f64,
    work: &mut DepthWork<'_, '_>,
) -> Option<(f64, Vec3<f64>)> {
    let mut near: Vec<&PieceAnswer> = answers.iter().filter(|p| p.row.distance < margin).collect();
    near.sort_by(|x, y| x.row.distance.total_cmp(&y.row.distance).then(x.at.cmp(&y.at)));
    let mut directions: Vec<(Vec3<f64>, f64)> =
        near.iter().take(DIRECTIONS).map(|p| (p.answer.normal, margin - p.row.lower)).collect();
    let all = QueryOptions { within: f64::INFINITY, ..*options };
    let (ha, hb) = (bodies.a.hull(), bodies.b.hull());
    let hulls = solve(&bodies.parts(ha, hb), f64::INFINITY, work.hulls, work.solver, work.stats)
        .answered()
        .map(|h| h.inflated((&ha.core, ha.radius), (&hb.core, hb.radius), bodies.size(), &all));
    // Convex bodies come apart by their depth and the margin along the one direction; pieces that
    // overlap within rounding may have hulls that do not.
    let mut best: Option<(f64, Vec3<f64>)> =
        hulls.filter(|h| !h.lower.is_nan()).map(|h| ((margin - h.lower).next_up().max(0.0), h.normal));
    directions.sort_by(|x, y| x.1.total_cmp(&y.1));
    // No translation takes the deepest pair apart that is shorter than its depth.
    let start = directions.last().map_or(0.0, |d| d.1);
    for (n, _) in directions {
        let way = PieceWayOut { bodies, n, limit: best.map_or(f64::INFINITY, |b| b.0), margin };
        if let Some(length) = way.separating_length(&near, start, work) {
            best = Some((length, n));
        }
    }
    best
}

/// Lengths by which B is moved along one direction.
struct PieceWayOut<'a> {
    bodies: &'a Bodies<'a>,
    /// Unit, A's frame.
    n: Vec3<f64>,
    /// Lengths from here on are of no interest, metres.
    limit: f64,
    /// A pair is in the way unless it is proven to be at least this far apart, metres.
    margin: f64,
}

impl PieceWayOut<'_> {
    /// A length below the limit that leaves at least the margin between all pairs of pieces, proven
    /// at the moved pose, metres. `near`: pairs that are in the way at the bodies' own poses. No
    /// length below `start` separates them all.
    fn separating_length(&self, near: &[&PieceAnswer], start: f64, work: &mut DepthWork<'_, '_>) -> Option<f64> {
        let slack = self.slack();
        let mut length = start + slack;
        for p in near {
            let cache = work.memory.moved.pieces.at(p.at);
            let mut pair = PairWork { at: p.at, cache, solver: work.solver, stats: work.stats };
            if length >= self.limit {
                return None;
            }
            if self.lower(length, &mut pair)? < self.margin {
                length = self.end(length, &mut pair)?;
            }
        }
        let mut lengthenings = 0..LENGTHENINGS;
        let free = first_gap(length, |length| {
            let is_left = lengthenings.next().is_some() && length < self.limit;
            let end = is_left.then(|| self.free_of_all(length, work)).flatten().ok_or(NoProof)?;
            Ok(if end == length { end } else { end.max(length + slack) })
        });
        free.ok().map(|length| length + slack)
    }

    /// `length` if all pairs of pieces are out of the way there. Else a length beyond the intervals
    /// of the pairs that are in it, metres; `None` if a pair is not proven or in the way up to the
    /// limit.
    fn free_of_all(&self, length: f64, work: &mut DepthWork<'_, '_>) -> Option<f64> {
        let moved = self.bodies.shifted(self.n.scale(length));
        let mut search = PieceSearch::new(&moved, self.margin, &mut work.memory.moved, work.open);
        let mut next = length;
        while let Some(at) = search.next(work.stats) {
            let cache = search.memory.pieces.at(at);
            let mut pair = PairWork { at, cache, solver: work.solver, stats: work.stats };
            let Some(answer) = pair.solve(&moved, self.margin) else { continue };
            let lower = inflated_lower(&moved, at, &answer);
            if lower.is_nan() {
                return None;
            }
            if lower < self.margin && (next == length || self.lower(next, &mut pair)? < self.margin) {
                next = self.end(next, &mut pair)?;
            }
        }
        Some(next)
    }

    /// The end of the interval of a pair that is in the way at `length`, metres: more than
    /// `length`. `None` if it is not below the limit.
    fn end(&self, length: f64, pair: &mut PairWork<'_, '_>) -> Option<f64> {
        let [a, b] = self.bodies.pieces(pair.at);
        // At this length the supporting planes are apart by the margin.
        let beyond = self.margin - self.support_gap(a, b) + self.slack();
        let mut is_proven = true;
        let end = interval_end(beyond.min(self.limit), length, self.slack(), STEPS, |end| {
            let moved = self.bodies.shifted(self.n.scale(end));
            let answer = pair.solve(&moved, f64::INFINITY);
            let left = answer.map_or(f64::NAN, |answer| inflated_lower(&moved, pair.at, &answer) - self.margin);
            is_proven = left >= 0.0 || (left < 0.0 && end < self.limit);
            answer.filter(|_| is_proven).map(|answer| left / self.n.dot(answer.normal))
        });
        let end = end.max(length + self.slack());
        (is_proven && end < self.limit).then_some(end)
    }

    /// The proven signed distance at a length, metres, or the margin if it is larger.
    fn lower(&self, length: f64, pair: &mut PairWork<'_, '_>) -> Option<f64> {
        let moved = self.bodies.shifted(self.n.scale(length));
        let answer = pair.solve(&moved, self.margin);
        let lower = answer.map_or(self.margin, |answer| inflated_lower(&moved, pair.at, &answer));
        (!lower.is_nan()).then_some(lower)
    }

    /// The gap of the supporting planes of two pieces across the direction, metres.
    fn support_gap(&self, a: &Piece, b: &Piece) -> f64 {
        let pose = self.bodies.relative;
        let gap = self.n.dot(pose.t) - max_dot(&b.core, -pose.inverse_vector(self.n)) - max_dot(&a.core, self.n);
        gap - (a.radius + b.radius)
    }

    /// Returns the margin for rounding, metres.
    fn slack(&self) -> f64 {
        1e-12 * self.bodies.size()
    }
}
