//! The signed distances of points from planes, four or eight at once.

use super::regions::Segment;
use crate::geometry::planes::{Four, Star};
use crate::simd::{P3, Simd, V};

/// Of a point (in each half of `x`) from planes of a vertex, and how far it lies along their normals.
#[inline(always)]
pub(super) fn of_star<S: Simd>(planes: &Star, x: P3<S>) -> (V<S>, V<S>) {
    let along = P3::load(&planes.normals).dot(x);
    (along, along - V::load(&planes.offsets))
}

/// Of a point (in each half of `x`) from eight planes of a face, or from four twice.
#[inline(always)]
pub(super) fn of_walls<S: Simd>(walls: &[Four], x: P3<S>) -> V<S> {
    let (first, second) = (&walls[0], &walls[walls.len() - 1]);
    P3::join(&first.normals, &second.normals).dot(x) - V::join(&first.offsets, &second.offsets)
}

/// Of a point in each half of `x` from four planes.
#[inline(always)]
pub(super) fn of_four<S: Simd>(planes: &Four, x: P3<S>) -> V<S> {
    P3::twice(&planes.normals).dot(x) - V::twice(&planes.offsets)
}

/// Of the tail of an edge from four planes, in lanes 0 to 3, and of its head.
#[inline(always)]
pub(super) fn of_ends<S: Simd>(planes: &Four, edge: &Segment<S>) -> V<S> {
    of_four(planes, edge.0.spread())
}

/// The first lane of the least number.
#[inline(always)]
pub(super) fn place<S: Simd>(numbers: V<S>, least: f64) -> u32 {
    numbers.le(V::splat(least)).bits().trailing_zeros() & 7
}
