//! Which device searches: the choice of the user, and the broad phase that it comes to.

use super::device_trial::{DeviceTrial, FoundDevice, TrialTerms};
use super::methods;
use super::options::{Device, JobOptions};
use clearsweep_base::error::{Error, Result};
use clearsweep_broad::{BroadPhase, DeviceReport};
use clearsweep_model::SearchOptions;
use clearsweep_records::manifest::{Adapter, OfferedAdapter, TrialTimes};

/// The broad phase `gpu` on the command line.
const GPU: &str = clearsweep_broad::ON_DEVICE;

/// The device of a job.
pub(super) struct OpenDevice {
    /// The broad phase that it searches with; `None`: one by name, on the processor.
    broad: Option<Box<dyn BroadPhase>>,
    /// Whether a device searches.
    pub(super) is_device: bool,
    /// The adapter that searches; `None` for a device that was given.
    pub(super) adapter: Option<Adapter>,
    /// Why this device.
    pub(super) reason: String,
    /// Times that decided the choice, if the engine had the choice and measured.
    pub(super) times: Option<TrialTimes>,
    /// The broad phase that was used, and the report of its device, once the job is concluded.
    pub(super) method: &'static str,
    pub(super) report: Option<DeviceReport>,
}

impl OpenDevice {
    /// Opens the device that the options ask for; `given`: one that is open already. If the engine
    /// has the choice, it is the processor until a trial shows another ([`Self::trial`]).
    ///
    /// # Errors
    /// It is not there, or the options contradict each other.
    pub(super) fn open(options: &JobOptions, given: Option<Box<dyn BroadPhase>>) -> Result<Self> {
        check_device(options)?;
        let reason = "it was asked for".to_owned();
        let cpu = Self { broad: None, is_device: false, adapter: None, reason, times: None, method: "", report: None };
        if let Some(broad) = given {
            return Ok(Self { broad: Some(broad), is_device: true, ..cpu });
        }
        if options.device != Device::Gpu && options.broad != GPU {
            return Ok(cpu);
        }
        let found = open_gpu(options.adapter.as_deref(), options.device_memory).map_err(|reason| {
            let remedy = "`clearsweep doctor` lists the adapters, and --adapter NAME chooses one, software too; with --device cpu the \
                          tables are the same, byte for byte";
            Error::usage("--device gpu", reason, remedy)
        })?;
        Ok(Self { broad: Some(found.broad), is_device: true, adapter: Some(found.adapter), ..cpu })
    }

    /// Returns the trial by which the engine chooses, if the choice is left to it. `batch`: blocks
    /// that a device searches at a time. `given`: terms in place of those of a user.
    pub(super) fn trial(&self, options: &JobOptions, batch: usize, given: Option<TrialTerms>) -> DeviceTrial {
        if self.broad.is_some() || options.device != Device::Auto {
            return DeviceTrial::over(self.reason.clone());
        }
        if options.broad != "auto" {
            return DeviceTrial::over(format!("--broad {} searches on the processor", options.broad));
        }
        let memory_bytes = options.device_memory;
        let own = || TrialTerms::of_user(Box::new(move || open_gpu(None, memory_bytes)));
        DeviceTrial::new(given.unwrap_or_else(own), batch)
    }

    /// Ends a trial, and takes over its result and the report of the broad phase that was used.
    pub(super) fn conclude(&mut self, trial: &mut DeviceTrial, broad: &dyn BroadPhase) {
        trial.end();
        (self.method, self.report) = (broad.name(), broad.device_report());
        (self.reason, self.times) = (trial.reason.clone(), trial.times);
        self.is_device |= trial.adapter.is_some();
        self.adapter = trial.adapter.take().or(self.adapter.take());
    }

    /// `cpu` or `gpu`.
    pub(super) fn kind(&self) -> &'static str {
        if self.is_device { GPU } else { "cpu" }
    }

    /// The broad phase of a memory: that of the device for the first one, else one by name.
    pub(super) fn broad(&mut self, name: &str, search: &SearchOptions) -> Result<Box<dyn BroadPhase>> {
        match self.broad.take() {
            Some(broad) => Ok(broad),
            None => methods::broad(if name == GPU { "auto" } else { name }, search),
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

/// Opens the GPU of this name, or the preferred one; takes at most `memory_bytes` of its memory.
///
/// # Errors
/// Why there is none.
#[cfg(feature = "gpu")]
fn open_gpu(adapter: Option<&str>, memory_bytes: Option<u64>) -> std::result::Result<FoundDevice, String> {
    let (broad, found) = clearsweep_broad::gpu::open(adapter, memory_bytes).map_err(|reason| reason.to_string())?;
    Ok(FoundDevice { broad, adapter: adapter_of(found) })
}

#[cfg(feature = "gpu")]
fn adapter_of(found: clearsweep_broad::gpu::AdapterDescription) -> Adapter {
    let clearsweep_broad::gpu::AdapterDescription { name, kind, backend, driver, .. } = found;
    Adapter { name, kind: kind.to_owned(), backend, driver }
}

/// There is none in this build.
///
/// # Errors
/// Always.
#[cfg(not(feature = "gpu"))]
fn open_gpu(_: Option<&str>, _: Option<u64>) -> std::result::Result<FoundDevice, String> {
    Err("this program was built without the feature `gpu`".to_owned())
}

/// Returns all adapters, the preferred one first.
#[cfg(feature = "gpu")]
pub fn adapters() -> Vec<OfferedAdapter> {
    let found = clearsweep_broad::gpu::adapters();
    let used = found.iter().position(|own| own.kind != "software");
    let offer = |(at, own): (usize, clearsweep_broad::gpu::AdapterDescription)| OfferedAdapter {
        binding_bytes: own.binding_bytes,
        workgroups: own.groups,
        is_used: used == Some(at),
        adapter: adapter_of(own),
    };
    found.into_iter().enumerate().map(offer).collect()
}

/// This build looks for none.
#[cfg(not(feature = "gpu"))]
pub fn adapters() -> Vec<OfferedAdapter> {
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_engine_chooses_only_where_it_is_left_the_choice() {
        let reason = |device, broad: &str| {
            let options = JobOptions { device, broad: broad.to_owned(), ..JobOptions::default() };
            let open = OpenDevice::open(&options, None).expect("the processor");
            assert_eq!((open.kind(), open.is_device, &open.adapter), ("cpu", false, &None));
            open.trial(&options, 1, None).reason
        };
        assert_eq!(reason(Device::Cpu, "auto"), "it was asked for");
        assert_eq!(reason(Device::Auto, "tree"), "--broad tree searches on the processor");
        assert_eq!(reason(Device::Auto, "auto"), "the CPU searched for less than 1 s");
    }

    #[test]
    fn a_device_that_is_given_is_used() {
        let options = JobOptions::default();
        let search = SearchOptions::default();
        let given = methods::broad("brute", &search).expect("a method");
        let mut open = OpenDevice::open(&options, Some(given)).expect("it is open");
        let mut trial = open.trial(&options, 1, None);
        open.conclude(&mut trial, methods::broad("brute", &search).expect("a method").as_ref());
        assert!(open.is_device && open.times.is_none() && open.adapter.is_none());
        assert_eq!(open.broad("auto", &search).ok().map(|broad| broad.name()), Some("brute"));
        assert_eq!(open.broad("auto", &search).ok().map(|broad| broad.name()), Some("auto"));
    }
}
