//! Numbers of the oracle of ties: integers times powers of two. Sums and products are exact.
#![allow(clippy::should_implement_trait)] // by reference and without operators: the formulas are short

use std::cmp::Ordering;

use num_bigint::{BigInt, Sign};

/// Bits of a quotient: an error below 1e-120 of its value.
const QUOTIENT_BITS: i64 = 400;

/// `mantissa * 2^exponent`.
#[derive(Clone, Debug)]
pub(crate) struct Exact {
    mantissa: BigInt,
    exponent: i64,
}

impl Exact {
    /// A finite `f64`.
    pub(crate) fn of(x: f64) -> Self {
        assert!(x.is_finite(), "{x} is no number of a test");
        let (bits, fraction) = (x.to_bits(), x.to_bits() & ((1 << 52) - 1));
        let biased = (bits >> 52 & 0x7FF) as i64;
        let (integer, exponent) = if biased == 0 { (fraction, -1074) } else { (fraction | 1 << 52, biased - 1075) };
        let zeros = if integer == 0 { 0 } else { integer.trailing_zeros() };
        let mantissa = BigInt::from(integer >> zeros);
        Self { mantissa: if x < 0.0 { -mantissa } else { mantissa }, exponent: exponent + i64::from(zeros) }
    }

    pub(crate) fn add(&self, o: &Self) -> Self {
        let (high, low) = if self.exponent >= o.exponent { (self, o) } else { (o, self) };
        if high.mantissa.sign() == Sign::NoSign {
            return low.clone();
        }
        let shifted = &high.mantissa << (high.exponent - low.exponent) as u64;
        Self { mantissa: shifted + &low.mantissa, exponent: low.exponent }
    }

    pub(crate) fn negative(&self) -> Self {
        Self { mantissa: -&self.mantissa, exponent: self.exponent }
    }

    pub(crate) fn sub(&self, o: &Self) -> Self {
        self.add(&o.negative())
    }

    pub(crate) fn mul(&self, o: &Self) -> Self {
        Self { mantissa: &self.mantissa * &o.mantissa, exponent: self.exponent + o.exponent }
    }

    pub(crate) fn square(&self) -> Self {
        self.mul(self)
    }

    /// Half of it.
    pub(crate) fn half(&self) -> Self {
        Self { mantissa: self.mantissa.clone(), exponent: self.exponent - 1 }
    }

    /// `self / o`, cut after [`QUOTIENT_BITS`] bits: the only operation that is not exact.
    pub(crate) fn quotient(&self, o: &Self) -> Self {
        let shift = (QUOTIENT_BITS + o.mantissa.bits() as i64 - self.mantissa.bits() as i64).max(0);
        let mantissa = (&self.mantissa << shift as u64) / &o.mantissa;
        Self { mantissa, exponent: self.exponent - o.exponent - shift }
    }

    /// -1, 0 or 1.
    pub(crate) fn sign(&self) -> i32 {
        match self.mantissa.sign() {
            Sign::Minus => -1,
            Sign::NoSign => 0,
            Sign::Plus => 1,
        }
    }

    pub(crate) fn compare(&self, o: &Self) -> Ordering {
        self.sub(o).sign().cmp(&0)
    }

    pub(crate) fn absolute(&self) -> Self {
        if self.sign() < 0 { self.negative() } else { self.clone() }
    }

    /// The nearest `f64` but for a unit in the last place.
    pub(crate) fn value(&self) -> f64 {
        let cut = (self.mantissa.bits() as i64 - 62).max(0);
        let leading = i64::try_from(&self.mantissa >> cut as u64).expect("62 bits");
        libm::scalbn(leading as f64, (self.exponent + cut) as i32)
    }
}

/// A vector of exact numbers.
pub(crate) type Vector = [Exact; 3];

pub(crate) fn vector(v: [f64; 3]) -> Vector {
    v.map(Exact::of)
}

pub(crate) fn plus(a: &Vector, b: &Vector) -> Vector {
    [0, 1, 2].map(|k: usize| a[k].add(&b[k]))
}

pub(crate) fn minus(a: &Vector, b: &Vector) -> Vector {
    [0, 1, 2].map(|k: usize| a[k].sub(&b[k]))
}

pub(crate) fn times(a: &Vector, s: &Exact) -> Vector {
    [0, 1, 2].map(|k: usize| a[k].mul(s))
}

pub(crate) fn dot(a: &Vector, b: &Vector) -> Exact {
    a[0].mul(&b[0]).add(&a[1].mul(&b[1])).add(&a[2].mul(&b[2]))
}

pub(crate) fn cross(a: &Vector, b: &Vector) -> Vector {
    [(1, 2), (2, 0), (0, 1)].map(|(i, j): (usize, usize)| a[i].mul(&b[j]).sub(&a[j].mul(&b[i])))
}

/// The vector in `f64`, after a division of all its components.
pub(crate) fn values(a: &Vector, by: &Exact) -> [f64; 3] {
    [0, 1, 2].map(|k: usize| a[k].quotient(by).value())
}

/// A root with a sign: `sign * sqrt(numerator / denominator)`.
#[derive(Clone, Debug)]
pub(crate) struct Root {
    pub(crate) sign: i32,
    pub(crate) numerator: Exact,
    pub(crate) denominator: Exact,
}

impl Root {
    /// `length / sqrt(square)`.
    pub(crate) fn ratio(length: &Exact, square: &Exact) -> Self {
        Self { sign: length.sign(), numerator: length.square(), denominator: square.clone() }
    }

    pub(crate) fn compare(&self, o: &Self) -> Ordering {
        let squares = || self.numerator.mul(&o.denominator).compare(&o.numerator.mul(&self.denominator));
        self.signed(o.sign, squares)
    }

    /// Against a number.
    pub(crate) fn compare_with(&self, x: &Exact) -> Ordering {
        self.signed(x.sign(), || self.numerator.compare(&x.square().mul(&self.denominator)))
    }

    fn signed(&self, other: i32, squares: impl Fn() -> Ordering) -> Ordering {
        self.sign.cmp(&other).then_with(|| if self.sign < 0 { squares().reverse() } else { squares() })
    }

    pub(crate) fn value(&self) -> f64 {
        f64::from(self.sign) * self.numerator.quotient(&self.denominator).value().sqrt()
    }
}
