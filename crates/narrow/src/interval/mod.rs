//! The least distance of a pair between two neighbouring samples, with a proven bracket (docs/reference/numerics.md, "Between the frames").
//!
//! ```text
//! path.rs             the path of one body: a pivot on a line, a constant angular velocity
//! pair_path.rs        the paths of both: each by itself, or by joints
//! relative_motion.rs  bounds of acceleration and speed of two bodies relative to each other
//! options.rs          what is asked: two motions, and down to what
//! node.rs             a pair at one time
//! support_gap.rs      the supporting planes of one direction over a part of the interval
//! two_directions.rs   two directions at once, one of each end
//! bodies.rs          bodies as one pair of hulls, or as pairs of pieces; their distance at a time
//! beyond.rs           proof that bodies are beyond the cut-off throughout, without a distance
//! eight.rs            eight intervals side by side
//! block.rs            the intervals of a pair in a block
//! solve.rs            one interval: by directions that are known, by nodes, by a search
//! search.rs           best-first division
//! advancement.rs      conservative advancement along one direction
//! contact.rs          the first contact
//! closest.rs          the times of least distance
//! surfaces/           triangle meshes, node by node
//! answer.rs           what is proven of an interval
//! ```
//!
//! Source of conservative advancement by supporting planes: Mirtich 1996, "Impulse-based dynamic simulation of rigid body systems",
//! section 2.3; here the bound is of second order in the motion.
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
