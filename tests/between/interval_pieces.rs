//! Proofs between two samples of bodies of pieces and of triangle meshes, against distances at many
//! times.

use clearsweep::{BodyBuilder, Geometry, Model, PairOptions, Pose, ProximityQuery, SceneBuilder, Shape, Vec3};
use clearsweep_narrow::interval::{
    BodyMotion, IntervalMethod, IntervalOptions, IntervalProximity, IntervalStatus, interval_proximity,
};
use clearsweep_narrow::{SolverStats, Workspace};
use clearsweep_scene::{AnswerKind, BetweenFrames};
use clearsweep_testing::random::Random;
use std::f64::consts::PI;
use std::fs;
use std::path::Path;
use std::sync::Arc;

const IDENTITY: [f64; 4] = [1.0, 0.0, 0.0, 0.0];

/// Boxes of a bracket: a foot, a wall, and a ledge above the foot, so that the hull is far from the
/// body.
const BRACKET: [([f64; 3], [f64; 3]); 3] =
    [([0.0, 0.0, 0.0], [1.0, 0.6, 0.1]), ([0.0, 0.0, 0.1], [0.1, 0.6, 0.8]), ([0.1, 0.0, 0.7], [0.7, 0.6, 0.8])];

/// A quaternion within `size` of another one along each of four axes, normalised.
pub(super) fn turned(random: &mut Random, from: [f64; 4], size: f64) -> [f64; 4] {
    let q = from.map(|c| c + size * random.signed());
    let n = q.iter().map(|c| c * c).sum::<f64>().sqrt();
    q.map(|c| c / n)
}

fn corners(low: [f64; 3], high: [f64; 3]) -> Vec<[f64; 3]> {
    (0..8).map(|k| [0, 1, 2].map(|axis| if k >> axis & 1 == 1 { high[axis] } else { low[axis] })).collect()
}

pub(super) fn shape(geometry: Geometry) -> Arc<Shape> {
    let scene = SceneBuilder::new(1.0).body(BodyBuilder::new("a", geometry).fixed([0.0; 3], IDENTITY)).build();
    Arc::clone(&scene.expect("a scene").bodies[0].shape)
}

/// The bracket as pieces, and as a mesh of its boxes.
pub(super) fn shapes(dir: &Path) -> [Arc<Shape>; 2] {
    let pieces = shape(Geometry::Pieces(BRACKET.iter().map(|&(low, high)| corners(low, high)).collect()));
    let mut text = String::new();
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    for (at, &(low, high)) in BRACKET.iter().enumerate() {
        // Boxes that share a side would be one surface that folds onto itself.
        let off = 1e-3 * at as f64;
        for [x, y, z] in corners(low, high) {
            text += &format!("v {} {} {}\n", x + off, y, z + off);
        }
        for face in faces {
            let [a, b, c, d] = face.map(|v| v + 1 + 8 * at);
            text += &format!("f {a} {b} {c}\nf {a} {c} {d}\n");
        }
    }
    let file = dir.join("bracket.obj");
    fs::write(&file, text).expect("written");
    [pieces, shape(Geometry::file(file, Some(Model::Mesh)))]
}

/// A motion of a body's own frame: positions and quaternions at both ends.
pub(super) type Motion = ([[f64; 3]; 2], [[f64; 4]; 2]);

pub(super) fn asked(shapes: [&Shape; 2], motions: [&Motion; 2]) -> IntervalProximity {
    let of = |k: usize| {
        let (positions, q) = motions[k];
        let ends = [0, 1].map(|end| Pose::new(positions[end], q[end]).recentred(shapes[k].center));
        BodyMotion { shape: shapes[k], ends, pivot: Vec3::ZERO - shapes[k].center, fall: Vec3::ZERO, departure: 0.0 }
    };
    let options = IntervalOptions {
        between: BetweenFrames::Linear,
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

pub(super) fn pose_at((p, q): &Motion, t: f64) -> Pose {
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

/// The least ends of the brackets at many times.
fn sampled(shapes: [&Shape; 2], motions: [&Motion; 2], times: usize) -> [f64; 2] {
    let mut query = ProximityQuery::new(shapes[0], shapes[1], &PairOptions::default()).expect("options");
    let mut least = [f64::INFINITY; 2];
    for k in 0..=times {
        let t = k as f64 / times as f64;
        let row = query.proximity(&pose_at(motions[0], t), &pose_at(motions[1], t)).expect("poses").expect("a row");
        least = [least[0].min(row.lower), least[1].min(row.upper)];
    }
    least
}

/// Compares random motions; returns how many are clear, in contact, undecided, and how many reach
/// the limit.
fn compare(shapes: [&Shape; 2], seed: u64, cases: usize) -> [usize; 4] {
    let mut random = Random(seed);
    let mut counts = [0; 4];
    for case in 0..cases {
        let mut motion = |far: f64, fast: f64, turn: f64| -> Motion {
            let start = random.in_cube(far);
            let step = random.in_cube(fast);
            let q = turned(&mut random, IDENTITY, 1.0);
            ([start, [0, 1, 2].map(|k| start[k] + step[k])], [q, turned(&mut random, q, turn)])
        };
        let (fast, turn) = [(0.05, 0.02), (0.5, 0.2), (2.0, 0.5)][case % 3];
        let (a, b) = (motion(0.2, 0.2 * fast, turn), motion(1.2, fast, turn));
        let found = asked(shapes, [&a, &b]);
        let times = 300;
        let [lower, upper] = sampled(shapes, [&a, &b], times);
        // Turns of up to about 70 degrees of bodies that reach 1.3 m from their origins.
        let speed = 2.0 * (3.0 * fast + 2.0 * 1.3 * 2.0 * turn);
        let between = speed / times as f64;
        let say = || format!("case {case}: {found:?}, sampled {lower} .. {upper}");
        assert!(found.lower <= upper + 1e-11, "{}", say());
        assert!(found.upper >= lower - between - 1e-11, "{}", say());
        assert!(found.status != IntervalStatus::Clear || upper > 0.0, "{}", say());
        assert!(
            upper >= -1e-9 || found.status == IntervalStatus::Contact || found.method == IntervalMethod::Limit,
            "{}",
            say()
        );
        if found.status == IntervalStatus::Clear && found.method != IntervalMethod::Limit {
            assert!(found.upper - found.lower <= 1e-4 + 1e-9, "{}", say());
        }
        counts[found.status as usize] += 1;
        counts[3] += usize::from(found.method == IntervalMethod::Limit);
    }
    counts
}

#[test]
fn bodies_of_pieces_hold_the_distances_of_all_times() {
    let dir = tempfile::tempdir().expect("scratch");
    let [pieces, _] = shapes(dir.path());
    let counts = compare([&pieces, &pieces], 5, 240);
    assert!(counts[0] > 60 && counts[1] > 60 && counts[3] < 12, "not representative: {counts:?}");
}

#[test]
fn meshes_hold_the_distances_of_all_times() {
    let dir = tempfile::tempdir().expect("scratch");
    let [pieces, mesh] = shapes(dir.path());
    let counts = compare([&mesh, &mesh], 6, 45);
    assert!(counts[0] > 8 && counts[1] > 8, "not representative: {counts:?}");
    let counts = compare([&pieces, &mesh], 7, 45);
    assert!(counts[0] > 8 && counts[1] > 8, "not representative: {counts:?}");
}

/// A triangle mesh through a file.
pub(super) fn mesh(dir: &Path, vertices: &[[f64; 3]], triangles: &[[usize; 3]]) -> Arc<Shape> {
    let mut text = String::new();
    for [x, y, z] in vertices {
        text += &format!("v {x} {y} {z}\n");
    }
    for t in triangles {
        text += &format!("f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1);
    }
    let file = dir.join("mesh.obj");
    fs::write(&file, text).expect("written");
    shape(Geometry::file(file, Some(Model::Mesh)))
}

/// A closed surface of quadrilaterals, each cut into two triangles.
fn of_quadrilaterals(dir: &Path, vertices: &[[f64; 3]], faces: &[[usize; 4]]) -> Arc<Shape> {
    let triangles: Vec<_> = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    mesh(dir, vertices, &triangles)
}

/// A box about the origin.
fn block(dir: &Path, half: [f64; 3]) -> Arc<Shape> {
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    of_quadrilaterals(dir, &corners(half.map(|c| -c), half), &faces)
}

/// A plate of 3 x 3 x 0.2 m with a hole of 1 x 1 m.
fn window(dir: &Path) -> Arc<Shape> {
    let square = |half: f64, z: f64| [[-half, -half, z], [half, -half, z], [half, half, z], [-half, half, z]];
    let vertices = [square(1.5, -0.1), square(1.5, 0.1), square(0.5, -0.1), square(0.5, 0.1)].concat();
    let faces: Vec<_> = (0..4_usize)
        .flat_map(|k| {
            let next = (k + 1) % 4;
            let outer = [k, next, 4 + next, 4 + k];
            let inner = [8 + next, 8 + k, 12 + k, 12 + next];
            [outer, inner, [4 + k, 4 + next, 12 + next, 12 + k], [next, k, 8 + k, 8 + next]]
        })
        .collect();
    of_quadrilaterals(dir, &vertices, &faces)
}

/// A ball of the radius 0.4 with bumps, of some hundred triangles.
fn bumpy(dir: &Path) -> Arc<Shape> {
    let (rows, columns) = (10, 16);
    let at = |row: usize, column: usize| 2 + (row - 1) * columns + column % columns;
    let mut vertices = vec![[0.0, 0.0, 0.4], [0.0, 0.0, -0.4]];
    for row in 1..rows {
        for column in 0..columns {
            let (t, p) = (PI * row as f64 / rows as f64, 2.0 * PI * column as f64 / columns as f64);
            let r = 0.4 + 0.02 * (4.0 * p).sin() * t.sin();
            vertices.push([r * t.sin() * p.cos(), r * t.sin() * p.sin(), r * t.cos()]);
        }
    }
    let mut triangles = Vec::new();
    for column in 0..columns {
        triangles.extend([[0, at(1, column), at(1, column + 1)], [1, at(rows - 1, column + 1), at(rows - 1, column)]]);
        for row in 1..rows - 1 {
            let [p, q, r] = [at(row, column), at(row, column + 1), at(row + 1, column)];
            triangles.extend([[p, r, at(row + 1, column + 1)], [p, at(row + 1, column + 1), q]]);
        }
    }
    mesh(dir, &vertices, &triangles)
}

pub(super) fn about(axis: usize, angle: f64) -> [f64; 4] {
    let mut q = [(0.5 * angle).cos(), 0.0, 0.0, 0.0];
    q[1 + axis] = (0.5 * angle).sin();
    q
}

/// Nothing is undecided, and no limit is reached; a clear bracket is as narrow as asked.
fn decided(found: &IntervalProximity, case: usize) {
    assert!(found.status != IntervalStatus::Undecided && found.method != IntervalMethod::Limit, "{case}: {found:?}");
    let is_narrow = found.upper - found.lower <= 1e-4 + 1e-12;
    assert!(is_narrow || found.status == IntervalStatus::Contact, "{case}: {found:?}");
}

#[test]
fn meshes_pass_a_hole_or_hit_its_rim() {
    let dir = tempfile::tempdir().expect("scratch");
    let (plate, block) = (window(dir.path()), block(dir.path(), [0.45; 3]));
    let mut random = Random(11);
    let mut counts = [0; 2];
    for case in 0..200 {
        let [x, y] = [0.07 * random.signed(), 0.07 * random.signed()];
        // The block moves by ten times its size; between contacts at the sides and at the front the
        // distance is known.
        let (start, end) = (1.0 + 4.0 * (1.0 + random.signed()), -1.0 - 4.0 * (1.0 + random.signed()));
        let still: Motion = ([[0.0; 3]; 2], [IDENTITY; 2]);
        let path: Motion = ([[x, y, start], [x, y, end]], [IDENTITY; 2]);
        let found = asked([&plate, &block], [&still, &path]);
        decided(&found, case);
        let gap = 0.05 - x.abs().max(y.abs());
        counts[usize::from(gap < 0.0)] += 1;
        if gap > 1e-6 {
            assert!(
                found.status == IntervalStatus::Clear && found.lower <= gap && found.upper >= gap,
                "{case}: {found:?}"
            );
        } else {
            let first = (start - 0.55) / (start - end);
            let [clear, contact] = found.contact;
            assert!(found.status == IntervalStatus::Contact, "{case}: {found:?}");
            assert!(
                clear <= first + 1e-12 && contact >= first - 1e-6 && contact - clear <= 2e-6,
                "{case}: {found:?} {first}"
            );
        }
    }
    assert!(counts[0] > 50 && counts[1] > 50, "not representative: {counts:?}");
}

#[test]
fn meshes_slide_within_a_millimetre() {
    let dir = tempfile::tempdir().expect("scratch");
    let (plate, block) = (window(dir.path()), block(dir.path(), [0.499; 3]));
    let mut random = Random(12);
    let mut hits = 0;
    for case in 0..60 {
        let [x, y, angle] = [1.2e-3 * random.signed(), 1.2e-3 * random.signed(), 4e-4 * random.signed()];
        let still: Motion = ([[0.0; 3]; 2], [IDENTITY; 2]);
        let q = about(2, angle);
        // Through the hole, with a gap of one millimetre at each side; and a turn about the way by
        // up to a thousandth.
        let path: Motion = ([[x, y, 5.0], [x, y, -5.0]], [about(2, -angle), q]);
        let found = asked([&plate, &block], [&still, &path]);
        decided(&found, case);
        let [lower, upper] = sampled([&plate, &block], [&still, &path], 2_000);
        assert!(found.lower <= upper + 1e-11, "{case}: {found:?}, sampled {lower} .. {upper}");
        // Within the hole, where many samples lie, nothing moves but by the turn.
        assert!(found.upper >= lower - 1e-5, "{case}: {found:?}, sampled {lower} .. {upper}");
        hits += usize::from(found.status == IntervalStatus::Contact);
    }
    assert!(hits > 10 && hits < 50, "not representative: {hits}");
}

#[test]
fn brackets_pass_around_corners_and_spin() {
    let dir = tempfile::tempdir().expect("scratch");
    let [_, mesh] = shapes(dir.path());
    let ball = bumpy(dir.path());
    let mut random = Random(13);
    let mut counts = [0; 2];
    for case in 0..160 {
        let other = [&mesh, &ball][case % 2];
        let turn = |random: &mut Random, most: f64| {
            let angle = most * random.signed();
            [turned(random, IDENTITY, 1.0), about(case % 3, angle)]
        };
        let mut motion = |at: [f64; 3], step: f64, most: f64| -> Motion {
            let [q, by] = turn(&mut random, most);
            let end = [0, 1, 2].map(|k| at[k] + step * random.signed());
            ([at, end], [q, product(by, q)])
        };
        // Spins of up to 90 degrees beside each other, where the hulls overlap.
        let a = motion([0.0; 3], 0.02, 0.5 * PI);
        let b = motion([0.9, 0.3, -0.5], 0.6, 0.5 * PI);
        let found = asked([&mesh, other], [&a, &b]);
        decided(&found, case);
        let times = 400;
        let [lower, upper] = sampled([&mesh, other], [&a, &b], times);
        let between = 0.5 * (2.0 * PI * 1.3 + 1.1) / times as f64;
        let say = || format!("{case}: {found:?}, sampled {lower} .. {upper}");
        assert!(found.lower <= upper + 1e-11 && found.upper >= lower - between, "{}", say());
        assert!(found.status == IntervalStatus::Contact || upper > 0.0, "{}", say());
        counts[usize::from(found.status == IntervalStatus::Contact)] += 1;
        if found.status == IntervalStatus::Contact && found.contact[0] > 0.0 {
            let before = sampled_until([&mesh, other], [&a, &b], found.contact[0]);
            assert!(before > 0.0, "{}: {before} before the first contact", say());
        }
    }
    assert!(counts[0] > 30 && counts[1] > 30, "not representative: {counts:?}");
}

/// The least upper end at times up to a share of the interval, which is left out.
fn sampled_until(shapes: [&Shape; 2], motions: [&Motion; 2], end: f64) -> f64 {
    let mut query = ProximityQuery::new(shapes[0], shapes[1], &PairOptions::default()).expect("options");
    let upper = |k: i32| {
        let t = end * (1.0 - 1e-9) * f64::from(k) / 100.0;
        query.proximity(&pose_at(motions[0], t), &pose_at(motions[1], t)).expect("poses").expect("a row").upper
    };
    (0..=100).map(upper).fold(f64::INFINITY, f64::min)
}

#[test]
fn meshes_that_touch_between_clear_frames_are_found() {
    let dir = tempfile::tempdir().expect("scratch");
    let (ball, plate) = (bumpy(dir.path()), block(dir.path(), [2.0, 2.0, 0.005]));
    let mut random = Random(14);
    for case in 0..100 {
        // From one side of a plate of ten millimetres to the other: both frames are clear.
        let start = [0.5 * random.signed(), 0.5 * random.signed(), 1.0 + random.signed().abs()];
        let end = [0.5 * random.signed(), 0.5 * random.signed(), -1.0 - random.signed().abs()];
        let q = turned(&mut random, IDENTITY, 1.0);
        let path: Motion = ([start, end], [q, turned(&mut random, q, 0.3)]);
        let still: Motion = ([[0.0; 3]; 2], [IDENTITY; 2]);
        let found = asked([&plate, &ball], [&still, &path]);
        decided(&found, case);
        assert!(found.status == IntervalStatus::Contact, "{case}: {found:?}");
        let [clear, contact] = found.contact;
        assert!(0.0 < clear && contact - clear <= 2e-6 && contact < 0.5 + 0.25, "{case}: {found:?}");
        assert!(sampled_until([&plate, &ball], [&still, &path], clear) > 0.0, "{case}: {found:?}");
    }
}

pub(super) fn product(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    [
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    ]
}
