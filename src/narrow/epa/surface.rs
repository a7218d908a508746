//! A closed surface without coordinates, and what surfaces prove.

use super::facets::Block;
use crate::geometry::Vec3;
use crate::narrow::pair::VertexPair;
use crate::narrow::simd::{P3, Simd, TABLE, V, WIDTH, dispatch};

/// Vertices of a surface that is remembered: growing from sample to sample, it would hold more than it needs.
pub const VERTICES: usize = 40;

/// Its triangles: a closed surface like a sphere has twice as many as vertices, less four.
const TRIANGLES: usize = 2 * VERTICES - 4;

/// The shape of a small surface without coordinates, in one piece of memory: what a pair remembers of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Surface {
    pairs: [VertexPair; VERTICES],
    triangles: [[u8; 3]; TRIANGLES],
    counts: [u8; 2],
}

impl Default for Surface {
    fn default() -> Self {
        Self { pairs: [[0; 2]; VERTICES], triangles: [[0; 3]; TRIANGLES], counts: [0; 2] }
    }
}

/// What a surface is to prove, metres.
#[derive(Debug, Clone, Copy)]
pub struct Claim {
    /// Triangles of the facet are at least so far from the origin.
    pub facet: f64,
    /// All others at least so far.
    pub others: f64,
}

impl Surface {
    /// Of vertices, as vertex pairs, and triangles, as indices into them, counter-clockwise seen from outside; `None`
    /// where they are more than are remembered.
    pub fn new(pairs: &[VertexPair], triangles: &[[u8; 3]]) -> Option<Self> {
        let mut surface = Self::default();
        surface.pairs.get_mut(..pairs.len())?.copy_from_slice(pairs);
        surface.triangles.get_mut(..triangles.len())?.copy_from_slice(triangles);
        surface.counts = [pairs.len() as u8, triangles.len() as u8];
        Some(surface)
    }

    /// Becomes the triangles of these blocks (bits of the lanes that have one, corners), `count` in all, whose vertices
    /// are the first `vertices`; false, and empty, where they are more than are remembered.
    #[inline(always)]
    pub(super) fn take<'a>(
        &mut self,
        vertices: usize,
        count: usize,
        blocks: impl Iterator<Item = (u8, &'a [[u8; WIDTH]; 3])>,
        pairs: impl Fn(u8) -> VertexPair,
    ) -> bool {
        self.counts = [0; 2];
        if vertices > VERTICES || count > TRIANGLES {
            return false;
        }
        for (v, pair) in self.pairs[..vertices].iter_mut().enumerate() {
            *pair = pairs(v as u8);
        }
        let mut free = self.triangles[..count].iter_mut();
        for (mut alive, corner) in blocks {
            while alive != 0 {
                let i = alive.trailing_zeros() as usize;
                alive &= alive - 1;
                if let Some(triangle) = free.next() {
                    *triangle = [corner[0][i], corner[1][i], corner[2][i]];
                }
            }
        }
        self.counts = [vertices as u8, count as u8];
        true
    }

    /// As [`Surface::take`]; vertices that no triangle has are left out.
    pub(super) fn take_used<'a>(
        &mut self,
        blocks: impl Iterator<Item = (u8, &'a [[u8; WIDTH]; 3])> + Clone,
        pairs: impl Fn(u8) -> VertexPair,
    ) -> bool {
        let (mut old, mut renumber) = (Vec::new(), [u8::MAX; 256]);
        let mut renumbered = Vec::new();
        for (alive, corner) in blocks {
            let mut new = *corner;
            for i in (0..WIDTH).filter(|i| alive >> i & 1 == 1) {
                for (k, corner) in corner.iter().enumerate() {
                    let number = &mut renumber[usize::from(corner[i])];
                    if *number == u8::MAX {
                        *number = old.len() as u8;
                        old.push(corner[i]);
                    }
                    new[k][i] = *number;
                }
            }
            renumbered.push((alive, new));
        }
        let count = renumbered.iter().map(|(alive, _)| alive.count_ones() as usize).sum();
        let blocks = renumbered.iter().map(|(alive, corner)| (*alive, corner));
        self.take(old.len(), count, blocks, |v| pairs(old[usize::from(v)]))
    }

    /// Vertices, as vertex pairs.
    #[inline]
    pub fn pairs(&self) -> &[VertexPair] {
        &self.pairs[..usize::from(self.counts[0])]
    }

    /// Triangles, as indices into `pairs`, counter-clockwise seen from outside. Closed: every side is used once in each
    /// direction.
    #[inline]
    pub fn triangles(&self) -> &[[u8; 3]] {
        &self.triangles[..usize::from(self.counts[1])]
    }

    /// Whether every side is used by one triangle in each direction.
    pub fn is_closed(&self) -> bool {
        let sides = |v: &[u8; 3]| [(v[0], v[1]), (v[1], v[2]), (v[2], v[0])];
        let mut all: Vec<(u8, u8)> = self.triangles().iter().flat_map(sides).collect();
        all.sort_unstable();
        all.windows(2).all(|two| two[0] != two[1])
            && all.iter().all(|&(from, to)| from != to && all.binary_search(&(to, from)).is_ok())
            && self.triangles().iter().flatten().all(|&v| usize::from(v) < self.pairs().len())
    }

    /// Whether the remembered triangles prove the claim, with the vertices at `points` (one for each of `pairs`). A surface
    /// with a hole proves nothing.
    pub fn proves(&self, points: &[Vec3<f64>], claim: &Claim, in_facet: impl FnMut(&[VertexPair; 3]) -> bool) -> bool {
        points.len() == self.pairs().len() && self.is_closed() && self.proves_closed(points, claim, in_facet)
    }

    /// As [`Surface::proves`], of a surface that a polytope remembered: it is closed by construction.
    pub(crate) fn proves_closed(
        &self,
        points: &[Vec3<f64>],
        claim: &Claim,
        mut in_facet: impl FnMut(&[VertexPair; 3]) -> bool,
    ) -> bool {
        let mut open = [0; BLOCKS];
        if !check(points, self.triangles(), claim.others, &mut open) {
            return false;
        }
        for (eight, open) in self.triangles().chunks(WIDTH).zip(open).filter(|(_, open)| *open != 0) {
            for (_, v) in eight.iter().enumerate().filter(|(i, _)| open >> i & 1 == 1) {
                let [a, b, c] = v.map(|i| points[usize::from(i)]);
                if !holds(a, b, c, claim, || in_facet(&v.map(|i| self.pairs[usize::from(i)]))) {
                    return false;
                }
            }
        }
        true
    }
}

/// Blocks of a remembered surface.
const BLOCKS: usize = TRIANGLES.div_ceil(WIDTH);

dispatch!(check, check_body, (points: &[Vec3<f64>], triangles: &[[u8; 3]], least: f64, open: &mut [u8; BLOCKS]) -> bool);

/// Marks the triangles that are not proven beyond `least`; whether any has an area.
#[inline(always)]
fn check_body<S: Simd>(points: &[Vec3<f64>], triangles: &[[u8; 3]], least: f64, open: &mut [u8; BLOCKS]) -> bool {
    // A bound of the points' lengths stands for the size of the pair.
    let (mut table, mut size) = ([[0.0; VERTICES]; 3], 0.0);
    for (v, p) in points.iter().enumerate().take(VERTICES) {
        (table[0][v], table[1][v], table[2][v]) = (p.x, p.y, p.z);
        let sum = p.x.abs() + p.y.abs() + p.z.abs();
        size = if sum > size { sum } else { size };
    }
    let (mut block, mut solid) = (Block::EMPTY, 0);
    for (eight, open) in triangles.chunks(WIDTH).zip(open) {
        let mut v = [[0_u8; WIDTH]; 3];
        for (i, corners) in eight.iter().enumerate() {
            (v[0][i], v[1][i], v[2][i]) = (corners[0], corners[1], corners[2]);
        }
        let few = points.len() <= TABLE;
        let corners = [look_up::<S>(&table, &v[0], few), look_up(&table, &v[1], few), look_up(&table, &v[2], few)];
        block.planes(&corners, eight.len(), size);
        *open = block.unproven::<S>(least);
        solid |= block.solid::<S>();
    }
    solid != 0
}

#[inline(always)]
fn look_up<S: Simd>(table: &[[f64; VERTICES]; 3], v: &[u8; WIDTH], few: bool) -> P3<S> {
    match (table[0].first_chunk(), table[1].first_chunk(), table[2].first_chunk()) {
        (Some(x), Some(y), Some(z)) if few => P3 { x: V::look_up(x, v), y: V::look_up(y, v), z: V::look_up(z, v) },
        _ => P3 { x: gather(&table[0], v), y: gather(&table[1], v), z: gather(&table[2], v) },
    }
}

#[inline(always)]
fn gather<S: Simd>(table: &[f64; VERTICES], v: &[u8; WIDTH]) -> V<S> {
    V::load(&v.map(|v| table[usize::from(v)]))
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
