//! The robots of a scene: which bodies are those of which link.

/// A robot description of a scene.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SceneRobot {
    /// Its name in the scene: bodies and joints are called NAME/LINK and NAME/JOINT.
    pub name: String,
    /// Its name in the description.
    pub own_name: String,
    /// The links, in the order of the description.
    pub links: Vec<RobotLink>,
    /// Pairs of links that a joint joins, past links without geometry, each `[a, b]` with `a < b`.
    pub joined: Vec<[usize; 2]>,
}

/// A link of a robot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RobotLink {
    /// Its name in the description.
    pub name: String,
    /// Its bodies, by index in the scene.
    pub bodies: Vec<u32>,
}
