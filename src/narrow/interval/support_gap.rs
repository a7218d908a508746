//! Lower bounds over a part of an interval from the supporting planes of a direction.
//!
//! Along a direction that stands still in some frame the gap of the supporting planes of two convex hulls is a function of time that is
//! concave up to a bound of the second derivative of their points: its values at both ends of a part bound it in between.

use super::node::Node;
use super::relative_motion::{FixedIn, RelativeMotion, least_over};
use crate::geometry::Vec3;
use crate::narrow::pair::Pair;
use crate::scene::Piece;

/// What a direction that was turned into another frame may be off, in sizes of the pair.
const TURNED: f64 = 64.0 * f64::EPSILON;

/// Two convex bodies: pieces, or hulls of all pieces.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hulls<'a> {
    pub(super) a: &'a Piece,
    pub(super) b: &'a Piece,
    /// How far the true surfaces may lie from the stored ones, together, metres.
    pub(super) deviation: f64,
}

impl Hulls<'_> {
    fn pair(&self, node: &Node) -> Pair<'_, f64> {
        Pair::new(&self.a.core, &self.b.core, node.relative, self.a.radius + self.b.radius)
    }

    /// A lower bound of the signed distance over the part between two nodes, from the direction `normal` (A's frame at `from`) which
    /// stands still in the frame `fixed`.
    pub(super) fn least_along(
        &self,
        [from, to]: [&Node; 2],
        normal: Vec3<f64>,
        fixed: FixedIn,
        motion: &RelativeMotion,
    ) -> f64 {
        let there = match fixed {
            FixedIn::A => normal,
            FixedIn::B => to.relative.vector(from.relative.inverse_vector(normal)),
            FixedIn::World => to.from_world(from.to_world(normal)),
        };
        let (one, other) = (self.pair(from), self.pair(to));
        let share = to.share - from.share;
        let bend = motion.bend(fixed, from.to_world(normal)) * (share * share);
        let least = least_over(one.gap(normal), other.gap(there), bend);
        let size = one.size.max(other.size);
        least
            - (self.a.radius + self.b.radius)
            - self.deviation
            - (one.bound().max(other.bound()) + TURNED * size)
            - motion.error
    }

    /// The best of these bounds over the directions of both ends and all frames.
    pub(super) fn least_between(&self, from: &Node, to: &Node, motion: &RelativeMotion) -> f64 {
        let mut least = f64::NEG_INFINITY;
        for ends in [[from, to], [to, from]] {
            for &normal in ends[0].normals() {
                for fixed in FixedIn::ALL {
                    let found = self.least_along(ends, normal, fixed, motion);
                    // NaN is no bound.
                    least = if found > least { found } else { least };
                }
            }
        }
        least
    }
}
