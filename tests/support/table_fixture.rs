//! Scenes, blocks and rows for tests, built from plain data without any other stage.
//!
//! The parent module names the crate of the tables `lib`: `crate` in unit tests,
//! `clearsweep_tables` in integration tests.
#![allow(dead_code)]

use super::lib::{DistanceColumns, IntervalRow, Row, SortedRows, TableOptions, TableWriter};
use clearsweep_geometry::hull::convex_hull;
use clearsweep_geometry::{Polyhedron, Pose, Vec3};
use clearsweep_model::{
    BetweenFrames, Body, Candidate, DeviationSource, FeatureKind, FrameBlock, IgnoredPairs, IntervalMethod,
    IntervalProximity, IntervalStatus, LengthUnit, Method, Missing, Model, Motion, MotionRule, NextSample, Piece,
    Pivot, Proximity, QueryOptions, Sample, Scene, SceneOverrides, Shape, Status,
};
use std::path::Path;
use std::sync::Arc;

/// The splitmix64 generator (Steele, Lea & Flood 2014), which gives equal numbers on all platforms.
#[derive(Debug, Clone)]
pub(crate) struct Rng(pub(crate) u64);

impl Rng {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
    pub(crate) fn vec(&mut self) -> Vec3<f64> {
        Vec3::new(self.unit() * 4.0 - 2.0, self.unit() * 4.0 - 2.0, self.unit() * 4.0 - 2.0)
    }
}

fn point() -> Polyhedron {
    convex_hull(&[Vec3::ZERO]).expect("a point")
}

/// A scene of spheres. With `statics`, every third one is static.
pub(crate) fn scene(bodies: usize, statics: bool) -> Scene {
    let mut dynamic = Vec::new();
    let bodies: Vec<Body> = (0..bodies)
        .map(|i| {
            let radius = 0.25 + 0.01 * (i % 10) as f64;
            let piece = Piece { core: point(), radius };
            let shape = Shape {
                model: Model::Hull,
                pieces: vec![piece; 1 + i % 2],
                hull: None,
                center: Vec3::ZERO,
                middle: Vec3::ZERO,
                radius,
                vertices: 1 + i as u64,
                triangles: 2 * i as u64,
                watertight: [None, Some(true), Some(false)][i % 3],
                fit: None,
                deviation: 0.0,
                decomposition_deviation: None,
                uneven: None,
                coordinate_step: 2.0_f64.powi(i as i32 % 5 - 20),
                mesh: None,
                faces: Default::default(),
                tree: Default::default(),
                parts: Default::default(),
                condition: None,
            };
            let motion = if statics && i % 3 == 1 {
                Motion::Static(Pose::new([i as f64, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]))
            } else {
                dynamic.push(i as u32);
                Motion::Dynamic { slot: dynamic.len() as u32 - 1 }
            };
            let groups = (0..i % 3).map(|g| format!("group-{g}")).collect();
            let (name, shape, pose_steps) = (format!("body-{i:04}"), Arc::new(shape), Default::default());
            let deviation_source = DeviationSource::ALL[i % 4];
            let (pivot, bounds) = (Pivot::Origin, Default::default());
            Body { name, shape, deviation_source, motion, pivot, bounds, groups, id: None, pose_steps }
        })
        .collect();
    Scene {
        path: "test.toml".into(),
        name: "test".into(),
        unit: LengthUnit::ALL[0],
        require_unit: LengthUnit::ALL[0],
        bodies,
        dynamic,
        trajectories: None,
        columns: Default::default(),
        missing: Missing::Absent,
        frame_rate: None,
        query: QueryOptions { within: 0.5, require: Some(0.1), ..QueryOptions::EVERYTHING },
        direction: None,
        search: Default::default(),
        motion: MotionRule::default(),
        ignored: IgnoredPairs::default(),
        ignore_rules: Vec::new(),
        rules: Default::default(),
        baselines: Default::default(),
        dispositions: Default::default(),
        earlier_issues: None,
        issue_group: Default::default(),
        expected: Default::default(),
        parents: Vec::new(),
        inputs: vec![],
        builder_digest: None,
        overrides: SceneOverrides::default(),
        joints: None,
        robots: Vec::new(),
        hierarchy: Default::default(),
        trees: Vec::new(),
        notes: Vec::new(),
    }
}

/// The results of one block.
#[derive(Debug, Clone)]
pub(crate) struct Results {
    pub(crate) block: FrameBlock,
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) rows: Vec<Row>,
    pub(crate) intervals: Vec<IntervalRow>,
}

/// Parameters of [`results`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct ResultsPlan {
    pub(crate) blocks: usize,
    /// Samples of a run.
    pub(crate) run_length: usize,
    /// Candidate pairs of a block.
    pub(crate) pairs: usize,
    /// One in `gap` samples of a candidate has no row.
    pub(crate) gap: u64,
    pub(crate) seed: u64,
}

/// A random row with every field set.
pub(crate) fn row(rng: &mut Rng, a: u32, b: u32, sample: usize) -> Row {
    // Some distances come from a small set, so that equal minima occur.
    let coarse = rng.below(4) == 0;
    let distance = if coarse { rng.below(12) as f64 / 20.0 - 0.05 } else { rng.unit() * 0.55 - 0.05 };
    let status = match rng.below(40) {
        0 => Status::Uncertified,
        _ if distance < 0.0 => Status::Penetrating,
        _ if distance == 0.0 => Status::Touching,
        _ => Status::Separated,
    };
    let slack = if rng.below(8) == 0 { 0.02 } else { 1e-15 };
    let bracket = if status == Status::Uncertified { [f64::NAN; 2] } else { [distance - slack, distance + slack] };
    let kinds = [FeatureKind::Vertex, FeatureKind::Edge, FeatureKind::Face];
    let point_a = rng.vec();
    let normal = rng.vec().normalized();
    let proximity = Proximity {
        sample: sample as u8,
        status,
        method: [Method::Strict, Method::Tie, Method::Exact, Method::None][rng.below(4) as usize],
        feature_kind: [kinds[rng.below(3) as usize], kinds[rng.below(3) as usize]],
        feature: [rng.below(500) as i32, rng.below(500) as i32],
        part: [rng.below(2) as i32, rng.below(2) as i32],
        distance,
        lower: bracket[0],
        upper: bracket[1],
        point_a,
        point_b: point_a + normal * distance,
        normal,
        protrusion: if status == Status::Penetrating && a.is_multiple_of(2) { -0.75 * distance } else { f64::NAN },
    };
    Row { a, b, proximity, directional: None, stands: false }
}

/// Random results of consecutive blocks. Runs of `run_length` samples may span blocks.
pub(crate) fn results(scene: &Scene, plan: ResultsPlan) -> Vec<Results> {
    let mut rng = Rng(plan.seed);
    let n = scene.bodies.len() as u64;
    let mut total = 0;
    let mut poses: Vec<Pose> =
        (0..scene.dynamic.len()).map(|i| Pose::new([i as f64, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0])).collect();
    (0..plan.blocks)
        .map(|index| {
            let mut block = FrameBlock::new(index as u64, scene.dynamic.len());
            let samples = if plan.run_length < 64 && index % 2 == 1 { 37 } else { 64 };
            for s in 0..samples {
                let (run, frame) = ((total / plan.run_length) as i64, (total % plan.run_length) as i64);
                let time_s = (run != 1).then_some(frame as f64 / 100.0);
                block.samples.push(Sample { run: run * 3 - 1, frame, time_s });
                block.starts_run |= u64::from(frame == 0) << s;
                for (slot, pose) in poses.iter_mut().enumerate() {
                    pose.position = pose.position + rng.vec() * 0.01;
                    let turn = rng.unit() * 0.1;
                    let q = pose.q;
                    pose.q = [q[0] - turn * q[3], q[1] + turn * q[2], q[2] - turn * q[1], q[3] + turn * q[0]];
                    let norm = pose.q.iter().map(|c| c * c).sum::<f64>().sqrt();
                    pose.q = pose.q.map(|c| c / norm);
                    if rng.below(10) > 0 {
                        block.set(slot, s, pose);
                    }
                }
                total += 1;
            }
            let mut candidates: Vec<Candidate> = (0..plan.pairs)
                .filter_map(|_| {
                    let (a, b) = (rng.below(n) as u32, rng.below(n) as u32);
                    let samples = (rng.next() | rng.next()) & block.all_samples();
                    (a != b && samples != 0).then_some(Candidate { a: a.min(b), b: a.max(b), samples })
                })
                .collect();
            candidates.sort();
            candidates.dedup_by_key(|c| (c.a, c.b));
            let mut rows = Vec::new();
            for s in 0..samples {
                for c in candidates.iter().filter(|c| c.samples >> s & 1 == 1) {
                    if rng.below(plan.gap) > 0 {
                        rows.push(row(&mut rng, c.a, c.b, s));
                    }
                }
            }
            Results { block, candidates, rows, intervals: Vec::new() }
        })
        .collect()
}

/// The scene with a motion between frames.
pub(crate) fn moving(scene: Scene) -> Scene {
    let motion = MotionRule { between: BetweenFrames::Linear, ..MotionRule::default() };
    Scene { motion, ..scene }
}

/// A random interval with every field set.
pub(crate) fn interval(rng: &mut Rng, a: u32, b: u32, sample: usize) -> IntervalRow {
    let coarse = rng.below(4) == 0;
    let upper = if coarse { rng.below(12) as f64 / 20.0 - 0.05 } else { rng.unit() * 0.55 - 0.05 };
    let status = match rng.below(30) {
        0 => IntervalStatus::Undecided,
        _ if upper <= 0.0 => IntervalStatus::Contact,
        _ => IntervalStatus::Clear,
    };
    let slack = if rng.below(8) == 0 { 0.02 } else { 1e-4 };
    let is_unproven = status == IntervalStatus::Undecided && rng.below(2) == 0;
    let shares = |rng: &mut Rng| {
        let (one, other) = (rng.unit(), rng.unit());
        [one.min(other), one.max(other)]
    };
    let methods = [IntervalMethod::Direction, IntervalMethod::Bisection, IntervalMethod::Motion, IntervalMethod::Limit];
    let interval = IntervalProximity {
        sample: sample as u8,
        status,
        method: methods[rng.below(4) as usize],
        lower: if is_unproven { f64::NEG_INFINITY } else { upper - slack },
        upper,
        closest: shares(rng),
        contact: if status == IntervalStatus::Contact { shares(rng) } else { [f64::NAN; 2] },
    };
    IntervalRow { a, b, interval, stands: false }
}

/// The results with random intervals of about `pairs` pairs after every sample that another one of
/// its run follows.
pub(crate) fn with_intervals(mut results: Vec<Results>, bodies: u64, pairs: u64, seed: u64) -> Vec<Results> {
    let mut rng = Rng(seed);
    let firsts: Vec<Option<Sample>> =
        results.iter().skip(1).map(|r| r.block.samples.first().copied()).chain([None]).collect();
    for (r, first) in results.iter_mut().zip(firsts) {
        let samples = &r.block.samples;
        let next = first.filter(|first| samples.last().is_some_and(|last| last.run == first.run));
        let runs: Vec<i64> = samples.iter().chain(&next).map(|sample| sample.run).collect();
        r.block.following = next.map(|sample| Box::new(NextSample { sample, poses: Vec::new(), joints: Vec::new() }));
        for (sample, _) in runs.windows(2).enumerate().filter(|(_, ends)| ends[0] == ends[1]) {
            let mut chosen: Vec<(u32, u32)> = (0..pairs)
                .map(|_| (rng.below(bodies) as u32, rng.below(bodies) as u32))
                .filter(|(a, b)| a != b)
                .map(|(a, b)| (a.min(b), a.max(b)))
                .collect();
            chosen.sort_unstable();
            chosen.dedup();
            r.intervals.extend(chosen.into_iter().map(|(a, b)| interval(&mut rng, a, b, sample)));
        }
    }
    results
}

/// The results, divided into calls of at most `samples` samples each.
pub(crate) fn in_calls(results: &[Results], samples: usize) -> Vec<Results> {
    let mut calls = Vec::new();
    for r in results {
        for first in (0..r.block.samples.len()).step_by(samples) {
            let mask = (0..samples.min(64 - first)).fold(0_u64, |m, s| m | 1 << (first + s));
            let masked = r.candidates.iter().map(|c| Candidate { samples: c.samples & mask, ..*c });
            let inside = |row: &&Row| mask >> row.proximity.sample & 1 == 1;
            calls.push(Results {
                block: r.block.clone(),
                candidates: masked.filter(|c| c.samples != 0).collect(),
                rows: r.rows.iter().filter(inside).copied().collect(),
                intervals: r.intervals.iter().filter(|row| mask >> row.interval.sample & 1 == 1).copied().collect(),
            });
        }
    }
    calls
}

pub(crate) fn options(out: &Path) -> TableOptions {
    let inputs = Default::default();
    TableOptions {
        out: out.to_owned(),
        columns: DistanceColumns::All,
        force: false,
        memory: 1 << 30,
        resume: false,
        job: None,
        shard: None,
        inputs,
        pose_steps: None,
    }
}

/// Writes all results.
pub(crate) fn write_all(writer: &mut TableWriter, results: &[Results]) -> clearsweep_base::Result<()> {
    results.iter().try_for_each(|r| {
        let rows: Vec<&Row> = r.rows.iter().collect();
        let intervals: Vec<&IntervalRow> = r.intervals.iter().collect();
        let sorted = SortedRows { rows: &rows, intervals: &intervals, ..SortedRows::default() };
        writer.write_sorted(&r.block, &r.candidates, sorted)
    })
}

/// The relative name and the content of every file under `path`, sorted by name.
pub(crate) fn files(path: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("folder").map(|e| e.expect("entry").path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else {
                let name = entry.strip_prefix(path).expect("inside").to_string_lossy().replace('\\', "/");
                found.push((name, std::fs::read(&entry).expect("file")));
            }
        }
    }
    found.sort();
    found
}
