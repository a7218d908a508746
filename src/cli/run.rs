//! `clearsweep run`: all distances of a scene.

use super::args::{ColumnsArg, DeviceArg, InputArgs, ProgressArg, RunArgs};
use super::exit::Done;
use super::{machine, progress, stdout, summary};
use clearsweep::Result;
use clearsweep::engine::{Device, JobOptions, Loaded};
use clearsweep::scene::{IgnoreRule, Scene, SceneOverrides};
use clearsweep::table::DistanceColumns;
use clearsweep::trajectory::ReadOptions;

/// The flags of a run, lowered.
struct Config {
    input: Input,
    job: JobOptions,
    progress: ProgressArg,
    json: bool,
}

/// The flags that say which input is taken, lowered.
pub(crate) struct Input {
    scene: std::path::PathBuf,
    overrides: SceneOverrides,
    /// Which runs and frames.
    pub(crate) read: ReadOptions,
}

impl From<InputArgs> for Input {
    fn from(args: InputArgs) -> Self {
        let InputArgs { scene, trajectories, within, require, runs, frames } = args;
        let overrides = SceneOverrides { trajectories, within, require };
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
        let input = Input::from(args.input);
        let job = JobOptions {
            read: input.read.clone(),
            broad: args.broad,
            narrow: args.narrow,
            device: match args.device {
                DeviceArg::Auto => Device::Auto,
                DeviceArg::Cpu => Device::Cpu,
                DeviceArg::Gpu => Device::Gpu,
            },
            threads: args.threads.map(|threads| threads.0),
            memory: args.memory.map_or_else(machine::default_memory, |bytes| bytes.0),
            columns: match args.columns {
                ColumnsArg::All => DistanceColumns::All,
                ColumnsArg::Distance => DistanceColumns::Distance,
            },
            force: args.force,
            peak_memory: Some(machine::peak_memory),
            ..JobOptions::new(args.out)
        };
        Self { input, job, progress: args.progress, json: args.json }
    }
}

/// Runs the job, and prints what it found.
pub(crate) fn run(args: RunArgs) -> Result<Done> {
    let config = Config::from(args);
    config.job.device.resolve()?;
    let mut loaded = config.input.load()?;
    let shown = progress::shown(config.progress);
    let outcome = loaded.run(&config.job, &shown);
    drop(shown); // takes the bar away before anything else is printed
    let outcome = outcome?;
    if config.json {
        stdout::print_json(&outcome.manifest["summary"])?;
    } else {
        stdout::print(&summary::text(&outcome.manifest, &config.job.out))?;
    }
    // The process ends: the system takes its memory back faster than piece by piece.
    std::mem::forget(loaded);
    Ok(match () {
        () if outcome.is_violated() => Done::Violated,
        () if outcome.is_uncertified() => Done::Uncertified,
        () => Done::Clear,
    })
}
