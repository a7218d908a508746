//! The broad phase: candidates against double loops, on the CPU and on devices.

#[cfg(all(feature = "cli", feature = "gpu"))]
#[path = "../support/clone.rs"]
mod clone;
#[cfg(feature = "gpu")]
#[path = "../support/folder.rs"]
mod folder;
mod oracle;
#[cfg(all(feature = "cli", feature = "gpu"))]
#[path = "../support/program.rs"]
mod program;
mod scenes;

mod broad;
mod broad_incremental;
#[cfg(feature = "gpu")]
mod device_faults;
#[cfg(all(feature = "cli", feature = "gpu"))]
mod gpu;
