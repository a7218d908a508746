//! Data sets for trials, tests and benchmarks: a scene and its trajectories, the same bytes on every platform.
//!
//! *Architecture invariant*: beside the engine; sees the writer of trajectories, and no other stage.

mod coherence;
mod crowd;
mod dataset;
mod models;
mod pipe_rack;
mod random;
mod separation;
mod solids;
mod space;

pub use coherence::{Coherence, Object};
pub use crowd::Crowd;
#[cfg(feature = "cli")]
pub(crate) use dataset::Dataset;
pub use pipe_rack::PipeRack;
pub use separation::Separation;
