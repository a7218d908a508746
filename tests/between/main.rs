//! Events between two samples: motions, intervals, times and first contacts.

mod body;
mod oracle;
#[cfg(feature = "cli")]
#[path = "../support/program.rs"]
mod program;

mod between_frames;
#[cfg(feature = "cli")]
mod between_query;
mod carried;
mod closest_times;
mod decided;
mod first_contact;
mod free_motions;
mod interlocking;
mod interval_pieces;
mod intervals;
mod joints;
mod pivot_centre;
mod splines;
