//! One pair of shapes while both move from one pose to another.

use super::pair::{PairOptions, check_pose};
use clearsweep_base::error::{Error, Result};
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_model::{BetweenFrames, Pivot, Shape};
use clearsweep_narrow::interval::{BodyMotion, IntervalOptions, IntervalProximity, interval_proximity};
use clearsweep_narrow::{SolverStats, Workspace};

/// Answers one pair of shapes over motions from pose to pose.
pub struct MotionQuery<'a> {
    shapes: [&'a Shape; 2],
    options: IntervalOptions,
    work: Workspace,
}

impl<'a> MotionQuery<'a> {
    /// A query of the pair (a, b), whose own origins are the pivots.
    ///
    /// # Errors
    /// A length of the options is negative or not finite, or nothing is said of the motion.
    pub fn new(a: &'a Shape, b: &'a Shape, between: BetweenFrames, options: &PairOptions) -> Result<Self> {
        options.check()?;
        if between == BetweenFrames::None {
            return Err(Error::usage("motion of a pair", "nothing is said of it", "choose linear, screw or hold"));
        }
        if between.is_by_joints() {
            let problem = "a pair of shapes alone has no joints";
            return Err(Error::usage("motion of a pair", problem, "choose linear, screw or hold"));
        }
        if between.needs_times() {
            let problem = "the poses of a pair have no times, which this motion needs";
            return Err(Error::usage("motion of a pair", problem, "choose linear, screw or hold"));
        }
        let within = options.cutoff().unwrap_or(f64::INFINITY);
        let (touch, answer) = (options.touch, options.answer);
        let options = IntervalOptions { between, within, touch, answer, ..IntervalOptions::default() };
        Ok(Self { shapes: [a, b], options, work: Workspace::default() })
    }

    /// The least signed distance while the bodies move from the first pose to the second, of their
    /// own frames in the world; what is proven of bodies beyond `within` is that distance alone.
    ///
    /// # Errors
    /// A pose is not finite, or its quaternion is not of length 1 within 1e-3.
    pub fn least_distance(&mut self, a: [&Pose; 2], b: [&Pose; 2]) -> Result<IntervalProximity> {
        for (name, poses) in [("A", a), ("B", b)] {
            poses.into_iter().try_for_each(|pose| check_pose(name, pose))?;
        }
        let motion = |shape: &'a Shape, poses: [&Pose; 2]| BodyMotion {
            shape,
            ends: poses.map(|pose| shape.recentring().place(pose)),
            pivot: Pivot::Origin.of(shape),
            fall: Vec3::ZERO,
            departure: 0.0,
        };
        let [a, b] = [motion(self.shapes[0], a), motion(self.shapes[1], b)];
        let found =
            interval_proximity(&a, &b, [None, None], &self.options, &mut self.work, &mut SolverStats::default());
        found.ok_or_else(|| Error::internal("motion of a pair", "no answer within an infinite distance"))
    }
}
