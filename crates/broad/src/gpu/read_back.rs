//! Buffers of the host into which the device copies what is fetched. They are counted as memory of
//! the device.

use super::super::kernel::{DeviceFailure, DeviceMemory, TakenMemory};
use std::sync::Arc;

/// Size step of a buffer: its bytes are a multiple of this.
const STEP_BYTES: u64 = 16 << 10;

/// A buffer to fetch into.
#[derive(Debug)]
pub(super) struct ReadBuffer {
    pub(super) buffer: wgpu::Buffer,
    _taken: TakenMemory,
}

/// Buffers that nothing is fetched into now.
#[derive(Debug, Default)]
pub(super) struct ReadBuffers(Vec<ReadBuffer>);

impl ReadBuffers {
    /// Returns a buffer of at least `bytes` bytes. If all buffers are too small, they are freed
    /// before a larger one is made.
    ///
    /// # Errors
    /// The device has too little memory.
    pub(super) fn take(
        &mut self,
        device: &wgpu::Device,
        memory: &Arc<DeviceMemory>,
        bytes: u64,
    ) -> Result<ReadBuffer, DeviceFailure> {
        if let Some(at) = self.0.iter().position(|own| own.buffer.size() >= bytes) {
            return Ok(self.0.swap_remove(at));
        }
        self.0.clear();
        let size = bytes.next_multiple_of(STEP_BYTES);
        let taken = memory.take(size)?;
        let buffer = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("fetched"),
            size,
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        Ok(ReadBuffer { buffer, _taken: taken })
    }

    /// Takes a buffer back that is not mapped any more.
    pub(super) fn put_back(&mut self, own: ReadBuffer) {
        self.0.push(own);
    }

    /// Drops them all.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}
