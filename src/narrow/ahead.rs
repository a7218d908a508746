//! Looking ahead of a walk, eight samples at a time: the remembered features are verified in the samples to come, and
//! where they change at every turn, all of them are searched before any is proven. What neither settles is asked alone.

use super::PairQuery;
use super::answer::Answer;
use super::feature::FeaturePair;
use super::gjk::{self, End, Simplex};
use super::pieces::PairCache;
use super::proximity::Proximity;
use super::relative::{RelativeLanes, RelativePoses};
use super::routes::Routes;
use super::simd::{Simd, dispatch};
use super::strict::lanes::{self, Eight, WIDTH};
use super::strict::many::{self, OnePair};
use super::vclip;
use super::walk::{self, Search};
use crate::geometry::{Polyhedron, RelativePose};
use crate::scene::{Piece, QueryOptions, SAMPLES};

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
    of: Option<(&'a Piece, &'a Piece, &'a RelativeLanes)>,
    query: &'a PairQuery<'a>,
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
#[derive(Debug)]
pub(super) struct Searched {
    found: gjk::lanes::Found,
    /// The size of the pair in the samples searched, metres.
    sizes: [f64; SAMPLES],
    /// Of the samples in which a search converged.
    answers: [Option<Answer>; SAMPLES],
    prover: many::Prover,
    /// In how many of the samples searched the features were not those of the sample before.
    changes: u16,
    /// Whether V-Clip went from sample to sample.
    tracked: bool,
}

/// What is known ahead of a sample.
pub(super) enum Known {
    /// The row was appended, or is beyond the cut-off by less than what would prove it.
    Answered,
    /// The grown bodies are proven to be at least this far apart, metres.
    Beyond(f64),
}

/// What a sample is asked with.
pub(super) struct Asked<'a> {
    pub(super) sample: usize,
    /// The samples after it.
    pub(super) left: u64,
    pub(super) options: &'a QueryOptions,
}

impl<'a> Ahead<'a> {
    /// A memory of other geometry is dropped.
    pub(super) fn new(
        search: Search,
        query: &'a PairQuery<'a>,
        relative: &'a RelativePoses<'a>,
        cache: &mut PairCache,
        (eight, found): (&'a mut Eight, &'a mut Searched),
    ) -> Self {
        let of = match (&query.a.pieces[..], &query.b.pieces[..], relative.lanes) {
            ([a], [b], Some(lanes)) => Some((a, b, lanes)),
            _ => None,
        };
        if let Some((a, b, _)) = of {
            cache.hulls.belong_to(&a.core, &b.core);
        }
        found.found.samples = 0;
        Self { of, query, search, eight, checked: false, found, run: 0.0 }
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
        asked: &Asked<'_>,
        ruled_out: Option<impl Fn(&RelativePose<f64>) -> bool>,
        cache: &mut PairCache,
        routes: &mut Routes,
        out: &mut Vec<Proximity>,
    ) -> Option<Known> {
        let (a, b, poses) = self.of?;
        let sample = asked.sample;
        if !self.knows(sample) {
            if let Some(answer) = self.verified(sample, cache) {
                routes.queries += 1;
                self.run += 1.0;
                if answer.distance < 0.0 {
                    routes.surface_verified += 1
                } else {
                    routes.verified += 1
                }
                let known = self.row(&answer, asked, out);
                routes.beyond += u64::from(matches!(known, Known::Beyond(_)));
                return Some(known);
            }
            if let Some(answer) = self.followed((a, b, poses), sample, cache, routes) {
                routes.queries += 1;
                routes.searched += 1;
                return Some(self.row(&answer, asked, out));
            }
            self.search((a, b, poses), asked, ruled_out, cache, routes)?;
        }
        let searched = &self.found;
        if let Some(answer) = &searched.answers[sample] {
            routes.queries += 1;
            routes.searched += 1;
            return Some(self.row(answer, asked, out));
        }
        if searched.found.end[sample] == End::Beyond {
            routes.queries += 1;
            routes.beyond += 1;
            return Some(Known::Beyond(searched.found.gap[sample] - (a.radius + b.radius)));
        }
        if !searched.tracked {
            cache.hulls.remember(None, searched.found.simplex[sample]);
        }
        None
    }

    /// Appends a row, unless the bodies are proven to be beyond the cut-off.
    #[inline(always)]
    fn row(&self, answer: &Answer, asked: &Asked<'_>, out: &mut Vec<Proximity>) -> Known {
        let Some((a, b, poses)) = self.of else { return Known::Answered };
        let (growth, within) = (a.radius + b.radius, asked.options.within);
        if answer.distance > 0.0 {
            let size = poses.size(&a.core, &b.core, growth, asked.sample);
            if answer.lower > walk::beyond(within, size) + growth {
                return Known::Beyond(answer.lower - growth);
            }
        }
        // What the growth costs in rounding.
        let size =
            if growth == 0.0 { 0.0 } else { self.query.a.radius + self.query.b.radius + poses.reach(asked.sample) };
        let row = answer.grown((&a.core, a.radius), (&b.core, b.radius), size, asked.options);
        if row.lower <= within {
            out.push(Proximity { sample: asked.sample as u8, ..row });
        }
        Known::Answered
    }

    /// The answer of the remembered features, if they are verified in a sample.
    #[inline(always)]
    fn verified(&mut self, sample: usize, cache: &PairCache) -> Option<Answer> {
        if !(self.checked && self.eight.covers(sample)) {
            self.check(sample, cache)?;
        }
        self.eight.answer(sample)
    }

    /// Verifies the remembered features in eight samples, if that is likely to pay.
    #[inline(never)]
    fn check(&mut self, sample: usize, cache: &PairCache) -> Option<()> {
        let (a, b, poses) = self.of?;
        let features = cache.hulls.features().filter(|_| cache.hulls.pace > RUN)?;
        let start = sample.min(SAMPLES - WIDTH);
        let cores = (&a.core, &b.core, a.radius + b.radius);
        lanes::check(cores, &features, cache.hulls.surface(), poses, start, self.eight);
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
        (a, b, poses): (&Piece, &Piece, &RelativeLanes),
        sample: usize,
        cache: &mut PairCache,
        routes: &mut Routes,
    ) -> Option<Answer> {
        let pace = self.pace(cache);
        if !self.tracks(cache) || pace <= RUN || poses.finite() >> sample & 1 == 0 {
            return None;
        }
        let features = cache.hulls.features()?;
        let found = search_sample([&a.core, &b.core], poses, sample, features);
        routes.vclip_steps += u64::from(found.iterations);
        routes.cycles += u64::from(found.end == vclip::End::Cycle);
        if found.end != vclip::End::Converged || found.features == features {
            return None;
        }
        cache.hulls.follow(&a.core, &b.core, found.features);
        (cache.hulls.pace, self.run) = (pace, 0.0);
        self.check(sample, cache)?;
        self.eight.answer(sample)
    }

    /// Searches a sample together with those that come next and are not `ruled_out`. `None`: overlap, or few samples.
    #[inline(never)]
    fn search(
        &mut self,
        (a, b, poses): (&Piece, &Piece, &RelativeLanes),
        asked: &Asked<'_>,
        ruled_out: Option<impl Fn(&RelativePose<f64>) -> bool>,
        cache: &mut PairCache,
        routes: &mut Routes,
    ) -> Option<()> {
        if cache.hulls.surface().is_some() || asked.left.count_ones() + 1 < FEW {
            return None;
        }
        let tracks = self.tracks(cache);
        let [by_features, by_line] = cache.hulls.states;
        let line = tracks && by_features > FAR && by_line + LINE < by_features;
        if self.search == Search::VClip && !tracks || self.search == Search::Auto && cache.hulls.features().is_none() {
            return None;
        }
        // Where features hold for long, a change of them is searched alone.
        if cache.hulls.simplex().count > 0 && self.pace(cache) > RUN {
            return None;
        }
        let mut samples = poses.finite() & (asked.left | 1 << asked.sample);
        if let Some(ruled_out) = ruled_out {
            let mut next = samples & asked.left;
            while next != 0 {
                let s = next.trailing_zeros() as usize;
                next &= next - 1;
                samples &= !(u64::from(ruled_out(&poses.at(s))) << s);
            }
        }
        let searched = &mut self.found;
        searched.tracked = tracks;
        match cache.hulls.features().filter(|_| tracks) {
            Some(features) => {
                let before = routes.vclip_steps;
                let last = track(searched, &Tracking { parts: [a, b], poses, samples, start: features }, line, routes);
                cache.hulls.follow(&a.core, &b.core, last);
                let states = (routes.vclip_steps - before) as f32;
                cache.hulls.states[usize::from(line)] = states / searched.found.samples.count_ones().max(1) as f32;
                cache.hulls.states[usize::from(!line)] *= FADING;
            }
            None => {
                searched.search((a, b), poses, samples, &cache.hulls.simplex(), asked.options.within);
                routes.search_iterations += u64::from(searched.found.iterations);
                // The memory of the last sample searched is good for those after it.
                if let Some((features, simplex)) = searched.last() {
                    cache.hulls.remember(features, simplex);
                }
            }
        }
        cache.hulls.pace = searched.pace();
        (self.run, self.checked) = (0.0, false);
        self.knows(asked.sample).then_some(())
    }

    /// Whether a sample was searched.
    #[inline(always)]
    fn knows(&self, sample: usize) -> bool {
        self.found.found.samples >> sample & 1 == 1
    }
}

impl Default for Searched {
    fn default() -> Self {
        let (found, prover) = Default::default();
        Self { found, sizes: [0.0; SAMPLES], answers: [None; SAMPLES], prover, changes: 0, tracked: false }
    }
}

impl Searched {
    /// How many searches in turn ended at the same features, on average.
    fn pace(&self) -> f32 {
        self.found.samples.count_ones() as f32 / f32::from(self.changes.max(1))
    }

    /// What the last sample searched ended with.
    fn last(&self) -> Option<(Option<FeaturePair>, Simplex)> {
        let last = self.found.samples.checked_ilog2()? as usize;
        Some((self.answers[last].map(|answer| answer.features), self.found.simplex[last]))
    }

    /// Searches the samples side by side from one simplex, and proves what is found.
    fn search(&mut self, (a, b): (&Piece, &Piece), poses: &RelativeLanes, samples: u64, start: &Simplex, within: f64) {
        let (cores, growth) = ([&a.core, &b.core], a.radius + b.radius);
        let mut left = samples;
        while left != 0 {
            let s = left.trailing_zeros() as usize;
            left &= left - 1;
            self.sizes[s] = poses.size(cores[0], cores[1], growth, s);
        }
        let sizes = &self.sizes;
        let queries = gjk::lanes::Queries { cores, poses, growth, within, start: *start, sizes, samples };
        gjk::lanes::search(&queries, &mut self.found);
        let pair = OnePair { cores, growth, poses };
        let mut left = self.found.samples;
        // Neighbours often end alike.
        let mut last = (Simplex::default(), None);
        self.changes = 0;
        while left != 0 {
            let sample = left.trailing_zeros() as usize % SAMPLES;
            left &= left - 1;
            self.answers[sample] = None;
            let simplex = &self.found.simplex[sample];
            if self.found.end[sample] != End::Converged {
                continue;
            }
            if last.0 != *simplex {
                last = (*simplex, FeaturePair::of_simplex(cores[0], cores[1], simplex.as_slice()));
                self.changes += 1;
            }
            if let Some(features) = last.1 {
                self.prover.push(pair, sample, features, &mut self.answers);
            }
        }
        self.prover.finish(pair, &mut self.answers);
    }
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
    parts: [&'a Piece; 2],
    poses: &'a RelativeLanes,
    samples: u64,
    start: FeaturePair,
}

/// Goes with V-Clip from sample to sample, or in each from the line between the bodies, and proves what is found, eight of a
/// kind at a time; ends where the bodies overlap. Returns the last features.
#[inline(always)]
fn track_body<S: Simd>(out: &mut Searched, of: &Tracking<'_>, line: bool, routes: &mut Routes) -> FeaturePair {
    let [a, b] = of.parts;
    let cores = [&a.core, &b.core];
    let pair = OnePair { cores, growth: a.radius + b.radius, poses: of.poses };
    let planes = cores.map(|core| core.planes());
    let (mut features, mut left) = (of.start, of.samples);
    (out.found.samples, out.changes) = (0, 0);
    while left != 0 {
        let sample = left.trailing_zeros() as usize % SAMPLES;
        left &= left - 1;
        let pose = of.poses.at(sample);
        let start = if line { vclip::on_the_line::<S>(cores, &pose) } else { features };
        let found = vclip::search_at::<S>(cores, planes, &pose, start);
        routes.vclip_steps += u64::from(found.iterations);
        routes.cycles += u64::from(found.end == vclip::End::Cycle);
        out.found.samples |= 1 << sample;
        (out.found.end[sample], out.answers[sample]) = (End::Stalled, None);
        if found.end != vclip::End::Converged {
            break;
        }
        out.changes += u16::from(found.features.differs(&features));
        features = found.features;
        out.prover.push(pair, sample, features, &mut out.answers);
    }
    out.prover.finish(pair, &mut out.answers);
    features
}

dispatch!(track, track_body, (out: &mut Searched, of: &Tracking<'_>, line: bool, routes: &mut Routes) -> FeaturePair);
