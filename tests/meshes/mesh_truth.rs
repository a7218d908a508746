//! Rows of triangle meshes hold the truth: against closed forms and all pairs of triangles, apart,
//! near, touching and overlapping.
//!
//! `CLEARSWEEP_MESH_TRUTH=N` asks N times as many cases.

#![allow(clippy::type_complexity, reason = "tables of cases, with a function each")]
#![allow(clippy::print_stdout, reason = "the figures of the record are for whoever runs the tests")]

mod closed_forms;

use crate::brute_force;
use clearsweep::Geometry;
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_narrow::{Proximity, Status, query_one};
use clearsweep_scene::{Model, QueryOptions, Shape};
use clearsweep_testing::random::Random;
use clearsweep_testing::random_motions::about;
use clearsweep_testing::solids::Solid;
use closed_forms::{Vector, norm, times};
use std::sync::Arc;

const OPTIONS: QueryOptions = QueryOptions { within: 1e9, ..QueryOptions::EVERYTHING };

const STILL: [f64; 4] = [1.0, 0.0, 0.0, 0.0];

/// How wide the bracket of surfaces apart may be, in sizes of the pair (docs/reference/numerics.md,
/// "Triangle meshes").
const WIDTH: f64 = 1e-13 + 512.0 * (f64::EPSILON / 2.0) + 4.0 * f64::EPSILON;

/// Bound on the rounding of the closed forms and the input, in sizes of the pair.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

fn times_as_many(cases: usize) -> usize {
    cases * std::env::var("CLEARSWEEP_MESH_TRUTH").map_or(1, |n| n.parse().expect("a number"))
}

fn ask(a: &Shape, b: &Shape, poses: [&Pose; 2]) -> Proximity {
    let [pa, pb] = poses;
    query_one(a, b, &pa.recentred(a.center), &pb.recentred(b.center), &OPTIONS)
}

/// How many cases were apart, near, touching within rounding, shallow and deep.
#[derive(Debug, Default)]
struct Shown {
    cells: [usize; 5],
    /// Brackets of cores apart that overlap by their growth, and how many of them are wider than
    /// 1e-12 of the size.
    sharp: [usize; 2],
    widest: f64,
}

impl Shown {
    /// A row against the signed distance; `sharp`: the bracket is narrow also where the bodies
    /// overlap.
    fn take(&mut self, row: &Proximity, truth: f64, size: f64, sharp: bool, case: &dyn std::fmt::Debug) {
        let off = ROUNDING * size;
        assert!(row.lower <= truth + off && truth - off <= row.upper, "{truth:e} is not in {row:?}, {case:?}");
        assert!(truth <= off || row.upper >= 0.0, "{truth:e} {row:?} {case:?}");
        let clear = 1e-12 * size;
        assert!(truth < clear || row.status == Status::Separated, "{truth:e} {row:?} {case:?}");
        let width = (row.upper - row.lower) / size;
        if truth > clear {
            assert!(width <= WIDTH, "{width:e} {truth:e} {row:?} {case:?}");
        } else if sharp {
            // Beside the border of two features the direction is that of either, and the way out is
            // that much longer.
            assert!(width <= 1e-8, "{width:e} {truth:e} {row:?} {case:?}");
            self.sharp = [self.sharp[0] + 1, self.sharp[1] + usize::from(width > 1e-12)];
            self.widest = self.widest.max(width);
        }
        let cell = if truth.abs() <= clear {
            2
        } else if truth > 0.0 {
            usize::from(truth < 1e-3 * size)
        } else {
            3 + usize::from(truth < -0.05 * size)
        };
        self.cells[cell] += 1;
    }
}

/// A gap of one of many sizes, either sign, and sometimes none.
fn gap(random: &mut Random) -> f64 {
    let size = 10_f64.powf(-14.0 * random.unit());
    [size, size, -size, 0.0][random.below(4)]
}

/// Half sides of a box.
fn half(random: &mut Random) -> Vector {
    std::array::from_fn(|_| 0.05 + 0.5 * random.unit())
}

/// Poses of two bodies, the second at `between` in the frame of the first: neither turned, or both
/// by one heading, or one turn.
fn together(random: &mut Random, between: Vector, kind: usize) -> [Pose; 2] {
    let q = match kind {
        0 => STILL,
        1 => about([0.0, 0.0, 1.0], 6.0 * random.signed()),
        _ => random.turn_by(3.0),
    };
    let at = times(random.vector(), [0.0, 1.0][random.below(2)]);
    let turned = Pose::new([0.0; 3], q).apply(Vec3::from(between));
    [Pose::new(at, q), Pose::new((Vec3::from(at) + turned).to_array(), q)]
}

fn size_of(a: &Shape, b: &Shape, poses: &[Pose; 2]) -> f64 {
    a.radius + b.radius + poses[0].position.length() + poses[1].position.length()
}

/// A place of the second of two boxes: anywhere about, or so that they are apart or overlap by a
/// small length along some axes.
fn place(random: &mut Random, [a, b]: [Vector; 2]) -> Vector {
    let mut at = times(random.vector(), [0.5, 1.0, 3.0][random.below(3)]);
    if random.below(3) > 0 {
        for i in 0..3 {
            if random.below(2) == 0 {
                at[i] = (a[i] + b[i] + gap(random)) * at[i].signum();
            }
        }
    }
    at
}

#[test]
fn boxes_as_meshes_hold_the_closed_form() {
    let mut random = Random(5);
    for kind in 0..3 {
        let mut shown = Shown::default();
        for _ in 0..times_as_many(60) {
            let halves = [half(&mut random), half(&mut random)];
            let pieces = [1 + random.below(2), 1 + random.below(3)];
            let [a, b] = [0, 1].map(|k: usize| Solid::cuboid(halves[k], pieces[k]).shape(Model::Mesh, 0.0));
            let hull = Solid::cuboid(halves[1], 1).shape(Model::Hull, 0.0);
            for number in 0..200 {
                let between = place(&mut random, halves);
                let poses = together(&mut random, between, kind);
                let other = if number % 4 == 0 { &hull } else { &b };
                let row = ask(&a, other, poses.each_ref());
                let truth = closed_forms::boxes(halves, between);
                shown.take(&row, truth, size_of(&a, other, &poses), false, &(halves, between, poses));
            }
        }
        println!("boxes, {kind}: {shown:?}");
        assert!(shown.cells.iter().all(|&n| n > 300), "not representative: {shown:?}");
    }
}

/// A box whose twelve edges are cut off by `cut`.
fn chamfered(half: Vector, cut: f64) -> Solid {
    let mut solid = Solid::default();
    // By axis and by signs: a corner of the face across it.
    let at = |axis: usize, signs: [usize; 3]| axis * 8 + signs[0] * 4 + signs[1] * 2 + signs[2];
    for axis in 0..3 {
        for k in 0..8_usize {
            let signs = [k >> 2 & 1, k >> 1 & 1, k & 1];
            solid.vertices.push(std::array::from_fn(|i| {
                let reach = if i == axis { half[i] } else { half[i] - cut };
                if signs[i] == 1 { reach } else { -reach }
            }));
        }
    }
    let mut face = |corners: &[usize]| {
        let p = |k: usize| Vec3::from(solid.vertices[corners[k]]);
        let outward = (p(1) - p(0)).cross(p(2) - p(0)).dot(p(0)) > 0.0;
        for k in 1..corners.len() - 1 {
            let t = [corners[0], corners[k], corners[k + 1]];
            solid.triangles.push(if outward { t } else { [t[0], t[2], t[1]] });
        }
    };
    for axis in 0..3 {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let signs = |s: usize, t: usize, w: usize| {
            let mut signs = [0; 3];
            (signs[axis], signs[u], signs[v]) = (s, t, w);
            signs
        };
        for side in 0..2 {
            face(&[(0, 0), (1, 0), (1, 1), (0, 1)].map(|(t, w)| at(axis, signs(side, t, w))));
        }
        // The edges along the axis.
        for (t, w) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let ends = [signs(0, t, w), signs(1, t, w)];
            face(&[at(u, ends[0]), at(v, ends[0]), at(v, ends[1]), at(u, ends[1])]);
        }
    }
    for k in 0..8_usize {
        let signs = [k >> 2 & 1, k >> 1 & 1, k & 1];
        face(&[at(0, signs), at(1, signs), at(2, signs)]);
    }
    solid
}

#[test]
fn chamfered_boxes_hold_the_distance_of_all_pairs_of_triangles() {
    let mut random = Random(6);
    for kind in 0..2 {
        let (mut apart, mut near, mut meeting) = (0, 0, 0);
        for _ in 0..times_as_many(50) {
            let halves = [half(&mut random), half(&mut random)];
            let solids = halves.map(|half| chamfered(half, 0.04 * random.unit().max(0.1)));
            let [a, b] = solids.each_ref().map(|solid| solid.shape(Model::Mesh, 0.0));
            assert!(a.mesh.as_ref().is_some_and(|mesh| mesh.is_solid()));
            for _ in 0..100 {
                let between = place(&mut random, halves);
                let poses = together(&mut random, between, kind);
                let row = ask(&a, &b, poses.each_ref());
                let pose = Pose::new(between, STILL);
                let [lower, upper] = brute_force::surface_distance(&solids[0], &solids[1], &pose);
                let size = size_of(&a, &b, &poses);
                let clear = 1e-12 * size;
                if closed_forms::boxes(halves, between) < -0.05 || upper < clear {
                    // One may hold the other.
                    assert!(row.lower <= clear, "{row:?}");
                    meeting += 1;
                    continue;
                }
                if lower == 0.0 {
                    // Triangles that cross, or nearly: brute force does not say which.
                    assert!(row.lower <= upper + ROUNDING * size, "{upper:e} {row:?} {poses:?}");
                    meeting += 1;
                    continue;
                }
                let holds = row.lower <= upper + ROUNDING * size && lower - ROUNDING * size <= row.upper;
                assert!(holds && row.upper >= lower, "{lower:e} {upper:e} {row:?} {solids:?} {poses:?}");
                if lower > clear {
                    assert!(row.status == Status::Separated && row.upper - row.lower <= WIDTH * size, "{row:?}");
                    (apart, near) = (apart + 1, near + usize::from(lower < 1e-3));
                }
            }
        }
        println!("chamfered boxes, {kind}: {apart} apart, {near} of them near, {meeting} meeting");
        assert!(apart > 1_500 && near > 100 && meeting > 500, "not representative: {apart} {near} {meeting}");
    }
}

/// A body beside a box: its shape, the signed distance of its core from the box, and by how much it
/// is grown.
struct Beside {
    shape: Arc<Shape>,
    radius: f64,
    core: fn(Vector, Vector, &Pose) -> Option<f64>,
    name: &'static str,
    half: Vector,
}

/// Half the length of the capsules' segments.
const REACH: f64 = 0.4;

fn bodies_beside(random: &mut Random) -> Vec<Beside> {
    let point = |half: Vector, _: Vector, pose: &Pose| Some(closed_forms::point(half, pose.position.to_array()));
    let segment = |half: Vector, _: Vector, pose: &Pose| {
        let [from, to] = [-REACH, REACH].map(|z| pose.apply(Vec3::new(0.0, 0.0, z)).to_array());
        let distance = closed_forms::segment(half, from, to);
        // How deep a segment lies in a box the formula does not say.
        (distance > 1e-9).then_some(distance)
    };
    let cuboid = |half: Vector, own: Vector, pose: &Pose| {
        (pose.q == STILL).then(|| closed_forms::boxes([half, own], pose.position.to_array()))
    };
    let (radius, offset) = (0.05 + 0.4 * random.unit(), 0.02 + 0.2 * random.unit());
    let own = half(random);
    let capsule = Geometry::Capsule { radius, length: 2.0 * REACH };
    let solid = |model: Model| Solid::cuboid(own, 1).shape(model, offset);
    let ball = Geometry::Sphere(radius).shape(offset).expect("a ball");
    vec![
        Beside { shape: ball, radius: radius + offset, core: point, name: "sphere", half: [0.0; 3] },
        Beside {
            shape: capsule.shape(0.0).expect("a capsule"),
            radius,
            core: segment,
            name: "capsule",
            half: [0.0; 3],
        },
        Beside { shape: solid(Model::Hull), radius: offset, core: cuboid, name: "grown hull", half: own },
        Beside { shape: solid(Model::Mesh), radius: offset, core: cuboid, name: "grown mesh", half: own },
    ]
}

#[test]
fn grown_bodies_beside_a_mesh_hold_the_distance_of_the_cores_less_the_growth() {
    let mut random = Random(7);
    for kind in 0..4 {
        let (mut shown, mut name, mut grazing) = (Shown::default(), "", 0);
        for number in 0..times_as_many(60) {
            let half = half(&mut random);
            let offset = [0.0, 0.05 * random.unit()][number % 2];
            let mesh = Solid::cuboid(half, 1 + number % 3).shape(Model::Mesh, offset);
            let other = bodies_beside(&mut random).swap_remove(kind);
            name = other.name;
            let growth = other.radius + offset;
            for number in 0..120 {
                let q = if kind < 2 && number % 3 > 0 { random.turn_by(3.0) } else { STILL };
                let mut at = place(&mut random, [half, other.half]);
                if number % 2 == 0 {
                    // Out of the box until the cores are apart by the growth, or a share of it, and
                    // a small length.
                    let to = [1.0, 1.0, 0.5, 0.01][random.below(4)] * growth + gap(&mut random).abs().min(0.1);
                    let core = |t: f64| (other.core)(half, other.half, &Pose::new(times(at, t), q)).unwrap_or(0.0);
                    let [mut low, mut high] = [0.0, 8.0 / norm(at)];
                    for _ in 0..100 {
                        let t = 0.5 * (low + high);
                        (low, high) = if core(t) < to { (t, high) } else { (low, t) };
                    }
                    at = times(at, high);
                }
                let pose = Pose::new(at, q);
                let Some(core) = (other.core)(half, other.half, &pose) else { continue };
                let poses = [Pose::IDENTITY, pose];
                let case = (name, half, offset, other.radius, pose);
                for swapped in [false, true] {
                    let row = if swapped {
                        ask(&other.shape, &mesh, [&poses[1], &poses[0]])
                    } else {
                        ask(&mesh, &other.shape, [&poses[0], &poses[1]])
                    };
                    let size = size_of(&mesh, &other.shape, &poses);
                    // Cores that are apart, if only just.
                    let sharp = core > 1e-9;
                    shown.take(&row, core - growth, size, sharp, &case);
                    grazing += usize::from(sharp && core < growth);
                }
            }
        }
        println!("mesh and {name}: {shown:?}, {grazing} with cores apart");
        let needed = [1_000, 300, 200, 200, 200];
        assert!((0..5).all(|i| shown.cells[i] > needed[i]), "not representative: {name} {shown:?}");
        assert!(grazing > 1_500, "not representative: {name} {grazing}");
        assert!(50 * shown.sharp[1] < shown.sharp[0], "brackets of convex bodies are sharp: {name} {shown:?}");
    }
}

#[test]
fn a_ball_in_a_slot_is_as_deep_as_the_way_out_is_long() {
    let mut random = Random(8);
    let mut held = 0;
    for _ in 0..times_as_many(200) {
        let (wide, radius) = (0.1 + 0.1 * random.unit(), 0.25 + 0.05 * random.unit());
        // Two walls on a floor, far longer than the ball: the slot is open above.
        let wall = |x: f64| Solid::cuboid([0.5, 2.0, 1.0], 1).moved([x, 0.0, 0.0]);
        let slot = wall(-0.5 - wide).and(&wall(0.5 + wide)).shape(Model::Mesh, 0.0);
        let ball = Geometry::Sphere(radius).shape(0.0).expect("a ball");
        let depth = 0.3 * random.unit();
        let row = ask(&slot, &ball, [&Pose::IDENTITY, &Pose::new([0.0, 0.0, 1.0 - depth], STILL)]);
        // Up until the edges of the walls are a radius away.
        let out = depth + (radius * radius - wide * wide).sqrt();
        assert!(
            row.lower <= -out + 1e-12 && row.upper >= -out && row.upper <= -(radius - wide) + 1e-12,
            "{out} {row:?}"
        );
        held += usize::from(row.lower >= -out - 1e-9);
    }
    assert!(held > 150, "the way out is found: {held}");
}

#[test]
fn gaps_below_rounding_lie_inside_the_bracket() {
    let mut random = Random(9);
    let one = |t: [Vector; 3]| Solid { vertices: t.to_vec(), triangles: vec![[0, 1, 2]] }.shape(Model::Mesh, 0.0);
    let face = one([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    let others = [
        one([[0.1, 0.1, 0.0], [0.9, 0.05, 0.0], [0.1, 0.8, 0.0]]),
        one([[0.2, 0.2, 0.0], [0.4, 0.2, 0.5], [0.2, 0.5, 0.7]]),
        one([[-1.0, 0.3, 0.0], [1.0, 0.3, 0.0], [0.0, 0.3, 1.0]]),
    ];
    let (a, b) =
        (Solid::cuboid([0.5; 3], 1).shape(Model::Mesh, 0.0), Solid::cuboid([0.5; 3], 2).shape(Model::Mesh, 0.0));
    let (mut tiny, mut all) = (0, 0);
    for number in 0..times_as_many(2_000) {
        let gap = if number == 0 { 2e-13 } else { 10_f64.powf(-17.0 + 6.0 * random.unit()) };
        for other in &others {
            let row = ask(&face, other, [&Pose::IDENTITY, &Pose::new([0.0, 0.0, gap], STILL)]);
            assert!(row.lower <= gap && gap <= row.upper && row.upper <= gap + 1e-12, "{gap:e} {row:?}");
            tiny += usize::from(row.lower < 0.0);
            all += 1;
        }
        let up = 1.0 + gap;
        let row = ask(&a, &b, [&Pose::IDENTITY, &Pose::new([0.25, -0.125, up], STILL)]);
        let gap = up - 1.0;
        assert!(row.lower <= gap && gap <= row.upper && row.upper <= gap + 1e-12, "{gap:e} {row:?}");
    }
    assert!(3 * tiny > all && tiny < all, "not representative: {tiny} of {all}");
}

/// The distance of a point from a mesh, over all triangles.
fn from_surface(p: Vec3<f64>, corners: &[[Vec3<f64>; 3]]) -> f64 {
    let mut least = f64::INFINITY;
    for t in corners {
        let nearest = t.iter().map(|q| (*q - p).length()).fold(f64::INFINITY, f64::min);
        let longest = (0..3).map(|k| (t[k] - t[(k + 1) % 3]).length()).fold(0.0, f64::max);
        if nearest - longest < least {
            least = least.min(brute_force::triangle_bracket(&[p; 3], t)[1]);
        }
    }
    least
}

#[test]
fn protrusions_are_those_of_all_vertices_and_triangles() {
    let mut random = Random(10);
    let dents = |d: Vector| 0.3 * (5.0 * d[0]).sin() * (4.0 * d[1] + 1.0).cos() - 0.1 * (9.0 * d[2]).cos();
    let ball = Solid::ball(0.8, 20, 32, dents);
    let sides = [2.0, 1.5, 1.8];
    let (radius, tube) = (1.4, 0.7);
    let in_block = |p: Vec3<f64>| -closed_forms::point(sides, p.to_array());
    let in_ring = |p: Vec3<f64>| tube - ((p.x.hypot(p.y) - radius).powi(2) + p.z * p.z).sqrt();
    let hosts: [(Solid, &dyn Fn(Vec3<f64>) -> f64); 2] =
        [(Solid::cuboid(sides, 2), &in_block), (Solid::ring(radius, tube, 40, 24), &in_ring)];
    let shape = ball.shape(Model::Mesh, 0.0);
    let (mut deep, mut shallow) = (0, 0);
    for (solid, inside) in &hosts {
        let (host, corners) = (solid.shape(Model::Mesh, 0.0), solid.corners());
        let own = ball.corners();
        for number in 0..times_as_many(40) {
            let at = times(random.vector(), 1.6);
            let pose = Pose::new(at, if number % 2 == 0 { STILL } else { random.turn_by(3.0) });
            let row = ask(&host, &shape, [&Pose::IDENTITY, &pose]);
            let swapped = ask(&shape, &host, [&pose, &Pose::IDENTITY]);
            // What is far inside of the host in truth is so in its triangles.
            let mut truth = f64::NAN;
            for v in &ball.vertices {
                let p = pose.apply(Vec3::from(*v));
                if inside(p) > 0.05 && (truth.is_nan() || inside(p) + 0.05 > truth) {
                    truth = truth.max(from_surface(p, &corners));
                }
            }
            // A vertex of the host in the ball.
            for v in &solid.vertices {
                let p = Vec3::from(*v) - pose.position;
                let p = Pose::new([0.0; 3], [pose.q[0], -pose.q[1], -pose.q[2], -pose.q[3]]).apply(p);
                let d = p * (1.0 / p.length());
                if p.length() < 0.8 * (1.0 + dents(d.to_array())) - 0.05 {
                    truth = truth.max(from_surface(p, &own));
                }
            }
            if truth.is_nan() {
                shallow += 1;
                assert!(row.protrusion.is_nan() || row.protrusion < 0.1, "{row:?}");
                continue;
            }
            for row in [&row, &swapped] {
                assert!((row.protrusion - truth).abs() < 1e-12, "{number}: {} for {truth}", row.protrusion);
            }
            deep += 1;
        }
    }
    println!("protrusions: {deep} deep, {shallow} not");
    assert!(deep > 50, "not representative: {deep} {shallow}");
}
