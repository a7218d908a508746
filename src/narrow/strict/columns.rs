//! Closest points of eight answers side by side.

use crate::geometry::Vec3;
use crate::narrow::finisher::Closest;
use crate::simd::{Lane, WIDTH};

/// Of vectors.
pub(in crate::narrow) const THREE: [Lane; 3] = [[0.0; WIDTH]; 3];

/// [`Closest`] in each lane.
#[derive(Debug, Clone, Copy)]
pub(in crate::narrow) struct Columns {
    pub(in crate::narrow) normal: [Lane; 3],
    pub(in crate::narrow) distance: Lane,
    pub(in crate::narrow) point_a: [Lane; 3],
    pub(in crate::narrow) point_b: [Lane; 3],
    pub(in crate::narrow) residual: Lane,
    pub(in crate::narrow) interior: Lane,
    pub(in crate::narrow) amplification: Lane,
}

impl Columns {
    #[inline(always)] // as everything below: into code for wider registers
    pub(in crate::narrow) fn zero() -> Self {
        let zero = [0.0; WIDTH];
        Self {
            normal: THREE,
            distance: zero,
            point_a: THREE,
            point_b: THREE,
            residual: zero,
            interior: zero,
            amplification: zero,
        }
    }

    #[inline(always)]
    pub(in crate::narrow) fn set(&mut self, k: usize, c: &Closest<f64>) {
        set(&mut self.normal, k, c.normal);
        set(&mut self.point_a, k, c.point_a);
        set(&mut self.point_b, k, c.point_b);
        self.distance[k] = c.distance;
        self.residual[k] = c.residual;
        self.interior[k] = c.interior;
        self.amplification[k] = c.amplification;
    }

    #[inline(always)]
    pub(in crate::narrow) fn closest(&self, k: usize) -> Closest<f64> {
        Closest {
            normal: at(&self.normal, k),
            distance: self.distance[k],
            point_a: at(&self.point_a, k),
            point_b: at(&self.point_b, k),
            residual: self.residual[k],
            interior: self.interior[k],
            amplification: self.amplification[k],
        }
    }
}

#[inline(always)]
pub(in crate::narrow) fn at(v: &[Lane; 3], k: usize) -> Vec3<f64> {
    Vec3 { x: v[0][k], y: v[1][k], z: v[2][k] }
}

#[inline(always)]
pub(in crate::narrow) fn set(to: &mut [Lane; 3], k: usize, v: Vec3<f64>) {
    (to[0][k], to[1][k], to[2][k]) = (v.x, v.y, v.z);
}
