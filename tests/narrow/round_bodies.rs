//! Round bodies against closed forms, prisms and each other.

use clearsweep_geometry::{Pose, Vec3};
use clearsweep_model::{Model, QueryOptions, SampleColumn, Shape};
use clearsweep_narrow::{
    Auto, BodyPoses, FeatureKind, Method, NarrowPhase, PairCache, PairQuery, Proximity, SolverStats, Status, Workspace,
    directional_distance, query_one,
};
use clearsweep_scene::{BodyBuilder, Geometry, SceneBuilder};
use clearsweep_testing::bridge::EVERYTHING;
use clearsweep_testing::random::Random;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

fn round(text: &str) -> Arc<Shape> {
    Geometry::Shape(text.to_owned()).shape(0.0).expect("a shape")
}

fn at(position: [f64; 3], q: [f64; 4]) -> Pose {
    Pose::new(position, q)
}

const UPRIGHT: [f64; 4] = [1.0, 0.0, 0.0, 0.0];

/// A turn about x, radians.
fn tilted(angle: f64) -> [f64; 4] {
    [(0.5 * angle).cos(), (0.5 * angle).sin(), 0.0, 0.0]
}

fn asked(a: &Shape, b: &Shape, pose: &Pose) -> Proximity {
    query_one(a, b, &a.recentring().place(&Pose::IDENTITY), &b.recentring().place(pose), &EVERYTHING)
}

/// The bracket holds a value that is known to within `rounding`.
#[track_caller]
fn holds(row: &Proximity, truth: f64, rounding: f64) {
    assert!(row.lower <= truth + rounding && truth - rounding <= row.upper, "{truth} is not in {row:?}");
    assert_eq!(row.method, Method::Round);
}

fn turn(r: &mut Random) -> [f64; 4] {
    let q: [f64; 4] = std::array::from_fn(|_| r.between(-1.0, 1.0));
    let norm = q.iter().map(|c| c * c).sum::<f64>().sqrt();
    q.map(|c| c / norm)
}

#[test]
fn points_beside_solids_have_the_distance_of_a_formula() {
    let mut r = Random(5);
    let point = Geometry::Points(vec![[0.0; 3]]).shape(0.0).expect("a point");
    let cylinder = |p: Vec3<f64>| {
        let (out, up) = (p.x.hypot(p.y) - 0.4, p.z.abs() - 0.75);
        if out.max(up) > 0.0 { out.max(0.0).hypot(up.max(0.0)) } else { out.max(up) }
    };
    let torus = |p: Vec3<f64>| (p.x.hypot(p.y) - 1.0).hypot(p.z) - 0.25;
    let duct = |p: Vec3<f64>| {
        let out = p.x.hypot(p.y);
        (0.5 - out).max(out - 1.1).max(0.0).hypot((p.z.abs() - 0.2).max(0.0))
    };
    let ball_of_matrix = |p: Vec3<f64>| p.length() - 0.6;
    type Truth<'a> = &'a dyn Fn(Vec3<f64>) -> f64;
    let solids: [(&str, Arc<Shape>, Truth<'_>); 4] = [
        ("cylinder", round("{ cylinder = [0.4, 1.5] }"), &cylinder),
        ("torus", round("{ torus = [1, 0.25] }"), &torus),
        ("duct", round("{ rectangular_torus = [0.5, 1.1, 0.4] }"), &duct),
        ("ball", round("{ ellipsoid = [0.6, 0.6, 0.6] }"), &ball_of_matrix),
    ];
    for (name, solid, truth) in &solids {
        let (mut apart, mut inside) = (0, 0);
        for _ in 0..400 {
            let p = Vec3::from(std::array::from_fn(|_| r.between(-1.2, 1.2)));
            let row = asked(solid, &point, &at(p.to_array(), turn(&mut r)));
            let distance = truth(p);
            if distance > 0.0 {
                apart += 1;
                holds(&row, distance, 1e-14);
                assert!(row.upper - row.lower < 2e-6, "{name}: {row:?}");
            } else {
                inside += 1;
                assert!(row.lower <= 0.0, "{name}: {row:?}");
                if solid.only_piece().is_some() {
                    holds(&row, distance, 1e-14);
                    assert!(row.upper - row.lower < 1e-5, "{name}: {row:?}");
                }
            }
        }
        assert!(apart > 100 && inside > 10, "{name}: {apart} apart, {inside} inside");
    }
}

#[test]
fn a_prism_converges_to_its_cylinder() {
    let mut r = Random(9);
    let mut cases = 0;
    for _ in 0..40 {
        let pose = at(std::array::from_fn(|_| r.between(-1.5, 1.5)), turn(&mut r));
        let other = round("{ cone = [0.5, 0.2, 0.8], offset_xy = [0.1, 0.2], top_shear = [\"20deg\", 0] }");
        let truth = asked(&round("{ cylinder = [0.4, 1.0] }"), &other, &pose);
        for sides in [8, 32, 128, 512] {
            let prism = Geometry::Cylinder { radius: 0.4, height: 1.0, sides }.shape(0.0).expect("a prism");
            let row = asked(&prism, &other, &pose);
            // The prism lies around the cylinder, and reaches out by 1 / cos(pi / n) - 1.
            let off = 0.4 * (1.0 / (std::f64::consts::PI / f64::from(sides)).cos() - 1.0);
            assert!(row.lower <= truth.upper && truth.lower <= row.upper + off, "{sides}: {row:?} {truth:?}");
            cases += 1;
        }
    }
    assert_eq!(cases, 160);
}

#[test]
fn mitred_ends_touch_to_within_rounding() {
    for (radius, angle) in [(0.3, 22.5), (0.05, 10.0), (1.0, 45.0)] {
        let height = 3.0 * radius;
        let part = |low: f64, top: f64| {
            round(&format!(
                "{{ cone = [{radius}, {radius}, {height}], bottom_shear = [{low}, 0], top_shear = [{top}, 0] }}"
            ))
        };
        // The second one is the first turned about the common plane.
        let row = asked(&part(0.0, angle), &part(angle, 0.0), &at([0.0, 0.0, height], UPRIGHT));
        assert_eq!(row.status, Status::Touching, "{row:?}");
        assert!(row.lower.abs() < 1e-12 && row.upper.abs() < 1e-12, "{row:?}");
    }
}

/// Coaxial sleeves whose axes tilt by ever more: the depth of the answer in closed form and that of
/// the polytope agree, and no step is larger than the motion allows.
#[test]
fn a_tilt_costs_neither_truth_nor_continuity() {
    let (a, b) = (round("{ cylinder = [0.4, 1.0] }"), round("{ cylinder = [0.3, 0.6] }"));
    for position in [[0.0; 3], [0.05, 0.0, 0.1], [0.9, 0.0, 0.0]] {
        let straight = asked(&a, &b, &at(position, UPRIGHT));
        let mut steps = 0;
        for exponent in (8..=64).rev() {
            let angle = 10.0_f64.powf(-f64::from(exponent) / 4.0);
            let row = asked(&a, &b, &at(position, tilted(angle)));
            // No point of B moves by more than the angle times its reach.
            let moved = angle * 0.3_f64.hypot(0.3) + 1e-15;
            assert!(row.lower <= straight.upper + moved && straight.lower - moved <= row.upper, "{angle}: {row:?}");
            let width = (row.upper - row.lower) / (a.radius + b.radius);
            assert!(width < if row.upper < 0.0 { 2e-4 } else { 1e-9 }, "{angle}: {width} {row:?}");
            steps += 1;
        }
        assert_eq!(steps, 57);
    }
}

#[test]
fn a_matrix_is_a_map_of_the_body() {
    let mut r = Random(21);
    let mapped = |text: &str, rows: [[f64; 3]; 3]| {
        let body = BodyBuilder::new("a", Geometry::Shape(text.to_owned())).matrix(rows).fixed([0.0; 3], UPRIGHT);
        let scene = SceneBuilder::new(0.0).body(body).build().expect("a scene");
        Arc::clone(&scene.bodies[0].shape)
    };
    let scaled = |x: f64, y: f64, z: f64| [[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]];
    let pairs = [
        (mapped("{ sphere = 0.5 }", scaled(1.0, 0.5, 2.0)), round("{ ellipsoid = [0.5, 0.25, 1] }")),
        (mapped("{ cylinder = [0.5, 1] }", scaled(0.8, 0.8, 2.0)), round("{ cylinder = [0.4, 2] }")),
        (
            mapped("{ box = [1, 1, 1] }", scaled(0.8, 0.6, 2.0)),
            Geometry::Box([0.8, 0.6, 2.0]).shape(0.0).expect("a box"),
        ),
        (mapped("{ torus = [1, 0.2] }", scaled(0.5, 0.5, 0.5)), round("{ torus = [0.5, 0.1] }")),
    ];
    let probe = round("{ dish = [0.3, 0.1], kind = \"elliptical\" }");
    for (one, other) in &pairs {
        for _ in 0..60 {
            let pose = at(std::array::from_fn(|_| r.between(-2.0, 2.0)), turn(&mut r));
            let (x, y) = (asked(one, &probe, &pose), asked(other, &probe, &pose));
            assert!(x.lower <= y.upper + 1e-14 && y.lower <= x.upper + 1e-14, "{x:?} {y:?}");
        }
    }
}

/// A row is that of its pose, whatever was asked before, and from whichever body.
#[test]
fn rows_do_not_depend_on_memory() {
    let kinds = [
        "{ cylinder = [0.3, 0.8] }",
        "{ cone = [0.3, 0, 0.8] }",
        "{ ellipsoid = [0.2, 0.4, 0.3] }",
        "{ torus = [0.4, 0.1], angle = \"120deg\" }",
        "{ box = [0.4, 0.5, 0.3] }",
    ];
    let mut r = Random(33);
    let mut rows = 0;
    for a in kinds.map(round) {
        for b in kinds.map(round) {
            let mut columns: Vec<SampleColumn> = vec![SampleColumn([0.0; 64]); 10];
            for sample in 0..64 {
                let angle = 0.3 * sample as f64;
                let q = [(0.5 * angle).cos(), (0.5 * angle).sin(), 0.0, 0.0];
                let position = [1.2 - 0.15 * sample as f64, 0.1 * r.between(0.0, 1.0), 0.05];
                for (column, value) in columns.iter_mut().zip(position.into_iter().chain(q)) {
                    column.0[sample] = value;
                }
            }
            let options = QueryOptions { within: 0.5, ..EVERYTHING };
            let (pose_a, poses_b) = (Pose::IDENTITY, BodyPoses::Moving(&columns));
            let query = PairQuery { a: &a, b: &b, poses_a: BodyPoses::Fixed(&pose_a), poses_b, samples: 0x49 };
            let (mut work, mut stats, mut out) = (Workspace::default(), SolverStats::default(), Vec::new());
            Auto.walk(&query, &options, &mut PairCache::default(), &mut work, &mut stats, &mut out);
            for row in &out {
                let alone = query_one(&a, &b, &pose_a, &poses_b.at(usize::from(row.sample)), &options);
                let bits = |p: &Proximity| [p.lower, p.upper, p.distance, p.normal.x, p.point_a.z].map(f64::to_bits);
                assert_eq!(bits(row), bits(&alone), "{row:?} {alone:?}");
            }
            rows += out.len();
        }
    }
    assert!(rows > 40, "{rows} rows");
}

#[test]
fn features_name_the_side_or_the_end() {
    let (a, b) = (round("{ cylinder = [0.5, 1] }"), Geometry::Box([0.2; 3]).shape(0.0).expect("a box"));
    let beside = asked(&a, &b, &at([1.0, 0.0, 0.0], UPRIGHT));
    assert_eq!((beside.feature_kind[0], beside.feature[0]), (FeatureKind::Round, 0), "{beside:?}");
    let above = asked(&a, &b, &at([0.0, 0.0, 1.0], UPRIGHT));
    assert_eq!((above.feature_kind[0], above.feature[0]), (FeatureKind::Face, 1), "{above:?}");
    holds(&beside, 0.4, 1e-15);
    holds(&above, 0.4, 1e-15);
}

#[test]
fn lines_meet_where_a_formula_says() {
    let (a, b) = (round("{ cylinder = [0.5, 1] }"), round("{ ellipsoid = [0.25, 0.25, 0.25] }"));
    let mut work = Workspace::default();
    for offset in [0.0, 0.2, 0.6, 0.74] {
        let pose = at([2.0, offset, 0.0], UPRIGHT);
        let toward = Vec3::new(-1.0, 0.0, 0.0);
        let found = directional_distance(&a, &b, &Pose::IDENTITY, &pose, toward, &EVERYTHING, &mut work);
        let truth = 2.0 - (0.75_f64 * 0.75 - offset * offset).sqrt();
        assert!(found.lower <= truth + 1e-14 && truth - 1e-14 <= found.upper, "{offset}: {found:?} {truth}");
        assert!(found.upper - found.lower < 1e-6, "{offset}: {found:?}");
    }
}

/// An angle: two boxes with a face in common, as their surface.
const ANGLE: &str = "v 0 0 0\nv 1 0 0\nv 1 0 0.25\nv 0.25 0 0.25\nv 0.25 0 1\nv 0 0 1\n\
    v 0 1 0\nv 1 1 0\nv 1 1 0.25\nv 0.25 1 0.25\nv 0.25 1 1\nv 0 1 1\n\
    f 1 2 3 4 5 6\nf 12 11 10 9 8 7\nf 1 7 8 2\nf 2 8 9 3\nf 3 9 10 4\nf 4 10 11 5\nf 5 11 12 6\nf 6 12 7 1\n";

#[test]
fn beside_a_mesh_the_bodies_are_round_too() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("angle.obj");
    std::fs::write(&path, ANGLE).expect("written");
    let angle = |offset: f64| Geometry::file(&path, Some(Model::Mesh)).shape(offset).expect("a mesh");
    let boxes = [([1.0, 1.0, 0.25], [0.5, 0.5, 0.125]), ([0.25, 1.0, 0.75], [0.125, 0.5, 0.625])];
    let bodies = [
        ("cylinder", "{ cylinder = [0.3, 0.8] }"),
        ("cone", "{ cone = [0.4, 0.1, 0.6], offset_xy = [0.2, 0.1], top_shear = [\"20deg\", 0] }"),
        ("ellipsoid", "{ ellipsoid = [0.5, 0.3, 0.2] }"),
        ("torus", "{ torus = [0.5, 0.2], angle = \"120deg\" }"),
    ];
    let mut r = Random(31);
    let (mut apart, mut features) = (BTreeMap::new(), BTreeSet::new());
    for case in 0..400 {
        let (name, text) = bodies[case % bodies.len()];
        let grown = if case % 3 == 0 { 0.05 } else { 0.0 };
        let (mesh, body) = (angle(grown), round(text));
        // Some are aligned with the angle, and some are far from the origin.
        let q = if case % 5 == 0 { UPRIGHT } else { turn(&mut r) };
        let far = if case % 7 == 0 { 1e4 } else { 0.0 };
        let pose = at([r.between(-1.0, 2.0) + far, r.between(-1.0, 2.0), r.between(-1.0, 2.0)], q);
        let place = |shape: &Shape, pose: &Pose| shape.recentring().place(pose);
        let moved = at([far, 0.0, 0.0], UPRIGHT);
        let forth = query_one(&mesh, &body, &place(&mesh, &moved), &place(&body, &pose), &EVERYTHING);
        let back = query_one(&body, &mesh, &place(&body, &pose), &place(&mesh, &moved), &EVERYTHING);
        let truth = boxes.map(|(sides, middle)| {
            let part = Geometry::Box(sides).shape(grown).expect("a box");
            let [x, y, z] = middle;
            query_one(&part, &body, &place(&part, &at([x + far, y, z], UPRIGHT)), &place(&body, &pose), &EVERYTHING)
        });
        let [lower, upper] = [|row: &Proximity| row.lower, |row: &Proximity| row.upper]
            .map(|end| truth.iter().map(end).fold(f64::INFINITY, f64::min));
        let is_convex = name != "torus";
        if lower < 0.02 {
            continue;
        }
        *apart.entry(name).or_insert(0) += 1;
        for row in [forth, back] {
            let context = format!("{case} {name}: {row:?} {lower} {upper}");
            assert_eq!((row.method, row.status), (Method::Round, Status::Separated), "{context}");
            assert!(row.lower <= upper && lower <= row.upper, "{context}");
            assert!(row.upper - row.lower <= if is_convex { 1e-9 } else { 1e-7 } * (4.0 + far), "{context}");
            let between = (row.point_b - row.point_a).length();
            assert!((between - row.distance).abs() <= 1e-11 * (4.0 + far), "{context}");
            features.extend(row.feature_kind);
        }
        assert!((forth.distance - back.distance).abs() <= 1e-9 * (4.0 + far), "{forth:?} {back:?}");
    }
    assert!(apart.len() == bodies.len() && apart.values().all(|&count| count > 20), "{apart:?}");
    let all = [FeatureKind::Vertex, FeatureKind::Edge, FeatureKind::Face, FeatureKind::Round];
    assert!(all.iter().all(|kind| features.contains(kind)), "{features:?}");
}
