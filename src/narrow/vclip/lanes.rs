//! The signed distances of points from planes, four or eight at once.

use super::regions::Segment;
use crate::geometry::Vec3;
use crate::geometry::planes::{FourPlanes, VertexPlanes};
use crate::simd::{Simd, V};

/// Of a point (in each half of `x`) from planes of a vertex, and how far it lies along their normals.
#[inline(always)]
pub(super) fn of_vertex<S: Simd>(planes: &VertexPlanes, x: Vec3<V<S>>) -> (V<S>, V<S>) {
    let along = Vec3::load(&planes.normals).dot(x);
    (along, along - V::load(&planes.offsets))
}

/// Of a point (in each half of `x`) from eight planes of a face, or from four twice.
#[inline(always)]
pub(super) fn of_side_planes<S: Simd>(side_planes: &[FourPlanes], x: Vec3<V<S>>) -> V<S> {
    let (first, second) = (&side_planes[0], &side_planes[side_planes.len() - 1]);
    Vec3::join(&first.normals, &second.normals).dot(x) - V::join(&first.offsets, &second.offsets)
}

/// Of a point in each half of `x` from four planes.
#[inline(always)]
pub(super) fn of_four<S: Simd>(planes: &FourPlanes, x: Vec3<V<S>>) -> V<S> {
    Vec3::twice(&planes.normals).dot(x) - V::twice(&planes.offsets)
}

/// Of the tail of an edge from four planes, in lanes 0 to 3, and of its head.
#[inline(always)]
pub(super) fn of_ends<S: Simd>(planes: &FourPlanes, edge: &Segment<S>) -> V<S> {
    of_four(planes, edge.0.spread())
}

/// The first lane of the least number.
#[inline(always)]
pub(super) fn place<S: Simd>(numbers: V<S>, least: f64) -> u32 {
    numbers.le(V::splat(least)).bits().trailing_zeros() & 7
}
