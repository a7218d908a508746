//! A closed surface of triangles around the origin, with vertices in the Minkowski difference.

use super::facets::{self, Block, Side, WIDTH};
use super::level::{Baseline, Level, per_level};
use super::surface::{Claim, Surface, holds, set, side};
use crate::geometry::Vec3;
use crate::narrow::pair::{Pair, VertexPair};
use std::cell::Cell;

/// Vertices above which a surface is given up: the search is not converging. Their numbers fit a `u8`.
const VERTICES: usize = 256;

/// Blocks of triangles above which a surface is given up, dead triangles included.
const BLOCKS: usize = 512;

/// Triangles that a vertex may see.
const SEEN: usize = 255;

/// Room for the sides of so many triangles.
const SIDES: usize = 1024;

/// Vertices above which a remembered surface is not restored.
const RESTORED: usize = 64;

/// A surface at a pose, growing towards the boundary of the Minkowski difference (expanding polytope algorithm:
/// van den Bergen 2001; here grown from any start around the origin, also a remembered one).
///
/// An empty one holds no memory; its working memory is lent by the thread and goes back when it is dropped.
#[derive(Debug, Clone, Default)]
pub struct Polytope(Option<Box<Work>>);

thread_local! {
    /// Working memory at rest.
    static REST: Cell<Option<Box<Work>>> = const { Cell::new(None) };
}

impl Drop for Polytope {
    fn drop(&mut self) {
        if let Some(work) = self.0.take() {
            let _ = REST.try_with(|rest| rest.set(Some(work)));
        }
    }
}

/// The surface and what a step needs.
#[derive(Debug, Clone)]
pub(super) struct Work {
    /// Of the pair, metres.
    size: f64,
    /// Vertices, of which the first `count` are valid.
    pairs: [VertexPair; VERTICES],
    points: [Vec3<f64>; VERTICES],
    count: usize,
    /// Of which the first `used` are meant: the triangles, by their numbers, eight each.
    blocks: Vec<Block>,
    used: usize,
    /// The links are no longer those of a closed surface.
    broken: bool,
    rim: Rim,
    /// For two vertices of a surface to restore, the side from the first to the second.
    side_at: [u16; RESTORED * RESTORED],
}

/// What a vertex sees, and the sides around that.
#[derive(Debug, Clone)]
struct Rim {
    /// For each block the triangles seen.
    seen: [u8; BLOCKS],
    /// Their numbers.
    triangles: [u16; SEEN + 1],
    /// The sides around, of which the first `count` are valid: as seen from the triangle that stays, and their
    /// vertices as seen from within the hole.
    count: usize,
    sides: [Side; SIDES],
    /// The sides before and after.
    before: [u16; SIDES],
    after: [u16; SIDES],
    /// For a vertex, the side that starts there.
    at: [u16; VERTICES],
}

impl Work {
    fn new() -> Box<Self> {
        Box::new(Self {
            size: 0.0,
            pairs: [[0; 2]; VERTICES],
            points: [Vec3::ZERO; VERTICES],
            count: 0,
            blocks: vec![Block::EMPTY; 16],
            used: 0,
            broken: false,
            rim: Rim {
                seen: [0; BLOCKS],
                triangles: [0; SEEN + 1],
                count: 0,
                sides: [Side::default(); SIDES],
                before: [0; SIDES],
                after: [0; SIDES],
                at: [0; VERTICES],
            },
            side_at: [0; RESTORED * RESTORED],
        })
    }

    fn clear(&mut self, size: f64) {
        self.size = size;
        self.count = 0;
        self.used = 0;
        self.broken = false;
    }

    #[inline(always)]
    fn add_vertex(&mut self, vertex: VertexPair, point: Vec3<f64>) {
        self.pairs[self.count] = vertex;
        self.points[self.count] = point;
        self.count += 1;
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

    /// The nearest living triangle, and its plane's signed distance from the origin.
    #[inline(always)]
    pub(super) fn nearest<L: Level>(&self, level: L) -> Option<(usize, f64)> {
        if self.broken { None } else { facets::nearest(level, self.blocks()) }
    }

    /// The vertex pairs of a triangle.
    #[inline(always)]
    pub(super) fn vertex_pairs(&self, triangle: usize) -> [VertexPair; 3] {
        self.blocks[triangle / WIDTH].vertices(triangle % WIDTH).map(|v| self.pairs[usize::from(v)])
    }

    /// The outward unit normal of a triangle.
    #[inline(always)]
    pub(super) fn normal(&self, triangle: usize) -> Vec3<f64> {
        let (block, i) = (&self.blocks[triangle / WIDTH], triangle % WIDTH);
        Vec3 { x: block.normal[0][i], y: block.normal[1][i], z: block.normal[2][i] }
    }

    /// Adds a vertex at `point` that lies beyond `triangle`: what it sees is replaced by a fan. False where the surface
    /// would break (rounding, or too many triangles).
    #[inline(always)]
    pub(super) fn expand<L: Level>(
        &mut self,
        level: L,
        triangle: usize,
        vertex: VertexPair,
        point: Vec3<f64>,
    ) -> bool {
        let known = self.pairs[..self.count].iter().fold(false, |known, &p| known | (p == vertex));
        if known || self.broken || self.count == VERTICES || self.used >= BLOCKS {
            return false;
        }
        let apex = self.count as u8;
        self.add_vertex(vertex, point);
        let seen = self.see(level, triangle, point);
        self.broken = !self.find_rim(seen) && !self.find_rim_around(triangle, seen);
        if !self.broken {
            self.fan(apex, point);
        }
        !self.broken
    }

    /// Lists `triangle` and all that see the point; how many there are.
    #[inline(always)]
    fn see<L: Level>(&mut self, level: L, triangle: usize, point: Vec3<f64>) -> usize {
        let rim = &mut self.rim;
        let mut count = 0;
        for (k, block) in self.blocks[..self.used].iter().enumerate() {
            let own = if triangle / WIDTH == k { 1 << (triangle % WIDTH) } else { 0 };
            let mut seen = block.seeing(level, point) | own;
            rim.seen[k] = seen;
            while seen != 0 && count < SEEN {
                rim.triangles[count] = (k * WIDTH) as u16 + seen.trailing_zeros() as u16;
                seen &= seen - 1;
                count += 1;
            }
        }
        count
    }

    /// Lists the sides between the first `seen` triangles listed and the rest; false where they do not pass each vertex
    /// once.
    #[inline(always)]
    fn find_rim(&mut self, seen: usize) -> bool {
        let Self { rim, blocks, .. } = self;
        let mut count = 0;
        for &t in &rim.triangles[..seen] {
            for side in blocks[usize::from(t) / WIDTH].sides[usize::from(t) % WIDTH] {
                let across = usize::from(side.twin) / 4;
                rim.sides[count] = side;
                count += usize::from(rim.seen[across / WIDTH] >> (across % WIDTH) & 1 == 0);
            }
        }
        rim.count = count;
        for (k, side) in rim.sides[..count].iter().enumerate() {
            rim.at[usize::from(side.from)] = k as u16;
        }
        let mut good = seen < SEEN && count >= 3;
        for (k, side) in rim.sides[..count].iter().enumerate() {
            let after = rim.at[usize::from(side.to)];
            let next = rim.sides[usize::from(after) % SIDES];
            good &= usize::from(rim.at[usize::from(side.from)]) == k;
            good &= usize::from(after) < count && next.from == side.to;
            rim.after[k] = after;
            rim.before[usize::from(after) % SIDES] = k as u16;
        }
        good
    }

    /// As [`Work::find_rim`], of those listed only what hangs together with `triangle`: where a surface was placed at
    /// another pose and is no longer convex.
    #[cold]
    fn find_rim_around(&mut self, triangle: usize, seen: usize) -> bool {
        let Self { rim, blocks, used, .. } = self;
        if seen >= SEEN {
            return false;
        }
        let mut open = rim.seen;
        let mut count = 1;
        rim.triangles[0] = triangle as u16;
        open[triangle / WIDTH] &= !(1 << (triangle % WIDTH));
        let mut next = 0;
        while next < count {
            let t = usize::from(rim.triangles[next]);
            next += 1;
            for side in blocks[t / WIDTH].sides[t % WIDTH] {
                let across = usize::from(side.twin) / 4;
                if open[across / WIDTH] >> (across % WIDTH) & 1 == 1 {
                    open[across / WIDTH] &= !(1 << (across % WIDTH));
                    rim.triangles[count] = across as u16;
                    count += 1;
                }
            }
        }
        for (seen, open) in rim.seen[..*used].iter_mut().zip(open) {
            *seen &= !open;
        }
        self.find_rim(count)
    }

    /// Takes out what is seen; instead, one new triangle a side of the rim, from the side to the vertex `apex` at
    /// `point`. The triangle of side `k` is the `k`-th after those there are.
    #[inline(always)]
    fn fan(&mut self, apex: u8, point: Vec3<f64>) {
        let first = self.used * WIDTH;
        for (block, &seen) in self.blocks[..self.used].iter_mut().zip(&self.rim.seen) {
            block.remove(seen);
        }
        let number = |side: u16, k: u16| 4 * (first as u16 + side) + k;
        for (k, side) in self.rim.sides[..self.rim.count].iter().enumerate() {
            let (t, i) = (usize::from(side.twin) / 4, usize::from(side.twin) % 4);
            self.blocks[t / WIDTH].sides[t % WIDTH][i % 3].twin = number(k as u16, 0);
        }
        for done in (0..self.rim.count).step_by(WIDTH) {
            let count = (self.rim.count - done).min(WIDTH);
            let size = self.size;
            let mut corners = [[[0.0; WIDTH]; 3]; 3];
            for i in 0..WIDTH {
                let side = self.rim.sides[done + i.min(count - 1)];
                set(&mut corners[0], i, self.points[usize::from(side.from)]);
                set(&mut corners[1], i, self.points[usize::from(side.to)]);
                set(&mut corners[2], i, point);
            }
            let block = self.next_block();
            block.planes(&corners, count, size);
            block.alive = (0xff_u32 >> (WIDTH - count)) as u8;
            let block = self.used - 1;
            for i in 0..count {
                let side = self.rim.sides[done + i];
                let (after, before) = (self.rim.after[done + i], self.rim.before[done + i]);
                self.blocks[block].sides[i] = [
                    side,
                    Side { twin: number(after, 2), from: side.to, to: apex },
                    Side { twin: number(before, 1), from: apex, to: side.from },
                ];
            }
        }
    }

    /// Triangles with these vertices, linked by `twin`.
    #[inline(always)]
    fn add_triangles(&mut self, triangles: &[[u8; 3]], twin: impl Fn(usize) -> [u16; 3]) {
        for (k, eight) in triangles.chunks(WIDTH).enumerate() {
            let mut corners = [[[0.0; WIDTH]; 3]; 3];
            for (i, &v) in eight.iter().enumerate() {
                for (corner, v) in corners.iter_mut().zip(v) {
                    set(corner, i, self.points[usize::from(v)]);
                }
            }
            let size = self.size;
            let block = self.next_block();
            planes(block, &corners, eight.len(), size);
            block.alive = (0xff_u32 >> (WIDTH - eight.len())) as u8;
            for (i, v) in eight.iter().enumerate() {
                let twin = twin(k * WIDTH + i);
                block.sides[i] = [0, 1, 2].map(|s: usize| Side { twin: twin[s], from: v[s], to: v[(s + 1) % 3] });
            }
        }
    }

    /// Links a surface to restore; false where it is not closed.
    fn restore(&mut self, surface: &Surface) -> bool {
        let pairs = surface.pairs.len();
        if pairs > RESTORED || surface.triangles.len() > 2 * RESTORED {
            return false;
        }
        let mut triangles = [[0_u8; 3]; 2 * RESTORED];
        let mut twins = [[0_u16; 3]; 2 * RESTORED];
        let sides = |v: [u8; 3]| [0, 1, 2].map(|k: usize| (usize::from(v[k]), usize::from(v[(k + 1) % 3])));
        for (t, v) in surface.triangles.iter().enumerate() {
            if v.iter().any(|&v| usize::from(v) >= pairs) {
                return false;
            }
            triangles[t] = v.map(|v| v as u8);
            for (k, (from, to)) in sides(triangles[t]).into_iter().enumerate() {
                self.side_at[from * RESTORED + to] = (4 * t + k) as u16;
            }
        }
        let triangles = &triangles[..surface.triangles.len()];
        for (t, &v) in triangles.iter().enumerate() {
            for (k, (from, to)) in sides(v).into_iter().enumerate() {
                let twin = self.side_at[to * RESTORED + from];
                let (u, m) = (usize::from(twin) / 4, usize::from(twin) % 4);
                // What was written for another surface shows in that its side is another one.
                let there = triangles.get(u).is_some_and(|&v| m < 3 && sides(v)[m] == (to, from));
                if !there || self.side_at[from * RESTORED + to] != (4 * t + k) as u16 {
                    return false;
                }
                twins[t][k] = twin;
            }
        }
        self.add_triangles(triangles, |t| twins[t]);
        true
    }

    /// Lists what is left to prove of `claim` and lies nearest: the nearest living triangle that is not of the facet and
    /// not beyond `claim.others`.
    #[inline(always)]
    pub(super) fn verdict<L: Level>(
        &self,
        level: L,
        claim: &Claim,
        mut in_facet: impl FnMut(&[VertexPair; 3]) -> bool,
    ) -> Verdict {
        let (mut solid, mut proven) = (0, !self.broken);
        let mut rival: Option<(usize, f64)> = None;
        for (k, block) in self.blocks().iter().enumerate() {
            solid |= block.solid(level);
            let mut open = block.unproven(level, claim.others);
            while open != 0 {
                let i = open.trailing_zeros() as usize;
                open &= open - 1;
                let v = block.vertices(i);
                let [a, b, c] = v.map(|v| self.points[usize::from(v)]);
                let facet = in_facet(&v.map(|v| self.pairs[usize::from(v)]));
                proven &= holds(a, b, c, claim, || facet);
                let nearer = rival.is_none_or(|(_, d)| block.distance[i] < d);
                if !facet && nearer && block.distance[i] < claim.others {
                    rival = Some((k * WIDTH + i, block.distance[i]));
                }
            }
        }
        match rival {
            Some((triangle, distance)) => Verdict::Rival(triangle, distance),
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
    /// The nearest that is not of the facet and not beyond it, and its distance.
    Rival(usize, f64),
    /// Rounding leaves it open, or the claim is too bold.
    Open,
}

per_level! {
    fn planes / planes_body(block: &mut Block, corners: &facets::Corners, count: usize, size: f64) -> ();
}

#[inline(always)]
fn planes_body<L: Level>(_: L, block: &mut Block, corners: &facets::Corners, count: usize, size: f64) {
    block.planes(corners, count, size);
}

per_level! {
    fn expand / expand_body(work: &mut Work, triangle: usize, vertex: VertexPair, point: Vec3<f64>) -> bool;
}

#[inline(always)]
fn expand_body<L: Level>(level: L, work: &mut Work, triangle: usize, vertex: VertexPair, point: Vec3<f64>) -> bool {
    work.expand(level, triangle, vertex, point)
}

impl Polytope {
    /// The surface; its memory is taken at the first call.
    pub(super) fn work(&mut self) -> &mut Work {
        self.0.get_or_insert_with(|| REST.with(Cell::take).unwrap_or_else(Work::new))
    }

    /// Restarts from a tetrahedron; false where its volume is exactly 0.
    pub fn start(&mut self, pair: &Pair<'_, f64>, pairs: [VertexPair; 4]) -> bool {
        let work = self.work();
        work.clear(pair.size);
        for vertex in pairs {
            work.add_vertex(vertex, pair.difference(vertex));
        }
        let [a, b, c, d] = [work.points[0], work.points[1], work.points[2], work.points[3]];
        let volume = side(a, b, c, d);
        if volume == 0.0 || volume.is_nan() {
            return false;
        }
        // Faces with the outside towards the eye: if d is above abc, abc faces down and must be turned.
        let (x, y) = if volume > 0.0 { (2, 1) } else { (1, 2) };
        let faces = [[0, x, y], [0, y, 3], [y, x, 3], [x, 0, 3]];
        const TWINS: [[u16; 3]; 4] = [[12, 8, 4], [2, 10, 13], [1, 14, 5], [0, 6, 9]];
        work.add_triangles(&faces, |t| TWINS[t]);
        true
    }

    /// Restarts from a remembered surface whose vertices were looked up by [`Polytope::place`].
    pub fn restore(&mut self, surface: &Surface) {
        let work = self.work();
        work.broken = work.count != surface.pairs.len() || !work.restore(surface);
    }

    /// Looks up a remembered surface's vertices at a new pose; no triangles yet.
    pub fn place(&mut self, pair: &Pair<'_, f64>, surface: &Surface) -> &[Vec3<f64>] {
        let work = self.work();
        work.clear(pair.size);
        for &vertex in surface.pairs.iter().take(VERTICES) {
            work.add_vertex(vertex, pair.difference(vertex));
        }
        &work.points[..work.count]
    }

    /// The surface without coordinates, its unused vertices and dead triangles dropped.
    pub fn remember(&mut self, surface: &mut Surface) {
        surface.pairs.clear();
        surface.triangles.clear();
        let work = self.work();
        let living = work.blocks().iter().map(|block| block.alive.count_ones() as usize).sum();
        surface.triangles.reserve_exact(living);
        surface.pairs.reserve_exact(living / 2 + 2);
        let mut renumber = [u16::MAX; VERTICES];
        for block in work.blocks() {
            let mut alive = block.alive;
            while alive != 0 {
                let i = alive.trailing_zeros() as usize;
                alive &= alive - 1;
                surface.triangles.push(block.vertices(i).map(|v| {
                    let new = &mut renumber[usize::from(v)];
                    if *new == u16::MAX {
                        *new = surface.pairs.len() as u16;
                        surface.pairs.push(work.pairs[usize::from(v)]);
                    }
                    *new
                }));
            }
        }
    }

    /// The living triangle nearest to the origin for which `skip` is false, and its plane's signed distance.
    pub fn nearest(&self, mut skip: impl FnMut(&[VertexPair; 3]) -> bool) -> Option<(usize, f64)> {
        let work = self.0.as_ref().filter(|work| !work.broken)?;
        let mut best: Option<(usize, f64)> = None;
        for (k, block) in work.blocks().iter().enumerate() {
            for (i, &distance) in block.distance.iter().enumerate() {
                let nearer = distance < best.map_or(f64::INFINITY, |(_, d)| d);
                if nearer && !skip(&work.vertex_pairs(k * WIDTH + i)) {
                    best = Some((k * WIDTH + i, distance));
                }
            }
        }
        best
    }

    /// The vertex pairs of a triangle.
    pub fn vertex_pairs(&self, triangle: usize) -> [VertexPair; 3] {
        self.0.as_ref().map_or([[0; 2]; 3], |work| work.vertex_pairs(triangle))
    }

    /// The outward unit normal of a triangle.
    pub fn normal(&self, triangle: usize) -> Vec3<f64> {
        self.0.as_ref().map_or(Vec3::ZERO, |work| work.normal(triangle))
    }

    /// Adds a vertex that lies beyond `triangle`: what it sees is replaced by a fan. False where the surface would
    /// break (rounding, or too many triangles).
    pub fn expand(&mut self, pair: &Pair<'_, f64>, triangle: usize, vertex: VertexPair) -> bool {
        expand(self.work(), triangle, vertex, pair.difference(vertex))
    }

    /// Whether the living triangles prove the claim (see `holds` in surface.rs for the argument).
    pub fn proves(&self, claim: &Claim, in_facet: impl FnMut(&[VertexPair; 3]) -> bool) -> bool {
        self.0.as_ref().is_some_and(|work| matches!(work.verdict(Baseline, claim, in_facet), Verdict::Proven))
    }
}
