//! The scene: bodies, shapes, ignore rules, and the plain data that the stages hand to each other.
//!
//! *Architecture invariant*: data and the reading of scene and geometry files only; knows no stage.
//!
//! Loading runs downward through the files: `keys` (`values` with places) -> `file` (what the scene
//! file says; `sections`: a large one in parts, on all cores; `tables`: the rows of `[[bodies]]`;
//! `each`: the parts of a geometry file) -> `build` (geometry files and shapes, in parallel;
//! `readers`, `shapes`) -> `body_shape` (hulls, pieces or triangles; `centre`, `distinct`,
//! `hull_fit`, `mesh`) -> `load` (the [`Scene`]). `joints` says which of them joints carry.
//! `body_spec` lowers the keys of a body, whatever they come from; `builder` is the way in for
//! scenes in code.

mod body_names;
mod body_shape;
mod body_spec;
mod body_texts;
mod build;
mod builder;
mod centre;
mod columns;
mod decomposition;
mod digest;
pub mod direction;
pub mod dispositions;
mod distinct;
mod each;
mod expect;
mod field_lengths;
mod file;
mod foreign;
mod glob;
mod hull_fit;
pub mod ignore;
mod joints;
mod keys;
pub mod length;
pub mod load;
mod mesh;
mod motion_spec;
mod orientation;
mod overrides;
pub mod readers;
mod rest;
mod round_shape;
mod rounded;
mod row_place;
mod rules;
mod same_ancestor;
mod sections;
mod selectors;
pub mod shapes;
mod tables;
mod values;
mod within;

pub use builder::{BodyBuilder, Geometry, SceneBuilder};
// The scene and what stages exchange have one home, and are found here too.
pub use clearsweep_model as model;
pub use clearsweep_model::{
    AnswerKind, BetweenFrames, Body, BodyTree, Candidate, CellSizes, ColumnRole, ColumnUnit, FrameBlock, GeometryNote,
    HullFit, IgnoreRule, MeshCondition, Missing, Model, Motion, MotionRule, NamedColumn, NextSample, NodeHierarchy,
    NodeLink, PairCounts, Piece, Pivot, PoseSteps, QueryOptions, RestOrientation, RestPose, SAMPLES, SameAncestor,
    Sample, SampleColumn, Scene, SceneHeader, SceneJoints, SceneOverrides, SearchOptions, Shape, TimeUnit,
    TrajectoryColumns, TreeNode, between, block, convex_parts,
};
pub use load::{load_scene, load_scene_and_tell, scene_beside, scene_of_text};
