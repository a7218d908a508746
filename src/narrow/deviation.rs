//! Bodies whose true surfaces are known up to a deviation: they are answered as they are stored, and the bracket is widened.
//!
//! If no point of the true surfaces is farther than `d` from the stored ones, and none of the stored ones from the true ones, in
//! sum over both bodies, the true signed distance differs from that of the stored bodies by at most `d` (docs/bracket.md).

use super::answer::status;
use super::batch;
use super::cache::PairCache;
use super::ladder::SearchMethod;
use super::proximity::Proximity;
use super::query::PairQuery;
use super::routes::Routes;
use super::workspace::Workspace;
use crate::scene::{QueryOptions, Shape};

/// The deviations of two bodies together, rounded up, metres.
pub(crate) fn deviation_of(a: &Shape, b: &Shape) -> f64 {
    match (a.deviation, b.deviation) {
        (0.0, alone) | (alone, 0.0) => alone,
        (one, other) => (one + other).next_up(),
    }
}

/// A bracket that reaches farther at each end by so many metres, rounded outward.
pub(crate) fn widened([lower, upper]: [f64; 2], by: f64) -> [f64; 2] {
    if by == 0.0 { [lower, upper] } else { [(lower - by).next_down(), (upper + by).next_up()] }
}

/// As [`batch::answer`], with the brackets, the statuses and the choice of rows that the deviations of the bodies leave.
pub(super) fn answer(
    search: SearchMethod,
    queries: &[PairQuery<'_>],
    options: &QueryOptions,
    caches: &mut [PairCache],
    work: &mut Workspace,
    routes: &mut Routes,
    (out, ends): (&mut Vec<Proximity>, &mut Vec<usize>),
) {
    let (mut queries, mut caches) = (queries, caches);
    while let Some(first) = queries.first() {
        let by = deviation_of(first.a, first.b);
        let alike = queries.iter().take_while(|query| deviation_of(query.a, query.b) == by).count();
        let (group, later) = queries.split_at(alike);
        let (group_caches, rest) = caches.split_at_mut(alike);
        (queries, caches) = (later, rest);
        if by == 0.0 {
            batch::answer(search, group, options, group_caches, work, routes, (out, ends));
            continue;
        }
        let (rows, answered) = (out.len(), ends.len());
        let wider = QueryOptions { within: reached(options.within, by), ..*options };
        batch::answer(search, group, &wider, group_caches, work, routes, (out, ends));
        widen(options, by, rows, out, &mut ends[answered..]);
    }
}

/// The lower end, at most, of a bracket that is at most `within` when it is widened.
fn reached(within: f64, by: f64) -> f64 {
    // The sum and the widening round by far less.
    (within + by) * (1.0 + 8.0 * f64::EPSILON)
}

/// Widens the rows from `first` on, which end at `ends` query by query, and drops those beyond the cut-off.
fn widen(options: &QueryOptions, by: f64, first: usize, out: &mut Vec<Proximity>, ends: &mut [usize]) {
    let (mut from, mut kept) = (first, first);
    for end in ends {
        for row in from..*end {
            let [lower, upper] = widened([out[row].lower, out[row].upper], by);
            // A row without a proof is always written.
            if lower <= options.within || lower.is_nan() {
                out[kept] = Proximity { lower, upper, status: status(lower, upper, options), ..out[row] };
                kept += 1;
            }
        }
        from = *end;
        *end = kept;
    }
    out.truncate(kept);
}
