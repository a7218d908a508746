//! Triangles of a growing surface, eight side by side: planes, the nearest of them, and which see a point.
//!
//! Plain arithmetic over arrays, compiled once for each width of registers together with the search around it
//! ([`crate::narrow::epa::per_level`]). Every lane does the same operations in the same order on every level.

use crate::geometry::Vec3;

/// Triangles of a block.
pub const WIDTH: usize = 8;

/// One number for each triangle of a block.
pub type Lane = [f64; WIDTH];

/// Rounding of a plane's height over a point of the difference, in sizes of the pair, for a triangle whose sides are
/// at right angles; times the amplification by narrow angles: see [`Block::limit`].
const UNSURE: f64 = 1e-15;

/// Eight triangles. A lane without a triangle, or with one that was removed, is infinitely far and sees nothing.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub struct Block {
    /// Outward unit normals; 0 where the triangle has no area.
    pub normal: [Lane; 3],
    /// The least of `normal . v` over the three vertices, metres: infinite where the triangle has no area.
    pub distance: Lane,
    /// A point is beyond a triangle where `normal . point` is above this: `distance` and what rounding may hide.
    pub limit: Lane,
    /// Vertices, counter-clockwise seen from outside.
    pub v: [[u8; 3]; WIDTH],
    /// The same side seen from the triangle across, for the sides from `v[i]` to the next: four times the triangle's
    /// number plus the number of the side there.
    pub twin: [[u16; 3]; WIDTH],
    /// Bit `i`: lane `i` has a triangle.
    pub alive: u8,
}

/// Corners of eight triangles.
pub type Corners = [[Lane; 3]; 3];

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

impl Block {
    /// No triangles.
    pub const EMPTY: Self = Self {
        normal: [[0.0; WIDTH]; 3],
        distance: [f64::INFINITY; WIDTH],
        limit: [f64::INFINITY; WIDTH],
        v: [[0; 3]; WIDTH],
        twin: [[0; 3]; WIDTH],
        alive: 0,
    };

    /// The planes of the triangles with these corners, of which the first `count` are meant; `size`: of the pair,
    /// metres.
    #[inline(always)]
    pub fn planes(&mut self, [a, b, c]: &Corners, count: usize, size: f64) {
        for i in 0..WIDTH {
            let (a, b, c) = (at(a, i), at(b, i), at(c, i));
            let (u, v) = (b - a, c - a);
            let normal = u.cross(v);
            let n2 = normal.length2();
            let inverse = 1.0 / n2.sqrt();
            let reach = smaller(smaller(normal.dot(a), normal.dot(b)), normal.dot(c));
            // NaN where the product overflows: such a triangle proves nothing and is never the nearest.
            let distance = if reach < f64::INFINITY { reach * inverse } else { f64::NAN };
            let limit = distance + UNSURE * size * (sum(u) * sum(v) * inverse);
            let none = (n2 == 0.0) | (i >= count);
            let unit = normal.scale(if none { 0.0 } else { inverse });
            (self.normal[0][i], self.normal[1][i], self.normal[2][i]) = (unit.x, unit.y, unit.z);
            self.distance[i] = if none { f64::INFINITY } else { distance };
            self.limit[i] = if none { f64::INFINITY } else { limit };
        }
    }

    /// Bit `i`: triangle `i` sees the point.
    #[inline(always)]
    pub fn seeing(&self, p: Vec3<f64>) -> u8 {
        let mut seen = [0_u64; WIDTH];
        for i in 0..WIDTH {
            seen[i] = u64::from(at(&self.normal, i).dot(p) > self.limit[i]);
        }
        bits(&seen)
    }

    /// Bit `i`: the triangle is not proven, beyond the doubt of rounding, to lie at least `least` (metres) from the
    /// origin with the origin beneath it. Without area there is nothing to prove.
    ///
    /// The sign: the exact one is settled where `normal . a`, before it is divided by its length, exceeds 4e-15 times
    /// the sums of the components of two sides and of `a` (`side` in polytope.rs). The last is below `sqrt 3` sizes of
    /// the pair, and `limit - distance` is 1e-15 sizes times the rest, so ten times that is more.
    #[inline(always)]
    pub fn unproven(&self, least: f64) -> u8 {
        let mut open = [0_u64; WIDTH];
        for i in 0..WIDTH {
            let (distance, limit) = (self.distance[i], self.limit[i]);
            let beneath = distance > 10.0 * (limit - distance);
            let flat = distance == f64::INFINITY;
            open[i] = u64::from(!(flat | (beneath & (distance >= least))));
        }
        bits(&open)
    }

    /// Takes the triangles of the set bits out.
    #[inline(always)]
    pub fn remove(&mut self, which: u8) {
        for i in 0..WIDTH {
            let out = which >> i & 1 == 1;
            self.distance[i] = if out { f64::INFINITY } else { self.distance[i] };
            self.limit[i] = if out { f64::INFINITY } else { self.limit[i] };
        }
        self.alive &= !which;
    }
}

/// Lanes of 0 or 1 as bits.
#[inline(always)]
fn bits(lanes: &[u64; WIDTH]) -> u8 {
    let mut out = 0;
    for (i, lane) in lanes.iter().enumerate() {
        out |= (*lane as u8) << i;
    }
    out
}

/// The nearest triangle and its distance, the first of equals; none if all are infinitely far.
#[inline(always)]
pub fn nearest(blocks: &[Block]) -> Option<(usize, f64)> {
    let (mut best, mut at) = ([f64::INFINITY; WIDTH], [0_u64; WIDTH]);
    for (k, block) in blocks.iter().enumerate() {
        for i in 0..WIDTH {
            let nearer = block.distance[i] < best[i];
            at[i] = if nearer { (k * WIDTH) as u64 } else { at[i] };
            best[i] = if nearer { block.distance[i] } else { best[i] };
        }
    }
    let mut least = best;
    for half in [4, 2, 1] {
        for i in 0..half {
            least[i] = smaller(least[i], least[i + half]);
        }
    }
    let least = least[0];
    let mut first = [u64::MAX; WIDTH];
    for i in 0..WIDTH {
        first[i] = if best[i] <= least { at[i] + i as u64 } else { u64::MAX };
    }
    for half in [4, 2, 1] {
        for i in 0..half {
            first[i] = if first[i + half] < first[i] { first[i + half] } else { first[i] };
        }
    }
    (least < f64::INFINITY).then_some((first[0] as usize, least))
}
