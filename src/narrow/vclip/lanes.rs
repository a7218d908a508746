//! Eight numbers side by side, in the registers that the processor has.
//!
//! The compiler does not find these loops by itself: they are short and end in one plane's number. Each version does
//! the same operations in the same order and nothing is contracted, so all take the same steps.

use crate::geometry::Vec3;
use crate::geometry::planes::{EdgePlanes, Rows};
use crate::geometry::polyhedron::LANES;

/// Eight numbers.
pub(super) trait Lanes: Copy {
    /// A truth in each lane.
    type Truth: Copy;
    fn load(numbers: &[f64; LANES]) -> Self;
    fn splat(number: f64) -> Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn div(self, other: Self) -> Self;
    /// The lesser one in each lane; of unordered ones, that of `other`.
    fn min(self, other: Self) -> Self;
    /// The greater one in each lane; of unordered ones, that of `other`.
    fn max(self, other: Self) -> Self;
    /// The least number, in every lane.
    fn least(self) -> Self;
    fn first(self) -> f64;
    fn less(self, than: Self) -> Self::Truth;
    fn at_most(self, limit: Self) -> Self::Truth;
    fn select(truth: Self::Truth, then: Self, other: Self) -> Self;
    /// Bit `i`: lane `i`.
    fn bits(truth: Self::Truth) -> u32;
    /// The signed distances of a point from the planes around an edge.
    fn around(planes: &EdgePlanes, x: Vec3<f64>) -> [f64; 4];
}

/// Added to the lanes of a step of so many planes.
static BEYOND_THE_LAST: [[f64; LANES]; LANES + 1] = {
    let mut out = [[f64::INFINITY; LANES]; LANES + 1];
    let mut count = 0;
    while count <= LANES {
        let mut lane = 0;
        while lane < count {
            out[count][lane] = 0.0;
            lane += 1;
        }
        count += 1;
    }
    out
};

/// The signed distances of a point from the planes from `first` on; in lanes without a plane it is infinite.
#[inline(always)]
pub(super) fn sides<L: Lanes>(planes: &Rows<'_>, first: usize, x: Vec3<f64>) -> L {
    sides_along(planes, first, x).1
}

/// The same, and how far the point lies along the normals.
#[inline(always)]
pub(super) fn sides_along<L: Lanes>(planes: &Rows<'_>, first: usize, x: Vec3<f64>) -> (L, L) {
    let [nx, ny, nz, offset] = planes.step(first).map(L::load);
    let along = nx.mul(L::splat(x.x)).add(ny.mul(L::splat(x.y))).add(nz.mul(L::splat(x.z)));
    (along, along.sub(offset).add(L::load(&BEYOND_THE_LAST[(planes.count() - first).min(LANES)])))
}

/// The lane of the least number, which `least` has in every lane.
#[inline(always)]
pub(super) fn place<L: Lanes>(numbers: L, least: L) -> u32 {
    L::bits(numbers.at_most(least)).trailing_zeros() % LANES as u32
}

impl Lanes for [f64; LANES] {
    type Truth = [bool; LANES];
    #[inline(always)]
    fn load(numbers: &Self) -> Self {
        *numbers
    }
    #[inline(always)]
    fn splat(number: f64) -> Self {
        [number; LANES]
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        std::array::from_fn(|i| self[i] + other[i])
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        std::array::from_fn(|i| self[i] - other[i])
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        std::array::from_fn(|i| self[i] * other[i])
    }
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        std::array::from_fn(|i| self[i] / other[i])
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        std::array::from_fn(|i| if self[i] < other[i] { self[i] } else { other[i] })
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        std::array::from_fn(|i| if self[i] > other[i] { self[i] } else { other[i] })
    }
    #[inline(always)]
    fn least(self) -> Self {
        let four = Lanes::min(self, std::array::from_fn(|i| self[i ^ 4]));
        let two = Lanes::min(four, std::array::from_fn(|i| four[i ^ 2]));
        Lanes::min(two, std::array::from_fn(|i| two[i ^ 1]))
    }
    #[inline(always)]
    fn first(self) -> f64 {
        self[0]
    }
    #[inline(always)]
    fn less(self, than: Self) -> Self::Truth {
        std::array::from_fn(|i| self[i] < than[i])
    }
    #[inline(always)]
    fn at_most(self, limit: Self) -> Self::Truth {
        std::array::from_fn(|i| self[i] <= limit[i])
    }
    #[inline(always)]
    fn select(truth: Self::Truth, then: Self, other: Self) -> Self {
        std::array::from_fn(|i| if truth[i] { then[i] } else { other[i] })
    }
    #[inline(always)]
    fn bits(truth: Self::Truth) -> u32 {
        truth.iter().enumerate().fold(0, |bits, (i, &t)| bits | u32::from(t) << i)
    }
    #[inline(always)]
    fn around(planes: &EdgePlanes, x: Vec3<f64>) -> [f64; 4] {
        planes.sides(x)
    }
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "only code for a level calls these, where the processor has it")]
pub(super) mod wide {
    use super::{EdgePlanes, LANES, Lanes, Vec3};
    use std::arch::x86_64::*;

    /// The four lanes of an edge's planes.
    #[inline(always)]
    fn around(planes: &EdgePlanes, x: Vec3<f64>) -> [f64; 4] {
        let ([nx, ny, nz], offset) = planes.lanes();
        let mut out = [0.0; 4];
        // SAFETY: the arrays have four numbers; the module's reason.
        unsafe {
            let mul = |n: &[f64; 4], x: f64| _mm256_mul_pd(_mm256_loadu_pd(n.as_ptr()), _mm256_set1_pd(x));
            let sum = _mm256_add_pd(_mm256_add_pd(mul(nx, x.x), mul(ny, x.y)), mul(nz, x.z));
            _mm256_storeu_pd(out.as_mut_ptr(), _mm256_sub_pd(sum, _mm256_loadu_pd(offset.as_ptr())));
        }
        out
    }

    /// One register of 512 bits.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Avx512(__m512d);

    macro_rules! operations {
        ($($name:ident $intrinsic:ident),*) => {
            $(
                #[inline(always)]
                fn $name(self, other: Self) -> Self {
                    // SAFETY: the module's reason.
                    Self(unsafe { $intrinsic(self.0, other.0) })
                }
            )*
        };
    }

    impl Lanes for Avx512 {
        type Truth = __mmask8;
        operations!(add _mm512_add_pd, sub _mm512_sub_pd, mul _mm512_mul_pd, div _mm512_div_pd);
        operations!(min _mm512_min_pd, max _mm512_max_pd);
        #[inline(always)]
        fn load(numbers: &[f64; LANES]) -> Self {
            // SAFETY: eight numbers; the module's reason.
            Self(unsafe { _mm512_loadu_pd(numbers.as_ptr()) })
        }
        #[inline(always)]
        fn splat(number: f64) -> Self {
            // SAFETY: the module's reason.
            Self(unsafe { _mm512_set1_pd(number) })
        }
        #[inline(always)]
        fn least(self) -> Self {
            // SAFETY: the module's reason.
            unsafe {
                let v = self.0;
                let v = _mm512_min_pd(v, _mm512_shuffle_f64x2::<0b01_00_11_10>(v, v));
                let v = _mm512_min_pd(v, _mm512_shuffle_f64x2::<0b10_11_00_01>(v, v));
                Self(_mm512_min_pd(v, _mm512_permute_pd::<0b0101_0101>(v)))
            }
        }
        #[inline(always)]
        fn first(self) -> f64 {
            // SAFETY: the module's reason.
            unsafe { _mm512_cvtsd_f64(self.0) }
        }
        #[inline(always)]
        fn less(self, than: Self) -> Self::Truth {
            // SAFETY: the module's reason.
            unsafe { _mm512_cmp_pd_mask::<_CMP_LT_OQ>(self.0, than.0) }
        }
        #[inline(always)]
        fn at_most(self, limit: Self) -> Self::Truth {
            // SAFETY: the module's reason.
            unsafe { _mm512_cmp_pd_mask::<_CMP_LE_OQ>(self.0, limit.0) }
        }
        #[inline(always)]
        fn select(truth: Self::Truth, then: Self, other: Self) -> Self {
            // SAFETY: the module's reason.
            Self(unsafe { _mm512_mask_blend_pd(truth, other.0, then.0) })
        }
        #[inline(always)]
        fn bits(truth: Self::Truth) -> u32 {
            u32::from(truth)
        }
        #[inline(always)]
        fn around(planes: &EdgePlanes, x: Vec3<f64>) -> [f64; 4] {
            around(planes, x)
        }
    }

    /// Two registers of 256 bits.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Avx2(__m256d, __m256d);

    macro_rules! halves {
        ($($name:ident $intrinsic:ident),*) => {
            $(
                #[inline(always)]
                fn $name(self, other: Self) -> Self {
                    // SAFETY: the module's reason.
                    unsafe { Self($intrinsic(self.0, other.0), $intrinsic(self.1, other.1)) }
                }
            )*
        };
    }

    impl Lanes for Avx2 {
        type Truth = Self;
        halves!(add _mm256_add_pd, sub _mm256_sub_pd, mul _mm256_mul_pd, div _mm256_div_pd);
        halves!(min _mm256_min_pd, max _mm256_max_pd);
        #[inline(always)]
        fn load(numbers: &[f64; LANES]) -> Self {
            let p = numbers.as_ptr();
            // SAFETY: eight numbers; the module's reason.
            unsafe { Self(_mm256_loadu_pd(p), _mm256_loadu_pd(p.add(4))) }
        }
        #[inline(always)]
        fn splat(number: f64) -> Self {
            // SAFETY: the module's reason.
            let v = unsafe { _mm256_set1_pd(number) };
            Self(v, v)
        }
        #[inline(always)]
        fn least(self) -> Self {
            // SAFETY: the module's reason.
            unsafe {
                // As lanes 4..8 against lanes 0..4 and back: equal but for the order of equals.
                let v = _mm256_min_pd(self.0, self.1);
                let v = _mm256_min_pd(v, _mm256_permute2f128_pd::<1>(v, v));
                let v = _mm256_min_pd(v, _mm256_permute_pd::<0b0101>(v));
                Self(v, v)
            }
        }
        #[inline(always)]
        fn first(self) -> f64 {
            // SAFETY: the module's reason.
            unsafe { _mm256_cvtsd_f64(self.0) }
        }
        #[inline(always)]
        fn less(self, than: Self) -> Self::Truth {
            // SAFETY: the module's reason.
            unsafe { Self(_mm256_cmp_pd::<_CMP_LT_OQ>(self.0, than.0), _mm256_cmp_pd::<_CMP_LT_OQ>(self.1, than.1)) }
        }
        #[inline(always)]
        fn at_most(self, limit: Self) -> Self::Truth {
            // SAFETY: the module's reason.
            unsafe { Self(_mm256_cmp_pd::<_CMP_LE_OQ>(self.0, limit.0), _mm256_cmp_pd::<_CMP_LE_OQ>(self.1, limit.1)) }
        }
        #[inline(always)]
        fn select(truth: Self::Truth, then: Self, other: Self) -> Self {
            // SAFETY: the module's reason.
            unsafe { Self(_mm256_blendv_pd(other.0, then.0, truth.0), _mm256_blendv_pd(other.1, then.1, truth.1)) }
        }
        #[inline(always)]
        fn bits(truth: Self::Truth) -> u32 {
            // SAFETY: the module's reason.
            unsafe { _mm256_movemask_pd(truth.0) as u32 | (_mm256_movemask_pd(truth.1) as u32) << 4 }
        }
        #[inline(always)]
        fn around(planes: &EdgePlanes, x: Vec3<f64>) -> [f64; 4] {
            around(planes, x)
        }
    }
}
