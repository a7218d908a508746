//! Jobs and commands: the program from outside, the library, tables, and what ends a job early.

#[cfg(all(feature = "cli", unix))]
#[path = "../support/fenced.rs"]
mod fenced;
#[cfg(feature = "cli")]
#[path = "../support/program.rs"]
mod program;

#[cfg(feature = "cli")]
mod accepting;
#[cfg(feature = "cli")]
mod answers;
#[cfg(feature = "cli")]
mod baselines;
#[cfg(feature = "cli")]
mod check;
#[cfg(feature = "cli")]
mod cli;
#[cfg(feature = "cli")]
mod commands;
#[cfg(feature = "cli")]
mod compressed;
#[cfg(feature = "cli")]
mod direction_columns;
#[cfg(all(feature = "cli", unix))]
mod duplex;
#[cfg(feature = "cli")]
mod events;
#[cfg(feature = "cli")]
mod expected;
#[cfg(feature = "cli")]
mod export;
#[cfg(feature = "cli")]
mod first_scene;
mod forward_kinematics;
#[cfg(feature = "cli")]
mod free_lengths;
#[cfg(feature = "cli")]
mod generate;
mod golden;
#[cfg(all(feature = "cli", target_os = "linux"))]
mod interrupt;
#[cfg(feature = "cli")]
mod joint_logs;
mod joints;
mod library;
#[cfg(feature = "cli")]
mod machines;
mod memory;
mod memory_store;
#[cfg(feature = "cli")]
mod moving_robots;
mod object_stores;
#[cfg(all(feature = "cli", target_os = "linux"))]
mod output_safety;
#[cfg(feature = "cli")]
mod overlaps;
#[cfg(feature = "cli")]
mod recheck;
#[cfg(feature = "cli")]
mod remedies;
#[cfg(feature = "cli")]
mod report;
#[cfg(feature = "cli")]
mod report_files;
#[cfg(all(feature = "cli", target_os = "linux"))]
mod resume;
mod resume_jobs;
#[cfg(feature = "cli")]
mod revisions;
#[cfg(feature = "cli")]
mod robot_pairs;
#[cfg(feature = "cli")]
mod rules;
mod same_bytes;
#[cfg(feature = "cli")]
mod shard_commands;
mod shards;
mod short_runs;
#[cfg(feature = "cli")]
mod sort;
mod splines;
#[cfg(feature = "cli")]
mod streams;
mod table;
#[cfg(feature = "cli")]
mod table_folders;
#[cfg(feature = "cli")]
mod time_gaps;
#[cfg(feature = "cli")]
mod verdict;
