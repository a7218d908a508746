//! Poses from memory: record batches, and arrays of a simulation.
//!
//! A batch is a [`Source`] like a file, so that columns, units, values and order are checked by the
//! same code. Batches of which the bounds are unknown are kept until all are there, since the
//! lattice of the broad phase spans the whole input. With bounds given, or guessed from the first
//! batches, they pass one by one: a thread of the job takes them from the iterator of the caller,
//! which may borrow, and hands them to the reading thread.

#[cfg(feature = "ndarray")]
use super::array::PoseArray;
#[cfg(feature = "ndarray")]
use super::bounds::of_joint_values;
use super::bounds_and_steps;
use super::column_format::ColumnFormat;
#[cfg(feature = "ndarray")]
use super::joint_array::JointArray;
use super::read_options::ReadOptions;
use super::source::Source;
use super::stream_batch::{StreamBatch, StreamMessage, batch_name};
use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use clearsweep_base::error::{Error, Result};
use clearsweep_model::{Bounds, Scene};
use crossbeam_channel::{Receiver, Sender, bounded};
use std::sync::Arc;

/// Batches that may wait for the reading thread.
const WAITING: usize = 2;

/// Source of the poses of a job: files, Arrow record batches, or an array in memory.
///
/// Batches have the columns of a trajectory file (`frame`, `body`, `x`, `y`, `z`, `qw`, `qx`, `qy`,
/// `qz`; `run` and `time_s` if wanted) or those that `[columns]` names, in order of (run, frame);
/// lengths are in the unit of the scene unless a field says otherwise.
pub struct PoseSource<'a>(MemoryBatches<'a>);

type BatchIter<'a> = Box<dyn Iterator<Item = std::result::Result<RecordBatch, ArrowError>> + Send + 'a>;

enum MemoryBatches<'a> {
    Files,
    Batches(BatchIter<'a>, BatchBounds),
    #[cfg(feature = "ndarray")]
    Array(PoseArray<'a>),
    #[cfg(feature = "ndarray")]
    JointArray(JointArray<'a>),
}

/// The bounds of the origins in batches.
#[derive(Clone, Copy)]
enum BatchBounds {
    /// To be found once all batches are kept.
    Unknown,
    /// To be found in the first batches, of so many bytes.
    OfFirst(usize),
    /// Metres.
    Given(Bounds),
}

impl Default for PoseSource<'_> {
    fn default() -> Self {
        Self::files()
    }
}

impl<'a> PoseSource<'a> {
    /// The files that the scene or the [`ReadOptions`](super::ReadOptions) name.
    pub fn files() -> Self {
        Self(MemoryBatches::Files)
    }

    /// Record batches, which are kept until the last one is there; [`Self::bounded`] lets them pass
    /// one by one.
    pub fn batches<I>(batches: I) -> Self
    where
        I: IntoIterator<Item = RecordBatch>,
        I::IntoIter: Send + 'a,
    {
        Self::fallible_batches(batches.into_iter().map(Ok))
    }

    /// As [`Self::batches`], of a reader that may fail.
    pub fn fallible_batches<I>(batches: I) -> Self
    where
        I: IntoIterator<Item = std::result::Result<RecordBatch, ArrowError>>,
        I::IntoIter: Send + 'a,
    {
        Self(MemoryBatches::Batches(Box::new(batches.into_iter()), BatchBounds::Unknown))
    }

    /// An array of poses over samples and bodies.
    #[cfg(feature = "ndarray")]
    pub fn array(array: PoseArray<'a>) -> Self {
        Self(MemoryBatches::Array(array))
    }

    /// An array of joint values over samples and joints.
    #[cfg(feature = "ndarray")]
    pub fn joint_array(array: JointArray<'a>) -> Self {
        Self(MemoryBatches::JointArray(array))
    }

    /// Lets batches pass one by one: all body origins are expected within these bounds (metres).
    /// Rows are the same whatever the bounds are; positions outside of them only cost time. Files
    /// and arrays find bounds of their own.
    #[must_use]
    pub fn bounded(self, bounds: Bounds) -> Self {
        match self.0 {
            MemoryBatches::Batches(batches, _) => Self(MemoryBatches::Batches(batches, BatchBounds::Given(bounds))),
            other => Self(other),
        }
    }

    /// Keeps at most so many bytes of batches: if more come, the bounds are guessed from those,
    /// with a wide margin. Rows are the same.
    #[doc(hidden)]
    #[must_use]
    pub fn keeping(self, bytes: usize) -> Self {
        match self.0 {
            MemoryBatches::Batches(batches, _) => Self(MemoryBatches::Batches(batches, BatchBounds::OfFirst(bytes))),
            other => Self(other),
        }
    }

    /// The same poses, to be read two times. Batches are kept until both are done.
    ///
    /// # Errors
    /// The reader of the batches failed.
    #[doc(hidden)]
    pub fn twice(self) -> Result<[Self; 2]> {
        match self.0 {
            MemoryBatches::Files => Ok([Self::files(), Self::files()]),
            MemoryBatches::Batches(batches, bounds) => {
                let kept = batches.zip(0..).map(|(batch, number)| received(number, batch));
                let kept: Vec<RecordBatch> = kept.collect::<Result<_>>()?;
                let again = kept.clone();
                let source = |batches: Vec<RecordBatch>| -> BatchIter<'a> { Box::new(batches.into_iter().map(Ok)) };
                Ok([kept, again].map(|batches| Self(MemoryBatches::Batches(source(batches), bounds))))
            }
            #[cfg(feature = "ndarray")]
            MemoryBatches::Array(array) => Ok([Self::array(array.clone()), Self::array(array)]),
            #[cfg(feature = "ndarray")]
            MemoryBatches::JointArray(array) => Ok([Self::joint_array(array.clone()), Self::joint_array(array)]),
        }
    }

    /// Whether the poses are read from files.
    #[doc(hidden)]
    pub fn is_files(&self) -> bool {
        matches!(self.0, MemoryBatches::Files)
    }

    /// Calls `run` with the poses of `scene`, and feeds it meanwhile; `stop` is asked before each
    /// batch.
    ///
    /// # Errors
    /// The poses do not fit the scene as a whole, a batch that is kept does not fit, or the error
    /// of `run`.
    #[doc(hidden)]
    pub fn feed<T>(
        self,
        scene: &Scene,
        options: &ReadOptions,
        stop: &(dyn Fn() -> Result<()> + Sync),
        run: impl FnOnce(Feed) -> Result<T>,
    ) -> Result<T> {
        if !self.is_files() && scene.dynamic.is_empty() {
            let problem = "poses are handed to the job, but every body is static: nothing moves";
            return Err(Error::usage(scene.path.display(), problem, "hand no poses over, or make a body dynamic"));
        }
        options.swept(scene, !self.is_files())?;
        let format = ColumnFormat::of_scene(scene, options);
        match self.0 {
            MemoryBatches::Files => run(Feed(FeedKind::Files)),
            MemoryBatches::Batches(batches, BatchBounds::Given(bounds)) if !format.has_pieces => {
                check(&bounds)?;
                stream(batches.zip(0..).map(named), (Some(bounds), format), stop, run)
            }
            MemoryBatches::Batches(mut batches, bounds) => {
                let most = match bounds {
                    // Pieces of splines are read whole.
                    BatchBounds::OfFirst(bytes) if !format.has_pieces => bytes,
                    _ => usize::MAX,
                };
                let (mut sources, mut kept, mut bytes) = (Vec::new(), Vec::new(), 0);
                while bytes <= most {
                    stop()?;
                    let number = kept.len() as u64;
                    let Some(batch) = batches.next() else { return run(Feed(FeedKind::Whole(sources.into()))) };
                    let batch = received(number, batch)?;
                    bytes += batch.get_array_memory_size();
                    kept.push(Ok(batch.clone()));
                    sources.push(Source::of_batch(number, batch, &format, sources.last())?);
                }
                let guessed = bounds_and_steps(scene, &sources)?.0.map(widened);
                drop(sources);
                stream(kept.into_iter().chain(batches).zip(0..).map(named), (guessed, format), stop, run)
            }
            #[cfg(feature = "ndarray")]
            MemoryBatches::Array(_) if scene.joints.is_some() => {
                let problem = "an array of poses is handed to the job, but joints carry the bodies";
                Err(Error::usage(scene.path.display(), problem, "hand over the joints' values: an array, or batches"))
            }
            #[cfg(feature = "ndarray")]
            MemoryBatches::Array(array) => {
                array.check()?;
                let bounds = array.bounds(scene.unit);
                // Its batches have the names of the format.
                let format = ColumnFormat { names: Arc::default(), ..format };
                stream(array.chunks(), (bounds, format), stop, run)
            }
            #[cfg(feature = "ndarray")]
            MemoryBatches::JointArray(_) if format.has_pieces => {
                let problem = "an array of joint values is handed to the job, but between = \"spline\"";
                Err(Error::usage(
                    scene.path.display(),
                    problem,
                    "hand batches of pieces over, or write between = \"joint\"",
                ))
            }
            #[cfg(feature = "ndarray")]
            MemoryBatches::JointArray(array) => {
                let Some(joints) = &scene.joints else {
                    let problem = "an array of joint values is handed to the job, but the scene has no joints";
                    return Err(Error::usage(scene.path.display(), problem, "hand over poses, or add joints"));
                };
                // Its keys have the names of the format.
                let format = ColumnFormat { names: Arc::new(format.names.of_joints_only()), ..format };
                let (bounds, _) = of_joint_values(joints, &array.greatest(&format)?);
                stream(array.chunks(), (bounds, format), stop, run)
            }
        }
    }
}

/// A batch with its name.
fn named((batch, number): (std::result::Result<RecordBatch, ArrowError>, u64)) -> Result<StreamBatch> {
    let batch = received(number, batch)?;
    Ok(StreamBatch { first_row: 0, name: Arc::from(batch_name(number)), rows: None, batch })
}

/// The bounds of a whole stream, guessed from those of its first batches: 256 times as wide about
/// the same middle. The lattice then has still 2^24 cells across the first batches.
fn widened(first: Bounds) -> Bounds {
    const FACTOR: f64 = 256.0;
    let half = (0..3).map(|axis| first.max[axis] - first.min[axis]).fold(0.0, f64::max) / 2.0 * FACTOR;
    let end = |axis: usize, by: f64| (first.min[axis] / 2.0 + first.max[axis] / 2.0 + by).clamp(-f64::MAX, f64::MAX);
    Bounds { min: [0, 1, 2].map(|axis| end(axis, -half)), max: [0, 1, 2].map(|axis| end(axis, half)) }
}

fn received(number: u64, batch: std::result::Result<RecordBatch, ArrowError>) -> Result<RecordBatch> {
    batch.map_err(|error| {
        let remedy = "see what the reader of the batches says";
        Error::input(batch_name(number), format!("could not be read ({error})"), remedy)
    })
}

/// Refuses bounds that span nothing.
fn check(bounds: &Bounds) -> Result<()> {
    let fine = |axis: usize| {
        let (low, high) = (bounds.min[axis], bounds.max[axis]);
        low.is_finite() && high.is_finite() && low <= high
    };
    if (0..3).all(fine) {
        return Ok(());
    }
    let problem = format!("{:?} to {:?} are no bounds", bounds.min, bounds.max);
    Err(Error::usage("bounds of the batches", problem, "give finite metres, the lowest of each axis first"))
}

/// The input of a job.
pub struct Feed(pub(super) FeedKind);

/// See [`Feed`].
pub(super) enum FeedKind {
    /// Files.
    Files,
    /// All batches.
    Whole(Arc<[Source]>),
    /// Batches that are still to come, whose columns are called so, within bounds (metres; `None`:
    /// there is no position at all).
    Stream(Receiver<StreamMessage>, ColumnFormat, Option<Bounds>),
}

/// Calls `run` with a stream that a thread fills from `batches`.
fn stream<T>(
    batches: impl Iterator<Item = Result<StreamBatch>> + Send,
    (bounds, format): (Option<Bounds>, ColumnFormat),
    stop: &(dyn Fn() -> Result<()> + Sync),
    run: impl FnOnce(Feed) -> Result<T>,
) -> Result<T> {
    let (sender, receiver) = bounded(WAITING);
    std::thread::scope(|scope| {
        let feeder = std::thread::Builder::new().name("clearsweep-feed".to_owned());
        let feeder = feeder.spawn_scoped(scope, move || fill(batches, &sender, stop));
        let feeder = feeder.map_err(|error| Error::no_thread(&error));
        let done = feeder.and_then(|feeder| Ok((run(Feed(FeedKind::Stream(receiver, format, bounds)))?, feeder)));
        // The receiver is gone by now, so the feeder ends with its next batch. A panic of the
        // iterator is passed on.
        let (value, feeder) = done?;
        match feeder.join() {
            Ok(()) => Ok(value),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// Sends all batches, until nobody takes them or one is wrong.
fn fill(
    batches: impl Iterator<Item = Result<StreamBatch>>,
    sender: &Sender<StreamMessage>,
    stop: &(dyn Fn() -> Result<()> + Sync),
) {
    for batch in batches {
        let batch = stop().and(batch);
        let is_last = batch.is_err();
        if sender.send(Some(batch)).is_err() || is_last {
            return;
        }
    }
    let _ = sender.send(None);
}
