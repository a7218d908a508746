//! Triangles of a growing surface, eight side by side: planes, the nearest of them, and which see a point.

use crate::geometry::Vec3;
use crate::simd::{Lane, Mask, Simd, V, WIDTH};

/// Rounding of a plane's height over a point of the difference, in sizes of the pair, for a triangle whose sides are
/// at right angles; times the amplification by narrow angles: see [`Block::limit`].
const UNSURE: f64 = 1e-15;

/// Eight triangles. A lane without a triangle, or with one that was removed, is infinitely far and sees nothing.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(super) struct Block {
    /// Outward normals, as long as twice the area.
    pub(super) normal: [Lane; 3],
    /// The least of `normal . v` over the three vertices.
    pub(super) reach: Lane,
    /// A point is beyond a triangle where `normal . point` is above this: `reach` and what rounding may hide.
    pub(super) limit: Lane,
    /// The square of the distance from the origin, square metres, negative where the origin is not beneath: what
    /// triangles are compared by, without the latency of a root. Infinite where the triangle has no area.
    pub(super) square: Lane,
    /// The vertices at the corners, counter-clockwise seen from outside.
    pub(super) corner: [[u8; WIDTH]; 3],
    /// Bit `i`: lane `i` has a triangle.
    pub(super) alive: u8,
}

/// Corners of eight triangles.
pub(super) type Corners<S> = [Vec3<V<S>>; 3];

#[inline(always)]
fn sum<S: Simd>(p: Vec3<V<S>>) -> V<S> {
    p.x.abs() + p.y.abs() + p.z.abs()
}

impl Block {
    /// No triangles.
    pub(super) const EMPTY: Self = Self {
        normal: [[0.0; WIDTH]; 3],
        reach: [0.0; WIDTH],
        limit: [f64::INFINITY; WIDTH],
        square: [f64::INFINITY; WIDTH],
        corner: [[0; WIDTH]; 3],
        alive: 0,
    };

    /// The planes of the triangles with these corners, of which the first `count` are meant; `size`: of the pair,
    /// metres.
    #[inline(always)]
    pub(super) fn planes<S: Simd>(&mut self, &[a, b, c]: &Corners<S>, count: usize, size: f64) {
        let (u, v) = (b - a, c - a);
        let normal = u.cross(v);
        let n2 = normal.dot(normal);
        let reach = normal.dot(a).smaller(normal.dot(b)).smaller(normal.dot(c));
        let infinite = V::splat(f64::INFINITY);
        // NaN where the product overflows: such a triangle proves nothing and is never the nearest.
        let square = reach.lt(infinite).pick(reach / n2 * reach.abs(), V::splat(f64::NAN));
        let limit = reach + (sum(u) * sum(v)).scaled(UNSURE * size);
        let none = n2.equals(V::splat(0.0)) | Mask::from_bits(!first(count));
        normal.store(&mut self.normal);
        reach.store(&mut self.reach);
        none.pick(infinite, limit).store(&mut self.limit);
        none.pick(infinite, square).store(&mut self.square);
    }

    /// The vertices of a triangle, counter-clockwise seen from outside.
    #[inline(always)]
    pub(super) fn vertices(&self, i: usize) -> [u8; 3] {
        [self.corner[0][i], self.corner[1][i], self.corner[2][i]]
    }

    /// Bit `i`: triangle `i` sees the point.
    #[inline(always)]
    pub(super) fn seeing<S: Simd>(&self, p: Vec3<V<S>>) -> u8 {
        Vec3::load(&self.normal).dot(p).gt(V::load(&self.limit)).bits()
    }

    /// Bit `i`: the triangle is not proven, beyond the doubt of rounding, to lie at least `least` (metres) from the
    /// origin with the origin beneath it. Without area there is nothing to prove.
    ///
    /// The sign: the exact one is settled where `reach` exceeds 4e-15 times the sums of the components of two sides and of
    /// a corner (`side` in surface.rs). The last is below `sqrt 3` sizes of the pair, and `limit - reach` is 1e-15 sizes
    /// times the rest, so ten times that is more.
    #[inline(always)]
    pub(super) fn unproven<S: Simd>(&self, least: f64) -> u8 {
        let reach = V::<S>::load(&self.reach);
        let doubt = (V::load(&self.limit) - reach).scaled(10.0);
        let far = V::splat(least * least.abs()).le(V::load(&self.square));
        self.solid::<S>() & !(reach.gt(doubt) & far).bits()
    }

    /// Bit `i`: lane `i` has a triangle with an area, or one that is not a number.
    #[inline(always)]
    pub(super) fn solid<S: Simd>(&self) -> u8 {
        !V::<S>::load(&self.square).gt(V::splat(f64::MAX)).bits()
    }

    /// Takes the triangles of the set bits out.
    #[inline(always)]
    pub(super) fn remove<S: Simd>(&mut self, which: u8) {
        let (out, infinite) = (Mask::<S>::from_bits(which), V::splat(f64::INFINITY));
        out.pick(infinite, V::load(&self.limit)).store(&mut self.limit);
        out.pick(infinite, V::load(&self.square)).store(&mut self.square);
        self.alive &= !which;
    }
}

/// The first lanes, as bits.
#[inline(always)]
pub(super) fn first(count: usize) -> u8 {
    (0xff_u32 >> (WIDTH - count)) as u8
}

/// The nearest triangle; none if all are infinitely far.
#[inline(always)]
pub(super) fn nearest<S: Simd>(blocks: &[Block]) -> Option<usize> {
    let mut best = V::<S>::splat(f64::INFINITY);
    for block in blocks {
        best = best.smaller(V::load(&block.square));
    }
    let least = best.min_lane();
    if least == f64::INFINITY {
        return None;
    }
    for (group, eight) in blocks.chunks(WIDTH).enumerate() {
        let mut found = 0_u64;
        for (k, block) in eight.iter().enumerate() {
            found |= u64::from(V::<S>::load(&block.square).le(V::splat(least)).bits()) << (WIDTH * k);
        }
        if found != 0 {
            return Some(64 * group + found.trailing_zeros() as usize);
        }
    }
    None
}
