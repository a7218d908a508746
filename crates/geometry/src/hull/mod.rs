//! Convex hulls of points by exact predicates, as polyhedra with merged faces.
//!
//! The straight line: `simplex` finds the dimension of the points, exactly; `quickhull`
//! triangulates the boundary of a solid; `merge` turns coplanar triangles into polygons and drops
//! vertices that are not extreme; `flat` does the same for coplanar points; `assemble` numbers and
//! lays out the polyhedron; `normals` computes its normals and distinct directions; `check` proves
//! the result convex. `exact` has the arithmetic.
//!
//! # Why coplanar points do no harm
//! The triangulation is quickhull (Barber, Dobkin, Huhdanpaa 1996) with one rule: a point *sees* a
//! triangle only if it lies strictly above its plane, decided exactly (Shewchuk 1997). By induction
//! the triangles are always a triangulation, without degenerate triangles, of the boundary of the
//! hull `P` of the points inserted so far:
//! - The triangles that `p` sees are also those seen by a point moved from `p` a little towards the
//!   interior of `P`, which lies in no plane of `P`: so they form a disc, and their border, the
//!   horizon, is one simple cycle.
//! - `p` is not collinear with a horizon edge: it would lie in the plane of the seen triangle
//!   beside it. So every triangle between the horizon and `p` has an area.
//! - Where `p` lies in the plane of a polygon of `P`, it sees the neighbour across a side of that
//!   polygon iff it lies strictly beyond that side: so the new triangles over those sides are just
//!   what extends the polygon to `p`.
//! - Each point outside `P` is kept with one triangle that it sees. When that triangle goes, the
//!   point, if still outside, sees one of the *new* triangles: if it sees only old ones, then, as
//!   what it saw was connected, it saw both triangles `f` (now gone) and `g` (kept) beside some
//!   horizon edge. The new triangle there has the plane `h = s f + t g`, `s >= 0`, `t > 0` (since
//!   `f(p) > 0 >= g(p)`), so `h > 0` at the point too.
//!
//! The result is a weakly convex triangulation; joining its coplanar neighbours, again exactly,
//! gives the faces.

mod assemble;
mod check;
mod exact;
mod flat;
mod inexact;
mod merge;
mod normals;
mod quickhull;
mod simplex;
#[cfg(test)]
mod tests;

use super::polyhedron::{Boundary, Polyhedron};
use super::vec3::Vec3;
pub use exact::{collinear, side, turn};
pub(crate) use exact::{largest_length, length_rounded_up};
use inexact::Inexact;
use merge::Rings;
use simplex::AffineSpan;

/// Why points have no hull.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HullError {
    /// There are no points.
    Empty,
    /// Point `index` is not finite.
    NotFinite {
        /// Index in the input.
        index: usize,
    },
    /// Coordinates are so large or so small that predicates could over- or underflow: a magnitude
    /// above [`LARGEST_COORDINATE`], or below [`SMALLEST_COORDINATE`] but not zero.
    OutOfRange {
        /// Index of an offending point.
        index: usize,
    },
}

/// Largest magnitude of a coordinate: the product of three differences, times the 2^27 of a split,
/// stays finite.
pub const LARGEST_COORDINATE: f64 = f64::from_bits((1023 + 250) << 52);

/// Smallest magnitude of a nonzero coordinate, 2^-250: coordinates, and so their differences, are
/// multiples of 2^-302, products of three of them multiples of 2^-906, and even the error bounds of
/// the predicates, 2^-106 times such products, are normal numbers: nothing underflows.
pub const SMALLEST_COORDINATE: f64 = f64::from_bits((1023 - 250) << 52);

/// The hull of points (metres); `source` of its vertices are indices into `points`.
///
/// Its vertices are the extreme points only, the first of equal ones (`-0.0` equals `0.0`, and is
/// stored as `0.0`); exactly coplanar triangles are merged. Of a flat polygon's two faces, which
/// have the same vertices, the one that goes on from vertex 0 to the lower of its neighbours comes
/// first. About O(n log n); the same for every run.
///
/// # Errors
/// See [`HullError`]; flat, collinear and single points are no error but polyhedra of lower
/// dimension.
pub fn convex_hull(points: &[Vec3<f64>]) -> Result<Polyhedron, HullError> {
    hull_boundary(points).map(Polyhedron::of)
}

/// The vertices, edges and faces of [`convex_hull`].
///
/// # Errors
/// See [`HullError`].
pub(super) fn hull_boundary(points: &[Vec3<f64>]) -> Result<Boundary, HullError> {
    check_range(points)?;
    // Every predicate is exact in the range just checked, so a broken structure is impossible.
    // Should it be found all the same (a compiler that contracts or reorders sums), the honest
    // answer is that the predicates failed here.
    let hull = hull_in_range(points);
    hull.map_err(|Inexact { point }| HullError::OutOfRange { index: point as usize })
}

/// The boundary of a hull, as indices of points.
enum HullBoundary {
    Point(u32),
    Segment(u32, u32),
    /// The faces, and the dimension.
    Faces(Rings, u8),
}

fn boundary(points: &[Vec3<f64>]) -> Result<HullBoundary, Inexact> {
    Ok(match simplex::span(points) {
        AffineSpan::Point(a) => HullBoundary::Point(a),
        AffineSpan::Line(a, b) => HullBoundary::Segment(a, b),
        AffineSpan::Plane(triangle) => HullBoundary::Faces(flat::polygon(points, triangle), 2),
        AffineSpan::Solid(tetrahedron) => {
            let triangles = quickhull::triangulate(points, tetrahedron)?;
            HullBoundary::Faces(merge::faces(points, &triangles)?, 3)
        }
    })
}

fn hull_in_range(points: &[Vec3<f64>]) -> Result<Boundary, Inexact> {
    let hull = match boundary(points)? {
        HullBoundary::Point(a) => assemble::point(points, a),
        HullBoundary::Segment(a, b) => assemble::segment(points, a, b),
        HullBoundary::Faces(faces, dimension) => assemble::solid_or_polygon(points, dimension, &faces)?,
    };
    check::convex(&hull)?;
    Ok(hull)
}

/// The extreme points of points (metres): indices, ascending, the first of equal ones.
///
/// # Errors
/// See [`HullError`].
pub fn extreme_points(points: &[Vec3<f64>]) -> Result<Vec<u32>, HullError> {
    check_range(points)?;
    let found = boundary(points).map_err(|Inexact { point }| HullError::OutOfRange { index: point as usize })?;
    let mut extreme = match found {
        HullBoundary::Point(a) => vec![a],
        HullBoundary::Segment(a, b) => vec![a, b],
        HullBoundary::Faces(faces, _) => faces.vertices,
    };
    extreme.sort_unstable();
    extreme.dedup();
    Ok(extreme)
}

/// A polyhedron of these points without edges and faces: for scans over vertices alone. At least
/// one point.
pub fn vertices_only(points: &[Vec3<f64>]) -> Polyhedron {
    Polyhedron::of(assemble::vertices_only(points, 3, (0..points.len() as u32).collect()))
}

/// Whether there are points, and predicates of them are exact.
///
/// # Errors
/// See [`HullError`].
pub fn check_range(points: &[Vec3<f64>]) -> Result<(), HullError> {
    if points.is_empty() {
        return Err(HullError::Empty);
    }
    if points.len() >= u32::MAX as usize {
        return Err(HullError::OutOfRange { index: u32::MAX as usize }); // indices are 32 bits wide
    }
    for (index, p) in points.iter().enumerate() {
        if !p.is_finite() {
            return Err(HullError::NotFinite { index });
        }
        if p.to_array().iter().any(|c| *c != 0.0 && !(SMALLEST_COORDINATE..=LARGEST_COORDINATE).contains(&c.abs())) {
            return Err(HullError::OutOfRange { index });
        }
    }
    Ok(())
}
