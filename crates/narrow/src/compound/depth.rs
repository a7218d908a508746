//! The depth of overlapping bodies of pieces: at most the length of a translation that is checked to separate all pairs, with the margin
//! by which the true bodies may reach farther.

use super::piece_pairs::PieceAnswer;
use super::tree_search::{OpenNodes, PieceSearch};
use crate::bodies::Bodies;
use crate::cache::{CompoundMemory, PieceCache};
use crate::pair_solver::{PairSolver, solve};
use crate::solve_outcome::SolveOutcome;
use crate::solver_stats::SolverStats;
use clearsweep_geometry::{Polyhedron, Vec3};
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
    pub(super) open: &'w mut Vec<OpenNodes>,
    pub(super) solver: &'w mut PairSolver<'l>,
    pub(super) stats: &'w mut SolverStats,
}

/// Working memory of a query of one pair of pieces.
type PairWork<'w, 'l> = (&'w mut PieceCache, &'w mut PairSolver<'l>, &'w mut SolverStats);

/// Bounds the depth of overlapping pieces. `distance` becomes minus the length of the shortest translation that was checked, `lower` its
/// bound, and `upper` stays that of the deepest pair.
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
    row.method = Method::Bound;
}

/// The lower end for bodies whose pieces may reach farther by `margin` together (metres), where inflated by it they may overlap, and the
/// direction of its translation: NaN if there is no proof. What separates the stored bodies may press the inflated ones together elsewhere, so the translation is checked with
/// the margin.
pub(super) fn lower_end_within(
    bodies: &Bodies<'_>,
    options: &QueryOptions,
    found: &[PieceAnswer],
    margin: f64,
    work: &mut DepthWork<'_, '_>,
) -> (f64, Vec3<f64>) {
    let found = shortest_separation(bodies, options, found, margin, work);
    found.map_or((f64::NAN, Vec3::ZERO), |(length, n)| (lower_end(bodies, length), n))
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
    let hulls = solve(&bodies.parts(ha, hb), f64::INFINITY, work.hulls, work.solver, work.stats)
        .answered()
        .map(|h| h.inflated((&ha.core, ha.radius), (&hb.core, hb.radius), bodies.size(), &all));
    // Convex bodies come apart by their depth and the margin along the one direction.
    let mut best: Option<(f64, Vec3<f64>)> =
        hulls.filter(|h| h.lower < margin).map(|h| ((margin - h.lower).next_up(), h.normal));
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
    /// Pairs that are not proven to be so far apart are in the way, metres.
    margin: f64,
}

impl PieceWayOut<'_> {
    /// A length below the limit that leaves at least the margin between all pairs of pieces, proven at the moved pose; metres. `near`: pairs
    /// that are in the way where the bodies are; no length below `start` separates them all.
    ///
    /// The signed distance of two convex pieces is a convex function of the length, so each pair is in the way at an interval of
    /// lengths. From the start on, the ends of intervals that hold the length reached are gone to, until none holds it.
    fn separating_length(&self, near: &[&PieceAnswer], start: f64, work: &mut DepthWork<'_, '_>) -> Option<f64> {
        let slack = self.slack();
        let mut length = start + slack;
        for p in near {
            let cache = work.memory.moved.pieces.at(p.at);
            if length >= self.limit {
                return None;
            }
            if self.lower(p.at, length, (cache, work.solver, work.stats))? < self.margin {
                length = self.end(p.at, length, (cache, work.solver, work.stats))?;
            }
        }
        for _ in 0..LENGTHENINGS {
            if length >= self.limit {
                return None;
            }
            let next = self.free_of_all(length, work)?;
            if next == length {
                return Some(length + slack);
            }
            length = next.max(length + slack);
        }
        None
    }

    /// `length` if all pairs of pieces are out of the way there, else a length beyond the intervals of those that are in it, metres; `None` if
    /// one is not proven or stays in the way up to the limit.
    fn free_of_all(&self, length: f64, work: &mut DepthWork<'_, '_>) -> Option<f64> {
        let moved = self.bodies.shifted(self.n.scale(length));
        let mut search = PieceSearch::new(&moved, self.margin, &mut work.memory.moved, work.open);
        let mut next = length;
        while let Some(at) = search.next(work.stats) {
            let [a, b] = moved.pieces(at);
            let cache = search.memory.pieces.at(at);
            let solved = solve(&moved.parts(a, b), self.margin, cache, work.solver, work.stats);
            let SolveOutcome::Answered(answer) = solved else { continue };
            let lower = answer.lower - (a.radius + b.radius);
            if lower.is_nan() {
                return None;
            }
            let is_in_way = |length, work: PairWork<'_, '_>| Some(self.lower(at, length, work)? < self.margin);
            if lower < self.margin && (next == length || is_in_way(next, (cache, work.solver, work.stats))?) {
                next = self.end(at, next, (cache, work.solver, work.stats))?;
            }
        }
        Some(next)
    }

    /// The end of the interval of a pair that is in the way at `length`, approached from beyond by Newton's steps, metres: more than
    /// `length`; `None` if it is not below the limit.
    fn end(&self, at: [u32; 2], length: f64, (cache, solver, stats): PairWork<'_, '_>) -> Option<f64> {
        let [a, b] = self.bodies.pieces(at);
        // There the supporting planes of both are as far apart as the margin asks.
        let beyond = self.margin - self.support_gap(a, b) + self.slack();
        let mut end = beyond.min(self.limit);
        for _ in 0..STEPS {
            let moved = self.bodies.shifted(self.n.scale(end));
            let SolveOutcome::Answered(found) = solve(&moved.parts(a, b), f64::INFINITY, cache, solver, stats) else {
                return None;
            };
            let left = found.lower - (a.radius + b.radius) - self.margin;
            if left.is_nan() || (left < 0.0 && end >= self.limit) {
                return None;
            }
            // Nearer than this plane allows the pieces are not until B is back by so much.
            let step = left / self.n.dot(found.normal);
            // Where the step is none, rounding ends the approach.
            if step.is_nan() || step <= 0.0 {
                break;
            }
            end -= step;
            if step <= self.slack() || end <= length {
                break;
            }
        }
        let end = end.max(length + self.slack());
        (end < self.limit).then_some(end)
    }

    /// The proven signed distance of a pair where B is moved by `length`, metres, or the margin if it is larger; `None` if there is none.
    fn lower(&self, at: [u32; 2], length: f64, (cache, solver, stats): PairWork<'_, '_>) -> Option<f64> {
        let moved = self.bodies.shifted(self.n.scale(length));
        let [a, b] = moved.pieces(at);
        match solve(&moved.parts(a, b), self.margin, cache, solver, stats) {
            SolveOutcome::Answered(answer) => {
                Some(answer.lower - (a.radius + b.radius)).filter(|lower| !lower.is_nan())
            }
            SolveOutcome::Beyond { .. } | SolveOutcome::Undecided => Some(self.margin),
        }
    }

    /// The gap of the supporting planes of two pieces across the direction, metres.
    fn support_gap(&self, a: &Piece, b: &Piece) -> f64 {
        let pose = self.bodies.relative;
        let most = |of: &Polyhedron, n: Vec3<f64>| {
            (0..of.count).map(|v| of.vertex(v as u32).dot(n)).fold(f64::NEG_INFINITY, f64::max)
        };
        let gap = self.n.dot(pose.t) - most(&b.core, -pose.inverse_vector(self.n)) - most(&a.core, self.n);
        gap - (a.radius + b.radius)
    }

    /// Returns the margin for rounding, metres.
    fn slack(&self) -> f64 {
        1e-12 * self.bodies.size()
    }
}
