//! Scans over all vertices of a polyhedron: support, extremes, and the count that strictness needs.
//!
//! The loops are plain arithmetic over structure-of-arrays coordinates; the compiler vectorises them. On x86-64 the
//! same source is compiled for wider registers too and chosen once at run time. Every lane does the same operations
//! in the same order and nothing is contracted, so all versions return the same bits.

use crate::geometry::polyhedron::LANES;
use crate::geometry::{Polyhedron, Vec3};

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

#[inline(always)]
fn first_at_least_body(x: &[f64], y: &[f64], z: &[f64], d: [f64; 3], threshold: f64) -> usize {
    let chunks = x.chunks_exact(LANES).zip(y.chunks_exact(LANES)).zip(z.chunks_exact(LANES));
    for (k, ((x, y), z)) in chunks.enumerate() {
        let mut mask = 0_u32;
        for i in 0..LANES {
            let dot = x[i] * d[0] + y[i] * d[1] + z[i] * d[2];
            mask |= u32::from(dot >= threshold) << i;
        }
        if mask != 0 {
            return k * LANES + mask.trailing_zeros() as usize;
        }
    }
    0
}

/// The lowest vertex with the largest `d . v`, and that value. Padding never wins: it repeats vertex 0.
#[inline(always)]
fn support_body(x: &[f64], y: &[f64], z: &[f64], d: [f64; 3]) -> (u32, f64) {
    let (mut best, mut at) = ([f64::NEG_INFINITY; LANES], [0_u64; LANES]);
    let chunks = x.chunks_exact(LANES).zip(y.chunks_exact(LANES)).zip(z.chunks_exact(LANES));
    for (k, ((x, y), z)) in chunks.enumerate() {
        for i in 0..LANES {
            let dot = x[i] * d[0] + y[i] * d[1] + z[i] * d[2];
            at[i] = if dot > best[i] { (k * LANES) as u64 } else { at[i] };
            best[i] = if dot > best[i] { dot } else { best[i] };
        }
    }
    let max = best.into_iter().fold(f64::NEG_INFINITY, f64::max);
    let mut lowest = u64::MAX;
    for i in 0..LANES {
        let index = if best[i] >= max { at[i] + i as u64 } else { u64::MAX };
        lowest = lowest.min(index);
    }
    (if lowest == u64::MAX { 0 } else { lowest as u32 }, max)
}

/// Of both bodies of a pair, in one call.
#[inline(always)]
fn supports_body(a: &Polyhedron, d: [f64; 3], b: &Polyhedron, m: [f64; 3]) -> [(u32, f64); 2] {
    [support_body(&a.x, &a.y, &a.z, d), support_body(&b.x, &b.y, &b.z, m)]
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "code for wider registers may run only where the processor has them")]
mod wide {
    use crate::geometry::Polyhedron;

    macro_rules! versions {
        ($avx2:ident, $avx512:ident, $body:ident, ($($arg:ident: $ty:ty),*) -> $ret:ty) => {
            #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
            pub(super) unsafe fn $avx2($($arg: $ty),*) -> $ret {
                super::$body($($arg),*)
            }
            #[target_feature(enable = "avx512f,avx512vl,avx512dq,bmi1,bmi2,lzcnt,popcnt")]
            pub(super) unsafe fn $avx512($($arg: $ty),*) -> $ret {
                super::$body($($arg),*)
            }
        };
    }
    versions!(max_dot_2, max_dot_5, max_dot_body, (x: &[f64], y: &[f64], z: &[f64], d: [f64; 3]) -> f64);
    versions!(both_2, both_5, max_and_count_body, (x: &[f64], y: &[f64], z: &[f64], d: [f64; 3], t: f64) -> (f64, usize));
    versions!(one_2, one_5, support_body, (x: &[f64], y: &[f64], z: &[f64], d: [f64; 3]) -> (u32, f64));
    versions!(two_2, two_5, supports_body, (a: &Polyhedron, d: [f64; 3], b: &Polyhedron, m: [f64; 3]) -> [(u32, f64); 2]);
    versions!(first_2, first_5, first_at_least_body, (x: &[f64], y: &[f64], z: &[f64], d: [f64; 3], t: f64) -> usize);
}

#[cfg(target_arch = "x86_64")]
pub(super) use super::simd::level;

macro_rules! dispatch {
    ($baseline:ident, $avx2:ident, $avx512:ident, $($arg:expr),*) => {{
        #[cfg(target_arch = "x86_64")]
        #[allow(unsafe_code, reason = "the level was read from the processor")]
        // SAFETY: `level` says that the processor has the features the callee was compiled for.
        unsafe {
            match level() {
                2 => wide::$avx512($($arg),*),
                1 => wide::$avx2($($arg),*),
                _ => $baseline($($arg),*),
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        $baseline($($arg),*)
    }};
}

/// The name of the widest registers in use, for the manifest.
pub fn simd_level() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    return ["sse2", "avx2", "avx512"][usize::from(level())];
    #[cfg(not(target_arch = "x86_64"))]
    "baseline"
}

/// The largest `d . v` over all vertices.
#[inline]
pub fn max_dot(p: &Polyhedron, d: Vec3<f64>) -> f64 {
    let d = d.to_array();
    dispatch!(max_dot_body, max_dot_2, max_dot_5, &p.x, &p.y, &p.z, d)
}

/// The largest `d . v` over all vertices, and how many vertices have `d . v >= threshold`.
#[inline]
pub fn max_and_count(p: &Polyhedron, d: Vec3<f64>, threshold: f64) -> (f64, usize) {
    let d = d.to_array();
    let (max, counted) = dispatch!(max_and_count_body, both_2, both_5, &p.x, &p.y, &p.z, d, threshold);
    // The padding repeats vertex 0, and counts whenever vertex 0 does.
    let first = p.x[0] * d[0] + p.y[0] * d[1] + p.z[0] * d[2];
    (max, if first >= threshold { counted - (p.x.len() - p.count) } else { counted })
}

/// The lowest vertex with `d . v >= value`, `value` the largest `d . v`.
#[inline]
pub fn first_reaching(p: &Polyhedron, d: Vec3<f64>, value: f64) -> u32 {
    let d = d.to_array();
    dispatch!(first_at_least_body, first_2, first_5, &p.x, &p.y, &p.z, d, value) as u32
}

/// The lowest vertex with the largest `d . v`, and that value.
#[inline]
pub fn support(p: &Polyhedron, d: Vec3<f64>) -> (u32, f64) {
    let d = d.to_array();
    dispatch!(support_body, one_2, one_5, &p.x, &p.y, &p.z, d)
}

/// [`support`] of A along `d` and of B along `m`.
#[inline]
pub fn supports(a: &Polyhedron, d: Vec3<f64>, b: &Polyhedron, m: Vec3<f64>) -> [(u32, f64); 2] {
    let (d, m) = (d.to_array(), m.to_array());
    dispatch!(supports_body, two_2, two_5, a, d, b, m)
}

/// A vertex with the largest `d . v` found by walking along edges from `start`: fewer steps than a scan on polyhedra
/// of many vertices. In rounding it may stop at a vertex that is largest only to within a few ulp: good for a search,
/// never for a proof.
#[inline]
pub fn climb(p: &Polyhedron, d: Vec3<f64>, start: u32) -> (u32, f64) {
    let mut at = start;
    let mut value = p.vertex(at).dot(d);
    loop {
        let mut best = (at, value);
        for &n in p.neighbours_of(at) {
            let v = p.vertex(n).dot(d);
            if v > best.1 {
                best = (n, v);
            }
        }
        if best.0 == at {
            return best;
        }
        (at, value) = best;
    }
}
