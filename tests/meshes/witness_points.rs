//! Witness points of bodies that overlap, of which one is not convex: `a` on A's surface and not
//! outside of B, `b` on B's surface and not outside of A, to 1e-9 of the size of the pair.
//!
//! The oracle takes all triangles of both bodies: distances from each, and the solid angle of all.
//! It shares no code with the engine.

#![allow(clippy::print_stdout, reason = "the figures of the record are for whoever runs the tests")]

use clearsweep::Geometry;
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_narrow::{Method, Proximity, Status, query_one};
use clearsweep_scene::{Model, QueryOptions, Shape};
use clearsweep_testing::random::Random;
use clearsweep_testing::solids::Solid;
use std::collections::BTreeMap;
use std::sync::Arc;

const OPTIONS: QueryOptions = QueryOptions { within: 1e9, touch: 1e-9, ..QueryOptions::EVERYTHING };

/// How far a point may be off, in sizes of the pair.
const PROMISED: f64 = 1e-9;

/// A body, and its triangles as the test made them.
struct Body {
    kind: &'static str,
    shape: Arc<Shape>,
    /// In the frame of the file.
    triangles: Vec<[Vec3<f64>; 3]>,
    solid: bool,
    growth: f64,
    convex: bool,
}

impl Body {
    fn of_solid(kind: &'static str, solid: &Solid, model: Model, growth: f64) -> Self {
        let shape = solid.shape(model, growth);
        let triangles = solid.corners();
        Self { kind, shape, triangles, solid: kind != "sheet", growth, convex: model == Model::Hull }
    }

    /// Boxes: middles and half sides.
    fn of_boxes(kind: &'static str, boxes: &[([f64; 3], [f64; 3])], growth: f64) -> Self {
        let solids: Vec<Solid> = boxes.iter().map(|&(at, half)| Solid::cuboid(half, 1).moved(at)).collect();
        let shape = Geometry::Pieces(solids.iter().map(|s| s.vertices.clone()).collect()).shape(growth);
        let triangles = solids.iter().flat_map(Solid::corners).collect();
        Self { kind, shape: shape.expect("a body"), triangles, solid: true, growth, convex: false }
    }

    /// A point or a segment along z, grown.
    fn round(kind: &'static str, geometry: Geometry, half: f64, growth: f64) -> Self {
        let [p, q] = [-half, half].map(|z| Vec3::new(0.0, 0.0, z));
        let shape = geometry.shape(0.0).expect("a body");
        Self { kind, shape, triangles: vec![[p, q, q]], solid: false, growth, convex: true }
    }
}

fn bodies() -> Vec<Body> {
    let bumps = |k: f64| move |d: [f64; 3]| 0.25 * (k * d[0]).sin() * (4.0 * d[1] + k).cos();
    let bumpy = Solid::ball(0.7, 8, 11, bumps(5.0));
    let ring = Solid::ring(0.7, 0.2, 12, 7);
    let two = Solid::cuboid([0.5, 0.2, 0.2], 1).and(&Solid::cuboid([0.2, 0.6, 0.25], 2).moved([0.35, 0.3, 0.0]));
    let sheet = Solid::cuboid([0.6, 0.5, 0.4], 2).without(|t| t.iter().all(|c| c[2] == 0.4));
    let ell = [([0.0; 3], [0.5, 0.125, 0.125]), ([-0.375, 0.375, 0.0], [0.125, 0.25, 0.125])];
    let chain = [0, 1, 2, 3].map(|k| ([0.25 * f64::from(k) - 0.5, 0.0, 0.0], [0.125, 0.0625, 0.25]));
    let crossed = [([0.1, 0.0, 0.0], [0.4, 0.1, 0.15]), ([-0.1, 0.1, 0.05], [0.1, 0.5, 0.2])];
    vec![
        Body::of_solid("mesh", &bumpy, Model::Mesh, 0.0),
        Body::of_solid("ring", &ring, Model::Mesh, 0.0),
        Body::of_solid("parts", &two, Model::Mesh, 0.0),
        Body::of_solid("grown mesh", &ring, Model::Mesh, 0.1),
        Body::of_solid("sheet", &sheet, Model::Mesh, 0.0),
        Body::of_boxes("ell", &ell, 0.0),
        Body::of_boxes("chain", &chain, 0.0),
        Body::of_boxes("crossed", &crossed, 0.0),
        Body::of_boxes("grown ell", &ell, 0.08),
        Body::of_solid("hull", &Solid::ball(0.5, 5, 7, |_| 0.0), Model::Hull, 0.0),
        Body::of_solid("grown hull", &Solid::cuboid([0.5, 0.1, 0.3], 1), Model::Hull, 0.15),
        Body::round("sphere", Geometry::Sphere(0.3), 0.0, 0.3),
        Body::round("capsule", Geometry::Capsule { radius: 0.12, length: 1.2 }, 0.6, 0.12),
    ]
}

/// A point as the oracle sees it from a body.
#[derive(Debug, Clone, Copy)]
struct Seen {
    /// From the nearest triangle, metres.
    distance: f64,
    /// Inside of the core.
    inside: bool,
}

fn closest_on_segment(p: Vec3<f64>, a: Vec3<f64>, b: Vec3<f64>) -> f64 {
    let d = b - a;
    let t = if d.dot(d) > 0.0 { ((p - a).dot(d) / d.dot(d)).clamp(0.0, 1.0) } else { 0.0 };
    (p - (a + d * t)).length()
}

/// To a plane where the foot is inside of the triangle, else to an edge.
fn from_triangle(p: Vec3<f64>, t: &[Vec3<f64>; 3]) -> f64 {
    let edges = [0, 1, 2].map(|i| closest_on_segment(p, t[i], t[(i + 1) % 3]));
    let least = edges.into_iter().fold(f64::INFINITY, f64::min);
    let normal = (t[1] - t[0]).cross(t[2] - t[0]);
    let is_over = (0..3).all(|i| (t[(i + 1) % 3] - t[i]).cross(p - t[i]).dot(normal) >= 0.0);
    if is_over && normal.length() > 0.0 { least.min(((p - t[0]).dot(normal) / normal.length()).abs()) } else { least }
}

/// The solid angle of a triangle (van Oosterom and Strackee 1983).
fn solid_angle(p: Vec3<f64>, t: &[Vec3<f64>; 3]) -> f64 {
    let [a, b, c] = t.map(|corner| corner - p);
    let [la, lb, lc] = [a.length(), b.length(), c.length()];
    2.0 * a.dot(b.cross(c)).atan2(la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb)
}

impl Body {
    fn see(&self, p: Vec3<f64>) -> Seen {
        let distance = self.triangles.iter().map(|t| from_triangle(p, t)).fold(f64::INFINITY, f64::min);
        let turns = self.triangles.iter().map(|t| solid_angle(p, t)).sum::<f64>() / (4.0 * std::f64::consts::PI);
        Seen { distance, inside: self.solid && turns > 0.5 }
    }

    fn is_not_outside(&self, p: Vec3<f64>, tolerance: f64) -> bool {
        let seen = self.see(p);
        seen.inside || seen.distance <= self.growth + tolerance
    }

    /// Whether a point is as near to a point outside as the tolerance allows, and not outside.
    fn is_on_surface(&self, p: Vec3<f64>, tolerance: f64) -> bool {
        let seen = self.see(p);
        if self.growth > 0.0 {
            return !seen.inside && (seen.distance - self.growth).abs() <= tolerance;
        }
        // A triangle inside of another part is no surface.
        let is_bare = || {
            let mut random = Random(5);
            (0..200).any(|_| !self.see(p + random.vec3().normalized() * (1e3 * tolerance)).inside)
        };
        seen.distance <= tolerance && is_bare()
    }

    /// Whether all corners of another body lie so deep inside that it lies wholly in this one.
    fn holds(&self, other: &Self, to_own: impl Fn(Vec3<f64>) -> Vec3<f64>) -> bool {
        other.triangles.iter().flatten().all(|&corner| {
            let seen = self.see(to_own(corner));
            if seen.inside {
                seen.distance + self.growth >= other.growth
            } else {
                seen.distance + other.growth <= self.growth
            }
        })
    }
}

/// Maps of a pose: a point of B's frame in A's, and back.
struct Moved {
    pose: Pose,
}

impl Moved {
    fn turned(q: [f64; 4], v: Vec3<f64>) -> Vec3<f64> {
        let norm = q.iter().map(|x| x * x).sum::<f64>();
        let u = Vec3::new(q[1], q[2], q[3]);
        let twice = u.cross(v) * (2.0 / norm);
        v + twice * q[0] + u.cross(twice)
    }

    fn to_a(&self, p: Vec3<f64>) -> Vec3<f64> {
        self.pose.position + Self::turned(self.pose.q, p)
    }

    fn to_b(&self, p: Vec3<f64>) -> Vec3<f64> {
        let [w, x, y, z] = self.pose.q;
        Self::turned([w, -x, -y, -z], p - self.pose.position)
    }
}

/// Counts of the pairs of two kinds.
#[derive(Debug, Default, Clone, Copy)]
struct Counts {
    overlapping: usize,
    contained: usize,
}

/// The row, its points in the frame of A's file, after A and B were moved by `world`.
fn asked(a: &Body, b: &Body, pose: &Pose, world: &Pose) -> (Proximity, [Vec3<f64>; 2]) {
    let outer = Moved { pose: *world };
    let (q, p) = (world.q, pose.q);
    let product = [
        q[0] * p[0] - q[1] * p[1] - q[2] * p[2] - q[3] * p[3],
        q[0] * p[1] + q[1] * p[0] + q[2] * p[3] - q[3] * p[2],
        q[0] * p[2] - q[1] * p[3] + q[2] * p[0] + q[3] * p[1],
        q[0] * p[3] + q[1] * p[2] - q[2] * p[1] + q[3] * p[0],
    ];
    let pose_b = Pose::new(outer.to_a(pose.position).to_array(), product);
    let (ca, cb) = (a.shape.center, b.shape.center);
    let row = query_one(&a.shape, &b.shape, &world.recentred(ca), &pose_b.recentred(cb), &OPTIONS);
    let points = [row.point_a + ca, row.point_b + ca];
    (row, points)
}

fn check(a: &Body, b: &Body, pose: &Pose, world: &Pose, counts: &mut Counts) -> Proximity {
    let (row, points) = asked(a, b, pose, world);
    // Inside of an open mesh by the winding number the nearest points of the surfaces are the
    // witness points.
    if row.status == Status::Separated || row.method == Method::Winding {
        return row;
    }
    let moved = Moved { pose: *pose };
    let far = |body: &Body| body.triangles.iter().flatten().map(|c| c.length()).fold(0.0, f64::max) + body.growth;
    let tolerance = PROMISED * (far(a) + far(b) + pose.position.length());
    let words = format!("{} {} {pose:?} {world:?} {row:?}", a.kind, b.kind);
    counts.overlapping += 1;
    let [p, q] = [points[0], moved.to_b(points[1])];
    assert!(a.is_on_surface(p, tolerance), "a is not on A: {words} {:?}", a.see(p));
    assert!(b.is_on_surface(q, tolerance), "b is not on B: {words} {:?}", b.see(q));
    let a_in_b = b.is_not_outside(moved.to_b(p), tolerance);
    let b_in_a = a.is_not_outside(points[1], tolerance);
    if !(a_in_b && b_in_a) {
        counts.contained += 1;
        let held = if a_in_b { b.holds(a, |p| moved.to_b(p)) } else { a.holds(b, |p| moved.to_a(p)) };
        assert!(a_in_b != b_in_a && held, "outside: {a_in_b} {b_in_a} {held}: {words}");
    }
    row
}

#[test]
fn witness_points_lie_on_both_bodies() {
    let bodies = bodies();
    let mut random = Random(1);
    let mut all: BTreeMap<(&str, &str), Counts> = BTreeMap::new();
    for (i, a) in bodies.iter().enumerate() {
        for b in &bodies[i..] {
            if a.convex && b.convex {
                continue;
            }
            let counts = all.entry((a.kind, b.kind)).or_default();
            for number in 0..40 {
                let pose = random.pose(if number % 4 == 0 { 0.25 } else { 0.8 });
                let world = if number % 3 == 0 { random.pose(3.0) } else { Pose::IDENTITY };
                let moved = Moved { pose };
                let back = Pose::new(
                    moved.to_b(Vec3::new(0.0, 0.0, 0.0)).to_array(),
                    [pose.q[0], -pose.q[1], -pose.q[2], -pose.q[3]],
                );
                let row = check(a, b, &pose, &world, counts);
                let swapped = check(b, a, &back, &world, counts);
                assert_eq!(row.status, swapped.status, "{} {} {pose:?}", a.kind, b.kind);
            }
        }
    }
    for (kinds, counts) in &all {
        println!("{kinds:?}: {counts:?}");
        assert!(counts.overlapping >= 16, "not representative: {kinds:?} {counts:?}");
    }
    let contained: usize = all.values().map(|c| c.contained).sum();
    let overlapping: usize = all.values().map(|c| c.overlapping).sum();
    println!("{overlapping} overlap, {contained} of them one wholly inside of the other");
    assert!(contained >= 20 && contained * 5 < overlapping, "not representative: {contained} of {overlapping}");
}

#[test]
fn a_pipe_through_a_beam_is_met_where_it_passes() {
    let beam = Body::of_solid("beam", &Solid::cuboid([10.0, 0.1, 0.1], 1), Model::Mesh, 0.0);
    let pipe = Body::of_solid("pipe", &Solid::cuboid([0.1, 10.0, 0.1], 1), Model::Mesh, 0.0);
    let pose = Pose::new([7.0, 0.0, 0.1], [1.0, 0.0, 0.0, 0.0]);
    let row = check(&beam, &pipe, &pose, &Pose::IDENTITY, &mut Counts::default());
    for p in [row.point_a, row.point_b] {
        assert!((p.x - 7.0).abs() <= 0.2 && p.y.abs() <= 0.2 && (p.z - 0.05).abs() <= 0.15, "{row:?}");
    }
}
