//! Functions compiled once for each width of registers, and the few steps in them that the compiler does not find.

use super::facets::Lane;

/// A width of registers. All give the same bits.
pub(super) trait Level: Copy {
    /// Bit `i`: `x[i] > y[i]`.
    fn above(self, x: &Lane, y: &Lane) -> u8;
}

/// What every processor has.
#[derive(Clone, Copy)]
pub(super) struct Baseline;

impl Level for Baseline {
    #[inline(always)]
    fn above(self, x: &Lane, y: &Lane) -> u8 {
        let mut out = 0;
        for (i, (x, y)) in x.iter().zip(y).enumerate() {
            out |= u8::from(x > y) << i;
        }
        out
    }
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "wider registers may be used only where the processor has them: whoever makes a level says so")]
pub(super) mod wide {
    use super::{Lane, Level};
    use std::arch::x86_64::{
        _CMP_GT_OQ, _mm256_cmp_pd, _mm256_loadu_pd, _mm256_movemask_pd, _mm512_cmp_pd_mask, _mm512_loadu_pd,
    };

    /// AVX2.
    #[derive(Clone, Copy)]
    pub(in crate::narrow::epa) struct Avx2(());

    /// AVX-512 F and VL.
    #[derive(Clone, Copy)]
    pub(in crate::narrow::epa) struct Avx512(());

    impl Avx2 {
        /// # Safety
        /// The processor has AVX2.
        #[inline(always)]
        pub(in crate::narrow::epa) unsafe fn new() -> Self {
            Self(())
        }
    }

    impl Avx512 {
        /// # Safety
        /// The processor has AVX-512 F and VL.
        #[inline(always)]
        pub(in crate::narrow::epa) unsafe fn new() -> Self {
            Self(())
        }
    }

    impl Level for Avx2 {
        #[inline(always)]
        fn above(self, x: &Lane, y: &Lane) -> u8 {
            let half = |at: usize| {
                // SAFETY: the processor has AVX2, or there were no `Avx2`; four numbers follow `at`, which is 0 or 4.
                unsafe {
                    let (x, y) = (_mm256_loadu_pd(x[at..].as_ptr()), _mm256_loadu_pd(y[at..].as_ptr()));
                    _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_GT_OQ>(x, y)) as u8
                }
            };
            half(0) | half(4) << 4
        }
    }

    impl Level for Avx512 {
        #[inline(always)]
        fn above(self, x: &Lane, y: &Lane) -> u8 {
            // SAFETY: the processor has AVX-512 F, or there were no `Avx512`; both arrays hold eight numbers.
            unsafe { _mm512_cmp_pd_mask::<_CMP_GT_OQ>(_mm512_loadu_pd(x.as_ptr()), _mm512_loadu_pd(y.as_ptr())) }
        }
    }
}

/// A function whose body, always inlined, is compiled once for each width of registers, which the body is handed first;
/// which one runs is read from the processor.
macro_rules! per_level {
    ($(#[$doc:meta])* $vis:vis fn $name:ident / $body:ident($($arg:ident: $ty:ty),* $(,)?) -> $ret:ty;) => {
        $(#[$doc])*
        #[inline]
        #[cfg_attr(
            target_arch = "x86_64",
            allow(unsafe_code, reason = "code for wider registers may run only where the processor has them")
        )]
        $vis fn $name($($arg: $ty),*) -> $ret {
            #[cfg(target_arch = "x86_64")]
            {
                use $crate::narrow::epa::level::wide::{Avx2, Avx512};
                #[target_feature(enable = "avx2")]
                unsafe fn avx2($($arg: $ty),*) -> $ret {
                    // SAFETY: this function runs only where the processor has it.
                    $body(unsafe { Avx2::new() }, $($arg),*)
                }
                #[target_feature(enable = "avx512f,avx512vl")]
                unsafe fn avx512($($arg: $ty),*) -> $ret {
                    // SAFETY: this function runs only where the processor has it.
                    $body(unsafe { Avx512::new() }, $($arg),*)
                }
                // SAFETY: `level` says that the processor has the features the callee was compiled for.
                match $crate::narrow::scan::level() {
                    2 => return unsafe { avx512($($arg),*) },
                    1 => return unsafe { avx2($($arg),*) },
                    _ => {}
                }
            }
            $body($crate::narrow::epa::level::Baseline, $($arg),*)
        }
    };
}
pub(super) use per_level;
