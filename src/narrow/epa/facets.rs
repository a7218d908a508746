//! Triangles of a growing surface, eight side by side: planes, the nearest of them, and which see a point.
//!
//! Plain arithmetic over arrays, compiled once for each width of registers together with the search around it (level.rs).
//! Every lane does the same operations in the same order on every level.

use super::level::Level;
use crate::geometry::{Polyhedron, Vec3};

/// Triangles of a block.
pub(super) const WIDTH: usize = 8;

/// One number for each triangle of a block.
pub(super) type Lane = [f64; WIDTH];

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
    /// The same side seen from the triangle across, by its number, for the sides from corner `k` to the next.
    pub(super) twin: [[u16; WIDTH]; 3],
    /// The vertices at the corners, counter-clockwise seen from outside.
    pub(super) corner: [[u8; WIDTH]; 3],
    /// Bit `i`: lane `i` has a triangle.
    pub(super) alive: u8,
}

/// The number of a side: four times the triangle's number, plus 0 to 2.
#[inline(always)]
pub(super) fn side(triangle: usize, k: usize) -> u16 {
    (4 * triangle + k) as u16
}

/// Corners of eight triangles.
pub(super) type Corners = [[Lane; 3]; 3];

#[inline(always)]
fn at(p: &[Lane; 3], i: usize) -> Vec3<f64> {
    Vec3 { x: p[0][i], y: p[1][i], z: p[2][i] }
}

#[inline(always)]
fn sum(p: Vec3<f64>) -> f64 {
    p.x.abs() + p.y.abs() + p.z.abs()
}

#[inline(always)]
fn smaller(x: f64, y: f64) -> f64 {
    if y < x { y } else { x }
}

#[inline(always)]
fn larger(x: f64, y: f64) -> f64 {
    if y > x { y } else { x }
}

impl Block {
    /// No triangles.
    pub(super) const EMPTY: Self = Self {
        normal: [[0.0; WIDTH]; 3],
        reach: [0.0; WIDTH],
        limit: [f64::INFINITY; WIDTH],
        square: [f64::INFINITY; WIDTH],
        twin: [[0; WIDTH]; 3],
        corner: [[0; WIDTH]; 3],
        alive: 0,
    };

    /// The planes of the triangles with these corners, of which the first `count` are meant; `size`: of the pair,
    /// metres.
    #[inline(always)]
    pub(super) fn planes(&mut self, [a, b, c]: &Corners, count: usize, size: f64) {
        for i in 0..WIDTH {
            let (a, b, c) = (at(a, i), at(b, i), at(c, i));
            let (u, v) = (b - a, c - a);
            let normal = u.cross(v);
            let n2 = normal.length2();
            let reach = smaller(smaller(normal.dot(a), normal.dot(b)), normal.dot(c));
            // NaN where the product overflows: such a triangle proves nothing and is never the nearest.
            let square = if reach < f64::INFINITY { reach / n2 * reach.abs() } else { f64::NAN };
            let limit = reach + UNSURE * size * (sum(u) * sum(v));
            let none = (n2 == 0.0) | (i >= count);
            (self.normal[0][i], self.normal[1][i], self.normal[2][i]) = (normal.x, normal.y, normal.z);
            self.reach[i] = reach;
            self.limit[i] = if none { f64::INFINITY } else { limit };
            self.square[i] = if none { f64::INFINITY } else { square };
        }
    }

    /// The vertices of a triangle, counter-clockwise seen from outside.
    #[inline(always)]
    pub(super) fn vertices(&self, i: usize) -> [u8; 3] {
        [self.corner[0][i], self.corner[1][i], self.corner[2][i]]
    }

    /// Bit `i`: triangle `i` sees the point.
    #[inline(always)]
    pub(super) fn seeing<L: Level>(&self, level: L, p: Vec3<f64>) -> u8 {
        let mut height = [0.0; WIDTH];
        for i in 0..WIDTH {
            height[i] = at(&self.normal, i).dot(p);
        }
        level.above(&height, &self.limit)
    }

    /// Bit `i`: the triangle is not proven, beyond the doubt of rounding, to lie at least `least` (metres) from the
    /// origin with the origin beneath it. Without area there is nothing to prove.
    ///
    /// The sign: the exact one is settled where `reach` exceeds 4e-15 times the sums of the components of two sides and of
    /// a corner (`side` in surface.rs). The last is below `sqrt 3` sizes of the pair, and `limit - reach` is 1e-15 sizes
    /// times the rest, so ten times that is more.
    #[inline(always)]
    pub(super) fn unproven<L: Level>(&self, level: L, least: f64) -> u8 {
        let mut doubt = [0.0; WIDTH];
        for i in 0..WIDTH {
            doubt[i] = 10.0 * (self.limit[i] - self.reach[i]);
        }
        let beneath = level.above(&self.reach, &doubt);
        let far = level.at_most(&[least * least.abs(); WIDTH], &self.square);
        self.solid(level) & !(beneath & far)
    }

    /// Bit `i`: lane `i` has a triangle with an area, or one that is not a number.
    #[inline(always)]
    pub(super) fn solid<L: Level>(&self, level: L) -> u8 {
        !level.above(&self.square, &[f64::MAX; WIDTH])
    }

    /// Takes the triangles of the set bits out.
    #[inline(always)]
    pub(super) fn remove<L: Level>(&mut self, level: L, which: u8) {
        self.limit = level.choose(which, &[f64::INFINITY; WIDTH], &self.limit);
        self.square = level.choose(which, &[f64::INFINITY; WIDTH], &self.square);
        self.alive &= !which;
    }
}

/// The nearest triangle; none if all are infinitely far.
#[inline(always)]
pub(super) fn nearest<L: Level>(level: L, blocks: &[Block]) -> Option<usize> {
    let mut best = [f64::INFINITY; WIDTH];
    for block in blocks {
        for i in 0..WIDTH {
            best[i] = smaller(best[i], block.square[i]);
        }
    }
    for width in [4, 2, 1] {
        for i in 0..width {
            best[i] = smaller(best[i], best[i + width]);
        }
    }
    let least = best[0];
    if least == f64::INFINITY {
        return None;
    }
    for (group, eight) in blocks.chunks(WIDTH).enumerate() {
        let mut found = 0_u64;
        for (k, block) in eight.iter().enumerate() {
            found |= u64::from(level.at_most(&block.square, &[least; WIDTH])) << (WIDTH * k);
        }
        if found != 0 {
            return Some(64 * group + found.trailing_zeros() as usize);
        }
    }
    None
}

/// A vertex with the largest `d . v`.
#[inline(always)]
pub(super) fn support<L: Level>(level: L, p: &Polyhedron, d: Vec3<f64>) -> u32 {
    let (mut best, mut at) = ([f64::NEG_INFINITY; WIDTH], [0_u64; WIDTH]);
    let (x, y, z) = (p.x.as_chunks::<WIDTH>().0, p.y.as_chunks::<WIDTH>().0, p.z.as_chunks::<WIDTH>().0);
    for (k, ((x, y), z)) in x.iter().zip(y).zip(z).enumerate() {
        for i in 0..WIDTH {
            let dot = x[i] * d.x + y[i] * d.y + z[i] * d.z;
            at[i] = if dot > best[i] { k as u64 } else { at[i] };
            best[i] = if dot > best[i] { dot } else { best[i] };
        }
    }
    let mut half = best;
    for width in [4, 2, 1] {
        for i in 0..width {
            half[i] = larger(half[i], half[i + width]);
        }
    }
    let i = level.at_most(&[half[0]; WIDTH], &best).trailing_zeros() as usize % WIDTH;
    // The padding repeats vertex 0.
    let vertex = at[i] as usize * WIDTH + i;
    if vertex < p.count { vertex as u32 } else { 0 }
}
