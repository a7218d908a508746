//! The names and units of the columns of an input, as the scene or the caller gives them.

use super::read_options::ReadOptions;
use clearsweep_kinematics::Joint;
use clearsweep_model::{BetweenFrames, LengthUnit, Scene, SceneJoints, TrajectoryColumns};
use std::sync::Arc;

/// Names of the columns of an input, and the unit of its lengths unless a column has its own.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ColumnFormat {
    pub(super) unit: LengthUnit,
    pub(super) names: Arc<TrajectoryColumns>,
    /// Joints whose values the input holds; `None`: it holds poses.
    pub(super) joints: Option<Arc<[JointName]>>,
    /// Whether it holds pieces of their motions in place of values.
    pub(super) has_pieces: bool,
    /// Whether frames need a column of times: bodies fall between them, and the scene has no frame
    /// rate.
    pub(super) needs_times: bool,
}

/// A joint that has a column of values.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct JointName {
    pub(super) name: String,
    /// Whether its values are angles.
    pub(super) turns: bool,
    /// Value that the scene gives the joint if the input has none.
    pub(super) posture: Option<f64>,
    /// Least and greatest value.
    pub(super) allowed: [f64; 2],
}

impl ColumnFormat {
    /// Returns the format of poses in a scene; names in the options take precedence.
    pub(super) fn of(unit: LengthUnit, names: &TrajectoryColumns, options: &ReadOptions) -> Self {
        let names = Arc::new(options.columns.as_ref().unwrap_or(names).clone());
        Self { unit, names, joints: None, has_pieces: false, needs_times: false }
    }

    /// Returns the format of the input of a scene; names in the options take precedence.
    pub(super) fn of_scene(scene: &Scene, options: &ReadOptions) -> Self {
        let joints = scene.joints.as_deref().map(joint_names);
        let has_pieces = joints.is_some() && scene.motion.between == BetweenFrames::Spline;
        let needs_times = scene.motion.between.needs_times() && scene.frame_rate.is_none();
        Self { joints, has_pieces, needs_times, ..Self::of(scene.unit, &scene.columns, options) }
    }

    /// Returns the format of rows that a sweep or splines make.
    pub(super) fn of_made(joints: &SceneJoints) -> Self {
        let joints = Some(joint_names(joints));
        Self { unit: LengthUnit::ALL[0], names: Arc::default(), joints, has_pieces: false, needs_times: false }
    }
}

/// The joints that have columns.
pub(super) fn joint_names(joints: &SceneJoints) -> Arc<[JointName]> {
    let columns = joints.tree.columns().zip(joints.posture.iter().zip(&joints.allowed));
    let name = |(joint, (&posture, &allowed)): (&Joint, (&Option<f64>, &[f64; 2]))| JointName {
        name: joint.name.clone(),
        turns: joint.kind.turns(),
        posture,
        allowed,
    };
    columns.map(name).collect()
}
