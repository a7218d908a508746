//! Events between two samples: motions, intervals, times and first contacts.

mod body;
#[path = "../support/folder.rs"]
mod folder;
#[path = "../support/glb.rs"]
mod glb;
mod oracle;
#[cfg(feature = "cli")]
#[path = "../support/program.rs"]
mod program;
#[path = "../support/random_motions.rs"]
mod random_motions;
#[path = "../trajectory_support/mod.rs"]
mod trajectory_support;

mod between_frames;
#[cfg(feature = "cli")]
mod between_query;
mod carried;
mod closest_times;
mod first_contact;
mod interval_pieces;
mod intervals;
mod pivot_centre;
