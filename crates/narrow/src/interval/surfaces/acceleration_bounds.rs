//! Bounds of the acceleration of a volume's points (docs/reference/numerics.md, "Between the
//! frames"): those of [`RelativeMotion`](crate::interval::relative_motion::RelativeMotion), for a
//! part of a body instead of the whole.

use super::body_poses::PairMoment;
use super::volume::ConvexVolume;
use crate::interval::pair_path::PairPath;
use crate::interval::path::{BodyPath, PathTerms};
use crate::interval::relative_motion::{FixedIn, Slack};
use clearsweep_geometry::Vec3;
use clearsweep_kinematics::{ChainBounds, Derivatives};

/// Relative margin of what is computed here.
const MARGIN: f64 = 1.0 + 1e-9;

/// Bound on the error of differences of nearly equal numbers, relative to these numbers.
const CANCELLATION: f64 = 64.0 * f64::EPSILON;

/// Bounds of the motion of a volume's points, but for that of the pivots (see [`PairBends`]),
/// metres over powers of the interval.
#[derive(Debug, Clone, Copy)]
pub(super) struct VolumeReach {
    /// The second derivative of its middle, in the world.
    middle: f64,
    /// Derivatives of any point in the world.
    in_world: Derivatives,
    /// Derivatives of any point in the frame of the other body.
    in_other: Derivatives,
}

/// Motions of two bodies; times are shares of the interval. Terms of a volume are in its
/// [`VolumeReach`]; bodies on several joints have no other terms.
#[derive(Debug, Clone)]
pub(super) struct PairBends {
    motion: PairRates,
    /// Whether neither body turns.
    is_still: bool,
    /// Unit axes in the world; zero without a rotation, or where there is no single axis.
    axes: [Vec3<f64>; 2],
    /// In the frame of a body the pivot of the other has at most this second and third
    /// derivative...
    carried: [f64; 2],
    carried_jerk: [f64; 2],
    /// ...and this speed; in the world the pivots part at most by `apart`.
    drift: [f64; 2],
    apart: f64,
    /// The acceleration with which the pivots part, in the world.
    parting: Vec3<f64>,
}

/// The rates of the motions.
#[derive(Debug, Clone)]
enum PairRates {
    /// Each body turns about a pivot that moves on a line, by itself or by one joint.
    Free(Box<FreeRates>),
    /// Several joints carry the bodies: bounds of each body in the world and in the frame of the
    /// other.
    Jointed(Box<[[ChainBounds; 2]; 2]>),
}

/// Rotations of two bodies about pivots.
#[derive(Debug, Clone)]
struct FreeRates {
    /// Angular velocities, radians an interval.
    rates: [f64; 2],
    /// The unit axes in the bodies' frames.
    axes_in_body: [Vec3<f64>; 2],
    /// The pivots in the recentred frames, metres.
    pivots: [Vec3<f64>; 2],
    /// In the frame of a body, a point of the other at a distance r from its pivot has at most the
    /// acceleration `turned r`, beside that of the pivot.
    turned: [f64; 2],
    /// Bound on the third derivative of its place: `turned_jerk r`.
    turned_jerk: [f64; 2],
    /// Bound on the speed of the point, metres per interval, is `turn r`.
    turn: f64,
    /// Angular velocities of both bodies, the velocity of B's pivot from A's, and the vector
    /// between these at the start, in the world.
    omega: [Vec3<f64>; 2],
    velocity: Vec3<f64>,
    between: Vec3<f64>,
    /// Bound on the error of a speed, metres an interval.
    noise: f64,
    /// Bound on the error of differences and directions, relative to the lengths.
    cancellation: f64,
    /// Bound on the error of a point's place that comes on top, metres.
    off: f64,
}

impl PairBends {
    pub(super) fn new(path: &PairPath<'_>, start: &PairMoment) -> Self {
        match path {
            PairPath::Free(paths) => {
                let parting = BodyPath::parting(paths.each_ref());
                Self::of_terms(&paths.each_ref().map(BodyPath::terms), parting, Slack::default(), start)
            }
            PairPath::Jointed(path) => match &path.twists {
                Some(terms) => Self::of_terms(terms, Vec3::ZERO, path.slack, start),
                None => Self::of_chains(&path.bounds),
            },
        }
    }

    fn of_chains(bounds: &[[ChainBounds; 2]; 2]) -> Self {
        let none = [0.0; 2];
        Self {
            motion: PairRates::Jointed(Box::new(bounds.clone())),
            is_still: bounds.iter().flatten().all(|bounds| bounds.turning() == 0.0),
            axes: [Vec3::ZERO; 2],
            carried: none,
            carried_jerk: none,
            drift: none,
            apart: 0.0,
            parting: Vec3::ZERO,
        }
    }

    /// `parting`: the acceleration with which the pivots part, metres over the square of the
    /// interval. It takes them an eighth of it off their line, and adds half of it to their
    /// velocity.
    fn of_terms(terms: &[PathTerms<f64>; 2], parting: Vec3<f64>, slack: Slack, start: &PairMoment) -> Self {
        let [a, b] = terms;
        let omega = [a.omega, b.omega];
        let rates = omega.map(Vec3::length);
        let axes = [0, 1].map(|body| if rates[body] > 0.0 { omega[body].scale(1.0 / rates[body]) } else { Vec3::ZERO });
        let (pivots, velocity) = (start.between + (b.arm - a.arm), b.velocity - a.velocity);
        let ends = [pivots, pivots + velocity];
        let (turn, turning) = (b.omega - a.omega, rates[0] + rates[1]);
        let (lever, along) = (pivots.length() + velocity.length(), velocity.length());
        let by_parting = parting.length();
        let cancellation = CANCELLATION + slack.tilt;
        // Error of a sum of turns of the vector between the pivots and of `times` its velocity.
        let noise = |times: f64| cancellation * (turning * lever + times * along) + turning * slack.place;
        let carried = omega.map(|own| {
            let [first, last] = ends.map(|p| own.cross(own.cross(p) - velocity.scale(2.0)).length());
            let parted = by_parting * (1.0 + own.length() * (1.0 + 0.125 * own.length()));
            (first.max(last) + parted) * MARGIN + turning * noise(2.0)
        });
        let turned =
            omega.map(|own| (turn.cross(own).length() + turn.length2()) * MARGIN + cancellation * turning * turning);
        let carried_jerk = omega.map(|own| {
            let jerk = |p: &Vec3<f64>| own.cross(own.cross(velocity.scale(3.0) - own.cross(*p))).length();
            let parted = by_parting * own.length() * (3.0 + own.length() * (1.5 + 0.125 * own.length()));
            (jerk(&ends[0]).max(jerk(&ends[1])) + parted) * MARGIN + turning * turning * noise(3.0)
        });
        let turned_jerk = omega.map(|own| {
            let (tilt, rate) = (turn.cross(own), turn.length());
            let jerk = own.cross(tilt).length() + 3.0 * tilt.length() * rate + rate * rate * rate;
            jerk * MARGIN + cancellation * turning * turning * turning
        });
        let of_speeds =
            cancellation * (turning * lever + a.velocity.length() + b.velocity.length()) + turning * slack.place;
        let drift = omega.map(|own| {
            let [first, last] = ends.map(|p| (velocity - own.cross(p)).length());
            (first.max(last) + by_parting * (0.5 + 0.125 * own.length())) * MARGIN + of_speeds
        });
        let free = FreeRates {
            rates,
            axes_in_body: [0, 1].map(|body| start.to_body(body, axes[body])),
            pivots: [0, 1].map(|body| start.to_body(body, terms[body].arm)),
            turned,
            turned_jerk,
            turn: turn.length() * MARGIN + cancellation * turning,
            omega,
            velocity,
            between: pivots,
            noise: of_speeds,
            cancellation,
            off: slack.place,
        };
        Self {
            motion: PairRates::Free(Box::new(free)),
            is_still: rates == [0.0; 2],
            axes,
            carried,
            carried_jerk,
            drift,
            apart: (velocity.length() + 0.5 * by_parting) * MARGIN + of_speeds,
            parting,
        }
    }

    /// Whether neither body turns, so that all frames are the same.
    pub(super) fn is_still(&self) -> bool {
        self.is_still
    }

    /// The bounds of a volume of a body.
    pub(super) fn reach(&self, body: usize, volume: &ConvexVolume) -> VolumeReach {
        self.reach_of_ball(body, volume.middle, volume.radius)
    }

    /// The bounds of a ball of a body: its middle in the body's frame, and its radius, metres.
    pub(super) fn reach_of_ball(&self, body: usize, middle: Vec3<f64>, radius: f64) -> VolumeReach {
        match &self.motion {
            PairRates::Free(free) => free.reach_of_ball(body, middle, radius),
            PairRates::Jointed(bounds) => {
                let [own, other] = &bounds[body];
                VolumeReach {
                    middle: own.of_ball(middle, 0.0).bend,
                    in_world: own.of_ball(middle, radius),
                    in_other: other.of_ball(middle, radius),
                }
            }
        }
    }

    /// Bounds the speed of any two points of two volumes relative to each other, metres an
    /// interval.
    pub(super) fn speed(&self, reaches: [&VolumeReach; 2]) -> f64 {
        let [a, b] = reaches;
        let in_world = self.apart + (a.in_world.speed + b.in_world.speed) * MARGIN;
        let (in_a, in_b) = (self.drift[0] + b.in_other.speed, self.drift[1] + a.in_other.speed);
        in_world.min(in_a * MARGIN).min(in_b * MARGIN)
    }

    /// No two points of two balls come nearer to each other, or part, by more than this within a
    /// time `half` (a share of the interval) of a moment, metres.
    pub(super) fn way(&self, balls: [(Vec3<f64>, f64); 2], at: &PairMoment, half: f64) -> f64 {
        let [a, b] = [0, 1].map(|body: usize| self.reach_of_ball(body, balls[body].0, balls[body].1));
        let by_speed = half * self.speed([&a, &b]);
        let PairRates::Free(free) = &self.motion else { return by_speed };
        let in_frame = |body: usize, other: &VolumeReach| {
            let (middle, radius) = balls[1 - body];
            let bend = 0.5 * half * self.in_frame(body, other);
            half * (free.speed_at(body, middle, radius, at, self.parting) + bend) * MARGIN
        };
        by_speed.min(in_frame(0, &b)).min(in_frame(1, &a))
    }

    /// A bound of the second derivative of the vector between the middles of two volumes, in the
    /// world.
    pub(super) fn of_middles(&self, [a, b]: [&VolumeReach; 2]) -> f64 {
        (a.middle + b.middle + self.parting.length()) * MARGIN
    }

    /// Bounds the second derivative of the vector between any two points of two volumes, in the
    /// world.
    pub(super) fn of_points(&self, [a, b]: [&VolumeReach; 2]) -> f64 {
        (a.in_world.bend + b.in_world.bend + self.parting.length()) * MARGIN
    }

    /// A bound of the second derivative of the gap of the supporting planes of two volumes along a
    /// direction that stands still in a frame. `world`: the direction in the world, at some time.
    pub(super) fn along(&self, fixed: FixedIn, world: Vec3<f64>, reaches: [&VolumeReach; 2]) -> f64 {
        match fixed {
            FixedIn::World => {
                let of = |body: usize| reaches[body].in_world.bend * self.across(body, world);
                (of(0) + of(1) + self.parted_along(world)) * MARGIN
            }
            FixedIn::A => self.in_frame(0, reaches[1]),
            FixedIn::B => self.in_frame(1, reaches[0]),
        }
    }

    /// The part of the pivots' acceleration that may be along a direction of the world.
    fn parted_along(&self, world: Vec3<f64>) -> f64 {
        match &self.motion {
            PairRates::Free(free) => self.parting.dot(world).abs() + free.cancellation * self.parting.length(),
            PairRates::Jointed(_) => 0.0,
        }
    }

    /// The share of a body's acceleration in the world that may be along a direction.
    fn across(&self, body: usize, world: Vec3<f64>) -> f64 {
        match self.motion {
            PairRates::Free(ref free) => self.axes[body].cross(world).length() + free.cancellation,
            PairRates::Jointed(_) => 1.0,
        }
    }

    /// Bounds the acceleration of the points of a volume in the frame of the other body.
    #[inline]
    pub(super) fn in_frame(&self, body: usize, other: &VolumeReach) -> f64 {
        self.carried[body] + other.in_other.bend
    }

    /// A bound of the third derivative of the height of any point of two volumes along a direction
    /// that stands still in a frame.
    pub(super) fn jerk(&self, fixed: FixedIn, [a, b]: [&VolumeReach; 2]) -> f64 {
        match fixed {
            FixedIn::World => (a.in_world.jerk + b.in_world.jerk) * MARGIN,
            FixedIn::A => self.carried_jerk[0] + b.in_other.jerk,
            FixedIn::B => self.carried_jerk[1] + a.in_other.jerk,
        }
    }

    /// The frame in which the bound along a direction is least; of equal ones the world.
    pub(super) fn least(&self, world: Vec3<f64>, reaches: [&VolumeReach; 2]) -> FixedIn {
        let mut best = (f64::INFINITY, FixedIn::World);
        for fixed in FixedIn::ALL {
            let bend = self.along(fixed, world, reaches);
            if bend < best.0 {
                best = (bend, fixed);
            }
            if bend == 0.0 {
                break;
            }
        }
        best.1
    }
}

impl FreeRates {
    fn reach_of_ball(&self, body: usize, middle: Vec3<f64>, radius: f64) -> VolumeReach {
        let (pivot, from) = (self.pivots[body], middle - self.pivots[body]);
        let noise = self.cancellation * (pivot.length() + middle.length()) + self.off;
        let from_axis = from.cross(self.axes_in_body[body]).length() + noise;
        let (rate, reach) = (self.rates[body], (from.length() + radius + noise) * MARGIN);
        let (speed, from_axis) = (rate * (from_axis + radius), rate * rate * from_axis);
        VolumeReach {
            middle: from_axis,
            in_world: Derivatives { speed, bend: rate * speed, jerk: rate * rate * speed },
            in_other: Derivatives {
                speed: self.turn * reach,
                bend: self.turned[1 - body] * reach,
                jerk: self.turned_jerk[1 - body] * reach,
            },
        }
    }

    /// A bound of the speed of a ball of the other body in the frame of a body at a moment, metres
    /// an interval: in that frame its middle has one velocity. Facing parts of meshing gears hardly
    /// move, though both turn.
    fn speed_at(&self, body: usize, middle: Vec3<f64>, radius: f64, at: &PairMoment, parting: Vec3<f64>) -> f64 {
        let other = 1 - body;
        let sag = parting.scale(0.5 * at.share * (at.share - 1.0));
        let between = self.between + self.velocity.scale(at.share) + sag;
        let velocity = self.velocity + parting.scale(at.share - 0.5);
        let turn = self.omega[1] - self.omega[0];
        let towards = if body == 0 { between } else { -between };
        let (velocity, turn) = if body == 0 { (velocity, turn) } else { (-velocity, -turn) };
        let from = middle - self.pivots[other];
        let speed = (velocity - self.omega[body].cross(towards) + turn.cross(at.to_world(other, from))).length();
        let lever = from.length() + radius + self.pivots[other].length();
        let noise = (self.rates[0] + self.rates[1]) * (self.cancellation * lever + self.off);
        speed + self.turn * radius + self.noise + noise
    }
}
