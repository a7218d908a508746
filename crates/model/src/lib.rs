//! Plain data that stages exchange: bodies and their shapes, blocks of poses, candidates, the query, the answers about a pair, and the bounds
//! of an input.
//!
//! *Architecture invariant*: imports no crate of clearsweep but `clearsweep-geometry`.

mod baselines;
pub mod between;
pub mod block;
mod body;
mod bounds;
mod contact;
mod convex_parts;
mod directional;
mod dispositions;
mod ignored_pairs;
mod interval;
pub mod node_hierarchy;
mod proximity;
mod rules;
mod shape;
pub mod steps;

pub use baselines::{Baseline, BaselineAt, BaselinePair, Baselines};
pub use between::{BetweenFrames, MotionRule, Pivot};
pub use block::{Candidate, FrameBlock, NextSample, SAMPLES, Sample, SampleColumn};
pub use body::{AnswerKind, Body, DEFAULT_TOUCH_M, InputDigest, LengthUnit, Missing, Motion, QueryOptions};
pub use bounds::Bounds;
pub use contact::{Contact, ContactKind};
pub use convex_parts::convex_parts;
pub use directional::{DirectionalDistance, DirectionalRelation};
pub use dispositions::{Disposition, Dispositions, EventState, IssueGroup, StaleDisposition};
pub use ignored_pairs::{IgnoredPairs, own_pairs};
pub use interval::{IntervalMethod, IntervalProximity, IntervalStatus};
pub use node_hierarchy::{MovingNode, NodeHierarchy, NodeLink, RestOrientation, RestPose};
pub use proximity::{FeatureKind, Method, Proximity, Status};
pub use rules::{DEFAULT_RULE, FreeLength, PairRules, Requirements, Rule, Severity};
pub use shape::{HullFit, LazyParts, MeshCondition, Model, Piece, Shape, UnevenGrowth};
pub use steps::PoseSteps;
