//! The joints of a scene.

use clearsweep_kinematics::{JointTree, SweepRuns};

/// The joints of a scene, and the values that a sweep gives them.
#[derive(Debug, Clone, PartialEq)]
pub struct SceneJoints {
    /// The joints, and the dynamic bodies that they carry, by slot.
    pub tree: JointTree,
    /// Values in place of trajectories; `None`: a file or a caller gives them.
    pub sweeps: Option<SweepRuns>,
    /// Values that `[posture]` gives, by column: of joints that nothing else moves.
    pub posture: Vec<Option<f64>>,
    /// Least and greatest value, by column.
    pub allowed: Vec<[f64; 2]>,
}
