//! The broad phase on a GPU: the kernels through wgpu, on any Vulkan, Metal or DX12 driver.

mod adapter;
mod clock;
mod failure_slot;
mod machine;
mod read_back;
mod upload_ring;

pub use adapter::{AdapterDescription, NoDevice, adapters};

use super::broad_phase::BroadPhase;
use super::kernel::{DeviceBroadPhase, DeviceFaults, DeviceLimits};
use machine::GpuMachine;

/// The broad phase on an adapter whose name contains `name`; without a name, on the preferred one
/// that is no software. It takes at most `memory_bytes` bytes of the device's memory.
///
/// # Errors
/// [`NoDevice`]: there is no such adapter, or it cannot be used.
pub fn open(
    name: Option<&str>,
    memory_bytes: Option<u64>,
) -> Result<(Box<dyn BroadPhase>, AdapterDescription), NoDevice> {
    open_with(name, DeviceLimits::within(memory_bytes), &DeviceFaults::default())
}

/// Opens the device like [`open`], with other limits and with faults: for tests.
///
/// # Errors
/// As for [`open`].
#[doc(hidden)]
pub fn open_with(
    name: Option<&str>,
    limits: DeviceLimits,
    faults: &DeviceFaults,
) -> Result<(Box<dyn BroadPhase>, AdapterDescription), NoDevice> {
    let (mut machine, description) = GpuMachine::open(name)?;
    machine.simulate(faults);
    Ok((Box::new(DeviceBroadPhase::new(machine, limits)), description))
}

#[cfg(test)]
mod tests;
