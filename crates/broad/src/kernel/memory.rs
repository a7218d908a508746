//! Memory of a device: how much is taken, how much was at most, and how much may be.

use super::failure::DeviceFailure;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of a device.
#[derive(Debug)]
pub(crate) struct DeviceMemory {
    taken: AtomicU64,
    most: AtomicU64,
    limit: AtomicU64,
}

impl Default for DeviceMemory {
    fn default() -> Self {
        Self { taken: AtomicU64::new(0), most: AtomicU64::new(0), limit: AtomicU64::new(u64::MAX) }
    }
}

impl DeviceMemory {
    /// Lowers the limit to `bytes`; it never rises.
    pub(crate) fn limit(&self, bytes: u64) {
        self.limit.fetch_min(bytes, Ordering::Relaxed);
    }

    /// The bytes that are taken.
    pub(crate) fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }

    /// The most bytes that were taken at a time.
    pub(crate) fn most(&self) -> u64 {
        self.most.load(Ordering::Relaxed)
    }

    /// Takes bytes, until what is returned is dropped.
    ///
    /// # Errors
    /// These are more than may be taken.
    pub(crate) fn take(self: &Arc<Self>, bytes: u64) -> Result<TakenMemory, DeviceFailure> {
        let limit = self.limit.load(Ordering::Relaxed);
        let taken = self.taken.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        let own = TakenMemory { bytes, memory: Arc::clone(self) };
        if taken > limit {
            return Err(DeviceFailure::OutOfMemory(format!("{taken} bytes are needed, and {limit} may be taken")));
        }
        self.most.fetch_max(taken, Ordering::Relaxed);
        Ok(own)
    }
}

/// Bytes that are taken.
#[derive(Debug)]
pub(crate) struct TakenMemory {
    bytes: u64,
    memory: Arc<DeviceMemory>,
}

impl Drop for TakenMemory {
    fn drop(&mut self) {
        self.memory.taken.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_taken_than_may_be() {
        let memory = Arc::<DeviceMemory>::default();
        memory.limit(100);
        memory.limit(200);
        let first = memory.take(60).expect("room");
        assert!(matches!(memory.take(41), Err(DeviceFailure::OutOfMemory(_))));
        let second = memory.take(40).expect("room");
        assert_eq!((memory.taken(), memory.most()), (100, 100));
        drop(first);
        assert_eq!((memory.taken(), memory.most()), (40, 100));
        drop(second);
        assert!(memory.take(100).is_ok());
    }
}
