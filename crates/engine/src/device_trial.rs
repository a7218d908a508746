//! `--device auto`: the processor searches until a GPU is measured to be faster. It never fails.
//!
//! When the processor has searched for a while, a GPU is opened beside the work. Both then search
//! the same batches, and the faster one goes on. No table depends on the choice: all broad phases
//! return equal candidates, which the trial compares.

use clearsweep_broad::{BroadPhase, BroadScene};
use clearsweep_model::{BetweenFrames, Candidate, FrameBlock, Scene};
use clearsweep_records::manifest::{Adapter, TrialTimes};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Time that the processor searches before a GPU is opened. To find an adapter, to open it and to
/// compile the kernels takes some tenths of a second on a thread beside the work.
const TRIED_AFTER: Duration = Duration::from_secs(1);
/// How long a driver may take to open.
const PATIENCE: Duration = Duration::from_secs(30);
/// Batches that both search. The first one is not counted: kernels and memory are made for it.
const ROUNDS: usize = 3;
/// No GPU is opened when more than this share of the input has been read.
const LATEST: f64 = 0.5;

/// A device that was opened.
pub(super) struct FoundDevice {
    /// The broad phase that it searches with.
    pub(super) broad: Box<dyn BroadPhase>,
    /// The adapter, as in the manifest.
    pub(super) adapter: Adapter,
}

/// The terms of a trial. Tests choose others.
pub(super) struct TrialTerms {
    pub(super) open: Opener,
    /// Time that the processor searches before.
    pub(super) after: Duration,
    /// Share of the input after which no device is opened any more.
    pub(super) latest: f64,
    /// The job waits until the driver has opened.
    pub(super) waits: bool,
    /// Factor of the measured time of the device.
    pub(super) handicap: f64,
}

impl TrialTerms {
    /// The terms of a user's job.
    pub(super) fn of_user(open: Opener) -> Self {
        Self { open, after: TRIED_AFTER, latest: LATEST, waits: false, handicap: 1.0 }
    }

    /// Terms of a trial that does not depend on the time: from the first batch on, by a device
    /// whose time counts `handicap` times.
    pub(super) fn of_test(open: Opener, handicap: f64) -> Self {
        Self { open, after: Duration::ZERO, latest: f64::INFINITY, waits: true, handicap }
    }
}

/// Opens a device, or says why there is none.
pub(super) type Opener = Box<dyn FnOnce() -> Result<FoundDevice, String> + Send>;

/// A batch that the processor has searched.
pub(super) struct SearchedBatch<'a> {
    pub(super) blocks: &'a [Arc<FrameBlock>],
    /// Time of all searches so far, that of this batch included.
    pub(super) spent: Duration,
    /// Share of the input that has been read, 0 if it is not known.
    pub(super) read: f64,
}

/// The choice of the device while a job runs.
pub(super) struct DeviceTrial {
    stage: Stage,
    /// Why the device that searches now does.
    pub(super) reason: String,
    pub(super) times: Option<TrialTimes>,
    /// The adapter of the device that was faster, as in the manifest.
    pub(super) adapter: Option<Adapter>,
    after: Duration,
    latest: f64,
    waits: bool,
    handicap: f64,
    /// Blocks of a batch of the device.
    batch: usize,
    /// Candidates of the samples of the last batch, block by block, while a device is tried.
    candidates: Vec<Vec<Candidate>>,
    /// Time of all searches before the last batch.
    searched: Duration,
}

enum Stage {
    /// The processor has not searched for long.
    Waiting(Opener),
    /// A driver is being opened on a thread of its own.
    Opening(Receiver<Result<FoundDevice, String>>, Instant),
    /// Both search.
    Trying(Box<Trying>),
    /// It is decided.
    Over,
}

/// A device in its trial.
struct Trying {
    device: FoundDevice,
    rounds: usize,
    /// Blocks that the device has not searched yet, with the candidates that the processor found,
    /// and its time.
    blocks: Vec<Arc<FrameBlock>>,
    candidates: Vec<Vec<Candidate>>,
    cpu: Duration,
    total: TrialTimes,
}

impl DeviceTrial {
    /// Returns a trial that is over: no choice is left, for this reason.
    pub(super) fn over(reason: String) -> Self {
        Self {
            stage: Stage::Over,
            reason,
            times: None,
            adapter: None,
            after: Duration::ZERO,
            latest: 0.0,
            waits: false,
            handicap: 1.0,
            batch: 1,
            candidates: Vec::new(),
            searched: Duration::ZERO,
        }
    }

    /// Returns a trial in which the processor searches first; then a device is opened, and tried
    /// with batches of `batch` blocks.
    pub(super) fn new(terms: TrialTerms, batch: usize) -> Self {
        let TrialTerms { open, after, latest, waits, handicap } = terms;
        let reason = format!("the CPU searched for less than {} s", after.as_secs_f64());
        Self { stage: Stage::Waiting(open), after, latest, waits, handicap, batch, ..Self::over(reason) }
    }

    /// Blocks of a batch of the device.
    pub(super) fn batch(&self) -> usize {
        self.batch
    }

    /// Ends the trial. A driver that is being opened must not be left to itself when the process
    /// ends.
    pub(super) fn end(&mut self) {
        if let Stage::Opening(receiver, _) = std::mem::replace(&mut self.stage, Stage::Over) {
            drop(receiver.recv_timeout(PATIENCE));
        }
    }

    /// Keeps the candidates of the samples of a batch, block by block, if a device is tried.
    pub(super) fn keep<'c>(&mut self, candidates: impl Iterator<Item = &'c Vec<Candidate>>) {
        if matches!(self.stage, Stage::Trying(_)) {
            self.candidates = candidates.cloned().collect();
        }
    }

    /// Takes note of a batch that the processor has searched. Returns the broad phase of the device
    /// once it was faster: it searches from the next batch on.
    pub(super) fn after(
        &mut self,
        batch: SearchedBatch<'_>,
        boxes: &BroadScene,
        scene: &Scene,
    ) -> Option<Box<dyn BroadPhase>> {
        let cpu = batch.spent - std::mem::replace(&mut self.searched, batch.spent);
        match std::mem::replace(&mut self.stage, Stage::Over) {
            Stage::Waiting(open) if batch.spent < self.after => self.stage = Stage::Waiting(open),
            Stage::Waiting(_) if batch.read > self.latest => {
                self.reason = "most of the input was read before a GPU could be tried".to_owned();
            }
            Stage::Waiting(open) => {
                self.reason = "the job ended before a GPU was tried".to_owned();
                match opening(open) {
                    Ok(receiver) => self.stage = Stage::Opening(receiver, Instant::now()),
                    Err(reason) => self.reason = reason,
                }
            }
            Stage::Opening(receiver, since) => self.stage = self.opened(receiver, since),
            Stage::Trying(mut trying) => {
                trying.add(batch.blocks, std::mem::take(&mut self.candidates), cpu);
                return self.tried(trying, boxes, scene);
            }
            Stage::Over => {}
        }
        None
    }

    /// Looks whether the driver has opened.
    fn opened(&mut self, receiver: Receiver<Result<FoundDevice, String>>, since: Instant) -> Stage {
        let wait = if self.waits { PATIENCE } else { Duration::ZERO };
        let found = match receiver.recv_timeout(wait) {
            Err(RecvTimeoutError::Timeout) if since.elapsed() < PATIENCE => return Stage::Opening(receiver, since),
            Err(RecvTimeoutError::Timeout) => {
                Err(format!("the graphics driver did not answer within {} s", PATIENCE.as_secs()))
            }
            Err(RecvTimeoutError::Disconnected) => Err("the graphics driver failed while it was opened".to_owned()),
            Ok(found) => found,
        };
        match found {
            Ok(device) => Stage::Trying(Box::new(Trying {
                device,
                rounds: 0,
                blocks: Vec::new(),
                candidates: Vec::new(),
                cpu: Duration::ZERO,
                total: TrialTimes::default(),
            })),
            Err(reason) => {
                self.reason = reason;
                Stage::Over
            }
        }
    }

    /// Lets the device search when a batch of its own is together, and decides after the last one.
    fn tried(&mut self, mut trying: Box<Trying>, boxes: &BroadScene, scene: &Scene) -> Option<Box<dyn BroadPhase>> {
        if trying.blocks.len() < self.batch {
            self.stage = Stage::Trying(trying);
            return None;
        }
        if let Err(reason) = trying.round(self.handicap, boxes, scene) {
            self.reason = reason;
            return None;
        }
        if trying.rounds < ROUNDS {
            self.stage = Stage::Trying(trying);
            return None;
        }
        let TrialTimes { blocks, cpu_s, gpu_s } = trying.total;
        self.times = Some(trying.total);
        let kept = if gpu_s < cpu_s { "the GPU goes on" } else { "the CPU goes on" };
        self.reason = format!("{blocks} blocks took the CPU {cpu_s:.3} s and the GPU {gpu_s:.3} s: {kept}");
        (gpu_s < cpu_s).then(|| {
            self.adapter = Some(trying.device.adapter);
            trying.device.broad
        })
    }
}

impl Trying {
    /// Adds blocks that the processor has searched, with their candidates and its time.
    fn add(&mut self, blocks: &[Arc<FrameBlock>], candidates: Vec<Vec<Candidate>>, cpu: Duration) {
        self.blocks.extend(blocks.iter().cloned());
        self.candidates.extend(candidates);
        self.cpu += cpu;
    }

    /// Lets the device search the waiting blocks.
    ///
    /// # Errors
    /// The device failed, or found other candidates.
    fn round(&mut self, handicap: f64, boxes: &BroadScene, scene: &Scene) -> Result<(), String> {
        let blocks: Vec<&FrameBlock> = self.blocks.iter().map(Arc::as_ref).collect();
        let broad = &mut self.device.broad;
        let begun = Instant::now();
        broad.begin(boxes, scene, &blocks);
        let found = broad.finish(boxes, scene, &blocks);
        if scene.motion.between != BetweenFrames::None {
            blocks.iter().for_each(|block| drop(broad.interval_candidates(boxes, scene, block)));
        }
        let spent = begun.elapsed();
        if let Some(failure) = broad.device_report().and_then(|report| report.failure) {
            return Err(failure);
        }
        if found != self.candidates {
            return Err("the GPU found other candidates than the CPU, which searches: please report it".to_owned());
        }
        if self.rounds > 0 {
            self.total.blocks += blocks.len() as u64;
            self.total.cpu_s += self.cpu.as_secs_f64();
            self.total.gpu_s += handicap * spent.as_secs_f64();
        }
        self.rounds += 1;
        (self.blocks, self.candidates, self.cpu) = (Vec::new(), Vec::new(), Duration::ZERO);
        Ok(())
    }
}

/// Opens a device on another thread, which a driver that hangs keeps to itself.
fn opening(open: Opener) -> Result<Receiver<Result<FoundDevice, String>>, String> {
    let (sender, opened) = channel();
    let thread = std::thread::Builder::new().name("clearsweep-device".to_owned());
    let run = move || drop(sender.send(open()));
    thread.spawn(run).map(|_| opened).map_err(|error| format!("no thread: {error}"))
}
