//! Input: scenes, geometry and trajectories, good, wrong and hostile.

#[cfg(feature = "cli")]
#[path = "../support/program.rs"]
mod program;

mod bad_scene;
mod bad_trajectory;
mod bodies_tables;
#[cfg(feature = "cli")]
mod bounded_inputs;
mod columns;
mod deviation_sources;
mod each_hostile;
mod each_part;
mod equal_geometry;
mod geometry_readers;
mod gltf_files;
mod gltf_scenes;
#[cfg(feature = "cli")]
mod hostile;
mod input_forms;
#[cfg(feature = "cli")]
mod quaternion_order;
#[cfg(feature = "cli")]
mod readers_contract;
mod readers_large;
mod readers_silence;
mod rest_orientation;
mod rvm;
mod scene;
mod trajectory;
mod trajectory_forms;
mod trajectory_ipc;
