//! All pairs of triangles that may be within a distance.

use super::depth::MeshMemory;
use super::place::MeshPlace;
use super::tree_order::{NearPairs, balls, in_order_of_trees};
use clearsweep_geometry::mesh::TriangleMesh;
use clearsweep_geometry::{Pose, RelativePose};

/// Limits of the number of pairs that are looked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WithinLimits {
    /// Pairs of triangles, at most.
    pairs: usize,
    /// Pairs of nodes that are compared for them, at most.
    nodes: usize,
}

impl WithinLimits {
    /// As many as are cheaper than a search for the nearest.
    pub(crate) const FEW: Self = Self { pairs: 1 << 15, nodes: 1 << 14 };

    /// All.
    pub(crate) const NONE: Self = Self { pairs: usize::MAX, nodes: usize::MAX };
}

/// Finds the pairs of triangles of two meshes that may be near, in the order of the trees. Returns
/// whether all were found: not if they, or the nodes above them, are more than the limits.
pub(crate) fn triangles_within(
    meshes: [&TriangleMesh; 2],
    poses: [Pose; 2],
    relative: RelativePose<f64>,
    pairs: &mut impl NearPairs,
    most: WithinLimits,
    memory: &mut MeshMemory,
    near: &mut Vec<[u32; 2]>,
) -> bool {
    let place = MeshPlace::new(meshes, poses, relative, 0.0);
    if !(place.size + pairs.reach(balls(&place))).is_finite() {
        return false;
    }
    let ended = in_order_of_trees(&place, pairs, (true, most.nodes), &mut memory.search, |_, pair| {
        near.push(pair);
        near.len() > most.pairs
    });
    !ended
}
