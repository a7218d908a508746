//! A loaded scene, as plain data in SI units.

use super::body_tree::BodyTree;
use super::columns::TrajectoryColumns;
use super::ignore::IgnoreRule;
use super::joints::SceneJoints;
use super::load::SceneOverrides;
use super::readers::GeometryNote;
use clearsweep_geometry::Vec3;
use clearsweep_model::{MotionRule, NodeHierarchy};
use std::path::PathBuf;
use std::sync::Arc;

pub use clearsweep_model::{
    Baseline, BaselineAt, BaselinePair, Baselines, Body, DEFAULT_TOUCH_M, Dispositions, FreeLength, HullFit,
    IgnoredPairs, InputDigest, IssueGroup, LazyParts, LengthUnit, MeshCondition, Missing, Model, Motion, PairRules,
    Piece, QueryOptions, Requirements, Rule, Severity, Shape,
};

/// A loaded scene.
#[derive(Debug, Clone)]
pub struct Scene {
    /// The scene file, as given.
    pub path: PathBuf,
    /// `[scene] name`.
    pub name: String,
    /// Metres in one `length_unit`, as the exact ratio numerator / denominator (mm: 1 / 1000).
    pub unit: LengthUnit,
    /// The unit that the clearance required is written in, for people; without one, that of the scene.
    pub require_unit: LengthUnit,
    /// The bodies, in scene order; at most `i32::MAX`.
    pub bodies: Vec<Body>,
    /// Indices of the dynamic bodies, ascending: the slots of a block.
    #[doc(hidden)]
    pub dynamic: Vec<u32>,
    /// Trajectories (path, directory or glob, made absolute or relative to the working directory); `None`: a static
    /// scene of one frame.
    pub trajectories: Option<PathBuf>,
    /// `[columns]`: names and units of the columns of the trajectories.
    pub columns: TrajectoryColumns,
    /// `[scene] missing`.
    pub missing: Missing,
    /// `[scene] frame_rate`, frames a second.
    pub frame_rate: Option<f64>,
    /// `[query]`.
    pub query: QueryOptions,
    /// `direction` of `[query]`: a unit vector of the world, along which distances are asked too.
    pub direction: Option<Vec3<f64>>,
    /// `[motion]`: what is assumed between frames.
    #[doc(hidden)]
    pub motion: MotionRule,
    /// Which pairs are never reported.
    #[doc(hidden)]
    pub ignored: IgnoredPairs,
    /// `[[ignore]]`, in file order.
    #[doc(hidden)]
    pub ignore_rules: Vec<IgnoreRule>,
    /// `[[rule]]`: what is required of which pairs. Of those that no rule matches, `require` of `query` is.
    #[doc(hidden)]
    pub rules: Arc<PairRules>,
    /// Pairs that were nearer than required at the baseline of their rule: found when a job begins.
    #[doc(hidden)]
    pub baselines: Arc<Baselines>,
    /// `[dispositions]`: what people decided about pairs.
    #[doc(hidden)]
    pub dispositions: Arc<Dispositions>,
    /// `group` of `[report]`.
    #[doc(hidden)]
    pub issue_group: IssueGroup,
    /// The node above each body in the tree of its file, by an index among all such nodes; `None`: there is none.
    #[doc(hidden)]
    pub parents: Vec<Option<u32>>,
    /// Every input file read so far, with its size and SHA-256 digest in hexadecimal, in the order of reading.
    #[doc(hidden)]
    pub inputs: Vec<InputDigest>,
    /// The SHA-256 digest, in hexadecimal, of what a [`SceneBuilder`](super::SceneBuilder) was told; `None`: of a scene
    /// file, whose digest is the first of `inputs`.
    #[doc(hidden)]
    pub builder_digest: Option<String>,
    /// The values that replaced those of the scene file.
    #[doc(hidden)]
    pub overrides: SceneOverrides,
    /// Joints that carry all dynamic bodies, if there are joints: the trajectories then are their values.
    #[doc(hidden)]
    pub joints: Option<Arc<SceneJoints>>,
    /// Nodes that trajectories may move beside the bodies, and what they carry.
    #[doc(hidden)]
    pub hierarchy: NodeHierarchy,
    /// Trees of the bodies made of the geometry files of `[[bodies]]` with `each`, in file order.
    #[doc(hidden)]
    pub trees: Vec<BodyTree>,
    /// Notes on the parts that readers left out of geometry files: the file, and the note.
    #[doc(hidden)]
    pub notes: Vec<(PathBuf, GeometryNote)>,
}

impl Scene {
    /// What is required of each pair, baselines included once they are known.
    #[doc(hidden)]
    pub fn requirements(&self) -> Requirements {
        Requirements::new(&self.rules, self.query.require, &self.baselines)
    }

    /// The name of the node above a body in the tree of its file.
    #[doc(hidden)]
    pub fn parent_name(&self, body: u32) -> Option<&str> {
        let mut node = (*self.parents.get(body as usize)?)? as usize;
        for tree in &self.trees {
            match tree.nodes.get(node) {
                Some(found) => return Some(&found.name),
                None => node -= tree.nodes.len(),
            }
        }
        None
    }
}
