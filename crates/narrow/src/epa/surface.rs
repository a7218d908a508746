//! A closed surface without coordinates: what a pair remembers of its polytope, and what it proves.

use super::facets::TriangleBlock;
use super::triangle::holds;
use crate::certificate::Claim;
use crate::pair::VertexPair;
use clearsweep_base::simd::WIDTH;
use clearsweep_geometry::Vec3;

/// Most vertices of a surface that is remembered: a surface that is expanded from sample to sample
/// accumulates vertices that it does not need.
pub(super) const VERTICES: usize = 40;

/// Most triangles: Euler's formula for a closed surface of genus 0.
const TRIANGLES: usize = 2 * VERTICES - 4;

/// Most blocks of eight triangles.
const BLOCKS: usize = TRIANGLES.div_ceil(WIDTH);

/// The corners of eight triangles, as indices of vertices.
pub(super) type CornerIndices = [[u8; WIDTH]; 3];

/// A small surface without coordinates, in one piece of memory, with eight triangles side by side
/// as a polytope needs them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Surface {
    pairs: [VertexPair; VERTICES],
    corners: [CornerIndices; BLOCKS],
    /// The numbers of vertices and of triangles.
    counts: [u8; 2],
    /// Every side is used by one triangle in each direction.
    closed: bool,
}

impl Default for Surface {
    fn default() -> Self {
        Self { pairs: [[0; 2]; VERTICES], corners: [[[0; WIDTH]; 3]; BLOCKS], counts: [0; 2], closed: false }
    }
}

impl Surface {
    /// Creates a surface from vertices, as vertex pairs, and triangles, as indices into them,
    /// counter-clockwise seen from outside. `None` if there are more than a surface holds.
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

    /// Becomes the surface of the live triangles in `blocks`, `count` in all, between the vertices
    /// with these keys. `all_used`: every vertex has a triangle; otherwise unused vertices are
    /// dropped. `closed`: what [`Self::is_closed`] would find.
    ///
    /// Returns false, and is empty, if there are more than a surface holds.
    pub(super) fn assign(
        &mut self,
        keys: &[u64],
        all_used: bool,
        blocks: &[TriangleBlock],
        count: usize,
        closed: bool,
    ) -> bool {
        (self.counts, self.closed) = ([0; 2], false);
        if count > TRIANGLES || count > WIDTH * blocks.len() {
            return false;
        }
        self.assign_triangles(blocks, count);
        let vertices = if all_used { self.assign_all_vertices(keys) } else { self.assign_used_vertices(keys, count) };
        let Some(vertices) = vertices else { return false };
        self.counts = [vertices as u8, count as u8];
        self.closed = closed;
        debug_assert!(!closed || self.is_closed(), "a polytope that did not break is closed");
        true
    }

    /// Copies the first blocks as they are, and moves the live triangles of the other blocks into
    /// the gaps.
    fn assign_triangles(&mut self, blocks: &[TriangleBlock], count: usize) {
        // Bit `i` of `meant`: lane `i` is to hold a triangle; of `gaps`: it does not yet.
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

    /// Copies all vertices; returns their number.
    fn assign_all_vertices(&mut self, keys: &[u64]) -> Option<usize> {
        for (pair, &key) in self.pairs.get_mut(..keys.len())?.iter_mut().zip(keys) {
            *pair = [key as u32, (key >> 32) as u32];
        }
        Some(keys.len())
    }

    /// Copies the vertices that the triangles use, and renumbers the corners; returns the number of
    /// vertices.
    fn assign_used_vertices(&mut self, keys: &[u64], count: usize) -> Option<usize> {
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

    /// The vertices, as vertex pairs.
    #[inline]
    pub fn pairs(&self) -> &[VertexPair] {
        &self.pairs[..usize::from(self.counts[0])]
    }

    /// The vertices, eight at a time; the padding of the last eight is arbitrary.
    #[inline(always)]
    pub(super) fn pairs_in_eights(&self) -> &[[VertexPair; WIDTH]] {
        &self.pairs.as_chunks().0[..usize::from(self.counts[0]).div_ceil(WIDTH)]
    }

    /// The triangles, as indices into `pairs`, counter-clockwise seen from outside.
    pub fn triangles(&self) -> Vec<[u8; 3]> {
        (0..self.count()).map(|t| self.triangle(t)).collect()
    }

    /// The number of triangles.
    #[inline(always)]
    pub(super) fn count(&self) -> usize {
        usize::from(self.counts[1])
    }

    #[inline(always)]
    pub(super) fn triangle(&self, t: usize) -> [u8; 3] {
        self.corners[t / WIDTH].map(|corner| corner[t % WIDTH])
    }

    /// The triangles, eight at a time, and how many of the eight are valid.
    #[inline(always)]
    pub(super) fn triangles_in_eights(&self) -> impl Iterator<Item = (&CornerIndices, usize)> {
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

    /// [`Self::is_closed`] as determined when the surface was made: a polytope that did not break
    /// is closed by construction.
    #[inline(always)]
    pub(super) fn is_known_closed(&self) -> bool {
        self.closed
    }

    /// Whether the triangles prove the claim (`holds` in `triangle.rs` has the argument), with the
    /// vertices at `points`, one for each of `pairs`. An open surface proves nothing.
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
            holds([a, b, c], [claim.facet, claim.others], || in_facet(&v.map(|i| self.pairs[usize::from(i)])))
        });
        proven && area
    }
}
