//! `clearsweep run`: all distances of a scene.

use super::args::{ColumnsArg, DeviceArg, InputArgs, ProgressArg, RunArgs};
use super::exit::ProgramEnd;
use super::{device_note, exit, interrupt, machine, progress, stdout, summary, warnings};
use clearsweep::{Error, ErrorKind, Result};
use clearsweep_engine::{CancelToken, Device, JobOptions, Loaded, RunVerdict, check_device};
use clearsweep_scene::{IgnoreRule, Scene, SceneOverrides};
use clearsweep_tables::{DistanceColumns, ParquetTables};
use clearsweep_trajectory::ReadOptions;

/// The flags of a run, lowered.
pub(super) struct Config {
    pub(super) input: Input,
    pub(super) job: JobOptions,
    out: std::path::PathBuf,
    pub(super) force: bool,
    pub(super) resume: bool,
    progress: ProgressArg,
    json: bool,
}

/// The flags that say which input is taken, lowered.
pub(crate) struct Input {
    scene: std::path::PathBuf,
    pub(super) overrides: SceneOverrides,
    /// Which runs and frames.
    pub(crate) read: ReadOptions,
}

impl From<InputArgs> for Input {
    fn from(args: InputArgs) -> Self {
        let InputArgs { scene, trajectories, within, require, direction, between, runs, frames, max_input } = args;
        let max_input = max_input.map(|bytes| bytes.0);
        let overrides = SceneOverrides { trajectories, within, require, direction, between, threads: None, max_input };
        let read = ReadOptions { path: None, runs: runs.map(|span| span.0), frames: frames.map(|span| span.0) };
        Self { scene, overrides, read }
    }
}

impl Input {
    /// Loads the scene, and begins to read its trajectories.
    fn load(&self) -> Result<Loaded> {
        Loaded::load(&self.scene, &self.overrides, &self.read)
    }

    /// Loads the scene, with its ignore rules.
    pub(crate) fn load_with_rules(&self) -> Result<(Scene, Vec<IgnoreRule>)> {
        Scene::load_with_rules(&self.scene, &self.overrides)
    }
}

impl From<RunArgs> for Config {
    fn from(args: RunArgs) -> Self {
        let mut input = Input::from(args.input);
        input.overrides.threads = args.threads.map(|threads| threads.0);
        let job = JobOptions {
            read: input.read.clone(),
            broad: args.broad,
            narrow: args.narrow,
            device: match args.device {
                DeviceArg::Auto => Device::Auto,
                DeviceArg::Cpu => Device::Cpu,
                DeviceArg::Gpu => Device::Gpu,
            },
            adapter: args.adapter,
            device_memory: args.device_memory.map(|bytes| bytes.0),
            threads: args.threads.map(|threads| threads.0),
            memory: args.memory.map_or_else(machine::default_memory, |bytes| bytes.0),
            columns: match args.columns {
                ColumnsArg::All => DistanceColumns::All,
                ColumnsArg::Distance => DistanceColumns::Distance,
            },
            allow_empty: args.allow_empty,
            peak_memory: Some(machine::peak_memory),
        };
        let RunArgs { out, force, resume, progress, json, .. } = args;
        Self { input, job, out, force, resume, progress, json }
    }
}

/// Runs the job, and prints what it found.
pub(crate) fn run(args: RunArgs) -> Result<ProgramEnd> {
    let Config { input, job, out, force, resume, progress, json } = Config::from(args);
    check_device(&job)?;
    let mut loaded = input.load()?;
    let shown = progress::shown(progress);
    let mut tables = ParquetTables::new(&out).force(force).resume(resume);
    // Before this nothing is written, and an interrupt may end the program at once.
    let token = CancelToken::new();
    let cancelled = token.clone();
    interrupt::at_first(move || cancelled.cancel());
    let outcome = loaded.job().options(job).progress(&shown).cancel(&token).run(&mut tables);
    drop(shown); // takes the bar away before anything else is printed
    let outcome = match outcome {
        Err(error) if error.kind == ErrorKind::Cancelled => {
            return Ok(if tables.is_kept() { ProgramEnd::InterruptedAndKept } else { ProgramEnd::Interrupted });
        }
        Err(error) if tables.is_kept() => {
            let remedy = format!("{}; what was written is kept: --resume goes on with it", error.remedy);
            return Err(Error { remedy, ..error });
        }
        outcome => outcome?,
    };
    warnings::say(&outcome.manifest);
    device_note::say(&outcome.manifest);
    let printed = match json {
        true => stdout::print_json(&outcome.manifest["summary"]),
        false => stdout::print(&summary::text(&outcome.manifest, &out)),
    };
    // The process ends: the system takes its memory back faster than piece by piece.
    std::mem::forget(loaded);
    let end = match () {
        () if outcome.verdict == RunVerdict::NothingChecked => ProgramEnd::NothingChecked,
        () if outcome.is_violated() => ProgramEnd::Violated,
        () if outcome.is_uncertified() => ProgramEnd::Uncertified,
        () => ProgramEnd::Clear,
    };
    exit::printed(printed, end)
}
