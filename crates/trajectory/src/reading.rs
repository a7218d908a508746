//! The reading thread, which may begin before the scene is there: files are opened, and the first
//! rows decoded, while geometry is still being built. Which body a row is of is asked only when the
//! bodies are known.

use super::column_format::ColumnFormat;
use super::decode;
use super::group::Group;
use super::open::{InputPlace, open};
use super::plan::{Choice, Plan, matters};
use super::read_options::ReadOptions;
use super::rows::Defects;
use super::source::{GroupReader, Source};
use super::stream_batch::{BATCH_ROWS, StreamMessage};
use arrow_array::RecordBatch;
use clearsweep_base::error::{Error, Result};
use clearsweep_model::{FrameBlock, SceneHeader};
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, TryRecvError, bounded};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// Bytes decoded before the bodies are known: the first blocks of most scenes.
const EARLY: usize = 4 << 20;

/// The input to be read, as far as it matters before the bodies are known.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Request {
    pub(super) place: InputPlace,
    format: ColumnFormat,
    /// Directory to which streams are copied.
    temp: Option<PathBuf>,
    choice: Choice,
}

impl Request {
    /// `None`: there is nothing to read. `trajectories`: those of the scene.
    pub(super) fn new(
        trajectories: Option<&Path>,
        format: ColumnFormat,
        options: &ReadOptions,
        choice: Choice,
    ) -> Option<Self> {
        let path = options.path.as_deref().or(trajectories);
        let place = match &options.stream {
            Some(stream) => InputPlace::Stream(stream.clone()),
            None => InputPlace::Path(path?.to_path_buf()),
        };
        Some(Self { place, format, temp: options.temp.clone(), choice })
    }
}

/// The input that the thread works on.
pub(super) enum ReadTask {
    /// Files, if there are any.
    Files(Option<Request>),
    /// Batches in memory.
    Whole(Arc<[Source]>, Choice),
    /// Batches that are still to come, whose columns are called so.
    Stream(Receiver<StreamMessage>, ColumnFormat),
}

/// The data that the thread needs for the rows.
pub(super) struct Order {
    pub(super) plan: Plan,
    pub(super) sender: Sender<Result<FrameBlock>>,
    pub(super) progress: Arc<AtomicU64>,
    /// Set when all is sent: a channel that closes without it was left by a panic.
    pub(super) complete: Arc<AtomicBool>,
}

/// Reading that has begun. Dropped, it ends its thread, and waits for that: for one file to be
/// opened, or one batch of rows to be decoded.
pub struct Reading {
    request: Option<Request>,
    opened: Receiver<Result<Arc<[Source]>>>,
    /// Taken to let the thread go.
    orders: Option<Sender<Order>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Reading {
    /// Begins to read what a scene file names, before the scene is loaded; what is wrong with it is
    /// said by [`super::Trajectory::open_begun`]. `None`: there is nothing to read, or no thread to
    /// be had.
    pub fn begin(outline: &SceneHeader, options: &ReadOptions) -> Option<Self> {
        let format = ColumnFormat::of(outline.unit, &outline.columns, options);
        let choice = Choice::new(outline.missing, options);
        let request = Request::new(outline.trajectories.as_deref(), format, options, choice)?;
        Self::start(ReadTask::Files(Some(request))).ok()
    }

    /// Starts the thread.
    ///
    /// # Errors
    /// There is no thread to be had.
    pub(super) fn start(task: ReadTask) -> Result<Self> {
        let request = match &task {
            ReadTask::Files(request) => request.clone(),
            ReadTask::Whole(..) | ReadTask::Stream(..) => None,
        };
        let (sender, opened) = bounded(1);
        let (orders, receiver) = bounded(1);
        let stop = Arc::new(AtomicBool::new(false));
        let work = {
            let stop = Arc::clone(&stop);
            move || work(task, &sender, &receiver, &stop)
        };
        let thread = std::thread::Builder::new().name("clearsweep-read".to_owned()).spawn(work);
        let thread = thread.map_err(|error| Error::no_thread(&error))?;
        Ok(Self { request, opened, orders: Some(orders), stop, thread: Some(thread) })
    }

    /// Whether it reads what is asked for.
    pub(super) fn is_of(&self, request: Option<&Request>) -> bool {
        self.request.as_ref() == request
    }

    /// Waits until the files are open, and asks `stop` meanwhile: a stream may keep it waiting.
    /// Asked once.
    ///
    /// # Errors
    /// The files cannot be found or opened, or that of `stop`.
    pub(super) fn opened(&self, stop: &dyn Fn() -> Result<()>) -> Result<Arc<[Source]>> {
        /// How often `stop` is asked.
        const ASK: Duration = Duration::from_millis(20);
        loop {
            match self.opened.recv_timeout(ASK) {
                Ok(opened) => return opened,
                Err(RecvTimeoutError::Timeout) => stop()?,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Error::internal("opening the trajectories", "the reading thread panicked"));
                }
            }
        }
    }

    /// Lets the thread go on to the rows; one order is taken.
    pub(super) fn order(&mut self, order: Order) {
        // Taken, so that an order which a panic leaves in the channel goes with it, and whoever
        // waits for blocks sees that.
        if let Some(orders) = self.orders.take() {
            let _ = orders.send(order);
        }
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.orders = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The thread.
fn work(task: ReadTask, opened: &Sender<Result<Arc<[Source]>>>, orders: &Receiver<Order>, stop: &AtomicBool) {
    let (sources, choice) = match task {
        ReadTask::Files(None) => (Ok(Vec::new().into()), None),
        ReadTask::Files(Some(Request { place, format, temp, choice })) => {
            let found = open(&place, &format, temp.as_deref(), &|| !stop.load(Ordering::Relaxed));
            (found.map(Arc::from), Some(choice))
        }
        ReadTask::Whole(sources, choice) => (Ok(sources), Some(choice)),
        ReadTask::Stream(given, format) => {
            let _ = opened.send(Ok(Vec::new().into()));
            if let Ok(order) = orders.recv() {
                order.follow(Passing { given: Some(given), format, open: None }, stop);
            }
            return;
        }
    };
    let sources: Arc<[Source]> = match sources {
        Ok(sources) => sources,
        Err(error) => {
            let _ = opened.send(Err(error));
            return;
        }
    };
    let _ = opened.send(Ok(Arc::clone(&sources)));
    let mut batches = BatchReceiver::new(&sources, choice.as_ref());
    let mut ahead = VecDeque::new();
    if let Some(order) = wait(&mut batches, &mut ahead, orders, stop) {
        // Each is given back when its rows are laid out.
        order.follow(std::iter::from_fn(|| ahead.pop_front()).chain(batches), stop);
    }
}

/// Decodes ahead until the order comes, up to a limit. `None`: nobody will order.
fn wait<'a>(
    batches: &mut BatchReceiver<'a>,
    ahead: &mut VecDeque<Result<Batch<'a>>>,
    orders: &Receiver<Order>,
    stop: &AtomicBool,
) -> Option<Order> {
    let mut bytes = 0;
    while bytes < EARLY && !stop.load(Ordering::Relaxed) {
        match orders.try_recv() {
            Ok(order) => return Some(order),
            Err(TryRecvError::Disconnected) => return None,
            Err(TryRecvError::Empty) => {}
        }
        let Some(batch) = batches.next() else { break };
        bytes += batch.as_ref().map_or(0, |batch| batch.rows.get_array_memory_size());
        ahead.push_back(batch);
    }
    orders.recv().ok()
}

/// All groups of rows, in order.
pub(super) fn groups(sources: &[Source]) -> impl Iterator<Item = (&Source, &Group)> {
    sources.iter().flat_map(|source| source.groups.iter().map(move |group| (source, group)))
}

/// Least and greatest run and frame of a group, where they are known.
pub(super) fn keys(source: &Source, group: &Group) -> [Option<(i64, i64)>; 2] {
    let runs = match (&source.columns.run, source.run) {
        (None, level) => level.map_or(Some((0, 0)), |level| Some((level.value, level.value))),
        (Some(_), _) => group.runs,
    };
    [runs, group.frames]
}

/// The source of a batch: one that stays open, or a batch in memory that goes with its rows.
pub(super) enum SourceOf<'a> {
    Open(&'a Source),
    Passing(Arc<Source>),
}

impl std::ops::Deref for SourceOf<'_> {
    type Target = Source;

    fn deref(&self) -> &Source {
        match self {
            Self::Open(source) => source,
            Self::Passing(source) => source,
        }
    }
}

/// Rows that were decoded together.
pub(super) struct Batch<'a> {
    pub(super) source: SourceOf<'a>,
    /// The root columns that they have, ascending.
    pub(super) columns: Arc<[usize]>,
    /// The row of the file that they begin with.
    pub(super) row: u64,
    pub(super) rows: RecordBatch,
}

/// Decodes the groups that matter, one after the other; ends with the first error.
struct BatchReceiver<'a> {
    groups: VecDeque<(&'a Source, &'a Group)>,
    open: Option<(&'a Source, Arc<[usize]>, GroupReader<'a>)>,
}

impl<'a> BatchReceiver<'a> {
    fn new(sources: &'a [Source], choice: Option<&Choice>) -> Self {
        let matters = |(source, group): &(&Source, &Group)| {
            let [runs, frames] = keys(source, group);
            choice.is_some_and(|choice| matters(choice, runs, frames))
        };
        Self { groups: groups(sources).filter(matters).collect(), open: None }
    }

    fn advance(&mut self) -> Result<Option<Batch<'a>>> {
        loop {
            if let Some((source, columns, reader)) = &mut self.open {
                if let Some((row, rows)) = reader.next()? {
                    let source = SourceOf::Open(source);
                    return Ok(Some(Batch { source, columns: Arc::clone(columns), row, rows }));
                }
                self.open = None;
            }
            let Some((source, group)) = self.groups.pop_front() else { return Ok(None) };
            let columns = source.columns.all();
            let reader = source.read(group, &columns, BATCH_ROWS)?;
            self.open = Some((source, columns.into(), reader));
        }
    }
}

impl<'a> Iterator for BatchReceiver<'a> {
    type Item = Result<Batch<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.advance().transpose();
        if matches!(next, Some(Err(_))) {
            self.groups.clear();
            self.open = None;
        }
        next
    }
}

/// The batches of a stream, in slices; ends with the first error.
struct Passing {
    /// `None` once the stream has ended.
    given: Option<Receiver<StreamMessage>>,
    format: ColumnFormat,
    open: Option<PassingBatch>,
}

/// The batch that is being handed on.
struct PassingBatch {
    source: Arc<Source>,
    columns: Arc<[usize]>,
    /// These columns.
    rows: RecordBatch,
    /// The row that comes next.
    next: usize,
}

impl Passing {
    fn advance(&mut self) -> Result<Option<Batch<'static>>> {
        loop {
            if let Some(PassingBatch { source, columns, rows, next }) = &mut self.open
                && *next < rows.num_rows()
                && let Some(group) = source.groups.first()
            {
                let rows = rows.slice(*next, BATCH_ROWS.min(rows.num_rows() - *next));
                let row = group.first_row + *next as u64;
                *next += rows.num_rows();
                let source = SourceOf::Passing(Arc::clone(source));
                return Ok(Some(Batch { source, columns: Arc::clone(columns), row, rows }));
            }
            let Some(given) = &self.given else { return Ok(None) };
            let panicked = || Error::internal("reading batches", "the iterator of the batches panicked");
            let Some(given) = given.recv().map_err(|_| panicked())? else { return Ok(None) };
            let given = given?;
            let batch = given.batch.clone();
            let before = self.open.as_ref().map(|open| &*open.source);
            let source = Source::of_given(given, &self.format, before)?;
            let columns: Arc<[usize]> = source.columns.all().into();
            let rows = batch.project(&columns).map_err(|error| Error::internal(source.path.display(), error))?;
            self.open = Some(PassingBatch { source: Arc::new(source), columns, rows, next: 0 });
        }
    }
}

impl Iterator for Passing {
    type Item = Result<Batch<'static>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.given.as_ref()?;
        let next = self.advance().transpose();
        if !matches!(next, Some(Ok(_))) {
            self.given = None;
        }
        next
    }
}

/// Hands the run and the frame of each row of a group to `take`.
///
/// # Errors
/// The group does not decode, or a key is none.
pub(super) fn each_key(source: &Source, group: &Group, mut take: impl FnMut(i64, i64)) -> Result<()> {
    let columns = source.columns.keys();
    let mut reader = source.read(group, &columns, BATCH_ROWS)?;
    while let Some((row, batch)) = reader.next()? {
        let mut defects = Defects::new(source, row, batch.num_rows());
        let runs = decode::runs(source, &columns, &batch, &mut defects)?;
        let frames = decode::frames(source, &columns, &batch, &mut defects)?;
        if let Some(error) = defects.into_error() {
            return Err(error);
        }
        for (row, &frame) in frames.iter().enumerate().take(batch.num_rows()) {
            take(runs.at(row), frame);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::block_pool::BlockPool;
    use super::super::body_index::BodyIndex;
    use super::*;
    use clearsweep_model::MotionRule;
    use clearsweep_scene::{BodyBuilder, Geometry, SceneBuilder};

    #[test]
    fn an_order_that_the_thread_leaves_behind_is_seen() {
        let body = BodyBuilder::new("a", Geometry::Sphere(1.0)).fixed([0.0; 3], [1.0, 0.0, 0.0, 0.0]);
        let scene = SceneBuilder::new(1.0).body(body).build().expect("a scene");
        let ((_, opened), (orders, receiver)) = (bounded(1), bounded::<Order>(1));
        let thread = std::thread::spawn(move || {
            // As one that panics while it decodes ahead: the order is there, and is never taken.
            while receiver.is_empty() {
                std::thread::yield_now();
            }
        });
        let stop = Arc::new(AtomicBool::new(false));
        let mut reading = Reading { request: None, opened, orders: Some(orders), stop, thread: Some(thread) };
        let plan = Plan {
            sources: Vec::new().into(),
            sort_command: None,
            body_index: Arc::new(BodyIndex::new(&scene)),
            joints: None,
            splines: None,
            frame_rate: None,
            motion: MotionRule::default(),
            bounds: None,
            choice: Choice::default(),
            single_sample: false,
            block_pool: BlockPool::default(),
            unturned: Arc::default(),
            numbered: Arc::default(),
        };
        let (sender, blocks) = bounded(1);
        reading.order(Order { plan, sender, progress: Arc::default(), complete: Arc::default() });
        let found = blocks.recv_timeout(Duration::from_secs(20)).map(|_| ());
        assert_eq!(found, Err(RecvTimeoutError::Disconnected));
    }
}
