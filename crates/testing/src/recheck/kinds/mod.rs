//! All kinds of bodies: every pair of kinds, in every place, asked once and with memory, each row
//! proven again by brute force.
//!
//! ```text
//! make.rs      bodies of every kind             motion.rs   where they are, and how they move
//! body.rs      their triangles                  gap.rs      the distance of two soups of triangles
//! judge.rs     the verdict on a row             tally.rs    what came of it, by pair, place and memory; the record
//! promises.rs  swapped, moved, scaled           between.rs  intervals and directions
//! answers.rs   rows without a depth            round/       round bodies, by their own oracle
//! ```

pub mod answers;
pub mod between;
pub mod judge;
pub mod make;
pub mod motion;
pub mod promises;
pub mod round;
use crate::solids;
use clearsweep_model::{FrameBlock, Model, QueryOptions};
pub use clearsweep_verifier::{gap, soup as body};
pub mod tally;

use std::panic::catch_unwind;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use clearsweep_geometry::{Pose, Vec3};
use clearsweep_narrow::{
    Auto, BodyPoses, NarrowPhase, PairCache, PairQuery, Proximity, SolverStats, Workspace, query_one,
};

use crate::oracle::Placement;
use crate::oracle::families::Random;
use crate::oracle::round::decided;
use crate::recheck::place::Place as Relative;
use gap::Soups;
use judge::{Claim, Fault, Place};
use make::{Kind, Subject, choose, pool};
use motion::Memory;
use promises::{Others, Promise};
use round::{Alignment, Truth};
use tally::{Record, Tally, Terms, impossible};

/// The query options: every pair has a row.
const EVERYTHING: QueryOptions = QueryOptions::EVERYTHING;

/// Motions of a cycle: one is coherent, one fast, and all others are of one sample.
const CYCLE: usize = motion::SAMPLES + 2;

/// Share of the rows that are asked for each promise beside their bracket.
const PROMISED: f64 = 1.0 / 16.0;

/// Faulty rows that a chunk shows in full, for each fault.
const SHOWN: u64 = 2;

/// Units of length of the bodies, metres.
const SCALES: [f64; 6] = [1.0, 1.0, 1.0, 1e-3, 1024.0, 10.0];

/// Asks chunks of rows until each of these pairs of kinds has `rows_of_a_pair` rows, and adds each
/// chunk to the record.
pub fn campaign(
    path: &Path,
    terms: Terms,
    pairs: &[[Kind; 2]],
    rows_of_a_pair: u64,
    threads: usize,
    hours: f64,
) -> Result<Record, String> {
    let record = Record::open(path, terms.clone())?;
    let start = Instant::now();
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

/// Asks at least `rows` rows of a pair of kinds, and proves every row again.
pub fn ask(kinds: [Kind; 2], seed: u64, rows: u64, shown: u64) -> Tally {
    let (start, left_open) = (Instant::now(), decided::left_open());
    let mut random = Random(seed);
    let scale = SCALES[random.below(SCALES.len())];
    let state = random.0;
    let pools = kinds.map(|kind| pool(kind, &mut random, scale));
    // The same bodies, larger or smaller.
    let factor = promises::FACTORS[random.below(promises::FACTORS.len())];
    let mut again = Random(state);
    let scaled = random.chance(0.5).then(|| kinds.map(|kind| pool(kind, &mut again, scale * factor)));
    let aims: Vec<Place> = Place::ALL.into_iter().filter(|&place| impossible(kinds, place).is_none()).collect();
    let (mut tally, mut foreign, mut walks) = (Tally::default(), PairCache::default(), 0_usize);
    while tally.rows < rows {
        let memory = Memory::ALL[(walks % CYCLE).saturating_sub(CYCLE - 3)];
        // Each memory meets each place in turn.
        let turn = (seed as usize).wrapping_mul(5).wrapping_add(walks / CYCLE);
        let aim = aims[if memory == Memory::Single { random.below(aims.len()) } else { turn % aims.len() }];
        let (mut at, mut roles) = (choose(&mut random, kinds, aim), [0, 1]);
        if random.chance(0.5) {
            (at, roles) = ([at[1], at[0]], [1, 0]);
        }
        let pair = [0, 1].map(|k: usize| &pools[roles[k]][at[k]]);
        let samples = motion::samples(&mut random, pair, memory, aim, scale);
        let mut fresh = PairCache::default();
        // Half of the motions begin with what another pair left.
        let cache = if memory == Memory::Single || random.chance(0.5) { &mut foreign } else { &mut fresh };
        let found = walk(pair, &samples, cache, &EVERYTHING);
        assert_eq!(found.len(), samples.len(), "no distance is beyond an infinite cut-off");
        let scaled = scaled.as_ref().map(|pools| [0, 1].map(|k: usize| &pools[roles[k]][at[k]]));
        let others = Others { pair, scaled: scaled.map(|pair| (pair, factor)) };
        for (places, row) in samples.iter().zip(&found) {
            judge_row(&mut tally, &mut random, &others, places, row, memory, shown);
        }
        if memory != Memory::Single || random.chance(0.5) {
            let (faults, overlaps) = answers::answer_faults(pair, &samples, cache, &mut random, scale);
            tally.promises[Promise::Answer as usize] += overlaps;
            blame(&mut tally, faults, shown, || format!("{aim:?} {memory:?} without depth {samples:?}"), pair);
        }
        if let [_, .., _] = samples[..] {
            let first = random.below(samples.len() - 1);
            let ends = [samples[first], samples[first + 1]];
            let faults = between::interval_faults(pair, ends);
            tally.promises[Promise::Between as usize] += 1;
            blame(&mut tally, faults, shown, || format!("{aim:?} {memory:?} between {ends:?}"), pair);
        }
        walks += 1;
    }
    tally.seconds = start.elapsed().as_secs_f64();
    tally.left_open = decided::left_open() - left_open;
    tally
}

/// Counts faults, and shows the first of each kind.
fn blame(tally: &mut Tally, faults: Vec<Fault>, shown: u64, what: impl Fn() -> String, pair: [&Subject; 2]) {
    for fault in faults {
        tally.faults[fault as usize] += 1;
        if tally.faults[fault as usize] <= shown {
            eprintln!("{fault:?} {}\n  A {}\n  B {}", what(), pair[0].recipe, pair[1].recipe);
        }
    }
}

pub fn pose(subject: &Subject, place: &Placement) -> Pose {
    Pose { position: place.position.into(), rest: place.rest.into(), q: place.q }.recentred(subject.shape.center)
}

/// The rows of a block with a memory.
fn walk(
    pair: [&Subject; 2],
    samples: &[[Placement; 2]],
    cache: &mut PairCache,
    options: &QueryOptions,
) -> Vec<Proximity> {
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
    Auto.walk(&query, options, cache, &mut work, &mut SolverStats::default(), &mut rows);
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
pub fn cold(pair: [&Subject; 2], places: &[Placement; 2]) -> Proximity {
    let [a, b] = [0, 1].map(|k| pose(pair[k], &places[k]));
    query_one(&pair[0].shape, &pair[1].shape, &a, &b, &EVERYTHING)
}

fn judge_row(
    tally: &mut Tally,
    random: &mut Random,
    others: &Others<'_>,
    places: &[Placement; 2],
    row: &Proximity,
    memory: Memory,
    shown: u64,
) {
    let pair = others.pair;
    let cold = cold(pair, places);
    let mut faults = Vec::new();
    if bits(row) != bits(&cold) {
        faults.push(Fault::Memory);
    }
    let at = |p: Vec3<f64>| p + pair[0].shape.center;
    let own = Proximity { point_a: at(row.point_a), point_b: at(row.point_b), ..*row };
    let soups = Soups::new(&pair[0].body, &pair[1].body, Relative::new(&places[0], &places[1]));
    let truth = Truth::of(pair, places);
    let gap = if truth.is_some() { soups.gap([0.0; 3]) } else { soups.sharp_gap() };
    let deviation = |k: usize| pair[k].shape.deviation.max(pair[k].shape.decomposition_deviation.unwrap_or(0.0));
    let has_protrusion = pair.iter().all(|s| s.shape.model == Model::Mesh && s.body.growth == 0.0);
    let claim = Claim { soups: &soups, row: &own, slack: deviation(0) + deviation(1), has_protrusion };
    let found = truth.as_ref().map(|truth| truth.bracket([0.0; 3]));
    let place = match (&truth, &found) {
        (Some(truth), Some(found)) => {
            faults.extend(truth.faults(&claim, found, random));
            tally.widen(row, truth.size);
            tally.axes.iter_mut().zip(Alignment::ALL).for_each(|(n, a)| *n += u64::from(truth.alignment() == Some(a)));
            truth.place(found, &soups, &gap)
        }
        _ => {
            faults.extend(claim.faults(&gap, random));
            claim.place(&gap)
        }
    };
    for promise in Promise::OF_ROWS {
        if random.chance(PROMISED)
            && let Some(fault) = others.breach(promise, places, &cold, (&soups, truth.as_ref()), random)
        {
            tally.promises[promise as usize] += 1;
            faults.extend(fault);
        }
    }
    tally.rows += 1;
    tally.cells[place as usize][memory as usize] += 1;
    let what = || {
        format!(
            "{place:?} {memory:?}: {found:?}, triangles {:?}..{:?} inside {} row {own:?}\n  \
             alone {cold:?}\n  at {places:?}",
            gap.lower, gap.upper, gap.is_inside
        )
    };
    blame(tally, faults, shown, what, pair);
}
