//! How coarse the numbers of a body are as its files store them.

/// The rounding steps of poses as a file stores them; 0 if it stores `f64` or decimal text.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PoseSteps {
    /// Step of a coordinate of the position, metres.
    pub position_m: f64,
    /// Step of the angle that the orientation turns by, radians.
    pub turn_rad: f64,
}

impl PoseSteps {
    /// A component of a unit quaternion below 1 has this step in single precision, and half the
    /// angle changes by it.
    pub const TURN_RAD: f64 = f32::EPSILON as f64;

    /// The larger steps of both.
    pub fn max(self, other: Self) -> Self {
        Self { position_m: self.position_m.max(other.position_m), turn_rad: self.turn_rad.max(other.turn_rad) }
    }

    /// The step of the coordinates of a body that is placed so and reaches so far from its own
    /// origin, metres.
    pub fn of_reach(self, reach: f64) -> f64 {
        self.position_m.max(self.turn_rad * reach)
    }
}

/// The spacing of single precision at a magnitude.
pub fn single_step(magnitude: f64) -> f64 {
    let one = (magnitude as f32).abs();
    let next = one.next_up();
    if next.is_finite() { f64::from(next) - f64::from(one) } else { f64::from(one) - f64::from(one.next_down()) }
}
