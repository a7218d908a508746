//! What the fuzz targets share: one module for each kind of reader, and one for rows, each with a
//! `check` of one input.
//!
//! A check fails by a panic: of the reader (none is allowed, whatever the bytes), of an assertion
//! about what it returned, or of the allocator, which bounds the memory of every call. The fuzzer
//! itself ends what hangs.

pub mod engine;
pub mod geometry;
pub mod memory;
pub mod scene;
pub mod trajectory;

#[doc(hidden)]
pub use libfuzzer_sys;

use std::path::PathBuf;

#[global_allocator]
static MEMORY: memory::Bounded = memory::Bounded;

/// A fuzz target: a function of the input's bytes.
#[macro_export]
macro_rules! target {
    (|$bytes:ident: &[u8]| $check:expr) => {
        $crate::libfuzzer_sys::fuzz_target!(|$bytes: &[u8]| {
            $check;
        });
    };
}

/// A folder of this process' own for the files that readers open by path: in memory where the
/// system has such a place.
pub fn scratch() -> PathBuf {
    let memory = PathBuf::from("/dev/shm");
    let base = if memory.is_dir() { memory } else { std::env::temp_dir() };
    let folder = base.join(format!("clearsweep-fuzz-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for scratch files");
    folder
}
