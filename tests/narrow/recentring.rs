//! Bodies far from their own origins: a bracket holds the distance of the bodies that the input
//! names, whatever frame the engine works in.
//!
//! Random pairs are asked of the engine and of an oracle in exact arithmetic that recentres
//! nothing. `CLEARSWEEP_RECENTRING=33000` asks for more of them.

#![allow(clippy::print_stderr)] // the statistics are for whoever runs the tests
#![allow(dead_code, missing_docs, unreachable_pub)]

mod cases;
mod oracle;

use crate::exact::{Exact, Root};
use cases::Case;
use clearsweep::{PairOptions, Pose, Proximity, ProximityQuery, Status};
use clearsweep_engine::Job;
use clearsweep_scene::{Geometry, SceneOverrides, Shape};
use clearsweep_tables::ParquetTables;
use clearsweep_testing::random::Random;
use oracle::{Body, Place, signed_distance};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// Pairs that are asked where the environment does not say.
const CASES: usize = 3_000;

fn asked() -> usize {
    std::env::var("CLEARSWEEP_RECENTRING").map_or(CASES, |n| n.parse().expect("CLEARSWEEP_RECENTRING is a number"))
}

fn shape(body: &Body) -> Arc<Shape> {
    Geometry::Points(body.vertices.clone()).shape(body.growth).expect("a shape")
}

fn pose(place: &Place) -> Pose {
    Pose::new(place.position, place.q)
}

fn answer(shapes: [&Shape; 2], places: &[Place; 2]) -> Proximity {
    let options = PairOptions { touch: 0.0, ..PairOptions::default() };
    let mut query = ProximityQuery::new(shapes[0], shapes[1], &options).expect("options");
    query.proximity(&pose(&places[0]), &pose(&places[1])).expect("poses").expect("an answer at any distance")
}

/// Half the diagonal of the box around a body, growth included, metres.
fn half(body: &Body) -> f64 {
    let side = |k: usize| {
        let ends =
            body.vertices.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (v[k].min(l), v[k].max(h)));
        ends.1 - ends.0
    };
    0.5 * (0..3).map(|k| side(k) * side(k)).sum::<f64>().sqrt() + body.growth
}

/// Finds the fault of a row, if any.
fn fault(case: &Case, row: &Proximity, truth: &Root) -> Option<String> {
    let [a, b] = &case.bodies;
    let growth = Exact::of(a.growth).add(&Exact::of(b.growth));
    let against = |end: f64| truth.compare_with(&Exact::of(end).add(&growth));
    if !(row.lower.is_finite() && row.upper.is_finite()) {
        return Some("it has no bracket".into());
    }
    if against(row.lower).is_lt() || against(row.upper).is_gt() {
        return Some(format!("the bracket misses {:e} m", truth.value() - a.growth - b.growth));
    }
    let expected = match () {
        () if row.lower > 0.0 => Status::Separated,
        () if row.upper < 0.0 => Status::Penetrating,
        () => Status::Touching,
    };
    if row.status != expected {
        return Some(format!("its status should be {expected:?}"));
    }
    // Without recentring the bracket would be as wide as the offset is long.
    let size = 20.0 * (half(a) + half(b)) + row.distance.abs();
    (row.upper - row.lower > 1e-12 * size).then(|| format!("the bracket is {:e} m wide", row.upper - row.lower))
}

#[test]
fn brackets_hold_the_distance_of_the_input() {
    let count = asked();
    let mut wrong: BTreeMap<&str, usize> = BTreeMap::new();
    let mut methods: BTreeMap<String, usize> = BTreeMap::new();
    let (mut signs, mut recentred, mut shown) = ([0_usize; 3], 0, 0);
    for number in 0..count {
        let case = cases::case(number);
        let shapes = case.bodies.each_ref().map(shape);
        let row = answer(shapes.each_ref().map(AsRef::as_ref), &case.places);
        let [a, b] = &case.bodies;
        let truth = signed_distance(a, &case.places[0], b, &case.places[1]);
        let growth = Exact::of(a.growth).add(&Exact::of(b.growth));
        signs[(truth.compare_with(&growth) as i8 + 1) as usize] += 1;
        recentred += usize::from(shapes.iter().any(|s| s.center.to_array() != [0.0; 3]));
        *methods.entry(format!("{:?}", row.method)).or_default() += 1;
        if let Some(fault) = fault(&case, &row, &truth) {
            *wrong.entry(case.kind).or_default() += 1;
            shown += 1;
            if shown <= 5 {
                eprintln!("case {number}, {}: {fault}\n  {case:?}\n  {row:?}", case.kind);
            }
        }
    }
    eprintln!("{count} pairs: overlap, touch, apart {signs:?}; recentred {recentred}; {methods:?}");
    assert!(wrong.is_empty(), "of {count}: {wrong:?}");
    assert!(signs.iter().all(|&n| n > count / 10), "not representative: {signs:?}");
    assert!(recentred > count / 2, "not representative: {recentred}");
}

/// The keys of a body that is a box, written as an OBJ file.
fn box_file(path: &Path, low: [f64; 3], high: [f64; 3]) -> String {
    let body = cases::cuboid(low, high);
    let mut text = String::new();
    for [x, y, z] in &body.vertices {
        text += &format!("v {x:?} {y:?} {z:?}\n");
    }
    for [a, b, c] in &body.triangles {
        text += &format!("f {} {} {}\n", a + 1, b + 1, c + 1);
    }
    fs::write(path, text).expect("a file");
    format!("geometry = {:?}", path.display().to_string())
}

/// Runs a scene of two bodies at one pose, all of whose common points lie on their surfaces, with
/// `require = 0`.
fn keep_a_requirement_of_zero(dir: &Path, bodies: [&str; 2], turn: &str) {
    let body = |name: &str, keys: &str| {
        format!(
            "[[body]]\nname = \"{name}\"\nstatic = true\n{keys}\nposition = [0.3, -7.1, 1e3]\norientation = {{ {turn} }}\n"
        )
    };
    let head = "[scene]\nlength_unit = \"m\"\n[query]\nwithin = 1\nrequire = 0\ntouch = 0\nstatic_pairs = true\n";
    let path = dir.join("scene.toml");
    fs::write(&path, format!("{head}{}{}", body("a", bodies[0]), body("b", bodies[1]))).expect("a file");
    let scene = clearsweep_scene::load_scene(&path, &SceneOverrides::default()).expect("a scene");
    assert!(scene.bodies.iter().all(|body| body.shape.center.x > 5e3), "recentred");
    let out = tempfile::tempdir().expect("scratch");
    let outcome = Job::new(&scene).run(&mut ParquetTables::new(out.path().join("o"))).expect("a run");
    let totals = &outcome.totals;
    assert!(!outcome.is_violated() && !outcome.is_uncertified(), "{turn}, {}: {totals:?}", bodies[0]);
    assert_eq!((totals.rows, totals.by_status[1]), (1, 1), "{turn}, {}", bodies[0]);
}

#[test]
fn bodies_that_share_a_face_or_a_corner_keep_a_requirement_of_zero() {
    let half = 0.5_f64.sqrt();
    let turns = [
        "qw = 1, qx = 0, qy = 0, qz = 0".to_owned(),
        "qw = 0.5, qx = 0.5, qy = 0.5, qz = 0.5".to_owned(),
        format!("qw = {half:?}, qx = 0, qy = 0, qz = {half:?}"),
        "qw = 0.8, qx = 0.36, qy = 0, qz = 0.48".to_owned(),
    ];
    let dir = tempfile::tempdir().expect("scratch");
    // The face y = 0.1, the corner (9480, -0.2, 0): 0.1 less a centre such as 0.4375 is no `f64`.
    let boxes = [
        box_file(&dir.path().join("a.obj"), [5e5, -0.5, 1.3], [5e5 + 0.7, 0.1, 2.3]),
        box_file(&dir.path().join("b.obj"), [5e5, 0.1, 1.3], [5e5 + 0.9, 0.9, 2.1]),
    ];
    let tetrahedra = [
        "shape = { points = [[9480, -0.2, 0], [9480.8, -1.2, -0.5], [9480.4, -1.0, 0.7], [9479.9, -0.7, -0.8]] }",
        "shape = { points = [[9480, -0.2, 0], [9479.6, 0.5, 0.1], [9480, 0.6, -0.5], [9479.3, 0.6, 0.2]] }",
    ];
    for turn in &turns {
        keep_a_requirement_of_zero(dir.path(), boxes.each_ref().map(String::as_str), turn);
        keep_a_requirement_of_zero(dir.path(), tetrahedra, turn);
    }
}

/// Poses in code may have a rest, which recentring rounds once more.
#[test]
fn bodies_at_one_pose_with_a_rest_share_their_face() {
    let shapes = [
        shape(&cases::cuboid([5e5, -0.5, 1.3], [5e5 + 0.7, 0.1, 2.3])),
        shape(&cases::cuboid([5e5 - 0.3, 0.1, 1.3], [5e5 + 900.0, 700.0, 2.1])),
    ];
    let options = PairOptions { touch: 0.0, ..PairOptions::default() };
    let mut query = ProximityQuery::new(&shapes[0], &shapes[1], &options).expect("options");
    let mut random = Random(4);
    for _ in 0..500 {
        let mut pose = Pose::new([0; 3].map(|_| random.between(-1.0, 1.0)), [1.0, 0.0, 0.0, 0.0]);
        pose.rest = [0; 3].map(|_| random.between(-1e-17, 1e-17)).into();
        let row = query.proximity(&pose, &pose).expect("poses").expect("a row");
        assert!(row.lower <= 0.0 && row.upper >= 0.0 && row.status == Status::Touching, "{pose:?}: {row:?}");
    }
}

/// If the last place of a position is longer than the body, nobody can tell how far a recentred
/// body is.
#[test]
fn rows_of_recentred_bodies_beyond_all_measure_are_uncertified() {
    let far = cases::cuboid([1.0, -0.1, 0.2], [1.001, -0.099, 0.201]);
    let near = cases::cuboid([-0.5; 3], [0.5; 3]);
    let shapes = [&far, &near].map(shape);
    let refs = shapes.each_ref().map(AsRef::as_ref);
    for (x, is_certified) in [(1e3, true), (1e12, true), (1e14, false), (1e18, false)] {
        let place = Place { position: [x, 0.0, 0.0], q: [0.8, 0.36, 0.0, 0.48] };
        let row = answer(refs, &[place; 2]);
        assert_eq!(row.status != Status::Uncertified, is_certified, "{x:e}: {row:?}");
    }
    // Nor does a point have a size, but positions to 10^9 m tell it apart.
    for at in [[0.3, 0.0, -7.0], [6e-17, 0.0, 0.0], [0.0, 1e6, 1e-3]] {
        let point = Geometry::Points(vec![at]).shape(0.0).expect("a point");
        assert_eq!(point.center.to_array(), at, "recentred");
        for (x, is_certified) in [(0.0, true), (200.0, true), (9e8, true), (1e11, false)] {
            let place = Place { position: [x, 0.0, 0.0], q: [0.8, 0.36, 0.0, 0.48] };
            let row = answer([&*point, refs[1]], &[place; 2]);
            assert_eq!(row.status != Status::Uncertified, is_certified, "{at:?} at {x:e}: {row:?}");
        }
    }
    let row = answer([refs[1]; 2], &[Place { position: [1e18, 0.0, 0.0], q: [1.0, 0.0, 0.0, 0.0] }; 2]);
    assert!(row.status == Status::Penetrating && row.distance == -1.0, "not recentred: {row:?}");
}
