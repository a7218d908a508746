//! Many samples of one pair of bodies of one piece each: the remembered features are verified in
//! eight samples at once, and where they change at every turn, all samples are searched before any
//! is proven. The pair solver gets the samples that neither settles.

use super::pair_block::PairBlock;
use super::proofs::Prover;
use super::verify::Verified;
use crate::cache::PairCache;
use crate::culling::{Culling, in_turn};
use crate::feature::FeaturePair;
use crate::feature_search::{FeatureSearch, FoundFeatures};
use crate::pair_solver::SearchMethod;
use crate::query::PairQuery;
use crate::relative::{RelativeLanes, RelativePoses};
use crate::round;
use crate::rows::{ReadyRows, RowTerms};
use crate::search::SearchEnd;
use crate::solve_outcome::SolveOutcome;
use crate::solver_stats::SolverStats;
use crate::vclip;
use clearsweep_base::simd::{Simd, dispatch};
use clearsweep_geometry::Polyhedron;
use clearsweep_model::Proximity;
use clearsweep_model::{QueryOptions, SAMPLES};

/// Samples from which searching before proving is cheaper than one sample after the other.
const FEW: u32 = 3;

/// Working memory.
#[derive(Debug, Default)]
pub(crate) struct OnePairMemory {
    /// The last verification.
    verified: Verified,
    /// The last searches.
    searched: Searched,
}

/// The batch of one query.
pub(crate) struct OnePair<'a> {
    /// The pair in the block; only for bodies of one piece each, none of them round.
    of: Option<PairBlock<'a>>,
    search: SearchMethod,
    memory: &'a mut OnePairMemory,
    /// Whether the last verification is of the features remembered.
    is_current: bool,
    /// Samples in turn in which the features that are remembered were verified.
    run: f32,
}

/// Results of searches before any proof.
#[derive(Debug, Default)]
struct Searched {
    /// The samples searched. Bit `s` for sample `s`.
    samples: u64,
    /// Rows of the samples in which a search converged.
    rows: ReadyRows<SAMPLES>,
    prover: Prover,
    /// Number of the samples searched in which the features were not those of the sample before.
    changes: u16,
}

/// A sample to be answered.
#[derive(Clone, Copy)]
pub(crate) struct Asked {
    pub(crate) sample: usize,
    /// The samples after it.
    pub(crate) left: u64,
}

impl<'a> OnePair<'a> {
    /// A memory of other geometry is dropped.
    pub(crate) fn new(
        search: SearchMethod,
        query: &'a PairQuery<'a>,
        options: &'a QueryOptions,
        relative: &'a RelativePoses<'a>,
        cache: &mut PairCache,
        memory: &'a mut OnePairMemory,
    ) -> Self {
        let of = match (query.a.only_piece(), query.b.only_piece(), relative.lanes) {
            (Some(a), Some(b), Some(poses)) if !round::is_round(&a.core, &b.core) => {
                Some(PairBlock { rows: RowTerms::new(query, a, b, options), poses })
            }
            _ => None,
        };
        if let Some(of) = &of {
            let [a, b] = of.rows.cores;
            cache.hulls.belong_to(a, b);
        }
        memory.searched.samples = 0;
        Self { of, search, memory, is_current: false, run: 0.0 }
    }

    /// Records the memory after a sample of the pair solver, and whether it verified features.
    pub(crate) fn answered_alone(&mut self, held: bool, cache: &mut PairCache) {
        if held {
            self.run += 1.0;
        } else {
            cache.hulls.learned.features_left(self.run);
            self.run = 0.0;
        }
        self.is_current = self.is_current && cache.hulls.features() == Some(self.memory.verified.features());
    }

    /// Answers a sample from a verification or a search that was made for several.
    #[inline(always)]
    pub(crate) fn answer(
        &mut self,
        asked: Asked,
        culling: &mut Culling<'_>,
        cache: &mut PairCache,
        stats: &mut SolverStats,
    ) -> SolveOutcome<Option<Proximity>> {
        let Some(of) = self.of else { return SolveOutcome::Undecided };
        let sample = asked.sample;
        if !self.is_searched(sample) {
            let outcome = self.verified(sample, cache);
            if !matches!(outcome, SolveOutcome::Undecided) {
                self.run += 1.0;
                let ready = &self.memory.verified.ready;
                stats.count_verified(1, ready.deep >> (sample - ready.first) & 1);
                stats.beyond += u64::from(matches!(outcome, SolveOutcome::Beyond { .. }));
                return outcome;
            }
            let outcome = self.followed(&of, sample, cache, stats);
            if !matches!(outcome, SolveOutcome::Undecided) {
                stats.count_searched(1);
                return outcome;
            }
            if self.search(&of, asked, culling, cache, stats).is_none() {
                return SolveOutcome::Undecided;
            }
        }
        let outcome = self.memory.searched.rows.outcome(sample);
        stats.count_searched(u64::from(!matches!(outcome, SolveOutcome::Undecided)));
        outcome
    }

    /// Appends the rows of the next of the samples `left`, as long as they are settled: which of
    /// them.
    #[inline(always)]
    pub(crate) fn take(&mut self, left: u64, stats: &mut SolverStats, out: &mut Vec<Proximity>) -> u64 {
        let sample = left.trailing_zeros() as usize % SAMPLES;
        let OnePairMemory { verified, searched } = &*self.memory;
        if self.is_searched(sample) {
            let taken = in_turn(left, searched.rows.settled() & searched.samples);
            searched.rows.append(taken, out);
            stats.count_searched(u64::from(taken.count_ones()));
            return taken;
        }
        if !(self.is_current && verified.covers(sample)) {
            return 0;
        }
        let ready = &verified.ready;
        let taken = in_turn(left, ready.settled() & !searched.samples);
        ready.append(taken, out);
        let (count, deep) = (taken.count_ones(), (taken >> ready.first & ready.deep).count_ones());
        stats.count_verified(u64::from(count), u64::from(deep));
        self.run += count as f32;
        taken
    }

    /// Returns the outcome of the remembered features in a sample, if they are verified there.
    #[inline(always)]
    fn verified(&mut self, sample: usize, cache: &PairCache) -> SolveOutcome<Option<Proximity>> {
        if !(self.is_current && self.memory.verified.covers(sample)) && self.verify(sample, cache).is_none() {
            return SolveOutcome::Undecided;
        }
        self.memory.verified.ready.outcome(sample)
    }

    /// Verifies the remembered features in eight samples, if that is likely to pay.
    #[inline(never)]
    fn verify(&mut self, sample: usize, cache: &PairCache) -> Option<()> {
        let of = self.of?;
        let features = cache.hulls.features().filter(|_| cache.hulls.learned.features_last())?;
        let depth = (cache.hulls.surface(), cache.hulls.rival());
        self.memory.verified.verify(&of, &features, depth, sample);
        self.is_current = true;
        Some(())
    }

    /// Whether V-Clip may go on from the remembered features: they are of bodies that were apart.
    fn tracks(&self, cache: &PairCache) -> bool {
        self.search.tracks() && cache.hulls.surface().is_none() && cache.hulls.features().is_some()
    }

    /// Continues with V-Clip from features that stay optimal for long and were left in this sample.
    /// The features found are verified here and in the samples to come.
    #[inline(never)]
    fn followed(
        &mut self,
        of: &PairBlock<'_>,
        sample: usize,
        cache: &mut PairCache,
        stats: &mut SolverStats,
    ) -> SolveOutcome<Option<Proximity>> {
        if !self.tracks(cache)
            || !cache.hulls.learned.features_last_after(self.run)
            || of.poses.finite() >> sample & 1 == 0
        {
            return SolveOutcome::Undecided;
        }
        let Some(features) = cache.hulls.features() else { return SolveOutcome::Undecided };
        let [a, b] = of.rows.cores;
        let found = search_sample(self.search.by_features(), [a, b], of.poses, sample, features, stats);
        if found.end != SearchEnd::Converged || found.features == features {
            return SolveOutcome::Undecided;
        }
        cache.hulls.follow(a, b, found.features);
        cache.hulls.learned.features_left(self.run);
        self.run = 0.0;
        if self.verify(sample, cache).is_none() {
            return SolveOutcome::Undecided;
        }
        self.memory.verified.ready.outcome(sample)
    }

    /// Searches a sample together with those that come next and are not ruled out. `None`: overlap,
    /// or few samples.
    #[inline(never)]
    fn search(
        &mut self,
        of: &PairBlock<'_>,
        asked: Asked,
        culling: &mut Culling<'_>,
        cache: &mut PairCache,
        stats: &mut SolverStats,
    ) -> Option<()> {
        if cache.hulls.surface().is_some() || asked.left.count_ones() + 1 < FEW {
            return None;
        }
        let features = cache.hulls.features().filter(|_| self.tracks(cache))?;
        let line = cache.hulls.learned.starts_on_line();
        // If features usually last long, search only this sample.
        if cache.hulls.simplex().count > 0 && cache.hulls.learned.features_last_after(self.run) {
            return None;
        }
        let mut samples = of.poses.finite() & (asked.left | 1 << asked.sample);
        samples &= !culling.rules_out(samples & asked.left);
        let searched = &mut self.memory.searched;
        let by = self.search.by_features();
        let before = by.steps(stats);
        let last = track(searched, &Tracking { of, by, samples, start: features }, line, stats);
        cache.hulls.follow(of.rows.cores[0], of.rows.cores[1], last);
        let steps = by.steps(stats) - before;
        cache.hulls.learned.searched(line, steps, searched.samples.count_ones(), searched.changes);
        (self.run, self.is_current) = (0.0, false);
        self.is_searched(asked.sample).then_some(())
    }

    /// Whether a sample was searched.
    #[inline(always)]
    fn is_searched(&self, sample: usize) -> bool {
        self.memory.searched.samples >> sample & 1 == 1
    }
}

/// A search from feature to feature in one sample: the pose goes from the lanes to registers, and
/// not through a structure in memory, whose parts would be read in other sizes than they were
/// written.
#[inline(always)]
fn search_sample_body<S: Simd>(
    by: FeatureSearch,
    cores: [&Polyhedron; 2],
    poses: &RelativeLanes,
    sample: usize,
    start: FeaturePair,
    stats: &mut SolverStats,
) -> FoundFeatures {
    by.search_at::<S>(cores, cores.map(|core| core.planes()), &poses.at(sample), start, stats)
}

dispatch!(search_sample, search_sample_body, (by: FeatureSearch, cores: [&Polyhedron; 2], poses: &RelativeLanes, sample: usize, start: FeaturePair, stats: &mut SolverStats) -> FoundFeatures);

/// A search from feature to feature, from sample to sample.
struct Tracking<'a> {
    of: &'a PairBlock<'a>,
    by: FeatureSearch,
    samples: u64,
    start: FeaturePair,
}

/// Goes from feature to feature, from sample to sample, or in each from the line between the
/// bodies, and proves what is found, eight of a kind at a time; ends where the bodies overlap.
/// Returns the last features.
#[inline(always)]
fn track_body<S: Simd>(out: &mut Searched, t: &Tracking<'_>, line: bool, stats: &mut SolverStats) -> FeaturePair {
    let of = *t.of;
    let cores = of.rows.cores;
    let planes = cores.map(|core| core.planes());
    let (mut features, mut left) = (t.start, t.samples);
    (out.samples, out.changes) = (0, 0);
    out.rows.clear(0);
    while left != 0 {
        let sample = left.trailing_zeros() as usize % SAMPLES;
        left &= left - 1;
        let pose = of.poses.at(sample);
        let start = if line { vclip::approximate_start::<S>(cores, &pose) } else { features };
        let found = t.by.search_at::<S>(cores, planes, &pose, start, stats);
        out.samples |= 1 << sample;
        if found.end != SearchEnd::Converged {
            break;
        }
        out.changes += u16::from(found.features.differs(&features));
        features = found.features;
        out.prover.push(of, sample, features, &mut out.rows);
    }
    out.prover.finish(of, &mut out.rows);
    features
}

dispatch!(track, track_body, (out: &mut Searched, t: &Tracking<'_>, line: bool, stats: &mut SolverStats) -> FeaturePair);
