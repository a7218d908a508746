//! Numbers and vectors of the oracle: `f64` to find the candidates, `Wide` (two `f64`s, ~104 bits)
//! to measure them.
//!
//! Written for the tests alone, on purpose apart from the engine's arithmetic: products are split
//! by masking bits, not by Veltkamp's multiplication, so that one mistake cannot hide in both.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// Operations that the formulas of the oracle need of a number.
pub trait Number:
    Copy
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    fn of(x: f64) -> Self;
    fn value(self) -> f64;
    fn root(self) -> Self;
}

impl Number for f64 {
    fn of(x: f64) -> Self {
        x
    }
    fn value(self) -> f64 {
        self
    }
    fn root(self) -> Self {
        self.sqrt()
    }
}

/// The unevaluated sum of a number and a small rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wide(pub f64, pub f64);

impl Wide {
    /// `a + b`, exactly.
    pub fn sum(a: f64, b: f64) -> Self {
        let total = a + b;
        let b_kept = total - a;
        let a_kept = total - b_kept;
        Self(total, (a - a_kept) + (b - b_kept))
    }

    /// `a * b` to about 105 bits: the upper half of each factor is cut out by a mask of its bits.
    fn product(a: f64, b: f64) -> Self {
        let upper = |x: f64| f64::from_bits(x.to_bits() & !0x7FF_FFFF);
        let (a1, b1) = (upper(a), upper(b));
        let (a2, b2) = (a - a1, b - b1);
        let main = a1 * b1;
        let rest = Self::sum(a1 * b2, a2 * b1);
        let total = Self::sum(main, rest.0);
        Self::sum(total.0, total.1 + (rest.1 + a2 * b2))
    }
}

impl Add for Wide {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        let (upper, lower) = (Self::sum(self.0, o.0), Self::sum(self.1, o.1));
        let middle = Self::sum(upper.0, upper.1 + lower.0);
        Self::sum(middle.0, middle.1 + lower.1)
    }
}

impl Neg for Wide {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0, -self.1)
    }
}

impl Sub for Wide {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        self + -o
    }
}

impl Mul for Wide {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        let main = Self::product(self.0, o.0);
        Self::sum(main.0, main.1 + (self.0 * o.1 + self.1 * o.0))
    }
}

impl Div for Wide {
    type Output = Self;
    fn div(self, o: Self) -> Self {
        // Newton for the reciprocal, then one correction of the quotient.
        let guess = Self(1.0 / o.0, 0.0);
        let reciprocal = guess + guess * (Self(1.0, 0.0) - o * guess);
        let quotient = self * reciprocal;
        quotient + reciprocal * (self - quotient * o)
    }
}

impl PartialOrd for Wide {
    fn partial_cmp(&self, o: &Self) -> Option<std::cmp::Ordering> {
        (*self - *o).0.partial_cmp(&0.0)
    }
}

impl Number for Wide {
    fn of(x: f64) -> Self {
        Self(x, 0.0)
    }
    fn value(self) -> f64 {
        self.0 + self.1
    }
    fn root(self) -> Self {
        if self.0 <= 0.0 {
            return Self(0.0, 0.0); // squares only: below zero is rounding
        }
        let mut root = Self(self.0.sqrt(), 0.0);
        for _ in 0..2 {
            root = (root + self / root) * Self(0.5, 0.0); // Heron
        }
        root
    }
}

/// A vector of the oracle.
pub type Vector<T> = [T; 3];

pub fn add<T: Number>(a: Vector<T>, b: Vector<T>) -> Vector<T> {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub fn sub<T: Number>(a: Vector<T>, b: Vector<T>) -> Vector<T> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub fn times<T: Number>(a: Vector<T>, s: T) -> Vector<T> {
    [a[0] * s, a[1] * s, a[2] * s]
}

pub fn dot<T: Number>(a: Vector<T>, b: Vector<T>) -> T {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub fn cross<T: Number>(a: Vector<T>, b: Vector<T>) -> Vector<T> {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub fn norm<T: Number>(a: Vector<T>) -> T {
    dot(a, a).root()
}

pub fn unit<T: Number>(a: Vector<T>) -> Vector<T> {
    times(a, T::of(1.0) / norm(a))
}

pub fn wide(a: Vector<f64>) -> Vector<Wide> {
    a.map(|x| Wide(x, 0.0))
}

pub fn values(a: Vector<Wide>) -> Vector<f64> {
    a.map(Number::value)
}
