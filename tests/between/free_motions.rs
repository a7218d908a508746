//! Bodies that fall between two samples, and bodies of whose motion only bounds are known: against
//! distances at many times, by a formula of their own, and against closed forms.

use super::interval_pieces::{Motion, pose_at, shape, shapes, turned};
use clearsweep::{Geometry, PairOptions, Pose, ProximityQuery, Shape, Vec3};
use clearsweep_model::MotionBounds;
use clearsweep_narrow::interval::{
    BodyMotion, IntervalMethod, IntervalOptions, IntervalProximity, IntervalStatus, interval_proximity,
};
use clearsweep_narrow::{SolverStats, Workspace};
use clearsweep_scene::BetweenFrames;
use clearsweep_testing::random::Random;
use std::sync::Arc;

const IDENTITY: [f64; 4] = [1.0, 0.0, 0.0, 0.0];

/// A body with its motion, and its acceleration over the square of the interval.
type Falling<'a> = (&'a Shape, Motion, [f64; 3]);

fn asked(bodies: [&Falling<'_>; 2], options: &IntervalOptions) -> IntervalProximity {
    let [a, b] = bodies.map(|&(shape, (positions, q), fall)| {
        let ends = [0, 1].map(|end| Pose::new(positions[end], q[end]).recentred(shape.center));
        BodyMotion { shape, ends, pivot: Vec3::ZERO - shape.center, fall: fall.into(), departure: 0.0 }
    });
    let (mut work, mut stats) = (Workspace::default(), SolverStats::default());
    interval_proximity(&a, &b, [None, None], options, &mut work, &mut stats).expect("within a long way")
}

fn options() -> IntervalOptions {
    IntervalOptions { between: BetweenFrames::Ballistic, within: 1e6, touch: 1e-6, ..IntervalOptions::default() }
}

/// The least ends of the brackets at many times.
fn sampled(bodies: [&Falling<'_>; 2], times: usize) -> [f64; 2] {
    let mut query = ProximityQuery::new(bodies[0].0, bodies[1].0, &PairOptions::default()).expect("options");
    let mut least = [f64::INFINITY; 2];
    for k in 0..=times {
        let t = k as f64 / times as f64;
        let [a, b] = bodies.map(|(_, motion, fall)| {
            let mut pose = pose_at(motion, t);
            pose.position = pose.position + Vec3::from(*fall).scale(0.5 * t * (t - 1.0));
            pose
        });
        let row = query.proximity(&a, &b).expect("poses").expect("a row");
        least = [least[0].min(row.lower), least[1].min(row.upper)];
    }
    least
}

fn kinds(dir: &std::path::Path) -> Vec<Arc<Shape>> {
    let [pieces, mesh] = shapes(dir);
    let others = [
        Geometry::Box([0.8, 0.5, 0.3]),
        Geometry::Sphere(0.3),
        Geometry::Capsule { radius: 0.1, length: 0.8 },
        Geometry::Cylinder { radius: 0.3, height: 0.6, sides: 12 },
        Geometry::Points(vec![[0.0; 3], [0.7, 0.0, 0.0], [0.0, 0.6, 0.0]]),
    ];
    [pieces, mesh].into_iter().chain(others.map(shape)).collect()
}

#[test]
fn random_falls_hold_the_least_distance() {
    let dir = tempfile::tempdir().expect("scratch");
    let (kinds, mut random) = (kinds(dir.path()), Random(77));
    let (mut status, mut parting, mut only_by_falling, mut tight) = ([0; 3], 0, 0, 0);
    let cases = 20 * kinds.len() * kinds.len();
    for case in 0..cases {
        let pair = [&kinds[case % kinds.len()], &kinds[case / kinds.len() % kinds.len()]];
        let (fast, turn) = [(0.05, 0.02), (0.5, 0.2), (2.0, 0.5)][case % 3];
        let mut motion = |far: f64| -> Motion {
            let (start, step) = (random.in_cube(far), random.in_cube(fast));
            let q = turned(&mut random, IDENTITY, 1.0);
            ([start, [0, 1, 2].map(|k| start[k] + step[k])], [q, turned(&mut random, q, turn)])
        };
        let motions = [motion(0.3), motion(1.0)];
        let fall = random.in_cube([1.0, 4.0, 20.0][case / 3 % 3]);
        // The other body stands, falls with it, or falls elsewhere.
        let other = [[0.0; 3], fall, random.in_cube(1.0)][case / 9 % 3];
        let [a, b] = [(&**pair[0], motions[0], fall), (&**pair[1], motions[1], other)];
        let found = asked([&a, &b], &options());
        let times = 400;
        let [lower, upper] = sampled([&a, &b], times);
        let falling = (0..3).map(|k| (fall[k] - other[k]).powi(2)).sum::<f64>().sqrt();
        let speed = 2.0 * (2.0 * fast + 2.0 * 1.3 * 2.0 * turn) + 0.5 * falling;
        let between = speed / times as f64;
        let say = || format!("case {case}: {found:?}, sampled {lower} .. {upper}");
        assert!(found.lower <= upper + 1e-11, "{}", say());
        assert!(found.upper >= lower - between - 1e-11, "{}", say());
        assert!(found.status != IntervalStatus::Clear || upper > 0.0, "{}", say());
        let is_limit = found.method == IntervalMethod::Limit;
        assert!(upper >= -1e-9 || found.status == IntervalStatus::Contact || is_limit, "{}", say());
        if found.status == IntervalStatus::Clear && !is_limit {
            assert!(found.upper - found.lower <= 1e-4 + 1e-9, "{}", say());
            tight += 1;
        }
        status[found.status as usize] += 1;
        let straight = asked([&(a.0, a.1, [0.0; 3]), &(b.0, b.1, [0.0; 3])], &options());
        only_by_falling += usize::from((straight.lower > 0.0) != (found.lower > 0.0));
        parting += usize::from(fall != other);
        if fall == other {
            // In the frame that falls with them they move on lines.
            assert!((found.lower - straight.lower).abs() < 2e-4 && (found.upper - straight.upper).abs() < 2e-4);
            assert_eq!(found.status, straight.status, "{}", say());
        }
    }
    assert!(status[0] * 5 > cases && status[1] * 5 > cases && tight * 5 > cases, "{status:?} {tight} of {cases}");
    assert!(only_by_falling * 20 > parting, "{only_by_falling} of {parting}");
    assert!(status[2] * 50 < cases, "{status:?}: few reach the limit");
}

#[test]
fn a_ball_that_is_thrown_up_reaches_its_apex() {
    let (ball, ceiling) = (shape(Geometry::Sphere(0.125)), shape(Geometry::Box([8.0, 8.0, 0.5])));
    // From one hand to the other in a second: the apex is 9.81 / 8 above the hands.
    let flight: Motion = ([[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]], [IDENTITY; 2]);
    let apex = 9.81 / 8.0;
    for gap in [0.25, 1e-3, -1e-3] {
        let at = apex + 0.125 + gap + 0.25;
        let still: Motion = ([[0.0, 0.0, at]; 2], [IDENTITY; 2]);
        let bodies: [Falling<'_>; 2] = [(&ball, flight, [0.0, 0.0, -9.81]), (&ceiling, still, [0.0; 3])];
        let found = asked([&bodies[0], &bodies[1]], &options());
        if gap > 0.0 {
            assert_eq!(found.status, IntervalStatus::Clear, "{found:?}");
            assert!(found.lower <= gap + 1e-14 && found.upper >= gap - 1e-14, "{gap}: {found:?}");
            assert!(found.closest[0] <= 0.5 && found.closest[1] >= 0.5, "{found:?}");
        } else {
            assert_eq!(found.status, IntervalStatus::Contact, "{found:?}");
            // The height is `apex (1 - (2 s - 1)^2)`: contact is a millimetre and `touch` below.
            let first = 0.5 * (1.0 - ((1e-3 + 1e-6) / apex).sqrt());
            assert!(found.contact[0] <= first && found.contact[1] >= first - 1e-9, "{found:?} {first}");
        }
    }
}

/// A motion of a box within bounds, and the poses and seconds that are told of it: it is somewhere
/// on two legs of a path, and turns at its greatest rate one way or the other.
struct Wandering {
    motion: Motion,
    bounds: MotionBounds,
    by: [f64; 3],
    /// The share at which it is there.
    at: f64,
    axis: [f64; 3],
    turn: f64,
}

impl Wandering {
    fn new(random: &mut Random) -> Self {
        let (from, by, to) = (random.in_cube(0.6), random.in_cube(0.6), random.in_cube(0.6));
        let way = |a: [f64; 3], b: [f64; 3]| (Vec3::from(b) - Vec3::from(a)).length();
        let (first, second) = (way(from, by), way(by, to));
        let axis = Vec3::from(random.vector()).normalized().to_array();
        let turn = [0.0, 0.3, 1.5][random.below(3)];
        let bounds = MotionBounds {
            // In half a second, and a little more than it needs.
            speed: Some(2.0 * (first + second) * (1.0 + 0.1 * random.unit())),
            acceleration: None,
            turn: Some(2.0 * turn),
        };
        let mut it = Self { motion: ([from, to], [IDENTITY; 2]), bounds, by, at: first / (first + second), axis, turn };
        it.motion.1 = [it.q(0.0), it.q(1.0)];
        it
    }

    /// It turns one way for three quarters of the time, then back.
    fn q(&self, share: f64) -> [f64; 4] {
        let angle = self.turn * if share < 0.75 { share } else { 1.5 - share };
        let (sine, cosine) = (0.5 * angle).sin_cos();
        [cosine, self.axis[0] * sine, self.axis[1] * sine, self.axis[2] * sine]
    }

    fn pose(&self, share: f64) -> Pose {
        let [from, to] = self.motion.0;
        let leg = |a: [f64; 3], b: [f64; 3], s: f64| [0, 1, 2].map(|k| a[k] + s * (b[k] - a[k]));
        let place = match share < self.at {
            true => leg(from, self.by, share / self.at),
            false => leg(self.by, to, (share - self.at) / (1.0 - self.at)),
        };
        Pose::new(place, self.q(share))
    }
}

#[test]
fn every_motion_within_the_bounds_is_as_far_as_is_said() {
    let dir = tempfile::tempdir().expect("scratch");
    let (kinds, mut random) = (kinds(dir.path()), Random(78));
    let options = IntervalOptions { between: BetweenFrames::Bounded, ..options() };
    let (mut status, mut nearer_than_linear, mut near) = ([0; 3], 0, 0);
    let cases = 12 * kinds.len() * kinds.len();
    for case in 0..cases {
        let pair = [&kinds[case % kinds.len()], &kinds[case / kinds.len() % kinds.len()]];
        let far = [0.5, 1.5, 3.0][case % 3] * 1.2;
        let (moving, still) = (Wandering::new(&mut random), Pose::new([far, 0.3, 0.2], IDENTITY));
        let place = |shape: &Shape, pose: &Pose| pose.recentred(shape.center);
        let ends = [0.0, 1.0].map(|share| place(pair[0], &moving.pose(share)));
        let pivot = Vec3::ZERO - pair[0].center;
        let departure = moving.bounds.departure(&ends, 0.5, pair[0].reach(), pivot);
        assert_eq!(moving.bounds.broken(&ends, 0.5, pivot), None, "case {case}");
        let a = BodyMotion { shape: pair[0], ends, pivot, fall: Vec3::ZERO, departure };
        let stands = [place(pair[1], &still); 2];
        let b = BodyMotion { shape: pair[1], ends: stands, pivot: Vec3::ZERO, fall: Vec3::ZERO, departure: 0.0 };
        let (mut work, mut stats) = (Workspace::default(), SolverStats::default());
        let mut asked = |options: &IntervalOptions| {
            interval_proximity(&a, &b, [None, None], options, &mut work, &mut stats).expect("within a long way")
        };
        let (found, linear) = (asked(&options), asked(&IntervalOptions { between: BetweenFrames::Linear, ..options }));
        let mut query = ProximityQuery::new(pair[0], pair[1], &PairOptions::default()).expect("options");
        let mut least = f64::INFINITY;
        for k in 0..=200 {
            let row = query.proximity(&moving.pose(f64::from(k) / 200.0), &still).expect("poses").expect("a row");
            least = least.min(row.upper);
            let is_end = k % 200 == 0;
            assert!(!is_end || found.upper <= row.upper + 1e-12, "case {case}: {found:?} {row:?}");
        }
        assert!(found.lower <= least + 1e-11, "case {case}: {found:?}, {least} on the way");
        assert!(found.lower >= linear.lower - departure - 2e-4, "case {case}: {found:?} {linear:?} {departure}");
        assert_eq!(found.closest, [0.0, 1.0]);
        status[found.status as usize] += 1;
        nearer_than_linear += usize::from(least < linear.lower - 1e-3);
        near += usize::from(least - found.lower < 0.5 * departure + 1e-9);
    }
    assert!(status.iter().all(|&count| count * 20 > cases), "{status:?} of {cases}");
    assert!(nearer_than_linear * 10 > cases && near * 20 > cases, "{nearer_than_linear} {near} of {cases}");
}
