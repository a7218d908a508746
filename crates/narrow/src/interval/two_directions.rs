//! Lower bounds over a part of an interval from two directions at once, one of each end.
//!
//! The signed distance of convex bodies is at least the gap along any direction, so it is at least
//! every convex combination of two bounds. A combination is a parabola again. Where one bound falls
//! and the other rises, the best combination is as high as the larger of both is at their crossing,
//! which neither bound alone reaches.

use super::node::Node;
use super::relative_motion::{FixedIn, GapBound, RelativeMotion};
use super::support_gap::{Hulls, TURNED};
use crate::pair::Pair;
use clearsweep_geometry::Vec3;

impl GapBound {
    /// The derivative at a share of the part.
    fn slope(&self, share: f64) -> f64 {
        self.last - self.first - 0.5 * self.bend * (1.0 - 2.0 * share)
    }

    /// The share at which the value is least.
    pub(super) fn share_of_least(&self) -> f64 {
        let Self { first, last, bend } = *self;
        let slope = last - first;
        if slope.abs() >= 0.5 * bend || first.is_infinite() {
            return if last < first { 1.0 } else { 0.0 };
        }
        0.5 - slope / bend
    }

    /// The convex combination of two bounds whose least value is greatest, and the share at which
    /// the larger of both is least.
    pub(super) fn combined(&self, other: &Self) -> (Self, f64) {
        let better = if other.least() > self.least() { other } else { self };
        let alone = (*better, better.share_of_least());
        let Some(share) = self.crossing(other) else { return alone };
        let [one, two] = [self.slope(share), other.slope(share)];
        if one.is_nan() || two.is_nan() || one * two >= 0.0 {
            return alone;
        }
        // The slopes cancel at the crossing, so that the combination is least there.
        let weight = (two / (two - one)).clamp(0.0, 1.0);
        let mix = |x: f64, y: f64| weight * x + (1.0 - weight) * y;
        let rounding = 8.0 * f64::EPSILON * (self.first.abs() + self.last.abs() + other.first.abs() + other.last.abs());
        let combined = Self {
            first: mix(self.first, other.first) - rounding,
            last: mix(self.last, other.last) - rounding,
            bend: mix(self.bend, other.bend) * (1.0 + 8.0 * f64::EPSILON),
        };
        if combined.least() > alone.0.least() { (combined, share) } else { alone }
    }

    /// The share at which one bound, above the other at one end, falls below it.
    fn crossing(&self, other: &Self) -> Option<f64> {
        let (first, last) = (self.first - other.first, self.last - other.last);
        if !(first.is_finite() && last.is_finite()) || first * last >= 0.0 {
            return None;
        }
        // The difference is `a t^2 + b t + c`, of different signs at 0 and at 1: one root lies
        // between.
        let a = 0.5 * (self.bend - other.bend);
        let (b, c) = (last - first - a, first);
        let q = -0.5 * (b + (b * b - 4.0 * a * c).max(0.0).sqrt().copysign(b));
        [c / q, q / a].into_iter().find(|share| (0.0..=1.0).contains(share))
    }
}

/// Two hulls over the part between two nodes.
pub(super) struct HullsBetween<'h> {
    nodes: [&'h Node; 2],
    pairs: [Pair<'h, f64>; 2],
    motion: &'h RelativeMotion,
    /// Amount taken off a gap of the cores to bound the distance, metres.
    off: f64,
}

/// The bound along one direction.
pub(super) struct AlongDirection {
    /// The end whose direction it is: 0 or 1.
    pub(super) end: usize,
    /// In A's frame there, unit.
    pub(super) normal: Vec3<f64>,
    pub(super) fixed: FixedIn,
    pub(super) bound: GapBound,
}

impl<'h> HullsBetween<'h> {
    pub(super) fn new(hulls: &'h Hulls<'h>, nodes: [&'h Node; 2], motion: &'h RelativeMotion) -> Self {
        let pairs = nodes.map(|node| hulls.pair(node));
        let size = pairs[0].size.max(pairs[1].size);
        let rounding = pairs[0].bound().max(pairs[1].bound()) + TURNED * size + motion.error;
        Self { nodes, pairs, motion, off: hulls.reach() + rounding }
    }

    /// Gives `take` the bounds of [`Hulls::bound_along`] along the directions of one end after the
    /// other in all frames, the frame of the least bend first, until it says that it has enough.
    pub(super) fn visit(&self, ends: [usize; 2], mut take: impl FnMut(&AlongDirection) -> bool) {
        let span = self.nodes[1].share - self.nodes[0].share;
        for end in ends {
            let [own, other] = [end, 1 - end];
            for &normal in self.nodes[own].normals() {
                let in_world = self.nodes[own].to_world(normal);
                let here = self.pairs[own].gap(normal) - self.off;
                let mut frames = FixedIn::ALL.map(|fixed| (self.motion.bend(fixed, in_world), fixed));
                frames.sort_by(|one, other| one.0.total_cmp(&other.0));
                for (bend, fixed) in frames {
                    let there =
                        self.nodes[own].orientation().carried_to(&self.nodes[other].orientation(), normal, fixed);
                    let last = self.pairs[other].gap(there) - self.off;
                    let bound = GapBound { first: here, last, bend: bend * (span * span) };
                    let bound = if end == 0 { bound } else { bound.reversed() };
                    if take(&AlongDirection { end, normal, fixed, bound }) {
                        return;
                    }
                }
            }
        }
    }

    /// The best bound over the part: along one direction if `is_enough` says so of its least value,
    /// else along the best directions of both ends together. With it the share of the part at which
    /// it is least, if it is not enough.
    pub(super) fn best(&self, is_enough: impl Fn(f64) -> bool) -> (GapBound, f64) {
        let nearer = usize::from(self.nodes[1].upper < self.nodes[0].upper);
        let mut best = [GapBound::NONE; 2];
        let mut enough = None;
        self.visit([nearer, 1 - nearer], |&AlongDirection { end, bound, .. }| {
            let least = bound.least();
            if least > best[end].least() {
                best[end] = bound;
                enough = is_enough(least).then_some(bound);
            }
            enough.is_some()
        });
        enough.map_or_else(|| best[0].combined(&best[1]), |bound| (bound, 0.5))
    }
}

#[cfg(test)]
mod tests {
    use super::GapBound;

    impl GapBound {
        fn value(&self, share: f64) -> f64 {
            (1.0 - share) * self.first + share * self.last - 0.5 * self.bend * (share * (1.0 - share))
        }
    }

    /// The larger of two bounds at a time.
    fn larger(one: &GapBound, other: &GapBound, share: f64) -> f64 {
        one.value(share).max(other.value(share))
    }

    #[test]
    fn a_combination_is_as_high_as_the_larger_bound_at_its_least() {
        let bounds = [
            GapBound { first: 1.0, last: -1.0, bend: 0.0 },
            GapBound { first: -1.0, last: 1.0, bend: 0.0 },
            GapBound { first: 2.0, last: -0.5, bend: 0.3 },
            GapBound { first: -3.0, last: 0.7, bend: 1.9 },
            GapBound { first: 0.5, last: 0.4, bend: 6.0 },
            GapBound { first: 0.45, last: 0.6, bend: 5.0 },
            GapBound::NONE,
        ];
        for one in &bounds {
            for other in &bounds {
                let grid = (0..=10_000).map(|i| larger(one, other, f64::from(i) / 1e4)).fold(f64::INFINITY, f64::min);
                let (combined, _) = one.combined(other);
                let least = combined.least();
                assert!(
                    least == grid || (least <= grid + 1e-12 && least >= grid - 1e-3),
                    "{one:?} {other:?}: {least} {grid}"
                );
                for i in 0..=100 {
                    let share = f64::from(i) / 1e2;
                    let is_below = combined.value(share) <= larger(one, other, share) + 1e-12;
                    assert!(is_below || combined.first.is_infinite(), "{one:?} {other:?} at {share}");
                }
            }
        }
    }

    #[test]
    fn the_share_of_the_least_value_is_where_the_value_is_least() {
        for (first, last, bend) in
            [(1.0, 1.0, 8.0), (1.0, 2.0, 8.0), (3.0, -1.0, 2.0), (0.0, 0.1, 0.3), (2.0, 5.0, 0.0)]
        {
            let bound = GapBound { first, last, bend };
            assert!((bound.value(bound.share_of_least()) - bound.least()).abs() < 1e-12, "{bound:?}");
        }
    }
}
