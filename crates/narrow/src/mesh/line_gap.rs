//! Gaps along the line between the middles of two nodes: where surfaces bend, it is nearer to the
//! direction of their distance than the axes of a search are, which all pairs share.

use super::bounds::IntervalCache;
use super::place::MeshPlace;
use clearsweep_geometry::Vec3;
use clearsweep_geometry::mesh::{Child, NodeId, SearchFrame, WIDTH, heights_of_leaf};

/// The gap of the triangles of two leaves along the line between their middles, metres; 0 if there
/// is no line. The middles are those of the intervals of the leaves in the frames of a search, in
/// A's frame and in B's.
pub(super) fn leaf_gap(
    place: &MeshPlace<'_>,
    frames: &[SearchFrame; 2],
    intervals: &mut [IntervalCache; 2],
    leaves: [NodeId; 2],
) -> f64 {
    let meshes = [place.a, place.b];
    let [a, b] = [0, 1].map(|k: usize| {
        let at = intervals[k].meet(meshes[k], leaves[k], &frames[k]);
        let whole = &intervals[k].at(at).whole;
        [0, 1, 2].map(|axis: usize| whole.middle(axis, 0))
    });
    let [x, y, z] = frames[0].axes;
    let n = (x.scale(b[0] - a[0]) + y.scale(b[1] - a[1]) + z.scale(b[2] - a[2])).normalized();
    let ([Child::Leaf(of_a), Child::Leaf(of_b)], true) = (leaves.map(NodeId::get), n.is_finite()) else {
        return 0.0;
    };
    let highest = |heights: [f64; WIDTH]| heights.into_iter().fold(f64::NEG_INFINITY, f64::max);
    let top = highest(heights_of_leaf(meshes[0], of_a, n));
    n.dot(place.pose.t) - highest(heights_of_leaf(meshes[1], of_b, -place.pose.inverse_vector(n))) - top
}

/// The gap of the boxes of two children along the line between their centres, metres: where
/// surfaces bend, it shows what the axes of a search do not.
#[inline]
pub(super) fn line_gap(place: &MeshPlace<'_>, nodes: [u32; 2], lanes: [u8; 2]) -> f64 {
    let (a, of_a) = place.a.node(nodes[0]).oriented_box(lanes[0] as usize);
    let (b, of_b) = place.b.node(nodes[1]).oriented_box(lanes[1] as usize);
    let n = (place.pose.point(b) - a).normalized();
    let m = place.pose.inverse_vector(n);
    let reach = |sides: [Vec3<f64>; 3], n: Vec3<f64>| {
        let [x, y, z] = sides.map(|side| side.dot(n).abs());
        x + y + z
    };
    let gap = (m.dot(b) + n.dot(place.pose.t) - reach(of_b, m)) - (n.dot(a) + reach(of_a, n));
    if gap > 0.0 { gap } else { 0.0 }
}
