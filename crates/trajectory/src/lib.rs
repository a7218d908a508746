//! READ: trajectories as a stream of blocks.
//!
//! One line through the stage: `files` finds the files (directory, glob, hive levels), by a `walk`; `source` opens each (a
//! `parquet_file`, an `ipc_file` once `clearsweep_input_guard::ipc_messages` checked it, or a `csv_file`; `columns` finds the columns); `bounds` takes the
//! bounds of all positions from the column statistics, or scans them; then, on a thread of its own (`reading`: it may begin
//! before the scene is there), `stream` walks the groups of rows, `decode` turns each batch of rows into
//! slots and metres, and `assemble` puts the rows of a sample together (`carry`: nodes
//! take along what is below them) and lays them out in blocks (`stage` does the transposition; `followed` gives each the
//! first sample of the next one). `memory` and `array` (its numbers: `array_view`) put batches and arrays of a caller in the place of files. `digest` hashes the
//! files meanwhile. `sort` puts files that are out of order into one that is not.
//!
//! Memory is bounded whatever the input's length: a batch of rows, and a few blocks ahead of their consumer.
//!
//! The decoders are not trusted: what they allocate is bounded by the file's size, and should one panic on hostile
//! bytes, the panic becomes an error that names the file and row group (`clearsweep_input_guard`).
//!
//! *Architecture invariant*: with `table`, the only stage that names arrow or parquet.

#[cfg(feature = "ndarray")]
mod array;
#[cfg(feature = "ndarray")]
mod array_view;
mod assemble;
mod block_pool;
mod body_index;
mod bounds;
mod carry;
mod columns;
mod csv_file;
mod decode;
mod digest;
mod files;
mod followed;
mod group;
mod ipc_file;
mod memory;
mod open;
mod parquet_file;
mod plan;
mod reading;
mod returning;
mod row_label;
mod sort;
mod source;
mod stage;
mod stream;
mod stream_batch;
mod walk;

#[cfg(feature = "ndarray")]
pub use array::PoseArray;
#[cfg(feature = "ndarray")]
#[doc(hidden)]
pub use array_view::{PoseLayout, PoseNumbers};
pub use block_pool::BlockPool;
pub use clearsweep_model::Bounds;
pub use digest::{InputFile, Inputs};
pub use memory::Feed;
pub use memory::PoseSource;
pub use plan::ReadOptions;
pub use reading::Reading;
pub use sort::{SortOptions, SortPhase, SortStep, Sorted, sort};

use arrow_schema::DataType;
use body_index::BodyIndex;
use clearsweep_base::error::{Error, Result};
use clearsweep_scene::readers::single_step;
use clearsweep_scene::{FrameBlock, PoseSteps, Scene};
use memory::FeedKind;
use plan::{Choice, Plan};
use reading::{ReadTask, Request};
use source::Source;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// The rounding steps of poses of these bounds as files store them.
fn steps(sources: &[Source], bounds: Option<Bounds>) -> PoseSteps {
    let of_source = |source: &Source| {
        let is_single =
            |axis: usize| *source.schema.field(source.columns.pose[axis].index).data_type() == DataType::Float32;
        let step = |axis: usize| {
            let largest = bounds.map_or(0.0, |bounds| bounds.min[axis].abs().max(bounds.max[axis].abs()));
            let unit = source.columns.units[axis];
            unit.metres(single_step(largest / unit.metres(1.0)))
        };
        PoseSteps {
            position_m: (0..3).filter(|&axis| is_single(axis)).map(step).fold(0.0, f64::max),
            turn_rad: if (3..7).any(is_single) { PoseSteps::TURN_RAD } else { 0.0 },
        }
    };
    sources.iter().map(of_source).fold(PoseSteps::default(), PoseSteps::max)
}

/// An opened and checked input.
pub struct Trajectory {
    /// Bounds of body origins as read (not recentred) over the whole input; `None` where there is no row at all.
    pub bounds: Option<Bounds>,
    /// The rounding steps of the poses as the input stores them, over the whole input; `None`: batches of it are still to
    /// come.
    pub pose_steps: Option<PoseSteps>,
    /// The files in reading order, with their digests once they are hashed: clone this handle before `blocks`, and ask
    /// it when the blocks are done.
    pub inputs: Inputs,
    /// Rows in all files.
    pub rows: u64,
    plan: Plan,
    progress: Arc<AtomicU64>,
    reading: Reading,
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
        let pose_steps = Some(steps(&sources, bounds));
        Ok(Self { pose_steps, ..Self::new(scene, choice, (reading, sources), bounds, path) })
    }

    /// As [`Trajectory::open`], of poses that may come from memory; `begun` holds for files only.
    ///
    /// # Errors
    /// As for [`Trajectory::open`]; batches that are still to come are checked as they come.
    pub fn open_fed(scene: &Scene, options: &ReadOptions, feed: Feed, begun: Option<Reading>) -> Result<Self> {
        let choice = Choice::new(scene.missing, options);
        let is_stream = matches!(feed.0, FeedKind::Stream(..));
        let (task, announced) = match feed.0 {
            FeedKind::Files => return Self::open_begun(scene, options, begun),
            FeedKind::Whole(sources) => (ReadTask::Whole(sources, choice.clone()), None),
            FeedKind::Stream(batches, bounds) => (ReadTask::Stream(batches, scene.unit), bounds),
        };
        let reading = Reading::start(task)?;
        let sources = reading.opened()?;
        let bounds = bounds::of(&sources)?.or(announced);
        let pose_steps = (!is_stream).then(|| steps(&sources, bounds));
        Ok(Self { pose_steps, ..Self::new(scene, choice, (reading, sources), bounds, None) })
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
            pose_steps: None,
            inputs: Inputs::new(files.map(Source::file).collect()),
            rows: sources.iter().map(|source| source.rows).sum(),
            plan: Plan {
                sources,
                input: path.map(quoted),
                body_index: Arc::new(BodyIndex::new(scene)),
                frame_rate: scene.frame_rate,
                choice,
                single_sample: scene.dynamic.is_empty() && path.is_none(),
                block_pool: BlockPool::default(),
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

    /// As [`Self::blocks`], each with the sample that follows it in its run, which takes one more block ahead.
    pub fn followed_blocks(self) -> Box<dyn Iterator<Item = Result<FrameBlock>> + Send> {
        Box::new(followed::FollowedBlocks::new(stream::Blocks::start(self.plan, self.reading, self.progress)))
    }

    /// Returns the pool for blocks that are no longer needed: take it before `blocks`.
    pub fn block_pool(&self) -> BlockPool {
        self.plan.block_pool.clone()
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
