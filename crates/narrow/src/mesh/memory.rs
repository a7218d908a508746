//! Working memory.

use super::depth::DepthMemory;
use super::search::MeshSearchMemory;

/// Working memory of queries of meshes.
#[derive(Debug, Default)]
pub(crate) struct MeshMemory {
    pub(super) search: MeshSearchMemory,
    pub(super) depth: DepthMemory,
}
