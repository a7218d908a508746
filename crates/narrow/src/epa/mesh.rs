//! The polytope's data and the steps of its expansion: a closed surface of triangles with vertices
//! in the Minkowski difference.

use super::facets::{self, MAX_BLOCKS, MAX_VERTICES, TriangleBlock, first_lanes};
use super::gather::{broadcast, vertices};
use super::horizon::Horizon;
use super::surface::{CornerIndices, Surface};
use super::triangle::{holds, side};
use crate::certificate::{self, Certificate, Claim};
use crate::feature::Feature;
use crate::pair::{Pair, VertexPair};
use clearsweep_base::simd::{Simd, TABLE, V, WIDTH, dispatch};
use clearsweep_geometry::{Polyhedron, Vec3};

/// The surface at a pose, and scratch memory for its expansion.
#[derive(Debug, Clone)]
pub(super) struct PolytopeMesh {
    /// The size of the pair, metres.
    size: f64,
    /// The vertex pair of each vertex as one number: see [`key`]. The first `count` are valid.
    pub(super) keys: [u64; MAX_VERTICES],
    /// x, y, z of the vertices.
    points: [[f64; MAX_VERTICES]; 3],
    pub(super) count: usize,
    /// The triangles: number `t` is lane `t % 8` of block `t / 8`. The first `used` blocks are
    /// valid.
    blocks: Vec<TriangleBlock>,
    used: usize,
    /// The surface is no longer closed; nothing can be concluded from it.
    pub(super) broken: bool,
    horizon: Horizon,
}

/// A vertex pair as one number.
#[inline(always)]
fn key([i, j]: VertexPair) -> u64 {
    u64::from(i) | u64::from(j) << 32
}

impl PolytopeMesh {
    pub(super) fn new() -> Box<Self> {
        Box::new(Self {
            size: 0.0,
            keys: [0; MAX_VERTICES],
            points: [[0.0; MAX_VERTICES]; 3],
            count: 0,
            blocks: vec![TriangleBlock::EMPTY; 16],
            used: 0,
            broken: false,
            horizon: Horizon::new(),
        })
    }

    /// Removes everything; `size`: of the pair, metres.
    pub(super) fn clear(&mut self, size: f64) {
        self.size = size;
        self.count = 0;
        self.used = 0;
        self.broken = false;
    }

    #[inline(always)]
    fn add_vertex(&mut self, vertex: VertexPair, point: Vec3<f64>) {
        debug_assert!(self.count < MAX_VERTICES);
        if self.count.is_multiple_of(WIDTH) {
            self.keys[self.count..][..WIDTH].fill(u64::MAX);
        }
        self.keys[self.count] = key(vertex);
        for (axis, value) in self.points.iter_mut().zip(point.to_array()) {
            axis[self.count] = value;
        }
        self.count += 1;
    }

    #[inline(always)]
    pub(super) fn pair(&self, v: u8) -> VertexPair {
        let key = self.keys[usize::from(v)];
        [key as u32, (key >> 32) as u32]
    }

    #[inline(always)]
    fn point(&self, v: u8) -> Vec3<f64> {
        let [x, y, z] = &self.points;
        Vec3 { x: x[usize::from(v)], y: y[usize::from(v)], z: z[usize::from(v)] }
    }

    /// The points of eight vertices.
    #[inline(always)]
    fn points_of<S: Simd>(&self, v: &[u8; WIDTH]) -> Vec3<V<S>> {
        let [x, y, z] = &self.points;
        match (x.first_chunk(), y.first_chunk(), z.first_chunk()) {
            (Some(x), Some(y), Some(z)) if self.count <= TABLE => {
                Vec3 { x: V::look_up(x, v), y: V::look_up(y, v), z: V::look_up(z, v) }
            }
            _ => Vec3::load(&self.points_of_many(v)),
        }
    }

    #[inline(never)]
    fn points_of_many(&self, v: &[u8; WIDTH]) -> [[f64; WIDTH]; 3] {
        let [x, y, z] = &self.points;
        [x, y, z].map(|axis| v.map(|v| axis[usize::from(v)]))
    }

    /// Whether the surface has this vertex.
    #[inline(always)]
    fn has_vertex(&self, vertex: VertexPair) -> bool {
        let key = key(vertex);
        let mut known = [0_u64; WIDTH];
        for eight in self.keys[..self.count.next_multiple_of(WIDTH)].as_chunks::<WIDTH>().0 {
            for i in 0..WIDTH {
                known[i] |= u64::from(eight[i] == key);
            }
        }
        known != [0; WIDTH]
    }

    #[inline(always)]
    pub(super) fn blocks(&self) -> &[TriangleBlock] {
        &self.blocks[..self.used]
    }

    /// A new block of triangles, to be written.
    #[inline(always)]
    fn next_block(&mut self) -> &mut TriangleBlock {
        if self.used == self.blocks.len() {
            self.blocks.resize(2 * self.used, TriangleBlock::EMPTY);
        }
        self.used += 1;
        &mut self.blocks[self.used - 1]
    }

    /// The nearest live triangle; `None` on a broken surface.
    #[inline(always)]
    pub(super) fn nearest<S: Simd>(&self) -> Option<usize> {
        if self.broken { None } else { facets::nearest::<S>(self.blocks()) }
    }

    /// The vertex pairs of a triangle.
    #[inline(always)]
    pub(super) fn vertex_pairs(&self, triangle: usize) -> [VertexPair; 3] {
        self.blocks[triangle / WIDTH].vertices(triangle % WIDTH).map(|v| self.pair(v))
    }

    /// The outward normal of a triangle, not normalised, and the least product of it with a corner.
    #[inline(always)]
    pub(super) fn plane(&self, triangle: usize) -> (Vec3<f64>, f64) {
        (self.normal(triangle), self.blocks[triangle / WIDTH].reach[triangle % WIDTH])
    }

    /// The outward normal of a triangle, not normalised.
    #[inline(always)]
    pub(super) fn normal(&self, triangle: usize) -> Vec3<f64> {
        let (block, i) = (&self.blocks[triangle / WIDTH], triangle % WIDTH);
        Vec3 { x: block.normal[0][i], y: block.normal[1][i], z: block.normal[2][i] }
    }

    /// Adds a vertex at `point`, which lies beyond `triangle`: the triangles that it sees are
    /// replaced by a fan of new ones over their horizon. False if the vertex is known, at the
    /// limits, or if the surface broke by rounding.
    #[inline(always)]
    pub(super) fn expand<S: Simd>(&mut self, triangle: usize, vertex: VertexPair, point: Vec3<f64>) -> bool {
        if self.has_vertex(vertex) || self.broken || self.count == MAX_VERTICES || self.used >= MAX_BLOCKS {
            return false;
        }
        self.see::<S>(triangle, point);
        let blocks = &self.blocks[..self.used];
        self.broken =
            !self.horizon.find(blocks, self.count) && !self.horizon.find_connected(blocks, self.count, triangle);
        if !self.broken {
            self.fan::<S>(point);
            self.add_vertex(vertex, point);
        }
        !self.broken
    }

    /// Marks `triangle` and all triangles that see the point.
    #[inline(always)]
    fn see<S: Simd>(&mut self, triangle: usize, point: Vec3<f64>) {
        let point = Vec3::<V<S>>::from_f64(point);
        for (seen, eight) in self.horizon.seen.iter_mut().zip(self.blocks[..self.used].chunks(8)) {
            *seen = 0;
            for (k, block) in eight.iter().enumerate() {
                *seen |= u64::from(block.seen_from(point)) << (WIDTH * k);
            }
        }
        self.horizon.seen[triangle / 64] |= 1 << (triangle % 64);
    }

    /// Replaces the seen triangles by one new triangle per side of the horizon, from that side to
    /// the new vertex at `point`.
    #[inline(always)]
    fn fan<S: Simd>(&mut self, point: Vec3<f64>) {
        for (eight, &seen) in self.blocks[..self.used].chunks_mut(8).zip(&self.horizon.seen) {
            for (k, block) in eight.iter_mut().enumerate() {
                block.remove::<S>((seen >> (WIDTH * k)) as u8);
            }
        }
        let (size, apex) = (self.size, self.count as u8);
        for done in (0..self.horizon.count).step_by(WIDTH) {
            let count = (self.horizon.count - done).min(WIDTH);
            let [from, to] = self.horizon.eight_sides(done);
            let corners = [self.points_of::<S>(&from), self.points_of(&to), Vec3::from_f64(point)];
            let block = self.next_block();
            block.set_planes(&corners, count, size);
            block.alive = first_lanes(count);
            block.corner = [from, to, [apex; WIDTH]];
        }
    }

    /// Adds triangles with these corners, of which the first `count` are valid.
    #[inline(always)]
    fn add_eight<S: Simd>(&mut self, corner: &CornerIndices, count: usize) {
        let corners = [self.points_of::<S>(&corner[0]), self.points_of(&corner[1]), self.points_of(&corner[2])];
        let size = self.size;
        let block = self.next_block();
        block.set_planes(&corners, count, size);
        (block.alive, block.corner) = (first_lanes(count), *corner);
    }

    /// Restarts from a remembered surface, with its vertices at a new pose: it need not be convex
    /// there.
    #[inline(always)]
    fn restore<S: Simd>(&mut self, pair: &Pair<'_, f64>, surface: &Surface) {
        self.clear(pair.size);
        let pose = broadcast::<S>(&pair.pose);
        let keys = self.keys.as_chunks_mut::<WIDTH>().0;
        let [x, y, z] = self.points.each_mut().map(|axis| axis.as_chunks_mut::<WIDTH>().0);
        for (k, eight) in surface.pairs_in_eights().iter().enumerate() {
            let a = vertices(pair.a, V::<S>::load(&eight.map(|[i, _]| f64::from(i))));
            let b = vertices(pair.b, V::<S>::load(&eight.map(|[_, j]| f64::from(j))));
            let point = a - pose.point(b);
            point.x.store(&mut x[k]);
            point.y.store(&mut y[k]);
            point.z.store(&mut z[k]);
            keys[k] = eight.map(key);
        }
        self.count = surface.pairs().len();
        self.keys[self.count..self.count.next_multiple_of(WIDTH)].fill(u64::MAX);
        for (corner, count) in surface.triangles_in_eights() {
            self.add_eight::<S>(corner, count);
        }
        self.broken = !surface.is_known_closed();
    }

    /// Starts from eight vertices, of which the first `count` are valid, and eight triangles
    /// between them. Equal vertices are merged, and triangles with two equal corners are removed.
    #[inline(always)]
    pub(super) fn start_from_eight<S: Simd>(
        &mut self,
        [i, j]: [V<S>; 2],
        points: Vec3<V<S>>,
        count: usize,
        corner: CornerIndices,
    ) {
        let (i, j) = (i.lanes(), j.lanes());
        for v in 0..WIDTH {
            self.keys[v] = if v < count { key([i[v] as u32, j[v] as u32]) } else { u64::MAX };
        }
        self.count = count;
        for (axis, lanes) in self.points.iter_mut().zip([points.x, points.y, points.z]) {
            if let Some(first) = axis.first_chunk_mut() {
                lanes.store(first);
            }
        }
        self.add_eight::<S>(&corner, WIDTH);
        if self.blocks[0].with_area::<S>() != u8::MAX {
            self.merge_equal_vertices();
        }
    }

    /// Merges equal vertices of a bipyramid. If the ends of a side are equal, its two triangles are
    /// removed, and the other six form a closed surface again. Four distinct vertices become a
    /// tetrahedron. Any other case is broken.
    #[cold]
    fn merge_equal_vertices(&mut self) {
        let mut same = [0_u8; WIDTH];
        let mut distinct = Vec::with_capacity(WIDTH);
        for v in 0..self.count {
            let first = self.keys[..v].iter().position(|&k| k == self.keys[v]).unwrap_or(v);
            same[v] = first as u8;
            if first == v {
                distinct.push(v as u8);
            }
        }
        if distinct.len() == self.count {
            return;
        }
        if let [a, b, c, d] = distinct[..] {
            let vertices = [a, b, c, d].map(|v| (self.pair(v), self.point(v)));
            self.clear(self.size);
            self.start_from_tetrahedron(vertices);
            return;
        }
        let block = &mut self.blocks[0];
        for i in 0..WIDTH {
            let [a, b, c] = block.vertices(i).map(|v| same[usize::from(v) % WIDTH]);
            (block.corner[0][i], block.corner[1][i], block.corner[2][i]) = (a, b, c);
            if a == b || b == c || c == a {
                block.alive &= !(1 << i);
            }
        }
        self.broken = distinct.len() + 1 != self.count || block.alive.count_ones() != 6;
    }

    /// Starts an empty surface from a tetrahedron; false, and still empty, if its volume is exactly
    /// zero.
    pub(super) fn start_from_tetrahedron(&mut self, vertices: [(VertexPair, Vec3<f64>); 4]) -> bool {
        let [a, b, c, d] = vertices.map(|(_, point)| point);
        let volume = side(a, b, c, d);
        if volume == 0.0 || volume.is_nan() {
            return false;
        }
        vertices.into_iter().for_each(|(vertex, point)| self.add_vertex(vertex, point));
        // Faces are counter-clockwise seen from outside: if d lies above abc, abc faces down and
        // its order is reversed.
        let (x, y) = if volume > 0.0 { (2, 1) } else { (1, 2) };
        let corners = [[0, 0, y, x, 0, 0, 0, 0], [x, y, x, 0, 0, 0, 0, 0], [y, 3, 3, 3, 0, 0, 0, 0]];
        add_eight(self, &corners, 4);
        true
    }

    /// Judges a claim by the live triangles. `own`: a triangle that is known to belong to the
    /// facet. `in_facet`: whether a triangle does.
    #[inline(always)]
    pub(super) fn verdict<S: Simd>(
        &self,
        claim: &Claim,
        own: Option<usize>,
        mut in_facet: impl FnMut([u8; 3]) -> bool,
    ) -> Verdict {
        let (mut with_area, mut proven) = (0, !self.broken);
        let mut rival: Option<(usize, f64)> = None;
        let beyond = claim.others * claim.others.abs();
        for (k, block) in self.blocks().iter().enumerate() {
            with_area |= block.with_area::<S>();
            let mut open = block.unproven::<S>(claim.others);
            if open == 0 {
                continue;
            }
            let weak = block.unproven::<S>(claim.facet);
            while open != 0 {
                let i = open.trailing_zeros() as usize;
                open &= open - 1;
                let v = block.vertices(i);
                let facet = own == Some(k * WIDTH + i) || in_facet(v);
                if !facet || weak >> i & 1 == 1 {
                    let [a, b, c] = v.map(|v| self.point(v));
                    proven &= holds([a, b, c], [claim.facet, claim.others], || facet);
                }
                if !facet && block.square[i] < rival.map_or(beyond, |(_, least)| least) {
                    rival = Some((k * WIDTH + i, block.square[i]));
                }
            }
        }
        match rival {
            Some((triangle, _)) => Verdict::Rival(triangle),
            None if proven && with_area != 0 => Verdict::Proven,
            None => Verdict::Undecided,
        }
    }
}

/// Verdict of the live triangles on a claim.
#[derive(Debug, Clone, Copy)]
pub(super) enum Verdict {
    /// They prove it.
    Proven,
    /// The nearest triangle that is neither in the facet nor beyond `claim.others`.
    Rival(usize),
    /// Neither: by rounding, or because the facet's own triangles are too near.
    Undecided,
}

dispatch!(add_eight, add_eight_body, (mesh: &mut PolytopeMesh, corner: &CornerIndices, count: usize) -> ());

#[inline(always)]
fn add_eight_body<S: Simd>(mesh: &mut PolytopeMesh, corner: &CornerIndices, count: usize) {
    mesh.add_eight::<S>(corner, count);
}

dispatch!(restore_wide, restore_body, (mesh: &mut PolytopeMesh, pair: &Pair<'_, f64>, surface: &Surface) -> ());

#[inline(always)]
fn restore_body<S: Simd>(mesh: &mut PolytopeMesh, pair: &Pair<'_, f64>, surface: &Surface) {
    mesh.restore::<S>(pair, surface);
}

dispatch!(verifies_wide, verifies_body, (mesh: &mut PolytopeMesh, pair: &Pair<'_, f64>, surface: &Surface, answer: &Certificate) -> bool);

#[inline(always)]
fn verifies_body<S: Simd>(
    mesh: &mut PolytopeMesh,
    pair: &Pair<'_, f64>,
    surface: &Surface,
    answer: &Certificate,
) -> bool {
    mesh.restore::<S>(pair, surface);
    // A triangle is in the facet if its corners are. A remembered surface has at most 40 vertices.
    let mut in_facet = 0_u64;
    for (k, eight) in surface.pairs_in_eights().iter().enumerate() {
        let a = members::<S>(pair.a, answer.features.a, eight.map(|[i, _]| i));
        let b = members::<S>(pair.b, answer.features.b, eight.map(|[_, j]| j));
        in_facet |= u64::from(a & b) << (WIDTH * k);
    }
    let is_facet = |t: [u8; 3]| t.iter().all(|&v| in_facet >> (v % 64) & 1 == 1);
    matches!(mesh.verdict::<S>(&certificate::claim(answer), None, is_facet), Verdict::Proven)
}

/// Bit `i`: the feature has vertex `vertices[i]`.
#[inline(always)]
fn members<S: Simd>(p: &Polyhedron, feature: Feature, vertices: [u32; WIDTH]) -> u8 {
    let vertices = V::<S>::load(&vertices.map(f64::from));
    let mut few = [0; 2];
    feature.vertices(p, &mut few).iter().fold(0, |all, &v| all | vertices.equals(V::splat(f64::from(v))).bits())
}

dispatch!(expand_wide, expand_body, (mesh: &mut PolytopeMesh, triangle: usize, vertex: VertexPair, point: Vec3<f64>) -> bool);

#[inline(always)]
fn expand_body<S: Simd>(mesh: &mut PolytopeMesh, triangle: usize, vertex: VertexPair, point: Vec3<f64>) -> bool {
    mesh.expand::<S>(triangle, vertex, point)
}

/// [`PolytopeMesh::restore`] in code for the registers of this processor.
pub(super) fn restore(mesh: &mut PolytopeMesh, pair: &Pair<'_, f64>, surface: &Surface) {
    restore_wide(mesh, pair, surface);
}

/// [`PolytopeMesh::expand`] in code for the registers of this processor.
pub(super) fn expand(mesh: &mut PolytopeMesh, triangle: usize, vertex: VertexPair, point: Vec3<f64>) -> bool {
    expand_wide(mesh, triangle, vertex, point)
}

/// Restarts from a remembered surface at a new pose; whether it proves the depth of a locally
/// strict answer there.
pub(super) fn verifies(mesh: &mut PolytopeMesh, pair: &Pair<'_, f64>, surface: &Surface, answer: &Certificate) -> bool {
    verifies_wide(mesh, pair, surface, answer)
}
