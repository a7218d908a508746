//! The convex pieces that a body is, exactly.

use crate::shape::{Model, Piece, Shape};
use clearsweep_geometry::Vec3;
use clearsweep_geometry::convex_split::{convex_cells, convex_components};
use clearsweep_geometry::hull::convex_hull;

/// The body as convex pieces that are the same set of points, found when first asked for: a mesh
/// that is convex, is put together of convex solids, or is cut exactly into a few by its own
/// planes. A body that is no mesh is returned itself. `None`: any other mesh.
pub fn convex_parts(shape: &Shape) -> Option<&Shape> {
    match &shape.mesh {
        Some(_) => shape.parts.get_or_build(|| of_mesh(shape)).as_ref(),
        None => Some(shape),
    }
}

fn of_mesh(shape: &Shape) -> Option<Shape> {
    let mesh = shape.mesh.as_ref()?;
    let at = |vertices: Vec<u32>| vertices.iter().map(|&v| mesh.vertices()[v as usize]).collect::<Vec<_>>();
    let components = convex_components(mesh).map(|solids| solids.into_iter().map(at).collect::<Vec<_>>());
    let solids = components.or_else(|| convex_cells(mesh))?;
    let whole = Shape { model: Model::Pieces, mesh: None, condition: None, ..shape.clone() };
    if solids.len() == 1 {
        return Some(whole);
    }
    let hull = shape.hull();
    let piece = |points: &Vec<Vec3<f64>>| {
        let core = convex_hull(points).ok().filter(|core| core.dimension == 3)?;
        Some(Piece { core: core.recentred(shape.center, hull.radius), radius: hull.radius })
    };
    let pieces = solids.iter().map(piece).collect::<Option<_>>()?;
    Some(Shape { pieces, hull: Some(Box::new(hull.clone())), ..whole })
}
