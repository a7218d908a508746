//! Bodies, poses and gaps that are asked.

use clearsweep_geometry::{Pose, Vec3};
use clearsweep_narrow::{Proximity, query_one};
use clearsweep_scene::{Model, QueryOptions, Shape};
use clearsweep_testing::random::Random;
use clearsweep_testing::solids::Solid;
use std::sync::Arc;

/// Pairs of a family in every test run.
const PAIRS: usize = 360;

/// Every pair has a row, and none counts as touching for its nearness alone.
const OPTIONS: QueryOptions = QueryOptions { within: 1e12, ..QueryOptions::EVERYTHING };

/// How many pairs of a family are asked.
pub(crate) fn asked() -> usize {
    std::env::var("CLEARSWEEP_MESH_EXACT").map_or(PAIRS, |n| n.parse().expect("CLEARSWEEP_MESH_EXACT is a number"))
}

/// A mesh as the file has it, and the body.
pub(crate) struct Meshed {
    pub(crate) solid: Solid,
    pub(crate) shape: Arc<Shape>,
    /// Whether it has an inside.
    pub(crate) closed: bool,
    /// The middle of its box.
    middle: Vec3<f64>,
}

/// Meshes of 12 to 2,000 triangles, moved from their origin by about `far` metres, to coordinates
/// in `f64`.
pub(crate) fn bodies(far: f64) -> Vec<Meshed> {
    let bumps = |k: f64| move |d: [f64; 3]| 0.2 * (k * d[0]).sin() * (4.0 * d[1] + k).cos();
    let tray = Solid::cuboid([0.7, 0.5, 0.4], 3).without(|t| t.iter().all(|p| p[2] == 0.4));
    let shell = Solid::cuboid([0.9, 0.8, 0.7], 4).and(&Solid::cuboid([0.8, 0.7, 0.6], 2).flipped());
    let solids = [
        (Solid::cuboid([0.5, 0.7, 0.3], 1), true),
        (Solid::ball(0.8, 8, 11, bumps(5.0)), true),
        (Solid::ring(0.8, 0.25, 13, 7), true),
        (tray, false),
        (Solid::cuboid([0.01, 0.8, 0.6], 2), true),
        (shell, true),
        (Solid::ring(0.9, 0.3, 40, 25), true),
        (Solid::ball(0.9, 32, 32, bumps(9.0)), true),
        (Solid::cuboid([0.6, 0.4, 0.5], 12), true),
    ];
    let place = |solid: Solid| if far == 0.0 { solid } else { solid.moved([far, -0.83 * far, 0.01 * far]) };
    solids.into_iter().map(|(solid, closed)| Meshed::new(place(solid), closed)).collect()
}

/// Meshes that have room in the others.
pub(crate) fn small_bodies() -> Vec<Meshed> {
    let solids = [Solid::cuboid([0.05, 0.1, 0.08], 2), Solid::ring(0.08, 0.03, 7, 5), Solid::ball(0.1, 5, 6, |_| 0.0)];
    solids.into_iter().map(|solid| Meshed::new(solid, true)).collect()
}

impl Meshed {
    /// `closed`: it has an inside, as the engine must find.
    pub(crate) fn new(solid: Solid, closed: bool) -> Self {
        let shape = solid.shape(Model::Mesh, 0.0);
        assert_eq!(shape.mesh.as_ref().expect("a mesh").is_solid(), closed);
        let points = || solid.vertices.iter().map(|&v| Vec3::from(v));
        let low = points().reduce(|p, q| Vec3::new(p.x.min(q.x), p.y.min(q.y), p.z.min(q.z))).expect("vertices");
        let high = points().reduce(|p, q| Vec3::new(p.x.max(q.x), p.y.max(q.y), p.z.max(q.z))).expect("vertices");
        Self { middle: (low + high) * 0.5, solid, shape, closed }
    }
}

/// Two bodies: most of them small, one in six pairs with a large one.
pub(crate) fn pair<'a>(random: &mut Random, all: &'a [Meshed], number: usize) -> (&'a Meshed, &'a Meshed) {
    let small = 6;
    let (a, b) = (random.below(small), random.below(small));
    if number / 6 % 6 == 5 {
        (&all[small + random.below(all.len() - small)], &all[random.below(all.len())])
    } else {
        (&all[a], &all[b])
    }
}

/// Poses of two bodies that lie side by side, about `far` metres from the origin.
pub(crate) fn poses(random: &mut Random, far: f64, a: &Meshed, b: &Meshed, number: usize) -> (Pose, Pose) {
    // One pair in four is not turned: faces and edges are parallel.
    let turns =
        if number / 6 % 4 == 3 { [[1.0, 0.0, 0.0, 0.0]; 2] } else { [random.quaternion(), random.quaternion()] };
    let at = Vec3::new(far, -0.77 * far, 0.02 * far) + random.vec3();
    let between = random.vec3().normalized() * (a.shape.radius + b.shape.radius);
    (centred(a, at, turns[0]), centred(b, at + between, turns[1]))
}

/// The pose that brings the middle of a body to a place; its position and rest are of two numbers.
fn centred(of: &Meshed, at: Vec3<f64>, q: [f64; 4]) -> Pose {
    let turned = Pose::new([0.0; 3], q).apply(of.middle);
    moved(&Pose::new(at.to_array(), q), -turned)
}

/// Moved by a vector that a position far from the origin does not swallow.
fn moved(pose: &Pose, by: Vec3<f64>) -> Pose {
    let position = pose.position + by;
    // The rounding error of the sum goes to `rest` (Knuth's two-sum).
    let part = position - pose.position;
    let rest = pose.rest + ((pose.position - (position - part)) + (by - part));
    Pose { position, rest, ..*pose }
}

/// The engine's row.
pub(crate) fn row(a: &Meshed, b: &Meshed, pa: &Pose, pb: &Pose) -> Proximity {
    let found = query_one(&a.shape, &b.shape, &pa.recentred(a.shape.center), &pb.recentred(b.shape.center), &OPTIONS);
    assert!(found.lower <= found.distance && found.distance <= found.upper || found.distance < 0.0, "{found:?}");
    assert!((found.normal.length() - 1.0).abs() < 1e-12, "{found:?}");
    // Rows are in A's frame.
    Proximity { normal: Pose::new([0.0; 3], pa.q).apply(found.normal), ..found }
}

/// Radii about the recentred origins, and the length between these: S of
/// docs/reference/numerics.md.
pub(crate) fn size_of(a: &Meshed, b: &Meshed, pa: &Pose, pb: &Pose) -> f64 {
    let [p, q] = [pa.recentred(a.shape.center), pb.recentred(b.shape.center)];
    let between = (q.position - p.position) + (q.rest - p.rest);
    a.shape.radius + b.shape.radius + between.length()
}

/// The same, of A at the identity.
pub(crate) fn size_from(a: &Meshed, b: &Meshed, pb: &Pose) -> f64 {
    size_of(a, b, &Pose::IDENTITY, pb)
}

/// Moves B along the normals found until the bodies are about `gap` sizes apart.
pub(crate) fn apart_by(a: &Meshed, b: &Meshed, pa: &Pose, pb: &mut Pose, gap: f64) {
    let gap = gap * (a.shape.radius + b.shape.radius);
    for _ in 0..4 {
        let found = row(a, b, pa, pb);
        let step = gap - found.distance;
        *pb = moved(pb, found.normal * step);
        if step.abs() < 1e-3 * gap {
            break;
        }
    }
}

/// Poses of bodies that likely overlap, shallow or deep; of one pair in five, their middles are
/// near each other.
pub(crate) fn crossing(random: &mut Random, a: &Meshed, b: &Meshed, far: f64, number: usize) -> (Pose, Pose) {
    let (pa, mut pb) = poses(random, far, a, b, number);
    if number % 5 == 4 {
        let at = pa.position + random.vec3() * 0.05;
        return (pa, Pose { position: at, rest: Vec3::ZERO, ..pb });
    }
    let depth = [0.01, 0.1, 0.5, 1e-6][number % 4] * (a.shape.radius + b.shape.radius);
    apart_by(a, b, &pa, &mut pb, 1e-9);
    let found = row(a, b, &pa, &pb);
    (pa, moved(&pb, found.normal * -(depth + found.distance)))
}
