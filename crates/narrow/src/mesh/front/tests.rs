//! Claims of a front against all pairs of triangles, and searches that begin from it.

use super::*;
use crate::mesh::search::{
    MeshPairMemory, MeshSearch, MeshSearchMemory, SearchStart, SurfaceDistance, nearest, nearest_again,
};
use crate::mesh::triangle_pair;
use clearsweep_base::workers::Workers;
use clearsweep_geometry::mesh::{Child, InsideOf, TriangleMesh};
use clearsweep_geometry::{Pose, Vec3};

/// A torus around z.
fn ring(radius: f64, tube: f64, around: u32, across: u32) -> TriangleMesh {
    let angle = |k: u32, of: u32| (2.0 * std::f64::consts::PI * f64::from(k) / f64::from(of)).sin_cos();
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for i in 0..around {
        for j in 0..across {
            let ((s, c), (z, r)) = (angle(i, around), angle(j, across));
            vertices.push(Vec3::new((radius + tube * r) * c, (radius + tube * r) * s, tube * z));
            let at = |i: u32, j: u32| i % around * across + j % across;
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    let (v, t) = (vertices.len() as u32, triangles.len() as u32);
    TriangleMesh::new(vertices, triangles, (0..v).collect(), (0..t).collect(), InsideOf::Solid, &Workers::none())
}

fn place<'a>(meshes: [&'a TriangleMesh; 2], position: [f64; 3], angle: f64) -> MeshPlace<'a> {
    let poses = [Pose::IDENTITY, Pose::new(position, [(0.5 * angle).cos(), (0.5 * angle).sin(), 0.0, 0.0])];
    MeshPlace::new(meshes, poses, RelativePose::between(&poses[0], &poses[1]), 0.0)
}

/// The leaf of each triangle.
fn leaves(mesh: &TriangleMesh) -> Vec<NodeId> {
    (0..mesh.node_counts()[1] as u32).flat_map(|leaf| mesh.leaf(leaf).map(move |_| NodeId::leaf(leaf))).collect()
}

#[test]
fn no_motion_brings_pairs_nearer_than_a_front_claims() {
    let meshes = [ring(1.0, 0.25, 24, 10), ring(0.9, 0.2, 20, 8)];
    let meshes = [&meshes[0], &meshes[1]];
    let of = meshes.map(leaves);
    let (mut memory, mut kept, mut close) = (MeshSearchMemory::default(), 0, 0);
    for (far, ahead) in [(1.0, 0.01), (1.2, 0.05), (1.3, 0.2)] {
        let first = place(meshes, [far, 0.05, 0.02], 1.4);
        let mut search = MeshSearch::started(&first, f64::INFINITY, None, &mut memory);
        search.run(None);
        let mut front = MeshFront { cost: 10_000, ..MeshFront::default() };
        // A motion without bounds leaves no front, and prevents none.
        search.collect(&mut front, [1e-3, f64::INFINITY]);
        assert!(front.at.is_none() && front.pairs.is_empty());
        search.collect(&mut front, [1e-3, ahead]);
        assert!(front.pairs.is_sorted_by(|x, y| x.0 <= y.0) && front.pairs.len() <= MOST_PAIRS);
        kept += front.pairs.len();
        let bound_of: std::collections::HashMap<[NodeId; 2], f64> = front.pairs.iter().map(|&(b, n)| (n, b)).collect();
        assert!(bound_of.keys().flatten().all(|node| matches!(node.get(), Child::Leaf(_))));
        for k in 0..4 {
            let k = f64::from(k);
            let at = [far - 0.02 * k * k * ahead, 0.05 + 0.1 * k * ahead, 0.02 + 0.05 * k * ahead];
            let now = place(meshes, at, 1.4 + 0.1 * k * ahead);
            let motion = front.motion(&now).expect("these meshes");
            let mut least = f64::INFINITY;
            for a in 0..of[0].len() as u32 {
                for b in 0..of[1].len() as u32 {
                    let (ta, tb) = (now.a.corners(a), now.corners_b(b));
                    let distance = triangle_pair::closest_points(&ta, &tb).distance2.sqrt();
                    let pair = [of[0][a as usize], of[1][b as usize]];
                    let bound = bound_of.get(&pair).copied().unwrap_or(front.reach) - motion;
                    assert!(distance >= bound, "{pair:?} {distance} {bound} {motion}");
                    close += usize::from(distance - bound < 4.0 * motion + 0.01);
                    least = least.min(distance);
                }
            }
            let Some((pairs, gap)) = front.within(least, motion) else { continue };
            assert!(pairs.len() <= front.pairs.len() && gap > least);
        }
        // The front says nothing about other meshes.
        assert!(front.motion(&place([meshes[1], meshes[0]], [far, 0.05, 0.02], 1.4)).is_none());
        let copy = ring(1.0, 0.25, 24, 10);
        assert!(front.motion(&place([&copy, meshes[1]], [far, 0.05, 0.02], 1.4)).is_none());
    }
    assert!(kept > 100 && close > 1_000, "not representative: {kept} {close}");
}

#[test]
fn searches_begin_from_a_front_and_find_the_same() {
    let meshes = [ring(1.0, 0.25, 72, 32), ring(1.0, 0.25, 72, 32)];
    let (mut memory, mut other) = (MeshSearchMemory::default(), MeshSearchMemory::default());
    let (mut pair, mut used, mut nodes) = (MeshPairMemory::default(), 0, [0; 2]);
    for k in 0..60 {
        // Slowly; then as far as a leaf and more; then at rest; then slowly again.
        let step = f64::from(k) * 3e-4 + if (20..30).contains(&k) { 0.02 * f64::from(k - 19) } else { 0.0 };
        let now = place([&meshes[0], &meshes[1]], [1.1, step, 0.3 * step], 1.5 + 0.1 * step);
        let before = pair.front.used;
        let again = nearest_again(&now, f64::INFINITY, &mut pair, &mut memory, || [5e-4, 0.01]);
        let cold = nearest(&now, f64::INFINITY, None, &mut other);
        let (SurfaceDistance::Apart(again), SurfaceDistance::Apart(cold)) = (again, cold) else { panic!("apart: {k}") };
        let of = |n: &crate::mesh::pair_distance::NearestTriangles| {
            (n.triangles, [n.distance, n.lower, n.upper].map(f64::to_bits), n.normal.to_array().map(f64::to_bits))
        };
        assert_eq!(of(&again), of(&cold), "sample {k}");
        if pair.front.used > before {
            used += 1;
            nodes = [nodes[0] + memory.counts[1], nodes[1] + other.counts[1]];
        }
    }
    assert!(used > 25, "searches that began from a front: {used}");
    assert!(2 * nodes[0] < nodes[1], "a front saves comparisons: {nodes:?}");
    let most = size_of::<MeshPairMemory>() + MOST_PAIRS * size_of::<FrontPair>();
    assert!(pair.bytes() > 1_000 && pair.bytes() <= most, "{}", pair.bytes());
}

#[test]
fn a_start_that_means_nothing_is_left_alone() {
    let meshes = [ring(1.0, 0.25, 12, 8), ring(1.0, 0.25, 12, 8)];
    let now = place([&meshes[0], &meshes[1]], [0.0, 0.0, 1.0], 0.3);
    let mut memory = MeshSearchMemory::default();
    let SurfaceDistance::Apart(cold) = nearest(&now, f64::INFINITY, None, &mut memory) else { panic!("apart") };
    for triangles in [[0, 0], [191, 5], [1 << 30, 3], [3, u32::MAX]] {
        for axis in [Vec3::new(0.0, 0.0, -1.0), Vec3::new(1.0, 0.0, 0.0)] {
            let start = Some(SearchStart { triangles, axis });
            let SurfaceDistance::Apart(warm) = nearest(&now, f64::INFINITY, start, &mut memory) else {
                panic!("apart")
            };
            assert_eq!((warm.triangles, warm.distance.to_bits()), (cold.triangles, cold.distance.to_bits()));
        }
    }
}
