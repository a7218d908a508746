//! The driver: queries in order, each sample culled, settled by a batch, or handed to the pair
//! solver. Queries answer about the bodies as they are stored; here their rows become those of the
//! true ones ([`Deviation::row`]).

use super::batch::at_rest::AtRest;
use super::batch::many_pairs;
use super::batch::one_pair::{Asked, OnePair};
use super::bodies::Bodies;
use super::cache::PairCache;
use super::compound::{CompoundSolver, PartsRow, row_of_pieces};
use super::culling::Culling;
use super::deviation::{Deviation, StoredRow};
use super::mesh::{self, MeshMemory};
use super::overlap_proof::{NOT_SOUGHT, OverlapDepths};
use super::pair_solver::{PairSolver, SearchMethod};
use super::query::PairQuery;
use super::relative::RelativePoses;
use super::round;
use super::solve_outcome::SolveOutcome;
use super::solver_stats::SolverStats;
use super::workspace::Workspace;
use clearsweep_geometry::{Inside, RelativePose};
use clearsweep_model::{AnswerKind, Proximity, QueryOptions};

/// Answers queries in order, each with its cache: rows go to `out`, and their ends to `ends`.
pub(crate) fn answer(
    search: SearchMethod,
    queries: &[PairQuery<'_>],
    options: &QueryOptions,
    caches: &mut [PairCache],
    work: &mut Workspace,
    stats: &mut SolverStats,
    (out, ends): (&mut Vec<Proximity>, &mut Vec<usize>),
) {
    debug_assert_eq!(queries.len(), caches.len(), "a cache for each query");
    if options.answer != AnswerKind::Depth {
        // A surface, which a query for the depth may have left, would bring it back.
        caches.iter_mut().for_each(|cache| drop(cache.hulls.take_surface()));
    }
    let (mut queries, mut caches) = (queries, caches);
    while let Some(first) = queries.first() {
        let deviation = Deviation::of(first.a, first.b);
        let (group, later) = queries.split_at(many_pairs::group(queries));
        let (group_caches, rest) = caches.split_at_mut(group.len());
        (queries, caches) = (later, rest);
        let stored = QueryOptions { within: deviation.cutoff(options.within), ..*options };
        work.batch.many_pairs.ask(search, group, &stored, group_caches, stats);
        for (i, (query, cache)) in group.iter().zip(group_caches).enumerate() {
            let begin = out.len();
            let first = work.batch.many_pairs.first(i, query, &stored, stats, out);
            let from = Remaining::after(first, query);
            if from.samples != 0 {
                answer_samples(search, work, query, from, &stored, cache, stats, out);
            }
            if deviation.by > 0.0 {
                keep_true_rows(query, options, begin, out);
            }
            ends.push(out.len());
        }
    }
}

/// Makes the rows from `begin` on those of the true bodies, and drops those beyond the cut-off.
/// Rows of bodies that are not convex are about the true bodies already.
fn keep_true_rows(query: &PairQuery<'_>, options: &QueryOptions, begin: usize, out: &mut Vec<Proximity>) {
    let is_convex = query.a.only_piece().is_some() && query.b.only_piece().is_some();
    let deviation = if is_convex { Deviation::of(query.a, query.b) } else { Deviation::NONE };
    let mut kept = begin;
    for at in begin..out.len() {
        let stored = if is_sought(&out[at]) { StoredRow::new(out[at]) } else { StoredRow::of_overlap(out[at]) };
        let row = deviation.row(stored, options, |_| None);
        // A row without a proof is always written.
        if row.lower <= options.within || row.lower.is_nan() {
            out[kept] = row;
            kept += 1;
        }
    }
    out.truncate(kept);
}

/// The samples of a query that are still to be answered.
struct Remaining {
    samples: u64,
    /// A gap of the bodies that was proven in a sample before them, metres, and the pose there.
    gap: Option<(f64, RelativePose<f64>)>,
}

impl Remaining {
    /// After what is known of the first sample.
    #[inline]
    fn after(first: SolveOutcome<()>, query: &PairQuery<'_>) -> Self {
        let samples = query.samples & query.samples.wrapping_sub(1);
        match first {
            SolveOutcome::Undecided => Self { samples: query.samples, gap: None },
            SolveOutcome::Beyond { gap, .. } if samples != 0 => {
                let sample = query.samples.trailing_zeros() as usize;
                let at = RelativePose::between(&query.poses_a.at(sample), &query.poses_b.at(sample));
                Self { samples, gap: Some((gap, at)) }
            }
            SolveOutcome::Beyond { .. } | SolveOutcome::Answered(()) => Self { samples, gap: None },
        }
    }
}

/// Answers samples of one query in order. Each is culled, or settled together with others, or
/// handed to the pair solver.
fn answer_samples(
    search: SearchMethod,
    work: &mut Workspace,
    query: &PairQuery<'_>,
    from: Remaining,
    options: &QueryOptions,
    cache: &mut PairCache,
    stats: &mut SolverStats,
    out: &mut Vec<Proximity>,
) {
    let Workspace { relative, batch, polytope, meshes, compounds, .. } = work;
    let mut left = from.samples;
    let relative = RelativePoses::new(query.poses_a, query.poses_b, left, relative);
    let mut batch = OnePair::new(search, query, options, &relative, cache, &mut batch.one_pair);
    let mut solver = PairSolver { search, single: query.samples.is_power_of_two(), polytope, overlap: None };
    out.reserve(left.count_ones() as usize);
    let mut culling = Culling::new(query, options, &relative, cache.hulls.learned.axis);
    // Through a hole a body gets inside of an open mesh without coming near to its surface: no gap
    // outlasts that motion.
    let outlasts = [query.a, query.b].iter().all(|body| body.inside() != Inside::Winding);
    if let Some((gap, at)) = from.gap {
        culling.beyond(gap, at, None);
    }
    let mut at_rest = AtRest::new(query, options, &relative);
    left &= !at_rest.resume(cache.resting.as_deref(), left, stats, out);
    while left != 0 {
        let stretch = match culling.next(left, stats) {
            Ok(stretch) => stretch,
            Err(ruled_out) => {
                left &= !ruled_out;
                continue;
            }
        };
        let before = out.len();
        let taken = batch.take(stretch, stats, out);
        if taken != 0 {
            culling.near();
            left &= !taken;
            let last = 63 - taken.leading_zeros() as usize % 64;
            let row = out[before..].last().copied().filter(|row| usize::from(row.sample) == last);
            left &= !at_rest.repeated(last, row, left, stats, out);
            continue;
        }
        let sample = left.trailing_zeros() as usize;
        left &= left - 1;
        let mut outcome = batch.answer(Asked { sample, left }, &mut culling, cache, stats);
        if matches!(outcome, SolveOutcome::Undecided) {
            let (pose_a, pose_b) = (query.poses_a.at(sample), query.poses_b.at(sample));
            let bodies = Bodies { a: query.a, b: query.b, pose_a, pose_b, relative: relative.at(sample) };
            let before = stats.verified + stats.surface_verified;
            let ahead = || relative.motions(sample, left, query.b.radius);
            let compound = CompoundSolver { solver: &mut solver, work: compounds, cache, stats };
            outcome = row_of_bodies(&bodies, options, compound, meshes, ahead).reported(sample, options);
            batch.answered_alone(stats.verified + stats.surface_verified > before, cache);
        }
        match outcome {
            SolveOutcome::Beyond { gap, normal } => {
                culling.beyond(if outlasts { gap } else { 0.0 }, relative.at(sample), normal);
            }
            SolveOutcome::Answered(row) => {
                culling.near();
                if let Some(row) = row {
                    out.push(row);
                }
                left &= !at_rest.repeated(sample, row, left, stats, out);
            }
            SolveOutcome::Undecided => debug_assert!(false, "the pair solver decides"),
        }
    }
    cache.hulls.learned.axis = culling.axis();
    at_rest.remember(&mut cache.resting);
}

/// Whether the depth of a row was searched for. The supporting planes of hulls, which stand in its
/// place, are those of the inflated bodies too.
fn is_sought(row: &Proximity) -> bool {
    row.feature[0] != NOT_SOUGHT
}

/// The row of two bodies at their poses, or the proof that the stored ones are farther apart than
/// `options.within`. The row of two convex bodies is as they are stored, all others are of the true
/// ones. `ahead`: how far B moves in A's frame to the next sample, and at most in all that are to
/// come, metres.
fn row_of_bodies(
    bodies: &Bodies<'_>,
    options: &QueryOptions,
    mut compound: CompoundSolver<'_, '_>,
    meshes: &mut MeshMemory,
    ahead: impl Fn() -> [f64; 2],
) -> SolveOutcome<Proximity> {
    let overlap = OverlapDepths::of(bodies, options);
    compound.solver.overlap = overlap;
    if let (Some(a), Some(b)) = (bodies.a.only_piece(), bodies.b.only_piece()) {
        let CompoundSolver { solver, cache, stats, .. } = compound;
        return row_of_pieces(bodies, [a, b], options, &mut cache.hulls, solver, stats);
    }
    let deviation = Deviation::of(bodies.a, bodies.b);
    if bodies.a.mesh.is_none() && bodies.b.mesh.is_none() {
        return compound.row(bodies, options, deviation.by, Some(meshes)).map(|stored| {
            let inflated = |by| is_sought(&stored.row).then(|| compound.lower_end(bodies, options, by));
            deviation.row(stored, options, inflated)
        });
    }
    let CompoundSolver { solver, work, cache, stats } = compound;
    let (mut remembered, mut of_parts) = (cache.meshes.take(), None);
    let mut parts = |stats: &mut SolverStats| {
        let mut compound = CompoundSolver { solver: &mut *solver, work: &mut *work, cache: &mut *cache, stats };
        of_parts = (deviation.by == 0.0).then(|| PartsRow::of(bodies, options, &mut compound)).flatten();
        of_parts.as_ref().map(PartsRow::depth)
    };
    let outcome = mesh::query(bodies, options, overlap, &mut parts, &mut remembered, meshes, stats, ahead);
    cache.meshes = remembered;
    outcome.map(|(stored, pair)| {
        let inflated = |by| if is_sought(&stored.row) { pair.lower_end_inflated(by, meshes) } else { None };
        let row = deviation.row(stored, options, inflated);
        let joined = of_parts.filter(|_| is_sought(&row)).map_or(row, |parts| parts.joined(row, options));
        let is_deep = |depths: &OverlapDepths| is_sought(&row) && of_parts.is_some() && joined.upper < -depths.bodies;
        let row = overlap.filter(is_deep).map_or(joined, |depths| depths.row(bodies));
        round::beside_mesh(bodies, options, row, meshes)
    })
}
