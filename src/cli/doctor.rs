//! `clearsweep doctor`: what this machine offers.

use super::exit::Done;
use super::machine;
use super::stdout::print;
use super::text::{bytes, table};
use clearsweep::Result;
use clearsweep::engine::simd_features;

/// Lists threads, memory, SIMD instruction sets and GPU adapters.
pub(crate) fn doctor() -> Result<Done> {
    let threads = std::thread::available_parallelism().map_or("unknown".to_owned(), |n| n.to_string());
    let simd = simd_features();
    let simd = if simd.is_empty() { "none that matters here".to_owned() } else { simd.join(", ") };
    let rows = [
        ("clearsweep", env!("CARGO_PKG_VERSION").to_owned()),
        ("system", format!("{} on {}", std::env::consts::OS, std::env::consts::ARCH)),
        ("threads", threads),
        ("memory", machine::physical_memory().map_or("unknown".to_owned(), bytes)),
        ("memory for frames in flight", format!("{} unless --memory says otherwise", bytes(machine::default_memory()))),
        ("SIMD", simd),
        ("GPU", "not in this version".to_owned()),
    ];
    print(&table(&rows))?;
    Ok(Done::Clear)
}
