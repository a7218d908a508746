//! Answers about pairs of round bodies, and the time of each query: the engine's half of
//! `benches/round_peers.py`, which makes the cases and asks the peers.
//!
//! `cargo bench --bench round_pairs -- CASES ANSWERS`. CASES: a line a pair: the name of the
//! case, shape A, shape B (as `shape` in a table of bodies), and the pose of B (x y z qw qx qy
//! qz), separated by semicolons. ANSWERS: the same order: distance, lower end, upper end, and
//! what parry answers about two cylinders (else NaN), metres. Prints a line a case: nanoseconds a
//! query, cold (no memory), the median over passes; those of boxes of the same extent in the same
//! places; and those of parry. One thread.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program for developers")]

use clearsweep_geometry::Pose;
use clearsweep_narrow::{Auto, BodyPoses, NarrowPhase, PairCache, PairQuery, Proximity, SolverStats, Workspace};
use clearsweep_scene::{Geometry, QueryOptions, Shape};
use parry3d_f64::math::{Pose as ParryPose, Rotation, Vector};
use parry3d_f64::query::contact;
use parry3d_f64::shape::Cylinder;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Instant;

/// Passes over all pairs of a case.
const PASSES: usize = 15;

struct Case {
    name: String,
    pairs: Vec<Placed>,
}

struct Placed {
    bodies: [Arc<Shape>; 2],
    boxes: [Arc<Shape>; 2],
    pose: Pose,
    /// The same for parry, if both are cylinders.
    parry: Option<([Cylinder; 2], ParryPose)>,
}

/// parry's cylinder, whose axis is y.
fn cylinder_of(text: &str) -> Option<Cylinder> {
    let numbers = text.strip_prefix("{ cylinder = [")?.strip_suffix("] }")?;
    let (radius, height) = numbers.split_once(", ")?;
    Some(Cylinder::new(0.5 * height.parse::<f64>().ok()?, radius.parse().ok()?))
}

/// The pose of B in the frame of A, where the axes are y.
fn parry_pose([x, y, z]: [f64; 3], [w, qx, qy, qz]: [f64; 4]) -> ParryPose {
    let upright = Rotation::from_rotation_x(-std::f64::consts::FRAC_PI_2);
    let turned = Rotation::from_xyzw(qx, qy, qz, w);
    ParryPose::from_parts(upright * Vector::new(x, y, z), upright * turned * upright.inverse())
}

/// The box of a body's extent.
fn box_of(shape: &Shape) -> Arc<Shape> {
    let [low, high] = shape.hull().core.bounds();
    Geometry::Box((high - low).to_array()).shape(0.0).unwrap()
}

fn read(path: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for line in std::fs::read_to_string(path).unwrap().lines() {
        let words: Vec<&str> = line.split(';').collect();
        let bodies = [words[1], words[2]].map(|text| Geometry::Shape(text.to_owned()).shape(0.0).unwrap());
        let number: Vec<f64> = words[3].split(' ').map(|word| word.parse().unwrap()).collect();
        let pose = Pose::new([number[0], number[1], number[2]], [number[3], number[4], number[5], number[6]]);
        let boxes = [box_of(&bodies[0]), box_of(&bodies[1])];
        let cylinders = cylinder_of(words[1]).zip(cylinder_of(words[2]));
        let parry = cylinders.map(|(a, b)| {
            ([a, b], parry_pose([number[0], number[1], number[2]], [number[3], number[4], number[5], number[6]]))
        });
        if cases.last().is_none_or(|case| case.name != words[0]) {
            cases.push(Case { name: words[0].to_owned(), pairs: Vec::new() });
        }
        cases.last_mut().unwrap().pairs.push(Placed { bodies, boxes, pose, parry });
    }
    cases
}

/// Asks about all pairs, each without a memory; nanoseconds a query, the median over passes.
fn pass<'a>(pairs: impl Fn() -> Box<dyn Iterator<Item = ([&'a Shape; 2], Pose)> + 'a>) -> (f64, Vec<Proximity>) {
    let (mut work, mut stats) = (Workspace::default(), SolverStats::default());
    let (mut times, mut rows) = (Vec::new(), Vec::new());
    for _ in 0..PASSES {
        rows.clear();
        let begin = Instant::now();
        for ([a, b], pose) in pairs() {
            let (poses_a, poses_b) = (BodyPoses::Fixed(&Pose::IDENTITY), BodyPoses::Fixed(&pose));
            let query = PairQuery { a, b, poses_a, poses_b, samples: 1 };
            let cache = &mut PairCache::default();
            Auto.walk(&query, &QueryOptions::EVERYTHING, cache, &mut work, &mut stats, &mut rows);
        }
        times.push(begin.elapsed().as_secs_f64() * 1e9 / rows.len() as f64);
    }
    times.sort_by(f64::total_cmp);
    (times[PASSES / 2], rows)
}

/// parry's signed distances, and nanoseconds a query; none where a pair is not of two cylinders.
fn pass_of_parry(pairs: &[Placed]) -> (f64, Vec<f64>) {
    let (mut times, mut found) = (Vec::new(), Vec::new());
    for _ in 0..PASSES {
        let begin = Instant::now();
        found.clear();
        found.extend(pairs.iter().map(|pair| {
            let Some(([a, b], pose)) = &pair.parry else { return f64::NAN };
            let answer = contact(&ParryPose::IDENTITY, a, pose, b, 1e3).ok().flatten();
            answer.map_or(f64::INFINITY, |contact| contact.dist)
        }));
        times.push(begin.elapsed().as_secs_f64() * 1e9 / found.len() as f64);
    }
    times.sort_by(f64::total_cmp);
    (times[PASSES / 2], found)
}

fn main() {
    let paths: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    let [cases, answers] = &paths[..] else { panic!("cargo bench --bench round_pairs -- CASES ANSWERS") };
    let mut text = String::new();
    for Case { name, pairs } in read(cases) {
        let (round, rows) = pass(|| Box::new(pairs.iter().map(|p| ([&*p.bodies[0], &*p.bodies[1]], p.pose))));
        let (boxes, _) = pass(|| Box::new(pairs.iter().map(|p| ([&*p.boxes[0], &*p.boxes[1]], p.pose))));
        let (parry, of_parry) = pass_of_parry(&pairs);
        println!("{name};{round:.0};{boxes:.0};{parry:.0}");
        assert_eq!(rows.len(), pairs.len(), "every pair has a row");
        for (row, of_parry) in rows.iter().zip(of_parry) {
            writeln!(text, "{:?} {:?} {:?} {of_parry:?}", row.distance, row.lower, row.upper).unwrap();
        }
    }
    std::fs::write(answers, text).unwrap();
}
