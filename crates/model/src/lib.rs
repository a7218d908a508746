//! Plain data that stages exchange: the scene with its bodies and shapes, blocks of poses,
//! candidates, the query, the answers about a pair, and the bounds of an input.
//!
//! *Architecture invariant*: imports no crate of clearsweep that reads or computes.

mod baselines;
pub mod between;
pub mod block;
mod body;
mod body_tree;
mod bounds;
mod contact;
mod convex_parts;
mod deviation_source;
mod directional;
mod dispositions;
mod earlier_issues;
mod expected;
mod geometry_note;
mod ignore_rule;
mod ignored_pairs;
mod interval;
mod motion_bounds;
pub mod node_hierarchy;
mod proximity;
mod rules;
mod scene;
mod scene_joints;
mod scene_robot;
mod search_options;
mod shape;
pub mod steps;
mod trajectory_columns;

pub use baselines::{Baseline, BaselineAt, BaselinePair, Baselines};
pub use between::{BetweenFrames, MotionRule, Pivot};
pub use block::{Candidate, FrameBlock, NextSample, SAMPLES, Sample, SampleColumn};
pub use body::{AnswerKind, Body, DEFAULT_TOUCH_M, InputDigest, LengthUnit, Missing, Motion, QueryOptions};
pub use body_tree::{BodyTree, TreeNode};
pub use bounds::Bounds;
pub use contact::{Contact, ContactKind};
pub use convex_parts::convex_parts;
pub use deviation_source::DeviationSource;
pub use directional::{DirectionalDistance, DirectionalRelation};
pub use dispositions::{Decision, Disposition, Dispositions, EventState, IssueGroup, StaleDisposition};
pub use earlier_issues::{EarlierIssue, EarlierIssues, EarlierPair};
pub use expected::Expected;
pub use geometry_note::GeometryNote;
pub use ignore_rule::{IgnoreRule, PairCounts, SameAncestor};
pub use ignored_pairs::{IgnoredPairs, own_pairs};
pub use interval::{IntervalMethod, IntervalProximity, IntervalStatus};
pub use motion_bounds::{BrokenBound, MotionBounds};
pub use node_hierarchy::{MovingNode, NodeHierarchy, NodeLink, RestOrientation, RestPose};
pub use proximity::{FeatureKind, Method, Proximity, Status};
pub use rules::{DEFAULT_RULE, FreeLength, PairRules, Requirements, Rule, Severity};
pub use scene::{Scene, SceneHeader, SceneOverrides};
pub use scene_joints::SceneJoints;
pub use scene_robot::{RobotLink, SceneRobot};
pub use search_options::{CellSizes, GjkOptions, SearchOptions, SubAlgorithm, SupportSearch};
pub use shape::{HullFit, LazyParts, MeshCondition, Model, Piece, Shape, UnevenGrowth};
pub use steps::{PoseSteps, single_step};
pub use trajectory_columns::{ColumnRole, ColumnUnit, NamedColumn, TimeUnit, TrajectoryColumns};
