//! Machines that execute kernels.

use super::Kernel;
use super::failure::DeviceFailure;
use super::memory::DeviceMemory;
use bytemuck::Pod;
use std::sync::Arc;
use std::time::Duration;

/// Usage of a device.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct DeviceUse {
    /// The most bytes of its memory at a time.
    pub most_bytes: u64,
    /// Bytes that were written to it, and fetched from it.
    pub written_bytes: u64,
    pub fetched_bytes: u64,
    /// Number of fetches.
    pub fetches: u64,
    /// The time of each kernel, where the device has a clock.
    pub kernels: Option<Vec<(&'static str, Duration)>>,
}

/// Bytes of a buffer.
#[derive(Debug)]
pub(crate) struct Region<'a, B> {
    pub buffer: &'a B,
    pub from: u64,
    pub bytes: u64,
}

/// A function that hands bytes, piece by piece, to the function that it is given.
pub(crate) type Pieces<'a> = dyn FnMut(&mut dyn FnMut(&[u8])) + 'a;

/// A machine that executes kernels: commands are collected, begun together, and done in order.
pub(crate) trait KernelMachine: Send {
    /// Memory of the device. Dropping it frees it once no command needs it.
    type Buffer: Send;
    /// Bytes on their way from the device.
    type Fetch: Send;

    /// Most bytes of a buffer that a kernel binds.
    fn most_bytes(&self) -> u64;

    /// Memory that is taken, and its limit.
    fn memory(&self) -> &Arc<DeviceMemory>;

    /// Returns a buffer of `bytes` zeros (a multiple of 4).
    ///
    /// # Errors
    /// The device has too little memory.
    fn buffer(&mut self, bytes: u64) -> Result<Self::Buffer, DeviceFailure>;

    /// Writes to a buffer before any command that was not begun yet.
    fn write(&mut self, buffer: &Self::Buffer, from: u64, bytes: &[u8]);

    /// Writes like [`Self::write`] to the first `bytes` of a buffer, piece by piece: `pieces` hands
    /// over pieces of a multiple of 8 bytes, `bytes` bytes in all.
    fn write_with(&mut self, buffer: &Self::Buffer, bytes: u64, pieces: &mut Pieces<'_>);

    /// Zeros in the first bytes of a buffer.
    fn clear(&mut self, buffer: &Self::Buffer, bytes: u64);

    /// Runs `groups` workgroups of a kernel.
    fn run<P: Pod>(&mut self, kernel: Kernel, params: &P, buffers: &[&Self::Buffer], groups: u32);

    /// Begins all commands so far, after which the regions, one after the other, are fetched.
    fn fetch(&mut self, regions: &[Region<'_, Self::Buffer>]) -> Self::Fetch;

    /// Waits for what was fetched; its words.
    ///
    /// # Errors
    /// The device failed, now or before.
    fn receive(&mut self, fetch: Self::Fetch) -> Result<Vec<u32>, DeviceFailure>;

    /// Forgets that it was out of memory, with all commands that were not begun. A device that is
    /// lost stays lost.
    fn recover(&mut self) {}

    /// Returns the usage so far.
    fn usage(&self) -> DeviceUse {
        DeviceUse::default()
    }
}
