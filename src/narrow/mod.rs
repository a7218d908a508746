//! NARROW: the signed distance of a near pair, with witnesses and a proven bracket.
//!
//! ```text
//! methods.rs      the front door: Auto, Gjk, VClip answer a PairQuery (query.rs) with Proximity rows (proximity.rs)
//! batch/          the driver: many samples of one pair, first samples of many pairs, eight at a time
//! culling/        samples proven beyond the cut-off without a search: motion bound, separating axis
//! compound.rs     bodies of several convex pieces
//! ladder.rs       one pair of pieces in one sample, from cheap to certain:
//!   certificate/    1. the remembered features, if still strictly optimal     <- closest_points.rs: one formula a kind
//!   vclip/, gjk/    2. the search from feature to feature, or by simplices
//!   epa/               the polytope of an overlap
//!   resolver/       3. the cold resolver: f64 from a fixed start, then extended precision and the tie rule
//!   exact/          4. integers, for whatever is left
//! rows.rs         rows from certified answers, alone or eight at a time
//! cache.rs        what a pair remembers, and what is learned for speed; workspace.rs: working memory
//! ```
//!
//! A row is a function of geometry, relative pose and options: an answer found warm counts only if it is *strict*
//! (the optimum is unique, so every way ends there); all else is decided by the cold resolver.
//!
//! *Architecture invariant*: does no input or output, and knows no time: a query gets poses of one pair and a mask,
//! and answers in A's frame.

pub mod answer;
mod batch;
pub mod cache;
pub mod certificate;
pub mod closest_points;
mod cold_start;
pub mod compound;
mod culling;
pub mod epa;
pub mod exact;
pub mod feature;
pub mod gjk;
mod kind;
pub mod ladder;
mod methods;
pub mod outcome;
pub mod pair;
pub mod proximity;
mod query;
mod relative;
pub mod resolver;
pub mod routes;
mod rows;
mod support;
pub mod vclip;
mod workspace;

pub use cache::PairCache;
pub use methods::{Auto, Gjk, NarrowPhase, VClip, by_name, query_one};
pub use proximity::{FeatureKind, Method, Proximity, Status};
pub use query::{BodyPoses, PairQuery};
pub use routes::Routes;
pub use workspace::Workspace;
