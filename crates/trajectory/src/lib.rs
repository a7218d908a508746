//! READ: trajectories as a stream of blocks.
//!
//! One line through the stage: `files` finds the files (directory, glob, hive levels), by a `walk`,
//! and `spool` copies a stream or a pipe to a temporary file, since rows are read twice. `source`
//! opens each by its `input_bytes` (a `parquet_file`, an `ipc_file` once
//! `clearsweep_input_guard::ipc_messages` checked it, or a `csv_file`); `columns` finds the columns
//! in the `file_schema`, by the names and units that the scene gives (`column_format`) or by those
//! of the format. `bounds` takes the bounds of all positions from the column statistics, or scans
//! them. Then, on a thread of its own (`reading`: it may begin before the scene is there), `stream`
//! walks the groups of rows, and `decode` turns each batch into `rows`: slots (`body_column`),
//! seconds, metres and quaternions (`rest_turns` turns those that count from a file). `assemble`
//! puts the rows of a sample together and samples into blocks; `pose_samples` holds the poses
//! (`carry`: nodes take along what is below them; `stage` does the transposition), and `followed`
//! gives each block the first sample of the next one. `memory` and `array` (its numbers:
//! `array_view`) put batches and arrays of a caller in the place of files. `digest` hashes the
//! files meanwhile.
//!
//! Values of joints take the same line: `joint_columns` finds their columns, `frame_numbers`
//! numbers rows that have no frame, and `joint_samples` poses the bodies by them. A sweep, and
//! splines, make values at frames (`made_rows`): `splines` puts these together from rows of pieces
//! (`piece_columns`, `piece_rows`), which are read whole. `shard_plan` divides an input among
//! machines, each of which reads a `read_part`. `sort` puts files that are out of order into one
//! that is not.
//!
//! Memory is bounded whatever the input's length: a batch of rows, and a few blocks ahead of their
//! consumer; rows of joint values without frames take 8 bytes each.
//!
//! The decoders are not trusted: what they allocate is bounded by the file's size, and should one
//! panic on hostile bytes, the panic becomes an error that names the file and row group
//! (`clearsweep_input_guard`).
//!
//! *Architecture invariant*: with `table`, the only stage that names arrow or parquet.

#[cfg(feature = "ndarray")]
mod array;
#[cfg(feature = "ndarray")]
mod array_view;
mod assemble;
mod block_pool;
mod body_column;
mod body_index;
mod bounds;
mod carry;
mod column_format;
mod column_remedies;
mod columns;
mod csv_file;
mod decode;
mod digest;
mod expected;
mod file_schema;
mod files;
mod followed;
mod frame_numbers;
mod group;
mod input_bytes;
mod ipc_file;
#[cfg(feature = "ndarray")]
mod joint_array;
mod joint_columns;
mod joint_samples;
mod levels;
mod made_rows;
mod memory;
mod open;
mod parquet_file;
mod piece_columns;
mod piece_rows;
mod plan;
mod pose_columns;
mod pose_samples;
mod read_options;
mod read_part;
mod reading;
mod rest_turns;
mod returning;
mod row_label;
mod rows;
#[cfg(feature = "ndarray")]
mod sample_keys;
mod shard_plan;
mod sort;
mod source;
mod splines;
mod spool;
mod stage;
mod stated_bounds;
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
#[cfg(feature = "ndarray")]
pub use joint_array::JointArray;
pub use memory::Feed;
pub use memory::PoseSource;
pub use read_options::ReadOptions;
pub use read_part::ReadPart;
pub use reading::Reading;
pub use shard_plan::{PlannedShard, ShardPlan, plan_shards};
pub use sort::{SortOptions, SortPhase, SortStep, Sorted, sort};
pub use spool::InputStream;

use arrow_schema::DataType;
use body_index::BodyIndex;
use clearsweep_base::error::{Error, Result};
use clearsweep_base::text::shell_word;
use clearsweep_geometry::angles::ANGLES_ROUNDING_RAD;
use clearsweep_model::single_step;
use clearsweep_model::{FrameBlock, PoseSteps, Scene};
use column_format::ColumnFormat;
use columns::ColumnContent;
use file_schema::Column;
use made_rows::Made;
use memory::FeedKind;
use open::InputPlace;
use plan::{Choice, Plan};
use pose_columns::{Orientation, PoseColumns};
use reading::{ReadTask, Request};
use source::Source;
use stated_bounds::StatedBounds;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

/// The rounding steps of poses of these bounds as files store them.
fn steps(sources: &[Source], bounds: Option<Bounds>) -> Result<PoseSteps> {
    let mut all = PoseSteps::default();
    for source in sources {
        let ColumnContent::Poses(poses) = &source.columns.content else { continue };
        let PoseColumns { position, units, orientation, .. } = &**poses;
        let is_single = |column: &Column| *source.schema.field(column.index).data_type() == DataType::Float32;
        let step = |axis: usize| {
            let largest = bounds.map_or(0.0, |bounds| bounds.min[axis].abs().max(bounds.max[axis].abs()));
            let unit = units[axis];
            unit.metres(single_step(largest / unit.metres(1.0)))
        };
        let position_m = (0..3).filter(|&axis| is_single(&position[axis])).map(step).fold(0.0, f64::max);
        let turn_rad = match orientation {
            Orientation::Quaternion(columns) if columns.iter().any(is_single) => PoseSteps::TURN_RAD,
            Orientation::Quaternion(_) | Orientation::None { .. } => 0.0,
            Orientation::Angles(columns) => {
                let mut turn = ANGLES_ROUNDING_RAD;
                for angle in columns.iter().flatten().filter(|angle| is_single(&angle.column)) {
                    turn += angle.unit.radians(single_step(bounds::largest(source, &angle.column)?));
                }
                turn
            }
        };
        all = all.max(PoseSteps { position_m, turn_rad });
    }
    Ok(all)
}

/// The bounds of all origins of an input, and the rounding steps of its poses.
fn bounds_and_steps(scene: &Scene, sources: &[Source]) -> Result<(Option<Bounds>, PoseSteps)> {
    match &scene.joints {
        Some(joints) => bounds::of_joints(joints, sources),
        None => {
            let bounds = bounds::of(sources)?;
            Ok((bounds, steps(sources, bounds)?))
        }
    }
}

/// An opened and checked input.
pub struct Trajectory {
    /// Bounds of body origins as read (not recentred) over the whole input; `None` where there is
    /// no row at all.
    pub bounds: Option<Bounds>,
    /// The rounding steps of the poses as the input stores them, over the whole input; `None`:
    /// batches of it are still to come.
    pub pose_steps: Option<PoseSteps>,
    /// The files in reading order, with their digests once they are hashed: clone this handle
    /// before `blocks`, and ask it when the blocks are done.
    pub inputs: Inputs,
    /// Rows in all files: of poses, of values of joints, or of pieces of their motions.
    pub rows: u64,
    /// Bytes of streams that were copied to a temporary file.
    pub spooled_bytes: u64,
    /// Whether the times are dates, and count from 1970-01-01 00:00 UTC. Batches that are still to
    /// come do not count.
    pub has_dates: bool,
    plan: Plan,
    progress: Arc<AtomicU64>,
    reading: Reading,
}

impl Trajectory {
    /// Opens the input of `scene`, checks the schema of every file, and finds the bounds: from the
    /// column statistics of each row group, or by a scan of its positions where those are missing.
    ///
    /// A scene without dynamic bodies and without trajectories gives one sample (0, 0) without
    /// time.
    ///
    /// # Errors
    /// Any file that is missing, unreadable or does not fit the contract; a scene with dynamic
    /// bodies but without trajectories.
    pub fn open(scene: &Scene, options: &ReadOptions) -> Result<Self> {
        Self::open_begun(scene, options, None)
    }

    /// As [`Trajectory::open`], where reading has begun already. If it turned out to be of
    /// something else, that is dropped.
    ///
    /// # Errors
    /// As for [`Trajectory::open`].
    pub fn open_begun(scene: &Scene, options: &ReadOptions, begun: Option<Reading>) -> Result<Self> {
        Self::open_files(scene, options, begun, &|| Ok(()))
    }

    /// As [`Trajectory::open_begun`]; `stop` is asked while a stream keeps it waiting.
    fn open_files(
        scene: &Scene,
        options: &ReadOptions,
        begun: Option<Reading>,
        stop: &dyn Fn() -> Result<()>,
    ) -> Result<Self> {
        if scene.joints.is_some() && scene.dynamic.is_empty() {
            return Err(Error::input(
                scene.path.display(),
                "the joints move no body: no link behind a joint that moves has collision geometry",
                "give one a body (in a robot description its collision geometry, not its visual one), or remove the joints",
            ));
        }
        let choice = Choice::new(scene.missing, options);
        if let Some(made) = options.made(scene)? {
            return Self::of_made(scene, choice, made, stop);
        }
        let format = ColumnFormat::of_scene(scene, options);
        let sort_scene = (!scene.columns.is_default() && options.columns.is_none()).then_some(&*scene.path);
        let request = Request::new(scene.trajectories.as_deref(), format, options, choice.clone());
        if request.is_none() && !scene.dynamic.is_empty() {
            return Err(Error::input(
                scene.path.display(),
                "has dynamic bodies but names no trajectories",
                "set `trajectories` in [scene], give --trajectories PATH, or mark the bodies `static = true`; in code: \
                 hand poses to the job",
            ));
        }
        let command = request.as_ref().map(|request| sort_command(request, sort_scene));
        let reading = match begun.filter(|begun| begun.is_of(request.as_ref())) {
            Some(begun) => begun,
            None => Reading::start(ReadTask::Files(request))?,
        };
        let sources = reading.opened(stop)?;
        let (bounds, pose_steps) = bounds_and_steps(scene, &sources)?;
        Ok(Self { pose_steps: Some(pose_steps), ..Self::new(scene, choice, (reading, sources), bounds, command) })
    }

    /// An input in memory that is there as a whole.
    fn of_reading(scene: &Scene, choice: Choice, reading: Reading, stop: &dyn Fn() -> Result<()>) -> Result<Self> {
        let sources = reading.opened(stop)?;
        let (bounds, pose_steps) = bounds_and_steps(scene, &sources)?;
        Ok(Self { pose_steps: Some(pose_steps), ..Self::new(scene, choice, (reading, sources), bounds, None) })
    }

    /// An input whose rows a sweep or splines make.
    fn of_made(scene: &Scene, choice: Choice, made: Made, stop: &dyn Fn() -> Result<()>) -> Result<Self> {
        let task = ReadTask::Whole([made.source].into(), choice.clone());
        let mut trajectory = Self::of_reading(scene, choice, Reading::start(task)?, stop)?;
        if let Some(read) = made.splines {
            trajectory.plan.splines = Some(read.splines);
            trajectory.inputs = Inputs::new(read.files);
            trajectory.spooled_bytes = read.spooled_bytes;
            trajectory.rows = read.rows;
        }
        Ok(trajectory)
    }

    /// As [`Trajectory::open`], of poses that may come from memory; `begun` holds for files only.
    /// `stop` is asked while a stream of bytes keeps it waiting.
    ///
    /// # Errors
    /// As for [`Trajectory::open`]; batches that are still to come are checked as they come.
    pub fn open_fed(
        scene: &Scene,
        options: &ReadOptions,
        feed: Feed,
        begun: Option<Reading>,
        stop: &dyn Fn() -> Result<()>,
    ) -> Result<Self> {
        let choice = Choice::new(scene.missing, options);
        let is_stream = matches!(feed.0, FeedKind::Stream(..));
        let (task, announced) = match feed.0 {
            FeedKind::Files => return Self::open_files(scene, options, begun, stop),
            FeedKind::Whole(sources) => match Made::of_batches(scene, &sources)? {
                Some(made) => return Self::of_made(scene, choice, made, stop),
                None => (ReadTask::Whole(sources, choice.clone()), None),
            },
            FeedKind::Stream(batches, format, bounds) => (ReadTask::Stream(batches, format), bounds),
        };
        let reading = Reading::start(task)?;
        if !is_stream {
            return Self::of_reading(scene, choice, reading, stop);
        }
        let sources = reading.opened(stop)?;
        let (bounds, pose_steps) = (announced, None);
        Ok(Self { pose_steps, ..Self::new(scene, choice, (reading, sources), bounds, None) })
    }

    fn new(
        scene: &Scene,
        choice: Choice,
        (reading, sources): (Reading, Arc<[Source]>),
        bounds: Option<Bounds>,
        sort_command: Option<String>,
    ) -> Self {
        let single_sample = scene.dynamic.is_empty() && sort_command.is_none();
        let place = sources.first().map_or_else(|| "the rows".to_owned(), |source| source.path.display().to_string());
        let spooled = sources.iter().filter(|source| source.is_spooled());
        Self {
            bounds,
            pose_steps: None,
            spooled_bytes: spooled.map(|source| source.size).sum(),
            has_dates: !sources.is_empty() && sources.iter().all(Source::has_dates),
            inputs: Inputs::new(sources.iter().filter_map(Source::file).filter(|_| sort_command.is_some()).collect()),
            rows: sources.iter().map(|source| source.rows).sum(),
            plan: Plan {
                sources,
                sort_command,
                body_index: Arc::new(BodyIndex::new(scene)),
                joints: scene.joints.clone(),
                splines: None,
                frame_rate: scene.frame_rate,
                motion: scene.motion,
                bounds: StatedBounds::new(scene, place),
                choice,
                single_sample,
                block_pool: BlockPool::default(),
                unturned: Arc::default(),
                numbered: Arc::default(),
            },
            progress: Arc::default(),
            reading,
        }
    }

    /// Compares the runs and the frames of the whole input with what `scene` expects: its keys are
    /// read for that, before any block.
    ///
    /// # Errors
    /// They differ; keys cannot be read; batches of the input are still to come.
    pub fn check_expected(&self, scene: &Scene) -> Result<()> {
        if self.pose_steps.is_none() && scene.expected.is_of_trajectories() {
            let problem = "[expect] has `runs` or `frames`, and batches of a stream are counted only as they come";
            let remedy = "write the stream to a file, or remove both from [expect]";
            return Err(Error::usage(scene.path.display(), problem, remedy));
        }
        expected::check(scene, &self.plan.sources)
    }

    /// The blocks, in order of (run, frame), decoded ahead on a thread of its own. Every block but
    /// the last is full.
    ///
    /// Items are errors at most once, last: a row that does not fit the contract, or a file that
    /// cannot be decoded. Dropping the iterator early ends the thread.
    pub fn blocks(self) -> Box<dyn Iterator<Item = Result<FrameBlock>> + Send> {
        Box::new(stream::Blocks::start(self.plan, self.reading, self.progress))
    }

    /// As [`Self::blocks`], each with the sample that follows it in its run, which takes one more
    /// block ahead.
    pub fn followed_blocks(self) -> Box<dyn Iterator<Item = Result<FrameBlock>> + Send> {
        let Self { mut plan, reading, progress, .. } = self;
        let (part, rule, bounds) = (plan.choice.part.clone(), plan.motion, plan.bounds.take());
        let blocks = stream::Blocks::start(plan, reading, progress);
        Box::new(followed::FollowedBlocks::new(blocks, part, rule, bounds))
    }

    /// Returns the pool for blocks that are no longer needed: take it before `blocks`.
    pub fn block_pool(&self) -> BlockPool {
        self.plan.block_pool.clone()
    }

    /// Set once rows come without an orientation, if the scene does not say that there is none:
    /// take it before `blocks`.
    pub fn unturned(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.plan.unturned)
    }

    /// Set once rows come without a frame, which are numbered by time: take it before `blocks`.
    pub fn numbered(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.plan.numbered)
    }

    /// Share of the chosen input read so far, in thousandths, for progress: take it before
    /// `blocks`.
    pub fn progress(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.progress)
    }
}

/// Command that sorts the rows of an input, for messages; `scene`: the scene that names the
/// columns.
fn sort_command(request: &Request, scene: Option<&Path>) -> String {
    let scene = scene.map_or(String::new(), |scene| format!(" --scene {}", shell_word(scene)));
    match &request.place {
        InputPlace::Path(path) => {
            format!("`clearsweep sort {} sorted.parquet{scene}`, and use that file", shell_word(path))
        }
        InputPlace::Stream(_) => {
            format!("write the stream to a file, `clearsweep sort FILE sorted.parquet{scene}`, and use that")
        }
    }
}
