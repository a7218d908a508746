//! Large inputs; times are reported, not asserted.
#![allow(clippy::print_stderr)] // the report

#[allow(
    clippy::disallowed_methods,
    unreachable_pub,
    reason = "shared with the crate of fixtures, which this one cannot use"
)]
#[path = "../../../../testing/src/data.rs"]
mod data;

use super::{Point, Random, checked_hull, p};
use crate::polyhedron::Polyhedron;
use data::data;
use std::path::Path;
use std::time::Instant;

fn timed(name: &str, points: &[Point]) -> Polyhedron {
    let start = Instant::now();
    let hull = super::convex_hull(points).expect("these points have a hull");
    let took = start.elapsed();
    eprintln!("{name}: {} points, {} vertices, {} faces, {took:?}", points.len(), hull.count, hull.face_count());
    super::layout::check(&hull, points);
    hull
}

#[test]
fn ten_thousand_points_on_a_sphere() {
    let mut random = Random(8);
    let points: Vec<Point> = (0..10_000).map(|_| random.on_sphere()).collect();
    let hull = timed("sphere", &points);
    assert!(hull.count > 9_990 && hull.face_count() > 19_900);
}

#[test]
fn a_million_points_in_a_cube() {
    let mut random = Random(9);
    let points: Vec<Point> = (0..1_000_000).map(|_| random.in_cube()).collect();
    let hull = timed("cube", &points);
    assert!((100..2_000).contains(&hull.count));
    let largest = points.iter().fold(f64::NEG_INFINITY, |m, q| m.max(q.x));
    assert!((0..hull.count).any(|v| hull.x[v] == largest));
}

#[test]
fn every_point_three_times_in_any_order() {
    let mut random = Random(12);
    let mut points: Vec<Point> = (0..3_000).map(|_| random.on_sphere()).collect();
    points.extend_from_within(..);
    points.extend_from_within(..3_000);
    for i in (1..points.len()).rev() {
        points.swap(i, random.below(i as u64 + 1) as usize);
    }
    assert_eq!(timed("triple sphere", &points).count, 3_000);
}

#[test]
fn many_coplanar_points() {
    let points: Vec<Point> =
        (0..64_000_u32).map(|i| p(f64::from(i % 40), f64::from(i / 40 % 40), f64::from(i / 1600))).collect();
    assert_eq!(timed("grid", &points).count, 8);
    // Two discs full of points, each in its plane.
    let mut random = Random(10);
    let mut disc = |z: f64| -> Vec<Point> {
        (0..50_000).map(|_| random.in_cube()).filter(|q| q.x * q.x + q.y * q.y < 1.0).map(|q| p(q.x, q.y, z)).collect()
    };
    let points = [disc(-1.0), disc(1.0)].concat();
    let hull = timed("discs", &points);
    let polygons = (0..hull.face_count() as u32).filter(|f| hull.face(*f).len() > 50).count();
    assert_eq!(polygons, 2);
    // A cylinder of 64 sides with 1,000 rings of points along them.
    let points: Vec<Point> = (0..64_000_u32)
        .map(|i| (std::f64::consts::TAU * f64::from(i % 64) / 64.0, f64::from(i / 64)))
        .map(|(angle, z)| p(libm::cos(angle), libm::sin(angle), z * 0.01))
        .collect();
    let hull = timed("cylinder", &points);
    assert_eq!((hull.count, hull.face_count()), (128, 66));
    // A parabola's points: every one is a vertex.
    let points: Vec<Point> = (0..20_000_u32).map(|i| p(f64::from(i), f64::from(i).powi(2), 1.0)).collect();
    assert_eq!(timed("polygon", &points).count, 20_000);
}

#[test]
#[ignore = "seconds: for reading the times"]
fn times_of_awkward_inputs() {
    let mut random = Random(11);
    let points: Vec<Point> = (0..1_000_000).map(|_| random.on_sphere()).collect();
    timed("sphere", &points);
    let points: Vec<Point> = (0..100_000).map(|_| random.on_sphere()).map(|q| p(q.x, q.y, 1e-9 * q.z)).collect();
    timed("pancake", &points);
    let points: Vec<Point> = (1..=20_000).map(|i| f64::from(i) / 2e4).map(|t| p(t, t * t, t * t * t)).collect();
    timed("moment curve", &points);
    let mut points: Vec<Point> = (0..20_000)
        .map(|i| std::f64::consts::TAU * f64::from(i) / 2e4)
        .map(|t| p(libm::cos(t), libm::sin(t), 0.0))
        .collect();
    points.push(p(0.0, 0.0, 1.0));
    timed("cone", &points);
    points.extend_from_within(..20_000);
    points[20_001..].iter_mut().for_each(|q| q.z = 1.0);
    timed("cylinder", &points);
    let points: Vec<Point> =
        (0..1_000_000_u32).map(|i| p(f64::from(i % 100), f64::from(i / 100 % 100), f64::from(i / 10_000))).collect();
    timed("grid", &points);
    let points: Vec<Point> = (0..1_000_000).map(|_| p(random.unit(), random.unit(), 0.5)).collect();
    timed("plane", &points);
}

#[test]
fn a_paraboloid_over_a_grid() {
    // Integers: every cell of the grid is exactly flat, so all faces but the lid are
    // quadrilaterals.
    let points: Vec<Point> = (0..10_000_u32)
        .map(|i| (f64::from(i % 100) - 50.0, f64::from(i / 100) - 50.0))
        .map(|(x, y)| p(x, y, x * x + y * y))
        .collect();
    let hull = timed("paraboloid", &points);
    assert_eq!(hull.count, 10_000);
    let cells = (0..hull.face_count() as u32).filter(|f| hull.face(*f).len() == 4).count();
    assert!(cells >= 99 * 99, "{cells}");
}

/// The corners of a binary STL file's triangles.
fn stl_corners(path: &Path) -> Vec<Point> {
    let bytes = std::fs::read(path).expect("readable");
    let float = |at: usize| f64::from(f32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes")));
    let count = u32::from_le_bytes(bytes[80..84].try_into().expect("four bytes")) as usize;
    assert_eq!(bytes.len(), 84 + 50 * count);
    let corner = |i: usize| 84 + 50 * (i / 3) + 12 + 12 * (i % 3);
    (0..3 * count).map(|i| p(float(corner(i)), float(corner(i) + 4), float(corner(i) + 8))).collect()
}

#[test]
fn links_of_a_robot() {
    let Some(folder) = data("fetch_links") else { return };
    let entries = std::fs::read_dir(folder).expect("a readable folder");
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "stl"));
    paths.sort();
    assert!(paths.len() >= 15);
    for path in paths {
        let points = stl_corners(&path);
        let hull = timed(&path.file_name().unwrap_or_default().to_string_lossy(), &points);
        assert_eq!(hull.dimension, 3);
        // The hull of the hull is the hull.
        let vertices: Vec<Point> = (0..hull.count as u32).map(|v| hull.vertex(v)).collect();
        let again = checked_hull(&vertices);
        assert_eq!((&again.edges, &again.face_vertices), (&hull.edges, &hull.face_vertices));
        assert_eq!((&again.normals, again.radius, again.mean), (&hull.normals, hull.radius, hull.mean));
    }
}
