//! The test that a feature alone supports its body along a direction: its vertices lie on the supporting plane to within
//! rounding, and every other vertex stays below by more than a margin.
//!
//! Stored planes prove it mostly (`clearance.rs`). Where they do not, vertices are scanned: all of them on bodies of few
//! vertices, else the neighbours of the feature. The neighbours decide for all, because the body is exactly convex
//! (geometry/hull/check.rs): from any other vertex within the margin of the plane a path along edges climbs to the top, and it
//! would have to pass one of them (docs/numerics.md, "Strictness").

use super::clearance;
use super::features::Features;
use super::float::Float;
use crate::geometry::{Polyhedron, Vec3};
use crate::narrow::feature::Feature;
use crate::narrow::proximity::FeatureKind;
use crate::simd::{Simd, V, WIDTH, dispatch};

/// What supporting planes are held against.
#[derive(Clone, Copy)]
pub(in crate::narrow) struct SupportPlane<T> {
    /// Outward unit normal, in the body's frame.
    pub(super) normal: Vec3<T>,
    /// How far other vertices must stay below, metres.
    pub(super) margin: T,
    /// How far the feature's vertices may differ in height, metres.
    pub(super) bound: T,
}

/// The heights of the supporting planes over the origin, metres, and where they are proven to touch the features alone;
/// elsewhere, and where not `wanted`, heights mean nothing.
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

/// Whether all vertices are scanned, and not only those around the feature: where they are few, and for faces of many sides,
/// which would be searched for each neighbour.
#[inline(always)]
pub(super) fn scans(p: &Polyhedron, feature: Feature) -> bool {
    const FEW: usize = 24;
    p.count <= FEW || feature.kind == FeatureKind::Face && feature.vertex_count(p).pow(2) > p.count
}

/// The height of the supporting plane along `d`, metres, if the feature's vertices alone reach it: all of them come within
/// `bound` of the first, and no other vertex comes within `margin`. Eight vertices at a time.
#[inline(always)]
pub(super) fn scan<S: Simd>(p: &Polyhedron, feature: Feature, d: Vec3<f64>, margin: f64, bound: f64) -> Option<f64> {
    let mut few = [0; 2];
    let own = feature.vertices(p, &mut few);
    let at = d.dot(p.vertex(own[0]));
    let least = at - margin;
    let mut max = at;
    for &v in &own[1..] {
        let height = d.dot(p.vertex(v));
        if height < least {
            return None;
        }
        max = if height > max { height } else { max };
    }
    if max - at > bound || !(others_below::<S>(p, feature, own, d, margin, least)) {
        return None;
    }
    Some(max)
}

/// Whether all vertices but the feature's `own` stay below `least`.
#[inline(always)]
fn others_below<S: Simd>(p: &Polyhedron, feature: Feature, own: &[u32], d: Vec3<f64>, margin: f64, least: f64) -> bool {
    // A vertex's neighbours are as quickly scanned themselves.
    if feature.kind != FeatureKind::Vertex && clearance::of_feature(p, feature, d, margin) {
        return true;
    }
    let (lanes, line) = (Vec3::<V<S>>::from_f64(d), V::<S>::splat(least));
    let mut near = 0;
    if scans(p, feature) {
        let blocks = p.x.as_chunks().0.iter().zip(p.y.as_chunks().0).zip(p.z.as_chunks().0);
        for (i, ((x, y), z)) in blocks.enumerate() {
            let height = Vec3 { x: V::load(x), y: V::load(y), z: V::load(z) }.dot(lanes);
            near += reaching(height.ge(line).bits(), p.count - i * WIDTH);
        }
        return near == own.len() as u32;
    }
    if p.neighbour_block_start.is_empty() {
        return neighbours_below(p, feature, own, d, least);
    }
    for &v in own {
        let count = p.neighbours_of(v).len();
        for (i, block) in p.neighbour_blocks_of(v).iter().enumerate() {
            near += reaching(Vec3::<V<S>>::load(block).dot(lanes).ge(line).bits(), count - i * WIDTH);
        }
    }
    // Each vertex has that many neighbours within the feature, and those were seen to reach.
    near == own.len() as u32 * [0, 1, 2][feature.kind as usize]
}

/// Whether the neighbours of a feature stay below `least`, one by one: for bodies of so many vertices that the coordinates of
/// neighbours are not stored side by side.
fn neighbours_below(p: &Polyhedron, feature: Feature, own: &[u32], d: Vec3<f64>, least: f64) -> bool {
    own.iter().flat_map(|&v| p.neighbours_of(v)).all(|&w| d.dot(p.vertex(w)) < least || feature.has_vertex(p, w))
}

/// How many of the first `count` lanes are set.
#[inline(always)]
fn reaching(bits: u8, count: usize) -> u32 {
    (u32::from(bits) & ((1 << count.min(WIDTH)) - 1)).count_ones()
}

dispatch!(scan_level, scan, (p: &Polyhedron, feature: Feature, d: Vec3<f64>, margin: f64, bound: f64) -> Option<f64>);

/// [`scan`] in the widest registers, out of line.
pub(super) fn scan_wide(p: &Polyhedron, feature: Feature, d: Vec3<f64>, margin: f64, bound: f64) -> Option<f64> {
    scan_level(p, feature, d, margin, bound)
}

#[cfg(test)]
#[path = "tests/unique_support.rs"]
mod tests;
