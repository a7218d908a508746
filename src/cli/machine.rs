//! Queries of the program to the machine; the library makes none.

/// Physical memory, bytes; `None` where it cannot be told cheaply.
pub(crate) fn physical_memory() -> Option<u64> {
    kibibytes("/proc/meminfo", "MemTotal:")
}

/// The most memory that this process has had, bytes; `None` where it cannot be told cheaply.
pub(crate) fn peak_memory() -> Option<u64> {
    kibibytes("/proc/self/status", "VmHWM:")
}

/// Memory for blocks in flight where the user says nothing: a quarter of the machine's, at most the
/// library's default.
pub(crate) fn default_memory() -> u64 {
    let most = clearsweep_engine::DEFAULT_MEMORY;
    physical_memory().map_or(most, |bytes| (bytes / 4).min(most))
}

/// A line `KEY   N kB` of a file that Linux keeps.
fn kibibytes(file: &str, key: &str) -> Option<u64> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}
