//! One generator of random numbers for tests, benchmarks and tools: a seed gives the same numbers
//! on every machine.

use crate::random_motions::about;
use clearsweep_geometry::{Pose, Vec3};

/// SplitMix64 (Steele, Lea & Flood 2014); the field is its state, at first the seed.
#[derive(Debug, Clone)]
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
    /// Uniform in `0..1`, with 53 bits.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }
    /// Uniform in `-1..1`.
    pub fn signed(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }
    /// Uniform in `low..high`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }
    /// Uniform in its logarithm.
    pub fn scale(&mut self, low: f64, high: f64) -> f64 {
        libm::exp(self.between(libm::log(low), libm::log(high)))
    }
    /// Uniform in `0..n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }
    /// True with that probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }
    /// Uniform in the cube from -1 to 1.
    pub fn vector(&mut self) -> [f64; 3] {
        [0; 3].map(|_| self.signed())
    }
    /// [`Self::vector`] as a [`Vec3`].
    pub fn vec3(&mut self) -> Vec3<f64> {
        self.vector().into()
    }
    /// Uniform in the cube from `-half` to `half`.
    pub fn in_cube(&mut self, half: f64) -> [f64; 3] {
        [0; 3].map(|_| self.between(-half, half))
    }
    /// Uniform on the unit sphere.
    pub fn direction(&mut self) -> [f64; 3] {
        loop {
            let v = self.vector();
            let n = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt();
            if (0.1..=1.0).contains(&n) {
                let scale = 1.0 / n;
                return v.map(|c| c * scale);
            }
        }
    }
    /// Uniform in the cube of four dimensions: a quaternion (w, x, y, z) of any norm.
    pub fn quaternion(&mut self) -> [f64; 4] {
        [0; 4].map(|_| self.signed())
    }
    /// A rotation: mostly uniform, a unit quaternion up to rounding.
    pub fn turn(&mut self) -> [f64; 4] {
        loop {
            let q = self.quaternion();
            let n = q.iter().map(|c| c * c).sum::<f64>().sqrt();
            if (0.1..=1.0).contains(&n) {
                return q.map(|c| c / n);
            }
        }
    }
    /// The rotation by an angle (radians) about a random axis.
    pub fn turn_by(&mut self, angle: f64) -> [f64; 4] {
        about(self.direction(), angle)
    }
    /// One of the rotations of the cube onto itself; exact, since the quaternion's scale cancels
    /// exactly.
    pub fn quarter_turn(&mut self) -> [f64; 4] {
        let c = [1.0, 0.5_f64.sqrt(), 0.5][self.below(3)];
        let filled = if c == 1.0 {
            1
        } else if c == 0.5 {
            4
        } else {
            2
        };
        let mut q = [0.0; 4];
        let start = self.below(4);
        for k in 0..filled {
            q[(start + k) % 4] = if self.chance(0.5) { c } else { -c };
        }
        q
    }
    /// A pose with its position in the cube from `-half` to `half` and a quaternion of any norm.
    pub fn pose(&mut self, half: f64) -> Pose {
        Pose::new(self.in_cube(half), self.quaternion())
    }
}
