//! Numbers of working precision: one `f64`, or eight of them in a register.

use clearsweep_base::simd::{Lane, Mask, Simd, V, WIDTH};
use clearsweep_geometry::Scalar;

/// One `f64`, or eight in a register: what certificates are computed in.
pub(crate) trait Float: Scalar<Bound = Self> {
    /// Number of numbers in it.
    const LANES: usize;
    /// The numbers; those beyond [`Float::LANES`] are 0.
    fn to_lanes(self) -> Lane;
    /// Reads the first [`Float::LANES`] of these numbers.
    fn from_lanes(lanes: &Lane) -> Self;
    /// Bit `k`: the truth value of number `k`.
    fn bits(mask: Self::Mask) -> u8;
    /// The mask of such bits.
    fn from_bits(bits: u8) -> Self::Mask;
}

impl Float for f64 {
    const LANES: usize = 1;
    #[inline(always)]
    fn to_lanes(self) -> Lane {
        let mut lanes = [0.0; WIDTH];
        lanes[0] = self;
        lanes
    }
    #[inline(always)]
    fn from_lanes(lanes: &Lane) -> Self {
        lanes[0]
    }
    #[inline(always)]
    fn bits(mask: bool) -> u8 {
        u8::from(mask)
    }
    #[inline(always)]
    fn from_bits(bits: u8) -> bool {
        bits & 1 == 1
    }
}

impl<S: Simd> Float for V<S> {
    const LANES: usize = WIDTH;
    #[inline(always)] // as everything below: into code for wider registers
    fn to_lanes(self) -> Lane {
        self.lanes()
    }
    #[inline(always)]
    fn from_lanes(lanes: &Lane) -> Self {
        V::load(lanes)
    }
    #[inline(always)]
    fn bits(mask: Mask<S>) -> u8 {
        mask.bits()
    }
    #[inline(always)]
    fn from_bits(bits: u8) -> Mask<S> {
        Mask::from_bits(bits)
    }
}
