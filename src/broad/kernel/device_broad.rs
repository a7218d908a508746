//! The broad phase on a device: batches of blocks are begun, and collected once they are asked for.

use super::super::auto::AutoSearch;
use super::super::block_boxes::BlockBoxes;
use super::super::block_split::{BlockWork, SplitDepthRule};
use super::super::blockwise::Blockwise;
use super::super::boxes::Boxes64;
use super::super::broad_phase::{BroadPhase, DeviceReport};
use super::super::broad_scene::BroadScene;
use super::super::merge::sort_and_merge;
use super::super::static_pairs::{static_pairs, static_pairs_of};
use super::batch::{UploadPlan, append_part, is_too_large, plan};
use super::job_buffers::JobBuffers;
use super::limits::DeviceLimits;
use super::machine::{DeviceFailure, DeviceUse, KernelMachine};
use super::records::{FoundPair, World};
use super::search::{BoxSource, SearchRoom, WorldSearch};
use crate::scene::{Candidate, FrameBlock, Scene};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

/// The cost of searching an item, in the unit of [`BlockWork`]: about one and a half tests of a pair.
const ITEM_COST: f64 = 60.0;

/// Uploaded boxes.
#[derive(Debug)]
struct Upload<B> {
    boxes: B,
    bytes: u64,
    /// Searches that read them and are not done.
    readers: usize,
}

/// A search that was begun, and where its pairs belong.
struct OpenSearch<M: KernelMachine> {
    search: WorldSearch<M::Fetch>,
    room: SearchRoom<M::Buffer>,
    /// Which upload it reads.
    upload: usize,
    stride: u32,
    /// The block of each part, in its batch, and its first sample.
    parts: Arc<Vec<(usize, usize)>>,
    batch: u64,
}

/// A batch of blocks that was begun.
#[derive(Debug, Default)]
struct OpenBatch {
    number: u64,
    /// For each block, what was found of it.
    found: Vec<Vec<Vec<Candidate>>>,
    /// Searches that are not done.
    open: usize,
    depth: usize,
    samples: usize,
    work: BlockWork,
}

/// The broad phase that a [`KernelMachine`] executes. If the machine fails, the processor does the rest.
pub(crate) struct DeviceBroadPhase<M: KernelMachine> {
    /// `None` once it failed.
    machine: Option<M>,
    failure: Option<DeviceFailure>,
    /// What was used of a machine that failed.
    used: DeviceUse,
    limits: DeviceLimits,
    job: Option<JobBuffers<M::Buffer>>,
    rooms: Vec<SearchRoom<M::Buffer>>,
    uploads: Vec<Upload<M::Buffer>>,
    searches: VecDeque<OpenSearch<M>>,
    batches: VecDeque<OpenBatch>,
    begun: u64,
    depth_rule: SplitDepthRule,
    boxes: BlockBoxes,
    staging: Vec<u8>,
    processor: Blockwise<AutoSearch>,
    /// Blocks that the processor searched because the machine had failed.
    fallbacks: u64,
}

impl<M: KernelMachine> DeviceBroadPhase<M> {
    /// A broad phase on a machine.
    pub(crate) fn new(machine: M, limits: DeviceLimits) -> Self {
        let limits = DeviceLimits { most_bytes: limits.most_bytes.min(machine.most_bytes()), ..limits };
        Self {
            machine: Some(machine),
            failure: None,
            used: DeviceUse::default(),
            limits,
            job: None,
            rooms: Vec::new(),
            uploads: Vec::new(),
            searches: VecDeque::new(),
            batches: VecDeque::new(),
            begun: 0,
            depth_rule: SplitDepthRule::default(),
            boxes: BlockBoxes::new(),
            staging: Vec::new(),
            processor: Blockwise::new(AutoSearch),
            fallbacks: 0,
        }
    }

    /// Gives the machine up.
    fn fail(&mut self, failure: DeviceFailure) {
        self.searches.clear();
        self.rooms.clear();
        self.uploads.clear();
        self.job = None;
        self.used = self.machine.take().map(|machine| machine.usage()).unwrap_or_default();
        self.failure.get_or_insert(failure);
    }

    /// Begins a batch on the machine.
    fn begin_batch(&mut self, job: &BroadScene, scene: &Scene, blocks: &[&FrameBlock]) -> Result<(), DeviceFailure> {
        let Some(machine) = &mut self.machine else { return Ok(()) };
        let slots = job.slots() as u32;
        if is_too_large(slots, &self.limits) {
            return Err(DeviceFailure::OutOfMemory(format!("{slots} bodies do not fit into a binding")));
        }
        if self.job.as_ref().is_none_or(|own| own.serial != job.serial) {
            self.rooms.clear();
            self.job = Some(JobBuffers::new(machine, job, scene)?);
        }
        let fixed = self.job.as_ref().map_or(0, |own| own.fixed);
        let depth = self.depth_rule.depth();
        let batch = OpenBatch {
            number: self.begun,
            found: vec![Vec::new(); blocks.len()],
            depth,
            samples: blocks.iter().map(|block| block.samples.len()).sum(),
            ..OpenBatch::default()
        };
        self.batches.push_back(batch);
        let mut made: Option<usize> = None;
        for upload in plan(blocks, slots, fixed, depth, &self.limits) {
            self.begin_upload(job, scene, blocks, upload, &mut made)?;
        }
        Ok(())
    }

    /// Uploads boxes and begins the searches of them. `made`: the block of which boxes were made last.
    fn begin_upload(
        &mut self,
        job: &BroadScene,
        scene: &Scene,
        blocks: &[&FrameBlock],
        plan: UploadPlan,
        made: &mut Option<usize>,
    ) -> Result<(), DeviceFailure> {
        let UploadPlan { stride, parts, searches } = plan;
        self.staging.clear();
        for &(block, first) in &parts {
            if *made != Some(block) {
                self.boxes.make(job, blocks[block], &mut Vec::<()>::new(), |_, _| ());
                *made = Some(block);
            }
            append_part(&mut self.staging, &self.boxes.boxes, first, stride);
        }
        let upload = self.upload()?;
        let parts = Arc::new(parts);
        for (method, worlds) in searches {
            let room = self.room(scene, job, &worlds)?;
            let (Some(machine), Some(own)) = (&mut self.machine, &self.job) else { return Ok(()) };
            let source = BoxSource { boxes: &self.uploads[upload].boxes, stride };
            let search = WorldSearch::begin(machine, own, &room, source, worlds, method);
            self.uploads[upload].readers += 1;
            let parts = Arc::clone(&parts);
            self.searches.push_back(OpenSearch { search, room, upload, stride, parts, batch: self.begun });
            if let Some(batch) = self.batches.back_mut() {
                batch.open += 1;
            }
        }
        Ok(())
    }

    /// The boxes in `staging` on their way to a buffer that no search reads; which one.
    fn upload(&mut self) -> Result<usize, DeviceFailure> {
        let bytes = self.staging.len() as u64;
        let Some(machine) = &mut self.machine else {
            return Err(DeviceFailure::Lost("before an upload".to_owned()));
        };
        let free = |own: &Upload<_>| own.readers == 0;
        let large = self.uploads.iter().position(|own| free(own) && own.bytes >= bytes);
        let at = match large.or_else(|| self.uploads.iter().position(free)) {
            Some(at) => at,
            None => {
                self.uploads.push(Upload { boxes: machine.buffer(0)?, bytes: 0, readers: 0 });
                self.uploads.len() - 1
            }
        };
        let own = &mut self.uploads[at];
        if own.bytes < bytes {
            *own = Upload { boxes: machine.buffer(bytes)?, bytes, readers: 0 };
        }
        machine.write(&own.boxes, 0, &self.staging);
        Ok(at)
    }

    /// Room for a search of worlds; if there is none left, the earliest search is finished first.
    fn room(
        &mut self,
        scene: &Scene,
        job: &BroadScene,
        worlds: &[World],
    ) -> Result<SearchRoom<M::Buffer>, DeviceFailure> {
        if self.rooms.is_empty() && self.searches.len() >= self.limits.searches {
            self.finish_search(scene, job)?;
        }
        let (count, slots) = (worlds.len() as u32, job.slots() as u32);
        let (items, tree) = (count * slots, if count == 1 { slots } else { 0 });
        // No larger than there can be pairs, as the whole window is gone through.
        let fixed = self.job.as_ref().map_or(0, |own| u64::from(own.fixed));
        let pairs = u64::from(items) * (u64::from(slots) / 2 + fixed);
        let most = (self.limits.most_bytes / size_of::<FoundPair>() as u64).min(u64::from(self.limits.window));
        let window = most.min(pairs).max(1) as u32;
        if let Some(room) = self.rooms.pop().filter(|room| room.holds(count, items, window, tree)) {
            return Ok(room);
        }
        match &mut self.machine {
            Some(machine) => SearchRoom::new(machine, count, items, window, tree),
            None => Err(DeviceFailure::Lost("before a search".to_owned())),
        }
    }

    /// Finishes the earliest search.
    fn finish_search(&mut self, scene: &Scene, job: &BroadScene) -> Result<(), DeviceFailure> {
        let (Some(machine), Some(own)) = (&mut self.machine, &self.job) else { return Ok(()) };
        let Some(mut open) = self.searches.pop_front() else { return Ok(()) };
        let source = BoxSource { boxes: &self.uploads[open.upload].boxes, stride: open.stride };
        open.search.finish(machine, own, &open.room, source)?;
        self.uploads[open.upload].readers -= 1;
        let filters = own.leaves_rules(scene);
        let batch = self.batches.iter_mut().find(|batch| batch.number == open.batch);
        if let Some(batch) = batch {
            batch.open -= 1;
            batch.work.tests += open.search.tested;
            batch.work.search += ITEM_COST * (open.search.worlds.len() * job.slots()) as f64;
            let mut found: Vec<Vec<Candidate>> = vec![Vec::new(); batch.found.len()];
            for pair in &open.search.found {
                let (block, candidate) = candidate(pair, &open.search.worlds, &open.parts, scene, job);
                if !filters || !scene.ignored.contains(candidate.a, candidate.b) {
                    found[block].push(candidate);
                }
            }
            for (all, found) in batch.found.iter_mut().zip(found) {
                if !found.is_empty() {
                    all.push(found);
                }
            }
        }
        self.rooms.push(open.room);
        Ok(())
    }

    /// Searches a batch that is on the machine as often as asked, in one room for each search; the mean of the times.
    fn repeat(&mut self, job: &BroadScene, scene: &Scene, blocks: &[&FrameBlock], rounds: usize) -> Option<f64> {
        self.limits.searches = usize::MAX;
        self.begin(job, scene, blocks);
        let (machine, own) = (self.machine.as_mut()?, self.job.as_ref()?);
        for open in &mut self.searches {
            let source = BoxSource { boxes: &self.uploads[open.upload].boxes, stride: open.stride };
            open.search.finish(machine, own, &open.room, source).ok()?;
        }
        let begun = Instant::now();
        for _ in 0..rounds {
            for open in &mut self.searches {
                let source = BoxSource { boxes: &self.uploads[open.upload].boxes, stride: open.stride };
                let (worlds, method) = (open.search.worlds.clone(), open.search.method());
                open.search = WorldSearch::begin(machine, own, &open.room, source, worlds, method);
            }
            for open in &mut self.searches {
                open.search.wait(machine).ok()?;
            }
        }
        let seconds = begun.elapsed().as_secs_f64() / rounds as f64;
        self.searches.clear();
        self.batches.clear();
        self.uploads.clear();
        Some(seconds)
    }

    /// What the machine found of the earliest batch; `None` if the machine does not have it.
    fn finish_batch(&mut self, scene: &Scene, job: &BroadScene) -> Result<Option<OpenBatch>, DeviceFailure> {
        while self.machine.is_some() && self.batches.front().is_some_and(|batch| batch.open > 0) {
            self.finish_search(scene, job)?;
        }
        let batch = self.batches.pop_front();
        Ok(batch.filter(|_| self.machine.is_some()))
    }
}

/// The block, in its batch, and the candidate that a pair of items is.
fn candidate(
    found: &FoundPair,
    worlds: &[World],
    parts: &[(usize, usize)],
    scene: &Scene,
    job: &BroadScene,
) -> (usize, Candidate) {
    let slots = job.slots() as u32;
    let FoundPair { pair, samples: [low, high] } = *found;
    let (block, first) = parts[worlds[(pair.item / slots) as usize].part as usize];
    let one = scene.dynamic[(pair.item % slots) as usize];
    let other = match pair.other.checked_sub(slots) {
        None => scene.dynamic[pair.other as usize],
        Some(fixed) => job.fixed.bodies[fixed as usize],
    };
    let samples = (u64::from(high) << 32 | u64::from(low)) << first;
    (block, Candidate { a: one.min(other), b: one.max(other), samples })
}

impl<M: KernelMachine> BroadPhase for DeviceBroadPhase<M> {
    fn name(&self) -> &'static str {
        "gpu"
    }

    fn candidates(&mut self, job: &BroadScene, scene: &Scene, block: &FrameBlock) -> Vec<Candidate> {
        self.begin(job, scene, &[block]);
        self.finish(job, scene, &[block]).pop().unwrap_or_default()
    }

    fn static_candidates(&self, job: &BroadScene, scene: &Scene, bodies: Range<usize>) -> Vec<Candidate> {
        static_pairs_of(&AutoSearch, self.boxes.simd, job, scene, bodies)
    }

    fn resident_seconds(
        &mut self,
        job: &BroadScene,
        scene: &Scene,
        blocks: &[&FrameBlock],
        rounds: usize,
    ) -> Option<f64> {
        self.repeat(job, scene, blocks, rounds)
    }

    fn works_beside(&self) -> bool {
        true
    }

    fn device_report(&self) -> Option<DeviceReport> {
        let DeviceUse { most_bytes, kernels } = self.machine.as_ref().map_or_else(|| self.used.clone(), M::usage);
        let failure = self.failure.as_ref().map(ToString::to_string);
        Some(DeviceReport { memory_bytes: most_bytes, kernels, failure, fallback_blocks: self.fallbacks })
    }

    fn begin(&mut self, job: &BroadScene, scene: &Scene, blocks: &[&FrameBlock]) {
        if job.slots() > 0
            && let Err(failure) = self.begin_batch(job, scene, blocks)
        {
            self.fail(failure);
        }
        if self.batches.back().is_none_or(|batch| batch.number != self.begun) {
            let found = vec![Vec::new(); blocks.len()];
            self.batches.push_back(OpenBatch { number: self.begun, found, ..OpenBatch::default() });
        }
        self.begun += 1;
    }

    fn finish(&mut self, job: &BroadScene, scene: &Scene, blocks: &[&FrameBlock]) -> Vec<Vec<Candidate>> {
        let batch = match self.finish_batch(scene, job) {
            Ok(batch) => batch,
            Err(failure) => {
                self.fail(failure);
                self.batches.pop_front();
                None
            }
        };
        let Some(batch) = batch else {
            self.fallbacks += blocks.len() as u64;
            return blocks.iter().map(|block| self.processor.candidates(job, scene, block)).collect();
        };
        if batch.open == 0 && batch.work.search > 0.0 {
            self.depth_rule.record(batch.depth, batch.samples, batch.work);
        }
        let fixed = blocks.iter().map(|block| static_pairs(&AutoSearch, self.boxes.simd, job, scene, block));
        let found = batch.found.into_iter().zip(fixed);
        found.map(|(own, fixed)| sort_and_merge([own, fixed].concat(), scene.bodies.len())).collect()
    }
}

/// The boxes as they are uploaded: columns of 64 samples.
const _: () = assert!(size_of::<Boxes64>() == 6 * 64 * 4);
