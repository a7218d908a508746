//! Depths of overlapping meshes against brute force over all pairs of triangles, and winding
//! numbers by solid angles.

use super::{OPTIONS, ask};
use crate::brute_force::surface_distance;
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_narrow::{
    Auto, BodyPoses, NarrowPhase, PairCache, PairQuery, Proximity, SolverStats, Status, Workspace, query_one,
};
use clearsweep_scene::{Model, Shape};
use clearsweep_testing::random::Random;
use clearsweep_testing::solids::Solid;
use std::sync::Arc;

/// How often a closed surface winds around a point: the sum of the solid angles of its triangles
/// (Van Oosterom and Strackee 1983).
fn winding(solid: &Solid, p: Vec3<f64>) -> f64 {
    let angle = |t: &[Vec3<f64>; 3]| {
        let [a, b, c] = t.map(|q| q - p);
        let (la, lb, lc) = (a.length(), b.length(), c.length());
        2.0 * a.dot(b.cross(c)).atan2(la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb)
    };
    solid.corners().iter().map(angle).sum::<f64>() / (4.0 * std::f64::consts::PI)
}

/// Whether two bodies of one part each are apart: no triangles meet, and no vertex is inside of the
/// other body.
pub(crate) fn is_apart(a: &Solid, b: &Solid, pose: &Pose) -> bool {
    let of_a = in_frame(pose, a.vertices[0].into());
    surface_distance(a, b, pose)[0] > 0.0
        && winding(a, pose.apply(b.vertices[0].into())) < 0.5
        && winding(b, of_a) < 0.5
}

/// A point of the world in the frame of a pose.
fn in_frame(pose: &Pose, p: Vec3<f64>) -> Vec3<f64> {
    let origin = pose.apply(Vec3::ZERO);
    let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(|e| pose.apply(e.into()) - origin);
    Vec3::from(axes.map(|axis| axis.dot(p - origin)))
}

pub(crate) fn moved(pose: &Pose, by: Vec3<f64>) -> Pose {
    let mut moved = *pose;
    moved.position = moved.position + by;
    moved
}

pub(crate) fn solids() -> [Solid; 4] {
    let bumps = |k: f64| move |d: [f64; 3]| 0.2 * (k * d[0]).sin() * (4.0 * d[1] + k).cos();
    [
        Solid::ball(1.0, 8, 11, bumps(5.0)),
        Solid::ring(1.0, 0.3, 12, 7),
        Solid::cuboid([0.6, 0.4, 0.9], 2),
        Solid::ball(0.3, 5, 7, bumps(3.0)),
    ]
}

#[test]
fn depths_are_those_of_translations_that_separate() {
    let bodies = solids();
    let mut random = Random(29);
    let (mut deep, mut shorter, mut between, mut within) = (0, 0, 0, 0);
    for (a, b) in [(0, 1), (1, 1), (2, 1), (0, 0), (0, 3), (2, 0), (1, 3)] {
        let shapes = [a, b].map(|k| bodies[k].shape(Model::Mesh, 0.0));
        for _ in 0..14 {
            // The small ball is inside now and then.
            let pose = random.pose(if b == 3 { 0.5 } else { 1.3 });
            let row = ask(&shapes[0], &shapes[1], &pose);
            if row.status != Status::Penetrating {
                continue;
            }
            deep += 1;
            let apart = |by: Vec3<f64>| is_apart(&bodies[a], &bodies[b], &moved(&pose, by));
            assert!(!apart(Vec3::ZERO), "{row:?}");
            within += usize::from(surface_distance(&bodies[a], &bodies[b], &pose)[0] > 0.0);
            // Its own translation separates them, proven by all pairs of triangles.
            assert!(apart(row.normal * -row.lower), "{row:?}");
            // None that is shorter than the lower end of the depth does.
            for _ in 0..6 {
                let n = (row.normal + random.vec3() * 0.7).normalized();
                assert!(!apart(n * (-row.upper * (0.5 + 0.499 * random.signed().abs()))), "{row:?} {n:?}");
                shorter += 1;
            }
            // Nor does one along the same direction that is shorter than the one found.
            let [least, most] = [-row.upper + 1e-9, -row.distance - 1e-9];
            for share in [0.1, 0.5, 0.9, 0.999] {
                if least < most {
                    assert!(!apart(row.normal * (least + share * (most - least))), "{row:?} {share}");
                    between += 1;
                }
            }
        }
    }
    assert!(deep > 50 && shorter > 300 && between > 150 && within > 2, "{deep} {shorter} {between} {within}");
}

/// Rows of poses in an order, with one memory for all.
fn rows(a: &Shape, b: &Shape, poses: &[Pose], order: impl Iterator<Item = usize>) -> Vec<(usize, Proximity)> {
    let (mut cache, mut work, mut stats) = (PairCache::default(), Workspace::default(), SolverStats::default());
    let mut found: Vec<(usize, Proximity)> = order
        .filter_map(|k| {
            let query = PairQuery {
                a,
                b,
                poses_a: BodyPoses::Fixed(&Pose::IDENTITY),
                poses_b: BodyPoses::Fixed(&poses[k]),
                samples: 1,
            };
            let mut rows = Vec::new();
            Auto.walk(&query, &OPTIONS, &mut cache, &mut work, &mut stats, &mut rows);
            rows.first().map(|row| (k, *row))
        })
        .collect();
    found.sort_by_key(|(k, _)| *k);
    found
}

#[test]
fn no_order_of_samples_changes_a_depth() {
    let bodies = solids();
    let mut random = Random(41);
    let mut deep = 0;
    for (a, b, growth) in [(0, 0, 0.0), (1, 1, 0.0), (2, 0, 0.02), (0, 3, 0.0), (2, 2, 0.0)] {
        let [x, y]: [Arc<Shape>; 2] = [a, b].map(|k| bodies[k].shape(Model::Mesh, growth));
        let (from, step) = (random.pose(0.9), random.vec3() * 0.03);
        let poses: Vec<Pose> = (0..24).map(|k| moved(&from, step * f64::from(k))).collect();
        let text = |rows: Vec<(usize, Proximity)>| rows.iter().map(|row| format!("{row:?}")).collect::<Vec<_>>();
        let forward = text(rows(&x, &y, &poses, 0..24));
        assert_eq!(forward, text(rows(&x, &y, &poses, (0..24).rev())));
        assert_eq!(forward, text(rows(&x, &y, &poses, (0..24).map(|k| k * 7 % 24))));
        for (k, pose) in poses.iter().enumerate() {
            let cold = query_one(&x, &y, &Pose::IDENTITY, pose, &OPTIONS);
            assert_eq!(forward[k], format!("{:?}", (k, cold)));
            deep += usize::from(cold.status == Status::Penetrating);
        }
    }
    assert!(deep > 60, "not representative: {deep}");
}
