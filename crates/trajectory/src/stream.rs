//! Processing of the rows on the reading thread, and the iterator at its other end.

use super::assemble::{Assembler, Sink, Step, Stop};
use super::column_format::{JointName, joint_names};
use super::decode::Decoder;
use super::joint_samples::{self, JointSamples};
use super::plan::{Plan, matters};
use super::pose_columns::Orientation;
use super::pose_samples::PoseSamples;
use super::reading::{Batch, Order, Reading, groups, keys};
use super::returning::returning;
use super::rows::{RowKeys, Runs};
use clearsweep_base::error::{Error, Result};
use clearsweep_model::{FrameBlock, SAMPLES, Sample, block::COMPONENTS};
use crossbeam_channel::{Receiver, Sender, bounded};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Blocks that may wait for their consumer...
const AHEAD: usize = 3;

/// ...unless they are larger than this, in bytes: then one...
const LARGE: usize = 64 << 20;

/// ...or so small that more of them fit into this: of small blocks the engine takes many at a
/// time...
const MANY: usize = 8 << 20;

/// ...if they are no larger than this. Every block that waits is memory that is touched for the
/// first time.
const SMALL: usize = 512 << 10;

/// Returns the number of blocks that may wait, each of `bytes` bytes.
fn ahead(bytes: usize) -> usize {
    match bytes {
        0..=SMALL => MANY / bytes.max(MANY / 128),
        _ if bytes > LARGE => 1,
        _ => AHEAD,
    }
}

/// Blocks as the reading thread sends them.
pub(super) struct Blocks {
    /// `None` once the stream has ended.
    receiver: Option<Receiver<Result<FrameBlock>>>,
    /// Set when all is sent.
    complete: Arc<AtomicBool>,
    /// The thread: dropped last, so that one which waits to send sees the channel closed before it
    /// is waited for.
    _reading: Reading,
}

impl Blocks {
    /// Lets the reading thread go on to the rows.
    pub(super) fn start(plan: Plan, mut reading: Reading, progress: Arc<AtomicU64>) -> Self {
        let bytes = plan.body_index.slots() * COMPONENTS * SAMPLES * size_of::<f64>();
        let (sender, receiver) = bounded(ahead(bytes));
        let complete = Arc::new(AtomicBool::new(false));
        reading.order(Order { plan, sender, progress, complete: Arc::clone(&complete) });
        Self { receiver: Some(receiver), complete, _reading: reading }
    }
}

impl Iterator for Blocks {
    type Item = Result<FrameBlock>;

    fn next(&mut self) -> Option<Self::Item> {
        let item = self.receiver.as_ref()?.recv().ok();
        if !matches!(item, Some(Ok(_))) {
            self.receiver = None;
        }
        match item {
            None if !self.complete.load(Ordering::Acquire) => {
                Some(Err(Error::internal("reading the trajectories", "the reading thread panicked")))
            }
            item => item,
        }
    }
}

impl Order {
    /// Reads all batches and sends what they hold; the error that ends the stream goes last.
    pub(super) fn follow<'a>(self, batches: impl Iterator<Item = Result<Batch<'a>>>, stop: &AtomicBool) {
        let done = read(&self.plan, batches, &self.sender, stop, &self.progress);
        let error = match done {
            Err(Stop::Failed(error)) => Some(error),
            Err(Stop::Missing { run, frame, error }) => Some(returning(&self.plan, run, frame).unwrap_or(error)),
            Ok(()) | Err(Stop::Gone) => None,
        };
        if let Some(error) = error {
            let _ = self.sender.send(Err(error));
        }
        self.complete.store(true, Ordering::Release);
    }
}

fn read<'a>(
    plan: &Plan,
    batches: impl Iterator<Item = Result<Batch<'a>>>,
    sender: &Sender<Result<FrameBlock>>,
    stop: &AtomicBool,
    progress: &AtomicU64,
) -> Step {
    let mut given = false;
    let mut sink = |block: FrameBlock| {
        given = true;
        sender.send(Ok(block)).map_err(|_| Stop::Gone)
    };
    let mut there = Extent::default();
    if plan.single_sample {
        single_sample(plan, &mut sink)?;
        there = Extent { runs: Some((0, 0)), frames: Some((0, 0)) };
        return if given || plan.choice.part.is_some() { Ok(()) } else { Err(there.nothing_chosen(plan)) };
    }
    let mut total: u64 = 0;
    for (source, group) in groups(&plan.sources) {
        let [runs, frames] = keys(source, group);
        if matters(&plan.choice, runs, frames) {
            total += group.rows;
        } else {
            there.widen(runs, frames);
        }
    }
    let mut rows = RowReader::new(plan);
    let mut done = 0;
    for batch in batches {
        if stop.load(Ordering::Relaxed) {
            return Err(Stop::Gone);
        }
        let batch = batch?;
        let extent = (plan.choice.runs.is_some() || plan.choice.frames.is_some()).then_some(&mut there);
        rows.push(&batch, extent, &mut sink)?;
        done += batch.rows.num_rows() as u64;
        // How much a stream of batches will hold nobody knows.
        if total > 0 {
            progress.store((u128::from(done) * 1000 / u128::from(total)) as u64, Ordering::Relaxed);
        }
    }
    rows.finish(&mut sink)?;
    progress.store(1000, Ordering::Relaxed);
    // Other shards may have samples.
    let asked = (plan.choice.runs.is_some() || plan.choice.frames.is_some()) && plan.choice.part.is_none();
    if given || !asked { Ok(()) } else { Err(there.nothing_chosen(plan)) }
}

/// Decodes rows and puts them together: poses, or values of joints.
enum RowReader<'p> {
    Poses { plan: &'p Plan, decoder: Decoder<'p>, assembler: Box<Assembler<'p, PoseSamples<'p>>> },
    Joints { plan: &'p Plan, names: Arc<[JointName]>, assembler: Box<Assembler<'p, JointSamples<'p>>> },
}

impl<'p> RowReader<'p> {
    fn new(plan: &'p Plan) -> Self {
        match &plan.joints {
            Some(joints) => {
                let names = joint_names(joints);
                let content = JointSamples::new(plan, joints, Arc::clone(&names));
                Self::Joints { plan, names, assembler: Box::new(Assembler::new(plan, content)) }
            }
            None => {
                let assembler = Box::new(Assembler::new(plan, PoseSamples::new(plan)));
                Self::Poses { plan, decoder: Decoder::new(&plan.body_index), assembler }
            }
        }
    }

    /// Takes a batch; `extent` looks at its keys.
    fn push(&mut self, batch: &Batch<'_>, extent: Option<&mut Extent>, sink: &mut Sink<'_>) -> Step {
        let Batch { source, columns, row, rows: batch } = batch;
        match self {
            Self::Poses { plan, decoder, assembler } => {
                let mut rows = decoder.rows(source, columns, *row, batch)?;
                if matches!(source.columns.poses()?.orientation, Orientation::None { is_stated: false }) {
                    plan.unturned.store(true, Ordering::Relaxed);
                }
                extent.into_iter().for_each(|extent| extent.look(&rows.keys));
                if let Some(turns) = &plan.body_index.rest_turns {
                    turns.apply(&mut rows);
                }
                assembler.push(rows, sink)
            }
            Self::Joints { plan, names, assembler } => {
                if source.columns.frame.is_none() {
                    plan.numbered.store(true, Ordering::Relaxed);
                }
                let Some(joints) = source.columns.joints() else {
                    return Err(Error::internal(source.path.display(), "poses are read as values of joints").into());
                };
                let rows = joint_samples::rows(source, joints, names, columns, *row, batch)?;
                extent.into_iter().for_each(|extent| extent.look(&rows.keys));
                assembler.push(rows, sink)
            }
        }
    }

    fn finish(self, sink: &mut Sink<'_>) -> Step {
        match self {
            Self::Poses { assembler, .. } => assembler.finish(sink),
            Self::Joints { assembler, .. } => assembler.finish(sink),
        }
    }
}

/// Least and greatest keys of the rows that there are, chosen or not.
#[derive(Debug, Default)]
struct Extent {
    runs: Option<(i64, i64)>,
    frames: Option<(i64, i64)>,
}

impl Extent {
    fn is_empty(&self) -> bool {
        self.runs.is_none() && self.frames.is_none()
    }

    fn widen(&mut self, runs: Option<(i64, i64)>, frames: Option<(i64, i64)>) {
        let wider = |own: Option<(i64, i64)>, more: Option<(i64, i64)>| match (own, more) {
            (Some(own), Some(more)) => Some((own.0.min(more.0), own.1.max(more.1))),
            (own, more) => own.or(more),
        };
        (self.runs, self.frames) = (wider(self.runs, runs), wider(self.frames, frames));
    }

    fn look(&mut self, keys: &RowKeys) {
        let ends = |keys: &[i64]| Some((*keys.iter().min()?, *keys.iter().max()?));
        let runs = match &keys.run {
            Runs::One(run) => (keys.len > 0).then_some((*run, *run)),
            Runs::Each(runs) => ends(&runs[..keys.len]),
        };
        self.widen(runs, ends(&keys.frame[..keys.len]));
    }

    /// The ranges asked for hold no sample: an empty result would look like a clear one.
    fn nothing_chosen(&self, plan: &Plan) -> Stop {
        let asked = |name: &str, range: &Option<Range<i64>>| {
            let range = range.as_ref()?;
            let end = |value: i64, open: i64| if value == open { String::new() } else { value.to_string() };
            Some(format!("{name} {}..{}", end(range.start, i64::MIN), end(range.end, i64::MAX)))
        };
        let asked: Vec<String> = [asked("--runs", &plan.choice.runs), asked("--frames", &plan.choice.frames)]
            .into_iter()
            .flatten()
            .collect();
        let remedy = "choose others; ranges are half-open, A..B ends before B";
        if self.is_empty() {
            let remedy = "give trajectories that have rows, or leave the range out";
            return Stop::Failed(Error::usage(asked.join(" "), "holds no frame: the input has no row", remedy));
        }
        let range = |name: &str, keys: Option<(i64, i64)>| match keys {
            Some((low, high)) => format!("{name} {low} to {high}"),
            None => format!("{name} that are not known"),
        };
        Stop::Failed(Error::usage(
            asked.join(" "),
            format!("holds no frame: the input has {} and {}", range("runs", self.runs), range("frames", self.frames)),
            remedy,
        ))
    }
}

/// A scene in which nothing moves: one sample (0, 0), if it is chosen.
fn single_sample(plan: &Plan, sink: &mut Sink<'_>) -> Step {
    if !plan.choice.has(0, 0, true) {
        return Ok(());
    }
    let mut block = FrameBlock::new(0, 0);
    block.samples.push(Sample { run: 0, frame: 0, time_s: None });
    block.starts_run = 1;
    sink(block)
}
