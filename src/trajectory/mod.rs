//! READ: trajectories as a stream of blocks.
//!
//! One line through the stage: `files` finds the files (directory, glob, hive levels); `source` opens each (a
//! `parquet_file`, or an `ipc_file` once `preflight::ipc_messages` checked it; `columns` finds the columns); `bounds` takes the
//! bounds of all positions from the column statistics, or scans them; then, on a thread of its own (`reading`: it may begin
//! before the scene is there), `stream` walks the groups of rows, `decode` turns each batch of rows into
//! slots and metres, and `assemble` puts the rows of a sample together and lays them out in blocks (`stage` does the
//! transposition). `memory` and `array` put batches and arrays of a caller in the place of files. `digest` hashes the
//! files meanwhile. `sort` puts files that are out of order into one that is not.
//!
//! Memory is bounded whatever the input's length: a batch of rows, and a few blocks ahead of their consumer.
//!
//! The decoders are not trusted: what they allocate is bounded by the file's size, and should one panic on hostile
//! bytes, the panic becomes an error that names the file and row group (`preflight`).
//!
//! *Architecture invariant*: with `table`, the only stage that names arrow or parquet.

#[cfg(feature = "ndarray")]
mod array;
mod assemble;
mod bounds;
mod columns;
mod decode;
mod digest;
mod files;
mod ipc_file;
mod memory;
mod parquet_file;
mod reading;
mod roster;
mod sort;
mod source;
mod stage;
mod stream;

#[cfg(feature = "ndarray")]
pub use array::PoseArray;
pub use digest::Inputs;
pub(crate) use memory::Feed;
pub use memory::PoseSource;
pub use reading::Reading;
pub use sort::{SortOptions, SortPhase, SortStep, Sorted, sort};
pub use stream::Spares;

use crate::error::{Error, Result};
use crate::scene::model::LengthUnit;
use crate::scene::{FrameBlock, Missing, Scene};
use memory::FeedKind;
use reading::{ReadTask, Request};
use roster::Roster;
use source::Source;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// What to read.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// Overrides the trajectories of the scene.
    pub path: Option<PathBuf>,
    /// Only these runs (key values).
    pub runs: Option<Range<i64>>,
    /// Only these frames (key values).
    pub frames: Option<Range<i64>>,
}

/// Bounds of the positions of the whole input (whatever runs and frames are chosen), metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// Lowest x, y, z.
    pub min: [f64; 3],
    /// Highest x, y, z.
    pub max: [f64; 3],
}

/// An opened and checked input.
pub struct Trajectory {
    /// Bounds of body origins as read (not recentred) over the whole input; `None` where there is no row at all.
    pub bounds: Option<Bounds>,
    /// The files in reading order, with their digests once they are hashed: clone this handle before `blocks`, and ask
    /// it when the blocks are done.
    pub inputs: Inputs,
    /// Rows in all files.
    pub rows: u64,
    plan: Plan,
    progress: Arc<AtomicU64>,
    reading: Reading,
}

/// Which samples are read, and which rows they need.
#[derive(Debug, Clone, Default, PartialEq)]
struct Choice {
    missing: Missing,
    runs: Option<Range<i64>>,
    frames: Option<Range<i64>>,
}

impl Choice {
    fn new(missing: Missing, options: &ReadOptions) -> Self {
        Self { missing, runs: options.runs.clone(), frames: options.frames.clone() }
    }

    /// Whether a sample is chosen by its key.
    fn has(&self, run: i64, frame: i64) -> bool {
        contains(self.runs.as_ref(), run) && contains(self.frames.as_ref(), frame)
    }
}

/// What the reading thread needs, independent of the scene's lifetime.
struct Plan {
    sources: Arc<[Source]>,
    /// The path given, as a shell takes it; `None`: the input is in memory.
    input: Option<String>,
    roster: Arc<Roster>,
    frame_rate: Option<f64>,
    choice: Choice,
    /// No input and no dynamic body: one sample (0, 0).
    single_sample: bool,
    spares: Spares,
}

/// Whether `range` (all values, if there is none) holds `value`.
fn contains(range: Option<&Range<i64>>, value: i64) -> bool {
    range.is_none_or(|range| range.contains(&value))
}

impl Trajectory {
    /// Opens the input of `scene`, checks the schema of every file, and finds the bounds: from the column statistics
    /// of each row group, or by a scan of its positions where those are missing.
    ///
    /// A scene without dynamic bodies and without trajectories gives one sample (0, 0) without time.
    ///
    /// # Errors
    /// Any file that is missing, unreadable or does not fit the contract; a scene with dynamic bodies but without
    /// trajectories.
    pub fn open(scene: &Scene, options: &ReadOptions) -> Result<Self> {
        Self::open_begun(scene, options, None)
    }

    /// As [`Trajectory::open`], where reading has begun already. If it turned out to be of something else, that is
    /// dropped.
    ///
    /// # Errors
    /// As for [`Trajectory::open`].
    pub fn open_begun(scene: &Scene, options: &ReadOptions, begun: Option<Reading>) -> Result<Self> {
        let path = options.path.as_deref().or(scene.trajectories.as_deref());
        if path.is_none() && !scene.dynamic.is_empty() {
            return Err(Error::input(
                scene.path.display(),
                "has dynamic bodies but names no trajectories",
                "set `trajectories` in [scene], give --trajectories PATH, or mark the bodies `static = true`; in code: \
                 hand poses to the job",
            ));
        }
        let choice = Choice::new(scene.missing, options);
        let request = path.map(|path| Request::new(path, scene.unit, choice.clone()));
        let reading = match begun.filter(|begun| begun.is_of(request.as_ref())) {
            Some(begun) => begun,
            None => Reading::start(ReadTask::Files(request))?,
        };
        let sources = reading.opened()?;
        let bounds = bounds::of(&sources)?;
        Ok(Self::new(scene, choice, (reading, sources), bounds, path))
    }

    /// As [`Trajectory::open`], of poses that may come from memory; `begun` holds for files only.
    ///
    /// # Errors
    /// As for [`Trajectory::open`]; batches that are still to come are checked as they come.
    pub(crate) fn open_fed(scene: &Scene, options: &ReadOptions, feed: Feed, begun: Option<Reading>) -> Result<Self> {
        let choice = Choice::new(scene.missing, options);
        let (task, announced) = match feed.0 {
            FeedKind::Files => return Self::open_begun(scene, options, begun),
            FeedKind::Whole(sources) => (ReadTask::Whole(sources, choice.clone()), None),
            FeedKind::Stream(batches, bounds) => (ReadTask::Stream(batches, scene.unit), bounds),
        };
        let reading = Reading::start(task)?;
        let sources = reading.opened()?;
        let bounds = bounds::of(&sources)?.or(announced);
        Ok(Self::new(scene, choice, (reading, sources), bounds, None))
    }

    fn new(
        scene: &Scene,
        choice: Choice,
        (reading, sources): (Reading, Arc<[Source]>),
        bounds: Option<Bounds>,
        path: Option<&Path>,
    ) -> Self {
        let files = sources.iter().filter(|source| !source.is_memory());
        Self {
            bounds,
            inputs: Inputs::new(files.map(|source| (source.path.to_path_buf(), source.bytes)).collect()),
            rows: sources.iter().map(|source| source.rows).sum(),
            plan: Plan {
                sources,
                input: path.map(quoted),
                roster: Arc::new(Roster::new(scene)),
                frame_rate: scene.frame_rate,
                choice,
                single_sample: scene.dynamic.is_empty() && path.is_none(),
                spares: Spares::default(),
            },
            progress: Arc::default(),
            reading,
        }
    }

    /// The blocks, in order of (run, frame), decoded ahead on a thread of its own. Every block but the last is full.
    ///
    /// Items are errors at most once, last: a row that does not fit the contract, or a file that cannot be decoded.
    /// Dropping the iterator early ends the thread.
    pub fn blocks(self) -> Box<dyn Iterator<Item = Result<FrameBlock>> + Send> {
        Box::new(stream::Blocks::start(self.plan, self.reading, self.progress))
    }

    /// Where blocks go that are no longer needed: take it before `blocks`.
    pub fn spares(&self) -> Spares {
        self.plan.spares.clone()
    }

    /// Share of the chosen input read so far, in thousandths, for progress: take it before `blocks`.
    pub fn progress(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.progress)
    }
}

/// A path as a word of a command line.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "/\\._-+=:,@%".contains(c);
    if !text.is_empty() && text.chars().all(plain) { text } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

/// Opens every file of `path`, in reading order: by first key, then by path. Lengths are in `unit` unless a field says
/// otherwise.
fn open_sources(path: &Path, unit: LengthUnit) -> Result<Vec<Source>> {
    open_while(path, unit, &|| true)
}

/// As [`open_sources`], as long as somebody `wants` them; what was opened until then is no answer.
fn open_while(path: &Path, unit: LengthUnit, wants: &dyn Fn() -> bool) -> Result<Vec<Source>> {
    let mut sources = Vec::new();
    for found in files::find(path)? {
        if !wants() {
            return Ok(Vec::new());
        }
        sources.push(Source::open(&found, unit)?);
    }
    if sources.len() < 2 {
        return Ok(sources);
    }
    let mut keyed = Vec::with_capacity(sources.len());
    for source in sources {
        // Files without rows have no first key: they go last.
        let key = source.first_key()?;
        keyed.push(((key.is_none(), key), source));
    }
    // Stable, and the files were sorted by path.
    keyed.sort_by_key(|(key, _)| *key);
    Ok(keyed.into_iter().map(|(_, source)| source).collect())
}
