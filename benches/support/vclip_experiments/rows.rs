//! Whole answers of the engine, proof included, by each method of `--narrow`, in situations that
//! differ in coherence, distance and size of the bodies: what `docs/guide/choosing.md` is about.
//!
//! Blocks of 64 samples are handed over as the engine does. All methods give the same rows, which
//! is asserted.

use super::bodies::{body, cube, sphere};
use super::report::{Parts, Report};
use clearsweep_datasets::{Coherence, Object};
use clearsweep_geometry::Pose;
use clearsweep_narrow::{BodyPoses, NarrowPhase, PairCache, PairQuery, Proximity, SolverStats, Workspace, by_name};
use clearsweep_scene::{FrameBlock, QueryOptions, SAMPLES, Shape};
use std::time::Instant;

/// Rounds of a timing.
const ROUNDS: usize = 9;
const METHODS: [&str; 4] = ["auto", "vclip", "lin-canny", "gjk"];

/// Poses of one body about another one of the same shape.
struct Situation {
    name: String,
    bodies: &'static str,
    shape: Shape,
    poses: Vec<Pose>,
    /// Whether each sample is a query of its own, of which nothing is remembered.
    cold: bool,
}

pub fn run(quick: bool) -> Report {
    let mut report = Report::new(&["situation", "bodies", "method", "rows", "ns", "ratio_to_auto", "steps"]);
    for situation in situations(quick) {
        measure(&mut report, &situation);
    }
    report
}

fn situations(quick: bool) -> Vec<Situation> {
    let frames = if quick { 128 } else { 4096 };
    let bodies = || -> [(&'static str, Shape); 3] {
        [
            ("cubes, 8 vertices", cube(1.0 / 3.0_f64.sqrt())),
            ("disks, 120", body(&Object::Disk.vertices())),
            ("spheres, 642", sphere(3)),
        ]
    };
    let mut all = Vec::new();
    for (name, omega, share) in [
        ("apart, 0.1 degrees a sample", 0.1, 1.0),
        ("apart, 1 degree", 1.0, 1.0),
        ("apart, 25 degrees", 25.0, 1.0),
        ("overlapping, 0.1 degrees", 0.1, 0.15),
        ("overlapping, 5 degrees", 5.0, 0.15),
    ] {
        let motion = Coherence { omega, frames, runs: 1, seed: 7, ..Coherence::default() };
        for (bodies, shape) in bodies() {
            let poses = motion.poses(0).map(|(at, q)| Pose::new(at.map(|x| share * x), q)).collect();
            all.push(Situation { name: name.to_owned(), bodies, shape, poses, cold: false });
        }
    }
    for (name, share) in [("single queries, apart", 1.0), ("single queries, overlapping", 0.15)] {
        let motion = Coherence { omega: 77.7, frames, runs: 1, seed: 7, ..Coherence::default() };
        for (bodies, shape) in bodies() {
            let poses = motion.poses(0).map(|(at, q)| Pose::new(at.map(|x| share * x), q)).collect();
            all.push(Situation { name: name.to_owned(), bodies, shape, poses, cold: true });
        }
    }
    all
}

fn measure(report: &mut Report, situation: &Situation) {
    let methods = METHODS.map(|name| by_name(name).unwrap());
    methods.iter().for_each(|method| method.prepare(&situation.shape));
    let blocks: Vec<FrameBlock> = situation.poses.chunks(SAMPLES).map(block).collect();
    let (mut times, mut stats) = ([const { Parts::new() }; METHODS.len()], [SolverStats::default(); METHODS.len()]);
    let mut expected: Option<Vec<Proximity>> = None;
    for round in 0..ROUNDS {
        // The order rotates, so that none always finds the caches as the same other one left them.
        for k in (0..METHODS.len()).map(|k| (round + k) % METHODS.len()) {
            stats[k] = SolverStats::default();
            let mut rows = Vec::with_capacity(situation.poses.len());
            answer(&*methods[k], situation, &blocks, &mut stats[k], &mut rows, &mut times[k]);
            assert_eq!(rows.len(), situation.poses.len(), "a row for every sample");
            assert!(*expected.get_or_insert_with(|| rows.clone()) == rows, "{}: other rows", METHODS[k]);
        }
    }
    let times = times.map(|times| times.nanoseconds(situation.poses.len()));
    for (k, name) in METHODS.iter().enumerate() {
        let steps = stats[k].vclip_steps + stats[k].lin_canny_steps + stats[k].search_iterations;
        report.row(&[
            situation.name.replace(',', ";"),
            situation.bodies.replace(',', ";"),
            (*name).to_owned(),
            situation.poses.len().to_string(),
            format!("{:.1}", times[k]),
            format!("{:.2}", times[k] / times[0]),
            format!("{:.2}", steps as f64 / situation.poses.len() as f64),
        ]);
    }
}

fn block(poses: &[Pose]) -> FrameBlock {
    let mut block = FrameBlock::new(0, 2);
    for (sample, pose) in poses.iter().enumerate() {
        block.set(0, sample, &Pose::IDENTITY);
        block.set(1, sample, pose);
    }
    block
}

fn answer(
    method: &dyn NarrowPhase,
    situation: &Situation,
    blocks: &[FrameBlock],
    stats: &mut SolverStats,
    rows: &mut Vec<Proximity>,
    times: &mut Parts,
) {
    let options = QueryOptions::EVERYTHING;
    let mut work = Box::<Workspace>::default();
    let mut cache = PairCache::default();
    let count = situation.poses.len();
    for (number, block) in blocks.iter().enumerate() {
        let samples = (count - number * SAMPLES).min(SAMPLES);
        let mask = u64::MAX >> (SAMPLES - samples);
        let (poses_a, poses_b) = (BodyPoses::Moving(block.slot(0)), BodyPoses::Moving(block.slot(1)));
        let query = |samples| PairQuery { a: &situation.shape, b: &situation.shape, poses_a, poses_b, samples };
        let queries: Vec<_> = (0..samples).map(|s| query(1 << s)).collect();
        let mut caches = vec![PairCache::default(); samples];
        let start = Instant::now();
        if situation.cold {
            method.query_batch(&queries, &options, &mut caches, &mut work, stats, rows, &mut Vec::new());
        } else {
            method.walk(&query(mask), &options, &mut cache, &mut work, stats, rows);
        }
        times.note(number, start);
    }
}
