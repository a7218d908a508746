//! Kernels on a GPU.

use super::super::kernel::{
    Access, DeviceFailure, DeviceFaults, DeviceMemory, DeviceUse, Kernel, KernelMachine, Pieces, Region, TakenMemory,
};
use super::adapter::{AdapterDescription, NoDevice, choose};
use super::clock::{KernelClock, TIMES_BYTES};
use super::failure_slot::FailureSlot;
use super::read_back::{ReadBuffer, ReadBuffers};
use super::upload_ring::{UploadPlace, UploadRing};
use bytemuck::Pod;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Bytes of the parameters of a dispatch: what the offset of a uniform binding is a multiple of on
/// every device.
const PARAMS_BYTES: u64 = 256;
/// Dispatches that may be collected.
const PARAMS_SLOTS: u64 = 4096;
/// The smallest buffer, so that none is smaller than a record.
const LEAST_BYTES: u64 = 256;
/// Bytes of one buffer that are enough on any card.
const ENOUGH_BYTES: u64 = 2 << 30;

/// Time after which an answer is given up. Drivers give up commands that take seconds; drivers that
/// compute on the processor take their time.
const PATIENCE: Duration = Duration::from_secs(300);

/// A GPU that executes kernels.
#[derive(Debug)]
pub(super) struct GpuMachine {
    device: wgpu::Device,
    queue: wgpu::Queue,
    pipelines: HashMap<Kernel, wgpu::ComputePipeline>,
    /// Commands that were not begun yet, and copies of what was written, which come before them.
    encoder: Option<wgpu::CommandEncoder>,
    uploading: Option<wgpu::CommandEncoder>,
    params: wgpu::Buffer,
    /// The parameters of the dispatches that were not begun yet, each in a place of its own.
    placed: Vec<u8>,
    pub(super) failure: FailureSlot,
    most_bytes: u64,
    most_groups: u32,
    /// Fetches after which the device is lost on purpose, or no longer answers.
    loses_after: Option<u64>,
    stalls_after: Option<u64>,
    patience: Duration,
    fetches: u64,
    uploads: UploadRing,
    spare: ReadBuffers,
    memory: Arc<DeviceMemory>,
    written_bytes: u64,
    fetched_bytes: u64,
    clock: Option<KernelClock>,
}

/// A buffer on a GPU.
#[derive(Debug)]
pub(super) struct GpuBuffer {
    buffer: wgpu::Buffer,
    _taken: TakenMemory,
}

/// Bytes on their way; `None` if there was no memory for them.
#[derive(Debug)]
pub(super) struct GpuFetch(Option<OpenFetch>);

#[derive(Debug)]
struct OpenFetch {
    to: ReadBuffer,
    bytes: u64,
    mapped: Receiver<bool>,
    submission: wgpu::SubmissionIndex,
    /// Kernels whose times follow the bytes.
    timed: Vec<Kernel>,
}

impl GpuMachine {
    /// Opens an adapter, see [`choose`], and compiles the kernels.
    ///
    /// # Errors
    /// There is none, or it cannot be used.
    pub(super) fn open(name: Option<&str>) -> Result<(Self, AdapterDescription), NoDevice> {
        let (adapter, description) = choose(name)?;
        let refused = |reason: String| NoDevice::Refused(description.name.clone(), reason);
        let limits = adapter.limits();
        let required_features = adapter.features() & wgpu::Features::TIMESTAMP_QUERY;
        let request =
            wgpu::DeviceDescriptor { required_features, required_limits: limits.clone(), ..Default::default() };
        let (device, queue) =
            pollster::block_on(adapter.request_device(&request)).map_err(|error| refused(error.to_string()))?;
        let failure = FailureSlot::default();
        failure.watch(&device);
        let pipelines = Kernel::ALL.map(|kernel| (kernel, pipeline(&device, kernel)));
        if let Some(failure) = failure.failure() {
            return Err(refused(failure.to_string()));
        }
        let params = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("parameters"),
            size: PARAMS_BYTES * PARAMS_SLOTS,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let most_bytes = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size).min(ENOUGH_BYTES);
        let clock = KernelClock::new(&device, &queue);
        let machine = Self {
            device,
            queue,
            pipelines: pipelines.into_iter().collect(),
            encoder: None,
            uploading: None,
            params,
            placed: Vec::new(),
            failure,
            most_bytes,
            most_groups: limits.max_compute_workgroups_per_dimension,
            loses_after: None,
            stalls_after: None,
            patience: PATIENCE,
            fetches: 0,
            uploads: UploadRing::default(),
            spare: ReadBuffers::default(),
            memory: Arc::default(),
            written_bytes: 0,
            fetched_bytes: 0,
            clock,
        };
        Ok((machine, description))
    }

    /// Simulates these faults from now on. A lost device is destroyed, as by a driver that gives
    /// up.
    pub(super) fn simulate(&mut self, faults: &DeviceFaults) {
        self.loses_after = faults.lost_after;
        self.stalls_after = faults.stalls_after;
        self.patience = faults.patience.unwrap_or(self.patience);
        self.most_groups = self.most_groups.min(faults.groups.unwrap_or(u32::MAX));
        faults.memory_bytes.into_iter().for_each(|bytes| self.memory.limit(bytes));
    }

    fn encoder(&mut self) -> &mut wgpu::CommandEncoder {
        let Self { device, encoder, .. } = self;
        encoder.get_or_insert_with(|| device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default()))
    }

    /// Begins all commands so far.
    fn submit(&mut self) -> wgpu::SubmissionIndex {
        if !self.placed.is_empty() {
            let (placed, params) = (std::mem::take(&mut self.placed), self.params.clone());
            if !self.upload(&params, 0, placed.len() as u64, |place| place.write(0, &placed)) {
                // Commands without their parameters do not begin; why is noted.
                self.encoder = None;
            }
        }
        let closed = self.uploads.close();
        let commands = [self.uploading.take(), self.encoder.take()];
        let submission = self.queue.submit(commands.into_iter().flatten().map(wgpu::CommandEncoder::finish));
        self.uploads.take_back(closed);
        submission
    }

    /// Copies bytes to a buffer before all commands that were not begun yet: `write` writes them
    /// where they are copied from. Returns whether there is memory for them.
    fn upload(&mut self, to: &wgpu::Buffer, from: u64, bytes: u64, write: impl FnOnce(&UploadPlace)) -> bool {
        if bytes == 0 {
            return true;
        }
        let mut place = self.uploads.place(&self.device, &self.memory, bytes);
        if place.is_err() {
            // Buffers from which the device still copies come back; the ones that are too small are
            // freed.
            self.wait(None);
            self.uploads.drop_free();
            place = self.uploads.place(&self.device, &self.memory, bytes);
        }
        match place {
            Ok(place) => {
                write(&place);
                let Self { device, uploading, .. } = self;
                let encoder = uploading.get_or_insert_with(|| device.create_command_encoder(&Default::default()));
                encoder.copy_buffer_to_buffer(&place.buffer, place.offset, to, from, Some(bytes));
                true
            }
            Err(failure) => {
                self.failure.report(failure);
                false
            }
        }
    }

    /// Waits for a submission, or for all of them: until it is done, the device is lost, or
    /// patience ends, which is as if it were lost. What the driver says.
    fn wait(&mut self, submission_index: Option<wgpu::SubmissionIndex>) -> String {
        if self.stalls_after.is_some_and(|after| self.fetches > after) {
            self.give_up();
            return "nothing".to_owned();
        }
        let wait = wgpu::PollType::Wait { submission_index, timeout: Some(self.patience) };
        // A device that is lost while it is waited for makes wgpu panic, after it has called back
        // and freed its locks.
        let polled = catch_unwind(AssertUnwindSafe(|| self.device.poll(wait)));
        match &polled {
            Ok(Err(wgpu::PollError::Timeout)) => self.give_up(),
            Ok(_) => (),
            Err(_) => self.failure.lose("while it was waited for".to_owned()),
        }
        polled.map_or_else(|_| "a panic".to_owned(), |polled| format!("{polled:?}"))
    }

    /// The failure, if there is one.
    fn failed(&mut self) -> Option<DeviceFailure> {
        if matches!(self.failure.failure(), Some(DeviceFailure::Refused(_))) {
            // A driver that lost its device refuses commands first, and calls back when it is
            // waited for.
            self.wait(None);
        }
        self.failure.failure()
    }

    /// Counts a device that does not answer as lost.
    fn give_up(&mut self) {
        // Who drops the last handle waits for the commands without end. A handle that is never
        // dropped is not the last one.
        std::mem::forget((self.device.clone(), self.queue.clone()));
        self.failure.lose(DeviceFailure::no_answer(self.patience));
    }

    /// The parameters in a place of their own; where that begins.
    fn place_params(&mut self, bytes: &[u8]) -> u64 {
        if self.placed.len() as u64 == PARAMS_SLOTS * PARAMS_BYTES {
            self.clock.iter_mut().for_each(KernelClock::skip);
            self.submit();
        }
        let offset = self.placed.len();
        self.placed.extend_from_slice(bytes);
        self.placed.resize(offset + PARAMS_BYTES as usize, 0);
        offset as u64
    }
}

/// Compiles a kernel.
fn pipeline(device: &wgpu::Device, kernel: Kernel) -> wgpu::ComputePipeline {
    let entry = |binding: u32, ty: wgpu::BufferBindingType| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
        count: None,
    };
    let storage = |access: &Access| wgpu::BufferBindingType::Storage { read_only: *access == Access::Read };
    let buffers = (1..).zip(kernel.bindings()).map(|(binding, access)| entry(binding, storage(access)));
    let entries: Vec<_> = std::iter::once(entry(0, wgpu::BufferBindingType::Uniform)).chain(buffers).collect();
    let bindings = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries });
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &[Some(&bindings)],
        immediate_size: 0,
    });
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some(kernel.file()),
        source: wgpu::ShaderSource::Wgsl(kernel.source().into()),
    });
    device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(kernel.file()),
        layout: Some(&layout),
        module: &module,
        entry_point: Some(kernel.entry()),
        // Kernels write what they share before they read it; each says how.
        compilation_options: wgpu::PipelineCompilationOptions {
            zero_initialize_workgroup_memory: false,
            ..Default::default()
        },
        cache: None,
    })
}

impl KernelMachine for GpuMachine {
    type Buffer = GpuBuffer;
    type Fetch = GpuFetch;

    fn most_bytes(&self) -> u64 {
        self.most_bytes
    }

    fn memory(&self) -> &Arc<DeviceMemory> {
        &self.memory
    }

    fn buffer(&mut self, bytes: u64) -> Result<GpuBuffer, DeviceFailure> {
        if bytes > self.most_bytes {
            return Err(DeviceFailure::OutOfMemory(format!("{bytes} bytes are more than a buffer may have")));
        }
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
        let size = bytes.max(LEAST_BYTES);
        let own = self.memory.take(size)?;
        let descriptor = wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false };
        let buffer = self.device.create_buffer(&descriptor);
        self.failed().map_or(Ok(GpuBuffer { buffer, _taken: own }), Err)
    }

    fn write(&mut self, buffer: &GpuBuffer, from: u64, bytes: &[u8]) {
        self.written_bytes += bytes.len() as u64;
        self.upload(&buffer.buffer, from, bytes.len() as u64, |place| place.write(0, bytes));
    }

    fn write_with(&mut self, buffer: &GpuBuffer, bytes: u64, pieces: &mut Pieces<'_>) {
        self.written_bytes += bytes;
        self.upload(&buffer.buffer, 0, bytes, |place| {
            let mut at = 0;
            pieces(&mut |piece| {
                place.write(at, piece);
                at += piece.len() as u64;
            });
            debug_assert_eq!(at, bytes);
        });
    }

    fn clear(&mut self, buffer: &GpuBuffer, bytes: u64) {
        self.encoder().clear_buffer(&buffer.buffer, 0, Some(bytes));
    }

    fn run<P: Pod>(&mut self, kernel: Kernel, params: &P, buffers: &[&GpuBuffer], groups: u32) {
        debug_assert_eq!(buffers.len(), kernel.bindings().len());
        if groups == 0 {
            return;
        }
        let offset = self.place_params(bytemuck::bytes_of(params));
        let size = wgpu::BufferSize::new(size_of::<P>() as u64);
        let params = wgpu::BufferBinding { buffer: &self.params, offset, size };
        let own = wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::Buffer(params) };
        let others = (1..)
            .zip(buffers)
            .map(|(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.buffer.as_entire_binding() });
        let entries: Vec<_> = std::iter::once(own).chain(others).collect();
        let Some(pipeline) = self.pipelines.get(&kernel).cloned() else { return };
        let layout = &pipeline.get_bind_group_layout(0);
        let bound =
            self.device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries });
        let along_x = groups.min(self.most_groups);
        let Self { device, encoder, clock, .. } = self;
        let encoder = encoder.get_or_insert_with(|| device.create_command_encoder(&Default::default()));
        let timestamp_writes = clock.as_mut().and_then(|clock| clock.next(kernel));
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label: None, timestamp_writes });
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &bound, &[]);
        pass.dispatch_workgroups(along_x, groups.div_ceil(along_x), 1);
    }

    fn fetch(&mut self, regions: &[Region<'_, GpuBuffer>]) -> GpuFetch {
        self.fetches += 1;
        if self.loses_after.is_some_and(|after| self.fetches > after) {
            self.device.destroy();
        }
        let bytes = regions.iter().map(|region| region.bytes).sum();
        self.fetched_bytes += bytes;
        let all = bytes + self.clock.as_ref().map_or(0, KernelClock::bytes);
        let to = match self.spare.take(&self.device, &self.memory, all) {
            Ok(to) => to,
            Err(failure) => {
                self.failure.report(failure);
                return GpuFetch(None);
            }
        };
        let mut at = 0;
        for region in regions.iter().filter(|region| region.bytes > 0) {
            let (from, bytes) = (&region.buffer.buffer, Some(region.bytes));
            self.encoder().copy_buffer_to_buffer(from, region.from, &to.buffer, at, bytes);
            at += region.bytes;
        }
        let mut timed = Vec::new();
        if let (Some(clock), Some(encoder)) = (&mut self.clock, &mut self.encoder) {
            timed = clock.end(encoder, &to.buffer, at);
        }
        let submission = self.submit();
        let (done, mapped) = channel();
        to.buffer.map_async(wgpu::MapMode::Read, ..all, move |result| {
            // Nobody waits for a fetch that was given up.
            let _ = done.send(result.is_ok());
        });
        GpuFetch(Some(OpenFetch { to, bytes, mapped, submission, timed }))
    }

    fn receive(&mut self, fetch: GpuFetch) -> Result<Vec<u32>, DeviceFailure> {
        let lost = |why: String| Err(DeviceFailure::Lost(why));
        let Some(OpenFetch { to, bytes, mapped, submission, timed }) = fetch.0 else {
            return self.failed().map_or_else(|| lost("a fetch was not begun".to_owned()), Err);
        };
        let polled = self.wait(Some(submission));
        if let Some(failure) = self.failed() {
            return Err(failure);
        }
        let is_mapped = mapped.try_recv().unwrap_or(false);
        let words = match to.buffer.get_mapped_range(..bytes + TIMES_BYTES * timed.len() as u64) {
            Ok(view) if is_mapped => {
                let (found, times) = view.split_at(bytes as usize);
                self.clock.iter_mut().for_each(|clock| clock.add(&timed, times));
                bytemuck::pod_collect_to_vec(found)
            }
            _ => return lost(format!("a fetch ended with {polled}")),
        };
        to.buffer.unmap();
        self.spare.put_back(to);
        Ok(words)
    }

    fn recover(&mut self) {
        self.encoder = None;
        self.uploading = None;
        self.placed.clear();
        self.spare.clear();
        self.clock.iter_mut().for_each(KernelClock::skip);
        // Memory that was given back is free once no command needs it.
        self.wait(None);
        self.uploads.clear();
        self.failure.forget_out_of_memory();
    }

    fn usage(&self) -> DeviceUse {
        let kernels = self.clock.as_ref().map(KernelClock::spent);
        let Self { written_bytes, fetched_bytes, fetches, .. } = *self;
        DeviceUse { most_bytes: self.memory.most(), written_bytes, fetched_bytes, fetches, kernels }
    }
}
