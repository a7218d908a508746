//! The test that a feature alone supports its body along a direction: its vertices lie on the
//! supporting plane to within rounding, and every other vertex stays below by more than a margin.
//!
//! Stored planes prove it mostly (`clearance.rs`). If they do not, vertices are scanned: all of
//! them on bodies of few vertices, else the neighbours of the feature. The neighbours decide for
//! all, beca

use super::features::Features;
use super::scan::SupportPlane;
use crate::float::Float;
use clearsweep_geometry::Vec3;

/// The heights of the supporting planes over the origin, metres, and where they are proven to touch
/// the features alone; elsewhere, and where not `wanted`, heights mean nothing.
#[inline(always)]
pub(super) fn unique_support<T: Float, F: Features<T>>(
    f: &F,
    plane: &SupportPlane<T>,
    wanted: T::Mask,
) -> (T, T::Mask) {
    let d = plane.normal;
    let at = d.dot(f.operand().point);
    let least = at - plane.margin;
    let (mut max, mut level) = (at, wanted);
    for i in 1..f.count() {
        let height = d.dot(f.vertex(i));
        level = level & height.ge(least);
        max = max.larger(height);
    }
    let level = level & (max - at).le(plane.bound);
    let good = T::bits(level & f.clear(d, plane.margin));
    let open = T::bits(wanted) & !good;
    if open == 0 {
        return (max, T::from_bits(good));
    }
    scan_open(f, plane, max, good, open)
}

/// Scans the bodies of the lanes `open`, of which stored planes prove nothing.
#[inline(always)]
fn scan_open<T: Float, F: Features<T>>(f: &F, plane: &SupportPlane<T>, max: T, good: u8, open: u8) -> (T, T::Mask) {
    let (mut max, mut good) = (max.to_lanes(), good);
    let [x, y, z] = [plane.normal.x.to_lanes(), plane.normal.y.to_lanes(), plane.normal.z.to_lanes()];
    let (margin, bound) = (plane.margin.to_lanes(), plane.bound.to_lanes());
    for k in 0..T::LANES {
        if open >> k & 1 == 1 {
            let normal = Vec3 { x: x[k], y: y[k], z: z[k] };
            if let Some(height) = f.scan(k, &SupportPlane { normal, margin: margin[k], bound: bound[k] }) {
                max[k] = height;
                good |= 1 << k;
            }
        }
    }
    (T::from_lanes(&max), T::from_bits(good))
}

#[cfg(test)]
#[path = "tests/unique_support.rs"]
mod tests;
