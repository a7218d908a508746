//! From poses to boxes on the lattice.
//!
//! The box of a body in a sample is the tight `f64` box of the rotated core of its hull, inflated
//! by the hull's radius and by `within / 2`, and rounded outward to the lattice with one more cell
//! ([`Lattice`] says why that cell is there).

use super::boxes::{Boxes64, SweptBounds};
use super::lattice::Lattice;
use clearsweep_base::simd::{Level, dispatch};
use clearsweep_geometry::Polyhedron;
use clearsweep_geometry::pose::rotation;
use clearsweep_model::{SAMPLES, SampleColumn};

/// A symmetry of a core's vertices about the origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Symmetry {
    /// No symmetry is used.
    None,
    /// The negative of each vertex is a vertex, too. Only one of the two is listed.
    Central,
    /// The eight points (+-x, +-y, +-z); only the first is listed.
    Cuboid,
}

/// The vertices of a core from which its box in any orientation is computed.
///
/// Symmetries save work and change no bit of the result. Rounding is symmetric, so the two ends of
/// a symmetric core are the negatives of each other. Rounding is monotone, so among all signed sums
/// of products the sum of their magnitudes is the largest.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SupportVertices {
    x: Vec<f64>,
    y: Vec<f64>,
    z: Vec<f64>,
    symmetry: Symmetry,
}

/// Samples whose running extents stay in registers in the loop over the vertices.
const WIDTH: usize = 16;

impl SupportVertices {
    /// The vertices of a core, or the points around its round parts, reduced by symmetry.
    pub(super) fn new(core: &Polyhedron) -> Self {
        Self::of(core.corners().into_iter().map(|corner| corner.to_array().map(|c| c + 0.0)).collect())
    }

    /// The same without looking for symmetries, which does not pay for a few poses.
    pub(super) fn all(core: &Polyhedron) -> Self {
        let corners = core.corners();
        let column = |k: usize| corners.iter().map(|corner| corner[k] + 0.0).collect();
        Self { x: column(0), y: column(1), z: column(2), symmetry: Symmetry::None }
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

    /// The minimum and the maximum of `row . v` over all vertices v, in each lane. A row of NaN
    /// gives NaN ends, which the lattice turns into the largest box.
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

    /// The maximum of `row . v` over the vertices of a centrally symmetric core.
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

    /// The maximum of `row . v` over the vertices of a cuboid.
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

/// Makes the boxes of one body, or of static bodies of one shape.
#[derive(Debug, Clone, Copy)]
pub(super) struct BoxBuilder<'a> {
    pub(super) lattice: &'a Lattice,
    pub(super) support: &'a SupportVertices,
    /// Margin added on each side, metres: radius + within / 2.
    pub(super) margin: f64,
}

impl BoxBuilder<'_> {
    /// Writes the boxes of a body into `out`: from the pose components of its slot in the samples
    /// of the mask `present`, empty in the others. Returns their bounds over the first `samples`
    /// samples.
    pub(super) fn make(
        &self,
        simd: Level,
        pose: &[SampleColumn],
        present: u64,
        samples: usize,
        out: &mut Boxes64,
    ) -> SweptBounds {
        if present == 0 {
            *out = Boxes64::EMPTY;
            return SweptBounds::EMPTY;
        }
        make_at(simd, self, pose, present, samples, out)
    }

    /// The body of [`Self::make`], compiled once for each instruction set.
    #[inline(always)]
    fn make_lanes(&self, pose: &[SampleColumn], present: u64, samples: usize, out: &mut Boxes64) -> SweptBounds {
        let rows = rotations(pose);
        for axis in 0..3 {
            let (low, high) = self.extent([&rows[3 * axis], &rows[3 * axis + 1], &rows[3 * axis + 2]]);
            let (position, rest) = (&pose[axis].0, &pose[7 + axis].0);
            for s in 0..SAMPLES {
                let (low, high) = (position[s] + (low[s] + rest[s]), position[s] + (high[s] + rest[s]));
                out.columns[axis][s] = self.lattice.lower(axis, low - self.margin);
                out.columns[axis + 3][s] = self.lattice.upper(axis, high + self.margin);
            }
        }
        let mut absent = !present;
        while absent != 0 {
            out.clear(absent.trailing_zeros() as usize);
            absent &= absent - 1;
        }
        out.sweep(0..samples)
    }

    /// The ends of the rotated core along the axis that has this row of the rotation matrix, in
    /// each sample.
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

#[inline(always)]
fn make_body(
    builder: &BoxBuilder<'_>,
    pose: &[SampleColumn],
    present: u64,
    samples: usize,
    out: &mut Boxes64,
) -> SweptBounds {
    builder.make_lanes(pose, present, samples, out)
}

dispatch!(loops at make_at, make_body, (b: &BoxBuilder<'_>, pose: &[SampleColumn], present: u64, samples: usize, out: &mut Boxes64) -> SweptBounds);

/// Both ends of an interval that is symmetric about 0.
#[inline(always)]
fn both_ends(high: [f64; WIDTH]) -> ([f64; WIDTH], [f64; WIDTH]) {
    let mut low = high;
    for v in &mut low {
        *v = -*v;
    }
    (low, high)
}

/// The nine entries of the rotation matrices, row by row, in each sample.
#[inline(always)]
fn rotations(pose: &[SampleColumn]) -> [[f64; SAMPLES]; 9] {
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
            let short = SupportVertices::of(all.clone());
            assert_eq!(short.symmetry, if count == 0 { Symmetry::Cuboid } else { Symmetry::Central });
            assert_eq!(SupportVertices::of(all[1..].to_vec()).symmetry, Symmetry::None);
            let column = |k: usize| all.iter().map(|v| v[k]).collect();
            let whole = SupportVertices { x: column(0), y: column(1), z: column(2), symmetry: Symmetry::None };
            let mut pose = [SampleColumn::default(); 10];
            pose.iter_mut().flat_map(|lanes| &mut lanes.0).for_each(|v| *v = next());
            let present = u64::MAX ^ 1 << 3 ^ 1 << 63;
            let mut first = None;
            for simd in Level::available() {
                for support in [&short, &whole] {
                    let mut boxes = Boxes64::EMPTY;
                    let maker = BoxBuilder { lattice: &lattice, support, margin: 0.1 };
                    let sweep = maker.make(simd, &pose, present, 60, &mut boxes);
                    assert!(boxes.get(3).is_empty() && boxes.get(63).is_empty() && !boxes.get(62).is_empty());
                    assert_eq!(sweep, boxes.sweep(0..60), "{simd:?}");
                    assert_eq!(*first.get_or_insert(boxes), boxes, "{simd:?}, {count} vertices");
                }
            }
        }
    }
}
