//! The broad phase on a GPU beside that of the processor: crowds of balls, and many small worlds.
//!
//! `cargo bench --bench gpu_broad -- [ADAPTER [LARGEST]]`: the adapter whose name contains ADAPTER (else the preferred one that
//! is no software), and the most balls of a crowd (1,000,000). Prints a table in Markdown with the name of the device:
//! - *CPU*: from poses to candidates by `auto`, on all cores;
//! - *GPU*: from poses to candidates, with upload and download; batches are begun before the one before is finished;
//! - *resident*: the kernels alone, the boxes lie on the device and the pairs stay there.
//!
//! Times are of a block of 64 samples, or of a batch of blocks. The candidates of both are compared.

#![allow(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used, reason = "a program for developers")]

use clearsweep::bench_support::broad::bench_support::open;
use clearsweep::bench_support::broad::{BroadPhase, BroadScene, by_name};
use clearsweep::bench_support::geometry::Pose;
use clearsweep::bench_support::scene::block::Sample;
use clearsweep::bench_support::scene::{Candidate, FrameBlock, SAMPLES, Scene};
use clearsweep::bench_support::trajectory::Bounds;
use std::time::Instant;

#[path = "support/balls.rs"]
mod balls;

use balls::scene;

/// Batches that are timed.
const BATCHES: usize = 4;
/// Searches of a batch that lies on the device.
const ROUNDS: usize = 8;

/// What is measured.
struct Case {
    name: String,
    bodies: usize,
    /// Blocks of a batch.
    blocks: usize,
    /// Samples that follow each other in motion; 1: each sample is a world of its own.
    run: usize,
}

/// Uniform numbers in 0..1.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Balls of radius 1 m in a cube with 50 cubic metres for each, that drift by 2 cm a sample.
fn blocks(case: &Case, edge: f64, first: u64) -> Vec<FrameBlock> {
    let mut random = Random(7 + first);
    let mut all: Vec<FrameBlock> = (0..case.blocks as u64).map(|k| FrameBlock::new(first + k, case.bodies)).collect();
    for block in &mut all {
        block.samples.extend((0..SAMPLES).map(|s| Sample { run: 0, frame: s as i64, time_s: None }));
        block.starts_run = (0..SAMPLES).filter(|s| s % case.run == 0).fold(0, |bits, s| bits | 1 << s);
        for slot in 0..case.bodies {
            let mut at = [0.0; 3];
            let drift = [0; 3].map(|_| 0.04 * (random.next() - 0.5));
            for sample in 0..SAMPLES {
                at = match sample % case.run {
                    0 => [0; 3].map(|_| edge * random.next()),
                    _ => [0, 1, 2].map(|k| at[k] + drift[k]),
                };
                block.set(slot, sample, &Pose::new(at, [1.0, 0.0, 0.0, 0.0]));
            }
        }
    }
    all
}

/// Seconds of a batch, with all candidates: each batch is begun before the one before is finished.
fn search(
    method: &mut dyn BroadPhase,
    job: &BroadScene,
    scene: &Scene,
    batches: &[Vec<&FrameBlock>],
) -> (f64, Vec<Vec<Candidate>>) {
    let mut found = Vec::new();
    let begun = Instant::now();
    method.begin(job, scene, &batches[0]);
    for (at, batch) in batches.iter().enumerate() {
        if let Some(next) = batches.get(at + 1) {
            method.begin(job, scene, next);
        }
        found.extend(method.finish(job, scene, batch));
    }
    (begun.elapsed().as_secs_f64() / batches.len() as f64, found)
}

fn measure(case: &Case, gpu: &mut dyn BroadPhase) {
    let scene = scene(case.bodies);
    let edge = (50.0 * case.bodies as f64).cbrt();
    let batches: Vec<Vec<FrameBlock>> =
        (0..2).map(|batch| blocks(case, edge, 1 + (batch * case.blocks) as u64)).collect();
    let job = BroadScene::new(&scene, Some(Bounds { min: [-3.0; 3], max: [edge + 3.0; 3] }), 0.0);
    let batches: Vec<Vec<&FrameBlock>> = (0..BATCHES).map(|k| batches[k % 2].iter().collect()).collect();
    let mut cpu = by_name("auto").unwrap();
    // Methods learn how to split blocks, and buffers grow once.
    search(cpu.as_mut(), &job, &scene, &batches);
    search(gpu, &job, &scene, &batches);
    let (on_cpu, expected) = search(cpu.as_mut(), &job, &scene, &batches);
    let (on_gpu, found) = search(gpu, &job, &scene, &batches);
    assert!(found == expected, "{}: other candidates", case.name);
    let resident = gpu.resident_seconds(&job, &scene, &batches[0], ROUNDS);
    assert_eq!(gpu.device_report().unwrap().failure, None, "{}", case.name);
    let body_samples = (case.bodies * case.blocks * SAMPLES) as f64;
    let cell = |seconds: f64| format!("{:.3} ms, {:.3} G/s", seconds * 1e3, body_samples / seconds * 1e-9);
    println!(
        "| {} | {} | {} | {} | {} | {} | {:.2} |",
        case.name,
        case.blocks,
        expected[0].len(),
        cell(on_cpu),
        cell(on_gpu),
        resident.map_or_else(|| "failed".to_owned(), cell),
        on_cpu / on_gpu,
    );
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let (mut gpu, adapter) = open(words.first().map(String::as_str)).unwrap_or_else(|reason| {
        eprintln!("{reason}");
        std::process::exit(1)
    });
    let largest: usize = words.get(1).and_then(|word| word.parse().ok()).unwrap_or(1_000_000);
    println!("{adapter}; {} threads\n", rayon::current_num_threads());
    println!("| case | blocks | candidates of a block | CPU | GPU | resident | CPU / GPU |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for bodies in [1_000, 10_000, 100_000, 1_000_000].into_iter().filter(|&bodies| bodies <= largest) {
        measure(&Case { name: format!("{bodies} balls"), bodies, blocks: 1, run: SAMPLES }, gpu.as_mut());
    }
    let worlds = 8192 / SAMPLES;
    let small = |name: &str, run| Case { name: name.to_owned(), bodies: 20, blocks: worlds, run };
    measure(&small("8,192 worlds of 20 balls, a sample each", 1), gpu.as_mut());
    measure(&small("128 runs of 20 balls, 64 samples each", SAMPLES), gpu.as_mut());
}
