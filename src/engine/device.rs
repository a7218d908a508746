//! Which device searches: the choice of the user, and the broad phase that it comes to.

use super::methods;
use super::options::{Device, JobOptions};
use crate::broad::BroadPhase;
use crate::error::{Error, Result};
use serde_json::Value;
#[cfg(feature = "gpu")]
use serde_json::json;

/// The broad phase `gpu` on the command line.
const GPU: &str = crate::broad::ON_DEVICE;

/// The device of a job.
pub(super) struct OpenDevice {
    /// The broad phase that it searches with; `None`: one by name, on the processor.
    pub(super) broad: Option<Box<dyn BroadPhase>>,
    /// As in the manifest.
    pub(super) adapter: Option<Value>,
}

impl OpenDevice {
    /// Opens the device that the options ask for.
    ///
    /// # Errors
    /// It is not there, or the options contradict each other.
    pub(super) fn open(options: &JobOptions) -> Result<Self> {
        check_device(options)?;
        if options.device != Device::Gpu && options.broad != GPU {
            return Ok(Self { broad: None, adapter: None });
        }
        open_gpu(options.adapter.as_deref())
    }

    /// `cpu` or `gpu`.
    pub(super) fn kind(&self) -> &'static str {
        if self.adapter.is_some() { GPU } else { "cpu" }
    }

    /// The broad phase of a memory: that of the device for the first one, else one by name.
    pub(super) fn broad(&mut self, name: &str) -> Result<Box<dyn BroadPhase>> {
        match self.broad.take() {
            Some(broad) => Ok(broad),
            None => methods::broad(if name == GPU { "auto" } else { name }),
        }
    }
}

/// Whether the options contradict each other.
///
/// # Errors
/// They do, or this build knows no GPU.
pub(crate) fn check_device(options: &JobOptions) -> Result<()> {
    let JobOptions { device, broad, adapter, .. } = options;
    let wants_gpu = *device == Device::Gpu || broad == GPU;
    if *device == Device::Cpu && broad == GPU {
        return Err(Error::usage("--broad gpu", "it does not go with --device cpu", "leave one of them out"));
    }
    if wants_gpu && broad != GPU && broad != "auto" {
        let problem = format!("--broad {broad} searches on the processor");
        return Err(Error::usage("--device gpu", problem, "leave --broad out, or --device"));
    }
    if adapter.is_some() && !wants_gpu {
        return Err(Error::usage("--adapter", "no GPU is asked for", "add --device gpu, or leave --adapter out"));
    }
    if wants_gpu && cfg!(not(feature = "gpu")) {
        let problem = "this program was built without the feature `gpu`";
        return Err(Error::usage("--device gpu", problem, "build it with that feature, or use --device cpu"));
    }
    Ok(())
}

/// The GPU of this name, or the preferred one.
#[cfg(feature = "gpu")]
fn open_gpu(adapter: Option<&str>) -> Result<OpenDevice> {
    let (broad, found) = crate::broad::gpu::open(adapter).map_err(|reason| {
        let remedy = "`clearsweep doctor` lists the adapters; with --device cpu the tables are the same, byte for byte";
        Error::usage("--device gpu", reason, remedy)
    })?;
    let adapter = json!({
        "name": found.name,
        "kind": found.kind,
        "backend": found.backend,
        "driver": found.driver,
    });
    Ok(OpenDevice { broad: Some(broad), adapter: Some(adapter) })
}

/// There is none in this build.
#[cfg(not(feature = "gpu"))]
fn open_gpu(_: Option<&str>) -> Result<OpenDevice> {
    Ok(OpenDevice { broad: None, adapter: None })
}

/// All adapters, the preferred one first, as JSON objects; `is_used`: the one that is used where none is named.
#[cfg(all(feature = "cli", feature = "gpu"))]
pub(crate) fn adapters() -> Vec<Value> {
    let found = crate::broad::gpu::adapters();
    let used = found.iter().position(|own| own.kind != "software");
    let describe = |(at, own): (usize, &crate::broad::gpu::AdapterDescription)| {
        json!({
            "name": own.name,
            "kind": own.kind,
            "backend": own.backend,
            "driver": own.driver,
            "binding_bytes": own.binding_bytes,
            "workgroups": own.groups,
            "is_used": used == Some(at),
        })
    };
    found.iter().enumerate().map(describe).collect()
}

/// This build looks for none.
#[cfg(all(feature = "cli", not(feature = "gpu")))]
pub(crate) fn adapters() -> Vec<Value> {
    Vec::new()
}
