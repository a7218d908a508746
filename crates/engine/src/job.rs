//! A job, as its caller sets it up; its steps are in `running`.

use super::baselines;
use super::cancel::CancelToken;
use super::device_trial::{FoundDevice, TrialTerms};
use super::earlier_issues;
use super::options::JobOptions;
use super::progress::{Progress, Silent};
use super::running::{JobSources, Outcome, Running};
use clearsweep_base::error::Result;
use clearsweep_broad::BroadPhase;
use clearsweep_model::{Scene, SceneOverrides};
use clearsweep_records::manifest::Adapter;
use clearsweep_tables::RowSink;
use clearsweep_trajectory::{PoseSource, ReadOptions, Reading};
use std::path::Path;
use std::time::Instant;

/// A job on a scene: poses in, rows out.
#[must_use]
pub struct Job<'a> {
    scene: &'a Scene,
    options: JobOptions,
    sources: JobSources<PoseSource<'a>>,
    progress: &'a dyn Progress,
    cancel: CancelToken,
}

impl<'a> Job<'a> {
    /// A job with every default, which reads the files that the scene names.
    pub fn new(scene: &'a Scene) -> Self {
        Self {
            scene,
            options: JobOptions::default(),
            sources: JobSources::new(PoseSource::files()),
            progress: &Silent,
            cancel: CancelToken::new(),
        }
    }

    /// Sets how to compute, and which runs and frames.
    pub fn options(self, options: JobOptions) -> Self {
        Self { options, ..self }
    }

    /// Sets the source of the poses.
    pub fn poses(self, poses: PoseSource<'a>) -> Self {
        Self { sources: JobSources { poses, ..self.sources }, ..self }
    }

    /// Searches with this broad phase, as if it were that of a device: for tests.
    #[doc(hidden)]
    pub fn search_with(self, broad: Box<dyn BroadPhase>) -> Self {
        Self { sources: JobSources { broad: Some(broad), ..self.sources }, ..self }
    }

    /// Tries this broad phase from the first batch on, as if it were that of a device whose time
    /// counts `handicap` times: for tests.
    #[doc(hidden)]
    pub fn try_device(self, broad: Box<dyn BroadPhase>, handicap: f64) -> Self {
        let adapter = Adapter { name: "given".to_owned(), ..Adapter::default() };
        let open = Box::new(move || Ok(FoundDevice { broad, adapter }));
        let trial = Some(TrialTerms::of_test(open, handicap));
        Self { sources: JobSources { trial, ..self.sources }, ..self }
    }

    /// Sets the receiver of progress.
    pub fn progress(self, progress: &'a dyn Progress) -> Self {
        Self { progress, ..self }
    }

    /// Sets the token that cancels the job.
    pub fn cancel(self, token: &CancelToken) -> Self {
        Self { cancel: token.clone(), ..self }
    }

    /// Runs the job, and hands all rows to `sink`, in order.
    ///
    /// # Errors
    /// Options that do not fit, an input that does not fit the contract, the first error of the
    /// sink, or [`clearsweep_base::ErrorKind::Cancelled`]. The sink is then told to abort.
    pub fn run(self, sink: &mut dyn RowSink) -> Result<Outcome> {
        let begun = Instant::now();
        let Self { scene: whole, options, sources, progress, cancel } = self;
        // A shard has no issues that count: the merge compares them.
        let previous = options.previous.as_deref().filter(|_| options.shard.is_none());
        let following = previous.map(|previous| earlier_issues::following(whole, previous)).transpose();
        let following = following.inspect_err(|_| sink.abort())?;
        let whole = following.as_ref().unwrap_or(whole);
        let found = baselines::find(whole, sources.poses, &options, &cancel).inspect_err(|_| sink.abort())?;
        let (compared, poses) = found;
        let (scene, runs_with) = compared.as_ref().map_or((whole, &[][..]), |found| (&found.scene, &found.runs_with));
        let of_shard = options.shard.map(|_| baselines::of_shard(scene.clone(), &options.read));
        let running = Running {
            scene: of_shard.as_ref().unwrap_or(scene),
            whole,
            options: &options,
            from_files: poses.is_files(),
            progress,
            cancel: &cancel,
            begun,
            runs_with: Some(runs_with),
        };
        running.start(JobSources { poses, ..sources }, sink)
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
    /// Those of [`clearsweep_scene::load_scene`]. [`Job::run`] reports the faults of the
    /// trajectories.
    pub fn load(path: &Path, overrides: &SceneOverrides, options: &ReadOptions) -> Result<Self> {
        let mut reading = None;
        let scene = clearsweep_scene::load_scene_and_tell(path, overrides, |outline| {
            reading = Reading::begin(outline, options)
        })?;
        Ok(Self { scene, reading })
    }

    /// A job on the scene; the first one goes on with the reading that has begun.
    pub fn job(&mut self) -> Job<'_> {
        let job = Job::new(&self.scene);
        Job { sources: JobSources { reading: self.reading.take(), ..job.sources }, ..job }
    }
}
