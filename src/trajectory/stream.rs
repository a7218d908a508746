//! The reading thread, and the iterator at its other end.

use super::assemble::{Assembler, Sink, Step, Stop, matters};
use super::decode::{Decoder, Rows, Runs};
use super::source::{BATCH_ROWS, Group, Source};
use super::{Inputs, Plan};
use crate::error::{Error, Result};
use crate::scene::block::COMPONENTS;
use crate::scene::{FrameBlock, SAMPLES, Sample};
use crossbeam_channel::{Receiver, Sender, bounded};
use std::ops::Range;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// Blocks that may wait for their consumer...
const AHEAD: usize = 3;

/// ...unless they are larger than this, in bytes: then one...
const LARGE: usize = 64 << 20;

/// ...or so small that more of them fit into this: the engine takes many at a time.
const SMALL: usize = 8 << 20;

/// Blocks that their consumer has done with, for their memory: to fill fresh pages costs more than to read into them.
#[derive(Debug, Clone, Default)]
pub struct Spares(Arc<Mutex<Vec<FrameBlock>>>);

impl Spares {
    /// Takes a block that is no longer needed. Few are kept, and no large ones: they would add to the memory in use.
    pub fn give(&self, block: FrameBlock) {
        let mut list = self.list();
        if list.len() < AHEAD && size_of_val(block.lanes.as_slice()) <= SMALL {
            list.push(block);
        }
    }

    /// An empty block of so many slots.
    pub(super) fn block(&self, index: u64, slots: usize) -> FrameBlock {
        let spare = self.list().pop().filter(|block| block.present.len() == slots);
        spare.map_or_else(|| FrameBlock::new(index, slots), |block| block.renewed(index))
    }

    /// A poisoned list is still a list of blocks.
    fn list(&self) -> std::sync::MutexGuard<'_, Vec<FrameBlock>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Blocks as the reading thread sends them.
pub(super) struct Blocks {
    /// `None` once the stream has ended.
    receiver: Option<Receiver<Result<FrameBlock>>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Blocks {
    /// Starts the reading thread.
    pub(super) fn start(plan: Plan, inputs: Inputs, progress: Arc<AtomicU64>) -> Self {
        let bytes = plan.roster.slots() * COMPONENTS * SAMPLES * size_of::<f64>();
        let ahead = if bytes > LARGE { 1 } else { (SMALL / bytes.max(SMALL / 128)).max(AHEAD) };
        let (sender, receiver) = bounded(ahead);
        let stop = Arc::new(AtomicBool::new(false));
        inputs.start();
        let read = {
            let (sender, stop) = (sender.clone(), Arc::clone(&stop));
            move || read_guarded(&plan, &sender, &stop, &progress)
        };
        let thread = std::thread::Builder::new().name("clearsweep-read".to_owned()).spawn(read);
        if let Err(error) = &thread {
            // The channel is empty, so this does not block.
            let _ = sender.send(Err(Error::internal("reading", format!("no thread could be started ({error})"))));
        }
        Self { receiver: Some(receiver), stop, thread: thread.ok() }
    }
}

impl Iterator for Blocks {
    type Item = Result<FrameBlock>;

    fn next(&mut self) -> Option<Self::Item> {
        let item = self.receiver.as_ref()?.recv().ok();
        if !matches!(item, Some(Ok(_))) {
            self.receiver = None;
        }
        item
    }
}

impl Drop for Blocks {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        // A thread that waits to send must see the channel closed before it is waited for.
        self.receiver = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Reads all and sends it; the error that ends the stream goes last.
fn read_guarded(plan: &Plan, sender: &Sender<Result<FrameBlock>>, stop: &AtomicBool, progress: &AtomicU64) {
    let read = || read(plan, sender, stop, progress);
    let error = match std::panic::catch_unwind(AssertUnwindSafe(read)) {
        Ok(Ok(()) | Err(Stop::Gone)) => return,
        Ok(Err(Stop::Failed(error))) => error,
        Err(_) => Error::internal("reading the trajectories", "the reading thread panicked"),
    };
    let _ = sender.send(Err(error));
}

fn read(plan: &Plan, sender: &Sender<Result<FrameBlock>>, stop: &AtomicBool, progress: &AtomicU64) -> Step {
    let mut given = false;
    let mut sink = |block: FrameBlock| {
        given = true;
        sender.send(Ok(block)).map_err(|_| Stop::Gone)
    };
    let mut there = Extent::default();
    if plan.single_sample {
        single_sample(plan, &mut sink)?;
        there = Extent { runs: Some((0, 0)), frames: Some((0, 0)) };
        return if given { Ok(()) } else { Err(there.nothing_chosen(plan)) };
    }
    let mut groups: Vec<(&Source, &Group)> = Vec::new();
    for (source, group) in plan.sources.iter().flat_map(|source| source.groups.iter().map(move |group| (source, group)))
    {
        let runs = match (&source.columns.run, source.run) {
            (None, level) => level.map_or(Some((0, 0)), |level| Some((level.value, level.value))),
            (Some(_), _) => group.runs,
        };
        if matters(plan, runs, group.frames) {
            groups.push((source, group));
        } else {
            there.widen(runs, group.frames);
        }
    }
    let total: u64 = groups.iter().map(|(_, group)| group.rows).sum();
    let mut decoder = Decoder::new(&plan.roster);
    let mut assembler = Assembler::new(plan);
    let mut done = 0;
    for (source, group) in groups {
        let columns = source.columns.all();
        let mut reader = source.read(group, &columns, BATCH_ROWS)?;
        while let Some((row, batch)) = reader.next()? {
            if stop.load(Ordering::Relaxed) {
                return Err(Stop::Gone);
            }
            let mut rows = decoder.rows(source, &columns, row, &batch)?;
            if plan.runs.is_some() || plan.frames.is_some() {
                there.look(&rows);
            }
            assembler.push(&mut rows, &mut sink)?;
            done += batch.num_rows() as u64;
            progress.store((u128::from(done) * 1000 / u128::from(total.max(1))) as u64, Ordering::Relaxed);
        }
    }
    assembler.finish(&mut sink)?;
    progress.store(1000, Ordering::Relaxed);
    if given || there.is_empty() { Ok(()) } else { Err(there.nothing_chosen(plan)) }
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

    fn look(&mut self, rows: &Rows) {
        let ends = |keys: &[i64]| Some((*keys.iter().min()?, *keys.iter().max()?));
        let runs = match &rows.run {
            Runs::One(run) => (rows.len > 0).then_some((*run, *run)),
            Runs::Each(runs) => ends(&runs[..rows.len]),
        };
        self.widen(runs, ends(&rows.frame[..rows.len]));
    }

    /// The ranges asked for hold no sample: an empty result would look like a clear one.
    fn nothing_chosen(&self, plan: &Plan) -> Stop {
        let asked = |name: &str, range: &Option<Range<i64>>| {
            let range = range.as_ref()?;
            let end = |value: i64, open: i64| if value == open { String::new() } else { value.to_string() };
            Some(format!("{name} {}..{}", end(range.start, i64::MIN), end(range.end, i64::MAX)))
        };
        let asked: Vec<String> =
            [asked("--runs", &plan.runs), asked("--frames", &plan.frames)].into_iter().flatten().collect();
        let range = |name: &str, keys: Option<(i64, i64)>| match keys {
            Some((low, high)) => format!("{name} {low} to {high}"),
            None => format!("{name} that are not known"),
        };
        Stop::Failed(Error::usage(
            asked.join(" "),
            format!("holds no frame: the input has {} and {}", range("runs", self.runs), range("frames", self.frames)),
            "choose others; ranges are half-open, A..B ends before B",
        ))
    }
}

/// A scene in which nothing moves: one sample (0, 0), if it is chosen.
fn single_sample(plan: &Plan, sink: &mut Sink<'_>) -> Step {
    if !plan.chooses(0, 0) {
        return Ok(());
    }
    let mut block = FrameBlock::new(0, 0);
    block.samples.push(Sample { run: 0, frame: 0, time_s: None });
    block.starts_run = 1;
    sink(block)
}
