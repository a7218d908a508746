//! Handing the narrow phase its work: a slice's candidates over the threads of the pool, its rows back in order.

use super::caches::{CacheEntry, CacheSlice, Caches};
use super::interval_queries::{IntervalQueries, IntervalRows};
use super::slice_rows::{ChunkRows, SliceRows};
use super::slices::Slice;
use super::workspaces::{Borrowed, Workspaces};
use super::world::Frames;
use clearsweep_narrow::{
    BodyPoses, Contact, DirectionalDistance, Footprint, NarrowPhase, PairCache, PairQuery, Proximity, SolverStats,
    Status, Workspace, contacts, directional_distance, free_length,
};
use clearsweep_scene::model::{FreeLength, Requirements};
use clearsweep_scene::{Candidate, FrameBlock, Motion, SAMPLES, Scene};
use clearsweep_tables::{ContactRow, IntervalRow, Row};
use rayon::prelude::*;
use std::collections::HashMap;
use std::ops::Range;
use std::time::{Duration, Instant};

/// Candidates of a task. Small, because a pair of many pieces costs a thousand times a pair of boxes; rayon joins
/// tasks that nobody steals.
const GRAIN: usize = 8;

/// Tasks for each thread, at least, where candidates of few samples are put together for the sake of their company.
const TASKS: usize = 8;

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

/// Answers like [`narrow`], on this thread alone: for slices so small that several are answered side by side.
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

    /// Whether a pair may be asked about again after the slice: static bodies are paired in one sample only.
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
            let until = from + run(&candidates[from..]);
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
        let TaskScratch { answers, ends, samples, frames, caches, footprints, work, .. } = scratch;
        let Answered { queries, rows, intervals, contacts, stats } = found;
        if let [alone] = run
            && alone.samples == 0
        {
            let cache = &mut caches[range.start];
            self.answer_intervals((first + range.start, alone), &[], cache, work.get(), stats, intervals);
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
            let mut of_a = frames.of(candidate.a, &query.poses_a);
            rows.extend(own.iter().map(|answer| Row {
                a: candidate.a,
                b: candidate.b,
                proximity: of_a.at(usize::from(answer.sample)).in_world(answer),
                directional: self.along((candidate, query), usize::from(answer.sample), footprints, work.get()),
                stands: self.stands((candidate, query), usize::from(answer.sample)),
            }));
            if self.scene.query.contacts {
                self.contacts((candidate, query), own, work.get(), contacts);
            }
            self.answer_intervals((first + at, candidate), own, cache, work.get(), stats, intervals);
            before = end;
        }
        answers.clear();
    }

    /// Answers the intervals of a pair, if any are asked about: see [`IntervalQueries::answer`].
    #[inline]
    fn answer_intervals(
        &self,
        pair: (usize, &Candidate),
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

    /// Appends the contacts of a pair in the samples in which it is not proven apart by more than `touch`.
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

    /// Returns the free length if the pair's rule requires one, else the distance along the direction of the scene, if there is one.
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

/// How many candidates are a task: those of one or two samples are answered side by side (`NarrowPhase::query_batch`).
fn grain(candidates: &[Candidate]) -> usize {
    let samples: u32 = candidates.iter().map(|c| c.samples.count_ones()).sum();
    let enough = candidates.len() >= SAMPLES * TASKS * rayon::current_num_threads();
    if enough && samples as usize <= 2 * candidates.len() { SAMPLES } else { GRAIN }
}

/// How many candidates are walked together: at least one, and as many as have a block's worth of samples, so that their
/// answers stay in the cache. One without samples is a run of its own.
fn run(candidates: &[Candidate]) -> usize {
    let mut samples = 0;
    let fits = |c: &&Candidate| {
        samples += c.samples.count_ones() as usize;
        samples <= SAMPLES && c.samples != 0
    };
    candidates.iter().take_while(fits).count().max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearsweep_geometry::{Pose, Vec3};
    use clearsweep_narrow::{FeatureKind, Method, Status};

    /// Answers every third sample or so of a pair: which ones depends on the pair.
    struct Some3;

    fn answered(a: u32, b: u32, sample: usize) -> bool {
        (a as usize * 7 + b as usize * 5 + sample).is_multiple_of(3)
    }

    impl NarrowPhase for Some3 {
        fn name(&self) -> &'static str {
            "some"
        }
        fn query_batch(
            &self,
            queries: &[PairQuery<'_>],
            _: &clearsweep_scene::QueryOptions,
            _: &mut [PairCache],
            _: &mut Workspace,
            stats: &mut SolverStats,
            out: &mut Vec<Proximity>,
            ends: &mut Vec<usize>,
        ) {
            for query in queries {
                for sample in (0..SAMPLES).filter(|s| query.samples >> s & 1 == 1) {
                    stats.queries += 1;
                    // The bodies of the test stand at x = their index.
                    let [a, b] = [query.poses_a, query.poses_b].map(|poses| poses.at(sample).position.x as u32);
                    if answered(a, b, sample) {
                        out.push(answer(sample));
                    }
                }
                ends.push(out.len());
            }
        }
    }

    fn answer(sample: usize) -> Proximity {
        Proximity {
            sample: sample as u8,
            status: Status::Separated,
            method: Method::Strict,
            feature_kind: [FeatureKind::Vertex; 2],
            feature: [0; 2],
            part: [0; 2],
            distance: 1.0,
            lower: 1.0,
            upper: 1.0,
            point_a: Vec3::ZERO,
            point_b: Vec3::new(1.0, 0.0, 0.0),
            normal: Vec3::new(1.0, 0.0, 0.0),
            protrusion: f64::NAN,
        }
    }

    /// Bodies at x = their index; even ones are static.
    fn scene(bodies: u32) -> Scene {
        let dir = tempfile::tempdir().expect("scratch");
        let path = dir.path().join("scene.toml");
        let mut text = "[scene]\nlength_unit = \"m\"\ntrajectories = \"t.parquet\"\n[query]\nwithin = 1.0\n".to_owned();
        for body in 0..bodies {
            text += &format!("[[body]]\nname = \"b{body}\"\nshape = {{ sphere = 0.1 }}\n");
            if body % 2 == 0 {
                text += &format!("static = true\nposition = [{body}.0, 0.0, 0.0]\n");
            }
        }
        std::fs::write(&path, text).expect("written");
        Scene::load(&path, &clearsweep_scene::SceneOverrides::default()).expect("a scene")
    }

    fn block(scene: &Scene) -> FrameBlock {
        let mut block = FrameBlock::new(0, scene.dynamic.len());
        for frame in 0..SAMPLES {
            block.samples.push(clearsweep_scene::Sample { run: 0, frame: frame as i64, time_s: None });
            for (slot, &body) in scene.dynamic.iter().enumerate() {
                block.set(slot, frame, &Pose::new([f64::from(body), 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]));
            }
        }
        block
    }

    #[test]
    fn rows_are_sorted_and_the_same_for_any_number_of_threads() {
        let scene = scene(21);
        let block = block(&scene);
        let mut candidates = Vec::new();
        for a in 0..21_u32 {
            for b in a + 1..21 {
                let samples = u64::MAX.rotate_left(a + b) << (b % 40) ^ 0x5a5a << a;
                candidates.push(Candidate { a, b, samples });
            }
        }
        let slice = Slice { pairs: candidates.clone().into(), ends_block: true };
        let mut expected = Vec::new();
        for sample in 0..SAMPLES {
            for c in candidates.iter().filter(|c| c.samples >> sample & 1 == 1 && answered(c.a, c.b, sample)) {
                expected.push((sample, c.a, c.b));
            }
        }
        assert!(expected.len() > 1000, "the test is to have rows");
        for threads in [1, 2, 3, 8] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            let mut caches = Caches::new(1 << 20);
            let found = pool.install(|| narrow(&scene, &block, &Some3, &mut caches, &slice));
            let rows = found.rows.sorted();
            let keys: Vec<_> = rows.iter().map(|row| (usize::from(row.proximity.sample), row.a, row.b)).collect();
            assert_eq!(keys, expected, "{threads} threads");
            let asked: u32 = candidates.iter().map(|c| c.samples.count_ones()).sum();
            assert_eq!(found.stats.queries, u64::from(asked));
            assert!(rows.iter().all(|row| row.proximity.point_a.x == f64::from(row.a)), "in the world");
            let alone = narrow_alone(&scene, &block, &Some3, &mut caches, &slice);
            assert_eq!(alone.rows.sorted(), rows, "alone");
            assert_eq!(alone.stats, found.stats, "alone");
        }
    }

    #[test]
    fn what_is_remembered_stays_within_its_limit_and_ends_with_the_input() {
        let scene = scene(40);
        let pairs = (0..40_u32).flat_map(|a| (a + 1..40).map(move |b| Candidate { a, b, samples: 0b11 }));
        let slice = |ends_block: bool| Slice { pairs: pairs.clone().collect::<Vec<_>>().into(), ends_block };
        let full = block(&scene);
        let last = FrameBlock { samples: full.samples[..1].to_vec(), ..full.clone() };
        for limit in [0, 1, 50_000, 10_000_000] {
            let mut caches = Caches::new(limit);
            narrow(&scene, &full, &Some3, &mut caches, &slice(true));
            assert!(caches.bytes() <= limit && (caches.bytes() > 0) == (limit > 1), "{} bytes", caches.bytes());
            narrow(&scene, &last, &Some3, &mut caches, &slice(true));
            assert_eq!(caches.bytes(), 0, "no sample follows");
            let mut caches = Caches::new(limit);
            narrow_alone(&scene, &last, &Some3, &mut caches, &slice(true));
            assert_eq!(caches.bytes(), 0, "one frame needs no caches");
            narrow_alone(&scene, &last, &Some3, &mut caches, &slice(false));
            assert_eq!(caches.bytes() > 0, limit > 1, "a later sample may ask again");
        }
    }

    #[test]
    fn no_candidates_no_rows() {
        let scene = scene(2);
        let (block, slice) = (block(&scene), Slice { pairs: Default::default(), ends_block: true });
        assert_eq!(narrow(&scene, &block, &Some3, &mut Caches::default(), &slice).rows.len(), 0);
        assert_eq!(narrow_alone(&scene, &block, &Some3, &mut Caches::default(), &slice).rows.len(), 0);
    }
}
