//! Queries of few samples, answered together: eight pairs side by side, a lane each.
//!
//! A walk through many samples has company in its own samples (`ahead.rs`). A query of one sample has none, but comes
//! with others of its kind: candidates of a block, pairs of a Monte Carlo job. Their poses and the starts of their
//! searches are computed eight at a time, each is searched by V-Clip, and what is found is proven eight of a kind at a
//! time, whichever pairs they are of. What is not settled so is asked alone, as ever: the rows are the same.
//!
//! Only the first sample of a query takes part, only bodies of one piece, and no pair of which a surface is remembered.

mod eight;
#[cfg(test)]
mod tests;

use super::answer::Answer;
use super::feature::{Feature, FeaturePair};
use super::gjk::Simplex;
use super::pair::VertexPair;
use super::pieces::PairCache;
use super::proximity::Proximity;
use super::relative::FEW;
use super::routes::Routes;
use super::simd::WIDTH;
use super::strict::many::Prover;
use super::vclip::{self, End};
use super::walk::{self, PartCache, Search};
use super::PairQuery;
use crate::geometry::Polyhedron;
use crate::scene::{Piece, QueryOptions};
use eight::Eight;

/// Queries that are answered together, at most.
pub(super) const MOST: usize = 64;

/// Queries below which it is not worth while.
const LEAST: usize = 3;

/// What is known of the first sample of a query.
#[derive(Debug, Clone, Copy)]
enum State {
    /// Nothing.
    Alone,
    /// Features were found; `held`: they were remembered.
    Found { held: bool },
    /// The cores are proven to be at least this far apart, metres, and that is beyond the cut-off.
    Beyond(f64),
}

/// What is known of the first samples of queries.
#[derive(Debug)]
pub(super) struct Together {
    prover: Prover,
    state: [State; MOST],
    answer: [Option<Answer>; MOST],
    /// The size of the pair, metres.
    size: [f64; MOST],
    /// The length of the translation, metres.
    reach: [f64; MOST],
}

impl Default for Together {
    fn default() -> Self {
        let (state, zero) = ([State::Alone; MOST], [0.0; MOST]);
        Self { prover: Prover::default(), state, answer: [None; MOST], size: zero, reach: zero }
    }
}

/// What became of the first sample of a query.
pub(super) enum First {
    /// It is still to be asked.
    Open,
    /// The row was appended, or is beyond the cut-off by less than what would prove it.
    Answered,
    /// The grown bodies are proven to be at least this far apart, metres.
    Beyond(f64),
}

impl Together {
    /// Looks at the first samples of up to [`MOST`] queries.
    pub(super) fn ask(
        &mut self,
        search: Search,
        queries: &[PairQuery<'_>],
        options: &QueryOptions,
        caches: &mut [PairCache],
        routes: &mut Routes,
    ) {
        self.state[..queries.len()].fill(State::Alone);
        if search == Search::Gjk || queries.len() < LEAST {
            return;
        }
        let (mut chosen, mut count) = ([0_u8; MOST], 0);
        for (i, (query, cache)) in queries.iter().zip(&mut *caches).enumerate() {
            if (1..FEW).contains(&query.samples.count_ones())
                && let Some([a, b]) = pieces(query)
            {
                cache.hulls.belong_to(&a.core, &b.core);
                chosen[count] = i as u8;
                count += usize::from(cache.hulls.surface().is_none());
            }
        }
        let chosen = &chosen[..count];
        let Some([a, b]) = chosen.first().and_then(|&i| pieces(&queries[usize::from(i)])) else { return };
        if count < LEAST {
            return;
        }
        let any = [&a.core, &b.core];
        let (mut cores, mut eight) = ([any; MOST], Eight::new(any));
        for chosen in chosen.chunks(WIDTH) {
            eight.cold = 0;
            for (k, i) in chosen.iter().map(|&i| usize::from(i)).enumerate() {
                let Some([a, b]) = pieces(&queries[i]) else { continue };
                cores[i] = [&a.core, &b.core];
                eight.cold |= u8::from(caches[i].hulls.features().is_none()) << k;
                let sample = queries[i].samples.trailing_zeros() as usize;
                let poses = [queries[i].poses_a.at(sample), queries[i].poses_b.at(sample)];
                eight.set(k, cores[i], a.radius + b.radius, [&poses[0], &poses[1]]);
            }
            eight.look(options.within);
            self.search(search, chosen, &eight, &cores, caches, routes);
        }
        self.prover.finish(&cores[..], &mut self.answer);
    }

    /// Searches the pairs of eight lanes, those chosen.
    fn search(
        &mut self,
        search: Search,
        chosen: &[u8],
        eight: &Eight<'_>,
        cores: &[[&Polyhedron; 2]; MOST],
        caches: &mut [PairCache],
        routes: &mut Routes,
    ) {
        // All before the first search: what was just stored is not yet to be had in wider pieces.
        let pairs: [_; WIDTH] = std::array::from_fn(|k| eight.pair(k));
        for (k, i) in chosen.iter().map(|&i| usize::from(i)).enumerate() {
            let (pair, cache, is) = (&pairs[k], &mut caches[i].hulls, |bits: u8| bits >> k & 1 == 1);
            if !is(eight.finite) {
                continue;
            }
            (self.size[i], self.reach[i], self.answer[i]) = (eight.size[k], eight.reach[k], None);
            if is(eight.beyond) {
                self.state[i] = State::Beyond(eight.gap[k]);
                continue;
            }
            let remembered = cache.features();
            if remembered.is_none() && search == Search::Auto && !is(eight.apart) {
                cache.remember(None, one(eight.start[k]));
                continue;
            }
            let features = match remembered.filter(|_| !cache.take_left()) {
                Some(features) => features,
                None => {
                    let start = remembered.unwrap_or_else(|| vertices(eight.start[k]));
                    let found = vclip::search(pair, start);
                    routes.vclip_steps += u64::from(found.iterations);
                    routes.cycles += u64::from(found.end == End::Cycle);
                    if found.end != End::Converged {
                        continue;
                    }
                    cache.left(found.features != start);
                    cache.follow(pair.a, pair.b, found.features);
                    found.features
                }
            };
            self.state[i] = State::Found { held: remembered == Some(features) };
            self.prover.push(&cores[..], i, features, &pair.pose, pair.size, &mut self.answer);
        }
    }

    /// What became of the first sample of query `i`; a row is appended.
    pub(super) fn first(
        &self,
        i: usize,
        query: &PairQuery<'_>,
        options: &QueryOptions,
        routes: &mut Routes,
        out: &mut Vec<Proximity>,
    ) -> First {
        let Some([a, b]) = pieces(query) else { return First::Open };
        let growth = a.radius + b.radius;
        match (self.state[i], &self.answer[i]) {
            (State::Beyond(gap), _) => {
                routes.queries += 1;
                routes.beyond += 1;
                First::Beyond(gap - growth)
            }
            (State::Found { held }, Some(answer)) => {
                routes.queries += 1;
                routes.verified += u64::from(held);
                routes.searched += u64::from(!held);
                if answer.lower > walk::beyond(options.within, self.size[i]) + growth {
                    routes.beyond += 1;
                    return First::Beyond(answer.lower - growth);
                }
                let size = query.a.radius + query.b.radius + self.reach[i];
                let row = answer.grown((&a.core, a.radius), (&b.core, b.radius), size, options);
                if row.lower <= options.within {
                    out.push(Proximity { sample: query.samples.trailing_zeros() as u8, ..row });
                }
                First::Answered
            }
            _ => First::Open,
        }
    }
}

/// The pieces of bodies of one piece each.
#[inline(always)]
fn pieces<'a>(query: &PairQuery<'a>) -> Option<[&'a Piece; 2]> {
    match (&query.a.pieces[..], &query.b.pieces[..]) {
        ([a], [b]) => Some([a, b]),
        _ => None,
    }
}

/// A simplex of one vertex pair.
fn one(pair: VertexPair) -> Simplex {
    Simplex { pairs: [pair, [0; 2], [0; 2], [0; 2]], count: 1 }
}

fn vertices([a, b]: VertexPair) -> FeaturePair {
    FeaturePair { a: Feature::vertex(a), b: Feature::vertex(b) }
}
