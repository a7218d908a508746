//! All pairs of triangles that may be within a distance.

use super::leaf_gaps::LeafTriangles;
use super::line_gap::line_gap;
use super::memory::MeshMemory;
use super::place::MeshPlace;
use super::search::MeshSearch;
use clearsweep_geometry::mesh::{Child, NodeId, SearchFrame, TriangleMesh, WIDTH};
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

/// Choice of the pairs of triangles that count as near.
pub(crate) trait NearPairs {
    /// A distance up to which parts of both meshes may be near, which depends on balls around them, metres. It does not grow when the balls shrink.
    fn reach(&self, balls: [MeshBall; 2]) -> f64;

    /// Takes pairs of triangles of two leaves, which are within reach, out of those that are near: bit `j` of row `i`. `balls`: around both leaves;
    /// `of_a`: the triangles of A's.
    fn rule_out(&mut self, _leaves: [u32; 2], _balls: [MeshBall; 2], _of_a: &LeafTriangles, _near: &mut [u8; WIDTH]) {}
}

/// All pairs up to a distance, metres.
pub(super) struct UpTo(pub(super) f64);

impl NearPairs for UpTo {
    fn reach(&self, _: [MeshBall; 2]) -> f64 {
        self.0
    }
}

/// Finds the pairs of triangles of two meshes that may be near, in the order of the trees. Returns whether they were found: not if they, or the
/// nodes above them, are more than the limits.
pub(crate) fn triangles_within(
    meshes: [&TriangleMesh; 2],
    poses: [Pose; 2],
    relative: RelativePose<f64>,
    (pairs, most): (&mut dyn NearPairs, WithinLimits),
    memory: &mut MeshMemory,
    found: &mut Vec<[u32; 2]>,
) -> bool {
    let place = MeshPlace::new(meshes, poses, relative, 0.0);
    let balls = meshes.map(|mesh| (mesh.middle(), mesh.extent().length()));
    if !(place.size + pairs.reach(balls)).is_finite() {
        return false;
    }
    let axes = SearchFrame::along(Vec3::new(1.0, 0.0, 0.0));
    let mut search = MeshSearch::new(&place, 0.0, axes, &mut memory.search);
    let mut open = vec![(search.roots(), balls)];
    while let Some((nodes, balls)) = open.pop() {
        search.found.limit = pairs.reach(balls).max(place.contact());
        if let [Child::Leaf(a), Child::Leaf(b)] = nodes.map(NodeId::get) {
            let rule_out = |of_a: &LeafTriangles, near: &mut _| pairs.rule_out([a, b], balls, of_a, near);
            found.extend(search.near_triangles(nodes, rule_out));
        } else {
            let whole = search.compare_boxes(nodes);
            let (from, reach) = (open.len(), search.found.reach());
            for (lanes, children) in search.near_children(nodes, whole) {
                if let ([Child::Inner(a), Child::Inner(b)], [false, false]) = (nodes.map(NodeId::get), whole)
                    && line_gap(&place, [a, b], lanes) > reach
                {
                    continue;
                }
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
