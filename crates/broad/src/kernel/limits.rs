//! Limits on what a device is given at a time, and faults to be simulated.

use std::time::Duration;

/// Bytes of a device that may be taken by default: any card has them.
const DEFAULT_MEMORY: u64 = 2 << 30;
/// Most bytes of an upload of several blocks: beyond, a larger one is no faster.
const UPLOAD_BYTES: u64 = 32 << 20;

/// A device that gave nothing at all is asked for half of this.
const LEAST_MEMORY: u64 = 1 << 20;

/// Limits on what a device is given at a time.
#[derive(Debug, Clone)]
pub struct DeviceLimits {
    /// Most bytes of a buffer; the device may allow fewer.
    pub most_bytes: u64,
    /// Most bytes of all buffers together.
    pub memory_bytes: u64,
    /// Pairs that are tested at a time.
    pub window: u32,
    /// Slots up to which a world is searched all against all. Measured on an NVIDIA H200
    /// (docs/evidence/benchmarks.md, "On a GPU"): a tree takes 2.1 times as long for 1,024 bodies,
    /// 1.4 times for 4,096, 1.2 times for 8,192, and 0.7 times for 16,384. A device with fewer
    /// cores gains from trees earlier.
    pub brute_slots: u32,
    /// Searches at a time.
    pub searches: usize,
}

impl Default for DeviceLimits {
    fn default() -> Self {
        Self { most_bytes: u64::MAX, memory_bytes: DEFAULT_MEMORY, window: 1 << 20, brute_slots: 4096, searches: 3 }
    }
}

impl DeviceLimits {
    /// Returns the limits for `memory_bytes` bytes of memory; `None`: the default.
    pub fn within(memory_bytes: Option<u64>) -> Self {
        Self { memory_bytes: memory_bytes.unwrap_or(DEFAULT_MEMORY), ..Self::default() }
    }

    /// Most bytes of the boxes of one block, or of a part of its samples.
    pub(super) fn part_bytes(&self) -> u64 {
        (self.memory_bytes / 5).min(self.most_bytes)
    }

    /// Most bytes of the boxes of several blocks.
    pub(super) fn upload_bytes(&self) -> u64 {
        (self.memory_bytes / 16).min(self.most_bytes).min(UPLOAD_BYTES)
    }

    /// Bytes that a search may take for what its items need, and again for its window.
    pub(super) fn room_bytes(&self) -> u64 {
        self.memory_bytes / 16
    }

    /// Number of searches that fit into memory if each takes `bytes` bytes, uploads and fetches
    /// included, and `taken` bytes are in use. The next upload comes before the earliest search is
    /// done.
    pub(super) fn searches_that_fit(&self, bytes: u64, taken: u64) -> usize {
        let fit = self.memory_bytes.saturating_sub(taken) / bytes.max(1);
        fit.saturating_sub(1).clamp(1, self.searches.max(1) as u64) as usize
    }

    /// Half of these, for a device on which `most` bytes turned out to be too many.
    pub(super) fn halved(&self, most: u64) -> Self {
        Self {
            memory_bytes: self.memory_bytes.min(most.max(LEAST_MEMORY)) / 2,
            window: (self.window / 2).max(1),
            searches: (self.searches / 2).max(1),
            ..self.clone()
        }
    }
}

/// Faults of a device, to see what becomes of a job.
#[doc(hidden)]
#[derive(Debug, Clone, Default)]
pub struct DeviceFaults {
    /// The device is lost after this number of fetches.
    pub lost_after: Option<u64>,
    /// The device stops answering after this number of fetches.
    pub stalls_after: Option<u64>,
    /// Time after which an answer is given up.
    pub patience: Option<Duration>,
    /// Memory that the device really has, bytes, whatever the limits say.
    pub memory_bytes: Option<u64>,
    /// Most workgroups along an axis.
    pub groups: Option<u32>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_is_open_fits_into_memory() {
        for memory in [1 << 20, 100 << 20, DEFAULT_MEMORY, 64 << 30] {
            let limits = DeviceLimits::within(Some(memory));
            for upload in [limits.upload_bytes(), limits.part_bytes()] {
                // An upload lies on the device and in the memory from which it is copied.
                let upload = 2 * upload;
                let each = upload + 2 * limits.room_bytes();
                let searches = limits.searches_that_fit(each, 0) as u64;
                assert!((1..=3).contains(&searches) && searches * each + upload <= memory, "{memory}: {searches}");
            }
        }
        let halved = DeviceLimits::default().halved(10 << 20);
        assert_eq!((halved.memory_bytes, halved.window, halved.searches), (5 << 20, 1 << 19, 1));
        assert_eq!(DeviceLimits::default().halved(0).memory_bytes, LEAST_MEMORY / 2);
    }
}
