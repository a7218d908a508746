//! Supports of convex polyhedra: the vertex farthest along a direction, by scans over all vertices or by climbs along edges.
//!
//! A scan is a proof. A climb is good for a search only: in rounding it may stop at a vertex that is farthest only to within
//! a few ulp. Every lane does the same operations in the same order and nothing is contracted, so all levels return the same bits.

use super::pair::{CLIMB_ABOVE, VertexPair};
use crate::geometry::polyhedron::LANES;
use crate::geometry::{Polyhedron, Vec3};
use crate::simd::{P3, Simd, V, WIDTH, dispatch};

#[inline(always)]
fn max_dot_body(x: &[f64], y: &[f64], z: &[f64], d: [f64; 3]) -> f64 {
    let mut best = [f64::NEG_INFINITY; LANES];
    let chunks = x.chunks_exact(LANES).zip(y.chunks_exact(LANES)).zip(z.chunks_exact(LANES));
    for ((x, y), z) in chunks {
        for i in 0..LANES {
            let dot = x[i] * d[0] + y[i] * d[1] + z[i] * d[2];
            best[i] = if dot > best[i] { dot } else { best[i] };
        }
    }
    best.into_iter().fold(f64::NEG_INFINITY, f64::max)
}

dispatch!(loops max_dot_wide, max_dot_body, (x: &[f64], y: &[f64], z: &[f64], d: [f64; 3]) -> f64);

/// The largest `d . v` over all vertices: a proof.
#[inline]
pub(super) fn max_dot(p: &Polyhedron, d: Vec3<f64>) -> f64 {
    max_dot_wide(&p.x, &p.y, &p.z, d.to_array())
}

#[inline(always)]
fn max_and_count_body(x: &[f64], y: &[f64], z: &[f64], d: [f64; 3], threshold: f64) -> (f64, usize) {
    let mut best = [f64::NEG_INFINITY; LANES];
    let mut counts = [0_u64; LANES];
    let chunks = x.chunks_exact(LANES).zip(y.chunks_exact(LANES)).zip(z.chunks_exact(LANES));
    for ((x, y), z) in chunks {
        for i in 0..LANES {
            let dot = x[i] * d[0] + y[i] * d[1] + z[i] * d[2];
            best[i] = if dot > best[i] { dot } else { best[i] };
            counts[i] += u64::from(dot >= threshold);
        }
    }
    (best.into_iter().fold(f64::NEG_INFINITY, f64::max), counts.iter().sum::<u64>() as usize)
}

dispatch!(loops max_and_count_wide, max_and_count_body, (x: &[f64], y: &[f64], z: &[f64], d: [f64; 3], t: f64) -> (f64, usize));

/// The largest `d . v` over all vertices, and how many vertices have `d . v >= threshold`.
#[inline]
pub(super) fn max_and_count(p: &Polyhedron, d: Vec3<f64>, threshold: f64) -> (f64, usize) {
    let d = d.to_array();
    let (max, counted) = max_and_count_wide(&p.x, &p.y, &p.z, d, threshold);
    // The padding repeats vertex 0, and counts whenever vertex 0 does.
    let first = p.x[0] * d[0] + p.y[0] * d[1] + p.z[0] * d[2];
    (max, if first >= threshold { counted - (p.x.len() - p.count) } else { counted })
}

/// A vertex farthest along `d`, and how far that is; a climb starts at `start`. By a scan it is the lowest such vertex.
#[inline(always)]
pub(super) fn support<S: Simd>(p: &Polyhedron, d: Vec3<f64>, start: u32) -> (u32, f64) {
    if p.count > CLIMB_ABOVE && !p.star_start.is_empty() { climb::<S>(p, d, start) } else { scan::<S>(p, d) }
}

/// A vertex farthest along the direction of each lane, as a number, and how far that is.
#[inline(always)]
pub(super) fn support_each<S: Simd>(p: &Polyhedron, d: P3<S>) -> (V<S>, V<S>) {
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
fn scan<S: Simd>(p: &Polyhedron, d: Vec3<f64>) -> (u32, f64) {
    let d = P3::<S>::splat(d);
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
    let (blocks, mut lanes, mut lowest) = (block.lanes(), best.equals(V::splat(max)).bits(), usize::MAX);
    while lanes != 0 {
        let lane = lanes.trailing_zeros() as usize % WIDTH;
        lanes &= lanes - 1;
        lowest = lowest.min(blocks[lane] as usize * WIDTH + lane);
    }
    // The padding repeats vertex 0, and nothing is found where `d` is no number.
    (if lowest < p.count { lowest as u32 } else { 0 }, max)
}

#[inline(always)]
fn climb<S: Simd>(p: &Polyhedron, direction: Vec3<f64>, start: u32) -> (u32, f64) {
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
fn supports_body<S: Simd>(
    (a, d): (&Polyhedron, Vec3<f64>),
    (b, m): (&Polyhedron, Vec3<f64>),
    start: VertexPair,
) -> [(u32, f64); 2] {
    [support::<S>(a, d, start[0]), support::<S>(b, m, start[1])]
}

dispatch!(supports_wide, supports_body, (of_a: (&Polyhedron, Vec3<f64>), of_b: (&Polyhedron, Vec3<f64>), start: VertexPair) -> [(u32, f64); 2]);

/// [`support`] of A along `d` and of B along `m`.
#[inline]
pub(super) fn supports(
    of_a: (&Polyhedron, Vec3<f64>),
    of_b: (&Polyhedron, Vec3<f64>),
    start: VertexPair,
) -> [(u32, f64); 2] {
    supports_wide(of_a, of_b, start)
}

#[inline(always)]
fn reaching_body<S: Simd>(p: &Polyhedron, d: Vec3<f64>, least: f64, out: &mut Vec<u32>) {
    let (d, least) = (P3::<S>::splat(d), V::<S>::splat(least));
    let blocks = p.x.as_chunks().0.iter().zip(p.y.as_chunks().0).zip(p.z.as_chunks().0);
    for (i, ((x, y), z)) in blocks.enumerate() {
        let mut bits = P3 { x: V::load(x), y: V::load(y), z: V::load(z) }.dot(d).ge(least).bits();
        while bits != 0 {
            let v = i * WIDTH + bits.trailing_zeros() as usize;
            bits &= bits - 1;
            // The padding repeats vertex 0.
            if v < p.count {
                out.push(v as u32);
            }
        }
    }
}

dispatch!(reaching_wide, reaching_body, (p: &Polyhedron, d: Vec3<f64>, least: f64, out: &mut Vec<u32>) -> ());

/// The vertices with `d . v >= least`, ascending.
pub(super) fn reaching(p: &Polyhedron, d: Vec3<f64>, least: f64) -> Vec<u32> {
    let mut out = Vec::new();
    reaching_wide(p, d, least, &mut out);
    out
}
