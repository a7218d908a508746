//! The convex pieces that a body is, exactly.

use super::mesh::convex_components;
use super::model::{Model, Piece, Shape};
use clearsweep_geometry::hull::convex_hull;

/// The body as convex pieces that are the same set of points: of a mesh that is convex or put together of convex solids, which are found
/// when first asked for; of a body that is no mesh itself. `None`: of other meshes.
pub fn convex_parts(shape: &Shape) -> Option<&Shape> {
    match &shape.mesh {
        Some(_) => shape.parts.get_or_build(|| of_mesh(shape)).as_ref(),
        None => Some(shape),
    }
}

fn of_mesh(shape: &Shape) -> Option<Shape> {
    let mesh = shape.mesh.as_ref()?;
    let solids = convex_components(mesh)?;
    let whole = Shape { model: Model::Pieces, mesh: None, condition: None, ..shape.clone() };
    if solids.len() == 1 {
        return Some(whole);
    }
    let hull = shape.hull();
    let piece = |vertices: &Vec<u32>| {
        let points: Vec<_> = vertices.iter().map(|&v| mesh.vertices()[v as usize]).collect();
        let core = convex_hull(&points).ok().filter(|core| core.dimension == 3)?;
        Some(Piece { core: core.recentred(shape.center, hull.radius), radius: hull.radius })
    };
    let pieces = solids.iter().map(piece).collect::<Option<_>>()?;
    Some(Shape { pieces, hull: Some(hull.clone()), ..whole })
}
