//! Adapters: the list of them, and the choice of one.

use std::fmt;
use thiserror::Error;

/// A graphics adapter of this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdapterDescription {
    /// Name that its driver gives.
    pub name: String,
    /// `discrete`, `integrated`, `virtual`, `software` or `other`.
    pub kind: &'static str,
    /// `vulkan`, `metal` or `dx12`.
    pub backend: String,
    /// The driver and its version.
    pub driver: String,
    /// Most bytes of a buffer that a kernel binds.
    pub binding_bytes: u64,
    /// Most workgroups along an axis.
    pub groups: u32,
}

impl fmt::Display for AdapterDescription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}, {}, {})", self.name, self.kind, self.backend, self.driver)
    }
}

/// Why there is no device.
#[derive(Debug, Clone, Error, PartialEq, Eq)]
pub enum NoDevice {
    /// No adapter that computes by itself.
    #[error("this machine has no graphics adapter that a Vulkan, Metal or DX12 driver shows")]
    NoAdapter,
    /// Only adapters that compute on the processor.
    #[error("this machine has software adapters only: {0}")]
    OnlySoftware(String),
    /// No adapter of this name.
    #[error("no adapter's name contains `{0}`; there are: {1}")]
    NoSuchName(String, String),
    /// The adapter can not do what the kernels need.
    #[error("{0} cannot be used: {1}")]
    Refused(String, String),
}

/// All adapters, the preferred one first: discrete before integrated before virtual ones, software
/// last.
pub fn adapters() -> Vec<AdapterDescription> {
    found().iter().map(|(_, description)| description.clone()).collect()
}

/// An adapter with its description, by preference.
pub(super) fn found() -> Vec<(wgpu::Adapter, AdapterDescription)> {
    let backends = wgpu::Backends::PRIMARY;
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends,
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    let adapters = pollster::block_on(instance.enumerate_adapters(backends));
    let mut found: Vec<_> = adapters
        .into_iter()
        .map(|adapter| {
            let description = describe(&adapter);
            (adapter, description)
        })
        .collect();
    found.sort_by_key(|(adapter, _)| rank(adapter.get_info().device_type));
    found
}

/// The place of a kind among all: lower is better.
fn rank(kind: wgpu::DeviceType) -> usize {
    match kind {
        wgpu::DeviceType::DiscreteGpu => 0,
        wgpu::DeviceType::IntegratedGpu => 1,
        wgpu::DeviceType::VirtualGpu => 2,
        wgpu::DeviceType::Other => 3,
        wgpu::DeviceType::Cpu => 4,
    }
}

fn describe(adapter: &wgpu::Adapter) -> AdapterDescription {
    let (info, limits) = (adapter.get_info(), adapter.limits());
    AdapterDescription {
        name: info.name,
        kind: ["discrete", "integrated", "virtual", "other", "software"][rank(info.device_type)],
        backend: info.backend.to_string(),
        driver: [info.driver, info.driver_info].join(" ").trim().to_owned(),
        binding_bytes: limits.max_storage_buffer_binding_size,
        groups: limits.max_compute_workgroups_per_dimension,
    }
}

/// The adapter whose name contains `name`, whatever its case; without a name, the preferred one
/// that is no software.
pub(super) fn choose(name: Option<&str>) -> Result<(wgpu::Adapter, AdapterDescription), NoDevice> {
    let mut found = found();
    let names = |found: &[(wgpu::Adapter, AdapterDescription)]| {
        let names: Vec<&str> = found.iter().map(|(_, own)| own.name.as_str()).collect();
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    };
    let at = match name {
        Some(name) => {
            let wanted = name.to_lowercase();
            let at = found.iter().position(|(_, own)| own.name.to_lowercase().contains(&wanted));
            at.ok_or_else(|| NoDevice::NoSuchName(name.to_owned(), names(&found)))?
        }
        None if found.is_empty() => return Err(NoDevice::NoAdapter),
        None => {
            let at = found.iter().position(|(_, own)| own.kind != "software");
            at.ok_or_else(|| NoDevice::OnlySoftware(names(&found)))?
        }
    };
    Ok(found.swap_remove(at))
}
