//! Queries of few samples, answered together: eight pairs side by side, a lane each.
//!
//! A walk through many samples has company in its own samples (`one_pair.rs`). A query of one
//! sample has none, but comes with others of its kind: candidates of a block, pairs of a Monte
//! Carlo job. Their poses and the starts of their searches are computed eight at a time, each is
//! searched by V-Clip, and what is found is proven eight of a kind at a time, whichever pairs they
//! are of. All other samples are asked alone, as ever: the rows are the same.
//!
//! Only the first sample of a query takes part, only bodies of one piece, and no pair of which a
//! surface is remembered.

mod placed;
#[cfg(test)]
mod tests;

use super::proofs::Prover;
use crate::answer::Answer;
use crate::cache::PairCache;
use crate::deviation::deviation_of;
use crate::feature::FeaturePair;
use crate::feature_search::FeatureSearch;
use crate::gjk::Simplex;
use crate::pair::Pair;
use crate::pair_solver::SearchMethod;
use crate::query::PairQuery;
use crate::relative::FEW;
use crate::rows::{Extents, RowTerms};
use crate::search::SearchEnd;
use crate::solve_outcome::SolveOutcome;
use crate::solver_stats::SolverStats;
use crate::vclip::first_states::{MAX_PAIRS as SET, first_states};
use clearsweep_base::simd::WIDTH;
use clearsweep_model::Proximity;
use clearsweep_model::{Piece, QueryOptions};
use placed::PlacedPairs;

/// Queries that are answered together, at most.
pub(crate) const MOST: usize = SET;

/// Queries below which it is not worth while.
const LEAST: usize = 3;

/// Vertices of all bodies of the queries that are answered together, about: of more, those of the
/// first have left the nearest cache when an overlap is to be grown at last.
const VERTICES: usize = 8192;

/// Returns the number of queries that are answered together, at least one: of bodies of the same
/// deviation, since it adds to the cut-off.
pub(crate) fn group(queries: &[PairQuery<'_>]) -> usize {
    let mut vertices = 0;
    let deviation = |query: &PairQuery<'_>| deviation_of(query.a, query.b);
    let of_first = queries.first().map_or(0.0, deviation);
    let fits = |query: &&PairQuery<'_>| {
        vertices += query.a.pieces[0].core.most_vertices() + query.b.pieces[0].core.most_vertices();
        vertices <= VERTICES && deviation(query) == of_first
    };
    queries.iter().take(MOST).take_while(fits).count().clamp(1, queries.len())
}

/// A pair whose features were handed to the prover.
#[derive(Debug, Clone, Copy)]
struct Handed {
    /// Index among the pairs that take part.
    at: u8,
    /// Whether the features were remembered.
    held: bool,
}

/// Outcomes of the first samples of queries.
#[derive(Debug)]
pub(crate) struct ManyPairs {
    /// State of each query.
    state: [SolveOutcome<Handed>; MOST],
    /// Sizes of each query's pair.
    extents: [Extents<f64>; MOST],
    prover: Prover,
    /// Proven answer of each pair that takes part.
    answer: [Option<Answer>; MOST],
}

impl Default for ManyPairs {
    fn default() -> Self {
        let (state, extents) = ([SolveOutcome::Undecided; MOST], [Extents { size: 0.0, reach: 0.0 }; MOST]);
        Self { state, extents, prover: Prover::default(), answer: [None; MOST] }
    }
}

/// The pairs that take part. Sets of them: bit `k` for pair `k`.
struct Pairs<'a> {
    /// Pairs at their poses.
    pair: Vec<Pair<'a, f64>>,
    /// The query whose first sample it is, by pair.
    query: [u8; MOST],
    /// Features that their searches start from.
    start: [FeaturePair; MOST],
    /// Pairs to be searched from a vertex of each body.
    cold: u64,
    /// Pairs to be searched from what is remembered.
    left: u64,
    /// Pairs to be proven with what is remembered.
    held: u64,
}

impl ManyPairs {
    /// Looks at the first samples of up to [`MOST`] queries.
    pub(crate) fn ask(
        &mut self,
        search: SearchMethod,
        queries: &[PairQuery<'_>],
        options: &QueryOptions,
        caches: &mut [PairCache],
        stats: &mut SolverStats,
    ) {
        self.state[..queries.len()].fill(SolveOutcome::Undecided);
        if !search.tracks() || queries.len() < LEAST {
            return;
        }
        let (mut chosen, mut count) = ([0; MOST], 0);
        for ((i, query), cache) in (0..).zip(queries).zip(&mut *caches) {
            if (1..FEW).contains(&query.samples.count_ones())
                && let Some([a, b]) = pieces(query)
            {
                cache.hulls.belong_to(&a.core, &b.core);
                chosen[count] = i;
                count += usize::from(cache.hulls.surface().is_none());
            }
        }
        if count >= LEAST {
            let pairs = self.look(search, queries, options, caches, &chosen[..count]);
            self.search(search.by_features(), &pairs, caches, stats);
        }
    }

    /// The chosen pairs, eight at a time: what is to be done with each.
    fn look<'a>(
        &mut self,
        search: SearchMethod,
        queries: &[PairQuery<'a>],
        options: &QueryOptions,
        caches: &mut [PairCache],
        chosen: &[u8],
    ) -> Pairs<'a> {
        let none = FeaturePair::of_vertices([0, 0]);
        let mut pairs = Pairs {
            pair: Vec::with_capacity(chosen.len()),
            query: [0; MOST],
            start: [none; MOST],
            cold: 0,
            left: 0,
            held: 0,
        };
        let mut eight = None;
        for chosen in chosen.chunks(WIDTH) {
            for (k, i) in chosen.iter().map(|&i| usize::from(i)).enumerate() {
                let Some([a, b]) = pieces(&queries[i]) else { continue };
                let eight = eight.get_or_insert_with(|| PlacedPairs::new([&a.core, &b.core]));
                let sample = queries[i].samples.trailing_zeros() as usize;
                let poses = [queries[i].poses_a.at(sample), queries[i].poses_b.at(sample)];
                let cold = caches[i].hulls.features().is_none();
                eight.set(k, [&a.core, &b.core], a.radius + b.radius, [&poses[0], &poses[1]], cold);
            }
            let Some(eight) = &mut eight else { continue };
            eight.look(chosen.len(), options.within);
            for (k, &query) in chosen.iter().enumerate() {
                let (i, is) = (usize::from(query), |bits: u8| bits >> k & 1 == 1);
                let (at, cache) = (pairs.pair.len() % MOST, &mut caches[i].hulls);
                let bit = 1 << at;
                pairs.pair.push(eight.pair(k));
                pairs.query[at] = query;
                self.extents[i] = Extents { size: eight.size[k], reach: eight.reach[k] };
                if !is(eight.finite) {
                    continue;
                }
                match cache.features() {
                    Some(features) => {
                        pairs.start[at] = features;
                        *(if cache.is_searched_first(false) { &mut pairs.left } else { &mut pairs.held }) |= bit;
                    }
                    None if is(eight.beyond) => {
                        self.state[i] = SolveOutcome::Beyond { gap: eight.gap[k], normal: None }
                    }
                    None if search.searches_cold(|| is(eight.apart)) => {
                        // Should V-Clip end in an overlap.
                        cache.set_simplex(Simplex::of_vertices(eight.first[k]));
                        pairs.start[at] = FeaturePair::of_vertices(eight.start[k]);
                        pairs.cold |= bit;
                    }
                    // Another search goes on from here.
                    None => cache.set_simplex(Simplex::of_vertices(eight.first[k])),
                }
            }
        }
        pairs
    }

    /// Searches the pairs, and proves what is found.
    fn search(&mut self, by: FeatureSearch, pairs: &Pairs<'_>, caches: &mut [PairCache], stats: &mut SolverStats) {
        let mut features = pairs.start;
        // The first states are interleaved for V-Clip only.
        let (mut left, states) = match by {
            FeatureSearch::VClip => first_states(&pairs.pair, &mut features, pairs.cold),
            FeatureSearch::LinCanny => (pairs.cold, 0),
        };
        stats.vclip_steps += u64::from(states);
        let mut proven = pairs.cold & !left | pairs.held;
        left |= pairs.left;
        while left != 0 {
            let at = left.trailing_zeros() as usize;
            left &= left - 1;
            let found = by.search(&pairs.pair[at], features[at], stats);
            features[at] = found.features;
            proven |= u64::from(found.end == SearchEnd::Converged) << at;
        }
        for (at, (pair, &i)) in pairs.pair.iter().zip(&pairs.query).enumerate() {
            let (bit, i, found) = (1_u64 << at, usize::from(i), features[at]);
            if proven & bit != 0 {
                if pairs.held & bit == 0 {
                    caches[i].hulls.found(pair, pairs.start[at], found);
                }
                let held = pairs.cold & bit == 0 && found == pairs.start[at];
                self.state[i] = SolveOutcome::Answered(Handed { at: at as u8, held });
                self.answer[at] = None;
                self.prover.push(&pairs.pair[..], at, found, &mut self.answer);
            }
        }
        self.prover.finish(&pairs.pair[..], &mut self.answer);
    }

    /// Returns the outcome of the first sample of query `i`, and appends its row.
    pub(crate) fn first(
        &self,
        i: usize,
        query: &PairQuery<'_>,
        options: &QueryOptions,
        stats: &mut SolverStats,
        out: &mut Vec<Proximity>,
    ) -> SolveOutcome<()> {
        let Some([a, b]) = pieces(query) else { return SolveOutcome::Undecided };
        let (held, answer) = match self.state[i] {
            SolveOutcome::Undecided => return SolveOutcome::Undecided,
            SolveOutcome::Beyond { gap, normal } => {
                stats.queries += 1;
                stats.beyond += 1;
                return SolveOutcome::Beyond { gap: gap - (a.radius + b.radius), normal };
            }
            SolveOutcome::Answered(Handed { at, held }) => match &self.answer[usize::from(at)] {
                Some(answer) => (held, answer),
                None => return SolveOutcome::Undecided,
            },
        };
        stats.queries += 1;
        stats.count_found(held);
        let (sample, extents) = (query.samples.trailing_zeros() as usize, self.extents[i]);
        // Appended here: a row that is handed on by value is copied each time.
        match RowTerms::new(query, a, b, options).row(answer, sample, &extents) {
            SolveOutcome::Answered(Some(row)) => out.push(row),
            SolveOutcome::Answered(None) => {}
            SolveOutcome::Undecided => return SolveOutcome::Undecided,
            SolveOutcome::Beyond { gap, normal } => {
                stats.beyond += 1;
                return SolveOutcome::Beyond { gap, normal };
            }
        }
        SolveOutcome::Answered(())
    }
}

/// The pieces of bodies of one piece each, none of them round.
#[inline(always)]
fn pieces<'a>(query: &PairQuery<'a>) -> Option<[&'a Piece; 2]> {
    let pieces = [query.a.only_piece()?, query.b.only_piece()?];
    pieces.iter().all(|piece| piece.core.round.is_none()).then_some(pieces)
}
