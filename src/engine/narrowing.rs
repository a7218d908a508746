//! Handing the narrow phase its work: a slice's candidates over the threads of the pool, its rows back in order.

use super::caches::Caches;
use super::world::in_world;
use crate::narrow::{NarrowPhase, PairCache, PairQuery, Poses, Proximity, Routes};
use crate::scene::{Candidate, FrameBlock, Motion, SAMPLES, Scene};
use crate::table::Row;
use rayon::prelude::*;
use std::time::{Duration, Instant};

/// Candidates of a task. Small, because a pair of many pieces costs a thousand times a pair of boxes; rayon joins
/// tasks that nobody steals.
const GRAIN: usize = 8;

/// The rows of a slice, and what they cost.
pub(super) struct Narrowed {
    /// Sorted by (sample, a, b); in the world.
    pub(super) rows: Vec<Row>,
    /// How they were found.
    pub(super) routes: Routes,
    /// Time of all threads together.
    pub(super) busy: Duration,
}

/// The rows of a task's candidates.
struct Chunk {
    /// Sorted by (sample, a, b).
    rows: Vec<Row>,
    /// The rows of sample `s` are `rows[start[s]..start[s + 1]]`.
    start: [u32; SAMPLES + 1],
    routes: Routes,
    busy: Duration,
}

/// What every task reads.
struct Job<'a> {
    scene: &'a Scene,
    block: &'a FrameBlock,
    narrow: &'a dyn NarrowPhase,
}

/// Answers the candidates (sorted by (a, b)) of a slice of `block`.
pub(super) fn narrow(
    scene: &Scene,
    block: &FrameBlock,
    narrow: &dyn NarrowPhase,
    caches: &mut Caches,
    candidates: &[Candidate],
) -> Narrowed {
    let job = Job { scene, block, narrow };
    let mut taken = caches.take(candidates);
    let chunks: Vec<Chunk> = candidates
        .par_chunks(GRAIN)
        .zip(taken.par_chunks_mut(GRAIN))
        .map_init(Vec::new, |scratch, (candidates, caches)| job.chunk(candidates, caches, scratch))
        .collect();
    caches.put(block.index, candidates, taken);
    let mut routes = Routes::default();
    let mut busy = Duration::ZERO;
    for chunk in &chunks {
        routes.add(&chunk.routes);
        busy += chunk.busy;
    }
    Narrowed { rows: gather(&chunks), routes, busy }
}

impl Job<'_> {
    /// The rows of a few candidates. `scratch` is the thread's, empty before and after.
    fn chunk(&self, candidates: &[Candidate], caches: &mut [PairCache], scratch: &mut Vec<Proximity>) -> Chunk {
        let begun = Instant::now();
        let mut routes = Routes::default();
        let mut found = Vec::new();
        for (candidate, cache) in candidates.iter().zip(caches) {
            let query = self.query(candidate);
            self.narrow.walk(&query, &self.scene.query, cache, &mut routes, scratch);
            found.extend(scratch.drain(..).map(|answer| Row {
                a: candidate.a,
                b: candidate.b,
                proximity: in_world(answer, &query.poses_a.at(usize::from(answer.sample))),
            }));
        }
        let (rows, start) = by_sample(&found);
        Chunk { rows, start, routes, busy: begun.elapsed() }
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

    fn poses<'a>(&'a self, motion: &'a Motion) -> Poses<'a> {
        match motion {
            Motion::Static(pose) => Poses::Fixed(pose),
            Motion::Dynamic { slot } => Poses::Moving(self.block.slot(*slot as usize)),
        }
    }
}

/// A stable counting sort by sample: rows come in by (a, b, sample) and leave by (sample, a, b).
fn by_sample(rows: &[Row]) -> (Vec<Row>, [u32; SAMPLES + 1]) {
    let mut start = [0_u32; SAMPLES + 1];
    for row in rows {
        start[usize::from(row.proximity.sample) + 1] += 1;
    }
    for sample in 0..SAMPLES {
        start[sample + 1] += start[sample];
    }
    let mut next = start;
    let mut sorted = rows.to_vec();
    for row in rows {
        let at = &mut next[usize::from(row.proximity.sample)];
        sorted[*at as usize] = *row;
        *at += 1;
    }
    (sorted, start)
}

/// The rows of all chunks by (sample, a, b): chunks are in order of (a, b), so the rows of a sample are those of the
/// chunks one after the other. The samples are copied in parallel.
fn gather(chunks: &[Chunk]) -> Vec<Row> {
    let of = |chunk: &Chunk, sample: usize| chunk.start[sample] as usize..chunk.start[sample + 1] as usize;
    let total = chunks.iter().map(|chunk| chunk.rows.len()).sum();
    let Some(filler) = chunks.iter().find_map(|chunk| chunk.rows.first()) else { return Vec::new() };
    let mut rows = vec![*filler; total];
    let mut rest = rows.as_mut_slice();
    let mut samples = Vec::with_capacity(SAMPLES);
    for sample in 0..SAMPLES {
        let size = chunks.iter().map(|chunk| of(chunk, sample).len()).sum();
        let (head, tail) = rest.split_at_mut(size);
        samples.push((sample, head));
        rest = tail;
    }
    samples.into_par_iter().for_each(|(sample, mut to)| {
        for chunk in chunks {
            let from = &chunk.rows[of(chunk, sample)];
            let (head, tail) = to.split_at_mut(from.len());
            head.copy_from_slice(from);
            to = tail;
        }
    });
    rows
}
