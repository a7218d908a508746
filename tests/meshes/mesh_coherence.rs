//! Memories of pairs of meshes change no row: motions with one memory, against each sample by
//! itself with none.

use clearsweep::Geometry;
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_narrow::{
    Auto, BodyPoses, NarrowPhase, PairCache, PairQuery, Proximity, SolverStats, Status, Workspace, query_one,
};
use clearsweep_scene::{Model, QueryOptions, SampleColumn, Shape};
use clearsweep_testing::random::Random;
use clearsweep_testing::solids::Solid;
use std::sync::Arc;

/// Samples of a block in these tests.
const SAMPLES: usize = 24;

fn options(within: f64) -> QueryOptions {
    QueryOptions { within, touch: 1e-6, ..QueryOptions::EVERYTHING }
}

/// Poses of B in the samples of a block.
type Motion = Vec<Pose>;

/// A motion in which place and turn are functions of the sample.
fn motion(place: impl Fn(f64) -> [f64; 3], turn: impl Fn(f64) -> [f64; 4]) -> Motion {
    (0..SAMPLES).map(|k| Pose::new(place(k as f64), turn(k as f64))).collect()
}

fn about_z(angle: f64) -> [f64; 4] {
    [(0.5 * angle).cos(), 0.0, 0.0, (0.5 * angle).sin()]
}

fn about_x(angle: f64) -> [f64; 4] {
    [(0.5 * angle).cos(), (0.5 * angle).sin(), 0.0, 0.0]
}

/// A row, bit for bit, but for the number of its sample.
fn bits(row: &Proximity) -> String {
    let numbers = [row.distance, row.lower, row.upper, row.protrusion].map(f64::to_bits);
    let vectors = [row.point_a, row.point_b, row.normal].map(|v: Vec3<f64>| v.to_array().map(f64::to_bits));
    format!(
        "{:?} {:?} {:?} {:?} {:?} {numbers:?} {vectors:?}",
        row.status, row.method, row.feature_kind, row.feature, row.part
    )
}

/// The rows of a block with a memory, by sample.
fn walk(shapes: [&Shape; 2], motion: &Motion, within: f64, cache: &mut PairCache) -> Vec<Option<Proximity>> {
    let mut lanes = vec![SampleColumn([0.0; 64]); 10];
    for (s, pose) in motion.iter().enumerate() {
        let values = pose.position.to_array().into_iter().chain(pose.q).chain(pose.rest.to_array());
        lanes.iter_mut().zip(values).for_each(|(lane, value)| lane.0[s] = value);
    }
    let query = PairQuery {
        a: shapes[0],
        b: shapes[1],
        poses_a: BodyPoses::Fixed(&Pose::IDENTITY),
        poses_b: BodyPoses::Moving(&lanes),
        samples: u64::MAX >> (64 - motion.len()),
    };
    let (mut out, mut work) = (Vec::new(), Box::<Workspace>::default());
    Auto.walk(&query, &options(within), cache, &mut work, &mut SolverStats::default(), &mut out);
    let mut rows = vec![None; motion.len()];
    out.iter().for_each(|row| rows[usize::from(row.sample)] = Some(*row));
    rows
}

/// Holds a block with a memory against each sample by itself; returns how many rows were separated,
/// overlapping, and left out.
fn hold(shapes: [&Shape; 2], motion: &Motion, within: f64, cache: &mut PairCache) -> [usize; 3] {
    let mut counts = [0; 3];
    for (pose, row) in motion.iter().zip(walk(shapes, motion, within, cache)) {
        let cold = query_one(shapes[0], shapes[1], &Pose::IDENTITY, pose, &options(within));
        match row {
            Some(row) => assert_eq!(bits(&row), bits(&cold), "{pose:?}"),
            None => assert!(cold.lower > within, "{pose:?} {cold:?}"),
        }
        counts[match row {
            None => 2,
            Some(_) => usize::from(cold.status == Status::Penetrating),
        }] += 1;
    }
    counts
}

fn bumpy(k: f64) -> Arc<Shape> {
    let bumps = move |d: [f64; 3]| 0.06 * (k * d[0] + 1.0).sin() * (5.0 * d[1] + k).cos();
    Solid::ball(1.0, 24, 32, bumps).shape(Model::Mesh, 0.0)
}

/// Two rings that go through each other, of so many triangles that a search leaves a front.
fn ring() -> Arc<Shape> {
    Solid::ring(1.0, 0.25, 72, 32).shape(Model::Mesh, 0.0)
}

#[test]
fn memory_changes_no_row_of_bodies_that_pass() {
    let (a, b) = (bumpy(4.0), bumpy(6.0));
    let mut counts = [0; 3];
    let sliding = |gap: f64| motion(move |k| [0.02 * k - 0.2, 0.01 * k, 2.12 + gap], |k| about_z(0.01 * k));
    let motions = [
        sliding(0.01),
        sliding(0.1),
        sliding(1.0),
        motion(|_| [2.3, 0.0, 0.1], |k| about_z(0.4 * k)),
        motion(|k| if k % 2.0 == 0.0 { [2.4, 0.1, 0.0] } else { [-2.4, 0.2, 0.1] }, about_z),
        motion(|_| [0.2, 2.3, 0.0], |_| about_x(0.3)),
        motion(|k| [2.4 - 0.02 * k, 0.0, 0.0], |k| about_x(0.02 * k)),
        motion(|k| [0.0, 0.0, 2.2 + 0.2 * (0.5 * k).sin()], |k| about_x(0.05 * k)),
    ];
    // One memory goes through all of them, so that it is stale wherever one begins.
    let mut through = PairCache::default();
    for motion in &motions {
        for within in [f64::INFINITY, 0.05, 0.3] {
            for cache in [&mut PairCache::default(), &mut through] {
                let found = hold([&a, &b], motion, within, cache);
                (0..3).for_each(|i| counts[i] += found[i]);
            }
        }
    }
    assert!(counts.iter().all(|&n| n > 30), "not representative: {counts:?}");
}

#[test]
fn memory_changes_no_row_of_linked_rings() {
    let (a, b) = (ring(), ring());
    let linked = |step: f64, far: f64| {
        motion(
            move |k| [1.0 + far + 0.1 * (step * k).sin(), 0.3 * step * k, 0.2 * step * k],
            move |k| about_x(1.5 + 0.3 * step * k),
        )
    };
    let motions = [linked(1e-3, 0.0), linked(1e-3, 0.3), linked(0.02, 0.1), linked(0.3, 0.2), linked(0.0, 0.1)];
    let (mut through, mut counts) = (PairCache::default(), [0; 3]);
    let mut most = 0;
    for motion in &motions {
        for within in [f64::INFINITY, 0.2] {
            for cache in [&mut PairCache::default(), &mut through] {
                let found = hold([&a, &b], motion, within, cache);
                (0..3).for_each(|i| counts[i] += found[i]);
                most = most.max(cache.bytes());
            }
        }
    }
    assert!(counts[0] > 200 && counts[2] > 20, "not representative: {counts:?}");
    // A few thousand pairs of leaves, 32,768 at most, and what any pair takes.
    let bytes = PairCache::default().bytes();
    assert!(most > bytes + 4_000 && most < bytes + 16 * 32_768 + 8_000, "fronts are kept, and bounded: {most} {bytes}");
}

#[test]
fn memory_changes_no_row_of_meshes_of_convex_solids() {
    let solid = |half: [f64; 3], n: usize, at: [f64; 3]| Solid::cuboid(half, n).moved(at);
    let apart = solid([0.5, 0.25, 0.5], 1, [0.0, -0.5, 0.0]).and(&solid([0.5, 0.25, 0.5], 1, [0.0, 0.5, 0.0]));
    let touching = solid([0.5; 3], 1, [-0.5, 0.0, 0.0]).and(&solid([0.5; 3], 1, [0.5, 0.0, 0.0]));
    let crossing = [2, 3, 4].iter().fold(solid([0.9, 0.2, 0.21], 1, [0.0; 3]), |all, &k| {
        all.and(&solid([0.15, 0.6, 0.2], 1, [0.4 * f64::from(k) - 1.2, 0.05 * f64::from(k), 0.0]))
    });
    let meshes = [(&apart, 0.0), (&touching, 0.0), (&crossing, 0.0), (&crossing, 0.1)];
    let [apart, touching, crossing, grown] = meshes.map(|(solid, growth)| solid.shape(Model::Mesh, growth));
    let lists = [[-0.5, 0.5], [-0.25, 1.0]]
        .map(|[low, high]| (0..8).map(|k| [0, 1, 2].map(|i| if k >> i & 1 == 1 { high } else { low })).collect());
    let pieces = Geometry::Pieces(lists.to_vec()).shape(0.0).expect("a body");
    let sphere = Geometry::Sphere(0.3).shape(0.0).expect("a body");
    let pairs =
        [[&apart, &touching], [&crossing, &grown], [&touching, &pieces], [&sphere, &crossing], [&crossing, &apart]];
    let motions = [
        motion(|k| [0.01 * k - 0.1, 0.02 * k, 0.4], |k| about_z(0.02 * k)),
        motion(|k| [1.6 - 0.1 * k, 0.1, 0.05 * k], |k| about_x(0.05 * k)),
        motion(|k| [0.3, 0.9 - 1e-3 * k, 0.2], |_| about_z(0.0)),
        motion(|k| if k % 3.0 == 0.0 { [0.2, 0.1, 0.0] } else { [-1.4, 0.9, 0.1] }, about_x),
    ];
    let mut counts = [0; 3];
    let mut through = PairCache::default();
    for [a, b] in pairs {
        let mut own = PairCache::default();
        for motion in &motions {
            for within in [f64::INFINITY, 0.1] {
                for cache in [&mut PairCache::default(), &mut own, &mut through] {
                    let found = hold([a, b], motion, within, cache);
                    (0..3).for_each(|i| counts[i] += found[i]);
                }
            }
        }
    }
    assert!(counts[0] > 100 && counts[1] > 1_000 && counts[2] > 100, "not representative: {counts:?}");
}

#[test]
fn a_memory_of_other_meshes_changes_no_row() {
    let shapes = [ring(), ring(), bumpy(4.0), Solid::cuboid([0.2; 3], 1).shape(Model::Mesh, 0.0)];
    let slow = motion(|k| [1.0 + 1e-4 * k, 0.0, 0.01], |k| about_x(1.5 + 1e-4 * k));
    let mut cache = PairCache::default();
    let mut apart = 0;
    for (a, b) in [(0, 1), (0, 3), (1, 0), (2, 3), (1, 1), (0, 1), (3, 2), (0, 0)] {
        apart += hold([&shapes[a], &shapes[b]], &slow, f64::INFINITY, &mut cache)[0];
    }
    assert!(apart > 60, "not representative: {apart}");
}

#[test]
fn memory_changes_no_row_of_small_bodies_in_fast_random_motion() {
    let cuboid = |half: [f64; 3]| Solid::cuboid(half, 1);
    let cross = cuboid([1.2, 0.3, 0.31]).and(&cuboid([0.32, 0.9, 0.33]));
    let blocks = [cuboid([0.25, 0.85, 0.4]), cuboid([0.305, 0.79, 0.27]), Solid::cuboid([0.5, 0.2, 0.6], 2), cross];
    let shapes: Vec<Arc<Shape>> = blocks.iter().map(|solid| solid.shape(Model::Mesh, 0.0)).collect();
    let (hull, grown) = (blocks[0].shape(Model::Hull, 0.0), blocks[1].shape(Model::Mesh, 0.3));
    let pairs = [
        [&shapes[0], &shapes[1]],
        [&shapes[2], &shapes[1]],
        [&shapes[3], &hull],
        [&hull, &shapes[2]],
        [&shapes[3], &grown],
    ];
    let mut random = Random(31);
    let (mut counts, mut caches) = ([0; 3], vec![PairCache::default(); pairs.len()]);
    for number in 0..1_200 {
        let mut at = || -> Vec<[f64; 4]> { (0..SAMPLES).map(|_| std::array::from_fn(|_| random.signed())).collect() };
        let (places, turns) = (at(), at());
        let quick = [3.0, 1.5, 0.4][number % 3];
        let moved = motion(
            |k| [0, 1, 2].map(|i: usize| quick * places[k as usize][i]),
            |k| match number / 3 % 4 {
                0 => [1.0, 0.0, 0.0, 0.0],
                1 | 2 => about_z(3.0 * turns[k as usize][0]),
                _ => turns[k as usize],
            },
        );
        let which = number / 12 % pairs.len();
        let [a, b] = pairs[which];
        let found = hold([a, b], &moved, [f64::INFINITY, 0.5][number % 2], &mut caches[which]);
        (0..3).for_each(|i| counts[i] += found[i]);
    }
    assert!(counts.iter().all(|&n| n > 2_000), "not representative: {counts:?}");
}
