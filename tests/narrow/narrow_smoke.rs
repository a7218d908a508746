//! First answers: closed forms.
#![allow(clippy::print_stderr)] // the answers are for whoever runs the tests
use clearsweep_geometry::hull::convex_hull;
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_narrow::{Proximity, Status, query_one};
use clearsweep_scene::{Model, Piece, QueryOptions, Shape};

fn shape(points: &[Vec3<f64>], radius: f64) -> Shape {
    let core = convex_hull(points).expect("points are finite");
    let r = core.radius + radius;
    Shape {
        model: Model::Hull,
        pieces: vec![Piece { core, radius }],
        hull: None,
        center: Vec3::ZERO,
        middle: Vec3::ZERO,
        radius: r,
        vertices: 0,
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
fn cuboid(x: f64, y: f64, z: f64) -> Shape {
    let mut p = vec![];
    for i in 0..8 {
        let s = |b: i32| if i >> b & 1 == 1 { 0.5 } else { -0.5 };
        p.push(Vec3::new(s(0) * x, s(1) * y, s(2) * z));
    }
    shape(&p, 0.0)
}
const OPTIONS: QueryOptions = QueryOptions { within: 1.0, ..QueryOptions::EVERYTHING };
fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::new([x, y, z], [1.0, 0.0, 0.0, 0.0])
}
fn show(name: &str, p: &Proximity) {
    eprintln!(
        "{name}: d={:?} [{:e}] {:?} {:?} {:?}{:?} n={:?} a={:?}",
        p.distance,
        p.upper - p.lower,
        p.status,
        p.method,
        p.feature_kind,
        p.feature,
        p.normal.to_array(),
        p.point_a.to_array()
    );
}

#[test]
fn boxes() {
    let c = cuboid(1.0, 1.0, 1.0);
    for (name, pose, d) in [
        ("apart", at(2.0, 0.25, 0.125), 1.0),
        ("touch", at(1.0, 0.25, 0.125), 0.0),
        ("overlap", at(0.9, 0.25, 0.125), -0.1),
        ("coincident", at(0.0, 0.0, 0.0), -1.0),
        ("corner", at(2.0, 2.0, 2.0), 3f64.sqrt()),
        ("edge", at(2.0, 2.0, 0.5), 2f64.sqrt()),
    ] {
        let p = query_one(&c, &c, &Pose::IDENTITY, &pose, &OPTIONS);
        show(name, &p);
        assert_ne!(p.status, Status::Uncertified);
        assert!((p.distance - d).abs() < 1e-14, "{name}");
        assert!(p.lower <= d + 1e-15 && d <= p.upper + 1e-15 && p.upper - p.lower < 1e-12 * 4.0);
    }
    let ball = shape(&[Vec3::ZERO], 0.5);
    for (name, pose, d) in [
        ("balls apart", at(2.0, 0.0, 0.0), 1.0),
        ("balls same", at(0.0, 0.0, 0.0), -1.0),
        ("balls in", at(0.25, 0.0, 0.0), -0.75),
    ] {
        let p = query_one(&ball, &ball, &Pose::IDENTITY, &pose, &OPTIONS);
        show(name, &p);
        assert!((p.distance - d).abs() < 1e-14, "{name}");
        assert!(p.lower <= d + 1e-15 && d <= p.upper + 1e-15);
    }
    let rod = shape(&[Vec3::new(0.0, 0.0, -0.5), Vec3::new(0.0, 0.0, 0.5)], 0.1);
    for (name, pose, d) in [
        ("rods same", at(0.0, 0.0, 0.25), -0.2),
        ("rods end", at(0.0, 0.0, 1.5), 0.3),
        ("rods side", at(0.5, 0.0, 0.0), 0.3),
    ] {
        let p = query_one(&rod, &rod, &Pose::IDENTITY, &pose, &OPTIONS);
        show(name, &p);
        assert!((p.distance - d).abs() < 1e-14, "{name}");
        assert!(p.lower <= d + 1e-15 && d <= p.upper + 1e-15);
    }
    let p = query_one(&c, &ball, &Pose::IDENTITY, &at(0.1, 0.2, 0.3), &OPTIONS);
    show("ball in box", &p);
    assert!((p.distance + 0.7).abs() < 1e-14);
    let flat = shape(&[Vec3::new(0.0, 0.0, 0.0), Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0)], 0.0);
    let p = query_one(&flat, &flat, &Pose::IDENTITY, &at(0.1, 0.1, 0.0), &OPTIONS);
    show("coplanar triangles", &p);
    assert!(p.distance.abs() < 1e-14);
    let p = query_one(&flat, &flat, &Pose::IDENTITY, &at(0.1, 0.1, 0.5), &OPTIONS);
    show("parallel triangles", &p);
    assert!((p.distance - 0.5).abs() < 1e-14);
}
