//! The place and the volume of the overlap of two bodies at the worst moment of an issue.

use clearsweep_geometry::overlap::{Overlap, Solid, is_inside, overlap};
use clearsweep_geometry::{Inside, Pose, Vec3};
use clearsweep_model::Shape;
use std::sync::Arc;

/// Cells of an octree that are looked at for an overlap, where there are few issues.
const CELLS: usize = 4096;

/// Cells for all issues together, beyond which each has fewer (about a second of one core), and the
/// least that each has.
const ALL_CELLS: usize = 1 << 19;
const LEAST_CELLS: usize = 64;

/// Cells for a proof that one body lies inside of the other.
const INSIDE_CELLS: usize = 512;

/// The overlap of two bodies. Of bodies that are known up to a deviation, or have no inside,
/// nothing but a box is known, and of grown meshes nothing at all.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct OverlapFound {
    /// A box along the axes of the world that contains it, metres.
    pub(super) bounds: Option<[Vec3<f64>; 2]>,
    /// Proven lower and upper end of its volume, cubic metres.
    pub(super) volume: Option<[f64; 2]>,
}

/// Cells for each of so many issues.
pub(super) fn cells_each(issues: usize) -> usize {
    (ALL_CELLS / issues.max(1)).clamp(LEAST_CELLS, CELLS)
}

/// The convex pieces of a body with their radii; none of a mesh.
type Pieces<'a> = Vec<(&'a clearsweep_geometry::Polyhedron, f64)>;

/// Hands the solids of two bodies to `ask`; `None`: a grown mesh is none.
fn with_solids<T>(shapes: [&Shape; 2], ask: impl FnOnce([Solid<'_>; 2]) -> T) -> Option<T> {
    let is_grown = |shape: &Shape| shape.mesh.is_some() && shape.hull().radius > 0.0;
    if shapes.into_iter().any(is_grown) {
        return None;
    }
    let pieces =
        shapes.map(|shape| shape.pieces.iter().map(|piece| (&piece.core, piece.radius)).collect::<Pieces<'_>>());
    let solid = |body: usize| match &shapes[body].mesh {
        Some(mesh) => Solid::Mesh(mesh),
        None => Solid::Pieces(&pieces[body]),
    };
    Some(ask([solid(0), solid(1)]))
}

/// The overlap of two bodies at poses of their recentred frames; `cells`: see [`cells_each`].
pub(super) fn found(shapes: [&Shape; 2], poses: &[Pose; 2], cells: usize) -> OverlapFound {
    let is_known = shapes.iter().all(|shape| shape.deviation == 0.0 && shape.inside() == Inside::Solid);
    let asked = with_solids(shapes, |[a, b]| overlap(a, b, &poses[0], &poses[1], if is_known { cells } else { 0 }));
    let Some(Overlap { bounds, volume }) = asked.filter(|_| shapes.iter().all(|shape| shape.deviation == 0.0)) else {
        return OverlapFound::default();
    };
    // The polyhedra around round cores overlap by as much, or more.
    let volume = if shapes.iter().all(|shape| shape.core_excess() == 0.0) { volume } else { [0.0, volume[1]] };
    let is_finite = |bounds: &[Vec3<f64>; 2]| bounds.iter().all(|corner| corner.is_finite());
    OverlapFound {
        bounds: bounds.filter(is_finite),
        volume: Some(volume).filter(|volume| is_known && volume[1].is_finite()),
    }
}

/// Whether one of two bodies is proven to lie inside of the other.
pub(super) fn one_is_inside(shapes: [&Shape; 2], poses: &[Pose; 2]) -> bool {
    if shapes.iter().any(|shape| shape.deviation > 0.0 || shape.inside() != Inside::Solid) {
        return false;
    }
    // What lies inside of the polyhedron around a round core may lie outside of that.
    let is_exact = shapes.map(|shape| shape.core_excess() == 0.0);
    let asked = with_solids(shapes, |[a, b]| {
        (is_exact[1] && is_inside(a, b, &poses[0], &poses[1], INSIDE_CELLS))
            || (is_exact[0] && is_inside(b, a, &poses[1], &poses[0], INSIDE_CELLS))
    });
    asked.unwrap_or(false)
}

/// Whether two bodies are one of them twice, but for `touch`, metres.
pub(super) fn are_one([a, b]: [&Arc<Shape>; 2], [at, there]: &[Pose; 2], touch: f64) -> bool {
    farthest(at, there, a.reach()) <= touch && is_same(a, b)
}

fn is_same(a: &Arc<Shape>, b: &Arc<Shape>) -> bool {
    Arc::ptr_eq(a, b) || (a.vertices == b.vertices && a.triangles == b.triangles && a == b)
}

/// How far a point within `reach` (metres) of the origin is from itself at another pose, at the
/// most; NaN where a pose is.
fn farthest(one: &Pose, other: &Pose, reach: f64) -> f64 {
    let dot: f64 = one.q.iter().zip(&other.q).map(|(a, b)| a * b).sum();
    // The chord of the angle between two unit quaternions, twice.
    let turn = 2.0 * (2.0 - 2.0 * dot.abs()).max(0.0).sqrt();
    ((one.position - other.position) + (one.rest - other.rest)).length2().sqrt() + turn * reach
}
