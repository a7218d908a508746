//! Looking ahead of a walk, eight samples at a time: the remembered features are verified in the samples to come, and
//! where they change at every turn, all of them are searched before any is proven. What neither settles is asked alone.

use super::PairQuery;
use super::apart::{Apart, in_turn};
use super::feature::FeaturePair;
use super::pieces::PairCache;
use super::proximity::Proximity;
use super::relative::{RelativeLanes, RelativePoses};
use super::routes::Routes;
use super::rows::{Outcome, Ready, Rows};
use super::strict::lanes::{self, Eight};
use super::strict::many::{self, OnePair};
use super::vclip;
use super::walk::Search;
use crate::geometry::{Polyhedron, Vec3};
use crate::scene::{QueryOptions, SAMPLES};
use crate::simd::{Simd, WIDTH, dispatch};

/// Samples from which searching side by side is cheaper than one after the other.
const FEW: u32 = 3;

/// Samples through which features must hold, on average, for verifying them to cost less than searching side by side.
const RUN: f32 = 3.0;

/// States of V-Clip a sample, from the features of the sample before, above which those from the line may be fewer.
const FAR: f32 = 2.8;

/// What the start on the line costs, in states.
const LINE: f32 = 0.4;

/// What a block leaves of the states that were seen on the way not taken.
const FADING: f32 = 0.97;

/// The look ahead of one walk: for bodies of one piece each.
pub(super) struct Ahead<'a> {
    of: Option<OnePair<'a>>,
    search: Search,
    /// The last check, while it is of the features remembered.
    eight: &'a mut Eight,
    checked: bool,
    /// The last searches.
    found: &'a mut Searched,
    /// Samples in turn in which the features that are remembered now were verified.
    run: f32,
}

/// What searches side by side have found.
#[derive(Debug, Default)]
pub(super) struct Searched {
    /// The samples searched.
    samples: u64,
    /// Of the samples in which a search converged.
    rows: Ready<SAMPLES>,
    prover: many::Prover,
    /// In how many of the samples searched the features were not those of the sample before.
    changes: u16,
}

/// What is known ahead of a sample.
pub(super) enum Known {
    /// The row was appended, or is beyond the cut-off by less than what would prove it.
    Answered,
    /// Beyond the cut-off on every way.
    Beyond {
        /// The grown bodies are proven to be at least this far apart, metres.
        gap: f64,
        /// Along this direction, in A's frame, where it is known.
        normal: Option<Vec3<f64>>,
    },
}

/// What a sample is asked with.
pub(super) struct Asked {
    pub(super) sample: usize,
    /// The samples after it.
    pub(super) left: u64,
}

impl<'a> Ahead<'a> {
    /// A memory of other geometry is dropped.
    pub(super) fn new(
        search: Search,
        query: &'a PairQuery<'a>,
        options: &'a QueryOptions,
        relative: &'a RelativePoses<'a>,
        cache: &mut PairCache,
        (eight, found): (&'a mut Eight, &'a mut Searched),
    ) -> Self {
        let of = match (&query.a.pieces[..], &query.b.pieces[..], relative.lanes) {
            ([a], [b], Some(poses)) => Some(OnePair { rows: Rows::new(query, a, b, options), poses }),
            _ => None,
        };
        if let Some(of) = &of {
            let [a, b] = of.rows.cores;
            cache.hulls.belong_to(a, b);
        }
        found.samples = 0;
        Self { of, search, eight, checked: false, found, run: 0.0 }
    }

    /// Takes note of what is remembered after a sample that was not answered from here, and whether it was verified there.
    pub(super) fn asked(&mut self, held: bool, cache: &mut PairCache) {
        if held {
            self.run += 1.0;
        } else {
            (cache.hulls.pace, self.run) = (self.pace(cache), 0.0);
        }
        self.checked = self.checked && cache.hulls.features() == Some(self.eight.features());
    }

    /// For how many samples features hold, on average, with a change of them here.
    fn pace(&self, cache: &PairCache) -> f32 {
        0.75 * cache.hulls.pace + 0.25 * self.run
    }

    /// What is known in a sample from a check or a search that was made for several.
    #[inline(always)]
    pub(super) fn answer(
        &mut self,
        asked: &Asked,
        apart: &mut Apart<'_>,
        cache: &mut PairCache,
        routes: &mut Routes,
        out: &mut Vec<Proximity>,
    ) -> Option<Known> {
        let of = self.of?;
        let sample = asked.sample;
        if !self.knows(sample) {
            if let Some(outcome) = self.verified(sample, cache) {
                routes.queries += 1;
                self.run += 1.0;
                let deep = self.eight.ready.deep >> (sample - self.eight.ready.first) & 1;
                routes.surface_verified += deep;
                routes.verified += 1 - deep;
                routes.beyond += u64::from(matches!(outcome, Outcome::Beyond { .. }));
                return Some(put(outcome, out));
            }
            if let Some(outcome) = self.followed(&of, sample, cache, routes) {
                routes.queries += 1;
                routes.searched += 1;
                return Some(put(outcome, out));
            }
            self.search(&of, asked, apart, cache, routes)?;
        }
        let searched = &self.found;
        if let Some(outcome) = searched.rows.outcome(sample) {
            routes.queries += 1;
            routes.searched += 1;
            return Some(put(outcome, out));
        }
        None
    }

    /// Appends the rows of the next of the samples `left`, as long as they are settled: which of them.
    #[inline(always)]
    pub(super) fn take(&mut self, left: u64, routes: &mut Routes, out: &mut Vec<Proximity>) -> u64 {
        let sample = left.trailing_zeros() as usize % SAMPLES;
        if self.knows(sample) {
            let taken = in_turn(left, self.found.rows.settled() & self.found.samples);
            self.found.rows.append(taken, out);
            let count = u64::from(taken.count_ones());
            routes.queries += count;
            routes.searched += count;
            return taken;
        }
        let ready = &self.eight.ready;
        if !(self.checked && self.eight.covers(sample)) {
            return 0;
        }
        let taken = in_turn(left, ready.settled() & !self.found.samples);
        ready.append(taken, out);
        let (count, deep) = (taken.count_ones(), (taken >> ready.first & ready.deep).count_ones());
        routes.queries += u64::from(count);
        routes.surface_verified += u64::from(deep);
        routes.verified += u64::from(count - deep);
        self.run += count as f32;
        taken
    }

    /// What the remembered features come to in a sample, if they are verified there.
    #[inline(always)]
    fn verified(&mut self, sample: usize, cache: &PairCache) -> Option<Outcome> {
        if !(self.checked && self.eight.covers(sample)) {
            self.check(sample, cache)?;
        }
        self.eight.ready.outcome(sample)
    }

    /// Verifies the remembered features in eight samples, if that is likely to pay.
    #[inline(never)]
    fn check(&mut self, sample: usize, cache: &PairCache) -> Option<()> {
        let of = self.of?;
        let features = cache.hulls.features().filter(|_| cache.hulls.pace > RUN)?;
        lanes::check(&of, &features, cache.hulls.surface(), sample.min(SAMPLES - WIDTH), self.eight);
        self.checked = true;
        Some(())
    }

    /// Whether V-Clip may go on from the remembered features: they are of bodies that were apart.
    fn tracks(&self, cache: &PairCache) -> bool {
        self.search != Search::Gjk && cache.hulls.surface().is_none() && cache.hulls.features().is_some()
    }

    /// Where features hold for long and were left in this sample: V-Clip goes on from them, and what it finds is verified
    /// here and in the samples to come.
    #[inline(never)]
    fn followed(
        &mut self,
        of: &OnePair<'_>,
        sample: usize,
        cache: &mut PairCache,
        routes: &mut Routes,
    ) -> Option<Outcome> {
        let pace = self.pace(cache);
        if !self.tracks(cache) || pace <= RUN || of.poses.finite() >> sample & 1 == 0 {
            return None;
        }
        let features = cache.hulls.features()?;
        let [a, b] = of.rows.cores;
        let found = search_sample([a, b], of.poses, sample, features);
        routes.vclip_steps += u64::from(found.iterations);
        routes.cycles += u64::from(found.end == vclip::End::Cycle);
        if found.end != vclip::End::Converged || found.features == features {
            return None;
        }
        cache.hulls.follow(a, b, found.features);
        (cache.hulls.pace, self.run) = (pace, 0.0);
        self.check(sample, cache)?;
        self.eight.ready.outcome(sample)
    }

    /// Searches a sample together with those that come next and are not ruled out (`apart`). `None`: overlap, or few samples.
    #[inline(never)]
    fn search(
        &mut self,
        of: &OnePair<'_>,
        asked: &Asked,
        apart: &mut Apart<'_>,
        cache: &mut PairCache,
        routes: &mut Routes,
    ) -> Option<()> {
        if cache.hulls.surface().is_some() || asked.left.count_ones() + 1 < FEW {
            return None;
        }
        let features = cache.hulls.features().filter(|_| self.tracks(cache))?;
        let [by_features, by_line] = cache.hulls.states;
        let line = by_features > FAR && by_line + LINE < by_features;
        // Where features hold for long, a change of them is searched alone.
        if cache.hulls.simplex().count > 0 && self.pace(cache) > RUN {
            return None;
        }
        let mut samples = of.poses.finite() & (asked.left | 1 << asked.sample);
        samples &= !apart.rules_out(samples & asked.left);
        let searched = &mut self.found;
        let before = routes.vclip_steps;
        let last = track(searched, &Tracking { of, samples, start: features }, line, routes);
        cache.hulls.follow(of.rows.cores[0], of.rows.cores[1], last);
        let states = (routes.vclip_steps - before) as f32;
        cache.hulls.states[usize::from(line)] = states / searched.samples.count_ones().max(1) as f32;
        cache.hulls.states[usize::from(!line)] *= FADING;
        cache.hulls.pace = searched.pace();
        (self.run, self.checked) = (0.0, false);
        self.knows(asked.sample).then_some(())
    }

    /// Whether a sample was searched.
    #[inline(always)]
    fn knows(&self, sample: usize) -> bool {
        self.found.samples >> sample & 1 == 1
    }
}

impl Searched {
    /// How many searches in turn ended at the same features, on average.
    fn pace(&self) -> f32 {
        self.samples.count_ones() as f32 / f32::from(self.changes.max(1))
    }
}

/// Appends the row, if there is one.
#[inline(always)]
fn put(outcome: Outcome, out: &mut Vec<Proximity>) -> Known {
    match outcome {
        Outcome::Row(row) => out.push(row),
        Outcome::Nothing => {}
        Outcome::Beyond { gap, normal } => return Known::Beyond { gap, normal: Some(normal) },
    }
    Known::Answered
}

/// V-Clip in one sample: the pose goes from the lanes to registers, and not through a structure in memory, whose parts would
/// be read in other sizes than they were written.
#[inline(always)]
fn search_sample_body<S: Simd>(
    cores: [&Polyhedron; 2],
    poses: &RelativeLanes,
    sample: usize,
    start: FeaturePair,
) -> vclip::Found {
    vclip::search_at::<S>(cores, cores.map(|core| core.planes()), &poses.at(sample), start)
}

dispatch!(search_sample, search_sample_body, (cores: [&Polyhedron; 2], poses: &RelativeLanes, sample: usize, start: FeaturePair) -> vclip::Found);

/// A walk of V-Clip from sample to sample.
struct Tracking<'a> {
    of: &'a OnePair<'a>,
    samples: u64,
    start: FeaturePair,
}

/// Goes with V-Clip from sample to sample, or in each from the line between the bodies, and proves what is found, eight of a
/// kind at a time; ends where the bodies overlap. Returns the last features.
#[inline(always)]
fn track_body<S: Simd>(out: &mut Searched, t: &Tracking<'_>, line: bool, routes: &mut Routes) -> FeaturePair {
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
        let start = if line { vclip::on_the_line::<S>(cores, &pose) } else { features };
        let found = vclip::search_at::<S>(cores, planes, &pose, start);
        routes.vclip_steps += u64::from(found.iterations);
        routes.cycles += u64::from(found.end == vclip::End::Cycle);
        out.samples |= 1 << sample;
        if found.end != vclip::End::Converged {
            break;
        }
        out.changes += u16::from(found.features.differs(&features));
        features = found.features;
        out.prover.push(of, sample, features, &mut out.rows);
    }
    out.prover.finish(of, &mut out.rows);
    features
}

dispatch!(track, track_body, (out: &mut Searched, t: &Tracking<'_>, line: bool, routes: &mut Routes) -> FeaturePair);
