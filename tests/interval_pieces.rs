//! What is proven between two samples of bodies of pieces and of triangle meshes, against distances at many times.

use clearsweep::bench_support::narrow::interval::{
    BodyMotion, IntervalMethod, IntervalOptions, IntervalProximity, IntervalStatus, interval_proximity,
};
use clearsweep::bench_support::narrow::{Routes, Workspace};
use clearsweep::bench_support::scene::BetweenFrames;
use clearsweep::{BodyBuilder, Geometry, Model, PairOptions, Pose, ProximityQuery, SceneBuilder, Shape, Vec3};
use std::fs;
use std::path::Path;
use std::sync::Arc;

const IDENTITY: [f64; 4] = [1.0, 0.0, 0.0, 0.0];

/// Boxes of a bracket: a foot, a wall, and a ledge above the foot, so that the hull is far from the body.
const BRACKET: [([f64; 3], [f64; 3]); 3] =
    [([0.0, 0.0, 0.0], [1.0, 0.6, 0.1]), ([0.0, 0.0, 0.1], [0.1, 0.6, 0.8]), ([0.1, 0.0, 0.7], [0.7, 0.6, 0.8])];

struct Random(u64);

impl Random {
    fn signed(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
    fn vector(&mut self) -> [f64; 3] {
        [self.signed(), self.signed(), self.signed()]
    }
    fn quaternion(&mut self, about: [f64; 4], size: f64) -> [f64; 4] {
        let q = about.map(|c| c + size * self.signed());
        let n = q.iter().map(|c| c * c).sum::<f64>().sqrt();
        q.map(|c| c / n)
    }
}

fn corners(low: [f64; 3], high: [f64; 3]) -> Vec<[f64; 3]> {
    (0..8).map(|k| [0, 1, 2].map(|axis| if k >> axis & 1 == 1 { high[axis] } else { low[axis] })).collect()
}

fn shape(geometry: Geometry) -> Arc<Shape> {
    let scene = SceneBuilder::new(1.0).body(BodyBuilder::new("a", geometry).fixed([0.0; 3], IDENTITY)).build();
    Arc::clone(&scene.expect("a scene").bodies[0].shape)
}

/// The bracket as pieces, and as a mesh of its boxes.
fn shapes(dir: &Path) -> [Arc<Shape>; 2] {
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
type Motion = ([[f64; 3]; 2], [[f64; 4]; 2]);

fn asked(shapes: [&Shape; 2], motions: [&Motion; 2]) -> IntervalProximity {
    let of = |k: usize| {
        let (positions, q) = motions[k];
        let ends = [0, 1].map(|end| Pose::new(positions[end], q[end]).recentred(shapes[k].center));
        BodyMotion { shape: shapes[k], ends, pivot: Vec3::ZERO - shapes[k].center }
    };
    let options =
        IntervalOptions { between: BetweenFrames::Linear, within: 1e6, require: None, touch: 1e-6, tolerance: 1e-4 };
    let (mut work, mut routes) = (Workspace::default(), Routes::default());
    interval_proximity(&of(0), &of(1), [None, None], &options, &mut work, &mut routes).expect("within a long way")
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

/// Compares random motions; returns how many are clear, in contact, undecided, and how many reach the limit.
fn compare(shapes: [&Shape; 2], seed: u64, cases: usize) -> [usize; 4] {
    let mut random = Random(seed);
    let mut counts = [0; 4];
    for case in 0..cases {
        let mut motion = |far: f64, fast: f64, turn: f64| -> Motion {
            let start = random.vector().map(|c| far * c);
            let step = random.vector().map(|c| fast * c);
            let q = random.quaternion(IDENTITY, 1.0);
            ([start, [0, 1, 2].map(|k| start[k] + step[k])], [q, random.quaternion(q, turn)])
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
