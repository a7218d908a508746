//! Seeded, smooth motion.

use clearsweep_testing::random::Random;
use std::f64::consts::TAU;

/// A sum of sines over time.
pub(crate) struct Wave {
    mean: f64,
    /// Amplitude, frequency (1/s), phase (rad).
    terms: [[f64; 3]; 3],
}

impl Wave {
    /// A wave about `mean` that stays within `reach` of it.
    pub(crate) fn seeded(random: &mut Random, mean: f64, reach: f64) -> Self {
        let mut term = |share: f64| [reach * share, random.between(0.03, 0.25), random.between(0.0, TAU)];
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
