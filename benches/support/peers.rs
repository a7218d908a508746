//! Readers of the files of the peers' harness: shapes (PXS1) and queries (PXQ1).

use clearsweep_geometry::hull::convex_hull;
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_scene::{Geometry, Model, Piece, Shape};
use std::path::Path;

/// A query: two shapes at their poses.
pub(crate) struct Query {
    /// Its place in the file.
    pub(crate) index: usize,
    /// Number of the sequence that it is of.
    pub(crate) seq: u32,
    pub(crate) shapes: [usize; 2],
    pub(crate) poses: [Pose; 2],
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

/// A number of a file.
pub(crate) fn f64_at(bytes: &[u8], at: usize) -> f64 {
    f64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
}

/// A body of triangles, through a file.
pub(crate) fn mesh(points: &[Vec3<f64>], triangles: impl Iterator<Item = [u32; 3]>) -> Shape {
    let mut text: String = points.iter().map(|p| format!("v {:?} {:?} {:?}\n", p.x, p.y, p.z)).collect();
    text.extend(triangles.map(|[a, b, c]| format!("f {} {} {}\n", a + 1, b + 1, c + 1)));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mesh.obj");
    std::fs::write(&file, text).unwrap();
    (*Geometry::file(file, Some(Model::Mesh)).shape(0.0).unwrap()).clone()
}

/// The bodies of a file PXS1; those of triangles as exact triangles.
pub(crate) fn read_shapes(path: &Path) -> Vec<Shape> {
    let bytes = std::fs::read(path).unwrap();
    let mut at = 8;
    (0..u32_at(&bytes, 4))
        .map(|_| {
            let is_mesh = u32_at(&bytes, at) == 1;
            let (nv, nt) = (u32_at(&bytes, at + 4) as usize, u32_at(&bytes, at + 8) as usize);
            at += 40;
            let v = |i: usize| {
                Vec3::new(
                    f64_at(&bytes, at + 24 * i),
                    f64_at(&bytes, at + 24 * i + 8),
                    f64_at(&bytes, at + 24 * i + 16),
                )
            };
            let points: Vec<_> = (0..nv).map(v).collect();
            at += nv * 24;
            let triangles = (0..nt).map(|i| [0, 4, 8].map(|k| u32_at(&bytes, at + 12 * i + k)));
            if is_mesh {
                let shape = mesh(&points, triangles);
                at += nt * 12;
                return shape;
            }
            at += nt * 12;
            let core = convex_hull(&points).unwrap();
            let radius = core.radius;
            let pieces = vec![Piece { core, radius: 0.0 }];
            let (vertices, triangles) = (nv as u64, nt as u64);
            Shape {
                model: Model::Hull,
                pieces,
                hull: None,
                center: Vec3::ZERO,
                middle: Vec3::ZERO,
                radius,
                vertices,
                triangles,
                watertight: None,
                fit: None,
                deviation: 0.0,
                decomposition_deviation: None,
                uneven: None,
                coordinate_step: 0.0,
                mesh: None,
                faces: Default::default(),
                tree: Default::default(),
                parts: Default::default(),
                condition: None,
            }
        })
        .collect()
}

/// The queries of a file PXQ1.
pub(crate) fn read_queries(path: &Path) -> Vec<Query> {
    let bytes = std::fs::read(path).unwrap();
    (0..u32_at(&bytes, 4) as usize)
        .map(|i| {
            let at = 8 + 128 * i;
            let pose = |at: usize| {
                let f = |k: usize| f64_at(&bytes, at + 8 * k);
                Pose::new([f(0), f(1), f(2)], [f(3), f(4), f(5), f(6)])
            };
            Query {
                index: i,
                seq: u32_at(&bytes, at),
                shapes: [u32_at(&bytes, at + 4) as usize, u32_at(&bytes, at + 8) as usize],
                poses: [pose(at + 16), pose(at + 72)],
            }
        })
        .collect()
}
