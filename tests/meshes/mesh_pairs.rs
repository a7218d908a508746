//! Bodies of exact triangles: against brute force, against convex answers, and cases that are known
//! to break others.

mod convex;
mod depths;
mod directions;
mod fits;
mod parts;

use crate::brute_force;
use clearsweep_geometry::Pose;
use clearsweep_narrow::{
    Auto, BodyPoses, Method, NarrowPhase, PairCache, PairQuery, Proximity, SolverStats, Status, Workspace, query_one,
};
use clearsweep_scene::{Model, QueryOptions, Shape};
use clearsweep_testing::random::Random;
use clearsweep_testing::solids::Solid;

const OPTIONS: QueryOptions = QueryOptions { within: 1e9, touch: 1e-6, ..QueryOptions::EVERYTHING };

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::new([x, y, z], [1.0, 0.0, 0.0, 0.0])
}

fn ask(a: &Shape, b: &Shape, pose: &Pose) -> Proximity {
    let row = query_one(a, b, &Pose::IDENTITY, pose, &OPTIONS);
    let close = (row.point_b - (row.point_a + row.normal * row.distance)).length();
    // Those of bodies that overlap are held by `witness_points`.
    let is_bracket = matches!(row.method, Method::Bound | Method::Winding);
    assert!((close < 1e-9 || is_bracket) && (row.normal.length() - 1.0).abs() < 1e-12, "{row:?}");
    assert!(row.lower <= row.distance && row.lower <= row.upper, "{row:?}");
    row
}

#[test]
fn convex_meshes_are_answered_like_their_hulls() {
    let bodies = [
        Solid::cuboid([1.0, 0.5, 0.25], 1),
        Solid::cuboid([1.0, 1.0, 1.0], 4),
        Solid::ball(0.8, 6, 9, |_| 0.0),
        Solid::cuboid([0.02, 1.0, 0.7], 3),
    ];
    let mut random = Random(7);
    let mut counts = [0; 3];
    for (i, a) in bodies.iter().enumerate() {
        for b in &bodies[i..] {
            let [ma, mb] = [a, b].map(|s| s.shape(Model::Mesh, 0.0));
            let [ha, hb] = [a, b].map(|s| s.shape(Model::Hull, 0.0));
            for number in 0..40 {
                let mut pose = random.pose(1.6);
                let hull = ask(&ha, &hb, &pose);
                if number % 2 == 0 {
                    // To a gap between 1e-9 and 10, or as deep.
                    let gap = 10_f64
                        .powf(-4.0 + 5.0 * random.signed().abs().sqrt() * if number % 8 == 0 { 1.0 } else { -1.0 })
                        * if number % 4 == 0 { 1.0 } else { -0.01 };
                    pose.position = pose.position + hull.normal * (gap - hull.distance);
                }
                let hull = ask(&ha, &hb, &pose);
                for (x, y) in [(&ma, &mb), (&ma, &hb), (&ha, &mb)] {
                    let mesh = ask(x, y, &pose);
                    assert!(mesh.lower <= hull.upper && hull.lower <= mesh.upper, "{hull:?} {mesh:?}");
                    assert!(mesh.lower <= hull.lower + 1e-11, "{hull:?} {mesh:?}");
                    if hull.distance > 0.0 {
                        assert!(
                            (mesh.distance - hull.distance).abs() < 1e-12 && mesh.upper - mesh.lower < 1e-11,
                            "{mesh:?}"
                        );
                    }
                }
                counts[if hull.distance > 0.1 { 0 } else { 1 + usize::from(hull.distance < 0.0) }] += 1;
            }
        }
    }
    assert!(counts.iter().all(|&n| n > 60), "not representative: {counts:?}");
}

#[test]
fn nearest_triangles_are_those_of_brute_force() {
    let bumps = |k: f64| move |d: [f64; 3]| 0.2 * (k * d[0]).sin() * (4.0 * d[1] + k).cos();
    let bodies = [Solid::ball(1.0, 8, 11, bumps(5.0)), Solid::ring(1.0, 0.3, 12, 7), Solid::cuboid([0.6, 0.4, 0.9], 2)];
    let mut random = Random(3);
    let (mut apart, mut crossing) = (0, 0);
    for (a, b) in [(0, 1), (1, 1), (2, 1), (0, 0)] {
        let shapes = [a, b].map(|k| bodies[k].shape(Model::Mesh, 0.0));
        for _ in 0..25 {
            let pose = random.pose(2.2);
            let row = ask(&shapes[0], &shapes[1], &pose);
            let [lower, upper] = brute_force::surface_distance(&bodies[a], &bodies[b], &pose);
            if row.status == Status::Separated {
                assert!(row.lower <= upper && lower <= row.upper, "{row:?} {lower} {upper}");
                apart += 1;
            } else if lower > 0.0 {
                assert!(row.status == Status::Penetrating && row.upper < 0.0, "one holds the other: {row:?} {lower}");
            } else {
                crossing += 1;
            }
        }
    }
    assert!(apart > 20 && crossing > 20, "not representative: {apart} {crossing}");
}

#[test]
fn finer_tessellation_changes_nothing() {
    let other = Solid::cuboid([0.5; 3], 2).shape(Model::Mesh, 0.0);
    let turned = Pose::new([1.2, 0.1, 0.05], [0.9, 0.1, 0.3, 0.2]);
    for pose in [at(1.75, 0.1, 0.05), at(1.4, 0.1, 0.05), at(0.2, 0.1, 0.0), turned] {
        let rows = [1, 2, 4, 8].map(|n| ask(&Solid::cuboid([1.0; 3], n).shape(Model::Mesh, 0.0), &other, &pose));
        for row in &rows[1..] {
            assert!(row.lower <= rows[0].upper && rows[0].lower <= row.upper, "{rows:?}");
            assert!((row.distance - rows[0].distance).abs() < 1e-9, "{rows:?}");
        }
    }
}

#[test]
fn flush_faces_far_from_the_origin_touch() {
    for far in [5_000.0, 5_000_000.0] {
        // Corners as a file of single precision has them.
        let round = |x: f64| f64::from(x as f32);
        let ulp = f64::from((far as f32).next_up()) - round(far);
        let place = |x: f64| {
            let mut solid = Solid::cuboid([0.5; 3], 1).moved([x, far, 0.25]);
            solid.vertices.iter_mut().for_each(|v| *v = v.map(round));
            solid.shape(Model::Mesh, 0.0)
        };
        let (a, b) = (place(far), place(far + 1.0));
        let options = QueryOptions { touch: 2.0 * ulp, ..OPTIONS };
        let row = query_one(&a, &b, &Pose::IDENTITY.recentred(a.center), &Pose::IDENTITY.recentred(b.center), &options);
        assert_eq!(row.status, Status::Touching, "{row:?}");
    }
}

#[test]
fn a_body_within_another_penetrates_and_a_cavity_is_outside() {
    let block = Solid::cuboid([1.0; 3], 3);
    let inner = Solid::cuboid([0.2, 0.1, 0.1], 2).shape(Model::Mesh, 0.0);
    let row = ask(&block.shape(Model::Mesh, 0.0), &inner, &at(0.3, 0.0, 0.0));
    assert!(
        row.status == Status::Penetrating && (row.upper + 0.9).abs() < 0.02 && (row.distance + 0.9).abs() < 1e-9,
        "{row:?}"
    );
    assert!((row.protrusion - 0.9).abs() < 1e-9, "{row:?}");
    let swapped = ask(&inner, &block.shape(Model::Mesh, 0.0), &at(-0.3, 0.0, 0.0));
    assert!((swapped.distance - row.distance).abs() < 1e-9, "{swapped:?}");
    let shell = block.and(&Solid::cuboid([0.8; 3], 2).flipped()).shape(Model::Mesh, 0.0);
    let row = ask(&shell, &inner, &at(0.3, 0.0, 0.0));
    assert!(row.status == Status::Separated && (row.distance - 0.3).abs() < 1e-12, "{row:?}");
    assert!(row.protrusion.is_nan());
}

#[test]
fn a_pole_through_a_ring_is_clear_and_a_pipe_in_a_wall_is_not() {
    let ring = Solid::ring(1.0, 0.25, 24, 16).shape(Model::Mesh, 0.0);
    let pole = Solid::cuboid([0.2, 0.2, 3.0], 1);
    let row = ask(&ring, &pole.shape(Model::Mesh, 0.0), &at(0.0, 0.0, 0.0));
    assert!(row.status == Status::Separated && row.distance > 0.4, "{row:?}");
    let convex = ask(&ring, &pole.shape(Model::Hull, 0.0), &at(0.0, 0.0, 0.0));
    assert!((convex.distance - row.distance).abs() < 1e-12);
    // Coaxial, and no triangle of one crosses one of the other.
    let wall = Solid::cuboid([0.3, 2.0, 2.0], 2).shape(Model::Mesh, 0.0);
    let pipe = Solid::cuboid([0.1, 1.9, 0.1], 2).shape(Model::Mesh, 0.0);
    let row = ask(&wall, &pipe, &at(0.0, 0.0, 0.0));
    assert!(row.status == Status::Penetrating && (row.distance + 0.4).abs() < 1e-9, "{row:?}");
}

#[test]
fn open_meshes_have_distances_and_no_inside() {
    let tray = Solid::cuboid([1.0; 3], 2).without(|t| t.iter().all(|p| p[2] == 1.0)).shape(Model::Mesh, 0.0);
    let cube = Solid::cuboid([0.25; 3], 1).shape(Model::Mesh, 0.0);
    let inside = ask(&tray, &cube, &at(0.1, 0.0, 0.0));
    // The winding number says inside; no more than the surfaces is proven.
    assert!(inside.method == Method::Winding && inside.status == Status::Penetrating, "{inside:?}");
    assert!((inside.upper - 0.65).abs() < 1e-12 && inside.lower < -1.0, "{inside:?}");
    let over = ask(&tray, &cube, &at(0.0, 0.0, 1.5));
    let exact = (0.75_f64.powi(2) + 0.25_f64.powi(2)).sqrt();
    assert!((over.distance - exact).abs() < 1e-12, "the open side has no face: {over:?}");
    let through = ask(&tray, &cube, &at(1.0, 0.0, 0.0));
    assert!(through.status == Status::Penetrating && through.upper < 0.0 && through.lower <= -0.25, "{through:?}");
}

#[test]
fn triangles_in_a_plane_that_share_edges_and_corners_touch() {
    let one = |t: [[f64; 3]; 3]| Solid { vertices: t.to_vec(), triangles: vec![[0, 1, 2]] }.shape(Model::Mesh, 0.0);
    let a = one([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    let cases = [
        [[0.25, 0.25, 0.0], [1.25, 0.25, 0.0], [0.25, 1.25, 0.0]], // coplanar, overlapping
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.5]],       // an edge
        [[1.0, 0.0, 0.0], [2.0, 0.0, 0.5], [2.0, 1.0, 0.0]],       // a corner
        [[0.5, 0.0, 0.0], [0.5, -1.0, 0.0], [0.6, -1.0, 0.3]],     // a corner on an edge
        [[0.25, 0.25, 0.0], [0.3, 0.3, 1.0], [0.2, 0.3, 1.0]],     // a corner on the face
    ];
    for case in cases {
        let row = ask(&a, &one(case), &at(0.0, 0.0, 0.0));
        assert!(row.status == Status::Touching && row.lower > -1e-6, "{case:?} {row:?}");
        let above = ask(&a, &one(case), &at(0.0, 0.0, 1e-3));
        assert!(above.status != Status::Penetrating && above.distance <= 1e-3 + 1e-15, "{case:?} {above:?}");
    }
}

#[test]
fn growth_shifts_distances_and_depths() {
    let ring = Solid::ring(1.0, 0.25, 24, 16);
    let ball = Solid::ball(0.2, 8, 12, |_| 0.0);
    let pose = at(0.1, 0.05, 0.0);
    let plain = ask(&ring.shape(Model::Mesh, 0.0), &ball.shape(Model::Hull, 0.0), &pose);
    let grown = ask(&ring.shape(Model::Mesh, 0.1), &ball.shape(Model::Hull, 0.05), &pose);
    assert!((plain.distance - 0.15 - grown.distance).abs() < 1e-12, "{plain:?} {grown:?}");
    let deep = ask(&ring.shape(Model::Mesh, plain.distance), &ball.shape(Model::Hull, 0.05), &pose);
    assert!(deep.status == Status::Penetrating && deep.upper <= -0.049 && deep.lower <= deep.upper, "{deep:?}");
}

#[test]
fn what_is_remembered_changes_no_row() {
    let bumps = |d: [f64; 3]| 0.15 * (6.0 * d[0]).sin() * (5.0 * d[1]).cos();
    let a = Solid::ball(1.0, 12, 16, bumps).shape(Model::Mesh, 0.0);
    let b = Solid::ring(0.7, 0.2, 16, 9).shape(Model::Mesh, 0.01);
    let mut random = Random(17);
    let (mut cache, mut work, mut stats) = (PairCache::default(), Workspace::default(), SolverStats::default());
    let (mut near, mut deep) = (0, 0);
    let options = QueryOptions { within: 0.3, ..OPTIONS };
    for _ in 0..120 {
        let mut pose = random.pose(1.4);
        let step = random.vec3() * 0.02;
        for _ in 0..4 {
            let query = PairQuery {
                a: &a,
                b: &b,
                poses_a: BodyPoses::Fixed(&Pose::IDENTITY),
                poses_b: BodyPoses::Fixed(&pose),
                samples: 1,
            };
            let mut rows = Vec::new();
            Auto.walk(&query, &options, &mut cache, &mut work, &mut stats, &mut rows);
            let cold = query_one(&a, &b, &Pose::IDENTITY, &pose, &options);
            let bits = |row: &Proximity| format!("{row:?}");
            match rows.first() {
                Some(row) => assert_eq!(bits(row), bits(&cold)),
                None => assert!(cold.lower > options.within),
            }
            near += usize::from(!rows.is_empty());
            deep += usize::from(cold.distance < 0.0);
            pose.position = pose.position + step;
        }
    }
    assert!(near > 150 && (40..440).contains(&deep), "not representative: {near} {deep}");
}
