//! Bodies whose true surfaces are known up to a deviation: they are answered as they are stored, and the bracket is widened.
//!
//! If at no point the signed distance to a true body differs from that to the stored one by more than `d`, in sum over both bodies,
//! the true signed distance of convex bodies differs from that of the stored ones by at most `d` (docs/guide/bracket.md). A decomposition of one
//! piece may fill a hole of the true body: then the upper end of bodies that overlap is `d`. Bodies of pieces and meshes need a translation that leaves `d` between them: their narrow phases find it, and their rows are final.

use super::answer::with_bracket;
use super::cache::PairCache;
use super::deviation::{deviation_of, not_below, reached, widened};
use super::driver;
use super::pair_solver::SearchMethod;
use super::query::PairQuery;
use super::solver_stats::SolverStats;
use super::workspace::Workspace;
use clearsweep_model::Proximity;
use clearsweep_model::QueryOptions;

/// Answers like [`driver::answer`], with the brackets, the statuses and the choice of rows that the deviations of the bodies leave.
pub(super) fn answer(
    search: SearchMethod,
    queries: &[PairQuery<'_>],
    options: &QueryOptions,
    caches: &mut [PairCache],
    work: &mut Workspace,
    stats: &mut SolverStats,
    (out, ends): (&mut Vec<Proximity>, &mut Vec<usize>),
) {
    let (mut queries, mut caches) = (queries, caches);
    while let Some(first) = queries.first() {
        let kind = |query: &PairQuery<'_>| {
            (deviation_of(query.a, query.b), is_widened_here(query), query.a.proven_depth(query.b))
        };
        let (by, here, depth) = kind(first);
        let alike = queries.iter().take_while(|query| kind(query) == (by, here, depth)).count();
        let (group, later) = queries.split_at(alike);
        let (group_caches, rest) = caches.split_at_mut(alike);
        (queries, caches) = (later, rest);
        if by == 0.0 {
            driver::answer(search, group, options, group_caches, work, stats, (out, ends));
            continue;
        }
        let (rows, answered) = (out.len(), ends.len());
        let wider = QueryOptions { within: reached(options.within, by), ..*options };
        driver::answer(search, group, &wider, group_caches, work, stats, (out, ends));
        let (by, depth) = if here { (by, depth) } else { (0.0, f64::INFINITY) };
        widen(options, (by, depth), rows, out, &mut ends[answered..]);
    }
}

/// Whether the rows of a query are those of the stored bodies: both are convex.
fn is_widened_here(query: &PairQuery<'_>) -> bool {
    query.a.only_piece().is_some() && query.b.only_piece().is_some()
}

/// Widens the rows from `first` on, which end at `ends` query by query, and drops those beyond the cut-off; `depth`: what an overlap
/// of the stored bodies proves at most.
fn widen(options: &QueryOptions, (by, depth): (f64, f64), first: usize, out: &mut Vec<Proximity>, ends: &mut [usize]) {
    let (mut from, mut kept) = (first, first);
    for end in ends {
        for row in from..*end {
            let [lower, upper] = widened([out[row].lower, not_below(out[row].upper, -depth)], by);
            // A row without a proof is always written.
            if lower <= options.within || lower.is_nan() {
                out[kept] = with_bracket(out[row], [lower, upper], options);
                kept += 1;
            }
        }
        from = *end;
        *end = kept;
    }
    out.truncate(kept);
}
