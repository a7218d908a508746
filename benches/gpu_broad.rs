//! The broad phase on a GPU beside that of the processor: crowds of balls, and many small worlds.
//!
//! `cargo bench --bench gpu_broad -- [ADAPTER [LARGEST]]`: the adapter whose name contains ADAPTER
//! (else the preferred one that is no software), and the most balls of a crowd (1,000,000). Prints
//! tables in Markdown with the name of the device, and writes them to `gpu_broad.md` in the `tmp`
//! folder of the target folder:
//! - *CPU*: from poses to candidates by `auto`, on all cores;
//! - *boxes*: what of it, and of the next, makes the boxes, which the processor does in any case;
//! - *GPU*: from poses to candidates, with upload and download; batches are begun before the one
//!   before is finished;
//! - *resident*: the search alone, the boxes lie on the device and the pairs stay there;
//! - *kernels*: what of it the kernels take by the clock of the device, if it has one. The rest is
//!   the driver, and waiting.
//!
//! Times are of a block of 64 samples, or of a batch of blocks; in the second table of a frame of a
//! crowd, or of a world. The candidates of both are compared. A third table holds the kernel that
//! compares all pairs of a block against the tree: it sets `DeviceLimits::brute_slots`, the size up
//! to which a block is searched all against all.

#![allow(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used, reason = "a program for developers")]

use clearsweep_broad::internals::{BoxMaker, DeviceFaults, DeviceLimits, open_with};
use clearsweep_broad::{BroadPhase, BroadScene, by_name};
use clearsweep_geometry::Pose;
use clearsweep_scene::block::Sample;
use clearsweep_scene::{Candidate, FrameBlock, SAMPLES, Scene};
use clearsweep_testing::random::Random;
use clearsweep_trajectory::Bounds;
use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

#[path = "support/balls.rs"]
mod balls;

use balls::scene;

/// Batches that are timed.
const BATCHES: usize = 4;
/// Searches of a batch that lies on the device.
const ROUNDS: usize = 8;
/// Memory of the device that may be taken: boxes and rooms of all searches of a batch stay there.
const MEMORY: u64 = 16 << 30;
/// Bytes whose way to the device and back is timed: those of the largest fetch.
const BUS_BYTES: u64 = 16 << 20;

/// A case that is measured.
struct Case {
    name: String,
    bodies: usize,
    /// Blocks of a batch.
    blocks: usize,
    /// Samples that follow each other in motion; 1: each sample is a world of its own.
    run: usize,
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
            let drift = random.in_cube(0.02);
            for sample in 0..SAMPLES {
                at = match sample % case.run {
                    0 => [0; 3].map(|_| edge * random.unit()),
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

/// Measurements of a case.
struct Measured {
    name: String,
    /// Bodies times samples, frames or worlds, and what these are called.
    body_samples: f64,
    units: f64,
    unit: &'static str,
    candidates: usize,
    boxes: f64,
    on_cpu: f64,
    on_gpu: f64,
    resident: Option<f64>,
    kernels: Option<f64>,
    /// Bytes to the device and back, for a batch.
    written: u64,
    fetched: u64,
}

fn measure(case: &Case, gpu: &mut dyn BroadPhase) -> Measured {
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
    let bus = |gpu: &dyn BroadPhase| gpu.device_report().map(|report| [report.written_bytes, report.fetched_bytes]);
    let before = bus(gpu).unwrap();
    let (on_gpu, found) = search(gpu, &job, &scene, &batches);
    let [written, fetched] = [0, 1].map(|k| (bus(gpu).unwrap()[k] - before[k]) / BATCHES as u64);
    assert!(found == expected, "{}: other candidates", case.name);
    let mut maker = BoxMaker::default();
    let mut make = || batches[0].iter().for_each(|block| maker.make(&job, block));
    make();
    let begun = Instant::now();
    make();
    let boxes = begun.elapsed().as_secs_f64();
    let clock = |gpu: &dyn BroadPhase| {
        let kernels = gpu.device_report().and_then(|report| report.kernels)?;
        Some(kernels.iter().map(|(_, spent)| spent.as_secs_f64()).sum::<f64>())
    };
    let before = clock(gpu);
    let resident = gpu.resident_seconds(&job, &scene, &batches[0], ROUNDS);
    // One search comes before those that are timed.
    let kernels = before.zip(clock(gpu)).map(|(before, after)| (after - before) / (ROUNDS + 1) as f64);
    assert_eq!(gpu.device_report().unwrap().failure, None, "{}", case.name);
    let samples = case.blocks * SAMPLES;
    let (units, unit) = if case.blocks == 1 { (SAMPLES, "frame") } else { (samples / case.run, "world") };
    Measured {
        name: case.name.clone(),
        body_samples: (case.bodies * samples) as f64,
        units: units as f64,
        unit,
        candidates: expected[0].len(),
        boxes,
        on_cpu,
        on_gpu,
        resident,
        kernels,
        written,
        fetched,
    }
}

/// The kernels alone, for a block of each size: all against all, and by a tree.
fn crossover(adapter: Option<&str>) -> String {
    let mut text = "| bodies of a block | all against all, resident | tree, resident | tree / all |\n".to_owned();
    text += "| --- | --- | --- | --- |\n";
    for bodies in [128, 256, 512, 1024, 2048, 4096, 8192, 16384] {
        let edge = (50.0 * bodies as f64).cbrt();
        let scene = scene(bodies);
        let block = blocks(&Case { name: String::new(), bodies, blocks: 1, run: SAMPLES }, edge, 1);
        let job = BroadScene::new(&scene, Some(Bounds { min: [-3.0; 3], max: [edge + 3.0; 3] }), 0.0);
        let [brute, tree] = [u32::MAX, 1].map(|brute_slots| {
            let limits = DeviceLimits { brute_slots, ..DeviceLimits::within(Some(MEMORY)) };
            let (mut gpu, _) = open_with(adapter, limits, &DeviceFaults::default()).unwrap();
            gpu.resident_seconds(&job, &scene, &[&block[0]], ROUNDS)
        });
        let (Some(brute), Some(tree)) = (brute, tree) else {
            writeln!(text, "| {bodies} | failed | failed | |").unwrap();
            continue;
        };
        let [brute_ms, tree_ms] = [brute, tree].map(|seconds| seconds * 1e3);
        writeln!(text, "| {bodies} | {brute_ms:.3} ms | {tree_ms:.3} ms | {:.2} |", tree / brute).unwrap();
    }
    text
}

/// A table of all times, and one of what they are a frame or a world.
fn tables(all: &[Measured]) -> String {
    let mut text = String::new();
    let or_word =
        |seconds: Option<f64>, word: &str, cell: &dyn Fn(f64) -> String| seconds.map_or(word.to_owned(), cell);
    let resident = |own: &Measured, cell: &dyn Fn(f64) -> String| or_word(own.resident, "failed", cell);
    let ms = |seconds: f64| format!("{:.3} ms", seconds * 1e3);
    let mega = |bytes: u64| format!("{:.2} MB", bytes as f64 * 1e-6);
    text += "| case | candidates of a block | CPU | of it boxes | GPU | resident | of it kernels | to the GPU | from it | CPU / GPU |\n";
    text += "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
    for own in all {
        let Measured { name, candidates, on_cpu, on_gpu, boxes, written, fetched, .. } = own;
        let times = [*on_cpu, *boxes, *on_gpu].map(ms).join(" | ");
        let (resident, ratio) = (resident(own, &ms), on_cpu / on_gpu);
        let kernels = or_word(own.kernels, "no clock", &ms);
        let bus = format!("{} | {}", mega(*written), mega(*fetched));
        writeln!(text, "| {name} | {candidates} | {times} | {resident} | {kernels} | {bus} | {ratio:.2} |").unwrap();
    }
    text += "\n| case | per | CPU | GPU | resident | 10^9 body-samples/s: CPU | GPU | resident |\n";
    text += "| --- | --- | --- | --- | --- | --- | --- | --- |\n";
    for own in all {
        let Measured { name, unit, units, body_samples, on_cpu, on_gpu, .. } = own;
        let each = |seconds: f64| match seconds / units {
            short if short < 1e-5 => format!("{:.2} ns", short * 1e9),
            long => format!("{:.1} us", long * 1e6),
        };
        let rate = |seconds: f64| format!("{:.3}", body_samples / seconds * 1e-9);
        let [cpu, gpu] = [each(*on_cpu), each(*on_gpu)];
        let [cpu_rate, gpu_rate] = [rate(*on_cpu), rate(*on_gpu)];
        let (stays, stays_rate) = (resident(own, &each), resident(own, &rate));
        writeln!(text, "| {name} | {unit} | {cpu} | {gpu} | {stays} | {cpu_rate} | {gpu_rate} | {stays_rate} |")
            .unwrap();
    }
    text
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let limits = DeviceLimits::within(Some(MEMORY));
    let open = || {
        let opened = open_with(words.first().map(String::as_str), limits.clone(), &DeviceFaults::default());
        opened.unwrap_or_else(|reason| {
            eprintln!("{reason}");
            std::process::exit(1)
        })
    };
    let (mut gpu, adapter) = open();
    let largest: usize = words.get(1).and_then(|word| word.parse().ok()).unwrap_or(1_000_000);
    let worlds = 8192 / SAMPLES;
    let case = |name: String, bodies, blocks, run| Case { name, bodies, blocks, run };
    let crowds = [1_000, 10_000, 100_000, 1_000_000].into_iter().filter(|&bodies| bodies <= largest);
    let crowds = crowds.map(|bodies| case(format!("{bodies} balls"), bodies, 1, SAMPLES));
    let small = [
        case("8,192 worlds of 20 balls, a sample each".to_owned(), 20, worlds, 1),
        case("128 worlds of 20 balls, 64 samples each".to_owned(), 20, worlds, SAMPLES),
    ];
    let mut all = Vec::new();
    for case in crowds.chain(small) {
        eprintln!("{}", case.name);
        // A device of its own: what a search fetches depends on the searches before.
        all.push(measure(&case, open().0.as_mut()));
    }
    let bus = gpu.bus_seconds(BUS_BYTES).map_or("failed".to_owned(), |seconds| {
        let [up, down] = seconds.map(|seconds| BUS_BYTES as f64 / seconds * 1e-9);
        format!("{up:.2} GB/s to the GPU, {down:.2} GB/s from it")
    });
    let crossover = crossover(words.first().map(String::as_str));
    let threads = rayon::current_num_threads();
    let text = format!("{adapter}; {threads} threads; bus: {bus}\n\n{}\n{crossover}", tables(&all));
    println!("{text}");
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("gpu_broad.md");
    std::fs::write(&path, text).unwrap();
    eprintln!("written to {}", path.display());
}
