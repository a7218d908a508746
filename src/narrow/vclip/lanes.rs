//! Eight planes of a feature at once.

use super::super::simd::{P3, Simd, V};
use crate::geometry::Vec3;
use crate::geometry::planes::Rows;
use crate::geometry::polyhedron::LANES;

/// Added to the lanes of a step of so many planes.
static BEYOND_THE_LAST: [[f64; LANES]; LANES + 1] = {
    let mut out = [[f64::INFINITY; LANES]; LANES + 1];
    let mut count = 0;
    while count <= LANES {
        let mut lane = 0;
        while lane < count {
            out[count][lane] = 0.0;
            lane += 1;
        }
        count += 1;
    }
    out
};

/// The signed distances of a point from the planes from `first` on; in lanes without a plane it is infinite.
#[inline(always)]
pub(super) fn sides<S: Simd>(planes: &Rows<'_>, first: usize, x: Vec3<f64>) -> V<S> {
    sides_along(planes, first, x).1
}

/// The same, and how far the point lies along the normals.
#[inline(always)]
pub(super) fn sides_along<S: Simd>(planes: &Rows<'_>, first: usize, x: Vec3<f64>) -> (V<S>, V<S>) {
    let [nx, ny, nz, offset] = planes.step(first);
    let normals = P3::<S> { x: V::load(nx), y: V::load(ny), z: V::load(nz) };
    let along = normals.dot(P3::splat(x));
    let beyond = V::load(&BEYOND_THE_LAST[(planes.count() - first).min(LANES)]);
    (along, along - V::load(offset) + beyond)
}

/// The first lane of the least number.
#[inline(always)]
pub(super) fn place<S: Simd>(numbers: V<S>, least: f64) -> u32 {
    numbers.le(V::splat(least)).bits().trailing_zeros() % LANES as u32
}
