//! Which device searches: the choice of the user, and the broad phase that it comes to.

use super::device_choice::{AutoChoice, FoundDevice, choose};
use super::methods;
use super::options::{Device, JobOptions};
use clearsweep_base::error::{Error, Result};
use clearsweep_broad::BroadPhase;
use serde_json::Value;
#[cfg(any(feature = "gpu", test))]
use serde_json::json;

/// The broad phase `gpu` on the command line.
const GPU: &str = clearsweep_broad::ON_DEVICE;

/// The device of a job.
pub(super) struct OpenDevice {
    /// The broad phase that it searches with; `None`: one by name, on the processor.
    broad: Option<Box<dyn BroadPhase>>,
    /// The adapter, as in the manifest.
    pub(super) adapter: Option<Value>,
    /// Why this device.
    pub(super) reason: String,
    /// Figures that decided the choice, if the engine had the choice.
    pub(super) auto: Option<AutoChoice>,
}

impl OpenDevice {
    /// Opens the device that the options ask for; `given`: one that is open already. Where the engine has the choice, it is
    /// the processor until [`Self::settle`].
    ///
    /// # Errors
    /// It is not there, or the options contradict each other.
    pub(super) fn open(options: &JobOptions, given: Option<Box<dyn BroadPhase>>) -> Result<Self> {
        check_device(options)?;
        let reason = "it was asked for".to_owned();
        if let Some(broad) = given {
            return Ok(Self { broad: Some(broad), adapter: Some(Value::Null), reason, auto: None });
        }
        if options.device != Device::Gpu && options.broad != GPU {
            return Ok(Self { broad: None, adapter: None, reason, auto: None });
        }
        let found = open_gpu(options.adapter.as_deref(), options.device_memory).map_err(|reason| {
            let remedy = "`clearsweep doctor` lists the adapters, and --adapter NAME chooses one, software too; with --device cpu the \
                          tables are the same, byte for byte";
            Error::usage("--device gpu", reason, remedy)
        })?;
        Ok(Self { broad: Some(found.broad), adapter: Some(found.adapter), reason, auto: None })
    }

    /// Chooses, if the choice was left to the engine. `search_s`: seconds that one thread would search.
    pub(super) fn settle(&mut self, options: &JobOptions, search_s: f64, threads: usize) {
        if self.broad.is_some() || options.device != Device::Auto {
            return;
        }
        if options.broad != "auto" {
            self.reason = format!("--broad {} searches on the processor", options.broad);
            return;
        }
        let memory_bytes = options.device_memory;
        let open = move || open_gpu(None, memory_bytes);
        let (found, reason, auto) = choose(search_s / threads.max(1) as f64, open);
        (self.reason, self.auto) = (reason, Some(auto));
        if let Some(FoundDevice { broad, adapter }) = found {
            (self.broad, self.adapter) = (Some(broad), Some(adapter));
        }
    }

    /// Whether a device searches.
    pub(super) fn is_device(&self) -> bool {
        self.adapter.is_some()
    }

    /// `cpu` or `gpu`.
    pub(super) fn kind(&self) -> &'static str {
        if self.is_device() { GPU } else { "cpu" }
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
pub fn check_device(options: &JobOptions) -> Result<()> {
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

/// The GPU of this name, or the preferred one; at most so many bytes of its memory are taken.
///
/// # Errors
/// Why there is none.
#[cfg(feature = "gpu")]
fn open_gpu(adapter: Option<&str>, memory_bytes: Option<u64>) -> std::result::Result<FoundDevice, String> {
    let (broad, found) = clearsweep_broad::gpu::open(adapter, memory_bytes).map_err(|reason| reason.to_string())?;
    let adapter = json!({
        "name": found.name,
        "kind": found.kind,
        "backend": found.backend,
        "driver": found.driver,
    });
    Ok(FoundDevice { broad, adapter })
}

/// There is none in this build.
///
/// # Errors
/// Always.
#[cfg(not(feature = "gpu"))]
fn open_gpu(_: Option<&str>, _: Option<u64>) -> std::result::Result<FoundDevice, String> {
    Err("this program was built without the feature `gpu`".to_owned())
}

/// All adapters, the preferred one first, as JSON objects; `is_used`: the one that is used where none is named.
#[cfg(feature = "gpu")]
pub fn adapters() -> Vec<Value> {
    let found = clearsweep_broad::gpu::adapters();
    let used = found.iter().position(|own| own.kind != "software");
    let describe = |(at, own): (usize, &clearsweep_broad::gpu::AdapterDescription)| {
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
#[cfg(not(feature = "gpu"))]
pub fn adapters() -> Vec<Value> {
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_engine_chooses_only_where_it_is_left_the_choice() {
        let settled = |device, broad: &str| {
            let options = JobOptions { device, broad: broad.to_owned(), ..JobOptions::default() };
            let mut open = OpenDevice::open(&options, None).expect("the processor");
            open.settle(&options, 0.001, 2);
            assert_eq!((open.kind(), open.is_device(), &open.adapter), ("cpu", false, &None));
            (open.auto.is_some(), open.reason)
        };
        assert_eq!(settled(Device::Cpu, "auto"), (false, "it was asked for".to_owned()));
        assert_eq!(settled(Device::Auto, "tree"), (false, "--broad tree searches on the processor".to_owned()));
        let (chosen, reason) = settled(Device::Auto, "auto");
        assert!(chosen && reason.contains("0.0005 s"), "{reason}");
    }

    #[test]
    fn a_device_that_is_given_is_used() {
        let options = JobOptions::default();
        let given = methods::broad("brute").expect("a method");
        let mut open = OpenDevice::open(&options, Some(given)).expect("it is open");
        open.settle(&options, 1e9, 1);
        assert!(open.is_device() && open.auto.is_none() && open.adapter == Some(json!(null)));
        assert_eq!(open.broad("auto").ok().map(|broad| broad.name()), Some("brute"));
        assert_eq!(open.broad("auto").ok().map(|broad| broad.name()), Some("auto"));
    }
}
