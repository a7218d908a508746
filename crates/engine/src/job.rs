//! A job: what it reads, how it is computed, and to which sink its rows go.

use super::cancel::CancelToken;
use super::check::{TrajectoryWatch, Warning, of_rules, open_meshes_of_run};
use super::coverage::{Coverage, RunVerdict};
use super::device::OpenDevice;
use super::device_trial::{FoundDevice, TrialTerms};
use super::manifest_summary::Summary;
use super::options::JobOptions;
use super::progress::{Progress, Silent};
use super::shard::ShardNote;
use super::timings::{Timings, timed};
use super::{baselines, caches, identity, manifest, methods, pipeline, slices};
use clearsweep_base::error::{Error, Result};
use clearsweep_base::workers::threads_within;
use clearsweep_broad::{BroadPhase, BroadScene};
use clearsweep_model::{BaselineAt, BetweenFrames, Scene, SceneOverrides};
use clearsweep_narrow::{IntervalStatus, SolverStats, Status};
use clearsweep_records::manifest::Adapter;
use clearsweep_tables::{BatchMaker, JobInputs, RowCounter, RowSink, SinkContext, Totals};
use clearsweep_trajectory::{Feed, PoseSource, ReadOptions, Reading, Trajectory};
use serde_json::Value;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// The result of a job.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Outcome {
    /// Counts and the worst row.
    pub totals: Totals,
    /// One word for the outcome; it decides the exit code of the program.
    pub verdict: RunVerdict,
    /// How queries were answered.
    #[doc(hidden)]
    pub stats: SolverStats,
    /// Time of each stage.
    #[doc(hidden)]
    pub timings: Timings,
    /// Threads of the pool.
    pub threads: usize,
    /// The JSON object of `manifest.json`; its `summary` is what a person or a script asks first.
    pub manifest: Value,
}

impl Outcome {
    /// Whether a row or an interval violates `require`, and nobody has accepted it.
    pub fn is_violated(&self) -> bool {
        self.totals.open + self.totals.intervals_open > 0
    }

    /// Whether a row has no proven bracket, or an interval is undecided.
    pub fn is_uncertified(&self) -> bool {
        let undecided = self.totals.by_interval_status[IntervalStatus::Undecided as usize];
        self.totals.by_status[Status::Uncertified as usize] + undecided > 0
    }
}

/// A job on a scene: poses in, rows out.
#[must_use]
pub struct Job<'a> {
    scene: &'a Scene,
    options: JobOptions,
    poses: PoseSource<'a>,
    /// Reading of files that has begun.
    reading: Option<Reading>,
    /// A broad phase to search with.
    broad: Option<Box<dyn BroadPhase>>,
    /// Terms of the trial of a device.
    tried: Option<TrialTerms>,
    progress: &'a dyn Progress,
    cancel: CancelToken,
}

impl<'a> Job<'a> {
    /// A job with every default, which reads the files that the scene names.
    pub fn new(scene: &'a Scene) -> Self {
        Self {
            scene,
            options: JobOptions::default(),
            poses: PoseSource::files(),
            reading: None,
            broad: None,
            tried: None,
            progress: &Silent,
            cancel: CancelToken::new(),
        }
    }

    /// How to compute, and which runs and frames.
    pub fn options(self, options: JobOptions) -> Self {
        Self { options, ..self }
    }

    /// Sets the source of the poses.
    pub fn poses(self, poses: PoseSource<'a>) -> Self {
        Self { poses, ..self }
    }

    /// Searches with this broad phase, as if it were that of a device: for tests.
    #[doc(hidden)]
    pub fn search_with(self, broad: Box<dyn BroadPhase>) -> Self {
        Self { broad: Some(broad), ..self }
    }

    /// Tries this broad phase from the first batch on, as if it were that of a device whose time counts `handicap` times: for tests.
    #[doc(hidden)]
    pub fn try_device(self, broad: Box<dyn BroadPhase>, handicap: f64) -> Self {
        let open = Box::new(move || {
            Ok(FoundDevice { broad, adapter: Adapter { name: "given".to_owned(), ..Adapter::default() } })
        });
        Self { tried: Some(TrialTerms::of_test(open, handicap)), ..self }
    }

    /// Whom to tell how far the job is.
    pub fn progress(self, progress: &'a dyn Progress) -> Self {
        Self { progress, ..self }
    }

    /// A token that cancels the job.
    pub fn cancel(self, token: &CancelToken) -> Self {
        Self { cancel: token.clone(), ..self }
    }

    /// Runs the job, and hands all rows to `sink`, in order.
    ///
    /// # Errors
    /// Options that do not fit, an input that does not fit the contract, the first error of the sink, or
    /// [`clearsweep_base::ErrorKind::Cancelled`]. The sink is then told to abort.
    pub fn run(self, sink: &mut dyn RowSink) -> Result<Outcome> {
        let begun = Instant::now();
        let Self { scene, options, poses, cancel, .. } = self;
        let (compared, poses) = baselines::find(scene, poses, &options, &cancel).inspect_err(|_| sink.abort())?;
        let found = compared.as_ref();
        let (asked, runs_with) = found.map_or((scene, &[][..]), |found| (&found.scene, &found.runs_with));
        let of_shard = options.shard.map(|_| baselines::of_shard(asked.clone(), &options.read));
        let asked = of_shard.as_ref().unwrap_or(asked);
        Job { scene, options, poses, cancel, ..self }.run_on(asked, sink, begun, Some(runs_with))
    }

    /// Runs the job on `scene` in place of its own, and hands all rows to `sink`, to find a baseline: the job that it is for reads the inputs
    /// again, and takes their digests.
    ///
    /// # Errors
    /// As [`Job::run`].
    pub(super) fn prelude(self, scene: &Scene, sink: &mut dyn RowSink) -> Result<()> {
        self.run_on(scene, sink, Instant::now(), None).map(drop)
    }

    /// Runs the job on `scene` in place of its own; `compared`: see [`Running`].
    fn run_on(
        self,
        scene: &Scene,
        sink: &mut dyn RowSink,
        begun: Instant,
        compared: Option<&[(BaselineAt, u64)]>,
    ) -> Result<Outcome> {
        let Self { scene: whole, options, poses, reading, broad, tried, progress, cancel } = self;
        let from_files = poses.is_files();
        let job = Running { scene, whole, options: &options, from_files, progress, cancel: &cancel, begun, compared };
        let done = pool(options.threads).and_then(|pool| {
            let stop = || cancel.check();
            poses.feed(scene, &options.read, &stop, |feed| pool.install(|| job.run(feed, reading, broad, tried, sink)))
        });
        if done.is_err() {
            sink.abort();
        }
        done
    }
}

/// A scene whose trajectories are being read already.
pub struct Loaded {
    /// The scene.
    pub scene: Scene,
    reading: Option<Reading>,
}

impl Loaded {
    /// Loads a scene, as [`clearsweep_scene::load_scene`] does, and begins to read the
    /// trajectories while its geometry is built.
    ///
    /// # Errors
    /// Those of [`clearsweep_scene::load_scene`]. [`Job::run`] reports the faults of the trajectories.
    pub fn load(path: &Path, overrides: &SceneOverrides, options: &ReadOptions) -> Result<Self> {
        let mut reading = None;
        let scene = clearsweep_scene::load_scene_and_tell(path, overrides, |outline| {
            reading = Reading::begin(outline, options)
        })?;
        Ok(Self { scene, reading })
    }

    /// A job on the scene; the first one goes on with the reading that has begun.
    pub fn job(&mut self) -> Job<'_> {
        Job { reading: self.reading.take(), ..Job::new(&self.scene) }
    }
}

/// A job that runs, inside its pool.
struct Running<'a> {
    scene: &'a Scene,
    /// The scene of the whole job, of which this one may be a shard.
    whole: &'a Scene,
    options: &'a JobOptions,
    from_files: bool,
    progress: &'a dyn Progress,
    cancel: &'a CancelToken,
    begun: Instant,
    /// Frames that are a baseline, and how many runs have them; `None`: this is the job that finds a baseline, and takes no digests.
    compared: Option<&'a [(BaselineAt, u64)]>,
}

impl Running<'_> {
    fn run(
        &self,
        feed: Feed,
        reading: Option<Reading>,
        given: Option<Box<dyn BroadPhase>>,
        tried: Option<TrialTerms>,
        sink: &mut dyn RowSink,
    ) -> Result<Outcome> {
        let Self { scene, options, cancel, .. } = *self;
        let mut device = OpenDevice::open(options, given)?;
        let narrow = methods::narrow(&options.narrow)?;
        let mut timings = Timings::default();
        let stop = || cancel.check();
        let open = || Trajectory::open_fed(scene, &options.read, feed, reading, &stop);
        let trajectory = timed(&mut timings.open, open)?;
        let (batch, memories) = self.memories(&mut device)?;
        let on_device = pipeline::batch_blocks(scene.dynamic.len(), options.memory, true);
        let trial = device.trial(options, on_device, tried);
        let threads = rayon::current_num_threads();
        let takes_digests = self.compared.is_some() && options.read.part.is_none();
        if takes_digests {
            trajectory.inputs.begin_early();
        }
        let (bounds, pose_steps) = (trajectory.bounds, trajectory.pose_steps);
        let (spooled_bytes, unturned) = (trajectory.spooled_bytes, trajectory.unturned());
        let read = self.inputs(&trajectory);
        let trajectory_files = trajectory.inputs.clone();
        let mut input = pipeline::PipelineInput::start(trajectory, scene.motion.between != BetweenFrames::None);
        let maker = BatchMaker::new(scene, options.columns);
        let is_repeatable = self.from_files && spooled_bytes == 0 && options.read.part.is_none();
        let job = is_repeatable.then(|| identity::of_job(scene, options, trajectory_files.list())).transpose()?;
        // The job that finds a baseline is no shard.
        let position = options.shard.filter(|_| self.compared.is_some());
        let note = |position| ShardNote::new(position, self.whole, options, trajectory_files.list());
        let shard = position.map(note).transpose()?;
        let known = [job.as_deref(), shard.as_ref().map(|shard| shard.job.as_str())];
        let context = SinkContext::new(scene, options.columns, options.memory, &maker, &read, known, pose_steps);
        sink.begin(&context)?;
        let counter = (!sink.counts_rows()).then(|| RowCounter::new(scene));
        let mut output = pipeline::RowOutput { sink, counter, maker: &maker };

        let boxes = BroadScene::new(scene, bounds, scene.query.within).with_static_pairs_apart();
        let mut search = pipeline::BlockSearch {
            scene,
            boxes,
            narrow,
            memories,
            stretches: pipeline::Stretches::of(scene),
            prepared: false,
            batch,
            from: output.sink.resumes_at(),
            resumed_samples: 0,
            rows_limit: slices::rows_within(options.memory),
            stats: SolverStats::default(),
            timings,
            candidate_samples: 0,
            candidates: 0,
            candidate_intervals: 0,
            intervals_skipped: 0,
            cancel,
            coverage: Coverage::new(scene),
            trial,
            compared: Vec::new(),
            searched: Duration::ZERO,
            chosen: None,
        };
        let mut watch = TrajectoryWatch::new(scene);
        pipeline::drive(&mut search, &mut input, &mut output, &mut watch, self.progress)?;

        search.trial.end();
        device.conclude(&search.trial, search.chosen.take());
        let mut timings = search.timings;
        let nothing_checked = search.coverage.nothing();
        let (broad, report) = (search.memories[0].broad.name(), search.memories[0].broad.device_report());
        let pipeline::RowOutput { sink, counter, .. } = output;
        timed(&mut timings.write, || sink.end())?;
        // While the disk takes the tables, inputs are hashed, and what was read and remembered of all pairs is given
        // back.
        let files = input.files.clone();
        if takes_digests {
            files.begin();
        }
        let mut memories = search.memories;
        // A driver must not be left to itself when the process ends.
        if memories[0].broad.works_beside() {
            drop(memories.remove(0));
        }
        rayon::spawn(move || drop((memories, input)));
        let counted = counter.map(RowCounter::finish).transpose()?.unwrap_or_default();
        let totals = timed(&mut timings.write, || sink.totals(counted))?;
        let mut inputs = scene.inputs.clone();
        if takes_digests {
            inputs.extend(files.digests()?);
        }
        cancel.check()?;
        timings.total = self.begun.elapsed();
        let mut warnings = watch.warnings(pose_steps);
        // Other shards may have rows.
        warnings.retain(|warning| warning.kind != Warning::EMPTY || shard.is_none());
        warnings.extend(unturned.load(Ordering::Relaxed).then(Warning::of_unturned));
        warnings.extend(open_meshes_of_run(scene, &totals));
        warnings.extend(of_rules(scene));
        warnings.extend(baselines::missing(scene, self.compared.unwrap_or_default(), totals.runs));
        warnings.extend(Warning::of_threads(options.threads, threads));
        let report = manifest::Report {
            scene,
            options,
            from_files: self.from_files,
            inputs: &inputs,
            spooled_bytes,
            summary: Summary {
                scene,
                totals: &totals,
                nothing_checked,
                allow_empty: options.allow_empty,
                intervals_skipped: search.intervals_skipped,
                seconds: timings.total.as_secs_f64(),
            },
            warnings: &warnings,
            stats: &search.stats,
            timings: &timings,
            broad,
            device_report: report.as_ref(),
            narrow: search.narrow.name(),
            device: &device,
            threads,
            candidates: search.candidates,
            candidate_samples: search.candidate_samples,
            resumed_samples: search.resumed_samples,
            shard: shard.as_ref(),
        };
        let (verdict, manifest) = (report.summary.verdict(), report.manifest().to_json()?);
        sink.summary(&manifest)?;
        Ok(Outcome { totals, verdict, stats: search.stats, timings, threads, manifest })
    }

    /// Blocks of a batch, and a memory for each stretch of them.
    fn memories(&self, device: &mut OpenDevice) -> Result<(usize, Vec<pipeline::SearchMemory>)> {
        let Self { scene, options, .. } = *self;
        let batch = pipeline::batch_blocks(scene.dynamic.len(), options.memory, device.is_device);
        let threads = rayon::current_num_threads();
        let is_shared = batch == 1 || threads == 1 || scene.dynamic.len() > pipeline::FEW_BODIES;
        let stretches = if is_shared { 1 } else { pipeline::Stretches::of(scene).count(threads) };
        let remembered = caches::bytes_within(options.memory) / stretches as u64;
        let memory = |_| {
            let (broad, caches) = (device.broad(&options.broad)?, caches::Caches::new(remembered));
            Ok(pipeline::SearchMemory { broad, caches })
        };
        Ok((batch, (0..stretches).map(memory).collect::<Result<Vec<_>>>()?))
    }

    /// All files that the job reads.
    fn inputs(&self, trajectory: &Trajectory) -> JobInputs {
        let read = self.scene.inputs.iter().map(|input| input.path.clone());
        let trajectories = self.options.read.path.as_ref().or(self.scene.trajectories.as_ref());
        let files = trajectory.inputs.list().iter().filter(|file| !file.is_spooled());
        JobInputs {
            files: read.chain(files.map(|file| file.path.clone())).collect(),
            trajectories: trajectories.filter(|_| self.from_files && trajectory.spooled_bytes == 0).cloned(),
        }
    }
}

/// A pool of so many threads (`None`: all cores), as far as [`threads_within`] allows them.
pub(super) fn pool(threads: Option<usize>) -> Result<rayon::ThreadPool> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads_within(threads))
        .thread_name(|index| format!("clearsweep-{index}"))
        .build()
        .map_err(|error| Error::no_thread(&error))
}
