//! Proofs by the stored planes of a polyhedron: that a foot lies inside a face, that all other
//! vertices stay below a supporting plane.
//!
//! Each answer is *sufficient*: where it is yes, the test over the vertices, with all its rounding,
//! says yes, too (the slacks below are above what both may be off together); where it is no, that
//! test is made. So whether planes were formed changes no row. Every formula is generic over one
//! `f64` and eight in a register.

use crate::feature::Feature;
use crate::feature::FeatureKind::{Edge, Face, Vertex};
use crate::float::Float;
use clearsweep_geometry::planes::{FourPlanes, Planes};
use clearsweep_geometry::{Polyhedron, Scalar, Vec3};

/// By how much a foot's depth below a side of a face may differ from that by the stored plane, in
/// shares of the pair's size, 2^-53 times: 40 for the plane, 16 for the formula, and as much again.
const DEPTH: f64 = 128.0 * f64::UNIT;

/// Bound on the error of the heights of two vertices along a direction together, in shares of the
/// radius.
const HEIGHTS: f64 = 64.0 * f64::UNIT;

/// Bound on the error of the product of a direction and a stored normal.
const NORMAL: f64 = 32.0 * f64::UNIT;

/// By how much a depth by the stored planes may be more than that of the formula, metres; `size`:
/// that of the pair.
#[inline(always)]
pub(super) fn rounding<T: Float>(size: T) -> T {
    T::from_f64(DEPTH) * size
}

/// The least depth of a foot inside of a face, less what may be rounding, metres; `size`: that of
/// the pair.
#[inline(always)]
pub(super) fn depth<T: Float>(planes: &Planes, face: u32, foot: Vec3<T>, size: T) -> T {
    // Four minima side by side: one would be waited for by each plane.
    let mut least = [T::from_f64(f64::INFINITY); 4];
    for four in planes.side_planes(face) {
        for lane in 0..4 {
            let plane = four.plane(lane);
            let side = Vec3::from_f64(plane.normal).dot(foot) - T::from_f64(plane.offset);
            least[lane] = least[lane].smaller(side);
        }
    }
    let [a, b, c, d] = least;
    a.smaller(b).smaller(c.smaller(d)) - rounding(size)
}

/// Whether all vertices off a face with this normal and clearance stay below the supporting plane
/// along `d` by more than `margin`, metres; `radius`: of the body, metres.
#[inline(always)]
pub(super) fn below_face<T: Float>(d: Vec3<T>, normal: Vec3<T>, clearance: T, margin: T, radius: f64) -> T::Mask {
    // How much a vertex may rise where the direction is not quite the normal.
    let off = d - normal;
    let off = off.x.abs() + off.y.abs() + off.z.abs();
    clearance.gt(margin + T::from_f64(radius) * (T::from_f64(2.0) * off + T::from_f64(HEIGHTS)))
}

/// Whether all vertices off an edge stay below the supporting plane along `d` by more than
/// `margin`, metres. `along`: unit, along the edge; `sides`: unit, out of the faces on both sides;
/// `clearances`: see [`Planes::edge_clearance`].
#[inline(always)]
pub(super) fn beside_edge<T: Float>(
    d: Vec3<T>,
    along: Vec3<T>,
    sides: [Vec3<T>; 2],
    clearances: [T; 2],
    margin: T,
    radius: f64,
) -> T::Mask {
    let (two, normal) = (T::from_f64(2.0), T::from_f64(NORMAL));
    let along = d.dot(along).abs() + normal;
    // All twice, which is far more than the relative error of the clearances.
    let needed = two * (margin + T::from_f64(radius) * (two * along + T::from_f64(HEIGHTS)));
    let left = (d.dot(sides[0]) - normal) * clearances[0];
    let right = (d.dot(sides[1]) - normal) * clearances[1];
    left.gt(needed) & right.gt(needed)
}

/// The least `d . n` with the unit vectors n from each neighbour of a vertex to the vertex, above
/// which every neighbour is certain to stay below the supporting plane along `d` by more than
/// `margin`, metres; the way to each is as long as the `clearance` at least. Twice what is needed,
/// which is far more than the relative error of the clearance.
#[inline(always)]
pub(super) fn least_slope<T: Float>(clearance: T, margin: T, radius: f64) -> T {
    T::from_f64(2.0) * (margin + T::from_f64(radius * HEIGHTS)) / clearance + T::from_f64(NORMAL)
}

/// Whether it is certain that all vertices but the feature's stay below the supporting planes along
/// `d` by more than `margin`, metres: one feature, one direction in each lane.
#[inline(always)]
pub(super) fn of_feature<T: Float>(p: &Polyhedron, feature: Feature, d: Vec3<T>, margin: T) -> T::Mask {
    let Some(planes) = p.formed_planes() else { return T::from_bits(0) };
    match feature.kind {
        Face => {
            let normal = Vec3::from_f64(p.normals[feature.index as usize]);
            below_face(d, normal, T::from_f64(planes.face_clearance(feature.index)), margin, p.radius)
        }
        Edge => {
            let (four, [left, right]) = (planes.edge(feature.index), *planes.edge_clearance(feature.index));
            let clearances = [T::from_f64(left), T::from_f64(right)];
            beside_edge(d, normal(four, 0), [normal(four, 2), normal(four, 3)], clearances, margin, p.radius)
        }
        Vertex => {
            let least = least_slope(T::from_f64(planes.point(feature.index)[3]), margin, p.radius);
            let (blocks, count) = (planes.vertex_planes(feature.index), p.neighbours_of(feature.index).len());
            let mut clear = T::from_bits(u8::MAX);
            for i in 0..count {
                let eight = &blocks[i / clearsweep_base::simd::WIDTH];
                let plane = Vec3::from_f64(eight.plane(i % clearsweep_base::simd::WIDTH).normal);
                clear = clear & d.dot(plane).gt(least);
            }
            clear
        }
    }
}

#[inline(always)]
fn normal<T: Float>(four: &FourPlanes, lane: usize) -> Vec3<T> {
    Vec3::from_f64(four.plane(lane).normal)
}

#[cfg(test)]
#[path = "tests/clearance.rs"]
mod tests;
