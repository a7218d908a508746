//! Random numbers, directions and rotations for motions between two frames, the same on every machine.

/// Seeded random numbers.
pub struct Random(pub u64);

impl Random {
    /// In 0..1.
    pub fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// In -1..1.
    pub fn signed(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    /// A whole number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.unit() * n as f64) as usize % n
    }

    /// A point of the cube from -1 to 1.
    pub fn vector(&mut self) -> [f64; 3] {
        [self.signed(), self.signed(), self.signed()]
    }

    /// A unit vector.
    pub fn direction(&mut self) -> [f64; 3] {
        loop {
            let v = self.vector();
            let n = v.iter().map(|c| c * c).sum::<f64>().sqrt();
            if n > 1e-3 && n <= 1.0 {
                let scale = 1.0 / n;
                return v.map(|c| c * scale);
            }
        }
    }

    /// The rotation by an angle (radians) about a random axis, as a quaternion (w, x, y, z).
    pub fn turn(&mut self, angle: f64) -> [f64; 4] {
        about(self.direction(), angle)
    }
}

/// The rotation by an angle (radians) about a unit vector.
pub fn about(axis: [f64; 3], angle: f64) -> [f64; 4] {
    let (s, c) = (0.5 * angle).sin_cos();
    [c, axis[0] * s, axis[1] * s, axis[2] * s]
}

/// The product of two quaternions.
pub fn product(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    [
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    ]
}
