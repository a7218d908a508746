//! The levels of registers, their detection, and the only run-time dispatch of the crate.

use std::sync::atomic::{AtomicU8, Ordering};

/// Registers that this processor has. A value is a proof: it comes from [`level`], [`limit`] or
/// [`Level::available`] only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Level(Registers);

/// The registers that code is compiled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Registers {
    /// Registers that every processor of the target has.
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
    pub fn available() -> Vec<Self> {
        let all = [
            Registers::Portable,
            #[cfg(target_arch = "x86_64")]
            Registers::Avx2,
            #[cfg(target_arch = "x86_64")]
            Registers::Avx512,
        ];
        all.into_iter().filter(|&registers| registers as u8 <= detect() as u8).map(Self).collect()
    }

    /// The level's name: `portable`, `avx2` or `avx512`.
    pub fn name(self) -> &'static str {
        match self.0 {
            Registers::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Registers::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Registers::Avx512 => "avx512",
        }
    }

    /// The registers to compile for.
    #[inline(always)]
    pub fn registers(self) -> Registers {
        self.0
    }
}

/// The widest registers of this processor.
fn detect() -> Registers {
    #[cfg(target_arch = "x86_64")]
    {
        // All processors with AVX2 have instructions that count and shift bits; an emulator may
        // lack them.
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

/// The level of this process, once it is known: the widest of this processor, or the one that
/// [`limit`] chose.
static LEVEL: AtomicU8 = AtomicU8::new(u8::MAX);

/// The widest level of this processor, or the one that [`limit`] chose. The processor is asked
/// once.
#[inline]
pub fn level() -> Level {
    #[cfg(target_arch = "x86_64")]
    {
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

/// Chooses the level of this process by its name, for measurements and reports of faults: no
/// answer depends on it. `None` if this processor has no level of that name.
pub fn limit(name: &str) -> Option<Level> {
    let found = Level::available().into_iter().find(|level| level.name() == name)?;
    LEVEL.store(found.0 as u8, Ordering::Relaxed);
    Some(found)
}

/// The names of the vector instruction sets of this processor that matter here, for reports.
pub fn features() -> Vec<&'static str> {
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

/// Defines a function that runs the copy of a body compiled for this processor: the only run-time
/// dispatch of the crate.
///
/// | form | the function | the body |
/// | --- | --- | --- |
/// | `dispatch!(name, body, (x: X) -> R)` | `fn name(x: X) -> R` at the widest level | `body::<S>(x)`, generic over [`Simd`](crate::simd::Simd) |
/// | `dispatch!(at name, body, ..)` | `fn name(level: Level, x: X) -> R` at that level | likewise |
/// | `dispatch!(loops name, body, ..)`, `dispatch!(loops at name, body, ..)` | as above | `body(x)`: plain loops that the compiler vectorises |
///
/// `name[T: Bound]` makes function and body generic over `T` too (`body::<S, T>`, `body::<T>`). The
/// body must be `#[inline(always)]`, as must be what it calls down to the registers: a closure is
/// not, and is compiled without them.
#[macro_export]
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
            // SAFETY: a `Level` proves that the processor has the instructions that the callee is
            // compiled for.
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
pub use crate::dispatch;
