//! The Hausdorff distance of the union of convex pieces from the solid of a mesh, as a proven upper
//! bound.
//!
//! ```text
//! search.rs       branch and bound, best first
//! tetrahedron.rs  the cells
//! solid.rs        what closed triangles enclose; pieces.rs: the union of convex pieces
//! out_of_solid.rs how far pieces reach from the solid; out_of_pieces.rs: how far the solid reaches from the pieces
//! ```
//!
//! Both directions ask for the largest distance over a *volume*: pieces may fill a cavity of the
//! mesh, and may leave a gap inside of it, that no surface shows. Cells are bounded so that sets
//! which agree are settled at once, whatever the size of the cell: see the two directions.
//! docs/reference/numerics.md has the proofs.

mod out_of_pieces;
mod out_of_solid;
mod pieces;
mod search;
mod solid;
#[cfg(test)]
mod tests;
mod tetrahedron;

pub use pieces::PieceUnion;
pub use solid::TriangleSolid;

use super::vec3::Vec3;
use out_of_pieces::OutOfPieces;
pub(crate) use out_of_pieces::below;
use out_of_solid::OutOfSolid;
use search::{Known, largest};
use solid::SolidQueries;
use tetrahedron::Tetrahedron;

/// Refinements for each triangle, and for any input.
const STEPS_EACH: usize = 16;
const STEPS: usize = 40_000;

/// Most boxes of triangles that are visited: for each triangle, and in addition for any input.
const VISITS_EACH: usize = 4096;
const VISITS: usize = 1 << 25;

/// Reach of one set from another, in the unit of the coordinates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SolidReach {
    /// No point of the first set is farther from the second: proven, rounding included. Above 0.
    pub upper: f64,
    /// A point of the first set is so far away, but for rounding.
    pub lower: f64,
}

/// Bounds the reach of the pieces from the solid, whose points are at 0; distances up to `settled`
/// are not told apart.
pub fn out_of_solid(pieces: &PieceUnion<'_>, solid: &TriangleSolid, settled: f64) -> SolidReach {
    let mut known = Known { found: 0.0, settled };
    let mut reaching = OutOfSolid { pieces, queries: queries(pieces, solid) };
    let cells: Vec<_> =
        (0..pieces.len() as u32).flat_map(|piece| reaching.fans(piece).map(move |t| (t, piece))).collect();
    let steps = STEPS + STEPS_EACH * (pieces.triangles() + solid.tree.len());
    let upper = largest(&mut reaching, cells.into_iter(), &mut known, steps);
    SolidReach { upper, lower: known.found }
}

/// Bounds the reach of the solid from the pieces, whose points are at 0; distances up to `settled`
/// are not told apart.
pub fn out_of_pieces(solid: &TriangleSolid, pieces: &PieceUnion<'_>, settled: f64) -> SolidReach {
    let mut known = Known { found: 0.0, settled };
    let mut reaching = OutOfPieces { pieces, queries: queries(pieces, solid) };
    reaching.look_at_vertices(&mut known);
    let cells = Tetrahedron::of_box(solid.low, solid.high).map(|t| (t, 0));
    let steps = STEPS + STEPS_EACH * (pieces.triangles() + solid.tree.len());
    let upper = largest(&mut reaching, cells.into_iter(), &mut known, steps);
    SolidReach { upper, lower: known.found }
}

fn queries<'a>(pieces: &PieceUnion<'_>, solid: &'a TriangleSolid) -> SolidQueries<'a> {
    let of_pieces = (0..pieces.len() as u32).flat_map(|p| (0..pieces.core(p).count as u32).map(move |v| (p, v)));
    let ends = of_pieces.map(|(p, v)| pieces.core(p).vertex(v)).chain([solid.low, solid.high]);
    let scale = ends.flat_map(Vec3::to_array).fold(0.0, |most: f64, c| most.max(c.abs()));
    SolidQueries { solid, visits: VISITS + VISITS_EACH * (solid.tree.len() + pieces.triangles()), scale }
}
