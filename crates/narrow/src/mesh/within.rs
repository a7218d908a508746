//! All pairs of triangles that may be within a distance.

use super::depth::MeshMemory;
use super::place::MeshPlace;
use super::tree_order::{NearPairs, balls, in_order_of_trees};
use clearsweep_geometry::mesh::TriangleMesh;
use clearsweep_geometry::{Pose, RelativePose};

/// Pairs of triangles and of nodes that cost less than a search for the nearest.
pub(crate) const FEW: [usize; 2] = [1 << 15, 1 << 14];

/// No limit of the number of pairs.
pub(super) const ALL: [usize; 2] = [usize::MAX; 2];

/// Finds the pairs of triangles of two meshes that may be near, in the order of the trees. Returns
/// whether all were found: not if they, or the nodes above them, are more than the limits.
pub(crate) fn triangles_within(
    meshes: [&TriangleMesh; 2],
    poses: [Pose; 2],
    relative: RelativePose<f64>,
    pairs: &mut impl NearPairs,
    [most_pairs, most_nodes]: [usize; 2],
    memory: &mut MeshMemory,
    near: &mut Vec<[u32; 2]>,
) -> bool {
    let place = MeshPlace::new(meshes, poses, relative, 0.0);
    if !(place.size + pairs.reach(balls(&place))).is_finite() {
        return false;
    }
    let ended = in_order_of_trees(&place, pairs, true, most_nodes, &mut memory.search, |_, pair| {
        near.push(pair);
        near.len() > most_pairs
    });
    !ended
}
