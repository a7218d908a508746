//! Eight numbers side by side, in the widest registers the processor has: chosen once at run time, the same bits on each.
//!
//! A search or a check in eight lanes is written once, generic over [`Simd`], and compiled for each level; `dispatch!`
//! enters the copy for this processor. Every operation is one IEEE operation in each lane, nothing is contracted, and no
//! sum runs across lanes, so that all levels agree in every bit.

mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

pub(crate) use portable::Portable;
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};
#[cfg(target_arch = "x86_64")]
pub(crate) use x86::{Avx2, Avx512};

/// Numbers side by side.
pub(crate) const WIDTH: usize = 8;

/// One number in each lane, in memory.
pub(crate) type Lane = [f64; WIDTH];

/// Entries of a table that fits registers.
pub(crate) const TABLE: usize = 32;

/// The operations of a level on eight lanes.
///
/// The types behind the levels are to be used only in code that [`dispatch!`] has entered: the processor must have their
/// instructions.
pub(crate) trait Simd: Copy + 'static {
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
    /// The same number with the other sign.
    fn neg(a: Self::F) -> Self::F;
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
pub(crate) struct V<S: Simd>(S::F);

/// Eight truth values.
#[derive(Clone, Copy)]
pub(crate) struct Mask<S: Simd>(S::M);

impl<S: Simd> V<S> {
    /// The same number in each lane.
    #[inline(always)]
    pub(crate) fn splat(x: f64) -> Self {
        Self(S::splat(x))
    }
    /// From memory.
    #[inline(always)]
    pub(crate) fn load(from: &Lane) -> Self {
        Self(S::load(from))
    }
    /// To memory.
    #[inline(always)]
    pub(crate) fn store(self, to: &mut Lane) {
        S::store(self.0, to);
    }
    /// `from[at]` in each lane, `at` as whole numbers; one out of range reads some other entry.
    #[inline(always)]
    pub(crate) fn gather(from: &[f64], at: Self) -> Self {
        Self(S::gather(from, at.0))
    }
    /// `table[at[i]]` in lane `i`, `at` below [`TABLE`] (else some other entry).
    #[inline(always)]
    pub(crate) fn look_up(table: &[f64; TABLE], at: &[u8; WIDTH]) -> Self {
        Self(S::look_up(table, at))
    }
    /// As an array.
    #[inline(always)]
    pub(crate) fn lanes(self) -> Lane {
        let mut out = [0.0; WIDTH];
        self.store(&mut out);
        out
    }
    /// Times the same number in each lane.
    #[inline(always)]
    pub(crate) fn scaled(self, x: f64) -> Self {
        self * Self::splat(x)
    }
    /// The larger of two numbers (the first where they are equal or not ordered).
    #[inline(always)]
    pub(crate) fn larger(self, o: Self) -> Self {
        Self(S::max(o.0, self.0))
    }
    /// The smaller of two numbers (the first where they are equal or not ordered).
    #[inline(always)]
    pub(crate) fn smaller(self, o: Self) -> Self {
        Self(S::min(o.0, self.0))
    }
    /// The same four numbers in lanes 0 to 3 and in lanes 4 to 7.
    #[inline(always)]
    pub(crate) fn twice(from: &[f64; 4]) -> Self {
        Self(S::twice(from))
    }
    /// Four numbers in lanes 0 to 3, four others in lanes 4 to 7.
    #[inline(always)]
    pub(crate) fn join(low: &[f64; 4], high: &[f64; 4]) -> Self {
        Self(S::join(low, high))
    }
    /// The columns of eight rows of four: column `c` has `rows[k][c]` in lane `k`.
    #[inline(always)]
    pub(crate) fn columns(rows: [&[f64; 4]; WIDTH]) -> [Self; 4] {
        let [a, b, c, d] = S::columns(rows);
        [Self(a), Self(b), Self(c), Self(d)]
    }
    /// The other way round: row `k` is lane `k` of each column.
    #[inline(always)]
    pub(crate) fn rows([a, b, c, d]: [Self; 4], to: &mut [[f64; 4]; WIDTH]) {
        S::rows([a.0, b.0, c.0, d.0], to);
    }
    /// Four numbers in lanes 0 to 3 and in lanes 4 to 7, from registers.
    #[inline(always)]
    pub(crate) fn quad([x, y, z, w]: [f64; 4]) -> Self {
        Self(S::quad(x, y, z, w))
    }
    /// Of each half: its lane 0 in all four, its lane 1, and its lane 2.
    #[inline(always)]
    pub(crate) fn spread_lanes(self) -> [Self; 3] {
        [Self(S::spread::<0>(self.0)), Self(S::spread::<1>(self.0)), Self(S::spread::<2>(self.0))]
    }
    /// Lanes 0 to 3 in both halves.
    #[inline(always)]
    pub(crate) fn low(self) -> Self {
        Self(S::low(self.0))
    }
    /// Lanes 4 to 7 in both halves.
    #[inline(always)]
    pub(crate) fn high(self) -> Self {
        Self(S::high(self.0))
    }
    /// Lane 0.
    #[inline(always)]
    pub(crate) fn first(self) -> f64 {
        S::first(self.0)
    }
    /// Without its sign.
    #[inline(always)]
    pub(crate) fn abs(self) -> Self {
        Self(S::max(self.0, S::neg(self.0)))
    }
    /// Square root.
    #[inline(always)]
    pub(crate) fn sqrt(self) -> Self {
        Self(S::sqrt(self.0))
    }
    /// `self < o`.
    #[inline(always)]
    pub(crate) fn lt(self, o: Self) -> Mask<S> {
        Mask(S::lt(self.0, o.0))
    }
    /// `self <= o`.
    #[inline(always)]
    pub(crate) fn le(self, o: Self) -> Mask<S> {
        Mask(S::le(self.0, o.0))
    }
    /// `self > o`.
    #[inline(always)]
    pub(crate) fn gt(self, o: Self) -> Mask<S> {
        o.lt(self)
    }
    /// `self >= o`.
    #[inline(always)]
    pub(crate) fn ge(self, o: Self) -> Mask<S> {
        o.le(self)
    }
    /// `self == o`.
    #[inline(always)]
    pub(crate) fn equals(self, o: Self) -> Mask<S> {
        Mask(S::eq(self.0, o.0))
    }
    /// The largest of the lanes (none may be NaN).
    #[inline(always)]
    pub(crate) fn max_lane(self) -> f64 {
        S::max_lane(self.0)
    }
    /// The smallest of the lanes (none may be NaN).
    #[inline(always)]
    pub(crate) fn min_lane(self) -> f64 {
        S::min_lane(self.0)
    }
}

impl<S: Simd> Mask<S> {
    /// The same in each lane.
    #[inline(always)]
    pub(crate) fn all(value: bool) -> Self {
        Self::from_bits(if value { u8::MAX } else { 0 })
    }
    /// Bit `i` for lane `i`.
    #[inline(always)]
    pub(crate) fn from_bits(bits: u8) -> Self {
        Self(S::mask(bits))
    }
    /// Bit `i` for lane `i`.
    #[inline(always)]
    pub(crate) fn bits(self) -> u8 {
        S::bits(self.0)
    }
    /// `a` where true, else `b`.
    #[inline(always)]
    pub(crate) fn pick(self, a: V<S>, b: V<S>) -> V<S> {
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

/// Registers that this processor has. A value is a proof: it comes from [`level`] or [`Level::available`] only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Level(Registers);

/// The registers that code is compiled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Registers {
    /// What every processor of the target has.
    Portable,
    /// 256 bits: AVX2.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// 512 bits: AVX-512.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Level {
    /// Every level of this processor, narrowest first: for tests that hold them equal.
    #[cfg(test)]
    pub(crate) fn available() -> Vec<Self> {
        let all = [
            Registers::Portable,
            #[cfg(target_arch = "x86_64")]
            Registers::Avx2,
            #[cfg(target_arch = "x86_64")]
            Registers::Avx512,
        ];
        all.into_iter().filter(|&registers| registers as u8 <= detect() as u8).map(Self).collect()
    }

    /// The registers to compile for.
    #[inline(always)]
    pub(crate) fn registers(self) -> Registers {
        self.0
    }
}

/// The widest registers of this processor.
fn detect() -> Registers {
    #[cfg(target_arch = "x86_64")]
    {
        // All processors with AVX2 have instructions that count and shift bits; an emulator may lack them.
        let bits = is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt");
        let wide = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512dq");
        match (bits && is_x86_feature_detected!("avx2"), wide) {
            (true, true) => return Registers::Avx512,
            (true, false) => return Registers::Avx2,
            _ => {}
        }
    }
    Registers::Portable
}

/// The widest level of this processor. The processor is asked once.
#[inline]
pub(crate) fn level() -> Level {
    #[cfg(target_arch = "x86_64")]
    {
        use std::sync::atomic::{AtomicU8, Ordering};
        static LEVEL: AtomicU8 = AtomicU8::new(u8::MAX);
        const AVX2: u8 = Registers::Avx2 as u8;
        const AVX512: u8 = Registers::Avx512 as u8;
        match LEVEL.load(Ordering::Relaxed) {
            AVX512 => Level(Registers::Avx512),
            AVX2 => Level(Registers::Avx2),
            u8::MAX => {
                let found = detect();
                LEVEL.store(found as u8, Ordering::Relaxed);
                Level(found)
            }
            _ => Level(Registers::Portable),
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    Level(Registers::Portable)
}

/// The names of the vector instruction sets of this processor that matter here, for reports.
pub(crate) fn features() -> Vec<&'static str> {
    let mut found = Vec::new();
    #[cfg(target_arch = "x86_64")]
    {
        let all = [
            ("sse2", std::arch::is_x86_feature_detected!("sse2")),
            ("sse4.2", std::arch::is_x86_feature_detected!("sse4.2")),
            ("avx", std::arch::is_x86_feature_detected!("avx")),
            ("avx2", std::arch::is_x86_feature_detected!("avx2")),
            ("avx512f", std::arch::is_x86_feature_detected!("avx512f")),
        ];
        found.extend(all.into_iter().filter_map(|(name, there)| there.then_some(name)));
    }
    #[cfg(target_arch = "aarch64")]
    if std::arch::is_aarch64_feature_detected!("neon") {
        found.push("neon");
    }
    found
}

/// Defines a function that runs the copy of a body compiled for this processor: the only run-time dispatch of the crate.
///
/// | form | the function | the body |
/// | --- | --- | --- |
/// | `dispatch!(name, body, (x: X) -> R)` | `fn name(x: X) -> R` at the widest level | `body::<S>(x)`, generic over [`Simd`] |
/// | `dispatch!(at name, body, ..)` | `fn name(level: Level, x: X) -> R` at that level | likewise |
/// | `dispatch!(loops name, body, ..)`, `dispatch!(loops at name, body, ..)` | as above | `body(x)`: plain loops that the compiler vectorises |
///
/// `name[T: Bound]` makes function and body generic over `T` too (`body::<S, T>`, `body::<T>`). The body must be
/// `#[inline(always)]`, as must be what it calls down to the registers: a closure is not, and is compiled without them.
macro_rules! dispatch {
    (loops at $name:ident $([$($T:ident: $B:path),*])?, $body:ident, ($($arg:ident: $ty:ty),* $(,)?) -> $ret:ty) => {
        fn $name $(<$($T: $B),*>)? (level: $crate::simd::Level, $($arg: $ty),*) -> $ret {
            $crate::simd::dispatch!(@enter level, [$($($T: $B),*)?], ($($arg: $ty),*) -> $ret,
                [$body $(::<$($T),*>)?] [$body $(::<$($T),*>)?] [$body $(::<$($T),*>)?])
        }
    };
    (loops $name:ident $([$($T:ident: $B:path),*])?, $body:ident, ($($arg:ident: $ty:ty),* $(,)?) -> $ret:ty) => {
        fn $name $(<$($T: $B),*>)? ($($arg: $ty),*) -> $ret {
            $crate::simd::dispatch!(@enter $crate::simd::level(), [$($($T: $B),*)?], ($($arg: $ty),*) -> $ret,
                [$body $(::<$($T),*>)?] [$body $(::<$($T),*>)?] [$body $(::<$($T),*>)?])
        }
    };
    (at $name:ident $([$($T:ident: $B:path),*])?, $body:ident, ($($arg:ident: $ty:ty),* $(,)?) -> $ret:ty) => {
        fn $name $(<$($T: $B),*>)? (level: $crate::simd::Level, $($arg: $ty),*) -> $ret {
            $crate::simd::dispatch!(@enter level, [$($($T: $B),*)?], ($($arg: $ty),*) -> $ret,
                [$body::<$crate::simd::Portable $($(, $T)*)?>]
                [$body::<$crate::simd::Avx2 $($(, $T)*)?>]
                [$body::<$crate::simd::Avx512 $($(, $T)*)?>])
        }
    };
    ($name:ident $([$($T:ident: $B:path),*])?, $body:ident, ($($arg:ident: $ty:ty),* $(,)?) -> $ret:ty) => {
        fn $name $(<$($T: $B),*>)? ($($arg: $ty),*) -> $ret {
            $crate::simd::dispatch!(@enter $crate::simd::level(), [$($($T: $B),*)?], ($($arg: $ty),*) -> $ret,
                [$body::<$crate::simd::Portable $($(, $T)*)?>]
                [$body::<$crate::simd::Avx2 $($(, $T)*)?>]
                [$body::<$crate::simd::Avx512 $($(, $T)*)?>])
        }
    };
    (@enter $level:expr, [$($T:ident: $B:path),*], ($($arg:ident: $ty:ty),*) -> $ret:ty,
        [$($portable:tt)*] [$($avx2:tt)*] [$($avx512:tt)*]) => {{
        #[cfg(target_arch = "x86_64")]
        #[allow(unsafe_code, reason = "code for wider registers may run only where the processor has them")]
        {
            #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
            unsafe fn avx2<$($T: $B),*>($($arg: $ty),*) -> $ret {
                $($avx2)*($($arg),*)
            }
            #[target_feature(enable = "avx512f,avx512vl,avx512dq,bmi1,bmi2,lzcnt,popcnt")]
            unsafe fn avx512<$($T: $B),*>($($arg: $ty),*) -> $ret {
                $($avx512)*($($arg),*)
            }
            // SAFETY: a `Level` proves that the processor has the instructions that the callee is compiled for.
            match $crate::simd::Level::registers($level) {
                $crate::simd::Registers::Avx512 => unsafe { avx512::<$($T),*>($($arg),*) },
                $crate::simd::Registers::Avx2 => unsafe { avx2::<$($T),*>($($arg),*) },
                $crate::simd::Registers::Portable => $($portable)*($($arg),*),
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            let _ = $level;
            $($portable)*($($arg),*)
        }
    }};
}
pub(crate) use dispatch;

#[cfg(test)]
mod tests;
