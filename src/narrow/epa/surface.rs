//! A closed surface without coordinates, and what surfaces prove.

use super::facets::Block;
use crate::geometry::Vec3;
use crate::narrow::certificate::Claim;
use crate::narrow::pair::VertexPair;
use crate::simd::WIDTH;

/// Vertices of a surface that is remembered: growing from sample to sample, it would hold more than it needs.
pub const VERTICES: usize = 40;

/// Its triangles: a closed surface like a sphere has twice as many as vertices, less four.
const TRIANGLES: usize = 2 * VERTICES - 4;

/// Eight of them each.
const BLOCKS: usize = TRIANGLES.div_ceil(WIDTH);

/// The corners of eight triangles.
pub(super) type Corners = [[u8; WIDTH]; 3];

/// The shape of a small surface without coordinates, in one piece of memory: what a pair remembers of it. It lies as a
/// polytope needs it, eight triangles side by side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Surface {
    pairs: [VertexPair; VERTICES],
    corners: [Corners; BLOCKS],
    /// Of vertices, and of triangles.
    counts: [u8; 2],
    /// Every side is used once in each direction.
    closed: bool,
}

impl Default for Surface {
    fn default() -> Self {
        Self { pairs: [[0; 2]; VERTICES], corners: [[[0; WIDTH]; 3]; BLOCKS], counts: [0; 2], closed: false }
    }
}

impl Surface {
    /// Of vertices, as vertex pairs, and triangles, as indices into them, counter-clockwise seen from outside; `None`
    /// where they are more than are remembered.
    pub fn new(pairs: &[VertexPair], triangles: &[[u8; 3]]) -> Option<Self> {
        if triangles.len() > TRIANGLES {
            return None;
        }
        let mut surface = Self::default();
        surface.pairs.get_mut(..pairs.len())?.copy_from_slice(pairs);
        for (t, corners) in triangles.iter().enumerate() {
            for (to, &v) in surface.corners[t / WIDTH].iter_mut().zip(corners) {
                to[t % WIDTH] = v;
            }
        }
        surface.counts = [pairs.len() as u8, triangles.len() as u8];
        surface.closed = surface.is_closed();
        Some(surface)
    }

    /// Becomes the triangles of these blocks, `count` in all, between vertices with these keys, of which those without a
    /// triangle are left out where `all` is false; false, and empty, where they are more than are remembered. `closed`: as
    /// [`Self::is_closed`] would find.
    pub(super) fn take(&mut self, keys: &[u64], all: bool, blocks: &[Block], count: usize, closed: bool) -> bool {
        (self.counts, self.closed) = ([0; 2], false);
        if count > TRIANGLES || count > WIDTH * blocks.len() {
            return false;
        }
        self.take_triangles(blocks, count);
        let vertices = if all { self.take_vertices(keys) } else { self.take_used(keys, count) };
        let Some(vertices) = vertices else { return false };
        self.counts = [vertices as u8, count as u8];
        self.closed = closed;
        true
    }

    /// The first blocks stay as they are; what lives in the others goes into their gaps.
    fn take_triangles(&mut self, blocks: &[Block], count: usize) {
        // Bit by bit: lanes that are to have a triangle, and those of them without one.
        let (kept, meant) = (count.div_ceil(WIDTH), (1_u128 << count) - 1);
        let mut gaps = meant;
        for (k, (to, block)) in self.corners.iter_mut().zip(&blocks[..kept]).enumerate() {
            *to = block.corner;
            gaps &= !(u128::from(block.alive) << (WIDTH * k));
        }
        for (k, block) in blocks.iter().enumerate().skip(count / WIDTH) {
            let mut left = if k < kept { block.alive & !((meant >> (WIDTH * k)) as u8) } else { block.alive };
            while left != 0 && gaps != 0 {
                let (from, gap) = (left.trailing_zeros() as usize % WIDTH, gaps.trailing_zeros() as usize);
                (left, gaps) = (left & (left - 1), gaps & (gaps - 1));
                for (to, corner) in self.corners[gap / WIDTH].iter_mut().zip(&block.corner) {
                    to[gap % WIDTH] = corner[from];
                }
            }
        }
    }

    /// Takes all vertices; how many they are.
    fn take_vertices(&mut self, keys: &[u64]) -> Option<usize> {
        for (pair, &key) in self.pairs.get_mut(..keys.len())?.iter_mut().zip(keys) {
            *pair = [key as u32, (key >> 32) as u32];
        }
        Some(keys.len())
    }

    /// Takes the vertices that the triangles taken have, and numbers these anew.
    fn take_used(&mut self, keys: &[u64], count: usize) -> Option<usize> {
        let mut used = [0_u64; 4];
        for v in (0..count).flat_map(|t| self.triangle(t)) {
            used[usize::from(v) / 64] |= 1 << (v % 64);
        }
        let (mut number, mut vertices) = ([0_u8; 256], 0);
        for (v, &key) in keys.iter().enumerate().filter(|(v, _)| used[v / 64 % 4] >> (v % 64) & 1 == 1) {
            number[v % 256] = vertices as u8;
            *self.pairs.get_mut(vertices)? = [key as u32, (key >> 32) as u32];
            vertices += 1;
        }
        for v in self.corners[..count.div_ceil(WIDTH)].as_flattened_mut().as_flattened_mut() {
            *v = number[usize::from(*v)];
        }
        Some(vertices)
    }

    /// Vertices, as vertex pairs.
    #[inline]
    pub fn pairs(&self) -> &[VertexPair] {
        &self.pairs[..usize::from(self.counts[0])]
    }

    /// Vertices, eight at a time; what is beyond the last one is some other pair.
    #[inline(always)]
    pub(super) fn pairs_in_eights(&self) -> &[[VertexPair; WIDTH]] {
        &self.pairs.as_chunks().0[..usize::from(self.counts[0]).div_ceil(WIDTH)]
    }

    /// Triangles, as indices into `pairs`, counter-clockwise seen from outside.
    pub fn triangles(&self) -> Vec<[u8; 3]> {
        (0..self.count()).map(|t| self.triangle(t)).collect()
    }

    /// How many triangles it has.
    #[inline(always)]
    pub(super) fn count(&self) -> usize {
        usize::from(self.counts[1])
    }

    #[inline(always)]
    pub(super) fn triangle(&self, t: usize) -> [u8; 3] {
        self.corners[t / WIDTH].map(|corner| corner[t % WIDTH])
    }

    /// Triangles, eight at a time, and how many of these are meant.
    #[inline(always)]
    pub(super) fn triangles_in_eights(&self) -> impl Iterator<Item = (&Corners, usize)> {
        let count = self.count();
        self.corners[..count.div_ceil(WIDTH)]
            .iter()
            .enumerate()
            .map(move |(k, eight)| (eight, (count - k * WIDTH).min(WIDTH)))
    }

    /// Whether every side is used by one triangle in each direction.
    pub fn is_closed(&self) -> bool {
        let sides = |v: [u8; 3]| [(v[0], v[1]), (v[1], v[2]), (v[2], v[0])];
        let triangles = self.triangles();
        let mut all: Vec<(u8, u8)> = triangles.iter().flat_map(|&v| sides(v)).collect();
        all.sort_unstable();
        all.windows(2).all(|two| two[0] != two[1])
            && all.iter().all(|&(from, to)| from != to && all.binary_search(&(to, from)).is_ok())
            && triangles.iter().flatten().all(|&v| usize::from(v) < self.pairs().len())
    }

    /// As [`Self::is_closed`], found when the surface was made: one that a polytope remembered is closed by construction.
    #[inline(always)]
    pub(super) fn was_closed(&self) -> bool {
        self.closed
    }

    /// Whether the remembered triangles prove the claim, with the vertices at `points` (one for each of `pairs`). A surface
    /// with a hole proves nothing.
    pub fn proves(
        &self,
        points: &[Vec3<f64>],
        claim: &Claim,
        mut in_facet: impl FnMut(&[VertexPair; 3]) -> bool,
    ) -> bool {
        if points.len() != self.pairs().len() || !self.is_closed() {
            return false;
        }
        let mut area = false;
        let proven = self.triangles().iter().all(|v| {
            let [a, b, c] = v.map(|i| points[usize::from(i)]);
            area |= (b - a).cross(c - a).length2() != 0.0;
            holds(a, b, c, claim, || in_facet(&v.map(|i| self.pairs[usize::from(i)])))
        });
        proven && area
    }
}

/// The sign of the volume of (a, b, c, d): positive where `d` lies on the side that `(b - a) x (c - a)` points to.
/// Exact for the coordinates given.
#[inline]
pub(super) fn side(a: Vec3<f64>, b: Vec3<f64>, c: Vec3<f64>, d: Vec3<f64>) -> f64 {
    let (u, v, w) = (b - a, c - a, d - a);
    let volume = u.cross(v).dot(w);
    // A static filter decides nearly always: rounding is below 10 units of the product of the lengths (here of the
    // sums of the components, which are longer).
    let sum = |p: Vec3<f64>| p.x.abs() + p.y.abs() + p.z.abs();
    if volume.abs() > 4e-15 * (sum(u) * sum(v) * sum(w)) {
        return volume;
    }
    let coord = |p: Vec3<f64>| robust::Coord3D { x: p.x, y: p.y, z: p.z };
    // `robust` is positive where d lies below the plane of a, b, c seen counter-clockwise from above.
    -robust::orient3d(coord(a), coord(b), coord(c), coord(d))
}

/// Whether a triangle of a closed surface does its part in proving that the Minkowski difference contains the ball of
/// radius `claim.facet` about the origin, and that all but the facet's triangles stay beyond `claim.others`.
///
/// The argument: every side is shared by two triangles, so the surface is closed; if the origin lies strictly inside
/// each triangle's plane (an exact sign), the radial projection of the surface covers the sphere of directions, so in
/// every direction the difference, which is convex, reaches at least as far as the surface does.
#[cold]
pub(super) fn holds(a: Vec3<f64>, b: Vec3<f64>, c: Vec3<f64>, claim: &Claim, in_facet: impl FnOnce() -> bool) -> bool {
    let normal = (b - a).cross(c - a);
    let n2 = normal.length2();
    if n2 == 0.0 {
        // No area: its radial projection has no measure.
        return true;
    }
    let reach = normal.dot(a).min(normal.dot(b)).min(normal.dot(c));
    let length = n2.sqrt();
    let reaches = |d: f64| reach > 0.0 && reach >= d * length;
    (reaches(claim.others) || reaches(claim.facet) && in_facet()) && side(a, b, c, Vec3::ZERO) < 0.0
}
