//! Brackets against formulas, against all points in which three planes meet, and against counts of
//! points.

mod inside;
mod limits;
mod measured;
mod others;
mod polytopes;

use super::*;
use crate::hull::convex_hull;
use crate::mesh::{TriangleMesh, fans};
use crate::pose::rotation;
use clearsweep_base::workers::Workers;

pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(super) fn signed(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    pub(super) fn point(&mut self) -> Vec3<f64> {
        v(self.signed(), self.signed(), self.signed())
    }

    pub(super) fn quaternion(&mut self) -> [f64; 4] {
        std::array::from_fn(|_| self.signed())
    }

    pub(super) fn pose(&mut self, spread: f64) -> Pose {
        Pose { position: self.point().scale(spread), rest: Vec3::ZERO, q: self.quaternion() }
    }

    /// The hull of points on a sphere.
    pub(super) fn ball(&mut self, vertices: usize, radius: f64) -> Polyhedron {
        let points: Vec<Vec3<f64>> = (0..vertices).map(|_| self.point().normalized().scale(radius)).collect();
        convex_hull(&points).expect("a hull")
    }
}

pub(super) fn v(x: f64, y: f64, z: f64) -> Vec3<f64> {
    Vec3::new(x, y, z)
}

pub(super) fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::new([x, y, z], [1.0, 0.0, 0.0, 0.0])
}

pub(super) fn cuboid(low: Vec3<f64>, high: Vec3<f64>) -> Polyhedron {
    convex_hull(&Aabb { low, high }.corners()).expect("a hull")
}

pub(super) fn cube(half: f64) -> Polyhedron {
    cuboid(v(-half, -half, -half), v(half, half, half))
}

/// The faces of a polyhedron as a mesh.
pub(super) fn mesh_of(core: &Polyhedron) -> TriangleMesh {
    let vertices: Vec<Vec3<f64>> = (0..core.count as u32).map(|i| core.vertex(i)).collect();
    mesh(vertices, fans(core).map(|(_, t)| t).collect())
}

pub(super) fn mesh(vertices: Vec<Vec3<f64>>, triangles: Vec<[u32; 3]>) -> TriangleMesh {
    let numbers = [vertices.len(), triangles.len()].map(|count| (0..count as u32).collect::<Vec<u32>>());
    let [of_vertices, of_triangles] = numbers;
    TriangleMesh::new(vertices, triangles, of_vertices, of_triangles, crate::mesh::InsideOf::Solid, &Workers::none())
}

/// Overlap of two convex polyhedra without radius.
pub(super) fn of_two(a: &Polyhedron, b: &Polyhedron, poses: &[Pose; 2]) -> Overlap {
    overlap(Solid::Pieces(&[(a, 0.0)]), Solid::Pieces(&[(b, 0.0)]), &poses[0], &poses[1], 0)
}

/// A point of the world in the frame of a pose, in plain arithmetic.
pub(super) fn in_body(pose: &Pose, p: Vec3<f64>) -> Vec3<f64> {
    let r = rotation(pose.q);
    let d = (p - pose.position) - pose.rest;
    r[0].scale(d.x) + r[1].scale(d.y) + r[2].scale(d.z)
}

/// Counts points of the box of an overlap for which `is_in_both` holds, and asserts that the volume
/// lies in the bracket but for six standard deviations. Points around the box that are in both
/// contradict it. Returns how many were counted.
pub(super) fn assert_counted(found: &Overlap, random: &mut Random, is_in_both: impl Fn(Vec3<f64>) -> bool) -> usize {
    let [low, high] = found.bounds.expect("they overlap");
    let (middle, half) = ((low + high).scale(0.5), (high - low).scale(0.5));
    let (mut hits, points) = (0, 40_000);
    for _ in 0..points {
        let d = random.point();
        let p = middle + v(d.x * half.x, d.y * half.y, d.z * half.z).scale(1.25);
        let is_in = (0..3).all(|k| low[k] <= p[k] && p[k] <= high[k]);
        let is_hit = is_in_both(p);
        assert!(is_in || !is_hit, "{p:?} lies beyond {low:?} {high:?}");
        hits += usize::from(is_hit);
    }
    let space = 8.0 * half.x * half.y * half.z * 1.25 * 1.25 * 1.25;
    let share = hits as f64 / f64::from(points);
    let deviation = 6.0 * (share * (1.0 - share) / f64::from(points)).sqrt() + 1e-3;
    let (least, most) = ((share - deviation) * space, (share + deviation) * space);
    assert!(found.volume[0] <= most && found.volume[1] >= least, "{found:?}: {least} to {most}");
    hits
}
