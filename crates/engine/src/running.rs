//! The steps of a job: open the input, begin the tables, drive all blocks through the stages, end
//! the tables, write the manifest.

use super::block_search::{BatchDivision, BlockSearch, SearchCounts, SearchMemory, batch_blocks};
use super::caches::{self, Caches};
use super::cancel::CancelToken;
use super::check::{TrajectoryWatch, of_baselines, of_rules, open_meshes_of_run};
use super::coverage::{Coverage, RunVerdict};
use super::device::OpenDevice;
use super::device_trial::TrialTerms;
use super::manifest_summary::Summary;
use super::options::{JobOptions, pool};
use super::pipeline::{PipelineInput, RowOutput, drive};
use super::progress::Progress;
use super::shard_note::ShardNote;
use super::timings::{Timings, timed};
use super::warning::Warning;
use super::{identity, manifest, methods, slices};
use clearsweep_base::error::Result;
use clearsweep_broad::{BroadPhase, BroadScene};
use clearsweep_model::{BaselineAt, BetweenFrames, InputDigest, PoseSteps, Scene};
use clearsweep_narrow::{IntervalStatus, SolverStats, Status};
use clearsweep_tables::{BatchMaker, JobInputs, RowCounter, RowSink, SinkContext, Totals};
use clearsweep_trajectory::{Feed, Inputs, PoseSource, Reading, Trajectory};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

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

/// Sources of a job: the poses, and what tests and earlier reading supply. `P`: the form of the
/// poses.
pub(super) struct JobSources<P> {
    pub(super) poses: P,
    /// Reading of files that has begun.
    pub(super) reading: Option<Reading>,
    /// A broad phase to search with.
    pub(super) broad: Option<Box<dyn BroadPhase>>,
    /// Terms of the trial of a device, in place of those of a user.
    pub(super) trial: Option<TrialTerms>,
}

impl<P> JobSources<P> {
    /// The poses alone.
    pub(super) fn new(poses: P) -> Self {
        Self { poses, reading: None, broad: None, trial: None }
    }
}

/// A job while it runs.
pub(super) struct Running<'a> {
    /// The scene as this job asks about it.
    pub(super) scene: &'a Scene,
    /// The scene of the whole job, of which this one may be a shard or a baseline.
    pub(super) whole: &'a Scene,
    pub(super) options: &'a JobOptions,
    pub(super) from_files: bool,
    pub(super) progress: &'a dyn Progress,
    pub(super) cancel: &'a CancelToken,
    pub(super) begun: Instant,
    /// Frames that are a baseline, with the number of runs that have them; `None`: this job finds a
    /// baseline, and takes no digests.
    pub(super) runs_with: Option<&'a [(BaselineAt, u64)]>,
}

/// All that the blocks go through.
struct Stages<'a> {
    device: OpenDevice,
    input: PipelineInput,
    search: BlockSearch<'a>,
    facts: JobFacts,
}

/// Facts about a job and its input that outlast the reading.
struct JobFacts {
    /// The job in words that are equal for equal jobs; `None` if it cannot be repeated.
    job: Option<String>,
    /// The shard that the job is.
    shard: Option<ShardNote>,
    /// Digests of the inputs: those of the scene, and at the end those of `files`.
    inputs: Vec<InputDigest>,
    /// The files of the trajectories.
    files: Inputs,
    /// All files that the job reads.
    read: JobInputs,
    pose_steps: Option<PoseSteps>,
    /// Bytes of streams that were copied to a temporary file.
    spooled_bytes: u64,
    /// Whether the times of the trajectories are dates.
    has_dates: bool,
    /// Set once rows come without an orientation.
    unturned: Arc<AtomicBool>,
    /// Set once rows come without a frame.
    numbered: Arc<AtomicBool>,
}

impl Running<'_> {
    /// Runs the job in a pool of its own, and hands all rows to `sink`, in order.
    ///
    /// # Errors
    /// As [`Job::run`](super::Job::run). The sink is then told to abort.
    pub(super) fn start(&self, sources: JobSources<PoseSource<'_>>, sink: &mut dyn RowSink) -> Result<Outcome> {
        let JobSources { poses, reading, broad, trial } = sources;
        let stop = || self.cancel.check();
        let done = pool(self.options.threads).and_then(|pool| {
            poses.feed(self.scene, &self.options.read, &stop, |feed| {
                pool.install(|| self.run(JobSources { poses: feed, reading, broad, trial }, sink))
            })
        });
        if done.is_err() {
            sink.abort();
        }
        done
    }

    /// Runs the job, step by step, inside its pool.
    fn run(&self, sources: JobSources<Feed>, sink: &mut dyn RowSink) -> Result<Outcome> {
        let Stages { mut device, mut input, mut search, mut facts } = self.open(sources)?;
        let maker = BatchMaker::new(self.scene, self.options.columns);
        sink.begin(&self.context(&maker, &facts))?;

        search.from = sink.resumes_at();
        let counter = (!sink.counts_rows()).then(|| RowCounter::new(self.scene));
        let mut output = RowOutput { sink: &mut *sink, counter, maker: &maker };
        let mut watch = TrajectoryWatch::new(self.scene);
        drive(&mut search, &mut input, &mut output, &mut watch, self.progress)?;
        device.conclude(&mut search.trial, search.memories[0].broad.as_ref());

        let totals = self.end(&mut search, &mut facts, input, output)?;
        search.timings.total = self.begun.elapsed();
        let warnings = self.warnings(&watch, &facts, &totals);
        let report = self.report(&search, &device, &facts, &totals, &warnings);
        let (verdict, manifest) = (report.summary.verdict(), report.manifest().to_json()?);
        sink.summary(&manifest)?;
        let BlockSearch { stats, timings, .. } = search;
        Ok(Outcome { totals, verdict, stats, timings, threads: rayon::current_num_threads(), manifest })
    }

    /// Opens the device, the methods and the input, and begins to read.
    fn open(&self, sources: JobSources<Feed>) -> Result<Stages<'_>> {
        let Self { scene, options, cancel, .. } = *self;
        let JobSources { poses, reading, broad, trial } = sources;
        let mut device = OpenDevice::open(options, broad)?;
        methods::check_search(&scene.search, &options.broad, &options.narrow)?;
        let narrow = methods::narrow(&options.narrow, &scene.search)?;
        let mut timings = Timings::default();
        let stop = || cancel.check();
        let open = || Trajectory::open_fed(scene, &options.read, poses, reading, &stop);
        let trajectory = timed(&mut timings.open, open)?;
        let batch = batch_blocks(scene.dynamic.len(), options.memory, device.is_device);
        let division = BatchDivision::of(scene);
        let memories = self.memories(&mut device, division.memories(scene, batch, rayon::current_num_threads()))?;
        let trial = device.trial(options, batch_blocks(scene.dynamic.len(), options.memory, true), trial);
        if self.takes_digests() {
            trajectory.check_expected(scene)?;
            trajectory.inputs.begin_early();
        }
        let (facts, bounds) = (self.facts(&trajectory)?, trajectory.bounds);
        let input = PipelineInput::start(trajectory, scene.motion.between != BetweenFrames::None);
        let search = BlockSearch {
            scene,
            boxes: BroadScene::new(scene, bounds, scene.query.within).with_static_pairs_apart(),
            narrow,
            memories,
            division,
            is_prepared: false,
            batch,
            from: 0,
            rows_limit: slices::rows_within(options.memory),
            stats: SolverStats::default(),
            timings,
            counts: SearchCounts::default(),
            cancel,
            coverage: Coverage::new(scene),
            trial,
        };
        Ok(Stages { device, input, search, facts })
    }

    /// Makes `count` memories, one for each stretch of a batch.
    fn memories(&self, device: &mut OpenDevice, count: usize) -> Result<Vec<SearchMemory>> {
        let bytes = caches::bytes_within(self.options.memory) / count as u64;
        let memory = |_| {
            Ok(SearchMemory {
                broad: device.broad(&self.options.broad, &self.scene.search)?,
                caches: Caches::new(bytes),
            })
        };
        (0..count).map(memory).collect()
    }

    /// Collects the facts about the job and its input.
    fn facts(&self, trajectory: &Trajectory) -> Result<JobFacts> {
        let Self { scene, whole, options, .. } = *self;
        let (files, is_spooled) = (trajectory.inputs.list(), trajectory.spooled_bytes > 0);
        let is_repeatable = self.from_files && !is_spooled && options.read.part.is_none();
        let job = is_repeatable.then(|| identity::of_job(scene, options, files)).transpose()?;
        // The job that finds a baseline is no shard.
        let position = options.shard.filter(|_| self.runs_with.is_some());
        let shard = position.map(|position| ShardNote::new(position, whole, options, files)).transpose()?;
        let of_scene = scene.inputs.iter().map(|input| input.path.clone());
        let of_poses = files.iter().filter(|file| !file.is_spooled()).map(|file| file.path.clone());
        let trajectories = options.read.path.as_ref().or(scene.trajectories.as_ref());
        let read = JobInputs {
            files: of_scene.chain(of_poses).collect(),
            trajectories: trajectories.filter(|_| self.from_files && !is_spooled).cloned(),
        };
        Ok(JobFacts {
            job,
            shard,
            inputs: scene.inputs.clone(),
            files: trajectory.inputs.clone(),
            read,
            pose_steps: trajectory.pose_steps,
            spooled_bytes: trajectory.spooled_bytes,
            has_dates: trajectory.has_dates,
            unturned: trajectory.unturned(),
            numbered: trajectory.numbered(),
        })
    }

    /// Whether the manifest holds digests of the trajectories.
    fn takes_digests(&self) -> bool {
        self.runs_with.is_some() && self.options.read.part.is_none()
    }

    /// Returns the context in which the sink begins the tables.
    fn context<'c>(&'c self, maker: &'c BatchMaker, facts: &'c JobFacts) -> SinkContext<'c> {
        let Self { scene, options, .. } = *self;
        let JobFacts { job, shard, read, pose_steps, .. } = facts;
        let names = [job.as_deref(), shard.as_ref().map(|shard| shard.job.as_str())];
        SinkContext::new(scene, options.columns, options.memory, maker, read, names, *pose_steps)
    }

    /// Ends the tables. While the disk takes them, the input is hashed, and the memory of the
    /// search is freed.
    fn end(
        &self,
        search: &mut BlockSearch<'_>,
        facts: &mut JobFacts,
        input: PipelineInput,
        output: RowOutput<'_>,
    ) -> Result<Totals> {
        let RowOutput { sink, counter, .. } = output;
        timed(&mut search.timings.write, || sink.end())?;
        if self.takes_digests() {
            facts.files.begin();
        }
        let mut memories = std::mem::take(&mut search.memories);
        // A driver must not be left to itself when the process ends.
        if memories[0].broad.works_beside() {
            drop(memories.remove(0));
        }
        rayon::spawn(move || drop((memories, input)));
        let counted = counter.map(RowCounter::finish).transpose()?.unwrap_or_default();
        let totals = timed(&mut search.timings.write, || sink.totals(counted))?;
        if self.takes_digests() {
            facts.inputs.extend(facts.files.digests()?);
        }
        self.cancel.check()?;
        Ok(totals)
    }

    /// Returns the warnings of the manifest.
    fn warnings(&self, watch: &TrajectoryWatch<'_>, facts: &JobFacts, totals: &Totals) -> Vec<Warning> {
        let Self { scene, options, .. } = *self;
        let mut warnings = watch.warnings(facts.pose_steps);
        // Other shards may have rows.
        warnings.retain(|warning| warning.kind != Warning::EMPTY || facts.shard.is_none());
        warnings.extend(facts.unturned.load(Ordering::Relaxed).then(Warning::of_unturned));
        warnings.extend(facts.numbered.load(Ordering::Relaxed).then(Warning::of_numbered));
        warnings.extend(open_meshes_of_run(scene, totals));
        warnings.extend(of_rules(scene));
        warnings.extend(of_baselines(scene, self.runs_with.unwrap_or_default(), totals.runs));
        warnings.extend(Warning::of_threads(options.threads, rayon::current_num_threads()));
        warnings
    }

    /// Collects all that the manifest reports.
    fn report<'r>(
        &'r self,
        search: &'r BlockSearch<'_>,
        device: &'r OpenDevice,
        facts: &'r JobFacts,
        totals: &'r Totals,
        warnings: &'r [Warning],
    ) -> manifest::Report<'r> {
        let BlockSearch { counts, stats, timings, .. } = search;
        manifest::Report {
            scene: self.scene,
            options: self.options,
            from_files: self.from_files,
            inputs: &facts.inputs,
            spooled_bytes: facts.spooled_bytes,
            has_dates: facts.has_dates,
            summary: Summary {
                scene: self.scene,
                totals,
                nothing_checked: search.coverage.nothing(),
                allow_empty: self.options.allow_empty,
                intervals_skipped: counts.intervals_skipped,
                seconds: timings.total.as_secs_f64(),
            },
            warnings,
            stats,
            timings,
            broad: device.method,
            device_report: device.report.as_ref(),
            narrow: search.narrow.name(),
            device,
            threads: rayon::current_num_threads(),
            candidates: counts.candidates,
            candidate_samples: counts.candidate_samples,
            resumed_samples: counts.resumed_samples,
            shard: facts.shard.as_ref(),
        }
    }
}
