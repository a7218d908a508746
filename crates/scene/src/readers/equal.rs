//! Meshes of equal contents: a file often holds a part many times, each time as a mesh of its own.

use super::mesh::Mesh;
use crate::distinct::PointHash;
use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;

/// The different meshes among many.
#[derive(Default)]
pub(crate) struct DifferentMeshes {
    /// By the numbers of vertices and triangles.
    known: HashMap<(usize, usize), MeshesOfSize>,
    hash: PointHash,
}

/// Meshes of one size. A mesh that is alone is not hashed.
struct MeshesOfSize {
    first: Arc<Mesh>,
    by_hash: HashMap<u64, Vec<Arc<Mesh>>>,
}

impl DifferentMeshes {
    /// The first mesh with the contents of this one, which is itself if there was none. The names
    /// of pieces do not count.
    pub(crate) fn first(&mut self, mesh: &Arc<Mesh>) -> Arc<Mesh> {
        let size = (mesh.vertices.len(), mesh.triangles.len());
        let Some(of_size) = self.known.get_mut(&size) else {
            self.known.insert(size, MeshesOfSize { first: Arc::clone(mesh), by_hash: HashMap::new() });
            return Arc::clone(mesh);
        };
        if of_size.by_hash.is_empty() {
            let first = Arc::clone(&of_size.first);
            of_size.by_hash.insert(hashed(&first, self.hash), vec![first]);
        }
        let same_hash = of_size.by_hash.entry(hashed(mesh, self.hash)).or_default();
        if let Some(known) = same_hash.iter().find(|known| is_same(known, mesh)) {
            return Arc::clone(known);
        }
        same_hash.push(Arc::clone(mesh));
        Arc::clone(mesh)
    }
}

/// Bits, since a sign of a zero makes another row.
fn bits(mesh: &Mesh) -> impl Iterator<Item = u64> {
    mesh.vertices.as_flattened().iter().map(|c| c.to_bits())
}

fn hashed(mesh: &Mesh, hash: PointHash) -> u64 {
    let mut hasher = hash.build_hasher();
    bits(mesh).for_each(|word| hasher.write_u64(word));
    mesh.triangles.iter().for_each(|&[a, b, c]| {
        hasher.write_u64(u64::from(a) << 32 | u64::from(b));
        hasher.write_u64(u64::from(c));
    });
    hasher.finish()
}

/// Whether bodies of both meshes are the same, but for the names of pieces in messages.
fn is_same(a: &Arc<Mesh>, b: &Arc<Mesh>) -> bool {
    let Mesh { vertices: _, triangles, piece, pieces, names: _, coordinate_step, warped, is_sheet } = &**a;
    Arc::ptr_eq(a, b)
        || (*triangles == b.triangles
            && (piece, pieces, is_sheet) == (&b.piece, &b.pieces, &b.is_sheet)
            && coordinate_step.to_bits() == b.coordinate_step.to_bits()
            && *warped == b.warped
            && bits(a).eq(bits(b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meshes_are_the_same_if_every_bit_of_them_is() {
        let mesh = |x: f64| Mesh {
            vertices: vec![[x, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
            triangles: vec![[0, 1, 2]],
            piece: vec![0],
            pieces: 1,
            names: vec![format!("node {x}")],
            ..Mesh::default()
        };
        let others = [
            mesh(0.5),
            mesh(-0.0),
            Mesh { triangles: vec![[0, 2, 1]], ..mesh(0.0) },
            Mesh { is_sheet: true, ..mesh(0.0) },
            Mesh { coordinate_step: 1e-9, ..mesh(0.0) },
            Mesh { warped: vec![(0, 1e-9)], ..mesh(0.0) },
            Mesh { pieces: 2, piece: vec![1], ..mesh(0.0) },
            Mesh { vertices: vec![[0.0; 3]; 4], ..mesh(0.0) },
        ];
        let mut known = DifferentMeshes::default();
        let first: Vec<Arc<Mesh>> = std::iter::once(mesh(0.0)).chain(others).map(Arc::new).collect();
        assert!(first.iter().all(|mesh| Arc::ptr_eq(&known.first(mesh), mesh)));
        for of_first in &first {
            let again = Mesh { names: vec!["node 7".to_owned()], ..(**of_first).clone() };
            assert!(Arc::ptr_eq(&known.first(&Arc::new(again)), of_first));
        }
    }
}
