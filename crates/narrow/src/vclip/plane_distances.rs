//! Signed distances of points from four or eight stored planes at once.

use super::regions::Segment;
use clearsweep_base::simd::{Simd, V};
use clearsweep_geometry::Vec3;
use clearsweep_geometry::planes::{FourPlanes, VertexPlanes};

/// Returns the heights of point `x` (the same in all lanes) along the normals of the planes of a
/// vertex, and its signed distances.
#[inline(always)]
pub(super) fn to_vertex_planes<S: Simd>(planes: &VertexPlanes, x: Vec3<V<S>>) -> (V<S>, V<S>) {
    let height = Vec3::load(&planes.normals).dot(x);
    (height, height - V::load(&planes.offsets))
}

/// Returns the distances of point `x` (the same in all lanes) from the side planes of a face. Two
/// blocks fill the lanes; a single block fills both halves.
#[inline(always)]
pub(super) fn to_side_planes<S: Simd>(side_planes: &[FourPlanes], x: Vec3<V<S>>) -> V<S> {
    debug_assert!((1..=2).contains(&side_planes.len()), "a register holds the distances from one or two blocks");
    let (first, second) = (&side_planes[0], &side_planes[side_planes.len() - 1]);
    Vec3::join(&first.normals, &second.normals).dot(x) - V::join(&first.offsets, &second.offsets)
}

/// Returns the distances from four planes: of the point in the lower half of `x` in lanes 0 to 3,
/// of the point in the upper half in lanes 4 to 7.
#[inline(always)]
pub(super) fn to_four<S: Simd>(planes: &FourPlanes, x: Vec3<V<S>>) -> V<S> {
    Vec3::twice(&planes.normals).dot(x) - V::twice(&planes.offsets)
}

/// Returns the distances from four planes: of the tail of an edge in lanes 0 to 3, of its head in
/// lanes 4 to 7.
#[inline(always)]
pub(super) fn ends_to_four<S: Simd>(planes: &FourPlanes, edge: &Segment<S>) -> V<S> {
    to_four(planes, Vec3::spread(edge.0))
}

/// The first lane that holds the least number `least`.
#[inline(always)]
pub(super) fn lane_of_least<S: Simd>(numbers: V<S>, least: f64) -> u32 {
    numbers.le(V::splat(least)).bits().trailing_zeros() & 7
}
