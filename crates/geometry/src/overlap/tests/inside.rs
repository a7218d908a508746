//! One body inside of another, against the heights of vertices over planes and against formulas.

use super::others::torus;
use super::*;

const BUDGET: usize = 4096;

fn inside(inner: Solid<'_>, outer: Solid<'_>, poses: [&Pose; 2]) -> bool {
    is_inside(inner, outer, poses[0], poses[1], BUDGET)
}

#[test]
fn a_polytope_is_in_another_if_all_of_its_corners_are() {
    let mut random = Random(17);
    let (mut held, mut crossing, mut undecided) = (0, 0, 0);
    for round in 0..300 {
        let (small, large) = (random.ball(12, 0.4), random.ball(40, 1.0));
        let far = if round % 3 == 0 { v(1e6, -2e5, 7.0) } else { Vec3::ZERO };
        let poses = [random.pose(0.6), random.pose(0.1)].map(|pose| Pose { position: pose.position + far, ..pose });
        let norm = |q: [f64; 4]| q.map(|c| c / q.iter().map(|c| c * c).sum::<f64>().sqrt());
        let poses = poses.map(|pose| Pose { q: norm(pose.q), ..pose });
        let corner = |i: u32| {
            let r = rotation(poses[0].q);
            let p = small.vertex(i);
            in_body(&poses[1], v(r[0].dot(p), r[1].dot(p), r[2].dot(p)) + poses[0].position)
        };
        let height = |p: Vec3<f64>| {
            let over = |(f, n): (u32, &Vec3<f64>)| n.dot(p - large.vertex(large.face(f)[0]));
            (0..).zip(&large.normals).map(over).fold(f64::NEG_INFINITY, f64::max)
        };
        let highest = (0..small.count as u32).map(|i| height(corner(i))).fold(f64::NEG_INFINITY, f64::max);
        let found = inside(Solid::Pieces(&[(&small, 0.0)]), Solid::Pieces(&[(&large, 0.0)]), [&poses[0], &poses[1]]);
        let as_mesh = mesh_of(&large);
        let by_mesh = inside(Solid::Pieces(&[(&small, 0.0)]), Solid::Mesh(&as_mesh), [&poses[0], &poses[1]]);
        assert!(highest <= 1e-6 || !(found || by_mesh), "{highest}");
        // A body that is a twentieth deep is found.
        assert!(highest > -0.05 || (found && by_mesh), "{highest}");
        held += usize::from(highest < -0.05);
        crossing += usize::from(highest > 0.0);
        undecided += usize::from(highest <= 0.0 && !found);
    }
    assert!(held > 30 && crossing > 30 && undecided < 60, "{held} {crossing} {undecided}");
}

#[test]
fn radii_count_and_a_hole_is_outside() {
    let (point, ring) = (convex_hull(&[Vec3::ZERO]).expect("a point"), torus(48, 24));
    let sphere = |radius: f64| [(&point, radius)];
    let origin = at(0.0, 0.0, 0.0);
    assert!(inside(Solid::Pieces(&sphere(0.5)), Solid::Pieces(&sphere(1.0)), [&at(0.4, 0.0, 0.0), &origin]));
    assert!(!inside(Solid::Pieces(&sphere(0.5)), Solid::Pieces(&sphere(1.0)), [&at(0.6, 0.0, 0.0), &origin]));
    assert!(!inside(Solid::Pieces(&sphere(1.0)), Solid::Pieces(&sphere(0.5)), [&origin, &origin]));
    // In the tube, in the hole, and through the wall of the tube.
    for (x, radius, expected) in [(1.0, 0.3, true), (0.0, 0.3, false), (1.3, 0.2, false), (1.0, 0.45, false)] {
        let found = inside(Solid::Pieces(&sphere(radius)), Solid::Mesh(&ring), [&at(x, 0.0, 0.0), &origin]);
        assert_eq!(found, expected, "{x} {radius}");
    }
    let cube = cube(0.2);
    let small = mesh_of(&cube);
    assert!(inside(Solid::Mesh(&small), Solid::Mesh(&ring), [&at(0.0, 1.0, 0.0), &origin]));
    assert!(!inside(Solid::Mesh(&ring), Solid::Mesh(&small), [&origin, &origin]));
    assert!(!inside(Solid::Mesh(&small), Solid::Mesh(&small), [&origin, &origin]), "nothing is proven of equal ones");
    let nowhere = at(f64::NAN, 0.0, 0.0);
    assert!(!inside(Solid::Pieces(&sphere(0.1)), Solid::Pieces(&sphere(1.0)), [&nowhere, &origin]));
}
