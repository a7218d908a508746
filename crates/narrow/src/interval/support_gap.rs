//! Lower bounds over a part of an interval from the supporting planes of a direction.
//!
//! Along a direction that stands still in some frame the gap of the supporting planes of two convex
//! hulls is a function of time that is concave up to a bound of the second derivative of their
//! points: its values at both ends of a part bound it in between.

use super::node::Node;
use super::relative_motion::{FixedIn, GapBound, RelativeMotion};
use crate::pair::Pair;
use clearsweep_geometry::{Polyhedron, Vec3};

/// Bound on the error of a direction that was turned into another frame, in sizes of the pair.
pub(super) const TURNED: f64 = 64.0 * f64::EPSILON;

/// Two convex bodies: pieces, or hulls of several.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hulls<'a> {
    pub(super) cores: [&'a Polyhedron; 2],
    /// Growth of both cores together, metres.
    pub(super) growth: f64,
    /// Deviation of the true surfaces from the stored ones, together, metres.
    pub(super) deviation: f64,
}

impl Hulls<'_> {
    /// How much nearer the true bodies may be than the cores, metres.
    pub(super) fn reach(&self) -> f64 {
        self.growth + self.deviation
    }

    /// The pair at a node.
    pub(super) fn pair(&self, node: &Node) -> Pair<'_, f64> {
        Pair::new(self.cores[0], self.cores[1], node.relative, self.growth)
    }

    /// The gap of both at a node along a unit vector in A's frame, metres.
    pub(super) fn gap_at(&self, node: &Node, normal: Vec3<f64>) -> f64 {
        self.pair(node).gap(normal) - self.reach()
    }

    /// A lower bound of the signed distance over the part between two nodes, from the direction
    /// `normal` (A's frame at `from`) which stands still in the frame `fixed`.
    pub(super) fn bound_along(
        &self,
        [from, to]: [&Node; 2],
        normal: Vec3<f64>,
        fixed: FixedIn,
        motion: &RelativeMotion,
    ) -> GapBound {
        let there = from.orientation().carried_to(&to.orientation(), normal, fixed);
        let (one, other) = (self.pair(from), self.pair(to));
        let share = to.share - from.share;
        let size = one.size.max(other.size);
        let rounding = one.bound().max(other.bound()) + TURNED * size + motion.error;
        let off = self.reach() + rounding;
        let bend = motion.bend(fixed, from.to_world(normal)) * (share * share);
        GapBound { first: one.gap(normal) - off, last: other.gap(there) - off, bend }
    }

    /// The best of these bounds over the directions of both ends and all frames, the frames of the
    /// least bend and the nearer end first. The search for a better one ends where `is_enough` says
    /// so of a bound that is better than all before it.
    pub(super) fn best_between(
        &self,
        [from, to]: [&Node; 2],
        motion: &RelativeMotion,
        mut is_enough: impl FnMut(&GapBound) -> bool,
    ) -> GapBound {
        let mut best = (f64::NEG_INFINITY, GapBound::NONE);
        let is_later_nearer = to.upper < from.upper;
        for rank in 0..FixedIn::ALL.len() {
            for reversed in [is_later_nearer, !is_later_nearer] {
                let ends = if reversed { [to, from] } else { [from, to] };
                for &normal in ends[0].normals() {
                    let fixed = by_bend(motion, ends[0].to_world(normal))[rank];
                    let bound = self.bound_along(ends, normal, fixed, motion);
                    let least = bound.least();
                    if least > best.0 {
                        best = (least, if reversed { bound.reversed() } else { bound });
                        if is_enough(&best.1) {
                            return best.1;
                        }
                    }
                }
            }
        }
        best.1
    }
}

/// The frames in which a direction of the world may stand still, that of the least bend first.
pub(super) fn by_bend(motion: &RelativeMotion, normal: Vec3<f64>) -> [FixedIn; 3] {
    let mut frames = FixedIn::ALL.map(|fixed| (motion.bend(fixed, normal), fixed));
    // Stable, so that of equal bends the world comes first.
    frames.sort_by(|one, other| one.0.total_cmp(&other.0));
    frames.map(|(_, fixed)| fixed)
}
