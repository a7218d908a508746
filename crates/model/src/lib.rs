//! Plain data that stages exchange: the answers about a pair, and the bounds of an input.
//!
//! *Architecture invariant*: imports no crate of clearsweep but `clearsweep-geometry`.

mod bounds;
mod directional;
mod interval;
mod proximity;

pub use bounds::Bounds;
pub use directional::{DirectionalDistance, DirectionalRelation};
pub use interval::{IntervalMethod, IntervalProximity, IntervalStatus};
pub use proximity::{FeatureKind, Method, Proximity, Status};
