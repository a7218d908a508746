//! Motion between two frames: proven intervals against the nonlinear time of impact of parry and
//! against dense sampling.
//!
//! `cargo bench --bench between_peers -- [OUT] [COUNT]` makes COUNT (1,000) random motions a
//! family, answers them by each method in turn, and prints contacts that a method misses, contacts
//! that it reports of bodies proven clear, and microseconds an interval (least of three rounds).
//! Contact and clearance are those that the proven intervals decide. A second table has the
//! distances computed and the time by where the search for the least distance divides a part of an
//! interval. With OUT it writes OUT/motions.jsonl, which `benches/between_fcl.py` reads for FCL's
//! continuous collision.

#![allow(clippy::print_stdout, reason = "a program for developers")]

use clearsweep::{PairOptions, ProximityQuery};
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_narrow::interval::{
    BodyMotion, IntervalOptions, IntervalProximity, IntervalStatus, PartDivision, interval_proximity_divided,
};
use clearsweep_narrow::{SolverStats, Workspace};
use clearsweep_scene::{AnswerKind, BetweenFrames, BodyBuilder, Geometry, SceneBuilder, Shape};
use clearsweep_testing::random::Random;
use clearsweep_testing::random_motions::product;
use parry3d_f64::math::{Pose as ParryPose, Rotation, Vector};
use parry3d_f64::query::{NonlinearRigidMotion, cast_shapes_nonlinear};
use parry3d_f64::shape::ConvexPolyhedron;
use std::hint::black_box;
use std::io::Write;
use std::sync::Arc;
use std::time::Instant;

const ROUNDS: usize = 3;
const TOUCH: f64 = 1e-6;
const DIVISIONS: [(PartDivision, &str); 3] = [
    (PartDivision::Middle, "in the middle"),
    (PartDivision::Advancement, "by conservative advancement"),
    (PartDivision::Least, "where the bounds are least"),
];
const FAMILIES: [&str; 5] = ["needle through a plate", "spin of 179 degrees", "fast and turning", "grazing", "slow"];

/// A body for both engines.
struct Body {
    shape: Arc<Shape>,
    parry: ConvexPolyhedron,
}

fn body(points: Vec<[f64; 3]>) -> Body {
    // Points about the origin are recentred on it, so that the pivot is the body's own origin.
    let parry =
        ConvexPolyhedron::from_convex_hull(&points.iter().map(|p| Vector::new(p[0], p[1], p[2])).collect::<Vec<_>>());
    let body = BodyBuilder::new("body", Geometry::Points(points)).fixed([0.0; 3], [1.0, 0.0, 0.0, 0.0]);
    let scene = SceneBuilder::new(1.0).body(body).build().expect("a scene");
    Body { shape: Arc::clone(&scene.bodies[0].shape), parry: parry.expect("a hull") }
}

fn cuboid(x: f64, y: f64, z: f64) -> Vec<[f64; 3]> {
    let side = |k: usize, bit: usize, length: f64| if k >> bit & 1 == 1 { 0.5 * length } else { -0.5 * length };
    (0..8).map(|k| [side(k, 0, x), side(k, 1, y), side(k, 2, z)]).collect()
}

/// Two bodies (indices) with their poses at both ends: position and quaternion.
struct Motion {
    bodies: [usize; 2],
    ends: [[([f64; 3], [f64; 4]); 2]; 2],
}

/// A random motion of a family. Bodies: 0 a plate, 1 a needle, 2 a blade, 3 a post, then round
/// ones.
fn motion(random: &mut Random, family: usize, bodies: usize) -> Motion {
    let identity = [1.0, 0.0, 0.0, 0.0];
    let still = |at: [f64; 3]| [(at, identity), (at, identity)];
    let round = |random: &mut Random| 4 + (random.unit() * (bodies - 4) as f64) as usize;
    match family {
        0 => {
            let (x, y) = (0.7 * random.signed(), 0.7 * random.signed());
            let (z, speed) = (0.2 + 3.0 * random.unit(), 0.5 + 8.0 * random.unit());
            Motion { bodies: [0, 1], ends: [still([0.0; 3]), [([x, y, z], identity), ([x, y, z - speed], identity)]] }
        }
        1 => {
            let at = [1.3 * random.signed(), 1.3 * random.signed(), 0.0];
            let start = random.unit() * 3.0;
            let about_z = |angle: f64| [(0.5 * angle).cos(), 0.0, 0.0, (0.5 * angle).sin()];
            let spin = [([0.0; 3], about_z(start)), ([0.0; 3], about_z(start + 179.0_f64.to_radians()))];
            Motion { bodies: [2, 3], ends: [spin, still(at)] }
        }
        2 | 4 => {
            let (speed, angle) = if family == 2 { (4.0, 2.5) } else { (0.02, 0.02) };
            let from = random.direction().map(|c| c * (1.0 + 1.5 * random.unit()));
            let to = [0, 1, 2].map(|k| from[k] + speed * (random.signed() - 0.4 * from[k]));
            let moving = |random: &mut Random| {
                let first = 3.0 * random.unit();
                let q = random.turn_by(first);
                let second = angle * random.unit();
                let turn = random.turn_by(second);
                [q, product(turn, q)]
            };
            let (a, b) = (moving(random), moving(random));
            Motion {
                bodies: [round(random), round(random)],
                ends: [[([0.0; 3], a[0]), ([0.0; 3], a[1])], [(from, b[0]), (to, b[1])]],
            }
        }
        _ => {
            // A post passes the plate's edge; it touches in half of the cases, by up to a tenth of
            // a millimetre.
            let depth = 1e-4 * random.signed();
            let (x, half) = (0.75 + 0.05 - depth, 2.0 * random.unit() + 0.6);
            Motion {
                bodies: [0, 3],
                ends: [still([0.0; 3]), [([x, -half, 0.0], identity), ([x, half, 0.0], identity)]],
            }
        }
    }
}

impl Motion {
    fn pose(&self, body: usize, end: usize) -> Pose {
        let (position, q) = self.ends[body][end];
        Pose::new(position, q)
    }

    fn ours(
        &self,
        all: &[Body],
        division: PartDivision,
        work: &mut Workspace,
        stats: &mut SolverStats,
    ) -> Option<IntervalProximity> {
        let of = |side: usize| {
            let shape = &all[self.bodies[side]].shape;
            let ends = [0, 1].map(|end| self.pose(side, end).recentred(shape.center));
            BodyMotion { shape, ends, pivot: Vec3::ZERO - shape.center, fall: Vec3::ZERO, departure: 0.0 }
        };
        let options = IntervalOptions {
            between: BetweenFrames::Linear,
            within: 1e3,
            require: None,
            touch: TOUCH,
            tolerance: 1e-4,
            answer: AnswerKind::Depth,
            ..IntervalOptions::default()
        };
        interval_proximity_divided(&of(0), &of(1), [None, None], &options, division, work, stats)
    }

    /// Whether parry finds a time of impact.
    fn parry(&self, all: &[Body]) -> bool {
        let of = |side: usize| {
            let [(from, q), (to, r)] = self.ends[side];
            let rotation = Rotation::from_xyzw(q[1], q[2], q[3], q[0]);
            let [w, x, y, z] = product(r, [q[0], -q[1], -q[2], -q[3]]);
            let sign = if w < 0.0 { -1.0 } else { 1.0 };
            let sine = (x * x + y * y + z * z).sqrt();
            let angle = 2.0 * sine.atan2(w.abs());
            let rate = if sine > 0.0 { sign * angle / sine } else { 0.0 };
            let vector = |v: [f64; 3]| Vector::new(v[0], v[1], v[2]);
            let start = ParryPose::from_parts(vector(from), rotation);
            let moved = [0, 1, 2].map(|k| to[k] - from[k]);
            NonlinearRigidMotion::new(start, Vector::ZERO, vector(moved), vector([x * rate, y * rate, z * rate]))
        };
        let [a, b] = self.bodies.map(|body| &all[body].parry);
        matches!(cast_shapes_nonlinear(&of(0), a, &of(1), b, 0.0, 1.0, false), Ok(Some(_)))
    }

    /// Whether one of so many steps is in contact, asked by the engine's own query.
    fn sampled(&self, all: &[Body], steps: usize) -> bool {
        let [a, b] = self.bodies.map(|body| &*all[body].shape);
        let options = PairOptions { within: Some(TOUCH), ..PairOptions::default() };
        let mut query = ProximityQuery::new(a, b, &options).expect("options");
        (0..=steps).any(|step| {
            let t = step as f64 / steps as f64;
            let [a, b] = [0, 1].map(|side| self.at(side, t));
            query.proximity(&a, &b).expect("poses").is_some_and(|row| row.upper <= TOUCH)
        })
    }

    /// The pose of a body at a share of the interval.
    fn at(&self, side: usize, t: f64) -> Pose {
        let [(from, q), (to, r)] = self.ends[side];
        let cosine: f64 = (0..4).map(|k| q[k] * r[k]).sum();
        let r = if cosine < 0.0 { r.map(|c| -c) } else { r };
        let sine = (0..4).map(|k| (r[k] - q[k] * cosine.abs()).powi(2)).sum::<f64>().sqrt();
        let angle = sine.atan2(cosine.abs());
        let (x, y) = match angle {
            _ if angle < 1e-9 => (1.0 - t, t),
            _ => (((1.0 - t) * angle).sin() / angle.sin(), (t * angle).sin() / angle.sin()),
        };
        let blend = [0, 1, 2, 3].map(|k| x * q[k] + y * r[k]);
        let norm = blend.iter().map(|c| c * c).sum::<f64>().sqrt();
        Pose::new([0, 1, 2].map(|k| (1.0 - t) * from[k] + t * to[k]), blend.map(|c| c / norm))
    }
}

/// Microseconds a motion, the least of the rounds, and what the method says.
fn timed<T>(motions: &[Motion], mut ask: impl FnMut(&Motion) -> T) -> (f64, Vec<T>) {
    let mut least = f64::INFINITY;
    let mut said = Vec::new();
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        said = motions.iter().map(|motion| black_box(ask(motion))).collect();
        least = least.min(begun.elapsed().as_secs_f64());
    }
    (1e6 * least / motions.len() as f64, said)
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let count = words.get(1).and_then(|word| word.parse().ok()).unwrap_or(1_000);
    let mut random = Random(5);
    let mut all = vec![
        body(cuboid(1.5, 1.5, 0.002)),
        body(cuboid(0.002, 0.002, 0.1)),
        body(cuboid(2.0, 0.05, 0.05)),
        body(cuboid(0.1, 0.1, 1.0)),
    ];
    for vertices in [8, 12, 24, 60] {
        all.push(body((0..vertices).map(|_| random.direction().map(|c| 0.5 * c)).collect()));
    }
    let mut file = words.first().map(|out| {
        std::fs::create_dir_all(out).expect("a folder");
        std::fs::File::create(format!("{out}/motions.jsonl")).expect("a file")
    });
    if let Some(file) = &mut file {
        for Body { shape, .. } in &all {
            write_body(file, shape);
        }
    }
    let mut divisions = Vec::new();
    println!("| motion | method | contacts | missed | false | undecided | us an interval |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for (family, name) in FAMILIES.into_iter().enumerate() {
        let motions: Vec<Motion> = (0..count).map(|_| motion(&mut random, family, all.len())).collect();
        let mut work = Workspace::default();
        let mut ours = |motion: &Motion, division: PartDivision, stats: &mut SolverStats| {
            motion.ours(&all, division, &mut work, stats).expect("within a long way").status
        };
        for (division, word) in DIVISIONS {
            let mut stats = SolverStats::default();
            let (us, _) = timed(&motions, |motion| ours(motion, division, &mut stats));
            let distances = stats.queries as f64 / (ROUNDS * motions.len()) as f64;
            divisions.push(format!("| {name} | {word} | {distances:.2} | {us:.2} |"));
        }
        let (us, ours) = timed(&motions, |motion| ours(motion, PartDivision::default(), &mut SolverStats::default()));
        let of = |status| ours.iter().filter(|found| **found == status).count();
        let contacts = of(IntervalStatus::Contact);
        println!("| {name} | proven intervals | {contacts} | 0 | 0 | {} | {us:.2} |", of(IntervalStatus::Undecided));
        let report = |method: &str, (us, said): (f64, Vec<bool>)| {
            let both = || ours.iter().zip(&said);
            let missed = both().filter(|(truth, said)| **truth == IntervalStatus::Contact && !**said).count();
            let wrong = both().filter(|(truth, said)| **truth == IntervalStatus::Clear && **said).count();
            println!("| {name} | {method} | {contacts} | {missed} | {wrong} | | {us:.2} |");
        };
        report("parry, nonlinear", timed(&motions, |motion| motion.parry(&all)));
        for steps in [10, 100, 1000] {
            report(&format!("{steps} samples"), timed(&motions, |motion| motion.sampled(&all, steps)));
        }
        if let Some(file) = &mut file {
            motions.iter().zip(&ours).for_each(|(motion, status)| write_motion(file, name, motion, *status));
        }
    }
    println!("\n| motion | a part is divided | distances an interval | us an interval |");
    println!("| --- | --- | --- | --- |");
    divisions.iter().for_each(|line| println!("{line}"));
}

/// A line of a body: vertices, and faces as lists of vertices.
fn write_body(file: &mut std::fs::File, shape: &Shape) {
    let core = &shape.hull().core;
    let vertices: Vec<[f64; 3]> = (0..core.count as u32).map(|v| (core.vertex(v) + shape.center).to_array()).collect();
    let faces: Vec<&[u32]> = (0..core.face_start.len() - 1)
        .map(|f| &core.face_vertices[core.face_start[f] as usize..core.face_start[f + 1] as usize])
        .collect();
    writeln!(file, "{}", serde_json::json!({ "vertices": vertices, "faces": faces })).expect("written");
}

fn write_motion(file: &mut std::fs::File, family: &str, motion: &Motion, status: IntervalStatus) {
    let line = serde_json::json!({
        "family": family,
        "bodies": motion.bodies,
        "ends": motion.ends,
        "status": IntervalStatus::NAMES[status as usize],
    });
    writeln!(file, "{line}").expect("written");
}
