//! Supports of a search, by registers: scans over all vertices, and climbs along edges on large polyhedra.
//!
//! Generic over the level, for code that was compiled for it. Good for a search, never for a proof: in rounding a climb may
//! stop at a vertex that is highest only to within a few ulp.

use super::pair::{CLIMB_ABOVE, VertexPair};
use super::simd::{P3, Simd, V, WIDTH, dispatch};
use crate::geometry::{Polyhedron, Vec3};

/// A vertex farthest along `d`, and how far that is.
#[inline(always)]
pub(super) fn farthest<S: Simd>(p: &Polyhedron, d: [f64; 3], start: u32) -> (u32, f64) {
    if p.count > CLIMB_ABOVE && !p.star_start.is_empty() { climb::<S>(p, d, start) } else { scan::<S>(p, d) }
}

/// A vertex farthest along the direction of each lane, as a number, and how far that is.
#[inline(always)]
pub(super) fn farthest_of_all<S: Simd>(p: &Polyhedron, d: P3<S>) -> (V<S>, V<S>) {
    let (mut best, mut at) = (V::<S>::splat(f64::NEG_INFINITY), V::<S>::splat(0.0));
    let (mut number, one) = (V::<S>::splat(0.0), V::splat(1.0));
    for ((&x, &y), &z) in p.x[..p.count].iter().zip(&p.y[..p.count]).zip(&p.z[..p.count]) {
        let height = d.x.scaled(x) + d.y.scaled(y) + d.z.scaled(z);
        at = best.lt(height).pick(number, at);
        best = best.larger(height);
        number = number + one;
    }
    (at, best)
}

#[inline(always)]
fn scan<S: Simd>(p: &Polyhedron, d: [f64; 3]) -> (u32, f64) {
    let d = P3::<S> { x: V::splat(d[0]), y: V::splat(d[1]), z: V::splat(d[2]) };
    if let (&[x], &[y], &[z]) = (p.x.as_chunks().0, p.y.as_chunks().0, p.z.as_chunks().0) {
        let height = P3 { x: V::load(&x), y: V::load(&y), z: V::load(&z) }.dot(d);
        let max = height.max_lane();
        let at = height.equals(V::splat(max)).bits().trailing_zeros();
        // The padding repeats vertex 0, which comes first.
        return (at % WIDTH as u32, max);
    }
    let blocks = p.x.as_chunks().0.iter().zip(p.y.as_chunks().0).zip(p.z.as_chunks().0);
    let (mut best, mut block) = (V::<S>::splat(f64::NEG_INFINITY), V::<S>::splat(0.0));
    // Counted in a register: turning an index into a number costs more than the products.
    let (mut number, one) = (V::<S>::splat(0.0), V::splat(1.0));
    for ((x, y), z) in blocks {
        let height = P3 { x: V::load(x), y: V::load(y), z: V::load(z) }.dot(d);
        let higher = best.lt(height);
        best = higher.pick(height, best);
        block = higher.pick(number, block);
        number = number + one;
    }
    let max = best.max_lane();
    let lane = best.equals(V::splat(max)).bits().trailing_zeros() as usize;
    let at = block.lanes()[lane.min(WIDTH - 1)] as usize * WIDTH + lane;
    // The padding repeats vertex 0.
    (if at < p.count { at as u32 } else { 0 }, max)
}

#[inline(always)]
fn climb<S: Simd>(p: &Polyhedron, d: [f64; 3], start: u32) -> (u32, f64) {
    let direction = Vec3 { x: d[0], y: d[1], z: d[2] };
    let (mut at, mut max) = (start, p.vertex(start).dot(direction));
    let lanes = P3::<S>::splat(direction);
    // Where the start is not yet the top, the table most likely names a vertex nearer to it.
    let mut table = true;
    loop {
        let from = at;
        for (i, star) in p.star(from).iter().enumerate() {
            let height = P3::load(star).dot(lanes);
            let top = height.max_lane();
            if top > max {
                let lane = height.equals(V::splat(top)).bits().trailing_zeros() as usize;
                if let Some(&v) = p.neighbours_of(from).get(i * WIDTH + lane) {
                    (at, max) = (v, top);
                }
            }
        }
        if at == from {
            return (at, max);
        }
        if std::mem::take(&mut table)
            && let Some(near) = p.near(direction)
        {
            let height = p.vertex(near).dot(direction);
            (at, max) = if height > max { (near, height) } else { (at, max) };
        }
    }
}

#[inline(always)]
fn both_body<S: Simd>(
    a: &Polyhedron,
    d: Vec3<f64>,
    b: &Polyhedron,
    m: Vec3<f64>,
    start: VertexPair,
) -> [(u32, f64); 2] {
    [farthest::<S>(a, d.to_array(), start[0]), farthest::<S>(b, m.to_array(), start[1])]
}

dispatch!(both_wide, both_body, (a: &Polyhedron, d: Vec3<f64>, b: &Polyhedron, m: Vec3<f64>, start: VertexPair) -> [(u32, f64); 2]);

/// A vertex of A farthest along `d`, and one of B farthest along `m`, and how far they are; climbs start at `start`.
pub(super) fn both(a: &Polyhedron, d: Vec3<f64>, b: &Polyhedron, m: Vec3<f64>, start: VertexPair) -> [(u32, f64); 2] {
    both_wide(a, d, b, m, start)
}
