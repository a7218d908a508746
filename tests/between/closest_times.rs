//! The times of least distance between two samples: they hold the least of distances at many times,
//! and are no wider than the bracket explains.

#![allow(clippy::print_stderr, reason = "the shares are for whoever runs the tests")]

use clearsweep::{Geometry, Model, PairOptions, Pose, ProximityQuery, Shape, Vec3};
use clearsweep_narrow::interval::{
    BodyMotion, IntervalMethod, IntervalOptions, IntervalProximity, IntervalStatus, interval_proximity,
};
use clearsweep_narrow::{SolverStats, Workspace};
use clearsweep_scene::{AnswerKind, BetweenFrames};
use clearsweep_testing::random::Random;
use clearsweep_testing::random_motions::product;
use std::fs;
use std::path::Path;
use std::sync::Arc;

const IDENTITY: [f64; 4] = [1.0, 0.0, 0.0, 0.0];

/// Times may be so much wider than the bracket explains, as shares of the interval: 1/256 is
/// promised, and two samples lie between.
const RESOLUTION: f64 = 1.0 / 96.0;

/// Times at which the distance is sampled.
const TIMES: usize = 256;

/// A motion of a body's own frame: positions and quaternions at both ends.
type Motion = ([[f64; 3]; 2], [[f64; 4]; 2]);

fn corners(low: [f64; 3], high: [f64; 3]) -> Vec<[f64; 3]> {
    (0..8).map(|k| [0, 1, 2].map(|axis| if k >> axis & 1 == 1 { high[axis] } else { low[axis] })).collect()
}

/// Closed boxes as one mesh.
fn mesh(dir: &Path, name: &str, boxes: &[([f64; 3], [f64; 3])]) -> Arc<Shape> {
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let mut text = String::new();
    for (at, &(low, high)) in boxes.iter().enumerate() {
        corners(low, high).iter().for_each(|[x, y, z]| text += &format!("v {x} {y} {z}\n"));
        for face in faces {
            let [a, b, c, d] = face.map(|v| v + 1 + 8 * at);
            text += &format!("f {a} {b} {c}\nf {a} {c} {d}\n");
        }
    }
    let file = dir.join(name);
    fs::write(&file, text).expect("written");
    shape(Geometry::file(file, Some(Model::Mesh)))
}

fn shape(geometry: Geometry) -> Arc<Shape> {
    geometry.shape(0.0).expect("a shape")
}

/// The hull of a body; a body of one piece is its own.
fn hull(of: &Shape) -> Arc<Shape> {
    let core = &of.hull().core;
    let points = (0..core.count as u32).map(|v| (core.vertex(v) + of.center).to_array()).collect();
    Geometry::Points(points).shape(of.hull().radius).expect("a shape")
}

/// Boxes of a bracket, which do not touch each other.
const BRACKET: [([f64; 3], [f64; 3]); 3] =
    [([0.0, 0.0, 0.0], [1.0, 0.6, 0.1]), ([0.0, 0.0, 0.101], [0.1, 0.6, 0.8]), ([0.101, 0.0, 0.7], [0.7, 0.6, 0.8])];

fn asked(shapes: [&Shape; 2], motions: [&Motion; 2], between: BetweenFrames) -> IntervalProximity {
    let of = |k: usize| {
        let (positions, q) = motions[k];
        let ends = [0, 1].map(|end| Pose::new(positions[end], q[end]).recentred(shapes[k].center));
        BodyMotion { shape: shapes[k], ends, pivot: Vec3::ZERO - shapes[k].center, fall: Vec3::ZERO, departure: 0.0 }
    };
    let options = IntervalOptions {
        between,
        within: 1e6,
        require: None,
        touch: 1e-6,
        tolerance: 1e-4,
        answer: AnswerKind::Depth,
        ..IntervalOptions::default()
    };
    let (mut work, mut stats) = (Workspace::default(), SolverStats::default());
    interval_proximity(&of(0), &of(1), [None, None], &options, &mut work, &mut stats).expect("within a long way")
}

fn pose_at((p, q): &Motion, t: f64) -> Pose {
    let cosine: f64 = (0..4).map(|k| q[0][k] * q[1][k]).sum();
    let end = if cosine < 0.0 { q[1].map(|c| -c) } else { q[1] };
    let sine = (0..4).map(|k| (end[k] - q[0][k] * cosine.abs()).powi(2)).sum::<f64>().sqrt();
    let angle = sine.atan2(cosine.abs());
    let (x, y) = match angle {
        _ if angle < 1e-9 => (1.0 - t, t),
        _ => (((1.0 - t) * angle).sin() / angle.sin(), (t * angle).sin() / angle.sin()),
    };
    let blend = [0, 1, 2, 3].map(|k| x * q[0][k] + y * end[k]);
    let norm = blend.iter().map(|c| c * c).sum::<f64>().sqrt();
    Pose::new([0, 1, 2].map(|k| (1.0 - t) * p[0][k] + t * p[1][k]), blend.map(|c| c / norm))
}

#[derive(Debug, Default)]
struct Tally {
    status: [usize; 3],
    /// Brackets of contacts, and of others, whose times are narrower than half of the interval.
    narrow: [usize; 2],
    /// Times that leave something out before and behind.
    inside: usize,
    /// Wider than explained, unless the work limit was reached.
    wide: usize,
    limit: usize,
    misses: Vec<String>,
}

/// Holds the times of an answer against distances at many times.
fn check(number: usize, (shapes, hulls): ([&Shape; 2], &[Arc<Shape>; 2]), motions: [&Motion; 2], tally: &mut Tally) {
    let found = asked(shapes, motions, BetweenFrames::Linear);
    let mut query = ProximityQuery::new(shapes[0], shapes[1], &PairOptions::default()).expect("options");
    let rows: Vec<(f64, f64, f64)> = (0..=TIMES)
        .map(|k| {
            let t = k as f64 / TIMES as f64;
            let row = query.proximity(&pose_at(motions[0], t), &pose_at(motions[1], t)).expect("poses").expect("a row");
            (t, row.lower, row.upper)
        })
        .collect();
    let [from, to] = found.closest;
    let is_ordered = 0.0 <= from && from <= to && to <= 1.0 && found.lower <= found.upper;
    // A time that is nearer than the upper end is one of least distance, or nearer than it.
    let outside = rows.iter().find(|(t, _, upper)| !(from..=to).contains(t) && *upper < found.upper - 1e-11);
    if !is_ordered || outside.is_some() {
        tally.misses.push(format!("{number}: {found:?}, nearer outside: {outside:?}"));
    }
    // What the bracket explains: times at which the distance may be no more than its width above
    // its upper end, and the nearest sample. Of bodies that are not convex and overlap nothing is
    // known of other times at which they touch while their hulls overlap as much.
    let width = found.upper - found.lower;
    let mut of_hulls = ProximityQuery::new(&hulls[0], &hulls[1], &PairOptions::default()).expect("options");
    let mut explained = |&(t, lower, _): &(f64, f64, f64)| {
        let [a, b] = motions.map(|motion| pose_at(motion, t));
        let mut hulls_are_deep =
            || of_hulls.proximity(&a, &b).expect("poses").expect("a row").lower <= found.upper + 1e-11;
        lower <= found.upper + width + 1e-11 || (found.upper <= 1e-6 && lower <= 1e-6 && hulls_are_deep())
    };
    let nearest = rows.iter().min_by(|one, other| one.2.total_cmp(&other.2)).expect("rows").0;
    let first = rows.iter().find(|row| explained(row)).map_or(nearest, |row| row.0.min(nearest));
    let last = rows.iter().rev().find(|row| explained(row)).map_or(nearest, |row| row.0.max(nearest));
    let is_limit = found.method == IntervalMethod::Limit;
    tally.limit += usize::from(is_limit);
    if !is_limit && (from < first - RESOLUTION || to > last + RESOLUTION) {
        tally.wide += 1;
        if tally.wide < 8 {
            eprintln!("{number}: {found:?}, explained {first} .. {last}");
        }
    }
    tally.status[found.status as usize] += 1;
    tally.narrow[usize::from(found.status == IntervalStatus::Contact)] += usize::from(to - from < 0.5);
    tally.inside += usize::from(from > 0.0 && to < 1.0);
}

/// Random motions of two kinds of bodies: passes through and beside each other, slides, spins, and
/// slow ones.
fn passes(name: &str, shapes: [&Shape; 2], seed: u64, cases: usize) -> Tally {
    let (mut random, mut tally) = (Random(seed), Tally::default());
    let hulls = shapes.map(hull);
    for number in 0..cases {
        let start = random.direction().map(|c| c * (0.8 + 1.2 * random.unit()));
        let aside = random.in_cube(0.5);
        let step = match number % 4 {
            // Straight through, symmetrically or not.
            0 => start.map(|c| -2.0 * c),
            1 => [0, 1, 2].map(|k| -2.0 * start[k] + aside[k]),
            2 => aside,
            _ => aside.map(|c| 0.02 * c),
        };
        let degrees: f64 = [0.0, 0.0, 20.0, 120.0][random.below(4)] * random.unit();
        let q = if random.below(3) == 0 { IDENTITY } else { random.turn_by(1.0) };
        let by = random.turn_by(degrees.to_radians());
        let a: Motion = ([[0.0; 3]; 2], [IDENTITY, IDENTITY]);
        let b: Motion = ([start, [0, 1, 2].map(|k| start[k] + step[k])], [q, product(by, q)]);
        check(number, (shapes, &hulls), [&a, &b], &mut tally);
    }
    eprintln!("{name}: {:?}", tally_of(&tally));
    assert!(
        tally.misses.is_empty(),
        "{name}: {} of {cases}: {:#?}",
        tally.misses.len(),
        &tally.misses[..tally.misses.len().min(5)]
    );
    tally
}

fn tally_of(tally: &Tally) -> Tally {
    let Tally { status, narrow, inside, wide, limit, .. } = *tally;
    Tally { status, narrow, inside, wide, limit, misses: Vec::new() }
}

/// The kinds were met often enough, and few of them are wider than explained.
fn representative(name: &str, tally: &Tally, cases: usize) {
    assert!(tally.status[0] * 8 > cases && tally.status[1] * 8 > cases, "{name} is not representative: {tally:?}");
    assert!(tally.inside * 4 > cases, "{name} is not representative: {tally:?}");
    assert!(tally.wide * 100 <= cases, "{name}: wider than the bracket explains: {tally:?}");
}

#[test]
fn times_of_convex_bodies() {
    let cases = 400;
    let all = [
        ("box", shape(Geometry::Box([1.0, 0.7, 0.4]))),
        ("ball", shape(Geometry::Sphere(0.4))),
        ("capsule", shape(Geometry::Capsule { radius: 0.1, length: 1.0 })),
        (
            "hull",
            shape(Geometry::Points(
                (0..12)
                    .map(|k| {
                        let mut r = Random(k + 5);
                        r.direction()
                    })
                    .collect(),
            )),
        ),
    ];
    for (i, (one, a)) in all.iter().enumerate() {
        for (other, b) in &all[i..] {
            let name = format!("{one} and {other}");
            let tally = passes(&name, [a, b], 7 + i as u64, cases);
            representative(&name, &tally, cases);
        }
    }
}

#[test]
fn times_of_pieces() {
    let pieces = shape(Geometry::Pieces(BRACKET.iter().map(|&(low, high)| corners(low, high)).collect()));
    let ball = shape(Geometry::Sphere(0.3));
    for (name, other) in [("pieces and pieces", &pieces), ("pieces and ball", &ball)] {
        let tally = passes(name, [&pieces, other], 17, 240);
        representative(name, &tally, 240);
    }
}

#[test]
fn times_of_meshes() {
    let dir = tempfile::tempdir().expect("scratch");
    let bracket = mesh(dir.path(), "bracket.obj", &BRACKET);
    let cube = mesh(dir.path(), "cube.obj", &[([-0.5; 3], [0.5; 3])]);
    let pieces = shape(Geometry::Pieces(BRACKET.iter().map(|&(low, high)| corners(low, high)).collect()));
    let hull = shape(Geometry::Box([0.6, 0.5, 0.4]));
    for (name, a, b) in [
        ("mesh and mesh", &bracket, &bracket),
        ("cube and cube", &cube, &cube),
        ("mesh and pieces", &bracket, &pieces),
        ("mesh and hull", &bracket, &hull),
    ] {
        let tally = passes(name, [a, b], 27, 80);
        representative(name, &tally, 80);
    }
}

#[test]
fn a_cube_straight_through_an_equal_one() {
    let dir = tempfile::tempdir().expect("scratch");
    let cube = mesh(dir.path(), "cube.obj", &[([-1.0; 3], [1.0; 3])]);
    let still: Motion = ([[0.0; 3]; 2], [IDENTITY; 2]);
    let path: Motion = ([[0.0, 0.0, 4.0], [0.0, 0.0, -4.0]], [IDENTITY; 2]);
    let found = asked([&cube, &cube], [&still, &path], BetweenFrames::Linear);
    assert_eq!(found.status, IntervalStatus::Contact);
    assert!(found.lower <= -2.0 && found.lower > -2.001 && found.upper >= -2.0, "{found:?}");
    assert!(found.closest[0] <= 0.5 && found.closest[1] >= 0.5, "{found:?}");
    // They are apart but for these times.
    assert!(found.closest[0] >= 0.25 - 1e-5 && found.closest[1] <= 0.75 + 0.01, "{found:?}");
}

#[test]
fn balls_that_pass_symmetrically_are_nearest_in_the_middle() {
    let ball = shape(Geometry::Sphere(0.5));
    for (height, half) in [(1.5, 3.0), (1.0 + 1e-3, 0.2), (4.0, 40.0), (0.7, 2.0)] {
        let still: Motion = ([[0.0; 3]; 2], [IDENTITY; 2]);
        let path: Motion = ([[-half, height, 0.0], [half, height, 0.0]], [IDENTITY; 2]);
        let found = asked([&ball, &ball], [&still, &path], BetweenFrames::Linear);
        let least = height - 1.0;
        assert!(found.lower <= least && least <= found.upper && found.upper - found.lower < 1.1e-4, "{found:?}");
        // x^2 / 2 h is how much farther they are beside the middle.
        let explained = (2.0 * height * 2.0 * (found.upper - found.lower)).sqrt() / (2.0 * half);
        let [from, to] = found.closest;
        assert!(from <= 0.5 && to >= 0.5 && to - from <= 2.0 * (explained + 1.0 / 256.0) + 1e-3, "{height}: {found:?}");
    }
}

#[test]
fn while_a_pose_holds_all_times_are_of_least_distance() {
    let ball = shape(Geometry::Sphere(0.5));
    let still: Motion = ([[0.0; 3]; 2], [IDENTITY; 2]);
    let away: Motion = ([[2.0, 0.0, 0.0], [3.0, 0.0, 0.0]], [IDENTITY; 2]);
    let back: Motion = ([[3.0, 0.0, 0.0], [2.0, 0.0, 0.0]], [IDENTITY; 2]);
    assert_eq!(asked([&ball, &ball], [&still, &away], BetweenFrames::Hold).closest, [0.0, 1.0]);
    assert_eq!(asked([&ball, &ball], [&still, &back], BetweenFrames::Hold).closest, [1.0, 1.0]);
}
