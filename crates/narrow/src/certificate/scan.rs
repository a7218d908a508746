//! Scans of vertices for the test that a feature alone supports its body, eight vertices at a time:
//! where stored planes prove nothing.

use super::clearance;
use crate::feature::Feature;
use crate::feature::FeatureKind;
use clearsweep_base::simd::{Simd, V, WIDTH, dispatch};
use clearsweep_geometry::{Polyhedron, Vec3};

/// Direction of a supporting plane, and the tolerances of the vertices on it and below it.
#[derive(Clone, Copy)]
pub(crate) struct SupportPlane<T> {
    /// Outward unit normal, in the body's frame.
    pub(super) normal: Vec3<T>,
    /// Least distance of other vertices below the plane, metres.
    pub(super) margin: T,
    /// Largest difference of the heights of the feature's vertices, metres.
    pub(super) bound: T,
}

/// Whether all vertices are scanned, and not only those around the feature: where they are few, and
/// for faces of many sides, which would be searched for each neighbour.
#[inline(always)]
pub(super) fn scans(p: &Polyhedron, feature: Feature) -> bool {
    const FEW: usize = 24;
    p.count <= FEW || feature.kind == FeatureKind::Face && feature.vertex_count(p).pow(2) > p.count
}

/// The height of the supporting plane along `d`, metres, if the feature's vertices alone reach it:
/// all of them come within `bound` of the first, and no other vertex comes within `margin`. Eight
/// vertices at a time.
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

/// Whether the neighbours of a feature stay below `least`, one by one: for bodies of many vertices,
/// which do not store the coordinates of neighbours side by side.
fn neighbours_below(p: &Polyhedron, feature: Feature, own: &[u32], d: Vec3<f64>, least: f64) -> bool {
    own.iter().flat_map(|&v| p.neighbours_of(v)).all(|&w| d.dot(p.vertex(w)) < least || feature.has_vertex(p, w))
}

/// Counts the set lanes among the first `count`.
#[inline(always)]
fn reaching(bits: u8, count: usize) -> u32 {
    (u32::from(bits) & ((1 << count.min(WIDTH)) - 1)).count_ones()
}

dispatch!(scan_level, scan, (p: &Polyhedron, feature: Feature, d: Vec3<f64>, margin: f64, bound: f64) -> Option<f64>);

/// [`scan`] in the widest registers, out of line.
pub(super) fn scan_wide(p: &Polyhedron, feature: Feature, d: Vec3<f64>, margin: f64, bound: f64) -> Option<f64> {
    scan_level(p, feature, d, margin, bound)
}
