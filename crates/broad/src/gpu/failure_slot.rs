//! Reports of the driver: the first failure, and whether the device is lost.

use super::super::kernel::DeviceFailure;
use std::sync::{Arc, Mutex, PoisonError};

/// The failure of a device, if there is one. All clones are the same slot.
#[derive(Debug, Clone, Default)]
pub(super) struct FailureSlot(Arc<Mutex<Option<DeviceFailure>>>);

impl FailureSlot {
    /// Notes from now on what a device reports.
    pub(super) fn watch(&self, device: &wgpu::Device) {
        let slot = self.clone();
        device.on_uncaptured_error(Arc::new(move |error| {
            slot.report(match error {
                wgpu::Error::OutOfMemory { source } => DeviceFailure::OutOfMemory(source.to_string()),
                other => DeviceFailure::Refused(other.to_string()),
            });
        }));
        let slot = self.clone();
        device.set_device_lost_callback(move |reason, message| {
            slot.lose(format!("{reason:?} {message}").trim().to_owned());
        });
    }

    /// Keeps the first failure: those that follow are its consequences, such as commands on a
    /// buffer that could not be had.
    pub(super) fn report(&self, failure: DeviceFailure) {
        self.with(|own| {
            own.get_or_insert(failure);
        });
    }

    /// The device is lost, whatever it reported before: a driver may refuse commands first, and say
    /// later that it is lost.
    pub(super) fn lose(&self, why: String) {
        self.with(|own| {
            if !matches!(own, Some(DeviceFailure::Lost(_))) {
                *own = Some(DeviceFailure::Lost(why));
            }
        });
    }

    /// The failure, if there is one.
    pub(super) fn failure(&self) -> Option<DeviceFailure> {
        self.with(|own| own.clone())
    }

    /// Forgets that the device was out of memory.
    pub(super) fn forget_out_of_memory(&self) {
        self.with(|own| {
            own.take_if(|own| matches!(own, DeviceFailure::OutOfMemory(_)));
        });
    }

    fn with<T>(&self, act: impl FnOnce(&mut Option<DeviceFailure>) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_lost_device_overrides_one_that_is_out_of_memory() {
        let out_of_memory = DeviceFailure::OutOfMemory("64 bytes".to_owned());
        let refused = DeviceFailure::Refused("a buffer is invalid".to_owned());
        let slot = FailureSlot::default();
        slot.report(out_of_memory.clone());
        slot.report(refused.clone());
        assert_eq!(slot.failure(), Some(out_of_memory.clone()));
        slot.forget_out_of_memory();
        assert_eq!(slot.failure(), None);
        slot.report(out_of_memory.clone());
        slot.lose("unplugged".to_owned());
        slot.report(out_of_memory);
        slot.forget_out_of_memory();
        assert_eq!(slot.failure(), Some(DeviceFailure::Lost("unplugged".to_owned())));
        let slot = FailureSlot::default();
        slot.report(refused.clone());
        slot.forget_out_of_memory();
        assert_eq!(slot.failure(), Some(refused));
        slot.lose("it was destroyed".to_owned());
        slot.lose("again".to_owned());
        assert_eq!(slot.failure(), Some(DeviceFailure::Lost("it was destroyed".to_owned())));
    }
}
