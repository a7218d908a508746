//! The contract of `undecided`: an interval is decided unless the least distance grazes what is
//! required within rounding, or the work limit is named. Random motions are asked with requirements
//! just above and just below their least distance.

#![allow(clippy::print_stderr, reason = "the shares are for whoever runs the tests")]

use crate::interval_pieces::{Motion, mesh, turned};
use clearsweep::{BodyBuilder, Geometry, Pose, SceneBuilder, Shape, Vec3};
use clearsweep_narrow::interval::{BodyMotion, IntervalMethod, IntervalOptions, IntervalProximity, interval_proximity};
use clearsweep_narrow::{SolverStats, Workspace};
use clearsweep_scene::{AnswerKind, BetweenFrames};
use clearsweep_testing::random::Random;
use std::sync::Arc;

const IDENTITY: [f64; 4] = [1.0, 0.0, 0.0, 0.0];

fn shape(geometry: Geometry) -> Arc<Shape> {
    let scene = SceneBuilder::new(1.0).body(BodyBuilder::new("a", geometry).fixed([0.0; 3], IDENTITY)).build();
    Arc::clone(&scene.expect("a scene").bodies[0].shape)
}

fn of_words(words: &str) -> Arc<Shape> {
    shape(Geometry::Shape(words.to_owned()))
}

/// A bracket of two boxes as a mesh: its hull is far from it.
fn corner(dir: &std::path::Path) -> Arc<Shape> {
    let low = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.101]];
    let high = [[1.0, 0.6, 0.1], [0.1, 0.6, 0.8]];
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    for (low, high) in low.iter().zip(&high) {
        let base = vertices.len();
        vertices.extend(
            (0..8).map(|k: usize| [0, 1, 2].map(|axis| if k >> axis & 1 == 1 { high[axis] } else { low[axis] })),
        );
        triangles.extend(faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).map(|t| t.map(|v| v + base)));
    }
    mesh(dir, &vertices, &triangles)
}

fn asked(shapes: [&Shape; 2], motions: [&Motion; 2], tolerance: f64, require: Option<f64>) -> IntervalProximity {
    let between = BetweenFrames::Linear;
    let options =
        IntervalOptions { between, within: 1e6, require, touch: 1e-6, tolerance, ..IntervalOptions::default() };
    solved(shapes, motions, &options)
}

fn solved(shapes: [&Shape; 2], motions: [&Motion; 2], options: &IntervalOptions) -> IntervalProximity {
    let of = |k: usize| {
        let (positions, q) = motions[k];
        let ends = [0, 1].map(|end| Pose::new(positions[end], q[end]).recentred(shapes[k].center));
        BodyMotion { shape: shapes[k], ends, pivot: Vec3::ZERO - shapes[k].center, fall: Vec3::ZERO, departure: 0.0 }
    };
    let (mut work, mut stats) = (Workspace::default(), SolverStats::default());
    interval_proximity(&of(0), &of(1), [None, None], options, &mut work, &mut stats).expect("near enough")
}

/// Outcomes of a kind of pair.
#[derive(Default, Debug)]
struct Tally {
    decided: usize,
    /// The work limit was named.
    limit: usize,
    /// The least distance was not found to the resolution, so nothing was asked.
    coarse: usize,
    undecided: Vec<String>,
}

/// Asks about requirements `gap` above and below the least distance, which is known to a tenth of
/// it.
fn ask(shapes: [&Shape; 2], motions: [&Motion; 2], gap: f64, tally: &mut Tally) {
    let fine = asked(shapes, motions, 0.1 * gap, None);
    if fine.upper - fine.lower > 0.2 * gap {
        tally.coarse += 1;
        return;
    }
    for (require, is_kept) in [(fine.lower - gap, true), (fine.upper + gap, false)] {
        let found = asked(shapes, motions, 1e-2, Some(require));
        let is_decided = if is_kept { found.lower >= require } else { found.upper < require };
        match (is_decided, found.method) {
            (true, _) => tally.decided += 1,
            (false, IntervalMethod::Limit) => tally.limit += 1,
            (false, _) => tally.undecided.push(format!("{gap:e} {require} {fine:?} {found:?}")),
        }
    }
}

/// Random motions of two bodies.
struct Family<'a> {
    name: &'a str,
    shapes: [&'a Shape; 2],
    cases: usize,
    /// Distances of a requirement from the least distance, metres.
    gaps: [f64; 2],
    /// Steps of a motion in turn: lengths, metres, and turns.
    fast: &'a [f64],
    turns: &'a [f64],
    /// How far the bodies are turned at the start.
    tilt: f64,
    /// How far each body is from the origin at the start, metres.
    far: [f64; 2],
}

impl Family<'_> {
    fn assert_decided(&self) {
        let Self { name, shapes, cases, .. } = *self;
        let (mut tally, mut random) = (Tally::default(), Random(77));
        for case in 0..cases {
            let (fast, turn) = (self.fast[case % self.fast.len()], self.turns[case % self.turns.len()]);
            let mut motion = |far: f64| -> Motion {
                let (start, step) = (random.in_cube(far), random.in_cube(fast));
                let q = turned(&mut random, IDENTITY, self.tilt);
                ([start, [0, 1, 2].map(|k| start[k] + step[k])], [q, turned(&mut random, q, turn)])
            };
            let (a, b) = (motion(self.far[0]), motion(self.far[1]));
            if asked(shapes, [&a, &b], 1e-3, None).lower <= 0.0 {
                continue;
            }
            for gap in self.gaps {
                ask(shapes, [&a, &b], gap, &mut tally);
            }
        }
        eprintln!("{name}: {} decided, {} at the limit, {} coarse", tally.decided, tally.limit, tally.coarse);
        assert!(tally.undecided.is_empty(), "{name}: {}: {}", tally.undecided.len(), tally.undecided[0]);
        assert!(tally.decided > cases && 20 * (tally.limit + tally.coarse) < tally.decided, "{name}: {tally:?}");
    }
}

#[test]
fn an_interval_is_decided_unless_it_grazes() {
    let dir = tempfile::tempdir().expect("scratch");
    let (cube, plate) = (of_words("{ box = [1, 1, 1] }"), of_words("{ box = [1.5, 1, 0.01] }"));
    let (pipe, ball, elbow) = (
        of_words("{ cylinder = [0.3, 1.2] }"),
        of_words("{ ellipsoid = [0.5, 0.3, 0.4] }"),
        of_words("{ torus = [0.5, 0.1], angle = \"90deg\" }"),
    );
    let mesh = corner(dir.path());
    let kinds: [(&str, [&Shape; 2], usize, f64); 6] = [
        ("convex", [&cube, &plate], 300, 1e-9),
        ("round", [&pipe, &ball], 300, 1e-8),
        ("round and convex", [&pipe, &plate], 300, 1e-8),
        ("torus", [&elbow, &pipe], 100, 1e-6),
        ("mesh and convex", [&mesh, &cube], 60, 1e-9),
        ("mesh", [&mesh, &mesh], 40, 1e-9),
    ];
    let [fast, turns] = [[0.05, 0.5, 2.0], [0.02, 0.2, 0.5]];
    for (name, shapes, cases, least) in kinds {
        let gaps = [least, 1e3 * least];
        Family { name, shapes, cases, gaps, fast: &fast, turns: &turns, tilt: 1.0, far: [0.2, 2.0] }.assert_decided();
    }
}

#[test]
fn the_hollow_of_a_torus_is_decided_as_its_outside_is() {
    let (sleeve, ring, open_ring) = (
        of_words("{ rectangular_torus = [0.4, 0.6, 0.8] }"),
        of_words("{ torus = [0.5, 0.1] }"),
        of_words("{ torus = [0.5, 0.1], angle = \"270deg\" }"),
    );
    let (rod, bead) = (of_words("{ cylinder = [0.3, 2.0] }"), of_words("{ sphere = 0.35 }"));
    let kinds: [(&str, [&Shape; 2]); 4] = [
        ("rod in a sleeve", [&sleeve, &rod]),
        ("rod in a ring", [&ring, &rod]),
        ("bead in a ring", [&open_ring, &bead]),
        ("bead in a sleeve", [&sleeve, &bead]),
    ];
    for (name, shapes) in kinds {
        let (gaps, fast, turns) = ([1e-6, 1e-3], [0.01, 0.03], [0.002, 0.02]);
        Family { name, shapes, cases: 40, gaps, fast: &fast, turns: &turns, tilt: 0.02, far: [0.01, 0.03] }
            .assert_decided();
    }
}

#[test]
fn bodies_that_stay_at_a_limit_are_left_undecided_before_the_work_limit() {
    let dir = tempfile::tempdir().expect("scratch");
    let (corner, cube, pipe) =
        (corner(dir.path()), of_words("{ box = [1, 1, 0.5] }"), of_words("{ cylinder = [0.3, 0.5] }"));
    // How far a shape reaches below its origin.
    let kinds: [(&str, &Shape, f64); 3] = [("mesh", &corner, 0.0), ("convex", &cube, 0.25), ("round", &pipe, 0.25)];
    let gap = 0.0625;
    for (a_name, a, up) in kinds {
        // A stands on its head.
        let still = ([[0.0, 0.3, 0.0]; 2], [[0.0, 1.0, 0.0, 0.0]; 2]);
        for (b_name, b, down) in kinds {
            // Between frames a round body beside a mesh is the polyhedron around it.
            let width =
                if [a_name, b_name].contains(&"mesh") && [a_name, b_name].contains(&"round") { 2e-3 } else { 1e-9 };
            for turn in [0.0_f64, 0.02, 0.5] {
                let at = |x: f64| [x, 0.1 * x, up + gap + down];
                let turned = [(0.5 * turn).cos(), 0.0, 0.0, (0.5 * turn).sin()];
                let motion = ([at(0.0), at(0.3)], [IDENTITY, turned]);
                for (require, within) in [(Some(gap), 1e6), (None, gap)] {
                    let (touch, tolerance, answer) = (1e-6, 1e-3, AnswerKind::Distance);
                    let options =
                        IntervalOptions { within, require, touch, tolerance, answer, ..IntervalOptions::default() };
                    let found = solved([a, b], [&still, &motion], &options);
                    let case = format!("{a_name} and {b_name}, turn {turn}, {require:?} {within}: {found:?}");
                    assert!(found.lower <= gap && gap <= found.upper + 1e-12, "{case}");
                    assert!(found.upper - found.lower <= width, "{case}");
                    assert!(found.method != IntervalMethod::Limit, "{case}");
                }
            }
        }
    }
}

#[test]
fn thin_bodies_beside_the_edges_of_a_mesh_are_decided() {
    let dir = tempfile::tempdir().expect("scratch");
    let mesh = corner(dir.path());
    let thin = [
        ("ball", of_words("{ sphere = 0.25 }")),
        ("capsule", of_words("{ capsule = [0.1, 0.5] }")),
        ("triangle", of_words("{ points = [[0, 0, 0], [0.5, 0, 0], [0, 0.5, 0]] }")),
        ("sheet", of_words("{ points = [[0, 0, 0], [0.5, 0, 0], [0.5, 0.5, 0], [0, 0.5, 0]] }")),
    ];
    for (name, body) in &thin {
        let (mut random, mut apart) = (Random(5), 0);
        for case in 0..400 {
            // On a lattice, and turned about an axis of the faces.
            let place = |random: &mut Random| [0; 3].map(|_| (random.below(25) as f64 - 8.0) / 8.0);
            let start = place(&mut random);
            let step = [0; 3].map(|_| [0.0, 0.0625, 0.1 * random.unit()][random.below(3)]);
            let half = 0.5 * [0.05_f64, 0.26, 0.6][random.below(3)];
            let mut turned = [half.cos(), 0.0, 0.0, 0.0];
            turned[1 + random.below(3)] = half.sin();
            let turning = ([[0.0; 3]; 2], [IDENTITY, turned]);
            let sliding = ([start, [0, 1, 2].map(|k| start[k] + step[k])], [IDENTITY; 2]);
            let found = asked([&mesh, body], [&turning, &sliding], 1e-6, None);
            let is_apart = found.lower > 0.0;
            apart += usize::from(is_apart);
            let is_narrow = found.upper - found.lower <= 1e-6;
            assert!(!is_apart || (is_narrow && found.method != IntervalMethod::Limit), "{name} {case}: {found:?}");
        }
        assert!(apart > 100, "{name}: {apart} apart");
    }
}

#[test]
fn less_work_leaves_wider_brackets_that_hold() {
    let dir = tempfile::tempdir().expect("scratch");
    let (mesh, cube, pipe) =
        (corner(dir.path()), of_words("{ box = [1, 1, 1] }"), of_words("{ cylinder = [0.3, 1.2] }"));
    let kinds: [(&str, [&Shape; 2]); 2] = [("convex", [&cube, &pipe]), ("mesh", [&mesh, &mesh])];
    for (name, shapes) in kinds {
        let (mut random, mut limited) = (Random(31), 0);
        for case in 0..100 {
            let mut motion = |far: f64| -> Motion {
                let (start, step) = (random.in_cube(far), random.in_cube(0.5));
                let q = turned(&mut random, IDENTITY, 1.0);
                ([start, [0, 1, 2].map(|k| start[k] + step[k])], [q, turned(&mut random, q, 0.5)])
            };
            let (a, b) = (motion(0.2), motion(2.0));
            let whole = asked(shapes, [&a, &b], 1e-6, None);
            let options = IntervalOptions { touch: 1e-6, tolerance: 1e-6, work: 3, ..IntervalOptions::default() };
            let part = solved(shapes, [&a, &b], &options);
            let width = |of: &IntervalProximity| of.upper - of.lower;
            assert!(part.lower <= whole.upper && whole.lower <= part.upper, "{name} {case}: {part:?} {whole:?}");
            if part.method == IntervalMethod::Limit {
                limited += 1;
                assert!(width(&part) > width(&whole), "{name} {case}: {part:?} {whole:?}");
            }
        }
        assert!(limited > 10, "{name}: {limited} at the limit");
    }
}
