//! Memory of the host from which the device copies what is uploaded: mapped, written, copied, and
//! mapped again. It is counted as memory of the device.

use super::super::kernel::{DeviceFailure, DeviceMemory, TakenMemory};
use rayon::prelude::*;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

/// Bytes of a buffer that several small uploads share; a larger upload has a buffer of its own.
const SHARED_BYTES: u64 = 16 << 10;
/// Bytes that a thread copies at a time.
const COPY_BYTES: usize = 1 << 20;

/// A buffer that is copied from.
#[derive(Debug)]
struct UploadBuffer {
    buffer: wgpu::Buffer,
    /// Bytes that were written since it was mapped.
    used: u64,
    _taken: TakenMemory,
}

/// All such buffers.
#[derive(Debug)]
pub(super) struct UploadRing {
    /// Mapped, and written in part.
    open: Vec<UploadBuffer>,
    /// Mapped and empty.
    free: Vec<UploadBuffer>,
    /// Channel by which buffers that the device is done with come back, mapped.
    sender: Sender<UploadBuffer>,
    receiver: Receiver<UploadBuffer>,
}

impl Default for UploadRing {
    fn default() -> Self {
        let (sender, receiver) = channel();
        Self { open: Vec::new(), free: Vec::new(), sender, receiver }
    }
}

/// Place at which bytes are written.
#[derive(Debug)]
pub(super) struct UploadPlace {
    pub(super) buffer: wgpu::Buffer,
    pub(super) offset: u64,
}

impl UploadPlace {
    /// Writes bytes at the offset `after` (a multiple of 8) of this place, on all threads of the
    /// pool.
    pub(super) fn write(&self, after: u64, bytes: &[u8]) {
        let write = |(chunk, part): (usize, &[u8])| {
            let from = self.offset + after + (chunk * COPY_BYTES) as u64;
            // Without a range there is no buffer, and the driver has reported why.
            if let Ok(mut view) = self.buffer.get_mapped_range_mut(from..from + part.len() as u64) {
                view.copy_from_slice(part);
            }
        };
        match bytes.len() {
            0 => (),
            1..=COPY_BYTES => write((0, bytes)),
            _ => bytes.par_chunks(COPY_BYTES).enumerate().for_each(write),
        }
    }
}

impl UploadRing {
    /// Returns a place for `bytes` bytes, in an open buffer if one has space.
    ///
    /// # Errors
    /// The device has too little memory.
    pub(super) fn place(
        &mut self,
        device: &wgpu::Device,
        memory: &Arc<DeviceMemory>,
        bytes: u64,
    ) -> Result<UploadPlace, DeviceFailure> {
        let step = bytes.next_multiple_of(wgpu::MAP_ALIGNMENT);
        let has_room = |own: &UploadBuffer| own.buffer.size() - own.used >= step;
        let at = match self.open.iter().position(has_room) {
            Some(at) => at,
            None => {
                let own = self.free_buffer(device, memory, step)?;
                self.open.push(own);
                self.open.len() - 1
            }
        };
        let own = &mut self.open[at];
        let place = UploadPlace { buffer: own.buffer.clone(), offset: own.used };
        own.used += step;
        Ok(place)
    }

    /// Returns an empty buffer of at least `bytes` bytes. If all large buffers are too small, they
    /// are freed before a larger one is made.
    fn free_buffer(
        &mut self,
        device: &wgpu::Device,
        memory: &Arc<DeviceMemory>,
        bytes: u64,
    ) -> Result<UploadBuffer, DeviceFailure> {
        self.free.extend(self.receiver.try_iter());
        let is_shared = |size: u64| size <= SHARED_BYTES;
        let fits = |own: &UploadBuffer| own.buffer.size() >= bytes && is_shared(own.buffer.size()) == is_shared(bytes);
        if let Some(at) = self.free.iter().position(fits) {
            return Ok(self.free.swap_remove(at));
        }
        self.free.retain(|own| is_shared(own.buffer.size()));
        let size = bytes.next_multiple_of(SHARED_BYTES);
        let taken = memory.take(size)?;
        let buffer = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("uploaded"),
            size,
            usage: wgpu::BufferUsages::MAP_WRITE | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: true,
        });
        Ok(UploadBuffer { buffer, used: 0, _taken: taken })
    }

    /// Gives the buffers that were written to the device; to be called before the commands that
    /// copy from them begin. [`Self::take_back`] follows.
    pub(super) fn close(&mut self) -> Vec<ClosedUpload> {
        let close = |own: UploadBuffer| {
            own.buffer.unmap();
            ClosedUpload(own)
        };
        self.open.drain(..).map(close).collect()
    }

    /// Maps buffers again once the commands are done that were begun.
    pub(super) fn take_back(&self, closed: Vec<ClosedUpload>) {
        for ClosedUpload(mut own) in closed {
            own.used = 0;
            let (buffer, sender) = (own.buffer.clone(), self.sender.clone());
            buffer.map_async(wgpu::MapMode::Write, .., move |result| {
                // A buffer that cannot be mapped, or that comes after the last upload, is dropped.
                if result.is_ok() {
                    let _ = sender.send(own);
                }
            });
        }
    }

    /// Drops the buffers that nothing was written to.
    pub(super) fn drop_free(&mut self) {
        self.receiver.try_iter().for_each(drop);
        self.free.clear();
    }

    /// Drops all buffers that the device has not.
    pub(super) fn clear(&mut self) {
        self.open.clear();
        self.drop_free();
    }
}

/// A buffer that the device copies from.
#[derive(Debug)]
pub(super) struct ClosedUpload(UploadBuffer);
