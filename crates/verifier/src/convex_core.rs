//! A convex core: the hull of points, inflated by a radius.

use std::sync::OnceLock;

use crate::hull::Hull;
use crate::number::{Vector, norm, sub};

/// Points and a radius. The points alone are the truth; the hull is found when a depth needs it.
pub struct ConvexCore {
    /// Points, metres.
    pub points: Vec<Vector<f64>>,
    /// Radius by which their hull is inflated, metres.
    pub growth: f64,
    /// The points once more, by coordinate: the scans run over them.
    pub by_axis: [Vec<f64>; 3],
    /// Largest distance of a point from the origin, metres.
    pub reach: f64,
    /// Middle of the box around the points, and the largest distance of a point from it, metres.
    pub ball: (Vector<f64>, f64),
    hull: OnceLock<Option<Hull>>,
}

impl ConvexCore {
    /// Creates the core of points in any order, duplicates and inner points allowed.
    pub fn new(points: Vec<Vector<f64>>, growth: f64) -> Self {
        let by_axis = [0, 1, 2].map(|k: usize| points.iter().map(|p| p[k]).collect());
        let reach = points.iter().map(|&p| norm(p)).fold(0.0, f64::max);
        let end = |k: usize, sign: f64| sign * points.iter().map(|p| sign * p[k]).fold(f64::NEG_INFINITY, f64::max);
        let middle = [0, 1, 2].map(|k| 0.5 * (end(k, -1.0) + end(k, 1.0)));
        let around = points.iter().map(|&p| norm(sub(p, middle))).fold(0.0, f64::max) * (1.0 + 1e-14);
        Self { points, growth, by_axis, reach, ball: (middle, around), hull: OnceLock::new() }
    }

    /// Returns the hull; `None` where its structure is not found.
    pub fn try_hull(&self) -> Option<&Hull> {
        self.hull.get_or_init(|| Hull::new(&self.points)).as_ref()
    }

    /// Returns the hull, where [`Self::try_hull`] has one.
    ///
    /// # Panics
    /// It has none.
    pub fn hull(&self) -> &Hull {
        self.try_hull().expect("a hull that was found before")
    }

    /// Largest distance of a point of the inflated body from the origin, metres.
    pub fn radius(&self) -> f64 {
        self.reach + self.growth
    }
}
