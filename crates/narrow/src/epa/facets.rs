//! The triangles of an expanding polytope, eight side by side: their planes, the nearest one, and
//! those that see a point.

use clearsweep_base::simd::{Lane, Mask, Simd, V, WIDTH};
use clearsweep_geometry::Vec3;

/// Vertices above which an expansion is given up: it is not converging. Vertex numbers fit a `u8`.
pub(super) const MAX_VERTICES: usize = 256;

/// Blocks of triangles above which an expansion is given up, dead triangles included.
pub(super) const MAX_BLOCKS: usize = 512;

/// The rounding of a plane's height over a point of the difference, in sizes of the pair, for a
/// triangle whose sides are at right angles. Narrow angles amplify it: see
/// [`TriangleBlock::limit`].
const PLANE_ROUNDING: f64 = 1e-15;

/// Eight triangles. A lane without a triangle, or with a removed one, is infinitely far and sees
/// nothing.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(super) struct TriangleBlock {
    /// Outward normals; their length is twice the area.
    pub(super) normal: [Lane; 3],
    /// The least of `normal . v` over the three vertices.
    pub(super) reach: Lane,
    /// A triangle sees a point if `normal . point` is above this: `reach` and the rounding.
    pub(super) limit: Lane,
    /// The squared distance of the plane from the origin, square metres, negative where the origin
    /// is not beneath it. Triangles are compared by it, which avoids the latency of a square root.
    /// Infinite where the triangle has no area.
    pub(super) square: Lane,
    /// The vertices at the corners, counter-clockwise seen from outside.
    pub(super) corner: [[u8; WIDTH]; 3],
    /// Bit `i`: lane `i` holds a live triangle.
    pub(super) alive: u8,
}

/// The corners of eight triangles, one in each lane.
pub(super) type CornerPoints<S> = [Vec3<V<S>>; 3];

#[inline(always)]
fn component_sum<S: Simd>(p: Vec3<V<S>>) -> V<S> {
    p.x.abs() + p.y.abs() + p.z.abs()
}

impl TriangleBlock {
    /// No triangles.
    pub(super) const EMPTY: Self = Self {
        normal: [[0.0; WIDTH]; 3],
        reach: [0.0; WIDTH],
        limit: [f64::INFINITY; WIDTH],
        square: [f64::INFINITY; WIDTH],
        corner: [[0; WIDTH]; 3],
        alive: 0,
    };

    /// Sets the planes of the triangles with these corners, of which the first `count` are valid;
    /// `size`: of the pair, metres.
    #[inline(always)]
    pub(super) fn set_planes<S: Simd>(&mut self, &[a, b, c]: &CornerPoints<S>, count: usize, size: f64) {
        let (u, v) = (b - a, c - a);
        let normal = u.cross(v);
        let n2 = normal.dot(normal);
        let reach = normal.dot(a).smaller(normal.dot(b)).smaller(normal.dot(c));
        let infinite = V::splat(f64::INFINITY);
        // NaN where a product overflows: such a triangle proves nothing and is never the nearest.
        let square = reach.lt(infinite).pick(reach / n2 * reach.abs(), V::splat(f64::NAN));
        let limit = reach + (component_sum(u) * component_sum(v)).scaled(PLANE_ROUNDING * size);
        let none = n2.equals(V::splat(0.0)) | Mask::from_bits(!first_lanes(count));
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

    /// Bit `i`: triangle `i` is visible from point `p`.
    #[inline(always)]
    pub(super) fn seen_from<S: Simd>(&self, p: Vec3<V<S>>) -> u8 {
        Vec3::load(&self.normal).dot(p).gt(V::load(&self.limit)).bits()
    }

    /// Bit `i`: triangle `i` is not proven, rounding included, to lie at least `least` (metres)
    /// from the origin with the origin beneath it. A triangle without area has nothing to prove.
    ///
    /// A filter in front of `holds` in `triangle.rs`, which decides the triangles that are left.
    /// Its exact sign is settled where `reach` exceeds 4e-15 times the component sums of two sides
    /// and of a corner. The last sum is below `sqrt 3` sizes of the pair, and `limit - reach` is
    /// 1e-15 sizes times the other two, so ten times that is larger.
    #[inline(always)]
    pub(super) fn unproven<S: Simd>(&self, least: f64) -> u8 {
        let reach = V::<S>::load(&self.reach);
        let doubt = (V::load(&self.limit) - reach).scaled(10.0);
        let far = V::splat(least * least.abs()).le(V::load(&self.square));
        self.with_area::<S>() & !(reach.gt(doubt) & far).bits()
    }

    /// Bit `i`: lane `i` holds a triangle with an area, or one whose plane overflowed.
    #[inline(always)]
    pub(super) fn with_area<S: Simd>(&self) -> u8 {
        !V::<S>::load(&self.square).gt(V::splat(f64::MAX)).bits()
    }

    /// Removes the triangles of the set bits.
    #[inline(always)]
    pub(super) fn remove<S: Simd>(&mut self, which: u8) {
        let (out, infinite) = (Mask::<S>::from_bits(which), V::splat(f64::INFINITY));
        out.pick(infinite, V::load(&self.limit)).store(&mut self.limit);
        out.pick(infinite, V::load(&self.square)).store(&mut self.square);
        self.alive &= !which;
    }
}

/// The first `count` lanes, as bits.
#[inline(always)]
pub(super) fn first_lanes(count: usize) -> u8 {
    debug_assert!((1..=WIDTH).contains(&count));
    (0xff_u32 >> (WIDTH - count)) as u8
}

/// The number of the nearest triangle; `None` if all are infinitely far.
#[inline(always)]
pub(super) fn nearest<S: Simd>(blocks: &[TriangleBlock]) -> Option<usize> {
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
