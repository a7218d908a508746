//! Bodies that touch, hold each other, are apart or flat; and poses that are no poses.

use super::*;
use crate::mesh::InsideOf;
use std::f64::consts::PI;

fn tilted(position: Vec3<f64>) -> Pose {
    Pose { position, rest: Vec3::ZERO, q: [0.3, -0.1, 0.8, 0.5] }
}

#[test]
fn bodies_that_touch_have_next_to_no_volume() {
    let a = cube(0.5);
    // By a face, an edge and a corner.
    for by in [v(1.0, 0.0, 0.0), v(1.0, 0.3, 0.0), v(1.0, 1.0, 0.2), v(1.0, 1.0, 1.0)] {
        for position in [Vec3::ZERO, v(1e6, -1e6, 3.0)] {
            let pose = tilted(position);
            let r = rotation(pose.q);
            let moved = v(r[0].dot(by), r[1].dot(by), r[2].dot(by));
            let other = Pose { position: position + moved, ..pose };
            let found = of_two(&a, &a, &[pose, other]);
            // A position of 1e6 m is rounded to 1e-10 m, so that they may be apart.
            assert!(found.volume[0] >= 0.0 && found.volume[1] < 2e-10, "{found:?}");
            let exact = of_two(&a, &a, &[at(0.0, 0.0, 0.0), at(by.x, by.y, by.z)]);
            assert!(exact.bounds.is_some() && exact.volume[0] == 0.0 && exact.volume[1] < 1e-11, "{exact:?}");
        }
    }
}

#[test]
fn a_body_inside_of_another_has_its_own_volume() {
    let (small, big) = (cube(0.25), cube(2.0));
    let (pose, other) = (tilted(v(7.0, 8.0, 9.0)), Pose::new([7.0, 8.0, 9.0], [1.0, 0.2, 0.3, 0.4]));
    for found in [of_two(&small, &big, &[pose, other]), of_two(&big, &small, &[other, pose])] {
        assert!(found.volume[0] <= 0.125 && 0.125 <= found.volume[1], "{found:?}");
        assert!(found.volume[1] - found.volume[0] < 1e-10 * 0.125, "{found:?}");
    }
}

#[test]
fn bodies_that_are_apart_have_no_box() {
    let a = cube(0.5);
    let mesh = mesh_of(&a);
    let pieces = [(&a, 0.0)];
    // The edges of two cubes that are turned by 45 degrees about different axes cross at a
    // distance.
    let root = 0.5_f64.sqrt();
    let turned = |axis: usize| {
        let mut q = [(PI / 8.0).cos(), 0.0, 0.0, 0.0];
        q[axis] = (PI / 8.0).sin();
        q
    };
    for gap in [1e-9, 1e-3, 0.5] {
        let poses = [Pose::new([0.0; 3], turned(3)), Pose::new([2.0 * root + gap, 0.0, 0.0], turned(2))];
        let none = Overlap { bounds: None, volume: [0.0; 2] };
        assert_eq!(of_two(&a, &a, &poses), none, "{gap}");
        for [one, two] in [[Solid::Mesh(&mesh), Solid::Pieces(&pieces)], [Solid::Mesh(&mesh), Solid::Mesh(&mesh)]] {
            assert_eq!(overlap(one, two, &poses[0], &poses[1], 4096), none, "{gap}");
        }
        let grown = [(&a, 0.4 * gap)];
        assert_eq!(overlap(Solid::Pieces(&grown), Solid::Pieces(&grown), &poses[0], &poses[1], 64), none, "{gap}");
        let beyond = [(&a, 0.6 * gap)];
        assert!(overlap(Solid::Pieces(&beyond), Solid::Pieces(&beyond), &poses[0], &poses[1], 64).bounds.is_some());
    }
    assert_eq!(overlap(Solid::Pieces(&[]), Solid::Pieces(&pieces), &Pose::IDENTITY, &Pose::IDENTITY, 8), Overlap::NONE);
}

#[test]
fn flat_bodies_and_open_meshes() {
    let a = cube(0.5);
    let square = convex_hull(&[v(-1.0, 0.0, 0.0), v(1.0, 0.0, 0.0), v(0.0, 1.0, 0.0)]).expect("a triangle");
    let segment = convex_hull(&[v(-1.0, 0.0, 0.0), v(1.0, 0.0, 0.0)]).expect("a segment");
    let spot = convex_hull(&[Vec3::ZERO]).expect("a point");
    let mesh = mesh_of(&a);
    for flat in [&square, &segment, &spot] {
        for other in [Solid::Pieces(&[(&a, 0.0)]), Solid::Mesh(&mesh), Solid::Pieces(&[(flat, 0.0)])] {
            for budget in [0, 1, 100] {
                let found = overlap(Solid::Pieces(&[(flat, 0.0)]), other, &Pose::IDENTITY, &Pose::IDENTITY, budget);
                let [low, high] = found.bounds.expect("they meet");
                assert!((0..3).all(|k| low[k] <= 0.0 && 0.0 <= high[k]));
                assert!(found.volume[0] == 0.0 && (budget == 0 || found.volume[1] <= 1e-15), "{budget} {found:?}");
            }
        }
    }
    let vertices: Vec<Vec3<f64>> = (0..8).map(|i| a.vertex(i)).collect();
    let triangles: Vec<[u32; 3]> = fans(&a).map(|(_, t)| t).skip(1).collect();
    let numbers: Vec<u32> = (0..triangles.len() as u32).collect();
    let open = InsideOf::Open(vec![false; triangles.len()]);
    let open = TriangleMesh::new(vertices, triangles, (0..8).collect(), numbers, open, &Workers::none());
    let found = overlap(Solid::Mesh(&open), Solid::Mesh(&mesh), &Pose::IDENTITY, &Pose::IDENTITY, 4096);
    assert!(found.volume[0] == 0.0 && found.volume[1] >= 1.0 && found.volume[1] < 1.0 + 1e-9, "{found:?}");
}

#[test]
fn no_input_panics_and_none_proves_too_much() {
    let (a, spot) = (cube(0.5), convex_hull(&[Vec3::ZERO]).expect("a point"));
    let mesh = mesh_of(&a);
    let wild = [0.0, 1.0, -1.0, 1e-320, 1e-200, 1e160, 1e308, -1e308, f64::NAN, f64::INFINITY];
    let mut random = Random(8);
    let mut pick = || wild[(random.unit() * wild.len() as f64) as usize];
    let mut unknown = 0;
    for round in 0..600 {
        let pose = Pose {
            position: v(pick(), pick(), pick()),
            rest: if round % 2 == 0 { Vec3::ZERO } else { v(pick(), pick(), pick()) },
            q: [pick(), pick(), pick(), pick()],
        };
        let pieces = [(&a, 0.0), (&spot, pick().abs())];
        for body in [Solid::Mesh(&mesh), Solid::Pieces(&pieces[..1]), Solid::Pieces(&pieces)] {
            let found = overlap(body, Solid::Pieces(&[(&a, 0.0)]), &pose, &at(0.5, 0.0, 0.0), 50);
            assert!(found.volume[0] <= found.volume[1] && found.volume[0] >= 0.0, "{pose:?} {found:?}");
            assert!(found.volume[0] <= 1.0 + 1e-9, "no more than the cube: {pose:?} {found:?}");
            unknown += usize::from(found == Overlap::UNKNOWN);
        }
    }
    assert!(unknown > 100 && unknown < 1800, "{unknown}");
    for radius in [-1.0, f64::NAN, f64::INFINITY] {
        let pieces = [(&a, radius), (&a, 0.0)];
        let found = overlap(Solid::Pieces(&pieces), Solid::Mesh(&mesh), &Pose::IDENTITY, &Pose::IDENTITY, 50);
        assert_eq!(found, Overlap::UNKNOWN, "{radius}");
    }
    // A quaternion that is off norm by far names the same rotation.
    let tiny = Pose::new([0.5, 0.0, 0.0], [1e-300, 0.0, 0.0, 0.0]);
    let found = of_two(&a, &a, &[at(0.0, 0.0, 0.0), tiny]);
    assert!(found.volume[0] <= 0.5 && 0.5 <= found.volume[1] && found.volume[1] - found.volume[0] < 1e-11);
}

#[test]
fn the_rest_of_a_position_counts() {
    let a = cube(0.5);
    // At 2^53 m the position alone is rounded to 2 m.
    let far = 9_007_199_254_740_992.0;
    let pose = Pose { position: v(far, 0.0, 0.0), rest: v(0.25, 0.0, 0.0), q: [1.0, 0.0, 0.0, 0.0] };
    let other = Pose { rest: v(-0.25, 0.0, 0.0), ..pose };
    let found = of_two(&a, &a, &[pose, other]);
    assert!(found.volume[0] <= 0.5 && 0.5 <= found.volume[1] && found.volume[1] - found.volume[0] < 1e-11, "{found:?}");
    let bounds = found.bounds.expect("they meet");
    assert!(bounds[0].x <= far && bounds[1].x >= far, "{bounds:?}");
}
