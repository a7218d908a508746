//! The least distance of a pair between two neighbouring samples, with a proven bracket
//! (docs/reference/numerics.md, "Between the frames").
//!
//! Source of conservative advancement by supporting planes: Mirtich 1996, "Impulse-based dynamic
//! simulation of rigid body systems", section 2.3; here the bound is of second order in the motion.
//!
//! *Architecture invariant*: times are shares of the interval; the stage knows no clock.

mod advancement;
mod beyond;
mod block;
mod bodies;
mod closest;
mod contact;
mod eight;
mod node;
mod options;
mod pair_path;
mod path;
mod relative_motion;
mod search;
mod solve;
mod sought_times;
mod support_gap;
mod surfaces;
mod two_directions;

pub use block::{BlockJoints, BlockMotion, IntervalQuery, walk_intervals};
pub use clearsweep_model::{IntervalMethod, IntervalProximity, IntervalStatus};
pub use options::{BodyMotion, IntervalOptions, PartDivision};
pub use solve::{interval_proximity, interval_proximity_divided, interval_proximity_of_joints};
pub(crate) use surfaces::FacingMemory;
