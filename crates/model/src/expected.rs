//! Counts that a scene expects of its input.

/// `[expect]`: counts that the input has to have, so that a part of it that is missing is found
/// before anything is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Expected {
    /// Runs of the input.
    pub runs: Option<u64>,
    /// Frames of each run.
    pub frames: Option<u64>,
    /// Bodies of the scene.
    pub bodies: Option<u64>,
}

impl Expected {
    /// Whether counts of the trajectories are expected.
    pub fn is_of_trajectories(&self) -> bool {
        self.runs.is_some() || self.frames.is_some()
    }
}
