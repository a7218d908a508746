//! The broad phase on a GPU: the kernels through wgpu, on any Vulkan, Metal or DX12 driver.

mod adapter;
mod clock;
mod machine;
mod memory;

pub use adapter::{AdapterDescription, NoDevice, adapters};

use super::broad_phase::BroadPhase;
use super::kernel::{DeviceBroadPhase, DeviceLimits};
use machine::GpuMachine;

/// The broad phase on an adapter whose name contains `name`; without a name, on the preferred one that is no software.
///
/// # Errors
/// [`NoDevice`]: there is no such adapter, or it cannot be used.
pub fn open(name: Option<&str>) -> Result<(Box<dyn BroadPhase>, AdapterDescription), NoDevice> {
    open_with(name, DeviceLimits::default(), None, None)
}

/// As [`open`], with other limits, at most so many workgroups along an axis, and a device that is lost after so many
/// fetches: for tests.
///
/// # Errors
/// As for [`open`].
#[doc(hidden)]
pub fn open_with(
    name: Option<&str>,
    limits: DeviceLimits,
    groups: Option<u32>,
    loses_after: Option<u64>,
) -> Result<(Box<dyn BroadPhase>, AdapterDescription), NoDevice> {
    let (mut machine, description) = GpuMachine::open(name)?;
    groups.into_iter().for_each(|groups| machine.limit_groups(groups));
    loses_after.into_iter().for_each(|fetches| machine.lose_after(fetches));
    Ok((Box::new(DeviceBroadPhase::new(machine, limits)), description))
}

#[cfg(test)]
mod tests;
