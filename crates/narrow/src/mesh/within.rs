//! All pairs of triangles that may be within a distance.

use super::memory::MeshMemory;
use super::place::MeshPlace;
use super::search::MeshSearch;
use clearsweep_geometry::mesh::{Child, SearchFrame, TriangleMesh};
use clearsweep_geometry::{Pose, RelativePose, Vec3};

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

/// A ball around a part of a mesh: its middle in the frame of the mesh, and its radius, metres.
pub(crate) type MeshBall = (Vec3<f64>, f64);

/// Finds the pairs of triangles of two meshes that may be within a reach (metres), which depends on balls around them, in the order of the trees.
/// `reach` does not grow when the balls shrink. Returns whether they were found: not if they, or the nodes above them, are more than the limits.
pub(crate) fn triangles_within(
    meshes: [&TriangleMesh; 2],
    poses: [Pose; 2],
    relative: RelativePose<f64>,
    (reach, most): (&dyn Fn([MeshBall; 2]) -> f64, WithinLimits),
    memory: &mut MeshMemory,
    found: &mut Vec<[u32; 2]>,
) -> bool {
    let place = MeshPlace::new(meshes, poses, relative, 0.0);
    let balls = meshes.map(|mesh| (mesh.middle(), mesh.extent().length()));
    if !(place.size + reach(balls)).is_finite() {
        return false;
    }
    let axes = SearchFrame::along(Vec3::new(1.0, 0.0, 0.0));
    let mut search = MeshSearch::new(&place, 0.0, axes, &mut memory.search);
    let mut open = vec![(search.roots(), balls)];
    while let Some((nodes, balls)) = open.pop() {
        search.found.limit = reach(balls).max(place.contact());
        if nodes.iter().all(|node| node.is_leaf()) {
            found.extend(search.near_triangles(nodes));
        } else {
            let whole = search.compare_boxes(nodes);
            let from = open.len();
            for (lanes, children) in search.near_children(nodes, whole) {
                let ball = |k: usize| match nodes[k].get() {
                    Child::Inner(node) if !whole[k] => meshes[k].node(node).ball(lanes[k].into()),
                    _ => balls[k],
                };
                open.push((children, [ball(0), ball(1)]));
            }
            open[from..].reverse();
        }
        if found.len() > most.pairs || search.memory.counts[1] > most.nodes {
            return false;
        }
    }
    true
}
