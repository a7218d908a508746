//! NARROW: the signed distance of a near pair, with witnesses and a proven bracket.
//!
//! ```text
//! methods.rs      the front door: Auto, Gjk, EnhancedGjk, VClip, LinCanny, CdDual answer a PairQuery (query.rs) with rows, `Proximity`
//! deviation.rs    answers about the true bodies, whose surfaces may be off the stored ones, from answers about these
//! driver.rs       queries in order, each sample culled, settled by a batch, or handed to the pair solver
//! batch/          many samples of one pair, first samples of many pairs, eight at a time
//! culling/        samples proven beyond the cut-off without a search: motion bound, separating axis
//! bodies.rs       two bodies at their poses
//! branch_and_bound.rs  the open parts of all searches through trees and times: one order, one limit
//! piece_trees.rs  pairs of nodes of two trees of convex pieces
//! way_out.rs      the first length of a line that lies in none of a union of intervals
//! compound/       bodies of several convex pieces: nearest pairs by the trees of both bodies, and depth; visited_pairs.rs: what they remember
//! mesh/           bodies of exact triangles: nearest triangles, inside and outside, depth
//! round/          round bodies: the search by supports, and its certificate
//! pair_solver.rs       one pair of pieces in one sample, from cheap to certain:
//!   certificate/    1. the remembered features, if still strictly optimal     <- closest_points.rs: one formula a kind
//!   vclip/, lin_canny/, gjk/  2. the search from feature to feature (feature_search.rs: one call for both), or by simplices
//!   epa/               the polytope of an overlap
//!   resolver/       3. the cold resolver: f64 from a fixed start, then extended precision and the tie rule
//!   exact/          4. integers, for whatever is left
//! directional/    how far a body moves along a direction until it touches the other, or leaves it
//! duality/        whether cores overlap, by the faces of their Minkowski difference; which face a line pierces
//! parallel_features/       closest points of parallel faces and edges: centroids
//! support_planes.rs  the features near the supporting planes of a direction
//! pose_rounding.rs      how far the pose of a recentred frame may be off
//! float.rs        one f64, or eight in a register
//! rows.rs         rows from certified answers, alone or eight at a time
//! cache.rs        what a pair remembers; learned.rs: what is learned for speed, and decides which way is tried first; workspace.rs: working memory
//! ```
//!
//! Every way to an answer, in the order in which it is tried:
//!
//! | situation | search | certificate | file |
//! | --- | --- | --- | --- |
//! | culled by motion bound | none: a gap proven in an earlier sample, less the motion since | the remainder exceeds `within` by the promised width of the bracket | `culling/` |
//! | culled by axis | none: the last separating direction, turned with the line between the origins; eight samples at a time | gap of the supporting planes over all vertices, less E | `culling/` |
//! | many samples of one pair, features hold | none: the remembered features in eight samples, one sample in each lane | strictness in lanes; a remembered polytope for an overlap | `batch/one_pair.rs`, `batch/verify.rs` |
//! | many samples of one pair, features change often | V-Clip through all samples left, from sample to sample or from the line between the origins, before any is proven | strictness of eight answers of one kind at a time, by the stored Voronoi planes | `batch/one_pair.rs`, `batch/proofs.rs` |
//! | first samples of many pairs | for eight pairs at a time, poses and starts; then V-Clip, whose first states are computed for all pairs together | strictness of eight answers of one kind, whichever pairs they belong to | `batch/many_pairs.rs`, `batch/proofs.rs`, `vclip/first_states.rs` |
//! | parallel features: many samples of one pair | none: the remembered faces and edges in eight samples | strictness of sets in lanes; a remembered polytope for an overlap | `batch/verify.rs`, `parallel_features/closest.rs` |
//! | parallel features: found by a search | the features along the direction that V-Clip, GJK or EPA ended with | strictness of sets | `parallel_features/candidates.rs`, `certificate/certify.rs` |
//! | two facets of parallel faces at equal depths | none: both remembered; or EPA, which finds the second | strictness of both sets; the polytope reaches the claimed depth outside of both | `parallel_features/equal_depths.rs`, `batch/verify.rs`, `epa/mod.rs` |
//! | at rest | none: the answer of the sample before | the poses are the same in every bit | `batch/at_rest.rs` |
//! | remembered features still optimal | none | strictness | `pair_solver.rs`, `certificate/certify.rs` |
//! | overlap, remembered polytope | none: its vertices are looked up at the new pose | the polytope is a closed surface around the origin that reaches the claimed depth | `pair_solver.rs`, `epa/surface.rs` |
//! | overlap, polytope grown | EPA from the remembered polytope | the grown polytope, and strictness of the facet | `pair_solver.rs`, `epa/mod.rs`, `epa/mesh.rs` |
//! | features changed | V-Clip from the remembered features | strictness | `pair_solver.rs`, `vclip/` |
//! | cold pair, likely apart | V-Clip from the vertices that support the planes across a direction near the line between the origins | strictness | `cold_start.rs`, `vclip/` |
//! | cold pair, likely overlapping | EPA from a double pyramid of six supports | the grown polytope, and strictness of the facet | `pair_solver.rs`, `epa/bipyramid.rs` |
//! | one of both is round | closed form about parallel axes; GJK by supports; an expanding polytope; sectors of tori by halves | planes and points: `method` is `round` | `round/` |
//! | `cd-dual` | the overlap test, from the remembered features; V-Clip from the face that separates the cores, EPA along the normal of the one that does not | strictness; for an overlap the grown polytope; beyond `within` a gap | `pair_solver.rs`, `duality/` |
//! | none of these settles it | GJK from the remembered simplex; for an overlap EPA from its tetrahedron | strictness; for an overlap the grown polytope; beyond `within` a gap | `pair_solver.rs`, `gjk/` |
//! | not strict when warm | GJK and EPA in `f64` from the cold start | strictness | `resolver/mod.rs` |
//! | tie that rounding blurs | the sets of closest points along the directions of faces and parallel edges; of other equal depths the preferred one | bracket; no unique feature pair is strict | `resolver/closest_sets.rs`, `resolver/tie_break.rs` |
//! | other tie | enumeration of the feature pairs on the supporting planes, in the order of the published rule | bracket of the first pair that holds; pairs that are certain to fail are dropped beforehand | `resolver/tie_break.rs`, `resolver/prefilter.rs` |
//! | tie that `f64` does not decide, near-degenerate pair | GJK in double-double; the tie rule, or the complete list of facet directions for an overlap | bracket in double-double | `resolver/separated.rs`, `resolver/overlap.rs` |
//! | exact rung | GJK with Johnson's determinants, and an expanding polytope, in integers | signs of integers; the root of a fraction, rounded outward | `exact/` |
//! | uncertified | none: only for numbers that are not finite (the place of a recentred body that is too far off is none), or a zero quaternion | none: the bounds are null, the exit code is 4 | `pair_solver.rs`, `answer.rs` |
//!
//! For `SearchMethod::LinCanny`, read Lin-Canny for V-Clip in the table (`feature_search.rs`),
//! without the interleaved first states.
//!
//! A row is a function of geometry, relative pose and options: an answer found warm counts only if
//! it is *strict* (the optimum is unique, so every way ends there); all else is decided by the cold
//! resolver.
//!
//! *Architecture invariant*: does no input or output, and knows no time: a query gets poses of one pair and a mask,
//! and answers in A's frame.

pub mod answer;
mod batch;
mod bodies;
mod branch_and_bound;
pub mod cache;
pub mod certificate;
pub mod closest_points;
mod cold_start;
mod compound;
mod culling;
pub mod deviation;
mod directional;
mod driver;
pub mod duality;
pub mod epa;
pub mod exact;
pub mod feature;
mod feature_search;
mod float;
pub mod gjk;
pub mod interval;
mod kind;
mod learned;
pub mod lin_canny;
mod mesh;
mod methods;
pub mod overlap_proof;
pub mod pair;
pub mod pair_solver;
mod parallel_features;
mod piece_trees;
pub mod pose_rounding;
mod query;
mod relative;
pub mod resolver;
mod round;
mod rows;
pub mod search;
pub mod solve_outcome;
pub mod solver_stats;
mod support;
mod support_planes;
pub mod vclip;
mod visited_pairs;
mod way_out;
mod workspace;

pub use cache::PairCache;
pub use clearsweep_model::{Contact, ContactKind, FeatureKind, Method, Proximity, Status};
pub use directional::{DirectionalDistance, DirectionalRelation, Footprint, directional_distance, free_length};
pub use interval::{IntervalMethod, IntervalProximity, IntervalStatus};
pub use methods::{Auto, CdDual, EnhancedGjk, Gjk, LinCanny, NarrowPhase, VClip, by_name, contacts, query_one};
pub use query::{BodyPoses, PairQuery};
pub use solver_stats::SolverStats;
pub use workspace::Workspace;
