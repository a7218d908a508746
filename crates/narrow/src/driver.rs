//! The driver: queries in order, each sample culled, settled by a batch, or handed to the pair solver.

use super::batch::at_rest::AtRest;
use super::batch::many_pairs;
use super::batch::one_pair::{Asked, OnePair};
use super::bodies::Bodies;
use super::cache::PairCache;
use super::compound;
use super::culling::Culling;
use super::mesh;
use super::pair_solver::{PairSolver, SearchMethod};
use super::query::PairQuery;
use super::relative::RelativePoses;
use super::solve_outcome::SolveOutcome;
use super::solver_stats::SolverStats;
use super::workspace::Workspace;
use clearsweep_geometry::{Inside, RelativePose};
use clearsweep_model::Proximity;
use clearsweep_model::QueryOptions;

/// Answers queries in order, each with its cache: appends their rows to `out`, and after each query the length of `out` to `ends`.
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
    let (mut queries, mut caches) = (queries, caches);
    while !queries.is_empty() {
        let (group, later) = queries.split_at(many_pairs::group(queries));
        let (group_caches, rest) = caches.split_at_mut(group.len());
        (queries, caches) = (later, rest);
        work.batch.many_pairs.ask(search, group, options, group_caches, stats);
        for (i, (query, cache)) in group.iter().zip(group_caches).enumerate() {
            let first = work.batch.many_pairs.first(i, query, options, stats, out);
            let from = Remaining::after(first, query);
            if from.samples != 0 {
                answer_samples(search, work, query, from, options, cache, stats, out);
            }
            ends.push(out.len());
        }
    }
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

/// Answers samples of one query in order. Each is culled, or settled together with others, or handed to the pair solver.
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
    let mut solver = PairSolver { search, single: query.samples.is_power_of_two(), polytope };
    out.reserve(left.count_ones() as usize);
    let mut culling = Culling::new(query, options, &relative, cache.hulls.learned.axis);
    // Through a hole a body gets inside of an open mesh without coming near to its surface: no gap outlasts that motion.
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
            let found = if bodies.a.mesh.is_some() || bodies.b.mesh.is_some() {
                let ahead = || relative.motions(sample, left, query.b.radius);
                match mesh::query(&bodies, options, &mut cache.meshes, meshes, stats, ahead) {
                    SolveOutcome::Answered(row) => SolveOutcome::Answered(compound::row_of_parts(
                        &bodies,
                        options,
                        row,
                        (&mut solver, compounds, cache),
                        stats,
                    )),
                    other => other,
                }
            } else {
                compound::query(&bodies, options, cache, (&mut solver, compounds, Some(meshes)), stats)
            };
            outcome = found.reported(sample, options);
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
