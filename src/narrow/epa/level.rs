//! Functions compiled once for each width of registers, and the few steps in them that the compiler does not find.

use super::facets::{Lane, WIDTH};

/// A width of registers. All give the same bits.
pub(super) trait Level: Copy {
    /// Bit `i`: `x[i] > y[i]`.
    fn above(self, x: &Lane, y: &Lane) -> u8;

    /// Bit `i`: `x[i] <= y[i]`.
    fn at_most(self, x: &Lane, y: &Lane) -> u8;

    /// `x[i]` where bit `i` is set, else `y[i]`.
    fn choose(self, which: u8, x: &Lane, y: &Lane) -> Lane;

    /// `table[index[i]]`; indices are below [`TABLE`].
    fn pick(self, table: &[f64; TABLE], index: &[u8; WIDTH]) -> Lane;
}

/// Entries of a table that numbers are picked from.
pub(super) const TABLE: usize = 32;

#[inline(always)]
fn choose(which: u8, x: &Lane, y: &Lane) -> Lane {
    let mut out = *y;
    for i in 0..WIDTH {
        out[i] = if which >> i & 1 == 1 { x[i] } else { y[i] };
    }
    out
}

#[inline(always)]
fn pick(table: &[f64; TABLE], index: &[u8; WIDTH]) -> Lane {
    index.map(|i| table[usize::from(i) % TABLE])
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

    #[inline(always)]
    fn at_most(self, x: &Lane, y: &Lane) -> u8 {
        let mut out = 0;
        for (i, (x, y)) in x.iter().zip(y).enumerate() {
            out |= u8::from(x <= y) << i;
        }
        out
    }

    #[inline(always)]
    fn choose(self, which: u8, x: &Lane, y: &Lane) -> Lane {
        choose(which, x, y)
    }

    #[inline(always)]
    fn pick(self, table: &[f64; TABLE], index: &[u8; WIDTH]) -> Lane {
        pick(table, index)
    }
}

#[cfg(target_arch = "x86_64")]
#[allow(
    unsafe_code,
    reason = "wider registers may be used only where the processor has them: whoever makes a level says so"
)]
pub(super) mod wide {
    use super::{Lane, Level, TABLE, WIDTH, choose, pick};
    use std::arch::x86_64::{
        _CMP_GT_OQ, _CMP_LE_OQ, _mm_set_epi64x, _mm256_cmp_pd, _mm256_loadu_pd, _mm256_movemask_pd, _mm512_cmp_pd_mask,
        _mm512_cvtepu8_epi64, _mm512_loadu_pd, _mm512_mask_blend_pd, _mm512_permutex2var_pd, _mm512_set1_epi64,
        _mm512_storeu_pd, _mm512_test_epi64_mask,
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

    impl Avx2 {
        #[inline(always)]
        fn compare<const HOW: i32>(x: &Lane, y: &Lane) -> u8 {
            // SAFETY: the processor has AVX2, or there were no `Avx2`; both arrays hold twice four numbers.
            unsafe {
                let (x, y) = (x.as_ptr(), y.as_ptr());
                let low = _mm256_cmp_pd::<HOW>(_mm256_loadu_pd(x), _mm256_loadu_pd(y));
                let high = _mm256_cmp_pd::<HOW>(_mm256_loadu_pd(x.add(4)), _mm256_loadu_pd(y.add(4)));
                (_mm256_movemask_pd(low) | _mm256_movemask_pd(high) << 4) as u8
            }
        }
    }

    impl Level for Avx2 {
        #[inline(always)]
        fn above(self, x: &Lane, y: &Lane) -> u8 {
            Self::compare::<_CMP_GT_OQ>(x, y)
        }

        #[inline(always)]
        fn at_most(self, x: &Lane, y: &Lane) -> u8 {
            Self::compare::<_CMP_LE_OQ>(x, y)
        }

        #[inline(always)]
        fn choose(self, which: u8, x: &Lane, y: &Lane) -> Lane {
            choose(which, x, y)
        }

        #[inline(always)]
        fn pick(self, table: &[f64; TABLE], index: &[u8; WIDTH]) -> Lane {
            pick(table, index)
        }
    }

    impl Avx512 {
        #[inline(always)]
        fn compare<const HOW: i32>(x: &Lane, y: &Lane) -> u8 {
            // SAFETY: the processor has AVX-512 F, or there were no `Avx512`; both arrays hold eight numbers.
            unsafe { _mm512_cmp_pd_mask::<HOW>(_mm512_loadu_pd(x.as_ptr()), _mm512_loadu_pd(y.as_ptr())) }
        }
    }

    impl Level for Avx512 {
        #[inline(always)]
        fn above(self, x: &Lane, y: &Lane) -> u8 {
            Self::compare::<_CMP_GT_OQ>(x, y)
        }

        #[inline(always)]
        fn at_most(self, x: &Lane, y: &Lane) -> u8 {
            Self::compare::<_CMP_LE_OQ>(x, y)
        }

        #[inline(always)]
        fn choose(self, which: u8, x: &Lane, y: &Lane) -> Lane {
            let mut out = *y;
            // SAFETY: the processor has AVX-512 F, or there were no `Avx512`; all arrays hold eight numbers.
            unsafe {
                let chosen = _mm512_mask_blend_pd(which, _mm512_loadu_pd(y.as_ptr()), _mm512_loadu_pd(x.as_ptr()));
                _mm512_storeu_pd(out.as_mut_ptr(), chosen);
            }
            out
        }

        #[inline(always)]
        fn pick(self, table: &[f64; TABLE], index: &[u8; WIDTH]) -> Lane {
            let mut out = [0.0; WIDTH];
            // SAFETY: the processor has AVX-512 F, or there were no `Avx512`; the table holds four times eight numbers.
            unsafe {
                let table = table.as_ptr();
                let index = _mm512_cvtepu8_epi64(_mm_set_epi64x(0, i64::from_le_bytes(*index)));
                let low = _mm512_permutex2var_pd(_mm512_loadu_pd(table), index, _mm512_loadu_pd(table.add(8)));
                let high =
                    _mm512_permutex2var_pd(_mm512_loadu_pd(table.add(16)), index, _mm512_loadu_pd(table.add(24)));
                let upper = _mm512_test_epi64_mask(index, _mm512_set1_epi64(16));
                _mm512_storeu_pd(out.as_mut_ptr(), _mm512_mask_blend_pd(upper, low, high));
            }
            out
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
