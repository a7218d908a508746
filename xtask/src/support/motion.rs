//! Seeded, smooth motion.

use std::f64::consts::TAU;

/// A seeded sequence of numbers (SplitMix64, Steele et al. 2014): the same on every machine.
pub(crate) struct Seeded(pub(crate) u64);

impl Seeded {
    /// Uniform in `low..high`.
    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        let unit = ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64;
        low + (high - low) * unit
    }
}

/// A sum of sines over time.
pub(crate) struct Wave {
    mean: f64,
    /// Amplitude, frequency (1/s), phase (rad).
    terms: [[f64; 3]; 3],
}

impl Wave {
    /// A wave about `mean` that stays within `reach` of it.
    pub(crate) fn seeded(seeded: &mut Seeded, mean: f64, reach: f64) -> Self {
        let mut term = |share: f64| [reach * share, seeded.between(0.03, 0.25), seeded.between(0.0, TAU)];
        Self { mean, terms: [term(0.6), term(0.3), term(0.1)] }
    }

    /// Its value at a time, seconds. `libm`, so that every machine writes the same bytes.
    pub(crate) fn at(&self, time_s: f64) -> f64 {
        self.terms.iter().fold(self.mean, |sum, [a, f, p]| sum + a * libm::sin(TAU * f * time_s + p))
    }
}

/// The quaternion divided by its norm.
pub(crate) fn unit(q: [f64; 4]) -> [f64; 4] {
    let norm = (q[0] * q[0] + q[1] * q[1] + (q[2] * q[2] + q[3] * q[3])).sqrt();
    q.map(|c| c / norm)
}
