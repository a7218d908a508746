//! The lattice of a job, on which boxes have integer coordinates.

use clearsweep_geometry::Vec3;
use clearsweep_model::{Bounds, Motion, Scene};

/// The most cells that the extent of the input covers along its longest axis. As many again lie
/// outside of it.
const CELLS: f64 = 2_147_483_648.0; // 2^31
/// The number of cells between the origin of the lattice and the lowest point of the input.
const MARGIN: f64 = 1_073_741_824.0; // 2^30
/// The most cells in the magnitude of a coordinate, so that a cell is coarser than any rounding
/// error. See [`Lattice`].
const RESOLUTION: f64 = 1_099_511_627_776.0; // 2^40
/// The length to which longer ones are clamped, metres, so that differences and sums stay finite.
const FAR: f64 = 1e300;
/// The finest spacing, metres. A scene that is one point at the origin needs some spacing, too.
const FINEST: f64 = 1e-240;
/// The lowest coordinate of a box. 0 is reserved for the empty box.
const LOW: f64 = 1.0;
/// The highest coordinate of a box. `u32::MAX` is reserved for the empty box.
const HIGH: f64 = 4_294_967_294.0;

/// A cubic lattice over the world, with saturating coordinates of type `u32`.
///
/// **One cell of margin contains every rounding error.** Let M be the largest magnitude of a
/// coordinate of the job, body radii and `within` included, s the spacing and u = 2^-53. By
/// construction s >= M / 2^40.
/// - A rotation row of `M(q)/|q|^2` has at most 10 roundings in each of three entries and its
///   product with a vertex (no longer than the radius, which is at most M) five more: together less
///   than 64 u M.
/// - Adding the rest, the position, and the growth (itself one rounded sum): less than 8 u M.
/// - Subtracting the origin gives at most 2^33 s within reach of `u32`: less than 2^33 u s, which
///   is negligible. Multiplying by 1 / s, a power of two, is exact.
///
/// So the error of a bound is less than 2^7 u M <= 2^-46 2^40 s = s / 64. Rounding outward and
/// adding one cell contains the exact box, with 63/64 of a cell to spare. A body outside of the
/// announced bounds with a larger error lies beyond the ends of the lattice, where both its exact
/// and its rounded coordinate saturate. Saturation and rounding are monotone: boxes that overlap in
/// the world overlap on the lattice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lattice {
    /// The position of the lattice point (0, 0, 0), metres. Its components are multiples of the
    /// spacing.
    pub origin: [f64; 3],
    /// The edge of a cell, metres. It is a power of two.
    pub spacing: f64,
    /// `1 / spacing`, which is exact.
    inverse: f64,
}

impl Lattice {
    /// The lattice of a job. It covers all static bodies and the `bounds` (metres) of the positions
    /// of the dynamic bodies inflated by their largest radius; all is inflated by `within`
    /// (metres).
    pub fn new(scene: &Scene, bounds: Option<&Bounds>, within: f64) -> Self {
        let within = clamp_finite(within).max(0.0);
        let mut low = [f64::INFINITY; 3];
        let mut high = [f64::NEG_INFINITY; 3];
        let mut cover = |from: [f64; 3], to: [f64; 3], reach: f64| {
            for k in 0..3 {
                low[k] = low[k].min(clamp_finite(from[k]) - reach);
                high[k] = high[k].max(clamp_finite(to[k]) + reach);
            }
        };
        let mut largest = None::<f64>;
        for body in &scene.bodies {
            let radius = clamp_finite(body.shape.reach());
            match &body.motion {
                // The bounding sphere stands for the box, since the lattice need not be tight.
                Motion::Static(pose) => {
                    let at = pose.position.to_array();
                    cover(at, at, radius + within);
                }
                // `bounds` contain the origins as read; the recentred origin lies up to
                // |center| from there.
                Motion::Dynamic { .. } => {
                    let reach = radius + clamp_finite(manhattan_norm(body.shape.center));
                    largest = Some(largest.unwrap_or(0.0).max(reach));
                }
            }
        }
        if let Some(largest) = largest {
            let (from, to) = bounds.map_or(([0.0; 3], [0.0; 3]), |b| (b.min, b.max));
            cover(from, to, largest + within);
        }
        if low[0] > high[0] {
            (low, high) = ([0.0; 3], [0.0; 3]); // no body at all
        }
        Self::covering(low, high)
    }

    /// The finest lattice that covers the box from `low` to `high` (metres, finite, `low <= high`)
    /// and whose cells are coarser than the rounding errors there.
    pub(super) fn covering(low: [f64; 3], high: [f64; 3]) -> Self {
        let mut extent = 0.0_f64;
        let mut magnitude = 0.0_f64;
        for k in 0..3 {
            extent = extent.max(high[k] - low[k]);
            magnitude = magnitude.max(low[k].abs()).max(high[k].abs());
        }
        let spacing = power_of_two_above((extent / CELLS).max(magnitude / RESOLUTION).max(FINEST));
        // The quotient is an integer of at most 41 bits, so the origin is an exact multiple of the
        // spacing.
        let origin = low.map(|v| ((v / spacing).floor() - MARGIN) * spacing);
        Self { origin, spacing, inverse: 1.0 / spacing }
    }

    /// The coordinate of the lower end `v` (metres) of a box along `axis`: floor - 1, or the lowest
    /// coordinate for NaN.
    #[inline(always)]
    pub(super) fn lower(&self, axis: usize, v: f64) -> u32 {
        let t = (v - self.origin[axis]) * self.inverse;
        let t = if t > LOW + 1.0 { t } else { LOW + 1.0 };
        let t = if t < HIGH { t } else { HIGH };
        let rounded = nearest(t);
        to_u32(if rounded > t { rounded - 2.0 } else { rounded - 1.0 })
    }

    /// The coordinate of the upper end `v` (metres) of a box along `axis`: ceil + 1, or the highest
    /// coordinate for NaN.
    #[inline(always)]
    pub(super) fn upper(&self, axis: usize, v: f64) -> u32 {
        let t = (v - self.origin[axis]) * self.inverse;
        let t = if t < HIGH - 1.0 { t } else { HIGH - 1.0 };
        let t = if t > 0.0 { t } else { 0.0 };
        let rounded = nearest(t);
        to_u32(if rounded < t { rounded + 2.0 } else { rounded + 1.0 })
    }
}

impl Lattice {
    /// The number of cells by which a box grows that is inflated by a length (metres, 0 or more):
    /// the length in cells, rounded up, plus one; as many as there are for NaN.
    #[inline(always)]
    pub(super) fn cells(&self, length: f64) -> u32 {
        let t = length * self.inverse;
        let t = if t < HIGH - 1.0 { t } else { HIGH - 1.0 };
        let rounded = nearest(t);
        to_u32(if rounded < t { rounded + 2.0 } else { rounded + 1.0 })
    }
}

/// Makes a length finite: NaN becomes 0, and large magnitudes are clamped.
fn clamp_finite(v: f64) -> f64 {
    if v.is_nan() { 0.0 } else { v.clamp(-FAR, FAR) }
}

/// An upper bound on the length of `v` that does not overflow: its Manhattan norm.
fn manhattan_norm(v: Vec3<f64>) -> f64 {
    v.x.abs() + v.y.abs() + v.z.abs()
}

/// The least power of two `>= v` for a normal `v > 0` below 2^1023. It is exact on any machine.
fn power_of_two_above(v: f64) -> f64 {
    const MANTISSA: u64 = (1 << 52) - 1;
    let bits = v.to_bits();
    let floor = bits & !MANTISSA;
    f64::from_bits(if bits & MANTISSA == 0 { floor } else { floor + (1 << 52) })
}

/// 2^52: `f64` numbers from here on are integers. For `t` in 0..2^32, the low half of the bits of
/// `t + 2^52` is the integer nearest to `t`.
const ROUNDER: f64 = 4_503_599_627_370_496.0; // 2^52

/// Rounds `t` in 0..2^32 to the nearest integer. Two additions, which every vector unit has, unlike
/// `floor`.
#[inline(always)]
fn nearest(t: f64) -> f64 {
    (t + ROUNDER) - ROUNDER
}

/// Converts an integral `f64` in 0..2^32.
#[inline(always)]
fn to_u32(v: f64) -> u32 {
    (v + ROUNDER).to_bits() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_two_are_found_exactly() {
        for (v, p) in
            [(1.0, 1.0), (1.0 + f64::EPSILON, 2.0), (0.75, 1.0), (0.5, 0.5), (3.0, 4.0), (1e-240, 2_f64.powi(-797))]
        {
            assert_eq!(power_of_two_above(v), p, "{v}");
        }
    }

    #[test]
    fn integers_convert_exactly() {
        for v in [0_u32, 1, 2, 1 << 31, u32::MAX - 1, u32::MAX] {
            assert_eq!(to_u32(f64::from(v)), v);
        }
    }

    #[test]
    fn ends_are_rounded_outward_by_one_to_two_cells() {
        let lattice = Lattice { origin: [-8.0; 3], spacing: 0.25, inverse: 4.0 };
        for (v, down, up) in
            [(0.0, 31, 33), (0.1, 31, 34), (0.125, 31, 34), (0.2, 31, 34), (0.25, 32, 34), (-0.01, 30, 33)]
        {
            assert_eq!((lattice.lower(1, v), lattice.upper(1, v)), (down, up), "{v}");
        }
        // Comparison with floor and ceil, also at both ends of the lattice.
        for i in 0..4000_u32 {
            let t = f64::from(i % 50) * 0.37 + [0.0, 1e6 + 0.5, 4_294_967_270.0, -30.0][i as usize % 4];
            let v = t * 0.25 - 8.0;
            let t = (v + 8.0) * 4.0;
            let clamp = |cell: f64| cell.clamp(1.0, HIGH) as u32;
            assert_eq!(lattice.lower(0, v), clamp(t.floor() - 1.0).min(u32::MAX - 2), "{t}");
            assert_eq!(lattice.upper(0, v), clamp(t.ceil() + 1.0), "{t}");
            assert_eq!(lattice.cells(t.max(0.0) * 0.25), clamp(t.max(0.0).ceil() + 1.0), "{t}");
        }
    }

    #[test]
    fn lattices_are_fine_yet_coarser_than_rounding() {
        let boxes = [
            ([0.0; 3], [0.0; 3]),
            ([-1.0; 3], [1.0; 3]),
            ([5e6, 5e6, 0.0], [5e6 + 1.0, 5e6 + 2.0, 3.0]),
            ([-1e9; 3], [1e9; 3]),
            ([1e-12; 3], [2e-12; 3]),
            ([-2e300; 3], [2e300; 3]),
        ];
        for (low, high) in boxes {
            let lattice = Lattice::covering(low, high);
            let s = lattice.spacing;
            assert!(s.is_normal() && lattice.inverse.is_normal() && lattice.inverse * s == 1.0, "{s}");
            let magnitude = low.iter().chain(&high).fold(0.0_f64, |m, v| m.max(v.abs()));
            let extent = (0..3).fold(0.0_f64, |m, k| m.max(high[k] - low[k]));
            assert!(magnitude <= RESOLUTION * s && extent <= CELLS * s);
            assert!(extent > CELLS / 2.0 * s || magnitude > RESOLUTION / 2.0 * s || extent == 0.0, "too coarse");
            for k in 0..3 {
                assert!(lattice.lower(k, low[k]) >= 1 << 29 && lattice.upper(k, high[k]) < 7 << 29);
                assert!(lattice.lower(k, low[k]) < lattice.upper(k, low[k]));
            }
            assert_eq!(lattice.lower(0, f64::NEG_INFINITY), 1);
            assert_eq!(lattice.lower(0, f64::INFINITY), u32::MAX - 2);
            assert_eq!(lattice.upper(0, f64::NEG_INFINITY), 1);
            assert_eq!(lattice.upper(0, f64::INFINITY), u32::MAX - 1);
            assert_eq!((lattice.lower(0, f64::NAN), lattice.upper(0, f64::NAN)), (1, u32::MAX - 1));
            assert_eq!(
                [0.0, f64::INFINITY, f64::NAN].map(|length| lattice.cells(length)),
                [1, u32::MAX - 1, u32::MAX - 1]
            );
        }
    }
}
