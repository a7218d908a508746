//! Vertices and points of the Minkowski difference, eight at once.

use clearsweep_base::simd::{Simd, V};
use clearsweep_geometry::{Polyhedron, RelativePose, Vec3};

/// The vertices of a polyhedron with these numbers, one in each lane.
#[inline(always)]
pub(super) fn vertices<S: Simd>(p: &Polyhedron, numbers: V<S>) -> Vec3<V<S>> {
    Vec3 { x: V::gather(&p.x, numbers), y: V::gather(&p.y, numbers), z: V::gather(&p.z, numbers) }
}

/// A relative pose, the same in each lane.
#[inline(always)]
pub(super) fn broadcast<S: Simd>(pose: &RelativePose<f64>) -> RelativePose<V<S>> {
    let [x, y, z] = pose.r;
    RelativePose { r: [Vec3::from_f64(x), Vec3::from_f64(y), Vec3::from_f64(z)], t: Vec3::from_f64(pose.t) }
}
