//! Hierarchical spatial hashing, near-linear for any mixture of sizes and any extent.
//!
//! Source: Mirtich 1997, "Efficient algorithms for two-phase collision detection", section 2.1
//! (after Overmars 1992). Each box is stored at the resolution that fits its size, and looked up
//! there and at every coarser resolution in use. So each pair is found at the level of its larger
//! box.
//!
//! - `level`: the resolutions;
//! - `table`: a table of boxes by cell, and `fixed_tables`: the tables of the fixed boxes;
//! - `standard`: the method `hash`, which rebuilds its table for each search;
//! - `coherent`: the method `coherent-hash`, which keeps labels (`labels`, `tracker`) and close
//!   pairs from sample to sample;
//! - `per_sample`: both as published, for experiments.

mod coherent;
pub(super) mod fixed_tables;
mod labels;
mod level;
mod per_sample;
mod standard;
mod table;
mod tracker;

pub(super) use coherent::CoherentHash;
pub use per_sample::PerSampleHash;
pub(super) use standard::SpatialHash;
