//! Joints: the poses of the bodies that they carry, and bounds of how these move while the joints'
//! values move on lines or along polynomials.
//!
//! ```text
//! joint.rs    one joint, and the pose of what it carries
//! tree.rs     all joints of a scene, and the bodies that they carry
//! chain.rs    the joints between two bodies: those that count for the pair
//! motion.rs   a pair over an interval of values
//! curve.rs    values of a joint over an interval, if they move on no line
//! spline.rs   values along polynomials and over knots
//! bounds.rs   bounds of speed, acceleration and jerk of points that a chain carries
//! sweep.rs    values over ranges of motion
//! ```
//!
//! Source of the derivatives: the product of exponentials (Brockett 1984; Murray, Li, Sastry 1994,
//! "A Mathematical Introduction to Robotic Manipulation", section 3.2); derivation in
//! docs/reference/numerics.md, "Joints".
//!
//! *Architecture invariant*: knows no scene, no file and no shape; lengths in metres, angles in
//! radians.

mod bounds;
mod chain;
mod curve;
mod joint;
mod motion;
mod spline;
mod sweep;
mod tree;

pub use bounds::{ChainBounds, Derivatives};
pub use chain::PairChain;
pub use curve::{MOST_DEGREE, ValueCurve};
pub use joint::{Joint, JointKind, JointValue, RANGE_SLACK};
pub use motion::{JointMotion, Twist};
pub use spline::{FrameTimes, JointSpline, JointSplines, RunSplines, SplinePiece, TIME_SLACK_S, VALUE_SLACK};
pub use sweep::{MOST_SAMPLES, Sweep, SweepPath, SweepRuns, SweptJoint};
pub use tree::{CarriedBody, JointTree};
