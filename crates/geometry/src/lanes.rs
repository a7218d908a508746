//! Vectors and poses of registers: eight of them side by side, one in each lane.

use super::pose::RelativePose;
use super::real::Scalar;
use super::vec3::Vec3;
use clearsweep_base::simd::{Lane, Mask, Simd, V, WIDTH};

impl<S: Simd> Scalar for V<S> {
    type Mask = Mask<S>;
    type Bound = Self;
    const UNIT: f64 = f64::EPSILON / 2.0;
    #[inline(always)] // as everything below: into code for wider registers
    fn from_f64(x: f64) -> Self {
        Self::splat(x)
    }
    #[inline(always)]
    fn bound(self) -> Self {
        self
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        V::sqrt(self)
    }
    #[inline(always)]
    fn lt(self, other: Self) -> Mask<S> {
        V::lt(self, other)
    }
    #[inline(always)]
    fn le(self, other: Self) -> Mask<S> {
        V::le(self, other)
    }
    #[inline(always)]
    fn select(mask: Mask<S>, a: Self, b: Self) -> Self {
        mask.pick(a, b)
    }
    #[inline(always)]
    fn any(mask: Mask<S>) -> bool {
        mask.bits() != 0
    }
    #[inline(always)]
    fn abs(self) -> Self {
        V::abs(self)
    }
    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        V::larger(self, other)
    }
    #[inline(always)]
    fn smaller(self, other: Self) -> Self {
        V::smaller(self, other)
    }
}

#[doc(hidden)]
impl<S: Simd> Vec3<V<S>> {
    /// Reads four of each component into both halves.
    #[inline(always)]
    pub fn twice(from: &[[f64; 4]; 3]) -> Self {
        Self { x: V::twice(&from[0]), y: V::twice(&from[1]), z: V::twice(&from[2]) }
    }
    /// Four of each component in lanes 0 to 3, four others in lanes 4 to 7.
    #[inline(always)]
    pub fn join(low: &[[f64; 4]; 3], high: &[[f64; 4]; 3]) -> Self {
        Self { x: V::join(&low[0], &high[0]), y: V::join(&low[1], &high[1]), z: V::join(&low[2], &high[2]) }
    }
    /// A vector in each lane: the first three numbers of each row.
    #[inline(always)]
    pub fn of_rows(rows: [&[f64; 4]; WIDTH]) -> Self {
        let [x, y, z, _] = V::columns(rows);
        Self { x, y, z }
    }
    /// A vector in all lanes of each half: its components are lanes 0, 1 and 2 of the half.
    #[inline(always)]
    pub fn spread(halves: V<S>) -> Self {
        let [x, y, z] = halves.spread_lanes();
        Self { x, y, z }
    }
    /// Loads the vectors from memory.
    #[inline(always)]
    pub fn load(from: &[Lane; 3]) -> Self {
        Self { x: V::load(&from[0]), y: V::load(&from[1]), z: V::load(&from[2]) }
    }
    /// Stores the vectors in memory.
    #[inline(always)]
    pub fn store(self, to: &mut [Lane; 3]) {
        self.x.store(&mut to[0]);
        self.y.store(&mut to[1]);
        self.z.store(&mut to[2]);
    }
}

impl<S: Simd> RelativePose<V<S>> {
    /// Loads the poses from memory: the rotation by rows, and the translation.
    #[inline(always)]
    pub fn load(r: &[Lane; 9], t: &[Lane; 3]) -> Self {
        let [a, b, c, d, e, f, g, h, i] = r;
        // No closure: it is compiled without wider registers.
        let rows = [
            Vec3 { x: V::load(a), y: V::load(b), z: V::load(c) },
            Vec3 { x: V::load(d), y: V::load(e), z: V::load(f) },
            Vec3 { x: V::load(g), y: V::load(h), z: V::load(i) },
        ];
        Self { r: rows, t: Vec3::load(t) }
    }
}
