//! Motion assumed between neighbouring frames: `[motion]`.

use clearsweep_geometry::Vec3;
use clearsweep_kinematics::FrameTimes;

/// How a body moves from its pose in a frame to that in the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BetweenFrames {
    /// Nothing is said.
    #[default]
    None,
    /// The pivot moves on a line, at constant speed; the body turns about it by the shortest
    /// rotation, at constant angular velocity.
    Linear,
    /// A screw: rotation about an axis and translation along it, both at constant velocity.
    Screw,
    /// The pose of the frame holds until the next frame.
    Hold,
    /// Joints move linearly in their values, and carry the bodies.
    Joint,
    /// Joints move along splines, and carry the bodies.
    Spline,
    /// The pivot falls freely, on the parabola through both positions; the body turns about it as
    /// under [`BetweenFrames::Linear`].
    Ballistic,
    /// Any motion within the bounds that the bodies state ([`MotionBounds`](crate::MotionBounds)).
    Bounded,
}

impl BetweenFrames {
    /// The words of the scene file and of the command line, in the order of the variants.
    pub const NAMES: [&'static str; 8] = ["none", "linear", "screw", "hold", "joint", "spline", "ballistic", "bounded"];

    /// All variants.
    pub const ALL: [Self; 8] =
        [Self::None, Self::Linear, Self::Screw, Self::Hold, Self::Joint, Self::Spline, Self::Ballistic, Self::Bounded];

    /// Whether the motion depends on the time from frame to frame.
    pub fn needs_times(self) -> bool {
        matches!(self, Self::Ballistic | Self::Bounded)
    }

    /// Whether joints move the bodies between frames.
    pub fn is_by_joints(self) -> bool {
        matches!(self, Self::Joint | Self::Spline)
    }

    /// The word of the scene file.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }
}

/// The point of a body that moves on a line under [`BetweenFrames::Linear`], and falls under
/// [`BetweenFrames::Ballistic`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pivot {
    /// The origin of the body's own frame.
    #[default]
    Origin,
    /// The centre of the box around its geometry: `Shape::middle`.
    Centre,
}

/// `[motion]`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MotionRule {
    /// How bodies move between frames.
    pub between: BetweenFrames,
    /// How wide the bracket of the least distance over an interval may be, metres.
    pub tolerance: f64,
    /// Distances that are computed for an interval, at most.
    pub work: u32,
    /// Frames that neighbouring frames of a run may be apart for an interval to be looked at; at
    /// least 1.
    pub max_gap: i64,
    /// Longest time between them, seconds; `None`: see [`MotionRule::MANY_TIMES`]. Without times
    /// nothing is long.
    pub max_gap_s: Option<f64>,
    /// Whether joints that turn without limits go from value to value by the shortest turn
    /// ([`BetweenFrames::Joint`]).
    pub wraps: bool,
    /// Times of the frames ([`BetweenFrames::Spline`]).
    pub spline_frames: FrameTimes,
    /// Acceleration of the pivots, m/s^2 ([`BetweenFrames::Ballistic`]).
    pub gravity: Vec3<f64>,
}

impl MotionRule {
    /// Ratio of an interval's time a frame to that of the intervals beside it from which on it is a
    /// gap, unless a longest time is stated.
    pub const MANY_TIMES: f64 = 100.0;

    /// On the Earth, z upward, m/s^2.
    pub const EARTH: Vec3<f64> = Vec3::new(0.0, 0.0, -9.81);

    /// Acceleration of a falling pivot over an interval that takes `seconds`, metres over the
    /// square of the interval; zero unless bodies fall. Rounded by a few units in the last place.
    pub fn fall(&self, seconds: f64) -> Vec3<f64> {
        match self.between {
            BetweenFrames::Ballistic => self.gravity.scale(seconds * seconds),
            _ => Vec3::ZERO,
        }
    }
}

impl Default for MotionRule {
    fn default() -> Self {
        Self {
            between: BetweenFrames::None,
            tolerance: 1e-4,
            work: 4000,
            max_gap: 1,
            max_gap_s: None,
            wraps: false,
            spline_frames: FrameTimes::default(),
            gravity: Self::EARTH,
        }
    }
}
