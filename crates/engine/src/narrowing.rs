//! Handing the narrow phase its work: a slice's candidates over the threads of the pool, its rows
//! back in order.

use super::caches::{CacheEntry, CacheSlice, Caches};
use super::interval_queries::{IntervalQueries, IntervalRows};
use super::slice_rows::{ChunkRows, SliceRows};
use super::slices::Slice;
use super::stretches::{STRETCH, Stretches};
use super::workspaces::{Borrowed, Workspaces};
use super::world::Frames;
use clearsweep_model::{Candidate, FrameBlock, FreeLength, Motion, Requirements, SAMPLES, Scene};
use clearsweep_narrow::{
    BodyPoses, Contact, DirectionalDistance, Footprint, NarrowPhase, PairCache, PairQuery, Proximity, SolverStats,
    Status, Workspace, contacts, directional_distance, free_length,
};
use clearsweep_tables::{ContactRow, IntervalRow, Row};
use rayon::prelude::*;
use std::collections::HashMap;
use std::ops::Range;
use std::time::{Duration, Instant};

/// Candidates of a task. Small, because a pair of many pieces costs a thousand times a pair of
/// boxes; rayon joins tasks that nobody steals.
const GRAIN: usize = 8;

/// Tasks for each thread, at least, where candidates of few samples are put together for the sake
/// of their company.
const TASKS: usize = 8;

/// Pairs of pieces from which on a pair of bodies counts as heavy.
const MANY_PIECES: usize = 64;

/// Grown bodies that a task keeps, at most.
const FOOTPRINTS: usize = 64;

/// The rows of a slice, and what they cost.
pub(super) struct SliceResult {
    /// In the world.
    pub(super) rows: SliceRows,
    /// How they were found.
    pub(super) stats: SolverStats,
    /// Time of all threads together.
    pub(super) busy: Duration,
}

/// The findings of a task.
struct Chunk {
    rows: ChunkRows<Row>,
    /// `None` where there is no row of an interval.
    intervals: Option<ChunkRows<IntervalRow>>,
    /// `None` where no contact is found.
    contacts: Option<ChunkRows<ContactRow>>,
    stats: SolverStats,
    busy: Duration,
    /// Pairs that are remembered for the first time.
    fresh: Vec<CacheEntry>,
}

/// Memory that a thread uses again for each of its tasks.
struct TaskScratch<'a> {
    /// Empty between tasks, as are the next two.
    answers: Vec<Proximity>,
    ends: Vec<usize>,
    /// The sample of each row.
    samples: Vec<u8>,
    frames: Frames,
    /// Caches of a task's candidates; `places` holds their places among the caches that are kept.
    caches: Vec<PairCache>,
    places: Vec<Option<u32>>,
    /// Grown bodies of rules that require free lengths, by rule and body.
    footprints: HashMap<(usize, u32), Footprint>,
    work: Borrowed<'a>,
}

impl<'a> TaskScratch<'a> {
    fn new(workspaces: &'a Workspaces) -> Self {
        let (answers, ends, samples, caches, places) = Default::default();
        let (frames, footprints) = (Frames::default(), HashMap::new());
        Self { answers, ends, samples, frames, caches, places, footprints, work: workspaces.borrow() }
    }
}

/// The findings of a task about its candidates so far.
struct Answered<'a> {
    /// Queries for the run of candidates being answered.
    queries: Vec<PairQuery<'a>>,
    rows: Vec<Row>,
    intervals: IntervalRows,
    contacts: Vec<ContactRow>,
    stats: SolverStats,
}

/// The data that every task reads.
struct SliceTask<'a> {
    scene: &'a Scene,
    block: &'a FrameBlock,
    narrow: &'a dyn NarrowPhase,
    /// Whether a pair may be asked about again after the slice.
    is_followed: bool,
    /// `None` where no interval is asked about.
    intervals: Option<IntervalQueries<'a>>,
    /// `None` if no pair was nearer than required at the baseline of its rule.
    requirements: Option<Requirements>,
}

/// Answers the candidates of a slice of `block`, which the threads of the pool share.
pub(super) fn narrow(
    scene: &Scene,
    block: &FrameBlock,
    narrow: &dyn NarrowPhase,
    caches: &mut Caches,
    slice: &Slice,
) -> SliceResult {
    let (job, candidates) = (SliceTask::new(scene, block, narrow, slice), slice.pairs.candidates.as_slice());
    let grain = grain(candidates);
    let (mut cache_slices, workspaces) = caches.cache_slices(block.index, candidates, grain);
    let mut chunks: Vec<Chunk> = candidates
        .par_chunks(grain)
        .zip(&mut cache_slices)
        .enumerate()
        .map_init(
            || TaskScratch::new(workspaces),
            |scratch, (at, (chunk, cache_slice))| job.chunk((at * grain, chunk), cache_slice, scratch),
        )
        .collect();
    drop(cache_slices);
    let mut stats = SolverStats::default();
    let mut busy = Duration::ZERO;
    for chunk in &mut chunks {
        stats.add(&chunk.stats);
        busy += chunk.busy;
        caches.add(&mut chunk.fresh);
    }
    let intervals = chunks.iter_mut().filter_map(|chunk| chunk.intervals.take()).collect();
    let contacts = chunks.iter_mut().filter_map(|chunk| chunk.contacts.take()).collect();
    // Most candidates of a block may be too far apart.
    let chunks = chunks.into_iter().map(|chunk| chunk.rows).filter(|rows| !rows.is_empty()).collect();
    SliceResult { rows: SliceRows { chunks, intervals, contacts }, stats, busy }
}

/// Answers like [`narrow`], on this thread alone: for slices so small that several are answered
/// side by side.
pub(super) fn narrow_alone(
    scene: &Scene,
    block: &FrameBlock,
    narrow: &dyn NarrowPhase,
    caches: &mut Caches,
    slice: &Slice,
) -> SliceResult {
    let (job, candidates) = (SliceTask::new(scene, block, narrow, slice), slice.pairs.candidates.as_slice());
    let (mut cache_slices, workspaces) = caches.cache_slices(block.index, candidates, candidates.len());
    let Some(cache_slice) = cache_slices.first_mut() else {
        return SliceResult { rows: SliceRows::default(), stats: SolverStats::default(), busy: Duration::ZERO };
    };
    let chunk = job.chunk((0, candidates), cache_slice, &mut TaskScratch::new(workspaces));
    let Chunk { rows, intervals, contacts, stats, busy, mut fresh } = chunk;
    drop(cache_slices);
    caches.add(&mut fresh);
    let (intervals, contacts) = (intervals.into_iter().collect(), contacts.into_iter().collect());
    let rows = SliceRows { chunks: vec![rows], intervals, contacts };
    SliceResult { rows, stats, busy }
}

impl<'a> SliceTask<'a> {
    fn new(scene: &'a Scene, block: &'a FrameBlock, narrow: &'a dyn NarrowPhase, slice: &'a Slice) -> Self {
        // Only the last block of an input has fewer samples.
        let is_followed = !slice.ends_block || block.samples.len() == SAMPLES;
        let intervals = IntervalQueries::new(scene, block, &slice.pairs.intervals);
        let requirements = (!scene.baselines.is_empty()).then(|| scene.requirements());
        Self { scene, block, narrow, is_followed, intervals, requirements }
    }

    /// Whether a pair may be asked about again after the slice: static bodies are paired in one
    /// sample only.
    fn is_followed(&self, candidate: &Candidate) -> bool {
        let is_static = |body: u32| matches!(self.scene.bodies[body as usize].motion, Motion::Static(_));
        self.is_followed && !(is_static(candidate.a) && is_static(candidate.b))
    }

    /// The rows of a few candidates, of which the first one is at `first` in the slice.
    fn chunk(
        &self,
        (first, candidates): (usize, &[Candidate]),
        cache_slice: &mut CacheSlice<'_>,
        scratch: &mut TaskScratch<'_>,
    ) -> Chunk {
        let begun = Instant::now();
        cache_slice.take(candidates, &mut scratch.caches, &mut scratch.places);
        scratch.frames.clear();
        let most: u32 = candidates.iter().map(|c| c.samples.count_ones()).sum();
        let mut found = Answered {
            queries: Vec::with_capacity(candidates.len().min(SAMPLES)),
            rows: Vec::with_capacity(most as usize),
            intervals: IntervalRows::default(),
            contacts: Vec::new(),
            stats: SolverStats::default(),
        };
        let mut from = 0;
        while from < candidates.len() {
            let until = from + self.run((first + from, &candidates[from..]));
            self.answer_run(first, candidates, from..until, scratch, &mut found);
            from = until;
        }
        let mut fresh = Vec::new();
        cache_slice.put(
            candidates,
            &mut scratch.caches,
            &scratch.places,
            |candidate| self.is_followed(candidate),
            &mut fresh,
        );
        let rows = ChunkRows::new(found.rows, &scratch.samples);
        scratch.samples.clear();
        let (intervals, stats) = (found.intervals.finish(), found.stats);
        let samples: Vec<u8> = found.contacts.iter().map(|row| row.contact.sample).collect();
        let contacts = (!samples.is_empty()).then(|| ChunkRows::new(found.contacts, &samples));
        Chunk { rows, intervals, contacts, stats, busy: begun.elapsed(), fresh }
    }

    /// Answers a run of candidates: their samples, and then their intervals.
    fn answer_run<'s>(
        &'s self,
        first: usize,
        candidates: &[Candidate],
        range: Range<usize>,
        scratch: &mut TaskScratch<'_>,
        found: &mut Answered<'s>,
    ) {
        let run = &candidates[range.clone()];
        if let [alone] = run
            && self.is_heavy(first + range.start, alone)
        {
            return self.answer_heavy((first + range.start, alone), range.start, scratch, found);
        }
        let TaskScratch { answers, ends, samples, frames, caches, footprints, work, .. } = scratch;
        let Answered { queries, rows, intervals, contacts, stats } = found;
        if let [alone] = run
            && alone.samples == 0
        {
            let (cache, at) = (&mut caches[range.start], first + range.start);
            self.answer_intervals((at, alone, u64::MAX), &[], cache, work.get(), stats, intervals);
            return;
        }
        queries.clear();
        queries.extend(run.iter().map(|candidate| self.query(candidate)));
        let caches = &mut caches[range.clone()];
        self.narrow.query_batch(queries, &self.scene.query, caches, work.get(), stats, answers, ends);
        samples.extend(answers.iter().map(|answer| answer.sample));
        let mut before = 0;
        for (((at, candidate), cache), (query, end)) in
            range.zip(run).zip(&mut *caches).zip(queries.iter().zip(ends.drain(..)))
        {
            let own = &answers[before..end];
            self.rows((candidate, query), own, (frames, footprints), work.get(), rows);
            if self.scene.query.contacts {
                self.contacts((candidate, query), own, work.get(), contacts);
            }
            self.answer_intervals((first + at, candidate, u64::MAX), own, cache, work.get(), stats, intervals);
            before = end;
        }
        answers.clear();
    }

    /// Answers a heavy pair, of which threads without work take stretches. `place`: of its cache in
    /// the task.
    fn answer_heavy<'s>(
        &'s self,
        (at, candidate): (usize, &Candidate),
        place: usize,
        scratch: &mut TaskScratch<'_>,
        found: &mut Answered<'s>,
    ) {
        let TaskScratch { answers, samples, frames, caches, footprints, work, .. } = scratch;
        let query = self.query(candidate);
        let fresh = || (PairCache::default(), work.another());
        let answer = |(cache, work): &mut (PairCache, Borrowed<'_>), samples| {
            let (mut own, mut ends, mut stats, mut touching) = <(Vec<_>, Vec<_>, SolverStats, Vec<_>)>::default();
            let (query, caches) = (PairQuery { samples, ..query }, std::slice::from_mut(cache));
            self.narrow.query_batch(&[query], &self.scene.query, caches, work.get(), &mut stats, &mut own, &mut ends);
            if self.scene.query.contacts {
                self.contacts((candidate, &query), &own, work.get(), &mut touching);
            }
            (own, touching, stats)
        };
        let mut memory = (std::mem::take(&mut caches[place]), work.another());
        if candidate.samples != 0 {
            let shared = Stretches { fresh, answer }.share(candidate.samples, memory);
            for (own, touching, stats) in shared.found {
                answers.extend(own);
                found.contacts.extend(touching);
                found.stats.add(&stats);
            }
            memory = shared.memory;
        }
        if let Some(intervals) = &self.intervals {
            let answer = |(cache, work): &mut (PairCache, Borrowed<'_>), samples| {
                let (mut own, mut stats) = <(IntervalRows, SolverStats)>::default();
                intervals.answer((at, candidate, samples), answers, cache, work.get(), &mut stats, &mut own);
                (own, stats)
            };
            let shared = Stretches { fresh, answer }.share(intervals.of(at), memory);
            for (own, stats) in shared.found {
                found.intervals.append(own);
                found.stats.add(&stats);
            }
            memory = shared.memory;
        }
        caches[place] = memory.0;
        samples.extend(answers.iter().map(|answer| answer.sample));
        self.rows((candidate, &query), answers, (frames, footprints), work.get(), &mut found.rows);
        answers.clear();
    }

    /// Appends the rows of a pair, in the world.
    fn rows(
        &self,
        (candidate, query): (&Candidate, &PairQuery<'_>),
        answers: &[Proximity],
        (frames, footprints): (&mut Frames, &mut HashMap<(usize, u32), Footprint>),
        work: &mut Workspace,
        rows: &mut Vec<Row>,
    ) {
        let mut of_a = frames.of(candidate.a, &query.poses_a);
        rows.extend(answers.iter().map(|answer| Row {
            a: candidate.a,
            b: candidate.b,
            proximity: of_a.at(usize::from(answer.sample)).in_world(answer),
            directional: self.along((candidate, query), usize::from(answer.sample), footprints, work),
            stands: self.stands((candidate, query), usize::from(answer.sample)),
        }));
    }

    /// Whether a pair may cost so much that threads are to share it: one of triangles or of many
    /// pieces, with more than a stretch to answer.
    fn is_heavy(&self, at: usize, candidate: &Candidate) -> bool {
        let asked = candidate.samples | self.intervals.as_ref().map_or(0, |intervals| intervals.of(at));
        if asked.count_ones() <= STRETCH {
            return false;
        }
        let [a, b] = [candidate.a, candidate.b].map(|body| &self.scene.bodies[body as usize].shape);
        a.mesh.is_some() || b.mesh.is_some() || a.pieces.len() * b.pieces.len() >= MANY_PIECES
    }

    /// The number of candidates that are walked together: at least one, and as many as have a
    /// block's worth of samples, so that their answers stay in the cache. One without samples is a
    /// run of its own, and so is a heavy one. `at`: of the first in the slice.
    fn run(&self, (at, candidates): (usize, &[Candidate])) -> usize {
        let mut samples = 0;
        let fits = |(k, c): &(usize, &Candidate)| {
            samples += c.samples.count_ones() as usize;
            samples <= SAMPLES && c.samples != 0 && !self.is_heavy(at + k, c)
        };
        candidates.iter().enumerate().take_while(fits).count().max(1)
    }

    /// Answers the intervals of a pair, if any are asked about: see [`IntervalQueries::answer`].
    #[inline]
    fn answer_intervals(
        &self,
        pair: (usize, &Candidate, u64),
        rows: &[Proximity],
        cache: &mut PairCache,
        work: &mut Workspace,
        stats: &mut SolverStats,
        found: &mut IntervalRows,
    ) {
        if let Some(intervals) = &self.intervals {
            intervals.answer(pair, rows, cache, work, stats, found);
        }
    }

    /// Appends the contacts of a pair in the samples in which it is not proven apart by more than
    /// `touch`.
    fn contacts(
        &self,
        (candidate, query): (&Candidate, &PairQuery<'_>),
        rows: &[Proximity],
        work: &mut Workspace,
        found: &mut Vec<ContactRow>,
    ) {
        let mut regions = Vec::new();
        for row in rows.iter().filter(|row| matches!(row.status, Status::Touching | Status::Penetrating)) {
            let poses = [&query.poses_a, &query.poses_b].map(|poses| poses.at(usize::from(row.sample)));
            contacts([query.a, query.b], poses.each_ref(), &self.scene.query, work, &mut regions);
            found.extend((0..).zip(regions.drain(..)).map(|(number, contact)| ContactRow {
                a: candidate.a,
                b: candidate.b,
                number,
                contact: Contact { sample: row.sample, ..contact },
            }));
        }
    }

    /// Whether a pair stands in a sample where it did at the baseline of its rule.
    fn stands(&self, (candidate, query): (&Candidate, &PairQuery<'_>), sample: usize) -> bool {
        let Some(requirements) = &self.requirements else { return false };
        let run = self.block.samples[sample].run;
        requirements
            .stands(run, candidate.a, candidate.b, || [query.poses_a, query.poses_b].map(|poses| poses.at(sample)))
    }

    /// Returns the free length if the pair's rule requires one, else the distance along the
    /// direction of the scene, if there is one.
    fn along(
        &self,
        (candidate, query): (&Candidate, &PairQuery<'_>),
        sample: usize,
        footprints: &mut HashMap<(usize, u32), Footprint>,
        work: &mut Workspace,
    ) -> Option<DirectionalDistance> {
        let Some((rule, FreeLength { direction, footprint }, moves)) =
            self.scene.rules.free_length(candidate.a, candidate.b)
        else {
            return self.directional(query, sample, work);
        };
        let poses = [query.poses_a, query.poses_b].map(|poses| poses.at(sample));
        let (shapes, bodies) = ([query.a, query.b], [candidate.a, candidate.b]);
        let mut found: Option<DirectionalDistance> = None;
        for moving in (0..2).filter(|&moving| moves[moving]) {
            if footprints.len() >= FOOTPRINTS {
                footprints.clear();
            }
            let (own, other) = (moving, 1 - moving);
            let grown = footprints.entry((rule, bodies[own])).or_insert_with(|| Footprint::new(footprint));
            let pair = ((shapes[own], &poses[own]), (shapes[other], &poses[other]));
            let ((a, pose_a), (b, pose_b)) = pair;
            let length = free_length(a, b, pose_a, pose_b, direction, grown, &self.scene.query, work);
            found = Some(found.map_or(length, |first| first.lesser(&length)));
        }
        found
    }

    /// The distance along the direction of the scene in a sample, if it has one.
    fn directional(&self, query: &PairQuery<'_>, sample: usize, work: &mut Workspace) -> Option<DirectionalDistance> {
        let direction = self.scene.direction?;
        let [a, b] = [query.poses_a, query.poses_b].map(|poses| poses.at(sample));
        Some(directional_distance(query.a, query.b, &a, &b, direction, &self.scene.query, work))
    }

    /// The query of a candidate.
    fn query(&self, candidate: &Candidate) -> PairQuery<'_> {
        let [a, b] = [candidate.a, candidate.b].map(|body| &self.scene.bodies[body as usize]);
        PairQuery {
            a: &a.shape,
            b: &b.shape,
            poses_a: self.poses(&a.motion),
            poses_b: self.poses(&b.motion),
            samples: candidate.samples,
        }
    }

    fn poses<'m>(&'m self, motion: &'m Motion) -> BodyPoses<'m> {
        match motion {
            Motion::Static(pose) => BodyPoses::Fixed(pose),
            Motion::Dynamic { slot } => BodyPoses::Moving(self.block.slot(*slot as usize)),
        }
    }
}

/// How many candidates are a task: those of one or two samples are answered side by side
/// (`NarrowPhase::query_batch`).
fn grain(candidates: &[Candidate]) -> usize {
    let samples: u32 = candidates.iter().map(|c| c.samples.count_ones()).sum();
    let enough = candidates.len() >= SAMPLES * TASKS * rayon::current_num_threads();
    if enough && samples as usize <= 2 * candidates.len() { SAMPLES } else { GRAIN }
}

#[cfg(test)]
mod tests;
