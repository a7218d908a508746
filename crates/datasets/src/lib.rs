//! Data sets for trials, tests and benchmarks: a scene and its trajectories, the same bytes on
//! every platform.
//!
//! *Architecture invariant*: beside the engine; sees the writer of trajectories, and no other
//! stage.

mod box_grid;
mod coherence;
mod crowd;
mod dataset;
mod models;
mod pipe_rack;
mod random;
mod separation;
mod shop_floor;
mod simulations;
mod solids;
mod space;

pub use box_grid::BoxGrid;
pub use coherence::{Coherence, Object};
pub use crowd::Crowd;
pub use dataset::Dataset;
pub use pipe_rack::PipeRack;
pub use separation::Separation;
pub use shop_floor::{FloorPoses, ShopFloor};
pub use simulations::{Simulated, SimulatedBody, SimulatedMotion, SimulatedShape, Simulation};
