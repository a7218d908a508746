//! The surface of convex pieces, built when it is first asked for.

use super::TriangleMesh;
use crate::geometry::Polyhedron;
use std::fmt;
use std::sync::OnceLock;

/// A surface that is built when first asked for. It says nothing that its body does not: two of them are always equal.
#[derive(Default)]
pub struct LazySurface(OnceLock<Box<TriangleMesh>>);

impl LazySurface {
    /// That of these pieces, which are the same each time.
    pub(crate) fn get_or_build<'a>(&self, pieces: impl Iterator<Item = &'a Polyhedron>) -> &TriangleMesh {
        self.0.get_or_init(|| Box::new(TriangleMesh::of_pieces(pieces)))
    }
}

impl Clone for LazySurface {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for LazySurface {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl fmt::Debug for LazySurface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.get().is_some() { "built" } else { "not built" })
    }
}
