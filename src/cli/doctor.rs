//! `clearsweep doctor`: what this machine offers.

use super::args::DoctorArgs;
use super::exit::ProgramEnd;
use super::machine;
use super::stdout::{print, print_json};
use super::text::{bytes, table};
use crate::Result;
use crate::engine::simd_features;
use serde_json::json;

/// Lists threads, memory, SIMD instruction sets and GPU adapters.
pub(crate) fn doctor(args: &DoctorArgs) -> Result<ProgramEnd> {
    let threads = std::thread::available_parallelism().ok().map(std::num::NonZero::get);
    let simd = simd_features();
    if args.json {
        print_json(&json!({
            "version": env!("CARGO_PKG_VERSION"),
            "system": std::env::consts::OS,
            "architecture": std::env::consts::ARCH,
            "threads": threads,
            "memory_bytes": machine::physical_memory(),
            "default_memory_bytes": machine::default_memory(),
            "simd": simd,
            "gpu": { "supported": false, "adapters": [] },
        }))?;
        return Ok(ProgramEnd::Clear);
    }
    let simd = if simd.is_empty() { "none that matters here".to_owned() } else { simd.join(", ") };
    let rows = [
        ("clearsweep", env!("CARGO_PKG_VERSION").to_owned()),
        ("system", format!("{} on {}", std::env::consts::OS, std::env::consts::ARCH)),
        ("threads", threads.map_or("unknown".to_owned(), |n| n.to_string())),
        ("memory", machine::physical_memory().map_or("unknown".to_owned(), bytes)),
        ("memory for frames in flight", format!("{} unless --memory says otherwise", bytes(machine::default_memory()))),
        ("SIMD", simd),
        ("GPU", "not in this version: everything runs on the CPU, and no adapter is looked for".to_owned()),
    ];
    print(&table(&rows))?;
    Ok(ProgramEnd::Clear)
}
