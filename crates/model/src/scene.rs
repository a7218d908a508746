//! A loaded scene, as plain data in SI units.

use super::{
    Baselines, Body, BodyTree, Dispositions, EarlierIssues, Expected, GeometryNote, IgnoreRule, IgnoredPairs,
    InputDigest, IssueGroup, LengthUnit, Missing, MotionRule, NodeHierarchy, PairRules, QueryOptions, Requirements,
    SceneJoints, SceneRobot, SearchOptions, TrajectoryColumns,
};
use clearsweep_geometry::Vec3;
use std::path::PathBuf;
use std::sync::Arc;

/// A loaded scene.
#[derive(Debug, Clone)]
pub struct Scene {
    /// The scene file, as given.
    pub path: PathBuf,
    /// `[scene] name`.
    pub name: String,
    /// Metres in one `length_unit`, as the exact ratio numerator / denominator (mm: 1 / 1000).
    pub unit: LengthUnit,
    /// The unit that the clearance required is written in, for people; without one, that of the
    /// scene.
    pub require_unit: LengthUnit,
    /// The bodies, in scene order; at most `i32::MAX`.
    pub bodies: Vec<Body>,
    /// Indices of the dynamic bodies, ascending: the slots of a block.
    #[doc(hidden)]
    pub dynamic: Vec<u32>,
    /// Trajectories (path, directory or glob, made absolute or relative to the working directory);
    /// `None`: a static scene of one frame.
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
    /// `gjk` and `hash` of `[query]`.
    #[doc(hidden)]
    pub search: SearchOptions,
    /// `[motion]`: what is assumed between frames.
    #[doc(hidden)]
    pub motion: MotionRule,
    /// Which pairs are never reported.
    #[doc(hidden)]
    pub ignored: IgnoredPairs,
    /// `[[ignore]]`, in file order.
    #[doc(hidden)]
    pub ignore_rules: Vec<IgnoreRule>,
    /// `[[rule]]`: what is required of which pairs. Of those that no rule matches, `require` of
    /// `query` is.
    #[doc(hidden)]
    pub rules: Arc<PairRules>,
    /// Pairs that were nearer than required at the baseline of their rule: found when a job begins.
    #[doc(hidden)]
    pub baselines: Arc<Baselines>,
    /// `[dispositions]`: what people decided about pairs.
    #[doc(hidden)]
    pub dispositions: Arc<Dispositions>,
    /// The issues of an earlier execution, whose ids the issues of this one take over.
    #[doc(hidden)]
    pub earlier_issues: Option<Arc<EarlierIssues>>,
    /// `group` of `[report]`.
    #[doc(hidden)]
    pub issue_group: IssueGroup,
    /// `[expect]`: counts that the input has to have.
    #[doc(hidden)]
    pub expected: Expected,
    /// The node above each body in the tree of its file, by an index among all such nodes; `None`:
    /// there is none.
    #[doc(hidden)]
    pub parents: Vec<Option<u32>>,
    /// Every input file read so far, with its size and SHA-256 digest in hexadecimal, in the order
    /// of reading.
    #[doc(hidden)]
    pub inputs: Vec<InputDigest>,
    /// The SHA-256 digest, in hexadecimal, of what a builder of scenes was told; `None`: of a scene
    /// file, whose digest is the first of `inputs`.
    #[doc(hidden)]
    pub builder_digest: Option<String>,
    /// The values that replaced those of the scene file.
    #[doc(hidden)]
    pub overrides: SceneOverrides,
    /// Joints that carry all dynamic bodies, if there are joints: the trajectories then are their
    /// values.
    #[doc(hidden)]
    pub joints: Option<Arc<SceneJoints>>,
    /// The robots, in file order.
    #[doc(hidden)]
    pub robots: Vec<SceneRobot>,
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
    /// Requirements of each pair, baselines included once they are known.
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

/// Values of the command line that replace those of the scene file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SceneOverrides {
    /// Trajectories: a file, a directory or a glob, relative to the working directory.
    pub trajectories: Option<PathBuf>,
    /// `within`: a length in the scene's unit, or with its own (`50mm`).
    pub within: Option<String>,
    /// `require`, likewise.
    pub require: Option<String>,
    /// `direction` as the text `X,Y,Z`: a vector of the world.
    pub direction: Option<String>,
    /// How bodies move between frames: `none`, `linear`, `screw` or `hold`.
    pub between: Option<String>,
    /// The numbers that are computed about a pair: `overlap`, `distance` or `depth`.
    pub answer: Option<String>,
    /// Which contacts have rows: `none` or `all`.
    pub contacts: Option<String>,
    /// The file of accepted pairs, relative to the working directory, in place of that of the
    /// scene.
    pub accepted: Option<PathBuf>,
    /// Most threads that load geometry; `None`: as many as there are cores.
    pub threads: Option<usize>,
    /// Bytes that the scene file, a table of bodies and a geometry file may have, each; `None`: 16
    /// GiB.
    pub max_input: Option<u64>,
    /// Whether contacts between frames are looked for: a scene that says no motion between frames
    /// has a screw (or its joints), and `within` may be left out.
    #[doc(hidden)]
    pub for_audit: bool,
    /// Whether poses, or values of joints, are handed to the job: the scene need not name any.
    #[doc(hidden)]
    pub poses_follow: bool,
}

/// The facts known about the trajectories of a scene while its bodies are still being read.
#[derive(Debug, Clone, PartialEq)]
pub struct SceneHeader {
    /// As [`Scene::trajectories`] will be, if anything moves.
    pub trajectories: Option<PathBuf>,
    /// As [`Scene::unit`] will be.
    pub unit: LengthUnit,
    /// As [`Scene::missing`] will be.
    pub missing: Missing,
    /// As [`Scene::columns`] will be.
    pub columns: TrajectoryColumns,
}
