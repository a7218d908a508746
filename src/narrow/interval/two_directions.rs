//! Lower bounds over a part of an interval from two directions at once, one of each end.
//!
//! The signed distance of convex bodies is at least the gap along any direction, so it is at least every convex combination of two
//! bounds. A combination is a parabola again. Where one bound falls and the other rises, the best combination is as high as the
//! larger of both is at their crossing, which neither bound alone reaches.

use super::node::Node;
use super::relative_motion::{GapBound, RelativeMotion};
use super::support_gap::{Hulls, by_bend};

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

    /// The convex combination of two bounds whose least value is greatest, and the share at which the larger of both is least.
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
        // The difference is `a t^2 + b t + c`, of different signs at 0 and at 1: one root lies between.
        let a = 0.5 * (self.bend - other.bend);
        let (b, c) = (last - first - a, first);
        let q = -0.5 * (b + (b * b - 4.0 * a * c).max(0.0).sqrt().copysign(b));
        [c / q, q / a].into_iter().find(|share| (0.0..=1.0).contains(share))
    }
}

impl Hulls<'_> {
    /// The best bound over the part between two nodes: along one direction if `is_enough` says so of its least value, else along the
    /// best directions of both ends together. With it the share of the part at which it is least, if it is not enough.
    pub(super) fn bound_between(
        &self,
        [from, to]: [&Node; 2],
        motion: &RelativeMotion,
        is_enough: impl Fn(f64) -> bool,
    ) -> (GapBound, f64) {
        let first_end = usize::from(to.upper < from.upper);
        let mut best = [GapBound::NONE; 2];
        for end in [first_end, 1 - first_end] {
            let ends = if end == 0 { [from, to] } else { [to, from] };
            for &normal in ends[0].normals() {
                for fixed in by_bend(motion, ends[0].to_world(normal)) {
                    let bound = self.bound_along(ends, normal, fixed, motion);
                    let least = bound.least();
                    if least > best[end].least() {
                        best[end] = if end == 0 { bound } else { bound.reversed() };
                        if is_enough(least) {
                            return (best[end], 0.5);
                        }
                    }
                }
            }
        }
        best[0].combined(&best[1])
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
