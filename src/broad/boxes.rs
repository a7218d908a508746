//! The box of a body in a sample, on the lattice.
//!
//! A box is the tight `f64` box of the rotated core of the body's hull, grown by its radius and by `within / 2`, then
//! rounded outward to the lattice with one more cell. This file is the only place where boxes are made: whatever
//! searches them, on whatever device, gets these integers.

use super::lattice::Lattice;
use super::overlap::Columns;
use super::simd::Simd;
use crate::geometry::Polyhedron;
use crate::geometry::pose::rotation;
use crate::scene::{Lanes, SAMPLES};
use std::ops::Range;

/// A box on the lattice; both ends belong to it. Empty (overlapping nothing) where `min > max`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LatticeBox {
    /// Lowest coordinates, 1..u32::MAX where not empty.
    pub min: [u32; 3],
    /// Highest coordinates, 1..u32::MAX where not empty.
    pub max: [u32; 3],
}

impl LatticeBox {
    /// The box of nothing. Since no coordinate of a box is 0 or `u32::MAX`, it overlaps no box, not even the largest.
    pub const EMPTY: Self = Self { min: [u32::MAX; 3], max: [0; 3] };

    /// Whether two boxes share a lattice point.
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        (0..3).all(|k| self.min[k] <= other.max[k] && other.min[k] <= self.max[k])
    }

    /// Whether it overlaps nothing at all.
    #[inline]
    pub fn is_empty(&self) -> bool {
        (0..3).any(|k| self.min[k] > self.max[k])
    }
}

/// The boxes of one body in the 64 samples of a block, or of 64 bodies.
#[derive(Debug, Clone, PartialEq, Eq)]
#[repr(align(64))]
pub struct Boxes64 {
    /// min x, y, z, max x, y, z.
    pub columns: [[u32; SAMPLES]; 6],
}

impl Boxes64 {
    /// All empty.
    pub const EMPTY: Self =
        Self { columns: [[u32::MAX; 64], [u32::MAX; 64], [u32::MAX; 64], [0; 64], [0; 64], [0; 64]] };

    /// The box in a sample.
    #[inline]
    pub fn get(&self, sample: usize) -> LatticeBox {
        let at = |k: usize| self.columns[k][sample];
        LatticeBox { min: [at(0), at(1), at(2)], max: [at(3), at(4), at(5)] }
    }

    /// The columns as the overlap kernels take them.
    #[inline]
    pub(super) fn view(&self) -> Columns<'_> {
        self.columns.each_ref()
    }

    /// [`Self::sweep`] with the widest instructions.
    pub(super) fn sweep_with(&self, simd: Simd, range: Range<usize>) -> Sweep {
        match simd {
            Simd::Plain => self.sweep(range),
            #[cfg(target_arch = "x86_64")]
            #[allow(unsafe_code, reason = "Simd::detect found the instructions on this machine")]
            Simd::Avx2 => unsafe { self.sweep_avx2(range) },
            #[cfg(target_arch = "x86_64")]
            #[allow(unsafe_code, reason = "Simd::detect found the instructions on this machine")]
            Simd::Avx512 => unsafe { self.sweep_avx512(range) },
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn sweep_avx2(&self, range: Range<usize>) -> Sweep {
        self.sweep(range)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f")]
    fn sweep_avx512(&self, range: Range<usize>) -> Sweep {
        self.sweep(range)
    }

    /// The boxes swept over a range of samples.
    #[inline(always)]
    pub fn sweep(&self, range: Range<usize>) -> Sweep {
        let mut sweep = Sweep { hull: LatticeBox::EMPTY, core: LatticeBox { min: [0; 3], max: [u32::MAX; 3] } };
        for k in 0..3 {
            for &v in &self.columns[k][range.clone()] {
                sweep.hull.min[k] = sweep.hull.min[k].min(v);
                sweep.core.min[k] = sweep.core.min[k].max(v);
            }
            for &v in &self.columns[k + 3][range.clone()] {
                sweep.hull.max[k] = sweep.hull.max[k].max(v);
                sweep.core.max[k] = sweep.core.max[k].min(v);
            }
        }
        sweep
    }
}

/// What the boxes of a body amount to over a range of samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sweep {
    /// Contains every box: pairs of bodies whose hulls are disjoint overlap in no sample.
    pub hull: LatticeBox,
    /// Latest beginning and earliest end along each axis (`min > max` is possible): pairs whose cores pass the overlap
    /// test overlap in *every* sample. An absence in the range makes it empty.
    pub core: LatticeBox,
}

impl Sweep {
    /// Of a body that is absent throughout.
    pub(super) const EMPTY: Self = Self { hull: LatticeBox::EMPTY, core: LatticeBox::EMPTY };
}

/// What is known about the vertices of a core beyond their coordinates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Symmetry {
    /// Nothing.
    None,
    /// With each vertex, its negative is one too, and only one of the two is listed.
    Central,
    /// The eight points (+-x, +-y, +-z), of which the first is listed.
    Cuboid,
}

/// The vertices that decide the box of a rotated core.
///
/// Symmetries save work and change no bit of the result: rounding is symmetric, so the ends of a symmetric core are
/// minus each other; and it is monotone, so of all sums of products with signs the sum of their magnitudes is largest.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Support {
    x: Vec<f64>,
    y: Vec<f64>,
    z: Vec<f64>,
    symmetry: Symmetry,
}

/// Lanes that stay in registers while the vertices pass by.
const WIDTH: usize = 16;

impl Support {
    /// The support of a core.
    pub(super) fn new(core: &Polyhedron) -> Self {
        Self::of((0..core.count).map(|i| [core.x[i] + 0.0, core.y[i] + 0.0, core.z[i] + 0.0]).collect())
    }

    fn of(mut all: Vec<[f64; 3]>) -> Self {
        if all.is_empty() {
            all.push([0.0; 3]);
        }
        let order =
            |a: &[f64; 3], b: &[f64; 3]| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])).then(a[2].total_cmp(&b[2]));
        let negative = |v: &[f64; 3]| v.map(|c| 0.0 - c);
        all.sort_by(order);
        all.dedup_by(|a, b| order(a, b).is_eq());
        let mut symmetry = Symmetry::None;
        if all.iter().all(|v| all.binary_search_by(|w| order(w, &negative(v))).is_ok()) {
            symmetry = Symmetry::Central;
            all.retain(|v| order(v, &negative(v)).is_ge());
            let size = all[0].map(f64::abs);
            if all.len() == 4 && all.iter().all(|v| v.map(f64::abs) == size) {
                symmetry = Symmetry::Cuboid; // four distinct points up to sign: all there are
                all = vec![size];
            }
        }
        let column = |k: usize| all.iter().map(|v| v[k]).collect();
        Self { x: column(0), y: column(1), z: column(2), symmetry }
    }

    /// Lowest and highest of `row . v` over all vertices v. A row that is not a number gives ends that are none: their
    /// box becomes the largest.
    #[inline(always)]
    fn extent(&self, row: &[[f64; WIDTH]; 3]) -> ([f64; WIDTH], [f64; WIDTH]) {
        let mut low = [f64::INFINITY; WIDTH];
        let mut high = [f64::NEG_INFINITY; WIDTH];
        for ((&x, &y), &z) in self.x.iter().zip(&self.y).zip(&self.z) {
            for i in 0..WIDTH {
                let p = row[0][i] * x + row[1][i] * y + row[2][i] * z;
                low[i] = if low[i] < p { low[i] } else { p };
                high[i] = if high[i] > p { high[i] } else { p };
            }
        }
        (low, high)
    }

    /// The highest only, of a centrally symmetric core.
    #[inline(always)]
    fn half_extent(&self, row: &[[f64; WIDTH]; 3]) -> [f64; WIDTH] {
        let mut high = [f64::NEG_INFINITY; WIDTH];
        for ((&x, &y), &z) in self.x.iter().zip(&self.y).zip(&self.z) {
            for i in 0..WIDTH {
                let p = (row[0][i] * x + row[1][i] * y + row[2][i] * z).abs();
                high[i] = if high[i] > p { high[i] } else { p };
            }
        }
        high
    }

    /// The highest only, of a cuboid.
    #[inline(always)]
    fn cuboid_extent(&self, row: &[[f64; WIDTH]; 3]) -> [f64; WIDTH] {
        let (x, y, z) = (self.x[0], self.y[0], self.z[0]);
        let mut high = [0.0; WIDTH];
        for i in 0..WIDTH {
            high[i] = (row[0][i] * x).abs() + (row[1][i] * y).abs() + (row[2][i] * z).abs();
        }
        high
    }
}

/// How boxes are made: the lattice, the support of the body and its growth, metres (radius + within / 2).
#[derive(Debug, Clone, Copy)]
pub(super) struct Maker<'a> {
    pub(super) lattice: &'a Lattice,
    pub(super) support: &'a Support,
    pub(super) grow: f64,
}

impl Maker<'_> {
    /// The boxes of a body from the components of its slot, in the samples `present`; empty in the others. Returns
    /// them swept over the first `samples` samples.
    pub(super) fn make(&self, simd: Simd, pose: &[Lanes], present: u64, samples: usize, out: &mut Boxes64) -> Sweep {
        if present == 0 {
            *out = Boxes64::EMPTY;
            return Sweep::EMPTY;
        }
        match simd {
            Simd::Plain => self.make_lanes(pose, present, samples, out),
            #[cfg(target_arch = "x86_64")]
            #[allow(unsafe_code, reason = "Simd::detect found the instructions on this machine")]
            Simd::Avx2 => unsafe { self.make_avx2(pose, present, samples, out) },
            #[cfg(target_arch = "x86_64")]
            #[allow(unsafe_code, reason = "Simd::detect found the instructions on this machine")]
            Simd::Avx512 => unsafe { self.make_avx512(pose, present, samples, out) },
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn make_avx2(&self, pose: &[Lanes], present: u64, samples: usize, out: &mut Boxes64) -> Sweep {
        self.make_lanes(pose, present, samples, out)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f")]
    fn make_avx512(&self, pose: &[Lanes], present: u64, samples: usize, out: &mut Boxes64) -> Sweep {
        self.make_lanes(pose, present, samples, out)
    }

    /// The one piece of code that makes boxes; its clones differ in the width of the instructions only.
    #[inline(always)]
    fn make_lanes(&self, pose: &[Lanes], present: u64, samples: usize, out: &mut Boxes64) -> Sweep {
        let rows = rotations(pose);
        for axis in 0..3 {
            let (low, high) = self.extent([&rows[3 * axis], &rows[3 * axis + 1], &rows[3 * axis + 2]]);
            let (position, rest) = (&pose[axis].0, &pose[7 + axis].0);
            for s in 0..SAMPLES {
                let (low, high) = (position[s] + (low[s] + rest[s]), position[s] + (high[s] + rest[s]));
                out.columns[axis][s] = self.lattice.lower(axis, low - self.grow);
                out.columns[axis + 3][s] = self.lattice.upper(axis, high + self.grow);
            }
        }
        let mut absent = !present;
        while absent != 0 {
            let s = absent.trailing_zeros() as usize;
            for k in 0..3 {
                (out.columns[k][s], out.columns[k + 3][s]) = (u32::MAX, 0);
            }
            absent &= absent - 1;
        }
        out.sweep(0..samples)
    }

    /// Lowest and highest component of the rotated core along the axis with these rotation rows, in each sample.
    #[inline(always)]
    fn extent(&self, row: [&[f64; SAMPLES]; 3]) -> ([f64; SAMPLES], [f64; SAMPLES]) {
        let (mut low, mut high) = ([0.0; SAMPLES], [0.0; SAMPLES]);
        for at in (0..SAMPLES).step_by(WIDTH) {
            let mut part = [[0.0; WIDTH]; 3];
            for k in 0..3 {
                part[k].copy_from_slice(&row[k][at..at + WIDTH]);
            }
            let (bottom, top) = match self.support.symmetry {
                Symmetry::None => self.support.extent(&part),
                Symmetry::Central => both_ends(self.support.half_extent(&part)),
                Symmetry::Cuboid => both_ends(self.support.cuboid_extent(&part)),
            };
            low[at..at + WIDTH].copy_from_slice(&bottom);
            high[at..at + WIDTH].copy_from_slice(&top);
        }
        (low, high)
    }
}

/// The ends of a symmetric interval.
#[inline(always)]
fn both_ends(high: [f64; WIDTH]) -> ([f64; WIDTH], [f64; WIDTH]) {
    let mut low = high;
    for v in &mut low {
        *v = -*v;
    }
    (low, high)
}

/// The nine entries of the rotations, row by row, in each sample.
#[inline(always)]
fn rotations(pose: &[Lanes]) -> [[f64; SAMPLES]; 9] {
    let mut rows = [[0.0; SAMPLES]; 9];
    for s in 0..SAMPLES {
        let r = rotation([pose[3].0[s], pose[4].0[s], pose[5].0[s], pose[6].0[s]]);
        for k in 0..3 {
            rows[3 * k][s] = r[k].x;
            rows[3 * k + 1][s] = r[k].y;
            rows[3 * k + 2][s] = r[k].z;
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_instruction_sets_make_equal_boxes_and_symmetry_changes_nothing() {
        let mut state = 1_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        let lattice = Lattice::covering([-3.0; 3], [3.0; 3]);
        let corners = |[x, y, z]: [f64; 3]| [[x, y, z], [-x, y, z], [x, -y, z], [x, y, -z]];
        for count in [1, 2, 4, 7, 100, 0] {
            let mut half: Vec<[f64; 3]> = (0..count).map(|_| [next(), next(), next()]).collect();
            if count == 0 {
                half = corners([0.3, 0.7, 0.123]).to_vec();
            }
            let all: Vec<[f64; 3]> = half.iter().flat_map(|v| [*v, v.map(|c| -c)]).collect();
            let short = Support::of(all.clone());
            assert_eq!(short.symmetry, if count == 0 { Symmetry::Cuboid } else { Symmetry::Central });
            assert_eq!(Support::of(all[1..].to_vec()).symmetry, Symmetry::None);
            let column = |k: usize| all.iter().map(|v| v[k]).collect();
            let whole = Support { x: column(0), y: column(1), z: column(2), symmetry: Symmetry::None };
            let mut pose = [Lanes::default(); 10];
            pose.iter_mut().flat_map(|lanes| &mut lanes.0).for_each(|v| *v = next());
            let present = u64::MAX ^ 1 << 3 ^ 1 << 63;
            let mut first = None;
            for simd in Simd::all() {
                for support in [&short, &whole] {
                    let mut boxes = Boxes64::EMPTY;
                    let maker = Maker { lattice: &lattice, support, grow: 0.1 };
                    let sweep = maker.make(simd, &pose, present, 60, &mut boxes);
                    assert!(boxes.get(3).is_empty() && boxes.get(63).is_empty() && !boxes.get(62).is_empty());
                    assert_eq!(sweep, boxes.sweep(0..60), "{simd:?}");
                    assert_eq!(*first.get_or_insert_with(|| boxes.clone()), boxes, "{simd:?}, {count} vertices");
                }
            }
        }
    }
}
