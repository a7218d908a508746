//! Bodies of several convex pieces: the nearest pair of pieces, and a bracket of the depth.
//!
//! The signed distance of the unions is not a function of one pair of pieces once they overlap: the
//! depth is at least that of the deepest pair, and at most the length of any translation that is
//! *checked* to separate all pairs.

mod depth;
mod piece_pairs;
mod tree_search;

use self::depth::{DepthWork, bound_depth, lower_end_within};
use self::piece_pairs::PieceAnswer;
use self::tree_search::{NodeGap, OpenNodes, PieceSearch};
use super::answer::status;
use super::bodies::Bodies;
use super::branch_and_bound::DepthFirst;
use super::cache::{PairCache, PieceCache};
use super::deviation::StoredRow;
use super::mesh::{KnownDepth, MeshMemory, overlap_witnesses};
use super::overlap_proof::NOT_SOUGHT;
use super::pair_solver::{PairSolver, solve};
use super::solve_outcome::SolveOutcome;
use super::solver_stats::SolverStats;
use clearsweep_geometry::Vec3;
use clearsweep_model::{Method, Proximity, Status};
use clearsweep_model::{Piece, QueryOptions, convex_parts};

/// Working memory of queries of bodies of pieces.
#[derive(Debug, Default)]
pub(super) struct CompoundWork {
    open: DepthFirst<OpenNodes>,
    /// Answers of the pairs of pieces that were solved.
    answers: Vec<PieceAnswer>,
}

/// The row of two bodies of one piece each.
pub(super) fn row_of_pieces(
    bodies: &Bodies<'_>,
    [a, b]: [&Piece; 2],
    options: &QueryOptions,
    cache: &mut PieceCache,
    solver: &mut PairSolver<'_>,
    stats: &mut SolverStats,
) -> SolveOutcome<Proximity> {
    let outcome = solve(&bodies.parts(a, b), options.within, cache, solver, stats);
    outcome.map(|answer| {
        let row = answer.inflated((&a.core, a.radius), (&b.core, b.radius), bodies.size(), options);
        if answer.method == Method::Bound { Proximity { feature: [NOT_SOUGHT; 2], ..row } } else { row }
    })
}

/// The pair solver of two bodies of pieces, with their cache and its working memory.
pub(super) struct CompoundSolver<'w, 'l> {
    pub(super) solver: &'w mut PairSolver<'l>,
    pub(super) work: &'w mut CompoundWork,
    pub(super) cache: &'w mut PairCache,
    pub(super) stats: &'w mut SolverStats,
}

impl CompoundSolver<'_, '_> {
    /// The row of two bodies of pieces, as they are stored, or the proof that they are farther
    /// apart than `options.within`. `margin`: all pairs of pieces that are no farther apart are
    /// solved, metres. `meshes`: `None` if no witness points of an overlap are asked for.
    pub(super) fn row(
        &mut self,
        bodies: &Bodies<'_>,
        options: &QueryOptions,
        margin: f64,
        meshes: Option<&mut MeshMemory>,
    ) -> SolveOutcome<StoredRow> {
        let PairCache { hulls, compound, .. } = &mut *self.cache;
        let memory = compound.get_or_insert_default();
        // If the pair was apart before, try the hulls first: they give the largest gap.
        if std::mem::take(&mut memory.apart) {
            let whole = bodies.parts(bodies.a.hull(), bodies.b.hull());
            let outcome = solve(&whole, options.within, hulls, self.solver, self.stats);
            if let SolveOutcome::Beyond { gap, normal } = outcome {
                memory.apart = true;
                return SolveOutcome::Beyond { gap, normal };
            }
        }
        let CompoundWork { open, answers } = &mut *self.work;
        let mut work = DepthWork { hulls, memory, open, solver: self.solver, stats: self.stats };
        let outcome = nearest_row(bodies, options, margin, &mut work, answers, meshes);
        memory.apart = matches!(outcome, SolveOutcome::Beyond { .. });
        outcome
    }

    /// The lower end of two bodies of pieces inflated by `by` together (metres) that may overlap,
    /// and the direction of its translation: NaN without a proof. To be asked after [`Self::row`]
    /// with that margin.
    pub(super) fn lower_end(&mut self, bodies: &Bodies<'_>, options: &QueryOptions, by: f64) -> (f64, Vec3<f64>) {
        self.solver.overlap = None;
        let PairCache { hulls, compound, .. } = &mut *self.cache;
        let CompoundWork { open, answers } = &mut *self.work;
        let memory = compound.get_or_insert_default();
        let mut work = DepthWork { hulls, memory, open, solver: self.solver, stats: self.stats };
        lower_end_within(bodies, options, answers, by, &mut work)
    }
}

/// The row of two overlapping bodies of triangles, as the convex parts that they are exactly.
#[derive(Debug, Clone, Copy)]
pub(super) struct PartsRow {
    row: Proximity,
    /// Whether each is of one part.
    are_convex: bool,
}

impl PartsRow {
    /// Finds the row of bodies without deviation; `None` if one has no parts, or without a proof.
    pub(super) fn of(
        bodies: &Bodies<'_>,
        options: &QueryOptions,
        compound: &mut CompoundSolver<'_, '_>,
    ) -> Option<Self> {
        let (a, b) = (convex_parts(bodies.a)?, convex_parts(bodies.b)?);
        let (of_parts, all) = (Bodies { a, b, ..*bodies }, QueryOptions { within: f64::INFINITY, ..*options });
        let overlap = compound.solver.overlap.take();
        let outcome = match (a.only_piece(), b.only_piece()) {
            (Some(a), Some(b)) => {
                let CompoundSolver { solver, cache, stats, .. } = &mut *compound;
                row_of_pieces(&of_parts, [a, b], &all, &mut cache.hulls, solver, stats)
            }
            _ => compound.row(&of_parts, &all, 0.0, None).map(|stored| stored.row),
        };
        compound.solver.overlap = overlap;
        let are_convex = a.only_piece().is_some() && b.only_piece().is_some();
        outcome.answered().filter(|row| !row.lower.is_nan()).map(|row| Self { row, are_convex })
    }

    /// The bracket of the depth.
    pub(super) fn depth(&self) -> KnownDepth {
        KnownDepth { lower: -self.row.upper, upper: -self.row.lower, normal: self.row.normal }
    }

    /// Returns the row of the triangles with the common part of both brackets, that of `row` and
    /// that of the parts, and with the value and the direction of the sharper lower end. The
    /// witness points of two convex bodies are those of their hulls.
    pub(super) fn joined(&self, row: Proximity, options: &QueryOptions) -> Proximity {
        let Self { row: parts, are_convex } = self;
        if row.method != Method::Bound {
            return row;
        }
        // The translation of the lower end goes along the normal of the row that it is of.
        let (lower, normal, length) = match parts.lower > row.lower {
            true => (parts.lower, parts.normal, parts.lower),
            false => (row.lower, row.normal, row.distance),
        };
        let upper = row.upper.min(parts.upper);
        if lower > upper {
            return row;
        }
        let status = status(lower, upper, options);
        let distance = if status == Status::Touching { upper.min(0.0) } else { length.min(upper) };
        let Proximity { point_a, point_b, .. } = if *are_convex { *parts } else { row };
        Proximity { status, distance, lower, upper, normal, point_a, point_b, ..row }
    }
}

/// The row of the nearest pair of pieces, else the gap of all pairs, metres.
fn nearest_row(
    bodies: &Bodies<'_>,
    options: &QueryOptions,
    margin: f64,
    work: &mut DepthWork<'_, '_>,
    answers: &mut Vec<PieceAnswer>,
    meshes: Option<&mut MeshMemory>,
) -> SolveOutcome<StoredRow> {
    if let Err(NodeGap { gap, normal }) = nearest_parts(bodies, options, margin, work, answers) {
        return SolveOutcome::Beyond { gap, normal: Some(normal) };
    }
    if let Some(overlap) = work.solver.overlap
        && let Some(deep) = answers.iter().find(|p| p.row.upper < -overlap.bodies)
    {
        work.memory.nearest = Some(deep.at);
        return SolveOutcome::Answered(StoredRow::of_overlap(overlap.row(bodies)));
    }
    if let Some(unproven) = answers.iter().find(|p| p.row.lower.is_nan()) {
        return SolveOutcome::Answered(StoredRow::new(unproven.row));
    }
    // The least distance; of equals the lowest pieces, which come first.
    let Some(least) = answers.iter().reduce(|x, y| if y.row.distance < x.row.distance { y } else { x }) else {
        return SolveOutcome::Beyond { gap: work.memory.gap, normal: None };
    };
    work.memory.nearest = Some(least.at);
    let mut row = least.row;
    row.lower = answers.iter().fold(row.lower, |l, p| l.min(p.row.lower));
    row.upper = answers.iter().fold(row.upper, |u, p| u.min(p.row.upper));
    let is_overlapping = row.distance < 0.0;
    if is_overlapping {
        let [a, b] = [row.point_a, row.point_b];
        // The depth of the hulls is one of its ends.
        let overlap = work.solver.overlap.take();
        bound_depth(bodies, options, answers, &mut row, work);
        work.solver.overlap = overlap;
        if let Some(meshes) = meshes {
            [row.point_a, row.point_b] = overlap_witnesses(bodies, row.normal, &[(a + b).scale(0.5), a, b], meshes);
        }
    }
    row.status = status(row.lower, row.upper, options);
    let near_zero = is_overlapping.then_some(if row.upper < 0.0 { least.row.distance } else { 0.0 });
    SolveOutcome::Answered(StoredRow { near_zero, ..StoredRow::new(row) })
}

/// Finds all pairs of pieces that may be the nearest, and all that are no farther apart than
/// `margin` (metres), in the order of the pieces. The memory keeps the least gap that was proven of
/// the others.
///
/// # Errors
/// The whole bodies are beyond the cut-off.
fn nearest_parts(
    bodies: &Bodies<'_>,
    options: &QueryOptions,
    margin: f64,
    DepthWork { memory, open, solver, stats, .. }: &mut DepthWork<'_, '_>,
    answers: &mut Vec<PieceAnswer>,
) -> Result<(), NodeGap> {
    answers.clear();
    let mut search = PieceSearch::new(bodies, options.within, &mut memory.here, open);
    let is_finite = bodies.is_finite();
    if is_finite && let Some(apart) = search.separates([0, 0], stats) {
        return Err(apart);
    }
    let counts = [bodies.a, bodies.b].map(|body| body.pieces.len());
    let is_pair = |&[i, j]: &[u32; 2]| (i as usize) < counts[0] && (j as usize) < counts[1];
    // The last nearest pair likely gives a low upper bound. Any pair shows numbers that overflow.
    let first = if is_finite { memory.nearest.filter(is_pair) } else { Some([0, 0]) };
    stats.piece_pairs += u64::from(first.is_some());
    let mut next = first.or_else(|| search.next(stats));
    let mut is_decided = false;
    while let Some(at) = next {
        let [a, b] = bodies.pieces(at);
        match solve(&bodies.parts(a, b), search.cutoff, search.memory.pieces.at(at), solver, stats) {
            SolveOutcome::Answered(answer) => {
                let mut row = answer.inflated((&a.core, a.radius), (&b.core, b.radius), bodies.size(), options);
                row.part = at.map(|piece| piece as i32);
                is_decided = solver.overlap.is_some_and(|overlap| row.upper < -overlap.bodies);
                if row.upper < search.cutoff {
                    search.cutoff = search.cutoff.min(row.upper.max(margin));
                }
                answers.push(PieceAnswer { at, answer, row });
            }
            SolveOutcome::Beyond { gap, .. } => search.leave_out(gap),
            SolveOutcome::Undecided => {}
        }
        if !is_finite || is_decided {
            break;
        }
        next = search.next(stats);
        if next == first && next.is_some() {
            next = search.next(stats);
        }
    }
    memory.gap = search.gap;
    answers.sort_unstable_by_key(|p| p.at);
    Ok(())
}
