//! The hard cases of meshes, against the oracle. The number in a name is the number of the case in
//! HARD_CASES.

use super::cases::{Meshed, row, size_from};
use super::integers::triangle_distance2;
use super::oracle::{Answer, Distance, Placed};
use super::{PROMISED, is_apart};
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_narrow::{Method, Proximity, Status, query_one};
use clearsweep_scene::QueryOptions;
use clearsweep_testing::solids::Solid;
use num_bigint::BigInt;
use std::cmp::Ordering;

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::new([x, y, z], [1.0, 0.0, 0.0, 0.0])
}

fn answer(a: &Meshed, b: &Meshed, pa: &Pose, pb: &Pose) -> Answer {
    Placed::new([&a.solid, &b.solid], [pa, pb], Vec3::ZERO).answer([a.closed, b.closed])
}

/// The bracket holds the truth, and the distance is off by no more than what is promised.
fn holds(found: &Proximity, truth: &Distance, size: f64) {
    assert!(truth.compare(found.lower).is_ge() && truth.compare(found.upper).is_le(), "{found:?} {}", truth.metres());
    assert!(truth.excess(found.distance).abs() <= PROMISED * size, "{found:?} {}", truth.metres());
}

/// The row of bodies apart, checked.
fn apart(a: &Meshed, b: &Meshed, pb: &Pose) -> Proximity {
    let found = row(a, b, &Pose::IDENTITY, pb);
    let Answer::Apart(truth) = answer(a, b, &Pose::IDENTITY, pb) else { panic!("not apart: {found:?}") };
    holds(&found, &truth, size_from(a, b, pb));
    found
}

/// The row of overlapping bodies, checked: its depth separates.
fn overlapping(a: &Meshed, b: &Meshed, pb: &Pose) -> Proximity {
    let found = row(a, b, &Pose::IDENTITY, pb);
    assert!(!matches!(answer(a, b, &Pose::IDENTITY, pb), Answer::Apart(_)), "{found:?}");
    assert!(found.distance <= 0.0 && found.lower <= found.distance && found.distance <= found.upper, "{found:?}");
    assert!(is_apart(a, b, [&Pose::IDENTITY, pb], found.normal * -found.distance), "{found:?}");
    found
}

/// A pipe along x: a ring of rectangles.
fn pipe(inner: f64, outer: f64, half: f64, sides: usize) -> Solid {
    let mut solid = Solid::default();
    for k in 0..sides {
        let (s, c) = (std::f64::consts::TAU * k as f64 / sides as f64).sin_cos();
        let corners = [(half, outer), (-half, outer), (-half, inner), (half, inner)];
        solid.vertices.extend(corners.map(|(x, r)| [x, r * c, r * s]));
    }
    let vertex = |k: usize, i: usize| k % sides * 4 + i % 4;
    for (k, i) in (0..sides).flat_map(|k| (0..4).map(move |i| (k, i))) {
        let [a, b, c, d] = [vertex(k, i), vertex(k, i + 1), vertex(k + 1, i + 1), vertex(k + 1, i)];
        solid.triangles.extend([[a, d, c], [a, c, b]]);
    }
    solid
}

#[test]
fn case_29_tessellations_of_one_mesh() {
    let other = Meshed::new(Solid::ball(0.5, 7, 9, |d| 0.1 * (9.0 * d[0]).sin()), true);
    let boxes = [1, 2, 4].map(|n| Meshed::new(Solid::cuboid([1.0, 0.5, 0.75], n), true));
    assert_eq!([0, 1, 2].map(|k: usize| boxes[k].solid.triangles.len()), [12, 48, 192]);
    for pose in [Pose::new([1.9, 0.2, 0.3], [0.9, 0.1, 0.2, 0.3]), at(0.1, 1.2, 0.2)] {
        let rows = [0, 1, 2].map(|k: usize| apart(&boxes[k], &other, &pose));
        for r in &rows {
            let size = size_from(&boxes[0], &other, &pose);
            assert!((r.distance - rows[0].distance).abs() <= 2.0 * PROMISED * size, "{rows:?}");
        }
    }
    let block = Meshed::new(Solid::cuboid([0.5; 3], 2), true);
    for pose in [at(1.3, 0.1, 0.05), at(0.2, 0.8, 0.1), at(0.0, 0.0, 1.1)] {
        let rows = [0, 1, 2].map(|k: usize| overlapping(&boxes[k], &block, &pose));
        for r in &rows {
            assert!(r.lower <= rows[0].upper && rows[0].lower <= r.upper, "{rows:?}");
            assert!((r.distance - rows[0].distance).abs() < 1e-11, "{rows:?}");
        }
    }
}

#[test]
fn case_31_flush_faces_far_from_the_origin() {
    let mut flush = [0; 2];
    for far in [[5_000.0, 5_000.0], [500_000.0, 5_000_000.0], [5_000_000.0, 5_000_000.0]] {
        let round = |x: f64| f64::from(x as f32);
        let largest = f64::max(far[0], far[1]) as f32;
        let ulp = f64::from(largest.next_up()) - f64::from(largest);
        let place = |half: [f64; 3], by: [f64; 3]| {
            let mut solid = Solid::cuboid(half, 2).moved([far[0] + by[0], far[1] + by[1], by[2]]);
            solid.vertices.iter_mut().for_each(|v| *v = v.map(round));
            Meshed::new(solid, true)
        };
        // Two walls end to end, a wall on a slab, and a wall beside a wall. Sides are multiples of
        // the largest ulp here.
        let wall = place([2.0, 0.5, 1.5], [0.0; 3]);
        let others = [
            place([1.0, 0.5, 1.5], [3.0, 0.0, 0.0]),
            place([3.0, 3.0, 0.1], [0.0, 0.0, -1.6]),
            place([2.0, 0.5, 1.0], [0.5, 1.0, 0.0]),
        ];
        for other in &others {
            let poses = [wall.shape.center, other.shape.center].map(|c| Pose::IDENTITY.recentred(c));
            let options = QueryOptions { within: 1.0, touch: 2.0 * ulp, ..QueryOptions::EVERYTHING };
            let found = query_one(&wall.shape, &other.shape, &poses[0], &poses[1], &options);
            assert_eq!(found.status, Status::Touching, "{found:?}");
            match answer(&wall, other, &Pose::IDENTITY, &Pose::IDENTITY) {
                Answer::Meets => assert!(found.lower <= 0.0, "{found:?}"),
                Answer::Apart(truth) => {
                    assert!(truth.compare(found.lower).is_ge() && truth.compare(found.upper).is_le(), "{found:?}");
                }
                Answer::Holds(_) => panic!("{found:?}"),
            }
            flush[usize::from(far[0] > 10_000.0)] += 1;
        }
    }
    assert_eq!(flush, [3, 6]);
}

#[test]
fn case_32_one_closed_mesh_wholly_inside_another() {
    let outer = Meshed::new(Solid::ball(2.0, 9, 12, |d| 0.05 * (5.0 * d[1]).cos()), true);
    for inner in [Solid::cuboid([0.2, 0.1, 0.3], 2), Solid::ring(0.5, 0.2, 9, 7), Solid::ball(0.4, 5, 7, |_| 0.0)] {
        let inner = Meshed::new(inner, true);
        for pose in [at(0.0, 0.0, 0.0), Pose::new([0.6, -0.3, 0.4], [0.5, 0.1, -0.7, 0.2])] {
            let Answer::Holds(gap) = answer(&outer, &inner, &Pose::IDENTITY, &pose) else { panic!("it is inside") };
            let found = overlapping(&outer, &inner, &pose);
            // To get out it has to cross the gap at least.
            assert!(found.status == Status::Penetrating && found.distance <= -gap.metres(), "{found:?}");
            let swapped = row(&inner, &outer, &pose, &Pose::IDENTITY);
            assert_eq!(swapped.status, Status::Penetrating, "{swapped:?}");
        }
    }
}

#[test]
fn case_33_coaxial_walls_and_pipes() {
    let sleeve = Meshed::new(pipe(0.3, 1.0, 0.2, 16), true);
    // Through the sleeve, along its axis and beside it, and tubes within tubes: apart.
    for (inner, half, y) in [(0.2, 2.0, 0.0), (0.2, 0.2, 0.02), (0.1, 0.05, -0.1)] {
        let through = Meshed::new(pipe(inner, inner + 0.05, half, 12), true);
        assert_eq!(apart(&sleeve, &through, &at(0.0, y, 0.0)).status, Status::Separated);
    }
    // In a wall without a hole no triangle of the pipe crosses one of the wall, if its ends are
    // inside.
    let wall = Meshed::new(Solid::cuboid([0.3, 2.0, 2.0], 3), true);
    let buried = Meshed::new(pipe(0.05, 0.1, 0.2, 12), true);
    let found = overlapping(&wall, &buried, &at(0.0, 0.0, 0.0));
    assert!(found.status == Status::Penetrating && (found.distance + 0.5).abs() < 1e-9, "{found:?}");
    // Through the wall; and the same pipe twice, coaxial and shifted along its axis: surfaces lie
    // in each other.
    let long = Meshed::new(pipe(0.05, 0.1, 1.0, 12), true);
    assert_eq!(overlapping(&wall, &long, &at(0.1, 0.0, 0.0)).status, Status::Penetrating);
    for x in [0.0, 0.25, 1.0] {
        let found = overlapping(&long, &long, &at(x, 0.0, 0.0));
        assert!(found.status != Status::Separated && found.lower < 0.0, "{found:?}");
    }
}

#[test]
fn case_34_coplanar_shared_and_degenerate_triangles() {
    let open = |vertices: &[[f64; 3]], triangles: &[[usize; 3]]| {
        Meshed::new(Solid { vertices: vertices.to_vec(), triangles: triangles.to_vec() }, false)
    };
    let a = open(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]]);
    let meeting = [
        [[0.25, 0.25, 0.0], [1.25, 0.25, 0.0], [0.25, 1.25, 0.0]],
        [[0.1, 0.1, 0.0], [0.3, 0.1, 0.0], [0.1, 0.3, 0.0]],
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.5]],
        [[1.0, 0.0, 0.0], [2.0, 0.0, 0.5], [2.0, 1.0, 0.0]],
    ];
    for corners in meeting {
        let b = open(&corners, &[[0, 1, 2]]);
        assert!(matches!(answer(&a, &b, &Pose::IDENTITY, &Pose::IDENTITY), Answer::Meets));
        let found = row(&a, &b, &Pose::IDENTITY, &Pose::IDENTITY);
        assert!(found.lower <= 0.0 && found.upper >= 0.0 && found.upper < 1e-12, "{corners:?} {found:?}");
        let above = apart(&a, &b, &at(0.0, 0.0, 1e-3));
        assert!(above.distance > 0.0 && above.distance <= 1e-3 + 1e-15, "{corners:?} {above:?}");
    }
    // Triangles without an area are no harm: the oracle measures them, and the engine drops them
    // with the same answer.
    let vertices = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.5, 0.0, 0.0], [0.0, 0.0, 0.0]];
    let with = open(&vertices, &[[0, 1, 2], [0, 3, 1], [0, 4, 1], [2, 2, 0]]);
    for (k, pose) in
        [at(0.2, 0.1, 0.4), at(2.0, 0.1, 0.0), Pose::new([0.4, -0.9, 0.2], [0.9, 0.3, 0.1, 0.4])].iter().enumerate()
    {
        let [x, y] = [apart(&with, &a, pose), apart(&a, &a, pose)];
        assert_eq!((x.distance, x.lower, x.upper), (y.distance, y.lower, y.upper), "{k}");
    }
    let point = |p: [i32; 3]| p.map(BigInt::from);
    let (p, q) = (point([0, 0, 0]), point([3, 4, 12]));
    assert_eq!(triangle_distance2([&p; 3], [&q; 3]).above, BigInt::from(169));
}

#[test]
fn case_35_open_meshes_have_distances_and_an_inside_by_the_winding_number() {
    let closed = Solid::cuboid([0.7, 0.5, 0.4], 3);
    let tray = Meshed::new(closed.clone().without(|t| t.iter().all(|p| p[2] == 0.4)), false);
    assert!(!tray.shape.mesh.as_ref().expect("a mesh").is_solid());
    let small = Meshed::new(Solid::ball(0.15, 5, 8, |_| 0.0), true);
    // Inside of the tray both answers are in the bracket.
    let inside = row(&tray, &small, &Pose::IDENTITY, &at(0.1, 0.0, 0.0));
    assert_eq!((inside.method, inside.status), (Method::Winding, Status::Penetrating));
    let Answer::Apart(distance) = answer(&tray, &small, &Pose::IDENTITY, &at(0.1, 0.0, 0.0)) else {
        panic!("the surfaces are apart")
    };
    assert!(inside.lower < -0.5 && distance.compare(inside.upper) == Ordering::Less, "{inside:?}");
    assert_eq!(distance.compare(inside.upper - 1e-9), Ordering::Greater, "{inside:?}");
    // Over its open side, and beside it: the distance is that of its triangles.
    for pose in [at(0.0, 0.0, 0.9), Pose::new([1.3, 0.4, -0.2], [0.8, 0.2, 0.1, -0.5])] {
        assert_eq!(apart(&tray, &small, &pose).status, Status::Separated);
    }
    let found = row(&Meshed::new(closed, true), &small, &Pose::IDENTITY, &at(0.1, 0.0, 0.0));
    assert_eq!(found.status, Status::Penetrating, "the closed one has an inside: {found:?}");
    let through = overlapping(&tray, &small, &Pose::new([0.69, 0.03, 0.02], [0.9, 0.1, 0.3, -0.2]));
    assert!(through.status == Status::Penetrating && through.upper < 0.0, "{through:?}");
}
