//! Bodies for the tests: hulls, bodies of pieces, meshes of cubes.

use crate::certificate::random_bodies::RandomBodies;
use clearsweep_base::workers::Workers;
use clearsweep_geometry::hull::convex_hull;
use clearsweep_geometry::mesh::InsideOf;
use clearsweep_geometry::{LazyPieceTree, LazySurface, TriangleMesh, Vec3};
use clearsweep_model::{LazyParts, Model, Piece, Shape};
use std::sync::Arc;

/// The hull of points, inflated by a radius, metres.
pub(super) fn body(points: &[Vec3<f64>], growth: f64) -> Shape {
    let core = convex_hull(points).expect("finite points");
    let radius = (core.radius + growth).next_up();
    Shape {
        model: Model::Hull,
        pieces: vec![Piece { core, radius: growth }],
        hull: None,
        center: Vec3::ZERO,
        middle: Vec3::ZERO,
        radius,
        deviation: 0.0,
        decomposition_deviation: None,
        uneven: None,
        vertices: 0,
        triangles: 0,
        coordinate_step: 0.0,
        watertight: None,
        fit: None,
        mesh: None,
        faces: LazySurface::default(),
        tree: LazyPieceTree::default(),
        parts: LazyParts::default(),
        condition: None,
    }
}

/// The corners of a box around the origin.
pub(super) fn corners([x, y, z]: [f64; 3]) -> Vec<Vec3<f64>> {
    let sign = |k: usize, axis: usize| if k >> axis & 1 == 1 { 1.0 } else { -1.0 };
    (0..8).map(|k| Vec3::new(x * sign(k, 0), y * sign(k, 1), z * sign(k, 2))).collect()
}

pub(super) fn cuboid(half: [f64; 3]) -> Shape {
    body(&corners(half), 0.0)
}

pub(super) fn moved(points: &[Vec3<f64>], by: Vec3<f64>) -> Vec<Vec3<f64>> {
    points.iter().map(|&p| p + by).collect()
}

/// A body of several pieces.
pub(super) fn pieces(parts: &[Vec<Vec3<f64>>]) -> Shape {
    let whole = body(&parts.concat(), 0.0);
    let pieces = parts.iter().map(|part| body(part, 0.0).pieces.remove(0)).collect();
    Shape { model: Model::Pieces, hull: Some(Box::new(whole.pieces[0].clone())), pieces, ..whole }
}

/// Points of the unit cube.
pub(super) fn points(random: &mut RandomBodies, count: usize) -> Vec<Vec3<f64>> {
    (0..count).map(|_| Vec3::new(random.next(), random.next(), random.next()).scale(0.8)).collect()
}

/// Points in the world: the vector formula of a quaternion, which need not have length 1.
pub(super) fn moved_points(points: &[Vec3<f64>], [w, x, y, z]: [f64; 4], by: Vec3<f64>) -> Vec<Vec3<f64>> {
    let (axis, square) = (Vec3::new(x, y, z), w * w + x * x + y * y + z * z);
    let turned = |p: Vec3<f64>| {
        let once = axis.cross(p);
        p + (once.scale(w) + axis.cross(once)).scale(2.0 / square)
    };
    points.iter().map(|&p| turned(p) + by).collect()
}

/// The triangles of the boundary of a cube around the origin; `sense` -1: turned inwards. `first`:
/// number of its first vertex.
fn cube(first: u32, sense: f64) -> Vec<[u32; 3]> {
    let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let halves = sides.into_iter().flat_map(|[a, b, c, d]: [u32; 4]| [[a, b, c], [a, c, d]]);
    halves.map(|[a, b, c]| if sense > 0.0 { [a, b, c] } else { [a, c, b] }.map(|v| v + first)).collect()
}

/// A solid mesh of shells: cubes of half a side and a sense. `deviation`: metres.
pub(super) fn mesh(shells: &[(f64, f64)], deviation: f64) -> Shape {
    let vertices: Vec<_> = shells.iter().flat_map(|&(half, _)| corners([half; 3])).collect();
    let triangles = shells.iter().enumerate().flat_map(|(k, &(_, sense))| cube(8 * k as u32, sense)).collect();
    let mut shape = of_triangles(vertices, triangles, InsideOf::Solid);
    shape.deviation = deviation;
    shape
}

/// A square sheet of two triangles, across z.
pub(super) fn sheet(half: f64) -> Shape {
    let vertices = corners([half, half, 0.0])[..4].to_vec();
    of_triangles(vertices, vec![[0, 1, 3], [0, 3, 2]], InsideOf::Surface)
}

fn of_triangles(vertices: Vec<Vec3<f64>>, triangles: Vec<[u32; 3]>, inside: InsideOf) -> Shape {
    let whole = body(&vertices, 0.0);
    let [v, t] = [vertices.len() as u32, triangles.len() as u32];
    let mesh = TriangleMesh::new(vertices, triangles, (0..v).collect(), (0..t).collect(), inside, &Workers::none());
    Shape { model: Model::Mesh, mesh: Some(Arc::new(mesh)), ..whole }
}
