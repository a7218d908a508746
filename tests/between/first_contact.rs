//! The first contact between two samples: how narrow its bracket is, and that it holds against
//! distances at many times.

use crate::body::{Body, body};
use crate::oracle::{self, Move, V, add, scale};
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_narrow::interval::{
    BodyMotion, IntervalOptions, IntervalProximity, IntervalStatus, PartDivision, interval_proximity_divided,
};
use clearsweep_narrow::{SolverStats, Workspace};
use clearsweep_scene::{AnswerKind, BetweenFrames, Geometry};
use clearsweep_testing::random::Random;
use clearsweep_testing::random_motions::product;

const IDENTITY: [f64; 4] = [1.0, 0.0, 0.0, 0.0];

const TOUCH: f64 = 1e-6;

/// How wide the bracket of a first contact may be, as a share of the interval.
const RESOLUTION: f64 = 1.0 / (1_u64 << 20) as f64;

/// The rotation by an angle in degrees about z.
fn about_z(degrees: f64) -> [f64; 4] {
    let (s, c) = (0.5 * degrees.to_radians()).sin_cos();
    [c, 0.0, 0.0, s]
}

fn still(at: V) -> Move {
    Move { positions: [at, at], q: [IDENTITY, IDENTITY] }
}

/// Two bodies and how they move.
struct Pair<'a> {
    bodies: [&'a Body; 2],
    moves: [Move; 2],
}

impl Pair<'_> {
    fn asked(&self, division: PartDivision) -> IntervalProximity {
        let options = IntervalOptions {
            between: BetweenFrames::Linear,
            within: 1e6,
            require: None,
            touch: TOUCH,
            tolerance: 1e-4,
            answer: AnswerKind::Depth,
            ..IntervalOptions::default()
        };
        let moving = |side: usize| {
            let (Body { shape, .. }, motion) = (self.bodies[side], &self.moves[side]);
            let pose = |end: usize| Pose::new(motion.positions[end], motion.q[end]).recentred(shape.center);
            BodyMotion {
                shape,
                ends: [pose(0), pose(1)],
                pivot: Vec3::ZERO - shape.center,
                fall: Vec3::ZERO,
                departure: 0.0,
            }
        };
        let (mut work, mut stats) = (Workspace::default(), SolverStats::default());
        let (a, b) = (moving(0), moving(1));
        interval_proximity_divided(&a, &b, [None; 2], &options, division, &mut work, &mut stats)
            .expect("within a long way")
    }

    fn distance(&self, share: f64) -> f64 {
        let [a, b] = &self.moves;
        oracle::distance(&self.bodies[0].solid, &self.bodies[1].solid, &a.at(share), &b.at(share))
    }

    /// Faults of the bracket of a contact: distances before it, at it, and its width.
    fn faults(&self, found: &IntervalProximity, random: &mut Random, samples: u32) -> Option<String> {
        let [clear, contact] = found.contact;
        if contact - clear > RESOLUTION * (1.0 + 1e-9) {
            return Some(format!("too wide: {found:?}"));
        }
        if self.distance(contact) > TOUCH + 1e-11 {
            return Some(format!("clear at {contact}: {found:?}"));
        }
        // Evenly, and more and more densely towards its end.
        let mut times = (0..samples).flat_map(|i| {
            let share = (f64::from(i) + random.unit()) / f64::from(samples);
            [share * clear, clear * (1.0 - 0.5_f64.powi(i as i32 % 40) * share)]
        });
        let touching = times.find(|&share| clear > 0.0 && self.distance(share) < TOUCH - 1e-11);
        touching.map(|share| format!("in contact at {share}, before {clear}: {found:?}"))
    }
}

#[test]
fn the_bracket_of_a_random_collision_is_narrow_and_holds() {
    let mut random = Random(23);
    let mut all = vec![
        body(Geometry::Box([1.0, 1.0, 1.0])),
        body(Geometry::Box([1.5, 1.0, 0.002])),
        body(Geometry::Box([2.0, 0.01, 0.01])),
        body(Geometry::Sphere(0.5)),
        body(Geometry::Capsule { radius: 0.1, length: 1.2 }),
    ];
    for count in [4, 7, 30] {
        all.push(body(Geometry::Points((0..count).map(|_| random.vector()).collect())));
    }
    let count = std::env::var("CLEARSWEEP_INTERVALS").ok().and_then(|text| text.parse().ok()).unwrap_or(2_000);
    let (mut collisions, mut wrong) = (0, Vec::new());
    for number in 0..count {
        let bodies = [0; 2].map(|_| &all[random.below(all.len())]);
        let mut moving = |away: f64| {
            let degrees: f64 = [0.0, 5.0, 90.0, 179.0][random.below(4)] * random.unit();
            let angle = 3.0 * random.unit();
            let q = random.turn_by(angle);
            let turn = random.turn_by(degrees.to_radians());
            let from = scale(random.direction(), away);
            let through = random.unit();
            let to = add(scale(random.vector(), 0.5), scale(from, -through));
            Move { positions: [from, to], q: [q, product(turn, q)] }
        };
        let pair = Pair { bodies, moves: [moving(0.2), moving(2.8)] };
        let division = [PartDivision::Least, PartDivision::Middle, PartDivision::Advancement][number % 3];
        let found = pair.asked(division);
        if found.status == IntervalStatus::Contact {
            collisions += usize::from(found.contact[0] > 0.0);
            wrong.extend(pair.faults(&found, &mut random, 12).map(|fault| format!("{number}: {fault}")));
        }
    }
    assert!(wrong.is_empty(), "{} of {collisions}: {:#?}", wrong.len(), wrong.iter().take(5).collect::<Vec<_>>());
    assert!(collisions * 4 > count, "not representative: {collisions} of {count}");
}

#[test]
fn a_graze_of_a_billionth_of_a_metre_has_its_time() {
    // An edge of a turning box points at a face halfway, beyond or short of the distance of contact
    // by the depth.
    let (cube, bar) = (body(Geometry::Box([1.0, 1.0, 1.0])), body(Geometry::Box([0.5, 0.5, 0.5])));
    let diagonal = 0.25 * 2.0_f64.sqrt();
    for depth in [1e-9_f64, 1e-8, -1e-9, -1e-8] {
        let turning =
            Move { positions: [[0.5 + diagonal + TOUCH - depth, 0.0, 0.0]; 2], q: [about_z(5.0), about_z(85.0)] };
        let pair = Pair { bodies: [&cube, &bar], moves: [still([0.0; 3]), turning] };
        let found = pair.asked(PartDivision::Least);
        if depth < 0.0 {
            assert_eq!(found.status, IntervalStatus::Clear, "{depth:e}: {found:?}");
            continue;
        }
        assert_eq!(found.status, IntervalStatus::Contact, "{depth:e}: {found:?}");
        assert_eq!(pair.faults(&found, &mut Random(1), 200), None, "{depth:e}");
        // The edge is `diagonal` from the axis.
        let before = (1.0 - depth / diagonal).acos().to_degrees() / 80.0;
        let [clear, contact] = found.contact;
        assert!(clear <= 0.5 - before + 1e-7 && contact >= 0.5 - before - 1e-7, "{depth:e}: {found:?} {before}");
    }
}

#[test]
fn contact_at_the_first_and_at_the_last_instant() {
    let bodies = [body(Geometry::Box([1.0, 1.0, 1.0])), body(Geometry::Box([1.0, 1.0, 1.0]))];
    let pair = |from: f64, to: f64| {
        let moved = Move { positions: [[from, 0.1, 0.2], [to, 0.1, 0.2]], q: [IDENTITY, about_z(0.0)] };
        Pair { bodies: [&bodies[0], &bodies[1]], moves: [still([0.0; 3]), moved] }
    };
    // Apart after the first instant.
    assert_eq!(pair(1.0, 3.0).asked(PartDivision::Least).contact, [0.0, 0.0]);
    assert_eq!(pair(0.7, 3.0).asked(PartDivision::Least).contact, [0.0, 0.0]);
    // They meet at the last instant.
    let last = pair(3.0, 1.0);
    let found = last.asked(PartDivision::Least);
    assert_eq!(found.status, IntervalStatus::Contact);
    assert!(found.contact[0] < 1.0 && found.contact[1] > 1.0 - 2e-6, "{found:?}");
    assert_eq!(last.faults(&found, &mut Random(2), 200), None);
}

#[test]
fn of_contacts_that_begin_and_end_twice_the_first_is_found() {
    // A post beside a square bar that spins about its own axis: two of the bar's edges hit it, one
    // after the other.
    let (bar, post) = (body(Geometry::Box([1.0, 1.0, 3.0])), body(Geometry::Box([0.02, 0.02, 1.0])));
    let spinning = Move { positions: [[0.0; 3]; 2], q: [about_z(0.0), about_z(179.0)] };
    for at in [0.55, 0.65, 0.7, 0.71, 0.7171] {
        let spin = Move { positions: spinning.positions, q: spinning.q };
        let pair = Pair { bodies: [&bar, &post], moves: [spin, still([at, 0.0, 0.0])] };
        let at_degrees = |degrees: f64| pair.distance(degrees / 179.0);
        assert!(at_degrees(0.0) > 0.01 && at_degrees(90.0) > 0.01 && at_degrees(45.0) < 0.0 && at_degrees(135.0) < 0.0);
        for division in [PartDivision::Least, PartDivision::Middle, PartDivision::Advancement] {
            let found = pair.asked(division);
            assert_eq!(found.status, IntervalStatus::Contact);
            assert!(found.contact[1] < 45.0 / 179.0, "{at}: {found:?}");
            assert_eq!(pair.faults(&found, &mut Random(3), 200), None, "{at}");
        }
    }
}
