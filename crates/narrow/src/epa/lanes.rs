//! The proof of a depth by a remembered surface, at eight relative poses at once: `Surface::proves`
//! in each lane, by the same formula (`TrianglePlane`).
//!
//! If the filter of an exact sign is undecided, the lane is left unproven; `Surface::proves`
//! decides it.

use super::surface::{Surface, VERTICES};
use super::triangle::TrianglePlane;
use crate::pair::VertexPair;
use clearsweep_base::simd::{Lane, Simd, V, WIDTH};
use clearsweep_geometry::{RelativePose, Vec3};

/// The claim in each lane, metres: see `Claim`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClaimLanes {
    /// Least distance of the facet's triangles from the origin.
    pub(crate) facet: Lane,
    /// Least distance of all other triangles.
    pub(crate) others: Lane,
}

/// Bit `k`: at the pose in lane `k`, the surface proves its claim.
///
/// `vertices`: the vertices of a pair, of A and of B, each in its own frame; `in_facet`: whether a
/// triangle belongs to the facet of the claim.
#[inline(always)]
pub(crate) fn proves<S: Simd>(
    surface: &Surface,
    vertices: impl Fn(VertexPair) -> (Vec3<f64>, Vec3<f64>),
    pose: &RelativePose<V<S>>,
    claims: &ClaimLanes,
    in_facet: impl Fn(&[VertexPair; 3]) -> bool,
) -> u8 {
    if !surface.is_known_closed() {
        return 0;
    }
    let mut points = [[[0.0; WIDTH]; 3]; VERTICES];
    for (point, &pair) in points.iter_mut().zip(surface.pairs()) {
        let (a, b) = vertices(pair);
        (Vec3::from_f64(a) - pose.point(Vec3::from_f64(b))).store(point);
    }
    let (facet, others) = (V::<S>::load(&claims.facet), V::load(&claims.others));
    let (mut proven, mut with_area) = (u8::MAX, 0);
    for v in (0..surface.count()).map(|t| surface.triangle(t)) {
        let [a, b, c] = v.map(|i| Vec3::<V<S>>::load(&points[usize::from(i)]));
        let plane = TrianglePlane::new(a, b, c);
        let holds = |least| (plane.is_degenerate | (plane.reaches(least) & plane.is_above_origin)).bits();
        let (as_facet, as_other) = (holds(facet), holds(others));
        with_area |= !plane.is_degenerate.bits();
        // Whether a triangle belongs to the facet is looked up only where it matters.
        let is_facet = as_facet & !as_other != 0 && in_facet(&v.map(|i| surface.pairs()[usize::from(i)]));
        proven &= if is_facet { as_facet } else { as_other };
    }
    proven & with_area
}
