//! Proof that two bodies are beyond the cut-off throughout an interval, without a distance.

use super::node::Node;
use super::path::BodyPath;
use super::relative_motion::{GapBound, RelativeMotion};
use super::subject::Subjects;
use super::support_gap::{Hulls, by_bend};
use crate::geometry::Vec3;
use crate::narrow::gjk::{self, Simplex};
use crate::narrow::search::SearchEnd;

/// Pairs of nodes that are looked at, at most: beyond these a search for the distance is worth more.
const MOST_NODES: usize = 64;

/// Whether the bodies are proven to be farther apart than `within` (metres) throughout: their hulls along a direction that separates them
/// at the start, and where these are near the nodes of their trees.
pub(super) fn is_beyond(subjects: &Subjects<'_>, paths: &[BodyPath; 2], motion: &RelativeMotion, within: f64) -> bool {
    let ends = [0.0, 1.0].map(|share| Node::at(share, paths));
    if !subjects.has_trees() {
        return are_apart(&subjects.hulls(), &ends, motion, within);
    }
    let mut open = vec![[0, 0]];
    let mut looked_at = 0;
    while let Some(nodes) = open.pop() {
        looked_at += 1;
        let hulls = subjects.hulls_of_nodes(nodes);
        if subjects.ball_gap(nodes, paths, motion) > within
            || hulls.is_some_and(|hulls| are_apart(&hulls, &ends, motion, within))
        {
            continue;
        }
        match subjects.children(nodes) {
            Some(children) if looked_at < MOST_NODES => open.extend(children),
            _ => return false,
        }
    }
    true
}

/// Whether a direction that separates two hulls at the start proves them to be beyond the cut-off throughout.
fn are_apart(hulls: &Hulls<'_>, ends: &[Node; 2], motion: &RelativeMotion, within: f64) -> bool {
    separated(hulls, [&ends[0], &ends[1]], motion, within).least() > within
}

/// The bound of a direction that separates two hulls at the start by more than `within` (metres), in the first frame in which it is
/// above that throughout, else in the last.
pub(super) fn separated(hulls: &Hulls<'_>, ends: [&Node; 2], motion: &RelativeMotion, within: f64) -> GapBound {
    let Some(normal) = separating_direction(hulls, ends[0], within, motion.speed) else { return GapBound::NONE };
    let mut bound = GapBound::NONE;
    for fixed in by_bend(motion, ends[0].to_world(normal)) {
        bound = hulls.bound_along(ends, normal, fixed, motion);
        if bound.least() > within {
            break;
        }
    }
    bound
}

/// A direction along which two hulls are apart at a node, in A's frame, by more than `speed` beyond the cut-off if they are; `None` if they are
/// within it. GJK from a cold start: a function of the hulls and the pose.
fn separating_direction(hulls: &Hulls<'_>, node: &Node, within: f64, speed: f64) -> Option<Vec3<f64>> {
    let pair = hulls.pair(node);
    let near = within + hulls.growth + hulls.deviation;
    if !(pair.size.is_finite() && near.is_finite() && speed.is_finite()) {
        return None;
    }
    let found = gjk::search_while_apart(&pair, &Simplex::default(), near + speed, near);
    let normal = -found.point.normalized();
    (found.end != SearchEnd::Overlap && normal.is_finite()).then_some(normal)
}
