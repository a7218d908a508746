//! Input: scenes, geometry and trajectories, good, wrong and hostile.

#[path = "../support/data.rs"]
mod data;
#[cfg(feature = "cli")]
#[path = "../support/folder.rs"]
mod folder;
#[path = "../support/glb.rs"]
mod glb;
#[cfg(feature = "cli")]
#[path = "../support/program.rs"]
mod program;
#[path = "../trajectory_support/mod.rs"]
mod trajectory_support;

mod bad_scene;
mod bad_trajectory;
mod bodies_tables;
#[cfg(feature = "cli")]
mod bounded_inputs;
mod each_hostile;
mod each_part;
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
mod scene;
mod trajectory;
mod trajectory_forms;
mod trajectory_ipc;
