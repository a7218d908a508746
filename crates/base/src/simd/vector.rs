//! Eight numbers, or eight truth values, with operators.

use super::registers::{Lane, Simd, TABLE, WIDTH};
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

/// Eight numbers.
#[derive(Clone, Copy)]
pub struct V<S: Simd>(S::F);

/// Eight truth values.
#[derive(Clone, Copy)]
pub struct Mask<S: Simd>(S::M);

impl<S: Simd> V<S> {
    /// The same number in each lane.
    #[inline(always)]
    pub fn splat(x: f64) -> Self {
        Self(S::splat(x))
    }
    /// From memory.
    #[inline(always)]
    pub fn load(from: &Lane) -> Self {
        Self(S::load(from))
    }
    /// To memory.
    #[inline(always)]
    pub fn store(self, to: &mut Lane) {
        S::store(self.0, to);
    }
    /// `from[at]` in each lane, `at` as whole numbers; one out of range reads some other entry.
    #[inline(always)]
    pub fn gather(from: &[f64], at: Self) -> Self {
        Self(S::gather(from, at.0))
    }
    /// `table[at[i]]` in lane `i`, `at` below [`TABLE`] (else some other entry).
    #[inline(always)]
    pub fn look_up(table: &[f64; TABLE], at: &[u8; WIDTH]) -> Self {
        Self(S::look_up(table, at))
    }
    /// As an array.
    #[inline(always)]
    pub fn lanes(self) -> Lane {
        let mut out = [0.0; WIDTH];
        self.store(&mut out);
        out
    }
    /// Times the same number in each lane.
    #[inline(always)]
    pub fn scaled(self, x: f64) -> Self {
        self * Self::splat(x)
    }
    /// The larger of two numbers (the first if they are equal or not ordered).
    #[inline(always)]
    pub fn larger(self, o: Self) -> Self {
        Self(S::max(o.0, self.0))
    }
    /// The smaller of two numbers (the first if they are equal or not ordered).
    #[inline(always)]
    pub fn smaller(self, o: Self) -> Self {
        Self(S::min(o.0, self.0))
    }
    /// The same four numbers in lanes 0 to 3 and in lanes 4 to 7.
    #[inline(always)]
    pub fn twice(from: &[f64; 4]) -> Self {
        Self(S::twice(from))
    }
    /// Four numbers in lanes 0 to 3, four others in lanes 4 to 7.
    #[inline(always)]
    pub fn join(low: &[f64; 4], high: &[f64; 4]) -> Self {
        Self(S::join(low, high))
    }
    /// The columns of eight rows of four: column `c` has `rows[k][c]` in lane `k`.
    #[inline(always)]
    pub fn columns(rows: [&[f64; 4]; WIDTH]) -> [Self; 4] {
        let [a, b, c, d] = S::columns(rows);
        [Self(a), Self(b), Self(c), Self(d)]
    }
    /// The other way round: row `k` is lane `k` of each column.
    #[inline(always)]
    pub fn rows([a, b, c, d]: [Self; 4], to: &mut [[f64; 4]; WIDTH]) {
        S::rows([a.0, b.0, c.0, d.0], to);
    }
    /// Four numbers in lanes 0 to 3 and in lanes 4 to 7, from registers.
    #[inline(always)]
    pub fn quad([x, y, z, w]: [f64; 4]) -> Self {
        Self(S::quad(x, y, z, w))
    }
    /// Copies a lane of each half to all four lanes of that half: lane 0, lane 1, and lane 2.
    #[inline(always)]
    pub fn spread_lanes(self) -> [Self; 3] {
        [Self(S::spread::<0>(self.0)), Self(S::spread::<1>(self.0)), Self(S::spread::<2>(self.0))]
    }
    /// SampleColumn 0 to 3 in both halves.
    #[inline(always)]
    pub fn low(self) -> Self {
        Self(S::low(self.0))
    }
    /// SampleColumn 4 to 7 in both halves.
    #[inline(always)]
    pub fn high(self) -> Self {
        Self(S::high(self.0))
    }
    /// Lane 0.
    #[inline(always)]
    pub fn first(self) -> f64 {
        S::first(self.0)
    }
    /// Without its sign.
    #[inline(always)]
    pub fn abs(self) -> Self {
        Self(S::max(self.0, S::neg(self.0)))
    }
    /// Square root.
    #[inline(always)]
    pub fn sqrt(self) -> Self {
        Self(S::sqrt(self.0))
    }
    /// `self < o`.
    #[inline(always)]
    pub fn lt(self, o: Self) -> Mask<S> {
        Mask(S::lt(self.0, o.0))
    }
    /// `self <= o`.
    #[inline(always)]
    pub fn le(self, o: Self) -> Mask<S> {
        Mask(S::le(self.0, o.0))
    }
    /// `self > o`.
    #[inline(always)]
    pub fn gt(self, o: Self) -> Mask<S> {
        o.lt(self)
    }
    /// `self >= o`.
    #[inline(always)]
    pub fn ge(self, o: Self) -> Mask<S> {
        o.le(self)
    }
    /// `self == o`.
    #[inline(always)]
    pub fn equals(self, o: Self) -> Mask<S> {
        Mask(S::eq(self.0, o.0))
    }
    /// The largest of the lanes (none may be NaN).
    #[inline(always)]
    pub fn max_lane(self) -> f64 {
        S::max_lane(self.0)
    }
    /// The smallest of the lanes (none may be NaN).
    #[inline(always)]
    pub fn min_lane(self) -> f64 {
        S::min_lane(self.0)
    }
}

impl<S: Simd> Mask<S> {
    /// The same in each lane.
    #[inline(always)]
    pub fn all(value: bool) -> Self {
        Self::from_bits(if value { u8::MAX } else { 0 })
    }
    /// Bit `i` for lane `i`.
    #[inline(always)]
    pub fn from_bits(bits: u8) -> Self {
        Self(S::mask(bits))
    }
    /// Bit `i` for lane `i`.
    #[inline(always)]
    pub fn bits(self) -> u8 {
        S::bits(self.0)
    }
    /// `a` where true, else `b`.
    #[inline(always)]
    pub fn pick(self, a: V<S>, b: V<S>) -> V<S> {
        V(S::pick(self.0, a.0, b.0))
    }
}

macro_rules! operator {
    ($of:ident, $op:ident, $method:ident, $call:ident) => {
        impl<S: Simd> $op for $of<S> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, o: Self) -> Self {
                Self(S::$call(self.0, o.0))
            }
        }
    };
}
operator!(V, Add, add, add);
operator!(V, Sub, sub, sub);
operator!(V, Mul, mul, mul);
operator!(V, Div, div, div);
impl<S: Simd> Neg for V<S> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(S::neg(self.0))
    }
}
operator!(Mask, BitAnd, bitand, and);
operator!(Mask, BitOr, bitor, or);

impl<S: Simd> Not for Mask<S> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self::from_bits(!self.bits())
    }
}
