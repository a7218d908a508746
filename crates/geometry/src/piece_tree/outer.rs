//! A hull of few vertices and how far points reach from it.

use super::node::NODE_VERTICES;
use crate::hull::{HullError, check_range, convex_hull, extreme_points};
use crate::mesh::fans;
use crate::triangle_tree::TriangleTree;
use crate::vec3::Vec3;

/// Cells along a side of the cube around the directions in which a vertex is kept: 6 * 3 * 3
/// directions.
const SIDE: i32 = 3;

/// Vertices, and how far points reach from their hull at most, metres: proven, rounding included.
pub(super) struct OuterHull {
    pub(super) vertices: Vec<Vec3<f64>>,
    pub(super) excess: f64,
}

/// A hull of at most [`NODE_VERTICES`] vertices of points: their own of few points, else that of
/// the farthest in fixed directions.
///
/// # Errors
/// See [`HullError`].
pub(super) fn around(points: &[Vec3<f64>]) -> Result<OuterHull, HullError> {
    if points.len() <= NODE_VERTICES {
        let vertices = extreme_points(points)?.into_iter().map(|p| points[p as usize]).collect();
        return Ok(OuterHull { vertices, excess: 0.0 });
    }
    check_range(points)?;
    let vertices = farthest(points);
    let hull = convex_hull(&vertices)?;
    let faces = fans(&hull).map(|(_, corners)| corners.map(|v| hull.vertex(v))).collect();
    let tree = TriangleTree::new(faces);
    // A difference of coordinates, and with it a distance, is off by a few units of the largest.
    let largest = points.iter().flat_map(|p| p.to_array()).fold(0.0_f64, |most, c| most.max(c.abs()));
    let rounding = 64.0 * f64::EPSILON * largest;
    let is_inside = |p: Vec3<f64>| {
        let height = |f: usize| hull.normals[f].dot(p - hull.vertex(hull.face(f as u32)[0]));
        hull.dimension == 3 && (0..hull.face_count()).all(|f| height(f) <= -rounding)
    };
    let outside = points.iter().filter(|&&p| !is_inside(p));
    let excess = outside.map(|&p| tree.nearest(p, usize::MAX).d2.sqrt()).fold(0.0, f64::max);
    Ok(OuterHull { vertices, excess: excess * (1.0 + 64.0 * f64::EPSILON) + rounding })
}

/// The points that are farthest in the directions of a cube's cells, each once.
fn farthest(points: &[Vec3<f64>]) -> Vec<Vec3<f64>> {
    let mut kept = Vec::new();
    for direction in directions() {
        let heights = points.iter().map(|p| p.dot(direction)).enumerate();
        kept.extend(heights.reduce(|most, next| if next.1 > most.1 { next } else { most }).map(|(at, _)| at));
    }
    kept.sort_unstable();
    kept.dedup();
    kept.into_iter().map(|at| points[at]).collect()
}

/// The middles of the cells of a grid on the faces of a cube.
fn directions() -> impl Iterator<Item = Vec3<f64>> {
    let cells = (0..SIDE).flat_map(|u| (0..SIDE).map(move |v| [u, v]));
    let middle = |cell: i32| f64::from(2 * cell + 1 - SIDE) / f64::from(SIDE);
    cells.flat_map(move |[u, v]| {
        let [u, v] = [middle(u), middle(v)];
        [1.0, -1.0].into_iter().flat_map(move |w| [[w, u, v], [v, w, u], [u, v, w]].map(Vec3::from))
    })
}
