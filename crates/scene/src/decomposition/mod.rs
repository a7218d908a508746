//! A solid mesh to convex pieces, with how far they are from it.
//!
//! `vhacd` proposes the pieces: lists of points, which nothing is concluded from. Their hulls are
//! ours, and `geometry::solid_reach` proves how far the hulls and the solid are from each other.

mod vhacd;

use super::distinct::Distinct;
use super::mesh::{Closure, EnclosedVolume, MeshMade, clean};
use super::readers::Fault;
use clearsweep_base::workers::Workers;
use clearsweep_geometry::hausdorff_solids::{PieceUnion, TriangleSolid, out_of_pieces, out_of_solid};
use clearsweep_geometry::hull::{check_range, convex_hull};
use clearsweep_geometry::mesh::fans;
use clearsweep_geometry::triangle_tree::{Corners, bounds};
use clearsweep_geometry::{Polyhedron, TriangleMesh, Vec3};
use clearsweep_model::MeshCondition;

/// Distances below this part of the size are not told apart.
const RESOLUTION: f64 = 1e-9;

/// A mesh is convex if its hull deviates from it by no more than this part of the size, as where no
/// model is given.
const CONVEX: f64 = 1e-6;

/// A mesh that fills less of its hull is not measured against it first.
const LIKELY_CONVEX: f64 = 0.99;

/// The diagonal of the box of a mesh that is decomposed, metres.
const SIZES: std::ops::RangeInclusive<f64> = 1e-30..=1e30;

/// The decomposition that stands for a solid.
pub(super) struct DecomposedSolid {
    /// The pieces, each of them solid; at least one. `source` counts the vertices of all pieces, in
    /// order.
    pub(super) pieces: Vec<Polyhedron>,
    /// The hull of all pieces, if there are several; `source` as in the pieces.
    pub(super) hull: Option<Polyhedron>,
    /// The centre of the box around the solid, metres.
    pub(super) middle: Vec3<f64>,
    /// No point of the solid is farther from the pieces than this, and no point of a piece farther
    /// from the solid: proven, above 0, metres.
    pub(super) deviation: f64,
    /// The findings about the triangles of the solid.
    pub(super) condition: MeshCondition,
    /// Whether all triangles of the file close up.
    pub(super) watertight: bool,
}

/// The pieces for a mesh, and how far they are from it.
///
/// # Errors
/// It is not solid, or cannot be decomposed.
pub(super) fn from_solid(
    points: &Distinct,
    triangles: &[[u32; 3]],
    workers: &Workers,
) -> Result<DecomposedSolid, Fault> {
    check_range(&points.list).map_err(|error| points.fault(error, None))?;
    let made = clean(&points.list, &points.first, triangles, points.of_vertex.len(), false, workers);
    let Some(MeshMade { mesh, condition, closure, .. }) = made.filter(|made| made.condition.is_solid()) else {
        return Err(not_solid(&Closure::of(triangles, workers), triangles));
    };
    let (low, high) = bounds(mesh.vertices().iter().copied());
    let (size, middle) = ((high - low).length(), (low + high).scale(0.5));
    if !SIZES.contains(&size) {
        let problem = format!("it is {size:e} m large: too large or too small to be decomposed");
        return Err(Fault::new(problem, "check the `unit` and the `scale` of the body"));
    }
    let settled = RESOLUTION * size;
    let watertight = closure.oriented;
    if let Some((whole, deviation)) = convex_whole(&mesh, condition.volume, (settled, CONVEX * size))? {
        return Ok(DecomposedSolid { pieces: vec![whole], hull: None, middle, deviation, condition, watertight });
    }
    let (pieces, hull) = hulls(&vhacd::parts(mesh.vertices(), mesh.triangles())?)?;
    let deviation = deviation(&mesh, &pieces, settled);
    Ok(DecomposedSolid { pieces, hull, middle, deviation, condition, watertight })
}

/// The hull of a mesh that is convex, and how far they are from each other, at most `tolerance`;
/// `None` for other meshes. V-HACD would cut a convex mesh, too, since its voxels do not fill their
/// hull.
fn convex_whole(
    mesh: &TriangleMesh,
    volume: Option<f64>,
    (settled, tolerance): (f64, f64),
) -> Result<Option<(Polyhedron, f64)>, Fault> {
    let (mut pieces, _) = hulls(&[mesh.vertices().to_vec()])?;
    let Some(whole) = pieces.pop() else { return Ok(None) };
    let corners = fans(&whole).map(|(_, fan)| fan.map(|v| whole.vertex(v)));
    let of_hull = EnclosedVolume::of(corners, whole.mean).signed.abs();
    if !volume.is_some_and(|volume| volume >= LIKELY_CONVEX * of_hull) {
        return Ok(None);
    }
    let deviation = deviation(mesh, std::slice::from_ref(&whole), settled);
    Ok((deviation <= tolerance).then_some((whole, deviation)))
}

fn not_solid(closure: &Closure, triangles: &[[u32; 3]]) -> Fault {
    let why = match (triangles.len(), closure.closed) {
        (0, _) => "the geometry has no triangles",
        (_, false) => "its triangles do not close up",
        (_, true) => "its triangles have no clear outside, or enclose nothing",
    };
    let remedy = "mend the mesh, or write `model = \"mesh\"`: the exact triangles";
    Fault::new(format!("only a solid can be decomposed, but {why}"), remedy)
}

/// The Hausdorff distance of the pieces and the solid, at most; distances up to `settled` are not
/// told apart.
fn deviation(mesh: &TriangleMesh, pieces: &[Polyhedron], settled: f64) -> f64 {
    let corners: Vec<Corners> = mesh.triangles().iter().map(|t| t.map(|v| mesh.vertices()[v as usize])).collect();
    let (solid, pieces) = (TriangleSolid::new(corners), PieceUnion::new(pieces));
    let missing = out_of_pieces(&solid, &pieces, settled);
    let excess = out_of_solid(&pieces, &solid, settled);
    missing.upper.max(excess.upper)
}

/// The hulls of parts that have a volume, and, of several, the hull of them all; vertices are
/// counted through all pieces.
fn hulls(parts: &[Vec<Vec3<f64>>]) -> Result<(Vec<Polyhedron>, Option<Polyhedron>), Fault> {
    let (mut pieces, mut all) = (Vec::new(), Vec::new());
    for part in parts.iter().filter(|part| !part.is_empty()) {
        let mut core = convex_hull(part).map_err(|_| no_hull())?;
        if core.dimension < 3 {
            continue;
        }
        let first = all.len() as u32;
        all.extend((0..core.count as u32).map(|v| core.vertex(v)));
        core.source_mut().copy_from_slice(&(first..all.len() as u32).collect::<Vec<_>>());
        pieces.push(core);
    }
    match pieces.len() {
        0 => Err(no_hull()),
        1 => Ok((pieces, None)),
        _ => {
            let hull = convex_hull(&all).map_err(|_| no_hull())?;
            Ok((pieces, Some(hull)))
        }
    }
}

fn no_hull() -> Fault {
    Fault::new(
        "it cannot be decomposed: the parts that were found have no hull",
        "write `model = \"mesh\"`: the exact triangles",
    )
}
