//! The loop: read -> broad -> narrow -> write. The only module that sees all four stages and fans work out.
//!
//! ```text
//!            thread of its own          the pool
//! block k+1: [ decode ]
//! block k  :             [ broad | narrow, a task per few candidates ]
//! block k-1:             [ encode and write                          ]
//! ```
//! Where few bodies move, "block" is a batch of blocks, and each thread goes through a stretch of them.
//!
//! Nothing here may change a row: the order of tasks, the caches that pairs carry from block to block and the place
//! where a large block is cut for memory only decide how long it takes.
//!
//! *Architecture invariant*: knows every stage by its interface only; the stages do not know it.

mod caches;
mod check;
mod manifest;
mod methods;
mod narrowing;
mod options;
mod pipeline;
mod progress;
mod query;
mod slices;
mod timings;
mod workspaces;
mod world;

pub use check::{Checked, GroupFound, LargestStep, RuleFound, Warning, check};
pub use manifest::{SCHEMA_VERSION, simd_features};
pub use options::{DEFAULT_MEMORY, Device, JobOptions};
pub use progress::{Advance, Progress, Silent};
pub use query::{Explained, explain, query};
pub use timings::Timings;

use crate::broad::BroadScene;
use crate::error::{Error, Result};
use crate::narrow::{Routes, Status};
use crate::scene::{Scene, SceneOverrides};
use crate::table::{TableWriter, Totals};
use crate::trajectory::{ReadOptions, Reading, Trajectory};
use serde_json::Value;
use std::path::Path;
use std::time::Instant;
use timings::timed;

/// What a job found, when all its files are whole.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// Counts and the worst row.
    pub totals: Totals,
    /// How queries were answered.
    pub routes: Routes,
    /// Where the time went.
    pub timings: Timings,
    /// Threads of the pool.
    pub threads: usize,
    /// The manifest as written; its `summary` is what a person or a script asks first.
    pub manifest: Value,
}

impl Outcome {
    /// Whether a row violates `require`.
    pub fn is_violated(&self) -> bool {
        self.totals.violated > 0
    }

    /// Whether a row has no proven bracket.
    pub fn is_uncertified(&self) -> bool {
        self.totals.by_status[Status::Uncertified as usize] > 0
    }
}

/// Runs a job: reads the trajectories of `scene`, and writes every table of the contract to `options.out`, the
/// manifest last.
///
/// # Errors
/// Options that do not fit, an input that does not fit the contract, or an output that cannot be written. No file
/// that looks whole is left behind.
pub fn run(scene: &Scene, options: &JobOptions, progress: &dyn Progress) -> Result<Outcome> {
    run_begun(scene, None, options, progress)
}

/// A scene whose trajectories are being read already.
pub struct Loaded {
    /// The scene.
    pub scene: Scene,
    reading: Option<Reading>,
}

impl Loaded {
    /// Loads a scene, as [`Scene::load`] does, and begins to read the trajectories while its geometry is built.
    ///
    /// # Errors
    /// As for [`Scene::load`]; what is wrong with the trajectories is said by [`Loaded::run`].
    pub fn load(path: &Path, overrides: &SceneOverrides, options: &ReadOptions) -> Result<Self> {
        let mut reading = None;
        let (scene, _) = Scene::load_and_tell(path, overrides, |outline| reading = Reading::begin(outline, options))?;
        Ok(Self { scene, reading })
    }

    /// Runs a job, as [`run`] does; once.
    ///
    /// # Errors
    /// As for [`run`].
    pub fn run(&mut self, options: &JobOptions, progress: &dyn Progress) -> Result<Outcome> {
        run_begun(&self.scene, self.reading.take(), options, progress)
    }
}

fn run_begun(
    scene: &Scene,
    reading: Option<Reading>,
    options: &JobOptions,
    progress: &dyn Progress,
) -> Result<Outcome> {
    let begun = Instant::now();
    let pool = pool(options.threads)?;
    pool.install(|| run_in_pool(scene, reading, options, progress, begun))
}

fn run_in_pool(
    scene: &Scene,
    reading: Option<Reading>,
    options: &JobOptions,
    progress: &dyn Progress,
    begun: Instant,
) -> Result<Outcome> {
    let device = options.device.resolve()?;
    let batch = pipeline::batch_blocks(scene.dynamic.len(), options.memory);
    let threads = rayon::current_num_threads();
    // Two stretches a thread, so that one which takes longer does not hold up the rest.
    let stretches = if batch == 1 || threads == 1 { 1 } else { 2 * threads };
    let memory = || Ok(pipeline::Memory { broad: methods::broad(&options.broad)?, caches: caches::Caches::default() });
    let memories = (0..stretches).map(|_| memory()).collect::<Result<Vec<_>>>()?;
    let narrow = methods::narrow(&options.narrow)?;
    let mut timings = Timings::default();
    let trajectory = timed(&mut timings.open, || Trajectory::open_begun(scene, &options.read, reading))?;
    trajectory.inputs.begin_early();
    let bounds = trajectory.bounds;
    let mut input = pipeline::Input::start(trajectory);
    let mut writer = TableWriter::create(scene, &options.table())?;

    let boxes = BroadScene::new(scene, bounds, scene.query.within);
    let mut search = pipeline::Search {
        scene,
        boxes,
        narrow,
        memories,
        prepared: false,
        batch,
        rows_limit: slices::rows_within(options.memory),
        routes: Routes::default(),
        timings,
        candidate_samples: 0,
        candidates: 0,
    };
    pipeline::drive(&mut search, &mut input, &mut writer, progress)?;

    let mut timings = search.timings;
    let broad = search.memories[0].broad.name();
    let ending = timed(&mut timings.write, || writer.end())?;
    // While the disk takes the tables, inputs are hashed, and what was read and remembered of all pairs is given back.
    let files = input.files.clone();
    files.begin();
    rayon::spawn(move || drop((search.memories, input)));
    let finished = timed(&mut timings.write, || ending.wait())?;
    let mut inputs = scene.inputs.clone();
    inputs.extend(files.digests()?);
    timings.total = begun.elapsed();
    let manifest = manifest::Report {
        scene,
        options,
        inputs: &inputs,
        totals: &finished.totals,
        routes: &search.routes,
        timings: &timings,
        broad,
        narrow: search.narrow.name(),
        device,
        threads,
        candidates: search.candidates,
        candidate_samples: search.candidate_samples,
    }
    .to_json();
    finished.write_manifest(&manifest)?;
    Ok(Outcome { totals: finished.totals.clone(), routes: search.routes, timings, threads, manifest })
}

/// A pool of so many threads (`None`: all cores).
fn pool(threads: Option<usize>) -> Result<rayon::ThreadPool> {
    // Counted here, because rayon's own default reads the environment.
    let cores = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads.unwrap_or_else(cores).max(1))
        .thread_name(|index| format!("clearsweep-{index}"))
        .build()
        .map_err(|error| {
            Error::usage("--threads", format!("the threads cannot be started ({error})"), "ask for fewer threads")
        })
}
