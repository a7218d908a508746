//! Eight numbers side by side, in the widest registers the processor has: chosen once at run time, the same bits on each.
//!
//! A search or a check in eight lanes is written once, generic over [`Simd`], and compiled for each level; `dispatch!`
//! enters the copy for this processor. Every operation is one IEEE operation in each lane, nothing is contracted, and no
//! sum runs across lanes, so that all levels agree in every bit.

mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

use crate::geometry::Vec3;
pub use portable::Portable;
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Not, Sub};
#[cfg(target_arch = "x86_64")]
pub use x86::{Avx2, Avx512};

/// Numbers side by side.
pub const WIDTH: usize = 8;

/// One number in each lane, in memory.
pub type Lane = [f64; WIDTH];

/// Entries of a table that fits registers.
pub const TABLE: usize = 32;

/// The operations of a level on eight lanes.
///
/// The types behind the levels are to be used only in code that [`level`] has let in: the processor must have their
/// instructions.
pub trait Simd: Copy + 'static {
    /// Eight numbers.
    type F: Copy;
    /// Eight truth values.
    type M: Copy;
    /// The same number in each lane.
    fn splat(x: f64) -> Self::F;
    /// From memory.
    fn load(from: &Lane) -> Self::F;
    /// To memory.
    fn store(a: Self::F, to: &mut Lane);
    /// `a + b`.
    fn add(a: Self::F, b: Self::F) -> Self::F;
    /// `a - b`.
    fn sub(a: Self::F, b: Self::F) -> Self::F;
    /// `a * b`.
    fn mul(a: Self::F, b: Self::F) -> Self::F;
    /// `a / b`.
    fn div(a: Self::F, b: Self::F) -> Self::F;
    /// Square root.
    fn sqrt(a: Self::F) -> Self::F;
    /// `from[at]` in each lane, `at` as whole numbers; one out of range reads some other entry.
    fn gather(from: &[f64], at: Self::F) -> Self::F;
    /// `table[at[i]]` in lane `i`, `at` below [`TABLE`] (else some other entry).
    fn look_up(table: &[f64; TABLE], at: &[u8; WIDTH]) -> Self::F;
    /// The larger (`b` where they are equal or one is NaN).
    fn max(a: Self::F, b: Self::F) -> Self::F;
    /// The smaller (`b` where they are equal or one is NaN).
    fn min(a: Self::F, b: Self::F) -> Self::F;
    /// The same four numbers in lanes 0 to 3 and in lanes 4 to 7.
    fn twice(from: &[f64; 4]) -> Self::F;
    /// Four numbers in lanes 0 to 3, four others in lanes 4 to 7.
    fn join(low: &[f64; 4], high: &[f64; 4]) -> Self::F;
    /// The columns of eight rows of four: column `c` has `rows[k][c]` in lane `k`.
    fn columns(rows: [&[f64; 4]; WIDTH]) -> [Self::F; 4];
    /// The other way round: row `k` is lane `k` of each column.
    fn rows(columns: [Self::F; 4], to: &mut [[f64; 4]; WIDTH]);
    /// Four numbers in lanes 0 to 3 and in lanes 4 to 7, from registers.
    fn quad(x: f64, y: f64, z: f64, w: f64) -> Self::F;
    /// Of each half: its lane `I` in all four.
    fn spread<const I: usize>(a: Self::F) -> Self::F;
    /// Lanes 0 to 3 in both halves.
    fn low(a: Self::F) -> Self::F;
    /// Lanes 4 to 7 in both halves.
    fn high(a: Self::F) -> Self::F;
    /// Lane 0.
    fn first(a: Self::F) -> f64;
    /// `a < b`.
    fn lt(a: Self::F, b: Self::F) -> Self::M;
    /// `a <= b`.
    fn le(a: Self::F, b: Self::F) -> Self::M;
    /// `a == b`.
    fn eq(a: Self::F, b: Self::F) -> Self::M;
    /// Whether a lane's bits have that of `BIT`, a power of two.
    fn has_bit<const BIT: u64>(a: Self::F) -> Self::M;
    /// `a` where the mask is true, else `b`.
    fn pick(m: Self::M, a: Self::F, b: Self::F) -> Self::F;
    /// Both.
    fn and(a: Self::M, b: Self::M) -> Self::M;
    /// Either.
    fn or(a: Self::M, b: Self::M) -> Self::M;
    /// Bit `i` for lane `i`.
    fn bits(m: Self::M) -> u8;
    /// The mask of such bits.
    fn mask(bits: u8) -> Self::M;
    /// The largest of the lanes (none may be NaN).
    fn max_lane(a: Self::F) -> f64;
    /// The smallest of the lanes (none may be NaN).
    fn min_lane(a: Self::F) -> f64;
}

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
    /// The larger of two (`o` where they are equal or one is NaN).
    #[inline(always)]
    pub fn larger(self, o: Self) -> Self {
        Self(S::max(self.0, o.0))
    }
    /// The smaller of two (`o` where they are equal or one is NaN).
    #[inline(always)]
    pub fn smaller(self, o: Self) -> Self {
        Self(S::min(self.0, o.0))
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
    /// Of each half: lanes 0, 1 and 2 as the components of points.
    #[inline(always)]
    pub fn spread(self) -> P3<S> {
        P3 { x: Self(S::spread::<0>(self.0)), y: Self(S::spread::<1>(self.0)), z: Self(S::spread::<2>(self.0)) }
    }
    /// Lanes 0 to 3 in both halves.
    #[inline(always)]
    pub fn low(self) -> Self {
        Self(S::low(self.0))
    }
    /// Lanes 4 to 7 in both halves.
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
        self.larger(Self::splat(0.0) - self)
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
    /// Whether a lane's bits have that of `BIT`, a power of two.
    #[inline(always)]
    pub fn has_bit<const BIT: u64>(self) -> Mask<S> {
        Mask(S::has_bit::<BIT>(self.0))
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
    /// `a` where true, else `b`.
    #[inline(always)]
    pub fn pick3(self, a: P3<S>, b: P3<S>) -> P3<S> {
        P3 { x: self.pick(a.x, b.x), y: self.pick(a.y, b.y), z: self.pick(a.z, b.z) }
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
operator!(Mask, BitAnd, bitand, and);
operator!(Mask, BitOr, bitor, or);

impl<S: Simd> Not for Mask<S> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self::from_bits(!self.bits())
    }
}

/// A point or vector in each lane.
#[derive(Clone, Copy)]
pub struct P3<S: Simd> {
    /// Component along x.
    pub x: V<S>,
    /// Component along y.
    pub y: V<S>,
    /// Component along z.
    pub z: V<S>,
}

impl<S: Simd> P3<S> {
    /// The same four of each component in both halves.
    #[inline(always)]
    pub fn twice(from: &[[f64; 4]; 3]) -> Self {
        Self { x: V::twice(&from[0]), y: V::twice(&from[1]), z: V::twice(&from[2]) }
    }
    /// Four of each component in lanes 0 to 3, four others in lanes 4 to 7.
    #[inline(always)]
    pub fn join(low: &[[f64; 4]; 3], high: &[[f64; 4]; 3]) -> Self {
        Self { x: V::join(&low[0], &high[0]), y: V::join(&low[1], &high[1]), z: V::join(&low[2], &high[2]) }
    }
    /// A point in each lane: the first three of each row.
    #[inline(always)]
    pub fn of_rows(rows: [&[f64; 4]; WIDTH]) -> Self {
        let [x, y, z, _] = V::columns(rows);
        Self { x, y, z }
    }
    /// The same in each lane.
    #[inline(always)]
    pub fn splat(v: Vec3<f64>) -> Self {
        Self { x: V::splat(v.x), y: V::splat(v.y), z: V::splat(v.z) }
    }
    /// From memory.
    #[inline(always)]
    pub fn load(from: &[Lane; 3]) -> Self {
        Self { x: V::load(&from[0]), y: V::load(&from[1]), z: V::load(&from[2]) }
    }
    /// To memory.
    #[inline(always)]
    pub fn store(self, to: &mut [Lane; 3]) {
        self.x.store(&mut to[0]);
        self.y.store(&mut to[1]);
        self.z.store(&mut to[2]);
    }
    /// Zero less this.
    #[inline(always)]
    pub fn opposite(self) -> Self {
        let zero = V::splat(0.0);
        Self { x: zero - self.x, y: zero - self.y, z: zero - self.z }
    }
    /// Scalar product, summed as (x + y) + z.
    #[inline(always)]
    pub fn dot(self, o: Self) -> V<S> {
        self.x * o.x + self.y * o.y + self.z * o.z
    }
    /// Vector product.
    #[inline(always)]
    pub fn cross(self, o: Self) -> Self {
        Self { x: self.y * o.z - self.z * o.y, y: self.z * o.x - self.x * o.z, z: self.x * o.y - self.y * o.x }
    }
    /// Times a number.
    #[inline(always)]
    pub fn scale(self, s: V<S>) -> Self {
        Self { x: self.x * s, y: self.y * s, z: self.z * s }
    }
}

/// `a_from_b` in each lane: the rows of the rotation, and the translation.
///
/// Methods, not closures: only what is always inlined ends in the code compiled for its level.
#[derive(Clone, Copy)]
pub struct Poses<S: Simd> {
    /// The rows of the rotation.
    pub r: [P3<S>; 3],
    /// The translation.
    pub t: P3<S>,
}

impl<S: Simd> Poses<S> {
    /// From memory: the rotation by rows, and the translation.
    #[inline(always)]
    pub fn load(r: &[Lane; 9], t: &[Lane; 3]) -> Self {
        let [a, b, c, d, e, f, g, h, i] = r;
        let rows = [
            P3 { x: V::load(a), y: V::load(b), z: V::load(c) },
            P3 { x: V::load(d), y: V::load(e), z: V::load(f) },
            P3 { x: V::load(g), y: V::load(h), z: V::load(i) },
        ];
        Self { r: rows, t: P3::load(t) }
    }
    /// A direction of B in A's frame.
    #[inline(always)]
    pub fn vector(&self, v: P3<S>) -> P3<S> {
        P3 { x: self.r[0].dot(v), y: self.r[1].dot(v), z: self.r[2].dot(v) }
    }
    /// A point of B in A's frame.
    #[inline(always)]
    pub fn point(&self, p: P3<S>) -> P3<S> {
        self.vector(p) + self.t
    }
    /// A direction of A in B's frame.
    #[inline(always)]
    pub fn inverse_vector(&self, v: P3<S>) -> P3<S> {
        self.r[0].scale(v.x) + self.r[1].scale(v.y) + self.r[2].scale(v.z)
    }
}

impl<S: Simd> Add for P3<S> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self { x: self.x + o.x, y: self.y + o.y, z: self.z + o.z }
    }
}

impl<S: Simd> Sub for P3<S> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self { x: self.x - o.x, y: self.y - o.y, z: self.z - o.z }
    }
}

/// Calls `$body` (generic over [`Simd`], inlined) in the copy compiled for this processor.
macro_rules! dispatch {
    ($name:ident, $body:ident, ($($arg:ident: $ty:ty),*) -> $ret:ty) => {
        fn $name($($arg: $ty),*) -> $ret {
            #[cfg(target_arch = "x86_64")]
            #[allow(unsafe_code, reason = "code for wider registers may run only where the processor has them")]
            {
                use $crate::narrow::simd::{Avx2, Avx512};
                #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
                unsafe fn wide_2($($arg: $ty),*) -> $ret {
                    $body::<Avx2>($($arg),*)
                }
                #[target_feature(enable = "avx512f,avx512vl,avx512dq,bmi1,bmi2,lzcnt,popcnt")]
                unsafe fn wide_5($($arg: $ty),*) -> $ret {
                    $body::<Avx512>($($arg),*)
                }
                // SAFETY: `level` says that the processor has the features the callee was compiled for.
                match $crate::narrow::simd::level() {
                    2 => unsafe { wide_5($($arg),*) },
                    1 => unsafe { wide_2($($arg),*) },
                    _ => $body::<$crate::narrow::simd::Portable>($($arg),*),
                }
            }
            #[cfg(not(target_arch = "x86_64"))]
            $body::<$crate::narrow::simd::Portable>($($arg),*)
        }
    };
}
pub(super) use dispatch;

/// The widest level this processor has: 0 portable, 1 AVX2, 2 AVX-512.
#[cfg(target_arch = "x86_64")]
#[inline]
pub fn level() -> u8 {
    use std::sync::atomic::{AtomicU8, Ordering};
    static LEVEL: AtomicU8 = AtomicU8::new(u8::MAX);
    match LEVEL.load(Ordering::Relaxed) {
        u8::MAX => {
            // Counting and shifting bits has instructions of its own on all processors that have AVX2.
            let bits = is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("popcnt");
            let wide = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512dq");
            let level = match (bits && is_x86_feature_detected!("avx2"), wide) {
                (true, true) => 2,
                (true, false) => 1,
                _ => 0,
            };
            LEVEL.store(level, Ordering::Relaxed);
            level
        }
        level => level,
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests;
