//! CD-Dual against GJK in the set-up of its paper (Choi et al., section 5): two polyhedra with
//! vertices on one ellipsoid, at a distance `l` by which one has to be moved along a line until
//! they touch (negative: until they are free).
//!
//! `cargo bench --bench duality_experiments -- OUT [--quick]` prints tables and writes
//! OUT/vertices.csv (figure 8), OUT/shapes.csv (figure 9) and OUT/phases.csv (figure 10). Both
//! methods end once they know whether the bodies overlap. One thread, times in nanoseconds a query.

#![allow(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used, reason = "a program for developers")]

use clearsweep_geometry::hull::convex_hull;
use clearsweep_geometry::{Polyhedron, Pose, RelativePose, Vec3};
use clearsweep_narrow::duality::{Phase, overlap_test, overlap_test_until};
use clearsweep_narrow::gjk::{self, Simplex};
use clearsweep_narrow::pair::Pair;
use clearsweep_narrow::search::SearchEnd;
use clearsweep_narrow::{Workspace, directional_distance};
use clearsweep_scene::{Model, Piece, QueryOptions, Shape};
use clearsweep_testing::random::Random;
use std::fmt::Write as _;
use std::hint::black_box;
use std::path::PathBuf;
use std::time::Instant;

/// Sizes along the three axes; the first is that of figures 8 and 10.
const SHAPES: [[f64; 3]; 4] =
    [[200.0, 100.0, 100.0], [100.0, 100.0, 100.0], [400.0, 100.0, 100.0], [200.0, 200.0, 50.0]];

/// Vertices of each polyhedron.
const VERTICES: [usize; 4] = [20, 100, 500, 1000];

/// Distances, in the unit of the sizes.
const DISTANCES: [f64; 13] = [-80.0, -40.0, -20.0, -10.0, -4.0, -1.0, 0.0, 1.0, 4.0, 10.0, 20.0, 40.0, 80.0];

/// Degrees between a pose and the one before, for searches that remember.
const TURN: f64 = 1.0;

const OPTIONS: QueryOptions = QueryOptions::EVERYTHING;

fn body(random: &mut Random, vertices: usize, sizes: [f64; 3]) -> Shape {
    let mut point = || {
        let d = random.direction();
        Vec3::new(0.5 * d[0] * sizes[0], 0.5 * d[1] * sizes[1], 0.5 * d[2] * sizes[2])
    };
    let points: Vec<Vec3<f64>> = (0..vertices).map(|_| point()).collect();
    let core = convex_hull(&points).unwrap();
    Shape {
        model: Model::Hull,
        radius: core.radius,
        pieces: vec![Piece { core, radius: 0.0 }],
        hull: None,
        center: Vec3::ZERO,
        middle: Vec3::ZERO,
        vertices: vertices as u64,
        triangles: 0,
        watertight: None,
        fit: None,
        deviation: 0.0,
        decomposition_deviation: None,
        uneven: None,
        coordinate_step: 0.0,
        mesh: None,
        faces: Default::default(),
        tree: Default::default(),
        parts: Default::default(),
        condition: None,
    }
}

/// A pose at which two bodies touch, the direction along which they part, and the quaternion of the
/// frame before.
struct Touching {
    position: Vec3<f64>,
    away: Vec3<f64>,
    q: [f64; 4],
    before: [f64; 4],
}

/// Poses at which the bodies touch: B comes from afar towards the middle of A.
fn touching(random: &mut Random, [a, b]: [&Shape; 2], count: usize) -> Vec<Touching> {
    let mut work = Workspace::default();
    let mut found = Vec::new();
    while found.len() < count {
        let (q, turn) = (random.turn(), random.direction());
        let away = Vec3::from(random.direction());
        let far = away.scale(1_000.0);
        let pose = Pose::new(far.to_array(), q);
        let t = directional_distance(a, b, &Pose::IDENTITY, &pose, -away, &OPTIONS, &mut work).value;
        let Some(t) = t else { continue };
        let half = 0.5 * TURN.to_radians();
        let [x, y, z] = turn.map(|c| c * half.sin());
        let before = product(q, [half.cos(), x, y, z]);
        found.push(Touching { position: far - away.scale(t), away, q, before });
    }
    found
}

fn product(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    let [aw, ax, ay, az] = a;
    let [bw, bx, by, bz] = b;
    [
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    ]
}

/// Pairs at a distance, and at the pose before.
struct Cases<'a> {
    now: Vec<Pair<'a, f64>>,
    before: Vec<Pair<'a, f64>>,
}

fn cases<'a>([a, b]: [&'a Polyhedron; 2], poses: &[Touching], l: f64) -> Cases<'a> {
    let pair = |of: &Touching, q: [f64; 4]| {
        let at = of.position + of.away.scale(l);
        Pair::new(a, b, RelativePose::between(&Pose::IDENTITY, &Pose::new(at.to_array(), q)), 0.0)
    };
    Cases {
        now: poses.iter().map(|of| pair(of, of.q)).collect(),
        before: poses.iter().map(|of| pair(of, of.before)).collect(),
    }
}

/// Nanoseconds a call, the best of several rounds of all pairs.
fn time(rounds: usize, calls: usize, mut all: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..rounds {
        let start = Instant::now();
        all();
        best = best.min(start.elapsed().as_secs_f64());
    }
    best * 1e9 / calls as f64
}

/// CD-Dual cold and warm, GJK cold and warm, nanoseconds; and how often both do not say the same.
fn compare(cases: &Cases<'_>, rounds: usize) -> ([f64; 4], usize) {
    let calls = cases.now.len();
    let features: Vec<_> = cases.before.iter().map(|p| overlap_test(p, None).face.map(|face| face.features)).collect();
    let simplices: Vec<Simplex> =
        cases.before.iter().map(|p| gjk::search(p, &Simplex::default(), 0.0).simplex).collect();
    let none = Simplex::default();
    let times = [
        time(rounds, calls, || {
            cases.now.iter().for_each(|p| {
                black_box(overlap_test(p, None).end);
            })
        }),
        time(rounds, calls, || {
            cases.now.iter().zip(&features).for_each(|(p, f)| {
                black_box(overlap_test(p, *f).end);
            });
        }),
        time(rounds, calls, || {
            cases.now.iter().for_each(|p| {
                black_box(gjk::search(p, &none, 0.0).end);
            })
        }),
        time(rounds, calls, || {
            cases.now.iter().zip(&simplices).for_each(|(p, s)| {
                black_box(gjk::search(p, s, 0.0).end);
            });
        }),
    ];
    let differs = |p: &&Pair<'_, f64>| {
        let apart = |end| end == SearchEnd::Beyond;
        apart(overlap_test(p, None).end) != apart(gjk::search(p, &none, 0.0).end)
    };
    (times, cases.now.iter().filter(differs).count())
}

/// Time up to the end of each search, and what they count, on average.
fn phases(cases: &Cases<'_>, rounds: usize) -> ([f64; 3], [f64; 3], f64) {
    let calls = cases.now.len();
    let times = [Phase::FaceVertex, Phase::VertexFace, Phase::EdgeEdge].map(|last| {
        time(rounds, calls, || {
            cases.now.iter().for_each(|p| {
                black_box(overlap_test_until(p, None, last).end);
            });
        })
    });
    let mut counts = [0.0; 3];
    let mut returns = 0.0;
    for p in &cases.now {
        let found = overlap_test(p, None);
        for k in 0..3 {
            counts[k] += f64::from(found.counts[k]) / calls as f64;
        }
        returns += f64::from(found.returns) / calls as f64;
    }
    (times, counts, returns)
}

/// A row of figure 8 or 9.
fn rows(text: &mut String, name: &str, bodies: [&Shape; 2], poses: &[Touching], rounds: usize) {
    println!("\n{name}\n|      l | CD-Dual cold | CD-Dual warm | GJK cold | GJK warm | differ |");
    println!("| --- | --- | --- | --- | --- | --- |");
    for l in DISTANCES {
        let (t, differ) = compare(&cases(bodies.map(|b| &b.pieces[0].core), poses, l), rounds);
        println!("| {l:6} | {:8.0} | {:8.0} | {:8.0} | {:8.0} | {differ} |", t[0], t[1], t[2], t[3]);
        let _ = writeln!(text, "{name},{l},{:.1},{:.1},{:.1},{:.1},{differ}", t[0], t[1], t[2], t[3]);
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let quick = arguments.iter().any(|a| a == "--quick");
    let out = arguments.iter().find(|a| !a.starts_with("--")).map(PathBuf::from);
    let (orientations, rounds) = if quick { (40, 2) } else { (500, 15) };
    let mut random = Random(2005);
    let head = "case,l,dual_cold_ns,dual_warm_ns,gjk_cold_ns,gjk_warm_ns,differ\n";
    let (mut of_vertices, mut of_shapes) = (head.to_string(), head.to_string());
    let mut of_phases = "l,fv_ns,vf_ns,ee_ns,fv_faces,vf_faces,ee_pairs,returns\n".to_string();
    for n in VERTICES {
        let (a, b) = (body(&mut random, n, SHAPES[0]), body(&mut random, n, SHAPES[0]));
        let poses = touching(&mut random, [&a, &b], orientations);
        rows(&mut of_vertices, &format!("{n} vertices"), [&a, &b], &poses, rounds);
    }
    for sizes in SHAPES {
        let n = 1000;
        let (a, b) = (body(&mut random, n, sizes), body(&mut random, n, sizes));
        let poses = touching(&mut random, [&a, &b], orientations);
        let [x, y, z] = sizes;
        rows(&mut of_shapes, &format!("{x}:{y}:{z}"), [&a, &b], &poses, rounds);
        if sizes != SHAPES[0] {
            continue;
        }
        println!("\nthe three searches\n| l | FV | VF | EE | faces FV | faces VF | pairs EE | returns |");
        println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
        for l in DISTANCES {
            let (t, c, returns) = phases(&cases([&a, &b].map(|b| &b.pieces[0].core), &poses, l), rounds);
            let t = [t[0], (t[1] - t[0]).max(0.0), (t[2] - t[1]).max(0.0)];
            println!(
                "| {l} | {:.0} | {:.0} | {:.0} | {:.1} | {:.1} | {:.1} | {returns:.3} |",
                t[0], t[1], t[2], c[0], c[1], c[2]
            );
            let _ = writeln!(
                of_phases,
                "{l},{:.1},{:.1},{:.1},{:.2},{:.2},{:.2},{returns:.4}",
                t[0], t[1], t[2], c[0], c[1], c[2]
            );
        }
    }
    if let Some(out) = out {
        std::fs::create_dir_all(&out).unwrap();
        for (name, text) in [("vertices", of_vertices), ("shapes", of_shapes), ("phases", of_phases)] {
            std::fs::write(out.join(format!("{name}.csv")), text).unwrap();
        }
    }
}
