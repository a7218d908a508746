//! Eight intervals of a pair side by side: the bound of one direction in each, bit for bit that of
//! `Hulls::bound_along`.

use super::node::Orientation;
use super::options::Lever;
use super::path::{PathTerms, PoseOf, ShortestTurn, displacement, turned};
use super::relative_motion::{FixedIn, GapBound, RelativeMotion};
use super::support_gap::{Hulls, TURNED};
use crate::pair::{bound_of, size_of};
use crate::support::max_dot_each;
use clearsweep_base::simd::{Lane, Simd, V, WIDTH, dispatch};
use clearsweep_geometry::{RelativePose, Scalar, Vec3};
use clearsweep_model::BetweenFrames;
use clearsweep_model::block::COMPONENTS;

/// Square of a direction's length, before it is made a unit vector, below which it is not looked
/// along.
const CANCELLED: f64 = 1e-20;

/// The poses of a pair in eight intervals.
#[derive(Debug, Clone)]
pub(super) struct EightPoses {
    /// Poses of A at the start and at the end, then of B at the start and at the end.
    pub(super) poses: [[Lane; COMPONENTS]; 4],
    /// The accelerations of both pivots, metres over the square of the interval.
    pub(super) falls: [[Lane; 3]; 2],
}

impl Default for EightPoses {
    fn default() -> Self {
        Self { poses: [[[0.0; WIDTH]; COMPONENTS]; 4], falls: [[[0.0; WIDTH]; 3]; 2] }
    }
}

/// The direction of each lane, at one end of its interval in A's frame there.
#[derive(Debug, Clone, Copy)]
pub(super) enum Directions {
    /// Unit vectors; in the lanes where `at_end` is not 0 they are those of the end.
    Given {
        /// Components.
        normals: [Lane; 3],
        /// See there.
        at_end: Lane,
    },
    /// At the start the unit vector between a point of A and one of B (recentred frames, metres)
    /// and a vector beside it, made a unit vector.
    Beside {
        /// The points.
        middles: [Vec3<f64>; 2],
        /// The vector beside it, in A's frame.
        beside: Vec3<f64>,
    },
}

impl Directions {
    /// Returns the end at which the direction of a lane is.
    pub(super) fn end(&self, k: usize) -> usize {
        match self {
            Self::Given { at_end, .. } => usize::from(at_end[k] > 0.0),
            Self::Beside { .. } => 0,
        }
    }
}

/// Motions of a pair in eight intervals.
#[derive(Debug, Clone)]
pub(super) struct EightMotions {
    /// The pair at the start and at the end.
    placed: [PlacedLanes; 2],
    motion: [Lane; MOTION],
    /// Bit `k`: both bodies of lane `k` have a path. One that turns by half a turn has none.
    defined: u8,
}

/// A pair at one end: the rows of `world_from_a`, those of `a_from_b`, and its translation.
#[derive(Debug, Clone, Copy)]
struct PlacedLanes([Lane; 21]);

/// Numbers of a [`RelativeMotion`].
const MOTION: usize = 13;

/// Bounds of the gap over eight intervals.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct EightBounds {
    first: Lane,
    last: Lane,
    bend: Lane,
    /// No two points of the bodies move faster relative to each other, metres an interval.
    pub(super) speed: Lane,
    /// A bound of the second derivative of the gap along any direction, in some frame, metres an
    /// interval squared.
    pub(super) most_bend: Lane,
    /// Rounding taken off the bounds, metres.
    pub(super) rounding: Lane,
    /// Bit `k`: lane `k` is a bound.
    pub(super) defined: u8,
}

impl EightBounds {
    /// Returns the bound of a lane.
    pub(super) fn of(&self, k: usize) -> GapBound {
        GapBound { first: self.first[k], last: self.last[k], bend: self.bend[k] }
    }
}

/// A pair at one end of eight intervals.
struct Placed<S: Simd> {
    rows: [Vec3<V<S>>; 3],
    relative: RelativePose<V<S>>,
}

impl<S: Simd> Placed<S> {
    #[inline(always)]
    fn new(rows: [Vec3<V<S>>; 3], a: &PoseOf<V<S>>, b: &PoseOf<V<S>>) -> Self {
        Self { rows, relative: RelativePose::of_rotations((&rows, a.q), b.q, displacement(a, b)) }
    }

    #[inline(always)]
    fn orientation(&self) -> Orientation<'_, V<S>> {
        Orientation { rows: &self.rows, relative: &self.relative }
    }

    /// This one where the mask is true, else another.
    #[inline(always)]
    fn select(mask: <V<S> as Scalar>::Mask, one: &Self, other: &Self) -> Self {
        let pick = Vec3::select;
        let (r, o) = (&one.relative, &other.relative);
        Self {
            rows: [
                pick(mask, one.rows[0], other.rows[0]),
                pick(mask, one.rows[1], other.rows[1]),
                pick(mask, one.rows[2], other.rows[2]),
            ],
            relative: RelativePose {
                r: [pick(mask, r.r[0], o.r[0]), pick(mask, r.r[1], o.r[1]), pick(mask, r.r[2], o.r[2])],
                t: pick(mask, r.t, o.t),
            },
        }
    }

    /// The gap of the supporting planes along unit vectors in A's frame.
    #[inline(always)]
    fn gap(&self, hulls: &Hulls<'_>, n: Vec3<V<S>>) -> V<S> {
        let [a, b] = hulls.cores;
        n.dot(self.relative.t) - max_dot_each(b, -self.relative.inverse_vector(n)) - max_dot_each(a, n)
    }

    #[inline(always)]
    fn store(&self, to: &mut PlacedLanes) {
        let [a, b, c] = self.rows;
        let [d, e, f] = self.relative.r;
        let t = self.relative.t;
        let all =
            [a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z, d.x, d.y, d.z, e.x, e.y, e.z, f.x, f.y, f.z, t.x, t.y, t.z];
        for (lane, value) in to.0.iter_mut().zip(all) {
            value.store(lane);
        }
    }

    #[inline(always)]
    fn load(from: &PlacedLanes) -> Self {
        Self {
            rows: [load_three(&from.0, 0), load_three(&from.0, 3), load_three(&from.0, 6)],
            relative: RelativePose {
                r: [load_three(&from.0, 9), load_three(&from.0, 12), load_three(&from.0, 15)],
                t: load_three(&from.0, 18),
            },
        }
    }
}

/// A vector of three lanes from `k` on.
#[inline(always)]
fn load_three<S: Simd>(from: &[Lane], k: usize) -> Vec3<V<S>> {
    Vec3::new(V::load(&from[k]), V::load(&from[k + 1]), V::load(&from[k + 2]))
}

/// A body's path in each lane, and its rows at both ends.
struct TurnedBody<S: Simd> {
    terms: PathTerms<V<S>>,
    rows: [[Vec3<V<S>>; 3]; 2],
    defined: u8,
}

impl<S: Simd> TurnedBody<S> {
    #[inline(always)]
    fn new(start: &PoseOf<V<S>>, end: &PoseOf<V<S>>, fall: Vec3<V<S>>, lever: &Lever) -> Self {
        let turn = ShortestTurn::new(start.q, end.q);
        let terms = PathTerms::new(&turn, turn.half_angles(), displacement(start, end), fall, lever);
        Self { terms, rows: turn.rows, defined: turn.is_defined().bits() }
    }
}

#[inline(always)]
fn motions_body<S: Simd>(levers: &[Lever; 2], poses: &EightPoses, out: &mut EightMotions) {
    let [a0, a1, b0, b1] = &poses.poses;
    let (a0, a1) = (PoseOf::<V<S>>::load(a0), PoseOf::<V<S>>::load(a1));
    let (b0, b1) = (PoseOf::<V<S>>::load(b0), PoseOf::<V<S>>::load(b1));
    let [fall_a, fall_b] = [load_three(&poses.falls[0], 0), load_three(&poses.falls[1], 0)];
    let of_a = TurnedBody::new(&a0, &a1, fall_a, &levers[0]);
    let of_b = TurnedBody::new(&b0, &b1, fall_b, &levers[1]);
    let motion = RelativeMotion::new([&of_a.terms, &of_b.terms], displacement(&a0, &b0), fall_b - fall_a);
    Placed::new(of_a.rows[0], &a0, &b0).store(&mut out.placed[0]);
    Placed::new(of_a.rows[1], &a1, &b1).store(&mut out.placed[1]);
    motion.store(&mut out.motion);
    out.defined = of_a.defined & of_b.defined;
}

dispatch!(motions_wide, motions_body, (levers: &[Lever; 2], poses: &EightPoses, out: &mut EightMotions) -> ());

impl EightMotions {
    /// Computes the motions of bodies with these levers.
    pub(super) fn new(levers: &[Lever; 2], poses: &EightPoses) -> Self {
        let none = PlacedLanes([[0.0; WIDTH]; 21]);
        let mut out = Self { placed: [none; 2], motion: [[0.0; WIDTH]; MOTION], defined: 0 };
        motions_wide(levers, poses, &mut out);
        out
    }

    /// Computes the motions of bodies that joints carry, with these poses at the ends.
    pub(super) fn of_joints<'m>(poses: &EightPoses, motions: impl Iterator<Item = &'m RelativeMotion>) -> Self {
        let none = Lever { core: 0.0, pivot: Vec3::ZERO, between: BetweenFrames::Linear };
        let mut out = Self::new(&[none, none], poses);
        for (k, motion) in motions.enumerate() {
            out.motion.iter_mut().zip(motion.numbers()).for_each(|(lane, number)| lane[k] = number);
        }
        out.defined = u8::MAX;
        out
    }

    /// The bounds of one direction in each interval, in the frame whose bend comes at the place
    /// `rank` in order (0 to 2).
    pub(super) fn bounds(&self, hulls: &Hulls<'_>, directions: &Directions, rank: usize) -> EightBounds {
        let mut out = EightBounds::default();
        bounds_wide(self, hulls, directions, rank, &mut out);
        out
    }
}

/// The directions at the ends where they are given: there, the other end, where that is the start,
/// and which are directions.
struct Looking<S: Simd> {
    near: Placed<S>,
    far: Placed<S>,
    at_end: <V<S> as Scalar>::Mask,
    normal: Vec3<V<S>>,
    defined: u8,
}

impl<S: Simd> Looking<S> {
    #[inline(always)]
    fn new(start: Placed<S>, end: Placed<S>, directions: &Directions) -> Self {
        match directions {
            Directions::Given { normals, at_end } => {
                let at_end = V::<S>::load(at_end).gt(V::splat(0.0));
                let (near, far) = (Placed::select(at_end, &end, &start), Placed::select(at_end, &start, &end));
                Self { near, far, at_end, normal: load_three(normals, 0), defined: u8::MAX }
            }
            Directions::Beside { middles: [a, b], beside } => {
                let between = start.relative.point(Vec3::from_f64(*b)) - Vec3::from_f64(*a);
                let d = between.normalized() + Vec3::from_f64(*beside);
                // If vectors nearly cancel, the square may underflow: no unit vector results.
                let defined = d.length2().gt(V::splat(CANCELLED)).bits();
                let at_end = V::<S>::splat(0.0).gt(V::splat(0.0));
                Self { near: start, far: end, at_end, normal: d.normalized(), defined }
            }
        }
    }
}

#[inline(always)]
fn bounds_body<S: Simd>(
    of: &EightMotions,
    hulls: &Hulls<'_>,
    directions: &Directions,
    rank: usize,
    out: &mut EightBounds,
) {
    let (start, end) = (Placed::<S>::load(&of.placed[0]), Placed::load(&of.placed[1]));
    let motion = RelativeMotion::<V<S>>::load(&of.motion);
    let [a, b] = hulls.cores;
    let size = Scalar::larger(
        size_of(a, b, hulls.growth, start.relative.t.length()),
        size_of(a, b, hulls.growth, end.relative.t.length()),
    );
    let Looking { near, far, at_end, normal, defined } = Looking::new(start, end, directions);
    let (here, there) = (near.orientation(), far.orientation());
    let (in_b, in_a, bend) = motion.bend_of_rank(rank, turned(&near.rows, normal));
    let by_a = Vec3::select(in_a, normal, here.carried_to(&there, normal, FixedIn::World));
    let other = Vec3::select(in_b, here.carried_to(&there, normal, FixedIn::B), by_a);
    let rounding = bound_of::<V<S>>(size) + V::splat(TURNED) * size + motion.error;
    let off = V::splat(hulls.reach()) + rounding;
    let (from, to) = (near.gap(hulls, normal) - off, far.gap(hulls, other) - off);
    V::select(at_end, to, from).store(&mut out.first);
    V::select(at_end, from, to).store(&mut out.last);
    bend.store(&mut out.bend);
    motion.speed.store(&mut out.speed);
    motion.most_bend().store(&mut out.most_bend);
    rounding.store(&mut out.rounding);
    out.defined = of.defined & defined;
}

dispatch!(bounds_wide, bounds_body, (of: &EightMotions, hulls: &Hulls<'_>, directions: &Directions, rank: usize, out: &mut EightBounds) -> ());
