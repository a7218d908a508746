//! Memory of a device: how much is taken, and how much was at most.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes that are taken, and the most that were.
#[derive(Debug, Default)]
pub(super) struct DeviceMemory {
    taken: AtomicU64,
    most: AtomicU64,
}

impl DeviceMemory {
    /// The most bytes that were taken at a time.
    pub(super) fn most(&self) -> u64 {
        self.most.load(Ordering::Relaxed)
    }
}

/// A buffer of a device, whose bytes are counted while it lives.
#[derive(Debug)]
pub(super) struct CountedBuffer {
    pub(super) buffer: wgpu::Buffer,
    memory: Arc<DeviceMemory>,
}

impl CountedBuffer {
    /// Counts a buffer.
    pub(super) fn new(buffer: wgpu::Buffer, memory: &Arc<DeviceMemory>) -> Self {
        let taken = memory.taken.fetch_add(buffer.size(), Ordering::Relaxed) + buffer.size();
        memory.most.fetch_max(taken, Ordering::Relaxed);
        Self { buffer, memory: Arc::clone(memory) }
    }
}

impl Drop for CountedBuffer {
    fn drop(&mut self) {
        self.memory.taken.fetch_sub(self.buffer.size(), Ordering::Relaxed);
    }
}
