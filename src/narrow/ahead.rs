//! Verifying the remembered features of a pair ahead of the walk, eight samples at a time.

use super::pieces::{Found, PairCache};
use super::relative::{RelativeLanes, RelativePoses};
use super::routes::Routes;
use super::strict::lanes::{self, Eight, WIDTH};
use super::{PairQuery, walk};
use crate::geometry::RelativePose;
use crate::scene::{Piece, QueryOptions, SAMPLES};

/// The look ahead of one walk: for bodies of one piece each.
pub(super) struct Ahead<'a> {
    of: Option<(&'a Piece, &'a Piece, &'a RelativeLanes)>,
    query: &'a PairQuery<'a>,
    /// The last check.
    eight: Option<Eight>,
    /// Whether another check is likely to pay: the features held in the sample before.
    worth: bool,
}

impl<'a> Ahead<'a> {
    pub(super) fn new(query: &'a PairQuery<'a>, relative: &'a RelativePoses<'a>) -> Self {
        let of = match (&query.a.pieces[..], &query.b.pieces[..], &relative.lanes) {
            ([a], [b], Some(lanes)) => Some((a, b, &**lanes)),
            _ => None,
        };
        Self { of, query, eight: None, worth: true }
    }

    /// Takes note whether the remembered features held in a sample that was not answered from here.
    pub(super) fn worth(&mut self, held: bool) {
        self.worth = held;
    }

    /// What is known in a sample, at the relative pose there, if the remembered features are verified in it.
    #[inline]
    pub(super) fn verified(
        &mut self,
        sample: usize,
        relative: &RelativePose<f64>,
        cache: &PairCache,
        options: &QueryOptions,
        routes: &mut Routes,
    ) -> Option<Found> {
        let (a, b, poses) = self.of?;
        let features = cache.hulls.features_of(&a.core, &b.core)?;
        let growth = a.radius + b.radius;
        if !self.eight.as_ref().is_some_and(|eight| eight.covers(&features, sample)) {
            if !self.worth {
                return None;
            }
            let start = sample.min(SAMPLES - WIDTH);
            self.eight = Some(lanes::check((&a.core, &b.core, growth), &features, cache.hulls.surface(), poses, start));
        }
        let eight = self.eight.as_ref()?;
        let strict = eight.get(sample)?;
        let solved = walk::verified(&strict, options.within, eight.size(sample), growth, routes);
        let size = self.query.a.radius + self.query.b.radius + relative.t.length();
        Some(Found::of_single(a, b, solved, size, options))
    }
}
