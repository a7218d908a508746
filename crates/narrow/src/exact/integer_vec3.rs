//! Vectors of integers, and their conversion to `f64`.

use clearsweep_geometry::Vec3;
use num_bigint::{BigInt, BigUint, Sign};
use std::ops::Sub;

/// A vector of integers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct IntegerVec3(pub(super) [BigInt; 3]);

impl IntegerVec3 {
    pub(super) fn zero() -> Self {
        Self([BigInt::ZERO, BigInt::ZERO, BigInt::ZERO])
    }

    pub(super) fn dot(&self, o: &Self) -> BigInt {
        &self.0[0] * &o.0[0] + &self.0[1] * &o.0[1] + &self.0[2] * &o.0[2]
    }

    pub(super) fn cross(&self, o: &Self) -> Self {
        let ([a, b, c], [d, e, f]) = (&self.0, &o.0);
        Self([b * f - c * e, c * d - a * f, a * e - b * d])
    }

    pub(super) fn scale(&self, s: &BigInt) -> Self {
        Self([&self.0[0] * s, &self.0[1] * s, &self.0[2] * s])
    }

    pub(super) fn plus(&self, o: &Self) -> Self {
        Self([&self.0[0] + &o.0[0], &self.0[1] + &o.0[1], &self.0[2] + &o.0[2]])
    }

    pub(super) fn negated(&self) -> Self {
        Self([-&self.0[0], -&self.0[1], -&self.0[2]])
    }

    pub(super) fn is_zero(&self) -> bool {
        self.0.iter().all(|c| c.sign() == Sign::NoSign)
    }

    /// The direction as a unit vector, each component to within 2 ulp; not finite for the zero
    /// vector.
    pub(super) fn direction(&self) -> Vec3<f64> {
        // The leading bits are enough: all components are truncated at the same place.
        let most = self.0.iter().map(BigInt::bits).max().unwrap_or(0);
        let cut = most.saturating_sub(1000);
        let component = |c: &BigInt| ScaledFloat::ratio(&(c >> cut), &BigInt::from(1)).times(-((most - cut) as i64));
        let [x, y, z] = self.0.each_ref().map(component);
        Vec3::new(x, y, z).normalized()
    }
}

impl Sub for &IntegerVec3 {
    type Output = IntegerVec3;
    fn sub(self, o: Self) -> IntegerVec3 {
        IntegerVec3([&self.0[0] - &o.0[0], &self.0[1] - &o.0[1], &self.0[2] - &o.0[2]])
    }
}

/// `mantissa * 2^exponent`; the mantissa has 63 or 64 bits (or is zero) and is truncated towards
/// zero.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScaledFloat {
    negative: bool,
    mantissa: u64,
    exponent: i64,
}

impl ScaledFloat {
    /// `num / den`, `den` not zero.
    pub(super) fn ratio(num: &BigInt, den: &BigInt) -> Self {
        let negative = (num.sign() == Sign::Minus) != (den.sign() == Sign::Minus);
        let (n, d) = (num.magnitude(), den.magnitude());
        // Shifted so that the quotient has 65 or 66 bits.
        let shift = 65 + d.bits() as i64 - n.bits() as i64;
        let q = if shift >= 0 { (n << shift as u64) / d } else { n / (d << (-shift) as u64) };
        Self::of(negative, &q, -shift)
    }

    /// The square root of `num / den`, both positive.
    pub(super) fn root(num: &BigUint, den: &BigUint) -> Self {
        // sqrt(num / den) = sqrt(num * 2^(2k) / den) / 2^k with a quotient of about 130 bits.
        let k = (131 + den.bits() as i64 - num.bits() as i64).div_euclid(2);
        let q = if k >= 0 { (num << (2 * k) as u64) / den } else { num / (den << (-2 * k) as u64) };
        Self::of(false, &q.sqrt(), -k)
    }

    fn of(negative: bool, value: &BigUint, exponent: i64) -> Self {
        let excess = value.bits().saturating_sub(64);
        let digits = (value >> excess).to_u64_digits();
        Self { negative, mantissa: digits.first().copied().unwrap_or(0), exponent: exponent + excess as i64 }
    }

    /// Times `2^power`, rounded to `f64` to within an ulp (towards zero if the result is
    /// subnormal).
    pub(super) fn times(self, power: i64) -> f64 {
        let mut exponent = (self.exponent + power).clamp(-4000, 4000);
        let mut value = self.mantissa as f64;
        // In steps that neither overflow nor lose bits before the last step.
        while exponent != 0 {
            let step = exponent.clamp(-500, 500);
            value *= f64::from_bits(((1023 + step) as u64) << 52);
            exponent -= step;
        }
        if self.negative { -value } else { value }
    }
}
