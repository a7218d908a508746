//! The numbers that queries are answered in: `f64`, and `Dd`, an unevaluated sum of two `f64`s
//! (about 106 bits), for the rung of the pair solver where rounding in `f64` leaves a question
//! open.
//!
//! No operation uses a fused multiply-add, so a value is the same on every machine. Source of the
//! double-double operations: Dekker 1971, Knuth (TAOCP 2, 4.2.2); error bounds: Joldes, Muller,
//! Popescu 2017, "Tight and rigorous error bounds for basic building blocks of double-word
//! arithmetic".

use std::fmt::Debug;
use std::ops::{Add, AddAssign, BitAnd, BitOr, Div, Mul, Neg, Not, Sub, SubAssign};

/// The numbers that formulas are written in: `f64`, double-double, or a register of eight `f64`
/// (`simd::V`).
///
/// A formula that is generic over it does the same operations in the same order in each of them.
pub trait Scalar:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self> + 'static
{
    /// Result of a comparison: a truth value for each number.
    type Mask: Copy + BitAnd<Output = Self::Mask> + BitOr<Output = Self::Mask> + Not<Output = Self::Mask>;
    /// The numbers of working precision that error bounds are computed in: `f64`, or a register of
    /// them.
    type Bound: Scalar<Mask = Self::Mask>;
    /// Half a unit in the last place of 1: the relative error of one operation.
    const UNIT: f64;
    /// The number `x`, exactly.
    fn from_f64(x: f64) -> Self;
    /// The nearest numbers of working precision.
    fn bound(self) -> Self::Bound;
    /// Square root; NaN below zero.
    fn sqrt(self) -> Self;
    /// Whether it is less than the other; false if one is NaN.
    fn lt(self, other: Self) -> Self::Mask;
    /// Whether it is at most the other; false if one is NaN.
    fn le(self, other: Self) -> Self::Mask;
    /// `a` where the mask is true, else `b`.
    fn select(mask: Self::Mask, a: Self, b: Self) -> Self;
    /// Whether a mask is true for any number.
    fn any(mask: Self::Mask) -> bool;
    /// Whether it is greater than the other; false if one is NaN.
    #[inline(always)] // as everything below: into code for wider registers
    fn gt(self, other: Self) -> Self::Mask {
        other.lt(self)
    }
    /// Whether it is at least the other; false if one is NaN.
    #[inline(always)]
    fn ge(self, other: Self) -> Self::Mask {
        other.le(self)
    }
    /// Zero.
    #[inline(always)]
    fn zero() -> Self {
        Self::from_f64(0.0)
    }
    /// One.
    #[inline(always)]
    fn one() -> Self {
        Self::from_f64(1.0)
    }
    /// Absolute value.
    #[inline(always)]
    fn abs(self) -> Self {
        Self::select(self.lt(Self::zero()), -self, self)
    }
    /// The larger of two numbers (the first if they are equal or not ordered).
    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        Self::select(self.lt(other), other, self)
    }
    /// The smaller of two numbers (the first if they are equal or not ordered).
    #[inline(always)]
    fn smaller(self, other: Self) -> Self {
        Self::select(other.lt(self), other, self)
    }
}

/// One real number: [`Scalar`] without lanes.
pub trait Real: Scalar<Mask = bool, Bound = f64> + Debug + PartialOrd + AddAssign + SubAssign + Send + Sync {
    /// Zero.
    const ZERO: Self;
    /// One.
    const ONE: Self;
    /// The sum of `hi` and `lo`, rounded to this type.
    fn from_parts(hi: f64, lo: f64) -> Self;
    /// `(b + rest_b) - (a + rest_a)`, rounded to this type; the difference of the leading parts
    /// comes first, so that a common offset cancels.
    fn difference(a: f64, rest_a: f64, b: f64, rest_b: f64) -> Self;
    /// The nearest `f64`.
    #[inline(always)]
    fn to_f64(self) -> f64 {
        self.bound()
    }
}

impl Scalar for f64 {
    type Mask = bool;
    type Bound = Self;
    const UNIT: f64 = f64::EPSILON / 2.0;
    #[inline(always)]
    fn from_f64(x: f64) -> Self {
        x
    }
    #[inline(always)]
    fn bound(self) -> f64 {
        self
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        f64::sqrt(self)
    }
    #[inline(always)]
    fn lt(self, other: Self) -> bool {
        self < other
    }
    #[inline(always)]
    fn le(self, other: Self) -> bool {
        self <= other
    }
    #[inline(always)]
    fn select(mask: bool, a: Self, b: Self) -> Self {
        if mask { a } else { b }
    }
    #[inline(always)]
    fn any(mask: bool) -> bool {
        mask
    }
}

impl Real for f64 {
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;
    #[inline(always)]
    fn from_parts(hi: f64, lo: f64) -> Self {
        hi + lo
    }
    #[inline(always)]
    fn difference(a: f64, rest_a: f64, b: f64, rest_b: f64) -> Self {
        (b - a) + (rest_b - rest_a)
    }
}

/// Double-double: the unevaluated sum `hi + lo`, `|lo| <= ulp(hi) / 2`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dd {
    /// The nearest `f64` of the sum.
    pub hi: f64,
    /// Remainder of the sum: `|lo| <= ulp(hi) / 2`.
    pub lo: f64,
}

/// `a + b` exactly, as a rounded sum and its error (Knuth).
#[inline]
pub fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    let bb = s - a;
    (s, (a - (s - bb)) + (b - bb))
}

/// `a + b` exactly, where `|a| >= |b|` (Dekker).
#[inline]
fn fast_two_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    (s, b - (s - a))
}

/// `a` as the sum of two numbers of at most 26 bits (Veltkamp).
#[inline]
fn split(a: f64) -> (f64, f64) {
    let c = 134_217_729.0 * a; // 2^27 + 1
    let hi = c - (c - a);
    (hi, a - hi)
}

/// `a * b` exactly, as a rounded product and its error (Dekker); exact while nothing over- or
/// underflows.
#[inline]
pub fn two_prod(a: f64, b: f64) -> (f64, f64) {
    let p = a * b;
    let (ah, al) = split(a);
    let (bh, bl) = split(b);
    (p, ((ah * bh - p) + ah * bl + al * bh) + al * bl)
}

impl Dd {
    /// The sum of two `f64`s, exactly.
    #[inline]
    pub fn sum(a: f64, b: f64) -> Self {
        let (hi, lo) = two_sum(a, b);
        Self { hi, lo }
    }
}

impl Add for Dd {
    type Output = Self;
    #[inline]
    fn add(self, o: Self) -> Self {
        let (sh, sl) = two_sum(self.hi, o.hi);
        let (th, tl) = two_sum(self.lo, o.lo);
        let (vh, vl) = fast_two_sum(sh, sl + th);
        let (hi, lo) = fast_two_sum(vh, tl + vl);
        Self { hi, lo }
    }
}

impl Sub for Dd {
    type Output = Self;
    #[inline]
    fn sub(self, o: Self) -> Self {
        self + (-o)
    }
}

impl Neg for Dd {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Self { hi: -self.hi, lo: -self.lo }
    }
}

impl Mul for Dd {
    type Output = Self;
    #[inline]
    fn mul(self, o: Self) -> Self {
        let (ph, pl) = two_prod(self.hi, o.hi);
        let cross = self.hi * o.lo + self.lo * o.hi + self.lo * o.lo;
        let (hi, lo) = fast_two_sum(ph, pl + cross);
        Self { hi, lo }
    }
}

impl Div for Dd {
    type Output = Self;
    #[inline]
    fn div(self, o: Self) -> Self {
        // Long division: two corrected digits of 53 bits, the third one mends the rounding.
        let q1 = self.hi / o.hi;
        let r = self - o * Self::from_f64(q1);
        let q2 = r.hi / o.hi;
        let r = r - o * Self::from_f64(q2);
        let q3 = r.hi / o.hi;
        let (hi, lo) = fast_two_sum(q1, q2);
        Self { hi, lo } + Self::from_f64(q3)
    }
}

impl AddAssign for Dd {
    #[inline]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}

impl SubAssign for Dd {
    #[inline]
    fn sub_assign(&mut self, o: Self) {
        *self = *self - o;
    }
}

impl PartialOrd for Dd {
    #[inline]
    fn partial_cmp(&self, o: &Self) -> Option<std::cmp::Ordering> {
        match self.hi.partial_cmp(&o.hi) {
            Some(std::cmp::Ordering::Equal) => self.lo.partial_cmp(&o.lo),
            order => order,
        }
    }
}

impl Scalar for Dd {
    type Mask = bool;
    type Bound = f64;
    // Joldes et al. bound each operation by a few 2^-106; 2^-104 covers all of them.
    const UNIT: f64 = f64::EPSILON * f64::EPSILON;
    #[inline]
    fn from_f64(x: f64) -> Self {
        Self { hi: x, lo: 0.0 }
    }
    #[inline]
    fn bound(self) -> f64 {
        self.hi
    }
    fn sqrt(self) -> Self {
        if self.hi <= 0.0 {
            return Self::from_f64(f64::sqrt(self.hi)); // 0, or NaN below zero
        }
        // One Newton step on the f64 root doubles its digits.
        let r = f64::sqrt(self.hi);
        let (p, e) = two_prod(r, r);
        let rest = self - Self { hi: p, lo: e };
        let (hi, lo) = fast_two_sum(r, rest.hi / (2.0 * r));
        Self { hi, lo }
    }
    #[inline]
    fn lt(self, other: Self) -> bool {
        self < other
    }
    #[inline]
    fn le(self, other: Self) -> bool {
        self <= other
    }
    #[inline]
    fn select(mask: bool, a: Self, b: Self) -> Self {
        if mask { a } else { b }
    }
    #[inline(always)]
    fn any(mask: bool) -> bool {
        mask
    }
}

impl Real for Dd {
    const ZERO: Self = Self { hi: 0.0, lo: 0.0 };
    const ONE: Self = Self { hi: 1.0, lo: 0.0 };
    #[inline]
    fn from_parts(hi: f64, lo: f64) -> Self {
        Self::sum(hi, lo)
    }
    fn difference(a: f64, rest_a: f64, b: f64, rest_b: f64) -> Self {
        Self::sum(b, -a) + Self::sum(rest_b, -rest_a)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_prod_and_two_sum_are_exact_on_integers() {
        let (a, b) = (9_007_199_254_740_991.0, 9_007_199_254_740_989.0);
        let (p, e) = two_prod(a, b);
        let exact = 9_007_199_254_740_991_i128 * 9_007_199_254_740_989_i128;
        assert_eq!(p as i128 + e as i128, exact);
        let (s, e) = two_sum(1e16, 1.25);
        assert_eq!((s as i128) * 4 + (e * 4.0) as i128, 40_000_000_000_000_005);
    }

    #[test]
    fn division_and_root_keep_a_hundred_bits() {
        let third = Dd::ONE / Dd::from_f64(3.0);
        let back = third * Dd::from_f64(3.0) - Dd::ONE;
        assert!(back.hi.abs() < 8.0 * Dd::UNIT, "{back:?}");
        let two = Dd::from_f64(2.0);
        let back = two.sqrt() * two.sqrt() - two;
        assert!(back.hi.abs() < 16.0 * Dd::UNIT, "{back:?}");
        assert!(third.lo != 0.0);
    }
}
