//! Our narrow phase on the inputs of the peers' harness: shapes (PXS1), queries (PXQ1), references
//! (PXR1).
//!
//! `PX_WORK=DIR cargo bench --bench peers_narrow -- SHAPES:CASE[:within] ...`, for instance
//! `e1:e1_200f:0.2`. Timed region, as for every native peer: one pass over all queries, from the
//! poses to the signed distance with witness points. One thread. Queries of one sequence come in
//! blocks of 64, the form in which the engine reads them; `PX_COLD=1`: each is a pair of its own,
//! nothing remembered, and 64 of them are handed over at a time, as the candidates of a block come
//! (`PX_HANDED`: how many at most); `PX_COLD=pairs`: those of the same shapes together, as a Monte
//! Carlo job has them. `PX_NARROW`: the method (auto). `PX_PASSES`: how many passes are timed (9).
//! Prints one JSON line a case, with errors against the references where there are any. Shapes of
//! triangles are bodies of exact triangles.

#![allow(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used, reason = "a program for developers")]

#[path = "support/peers.rs"]
mod peers;

use clearsweep_geometry::Pose;
use clearsweep_narrow::{BodyPoses, NarrowPhase, PairCache, PairQuery, Proximity, SolverStats, Status, Workspace};
use clearsweep_scene::{QueryOptions, SampleColumn, Shape};
use peers::{Query, f64_at, read_queries, read_shapes};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

/// Up to 64 consecutive queries of one pair, as the engine gets them: what a memory may carry from
/// one to the next.
struct Block {
    shapes: [usize; 2],
    poses: [Vec<SampleColumn>; 2],
    single: [Pose; 2],
    count: u32,
    cache: usize,
}

impl Block {
    fn query<'a>(&'a self, shapes: &'a [Shape]) -> PairQuery<'a> {
        let poses = |side: usize| match self.count {
            1 => BodyPoses::Fixed(&self.single[side]),
            _ => BodyPoses::Moving(&self.poses[side]),
        };
        PairQuery {
            a: &shapes[self.shapes[0]],
            b: &shapes[self.shapes[1]],
            poses_a: poses(0),
            poses_b: poses(1),
            samples: u64::MAX >> (64 - self.count),
        }
    }
}

/// How queries are handed over.
#[derive(Clone, Copy, PartialEq)]
enum Order {
    /// By sequence, with a memory.
    Warm,
    /// Each by itself, nothing remembered.
    Cold,
    /// Queries of the same shapes together, as the samples of a Monte Carlo job come; nothing is
    /// remembered from one such block to the next.
    Pairs,
}

/// The queries in blocks, and how many memories they need.
fn blocks(queries: &[Query], order: Order) -> (Vec<Block>, usize) {
    let mut caches: BTreeMap<u32, usize> = BTreeMap::new();
    let mut out: Vec<Block> = Vec::new();
    let mut last = None;
    for (i, q) in queries.iter().enumerate() {
        let key = match order {
            Order::Warm => q.seq,
            Order::Cold => i as u32,
            Order::Pairs => (q.shapes[0] * 65_536 + q.shapes[1]) as u32,
        };
        let next = caches.len();
        let cache = *caches.entry(key).or_insert(next);
        let follows = last == Some((key, q.shapes)) && out.last().is_some_and(|b| b.count < 64);
        if !follows {
            let lanes = || vec![SampleColumn([0.0; 64]); 10];
            out.push(Block { shapes: q.shapes, poses: [lanes(), lanes()], single: q.poses, count: 0, cache });
        }
        let block = out.last_mut().unwrap();
        for (lanes, pose) in block.poses.iter_mut().zip(&q.poses) {
            let values = pose.position.to_array().into_iter().chain(pose.q).chain(pose.rest.to_array());
            lanes.iter_mut().zip(values).for_each(|(lane, value)| lane.0[block.count as usize] = value);
        }
        block.count += 1;
        last = Some((key, q.shapes));
    }
    (out, caches.len())
}

/// One pass; `keep`: returns the answer of each query, `None` where it is beyond `within`.
fn pass(
    method: &dyn NarrowPhase,
    shapes: &[Shape],
    (blocks, caches): &(Vec<Block>, usize),
    (within, handed): (f64, usize),
    keep: bool,
) -> (Vec<Option<Proximity>>, SolverStats, f64) {
    let options = QueryOptions { within, ..QueryOptions::EVERYTHING };
    let mut caches = vec![PairCache::default(); *caches];
    let (mut work, mut stats) = (Box::<Workspace>::default(), SolverStats::default());
    let mut out = Vec::with_capacity(64);
    let mut rows = Vec::new();
    let queries: u32 = blocks.iter().map(|b| b.count).sum();
    let (mut together, mut ends) = (Vec::with_capacity(handed), Vec::with_capacity(handed));
    let start = Instant::now();
    let mut sink = 0.0;
    // Blocks that have a memory in common come one after the other, each by itself.
    for blocks in blocks.chunk_by(|x, y| x.cache + 1 == y.cache).flat_map(|run| run.chunks(handed)) {
        together.clear();
        together.extend(blocks.iter().map(|block| block.query(shapes)));
        out.clear();
        ends.clear();
        let memories = &mut caches[blocks[0].cache..][..blocks.len()];
        method.query_batch(&together, &options, memories, &mut work, &mut stats, &mut out, &mut ends);
        sink += out.iter().map(|p| p.distance).sum::<f64>();
        if keep {
            let mut from = 0;
            for (block, &end) in blocks.iter().zip(&ends) {
                let at = rows.len();
                rows.resize(at + block.count as usize, None);
                out[from..end].iter().for_each(|p| rows[at + usize::from(p.sample)] = Some(*p));
                from = end;
            }
        }
    }
    let ns = start.elapsed().as_secs_f64() * 1e9 / f64::from(queries);
    assert!(sink.is_finite());
    (rows, stats, ns)
}

fn main() {
    let Some(work) = std::env::var_os("PX_WORK") else {
        eprintln!("skipped: PX_WORK does not name a folder of the peers' harness");
        return;
    };
    let work = Path::new(&work);
    let method = clearsweep_narrow::by_name(&std::env::var("PX_NARROW").unwrap_or_else(|_| "auto".to_owned())).unwrap();
    let number = |name: &str, or: usize| std::env::var(name).map_or(or, |n| n.parse().unwrap());
    let (passes, handed) = (number("PX_PASSES", 9), number("PX_HANDED", 64));
    for case in std::env::args().skip(1).filter(|a| a.contains(':')) {
        let parts: Vec<&str> = case.split(':').collect();
        let within: f64 = parts.get(2).map_or(f64::INFINITY, |w| w.parse().unwrap());
        let shapes = read_shapes(&work.join("in").join(format!("{}.pxs", parts[0])));
        let mut queries = read_queries(&work.join("in").join(format!("{}.pxq", parts[1])));
        let order = match std::env::var("PX_COLD").as_deref() {
            Err(_) => Order::Warm,
            Ok("pairs") => Order::Pairs,
            Ok(_) => Order::Cold,
        };
        if order == Order::Pairs {
            queries.sort_by_key(|q| (q.shapes, q.index));
        }
        let blocks = blocks(&queries, order);
        let (rows, stats, _) = pass(method.as_ref(), &shapes, &blocks, (within, handed), true);
        let mut times: Vec<f64> =
            (0..passes).map(|_| pass(method.as_ref(), &shapes, &blocks, (within, handed), false).2).collect();
        times.sort_by(f64::total_cmp);
        let reference = std::fs::read(work.join("in").join(format!("{}.ref", parts[1]))).unwrap_or_default();
        let (mut worst, mut missed, mut checked) = (0.0_f64, 0, 0);
        for (q, row) in queries.iter().zip(&rows) {
            let i = q.index;
            if 16 + 8 * i > reference.len() {
                continue;
            }
            let truth = f64_at(&reference, 8 + 8 * i);
            if truth.is_nan() {
                continue;
            }
            if let Some(row) = row {
                checked += 1;
                worst = worst.max((row.distance - truth).abs());
                missed += u32::from(!(row.lower <= truth && truth <= row.upper));
            } else {
                missed += u32::from(truth < within);
            }
        }
        let found = rows.iter().flatten();
        let overlap = found.clone().filter(|r| r.status == Status::Penetrating).count();
        let stats: BTreeMap<_, _> = stats.entries().into_iter().collect();
        println!(
            "{{\"case\":\"{}\",\"queries\":{},\"ns\":{:.1},\"least\":{:.1},\"rows\":{},\"overlapping\":{overlap},\"checked\":{checked},\"worst\":{worst:e},\"missed\":{missed},\"routes\":{stats:?}}}",
            parts[1],
            queries.len(),
            times[passes / 2],
            times[0],
            found.count(),
        );
    }
}
