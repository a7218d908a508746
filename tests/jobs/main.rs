//! Jobs and commands: the program from outside, the library, tables, and what ends a job early.

#[cfg(feature = "cli")]
#[path = "../support/clone.rs"]
mod clone;
#[path = "../support/folder.rs"]
mod folder;
#[cfg(feature = "cli")]
#[path = "../support/glb.rs"]
mod glb;
#[path = "../support/late.rs"]
mod late;
#[cfg(feature = "cli")]
#[path = "../support/program.rs"]
mod program;
#[path = "../support/random_motions.rs"]
#[allow(dead_code, reason = "each program uses some of it")]
mod random_motions;
#[cfg(feature = "cli")]
#[path = "../trajectory_support/mod.rs"]
mod trajectory_support;

#[cfg(feature = "cli")]
mod check;
#[cfg(feature = "cli")]
mod cli;
#[cfg(feature = "cli")]
mod commands;
#[cfg(feature = "cli")]
mod direction_columns;
#[cfg(feature = "cli")]
mod export;
#[cfg(feature = "cli")]
mod generate;
mod golden;
#[cfg(all(feature = "cli", target_os = "linux"))]
mod interrupt;
mod library;
mod memory;
#[cfg(all(feature = "cli", target_os = "linux"))]
mod output_safety;
#[cfg(all(feature = "cli", target_os = "linux"))]
mod resume;
mod resume_jobs;
mod same_bytes;
mod short_runs;
#[cfg(feature = "cli")]
mod sort;
mod table;
#[cfg(feature = "cli")]
mod verdict;
