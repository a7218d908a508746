//! A hull of few vertices and how far points reach from it.

use super::node::NODE_VERTICES;
use crate::hull::{HullError, convex_hull, extreme_points};
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

/// A hull of at most [`NODE_VERTICES`] vertices of points: their own if it has no more, else that
/// of the farthest in fixed directions.
///
/// # Errors
/// See [`HullError`].
pub(super) fn around(points: &[Vec3<f64>]) -> Result<OuterHull, HullError> {
    let extreme: Vec<Vec3<f64>> = extreme_points(points)?.into_iter().map(|p| points[p as usize]).collect();
    if extreme.len() <= NODE_VERTICES {
        return Ok(OuterHull { vertices: extreme, excess: 0.0 });
    }
    let vertices = farthest(&extreme);
    let hull = convex_hull(&vertices)?;
    let faces = fans(&hull).map(|(_, corners)| corners.map(|v| hull.vertex(v))).collect();
    let tree = TriangleTree::new(faces);
    let distance = |&p: &Vec3<f64>| tree.nearest(p, usize::MAX).d2.sqrt();
    let excess = extreme.iter().map(distance).fold(0.0, f64::max);
    // A difference of coordinates, and with it a distance, is off by a few units of the largest.
    let largest = extreme.iter().flat_map(|p| p.to_array()).fold(0.0_f64, |most, c| most.max(c.abs()));
    Ok(OuterHull { vertices, excess: excess * (1.0 + 64.0 * f64::EPSILON) + 64.0 * f64::EPSILON * largest })
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
