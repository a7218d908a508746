//! Motion between two frames of triangle meshes: the cost of proven intervals, and how they are
//! proven.
//!
//! `cargo bench --bench between_meshes -- [COUNT] [RINGS]` makes COUNT (40) random motions a family
//! of meshes of 4 RINGS^2 (RINGS: 30) triangles, and prints microseconds an interval (least of
//! three rounds), and shares of statuses and methods.

#![allow(clippy::print_stdout, reason = "a program for developers")]

use clearsweep::Model;
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_narrow::interval::{
    BodyMotion, IntervalMethod, IntervalOptions, IntervalProximity, IntervalStatus, interval_proximity,
};
use clearsweep_narrow::{SolverStats, Workspace};
use clearsweep_scene::{AnswerKind, BetweenFrames, BodyBuilder, Geometry, SceneBuilder, Shape};
use clearsweep_testing::random::Random;
use clearsweep_testing::random_motions::{about, product};
use std::f64::consts::TAU;
use std::fmt::Write;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

const ROUNDS: usize = 3;
const IDENTITY: [f64; 4] = [1.0, 0.0, 0.0, 0.0];
const FAMILIES: [&str; 6] = [
    "sliding past, 10 sizes",
    "through a ring",
    "linked rings, 30 degrees",
    "a ball before a ring, 30 degrees",
    "one bracket leaves another",
    "through a ring, hit",
];

/// A mesh of vertices and triangles, through a file.
fn mesh(dir: &Path, vertices: &[[f64; 3]], triangles: &[[usize; 3]]) -> Arc<Shape> {
    let mut text = String::new();
    for [x, y, z] in vertices {
        let _ = writeln!(text, "v {x} {y} {z}");
    }
    for t in triangles {
        let _ = writeln!(text, "f {} {} {}", t[0] + 1, t[1] + 1, t[2] + 1);
    }
    let file = dir.join("mesh.obj");
    std::fs::write(&file, text).expect("written");
    let body = BodyBuilder::new("body", Geometry::file(file, Some(Model::Mesh))).fixed([0.0; 3], IDENTITY);
    Arc::clone(&SceneBuilder::new(1.0).body(body).build().expect("a scene").bodies[0].shape)
}

/// A bumpy ball of the radius 1.
fn ball(dir: &Path, rings: usize, bumps: f64) -> Arc<Shape> {
    let (rows, columns) = (rings, 2 * rings);
    let mut vertices = vec![[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]];
    let at = |row: usize, column: usize| 2 + (row - 1) * columns + column % columns;
    for row in 1..rows {
        for column in 0..columns {
            let (t, p) = (0.5 * TAU * row as f64 / rows as f64, TAU * column as f64 / columns as f64);
            let r = 1.0 + bumps * (6.0 * p).sin() * (7.0 * t).sin() * t.sin();
            vertices.push([r * t.sin() * p.cos(), r * t.sin() * p.sin(), r * t.cos()]);
        }
    }
    let mut triangles = Vec::new();
    for column in 0..columns {
        triangles.push([0, at(1, column), at(1, column + 1)]);
        triangles.push([1, at(rows - 1, column + 1), at(rows - 1, column)]);
        for row in 1..rows - 1 {
            let [p, q] = [at(row, column), at(row, column + 1)];
            let [r, s] = [at(row + 1, column), at(row + 1, column + 1)];
            triangles.extend([[p, r, s], [p, s, q]]);
        }
    }
    mesh(dir, &vertices, &triangles)
}

/// A bumpy ring about the z axis: its tube of the radius 0.25 runs at 1 from the axis.
fn ring(dir: &Path, rings: usize) -> Arc<Shape> {
    let (rows, columns) = (rings, 2 * rings);
    let at = |row: usize, column: usize| (row % rows) * columns + column % columns;
    let mut vertices = Vec::new();
    for row in 0..rows {
        for column in 0..columns {
            let (t, p) = (TAU * row as f64 / rows as f64, TAU * column as f64 / columns as f64);
            let tube = 0.25 + 0.01 * (9.0 * p).sin();
            let r = 1.0 + tube * t.cos();
            vertices.push([r * p.cos(), r * p.sin(), tube * t.sin()]);
        }
    }
    let mut triangles = Vec::new();
    for row in 0..rows {
        for column in 0..columns {
            let [p, q] = [at(row, column), at(row, column + 1)];
            let [r, s] = [at(row + 1, column), at(row + 1, column + 1)];
            triangles.extend([[p, q, s], [p, s, r]]);
        }
    }
    mesh(dir, &vertices, &triangles)
}

/// Three boxes: a foot, a wall, and a ledge above the foot.
fn bracket(dir: &Path) -> Arc<Shape> {
    let boxes = [
        ([-0.5, -0.3, -0.4], [0.5, 0.3, -0.3]),
        ([-0.5, -0.3, -0.299], [-0.4, 0.3, 0.4]),
        ([-0.399, -0.3, 0.3], [0.2, 0.3, 0.4]),
    ];
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for (low, high) in boxes {
        let from: usize = vertices.len();
        vertices.extend((0..8).map(|k| [0, 1, 2].map(|axis| if k >> axis & 1 == 1 { high[axis] } else { low[axis] })));
        for face in faces {
            let [a, b, c, d] = face.map(|v: usize| from + v);
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    mesh(dir, &vertices, &triangles)
}

/// The poses of one body at both ends.
type Ends = [([f64; 3], [f64; 4]); 2];

struct Motion {
    bodies: [usize; 2],
    ends: [Ends; 2],
}

const BALL: usize = 0;
const RING: usize = 1;
const BRACKET: usize = 2;
const SMALL_BALL: usize = 3;

fn motion(random: &mut Random, family: usize) -> Motion {
    let degrees = TAU / 360.0;
    let still = |at: [f64; 3]| [(at, IDENTITY); 2];
    let spin = |random: &mut Random, at: [f64; 3], from: [f64; 4], angle: f64| {
        let turn = random.turn_by(angle * degrees);
        [(at, from), (at, product(turn, from))]
    };
    match family {
        0 => {
            let angle = 3.0 * random.unit();
            let q = random.turn_by(angle);
            let y = 2.02 + 0.1 * random.unit();
            let (x, z) = (10.0 + random.unit(), 0.2 * random.signed());
            Motion { bodies: [BALL, BALL], ends: [still([0.0; 3]), [([-x, y, z], q), ([x, y, z], q)]] }
        }
        1 => {
            let path = spin(random, [0.0; 3], IDENTITY, 20.0);
            let [x, y] = [0.05 * random.signed(), 0.05 * random.signed()];
            let z = 1.2 + random.unit();
            let ends = [([x, y, z], path[0].1), ([-x, -y, -z], path[1].1)];
            Motion { bodies: [RING, SMALL_BALL], ends: [still([0.0; 3]), ends] }
        }
        2 => {
            let upright = about([1.0, 0.0, 0.0], 0.25 * TAU);
            let one = spin(random, [0.0; 3], IDENTITY, 30.0);
            let other = spin(random, [1.0, 0.0, 0.0], upright, 30.0);
            Motion { bodies: [RING, RING], ends: [one, other] }
        }
        3 => {
            let from = about([0.0, 0.0, 1.0], TAU * random.unit());
            let to = product(about([0.0, 0.0, 1.0], 30.0 * degrees), from);
            let tilted = spin(random, [0.0; 3], to, 3.0);
            let one = [([0.0; 3], from), tilted[1]];
            // The ball looks into the ring, so that the hulls overlap.
            let other = spin(random, [0.0, 0.0, 0.95], IDENTITY, 30.0);
            Motion { bodies: [RING, BALL], ends: [one, [other[0], ([0.0, 0.0, 1.0], other[1].1)]] }
        }
        4 => {
            let one = spin(random, [0.0; 3], IDENTITY, 60.0);
            let half_turn = about([0.0, 1.0, 0.0], 0.5 * TAU);
            let other = spin(random, [0.45, 0.0, 0.15], half_turn, 5.0);
            Motion { bodies: [BRACKET, BRACKET], ends: [[one[0], one[0]], [other[0], ([1.2, 0.0, 0.2], other[1].1)]] }
        }
        _ => {
            let path = spin(random, [0.0; 3], IDENTITY, 20.0);
            let (x, z) = (0.6 + 0.4 * random.unit(), 1.2 + random.unit());
            let ends = [([x, 0.0, z], path[0].1), ([x, 0.0, -z], path[1].1)];
            Motion { bodies: [RING, SMALL_BALL], ends: [still([0.0; 3]), ends] }
        }
    }
}

fn asked(motion: &Motion, bodies: &[Arc<Shape>], work: &mut Workspace) -> Option<IntervalProximity> {
    let of = |side: usize| {
        let shape = &*bodies[motion.bodies[side]];
        let ends = motion.ends[side].map(|(position, q)| Pose::new(position, q).recentred(shape.center));
        BodyMotion { shape, ends, pivot: Vec3::ZERO - shape.center, fall: Vec3::ZERO, departure: 0.0 }
    };
    let options = IntervalOptions {
        between: BetweenFrames::Linear,
        within: 1e3,
        require: None,
        touch: 1e-6,
        tolerance: 1e-4,
        answer: AnswerKind::Depth,
        ..IntervalOptions::default()
    };
    interval_proximity(&of(0), &of(1), [None, None], &options, work, &mut SolverStats::default())
}

fn main() {
    let mut numbers = std::env::args().skip(1).filter_map(|text| text.parse::<usize>().ok());
    let (count, rings) = (numbers.next().unwrap_or(40), numbers.next().unwrap_or(30));
    let dir = tempfile::tempdir().expect("scratch");
    let bodies = [ball(dir.path(), rings, 0.02), ring(dir.path(), rings), bracket(dir.path()), {
        // A ball of radius 0.65: it passes the ring, whose hole has the radius 0.74.
        let small = ball(dir.path(), rings, 0.02);
        let vertices: Vec<_> = small
            .mesh
            .as_ref()
            .map_or(Vec::new(), |mesh| mesh.vertices().iter().map(|v| [0.65 * v.x, 0.65 * v.y, 0.65 * v.z]).collect());
        let triangles: Vec<_> = small
            .mesh
            .as_ref()
            .map_or(Vec::new(), |mesh| mesh.triangles().iter().map(|t| t.map(|v| v as usize)).collect());
        mesh(dir.path(), &vertices, &triangles)
    }];
    println!(
        "| motion | us an interval | {} | {} |",
        IntervalStatus::NAMES.join(" | "),
        IntervalMethod::NAMES.join(" | ")
    );
    for (family, name) in FAMILIES.iter().enumerate() {
        let mut random = Random(1 + family as u64);
        let motions: Vec<_> = (0..count).map(|_| motion(&mut random, family)).collect();
        let mut work = Workspace::default();
        let found: Vec<_> = motions.iter().map(|motion| asked(motion, &bodies, &mut work)).collect();
        let mut least = f64::INFINITY;
        for _ in 0..ROUNDS {
            let begun = Instant::now();
            for motion in &motions {
                black_box(asked(motion, &bodies, &mut work));
            }
            least = least.min(begun.elapsed().as_secs_f64());
        }
        let percent = |of: usize| format!("{:.0} %", 100.0 * of as f64 / count as f64);
        let found: Vec<_> = found.into_iter().flatten().collect();
        let statuses = [0, 1, 2].map(|k| percent(found.iter().filter(|row| row.status as usize == k).count()));
        let methods = [0, 1, 2, 3, 4].map(|k| percent(found.iter().filter(|row| row.method as usize == k).count()));
        let cost = least * 1e6 / count as f64;
        println!("| {name} | {cost:.0} | {} | {} |", statuses.join(" | "), methods.join(" | "));
    }
}
