//! Boxes along the axes.

use crate::Vec3;

/// A closed box along the axes, metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Aabb {
    pub(super) low: Vec3<f64>,
    pub(super) high: Vec3<f64>,
}

impl Aabb {
    /// The box of no point.
    pub(super) fn empty() -> Self {
        let none = f64::INFINITY;
        Self { low: Vec3::new(none, none, none), high: Vec3::new(-none, -none, -none) }
    }

    /// The box of points, opened by `margin`.
    pub(super) fn around(points: impl IntoIterator<Item = Vec3<f64>>, margin: f64) -> Self {
        points.into_iter().fold(Self::empty(), |all, p| all.with(&Self { low: p, high: p }.opened(margin)))
    }

    /// The smallest box around both.
    pub(super) fn with(&self, other: &Self) -> Self {
        Self { low: least(self.low, other.low), high: most(self.high, other.high) }
    }

    /// The points in both; `None` if there are none.
    pub(super) fn meet(&self, other: &Self) -> Option<Self> {
        let met = Self { low: most(self.low, other.low), high: least(self.high, other.high) };
        (0..3).all(|k| met.low[k] <= met.high[k]).then_some(met)
    }

    /// The same, larger by `margin` on each side, rounded outward.
    pub(super) fn opened(&self, margin: f64) -> Self {
        let wide = Vec3::new(margin, margin, margin);
        Self { low: next(self.low - wide, f64::next_down), high: next(self.high + wide, f64::next_up) }
    }

    /// The same, moved by `by`, rounded outward.
    pub(super) fn moved(&self, by: Vec3<f64>) -> Self {
        Self { low: next(self.low + by, f64::next_down), high: next(self.high + by, f64::next_up) }
    }

    /// The corners; bit `k` of the index says whether it is at the high end of axis `k`.
    pub(super) fn corners(&self) -> [Vec3<f64>; 8] {
        std::array::from_fn(|i| {
            let pick = |k: usize| if i >> k & 1 == 1 { self.high[k] } else { self.low[k] };
            Vec3::new(pick(0), pick(1), pick(2))
        })
    }

    /// The middle, inside of the box.
    pub(super) fn middle(&self) -> Vec3<f64> {
        let along = |k: usize| (0.5 * self.low[k] + 0.5 * self.high[k]).clamp(self.low[k], self.high[k]);
        Vec3::new(along(0), along(1), along(2))
    }

    /// The volume, rounded up.
    pub(super) fn volume(&self) -> f64 {
        let sides = self.high - self.low;
        (sides.x * sides.y * sides.z * (1.0 + 8.0 * f64::EPSILON)).next_up()
    }
}

fn least(a: Vec3<f64>, b: Vec3<f64>) -> Vec3<f64> {
    Vec3::new(a.x.min(b.x), a.y.min(b.y), a.z.min(b.z))
}

fn most(a: Vec3<f64>, b: Vec3<f64>) -> Vec3<f64> {
    Vec3::new(a.x.max(b.x), a.y.max(b.y), a.z.max(b.z))
}

fn next(p: Vec3<f64>, to: impl Fn(f64) -> f64) -> Vec3<f64> {
    Vec3::from(p.to_array().map(to))
}
