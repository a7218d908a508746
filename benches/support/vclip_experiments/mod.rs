//! The parts of `vclip_experiments`: see there.

pub mod bodies;
pub mod coherence;
pub mod degeneracy;
pub mod report;
pub mod rows;
pub mod searches;
pub mod tessellation;
