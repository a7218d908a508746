//! Cases 1 to 9: contact of simple bodies.

use clearsweep_narrow::{FeatureKind, Status};

use super::{at, brought_to, turned};
use clearsweep_testing::bridge::Solid;
use clearsweep_testing::invariants::check_invariants;
use clearsweep_testing::oracle::number::{add, times};
use clearsweep_testing::oracle::{self, Placement};

fn cube(half: f64) -> Solid {
    Solid::cuboid([half; 3])
}

fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-15 * expected.abs().max(1.0), "{found} is not {expected}");
}

#[test]
fn case_01_identical_boxes() {
    // The corners are numbered with x as the lowest bit: the lowest face is the one at -z, vertices
    // 0 to 3. Equal depths along +z and -z, whose origins coincide, are decided by the lowest face.
    let a = Solid::cuboid([0.5, 0.4, 0.3]);
    let found = check_invariants(&a, &at(0.0, 0.0, 0.0), &a, &at(0.0, 0.0, 0.0)).row;
    near(found.distance, -0.6);
    assert_eq!(found.status, Status::Penetrating);
    assert_eq!(found.feature_kind, [FeatureKind::Face, FeatureKind::Face]);
    assert_eq!(found.feature, [0, 5]);
    assert_eq!(found.normal.to_array(), [0.0, 0.0, -1.0]);
    let again = check_invariants(&cube(0.5), &at(1.0, 2.0, 3.0), &cube(0.5), &at(1.0, 2.0, 3.0)).row;
    near(again.distance, -1.0);
}

#[test]
fn case_02_cubes_overlapping_a_tenth() {
    let a = cube(0.5);
    for axis in 0..3 {
        for sign in [1.0, -1.0] {
            let mut t = [0.0; 3];
            t[axis] = 0.9 * sign;
            let found = check_invariants(&a, &at(0.0, 0.0, 0.0), &a, &at(t[0], t[1], t[2])).row;
            near(found.distance, -0.1);
            near(found.normal.to_array()[axis], sign);
        }
    }
}

/// Sweeps B along the normal through contact: distances must follow the gap, monotone to the
/// bracket.
fn sweep(a: &Solid, pa: &Placement, b: &Solid, pb: &Placement, largest: f64, steps: i32) {
    let start = brought_to(a, pa, b, pb, 1e-3);
    let truth = oracle::signed_distance(&a.body, pa, &b.body, &start);
    let mut before: Option<clearsweep_narrow::Proximity> = None;
    for step in -steps..=steps {
        let gap = largest * f64::from(step) / f64::from(steps);
        let pb = clearsweep_testing::oracle::families::moved(&start, times(truth.normal, gap - 1e-3));
        let found = check_invariants(a, pa, b, &pb);
        // Apart, the distance is the gap; overlapping, another direction may be the shorter way
        // out.
        let room = 1e-15 * found.size;
        let way = if gap >= 0.0 { gap - room..=gap + room } else { gap - room..=room };
        assert!(way.contains(&found.truth), "the sweep itself is off: {} {gap}", found.truth);
        if let Some(before) = before {
            let change = found.row.distance - before.distance;
            let step = largest / f64::from(steps);
            let room = 2e-15 * found.size;
            assert!(
                (-room..=step + room).contains(&change),
                "a jump of {change:e} at {gap:e}: {before:?} {:?}",
                found.row
            );
        }
        before = Some(found.row);
    }
}

#[test]
fn case_03_boxes_kissing() {
    let (a, b) = (Solid::cuboid([0.5, 0.3, 0.2]), Solid::cuboid([0.25, 0.4, 0.35]));
    // Face on face, vertex on face, edge on edge, and anyhow.
    let places = [
        (turned([0.0; 3], [1.0, 2.0, 3.0], 0.7), turned([0.0, 0.0, 2.0], [1.0, 2.0, 3.0], 0.7)),
        (at(0.0, 0.0, 0.0), turned([0.05, 0.02, 2.0], [1.0, 0.4, 0.2], 0.8)),
        (turned([0.0; 3], [1.0, 0.0, 0.0], std::f64::consts::FRAC_PI_4), turned([0.0, 0.0, 2.0], [0.0, 1.0, 0.0], 0.9)),
        (turned([1.0, 2.0, 3.0], [3.0, 1.0, -1.0], 2.1), turned([2.5, 3.2, 3.3], [-1.0, 2.0, 2.0], 1.2)),
    ];
    for (pa, pb) in places {
        sweep(&a, &pa, &b, &pb, 1e-12, 20);
    }
}

#[test]
fn case_04_parallel_faces() {
    let (a, b) = (Solid::cuboid([0.5, 0.5, 0.5]), Solid::cuboid([0.25, 0.75, 0.125]));
    for gap in [0.25, 1e-9, 0.0, -1e-9, -0.0625] {
        let found = check_invariants(&a, &at(0.0, 0.0, 0.0), &b, &at(0.125, 0.25, 0.625 + gap)).row;
        near(found.distance, 0.625 + gap - 0.625);
        assert_eq!(found.normal.to_array(), [0.0, 0.0, 1.0]);
    }
    // Face on face about all axes at once.
    let pa = turned([0.1, 0.2, 0.3], [1.0, 1.0, 0.3], 1.1);
    let up = oracle::out_of_frame(&pa, [0.0, 0.0, 1.0]);
    for gap in [0.25, 0.0, -0.0625] {
        check_invariants(&a, &pa, &b, &Placement::new(add(pa.position, times(up, 0.625 + gap)), pa.q));
    }
}

#[test]
fn case_05_parallel_edges() {
    let (a, b) = (Solid::cuboid([0.5, 0.5, 1.0]), Solid::cuboid([0.3, 0.3, 0.8]));
    let quarter = std::f64::consts::FRAC_PI_4;
    for tilt in [0.0, 1e-16, 1e-14, 1e-12, 1e-10, 1e-9, 1e-8, 1e-7] {
        for gap in [0.3, 1e-10, -1e-10, -0.05] {
            let pa = turned([0.0; 3], [0.0, 0.0, 1.0], quarter);
            let side = 0.8 * 2.0_f64.sqrt() + gap;
            // Turned by a quarter about z, then tilted: the edges along z are off parallel by the
            // tilt.
            let upright = turned([0.0; 3], [0.0, 0.0, 1.0], quarter);
            for axis in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]] {
                let tilted = clearsweep_testing::invariants::compose(&turned([side, 0.0, 0.1], axis, tilt), &upright);
                check_invariants(&a, &pa, &b, &tilted);
            }
        }
    }
}

#[test]
fn case_06_edge_edge_through_contact() {
    let a = cube(0.5);
    let quarter = std::f64::consts::FRAC_PI_4;
    let pa = turned([0.0; 3], [0.0, 0.0, 1.0], quarter);
    let pb = turned([0.01, 2.0, 0.02], [1.0, 0.0, 0.0], quarter);
    let found = check_invariants(&a, &pa, &a, &pb).row;
    assert_eq!(found.feature_kind, [FeatureKind::Edge, FeatureKind::Edge]);
    sweep(&a, &pa, &a, &pb, 0.05, 10);
    sweep(&a, &pa, &a, &pb, 1e-9, 10);
    sweep(&a, &pa, &a, &pb, 1e-14, 10);
}

#[test]
fn case_07_vertex_on_vertex() {
    let a = cube(0.5);
    for (x, y, z) in [(1.0, 1.0, 1.0), (-1.0, 1.0, -1.0)] {
        let found = check_invariants(&a, &at(0.0, 0.0, 0.0), &a, &at(x, y, z)).row;
        assert_eq!(found.status, Status::Touching);
        assert!(found.distance.abs() <= 1e-15);
    }
    let spike = Solid::new("spike", vec![[0.0; 3], [1.0, 0.25, 0.0], [1.0, -0.25, 0.25], [1.0, 0.0, -0.25]], 0.0);
    let back = turned([0.0; 3], [0.0, 0.0, 1.0], std::f64::consts::PI);
    for gap in [1e-3, 1e-9, 1e-12, 1e-15, 0.0] {
        let pb = Placement { position: [-gap, 0.0, 0.0], ..back };
        let found = check_invariants(&spike, &at(0.0, 0.0, 0.0), &spike, &pb).row;
        near(found.distance, gap);
    }
}

#[test]
fn case_08_vertex_on_face_and_edge() {
    let a = cube(0.5);
    let tip = Solid::new(
        "octahedron",
        vec![[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, -1.0]],
        0.0,
    );
    // On the face, on its edge, on its corner; apart, touching, inside.
    for (x, y) in [(0.125, 0.25), (0.0, 0.0), (0.5, 0.125), (0.5, 0.5)] {
        for gap in [0.25, 1e-12, 0.0, -1e-12, -0.0625] {
            let found = check_invariants(&a, &at(0.0, 0.0, 0.0), &tip, &at(x, y, 1.5 + gap)).row;
            if gap >= 0.0 {
                near(found.distance, 1.5 + gap - 1.5);
            }
        }
    }
}

#[test]
fn case_09_triangle_vertex_on_triangle_edge() {
    let a = Solid::new("triangle", vec![[0.0; 3], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]], 0.0);
    let b = Solid::new("triangle", vec![[0.0; 3], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0]], 0.0);
    for p in [at(1.0, 0.0, 0.0), at(0.0, 0.0, 0.0), at(1.0, 1.0, 0.0), at(0.5, 0.5, 0.0)] {
        let found = check_invariants(&a, &at(0.0, 0.0, 0.0), &b, &p).row;
        assert_eq!(found.status, Status::Touching);
        assert!(found.distance.abs() <= 1e-15);
    }
    // In one plane.
    let found = check_invariants(&a, &at(0.0, 0.0, 0.0), &a, &at(1.0, 1.0, 0.0)).row;
    assert_eq!(found.status, Status::Touching);
}
