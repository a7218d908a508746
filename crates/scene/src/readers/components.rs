//! Parts of a mesh: some of its triangles with the vertices that they use, and the components that
//! hang together.

use super::mesh::Mesh;
use crate::mesh::edges;
use clearsweep_base::workers::Workers;
use std::collections::HashMap;

/// The mesh of some triangles (ascending indices). Its vertices are those that the triangles use,
/// in the order of the file; its pieces are numbered anew, in order of first use.
fn subset(mesh: &Mesh, triangles: &[u32]) -> Mesh {
    let mut used: Vec<u32> = triangles.iter().flat_map(|&t| mesh.triangles[t as usize]).collect();
    used.sort_unstable();
    used.dedup();
    let renamed = |vertex: u32| used.partition_point(|&v| v < vertex) as u32;
    let warp = |t: &u32| mesh.warped.binary_search_by_key(t, |warped| warped.0).ok().map(|at| mesh.warped[at].1);
    let mut part = Mesh {
        vertices: used.iter().map(|&v| mesh.vertices[v as usize]).collect(),
        triangles: triangles.iter().map(|&t| mesh.triangles[t as usize].map(renamed)).collect(),
        coordinate_step: mesh.coordinate_step,
        is_sheet: mesh.is_sheet,
        warped: (0..).zip(triangles).filter_map(|(number, t)| Some((number, warp(t)?))).collect(),
        ..Mesh::default()
    };
    let mut pieces: HashMap<u32, u32> = HashMap::new();
    for &triangle in triangles {
        let (piece, next) = (mesh.piece[triangle as usize], pieces.len() as u32); // at most one for each triangle
        let number = *pieces.entry(piece).or_insert(next);
        if number == next {
            part.names.push(mesh.names.get(piece as usize).cloned().unwrap_or_default());
        }
        part.piece.push(number);
    }
    part.pieces = pieces.len();
    part
}

/// The mesh without the vertices that no triangle uses.
pub(super) fn without_unused(mesh: Mesh) -> Mesh {
    let mut used = vec![false; mesh.vertices.len()];
    mesh.triangles.as_flattened().iter().for_each(|&vertex| used[vertex as usize] = true);
    if used.iter().all(|&used| used) {
        return mesh;
    }
    subset(&mesh, &(0..mesh.triangles.len() as u32).collect::<Vec<_>>())
}

/// The pieces of a mesh, each as a mesh.
pub(super) fn by_piece(mesh: &Mesh) -> Vec<Mesh> {
    group(mesh, &mesh.piece, mesh.pieces)
}

/// The meshes of the triangles of each number below `count`.
pub(super) fn group(mesh: &Mesh, numbers: &[u32], count: usize) -> Vec<Mesh> {
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); count];
    for (&number, triangle) in numbers.iter().zip(0..) {
        members[number as usize].push(triangle);
    }
    members.iter().map(|triangles| subset(mesh, triangles)).collect()
}

/// The connected components of a mesh, in order of their first triangles. Triangles are connected
/// if they share an edge; vertices of equal positions are one, since many formats repeat them.
pub(super) fn split(mesh: &Mesh) -> Vec<Mesh> {
    let numbers = components(mesh);
    let count = numbers.iter().max().map_or(0, |&most| most as usize + 1);
    group(mesh, &numbers, count)
}

/// For each triangle the number of its component.
fn components(mesh: &Mesh) -> Vec<u32> {
    let mut known: HashMap<[u64; 3], u32> = HashMap::with_capacity(mesh.vertices.len());
    let point = |position: &[f64; 3]| {
        let next = known.len() as u32;
        *known.entry(position.map(|c| (c + 0.0).to_bits())).or_insert(next) // -0 is 0
    };
    let points: Vec<u32> = mesh.vertices.iter().map(point).collect();
    let welded = |corners: &[u32; 3]| corners.map(|vertex| points[vertex as usize]);
    let triangles: Vec<[u32; 3]> = mesh.triangles.iter().map(welded).collect();
    edges::components(triangles.len(), &edges::edge_uses(&triangles, &Workers::none()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tetrahedra as triangle soup (each corner a vertex of its own), at some places along x, their
    /// triangles interleaved.
    fn soup(places: &[f64]) -> Mesh {
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let mut mesh = Mesh::default();
        for face in [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]] {
            for (&x, piece) in places.iter().zip(0..) {
                let first = mesh.vertices.len() as u32;
                mesh.vertices.extend(face.map(|v: usize| [corners[v][0] + x, corners[v][1], corners[v][2]]));
                mesh.triangles.push([first, first + 1, first + 2]);
                mesh.piece.push(piece);
            }
        }
        mesh.pieces = places.len();
        mesh
    }

    #[test]
    fn solids_are_told_apart_though_they_touch_at_a_corner() {
        let parts = split(&soup(&[5.0, 0.0, 1.0]));
        assert_eq!(parts.len(), 3);
        for (part, x) in parts.iter().zip([5.0, 0.0, 1.0]) {
            assert_eq!((part.triangles.len(), part.vertices.len(), part.pieces), (4, 12, 1));
            assert_eq!(part.vertices[0], [x, 0.0, 0.0]);
            assert_eq!(part.piece, [0; 4]);
        }
        assert_eq!(split(&soup(&[3.0])).len(), 1);
        assert!(split(&Mesh::default()).is_empty());
    }

    #[test]
    fn a_subset_keeps_the_order_of_vertices_and_pieces() {
        let mesh = Mesh {
            vertices: (0..6).map(|x| [f64::from(x), 0.0, 0.0]).collect(),
            triangles: vec![[5, 1, 3], [0, 1, 2], [3, 4, 5]],
            piece: vec![2, 0, 1],
            pieces: 3,
            names: ["a", "b", "c"].map(String::from).to_vec(),
            coordinate_step: 0.5,
            warped: vec![(0, 1.0), (1, 2.0), (2, 3.0)],
            ..Mesh::default()
        };
        let part = subset(&mesh, &[0, 2]);
        assert_eq!(part.vertices.iter().map(|v| v[0]).collect::<Vec<_>>(), [1.0, 3.0, 4.0, 5.0]);
        assert_eq!((part.triangles, part.piece, part.pieces), (vec![[3, 0, 1], [1, 2, 3]], vec![0, 1], 2));
        assert_eq!(part.names, ["c", "b"]);
        assert_eq!((part.coordinate_step, part.warped), (0.5, vec![(0, 1.0), (1, 3.0)]));
    }
}
