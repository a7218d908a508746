//! `clearsweep doctor`: what this machine offers.

use super::args::DoctorArgs;
use super::exit::ProgramEnd;
use super::machine;
use super::stdout::{print, print_json};
use super::text::{bytes, table};
use clearsweep::Result;
use clearsweep_engine::{adapters, simd_features, simd_level};
use clearsweep_records::manifest::Adapter;
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
            "simd_level": simd_level(),
            "gpu": { "supported": cfg!(feature = "gpu"), "adapters": quietly(adapters) },
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
        ("SIMD", format!("{simd}; level {}", simd_level())),
    ];
    let adapters = quietly(adapters);
    let gpus = adapters.iter().map(|own| {
        let Adapter { name, kind, backend, driver } = &own.adapter;
        let use_of = if own.is_used {
            "used by --device gpu, and tried by auto in long jobs"
        } else {
            "used where --adapter names it"
        };
        let limit = bytes(own.binding_bytes);
        ("GPU", format!("{name}: {kind}, {backend}, {driver}, buffers of {limit}, {use_of}"))
    });
    let none = match cfg!(feature = "gpu") {
        true => "no adapter that a Vulkan, Metal or DX12 driver shows: everything runs on the CPU",
        false => "this program was built without the feature `gpu`",
    };
    let none = adapters.is_empty().then(|| ("GPU", none.to_owned()));
    print(&table(&rows.into_iter().chain(gpus).chain(none).collect::<Vec<_>>()))?;
    Ok(ProgramEnd::Clear)
}

/// Calls `ask` while stderr is discarded: drivers complain there of devices that are absent.
#[cfg(unix)]
fn quietly<T>(ask: impl FnOnce() -> T) -> T {
    use rustix::stdio::{dup2_stderr, stderr};
    let silence = || {
        let own = rustix::io::dup(stderr()).ok()?;
        let nothing = std::fs::File::options().write(true).open("/dev/null").ok()?;
        dup2_stderr(&nothing).ok().map(|()| own)
    };
    let own = silence();
    let found = ask();
    if let Some(own) = own {
        // If it fails, there is nobody left to tell.
        let _ = dup2_stderr(&own);
    }
    found
}

/// Calls `ask`.
#[cfg(not(unix))]
fn quietly<T>(ask: impl FnOnce() -> T) -> T {
    ask()
}
