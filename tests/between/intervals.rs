//! Proofs between two samples, against an oracle that samples with a bound of the speed.

#![allow(clippy::print_stderr, reason = "the shares are for whoever runs the tests")]

use crate::body::{Body, body};
use crate::oracle::{self, Move, V, add, least, norm, scale, sub};
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_narrow::interval::{
    BodyMotion, IntervalMethod, IntervalOptions, IntervalProximity, IntervalStatus, interval_proximity,
};
use clearsweep_narrow::{SolverStats, Workspace};
use clearsweep_scene::{AnswerKind, BetweenFrames, Geometry, Shape};
use clearsweep_testing::random::Random;
use clearsweep_testing::random_motions::product;
use std::sync::Arc;

const IDENTITY: [f64; 4] = [1.0, 0.0, 0.0, 0.0];

fn options(tolerance: f64) -> IntervalOptions {
    IntervalOptions {
        between: BetweenFrames::Linear,
        within: 1e6,
        require: None,
        touch: 1e-6,
        tolerance,
        answer: AnswerKind::Depth,
        ..IntervalOptions::default()
    }
}

fn asked(a: (&Body, &Move), b: (&Body, &Move), options: &IntervalOptions) -> Option<IntervalProximity> {
    let moving = |(body, motion): (&Body, &Move)| {
        let pose = |end: usize| Pose::new(motion.positions[end], motion.q[end]).recentred(body.shape.center);
        (body.shape.clone(), [pose(0), pose(1)], Vec3::ZERO - body.shape.center)
    };
    let (a, b) = (moving(a), moving(b));
    let of = |(shape, ends, pivot): &(Arc<Shape>, [Pose; 2], Vec3<f64>)| (Arc::clone(shape), *ends, *pivot);
    let ((shape_a, ends_a, pivot_a), (shape_b, ends_b, pivot_b)) = (of(&a), of(&b));
    let a = BodyMotion { shape: &shape_a, ends: ends_a, pivot: pivot_a, fall: Vec3::ZERO, departure: 0.0 };
    let b = BodyMotion { shape: &shape_b, ends: ends_b, pivot: pivot_b, fall: Vec3::ZERO, departure: 0.0 };
    let (mut work, mut stats) = (Workspace::default(), SolverStats::default());
    interval_proximity(&a, &b, [None, None], options, &mut work, &mut stats)
}

/// Bodies of about unit size, thin plates and needles among them.
fn bodies(random: &mut Random) -> Vec<Body> {
    let mut all = vec![
        body(Geometry::Box([1.0, 1.0, 1.0])),
        body(Geometry::Box([1.5, 1.0, 0.002])),
        body(Geometry::Box([2.0, 0.01, 0.01])),
        body(Geometry::Box([0.7, 0.3, 1.1])),
        body(Geometry::Sphere(0.5)),
        body(Geometry::Capsule { radius: 0.1, length: 1.2 }),
        body(Geometry::Cylinder { radius: 0.4, height: 0.8, sides: 8 }),
    ];
    for count in [4, 6, 9] {
        let away = scale(random.vector(), 0.5);
        let points = (0..count).map(|_| add(random.vector(), away)).collect();
        all.push(body(Geometry::Points(points)));
    }
    all
}

/// A random motion: at rest, slow, fast, spinning, passing through the origin.
fn motion(random: &mut Random) -> Move {
    let speed = [0.0, 0.02, 0.5, 3.0, 10.0][random.below(5)];
    let degrees: f64 = [0.0, 0.5, 10.0, 90.0, 179.0][random.below(5)] * random.unit().sqrt();
    let start = scale(random.direction(), 0.2 + 3.0 * random.unit());
    // Half of them aim at the other body.
    let toward = if random.below(2) == 0 { scale(start, -1.0 / norm(start)) } else { random.direction() };
    let q = {
        let angle = 3.0 * random.unit();
        random.turn_by(angle)
    };
    let turn = random.turn_by(degrees.to_radians());
    let sign = if random.below(4) == 0 { -1.0 } else { 1.0 };
    Move { positions: [start, add(start, scale(toward, speed))], q: [q, product(turn, q).map(|c| sign * c)] }
}

fn still(at: V) -> Move {
    Move { positions: [at, at], q: [IDENTITY, IDENTITY] }
}

/// How many random intervals: `CLEARSWEEP_INTERVALS`.
fn count() -> usize {
    std::env::var("CLEARSWEEP_INTERVALS").ok().and_then(|text| text.parse().ok()).unwrap_or(3_000)
}

#[derive(Default)]
struct Tally {
    status: [usize; 3],
    method: [usize; 5],
    between: usize,
    outside: usize,
    before: usize,
    loose: usize,
    misses: Vec<String>,
}

/// Holds an answer against the oracle.
fn compare(number: usize, found: &IntervalProximity, truth: [f64; 2], tolerance: f64, tally: &mut Tally) {
    tally.status[found.status as usize] += 1;
    tally.method[found.method as usize] += 1;
    let slack = 1e-11;
    let wrong = found.lower > truth[1] + slack
        || found.upper < truth[0] - slack
        || (truth[1] < -1e-9 && found.status == IntervalStatus::Clear)
        || (truth[0] > 1e-5 && found.status == IntervalStatus::Contact);
    if wrong {
        tally.misses.push(format!("{number}: {found:?} against {truth:?}"));
    }
    tally.loose += usize::from(found.method != IntervalMethod::Limit && found.upper - found.lower > tolerance + 1e-9);
}

/// Holds the times of an answer against distances at random times: outside of the times of least
/// distance the bodies are farther apart, and before the first contact they are clear.
fn check_times(
    number: usize,
    found: &IntervalProximity,
    random: &mut Random,
    at: impl Fn(f64) -> f64,
    tally: &mut Tally,
) {
    for _ in 0..4 {
        let t = random.unit();
        let is_outside = !(found.closest[0]..=found.closest[1]).contains(&t);
        tally.outside += usize::from(is_outside);
        if is_outside && at(t) < found.upper - 1e-11 {
            tally.misses.push(format!("{number}: nearer at {t}, outside of the times of least distance: {found:?}"));
        }
        let clear = found.contact[0];
        tally.before += usize::from(clear > 0.0);
        if clear > 0.0 && at(t * clear) < 1e-6 - 1e-11 {
            tally.misses.push(format!("{number}: in contact at {}, before {clear}: {found:?}", t * clear));
        }
        if found.contact[1].is_finite() && at(found.contact[1]) > 1e-6 + 1e-11 {
            tally.misses.push(format!("{number}: clear at the contact: {found:?}"));
        }
    }
}

#[test]
fn random_intervals_hold_the_least_distance() {
    let mut random = Random(11);
    let all = bodies(&mut random);
    let mut tally = Tally::default();
    let tolerance = 1e-4;
    for number in 0..count() {
        let (a, b) = (&all[random.below(all.len())], &all[random.below(all.len())]);
        let (mut of_a, of_b) = (motion(&mut random), motion(&mut random));
        if number % 4 == 0 {
            of_a = still([0.0; 3]);
        }
        let mut of_b = of_b;
        if number % 7 == 0 {
            // Both move alike, so that they are at rest relative to each other but for their
            // rotation.
            let moved = sub(of_a.positions[1], of_a.positions[0]);
            of_b.positions[1] = add(of_b.positions[0], moved);
        }
        let found = asked((a, &of_a), (b, &of_b), &options(tolerance)).expect("within a long way");
        let (truth, _) = least((&a.solid, &of_a), (&b.solid, &of_b), 2e-3, 300);
        let ends = [0.0, 1.0].map(|t| oracle::distance(&a.solid, &b.solid, &of_a.at(t), &of_b.at(t)));
        tally.between += usize::from(ends[0] > 0.0 && ends[1] > 0.0 && truth[1] < 0.0);
        compare(number, &found, truth, tolerance, &mut tally);
        let at = |t: f64| oracle::distance(&a.solid, &b.solid, &of_a.at(t), &of_b.at(t));
        check_times(number, &found, &mut random, at, &mut tally);
    }
    let Tally { status, method, between, outside, before, loose, misses } = tally;
    eprintln!("status {status:?} ({:?}), method {method:?} ({:?})", IntervalStatus::NAMES, IntervalMethod::NAMES);
    eprintln!("{between} collide between two clear samples; {loose} wider than the tolerance");
    assert!(
        misses.is_empty(),
        "{} of {}: {}",
        misses.len(),
        count(),
        misses.iter().take(5).cloned().collect::<Vec<_>>().join("\n")
    );
    assert_eq!(loose, 0, "a bracket is as narrow as promised, unless the work limit is named");
    assert!(status[0] * 10 > count() && status[1] * 10 > count(), "not representative: {status:?}");
    assert!(between * 50 > count(), "not representative: {between}");
    assert!(outside > count() && before * 4 > count(), "not representative: {outside} {before}");
    assert!(method[4] * 100 <= count(), "the limit is for few: {method:?}");
}

#[test]
fn a_needle_through_a_plate_between_two_clear_frames() {
    let (plate, needle) = (body(Geometry::Box([1.0, 1.0, 1e-3])), body(Geometry::Box([1e-3, 1e-3, 0.1])));
    let through = Move { positions: [[0.1, 0.2, 5.0], [0.1, 0.2, -4.0]], q: [IDENTITY; 2] };
    let found = asked((&plate, &still([0.0; 3])), (&needle, &through), &options(1e-4)).expect("a contact");
    assert_eq!(found.status, IntervalStatus::Contact);
    // Its tip reaches the plate when its middle is at 0.0505.
    let first = (5.0 - 0.0505) / 9.0;
    assert!(found.contact[0] <= first && first <= found.contact[1] + 1e-12, "{found:?} {first}");
    assert!(found.contact[1] - found.contact[0] < 1e-5);
    // Both fast, but at rest relative to each other.
    let with = |z: f64| Move { positions: [[0.0, 0.0, z], [300.0, 0.0, z]], q: [IDENTITY; 2] };
    let found = asked((&plate, &with(0.0)), (&needle, &with(0.2)), &options(1e-4)).expect("near");
    assert_eq!((found.status, found.method), (IntervalStatus::Clear, IntervalMethod::Direction));
    assert!((found.lower - (0.2 - 0.0505)).abs() < 1e-9 && found.upper >= found.lower);
}

#[test]
fn spins_of_179_degrees_and_of_300_in_parts_hit_what_is_in_their_way() {
    let (blade, post) = (body(Geometry::Box([2.0, 0.05, 0.05])), body(Geometry::Box([0.02, 0.02, 1.0])));
    let about_z = |degrees: f64| {
        let (s, c) = (0.5 * degrees.to_radians()).sin_cos();
        [c, 0.0, 0.0, s]
    };
    let at = |degrees: f64| still([0.9 * degrees.to_radians().cos(), 0.9 * degrees.to_radians().sin(), 0.0]);
    let spin = |from: f64, to: f64| Move { positions: [[0.0; 3]; 2], q: [about_z(from), about_z(to)] };
    let found = asked((&blade, &spin(0.0, 179.0)), (&post, &at(90.0)), &options(1e-4)).expect("a contact");
    assert_eq!(found.status, IntervalStatus::Contact);
    assert!(found.contact[0] > 0.45 && found.contact[1] < 0.51, "{found:?}");
    // 300 degrees in three parts: the post stands at 250 degrees, where only the last one comes by
    // (the blade has two arms).
    let status =
        |from, to| asked((&blade, &spin(from, to)), (&post, &at(250.0 - 180.0)), &options(1e-4)).map(|f| f.status);
    assert_eq!(status(0.0, 60.0), Some(IntervalStatus::Clear));
    assert_eq!(status(100.0, 200.0), Some(IntervalStatus::Clear));
    assert_eq!(status(200.0, 300.0), Some(IntervalStatus::Contact));
}

#[test]
fn half_a_turn_has_no_shortest_way_and_is_not_guessed() {
    let (blade, post) = (body(Geometry::Box([2.0, 0.05, 0.05])), body(Geometry::Box([0.02, 0.02, 1.0])));
    let spin = Move { positions: [[0.0; 3]; 2], q: [IDENTITY, [0.0, 0.0, 0.0, 1.0]] };
    let found = asked((&blade, &spin), (&post, &still([0.0, 0.9, 0.0])), &options(1e-4)).expect("undecided");
    assert_eq!((found.status, found.method), (IntervalStatus::Undecided, IntervalMethod::Limit));
    // However it turns, it does not come so far.
    let near = IntervalOptions { within: 0.5, ..options(1e-4) };
    assert_eq!(asked((&blade, &spin), (&post, &still([0.0, 2.5, 0.0])), &near), None);
}

#[test]
fn a_quaternion_and_its_negative_are_no_turn() {
    let bodies = [body(Geometry::Box([1.0, 1.0, 1.0])), body(Geometry::Box([1.0, 1.0, 1.0]))];
    let other = Move { positions: [[1.5, 0.0, 0.0]; 2], q: [IDENTITY, IDENTITY.map(|c| -c)] };
    let found = asked((&bodies[0], &still([0.0; 3])), (&bodies[1], &other), &options(1e-4)).expect("near");
    assert_eq!((found.status, found.method), (IntervalStatus::Clear, IntervalMethod::Direction));
    assert!((found.lower - 0.5).abs() < 1e-11 && (found.upper - 0.5).abs() < 1e-11, "{found:?}");
}

#[test]
fn a_part_five_kilometres_from_its_pivot_sweeps_an_arc() {
    let far = 5000.0;
    let corners = (0..8).map(|k| [far + (k & 1) as f64, (k >> 1 & 1) as f64, (k >> 2) as f64]).collect();
    let part = body(Geometry::Points(corners));
    let degrees = 1.0_f64;
    let (s, c) = (0.5 * degrees.to_radians()).sin_cos();
    let swing = Move { positions: [[0.0; 3]; 2], q: [IDENTITY, [c, 0.0, 0.0, s]] };
    // The arc leaves its chord by 0.19 m: this body stands outside of the chord.
    let half = 0.5 * degrees.to_radians();
    let radius = far + 1.0 + 0.1;
    let post = body(Geometry::Box([0.02, 0.02, 2.0]));
    let at = still([radius * half.cos(), radius * half.sin(), 0.5]);
    let found = asked((&part, &swing), (&post, &at), &options(1e-4)).expect("near");
    let (truth, _) = least((&part.solid, &swing), (&post.solid, &at), 1e-4, 20_000);
    assert!(found.lower <= truth[1] + 1e-6 && found.upper >= truth[0] - 1e-6, "{found:?} {truth:?}");
    assert!(found.upper < 0.1 && found.upper - found.lower <= 1e-4 + 1e-9, "{found:?}");
}

#[test]
fn grazing_and_touching_at_one_instant_are_told_from_each_other() {
    // A sphere passes a box's face at a distance of 1 + gap from its middle.
    let (cube, ball) = (body(Geometry::Box([1.0, 1.0, 1.0])), body(Geometry::Box([0.5, 0.5, 0.5])));
    let diagonal = 0.25 * 2.0_f64.sqrt();
    for (gap, status) in [
        (1e-9, IntervalStatus::Contact),
        (-1e-9, IntervalStatus::Contact),
        (2e-6, IntervalStatus::Clear),
        (1e-5, IntervalStatus::Clear),
    ] {
        // It turns by 90 degrees about z while its middle stands: a vertical edge points at the
        // face halfway.
        let (s, c) = (std::f64::consts::FRAC_PI_8).sin_cos();
        let (s2, c2) = (std::f64::consts::FRAC_PI_8 * 3.0).sin_cos();
        let turn = Move {
            positions: [[0.5 + diagonal + gap, 0.0, 0.0]; 2],
            q: [[s2, 0.0, 0.0, -c2], [c, 0.0, 0.0, s]].map(|q| if gap > 1.0 { IDENTITY } else { q }),
        };
        let _ = (s, c);
        let found = asked((&cube, &still([0.0; 3])), (&ball, &turn), &options(1e-4)).expect("near");
        let (truth, _) = least((&cube.solid, &still([0.0; 3])), (&ball.solid, &turn), 1e-7, 4_000);
        assert!(found.lower <= truth[1] + 1e-11 && found.upper >= truth[0] - 1e-11, "{gap:e}: {found:?} {truth:?}");
        if (truth[1] - gap).abs() < 1e-8 {
            assert_eq!(found.status, status, "{gap:e}: {found:?}");
        }
    }
}

#[test]
fn bodies_at_rest_have_the_bracket_of_their_rows() {
    let mut random = Random(3);
    let all = bodies(&mut random);
    for a in &all {
        for b in &all {
            let q = random.turn_by(1.0);
            let at = Move { positions: [scale(random.direction(), 2.6); 2], q: [q; 2] };
            let found = asked((a, &still([0.0; 3])), (b, &at), &options(1e-4)).expect("near");
            assert!(found.upper - found.lower < 1e-11, "{found:?}");
            assert_eq!(found.method, IntervalMethod::Direction);
        }
    }
}

#[test]
fn a_screw_follows_its_helix() {
    // A quarter turn about an axis through the origin, with a rise: the body's origin is 2 m from
    // the axis.
    let (ball, post) = (body(Geometry::Sphere(0.1)), body(Geometry::Sphere(0.1)));
    let (s, c) = std::f64::consts::FRAC_PI_4.sin_cos();
    let turn = Move { positions: [[2.0, 0.0, 0.0], [0.0, 2.0, 1.0]], q: [IDENTITY, [c, 0.0, 0.0, s]] };
    let half = std::f64::consts::FRAC_PI_4;
    let at = still([2.0 * half.cos(), 2.0 * half.sin(), 0.5 + 0.3]);
    let screw = IntervalOptions { between: BetweenFrames::Screw, ..options(1e-6) };
    let found = asked((&ball, &turn), (&post, &at), &screw).expect("near");
    let helix = |t: f64| {
        let angle = t * std::f64::consts::FRAC_PI_2;
        [2.0 * angle.cos(), 2.0 * angle.sin(), t]
    };
    let truth = (0..=200_000)
        .map(|i| norm(sub(helix(f64::from(i) / 2e5), at.positions[0])) - 0.2)
        .fold(f64::INFINITY, f64::min);
    assert!(
        found.lower <= truth && truth <= found.upper + 1e-9 && found.upper - found.lower <= 1e-6,
        "{found:?} {truth}"
    );
    // On a line its origin would pass 0.5 m nearer to the axis.
    let found = asked((&ball, &turn), (&post, &at), &options(1e-6)).expect("near");
    assert!(found.lower > truth + 0.1, "{found:?}");
}

#[test]
fn poses_that_hold_are_looked_at_alone() {
    let (plate, needle) = (body(Geometry::Box([1.0, 1.0, 1e-3])), body(Geometry::Box([1e-3, 1e-3, 0.1])));
    let through = Move { positions: [[0.1, 0.2, 5.0], [0.1, 0.2, -4.0]], q: [IDENTITY; 2] };
    let hold = IntervalOptions { between: BetweenFrames::Hold, ..options(1e-4) };
    let found = asked((&plate, &still([0.0; 3])), (&needle, &through), &hold).expect("within a long way");
    assert_eq!((found.status, found.method), (IntervalStatus::Clear, IntervalMethod::Hold));
    assert!((found.upper - (4.0 - 0.0505)).abs() < 1e-9 && found.closest == [1.0, 1.0]);
}
