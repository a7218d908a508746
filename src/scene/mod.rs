//! The scene: bodies, shapes, ignore rules, and the plain data that the stages hand to each other.
//!
//! *Architecture invariant*: data and the reading of scene and geometry files only; knows no stage.

pub mod block;
pub mod model;

pub use block::{Candidate, FrameBlock, Lanes, SAMPLES, Sample};
pub use model::{Body, Missing, Model, Motion, Piece, QueryOptions, Scene, Shape};
