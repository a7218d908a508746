//! Working memory of the narrow phase: nothing in it outlasts a query but its allocations.

use super::batch::BatchMemory;
use super::compound::CompoundWork;
use super::epa::Polytope;
use super::interval::FacingMemory;
use super::mesh::MeshMemory;
use super::relative::RelativeLanes;

/// Working memory of one thread, some sixty kilobytes. It is passed from query to query, since
/// clearing it would cost more than a query; what it holds changes no row.
#[derive(Debug, Default)]
pub struct Workspace {
    /// The relative poses of a pair.
    pub(super) relative: RelativeLanes,
    /// Working memory of queries eight lanes wide.
    pub(super) batch: BatchMemory,
    /// The polytope of an overlap.
    pub(super) polytope: Polytope,
    /// Working memory of bodies of several pieces.
    pub(super) compounds: CompoundWork,
    /// Working memory of triangle meshes: as large as the largest of them that was met.
    pub(super) meshes: MeshMemory,
    /// Working memory of their intervals.
    pub(super) facing: FacingMemory,
    /// Ends of the rows of queries, for callers that do not ask for them.
    pub(super) ends: Vec<usize>,
}
