//! The paths of both bodies over an interval: each moves by itself, or joints carry them.

use super::options::{BodyMotion, IntervalOptions};
use super::path::{BodyPath, PathTerms, displacement};
use super::relative_motion::{RelativeMotion, Slack};
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_kinematics::{ChainBounds, JointMotion};
use clearsweep_model::Shape;
use std::rc::Rc;

/// The paths of both bodies.
#[derive(Debug, Clone)]
#[expect(clippy::large_enum_variant, reason = "the large one is the common one, and is made for each interval")]
pub(super) enum PairPath<'a> {
    /// Each body moves by itself.
    Free([BodyPath; 2]),
    /// Joints move on lines in their values. The world is the frame of the link that carries both
    /// bodies.
    Jointed(Rc<JointedPath<'a>>),
}

/// Two bodies that joints carry.
#[derive(Debug)]
pub(super) struct JointedPath<'a> {
    shapes: [&'a Shape; 2],
    motion: JointMotion<'a>,
    /// Bounds of each body's motion: in that world, and in the frame of the other body.
    pub(super) bounds: [[ChainBounds; 2]; 2],
    /// Poses of each body at both ends.
    ends: [[Pose; 2]; 2],
    /// The motion of each body about a fixed axis; `None`: several joints move one of them.
    pub(super) twists: Option<[PathTerms<f64>; 2]>,
    /// Errors of `twists`.
    pub(super) slack: Slack,
    /// Bounds of the bodies as a whole.
    pub(super) relative: RelativeMotion,
}

impl<'a> JointedPath<'a> {
    pub(super) fn new(shapes: [&'a Shape; 2], motion: JointMotion<'a>) -> Self {
        let bounds = motion.bounds();
        let cores = shapes.map(|shape| shape.hull().core.radius);
        let [start, end] = [0.0, 1.0].map(|share| motion.poses(share));
        let twists = motion.twists().map(|twists| [0, 1].map(|body| PathTerms::of_twist(&twists[body], cores[body])));
        // A term is a sum of a few vectors, each turned once or twice.
        let slack = Slack { place: 4.0 * motion.error, tilt: 8.0 * motion.tilt };
        let relative = match &twists {
            Some([a, b]) => {
                let between = displacement(&(&start[0]).into(), &(&start[1]).into());
                RelativeMotion::of_twists([a, b], between, slack, motion.error)
            }
            None => of_chains(&bounds, cores, motion.error),
        };
        Self { shapes, motion, bounds, ends: [[start[0], end[0]], [start[1], end[1]]], twists, slack, relative }
    }

    /// Bounds of the bodies as a whole over a part of the interval, in shares of all of it; `None`:
    /// they are those of the interval.
    fn relative_over(&self, part: [f64; 2]) -> Option<RelativeMotion> {
        let is_part = part[1] - part[0] < 1.0 && self.motion.is_curved();
        let cores = self.shapes.map(|shape| shape.hull().core.radius);
        is_part.then(|| of_chains(&self.motion.bounds_over(part), cores, self.motion.error))
    }

    /// Both bodies over the interval.
    pub(super) fn bodies(&self) -> [BodyMotion<'a>; 2] {
        [0, 1].map(|body| BodyMotion {
            shape: self.shapes[body],
            ends: self.ends[body],
            pivot: Vec3::ZERO,
            fall: Vec3::ZERO,
            departure: 0.0,
        })
    }

    /// Bound on the error of both bodies' places together, metres.
    pub(super) fn error(&self) -> f64 {
        self.motion.error
    }
}

/// The motion of two bodies by the bounds of their chains; `cores`: the radii of their cores about
/// the recentred origins, metres.
fn of_chains(bounds: &[[ChainBounds; 2]; 2], cores: [f64; 2], error: f64) -> RelativeMotion {
    let of = |body: usize| bounds[body].each_ref().map(|bounds| bounds.of_ball(Vec3::ZERO, cores[body]));
    RelativeMotion::of_joints([of(0), of(1)], error)
}

impl<'a> PairPath<'a> {
    /// `joints`: those between the bodies, which then move by them alone. `None`: the rotation of a
    /// body has no shortest way.
    pub(super) fn new(
        bodies: [&BodyMotion<'a>; 2],
        joints: Option<&Rc<JointedPath<'a>>>,
        options: &IntervalOptions,
    ) -> Option<Self> {
        if let Some(path) = joints {
            return Some(Self::Jointed(Rc::clone(path)));
        }
        let [a, b] = bodies.map(|body| BodyPath::new(body, options.between));
        Some(Self::Free([a?, b?]))
    }

    /// The poses of both bodies at a share of the interval, within [`Self::error`].
    pub(super) fn poses(&self, share: f64) -> [Pose; 2] {
        match self {
            Self::Free(paths) => [paths[0].pose(share), paths[1].pose(share)],
            Self::Jointed(path) => path.motion.poses(share),
        }
    }

    /// Bound on the error of both bodies' places together in poses between the ends, metres.
    pub(super) fn error(&self) -> f64 {
        match self {
            Self::Free(paths) => paths[0].error + paths[1].error,
            Self::Jointed(path) => path.error(),
        }
    }

    /// The same at the ends: these are given as poses, or computed from the values of joints.
    pub(super) fn error_at_ends(&self) -> f64 {
        match self {
            Self::Free(_) => 0.0,
            Self::Jointed(path) => path.error(),
        }
    }

    /// Bounds of the bodies' motion relative to each other.
    pub(super) fn relative_motion(&self, bodies: [&BodyMotion<'_>; 2]) -> RelativeMotion {
        match self {
            Self::Free([a, b]) => {
                let [from, to] = bodies.map(|body| (&body.ends[0]).into());
                RelativeMotion::new([&a.terms(), &b.terms()], displacement(&from, &to), BodyPath::parting([a, b]))
            }
            Self::Jointed(path) => path.relative,
        }
    }

    /// The same over a part of the interval, in shares of all of it; `motion`: over all of it.
    pub(super) fn relative_over(&self, motion: &RelativeMotion, part: [f64; 2]) -> RelativeMotion {
        let tighter = match self {
            Self::Free(_) => None,
            Self::Jointed(path) => path.relative_over(part),
        };
        tighter.unwrap_or(*motion)
    }

    /// A bound of the second derivative of the vector between two points of the bodies (recentred
    /// frames, metres) in the world.
    pub(super) fn bend_of_points(&self, points: [Vec3<f64>; 2]) -> f64 {
        let of = |body: usize| match self {
            Self::Free(paths) => {
                paths[body].omega.length2() * (paths[body].arm.length() + points[body].length()) * (1.0 + 1e-9)
            }
            Self::Jointed(path) => path.bounds[body][0].of_ball(points[body], 0.0).bend,
        };
        let parting = match self {
            Self::Free([a, b]) => BodyPath::parting([a, b]).length() * (1.0 + 1e-9),
            Self::Jointed(_) => 0.0,
        };
        of(0) + of(1) + parting
    }
}
