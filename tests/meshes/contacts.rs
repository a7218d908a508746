//! All contacts of two bodies: closed forms, and curves against the segments of all pairs of
//! triangles.

use clearsweep::Geometry;
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_narrow::{Contact, ContactKind, Status, Workspace, contacts, query_one};
use clearsweep_scene::{Model, QueryOptions, Shape};
use clearsweep_testing::random::Random;
use clearsweep_testing::solids::Solid;

const OPTIONS: QueryOptions = QueryOptions { within: 1e9, touch: 1e-6, ..QueryOptions::EVERYTHING };

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::new([x, y, z], [1.0, 0.0, 0.0, 0.0])
}

/// The contacts at these poses of the bodies' own frames.
fn ask(a: &Shape, b: &Shape, poses: [&Pose; 2]) -> Vec<Contact> {
    let placed = [a, b].map(|shape| shape.recentring());
    let [pose_a, pose_b] = [0, 1].map(|k: usize| placed[k].place(poses[k]));
    let row = query_one(a, b, &pose_a, &pose_b, &OPTIONS);
    if row.status == Status::Separated {
        return Vec::new();
    }
    let mut found = Vec::new();
    contacts([a, b], [&pose_a, &pose_b], &OPTIONS, &mut Workspace::default(), &mut found);
    assert!(!found.is_empty(), "a row that is not separated has a contact: {row:?}");
    for contact in &found {
        let inside = |x: f64, low: f64, high: f64| low <= x && x <= high;
        let [p, low, high] = [contact.point, contact.low, contact.high].map(Vec3::to_array);
        assert!((0..3).all(|k| inside(p[k], low[k], high[k])), "the point lies in the box: {contact:?}");
        assert_eq!(contact.length.is_nan(), contact.kind != ContactKind::Crossing, "{contact:?}");
    }
    found
}

fn is_box(contact: &Contact, low: [f64; 3], high: [f64; 3], room: f64) {
    let (l, h) = (contact.low.to_array(), contact.high.to_array());
    let near = |k: usize| (l[k] - low[k]).abs() <= room && (h[k] - high[k]).abs() <= room;
    assert!((0..3).all(near), "{contact:?} instead of {low:?} to {high:?}");
}

/// Boxes as hulls, as meshes, and as meshes of many triangles.
fn boxes(half: [f64; 3]) -> [std::sync::Arc<Shape>; 3] {
    [
        Solid::cuboid(half, 1).shape(Model::Hull, 0.0),
        Solid::cuboid(half, 1).shape(Model::Mesh, 0.0),
        Solid::cuboid(half, 5).shape(Model::Mesh, 0.0),
    ]
}

#[test]
fn boxes_cross_in_the_edges_of_their_overlap() {
    let far = 1e6;
    for a in boxes([1.0, 1.0, 1.0]) {
        for b in boxes([1.0, 1.0, 1.0]) {
            for origin in [0.0, far] {
                // A corner of each in the other: the curve is a hexagon, with two edges of each
                // length.
                let found = ask(&a, &b, [&at(origin, 0.0, 0.0), &at(origin + 1.5, 1.25, 1.125)]);
                let [one] = &found[..] else { panic!("one curve: {found:?}") };
                assert!(one.kind == ContactKind::Crossing && one.is_closed, "{one:?}");
                assert!((one.length - 2.0 * (0.5 + 0.75 + 0.875)).abs() < 1e-8, "{one:?}");
                is_box(one, [origin + 0.5, 0.25, 0.125], [origin + 1.0, 1.0, 1.0], 1e-8);
            }
        }
    }
    // A bar through a plate, aligned with it, with edges above the diagonals of its faces: in and
    // out.
    for plate in boxes([2.0, 2.0, 0.125]) {
        for bar in boxes([0.25, 0.25, 3.0]) {
            let found = ask(&plate, &bar, [&at(0.0, 0.0, 0.0), &at(0.0, 0.0, 0.5)]);
            assert_eq!(found.len(), 2, "{found:?}");
            for (contact, z) in found.iter().zip(if found[0].point.z < 0.0 { [-0.125, 0.125] } else { [0.125, -0.125] })
            {
                assert!(contact.kind == ContactKind::Crossing && contact.is_closed, "{contact:?}");
                assert!((contact.length - 2.0).abs() < 1e-8, "{contact:?}");
                is_box(contact, [-0.25, -0.25, z], [0.25, 0.25, z], 1e-8);
            }
        }
    }
}

#[test]
fn faces_that_lie_on_each_other_touch_in_what_they_share() {
    for table in boxes([2.0, 1.0, 0.5]) {
        for cube in boxes([0.5, 0.5, 0.5]) {
            for (lift, shift) in [(0.0, 0.0), (5e-7, 0.0), (-5e-7, 0.0), (0.0, 1.75)] {
                let found = ask(&table, &cube, [&at(0.0, 0.0, 0.0), &at(shift, 0.125, 1.0 + lift)]);
                let [one] = &found[..] else { panic!("one region: {found:?}") };
                assert_eq!(one.kind, ContactKind::Touching, "{one:?}");
                let right = 2.0_f64.min(shift + 0.5);
                is_box(one, [shift - 0.5, -0.375, 0.5], [right, 0.625, 0.5], 1e-6);
            }
        }
    }
}

#[test]
fn parts_inside_and_grown_bodies_have_a_contact_each() {
    let hollow = Solid::cuboid([2.0, 2.0, 2.0], 2).shape(Model::Mesh, 0.0);
    let two = Solid::cuboid([0.25, 0.25, 0.25], 1).and(&Solid::cuboid([0.25, 0.25, 0.5], 1).moved([1.0, 0.0, 0.0]));
    let two = two.shape(Model::Mesh, 0.0);
    let found = ask(&hollow, &two, [&at(0.0, 0.0, 0.0), &at(0.0, 0.0, 0.0)]);
    assert!(found.len() == 2 && found.iter().all(|c| c.kind == ContactKind::Inside), "{found:?}");
    is_box(&found[0], [-0.25; 3], [0.25; 3], 1e-9);
    is_box(&found[1], [0.75, -0.25, -0.5], [1.25, 0.25, 0.5], 1e-9);
    // One part inside, and one that sticks out.
    let found = ask(&hollow, &two, [&at(0.0, 0.0, 0.0), &at(1.125, 0.0, 0.0)]);
    let kinds: Vec<ContactKind> = found.iter().map(|c| c.kind).collect();
    assert_eq!(kinds, [ContactKind::Crossing, ContactKind::Inside], "{found:?}");
    assert!(found[0].is_closed && (found[0].length - 3.0).abs() < 1e-8, "{found:?}");
    let ball = |radius: f64| Geometry::Sphere(radius).shape(0.0).expect("a ball");
    let (one, other) = (ball(1.0), ball(0.75));
    let found = ask(&one, &other, [&at(0.0, 0.0, 0.0), &at(1.25, 0.0, 0.0)]);
    assert!(found.len() == 1 && found[0].kind == ContactKind::Grown, "{found:?}");
    // The circle in which both meet lies at x = (1.25^2 + 1 - 0.75^2) / 2.5 = 0.8, and has the
    // radius 0.6.
    assert!(found[0].low.y < -0.599_999 && found[0].high.z > 0.599_999 && (found[0].point.x - 0.75).abs() < 1e-9);
    let found = ask(&one, &other, [&at(0.0, 0.0, 0.0), &at(0.0, 1.75, 0.0)]);
    assert!(found.len() == 1 && found[0].kind == ContactKind::Touching, "{found:?}");
    assert!((found[0].point - Vec3::new(0.0, 1.0, 0.0)).length() < 1e-6, "{found:?}");
}

/// Two balls of all kinds of radii, up to one within the other: the point lies in the box, and in
/// both balls.
#[test]
fn a_point_of_grown_bodies_lies_in_both_and_in_the_box() {
    let radii = [1e-9, 0.01, 0.2, 0.5, 1.0];
    let (mut within, mut beside) = (0, 0);
    for (r, s) in radii.into_iter().flat_map(|r| radii.map(|s| (r, s))) {
        let [one, other] = [r, s].map(|radius| Geometry::Sphere(radius).shape(0.0).expect("a ball"));
        for share in [0.01, 0.3, 0.7, 0.99] {
            let away = share * (r + s);
            let found = ask(&one, &other, [&at(0.0, 0.0, 0.0), &at(0.6 * away, 0.8 * away, 0.0)]);
            let Some(contact) = found.iter().find(|contact| contact.kind == ContactKind::Grown) else { continue };
            *(if away <= (r - s).abs() { &mut within } else { &mut beside }) += 1;
            let p = contact.point;
            let off = (p - Vec3::new(0.6 * away, 0.8 * away, 0.0)).length();
            assert!(p.length() <= r + 1e-12 && off <= s + 1e-12, "{r} {s} {away}: {contact:?}");
            for axis in 0..3 {
                assert!(contact.low[axis] <= p[axis] + 1e-12 && p[axis] <= contact.high[axis] + 1e-12, "{contact:?}");
            }
        }
    }
    assert!(within > 20 && beside > 20, "{within} {beside}");
}

#[test]
fn pieces_have_a_contact_for_each_pair_that_meets() {
    let pieces = [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 5.0, 0.0]];
    let corners = |at: [f64; 3]| Solid::cuboid([0.25, 0.25, 0.25], 1).moved(at).vertices;
    let comb = Geometry::Pieces(pieces.map(corners).to_vec()).shape(0.0).expect("pieces");
    let bar = Geometry::Box([4.0, 0.25, 0.25]).shape(0.0).expect("a box");
    let found = ask(&comb, &bar, [&at(0.0, 0.0, 0.0), &at(0.0, 0.0625, 0.03125)]);
    // The bar goes through two of three pieces, in and out.
    assert_eq!(found.len(), 4, "{found:?}");
    assert!(found.iter().all(|c| c.is_closed && (c.length - 1.0).abs() < 1e-8), "{found:?}");
    let mut parts: Vec<i32> = found.iter().map(|c| c.part[0]).collect();
    parts.sort_unstable();
    assert_eq!(parts, [0, 0, 1, 1]);
}

/// The segment in which two triangles cross: the parts of the line of both planes in each, by
/// clipping.
fn segment(a: &[Vec3<f64>; 3], b: &[Vec3<f64>; 3]) -> Option<[Vec3<f64>; 2]> {
    let normal = |t: &[Vec3<f64>; 3]| (t[1] - t[0]).cross(t[2] - t[0]);
    let in_plane = |t: &[Vec3<f64>; 3], n: Vec3<f64>, p: Vec3<f64>| {
        let h = t.map(|q| n.dot(q - p));
        let ends: Vec<Vec3<f64>> = (0..3)
            .filter(|&k| (h[k] < 0.0) != (h[(k + 1) % 3] < 0.0))
            .map(|k| t[k] + (t[(k + 1) % 3] - t[k]) * (h[k] / (h[k] - h[(k + 1) % 3])))
            .collect();
        (ends.len() == 2).then(|| [ends[0], ends[1]])
    };
    let (na, nb) = (normal(a), normal(b));
    let (one, other) = (in_plane(a, nb, b[0])?, in_plane(b, na, a[0])?);
    let along = na.cross(nb).normalized();
    let sorted = |of: [Vec3<f64>; 2]| if along.dot(of[0]) <= along.dot(of[1]) { of } else { [of[1], of[0]] };
    let (one, other) = (sorted(one), sorted(other));
    let from = if along.dot(one[0]) > along.dot(other[0]) { one[0] } else { other[0] };
    let to = if along.dot(one[1]) < along.dot(other[1]) { one[1] } else { other[1] };
    (along.dot(to - from) > 0.0).then_some([from, to])
}

#[test]
fn curves_have_the_length_of_all_segments_of_pairs_of_triangles() {
    let bumpy = Solid::ball(0.7, 8, 11, |d| 0.25 * (5.0 * d[0]).sin() * (4.0 * d[1] + 5.0).cos());
    let ring = Solid::ring(0.7, 0.2, 12, 7);
    let cube = Solid::cuboid([0.5, 0.4, 0.3], 3);
    let open = Solid::cuboid([0.6, 0.5, 0.4], 2).without(|t| t.iter().all(|c| c[2] == 0.4));
    let solids = [(&bumpy, true), (&ring, true), (&cube, true), (&open, false)];
    let mut random = Random(3);
    let (mut crossing, mut open_curves, mut several) = (0, 0, 0);
    for (i, &(a, a_closed)) in solids.iter().enumerate() {
        for &(b, b_closed) in &solids[i..] {
            let shapes = [a, b].map(|solid| solid.shape(Model::Mesh, 0.0));
            for _ in 0..60 {
                let poses = [random.pose(0.4), random.pose(0.4)];
                let found = ask(&shapes[0], &shapes[1], poses.each_ref());
                let world = |solid: &Solid, pose: &Pose| -> Vec<[Vec3<f64>; 3]> {
                    let r = clearsweep_geometry::pose::rotation(pose.q);
                    let point = |p: Vec3<f64>| pose.position + Vec3::new(r[0].dot(p), r[1].dot(p), r[2].dot(p));
                    solid.corners().iter().map(|t| t.map(point)).collect()
                };
                let (of_a, of_b) = (world(a, &poses[0]), world(b, &poses[1]));
                let segments = of_a.iter().flat_map(|s| of_b.iter().filter_map(move |t| segment(s, t)));
                let length: f64 = segments.map(|[p, q]| (q - p).length()).sum();
                let curves: Vec<&Contact> = found.iter().filter(|c| c.kind == ContactKind::Crossing).collect();
                let told: f64 = curves.iter().map(|c| c.length).sum();
                assert!((told - length).abs() < 1e-7, "{told} instead of {length}: {found:?}");
                assert!(!(a_closed && b_closed) || curves.iter().all(|c| c.is_closed), "{found:?}");
                crossing += usize::from(!curves.is_empty());
                several += usize::from(curves.len() > 1);
                open_curves += curves.iter().filter(|c| !c.is_closed).count();
            }
        }
    }
    assert!(
        crossing > 300 && several > 100 && open_curves > 20,
        "not representative: {crossing} {several} {open_curves}"
    );
}
