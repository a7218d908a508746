//! Tests of hulls: known shapes, a brute-force oracle in integers, and large inputs.

mod directions;
mod large;
mod layout;
mod oracle;
mod shapes;

use super::{HullError, convex_hull};
use crate::polyhedron::Polyhedron;
use crate::vec3::Vec3;
use std::collections::HashSet;

type Point = Vec3<f64>;

fn p(x: f64, y: f64, z: f64) -> Point {
    Vec3::new(x, y, z)
}

/// The hull, after every check that holds for all hulls.
fn checked_hull(points: &[Point]) -> Polyhedron {
    let hull = convex_hull(points).expect("these points have a hull");
    layout::check(&hull, points);
    hull
}

/// The number of normals that differ by more than their sign.
fn distinct_normals(hull: &Polyhedron) -> usize {
    let normals = hull.normals.iter().map(|n| n.to_array().map(|c| (c + 0.0).to_bits()));
    let negatives = hull.normals.iter().map(|n| n.to_array().map(|c| (0.0 - c).to_bits()));
    normals.zip(negatives).map(|(n, negative)| n.max(negative)).collect::<HashSet<_>>().len()
}

/// Pseudo-random numbers (Steele, Lea, Flood 2014: SplitMix64).
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    /// Uniform in 0..n.
    fn below(&mut self, n: u64) -> u64 {
        self.bits() % n
    }
    /// Uniform in [0, 1).
    fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }
    /// Uniform in [-1, 1)^3.
    fn in_cube(&mut self) -> Point {
        let mut c = || 2.0 * self.unit() - 1.0;
        let (x, y, z) = (c(), c(), c());
        p(x, y, z)
    }
    /// Near the unit sphere, by rejection.
    fn on_sphere(&mut self) -> Point {
        loop {
            let v = self.in_cube();
            if (0.01..1.0).contains(&v.length2()) {
                return v.normalized();
            }
        }
    }
}
