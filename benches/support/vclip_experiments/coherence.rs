//! Mirtich 1997 (V-Clip), Algorithm 9: one body revolves and turns about another one of the same
//! shape, by omega a call. Cost (Figures 9 to 12), and the consistency of the distances (section
//! 6.2).
//!
//! All searches get the same poses. Rounds of timing are interleaved: each round times every search
//! once (`Parts`). Rows of the engine, which are proven, tell the true distance.

use super::bodies::{body, core};
use super::report::{Parts, Report};
use super::searches::{ByGjk, ByLinCanny, ByVClip, Search};
use clearsweep_datasets::{Coherence, Object};
use clearsweep_geometry::{Pose, RelativePose};
use clearsweep_narrow::lin_canny::TOLERANCE;
use clearsweep_narrow::pair::Pair;
use clearsweep_narrow::search::SearchEnd;
use clearsweep_narrow::{
    BodyPoses, Gjk, LinCanny, NarrowPhase, PairCache, PairQuery, Proximity, SolverStats, VClip, Workspace,
};
use clearsweep_scene::{QueryOptions, Shape};
use std::hint::black_box;
use std::time::Instant;

/// Rounds of a timing.
const ROUNDS: usize = 9;

const COLUMNS: [&str; 16] = [
    "body",
    "omega",
    "search",
    "calls",
    "steps",
    "ns",
    "ratio_to_vclip",
    "cycles",
    "stalls",
    "overlaps",
    "above_1e6",
    "above_1e12",
    "worst",
    "worst_of_truth",
    "rows",
    "rows_that_differ",
];

pub fn run(quick: bool) -> Report {
    let mut report = Report::new(&COLUMNS);
    let step = if quick { 5 } else { 1 };
    for object in Object::ALL {
        let shape = body(&object.vertices());
        core(&shape).planes();
        for omega in (0..=25).step_by(step) {
            let (runs, frames) = if quick { (2, 100) } else { (10, 1000) };
            let motion = Coherence { object, runs, frames, omega: f64::from(omega), seed: 1997 };
            let poses: Vec<Vec<Pose>> =
                (0..runs).map(|run| motion.poses(run).map(|(at, q)| Pose::new(at, q)).collect()).collect();
            measure(&mut report, object.name(), omega, &shape, &poses);
        }
    }
    report
}

fn searches() -> Vec<Box<dyn Search>> {
    vec![
        Box::<ByVClip>::default(),
        Box::new(ByLinCanny::new(TOLERANCE)),
        Box::new(ByGjk::enhanced()),
        Box::new(ByGjk::signed_volumes()),
    ]
}

/// Results of the calls of a search.
#[derive(Default, Clone)]
struct Tally {
    steps: u64,
    cycles: u64,
    stalls: u64,
    overlaps: u64,
    /// Distances farther from the least one of all searches than 1e-6 and 1e-12 of the size, and
    /// the farthest, in sizes.
    above: [u64; 2],
    worst: f64,
    /// The distance farthest from the proven one, in sizes.
    worst_of_truth: f64,
}

fn measure(report: &mut Report, name: &str, omega: u32, shape: &Shape, poses: &[Vec<Pose>]) {
    let pairs: Vec<Vec<Pair<'_, f64>>> = poses
        .iter()
        .map(|run| run.iter().map(|pose| RelativePose::between(&Pose::IDENTITY, pose)))
        .map(|run| run.map(|pose| Pair::new(core(shape), core(shape), pose, 0.0)).collect())
        .collect();
    let mut searches = searches();
    let tallies = consistency(&mut searches, shape, poses, &pairs);
    let times = time(&mut searches, &pairs);
    let calls: usize = pairs.iter().map(Vec::len).sum();
    let rows = rows_that_differ(shape, poses);
    for (k, (search, tally)) in searches.iter().zip(&tallies).enumerate() {
        let (asked, differ) = rows.get(k).copied().unwrap_or_default();
        report.row(&[
            name.to_owned(),
            omega.to_string(),
            search.name(),
            calls.to_string(),
            format!("{:.4}", tally.steps as f64 / calls as f64),
            format!("{:.1}", times[k]),
            format!("{:.3}", times[k] / times[0]),
            tally.cycles.to_string(),
            tally.stalls.to_string(),
            tally.overlaps.to_string(),
            tally.above[0].to_string(),
            tally.above[1].to_string(),
            format!("{:.1e}", tally.worst),
            format!("{:.1e}", tally.worst_of_truth),
            asked.to_string(),
            differ.to_string(),
        ]);
    }
}

/// Compares each distance with the least one of all searches, as the paper does, and with the
/// proven one.
fn consistency(
    searches: &mut [Box<dyn Search>],
    shape: &Shape,
    poses: &[Vec<Pose>],
    pairs: &[Vec<Pair<'_, f64>>],
) -> Vec<Tally> {
    let mut tallies = vec![Tally::default(); searches.len()];
    let mut work = Box::<Workspace>::default();
    for (poses, pairs) in poses.iter().zip(pairs) {
        searches.iter_mut().for_each(|search| search.forget());
        let mut cache = PairCache::default();
        for (pose, pair) in poses.iter().zip(pairs) {
            let found: Vec<_> = searches.iter_mut().map(|search| search.ask(pair)).collect();
            // The bodies are apart: an overlap is false, and counted as such.
            let apart = found.iter().filter(|found| found.end != SearchEnd::Overlap);
            let least = apart.map(|found| found.distance).fold(f64::INFINITY, f64::min);
            let truth = row(&Gjk::DEFAULT, shape, pose, &mut cache, &mut work).distance;
            for (tally, found) in tallies.iter_mut().zip(&found) {
                tally.steps += u64::from(found.steps);
                tally.cycles += u64::from(found.end == SearchEnd::Cycle);
                tally.stalls += u64::from(found.end == SearchEnd::Stalled && found.distance.is_nan());
                tally.overlaps += u64::from(found.end == SearchEnd::Overlap);
                if found.distance.is_nan() || found.end == SearchEnd::Overlap {
                    continue; // no distance, and counted
                }
                let off = (found.distance - least) / pair.size;
                for (above, tolerance) in tally.above.iter_mut().zip([1e-6, 1e-12]) {
                    *above += u64::from(off > tolerance);
                }
                tally.worst = tally.worst.max(off);
                tally.worst_of_truth = tally.worst_of_truth.max((found.distance - truth).abs() / pair.size);
            }
        }
    }
    tallies
}

/// Nanoseconds a call of each search.
fn time(searches: &mut [Box<dyn Search>], pairs: &[Vec<Pair<'_, f64>>]) -> Vec<f64> {
    let calls: usize = pairs.iter().map(Vec::len).sum();
    let mut times = vec![Parts::default(); searches.len()];
    for _ in 0..ROUNDS {
        for (search, times) in searches.iter_mut().zip(&mut times) {
            for (part, run) in pairs.iter().enumerate() {
                search.forget();
                let start = Instant::now();
                for pair in run {
                    black_box(search.ask(black_box(pair)).distance);
                }
                times.note(part, start);
            }
        }
    }
    times.iter().map(|times| times.nanoseconds(calls)).collect()
}

/// The row of one sample, with the memory of the samples before.
fn row(method: &dyn NarrowPhase, shape: &Shape, pose: &Pose, cache: &mut PairCache, work: &mut Workspace) -> Proximity {
    let options = QueryOptions::EVERYTHING;
    let (poses_a, poses_b) = (BodyPoses::Fixed(&Pose::IDENTITY), BodyPoses::Fixed(pose));
    let query = PairQuery { a: shape, b: shape, poses_a, poses_b, samples: 1 };
    let mut rows = Vec::with_capacity(1);
    method.walk(&query, &options, cache, work, &mut SolverStats::default(), &mut rows);
    rows[0]
}

/// For V-Clip, Lin-Canny and enhanced GJK: rows asked of the engine, each with the memory of the
/// method, and how many differ from V-Clip's in any bit.
fn rows_that_differ(shape: &Shape, poses: &[Vec<Pose>]) -> [(u64, u64); 3] {
    let enhanced = Gjk { options: ByGjk::enhanced().options() };
    let methods: [&dyn NarrowPhase; 3] = [&VClip, &LinCanny, &enhanced];
    let mut counts = [(0, 0); 3];
    let mut work = Box::<Workspace>::default();
    for run in poses {
        let mut caches = [(); 3].map(|()| PairCache::default());
        for pose in run {
            let expected = row(methods[0], shape, pose, &mut caches[0], &mut work);
            counts[0].0 += 1;
            for k in 1..3 {
                let found = row(methods[k], shape, pose, &mut caches[k], &mut work);
                counts[k].0 += 1;
                counts[k].1 += u64::from(found != expected);
            }
        }
    }
    counts
}
