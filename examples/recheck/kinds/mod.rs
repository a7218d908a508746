//! All kinds of bodies: every pair of kinds, in every place, asked once and with memory, each row proven again by brute force.
//!
//! ```text
//! make.rs      bodies of every kind             motion.rs   where they are, and how they move
//! body.rs      their triangles                  gap.rs      the distance of two soups of triangles
//! judge.rs     the verdict on a row             tally.rs    what came of it, by pair, place and memory; the record
//! ```

pub(crate) mod body;
pub(crate) mod gap;
pub(crate) mod judge;
pub(crate) mod make;
pub(crate) mod motion;
#[path = "../../../tests/mesh_pairs/solids.rs"]
#[allow(dead_code, reason = "the solids are those of tests/mesh_pairs.rs")]
pub(crate) mod solids;
pub(crate) mod tally;

use std::panic::catch_unwind;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use clearsweep::bench_support::geometry::{Pose, Vec3};
use clearsweep::bench_support::narrow::{
    Auto, BodyPoses, NarrowPhase, PairCache, PairQuery, Proximity, Routes, Workspace, query_one,
};
use clearsweep::bench_support::scene::{FrameBlock, Model, QueryOptions};

use crate::oracle::Placement;
use crate::oracle::families::Random;
use crate::place::Place as Relative;
use gap::Soups;
use judge::{Checks, Claim, Fault};
use make::{Kind, Subject, make};
use motion::Memory;
use tally::{Record, Tally, Terms, pairs};

/// The query options: every pair has a row.
const EVERYTHING: QueryOptions = QueryOptions { within: f64::INFINITY, require: None, touch: 0.0, static_pairs: false };

/// Bodies of each of the two kinds of a chunk.
const POOL: usize = 6;

/// Faulty rows that a chunk shows in full, for each fault.
const SHOWN: u64 = 2;

/// Units of length of the bodies, metres.
const SCALES: [f64; 6] = [1.0, 1.0, 1.0, 1e-3, 1024.0, 10.0];

/// Asks chunks of rows until there are so many rows of each pair of kinds, and adds each to the record.
pub(crate) fn campaign(
    path: &Path,
    terms: Terms,
    rows_of_a_pair: u64,
    threads: usize,
    hours: f64,
) -> Result<Record, String> {
    let record = Record::open(path, terms.clone())?;
    let (pairs, start) = (pairs(), Instant::now());
    let chunks = rows_of_a_pair.div_ceil(terms.chunk) * pairs.len() as u64;
    let done = record.numbers();
    let (record, next, failure) = (Mutex::new(record), AtomicU64::new(0), Mutex::new(None));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while start.elapsed().as_secs_f64() < hours * 3600.0 {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= chunks {
                        return;
                    }
                    if done.contains(&number) {
                        continue;
                    }
                    let pair = pairs[(number % pairs.len() as u64) as usize];
                    let seed = terms.seed.wrapping_mul(0x9E37_79B9).wrapping_add(number);
                    // A night must not end with a panic.
                    let tally = catch_unwind(|| ask(pair, seed, terms.chunk, SHOWN)).unwrap_or_else(|_| {
                        let mut tally = Tally::default();
                        tally.faults[Fault::Panic as usize] = 1;
                        tally
                    });
                    eprintln!("chunk {number}: {}", tally.line(pair));
                    // Nothing panics while it holds the lock.
                    if let Err(error) = record.lock().expect("no thread panics here").add(number, pair, tally) {
                        *failure.lock().expect("no thread panics here") = Some(error);
                        return;
                    }
                }
            });
        }
    });
    match failure.into_inner().expect("no thread panics here") {
        Some(error) => Err(error),
        None => Ok(record.into_inner().expect("no thread panics here")),
    }
}

/// At least so many rows of a pair of kinds, every row proven again.
pub(crate) fn ask(kinds: [Kind; 2], seed: u64, rows: u64, shown: u64) -> Tally {
    let start = Instant::now();
    let mut random = Random(seed);
    let scale = SCALES[random.below(SCALES.len())];
    // One body in two is small, so that it has its place inside of another.
    let size = |k: usize| if k % 2 == 1 { scale * 0.125 } else { scale };
    let pools = kinds.map(|kind| (0..POOL).map(|k| make(kind, &mut random, size(k))).collect::<Vec<_>>());
    let (mut tally, mut foreign, mut walks) = (Tally::default(), PairCache::default(), 0_usize);
    while tally.rows < rows {
        let memory = Memory::ALL[if walks % 26 < 24 { 0 } else { walks % 26 - 23 }];
        let mut pair = [&pools[0][random.below(POOL)], &pools[1][random.below(POOL)]];
        if random.chance(0.5) {
            pair.swap(0, 1);
        }
        let samples = motion::samples(&mut random, pair, memory, scale);
        let mut fresh = PairCache::default();
        // Half of the motions begin with what another pair left.
        let cache = if memory == Memory::Single || random.chance(0.5) { &mut foreign } else { &mut fresh };
        let found = walk(pair, &samples, cache);
        for (places, row) in samples.iter().zip(&found) {
            judge_row(&mut tally, &mut random, pair, places, row, memory, shown);
        }
        walks += 1;
    }
    tally.seconds = start.elapsed().as_secs_f64();
    tally
}

fn pose(subject: &Subject, place: &Placement) -> Pose {
    Pose { position: place.position.into(), rest: place.rest.into(), q: place.q }.recentred(subject.shape.center)
}

/// The rows of a block with a memory.
fn walk(pair: [&Subject; 2], samples: &[[Placement; 2]], cache: &mut PairCache) -> Vec<Proximity> {
    let mut block = FrameBlock::new(0, 2);
    for (s, places) in samples.iter().enumerate() {
        (0..2).for_each(|k| block.set(k, s, &pose(pair[k], &places[k])));
    }
    let query = PairQuery {
        a: &pair[0].shape,
        b: &pair[1].shape,
        poses_a: BodyPoses::Moving(block.slot(0)),
        poses_b: BodyPoses::Moving(block.slot(1)),
        samples: u64::MAX >> (64 - samples.len()),
    };
    let (mut rows, mut work) = (Vec::new(), Box::<Workspace>::default());
    Auto.walk(&query, &EVERYTHING, cache, &mut work, &mut Routes::default(), &mut rows);
    assert_eq!(rows.len(), samples.len(), "no distance is beyond an infinite cut-off");
    rows
}

/// A row, bit for bit, but for the number of its sample.
fn bits(row: &Proximity) -> ([u64; 13], [i32; 4], String) {
    let [p, q, n] = [row.point_a, row.point_b, row.normal].map(Vec3::to_array);
    let numbers =
        [row.distance, row.lower, row.upper, row.protrusion, p[0], p[1], p[2], q[0], q[1], q[2], n[0], n[1], n[2]];
    let words = format!("{:?} {:?} {:?}", row.status, row.method, row.feature_kind);
    (numbers.map(f64::to_bits), [row.feature[0], row.feature[1], row.part[0], row.part[1]], words)
}

/// The row of a sample that is asked alone.
pub(crate) fn cold(pair: [&Subject; 2], places: &[Placement; 2]) -> Proximity {
    let [a, b] = [0, 1].map(|k| pose(pair[k], &places[k]));
    query_one(&pair[0].shape, &pair[1].shape, &a, &b, &EVERYTHING)
}

fn judge_row(
    tally: &mut Tally,
    random: &mut Random,
    pair: [&Subject; 2],
    places: &[Placement; 2],
    row: &Proximity,
    memory: Memory,
    shown: u64,
) {
    let cold = cold(pair, places);
    let mut faults = Vec::new();
    if bits(row) != bits(&cold) {
        faults.push(Fault::Memory);
    }
    let at = |p: Vec3<f64>| p + pair[0].shape.center;
    let own = Proximity { point_a: at(row.point_a), point_b: at(row.point_b), ..*row };
    let soups = Soups::new(&pair[0].body, &pair[1].body, Relative::new(&places[0], &places[1]));
    let gap = soups.gap([0.0; 3]);
    let deviation = |k: usize| pair[k].shape.deviation.max(pair[k].shape.decomposition_deviation.unwrap_or(0.0));
    let claim = Claim { soups: &soups, row: &own, slack: deviation(0) + deviation(1) };
    let is_mesh = pair.iter().all(|s| s.shape.model == Model::Mesh && s.body.growth == 0.0);
    let checks =
        Checks { witnesses_of_overlaps: tally::is_on("WITNESSES"), protrusion: is_mesh && tally::is_on("PROTRUSION") };
    faults.extend(claim.faults(&gap, random, checks));
    let place = claim.place(&gap);
    tally.rows += 1;
    tally.cells[place as usize][memory as usize] += 1;
    for fault in faults {
        tally.faults[fault as usize] += 1;
        if tally.faults[fault as usize] <= shown {
            eprintln!(
                "{fault:?} {place:?} {memory:?}: distance {:?}..{:?} inside {} row {own:?}\n  alone {cold:?}\n  A {}\n  B {}\n  at {places:?}",
                gap.lower, gap.upper, gap.is_inside, pair[0].recipe, pair[1].recipe
            );
        }
    }
}
