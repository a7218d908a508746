//! The broad phase on a device: batches of blocks are begun, and collected once they are asked for.

use super::super::auto::AutoSearch;
use super::super::block_boxes::BlockBoxes;
use super::super::block_split::SplitDepthRule;
use super::super::blockwise::Blockwise;
use super::super::boxes::Boxes64;
use super::super::broad_phase::{BroadPhase, DeviceReport};
use super::super::broad_scene::BroadScene;
use super::super::merge::sort_and_merge;
use super::super::static_pairs::{static_pairs, static_pairs_of};
use super::batch::{UploadPlan, append_part, is_too_large, part_bytes, plan};
use super::failure::DeviceFailure;
use super::job_buffers::JobBuffers;
use super::limits::DeviceLimits;
use super::machine::{DeviceUse, KernelMachine, Region};
use super::open_batch::{OpenBatch, OpenSearch, Upload};
use super::pair_window::FetchAhead;
use super::records::World;
use super::search::{BoxSource, RoomSize, SearchRoom, WorldSearch};
use clearsweep_model::{Candidate, FrameBlock, Scene};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

/// Most times that a device out of memory is asked again for half as much.
const MOST_HALVINGS: u64 = 6;

/// The broad phase that a [`KernelMachine`] executes. If the machine fails, the processor does the
/// rest.
pub(crate) struct DeviceBroadPhase<M: KernelMachine> {
    /// `None` once it failed.
    machine: Option<M>,
    failure: Option<DeviceFailure>,
    /// Usage of a machine that failed.
    used: DeviceUse,
    limits: DeviceLimits,
    /// Times that the device was out of memory, and was asked again for half as much.
    halvings: u64,
    job: Option<JobBuffers<M::Buffer>>,
    /// Bytes of the buffers of the job.
    job_bytes: u64,
    rooms: Vec<SearchRoom<M::Buffer>>,
    uploads: Vec<Upload<M::Buffer>>,
    searches: VecDeque<OpenSearch<M>>,
    batches: VecDeque<OpenBatch>,
    begun: u64,
    depth_rule: SplitDepthRule,
    ahead: FetchAhead,
    boxes: BlockBoxes,
    processor: Blockwise<AutoSearch>,
    /// Blocks that the processor searched because the machine had failed.
    fallbacks: u64,
}

impl<M: KernelMachine> DeviceBroadPhase<M> {
    /// A broad phase on a machine.
    pub(crate) fn new(machine: M, limits: DeviceLimits) -> Self {
        let limits = DeviceLimits { most_bytes: limits.most_bytes.min(machine.most_bytes()), ..limits };
        machine.memory().limit(limits.memory_bytes);
        Self {
            machine: Some(machine),
            failure: None,
            used: DeviceUse::default(),
            limits,
            halvings: 0,
            job: None,
            job_bytes: 0,
            rooms: Vec::new(),
            uploads: Vec::new(),
            searches: VecDeque::new(),
            batches: VecDeque::new(),
            begun: 0,
            depth_rule: SplitDepthRule::default(),
            ahead: FetchAhead::default(),
            boxes: BlockBoxes::new(),
            processor: Blockwise::new(AutoSearch),
            fallbacks: 0,
        }
    }

    /// Drops all that is on the machine. One that is out of memory is given less at a time from now
    /// on, several times; any other is given up.
    fn fail(&mut self, failure: DeviceFailure) {
        self.searches.clear();
        self.rooms.clear();
        self.uploads.clear();
        self.job = None;
        for batch in &mut self.batches {
            *batch = OpenBatch::new(batch.number, batch.found.len());
        }
        if let (DeviceFailure::OutOfMemory(_), Some(machine)) = (&failure, &mut self.machine)
            && self.halvings < MOST_HALVINGS
        {
            self.halvings += 1;
            self.limits = self.limits.halved(machine.memory().most());
            machine.recover();
            return;
        }
        self.used = self.machine.take().map(|machine| machine.usage()).unwrap_or_default();
        self.failure.get_or_insert(failure);
    }

    /// Begins a batch on the machine, which waits in the list.
    fn begin_batch(
        &mut self,
        job: &BroadScene,
        scene: &Scene,
        blocks: &[&FrameBlock],
        number: u64,
    ) -> Result<(), DeviceFailure> {
        let slots = job.slots() as u32;
        let Some(machine) = &mut self.machine else { return Ok(()) };
        if is_too_large(slots, &self.limits) {
            return Err(DeviceFailure::TooLarge(format!("{slots} bodies do not fit into a binding")));
        }
        if self.job.as_ref().is_none_or(|own| own.serial != job.serial) {
            self.rooms.clear();
            self.job = None;
            let before = machine.memory().taken();
            self.job = Some(JobBuffers::new(machine, job, scene)?);
            self.job_bytes = machine.memory().taken().saturating_sub(before);
        }
        let fixed = self.job.as_ref().map_or(0, |own| own.fixed);
        let depth = self.depth_rule.depth();
        if let Some(batch) = self.batches.iter_mut().find(|batch| batch.number == number) {
            batch.is_begun = true;
            batch.depth = depth;
            batch.samples = blocks.iter().map(|block| block.samples.len()).sum();
        }
        let mut made: Option<usize> = None;
        for upload in plan(blocks, slots, fixed, depth, &self.limits) {
            self.begin_upload(job, scene, blocks, upload, &mut made, number)?;
        }
        Ok(())
    }

    /// Uploads boxes and begins their searches. `made`: the block whose boxes were made last.
    fn begin_upload(
        &mut self,
        job: &BroadScene,
        scene: &Scene,
        blocks: &[&FrameBlock],
        plan: UploadPlan,
        made: &mut Option<usize>,
        number: u64,
    ) -> Result<(), DeviceFailure> {
        let UploadPlan { stride, parts, searches } = plan;
        let bytes = parts.len() as u64 * part_bytes(job.slots() as u32, stride);
        let upload = self.free_upload(bytes)?;
        let Some(machine) = &mut self.machine else { return Ok(()) };
        let (own, target) = (&mut self.boxes, &self.uploads[upload].boxes);
        machine.write_with(target, bytes, &mut |append| {
            for &(block, first) in &parts {
                if *made != Some(block) {
                    own.make(job, blocks[block], &mut Vec::<()>::new(), |_, _| ());
                    *made = Some(block);
                }
                append_part(append, &own.boxes, first, stride);
            }
        });
        let parts = Arc::new(parts);
        for (method, worlds) in searches {
            // The upload keeps its index while buffers are made.
            self.uploads[upload].readers += 1;
            let room = self.room(scene, job, &worlds, bytes)?;
            let (Some(machine), Some(own)) = (&mut self.machine, &self.job) else { return Ok(()) };
            let source = BoxSource { boxes: &self.uploads[upload].boxes, stride };
            let search = WorldSearch::begin(machine, own, &room, source, worlds, method, self.ahead);
            let parts = Arc::clone(&parts);
            self.searches.push_back(OpenSearch { search, room, upload, stride, parts, batch: number });
            if let Some(batch) = self.batches.iter_mut().find(|batch| batch.number == number) {
                batch.open += 1;
            }
        }
        Ok(())
    }

    /// Returns the index of a box buffer of at least `bytes` bytes that no search reads.
    fn free_upload(&mut self, bytes: u64) -> Result<usize, DeviceFailure> {
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
            // The smaller one goes before the larger one comes.
            *own = Upload { boxes: machine.buffer(0)?, bytes: 0, readers: 0 };
            *own = Upload { boxes: machine.buffer(bytes)?, bytes, readers: 0 };
        }
        Ok(at)
    }

    /// Returns the buffers for a search of worlds whose boxes take `upload_bytes` bytes. If they do
    /// not fit, the earliest searches are finished first.
    fn room(
        &mut self,
        scene: &Scene,
        job: &BroadScene,
        worlds: &[World],
        upload_bytes: u64,
    ) -> Result<SearchRoom<M::Buffer>, DeviceFailure> {
        let fixed = self.job.as_ref().map_or(0, |own| own.fixed);
        let size = RoomSize::of(worlds.len() as u32, job.slots() as u32, fixed, &self.limits);
        // An upload lies on the device and, until it is copied, in host memory that is counted too.
        let most = self.limits.searches_that_fit(size.bytes() + 2 * upload_bytes, self.job_bytes);
        while self.searches.len() >= most {
            self.finish_search(scene, job)?;
        }
        let Some(machine) = &mut self.machine else {
            return Err(DeviceFailure::Lost("before a search".to_owned()));
        };
        self.rooms.truncate(most - self.searches.len());
        if let Some(room) = self.rooms.pop().filter(|room| room.holds(&size)) {
            return Ok(room);
        }
        SearchRoom::new(machine, &size)
    }

    /// Finishes the earliest search.
    fn finish_search(&mut self, scene: &Scene, job: &BroadScene) -> Result<(), DeviceFailure> {
        let (Some(machine), Some(own), Some(mut open)) = (&mut self.machine, &self.job, self.searches.pop_front())
        else {
            return Err(DeviceFailure::Lost("before a search was finished".to_owned()));
        };
        let source = BoxSource { boxes: &self.uploads[open.upload].boxes, stride: open.stride };
        open.search.finish(machine, own, &open.room, source)?;
        self.uploads[open.upload].readers -= 1;
        self.ahead.learn(open.search.most_kept);
        let filters = own.leaves_rules(scene);
        if let Some(batch) = self.batches.iter_mut().find(|batch| batch.number == open.batch) {
            batch.take(&open, scene, job, filters);
        }
        self.rooms.push(open.room);
        Ok(())
    }

    /// Searches a batch that is on the machine as often as asked, with buffers of its own for each
    /// search: all windows, without fetching their pairs. Returns the mean time.
    fn repeat(&mut self, job: &BroadScene, scene: &Scene, blocks: &[&FrameBlock], rounds: usize) -> Option<f64> {
        let limits = self.limits.clone();
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
                let stays = FetchAhead::NOTHING;
                open.search = WorldSearch::begin(machine, own, &open.room, source, worlds, method, stays);
            }
            for open in &mut self.searches {
                let source = BoxSource { boxes: &self.uploads[open.upload].boxes, stride: open.stride };
                open.search.finish(machine, own, &open.room, source).ok()?;
            }
        }
        let seconds = begun.elapsed().as_secs_f64() / rounds as f64;
        let is_whole = self.searches.len() == self.batches.back().map_or(0, |batch| batch.open);
        self.searches.clear();
        self.batches.clear();
        self.uploads.clear();
        self.limits = limits;
        is_whole.then_some(seconds)
    }

    /// Finishes the earliest batch on the machine; `None` if the machine cannot have it.
    fn finish_batch(&mut self, scene: &Scene, job: &BroadScene, blocks: &[&FrameBlock]) -> Option<OpenBatch> {
        let number = self.batches.front().map(|batch| batch.number)?;
        while self.machine.is_some() {
            let step = match self.batches.front() {
                Some(batch) if job.slots() > 0 && !batch.is_begun => self.begin_batch(job, scene, blocks, number),
                Some(batch) if batch.open > 0 => self.finish_search(scene, job),
                _ => return self.batches.pop_front(),
            };
            if let Err(failure) = step {
                self.fail(failure);
            }
        }
        self.batches.pop_front();
        None
    }
}

impl<M: KernelMachine> BroadPhase for DeviceBroadPhase<M> {
    fn name(&self) -> &'static str {
        "gpu"
    }

    fn candidates(&mut self, job: &BroadScene, scene: &Scene, block: &FrameBlock) -> Vec<Candidate> {
        self.begin(job, scene, &[block]);
        self.finish(job, scene, &[block]).pop().unwrap_or_default()
    }

    /// Searches each block alone on the processor, which has the poses.
    fn interval_candidates(&mut self, job: &BroadScene, scene: &Scene, block: &FrameBlock) -> Vec<Candidate> {
        self.processor.interval_candidates(job, scene, block)
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

    fn bus_seconds(&mut self, bytes: u64) -> Option<[f64; 2]> {
        let machine = self.machine.as_mut()?;
        let (buffer, bytes) = (machine.buffer(bytes).ok()?, vec![0; bytes as usize]);
        let mut fetch = |from: u64| {
            let fetch = machine.fetch(&[Region { buffer: &buffer, from, bytes: bytes.len() as u64 - from }]);
            machine.receive(fetch).ok()
        };
        // The first use of a buffer takes longer.
        fetch(0)?;
        let begun = Instant::now();
        fetch(0)?;
        let fetched = begun.elapsed().as_secs_f64();
        let begun = Instant::now();
        machine.write(&buffer, 0, &bytes);
        let last = machine.fetch(&[Region { buffer: &buffer, from: 0, bytes: 4 }]);
        machine.receive(last).ok()?;
        Some([begun.elapsed().as_secs_f64(), fetched])
    }

    fn works_beside(&self) -> bool {
        true
    }

    fn device_report(&self) -> Option<DeviceReport> {
        let DeviceUse { most_bytes, written_bytes, fetched_bytes, fetches, kernels } =
            self.machine.as_ref().map_or_else(|| self.used.clone(), M::usage);
        let failure = self.failure.as_ref().map(ToString::to_string);
        Some(DeviceReport {
            memory_bytes: most_bytes,
            memory_limit_bytes: self.limits.memory_bytes,
            written_bytes,
            fetched_bytes,
            fetches,
            halvings: self.halvings,
            kernels,
            failure,
            failure_kind: self.failure.as_ref().map(DeviceFailure::kind),
            fallback_blocks: self.fallbacks,
        })
    }

    fn begin(&mut self, job: &BroadScene, scene: &Scene, blocks: &[&FrameBlock]) {
        self.batches.push_back(OpenBatch::new(self.begun, blocks.len()));
        if job.slots() > 0
            && let Err(failure) = self.begin_batch(job, scene, blocks, self.begun)
        {
            self.fail(failure);
        }
        self.begun += 1;
    }

    fn finish(&mut self, job: &BroadScene, scene: &Scene, blocks: &[&FrameBlock]) -> Vec<Vec<Candidate>> {
        let Some(batch) = self.finish_batch(scene, job, blocks) else {
            self.fallbacks += blocks.len() as u64;
            return blocks.iter().map(|block| self.processor.candidates(job, scene, block)).collect();
        };
        if batch.work.search > 0.0 {
            self.depth_rule.record(batch.depth, batch.samples, batch.work);
        }
        let fixed = blocks.iter().map(|block| static_pairs(&AutoSearch, self.boxes.simd, job, scene, block));
        let found = batch.found.into_iter().zip(fixed);
        let merged = found.map(|(mut own, fixed)| {
            own.extend(fixed);
            sort_and_merge(own, scene.bodies.len())
        });
        merged.collect()
    }
}

/// The boxes as they are uploaded: columns of 64 samples.
const _: () = assert!(size_of::<Boxes64>() == 6 * 64 * 4);
