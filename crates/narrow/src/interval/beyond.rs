//! Proof that two bodies, or all pairs of their pieces but one, are beyond a distance throughout an
//! interval, without a distance.

use super::bodies::IntervalBodies;
use super::node::Node;
use super::pair_path::PairPath;
use super::relative_motion::{GapBound, RelativeMotion};
use super::support_gap::{Hulls, by_bend};
use crate::gjk::{self, Simplex};
use crate::search::SearchEnd;
use clearsweep_geometry::Vec3;
use smallvec::SmallVec;

/// Most pairs of nodes in a proof: beyond these a search for the distance is worth more.
const MOST_NODES: usize = 64;

/// The interval is not divided into more parts than this to separate two hulls.
pub(super) const PARTS: f64 = 64.0;

/// Two nodes of the trees that are apart, or two bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SeparatedNodes {
    pub(super) nodes: [u32; 2],
    /// Separating direction at the start, less the unit vector between the middles, in A's frame.
    pub(super) beside: Vec3<f64>,
}

/// Pairs of separated nodes. Together they hold all pairs of pieces, or all but those of two nodes.
pub(super) type SeparatedCover = SmallVec<[SeparatedNodes; 2]>;

/// A separation that is to be proven: two bodies are farther apart than `within` over an interval.
pub(super) struct SeparationProof<'s, 'a> {
    pub(super) bodies: &'s IntervalBodies<'a>,
    pub(super) path: &'s PairPath<'a>,
    pub(super) motion: &'s RelativeMotion,
    /// A pair of nodes that needs no proof.
    pub(super) but: Option<[u32; 2]>,
    /// The distance, metres.
    pub(super) within: f64,
}

impl SeparationProof<'_, '_> {
    /// The proof, if there is one: the hulls of the bodies along directions that separate them, and
    /// where these are near the nodes of their trees.
    pub(super) fn prove(&self) -> Option<SeparatedCover> {
        let ends = [0.0, 1.0].map(|share| Node::at(share, self.path));
        let mut cover = SeparatedCover::new();
        let mut open = vec![[0, 0]];
        let mut looked_at = 0;
        while let Some(nodes) = open.pop() {
            looked_at += 1;
            if self.but == Some(nodes) {
                continue;
            }
            if self.bodies.ball_gap(nodes, self.path, self.motion) > self.within {
                cover.push(SeparatedNodes { nodes, beside: Vec3::ZERO });
                continue;
            }
            if let Some(hulls) = self.bodies.hulls_of_nodes(nodes) {
                let between = self.bodies.between_middles(nodes, &ends[0]);
                if let Some(normal) = self.separate_hulls(&hulls, &ends, between) {
                    cover.push(SeparatedNodes { nodes, beside: normal - between });
                    continue;
                }
            }
            match self.bodies.children(nodes) {
                Some(children) if looked_at < MOST_NODES => open.extend(children),
                _ => return None,
            }
        }
        Some(cover)
    }

    /// Separates two hulls throughout, if that takes no more than [`PARTS`] parts: the direction at
    /// the start, in A's frame. Each part has a direction that separates them at its start. A guess
    /// of the direction, unit, is tried first.
    fn separate_hulls(&self, hulls: &Hulls<'_>, ends: &[Node; 2], guess: Vec3<f64>) -> Option<Vec3<f64>> {
        if along(hulls, [&ends[0], &ends[1]], guess, self.motion, self.within).least() > self.within {
            return Some(guess);
        }
        let first = separating_direction(hulls, &ends[0], self.within, self.motion.speed)?;
        if along(hulls, [&ends[0], &ends[1]], first, self.motion, self.within).least() > self.within {
            return Some(first);
        }
        let mut parts = vec![(ends[0].clone(), first, ends[1].clone())];
        while let Some((from, normal, to)) = parts.pop() {
            if along(hulls, [&from, &to], normal, self.motion, self.within).least() > self.within {
                continue;
            }
            let share = to.share - from.share;
            if share <= 1.0 / PARTS {
                return None;
            }
            let middle = Node::at(from.share + 0.5 * share, self.path);
            let direction = separating_direction(hulls, &middle, self.within, self.motion.speed * share)?;
            parts.push((middle.clone(), direction, to));
            parts.push((from, normal, middle));
        }
        Some(first)
    }
}

/// The bound of a direction that separates two hulls at the start by more than `within` (metres),
/// in the first frame in which it is above that throughout, else in the last.
pub(super) fn separated(hulls: &Hulls<'_>, ends: [&Node; 2], motion: &RelativeMotion, within: f64) -> GapBound {
    match separating_direction(hulls, ends[0], within, motion.speed) {
        Some(normal) => along(hulls, ends, normal, motion, within),
        None => GapBound::NONE,
    }
}

/// The bound of a direction (A's frame at the start) in the first frame in which it is above
/// `within` throughout, else in the last.
fn along(hulls: &Hulls<'_>, ends: [&Node; 2], normal: Vec3<f64>, motion: &RelativeMotion, within: f64) -> GapBound {
    let mut bound = GapBound::NONE;
    for fixed in by_bend(motion, ends[0].to_world(normal)) {
        bound = hulls.bound_along(ends, normal, fixed, motion);
        if bound.least() > within {
            break;
        }
    }
    bound
}

/// A direction along which two hulls are apart at a node, in A's frame, by more than `speed` beyond
/// the cut-off if they are; `None` if they are within it. GJK from a cold start: a function of the
/// hulls and the pose.
fn separating_direction(hulls: &Hulls<'_>, node: &Node, within: f64, speed: f64) -> Option<Vec3<f64>> {
    let pair = hulls.pair(node);
    let near = within + hulls.growth + hulls.deviation;
    if !(pair.size.is_finite() && near.is_finite() && speed.is_finite()) {
        return None;
    }
    let result = gjk::search_while_apart(&pair, &Simplex::default(), near + speed, near);
    let normal = -result.point.normalized();
    (result.end != SearchEnd::Overlap && normal.is_finite()).then_some(normal)
}
