//! The experiments of "Efficient algorithms for two-phase collision detection" (Mirtich 1997),
//! repeated.
//!
//! `cargo xtask two-phase OUT [--quick] [scenes] [bodies] [pairs] [clusters] [cells]` writes
//! `scenes.csv` (its Table 1), `bodies.csv` and `pairs.csv` (its claim O(n + c)), `clusters.csv`
//! (its Figure 6) and `cells.csv` (alpha and beta, Theorems 1 and 3) into OUT, and prints them as tables. `--quick` takes small sizes; names select parts.
//! `docs/plots/two_phase.py OUT` updates `docs/papers/two-phase.md`, which interprets them, and its
//! plots.
//!
//! All methods run on one thread. Times are those of the search with the bounding boxes, the least
//! of several rounds.

mod crowds;
mod methods;
mod simulations;
mod table;

use crate::support::Outcome;
use clearsweep_datasets::Simulated;
use clearsweep_scene::{CellSizes, FrameBlock};
use clearsweep_testing::scenes::Setup;
use methods::{METHODS, Meter};
use simulations::Simulation;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use table::Table;

/// An experiment: writes its table under a folder, of small sizes if asked.
type Part = fn(&Path, bool) -> Measured<()>;

/// The result of an experiment, which runs on a thread of its own.
type Measured<T> = Result<T, Box<dyn Error + Send + Sync>>;

pub(crate) fn main(arguments: &[String]) -> Outcome<ExitCode> {
    let mut arguments = arguments.to_vec();
    let quick = arguments.iter().any(|a| a == "--quick");
    arguments.retain(|a| a != "--quick");
    let usage = "usage: two-phase OUT [--quick] [scenes] [bodies] [pairs] [clusters] [cells]";
    let Some((out, parts)) = arguments.split_first() else { return Err(usage.into()) };
    let parts_known: [(&str, Part); 5] = [
        ("scenes", scenes_table),
        ("bodies", bodies_table),
        ("pairs", pairs_table),
        ("clusters", clusters_table),
        ("cells", cells_table),
    ];
    if parts.iter().any(|part| parts_known.iter().all(|(name, _)| name != part)) {
        return Err(usage.into());
    }
    let out = PathBuf::from(out);
    std::fs::create_dir_all(&out)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let chosen = parts_known.iter().filter(|(name, _)| parts.is_empty() || parts.iter().any(|part| part == name));
    for (_, measure) in chosen {
        pool.install(|| measure(&out, quick)).map_err(|error| -> Box<dyn Error> { error })?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Table 1: the cost of a frame by method in scenes like the paper's.
fn scenes_table(out: &Path, quick: bool) -> Measured<()> {
    let mut table = Table::new(
        "Scenes like those of Table 1: microseconds a frame, cells touched a frame",
        "scene,bodies,rate,frames,pairs,boxes_us,standard_us,coherent_us,ratio,ratio_net,standard_cells,coherent_cells,\
         ratio_cells,hash_us,coherent_hash_us,sweep_us,brute_us",
    );
    let rounds = if quick { 2 } else { 5 };
    let mut simulations = vec![
        Simulation::of("8 coins", Simulated::Coins(8)),
        Simulation::of("bowling", Simulated::Bowling),
        Simulation::of("rattleback", Simulated::Rattleback),
        Simulation::of("feeder of 20 parts", Simulated::PartFeeder(20)),
        Simulation::of("1000 coins", Simulated::Coins(1000)),
        Simulation::of("feeder of 400 parts", Simulated::PartFeeder(400)),
    ];
    if quick {
        simulations.truncate(4);
    }
    for simulation in &simulations {
        for rate in [1000, 60] {
            table.row(scene_row(simulation, rate, rounds));
        }
    }
    table.finish(&out.join("scenes.csv"))
}

fn scene_row(simulation: &Simulation, rate: u32, rounds: usize) -> Vec<String> {
    let frames = (simulation.seconds * f64::from(rate)) as usize;
    let blocks = simulation.blocks(rate, frames);
    let job = simulation.setup.job();
    let scene = &simulation.setup.scene;
    let mut us = std::collections::BTreeMap::new();
    let mut cells = std::collections::BTreeMap::new();
    let mut pairs = 0;
    for method in METHODS {
        let mut best = f64::INFINITY;
        for round in 0..rounds {
            let mut meter = Meter::new(method, false);
            let seconds: f64 = blocks.iter().map(|b| meter.time(&job, scene, b)).sum();
            best = best.min(seconds);
            if round == 0 {
                pairs = meter.pair_samples();
            }
        }
        us.insert(method, 1e6 * best / frames as f64);
        let mut counter = Meter::new(method, true);
        blocks.iter().for_each(|b| _ = counter.time(&job, scene, b));
        cells.insert(method, counter.operations().cells as f64 / frames as f64);
        assert_eq!(counter.pair_samples(), pairs, "{}: {method} finds other pairs", simulation.name);
    }
    let boxes = (0..rounds)
        .map(|_| blocks.iter().map(|b| methods::time_of_boxes(&job, b)).sum::<f64>())
        .fold(f64::INFINITY, f64::min);
    let boxes = 1e6 * boxes / frames as f64;
    let (standard, coherent) = (us["standard"], us["coherent"]);
    let number = |v: f64| format!("{v:.3}");
    vec![
        simulation.name.clone(),
        scene.bodies.len().to_string(),
        rate.to_string(),
        frames.to_string(),
        format!("{:.1}", pairs as f64 / frames as f64),
        number(boxes),
        number(standard),
        number(coherent),
        format!("{:.1}", standard / coherent),
        format!("{:.1}", (standard - boxes) / (coherent - boxes).max(1e-3)),
        format!("{:.1}", cells["standard"]),
        format!("{:.2}", cells["coherent"]),
        format!("{:.0}", cells["standard"] / cells["coherent"].max(1e-9)),
        number(us["hash"]),
        number(us["coherent-hash"]),
        number(us["sweep"]),
        number(us["brute"]),
    ]
}

/// Time against the number of bodies, at one density.
fn bodies_table(out: &Path, quick: bool) -> Measured<()> {
    let title = "Time against the number of bodies n at one density; operations are counted a frame";
    let mut table = Table::new(title, &format!("{COST_HEADER},ns_per_body"));
    let largest = if quick { 4_000 } else { 32_000 };
    let mut n = 500;
    while n <= largest {
        let crowd = crowds::Crowd { bodies: n, edge: (n as f64 * 1.2).cbrt(), least: 0.5, step: 0.01, seed: n as u64 };
        for cost in measure(&crowd.blocks(if quick { 3 } else { 4 })) {
            let last = format!("{:.1}", 1e9 * cost.seconds / n as f64);
            table.row(cost.row(n).into_iter().chain([last]).collect());
        }
        n *= 2;
    }
    table.slopes("bodies", "us_per_frame");
    table.finish(&out.join("bodies.csv"))
}

/// Time against the number of pairs, for one number of bodies.
fn pairs_table(out: &Path, quick: bool) -> Measured<()> {
    let n = if quick { 2_000 } else { 4_000 };
    let title = format!("Time against the number of pairs c, {n} bodies; operations are counted a frame");
    let mut table = Table::new(&title, &format!("{COST_HEADER},ns_per_pair"));
    for volume in [64.0, 16.0, 6.0, 3.0, 1.5, 0.75, 0.4, 0.2, 0.1] {
        let crowd = crowds::Crowd { bodies: n, edge: (n as f64 * volume).cbrt(), least: 0.5, step: 0.01, seed: 5 };
        for cost in measure(&crowd.blocks(3)) {
            let last = format!("{:.2}", 1e9 * cost.seconds / cost.pairs);
            table.row(cost.row(n).into_iter().chain([last]).collect());
        }
    }
    table.lines("pairs", "us_per_frame");
    table.finish(&out.join("pairs.csv"))
}

/// Figure 6: flat bodies on a table, whose intervals along z all overlap.
fn clusters_table(out: &Path, quick: bool) -> Measured<()> {
    let mut table = Table::new(
        "Clustered end points (Figure 6): microseconds and exchanges a frame",
        "bodies,method,us_per_frame,swaps,sorts,cells",
    );
    let largest = if quick { 2_000 } else { 16_000 };
    let mut n = 250;
    while n <= largest {
        let (setup, blocks) = crowds::table_top(n, if quick { 3 } else { 4 });
        let job = setup.job();
        for method in ["standard", "coherent", "hash", "coherent-hash", "sweep", "sweep-insertion-only"] {
            if method == "sweep-insertion-only" && n > 4_000 {
                continue; // minutes
            }
            let mut meter = Meter::new(method, false);
            let mut best = f64::INFINITY;
            let mut before = meter.operations();
            for (k, block) in blocks.iter().enumerate() {
                let seconds = meter.time(&job, &setup.scene, block);
                if k == 0 {
                    before = meter.operations(); // the first frames build the structures
                } else {
                    best = best.min(seconds / block.samples.len() as f64);
                }
            }
            let frames: usize = blocks[1..].iter().map(|b| b.samples.len()).sum();
            let after = meter.operations();
            let each = |now: u64, then: u64| format!("{:.1}", (now - then) as f64 / frames as f64);
            table.row(vec![
                n.to_string(),
                method.to_owned(),
                format!("{:.2}", 1e6 * best),
                each(after.swaps, before.swaps),
                each(after.sorts, before.sorts),
                each(after.cells, before.cells),
            ]);
        }
        n *= 2;
    }
    table.slopes("bodies", "us_per_frame");
    table.slopes("bodies", "swaps");
    table.finish(&out.join("clusters.csv"))
}

/// The trade-off of alpha and beta (Theorems 1 and 3): small boxes a cell give many cells, large
/// ones many pairs that share a cell and do not overlap; with coherence few cells are written.
fn cells_table(out: &Path, quick: bool) -> Measured<()> {
    let n = if quick { 1_000 } else { 4_000 };
    let title = format!("Sizes of cells, {n} bodies of sides 0.1 to 1; operations are counted a frame");
    let mut table = Table::new(&title, &format!("alpha,beta,{COST_HEADER}"));
    let crowd = crowds::Crowd { bodies: n, edge: (n as f64 * 0.4).cbrt(), least: 0.1, step: 0.01, seed: 7 };
    let scene = crowd.blocks(if quick { 2 } else { 4 });
    for beta in [1.0, 0.5, 0.25, 0.125] {
        for alpha in [0.5, 0.25, 0.125].map(|share| share * beta) {
            let cells = CellSizes::new(alpha, beta).ok_or("no sizes of cells")?;
            for cost in measure_with(&scene, &METHODS[..4], Some(cells)) {
                let mut row = vec![alpha.to_string(), beta.to_string()];
                row.extend(cost.row(n));
                table.row(row);
            }
        }
    }
    table.finish(&out.join("cells.csv"))
}

/// The cost of a method per frame.
struct Cost {
    method: &'static str,
    pairs: f64,
    seconds: f64,
    operations: [f64; 4],
}

const COST_HEADER: &str = "bodies,method,pairs,us_per_frame,cells,meetings,tests,swaps";

impl Cost {
    fn row(&self, bodies: usize) -> Vec<String> {
        let mut row = vec![bodies.to_string(), self.method.to_owned(), format!("{:.0}", self.pairs)];
        row.push(format!("{:.1}", 1e6 * self.seconds));
        row.extend(self.operations.iter().map(|count| format!("{count:.0}")));
        row
    }
}

/// The costs of all methods over the blocks of one scene.
fn measure(scene: &(Setup, Vec<FrameBlock>)) -> Vec<Cost> {
    measure_with(scene, &METHODS, None)
}

/// The costs of some methods over the blocks of one scene, with cells of these sizes. The first
/// block builds the structures and is not timed.
fn measure_with(
    (setup, blocks): &(Setup, Vec<FrameBlock>),
    methods: &[&'static str],
    cells: Option<CellSizes>,
) -> Vec<Cost> {
    let job = setup.job();
    let mut costs: Vec<Cost> = Vec::new();
    for &method in methods {
        if method == "brute" && setup.scene.bodies.len() > 16_000 {
            continue;
        }
        let mut meter = Meter::with_cells(method, cells, false);
        meter.time(&job, &setup.scene, &blocks[0]);
        let (pairs, then) = (meter.pair_samples(), meter.operations());
        let mut seconds = f64::INFINITY;
        let mut frames = 0.0;
        for block in &blocks[1..] {
            seconds = seconds.min(meter.time(&job, &setup.scene, block) / block.samples.len() as f64);
            frames += block.samples.len() as f64;
        }
        let now = match cells {
            // Standard hashing counts its cells only if asked, which takes time.
            Some(_) if method == "standard" => {
                let mut counter = Meter::with_cells(method, cells, true);
                blocks[1..].iter().for_each(|block| _ = counter.time(&job, &setup.scene, block));
                counter.operations()
            }
            _ => meter.operations(),
        };
        let operations = [
            now.cells - then.cells,
            now.cell_meetings - then.cell_meetings,
            now.tests - then.tests,
            now.swaps - then.swaps,
        ];
        costs.push(Cost {
            method,
            pairs: (meter.pair_samples() - pairs) as f64 / frames,
            seconds,
            operations: operations.map(|count| count as f64 / frames),
        });
    }
    assert!(costs.iter().all(|cost| cost.pairs == costs[0].pairs), "methods disagree");
    costs
}
