//! Faults of a glTF file, and limits on the size of its scene.

use crate::readers::mesh::Fault;

pub(super) const REMEDY: &str = "export the file again; a glTF validator says more";

/// Most vertices, and most triangles, after every node has its copy: a small file may name one mesh
/// many times.
pub(super) const MAX_INSTANCED: usize = 1 << 26;

/// Most times that a vertex is moved by a morph target or a joint: a short file may name one target
/// many times.
pub(super) const MAX_MOVES: usize = 1 << 30;

/// A fault of the file as a whole.
pub(super) fn fault(problem: impl Into<String>) -> Fault {
    Fault::new(problem, REMEDY)
}
