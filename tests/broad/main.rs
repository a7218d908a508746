//! The broad phase: candidates against double loops, on the CPU and on devices.

mod oracle;
#[cfg(all(feature = "cli", feature = "gpu"))]
#[path = "../support/program.rs"]
mod program;

mod broad;
mod broad_incremental;
#[cfg(feature = "gpu")]
mod device_faults;
#[cfg(feature = "gpu")]
mod device_trial;
#[cfg(all(feature = "cli", feature = "gpu"))]
mod gpu;
