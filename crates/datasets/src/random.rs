//! Random numbers that are the same on every platform and in every version of this crate.
//!
//! Sources: Steele, Lea, Flood 2014, "Fast splittable pseudorandom number generators" (SplitMix64,
//! which spreads the seed); Blackman, Vigna 2021, "Scrambled linear pseudorandom number generators"
//! (xoshiro256++); Shoemake 1992, "Uniform random rotations".

use std::f64::consts::PI;

/// xoshiro256++.
#[derive(Debug, Clone)]
pub(super) struct Random {
    state: [u64; 4],
}

impl Random {
    /// A generator for `seed` and a stream of it: streams are independent of each other, so that a
    /// body's motion does not depend on how many bodies come before it.
    pub(super) fn new(seed: u64, stream: u64) -> Self {
        let mut spread = SplitMix64(SplitMix64(seed).next() ^ stream);
        Self { state: std::array::from_fn(|_| spread.next()) }
    }

    /// The next 64 bits.
    fn next(&mut self) -> u64 {
        let s = &mut self.state;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// Uniform in `[0, 1)`, a multiple of 2^-53.
    pub(super) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
    }

    /// Uniform in `[low, high)`.
    pub(super) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Uniform in `0..count`, but for a bias of `count / 2^53`.
    pub(super) fn below(&mut self, count: u32) -> u32 {
        (self.unit() * f64::from(count)) as u32
    }

    /// Normally distributed (Box, Muller 1958, "A note on the generation of random normal
    /// deviates").
    pub(super) fn normal(&mut self, mean: f64, deviation: f64) -> f64 {
        let radius = (-2.0 * libm::log(1.0 - self.unit())).sqrt();
        mean + deviation * radius * libm::cos(2.0 * PI * self.unit())
    }

    /// Uniform on the unit sphere.
    pub(super) fn direction(&mut self) -> [f64; 3] {
        let z = self.between(-1.0, 1.0);
        let phi = self.between(0.0, 2.0 * PI);
        let r = (1.0 - z * z).max(0.0).sqrt();
        [r * libm::cos(phi), r * libm::sin(phi), z]
    }

    /// A uniform rotation, as a unit quaternion w, x, y, z.
    pub(super) fn rotation(&mut self) -> [f64; 4] {
        let u = self.unit();
        let (low, high) = ((1.0 - u).sqrt(), u.sqrt());
        let (alpha, beta) = (self.between(0.0, 2.0 * PI), self.between(0.0, 2.0 * PI));
        [high * libm::cos(beta), low * libm::sin(alpha), low * libm::cos(alpha), high * libm::sin(beta)]
    }
}

/// SplitMix64.
struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_recurrences_are_the_published_ones() {
        // Numbers of the reference implementation of SplitMix64, seed 1234567.
        let mut spread = SplitMix64(1_234_567);
        assert_eq!(spread.next(), 6_457_827_717_110_365_317);
        assert_eq!(spread.next(), 3_203_168_211_198_807_973);
        // Numbers of the reference implementation of xoshiro256++, state 1, 2, 3, 4.
        let mut random = Random { state: [1, 2, 3, 4] };
        assert_eq!([random.next(), random.next(), random.next()], [41_943_041, 58_720_359, 3_588_806_011_781_223]);
    }

    #[test]
    fn directions_and_rotations_are_unit_and_spread() {
        let mut random = Random::new(5, 0);
        let (mut mean, mut w2) = ([0.0; 3], 0.0);
        for _ in 0..4000 {
            let d = random.direction();
            assert!((d.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-14);
            let q = random.rotation();
            assert!((q.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-14);
            for axis in 0..3 {
                mean[axis] += d[axis] / 4000.0;
            }
            w2 += q[0] * q[0] / 4000.0;
        }
        assert!(mean.iter().all(|m| m.abs() < 0.05), "{mean:?}");
        assert!((w2 - 0.25).abs() < 0.02, "{w2}");
    }

    #[test]
    fn normal_deviates_have_their_moments() {
        let mut random = Random::new(8, 0);
        let values: Vec<f64> = (0..20_000).map(|_| random.normal(3.0, 2.0)).collect();
        let mean = values.iter().sum::<f64>() / 20_000.0;
        let moment = |k: i32| values.iter().map(|x| ((x - mean) / 2.0).powi(k)).sum::<f64>() / 20_000.0;
        assert!((mean - 3.0).abs() < 0.06 && (moment(2) - 1.0).abs() < 0.05, "{mean} {}", moment(2));
        assert!(moment(3).abs() < 0.1 && (moment(4) - 3.0).abs() < 0.25, "{} {}", moment(3), moment(4));
    }

    #[test]
    fn streams_and_seeds_differ() {
        let first = |seed, stream| Random::new(seed, stream).next();
        assert_ne!(first(1, 0), first(1, 1));
        assert_ne!(first(1, 0), first(2, 0));
        assert_ne!(first(1, 2), first(2, 1));
        assert_eq!(first(3, 4), first(3, 4));
    }
}
