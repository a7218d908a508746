//! A closed surface of triangles around the origin, with vertices in the Minkowski difference.

use super::facets::{self, Block, first};
use super::horizon::Horizon;
use super::start::vertices;
use super::surface::{Corners, Surface, holds, side};
use crate::geometry::{Polyhedron, Vec3};
use crate::narrow::certificate::Claim;
use crate::narrow::certificate::{self, Strict};
use crate::narrow::feature::Feature;
use crate::narrow::pair::{Pair, VertexPair};
use crate::simd::{Portable, Simd, TABLE, V, WIDTH, dispatch};
use std::cell::RefCell;

/// Vertices above which a surface is given up: the search is not converging. Their numbers fit a `u8`.
pub(super) const VERTICES: usize = 256;

/// Blocks of triangles above which a surface is given up, dead triangles included.
pub(super) const BLOCKS: usize = 512;

/// A surface at a pose, growing towards the boundary of the Minkowski difference (expanding polytope algorithm:
/// van den Bergen 2001; here grown from any start around the origin, also a remembered one).
///
/// An empty one holds no memory; its working memory is lent by the thread and goes back when it is dropped.
#[derive(Debug, Clone, Default)]
pub struct Polytope(Option<Box<Work>>);

thread_local! {
    /// Working memory at rest: as much as was ever in use at once, by a walk and by the cold resolver beneath it.
    static REST: RefCell<Vec<Box<Work>>> = const { RefCell::new(Vec::new()) };
}

impl Drop for Polytope {
    fn drop(&mut self) {
        if let Some(work) = self.0.take() {
            let _ = REST.try_with(|rest| rest.borrow_mut().push(work));
        }
    }
}

/// The surface and what a step needs.
#[derive(Debug, Clone)]
pub(super) struct Work {
    /// Of the pair, metres.
    size: f64,
    /// Vertices, of which the first `count` are valid; the pairs of which they are made, as one number each.
    keys: [u64; VERTICES],
    points: [[f64; VERTICES]; 3],
    count: usize,
    /// Of which the first `used` are meant: the triangles, by their numbers, eight each.
    blocks: Vec<Block>,
    used: usize,
    /// The links are no longer those of a closed surface.
    broken: bool,
    horizon: Horizon,
}

#[inline(always)]
fn key([i, j]: VertexPair) -> u64 {
    u64::from(i) | u64::from(j) << 32
}

impl Work {
    fn new() -> Box<Self> {
        Box::new(Self {
            size: 0.0,
            keys: [0; VERTICES],
            points: [[0.0; VERTICES]; 3],
            count: 0,
            blocks: vec![Block::EMPTY; 16],
            used: 0,
            broken: false,
            horizon: Horizon::new(),
        })
    }

    pub(super) fn clear(&mut self, size: f64) {
        self.size = size;
        self.count = 0;
        self.used = 0;
        self.broken = false;
    }

    #[inline(always)]
    fn add_vertex(&mut self, vertex: VertexPair, point: Vec3<f64>) {
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

    /// Whether it is a vertex already.
    #[inline(always)]
    fn knows(&self, vertex: VertexPair) -> bool {
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
    fn blocks(&self) -> &[Block] {
        &self.blocks[..self.used]
    }

    /// The next block to write.
    #[inline(always)]
    fn next_block(&mut self) -> &mut Block {
        if self.used == self.blocks.len() {
            self.blocks.resize(2 * self.used, Block::EMPTY);
        }
        self.used += 1;
        &mut self.blocks[self.used - 1]
    }

    /// The nearest living triangle.
    #[inline(always)]
    pub(super) fn nearest<S: Simd>(&self) -> Option<usize> {
        if self.broken { None } else { facets::nearest::<S>(self.blocks()) }
    }

    /// The vertex pairs of a triangle.
    #[inline(always)]
    pub(super) fn vertex_pairs(&self, triangle: usize) -> [VertexPair; 3] {
        self.blocks[triangle / WIDTH].vertices(triangle % WIDTH).map(|v| self.pair(v))
    }

    /// The outward normal of a triangle, not normalised, and the least of its products with the corners.
    #[inline(always)]
    pub(super) fn plane(&self, triangle: usize) -> (Vec3<f64>, f64) {
        (self.normal(triangle), self.blocks[triangle / WIDTH].reach[triangle % WIDTH])
    }

    #[inline(always)]
    fn normal(&self, triangle: usize) -> Vec3<f64> {
        let (block, i) = (&self.blocks[triangle / WIDTH], triangle % WIDTH);
        Vec3 { x: block.normal[0][i], y: block.normal[1][i], z: block.normal[2][i] }
    }

    /// Adds a vertex at `point` that lies beyond `triangle`: what it sees is replaced by a fan. False where the surface
    /// would break (rounding, or too many triangles).
    #[inline(always)]
    pub(super) fn expand<S: Simd>(&mut self, triangle: usize, vertex: VertexPair, point: Vec3<f64>) -> bool {
        if self.knows(vertex) || self.broken || self.count == VERTICES || self.used >= BLOCKS {
            return false;
        }
        self.see::<S>(triangle, point);
        let blocks = &self.blocks[..self.used];
        self.broken = !self.horizon.find(blocks, self.count) && !self.horizon.find_around(blocks, self.count, triangle);
        if !self.broken {
            self.fan::<S>(point);
            self.add_vertex(vertex, point);
        }
        !self.broken
    }

    /// Marks `triangle` and all that see the point.
    #[inline(always)]
    fn see<S: Simd>(&mut self, triangle: usize, point: Vec3<f64>) {
        let point = Vec3::<V<S>>::from_f64(point);
        for (seen, eight) in self.horizon.seen.iter_mut().zip(self.blocks[..self.used].chunks(8)) {
            *seen = 0;
            for (k, block) in eight.iter().enumerate() {
                *seen |= u64::from(block.seeing(point)) << (WIDTH * k);
            }
        }
        self.horizon.seen[triangle / 64] |= 1 << (triangle % 64);
    }

    /// Takes out what is seen; instead, one new triangle a side of the horizon, from the side to the vertex to come at
    /// `point`.
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
            let [from, to] = self.horizon.eight(done);
            let corners = [self.points_of::<S>(&from), self.points_of(&to), Vec3::from_f64(point)];
            let block = self.next_block();
            block.planes(&corners, count, size);
            block.alive = first(count);
            block.corner = [from, to, [apex; WIDTH]];
        }
    }

    /// Triangles with these corners, of which the first `count` are meant.
    #[inline(always)]
    fn add_eight<S: Simd>(&mut self, corner: &Corners, count: usize) {
        let corners = [self.points_of::<S>(&corner[0]), self.points_of(&corner[1]), self.points_of(&corner[2])];
        let size = self.size;
        let block = self.next_block();
        block.planes(&corners, count, size);
        (block.alive, block.corner) = (first(count), *corner);
    }

    /// Restarts from a remembered surface, its vertices looked up at a new pose: it need not be convex there.
    #[inline(always)]
    fn restore<S: Simd>(&mut self, pair: &Pair<'_, f64>, surface: &Surface) {
        self.clear(pair.size);
        let r =
            [Vec3::<V<S>>::from_f64(pair.pose.r[0]), Vec3::from_f64(pair.pose.r[1]), Vec3::from_f64(pair.pose.r[2])];
        let t = Vec3::from_f64(pair.pose.t);
        let keys = self.keys.as_chunks_mut::<WIDTH>().0;
        let [x, y, z] = self.points.each_mut().map(|axis| axis.as_chunks_mut::<WIDTH>().0);
        for (k, eight) in surface.pairs_in_eights().iter().enumerate() {
            let a = vertices(pair.a, V::<S>::load(&eight.map(|[i, _]| f64::from(i))));
            let b = vertices(pair.b, V::<S>::load(&eight.map(|[_, j]| f64::from(j))));
            let point = a - (Vec3 { x: r[0].dot(b), y: r[1].dot(b), z: r[2].dot(b) } + t);
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
        self.broken = !surface.was_closed();
    }

    /// Takes eight vertices and eight triangles between the first `count` of them. Equal vertices become one, and triangles
    /// that have it twice none.
    #[inline(always)]
    pub(super) fn take_eight<S: Simd>(
        &mut self,
        [i, j]: [V<S>; 2],
        points: Vec3<V<S>>,
        count: usize,
        corner: [[u8; WIDTH]; 3],
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
        if self.blocks[0].solid::<S>() != u8::MAX {
            self.merge();
        }
    }

    /// Lets equal vertices of a double pyramid be one. Where two ends of a side are, the two triangles beside it are none,
    /// and the rest is closed again, every side used once in each direction; of four vertices it becomes the tetrahedron.
    #[cold]
    fn merge(&mut self) {
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
            self.start(vertices);
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

    /// Takes a tetrahedron; false, and nothing, where its volume is exactly 0.
    fn start(&mut self, vertices: [(VertexPair, Vec3<f64>); 4]) -> bool {
        let [a, b, c, d] = vertices.map(|(_, point)| point);
        let volume = side(a, b, c, d);
        if volume == 0.0 || volume.is_nan() {
            return false;
        }
        vertices.into_iter().for_each(|(vertex, point)| self.add_vertex(vertex, point));
        // Faces with the outside towards the eye: if d is above abc, abc faces down and must be turned.
        let (x, y) = if volume > 0.0 { (2, 1) } else { (1, 2) };
        let corners = [[0, 0, y, x, 0, 0, 0, 0], [x, y, x, 0, 0, 0, 0, 0], [y, 3, 3, 3, 0, 0, 0, 0]];
        add_eight(self, &corners, 4);
        true
    }

    /// Lists what is left to prove of `claim` and lies nearest: the nearest living triangle that is not of the facet and
    /// not beyond `claim.others`. `own`: a triangle that is of the facet.
    #[inline(always)]
    pub(super) fn verdict<S: Simd>(
        &self,
        claim: &Claim,
        own: Option<usize>,
        mut in_facet: impl FnMut([u8; 3]) -> bool,
    ) -> Verdict {
        let (mut solid, mut proven) = (0, !self.broken);
        let mut rival: Option<(usize, f64)> = None;
        let beyond = claim.others * claim.others.abs();
        for (k, block) in self.blocks().iter().enumerate() {
            solid |= block.solid::<S>();
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
                    proven &= holds(a, b, c, claim, || facet);
                }
                if !facet && block.square[i] < rival.map_or(beyond, |(_, least)| least) {
                    rival = Some((k * WIDTH + i, block.square[i]));
                }
            }
        }
        match rival {
            Some((triangle, _)) => Verdict::Rival(triangle),
            None if proven && solid != 0 => Verdict::Proven,
            None => Verdict::Open,
        }
    }
}

/// What the living triangles say about a claim.
#[derive(Debug, Clone, Copy)]
pub(super) enum Verdict {
    /// They prove it.
    Proven,
    /// The nearest that is not of the facet and not beyond it.
    Rival(usize),
    /// Rounding leaves it open, or the claim is too bold.
    Open,
}

dispatch!(add_eight, add_eight_body, (work: &mut Work, corner: &Corners, count: usize) -> ());

#[inline(always)]
fn add_eight_body<S: Simd>(work: &mut Work, corner: &Corners, count: usize) {
    work.add_eight::<S>(corner, count);
}

dispatch!(restore, restore_body, (work: &mut Work, pair: &Pair<'_, f64>, surface: &Surface) -> ());

#[inline(always)]
fn restore_body<S: Simd>(work: &mut Work, pair: &Pair<'_, f64>, surface: &Surface) {
    work.restore::<S>(pair, surface);
}

dispatch!(verifies, verifies_body, (work: &mut Work, pair: &Pair<'_, f64>, surface: &Surface, answer: &Strict) -> bool);

#[inline(always)]
pub(super) fn verifies_body<S: Simd>(
    work: &mut Work,
    pair: &Pair<'_, f64>,
    surface: &Surface,
    answer: &Strict,
) -> bool {
    work.restore::<S>(pair, surface);
    // A triangle is of the facet where its corners are. A surface that is remembered has fewer vertices than these bits.
    let mut of_facet = 0_u64;
    for (k, eight) in surface.pairs_in_eights().iter().enumerate() {
        let a = belonging::<S>(pair.a, answer.features.a, eight.map(|[i, _]| i));
        let b = belonging::<S>(pair.b, answer.features.b, eight.map(|[_, j]| j));
        of_facet |= u64::from(a & b) << (WIDTH * k);
    }
    let in_facet = |t: [u8; 3]| t.iter().all(|&v| of_facet >> (v % 64) & 1 == 1);
    matches!(work.verdict::<S>(&certificate::claim(answer), None, in_facet), Verdict::Proven)
}

/// Bit `i`: vertex `i` of these belongs to the feature.
#[inline(always)]
fn belonging<S: Simd>(p: &Polyhedron, feature: Feature, vertices: [u32; WIDTH]) -> u8 {
    let vertices = V::<S>::load(&vertices.map(f64::from));
    let mut few = [0; 2];
    feature.vertices(p, &mut few).iter().fold(0, |all, &v| all | vertices.equals(V::splat(f64::from(v))).bits())
}

dispatch!(expand, expand_body, (work: &mut Work, triangle: usize, vertex: VertexPair, point: Vec3<f64>) -> bool);

#[inline(always)]
fn expand_body<S: Simd>(work: &mut Work, triangle: usize, vertex: VertexPair, point: Vec3<f64>) -> bool {
    work.expand::<S>(triangle, vertex, point)
}

impl Polytope {
    /// The surface; its memory is taken at the first call.
    pub(super) fn work(&mut self) -> &mut Work {
        self.0.get_or_insert_with(|| {
            REST.try_with(|rest| rest.borrow_mut().pop()).ok().flatten().unwrap_or_else(Work::new)
        })
    }

    /// Restarts from a tetrahedron; false where its volume is exactly 0.
    pub fn start(&mut self, pair: &Pair<'_, f64>, pairs: [VertexPair; 4]) -> bool {
        let work = self.work();
        work.clear(pair.size);
        work.start(pairs.map(|vertex| (vertex, pair.difference(vertex))))
    }

    /// Restarts from a remembered surface at a new pose.
    pub fn restore(&mut self, pair: &Pair<'_, f64>, surface: &Surface) {
        restore(self.work(), pair, surface);
    }

    /// Restarts from a remembered surface at a new pose; whether it proves the depth of a locally strict answer there.
    pub fn verifies(&mut self, pair: &Pair<'_, f64>, surface: &Surface, answer: &Strict) -> bool {
        verifies(self.work(), pair, surface, answer)
    }

    /// The surface without coordinates, its unused vertices and dead triangles dropped; false where it has more vertices
    /// than are remembered.
    pub fn remember(&mut self, surface: &mut Surface) -> bool {
        let work = self.work();
        let count = work.blocks().iter().map(|block| block.alive.count_ones() as usize).sum();
        // A closed surface around a point has twice as many triangles as vertices, less four: none is unused.
        let all = count + 4 == 2 * work.count;
        surface.take(&work.keys[..work.count], all, work.blocks(), count, !work.broken)
    }

    /// The living triangle nearest to the origin for which `skip` is false, and its plane's signed distance.
    pub fn nearest(&self, mut skip: impl FnMut(&[VertexPair; 3]) -> bool) -> Option<(usize, f64)> {
        let work = self.0.as_ref().filter(|work| !work.broken)?;
        let mut best: Option<(usize, f64)> = None;
        for (k, block) in work.blocks().iter().enumerate() {
            for (i, &square) in block.square.iter().enumerate() {
                let nearer = square < best.map_or(f64::INFINITY, |(_, least)| least);
                if nearer && !skip(&work.vertex_pairs(k * WIDTH + i)) {
                    best = Some((k * WIDTH + i, square));
                }
            }
        }
        best.map(|(triangle, square)| (triangle, square.abs().sqrt().copysign(square)))
    }

    /// The vertex pairs of a triangle.
    pub fn vertex_pairs(&self, triangle: usize) -> [VertexPair; 3] {
        self.0.as_ref().map_or([[0; 2]; 3], |work| work.vertex_pairs(triangle))
    }

    /// The outward unit normal of a triangle.
    pub fn normal(&self, triangle: usize) -> Vec3<f64> {
        self.0.as_ref().map_or(Vec3::ZERO, |work| work.normal(triangle).normalized())
    }

    /// Adds a vertex that lies beyond `triangle`: what it sees is replaced by a fan. False where the surface would
    /// break (rounding, or too many triangles).
    pub fn expand(&mut self, pair: &Pair<'_, f64>, triangle: usize, vertex: VertexPair) -> bool {
        expand(self.work(), triangle, vertex, pair.difference(vertex))
    }

    /// Whether the living triangles prove the claim (see `holds` in surface.rs for the argument).
    pub fn proves(&self, claim: &Claim, mut in_facet: impl FnMut(&[VertexPair; 3]) -> bool) -> bool {
        let proves = |work: &Work| {
            let in_facet = |t: [u8; 3]| in_facet(&t.map(|v| work.pair(v)));
            matches!(work.verdict::<Portable>(claim, None, in_facet), Verdict::Proven)
        };
        self.0.as_deref().is_some_and(proves)
    }
}
