//! Pairs of triangles in the order of the trees: those within reach, and those that touch.

use super::leaf_gaps::LeafTriangles;
use super::line_gap::line_gap;
use super::pair_distance::{PairDistance, pair_distance};
use super::place::MeshPlace;
use super::search::{MeshSearch, MeshSearchMemory};
use clearsweep_geometry::Vec3;
use clearsweep_geometry::mesh::{Child, NodeId, SearchFrame, WIDTH};

/// A ball around a part of a mesh: its middle in the frame of the mesh, and its radius, metres.
pub(crate) type MeshBall = (Vec3<f64>, f64);

/// Choice of the pairs of triangles that count as near.
pub(crate) trait NearPairs {
    /// A distance up to which parts of both meshes may be near, which depends on balls around them,
    /// metres. It does not grow when the balls shrink.
    fn reach(&self, balls: [MeshBall; 2]) -> f64;

    /// Takes pairs of triangles of two leaves, which are within reach, out of those that are near:
    /// bit `j` of row `i`. `balls`: around both leaves; `of_a`: the triangles of A's.
    fn rule_out(&mut self, _leaves: [u32; 2], _balls: [MeshBall; 2], _of_a: &LeafTriangles, _near: &mut [u8; WIDTH]) {}
}

/// All pairs up to a distance, metres.
impl NearPairs for f64 {
    fn reach(&self, _: [MeshBall; 2]) -> f64 {
        *self
    }
}

/// Balls around two meshes as a whole.
pub(super) fn balls(place: &MeshPlace<'_>) -> [MeshBall; 2] {
    [place.a, place.b].map(|mesh| (mesh.middle(), mesh.extent().length()))
}

/// Gives `take` the pairs of triangles that neither boxes nor planes prove to be out of reach, with
/// the reach in metres, in the order of the trees. Returns whether it ended early: `take` said so,
/// or more than `most` pairs of nodes were compared. `by_lines`: whether the lines between the
/// middles of boxes rule out pairs, too.
pub(super) fn in_order_of_trees(
    place: &MeshPlace<'_>,
    pairs: &mut impl NearPairs,
    by_lines: bool,
    most: usize,
    memory: &mut MeshSearchMemory,
    mut take: impl FnMut(f64, [u32; 2]) -> bool,
) -> bool {
    let axes = SearchFrame::along(Vec3::new(1.0, 0.0, 0.0));
    let mut search = MeshSearch::new(place, 0.0, axes, memory);
    let mut open = vec![(search.roots(), balls(place))];
    while let Some((nodes, balls)) = open.pop() {
        search.nearest.limit = pairs.reach(balls).max(place.contact());
        let reach = search.nearest.reach();
        if let [Child::Leaf(a), Child::Leaf(b)] = nodes.map(NodeId::get) {
            let rule_out = |of_a: &LeafTriangles, near: &mut _| pairs.rule_out([a, b], balls, of_a, near);
            if search.near_triangles(nodes, rule_out).any(|pair| take(reach, pair)) {
                return true;
            }
        } else {
            let whole = search.compare_boxes(nodes);
            // The last pushed is taken first.
            for (lanes, children) in search.near_children(nodes, whole).rev() {
                if let ([Child::Inner(a), Child::Inner(b)], [false, false], true) =
                    (nodes.map(NodeId::get), whole, by_lines)
                    && line_gap(place, [a, b], lanes) > reach
                {
                    continue;
                }
                let ball = |k: usize| match nodes[k].get() {
                    Child::Inner(node) if !whole[k] => [place.a, place.b][k].node(node).ball(lanes[k].into()),
                    _ => balls[k],
                };
                open.push((children, [ball(0), ball(1)]));
            }
        }
        if search.memory.counts[1] > most {
            return true;
        }
    }
    false
}

/// The first pairs of triangles that cross or touch, at most `most`, in the order of the trees.
pub(super) fn crossings(place: &MeshPlace<'_>, most: usize, memory: &mut MeshSearchMemory) -> Vec<[u32; 2]> {
    let mut crossings = Vec::new();
    any_crossing(place, memory, |pair| {
        crossings.push(pair);
        crossings.len() == most
    });
    crossings
}

/// Whether `is_wanted` holds for a pair of triangles that cross or touch, as in [`crossings`].
pub(super) fn any_crossing(
    place: &MeshPlace<'_>,
    memory: &mut MeshSearchMemory,
    mut is_wanted: impl FnMut([u32; 2]) -> bool,
) -> bool {
    in_order_of_trees(place, &mut 0.0, false, usize::MAX, memory, |reach, pair| {
        matches!(pair_distance(place, pair, reach), PairDistance::Touching) && is_wanted(pair)
    })
}
