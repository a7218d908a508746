//! Subcommands for a front end in another language: the same words as on the command line, and the
//! object of `--json` as a value.

use super::args::{Cli, Command};
use super::exit::ProgramEnd;
use super::run::Config;
use clap::Parser;
use clearsweep::{Error, Result};
use clearsweep_datasets::Dataset;
use clearsweep_engine::{Checked, JobOptions, ShardPosition, StoodOrWritten, check_device};
use clearsweep_model::{Scene, SceneOverrides};
use clearsweep_trajectory::PlannedShard;
use serde_json::Value;
use std::cell::RefCell;
use std::ffi::OsString;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Stops a call from another thread.
#[derive(Clone, Default)]
pub struct StopHandle(Arc<Mutex<StopState>>);

#[derive(Default)]
struct StopState {
    is_stopped: bool,
    stop: Option<Box<dyn Fn() + Send>>,
}

impl StopHandle {
    /// Stops the call, now or as soon as it can be stopped.
    pub fn stop(&self) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.is_stopped = true;
        if let Some(stop) = &state.stop {
            stop();
        }
    }

    fn set(&self, stop: impl Fn() + Send + 'static) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.is_stopped {
            stop();
        }
        state.stop = Some(Box::new(stop));
    }
}

/// A call in progress on this thread.
struct Call {
    stop: StopHandle,
    printed: Option<Value>,
}

thread_local! {
    static CALL: RefCell<Option<Call>> = const { RefCell::new(None) };
}

/// The options of `run`, lowered.
pub struct RunOptions {
    /// Values that replace those of the scene.
    pub overrides: SceneOverrides,
    /// How to compute, and which runs and frames.
    pub job: JobOptions,
    /// `--force`.
    pub force: bool,
    /// `--resume`.
    pub resume: bool,
}

/// Lowers options of `run`, as words of the command line.
///
/// # Errors
/// Words that `run` does not know, and options that do not fit this build.
pub fn run_options(words: impl IntoIterator<Item = OsString>) -> Result<RunOptions> {
    let fixed = ["run", "scene", "--out", "out"].map(OsString::from);
    let Command::Run(args) = parse(fixed.into_iter().chain(words))? else {
        return Err(Error::internal("arguments", "another subcommand than `run`"));
    };
    let Config { input, job, force, resume, .. } = Config::new(args)?;
    check_device(&job)?;
    Ok(RunOptions { overrides: input.overrides, job, force, resume })
}

/// Parses the words of a subcommand.
fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Command> {
    let words = std::iter::once("clearsweep".into()).chain(words);
    let parsed = Cli::try_parse_from(words).map_err(|error| {
        let text = error.to_string();
        let problem = text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
        Error::usage("arguments", problem, "see docs/reference/command-line.md")
    })?;
    Ok(parsed.command)
}

/// Runs a subcommand that has `--json`, given its words without the name of the program, and
/// returns the object that it would print.
///
/// # Errors
/// Those of the subcommand, and words that it does not know.
pub fn call(words: impl IntoIterator<Item = OsString>, stop: &StopHandle) -> Result<Value> {
    let command = parse(words.into_iter().chain(["--json".into()]))?;
    CALL.set(Some(Call { stop: stop.clone(), printed: None }));
    let done = super::run_command(command);
    let printed = CALL.take().and_then(|call| call.printed);
    Dataset::go_on();
    match done? {
        ProgramEnd::Interrupted | ProgramEnd::InterruptedAndKept | ProgramEnd::InterruptedHalfway => {
            Err(Error::cancelled())
        }
        _ => printed.ok_or_else(|| Error::internal("call", "the subcommand printed no object")),
    }
}

/// Keeps `value` if a call is in progress on this thread; `false`: it is to be printed.
pub(super) fn take_json(value: &Value) -> bool {
    CALL.with_borrow_mut(|call| call.as_mut().map(|call| call.printed = Some(value.clone())).is_some())
}

/// Hands `stop` to the call in progress on this thread; if there is none, gives it back for
/// signals.
pub(super) fn take_stop<F: Fn() + Send + 'static>(stop: F) -> Option<F> {
    CALL.with_borrow(|call| match call {
        Some(call) => {
            call.stop.set(stop);
            None
        }
        None => Some(stop),
    })
}

/// The object of `check --json`.
pub fn checked_json(scene: &Scene, checked: &Checked) -> Value {
    super::check::as_json(scene, checked)
}

/// The object of `plan --json`.
pub fn plan_json(shards: &[PlannedShard]) -> Value {
    super::plan::as_json(shards)
}

/// The object of `run --shard --json`.
pub fn shard_json(done: &StoodOrWritten, position: ShardPosition, into: &Path) -> Result<Value> {
    super::run::shard_json(done, position, into)
}
