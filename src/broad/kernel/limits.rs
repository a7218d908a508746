//! What a device is given at a time.

/// What a device is given at a time.
#[derive(Debug, Clone)]
pub struct DeviceLimits {
    /// Most bytes of a buffer, if the device allows so many.
    pub most_bytes: u64,
    /// Pairs that are tested at a time.
    pub window: u32,
    /// Slots up to which a world is searched all against all.
    pub brute_slots: u32,
    /// Searches at a time.
    pub searches: usize,
}

impl Default for DeviceLimits {
    fn default() -> Self {
        Self { most_bytes: u64::MAX, window: 1 << 20, brute_slots: 1024, searches: 3 }
    }
}
