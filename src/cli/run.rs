//! `clearsweep run`: all distances of a scene.

use super::args::{ColumnsArg, DeviceArg, RunArgs};
use super::args_input::{InputArgs, ProgressArg};
use super::exit::ProgramEnd;
use super::{diagnostics, exit, files, interrupt, machine, notes, pipe, progress, report, stdout, summary, text};
use clearsweep::{Error, ErrorKind, Result};
use clearsweep_engine::{CancelToken, Device, JobOptions, Loaded, Outcome, RunVerdict, check_device};
use clearsweep_engine::{RemoteResult, ShardPosition, StoodOrWritten, run_shard, shard_folder};
use clearsweep_model::{Scene, SceneOverrides};
use clearsweep_records::manifest::{Manifest, Summary, summary_json};
use clearsweep_store::{Location, local, location};
use clearsweep_tables::{DistanceColumns, DistanceStream, ParquetTables, RowSink};
use clearsweep_trajectory::ReadOptions;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The flags of a run, lowered.
pub(super) struct Config {
    pub(super) input: Input,
    pub(super) job: JobOptions,
    /// The directory; `None`: `distances` go to stdout.
    out: Option<PathBuf>,
    pub(super) force: bool,
    pub(super) resume: bool,
    /// The shard that is computed.
    shard: Option<ShardPosition>,
    /// The page for people.
    report: Option<PathBuf>,
    progress: ProgressArg,
    json: bool,
}

/// The flags that say which input is taken, lowered.
pub(crate) struct Input {
    scene: PathBuf,
    pub(super) overrides: SceneOverrides,
    /// Which runs and frames.
    pub(crate) read: ReadOptions,
}

impl Input {
    /// `out`: the directory of the output, beside which streams are copied to, unless a flag says
    /// otherwise.
    ///
    /// # Errors
    /// Stdin is to be read, and is a terminal.
    pub(crate) fn new(args: InputArgs, out: Option<&Path>) -> Result<Self> {
        let InputArgs {
            scene,
            trajectories,
            temp,
            within,
            require,
            accepted,
            direction,
            answer,
            contacts,
            between,
            runs,
            frames,
            max_input,
        } = args;
        let stream = trajectories.as_deref().filter(|path| pipe::is_dash(path)).map(|_| pipe::stdin()).transpose()?;
        let max_input = max_input.map(|bytes| bytes.0);
        let overrides = SceneOverrides {
            trajectories,
            within,
            require,
            direction,
            answer,
            contacts,
            between,
            accepted,
            threads: None,
            max_input,
            for_audit: false,
            poses_follow: false,
        };
        let read = ReadOptions {
            first_frames: false,
            part: None,
            path: None,
            stream,
            temp: temp.or_else(|| out.and_then(beside)),
            columns: None,
            runs: runs.map(|span| span.0),
            frames: frames.map(|span| span.0),
        };
        Ok(Self { scene, overrides, read })
    }

    /// Loads the scene, and begins to read its trajectories.
    pub(super) fn load(&self) -> Result<Loaded> {
        Loaded::load(&self.scene, &self.overrides, &self.read)
    }

    /// The path of the scene.
    pub(super) fn scene(&self) -> &Path {
        &self.scene
    }

    /// Loads the scene, with its ignore rules.
    pub(crate) fn load_scene(&self) -> Result<Scene> {
        clearsweep_scene::load_scene(&self.scene, &self.overrides)
    }
}

/// The nearest directory above one that need not exist.
///
/// `None`: the output goes to an object store.
fn beside(out: &Path) -> Option<PathBuf> {
    let out = match location(out) {
        Ok(Location::Local(out)) => out,
        _ => return None,
    };
    let above = out.ancestors().skip(1).find(|above| above.is_dir());
    Some(above.filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_owned())
}

impl Config {
    pub(super) fn new(args: RunArgs) -> Result<Self> {
        let is_stream = pipe::is_dash(&args.out);
        let of_directory = [("--force", args.force), ("--resume", args.resume), ("--shard", args.shard.is_some())];
        if let Some((flag, _)) = of_directory.into_iter().find(|(_, given)| is_stream && *given) {
            let problem = "is of no use with `--out -`: a stream is neither replaced nor gone on with, nor divided";
            return Err(Error::usage(flag, problem, "leave it out, or give a directory"));
        }
        if is_stream && args.report.is_some() {
            let problem = "is of no use with `--out -`: a report is made of the tables";
            return Err(Error::usage("--report", problem, "leave it out, or give a directory"));
        }
        if is_stream && args.previous.is_some() {
            let problem = "is of no use with `--out -`: ids of issues stand in the tables";
            return Err(Error::usage("--previous", problem, "leave it out, or give a directory"));
        }
        let out = (!is_stream).then_some(args.out);
        let mut input = Input::new(args.input, out.as_deref())?;
        if args.resume && input.read.stream.is_some() {
            let problem = "is of no use with `--trajectories -`: a stream cannot be read again";
            return Err(Error::usage("--resume", problem, "write the stream to a file, and give that"));
        }
        if let Some(report) = &args.report {
            check_report(&input, report, (out.as_deref(), args.force))?;
        }
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
            previous: args.previous,
            shard: None,
            peak_memory: Some(machine::peak_memory),
        };
        let shard = args.shard.map(|shard| shard.position(|name| std::env::var(name).ok())).transpose()?;
        let RunArgs { force, resume, report, progress, json, .. } = args;
        Ok(Self { input, job, out, force, resume, shard, report, progress, json })
    }
}

/// Fails if the page of a run could not be written once its tables are.
fn check_report(input: &Input, report: &Path, (out, force): (Option<&Path>, bool)) -> Result<()> {
    if input.read.stream.is_some() {
        let problem = "is of no use with `--trajectories -`: the poses of a stream cannot be read again";
        return Err(Error::usage("--report", problem, "write the stream to a file, and give that"));
    }
    out.map_or(Ok(()), |out| files::check_beside(report, out))?;
    files::check_target(report, force)
}

/// Runs the job, and prints what it found.
pub(crate) fn run(args: RunArgs) -> Result<ProgramEnd> {
    let Config { input, job, out, force, resume, shard, report, progress, json } = Config::new(args)?;
    check_device(&job)?;
    match out {
        Some(out) if let Some(position) = shard => one_shard(&input, job, (position, &out), progress, json),
        Some(out) => to_tables(&input, job, (&out, force, resume), report.as_deref(), progress, json),
        None => to_stdout(&input, job, progress, json),
    }
}

/// Writes the tables to a directory.
fn to_tables(
    input: &Input,
    job: JobOptions,
    (out, force, resume): (&Path, bool, bool),
    report: Option<&Path>,
    progress: ProgressArg,
    json: bool,
) -> Result<ProgramEnd> {
    let remote = RemoteResult::prepare(out, job.read.temp.as_deref(), force)?;
    if remote.is_some() && resume {
        let problem = "is of no use with an object store: the tables are copied there when they are whole";
        return Err(Error::usage("--resume", problem, "give a directory, or divide the job: --shard I/N"));
    }
    let dir = remote.as_ref().map_or_else(|| local(out), |remote| Ok(remote.dir()))?;
    let mut loaded = input.load()?;
    let mut tables = ParquetTables::new(&dir).force(force && remote.is_none()).resume(resume);
    let token = CancelToken::new();
    let outcome = match compute(&mut loaded, job, (progress, &token), &mut tables) {
        Err(error) if error.kind == ErrorKind::Cancelled => {
            return Ok(if tables.is_kept() { ProgramEnd::InterruptedAndKept } else { ProgramEnd::Interrupted });
        }
        Err(error) if tables.is_kept() => {
            let remedy = format!("{}; what was written is kept: --resume goes on with it", error.remedy);
            return Err(Error { remedy, ..error });
        }
        outcome => outcome?,
    };
    let manifest = Manifest::of_json(&outcome.manifest)?;
    notes::of_run(&manifest);
    // The tables are whole, whatever becomes of the page.
    let page = report.map(|path| report::page_of_run(&dir, &manifest, path, force));
    remote.map_or(Ok(()), |remote| remote.publish(&token))?;
    let mut printed = match json {
        true => stdout::print_json(summary_json(&outcome.manifest)),
        false => stdout::print(&summary::text(&manifest, Some(out))),
    };
    if let Some((path, page)) = report.zip(page) {
        let line = |bytes: u64| format!("report  {} to {}\n", text::bytes(bytes), path.display());
        printed = printed.and(page).and_then(|bytes| if json { Ok(()) } else { stdout::print(&line(bytes)) });
    }
    // The process ends: the system takes its memory back faster than piece by piece.
    std::mem::forget(loaded);
    exit::printed(printed, end(&outcome))
}

/// Computes a shard, unless it stands already. It has no verdict of its own: that is of the merged
/// result.
fn one_shard(
    input: &Input,
    job: JobOptions,
    (position, into): (ShardPosition, &Path),
    progress: ProgressArg,
    json: bool,
) -> Result<ProgramEnd> {
    let scene = input.load_scene()?;
    let shown = progress::shown(progress);
    let token = CancelToken::new();
    let cancelled = token.clone();
    interrupt::at_first(move || cancelled.cancel());
    let done = match run_shard(&scene, job, position, into, &shown, &token) {
        Err(error) if error.kind == ErrorKind::Cancelled => return Ok(ProgramEnd::Interrupted),
        done => done?,
    };
    drop(shown);
    let (manifest, stood) = done.manifest();
    let manifest = Manifest::of_json(manifest)?;
    if !stood {
        notes::of_run(&manifest);
    }
    match json {
        true => stdout::print_json(&shard_json(&done, position, into)?)?,
        false => stdout::print(&shard_text(&manifest.summary, &into.join(shard_folder(position)), stood))?,
    }
    std::mem::forget((scene, done));
    Ok(ProgramEnd::Clear)
}

/// The outcome of a shard as an object.
pub(super) fn shard_json(done: &StoodOrWritten, position: ShardPosition, into: &Path) -> Result<Value> {
    let (manifest, stood) = done.manifest();
    let summary = Manifest::of_json(manifest)?.summary;
    Ok(serde_json::json!({
        "shard": position.index,
        "shards": position.count,
        "path": into.join(shard_folder(position)).display().to_string(),
        "stood": stood,
        "frames": summary.frames,
        "rows": summary.rows,
        "seconds": summary.seconds,
    }))
}

fn shard_text(summary: &Summary, path: &Path, stood: bool) -> String {
    let (frames, rows) = (text::counted(summary.frames, "frame"), text::counted(summary.rows, "row"));
    match stood {
        true => format!("{} stands already: {frames}, {rows}\n", path.display()),
        false => format!("{}: {frames}, {rows} in {}\n", path.display(), text::seconds(summary.seconds)),
    }
}

/// Writes `distances` to stdout, and all else to stderr.
fn to_stdout(input: &Input, job: JobOptions, progress: ProgressArg, json: bool) -> Result<ProgramEnd> {
    let (target, is_broken) = pipe::stdout()?;
    let mut loaded = input.load()?;
    let token = CancelToken::new();
    let outcome = match compute(&mut loaded, job, (progress, &token), &mut DistanceStream::new(target)) {
        Err(_) if is_broken() => return Ok(ProgramEnd::BrokenPipe),
        Err(error) if error.kind == ErrorKind::Cancelled => return Ok(ProgramEnd::InterruptedStream),
        outcome => outcome?,
    };
    let manifest = Manifest::of_json(&outcome.manifest)?;
    notes::of_run(&manifest);
    match json {
        true => diagnostics::print_line(summary_json(&outcome.manifest)),
        false => stdout::print_to_stderr(&summary::text(&manifest, None)),
    }
    std::mem::forget(loaded);
    Ok(end(&outcome))
}

/// Runs the job, and shows its progress.
pub(super) fn compute(
    loaded: &mut Loaded,
    job: JobOptions,
    (progress, token): (ProgressArg, &CancelToken),
    sink: &mut dyn RowSink,
) -> Result<Outcome> {
    let shown = progress::shown(progress);
    // Before this nothing is written, and an interrupt may end the program at once.
    let cancelled = token.clone();
    interrupt::at_first(move || cancelled.cancel());
    // The display goes, with its bar, before anything else is printed.
    loaded.job().options(job).progress(&shown).cancel(token).run(sink)
}

/// The end of a program whose job is done.
fn end(outcome: &Outcome) -> ProgramEnd {
    match () {
        () if outcome.verdict == RunVerdict::NothingChecked => ProgramEnd::NothingChecked,
        () if outcome.is_violated() => ProgramEnd::Violated,
        () if outcome.is_uncertified() => ProgramEnd::Uncertified,
        () => ProgramEnd::Clear,
    }
}
